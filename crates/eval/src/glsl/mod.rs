//! `GLSL.std.450`, but for interpolation, which needs more than values.
//!
//! What is rounded correctly (Vulkan's appendix, "Precision of GLSL.std.450 Instructions")
//! is `exact`'s; all else is computed in binary64 and rounded to nearest, because rounding
//! modes are for the former alone.

mod exact;
mod packing;
mod pair;
mod vector;

pub(crate) use exact::{floats, integers};
pub use pair::evaluate_glsl_pair;
pub use vector::evaluate_glsl_vector;

use spirvkit_grammar::{GlslStd450 as Glsl, Op};

use crate::environment::Environment;
use crate::float::{self, Arithmetic};
use crate::math::{self, Function};
use crate::operation::evaluate_scalar;
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::signature::{
    FLOAT_BINARY, FLOAT_TERNARY, FLOAT_UNARY, INTEGER_BINARY, INTEGER_TERNARY, INTEGER_UNARY,
    LDEXP, NARROW_FLOAT_BINARY, NARROW_FLOAT_UNARY, Signature, bits_of,
};

/// The signature of an instruction that works on components.
pub(crate) fn signature(instruction: Glsl) -> Option<&'static Signature> {
    Some(match instruction {
        Glsl::Round
        | Glsl::RoundEven
        | Glsl::Trunc
        | Glsl::Floor
        | Glsl::Ceil
        | Glsl::Fract
        | Glsl::FAbs
        | Glsl::FSign
        | Glsl::Sqrt
        | Glsl::InverseSqrt => &FLOAT_UNARY,
        Glsl::Radians
        | Glsl::Degrees
        | Glsl::Sin
        | Glsl::Cos
        | Glsl::Tan
        | Glsl::Asin
        | Glsl::Acos
        | Glsl::Atan
        | Glsl::Sinh
        | Glsl::Cosh
        | Glsl::Tanh
        | Glsl::Asinh
        | Glsl::Acosh
        | Glsl::Atanh
        | Glsl::Exp
        | Glsl::Log
        | Glsl::Exp2
        | Glsl::Log2 => &NARROW_FLOAT_UNARY,
        Glsl::Atan2 | Glsl::Pow => &NARROW_FLOAT_BINARY,
        Glsl::FMin | Glsl::FMax | Glsl::NMin | Glsl::NMax | Glsl::Step => &FLOAT_BINARY,
        Glsl::FClamp | Glsl::NClamp | Glsl::FMix | Glsl::Fma | Glsl::SmoothStep => &FLOAT_TERNARY,
        Glsl::Ldexp => &LDEXP,
        Glsl::SAbs | Glsl::SSign | Glsl::FindILsb | Glsl::FindSMsb | Glsl::FindUMsb => {
            &INTEGER_UNARY
        }
        Glsl::UMin | Glsl::UMax | Glsl::SMin | Glsl::SMax => &INTEGER_BINARY,
        Glsl::UClamp | Glsl::SClamp => &INTEGER_TERNARY,
        _ => return None,
    })
}

/// What an instruction computes in binary64, to be rounded to nearest, if it is not exact.
/// With the default [`Environment`], [`evaluate_glsl_scalar`] gives just that, with the one NaN
/// that operations make: for those who compute it very often.
pub fn glsl_function(instruction: Glsl) -> Option<Function> {
    use Function::{One, Three, Two};
    Some(match instruction {
        Glsl::Radians => One(math::radians),
        Glsl::Degrees => One(math::degrees),
        Glsl::Sin => One(libm::sin),
        Glsl::Cos => One(libm::cos),
        Glsl::Tan => One(libm::tan),
        Glsl::Asin => One(libm::asin),
        Glsl::Acos => One(libm::acos),
        Glsl::Atan => One(libm::atan),
        Glsl::Sinh => One(libm::sinh),
        Glsl::Cosh => One(libm::cosh),
        Glsl::Tanh => One(libm::tanh),
        Glsl::Asinh => One(libm::asinh),
        Glsl::Acosh => One(libm::acosh),
        Glsl::Atanh => One(libm::atanh),
        Glsl::Atan2 => Two(libm::atan2),
        Glsl::Pow => Two(libm::pow),
        Glsl::Exp => One(libm::exp),
        Glsl::Log => One(libm::log),
        Glsl::Exp2 => One(libm::exp2),
        Glsl::Log2 => One(libm::log2),
        Glsl::Sqrt => One(libm::sqrt),
        Glsl::InverseSqrt => One(math::rsqrt),
        Glsl::SmoothStep => Three(math::smooth_step),
        _ => return None,
    })
}

/// Whether the set, or mathematics, which Vulkan goes by, has no result for these operands.
fn is_undefined(instruction: Glsl, [x, y, _]: [f64; 3]) -> bool {
    match instruction {
        Glsl::Asin | Glsl::Acos => x.abs() > 1.0,
        Glsl::Acosh => x < 1.0,
        Glsl::Atanh => x.abs() >= 1.0,
        Glsl::Atan2 => x == 0.0 && y == 0.0,
        Glsl::Pow => x < 0.0 || x == 0.0 && y <= 0.0,
        Glsl::Log | Glsl::Log2 | Glsl::Sqrt | Glsl::InverseSqrt => x < 0.0,
        Glsl::SmoothStep => x >= y,
        _ => false,
    }
}

/// The result of an instruction of `GLSL.std.450` that takes scalars and gives one.
///
/// `FMix` is `x * (1 - a) + y * a` with a rounding an operation, in that order; `Fma`
/// rounds once. Which zero is the lesser is undefined, and so is in which direction
/// `Round` takes one half; commonly, it is the first operand, and the even number. Functions are
/// rounded to nearest from a result with many more digits, whatever the rounding mode. Where
/// they are undefined ([`Reason::Domain`]), it is commonly a NaN, or what their
/// formula gives.
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
/// assert_eq!(evaluate(GlslStd450::Exp, 1.0)?.defined(), Ok(core::f32::consts::E.into()));
/// assert_eq!(evaluate(GlslStd450::Asin, 2.0)?.defined(), Err(Reason::Domain));
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
    let bits = bits_of(operands);
    let outcome = match result {
        ScalarType::Float(format) => {
            let arithmetic = Arithmetic::new(format, environment)?;
            // The exponent is a signed number, of whatever width.
            let exponent = operands.get(1).map_or(0, |it| it.sign_extended());
            let numbers = [bits[0], bits[1], bits[2]].map(|bits| arithmetic.number(bits));
            let outcome = match glsl_function(instruction) {
                Some(function) => {
                    let is_undefined = is_undefined(instruction, numbers);
                    let bits = function.call(arithmetic, numbers, exponent);
                    Outcome::new(bits, is_undefined.then_some(Reason::Domain))
                }
                None => exact::floats(instruction, arithmetic, bits, exponent),
            };
            let floats = if instruction == Glsl::Ldexp { 1 } else { 3 };
            arithmetic.in_mode(&bits[..floats], outcome)
        }
        _ => exact::integers(instruction, result.width(), bits),
    };
    Ok(outcome.map(|bits| Scalar::new(result, bits)))
}
