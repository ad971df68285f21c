//! What devices must have for the stages of a pipeline, and what the last of them captures.

use spirvkit_validate::Example;

use crate::common;

/// The rules of Vulkan that stages break that a piece declares, in a pipeline for such a device.
#[track_caller]
fn broken(frames: &str, piece: &str) -> Vec<String> {
    let example = Example::framed(frames, piece, "").unwrap();
    let options = example.options();
    let words = common::assembled(&example.breaking(), &options).words;
    let report = example.report(&words);
    let vuids = report.diagnostics().iter().map(|it| {
        assert_eq!(
            it.rule().split('.').next(),
            Some("pipeline"),
            "{}",
            it.message()
        );
        it.vuid().unwrap_or_default().to_owned()
    });
    vuids.collect()
}

const GEOMETRY: &str = "OpCapability Geometry
OpCapability GeometryPointSize
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %points \"main\" %size
OpExecutionMode %points InputPoints
OpExecutionMode %points OutputPoints
OpExecutionMode %points OutputVertices 1
OpExecutionMode %points Invocations 1
OpDecorate %size BuiltIn PointSize
%f32_1 = OpConstant %f32 1
%size = OpVariable %out_f32 Output
%points = OpFunction %void None %signature
%points_entry = OpLabel
BODY
OpReturn
OpFunctionEnd";

#[test]
fn geometry_shaders_write_the_size_of_points_that_they_emit() {
    let has =
        "pipeline-device, vulkan1.3 with geometryShader shaderTessellationAndGeometryPointSize";
    let missing = "VUID-VkGraphicsPipelineCreateInfo-shaderTessellationAndGeometryPointSize-08776";
    let with = |body| GEOMETRY.replace("BODY", body);
    let none: [&str; 0] = [];
    assert_eq!(broken(has, &with("OpEmitVertex")), [missing]);
    assert_eq!(
        broken(has, &with("OpStore %size %f32_1\nOpEmitVertex")),
        none
    );
    assert_eq!(
        broken(has, &with("OpEmitVertex\nOpStore %size %f32_1")),
        [missing]
    );
    assert_eq!(broken(has, &with("OpEndPrimitive")), none);
    let default = format!("{has} maintenance5");
    assert_eq!(broken(&default, &with("OpEmitVertex")), none);
}

#[test]
fn the_size_of_tessellated_points_is_written_where_no_geometry_shader_follows() {
    const EVALUATION: &str = "OpCapability Tessellation
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint TessellationControl %control \"main\"
OpEntryPoint TessellationEvaluation %points \"main\" %size
OpExecutionMode %control OutputVertices 3
OpExecutionMode %points Triangles
OpExecutionMode %points PointMode
OpDecorate %size BuiltIn PointSize
%f32_1 = OpConstant %f32 1
%size = OpVariable %out_f32 Output
%points = OpFunction %void None %signature
%points_entry = OpLabel
BODY
OpReturn
OpFunctionEnd";
    let hasnt = "pipeline-device, vulkan1.3 with tessellationShader geometryShader";
    let has = format!("{hasnt} shaderTessellationAndGeometryPointSize");
    let none: [&str; 0] = [];
    let silent = EVALUATION.replace("BODY", "");
    let writes = EVALUATION.replace("BODY", "OpStore %size %f32_1");
    let vuid =
        |number| format!("VUID-VkGraphicsPipelineCreateInfo-TessellationEvaluation-{number}");
    assert_eq!(broken(&has, &silent), [vuid("07723")]);
    assert_eq!(broken(&has, &writes), none);
    assert_eq!(broken(hasnt, &writes), [vuid("07724")]);
    assert_eq!(broken(hasnt, &silent), none);
    let geometry = "OpCapability Geometry
OpEntryPoint Geometry %geometry \"main\"
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 1
";
    assert_eq!(broken(&has, &format!("{geometry}{silent}")), none);
}

#[test]
fn nothing_is_captured_of_meshes_nor_before_the_last_stage() {
    let mesh = "OpCapability MeshShadingEXT
OpCapability TransformFeedback
OpExtension \"SPV_EXT_mesh_shader\"
OpEntryPoint MeshEXT %mesh \"main\"
OpExecutionMode %mesh Xfb
OpExecutionMode %mesh LocalSize 1 1 1
OpExecutionMode %mesh OutputTrianglesEXT
OpExecutionMode %mesh OutputVertices 3
OpExecutionMode %mesh OutputPrimitivesEXT 1
%mesh = OpFunction %void None %signature
%mesh_entry = OpLabel
OpReturn
OpFunctionEnd";
    let vuid = |number| format!("VUID-VkGraphicsPipelineCreateInfo-{number}");
    assert_eq!(broken("pipeline, vulkan1.3", mesh), [vuid("None-02322")]);
    let twice = "OpCapability Geometry
OpCapability TransformFeedback
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %geometry \"main\"
OpExecutionMode %vertex Xfb
OpExecutionMode %geometry Xfb
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 1";
    assert_eq!(
        broken("pipeline, vulkan1.3", twice),
        [vuid("pStages-02317")]
    );
    let first = twice.replace("OpExecutionMode %geometry Xfb\n", "");
    assert_eq!(
        broken("pipeline, vulkan1.3", &first),
        [vuid("pStages-02318")]
    );
}

#[test]
fn patches_and_geometry_shaders_have_at_least_one_of_what_is_counted() {
    let vuid = |number| format!("VUID-VkPipelineShaderStageCreateInfo-stage-{number}");
    let geometry = "OpCapability Geometry
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %geometry \"main\"
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 0";
    assert_eq!(broken("pipeline, vulkan1.3", geometry), [vuid("00715")]);
    let patches = "OpCapability Tessellation
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint TessellationControl %control \"main\"
OpEntryPoint TessellationEvaluation %evaluation \"main\"
OpExecutionMode %control OutputVertices 0
OpExecutionMode %evaluation Triangles";
    assert_eq!(broken("pipeline, vulkan1.3", patches), [vuid("00713")]);
}

#[test]
fn task_shaders_need_their_feature() {
    let task = "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpEntryPoint TaskEXT %task \"main\"
OpEntryPoint MeshEXT %mesh \"main\"
OpExecutionMode %task LocalSize 1 1 1
OpExecutionMode %mesh LocalSize 1 1 1
OpExecutionMode %mesh OutputTrianglesEXT
OpExecutionMode %mesh OutputVertices 3
OpExecutionMode %mesh OutputPrimitivesEXT 1
%task = OpFunction %void None %signature
%task_entry = OpLabel
OpEmitMeshTasksEXT %u32_1 %u32_1 %u32_1
OpFunctionEnd
%mesh = OpFunction %void None %signature
%mesh_entry = OpLabel
OpReturn
OpFunctionEnd";
    let device = "pipeline-device, vulkan1.3 with VK_EXT_mesh_shader";
    let vuid = |number| format!("VUID-VkPipelineShaderStageCreateInfo-stage-{number}");
    assert_eq!(broken(device, task), [vuid("02092"), vuid("02091")]);
    let none: [&str; 0] = [];
    assert_eq!(
        broken(&format!("{device} meshShader taskShader"), task),
        none
    );
}

#[test]
fn mesh_shaders_need_the_feature_of_one_of_their_extensions() {
    let mesh = "OpCapability MeshShadingNV
OpExtension \"SPV_NV_mesh_shader\"
OpEntryPoint MeshNV %mesh \"main\"
OpExecutionMode %mesh LocalSize 1 1 1
OpExecutionMode %mesh OutputTrianglesEXT
OpExecutionMode %mesh OutputVertices 3
OpExecutionMode %mesh OutputPrimitivesEXT 1
%mesh = OpFunction %void None %signature
%mesh_entry = OpLabel
OpReturn
OpFunctionEnd";
    let on = |features: &str| {
        let frame = "pipeline-device, vulkan1.3 with VK_NV_mesh_shader";
        broken(&format!("{frame} {features}"), mesh)
    };
    let vuid = "VUID-VkPipelineShaderStageCreateInfo-stage-02091";
    assert_eq!(on(""), [vuid]);
    let none: [&str; 0] = [];
    assert_eq!(on("meshShader"), none);
    assert_eq!(on("VkPhysicalDeviceMeshShaderFeaturesNV::meshShader"), none);
}

#[test]
fn shading_rates_and_several_viewports_need_a_property() {
    let masks = "OpCapability FragmentShadingRateKHR
OpCapability ShaderViewportMaskNV
OpExtension \"SPV_KHR_fragment_shading_rate\"
OpExtension \"SPV_NV_viewport_array2\"
OpEntryPoint Vertex %own \"main\" %rate %masks
OpDecorate %rate BuiltIn PrimitiveShadingRateKHR
OpDecorate %masks BuiltIn ViewportMaskNV
%array = OpTypeArray %u32 %u32_1
%out_u32 = OpTypePointer Output %u32
%out_array = OpTypePointer Output %array
%rate = OpVariable %out_u32 Output
%masks = OpVariable %out_array Output
%own = OpFunction %void None %signature
%own_entry = OpLabel
OpStore %rate %u32_1
%mask = OpAccessChain %out_u32 %masks %u32_0
OpStore %mask %u32_1
OpReturn
OpFunctionEnd";
    let on = |property: &str| {
        let device = "VK_KHR_fragment_shading_rate VK_NV_viewport_array2 primitiveFragmentShadingRate \
                      shaderOutputViewportIndex multiViewport geometryShader";
        let frame = format!("pipeline-device, vulkan1.3 with {device} {property}");
        broken(&frame, masks)
    };
    let vuid =
        "VUID-VkGraphicsPipelineCreateInfo-primitiveFragmentShadingRateWithMultipleViewports-04505";
    assert_eq!(on(""), [vuid]);
    let none: [&str; 0] = [];
    assert_eq!(
        on("primitiveFragmentShadingRateWithMultipleViewports=true"),
        none
    );
}
