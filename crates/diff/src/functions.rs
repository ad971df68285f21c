//! Which instruction of one function is which of another.

use spirvkit_grammar::Op;

use crate::align::common;
use crate::colors::{color_local, hash, mix};
use crate::matching::{Colored, Matching};
use crate::side::{Function, NONE};

/// By what instructions are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// By all that leads to their operands.
    Values,
    /// By their operands, as far as these are paired.
    Operands,
    /// By opcode and type.
    Opcode,
}

impl Matching<'_> {
    /// Pairs what is in pairs of functions.
    pub(crate) fn align_functions(&mut self) {
        while let Some((a, b)) = self.functions.pop_front() {
            let a = self.a.side.functions[a as usize].clone();
            let b = self.b.side.functions[b as usize].clone();
            self.align(&a, &b);
        }
    }

    fn align(&mut self, a: &Function, b: &Function) {
        self.a.recolor(a);
        self.b.recolor(b);
        self.pair_blocks(a, b);
        let items_a = self.a.side.function_items(a, a.blocks.clone());
        let items_b = self.laid_out(a, b);
        self.a.recolor(a);
        self.b.recolor(b);
        let whole = (0..items_a.len(), 0..items_b.len());
        let mut gaps = vec![whole];
        for detail in [Detail::Values, Detail::Operands, Detail::Opcode] {
            let mut left = Vec::new();
            for (range_a, range_b) in gaps {
                let part_a = &items_a[range_a.clone()];
                let part_b = &items_b[range_b.clone()];
                let tokens_a = self.a.tokens(part_a, detail, 0);
                let tokens_b = self.b.tokens(part_b, detail, 1);
                let mut at = (0, 0);
                let pairs = common(&tokens_a, &tokens_b);
                let ends = (part_a.len() as u32, part_b.len() as u32);
                for (x, y) in pairs.into_iter().chain([ends]) {
                    if x > at.0 && y > at.1 {
                        let shift = |start: usize, range: std::ops::Range<u32>| {
                            start + range.start as usize..start + range.end as usize
                        };
                        left.push((shift(range_a.start, at.0..x), shift(range_b.start, at.1..y)));
                    }
                    at = (x + 1, y + 1);
                    if (x, y) != ends {
                        self.pair_items(part_a[x as usize], part_b[y as usize]);
                    }
                }
            }
            gaps = left;
            // What uses of them say comes before what their opcodes do.
            if detail == Detail::Operands {
                self.pair_locals_by_votes();
            }
        }
        self.pair_locals_by_votes();
    }

    /// Takes two instructions for the same.
    fn pair_items(&mut self, a: u32, b: u32) {
        let results = (self.a.side.item(a).result, self.b.side.item(b).result);
        if results.0 != NONE && results.1 != NONE && self.a.side.item(a).op != Op::Label {
            self.pair(results.0, results.1);
            self.propagate();
        }
        self.propose_operands(a, b);
    }
}

impl Colored<'_> {
    /// Colours what is defined in a function and not paired by what leads to it.
    fn recolor(&mut self, function: &Function) {
        let mut out = Vec::new();
        for index in self.side.function_items(function, function.blocks.clone()) {
            let item = self.side.item(index);
            let (op, result) = (item.op, item.result);
            if result == NONE || !self.is_free(result) || matches!(op, Op::Label | Op::Function) {
                continue;
            }
            self.now[result as usize] = color_local(self.side, index, &self.now, &mut out);
        }
    }

    /// Numbers by which instructions are compared; labels only by their partners.
    fn tokens(&self, items: &[u32], detail: Detail, side: u64) -> Vec<u64> {
        let mut out = Vec::new();
        let token = |&index: &u32| {
            let item = self.side.item(index);
            let op = u64::from(item.op.0);
            if item.op == Op::Label && item.result != NONE {
                return match self.is_free(item.result) {
                    true => mix(mix(u64::from(item.result), side), 0x6c61_6265),
                    false => self.now[item.result as usize],
                };
            }
            let color = |node: u32| match detail {
                Detail::Operands if self.is_free(node) && self.side.is_local(node) => 2,
                _ => self.now[node as usize],
            };
            match detail {
                Detail::Opcode => {
                    let type_ = match item.result {
                        NONE => None,
                        result => self.side.type_of(result),
                    };
                    let type_ = type_.map_or(0, |type_| self.now[type_ as usize]);
                    mix(op, type_)
                }
                _ => {
                    self.side.canonical(index, false, color, &mut out);
                    // Different things are said about pairs and about what is free.
                    hash(&out)
                }
            }
        };
        items.iter().map(token).collect()
    }
}
