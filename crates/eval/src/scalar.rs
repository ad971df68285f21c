//! Operations on scalars, and on the components of vectors.

use spirvkit_grammar::Op;

use super::value::{Scalar, ScalarType};
use super::{MAX_OPERANDS, NotFoldable, Reason, Undefined, float, integer};

/// A sort of scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Bool,
    Integer,
    Float,
    Any,
}

impl Sort {
    #[inline]
    fn has(self, ty: ScalarType) -> bool {
        match self {
            Self::Bool => ty == ScalarType::Bool,
            Self::Integer => matches!(ty, ScalarType::Integer { .. }),
            Self::Float => matches!(ty, ScalarType::Float(_)),
            Self::Any => true,
        }
    }
}

/// What an operand must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Of the result type.
    Result,
    /// Of one type with all operands that are wanted so.
    Alike(Sort),
    /// Of any type of a sort.
    Any(Sort),
}

/// What an operation on components takes and gives.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) result: Sort,
    pub(super) operands: &'static [Want],
    /// The operands from this one on are scalars for vectors, too.
    pub(super) scalar_from: usize,
}

const fn signature(result: Sort, operands: &'static [Want]) -> Signature {
    Signature {
        result,
        operands,
        scalar_from: MAX_OPERANDS,
    }
}

use Sort::{Bool, Float, Integer};
use Want::{Alike, Any, Result as Same};

static INTEGER_UNARY: Signature = signature(Integer, &[Same]);
static INTEGER_BINARY: Signature = signature(Integer, &[Same, Same]);
static SHIFT: Signature = signature(Integer, &[Same, Any(Integer)]);
static INTEGER_TEST: Signature = signature(Bool, &[Alike(Integer), Alike(Integer)]);
static INTEGER_FROM_INTEGER: Signature = signature(Integer, &[Any(Integer)]);
static INTEGER_FROM_FLOAT: Signature = signature(Integer, &[Any(Float)]);
static FLOAT_FROM_INTEGER: Signature = signature(Float, &[Any(Integer)]);
static FLOAT_FROM_FLOAT: Signature = signature(Float, &[Any(Float)]);
static FLOAT_UNARY: Signature = signature(Float, &[Same]);
static FLOAT_BINARY: Signature = signature(Float, &[Same, Same]);
static FLOAT_CLASS: Signature = signature(Bool, &[Any(Float)]);
static FLOAT_TEST: Signature = signature(Bool, &[Alike(Float), Alike(Float)]);
static LOGICAL_UNARY: Signature = signature(Bool, &[Same]);
static LOGICAL_BINARY: Signature = signature(Bool, &[Same, Same]);
static SELECT: Signature = signature(Sort::Any, &[Any(Bool), Same, Same]);
static SCALE: Signature = Signature {
    scalar_from: 1,
    ..signature(Float, &[Same, Same])
};
static FIELD_EXTRACT: Signature = Signature {
    scalar_from: 1,
    ..signature(Integer, &[Same, Any(Integer), Any(Integer)])
};
static FIELD_INSERT: Signature = Signature {
    scalar_from: 2,
    ..signature(Integer, &[Same, Same, Any(Integer), Any(Integer)])
};

impl Signature {
    /// The signature of an opcode that works on components.
    pub(super) fn of(op: Op) -> Option<&'static Self> {
        Some(match op {
            Op::SNegate | Op::Not | Op::BitReverse => &INTEGER_UNARY,
            Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UDiv
            | Op::SDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::BitwiseAnd => &INTEGER_BINARY,
            Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => &SHIFT,
            Op::IEqual
            | Op::INotEqual
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual => &INTEGER_TEST,
            Op::UConvert
            | Op::SConvert
            | Op::SatConvertSToU
            | Op::SatConvertUToS
            | Op::BitCount => &INTEGER_FROM_INTEGER,
            Op::BitFieldInsert => &FIELD_INSERT,
            Op::BitFieldSExtract | Op::BitFieldUExtract => &FIELD_EXTRACT,
            Op::ConvertFToS | Op::ConvertFToU => &INTEGER_FROM_FLOAT,
            Op::ConvertSToF | Op::ConvertUToF => &FLOAT_FROM_INTEGER,
            Op::FConvert => &FLOAT_FROM_FLOAT,
            Op::FNegate | Op::QuantizeToF16 => &FLOAT_UNARY,
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => &FLOAT_BINARY,
            Op::VectorTimesScalar => &SCALE,
            Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => &FLOAT_CLASS,
            Op::LessOrGreater
            | Op::Ordered
            | Op::Unordered
            | Op::FOrdEqual
            | Op::FUnordEqual
            | Op::FOrdNotEqual
            | Op::FUnordNotEqual
            | Op::FOrdLessThan
            | Op::FUnordLessThan
            | Op::FOrdGreaterThan
            | Op::FUnordGreaterThan
            | Op::FOrdLessThanEqual
            | Op::FUnordLessThanEqual
            | Op::FOrdGreaterThanEqual
            | Op::FUnordGreaterThanEqual => &FLOAT_TEST,
            Op::LogicalNot => &LOGICAL_UNARY,
            Op::LogicalOr | Op::LogicalAnd | Op::LogicalEqual | Op::LogicalNotEqual => {
                &LOGICAL_BINARY
            }
            Op::Select => &SELECT,
            _ => return None,
        })
    }

    /// The type of an operand that is zero and doesn't say of which type. Where
    /// nothing else tells either, the result is the same for all types.
    pub(super) fn zero(
        &self,
        index: usize,
        result: ScalarType,
        other: Option<ScalarType>,
    ) -> ScalarType {
        let (sort, alike) = match self.operands.get(index) {
            None | Some(Want::Result) => return result,
            Some(Want::Alike(sort)) => (*sort, other),
            Some(Want::Any(sort)) => (*sort, None),
        };
        alike.unwrap_or(match sort {
            Sort::Bool | Sort::Any => ScalarType::Bool,
            Sort::Integer => ScalarType::Integer { width: 32 },
            Sort::Float => ScalarType::Float(spirvkit_binary::FloatFormat::Single),
        })
    }

    /// Checks the types.
    fn check(&self, result: ScalarType, operands: &[Scalar]) -> Result<(), NotFoldable> {
        if !self.result.has(result) {
            return Err(NotFoldable::ResultScalar(result));
        }
        if operands.len() != self.operands.len() {
            return Err(NotFoldable::OperandCount {
                found: operands.len(),
            });
        }
        for (index, (operand, want)) in operands.iter().zip(self.operands).enumerate() {
            let suits = match *want {
                Want::Result => operand.ty() == result,
                Want::Alike(sort) => sort.has(operand.ty()) && operand.ty() == operands[0].ty(),
                Want::Any(sort) => sort.has(operand.ty()),
            };
            if !suits {
                return Err(NotFoldable::Operand { index });
            }
        }
        Ok(())
    }
}

/// A result that the specification leaves undefined.
pub(super) struct UndefinedResult {
    pub(super) reason: Reason,
    /// What implementations commonly give.
    pub(super) common: u64,
}

/// Bits, or why they are undefined.
pub(super) type Bits = Result<u64, UndefinedResult>;

/// Bits that are undefined.
pub(super) fn undefined(reason: Reason, common: u64) -> Bits {
    Err(UndefinedResult { reason, common })
}

/// The result of an opcode on scalars, as [`Folder::fold`](super::Folder::fold)
/// gives it, without a table of types and without allocation. It takes all opcodes
/// that work on components, and `OpBitcast` between scalars.
///
/// ```
/// use spirvkit_grammar::Op;
/// use spirvkit_eval::{NotFoldable, Reason, ScalarType, Undefined, fold_scalar};
///
/// let int = ScalarType::Integer { width: 32 };
/// let shift = |undefined| fold_scalar(Op::ShiftLeftLogical, int, &[1.into(), 32.into()], undefined);
/// let refused = NotFoldable::Undefined(Reason::ShiftOutOfRange);
/// assert_eq!(shift(Undefined::Refuse), Err(refused));
/// assert_eq!(shift(Undefined::Common), Ok(0.into()));
/// ```
///
/// # Errors
///
/// If the opcode or the types are not such that there is a result, or if the
/// result is undefined and `policy` refuses that.
pub fn fold_scalar(
    op: Op,
    result: ScalarType,
    operands: &[Scalar],
    policy: Undefined,
) -> Result<Scalar, NotFoldable> {
    if op == Op::Bitcast {
        return match operands {
            [operand] => bit_cast(result, *operand),
            _ => Err(NotFoldable::OperandCount {
                found: operands.len(),
            }),
        };
    }
    let signature = Signature::of(op).ok_or(NotFoldable::Opcode(op))?;
    evaluate(op, signature, result, operands, policy)
}

fn bit_cast(result: ScalarType, operand: Scalar) -> Result<Scalar, NotFoldable> {
    if result == ScalarType::Bool {
        return Err(NotFoldable::ResultScalar(result));
    }
    if operand.ty() == ScalarType::Bool || operand.ty().width() != result.width() {
        return Err(NotFoldable::Operand { index: 0 });
    }
    Ok(Scalar::new(result, operand.bits()))
}

/// The same for an opcode whose signature is known.
pub(super) fn evaluate(
    op: Op,
    signature: &Signature,
    result: ScalarType,
    operands: &[Scalar],
    policy: Undefined,
) -> Result<Scalar, NotFoldable> {
    signature.check(result, operands)?;
    let first = operands.first().map_or(result, |operand| operand.ty());
    let bit = |index: usize| operands.get(index).map_or(0, |operand| operand.bits());
    let bits = [bit(0), bit(1), bit(2), bit(3)];
    let outcome = match (result, first) {
        (_, _) if op == Op::Select => Ok(if bits[0] != 0 { bits[1] } else { bits[2] }),
        (ScalarType::Bool, ScalarType::Bool) => logical(op, bits)?,
        (ScalarType::Bool, ScalarType::Integer { .. }) => integer::test(op, first.width(), bits)?,
        (ScalarType::Bool, ScalarType::Float(format)) => float::test(op, format, bits)?,
        (ScalarType::Integer { .. }, ScalarType::Float(format)) => {
            float::to_integer(op, result.width(), format, bits[0])?
        }
        (ScalarType::Integer { .. }, _) => {
            integer::evaluate(op, result.width(), first.width(), bits)?
        }
        (ScalarType::Float(format), ScalarType::Float(from)) => {
            float::evaluate(op, format, from, bits)?
        }
        (ScalarType::Float(format), _) => float::from_integer(op, format, first.width(), bits[0])?,
    };
    match (outcome, policy) {
        (Ok(bits), _) => Ok(Scalar::new(result, bits)),
        (Err(undefined), Undefined::Common) => Ok(Scalar::new(result, undefined.common)),
        (Err(undefined), Undefined::Refuse) => Err(NotFoldable::Undefined(undefined.reason)),
    }
}

/// Section 3.32.15, the logical part.
fn logical(op: Op, [a, b, ..]: [u64; MAX_OPERANDS]) -> Result<Bits, NotFoldable> {
    Ok(Ok(match op {
        Op::LogicalNot => a ^ 1,
        Op::LogicalOr => a | b,
        Op::LogicalAnd => a & b,
        Op::LogicalEqual => u64::from(a == b),
        Op::LogicalNotEqual => u64::from(a != b),
        _ => return Err(NotFoldable::Opcode(op)),
    }))
}
