//! Instructions of `GLSL.std.450` that work on components and whose results the
//! specification of the set says exactly.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::{GlslStd450 as Glsl, Op};

use crate::environment::{Environment, Rounding};
use crate::float;
use crate::operation::evaluate_scalar;
use crate::outcome::{Evaluated, NotComputable, Reason};
use crate::real::{Layout, Real};
use crate::scalar::{Scalar, ScalarType, sign_extend};
use crate::signature::{
    Bits, FLOAT_BINARY, FLOAT_TERNARY, FLOAT_UNARY, INTEGER_BINARY, INTEGER_TERNARY, INTEGER_UNARY,
    LDEXP, MAX_OPERANDS, Signature, defined, undefined,
};

/// The signature of an instruction that is evaluated here.
pub(crate) fn signature(instruction: Glsl) -> Option<&'static Signature> {
    Some(match instruction {
        Glsl::Round
        | Glsl::RoundEven
        | Glsl::Trunc
        | Glsl::Floor
        | Glsl::Ceil
        | Glsl::Fract
        | Glsl::FAbs
        | Glsl::FSign => &FLOAT_UNARY,
        Glsl::FMin | Glsl::FMax | Glsl::NMin | Glsl::NMax | Glsl::Step => &FLOAT_BINARY,
        Glsl::FClamp | Glsl::NClamp | Glsl::FMix | Glsl::Fma => &FLOAT_TERNARY,
        Glsl::Ldexp => &LDEXP,
        Glsl::SAbs | Glsl::SSign | Glsl::FindILsb | Glsl::FindSMsb | Glsl::FindUMsb => {
            &INTEGER_UNARY
        }
        Glsl::UMin | Glsl::UMax | Glsl::SMin | Glsl::SMax => &INTEGER_BINARY,
        Glsl::UClamp | Glsl::SClamp => &INTEGER_TERNARY,
        _ => return None,
    })
}

/// The result of an instruction of `GLSL.std.450` on scalars: the roundings to integers,
/// `Fract`, absolute values, signs, minima, maxima and clamps, `Step`, `FMix`, `Fma`,
/// `Ldexp`, and those that find bits.
///
/// `FMix` is `x * (1 - a) + y * a` with a rounding an operation, in that order; `Fma`
/// rounds once. Which zero is the lesser is undefined, and so is in which direction
/// `Round` takes one half; commonly, it is the first operand, and the even number.
///
/// ```
/// use spirvkit_eval::{Environment, Reason, Scalar, evaluate_glsl_scalar};
/// use spirvkit_grammar::GlslStd450;
///
/// let evaluate = |instruction, operand: f32| {
///     let operand = Scalar::from(operand);
///     let environment = Environment::default();
///     evaluate_glsl_scalar(instruction, operand.ty(), &[operand], &environment)
/// };
/// assert_eq!(evaluate(GlslStd450::Floor, -1.5)?.defined(), Ok((-2f32).into()));
/// let round = evaluate(GlslStd450::Round, 2.5)?;
/// assert_eq!((round.undefined(), round.common()), (Some(Reason::Tie), 2f32.into()));
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction or the types are not such that there is a result.
pub fn evaluate_glsl_scalar(
    instruction: Glsl,
    result: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<Scalar> {
    let signature = signature(instruction).ok_or(NotComputable::Glsl(instruction))?;
    signature.check(result, operands)?;
    let scalar = |op, operands: &[Scalar]| evaluate_scalar(op, result, operands, environment);
    let core = |op, operands: &[Scalar]| Ok(scalar(op, operands)?.common());
    match (instruction, operands) {
        (Glsl::Fma, _) => return scalar(Op::FmaKHR, operands),
        (Glsl::Fract, &[x]) => {
            let floor = evaluate_glsl_scalar(Glsl::Floor, result, operands, environment)?;
            return scalar(Op::FSub, &[x, floor.common()]);
        }
        (Glsl::FMix, &[x, y, a]) => {
            let ScalarType::Float(format) = result else {
                return Err(NotComputable::ResultScalar(result));
            };
            let one = float::one(format).ok_or(NotComputable::Encoding(format))?;
            let rest = core(Op::FSub, &[Scalar::new(result, one), a])?;
            let (x, y) = (core(Op::FMul, &[x, rest])?, core(Op::FMul, &[y, a])?);
            return scalar(Op::FAdd, &[x, y]);
        }
        _ => {}
    }
    let bit = |index: usize| operands.get(index).map_or(0, |operand| operand.bits());
    let bits = [bit(0), bit(1), bit(2), bit(3)];
    let outcome = match result {
        ScalarType::Float(format) => {
            // The exponent is a signed number, of whatever width.
            let exponent = operands.get(1).map_or(0, |it| it.sign_extended());
            floats(instruction, format, bits, exponent, environment)?
        }
        _ => integers(instruction, result.width(), bits),
    };
    Ok(outcome.map(|bits| Scalar::new(result, bits)))
}

fn integers(instruction: Glsl, width: u32, [a, b, c, _]: [u64; MAX_OPERANDS]) -> Bits {
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

fn floats(
    instruction: Glsl,
    format: FloatFormat,
    bits: [u64; MAX_OPERANDS],
    exponent: i64,
    environment: &Environment,
) -> Result<Bits, NotComputable> {
    let layout = float::binary_layout(format)?;
    let mode = environment.float(format);
    let [a, b, c] = [bits[0], bits[1], bits[2]].map(|bits| mode.flush(layout, bits));
    let x = layout.decode(a);
    let encode = |number| layout.encode(number, mode.rounding, false);
    let number = |bits| layout.decode(bits).to_f64();
    let outcome = match instruction {
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
            match layout.is_special(result) && !layout.is_special(a) {
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
    };
    let floats = if instruction == Glsl::Ldexp { 1 } else { 3 };
    Ok(float::in_mode(mode, layout, &bits[..floats], outcome))
}

/// The lesser of two numbers, or the greater. If one is a NaN, it is the other for the
/// instructions whose names begin with N.
fn least(layout: Layout, a: u64, b: u64, ignores_nan: bool, is_greatest: bool) -> Bits {
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
