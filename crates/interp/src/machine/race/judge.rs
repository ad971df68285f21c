//! Whether one access is ordered after another, and if not, what is missing.

use spirvkit_grammar::{MemoryModel, MemorySemantics as Semantics};

use super::Numbers;
use super::clocks::{Class, Clock, Missing, Who, acquires, classes, releases};
use super::shadow::{Entry, Order};
use super::sites::Sites;
use crate::program::{Fence, Inst, Level, Pc, Program, Sharing};

/// Compares the accesses of an invocation with older ones.
pub(super) struct Judge<'a> {
    pub(super) program: &'a Program,
    pub(super) sites: &'a Sites,
    pub(super) clock: &'a Clock,
    pub(super) own: Who,
    pub(super) class: Class,
    pub(super) is_strict: bool,
    pub(super) numbers: Numbers,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    /// The instruction of the older one.
    pub(crate) other: Pc,
    /// What it did: `a write`.
    pub(crate) deed: &'static str,
    /// What the newer one does: `this write`.
    pub(crate) own_deed: &'static str,
    /// The workgroup, and the index in it, of the invocation.
    pub(crate) workgroup: [u32; 3],
    pub(crate) local: u32,
    /// What would have ordered them.
    pub(crate) missing: String,
    pub(crate) is_between_writes: bool,
}

impl Judge<'_> {
    pub(super) fn order(&self, old: Entry, new: Entry) -> Order {
        let other = self.numbers.who_is(old.invocation);
        // Together they make one access, which is no race with itself.
        let scope = self.sites.scope(new).filter(|_| old.is_like(new));
        if scope.is_some_and(|scope| other.shares(self.own, scope)) {
            return Order::Before;
        }
        let knows = self.clock.knows(self.own, other, old.time, self.class);
        if knows && (!self.is_strict || self.unavailable(old, new, other).is_none()) {
            return Order::Before;
        }
        let conflicts = (old.is_write() || new.is_write()) && !self.are_mutual(old, new, other);
        match conflicts {
            true => Order::Race,
            false => Order::Apart,
        }
    }

    /// Whether both are atomics, on the same location, and each in the other's scope.
    fn are_mutual(&self, old: Entry, new: Entry, other: Who) -> bool {
        if !old.is_atomic() || !new.is_atomic() || !old.has_size_of(new) {
            return false;
        }
        let shared = |entry: Entry| other.shares(self.own, self.fence(self.sites.pc(entry)).level);
        shared(old) && shared(new)
    }

    /// How an atomic orders memory.
    fn fence(&self, pc: Pc) -> Fence {
        let none = Fence {
            level: Level::Device,
            semantics: Semantics::None,
            half: None,
        };
        match self.program.code.get(pc as usize) {
            Some(Inst::Atomic(index)) => self
                .program
                .atomics
                .get(*index as usize)
                .map_or(none, |it| it.fence),
            _ => none,
        }
    }

    /// How an access is shared: atomics are by their scope.
    fn sharing(&self, entry: Entry) -> Sharing {
        if entry.is_atomic() {
            let level = Some(self.fence(self.sites.pc(entry)).level);
            return Sharing {
                is_private: false,
                available: level,
                visible: level,
            };
        }
        let common = self.program.common_sharing.unwrap_or(Sharing {
            is_private: false,
            available: Some(Level::Device),
            visible: Some(Level::Device),
        });
        let place = self.program.places.get(self.sites.pc(entry) as usize);
        let place = (place.copied().unwrap_or(0), entry.is_write());
        let sharing = self.program.sharing.get(&place);
        sharing.copied().unwrap_or(common)
    }

    /// What keeps an access that comes first from being ordered before another all the same.
    fn unavailable(&self, old: Entry, new: Entry, other: Who) -> Option<&'static str> {
        let (first, second) = (self.sharing(old), self.sharing(new));
        if first.is_private || second.is_private {
            return Some(
                "they are ordered, but one of them is private, as it has neither `NonPrivatePointer` nor `Coherent`",
            );
        }
        if !old.is_write() {
            return None;
        }
        let write = (other, old.time);
        if !self
            .clock
            .receives(self.own, write, first.available, self.class)
        {
            return Some(
                "they are ordered, but what is written isn't made available (`MakeAvailable`)",
            );
        }
        let visible = second.visible;
        if !new.is_write()
            && !self
                .clock
                .sees(self.own, write, first.available, visible, self.class)
        {
            return Some(
                "they are ordered, but what is written isn't made visible (`MakeVisible`)",
            );
        }
        None
    }

    /// Two accesses that race, for people.
    pub(super) fn explain(&self, old: Entry, new: Entry) -> Race {
        let other = self.numbers.who_is(old.invocation);
        Race {
            other: self.sites.pc(old),
            deed: match (old.is_write(), old.is_atomic()) {
                (true, true) => "an atomic",
                (false, true) => "an atomic read",
                (true, false) => "a write",
                (false, false) => "a read",
            },
            own_deed: match (new.is_write(), new.is_atomic()) {
                (true, true) => "this atomic",
                (false, true) => "this atomic read",
                (true, false) => "this write",
                (false, false) => "this read",
            },
            workgroup: self.numbers.group_id(other.group),
            local: self.numbers.local(other),
            missing: self.missing(old, new, other),
            is_between_writes: old.is_write() && new.is_write() && !old.is_atomic(),
        }
    }

    fn missing(&self, old: Entry, new: Entry, other: Who) -> String {
        if self.clock.knows(self.own, other, old.time, self.class)
            && let Some(why) = self.unavailable(old, new, other)
        {
            return why.to_owned();
        }
        if old.is_atomic() && new.is_atomic() {
            let shared =
                |entry: Entry| other.shares(self.own, self.fence(self.sites.pc(entry)).level);
            return match shared(old) && shared(new) {
                true => "the atomics are on different parts of the memory".to_owned(),
                false => "the scope of one atomic doesn't include the other".to_owned(),
            };
        }
        let is_group = other.group == self.own.group;
        if let Some((fence, _)) = self.clock.barrier.filter(|it| is_group && old.time < it.1) {
            return self.of_barrier(fence, other);
        }
        if let Some(missing) = self.clock.missing(other, old.time, self.class) {
            return self.of_atomics(missing);
        }
        match (is_group, old.is_atomic() || new.is_atomic()) {
            (_, true) => "one of them is not atomic, and nothing orders them".to_owned(),
            (true, false) => "no barrier is between them".to_owned(),
            (false, false) => {
                "nothing orders workgroups but atomics that release and acquire".to_owned()
            }
        }
    }

    fn of_atomics(&self, missing: Missing) -> String {
        match missing {
            Missing::Release => "the atomic write that one read from has no release semantics, nor a fence before it".to_owned(),
            Missing::Acquire => "the atomic read between them has no acquire semantics, nor a fence behind it".to_owned(),
            Missing::Scope => "the scopes of the release and the acquire between them are too narrow".to_owned(),
            Missing::Class => format!(
                "the semantics of the release and the acquire between them don't both have `{}`",
                self.class_name()
            ),
        }
    }

    /// The semantics that the memory at hand needs, by name.
    fn class_name(&self) -> &'static str {
        let is_kernel = self.program.memory_model == Some(MemoryModel::OpenCL);
        self.class.name(is_kernel)
    }

    fn of_barrier(&self, fence: Fence, other: Who) -> String {
        if fence.half.is_some() {
            return format!(
                "the split barrier between them orders only what is before its first half, which has to release `{0}`, with what is behind its second half, which has to acquire it, as far as their scopes reach",
                self.class_name()
            );
        }
        if !releases(fence.semantics) || !acquires(fence.semantics) {
            return "the barrier between them orders no memory, for its semantics neither release nor acquire it".to_owned();
        }
        if classes(fence.semantics) & self.class.bit() == 0 {
            let name = self.class_name();
            return format!(
                "the barrier between them orders other memory: its semantics lack `{name}`"
            );
        }
        if !other.shares(self.own, fence.level) {
            return "the memory scope of the barrier between them is too narrow".to_owned();
        }
        "the barrier between them was not passed by both".to_owned()
    }
}
