//! Checking that a module's tables agree with its instructions.

use std::fmt;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::handles::{Inst, NONE};
use crate::module::{Module, parent};
use crate::uses::{Use, Uses};

/// Something in a [`Module`]'s tables that doesn't agree with its instructions: a
/// mistake in this crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inconsistency {
    /// What is wrong.
    what: String,
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Inconsistency {}

fn fail<T>(what: impl Into<String>) -> Result<T, Inconsistency> {
    Err(Inconsistency { what: what.into() })
}

impl Module {
    /// Checks that the lists of instructions, blocks and functions, the definitions
    /// and the uses agree with each other. Meant for tests and debug builds of what
    /// changes modules: it takes time in proportion to the module.
    ///
    /// # Errors
    ///
    /// The first disagreement found.
    pub fn verify(&self) -> Result<(), Inconsistency> {
        self.verify_list()?;
        self.verify_functions()?;
        self.verify_definitions()?;
        self.verify_uses()
    }

    fn verify_list(&self) -> Result<(), Inconsistency> {
        let mut previous = NONE;
        let mut count = 0;
        let mut at = self.first;
        while let Some(node) = self.nodes.get(at as usize) {
            if node.previous != previous {
                return fail(format!("instruction {at} is not linked to the one before"));
            }
            if !self.is_attached(Inst(at)) {
                return fail(format!("instruction {at} is in the list, but removed"));
            }
            count += 1;
            if count > self.nodes.len() {
                return fail("the list of instructions is circular");
            }
            previous = at;
            at = node.next;
        }
        match self.last == previous {
            true => Ok(()),
            false => fail("the last instruction is not the end of the list"),
        }
    }

    fn verify_functions(&self) -> Result<(), Inconsistency> {
        let mut functions = self.functions();
        let mut function = None;
        let mut blocks = Vec::new();
        let mut block = None;
        for inst in self.instructions() {
            match self.op(inst) {
                Op::Function if function.is_none() => {
                    function = functions.next();
                    blocks = function.map_or(Vec::new(), |it| self.blocks(it).collect());
                    blocks.reverse();
                    if function.and_then(|it| self.function_definition(it)) != Some(inst) {
                        return fail(format!("the function at {inst:?} is not in the list"));
                    }
                }
                Op::Label if function.is_some() => {
                    block = blocks.pop();
                    if block.and_then(|it| self.label(it)) != Some(inst) {
                        return fail(format!("the block at {inst:?} is not in the list"));
                    }
                }
                _ => {}
            }
            if self.function_of(inst) != function {
                return fail(format!("{inst:?} is not in the function that it names"));
            }
            if self.block_of(inst).is_some_and(|it| Some(it) != block) {
                return fail(format!("{inst:?} is not in the block that it names"));
            }
            if block.is_some_and(|it| self.last_of(it) == Some(inst)) {
                block = None;
            }
            let last = function.and_then(|it| self.functions.get(it.index()));
            if last.is_some_and(|node| node.last == inst.0) {
                if !blocks.is_empty() {
                    return fail(format!("blocks are missing in {function:?}"));
                }
                function = None;
                block = None;
            }
        }
        match functions.next() {
            None => Ok(()),
            Some(function) => fail(format!("{function:?} has no instructions")),
        }
    }

    fn verify_definitions(&self) -> Result<(), Inconsistency> {
        for inst in self.instructions() {
            let Some(id) = self.result(inst) else {
                continue;
            };
            match self.definition(id) {
                Some(known) if self.is_attached(known) && self.result(known) == Some(id) => {}
                _ => return fail(format!("{id} is not known to be defined by {inst:?}")),
            }
        }
        Ok(())
    }

    fn verify_uses(&self) -> Result<(), Inconsistency> {
        let Some(uses) = self.uses.get() else {
            return Ok(());
        };
        let afresh = Uses::of(self);
        let sorted = |uses: &Uses, id: Id| {
            let mut all: Vec<Use> = self.uses_in(uses, id).collect();
            all.sort_unstable_by_key(|found| (found.inst, found.word));
            all
        };
        let mut seen = std::collections::BTreeSet::new();
        for inst in self.instructions() {
            let mut ids = Vec::new();
            self.each_use(inst, |_, id| ids.push(id));
            ids.extend(self.result(inst));
            for id in ids {
                if seen.insert(id) && sorted(uses, id) != sorted(&afresh, id) {
                    return fail(format!("the uses of {id} are wrong"));
                }
            }
        }
        let stray = (0..self.nodes.len() as u32).find(|&index| {
            self.nodes[index as usize].parent >= parent::REMOVED
                && self.nodes[index as usize].parent < parent::MODULE
                && uses.mentions(&self.get(Inst(index)))
        });
        match stray {
            None => Ok(()),
            Some(index) => fail(format!("instruction {index} is removed, but has uses")),
        }
    }
}
