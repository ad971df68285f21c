//! What extensions add to the lists of the specification is accepted, and what
//! they don't add is refused as before.

use spirvkit_validate::{Example, validate};

#[track_caller]
fn keeps(frame: &str, piece: &str) {
    assert_eq!(broken_rules(frame, piece), Vec::<String>::new());
}

#[track_caller]
fn breaks(frame: &str, piece: &str, rule: &str) {
    assert_eq!(broken_rules(frame, piece), [rule]);
}

fn broken_rules(frame: &str, piece: &str) -> Vec<String> {
    let example = Example::framed(frame, piece, "").unwrap();
    let options = example.options();
    let assembling = spirvkit_text::AssembleOptions::default().target(options.env.version());
    let assembled = spirvkit_text::assemble(&example.breaking(), &assembling).unwrap();
    let report = validate(&assembled.words, &options);
    let rules = report.diagnostics().iter().map(|found| found.rule());
    rules.map(str::to_owned).collect()
}

/// Checks a piece with `FORM` put in by turns: the first forms are fine, the last
/// breaks the rule.
#[track_caller]
fn compare(frame: &str, piece: &str, fine: &[&str], wrong: &str, rule: &str) {
    for form in fine {
        keeps(frame, &piece.replace("FORM", form));
    }
    breaks(frame, &piece.replace("FORM", wrong), rule);
}

#[test]
fn data_and_questions_about_the_target_are_specialized() {
    let piece = "OpCapability ConstantDataKHR
OpExtension \"SPV_KHR_constant_data\"
OpDecorate %data SpecId 1
%array = OpTypeArray %u8 %u32_4
%data = FORM %array 0x12345678";
    let (fine, wrong) = ("OpSpecConstantDataKHR", "OpConstantDataKHR");
    let rule = "annotation.specialization-constant";
    compare("shader spv1.6", piece, &[fine], wrong, rule);
    let piece = "OpCapability FunctionVariantsINTEL
OpCapability SpecConditionalINTEL
OpExtension \"SPV_INTEL_function_variants\"
OpDecorate %answer SpecId 1
%answer = FORM";
    let fine = [
        "OpSpecConstantTargetINTEL %bool 4",
        "OpSpecConstantArchitectureINTEL %bool 1 2 174 3",
        "OpSpecConstantCapabilitiesINTEL %bool Int8",
    ];
    let wrong = "OpSpecConstantOp %bool LogicalNot %true";
    compare("kernel spv1.6", piece, &fine, wrong, rule);
}

#[test]
fn conditional_entry_points_have_modes() {
    let piece = "OpCapability FunctionVariantsINTEL
OpCapability SpecConditionalINTEL
OpExtension \"SPV_INTEL_function_variants\"
OpConditionalEntryPointINTEL %asked Kernel %variant \"variant\"
OpExecutionMode %FORM LocalSize 1 1 1
%asked = OpSpecConstantTrue %bool
%variant = OpFunction %void None %fn_void
%variant_entry = OpLabel
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn_void
%other_entry = OpLabel
OpReturn
OpFunctionEnd";
    let rule = "mode-setting.mode-target";
    compare("kernel spv1.6", piece, &["variant"], "other", rule);
}

#[test]
fn tile_attachments_are_storage_images() {
    let piece = "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
OpDecorate %tile DescriptorSet 0
OpDecorate %tile Binding 0
OpDecorate %tile NonWritable
%image = OpTypeImage %f32 2D 0 0 0 FORM
%ptr_image = OpTypePointer TileAttachmentQCOM %image
%tile = OpVariable %ptr_image TileAttachmentQCOM";
    let frame = "fragment vulkan1.3";
    let rule = "decoration.non-writable";
    compare(frame, piece, &["2 Rgba8"], "1 Unknown", rule);
}

#[test]
fn tile_images_are_handed_to_functions() {
    let piece = "OpDecorate %tile Location 0
FORM
%image = OpTypeImage %f32 DIM 0 0 0 2 Unknown
%ptr_image = OpTypePointer CLASS %image
%fn_image = OpTypeFunction %void %ptr_image
%tile = OpVariable %ptr_image CLASS
%called = OpFunctionCall %void %read %tile
%read = OpFunction %void None %fn_image
%parameter = OpFunctionParameter %ptr_image
%read_entry = OpLabel
OpReturn
OpFunctionEnd";
    let color = "OpCapability TileImageColorReadAccessEXT
OpExtension \"SPV_EXT_shader_tile_image\"";
    let shading = "OpCapability TileShadingQCOM
OpExtension \"SPV_QCOM_tile_shading\"
OpDecorate %tile DescriptorSet 0
OpDecorate %tile Binding 0";
    let tile = piece.replace("FORM", color);
    let tile = tile.replace("DIM", "TileImageDataEXT");
    keeps("fragment spv1.6", &tile.replace("CLASS", "TileImageEXT"));
    let piece = piece.replace("FORM", shading).replace("DIM", "2D");
    keeps(
        "fragment spv1.6",
        &piece.replace("CLASS", "TileAttachmentQCOM"),
    );
    let rule = "call.pointer-class";
    breaks("fragment spv1.6", &piece.replace("CLASS", "Input"), rule);
}

#[test]
fn shader_records_hold_small_numbers_as_storage_buffers_do() {
    let piece = "OpCapability RayTracingKHR
OpCapability FORM
OpExtension \"SPV_KHR_ray_tracing\"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main \"main\" %record
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f16 = OpTypeFloat 16
%block = OpTypeStruct %f16
%ptr_block = OpTypePointer ShaderRecordBufferKHR %block
%record = OpVariable %ptr_block ShaderRecordBufferKHR
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd";
    let frame = "vulkan1.3";
    let (fine, wrong) = ("StorageBuffer16BitAccess", "StoragePushConstant16");
    compare(frame, piece, &[fine], wrong, "variable.small");
}

#[test]
fn older_ray_tracing_writes_records_and_has_payloads_in_any_hit_shaders() {
    let piece = "OpCapability FORM
OpMemoryModel Logical GLSL450
OpEntryPoint AnyHitKHR %main \"main\" %payload %record
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u32_0 = OpConstant %u32 0
%block = OpTypeStruct %u32
%ptr_block = OpTypePointer ShaderRecordBufferKHR %block
%ptr_part = OpTypePointer ShaderRecordBufferKHR %u32
%ptr_payload = OpTypePointer RayPayloadKHR %u32
%payload = OpVariable %ptr_payload RayPayloadKHR
%record = OpVariable %ptr_block ShaderRecordBufferKHR
%main = OpFunction %void None %fn
%entry = OpLabel
%part = OpAccessChain %ptr_part %record %u32_0
USE
OpReturn
OpFunctionEnd";
    let nv = "RayTracingNV\nOpExtension \"SPV_NV_ray_tracing\"";
    let khr = "RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"";
    let store = piece.replace("USE", "OpStore %part %u32_0");
    let load = piece.replace("USE", "%value = OpLoad %u32 %payload");
    compare("spv1.6", &store, &[nv], khr, "memory.read-only");
    compare("spv1.6", &load, &[nv], khr, "memory.storage-class-stage");
    let vulkan = "vulkan1.2";
    let rule = "memory.storage-class-stage";
    breaks(vulkan, &load.replace("FORM", nv), rule);
}

#[test]
fn images_of_halves_are_sampled_at_halves() {
    let piece = "OpExtension \"SPV_AMD_gpu_shader_half_float_fetch\"
FORM
OpDecorate %global DescriptorSet 0
OpDecorate %global Binding 0
%half_0 = OpConstantNull %v2f16
%v4f16 = OpTypeVector %f16 4
%image = OpTypeImage %f16 2D 0 0 0 1 Rgba16f
%sampled = OpTypeSampledImage %image
%ptr_sampled = OpTypePointer UniformConstant %sampled
%global = OpVariable %ptr_sampled UniformConstant
%value = OpLoad %sampled %global
USE";
    let declared = "OpCapability Float16ImageAMD";
    let vulkan = "fragment vulkan1.3";
    let unused = piece.replace("USE", "");
    let rule = "type.image-sampled-type-vulkan";
    compare(vulkan, &unused, &[declared], "", rule);
    let uses = [
        (
            "OpImageSampleImplicitLod %v4f16 %value %half_0",
            "image.coordinate",
        ),
        (
            "OpImageSampleImplicitLod %v4f16 %value %v2f32_0 Bias %f16_0",
            "image.operand-type",
        ),
        (
            "OpImageSampleExplicitLod %v4f16 %value %v2f32_0 Grad %half_0 %half_0",
            "image.operand-type",
        ),
        (
            "OpImageGather %v4f16 %value %half_0 %u32_0",
            "image.coordinate",
        ),
    ];
    for (text, rule) in uses {
        let piece = piece.replace("USE", &format!("%texel = {text}"));
        compare("fragment spv1.6", &piece, &[declared], "", rule);
    }
}

#[test]
fn payloads_of_tasks_are_not_private() {
    let piece = "OpCapability MeshShadingEXT
OpCapability VulkanMemoryModel
OpExtension \"SPV_EXT_mesh_shader\"
OpMemoryModel Logical Vulkan
OpEntryPoint TaskEXT %main \"main\" %data
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u32_1 = OpConstant %u32 1
%workgroup = OpConstant %u32 2
%ptr_data = OpTypePointer FORM %u32
%data = OpVariable %ptr_data FORM
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %data %u32_1 MakePointerAvailable|NonPrivatePointer %workgroup
OpEmitMeshTasksEXT %u32_1 %u32_1 %u32_1
OpFunctionEnd";
    let frame = "vulkan1.3";
    let rule = "memory.operand-non-private-class";
    compare(frame, piece, &["TaskPayloadWorkgroupEXT"], "Private", rule);
}

#[test]
fn unified_shared_memory_is_global_memory() {
    let piece = "OpCapability USMStorageClassesALTERA
OpCapability GenericPointer
OpExtension \"SPV_ALTERA_usm_storage_classes\"
%cl = OpExtInstImport \"OpenCL.std\"
%ptr_u32 = OpTypePointer FORM %u32
%ptr_f32 = OpTypePointer FORM %f32
%ptr_generic = OpTypePointer Generic %u32
%event = OpTypeEvent
%no_event = OpConstantNull %event
%fn_pointers = OpTypeFunction %void %ptr_u32 %ptr_f32
%take = OpFunction %void None %fn_pointers
%numbers = OpFunctionParameter %ptr_u32
%floats = OpFunctionParameter %ptr_f32
%take_entry = OpLabel
USE
OpReturn
OpFunctionEnd";
    let uses = [
        (
            "%r = OpAtomicIAdd %u32 %numbers %u32_1 %u32_0 %u32_1",
            "atomic.storage-class",
        ),
        (
            "%r = OpExtInst %f32 %cl fract %f32_1 %floats",
            "opencl-std.out-class",
        ),
        (
            "%r = OpExtInst %v2f32 %cl vloadn %u64_1 %floats 2",
            "opencl-std.load-pointer",
        ),
        (
            "%r = OpExtInst %void %cl prefetch %floats %u64_1",
            "opencl-std.prefetch-pointer",
        ),
        (
            "%r = OpPtrCastToGeneric %ptr_generic %numbers",
            "conversion.generic-class",
        ),
        (
            "%r = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %numbers %u64_1 %u64_1 %no_event",
            "group.copy-classes",
        ),
    ];
    for (text, rule) in uses {
        let piece = piece.replace("USE", text);
        let fine = ["CrossWorkgroup", "DeviceOnlyALTERA", "HostOnlyALTERA"];
        compare("kernel spv1.6", &piece, &fine, "Input", rule);
    }
}

#[test]
fn booleans_are_where_nothing_is_laid_out() {
    let piece = "OpCapability USMStorageClassesALTERA
OpExtension \"SPV_ALTERA_usm_storage_classes\"
%ptr_bool = OpTypePointer FORM %bool
%flag = OpVariable %ptr_bool FORM";
    let fine = ["CrossWorkgroup", "DeviceOnlyALTERA"];
    compare("kernel spv1.6", piece, &fine, "Input", "variable.boolean");
}

#[test]
fn payloads_of_coalesced_nodes_are_run_time_arrays() {
    let piece = "OpCapability ShaderEnqueueAMDX
OpExtension \"SPV_AMDX_shader_enqueue\"
OpExecutionMode %main CoalescingAMDX
OpExecutionMode %main LocalSize 1 1 1
%struct = OpTypeStruct %u32
%array = OpTypeRuntimeArray %struct
%ptr_array = OpTypePointer FORM %array
%payloads = OpVariable %ptr_array FORM";
    let frame = "shader vulkan1.3";
    let rule = "variable.runtime-array";
    compare(frame, piece, &["NodePayloadAMDX"], "Private", rule);
}

#[test]
fn functions_get_pointers_into_the_heap() {
    let piece = "OpCapability Shader
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %heap
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn SamplerHeapEXT
%void = OpTypeVoid
%fn = OpTypeFunction %void
%heap_type = OpTypeUntypedPointerKHR UniformConstant
%pointer_type = OpTypeUntypedPointerKHR StorageBuffer
%fn_pointer = OpTypeFunction %void %heap_type
%heap = OpUntypedVariableKHR %heap_type UniformConstant
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
%take = OpFunction %void None %fn_pointer
%given = OpFunctionParameter %heap_type
%take_entry = OpLabel
%buffer = OpBufferPointerEXT %pointer_type %FORM
OpReturn
OpFunctionEnd";
    let frame = "vulkan1.3";
    compare(frame, piece, &["given"], "heap", "memory.buffer-pointer");
}

#[test]
fn texels_have_untyped_pointers() {
    let piece = "OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
%image = OpTypeImage %u32 2D 0 0 0 2 R32ui
%ptr_image = OpTypePointer UniformConstant %image
%ptr_texel = OpTypeUntypedPointerKHR FORM
%global = OpVariable %ptr_image UniformConstant
%texel = OpImageTexelPointer %ptr_texel %global %v2u32_0 %u32_0";
    let rule = "image.texel-pointer-result";
    compare("shader spv1.6", piece, &["Image"], "StorageBuffer", rule);
}

#[test]
fn typed_pointers_are_prefetched_from() {
    let piece = "OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
%global = OpVariable %ptr_CrossWorkgroup_u32 CrossWorkgroup
OpUntypedPrefetchKHR %FORM %u32_4";
    let rule = "memory.prefetch";
    compare("kernel spv1.6", piece, &["global"], "workgroup_u32", rule);
}

#[test]
fn handles_of_images_are_chosen_and_go_anywhere() {
    let piece = "FORM
OpExtension \"SPV_NV_bindless_texture\"
OpDecorate %image_var DescriptorSet 0
OpDecorate %image_var Binding 0
OpDecorate %sampler_var DescriptorSet 0
OpDecorate %sampler_var Binding 1
%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampler_type = OpTypeSampler
%sampled_type = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %image_type
%ptr_sampler = OpTypePointer UniformConstant %sampler_type
%image_var = OpVariable %ptr_image UniformConstant
%sampler_var = OpVariable %ptr_sampler UniformConstant
%image = OpLoad %image_type %image_var
%sampler = OpLoad %sampler_type %sampler_var
%one = OpSampledImage %sampled_type %image %sampler
%two = OpSampledImage %sampled_type %image %sampler
USE";
    let bindless = "OpCapability BindlessTextureNV\nOpSamplerImageAddressingModeNV 64";
    let block = "OpBranch %next
%next = OpLabel
%texel = OpImageSampleImplicitLod %v4f32 %one %v2f32_0
OpReturn";
    let phi = "OpBranch %next
%next = OpLabel
%texel = OpPhi %sampler_type %sampler %entry
OpReturn";
    for (text, rule) in [(block, "image.sampled-image-block"), (phi, "phi.result")] {
        compare(
            "fragment spv1.6",
            &piece.replace("USE", text),
            &[bindless],
            "",
            rule,
        );
    }
    let select = piece.replace("USE", "%chosen = OpSelect %sampled_type %true %one %two");
    keeps("fragment spv1.6", &select.replace("FORM", bindless));
}

#[test]
fn handles_are_pairs_of_integers() {
    let piece = "OpCapability BindlessTextureNV
OpExtension \"SPV_NV_bindless_texture\"
OpSamplerImageAddressingModeNV 64
%sampler_type = OpTypeSampler
%sampler = OpConvertUToSamplerNV %sampler_type %FORM
%handle = OpConvertSamplerToUNV %v2u32 %sampler";
    let fine = ["u64_1", "v2u32_0"];
    compare(
        "fragment spv1.6",
        piece,
        &fine,
        "v3u32_0",
        "conversion.handle",
    );
}

#[test]
fn divisions_and_roots_round_as_they_say() {
    let piece = "FORM
OpExtension \"SPV_INTEL_rounded_divide_sqrt\"
%glsl = OpExtInstImport \"GLSL.std.450\"
OpDecorate %exact FPRoundingMode RTZ
%exact = USE
%more = OpFAdd %f32 %exact %f32_1";
    let declared = "OpCapability RoundedDivideSqrtINTEL";
    for text in [
        "OpFDiv %f32 %f32_1 %f32_1",
        "OpExtInst %f32 %glsl Sqrt %f32_1",
    ] {
        let piece = piece.replace("USE", text);
        compare(
            "shader spv1.6",
            &piece,
            &[declared],
            "",
            "decoration.rounding",
        );
        keeps("shader vulkan1.3", &piece.replace("FORM", declared));
    }
    let sum = piece.replace("USE", "OpFAdd %f32 %f32_1 %f32_1");
    breaks(
        "shader spv1.6",
        &sum.replace("FORM", declared),
        "decoration.rounding",
    );
}

#[test]
fn vectors_of_pointers_are_worked_on_as_pointers_are() {
    let piece = "OpCapability MaskedGatherScatterINTEL
OpCapability GenericPointer
OpExtension \"SPV_INTEL_masked_gather_scatter\"
%pointers = OpTypeVector %ptr_CrossWorkgroup_u32 2
%ptr_generic = OpTypePointer Generic %u32
%generics = OpTypeVector %ptr_generic 2
%three = OpTypeVector %ptr_generic 3
%v2bool_0 = OpConstantNull %v2bool
%nulls = OpConstantNull %pointers
%fn_pointers = OpTypeFunction %void %pointers
%take = OpFunction %void None %fn_pointers
%given = OpFunctionParameter %pointers
%take_entry = OpLabel
%made = FORM
OpReturn
OpFunctionEnd";
    for (fine, wrong, rule) in [
        (
            "OpPtrEqual %v2bool %given %nulls",
            "OpPtrEqual %bool %given %nulls",
            "memory.pointer-comparison",
        ),
        (
            "OpPtrDiff %v2u64 %given %nulls",
            "OpPtrDiff %u64 %given %nulls",
            "memory.pointer-comparison",
        ),
        (
            "OpPtrCastToGeneric %generics %given",
            "OpPtrCastToGeneric %three %given",
            "conversion.pointer",
        ),
        (
            "OpBitcast %v2u64 %given",
            "OpBitcast %v2bool %given",
            "conversion.bitcast-type",
        ),
        (
            "OpInBoundsPtrAccessChain %pointers %given %u64_1",
            "OpInBoundsPtrAccessChain %three %given %u64_1",
            "access-chain.base",
        ),
        (
            "OpMaskedGatherINTEL %v2u32 %given 4 %v2bool_0 %u32_1",
            "OpMaskedGatherINTEL %v2u32 %given 4 %v2bool_0 %f32_1",
            "memory.masked",
        ),
    ] {
        compare("kernel spv1.6", piece, &[fine], wrong, rule);
    }
}

#[test]
fn tensors_with_a_shape_are_composites() {
    let piece = "OpCapability TensorsARM
OpExtension \"SPV_ARM_tensors\"
%shape_type = OpTypeArray %u32 %u32_2
%shape = OpConstantComposite %shape_type %u32_2 %u32_2
%inner_type = OpTypeArray %u32 %u32_1
%inner_shape = OpConstantComposite %inner_type %u32_2
%row = OpTypeTensorARM %u32 %u32_1 %inner_shape
%known = OpTypeTensorARM %u32 %u32_2 %shape
%open = OpTypeTensorARM %u32 %u32_2
%row_0 = OpConstantNull %row
%made = OpCompositeConstruct %FORM %row_0 %row_0";
    let rule = "composite.construct-result";
    compare("shader spv1.6", piece, &["known"], "open", rule);
    let part = piece.replace("FORM", "known") + "\n%part = OpCompositeExtract %row %made 0";
    keeps("shader spv1.6", &part);
}

#[test]
fn task_and_mesh_shaders_of_either_extension_have_derivatives() {
    let piece = "OpCapability MeshShadingNV
OpCapability ComputeDerivativeGroupLinearKHR
OpExtension \"SPV_NV_mesh_shader\"
OpExtension \"SPV_KHR_compute_shader_derivatives\"
OpMemoryModel Logical GLSL450
OpEntryPoint MODEL %main \"main\"
FORM
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f32 = OpTypeFloat 32
%f32_1 = OpConstant %f32 1
%main = OpFunction %void None %fn
%entry = OpLabel
%slope = OpDPdx %f32 %f32_1
OpReturn
OpFunctionEnd";
    let grouped = "OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %main DerivativeGroupLinearKHR";
    for model in ["TaskNV", "MeshNV"] {
        let piece = piece.replace("MODEL", model);
        compare("spv1.6", &piece, &[grouped], "", "derivative.mode");
    }
    let vertex = piece.replace("MODEL", "Vertex").replace("FORM", "");
    breaks("spv1.6", &vertex, "derivative.model");
}

#[test]
fn remarks_are_no_uses() {
    let piece = "OpCapability PoisonFreezeKHR
OpExtension \"SPV_KHR_poison_freeze\"
OpExtension \"SPV_KHR_non_semantic_info\"
%remarks = OpExtInstImport \"NonSemantic.Remarks\"
OpDecorate %image_var DescriptorSet 0
OpDecorate %image_var Binding 0
%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampler_type = OpTypeSampler
%sampled_type = OpTypeSampledImage %image_type
%ptr_image = OpTypePointer UniformConstant %image_type
%image_var = OpVariable %ptr_image UniformConstant
%ptr_sampler = OpTypePointer UniformConstant %sampler_type
%sampler_var = OpVariable %ptr_sampler UniformConstant
%image = OpLoad %image_type %image_var
%sampler = OpLoad %sampler_type %sampler_var
%sampled = OpSampledImage %sampled_type %image %sampler
%used = FORM";
    let remark = "OpExtInst %void %remarks 1 %sampled";
    let rule = "image.sampled-image-consumer";
    compare(
        "fragment spv1.6",
        piece,
        &[remark],
        "OpFreezeKHR %sampled_type %sampled",
        rule,
    );
}

#[test]
fn remarks_name_values_that_are_only_stored() {
    let piece = "OpCapability Shader
OpCapability StorageBuffer16BitAccess
OpExtension \"SPV_KHR_non_semantic_info\"
%remarks = OpExtInstImport \"NonSemantic.Remarks\"
%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u32_0 = OpConstant %u32 0
%f16 = OpTypeFloat 16
%block = OpTypeStruct %f16
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_f16 = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%pointer = OpAccessChain %ptr_f16 %buffer %u32_0
%value = OpLoad %f16 %pointer
%used = FORM
OpReturn
OpFunctionEnd";
    let remark = "OpExtInst %void %remarks 1 %value";
    let wrong = "OpExtInst %f16 %glsl Sqrt %value";
    compare("spv1.6", piece, &[remark], wrong, "small-type.use");
}

#[test]
fn raw_access_chains_stride_by_integers_of_any_width() {
    let piece = "OpCapability RawAccessChainsNV
OpCapability LongVectorEXT
OpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_NV_raw_access_chains\"
OpExtension \"SPV_EXT_long_vector\"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%wide_16 = OpConstant %u64 16
%u32_5 = OpConstant %u32 5
%block = OpTypeStruct %u32
%array = OpTypeArray %u32 %u32_5
%long = OpTypeVectorIdEXT %u32 %u32_5
%address = OpTypePointer PhysicalStorageBuffer %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_u32 = OpTypePointer StorageBuffer %u32
%ptr_array = OpTypePointer StorageBuffer %array
%ptr_long = OpTypePointer StorageBuffer %long
%ptr_address = OpTypePointer StorageBuffer %address
%buffer = OpVariable %ptr_block StorageBuffer
OpEntryPoint GLCompute %main \"main\" %buffer
%chain = OpRawAccessChainNV FORM";
    let fine = [
        "%ptr_u32 %buffer %wide_16 %u32_0 %u32_0",
        "%ptr_long %buffer %wide_16 %u32_0 %u32_0",
        "%ptr_address %buffer %wide_16 %u32_0 %u32_0",
    ];
    for wrong in [
        "%ptr_array %buffer %wide_16 %u32_0 %u32_0",
        "%ptr_u32 %buffer %wide_16 %wide_16 %u32_0",
    ] {
        compare("shader spv1.6", piece, &fine, wrong, "access-chain.raw");
    }
}

#[test]
fn gathers_without_a_reference_value_take_levels() {
    let piece = "OpCapability ImageGatherBiasLodAMD
OpExtension \"SPV_AMD_texture_gather_bias_lod\"
OpDecorate %image_var DescriptorSet 0
OpDecorate %image_var Binding 0
%image_type = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled_type = OpTypeSampledImage %image_type
%ptr_sampled = OpTypePointer UniformConstant %sampled_type
%image_var = OpVariable %ptr_sampled UniformConstant
%coordinate = OpConstantComposite %v2f32 %f32_1 %f32_1
%sampled = OpLoad %sampled_type %image_var
%texel = FORM";
    let fine = [
        "OpImageGather %v4f32 %sampled %coordinate %u32_0 Lod %f32_1",
        "OpImageGather %v4f32 %sampled %coordinate %u32_0 Bias %f32_1",
    ];
    let wrong = "OpImageDrefGather %v4f32 %sampled %coordinate %f32_1 Lod %f32_1";
    compare(
        "fragment spv1.6",
        piece,
        &fine,
        wrong,
        "image.operand-opcode",
    );
}

#[test]
fn opencl_has_the_capabilities_of_its_extensions() {
    let piece = "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpCapability Int64
OpCapability FORM
OpMemoryModel Physical32 OpenCL";
    let rule = "mode-setting.capability-environment";
    for (env, fine) in [
        ("opencl1.2", &["Int64Atomics", "ImageMipmap"][..]),
        (
            "opencl2.2",
            &["Int64Atomics", "ImageMipmap", "NamedBarrier"],
        ),
    ] {
        compare(&format!("{env}"), piece, fine, "Sampled1D", rule);
    }
}

#[test]
fn opencl_reads_and_writes_levels() {
    let piece = "OpCapability ImageBasic
OpCapability ImageMipmap
%read_only = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%write_only = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%source = OpUndef %read_only
%target = OpUndef %write_only
FORM";
    let fine = [
        "OpImageWrite %target %v2u32_0 %v4f32_0 Lod %u32_1",
        "%texel = OpImageRead %v4f32 %source %v2u32_0 Lod %u32_1",
    ];
    let frame = "kernel opencl2.1";
    let wrong = "OpImageWrite %target %v2u32_0 %v4f32_0 ConstOffset %v2u32_0";
    compare(frame, piece, &fine, wrong, "image.opencl-write-operands");
    let float = "OpImageWrite %target %v2u32_0 %v4f32_0 Lod %f32_1";
    compare(frame, piece, &fine, float, "image.operand-type");
}

/// See the list of such texts in docs/conformance.md.
#[test]
fn texts_that_contradict_each_other_are_read_in_one_way() {
    let interface = "OpCapability Shader
OpCapability Float8UnsignedE8M0EXT
OpCapability MXInt8EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %in
OpDecorate %in Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%small = OpTypeFloat 8 FORM
%ptr = OpTypePointer Input %small
%in = OpVariable %ptr Input
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd";
    for form in ["Float8UnsignedE8M0EXT", "MXInt8EXT"] {
        let piece = interface.replace("FORM", form);
        keeps("spv1.6", &piece);
        breaks("vulkan1.3", &piece, "interface.vulkan-small-float");
    }
    let rounded = "OpCapability RoundedDivideSqrtINTEL
OpExtension \"SPV_INTEL_rounded_divide_sqrt\"
OpDecorate %rounded FPRoundingMode RTZ
%rounded = FORM";
    let fine = ["OpFDiv %f32 %f32_1 %f32_1", "OpConvertUToF %f32 %u32_1"];
    let wrong = "OpFMul %f32 %f32_1 %f32_1";
    compare(
        "kernel spv1.6",
        rounded,
        &fine,
        wrong,
        "decoration.kernel-rounding",
    );
    let distance = "OpCapability VariablePointersStorageBuffer
OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
%one = OpTypeUntypedPointerKHR StorageBuffer
%two = OpTypeUntypedPointerKHR StorageBuffer
%a = OpUntypedVariableKHR %one StorageBuffer %u32
%b = OpUntypedVariableKHR %one StorageBuffer %u32
%c = OpUntypedVariableKHR %two StorageBuffer %u32
%found = FORM";
    let fine = ["OpPtrDiff %u32 %a %b", "OpPtrEqual %bool %a %c"];
    let wrong = "OpPtrDiff %u32 %a %c";
    let frame = "shader spv1.6";
    compare(frame, distance, &fine, wrong, "memory.pointer-comparison");
    let attachment = "OpCapability TileShadingQCOM
OpCapability InputAttachment
OpExtension \"SPV_QCOM_tile_shading\"
OpDecorate %attachment DescriptorSet 0
OpDecorate %attachment Binding 0
FORM
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%ptr = OpTypePointer TileAttachmentQCOM %image
%attachment = OpVariable %ptr TileAttachmentQCOM";
    compare(
        "fragment vulkan1.3",
        attachment,
        &[""],
        "OpDecorate %attachment InputAttachmentIndex 0",
        "annotation.vulkan-attachment-class",
    );
}
