//! Integer arithmetic at any width from 1 to 64 bits. Operands have no bits above
//! their width; bits above that of a result are cut off by the caller.

use spirvkit_grammar::Op;

use crate::environment::Environment;
use crate::outcome::{NotComputable, Outcome, Reason};
use crate::scalar::sign_extend;
use crate::signature::{Bits, MAX_OPERANDS, defined, undefined};

/// An operation with an integer result, `width` wide, whose first operand is
/// `from` wide (sections 3.32.11, 3.32.13 and 3.32.14).
pub(crate) fn evaluate(
    op: Op,
    width: u32,
    from: u32,
    operands: [u64; MAX_OPERANDS],
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let [a, b, c, d] = operands;
    Ok(defined(match op {
        Op::SNegate | Op::IAdd | Op::ISub | Op::IMul => {
            return Ok(wrapping(op, width, a, b, environment));
        }
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical
            if b >= width.into() =>
        {
            return Ok(undefined(Reason::ShiftOutOfRange, 0));
        }
        Op::ShiftLeftLogical => return Ok(wrapping(op, width, a, b, environment)),
        Op::ShiftRightLogical => a >> b,
        Op::ShiftRightArithmetic => (sign_extend(a, width) >> b) as u64,
        Op::Not => !a,
        Op::BitReverse => a.reverse_bits() >> (64 - width),
        Op::BitCount => a.count_ones().into(),
        Op::BitwiseOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::BitwiseAnd => a & b,
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod if b == 0 => {
            return Ok(undefined(Reason::DivisionByZero, 0));
        }
        Op::UDiv => a / b,
        Op::UMod => a % b,
        Op::SDiv | Op::SRem | Op::SMod => {
            let [a, b] = [a, b].map(|bits| sign_extend(bits, width));
            return Ok(signed_division(op, width, a, b));
        }
        Op::UConvert => match environment.saturated {
            true => clamp(a.into(), 0, unsigned_max(width)),
            false => a,
        },
        Op::SConvert => match environment.saturated {
            true => clamp(
                sign_extend(a, from).into(),
                signed_min(width),
                signed_max(width),
            ),
            false => sign_extend(a, from) as u64,
        },
        Op::SatConvertSToU => clamp(sign_extend(a, from).into(), 0, unsigned_max(width)),
        Op::SatConvertUToS => clamp(a.into(), signed_min(width), signed_max(width)),
        Op::BitFieldInsert => {
            return Ok(field(width, c, d, |mask, offset| {
                (a & !(mask << offset)) | ((b & mask) << offset)
            }));
        }
        Op::BitFieldUExtract => {
            return Ok(field(width, b, c, |mask, offset| (a >> offset) & mask));
        }
        Op::BitFieldSExtract => {
            return Ok(field(width, b, c, |mask, offset| match c {
                0 => 0,
                _ => sign_extend((a >> offset) & mask, c as u32) as u64,
            }));
        }
        Op::BitwiseFunctionINTEL => bitwise_function([a, b, c], d),
        _ => return beyond_the_core(op, width, a, b),
    }))
}

/// `SPV_INTEL_ternary_bitwise_function`: of the eight bits of the table, the one whose number
/// the bits of the operands are, that of the first being the lowest.
fn bitwise_function([a, b, c]: [u64; 3], table: u64) -> u64 {
    let chosen = |number: u64| {
        let same = |bits: u64, bit: u64| if number >> bit & 1 != 0 { bits } else { !bits };
        match table >> number & 1 {
            0 => 0,
            _ => same(a, 0) & same(b, 1) & same(c, 2),
        }
    };
    (0..8).fold(0, |all, number| all | chosen(number))
}

/// `SPV_INTEL_shader_integer_functions2`: no sum or difference overflows before it is clamped
/// or halved.
fn beyond_the_core(op: Op, width: u32, a: u64, b: u64) -> Result<Bits, NotComputable> {
    let signed = [a, b].map(|bits| i128::from(sign_extend(bits, width)));
    let unsigned = [a, b].map(i128::from);
    let into_signed = |number: i128| clamp(number, signed_min(width), signed_max(width));
    let into_unsigned = |number: i128| clamp(number, 0, unsigned_max(width));
    let sum = |[a, b]: [i128; 2]| a + b;
    let difference = |[a, b]: [i128; 2]| a - b;
    Ok(defined(match op {
        Op::UCountLeadingZerosINTEL => u64::from(a.leading_zeros() + width - u64::BITS),
        Op::UCountTrailingZerosINTEL => a.trailing_zeros().min(width).into(),
        Op::AbsISubINTEL => difference(signed).unsigned_abs() as u64,
        Op::AbsUSubINTEL => a.abs_diff(b),
        Op::IAddSatINTEL => into_signed(sum(signed)),
        Op::UAddSatINTEL => into_unsigned(sum(unsigned)),
        Op::ISubSatINTEL => into_signed(difference(signed)),
        Op::USubSatINTEL => into_unsigned(difference(unsigned)),
        Op::IAverageINTEL => (sum(signed) >> 1) as u64,
        Op::UAverageINTEL => (sum(unsigned) >> 1) as u64,
        Op::IAverageRoundedINTEL => ((sum(signed) + 1) >> 1) as u64,
        Op::UAverageRoundedINTEL => ((sum(unsigned) + 1) >> 1) as u64,
        // Of the second factor there are 16 bits.
        Op::IMul32x16INTEL => a.wrapping_mul(sign_extend(b & 0xffff, 16) as u64),
        Op::UMul32x16INTEL => a.wrapping_mul(b & 0xffff),
        _ => return Err(NotComputable::Opcode(op)),
    }))
}

/// An operation of which the bits that have no room are cut off, which may be said not to
/// happen (`SPV_KHR_no_integer_wrap_decoration`).
fn wrapping(op: Op, width: u32, a: u64, b: u64, environment: &Environment) -> Bits {
    let exact = |a: i128, b: i128| match op {
        Op::SNegate => Some(-a),
        Op::IAdd => Some(a + b),
        Op::ISub => Some(a - b),
        Op::IMul => a.checked_mul(b),
        // The width is above the number of bits.
        _ => Some(a << b),
    };
    // Signs make no difference to the bits that stay.
    let bits = match op {
        Op::SNegate => a.wrapping_neg(),
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        _ => a << b,
    };
    let is_in = |result: Option<i128>, least, most| {
        result.is_some_and(|result| (least..=most).contains(&result))
    };
    let signed = |bits| i128::from(sign_extend(bits, width));
    // How far a shift goes is no signed number.
    let second = match op {
        Op::ShiftLeftLogical => b.into(),
        _ => signed(b),
    };
    let signed_wraps = || {
        let result = exact(signed(a), second);
        !is_in(result, signed_min(width), signed_max(width))
    };
    let unsigned_wraps = || !is_in(exact(a.into(), b.into()), 0, unsigned_max(width));
    let reason = if environment.no_signed_wrap && signed_wraps() {
        Some(Reason::SignedWrap)
    } else if environment.no_unsigned_wrap && unsigned_wraps() {
        Some(Reason::UnsignedWrap)
    } else {
        None
    };
    Outcome::new(bits, reason)
}

fn signed_division(op: Op, width: u32, a: i64, b: i64) -> Bits {
    if b == -1 && i128::from(a) == signed_min(width) {
        let common = if op == Op::SDiv { a as u64 } else { 0 };
        return undefined(Reason::DivisionOverflow, common);
    }
    let remainder = a % b;
    defined(match op {
        Op::SDiv => a / b,
        Op::SRem => remainder,
        // The remainder of which the sign is that of the divisor.
        _ if remainder != 0 && (remainder < 0) != (b < 0) => remainder + b,
        _ => remainder,
    } as u64)
}

/// What `field` makes of a mask of `count` low bits and an offset, if the bits from
/// `offset` on are there.
fn field(width: u32, offset: u64, count: u64, field: impl Fn(u64, u64) -> u64) -> Bits {
    if offset.saturating_add(count) > width.into() {
        return undefined(Reason::BitFieldOutOfRange, 0);
    }
    if count == 0 {
        // The offset may be one too high for a shift.
        return defined(field(0, 0));
    }
    defined(field(u64::MAX >> (64 - count), offset))
}

/// The low and the high half of a sum, difference or product as wide as both
/// (`OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended`, `OpSMulExtended`); `None` for
/// any other opcode.
pub(crate) fn extended(op: Op, width: u32, a: u64, b: u64) -> Option<(u64, u64)> {
    let wide = match op {
        Op::IAddCarry => u128::from(a) + u128::from(b),
        Op::ISubBorrow => return Some((a.wrapping_sub(b), u64::from(a < b))),
        Op::UMulExtended => u128::from(a) * u128::from(b),
        Op::SMulExtended => {
            let [a, b] = [a, b].map(|bits| i128::from(sign_extend(bits, width)));
            (a * b) as u128
        }
        _ => return None,
    };
    Some((wide as u64, (wide >> width) as u64))
}

/// A comparison of integers (section 3.32.15).
pub(crate) fn test(
    op: Op,
    width: u32,
    [a, b, ..]: [u64; MAX_OPERANDS],
) -> Result<Bits, NotComputable> {
    let [signed_a, signed_b] = [a, b].map(|bits| sign_extend(bits, width));
    Ok(defined(
        match op {
            Op::IEqual => a == b,
            Op::INotEqual => a != b,
            Op::UGreaterThan => a > b,
            Op::UGreaterThanEqual => a >= b,
            Op::ULessThan => a < b,
            Op::ULessThanEqual => a <= b,
            Op::SGreaterThan => signed_a > signed_b,
            Op::SGreaterThanEqual => signed_a >= signed_b,
            Op::SLessThan => signed_a < signed_b,
            Op::SLessThanEqual => signed_a <= signed_b,
            _ => return Err(NotComputable::Opcode(op)),
        }
        .into(),
    ))
}

fn clamp(value: i128, least: i128, most: i128) -> u64 {
    value.clamp(least, most) as u64
}

/// The least signed integer.
pub(crate) fn signed_min(width: u32) -> i128 {
    -1 << (width - 1)
}

/// The greatest signed integer.
pub(crate) fn signed_max(width: u32) -> i128 {
    -1 - signed_min(width)
}

/// The greatest unsigned integer.
pub(crate) fn unsigned_max(width: u32) -> i128 {
    (1 << width) - 1
}
