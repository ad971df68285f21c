//! Where memory is accessed: all accesses of the lanes of a gang come through here.

use spirvkit_grammar::Op;

use super::shadow::{Entry, Noted, Settled};
use super::{Race, Races, Spot};
use crate::machine::Shared;
use crate::machine::control::{Active, Gang, lanes};
use crate::program::{Atomic, Cell, Fence, ObjectKind, Pair, Pc};

/// An access to bytes of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<'t> {
    pub(crate) object: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    /// What is written, if it is a write.
    pub(crate) written: Option<&'t [u8]>,
}

/// A lane that accesses memory, and with what instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    pc: Pc,
    lane: usize,
}

impl<const W: usize> Gang<W> {
    /// Looks for races of loads, or of stores of what is in columns, which are to come.
    pub(crate) fn record_cells(
        &self,
        shared: &mut Shared<'_>,
        memory: &[u8],
        active: &Active<W>,
        pc: Pc,
        (cell, from): (Cell, Option<Pair>),
    ) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        let object = self.same_object(active, cell.address.object);
        // Most instructions access memory of one object, and without a race.
        let slow = match object {
            Some(object) => self.note_cells(shared, &mut races, active, pc, (object, cell, from)),
            None => active.bits,
        };
        let values = |lane: usize| match from {
            Some(from) => {
                let [low, high] = from.map(|column| u64::from(self.word(column, lane)));
                (high << 32 | low).to_le_bytes()
            }
            None => [0; 8],
        };
        let size = cell.leaf.bytes();
        for lane in lanes(slow) {
            let (object, offset) = self.locate(cell.address, lane);
            let value = values(lane);
            let touch = Touch {
                object,
                offset,
                bytes: size,
                written: from.is_some().then_some(&value[..size as usize]),
            };
            // Another lane may write there with the same instruction.
            let before = active.lanes().take_while(|&other| other < lane);
            let is_there = |&other: &usize| self.locate(cell.address, other) == (object, offset);
            let other = || before.filter(is_there).last().map(values);
            self.look(shared, &mut races, memory, By { pc, lane }, touch, other);
        }
        shared.races = Some(races);
    }

    /// Notes what is simple and races with nothing, and gives the lanes that have more.
    fn note_cells(
        &self,
        shared: &Shared<'_>,
        races: &mut Races,
        active: &Active<W>,
        pc: Pc,
        (object, cell, from): (u32, Cell, Option<Pair>),
    ) -> u64 {
        let Some((space, start, size)) = races.place(shared, object) else {
            return 0;
        };
        let bytes = cell.leaf.bytes();
        let site = races.sites.number(pc);
        let kind = races.sites.kind(site, bytes, false);
        let numbers = races.numbers;
        let group = numbers.group(self.id);
        let (time, is_strict) = (races.time, races.options.is_strict);
        let Some(under_way) = races.under_way.get_mut(&group) else {
            return 0;
        };
        let (class, buffer) = space;
        let shadow = match buffer {
            Some(buffer) => &mut races.buffers[buffer].shadow,
            None => &mut under_way.space.shadow,
        };
        let first = group.wrapping_mul(numbers.group_size);
        let own = first.wrapping_add(self.first);
        let mut settled = Settled {
            first,
            count: numbers.group_size,
            time: 0,
        };
        let clocks = &under_way.clocks;
        // Mostly all invocations know the same.
        let are_same = is_strict || clocks.are_same();
        if let Some(clock) = clocks.of(0).filter(|_| !is_strict) {
            settled.time = clock.group_time(class);
        }
        let (mut slow, mut known) = (0, None);
        for lane in active.lanes() {
            let offset = self.offset_of(cell.address, lane);
            if known == Some(offset) || (offset as u64) + u64::from(bytes) > size {
                continue;
            }
            if !are_same && let Some(clock) = clocks.of(self.first as usize + lane) {
                settled.time = clock.group_time(class);
            }
            let invocation = own.wrapping_add(lane as u32);
            let new = Entry::new(invocation, time, site, from.is_some(), kind);
            match shadow.note(start as usize + offset, bytes as usize, new, settled) {
                Noted::No => slow |= 1 << lane,
                Noted::Yes => {}
                Noted::Known if are_same => known = Some(offset),
                Noted::Known => {}
            }
        }
        slow
    }

    /// Looks for races of one access, which is to come.
    pub(crate) fn record(
        &self,
        shared: &mut Shared<'_>,
        memory: &[u8],
        pc: Pc,
        lane: usize,
        touch: Touch<'_>,
    ) {
        if let Some(mut races) = shared.races.take() {
            self.look(shared, &mut races, memory, By { pc, lane }, touch, || None);
            shared.races = Some(races);
        }
    }

    /// Notes one access, and reports the race that it has. `other` gives what another lane
    /// writes there before.
    fn look(
        &self,
        shared: &mut Shared<'_>,
        races: &mut Races,
        memory: &[u8],
        by: By,
        touch: Touch<'_>,
        other: impl FnOnce() -> Option<[u8; 8]>,
    ) {
        let Some(spot) = races.spot(shared, touch) else {
            return;
        };
        let who = races.who(self.id, self.first + by.lane as u32);
        let site = races.sites.number(by.pc);
        let kind = races.sites.kind(site, touch.bytes, false);
        let is_write = touch.written.is_some();
        let new = Entry::new(who.invocation, races.time, site, is_write, kind);
        let Some(race) = races.access(shared.program, who, spot, touch.bytes, new) else {
            return;
        };
        let is_same = |written: &[u8]| match other() {
            Some(other) => other.get(..written.len()) == Some(written),
            None => {
                let there = match spot.buffer {
                    Some(buffer) => &shared.buffers[buffer][..],
                    None => memory,
                };
                let start = spot.offset as usize;
                there.get(start..start + written.len()) == Some(written)
            }
        };
        let accepts = races.options.allows_same_value && race.is_between_writes;
        if !(accepts && touch.written.is_some_and(is_same)) {
            self.report_race(shared, by, spot, touch.object, race);
        }
    }

    /// What an atomic orders, and its races. `wrote` says whether it has written.
    pub(crate) fn record_atomic(
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
        let (object, offset) = self.locate(atomic.address, lane);
        let touch = Touch {
            object,
            offset,
            bytes,
            written: None,
        };
        if let Some(spot) = races.spot(shared, touch) {
            let who = races.who(self.id, self.first + lane as u32);
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
            let site = races.sites.number(pc);
            let kind = races.sites.kind(site, bytes, true);
            let new = Entry::new(who.invocation, races.time, site, wrote, kind);
            let race = races.access(shared.program, who, spot, bytes, new);
            if wrote {
                races.atomic_write(who, spot, fence, atomic.op != Op::AtomicStore);
            }
            if let Some(race) = race {
                self.report_race(shared, By { pc, lane }, spot, object, race);
            }
        }
        shared.races = Some(races);
    }

    /// A memory barrier.
    pub(crate) fn record_fence(&self, shared: &mut Shared<'_>, active: &Active<W>, fence: u32) {
        let Some(mut races) = shared.races.take() else {
            return;
        };
        let fence = shared.program.fences[fence as usize];
        for lane in active.lanes() {
            let who = races.who(self.id, self.first + lane as u32);
            let time = races.tick();
            if let Some(clock) = races.clock(who) {
                clock.fence(who, fence, time);
            }
        }
        shared.races = Some(races);
    }

    /// A control barrier among the lanes of a tangle.
    pub(crate) fn record_barrier(&self, shared: &mut Shared<'_>, active: &Active<W>, fence: u32) {
        let fence = shared.program.fences[fence as usize];
        if let Some(races) = &mut shared.races {
            let lanes = active.lanes();
            let passing: Vec<u32> = lanes.map(|lane| self.first + lane as u32).collect();
            races.control_barrier(self.id, &passing, fence);
        }
    }

    fn report_race(&self, shared: &mut Shared<'_>, by: By, spot: Spot, object: u32, race: Race) {
        let info = shared.program.objects.get(object as usize);
        let name = info.map_or_else(|| "memory".into(), |info| info.name.clone());
        let start = match info.map(|info| info.kind) {
            Some(ObjectKind::Workgroup { start, .. }) => start,
            _ => 0,
        };
        let place = (name, spot.offset - start);
        let who = self.invocations(1 << by.lane);
        shared
            .findings
            .race(shared.program, by.pc, who, place, race);
    }
}
