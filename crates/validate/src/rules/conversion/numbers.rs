//! Conversions of numbers, from one kind or width to another.

use spirvkit_binary::Id;
use spirvkit_grammar::{FPEncoding, Op};

use crate::finding::{CheckResult, all, expect};
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::conversion;
use crate::rules::operation::Operation;
use crate::rules::{arithmetic, cooperative_matrix};

/// What the components of a numeric type are to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

/// A conversion of numbers, with what its result and its operand are to be made
/// of.
pub(super) fn check_number(o: &Operation<'_, '_, '_>, result: Kind, operand: Kind) -> CheckResult {
    let m = o.m;
    let is_matrix = m.is_cooperative_matrix(o.result);
    let component = match is_matrix {
        true => m.component_type(o.result),
        false => m.scalar_or_vector_component(o.result),
    };
    let makes = expect(result.accepts(m, component), || {
        o.result_finding(&conversion::RESULT, result.wanted())
    });
    let ty = o.ty(0);
    let component = match is_matrix && m.is_cooperative_matrix(ty) {
        true => m.component_type(ty),
        false => m.scalar_or_vector_component(ty),
    };
    let takes = expect(operand.accepts(m, component), || {
        o.operand_finding(&conversion::OPERAND, 0, operand.wanted())
    });
    all([makes, takes])?;
    if is_matrix {
        cooperative_matrix::check_conversion(o)?;
    } else if !o.same_dimension(ty, o.result) {
        return Err(o.mismatch(&conversion::SIZE, 0, "as many components as the result"));
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

pub(super) fn check_microscaling(o: &Operation<'_, '_, '_>) -> CheckResult {
    let makes = is_microscaling(o.m, o.result);
    let takes = is_microscaling(o.m, o.ty(0));
    match o.op {
        Op::FConvert if makes => {
            let wanted = "of a format other than microscaling formats in Vulkan";
            let finding = o.result_finding(&conversion::MICROSCALING, wanted);
            Err(finding.vuid("VUID-StandaloneSpirv-OpFConvert-12466"))
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
        expect(o.m.is_int_scalar_or_vector(o.result), || {
            o.result_finding(&conversion::RESULT, Kind::Int.wanted())
        }),
        expect(o.m.is_int_scalar_or_vector(o.ty(0)), || {
            o.operand_finding(&conversion::OPERAND, 0, Kind::Int.wanted())
        }),
    ])?;
    if !o.same_dimension(o.ty(0), o.result) {
        return Err(o.mismatch(&conversion::SIZE, 0, "as many components as the result"));
    }
    Ok(())
}

pub(super) fn check_quantize(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !o.m.is_float_scalar_or_vector(o.result) || o.m.bit_width(o.result) != 32 {
        return Err(o.result_finding(
            &conversion::QUANTIZE_RESULT,
            "a 32-bit floating-point scalar or vector",
        ));
    }
    if o.ty(0) != o.result {
        return Err(o.mismatch(&conversion::QUANTIZE_OPERAND, 0, "the result type"));
    }
    Ok(())
}
