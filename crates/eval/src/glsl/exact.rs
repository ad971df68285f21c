//! Instructions whose results the set says exactly, but for one rounding.

use spirvkit_grammar::GlslStd450 as Glsl;

use crate::environment::Rounding;
use crate::float::{Arithmetic, least};
use crate::outcome::Reason;
use crate::real::Real;
use crate::scalar::sign_extend;
use crate::signature::{Bits, MAX_OPERANDS, defined, undefined};

pub(crate) fn integers(instruction: Glsl, width: u32, [a, b, c, _]: [u64; MAX_OPERANDS]) -> Bits {
    let signed = |bits| sign_extend(bits, width);
    let highest = |bits: u64| match bits {
        0 => u64::MAX,
        _ => u64::from(63 - bits.leading_zeros()),
    };
    defined(match instruction {
        Glsl::SAbs => signed(a).wrapping_abs() as u64,
        Glsl::SSign => signed(a).signum() as u64,
        Glsl::FindILsb if a == 0 => u64::MAX,
        Glsl::FindILsb => a.trailing_zeros().into(),
        Glsl::FindUMsb => highest(a),
        Glsl::FindSMsb if signed(a) < 0 => highest(!signed(a) as u64),
        Glsl::FindSMsb => highest(a),
        Glsl::UMin => a.min(b),
        Glsl::UMax => a.max(b),
        Glsl::SMin => signed(a).min(signed(b)) as u64,
        Glsl::SMax => signed(a).max(signed(b)) as u64,
        Glsl::UClamp if b <= c => a.clamp(b, c),
        Glsl::UClamp => return undefined(Reason::ClampBounds, c),
        _ if signed(b) <= signed(c) => signed(a).clamp(signed(b), signed(c)) as u64,
        _ => return undefined(Reason::ClampBounds, c),
    })
}

/// Instructions on numbers; `exponent` is the second operand, if it is an integer.
pub(crate) fn floats(
    instruction: Glsl,
    arithmetic: Arithmetic,
    bits: [u64; MAX_OPERANDS],
    exponent: i64,
) -> Bits {
    let layout = arithmetic.layout;
    let [a, b, c] = [bits[0], bits[1], bits[2]].map(|bits| arithmetic.operand(bits));
    let x = layout.decode(a);
    let encode = |number| arithmetic.rounded(number);
    let number = |bits| layout.decode(bits).to_f64();
    match instruction {
        Glsl::FAbs => defined(layout.magnitude(a)),
        Glsl::RoundEven => defined(encode(x.rounded(Rounding::NearestEven))),
        Glsl::Trunc => defined(encode(x.rounded(Rounding::TowardZero))),
        Glsl::Floor => defined(encode(x.rounded(Rounding::TowardNegative))),
        Glsl::Ceil => defined(encode(x.rounded(Rounding::TowardPositive))),
        Glsl::Round => {
            let whole = x.rounded(Rounding::TowardZero).to_f64();
            let even = encode(x.rounded(Rounding::NearestEven));
            match (x.to_f64() - whole).abs() == 0.5 {
                true => undefined(Reason::Tie, even),
                false => defined(even),
            }
        }
        Glsl::FSign if x.is_nan() => undefined(Reason::Unordered, encode(x)),
        Glsl::FSign => {
            let sign = i128::from(number(a) > 0.0) - i128::from(number(a) < 0.0);
            defined(encode(Real::integer(sign)))
        }
        Glsl::Step => {
            let is_below = number(b) < number(a);
            defined(encode(Real::integer((!is_below).into())))
        }
        Glsl::Ldexp => {
            let result = encode(x.scaled(exponent));
            let is_too_large = layout.is_special(result) && !layout.is_special(a);
            match is_too_large || exponent > layout.greatest_power() {
                true => undefined(Reason::Overflow, result),
                false => defined(result),
            }
        }
        Glsl::FMin | Glsl::NMin => least(layout, a, b, instruction == Glsl::NMin, false),
        Glsl::FMax | Glsl::NMax => least(layout, a, b, instruction == Glsl::NMax, true),
        _ => {
            let is_n = instruction == Glsl::NClamp;
            let raised = least(layout, a, b, is_n, true);
            let clamped = least(layout, raised.common(), c, is_n, false);
            let is_empty = (number(b) > number(c)).then_some(Reason::ClampBounds);
            let reason = is_empty.or(raised.undefined()).or(clamped.undefined());
            Bits::new(clamped.common(), reason)
        }
    }
}
