//! Modules with very much of what Vulkan's rules are about: each takes a moment if the work grows
//! with the module, and minutes if it grows with the product of two sizes.

use spirvkit_testing::words;
use spirvkit_validate::{Options, validate};

const COUNT: usize = 20_000;

/// For each number below `count` a piece of text.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

/// How often a rule is broken in a module.
fn count(rule: &str, text: &str) -> usize {
    let mut options = Options::for_env("vulkan1.3".parse().unwrap());
    options.max_errors = 0;
    options.limits.struct_members = u32::MAX;
    let report = validate(&words(text), &options);
    let found = report.diagnostics().iter();
    found.filter(|it| it.rule() == rule).count()
}

#[test]
fn chains_into_a_structure_of_many_matrices() {
    let decorations = each(COUNT, |index| {
        format!(
            "OpMemberDecorate %block {index} Offset {}\nOpMemberDecorate %block {index} MatrixStride 16\n\
             OpMemberDecorate %block {index} RowMajor\n",
            64 * index
        )
    });
    let chains = each(COUNT, |index| {
        format!(
            "%part{index} = OpAccessChain %ptr_column %buffer %last %zero\n%value{index} = OpLoad %v4f32 %part{index}\n"
        )
    });
    let text = format!(
        "OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{decorations}%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%last = OpConstant %u32 {}
%f32 = OpTypeFloat 32
%v4f32 = OpTypeVector %f32 4
%mat4 = OpTypeMatrix %v4f32 4
%block = OpTypeStruct{}
%ptr = OpTypePointer StorageBuffer %block
%ptr_column = OpTypePointer StorageBuffer %v4f32
%buffer = OpVariable %ptr StorageBuffer
%main = OpFunction %void None %fn
%label = OpLabel
{chains}%copy = OpCopyObject %ptr_column %part7
OpReturn
OpFunctionEnd
",
        COUNT - 1,
        " %mat4".repeat(COUNT)
    );
    assert_eq!(count("access-chain.row-major", &text), 1);
}

/// A vertex shader with many variables that are a built-in of an array type, and a load of a
/// part of each by an index that is no constant.
fn per_view(variables: usize) -> String {
    let decorations = each(variables, |index| {
        format!("OpDecorate %position{index} BuiltIn PositionPerViewNV\n")
    });
    let declared = each(variables, |index| {
        format!("%position{index} = OpVariable %ptr Output\n")
    });
    let chains = each(variables, |index| {
        format!("%place{index} = OpAccessChain %ptr_one %position{index} %vertex\n")
    });
    format!(
        "OpCapability Shader
OpCapability PerViewAttributesNV
OpExtension \"SPV_NVX_multiview_per_view_attributes\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %index
OpDecorate %index BuiltIn VertexIndex
{decorations}%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%two = OpConstant %u32 2
%f32 = OpTypeFloat 32
%v4f32 = OpTypeVector %f32 4
%views = OpTypeArray %v4f32 %two
%ptr = OpTypePointer Output %views
%ptr_one = OpTypePointer Output %v4f32
%ptr_index = OpTypePointer Input %u32
%index = OpVariable %ptr_index Input
{declared}%main = OpFunction %void None %fn
%label = OpLabel
%vertex = OpLoad %u32 %index
{chains}OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn many_built_ins_for_views() {
    assert_eq!(count("builtin.view-index", &per_view(COUNT)), COUNT);
}

#[test]
fn many_decorations_as_built_ins() {
    let repeated = |built_in: &str, target: &str| {
        format!("OpDecorate %{target} BuiltIn {built_in}\n").repeat(COUNT)
    };
    let of_viewports = repeated("ViewportMaskNV", "mask") + &repeated("ViewportIndex", "index");
    let viewports = format!(
        "OpCapability MultiViewport
OpCapability ShaderViewportMaskNV
OpCapability ShaderViewportIndexLayerEXT
OpExtension \"SPV_NV_viewport_array2\"
OpExtension \"SPV_EXT_shader_viewport_index_layer\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %mask %index
{of_viewports}%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%array = OpTypeArray %u32 %one
%ptr_array = OpTypePointer Output %array
%ptr = OpTypePointer Output %u32
%mask = OpVariable %ptr_array Output
%index = OpVariable %ptr Output
%main = OpFunction %void None %fn
%label = OpLabel
%place = OpAccessChain %ptr %mask %zero
OpStore %index %zero
OpReturn
OpFunctionEnd
"
    );
    assert_eq!(count("builtin.viewport-mask", &viewports), 1);
    let rays = format!(
        "OpCapability RayTracingKHR
OpCapability GroupNonUniformBallot
OpExtension \"SPV_KHR_ray_tracing\"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main \"main\" %mask
{}%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v4u32 = OpTypeVector %u32 4
%ptr = OpTypePointer Input %v4u32
%mask = OpVariable %ptr Input
%main = OpFunction %void None %fn
%label = OpLabel
{}OpReturn
OpFunctionEnd
",
        repeated("SubgroupEqMask", "mask"),
        each(COUNT, |index| format!(
            "%value{index} = OpLoad %v4u32 %mask\n"
        )),
    );
    assert_eq!(count("builtin.volatile", &rays), 1);
}
