//! Laying out the pools and hash tables that the generated tables consist of.

use std::collections::HashMap;
use std::hash::Hash;

/// Strings, one after the other; equal strings stand once.
#[derive(Default)]
pub(super) struct NamePool {
    pub(super) text: String,
    known: HashMap<String, u32>,
}

impl NamePool {
    /// The packed offset and length of a name.
    pub(super) fn add(&mut self, name: &str) -> Result<u32, String> {
        if let Some(&packed) = self.known.get(name) {
            return Ok(packed);
        }
        let packed = pack(self.text.len(), name.len())?;
        self.text.push_str(name);
        self.known.insert(name.to_owned(), packed);
        Ok(packed)
    }
}

/// Runs of items, one after the other; a run that stands anywhere in the pool
/// already is not added again.
pub(super) struct RunPool<T> {
    pub(super) items: Vec<T>,
    known: HashMap<Vec<T>, u32>,
}

impl<T> Default for RunPool<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> RunPool<T> {
    /// The packed start and length of a run.
    pub(super) fn add(&mut self, run: &[T]) -> Result<u32, String> {
        if run.is_empty() {
            return Ok(0);
        }
        if let Some(&packed) = self.known.get(run) {
            return Ok(packed);
        }
        let start = self
            .items
            .windows(run.len())
            .position(|window| window == run);
        let start = start.unwrap_or_else(|| {
            self.items.extend_from_slice(run);
            self.items.len() - run.len()
        });
        let packed = pack(start, run.len())?;
        self.known.insert(run.to_vec(), packed);
        Ok(packed)
    }
}

fn pack(start: usize, length: usize) -> Result<u32, String> {
    match (u32::try_from(start), u8::try_from(length)) {
        (Ok(start), Ok(length)) if start < 1 << 24 => Ok(start << 8 | u32::from(length)),
        _ => Err(format!(
            "a run of {length} at {start} does not fit its packed form"
        )),
    }
}

/// An open-addressing table, at most half full, of indices into `hashes` plus
/// one; 0 marks a free slot.
pub(super) fn slots(hashes: &[u32]) -> Vec<u16> {
    let mut slots = vec![0; (hashes.len() * 2).next_power_of_two()];
    let mask = slots.len() - 1;
    for (index, &hash) in hashes.iter().enumerate() {
        let mut slot = hash as usize & mask;
        while slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slots[slot] = u16::try_from(index + 1).expect("fewer than 65,535 names");
    }
    slots
}
