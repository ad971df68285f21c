//! Advice is true: with the option that it names, what it is given for is right.

use spirvkit_validate::{Options, Report};

use crate::common::report;

/// A module with a buffer of `%block`, which these lines declare.
fn buffer(class: &str, lines: &str) -> String {
    format!(
        "OpCapability Shader
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{lines}
%pointer = OpTypePointer {class} %block
%buffer = OpVariable %pointer {class}
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
"
    )
}

/// The options that the report's advice names, without dashes; empty where there is
/// none.
fn advised(report: &Report) -> Vec<&str> {
    let helps = report.diagnostics().iter().map(|each| each.help());
    helps
        .map(|help| {
            let option = help.and_then(|help| help.split_once("(`--"));
            option.map_or("", |(_, rest)| rest.split('`').next().unwrap())
        })
        .collect()
}

/// Expects that all that is wrong is of these rules, with advice that makes the
/// module valid, each time the same.
#[track_caller]
fn helps(env: &str, text: &str, rules: &[&str], option: &str) {
    let mut options = Options::for_env(env.parse().unwrap());
    let found = report(text, &options);
    let broken = spirvkit_testing::rules(found.diagnostics());
    assert_eq!(broken, rules);
    assert_eq!(advised(&found), vec![option; rules.len()]);
    options.set(option, "true").unwrap();
    assert_eq!(report(text, &options).diagnostics(), []);
}

/// Expects that all that is wrong is of these rules, that nothing is advised, and
/// that no option would make the module valid.
#[track_caller]
fn nothing_helps(env: &str, text: &str, rules: &[&str]) {
    let options = Options::for_env(env.parse().unwrap());
    let found = report(text, &options);
    let broken = spirvkit_testing::rules(found.diagnostics());
    assert_eq!(broken, rules);
    assert_eq!(advised(&found), vec![""; rules.len()]);
    for option in [
        "relax-block-layout",
        "uniform-buffer-standard-layout",
        "scalar-block-layout",
        "workgroup-scalar-block-layout",
    ] {
        let mut options = options.clone();
        options.set(option, "true").unwrap();
        assert!(!report(text, &options).is_valid(), "{option}");
    }
}

/// A float, and a vector of three behind it at this offset.
fn vector_at(offset: u32) -> String {
    format!(
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset {offset}
%float = OpTypeFloat 32
%vector = OpTypeVector %float 3
%block = OpTypeStruct %float %vector"
    )
}

/// Two floats in an array with this stride, and a float behind it at this offset.
fn array_of(stride: u32, offset: u32) -> String {
    format!(
        "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset {offset}
OpDecorate %array ArrayStride {stride}
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%array = OpTypeArray %float %two
%block = OpTypeStruct %array %float"
    )
}

#[test]
fn relaxed_rules_are_advised_where_they_are_enough() {
    let text = buffer("StorageBuffer", &vector_at(4));
    helps(
        "vulkan1.0",
        &text,
        &["layout.alignment"],
        "relax-block-layout",
    );
}

#[test]
fn scalar_rules_are_advised_where_relaxed_ones_are_not_enough() {
    // Relaxed, it would cross a boundary.
    let text = buffer("StorageBuffer", &vector_at(12));
    helps(
        "vulkan1.0",
        &text,
        &["layout.alignment"],
        "scalar-block-layout",
    );
    let text = buffer("Uniform", &vector_at(12));
    helps(
        "vulkan1.1",
        &text,
        &["layout.straddle"],
        "scalar-block-layout",
    );
}

#[test]
fn standard_rules_are_advised_where_they_are_enough() {
    let text = buffer("Uniform", &array_of(4, 8));
    helps(
        "vulkan1.1",
        &text,
        &["layout.array-stride"],
        "uniform-buffer-standard-layout",
    );
    // What stands in the padding of an array.
    let text = buffer("Uniform", &array_of(16, 20));
    helps(
        "vulkan1.1",
        &text,
        &["layout.overlap"],
        "uniform-buffer-standard-layout",
    );
}

#[test]
fn scalar_rules_are_advised_for_workgroups_by_their_own_name() {
    let text = buffer("Workgroup", &vector_at(12))
        .replace(
            "OpCapability Shader\n",
            "OpCapability Shader\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n\
             OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n",
        )
        .replace("OpDecorate %buffer DescriptorSet 0\n", "")
        .replace("OpDecorate %buffer Binding 0\n", "")
        .replace("\"main\"", "\"main\" %buffer");
    helps(
        "vulkan1.2",
        &text,
        &["layout.straddle"],
        "workgroup-scalar-block-layout",
    );
}

#[test]
fn vectors_within_structures_are_looked_at_again_too() {
    // By relaxed rules the inner structure would be right, but not where it stands.
    let lines = "OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
OpMemberDecorate %inner 0 Offset 0
OpMemberDecorate %inner 1 Offset 4
%float = OpTypeFloat 32
%vector = OpTypeVector %float 2
%inner = OpTypeStruct %float %vector
%block = OpTypeStruct %float %inner";
    helps(
        "vulkan1.0",
        &buffer("StorageBuffer", lines),
        &["layout.alignment"],
        "scalar-block-layout",
    );
}

#[test]
fn nothing_is_advised_where_nothing_helps() {
    // Members that lie upon each other do so by all rules.
    let text = buffer("StorageBuffer", &vector_at(0));
    nothing_helps("vulkan1.0", &text, &["layout.overlap"]);
    let text = buffer("Uniform", &vector_at(0));
    nothing_helps("vulkan1.1", &text, &["layout.overlap"]);
    // Nothing is aligned to less than its components.
    let text = buffer("StorageBuffer", &vector_at(6));
    nothing_helps("vulkan1.0", &text, &["layout.alignment"]);
    // What an option would permit stands beside what none does.
    let text = buffer("Uniform", &array_of(16, 8));
    let text = text.replace("ArrayStride 16", "ArrayStride 2");
    nothing_helps("vulkan1.1", &text, &["layout.array-stride"]);
}
