//! Decorations by target.

use alloc::vec::Vec;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, OperandKind};

use super::role::Role;
use super::{Inst, Lookup, ModuleIndex};

/// Where an annotation is: an instruction's offset or, for an
/// `OpGroupMemberDecorate`, which may be about many structures, that of the first
/// pair of a structure and a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

const IN_PAIRS: u32 = 1 << 31;

impl Place {
    #[inline]
    pub(super) fn of(inst: Inst<'_>) -> Self {
        Self(inst.offset())
    }

    #[inline]
    fn word(self) -> u32 {
        self.0 & !IN_PAIRS
    }

    #[inline]
    fn is_in_pairs(self) -> bool {
        self.0 & IN_PAIRS != 0
    }
}

/// A decoration as it applies to a target, directly or through a group.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Decorated<'a> {
    /// The instruction that holds the decoration.
    pub inst: Inst<'a>,
    /// The member that it decorates, if it is one.
    pub member: Option<u32>,
    /// Which one it is.
    pub decoration: Decoration,
    /// The words of the decoration's operands.
    pub params: &'a [u32],
}

impl<'a> Decorated<'a> {
    /// What an `Op(Member)Decorate(Id|String)` says.
    #[inline]
    pub fn new(inst: Inst<'a>) -> Option<Self> {
        let (member, at) = match inst.op() {
            op if op.is_decorate() => (None, 2),
            op if op.is_member_decorate() => (Some(inst.word(2)), 3),
            _ => return None,
        };
        let (&decoration, params) = inst.words().get(at..)?.split_first()?;
        Some(Self {
            inst,
            member,
            decoration: Decoration(decoration),
            params,
        })
    }

    /// An operand; 0 if it is missing.
    pub fn param(&self, index: usize) -> u32 {
        self.params.get(index).copied().unwrap_or(0)
    }
}

/// What decorations say of a structure as a whole.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct StructureFacts {
    /// Decorated `Block`.
    pub is_block: bool,
    /// Decorated `BufferBlock`.
    pub is_buffer_block: bool,
    /// A member is a built-in.
    pub has_built_ins: bool,
    /// A member is `Invariant`.
    pub has_invariants: bool,
}

impl StructureFacts {
    /// Whether it is a block of either kind.
    pub fn is_any_block(self) -> bool {
        self.is_block || self.is_buffer_block
    }
}

/// Where annotations stand.
#[derive(Debug)]
pub(super) struct Annotated {
    /// Target and where, sorted.
    entries: Vec<(u32, Place)>,
    /// The offsets of all `OpGroupMemberDecorate`.
    member_groups: Vec<u32>,
    has_groups: bool,
}

impl Annotated {
    pub(super) fn with_capacity(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            member_groups: Vec::new(),
            has_groups: false,
        }
    }

    /// Notes what an annotation instruction of this role is about.
    #[inline]
    pub(super) fn note(&mut self, inst: Inst<'_>, role: Role) {
        match role {
            Role::Decoration => self.entries.push((inst.arg(0), Place::of(inst))),
            Role::GroupDecoration => {
                let targets = inst.args().iter().skip(1);
                let place = Place::of(inst);
                self.entries.extend(targets.map(|&target| (target, place)));
            }
            Role::GroupMemberDecoration => self.note_group_members(inst),
            _ => self.has_groups = true,
        }
    }

    /// Notes each run of pairs with the same structure.
    fn note_group_members(&mut self, inst: Inst<'_>) {
        self.member_groups.push(inst.offset());
        let pairs = inst.args().get(1..).unwrap_or_default().chunks(2);
        let mut last = None;
        for (index, pair) in pairs.enumerate() {
            if last.replace(pair[0]) != Some(pair[0]) {
                let word = inst.offset() + 2 + 2 * index as u32;
                self.entries.push((pair[0], Place(word | IN_PAIRS)));
            }
        }
    }
}

/// Structures by id.
pub(super) type Structures = HashMap<u32, StructureFacts>;

/// A key by which decorations are the same: its decoration, and which attribute of a
/// parameter, because several say different things. Unknown ones count as
/// one, for there may be any number of them.
fn what_it_says(decorated: &Decorated<'_>) -> (u32, u32) {
    const UNKNOWN: u32 = u32::MAX;
    let known = |kind: OperandKind, value: u32| kind.enumerant(value).map_or(UNKNOWN, |_| value);
    let attribute = match decorated.decoration {
        Decoration::FuncParamAttr => {
            known(OperandKind::FunctionParameterAttribute, decorated.param(0))
        }
        _ => 0,
    };
    (
        known(OperandKind::Decoration, decorated.decoration.0),
        attribute,
    )
}

/// How often a group may say the same of its targets. Twice is enough to see that
/// something is repeated that must not be. What may be repeated with other operands is
/// so a few times at most in any module that isn't made to take long.
fn most_times(decoration: Decoration) -> u32 {
    match decoration {
        // Of which each attribute counts for itself.
        Decoration::FuncParamAttr => 2,
        _ if decoration.may_repeat() => 64,
        _ => 2,
    }
}

impl<'a> ModuleIndex<'a> {
    /// What decorations say of a structure as a whole. The first call looks at
    /// all decorations; asking is cheap, however many members there are.
    pub fn structure_facts(&self, ty: Id) -> StructureFacts {
        let all = self.structures.get_or_init(|| {
            let mut all = Structures::new();
            for id in self.decorated_ids().filter(|&id| self.is_struct(id)) {
                let mut facts = StructureFacts::default();
                for decorated in self.decorations(id) {
                    match (decorated.decoration, decorated.member) {
                        (Decoration::Block, None) => facts.is_block = true,
                        (Decoration::BufferBlock, None) => facts.is_buffer_block = true,
                        (Decoration::BuiltIn, Some(_)) => facts.has_built_ins = true,
                        (Decoration::Invariant, Some(_)) => facts.has_invariants = true,
                        _ => {}
                    }
                }
                all.insert(id.0, facts);
            }
            all
        });
        all.get(&ty.0).copied().unwrap_or_default()
    }

    /// Whether a type is a structure with `Block` or `BufferBlock`.
    pub fn is_block(&self, ty: Id) -> bool {
        self.structure_facts(ty).is_any_block()
    }

    /// Sorts the annotations, and leaves out what groups say too often: it is spelled
    /// out for each target, and could be of any length.
    pub(super) fn sort_annotations(&mut self) {
        let mut annotations = core::mem::take(&mut self.annotations.entries);
        annotations.sort_unstable_by_key(|entry| (entry.0, entry.1.word()));
        if !self.annotations.has_groups {
            self.annotations.entries = annotations;
            return;
        }
        let mut group = None;
        let mut said: HashMap<(u32, u32), u32> = HashMap::new();
        annotations.retain(|&(target, place)| {
            if group != Some(target) {
                if self.op_of(Id(target)) != Op::DecorationGroup {
                    return true;
                }
                group = Some(target);
                said.clear();
            }
            let decorated = self.inst(place.word()).and_then(Decorated::new);
            let Some(decorated) = decorated.filter(|_| !place.is_in_pairs()) else {
                // A group of groups, which there isn't.
                return false;
            };
            let times = said.entry(what_it_says(&decorated)).or_default();
            *times += 1;
            *times <= most_times(decorated.decoration)
        });
        self.annotations.entries = annotations;
    }

    /// An annotation and, for an `OpGroupMemberDecorate`, the pairs of one target
    /// and its members.
    #[inline]
    fn annotation(&self, (target, place): (u32, Place)) -> Option<(Inst<'a>, &'a [u32])> {
        if !place.is_in_pairs() {
            return Some((self.inst(place.word())?, &[]));
        }
        let groups = &self.annotations.member_groups;
        let after = groups.partition_point(|&start| start <= place.word());
        let inst = self.inst(*groups.get(after.checked_sub(1)?)?)?;
        let pairs = inst
            .words()
            .get((place.word() - inst.offset()) as usize..)?;
        let own = pairs.chunks(2).take_while(|pair| pair[0] == target).count();
        Some((inst, pairs.get(..2 * own).unwrap_or(pairs)))
    }

    /// The annotations of a target, and those of others behind them.
    #[inline]
    fn annotations_from(&self, target: Id) -> Annotations<'_> {
        let entries = &self.annotations.entries;
        let start = entries.partition_point(|entry| entry.0 < target.0);
        Annotations {
            target: target.0,
            rest: entries.get(start..).unwrap_or_default(),
        }
    }

    /// Every id that is decorated, directly or through a group, or whose members
    /// are; each once, in the order of the ids.
    pub fn decorated_ids(&self) -> impl Iterator<Item = Id> + '_ {
        let targets = self.annotations.entries.chunk_by(|a, b| a.0 == b.0);
        targets.filter_map(|group| Some(Id(group.first()?.0)))
    }

    /// All decorations of an id and of its members, in module order; those included
    /// that an `OpDecorationGroup` collects for it. (What isn't a group collects none.)
    #[inline]
    pub fn decorations(&self, target: Id) -> Decorations<'_, 'a> {
        Decorations {
            m: self,
            rest: self.annotations_from(target),
            group: None,
        }
    }

    /// The decorations of an id itself, not of its members.
    #[inline]
    pub fn own_decorations(&self, target: Id) -> impl Iterator<Item = Decorated<'a>> + '_ {
        self.decorations(target)
            .filter(|decorated| decorated.member.is_none())
    }

    /// The decorations of a structure's member.
    #[inline]
    pub fn member_decorations(
        &self,
        target: Id,
        member: u32,
    ) -> impl Iterator<Item = Decorated<'a>> + '_ {
        self.decorations(target)
            .filter(move |decorated| decorated.member == Some(member))
    }

    /// Whether an id itself has a decoration.
    pub fn is_decorated(&self, target: Id, decoration: Decoration) -> bool {
        self.decoration(target, decoration).is_some()
    }

    /// An id's own decoration of this kind, the first if there are several.
    pub fn decoration(&self, target: Id, decoration: Decoration) -> Option<Decorated<'a>> {
        self.own_decorations(target)
            .find(|decorated| decorated.decoration == decoration)
    }

    /// A member's decoration of this kind.
    pub fn member_decoration(
        &self,
        target: Id,
        member: u32,
        decoration: Decoration,
    ) -> Option<Decorated<'a>> {
        self.member_decorations(target, member)
            .find(|decorated| decorated.decoration == decoration)
    }

    /// Whether the id or any of its members has a decoration.
    pub fn has_decoration_anywhere(&self, target: Id, decoration: Decoration) -> bool {
        self.decorations(target)
            .any(|decorated| decorated.decoration == decoration)
    }
}

impl<'a> ModuleIndex<'a> {
    /// Everything that has a decoration, by id, with the decoration: directly or
    /// through groups, the members of structures included. Groups themselves are
    /// among the targets. Looks at all annotations of the module.
    pub fn all_decorated_with(
        &self,
        decoration: Decoration,
    ) -> impl Iterator<Item = (Id, Decorated<'a>)> + '_ {
        let mut last = 0;
        self.annotations
            .entries
            .iter()
            .filter(move |entry| {
                let Some((inst, _)) = self.annotation(**entry) else {
                    return false;
                };
                let names_it =
                    Decorated::new(inst).is_none_or(|decorated| decorated.decoration == decoration);
                names_it && core::mem::replace(&mut last, entry.0) != entry.0
            })
            .flat_map(move |entry| {
                self.decorations(Id(entry.0))
                    .filter(move |decorated| decorated.decoration == decoration)
                    .map(move |decorated| (Id(entry.0), decorated))
            })
    }
}

/// The annotations of a target, at the start of a list.
struct Annotations<'m> {
    target: u32,
    rest: &'m [(u32, Place)],
}

impl Iterator for Annotations<'_> {
    type Item = (u32, Place);

    #[inline]
    fn next(&mut self) -> Option<(u32, Place)> {
        let (&entry, rest) = self.rest.split_first()?;
        self.rest = rest;
        (entry.0 == self.target).then_some(entry)
    }
}

/// The decorations of a target.
pub struct Decorations<'m, 'a> {
    m: &'m ModuleIndex<'a>,
    rest: Annotations<'m>,
    group: Option<Group<'m, 'a>>,
}

/// What is left of the decorations of a group for a target.
struct Group<'m, 'a> {
    rest: Annotations<'m>,
    /// The target's pairs, if the instruction is about members.
    members: &'a [u32],
    /// The decoration at hand, and the pairs to which it wasn't applied yet.
    open: Option<(Decorated<'a>, &'a [u32])>,
}

impl<'a> Iterator for Decorations<'_, 'a> {
    type Item = Decorated<'a>;

    #[inline]
    fn next(&mut self) -> Option<Decorated<'a>> {
        loop {
            if let Some(group) = &mut self.group {
                match group.next(self.m) {
                    Some(decorated) => return Some(decorated),
                    None => self.group = None,
                }
            }
            let entry = self.rest.next()?;
            let Some((inst, members)) = self.m.annotation(entry) else {
                continue;
            };
            if let Some(decorated) = Decorated::new(inst) {
                return Some(decorated);
            }
            let group = inst.id(0);
            if inst.op().is_group_decorate() && self.m.op_of(group) == Op::DecorationGroup {
                self.group = Some(Group {
                    rest: self.m.annotations_from(group),
                    members,
                    open: None,
                });
            }
        }
    }
}

impl<'a> Group<'_, 'a> {
    /// The next decoration: once for the target, or once for each of its members that
    /// the instruction names.
    #[cold]
    fn next(&mut self, m: &ModuleIndex<'a>) -> Option<Decorated<'a>> {
        loop {
            if let Some((decorated, pairs)) = &mut self.open
                && let Some((&[_, member], rest)) = pairs.split_first_chunk()
            {
                *pairs = rest;
                return Some(Decorated {
                    member: Some(member),
                    ..*decorated
                });
            }
            let entry = self.rest.next()?;
            let decorated = m.annotation(entry).map(|(inst, _)| inst);
            let Some(decorated) = decorated.and_then(Decorated::new) else {
                continue;
            };
            if self.members.is_empty() {
                return Some(decorated);
            }
            self.open = Some((decorated, self.members));
        }
    }
}
