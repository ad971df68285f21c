//! What the first pass over a module promises beyond its rules' examples.

use spirvkit_grammar::Op;
use spirvkit_text::assemble;
use spirvkit_validate::{Options, validate};

const START: &str = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%float = OpTypeFloat 32
%one = OpConstant %float 1
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
";

const END: &str = "OpReturn
OpFunctionEnd
";

fn rules_broken_by(text: &str) -> Vec<&'static str> {
    let module = assemble(text, &Default::default()).unwrap();
    let report = validate(&module.words, &Options::default());
    report.diagnostics().iter().map(|d| d.rule()).collect()
}

#[test]
fn an_undefined_id_is_told_once() {
    let body = "%a = OpFAdd %float %one %nowhere
%b = OpFMul %float %nowhere %one
%c = OpFNegate %float %nowhere
";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["id.undefined"]);
}

#[test]
fn the_type_of_a_literal_may_be_a_value_by_mistake() {
    for (ty, what) in [
        ("%one", "is not an integer or float"),
        ("%nowhere", "is not defined"),
    ] {
        let text = START.replace(
            "%type =",
            &format!("!0x0004002b {ty} %constant !5\n%type ="),
        );
        let module = assemble(&format!("{text}{END}"), &Default::default()).unwrap();
        let report = validate(&module.words, &Options::default());
        let mut reported = report.diagnostics().iter().map(|d| d.message());
        assert!(reported.any(|message| message.contains(what)), "{ty}");
    }
}

#[test]
fn a_missing_capability_is_told_once() {
    let body = "OpEmitVertex\nOpEmitVertex\nOpEndPrimitive\n";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["capability.instruction"]);
}

#[test]
fn disorder_is_told_alone() {
    let broken = rules_broken_by(&format!("{START}{END}OpFunctionEnd\n"));
    assert_eq!(broken, ["layout.function-end"]);
}

#[test]
fn what_stands_before_an_unreadable_rest_is_judged() {
    let body = "%a = OpFAdd %float %one %nowhere\n!0x0001ffff\n!0\n";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(
        broken,
        ["id.undefined", "binary.malformed", "binary.malformed"]
    );
}

#[test]
fn an_undecodable_instruction_leaves_the_others_to_be_judged() {
    // A function control that nobody knows, and an unrelated mistake.
    let start = START.replace("%void None %type", "%void !0x8000 %type");
    let broken = rules_broken_by(&format!("{start}%a = OpIAdd %float %one %one\n{END}"));
    assert_eq!(broken, ["binary.malformed", "arithmetic.integer-result"]);
}

#[test]
fn disorder_leaves_other_functions_to_be_judged() {
    let other = "%other = OpFunction %void None %type
%there = OpLabel
%a = OpIAdd %float %one %one
";
    let broken = rules_broken_by(&format!("{START}OpFunctionEnd\n{other}{END}"));
    assert_eq!(broken, ["layout.block-end", "arithmetic.integer-result"]);
}

#[test]
fn a_misplaced_instruction_leaves_all_others_to_be_judged() {
    let body = "OpCapability Matrix\n%a = OpIAdd %float %one %one\n";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["layout.sections", "arithmetic.integer-result"]);
}

#[test]
fn what_follows_from_an_error_is_not_told() {
    let body = "%a = OpFAdd %void %one %one
%b = OpFNegate %float %a
%c = OpFMul %float %b %a
";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["arithmetic.float-result"]);
}

#[test]
fn independent_errors_are_told_at_once() {
    let body = "%a = OpIAdd %float %one %one
%b = OpNot %float %one
";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["arithmetic.integer-result", "bits.result"]);
}

#[test]
fn what_is_merely_odd_is_a_warning() {
    let start = START.replace("OpMemoryModel", "OpExtension \"SPV_X\"\nOpMemoryModel");
    let module = assemble(&format!("{start}{END}"), &Default::default()).unwrap();
    let report = validate(&module.words, &Options::default());
    assert!(report.is_valid());
    assert_eq!(report.diagnostics().len(), 1);
    assert_eq!(report.diagnostics()[0].rule(), "extension.unknown");
}

#[test]
fn an_instruction_that_ends_too_early_may_use_id_0() {
    let text = "OpCapability Shader
OpCapability Linkage
OpCapability TensorAddressingNV
OpExtension \"SPV_NV_tensor_addressing\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%layout = OpTypeTensorLayoutNV %one %one
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
%zero = OpCreateTensorLayoutNV %layout
%short = OpTensorLayoutSetStrideNV %layout %zero %one
OpReturn
OpFunctionEnd
";
    let mut words = assemble(text, &Default::default()).unwrap().words;
    let start = |words: &[u32], op: Op| {
        let is_op = |word: &u32| *word as u16 == op.0 && *word >> 16 > 0;
        words.iter().position(is_op).unwrap()
    };
    let create = start(&words, Op::CreateTensorLayoutNV);
    words[create + 2] = 0;
    let short = start(&words, Op::TensorLayoutSetStrideNV);
    words[short] = 3 << 16 | u32::from(Op::TensorLayoutSetStrideNV.0);
    words.drain(short + 3..short + 5);
    assert!(!validate(&words, &Options::default()).is_valid());
}
