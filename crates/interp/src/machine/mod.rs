//! Runs a program: workgroups of gangs of lanes.
//!
//! A gang is a subgroup. Its lanes execute together what they execute at the same time; where
//! they part, each part is a [`Path`](control::Path) that runs until it has to wait for the
//! others.

mod access;
mod alone;
mod alu;
mod buffer;
mod control;
mod copies;
mod enqueue;
mod fast;
mod findings;
mod groups;
mod half;
mod images;
mod livelock;
mod matrices;
mod memory;
mod named;
mod pipes;
mod print;
mod race;
mod schedule;
mod steps;
mod tensors;
mod threads;
mod tracks;
mod undefined;
mod watch;

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::image::Images;
use crate::observe::Observer;
use crate::program::{BuiltInValue, Input, Inst, NO_REG, ObjectKind, Pc, Place, Program};
use crate::special::Special;
pub(crate) use alone::{Alone, Spot, Standing, Stopped, value, with_stops};
pub(crate) use buffer::Buffer;
use control::{Active, Path, lanes};
pub(crate) use control::{Gang, Invocations};
pub(crate) use enqueue::{Queue, dispatch_all};
pub(crate) use findings::Findings;
pub(crate) use pipes::Pipes;
pub(crate) use race::{Race, RaceOptions, Races, Touch};
pub(crate) use schedule::Schedule;
use tracks::Traffic;
pub(crate) use undefined::Stored;

/// How many branches backwards, and turns of loops whose lanes wait for each other, a gang may
/// take before others have their turn.
const TURN: u32 = 10_000;

/// How many workgroups may be under way at once, because earlier ones wait for later ones.
const MAX_UNDER_WAY: u64 = 64;

/// How many bytes they may take together, unless one alone takes more.
const MAX_BYTES_UNDER_WAY: u64 = 1 << 28;

/// How many bytes a workgroup of so many invocations takes, with gangs of so many lanes.
pub(crate) fn workgroup_bytes(program: &Program, lanes: usize, size: u64) -> u64 {
    let gangs = size.div_ceil(lanes as u64);
    let lanes = gangs * lanes as u64;
    let of_lane = 4 * u64::from(program.columns) + u64::from(program.lane_bytes);
    let of_shadows = match &program.undefined {
        Some(undefined) => {
            let lane_bytes = if undefined.follows_lanes {
                program.lane_bytes
            } else {
                0
            };
            lanes * 4 * u64::from(undefined.shadows) + gangs * 8 * u64::from(lane_bytes)
        }
        None => 0,
    };
    let of_workgroup = u64::from(program.workgroup_bytes) + program.workgroup_shadow() as u64;
    lanes * of_lane + of_shadows + of_workgroup
}

/// What all workgroups share.
pub(crate) struct Shared<'p> {
    pub(crate) program: &'p Program,
    pub(crate) buffers: Vec<Buffer>,
    /// For each object of the program which of the buffers it is, if it is one. Several may be
    /// the same.
    pub(crate) homes: Vec<usize>,
    pub(crate) images: Images,
    pub(crate) pipes: Pipes,
    pub(crate) queue: Queue,
    pub(crate) findings: Findings,
    /// How many instructions gangs have executed, and may.
    pub(crate) steps: u64,
    pub(crate) max_steps: u64,
    pub(crate) groups: [u32; 3],
    /// What is added to the indexes of all invocations.
    pub(crate) offset: [u32; 3],
    /// Who watches, if anyone does.
    pub(crate) observer: Option<&'p mut (dyn Observer + 'p)>,
    /// What is printed, and how many bytes it may take.
    pub(crate) printed: String,
    pub(crate) max_printed: usize,
    /// How often something may have changed in memory.
    pub(crate) changes: u64,
    /// What is known of accesses, if races are looked for.
    pub(crate) races: Option<Box<Races>>,
    /// The order of execution, if it is another than usual.
    pub(crate) schedule: Option<Schedule>,
    /// How many invocations a subgroup has.
    pub(crate) subgroup_size: u32,
    /// Bytes of workgroups that undefined values were stored to, by workgroup and offset.
    pub(crate) stored: HashMap<([u32; 3], u32), Stored>,
    /// Whether accesses through descriptors may be out of bounds (Vulkan, "Robust Buffer
    /// Access 2" and "Robust Image Access 2").
    pub(crate) is_robust: bool,
    /// How many threads there may be.
    pub(crate) threads: usize,
    /// Who is told that a workgroup has ended.
    pub(crate) tick: Option<Tick<'p>>,
    /// Whether lanes may see what others have in registers.
    pub(crate) are_lanes_together: bool,
    /// Whether workgroups that go round loops for long go on all the same, because they can't
    /// wait for others.
    pub(crate) keeps_turns: bool,
    /// What is read and written, if others run at the same time.
    pub(crate) tracks: Option<Box<tracks::Tracks>>,
}

/// Someone who is told of something.
#[derive(Clone, Copy)]
pub(crate) struct Tick<'p>(pub(crate) &'p (dyn Fn() + Sync));

impl std::fmt::Debug for Tick<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tick")
    }
}

/// The workgroups that are still to be run, in ascending order.
#[derive(Clone, Debug)]
struct Groups {
    size: [u32; 3],
    next: u64,
    end: u64,
}

impl Groups {
    fn new(size: [u32; 3]) -> Self {
        let sides = size.map(u64::from);
        Self {
            size,
            next: 0,
            end: sides.into_iter().fold(1, u64::saturating_mul),
        }
    }

    fn taken(&self) -> u64 {
        self.next
    }

    fn left(&self) -> u64 {
        self.end - self.next
    }

    fn skip(&mut self, count: u64) {
        self.next = self.next.saturating_add(count).min(self.end);
    }

    /// The one that comes so many behind the next.
    fn further(&self, index: u64) -> [u32; 3] {
        let [x, y, _] = self.size.map(u64::from);
        let number = self.next + index;
        [number % x, number / x % y, number / x / y].map(|it| it as u32)
    }
}

impl Iterator for Groups {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        if self.next >= self.end {
            return None;
        }
        let id = self.further(0);
        self.next += 1;
        Some(id)
    }
}

/// A workgroup that is under way.
struct Workgroup<const W: usize> {
    memory: Vec<u8>,
    gangs: Vec<Gang<W>>,
    waiting: livelock::Waiting,
}

/// Why a gang or a workgroup stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing is left to do, or all that is left waits at a barrier.
    Rest,
    /// Others have their turn.
    Turn,
    /// The run has taken as many steps as it may, or its observer ends it.
    Steps,
}

/// How many workgroups with gangs of so many lanes may be under way at once.
fn most_under_way(program: &Program, lanes: usize) -> usize {
    let size = program.workgroup_size.into_iter().map(u64::from).product();
    let bytes = workgroup_bytes(program, lanes, size).max(1);
    (MAX_BYTES_UNDER_WAY / bytes).clamp(2, MAX_UNDER_WAY) as usize
}

/// Runs all workgroups, and looks at what is left behind. False if it ends because no more may
/// be run.
fn dispatch<const W: usize>(shared: &mut Shared<'_>) -> bool {
    let is_done = run_all::<W>(shared);
    if is_done {
        pipes::finish(shared);
    }
    is_done
}

/// Runs all workgroups. False if it ends because no more may be run.
fn run_all<const W: usize>(shared: &mut Shared<'_>) -> bool {
    if shared.schedule.is_some() {
        return schedule::dispatch::<W>(shared);
    }
    let traffic = Traffic::of(shared.program, &shared.homes, shared.buffers.len());
    shared.keeps_turns = traffic.is_one_way();
    let mut groups = Groups::new(shared.groups);
    if threads::are_possible(shared) {
        if !in_order::<W>(shared, &mut groups, threads::ALONE) {
            return false;
        }
        threads::dispatch::<W>(shared, &mut groups, &traffic);
    }
    in_order::<W>(shared, &mut groups, u64::MAX)
}

/// Runs workgroups one after the other, until all are done or there were so many steps and none
/// is under way. False if it ends because no more may be run.
fn in_order<const W: usize>(shared: &mut Shared<'_>, waiting: &mut Groups, pause: u64) -> bool {
    let mut under_way: VecDeque<Workgroup<W>> = VecDeque::new();
    let mut spare: Vec<Workgroup<W>> = Vec::new();
    let most = most_under_way(shared.program, W);
    loop {
        if under_way.is_empty() && shared.steps >= pause {
            return true;
        }
        // A workgroup is run to its end, unless it waits for something.
        let begun = match under_way.len() < most {
            true => waiting.next(),
            false => None,
        };
        let next = match begun {
            Some(id) => Some(Workgroup::begin(shared, id, spare.pop())),
            None => under_way.pop_front(),
        };
        let Some(mut group) = next else {
            return true;
        };
        match group.run_on(shared) {
            Stop::Rest => spare.push(group.end(shared)),
            Stop::Turn => {
                group.note_turn(shared.changes);
                under_way.push_back(group);
                let are_all = under_way.len() >= most || waiting.left() == 0;
                let is_stuck = |group: &Workgroup<W>| group.is_stuck(shared.changes);
                if are_all && under_way.iter().all(is_stuck) {
                    under_way[0].report_livelock(shared);
                    return false;
                }
            }
            Stop::Steps => return false,
        }
    }
}

impl<const W: usize> Workgroup<W> {
    /// A workgroup before its first instruction. One that has ended may lend its memory.
    fn begin(shared: &mut Shared<'_>, id: [u32; 3], spare: Option<Self>) -> Self {
        let program = shared.program;
        let size: u32 = program.size_of(id).iter().product();
        let lanes = shared.subgroup_size;
        let count = size.div_ceil(lanes);
        if let Some(races) = &mut shared.races {
            races.begin(id);
        }
        let mut group = spare.unwrap_or_else(|| Self {
            memory: Vec::new(),
            gangs: Vec::new(),
            waiting: livelock::Waiting::default(),
        });
        if let Some(observer) = &mut shared.observer {
            observer.workgroup_begins(id);
        }
        group.gangs.truncate(count as usize);
        let missing = count as usize - group.gangs.len();
        group.gangs.extend((0..missing).map(|_| Gang::new(program)));
        group.waiting = livelock::Waiting::default();
        group.memory.clear();
        let shadow = program.workgroup_shadow();
        group
            .memory
            .resize(program.workgroup_bytes as usize + shadow, 0);
        undefined::begin_workgroup(program, &mut group.memory);
        for (index, gang) in group.gangs.iter_mut().enumerate() {
            let first = index as u32 * lanes;
            gang.begin(program, id, first, (size - first).min(lanes));
            if shared.are_lanes_together {
                gang.forget(program);
            }
            gang.size = lanes;
            gang.part_all(shared.schedule.as_ref());
            for input in &program.inputs {
                gang.write_input(shared, input);
            }
        }
        group
    }

    /// A workgroup that has ended, whose memory another may use.
    fn end(self, shared: &mut Shared<'_>) -> Self {
        if let Some(Tick(tick)) = shared.tick {
            tick();
        }
        if let Some(races) = &mut shared.races {
            races.end(self.gangs[0].id);
        }
        if !shared.stored.is_empty() {
            shared.stored.retain(|at, _| at.0 != self.gangs[0].id);
        }
        if let (Some(observer), [gang, ..]) = (&mut shared.observer, &self.gangs[..]) {
            observer.workgroup_ends(gang.id);
        }
        self
    }

    /// Runs until it ends, or others have their turn.
    fn run_on(&mut self, shared: &mut Shared<'_>) -> Stop {
        loop {
            let stop = self.run(shared);
            if stop != Stop::Turn || !shared.keeps_turns {
                return stop;
            }
            self.note_turn(shared.changes);
            if self.is_stuck(shared.changes) {
                return Stop::Turn;
            }
        }
    }

    fn run(&mut self, shared: &mut Shared<'_>) -> Stop {
        loop {
            let mut is_turn = false;
            for gang in &mut self.gangs {
                match gang.run(shared, &mut self.memory) {
                    Stop::Rest => {}
                    Stop::Turn => is_turn = true,
                    Stop::Steps => return Stop::Steps,
                }
            }
            if is_turn {
                return Stop::Turn;
            }
            if !self.pass(shared) {
                return Stop::Rest;
            }
        }
    }

    /// Lets what waits go on; false if nothing waits.
    fn pass(&mut self, shared: &mut Shared<'_>) -> bool {
        self.pass_named(shared) || self.pass_barrier(shared)
    }

    /// Lets what waits at a barrier of the workgroup go on; false if nothing waits.
    fn pass_barrier(&mut self, shared: &mut Shared<'_>) -> bool {
        let paths = self.gangs.iter().flat_map(|gang| &gang.waiting);
        let Some(first) = paths.clone().map(|path| path.pc).next() else {
            return false;
        };
        let waits = |gang: &&Gang<W>| !gang.waiting.is_empty();
        let waiting = self.gangs.iter().find(waits);
        let who = waiting.map_or(self.gangs[0].invocations(1), |gang| {
            gang.invocations(gang.waiting[0].mask)
        });
        let (findings, program) = (&mut shared.findings, shared.program);
        if let Some(other) = paths.clone().find(|path| path.pc != first) {
            findings.divergent_barrier(program, first, other.pc, who);
        } else if self.gangs.iter().any(|gang| !gang.all_wait()) {
            findings.ended_before_barrier(program, first, who);
        }
        if shared.races.is_some() {
            self.race_barrier(shared);
        }
        if let Some(Inst::Special(index)) = program.code.get(first as usize - 1) {
            let special = &program.specials[*index as usize];
            match special {
                Special::Collective { lanes, what, .. } => {
                    matrices::perform(shared, &mut self.gangs, *lanes, what);
                    shared.steps += special.further_steps();
                }
                Special::Pipe(using) => pipes::perform(shared, &mut self.gangs, first - 1, using),
                _ => {}
            }
        }
        for gang in &mut self.gangs {
            gang.pass_barrier();
        }
        true
    }
}

impl<const W: usize> Workgroup<W> {
    /// Lets the search for races know who passes a barrier.
    fn race_barrier(&self, shared: &mut Shared<'_>) {
        let program = shared.program;
        let Some(races) = &mut shared.races else {
            return;
        };
        let mut passing: Vec<u32> = Vec::new();
        let mut fence = None;
        for gang in &self.gangs {
            let waiting = gang.waiting.iter().fold(0, |all, path| all | path.mask);
            passing.extend(lanes(waiting).map(|lane| gang.first + lane as u32));
            for path in &gang.waiting {
                if let Inst::Barrier { fence: at, .. } = program.code[path.pc as usize - 1] {
                    fence.get_or_insert(at);
                }
            }
        }
        if let Some(fence) = fence {
            let id = self.gangs[0].id;
            races.control_barrier(id, &passing, program.fences[fence as usize]);
        }
    }
}

impl<const W: usize> Gang<W> {
    /// Runs all paths that can go on.
    fn run(&mut self, shared: &mut Shared<'_>, memory: &mut [u8]) -> Stop {
        let mut turn = TURN;
        while let Some(path) = self.ready.pop_back() {
            // Going round a loop that lanes leave together begins a path.
            turn -= 1;
            if turn == 0 {
                self.ready.push_front(path);
                return Stop::Turn;
            }
            match self.follow(shared, memory, path, &mut turn) {
                Stop::Rest => {}
                stop => return stop,
            }
        }
        Stop::Rest
    }

    /// Runs a path until it ends or waits.
    fn follow(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        mut path: Path,
        turn: &mut u32,
    ) -> Stop {
        let program = shared.program;
        let mut active = Active::new(path.mask);
        let begin = shared.steps;
        let mut steps = 0u64;
        let is_scheduled = shared.schedule.is_some();
        loop {
            let pc = path.pc;
            let inst = &program.code[pc as usize];
            path.pc += 1;
            steps += 1;
            match *inst {
                Inst::Copy { to, from } => self.copy(&active, to, from),
                Inst::Unary { op, to, a } => self.unary(&active, op, to, a),
                Inst::Binary { op, to, a, b } => {
                    if let Some((reason, lanes)) = self.binary(&active, op, to, a, b) {
                        shared
                            .findings
                            .undefined(program, pc, reason, self.invocations(lanes));
                    }
                }
                Inst::Shift {
                    op, to, a, bits, ..
                } => self.shift(&active, op, to, a, bits),
                Inst::Select {
                    to,
                    condition,
                    a,
                    b,
                } => self.select(&active, to, condition, a, b),
                Inst::Offset {
                    to,
                    base,
                    index,
                    stride,
                } => self.advance(&active, to, base, index, stride),
                Inst::CheckIndex { index, high, limit } => {
                    self.check_index(shared, &active, pc, index, high, limit);
                }
                Inst::Load { to, cell } => {
                    self.load(shared, memory, &active, pc, to, cell);
                }
                Inst::Store { from, cell } => {
                    shared.changes += 1;
                    self.store(shared, memory, &active, pc, from, cell);
                }
                Inst::ClassOf { to, object } => self.class_of(program, &active, to, object),
                Inst::CheckAlignment { address, alignment } => {
                    self.check_alignment(shared, &active, pc, address, alignment);
                }
                Inst::ArrayLength {
                    to,
                    address,
                    stride,
                } => self.array_length(shared, memory, &active, pc, (to, address, stride)),
                Inst::General(index) => {
                    self.general(shared, &active, pc, &program.general[index as usize]);
                }
                Inst::Vector(index) => {
                    self.vector(shared, &active, pc, &program.vectors[index as usize]);
                }
                Inst::Atomic(index) => {
                    let atomic = &program.atomics[index as usize];
                    self.atomic(shared, memory, &active, pc, atomic);
                }
                Inst::Special(index) => {
                    let special = &program.specials[index as usize];
                    shared.changes += u64::from(!special.tells_changes());
                    if special.waits() {
                        self.waiting.push(path);
                        break;
                    }
                    shared.steps = begin + steps;
                    self.special(shared, memory, &active, pc, special);
                    // Copies count what they copy.
                    shared.steps += special.further_steps();
                    steps = shared.steps - begin;
                    if shared.steps > shared.max_steps {
                        return self.exhausted(shared, &path, pc);
                    }
                }
                Inst::Group(index) => self.group(&active, &program.groups[index as usize]),
                Inst::Image(index) => {
                    shared.changes += 1;
                    self.image(shared, &active, pc, &program.accesses[index as usize]);
                }
                Inst::Watch(index) => {
                    steps -= 1;
                    if !self.watch(shared, &path, index) {
                        shared.steps = begin + steps;
                        return Stop::Steps;
                    }
                }
                Inst::Undefined {
                    start,
                    end,
                    is_lazy,
                } => {
                    steps -= 1;
                    if !is_lazy || !self.is_untainted() {
                        self.follow_undefined(shared, memory, &active, pc, (start, end));
                    }
                }
                Inst::Print(index) => {
                    shared.changes += 1;
                    self.print(shared, &active, &program.prints[index as usize]);
                }
                Inst::Steps { start, end, count } => {
                    steps += u64::from(count - 1);
                    self.steps(&active, &program.steps[start as usize..end as usize]);
                }
                Inst::Enter { frame } => self.enter(&mut path, frame),
                Inst::Call { function } => {
                    self.call(&mut path, program.functions[function as usize]);
                }
                Inst::Fence(fence) => self.record_fence(shared, &active, fence),
                Inst::Barrier {
                    workgroup: false,
                    fence,
                } => self.record_barrier(shared, &active, fence),
                Inst::Barrier {
                    workgroup: true, ..
                } => {
                    self.waiting.push(path);
                    break;
                }
                Inst::Jump(edge) => {
                    if !self.jump(program, &mut active, &mut path, edge) {
                        break;
                    }
                }
                Inst::Branch {
                    condition,
                    then,
                    otherwise,
                } => {
                    let chosen = self.truths(condition) & path.mask;
                    // All go the same way, mostly.
                    let only = match chosen {
                        0 => Some(otherwise),
                        _ if chosen == path.mask => Some(then),
                        _ => None,
                    };
                    let goes_on = match only {
                        Some(edge) => self.jump(program, &mut active, &mut path, edge),
                        None => {
                            let ways = [(then, chosen), (otherwise, path.mask & !chosen)];
                            self.part(program, &mut path, &mut active, ways)
                        }
                    };
                    if !goes_on {
                        break;
                    }
                }
                Inst::Switch(index) => {
                    let switch = &program.switches[index as usize];
                    let ways = self.cases(switch, path.mask);
                    if !self.part(program, &mut path, &mut active, ways) {
                        break;
                    }
                }
                Inst::Return => {
                    if !self.return_last(&mut active, &mut path) {
                        self.give_back(&path);
                        break;
                    }
                }
                Inst::Terminate => {
                    self.leave(path.frame);
                    break;
                }
                Inst::Unreachable => {
                    shared
                        .findings
                        .unreachable(program, pc, self.invocations(path.mask));
                    self.leave(path.frame);
                    break;
                }
            }
            if is_scheduled && shared.interrupts(inst, begin + steps) {
                self.ready.push_back(path);
                shared.steps = begin + steps;
                return Stop::Turn;
            }
            if path.pc <= pc {
                if begin + steps > shared.max_steps {
                    shared.steps = begin + steps;
                    return self.exhausted(shared, &path, pc);
                }
                *turn -= 1;
                if *turn == 0 {
                    self.ready.push_front(path);
                    shared.steps = begin + steps;
                    return Stop::Turn;
                }
            }
        }
        shared.steps = begin + steps;
        if shared.steps > shared.max_steps {
            return self.exhausted(shared, &path, path.pc - 1);
        }
        Stop::Rest
    }

    /// Reports that the run has taken all its steps, at an instruction of a path.
    fn exhausted(&self, shared: &mut Shared<'_>, path: &Path, pc: Pc) -> Stop {
        let who = self.invocations(path.mask);
        let most = shared.max_steps;
        shared.findings.steps(shared.program, pc, most, who);
        Stop::Steps
    }

    /// Writes a built-in input of all lanes.
    fn write_input(&mut self, shared: &Shared<'_>, input: &Input) {
        for lane in 0..W {
            let numbers = self.built_in(shared, input.built_in, lane);
            let words: [u32; 8] = std::array::from_fn(|index| match input.is_wide {
                true => (numbers[index / 2] >> (index % 2 * 32)) as u32,
                false => numbers.get(index).map_or(0, |&number| number as u32),
            });
            match &input.to {
                Place::Columns(columns) => {
                    for (&column, word) in columns.iter().zip(words) {
                        self.columns[column as usize][lane] = word;
                    }
                }
                Place::Lane { object } => {
                    if let ObjectKind::Lane { start, size } =
                        shared.program.objects[*object as usize].kind
                    {
                        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
                        let start = lane * shared.program.lane_bytes as usize + start as usize;
                        let room = &mut self.memory[start..start + size as usize];
                        room.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
                    }
                }
            }
        }
    }

    /// The components of a built-in input of a lane.
    fn built_in(&self, shared: &Shared<'_>, built_in: BuiltInValue, lane: usize) -> [u64; 4] {
        let program = shared.program;
        let (size, enqueued) = (program.size_of(self.id), program.workgroup_size);
        let local = program.local_id(self.id, self.first + lane as u32);
        let index = (local[2] * size[1] + local[1]) * size[0] + local[0];
        let one = |number: u32| [number.into(), 0, 0, 0];
        let three = |[x, y, z]: [u32; 3]| [x.into(), y.into(), z.into(), 0];
        let subgroup = |mask: u64| [mask & u64::from(u32::MAX), mask >> 32, 0, 0];
        let bit = 1u64 << lane;
        // Lanes from this one on, as far as there are any.
        let from = (u64::MAX >> (64 - self.size)) & !(bit - 1);
        let subgroups = |size: [u32; 3]| size.iter().product::<u32>().div_ceil(self.size);
        let axes = [0, 1, 2];
        let whole = axes.map(|axis| shared.groups[axis].wrapping_mul(enqueued[axis]));
        let global_size = program.global_size.unwrap_or(whole);
        let global = axes.map(|axis| {
            let first = self.id[axis].wrapping_mul(enqueued[axis]);
            first.wrapping_add(local[axis])
        });
        match built_in {
            BuiltInValue::GlobalInvocationId => {
                three(axes.map(|axis| global[axis].wrapping_add(shared.offset[axis])))
            }
            BuiltInValue::LocalInvocationId => three(local),
            BuiltInValue::LocalInvocationIndex => one(index),
            BuiltInValue::WorkgroupId => three(self.id),
            BuiltInValue::NumWorkgroups => three(shared.groups),
            BuiltInValue::WorkgroupSize => three(size),
            BuiltInValue::EnqueuedWorkgroupSize => three(enqueued),
            BuiltInValue::GlobalSize => three(global_size),
            BuiltInValue::GlobalOffset => three(shared.offset),
            BuiltInValue::GlobalLinearId => {
                let [width, height, _] = global_size.map(u64::from);
                let [x, y, z] = global.map(u64::from);
                let row = z.wrapping_mul(height).wrapping_add(y);
                [row.wrapping_mul(width).wrapping_add(x), 0, 0, 0]
            }
            BuiltInValue::WorkDim => one(match (shared.program.work_dim, global_size) {
                (Some(dimensions), _) => dimensions,
                (None, [_, 0 | 1, 0 | 1]) => 1,
                (None, [_, _, 0 | 1]) => 2,
                (None, _) => 3,
            }),
            BuiltInValue::SubgroupSize => one(self.size),
            BuiltInValue::SubgroupCount => one(self.all.count_ones()),
            BuiltInValue::SubgroupId => one(self.first / self.size),
            BuiltInValue::NumSubgroups => one(subgroups(size)),
            BuiltInValue::NumEnqueuedSubgroups => one(subgroups(enqueued)),
            BuiltInValue::SubgroupLocalInvocationId => one(lane as u32),
            BuiltInValue::SubgroupEqMask => subgroup(bit),
            BuiltInValue::SubgroupGeMask => subgroup(from),
            BuiltInValue::SubgroupGtMask => subgroup(from & !bit),
            BuiltInValue::SubgroupLeMask => subgroup((bit - 1) | bit),
            BuiltInValue::SubgroupLtMask => subgroup(bit - 1),
            BuiltInValue::Zero => one(0),
            BuiltInValue::MatrixPlace(place) => {
                let lane = if place.of_workgroup {
                    index
                } else {
                    lane as u32
                };
                let element = place.first.saturating_add(lane);
                one(match place.is_row {
                    true => element / place.columns,
                    false => element % place.columns,
                })
            }
        }
    }
}

/// Whether a column is there.
fn is_column(column: u32) -> bool {
    column != NO_REG
}
