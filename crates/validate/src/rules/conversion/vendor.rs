//! Conversions that extensions add: handles of images and samplers, acceleration
//! structures, and floats of other encodings.

use crate::finding::{CheckResult, all};
use crate::pattern::{
    ACCELERATION_STRUCTURE, FLOAT, I32, IMAGE, INT, Pattern, SAMPLED_IMAGE, SAMPLER, U32, UNSIGNED,
};
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;
use spirvkit_grammar::{Capability, Op};

const ADDRESS: Pattern = Pattern::either(&[UNSIGNED.widths(&[64]), U32.vector_of(&[2])]);

pub(super) fn check_acceleration_structure(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([
        o.expect_result(&conversion::ACCELERATION_STRUCTURE, ACCELERATION_STRUCTURE),
        o.expect_operand(&conversion::ACCELERATION_STRUCTURE, 0, ADDRESS),
    ])
}

pub(super) fn check_intel_float(o: &Operation<'_, '_, '_>) -> CheckResult {
    const FLOATS: Pattern = FLOAT.scalar_or_vector().widths(&[32]);
    const SHORTS: Pattern = INT.scalar_or_vector().widths(&[16]);
    let (made, taken) = match o.op {
        Op::ConvertFToBF16INTEL => (SHORTS, FLOATS),
        Op::ConvertBF16ToFINTEL => (FLOATS, SHORTS),
        _ => (FLOATS, FLOATS),
    };
    all([
        o.expect_result(&conversion::INTEL_FLOAT, made),
        o.expect_operand(&conversion::INTEL_FLOAT, 0, taken),
    ])?;
    o.expect_size(&conversion::SIZE, 0)
}

/// Handles of `SPV_NV_bindless_texture` may come as pairs of 32-bit integers.
const BINDLESS: Pattern = Pattern::either(&[INT, I32.vector_of(&[2])]);

pub(super) fn check_handle(o: &Operation<'_, '_, '_>) -> CheckResult {
    let handle = match o.m.has(Capability::BindlessTextureNV) {
        true => BINDLESS,
        false => INT,
    };
    let (made, taken) = match o.op {
        Op::ConvertUToImageNV | Op::ConvertHandleToImageINTEL => (IMAGE, handle),
        Op::ConvertUToSamplerNV | Op::ConvertHandleToSamplerINTEL => (SAMPLER, handle),
        Op::ConvertUToSampledImageNV | Op::ConvertHandleToSampledImageINTEL => {
            (SAMPLED_IMAGE, handle)
        }
        Op::ConvertImageToUNV => (handle, IMAGE),
        Op::ConvertSamplerToUNV => (handle, SAMPLER),
        _ => (handle, SAMPLED_IMAGE),
    };
    all([
        o.expect_result(&conversion::HANDLE, made),
        o.expect_operand(&conversion::HANDLE, 0, taken),
    ])
}
