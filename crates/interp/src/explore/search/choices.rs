//! What executions choose: which write a read reads from, where in the modification order an
//! atomic write comes, and what reads are promised.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Search, Settled};
use crate::explore::known::Writes;
use crate::explore::state::{Done, Pending, Read, State};
use crate::machine::Spot;
use crate::model::{Relation, Relations, Source};
use crate::program::Pc;
use crate::undefined::UndefinedBits;

impl Search<'_, '_> {
    /// Goes on with all choices that there are.
    pub(super) fn expand(&mut self, state: State, todo: &mut Vec<State>) {
        let pending = state.invocations.iter().map(|it| it.pending).enumerate();
        let mut is_over = true;
        if self.expand_promise(&state, todo) {
            return;
        }
        for (thread, pending) in pending.clone() {
            is_over &= pending == Pending::Ended;
            if pending == Pending::Stuck {
                self.incomplete("an invocation takes too many steps");
            }
            if let Pending::Write {
                spot,
                pc,
                atomic,
                value,
            } = pending
            {
                return self.expand_write(&state, thread, (spot, pc, atomic, value), todo);
            }
        }
        if is_over {
            return self.take_in(&state);
        }
        for (thread, pending) in pending {
            let Pending::Read(read) = pending else {
                continue;
            };
            let mut sources: Vec<Source> = Vec::new();
            if read.since.is_none() {
                sources.push(Source::Initial);
            }
            let writes = state.writes(read.spot);
            let new = writes.filter(|&write| write >= read.since.unwrap_or(0));
            sources.extend(new.map(Source::Write));
            if !sources.is_empty() {
                return self.expand_read(&state, thread, read, &sources, todo);
            }
        }
        // All wait for what never comes.
    }

    fn expand_write(
        &mut self,
        state: &State,
        thread: usize,
        (spot, pc, atomic, value): (Spot, Pc, u32, u64),
        todo: &mut Vec<State>,
    ) {
        let places = state.orders.get(&spot).map_or(0, Vec::len);
        for place in 0..=places {
            let mut next = state.clone();
            self.count(&mut next, thread, spot, value);
            let event = self.atomic_event(thread, spot, atomic, true);
            let done = Done {
                written: Some(value),
                ..Done::of(pc, Some(spot))
            };
            let (Settled::Open, index) = self.add(&mut next, event, Source::Open, done) else {
                return;
            };
            next.orders.entry(spot).or_default().insert(place, index);
            let invocation = Rc::make_mut(&mut next.invocations[thread]);
            invocation.pending = Pending::Nothing;
            invocation.alone.go_on();
            if self.is_consistent(&mut next) {
                todo.push(next);
            }
        }
    }

    fn expand_read(
        &mut self,
        state: &State,
        thread: usize,
        read: Read,
        sources: &[Source],
        todo: &mut Vec<State>,
    ) {
        // A write to come.
        if self.may_come(state, thread, read.spot) {
            let mut next = state.clone();
            let invocation = Rc::make_mut(&mut next.invocations[thread]);
            let since = Some(state.events.len());
            invocation.pending = Pending::Read(Read { since, ..read });
            todo.push(next);
        }
        if read.since.is_none() {
            for value in self.promises(state, thread, read) {
                let value = (value, UndefinedBits::default());
                self.take(state, thread, read, Source::Open, value, todo);
            }
        }
        for &source in sources {
            let value = match source {
                Source::Write(write) => {
                    let done = &state.done[write];
                    (done.written.unwrap_or(0), done.undefined)
                }
                _ => {
                    let undefined = self.initial_undefined(read.spot, read.pc);
                    (self.initial(read.spot), undefined)
                }
            };
            self.take(state, thread, read, source, value, todo);
        }
    }

    /// Whether others may still write to a spot.
    fn may_come(&self, state: &State, thread: usize, spot: Spot) -> bool {
        self.known
            .writers(spot)
            .any(|(writer, writes)| writer != thread && may_write(state, writer, spot, writes))
    }

    /// The values that a read may get from writes that come only because of it.
    ///
    /// In each circle of reads, and writes that come because of them, some write and the read
    /// of it don't synchronize for all memory: else each would happen before itself. It is
    /// enough that such reads are promised something. Plain ones aren't among them where
    /// nothing races.
    fn promises(&self, state: &State, thread: usize, read: Read) -> BTreeSet<u64> {
        let mut values = BTreeSet::new();
        let is_plain = read.atomic.is_none();
        let is_followed = self.known.is_followed(thread, read.pc);
        if !self.promises || !is_followed || is_plain && !self.is_racy {
            return values;
        }
        let is_strong = read.atomic.is_some_and(|index| {
            let event = self.atomic_event(thread, read.spot, index, true);
            event.is_acquire && self.is_of_all(&event)
        });
        for (writer, writes) in self.known.writers(read.spot) {
            let may_write = may_write(state, writer, read.spot, writes);
            let is_weak = !is_strong || writes.is_weak;
            if writer != thread && may_write && writes.is_after_read && is_weak {
                values.extend(&writes.values);
            }
        }
        values
    }

    /// Lets a read get a value from a source.
    fn take(
        &mut self,
        state: &State,
        thread: usize,
        read: Read,
        source: Source,
        value: (u64, UndefinedBits),
        todo: &mut Vec<State>,
    ) {
        let Read {
            spot, pc, atomic, ..
        } = read;
        let mut next = state.clone();
        let invocation = Rc::make_mut(&mut next.invocations[thread]);
        invocation.pending = Pending::Nothing;
        let mut done = Done {
            promised: (source == Source::Open).then_some(value.0),
            since: state.events.len() + 1,
            ..Done::of(pc, Some(spot))
        };
        let event = match atomic {
            None => {
                invocation.alone.load(self.program, pc, value);
                self.access(thread, pc, spot, false)
            }
            Some(index) => {
                let atomic = &self.program.atomics[index as usize];
                done.written = invocation.alone.replaced(atomic, value.0);
                invocation.alone.set_result(self.program, atomic, value);
                self.atomic_event(thread, spot, index, done.written.is_some())
            }
        };
        invocation.alone.go_on();
        next.has_promise |= source == Source::Open;
        let written = done.written;
        if let Some(new) = written {
            invocation.standings.clear();
            self.count(&mut next, thread, spot, new);
        }
        let (Settled::Open, index) = self.add(&mut next, event, source, done) else {
            return;
        };
        // Its own write doesn't come behind it.
        Rc::make_mut(&mut next.invocations[thread]).reads.push(pc);
        if written.is_none() {
            if self.is_consistent(&mut next) {
                todo.push(next);
            }
            return;
        }
        // It comes right behind what it reads; elsewhere if that has no place.
        let order = next.orders.entry(spot).or_default();
        let places = match source {
            Source::Write(write) => match order.iter().position(|it| *it == write) {
                Some(place) => place + 1..=place + 1,
                None => 0..=order.len(),
            },
            Source::Initial => 0..=0,
            Source::Open => 0..=order.len(),
        };
        for place in places {
            let mut next = next.clone();
            next.orders.entry(spot).or_default().insert(place, index);
            if self.is_consistent(&mut next) {
                todo.push(next);
            }
        }
    }

    /// Lets the first promise that isn't kept be kept by the first write that may keep it, or
    /// not. Whether the state is done with by that, or because the promise can't be kept.
    fn expand_promise(&mut self, state: &State, todo: &mut Vec<State>) -> bool {
        for read in state.promises() {
            let Done {
                spot: Some(spot),
                promised: Some(value),
                since,
                ..
            } = state.done[read]
            else {
                continue;
            };
            let thread = state.events[read].thread;
            let keeps = |write: &usize| {
                *write >= since
                    && state.done[*write].written == Some(value)
                    && state.events[*write].thread != thread
            };
            let Some(write) = state.writes(spot).find(keeps) else {
                if self.may_keep(state, thread, spot, value) {
                    continue;
                }
                return true;
            };
            let mut other = state.clone();
            other.done[read].since = write + 1;
            todo.push(other);
            if state.may_cause(read, write) {
                let mut kept = state.clone();
                kept.sources[read] = Source::Write(write);
                if self.is_consistent(&mut kept) {
                    todo.push(kept);
                }
            }
            return true;
        }
        false
    }

    /// Whether another invocation may still write a promised value.
    fn may_keep(&self, state: &State, thread: usize, spot: Spot, value: u64) -> bool {
        self.known.writers(spot).any(|(writer, writes)| {
            writer != thread
                && writes.is_after_read
                && writes.values.contains(&value)
                && may_write(state, writer, spot, writes)
        })
    }
}

impl State {
    /// The writes to a spot.
    pub(super) fn writes(&self, spot: Spot) -> impl Iterator<Item = usize> + '_ {
        let done = self.done.iter().enumerate();
        done.filter(move |(_, done)| done.spot == Some(spot) && done.written.is_some())
            .map(|(index, _)| index)
    }

    /// The reads with a promise that isn't kept yet.
    pub(super) fn promises(&self) -> impl Iterator<Item = usize> + '_ {
        let done = self.done.iter().zip(&self.sources).enumerate();
        let open =
            done.filter(|(_, (done, source))| done.promised.is_some() && **source == Source::Open);
        open.map(|(read, _)| read)
    }

    /// Whether a write may have come because of a read, as far as is known yet.
    fn may_cause(&self, read: usize, write: usize) -> bool {
        let mut seen = vec![false; self.events.len()];
        let mut todo = vec![write];
        while let Some(event) = todo.pop() {
            if std::mem::replace(&mut seen[event], true) {
                continue;
            }
            let is_promised = self.done[event].promised.is_some();
            if event == read || is_promised && self.sources[event] == Source::Open {
                return true;
            }
            if let Source::Write(source) = self.sources[event] {
                todo.push(source);
            }
            let thread = self.events[event].thread;
            todo.extend((0..event).filter(|&it| self.events[it].thread == thread));
        }
        false
    }

    /// Whether each promised write came only because of the promise. Otherwise the read could
    /// as well have waited, and the execution is among the others.
    pub(super) fn are_promises_needed(&self, relations: &Relations) -> bool {
        let causes: Relation = &relations.program_order | &relations.reads_from;
        let promised = (0..self.done.len()).filter(|&read| self.done[read].promised.is_some());
        promised.into_iter().all(|read| {
            let others = &causes - &relations.reads_from.between(!0, 1 << read);
            match self.sources[read] {
                Source::Write(write) => others.closure().contains(read, write),
                _ => false,
            }
        })
    }
}

/// Whether an invocation may write to a spot more often than it has.
fn may_write(state: &State, thread: usize, spot: Spot, writes: &Writes) -> bool {
    let invocation = &state.invocations[thread];
    let count = invocation.counts.get(&spot).copied().unwrap_or(0);
    invocation.pending != Pending::Ended && count < writes.count
}
