//! How much memory types take.

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::layout::{Layout, Layouts, Rules, Types};
use spirvkit_binary::Id;

/// Types as they lie in memory: blocks where decorations say, others as by the rules for storage
/// buffers.
pub(super) struct Laid {
    blocks: Layouts,
    others: Layouts,
}

impl Laid {
    pub(super) fn of(
        m: &ModuleIndex<'_>,
        types: &Types<'_>,
        held: impl Iterator<Item = Id>,
    ) -> Self {
        let (blocks, others): (Vec<Id>, Vec<Id>) = held.partition(|&ty| m.is_block(ty));
        Self {
            blocks: types.lay_out_some(Rules::Explicit, &blocks),
            others: types.lay_out_some(Rules::Std430, &others),
        }
    }

    /// The layout of one of these types, if it has any.
    pub(super) fn get(&self, m: &ModuleIndex<'_>, ty: Id) -> Option<Layout> {
        let layouts = match m.is_block(ty) {
            true => &self.blocks,
            false => &self.others,
        };
        layouts.get(ty).ok()
    }
}
