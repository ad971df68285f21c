//! Constant folding: what an instruction gives for constant operands, bit by bit
//! as sections 3.32.11 to 3.32.15 of the specification say, which is what
//! specialization must do with `OpSpecConstantOp` (section 2.12) and what an
//! optimizer or an interpreter may do with any instruction.
//!
//! [`fold_scalar`] works on scalars and allocates nothing; a [`Folder`] takes
//! whole [`Value`]s and needs the [`Types`] of the module.
//!
//! ```
//! use spirvkit_binary::{FloatFormat, Id, NumberType};
//! use spirvkit_grammar::Op;
//! use spirvkit_eval::{Folder, Sequence, Type, Types, Value};
//!
//! let float = Id(1);
//! let vec2 = Id(2);
//! let mut types = Types::default();
//! types.insert(float, Type::Number(NumberType::Float(FloatFormat::Single)));
//! types.insert(vec2, Type::Sequence { kind: Sequence::Vector, part: float, count: Some(2) });
//!
//! let folder = Folder::new(&types);
//! let vector = Value::composite([Value::from(1.5f32), Value::from(2.0f32)]).unwrap();
//! let doubled = folder.fold(Op::VectorTimesScalar, vec2, &[vector, 2.0f32.into()], &[])?;
//! assert_eq!(doubled.part(0), Some(&Value::from(3.0f32)));
//! let last = folder.fold(Op::CompositeExtract, float, &[doubled], &[1])?;
//! assert_eq!(last, Value::from(4.0f32));
//! # Ok::<(), spirvkit_eval::NotFoldable>(())
//! ```
//!
//! # Numbers
//!
//! Integers are bits; an operation takes them as signed or unsigned as its name
//! says, at any width from 1 to 64. Floating-point numbers of 16, 32 and 64 bits
//! follow IEEE 754: every operation gives the exact result rounded once, to
//! nearest, ties to even; denormals are kept; overflow gives infinity. The
//! remainders are exact, but that `OpFMod` may have to round after its result got
//! the sign of its second operand; a remainder of zero has the sign that any other
//! would have. `OpDot` multiplies and adds component by component, in order, and
//! rounds each time. Every NaN that an operation makes is the same: quiet,
//! positive, without payload. Only what moves or copies bits (`OpFNegate`, which
//! turns the sign bit over, included) leaves a NaN as it is. `OpQuantizeToF16`
//! rounds to nearest, too, and makes a zero of the same sign of what is below the
//! normal numbers of 16 bits. Other encodings (`bfloat16`, 8-bit floats, …) are
//! moved, but not computed with.
//!
//! # What has no value
//!
//! Where the specification leaves a result undefined, so does folding:
//! [`NotFoldable::Undefined`] says why. A caller that must have a value asks for
//! [`Undefined::Common`], the one that implementations commonly give.
//!
//! What moves parts (`OpCompositeExtract`, `OpVectorShuffle`, `OpSelect`, …) moves
//! [`Value::Undef`] like any other. What computes with it has no result, or, under
//! [`Undefined::Common`], takes it as zero: every use of an undefined value may see
//! any bits (section 3.32.1, `OpUndef`), so these are as good as any.

#![deny(missing_docs)]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod composite;
mod float;
mod integer;
mod scalar;
mod types;
mod value;

use std::cell::RefCell;
use std::fmt;

use spirvkit_binary::{Budget, FloatFormat, Id, OverBudget};
use spirvkit_grammar::Op;

use scalar::Signature;
pub use scalar::fold_scalar;
use types::Shape;
pub use types::{Sequence, Type, Types};
pub use value::{Composite, MAX_DEPTH, MAX_PARTS, MAX_SCALARS, Scalar, ScalarType, Small, Value};

/// What to do where the specification leaves a result undefined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// Not to fold.
    #[default]
    Refuse,
    /// To choose what implementations commonly give:
    ///
    /// | undefined | chosen |
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
    /// | computing with an undefined operand | as with 0 |
    Common,
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
    /// A dynamic index that is out of bounds.
    IndexOutOfBounds,
    /// An operand that is undefined itself.
    Operand,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "it divides by zero",
            Self::DivisionOverflow => "it divides the smallest integer by -1",
            Self::ShiftOutOfRange => "it shifts by the width of the integer or more",
            Self::ConversionOutOfRange => "the number is out of range for the result type",
            Self::BitFieldOutOfRange => "the bit field goes beyond the bits of the integer",
            Self::IndexOutOfBounds => "the index is out of bounds",
            Self::Operand => "an operand is undefined",
        })
    }
}

/// Why an instruction could not be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotFoldable {
    /// The specification leaves the result undefined.
    Undefined(Reason),
    /// The opcode is not one that is evaluated here.
    Opcode(Op),
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
    /// An operand is not of the type that the opcode wants for its result type, or
    /// an index leads nowhere.
    Operand {
        /// Which, counted from 0, identifiers before literals.
        index: usize,
    },
    /// The result would be beyond [`MAX_PARTS`], [`MAX_DEPTH`] or [`MAX_SCALARS`].
    TooLarge,
    /// The composites made so far leave no room for another (see [`Folder::within`]).
    OverBudget(OverBudget),
    /// The instruction uses a constant whose value is not known.
    UnknownConstant(Id),
}

impl fmt::Display for NotFoldable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(reason) => write!(f, "the result is undefined: {reason}"),
            Self::Opcode(op) => write!(f, "{op} can't be folded"),
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
            Self::OperandCount { found } => write!(f, "the opcode doesn't have {found} operands"),
            Self::Operand { index } => write!(
                f,
                "operand {} doesn't match the opcode and its result type",
                index + 1
            ),
            Self::TooLarge => f.write_str("the result is too large or too deep for a constant"),
            Self::OverBudget(error) => write!(f, "its value {error}"),
            Self::UnknownConstant(id) => write!(f, "the value of {id} is not known"),
        }
    }
}

impl std::error::Error for NotFoldable {}

/// Evaluates instructions on values.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'t> {
    types: &'t Types,
    undefined: Undefined,
    budget: Option<&'t RefCell<Budget>>,
}

impl<'t> Folder<'t> {
    /// A folder for instructions whose result types are among these. It refuses
    /// what is undefined.
    pub fn new(types: &'t Types) -> Self {
        Self {
            types,
            undefined: Undefined::Refuse,
            budget: None,
        }
    }

    /// Says what to do where the specification leaves a result undefined.
    #[must_use]
    pub fn undefined(self, undefined: Undefined) -> Self {
        Self { undefined, ..self }
    }

    /// Limits what all instructions together may make: a short one may change a part of
    /// a long array, and has the whole array as its result.
    #[must_use]
    pub fn within(self, budget: &'t RefCell<Budget>) -> Self {
        let budget = Some(budget);
        Self { budget, ..self }
    }

    /// Takes the memory of so many parts, which are made or looked through one by one,
    /// from the budget.
    fn spend(&self, parts: usize) -> Result<(), NotFoldable> {
        let Some(budget) = self.budget else {
            return Ok(());
        };
        let bytes = parts.saturating_mul(size_of::<Value>()) as u64;
        let spent = budget.borrow_mut().spend(bytes);
        spent.map_err(NotFoldable::OverBudget)
    }

    /// A composite of parts of which there was none before.
    fn made_of(&self, parts: Vec<Value>) -> Result<Value, NotFoldable> {
        self.spend(parts.len())?;
        Value::composite(parts).ok_or(NotFoldable::TooLarge)
    }

    /// The result of an opcode with this result type. `operands` are the values of
    /// the operands that are ids, in order; `literals` are the words of the
    /// operands behind them, such as the indexes of `OpCompositeExtract`.
    ///
    /// Of the operands' types only the sorts and widths of scalars are looked at,
    /// and how many parts there are.
    ///
    /// # Errors
    ///
    /// If the opcode, the types or the operands are not such that there is a
    /// result; [`NotFoldable`] says why.
    pub fn fold(
        &self,
        op: Op,
        result_type: Id,
        operands: &[Value],
        literals: &[u32],
    ) -> Result<Value, NotFoldable> {
        // One condition for a whole composite or pointer.
        if let (Op::Select, [condition, yes, no]) = (op, operands)
            && !matches!(condition, Value::Composite(_))
            && !matches!(self.types.shape(result_type), Shape::Scalar(_))
        {
            let chosen = if self.condition(condition)? { yes } else { no };
            return Ok(self.types.adapt(result_type, chosen));
        }
        if let Some(signature) = Signature::of(op) {
            return self.components(op, signature, result_type, operands);
        }
        self.composite(op, result_type, operands, literals)
    }

    /// An operation that is done component by component.
    fn components(
        &self,
        op: Op,
        signature: &Signature,
        result_type: Id,
        operands: &[Value],
    ) -> Result<Value, NotFoldable> {
        if operands.len() != signature.operands.len() {
            return Err(NotFoldable::OperandCount {
                found: operands.len(),
            });
        }
        let (ty, count) = match self.types.shape(result_type) {
            Shape::Scalar(ty) => {
                return self.component(op, signature, ty, &Lanes::scalars(operands)?);
            }
            Shape::Vector(ty, count) => (ty, count),
            Shape::Pointer => return Err(NotFoldable::Pointer(op)),
            Shape::Other => return Err(NotFoldable::ResultType(result_type)),
        };
        // A part of each vector will do where all their parts are alike, whatever
        // their number.
        let mut uniform = true;
        for (index, operand) in operands.iter().enumerate() {
            match operand {
                Value::Scalar(_) if index < signature.scalar_from => {
                    return Err(NotFoldable::Operand { index });
                }
                Value::Composite(vector) => {
                    let fits = count.is_none_or(|count| count == vector.len());
                    if !fits || index >= signature.scalar_from {
                        return Err(NotFoldable::Operand { index });
                    }
                    uniform &= vector.uniform().is_some();
                }
                _ => {}
            }
        }
        let count = count.ok_or(NotFoldable::ResultType(result_type))?;
        if uniform {
            let component = self.component(op, signature, ty, &Lanes::of(operands, 0)?)?;
            return Value::replicate(component, count).ok_or(NotFoldable::TooLarge);
        }
        // An operand has each of them, so there are not more than `MAX_PARTS`.
        self.spend(count as usize)?;
        let components: Vec<Value> = (0..count)
            .map(|lane| self.component(op, signature, ty, &Lanes::of(operands, lane)?))
            .collect::<Result<_, _>>()?;
        Value::composite(components).ok_or(NotFoldable::TooLarge)
    }

    fn component(
        &self,
        op: Op,
        signature: &Signature,
        ty: ScalarType,
        lanes: &Lanes<'_>,
    ) -> Result<Value, NotFoldable> {
        if op == Op::Select {
            return self.select(ty, lanes);
        }
        let mut scalars = [Scalar::zero(ty); MAX_OPERANDS];
        let count = lanes.count;
        for (index, slot) in scalars[..count].iter_mut().enumerate() {
            *slot = match lanes.parts[index] {
                Value::Scalar(scalar) => *scalar,
                Value::Undef if self.undefined == Undefined::Refuse => {
                    return Err(NotFoldable::Undefined(Reason::Operand));
                }
                // It has no type of its own, and is taken for zero.
                _ => Scalar::zero(signature.zero(index, ty, lanes.some_scalar())),
            };
        }
        scalar::evaluate(op, signature, ty, &scalars[..count], self.undefined).map(Value::Scalar)
    }

    /// `OpSelect` for one component, which may be undefined if the other is chosen.
    fn select(&self, ty: ScalarType, lanes: &Lanes<'_>) -> Result<Value, NotFoldable> {
        let chosen = match self.condition(lanes.parts[0])? {
            true => 1,
            false => 2,
        };
        match lanes.parts[chosen] {
            Value::Scalar(scalar) if scalar.ty() != ty => {
                Err(NotFoldable::Operand { index: chosen })
            }
            Value::Null => Ok(Value::Scalar(Scalar::zero(ty))),
            part => Ok(part.clone()),
        }
    }

    /// The value of a condition.
    fn condition(&self, value: &Value) -> Result<bool, NotFoldable> {
        match value {
            Value::Scalar(scalar) if scalar.ty() == ScalarType::Bool => Ok(scalar.bits() != 0),
            Value::Null => Ok(false),
            Value::Undef => match self.undefined {
                Undefined::Refuse => Err(NotFoldable::Undefined(Reason::Operand)),
                Undefined::Common => Ok(false),
            },
            _ => Err(NotFoldable::Operand { index: 0 }),
        }
    }
}

/// The most operands an operation on components has.
const MAX_OPERANDS: usize = 4;

/// The operands of an operation on one component.
struct Lanes<'v> {
    parts: [&'v Value; MAX_OPERANDS],
    count: usize,
}

impl<'v> Lanes<'v> {
    /// Component `lane` of operands that are vectors, or are scalars that apply to
    /// every component.
    fn of(operands: &'v [Value], lane: u32) -> Result<Self, NotFoldable> {
        let mut parts = [&Value::Null; MAX_OPERANDS];
        for (index, (slot, operand)) in parts.iter_mut().zip(operands).enumerate() {
            *slot = match operand {
                Value::Composite(vector) => vector.part(lane),
                other => Some(other),
            }
            .filter(|part| !matches!(part, Value::Composite(_)))
            .ok_or(NotFoldable::Operand { index })?;
        }
        let count = operands.len().min(MAX_OPERANDS);
        Ok(Self { parts, count })
    }

    /// Operands that must be scalars.
    fn scalars(operands: &'v [Value]) -> Result<Self, NotFoldable> {
        match operands
            .iter()
            .position(|operand| matches!(operand, Value::Composite(_)))
        {
            Some(index) => Err(NotFoldable::Operand { index }),
            None => Self::of(operands, 0),
        }
    }

    /// The type of the first operand that has one.
    fn some_scalar(&self) -> Option<ScalarType> {
        self.parts[..self.count]
            .iter()
            .find_map(|part| part.scalar().map(Scalar::ty))
    }
}
