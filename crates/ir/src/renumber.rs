//! Giving all ids other numbers.

use spirvkit_binary::{Definitions, Id, IdMap, Value};

use crate::edit::EditError;
use crate::handles::{Inst, NONE};
use crate::module::{Module, parent};

impl Module {
    /// A table over ids for this module: ids that are not out of proportion to its size take
    /// a slot of a vector.
    pub fn id_table<T: Copy>(&self, default: T) -> IdMap<T> {
        IdMap::with_bound(default, self.words.len(), self.header.bound)
    }

    /// Whether an instruction has words that may or may not be ids: its opcode, or an
    /// enumerant in it, is unknown, or its operands can't be decoded.
    pub fn is_opaque(&self, inst: Inst) -> bool {
        let words = self.get(inst);
        if words.info().is_some() && words.leading_ids().len() == words.operand_words().len() {
            return false;
        }
        let mut operands = words.operands(&self.definitions);
        operands.skip_leading_ids();
        operands
            .by_ref()
            .any(|operand| operand.map_or(true, |it| matches!(it.value, Value::Opaque(_))))
    }

    /// Calls `new` with each id of each instruction, including results, in the order of their
    /// words, and replaces the id by what it returns. The bound becomes as low as possible.
    /// All handles stay valid.
    ///
    /// `new` must give different ids different numbers, and the same id always the same
    /// number.
    ///
    /// # Errors
    ///
    /// If an instruction [is opaque](Self::is_opaque); nothing is changed then.
    pub fn renumber(&mut self, mut new: impl FnMut(Id) -> Id) -> Result<(), EditError> {
        let all: Vec<Inst> = self.instructions().chain(self.places_elsewhere()).collect();
        if let Some(&inst) = all.iter().find(|&&inst| self.is_opaque(inst)) {
            return Err(EditError::Opaque(self.op(inst)));
        }
        let mut highest = 0;
        let mut found = Vec::new();
        for &inst in &all {
            // The old definitions go with the old words, of which no other instruction
            // reads these.
            let read = self.get(inst);
            read.each_use(&self.definitions, |word, _| found.push(word));
            if read.result().is_some() {
                found.push(1 + usize::from(read.result_type().is_some()));
            }
            found.sort_unstable();
            let start = read.offset().0;
            for word in found.drain(..) {
                if let Some(word) = self.words.get_mut(start + word) {
                    *word = new(Id(*word)).0;
                    highest = highest.max(*word);
                }
            }
        }
        self.header.bound = highest.saturating_add(1);
        self.lowest_gap = 1;
        self.define_anew();
        Ok(())
    }

    /// The lines and scopes that are not in the list, but are written where
    /// instructions have them.
    fn places_elsewhere(&self) -> impl Iterator<Item = Inst> + '_ {
        let mut seen = vec![false; self.nodes.len()];
        let all = self.instructions().filter_map(|inst| {
            let node = self.nodes.get(inst.index())?;
            Some([node.line, node.scope])
        });
        all.flatten().filter_map(move |index| {
            let node = self.nodes.get(index as usize)?;
            let seen = seen.get_mut(index as usize)?;
            let is_new = !std::mem::replace(seen, true);
            (is_new && node.parent == parent::DETACHED).then_some(Inst(index))
        })
    }

    /// Fills the tables over ids anew.
    fn define_anew(&mut self) {
        let words = self.words.len();
        let mut definers = IdMap::with_bound(NONE, words, self.header.bound);
        let mut definitions = Definitions::with_word_limit(words);
        let mut redefiners = std::collections::BTreeSet::new();
        for inst in self.instructions() {
            let read = self.get(inst);
            let Some(id) = read.result() else {
                continue;
            };
            let slot = definers.slot(id);
            if *slot == NONE {
                *slot = inst.0;
            } else {
                redefiners.insert((id, inst.0));
            }
            definitions.define(&read);
        }
        self.definers = definers;
        self.redefiners = redefiners;
        self.definitions = definitions;
        self.words_at_last_raise = words;
        self.uses.take();
        self.interned = None;
    }
}
