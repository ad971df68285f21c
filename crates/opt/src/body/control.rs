//! Which constructs matter: whether something in them has an effect, ends the invocation, or
//! decides which value is used behind.

use spirvkit_grammar::Op;

use super::{Rebuild, merge_of};
use crate::unit::{Function, Value, flag};

/// No construct.
pub(super) const NONE: u32 = u32::MAX;

/// The constructs of a function, each named by the block with its merge instruction.
#[derive(Default)]
pub(super) struct Control {
    /// The innermost construct around each block, which for a header is that around its own.
    around: Vec<u32>,
    /// For each header, its merge block; for others none.
    merge: Vec<u32>,
    /// For each header of a loop, its continue target.
    next: Vec<u32>,
    /// Which headers' constructs matter.
    is_live: Vec<bool>,
}

impl Control {
    /// The construct that an instruction in a block belongs to.
    fn of(&self, block: u32) -> u32 {
        match self.next[block as usize] {
            NONE => self.around[block as usize],
            _ => block,
        }
    }
}

impl Rebuild<'_> {
    /// Finds the constructs of a function. Kernels have merge instructions only as hints.
    pub(super) fn find_constructs(&mut self, function: &Function) {
        let count = function.blocks.len();
        let mut control = Control {
            around: vec![NONE; count],
            merge: vec![NONE; count],
            next: vec![NONE; count],
            is_live: vec![false; count],
        };
        let mut header_of = vec![NONE; count];
        for (number, block) in (0..).zip(&function.blocks) {
            if let Some(merge) = merge_of(self.unit, &block.insts)
                && self.flow.is_reachable(number)
                && self.unit.is_shader
            {
                let label = |index: usize| {
                    self.unit.block_of_label[self.unit.operand(merge, index) as usize]
                };
                control.merge[number as usize] = label(0);
                header_of[label(0) as usize] = number;
                if self.unit.op(merge) == Op::LoopMerge {
                    control.next[number as usize] = label(1);
                }
            }
        }
        for &block in self.flow.dominators.pre_order() {
            let Some(above) = self.flow.dominators.immediate(block) else {
                continue;
            };
            let header = header_of[block as usize];
            control.around[block as usize] = if header != NONE {
                control.around[header as usize]
            } else if control.merge[above as usize] != NONE {
                above
            } else {
                control.around[above as usize]
            };
        }
        self.control = control;
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
        let mut constructs = vec![construct];
        while let Some(construct) = constructs.pop() {
            if construct == NONE
                || std::mem::replace(&mut self.control.is_live[construct as usize], true)
            {
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
            if !is_branch {
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

    /// Lets control go around the constructs that don't matter.
    pub(super) fn cut_dead_constructs(&mut self) {
        self.is_dead = vec![false; self.labels.len()];
        for index in 0..self.flow.dominators.pre_order().len() {
            let block = self.flow.dominators.pre_order()[index];
            let around = self.control.around[block as usize];
            if around != NONE
                && (self.is_dead[around as usize] || !self.control.is_live[around as usize])
            {
                self.is_dead[block as usize] = true;
                continue;
            }
            let merge = self.control.merge[block as usize];
            if merge == NONE || self.control.is_live[block as usize] {
                continue;
            }
            let label = self.labels[merge as usize];
            let branch = self.new_node(Op::Branch, 0, &[label], 1);
            let old = self.blocks[block as usize].terminator;
            self.unit.nodes[branch as usize].position = self.unit.node(old).position;
            self.unit.nodes[branch as usize].flags |= flag::LIVE;
            self.blocks[block as usize].terminator = branch;
            self.blocks[block as usize].merge = None;
        }
    }
}
