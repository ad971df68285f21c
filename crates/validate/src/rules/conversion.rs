//! Conversion instructions (specification, section 3.32.11).

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{AddressingModel, Capability, FPEncoding, Op, StorageClass, Version};

use super::operation::{Operation, check_values};
use super::{Family, arithmetic, cooperative_matrix};
use crate::fault::Verdict;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};
use crate::site::Site;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ConvertFToU,
        Op::ConvertFToS,
        Op::ConvertSToF,
        Op::ConvertUToF,
        Op::UConvert,
        Op::SConvert,
        Op::FConvert,
        Op::QuantizeToF16,
        Op::ConvertPtrToU,
        Op::SatConvertSToU,
        Op::SatConvertUToS,
        Op::ConvertUToPtr,
        Op::PtrCastToGeneric,
        Op::GenericCastToPtr,
        Op::GenericCastToPtrExplicit,
        Op::Bitcast,
        Op::BitcastExtractEXT,
        Op::CooperativeMatrixConvertUseEXT,
        Op::CooperativeMatrixTransposeNV,
        Op::ConvertUToAccelerationStructureKHR,
        Op::ConvertFToBF16INTEL,
        Op::ConvertBF16ToFINTEL,
        Op::RoundFToTF32INTEL,
        Op::ConvertUToImageNV,
        Op::ConvertUToSamplerNV,
        Op::ConvertUToSampledImageNV,
        Op::ConvertImageToUNV,
        Op::ConvertSamplerToUNV,
        Op::ConvertSampledImageToUNV,
        Op::ConvertHandleToImageINTEL,
        Op::ConvertHandleToSamplerINTEL,
        Op::ConvertHandleToSampledImageINTEL,
    ],
    check,
    check_module: None,
    rules: &[
        &RESULT,
        &OPERAND,
        &SIZE,
        &SAME_WIDTH,
        &SAME_COMPONENT,
        &MICROSCALING,
        &QUANTIZE_RESULT,
        &QUANTIZE_OPERAND,
        &POINTER,
        &INTEGER_OF_POINTER,
        &LOGICAL_ADDRESSING,
        &PHYSICAL_CLASS,
        &PHYSICAL_WIDTH,
        &GENERIC_CLASS,
        &GENERIC_POINTEE,
        &BITCAST_TYPE,
        &BITCAST_POINTER,
        &BITCAST_WIDTH,
        &EXTRACT_OFFSET,
        &EXTRACT_WIDTH,
        &EXTRACT_VULKAN,
        &ACCELERATION_STRUCTURE,
        &BFLOAT,
        &HANDLE,
    ],
};

static RESULT: Rule = Rule {
    id: "conversion.result",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A conversion to F makes floating-point scalars or vectors, one to S or U integers; OpConvertFToU and \
           OpUConvert make unsigned ones. Most also convert cooperative matrices.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToU %i32 %f32_1",
        keeps: "%converted = OpConvertFToS %i32 %f32_1",
    },
};

static OPERAND: Rule = Rule {
    id: "conversion.operand",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A conversion from F takes floating-point scalars or vectors, one from S or U integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToS %i32 %u32_1",
        keeps: "%converted = OpBitcast %i32 %u32_1",
    },
};

static SIZE: Rule = Rule {
    id: "conversion.size",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A conversion keeps the number of components.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpConvertFToS %v3i32 %v2f32_0",
        keeps: "%converted = OpConvertFToS %v2i32 %v2f32_0",
    },
};

static SAME_WIDTH: Rule = Rule {
    id: "conversion.same-width",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpUConvert and OpSConvert change the width of integers. To change only the signedness, use OpBitcast.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpSConvert %i32 %u32_1",
        keeps: "%converted = OpSConvert %i32 %i64_0",
    },
};

static SAME_COMPONENT: Rule = Rule {
    id: "conversion.same-component",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpFConvert changes the width or the encoding of floats.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%converted = OpFConvert %f32 %f32_1",
        keeps: "%converted = OpFConvert %f64 %f32_1",
    },
};

static MICROSCALING: Rule = Rule {
    id: "conversion.microscaling",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-OpConvertFToU-12465",
        "VUID-StandaloneSpirv-OpFConvert-12466",
    ],
    text: "In Vulkan the microscaling formats of SPV_EXT_ocp_microscaling_types can only be converted to other floats \
           with OpFConvert.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability Float4EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%fp4 = OpTypeFloat 4 Float4E2M1EXT
%small = OpUndef %fp4
%converted = OpConvertFToU %u32 %small",
        keeps: "OpCapability Float4EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%fp4 = OpTypeFloat 4 Float4E2M1EXT
%small = OpUndef %fp4
%converted = OpFConvert %f32 %small",
    },
};

static QUANTIZE_RESULT: Rule = Rule {
    id: "conversion.quantize-result",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpQuantizeToF16 makes a 32-bit floating-point scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quantized = OpQuantizeToF16 %f16 %f16_0",
        keeps: "%quantized = OpQuantizeToF16 %f32 %f32_0",
    },
};

static QUANTIZE_OPERAND: Rule = Rule {
    id: "conversion.quantize-operand",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpQuantizeToF16 keeps the type of its operand.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%quantized = OpQuantizeToF16 %f32 %v2f32_0",
        keeps: "%quantized = OpQuantizeToF16 %f32 %f32_0",
    },
};

static POINTER: Rule = Rule {
    id: "conversion.pointer",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpConvertPtrToU and the casts from and to Generic take pointers, OpConvertUToPtr and these casts make \
           pointers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%number = OpConvertPtrToU %u64 %u64_1",
        keeps: "%number = OpConvertPtrToU %u64 %workgroup_u32",
    },
};

static INTEGER_OF_POINTER: Rule = Rule {
    id: "conversion.integer-of-pointer",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpConvertPtrToU makes an unsigned integer scalar, OpConvertUToPtr takes an integer scalar. With \
           MaskedGatherScatterINTEL they convert vectors of pointers to and from vectors of integers of the same size.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%pointer = OpConvertUToPtr %ptr_Workgroup_u32 %f32_1",
        keeps: "%pointer = OpConvertUToPtr %ptr_Workgroup_u32 %u64_1",
    },
};

static LOGICAL_ADDRESSING: Rule = Rule {
    id: "conversion.logical-addressing",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "With logical addressing pointers have no value that could be converted.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability Addresses
%number = OpConvertPtrToU %u32 %private_u32",
        keeps: "OpNop",
    },
};

static PHYSICAL_CLASS: Rule = Rule {
    id: "conversion.physical-class",
    class: InvalidData,
    section: "SPV_KHR_physical_storage_buffer",
    vuids: &[],
    text: "With the addressing model PhysicalStorageBuffer64 only pointers to PhysicalStorageBuffer have a value that \
           can be converted.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%number = OpConvertPtrToU %u64 %private_u32",
        keeps: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u64_1
%number = OpConvertPtrToU %u64 %pointer",
    },
};

static PHYSICAL_WIDTH: Rule = Rule {
    id: "conversion.physical-width",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710"],
    text: "In Vulkan, with the addressing model PhysicalStorageBuffer64, pointers are converted to and from 64-bit \
           integers.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.2"),
        breaks: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u32_1",
        keeps: "OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%ptr = OpTypePointer PhysicalStorageBuffer %u32
%pointer = OpConvertUToPtr %ptr %u64_1",
    },
};

static GENERIC_CLASS: Rule = Rule {
    id: "conversion.generic-class",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "Pointers to Workgroup, CrossWorkgroup, Function and CodeSectionINTEL are cast to Generic pointers and back. \
           OpGenericCastToPtrExplicit names the storage class of its result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr_Workgroup_u32 %workgroup_u32",
        keeps: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
    },
};

static GENERIC_POINTEE: Rule = Rule {
    id: "conversion.generic-pointee",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "A cast from or to Generic keeps the type that is pointed to.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %f32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
        keeps: "OpCapability GenericPointer
%ptr = OpTypePointer Generic %u32
%cast = OpPtrCastToGeneric %ptr %workgroup_u32",
    },
};

static BITCAST_TYPE: Rule = Rule {
    id: "conversion.bitcast-type",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpBitcast reinterprets pointers, numbers, and vectors and cooperative matrices of numbers. A boolean has no \
           bits that could be seen: choose numbers with OpSelect.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%bits = OpBitcast %u32 %true",
        keeps: "%bits = OpSelect %u32 %true %u32_1 %u32_0",
    },
};

static BITCAST_POINTER: Rule = Rule {
    id: "conversion.bitcast-pointer",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpBitcast makes pointers of pointers and of integer scalars, and the other way round; from SPIR-V 1.5 on \
           also of vectors of 32-bit integers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%bits = OpBitcast %f64 %workgroup_u32",
        keeps: "%bits = OpBitcast %u64 %workgroup_u32",
    },
};

static BITCAST_WIDTH: Rule = Rule {
    id: "conversion.bitcast-width",
    class: InvalidData,
    section: "3.32.11",
    vuids: &[],
    text: "OpBitcast keeps the total number of bits.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%bits = OpBitcast %u32 %f64_0",
        keeps: "%bits = OpBitcast %v2u32 %f64_0",
    },
};

static EXTRACT_OFFSET: Rule = Rule {
    id: "conversion.extract-offset",
    class: InvalidData,
    section: "SPV_EXT_ocp_microscaling_types",
    vuids: &[],
    text: "The offset of OpBitcastExtractEXT is an integer scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability BitcastExtractEXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%bits = OpBitcastExtractEXT %u16 %u32_1 %f32_0",
        keeps: "OpCapability BitcastExtractEXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%bits = OpBitcastExtractEXT %u16 %u32_1 %u32_0",
    },
};

static EXTRACT_WIDTH: Rule = Rule {
    id: "conversion.extract-width",
    class: InvalidData,
    section: "SPV_EXT_ocp_microscaling_types",
    vuids: &[],
    text: "OpBitcastExtractEXT makes numbers that have fewer bits than those that they are taken from.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability BitcastExtractEXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%bits = OpBitcastExtractEXT %i32 %u32_1 %u32_0",
        keeps: "OpCapability BitcastExtractEXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%bits = OpBitcastExtractEXT %u16 %u32_1 %u32_0",
    },
};

static EXTRACT_VULKAN: Rule = Rule {
    id: "conversion.extract-vulkan",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &[
        "VUID-StandaloneSpirv-Result-12468",
        "VUID-StandaloneSpirv-Base-12469",
    ],
    text: "In Vulkan, OpBitcastExtractEXT takes 4-bit or 6-bit floats from integers.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability BitcastExtractEXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%bits = OpBitcastExtractEXT %u16 %u32_1 %u32_0",
        keeps: "OpCapability BitcastExtractEXT
OpCapability Float4EXT
OpExtension \"SPV_EXT_ocp_microscaling_types\"
%fp4 = OpTypeFloat 4 Float4E2M1EXT
%bits = OpBitcastExtractEXT %fp4 %u32_1 %u32_0",
    },
};

static ACCELERATION_STRUCTURE: Rule = Rule {
    id: "conversion.acceleration-structure",
    class: InvalidData,
    section: "SPV_KHR_ray_query, SPV_KHR_ray_tracing",
    vuids: &[],
    text: "OpConvertUToAccelerationStructureKHR makes an acceleration structure of its address, a 64-bit unsigned \
           integer or a vector of two 32-bit ones.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability RayQueryKHR
OpExtension \"SPV_KHR_ray_query\"
%structure = OpTypeAccelerationStructureKHR
%s = OpConvertUToAccelerationStructureKHR %structure %i64_0",
        keeps: "OpCapability RayQueryKHR
OpExtension \"SPV_KHR_ray_query\"
%structure = OpTypeAccelerationStructureKHR
%s = OpConvertUToAccelerationStructureKHR %structure %u64_1",
    },
};

static BFLOAT: Rule = Rule {
    id: "conversion.intel-float",
    class: InvalidData,
    section: "SPV_INTEL_bfloat16_conversion, SPV_INTEL_tensor_float32_conversion",
    vuids: &[],
    text: "OpConvertFToBF16INTEL makes 16-bit integers of 32-bit floats, OpConvertBF16ToFINTEL reverses that, and \
           OpRoundFToTF32INTEL makes 32-bit floats of 32-bit floats.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability BFloat16ConversionINTEL
OpExtension \"SPV_INTEL_bfloat16_conversion\"
%converted = OpConvertFToBF16INTEL %u32 %f32_1",
        keeps: "OpCapability BFloat16ConversionINTEL
OpExtension \"SPV_INTEL_bfloat16_conversion\"
%converted = OpConvertFToBF16INTEL %u16 %f32_1",
    },
};

static HANDLE: Rule = Rule {
    id: "conversion.handle",
    class: InvalidData,
    section: "SPV_NV_bindless_texture, SPV_INTEL_bindless_images",
    vuids: &[],
    text: "Conversions between handles and images, samplers or sampled images have the integer and the opaque type \
           that their names say.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Int64
OpCapability BindlessTextureNV
OpExtension \"SPV_NV_bindless_texture\"
OpMemoryModel Logical GLSL450
OpSamplerImageAddressingModeNV 64
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u64 = OpTypeInt 64 0
%u64_1 = OpConstant %u64 1
%sampler = OpTypeSampler
%main = OpFunction %void None %fn_void
%entry = OpLabel
%s = OpConvertUToImageNV %sampler %u64_1
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Shader
OpCapability Int64
OpCapability BindlessTextureNV
OpExtension \"SPV_NV_bindless_texture\"
OpMemoryModel Logical GLSL450
OpSamplerImageAddressingModeNV 64
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%u64 = OpTypeInt 64 0
%u64_1 = OpConstant %u64 1
%sampler = OpTypeSampler
%main = OpFunction %void None %fn_void
%entry = OpLabel
%s = OpConvertUToSamplerNV %sampler %u64_1
OpReturn
OpFunctionEnd",
    },
};

fn check(at: &Site<'_, '_>) -> Verdict {
    check_values(at, check_operation)
}

/// What the components of a numeric type are to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Int,
    Unsigned,
}

impl Kind {
    fn accepts(self, m: &Module<'_>, component: Id) -> bool {
        match (self, m.ty(component)) {
            (Self::Float, Type::Float { .. }) | (Self::Int, Type::Int { .. }) => true,
            (Self::Unsigned, Type::Int { signed, .. }) => !signed,
            _ => false,
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Float => "a floating-point scalar or vector",
            Self::Int => "an integer scalar or vector",
            Self::Unsigned => "an unsigned integer scalar or vector",
        }
    }
}

pub(super) fn check_operation(o: &Operation<'_, '_, '_>) -> Verdict {
    match o.op {
        Op::ConvertFToU => check_number(o, Kind::Unsigned, Kind::Float),
        Op::ConvertFToS => check_number(o, Kind::Int, Kind::Float),
        Op::ConvertSToF | Op::ConvertUToF => check_number(o, Kind::Float, Kind::Int),
        Op::UConvert | Op::SConvert => {
            let result = match o.op {
                Op::UConvert => Kind::Unsigned,
                _ => Kind::Int,
            };
            check_number(o, result, Kind::Int)?;
            if o.m.bit_width(o.ty(0)) == o.m.bit_width(o.result) {
                return Err(o.mismatch(&SAME_WIDTH, 0, "another width than the result"));
            }
            Ok(())
        }
        Op::FConvert => {
            check_number(o, Kind::Float, Kind::Float)?;
            if o.m.component_type(o.ty(0)) == o.m.component_type(o.result) {
                let wanted = "components of another type than the result";
                return Err(o.mismatch(&SAME_COMPONENT, 0, wanted));
            }
            Ok(())
        }
        Op::SatConvertSToU | Op::SatConvertUToS => check_saturating(o),
        Op::QuantizeToF16 => check_quantize(o),
        Op::ConvertPtrToU => check_pointer_to_integer(o),
        Op::ConvertUToPtr => check_integer_to_pointer(o),
        Op::PtrCastToGeneric | Op::GenericCastToPtr | Op::GenericCastToPtrExplicit => {
            check_generic(o)
        }
        Op::Bitcast => check_bitcast(o),
        Op::BitcastExtractEXT => check_extract(o),
        Op::CooperativeMatrixConvertUseEXT | Op::CooperativeMatrixTransposeNV => {
            cooperative_matrix::check_use_conversion(o)
        }
        Op::ConvertUToAccelerationStructureKHR => check_acceleration_structure(o),
        Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL | Op::RoundFToTF32INTEL => {
            check_intel_float(o)
        }
        _ => check_handle(o),
    }
}

/// A conversion of numbers, with what its result and its operand are to be made
/// of.
fn check_number(o: &Operation<'_, '_, '_>, result: Kind, operand: Kind) -> Verdict {
    let m = o.m;
    let is_matrix = m.is_cooperative_matrix(o.result);
    let component = match is_matrix {
        true => m.component_type(o.result),
        false => m.scalar_or_vector_component(o.result),
    };
    if !result.accepts(m, component) {
        return Err(o.result_fault(&RESULT, result.wanted()));
    }
    let ty = o.ty(0);
    let component = match is_matrix && m.is_cooperative_matrix(ty) {
        true => m.component_type(ty),
        false => m.scalar_or_vector_component(ty),
    };
    if !operand.accepts(m, component) {
        return Err(o.operand_fault(&OPERAND, 0, operand.wanted()));
    }
    if is_matrix {
        cooperative_matrix::check_conversion(o)?;
    } else if !o.same_dimension(ty, o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    if m.env.is_vulkan() {
        check_microscaling(o)?;
    }
    Ok(())
}

/// Whether the components have one of the formats of
/// `SPV_EXT_ocp_microscaling_types`.
fn is_microscaling(m: &Module<'_>, ty: Id) -> bool {
    arithmetic::encoding(m, ty).is_some_and(|encoding| {
        matches!(
            encoding,
            FPEncoding::Float6E2M3EXT
                | FPEncoding::Float6E3M2EXT
                | FPEncoding::Float4E2M1EXT
                | FPEncoding::Float8UnsignedE8M0EXT
                | FPEncoding::MXInt8EXT
        )
    })
}

fn check_microscaling(o: &Operation<'_, '_, '_>) -> Verdict {
    let makes = is_microscaling(o.m, o.result);
    let takes = is_microscaling(o.m, o.ty(0));
    match o.op {
        Op::FConvert if makes => {
            let wanted = "of another format than those of microscaling in Vulkan";
            let fault = o.result_fault(&MICROSCALING, wanted);
            Err(fault.vuid("VUID-StandaloneSpirv-OpFConvert-12466"))
        }
        Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF if makes || takes => {
            let message = format!("{} takes or makes a microscaling format in Vulkan", o.op);
            let fault = o.fault(&MICROSCALING, message);
            Err(fault.vuid("VUID-StandaloneSpirv-OpConvertFToU-12465"))
        }
        _ => Ok(()),
    }
}

fn check_saturating(o: &Operation<'_, '_, '_>) -> Verdict {
    if !o.m.is_int_scalar_or_vector(o.result) {
        return Err(o.result_fault(&RESULT, Kind::Int.wanted()));
    }
    if !o.m.is_int_scalar_or_vector(o.ty(0)) {
        return Err(o.operand_fault(&OPERAND, 0, Kind::Int.wanted()));
    }
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    Ok(())
}

fn check_quantize(o: &Operation<'_, '_, '_>) -> Verdict {
    if !o.m.is_float_scalar_or_vector(o.result) || o.m.bit_width(o.result) != 32 {
        return Err(o.result_fault(&QUANTIZE_RESULT, "a 32-bit floating-point scalar or vector"));
    }
    if o.ty(0) != o.result {
        return Err(o.mismatch(&QUANTIZE_OPERAND, 0, "the result type"));
    }
    Ok(())
}

/// A pointer type, or that of the components of a vector of pointers, with the
/// number of components; 0 for a single pointer.
fn pointer(m: &Module<'_>, ty: Id) -> Option<(StorageClass, u32)> {
    match m.ty(ty) {
        Type::Vector { component, count } if m.has(Capability::MaskedGatherScatterINTEL) => {
            Some((m.pointer_class(component)?, count))
        }
        _ => Some((m.pointer_class(ty)?, 0)),
    }
}

/// The number of components of an integer vector; 0 for a scalar.
fn integer(m: &Module<'_>, ty: Id) -> Option<u32> {
    match m.ty(ty) {
        Type::Int { .. } => Some(0),
        Type::Vector { component, count }
            if m.is_int_scalar(component) && m.has(Capability::MaskedGatherScatterINTEL) =>
        {
            Some(count)
        }
        _ => None,
    }
}

/// What the addressing model says of conversions between pointers of a class and
/// integers of a type.
fn check_addressing(o: &Operation<'_, '_, '_>, class: StorageClass, integer: Id) -> Verdict {
    let m = o.m;
    match m.addressing {
        AddressingModel::Logical => {
            let message = format!("{} has no meaning with logical addressing", o.op);
            Err(o.fault(&LOGICAL_ADDRESSING, message))
        }
        AddressingModel::PhysicalStorageBuffer64 => {
            if class != StorageClass::PhysicalStorageBuffer {
                let message = format!(
                    "{} converts pointers to PhysicalStorageBuffer with the addressing model \
                     PhysicalStorageBuffer64, but this one points to {class}",
                    o.op
                );
                return Err(o.fault(&PHYSICAL_CLASS, message));
            }
            if m.env.is_vulkan() && m.bit_width(integer) != 64 {
                let message = format!(
                    "{} needs a 64-bit integer in Vulkan, but has a {}",
                    o.op,
                    m.show_type(integer)
                );
                return Err(o.fault(&PHYSICAL_WIDTH, message));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_pointer_to_integer(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let count = integer(m, o.result).filter(|_| m.is_unsigned_scalar_or_vector(o.result));
    let Some(count) = count else {
        return Err(o.result_fault(&INTEGER_OF_POINTER, "an unsigned integer scalar"));
    };
    let Some((class, pointers)) = pointer(m, o.ty(0)) else {
        return Err(o.operand_fault(&POINTER, 0, "a pointer"));
    };
    if pointers != count {
        return Err(o.mismatch(&INTEGER_OF_POINTER, 0, "as many components as the result"));
    }
    check_addressing(o, class, o.result)
}

fn check_integer_to_pointer(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let Some((class, pointers)) = pointer(m, o.result) else {
        return Err(o.result_fault(&POINTER, "a pointer"));
    };
    let Some(count) = integer(m, o.ty(0)) else {
        return Err(o.operand_fault(&INTEGER_OF_POINTER, 0, "an integer scalar"));
    };
    if pointers != count {
        return Err(o.mismatch(&INTEGER_OF_POINTER, 0, "as many components as the result"));
    }
    check_addressing(o, class, o.ty(0))
}

fn check_generic(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let Some(to) = m.pointer_class(o.result) else {
        return Err(o.result_fault(&POINTER, "a pointer"));
    };
    let Some(from) = m.pointer_class(o.ty(0)) else {
        return Err(o.operand_fault(&POINTER, 0, "a pointer"));
    };
    let (generic, specific) = match o.op {
        Op::PtrCastToGeneric => (to, from),
        _ => (from, to),
    };
    let is_specific = matches!(
        specific,
        StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Function
            | StorageClass::CodeSectionINTEL
    );
    if generic != StorageClass::Generic || !is_specific {
        let message = format!(
            "{} casts between Generic and Workgroup, CrossWorkgroup, Function or CodeSectionINTEL, but here from {from} \
             to {to}",
            o.op
        );
        let fault = o.fault(&GENERIC_CLASS, message);
        return Err(fault.about(m, o.id(0), "the pointer is defined here"));
    }
    if o.op == Op::GenericCastToPtrExplicit && StorageClass(o.arg(1)) != to {
        let message = format!(
            "{} casts to {}, but its result points to {to}",
            o.op,
            StorageClass(o.arg(1))
        );
        return Err(o.fault(&GENERIC_CLASS, message));
    }
    if let (Some(old), Some(new)) = (m.pointee(o.ty(0)), m.pointee(o.result))
        && old != new
    {
        return Err(o.mismatch(&GENERIC_POINTEE, 0, "the pointee of the result type"));
    }
    Ok(())
}

/// Whether numbers or vectors of them, but not booleans.
fn is_numeric(m: &Module<'_>, ty: Id) -> bool {
    m.is_int_scalar_or_vector(ty) || m.is_float_scalar_or_vector(ty)
}

fn check_bitcast(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let (to, from) = (o.result, o.ty(0));
    let wanted = "a pointer, or an integer or floating-point scalar or vector";
    let is_fine = |ty: Id| m.is_pointer(ty) || is_numeric(m, ty) || m.is_cooperative_matrix(ty);
    if !is_fine(to) {
        return Err(o.result_fault(&BITCAST_TYPE, wanted));
    }
    if !is_fine(from) {
        return Err(o.operand_fault(&BITCAST_TYPE, 0, wanted));
    }
    if m.is_cooperative_matrix(to) || m.is_cooperative_matrix(from) {
        if m.is_cooperative_matrix(to) != m.is_cooperative_matrix(from) {
            let wanted = "the kind of the result, as one of them is a cooperative matrix";
            return Err(o.mismatch(&BITCAST_TYPE, 0, wanted));
        }
        cooperative_matrix::check_same_shape(o, 0)?;
    }
    if m.is_pointer(to) != m.is_pointer(from) {
        let number = if m.is_pointer(to) { from } else { to };
        let vectors =
            m.version >= Version::V1_5 || m.has_extension("SPV_KHR_physical_storage_buffer");
        let is_fine = m.is_int_scalar(number)
            || vectors && m.is_int_vector(number) && m.bit_width(number) == 32;
        if !is_fine {
            let wanted = match vectors {
                true => "a pointer, an integer scalar or a vector of 32-bit integers",
                false => "a pointer or an integer scalar",
            };
            return Err(match m.is_pointer(to) {
                true => o.operand_fault(&BITCAST_POINTER, 0, wanted),
                false => o.result_fault(&BITCAST_POINTER, wanted),
            });
        }
        return Ok(());
    }
    if !m.is_pointer(to) {
        let (new, old) = (total_width(m, to), total_width(m, from));
        if let (Some(new), Some(old)) = (new, old)
            && new != old
        {
            let message = format!(
                "OpBitcast keeps all bits, but makes {new} bits of the {old} bits of {}",
                m.show_value(o.id(0))
            );
            return Err(o.fault(&BITCAST_WIDTH, message));
        }
    }
    Ok(())
}

/// The bits of a number or vector; `None` if specialization may change it. For
/// a matrix, of one component.
fn total_width(m: &Module<'_>, ty: Id) -> Option<u64> {
    let count = match m.is_cooperative_matrix(ty) {
        true => 1,
        false => m.dimension(ty),
    };
    (count > 0).then(|| u64::from(count) * u64::from(m.bit_width(ty)))
}

fn check_extract(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    if !is_numeric(m, o.result) {
        return Err(o.result_fault(&RESULT, "an integer or floating-point scalar or vector"));
    }
    let base = o.ty(0);
    if !is_numeric(m, base) {
        let wanted = "an integer or floating-point scalar or vector";
        return Err(o.operand_fault(&OPERAND, 0, wanted));
    }
    if !o.same_dimension(base, o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    if m.bit_width(base) <= m.bit_width(o.result) {
        return Err(o.mismatch(&EXTRACT_WIDTH, 0, "wider components than the result"));
    }
    if !m.is_int_scalar(o.ty(1)) {
        return Err(o.operand_fault(&EXTRACT_OFFSET, 1, "an integer scalar"));
    }
    if m.env.is_vulkan() {
        let is_small = matches!(
            arithmetic::encoding(m, o.result),
            Some(FPEncoding::Float4E2M1EXT | FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT)
        );
        if !is_small {
            let fault = o.result_fault(&EXTRACT_VULKAN, "of 4-bit or 6-bit floats in Vulkan");
            return Err(fault.vuid("VUID-StandaloneSpirv-Result-12468"));
        }
        if !m.is_int_scalar_or_vector(base) {
            let wanted = "an integer scalar or vector in Vulkan";
            let fault = o.operand_fault(&EXTRACT_VULKAN, 0, wanted);
            return Err(fault.vuid("VUID-StandaloneSpirv-Base-12469"));
        }
    }
    Ok(())
}

fn check_acceleration_structure(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    if m.ty(o.result) != Type::Other(Op::TypeAccelerationStructureKHR) {
        return Err(o.result_fault(&ACCELERATION_STRUCTURE, "an acceleration structure"));
    }
    let ty = o.ty(0);
    let is_address = match m.ty(ty) {
        Type::Int { width, signed } => width == 64 && !signed,
        Type::Vector { component, count } => {
            count == 2 && m.is_unsigned_scalar(component) && m.bit_width(component) == 32
        }
        _ => false,
    };
    if !is_address {
        let wanted = "a 64-bit unsigned integer or a vector of two 32-bit ones";
        return Err(o.operand_fault(&ACCELERATION_STRUCTURE, 0, wanted));
    }
    Ok(())
}

fn check_intel_float(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let is_float = |ty: Id| m.is_float_scalar_or_vector(ty) && m.bit_width(ty) == 32;
    let is_short = |ty: Id| m.is_int_scalar_or_vector(ty) && m.bit_width(ty) == 16;
    const FLOATS: &str = "a 32-bit floating-point scalar or vector";
    const SHORTS: &str = "a 16-bit integer scalar or vector";
    let (makes_float, takes_float) = match o.op {
        Op::ConvertFToBF16INTEL => (false, true),
        Op::ConvertBF16ToFINTEL => (true, false),
        _ => (true, true),
    };
    match makes_float {
        true if !is_float(o.result) => return Err(o.result_fault(&BFLOAT, FLOATS)),
        false if !is_short(o.result) => return Err(o.result_fault(&BFLOAT, SHORTS)),
        _ => {}
    }
    match takes_float {
        true if !is_float(o.ty(0)) => return Err(o.operand_fault(&BFLOAT, 0, FLOATS)),
        false if !is_short(o.ty(0)) => return Err(o.operand_fault(&BFLOAT, 0, SHORTS)),
        _ => {}
    }
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    Ok(())
}

fn check_handle(o: &Operation<'_, '_, '_>) -> Verdict {
    let m = o.m;
    let is_image = |ty: Id| matches!(m.ty(ty), Type::Image(_));
    let is_sampler = |ty: Id| m.ty(ty) == Type::Sampler;
    let is_sampled_image = |ty: Id| matches!(m.ty(ty), Type::SampledImage { .. });
    let (result, operand): (Id, Id) = (o.result, o.ty(0));
    let (makes, is_made, is_taken) = match o.op {
        Op::ConvertUToImageNV | Op::ConvertHandleToImageINTEL => {
            ("an image", is_image(result), m.is_int_scalar(operand))
        }
        Op::ConvertUToSamplerNV | Op::ConvertHandleToSamplerINTEL => {
            ("a sampler", is_sampler(result), m.is_int_scalar(operand))
        }
        Op::ConvertUToSampledImageNV | Op::ConvertHandleToSampledImageINTEL => (
            "a sampled image",
            is_sampled_image(result),
            m.is_int_scalar(operand),
        ),
        Op::ConvertImageToUNV => ("an integer", m.is_int_scalar(result), is_image(operand)),
        Op::ConvertSamplerToUNV => ("an integer", m.is_int_scalar(result), is_sampler(operand)),
        _ => (
            "an integer",
            m.is_int_scalar(result),
            is_sampled_image(operand),
        ),
    };
    if !is_made {
        return Err(o.result_fault(&HANDLE, makes));
    }
    if !is_taken {
        let wanted = match o.op {
            Op::ConvertImageToUNV => "an image",
            Op::ConvertSamplerToUNV => "a sampler",
            Op::ConvertSampledImageToUNV => "a sampled image",
            _ => "an integer",
        };
        return Err(o.operand_fault(&HANDLE, 0, wanted));
    }
    Ok(())
}
