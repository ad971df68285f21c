//! Conversions that extensions add: handles of images and samplers, acceleration
//! structures, and floats of other encodings.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{Capability, Op};

use super::numbers::SIZE;
use crate::finding::{CheckResult, all, expect};
use crate::module::Type;
use crate::rule::{Example, Frame, Rule};
use crate::rules::operation::Operation;

pub(super) static ACCELERATION_STRUCTURE: Rule = Rule {
    id: "conversion.acceleration-structure",
    class: InvalidData,
    section: "SPV_KHR_ray_query, SPV_KHR_ray_tracing",
    vuids: &[],
    text: "`OpConvertUToAccelerationStructureKHR` converts an address, a 64-bit unsigned integer or a vector of two \
           32-bit ones, to an acceleration structure.",
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

pub(super) static BFLOAT: Rule = Rule {
    id: "conversion.intel-float",
    class: InvalidData,
    section: "SPV_INTEL_bfloat16_conversion, SPV_INTEL_tensor_float32_conversion",
    vuids: &[],
    text: "`OpConvertFToBF16INTEL` converts 32-bit floats to 16-bit integers, `OpConvertBF16ToFINTEL` reverses that, \
           and `OpRoundFToTF32INTEL` rounds 32-bit floats.",
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

pub(super) static HANDLE: Rule = Rule {
    id: "conversion.handle",
    class: InvalidData,
    section: "SPV_NV_bindless_texture, SPV_INTEL_bindless_images",
    vuids: &[],
    text: "Conversions between handles and images, samplers or sampled images have the integer and the opaque type \
           that their names say. Instead of a 64-bit integer, the conversions of SPV_NV_bindless_texture can use a \
           vector of two 32-bit integers.",
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

pub(super) fn check_acceleration_structure(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let makes = m.ty(o.result) == Type::Other(Op::TypeAccelerationStructureKHR);
    let makes = expect(makes, || {
        o.result_finding(&ACCELERATION_STRUCTURE, "an acceleration structure")
    });
    let ty = o.ty(0);
    let is_address = match m.ty(ty) {
        Type::Int { width, signed } => width == 64 && !signed,
        Type::Vector { component, count } => {
            count == 2 && m.is_unsigned_scalar(component) && m.bit_width(component) == 32
        }
        _ => false,
    };
    let takes = expect(is_address, || {
        let wanted = "a 64-bit unsigned integer or a vector of two 32-bit ones";
        o.operand_finding(&ACCELERATION_STRUCTURE, 0, wanted)
    });
    all([makes, takes])
}

pub(super) fn check_intel_float(o: &Operation<'_, '_, '_>) -> CheckResult {
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
    let makes = match makes_float {
        true => expect(is_float(o.result), || o.result_finding(&BFLOAT, FLOATS)),
        false => expect(is_short(o.result), || o.result_finding(&BFLOAT, SHORTS)),
    };
    let takes = match takes_float {
        true => expect(is_float(o.ty(0)), || o.operand_finding(&BFLOAT, 0, FLOATS)),
        false => expect(is_short(o.ty(0)), || o.operand_finding(&BFLOAT, 0, SHORTS)),
    };
    all([makes, takes])?;
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&SIZE, 0, "as many components as the result"));
    }
    Ok(())
}

const INTEGER: &str = "an integer";

pub(super) fn check_handle(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_image = |ty: Id| matches!(m.ty(ty), Type::Image(_));
    let is_sampler = |ty: Id| m.ty(ty) == Type::Sampler;
    let is_sampled_image = |ty: Id| matches!(m.ty(ty), Type::SampledImage { .. });
    let (result, operand): (Id, Id) = (o.result, o.ty(0));
    // Those of `SPV_NV_bindless_texture` may come as pairs of 32-bit integers.
    let is_handle = |ty: Id| {
        let is_pair = matches!(m.ty(ty), Type::Vector { component, count: 2 }
            if m.is_int_scalar_of(component, 32));
        m.is_int_scalar(ty) || is_pair && m.has(Capability::BindlessTextureNV)
    };
    let (makes, is_made, is_taken) = match o.op {
        Op::ConvertUToImageNV | Op::ConvertHandleToImageINTEL => {
            ("an image", is_image(result), is_handle(operand))
        }
        Op::ConvertUToSamplerNV | Op::ConvertHandleToSamplerINTEL => {
            ("a sampler", is_sampler(result), is_handle(operand))
        }
        Op::ConvertUToSampledImageNV | Op::ConvertHandleToSampledImageINTEL => (
            "a sampled image",
            is_sampled_image(result),
            is_handle(operand),
        ),
        Op::ConvertImageToUNV => (INTEGER, is_handle(result), is_image(operand)),
        Op::ConvertSamplerToUNV => (INTEGER, is_handle(result), is_sampler(operand)),
        _ => (INTEGER, is_handle(result), is_sampled_image(operand)),
    };
    let makes = expect(is_made, || o.result_finding(&HANDLE, makes));
    let takes = expect(is_taken, || {
        let wanted = match o.op {
            Op::ConvertImageToUNV => "an image",
            Op::ConvertSamplerToUNV => "a sampler",
            Op::ConvertSampledImageToUNV => "a sampled image",
            _ => INTEGER,
        };
        o.operand_finding(&HANDLE, 0, wanted)
    });
    all([makes, takes])
}
