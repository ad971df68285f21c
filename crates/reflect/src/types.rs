//! Types, and the layouts that their decorations give them.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use spirvkit_analysis::layout::{self, Layouts, MatrixOrder, Rules};
use spirvkit_binary::{FloatFormat, Id, IdMap, Instruction, NumberType, Value};
use spirvkit_grammar::{
    AccessQualifier, BuiltIn, Decoration, Dim, FPEncoding, ImageFormat, Op, StorageClass,
};

use crate::amount::Amount;
use crate::contents::{Contents, text};
use crate::{serial, spelling};

/// A type that the module declares. Others refer to it by its id, also in circles by
/// way of pointers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Type {
    /// Its id.
    #[serde(serialize_with = "serial::id")]
    pub id: Id,
    /// The name that the module gives it.
    pub name: Option<String>,
    /// What it is, in short, such as `vec4<f32>`; long ones end in `…`.
    pub spelling: String,
    /// How many bytes it takes by its decorations, from the first to the last that is
    /// used; `None` if it has no explicit layout.
    pub size: Option<Amount>,
    /// What it is.
    #[serde(flatten)]
    pub kind: TypeKind,
}

/// What a type is (specification, section 3.32.6).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
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
        #[serde(serialize_with = "serial::maybe_name")]
        encoding: Option<FPEncoding>,
    },
    /// `OpTypeVector`, and `OpTypeVectorIdEXT`.
    Vector {
        /// The type of its components.
        #[serde(serialize_with = "serial::id")]
        component: Id,
        /// How many there are.
        count: Amount,
    },
    /// `OpTypeMatrix`.
    Matrix {
        /// The type of its columns.
        #[serde(serialize_with = "serial::id")]
        column: Id,
        /// How many there are.
        columns: u32,
    },
    /// `OpTypeArray` and `OpTypeRuntimeArray`.
    Array {
        /// The type of its elements.
        #[serde(serialize_with = "serial::id")]
        element: Id,
        /// How many there are.
        length: Amount,
        /// The constant that says so; `None` for run-time arrays.
        #[serde(serialize_with = "serial::maybe_id")]
        length_id: Option<Id>,
        /// How many bytes apart elements begin, if it is decorated.
        stride: Option<Amount>,
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
        #[serde(serialize_with = "serial::name")]
        storage_class: StorageClass,
        /// What it points to; `None` if it is untyped.
        #[serde(serialize_with = "serial::maybe_id")]
        pointee: Option<Id>,
    },
    /// `OpTypeImage`.
    Image(Image),
    /// `OpTypeSampler`.
    Sampler,
    /// `OpTypeSampledImage`.
    SampledImage {
        /// The type of its image.
        #[serde(serialize_with = "serial::id")]
        image: Id,
    },
    /// `OpTypeAccelerationStructureKHR`.
    AccelerationStructure,
    /// Any other type.
    Other {
        /// What declares it.
        #[serde(serialize_with = "serial::name")]
        opcode: Op,
        /// What of, in the order of the operands.
        operands: Vec<Operand>,
    },
    /// Its declaration lacks operands.
    Unknown,
}

/// An operand of a type's declaration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Operand {
    /// What the registry calls it; for enumerants, their kind.
    pub name: &'static str,
    /// What it is.
    pub value: OperandValue,
    /// If it is the id of a constant integer, its value.
    pub constant: Option<Amount>,
}

/// What an operand of a type's declaration is.
///
/// Serialized as `{"id": number}`, a number or a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    /// An id.
    Id(Id),
    /// A literal number.
    Number(u32),
    /// An enumerant's name in the registry, or a literal string.
    Name(String),
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// As `Block`.
    Block,
    /// As `BufferBlock`, the older form of storage buffers.
    BufferBlock,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// The name that the module gives it.
    pub name: Option<String>,
    /// Its type.
    #[serde(rename = "type", serialize_with = "serial::id")]
    pub ty: Id,
    /// Where it begins, in bytes from the start of the structure.
    pub offset: Option<Amount>,
    /// How many bytes it takes: arrays and matrices with their whole strides, unless
    /// the next member begins before the last ends; structures to the end of their last
    /// member, padding included.
    pub size: Option<Amount>,
    /// The same with the gap behind it, up to the next member, the next by offset. What
    /// follows the last one, no decoration says. In uniform blocks it is padded so that
    /// the structure ends at a multiple of 16 bytes, which is what the rules for them
    /// ask of arrays and structures (Vulkan, section "Offset and Stride Assignment");
    /// in others it isn't padded.
    pub padded_size: Option<Amount>,
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
    #[serde(serialize_with = "serial::maybe_name")]
    pub built_in: Option<BuiltIn>,
    /// What else it is decorated with, as far as that takes no operands.
    #[serde(serialize_with = "serial::names")]
    pub decorations: Vec<Decoration>,
    /// The semantic that a source language gave it.
    pub semantic: Option<String>,
}

/// Which parts of a matrix are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Columns.
    ColumnMajor,
    /// Rows.
    RowMajor,
}

/// What `OpTypeImage` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// The type of the components of texels; `OpTypeVoid`'s in kernels.
    #[serde(serialize_with = "serial::id")]
    pub sampled_type: Id,
    /// How many dimensions, and of what sort.
    #[serde(serialize_with = "serial::name")]
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
    #[serde(serialize_with = "serial::name")]
    pub format: ImageFormat,
    /// How kernels may use it.
    #[serde(serialize_with = "serial::maybe_name")]
    pub access: Option<AccessQualifier>,
}

/// What an image can be used for: the operand `Sampled` of `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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

/// What is worked out of a type for those that use it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// What an array is of at last; of anything else, the type itself.
    pub(crate) innermost: Id,
    /// How many of it there are.
    pub(crate) count: Amount,
    /// How many locations it takes in an interface.
    pub(crate) locations: Option<u64>,
    /// Where the first of a structure's members begins.
    pub(crate) start: Option<Amount>,
    /// Where its last member ends, padding included; of an array or a matrix, how many
    /// bytes it takes with whole strides.
    pub(crate) extent: Option<Amount>,
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
    pub(crate) fn new(contents: &Contents<'_>, constants: &layout::Types<'_>) -> Self {
        let layouts = constants.lay_out(Rules::Explicit);
        let uniform = in_uniform_blocks(contents);
        let count = contents.types.len();
        let mut types = Self {
            list: Vec::with_capacity(count),
            shapes: Vec::with_capacity(count),
            places: contents.id_table(0),
        };
        let mut is_complete = true;
        for instruction in &contents.types {
            let Some(id) = instruction.result() else {
                continue;
            };
            let reader = Reader {
                contents,
                constants,
                layouts: &layouts,
                types: &types,
                uniform: &uniform,
            };
            let (kind, non_writable, non_readable) = reader.kind(id, instruction);
            let name = contents.name(id);
            let (spelling, has_all) = spelling::of(id, name.as_deref(), &kind, &types);
            is_complete &= has_all;
            let (innermost, count) = reader.innermost(id, &kind);
            let size = Amount::of_layout(layouts.get(id).map(|layout| layout.size));
            let size = size.filter(|_| !matches!(kind, TypeKind::Unknown));
            let shape = Shape {
                innermost,
                count,
                locations: reader.locations(&kind),
                start: first_offset(&kind),
                extent: reader.extent(&kind, size),
                non_writable,
                non_readable,
            };
            types.list.push(Type {
                id,
                name,
                spelling,
                size,
                kind,
            });
            types.shapes.push(shape);
            *types.places.slot(id) = types.list.len() as u32;
        }
        if !is_complete {
            types.spell_again();
        }
        types
    }

    /// Spells all types anew, now that those are known that were declared later than what
    /// is made of them: pointers that `OpTypeForwardPointer` announces.
    fn spell_again(&mut self) {
        for place in 0..self.list.len() {
            let ty = &self.list[place];
            let (spelling, _) = spelling::of(ty.id, ty.name.as_deref(), &ty.kind, self);
            self.list[place].spelling = spelling;
        }
    }

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

struct Reader<'r, 'a> {
    contents: &'r Contents<'a>,
    constants: &'r layout::Types<'a>,
    layouts: &'r Layouts,
    types: &'r Types,
    /// The types that uniform blocks are made of.
    uniform: &'r IdMap<bool>,
}

impl Reader<'_, '_> {
    fn number(&self, id: Id) -> Amount {
        self.constants
            .constant(id)
            .map_or(Amount::Unknown, Amount::from)
    }

    /// What a type is, and whether all its members can't be written, and read.
    fn kind(&self, id: Id, instruction: &Instruction<'_>) -> (TypeKind, bool, bool) {
        let operands = instruction.words().get(2..).unwrap_or_default();
        let kind = match (instruction.op(), operands) {
            (Op::TypeStruct, members) => return self.structure(id, members),
            (Op::TypeVoid, _) => TypeKind::Void,
            (Op::TypeBool, _) => TypeKind::Bool,
            (Op::TypeInt, &[width, signedness, ..]) => TypeKind::Int {
                width,
                signed: signedness != 0,
            },
            (Op::TypeFloat, &[width, ref encoding @ ..]) => TypeKind::Float {
                width,
                encoding: encoding.first().map(|&encoding| FPEncoding(encoding)),
            },
            (Op::TypeVector, &[component, count, ..]) => TypeKind::Vector {
                component: Id(component),
                count: Amount::Fixed(count.into()),
            },
            (Op::TypeVectorIdEXT, &[component, count, ..]) => TypeKind::Vector {
                component: Id(component),
                count: self.number(Id(count)),
            },
            (Op::TypeMatrix, &[column, columns, ..]) => TypeKind::Matrix {
                column: Id(column),
                columns,
            },
            (Op::TypeArray, &[element, length, ..]) => TypeKind::Array {
                element: Id(element),
                length: self.number(Id(length)),
                length_id: Some(Id(length)),
                stride: self.stride(id),
            },
            (Op::TypeRuntimeArray, &[element, ..]) => TypeKind::Array {
                element: Id(element),
                length: Amount::Runtime,
                length_id: None,
                stride: self.stride(id),
            },
            (Op::TypePointer, &[class, pointee, ..]) => TypeKind::Pointer {
                storage_class: StorageClass(class),
                pointee: Some(Id(pointee)),
            },
            (Op::TypeUntypedPointerKHR, &[class, ..]) => TypeKind::Pointer {
                storage_class: StorageClass(class),
                pointee: None,
            },
            (
                Op::TypeImage,
                &[
                    sampled_type,
                    dim,
                    depth,
                    arrayed,
                    ms,
                    sampled,
                    format,
                    ref access @ ..,
                ],
            ) => TypeKind::Image(Image {
                sampled_type: Id(sampled_type),
                dim: Dim(dim),
                depth: match depth {
                    0 => Some(false),
                    1 => Some(true),
                    _ => None,
                },
                arrayed: arrayed != 0,
                multisampled: ms != 0,
                usage: match sampled {
                    0 => ImageUsage::Runtime,
                    1 => ImageUsage::Sampled,
                    2 => ImageUsage::Storage,
                    _ => ImageUsage::Unknown,
                },
                format: ImageFormat(format),
                access: access.first().map(|&access| AccessQualifier(access)),
            }),
            (Op::TypeSampler, _) => TypeKind::Sampler,
            (Op::TypeSampledImage, &[image, ..]) => TypeKind::SampledImage { image: Id(image) },
            (Op::TypeAccelerationStructureKHR, _) => TypeKind::AccelerationStructure,
            (
                Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeVectorIdEXT
                | Op::TypeMatrix
                | Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeImage
                | Op::TypeSampledImage,
                _,
            ) => TypeKind::Unknown,
            (opcode, _) => self.other(opcode, instruction),
        };
        (kind, false, false)
    }

    /// Any type, as the grammar has it.
    fn other(&self, opcode: Op, instruction: &Instruction<'_>) -> TypeKind {
        let mut operands = Vec::new();
        let mut names = instruction
            .info()
            .map_or(&[][..], |info| info.operands())
            .iter();
        let mut name = "";
        for operand in instruction.operands(&self.contents.definitions) {
            let Ok(operand) = operand else {
                return TypeKind::Unknown;
            };
            // The last of a declaration's operands may be repeated.
            if let Some(next) = names.next() {
                name = match next.name() {
                    "" => next.kind().name(),
                    name => name,
                };
            }
            let value = match operand.value {
                // Its own.
                Value::Id(_) if operand.word == 1 => continue,
                Value::Id(id) => OperandValue::Id(id),
                Value::Integer(value) => OperandValue::Number(value),
                Value::String(string) => OperandValue::Name(string.to_text_lossy()),
                Value::Enumerant {
                    info: Some(info), ..
                } => OperandValue::Name(info.name().to_owned()),
                Value::Enumerant { value, .. } | Value::Mask(value) => OperandValue::Number(value),
                _ => return TypeKind::Unknown,
            };
            let constant = match value {
                OperandValue::Id(id) => self.constants.constant(id).map(Amount::from),
                _ => None,
            };
            operands.push(Operand {
                name,
                value,
                constant,
            });
        }
        TypeKind::Other { opcode, operands }
    }

    fn stride(&self, array: Id) -> Option<Amount> {
        let stride = Amount::of_layout(self.constants.stride(array)?);
        self.or_runtime(stride, self.contents.decorations.of(array).stride_id)
    }

    /// An amount that a constant gives, if one does: how large descriptors are is known
    /// when a pipeline is made, not from the module.
    fn or_runtime(&self, amount: Option<Amount>, given: Option<Id>) -> Option<Amount> {
        let constant = given.and_then(|given| self.contents.constant(given));
        match constant.map(|constant| constant.op()) {
            Some(Op::ConstantSizeOfEXT) => Some(Amount::Runtime),
            _ => amount,
        }
    }

    fn structure(&self, id: Id, members: &[u32]) -> (TypeKind, bool, bool) {
        let marks = self.contents.decorations.of(id);
        let block = match () {
            () if marks.has(Decoration::BufferBlock) => Some(Block::BufferBlock),
            () if marks.has(Decoration::Block) => Some(Block::Block),
            () => None,
        };
        let mut names = self.contents.member_names(id).iter().peekable();
        let mut list = Vec::with_capacity(members.len());
        let mut non_writable = !members.is_empty();
        let mut non_readable = !members.is_empty();
        let mut next_location = Next::Behind(0);
        let laid_out = self.layouts.members(id);
        for (index, &ty) in (0u32..).zip(members) {
            let mut name = None;
            while let Some(&&(_, member, found)) = names.peek() {
                if member > index {
                    break;
                }
                name = (member == index).then_some(found).or(name);
                names.next();
            }
            let marks = self.contents.decorations.of_member(id, index);
            let layout = laid_out.get(index as usize);
            let matrix = layout.and_then(|member| member.layout.ok()?.matrix);
            let start = match marks.location {
                Some(location) => Next::At(location.into()),
                None => next_location,
            };
            let takes = self.types.shape(Id(ty)).and_then(|shape| shape.locations);
            next_location = start.after(takes);
            let (location, location_offset) = match start {
                _ if marks.built_in.is_some() => (marks.location, None),
                Next::At(location) => (u32::try_from(location).ok(), None),
                Next::Behind(offset) => (None, Some(offset)),
                Next::Unknown => (None, None),
            };
            non_writable &= marks.has(Decoration::NonWritable);
            non_readable &= marks.has(Decoration::NonReadable);
            list.push(Member {
                name: text(name),
                ty: Id(ty),
                offset: self.or_runtime(
                    layout.and_then(|member| Amount::of_layout(member.offset)),
                    marks.offset_id,
                ),
                size: layout.and_then(|member| self.member_size(Id(ty), member)),
                padded_size: None,
                matrix_stride: matrix.and_then(|matrix| matrix.stride.known()),
                matrix_order: matrix.map(|matrix| match matrix.order {
                    MatrixOrder::ColumnMajor => Order::ColumnMajor,
                    MatrixOrder::RowMajor => Order::RowMajor,
                }),
                location,
                location_offset,
                component: marks.component,
                built_in: marks.built_in,
                decorations: marks.flags(),
                semantic: text(marks.semantic),
            });
        }
        pad(&mut list, self.uniform.get(id));
        let members = list;
        (
            TypeKind::Struct { block, members },
            non_writable,
            non_readable,
        )
    }

    /// How many bytes a member takes, before what follows it is looked at.
    fn member_size(&self, ty: Id, member: &layout::Member) -> Option<Amount> {
        let size = Amount::of_layout(member.layout.map(|layout| layout.size));
        match (self.types.kind(ty), member.layout) {
            (Some(TypeKind::Array { length, stride, .. }), Ok(_)) => {
                stride.map(|stride| length.times(stride))
            }
            (Some(TypeKind::Matrix { column, columns }), Ok(layout)) => {
                let matrix = layout.matrix?;
                let lines = match (matrix.order, self.types.kind(*column)) {
                    (MatrixOrder::RowMajor, Some(TypeKind::Vector { count, .. })) => *count,
                    _ => Amount::Fixed((*columns).into()),
                };
                Some(lines.times(matrix.stride.into()))
            }
            (Some(TypeKind::Struct { .. }), Ok(_)) => self.types.shape(ty)?.extent,
            _ => size,
        }
    }

    /// Where a structure's last member ends.
    fn extent(&self, kind: &TypeKind, size: Option<Amount>) -> Option<Amount> {
        let TypeKind::Struct { members, .. } = kind else {
            return size;
        };
        let ends = members.iter().map(|member| {
            let (offset, size) = (member.offset?, member.padded_size?);
            Some(offset.plus(size))
        });
        ends.reduce(|one, other| Some(one?.max(other?))).flatten()
    }

    /// What an array is of at last, and how many there are.
    fn innermost(&self, id: Id, kind: &TypeKind) -> (Id, Amount) {
        let TypeKind::Array {
            element, length, ..
        } = kind
        else {
            return (id, Amount::Fixed(1));
        };
        match self.types.shape(*element) {
            Some(shape) => (shape.innermost, length.times(shape.count)),
            None => (*element, *length),
        }
    }

    /// How many locations a type takes (Vulkan, section "Location and Component
    /// Assignment").
    fn locations(&self, kind: &TypeKind) -> Option<u64> {
        let of = |ty: &Id| self.types.shape(*ty)?.locations;
        match kind {
            TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. } => Some(1),
            TypeKind::Vector { component, count } => {
                let wide = self
                    .types
                    .numeric(*component)
                    .is_some_and(|(bits, _)| bits > 32);
                Some(if wide && count.known()? > 2 { 2 } else { 1 })
            }
            TypeKind::Matrix { column, columns } => of(column)?.checked_mul((*columns).into()),
            TypeKind::Array {
                element, length, ..
            } => of(element)?.checked_mul(length.known()?),
            TypeKind::Struct { members, .. } => {
                let mut locations = members.iter().map(|member| of(&member.ty));
                locations.try_fold(0u64, |sum, next| sum.checked_add(next?))
            }
            TypeKind::Pointer {
                storage_class: StorageClass::PhysicalStorageBuffer,
                ..
            } => Some(1),
            _ => None,
        }
    }
}

/// The location of the next member.
#[derive(Clone, Copy)]
enum Next {
    /// So far behind the structure's.
    Behind(u64),
    /// This one.
    At(u64),
    /// Members before it take nobody knows how many.
    Unknown,
}

impl Next {
    /// The location behind a member that has this one and takes so many.
    fn after(self, takes: Option<u64>) -> Self {
        let sum = |start: u64| start.checked_add(takes?);
        match self {
            Self::Behind(start) => sum(start).map_or(Self::Unknown, Self::Behind),
            Self::At(start) => sum(start).map_or(Self::Unknown, Self::At),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// Where the first of a structure's members begins.
fn first_offset(kind: &TypeKind) -> Option<Amount> {
    let TypeKind::Struct { members, .. } = kind else {
        return None;
    };
    let offsets = members.iter().filter_map(|member| member.offset);
    offsets.min_by_key(|offset| offset.known().unwrap_or(u64::MAX))
}

/// Marks the types that uniform blocks are made of.
fn in_uniform_blocks(contents: &Contents<'_>) -> IdMap<bool> {
    let mut marked = contents.id_table(false);
    for variable in &contents.variables {
        if let (StorageClass::Uniform, Some(ty)) = (variable.storage_class, variable.ty) {
            *marked.slot(ty) = true;
        }
    }
    // Types are made of what is declared before them, but for pointers.
    for instruction in contents.types.iter().rev() {
        let Some(id) = instruction.result().filter(|&id| marked.get(id)) else {
            continue;
        };
        let parts = match instruction.op() {
            Op::TypeArray | Op::TypeRuntimeArray => instruction.words().get(2..3),
            Op::TypeStruct if contents.decorations.of(id).has(Decoration::BufferBlock) => None,
            Op::TypeStruct => instruction.words().get(2..),
            _ => None,
        };
        for &part in parts.unwrap_or_default() {
            *marked.slot(Id(part)) = true;
        }
        if parts.is_none() {
            *marked.slot(id) = false;
        }
    }
    marked
}

/// Gives members their padded sizes.
fn pad(members: &mut [Member], in_uniform_block: bool) {
    let known = |member: &Member| member.offset.and_then(Amount::known);
    let mut starts: Vec<u64> = members.iter().filter_map(known).collect();
    starts.sort_unstable();
    starts.dedup();
    for member in members {
        let next = known(member).and_then(|offset| {
            let next = starts.partition_point(|&start| start <= offset);
            starts.get(next).copied()
        });
        let (Some(offset), Some(size)) = (member.offset, member.size) else {
            continue;
        };
        let padded = match next {
            Some(next) => Amount::Fixed(next).minus(offset),
            None if in_uniform_block => offset.plus(size).round_up(16).minus(offset),
            None => size,
        };
        if padded.known() < size.known() {
            member.size = Some(padded);
        }
        member.padded_size = Some(padded);
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
