//! Values: each once, simplified, with decorations that hold for all that it stands for.

use spirvkit_opt::{Float, Options, optimize};
use spirvkit_testing::{text, words};

use super::frame::{becomes, module, optimized};

#[test]
fn equal_values_are_computed_once() {
    becomes(
        "%a1 = OpLoad %float %a
%b1 = OpLoad %float %b
%x = OpFAdd %float %a1 %b1
%y = OpFAdd %float %b1 %a1
%z = OpFMul %float %x %y
OpStore %o %z
OpReturn",
        "%1 = OpLoad %float %a
%2 = OpLoad %float %b
%3 = OpFAdd %float %1 %2
%4 = OpFMul %float %3 %3
OpStore %o %4
OpReturn",
    );
}

#[test]
fn constants_are_computed() {
    becomes(
        "%x = OpIAdd %int %1 %1
%y = OpIMul %int %x %x
%z = OpISub %int %y %2
OpStore %k %z
OpReturn",
        "OpStore %k %int_2
OpReturn",
    );
}

/// The decorations of the sum of two equal ones.
fn decorations(of_x: &str, of_y: &str) -> Vec<String> {
    let line = |id: &str, decorations: &str| -> String {
        let each = decorations.split_whitespace();
        each.map(|it| format!("OpDecorate %{id} {it}\n")).collect()
    };
    let module = module(
        &(line("x", of_x) + &line("y", of_y)),
        "",
        "%a1 = OpLoad %float %a
%b1 = OpLoad %float %b
%x = OpFAdd %float %a1 %b1
%y = OpFAdd %float %a1 %b1
%z = OpFMul %float %x %y
OpStore %o %z
OpReturn",
    );
    let capability =
        "OpCapability ShaderNonUniform\nOpExtension \"SPV_EXT_descriptor_indexing\"\nOpMemoryModel";
    let module = module.replace("OpMemoryModel", capability);
    let text = text(&optimized(&module));
    let sums = text.lines().filter(|line| line.contains("OpFAdd"));
    let sums: Vec<&str> = sums.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(sums.len(), 1, "{text}");
    let start = format!("OpDecorate {} ", sums[0]);
    let found = text.lines().filter_map(|line| line.strip_prefix(&start));
    found.map(str::to_owned).collect()
}

#[test]
fn decorations_of_equal_values_are_merged() {
    let none: [&str; 0] = [];
    // What is permitted of both.
    assert_eq!(decorations("RelaxedPrecision", ""), none);
    assert_eq!(
        decorations("RelaxedPrecision", "RelaxedPrecision"),
        ["RelaxedPrecision"]
    );
    // What is forbidden or needed of either.
    assert_eq!(decorations("NonUniform", ""), ["NonUniform"]);
    assert_eq!(decorations("", "NonUniform"), ["NonUniform"]);
    assert_eq!(decorations("NoContraction", ""), ["NoContraction"]);
    assert_eq!(decorations("", "NoContraction"), ["NoContraction"]);
    assert_eq!(
        decorations("RelaxedPrecision NoContraction", "RelaxedPrecision"),
        ["RelaxedPrecision", "NoContraction"]
    );
}

#[test]
fn functions_of_constants_are_computed_where_any_precise_result_will_do() {
    let body = "%x = OpExtInst %float %glsl Cos %f1
OpStore %o %x
OpReturn";
    let module = module("", "", body).replace(
        "OpMemoryModel",
        "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel",
    );
    assert!(text(&optimized(&module)).contains("Cos"));
    let options = Options::default().float(Float::Api);
    let after = optimize(&words(&module), &options).unwrap().words;
    // cos 1 is 0.540302…
    let text = text(&after);
    assert!(
        !text.contains("Cos") && text.contains("OpConstant %float 0.5403"),
        "{text}"
    );
}

#[test]
fn constants_that_are_cooperative_matrices_are_computed() {
    let module = "; Version: 1.3
OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_KHR_vulkan_memory_model\"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %Data Block
OpMemberDecorate %Data 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%0 = OpConstant %uint 0
%3 = OpConstant %uint 3
%8 = OpConstant %uint 8
%f2 = OpConstant %float 2
%f3 = OpConstant %float 3
%tile = OpTypeCooperativeMatrixKHR %float %3 %8 %8 %0
%twos = OpConstantComposite %tile %f2
%floats = OpTypeRuntimeArray %float
%Data = OpTypeStruct %floats
%to_data = OpTypePointer StorageBuffer %Data
%to_float = OpTypePointer StorageBuffer %float
%data = OpVariable %to_data StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%threes = OpCompositeConstruct %tile %f3
%sixes = OpFMul %tile %twos %threes
%at = OpAccessChain %to_float %data %0 %0
OpCooperativeMatrixStoreKHR %at %sixes %0 %8
OpReturn
OpFunctionEnd
";
    let found = text(&optimized(module));
    assert!(!found.contains("OpFMul"), "{found}");
    assert_eq!(found.matches("OpConstantComposite").count(), 1, "{found}");
    assert!(found.contains("%float_6 = OpConstant %float 6"), "{found}");
}
