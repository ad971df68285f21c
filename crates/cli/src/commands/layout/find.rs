//! What structures are called, and which one is meant.

use std::collections::{HashMap, HashSet};

use spirvkit::analysis::layout::{Layouts, Rules, Types};
use spirvkit::binary::{Id, Instruction, LiteralString};
use spirvkit::grammar::{Decoration, Op};

/// The names in a module, and which structures are blocks.
#[derive(Default)]
pub(super) struct Names {
    ids: HashMap<Id, String>,
    members: HashMap<(Id, u32), String>,
    blocks: HashSet<Id>,
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
    pub(super) fn find(&self, types: &Types<'_>, wanted: &str) -> Result<Vec<Id>, String> {
        let plain = wanted.strip_prefix('%').unwrap_or(wanted);
        let named = self.ids.iter().filter(|(_, name)| *name == plain);
        let mut ids: Vec<Id> = named.map(|(id, _)| *id).collect();
        if ids.is_empty() {
            ids.extend(plain.parse().ok().map(Id));
        }
        let structures = ids.iter().filter_map(|&id| self.structure(types, id));
        let mut structures: Vec<Id> = structures.collect();
        structures.sort_unstable();
        structures.dedup();
        match (structures.is_empty(), ids.is_empty()) {
            (false, _) => Ok(structures),
            (true, false) => Err(format!(
                "`{wanted}` is no structure and leads to none{}",
                self.hint(types, plain)
            )),
            (true, true) => Err(format!(
                "there is no structure `{wanted}`{}",
                self.hint(types, plain)
            )),
        }
    }

    /// Names that may be meant instead.
    fn hint(&self, types: &Types<'_>, wanted: &str) -> String {
        let mut near: Vec<(usize, &str)> = self
            .ids
            .iter()
            .filter(|(id, name)| !name.is_empty() && self.structure(types, **id).is_some())
            .map(|(_, name)| (distance(wanted, name), name.as_str()))
            .collect();
        near.sort_unstable();
        near.dedup();
        let is_near = |&(distance, name): &(usize, &str)| 2 * distance <= name.len();
        let close: Vec<String> = near
            .iter()
            .copied()
            .filter(is_near)
            .map(|(_, name)| format!("`{name}`"))
            .take(3)
            .collect();
        let all: Vec<&str> = near.iter().map(|&(_, name)| name).take(8).collect();
        match (close.is_empty(), all.is_empty()) {
            (false, _) => format!("; did you mean {}?", close.join(" or ")),
            (true, false) => format!("; there are {}", all.join(", ")),
            (true, true) => "; structures have no names here: give an id such as `%12`".into(),
        }
    }
}

/// In how many characters two names differ, whatever their case; of long names, their
/// starts.
fn distance(one: &str, other: &str) -> usize {
    const LONGEST: usize = 64;
    let letters = |text: &str| -> Vec<char> {
        let lower = text.chars().flat_map(char::to_lowercase);
        lower.take(LONGEST).collect()
    };
    let (one, other) = (letters(one), letters(other));
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, a) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (place, b) in other.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// The blocks, and the structures with offsets that are not within one shown before, in
/// the order of their declarations.
pub(super) fn laid_out(types: &Types<'_>, layouts: &[Layouts; 4], names: &Names) -> Vec<Id> {
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
    let is_shown = |ty: &Id| names.is_block(*ty) || has_offsets(ty) && !inner.contains(ty);
    types.iter().filter(is_shown).collect()
}
