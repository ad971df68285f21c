//! What structures are called, and which ones are meant.

use std::collections::{HashMap, HashSet};

use spirvkit::analysis::layout::{Layouts, Rules, Types};
use spirvkit::binary::{Id, Instruction, LiteralString};
use spirvkit::grammar::{Decoration, Op};
use spirvkit::text::IdNames;

use crate::look::ids::{Ids, Trouble};

/// The names in a module, and which structures are blocks.
#[derive(Default)]
pub(super) struct Names {
    ids: HashMap<Id, String>,
    members: HashMap<(Id, u32), String>,
    blocks: HashSet<Id>,
    /// The structures with members that are built-ins.
    built_ins: HashSet<Id>,
    /// What to look at for an id that is no structure: the type of a variable, what a
    /// pointer points to.
    leads_to: HashMap<Id, Id>,
}

impl Names {
    pub(super) fn of<'a>(instructions: impl Iterator<Item = Instruction<'a>>) -> Self {
        let mut names = Self::default();
        let text = |words| LiteralString::at_start_of(words).map(|it| it.to_text_lossy());
        let is_block = |decoration| {
            let decoration = Decoration(decoration);
            decoration == Decoration::Block || decoration == Decoration::BufferBlock
        };
        for instruction in instructions {
            match (instruction.op(), instruction.operand_words()) {
                (Op::Name, &[id, ref name @ ..]) => {
                    names.ids.extend(text(name).map(|name| (Id(id), name)));
                }
                (Op::MemberName, &[id, member, ref name @ ..]) => {
                    let name = text(name).map(|name| ((Id(id), member), name));
                    names.members.extend(name);
                }
                (Op::MemberDecorate, &[id, _, decoration, ..])
                    if Decoration(decoration) == Decoration::BuiltIn =>
                {
                    names.built_ins.insert(Id(id));
                }
                (Op::Decorate, &[id, decoration, ..]) if is_block(decoration) => {
                    names.blocks.insert(Id(id));
                }
                (Op::GroupDecorate, &[group, ref targets @ ..])
                    if names.blocks.contains(&Id(group)) =>
                {
                    names.blocks.extend(targets.iter().map(|&id| Id(id)));
                }
                (Op::TypePointer, &[id, _, pointee, ..]) => {
                    names.leads_to.insert(Id(id), Id(pointee));
                }
                (Op::Variable | Op::FunctionParameter, _) => {
                    let own = instruction.result().zip(instruction.result_type());
                    names.leads_to.extend(own);
                }
                _ => {}
            }
        }
        names
    }

    /// Whether a structure is an interface block.
    pub(super) fn is_block(&self, id: Id) -> bool {
        self.blocks.contains(&id)
    }

    /// The name of an id, if it has one.
    pub(super) fn name(&self, id: Id) -> Option<&str> {
        let name = self.ids.get(&id).map(String::as_str);
        name.filter(|name| !name.is_empty())
    }

    /// The name of a member, if it has one.
    pub(super) fn member(&self, structure: Id, member: u32) -> Option<&str> {
        let name = self.members.get(&(structure, member)).map(String::as_str);
        name.filter(|name| !name.is_empty())
    }

    /// The structure that an id is or leads to.
    fn structure(&self, types: &Types<'_>, id: Id) -> Option<Id> {
        let mut id = id;
        // From a variable to its type, and from pointer to pointer.
        for _ in 0..8 {
            if let Some(structure) = types.structure_in(id) {
                return Some(structure);
            }
            id = *self.leads_to.get(&id)?;
        }
        None
    }

    /// The structures that a name or an id stands for.
    pub(super) fn find(
        &self,
        types: &Types<'_>,
        names: &IdNames<'_>,
        wanted: &str,
    ) -> Result<Vec<Id>, Trouble> {
        let ids = Ids {
            names,
            noun: "structure",
            is_one: &|id| self.structure(types, id).is_some(),
        };
        let found = ids.all(wanted)?;
        let structures = found.iter().filter_map(|&id| self.structure(types, id));
        let mut structures: Vec<Id> = structures.collect();
        structures.sort_unstable();
        structures.dedup();
        Ok(structures)
    }
}

/// The blocks, and the structures with offsets that are not within one shown before, in
/// the order of their declarations; those of built-ins only if they are wanted.
pub(super) fn laid_out(
    types: &Types<'_>,
    layouts: &[Layouts; 4],
    names: &Names,
    built_ins: bool,
) -> Vec<Id> {
    let explicit = &layouts[Rules::Explicit as usize];
    let mut inner = HashSet::new();
    for ty in types.iter() {
        let members = explicit.members(ty).iter();
        inner.extend(members.filter_map(|member| types.structure_in(member.ty)));
    }
    let has_offsets = |&ty: &Id| {
        let mut members = explicit.members(ty).iter();
        members.any(|member| member.offset.is_ok())
    };
    let is_laid_out = |ty: &Id| names.is_block(*ty) || has_offsets(ty) && !inner.contains(ty);
    let is_shown = |ty: &Id| is_laid_out(ty) && (built_ins || !names.built_ins.contains(ty));
    types.iter().filter(is_shown).collect()
}
