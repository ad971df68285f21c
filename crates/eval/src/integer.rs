//! Integer arithmetic at any width from 1 to 64 bits. Operands have no bits above
//! their width; bits above that of a result are cut off by the caller.

use spirvkit_grammar::Op;

use super::scalar::{Bits, undefined};
use super::value::sign_extend;
use super::{MAX_OPERANDS, NotFoldable, Reason};

/// An operation with an integer result, `width` wide, whose first operand is
/// `from` wide (sections 3.32.11, 3.32.13 and 3.32.14).
pub(super) fn evaluate(
    op: Op,
    width: u32,
    from: u32,
    [a, b, c, d]: [u64; MAX_OPERANDS],
) -> Result<Bits, NotFoldable> {
    Ok(match op {
        Op::SNegate => Ok(a.wrapping_neg()),
        Op::Not => Ok(!a),
        Op::BitReverse => Ok(a.reverse_bits() >> (64 - width)),
        Op::BitCount => Ok(a.count_ones().into()),
        Op::IAdd => Ok(a.wrapping_add(b)),
        Op::ISub => Ok(a.wrapping_sub(b)),
        Op::IMul => Ok(a.wrapping_mul(b)),
        Op::BitwiseOr => Ok(a | b),
        Op::BitwiseXor => Ok(a ^ b),
        Op::BitwiseAnd => Ok(a & b),
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod if b == 0 => {
            undefined(Reason::DivisionByZero, 0)
        }
        Op::UDiv => Ok(a / b),
        Op::UMod => Ok(a % b),
        Op::SDiv | Op::SRem | Op::SMod => {
            signed_division(op, width, sign_extend(a, width), sign_extend(b, width))
        }
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical
            if b >= width.into() =>
        {
            undefined(Reason::ShiftOutOfRange, 0)
        }
        Op::ShiftRightLogical => Ok(a >> b),
        Op::ShiftRightArithmetic => Ok((sign_extend(a, width) >> b) as u64),
        Op::ShiftLeftLogical => Ok(a << b),
        Op::UConvert => Ok(a),
        Op::SConvert => Ok(sign_extend(a, from) as u64),
        Op::SatConvertSToU => Ok(clamp(sign_extend(a, from).into(), 0, unsigned_max(width))),
        Op::SatConvertUToS => Ok(clamp(a.into(), signed_min(width), signed_max(width))),
        Op::BitFieldInsert => field(width, c, d, |mask, offset| {
            (a & !(mask << offset)) | ((b & mask) << offset)
        }),
        Op::BitFieldUExtract => field(width, b, c, |mask, offset| (a >> offset) & mask),
        Op::BitFieldSExtract => field(width, b, c, |mask, offset| {
            let bits = (a >> offset) & mask;
            match c {
                0 => 0,
                _ => sign_extend(bits, c as u32) as u64,
            }
        }),
        _ => return Err(NotFoldable::Opcode(op)),
    })
}

fn signed_division(op: Op, width: u32, a: i64, b: i64) -> Bits {
    if b == -1 && i128::from(a) == signed_min(width) {
        let common = if op == Op::SDiv { a as u64 } else { 0 };
        return undefined(Reason::DivisionOverflow, common);
    }
    let remainder = a % b;
    Ok(match op {
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
        return Ok(field(0, 0));
    }
    Ok(field(u64::MAX >> (64 - count), offset))
}

/// The low and the high half of a sum, difference or product as wide as both
/// (`OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended`, `OpSMulExtended`); `None` for
/// any other opcode.
pub(super) fn extended(op: Op, width: u32, a: u64, b: u64) -> Option<(u64, u64)> {
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
pub(super) fn test(
    op: Op,
    width: u32,
    [a, b, ..]: [u64; MAX_OPERANDS],
) -> Result<Bits, NotFoldable> {
    let [signed_a, signed_b] = [a, b].map(|bits| sign_extend(bits, width));
    Ok(Ok(match op {
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
        _ => return Err(NotFoldable::Opcode(op)),
    }
    .into()))
}

fn clamp(value: i128, least: i128, most: i128) -> u64 {
    value.clamp(least, most) as u64
}

/// The least signed integer.
pub(super) fn signed_min(width: u32) -> i128 {
    -1 << (width - 1)
}

/// The greatest signed integer.
pub(super) fn signed_max(width: u32) -> i128 {
    -1 - signed_min(width)
}

/// The greatest unsigned integer.
pub(super) fn unsigned_max(width: u32) -> i128 {
    (1 << width) - 1
}
