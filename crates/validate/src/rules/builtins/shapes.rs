//! The types that built-ins have.

use std::fmt;

use spirvkit_binary::Id;
use spirvkit_grammar::Decoration;

use super::Seed;
use super::table::{ALL, MESH_EXT, PER_VERTEX};
use crate::module::{Lookup, Models, Module, Type};
use crate::pattern::Pattern;

/// The type of a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// The same wherever the built-in is used.
    Is(Pattern),
    /// What stages that see several vertices at once have in arrays, unless it is
    /// in a block: then the block is in the array.
    EachVertex(Pattern),
    /// What mesh shaders have in arrays or in blocks in arrays, and other stages may.
    EachPrimitive(Pattern),
    /// The same, no array in any other stage.
    EachPrimitiveStrict(Pattern),
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(one) => write!(f, "{one}"),
            Self::EachVertex(one) => write!(f, "{one} for each vertex"),
            Self::EachPrimitive(one) | Self::EachPrimitiveStrict(one) => write!(
                f,
                "{one}, for each primitive in the `MeshEXT` execution model"
            ),
        }
    }
}

/// Whether a type is an array with a length, of what is so.
fn is_array_of(m: &Module<'_>, ty: Id, wanted: Pattern) -> bool {
    matches!(m.ty(ty), Type::Array { element, .. } if wanted.matches(m, element))
}

impl Shape {
    /// Whether the type depends on the stage.
    pub(super) fn varies(self) -> bool {
        !matches!(self, Self::Is(_))
    }

    /// Whether there is one for each vertex where a stage sees several.
    pub(super) fn is_for_vertices(self) -> bool {
        matches!(self, Self::EachVertex(_))
    }

    /// The execution models in which an object of this type can't be the built-in.
    pub(super) fn misfits(self, m: &Module<'_>, seed: &Seed) -> Models {
        let ty = seed.ty;
        if ty == Id(0) {
            return NONE;
        }
        let fits_in_array = |one| seed.member.is_none() && is_array_of(m, ty, one);
        match self {
            Self::Is(one) | Self::EachVertex(one) if one.matches(m, ty) => NONE,
            Self::EachVertex(one) if fits_in_array(one) => ALL.without(PER_VERTEX),
            Self::Is(_) | Self::EachVertex(_) => ALL,
            Self::EachPrimitive(one) | Self::EachPrimitiveStrict(one) => {
                let may_be_array = matches!(self, Self::EachPrimitive(_));
                let fits = one.matches(m, ty) || may_be_array && fits_in_array(one);
                let mesh = match fits_mesh(m, one, seed) {
                    true => NONE,
                    false => MESH_EXT,
                };
                let other = if fits { NONE } else { ALL.without(MESH_EXT) };
                mesh.or(other)
            }
        }
    }
}

const NONE: Models = Models::of(&[]);

/// In a mesh shader, what belongs to primitives is an array, or a member of a
/// block of which there is an array. How wide it is, doesn't matter.
fn fits_mesh(m: &Module<'_>, one: Pattern, seed: &Seed) -> bool {
    let one = one.widths(&[]);
    let is_in_block = seed.member.is_some() && m.is_decorated(seed.target, Decoration::Block);
    is_array_of(m, seed.ty, one) || is_in_block && one.matches(m, seed.ty)
}
