//! Copies of as many elements as operands say.

use super::control::{Active, Gang};
use super::memory::Access;
use super::{Shared, Touch};
use crate::program::{Address, Pair, Pc, advanced};
use crate::special::Copies;

/// An access for whoever looks for races.
pub(super) fn touch(access: Access, written: Option<&[u8]>) -> Touch<'_> {
    Touch {
        object: access.object,
        offset: access.offset,
        bytes: access.bytes,
        written,
    }
}

impl<const W: usize> Gang<W> {
    pub(crate) fn copies(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        copies: &Copies,
    ) {
        // Elements without contents take no time, however many they are.
        if copies.leaves.is_empty() {
            return;
        }
        let size: u32 = shared.program.size_of(self.id).iter().product();
        for lane in active.lanes() {
            let own = u64::from(self.first) + lane as u64;
            let (first, step) = match copies.is_shared {
                true => (own, u64::from(size)),
                false => (0, 1),
            };
            let count = self.long(copies.count, lane);
            shared.changes += count.min(1);
            let mut index = first;
            // The first that fails ends it, and so does the limit of the run.
            while index < count && shared.steps <= shared.max_steps {
                shared.steps += copies.leaves.len() as u64;
                if !self.copy_element(shared, memory, pc, copies, index, lane) {
                    break;
                }
                index = index.saturating_add(step);
            }
        }
    }

    pub(super) fn long(&self, [low, high]: Pair, lane: usize) -> u64 {
        u64::from(self.word(high, lane)) << 32 | u64::from(self.word(low, lane))
    }

    fn copy_element(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        pc: Pc,
        copies: &Copies,
        index: u64,
        lane: usize,
    ) -> bool {
        let [to_stride, from_stride] = copies.strides.map(|it| self.long(it, lane));
        for &(leaf, start) in &copies.leaves {
            let place = |this: &Self, address: Address, stride: u64, is_write| {
                let (object, offset) = this.locate(address, lane);
                let further = index.wrapping_mul(stride).min(u64::from(u32::MAX));
                let offset = advanced(offset, further as i64, copies.size);
                Access {
                    object,
                    offset: advanced(offset, start.into(), 1),
                    bytes: leaf.bytes(),
                    is_write,
                }
            };
            let from = place(self, copies.from, from_stride, false);
            let to = place(self, copies.to, to_stride, true);
            let mut buffer = [0; 8];
            let room = &mut buffer[..leaf.bytes() as usize];
            self.record(shared, memory, pc, lane, touch(from, None));
            match self.bytes(shared, memory, from, lane) {
                Ok(bytes) => room.copy_from_slice(bytes),
                Err(why) => {
                    self.report(shared, pc, from, why, lane);
                    return false;
                }
            }
            self.record(shared, memory, pc, lane, touch(to, Some(room)));
            match self.bytes(shared, memory, to, lane) {
                Ok(bytes) => bytes.copy_from_slice(room),
                Err(why) => {
                    self.report(shared, pc, to, why, lane);
                    return false;
                }
            }
            let places = [to, from].map(|it| (it.object, it.offset));
            self.follow_copy(shared, memory, places, leaf.bytes(), lane);
        }
        true
    }
}
