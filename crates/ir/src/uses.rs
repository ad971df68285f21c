//! Def-use: where ids are used, kept up while the module changes.
//!
//! The uses of an id are a list through the words themselves: for each word that is
//! a use there are the positions of the next and the previous use of the same id. So
//! a use is added, moved and taken away in constant time, and nothing is allocated
//! for it.

use spirvkit_binary::{Definitions, Id, IdMap, Instruction};

use crate::handles::{Inst, NONE};
use crate::module::{Module, Node};

/// A use of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Use {
    /// The instruction that has the id as an operand.
    pub inst: Inst,
    /// The index of the word, from 1; 1 is the result type, if there is one.
    pub word: usize,
}

/// A word of the module that may be a use.
#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    previous: u32,
    /// The instruction; [`NONE`] if the word is no use.
    inst: u32,
}

const UNUSED: Link = Link {
    next: NONE,
    previous: NONE,
    inst: NONE,
};

#[derive(Clone, Debug)]
pub(crate) struct Uses {
    /// By id: the positions of the first and of the last use.
    ends: IdMap<(u32, u32)>,
    links: Vec<Link>,
}

impl Uses {
    pub(crate) fn of(m: &Module) -> Self {
        let mut uses = Self {
            ends: IdMap::with_bound((NONE, NONE), m.words.len(), m.header.bound),
            links: vec![UNUSED; m.words.len()],
        };
        let mut next = m.first;
        while let Some(node) = m.nodes.get(next as usize) {
            uses.add(&m.definitions, &m.get(Inst(next)), Inst(next));
            next = node.next;
        }
        uses
    }

    /// Gets ready for a module of more words.
    pub(crate) fn raise_limit(&mut self, words: usize) {
        self.ends.raise_limit(words);
    }

    /// Notes all uses in an instruction.
    #[inline]
    pub(crate) fn add(&mut self, definitions: &Definitions, inst: &Instruction<'_>, handle: Inst) {
        let start = inst.offset().0;
        let end = start + inst.words().len();
        if self.links.len() < end {
            self.links.resize(end, UNUSED);
        }
        inst.each_use(definitions, |word, id| {
            self.link((start + word) as u32, id, handle);
        });
    }

    #[inline]
    fn link(&mut self, position: u32, id: Id, inst: Inst) {
        let ends = self.ends.slot(id);
        let previous = ends.1;
        ends.1 = position;
        if previous == NONE {
            ends.0 = position;
        }
        if let Some(link) = self.links.get_mut(previous as usize) {
            link.next = position;
        }
        if let Some(link) = self.links.get_mut(position as usize) {
            *link = Link {
                next: NONE,
                previous,
                inst: inst.0,
            };
        }
    }

    /// Lets the use at a position be one of another id.
    pub(crate) fn change(&mut self, position: u32, old: Id, new: Id) {
        let inst = match self.links.get(position as usize) {
            Some(link) if link.inst != NONE => Inst(link.inst),
            _ => return,
        };
        self.unlink(position, old);
        self.link(position, new, inst);
    }

    /// Forgets all uses in an instruction whose words are still what they were.
    pub(crate) fn remove(&mut self, inst: &Instruction<'_>) {
        let start = inst.offset().0;
        for (index, &word) in inst.words().iter().enumerate() {
            self.unlink((start + index) as u32, Id(word));
        }
    }

    pub(crate) fn unlink(&mut self, position: u32, id: Id) {
        let Some(link) = self.links.get_mut(position as usize) else {
            return;
        };
        if link.inst == NONE {
            return;
        }
        let Link { next, previous, .. } = std::mem::replace(link, UNUSED);
        match self.links.get_mut(previous as usize) {
            Some(link) => link.next = next,
            None => self.ends.slot(id).0 = next,
        }
        match self.links.get_mut(next as usize) {
            Some(link) => link.previous = previous,
            None => self.ends.slot(id).1 = previous,
        }
    }

    /// Whether any word of an instruction is a use.
    pub(crate) fn mentions(&self, inst: &Instruction<'_>) -> bool {
        let start = inst.offset().0;
        let links = self.links.get(start..).unwrap_or_default();
        let links = links.iter().take(inst.words().len());
        links.into_iter().any(|link| link.inst != NONE)
    }

    fn first(&self, id: Id) -> u32 {
        self.ends.get(id).0
    }
}

impl Module {
    pub(crate) fn known_uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::of(self))
    }

    /// The uses of an id as an operand, including those in result types, decorations, names
    /// and debug information. In a module that has just been loaded they come in its order;
    /// later ones come after them.
    ///
    /// The first call reads the whole module; from then on the uses are kept up to date.
    pub fn uses(&self, id: Id) -> impl Iterator<Item = Use> + '_ {
        self.uses_in(self.known_uses(), id)
    }

    pub(crate) fn uses_in<'m>(&'m self, uses: &'m Uses, id: Id) -> impl Iterator<Item = Use> + 'm {
        let mut next = uses.first(id);
        std::iter::from_fn(move || {
            let position = next;
            let link = uses.links.get(position as usize)?;
            next = link.next;
            let node: &Node = self.nodes.get(link.inst as usize)?;
            Some(Use {
                inst: Inst(link.inst),
                word: (position - node.start) as usize,
            })
        })
    }

    /// The uses of what an instruction defines. If several instructions of a broken module
    /// have one result id, its uses count for the first.
    pub fn uses_of(&self, inst: Inst) -> impl Iterator<Item = Use> + '_ {
        let id = self.result(inst);
        let id = id.filter(|&id| self.definition(id) == Some(inst));
        id.into_iter().flat_map(|id| self.uses(id))
    }

    /// Whether anything uses an id.
    pub fn is_used(&self, id: Id) -> bool {
        self.known_uses().first(id) != NONE
    }

    /// Calls `each` with the index of every word of an instruction that is an id and
    /// not its result, and with the id.
    pub fn each_use(&self, inst: Inst, each: impl FnMut(usize, Id)) {
        self.get(inst).each_use(&self.definitions, each);
    }
}
