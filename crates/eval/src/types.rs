//! What folding must know of types.

use alloc::vec::Vec;

use spirvkit_binary::{FloatFormat, Id, IdMap, Instruction, NumberType};
use spirvkit_grammar::{Class, FPEncoding, InstructionInfo, Op};

use crate::scalar::{Scalar, ScalarType};
use crate::value::Value;

/// A type, as far as the bits of its values depend on it (specification, section
/// 3.32.6). It names the types it is made of by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type<'t> {
    /// `OpTypeBool`.
    Bool,
    /// `OpTypeInt` or `OpTypeFloat`.
    Number(NumberType),
    /// A vector, matrix, array or the like: `count` parts of one type. The count is unknown
    /// where it depends on something that has no value.
    Sequence {
        /// What it is a sequence of.
        kind: Sequence,
        /// The type of each part.
        part: Id,
        /// How many parts there are.
        count: Option<u32>,
    },
    /// `OpTypeStruct`, with the types of its members.
    Struct(&'t [Id]),
    /// A pointer.
    Pointer,
    /// Any other type. Its values are null, undefined, or not known here.
    Other,
}

/// What a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sequence {
    /// A vector.
    Vector,
    /// A matrix, as a sequence of columns.
    Matrix,
    /// An array.
    Array,
    /// A cooperative matrix. It is a sequence of one part, as constants are made of
    /// one: the value of all its components (`SPV_KHR_cooperative_matrix`).
    CooperativeMatrix,
}

/// What a type's values look like to an operation on components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar(ScalarType),
    Vector(ScalarType, Option<u32>),
    Pointer,
    Other,
}

/// A type as it is stored.
#[derive(Clone, Debug)]
struct Stored {
    form: Form,
    /// The null value, if there is one that is not too large.
    null: Option<Value>,
    /// The value of which all parts are undefined.
    undef: Option<Value>,
}

/// What a type is, the members of structures being a range.
#[derive(Clone, Copy, Debug)]
enum Form {
    Whole(Type<'static>),
    Struct { first: usize, count: usize },
}

/// The types of a module, by id.
///
/// ```
/// use spirvkit_binary::{Id, NumberType};
/// use spirvkit_eval::{Sequence, Type, Types};
///
/// let mut types = Types::default();
/// types.insert(Id(1), Type::Number(NumberType::U32));
/// let vector = Type::Sequence { kind: Sequence::Vector, part: Id(1), count: Some(4) };
/// types.insert(Id(2), vector);
/// assert_eq!(types.get(Id(2)), Some(vector));
/// assert_eq!(types.part(Id(2), 3), Some(Id(1)));
/// assert_eq!(types.part(Id(2), 4), None);
/// ```
#[derive(Clone, Debug)]
pub struct Types {
    /// The place in `stored`, plus one.
    ids: IdMap<u32>,
    stored: Vec<Stored>,
    members: Vec<Id>,
}

impl Default for Types {
    /// An empty table for a module of unknown size.
    fn default() -> Self {
        Self::with_word_limit(0)
    }
}

impl Types {
    /// An empty table for a module of at most this many words. (More do no harm;
    /// they only cost a tree look-up for ids above that number.)
    pub fn with_word_limit(words: usize) -> Self {
        Self {
            ids: IdMap::new(0, words),
            stored: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Adds a type. An id keeps its first type.
    pub fn insert(&mut self, id: Id, ty: Type<'_>) {
        let slot = self.ids.slot(id);
        let Ok(place) = u32::try_from(self.stored.len() + 1) else {
            return;
        };
        if *slot != 0 {
            return;
        }
        *slot = place;
        let form = match ty {
            Type::Struct(members) => {
                let first = self.members.len();
                self.members.extend_from_slice(members);
                let count = members.len();
                Form::Struct { first, count }
            }
            Type::Bool => Form::Whole(Type::Bool),
            Type::Number(number) => Form::Whole(Type::Number(number)),
            Type::Sequence { kind, part, count } => {
                Form::Whole(Type::Sequence { kind, part, count })
            }
            Type::Pointer => Form::Whole(Type::Pointer),
            Type::Other => Form::Whole(Type::Other),
        };
        let zero = |ty| Some(Value::Scalar(Scalar::zero(ty)));
        let null = match ty {
            Type::Bool => zero(ScalarType::Bool),
            Type::Number(number) => zero(number.into()),
            Type::Pointer | Type::Other => Some(Value::Null),
            _ => self.whole(ty, |part| self.null(part)),
        };
        let undef = match ty {
            Type::Sequence { .. } | Type::Struct(_) => self.whole(ty, |part| self.undef(part)),
            _ => Some(Value::Undef),
        };
        self.stored.push(Stored { form, null, undef });
    }

    /// A value of a composite type of which the parts depend on their types alone.
    fn whole(&self, ty: Type<'_>, part_value: impl Fn(Id) -> Option<Value>) -> Option<Value> {
        match ty {
            Type::Sequence { part, count, .. } => Value::replicate(part_value(part)?, count?),
            Type::Struct(members) => {
                let parts: Option<Vec<Value>> =
                    members.iter().map(|&member| part_value(member)).collect();
                Value::composite(parts?)
            }
            _ => None,
        }
    }

    /// Adds the type that an instruction declares, and passes over instructions
    /// that declare none. `count` gives the value of a constant, for the lengths of
    /// arrays.
    pub fn define(&mut self, instruction: &Instruction<'_>, count: impl Fn(Id) -> Option<u32>) {
        let words = instruction.operand_words();
        let sequence = |kind, part, count| Type::Sequence {
            kind,
            part: Id(part),
            count,
        };
        let members: Vec<Id>;
        let ty = match (instruction.op(), words) {
            (Op::TypeBool, _) => Type::Bool,
            (Op::TypeInt, &[_, width, signedness]) => {
                number(NumberType::integer(width, signedness))
            }
            (Op::TypeFloat, &[_, width]) => float(width, None),
            (Op::TypeFloat, &[_, width, encoding]) => float(width, Some(FPEncoding(encoding))),
            (Op::TypeVector, &[_, part, count]) => sequence(Sequence::Vector, part, Some(count)),
            (Op::TypeVectorIdEXT, &[_, part, length]) => {
                sequence(Sequence::Vector, part, count(Id(length)))
            }
            (Op::TypeMatrix, &[_, part, count]) => sequence(Sequence::Matrix, part, Some(count)),
            (Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV, &[_, part, ..]) => {
                sequence(Sequence::CooperativeMatrix, part, Some(1))
            }
            (Op::TypeArray, &[_, part, length]) => {
                sequence(Sequence::Array, part, count(Id(length)))
            }
            (Op::TypeStruct, [_, parts @ ..]) => {
                members = parts.iter().map(|&part| Id(part)).collect();
                Type::Struct(&members)
            }
            (Op::TypePointer | Op::TypeUntypedPointerKHR, _) => Type::Pointer,
            _ if instruction.info().map(InstructionInfo::class) == Some(Class::TypeDeclaration) => {
                Type::Other
            }
            _ => return,
        };
        if let Some(id) = instruction.result() {
            self.insert(id, ty);
        }
    }

    fn stored(&self, id: Id) -> Option<&Stored> {
        let place = (self.ids.get(id) as usize).checked_sub(1)?;
        self.stored.get(place)
    }

    /// The type with this id.
    pub fn get(&self, id: Id) -> Option<Type<'_>> {
        Some(match self.stored(id)?.form {
            Form::Whole(ty) => ty,
            Form::Struct { first, count } => Type::Struct(self.members.get(first..first + count)?),
        })
    }

    /// The value that `OpConstantNull` makes of a type. `None` if the type is
    /// unknown, or if that of a part or a number of parts is, or if the value is
    /// [too large](crate::MAX_SCALARS) or too deep.
    pub fn null(&self, id: Id) -> Option<Value> {
        self.stored(id)?.null.clone()
    }

    /// The same for `OpUndef`: of a composite, all parts are undefined.
    pub fn undef(&self, id: Id) -> Option<Value> {
        self.stored(id)?.undef.clone()
    }

    /// A value in the form it has for its type (see [`Value::Null`] and
    /// [`Value::Undef`]).
    pub(crate) fn adapt(&self, id: Id, value: &Value) -> Value {
        match value {
            Value::Null => self.null(id),
            Value::Undef => self.undef(id),
            _ => None,
        }
        .unwrap_or_else(|| value.clone())
    }

    /// The type of a composite's part; `None` if there is none with this index.
    pub fn part(&self, composite: Id, index: u32) -> Option<Id> {
        match self.get(composite)? {
            Type::Sequence { part, count, .. } => {
                count.is_none_or(|count| index < count).then_some(part)
            }
            Type::Struct(members) => members.get(index as usize).copied(),
            _ => None,
        }
    }

    /// How many parts a composite type has, if that is known.
    pub fn count(&self, composite: Id) -> Option<u32> {
        match self.get(composite)? {
            Type::Sequence { count, .. } => count,
            Type::Struct(members) => u32::try_from(members.len()).ok(),
            _ => None,
        }
    }

    /// The type as that of a scalar, if it is one.
    pub fn scalar(&self, id: Id) -> Option<ScalarType> {
        match self.get(id)? {
            Type::Bool => Some(ScalarType::Bool),
            Type::Number(number) => Some(number.into()),
            _ => None,
        }
    }

    pub(crate) fn shape(&self, id: Id) -> Shape {
        self.shape_with(id, &[Sequence::Vector])
    }

    /// The same for an operation that is done component by component. To that, a cooperative matrix
    /// is a vector of the one part that it has.
    pub(crate) fn shape_of_components(&self, id: Id) -> Shape {
        self.shape_with(id, &[Sequence::Vector, Sequence::CooperativeMatrix])
    }

    fn shape_with(&self, id: Id, vectors: &[Sequence]) -> Shape {
        if let Some(scalar) = self.scalar(id) {
            return Shape::Scalar(scalar);
        }
        match self.get(id) {
            Some(Type::Sequence { kind, part, count }) if vectors.contains(&kind) => {
                match self.scalar(part) {
                    Some(scalar) => Shape::Vector(scalar, count),
                    None => Shape::Other,
                }
            }
            Some(Type::Pointer) => Shape::Pointer,
            _ => Shape::Other,
        }
    }
}

fn number(ty: Option<NumberType>) -> Type<'static> {
    ty.map_or(Type::Other, Type::Number)
}

fn float(width: u32, encoding: Option<FPEncoding>) -> Type<'static> {
    number(FloatFormat::new(width, encoding).map(NumberType::Float))
}
