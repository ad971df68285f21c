//! Who accessed each word of memory last: what a race detector compares with.
//!
//! A cell stands for four bytes, or for fewer in pages where parts of words are accessed. In 16
//! bytes it has the last write and the last read, and a second invocation with a read like it;
//! where that is not enough, a list beside has all accesses. An access is dropped when another
//! comes after it that takes its place in all that may follow.

use super::clocks::Time;

/// How many bytes a page stands for.
const PAGE: usize = 4096;

/// A cell of a new page stands for `1 << SHIFT` bytes.
const SHIFT: u32 = 2;

/// How many accesses are kept of a cell. Beyond, the oldest are forgotten, reads first, which
/// misses races but makes none up.
const MAX_LIST: usize = 16;

/// How many times a page keeps apart. There are fewer in use: two for each cell of a page of
/// words.
const MAX_TIMES: usize = 1 << TIME_BITS;

// An access in 64 bits, from the lowest on. None is zero, because sites count from 1.
const INVOCATION_BITS: u32 = 26;
const TIME_BITS: u32 = 12;
const SITE_BITS: u32 = 15;
const TIME_SHIFT: u32 = INVOCATION_BITS;
const SITE_SHIFT: u32 = TIME_SHIFT + TIME_BITS;
const KIND_SHIFT: u32 = SITE_SHIFT + SITE_BITS;
const OTHER_SHIFT: u32 = KIND_SHIFT + KIND_BITS;

/// Size and flags, as in [`Entry`].
const KIND_BITS: u32 = 4;
/// How far the second reader is from the first; only of reads.
const OTHER_BITS: u32 = 6;
/// The rest is the index of a list; only of what stands for a write.
const IS_LIST: u64 = 1 << 63;

const INVOCATION: u64 = (1 << INVOCATION_BITS) - 1;
const TIME: u64 = (1 << TIME_BITS) - 1;
const OTHER: u64 = ((1 << OTHER_BITS) - 1) << OTHER_SHIFT;
/// What two reads have in common that are alike.
const ALIKE: u64 = !(INVOCATION | OTHER);

/// How an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    const ATOMIC: u8 = 1;
    const ANYONE: u8 = 2;
    const SIZE: u8 = 2;

    /// An access to so many bytes. `is_anyone` says that any invocation of a scope may be the
    /// one that makes it.
    pub(super) fn new(bytes: u32, is_atomic: bool, is_anyone: bool) -> Self {
        let size = (bytes.max(1).ilog2().min(3) as u8) << Self::SIZE;
        let atomic = if is_atomic { Self::ATOMIC } else { 0 };
        let anyone = if is_anyone { Self::ANYONE } else { 0 };
        Self(size | atomic | anyone)
    }

    fn is_atomic(self) -> bool {
        self.0 & Self::ATOMIC != 0
    }

    fn is_anyone(self) -> bool {
        self.0 & Self::ANYONE != 0
    }
}

/// An access to one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) invocation: u32,
    pub(super) time: Time,
    /// Which instruction made it, and whether it wrote.
    what: u32,
    kind: Kind,
}

const WRITE: u32 = 1 << 31;

impl Entry {
    pub(super) fn new(invocation: u32, time: Time, site: u32, is_write: bool, kind: Kind) -> Self {
        let write = if is_write { WRITE } else { 0 };
        Self {
            invocation,
            time,
            what: site & !WRITE | write,
            kind,
        }
    }

    /// The number of its instruction: [`super::sites::Sites`] has it.
    pub(super) fn site(self) -> u32 {
        self.what & !WRITE
    }

    pub(super) fn is_write(self) -> bool {
        self.what & WRITE != 0
    }

    pub(super) fn is_atomic(self) -> bool {
        self.kind.is_atomic()
    }

    /// Whether another access to the same cell is one to the same location.
    pub(super) fn has_size_of(self, other: Self) -> bool {
        self.kind.0 >> Kind::SIZE == other.kind.0 >> Kind::SIZE
    }

    /// Whether it comes after an older one by the order of a single invocation.
    fn follows(self, old: Self) -> bool {
        let is_anyone = self.kind.is_anyone() || old.kind.is_anyone();
        !is_anyone && self.invocation == old.invocation
    }

    /// Whether whatever comes later and conflicts with an older access also conflicts with
    /// this one.
    fn stands_for(self, old: Self) -> bool {
        (self.is_write() || !old.is_write()) && (old.is_atomic() || !self.is_atomic())
    }

    /// Whether the same instruction made both at the same time.
    pub(super) fn is_like(self, other: Self) -> bool {
        (self.time, self.what, self.kind) == (other.time, other.what, other.kind)
    }

    /// In 64 bits with the index of its time, if it fits.
    fn packed(self, time: u64) -> Option<u64> {
        let (invocation, site) = (u64::from(self.invocation), u64::from(self.site()));
        let fits = invocation <= INVOCATION && site < 1 << SITE_BITS && site != 0 && time <= TIME;
        let kind = u64::from(self.kind.0) << KIND_SHIFT;
        fits.then_some(invocation | time << TIME_SHIFT | site << SITE_SHIFT | kind)
    }

    fn unpacked(bits: u64, is_write: bool, times: &[Time]) -> Self {
        Self::new(
            (bits & INVOCATION) as u32,
            time_of(bits, times),
            (bits >> SITE_SHIFT & ((1 << SITE_BITS) - 1)) as u32,
            is_write,
            Kind((bits >> KIND_SHIFT & ((1 << KIND_BITS) - 1)) as u8),
        )
    }
}

#[inline(always)]
fn time_of(bits: u64, times: &[Time]) -> Time {
    let index = (bits >> TIME_SHIFT & TIME) as usize;
    times.get(index).copied().unwrap_or(Time::MAX)
}

/// How far a second reader is from the first as a number of six bits: up to 31, or a multiple
/// of 32.
#[inline(always)]
fn distance_code(distance: u32) -> Option<u64> {
    match distance {
        0 => None,
        1..32 => Some(distance.into()),
        32..=1024 if distance.is_multiple_of(32) => Some(u64::from(31 + distance / 32)),
        _ => None,
    }
}

#[inline(always)]
fn distance(code: u64) -> u32 {
    let code = code as u32;
    if code < 32 { code } else { (code - 31) * 32 }
}

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

/// What has come of noting an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noted {
    /// It may race, or there is more to do.
    No,
    Yes,
    /// Nothing had to be done, nor has it to be if yet another invocation does the same.
    Known,
}

/// What is known without a look at clocks: accesses by these invocations before a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) time: Time,
}

impl Settled {
    #[inline(always)]
    fn has(self, invocation: u32, time: Time) -> bool {
        invocation.wrapping_sub(self.first) < self.count && time < self.time
    }
}

/// The last write, and the last read; or the index of a list.
type Cell = [u64; 2];

const EMPTY: Cell = [0; 2];

#[derive(Clone, Debug)]
struct Page {
    /// Each cell stands for `1 << shift` bytes.
    shift: u32,
    cells: Vec<Cell>,
    /// The times of accesses, which have their indexes.
    times: Vec<Time>,
}

impl Page {
    fn new() -> Self {
        Self {
            shift: SHIFT,
            cells: vec![EMPTY; PAGE >> SHIFT],
            times: Vec::new(),
        }
    }

    /// The index of a time. Times come in ascending order.
    #[inline(always)]
    fn time(&mut self, time: Time) -> u64 {
        if self.times.last() == Some(&time) {
            return self.times.len() as u64 - 1;
        }
        self.add_time(time)
    }

    #[cold]
    fn add_time(&mut self, time: Time) -> u64 {
        if self.times.len() >= MAX_TIMES {
            self.forget_times();
        }
        self.times.push(time);
        self.times.len() as u64 - 1
    }

    /// Keeps only the times that are in use.
    fn forget_times(&mut self) {
        let mut new = vec![u64::MAX; self.times.len()];
        let mut kept: Vec<Time> = Vec::new();
        let entries = self.cells.iter().filter(|cell| cell[0] & IS_LIST == 0);
        let used: Vec<usize> = entries
            .flatten()
            .filter(|&&bits| bits != 0)
            .map(|bits| (bits >> TIME_SHIFT & TIME) as usize)
            .collect();
        for index in used {
            new[index] = 0;
        }
        for (index, new) in new.iter_mut().enumerate().filter(|it| *it.1 == 0) {
            *new = kept.len() as u64;
            kept.push(self.times[index]);
        }
        for cell in self.cells.iter_mut().filter(|cell| cell[0] & IS_LIST == 0) {
            for bits in cell.iter_mut().filter(|bits| **bits != 0) {
                let index = (*bits >> TIME_SHIFT & TIME) as usize;
                *bits = *bits & !(TIME << TIME_SHIFT) | new[index] << TIME_SHIFT;
            }
        }
        self.times = kept;
    }
}

/// The accesses to one buffer, or to the memory of a workgroup.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    pages: Vec<Option<Box<Page>>>,
    lists: Vec<Vec<Entry>>,
    free: Vec<usize>,
    /// What is known of the cell at hand.
    entries: Vec<Entry>,
}

impl Shadow {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        for page in self.pages.iter_mut().flatten() {
            match page.shift {
                SHIFT => page.cells.fill(EMPTY),
                _ => **page = Page::new(),
            }
            page.times.clear();
        }
        self.lists.clear();
        self.free.clear();
    }

    /// Notes an access that is not atomic, if that is simple and races with nothing. If it
    /// can't be, part of it may be noted.
    #[inline(always)]
    pub(super) fn note(
        &mut self,
        offset: usize,
        count: usize,
        new: Entry,
        settled: Settled,
    ) -> Noted {
        let Some(Some(page)) = self.pages.get_mut(offset / PAGE) else {
            return Noted::No;
        };
        let size = 1usize << page.shift;
        // Of whole cells of one page.
        let at = offset % PAGE;
        if !(at | count).is_multiple_of(size) || at + count > PAGE {
            return Noted::No;
        }
        let time = page.time(new.time);
        let Some(bits) = new.packed(time) else {
            return Noted::No;
        };
        let index = at >> page.shift;
        let times = &page.times[..];
        let mut all = Noted::Known;
        for cell in &mut page.cells[index..][..count >> page.shift] {
            let noted = match cell[0] & IS_LIST {
                0 => note(cell, times, bits, new, settled),
                _ => note_in_list(
                    cell,
                    &mut self.lists,
                    &mut self.free,
                    (times, bits),
                    new,
                    settled,
                ),
            };
            match noted {
                Noted::No => return Noted::No,
                Noted::Yes => all = Noted::Yes,
                Noted::Known => {}
            }
        }
        all
    }

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
        let mut at = offset;
        while at < end {
            let number = at / PAGE;
            if self.pages.len() <= number {
                self.pages.resize(number + 1, None);
            }
            let page = self.pages[number].get_or_insert_with(|| Box::new(Page::new()));
            // What is accessed here consists of whole cells.
            let shift = (at | end).trailing_zeros().min(SHIFT);
            if shift < page.shift {
                self.refine(number, shift);
            }
            let size = 1 << self.pages[number].as_ref().map_or(SHIFT, |page| page.shift);
            if let Some(old) = self.step(number, at % PAGE / size, new, &order) {
                found(old);
            }
            at += size;
        }
    }

    /// Gives parts of words cells of their own.
    fn refine(&mut self, number: usize, shift: u32) {
        let Some(Some(page)) = self.pages.get_mut(number) else {
            return;
        };
        let parts = 1usize << (page.shift - shift);
        let mut cells = Vec::with_capacity(page.cells.len() * parts);
        for cell in &page.cells {
            cells.push(*cell);
            for _ in 1..parts {
                if cell[0] & IS_LIST == 0 {
                    cells.push(*cell);
                    continue;
                }
                let list = self.lists[(cell[0] & !IS_LIST) as usize].clone();
                self.lists.push(list);
                cells.push([(self.lists.len() as u64 - 1) | IS_LIST, 0]);
            }
        }
        page.cells = cells;
        page.shift = shift;
    }

    /// Notes an access to a cell, and gives an older one with which it races.
    fn step(
        &mut self,
        number: usize,
        index: usize,
        new: Entry,
        order: impl Fn(Entry, Entry) -> Order,
    ) -> Option<Entry> {
        let page = self.pages[number].as_mut()?;
        let cell = page.cells[index];
        self.entries.clear();
        if cell[0] & IS_LIST != 0 {
            let index = (cell[0] & !IS_LIST) as usize;
            self.entries.append(&mut self.lists[index]);
            self.free.push(index);
        } else {
            self.entries.extend(entries(cell, &page.times));
        }
        let mut race: Option<Entry> = None;
        self.entries.retain(|&old| {
            if new.follows(old) {
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
        });
        // A third that reads at the same time races with whatever these two race with, but
        // for what these have told somebody apart.
        let alike = self.entries.iter().filter(|it| it.is_like(new)).count();
        if new.is_write() || alike < 2 {
            self.entries.push(new);
        }
        if self.entries.len() > MAX_LIST {
            let read = self.entries.iter().position(|it| !it.is_write());
            self.entries.remove(read.unwrap_or(0));
        }
        let time = page.time(new.time);
        let cell = match packed(&self.entries, new.time, time, &page.times) {
            Some(cell) => cell,
            None => {
                let index = match self.free.pop() {
                    Some(index) => index,
                    None => {
                        self.lists.push(Vec::new());
                        self.lists.len() - 1
                    }
                };
                self.lists[index].extend_from_slice(&self.entries);
                [index as u64 | IS_LIST, 0]
            }
        };
        page.cells[index] = cell;
        race
    }
}

/// The accesses that a cell without a list has.
fn entries([write, read]: Cell, times: &[Time]) -> impl Iterator<Item = Entry> {
    let write = (write != 0).then(|| Entry::unpacked(write, true, times));
    let first = (read != 0).then(|| Entry::unpacked(read, false, times));
    let code = (read & OTHER) >> OTHER_SHIFT;
    let other = first.filter(|_| code != 0).map(|first| Entry {
        invocation: first.invocation.wrapping_add(distance(code)),
        ..first
    });
    write.into_iter().chain(first).chain(other)
}

/// Accesses as a cell, if they fit into one. `time` is the index of the time `now`.
fn packed(entries: &[Entry], now: Time, time: u64, times: &[Time]) -> Option<Cell> {
    let pack = |entry: Entry| {
        let time = match entry.time == now {
            true => time,
            false => times.binary_search(&entry.time).ok()? as u64,
        };
        entry.packed(time)
    };
    let mut cell = EMPTY;
    let mut first: Option<Entry> = None;
    for &entry in entries {
        match (entry.is_write(), first) {
            (true, _) if cell[0] != 0 => return None,
            (true, _) => cell[0] = pack(entry)?,
            (false, None) => {
                cell[1] = pack(entry)?;
                first = Some(entry);
            }
            (false, Some(first)) => {
                let is_second = cell[1] & OTHER == 0 && entry.is_like(first);
                let code = distance_code(entry.invocation.wrapping_sub(first.invocation));
                cell[1] |= code.filter(|_| is_second)? << OTHER_SHIFT;
            }
        }
    }
    Some(cell)
}

/// Notes an access to a cell without a list, if that is simple and races with nothing.
#[inline(always)]
fn note(cell: &mut Cell, times: &[Time], bits: u64, new: Entry, settled: Settled) -> Noted {
    const ANYONE: u64 = (Kind::ANYONE as u64) << KIND_SHIFT;
    let [write, read] = *cell;
    let is_anyone = (write | read | bits) & ANYONE != 0;
    let is_settled = |old: u64, invocation: u32| settled.has(invocation, time_of(old, times));
    let is_before = |old: u64, invocation: u32| {
        (invocation == new.invocation && !is_anyone) || is_settled(old, invocation)
    };
    let invocation = |old: u64| (old & INVOCATION) as u32;
    if write != 0 && !is_before(write, invocation(write)) {
        return Noted::No;
    }
    let code = (read & OTHER) >> OTHER_SHIFT;
    let is_other_before =
        || code == 0 || is_before(read, invocation(read).wrapping_add(distance(code)));
    let are_reads_before = read == 0 || (is_before(read, invocation(read)) && is_other_before());
    if new.is_write() {
        if !are_reads_before {
            return Noted::No;
        }
        *cell = [bits, 0];
        return Noted::Yes;
    }
    if are_reads_before {
        cell[1] = bits;
        return Noted::Yes;
    }
    if is_anyone || (read ^ bits) & ALIKE != 0 {
        return Noted::No;
    }
    if code != 0 {
        // For the invocation that wrote it may be another matter.
        let is_for_all = write == 0 || is_settled(write, invocation(write));
        return if is_for_all { Noted::Known } else { Noted::Yes };
    }
    match distance_code(new.invocation.wrapping_sub(invocation(read))) {
        Some(code) => {
            cell[1] |= code << OTHER_SHIFT;
            Noted::Yes
        }
        None => Noted::No,
    }
}

/// Notes an access to a cell with a list, if it races with nothing. There are the times of the
/// page, and the access in 64 bits.
fn note_in_list(
    cell: &mut Cell,
    lists: &mut [Vec<Entry>],
    free: &mut Vec<usize>,
    (times, bits): (&[Time], u64),
    new: Entry,
    settled: Settled,
) -> Noted {
    let index = (cell[0] & !IS_LIST) as usize;
    let list = &mut lists[index];
    let is_before = |old: &Entry| new.follows(*old) || settled.has(old.invocation, old.time);
    if new.is_write() {
        if !list.iter().all(is_before) {
            return Noted::No;
        }
        list.clear();
        free.push(index);
        *cell = [bits, 0];
        return Noted::Yes;
    }
    let (mut alike, mut dropped) = (0, 0);
    for old in list.iter() {
        match (is_before(old), old.is_write()) {
            (true, true) => {}
            (true, false) => dropped += 1,
            (false, true) => return Noted::No,
            (false, false) if new.kind.is_anyone() || old.kind.is_anyone() => return Noted::No,
            (false, false) => alike += usize::from(old.is_like(new)),
        }
    }
    if dropped > 0 {
        list.retain(|old| old.is_write() || !is_before(old));
    }
    if alike < 2 {
        if list.len() >= MAX_LIST {
            return Noted::No;
        }
        list.push(new);
    }
    // A write and two reads may fit into the cell again.
    if list.len() <= 3
        && let Some(packed) = packed(list, new.time, bits >> TIME_SHIFT & TIME, times)
    {
        list.clear();
        free.push(index);
        *cell = packed;
    }
    Noted::Yes
}

#[cfg(test)]
mod tests {
    use super::{Entry, Kind, Noted, Order, Settled, Shadow};

    /// What is noted without a comparison races with the same as if it had been compared.
    #[test]
    fn noting_finds_what_comparing_finds() {
        let (mut state, mut noted, mut found) = (0x9e37_79b9u32, 0, 0);
        let mut random = |below: u32| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) % below
        };
        for round in 0..400 {
            let [mut quick, mut slow] = [Shadow::default(), Shadow::default()];
            let mut time = 1;
            let mut settled = Settled {
                first: 4,
                count: 64,
                time: 0,
            };
            for _ in 0..400 {
                // A barrier, or something that makes time go on.
                match random(32) {
                    0 => {
                        time += 1;
                        settled.time = time;
                    }
                    1 => time += 1,
                    _ => {}
                }
                let count =
                    1 << random(if round % 2 == 0 { 2 } else { 4 }) << (2 * (1 - round % 2));
                let offset = (random(16) / count * count) as usize;
                let kind = Kind::new(count, false, round % 8 > 5 && random(4) == 0);
                // Some are of another workgroup, of which nothing is known.
                let (invocation, is_write) = (random(72), random(24) == 0);
                let new = Entry::new(invocation, time, 1 + random(3), is_write, kind);
                let order = |old: Entry, new: Entry| {
                    let is_before = settled.has(old.invocation, old.time);
                    match old.is_write() || new.is_write() {
                        _ if is_before => Order::Before,
                        true => Order::Race,
                        false => Order::Apart,
                    }
                };
                let mut all = [false; 2];
                slow.access(offset, count as usize, new, order, |_| all[0] = true);
                match quick.note(offset, count as usize, new, settled) {
                    Noted::No => {
                        quick.access(offset, count as usize, new, order, |_| all[1] = true)
                    }
                    _ => noted += 1,
                }
                assert_eq!(all[0], all[1], "round {round}: {new:?}");
                found += usize::from(all[0]);
            }
        }
        assert!(noted > 40_000 && found > 1000, "{noted}, {found}");
    }
}
