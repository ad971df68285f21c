//! What structures are called, and which ones are meant.

use std::collections::HashSet;

use spirvkit::analysis::layout::{Layouts, Types};
use spirvkit::analysis::{Lookup, ModuleIndex};
use spirvkit::binary::{Id, LiteralString};
use spirvkit::grammar::Op;
use spirvkit::text::IdNames;

use crate::look::ids::{Ids, Trouble};

/// A name that isn't empty.
pub(super) fn text(name: Option<LiteralString<'_>>) -> Option<String> {
    let name = name?.to_text_lossy();
    (!name.is_empty()).then_some(name)
}

/// The structure that an id is or leads to.
fn structure(index: &ModuleIndex<'_>, layouts: &Layouts, id: Id) -> Option<Id> {
    let mut id = id;
    // From a variable to its type, and from pointer to pointer.
    for _ in 0..8 {
        if let Some(structure) = layouts.structure_in(id) {
            return Some(structure);
        }
        id = match index.op_of(id) {
            Op::Variable | Op::FunctionParameter => index.type_of(id)?,
            _ => index.pointee(id)?,
        };
    }
    None
}

/// The structures that a name or an id stands for.
pub(super) fn named(
    index: &ModuleIndex<'_>,
    layouts: &Layouts,
    names: &IdNames<'_>,
    wanted: &str,
) -> Result<Vec<Id>, Trouble> {
    let ids = Ids {
        names,
        noun: "structure",
        is_one: &|id| structure(index, layouts, id).is_some(),
    };
    let found = ids.all(wanted)?;
    let structures = found.iter().filter_map(|&id| structure(index, layouts, id));
    let mut structures: Vec<Id> = structures.collect();
    structures.sort_unstable();
    structures.dedup();
    Ok(structures)
}

/// The blocks, and the structures with offsets that are not within one shown before, in
/// the order of their declarations; those of built-ins only if they are wanted. The
/// layouts are by [`Rules::Explicit`](spirvkit::analysis::layout::Rules::Explicit).
pub(super) fn laid_out(
    types: &Types<'_>,
    declared: &Layouts,
    index: &ModuleIndex<'_>,
    built_ins: bool,
) -> Vec<Id> {
    let mut inner = HashSet::new();
    for ty in types.iter() {
        let members = declared.members(ty).iter();
        inner.extend(members.filter_map(|member| declared.structure_in(member.ty)));
    }
    let has_offsets = |&ty: &Id| {
        let mut members = declared.members(ty).iter();
        members.any(|member| member.offset.is_ok())
    };
    let is_laid_out = |ty: &Id| index.is_block(*ty) || has_offsets(ty) && !inner.contains(ty);
    let has_built_ins = |ty: &Id| index.structure_facts(*ty).has_built_ins;
    let is_shown = |ty: &Id| is_laid_out(ty) && (built_ins || !has_built_ins(ty));
    types.iter().filter(is_shown).collect()
}
