//! How types lie in memory: sizes, alignments, offsets of members, and strides.
//!
//! [`Types`] are those that a module declares; [`Types::lay_out`] applies
//! [`Rules`] to all of them and gives [`Layouts`], a table of every type and of
//! every structure's members. The rules are those of GLSL (OpenGL 4.6, section
//! 7.6.2.2 "Standard Uniform Block Layout", and `GL_EXT_scalar_block_layout`),
//! which Vulkan's section "Offset and Stride Assignment" builds on, or what the
//! module's own decorations say. [`DeclaredLayouts`] lays out only what is asked for,
//! to check what decorations say against rules.
//!
//! Whatever can't be laid out says why ([`NoLayout`]); a number that isn't known
//! before run time, that depends on specialization constants, or that 64 bits
//! can't hold says so, too ([`Extent`]). Types are laid out in the order of their
//! declarations, each once, without recursion.
//!
//! ```
//! use spirvkit_analysis::layout::{Extent, Rules, Types};
//! use spirvkit_analysis::ModuleIndex;
//! use spirvkit_binary::Id;
//!
//! let text = "
//!     %1 = OpTypeFloat 32
//!     %2 = OpTypeVector %1 3
//!     %3 = OpTypeInt 32 0
//!     %4 = OpConstant %3 2
//!     %5 = OpTypeArray %1 %4
//!     %6 = OpTypeStruct %1 %2 %5"; // float time; vec3 position; float speeds[2];
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let index = ModuleIndex::new(&assembled.words)?;
//! let types = Types::of(&index);
//!
//! let offsets = |rules| {
//!     let layouts = types.lay_out(rules);
//!     let members = layouts.members(Id(6)).iter();
//!     let offsets = members.map(|member| member.offset.unwrap().known());
//!     let size = layouts.get(Id(6)).unwrap().size.known();
//!     (offsets.map(Option::unwrap).collect::<Vec<u64>>(), size.unwrap())
//! };
//! assert_eq!(offsets(Rules::Std140), (vec![0, 16, 32], 64));
//! assert_eq!(offsets(Rules::Std430), (vec![0, 16, 28], 48));
//! assert_eq!(offsets(Rules::Scalar), (vec![0, 4, 16], 24));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

mod compare;
mod compute;
mod constants;
mod declared;
mod extent;
mod types;

use core::fmt;
use core::ops::Range;

use alloc::vec::Vec;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use compute::{Matrix, Part};

pub use compare::{Aspect, Comparison, Difference, Place, Row, Rows};
pub use declared::{DeclaredLayouts, OpaqueLayout};
pub use extent::Extent;
pub use types::Types;

/// By which rules types are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rules {
    /// GLSL's `std140`: arrays, structures and matrices are aligned to 16 bytes
    /// (Vulkan's extended alignment).
    Std140,
    /// GLSL's `std430` (Vulkan's base alignment).
    Std430,
    /// GLSL's `scalar`: everything is aligned as its components are (Vulkan's
    /// scalar alignment), and what follows a structure or an array may stand
    /// right behind its last byte.
    Scalar,
    /// What the decorations of the module say: `Offset`, `ArrayStride`,
    /// `MatrixStride`, `RowMajor` and `ColMajor`, also those of groups, and those
    /// that give their number as an id. Sizes go from the first byte to the last
    /// that is used. Decorations say nothing of alignment: the scalar alignment
    /// stands for it, which no layout goes below.
    Explicit,
}

impl Rules {
    /// All rules.
    pub const ALL: [Self; 4] = [Self::Std140, Self::Std430, Self::Scalar, Self::Explicit];
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Std140 => "std140",
            Self::Std430 => "std430",
            Self::Scalar => "scalar",
            Self::Explicit => "explicit",
        })
    }
}

/// How a type lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The size; of an array whose length is known at run time, nothing is known.
    pub size: Extent,
    /// Of what every offset of the type is a multiple, in bytes; above 0.
    pub alignment: u64,
    /// Of an array, how far apart its elements begin.
    pub array_stride: Option<Extent>,
    /// Of a matrix, or of arrays of matrices, how its columns or rows lie.
    pub matrix: Option<MatrixLayout>,
}

/// How a matrix lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatrixLayout {
    /// Whether columns or rows are contiguous.
    pub order: MatrixOrder,
    /// How far apart columns, or rows, begin.
    pub stride: Extent,
}

/// Which parts of a matrix are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOrder {
    /// Columns.
    ColumnMajor,
    /// Rows.
    RowMajor,
}

/// Why a type or a member has no layout. A structure that holds something
/// without a layout has none for the same reason, but its other members have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoLayout {
    /// It has no form in memory that rules describe: a boolean, an image, a
    /// cooperative matrix, a function, a logical pointer, a number of a width
    /// that is none of 8, 16, 32 and 64 bits, and the like.
    Opaque,
    /// By [explicit rules](Rules::Explicit): it lacks this decoration.
    Undecorated(Decoration),
    /// A length, an offset or a stride is given by an id whose value isn't known.
    UnknownNumber,
    /// The id, or one that the type is made of, is no type declared before.
    Undefined,
}

impl fmt::Display for NoLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque => f.write_str("no representation in memory"),
            Self::Undecorated(decoration) => write!(f, "no {decoration} decoration"),
            Self::UnknownNumber => f.write_str("a number that is not known"),
            Self::Undefined => f.write_str("an undefined type"),
        }
    }
}

impl core::error::Error for NoLayout {}

/// A member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// Its type.
    pub ty: Id,
    /// Where it begins, from the start of the structure. Unless rules are
    /// explicit, there is none behind a member that has no layout.
    pub offset: Result<Extent, NoLayout>,
    /// Its layout, in which its own decorations decide about matrices.
    pub layout: Result<Layout, NoLayout>,
    /// What its own decorations say of matrices, by whatever rules it is laid out.
    pub matrix: MatrixDecorations,
}

/// What decorations say of the matrices that a member holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MatrixDecorations {
    /// `ColMajor` or `RowMajor`.
    pub order: Option<MatrixOrder>,
    /// `MatrixStride`, in bytes.
    pub stride: Option<u32>,
}

/// The layouts of the types of a module by the same rules.
#[derive(Clone, Debug)]
pub struct Layouts {
    rules: Rules,
    /// Where each type stands among those that are known.
    places: HashMap<u32, u32>,
    known: Vec<Known>,
    members: Vec<Member>,
    /// What matrices, and arrays of them, are made of.
    matrices: Vec<Matrix>,
}

/// A type that has been laid out.
#[derive(Clone, Debug)]
struct Known {
    part: Part,
    /// Which of the members are its own.
    members: Range<u32>,
}

impl Layouts {
    /// By which rules these layouts are made.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The layout of a type that is no member: matrices are column-major, but by
    /// explicit rules have no layout, as it takes a member's decorations.
    ///
    /// # Errors
    ///
    /// If the type has no layout, or the id is no type.
    pub fn get(&self, ty: Id) -> Result<Layout, NoLayout> {
        let known = self.known(ty);
        known.map_or(Err(NoLayout::Undefined), |known| known.part.layout)
    }

    /// The members of a structure in the order of their numbers; of anything
    /// else, none.
    pub fn members(&self, ty: Id) -> &[Member] {
        let range = self.known(ty).map(|known| known.members.clone());
        let members = range.and_then(|it| self.members.get(it.start as usize..it.end as usize));
        members.unwrap_or_default()
    }

    /// The structure that a type is, or that arrays of it hold.
    pub fn structure_in(&self, ty: Id) -> Option<Id> {
        self.known(ty)?.part.structure
    }

    /// Whether a type has neither been laid out nor been expected before.
    fn expect(&mut self, ty: Id) -> bool {
        self.places.try_insert(ty.0, u32::MAX).is_ok()
    }

    fn known(&self, ty: Id) -> Option<&Known> {
        self.known.get(*self.places.get(&ty.0)? as usize)
    }
}
