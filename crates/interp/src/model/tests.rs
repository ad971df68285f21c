//! The smallest programs that show what each axiom is for.

use super::*;

/// An atomic of a scope on a location of class 1.
fn atomic(thread: usize, location: u32) -> Event {
    Event {
        thread,
        location,
        reference: location,
        class: 1,
        is_atomic: true,
        is_non_private: true,
        scope: Some(Scope::Device),
        ..Event::default()
    }
}

fn store(thread: usize, location: u32) -> Event {
    Event {
        is_write: true,
        is_available: true,
        ..atomic(thread, location)
    }
}

fn load(thread: usize, location: u32) -> Event {
    Event {
        is_read: true,
        is_visible: true,
        ..atomic(thread, location)
    }
}

fn update(thread: usize, location: u32) -> Event {
    Event {
        is_write: true,
        is_available: true,
        ..load(thread, location)
    }
}

fn release(event: Event) -> Event {
    Event {
        is_release: true,
        semantics: 1,
        ..event
    }
}

fn acquire(event: Event) -> Event {
    Event {
        is_acquire: true,
        semantics: 1,
        ..event
    }
}

/// The access, not as an atomic.
fn plain(event: Event) -> Event {
    Event {
        is_atomic: false,
        ..event
    }
}

fn fence(thread: usize) -> Event {
    Event {
        thread,
        is_fence: true,
        scope: Some(Scope::Device),
        ..Event::default()
    }
}

fn barrier(thread: usize) -> Event {
    Event {
        is_control_barrier: true,
        ..acquire(release(fence(thread)))
    }
}

/// Four invocations, two of which each make a workgroup.
fn threads() -> Vec<Thread> {
    let thread = |index: u32| Thread {
        subgroup: index,
        workgroup: index / 2,
        queue_family: 0,
    };
    (0..4).map(thread).collect()
}

/// The consistent executions in which reads get their values from these sources.
fn executions(events: &[Event], sources: &[(usize, Source)]) -> Vec<Relations> {
    let mut execution = Execution::new(events.to_vec(), threads());
    for &(read, source) in sources {
        execution.sources[read] = source;
    }
    let barriers = execution.set(|it| it.is_control_barrier);
    execution.barriers = Relation::product(events.len(), barriers, barriers);
    let ordered = Relations::of(&execution).mutually_ordered;
    let writes = execution.set(|it| it.is_write);
    let mut all = Vec::new();
    modification_orders(&ordered.between(writes, writes), |order| {
        execution.modification_order = order.clone();
        let relations = Relations::of(&execution);
        assert!(relations.has_modification_order());
        if relations.is_consistent() {
            all.push(relations);
        }
        true
    });
    all
}

fn can(events: &[Event], sources: &[(usize, Source)]) -> bool {
    !executions(events, sources).is_empty()
}

/// Whether there are consistent executions, all of which have a race.
fn races(events: &[Event], sources: &[(usize, Source)]) -> bool {
    let all = executions(events, sources);
    let has_race = |relations: &Relations| !relations.data_race.is_empty();
    assert!(all.iter().all(has_race) || !all.iter().any(has_race));
    all.iter().any(has_race)
}

const INITIAL: Source = Source::Initial;

fn from(write: usize) -> Source {
    Source::Write(write)
}

/// Message passing: data, flag; flag, data. The flag is read as it was set.
fn message(flag: [Event; 2], data: [Event; 2]) -> [Event; 4] {
    let ([set, get], [write, read]) = (flag, data);
    [write, set, get, read]
}

fn stale(events: &[Event; 4]) -> bool {
    can(events, &[(2, from(1)), (3, INITIAL)])
}

#[test]
fn messages_arrive_with_release_and_acquire() {
    let data = [store(0, 0), load(1, 0)];
    assert!(stale(&message([store(0, 1), load(1, 1)], data.clone())));
    let flag = [release(store(0, 1)), acquire(load(1, 1))];
    assert!(!stale(&message(flag.clone(), data.clone())));
    // One side alone orders nothing.
    assert!(stale(&message([flag[0].clone(), load(1, 1)], data.clone())));
    assert!(stale(&message([store(0, 1), flag[1].clone()], data)));
    let data = data_of(plain);
    let events = message(flag, data);
    assert!(!stale(&events));
    assert!(!races(&events, &[(2, from(1)), (3, from(0))]));
}

fn data_of(change: fn(Event) -> Event) -> [Event; 2] {
    [change(store(0, 0)), change(load(1, 0))]
}

#[test]
fn plain_data_races_without_an_order() {
    let both = [(2, from(1)), (3, from(0))];
    let relaxed = [store(0, 1), load(1, 1)];
    assert!(races(&message(relaxed, data_of(plain)), &both));
    let flag = [release(store(0, 1)), acquire(load(1, 1))];
    // The flag wasn't seen.
    let unseen = [(2, INITIAL), (3, INITIAL)];
    assert!(races(&message(flag, data_of(plain)), &unseen));
}

#[test]
fn data_must_be_non_private_available_and_visible() {
    let flag = [release(store(0, 1)), acquire(load(1, 1))];
    let both = [(2, from(1)), (3, from(0))];
    let ways: [fn(Event) -> Event; 3] = [
        |event| Event {
            is_non_private: false,
            is_available: false,
            is_visible: false,
            ..plain(event)
        },
        |event| Event {
            is_available: false,
            ..plain(event)
        },
        |event| Event {
            is_visible: false,
            ..plain(event)
        },
    ];
    for way in ways {
        assert!(races(&message(flag.clone(), data_of(way)), &both));
    }
    // The flag's semantics can do it as well.
    let non_private = |event| Event {
        is_available: false,
        is_visible: false,
        ..plain(event)
    };
    let [mut set, mut get] = flag;
    set.makes_available = true;
    get.makes_visible = true;
    let events = message([set, get], data_of(non_private));
    assert!(!races(&events, &both));
}

#[test]
fn scopes_must_be_wide_enough() {
    let narrow = |event| Event {
        scope: Some(Scope::Workgroup),
        ..event
    };
    let both = [(2, from(1)), (3, from(0))];
    let of = |reader: usize| {
        let flag = [release(store(0, 1)), acquire(load(reader, 1))].map(narrow);
        message(flag, [plain(store(0, 0)), plain(load(reader, 0))])
    };
    // Invocation 1 is in the same workgroup, 2 in another.
    assert!(!races(&of(1), &both));
    assert!(races(&of(2), &both));
    // Atomics out of each other's scope race themselves.
    let alone = [store(0, 0), load(2, 0)].map(narrow);
    assert!(races(&alone, &[(1, INITIAL)]));
    // Availability must reach as far.
    let flag = [release(store(0, 1)), acquire(load(2, 1))];
    let data = [plain(narrow(store(0, 0))), plain(load(2, 0))];
    assert!(races(&message(flag, data), &both));
}

#[test]
fn semantics_must_have_the_class_of_the_data() {
    let of_other = |event| Event {
        semantics: 2,
        ..event
    };
    let flag = [release(store(0, 1)), acquire(load(1, 1))];
    let both = [(2, from(1)), (3, from(0))];
    for wrong in 0..2 {
        let mut flag = flag.clone();
        flag[wrong] = of_other(flag[wrong].clone());
        assert!(races(&message(flag, data_of(plain)), &both));
    }
    // It doesn't matter in which class the flag is.
    let other = |event| Event { class: 2, ..event };
    assert!(!races(&message(flag.map(other), data_of(plain)), &both));
}

#[test]
fn store_and_load_buffering() {
    let both = [(1, INITIAL), (3, INITIAL)];
    let store_first = [store(0, 0), load(0, 1), store(1, 1), load(1, 0)];
    assert!(can(&store_first, &both));
    let ordered = [
        release(store(0, 0)),
        acquire(load(0, 1)),
        release(store(1, 1)),
        acquire(load(1, 0)),
    ];
    assert!(can(&ordered, &both));
    let each_other = [(0, from(3)), (2, from(1))];
    let load_first = [load(0, 0), store(0, 1), load(1, 1), store(1, 0)];
    assert!(can(&load_first, &each_other));
    let [a, b, c, d] = load_first;
    let ordered = [acquire(a), release(b), acquire(c), release(d)];
    assert!(!can(&ordered, &each_other));
}

#[test]
fn independent_reads_of_independent_writes() {
    let writes = [store(0, 0), store(1, 1)];
    let reads = [load(2, 0), load(2, 1), load(3, 1), load(3, 0)];
    let sources = [(2, from(0)), (3, INITIAL), (4, from(1)), (5, INITIAL)];
    let events = [&writes[..], &reads].concat();
    assert!(can(&events, &sources));
    // There is no order of all, not even with acquire.
    let acquired = reads.map(acquire);
    let released = writes.map(release);
    assert!(can(&[&released[..], &acquired].concat(), &sources));
}

#[test]
fn coherence_of_each_location() {
    // Two reads see two writes in one order.
    let events = [store(0, 0), store(0, 0), load(1, 0), load(1, 0)];
    assert!(can(&events, &[(2, from(0)), (3, from(1))]));
    assert!(!can(&events, &[(2, from(1)), (3, from(0))]));
    assert!(!can(&events, &[(2, from(0)), (3, INITIAL)]));
    // A write is behind what was read or written before.
    let events = [store(0, 0), load(0, 0), store(1, 0)];
    assert!(!can(&events, &[(1, INITIAL)]));
    assert!(can(&events, &[(1, from(2))]));
    let events = [load(0, 0), store(0, 0)];
    assert!(!can(&events, &[(0, from(1))]));
    // Writes of an invocation take effect in program order.
    let written = executions(&[store(0, 0), store(0, 0)], &[]);
    assert_eq!(written.len(), 1);
    assert!(written[0].modification_order.contains(0, 1));
}

#[test]
fn writes_to_two_locations_in_opposite_orders() {
    let events = [store(0, 0), store(0, 1), store(1, 1), store(1, 0)];
    let is_crossed = |relations: &Relations| {
        relations.modification_order.contains(3, 0) && relations.modification_order.contains(1, 2)
    };
    let all = executions(&events, &[]);
    assert_eq!(all.len(), 4);
    assert!(all.iter().any(is_crossed));
}

#[test]
fn updates_read_what_is_just_before_them() {
    let events = [update(0, 0), update(1, 0)];
    assert!(!can(&events, &[(0, INITIAL), (1, INITIAL)]));
    assert!(can(&events, &[(0, INITIAL), (1, from(0))]));
    assert!(!can(&events, &[(0, from(1)), (1, from(0))]));
    let events = [update(0, 0), store(1, 0), load(2, 0)];
    let all = executions(&events, &[(0, INITIAL), (2, INITIAL)]);
    assert!(all.iter().all(|it| it.modification_order.contains(0, 1)));
}

#[test]
fn release_sequences_go_on_through_updates_only() {
    let of = |between: Event| {
        let sequence = [release(store(0, 1)), between, acquire(load(2, 1))];
        let [head, between, tail] = sequence;
        [plain(store(0, 0)), head, between, tail, plain(load(2, 0))]
    };
    let through = of(update(1, 1));
    let sources = [(2, from(1)), (3, from(2)), (4, from(0))];
    assert!(!races(&through, &sources));
    // A store ends the sequence, even one by the same invocation.
    for thread in [0, 1] {
        let ended = of(store(thread, 1));
        assert!(races(&ended, &[(3, from(2)), (4, from(0))]));
    }
}

#[test]
fn fences_synchronize_through_atomics() {
    let fenced = |before: Event, behind: Event| {
        let write = plain(store(0, 0));
        let read = plain(load(1, 0));
        [write, before, store(0, 1), load(1, 1), behind, read]
    };
    let sources = [(3, from(2)), (5, from(0))];
    let both = fenced(release(fence(0)), acquire(fence(1)));
    assert!(!races(&both, &sources));
    // A fence needs the class of the atomic, too.
    let other = |event| Event { class: 2, ..event };
    let mut elsewhere = both.clone();
    elsewhere[2] = other(elsewhere[2].clone());
    elsewhere[3] = other(elsewhere[3].clone());
    assert!(races(&elsewhere, &sources));
    for fence in [1, 4] {
        elsewhere[fence].semantics = 3;
    }
    assert!(!races(&elsewhere, &sources));
    let mut narrow = both;
    narrow[1].scope = Some(Scope::Subgroup);
    assert!(races(&narrow, &sources));
}

#[test]
fn barriers_order_by_their_semantics() {
    let of = |barriers: [Event; 2]| {
        let [before, behind] = barriers;
        [plain(store(0, 0)), before, behind, plain(load(1, 0))]
    };
    let sources = [(3, from(0))];
    assert!(!races(&of([barrier(0), barrier(1)]), &sources));
    assert!(!can(&of([barrier(0), barrier(1)]), &[(3, INITIAL)]));
    let without = |thread| Event {
        is_control_barrier: true,
        scope: Some(Scope::Device),
        thread,
        ..Event::default()
    };
    assert!(races(&of([without(0), without(1)]), &sources));
    // Fences on both sides make up for it.
    let fenced = [
        plain(store(0, 0)),
        release(fence(0)),
        without(0),
        without(1),
        acquire(fence(1)),
        plain(load(1, 0)),
    ];
    assert!(!races(&fenced, &[(5, from(0))]));
    let narrow = |event| Event {
        scope: Some(Scope::Subgroup),
        ..event
    };
    assert!(races(&of([barrier(0), barrier(1)].map(narrow)), &sources));
}

#[test]
fn reads_before_a_write_need_only_an_order() {
    let private = |event| Event {
        is_available: false,
        is_visible: false,
        ..plain(event)
    };
    let events = [
        private(load(0, 0)),
        barrier(0),
        barrier(1),
        private(store(1, 0)),
    ];
    assert!(!races(&events, &[(0, INITIAL)]));
    assert!(!can(&events, &[(0, from(3))]));
    // But not private ones.
    let mut events = events;
    events[0].is_non_private = false;
    assert!(races(&events, &[(0, INITIAL)]));
}

#[test]
fn chains_of_availability_take_support() {
    let narrow = |event| Event {
        scope: Some(Scope::Workgroup),
        ..event
    };
    let wide = Event {
        makes_available: true,
        ..release(store(1, 2))
    };
    let events = [
        plain(narrow(store(0, 0))),
        narrow(release(store(0, 1))),
        narrow(acquire(load(1, 1))),
        wide,
        acquire(load(2, 2)),
        plain(load(2, 0)),
    ];
    let sources = [(2, from(1)), (4, from(3)), (5, from(0))];
    assert!(!races(&events, &sources));
    let mut execution = Execution::new(events.to_vec(), threads());
    for (read, source) in sources {
        execution.sources[read] = source;
    }
    execution.has_chains = false;
    assert!(!Relations::of(&execution).data_race.is_empty());
}

#[test]
fn what_the_api_orders() {
    let access = |event| Event {
        is_non_private: false,
        is_available: false,
        is_visible: false,
        ..plain(event)
    };
    let of = |thread| Event {
        thread,
        ..Event::default()
    };
    let available = Event {
        is_device_available: true,
        ..of(1)
    };
    let visible = Event {
        is_device_visible: true,
        ..of(1)
    };
    let events = vec![access(store(0, 0)), available, visible, access(load(2, 0))];
    let mut execution = Execution::new(events, threads());
    execution.sources[3] = from(0);
    assert!(!Relations::of(&execution).data_race.is_empty());
    execution.system = Relation::where_both(4, |a, b| a == 0 && b == 1 || a == 2 && b == 3);
    let relations = Relations::of(&execution);
    assert!(relations.data_race.is_empty() && relations.is_consistent());
    assert!(relations.visible_to.contains(0, 3));
}
