//! What types are, read off their instructions.

use spirvkit_binary::Id;
use spirvkit_grammar::{AccessQualifier, Dim, FPEncoding, ImageFormat, Op, StorageClass};

/// A type, as its instruction declares it. Cheap to make: nothing is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type<'a> {
    /// The id is not that of a type.
    None,
    /// `OpTypeVoid`.
    Void,
    /// `OpTypeBool`.
    Bool,
    /// `OpTypeInt`.
    Int {
        /// In bits.
        width: u32,
        /// Whether it is said to have a sign.
        signed: bool,
    },
    /// `OpTypeFloat`.
    Float {
        /// In bits.
        width: u32,
        /// None is IEEE 754.
        encoding: Option<FPEncoding>,
    },
    /// `OpTypeVector`.
    Vector {
        /// The type of its components.
        component: Id,
        /// How many there are.
        count: u32,
    },
    /// `OpTypeVectorIdEXT`, alias `OpTypeCooperativeVectorNV`.
    LongVector {
        /// The type of its components.
        component: Id,
        /// The constant that says how many there are.
        count: Id,
    },
    /// `OpTypeMatrix`.
    Matrix {
        /// The type of its columns.
        column: Id,
        /// How many there are.
        count: u32,
    },
    /// `OpTypeImage`.
    Image(Image),
    /// `OpTypeSampler`.
    Sampler,
    /// `OpTypeSampledImage`.
    SampledImage {
        /// The type of the image.
        image: Id,
    },
    /// `OpTypeArray`.
    Array {
        /// The type of its elements.
        element: Id,
        /// The constant that says how many there are.
        length: Id,
    },
    /// `OpTypeRuntimeArray`.
    RuntimeArray {
        /// The type of its elements.
        element: Id,
    },
    /// `OpTypeStruct`.
    Struct {
        /// The ids of its members' types.
        members: &'a [u32],
    },
    /// `OpTypePointer`.
    Pointer {
        /// Where it points into.
        class: StorageClass,
        /// What it points to.
        pointee: Id,
    },
    /// `OpTypeUntypedPointerKHR`.
    UntypedPointer {
        /// Where it points into.
        class: StorageClass,
    },
    /// `OpTypeFunction`.
    Function {
        /// The type of what it returns.
        result: Id,
        /// The ids of its parameters' types.
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
#[non_exhaustive]
pub struct Image {
    /// The type of the components of what is read from it; void in kernels.
    pub sampled_type: Id,
    /// Its dimensionality.
    pub dim: Dim,
    /// 0: not a depth image, 1: a depth image, 2: unknown.
    pub depth: u32,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it has several samples a texel.
    pub multisampled: bool,
    /// 0: known at run time, 1: with a sampler, 2: without.
    pub sampled: u32,
    /// The format of its texels.
    pub format: ImageFormat,
    /// How kernels may access it.
    pub access: Option<AccessQualifier>,
}

/// A cooperative matrix; all but the component are ids of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CooperativeMatrix {
    /// The type of its components.
    pub component: Id,
    /// The scope that holds it.
    pub scope: Id,
    /// How many rows it has.
    pub rows: Id,
    /// How many columns it has.
    pub columns: Id,
    /// What it is for; zero in the NV form.
    pub matrix_use: Id,
}

impl<'a> Type<'a> {
    /// What an instruction of these words declares; [`None`](Self::None) if no type.
    pub fn read(words: &'a [u32]) -> Self {
        // Asked so often that the grammar is left out of it.
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
}
