//! Vectors that cross boundaries of 16 bytes, which relaxed rules forbid (Vulkan, section
//! "Offset and Stride Assignment").
//!
//! The *straddles* of a type are the offsets, modulo 16, at which a vector within it
//! would cross a boundary that it must not cross: one bit each.

use spirvkit_analysis::layout::{Extent, Layout};
use spirvkit_binary::Id;

use super::checker::{Checker, least};
use crate::module::{Lookup, Module, Type};

impl Checker<'_, '_> {
    /// The straddles of a type that has been checked.
    pub(super) fn straddles(&self, ty: Id, layout: &Layout) -> u16 {
        if !self.rules.relaxed || self.rules.is_scalar() {
            return 0;
        }
        match is_short_vector(self.m, ty) {
            true => vector(least(layout.size)),
            false => self.straddles.get(&ty.0).copied().unwrap_or(0),
        }
    }

    /// The members of a structure within which a vector crosses a boundary where the
    /// structure begins at one. Members that are vectors have been checked.
    pub(super) fn straddling(&self, structure: Id) -> Vec<usize> {
        let all = self.straddles.get(&structure.0).copied().unwrap_or(0);
        if all & 1 == 0 {
            return Vec::new();
        }
        let members = self.layouts.members(structure).iter().enumerate();
        let straddling = members.filter(|(_, member)| {
            let (Ok(Extent::Fixed(offset)), Ok(layout)) = (member.offset, member.layout) else {
                return false;
            };
            !self.m.is_vector(member.ty)
                && shifted(self.straddles(member.ty, &layout), offset) & 1 != 0
        });
        straddling.map(|(index, _)| index).collect()
    }
}

/// Those longer than 4 are aligned as their components are, and may stand anywhere.
fn is_short_vector(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Vector { count, .. } => count <= 4,
        Type::LongVector { count, .. } => m.constant_u64(count).unwrap_or(0) <= 4,
        _ => false,
    }
}

/// The straddles of a vector of so many bytes: one of up to 16 may end at a boundary, a
/// larger one must begin at one.
fn vector(size: u64) -> u16 {
    match size {
        0 => 0,
        1..=16 => (u32::from(u16::MAX) << (17 - size)) as u16,
        _ => !1,
    }
}

/// The straddles of something that is at an offset within something else.
pub(super) fn shifted(straddles: u16, offset: u64) -> u16 {
    straddles.rotate_right((offset % 16) as u32)
}

/// The straddles of an array of so many elements. Without any it has those of one.
pub(super) fn repeated(element: u16, stride: u64, count: u64) -> u16 {
    // 16 strides lead to each offset modulo 16 to which any number leads.
    let offsets = (0..count.clamp(1, 16)).map(|index| index.wrapping_mul(stride));
    offsets.fold(0, |all, offset| all | shifted(element, offset))
}
