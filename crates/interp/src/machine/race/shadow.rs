//! Who accessed each word of memory last: what a race detector compares with.
//!
//! A cell stands for four bytes and has the last write and up to two of the last reads;
//! more, as of invocations that access parts of a word, are kept in a list beside. An access
//! is dropped when another comes after it that takes its place in all that may follow.

/// How many bytes a cell stands for.
const BYTES: usize = 4;

/// How many cells there are in a page.
const PAGE: usize = 1024;

/// How many accesses are kept of a cell beside the inline ones. Beyond, the oldest are
/// forgotten, which misses races but makes none up.
const MAX_MORE: usize = 64;

const NOBODY: u32 = u32::MAX;

const ATOMIC: u32 = 1 << 29;
const WRITE: u32 = 1 << 28;
const BYTES_SHIFT: u32 = 24;
const PC: u32 = (1 << BYTES_SHIFT) - 1;

/// An access to one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) invocation: u32,
    pub(super) time: u32,
    /// The instruction, the bytes and what is done with them.
    what: u32,
}

impl Entry {
    const NONE: Self = Self {
        invocation: NOBODY,
        time: 0,
        what: 0,
    };

    pub(super) fn new(
        invocation: u32,
        time: u32,
        pc: u32,
        is_write: bool,
        is_atomic: bool,
    ) -> Self {
        let write = if is_write { WRITE } else { 0 };
        let atomic = if is_atomic { ATOMIC } else { 0 };
        Self {
            invocation,
            time,
            what: (pc & PC) | write | atomic,
        }
    }

    fn with_bytes(self, bytes: u32) -> Self {
        let what = (self.what & !(0xf << BYTES_SHIFT)) | bytes << BYTES_SHIFT;
        Self { what, ..self }
    }

    pub(super) fn pc(self) -> u32 {
        self.what & PC
    }

    /// A bit for each byte.
    pub(super) fn bytes(self) -> u32 {
        self.what >> BYTES_SHIFT & 0xf
    }

    pub(super) fn is_write(self) -> bool {
        self.what & WRITE != 0
    }

    pub(super) fn is_atomic(self) -> bool {
        self.what & ATOMIC != 0
    }

    fn is_none(self) -> bool {
        self.what == 0
    }

    /// Whether whatever comes later and conflicts with an older access also conflicts with
    /// this one.
    fn stands_for(self, old: Self) -> bool {
        old.bytes() & !self.bytes() == 0
            && (self.is_write() || !old.is_write())
            && (old.is_atomic() || !self.is_atomic())
    }
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Entry,
    read: Entry,
    /// Another invocation with a read like it.
    other: u32,
    /// One above the index of the list of more accesses.
    more: u32,
}

const EMPTY: Cell = Cell {
    write: Entry::NONE,
    read: Entry::NONE,
    other: NOBODY,
    more: 0,
};

/// How a new access stands to an older one of another invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The older one comes before it, whatever they do.
    Before,
    /// They may happen at the same time, and must not.
    Race,
    /// They may happen at the same time.
    Apart,
}

/// The accesses to one buffer, or to the memory of a workgroup.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
    more: Vec<Vec<Entry>>,
    free: Vec<u32>,
}

impl Shadow {
    /// Notes an access to bytes from an offset on, and calls back with each older access
    /// with which it races. `order` compares an older access of another invocation with it.
    pub(super) fn access(
        &mut self,
        offset: usize,
        count: usize,
        new: Entry,
        order: impl Fn(Entry, Entry) -> Order,
        mut found: impl FnMut(Entry),
    ) {
        let end = offset + count;
        for index in offset / BYTES..end.div_ceil(BYTES) {
            let start = index * BYTES;
            let first = offset.saturating_sub(start);
            let last = (end - start).min(BYTES);
            let bytes = ((1u32 << last) - 1) & !((1u32 << first) - 1);
            if let Some(old) = self.step(index, new.with_bytes(bytes), &order) {
                found(old);
            }
        }
    }

    /// Notes an access to a cell, and gives an older one with which it races.
    fn step(
        &mut self,
        index: usize,
        new: Entry,
        order: impl Fn(Entry, Entry) -> Order,
    ) -> Option<Entry> {
        let (page, index) = (index / PAGE, index % PAGE);
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        let cells = self.pages[page].get_or_insert_with(|| Box::new([EMPTY; PAGE]));
        let cell = &mut cells[index];
        let mut race: Option<Entry> = None;
        let mut stays = |old: Entry| {
            if old.bytes() & new.bytes() == 0 {
                return true;
            }
            if old.invocation == new.invocation {
                return !new.stands_for(old);
            }
            match order(old, new) {
                Order::Before => !new.stands_for(old),
                Order::Apart => true,
                Order::Race => {
                    race.get_or_insert(old);
                    !new.is_write()
                }
            }
        };
        if !cell.write.is_none() && !stays(cell.write) {
            cell.write = Entry::NONE;
        }
        if cell.other != NOBODY {
            let other = Entry {
                invocation: cell.other,
                ..cell.read
            };
            if !stays(other) {
                cell.other = NOBODY;
            }
        }
        if !cell.read.is_none() && !stays(cell.read) {
            cell.read = match cell.other {
                NOBODY => Entry::NONE,
                invocation => Entry {
                    invocation,
                    ..cell.read
                },
            };
            cell.other = NOBODY;
        }
        if cell.more != 0 {
            let more = &mut self.more[cell.more as usize - 1];
            more.retain(|&old| stays(old));
            if more.is_empty() {
                self.free.push(cell.more);
                cell.more = 0;
            }
        }
        self.insert(page, index, new);
        race
    }

    fn insert(&mut self, page: usize, index: usize, new: Entry) {
        let Some(cell) = self.pages[page].as_mut().map(|cells| &mut cells[index]) else {
            return;
        };
        if new.is_write() && cell.write.is_none() {
            cell.write = new;
            return;
        }
        if !new.is_write() {
            if cell.read.is_none() {
                cell.read = new;
                return;
            }
            if (cell.read.time, cell.read.what) == (new.time, new.what) {
                // A third that reads at the same time races with whatever these two race
                // with, but for what these have told somebody apart.
                if cell.other == NOBODY {
                    cell.other = new.invocation;
                }
                return;
            }
        }
        if cell.more == 0 {
            cell.more = match self.free.pop() {
                Some(index) => index,
                None => {
                    self.more.push(Vec::new());
                    self.more.len() as u32
                }
            };
        }
        let more = &mut self.more[cell.more as usize - 1];
        if more.len() >= MAX_MORE {
            more.remove(0);
        }
        more.push(new);
    }
}
