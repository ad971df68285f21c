//! What operations on scalars, and on the components of vectors, take and give.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::Op;

use crate::outcome::{NotComputable, Outcome, Reason};
use crate::scalar::{Scalar, ScalarType};

/// The most operands an operation on components has.
pub(crate) const MAX_OPERANDS: usize = 4;

/// A sort of scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Bool,
    Integer,
    Float,
    /// A floating-point number of 16 or 32 bits.
    NarrowFloat,
    /// An integer or a floating-point number.
    Number,
    Any,
}

impl Sort {
    #[inline]
    fn has(self, ty: ScalarType) -> bool {
        match self {
            Self::Bool => ty == ScalarType::Bool,
            Self::Integer => matches!(ty, ScalarType::Integer { .. }),
            Self::Float => matches!(ty, ScalarType::Float(_)),
            Self::NarrowFloat => matches!(ty, ScalarType::Float(format) if format.width() <= 32),
            Self::Number => ty != ScalarType::Bool,
            Self::Any => true,
        }
    }
}

/// What an operand must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Of the result type.
    Result,
    /// Of one type with all operands that are wanted so.
    Alike(Sort),
    /// Of any type of a sort.
    Any(Sort),
}

/// What an operation on components takes and gives.
#[derive(Debug)]
pub(crate) struct Signature {
    pub(crate) result: Sort,
    pub(crate) operands: &'static [Want],
    /// The operands from this one on are scalars for vectors, too.
    pub(crate) scalar_from: usize,
}

const fn signature(result: Sort, operands: &'static [Want]) -> Signature {
    Signature {
        result,
        operands,
        scalar_from: MAX_OPERANDS,
    }
}

use Sort::{Bool, Float, Integer, NarrowFloat, Number};
use Want::{Alike, Any, Result as Same};

pub(crate) static INTEGER_UNARY: Signature = signature(Integer, &[Same]);
pub(crate) static INTEGER_BINARY: Signature = signature(Integer, &[Same, Same]);
pub(crate) static INTEGER_TERNARY: Signature = signature(Integer, &[Same, Same, Same]);
static SHIFT: Signature = signature(Integer, &[Same, Any(Integer)]);
static INTEGER_TEST: Signature = signature(Bool, &[Alike(Integer), Alike(Integer)]);
pub(crate) static INTEGER_FROM_INTEGER: Signature = signature(Integer, &[Any(Integer)]);
pub(crate) static INTEGER_FROM_FLOAT: Signature = signature(Integer, &[Any(Float)]);
pub(crate) static FLOAT_FROM_INTEGER: Signature = signature(Float, &[Any(Integer)]);
static FLOAT_FROM_FLOAT: Signature = signature(Float, &[Any(Float)]);
pub(crate) static FLOAT_UNARY: Signature = signature(Float, &[Same]);
pub(crate) static FLOAT_BINARY: Signature = signature(Float, &[Same, Same]);
pub(crate) static FLOAT_TERNARY: Signature = signature(Float, &[Same, Same, Same]);
pub(crate) static NARROW_FLOAT_UNARY: Signature = signature(NarrowFloat, &[Same]);
pub(crate) static NARROW_FLOAT_BINARY: Signature = signature(NarrowFloat, &[Same, Same]);
/// A number, and an integer such as the power of two by which it is multiplied.
pub(crate) static LDEXP: Signature = signature(Float, &[Same, Any(Integer)]);
static FLOAT_CLASS: Signature = signature(Bool, &[Any(Float)]);
static FLOAT_TEST: Signature = signature(Bool, &[Alike(Float), Alike(Float)]);
static LOGICAL_UNARY: Signature = signature(Bool, &[Same]);
static LOGICAL_BINARY: Signature = signature(Bool, &[Same, Same]);
static SELECT: Signature = signature(Sort::Any, &[Any(Bool), Same, Same]);
/// The two halves of an integer.
pub(crate) static UPSAMPLE: Signature = signature(Integer, &[Alike(Integer), Alike(Integer)]);
/// Two values and a mask of bits.
pub(crate) static BIT_SELECT: Signature = signature(Number, &[Same, Same, Same]);
/// Two values and an integer that chooses.
pub(crate) static INTEGER_SELECT: Signature = signature(Number, &[Same, Same, Any(Integer)]);
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

/// Three values, and a table of what their bits give.
static BITWISE_FUNCTION: Signature = Signature {
    scalar_from: 3,
    ..signature(Integer, &[Same, Same, Same, Any(Integer)])
};

impl Signature {
    /// The signature of an opcode that works on components.
    pub(crate) fn of(op: Op) -> Option<&'static Self> {
        Some(match op {
            Op::SNegate
            | Op::Not
            | Op::BitReverse
            | Op::UCountLeadingZerosINTEL
            | Op::UCountTrailingZerosINTEL => &INTEGER_UNARY,
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
            | Op::BitwiseAnd
            | Op::AbsISubINTEL
            | Op::AbsUSubINTEL
            | Op::IAddSatINTEL
            | Op::UAddSatINTEL
            | Op::IAverageINTEL
            | Op::UAverageINTEL
            | Op::IAverageRoundedINTEL
            | Op::UAverageRoundedINTEL
            | Op::ISubSatINTEL
            | Op::USubSatINTEL
            | Op::IMul32x16INTEL
            | Op::UMul32x16INTEL => &INTEGER_BINARY,
            Op::BitwiseFunctionINTEL => &BITWISE_FUNCTION,
            Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => &SHIFT,
            _ if op.is_integer_comparison() => &INTEGER_TEST,
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
            Op::FmaKHR => &FLOAT_TERNARY,
            Op::VectorTimesScalar => &SCALE,
            _ if op.is_float_classification() => &FLOAT_CLASS,
            _ if op.is_float_comparison() => &FLOAT_TEST,
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
    pub(crate) fn zero(
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
            Sort::Integer | Sort::Number => ScalarType::Integer { width: 32 },
            Sort::Float | Sort::NarrowFloat => ScalarType::Float(FloatFormat::Single),
        })
    }

    /// Checks the types.
    pub(crate) fn check(
        &self,
        result: ScalarType,
        operands: &[Scalar],
    ) -> Result<(), NotComputable> {
        if !self.result.has(result) {
            return Err(NotComputable::ResultScalar(result));
        }
        if operands.len() != self.operands.len() {
            return Err(NotComputable::OperandCount {
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
                return Err(NotComputable::Operand { index });
            }
        }
        Ok(())
    }
}

/// The bits of operands, of which there are not more than there may be.
pub(crate) fn bits_of(operands: &[Scalar]) -> [u64; MAX_OPERANDS] {
    let mut bits = [0; MAX_OPERANDS];
    for (bits, operand) in bits.iter_mut().zip(operands) {
        *bits = operand.bits();
    }
    bits
}

/// Bits of a result.
pub(crate) type Bits = Outcome<u64>;

/// Bits that are defined.
pub(crate) const fn defined(bits: u64) -> Bits {
    Outcome::new(bits, None)
}

/// Bits that are undefined, and commonly these.
pub(crate) const fn undefined(reason: Reason, common: u64) -> Bits {
    Outcome::new(common, Some(reason))
}
