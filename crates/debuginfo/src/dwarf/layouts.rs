//! Layouts of structures of which the module tells none.
//!
//! Shading languages leave the layout of many structures to whoever compiles the module,
//! and producers write 0 for sizes and offsets then. Parts of a variable must be
//! distinguished all the same, so such structures get a layout here: member after member, without
//! gaps.

use std::cell::RefCell;
use std::collections::HashMap;

use super::units::Writer;
use crate::{Entry, Kind, Tag};

/// The layouts that were made up.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    /// The sizes of structures, in bits.
    sizes: HashMap<u32, u64>,
    /// The offsets of members, in bits.
    offsets: HashMap<u32, u64>,
    /// The numbers of elements of arrays, which are products of very many numbers for some.
    elements: RefCell<HashMap<u32, Option<u64>>>,
}

impl<'w> Writer<'w> {
    /// Makes up layouts, of what is inside others first, as modules have it.
    pub(super) fn lay_out(&mut self) {
        let info = self.info;
        for composite in info.of_kind(Kind::TypeComposite) {
            let is_sized = composite.size_in_bits() != Some(0);
            if is_sized || composite.tag() == Some(Tag::Union) {
                continue;
            }
            let members: Vec<Entry<'w>> = composite
                .members()
                .filter(|member| member.kind() == Kind::TypeMember)
                .collect();
            if members
                .iter()
                .any(|member| member.offset_in_bits() != Some(0))
            {
                continue;
            }
            let mut size = 0_u64;
            for member in members {
                self.layouts.offsets.insert(member.id().0, size);
                let declared = member.size_in_bits().filter(|&size| size > 0);
                let of_type = || member.type_().and_then(|ty| self.size_of(ty));
                // An array without a length stands at the end.
                size = size.saturating_add(declared.or_else(of_type).unwrap_or(0));
            }
            self.layouts.sizes.insert(composite.id().0, size);
        }
    }

    /// The offset of a member in bits: what the module tells, or what was made up.
    pub(super) fn offset_of(&self, member: Entry<'w>) -> Option<u64> {
        let made_up = self.layouts.offsets.get(&member.id().0).copied();
        made_up.or_else(|| member.offset_in_bits())
    }

    /// The number of elements of an array of any number of dimensions.
    pub(super) fn elements_of(&self, array: Entry<'w>) -> Option<u64> {
        let product = || {
            let mut counts = array.dimensions();
            counts.try_fold(1_u64, |product, count| product.checked_mul(count?))
        };
        let mut known = self.layouts.elements.borrow_mut();
        *known.entry(array.id().0).or_insert_with(product)
    }

    /// The size of a type that has one of its own, in bits.
    pub(super) fn own_size(&self, ty: Entry<'w>) -> Option<u64> {
        let made_up = self.layouts.sizes.get(&ty.id().0).copied();
        made_up
            .or_else(|| ty.size_in_bits())
            .filter(|&size| size > 0)
    }
}
