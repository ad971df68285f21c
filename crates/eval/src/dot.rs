//! Dot products of integers (`SPV_KHR_integer_dot_product`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Op, PackedVectorFormat};

use crate::evaluator::Evaluation;
use crate::integer::{signed_max, signed_min, unsigned_max};
use crate::outcome::{Evaluated, NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::value::{MAX_PARTS, Value};

/// What packed vectors hold.
const BYTE: ScalarType = ScalarType::Integer { width: 8 };

/// The dot product of two vectors of integers (`OpSDot` and its like), with an accumulator for
/// those opcodes that take one.
///
/// ```
/// use spirvkit_eval::{Scalar, ScalarType, evaluate_dot};
/// use spirvkit_grammar::Op;
///
/// let byte = ScalarType::Integer { width: 8 };
/// let vector = [Scalar::new(byte, 0xff), Scalar::new(byte, 2)];
/// let dot = evaluate_dot(Op::SDotAccSat, byte, &vector, &vector, Some(Scalar::new(byte, 125)))?;
/// assert_eq!(dot.common().bits(), 127);
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the opcode is none of these, or a type is no integer or another than the opcode wants.
pub fn evaluate_dot(
    op: Op,
    result: ScalarType,
    first: &[Scalar],
    second: &[Scalar],
    accumulator: Option<Scalar>,
) -> Evaluated<Scalar> {
    let accumulates = match op {
        Op::SDot | Op::UDot | Op::SUDot => false,
        Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => true,
        _ => return Err(NotComputable::Opcode(op)),
    };
    let is_integer = |ty: ScalarType| matches!(ty, ScalarType::Integer { .. });
    if !is_integer(result) {
        return Err(NotComputable::ResultScalar(result));
    }
    for (index, vector) in [first, second].into_iter().enumerate() {
        if vector.len() != first.len() || !vector.iter().all(|it| is_integer(it.ty())) {
            return Err(NotComputable::Operand { index });
        }
    }
    if accumulates != accumulator.is_some() || accumulator.is_some_and(|it| it.ty() != result) {
        return Err(NotComputable::Operand { index: 2 });
    }
    let mut sum = Sum::new(op, result);
    for (&a, &b) in first.iter().zip(second) {
        sum.add(a, b);
    }
    Ok(sum.finish(accumulator))
}

/// A sum of products.
struct Sum {
    ty: ScalarType,
    /// Whether both operands have signs.
    signed: (bool, bool),
    sum: i128,
    /// Whether all products and sums so far fit into the result.
    fits: bool,
}

impl Sum {
    fn new(op: Op, ty: ScalarType) -> Self {
        let signed = match op {
            Op::UDot | Op::UDotAccSat => (false, false),
            Op::SUDot | Op::SUDotAccSat => (true, false),
            _ => (true, true),
        };
        Self {
            ty,
            signed,
            sum: 0,
            fits: true,
        }
    }

    /// The least and the largest number of the result's type.
    fn limits(&self) -> (i128, i128) {
        let width = self.ty.width();
        match self.signed.0 || self.signed.1 {
            true => (signed_min(width), signed_max(width)),
            false => (0, unsigned_max(width)),
        }
    }

    fn add(&mut self, a: Scalar, b: Scalar) {
        let number = |scalar: Scalar, is_signed| match is_signed {
            true => i128::from(scalar.sign_extended()),
            false => scalar.bits().into(),
        };
        let (a, b) = (number(a, self.signed.0), number(b, self.signed.1));
        let (least, most) = self.limits();
        // The low bits are right however much is cut off above.
        self.sum = self.sum.wrapping_add(a.wrapping_mul(b));
        self.fits &= a
            .checked_mul(b)
            .is_some_and(|it| (least..=most).contains(&it))
            && (least..=most).contains(&self.sum);
    }

    /// The low bits of the sum; with an accumulator, the sum clamped to what there is in the
    /// result type, which is undefined if something overflowed before that.
    fn finish(self, accumulator: Option<Scalar>) -> Outcome<Scalar> {
        let Some(accumulator) = accumulator else {
            return Outcome::new(Scalar::new(self.ty, self.sum as u64), None);
        };
        let (least, most) = self.limits();
        let accumulator = match least < 0 {
            true => accumulator.sign_extended().into(),
            false => i128::from(accumulator.bits()),
        };
        let sum = self.sum.saturating_add(accumulator).clamp(least, most);
        let reason = (!self.fits).then_some(Reason::DotOverflow);
        Outcome::new(Scalar::new(self.ty, sum as u64), reason)
    }
}

impl Evaluation<'_> {
    /// The low bits of the sum of products; of those that accumulate, the sum clamped to
    /// what there is in the result type, which is undefined if something overflows before
    /// that.
    pub(crate) fn integer_dot(
        &self,
        op: Op,
        result_type: Id,
        operands: &[Value],
        literals: &[u32],
    ) -> Result<Value, NotComputable> {
        let Some(ty @ ScalarType::Integer { .. }) = self.types.scalar(result_type) else {
            return Err(NotComputable::ResultType(result_type));
        };
        let (first, second, accumulator) = match operands {
            [first, second] => (first, second, None),
            [first, second, accumulator] => (first, second, Some(accumulator)),
            _ => {
                return Err(NotComputable::OperandCount {
                    found: operands.len(),
                });
            }
        };
        let is_packed = match literals {
            [] => false,
            &[format]
                if PackedVectorFormat(format) == PackedVectorFormat::PackedVectorFormat4x8Bit =>
            {
                true
            }
            _ => {
                return Err(NotComputable::Operand {
                    index: operands.len(),
                });
            }
        };
        let count = match (first, second) {
            (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() && !is_packed => {
                a.len()
            }
            (
                Value::Scalar(_) | Value::Null | Value::Undef,
                Value::Scalar(_) | Value::Null | Value::Undef,
            ) if is_packed => 4,
            _ => return Err(NotComputable::Operand { index: 1 }),
        };
        if count as usize > MAX_PARTS {
            return Err(NotComputable::TooLarge);
        }
        self.spend(count as usize)?;
        let component = |vector: &Value, lane: u32, index: usize| match is_packed {
            true => {
                let word = self.integer_bits(vector, index)?;
                Ok(Scalar::new(BYTE, word.bits() >> (8 * lane)))
            }
            false => self.integer_bits(vector.part(lane).unwrap_or(&Value::Null), index),
        };
        let mut sum = Sum::new(op, ty);
        for lane in 0..count {
            sum.add(component(first, lane, 0)?, component(second, lane, 1)?);
        }
        let accumulator = match accumulator {
            Some(accumulator) => Some(self.scalar(ty, accumulator, 2)?),
            None => None,
        };
        let outcome = sum.finish(accumulator);
        self.note(outcome.undefined());
        Ok(Value::Scalar(outcome.common()))
    }

    /// An integer of whatever width.
    fn integer_bits(&self, value: &Value, index: usize) -> Result<Scalar, NotComputable> {
        match value {
            Value::Scalar(scalar) if matches!(scalar.ty(), ScalarType::Integer { .. }) => {
                Ok(*scalar)
            }
            Value::Scalar(_) | Value::Composite(_) => Err(NotComputable::Operand { index }),
            _ => self.scalar(ScalarType::Integer { width: 32 }, value, index),
        }
    }
}
