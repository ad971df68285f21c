//! All that is wrong with the operands of one instruction is told at once.

use spirvkit_validate::Frame;

use crate::every_error::tells;

#[test]
fn operands_of_images() {
    tells(
        Frame::FragmentFor("vulkan1.3"),
        "OpCapability ImageQuery
OpCapability ImageGatherExtended
OpCapability MinLod
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%ptr = OpTypePointer UniformConstant %sampled
%variable = OpVariable %ptr UniformConstant
%ptr_v3f32 = OpTypePointer Private %v3f32
%private_v3f32 = OpVariable %ptr_v3f32 Private
%array = OpTypeArray %f32 %u32_3
%ptr_array = OpTypePointer Private %array
%private_array = OpVariable %ptr_array Private
%three = OpLoad %array %private_array
%loaded = OpLoad %sampled %variable
%texel = OpImageSampleImplicitLod %v4u32 %loaded %u32_1 Bias %u32_1 ; image.texel-type image.coordinate image.operand-type
%other = OpImageSampleExplicitLod %v4f32 %loaded %v2f32_0 Lod|ConstOffset %u32_1 %f32_0 ; image.operand-type image.operand-type image.operand-size
%dynamic = OpLoad %v3f32 %private_v3f32
%offset = OpImageSampleExplicitLod %v4f32 %loaded %v2f32_0 Lod|ConstOffset|MinLod %f32_0 %dynamic %u32_1 ; image.operand-type image.operand-constant image.operand-size image.operand-opcode
%both = OpImageSampleExplicitLod %v4f32 %loaded %v2f32_0 Lod|Grad|Offset %f32_0 %u32_1 %u32_1 %v2f32_0 ; image.operand-exclusive image.operand-type image.vulkan-offset
%gradient = OpImageSampleExplicitLod %v4f32 %loaded %v2f32_0 Grad %u32_1 %true ; image.operand-type image.operand-size image.operand-type
%offsets = OpImageGather %v4f32 %loaded %v2f32_0 %u32_0 ConstOffsets %three ; image.operand-size image.operand-type image.operand-constant
%size = OpImageQuerySizeLod %v3u32 %u32_1 %f32_0 ; image.image-operand image.query-lod",
    );
}

#[test]
fn extended_instructions() {
    tells(
        Frame::Shader,
        "%set = OpExtInstImport \"GLSL.std.450\"
%clamped = OpExtInst %f32 %set FClamp %u32_1 %f32_1 %i32_1 ; glsl.same-type glsl.same-type",
    );
}

#[test]
fn functions_of_cooperative_matrices() {
    tells(
        Frame::Shader,
        "OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixReductionsEXT
OpCapability CooperativeMatrixPerElementOperationsEXT
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
OpMemoryModel Logical Vulkan
%a = OpTypeCooperativeMatrixKHR %f16 %u32_3 %u32_16 %u32_4 %u32_0
%c = OpTypeCooperativeMatrixKHR %f32 %u32_3 %u32_16 %u32_16 %u32_2
%a_0 = OpConstantComposite %a %f16_0
%c_0 = OpConstantComposite %c %f32_0
%wrong_type = OpTypeFunction %u32 %f32 %u32 %u32 %f32
%reduced = OpCooperativeMatrixReduceEXT %c %a_0 2x2|Row %main ; cooperative-matrix.reduce-matrix cooperative-matrix.reduce-mask cooperative-matrix.reduce-function
%made = OpCooperativeMatrixPerElementOpEXT %c %a_0 %wrong %a_0 ; cooperative-matrix.element-matrix cooperative-matrix.element-matrix cooperative-matrix.element-function cooperative-matrix.element-function cooperative-matrix.element-function
%wrong = OpFunction %u32 None %wrong_type
%row = OpFunctionParameter %f32
%column = OpFunctionParameter %u32
%value = OpFunctionParameter %u32
%more = OpFunctionParameter %f32
%wrong_entry = OpLabel
OpReturnValue %column
OpFunctionEnd",
    );
}

#[test]
fn graphs() {
    tells(
        Frame::WholeFor("vulkan1.3"),
        "OpCapability VulkanMemoryModel
OpCapability Shader
OpCapability TensorsARM
OpCapability GraphARM
OpExtension \"SPV_ARM_tensors\"
OpExtension \"SPV_ARM_graph\"
OpMemoryModel Logical Vulkan
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%f32_0 = OpConstant %f32 0
%undefined = OpUndef %f32
%tensor = OpTypeTensorARM %u32 %u32_1
%array = OpTypeArray %tensor %u32_2
%pointer = OpTypePointer UniformConstant %array
%in = OpVariable %pointer UniformConstant
%type = OpTypeGraphARM 1 %array %array
OpGraphEntryPointARM %graph \"main\" %u32_0 %f32_0 %in ; graph.interface graph.interface graph.interface
%graph = OpGraphARM %type
%value = OpGraphInputARM %array %u32_0
%again = OpGraphInputARM %tensor %u32_0 ; graph.input-output-type graph.duplicate
%odd = OpGraphInputARM %tensor %f32_0 %undefined ; graph.index graph.index graph.index-constant
OpGraphSetOutputARM %value %u32_0
OpGraphEndARM",
    );
}

#[test]
fn operands_of_tensors() {
    tells(
        Frame::Shader,
        "OpCapability TensorsARM
OpCapability VulkanMemoryModel
OpExtension \"SPV_ARM_tensors\"
OpMemoryModel Logical Vulkan
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%tensor = OpTypeTensorARM %u32 %u32_1
%coordinates = OpTypeArray %u32 %u32_1
%origin = OpConstantComposite %coordinates %u32_0
%ptr = OpTypePointer UniformConstant %tensor
%variable = OpVariable %ptr UniformConstant
%loaded = OpLoad %tensor %variable
OpTensorWriteARM %loaded %origin %u32_0 OutOfBoundsValueARM|MakeElementVisibleARM %u32_0 %u32_3 ; tensor.operands tensor.operands tensor.operands
%read = OpTensorReadARM %u64 %loaded %u32_0 MakeElementAvailableARM|NonPrivateElementARM %u32_1 ; tensor.element tensor.coordinates tensor.operands
%size = OpTensorQuerySizeARM %f32 %loaded %f32_0 ; tensor.query-result tensor.dimension",
    );
}

#[test]
fn bits_of_memory_semantics() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%none = OpConstant %u32 0xe000
%volatile = OpConstant %u32 0x8002
%sequential = OpConstant %u32 0x2010
%release = OpConstant %u32 0x4044
OpMemoryBarrier %u32_2 %none ; semantics.barrier-relaxed semantics.volatile-barrier semantics.availability-storage semantics.make-available semantics.make-visible
OpMemoryBarrier %u32_4 %volatile ; semantics.storage-missing semantics.invocation semantics.volatile-barrier
OpMemoryBarrier %u32_2 %sequential ; semantics.sequentially-consistent semantics.storage-missing semantics.availability-storage semantics.make-available
%loaded = OpAtomicLoad %u32 %private_u32 %u32_2 %release ; atomic.storage-class semantics.order-of-opcode semantics.make-visible",
    );
}

#[test]
fn bits_of_semantics_if_unequal() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
%ptr = OpTypePointer Workgroup %u32
%word = OpVariable %ptr Workgroup
%unequal = OpConstant %u32 0xc142
%swapped = OpAtomicCompareExchange %u32 %word %u32_2 %u32_0 %unequal %u32_1 %u32_0 ; semantics.unequal-stronger semantics.unequal-volatile semantics.unequal-storage semantics.unequal-visible",
    );
}

#[test]
fn function_pointers() {
    tells(
        Frame::Kernel,
        "OpCapability FunctionPointersINTEL
OpExtension \"SPV_INTEL_function_pointers\"
%type = OpTypeFunction %u32 %u32 %f32
%ptr = OpTypePointer CodeSectionINTEL %type
%pointer = OpConstantFunctionPointerINTEL %u32 %u32_1 ; call.function-pointer call.function-pointer
%other = OpConstantFunctionPointerINTEL %ptr %callee
%called = OpFunctionPointerCallINTEL %f32 %other %f32_1 %u32_1 ; call.function-pointer call.function-pointer call.function-pointer
%few = OpFunctionPointerCallINTEL %f32 %other %u32_1 ; call.function-pointer call.function-pointer
%callee = OpFunction %u32 None %type
%a = OpFunctionParameter %u32
%b = OpFunctionParameter %f32
%label = OpLabel
OpReturnValue %a
OpFunctionEnd",
    );
}

#[test]
fn rounding_modes() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability StorageBuffer16BitAccess
OpDecorate %sum FPRoundingMode RTP ; decoration.rounding decoration.vulkan-rounding
OpDecorate %half FPRoundingMode RTN ; decoration.vulkan-rounding decoration.rounding decoration.rounding
%ptr = OpTypePointer Private %f32
%float = OpVariable %ptr Private
%sum = OpFAdd %f32 %f32_0 %f32_1
%half = OpFConvert %f32 %f64_0
OpStore %float %half",
    );
}

#[test]
fn bits_that_nobody_knows() {
    tells(
        Frame::Shader,
        "OpStore %private_u32 %u32_1 !0xc0000020 ; binary.malformed capability.operand",
    );
}

#[test]
fn flags_of_fast_math() {
    tells(
        Frame::ShaderFor("spv1.6"),
        "OpCapability FloatControls2
OpExtension \"SPV_KHR_float_controls2\"
%flags = OpConstant %u32 0x40040010
OpExecutionModeId %main FPFastMathDefault %f32 %flags ; mode-setting.fast-math-mask mode-setting.fast-math-mask mode-setting.fast-math-mask",
    );
}

#[test]
fn operands_of_extended_instructions() {
    tells(
        Frame::Shader,
        "%set = OpExtInstImport \"GLSL.std.450\"
%parts = OpExtInst %f32 %set Modf %u32_1 %f32_0 ; glsl.same-type glsl.out-pointer
%exponent = OpExtInst %f32 %set Frexp %u32_1 %f32_0 ; glsl.same-type glsl.out-pointer
%whole = OpExtInst %f32 %set Ldexp %u32_1 %f32_0 ; glsl.same-type glsl.ldexp-exponent
%bent = OpExtInst %f32 %set Refract %u32_1 %f32_0 %u32_1 ; glsl.same-type glsl.refract-eta
%input = OpExtInst %f32 %set InterpolateAtSample %f32_0 %f32_0 ; glsl.interpolate-capability glsl.interpolant glsl.interpolate-stage glsl.interpolate-sample",
    );
}

#[test]
fn operands_of_groups_and_fields() {
    tells(
        Frame::ShaderFor("spv1.3"),
        "OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformArithmetic
%loaded = OpLoad %f32 %private_f32
%equal = OpGroupNonUniformAllEqual %u32 %u32_3 %mat4_0 ; non-uniform.vote-result non-uniform.value
%sent = OpGroupNonUniformBroadcast %f32 %u32_3 %u32_1 %loaded ; non-uniform.value non-uniform.index non-uniform.index-constant
%sum = OpGroupNonUniformFAdd %f32 %u32_3 ClusteredReduce %f32_0 %loaded ; non-uniform.cluster-size non-uniform.cluster-constant
%struct = OpTypeStruct %f32 %u32
%few = OpCompositeConstruct %struct %u32_1 ; composite.construct-count composite.constituent
%shifted = OpBitwiseOr %v2u32 %u64_1 %v2u32_0 ; bits.operand-size bits.operand-width",
    );
}

#[test]
fn places_of_texels() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability StorageImageExtendedFormats
OpDecorate %variable DescriptorSet 0
OpDecorate %variable Binding 0
%image = OpTypeImage %f32 2D 0 0 0 2 R8
%ptr = OpTypePointer UniformConstant %image
%variable = OpVariable %ptr UniformConstant
%ptr_texel = OpTypePointer Image %u32
%texel = OpImageTexelPointer %ptr_texel %variable %f32_0 %f32_1 ; image.texel-type image.coordinate image.texel-pointer-sample image.texel-pointer-format",
    );
}

#[test]
fn untyped_pointers_to_texels() {
    tells(
        Frame::ShaderFor("spv1.6"),
        "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
%image = OpTypeImage %f32 2D 0 0 0 2 R32f
%texel = OpUntypedImageTexelPointerEXT %u32 %image %u32_1 %f32_0 %u32_1 ; image.texel-pointer-result image.texel-pointer-image image.coordinate image.texel-pointer-sample",
    );
}

#[test]
fn operands_of_functions_of_opencl() {
    tells(
        Frame::Kernel,
        "%cl = OpExtInstImport \"OpenCL.std\"
%ptr_Workgroup_u8 = OpTypePointer Workgroup %u8
%format = OpVariable %ptr_Workgroup_u8 Workgroup
%written = OpExtInst %u64 %cl printf %format ; opencl-std.printf-result opencl-std.printf-format
%mixed = OpExtInst %v2f32 %cl shuffle %v2u32_0 %v4u32_0 ; opencl-std.shuffle-vector opencl-std.shuffle-mask
%both = OpExtInst %v2f32 %cl shuffle2 %v2f32_0 %v4f32_0 %v4u32_0 ; opencl-std.shuffle-vector opencl-std.shuffle-mask
%fetched = OpExtInst %f32 %cl prefetch %format %u32_1 ; opencl-std.void-result opencl-std.prefetch-pointer opencl-std.size",
    );
}

#[test]
fn operands_of_split_barriers() {
    tells(
        Frame::ShaderFor("vulkan1.3"),
        "OpCapability SplitBarrierEXT
OpExtension \"SPV_EXT_split_barrier\"
OpControlBarrierArriveEXT %u32_4 %f32_0 %f32_0 ; barrier.split-scope scope.type semantics.type",
    );
}

#[test]
fn operands_of_reflection() {
    tells(
        Frame::Shader,
        "%set = OpExtInstImport \"NonSemantic.ClspvReflection.1\"
%size = OpExtInst %void %set SpecConstantWorkgroupSize %f32_0 %f32_1 %u32_1 ; clspv-reflection.uint clspv-reflection.uint",
    );
}

#[test]
fn operands_of_block_matches() {
    tells(
        Frame::Fragment,
        "OpCapability TextureBlockMatchQCOM
OpExtension \"SPV_QCOM_image_processing\"
OpEntryPoint Fragment %main \"main\" %target %reference
%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%ptr_sampled = OpTypePointer UniformConstant %sampled
%target = OpVariable %ptr_sampled UniformConstant
%reference = OpVariable %ptr_sampled UniformConstant
%a = OpLoad %sampled %target
%b = OpLoad %sampled %reference
%match = OpImageBlockMatchSADQCOM %v4f32 %a %v2u32_0 %b %v2u32_0 %v2u32_0 ; image.processing-decoration image.processing-decoration",
    );
}
