//! Kernels: their arguments, addresses of 32 and 64 bits, and what only they have.

mod built_in;
mod copies;
mod enqueue;
mod named_barriers;
mod pipes;

use spirvkit_interp::Run;
use spirvkit_text::{AssembleOptions, assemble};

use crate::shader::SIZES;

/// The kernel of a module with these addresses, whose function has these parameters. `%out` is
/// the last of them, a buffer of `u32`; `%index` is the global index, as a `u32`, and the body
/// makes `%result`, which is written there.
pub(crate) fn kernel(
    bits: u32,
    globals: &str,
    parameters: &[(&str, &str)],
    body: &str,
) -> Vec<u32> {
    let types: Vec<&str> = parameters.iter().map(|it| it.1).collect();
    let declared: Vec<String> = parameters
        .iter()
        .map(|(name, ty)| format!("%{name} = OpFunctionParameter {ty}"))
        .collect();
    let names: Vec<String> = parameters
        .iter()
        .map(|(name, _)| format!("OpName %{name} \"{name}\""))
        .collect();
    // Names and decorations stand before all types.
    let (before, globals): (Vec<&str>, Vec<&str>) = globals.lines().partition(|line| {
        ["OpName", "OpDecorate", "OpExecutionMode"]
            .iter()
            .any(|op| line.starts_with(op))
    });
    let convert = match bits {
        64 => "%index = OpUConvert %u32 %index_long",
        _ => "%index = OpCopyObject %u32 %index_long",
    };
    let text = format!(
        "OpCapability Kernel
OpCapability Addresses
OpCapability GenericPointer
OpCapability Linkage
OpCapability Int64
OpCapability Int8
OpCapability Int16
OpCapability Float64
OpCapability Float16
OpCapability Vector16
OpCapability Groups
OpCapability SubgroupDispatch
%cl = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical{bits} OpenCL
OpEntryPoint Kernel %main \"main\" %id
{before}
{names}
OpName %out \"out\"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
OpDecorate %packed CPacked
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u16 = OpTypeInt 16 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%size = OpCopyOfSize
%size2 = OpConstant %size 2
%size8 = OpConstant %size 8
%v3size = OpTypeVector %size 3
%v2u32 = OpTypeVector %u32 2
%v3u32 = OpTypeVector %u32 3
%v4u32 = OpTypeVector %u32 4
%v8u32 = OpTypeVector %u32 8
%v16u32 = OpTypeVector %u32 16
%v2f32 = OpTypeVector %f32 2
%v3f32 = OpTypeVector %f32 3
%v4f32 = OpTypeVector %f32 4
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%eight = OpConstant %u32 8
%u10 = OpConstant %u32 10
%u16b = OpConstant %u32 16
%u272 = OpConstant %u32 272
%l0 = OpConstant %u64 0
%structure = OpTypeStruct %u8 %u32 %v3u32
%packed = OpTypeStruct %u8 %u32
%ptr_id = OpTypePointer Input %v3size
%global = OpTypePointer CrossWorkgroup %u32
%global8 = OpTypePointer CrossWorkgroup %u8
%global16 = OpTypePointer CrossWorkgroup %u16
%global_f32 = OpTypePointer CrossWorkgroup %f32
%global_v3 = OpTypePointer CrossWorkgroup %v3u32
%constant = OpTypePointer UniformConstant %u32
%local = OpTypePointer Workgroup %u32
%private = OpTypePointer Function %u32
%private_f32 = OpTypePointer Function %f32
%generic = OpTypePointer Generic %u32
%by_value = OpTypePointer Function %structure
%global_structure = OpTypePointer CrossWorkgroup %structure
%global_packed = OpTypePointer CrossWorkgroup %packed
%id = OpVariable %ptr_id Input
{globals}
%fn = OpTypeFunction %void {types} %global
%main = OpFunction %void None %fn
{declared}
%out = OpFunctionParameter %global
%entry = OpLabel
%ids = OpLoad %v3size %id
%index_long = OpCompositeExtract %size %ids 0
{convert}
{body}
%out_at = OpInBoundsPtrAccessChain %global %out %index
OpStore %out_at %result Aligned 4
OpReturn
OpFunctionEnd",
        names = names.join("\n"),
        before = before.join("\n"),
        globals = globals.join("\n"),
        types = types.join(" "),
        declared = declared.join("\n"),
    );
    let size = format!("%u{bits}");
    let text = text
        .replace("%size = OpCopyOfSize\n", "")
        .replace("%size ", &format!("{size} "))
        .replace("%size\n", &format!("{size}\n"));
    let options = AssembleOptions::default();
    assemble(&text, &options)
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

/// Runs a kernel of two workgroups of eight invocations with addresses of both sizes and
/// subgroups of all sizes, expects no findings, and that each invocation gets what a function
/// says of its index.
#[track_caller]
pub(crate) fn gives(
    globals: &str,
    parameters: &[(&str, &str)],
    body: &str,
    arguments: impl Fn(Run<'_>) -> Run<'_>,
    expected: impl Fn(u32) -> u32,
) {
    for bits in [32, 64] {
        let words = kernel(bits, globals, parameters, body);
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size).local_size([8, 1, 1]);
            let run = arguments(run).argument("out", &[0u32; 16]);
            let out = run.dispatch([2, 1, 1]).unwrap();
            assert!(out.findings.is_empty(), "{:?}", out.findings);
            let expected: Vec<u32> = (0..16).map(&expected).collect();
            let found = out.argument::<u32>("out");
            assert_eq!(found, expected, "subgroups of {size}, addresses of {bits}");
        }
    }
}

const SQUARES: [u32; 16] = [
    0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225,
];

#[test]
fn arguments_are_buffers_and_values() {
    gives(
        "",
        &[
            ("in", "%global"),
            ("n", "%u32"),
            ("v", "%v3u32"),
            ("c", "%constant"),
        ],
        "%at = OpInBoundsPtrAccessChain %global %in %index
%loaded = OpLoad %u32 %at Aligned 4
%product = OpIMul %u32 %loaded %n
%third = OpCompositeExtract %u32 %v 2
%sum = OpIAdd %u32 %product %third
%more = OpLoad %u32 %c Aligned 4
%result = OpIAdd %u32 %sum %more",
        |run| {
            run.argument(0, &SQUARES)
                .argument("n", &[3u32])
                .argument(2, &[100u32, 200, 300, 0])
                .argument("c", &[5000u32])
        },
        |index| index * index * 3 + 5300,
    );
}

#[test]
fn structures_are_copied_for_the_kernel() {
    // A byte, a number and a vector of three, which is aligned to sixteen bytes.
    let mut bytes = [0u8; 32];
    bytes[0] = 7;
    bytes[4] = 9;
    bytes[24] = 11;
    gives(
        "%ptr_member = OpTypePointer Function %u32
%ptr_vector = OpTypePointer Function %v3u32",
        &[("s", "%by_value"), ("t", "%structure")],
        "%member = OpInBoundsAccessChain %ptr_member %s %u1
%old = OpLoad %u32 %member Aligned 4
%new = OpIAdd %u32 %old %index
OpStore %member %new Aligned 4
%whole = OpLoad %structure %s
%second = OpCompositeExtract %u32 %whole 1
%third = OpCompositeExtract %u32 %whole 2 2
%first = OpCompositeExtract %u8 %t 0
%wide = OpUConvert %u32 %first
%a = OpIAdd %u32 %second %third
%result = OpIAdd %u32 %a %wide",
        |run| run.argument(0, &bytes).argument(1, &bytes),
        |index| 9 + index + 11 + 7,
    );
}

#[test]
fn local_memory_is_that_of_the_workgroup() {
    gives(
        "%shared_type = OpTypePointer Workgroup %u32
%shared = OpVariable %shared_type Workgroup",
        &[("l", "%local")],
        "%seven = OpISub %u32 %u10 %u3
%own = OpBitwiseAnd %u32 %index %seven
%other = OpBitwiseXor %u32 %own %u1
%to = OpInBoundsPtrAccessChain %local %l %own
OpStore %to %index Aligned 4
OpControlBarrier %u2 %u2 %u272
%from = OpInBoundsPtrAccessChain %local %l %other
%result = OpLoad %u32 %from Aligned 4",
        |run| run.local_argument("l", 32),
        |index| index ^ 1,
    );
}

#[test]
fn packed_structures_have_no_padding() {
    gives(
        "",
        &[("p", "%global_packed")],
        "%at = OpInBoundsPtrAccessChain %global %p %index %u1
%result = OpLoad %u32 %at Aligned 1",
        |run| {
            let bytes: Vec<u8> = (0..16u8).flat_map(|it| [1, it, 0, 0, 2]).collect();
            run.argument(0, &bytes)
        },
        |index| index | 2 << 24,
    );
}

#[test]
fn vectors_of_three_take_the_room_of_four() {
    gives(
        "",
        &[("v", "%global_v3")],
        "%at = OpInBoundsPtrAccessChain %global_v3 %v %index
%three = OpLoad %v3u32 %at Aligned 16
%result = OpCompositeExtract %u32 %three 1",
        |run| {
            let words: Vec<u32> = (0..64).collect();
            run.argument(0, &words)
        },
        |index| index * 4 + 1,
    );
}

#[test]
fn variables_of_the_module_have_contents() {
    let globals = "OpName %counter \"counter\"
%array = OpTypeArray %u32 %u4
%ptr_array = OpTypePointer UniformConstant %array
%ptr_element = OpTypePointer UniformConstant %u32
%numbers = OpConstantComposite %array %u5 %u10 %u3 %u2
%table = OpVariable %ptr_array UniformConstant %numbers
%counter = OpVariable %global CrossWorkgroup %u4";
    let body = "%which = OpBitwiseAnd %u32 %index %u3
%at = OpInBoundsAccessChain %ptr_element %table %which
%result = OpLoad %u32 %at Aligned 4
%old = OpAtomicIAdd %u32 %counter %u1 %u0 %u2";
    gives(
        globals,
        &[],
        body,
        |run| run,
        |index| [5, 10, 3, 2][index as usize % 4],
    );
    let words = kernel(64, globals, &[], body);
    let run = Run::new(&words).local_size([8, 1, 1]);
    let out = run
        .argument("out", &[0u32; 16])
        .dispatch([2, 1, 1])
        .unwrap();
    assert_eq!(out.argument::<u32>("counter"), [4 + 2 * 16]);
}

#[test]
fn pointers_are_generic_and_become_special_again() {
    gives(
        "",
        &[("in", "%global"), ("l", "%local")],
        "%mine = OpVariable %private Function
OpStore %mine %u10
%g1 = OpPtrCastToGeneric %generic %in
%g2 = OpPtrCastToGeneric %generic %l
%g3 = OpPtrCastToGeneric %generic %mine
%two_of = OpBitwiseAnd %u32 %index %u1
%is_odd = OpIEqual %bool %two_of %u1
%either = OpSelect %generic %is_odd %g1 %g3
%loaded = OpLoad %u32 %either Aligned 4
%back = OpGenericCastToPtr %global %g1
%first = OpLoad %u32 %back Aligned 4
%checked = OpGenericCastToPtrExplicit %global %either CrossWorkgroup
%address = OpConvertPtrToU %u64 %checked
%is_null = OpIEqual %bool %address %l0
%null = OpSelect %u32 %is_null %u1 %u0
%s1 = OpGenericPtrMemSemantics %u32 %g2
%s2 = OpGenericPtrMemSemantics %u32 %g1
%s = OpIAdd %u32 %s1 %s2
%a = OpIAdd %u32 %loaded %first
%b = OpIAdd %u32 %a %null
%result = OpIAdd %u32 %b %s",
        |run| run.argument(0, &[1000u32]).local_argument(1, 4),
        |index| 1000 + 0x300 + if index % 2 == 1 { 1000 } else { 11 },
    );
}

#[test]
fn what_is_given_must_fit() {
    let words = kernel(
        32,
        "",
        &[("in", "%global"), ("n", "%u32"), ("l", "%local")],
        "%result = OpCopyObject %u32 %index",
    );
    let given = || {
        let run = Run::new(&words)
            .argument("out", &[0u32; 16])
            .argument(0, &[0u32]);
        run.argument("n", &[1u32]).local_argument(2, 8)
    };
    given().dispatch([1, 1, 1]).unwrap().assert_clean();
    let message = |run: Run<'_>| {
        let error = run.dispatch([1, 1, 1]).unwrap_err().into_vec().remove(0);
        assert_eq!(error.rule(), "run.interface");
        error.message().to_owned()
    };
    let none = Run::new(&words);
    assert_eq!(
        message(none),
        "argument 0, `in`, is a pointer, which needs a buffer"
    );
    let all = Run::new(&words)
        .argument("n", &[1u8])
        .argument("m", &[0u32]);
    let all = all.dispatch([1, 1, 1]).unwrap_err();
    let all: Vec<&str> = all.iter().map(|error| error.message()).collect();
    assert_eq!(
        all,
        [
            "there is no argument `m`, but `in`, `n`, `l`, `out`",
            "argument 0, `in`, is a pointer, which needs a buffer",
            "argument 1, `n`, takes 4 bytes, but 1 are given",
            "argument 2, `l`, is a pointer to memory of the workgroup, which needs a size",
            "argument 3, `out`, is a pointer, which needs a buffer",
        ]
    );
    let short = given().argument("n", &[1u8]);
    assert_eq!(
        message(short),
        "argument 1, `n`, takes 4 bytes, but 1 are given"
    );
    let long = given().argument("n", &[1u64]);
    assert_eq!(
        message(long),
        "argument 1, `n`, takes 4 bytes, but 8 are given"
    );
    let wrong = given().local_argument("n", 4);
    assert_eq!(message(wrong), "argument 1, `n`, needs a value of 4 bytes");
    let not_local = given().argument("l", &[0u32]);
    let expected = "argument 2, `l`, is a pointer to memory of the workgroup, which needs a size";
    assert_eq!(message(not_local), expected);
    assert_eq!(
        message(given().argument("m", &[0u32])),
        "there is no argument `m`, but `in`, `n`, `l`, `out`"
    );
    assert_eq!(
        message(given().argument(4, &[0u32])),
        "there is no argument 4, but `in`, `n`, `l`, `out`"
    );
}

#[test]
fn wrong_accesses_are_reported() {
    let words = kernel(
        32,
        "",
        &[("in", "%global"), ("c", "%constant")],
        "%at = OpInBoundsPtrAccessChain %global %in %index
%loaded = OpLoad %u32 %at Aligned 8
%result = OpIAdd %u32 %loaded %u1",
    );
    let rules = |run: Run<'_>| {
        let run = run.local_size([8, 1, 1]).argument(1, &[0u32]);
        let out = run.argument("out", &[0u32; 8]).dispatch([1, 1, 1]).unwrap();
        let rules = out.findings.iter().map(|found| found.rule().to_string());
        rules.collect::<Vec<String>>()
    };
    let run = || Run::new(&words);
    assert_eq!(rules(run().argument(0, &[0u32; 8])), ["run.alignment"]);
    assert_eq!(
        rules(run().argument(0, &[0u32; 7])),
        ["run.alignment", "run.bounds"]
    );
    assert_eq!(
        rules(run().address_argument(0, 0)),
        ["run.alignment", "run.null"]
    );
}

#[test]
fn what_is_only_declared_is_refused_by_name() {
    let globals = "OpDecorate %other LinkageAttributes \"elsewhere\" Import
%fn_other = OpTypeFunction %u32 %u32
%other = OpFunction %u32 None %fn_other
%parameter = OpFunctionParameter %u32
OpFunctionEnd";
    let words = kernel(
        32,
        globals,
        &[],
        "%result = OpFunctionCall %u32 %other %index",
    );
    let run = Run::new(&words).argument("out", &[0u32; 8]);
    let errors = run.dispatch([1, 1, 1]).unwrap_err().into_vec();
    assert_eq!(errors[0].rule(), "run.unsupported");
    assert!(errors[0].message().contains("`elsewhere`"), "{}", errors[0]);
}

#[test]
fn flags_are_taken_once() {
    gives(
        "",
        &[("flag", "%global"), ("taken", "%global")],
        "%was_set = OpAtomicFlagTestAndSet %bool %flag %u1 %u0
%won = OpSelect %u32 %was_set %u0 %u1
%before = OpAtomicIAdd %u32 %taken %u1 %u0 %won
OpControlBarrier %u2 %u2 %u272
%now = OpLoad %u32 %flag
%result = OpIAdd %u32 %now %u2",
        |run| run.argument(0, &[0u32]).argument(1, &[0u32]),
        |_| 3,
    );
    let words = kernel(
        64,
        "",
        &[("flag", "%global")],
        "OpAtomicFlagClear %flag %u1 %u0
%result = OpLoad %u32 %flag",
    );
    let run = Run::new(&words).argument(0, &[1u32]).argument(1, &[7u32]);
    let out = run.dispatch([1, 1, 1]).unwrap();
    assert_eq!(out.argument::<u32>("out"), [0]);
}

#[test]
fn merge_instructions_are_hints() {
    // Lanes come together again whether or not a loop is declared, which may be unrolled.
    for hint in ["", "OpLoopMerge %end %body Unroll"] {
        let body = format!(
            "%odd = OpBitwiseAnd %u32 %index %u1
%is_odd = OpINotEqual %bool %odd %u0
OpBranchConditional %is_odd %tenfold %same
%tenfold = OpLabel
%ten = OpIMul %u32 %index %u10
OpBranch %both
%same = OpLabel
OpBranch %both
%both = OpLabel
%own = OpPhi %u32 %ten %tenfold %index %same
%before = OpGroupIAdd %u32 %u3 Reduce %own
OpBranch %head
%head = OpLabel
%n = OpPhi %u32 %u0 %both %next %latch
%all = OpPhi %u32 %before %both %more %latch
%goes_on = OpULessThan %bool %n %u3
{hint}
OpBranchConditional %goes_on %body %end
%body = OpLabel
OpBranchConditional %is_odd %two %one
%two = OpLabel
OpBranch %latch
%one = OpLabel
OpBranch %latch
%latch = OpLabel
%step = OpPhi %u32 %u2 %two %u1 %one
%sum = OpGroupIAdd %u32 %u3 Reduce %step
%more = OpIAdd %u32 %all %sum
%next = OpIAdd %u32 %n %u1
OpBranch %head
%end = OpLabel
%result = OpCopyObject %u32 %all"
        );
        let hinted = body.replace("%end %body", "%end %latch");
        let words = kernel(64, "", &[], &hinted);
        for size in SIZES {
            let run = Run::new(&words)
                .subgroup_size(size)
                .local_size([64, 1, 1])
                .argument("out", &[0u32; 64]);
            let out = run.dispatch([1, 1, 1]).unwrap();
            out.assert_clean();
            let expected = |index: u32| {
                let lanes = index / size * size..(index / size + 1) * size;
                let own = lanes.map(|lane| if lane % 2 == 1 { 10 * lane } else { lane });
                own.sum::<u32>() + 3 * (size + size / 2)
            };
            let expected: Vec<u32> = (0..64).map(expected).collect();
            assert_eq!(out.argument::<u32>("out"), expected, "{size}: {hint}");
        }
    }
}

#[test]
fn contents_of_many_variables() {
    // Each begins with a word that no other has.
    let mut globals = String::from("%ptr_word = OpTypePointer CrossWorkgroup %u32\n");
    let mut body = String::from("%sum0 = OpCopyObject %u32 %u0\n");
    for index in 0..300 {
        globals += &format!(
            "%word{index} = OpConstant %u32 {}
%variable{index} = OpVariable %ptr_word CrossWorkgroup %word{index}\n",
            1000 + index
        );
        body += &format!(
            "%loaded{index} = OpLoad %u32 %variable{index} Aligned 4
%sum{} = OpIAdd %u32 %sum{index} %loaded{index}\n",
            index + 1
        );
    }
    body += "%result = OpCopyObject %u32 %sum300";
    let words = kernel(64, &globals, &[], &body);
    let run = Run::new(&words).argument("out", &[0u32]);
    let out = run.dispatch([1, 1, 1]).unwrap();
    out.assert_clean();
    assert_eq!(out.argument::<u32>("out"), [300 * 1000 + 299 * 150]);
}

#[test]
fn barriers_are_split_in_two() {
    // Each writes, arrives, and reads what its neighbour wrote once all have arrived.
    let globals = "%p_shared = OpTypePointer Workgroup %u32
%sixteen = OpConstant %u32 16
%words = OpTypeArray %u32 %sixteen
%p_words = OpTypePointer Workgroup %words
%shared = OpVariable %p_words Workgroup
%one_ = OpConstant %u32 1
%two_ = OpConstant %u32 2
%fifteen = OpConstant %u32 15
%releases = OpConstant %u32 260
%acquires = OpConstant %u32 258";
    let body = "%own = OpInBoundsAccessChain %p_shared %shared %index
%square = OpIMul %u32 %index %index
OpStore %own %square Aligned 4
OpControlBarrierArriveEXT %two_ %two_ %releases
%next = OpIAdd %u32 %index %one_
%neighbour = OpBitwiseAnd %u32 %next %fifteen
%other = OpInBoundsAccessChain %p_shared %shared %neighbour
OpControlBarrierWaitEXT %two_ %two_ %acquires
%result = OpLoad %u32 %other Aligned 4";
    let words = kernel(64, globals, &[], body);
    for size in [4, 8, 32] {
        let run = Run::new(&words).subgroup_size(size).race(true);
        let run = run.local_size([16, 1, 1]).argument("out", &[0u32; 16]);
        let out = run.dispatch([1, 1, 1]).unwrap();
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        let expected: Vec<u32> = (1..17).map(|it| it % 16 * (it % 16)).collect();
        assert_eq!(out.argument::<u32>("out"), expected);
    }
}

/// `llvm-spirv` makes of each kernel one without names that calls the one with them.
#[test]
fn arguments_have_the_names_of_the_function_that_is_called() {
    let text = "OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %outer \"scale\"
OpName %factor \"factor\"
OpName %numbers \"numbers\"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%global = OpTypePointer CrossWorkgroup %u32
%fn = OpTypeFunction %void %u32 %global
%inner = OpFunction %void None %fn
%factor = OpFunctionParameter %u32
%numbers = OpFunctionParameter %global
%entry = OpLabel
%number = OpLoad %u32 %numbers Aligned 4
%product = OpIMul %u32 %number %factor
OpStore %numbers %product Aligned 4
OpReturn
OpFunctionEnd
%outer = OpFunction %void None %fn
%first = OpFunctionParameter %u32
%second = OpFunctionParameter %global
%start = OpLabel
%call = OpFunctionCall %void %inner %first %second
OpReturn
OpFunctionEnd
";
    let words = assemble(text, &AssembleOptions::default()).unwrap().words;
    let run = Run::new(&words).argument("factor", &[3u32]);
    let out = run.clone().argument("numbers", &[5u32]);
    let out = out.dispatch([1, 1, 1]).unwrap();
    assert_eq!(out.argument::<u32>("numbers"), [15]);
    assert_eq!(out.argument::<u32>(1), [15]);
    let errors = run.dispatch([1, 1, 1]).unwrap_err();
    assert!(errors[0].message().starts_with("argument 1, `numbers`, is"));
    let nameless = text.replace("OpName", ";");
    let words = assemble(&nameless, &AssembleOptions::default())
        .unwrap()
        .words;
    let run = Run::new(&words).argument("factor", &[3u32]);
    let errors = run.dispatch([1, 1, 1]).unwrap_err();
    let expected = "there is no argument `factor`, but 0, 1: the module doesn't name them";
    assert_eq!(errors[0].message(), expected);
}
