//! Conversions of numbers, from one kind or width to another.

use spirvkit_binary::Id;
use spirvkit_grammar::{FPEncoding, Op};

use crate::finding::{CheckResult, all};
use crate::module::Module;
use crate::pattern::{COOPERATIVE_MATRIX, FLOAT, INT, Pattern};
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;
use crate::rules::{arithmetic, cooperative_matrix};

/// A conversion of numbers, with what its result and its operand are to be made
/// of.
pub(super) fn check_number(
    o: &Operation<'_, '_, '_>,
    result: Pattern,
    operand: Pattern,
) -> CheckResult {
    let is_matrix = COOPERATIVE_MATRIX.matches(o.m, o.result);
    let makes = match is_matrix {
        true => result.cooperative_matrix(),
        false => result.scalar_or_vector(),
    };
    let takes = match is_matrix && COOPERATIVE_MATRIX.matches(o.m, o.ty(0)) {
        true => operand.cooperative_matrix(),
        false => operand.scalar_or_vector(),
    };
    all([
        o.expect_result(&conversion::RESULT, makes),
        o.expect_operand(&conversion::OPERAND, 0, takes),
    ])?;
    match is_matrix {
        true => cooperative_matrix::check_conversion(o)?,
        false => o.expect_size(&conversion::SIZE, 0)?,
    }
    if o.m.env.is_vulkan() {
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

pub(super) fn check_microscaling(o: &Operation<'_, '_, '_>) -> CheckResult {
    let makes = is_microscaling(o.m, o.result);
    let takes = is_microscaling(o.m, o.ty(0));
    match o.op {
        Op::FConvert if makes => {
            let wanted = "of a format other than microscaling formats in Vulkan";
            let finding = o.result_finding(&conversion::MICROSCALING, wanted);
            Err(finding.vuid(match takes {
                true => "VUID-StandaloneSpirv-OpFConvert-12467",
                false => "VUID-StandaloneSpirv-OpFConvert-12466",
            }))
        }
        Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF if makes || takes => {
            let message = format!(
                "{} can't convert to or from a microscaling format in Vulkan",
                o.op
            );
            let finding = o.finding(&conversion::MICROSCALING, message);
            Err(finding.vuid("VUID-StandaloneSpirv-OpConvertFToU-12465"))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_saturating(o: &Operation<'_, '_, '_>) -> CheckResult {
    all([
        o.expect_result(&conversion::RESULT, INT.scalar_or_vector()),
        o.expect_operand(&conversion::OPERAND, 0, INT.scalar_or_vector()),
    ])?;
    o.expect_size(&conversion::SIZE, 0)
}

pub(super) fn check_quantize(o: &Operation<'_, '_, '_>) -> CheckResult {
    let floats = FLOAT.scalar_or_vector().widths(&[32]);
    o.expect_result(&conversion::QUANTIZE_RESULT, floats)?;
    o.expect_result_type(&conversion::QUANTIZE_OPERAND, 0)
}
