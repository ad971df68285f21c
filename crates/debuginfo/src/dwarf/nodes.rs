//! Which entry stands inside which: the tree of what is declared, without cycles and
//! not too deep.

use gimli::write::UnitEntryId;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::units::{Die, Writer};
use crate::{Entry, Field, Kind};

/// What has a debugging information entry ("DIE") of its own, and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct DieNode<'m> {
    pub(super) entry: Entry<'m>,
    pub(super) die: Die,
    /// The node that it stands in; none directly in the unit.
    pub(super) parent: Option<DieNodeId>,
    /// The function that it is in, or that it is.
    pub(super) function: Option<DieNodeId>,
    /// It has no DIE of its own: `die` is that of its parent.
    pub(super) is_alias: bool,
    depth: u32,
}

pub(super) type DieNodeId = usize;

/// Entries nested deeper than this stand beside what they are nested in: writers and
/// readers of DWARF recurse into the tree.
pub(super) const MAX_DEPTH: u32 = 200;
/// The most steps from a type to what it stands for.
const MAX_STEPS: usize = 16;

/// In the table of nodes: nothing has been found out.
const UNKNOWN: u32 = 0;
/// In the table of nodes: it is being found out.
const OPEN: u32 = u32::MAX;

/// What something stands in.
enum Outer<'m> {
    /// A unit.
    Unit(usize),
    /// Another entry.
    Entry(Entry<'m>),
}

impl<'w> Writer<'w> {
    /// Finds out where everything stands that has a DIE.
    pub(super) fn seal(&mut self) {
        let info = self.info;
        // Members first, and in the order that their composites have them.
        for composite in info.of_kind(Kind::TypeComposite) {
            for member in composite.members() {
                self.seal_member(composite, member);
            }
        }
        for entry in info.entries().filter(has_home) {
            self.node(entry);
        }
    }

    fn seal_member(&mut self, composite: Entry<'w>, member: Entry<'w>) {
        match member.kind() {
            Kind::TypeMember | Kind::TypeInheritance | Kind::FunctionDeclaration => {
                if *self.home_of.slot(member.id()) == UNKNOWN
                    && let Some(parent) = self.node(composite)
                    // Finding the composite's node may have found this one's.
                    && *self.home_of.slot(member.id()) == UNKNOWN
                {
                    self.move_in(member, Some(parent), self.nodes[parent].die.unit);
                }
            }
            Kind::Function => {
                self.methods.entry(member.id().0).or_insert(composite);
            }
            _ => {}
        }
    }

    /// The node of the entry with an id, if it has one.
    pub(super) fn node_at(&self, id: Id) -> Option<DieNodeId> {
        match self.home_of.get(id) {
            UNKNOWN | OPEN => None,
            number => Some(number as usize - 1),
        }
    }

    /// The node of an entry and of what is around it; none, if it has none.
    fn node(&mut self, entry: Entry<'w>) -> Option<DieNodeId> {
        let mut path = Vec::new();
        let mut next = entry;
        let (mut parent, mut unit) = loop {
            match *self.home_of.slot(next.id()) {
                UNKNOWN => {}
                // A damaged module can have cycles.
                OPEN => break (None, 0),
                number => {
                    break (
                        Some(number as usize - 1),
                        self.nodes[number as usize - 1].die.unit,
                    );
                }
            }
            *self.home_of.slot(next.id()) = OPEN;
            path.push(next);
            match self.outer(next) {
                Outer::Unit(unit) => break (None, unit),
                Outer::Entry(outer) => next = outer,
            }
        };
        for entry in path.into_iter().rev() {
            parent = Some(self.move_in(entry, parent, unit));
            unit = parent.map_or(unit, |parent| self.nodes[parent].die.unit);
        }
        parent
    }

    /// What an entry says that it stands in.
    fn outer(&self, entry: Entry<'w>) -> Outer<'w> {
        let parent = entry.parent().map(|parent| self.resolve(parent));
        match parent {
            Some(parent) if parent.kind() == Kind::CompilationUnit => {
                Outer::Unit(self.unit_of.get(&parent.id().0).copied().unwrap_or(0))
            }
            Some(parent) if has_home(&parent) && parent.kind().is_scope() => Outer::Entry(parent),
            _ => Outer::Unit(0),
        }
    }

    fn move_in(&mut self, entry: Entry<'w>, parent: Option<DieNodeId>, unit: usize) -> DieNodeId {
        let parent = match entry.kind() {
            // A definition stands outside of classes and other functions, so that its
            // code is in no other's.
            Kind::Function => self.climb(parent, |kind| {
                matches!(kind, Kind::LexicalBlock | Kind::ModuleINTEL)
            }),
            Kind::FunctionDeclaration => self.climb(parent, |kind| {
                matches!(
                    kind,
                    Kind::LexicalBlock | Kind::ModuleINTEL | Kind::TypeComposite
                )
            }),
            _ => parent,
        };
        let parent = match parent {
            Some(parent) if self.nodes[parent].depth >= MAX_DEPTH => self.nodes[parent].parent,
            parent => parent,
        };
        let function = match entry.kind() {
            Kind::Function => Some(self.nodes.len()),
            _ => parent.and_then(|parent| self.nodes[parent].function),
        };
        let is_alias = match entry.kind() {
            Kind::LexicalBlockDiscriminator => true,
            Kind::LexicalBlock => function.is_none() && !is_namespace(entry),
            _ => false,
        };
        let outside = match parent {
            Some(parent) => self.nodes[parent].die,
            None => self.root(unit),
        };
        let die = match is_alias {
            true => outside,
            false => Die {
                unit: outside.unit,
                entry: self.reserve(outside.unit),
            },
        };
        let depth = parent.map_or(0, |parent| self.nodes[parent].depth + 1);
        self.nodes.push(DieNode {
            entry,
            die,
            parent,
            function,
            is_alias,
            depth,
        });
        *self.home_of.slot(entry.id()) = self.nodes.len() as u32;
        self.nodes.len() - 1
    }

    /// The next node outwards that isn't in a function and is of one of some kinds.
    fn climb(&self, from: Option<DieNodeId>, wanted: impl Fn(Kind) -> bool) -> Option<DieNodeId> {
        std::iter::successors(from, |&node| self.nodes[node].parent).find(|&node| {
            let node = &self.nodes[node];
            node.function.is_none() && wanted(node.entry.kind())
        })
    }

    /// The node with a DIE of its own that a node stands for.
    pub(super) fn own(&self, node: DieNodeId) -> Option<DieNodeId> {
        let mut outwards = std::iter::successors(Some(node), |&node| self.nodes[node].parent);
        outwards.find(|&node| !self.nodes[node].is_alias)
    }

    /// What is behind an entry that has no DIE: behind a template what it is of, and
    /// so on.
    pub(super) fn resolve(&self, entry: Entry<'w>) -> Entry<'w> {
        let mut entry = entry;
        for _ in 0..MAX_STEPS {
            let field = match entry.kind() {
                Kind::TypeTemplate => Field::Target,
                Kind::InlinedVariable => Field::LocalVariable,
                Kind::TypeQualifier if !self.has_qualifier(entry) => Field::BaseType,
                _ => break,
            };
            match entry.entry(field) {
                Some(next) => entry = next,
                None => break,
            }
        }
        entry
    }

    /// The DIE that describes what an entry stands for.
    pub(super) fn die_of(&self, entry: Entry<'w>) -> Option<Die> {
        let node = self.node_at(self.resolve(entry).id())?;
        Some(self.nodes[node].die)
    }

    fn reserve(&mut self, unit: usize) -> UnitEntryId {
        let id = self.units[unit].id;
        self.dwarf.units.get_mut(id).reserve()
    }
}

/// Whether an entry has a DIE, or stands for one that others stand in.
fn has_home(entry: &Entry<'_>) -> bool {
    use Kind::*;
    match entry.kind() {
        TypeTemplate => false,
        GlobalVariable
        | FunctionDeclaration
        | Function
        | LexicalBlock
        | LexicalBlockDiscriminator
        | LocalVariable
        | ImportedEntity
        | ModuleINTEL => true,
        kind => kind.is_type(),
    }
}

/// Whether a block is a namespace, which has a name, if only an empty one.
pub(super) fn is_namespace(block: Entry<'_>) -> bool {
    let name = block.id_of(Field::Name);
    let name = name.and_then(|name| block.info().definition(name));
    block.kind() == Kind::LexicalBlock && name.is_some_and(|name| name.op() == Op::String)
}
