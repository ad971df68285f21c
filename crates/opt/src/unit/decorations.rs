//! Sets of decorations of the values in functions, and what becomes of them when two values turn
//! out to be one.

use hashbrown::HashMap;
use spirvkit_grammar::Decoration;

/// One decoration: the instruction's opcode and its operands behind the target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Entry {
    pub(crate) op: u16,
    pub(crate) words: Vec<u32>,
}

/// Sets of decorations, by number; 0 is the empty one.
#[derive(Clone, Default)]
pub(crate) struct Decorations {
    sets: Vec<Vec<Entry>>,
    /// Of each, what [`meaning`](Self::meaning), [`restrictions`](Self::restrictions) and
    /// [`permissions`](Self::permissions) say.
    parts: Vec<[u32; 3]>,
    numbers: HashMap<Vec<Entry>, u32>,
    merged: HashMap<(u32, u32), u32>,
}

/// What a decoration says.
#[derive(PartialEq)]
enum Sort {
    /// What may be done with a result: it holds for one that stands for two if both have it.
    Permission,
    /// What must not be done, or what a result needs: it holds if either has it.
    Restriction,
    /// What the result is.
    Meaning,
}

fn sort(entry: &Entry) -> Sort {
    match Decoration(entry.words.first().copied().unwrap_or(u32::MAX)) {
        Decoration::RelaxedPrecision
        | Decoration::FPFastMathMode
        | Decoration::NoSignedWrap
        | Decoration::NoUnsignedWrap => Sort::Permission,
        Decoration::NoContraction | Decoration::NonUniform => Sort::Restriction,
        _ => Sort::Meaning,
    }
}

impl Decorations {
    pub(crate) fn get(&self, set: u32) -> &[Entry] {
        match set.checked_sub(1) {
            Some(index) => self.sets.get(index as usize).map_or(&[], Vec::as_slice),
            None => &[],
        }
    }

    /// The number of a set.
    pub(super) fn number(&mut self, mut entries: Vec<Entry>) -> u32 {
        entries.sort_unstable();
        entries.dedup();
        if entries.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(&entries) {
            return number;
        }
        self.sets.push(entries.clone());
        let number = self.sets.len() as u32;
        self.parts.push([number; 3]);
        self.numbers.insert(entries.clone(), number);
        let of = |wanted: Sort| -> Vec<Entry> {
            let entries = entries.iter().filter(|entry| sort(entry) == wanted);
            entries.cloned().collect()
        };
        // Each is the set itself or a smaller one.
        let parts = [Sort::Meaning, Sort::Restriction, Sort::Permission].map(of);
        self.parts[number as usize - 1] = parts.map(|part| match part.len() == entries.len() {
            true => number,
            false => self.number(part),
        });
        number
    }

    /// The set for a value that stands for two.
    pub(crate) fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&merged) = self.merged.get(&key) {
            return merged;
        }
        let (one, other) = (self.get(a), self.get(b));
        let stays = |entry: &&Entry, beside: &[Entry]| match sort(entry) {
            Sort::Permission => beside.contains(entry),
            Sort::Restriction | Sort::Meaning => true,
        };
        let entries = one.iter().filter(|entry| stays(entry, other));
        let entries = entries.chain(other.iter().filter(|entry| stays(entry, one)));
        let entries = entries.cloned().collect();
        let merged = self.number(entries);
        self.merged.insert(key, merged);
        merged
    }

    /// The set with all decorations of two.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> u32 {
        let mut entries = self.get(a).to_vec();
        entries.extend_from_slice(self.get(b));
        self.number(entries)
    }

    /// The decorations that say what a result is: two results are only the same if they have
    /// the same of these.
    pub(crate) fn meaning(&self, set: u32) -> u32 {
        self.part(set)[0]
    }

    /// The decorations that whatever takes a value's place needs as well.
    pub(crate) fn restrictions(&self, set: u32) -> u32 {
        self.part(set)[1]
    }

    /// The decorations that say what may be done with a result.
    pub(crate) fn permissions(&self, set: u32) -> u32 {
        self.part(set)[2]
    }

    fn part(&self, set: u32) -> [u32; 3] {
        match set.checked_sub(1) {
            Some(index) => self.parts[index as usize],
            None => [0; 3],
        }
    }
}
