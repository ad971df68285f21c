//! The types that built-ins have.

use std::fmt;

use spirvkit_binary::Id;

use super::Seed;
use super::table::{ALL, MESH_EXT, PER_VERTEX};
use crate::module::{Lookup, Models, Module, Type};

/// The type of a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    /// An integer of any width.
    Int,
    I32,
    I32Vec(u32),
    I32Array,
    I32VecArray(u32),
    F32,
    F32Vec(u32),
    /// An array of this length.
    F32Array(u32),
    /// An array of so many vectors of so many components.
    F32VecArray(u32, u32),
    /// Four columns of three components.
    F32Mat4x3,
    /// What stages that see several vertices at once have in arrays, unless it is
    /// in a block: then the block is in the array.
    VertexF32,
    VertexF32Vec(u32),
    /// The same for arrays of any length.
    VertexF32Array,
    /// What mesh shaders have in arrays or in blocks in arrays.
    PrimitiveI32,
    /// The same, no array in any other stage.
    PrimitiveStrictI32,
    PrimitiveBool,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "a boolean"),
            Self::Int => write!(f, "an integer"),
            Self::I32 => write!(f, "a 32-bit integer"),
            Self::I32Vec(count) => write!(f, "a {count}-component vector of 32-bit integers"),
            Self::I32Array => write!(f, "an array of 32-bit integers"),
            Self::I32VecArray(count) => {
                write!(
                    f,
                    "an array of {count}-component vectors of 32-bit integers"
                )
            }
            Self::F32 => write!(f, "a 32-bit float"),
            Self::F32Vec(count) => write!(f, "a {count}-component vector of 32-bit floats"),
            Self::F32Array(count) => write!(f, "an array of {count} 32-bit floats"),
            Self::F32VecArray(length, count) => {
                write!(
                    f,
                    "an array of {length} {count}-component vectors of 32-bit floats"
                )
            }
            Self::F32Mat4x3 => write!(f, "a 4-column matrix of 3-component 32-bit floats"),
            Self::VertexF32 => write!(f, "a 32-bit float for each vertex"),
            Self::VertexF32Vec(count) => {
                write!(
                    f,
                    "a {count}-component vector of 32-bit floats for each vertex"
                )
            }
            Self::VertexF32Array => write!(f, "an array of 32-bit floats for each vertex"),
            Self::PrimitiveI32 | Self::PrimitiveStrictI32 => write!(
                f,
                "a 32-bit integer, for each primitive in the `MeshEXT` execution model"
            ),
            Self::PrimitiveBool => write!(f, "a boolean for each primitive"),
        }
    }
}

fn is_float_vector(m: &Module<'_>, ty: Id, size: u32) -> bool {
    matches!(m.ty(ty), Type::Vector { component, count }
        if count == size && m.is_float_scalar_of(component, 32))
}

fn is_int_vector(m: &Module<'_>, ty: Id, size: u32) -> bool {
    matches!(m.ty(ty), Type::Vector { component, count }
        if count == size && m.is_int_scalar_of(component, 32))
}

/// The element of an array with a length.
fn element(m: &Module<'_>, ty: Id) -> Option<Id> {
    match m.ty(ty) {
        Type::Array { element, .. } => Some(element),
        _ => None,
    }
}

/// Whether the element of an array passes a test.
fn in_array(m: &Module<'_>, ty: Id, test: impl Fn(Id) -> bool) -> bool {
    element(m, ty).is_some_and(test)
}

/// An array of which the length is this, or is not known before specialization.
fn has_length(m: &Module<'_>, ty: Id, wanted: u32) -> bool {
    m.array_length(ty)
        .is_none_or(|length| length == u64::from(wanted))
}

impl Shape {
    /// Whether the type fits wherever the built-in is used.
    fn fits(self, m: &Module<'_>, ty: Id) -> bool {
        let is_int = |ty: Id| m.is_int_scalar_of(ty, 32);
        let is_float = |ty: Id| m.is_float_scalar_of(ty, 32);
        match self {
            Self::Bool => m.is_bool_scalar(ty),
            Self::Int => m.is_int_scalar(ty),
            Self::I32 | Self::PrimitiveI32 | Self::PrimitiveStrictI32 => is_int(ty),
            Self::I32Vec(count) => is_int_vector(m, ty, count),
            Self::I32Array => in_array(m, ty, is_int),
            Self::I32VecArray(count) => in_array(m, ty, |ty| is_int_vector(m, ty, count)),
            Self::F32 | Self::VertexF32 => is_float(ty),
            Self::F32Vec(count) | Self::VertexF32Vec(count) => is_float_vector(m, ty, count),
            Self::F32Array(length) => in_array(m, ty, is_float) && has_length(m, ty, length),
            Self::F32VecArray(length, count) => {
                in_array(m, ty, |ty| is_float_vector(m, ty, count)) && has_length(m, ty, length)
            }
            Self::F32Mat4x3 => matches!(m.ty(ty), Type::Matrix { column, count: 4 }
                if is_float_vector(m, column, 3)),
            Self::VertexF32Array => in_array(m, ty, is_float),
            Self::PrimitiveBool => m.is_bool_scalar(ty),
        }
    }

    /// Whether the type fits in an array over vertices or primitives.
    fn fits_in_array(self, m: &Module<'_>, ty: Id) -> bool {
        in_array(m, ty, |element| self.fits(m, element))
    }

    /// Whether the type depends on the stage.
    pub(super) fn varies(self) -> bool {
        matches!(
            self,
            Self::VertexF32
                | Self::VertexF32Vec(_)
                | Self::VertexF32Array
                | Self::PrimitiveI32
                | Self::PrimitiveStrictI32
                | Self::PrimitiveBool
        )
    }

    /// Whether there is one for each vertex where a stage sees several.
    pub(super) fn is_for_vertices(self) -> bool {
        matches!(
            self,
            Self::VertexF32 | Self::VertexF32Vec(_) | Self::VertexF32Array
        )
    }

    /// The execution models in which an object of this type can't be the built-in.
    pub(super) fn misfits(self, m: &Module<'_>, seed: &Seed) -> Models {
        let ty = seed.ty;
        if ty == Id(0) {
            return NONE;
        }
        match self {
            Self::VertexF32 | Self::VertexF32Vec(_) | Self::VertexF32Array => {
                let arrayed = if self.fits(m, ty) {
                    return NONE;
                } else {
                    seed.member.is_none() && self.fits_in_array(m, ty)
                };
                match arrayed {
                    true => ALL.without(PER_VERTEX),
                    false => ALL,
                }
            }
            Self::PrimitiveI32 | Self::PrimitiveStrictI32 | Self::PrimitiveBool => {
                let fits = match self {
                    Self::PrimitiveI32 => {
                        self.fits(m, ty) || seed.member.is_none() && self.fits_in_array(m, ty)
                    }
                    _ => self.fits(m, ty),
                };
                let mesh = match fits_mesh(m, self, seed) {
                    true => NONE,
                    false => MESH_EXT,
                };
                let other = if fits { NONE } else { ALL.without(MESH_EXT) };
                mesh.or(other)
            }
            _ => match self.fits(m, ty) {
                true => NONE,
                false => ALL,
            },
        }
    }
}

const NONE: Models = Models::of(&[]);

/// In a mesh shader, what belongs to primitives is an array, or a member of a
/// block of which there is an array.
fn fits_mesh(m: &Module<'_>, shape: Shape, seed: &Seed) -> bool {
    let is_wanted = |ty: Id| match shape {
        Shape::PrimitiveBool => m.is_bool_scalar(ty),
        _ => m.is_int_scalar(ty),
    };
    if in_array(m, seed.ty, is_wanted) {
        return true;
    }
    let in_block =
        seed.member.is_some() && m.is_decorated(seed.target, spirvkit_grammar::Decoration::Block);
    in_block && is_wanted(seed.ty)
}
