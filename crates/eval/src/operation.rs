//! Operations on scalars.

use spirvkit_grammar::Op;

use crate::environment::Environment;
use crate::outcome::{Evaluated, NotComputable};
use crate::scalar::{Scalar, ScalarType};
use crate::signature::{Bits, MAX_OPERANDS, Signature, bits_of, defined};
use crate::{float, integer};

/// The result of an opcode on scalars, as [`Evaluator::evaluate`](crate::Evaluator::evaluate)
/// gives it, without a table of types and without allocation. It takes all opcodes
/// that work on components, and `OpBitcast` between scalars.
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
/// use spirvkit_grammar::Op;
///
/// let byte = ScalarType::Integer { width: 8 };
/// let operands = [Scalar::new(byte, 200), Scalar::new(byte, 100)];
/// let sum = evaluate_scalar(Op::IAdd, byte, &operands, &Environment::default())?;
/// assert_eq!(sum.common().bits(), 44);
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the opcode or the types are not such that there is a result.
pub fn evaluate_scalar(
    op: Op,
    result: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<Scalar> {
    if op == Op::Bitcast {
        let &[operand] = operands else {
            let found = operands.len();
            return Err(NotComputable::OperandCount { found });
        };
        let bits = bit_cast(result, operand)?;
        return Ok(defined(bits).map(|bits| Scalar::new(result, bits)));
    }
    let signature = Signature::of(op).ok_or(NotComputable::Opcode(op))?;
    evaluate(op, signature, result, operands, environment)
}

/// The low and the high part of a result as wide as both operands together
/// (`OpIAddCarry`, `OpISubBorrow`, `OpUMulExtended`, `OpSMulExtended`): the members of the
/// structure that it is. A carry or borrow is 0 or 1.
///
/// # Errors
///
/// If the opcode is none of these, or the operands are no integers of the same width.
pub fn evaluate_extended(op: Op, a: Scalar, b: Scalar) -> Result<[Scalar; 2], NotComputable> {
    let ty = a.ty();
    if !matches!(ty, ScalarType::Integer { .. }) || b.ty() != ty {
        return Err(NotComputable::Operand { index: 1 });
    }
    let halves = integer::extended(op, ty.width(), a.bits(), b.bits());
    let (low, high) = halves.ok_or(NotComputable::Opcode(op))?;
    Ok([Scalar::new(ty, low), Scalar::new(ty, high)])
}

fn bit_cast(result: ScalarType, operand: Scalar) -> Result<u64, NotComputable> {
    if result == ScalarType::Bool {
        return Err(NotComputable::ResultScalar(result));
    }
    if operand.ty() == ScalarType::Bool || operand.ty().width() != result.width() {
        return Err(NotComputable::Operand { index: 0 });
    }
    Ok(operand.bits())
}

/// The same for an opcode whose signature is known.
pub(crate) fn evaluate(
    op: Op,
    signature: &Signature,
    result: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<Scalar> {
    signature.check(result, operands)?;
    let first = operands.first().map_or(result, |operand| operand.ty());
    let bits = bits_of(operands);
    let (width, from) = (result.width(), first.width());
    let outcome = match (result, first) {
        (_, _) if op == Op::Select => defined(if bits[0] != 0 { bits[1] } else { bits[2] }),
        (ScalarType::Bool, ScalarType::Bool) => logical(op, bits)?,
        (ScalarType::Bool, ScalarType::Integer { .. }) => integer::test(op, from, bits)?,
        (ScalarType::Bool, ScalarType::Float(format)) => {
            float::test(op, format, bits, environment)?
        }
        (ScalarType::Integer { .. }, ScalarType::Float(format)) => {
            float::to_integer(op, width, format, bits[0], environment)?
        }
        (ScalarType::Integer { .. }, _) => integer::evaluate(op, width, from, bits, environment)?,
        (ScalarType::Float(format), ScalarType::Float(from)) => {
            float::evaluate(op, format, from, bits, environment)?
        }
        (ScalarType::Float(format), _) => {
            float::from_integer(op, format, from, bits[0], environment)?
        }
    };
    Ok(outcome.map(|bits| Scalar::new(result, bits)))
}

/// Section 3.32.15, the logical part.
fn logical(op: Op, [a, b, ..]: [u64; MAX_OPERANDS]) -> Result<Bits, NotComputable> {
    Ok(defined(match op {
        Op::LogicalNot => a ^ 1,
        Op::LogicalOr => a | b,
        Op::LogicalAnd => a & b,
        Op::LogicalEqual => u64::from(a == b),
        Op::LogicalNotEqual => u64::from(a != b),
        _ => return Err(NotComputable::Opcode(op)),
    }))
}
