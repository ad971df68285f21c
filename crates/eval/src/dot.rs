//! Dot products of integers (`SPV_KHR_integer_dot_product`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Op, PackedVectorFormat};

use crate::evaluator::Evaluation;
use crate::integer::{signed_max, signed_min, unsigned_max};
use crate::outcome::{NotComputable, Reason};
use crate::scalar::{Scalar, ScalarType, sign_extend};
use crate::value::{MAX_PARTS, Value};

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
        let (first_signed, second_signed) = match op {
            Op::UDot | Op::UDotAccSat => (false, false),
            Op::SUDot | Op::SUDotAccSat => (true, false),
            _ => (true, true),
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
        let component = |vector: &Value, lane: u32, is_signed: bool, index: usize| {
            let (bits, width) = match is_packed {
                true => {
                    let word = self.integer_bits(vector, index)?;
                    (word.bits() >> (8 * lane) & 0xff, 8)
                }
                false => {
                    let part = vector.part(lane).unwrap_or(&Value::Null);
                    let part = self.integer_bits(part, index)?;
                    (part.bits(), part.ty().width())
                }
            };
            Ok(match is_signed {
                true => i128::from(sign_extend(bits, width)),
                false => bits.into(),
            })
        };
        let is_signed = first_signed || second_signed;
        let (least, most) = match is_signed {
            true => (signed_min(ty.width()), signed_max(ty.width())),
            false => (0, unsigned_max(ty.width())),
        };
        let mut sum = 0i128;
        let mut fits = true;
        for lane in 0..count {
            let a = component(first, lane, first_signed, 0)?;
            let b = component(second, lane, second_signed, 1)?;
            // The low bits are right however much is cut off above.
            let product = a.wrapping_mul(b);
            sum = sum.wrapping_add(product);
            fits &= a
                .checked_mul(b)
                .is_some_and(|it| (least..=most).contains(&it))
                && (least..=most).contains(&sum);
        }
        if let Some(accumulator) = accumulator {
            self.note((!fits).then_some(Reason::DotOverflow));
            let accumulator = self.scalar(ty, accumulator, 2)?;
            let accumulator = match is_signed {
                true => accumulator.sign_extended().into(),
                false => i128::from(accumulator.bits()),
            };
            sum = sum.saturating_add(accumulator).clamp(least, most);
        }
        Ok(Value::Scalar(Scalar::new(ty, sum as u64)))
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
