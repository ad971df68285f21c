//! Stores that another one overwrites before anything can see them.

use spirvkit_grammar::{MemoryAccess, Op};

use super::Rebuild;
use super::memory::{Root, are_apart, is_volatile, path_from};
use crate::effects::{Effect, effect, is_division};
use crate::unit::{Unit, Value};

/// So many stores to come are looked at, at most.
const MAX_STORES: usize = 32;

impl Rebuild<'_> {
    /// Drops what is overwritten in the same block.
    pub(super) fn drop_overwritten(&mut self) {
        for index in 0..self.flow.order.len() {
            let block = self.flow.order[index] as usize;
            let pinned = std::mem::take(&mut self.blocks[block].pinned);
            self.blocks[block].pinned = self.without_overwritten(pinned);
        }
    }

    fn without_overwritten(&mut self, pinned: Vec<Value>) -> Vec<Value> {
        // Pointers to which something will be stored before anything looks.
        let mut coming: Vec<Value> = Vec::new();
        let mut kept = Vec::with_capacity(pinned.len());
        for &inst in pinned.iter().rev() {
            if self.unit.find(inst) != inst {
                continue;
            }
            match effect(self.unit, inst) {
                Effect::Store => {
                    let pointer = self.unit.find(self.unit.operand(inst, 0));
                    let access = MemoryAccess(self.unit.operand(inst, 2));
                    let is_plain = !is_volatile(self.unit, inst)
                        && !access.contains(MemoryAccess::MakePointerAvailable)
                        && self.unit.op(self.unit.node(pointer).ty) == Op::TypePointer
                        && self.unit.op(inst) == Op::Store;
                    if is_plain
                        && coming
                            .iter()
                            .any(|&later| covers(self.unit, later, pointer))
                    {
                        continue;
                    }
                    if is_plain && coming.len() < MAX_STORES {
                        coming.push(pointer);
                    }
                }
                Effect::Load => {
                    let pointer = self.unit.find(self.unit.operand(inst, 0));
                    let before = coming.len();
                    self.see(pointer, &mut coming);
                    if coming.len() < before {
                        self.hiding.push(inst);
                    }
                }
                Effect::Total | Effect::SampledImage | Effect::Remark => {}
                Effect::Partial if is_division(self.unit.op(inst)) => {}
                _ => coming.clear(),
            }
            kept.push(inst);
        }
        kept.reverse();
        kept
    }

    /// Keeps of the stores to come those that a load doesn't look behind.
    fn see(&mut self, pointer: Value, coming: &mut Vec<Value>) {
        if coming.is_empty() {
            return;
        }
        let root = self.memory.root(self.unit, pointer);
        let Root::Variable(_) = root else {
            coming.clear();
            return;
        };
        let old = std::mem::take(coming);
        for later in old {
            let is_other = match self.memory.root(self.unit, later) {
                Root::Unknown(_) => false,
                other => other != root || are_apart(self.unit, later, pointer),
            };
            if is_other {
                coming.push(later);
            }
        }
    }
}

/// Whether a store to a pointer overwrites all that one to another has written.
fn covers(unit: &Unit, later: Value, earlier: Value) -> bool {
    later == earlier || path_from(unit, later, earlier).is_some()
}
