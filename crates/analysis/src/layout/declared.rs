//! Layouts that decorations declare, for those who check them or keep values by them.

use core::fmt;

use alloc::vec::Vec;

use spirvkit_binary::Id;

use super::compute::Engine;
use super::{Extent, Layout, MatrixDecorations, Member, Rules, Types};

/// Gives the size and the alignment, in bytes, of a type for which no rules have any.
/// The alignment is above 0.
pub type OpaqueLayout<'t> = &'t dyn Fn(Id) -> (u64, u64);

/// Types that lie where decorations say, like those by [`Rules::Explicit`], but are
/// aligned by other rules: what checks take which compare the two. Types are laid out
/// when they are asked for.
///
/// Everything has a layout. What decorations don't say, and numbers that depend on
/// specialization or are decided at run time, count as zeros, so sizes are the least
/// that there may be. Members and arrays tell which offsets and strides that are. Nothing
/// is taken for granted of the alignment of matrices without an order, nor of arrays
/// without a stride of what the rules have no layout for.
/// [Otherwise](Self::or_natural), rules stand in for decorations that are missing.
pub struct DeclaredLayouts<'t> {
    engine: Engine<'t>,
}

impl<'t> DeclaredLayouts<'t> {
    /// Nothing laid out yet. By [`Rules::Explicit`], types are aligned as by
    /// [`Rules::Scalar`].
    pub fn new(types: &'t Types<'t>, alignment: Rules, opaque: OpaqueLayout<'t>) -> Self {
        let engine = Engine::declared(types, alignment, opaque);
        Self { engine }
    }

    /// The same for those who keep values in memory: what decorations don't place lies
    /// naturally, as by [`Rules::Scalar`], but with physical addressing, vectors lie as
    /// in OpenCL C (section 6.3.5): aligned to their size, three components in the room
    /// of four. Members of a `CPacked` structure stand right behind each other. A type without decorations may hold one with them, and the other way
    /// round. A member's decorations place matrices if all arrays of them that it holds
    /// have an `ArrayStride`, too.
    ///
    /// Sizes end with the last byte that is used; what is to stand right behind begins at
    /// the next multiple of its alignment.
    pub fn or_natural(types: &'t Types<'t>, opaque: OpaqueLayout<'t>) -> Self {
        let engine = Engine::declared_or_natural(types, opaque);
        Self { engine }
    }

    /// Lays out a type and all that it is made of, but for what has been laid out
    /// before. Returns the structures, arrays and matrices that have not, in the order of
    /// their declarations, so that each comes after its parts.
    pub fn lay_out(&mut self, root: Id) -> Vec<Id> {
        self.engine.lay_out_with_parts(root)
    }

    /// The layout of a type that has been laid out, or that is no structure, array or
    /// matrix.
    pub fn get(&self, ty: Id) -> Layout {
        self.in_member(ty, MatrixDecorations::default())
    }

    /// The same in a member with these decorations.
    pub fn in_member(&self, ty: Id, decorations: MatrixDecorations) -> Layout {
        let layout = self.engine.in_member(self.engine.known(ty), decorations);
        layout.unwrap_or(Layout::of(Extent::Fixed(0), 1))
    }

    /// The members of a structure that has been laid out; of anything else, none.
    pub fn members(&self, ty: Id) -> &[Member] {
        self.engine.layouts.members(ty)
    }
}

impl fmt::Debug for DeclaredLayouts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.engine.layouts.fmt(f)
    }
}
