//! What is wrong is found, with the instruction and the invocation.

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::Op;
use spirvkit_interp::{Outcome, Run};

use crate::shader::{run, shader};

/// Expects one finding of this kind, at an instruction with this opcode, with this in its
/// message.
#[track_caller]
fn finds(words: &[u32], out: &Outcome, rule: &str, op: Op, message: &str) {
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, [rule]);
    let found = &out.findings[0];
    assert!(found.message().contains(message), "{}", found.message());
    let index = ModuleIndex::new(words).unwrap();
    let at = found.word_offset().unwrap() as u32;
    assert_eq!(index.inst(at).map(|inst| inst.op()), Some(op));
}

#[test]
fn accesses_beyond_a_buffer() {
    let body = "%beyond = OpIAdd %u32 %index %u1
%at = OpAccessChain %ptr_element %in %u0 %beyond
%result = OpLoad %u32 %at";
    let words = shader("", body);
    let inputs: Vec<u32> = (1..65).collect();
    let out = run(&words, 32, &inputs);
    let message = "reads 4 bytes at offset 256 of `in`, which has 256 bytes; executed by invocation (63, 0, 0)";
    finds(&words, &out, "run.bounds", Op::Load, message);
    // What is there is read all the same, and the rest is zero.
    let mut expected: Vec<u32> = (2..65).collect();
    expected.push(0);
    assert_eq!(out.read::<u32>(0, 1), expected);
}

#[test]
fn indexes_beyond_an_array() {
    let globals = "%array4 = OpTypeArray %u32 %u4
%ptr_array = OpTypePointer Workgroup %array4
%ptr_part = OpTypePointer Workgroup %u32
%numbers = OpVariable %ptr_array Workgroup";
    let body = "%which = OpBitwiseAnd %u32 %value %u4
%at = OpAccessChain %ptr_part %numbers %which
%result = OpLoad %u32 %at";
    let words = shader(globals, body);
    let mut inputs = [0; 64];
    inputs[5] = 4;
    let out = run(&words, 8, &inputs);
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.index", "run.bounds"]);
    assert!(
        out.findings[0]
            .message()
            .contains("the index is 4, but there are 4 elements")
    );
    // What is called by nothing, as blocks of GLSL without an instance are, goes by its id.
    let nameless = shader(&format!("OpName %numbers \"\"\n{globals}"), body);
    let out = run(&nameless, 8, &inputs);
    assert!(out.findings[1].message().contains("of `%"));
}

#[test]
fn divisions_by_zero() {
    let words = shader("", "%result = OpUDiv %u32 %u5 %value");
    let mut inputs = [1; 64];
    inputs[40] = 0;
    let out = run(&words, 32, &inputs);
    finds(
        &words,
        &out,
        "run.division",
        Op::UDiv,
        "the divisor is zero",
    );
    assert!(!out.is_clean());
}

#[test]
fn shifts_by_too_much_are_warned_of() {
    let words = shader("", "%result = OpShiftLeftLogical %u32 %u5 %value");
    let out = run(&words, 32, &[32; 64]);
    finds(
        &words,
        &out,
        "run.undefined",
        Op::ShiftLeftLogical,
        "64 times",
    );
    assert!(out.is_clean());
}

#[test]
fn lanes_that_do_not_take_part_find_nothing() {
    let body = "%is_zero = OpIEqual %bool %value %u0
OpSelectionMerge %merge None
OpBranchConditional %is_zero %merge %divide
%divide = OpLabel
%quotient = OpUDiv %u32 %u64 %value
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %u0 %entry %quotient %divide";
    let inputs: Vec<u32> = (0..64).map(|index| index % 3).collect();
    crate::shader::gives("", body, &inputs, |_, value| {
        64u32.checked_div(value).unwrap_or(0)
    });
}

#[test]
fn barriers_that_not_all_reach() {
    let body = "%low = OpULessThan %bool %index %u31
OpSelectionMerge %merge None
OpBranchConditional %low %wait %merge
%wait = OpLabel
OpControlBarrier %u2 %u2 %u264
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value";
    let words = shader("", body);
    let out = run(&words, 32, &[1; 64]);
    let message = "a part of the workgroup ends without reaching this barrier";
    finds(&words, &out, "run.barrier", Op::ControlBarrier, message);
    assert_eq!(out.read::<u32>(0, 1), [1; 64]);
}

#[test]
fn loops_without_end() {
    let body = "%stays = OpINotEqual %bool %value %u0
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranchConditional %stays %continue %merge
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
%result = OpCopyObject %u32 %value";
    let words = shader("", body);
    let mut inputs = [0; 64];
    inputs[40] = 1;
    let run = Run::new(&words)
        .storage(0, 0, &inputs)
        .zeroed(0, 1, 256)
        .max_steps(100_000);
    let out = run.dispatch([1, 1, 1]).unwrap();
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.livelock"]);
    let message = out.findings[0].message();
    assert!(message.contains("by invocation (40, 0, 0)"), "{message}");
    // One that counts is in no state that it was in before.
    let body = body
        .replace(
            "%loop = OpLabel\n",
            "%loop = OpLabel\n%i = OpPhi %u32 %u0 %entry %next %continue\n",
        )
        .replace(
            "%continue = OpLabel\n",
            "%continue = OpLabel\n%next = OpIAdd %u32 %i %u1\n",
        );
    let words = shader("", &body);
    let run = Run::new(&words)
        .storage(0, 0, &inputs)
        .zeroed(0, 1, 256)
        .max_steps(100_000);
    let out = run.dispatch([1, 1, 1]).unwrap();
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.steps"]);
}

#[test]
fn what_is_not_writable_is_not_written() {
    let words = shader("OpNop", "OpStore %in_at %u1\n%result = OpLoad %u32 %in_at");
    let text = spirvkit_text::disassemble(&words, &Default::default())
        .unwrap()
        .text;
    let text = text.replace(
        "OpDecorate %in Binding 0",
        "OpDecorate %in Binding 0\nOpDecorate %in NonWritable",
    );
    let words = spirvkit_text::assemble(&text, &Default::default())
        .unwrap()
        .words;
    let out = run(&words, 32, &[7; 64]);
    finds(&words, &out, "run.read-only", Op::Store, "`in`");
    assert_eq!(out.read::<u32>(0, 1), [7; 64]);
}

#[test]
fn what_cannot_be_run_is_named() {
    let globals = "OpDecorate %picture DescriptorSet 0
OpDecorate %picture Binding 2
%image = OpTypeImage %f32 SubpassData 0 0 0 2 Unknown
%ptr_image = OpTypePointer UniformConstant %image
%picture = OpVariable %ptr_image UniformConstant";
    let words = shader(
        globals,
        "%loaded = OpLoad %image %picture\n%result = OpCopyObject %u32 %value",
    );
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .zeroed(0, 1, 256);
    let errors = run.dispatch([1, 1, 1]).unwrap_err().into_vec();
    assert_eq!(errors[0].rule(), "run.unsupported");
    assert!(errors[0].message().contains("SubpassData"));
}

#[test]
fn addressing_by_other_models_is_refused() {
    let mut words = shader("", "%result = OpCopyObject %u32 %value");
    let model = words.windows(3).position(|it| it == [3 << 16 | 14, 0, 1]);
    // What no specification has, instead of Logical.
    words[model.unwrap() + 1] = 3;
    let errors = Run::new(&words).dispatch([1, 1, 1]).unwrap_err().into_vec();
    assert_eq!(errors[0].rule(), "run.unsupported");
    assert!(errors[0].message().contains("addressing model"));
}

#[test]
fn what_does_not_match_the_module_is_refused() {
    let words = shader("", "%result = OpCopyObject %u32 %value");
    let message = |run: Run<'_>| {
        let error = run.dispatch([1, 1, 1]).unwrap_err().into_vec().remove(0);
        assert_eq!(error.rule(), "run.interface");
        error.message().to_owned()
    };
    let missing = message(Run::new(&words).storage(0, 0, &[0u32]));
    assert_eq!(missing, "`out` at set 0, binding 1 has no buffer");
    let all = Run::new(&words).dispatch([1, 1, 1]).unwrap_err();
    let all: Vec<&str> = all.iter().map(|error| error.message()).collect();
    assert_eq!(
        all,
        [
            "`in` at set 0, binding 0 has no buffer",
            "`out` at set 0, binding 1 has no buffer"
        ]
    );
    let name = message(Run::new(&words).entry("other"));
    assert_eq!(name, "there is no entry point `other`, but `main`");
    let constant = message(Run::new(&words).spec(3, 1u32));
    assert_eq!(
        constant,
        "there is no specialization constant with SpecId 3"
    );
    let full = Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .zeroed(0, 1, 256);
    for size in [0, 3, 5, 48, 65, 128] {
        let message = message(full.clone().subgroup_size(size));
        let expected = "their number is a power of two from 1 to 64";
        assert_eq!(
            message,
            format!("subgroups of {size} invocations; {expected}")
        );
    }
    let error = full
        .max_memory(1 << 10)
        .dispatch([1, 1, 1])
        .unwrap_err()
        .into_vec()
        .remove(0);
    assert_eq!(error.rule(), "run.unsupported");
    assert!(
        error
            .message()
            .contains("bytes of memory, more than allowed")
    );
}

#[test]
fn offsets_that_wrap_around() {
    let globals = "%u64 = OpTypeInt 64 0\n%far = OpConstant %u64 0x100000001\n%many = OpConstant %u32 0x40000001";
    for index in ["%many", "%far"] {
        let body =
            format!("%at = OpAccessChain %ptr_element %in %u0 {index}\n%result = OpLoad %u32 %at");
        let words = shader(&globals.replace("%u64", "%i64"), &body);
        let out = run(&words, 32, &[7; 64]);
        finds(&words, &out, "run.bounds", Op::Load, "64 times");
        assert_eq!(out.read::<u32>(0, 1), [0; 64]);
    }
}

#[test]
fn entry_points_of_other_models() {
    let words = shader("", "%result = OpCopyObject %u32 %value");
    let text = spirvkit_text::disassemble(&words, &Default::default())
        .unwrap()
        .text;
    let text = text.replace("OpEntryPoint GLCompute", "OpEntryPoint Fragment");
    let words = spirvkit_text::assemble(&text, &Default::default())
        .unwrap()
        .words;
    let errors = Run::new(&words).dispatch([1, 1, 1]).unwrap_err().into_vec();
    assert_eq!(errors[0].rule(), "run.unsupported");
    assert!(errors[0].message().contains("Fragment"));
}

/// What rules forbid and nobody checked, so that it is met in lowering.
#[test]
fn broken_modules_are_refused() {
    let cases = [
        (
            "%i64 = OpTypeInt 64 0\n%big = OpConstant %i64 1",
            "%result = OpAtomicExchange %u32 %shared %u1 %u0 %big",
        ),
        (
            "%empty = OpTypeStruct\n%none = OpConstantNull %empty",
            "%copy = OpCopyLogical %u32 %none\n%result = OpUDot %u32 %copy %copy PackedVectorFormat4x8Bit",
        ),
        (
            "",
            "%at = OpAccessChain %ptr_local %at %u0\n%result = OpLoad %u32 %at",
        ),
        (
            "%empty = OpTypeStruct\n%none = OpConstantNull %empty",
            "OpSelectionMerge %end None\nOpSwitch %none %end\n%end = OpLabel\n%result = OpCopyObject %u32 %value",
        ),
        ("", "%result = OpFunctionCall %u32 %main"),
    ];
    for (globals, body) in cases {
        let words = shader(globals, body);
        let run = Run::new(&words)
            .storage(0, 0, &[0u32; 64])
            .zeroed(0, 1, 256);
        let errors = run.dispatch([1, 1, 1]).unwrap_err().into_vec();
        assert!(
            ["run.invalid", "run.unsupported"].contains(&errors[0].rule()),
            "{body}"
        );
    }
}

/// The rules of all findings.
fn rules(out: &Outcome) -> Vec<&str> {
    out.findings.iter().map(|found| found.rule()).collect()
}

#[test]
fn false_assumptions_and_aborts_are_reported() {
    let body = "%small = OpULessThan %bool %value %u4
OpAssumeTrueKHR %small
%result = OpCopyObject %u32 %value";
    let mut inputs = [0; 64];
    inputs[5] = 4;
    let out = run(&shader("", body), 8, &inputs);
    assert_eq!(rules(&out), ["run.assume"]);
    let body = "%small = OpULessThan %bool %value %u4
OpSelectionMerge %fine None
OpBranchConditional %small %fine %wrong
%wrong = OpLabel
OpAbortKHR %u32 %value
%fine = OpLabel
%result = OpCopyObject %u32 %u1";
    let out = run(&shader("", body), 8, &inputs);
    assert_eq!(rules(&out), ["run.abort"]);
    // The others go on.
    let written = out.read::<u32>(0, 1);
    assert_eq!((written[4], written[5], written[6]), (1, 0, 1));
}

#[test]
fn copies_are_aligned_as_they_promise() {
    // Of two lists of memory operands the second is the source's.
    for (to, from, operands, is_wrong) in [
        ("%u0", "%u4", "Aligned 16", false),
        ("%u0", "%u1", "Aligned 16", true),
        ("%u1", "%u0", "Aligned 16", true),
        ("%u1", "%u5", "Aligned 4", false),
        ("%u0", "%u1", "Aligned 16 Aligned 4", false),
        ("%u0", "%u1", "Aligned 4 Aligned 16", true),
        ("%u1", "%u0", "Aligned 16 Aligned 4", true),
        ("%u1", "%u0", "Aligned 4 Aligned 16", false),
        ("%u0", "%u1", "Volatile Volatile|Aligned 16", true),
        ("%u0", "%u1", "Volatile|Aligned 16 Volatile", false),
    ] {
        let body = format!(
            "%to = OpAccessChain %ptr_element %out %u0 {to}
%from = OpAccessChain %ptr_element %in %u0 {from}
OpCopyMemory %to %from {operands}
%result = OpCopyObject %u32 %u0"
        );
        let words = shader("", &body);
        let out = run(&words, 8, &[7; 64]);
        let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
        let expected: &[&str] = if is_wrong { &["run.alignment"] } else { &[] };
        assert_eq!(rules, expected, "{to} {from} {operands}");
    }
}

/// The input as pairs of numbers, of which there are half as many: in a block whose variable has no
/// name, as front ends have it where there is no instance.
const PAIRS: &str = "OpName %Given \"Given\"
OpName %again \"\"
OpDecorate %again DescriptorSet 0
OpDecorate %again Binding 0
OpDecorate %Given Block
OpMemberDecorate %Given 0 Offset 0
OpDecorate %pairs ArrayStride 8
%pairs = OpTypeRuntimeArray %v2u32
%Given = OpTypeStruct %pairs
%ptr_given = OpTypePointer StorageBuffer %Given
%ptr_pair = OpTypePointer StorageBuffer %v2u32
%again = OpVariable %ptr_given StorageBuffer";

/// A load of a vector is several accesses, but executed once; and the block has a name.
#[test]
fn vectors_beyond_a_block_without_an_instance() {
    let body = "%at = OpAccessChain %ptr_pair %again %u0 %index
%pair = OpLoad %v2u32 %at
%result = OpCompositeExtract %u32 %pair 0";
    let words = shader(PAIRS, body);
    let out = run(&words, 8, &[0; 64]);
    let message = "reads 4 bytes at offset 256 of `Given`, which has 256 bytes; executed 32 times, \
                   first by invocation (32, 0, 0)";
    finds(&words, &out, "run.bounds", Op::Load, message);
}

#[test]
fn buffers_are_given_and_read_as_vectors() {
    let words = shader("", "%result = OpIAdd %u32 %value %u1");
    let numbers: Vec<[u32; 4]> = (0..16).map(|it| [it, 10 + it, 20, 30]).collect();
    let given = Run::new(&words).zeroed(0, 1, 256).storage(0, 0, &numbers);
    let out = given.dispatch([1, 1, 1]).unwrap();
    let vectors = out.read::<[u32; 4]>(0, 1);
    assert_eq!((vectors.len(), vectors[3]), (16, [4, 14, 21, 31]));
    let matrices = out.read::<[[u16; 2]; 4]>(0, 1);
    assert_eq!(matrices[1], [[2, 0], [12, 0], [21, 0], [31, 0]]);
    // Up to the last whole one.
    assert_eq!(out.read::<[u64; 3]>(0, 1).len(), 10);
}
