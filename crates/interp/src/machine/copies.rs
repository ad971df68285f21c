//! Copies of as many elements as operands say.

use super::Shared;
use super::control::{Active, Gang};
use super::memory::Access;
use crate::program::{Address, Pair, Pc, advanced};
use crate::special::Copies;

impl<const W: usize> Gang<W> {
    pub(crate) fn copies(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        copies: &Copies,
    ) {
        let size: u32 = shared.program.workgroup_size.iter().product();
        for lane in active.lanes() {
            let own = u64::from(self.first) + lane as u64;
            let (first, step) = match copies.is_shared {
                true => (own, u64::from(size)),
                false => (0, 1),
            };
            let mut index = first;
            // The first that fails ends it, so that it ends however many there are said to be.
            while index < self.long(copies.count, lane)
                && self.copy_element(shared, memory, pc, copies, index, lane)
            {
                index += step;
            }
        }
    }

    fn long(&self, [low, high]: Pair, lane: usize) -> u64 {
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
            match self.bytes(shared, memory, from, lane) {
                Ok(bytes) => room.copy_from_slice(bytes),
                Err(why) => {
                    self.report(shared, pc, from, why, lane);
                    return false;
                }
            }
            match self.bytes(shared, memory, to, lane) {
                Ok(bytes) => bytes.copy_from_slice(room),
                Err(why) => {
                    self.report(shared, pc, to, why, lane);
                    return false;
                }
            }
        }
        true
    }
}
