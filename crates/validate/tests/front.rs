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
fn a_missing_capability_is_told_once_for_each_opcode() {
    let body = "OpEmitVertex\nOpEmitVertex\nOpEndPrimitive\n";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["capability.instruction", "capability.instruction"]);
}

#[test]
fn disorder_is_told_alone() {
    let broken = rules_broken_by(&format!("{START}{END}OpFunctionEnd\n"));
    assert_eq!(broken, ["layout.function-end"]);
}

#[test]
fn a_module_that_cannot_be_decoded_is_judged_no_further() {
    let body = "%a = OpFAdd %float %one %nowhere\n!0x0001ffff\n";
    let broken = rules_broken_by(&format!("{START}{body}{END}"));
    assert_eq!(broken, ["binary.malformed"]);
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
