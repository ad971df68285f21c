//! Instructions with two results.

use spirvkit_grammar::GlslStd450 as Glsl;

use crate::environment::Environment;
use crate::float::Arithmetic;
use crate::math;
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::signature::{FLOAT_UNARY, defined};

/// The two results of `Modf`, `ModfStruct`, `Frexp` or `FrexpStruct` on a scalar: the result
/// and what is stored, or the members of the structure. `operands` has no pointer. An
/// exponent is an integer of 32 bits; it and the significand are undefined for infinities and
/// NaNs.
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, evaluate_glsl_pair};
/// use spirvkit_grammar::GlslStd450;
///
/// let environment = Environment::default();
/// let parts = evaluate_glsl_pair(GlslStd450::FrexpStruct, &[12f32.into()], &environment)?;
/// assert_eq!(parts.defined(), Ok([0.75f32.into(), 4.into()]));
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction or the types are not such that there is a result.
pub fn evaluate_glsl_pair(
    instruction: Glsl,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<[Scalar; 2]> {
    let is_frexp = match instruction {
        Glsl::Modf | Glsl::ModfStruct => false,
        Glsl::Frexp | Glsl::FrexpStruct => true,
        _ => return Err(NotComputable::Glsl(instruction)),
    };
    let &[operand] = operands else {
        let found = operands.len();
        return Err(NotComputable::OperandCount { found });
    };
    FLOAT_UNARY.check(operand.ty(), operands)?;
    let ScalarType::Float(format) = operand.ty() else {
        return Err(NotComputable::Operand { index: 0 });
    };
    let arithmetic = Arithmetic::new(format, environment)?;
    let x = arithmetic.number(operand.bits());
    let float = |number| {
        let bits = defined(arithmetic.nearest(number));
        let outcome = arithmetic.in_mode(&[operand.bits()], bits);
        outcome.map(|bits| Scalar::new(operand.ty(), bits))
    };
    if is_frexp {
        let (significand, exponent) = math::frexp(x);
        let reason = (!x.is_finite()).then_some(Reason::Domain);
        let significand = float(significand);
        let reason = reason.or(significand.undefined());
        let parts = [significand.common(), Scalar::from(exponent as u32)];
        return Ok(Outcome::new(parts, reason));
    }
    let [fraction, whole] = math::modf(x).map(float);
    let reason = fraction.undefined().or(whole.undefined());
    Ok(Outcome::new([fraction.common(), whole.common()], reason))
}
