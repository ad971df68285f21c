//! What follows from an execution by the definitions of the memory model.

use super::events::{Classes, Event, Execution, Scope, Source};
use super::relation::{MAX_EVENTS, Relation, Set};

/// The relations of an execution, each as the section of its name in Vulkan's appendix "Memory
/// Model" defines it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Relations {
    /// Events that access memory.
    pub accesses: Set,
    /// Events that read.
    pub reads: Set,
    /// Events that write.
    pub writes: Set,
    /// Program order.
    pub program_order: Relation,
    /// Events of the same invocation.
    pub same_thread: Relation,
    /// Events of the same subgroup.
    pub same_subgroup: Relation,
    /// Events of the same workgroup.
    pub same_workgroup: Relation,
    /// Events of the same queue family.
    pub same_queue_family: Relation,
    /// Accesses to the same location.
    pub same_location: Relation,
    /// Accesses through the same reference.
    pub same_reference: Relation,
    /// Events in the instances of each other's memory scopes.
    pub in_scope: Relation,
    /// Mutually ordered atomics.
    pub mutually_ordered: Relation,
    /// Availability and visibility operations with the accesses that they are about.
    pub included: Relation,
    /// Scoped modification order.
    pub modification_order: Relation,
    /// Reads-from, from the write to the read.
    pub reads_from: Relation,
    /// From-reads.
    pub from_reads: Relation,
    /// Release sequences, from their head.
    pub release_sequence: Relation,
    /// Release sequences that a relaxed write would head.
    pub hypothetical_sequence: Relation,
    /// Synchronizes-with.
    pub synchronizes_with: Relation,
    /// Inter-thread-happens-before, of any set of storage classes.
    pub inter_thread: Relation,
    /// Happens-before.
    pub happens_before: Relation,
    /// Location-ordered.
    pub location_ordered: Relation,
    /// Pairs that race, each in both directions.
    pub data_race: Relation,
    /// Visible-to.
    pub visible_to: Relation,
    /// Reads of the initial value.
    pub initial_reads: Set,
    /// Availability and visibility chains by domain: subgroup, workgroup, queue family,
    /// shader, device.
    pub availability: [Relation; 5],
    /// The same of visibility.
    pub visibility: [Relation; 5],
    atomics: Set,
}

/// The domains from the smallest, with what is in one.
const DOMAINS: [Scope; 4] = [
    Scope::Subgroup,
    Scope::Workgroup,
    Scope::QueueFamily,
    Scope::Device,
];

impl Relations {
    /// All relations of an execution.
    pub fn of(execution: &Execution) -> Self {
        let n = execution.events.len().min(MAX_EVENTS);
        let at = |index: usize| &execution.events[index];
        let set = |holds: fn(&Event) -> bool| execution.set(holds);
        let none = || Relation::empty(n);
        let reads = set(|it| it.is_read);
        let writes = set(|it| it.is_write);
        let atomics = set(|it| it.is_atomic);
        let accesses = reads | writes;
        let same_thread = Relation::where_both(n, |a, b| at(a).thread == at(b).thread);
        let place = |index: usize| execution.thread(index);
        let same_subgroup = Relation::where_both(n, |a, b| place(a).subgroup == place(b).subgroup);
        let same_workgroup =
            Relation::where_both(n, |a, b| place(a).workgroup == place(b).workgroup);
        let same_queue_family =
            Relation::where_both(n, |a, b| place(a).queue_family == place(b).queue_family);
        let program_order = Relation::where_both(n, |a, b| a < b && at(a).thread == at(b).thread);
        let both_access = |a: usize, b: usize| at(a).is_access() && at(b).is_access();
        let same_location = Relation::where_both(n, |a, b| {
            both_access(a, b) && at(a).location == at(b).location
        });
        let same_reference = Relation::where_both(n, |a, b| {
            both_access(a, b) && at(a).reference == at(b).reference
        });
        let in_scope = in_scope(execution, n);
        let same = &(&same_location & &same_reference) & &in_scope;
        let mutually_ordered = same.between(atomics, atomics).irreflexive();
        let included = included(execution, n, &(&same_location & &same_reference));
        let (reads_from, initial_reads) = reads_from(execution, n);
        let mut relations = Self {
            accesses,
            reads,
            writes,
            program_order,
            same_thread,
            same_subgroup,
            same_workgroup,
            same_queue_family,
            same_location,
            same_reference,
            in_scope,
            modification_order: &execution.modification_order & &mutually_ordered,
            mutually_ordered,
            included,
            reads_from,
            from_reads: none(),
            release_sequence: none(),
            hypothetical_sequence: none(),
            synchronizes_with: none(),
            inter_thread: none(),
            happens_before: none(),
            location_ordered: none(),
            data_race: none(),
            visible_to: none(),
            initial_reads,
            availability: std::array::from_fn(|_| none()),
            visibility: std::array::from_fn(|_| none()),
            atomics,
        };
        relations.synchronize(execution);
        relations.order_inter_thread(execution);
        relations.chain(execution);
        relations.order_locations(execution);
        relations.derive();
        relations
    }

    /// Release sequences and synchronizes-with.
    fn synchronize(&mut self, execution: &Execution) {
        let n = execution.events.len();
        let releases = execution.set(|it| it.is_release);
        let acquires = execution.set(|it| it.is_acquire);
        let fences = execution.set(|it| it.is_fence);
        let (atomics, writes, reads) = (self.atomics, self.writes, self.reads);
        // Read-modify-writes that follow each other.
        let updates = reads & writes;
        let steps = self.modification_order.immediate().between(!0, updates);
        let steps = steps.closure().reflexive();
        self.release_sequence = steps.between(releases & atomics, !0);
        self.hypothetical_sequence = steps.between(writes & atomics, !0);
        let observed = &self.reads_from & &self.mutually_ordered;
        let event = |index: usize| &execution.events[index];
        let before_fence = Relation::where_both(n, |a, b| {
            self.program_order.contains(a, b) && event(a).class & event(b).semantics != 0
        });
        let behind_fence = Relation::where_both(n, |a, b| {
            self.program_order.contains(a, b) && event(a).semantics & event(b).class != 0
        });
        let release_fences = behind_fence.between(releases & fences, atomics & writes);
        let acquire_fences = before_fence.between(atomics & reads, acquires & fences);
        let by_atomic = self.release_sequence.then(&observed);
        let by_fence = release_fences.then(&self.hypothetical_sequence.then(&observed));
        let from_any = &by_atomic | &by_fence;
        let to_atomic = from_any.between(!0, acquires & atomics);
        let to_fence = from_any.then(&acquire_fences);
        let barriers = execution.set(|it| it.is_control_barrier);
        let same_or_after = self.program_order.reflexive();
        let through_barriers = same_or_after
            .between(releases & fences, barriers)
            .then(&execution.barriers.irreflexive())
            .then(&same_or_after.between(barriers, acquires & fences));
        let synchronized = &(&to_atomic | &to_fence) | &through_barriers;
        self.synchronizes_with = &synchronized & &self.in_scope;
    }

    /// Inter-thread-happens-before of each set of storage classes, and happens-before.
    fn order_inter_thread(&mut self, execution: &Execution) {
        let used: Classes = execution
            .events
            .iter()
            .fold(0, |all, it| all | it.semantics);
        let mut ordered = execution.system.closure();
        for classes in 1..=used {
            if classes & !used != 0 {
                continue;
            }
            let named = execution.set(|it| it.semantics & classes == classes);
            let touched = named | execution.set(|it| it.class & classes != 0);
            let releases = named & execution.set(|it| it.is_release);
            let acquires = named & execution.set(|it| it.is_acquire);
            let synchronized = self.synchronizes_with.between(named, named);
            let steps = &(&execution.system | &synchronized)
                | &(&self.program_order.between(touched, releases)
                    | &self.program_order.between(acquires, touched));
            ordered = &ordered | &steps.closure();
        }
        self.inter_thread = ordered;
        self.happens_before = &self.inter_thread | &self.program_order;
    }

    /// The chains by which writes become available and visible.
    fn chain(&mut self, execution: &Execution) {
        let n = execution.events.len();
        let in_domain = [
            &self.same_subgroup,
            &self.same_workgroup,
            &self.same_queue_family,
        ];
        let links = in_domain.map(|domain| &(&self.happens_before & domain) & &self.included);
        let allowed = match execution.has_chains {
            true => Relation::product(n, !0, !0),
            false => Relation::identity(n, !0),
        };
        // An operation that names no scope still reaches its subgroup.
        let reaches = |it: &Event, scope: Scope| {
            it.has_scope(scope) || it.scope.is_none() && scope == Scope::Subgroup
        };
        let all_of = |scope: Scope, holds: fn(&Event) -> bool| -> Set {
            execution.set(|it| holds(it) && reaches(it, scope))
        };
        for (index, scope) in DOMAINS.into_iter().enumerate() {
            let available = all_of(scope, |it| it.is_available || it.makes_available);
            let visible = all_of(scope, |it| it.is_visible || it.makes_visible);
            // A chain may leave out any of the smaller domains.
            let mut before = Relation::identity(n, !0);
            let mut behind = Relation::identity(n, !0);
            for (smaller, link) in links.iter().enumerate().take(index) {
                let step = self.availability[smaller].then(link);
                before = before.then(&step.reflexive());
                let step = link.then(&self.visibility[smaller]);
                behind = step.reflexive().then(&behind);
            }
            self.availability[index] = (&allowed & &before).between(!0, available);
            self.visibility[index] = (&allowed & &behind).between(visible, !0);
        }
        let device = |holds: fn(&Event) -> bool| Relation::identity(n, execution.set(holds));
        self.availability[4] = device(|it| it.is_device_available);
        self.visibility[4] = device(|it| it.is_device_visible);
    }

    fn order_locations(&mut self, execution: &Execution) {
        let (reads, writes) = (self.reads, self.writes);
        let non_private = self.accesses & execution.set(|it| it.is_non_private);
        let happens_before = &self.happens_before;
        let by_thread = &(happens_before & &self.same_thread) & &self.same_reference;
        let from_read = happens_before.between(reads & non_private, non_private);
        let system = execution.system.closure();
        let by_system = system.between(reads, self.accesses);
        let mut ordered = &(&by_thread | &from_read) | &by_system;
        // At the access or in program order with it.
        let near = &self.program_order.reflexive() & &self.included;
        let everywhere = Relation::product(execution.events.len(), !0, !0);
        let domains = [
            &self.same_subgroup,
            &self.same_workgroup,
            &self.same_queue_family,
            &everywhere,
        ];
        for (index, domain) in domains.into_iter().enumerate() {
            let order = happens_before & domain;
            let available = near
                .between(writes & non_private, !0)
                .then(&self.availability[index])
                .then(&order);
            let to_write = available.between(!0, writes & non_private);
            let visible = self.visibility[index].then(&near.between(!0, reads & non_private));
            let to_read = available.then(&visible);
            ordered = &ordered | &(&(&to_write | &to_read) & &self.same_reference);
        }
        let about = happens_before & &self.included;
        let available = about.between(writes, !0).then(&self.availability[4]);
        let available = available.then(happens_before);
        let visible = self.visibility[4].then(&about.between(!0, reads));
        let to_read = available.then(&visible);
        let by_device = &available.between(!0, writes) | &to_read;
        self.location_ordered = &(&ordered | &by_device) & &self.same_location;
    }

    fn derive(&mut self) {
        let (reads, writes) = (self.reads, self.writes);
        let order = &self.location_ordered;
        let sources = self.reads_from.inverse();
        let later = &order.between(writes, writes) | &self.modification_order;
        let initial = self.same_location.between(self.initial_reads, writes);
        self.from_reads = (&sources.then(&later) | &initial).irreflexive();
        let conflicts = &self.same_location.between(writes, self.accesses)
            | &self.same_location.between(reads, writes);
        let conflicts = &conflicts.irreflexive() - &self.mutually_ordered;
        self.data_race = &conflicts - &order.symmetric();
        let from_write = order.between(writes, !0);
        self.visible_to = from_write.immediate().between(!0, reads);
    }

    /// Whether the execution can happen ("Acyclicity"): what is read fits the orders, and no
    /// plain read gets what is overwritten before it.
    pub fn is_consistent(&self) -> bool {
        let order = &self.location_ordered | &self.modification_order;
        let causes = &order | &(&self.reads_from | &self.from_reads);
        let plain = self.reads_from.between(!0, self.reads & !self.atomics);
        let from_write = self.location_ordered.between(self.writes, !0);
        let shadowed = from_write.then(&from_write.closure());
        causes.is_acyclic() && (&plain & &shadowed).is_empty()
    }

    /// Whether the modification order is one: it orders exactly the mutually ordered atomic
    /// writes, each with each, in one direction.
    pub fn has_modification_order(&self) -> bool {
        let order = &self.modification_order;
        let ordered = self.mutually_ordered.between(self.writes, self.writes);
        order.is_acyclic() && order.is_transitive() && order.symmetric() == ordered
    }

    /// Whether all conflicting accesses are ordered, or mutually ordered atomics.
    pub fn is_location_order_complete(&self) -> bool {
        let all_but_reads = |relation: &Relation| {
            let only_reads = self.reads & !self.writes;
            relation - &relation.between(only_reads, only_reads)
        };
        let ordered = &self.location_ordered.symmetric() | &self.mutually_ordered;
        all_but_reads(&ordered) == all_but_reads(&self.same_location.irreflexive())
    }
}

/// Events in the instances of each other's scopes.
fn in_scope(execution: &Execution, n: usize) -> Relation {
    Relation::where_both(n, |a, b| {
        let (x, y) = (&execution.events[a], &execution.events[b]);
        let both = |scope: Scope| x.has_scope(scope) && y.has_scope(scope);
        let (p, q) = (execution.thread(a), execution.thread(b));
        both(Scope::Device)
            || both(Scope::QueueFamily) && p.queue_family == q.queue_family
            || both(Scope::Workgroup) && p.workgroup == q.workgroup
            || both(Scope::Subgroup) && p.subgroup == q.subgroup
            || both(Scope::Invocation) && x.thread == y.thread
    })
}

/// Which accesses availability and visibility operations are about: those before, behind, or
/// the operation's own.
fn included(execution: &Execution, n: usize, same: &Relation) -> Relation {
    let own = execution.set(|it| it.is_available || it.is_visible);
    let by_access = same.between(own, !0).symmetric();
    let by_operation = Relation::where_both(n, |a, b| {
        let (x, y) = (&execution.events[a], &execution.events[b]);
        y.is_device_available && x.class != 0
            || x.is_device_visible && y.class != 0
            || y.makes_available && x.class & y.semantics != 0
            || x.makes_visible && x.semantics & y.class != 0
    });
    &by_access | &by_operation
}

/// Reads-from, and who reads the initial value.
fn reads_from(execution: &Execution, n: usize) -> (Relation, Set) {
    let mut relation = Relation::empty(n);
    let mut initial = 0;
    for (read, source) in execution.sources.iter().take(n).enumerate() {
        match *source {
            Source::Write(write) if execution.events[read].is_read => {
                relation.insert(write, read);
            }
            Source::Initial if execution.events[read].is_read => initial |= 1 << read,
            _ => {}
        }
    }
    (relation, initial)
}
