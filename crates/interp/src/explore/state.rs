//! An execution as far as it has come.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::known::Note;
use crate::machine::{Alone, Findings, Spot, Standing};
use crate::model::{Event, Execution, Relation, Source, Thread};
use crate::program::Pc;
use crate::undefined::UndefinedBits;

/// What an invocation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// Nothing: it can go on.
    Nothing,
    Read(Read),
    /// An atomic that only writes.
    Write {
        spot: Spot,
        pc: Pc,
        atomic: u32,
        value: u64,
    },
    Barrier {
        pc: Pc,
        workgroup: bool,
        fence: u32,
    },
    Ended,
    /// It goes on for ever by itself.
    Stuck,
}

/// A read whose source isn't chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) spot: Spot,
    pub(super) pc: Pc,
    /// The atomic that it is part of.
    pub(super) atomic: Option<u32>,
    /// It reads from no event before this one, and not the initial value if this isn't 0.
    pub(super) since: Option<usize>,
}

/// An invocation as far as it has come.
#[derive(Clone)]
pub(super) struct Invocation {
    pub(super) alone: Alone,
    pub(super) pending: Pending,
    /// What it has written to memory that no other accesses.
    pub(super) own: BTreeMap<(u32, u32), u8>,
    /// Which bytes of that it has written undefined values to.
    pub(super) undefined: BTreeMap<(u32, u32), UndefinedBits>,
    /// How many accesses to such memory it has made since it has last chosen anything.
    pub(super) alone_for: u32,
    /// How often it has written to each spot.
    pub(super) counts: BTreeMap<Spot, u32>,
    /// The reads since it has last written anything.
    pub(super) standings: Vec<Standing>,
    /// The instructions at which it has read what others may write.
    pub(super) reads: Vec<Pc>,
}

/// What an event did, besides what the memory model has to know.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) pc: Pc,
    pub(super) spot: Option<Spot>,
    /// What it wrote.
    pub(super) written: Option<u64>,
    /// Which bits of that are undefined.
    pub(super) undefined: UndefinedBits,
    /// What it read, if it is to read from a write to come.
    pub(super) promised: Option<u64>,
    /// The first event by which the promise may be kept.
    pub(super) since: usize,
}

#[derive(Clone)]
pub(super) struct State {
    pub(super) invocations: Vec<Rc<Invocation>>,
    pub(super) events: Vec<Event>,
    pub(super) sources: Vec<Source>,
    pub(super) done: Vec<Done>,
    /// The atomic writes to each spot, in an order.
    pub(super) orders: BTreeMap<Spot, Vec<usize>>,
    /// Events that are the same instance of a control barrier.
    pub(super) barriers: Vec<Vec<usize>>,
    pub(super) findings: Findings,
    /// Whether a read has been promised a value.
    pub(super) has_promise: bool,
    /// What is worth knowing of it if its promises are kept.
    pub(super) notes: Vec<Note>,
    /// How many events there were when it was last looked at.
    pub(super) checked: usize,
}

impl State {
    /// Adds an event, and returns its index.
    pub(super) fn add(&mut self, event: Event, source: Source, done: Done) -> usize {
        self.events.push(event);
        self.sources.push(source);
        self.done.push(done);
        self.events.len() - 1
    }

    /// The execution for the memory model.
    pub(super) fn execution(&self, threads: &[Thread]) -> Execution {
        let n = self.events.len();
        let mut execution = Execution::new(self.events.clone(), threads.to_vec());
        execution.sources.clone_from(&self.sources);
        for group in &self.barriers {
            for &a in group {
                group.iter().for_each(|&b| execution.barriers.insert(a, b));
            }
        }
        let mut order = Relation::empty(n);
        for writes in self.orders.values() {
            for (index, &a) in writes.iter().enumerate() {
                writes[index + 1..].iter().for_each(|&b| order.insert(a, b));
            }
        }
        execution.modification_order = order;
        execution
    }
}
