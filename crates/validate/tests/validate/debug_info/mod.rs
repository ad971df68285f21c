//! Debugging information in the three sets: which operands are taken where.

mod aside;
mod every_set;
mod first_set;
mod opencl_set;
mod shader_set;
mod structure;

use spirvkit_diagnostics::Severity;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Options, validate};

/// The rules that a module breaks, in order: first those that make it invalid, then
/// those that are only worth a warning.
fn checked(text: &str) -> [Vec<&'static str>; 2] {
    let assembled = assemble(text, &AssembleOptions::default());
    let module = assembled.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, &options());
    let of = |severity: Severity| {
        let diagnostics = report.diagnostics().iter();
        let found = diagnostics.filter(|diagnostic| diagnostic.severity() == severity);
        found.map(|diagnostic| diagnostic.rule()).collect()
    };
    [of(Severity::Error), of(Severity::Warning)]
}

/// The rules that a module breaks, in order.
fn broken_rules(text: &str, options: &Options) -> Vec<&'static str> {
    let assembled = assemble(text, &AssembleOptions::default());
    let module = assembled.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, options);
    let diagnostics = report.diagnostics().iter();
    diagnostics.map(|diagnostic| diagnostic.rule()).collect()
}

fn options() -> Options {
    Options::for_env("spv1.6".parse().unwrap())
}

/// A module that imports the set as `%set`, with debugging instructions before
/// the functions and in one.
fn module(set: &str, global: &str, body: &str) -> String {
    let expand = |lines: &str| -> String {
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| {
                line.replace("Debug(", "OpExtInst %void %set Debug")
                    .replace(')', "")
                    + "\n"
            })
            .collect()
    };
    format!(
        "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
OpExtension \"SPV_KHR_relaxed_extended_instruction\"
%set = OpExtInstImport \"{set}\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%name = OpString \"name\"
%text = OpString \"one
three
\"
%more = OpString \"and
more\"
%counted = OpString \"#line 100\"
%at_sign = OpString \"@image\"
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%ptr_Private_f32 = OpTypePointer Private %f32
%ptr_Function_f32 = OpTypePointer Function %f32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%u6 = OpConstant %u32 6
%u7 = OpConstant %u32 7
%bits = OpConstant %u32 32
%f1 = OpConstant %f32 1
%bool = OpTypeBool
%true = OpConstantTrue %bool
%private = OpVariable %ptr_Private_f32 Private
{}%other = OpFunction %void None %main_type
%other_entry = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %main_type
%entry = OpLabel
%variable = OpVariable %ptr_Function_f32 Function
{}OpReturn
OpFunctionEnd
",
        expand(global),
        expand(body)
    )
}
