//! Numbers for states of memory.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Lists of regions and their versions, each with a number from 1 up.
#[derive(Default)]
pub(super) struct Tokens {
    hasher: DefaultHashBuilder,
    numbers: HashTable<u32>,
    states: Vec<u32>,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Tokens {
    /// None, with place for some.
    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            numbers: HashTable::with_capacity(count),
            states: Vec::with_capacity(count * 6),
            ends: Vec::with_capacity(count),
            ..Self::default()
        }
    }

    /// The number of a state.
    pub(super) fn number(&mut self, state: &[u32]) -> u32 {
        let hash = self.hasher.hash_one(state);
        let (states, ends) = (&self.states, &self.ends);
        let of = |number: u32| {
            let index = number as usize - 1;
            let start = index.checked_sub(1).map_or(0, |before| ends[before]);
            &states[start as usize..ends[index] as usize]
        };
        if let Some(&number) = self.numbers.find(hash, |&number| of(number) == state) {
            return number;
        }
        let number = ends.len() as u32 + 1;
        let hasher = &self.hasher;
        self.numbers
            .insert_unique(hash, number, |&number| hasher.hash_one(of(number)));
        self.states.extend_from_slice(state);
        self.ends.push(self.states.len() as u32);
        number
    }
}
