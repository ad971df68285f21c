//! Loads and stores of all lanes at once, where all access one object that is known.
//!
//! Whatever needs a word with a lane of its own (an access out of bounds, a pointer to some
//! object or other) is left to the loads and stores lane by lane.

use std::ops::Range;

use spirvkit_eval::ScalarType;

use super::control::{Active, Gang};
use super::{Shared, is_column};
use crate::program::{Address, Cell, Leaf, NO_REG, Object, ObjectKind, Pair, Reg};

/// How the offsets of the active lanes follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// All are the same.
    Uniform(usize),
    /// That of the first lane, were it active; each is a cell further than the one before.
    Consecutive(usize),
    Scattered,
}

/// Where the bytes of an object are.
enum Home {
    Buffer(usize),
    Workgroup(Range<usize>),
    /// Of each lane so many bytes further than those of the one before.
    Lane(Range<usize>),
}

/// The home of an object, if it has one and it may be written if need be.
fn home(shared: &Shared<'_>, object: u32, is_write: bool) -> Option<Home> {
    let range = |start: u32, size: u32| start as usize..start as usize + size as usize;
    match shared.program.objects.get(object as usize)?.kind {
        ObjectKind::Buffer { writable, .. } if writable || !is_write => {
            Some(Home::Buffer(shared.homes[object as usize]))
        }
        ObjectKind::Memory { .. } => Some(Home::Buffer(shared.homes[object as usize])),
        ObjectKind::Argument { writable, .. } | ObjectKind::Global { writable, .. }
            if writable || !is_write =>
        {
            Some(Home::Buffer(shared.homes[object as usize]))
        }
        ObjectKind::Push { .. } if !is_write => Some(Home::Buffer(shared.homes[object as usize])),
        ObjectKind::Workgroup { start, size } => Some(Home::Workgroup(range(start, size))),
        ObjectKind::Lane { start, size } => Some(Home::Lane(range(start, size))),
        _ => None,
    }
}

/// The cells that begin at an offset.
fn cells<const N: usize>(bytes: &[u8], start: usize, count: usize) -> Option<&[[u8; N]]> {
    let bytes = bytes.get(start..)?.get(..count * N)?;
    Some(bytes.as_chunks().0)
}

/// Up to eight bytes as a number.
#[inline(always)]
fn number<const N: usize>(bytes: [u8; N]) -> u64 {
    let mut all = [0; 8];
    all[..N].copy_from_slice(&bytes);
    u64::from_le_bytes(all)
}

impl<const W: usize> Gang<W> {
    /// Loads of all lanes; false, with nothing done, if they have to be done one by one.
    pub(super) fn load_together(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &[u8],
        active: &Active<W>,
        to: Reg,
        cell: Cell,
    ) -> bool {
        let object = self.same_object(active, cell.address.object);
        let Some(home) = object.and_then(|object| home(shared, object, false)) else {
            return false;
        };
        match cell.leaf.bytes() {
            1 => self.load_cells::<1>(shared, memory, active, to, cell, home),
            2 => self.load_cells::<2>(shared, memory, active, to, cell, home),
            4 => self.load_cells::<4>(shared, memory, active, to, cell, home),
            8 => self.load_cells::<8>(shared, memory, active, to, cell, home),
            _ => false,
        }
    }

    fn load_cells<const N: usize>(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &[u8],
        active: &Active<W>,
        to: Reg,
        Cell { leaf, address }: Cell,
        home: Home,
    ) -> bool {
        if let (Home::Buffer(buffer), Some(tracks)) = (&home, &mut shared.tracks) {
            self.track_together::<N>(tracks, active, (*buffer, address), false);
        }
        let read = match home {
            Home::Buffer(buffer) => self.read::<N>(&shared.buffers[buffer], active, address),
            Home::Workgroup(range) => self.read::<N>(&memory[range], active, address),
            Home::Lane(range) => {
                self.read_own::<N>(shared.program.lane_bytes as usize, range, active, address)
            }
        };
        let Some((mut low, high)) = read else {
            return false;
        };
        if leaf == Leaf::Scalar(ScalarType::Bool) {
            low = low.map(|word| u32::from(word != 0));
        }
        self.write(active, to, low);
        if N == 8 {
            self.write(active, to + 1, high);
        }
        true
    }

    /// What the lanes read from one object, as low and high words; `None` if one of them is
    /// out of bounds.
    #[inline(always)]
    fn read<const N: usize>(
        &self,
        bytes: &[u8],
        active: &Active<W>,
        address: Address,
    ) -> Option<([u32; W], [u32; W])> {
        let (mut low, mut high) = ([0; W], [0; W]);
        match self.pattern::<N>(active, address) {
            Pattern::Uniform(start) => {
                let word = number(cells::<N>(bytes, start, 1)?[0]);
                low = [word as u32; W];
                high = [(word >> 32) as u32; W];
            }
            Pattern::Consecutive(start) => {
                // Those of inactive lanes need not be there.
                let end = 64 - active.bits.leading_zeros() as usize;
                let first = active.bits.trailing_zeros() as usize;
                match cells::<N>(bytes, start, W) {
                    Some(cells) => {
                        for lane in 0..W {
                            let word = number(cells[lane]);
                            low[lane] = word as u32;
                            high[lane] = (word >> 32) as u32;
                        }
                    }
                    None => {
                        let cells = cells::<N>(bytes, start + first * N, end - first)?;
                        for (lane, &cell) in (first..end).zip(cells) {
                            let word = number(cell);
                            low[lane] = word as u32;
                            high[lane] = (word >> 32) as u32;
                        }
                    }
                }
            }
            Pattern::Scattered => {
                let offsets = &self.columns[address.offset as usize];
                for lane in active.lanes() {
                    let start = offsets[lane].wrapping_add(address.constant) as usize;
                    let word = number(*bytes.get(start..)?.first_chunk::<N>()?);
                    low[lane] = word as u32;
                    high[lane] = (word >> 32) as u32;
                }
            }
        }
        Some((low, high))
    }

    /// The object that all active lanes access, if it is one.
    #[inline(always)]
    pub(super) fn same_object(&self, active: &Active<W>, object: Object) -> Option<u32> {
        match object {
            Object::Known(object) => Some(object),
            Object::Column(column) => {
                let objects = &self.columns[column as usize];
                let first = objects[active.bits.trailing_zeros() as usize % W];
                active.are_same(objects).then_some(first)
            }
        }
    }

    /// What the lanes read from memory of their own.
    #[inline(always)]
    fn read_own<const N: usize>(
        &self,
        stride: usize,
        range: Range<usize>,
        active: &Active<W>,
        address: Address,
    ) -> Option<([u32; W], [u32; W])> {
        let (mut low, mut high) = ([0; W], [0; W]);
        if let Pattern::Uniform(start) = self.pattern::<N>(active, address) {
            if start.checked_add(N)? > range.len() {
                return None;
            }
            // Inactive lanes have memory, too.
            let own = self.memory.chunks_exact(stride);
            for (lane, own) in own.enumerate().take(W) {
                let word = number(*own[range.start + start..].first_chunk::<N>()?);
                low[lane] = word as u32;
                high[lane] = (word >> 32) as u32;
            }
            return Some((low, high));
        }
        for lane in active.lanes() {
            let start = self.offset_of(address, lane);
            let own = &self.memory[lane * stride..][range.clone()];
            let word = number(*own.get(start..)?.first_chunk::<N>()?);
            low[lane] = word as u32;
            high[lane] = (word >> 32) as u32;
        }
        Some((low, high))
    }

    /// Stores of all lanes; false, with nothing done, if they have to be done one by one.
    pub(super) fn store_together(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        from: Pair,
        cell: Cell,
    ) -> bool {
        let object = self.same_object(active, cell.address.object);
        let Some(home) = object.and_then(|object| home(shared, object, true)) else {
            return false;
        };
        match cell.leaf.bytes() {
            1 => self.store_cells::<1>(shared, memory, active, from, cell.address, home),
            2 => self.store_cells::<2>(shared, memory, active, from, cell.address, home),
            4 => self.store_cells::<4>(shared, memory, active, from, cell.address, home),
            8 => self.store_cells::<8>(shared, memory, active, from, cell.address, home),
            _ => false,
        }
    }

    fn store_cells<const N: usize>(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        from: Pair,
        address: Address,
        home: Home,
    ) -> bool {
        if let (Home::Buffer(buffer), Some(tracks)) = (&home, &mut shared.tracks) {
            self.track_together::<N>(tracks, active, (*buffer, address), true);
        }
        let bytes = match home {
            Home::Buffer(buffer) => &mut shared.buffers[buffer][..],
            Home::Workgroup(range) => &mut memory[range],
            Home::Lane(range) => {
                return self.write_own::<N>(
                    shared.program.lane_bytes as usize,
                    range,
                    active,
                    from,
                    address,
                );
            }
        };
        if active.is_full
            && let Pattern::Consecutive(start) = self.pattern::<N>(active, address)
        {
            let room = bytes
                .get_mut(start..)
                .and_then(|rest| rest.get_mut(..W * N));
            let Some(room) = room else { return false };
            let low = &self.columns[from[0] as usize];
            let high = match N {
                8 => &self.columns[from[1] as usize],
                _ => low,
            };
            for (lane, cell) in room.as_chunks_mut::<N>().0.iter_mut().enumerate() {
                let word = u64::from(high[lane]) << 32 | u64::from(low[lane]);
                cell.copy_from_slice(&word.to_le_bytes()[..N]);
            }
            return true;
        }
        // Nothing may be written before all is known to fit.
        let is_in = |lane: usize| {
            let end = self.offset_of(address, lane).checked_add(N);
            end.is_some_and(|end| end <= bytes.len())
        };
        if !active.lanes().all(is_in) {
            return false;
        }
        for lane in active.lanes() {
            let start = self.offset_of(address, lane);
            bytes[start..start + N].copy_from_slice(&self.cell(from, lane)[..N]);
        }
        true
    }

    /// Writes to memory of the lanes' own.
    fn write_own<const N: usize>(
        &mut self,
        stride: usize,
        range: Range<usize>,
        active: &Active<W>,
        from: Pair,
        address: Address,
    ) -> bool {
        let size = range.len();
        if let Pattern::Uniform(start) = self.pattern::<N>(active, address) {
            if start.checked_add(N).is_none_or(|end| end > size) {
                return false;
            }
            let low = &self.columns[from[0] as usize];
            let high = match N {
                8 => &self.columns[from[1] as usize],
                _ => low,
            };
            let own = self.memory.chunks_exact_mut(stride);
            for (lane, own) in own.enumerate().take(W) {
                if active.words[lane] != 0 {
                    let word = u64::from(high[lane]) << 32 | u64::from(low[lane]);
                    let start = range.start + start;
                    own[start..start + N].copy_from_slice(&word.to_le_bytes()[..N]);
                }
            }
            return true;
        }
        let is_in = |lane: usize| {
            let end = self.offset_of(address, lane).checked_add(N);
            end.is_some_and(|end| end <= size)
        };
        if !active.lanes().all(is_in) {
            return false;
        }
        for lane in active.lanes() {
            let start = lane * stride + range.start + self.offset_of(address, lane);
            let cell = self.cell(from, lane);
            self.memory[start..start + N].copy_from_slice(&cell[..N]);
        }
        true
    }

    /// The bytes that a lane has in one or two columns.
    #[inline(always)]
    fn cell(&self, [low, high]: Pair, lane: usize) -> [u8; 8] {
        let high = match is_column(high) {
            true => self.columns[high as usize][lane],
            false => 0,
        };
        let low = self.columns[low as usize][lane];
        (u64::from(high) << 32 | u64::from(low)).to_le_bytes()
    }

    #[inline(always)]
    pub(super) fn offset_of(&self, address: Address, lane: usize) -> usize {
        match address.offset {
            NO_REG => address.constant as usize,
            column => {
                let offset = self.columns[column as usize][lane];
                offset.wrapping_add(address.constant) as usize
            }
        }
    }

    /// How the offsets follow each other.
    #[inline(always)]
    pub(super) fn pattern<const N: usize>(&self, active: &Active<W>, address: Address) -> Pattern {
        if address.offset == NO_REG {
            return Pattern::Uniform(address.constant as usize);
        }
        let offsets = &self.columns[address.offset as usize];
        let lane = active.bits.trailing_zeros() as usize % W;
        let first = offsets[lane];
        // Where the first lane would be.
        let start = first.wrapping_sub((lane * N) as u32);
        let (mut differs, mut jumps) = (0, 0);
        for (lane, (&offset, &mask)) in offsets.iter().zip(&active.words).enumerate() {
            differs |= (offset ^ first) & mask;
            jumps |= (offset ^ start.wrapping_add((lane * N) as u32)) & mask;
        }
        if differs == 0 {
            return Pattern::Uniform(first.wrapping_add(address.constant) as usize);
        }
        let start = start.wrapping_add(address.constant);
        // Offsets that wrap around don't follow each other.
        let is_plain = u64::from(start) + (W * N) as u64 <= 1 << 32;
        match jumps == 0 && is_plain {
            true => Pattern::Consecutive(start as usize),
            false => Pattern::Scattered,
        }
    }
}
