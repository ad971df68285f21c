//! The stores to a variable that nothing has looked at yet.

use std::collections::BTreeSet;

use spirvkit_grammar::Op;

use crate::unit::{Unit, Value};

/// Where in a variable something is: its first indices, as far as they are constant.
type Part = [Option<u64>; DEPTH];

const DEPTH: usize = 4;

/// The first indices of a pointer into a variable.
fn part_of(unit: &Unit, pointer: Value) -> Part {
    let mut part = Part::default();
    let pointer = unit.find(pointer);
    let is_chain = matches!(unit.op(pointer), Op::AccessChain | Op::InBoundsAccessChain);
    let operands = unit.operands(pointer);
    if is_chain && unit.op(unit.find(operands[0])).is_variable() {
        for (slot, &index) in part.iter_mut().zip(&operands[1..]) {
            *slot = unit.integer(unit.find(index));
        }
    }
    part
}

/// Stores to a variable, in the order of their parts.
#[derive(Default)]
pub(super) struct Stores(BTreeSet<(Part, Value)>);

impl Stores {
    pub(super) fn add(&mut self, unit: &Unit, pointer: Value, store: Value) {
        self.0.insert((part_of(unit, pointer), store));
    }

    /// Takes out those that may have written what a pointer leads to.
    pub(super) fn take(&mut self, unit: &Unit, pointer: Value) -> Vec<Value> {
        let mut found = Vec::new();
        self.find(Part::default(), 0, &part_of(unit, pointer), &mut found);
        for store in &found {
            self.0.remove(store);
        }
        found.into_iter().map(|store| store.1).collect()
    }

    /// Finds those whose part begins like `start` up to `depth`, and has nothing behind that differs
    /// from an index of the part.
    fn find(&self, mut start: Part, depth: usize, part: &Part, found: &mut Vec<(Part, Value)>) {
        let mut end = start;
        end[depth..].fill(Some(u64::MAX));
        if part[depth..].iter().all(Option::is_none) {
            found.extend(self.0.range((start, 0)..=(end, Value::MAX)));
            return;
        }
        if let Some(index) = part[depth] {
            for next in [None, Some(index)] {
                start[depth] = next;
                self.find(start, depth + 1, part, found);
            }
            return;
        }
        // Each index that there is.
        while let Some(&(first, _)) = self.0.range((start, 0)..=(end, Value::MAX)).next() {
            start[depth] = first[depth];
            self.find(start, depth + 1, part, found);
            start[depth] = match first[depth] {
                None => Some(0),
                Some(u64::MAX) => return,
                Some(index) => Some(index + 1),
            };
        }
    }
}
