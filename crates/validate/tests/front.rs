//! What the first pass over a module promises beyond its rules' examples.

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
