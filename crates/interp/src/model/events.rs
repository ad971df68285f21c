//! What an execution consists of.

use super::relation::{MAX_EVENTS, Relation, Set};

/// Which invocations an operation is about (Vulkan, "Scope"), from the fewest to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The invocation alone.
    Invocation,
    /// Those of its subgroup.
    Subgroup,
    /// Those of its workgroup.
    Workgroup,
    /// Those that the queues of a family run.
    QueueFamily,
    /// All.
    Device,
}

/// A set of storage classes, a bit for each. Semantics and accesses use the same bits.
pub type Classes = u8;

/// An operation of an invocation that the memory model is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Event {
    /// The index of the invocation.
    pub thread: usize,
    /// Whether it reads memory.
    pub is_read: bool,
    /// Whether it writes memory; atomics may do both.
    pub is_write: bool,
    /// Whether it is a memory barrier, or a control barrier with semantics.
    pub is_fence: bool,
    /// Whether it is an atomic.
    pub is_atomic: bool,
    /// Whether it is an acquire operation or barrier.
    pub is_acquire: bool,
    /// Whether it is a release operation or barrier.
    pub is_release: bool,
    /// Whether it is a control barrier.
    pub is_control_barrier: bool,
    /// The scope of an atomic or barrier, or of what an access makes available or visible.
    pub scope: Option<Scope>,
    /// The storage class of an access, as a set of one.
    pub class: Classes,
    /// The storage classes of the semantics.
    pub semantics: Classes,
    /// Whether the write makes itself available (`MakePointerAvailable`).
    pub is_available: bool,
    /// Whether the read makes visible what it reads (`MakePointerVisible`).
    pub is_visible: bool,
    /// Whether the semantics have `MakeAvailable`.
    pub makes_available: bool,
    /// Whether the semantics have `MakeVisible`.
    pub makes_visible: bool,
    /// Whether the access is non-private.
    pub is_non_private: bool,
    /// Whether it makes all available to the device domain, as the API does.
    pub is_device_available: bool,
    /// Whether it makes all in the device domain visible, as the API does.
    pub is_device_visible: bool,
    /// The location of an access.
    pub location: u32,
    /// The reference through which it is accessed.
    pub reference: u32,
}

impl Event {
    /// Whether it accesses memory.
    pub fn is_access(&self) -> bool {
        self.is_read || self.is_write
    }

    /// Whether its scope is at least this one.
    pub(super) fn has_scope(&self, scope: Scope) -> bool {
        self.scope.is_some_and(|own| own >= scope)
    }
}

/// Where an invocation runs: indexes of its subgroup, workgroup and queue family, each
/// counted over all of the execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Thread {
    /// Its subgroup.
    pub subgroup: u32,
    /// Its workgroup.
    pub workgroup: u32,
    /// The family of the queue it runs on.
    pub queue_family: u32,
}

/// Where a read gets its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// What was there before any write.
    Initial,
    /// The write with this index.
    Write(usize),
    /// It isn't settled yet.
    Open,
}

/// An execution: what invocations did, and what they read.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its events, those of an invocation in program order. There may be [`MAX_EVENTS`].
    pub events: Vec<Event>,
    /// Where the invocations run.
    pub threads: Vec<Thread>,
    /// For each event where it reads from; what stands there for others means nothing.
    pub sources: Vec<Source>,
    /// The scoped modification orders: which atomic write is before which mutually ordered one.
    /// Other pairs in it mean nothing.
    pub modification_order: Relation,
    /// Which control barriers are the same dynamic instance.
    pub barriers: Relation,
    /// What the API orders.
    pub system: Relation,
    /// Whether chains of availability and visibility operations may have more than one link.
    pub has_chains: bool,
}

impl Execution {
    /// An execution with these events, nothing of which is ordered yet, and with open reads.
    pub fn new(events: Vec<Event>, threads: Vec<Thread>) -> Self {
        let count = events.len();
        debug_assert!(count <= MAX_EVENTS);
        Self {
            sources: vec![Source::Open; count],
            modification_order: Relation::empty(count),
            barriers: Relation::empty(count),
            system: Relation::empty(count),
            has_chains: true,
            events,
            threads,
        }
    }

    /// The events for which a condition holds.
    pub fn set(&self, holds: impl Fn(&Event) -> bool) -> Set {
        let events = self.events.iter().take(MAX_EVENTS).enumerate();
        events.fold(0, |all, (index, event)| {
            all | u64::from(holds(event)) << index
        })
    }

    /// Where an event runs.
    pub(super) fn thread(&self, event: usize) -> Thread {
        let thread = self.events.get(event).map_or(0, |event| event.thread);
        self.threads.get(thread).copied().unwrap_or_default()
    }
}
