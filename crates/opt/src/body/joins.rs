//! Where ways meet on which variables or memory differ, and what comes there.

use std::ops::Range;

use super::flow::Flow;
use crate::unit::Value;

/// What comes to where ways meet.
#[derive(Default)]
pub(super) struct Joins {
    /// Pairs of a block and a leaf, sorted.
    pairs: Vec<(u32, u32)>,
    /// Where those of each block begin.
    starts: Vec<u32>,
    /// The values that come there with the blocks that they come from, and how many did so far. Each
    /// has room for as many as its block has predecessors.
    arrived: Vec<(Value, u32)>,
    rooms: Vec<u32>,
    counts: Vec<u32>,
    /// The phis that wait for these.
    pub(super) phis: Vec<Value>,
}

impl Joins {
    pub(super) fn new(mut pairs: Vec<(u32, u32)>, flow: &Flow) -> Self {
        pairs.sort_unstable();
        let blocks = flow.number.len();
        let mut starts = vec![0; blocks + 1];
        let mut rooms = Vec::with_capacity(pairs.len());
        let mut room = 0;
        for &(block, _) in &pairs {
            starts[block as usize + 1] += 1;
            rooms.push(room);
            room += flow.graph.predecessors(block).len() as u32;
        }
        for block in 0..blocks {
            starts[block + 1] += starts[block];
        }
        Self {
            starts,
            arrived: vec![(0, 0); room as usize],
            rooms,
            counts: vec![0; pairs.len()],
            phis: vec![0; pairs.len()],
            pairs,
        }
    }

    /// The numbers of those at a block.
    pub(super) fn at(&self, block: u32) -> Range<usize> {
        let [from, to] = [block, block + 1].map(|it| self.starts.get(it as usize).copied());
        from.unwrap_or(0) as usize..to.unwrap_or(0) as usize
    }

    /// The block and the leaf of one.
    pub(super) fn get(&self, index: usize) -> (u32, u32) {
        self.pairs[index]
    }

    /// What has come to one so far.
    pub(super) fn arrived(&self, index: usize) -> &[(Value, u32)] {
        let from = self.rooms[index] as usize;
        &self.arrived[from..from + self.counts[index] as usize]
    }

    /// Notes what comes from a block, each of which comes once.
    pub(super) fn arrive(&mut self, index: usize, value: Value, from: u32) {
        let place = self.rooms[index] + self.counts[index];
        if let Some(slot) = self.arrived.get_mut(place as usize) {
            *slot = (value, from);
            self.counts[index] += 1;
        }
    }
}
