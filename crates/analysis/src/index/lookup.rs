//! What types and constants are, for whatever can find the words that define an id.

use spirvkit_binary::{Id, NumberType};
use spirvkit_grammar::{Op, StorageClass};

use super::types::Type;

/// The questions about types and constants that everything asks which looks at a module.
///
/// To answer them takes no more than [`words_of`](Self::words_of).
pub trait Lookup<'a> {
    /// The words of the instruction that defines an id, the first with count and opcode
    /// included.
    fn words_of(&self, id: Id) -> Option<&'a [u32]>;

    /// The opcode that defines an id; `OpNop` when none does.
    #[inline]
    fn op_of(&self, id: Id) -> Op {
        self.declaration(id).0
    }

    /// The type of a value: `None` for anything that is no value.
    #[inline]
    fn type_of(&self, id: Id) -> Option<Id> {
        let words = self.words_of(id)?;
        let has_type = Op(word(words, 0) as u16).first_argument() > 2;
        words.get(1).filter(|_| has_type).map(|&ty| Id(ty))
    }

    /// What the id declares, if it is a type.
    #[inline]
    fn ty(&self, id: Id) -> Type<'a> {
        self.words_of(id).map_or(Type::None, Type::read)
    }

    /// The type of the value, as a [`Type`].
    fn ty_of(&self, value: Id) -> Type<'a> {
        self.type_of(value).map_or(Type::None, |ty| self.ty(ty))
    }

    /// The type of a vector's components, a matrix's columns' components, or a
    /// cooperative matrix's components; a scalar type itself.
    fn component_type(&self, ty: Id) -> Id {
        let (op, words) = self.declaration(ty);
        match op {
            Op::TypeVector | Op::TypeVectorIdEXT => Id(word(words, 2)),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => Id(word(words, 2)),
            Op::TypeMatrix => {
                let column = Id(word(words, 2));
                match self.declaration(column) {
                    (Op::TypeVector, words) => Id(word(words, 2)),
                    _ => column,
                }
            }
            _ => ty,
        }
    }

    /// The number of components of a vector or columns of a matrix, 1 for a
    /// scalar, the known length of a long vector, else 0.
    fn dimension(&self, ty: Id) -> u32 {
        let (op, words) = self.declaration(ty);
        match op {
            Op::TypeBool | Op::TypeInt | Op::TypeFloat => 1,
            Op::TypeVector | Op::TypeMatrix => word(words, 3),
            Op::TypeVectorIdEXT => self
                .constant_u64(Id(word(words, 3)))
                .and_then(|count| u32::try_from(count).ok())
                .unwrap_or(0),
            _ => 0,
        }
    }

    /// The width in bits of the component of a numeric type; 1 for booleans, 0
    /// for anything else.
    fn bit_width(&self, ty: Id) -> u32 {
        let (op, words) = self.declaration(self.component_type(ty));
        match op {
            Op::TypeInt | Op::TypeFloat => word(words, 2),
            Op::TypeBool => 1,
            _ => 0,
        }
    }

    /// The opcode that defines an id and its instruction's words; `OpNop` and none
    /// when nothing does. A cheap look at one thing, where [`ty`](Self::ty) would
    /// look at all.
    #[inline]
    fn declaration(&self, id: Id) -> (Op, &'a [u32]) {
        let words = self.words_of(id).unwrap_or_default();
        (Op(word(words, 0) as u16), words)
    }

    /// `OpTypeVoid`.
    fn is_void(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeVoid
    }

    /// An integer of any width and signedness.
    fn is_int_scalar(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeInt
    }

    /// A boolean or a number.
    fn is_scalar(&self, ty: Id) -> bool {
        matches!(self.op_of(ty), Op::TypeBool | Op::TypeInt | Op::TypeFloat)
    }

    /// A vector of either form.
    fn is_vector(&self, ty: Id) -> bool {
        matches!(self.op_of(ty), Op::TypeVector | Op::TypeVectorIdEXT)
    }

    /// The component type of a vector of either form.
    #[inline]
    fn vector_component(&self, ty: Id) -> Option<Id> {
        match self.declaration(ty) {
            (Op::TypeVector | Op::TypeVectorIdEXT, words) => Some(Id(word(words, 2))),
            _ => None,
        }
    }

    /// A vector's component type, anything else's itself.
    #[inline]
    fn scalar_or_vector_component(&self, ty: Id) -> Id {
        self.vector_component(ty).unwrap_or(ty)
    }

    /// A cooperative matrix of either form.
    fn is_cooperative_matrix(&self, ty: Id) -> bool {
        matches!(
            self.op_of(ty),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV
        )
    }

    /// A typed or an untyped pointer.
    fn is_pointer(&self, ty: Id) -> bool {
        self.pointer_class(ty).is_some()
    }

    /// The storage class of a pointer type of either form.
    #[inline]
    fn pointer_class(&self, ty: Id) -> Option<StorageClass> {
        match self.declaration(ty) {
            (Op::TypePointer | Op::TypeUntypedPointerKHR, words) => {
                Some(StorageClass(word(words, 2)))
            }
            _ => None,
        }
    }

    /// The component of a vector of pointers, and how many there are
    /// (`SPV_INTEL_masked_gather_scatter`).
    fn vector_of_pointers(&self, ty: Id) -> Option<(Id, u32)> {
        match self.declaration(ty) {
            (Op::TypeVector, words) => {
                let (component, count) = (Id(word(words, 2)), word(words, 3));
                self.is_pointer(component).then_some((component, count))
            }
            _ => None,
        }
    }

    /// What a typed pointer points to.
    #[inline]
    fn pointee(&self, ty: Id) -> Option<Id> {
        match self.declaration(ty) {
            (Op::TypePointer, words) => Some(Id(word(words, 3))),
            _ => None,
        }
    }

    /// `OpTypeStruct`.
    fn is_struct(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeStruct
    }

    /// The members of a structure; none for anything else.
    fn members(&self, ty: Id) -> &'a [u32] {
        match self.ty(ty) {
            Type::Struct { members } => members,
            _ => &[],
        }
    }

    /// An array's length, if it is a constant that no specialization changes.
    fn array_length(&self, ty: Id) -> Option<u64> {
        match self.ty(ty) {
            Type::Array { length, .. } => self.constant_u64(length),
            _ => None,
        }
    }

    /// Whether the id is a constant, specialization constants and nulls
    /// included, `OpUndef` not.
    fn is_constant(&self, id: Id) -> bool {
        self.op_of(id).is_constant()
    }

    /// Whether the id is a constant that specialization may change.
    fn is_spec_constant(&self, id: Id) -> bool {
        self.op_of(id).is_spec_constant()
    }

    /// The bits of an integer that no specialization changes: of an
    /// `OpConstant`, sign-extended to 64 bits if its type is signed, or of an
    /// `OpConstantNull`.
    fn constant_u64(&self, id: Id) -> Option<u64> {
        match self.declaration(id) {
            (Op::Constant, words) => integer_bits(self, words),
            (Op::ConstantNull, &[_, ty, ..]) if self.is_int_scalar(Id(ty)) => Some(0),
            _ => None,
        }
    }

    /// The same as a signed number: the bits of unsigned types are taken as they
    /// are.
    fn constant_i64(&self, id: Id) -> Option<i64> {
        self.constant_u64(id).map(|bits| bits as i64)
    }

    /// The type of numbers that an id declares.
    fn number_type(&self, ty: Id) -> Option<NumberType> {
        NumberType::declared_by(self.words_of(ty)?)
    }

    /// The type and the bits of an `OpConstant`, those above the type's width being zeros;
    /// [`NumberType::value`] makes a value of them.
    fn number_constant(&self, id: Id) -> Option<(NumberType, u64)> {
        let (Op::Constant, &[_, ty, _, ref literal @ ..]) = self.declaration(id) else {
            return None;
        };
        let ty = self.number_type(Id(ty))?;
        let unused = 64 - u32::from(ty.width());
        Some((ty, NumberType::join(literal) << unused >> unused))
    }

    /// The value of an integer constant or the default of an integer
    /// specialization constant.
    fn default_u64(&self, id: Id) -> Option<u64> {
        match self.declaration(id) {
            (Op::SpecConstant, words) => integer_bits(self, words),
            _ => self.constant_u64(id),
        }
    }
}

/// The bits that an instruction of these words gives its constant, if that is an
/// integer.
fn integer_bits<'a>(module: &(impl Lookup<'a> + ?Sized), words: &[u32]) -> Option<u64> {
    let (Op::TypeInt, ty) = module.declaration(Id(word(words, 1))) else {
        return None;
    };
    let ty = NumberType::integer(word(ty, 2).clamp(1, 64), word(ty, 3))?;
    let literal = words.get(3..).unwrap_or_default();
    Some(ty.value(NumberType::join(literal)))
}

/// A word of an instruction; 0 if it is missing.
#[inline]
fn word(words: &[u32], index: usize) -> u32 {
    words.get(index).copied().unwrap_or(0)
}
