//! Types of data, and where `std140` and `std430` put them (OpenGL specification, "Standard
//! Uniform Block Layout").

use std::fmt;

use crate::script::{Handle, Script};
use spirvkit_eval::{Component, Encoding, Format};

/// How many numbers and structures there may be in an element of a buffer: structures within
/// structures multiply.
pub const MAX_PARTS: u32 = 1 << 12;

/// What kind of number a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// Floating point of IEEE 754.
    Float,
}

/// A type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// What kind of number it is.
    pub kind: ScalarKind,
    /// Its width: 8, 16, 32 or 64 bits, and 16 or more for floating point.
    pub bits: u8,
}

impl Scalar {
    /// Its size in bytes.
    pub(crate) fn size(self) -> u64 {
        u64::from(self.bits) / 8
    }
}

impl fmt::Display for Scalar {
    /// As AmberScript writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.bits) {
            (ScalarKind::Signed, bits) => write!(f, "int{bits}"),
            (ScalarKind::Unsigned, bits) => write!(f, "uint{bits}"),
            (ScalarKind::Float, 32) => f.write_str("float"),
            (ScalarKind::Float, 64) => f.write_str("double"),
            (ScalarKind::Float, bits) => write!(f, "float{bits}"),
        }
    }
}

/// What an element of a buffer is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One number.
    Scalar(Scalar),
    /// Two to four numbers.
    Vector {
        /// What they are.
        scalar: Scalar,
        /// How many.
        size: u8,
    },
    /// Columns, one behind the other.
    Matrix {
        /// What the numbers are.
        scalar: Scalar,
        /// How many columns, two to four.
        columns: u8,
        /// How many numbers each column has, two to four.
        rows: u8,
    },
    /// A structure that the script declares.
    Struct(Handle<Struct>),
    /// A texel.
    Format(Format),
}

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType {
    /// What one element is made of.
    pub shape: Shape,
    /// Whether the elements lie as those of an array do, which in `std140` takes more room.
    pub is_array: bool,
}

impl From<Shape> for DataType {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            is_array: false,
        }
    }
}

/// The rules by which elements are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Those of uniform blocks: columns, structures and elements of arrays start at
    /// multiples of 16 bytes.
    Std140,
    /// Those of storage blocks, which are packed as tight as alignment permits.
    #[default]
    Std430,
}

/// A structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// The distance of elements in bytes, if the script gives it.
    pub stride: Option<u32>,
    /// Its members.
    pub members: Vec<Member>,
    /// How many numbers it has.
    components: u32,
    /// The same with the structures in it and itself.
    parts: u32,
    /// What it takes by `std140` and `std430`.
    room: [Room; 2],
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub shape: Shape,
    /// Where it starts in bytes, if the script says so.
    pub offset: Option<u32>,
    /// The distance of a matrix's columns in bytes, if the script gives it.
    pub matrix_stride: Option<u32>,
}

/// How much space something takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Room {
    size: u64,
    alignment: u64,
}

/// Where a number lies in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// In bytes from the start of the element.
    pub offset: u64,
    /// What it is.
    pub scalar: Scalar,
}

/// Where everything lies in an element, and how far the next one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementLayout {
    /// The numbers of an element, in the order in which scripts give them.
    pub slots: Vec<Slot>,
    /// The distance of elements, in bytes.
    pub stride: u64,
}

impl Struct {
    /// Lays out a structure, of which the script has those that are in it.
    pub(crate) fn new(
        script: &Script,
        name: String,
        stride: Option<u32>,
        members: Vec<Member>,
    ) -> Self {
        let counts = members.iter().map(|it| it.shape.component_count(script));
        let components = counts.fold(0, u32::saturating_add);
        let parts = members.iter().map(|it| it.shape.part_count(script));
        let parts = parts.fold(1, u32::saturating_add);
        let room = [Layout::Std140, Layout::Std430].map(|layout| {
            let mut room = Room {
                size: 0,
                alignment: layout.least_alignment(),
            };
            for (offset, member) in placed(script, &members, layout) {
                let own = member.room(script, layout);
                room.size = room.size.max(offset.saturating_add(own.size));
                room.alignment = room.alignment.max(own.alignment);
            }
            room.size = round_up(room.size, room.alignment);
            room
        });
        Self {
            name,
            stride,
            members,
            components,
            parts,
            room,
        }
    }

    /// How many numbers and structures there are in it, itself among them.
    pub(crate) fn part_count(&self) -> u32 {
        self.parts
    }
}

/// Members with their offsets.
fn placed<'m>(
    script: &'m Script,
    members: &'m [Member],
    layout: Layout,
) -> impl Iterator<Item = (u64, &'m Member)> {
    let mut end = 0_u64;
    members.iter().map(move |member| {
        let room = member.room(script, layout);
        let offset = match member.offset {
            Some(offset) => offset.into(),
            None => round_up(end, room.alignment),
        };
        end = end.max(offset.saturating_add(room.size));
        (offset, member)
    })
}

impl Member {
    fn room(&self, script: &Script, layout: Layout) -> Room {
        match (self.shape, self.matrix_stride) {
            (Shape::Matrix { columns, .. }, Some(stride)) => Room {
                size: u64::from(stride) * u64::from(columns),
                ..self.shape.room(script, layout)
            },
            _ => self.shape.room(script, layout),
        }
    }
}

impl Layout {
    /// What arrays, structures and columns are aligned to at least.
    fn least_alignment(self) -> u64 {
        match self {
            Self::Std140 => 16,
            Self::Std430 => 1,
        }
    }
}

/// What a script gives for a texel: one number of all bits if the format is packed, else one
/// for each component.
fn texel_scalars(format: Format) -> impl Iterator<Item = Scalar> {
    let packed = match format.packed_bits() {
        0 => None,
        bits => Some(Scalar {
            kind: ScalarKind::Unsigned,
            bits,
        }),
    };
    let count = match packed {
        None => format.components().len(),
        Some(_) => 0,
    };
    let components = (0..count).map(move |at| component_scalar(format.components()[at]));
    packed.into_iter().chain(components)
}

fn component_scalar(component: Component) -> Scalar {
    let kind = match component.encoding {
        Encoding::Snorm | Encoding::Sint | Encoding::Sscaled => ScalarKind::Signed,
        Encoding::Sfloat | Encoding::Ufloat => ScalarKind::Float,
        _ => ScalarKind::Unsigned,
    };
    Scalar {
        kind,
        bits: component.bits,
    }
}

impl Shape {
    /// How many numbers a script gives for one element, at most `u32::MAX`.
    pub fn component_count(self, script: &Script) -> u32 {
        match self {
            Self::Scalar(_) => 1,
            Self::Vector { size, .. } => size.into(),
            Self::Matrix { columns, rows, .. } => u32::from(columns) * u32::from(rows),
            Self::Struct(handle) => script[handle].components,
            Self::Format(format) => texel_scalars(format).count() as u32,
        }
    }

    fn part_count(self, script: &Script) -> u32 {
        match self {
            Self::Struct(handle) => script[handle].parts,
            _ => self.component_count(script),
        }
    }

    fn room(self, script: &Script, layout: Layout) -> Room {
        match self {
            Self::Scalar(scalar) => vector(scalar, 1),
            Self::Vector { scalar, size } => vector(scalar, size),
            Self::Matrix {
                scalar,
                columns,
                rows,
            } => {
                let column = column(scalar, rows, layout);
                Room {
                    size: column.size * u64::from(columns),
                    ..column
                }
            }
            Self::Struct(handle) => script[handle].room[layout as usize],
            Self::Format(format) => Room {
                size: format.texel_size(),
                alignment: 1,
            },
        }
    }

    /// The distance of elements of a buffer in bytes.
    fn stride(self, script: &Script, layout: Layout, is_array: bool) -> u64 {
        if let Self::Struct(handle) = self
            && let Some(stride) = script[handle].stride
        {
            return stride.into();
        }
        let room = self.room(script, layout);
        let least = if is_array {
            layout.least_alignment()
        } else {
            1
        };
        round_up(room.size, room.alignment.max(least))
    }
}

/// A vector; one of three takes the room of three, but starts where one of four may.
fn vector(scalar: Scalar, size: u8) -> Room {
    Room {
        size: scalar.size() * u64::from(size),
        alignment: scalar.size() * u64::from(size).next_power_of_two(),
    }
}

/// A column of a matrix, up to the next one.
fn column(scalar: Scalar, rows: u8, layout: Layout) -> Room {
    let room = vector(scalar, rows);
    let alignment = room.alignment.max(layout.least_alignment());
    Room {
        size: round_up(room.size, alignment),
        alignment,
    }
}

fn round_up(size: u64, alignment: u64) -> u64 {
    size.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

impl DataType {
    /// The distance of elements in bytes.
    pub fn stride(self, script: &Script, layout: Layout) -> u64 {
        self.shape.stride(script, layout, self.is_array)
    }

    /// Where the numbers of an element lie.
    ///
    /// ```
    /// use spirvkit_amber::{Layout, parse};
    ///
    /// let script = parse("#!amber\nBUFFER b DATA_TYPE mat2x2<float> STD140 SIZE 1 FILL 0\n")?;
    /// let ty = script.buffers[0].ty;
    /// let offsets = |layout| {
    ///     let slots = ty.element_layout(&script, layout).slots;
    ///     slots.iter().map(|slot| slot.offset).collect::<Vec<_>>()
    /// };
    /// assert_eq!(offsets(Layout::Std140), [0, 4, 16, 20]);
    /// assert_eq!(offsets(Layout::Std430), [0, 4, 8, 12]);
    /// # Ok::<(), spirvkit_diagnostics::Errors>(())
    /// ```
    pub fn element_layout(self, script: &Script, layout: Layout) -> ElementLayout {
        // Structures are in each other, so what is still to do is kept, the next at the end.
        let mut open = vec![(0, self.shape, None)];
        let mut slots = Vec::new();
        while let Some((start, shape, matrix_stride)) = open.pop() {
            match shape {
                Shape::Scalar(scalar) => add(&mut slots, start, scalar, 1),
                Shape::Vector { scalar, size } => add(&mut slots, start, scalar, size),
                Shape::Matrix {
                    scalar,
                    columns,
                    rows,
                } => {
                    let stride = column(scalar, rows, layout).size;
                    let stride = matrix_stride.map_or(stride, u64::from);
                    for number in 0..u64::from(columns) {
                        add(
                            &mut slots,
                            start.saturating_add(number * stride),
                            scalar,
                            rows,
                        );
                    }
                }
                Shape::Format(format) => {
                    let mut offset = start;
                    for scalar in texel_scalars(format) {
                        add(&mut slots, offset, scalar, 1);
                        offset = offset.saturating_add(scalar.size());
                    }
                }
                Shape::Struct(handle) => {
                    let members = placed(script, &script[handle].members, layout);
                    let before = open.len();
                    open.extend(members.map(|(offset, member)| {
                        let start = offset.saturating_add(start);
                        (start, member.shape, member.matrix_stride)
                    }));
                    open[before..].reverse();
                }
            }
        }
        ElementLayout {
            slots,
            stride: self.stride(script, layout),
        }
    }
}

fn add(slots: &mut Vec<Slot>, start: u64, scalar: Scalar, count: u8) {
    slots.extend((0..u64::from(count)).map(|number| Slot {
        offset: start.saturating_add(number * scalar.size()),
        scalar,
    }));
}
