//! What a pipeline's layout and flags say about its stages.

use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::Id;
use spirvkit_diagnostics::{Diagnostic, Severity};
use spirvkit_validate::{Example, Options, Pipeline, Stage};
use spirvkit_vulkan::{
    Binding, DescriptorType, MappingSource, PipelineFlags, PipelineLayout, SetLayout, Subpass,
};

use crate::common;

/// The rules that a stage in a pipeline with a layout breaks.
#[track_caller]
fn rules_with(piece: &str, layout: &PipelineLayout) -> Vec<String> {
    let of = |it: &Diagnostic| it.rule().to_owned();
    found_with(piece, layout).iter().map(of).collect()
}

#[track_caller]
fn found_with(piece: &str, layout: &PipelineLayout) -> Vec<Diagnostic> {
    let example = Example::framed("pipeline, vulkan1.3", piece, "").unwrap();
    let options = example.options();
    let words = common::assembled(&example.breaking(), &options).words;
    let pipeline = Pipeline::new([Stage::new(&words)]).layout(layout);
    let all = pipeline.check(&options).into_diagnostics();
    all.into_iter().map(|it| it.diagnostic).collect()
}

/// A stage in a pipeline with a layout, as JSON can't say it here: its flags, and one binding.
#[track_caller]
fn with_layout(piece: &str, flags: PipelineFlags, binding: Option<Binding>) -> Vec<String> {
    let set = SetLayout {
        bindings: binding.into_iter().collect(),
    };
    let layout = PipelineLayout {
        sets: vec![set],
        flags: Some(flags),
        ..PipelineLayout::default()
    };
    let of = |it: &Diagnostic| format!("{} {}", it.rule(), it.vuid().unwrap_or_default());
    found_with(piece, &layout).iter().map(of).collect()
}

#[test]
fn flags_decide_how_rays_are_traced() {
    let trace = |op: &str, flags: u32, time: &str| {
        format!(
            "OpCapability RayTracingKHR
OpCapability RayTracingMotionBlurNV
OpCapability RayTraversalPrimitiveCullingKHR
OpExtension \"SPV_KHR_ray_tracing\"
OpExtension \"SPV_NV_ray_tracing_motion_blur\"
OpEntryPoint RayGenerationKHR %generate \"main\" %payload
%structure = OpTypeAccelerationStructureKHR
%to_payload = OpTypePointer RayPayloadKHR %vec4
%payload = OpVariable %to_payload RayPayloadKHR
%zero = OpConstant %f32 0
%one = OpConstant %f32 1
%origin = OpConstantComposite %vec3 %zero %zero %zero
%flags = OpConstant %u32 {flags}
%pair = OpTypeVector %u32 2
%address = OpConstantComposite %pair %u32_1 %u32_0
%generate = OpFunction %void None %signature
%generate_entry = OpLabel
%rays = OpConvertUToAccelerationStructureKHR %structure %address
{op} %rays %flags %u32_1 %u32_0 %u32_0 %u32_0 %origin %zero %origin %one {time} %payload
OpReturn
OpFunctionEnd"
        )
    };
    let none: [String; 0] = [];
    let flags = |flags| move |piece: &str| with_layout(piece, flags, None);
    let without = flags(PipelineFlags::default());
    let triangles = flags(PipelineFlags::RAY_TRACING_SKIP_TRIANGLES);
    let motion = flags(PipelineFlags::RAY_TRACING_ALLOW_MOTION);
    let boxes_skipped = trace("OpTraceRayKHR", 512, "");
    assert_eq!(without(&boxes_skipped), none);
    let wanted = "pipeline.ray-flags VUID-RuntimeSpirv-OpTraceRayKHR-06554";
    assert_eq!(triangles(&boxes_skipped), [wanted]);
    let moving = trace("OpTraceRayMotionNV", 0, "%zero");
    assert_eq!(motion(&moving), none);
    let wanted = "pipeline.ray-motion VUID-RuntimeSpirv-OpTraceRayMotionNV-06367";
    assert_eq!(without(&moving), [wanted]);
}

#[test]
fn samplers_with_conversions_are_combined_and_only_sampled() {
    let uses = |ty: &str, declared: &str, used: &str| {
        let piece = format!(
            "OpCapability ImageQuery
OpEntryPoint Fragment %reads \"main\" %texture
OpExecutionMode %reads OriginUpperLeft
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 0
%sampler = OpTypeSampler
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
{declared}
%to_texture = OpTypePointer UniformConstant {ty}
%texture = OpVariable %to_texture UniformConstant
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
{used}
OpReturn
OpFunctionEnd"
        );
        let binding = Binding {
            count: 2,
            has_ycbcr: true,
            ..Binding::new(0, DescriptorType::COMBINED_IMAGE_SAMPLER)
        };
        with_layout(&piece, PipelineFlags::default(), Some(binding))
    };
    let rule = |vuid: &str| [format!("pipeline.ycbcr VUID-RuntimeSpirv-{vuid}")];
    let load = |ty: &str| format!("%loaded = OpLoad {ty} %texture");
    let found = uses("%sampler", "", &load("%sampler"));
    assert_eq!(found, rule("OpTypeSampler-12203"));
    let found = uses("%image", "", &load("%image"));
    assert_eq!(found, rule("OpTypeImage-12204"));
    let query = |op: &str, level: &str| {
        let levels = format!("{}\n%asked = {op} %loaded {level}", load("%image"));
        uses(
            "%image",
            "%ivec2 = OpTypeVector %i32 2\n%ivec2_0 = OpConstantNull %ivec2",
            &levels,
        )
    };
    let found = query("OpImageQuerySizeLod %ivec2", "%u32_0");
    assert_eq!(found, rule("OpTypeImage-12204"));
    let found = query("OpImageFetch %vec4", "%ivec2_0");
    let wanted = ["OpTypeImage-12204", "OpTypeImage-12207"].map(|vuid| rule(vuid)[0].clone());
    assert_eq!(found, wanted);
    let array = "%array = OpTypeArray %sampled %u32_2
%to_sampled = OpTypePointer UniformConstant %sampled";
    let chosen = |index: &str| {
        let used = format!(
            "%index = OpLoad %u32 %where
%at = OpAccessChain %to_sampled %texture {index}
%loaded = OpLoad %sampled %at"
        );
        let declared = format!(
            "{array}
%to_private = OpTypePointer Private %u32
%where = OpVariable %to_private Private"
        );
        uses("%array", &declared, &used)
    };
    assert_eq!(chosen("%u32_1"), [""; 0]);
    assert_eq!(chosen("%index"), rule("None-12205"));
    let gather = "%zero = OpConstant %f32 0
%corner = OpConstantComposite %vec2 %zero %zero";
    let used = format!(
        "{}
%color = OpImageGather %vec4 %loaded %corner %u32_0",
        load("%sampled")
    );
    let found = uses("%sampled", gather, &used);
    assert_eq!(found, rule("OpTypeSampledImage-12206"));
}

#[test]
fn sizes_of_descriptors_have_32_bits_without_a_flag() {
    let piece = |width: u32| {
        format!(
            "OpCapability Int64
OpCapability DescriptorHeapEXT
OpCapability UntypedPointersKHR
OpExtension \"SPV_EXT_descriptor_heap\"
OpExtension \"SPV_KHR_untyped_pointers\"
OpEntryPoint Vertex %vertex \"main\"
%u64 = OpTypeInt 64 0
%sampler = OpTypeSampler
%size = OpConstantSizeOfEXT %u{width} %sampler"
        )
    };
    let none: [String; 0] = [];
    let without = PipelineFlags::default();
    assert_eq!(with_layout(&piece(32), without, None), none);
    let wide = PipelineFlags::INDEXING_64_BIT;
    assert_eq!(with_layout(&piece(64), wide, None), none);
    let wanted = "pipeline.wide-index VUID-RuntimeSpirv-OpConstantSizeOfEXT-11475";
    assert_eq!(with_layout(&piece(64), without, None), [wanted]);
}

#[test]
fn specialization_decides_whether_there_are_micromaps() {
    let text = "OpCapability Shader
OpCapability RayQueryKHR
OpCapability RayTracingOpacityMicromapExecutionModeKHR
OpExtension \"SPV_KHR_ray_query\"
OpExtension \"SPV_KHR_opacity_micromap\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionModeId %main OpacityMicromapIdKHR %given
%void = OpTypeVoid
%bool = OpTypeBool
%given = OpSpecConstantTrue %bool
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd";
    let options = Options::for_env("vulkan1.3".parse().unwrap());
    let assembled = common::assembled(text, &options);
    let index = ModuleIndex::new(&assembled.words).unwrap();
    let mode = index.execution_modes(index.entry_points[0].function).last();
    let given = mode.unwrap().id(2);
    let found = |constants: &[(Id, u64)], flags| {
        let layout = PipelineLayout {
            flags: Some(flags),
            ..PipelineLayout::default()
        };
        let stage = Stage::new(&assembled.words).constants(constants.iter().copied());
        let report = Pipeline::new([stage]).layout(&layout).check(&options);
        let all = report.diagnostics().iter();
        all.map(|it| it.diagnostic.rule().to_owned())
            .collect::<Vec<_>>()
    };
    let without = PipelineFlags::DISALLOW_OPACITY_MICROMAP;
    assert_eq!(found(&[], without), ["pipeline.micromaps"]);
    assert_eq!(found(&[(given, 0)], without), [""; 0]);
    assert_eq!(found(&[], PipelineFlags::default()), [""; 0]);
}

#[test]
fn variable_pointers_are_to_one_sort_of_mapping() {
    let found = |mappings: [Option<MappingSource>; 2], body: &str| {
        let piece = format!(
            "OpCapability VariablePointers
OpEntryPoint Vertex %reads \"main\"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
%bool = OpTypeBool
%true = OpConstantTrue %bool
%block = OpTypeStruct %vec4
%to_block = OpTypePointer StorageBuffer %block
%to_pointer = OpTypePointer Private %to_block
%takes = OpTypeFunction %to_block %to_block
%one = OpVariable %to_block StorageBuffer
%other = OpVariable %to_block StorageBuffer
%kept = OpVariable %to_pointer Private
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
{body}
OpReturn
OpFunctionEnd
%same = OpFunction %to_block None %takes
%parameter = OpFunctionParameter %to_block
%same_entry = OpLabel
OpReturnValue %parameter
OpFunctionEnd"
        );
        let bindings = mappings.into_iter().zip(0..);
        let bindings = bindings.map(|(mapping, number)| Binding {
            mapping,
            ..Binding::new(number, DescriptorType::STORAGE_BUFFER)
        });
        let layout = PipelineLayout {
            sets: vec![SetLayout {
                bindings: bindings.collect(),
            }],
            ..PipelineLayout::default()
        };
        rules_with(&piece, &layout)
    };
    let none: [String; 0] = [];
    let heap = Some(MappingSource::HEAP_WITH_CONSTANT_OFFSET);
    let index = Some(MappingSource::HEAP_WITH_PUSH_INDEX);
    let address = Some(MappingSource::PUSH_ADDRESS);
    let call = "%called = OpFunctionCall %to_block %same %one";
    assert_eq!(found([heap, None], call), none);
    assert_eq!(found([address, None], call), ["pipeline.mapped-pointer"]);
    let stored = "OpStore %kept %one
OpStore %kept %other
%loaded = OpLoad %to_block %kept";
    assert_eq!(found([heap, heap], stored), none);
    assert_eq!(found([heap, index], stored), ["pipeline.mappings-mixed"]);
    // Of a binding that the layout doesn't map, nothing is said.
    assert_eq!(found([heap, None], stored), none);
    let twice = "%called = OpFunctionCall %to_block %same %one
%again = OpFunctionCall %to_block %same %other";
    assert_eq!(
        found([heap, index], twice),
        ["pipeline.mappings-mixed", "pipeline.mappings-mixed"]
    );
}

#[test]
fn heaps_have_no_layout() {
    let piece = |mode: &str| {
        format!(
            "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
{mode}
OpDecorate %heap BuiltIn SamplerHeapEXT
OpDecorateId %array ArrayStrideIdEXT %size
OpDecorate %pushed Block
OpMemberDecorate %pushed 0 Offset 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
%sampler = OpTypeSampler
%size = OpConstantSizeOfEXT %u32 %sampler
%array = OpTypeRuntimeArray %sampler
%to_any = OpTypeUntypedPointerKHR UniformConstant
%heap = OpUntypedVariableKHR %to_any UniformConstant
%pushed = OpTypeStruct %vec4
%to_pushed = OpTypePointer PushConstant %pushed
%push = OpVariable %to_pushed PushConstant
%block = OpTypeStruct %vec4
%to_block = OpTypePointer Uniform %block
%one = OpVariable %to_block Uniform
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
%pointer = OpUntypedAccessChainKHR %to_any %array %heap %u32_0
%read = OpLoad %sampler %pointer
%read_push = OpLoad %pushed %push
%read_one = OpLoad %block %one
OpReturn
OpFunctionEnd"
        )
    };
    let compute = piece(
        "OpEntryPoint GLCompute %reads \"main\" %heap %push %one
OpExecutionMode %reads LocalSize 1 1 1",
    );
    let heaps = PipelineFlags::DESCRIPTOR_HEAP;
    let binding = |mapping| Binding {
        mapping,
        ..Binding::new(0, DescriptorType::UNIFORM_BUFFER)
    };
    let mapped = binding(Some(MappingSource::HEAP_WITH_PUSH_INDEX));
    let none: [String; 0] = [];
    assert_eq!(with_layout(&compute, heaps, Some(mapped)), none);
    let wanted = ["pipeline.unmapped VUID-VkComputePipelineCreateInfo-flags-11312"];
    assert_eq!(with_layout(&compute, heaps, None), wanted);
    assert_eq!(with_layout(&compute, heaps, Some(binding(None))), wanted);
    let vertex = piece("OpEntryPoint Vertex %reads \"main\" %heap %push %one");
    let wanted = ["pipeline.unmapped VUID-VkGraphicsPipelineCreateInfo-flags-11312"];
    assert_eq!(with_layout(&vertex, heaps, None), wanted);
    let sets = with_layout(&compute, PipelineFlags::default(), Some(binding(None)));
    let wanted = [
        "pipeline.push-constant-range VUID-VkComputePipelineCreateInfo-layout-07987",
        "pipeline.heap-and-sets VUID-VkComputePipelineCreateInfo-layout-07988",
    ];
    assert_eq!(sets, wanted);
}

#[test]
fn mappings_are_to_what_data_and_addresses_can_hold() {
    let found = |class: &str, decoration: &str, mapping: MappingSource, offset: u32| {
        let frames =
            "pipeline, vulkan1.3 with everything maxPushDataSize=32 maxShaderGroupStride=48";
        let piece = format!(
            "OpEntryPoint Vertex %reads \"main\" %one
OpDecorate %block {decoration}
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 2 Offset 32
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
%block = OpTypeStruct %vec4 %vec4 %f32
%to_block = OpTypePointer {class} %block
%one = OpVariable %to_block {class}
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
%read = OpLoad %block %one
OpReturn
OpFunctionEnd"
        );
        let example = Example::framed(frames, &piece, "").unwrap();
        let options = example.options();
        let words = common::assembled(&example.breaking(), &options).words;
        let ty = match (class, decoration) {
            ("Uniform", "Block") => DescriptorType::UNIFORM_BUFFER,
            _ => DescriptorType::STORAGE_BUFFER,
        };
        let binding = Binding {
            mapping: Some(mapping),
            mapping_offset: offset,
            ..Binding::new(0, ty)
        };
        let layout = PipelineLayout {
            sets: vec![SetLayout {
                bindings: vec![binding],
            }],
            ..PipelineLayout::default()
        };
        let report = Pipeline::new([Stage::new(&words)]).layout(&layout);
        let all = report.check(&options).into_diagnostics();
        let number = |it: &str| it.rsplit_once('-').unwrap().1.to_owned();
        all.iter()
            .map(|it| number(it.diagnostic.vuid().unwrap()))
            .collect::<Vec<_>>()
    };
    use MappingSource as M;
    let none: [String; 0] = [];
    for source in [M::PUSH_ADDRESS, M::SHADER_RECORD_ADDRESS] {
        assert_eq!(found("StorageBuffer", "Block", source, 0), none);
        assert_eq!(found("Uniform", "Block", source, 0), none);
    }
    for source in [M::PUSH_DATA, M::SHADER_RECORD_DATA, M::RESOURCE_HEAP_DATA] {
        assert_eq!(found("StorageBuffer", "Block", source, 16), ["11315"]);
    }
    // The block has 36 bytes.
    assert_eq!(found("Uniform", "Block", M::RESOURCE_HEAP_DATA, 0), none);
    assert_eq!(found("Uniform", "Block", M::PUSH_DATA, 0), ["11316"]);
    assert_eq!(found("Uniform", "Block", M::PUSH_DATA, 4), none);
    assert_eq!(found("Uniform", "Block", M::SHADER_RECORD_DATA, 12), none);
    assert_eq!(
        found("Uniform", "Block", M::SHADER_RECORD_DATA, 16),
        ["11317"]
    );
}

#[test]
fn arrays_of_input_attachments_are_of_several() {
    let found = |length: u32, aspects: &[Option<u32>]| {
        let piece = format!(
            "OpCapability InputAttachment
OpEntryPoint Fragment %reads \"main\" %one %other
OpExecutionMode %reads OriginUpperLeft
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %one InputAttachmentIndex 1
OpDecorate %other DescriptorSet 0
OpDecorate %other Binding 1
OpDecorate %other InputAttachmentIndex 2
%image = OpTypeImage %f32 SubpassData 0 0 0 2 Unknown
%array = OpTypeArray %image %u32_{length}
%to_array = OpTypePointer UniformConstant %array
%to_image = OpTypePointer UniformConstant %image
%one = OpVariable %to_array UniformConstant
%other = OpVariable %to_image UniformConstant
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
%loaded_one = OpLoad %array %one
%loaded_other = OpLoad %image %other
OpReturn
OpFunctionEnd"
        );
        let binding = |number| Binding {
            count: 2,
            ..Binding::new(number, DescriptorType::INPUT_ATTACHMENT)
        };
        let layout = PipelineLayout {
            sets: vec![SetLayout {
                bindings: vec![binding(0), binding(1)],
            }],
            subpass: Some(Subpass {
                input_attachment_aspects: aspects.to_vec(),
                ..Subpass::default()
            }),
            ..PipelineLayout::default()
        };
        rules_with(&piece, &layout)
    };
    let none: [String; 0] = [];
    let wrong = ["pipeline.input-attachments"];
    assert_eq!(found(1, &[Some(1), Some(1), Some(1)]), none);
    assert_eq!(found(2, &[Some(1), Some(1), Some(1)]), wrong);
    assert_eq!(found(2, &[Some(1), Some(1), Some(2)]), none);
    // Of attachments of which nobody knows, nothing is said.
    assert_eq!(found(2, &[Some(1), Some(1), None]), none);
    assert_eq!(found(2, &[Some(1), Some(1)]), none);
}

#[test]
fn stages_draw_to_views_with_features() {
    let found = |views: u32, device: &str, piece: &str| {
        let frames = format!("pipeline, vulkan1.3 with everything {device}");
        let example = Example::framed(&frames, piece, "").unwrap();
        let options = example.options();
        let words = common::assembled(&example.breaking(), &options).words;
        let layout = PipelineLayout {
            subpass: Some(Subpass {
                view_mask: Some(views),
                ..Subpass::default()
            }),
            ..PipelineLayout::default()
        };
        let report = Pipeline::new([Stage::new(&words)]).layout(&layout);
        let all = report.check(&options).into_diagnostics();
        let number = |it: &str| it.rsplit_once('-').unwrap().1.to_owned();
        let all = all.iter().map(|it| &it.diagnostic);
        let own = all.filter(|it| it.rule() == "pipeline.multiview");
        own.map(|it| number(it.vuid().unwrap())).collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    let geometry = "OpCapability Geometry
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %geometry \"main\"
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 1";
    assert_eq!(found(2, "", geometry), none);
    assert_eq!(found(2, "!multiviewGeometryShader", geometry), ["06048"]);
    assert_eq!(found(0, "!multiviewGeometryShader", geometry), none);
    assert_eq!(found(2, "!multiviewMeshShader", geometry), none);
    let tessellation = "OpCapability Tessellation
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint TessellationControl %control \"main\"
OpExecutionMode %control OutputVertices 3
OpEntryPoint TessellationEvaluation %evaluation \"main\"
OpExecutionMode %evaluation Triangles";
    let lacks = "!multiviewTessellationShader";
    assert_eq!(found(1, lacks, tessellation), ["06047"]);
    assert_eq!(found(1, "", tessellation), none);
    let mesh = "; SPIR-V
; Version: 1.4
OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpEntryPoint MeshEXT %control \"main\"
OpExecutionMode %control LocalSize 1 1 1
OpExecutionMode %control OutputVertices 3
OpExecutionMode %control OutputPrimitivesEXT 1
OpExecutionMode %control OutputTrianglesEXT";
    let most = |count: u32| format!("maxMeshMultiviewViewCount={count}");
    assert_eq!(found(0b100, &most(3), mesh), none);
    assert_eq!(found(0b100, &most(2), mesh), ["12325"]);
    let both = format!("!multiviewMeshShader {}", most(3));
    assert_eq!(found(0b100, &both, mesh), ["07064"]);
}

#[test]
fn layers_of_blocks_matter_only_where_they_are_written() {
    let found = |written: &str| {
        let piece = format!(
            "OpCapability ShaderLayer
OpEntryPoint Vertex %writes \"main\" %block
OpDecorate %Block Block
OpMemberDecorate %Block 0 BuiltIn Position
OpMemberDecorate %Block 1 BuiltIn Layer
%Block = OpTypeStruct %vec4 %u32
%to_block = OpTypePointer Output %Block
%out_u32 = OpTypePointer Output %u32
%zero = OpConstantNull %vec4
%block = OpVariable %to_block Output
%writes = OpFunction %void None %signature
%writes_entry = OpLabel
%position = OpAccessChain %out_vec4 %block %u32_0
OpStore %position %zero
{written}
OpReturn
OpFunctionEnd"
        );
        let layout = PipelineLayout {
            subpass: Some(Subpass {
                view_mask: Some(1),
                ..Subpass::default()
            }),
            ..PipelineLayout::default()
        };
        let all = found_with(&piece, &layout);
        let own = all.iter().filter(|it| it.rule() == "pipeline.multiview");
        own.map(Diagnostic::severity).collect::<Vec<_>>()
    };
    assert_eq!(found(""), [Severity::Warning]);
    let written = "%layer = OpAccessChain %out_u32 %block %u32_1\nOpStore %layer %u32_1";
    assert_eq!(found(written), [Severity::Error]);
}

#[test]
fn matrices_are_listed_for_the_size_of_subgroups() {
    let piece = |version: &str, scope: u32| {
        format!(
            "; SPIR-V
; Version: {version}
OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %control \"main\"
OpExecutionMode %control LocalSize 32 2 1
%matrix = OpTypeCooperativeMatrixKHR %f32 %u32_{scope} %u32_2 %u32_2 %u32_0"
        )
    };
    let found = |version, scope, required, flags: PipelineFlags, entry: &str| {
        let device = format!(
            "everything subgroupSize=16 VkCooperativeMatrixPropertiesKHR/MSize=4 \
             VkCooperativeMatrixProperties2EXT/MGranularity=2/KGranularity=2/\
             AType=VK_COMPONENT_TYPE_FLOAT32_KHR/scope=VK_SCOPE_{entry}"
        );
        let frames = format!("pipeline, vulkan1.3 with {device}");
        let example = Example::framed(&frames, &piece(version, scope), "").unwrap();
        let options = example.options();
        let words = common::assembled(&example.breaking(), &options).words;
        let layout = PipelineLayout {
            flags: Some(flags.or(PipelineFlags::REQUIRE_FULL_SUBGROUPS)),
            required_subgroup_size: required,
            ..PipelineLayout::default()
        };
        let pipeline = Pipeline::new([Stage::new(&words)]).layout(&layout);
        let report = pipeline.check(&options);
        let all = report.diagnostics().iter();
        all.map(|it| it.diagnostic.rule().to_owned())
            .collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    let wrong = ["pipeline.matrix-sizes"];
    let fixed = PipelineFlags::default();
    let varying = PipelineFlags::ALLOW_VARYING_SUBGROUP_SIZE;
    let size = |version, required, flags, size: u32| {
        let entry = format!("SUBGROUP_KHR/subgroupSize={size}");
        found(version, 3, required, flags, &entry)
    };
    assert_eq!(size("1.6", Some(32), fixed, 32), none);
    assert_eq!(size("1.6", Some(32), fixed, 16), wrong);
    // Without a size that is required, it is the device's, unless it may vary.
    assert_eq!(size("1.5", Some(0), fixed, 16), none);
    assert_eq!(size("1.5", Some(0), fixed, 32), wrong);
    assert_eq!(size("1.5", Some(0), varying, 0), none);
    assert_eq!(size("1.6", Some(0), fixed, 0), none);
    assert_eq!(size("1.6", Some(0), fixed, 16), wrong);
    assert_eq!(size("1.6", None, fixed, 16), none);
    let shared = |count: u32| {
        let entry = format!("WORKGROUP_KHR/invocations={count}");
        found("1.6", 2, None, fixed, &entry)
    };
    assert_eq!(shared(64), none);
    assert_eq!(shared(32), wrong);
}

#[test]
fn sizes_of_subgroups_are_what_stages_and_devices_take() {
    let found = |device: &str, stage: &str, required, flags: PipelineFlags| {
        let frames = format!("pipeline, vulkan1.3 with everything {device}");
        let piece = match stage {
            "Vertex" => "OpEntryPoint Vertex %vertex \"main\"".to_owned(),
            _ => format!(
                "OpEntryPoint {stage} %control \"main\"
OpExecutionMode %control LocalSize 64 1 1"
            ),
        };
        let example = Example::framed(&frames, &piece, "").unwrap();
        let options = example.options();
        let words = common::assembled(&example.breaking(), &options).words;
        let layout = PipelineLayout {
            flags: Some(flags),
            required_subgroup_size: Some(required),
            ..PipelineLayout::default()
        };
        let report = Pipeline::new([Stage::new(&words)]).layout(&layout);
        let all = report.check(&options).into_diagnostics();
        let number = |it: &str| it.rsplit_once('-').unwrap().1.to_owned();
        all.iter()
            .map(|it| number(it.diagnostic.vuid().unwrap()))
            .collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    let fixed = PipelineFlags::default();
    let varying = PipelineFlags::ALLOW_VARYING_SUBGROUP_SIZE;
    let full = PipelineFlags::REQUIRE_FULL_SUBGROUPS;
    let wide = PipelineFlags::INDEXING_64_BIT;
    let (compute, vertex) = ("GLCompute", "Vertex");
    assert_eq!(found("", compute, 32, fixed), none);
    assert_eq!(found("", compute, 0, varying.or(full)), none);
    assert_eq!(found("", compute, 32, varying), ["02754"]);
    assert_eq!(found("", compute, 24, fixed), ["02760"]);
    let sizes = "minSubgroupSize=8 maxSubgroupSize=16";
    assert_eq!(found(sizes, compute, 16, fixed), none);
    assert_eq!(found(sizes, compute, 8, fixed), none);
    assert_eq!(found(sizes, compute, 4, fixed), ["02761"]);
    assert_eq!(found(sizes, compute, 32, fixed), ["02762"]);
    let stages = "requiredSubgroupSizeStages=VK_SHADER_STAGE_ALL_GRAPHICS";
    assert_eq!(found(stages, vertex, 32, fixed), none);
    assert_eq!(found(stages, compute, 32, fixed), ["02755"]);
    assert_eq!(found(stages, compute, 0, fixed), none);
    let without = "!subgroupSizeControl";
    assert_eq!(found(without, compute, 32, fixed), ["02755"]);
    assert_eq!(found(without, compute, 0, varying), ["02784"]);
    assert_eq!(found(without, compute, 0, full), none);
    assert_eq!(found("!computeFullSubgroups", compute, 0, full), ["02785"]);
    assert_eq!(found("", vertex, 0, full), ["08988"]);
    assert_eq!(found("", compute, 0, wide), none);
    assert_eq!(found("!shader64BitIndexing", compute, 0, wide), ["11798"]);
}

#[test]
fn subgroups_divide_workgroups() {
    let full = PipelineFlags::REQUIRE_FULL_SUBGROUPS;
    let varying = PipelineFlags::ALLOW_VARYING_SUBGROUP_SIZE;
    let found = |size: &str, required, flags: PipelineFlags, piece: &str| {
        let frames = "pipeline, vulkan1.3 with everything minSubgroupSize=4 subgroupSize=8 \
                      maxSubgroupSize=16 maxComputeWorkgroupSubgroups=2 \
                      cooperativeMatrixWorkgroupScopeMaxWorkgroupSize=32";
        let piece = format!(
            "OpEntryPoint GLCompute %control \"main\"
OpExecutionMode %control LocalSize {size}
{piece}"
        );
        let example = Example::framed(frames, &piece, "").unwrap();
        let options = example.options();
        let words = common::assembled(&example.breaking(), &options).words;
        let layout = PipelineLayout {
            flags: Some(flags),
            required_subgroup_size: Some(required),
            ..PipelineLayout::default()
        };
        let report = Pipeline::new([Stage::new(&words)])
            .layout(&layout)
            .check(&options);
        let all = report.diagnostics().iter().map(|it| &it.diagnostic);
        let all = all.filter(|it| it.rule() == "pipeline.subgroup-multiple");
        all.map(|it| it.vuid().unwrap().rsplit_once('-').unwrap().1.to_owned())
            .collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    let fixed = PipelineFlags::default();
    // The first dimension counts.
    assert_eq!(found("12 4 1", 4, full, ""), ["02756"]);
    assert_eq!(found("6 1 1", 4, full, ""), ["02757"]);
    assert_eq!(found("6 1 1", 4, fixed, ""), none);
    assert_eq!(found("8 1 1", 4, full, ""), none);
    assert_eq!(found("8 1 1", 0, full, ""), none);
    assert_eq!(found("12 1 1", 0, full, ""), ["02759"]);
    assert_eq!(found("8 1 1", 0, full.or(varying), ""), ["02758"]);
    assert_eq!(found("16 1 1", 0, full.or(varying), ""), none);
    assert_eq!(found("12 1 1", 0, varying, ""), none);
    let matrix = |scope: u32| {
        format!(
            "OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpMemoryModel Logical Vulkan
%matrix = OpTypeCooperativeMatrixKHR %f32 %u32_{scope} %u32_2 %u32_2 %u32_0"
        )
    };
    // Of SPIR-V 1.6, so sizes may vary.
    assert_eq!(found("6 1 1", 0, fixed, &matrix(3)), ["08987"]);
    assert_eq!(found("4 1 1", 0, fixed, &matrix(3)), none);
    assert_eq!(found("4 1 1", 8, fixed, &matrix(3)), ["08987"]);
    assert_eq!(found("32 2 1", 0, fixed, &matrix(3)), none);
    assert_eq!(found("32 2 1", 0, fixed, &matrix(2)), ["10169"]);
}
