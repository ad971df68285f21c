//! Which bytes of memory are undefined: of lanes and of workgroups.
//!
//! A workgroup's memory has, behind its bytes, how many of them are undefined and a bit for
//! each. A byte that is undefined in part, or that an undefined value was stored to, is listed
//! besides.

use spirvkit_grammar::Op;

use super::super::Shared;
use super::super::control::{Active, Gang};
use super::{Own, own};
use crate::program::{Address, Cell, Leaf, NO_REG, Object, Pc, Program, Reg};
use crate::undefined::{Origin, Slot, Source, UndefinedBits, Use};

/// How many bytes are listed in a gang, and for all workgroups.
const MAX_STORED: usize = 1 << 16;

/// A byte that an undefined value was stored to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    bits: u8,
    origin: Option<Origin>,
}

/// The memory of a workgroup as far as it is undefined.
struct Bits<'m> {
    count: &'m mut [u8; 4],
    bits: &'m mut [u8],
}

impl<'m> Bits<'m> {
    /// Nothing if that isn't followed.
    fn of(program: &Program, memory: &'m mut [u8]) -> Option<Self> {
        let shadow = memory.get_mut(program.workgroup_bytes as usize..)?;
        let (count, bits) = shadow.split_first_chunk_mut()?;
        Some(Self { count, bits })
    }

    fn count(&self) -> u32 {
        u32::from_le_bytes(*self.count)
    }

    fn get(&self, place: u32) -> bool {
        self.bits[place as usize / 8] >> (place % 8) & 1 != 0
    }

    fn set(&mut self, place: u32, is_undefined: bool) {
        let was = self.get(place);
        if was == is_undefined {
            return;
        }
        self.bits[place as usize / 8] ^= 1 << (place % 8);
        let count = match is_undefined {
            true => self.count() + 1,
            false => self.count() - 1,
        };
        *self.count = count.to_le_bytes();
    }

    /// Whether all bytes of a range are defined, and perhaps some beside it.
    fn are_clear(&self, start: u32, end: u32) -> bool {
        let bytes = self
            .bits
            .get(start as usize / 8..(end as usize).div_ceil(8));
        bytes.is_none_or(|bytes| bytes.iter().fold(0, |all, byte| all | byte) == 0)
    }
}

/// Lets the memory of a workgroup begin as it is undefined.
pub(crate) fn begin_workgroup(program: &Program, memory: &mut [u8]) {
    let Some(undefined) = program.undefined.as_deref() else {
        return;
    };
    let Some(mut bits) = Bits::of(program, memory) else {
        return;
    };
    for range in &undefined.workgroup {
        range.clone().for_each(|place| bits.set(place, true));
    }
}

impl<const W: usize> Gang<W> {
    /// Nothing is written yet to an object of the active lanes.
    pub(super) fn begin_object(&mut self, program: &Program, active: &Active<W>, object: u32) {
        let Some(Own::Lane(start, size)) = own(program, object) else {
            return;
        };
        let shadows = &mut self.shadows;
        let places = start as usize..(start + size) as usize;
        for lanes in shadows.lanes.get_mut(places).into_iter().flatten() {
            *lanes |= active.bits;
        }
        if !shadows.stored.is_empty() {
            shadows.stored.retain(|&(lane, place), _| {
                active.bits >> lane & 1 == 0 || !(start..start + size).contains(&place)
            });
        }
    }

    /// Whether what all lanes access is defined for sure.
    fn is_clear(
        &self,
        program: &Program,
        memory: &mut [u8],
        active: &Active<W>,
        address: Address,
        bytes: u32,
    ) -> bool {
        let Object::Known(object) = address.object else {
            return false;
        };
        let Some(own) = own(program, object) else {
            return true;
        };
        let bits = Bits::of(program, memory);
        if let (Own::Workgroup(..), Some(bits)) = (own, &bits)
            && bits.count() == 0
        {
            return true;
        }
        let (mut least, mut most) = (u32::MAX, 0);
        match address.offset {
            NO_REG => (least, most) = (address.constant, address.constant),
            column => {
                let offsets = &self.columns[column as usize];
                for (&offset, &mask) in offsets.iter().zip(&active.words) {
                    let offset = offset.wrapping_add(address.constant);
                    least = least.min(offset | !mask);
                    most = most.max(offset & mask);
                }
            }
        }
        let (Own::Lane(start, size) | Own::Workgroup(start, size)) = own;
        let end = most.saturating_add(bytes);
        if end > size || least > most {
            return false;
        }
        let (least, end) = (start + least, start + end);
        match (own, bits) {
            (Own::Lane(..), _) => {
                let lanes = self.shadows.lanes.get(least as usize..end as usize);
                // Looking at many bytes takes longer than looking at each lane's.
                lanes.is_none_or(|lanes| {
                    lanes.len() <= 64
                        && lanes.iter().fold(0, |all, lanes| all | lanes) & active.bits == 0
                })
            }
            (Own::Workgroup(..), Some(bits)) => bits.are_clear(least, end),
            (Own::Workgroup(..), None) => true,
        }
    }

    /// The undefined bits of bytes, and where the first of them comes from.
    fn bits_at(
        &self,
        shared: &Shared<'_>,
        memory: &mut [u8],
        (object, offset, own): (u32, u32, Own),
        lane: usize,
    ) -> (u64, Option<Source>, Option<Origin>) {
        let (Own::Lane(place, bytes) | Own::Workgroup(place, bytes)) = own;
        let bits = Bits::of(shared.program, memory);
        let (mut all, mut source, mut origin) = (0, None, None);
        for index in 0..bytes {
            let at = place + index;
            let (is_undefined, stored) = match (own, &bits) {
                (Own::Lane(..), _) => {
                    let lanes = self.shadows.lanes.get(at as usize).copied().unwrap_or(0);
                    (
                        lanes >> lane & 1 != 0,
                        self.shadows.stored.get(&(lane as u32, at)),
                    )
                }
                (Own::Workgroup(..), Some(bits)) => {
                    (bits.get(at), shared.stored.get(&(self.id, at)))
                }
                (Own::Workgroup(..), None) => (false, None),
            };
            if !is_undefined {
                continue;
            }
            let byte = stored.map_or(0xff, |stored| stored.bits);
            all |= u64::from(byte) << (8 * index);
            match stored {
                Some(stored) => origin = origin.or(stored.origin),
                None => {
                    let offset = offset + index;
                    source = source.or(Some(Source::Memory { object, offset }));
                }
            }
        }
        (all, source, origin)
    }

    /// Notes which bits of bytes are undefined.
    fn set_bits_at(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        own: Own,
        lane: usize,
        (bits, origin): (u64, Option<Origin>),
    ) {
        let (Own::Lane(place, bytes) | Own::Workgroup(place, bytes)) = own;
        for index in 0..bytes {
            let at = place + index;
            let byte = (bits >> (8 * index)) as u8;
            let stored = Stored { bits: byte, origin };
            match own {
                Own::Lane(..) => {
                    let shadows = &mut self.shadows;
                    let Some(lanes) = shadows.lanes.get_mut(at as usize) else {
                        return;
                    };
                    // What there is no room for counts as defined.
                    let is_undefined = byte != 0 && shadows.stored.len() < MAX_STORED;
                    let was = *lanes >> lane & 1 != 0;
                    *lanes = *lanes & !(1 << lane) | u64::from(is_undefined) << lane;
                    match is_undefined {
                        true => _ = shadows.stored.insert((lane as u32, at), stored),
                        false if was => _ = shadows.stored.remove(&(lane as u32, at)),
                        false => {}
                    }
                }
                Own::Workgroup(..) => {
                    let Some(mut all) = Bits::of(shared.program, memory) else {
                        return;
                    };
                    let is_undefined = byte != 0 && shared.stored.len() < MAX_STORED;
                    let was = all.get(at);
                    all.set(at, is_undefined);
                    match is_undefined {
                        true => _ = shared.stored.insert((self.id, at), stored),
                        false if was => _ = shared.stored.remove(&(self.id, at)),
                        false => {}
                    }
                }
            }
        }
    }

    pub(super) fn follow_load(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        cell: Cell,
        writes: &[Slot],
    ) {
        let (program, bytes) = (shared.program, cell.leaf.bytes());
        self.shadows.awaits = memory.is_empty();
        if self.is_clear(program, memory, active, cell.address, bytes) {
            if !self.is_untainted() {
                self.clear(active, writes);
            }
            return;
        }
        let place = program.places.get(pc as usize).copied();
        let (mut low, mut high) = ([0; W], [0; W]);
        let mut of_all = None;
        for lane in active.lanes() {
            let Some(at) = self.own_bytes(program, cell.address, bytes, lane) else {
                continue;
            };
            let (bits, source, origin) = self.bits_at(shared, memory, at, lane);
            if bits == 0 {
                continue;
            }
            let own = source.map(|source| Origin { source, place });
            of_all = of_all.or(own).or(origin);
            let bits = match cell.leaf {
                Leaf::Scalar(spirvkit_eval::ScalarType::Bool) => u64::MAX,
                _ => bits,
            };
            low[lane] = bits as u32;
            high[lane] = (bits >> 32) as u32;
        }
        for (&to, words) in writes.iter().zip([low, high]) {
            self.set_shadow(active, to, words, of_all);
        }
    }

    /// Notes what an invocation by itself is to store.
    fn note_store(&mut self, origin: Option<Origin>, reads: &[(Reg, Slot)]) {
        let half = |index: usize| reads.get(index).map_or(0, |it| self.shadow(it.1)[0]);
        let bits = u64::from(half(1)) << 32 | u64::from(half(0));
        self.shadows.stores = UndefinedBits { bits, origin };
    }

    pub(super) fn follow_store(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        cell: Cell,
        reads: &[(Reg, Slot)],
    ) {
        let (program, bytes) = (shared.program, cell.leaf.bytes());
        let undefined = self.any_of(active, reads);
        if memory.is_empty() {
            self.note_store(undefined.and_then(|it| it.1), reads);
        }
        let is_clear = undefined.is_none();
        if is_clear && self.is_clear(program, memory, active, cell.address, bytes) {
            return;
        }
        let slot = |index: usize| reads.get(index).map_or(NO_REG, |it| it.1);
        let [low, high] = [slot(0), slot(1)].map(|slot| self.shadow(slot));
        for lane in active.lanes() {
            let Some((.., own)) = self.own_bytes(program, cell.address, bytes, lane) else {
                continue;
            };
            let bits = match cell.leaf {
                Leaf::Scalar(spirvkit_eval::ScalarType::Bool) if low[lane] != 0 => u64::MAX,
                _ => u64::from(high[lane]) << 32 | u64::from(low[lane]),
            };
            let origin = undefined.and_then(|it| it.1);
            self.set_bits_at(shared, memory, own, lane, (bits, origin));
        }
    }

    /// The bits and bytes of an atomic: what it reads, then what it leaves.
    #[expect(clippy::too_many_arguments, reason = "all that a step is about")]
    pub(super) fn follow_atomic(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        index: u32,
        reads: &[(Reg, Slot)],
        writes: &[Slot],
    ) {
        let program = shared.program;
        let atomic = &program.atomics[index as usize];
        let bytes = atomic.ty.width().div_ceil(8);
        let value = self.any_of(active, reads);
        self.shadows.awaits = memory.is_empty();
        if value.is_none() && self.is_clear(program, memory, active, atomic.address, bytes) {
            return self.clear(active, writes);
        }
        let place = program.places.get(pc as usize).copied();
        let is_plain = matches!(atomic.op, Op::AtomicStore | Op::AtomicExchange);
        let is_replaced = is_plain || atomic.op == Op::AtomicLoad;
        let (mut low, mut high) = ([0; W], [0; W]);
        let mut of_all = None;
        for lane in active.lanes() {
            let Some(at) = self.own_bytes(program, atomic.address, bytes, lane) else {
                continue;
            };
            let (bits, source, origin) = self.bits_at(shared, memory, at, lane);
            low[lane] = bits as u32;
            high[lane] = (bits >> 32) as u32;
            let origin = source.map(|source| Origin { source, place }).or(origin);
            of_all = of_all.or(origin);
            if let (false, Some(origin), true) = (is_replaced, origin, bits != 0) {
                self.report_undefined(shared, 1 << lane, pc, Use::AtomicMemory, origin);
            }
            // What is compared or counted has been reported, and is so only once.
            if atomic.op != Op::AtomicLoad {
                self.set_bits_at(shared, memory, at.2, lane, (0, None));
            }
        }
        for (&to, words) in writes.iter().zip([low, high]) {
            self.set_shadow(active, to, words, of_all);
        }
    }

    /// Lets bytes that are copied from one place to another take what is undefined along.
    pub(crate) fn follow_copy(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        [(to, to_offset), (from, from_offset)]: [(u32, u32); 2],
        bytes: u32,
        lane: usize,
    ) {
        let program = shared.program;
        if program.undefined.is_none() {
            return;
        }
        let at = |object: u32, offset: u32| {
            let address = Address {
                object: Object::Known(object),
                offset: NO_REG,
                constant: offset,
            };
            self.own_bytes(program, address, bytes, lane)
        };
        let (from, to) = (at(from, from_offset), at(to, to_offset));
        let (bits, origin) = match from {
            Some(from) => {
                let (bits, source, origin) = self.bits_at(shared, memory, from, lane);
                let place = None;
                (
                    bits,
                    source.map(|source| Origin { source, place }).or(origin),
                )
            }
            None => (0, None),
        };
        if let Some((.., to)) = to {
            self.set_bits_at(shared, memory, to, lane, (bits, origin));
        }
    }
}
