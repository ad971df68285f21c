//! Rules reach every form of what they are about, beyond the one in their examples.

use spirvkit_validate::{Example, Frame, Report, validate};

fn check(frame: Frame, piece: &'static str) -> Report {
    let example = Example {
        frame,
        breaks: piece.to_owned(),
        keeps: String::new(),
    };
    let options = frame.options();
    let assembling = spirvkit_text::AssembleOptions::default().target(options.env.version());
    let words = spirvkit_text::assemble(&example.breaking(), &assembling).unwrap();
    validate(&words.words, &options)
}

#[track_caller]
fn breaks(frame: Frame, piece: &'static str, rule: &str) {
    let report = check(frame, piece);
    let broken: Vec<_> = report.diagnostics().iter().map(|d| d.rule()).collect();
    assert_eq!(broken, [rule]);
    assert!(!report.is_valid());
}

#[test]
fn files_of_sources_are_defined_before() {
    let piece = "OpSource GLSL 450 %file
%file = OpString \"file\"";
    breaks(Frame::Shader, piece, "id.forward-reference");
}

#[test]
fn missing_parameters_are_a_warning() {
    let piece = "%fn_u32 = OpTypeFunction %void %u32
%other = OpFunction %void None %fn_u32
%label = OpLabel
OpReturn
OpFunctionEnd";
    let report = check(Frame::Shader, piece);
    assert!(report.is_valid());
    assert_eq!(report.diagnostics()[0].rule(), "function.parameter");
}

#[test]
fn what_is_read_only_is_not_copied_to() {
    let piece = "OpDecorate %input Location 0
%ptr_Input_f32 = OpTypePointer Input %f32
%input = OpVariable %ptr_Input_f32 Input
OpEntryPoint Fragment %main \"main\" %input %private_f32
OpCopyMemory %input %private_f32";
    breaks(Frame::Fragment, piece, "memory.read-only");
    let piece = "OpDecorate %struct Block
OpDecorate %uniform DescriptorSet 0
OpDecorate %uniform Binding 0
OpMemberDecorate %struct 0 Offset 0
%struct = OpTypeStruct %u32
%ptr_struct = OpTypePointer Uniform %struct
%ptr_Uniform_u32 = OpTypePointer Uniform %u32
%uniform = OpVariable %ptr_struct Uniform
%pointer = OpAccessChain %ptr_Uniform_u32 %uniform %u32_0
OpCopyMemory %pointer %private_u32";
    let vulkan = Frame::ShaderFor("vulkan1.1");
    breaks(vulkan, piece, "memory.store-uniform-block");
}

#[test]
fn tensors_are_not_stored_and_samplers_not_copied() {
    let piece = "OpCapability TensorsARM
OpExtension \"SPV_ARM_tensors\"
OpDecorate %global DescriptorSet 0
OpDecorate %global Binding 0
%tensor = OpTypeTensorARM %u32 %u32_1
%ptr_global = OpTypePointer UniformConstant %tensor
%ptr_local = OpTypePointer Function %tensor
%global = OpVariable %ptr_global UniformConstant
%local = OpVariable %ptr_local Function
%value = OpLoad %tensor %global
OpStore %local %value";
    breaks(Frame::ShaderFor("vulkan1.3"), piece, "memory.store-opaque");
    let piece = "OpDecorate %global DescriptorSet 0
OpDecorate %global Binding 0
%sampler = OpTypeSampler
%ptr_global = OpTypePointer UniformConstant %sampler
%ptr_local = OpTypePointer Function %sampler
%global = OpVariable %ptr_global UniformConstant
%local = OpVariable %ptr_local Function
OpCopyMemory %local %global";
    breaks(Frame::ShaderFor("vulkan1.3"), piece, "memory.store-opaque");
}

#[test]
fn attributes_of_hit_objects_are_for_three_stages() {
    let piece = "OpCapability RayTracingKHR
OpCapability ShaderInvocationReorderEXT
OpExtension \"SPV_KHR_ray_tracing\"
OpExtension \"SPV_EXT_shader_invocation_reorder\"
OpMemoryModel Logical GLSL450
OpEntryPoint CallableKHR %main \"main\" %attribute
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%ptr_u32 = OpTypePointer HitObjectAttributeEXT %u32
%attribute = OpVariable %ptr_u32 HitObjectAttributeEXT
%main = OpFunction %void None %fn_void
%entry = OpLabel
%value = OpLoad %u32 %attribute
OpReturn
OpFunctionEnd";
    breaks(Frame::Whole, piece, "memory.storage-class-stage");
}

#[test]
fn untyped_steps_through_memory_take_capabilities_in_vulkan() {
    let piece = "OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%struct = OpTypeStruct %u32
%pointer_type = OpTypeUntypedPointerKHR StorageBuffer
%variable = OpUntypedVariableKHR %pointer_type StorageBuffer %struct
%member = OpUntypedAccessChainKHR %pointer_type %struct %variable %u32_0
%next = OpUntypedPtrAccessChainKHR %pointer_type %u32 %member %u32_1";
    let vulkan = Frame::ShaderFor("vulkan1.3");
    breaks(vulkan, piece, "access-chain.vulkan-capability");
}

#[test]
fn logical_pointers_are_no_data_of_any_instruction() {
    let piece = "OpCapability ReplicatedCompositesEXT
OpExtension \"SPV_EXT_replicated_composites\"
%array = OpTypeArray %ptr_Private_u32 %u32_4
%composite = OpCompositeConstructReplicateEXT %array %private_u32";
    breaks(Frame::Shader, piece, "logical-pointer.use");
    let piece = "OpCapability PoisonFreezeKHR
OpExtension \"SPV_KHR_poison_freeze\"
%frozen = OpFreezeKHR %ptr_Private_u32 %private_u32";
    breaks(Frame::Shader, piece, "logical-pointer.use");
    let piece = "OpMemoryModel Logical OpenCL
%variable = OpVariable %ptr_Function_u32 Function
OpLifetimeStart %variable 0";
    breaks(Frame::Kernel, piece, "logical-pointer.use");
}

#[test]
fn structures_in_vulkan_hold_no_pointers_to_opaque_types() {
    let piece = "%sampler = OpTypeSampler
%samplers = OpTypeArray %sampler %u32_4
%pointer = OpTypePointer UniformConstant %samplers
%struct = OpTypeStruct %u32 %pointer";
    let vulkan = Frame::ShaderFor("vulkan1.3");
    breaks(vulkan, piece, "type.struct-opaque-member");
    assert!(check(Frame::Shader, piece).is_valid());
}

#[test]
fn what_is_declared_ahead_is_not_declared_already() {
    let piece = "%struct = OpTypeStruct %u32
%pointer = OpTypePointer CrossWorkgroup %struct
OpTypeForwardPointer %pointer CrossWorkgroup";
    breaks(Frame::Kernel, piece, "type.forward-pointer");
}

#[test]
fn the_members_of_blocks_in_arrays_have_locations() {
    let piece = "OpEntryPoint Fragment %main \"main\" %in
OpDecorate %struct Block
OpMemberDecorate %struct 0 Location 0
%struct = OpTypeStruct %f32 %f32
%array = OpTypeArray %struct %u32_2
%pointer = OpTypePointer Input %array
%in = OpVariable %pointer Input";
    let vulkan = Frame::FragmentFor("vulkan1.2");
    breaks(vulkan, piece, "interface.member-location-missing");
}

#[test]
fn built_ins_in_arrays_are_in_blocks() {
    let piece = "OpCapability Shader
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\" %in
OpExecutionMode %main InputPoints
OpExecutionMode %main OutputPoints
OpExecutionMode %main OutputVertices 1
OpExecutionMode %main Invocations 1
OpMemberDecorate %struct 0 BuiltIn Position
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%f32 = OpTypeFloat 32
%v4f32 = OpTypeVector %f32 4
%struct = OpTypeStruct %v4f32
%array = OpTypeArray %struct %one
%pointer = OpTypePointer Input %array
%in = OpVariable %pointer Input
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpReturn
OpFunctionEnd";
    let vulkan = Frame::WholeFor("vulkan1.2");
    breaks(vulkan, piece, "interface.built-in-block");
}

#[test]
fn resources_that_nothing_uses_are_bound_too() {
    let piece = "OpDecorate %sampler DescriptorSet 0
%type = OpTypeSampler
%pointer = OpTypePointer UniformConstant %type
%sampler = OpVariable %pointer UniformConstant";
    breaks(Frame::ShaderFor("vulkan1.1"), piece, "layout.binding");
}

#[test]
fn built_ins_are_no_variables_of_functions() {
    let piece = "OpDecorate %local BuiltIn LocalInvocationId
%pointer = OpTypePointer Function %v3u32
%local = OpVariable %pointer Function
%value = OpLoad %v3u32 %local";
    breaks(
        Frame::ShaderFor("vulkan1.3"),
        piece,
        "builtin.storage-class",
    );
}

#[test]
fn types_are_not_per_vertex() {
    let piece = "OpCapability FragmentBarycentricKHR
OpExtension \"SPV_KHR_fragment_shader_barycentric\"
OpDecorate %f32 PerVertexKHR";
    breaks(Frame::Fragment, piece, "annotation.memory-object");
}

#[test]
fn input_attachments_are_not_arrayed_in_vulkan() {
    let piece = "OpCapability InputAttachment
%image = OpTypeImage %f32 SubpassData 0 1 0 2 Unknown";
    let vulkan = Frame::FragmentFor("vulkan1.3");
    breaks(vulkan, piece, "type.image-subpass");
    assert!(check(Frame::Fragment, piece).is_valid());
}

#[test]
fn blocks_of_built_ins_have_no_locations() {
    let piece = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %out
OpDecorate %out Location 0
OpDecorate %struct Block
OpMemberDecorate %struct 0 BuiltIn Position
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%f32 = OpTypeFloat 32
%v4f32 = OpTypeVector %f32 4
%struct = OpTypeStruct %v4f32
%pointer = OpTypePointer Output %struct
%out = OpVariable %pointer Output
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpReturn
OpFunctionEnd";
    breaks(Frame::WholeFor("vulkan1.2"), piece, "builtin.location");
}
