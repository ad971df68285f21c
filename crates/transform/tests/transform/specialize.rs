//! Specialization (specification, section 2.12).

use spirvkit_binary::Id;
use spirvkit_eval::{NotComputable, Reason};
use spirvkit_grammar::Op;
use spirvkit_ir::Module;
use spirvkit_transform::{
    Specialization, SpecializeError, Specialized, Warning, spec_constants, specialize,
};
use spirvkit_validate::{Options, validate};

const HEAD: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %flag \"flag\"
";

const DECORATIONS: &str = "OpDecorate %flag SpecId 0
OpDecorate %size SpecId 1
OpDecorate %byte SpecId 2
";

const TYPES: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%vec2 = OpTypeVector %u32 2
%one = OpConstant %u32 1
%flag = OpSpecConstantTrue %bool
%size = OpSpecConstant %u32 64
%byte = OpSpecConstant %u32 5
%sum = OpSpecConstantOp %u32 IAdd %size %one
%pair = OpSpecConstantComposite %vec2 %sum %one
%both = OpSpecConstantOp %vec2 IMul %pair %pair
%chosen = OpSpecConstantOp %u32 Select %flag %byte %one
";

const BODY: &str = "%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
";

fn module(pieces: &[&str]) -> Module {
    Module::load(&spirvkit_testing::words(&pieces.concat())).unwrap()
}

fn whole() -> Module {
    module(&[HEAD, DECORATIONS, TYPES, BODY])
}

/// The module's lines, which must be valid.
fn show(m: &Module) -> Vec<String> {
    m.verify().unwrap();
    let words = m.store();
    let report = validate(&words, &Options::default());
    assert!(report.is_valid(), "{:?}", report.diagnostics());
    let text = spirvkit_testing::numbered_text(&words);
    text.lines().map(str::to_owned).collect()
}

/// The id of the `n`-th scalar specialization constant.
fn scalar(m: &Module, n: usize) -> Id {
    spec_constants(m)[n].id
}

fn run(m: &mut Module, wanted: &Specialization) -> Specialized {
    specialize(m, wanted).unwrap()
}

fn values(values: &[(Id, u64)]) -> Specialization {
    Specialization::default().values(values.to_vec())
}

fn all_defaults() -> Specialization {
    Specialization::default().all_defaults(true)
}

fn count(m: &Module, op: Op) -> usize {
    m.instructions().filter(|&inst| m.op(inst) == op).count()
}

/// What the constants that make up the result of the last constant are.
fn words_of(m: &Module, id: Id) -> Vec<u32> {
    m.get(m.definition(id).unwrap()).words()[3..].to_vec()
}

#[test]
fn constants_are_listed_with_their_numbers_and_names() {
    let found = spec_constants(&whole());
    let reported: Vec<_> = found
        .iter()
        .map(|constant| {
            (
                constant.spec_id,
                constant.name.as_deref(),
                constant.default.bits(),
            )
        })
        .collect();
    let expected = [
        (Some(0), Some("flag"), 1),
        (Some(1), None, 64),
        (Some(2), None, 5),
    ];
    assert_eq!(reported, expected);
}

#[test]
fn nothing_wanted_changes_nothing() {
    let mut m = whole();
    let before = m.store();
    assert_eq!(
        run(&mut m, &Specialization::default()),
        Specialized::default()
    );
    assert_eq!(m.store(), before);
}

#[test]
fn what_consumes_only_final_constants_becomes_final() {
    let mut m = whole();
    let before = show(&m);
    let size = scalar(&m, 1);
    let done = run(&mut m, &values(&[(size, 7)]));
    // The constant, the sum, the pair and the product; not what hangs on the others.
    assert_eq!((done.finished, done.folded), (4, 0));
    let after = show(&m);
    assert_eq!(count(&m, Op::SpecConstantOp), 1);
    assert_eq!(count(&m, Op::SpecConstantTrue), 1);
    assert_eq!(count(&m, Op::SpecConstant), 1);
    let changed: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    // 7, 7 + 1, the pair, 8 · 8, and the product with that and a 1 that is there.
    assert_eq!(changed.len(), 5, "{changed:?}");
    assert!(after.iter().all(|line| !line.contains("SpecId 1")));
    assert!(after.iter().any(|line| line.contains("SpecId 2")));
    assert!(changed[0].ends_with(" 7") && changed[1].ends_with(" 8"));
    assert!(changed[3].ends_with(" 64") && changed[4].contains("OpConstantComposite"));
}

#[test]
fn scalars_are_replaced_in_their_place() {
    let text = "OpDecorate %a SpecId 3\n%f64 = OpTypeFloat 64\n%a = OpSpecConstant %f64 1.5\n%b = OpSpecConstant %f64 2.5\n";
    let mut m = module(&[
        "OpCapability Linkage\nOpCapability Kernel\nOpCapability Addresses\nOpCapability Float64\nOpMemoryModel Physical64 OpenCL\n",
        text,
    ]);
    let before = m.store();
    let a = scalar(&m, 0);
    run(&mut m, &values(&[(a, (-3.25f64).to_bits())]));
    let after = m.store();
    show(&m);
    // The decoration is gone; of the rest one opcode and two literals differ.
    assert_eq!(after.len(), before.len() - 4);
    let at = before
        .iter()
        .position(|&word| word == 5 << 16 | u32::from(Op::SpecConstant.0));
    let at = at.unwrap();
    assert_eq!(before[at + 5..], after[at + 1..]);
    let bits = (-3.25f64).to_bits();
    let literal = [bits as u32, (bits >> 32) as u32];
    assert_eq!(
        after[at - 4..][..5],
        [
            5 << 16 | u32::from(Op::Constant.0),
            before[at + 1],
            a.0,
            literal[0],
            literal[1],
        ]
    );
}

#[test]
fn defaults_are_taken_where_wanted() {
    let mut m = whole();
    let (flag, byte) = (scalar(&m, 0), scalar(&m, 2));
    let wanted = Specialization::default().freeze(vec![flag, byte]);
    assert_eq!(run(&mut m, &wanted).finished, 3);
    assert_eq!(spec_constants(&m).len(), 1);
    assert_eq!(run(&mut m, &all_defaults()).finished, 4);
    assert!(show(&m).iter().all(|line| !line.contains("Spec")));
}

#[test]
fn values_go_before_defaults() {
    let mut m = whole();
    let flag = scalar(&m, 0);
    let last = m.globals().last().unwrap();
    let chosen = m.result(last).unwrap();
    let mut wanted = all_defaults();
    wanted.values.push((flag, 0));
    run(&mut m, &wanted);
    assert_eq!(words_of(&m, chosen), [1]);
    let mut m = whole();
    wanted.values[0].1 = 0xffff_ffff;
    run(&mut m, &wanted);
    assert_eq!(words_of(&m, chosen), [5]);
}

#[test]
fn small_integers_are_extended() {
    let text = "OpCapability Shader
OpCapability Linkage
OpCapability Int8
OpMemoryModel Logical GLSL450
OpDecorate %a SpecId 3
%i8 = OpTypeInt 8 1
%a = OpSpecConstant %i8 3
%b = OpSpecConstantOp %i8 SNegate %a
";
    let mut m = module(&[text]);
    let a = scalar(&m, 0);
    let b = m.result(m.last().unwrap()).unwrap();
    run(&mut m, &values(&[(a, 0xffff_ff05)]));
    assert_eq!(words_of(&m, a), [5]);
    assert_eq!(words_of(&m, b), [-5i32 as u32]);
    show(&m);
}

#[test]
fn groups_let_final_constants_go() {
    let group = "OpDecorate %group SpecId 4
OpDecorate %group RelaxedPrecision
%group = OpDecorationGroup
OpGroupDecorate %group %size %byte
";
    let head = HEAD.replace("OpName %flag \"flag\"\n", "");
    let types = TYPES.replace("%flag = OpSpecConstantTrue", "%flag = OpConstantTrue");
    let mut m = module(&[&head, group, &types, BODY]);
    let found = spec_constants(&m);
    assert_eq!([found[0].spec_id, found[1].spec_id], [Some(4), Some(4)]);
    run(&mut m, &values(&[(found[0].id, 1)]));
    let text = show(&m);
    // One group keeps the number and who still has it, another has the rest.
    let of = |start: &str, last: Id| {
        let fits = |line: &&String| line.starts_with(start) && line.ends_with(&last.to_string());
        text.iter()
            .find(fits)
            .unwrap()
            .split(' ')
            .collect::<Vec<_>>()
    };
    let (twin, old) = (
        of("OpGroupDecorate", found[0].id),
        of("OpGroupDecorate", found[1].id),
    );
    assert_eq!((twin.len(), old.len()), (3, 3));
    assert!(text.contains(&format!("OpDecorate {} RelaxedPrecision", twin[1])));
    assert!(text.contains(&format!("OpDecorate {} SpecId 4", old[1])));
    assert!(!text.contains(&format!("OpDecorate {} SpecId 4", twin[1])));
}

#[test]
fn many_in_groups_take_a_moment() {
    const COUNT: usize = 20_000;
    let each = |piece: fn(usize) -> String| (0..COUNT).map(piece).collect::<String>();
    let decorations = "OpDecorate %group SpecId 4\n".to_owned()
        + &each(|n| format!("OpDecorateString %group UserSemantic \"{n}\"\n"))
        + "OpDecorate %results RelaxedPrecision
%group = OpDecorationGroup
%results = OpDecorationGroup
OpGroupDecorate %group"
        + &each(|n| format!(" %s{n}"))
        + "\nOpGroupDecorate %results"
        + &each(|n| format!(" %r{n}"))
        + "\n";
    let types = TYPES.to_owned() + &each(|n| format!("%s{n} = OpSpecConstant %u32 {n}\n"));
    let body = "%main = OpFunction %void None %fn\n%entry = OpLabel\n".to_owned()
        + &each(|n| format!("%r{n} = OpIAdd %u32 %s{n} %one\n"))
        + "OpReturn\nOpFunctionEnd\n";
    let head = HEAD.replace(
        "OpMemoryModel",
        "OpExtension \"SPV_GOOGLE_user_type\"\nOpExtension \"SPV_GOOGLE_hlsl_functionality1\"\nOpMemoryModel",
    );
    let mut m = module(&[&head, DECORATIONS, &decorations, &types, &body]);
    let before = m.store().len();
    assert_eq!(run(&mut m, &wanted_defaults_and_fold()).folded, COUNT);
    assert!(m.store().len() < 2 * before);
    let groups = m
        .instructions()
        .filter(|&inst| m.op(inst) == Op::GroupDecorate);
    assert_eq!(groups.count(), 1);
    m.verify().unwrap();
}

#[test]
fn what_is_undefined_gets_a_value_and_a_warning() {
    let types = TYPES.replace("IAdd %size %one", "UDiv %one %size");
    let mut m = module(&[HEAD, DECORATIONS, &types, BODY]);
    let size = scalar(&m, 1);
    let done = run(&mut m, &values(&[(size, 0)]));
    let [Warning::Undefined { id, reason }] = done.warnings[..] else {
        panic!("{:?}", done.warnings);
    };
    assert_eq!(reason, Reason::DivisionByZero);
    assert_eq!(words_of(&m, id), [0]);
    assert_eq!(
        done.warnings[0].to_string(),
        format!(
            "the result of {id} is undefined, because the divisor is zero; it gets the value that implementations commonly give"
        )
    );
    show(&m);
}

#[test]
fn pointers_stay() {
    let text = "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%four = OpConstant %u32 4
%array = OpTypeArray %u32 %four
%ptr_array = OpTypePointer CrossWorkgroup %array
%ptr = OpTypePointer CrossWorkgroup %u32
%variable = OpVariable %ptr_array CrossWorkgroup
%element = OpSpecConstantOp %ptr InBoundsAccessChain %variable %zero
";
    let mut m = module(&[text]);
    let before = m.store();
    let done = run(&mut m, &all_defaults());
    assert!(matches!(
        done.warnings[..],
        [Warning::Kept {
            reason: NotComputable::Pointer(Op::InBoundsAccessChain),
            ..
        }]
    ));
    assert_eq!(m.store(), before);
}

#[test]
fn wrong_wishes_are_refused_and_change_nothing() {
    let mut m = whole();
    let before = m.store();
    let size = scalar(&m, 1);
    let sum = m.result(m.globals().last().unwrap()).unwrap();
    let error = specialize(&mut m, &values(&[(sum, 1)])).unwrap_err();
    assert_eq!(error, SpecializeError::NoSpecConstant(sum));
    let error = specialize(&mut m, &values(&[(size, 1), (size, 2)])).unwrap_err();
    assert_eq!(error, SpecializeError::GivenTwice(size));
    assert!(specialize(&mut m, &values(&[(size, 1), (size, 1)])).is_ok());
    let mut m = whole();
    let mut wanted = Specialization::default();
    wanted.freeze.push(Id(99));
    assert!(specialize(&mut m, &wanted).is_err());
    assert_eq!(m.store(), before);
}

#[test]
fn functions_are_folded_where_all_is_final() {
    let body = "%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpIAdd %u32 %size %one
%b = OpIMul %u32 %a %a
%c = OpIEqual %bool %b %byte
%d = OpCompositeConstruct %vec2 %a %b
%e = OpIAdd %vec2 %d %d
OpSelectionMerge %merge None
OpBranchConditional %c %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn
OpFunctionEnd
";
    let mut m = module(&[HEAD, DECORATIONS, TYPES, body]);
    let size = scalar(&m, 1);
    let mut wanted = values(&[(size, 2)]);
    wanted.fold = true;
    // Not the comparison, on which a specialization constant has a say.
    assert_eq!(run(&mut m, &wanted).folded, 4);
    let text = show(&m);
    assert!(text.iter().any(|line| line.contains("OpIEqual")));
    assert_eq!(run(&mut m, &wanted_defaults_and_fold()).folded, 1);
    show(&m);
    assert_eq!(count(&m, Op::IEqual), 0);
}

fn wanted_defaults_and_fold() -> Specialization {
    let mut wanted = all_defaults();
    wanted.fold = true;
    wanted
}

#[test]
fn other_arithmetic_is_not_folded() {
    let body = "%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpFAdd %f32 %half %half
%b = OpIAdd %u32 %one %one
OpReturn
OpFunctionEnd
";
    let head = HEAD.replace(
        "OpName %flag \"flag\"\n",
        "OpExecutionMode %main RoundingModeRTZ 32\n",
    );
    let head = head.replace(
        "OpMemoryModel",
        "OpCapability RoundingModeRTZ\nOpMemoryModel",
    );
    let types = [
        TYPES,
        "%f32 = OpTypeFloat 32\n%half = OpConstant %f32 0.5\n",
    ]
    .concat();
    let mut m = module(&[&head, &types, body]);
    assert_eq!(run(&mut m, &wanted_defaults_and_fold()).folded, 1);
    assert_eq!(count(&m, Op::FAdd), 1);
    assert_eq!(count(&m, Op::IAdd), 0);
}

#[test]
fn no_small_constants_are_made_without_their_capability() {
    let body = "%main = OpFunction %void None %fn
%entry = OpLabel
%a = OpFConvert %f16 %half
%b = OpFConvert %f32 %a
OpReturn
OpFunctionEnd
";
    let types = [
        TYPES,
        "%f32 = OpTypeFloat 32\n%f16 = OpTypeFloat 16\n%half = OpConstant %f32 0.5\n",
    ]
    .concat();
    let with = |capability: &str| {
        let head = HEAD.replace("OpMemoryModel", &format!("{capability}\nOpMemoryModel"));
        let mut m = module(&[&head, DECORATIONS, &types, body]);
        let folded = run(&mut m, &wanted_defaults_and_fold()).folded;
        show(&m);
        folded
    };
    assert_eq!(with("OpCapability Float16"), 2);
    let storage = "OpCapability StorageInputOutput16\nOpExtension \"SPV_KHR_16bit_storage\"";
    assert_eq!(with(storage), 0);
}

#[test]
fn very_many_constants_take_a_moment() {
    let many: String = (0..50_000)
        .map(|n| {
            format!(
                "%s{n} = OpSpecConstant %u32 {n}\n%o{n} = OpSpecConstantOp %u32 IAdd %s{n} %one\n"
            )
        })
        .collect();
    let ids: String = (0..50_000)
        .map(|n| format!("OpDecorate %s{n} SpecId {n}\n"))
        .collect();
    let mut m = module(&[HEAD, DECORATIONS, &ids, TYPES, &many, BODY]);
    assert_eq!(run(&mut m, &all_defaults()).finished, 100_007);
    assert!(spec_constants(&m).is_empty());
}

/// Data that specialization may change makes what it is part of such, too.
#[test]
fn data_for_specialization_is_not_final() {
    let mut m = module(&[
        "OpCapability Shader
OpCapability ConstantDataKHR
OpExtension \"SPV_KHR_constant_data\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %data SpecId 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%two = OpConstant %u32 2
%pair = OpTypeArray %u32 %two
%pairs = OpTypeArray %pair %two
%fixed = OpConstantComposite %pair %two %two
%data = OpSpecConstantDataKHR %pair 1 2
%both = OpSpecConstantComposite %pairs %data %fixed
",
        BODY,
    ]);
    let before = show(&m);
    assert_eq!(run(&mut m, &all_defaults()).finished, 0);
    assert_eq!(show(&m), before);
}
