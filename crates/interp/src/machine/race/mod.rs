//! Data races: accesses to the same memory, one of them a write, that nothing orders.
//!
//! The order is that of the memory model ([`clocks`]), the accesses to compare with are kept
//! in shadow memory ([`shadow`]). What is observed is one order of execution, but it does not
//! matter which of two accesses comes first: they race if no synchronization is between them.

mod clocks;
mod judge;
mod shadow;

use hashbrown::HashMap;
use spirvkit_grammar::{MemoryModel, Op};

use super::Shared;
use super::control::{Active, Gang};
use crate::image::{Access, ImageOp};
use crate::program::{
    Address, Atomic, Cell, Fence, Inst, NO_REG, Object, ObjectKind, Pair, Pc, Program,
};
use clocks::{Class, Clock, Head, Time, Who};
use judge::Judge;
pub(crate) use judge::Race;
use shadow::{Entry, Shadow};

/// How races are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RaceOptions {
    pub(crate) is_on: bool,
    /// Whether what is ordered must be made available and visible, too.
    pub(crate) is_strict: bool,
    /// Whether two writes of the same value are no race.
    pub(crate) allows_same_value: bool,
}

/// How invocations are numbered in the whole dispatch.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// How many workgroups there are in each dimension.
    groups: [u32; 3],
    group_size: u32,
    subgroup_size: u32,
}

impl Numbers {
    fn group(&self, [x, y, z]: [u32; 3]) -> u32 {
        let row = z.wrapping_mul(self.groups[1]).wrapping_add(y);
        row.wrapping_mul(self.groups[0]).wrapping_add(x)
    }

    /// The workgroup with a number.
    fn group_id(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.groups.map(|count| count.max(1));
        [number % x, number / x % y, number / x / y]
    }

    fn who(&self, group: u32, local: u32) -> Who {
        let subgroups = self.group_size.div_ceil(self.subgroup_size);
        Who {
            invocation: group.wrapping_mul(self.group_size).wrapping_add(local),
            subgroup: group
                .wrapping_mul(subgroups)
                .wrapping_add(local / self.subgroup_size),
            group,
        }
    }

    fn who_is(&self, invocation: u32) -> Who {
        self.who(invocation / self.group_size, invocation % self.group_size)
    }

    /// The index of an invocation in its workgroup.
    fn local(&self, who: Who) -> u32 {
        who.invocation
            .wrapping_sub(who.group.wrapping_mul(self.group_size))
    }
}

/// Memory with what happened to it.
#[derive(Clone, Debug, Default)]
struct Space {
    shadow: Shadow,
    /// What was published at each location.
    heads: HashMap<u32, Vec<Head>>,
}

/// A workgroup that is under way.
#[derive(Clone, Debug, Default)]
struct Group {
    space: Space,
    /// By invocation.
    clocks: Vec<Clock>,
}

/// All that is known of who accessed what.
#[derive(Clone, Debug)]
pub(crate) struct Races {
    options: RaceOptions,
    is_kernel: bool,
    time: Time,
    numbers: Numbers,
    /// Which buffers are written at all.
    is_written: Vec<bool>,
    buffers: Vec<Space>,
    under_way: HashMap<u32, Group>,
}

/// Whether what is written is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameValue(pub(crate) bool);

/// Where memory is accessed.
#[derive(Clone, Copy, Debug)]
struct Spot {
    class: Class,
    /// The buffer, if it is one.
    buffer: Option<usize>,
    offset: u32,
}

impl Races {
    /// Nothing has happened yet.
    pub(crate) fn new(options: RaceOptions, shared: &Shared<'_>, subgroup_size: u32) -> Self {
        let program = shared.program;
        let buffers = shared.buffers.len();
        Self {
            options,
            is_kernel: program.memory_model == Some(MemoryModel::OpenCL),
            time: 1,
            numbers: Numbers {
                groups: shared.groups,
                group_size: program.workgroup_size.iter().product::<u32>().max(1),
                subgroup_size: subgroup_size.max(1),
            },
            is_written: written(program, &shared.homes, buffers),
            buffers: vec![Space::default(); buffers],
            under_way: HashMap::new(),
        }
    }

    /// A workgroup begins.
    pub(crate) fn begin(&mut self, id: [u32; 3]) {
        let clocks = vec![Clock::default(); self.numbers.group_size as usize];
        let space = Space::default();
        self.under_way
            .insert(self.numbers.group(id), Group { space, clocks });
    }

    /// A workgroup has ended.
    pub(crate) fn end(&mut self, id: [u32; 3]) {
        self.under_way.remove(&self.numbers.group(id));
    }

    fn tick(&mut self) -> Time {
        self.time = self.time.saturating_add(1);
        self.time
    }

    fn clock(&mut self, who: Who) -> Option<&mut Clock> {
        let local = self.numbers.local(who);
        let group = self.under_way.get_mut(&who.group)?;
        group.clocks.get_mut(local as usize)
    }

    /// A control barrier that these invocations of a workgroup pass together, in ascending
    /// order.
    pub(crate) fn control_barrier(&mut self, id: [u32; 3], passing: &[u32], fence: Fence) {
        let number = self.numbers.group(id);
        let time = self.tick();
        let is_whole = passing.len() == self.numbers.group_size as usize;
        let numbers = self.numbers;
        let Some(group) = self.under_way.get_mut(&number) else {
            return;
        };
        let all: Vec<Who> = passing
            .iter()
            .map(|&local| numbers.who(number, local))
            .collect();
        let clocks = group.clocks.iter_mut().enumerate();
        let passes = |local: usize| passing.binary_search(&(local as u32)).is_ok();
        let mut clocks: Vec<&mut Clock> = clocks
            .filter(|it| is_whole || passes(it.0))
            .map(|it| it.1)
            .collect();
        if !clocks.is_empty() && clocks.len() == all.len() {
            clocks::control_barrier(&mut clocks, &all, fence, is_whole, time);
        }
    }

    /// Notes an access to so many bytes by an invocation, and gives one that it races with.
    fn access(
        &mut self,
        program: &Program,
        who: Who,
        spot: Spot,
        bytes: u32,
        new: Entry,
    ) -> Option<Race> {
        let local = self.numbers.local(who) as usize;
        let Group { space, clocks } = self.under_way.get_mut(&who.group)?;
        let shadow = match spot.buffer {
            Some(buffer) => &mut self.buffers[buffer].shadow,
            None => &mut space.shadow,
        };
        let judge = Judge {
            program,
            clock: clocks.get(local)?,
            own: who,
            class: spot.class,
            is_strict: self.options.is_strict,
            numbers: self.numbers,
        };
        let mut race = None;
        let order = |old, new| judge.order(old, new);
        let found = |old| {
            race.get_or_insert_with(|| judge.explain(old, new));
        };
        shadow.access(spot.offset as usize, bytes as usize, new, order, found);
        race
    }

    /// What is published at a location.
    fn heads(&mut self, who: Who, spot: Spot) -> Option<&mut Vec<Head>> {
        let space = match spot.buffer {
            Some(buffer) => &mut self.buffers[buffer],
            None => &mut self.under_way.get_mut(&who.group)?.space,
        };
        Some(space.heads.entry(spot.offset).or_default())
    }

    /// The synchronization of an atomic's read.
    fn atomic_read(&mut self, who: Who, spot: Spot, fence: Fence) {
        let heads = self.heads(who, spot).map_or_else(Vec::new, std::mem::take);
        let classes = self.classes(fence, spot);
        if let Some(clock) = self.clock(who) {
            clock.atomic_read(who, &heads, fence, spot.class, classes);
        }
        if let Some(there) = self.heads(who, spot) {
            *there = heads;
        }
    }

    /// The synchronization of an atomic's write; one that reads, too, goes on with the
    /// releases that others began.
    fn atomic_write(&mut self, who: Who, spot: Spot, fence: Fence, goes_on: bool) {
        let time = self.tick();
        let classes = self.classes(fence, spot);
        let is_kernel = self.is_kernel;
        let Some(clock) = self.clock(who) else {
            return;
        };
        let new = clock.atomic_write(who, fence, spot.class, classes, time);
        if let Some(heads) = self.heads(who, spot) {
            if !goes_on {
                clocks::replace(heads, who, is_kernel);
            }
            clocks::publish(heads, new);
        }
    }

    /// The classes that an atomic orders; in the memory model of OpenCL its own, too.
    fn classes(&self, fence: Fence, spot: Spot) -> clocks::Classes {
        let own = if self.is_kernel { spot.class.bit() } else { 0 };
        clocks::classes(fence.semantics) | own
    }
}

/// Which buffers the program writes to at all: of the others nothing needs to be known.
fn written(program: &Program, homes: &[usize], buffers: usize) -> Vec<bool> {
    let mut is_written = vec![false; buffers];
    let writes_texels = |access: &Access| matches!(access.op, ImageOp::Write);
    if program.accesses.iter().any(writes_texels) {
        for (object, &home) in program.objects.iter().zip(homes) {
            is_written[home] |= matches!(object.kind, ObjectKind::Resource { .. });
        }
    }
    for inst in &program.code {
        let address = match inst {
            Inst::Store { cell, .. } => cell.address,
            Inst::Atomic(index) => match &program.atomics[*index as usize] {
                atomic if atomic.op == Op::AtomicLoad => continue,
                atomic => atomic.address,
            },
            _ => continue,
        };
        match address.object {
            Object::Column(_) => return vec![true; buffers],
            Object::Known(object) => is_written[homes[object as usize]] = true,
        }
    }
    is_written
}

impl<const W: usize> Gang<W> {
    /// Where a lane accesses memory that others can access too, if all bytes are there.
    fn place_of(
        &self,
        shared: &Shared<'_>,
        races: &Races,
        address: Address,
        bytes: u32,
        lane: usize,
    ) -> Option<Spot> {
        let (object, offset) = self.locate(address, lane);
        let info = shared.program.objects.get(object as usize)?;
        let end = offset.checked_add(bytes)? as usize;
        match info.kind {
            ObjectKind::Buffer { .. }
            | ObjectKind::Memory { .. }
            | ObjectKind::Argument { .. }
            | ObjectKind::Global { .. } => {
                let home = shared.homes[object as usize];
                (end <= shared.buffers[home].len() && races.is_written[home]).then_some(Spot {
                    class: Class::Buffer,
                    buffer: Some(home),
                    offset,
                })
            }
            ObjectKind::Resource { .. } => {
                let home = shared.homes[object as usize];
                // What images need to be available and visible is not looked at.
                let is_there = end <= shared.buffers[home].len() && !races.options.is_strict;
                (is_there && races.is_written[home]).then_some(Spot {
                    class: Class::Image,
                    buffer: Some(home),
                    offset,
                })
            }
            ObjectKind::Workgroup { start, size } => (end <= size as usize).then_some(Spot {
                class: Class::Workgroup,
                buffer: None,
                offset: start + offset,
            }),
            _ => None,
        }
    }

    /// The invocation of a lane.
    fn who(&self, races: &Races, lane: usize) -> Who {
        races
            .numbers
            .who(races.numbers.group(self.id), self.first + lane as u32)
    }

    /// Looks for races of a load.
    pub(crate) fn race_of_load(
        &self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        cell: Cell,
    ) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        for lane in active.lanes() {
            let bytes = cell.leaf.bytes();
            let Some(spot) = self.place_of(shared, &races, cell.address, bytes, lane) else {
                continue;
            };
            let who = self.who(&races, lane);
            let new = Entry::new(who.invocation, races.time, pc, false, false);
            if let Some(race) = races.access(shared.program, who, spot, bytes, new) {
                self.report_race(shared, pc, spot, cell.address, lane, race);
            }
        }
        shared.races = Some(races);
    }

    /// Looks for races of an access to a texel, given by its object, its offset and its bytes.
    pub(crate) fn race_of_texel(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        lane: usize,
        (object, offset, bytes): (u32, u32, u32),
        write: Option<SameValue>,
    ) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        let address = Address {
            object: Object::Known(object),
            offset: NO_REG,
            constant: offset,
        };
        if let Some(spot) = self.place_of(shared, &races, address, bytes, lane) {
            let who = self.who(&races, lane);
            let new = Entry::new(who.invocation, races.time, pc, write.is_some(), false);
            let race = races.access(shared.program, who, spot, bytes, new);
            let accepts = races.options.allows_same_value && write == Some(SameValue(true));
            if let Some(race) = race.filter(|race| !(accepts && race.is_between_writes)) {
                self.report_race(shared, pc, spot, address, lane, race);
            }
        }
        shared.races = Some(races);
    }

    /// Looks for races of a store that is to come.
    pub(crate) fn race_of_store(
        &self,
        shared: &mut Shared<'_>,
        memory: &[u8],
        active: &Active<W>,
        pc: Pc,
        (from, cell): (Pair, Cell),
    ) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        for lane in active.lanes() {
            let bytes = cell.leaf.bytes();
            let Some(spot) = self.place_of(shared, &races, cell.address, bytes, lane) else {
                continue;
            };
            let who = self.who(&races, lane);
            let new = Entry::new(who.invocation, races.time, pc, true, false);
            let Some(race) = races.access(shared.program, who, spot, bytes, new) else {
                continue;
            };
            let value = |lane: usize| {
                let [low, high] = from.map(|column| u64::from(self.word(column, lane)));
                (high << 32 | low).to_le_bytes()
            };
            let is_same = || {
                let own = &value(lane)[..bytes as usize];
                // Another lane may have written there with the same instruction.
                let before = active.lanes().take_while(|&other| other < lane);
                let is_there = |other: &usize| {
                    let other = self.place_of(shared, &races, cell.address, bytes, *other);
                    other.is_some_and(|it| (it.buffer, it.offset) == (spot.buffer, spot.offset))
                };
                if let Some(other) = before.filter(is_there).last() {
                    return &value(other)[..bytes as usize] == own;
                }
                let there = match spot.buffer {
                    Some(buffer) => &shared.buffers[buffer],
                    None => memory,
                };
                let start = spot.offset as usize;
                there.get(start..start + bytes as usize) == Some(own)
            };
            if races.options.allows_same_value && race.is_between_writes && is_same() {
                continue;
            }
            self.report_race(shared, pc, spot, cell.address, lane, race);
        }
        shared.races = Some(races);
    }

    /// What an atomic orders, and its races. `wrote` says whether it has written.
    pub(crate) fn race_of_atomic(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        atomic: &Atomic,
        lane: usize,
        wrote: bool,
    ) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        let bytes = atomic.ty.width().div_ceil(8);
        if let Some(spot) = self.place_of(shared, &races, atomic.address, bytes, lane) {
            let who = self.who(&races, lane);
            let fence = match wrote {
                true => atomic.fence,
                false => Fence {
                    semantics: atomic.unequal,
                    ..atomic.fence
                },
            };
            if atomic.op != Op::AtomicStore {
                races.atomic_read(who, spot, fence);
            }
            let new = Entry::new(who.invocation, races.time, pc, wrote, true);
            let race = races.access(shared.program, who, spot, bytes, new);
            if wrote {
                races.atomic_write(who, spot, fence, atomic.op != Op::AtomicStore);
            }
            if let Some(race) = race {
                self.report_race(shared, pc, spot, atomic.address, lane, race);
            }
        }
        shared.races = Some(races);
    }

    /// A memory barrier.
    pub(crate) fn race_fence(&self, shared: &mut Shared<'_>, active: &Active<W>, fence: u32) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        let fence = shared.program.fences[fence as usize];
        for lane in active.lanes() {
            let who = self.who(&races, lane);
            let time = races.tick();
            if let Some(clock) = races.clock(who) {
                clock.fence(who, fence, time);
            }
        }
        shared.races = Some(races);
    }

    /// A control barrier among the lanes of a tangle.
    pub(crate) fn race_barrier(&self, shared: &mut Shared<'_>, active: &Active<W>, fence: u32) {
        let fence = shared.program.fences[fence as usize];
        if let Some(races) = &mut shared.races {
            let passing: Vec<u32> = active
                .lanes()
                .map(|lane| self.first + lane as u32)
                .collect();
            races.control_barrier(self.id, &passing, fence);
        }
    }

    fn report_race(
        &self,
        shared: &mut Shared<'_>,
        pc: Pc,
        spot: Spot,
        address: Address,
        lane: usize,
        race: Race,
    ) {
        let (object, _) = self.locate(address, lane);
        let name = match shared.program.objects.get(object as usize) {
            Some(info) => info.name.clone(),
            None => "memory".into(),
        };
        let start = match shared
            .program
            .objects
            .get(object as usize)
            .map(|info| info.kind)
        {
            Some(ObjectKind::Workgroup { start, .. }) => start,
            _ => 0,
        };
        let place = (name, spot.offset - start);
        let who = self.invocations(1 << lane);
        shared.findings.race(shared.program, pc, who, place, race);
    }
}
