//! Which constructs matter: whether something in them has an effect, ends the invocation, or
//! decides which value is used behind.

use spirvkit_grammar::Op;

use super::Rebuild;
use super::constructs::{Constructs, NONE};
use crate::Subject;
use crate::unit::{Function, Value, flag};

/// So many blocks that do nothing are looked behind.
const MAX_EMPTY: usize = 8;

impl Rebuild<'_> {
    pub(super) fn find_constructs(&mut self, function: &Function) {
        self.control = Constructs::new(self.unit, function, &self.flow);
        self.is_live = vec![false; self.labels.len()];
    }

    /// Marks what a construct needs once something in a block matters.
    pub(super) fn mark_control(&mut self, block: u32, work: &mut Vec<Value>) {
        let construct = self.control.of(block);
        self.mark_construct(construct, work);
    }

    /// Marks the constructs that decide from where control comes to a block.
    pub(super) fn mark_arrivals(&mut self, block: u32, work: &mut Vec<Value>) {
        for index in 0..self.flow.graph.predecessors(block).len() {
            let from = self.flow.graph.predecessors(block)[index];
            if !self.flow.is_reachable(from) {
                continue;
            }
            if self.control.merge[from as usize] != NONE {
                self.mark_construct(from, work);
            }
            let around = self.control.around[from as usize];
            self.mark_construct(around, work);
        }
    }

    fn mark_construct(&mut self, construct: u32, work: &mut Vec<Value>) {
        if construct == NONE || self.is_live[construct as usize] {
            return;
        }
        let mut constructs = vec![construct];
        while let Some(construct) = constructs.pop() {
            if construct == NONE || std::mem::replace(&mut self.is_live[construct as usize], true) {
                continue;
            }
            constructs.push(self.control.around[construct as usize]);
            let terminator = self.blocks[construct as usize].terminator;
            self.mark_one(terminator, work);
            // What leaves it, or goes on with it, from constructs within.
            let targets = [
                self.control.merge[construct as usize],
                self.control.next[construct as usize],
                match self.control.next[construct as usize] {
                    NONE => NONE,
                    _ => construct,
                },
            ];
            for target in targets {
                if target == NONE {
                    continue;
                }
                for &from in self.flow.graph.predecessors(target) {
                    if !self.flow.is_reachable(from) || from == construct {
                        continue;
                    }
                    let is_within = self.flow.dominators.dominates(construct, from);
                    if is_within {
                        if self.control.merge[from as usize] != NONE {
                            constructs.push(from);
                        }
                        constructs.push(self.control.around[from as usize]);
                    }
                }
            }
            // Branches within it that begin no construct of their own.
            self.inner_branches(construct, work);
        }
    }

    /// Marks the branches of a construct that belong to no construct within.
    fn inner_branches(&mut self, construct: u32, work: &mut Vec<Value>) {
        for index in 0..self.members[construct as usize].len() {
            let block = self.members[construct as usize][index];
            if self.control.merge[block as usize] == NONE {
                let terminator = self.blocks[block as usize].terminator;
                self.mark_one(terminator, work);
            }
        }
    }

    /// Marks the terminators that matter in any case: those outside of all constructs, and those
    /// that end the invocation or the function.
    pub(super) fn mark_terminators(&mut self, work: &mut Vec<Value>) {
        self.members = vec![Vec::new(); self.labels.len()];
        for &block in &self.flow.order {
            let around = self.control.around[block as usize];
            if around != NONE {
                self.members[around as usize].push(block);
            }
        }
        for index in 0..self.flow.order.len() {
            let block = self.flow.order[index];
            let terminator = self.blocks[block as usize].terminator;
            let op = self.unit.op(terminator);
            let is_branch = matches!(
                op,
                Op::Branch | Op::BranchConditional | Op::Switch | Op::Unreachable
            );
            let is_header = self.control.merge[block as usize] != NONE;
            if op == Op::Return && self.returns_behind(block) {
                // Whatever goes around the construct returns as well.
            } else if !is_branch {
                self.mark_one(terminator, work);
                self.mark_control(block, work);
            } else if !is_header && self.control.around[block as usize] == NONE {
                self.mark_one(terminator, work);
            }
            // What never ends is kept.
            if is_header && !self.flow.is_reachable(self.control.merge[block as usize]) {
                self.mark_construct(block, work);
            }
        }
    }

    /// Whether nothing is done behind the construct around a block but to return.
    fn returns_behind(&self, block: u32) -> bool {
        let around = self.control.around[block as usize];
        if around == NONE {
            return false;
        }
        let mut at = self.control.merge[around as usize];
        for _ in 0..MAX_EMPTY {
            if !self.flow.is_reachable(at) {
                return false;
            }
            let building = &self.blocks[at as usize];
            let is_empty = building.pinned.is_empty() && building.merge.is_none();
            match self.unit.op(building.terminator) {
                Op::Return => return is_empty,
                Op::Branch if is_empty => at = self.flow.graph.successors(at)[0],
                _ => return false,
            }
        }
        false
    }

    /// Lets control go around the constructs that don't matter.
    pub(super) fn cut_dead_constructs(&mut self) {
        self.is_dead = vec![false; self.labels.len()];
        for index in 0..self.flow.dominators.pre_order().len() {
            let block = self.flow.dominators.pre_order()[index];
            let around = self.control.around[block as usize];
            if around != NONE && (self.is_dead[around as usize] || !self.is_live[around as usize]) {
                self.is_dead[block as usize] = true;
                continue;
            }
            let merge = self.control.merge[block as usize];
            if merge == NONE || self.is_live[block as usize] {
                continue;
            }
            let subject = match self.control.is_loop(block) {
                true => Subject::Loop,
                false => Subject::Selection,
            };
            let old = self.blocks[block as usize].terminator;
            let what = "removed, because nothing needs what it does";
            self.unit
                .remark((subject, true), what, None, self.function, old);
            let label = self.labels[merge as usize];
            let branch = self.new_node(Op::Branch, 0, &[label], 1);
            self.unit.nodes[branch as usize].position = self.unit.node(old).position;
            self.unit.nodes[branch as usize].flags |= flag::LIVE;
            self.blocks[block as usize].terminator = branch;
            self.blocks[block as usize].merge = None;
        }
    }
}
