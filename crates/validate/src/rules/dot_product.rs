//! Dot products of integers (`SPV_KHR_integer_dot_product`) and of small floats
//! (`SPV_VALVE_mixed_float_dot_product`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, FPEncoding, Op};

use super::operation::{Operation, check_values};
use super::{Family, arithmetic};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{F32, FLOAT, I32, INT, Pattern, UNSIGNED};
use crate::rules::generated::dot_product;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::SDot,
        Op::UDot,
        Op::SUDot,
        Op::SDotAccSat,
        Op::UDotAccSat,
        Op::SUDotAccSat,
        Op::FDot2MixAcc32VALVE,
        Op::FDot2MixAcc16VALVE,
        Op::FDot4MixAcc32VALVE,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::FDot2MixAcc32VALVE | Op::FDot2MixAcc16VALVE | Op::FDot4MixAcc32VALVE => {
            check_values(at, check_mixed)
        }
        _ => check_values(at, check_integer),
    }
}

fn check_integer(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let all_unsigned = matches!(o.op, Op::UDot | Op::UDotAccSat);
    let second_unsigned = all_unsigned || matches!(o.op, Op::SUDot | Op::SUDotAccSat);
    let made = if all_unsigned { UNSIGNED } else { INT };
    o.expect_result(&dot_product::RESULT, made)?;
    let vectors = 0..2;
    all(vectors.map(|index| o.expect_operand(&dot_product::VECTOR, index, INT.scalar_or_vector())))?;
    let (first, second) = (o.ty(0), o.ty(1));
    let is_packed = m.is_int_scalar(first);
    if is_packed != m.is_int_scalar(second)
        || m.bit_width(first) != m.bit_width(second)
        || !m.same_dimension(first, second)
    {
        return Err(o.pair_finding(&dot_product::SAME, "two vectors of the same kind"));
    }
    let accumulates = matches!(o.op, Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let format = o.args.get(if accumulates { 3 } else { 2 });
    let input = match is_packed {
        true => check_packed(o, format.is_some()),
        false => check_unpacked(o, format.is_some(), [all_unsigned, second_unsigned]),
    };
    // The components of a packed vector have 8 bits.
    let component = if is_packed { 8 } else { m.bit_width(first) };
    let is_wide = m.bit_width(o.result) >= component;
    let wanted = "at least as wide as the components";
    let width = o.expect_result_that(&dot_product::WIDTH, is_wide, wanted);
    all([input, width, check_accumulator(o, accumulates)])
}

fn check_packed(o: &Operation<'_, '_, '_>, has_format: bool) -> CheckResult {
    let m = o.m;
    all([
        expect(m.has(Capability::DotProductInput4x8BitPacked), || {
            let message = format!(
                "{} needs the capability `DotProductInput4x8BitPacked` for packed vectors",
                o.op
            );
            o.finding(&dot_product::INPUT, message)
        }),
        o.expect_operand(&dot_product::PACKED, 0, I32),
        expect(has_format, || {
            let message = format!("{} must name the format of its packed vectors", o.op);
            o.finding(&dot_product::PACKED, message)
        }),
    ])
}

/// Checks vectors of which some may have to be unsigned.
fn check_unpacked(o: &Operation<'_, '_, '_>, has_format: bool, unsigned: [bool; 2]) -> CheckResult {
    let m = o.m;
    let first = o.ty(0);
    let is_small = m.bit_width(first) == 8 && m.dimension(first) == 4;
    let is_allowed = m.has(Capability::DotProductInputAll)
        || is_small && m.has(Capability::DotProductInput4x8Bit);
    let signs = unsigned
        .into_iter()
        .enumerate()
        .map(|(index, unsigned)| match unsigned {
            true => o.expect_operand(&dot_product::SIGN, index, UNSIGNED.vector()),
            false => Ok(()),
        });
    all([
        expect(is_allowed, || {
            let message = format!(
                "{} needs the capability `DotProductInputAll` for {}",
                o.op,
                m.show_type(first)
            );
            o.finding(&dot_product::INPUT, message)
        }),
        expect(!has_format, || {
            let message = format!(
                "{} has vectors that are not packed, but names a packed format",
                o.op
            );
            o.finding(&dot_product::PACKED, message)
        }),
        all(signs),
    ])
}

fn check_accumulator(o: &Operation<'_, '_, '_>, accumulates: bool) -> CheckResult {
    match accumulates {
        true => o.expect_result_type(&dot_product::ACCUMULATOR, 2),
        false => Ok(()),
    }
}

/// What some products of vectors take.
const TWO_HALVES: Pattern = FLOAT.vector_of(&[2]).widths(&[16]);

fn check_mixed(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let (made, vector) = match o.op {
        Op::FDot2MixAcc32VALVE => (F32, TWO_HALVES),
        Op::FDot2MixAcc16VALVE => (FLOAT.widths(&[16]), TWO_HALVES),
        _ => (F32, FLOAT.vector_of(&[4]).widths(&[8])),
    };
    o.expect_result(&dot_product::MIXED_RESULT, made)?;
    let is_wide = made == F32;
    if is_wide && arithmetic::encoding(m, o.result).is_some() {
        return Err(o.result_finding(&dot_product::MIXED_RESULT, "a number in an IEEE 754 format"));
    }
    let are_halves = vector == TWO_HALVES;
    all((0..2).map(|index| {
        o.expect_operand(&dot_product::MIXED_VECTOR, index, vector)?;
        let is_fine = are_halves || is_small_float(o, o.ty(index));
        let wanted = "a vector of 8-bit floats of SPV_EXT_float8";
        o.expect_operand_that(&dot_product::MIXED_VECTOR, index, is_fine, wanted)
    }))?;
    let encoding = arithmetic::encoding(m, o.ty(0));
    if are_halves {
        if arithmetic::encoding(m, o.ty(1)) != encoding {
            let wanted = "the encoding of the other vector";
            return Err(o.mismatch(&dot_product::MIXED_ENCODING, 1, wanted));
        }
        if !is_wide && arithmetic::encoding(m, o.result) != encoding {
            return Err(o.mismatch(
                &dot_product::MIXED_ENCODING,
                0,
                "the encoding of the result",
            ));
        }
        let needed = match (encoding, is_wide) {
            (Some(FPEncoding::BFloat16KHR), _) => Capability::DotProductBFloat16AccVALVE,
            (_, true) => Capability::DotProductFloat16AccFloat32VALVE,
            _ => Capability::DotProductFloat16AccFloat16VALVE,
        };
        if !m.has(needed) {
            let message = format!(
                "{} with {} needs the capability `{needed}`",
                o.op,
                m.show_type(o.ty(0))
            );
            return Err(o.finding(&dot_product::MIXED_CAPABILITY, message));
        }
    }
    check_accumulator(o, true)
}

/// Whether the components are 8-bit floats of `SPV_EXT_float8`.
fn is_small_float(o: &Operation<'_, '_, '_>, ty: Id) -> bool {
    matches!(
        arithmetic::encoding(o.m, ty),
        Some(FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT)
    )
}
