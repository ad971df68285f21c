//! Floating-point arithmetic. All of it is done in binary64 and rounded to the
//! width it is for, which rounds no result twice to its harm:
//!
//! A result that binary64 has exactly is rounded once. Another one, `x`, goes wrong
//! only if it is rounded to a number `m` in the middle between two neighbours of the
//! narrow type without being that number. Take a narrow significand of `p` bits, 11
//! or 24, so that `m` has at most `p + 1`.
//!
//! - A product has at most `2p` bits, 48, and is exact, as its exponent is in range.
//! - A quotient of significands `a / b` differs from `m` by `|a - m b| / b`. The
//!   numerator is not 0 but a multiple of the unit of `m b`, which has at most
//!   `2p + 1` bits, so the difference is more than `2^-(2p + 2)` of `x`: with 24
//!   bits `2^-50`, and binary64 rounds by no more than `2^-53` of it.
//! - A sum of which binary64 lacks bits has one operand so small that all its bits
//!   are below `2^-28` of the other. The other has `p` bits, and every `m` is more
//!   than `2^-(p + 1)` of it away.
//! - A remainder is exact, and what `OpFMod` may add to it is a sum.
//!
//! None of this depends on whether the result is normal.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::Op;

use super::integer::{signed_max, signed_min, unsigned_max};
use super::scalar::{Bits, undefined};
use super::value::sign_extend;
use super::{MAX_OPERANDS, NotFoldable, Reason};

/// The smallest magnitude that rounds to infinity in binary16.
const HALF_OVERFLOW: f64 = 65_520.0;
/// The smallest normal number of binary16, 2^-14.
const HALF_NORMAL: f64 = 1.0 / 16_384.0;
/// What a binary16 denormal counts in, 2^-24.
const HALF_UNIT: f64 = 1.0 / 16_777_216.0;
/// How many bits of fraction binary64 has beyond those of binary16.
const HALF_SURPLUS: u32 = 52 - 10;
/// The difference of the biases of binary64 and binary16, where binary64 has its
/// exponent.
const HALF_BIAS: u64 = (1023 - 15) << 52;

/// The number with these bits; binary64 has all numbers of the narrower types.
pub(super) fn widen(format: FloatFormat, bits: u64) -> Result<f64, NotFoldable> {
    match format {
        FloatFormat::Half => Ok(widen_half(bits as u16)),
        FloatFormat::Single => Ok(f32::from_bits(bits as u32).into()),
        FloatFormat::Double => Ok(f64::from_bits(bits)),
        _ => Err(NotFoldable::Encoding(format)),
    }
}

/// The bits of a number rounded to nearest, ties to even; of any NaN, the one NaN
/// that folding makes.
pub(super) fn narrow(format: FloatFormat, number: f64) -> Result<u64, NotFoldable> {
    let nan = number.is_nan();
    match format {
        FloatFormat::Half if nan => Ok(0x7e00),
        FloatFormat::Half => Ok(narrow_half(number).into()),
        FloatFormat::Single if nan => Ok(0x7fc0_0000),
        FloatFormat::Single => Ok((number as f32).to_bits().into()),
        FloatFormat::Double if nan => Ok(0x7ff8_0000_0000_0000),
        FloatFormat::Double => Ok(number.to_bits()),
        _ => Err(NotFoldable::Encoding(format)),
    }
}

fn widen_half(bits: u16) -> f64 {
    let exponent = bits >> 10 & 0x1f;
    let fraction = bits & 0x3ff;
    let magnitude = match exponent {
        0 => f64::from(fraction) * HALF_UNIT,
        0x1f if fraction == 0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => f64::from_bits((u64::from(bits & 0x7fff) << HALF_SURPLUS) + HALF_BIAS),
    };
    match bits & 0x8000 {
        0 => magnitude,
        _ => -magnitude,
    }
}

/// Rounds a number that is no NaN.
fn narrow_half(number: f64) -> u16 {
    let magnitude = number.abs();
    let bits = if magnitude >= HALF_OVERFLOW {
        0x7c00
    } else if magnitude < HALF_NORMAL {
        // The division by a power of two is exact. 1024 units are the smallest
        // normal number, and in these bits, too.
        (magnitude / HALF_UNIT).round_ties_even() as u16
    } else {
        let bits = magnitude.to_bits() - HALF_BIAS;
        let odd = bits >> HALF_SURPLUS & 1;
        let half = 1 << (HALF_SURPLUS - 1);
        // What the fraction carries goes to the exponent.
        ((bits + half - 1 + odd) >> HALF_SURPLUS) as u16
    };
    match number.is_sign_negative() {
        true => bits | 0x8000,
        false => bits,
    }
}

/// An operation on numbers of one format with a result of another, which only
/// `OpFConvert` tells apart (sections 3.32.11 and 3.32.13).
pub(super) fn evaluate(
    op: Op,
    format: FloatFormat,
    from: FloatFormat,
    [a, b, ..]: [u64; MAX_OPERANDS],
) -> Result<Bits, NotFoldable> {
    let [x, y] = [widen(from, a)?, widen(from, b)?];
    let number = match op {
        Op::FNegate => return Ok(Ok(a ^ 1 << (format.width() - 1))),
        Op::QuantizeToF16 if format != FloatFormat::Single => {
            return Err(NotFoldable::ResultScalar(super::ScalarType::Float(format)));
        }
        Op::QuantizeToF16 => quantize(x),
        Op::FConvert => x,
        Op::FAdd => x + y,
        Op::FSub => x - y,
        Op::FMul | Op::VectorTimesScalar => x * y,
        Op::FDiv => x / y,
        Op::FRem => x % y,
        Op::FMod => modulo(x, y),
        _ => return Err(NotFoldable::Opcode(op)),
    };
    let bits = narrow(format, number)?;
    Ok(match op {
        Op::FDiv | Op::FRem | Op::FMod if y == 0.0 => undefined(Reason::DivisionByZero, bits),
        _ => Ok(bits),
    })
}

/// The remainder whose sign is that of the divisor, as is that of a zero.
fn modulo(x: f64, y: f64) -> f64 {
    let remainder = x % y;
    if remainder == 0.0 {
        return remainder.copysign(y);
    }
    match remainder.is_sign_negative() == y.is_sign_negative() {
        true => remainder,
        false => remainder + y,
    }
}

/// What there is in binary16 for a number, without denormals: "too small to
/// represent as a normalized" number is what is smaller than all of them.
fn quantize(number: f64) -> f64 {
    if number.is_nan() {
        return number;
    }
    match number.abs() < HALF_NORMAL {
        true => 0f64.copysign(number),
        false => widen_half(narrow_half(number)),
    }
}

/// `OpDot`, with one rounding an operation, in order.
pub(super) fn dot(
    format: FloatFormat,
    pairs: impl Iterator<Item = Result<(u64, u64), NotFoldable>>,
) -> Result<u64, NotFoldable> {
    let mut sum = None;
    for pair in pairs {
        let (a, b) = pair?;
        let product = narrow(format, widen(format, a)? * widen(format, b)?)?;
        sum = Some(match sum {
            None => product,
            Some(sum) => narrow(format, widen(format, sum)? + widen(format, product)?)?,
        });
    }
    Ok(sum.unwrap_or(0))
}

/// A conversion of a number to an integer, towards zero (section 3.32.11).
pub(super) fn to_integer(
    op: Op,
    width: u32,
    format: FloatFormat,
    bits: u64,
) -> Result<Bits, NotFoldable> {
    let (least, most) = match op {
        Op::ConvertFToS => (signed_min(width), signed_max(width)),
        Op::ConvertFToU => (0, unsigned_max(width)),
        _ => return Err(NotFoldable::Opcode(op)),
    };
    // Rust's conversion rounds towards zero, to the nearest there is from out of
    // range, and to 0 from NaN.
    let number = widen(format, bits)?;
    let integer = number as i128;
    let nearest = integer.clamp(least, most);
    Ok(match nearest == integer && !number.is_nan() {
        true => Ok(nearest as u64),
        false => undefined(Reason::ConversionOutOfRange, nearest as u64),
    })
}

/// A conversion of an integer to a number (section 3.32.11).
pub(super) fn from_integer(
    op: Op,
    format: FloatFormat,
    width: u32,
    bits: u64,
) -> Result<Bits, NotFoldable> {
    let integer = match op {
        Op::ConvertSToF => i128::from(sign_extend(bits, width)),
        Op::ConvertUToF => i128::from(bits),
        _ => return Err(NotFoldable::Opcode(op)),
    };
    Ok(Ok(match format {
        FloatFormat::Single => (integer as f32).to_bits().into(),
        // Integers beyond what binary64 has exactly are infinite in binary16.
        _ => narrow(format, integer as f64)?,
    }))
}

/// A classification or comparison of numbers (section 3.32.15).
pub(super) fn test(
    op: Op,
    format: FloatFormat,
    [a, b, ..]: [u64; MAX_OPERANDS],
) -> Result<Bits, NotFoldable> {
    let [x, y] = [widen(format, a)?, widen(format, b)?];
    let unordered = x.is_nan() || y.is_nan();
    Ok(Ok(match op {
        Op::IsNan => x.is_nan(),
        Op::IsInf => x.is_infinite(),
        Op::IsFinite => x.is_finite(),
        Op::IsNormal => is_normal(format, x),
        Op::SignBitSet => a >> (format.width() - 1) != 0,
        Op::Ordered => !unordered,
        Op::Unordered => unordered,
        Op::FOrdEqual => x == y,
        Op::FUnordEqual => unordered || x == y,
        Op::LessOrGreater | Op::FOrdNotEqual => !unordered && x != y,
        Op::FUnordNotEqual => x != y,
        Op::FOrdLessThan => x < y,
        Op::FUnordLessThan => unordered || x < y,
        Op::FOrdGreaterThan => x > y,
        Op::FUnordGreaterThan => unordered || x > y,
        Op::FOrdLessThanEqual => x <= y,
        Op::FUnordLessThanEqual => unordered || x <= y,
        Op::FOrdGreaterThanEqual => x >= y,
        Op::FUnordGreaterThanEqual => unordered || x >= y,
        _ => return Err(NotFoldable::Opcode(op)),
    }
    .into()))
}

/// Whether a number is normal in its own format, which has fewer than binary64.
fn is_normal(format: FloatFormat, number: f64) -> bool {
    let smallest = match format {
        FloatFormat::Half => HALF_NORMAL,
        FloatFormat::Single => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    };
    number.is_finite() && number.abs() >= smallest
}
