//! Limits of devices for the stages of a pipeline, and what its other stages pass.

use spirvkit_grammar::ExecutionModel;
use spirvkit_testing::words;
use spirvkit_validate::{Example, Options, Pipeline, Stage, device_needs};
use spirvkit_vulkan::{
    Binding, DescriptorType, Device, Limit, PipelineLayout, Requirements, SetLayout, ShaderStages,
    Value,
};

use crate::common;

/// What stages that a piece declares break on a device on which a limit has this value.
#[track_caller]
fn on(piece: &str, limit: &str, value: u32) -> Vec<String> {
    found(piece, None, limit, value)
}

#[track_caller]
fn found(piece: &str, layout: Option<&PipelineLayout>, limit: &str, value: u32) -> Vec<String> {
    let example = Example::framed("pipeline, vulkan1.3", piece, "").unwrap();
    let mut options = Options::for_env("vulkan1.3".parse().unwrap());
    let mut device = Device::with_everything("the device");
    device.set_limit(Limit::named(limit).unwrap(), Value::Number(value.into()));
    let text = example.breaking();
    let words = common::assembled(&text, &options).words;
    let alone = common::report(&text, &options);
    assert!(alone.diagnostics().is_empty(), "{:?}", alone.diagnostics());
    options.devices.push(device);
    let stages = Pipeline::new([Stage::new(&words)]);
    let report = match layout {
        Some(layout) => stages.layout(layout).check(&options),
        None => stages.check(&options),
    };
    let together = report.diagnostics().iter().map(|it| &it.diagnostic);
    let alone = common::report(&text, &options);
    let all = alone.diagnostics().iter().chain(together);
    all.map(|it| {
        assert_eq!(it.rule(), "pipeline.limit", "{}", it.message());
        it.vuid().unwrap_or_default().to_owned()
    })
    .collect()
}

/// Checks that a piece is accepted up to a value of a limit, and then breaks this rule of Vulkan.
#[track_caller]
fn at_least(piece: &str, limit: &str, least: u32, vuid: &str) {
    let none: [String; 0] = [];
    assert_eq!(on(piece, limit, least), none, "{limit}");
    let vuid = match vuid {
        "" => String::new(),
        _ => format!("VUID-{vuid}"),
    };
    assert_eq!(on(piece, limit, least - 1), [vuid], "{limit}");
}

#[test]
fn devices_limit_single_stages_without_a_pipeline() {
    let piece = "OpEntryPoint Vertex %vertex \"main\" %out
OpDecorate %out Location 5
%out = OpVariable %out_vec4 Output";
    let text = Example::framed("pipeline, vulkan1.3", piece, "")
        .unwrap()
        .breaking();
    let found = |components: u32, devices: usize| {
        let mut options = Options::for_env("vulkan1.3".parse().unwrap());
        let mut device = Device::with_everything("the device");
        let limit = Limit::named("maxVertexOutputComponents").unwrap();
        device.set_limit(limit, Value::Number(components.into()));
        options.devices = vec![device; devices];
        let report = common::report(&text, &options);
        let all = report.diagnostics().iter();
        all.map(|it| it.rule().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(24, 1), [""; 0]);
    assert_eq!(found(23, 1), ["pipeline.limit"]);
    assert_eq!(found(23, 2), ["pipeline.limit"]);
}

/// The least device is exactly so large, and no larger than all devices are.
#[test]
fn the_least_device_has_what_single_stages_need() {
    let least = |location: u32| {
        let piece = format!(
            "OpEntryPoint Vertex %vertex \"main\" %out
OpDecorate %out Location {location}
%out = OpVariable %out_vec4 Output"
        );
        let example = Example::framed("pipeline, vulkan1.3", &piece, "").unwrap();
        let options = Options::for_env("vulkan1.3".parse().unwrap());
        let words = common::assembled(&example.breaking(), &options).words;
        let mut device = Requirements::of_needs(device_needs(&words).unwrap()).device;
        device.set_version((1, 3));
        let accepts = |device: &Device| {
            let mut options = options.clone();
            options.devices.push(device.clone());
            common::report(&example.breaking(), &options).is_valid()
        };
        assert!(accepts(&device), "{location}");
        let limit = Limit::named("maxVertexOutputComponents").unwrap();
        device.remove_limit(limit);
        accepts(&device)
    };
    assert!(least(15));
    assert!(!least(16));
}

#[test]
fn locations_are_limited_for_each_stage() {
    let vuid = "RuntimeSpirv-Location-06272";
    let vertex = "OpEntryPoint Vertex %vertex \"main\" %out %in
OpDecorate %out Location 5
OpDecorate %in Location 7
%two = OpTypeArray %vec4 %u32_2
%to_two = OpTypePointer Output %two
%out = OpVariable %to_two Output
%in = OpVariable %in_vec4 Input";
    at_least(vertex, "maxVertexOutputComponents", 28, vuid);
    at_least(vertex, "maxVertexInputAttributes", 8, vuid);
    let fragment = "OpEntryPoint Fragment %fragment \"main\" %out
OpExecutionMode %fragment OriginUpperLeft
OpDecorate %out Location 3
%out = OpVariable %out_vec4 Output";
    at_least(fragment, "maxFragmentOutputAttachments", 4, vuid);
    let patches = "OpCapability Tessellation
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint TessellationControl %control \"main\" %out
OpEntryPoint TessellationEvaluation %evaluation \"main\"
OpExecutionMode %control OutputVertices 9
OpExecutionMode %evaluation Triangles
OpDecorate %out Location 2
OpDecorate %out Patch
%out = OpVariable %out_vec4 Output";
    let limit = "maxTessellationControlPerPatchOutputComponents";
    at_least(patches, limit, 12, vuid);
    let vuid = "VkPipelineShaderStageCreateInfo-stage-00713";
    at_least(patches, "maxTessellationPatchSize", 9, vuid);
}

#[test]
fn built_ins_have_room_beside_locations() {
    let vuid = "RuntimeSpirv-Location-06272";
    let vertex = "OpEntryPoint Vertex %vertex \"main\" %out %built_ins
OpDecorate %out Location 2
OpDecorate %out Component 1
OpDecorate %written Block
OpMemberDecorate %written 0 BuiltIn Position
OpMemberDecorate %written 1 BuiltIn PointSize
%written = OpTypeStruct %vec4 %f32
%out_written = OpTypePointer Output %written
%out = OpVariable %out_f32 Output
%built_ins = OpVariable %out_written Output";
    at_least(vertex, "maxVertexOutputComponents", 2 * 4 + 2 + 5, vuid);
    let fragment = "OpEntryPoint Fragment %fragment \"main\" %in %place
OpExecutionMode %fragment OriginUpperLeft
OpDecorate %in Location 3
OpDecorate %place BuiltIn PointCoord
%in = OpVariable %in_vec4 Input
%place = OpVariable %in_vec2 Input";
    at_least(fragment, "maxFragmentInputComponents", 4 * 4 + 2, vuid);
    // Tessellation is left out, and so are built-ins without anything beside them.
    let alone = "OpEntryPoint Vertex %vertex \"main\" %out
OpDecorate %out BuiltIn Position
%out = OpVariable %out_vec4 Output";
    let none: [String; 0] = [];
    assert_eq!(on(alone, "maxVertexOutputComponents", 1), none);
}

#[test]
fn geometry_and_distances_are_limited() {
    let geometry = "OpCapability Geometry
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %geometry \"main\"
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 5
OpExecutionMode %geometry Invocations 3";
    let vuid = "VkPipelineShaderStageCreateInfo-stage-00714";
    at_least(geometry, "maxGeometryOutputVertices", 5, vuid);
    let vuid = "VkPipelineShaderStageCreateInfo-stage-00715";
    at_least(geometry, "maxGeometryShaderInvocations", 3, vuid);
    let distances = "OpCapability ClipDistance
OpCapability CullDistance
OpEntryPoint Vertex %vertex \"main\" %clip %cull
OpDecorate %clip BuiltIn ClipDistance
OpDecorate %cull BuiltIn CullDistance
%two = OpTypeArray %f32 %u32_2
%three = OpTypeArray %f32 %u32_3
%to_two = OpTypePointer Output %two
%to_three = OpTypePointer Output %three
%clip = OpVariable %to_three Output
%cull = OpVariable %to_two Output";
    let stage = "VkPipelineShaderStageCreateInfo";
    let vuid = format!("{stage}-maxClipDistances-00708");
    at_least(distances, "maxClipDistances", 3, &vuid);
    let vuid = format!("{stage}-maxCullDistances-00709");
    at_least(distances, "maxCullDistances", 2, &vuid);
    let vuid = format!("{stage}-maxCombinedClipAndCullDistances-00710");
    at_least(distances, "maxCombinedClipAndCullDistances", 5, &vuid);
}

#[test]
fn sample_masks_are_limited() {
    let vuid = "VkPipelineShaderStageCreateInfo-maxSampleMaskWords-00711";
    for (class, flat) in [("Output", ""), ("Input", "OpDecorate %masks Flat")] {
        let piece = format!(
            "OpEntryPoint Fragment %fragment \"main\" %masks
OpExecutionMode %fragment OriginUpperLeft
OpDecorate %masks BuiltIn SampleMask
{flat}
%array = OpTypeArray %i32 %u32_2
%pointer = OpTypePointer {class} %array
%masks = OpVariable %pointer {class}"
        );
        at_least(&piece, "maxSampleMaskWords", 2, vuid);
    }
}

#[test]
fn descriptors_and_push_constants_are_limited() {
    let uses = "OpEntryPoint Fragment %reads \"main\" %buffers %pushed %out %combined
OpExecutionMode %reads OriginUpperLeft
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 4
OpDecorate %buffers DescriptorSet 2
OpDecorate %buffers Binding 0
OpDecorate %combined DescriptorSet 0
OpDecorate %combined Binding 0
OpDecorate %out Location 0
%block = OpTypeStruct %f32
%blocks = OpTypeArray %block %u32_3
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%to_buffers = OpTypePointer StorageBuffer %blocks
%to_float = OpTypePointer StorageBuffer %f32
%to_pushed = OpTypePointer PushConstant %block
%to_sampled = OpTypePointer UniformConstant %sampled
%buffers = OpVariable %to_buffers StorageBuffer
%pushed = OpVariable %to_pushed PushConstant
%combined = OpVariable %to_sampled UniformConstant
%out = OpVariable %out_vec4 Output
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
%at = OpAccessChain %to_float %buffers %u32_0 %u32_0
%one = OpLoad %f32 %at
%two = OpLoad %block %pushed
%three = OpLoad %sampled %combined
OpReturn
OpFunctionEnd";
    at_least(uses, "maxBoundDescriptorSets", 3, "");
    at_least(uses, "maxPushConstantsSize", 8, "");
    at_least(uses, "maxPerStageDescriptorStorageBuffers", 3, "");
    at_least(uses, "maxPerStageDescriptorSamplers", 1, "");
    at_least(uses, "maxPerStageDescriptorSampledImages", 1, "");
    // Three buffers, an image and an output.
    at_least(uses, "maxPerStageResources", 5, "");
    let vuid = "RuntimeSpirv-Location-06428";
    at_least(uses, "maxFragmentCombinedOutputResources", 4, vuid);
}

#[test]
fn resources_of_a_layout_are_limited_whether_they_are_used_or_not() {
    let compute =
        "OpEntryPoint GLCompute %vertex \"main\"\nOpExecutionMode %vertex LocalSize 1 1 1";
    let rays = "OpCapability RayTracingKHR
OpExtension \"SPV_KHR_ray_tracing\"
OpEntryPoint RayGenerationKHR %vertex \"main\"";
    let pieces = [
        (
            "OpEntryPoint Vertex %vertex \"main\"",
            "VkGraphicsPipelineCreateInfo-layout-01688",
        ),
        (compute, "VkComputePipelineCreateInfo-layout-01687"),
        (rays, "VkRayTracingPipelineCreateInfoKHR-layout-03428"),
    ];
    let images = Binding {
        count: 7,
        ..Binding::new(0, DescriptorType::SAMPLED_IMAGE)
    };
    let bytes = Binding {
        count: 256,
        ..Binding::new(1, DescriptorType::INLINE_UNIFORM_BLOCK)
    };
    let others = Binding {
        stages: ShaderStages::of(ExecutionModel::Fragment),
        ..Binding::new(2, DescriptorType::STORAGE_BUFFER)
    };
    let layout = PipelineLayout {
        sets: vec![SetLayout {
            bindings: vec![images, bytes, others],
        }],
        ..PipelineLayout::default()
    };
    for (piece, vuid) in pieces {
        let on = |value: u32| found(piece, Some(&layout), "maxPerStageResources", value);
        let none: [String; 0] = [];
        assert_eq!(on(8), none);
        assert_eq!(on(7), [format!("VUID-{vuid}")]);
    }
}

#[test]
fn transform_feedback_is_limited() {
    let captures = "OpCapability TransformFeedback
OpEntryPoint Vertex %vertex \"main\" %one %other
OpExecutionMode %vertex Xfb
OpDecorate %one Location 0
OpDecorate %one XfbBuffer 1
OpDecorate %one XfbStride 48
OpDecorate %one Offset 32
OpDecorate %other Location 1
OpDecorate %other XfbBuffer 0
OpDecorate %other XfbStride 8
OpDecorate %other Offset 0
%one = OpVariable %out_vec4 Output
%other = OpVariable %out_vec2 Output";
    at_least(captures, "maxTransformFeedbackBuffers", 2, "");
    let vuid = "RuntimeSpirv-Offset-06308";
    at_least(captures, "maxTransformFeedbackBufferDataSize", 48, vuid);
    let vuid = "RuntimeSpirv-XfbBuffer-06309";
    at_least(captures, "maxTransformFeedbackStreamDataSize", 56, vuid);
}

/// The rules that a piece breaks.
#[track_caller]
fn broken(piece: &str) -> Vec<&'static str> {
    let example = Example::framed("pipeline, vulkan1.3", piece, "").unwrap();
    let report = common::example_report(&example, &example.breaking());
    report.diagnostics().iter().map(|it| it.rule()).collect()
}

#[test]
fn attributes_of_hits_are_of_triangles_or_intersections() {
    let stages = |written: &str, read: &str| {
        broken(&format!(
            "OpCapability RayTracingKHR
OpExtension \"SPV_KHR_ray_tracing\"
OpEntryPoint IntersectionKHR %intersect \"main\" %sent
OpEntryPoint ClosestHitKHR %hit \"main\" %got
%to_sent = OpTypePointer HitAttributeKHR {written}
%to_got = OpTypePointer HitAttributeKHR {read}
%sent = OpVariable %to_sent HitAttributeKHR
%got = OpVariable %to_got HitAttributeKHR
%intersect = OpFunction %void None %signature
%intersect_entry = OpLabel
%one = OpLoad {written} %sent
OpReturn
OpFunctionEnd
%hit = OpFunction %void None %signature
%hit_entry = OpLabel
%other = OpLoad {read} %got
OpReturn
OpFunctionEnd"
        ))
    };
    assert_eq!(stages("%vec4", "%vec4"), [""; 0]);
    assert_eq!(stages("%vec4", "%vec2"), [""; 0]);
    assert_eq!(stages("%vec4", "%vec3"), ["pipeline.ray-interface"]);
}

#[test]
fn a_payload_takes_a_task_shader() {
    let mesh = words(
        "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main \"main\" %got
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%pointer = OpTypePointer TaskPayloadWorkgroupEXT %f32
%got = OpVariable %pointer TaskPayloadWorkgroupEXT
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
%read = OpLoad %f32 %got
OpReturn
OpFunctionEnd",
    );
    let task = |payload: &str| {
        words(&format!(
            "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %main \"main\" %sent
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%f32 = OpTypeFloat 32
%pointer = OpTypePointer TaskPayloadWorkgroupEXT %f32
%sent = OpVariable %pointer TaskPayloadWorkgroupEXT
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpEmitMeshTasksEXT %one %one %one{payload}
OpFunctionEnd"
        ))
    };
    let options = Options::for_env("vulkan1.3".parse().unwrap());
    let rules = |stages: &[&[u32]]| {
        let stages = stages.iter().map(|words| Stage::new(words));
        let report = Pipeline::new(stages).check(&options);
        let all = report.diagnostics().iter();
        all.map(|it| it.diagnostic.rule()).collect::<Vec<_>>()
    };
    let (with, without) = (task(" %sent"), task(""));
    assert_eq!(rules(&[&mesh, &with]), [""; 0]);
    assert_eq!(rules(&[&mesh, &without]), ["pipeline.task-payload"]);
    assert_eq!(rules(&[&mesh]), ["pipeline.task-payload"]);
}
