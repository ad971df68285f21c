//! Types, and the layouts that their decorations give them.

mod read;

use std::fmt;

#[cfg(feature = "serde")]
use serde::ser::SerializeMap;
#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};
use spirvkit_analysis::index::{self, Inst};
use spirvkit_analysis::layout::{self, Extent, Layouts, MatrixOrder, NoLayout, Rules};
use spirvkit_binary::{FloatFormat, Id, IdMap, NumberType, Value};
use spirvkit_grammar::{
    AccessQualifier, BuiltIn, Decoration, Dim, FPEncoding, ImageFormat, Op, StorageClass,
};

use crate::contents::{Contents, text};
#[cfg(feature = "serde")]
use crate::serial;

/// A type that the module declares. Others refer to it by its id, also in cycles by
/// way of pointers.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Type {
    /// Its id.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub id: Id,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// What it is, in short, such as `vec4<f32>`; long ones end in `…`.
    pub spelling: String,
    /// How many bytes it takes by its decorations, from the first to the last that is
    /// used; `None` if it has no explicit layout.
    pub size: Option<Extent>,
    /// What it is.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub kind: TypeKind,
}

/// What a type is (specification, section 3.32.6).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TypeKind {
    /// `OpTypeVoid`.
    Void,
    /// `OpTypeBool`.
    Bool,
    /// `OpTypeInt`.
    Int {
        /// In bits.
        width: u32,
        /// Whether it is declared as signed.
        signed: bool,
    },
    /// `OpTypeFloat`.
    Float {
        /// In bits.
        width: u32,
        /// Its encoding, unless that is IEEE 754's.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
        encoding: Option<FPEncoding>,
    },
    /// `OpTypeVector`, and `OpTypeVectorIdEXT`.
    Vector {
        /// The type of its components.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
        component: Id,
        /// How many there are.
        count: Extent,
    },
    /// `OpTypeMatrix`.
    Matrix {
        /// The type of its columns.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
        column: Id,
        /// How many there are.
        columns: u32,
    },
    /// `OpTypeArray` and `OpTypeRuntimeArray`.
    Array {
        /// The type of its elements.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
        element: Id,
        /// How many there are.
        length: Extent,
        /// The constant that says so; `None` for run-time arrays.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_id"))]
        length_id: Option<Id>,
        /// How many bytes apart elements begin, if it is decorated.
        stride: Option<Extent>,
    },
    /// `OpTypeStruct`.
    Struct {
        /// Whether it is decorated as a block.
        block: Option<Block>,
        /// Its members.
        members: Vec<Member>,
    },
    /// `OpTypePointer`, and `OpTypeUntypedPointerKHR`.
    Pointer {
        /// Where it points to.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
        storage_class: StorageClass,
        /// What it points to; `None` if it is untyped.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_id"))]
        pointee: Option<Id>,
    },
    /// `OpTypeImage`.
    Image(Image),
    /// `OpTypeSampler`.
    Sampler,
    /// `OpTypeSampledImage`.
    SampledImage {
        /// The type of its image.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
        image: Id,
    },
    /// `OpTypeAccelerationStructureKHR`.
    AccelerationStructure,
    /// Any other type.
    Other {
        /// What declares it.
        #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
        opcode: Op,
        /// What of, in the order of the operands.
        operands: Vec<Operand>,
    },
    /// Its declaration lacks operands.
    Unknown,
}

/// An operand of a type's declaration.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Operand {
    /// What the registry calls it; for enumerants, their kind.
    pub name: &'static str,
    /// What it is.
    pub value: OperandValue,
    /// If it is the id of a constant integer, its value.
    pub constant: Option<Extent>,
}

/// What an operand of a type's declaration is.
///
/// Serialized as `{"id": number}`, a number or a string.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperandValue {
    /// An id.
    Id(Id),
    /// A literal number.
    Number(u32),
    /// An enumerant's name in the registry, or a literal string.
    Name(String),
}

#[cfg(feature = "serde")]
impl Serialize for OperandValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Id(id) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("id", &id.0)?;
                map.end()
            }
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Name(name) => serializer.serialize_str(name),
        }
    }
}

impl fmt::Display for OperandValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// How a structure is decorated that is the type of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Block {
    /// As `Block`.
    Block,
    /// As `BufferBlock`, the older form of storage buffers.
    BufferBlock,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Member {
    /// The name that the module gives it.
    pub name: Option<String>,
    /// Its type.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "type", serialize_with = "serial::id")
    )]
    pub ty: Id,
    /// Where it begins, in bytes from the start of the structure.
    pub offset: Option<Extent>,
    /// How many bytes it takes: arrays and matrices with their whole strides, unless
    /// the next member begins before the last ends; structures to the end of their last
    /// member, padding included.
    pub size: Option<Extent>,
    /// The same with the gap behind it, up to the next member, the next by offset. What
    /// follows the last one, no decoration says. In uniform blocks it is padded so that
    /// the structure ends at a multiple of 16 bytes, which is what the rules for them
    /// ask of arrays and structures (Vulkan, section "Offset and Stride Assignment");
    /// in others it isn't padded.
    pub padded_size: Option<Extent>,
    /// Of a matrix, or an array of matrices: how many bytes apart columns begin, or
    /// rows if it is row-major.
    pub matrix_stride: Option<u64>,
    /// Of a matrix, or an array of matrices: which parts are contiguous.
    pub matrix_order: Option<Order>,
    /// The location with which it is decorated, or that follows from that of the
    /// member before it.
    pub location: Option<u32>,
    /// If there is none: how many locations behind that of the whole structure it has its
    /// own (Vulkan, section "Location and Component Assignment").
    pub location_offset: Option<u64>,
    /// The component with which it is decorated.
    pub component: Option<u32>,
    /// What it is, if it is built in.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub built_in: Option<BuiltIn>,
    /// What else it is decorated with, as far as that takes no operands.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::names"))]
    pub decorations: Vec<Decoration>,
    /// The semantic that a source language gave it.
    pub semantic: Option<String>,
}

/// Which parts of a matrix are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Order {
    /// Columns.
    ColumnMajor,
    /// Rows.
    RowMajor,
}

/// What `OpTypeImage` says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Image {
    /// The type of the components of texels; `OpTypeVoid`'s in kernels.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::id"))]
    pub sampled_type: Id,
    /// How many dimensions, and of what sort.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub dim: Dim,
    /// Whether it is a depth image; `None` if the module doesn't say.
    pub depth: Option<bool>,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it has samples.
    pub multisampled: bool,
    /// What it can be used for.
    pub usage: ImageUsage,
    /// How texels are stored; `Unknown` is the registry's name for a format that is
    /// left open.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::name"))]
    pub format: ImageFormat,
    /// How kernels may use it.
    #[cfg_attr(feature = "serde", serde(serialize_with = "serial::maybe_name"))]
    pub access: Option<AccessQualifier>,
}

/// What an image can be used for: the operand `Sampled` of `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ImageUsage {
    /// Either; it is known at run time.
    Runtime,
    /// With a sampler.
    Sampled,
    /// To be read and written.
    Storage,
    /// The number has no meaning.
    Unknown,
}

impl From<index::Image> for Image {
    fn from(image: index::Image) -> Self {
        Self {
            sampled_type: image.sampled_type,
            dim: image.dim,
            depth: match image.depth {
                0 => Some(false),
                1 => Some(true),
                _ => None,
            },
            arrayed: image.arrayed,
            multisampled: image.multisampled,
            usage: match image.sampled {
                0 => ImageUsage::Runtime,
                1 => ImageUsage::Sampled,
                2 => ImageUsage::Storage,
                _ => ImageUsage::Unknown,
            },
            format: image.format,
            access: image.access,
        }
    }
}

/// What is worked out of a type for those that use it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// What an array is of at last; of anything else, the type itself.
    pub(crate) innermost: Id,
    /// How many of it there are.
    pub(crate) count: Extent,
    /// How many locations it takes in an interface.
    pub(crate) locations: Option<u64>,
    /// Where the first of a structure's members begins.
    pub(crate) start: Option<Extent>,
    /// Where its last member ends, padding included; of an array or a matrix, how many
    /// bytes it takes with whole strides.
    pub(crate) extent: Option<Extent>,
    /// Whether all members of a structure are decorated so.
    pub(crate) non_writable: bool,
    pub(crate) non_readable: bool,
}

/// All types of a module.
#[derive(Debug)]
pub(crate) struct Types {
    pub(crate) list: Vec<Type>,
    shapes: Vec<Shape>,
    /// One more than the index of a type.
    places: IdMap<u32>,
}

impl Types {
    fn place(&self, id: Id) -> Option<usize> {
        (self.places.get(id) as usize).checked_sub(1)
    }

    /// The type with this id.
    pub(crate) fn get(&self, id: Id) -> Option<&Type> {
        self.list.get(self.place(id)?)
    }

    /// What is worked out of it.
    pub(crate) fn shape(&self, id: Id) -> Option<&Shape> {
        self.shapes.get(self.place(id)?)
    }

    /// What it is.
    pub(crate) fn kind(&self, id: Id) -> Option<&TypeKind> {
        self.get(id).map(|ty| &ty.kind)
    }

    /// The image behind an image or a sampled image.
    pub(crate) fn image(&self, id: Id) -> Option<&Image> {
        match self.kind(id)? {
            TypeKind::Image(image) => Some(image),
            TypeKind::SampledImage { image } => match self.kind(*image)? {
                TypeKind::Image(image) => Some(image),
                _ => None,
            },
            _ => None,
        }
    }

    /// The format of a scalar's type, if it has one: its bits, and what they stand for
    /// in Vulkan's names of formats.
    pub(crate) fn numeric(&self, id: Id) -> Option<(u32, &'static str)> {
        match *self.kind(id)? {
            TypeKind::Int { width, signed } => Some((width, if signed { "SINT" } else { "UINT" })),
            TypeKind::Float {
                width,
                encoding: None,
            } => Some((width, "SFLOAT")),
            _ => None,
        }
    }
}

/// How the literals of constants of a type are read.
pub(crate) fn number_type(kind: &TypeKind) -> Option<NumberType> {
    match *kind {
        TypeKind::Int { width, signed } => NumberType::integer(width, signed.into()),
        TypeKind::Float { width, encoding } => {
            FloatFormat::new(width, encoding).map(NumberType::Float)
        }
        _ => None,
    }
}
