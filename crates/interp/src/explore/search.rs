//! All executions that the memory model allows.
//!
//! Invocations run up to where they need something: writes and barriers become events at
//! once, because they take nothing from anyone. A read chooses its source among the writes
//! there are, or waits for one to come; so each choice of sources comes up once. A read may
//! also get the value of a write that only comes because of it (load buffering): it is
//! promised a value that another invocation is known to write, and the promise must be kept.
//! Atomic writes choose their places in the modification order. Whatever the axioms don't
//! allow is left at once: none of them allows a whole execution whose beginning it doesn't.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use spirvkit_grammar::{MemorySemantics, Op};

use super::known::{Known, Note, Writes};
use super::state::{Done, Invocation, Pending, Read, State};
use crate::machine::{Alone, Findings, Shared, Spot, Stopped, value};
use crate::model::{
    Classes, Event, MAX_EVENTS, Relation, Relations, Scope, Source, Thread, members,
};
use crate::program::{Fence, Level, ObjectKind, Pc, Program, Sharing};

/// The storage classes, as the memory model has them as bits.
const BUFFERS: Classes = 1;
const WORKGROUP: Classes = 2;
const IMAGES: Classes = 4;

/// How many accesses to memory of its own an invocation may make between others.
const MAX_ALONE: u32 = 1 << 14;

/// How many of an invocation's reads since its last write are compared with the next.
const MAX_STANDINGS: usize = 64;

/// How often all is explored anew because more accesses have shown to be shared.
const MAX_PASSES: usize = 32;

/// The final memory of an execution: the buffers, and behind them the memory of workgroups.
pub(super) type Memory = Vec<Vec<u8>>;

/// Two accesses that race, with who makes them.
pub(super) type Race = [(Pc, usize); 2];

/// Where a race is, for messages: the name of the memory, and the offset in it.
pub(super) type Place = (Arc<str>, u32);

/// What came out.
#[derive(Default)]
pub(super) struct Found {
    pub(super) outcomes: BTreeSet<Memory>,
    pub(super) races: BTreeMap<[Pc; 2], (Race, Spot)>,
    pub(super) findings: Findings,
    pub(super) executions: u64,
    /// Why not all was explored.
    pub(super) incomplete: Option<String>,
}

/// How much may be explored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many times an execution or a part of one is looked at.
    pub(super) looks: u64,
    /// How many steps an invocation may take between accesses.
    pub(super) steps: u64,
    /// How many outcomes are kept.
    pub(super) outcomes: usize,
}

pub(super) struct Search<'s, 'p> {
    shared: &'s mut Shared<'p>,
    program: &'s Program,
    threads: Vec<Thread>,
    /// Who runs: the workgroup with its number, and the index in it.
    who: Vec<([u32; 3], u32, u32)>,
    subgroup_size: u32,
    groups: u32,
    limits: Limits,
    looks: u64,
    known: Known,
    next: Known,
    spots: BTreeSet<Spot>,
    /// Whether reads may be promised values.
    promises: bool,
    /// Whether there are data races without that.
    is_racy: bool,
    found: Found,
}

/// What became of a state.
enum Settled {
    /// It goes on.
    Open,
    /// It isn't allowed, or nothing comes of it.
    Dead,
}

impl<'s, 'p> Search<'s, 'p> {
    /// The search over a program, whose form with stops is that of `shared`.
    pub(super) fn new(
        shared: &'s mut Shared<'p>,
        program: &'s Program,
        subgroup_size: u32,
        limits: Limits,
    ) -> Self {
        let size: u32 = program.workgroup_size.iter().product();
        let [x, y, z] = shared.groups;
        let ids = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
        let subgroups = size.div_ceil(subgroup_size);
        let mut who = Vec::new();
        let mut threads = Vec::new();
        for (group, id) in ids.enumerate() {
            for local in 0..size {
                who.push((id, group as u32, local));
                threads.push(Thread {
                    subgroup: group as u32 * subgroups + local / subgroup_size,
                    workgroup: group as u32,
                    queue_family: 0,
                });
            }
        }
        Self {
            groups: x * y * z,
            shared,
            program,
            threads,
            who,
            subgroup_size,
            limits,
            looks: 0,
            known: Known::default(),
            next: Known::default(),
            spots: BTreeSet::new(),
            promises: false,
            is_racy: false,
            found: Found::default(),
        }
    }

    /// Who an invocation is: its workgroup and its index in it.
    pub(super) fn who(&self, thread: usize) -> ([u32; 3], u32) {
        let (id, _, local) = self.who[thread];
        (id, local)
    }

    /// Where a spot is.
    pub(super) fn place(&self, spot: Spot) -> Place {
        let buffers = self.shared.buffers.len();
        let objects = self.program.objects.iter().zip(&self.shared.homes);
        let mut found = objects.filter_map(|(object, &home)| match object.kind {
            ObjectKind::Buffer { .. }
            | ObjectKind::Memory { .. }
            | ObjectKind::Argument { .. }
            | ObjectKind::Global { .. } => (home == spot.space as usize).then_some((object, 0)),
            ObjectKind::Workgroup { start, size } => {
                let is_in = (start..start + size).contains(&spot.offset);
                (spot.space as usize >= buffers && is_in).then_some((object, start))
            }
            _ => None,
        });
        match found.next() {
            Some((object, start)) => (Arc::clone(&object.name), spot.offset - start),
            None => (Arc::from("memory"), spot.offset),
        }
    }

    /// Explores until nothing new shows.
    pub(super) fn run(&mut self) -> Found {
        let mut plain = Found::default();
        for _ in 0..MAX_PASSES {
            self.found = Found::default();
            self.next = self.known.clone();
            self.spots = self.known.shared();
            self.pass();
            let is_settled = self.next == self.known;
            self.known = self.next.clone();
            if self.looks > self.limits.looks {
                break;
            }
            if is_settled && !self.promises {
                self.promises = true;
                self.is_racy = !self.found.races.is_empty();
                plain = std::mem::take(&mut self.found);
                continue;
            }
            if is_settled {
                if self.known.is_cut {
                    self.incomplete("a location has too many values");
                }
                if self.known.overlap().is_some() {
                    self.incomplete("accesses of different sizes to the same memory");
                }
                return std::mem::take(&mut self.found);
            }
        }
        self.incomplete("the limit of executions is reached");
        // What was found without promises holds anyway.
        let mut found = std::mem::take(&mut self.found);
        found.outcomes.append(&mut plain.outcomes);
        found.races.append(&mut plain.races);
        found.findings.merge(plain.findings);
        found.executions = found.executions.max(plain.executions);
        found
    }

    fn incomplete(&mut self, why: &str) {
        self.found.incomplete.get_or_insert_with(|| why.to_owned());
    }

    fn pass(&mut self) {
        let who = self.who.clone();
        let begin = |&(id, group, local): &([u32; 3], u32, u32)| {
            Rc::new(Invocation {
                alone: Alone::begin(self.shared, id, group, local, self.subgroup_size),
                pending: Pending::Nothing,
                own: BTreeMap::new(),
                alone_for: 0,
                counts: BTreeMap::new(),
                standings: Vec::new(),
                reads: Vec::new(),
            })
        };
        let mut todo = vec![State {
            invocations: who.iter().map(begin).collect(),
            events: Vec::new(),
            sources: Vec::new(),
            done: Vec::new(),
            orders: BTreeMap::new(),
            barriers: Vec::new(),
            findings: Findings::default(),
            has_promise: false,
            notes: Vec::new(),
            checked: 0,
        }];
        while let Some(mut state) = todo.pop() {
            if let Settled::Dead = self.settle(&mut state) {
                continue;
            }
            self.looks += 1;
            if self.looks > self.limits.looks {
                return self.incomplete("the limit of executions is reached");
            }
            self.expand(state, &mut todo);
        }
    }

    /// Lets all invocations run up to where they have to choose.
    fn settle(&mut self, state: &mut State) -> Settled {
        loop {
            for thread in 0..state.invocations.len() {
                while state.invocations[thread].pending == Pending::Nothing {
                    if let Settled::Dead = self.advance(state, thread) {
                        return Settled::Dead;
                    }
                }
            }
            if !self.pass_barriers(state) {
                break;
            }
        }
        match state.events.len() == state.checked || self.is_consistent(state) {
            true => Settled::Open,
            false => Settled::Dead,
        }
    }

    /// Lets an invocation go on to the next thing that it stops for.
    fn advance(&mut self, state: &mut State, thread: usize) -> Settled {
        let program = self.program;
        let invocation = Rc::make_mut(&mut state.invocations[thread]);
        self.shared.steps = 0;
        self.shared.max_steps = self.limits.steps;
        std::mem::swap(&mut self.shared.findings, &mut state.findings);
        let (pc, stopped) = invocation.alone.advance(self.shared, program);
        std::mem::swap(&mut self.shared.findings, &mut state.findings);
        invocation.alone_for += 1;
        if invocation.alone_for > MAX_ALONE {
            invocation.pending = Pending::Stuck;
            return Settled::Open;
        }
        let read = |spot, atomic| {
            let since = None;
            Pending::Read(Read {
                spot,
                pc,
                atomic,
                since,
            })
        };
        match stopped {
            Stopped::Limit => invocation.pending = Pending::Stuck,
            Stopped::Ended => invocation.pending = Pending::Ended,
            Stopped::Barrier { workgroup, fence } => {
                invocation.pending = Pending::Barrier {
                    pc,
                    workgroup,
                    fence,
                };
            }
            Stopped::Fence(fence) => {
                invocation.alone.go_on();
                let event = fence_event(thread, program.fences[fence as usize]);
                if event.is_fence {
                    let done = Done::of(pc, None);
                    return self.add(state, event, Source::Open, done).0;
                }
            }
            Stopped::Load(spot) => {
                self.note(state, Note::Read { spot, thread });
                if self.spots.contains(&spot) {
                    return self.wait_to_read(state, thread, read(spot, None));
                }
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                let old = self.own(invocation, spot);
                invocation.alone.load(program, pc, old);
                invocation.alone.go_on();
            }
            Stopped::Store(spot, new) => {
                self.count(state, thread, spot, new);
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                invocation.standings.clear();
                invocation.alone.go_on();
                if !self.spots.contains(&spot) {
                    set_own(invocation, spot, new);
                    return Settled::Open;
                }
                let event = self.access(thread, pc, spot, true);
                let done = Done {
                    written: Some(new),
                    ..Done::of(pc, Some(spot))
                };
                return self.add(state, event, Source::Open, done).0;
            }
            Stopped::Atomic(spot, index) => {
                let atomic = &program.atomics[index as usize];
                let is_read = atomic.op != Op::AtomicStore;
                if is_read {
                    self.note(state, Note::Read { spot, thread });
                }
                let is_shared = self.spots.contains(&spot);
                if is_shared && is_read {
                    return self.wait_to_read(state, thread, read(spot, Some(index)));
                }
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                if is_shared {
                    invocation.standings.clear();
                    invocation.pending = Pending::Write {
                        spot,
                        pc,
                        atomic: index,
                        value: invocation.alone.replaced(atomic, 0).unwrap_or(0),
                    };
                    return Settled::Open;
                }
                let old = self.own(invocation, spot);
                let new = invocation.alone.replaced(atomic, old);
                invocation.alone.set_result(atomic, old);
                invocation.alone.go_on();
                if let Some(new) = new {
                    invocation.standings.clear();
                    set_own(invocation, spot, new);
                    self.count(state, thread, spot, new);
                }
            }
        }
        Settled::Open
    }

    /// Lets an invocation wait for the source of a read. It isn't worth following if it has
    /// stood here in the same way and written nothing since: whatever it may still do, it may
    /// do without having gone round.
    fn wait_to_read(&mut self, state: &mut State, thread: usize, read: Pending) -> Settled {
        let invocation = Rc::make_mut(&mut state.invocations[thread]);
        invocation.alone_for = 0;
        invocation.pending = read;
        let Pending::Read(Read { pc, .. }) = read else {
            return Settled::Open;
        };
        let standing = invocation.alone.standing(pc);
        if invocation.standings.contains(&standing) {
            return Settled::Dead;
        }
        if invocation.standings.len() < MAX_STANDINGS {
            invocation.standings.push(standing);
        }
        Settled::Open
    }

    /// Notes a write.
    fn count(&mut self, state: &mut State, thread: usize, spot: Spot, value: u64) {
        let invocation = Rc::make_mut(&mut state.invocations[thread]);
        let count = invocation.counts.entry(spot).or_insert(0);
        *count += 1;
        let count = *count;
        let note = Note::Write {
            spot,
            thread,
            value,
            count,
        };
        self.note(state, note);
    }

    /// Notes what an invocation does. It may be done only because of a promise, and then
    /// counts once that is kept.
    fn note(&mut self, state: &mut State, note: Note) {
        match state.has_promise {
            true => state.notes.push(note),
            false => self.next.add(&note),
        }
    }

    /// Adds an event; its index, if there is room.
    fn add(
        &mut self,
        state: &mut State,
        event: Event,
        source: Source,
        done: Done,
    ) -> (Settled, usize) {
        if state.events.len() >= MAX_EVENTS {
            self.incomplete("an execution has too many accesses");
            return (Settled::Dead, 0);
        }
        if let (true, Some(spot)) = (event.is_write, done.spot) {
            let note = Note::Order {
                spot,
                thread: event.thread,
                reads: state.invocations[event.thread].reads.clone(),
                is_release: event.is_release && self.is_of_all(&event),
            };
            self.note(state, note);
        }
        (Settled::Open, state.add(event, source, done))
    }

    /// Whether an operation orders all memory that is shared, among all invocations.
    fn is_of_all(&self, event: &Event) -> bool {
        let buffers = self.shared.buffers.len();
        let class = |spot: &Spot| match (spot.space as usize) < buffers {
            true => BUFFERS,
            false => WORKGROUP,
        };
        let classes = self.spots.iter().fold(0, |all, spot| all | class(spot));
        let are_all = |group: fn(&Thread) -> u32| {
            let mut groups = self.threads.iter().map(group);
            groups.all(|it| Some(it) == self.threads.first().map(group))
        };
        let is_wide = match event.scope {
            Some(Scope::Device | Scope::QueueFamily) => true,
            Some(Scope::Workgroup) => are_all(|it| it.workgroup),
            Some(Scope::Subgroup) => are_all(|it| it.subgroup),
            _ => self.threads.len() == 1,
        };
        is_wide && event.semantics & classes == classes
    }

    /// The value that only its invocation may have changed.
    fn own(&self, invocation: &Invocation, spot: Spot) -> u64 {
        let initial = self.initial(spot);
        let mut bytes = initial.to_le_bytes();
        for (byte, offset) in bytes.iter_mut().zip(spot.offset..spot.offset + spot.bytes) {
            if let Some(&own) = invocation.own.get(&(spot.space, offset)) {
                *byte = own;
            }
        }
        value(&bytes)
    }

    fn initial(&self, spot: Spot) -> u64 {
        let buffer = self.shared.buffers.get(spot.space as usize);
        let (start, end) = (spot.offset as usize, (spot.offset + spot.bytes) as usize);
        buffer
            .and_then(|buffer| buffer.get(start..end))
            .map_or(0, value)
    }

    /// The event of a load or store.
    fn access(&self, thread: usize, pc: Pc, spot: Spot, is_write: bool) -> Event {
        let common = Sharing {
            is_private: true,
            available: None,
            visible: None,
        };
        let place = self.program.places.get(pc as usize).copied();
        let sharing = self
            .program
            .sharing
            .get(&(place.unwrap_or(0), is_write))
            .copied();
        let sharing = sharing.or(self.program.common_sharing).unwrap_or(common);
        let level = if is_write {
            sharing.available
        } else {
            sharing.visible
        };
        Event {
            is_read: !is_write,
            is_write,
            is_available: is_write && level.is_some(),
            is_visible: !is_write && level.is_some(),
            is_non_private: !sharing.is_private,
            scope: level.map(scope),
            ..self.at(thread, spot)
        }
    }

    /// An event at a spot.
    fn at(&self, thread: usize, spot: Spot) -> Event {
        let is_buffer = (spot.space as usize) < self.shared.buffers.len();
        let location = self.spots.iter().position(|it| *it == spot);
        Event {
            thread,
            class: if is_buffer { BUFFERS } else { WORKGROUP },
            location: location.unwrap_or(self.spots.len()) as u32,
            reference: spot.space,
            ..Event::default()
        }
    }

    /// The event of an atomic, which writes or doesn't.
    fn atomic_event(&self, thread: usize, spot: Spot, index: u32, is_write: bool) -> Event {
        let atomic = &self.program.atomics[index as usize];
        let semantics = match is_write || atomic.op == Op::AtomicLoad {
            true => atomic.fence.semantics,
            false => atomic.unequal,
        };
        let is_read = atomic.op != Op::AtomicStore;
        let ordered = Ordered::of(semantics);
        let (is_acquire, is_release) = (ordered.acquire && is_read, ordered.release && is_write);
        Event {
            is_read,
            is_write,
            is_atomic: true,
            is_acquire,
            is_release,
            is_available: is_write,
            is_visible: is_read,
            is_non_private: true,
            makes_available: ordered.makes_available && is_release,
            makes_visible: ordered.makes_visible && is_acquire,
            semantics: if is_acquire || is_release {
                ordered.classes
            } else {
                0
            },
            scope: Some(scope(atomic.fence.level)),
            ..self.at(thread, spot)
        }
    }

    /// Lets those go on that wait at a barrier together; false if there are none.
    fn pass_barriers(&mut self, state: &mut State) -> bool {
        let mut has_passed = false;
        for first in 0..state.invocations.len() {
            let Pending::Barrier { pc, workgroup, .. } = state.invocations[first].pending else {
                continue;
            };
            let group = |thread: usize| match workgroup {
                true => self.threads[thread].workgroup,
                false => self.threads[thread].subgroup,
            };
            let members: Vec<usize> = (0..self.threads.len())
                .filter(|&thread| group(thread) == group(first))
                .collect();
            let waits = |&thread: &usize| match state.invocations[thread].pending {
                Pending::Barrier { workgroup: of, .. } => of == workgroup,
                _ => false,
            };
            let has_ended = |thread: &usize| state.invocations[*thread].pending == Pending::Ended;
            if !members.iter().all(|it| waits(it) || has_ended(it)) {
                continue;
            }
            has_passed = true;
            let waiting: Vec<usize> = members.iter().copied().filter(waits).collect();
            self.report_barrier(state, &members, &waiting, pc);
            let mut instance = Vec::new();
            for thread in waiting {
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                let Pending::Barrier { pc, fence, .. } = invocation.pending else {
                    continue;
                };
                invocation.pending = Pending::Nothing;
                invocation.standings.clear();
                invocation.alone.go_on();
                let event = Event {
                    is_control_barrier: true,
                    ..fence_event(thread, self.program.fences[fence as usize])
                };
                let (settled, index) = self.add(state, event, Source::Open, Done::of(pc, None));
                if let Settled::Dead = settled {
                    return false;
                }
                instance.push(index);
            }
            state.barriers.push(instance);
        }
        has_passed
    }

    /// Reports a barrier that only a part of a group has reached.
    fn report_barrier(&self, state: &mut State, members: &[usize], waiting: &[usize], pc: Pc) {
        let (id, local) = self.who(waiting[0]);
        let who = crate::machine::Invocations {
            workgroup: id,
            first: local,
            count: 1,
        };
        let at = |thread: &usize| match state.invocations[*thread].pending {
            Pending::Barrier { pc, .. } => pc,
            _ => pc,
        };
        let other = waiting.iter().map(at).find(|&other| other != pc);
        let findings = &mut state.findings;
        match other {
            Some(other) => findings.divergent_barrier(self.program, pc + 1, other + 1, who),
            None if waiting.len() < members.len() => {
                findings.ended_before_barrier(self.program, pc + 1, who);
            }
            None => {}
        }
    }

    /// Whether the axioms allow what there is. Races are noted, unless there are promises.
    fn is_consistent(&mut self, state: &mut State) -> bool {
        state.checked = state.events.len();
        let relations = Relations::of(&state.execution(&self.threads));
        if !relations.is_consistent() {
            return false;
        }
        if !state.has_promise {
            self.note_races(state, &relations);
        }
        true
    }

    fn note_races(&mut self, state: &State, relations: &Relations) {
        for (a, b) in relations.data_race.pairs().filter(|(a, b)| a < b) {
            let who = |event: usize| (state.done[event].pc, state.events[event].thread);
            let mut race = [who(a), who(b)];
            race.sort_unstable();
            let places = race.map(|it| it.0);
            if let Some(spot) = state.done[b].spot {
                self.found.races.entry(places).or_insert((race, spot));
            }
        }
    }

    /// Goes on with all choices that there are.
    fn expand(&mut self, state: State, todo: &mut Vec<State>) {
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
                self.take(state, thread, read, Source::Open, value, todo);
            }
        }
        for &source in sources {
            let value = match source {
                Source::Write(write) => state.done[write].written.unwrap_or(0),
                _ => self.initial(read.spot),
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
        value: u64,
        todo: &mut Vec<State>,
    ) {
        let Read {
            spot, pc, atomic, ..
        } = read;
        let mut next = state.clone();
        let invocation = Rc::make_mut(&mut next.invocations[thread]);
        invocation.pending = Pending::Nothing;
        let mut done = Done {
            promised: (source == Source::Open).then_some(value),
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
                done.written = invocation.alone.replaced(atomic, value);
                invocation.alone.set_result(atomic, value);
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

    fn take_in(&mut self, state: &State) {
        let relations = Relations::of(&state.execution(&self.threads));
        let is_kept = state.promises().next().is_none() && state.are_promises_needed(&relations);
        if !is_kept || !relations.is_consistent() {
            return;
        }
        self.found.executions += 1;
        state.notes.iter().for_each(|note| self.next.add(note));
        self.note_races(state, &relations);
        self.found.findings.merge(state.findings.clone());
        let mut memory: Memory = self.shared.buffers.clone();
        let workgroup = vec![0; self.program.workgroup_bytes as usize];
        memory.extend((0..self.groups).map(|_| workgroup.clone()));
        for invocation in &state.invocations {
            for (&(space, offset), &byte) in &invocation.own {
                memory[space as usize][offset as usize] = byte;
            }
        }
        let order = (&relations.location_ordered | &relations.modification_order).closure();
        let mut outcomes = vec![memory];
        for &spot in &self.spots {
            let writes: Vec<usize> = state.writes(spot).collect();
            let last = writes.iter().filter(|&&write| {
                let later = members(order.from(write));
                !later.into_iter().any(|it| writes.contains(&it))
            });
            let values: BTreeSet<u64> = last
                .filter_map(|&write| state.done[write].written)
                .collect();
            if values.is_empty() {
                continue;
            }
            let of_all = outcomes.iter().flat_map(|memory| {
                values.iter().map(move |value| {
                    let mut memory = memory.clone();
                    let room = &mut memory[spot.space as usize][spot.offset as usize..];
                    let bytes = &value.to_le_bytes()[..spot.bytes as usize];
                    room[..bytes.len()].copy_from_slice(bytes);
                    memory
                })
            });
            let of_all: Vec<Memory> = of_all.take(self.limits.outcomes + 1).collect();
            outcomes = of_all;
        }
        for memory in outcomes {
            if self.found.outcomes.len() >= self.limits.outcomes
                && !self.found.outcomes.contains(&memory)
            {
                return self.incomplete("there are too many outcomes");
            }
            self.found.outcomes.insert(memory);
        }
    }
}

impl Done {
    fn of(pc: Pc, spot: Option<Spot>) -> Self {
        Self {
            pc,
            spot,
            written: None,
            promised: None,
            since: 0,
        }
    }
}

impl State {
    /// The writes to a spot.
    fn writes(&self, spot: Spot) -> impl Iterator<Item = usize> + '_ {
        let done = self.done.iter().enumerate();
        done.filter(move |(_, done)| done.spot == Some(spot) && done.written.is_some())
            .map(|(index, _)| index)
    }

    /// The reads with a promise that isn't kept yet.
    fn promises(&self) -> impl Iterator<Item = usize> + '_ {
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
    fn are_promises_needed(&self, relations: &Relations) -> bool {
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

/// Writes to memory that no other accesses.
fn set_own(invocation: &mut Invocation, spot: Spot, value: u64) {
    let offsets = spot.offset..spot.offset + spot.bytes;
    for (offset, byte) in offsets.zip(value.to_le_bytes()) {
        invocation.own.insert((spot.space, offset), byte);
    }
}

/// The event of a barrier, which is a fence only if it has semantics.
fn fence_event(thread: usize, fence: Fence) -> Event {
    let ordered = Ordered::of(fence.semantics);
    let is_fence = (ordered.acquire || ordered.release) && ordered.classes != 0;
    Event {
        thread,
        is_fence,
        is_acquire: ordered.acquire && is_fence,
        is_release: ordered.release && is_fence,
        makes_available: ordered.makes_available && ordered.release && is_fence,
        makes_visible: ordered.makes_visible && ordered.acquire && is_fence,
        semantics: if is_fence { ordered.classes } else { 0 },
        scope: Some(scope(fence.level)),
        ..Event::default()
    }
}

/// What memory semantics say.
struct Ordered {
    acquire: bool,
    release: bool,
    makes_available: bool,
    makes_visible: bool,
    classes: Classes,
}

impl Ordered {
    fn of(semantics: MemorySemantics) -> Self {
        let has = |bits: MemorySemantics| semantics.0 & bits.0 != 0;
        let both =
            has(MemorySemantics::AcquireRelease) || has(MemorySemantics::SequentiallyConsistent);
        let class = |bits, class| if has(bits) { class } else { 0 };
        Self {
            acquire: both || has(MemorySemantics::Acquire),
            release: both || has(MemorySemantics::Release),
            makes_available: has(MemorySemantics::MakeAvailable),
            makes_visible: has(MemorySemantics::MakeVisible),
            classes: class(MemorySemantics::UniformMemory, BUFFERS)
                | class(MemorySemantics::CrossWorkgroupMemory, BUFFERS)
                | class(MemorySemantics::WorkgroupMemory, WORKGROUP)
                | class(MemorySemantics::ImageMemory, IMAGES),
        }
    }
}

fn scope(level: Level) -> Scope {
    match level {
        Level::Invocation => Scope::Invocation,
        Level::Subgroup => Scope::Subgroup,
        Level::Workgroup => Scope::Workgroup,
        Level::Device => Scope::Device,
    }
}
