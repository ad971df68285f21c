//! A second evaluator, to compare the folder with: integers as `i128`, and
//! floating-point numbers as exact fractions of naturals of any size, which are
//! rounded once. It uses no floating-point arithmetic at all.

pub(crate) mod natural;
pub(crate) mod real;

use real::{Format, Number};
use spirvkit_eval::Rounding;
use spirvkit_grammar::Op;

/// The type of an operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Bool,
    Int(u32),
    Float(Format),
}

/// The result; `None` where the specification leaves it undefined.
pub(crate) type Answer = Option<u64>;

fn mask(width: u32) -> i128 {
    (1i128 << width) - 1
}

fn unsigned(bits: u64) -> i128 {
    bits.into()
}

fn signed(width: u32, bits: u64) -> i128 {
    match bits >> (width - 1) & 1 {
        0 => bits.into(),
        _ => i128::from(bits) - (1 << width),
    }
}

/// The result of `op` on operands of which the first has the type `from`, rounded to
/// nearest.
pub(crate) fn answer(op: Op, result: Ty, from: Ty, args: &[u64]) -> Answer {
    rounded(op, result, from, args, Rounding::NearestEven)
}

/// The same, in any rounding mode.
pub(crate) fn rounded(op: Op, result: Ty, from: Ty, args: &[u64], rounding: Rounding) -> Answer {
    let arg = |index: usize| args.get(index).copied().unwrap_or(0);
    let (a, b) = (arg(0), arg(1));
    match (result, from) {
        (_, Ty::Bool) if op == Op::Select => Some(if a == 1 { b } else { arg(2) }),
        (Ty::Bool, Ty::Bool) => Some(
            match op {
                Op::LogicalNot => a == 0,
                Op::LogicalOr => a + b > 0,
                Op::LogicalAnd => a + b == 2,
                Op::LogicalEqual => (a + b) % 2 == 0,
                Op::LogicalNotEqual => (a + b) % 2 == 1,
                _ => panic!("{op}"),
            }
            .into(),
        ),
        (Ty::Bool, Ty::Int(width)) => Some(compare(op, width, a, b).into()),
        (Ty::Bool, Ty::Float(format)) => Some(compare_floats(op, format, a, b).into()),
        (Ty::Int(width), Ty::Int(from)) => {
            integer(op, width, from, args).map(|value| (value & mask(width)) as u64)
        }
        (Ty::Int(width), Ty::Float(format)) => {
            let whole = format.decode(a).truncated()?;
            let range = match op {
                Op::ConvertFToS => -(1i128 << (width - 1))..1 << (width - 1),
                Op::ConvertFToU => 0..1 << width,
                _ => panic!("{op}"),
            };
            range
                .contains(&whole)
                .then_some((whole & mask(width)) as u64)
        }
        (Ty::Float(format), Ty::Int(from)) => {
            let value = match op {
                Op::ConvertSToF => signed(from, a),
                Op::ConvertUToF => unsigned(a),
                _ => panic!("{op}"),
            };
            Some(format.encode(&Number::integer(value), rounding))
        }
        (Ty::Float(format), Ty::Float(from)) => float(op, format, from, args, rounding),
        _ => panic!("{op} from {from:?} to {result:?}"),
    }
}

fn integer(op: Op, width: u32, from: u32, args: &[u64]) -> Option<i128> {
    let u = |index: usize| unsigned(args[index]);
    let s = |index: usize| signed(width, args[index]);
    let bit = |value: i128, index: i128| value >> index & 1;
    let bits = i128::from(width);
    Some(match op {
        Op::SNegate => -u(0),
        Op::Not => -1 - u(0),
        Op::BitReverse => (0..bits).map(|n| bit(u(0), n) << (bits - 1 - n)).sum(),
        Op::BitCount => (0..i128::from(from)).map(|n| bit(u(0), n)).sum(),
        Op::IAdd => u(0) + u(1),
        Op::ISub => u(0) - u(1),
        // The product of two 64-bit numbers may not fit.
        Op::IMul => u(0).wrapping_mul(u(1)),
        Op::BitwiseOr => u(0) + u(1) - (u(0) & u(1)),
        Op::BitwiseXor => u(0) + u(1) - 2 * (u(0) & u(1)),
        Op::BitwiseAnd => (0..bits).map(|n| (bit(u(0), n) * bit(u(1), n)) << n).sum(),
        Op::UDiv if u(1) != 0 => u(0) / u(1),
        Op::UMod if u(1) != 0 => u(0) % u(1),
        Op::SDiv if s(1) != 0 => {
            let quotient = s(0) / s(1);
            if quotient >> (width - 1) > 0 {
                return None;
            }
            quotient
        }
        Op::SRem | Op::SMod if s(0) == -(1 << (width - 1)) && s(1) == -1 => return None,
        Op::SRem if s(1) != 0 => s(0) - s(1) * (s(0) / s(1)),
        Op::SMod if s(1) != 0 => {
            // The quotient rounded down.
            let down = s(0).div_euclid(s(1)) - i128::from(s(1) < 0 && s(0).rem_euclid(s(1)) != 0);
            s(0) - s(1) * down
        }
        Op::ShiftLeftLogical if u(1) < bits => u(0).wrapping_mul(1 << u(1)),
        Op::ShiftRightLogical if u(1) < bits => u(0) / (1 << u(1)),
        Op::ShiftRightArithmetic if u(1) < bits => s(0).div_euclid(1 << u(1)),
        Op::UConvert => u(0),
        Op::SConvert => signed(from, args[0]),
        Op::UCountLeadingZerosINTEL => (0..bits).filter(|n| u(0) >> n == 0).count() as i128,
        Op::UCountTrailingZerosINTEL => {
            (1..=bits).filter(|&n| u(0) % (1 << n) == 0).count() as i128
        }
        Op::AbsISubINTEL => s(0).max(s(1)) - s(0).min(s(1)),
        Op::AbsUSubINTEL => u(0).max(u(1)) - u(0).min(u(1)),
        Op::IAddSatINTEL => (s(0) + s(1)).clamp(-1 << (width - 1), mask(width - 1)),
        Op::UAddSatINTEL => (u(0) + u(1)).min(mask(width)),
        Op::ISubSatINTEL => (s(0) - s(1)).clamp(-1 << (width - 1), mask(width - 1)),
        Op::USubSatINTEL => (u(0) - u(1)).max(0),
        Op::IAverageINTEL => (s(0) + s(1)).div_euclid(2),
        Op::UAverageINTEL => (u(0) + u(1)) / 2,
        Op::IAverageRoundedINTEL => (s(0) + s(1) + 1).div_euclid(2),
        Op::UAverageRoundedINTEL => (u(0) + u(1) + 1) / 2,
        Op::IMul32x16INTEL => s(0) * signed(16, args[1] & 0xffff),
        Op::UMul32x16INTEL => u(0) * (u(1) % (1 << 16)),
        Op::BitwiseFunctionINTEL => (0..bits)
            .map(|n| bit(u(3), bit(u(0), n) + 2 * bit(u(1), n) + 4 * bit(u(2), n)) << n)
            .sum(),
        Op::SatConvertSToU => signed(from, args[0]).max(0).min(mask(width)),
        Op::SatConvertUToS => u(0).min(mask(width - 1)),
        Op::BitFieldInsert if u(2) + u(3) <= bits => (0..bits)
            .map(|n| match n >= u(2) && n < u(2) + u(3) {
                true => bit(u(1), n - u(2)) << n,
                false => bit(u(0), n) << n,
            })
            .sum(),
        Op::BitFieldUExtract if u(1) + u(2) <= bits => {
            (0..u(2)).map(|n| bit(u(0), u(1) + n) << n).sum()
        }
        Op::BitFieldSExtract if u(1) + u(2) <= bits => match u(2) {
            0 => 0,
            count => (0..bits)
                .map(|n| bit(u(0), u(1) + n.min(count - 1)) << n)
                .sum(),
        },
        _ => return None,
    })
}

fn compare(op: Op, width: u32, a: u64, b: u64) -> bool {
    let difference = unsigned(a) - unsigned(b);
    let signed_difference = signed(width, a) - signed(width, b);
    match op {
        Op::IEqual => difference == 0,
        Op::INotEqual => difference != 0,
        Op::UGreaterThan => difference > 0,
        Op::UGreaterThanEqual => difference >= 0,
        Op::ULessThan => difference < 0,
        Op::ULessThanEqual => difference <= 0,
        Op::SGreaterThan => signed_difference > 0,
        Op::SGreaterThanEqual => signed_difference >= 0,
        Op::SLessThan => signed_difference < 0,
        Op::SLessThanEqual => signed_difference <= 0,
        _ => panic!("{op}"),
    }
}

fn compare_floats(op: Op, format: Format, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (x, y) = (format.decode(a), format.decode(b));
    let exponent = format.exponent_field(a);
    match op {
        Op::IsNan => return x == Number::Nan,
        Op::IsInf => return matches!(x, Number::Infinite(_)),
        Op::IsFinite => return exponent != format.exponent_mask(),
        Op::IsNormal => return exponent != format.exponent_mask() && exponent != 0,
        Op::SignBitSet => return a >= 1 << (format.width() - 1),
        _ => {}
    }
    let order = x.compare(&y);
    match op {
        Op::Ordered => order.is_some(),
        Op::Unordered => order.is_none(),
        Op::FOrdEqual => order == Some(Equal),
        Op::FUnordEqual => matches!(order, None | Some(Equal)),
        Op::LessOrGreater | Op::FOrdNotEqual => matches!(order, Some(Less | Greater)),
        Op::FUnordNotEqual => order != Some(Equal),
        Op::FOrdLessThan => order == Some(Less),
        Op::FUnordLessThan => matches!(order, None | Some(Less)),
        Op::FOrdGreaterThan => order == Some(Greater),
        Op::FUnordGreaterThan => matches!(order, None | Some(Greater)),
        Op::FOrdLessThanEqual => matches!(order, Some(Less | Equal)),
        Op::FUnordLessThanEqual => order != Some(Greater),
        Op::FOrdGreaterThanEqual => matches!(order, Some(Greater | Equal)),
        Op::FUnordGreaterThanEqual => order != Some(Less),
        _ => panic!("{op}"),
    }
}

fn float(op: Op, format: Format, from: Format, args: &[u64], rounding: Rounding) -> Answer {
    let number = |index: usize| from.decode(args.get(index).copied().unwrap_or(0));
    let (a, x, y) = (args[0], number(0), number(1));
    // Only zeros of the same sign add up to one of it; from opposites it is rounded.
    let sum = |a: &Number, b: &Number| {
        let sum = a.add(b);
        let are_same = a.is_zero() && b.is_zero() && a.is_negative() == b.is_negative();
        match sum.is_zero() && !are_same && rounding == Rounding::TowardNegative {
            true => sum.absolute().negated(),
            false => sum,
        }
    };
    let number = match op {
        Op::FNegate => return Some(a ^ 1 << (format.width() - 1)),
        Op::FConvert => x,
        Op::QuantizeToF16 => {
            let half = Format::HALF.encode(&x, Rounding::NearestEven);
            let small = Format::HALF.exponent_field(half) == 0;
            // What rounds up to the smallest normal number is small, too.
            let smallest = Number::integer(1).divide(&Number::integer(1 << 14));
            let below = x.absolute().compare(&smallest) == Some(std::cmp::Ordering::Less);
            match small || below {
                true => x.zero_of_sign(),
                false => Format::HALF.decode(half),
            }
        }
        Op::FAdd => sum(&x, &y),
        Op::FSub => sum(&x, &y.negated()),
        Op::FmaKHR => sum(&x.multiply(&y), &number(2)),
        Op::FMul => x.multiply(&y),
        Op::FDiv | Op::FRem | Op::FMod if y.is_zero() => return None,
        Op::FDiv => x.divide(&y),
        Op::FRem => x.remainder(&y),
        Op::FMod => {
            let remainder = x.remainder(&y);
            match remainder {
                Number::Finite { .. } if remainder.is_zero() => match y.is_negative() {
                    true => remainder.absolute().negated(),
                    false => remainder.absolute(),
                },
                Number::Finite { .. } if remainder.is_negative() != y.is_negative() => {
                    remainder.add(&y)
                }
                _ => remainder,
            }
        }
        _ => panic!("{op}"),
    };
    Some(format.encode(&number, rounding))
}
