//! All executions that the memory model allows.
//!
//! Invocations run up to where they need something: writes and barriers become events at
//! once, because they take nothing from anyone. A read chooses its source among the writes
//! there are, or waits for one to come; so each choice of sources comes up once. A read may
//! also get the value of a write that only comes because of it (load buffering): it is
//! promised a value that another invocation is known to write, and the promise must be kept.
//! Atomic writes choose their places in the modification order. Whatever the axioms don't
//! allow is left at once: none of them allows a whole execution whose beginning it doesn't.

mod barriers;
mod choices;
mod events;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use spirvkit_grammar::Op;

use super::known::{Known, Note};
use super::state::{Done, Invocation, Pending, Read, State};
use crate::machine::{Alone, Findings, Shared, Spot, Stopped};
use crate::model::{Classes, Event, MAX_EVENTS, Relations, Scope, Source, Thread, members};
use crate::program::{ObjectKind, Pc, Program};
use crate::undefined::{self, Origin, UndefinedBits};
use events::fence_event;

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
                undefined: BTreeMap::new(),
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
                let old = self.own(invocation, spot, pc);
                invocation.alone.load(program, pc, old);
                invocation.alone.go_on();
            }
            Stopped::Store(spot, new) => {
                self.count(state, thread, spot, new);
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                invocation.standings.clear();
                let undefined = invocation.alone.undefined_to_store();
                invocation.alone.go_on();
                if !self.spots.contains(&spot) {
                    set_own(invocation, spot, (new, undefined));
                    return Settled::Open;
                }
                let event = self.access(thread, pc, spot, true);
                let done = Done {
                    written: Some(new),
                    undefined,
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
                let old = self.own(invocation, spot, pc);
                let new = invocation.alone.replaced(atomic, old.0);
                invocation.alone.set_result(program, atomic, old);
                invocation.alone.go_on();
                if let Some(new) = new {
                    invocation.standings.clear();
                    set_own(invocation, spot, (new, UndefinedBits::default()));
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

    /// Which bits are undefined before anything is written, for an instruction that reads them.
    fn initial_undefined(&self, spot: Spot, pc: Pc) -> UndefinedBits {
        let mut undefined = UndefinedBits::default();
        let Some(table) = &self.program.undefined else {
            return undefined;
        };
        if (spot.space as usize) < self.shared.buffers.len() {
            return undefined;
        }
        for index in 0..spot.bytes.min(8) {
            let place = spot.offset + index;
            if table.workgroup.iter().any(|range| range.contains(&place)) {
                undefined.bits |= 0xff << (8 * index);
            }
        }
        let objects = self.program.objects.iter().enumerate();
        let mut sources = objects.filter_map(|(object, info)| match info.kind {
            ObjectKind::Workgroup { start, size } => (start..start + size)
                .contains(&spot.offset)
                .then_some(undefined::Source::Memory {
                    object: object as u32,
                    offset: spot.offset - start,
                }),
            _ => None,
        });
        let place = self.program.places.get(pc as usize).copied();
        undefined.origin = sources.next().map(|source| Origin { source, place });
        undefined
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
        let buffers = self.shared.buffers.iter();
        let mut memory: Memory = buffers.map(|buffer| buffer.to_vec()).collect();
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
            undefined: UndefinedBits::default(),
            promised: None,
            since: 0,
        }
    }
}

/// Writes to memory that no other accesses.
fn set_own(invocation: &mut Invocation, spot: Spot, (value, undefined): (u64, UndefinedBits)) {
    let offsets = spot.offset..spot.offset + spot.bytes;
    for (offset, byte) in offsets.zip(value.to_le_bytes()) {
        invocation.own.insert((spot.space, offset), byte);
        let bits = undefined.bits >> (8 * (offset - spot.offset)) & 0xff;
        let origin = undefined.origin;
        match bits {
            0 => invocation.undefined.remove(&(spot.space, offset)),
            bits => invocation
                .undefined
                .insert((spot.space, offset), UndefinedBits { bits, origin }),
        };
    }
}
