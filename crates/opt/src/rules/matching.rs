//! What the generated matcher calls.

pub(super) use spirvkit_eval::{Scalar, ScalarType};
pub(super) use spirvkit_grammar::FPFastMathMode;

use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{Environment, evaluate_glsl_scalar, evaluate_scalar};
use spirvkit_grammar::{GlslStd450, Op};

use super::{Modes, Values, glsl};

/// What is added to the number of an instruction of `GLSL.std.450` to tell its kind from
/// opcodes.
pub(super) const GLSL: u32 = 0x1_0000;

/// The kind of a constant with bits.
pub(super) const CONSTANT: u32 = u32::MAX;

/// A constant in a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Literal {
    Integer(i64),
    Float(f64),
    /// The least signed integer.
    Least,
    /// The greatest signed integer.
    Greatest,
}

/// What a value is to the decision trees.
pub(super) fn kind<V: Values>(values: &V, value: Id) -> u32 {
    let op = values.op(value);
    if op == Op::ExtInst {
        let kind = glsl(values, value).map(|(_, number, _)| GLSL.saturating_add(number.0));
        return kind.unwrap_or(op.0.into());
    }
    if op.is_constant() && values.bits(value).is_some() {
        return CONSTANT;
    }
    op.0.into()
}

/// The operands of an operation, if they are so many.
pub(super) fn ids<const N: usize>(operands: &[u32]) -> Option<[Id; N]> {
    let operands: [u32; N] = operands.try_into().ok()?;
    Some(operands.map(Id))
}

/// The same for that which makes a value.
pub(super) fn operands_of<const N: usize, V: Values>(values: &V, value: Id) -> Option<[Id; N]> {
    match glsl(values, value) {
        Some((_, _, operands)) => ids(operands),
        None => ids(values.operands(value)),
    }
}

pub(super) fn scalar_type<V: Values>(values: &V, ty: Id) -> Option<ScalarType> {
    Some(values.shape(ty)?.0)
}

/// The scalar that a constant has in all components.
pub(super) fn scalar<V: Values>(values: &V, value: Id) -> Option<Scalar> {
    let ty = scalar_type(values, values.ty(value))?;
    Some(Scalar::new(ty, values.bits(value)?))
}

/// A literal as a scalar; `None` if the type has no such number.
pub(super) fn literal(ty: ScalarType, literal: Literal) -> Option<Scalar> {
    let sign = 1 << (ty.width() - 1);
    let bits = match (literal, ty) {
        (Literal::Float(value), ScalarType::Float(format)) => {
            let double = Scalar::from(value);
            if format == FloatFormat::Double {
                return Some(double);
            }
            let environment = Environment::default();
            let scalar = evaluate_scalar(Op::FConvert, ty, &[double], &environment);
            return scalar.ok()?.defined().ok();
        }
        (_, ScalarType::Float(_)) | (Literal::Float(_), _) => return None,
        (Literal::Integer(value), _) => value as u64,
        (Literal::Least, _) => sign,
        (Literal::Greatest, _) => sign - 1,
    };
    Some(Scalar::new(ty, bits))
}

pub(super) fn is_literal<V: Values>(values: &V, value: Id, wanted: Literal) -> bool {
    let found = scalar(values, value);
    found.is_some_and(|found| literal(found.ty(), wanted) == Some(found))
}

/// Whether types are the same but for the signs of integers.
pub(super) fn are_alike<V: Values>(values: &V, a: Id, b: Id) -> bool {
    let shape = values.shape(a);
    a == b || shape.is_some() && shape == values.shape(b)
}

/// An operation on constants; `None` if its result is undefined, or not the same in all modes
/// that there may be.
pub(super) fn fold(modes: &Modes, op: Op, ty: ScalarType, operands: &[Scalar]) -> Option<Scalar> {
    let outcome = evaluate_scalar(op, ty, operands, &modes.environment);
    outcome.ok()?.defined().ok()
}

pub(super) fn fold_glsl(
    modes: &Modes,
    instruction: GlslStd450,
    ty: ScalarType,
    operands: &[Scalar],
) -> Option<Scalar> {
    let outcome = evaluate_glsl_scalar(instruction, ty, operands, &modes.environment);
    outcome.ok()?.defined().ok()
}

/// Whether a number is a power of two, or the negative of one, whose reciprocal is another
/// one, and both are normal: division by it is multiplication by that.
pub(super) fn has_reciprocal(scalar: Scalar) -> bool {
    let (mantissa, exponents) = match scalar.ty() {
        ScalarType::Float(FloatFormat::Half) => (10, 0x1f),
        ScalarType::Float(FloatFormat::Single) => (23, 0xff),
        ScalarType::Float(FloatFormat::Double) => (52, 0x7ff),
        _ => return false,
    };
    let exponent = scalar.bits() >> mantissa & exponents;
    let is_power = scalar.bits() & ((1 << mantissa) - 1) == 0;
    // The exponent of the reciprocal is `exponents - 1 - exponent`.
    is_power && exponent > 0 && exponent < exponents - 1
}

/// A value as one of a type: itself, or its bits if it is an integer of the other sign.
pub(super) fn adapt<V: Values>(values: &mut V, ty: Id, value: Id) -> Option<Id> {
    let own = values.ty(value);
    if own == ty {
        return Some(value);
    }
    let is_integer = matches!(values.shape(ty), Some((ScalarType::Integer { .. }, _)));
    (is_integer && values.shape(own) == values.shape(ty))
        .then(|| values.make(Op::Bitcast, ty, &[value.0]))
}
