//! What types are, read off their instructions.

use spirvkit_binary::Id;
use spirvkit_grammar::{AccessQualifier, Dim, FPEncoding, ImageFormat, Op, StorageClass};

use super::Module;

/// Whether a storage class is `CrossWorkgroup` or one of its subsets
/// (`SPV_ALTERA_usm_storage_classes`).
pub(crate) fn is_cross_workgroup(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::CrossWorkgroup
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA
    )
}

/// A type, as its instruction declares it. Cheap to make: nothing is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type<'a> {
    /// The id is not that of a type.
    None,
    Void,
    Bool,
    Int {
        width: u32,
        signed: bool,
    },
    Float {
        width: u32,
        /// None is IEEE 754.
        encoding: Option<FPEncoding>,
    },
    /// `OpTypeVector`.
    Vector {
        component: Id,
        count: u32,
    },
    /// `OpTypeVectorIdEXT`, alias `OpTypeCooperativeVectorNV`: the count is a
    /// constant's id.
    LongVector {
        component: Id,
        count: Id,
    },
    Matrix {
        column: Id,
        count: u32,
    },
    Image(Image),
    Sampler,
    SampledImage {
        image: Id,
    },
    Array {
        element: Id,
        length: Id,
    },
    RuntimeArray {
        element: Id,
    },
    Struct {
        members: &'a [u32],
    },
    Pointer {
        class: StorageClass,
        pointee: Id,
    },
    UntypedPointer {
        class: StorageClass,
    },
    Function {
        result: Id,
        parameters: &'a [u32],
    },
    /// `OpTypeCooperativeMatrixKHR`.
    CooperativeMatrix(CooperativeMatrix),
    /// `OpTypeCooperativeMatrixNV`, which has no use.
    CooperativeMatrixNv(CooperativeMatrix),
    /// Any other type, by its opcode.
    Other(Op),
}

/// An `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) sampled_type: Id,
    pub(crate) dim: Dim,
    /// 0: not a depth image, 1: a depth image, 2: unknown.
    pub(crate) depth: u32,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    /// 0: known at run time, 1: with a sampler, 2: without.
    pub(crate) sampled: u32,
    pub(crate) format: ImageFormat,
    pub(crate) access: Option<AccessQualifier>,
}

/// A cooperative matrix; all but the component are ids of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CooperativeMatrix {
    pub(crate) component: Id,
    pub(crate) scope: Id,
    pub(crate) rows: Id,
    pub(crate) columns: Id,
    /// Zero in the NV form.
    pub(crate) matrix_use: Id,
}

impl<'a> Module<'a> {
    /// What the id declares, if it is a type.
    pub(crate) fn ty(&self, id: Id) -> Type<'a> {
        // Asked so often that the grammar is left out of it.
        let Some(words) = self.def_words(id) else {
            return Type::None;
        };
        let w = |index: usize| words.get(index).copied().unwrap_or(0);
        match Op(w(0) as u16) {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int {
                width: w(2),
                signed: w(3) != 0,
            },
            Op::TypeFloat => Type::Float {
                width: w(2),
                encoding: words.get(3).map(|&encoding| FPEncoding(encoding)),
            },
            Op::TypeVector => Type::Vector {
                component: Id(w(2)),
                count: w(3),
            },
            Op::TypeVectorIdEXT => Type::LongVector {
                component: Id(w(2)),
                count: Id(w(3)),
            },
            Op::TypeMatrix => Type::Matrix {
                column: Id(w(2)),
                count: w(3),
            },
            Op::TypeImage => Type::Image(Image {
                sampled_type: Id(w(2)),
                dim: Dim(w(3)),
                depth: w(4),
                arrayed: w(5) != 0,
                multisampled: w(6) != 0,
                sampled: w(7),
                format: ImageFormat(w(8)),
                access: words.get(9).map(|&access| AccessQualifier(access)),
            }),
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage { image: Id(w(2)) },
            Op::TypeArray => Type::Array {
                element: Id(w(2)),
                length: Id(w(3)),
            },
            Op::TypeRuntimeArray => Type::RuntimeArray { element: Id(w(2)) },
            Op::TypeStruct => Type::Struct {
                members: words.get(2..).unwrap_or_default(),
            },
            Op::TypePointer => Type::Pointer {
                class: StorageClass(w(2)),
                pointee: Id(w(3)),
            },
            Op::TypeUntypedPointerKHR => Type::UntypedPointer {
                class: StorageClass(w(2)),
            },
            Op::TypeFunction => Type::Function {
                result: Id(w(2)),
                parameters: words.get(3..).unwrap_or_default(),
            },
            Op::TypeCooperativeMatrixKHR => Type::CooperativeMatrix(CooperativeMatrix {
                component: Id(w(2)),
                scope: Id(w(3)),
                rows: Id(w(4)),
                columns: Id(w(5)),
                matrix_use: Id(w(6)),
            }),
            Op::TypeCooperativeMatrixNV => Type::CooperativeMatrixNv(CooperativeMatrix {
                component: Id(w(2)),
                scope: Id(w(3)),
                rows: Id(w(4)),
                columns: Id(w(5)),
                matrix_use: Id(0),
            }),
            op if op.is_type() => Type::Other(op),
            _ => Type::None,
        }
    }

    /// The type of the value, as a [`Type`].
    pub(crate) fn ty_of(&self, value: Id) -> Type<'a> {
        self.type_of(value).map_or(Type::None, |ty| self.ty(ty))
    }

    /// The type of a vector's components, a matrix's columns' components, or a
    /// cooperative matrix's components; a scalar type itself.
    pub(crate) fn component_type(&self, ty: Id) -> Id {
        let (op, words) = self.declaration(ty);
        match op {
            Op::TypeVector | Op::TypeVectorIdEXT => Id(word(words, 2)),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => Id(word(words, 2)),
            Op::TypeMatrix => self.component_type_of_column(Id(word(words, 2))),
            _ => ty,
        }
    }

    fn component_type_of_column(&self, ty: Id) -> Id {
        match self.declaration(ty) {
            (Op::TypeVector, words) => Id(word(words, 2)),
            _ => ty,
        }
    }

    /// The number of components of a vector or columns of a matrix, 1 for a
    /// scalar, the known length of a long vector, else 0.
    pub(crate) fn dimension(&self, ty: Id) -> u32 {
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
    pub(crate) fn bit_width(&self, ty: Id) -> u32 {
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
    pub(super) fn declaration(&self, id: Id) -> (Op, &'a [u32]) {
        let words = self.def_words(id).unwrap_or_default();
        (Op(word(words, 0) as u16), words)
    }

    pub(crate) fn is_void(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeVoid
    }

    pub(crate) fn is_bool_scalar(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeBool
    }

    pub(crate) fn is_int_scalar(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeInt
    }

    /// An integer of this width, of either signedness.
    pub(crate) fn is_int_scalar_of(&self, ty: Id, bits: u32) -> bool {
        matches!(self.declaration(ty), (Op::TypeInt, words) if word(words, 2) == bits)
    }

    pub(crate) fn is_unsigned_scalar(&self, ty: Id) -> bool {
        matches!(self.declaration(ty), (Op::TypeInt, words) if word(words, 3) == 0)
    }

    pub(crate) fn is_float_scalar(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeFloat
    }

    pub(crate) fn is_float_scalar_of(&self, ty: Id, bits: u32) -> bool {
        matches!(self.declaration(ty), (Op::TypeFloat, words) if word(words, 2) == bits)
    }

    pub(crate) fn is_scalar(&self, ty: Id) -> bool {
        matches!(self.op_of(ty), Op::TypeBool | Op::TypeInt | Op::TypeFloat)
    }

    /// A vector of either form.
    pub(crate) fn is_vector(&self, ty: Id) -> bool {
        matches!(self.op_of(ty), Op::TypeVector | Op::TypeVectorIdEXT)
    }

    fn is_vector_of(&self, ty: Id, is_component: impl Fn(&Self, Id) -> bool) -> bool {
        match self.declaration(ty) {
            (Op::TypeVector | Op::TypeVectorIdEXT, words) => is_component(self, Id(word(words, 2))),
            _ => false,
        }
    }

    pub(crate) fn is_bool_vector(&self, ty: Id) -> bool {
        self.is_vector_of(ty, Self::is_bool_scalar)
    }

    pub(crate) fn is_int_vector(&self, ty: Id) -> bool {
        self.is_vector_of(ty, Self::is_int_scalar)
    }

    pub(crate) fn is_unsigned_vector(&self, ty: Id) -> bool {
        self.is_vector_of(ty, Self::is_unsigned_scalar)
    }

    pub(crate) fn is_float_vector(&self, ty: Id) -> bool {
        self.is_vector_of(ty, Self::is_float_scalar)
    }

    pub(crate) fn is_bool_scalar_or_vector(&self, ty: Id) -> bool {
        self.is_bool_scalar(self.scalar_or_vector_component(ty))
    }

    pub(crate) fn is_int_scalar_or_vector(&self, ty: Id) -> bool {
        self.is_int_scalar(self.scalar_or_vector_component(ty))
    }

    pub(crate) fn is_unsigned_scalar_or_vector(&self, ty: Id) -> bool {
        self.is_unsigned_scalar(self.scalar_or_vector_component(ty))
    }

    pub(crate) fn is_float_scalar_or_vector(&self, ty: Id) -> bool {
        self.is_float_scalar(self.scalar_or_vector_component(ty))
    }

    /// A vector's component type, anything else's itself.
    #[inline]
    pub(crate) fn scalar_or_vector_component(&self, ty: Id) -> Id {
        match self.declaration(ty) {
            (Op::TypeVector | Op::TypeVectorIdEXT, words) => Id(word(words, 2)),
            _ => ty,
        }
    }

    pub(crate) fn is_float_matrix(&self, ty: Id) -> bool {
        matches!(self.ty(ty), Type::Matrix { column, .. } if self.is_float_vector(column))
    }

    /// A cooperative matrix of either form.
    pub(crate) fn is_cooperative_matrix(&self, ty: Id) -> bool {
        matches!(
            self.op_of(ty),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV
        )
    }

    pub(crate) fn is_int_cooperative_matrix(&self, ty: Id) -> bool {
        self.is_cooperative_matrix(ty) && self.is_int_scalar(self.component_type(ty))
    }

    pub(crate) fn is_float_cooperative_matrix(&self, ty: Id) -> bool {
        self.is_cooperative_matrix(ty) && self.is_float_scalar(self.component_type(ty))
    }

    /// A typed or an untyped pointer.
    pub(crate) fn is_pointer(&self, ty: Id) -> bool {
        self.pointer_class(ty).is_some()
    }

    /// The storage class of a pointer type of either form.
    #[inline]
    pub(crate) fn pointer_class(&self, ty: Id) -> Option<StorageClass> {
        match self.declaration(ty) {
            (Op::TypePointer | Op::TypeUntypedPointerKHR, words) => {
                Some(StorageClass(word(words, 2)))
            }
            _ => None,
        }
    }

    /// The component of a vector of pointers, and how many there are
    /// (`SPV_INTEL_masked_gather_scatter`).
    pub(crate) fn vector_of_pointers(&self, ty: Id) -> Option<(Id, u32)> {
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
    pub(crate) fn pointee(&self, ty: Id) -> Option<Id> {
        match self.declaration(ty) {
            (Op::TypePointer, words) => Some(Id(word(words, 3))),
            _ => None,
        }
    }

    pub(crate) fn is_struct(&self, ty: Id) -> bool {
        self.op_of(ty) == Op::TypeStruct
    }

    /// The members of a structure; none for anything else.
    pub(crate) fn members(&self, ty: Id) -> &'a [u32] {
        match self.ty(ty) {
            Type::Struct { members } => members,
            _ => &[],
        }
    }

    /// An array's length, if it is a constant that no specialization changes.
    pub(crate) fn array_length(&self, ty: Id) -> Option<u64> {
        match self.ty(ty) {
            Type::Array { length, .. } => self.constant_u64(length),
            _ => None,
        }
    }
}

/// A word of an instruction; 0 if it is missing.
#[inline]
pub(super) fn word(words: &[u32], index: usize) -> u32 {
    words.get(index).copied().unwrap_or(0)
}
