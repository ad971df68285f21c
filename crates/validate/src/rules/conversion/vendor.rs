//! Conversions that extensions add: handles of images and samplers, acceleration
//! structures, and floats of other encodings.

use crate::finding::{CheckResult, all, expect};
use crate::module::{Lookup, Type};
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Op};

pub(super) fn check_acceleration_structure(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let makes = m.ty(o.result) == Type::Other(Op::TypeAccelerationStructureKHR);
    let makes = expect(makes, || {
        o.result_finding(
            &conversion::ACCELERATION_STRUCTURE,
            "an acceleration structure",
        )
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
        o.operand_finding(&conversion::ACCELERATION_STRUCTURE, 0, wanted)
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
        true => expect(is_float(o.result), || {
            o.result_finding(&conversion::INTEL_FLOAT, FLOATS)
        }),
        false => expect(is_short(o.result), || {
            o.result_finding(&conversion::INTEL_FLOAT, SHORTS)
        }),
    };
    let takes = match takes_float {
        true => expect(is_float(o.ty(0)), || {
            o.operand_finding(&conversion::INTEL_FLOAT, 0, FLOATS)
        }),
        false => expect(is_short(o.ty(0)), || {
            o.operand_finding(&conversion::INTEL_FLOAT, 0, SHORTS)
        }),
    };
    all([makes, takes])?;
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&conversion::SIZE, 0, "as many components as the result"));
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
    let makes = expect(is_made, || o.result_finding(&conversion::HANDLE, makes));
    let takes = expect(is_taken, || {
        let wanted = match o.op {
            Op::ConvertImageToUNV => "an image",
            Op::ConvertSamplerToUNV => "a sampler",
            Op::ConvertSampledImageToUNV => "a sampled image",
            _ => INTEGER,
        };
        o.operand_finding(&conversion::HANDLE, 0, wanted)
    });
    all([makes, takes])
}
