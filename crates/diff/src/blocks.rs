//! Which block of one function is which of another.
//!
//! The first blocks are each other's; so are blocks whose content nothing else has;
//! and where two blocks that are each other's end alike, what they branch to is, in
//! the order of the operands. So neither numbers nor the order of blocks matter.

use hashbrown::HashMap;

use spirvkit_grammar::Op;

use crate::colors::mix;
use crate::matching::{Colored, Matching, in_place};
use crate::side::{Function, NONE, Side};

/// How blocks are distinguished by their content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// All that is known of the operands.
    Operands,
    /// The opcodes.
    Opcodes,
}

impl Matching<'_> {
    /// Pairs the labels of two functions.
    pub(crate) fn pair_blocks(&mut self, a: &Function, b: &Function) {
        let first = |side: &Side, function: &Function| {
            let block = function.blocks.clone().next()?;
            Some(side.labels[block as usize]).filter(|&label| label != NONE)
        };
        if let (Some(a), Some(b)) = (first(self.a.side, a), first(self.b.side, b)) {
            self.pair(a, b);
            self.propagate();
        }
        let blocks = [block_of(self.a.side, a), block_of(self.b.side, b)];
        for detail in [Detail::Operands, Detail::Opcodes] {
            let contents = [contents(&self.a, a, detail), contents(&self.b, b, detail)];
            self.pair_unique_blocks(a, b, &contents);
            self.follow_branches(&blocks, a.blocks.clone().rev().collect(), Some(&contents));
        }
        self.follow_branches(&blocks, a.blocks.clone().rev().collect(), None);
        for detail in [Detail::Operands, Detail::Opcodes] {
            let contents = [contents(&self.a, a, detail), contents(&self.b, b, detail)];
            self.pair_blocks_in_order(a, b, &blocks, &contents);
        }
    }

    /// Pairs what nothing leads to, by content and then by order.
    fn pair_blocks_in_order(
        &mut self,
        a: &Function,
        b: &Function,
        blocks: &[HashMap<u32, u32>; 2],
        contents: &Contents,
    ) {
        let mut waiting: HashMap<u64, Vec<u32>> = HashMap::new();
        for block in b.blocks.clone().rev() {
            let label = self.b.side.labels[block as usize];
            if label != NONE && self.b.is_free(label) {
                let content = contents[1].of(block);
                waiting.entry(content).or_default().push(label);
            }
        }
        for block in a.blocks.clone() {
            let label = self.a.side.labels[block as usize];
            if label == NONE || !self.a.is_free(label) {
                continue;
            }
            let Some(list) = waiting.get_mut(&contents[0].of(block)) else {
                continue;
            };
            while let Some(other) = list.pop() {
                if self.pair(label, other) {
                    self.propagate();
                    self.follow_branches(blocks, vec![block], Some(contents));
                    break;
                }
            }
        }
    }

    fn pair_unique_blocks(&mut self, a: &Function, b: &Function, contents: &Contents) {
        let mut seen: HashMap<u64, [(u8, u32); 2]> = HashMap::new();
        let mut keys = Vec::new();
        for (number, (it, function)) in [(&self.a, a), (&self.b, b)].into_iter().enumerate() {
            for block in function.blocks.clone() {
                let key = contents[number].of(block);
                let label = it.side.labels[block as usize];
                if label == NONE || !it.is_free(label) {
                    continue;
                }
                if number == 0 {
                    keys.push(key);
                }
                let slot = &mut seen.entry(key).or_default()[number];
                *slot = (slot.0.saturating_add(1).min(2), label);
            }
        }
        for key in keys {
            if let Some(&[(1, a), (1, b)]) = seen.get(&key) {
                self.pair(a, b);
            }
        }
        self.propagate();
    }

    /// Pairs what paired blocks branch to, as far as the contents are alike. `blocks`
    /// are the blocks of labels; `waiting` is where to begin, the last first.
    fn follow_branches(
        &mut self,
        blocks: &[HashMap<u32, u32>; 2],
        mut waiting: Vec<u32>,
        contents: Option<&Contents>,
    ) {
        while let Some(block) = waiting.pop() {
            let label = self.a.side.labels[block as usize];
            if label == NONE || self.a.is_free(label) {
                continue;
            }
            let partner = self.a.partner[label as usize];
            let Some(&other) = blocks[1].get(&partner) else {
                continue;
            };
            for (a, b) in self.common_targets(block, other) {
                let (Some(&block), Some(&other)) = (blocks[0].get(&a), blocks[1].get(&b)) else {
                    continue;
                };
                let alike = contents.is_none_or(|[of_a, of_b]| of_a.of(block) == of_b.of(other));
                if alike && self.pair(a, b) {
                    self.propagate();
                    waiting.push(block);
                }
            }
        }
    }

    /// Pairs of free labels that are at the same places at the ends of two blocks.
    fn common_targets(&self, a: u32, b: u32) -> Vec<(u32, u32)> {
        let (side_a, side_b) = (self.a.side, self.b.side);
        let (ends_a, ends_b) = (ends(side_a, a), ends(side_b, b));
        let mut found = Vec::new();
        for (a, b) in ends_a.into_iter().zip(ends_b) {
            if side_a.item(a).op != side_b.item(b).op {
                break;
            }
            let pairs = in_place(side_a, side_b, a, b).chain(self.out_of_place(a, b));
            found.extend(pairs.filter(|&(a, b)| {
                side_a.op_of(a) == Op::Label && self.a.is_free(a) && self.b.is_free(b)
            }));
        }
        found
    }

    /// The items of the second function, with its blocks in the order of the first's:
    /// new ones stay behind what they follow.
    pub(crate) fn laid_out(&self, a: &Function, b: &Function) -> Vec<u32> {
        if !b.blocks.clone().all(|block| is_whole(self.b.side, block)) {
            return self.b.side.function_items(b, b.blocks.clone());
        }
        let rank_of: HashMap<u32, u32> = (1..)
            .zip(a.blocks.clone())
            .map(|(rank, block)| (self.a.side.labels[block as usize], rank))
            .collect();
        let mut rank = 0;
        let mut order: Vec<(u32, u32)> = Vec::new();
        for block in b.blocks.clone() {
            let label = self.b.side.labels[block as usize];
            let partner = self.b.partner.get(label as usize).copied();
            if let Some(&own) = partner.and_then(|partner| rank_of.get(&partner)) {
                rank = own;
            }
            order.push((rank, block));
        }
        // The first block stays the first.
        if let Some(first) = order.first_mut() {
            first.0 = 0;
        }
        order.sort();
        self.b
            .side
            .function_items(b, order.into_iter().map(|(_, block)| block))
    }
}

/// Whether a block begins with a label and ends with a terminator. In a broken module, one
/// that doesn't would run into another block if it stood elsewhere.
fn is_whole(side: &Side, block: u32) -> bool {
    let last = side.blocks[block as usize].clone().next_back();
    let is_ended = last.is_some_and(|last| side.item(last).op.is_terminator());
    is_ended && side.labels[block as usize] != NONE
}

/// The merge instruction and the terminator of a block.
fn ends(side: &Side, block: u32) -> Vec<u32> {
    let items = side.blocks[block as usize].clone();
    let is_end = |&index: &u32| {
        let op = side.item(index).op;
        op.is_terminator() || op.is_merge()
    };
    let last = items.rev().take(2);
    let mut ends: Vec<u32> = last.filter(is_end).collect();
    ends.reverse();
    ends
}

/// What is in the blocks of two functions.
type Contents = [BlockContents; 2];

/// What is in each block of a function, from the first on.
struct BlockContents {
    first: u32,
    all: Vec<u64>,
}

impl BlockContents {
    fn of(&self, block: u32) -> u64 {
        self.all[(block - self.first) as usize]
    }
}

fn contents(it: &Colored<'_>, function: &Function, detail: Detail) -> BlockContents {
    let blocks = function.blocks.clone();
    BlockContents {
        first: blocks.start,
        all: blocks.map(|block| content(it, block, detail)).collect(),
    }
}

/// The blocks of a function by their labels.
fn block_of(side: &Side, function: &Function) -> HashMap<u32, u32> {
    let blocks = function.blocks.clone();
    blocks
        .map(|block| (side.labels[block as usize], block))
        .collect()
}

/// What is in a block, without its label.
fn content(it: &Colored<'_>, block: u32, detail: Detail) -> u64 {
    let mut out = Vec::new();
    let mut content = 0;
    for index in it.side.blocks[block as usize].clone() {
        let op = it.side.item(index).op;
        if matches!(op, Op::Label | Op::Line | Op::NoLine) {
            continue;
        }
        content = match detail {
            Detail::Opcodes => mix(content, u64::from(op.0)),
            Detail::Operands => {
                let color = |node: u32| it.now[node as usize];
                it.side.canonical(index, false, color, &mut out);
                mix(content, crate::colors::hash(&out))
            }
        };
    }
    content
}
