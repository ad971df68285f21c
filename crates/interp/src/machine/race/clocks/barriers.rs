//! Control barriers: what the invocations of a workgroup know that pass them together.
//!
//! As long as nothing but barriers of the whole workgroup orders anything, all know the same,
//! and have one clock.

use std::sync::Arc;

use super::{
    Class, Classes, Clock, Head, Rest, Time, Who, acquires, classes, each, join, releases,
};
use crate::program::{Fence, Half, Level};

/// What the invocations of a workgroup know.
#[derive(Clone, Debug)]
pub(in super::super) enum Clocks {
    /// All know the same.
    Same(Clock),
    Own(Vec<Clock>),
}

impl Default for Clocks {
    fn default() -> Self {
        Self::Same(Clock::default())
    }
}

impl Clocks {
    pub(in super::super) fn of(&self, local: usize) -> Option<&Clock> {
        match self {
            Self::Same(clock) => Some(clock),
            Self::Own(clocks) => clocks.get(local),
        }
    }

    /// Whether all have one clock.
    pub(in super::super) fn are_same(&self) -> bool {
        matches!(self, Self::Same(_))
    }

    /// The clocks of all that there are so many of, each to be changed by itself.
    pub(in super::super) fn own(&mut self, count: usize) -> &mut [Clock] {
        if let Self::Same(clock) = self {
            *self = Self::Own(vec![std::mem::take(clock); count]);
        }
        match self {
            Self::Own(clocks) => clocks,
            Self::Same(_) => &mut [],
        }
    }

    /// One clock for all again, if all know the same.
    fn unite(&mut self) {
        if let Self::Own(clocks) = self
            && let [first, rest @ ..] = &mut clocks[..]
            && rest.iter().all(|it| it.is_same(first))
        {
            *self = Self::Same(std::mem::take(first));
        }
    }

    /// A control barrier that these invocations pass together.
    pub(in super::super) fn control_barrier(
        &mut self,
        all: &Passing<'_>,
        fence: Fence,
        time: Time,
    ) {
        let Passing {
            who,
            locals,
            group_size,
        } = all;
        let is_whole = locals.len() == *group_size;
        if let (Self::Same(clock), true) = (&mut *self, is_whole)
            && clock.pass_with_all(who(0), fence, time)
        {
            return;
        }
        let clocks = self.own(*group_size);
        let invocations: Vec<Who> = locals.iter().map(|&local| who(local)).collect();
        let passes = |local: usize| is_whole || locals.binary_search(&(local as u32)).is_ok();
        let mut passing: Vec<&mut Clock> = clocks
            .iter_mut()
            .enumerate()
            .filter(|it| passes(it.0))
            .map(|it| it.1)
            .collect();
        if !passing.is_empty() && passing.len() == invocations.len() {
            control_barrier(&mut passing, &invocations, fence, is_whole, time);
        }
        if is_whole {
            self.unite();
        }
    }
}

/// Who passes a control barrier.
pub(in super::super) struct Passing<'a> {
    /// An invocation by its index in the workgroup.
    pub(in super::super) who: &'a dyn Fn(u32) -> Who,
    /// The indexes of those that pass, in ascending order.
    pub(in super::super) locals: &'a [u32],
    pub(in super::super) group_size: usize,
}

impl Clock {
    fn is_same(&self, other: &Self) -> bool {
        let mut views = self.views.iter().zip(&other.views);
        views.all(|(a, b)| Arc::ptr_eq(a, b))
            && self.group_time == other.group_time
            && self.passed.len() == other.passed.len()
            && self.passed.iter().zip(&other.passed).all(|(a, b)| {
                let mut views = a.views.iter().zip(&b.views);
                (a.fence, a.time) == (b.fence, b.time) && views.all(|(a, b)| Arc::ptr_eq(a, b))
            })
            && self.rest.is_none()
            && other.rest.is_none()
            && self.barrier == other.barrier
    }

    /// A control barrier of the whole workgroup that has this clock in common; false, with
    /// nothing done, if that is not enough to know.
    fn pass_with_all(&mut self, of: Who, fence: Fence, time: Time) -> bool {
        let has_links = |rest: &Rest| !rest.armed.is_empty() || !rest.parked.is_empty();
        let is_plain = releases(fence.semantics)
            && acquires(fence.semantics)
            && fence.level >= Level::Workgroup;
        let orders_nothing = !releases(fence.semantics) && !acquires(fence.semantics);
        if self.rest.as_deref().is_some_and(has_links) || !(is_plain || orders_nothing) {
            return false;
        }
        self.barrier = Some((fence, time));
        if orders_nothing {
            return true;
        }
        let classes = classes(fence.semantics);
        self.make_available_of(of, Level::Workgroup, fence, time, classes);
        for class in each(classes) {
            let view = Arc::make_mut(&mut self.views[class as usize]);
            view.happened.add(of, Level::Workgroup, time);
            self.group_time[class as usize] = time;
        }
        self.make_visible(fence, classes);
        if fence.level > Level::Workgroup {
            self.pass(fence, time);
        }
        true
    }
}

impl Rest {
    /// The releases that a control barrier links with what is behind it.
    fn linked(&self, fence: Fence) -> &[Head] {
        match fence.half {
            Some(Half::Wait) => &self.arrived,
            _ => &self.armed,
        }
    }
}

/// A control barrier that some invocations pass together.
fn control_barrier(
    clocks: &mut [&mut Clock],
    all: &[Who],
    fence: Fence,
    is_whole: bool,
    time: Time,
) {
    let classes = classes(fence.semantics);
    let is_plain = releases(fence.semantics)
        && acquires(fence.semantics)
        && is_whole
        && fence.level >= Level::Workgroup;
    let mut arming = 0;
    for (clock, &who) in clocks.iter_mut().zip(all) {
        if acquires(fence.semantics) {
            clock.acquire_parked(who, fence, classes);
        }
        if releases(fence.semantics) {
            clock.make_available(who, fence, time, classes);
        }
        let armed = clock.rest.iter().flat_map(|rest| rest.linked(fence));
        arming = armed.fold(arming, |arming, head| arming | head.classes);
        clock.barrier = Some((fence, time));
    }
    if is_plain {
        pass_together(clocks, all[0], classes, time);
    }
    let is_done = is_plain && arming & !classes == 0;
    if !is_done {
        pass_apart(clocks, all, fence, classes, time);
    }
    for clock in clocks.iter_mut() {
        if acquires(fence.semantics) {
            clock.make_visible(fence, classes);
        }
        if releases(fence.semantics) && (fence.level > Level::Workgroup || !is_whole) {
            clock.pass(fence, time);
        }
        if let Some(rest) = clock.rest.as_mut().filter(|_| fence.half.is_some()) {
            rest.arrived.clear();
        }
    }
}

/// All of a workgroup know afterwards what any of them knew.
fn pass_together(clocks: &mut [&mut Clock], of: Who, classes: Classes, time: Time) {
    for class in each(classes) {
        let class = class as usize;
        let mut joined = clocks[0].views[class].clone();
        let mut last = joined.clone();
        for clock in clocks.iter() {
            // Most share what they know.
            if !Arc::ptr_eq(&clock.views[class], &last) {
                last = clock.views[class].clone();
                join(&mut joined, &last);
            }
        }
        Arc::make_mut(&mut joined)
            .happened
            .add(of, Level::Workgroup, time);
        for clock in clocks.iter_mut() {
            clock.views[class] = joined.clone();
            clock.group_time[class] = time;
        }
    }
}

/// A barrier as what it is made of: each releases, all meet, each acquires. Fences before
/// and after take part, too, even if the barrier has no semantics of its own.
fn pass_apart(clocks: &mut [&mut Clock], all: &[Who], fence: Fence, classes: Classes, time: Time) {
    let mut heads: Vec<Head> = Vec::new();
    let subgroups = all.iter().map(|who| who.subgroup);
    let are_many = subgroups.clone().max().unwrap_or(0) - subgroups.min().unwrap_or(0) > 16;
    let joint = if are_many {
        Level::Workgroup
    } else {
        Level::Subgroup
    };
    for (clock, &who) in clocks.iter().zip(all) {
        let linked = clock.rest.iter().flat_map(|rest| rest.linked(fence));
        let own = releases(fence.semantics).then(|| clock.head(who, fence, classes, time));
        for head in linked.cloned().chain(own) {
            let same = heads.iter_mut().find(|it| {
                it.who.shares(head.who, head.level.min(joint))
                    && (it.level, it.classes) == (head.level, head.classes)
            });
            match same {
                Some(same) => {
                    same.is_joint = true;
                    for class in Class::ALL {
                        head.add_to(&mut same.views[class as usize], class);
                    }
                }
                None => heads.push(head),
            }
        }
    }
    for (clock, &who) in clocks.iter_mut().zip(all) {
        for head in &heads {
            if acquires(fence.semantics) {
                clock.acquire(who, head, fence, classes);
            }
            for class in each(head.classes) {
                clock.park(head.clone(), class);
            }
        }
    }
}
