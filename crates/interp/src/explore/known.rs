//! What is known of who accesses what, over all executions looked at so far.
//!
//! Only memory that one invocation writes and another accesses makes events; all else is an
//! invocation's own. Which that is shows only in the course of exploration, so this is repeated
//! until nothing new shows: then no execution has accesses that weren't reckoned with, because
//! the first such access of an execution would have had only known ones before it.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::Spot;
use crate::program::Pc;

/// How many values of a spot are kept.
const MAX_VALUES: usize = 64;

/// What an invocation writes to a spot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Writes {
    /// How often in one execution, at most.
    pub(super) count: u32,
    pub(super) values: BTreeSet<u64>,
    /// Whether it has read what others may write before.
    pub(super) is_after_read: bool,
    /// Whether one of them was no release of all classes of memory.
    pub(super) is_weak: bool,
}

/// Something to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// An invocation reads.
    Read { spot: Spot, thread: usize },
    /// An invocation writes, for the `count`-th time.
    Write {
        spot: Spot,
        thread: usize,
        value: u64,
        count: u32,
    },
    /// More of a write to what others may access: the reads of such memory before it, and
    /// whether it is a release of all classes of memory.
    Order {
        spot: Spot,
        thread: usize,
        reads: Vec<Pc>,
        is_release: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    readers: BTreeMap<Spot, BTreeSet<usize>>,
    writers: BTreeMap<Spot, BTreeMap<usize, Writes>>,
    /// Reads behind which an invocation writes what others may read.
    followed: BTreeSet<(usize, Pc)>,
    /// Whether there were more values than are kept.
    pub(super) is_cut: bool,
}

impl Known {
    pub(super) fn add(&mut self, note: &Note) {
        match note {
            Note::Read { spot, thread } => {
                self.readers.entry(*spot).or_default().insert(*thread);
            }
            Note::Write {
                spot,
                thread,
                value,
                count,
            } => {
                let writes = self.writers.entry(*spot).or_default();
                let writes = writes.entry(*thread).or_default();
                writes.count = writes.count.max(*count);
                match writes.values.len() < MAX_VALUES {
                    true => _ = writes.values.insert(*value),
                    false => self.is_cut |= !writes.values.contains(value),
                }
            }
            Note::Order {
                spot,
                thread,
                reads,
                is_release,
            } => {
                let writes = self.writers.entry(*spot).or_default();
                let writes = writes.entry(*thread).or_default();
                writes.is_after_read |= !reads.is_empty();
                writes.is_weak |= !is_release;
                self.followed.extend(reads.iter().map(|&pc| (*thread, pc)));
            }
        }
    }

    /// The spots that one invocation writes and another accesses.
    pub(super) fn shared(&self) -> BTreeSet<Spot> {
        let writers = self.writers.iter();
        let is_shared = |(spot, writers): &(&Spot, &BTreeMap<usize, Writes>)| {
            let only = writers.keys().next();
            let others = |thread: &usize| Some(thread) != only;
            writers.len() > 1
                || self
                    .readers
                    .get(spot)
                    .is_some_and(|readers| readers.iter().any(others))
        };
        writers.filter(is_shared).map(|(spot, _)| *spot).collect()
    }

    /// Two different spots of which one is shared and both are partly the same memory.
    pub(super) fn overlap(&self) -> Option<(Spot, Spot)> {
        let mut spots: BTreeSet<Spot> = self.readers.keys().copied().collect();
        spots.extend(self.writers.keys());
        let spots: Vec<Spot> = spots.into_iter().collect();
        let end = |spot: &Spot| spot.offset + spot.bytes;
        for (index, first) in spots.iter().enumerate() {
            let behind = spots[index + 1..].iter();
            let near = behind.take_while(|it| it.space == first.space && it.offset < end(first));
            for second in near {
                if self.is_conflict(first, second) {
                    return Some((*first, *second));
                }
            }
        }
        None
    }

    fn is_conflict(&self, a: &Spot, b: &Spot) -> bool {
        let writes = |spot: &Spot, thread: usize| {
            self.writers
                .get(spot)
                .is_some_and(|it| it.contains_key(&thread))
        };
        let threads = |spot: &Spot| {
            let readers = self.readers.get(spot).into_iter().flatten().copied();
            let writers = self.writers.get(spot).into_iter().flatten();
            let all: BTreeSet<usize> = readers.chain(writers.map(|it| *it.0)).collect();
            all
        };
        threads(a).iter().any(|&x| {
            let other = |&y: &usize| x != y && (writes(a, x) || writes(b, y));
            threads(b).iter().any(other)
        })
    }

    /// Who writes to a spot.
    pub(super) fn writers(&self, spot: Spot) -> impl Iterator<Item = (usize, &Writes)> {
        let writers = self.writers.get(&spot).into_iter().flatten();
        writers.map(|(&thread, writes)| (thread, writes))
    }

    /// Whether an invocation may write what others read behind a read.
    pub(super) fn is_followed(&self, thread: usize, read: Pc) -> bool {
        self.followed.contains(&(thread, read))
    }
}
