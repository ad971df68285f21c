//! Functions with a second result, which they store.

use spirvkit_grammar::OpenClStd as OpenCl;

use super::nearest;
use crate::environment::{Environment, Rounding};
use crate::float::Arithmetic;
use crate::math;
use crate::outcome::{Evaluated, NotComputable, Outcome};
use crate::real::Real;
use crate::scalar::{Scalar, ScalarType};
use crate::signature::{FLOAT_BINARY, FLOAT_UNARY, defined};

/// The result of `fract`, `frexp`, `lgamma_r`, `modf`, `remquo` or `sincos` on scalars, and
/// what it stores: a number of the same type, or an integer of 32 bits. `operands` has no
/// pointer.
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, evaluate_opencl_pair};
/// use spirvkit_grammar::OpenClStd;
///
/// let operands = [7f32.into(), 2f32.into()];
/// let parts = evaluate_opencl_pair(OpenClStd::remquo, &operands, &Environment::default())?;
/// assert_eq!(parts.defined(), Ok([Scalar::from(-1f32), 4.into()]));
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction or the types are not such that there is a result.
pub fn evaluate_opencl_pair(
    instruction: OpenCl,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<[Scalar; 2]> {
    let signature = match instruction {
        OpenCl::fract | OpenCl::frexp | OpenCl::lgamma_r | OpenCl::modf | OpenCl::sincos => {
            &FLOAT_UNARY
        }
        OpenCl::remquo => &FLOAT_BINARY,
        _ => return Err(NotComputable::OpenCl(instruction)),
    };
    let Some(first) = operands.first() else {
        return Err(NotComputable::OperandCount { found: 0 });
    };
    let ty = first.ty();
    signature.check(ty, operands)?;
    let ScalarType::Float(format) = ty else {
        return Err(NotComputable::Operand { index: 0 });
    };
    let arithmetic = Arithmetic::new(format, &nearest(environment))?;
    let x = arithmetic.number(first.bits());
    let mut reason = operands
        .iter()
        .find_map(|operand| arithmetic.undefined(operand.bits()));
    let mut float = |bits| {
        let outcome = arithmetic.in_mode(&[], defined(bits));
        reason = reason.or(outcome.undefined());
        Scalar::new(ty, outcome.common())
    };
    let with_integer =
        |(number, integer): (f64, i32)| (arithmetic.nearest(number), Scalar::from(integer as u32));
    let (number, integer) = match instruction {
        OpenCl::frexp => with_integer(math::frexp(x)),
        OpenCl::lgamma_r => with_integer((libm::lgamma(x), math::lgamma_sign(x))),
        OpenCl::remquo => {
            let y = operands.get(1).map_or(0.0, |y| arithmetic.number(y.bits()));
            with_integer(math::remquo(x, y))
        }
        OpenCl::fract => {
            let (fraction, whole) = fract(arithmetic, first.bits());
            (fraction, float(whole))
        }
        OpenCl::modf => {
            let [fraction, whole] = math::modf(x).map(|it| arithmetic.nearest(it));
            (fraction, float(whole))
        }
        // What is left is `sincos`.
        _ => {
            let (sine, cosine) = libm::sincos(x);
            (arithmetic.nearest(sine), float(arithmetic.nearest(cosine)))
        }
    };
    let number = float(number);
    Ok(Outcome::new([number, integer], reason))
}

/// What is above the next lower whole number, below 1, and that number.
fn fract(arithmetic: Arithmetic, bits: u64) -> (u64, u64) {
    let layout = arithmetic.layout;
    let bits = arithmetic.operand(bits);
    let x = layout.decode(bits);
    let floor = x.rounded(Rounding::TowardNegative);
    let whole = arithmetic.rounded(floor);
    if layout.is_special(bits) || x.is_zero() {
        // Zero, with the sign, but a NaN stays one.
        let fraction = if x.is_nan() {
            whole
        } else {
            layout.zero_of_sign(bits)
        };
        return (fraction, whole);
    }
    let one = arithmetic.rounded(Real::integer(1));
    let fraction = arithmetic.rounded(x.plus(floor.negated(), Rounding::NearestEven));
    (fraction.min(one - 1), whole)
}
