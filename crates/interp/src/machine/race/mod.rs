//! Data races: accesses to the same memory, one of them a write, that nothing orders.
//!
//! The order is that of the memory model ([`clocks`]), the accesses to compare with are kept
//! in shadow memory ([`shadow`]). What is observed is one order of execution, but it does not
//! matter which of two accesses comes first: they race if no synchronization is between them.

mod clocks;
mod judge;
mod record;
mod shadow;
mod sites;

use std::collections::BTreeSet;

use hashbrown::HashMap;
use spirvkit_grammar::{MemoryModel, MemorySemantics as Semantics};

use super::Shared;
use crate::image::{Access, ImageOp};
use crate::program::{Fence, Object, ObjectKind, Program};
use clocks::{Class, Clock, Clocks, Passing, Published, Time, Who};
use judge::Judge;
pub(crate) use judge::Race;
pub(crate) use record::Touch;
use shadow::{Entry, Noted, Settled, Shadow};
use sites::Sites;

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
    published: HashMap<u32, Published>,
}

impl Space {
    /// Forgets everything.
    fn clear(&mut self) {
        self.shadow.clear();
        self.published.clear();
    }
}

/// A workgroup that is under way.
#[derive(Clone, Debug, Default)]
struct Group {
    space: Space,
    clocks: Clocks,
}

/// All that is known of who accessed what.
#[derive(Clone, Debug)]
pub(crate) struct Races {
    options: RaceOptions,
    /// Where instructions stand, in words, whose races are accepted.
    accepted: BTreeSet<u32>,
    is_kernel: bool,
    time: Time,
    numbers: Numbers,
    sites: Sites,
    /// Which buffers are written at all.
    is_written: Vec<bool>,
    buffers: Vec<Space>,
    under_way: HashMap<u32, Group>,
    /// Memory of workgroups that have ended, for others to use.
    spare: Vec<Space>,
}

/// A kind of memory, and which buffer if it is one.
type Home = (Class, Option<usize>);

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
    pub(crate) fn new(
        options: RaceOptions,
        accepted: BTreeSet<u32>,
        shared: &Shared<'_>,
        subgroup_size: u32,
    ) -> Self {
        let program = shared.program;
        let buffers = shared.buffers.len();
        Self {
            options,
            accepted,
            is_kernel: program.memory_model == Some(MemoryModel::OpenCL),
            time: 1,
            numbers: Numbers {
                groups: shared.groups,
                group_size: program.workgroup_size.iter().product::<u32>().max(1),
                subgroup_size: subgroup_size.max(1),
            },
            sites: Sites::new(program),
            is_written: written(program, &shared.homes, buffers),
            buffers: vec![Space::default(); buffers],
            under_way: HashMap::new(),
            spare: Vec::new(),
        }
    }

    /// The same for a further kernel, before which all that was is done.
    pub(crate) fn again(self, shared: &Shared<'_>) -> Self {
        let subgroup_size = self.numbers.subgroup_size;
        Self::new(self.options, self.accepted, shared, subgroup_size)
    }

    /// A workgroup begins.
    pub(crate) fn begin(&mut self, id: [u32; 3]) {
        let space = self.spare.pop().unwrap_or_default();
        let clocks = Clocks::default();
        self.under_way
            .insert(self.numbers.group(id), Group { space, clocks });
    }

    /// A workgroup has ended.
    pub(crate) fn end(&mut self, id: [u32; 3]) {
        if let Some(Group { mut space, .. }) = self.under_way.remove(&self.numbers.group(id)) {
            space.clear();
            self.spare.push(space);
        }
    }

    fn tick(&mut self) -> Time {
        self.time = self.time.saturating_add(1);
        self.time
    }

    fn clock(&mut self, who: Who) -> Option<&mut Clock> {
        let (local, size) = (self.numbers.local(who), self.numbers.group_size);
        let group = self.under_way.get_mut(&who.group)?;
        group.clocks.own(size as usize).get_mut(local as usize)
    }

    /// An invocation of a workgroup by its index.
    fn who(&self, group: [u32; 3], local: u32) -> Who {
        self.numbers.who(self.numbers.group(group), local)
    }

    /// A control barrier that these invocations of a workgroup pass together, in ascending
    /// order.
    pub(crate) fn control_barrier(&mut self, id: [u32; 3], passing: &[u32], fence: Fence) {
        let number = self.numbers.group(id);
        let time = self.tick();
        let numbers = self.numbers;
        if let Some(group) = self.under_way.get_mut(&number) {
            let all = Passing {
                who: &|local| numbers.who(number, local),
                locals: passing,
                group_size: numbers.group_size as usize,
            };
            group.clocks.control_barrier(&all, fence, time);
        }
    }

    /// Where an object lies that others can access, too: its kind of memory, where it begins
    /// there, and how many bytes it has.
    fn place(&self, shared: &Shared<'_>, object: u32) -> Option<(Home, u32, u64)> {
        let class = match shared.program.objects.get(object as usize)?.kind {
            ObjectKind::Workgroup { start, size } => {
                return Some(((Class::Workgroup, None), start, size.into()));
            }
            ObjectKind::Buffer { .. }
            | ObjectKind::Memory { .. }
            | ObjectKind::Argument { .. }
            | ObjectKind::Global { .. } => Class::Buffer,
            ObjectKind::Resource { .. } => Class::Image,
            _ => return None,
        };
        let home = shared.homes[object as usize];
        let size = shared.buffers[home].len() as u64;
        self.is_written[home].then_some(((class, Some(home)), 0, size))
    }

    /// Where an access is, if that is memory that others can access and all of it is there.
    fn spot(&self, shared: &Shared<'_>, touch: Touch<'_>) -> Option<Spot> {
        let ((class, buffer), start, size) = self.place(shared, touch.object)?;
        let end = u64::from(touch.offset) + u64::from(touch.bytes);
        (end <= size).then_some(Spot {
            class,
            buffer,
            offset: start + touch.offset,
        })
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
        let clock = clocks.of(local)?;
        let (offset, count) = (spot.offset as usize, bytes as usize);
        if !new.is_atomic() {
            let time = clock.group_time(spot.class);
            let settled = Settled {
                first: who.group.wrapping_mul(self.numbers.group_size),
                count: self.numbers.group_size,
                time: if self.options.is_strict { 0 } else { time },
            };
            if shadow.note(offset, count, new, settled) != Noted::No {
                return None;
            }
        }
        let judge = Judge {
            program,
            sites: &self.sites,
            clock,
            own: who,
            class: spot.class,
            is_strict: self.options.is_strict,
            numbers: self.numbers,
        };
        let mut race = None;
        let order = |old, new| judge.order(old, new);
        let accepts = |entry: Entry| {
            let place = program.places.get(self.sites.pc(entry) as usize);
            place.is_some_and(|place| self.accepted.contains(place))
        };
        let found = |old| {
            if race.is_none() && !accepts(old) && !accepts(new) {
                race = Some(judge.explain(old, new));
            }
        };
        shadow.access(offset, count, new, order, found);
        race
    }

    /// What is published at a location.
    fn published(&mut self, who: Who, spot: Spot) -> Option<&mut Published> {
        let space = match spot.buffer {
            Some(buffer) => &mut self.buffers[buffer],
            None => &mut self.under_way.get_mut(&who.group)?.space,
        };
        Some(space.published.entry(spot.offset).or_default())
    }

    /// The synchronization of an atomic's read.
    fn atomic_read(&mut self, who: Who, spot: Spot, fence: Fence) {
        let Some(there) = self.published(who, spot) else {
            return;
        };
        let makes_visible = fence.semantics.0 & Semantics::MakeVisible.0 != 0;
        if !makes_visible && !there.is_worth_reading(fence) {
            return;
        }
        let found = std::mem::take(there);
        let classes = self.classes(fence, spot);
        if let Some(clock) = self.clock(who) {
            clock.atomic_read(who, &found, fence, spot.class, classes);
        }
        if let Some(there) = self.published(who, spot) {
            *there = found;
        }
    }

    /// The synchronization of an atomic's write; one that reads, too, goes on with the
    /// releases that others began.
    fn atomic_write(&mut self, who: Who, spot: Spot, fence: Fence, goes_on: bool) {
        let local = self.numbers.local(who) as usize;
        let group = self.under_way.get(&who.group);
        let clock = group.and_then(|group| group.clocks.of(local));
        let publishes = clock.is_some_and(|clock| clock.publishes(fence));
        let new = publishes.then(|| {
            let time = self.tick();
            let classes = self.classes(fence, spot);
            let clock = self.clock(who);
            clock.map(|clock| clock.atomic_write(who, fence, spot.class, classes, time))
        });
        let (is_kernel, time) = (self.is_kernel, self.time);
        let Some(there) = self.published(who, spot) else {
            return;
        };
        if !goes_on {
            there.replace(who, is_kernel);
        }
        match new.flatten() {
            Some(new) => there.add(new),
            None => there.write_relaxed(who, time.saturating_add(1)),
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
    for (inst, place) in program.code.iter().zip(&program.places) {
        let Some(address) = program.target(inst) else {
            continue;
        };
        match address.object {
            Object::Column(_) if program.writes_own.contains(place) => {}
            Object::Column(_) => return vec![true; buffers],
            // Memory of invocations and workgroups is no buffer.
            Object::Known(object) if is_buffer(program, object) => {
                is_written[homes[object as usize]] = true;
            }
            Object::Known(_) => {}
        }
    }
    is_written
}

/// Whether an object lies in one of the buffers of the run.
fn is_buffer(program: &Program, object: u32) -> bool {
    let kind = program.objects.get(object as usize).map(|info| info.kind);
    matches!(
        kind,
        Some(
            ObjectKind::Buffer { .. }
                | ObjectKind::Memory { .. }
                | ObjectKind::Argument { .. }
                | ObjectKind::Global { .. }
                | ObjectKind::Resource { .. }
        )
    )
}
