//! The packets of a pipe, without their bytes: which are there, and who has reserved them.

use std::collections::VecDeque;

/// A place for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// It is reserved for a packet that is to come.
    Reserved { is_written: bool },
    /// Its packet can be read.
    Ready,
    /// Its packet is reserved for reading.
    Taken,
    /// Its packet has been read, but some before it have not.
    Read,
}

/// A pipe: packets come in behind and go out in front. Each has a number, counted from the
/// first that was ever there, which tells where its bytes are.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    slots: VecDeque<Slot>,
    capacity: u32,
    /// The number of the first slot.
    first: u64,
    /// The number of the first slot that nobody has read or reserved for reading.
    next: u64,
    /// How many packets can be read, as soon as those before them can.
    ready: u32,
}

impl Queue {
    /// A pipe for so many packets, some of which are there.
    pub(super) fn new(capacity: u32, there: u32) -> Self {
        let ready = there.min(capacity);
        Self {
            slots: (0..ready).map(|_| Slot::Ready).collect(),
            capacity,
            first: 0,
            next: 0,
            ready,
        }
    }

    pub(super) fn capacity(&self) -> u32 {
        self.capacity
    }

    pub(super) fn ready(&self) -> u32 {
        self.ready
    }

    /// Where the packet with a number lies among as many as have room.
    pub(super) fn place(&self, number: u64) -> u32 {
        (number % u64::from(self.capacity.max(1))) as u32
    }

    fn slot(&mut self, number: u64) -> Option<&mut Slot> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(index)
    }

    fn has_room(&self, count: u32) -> bool {
        self.slots.len() as u64 + u64::from(count) <= self.capacity.into()
    }

    /// Adds a packet behind all others; gives its number, or nothing if the pipe is full.
    pub(super) fn write(&mut self) -> Option<u64> {
        if !self.has_room(1) {
            return None;
        }
        self.slots.push_back(Slot::Ready);
        self.ready += 1;
        Some(self.first + self.slots.len() as u64 - 1)
    }

    /// Takes the first packet out; gives its number, or nothing if there is none to be read.
    pub(super) fn read(&mut self) -> Option<u64> {
        let number = self.reserve_reading(1)?;
        self.finish_reading(number, 1);
        Some(number)
    }

    /// Reserves room behind all others; gives the number of the first packet.
    pub(super) fn reserve_writing(&mut self, count: u32) -> Option<u64> {
        if count == 0 || !self.has_room(count) {
            return None;
        }
        let start = self.first + self.slots.len() as u64;
        let slot = Slot::Reserved { is_written: false };
        self.slots.extend((0..count).map(|_| slot));
        Some(start)
    }

    /// Reserves the first packets; gives the number of the first.
    pub(super) fn reserve_reading(&mut self, count: u32) -> Option<u64> {
        if count == 0 || count > self.ready {
            return None;
        }
        let start = self.next;
        let index = (start - self.first) as usize;
        let mut wanted = self.slots.range(index..).take(count as usize);
        if !wanted.all(|slot| *slot == Slot::Ready) {
            return None;
        }
        for slot in self.slots.range_mut(index..index + count as usize) {
            *slot = Slot::Taken;
        }
        self.next += u64::from(count);
        self.ready -= count;
        Some(start)
    }

    /// Notes that a packet is written for which there was a reservation.
    pub(super) fn note_written(&mut self, number: u64) {
        if let Some(Slot::Reserved { is_written }) = self.slot(number) {
            *is_written = true;
        }
    }

    /// Lets the packets of a reservation be read; gives how many of them were not written.
    pub(super) fn finish_writing(&mut self, start: u64, count: u32) -> u32 {
        let mut missing = 0;
        for number in start..start + u64::from(count) {
            if let Some(slot) = self.slot(number)
                && let Slot::Reserved { is_written } = *slot
            {
                missing += u32::from(!is_written);
                *slot = Slot::Ready;
                self.ready += 1;
            }
        }
        missing
    }

    /// Takes the packets of a reservation out.
    pub(super) fn finish_reading(&mut self, start: u64, count: u32) {
        for number in start..start + u64::from(count) {
            if let Some(slot) = self.slot(number) {
                *slot = Slot::Read;
            }
        }
        while self.slots.front() == Some(&Slot::Read) {
            self.slots.pop_front();
            self.first += 1;
        }
    }

    /// The numbers of the packets that are there, in their order: those that nobody has taken
    /// out, and whose reservation is over.
    pub(super) fn there(&self) -> impl Iterator<Item = u64> + '_ {
        let numbered = (self.first..).zip(&self.slots);
        let there = numbered.filter(|(_, slot)| matches!(slot, Slot::Ready | Slot::Taken));
        there.map(|(number, _)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    #[test]
    fn packets_go_out_as_they_came_in() {
        let mut queue = Queue::new(3, 1);
        assert_eq!(queue.write(), Some(1));
        assert_eq!(queue.write(), Some(2));
        assert_eq!(queue.write(), None);
        assert_eq!((queue.read(), queue.ready()), (Some(0), 2));
        assert_eq!((queue.write(), queue.place(3)), (Some(3), 0));
        let read: Vec<_> = (0..4).map(|_| queue.read()).collect();
        assert_eq!(read, [Some(1), Some(2), Some(3), None]);
    }

    #[test]
    fn what_is_reserved_holds_up_what_is_behind() {
        let mut queue = Queue::new(4, 0);
        let start = queue.reserve_writing(2).unwrap();
        assert_eq!(queue.write(), Some(2));
        assert_eq!(queue.reserve_writing(2), None);
        assert_eq!((queue.read(), queue.ready()), (None, 1));
        queue.note_written(start + 1);
        assert_eq!(queue.finish_writing(start, 2), 1);
        assert_eq!((queue.reserve_reading(4), queue.ready()), (None, 3));
        assert_eq!(queue.reserve_reading(2), Some(0));
        assert_eq!(queue.read(), Some(2));
        // The room of packets that are being read is not free before they are.
        assert_eq!((queue.write(), queue.write()), (Some(3), None));
        assert_eq!(queue.there().collect::<Vec<_>>(), [0, 1, 3]);
        queue.finish_reading(0, 2);
        assert_eq!(queue.reserve_writing(3), Some(4));
        assert_eq!(queue.there().collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn nothing_is_no_reservation() {
        let mut queue = Queue::new(0, 5);
        assert_eq!((queue.write(), queue.read()), (None, None));
        assert_eq!(Queue::new(2, 2).reserve_reading(0), None);
        assert_eq!(Queue::new(2, 0).reserve_writing(0), None);
    }
}
