//! What comes of an operation.

use alloc::string::ToString;
use core::fmt;

use spirvkit_binary::{FloatFormat, Id, OverBudget};
use spirvkit_grammar::{GlslStd450, Op, OpenClStd};

use crate::scalar::ScalarType;

/// What evaluating an operation gives.
pub type Evaluated<T> = Result<Outcome<T>, NotComputable>;

/// The result of an operation, which may be undefined.
///
/// Where the specification leaves a result undefined, implementations commonly give:
///
/// | undefined | commonly |
/// |---|---|
/// | integer division by zero, and its remainder | 0 |
/// | the least integer divided by -1, and its remainder | itself, 0 |
/// | floating-point division by zero | an infinity or NaN, as IEEE 754 says |
/// | floating-point remainder of division by zero | NaN |
/// | a shift by the width or more | 0 |
/// | conversion of a number that is out of range | the nearest that is in range |
/// | conversion of NaN to an integer | 0 |
/// | a bit field that is not all inside | 0 |
/// | a dynamic index that is out of bounds | 0, or nothing inserted |
/// | integers that wrap though they are said not to | what wraps |
/// | denormals, infinities and NaNs of which the mode says nothing | what is without the mode |
/// | `Round` of what is half-way between two integers | the even one |
/// | `FMin` and `FMax` of zeros of different signs, or with a NaN | what the comparison gives |
/// | a clamp between bounds of which the lower is above the upper | the upper |
/// | `Ldexp` that is too large | infinity |
/// | a function where its set has no result | NaN, or what its formula gives |
/// | `mul24` and `mad24` of more than 24 bits | as with the low 24 bits |
/// | `half_sin`, `half_cos`, `half_tan` beyond 2¹⁶ | as with any other number |
/// | computing with an undefined operand | as with 0 |
///
/// ```
/// use spirvkit_eval::{Environment, Reason, ScalarType, evaluate_scalar};
/// use spirvkit_grammar::Op;
///
/// let int = ScalarType::Integer { width: 32 };
/// let operands = [1.into(), 32.into()];
/// let shifted = evaluate_scalar(Op::ShiftLeftLogical, int, &operands, &Environment::default())?;
/// assert_eq!(shifted.defined(), Err(Reason::ShiftOutOfRange));
/// assert_eq!(shifted.common(), 0.into());
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Outcome<T> {
    value: T,
    undefined: Option<Reason>,
}

impl<T> Outcome<T> {
    /// A value; commonly given only, if there is a reason for it to be undefined.
    pub const fn new(value: T, undefined: Option<Reason>) -> Self {
        Self { value, undefined }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// If it is undefined, and why.
    pub fn defined(self) -> Result<T, Reason> {
        match self.undefined {
            None => Ok(self.value),
            Some(reason) => Err(reason),
        }
    }

    /// The value, or what implementations commonly give where it is undefined.
    pub fn common(self) -> T {
        self.value
    }

    /// Why it is undefined, if it is.
    pub const fn undefined(&self) -> Option<Reason> {
        self.undefined
    }

    /// What is made of the value. It is undefined for the same reason.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Outcome<U> {
        Outcome::new(make(self.value), self.undefined)
    }
}

/// Why the result of an operation is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// An integer or floating-point division by zero, or its remainder.
    DivisionByZero,
    /// The least signed integer divided by -1, whose result has no room.
    DivisionOverflow,
    /// A shift by at least the width of what is shifted.
    ShiftOutOfRange,
    /// A number that the type it is converted to doesn't have.
    ConversionOutOfRange,
    /// A bit field that goes beyond the bits there are.
    BitFieldOutOfRange,
    /// A product or sum of a dot product that has no room, before it is accumulated.
    DotOverflow,
    /// A dynamic index that is out of bounds.
    IndexOutOfBounds,
    /// A signed integer that is too large, of an operation that is said not to make any
    /// ([`Environment::no_signed_wrap`](crate::Environment::no_signed_wrap)).
    SignedWrap,
    /// An unsigned integer that is too large or negative, of an operation that is said
    /// not to make any
    /// ([`Environment::no_unsigned_wrap`](crate::Environment::no_unsigned_wrap)).
    UnsignedWrap,
    /// A denormal number that may be kept or not
    /// ([`Denormals::Unspecified`](crate::Denormals::Unspecified)).
    Denormal,
    /// An infinity or NaN that may be kept or not
    /// ([`Specials::Unspecified`](crate::Specials::Unspecified)).
    InfinityOrNan,
    /// A number half-way between two integers, to either of which it may be rounded.
    Tie,
    /// A NaN among numbers that are compared.
    Unordered,
    /// The lesser or greater of two zeros of different signs.
    SignOfZero,
    /// Bounds of which the lower is above the upper.
    ClampBounds,
    /// A number that is too large for its format.
    Overflow,
    /// Operands for which the function has no result, such as the logarithm of a negative
    /// number.
    Domain,
    /// An operand that is undefined itself.
    Operand,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "the divisor is zero",
            Self::DivisionOverflow => "the smallest integer is divided by -1",
            Self::ShiftOutOfRange => "the shift is by the width of the integer or more",
            Self::ConversionOutOfRange => "the number is out of range for the result type",
            Self::BitFieldOutOfRange => "the bit field goes beyond the bits of the integer",
            Self::DotOverflow => "a product or sum overflows before it is accumulated",
            Self::IndexOutOfBounds => "the index is out of bounds",
            Self::SignedWrap => "a signed integer overflows",
            Self::UnsignedWrap => "an unsigned integer overflows",
            Self::Denormal => "denormal numbers may be kept or flushed to zero",
            Self::InfinityOrNan => "infinities and NaNs need not be kept",
            Self::Tie => "the number is half-way between two integers",
            Self::Unordered => "a number is compared with a NaN",
            Self::SignOfZero => "zeros of different signs are compared",
            Self::ClampBounds => "the lower bound is above the upper one",
            Self::Overflow => "the number is too large",
            Self::Domain => "the function has no result for its operands",
            Self::Operand => "an operand is undefined",
        })
    }
}

/// Why what an operation gives is not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotComputable {
    /// The opcode is not one that is evaluated here.
    Opcode(Op),
    /// The instruction of `GLSL.std.450` is not one that is evaluated here.
    Glsl(GlslStd450),
    /// The instruction of `OpenCL.std` is not one that is evaluated here.
    OpenCl(OpenClStd),
    /// The opcode makes or takes a pointer. No constant instruction can express
    /// where a pointer points.
    Pointer(Op),
    /// The opcode computes, and floating-point numbers of this encoding are only
    /// moved.
    Encoding(FloatFormat),
    /// The result type is unknown, or none that the opcode can have.
    ResultType(Id),
    /// The opcode can't have a result of this scalar type.
    ResultScalar(ScalarType),
    /// There are more or fewer operands than the opcode takes.
    OperandCount {
        /// How many there are.
        found: usize,
    },
    /// The result doesn't have so many components.
    ResultCount {
        /// How many were asked for.
        found: usize,
    },
    /// An operand is not of the type that the opcode wants for its result type, or
    /// an index leads nowhere.
    Operand {
        /// Which, counted from 0, identifiers before literals.
        index: usize,
    },
    /// The result would be beyond [`MAX_PARTS`](crate::MAX_PARTS),
    /// [`MAX_DEPTH`](crate::MAX_DEPTH) or [`MAX_SCALARS`](crate::MAX_SCALARS).
    TooLarge,
    /// The composites made so far leave no room for another (see
    /// [`Evaluator::within`](crate::Evaluator::within)).
    OverBudget(OverBudget),
}

impl fmt::Display for NotComputable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opcode(op) => write!(f, "{op} can't be folded"),
            Self::Glsl(instruction) => write!(f, "{instruction:?} can't be folded"),
            Self::OpenCl(instruction) => write!(f, "{instruction:?} can't be folded"),
            Self::Pointer(op) => write!(f, "{op} can't be folded: a pointer has no constant value"),
            Self::Encoding(format) => {
                write!(f, "arithmetic on {format:?} floats can't be folded")
            }
            Self::ResultType(id) => write!(f, "the opcode can't have the result type {id}"),
            Self::ResultScalar(ty) => {
                let ty = ty.to_string();
                let article = if ty.starts_with(['e', 'i', 'u']) {
                    "an"
                } else {
                    "a"
                };
                write!(f, "the opcode's result can't be {article} {ty}")
            }
            Self::OperandCount { found } => write!(f, "the opcode doesn't take {found} operands"),
            Self::ResultCount { found } => write!(f, "the result doesn't have {found} components"),
            Self::Operand { index } => write!(
                f,
                "operand {} doesn't match the opcode and its result type",
                index + 1
            ),
            Self::TooLarge => f.write_str("the result is too large or too deep for a constant"),
            Self::OverBudget(error) => write!(f, "its value {error}"),
        }
    }
}

impl core::error::Error for NotComputable {}

impl core::error::Error for Reason {}
