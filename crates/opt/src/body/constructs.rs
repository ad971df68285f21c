//! Constructs: what headers delimit by their merge instructions.

use spirvkit_grammar::Op;

use super::flow::{Flow, merge_of};
use crate::unit::{Function, Unit};

/// No construct, or no block.
pub(crate) const NONE: u32 = u32::MAX;

/// The constructs of a function, each named by the block with its merge instruction.
#[derive(Default)]
pub(crate) struct Constructs {
    /// The innermost construct around each block, which for a header is that around its own.
    pub(crate) around: Vec<u32>,
    /// For each header, its merge block; for others none.
    pub(crate) merge: Vec<u32>,
    /// For each header of a loop, its continue target.
    pub(crate) next: Vec<u32>,
}

impl Constructs {
    /// Finds the constructs of a function. Kernels have merge instructions only as hints.
    pub(crate) fn new(unit: &Unit, function: &Function, flow: &Flow) -> Self {
        let count = function.blocks.len();
        let mut this = Self {
            around: vec![NONE; count],
            merge: vec![NONE; count],
            next: vec![NONE; count],
        };
        if !unit.is_shader {
            return this;
        }
        let mut header_of = vec![NONE; count];
        for (number, block) in (0..).zip(&function.blocks) {
            if let Some(merge) = merge_of(unit, &block.insts)
                && flow.is_reachable(number)
            {
                let label = |index: usize| unit.block_of_label[unit.operand(merge, index) as usize];
                this.merge[number as usize] = label(0);
                header_of[label(0) as usize] = number;
                if unit.op(merge) == Op::LoopMerge {
                    this.next[number as usize] = label(1);
                }
            }
        }
        for &block in flow.dominators.pre_order() {
            let Some(above) = flow.dominators.immediate(block) else {
                continue;
            };
            let header = header_of[block as usize];
            this.around[block as usize] = if header != NONE {
                this.around[header as usize]
            } else if this.merge[above as usize] != NONE {
                above
            } else {
                this.around[above as usize]
            };
        }
        this
    }

    /// The construct that an instruction in a block belongs to.
    pub(crate) fn of(&self, block: u32) -> u32 {
        match self.next[block as usize] {
            NONE => self.around[block as usize],
            _ => block,
        }
    }

    /// The constructs around a block, the innermost first.
    pub(crate) fn all_around(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        let around = |block: u32| Some(self.around[block as usize]).filter(|&at| at != NONE);
        std::iter::successors(around(block), move |&at| around(at))
    }

    pub(crate) fn is_loop(&self, header: u32) -> bool {
        self.next[header as usize] != NONE
    }
}
