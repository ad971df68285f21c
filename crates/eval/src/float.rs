//! Arithmetic, conversions and comparisons of floating-point numbers.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::Op;

use crate::environment::{Environment, FloatMode, Rounding};
use crate::integer::{signed_max, signed_min, unsigned_max};
use crate::outcome::{NotComputable, Outcome, Reason};
use crate::real::{Layout, Real};
use crate::scalar::{ScalarType, sign_extend};
use crate::signature::{Bits, MAX_OPERANDS, defined, undefined};

/// The layout of a format that is computed with: IEEE 754's.
pub(crate) fn binary_layout(format: FloatFormat) -> Result<Layout, NotComputable> {
    let layout = match format {
        FloatFormat::Half | FloatFormat::Single | FloatFormat::Double => Layout::of(format),
        _ => None,
    };
    layout.ok_or(NotComputable::Encoding(format))
}

/// The layout of a format that an opcode takes. Others than IEEE 754's are only
/// converted, microscaling's not even that.
fn layout_for(op: Op, format: FloatFormat) -> Result<Layout, NotComputable> {
    match (op, format) {
        (
            Op::FConvert | Op::ConvertFToS | Op::ConvertFToU | Op::ConvertSToF | Op::ConvertUToF,
            FloatFormat::BFloat16 | FloatFormat::E4M3 | FloatFormat::E5M2,
        ) => Layout::of(format).ok_or(NotComputable::Encoding(format)),
        _ => binary_layout(format),
    }
}

/// The bits of 1.
pub(crate) fn one(format: FloatFormat) -> Option<u64> {
    let layout = Layout::of(format)?;
    Some(layout.encode(Real::integer(1), Rounding::NearestEven, false))
}

/// Numbers of one format, in a mode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arithmetic {
    pub(crate) layout: Layout,
    pub(crate) mode: FloatMode,
}

impl Arithmetic {
    /// In the mode that the environment has for the format.
    pub(crate) fn new(
        format: FloatFormat,
        environment: &Environment,
    ) -> Result<Self, NotComputable> {
        Ok(Self {
            layout: binary_layout(format)?,
            mode: environment.float(format),
        })
    }

    /// An operand's bits as an operation sees them.
    pub(crate) fn operand(self, bits: u64) -> u64 {
        self.mode.flush(self.layout, bits)
    }

    /// An operand's number.
    pub(crate) fn number(self, bits: u64) -> f64 {
        self.layout.decode(self.operand(bits)).to_f64()
    }

    /// The bits of a result, rounded as the mode says.
    pub(crate) fn rounded(self, number: Real) -> u64 {
        self.layout.encode(number, self.mode.rounding, false)
    }

    /// The bits of a result, whatever the mode says of rounding: it is for operations
    /// whose results are exact but for that.
    pub(crate) fn nearest(self, number: f64) -> u64 {
        let number = Real::from_f64(number);
        self.layout.encode(number, Rounding::NearestEven, false)
    }

    /// Why an operation with this operand or result is undefined, if it is.
    pub(crate) fn undefined(self, bits: u64) -> Option<Reason> {
        self.mode.undefined(self.layout, bits)
    }

    /// What the mode makes of a result for these operands.
    pub(crate) fn in_mode(self, operands: &[u64], result: Bits) -> Bits {
        let unspecified = |bits: &u64| self.undefined(*bits);
        let bits = result.common();
        let reason = result.undefined();
        let reason = reason.or_else(|| operands.iter().chain([&bits]).find_map(unspecified));
        Outcome::new(self.mode.flush(self.layout, bits), reason)
    }
}

/// An operation on numbers of one format with a result of another, which only
/// `OpFConvert` tells apart (sections 3.32.11 and 3.32.13).
pub(crate) fn evaluate(
    op: Op,
    format: FloatFormat,
    from: FloatFormat,
    [a, b, c, _]: [u64; MAX_OPERANDS],
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let (layout, source) = (layout_for(op, format)?, layout_for(op, from)?);
    let (mode, source_mode) = (environment.float(format), environment.float(from));
    let operands = [a, b, c].map(|bits| source_mode.flush(source, bits));
    let [x, y, z] = operands.map(|bits| source.decode(bits));
    let rounding = match op {
        Op::FConvert => environment.conversion.unwrap_or(mode.rounding),
        _ => mode.rounding,
    };
    let number = match op {
        Op::FNegate => {
            let bits = operands[0] ^ 1 << (format.width() - 1);
            return Ok(Outcome::new(bits, mode.undefined(layout, bits)));
        }
        Op::QuantizeToF16 if format != FloatFormat::Single => {
            return Err(NotComputable::ResultScalar(ScalarType::Float(format)));
        }
        Op::QuantizeToF16 => quantize(x),
        Op::FConvert => x,
        Op::FAdd => x.plus(y, rounding),
        Op::FSub => x.plus(y.negated(), rounding),
        Op::FMul | Op::VectorTimesScalar => x.times(y),
        Op::FDiv => x.over(y),
        // The remainder is exact in binary64.
        Op::FRem => Real::from_f64(x.to_f64() % y.to_f64()),
        Op::FMod => modulo(x, y, rounding),
        Op::FmaKHR => x.times(y).plus(z, rounding),
        _ => return Err(NotComputable::Opcode(op)),
    };
    let saturated = environment.saturated && op == Op::FConvert && format.width() == 8;
    let result = layout.encode(number, rounding, saturated);
    let reason = match op {
        Op::FDiv | Op::FRem | Op::FMod if y.is_zero() => Some(Reason::DivisionByZero),
        _ => None,
    };
    let unspecified = || {
        let operand = [a, b, c]
            .iter()
            .find_map(|&bits| source_mode.undefined(source, bits));
        operand.or(mode.undefined(layout, result))
    };
    let result = mode.flush(layout, result);
    Ok(Outcome::new(result, reason.or_else(unspecified)))
}

/// The remainder whose sign is that of the divisor, as is that of a zero.
fn modulo(x: Real, y: Real, rounding: Rounding) -> Real {
    let remainder = Real::from_f64(x.to_f64() % y.to_f64());
    if remainder.is_nan() {
        return remainder;
    }
    if remainder.is_zero() {
        return Real::zero(y.negative);
    }
    match remainder.negative == y.negative {
        true => remainder,
        false => remainder.plus(y, rounding),
    }
}

/// What there is in binary16 for a number, without denormals: "too small to
/// represent as a normalized" number is what is smaller than all of them. The rounding
/// mode doesn't apply.
fn quantize(number: Real) -> Real {
    /// The smallest normal number of binary16.
    const SMALLEST: f64 = 1.0 / 16_384.0;
    if number.to_f64().abs() < SMALLEST {
        return Real::zero(number.negative);
    }
    match Layout::of(FloatFormat::Half) {
        Some(half) => half.decode(half.encode(number, Rounding::NearestEven, false)),
        None => number,
    }
}

/// A conversion of a number to an integer, towards zero unless a decoration says otherwise
/// (section 3.32.11).
pub(crate) fn to_integer(
    op: Op,
    width: u32,
    format: FloatFormat,
    bits: u64,
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let (least, most) = match op {
        Op::ConvertFToS => (signed_min(width), signed_max(width)),
        Op::ConvertFToU => (0, unsigned_max(width)),
        _ => return Err(NotComputable::Opcode(op)),
    };
    let layout = layout_for(op, format)?;
    let mode = environment.float(format);
    let number = layout.decode(mode.flush(layout, bits));
    let rounding = environment.conversion.unwrap_or(Rounding::TowardZero);
    let integer = number.to_integer(rounding);
    let nearest = integer.clamp(least, most);
    let fits = nearest == integer && !number.is_nan();
    Ok(match fits || environment.saturated {
        true => Outcome::new(nearest as u64, mode.undefined(layout, bits)),
        false => undefined(Reason::ConversionOutOfRange, nearest as u64),
    })
}

/// A conversion of an integer to a number (section 3.32.11).
pub(crate) fn from_integer(
    op: Op,
    format: FloatFormat,
    width: u32,
    bits: u64,
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let integer = match op {
        Op::ConvertSToF => i128::from(sign_extend(bits, width)),
        Op::ConvertUToF => i128::from(bits),
        _ => return Err(NotComputable::Opcode(op)),
    };
    let layout = layout_for(op, format)?;
    let mode = environment.float(format);
    let saturated = environment.saturated && format.width() == 8;
    let rounding = environment.conversion.unwrap_or(mode.rounding);
    let result = layout.encode(Real::integer(integer), rounding, saturated);
    Ok(Outcome::new(result, mode.undefined(layout, result)))
}

/// A classification or comparison of numbers (section 3.32.15).
pub(crate) fn test(
    op: Op,
    format: FloatFormat,
    [a, b, ..]: [u64; MAX_OPERANDS],
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let layout = layout_for(op, format)?;
    let mode = environment.float(format);
    let [x, y] = [a, b].map(|bits| layout.decode(mode.flush(layout, bits)).to_f64());
    let unordered = x.is_nan() || y.is_nan();
    let truth = match op {
        // These ask for what others may assume not to be there, so it is.
        Op::IsNan => return Ok(defined(x.is_nan().into())),
        Op::IsInf => return Ok(defined(x.is_infinite().into())),
        Op::IsFinite => return Ok(defined(x.is_finite().into())),
        Op::IsNormal => return Ok(defined(layout.is_normal(a).into())),
        Op::SignBitSet => return Ok(defined(a >> (format.width() - 1))),
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
        _ => return Err(NotComputable::Opcode(op)),
    };
    let reason = [a, b].iter().find_map(|&bits| mode.undefined(layout, bits));
    Ok(Outcome::new(truth.into(), reason))
}

/// The lesser of two numbers, or the greater. If one is a NaN, it is the other for the
/// instructions whose names begin with N.
pub(crate) fn least(layout: Layout, a: u64, b: u64, ignores_nan: bool, is_greatest: bool) -> Bits {
    let [x, y] = [a, b].map(|bits| layout.decode(bits).to_f64());
    let is_second = if is_greatest { x < y } else { y < x };
    let common = if is_second { b } else { a };
    match (x.is_nan(), y.is_nan()) {
        (true, true) if ignores_nan => defined(a),
        (true, _) if ignores_nan => defined(b),
        (_, true) if ignores_nan => defined(a),
        (false, false) if x == 0.0 && y == 0.0 && a != b => undefined(Reason::SignOfZero, common),
        (false, false) => defined(common),
        _ => undefined(Reason::Unordered, common),
    }
}
