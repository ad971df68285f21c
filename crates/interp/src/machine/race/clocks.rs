//! What is known to have happened before: the relation happens-before of the memory model
//! (Vulkan, appendix "Memory Model"), as clocks.
//!
//! There is one time for all, which goes on whenever somebody publishes what happened. An
//! invocation knows of accesses by others up to some time: of each by itself, of a whole
//! subgroup or of a whole workgroup. Each class of memory has such knowledge of its own,
//! because a release or acquire is about the classes in its semantics only.

mod barriers;

use std::sync::Arc;

use hashbrown::HashMap;
use spirvkit_grammar::MemorySemantics as Semantics;

use crate::program::{Fence, Half, Level};
pub(super) use barriers::{Clocks, Passing};

/// When an access was made, and before when accesses are known.
pub(super) type Time = u32;

/// Kinds of memory that are ordered each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Buffer,
    Workgroup,
    Image,
}

/// How many classes there are.
pub(super) const CLASSES: usize = 3;

/// A bit for each class.
pub(super) type Classes = u8;

impl Class {
    pub(super) const ALL: [Self; CLASSES] = [Self::Buffer, Self::Workgroup, Self::Image];

    pub(super) fn bit(self) -> Classes {
        1 << self as u8
    }

    /// The semantics of the class, by name.
    pub(super) fn name(self, is_kernel: bool) -> &'static str {
        match self {
            Self::Buffer if is_kernel => "CrossWorkgroupMemory",
            Self::Buffer => "UniformMemory",
            Self::Workgroup => "WorkgroupMemory",
            Self::Image => "ImageMemory",
        }
    }

    /// The semantics that are about the class.
    fn semantics(self) -> u32 {
        match self {
            Self::Buffer => Semantics::UniformMemory.0 | Semantics::CrossWorkgroupMemory.0,
            Self::Workgroup => Semantics::WorkgroupMemory.0,
            Self::Image => Semantics::ImageMemory.0,
        }
    }
}

/// The classes that semantics are about.
pub(super) fn classes(semantics: Semantics) -> Classes {
    let all = Class::ALL.iter();
    let about = all.filter(|class| semantics.0 & class.semantics() != 0);
    about.fold(0, |all, class| all | class.bit())
}

/// The classes in a mask.
pub(super) fn each(classes: Classes) -> impl Iterator<Item = Class> {
    let is = move |class: &Class| classes & class.bit() != 0;
    Class::ALL.into_iter().filter(is)
}

pub(super) fn releases(semantics: Semantics) -> bool {
    let bits = Semantics::Release.0 | Semantics::AcquireRelease.0;
    semantics.0 & (bits | Semantics::SequentiallyConsistent.0) != 0
}

pub(super) fn acquires(semantics: Semantics) -> bool {
    let bits = Semantics::Acquire.0 | Semantics::AcquireRelease.0;
    semantics.0 & (bits | Semantics::SequentiallyConsistent.0) != 0
}

/// An invocation of the dispatch, by numbers that count all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    pub(crate) invocation: u32,
    pub(crate) subgroup: u32,
    pub(crate) group: u32,
}

impl Who {
    /// Whether a level has both in one instance.
    pub(super) fn shares(self, other: Self, level: Level) -> bool {
        match level {
            Level::Invocation => self.invocation == other.invocation,
            Level::Subgroup => self.subgroup == other.subgroup,
            Level::Workgroup => self.group == other.group,
            Level::Device => true,
        }
    }
}

/// How many invocations, subgroups or workgroups are known one by one. Where there are more,
/// all that happened so far counts as known, which misses races but makes none up.
const MAX_KNOWN: usize = 4096;

/// Before when accesses are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    all: Time,
    invocations: HashMap<u32, Time>,
    subgroups: HashMap<u32, Time>,
    groups: HashMap<u32, Time>,
}

impl Known {
    pub(super) fn covers(&self, who: Who, time: Time) -> bool {
        let is = |map: &HashMap<u32, Time>, key: u32| map.get(&key).is_some_and(|&it| time < it);
        time < self.all
            || is(&self.invocations, who.invocation)
            || is(&self.groups, who.group)
            || is(&self.subgroups, who.subgroup)
    }

    fn add(&mut self, who: Who, level: Level, time: Time) {
        let (map, key) = match level {
            Level::Invocation => (&mut self.invocations, who.invocation),
            Level::Subgroup => (&mut self.subgroups, who.subgroup),
            Level::Workgroup | Level::Device => (&mut self.groups, who.group),
        };
        let known = map.entry(key).or_insert(time);
        *known = (*known).max(time);
        if map.len() > MAX_KNOWN {
            let all = map.values().copied().max().unwrap_or(0);
            self.all = self.all.max(all);
            map.clear();
        }
    }

    fn size(&self) -> usize {
        self.invocations.len() + self.subgroups.len() + self.groups.len()
    }

    fn join(&mut self, other: &Self) {
        self.all = self.all.max(other.all);
        let pairs = [
            (&mut self.invocations, &other.invocations),
            (&mut self.subgroups, &other.subgroups),
            (&mut self.groups, &other.groups),
        ];
        for (to, from) in pairs {
            for (&key, &time) in from {
                let known = to.entry(key).or_insert(time);
                *known = (*known).max(time);
            }
        }
        let most = [&self.invocations, &self.subgroups, &self.groups];
        if most.iter().any(|map| map.len() > MAX_KNOWN) {
            let times = most.iter().flat_map(|map| map.values().copied());
            self.all = times.max().unwrap_or(0).max(self.all);
            self.invocations.clear();
            self.subgroups.clear();
            self.groups.clear();
        }
    }
}

/// The levels within which writes can be available, and the index of each.
const DOMAINS: [Level; 3] = [Level::Subgroup, Level::Workgroup, Level::Device];

/// What an invocation knows of a class of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) happened: Known,
    /// The writes of which it knows that they were made available, by domain; in the strict
    /// mode only.
    available: [Known; 3],
}

impl View {
    /// How many invocations, subgroups and workgroups it knows something of.
    fn size(&self) -> usize {
        self.happened.size() + self.available.iter().map(Known::size).sum::<usize>()
    }

    fn join(&mut self, other: &Self) {
        self.happened.join(&other.happened);
        for (to, from) in self.available.iter_mut().zip(&other.available) {
            to.join(from);
        }
    }

    /// Whether a write is available to both in a domain that they share.
    fn is_available(
        &self,
        writer: Who,
        time: Time,
        own: Option<Level>,
        reader: Who,
        least: Level,
    ) -> bool {
        let mut domains = DOMAINS.iter().zip(&self.available);
        domains.any(|(&domain, available)| {
            domain >= least
                && writer.shares(reader, domain)
                && (available.covers(writer, time) || own >= Some(domain))
        })
    }
}

/// Joins what is shared, and copies it only if something is added.
fn join(to: &mut Arc<View>, from: &Arc<View>) {
    if Arc::ptr_eq(to, from) {
        return;
    }
    Arc::make_mut(to).join(from);
}

/// What an invocation publishes with a release.
#[derive(Clone, Debug)]
pub(super) struct Head {
    who: Who,
    time: Time,
    level: Level,
    classes: Classes,
    /// Whether it stands for what others have published, who it may not be known of.
    is_joint: bool,
    /// Whether it stands for others that may be in scopes that its own invocation is not in.
    is_wide: bool,
    views: [Arc<View>; CLASSES],
}

impl Head {
    /// Adds what somebody knows by acquiring this for a class.
    fn add_to(&self, to: &mut Arc<View>, class: Class) {
        let from = &self.views[class as usize];
        if !Arc::ptr_eq(to, from) {
            // The one with more is copied, the other added to it.
            if to.size() < from.size() {
                let less = std::mem::replace(to, from.clone());
                Arc::make_mut(to).join(&less);
            } else {
                Arc::make_mut(to).join(from);
            }
        }
        let happened = &mut Arc::make_mut(to).happened;
        happened.add(self.who, Level::Invocation, self.time);
    }

    /// Takes over what another has published, too.
    fn merge(&mut self, other: &Self) {
        self.is_joint = true;
        self.is_wide |= other.is_wide || !self.who.shares(other.who, Level::Subgroup);
        self.level = self.level.max(other.level);
        self.classes |= other.classes;
        for class in Class::ALL {
            other.add_to(&mut self.views[class as usize], class);
        }
    }

    /// Whether whoever acquires this knows all that another has published.
    fn includes(&self, other: &Self) -> bool {
        let knows = |class: Class| {
            let happened = &self.views[class as usize].happened;
            happened.covers(other.who, other.time.saturating_sub(1))
        };
        !other.is_joint
            && other.level <= self.level
            && other.classes & !self.classes == 0
            && each(other.classes).all(knows)
    }
}

/// Why a release and an acquire order nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Release,
    Acquire,
    Scope,
    Class,
}

/// How many releases are kept apart that have not been acquired yet.
const MAX_PARKED: usize = 32;

/// How many releases are kept that could not be acquired, for messages.
const MAX_MISSED: usize = 32;

/// What an invocation knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    views: [Arc<View>; CLASSES],
    /// Before when it knows all that its workgroup has accessed.
    group_time: [Time; CLASSES],
    rest: Option<Box<Rest>>,
    /// The last barrier it has passed, and when.
    pub(super) barrier: Option<(Fence, Time)>,
    /// Control barriers as the fences that they are, too: what they release to those who didn't
    /// pass them.
    passed: Vec<Passed>,
}

/// A control barrier that releases more widely than those reach who pass it.
#[derive(Clone, Debug)]
struct Passed {
    fence: Fence,
    time: Time,
    /// What those who passed it knew then.
    views: [Arc<View>; CLASSES],
}

/// What few invocations have.
#[derive(Clone, Debug, Default)]
struct Rest {
    /// What the invocation knew when it last made memory visible to itself, by class and
    /// domain.
    visible: [[Option<Arc<View>>; 3]; CLASSES],
    /// Fences that the next atomic writes publish.
    armed: Vec<Head>,
    /// What these were at the first half of a split barrier, for its second half.
    arrived: Vec<Head>,
    /// What relaxed reads have found, with the class of the atomic, for fences to come.
    parked: Vec<(Head, Class)>,
    /// Releases that were read but ordered nothing, and why.
    missed: Vec<(Missing, Who, Time, Class)>,
}

impl Rest {
    fn miss(&mut self, missed: (Missing, Who, Time, Class)) {
        if self.missed.len() >= MAX_MISSED {
            self.missed.remove(0);
        }
        self.missed.push(missed);
    }
}

impl Clock {
    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_default()
    }

    /// Before when it knows all that its workgroup has accessed.
    #[inline]
    pub(super) fn group_time(&self, class: Class) -> Time {
        self.group_time[class as usize]
    }

    /// Whether an access by another is known to have happened.
    #[inline]
    pub(super) fn knows(&self, own: Who, other: Who, time: Time, class: Class) -> bool {
        let class = class as usize;
        (own.group == other.group && time < self.group_time[class])
            || self.views[class].happened.covers(other, time)
    }

    /// Whether a write by another is available to what the invocation does now, and, if
    /// that reads it, made visible: by itself up to a level, or before.
    pub(super) fn receives(
        &self,
        own: Who,
        write: (Who, Time),
        available: Option<Level>,
        class: Class,
    ) -> bool {
        let (writer, time) = write;
        let view = &self.views[class as usize];
        view.is_available(writer, time, available, own, Level::Subgroup)
    }

    pub(super) fn sees(
        &self,
        own: Who,
        write: (Who, Time),
        available: Option<Level>,
        visible: Option<Level>,
        class: Class,
    ) -> bool {
        let (writer, time) = write;
        let now = &self.views[class as usize];
        let domains = DOMAINS.into_iter().enumerate();
        let mut shared = domains.filter(|&(_, domain)| writer.shares(own, domain));
        let is_available = |view: &View, index: usize, domain: Level| {
            view.happened.covers(writer, time)
                && (view.available[index].covers(writer, time) || available >= Some(domain))
        };
        shared.any(|(index, domain)| {
            (visible >= Some(domain) && is_available(now, index, domain))
                || self.rest.as_ref().is_some_and(|rest| {
                    let view = &rest.visible[class as usize][index];
                    view.as_ref()
                        .is_some_and(|view| is_available(view, index, domain))
                })
        })
    }

    /// Makes available what was written before (strict mode).
    fn make_available(&mut self, own: Who, fence: Fence, time: Time, classes: Classes) {
        self.make_available_of(own, Level::Invocation, fence, time, classes);
    }

    /// The same for all that share an instance of a level with one.
    fn make_available_of(
        &mut self,
        own: Who,
        level: Level,
        fence: Fence,
        time: Time,
        classes: Classes,
    ) {
        if fence.semantics.0 & Semantics::MakeAvailable.0 == 0 {
            return;
        }
        for class in each(classes) {
            let view = Arc::make_mut(&mut self.views[class as usize]);
            let reached = DOMAINS.iter().take_while(|&&domain| domain <= fence.level);
            for (index, _) in reached.enumerate() {
                view.available[index].add(own, level, time);
                // What is available in a narrower domain becomes so in this one.
                if let Some(narrower) = index.checked_sub(1) {
                    let narrower = view.available[narrower].clone();
                    view.available[index].join(&narrower);
                }
            }
        }
    }

    /// Makes visible what is available (strict mode).
    fn make_visible(&mut self, fence: Fence, classes: Classes) {
        if fence.semantics.0 & Semantics::MakeVisible.0 == 0 {
            return;
        }
        for class in each(classes) {
            let view = self.views[class as usize].clone();
            for (index, &domain) in DOMAINS.iter().enumerate() {
                if domain <= fence.level {
                    self.rest().visible[class as usize][index] = Some(view.clone());
                }
            }
        }
    }

    /// What the invocation publishes now.
    fn head(&self, who: Who, fence: Fence, classes: Classes, time: Time) -> Head {
        Head {
            who,
            time,
            level: fence.level,
            classes,
            is_joint: false,
            is_wide: false,
            views: self.views.clone(),
        }
    }

    /// Whether all that a release has published is known: who knows what an invocation did
    /// up to a time knows what it knew then.
    fn has(&self, own: Who, head: &Head, class: Class) -> bool {
        let happened = &self.views[class as usize].happened;
        let knows = || happened.covers(head.who, head.time.saturating_sub(1));
        !head.is_joint && (head.who == own || knows())
    }

    /// Takes over what a release has published, as far as it is meant for such an acquire.
    fn acquire(&mut self, own: Who, head: &Head, fence: Fence, classes: Classes) {
        let reaches = |level| head.is_wide || head.who.shares(own, level);
        let in_scope = reaches(head.level) && reaches(fence.level);
        let missing = match acquires(fence.semantics) {
            false => Some(Missing::Acquire),
            true => (!in_scope).then_some(Missing::Scope),
        };
        for class in Class::ALL {
            if self.has(own, head, class) {
                continue;
            }
            let is_meant = head.classes & classes & class.bit() != 0;
            let missing = missing.or((!is_meant).then_some(Missing::Class));
            match missing {
                None => head.add_to(&mut self.views[class as usize], class),
                Some(missing) => {
                    let missed = (missing, head.who, head.time, class);
                    self.rest().miss(missed);
                }
            }
        }
    }

    /// What keeps an access by another from being known, if a release and an acquire came
    /// close.
    pub(super) fn missing(&self, other: Who, time: Time, class: Class) -> Option<Missing> {
        let missed = self.rest.as_ref()?.missed.iter().rev();
        let mut found = missed.filter(|it| it.1 == other && time < it.2 && it.3 == class);
        found.next().map(|found| found.0)
    }

    /// Keeps a release for fences to come.
    fn park(&mut self, head: Head, class: Class) {
        let parked = &mut self.rest().parked;
        let is_known = parked.iter().any(|(it, of)| {
            (it.who, it.time, it.level) == (head.who, head.time, head.level) && *of == class
        });
        if is_known {
            return;
        }
        // Where there is no room, one stands for several.
        if parked.len() >= MAX_PARKED
            && let Some((joint, _)) = parked.iter_mut().find(|it| it.1 == class)
        {
            joint.merge(&head);
            return;
        }
        parked.push((head, class));
    }

    /// Acquires what relaxed reads have found.
    fn acquire_parked(&mut self, own: Who, fence: Fence, classes: Classes) {
        let parked = self.rest.as_mut();
        let parked = parked.map(|rest| std::mem::take(&mut rest.parked));
        for (head, class) in parked.unwrap_or_default() {
            // The atomic itself has to be of a class that the fence is about.
            let classes = if classes & class.bit() != 0 {
                classes
            } else {
                0
            };
            self.acquire(own, &head, fence, classes);
            self.park(head, class);
        }
    }

    /// Notes that a control barrier has been passed that is a fence for others, too.
    fn pass(&mut self, fence: Fence, time: Time) {
        let views = self.views.clone();
        let about = |fence: Fence| (fence.level, classes(fence.semantics));
        self.passed.retain(|it| about(it.fence) != about(fence));
        self.passed.push(Passed { fence, time, views });
    }

    /// A memory barrier.
    pub(super) fn fence(&mut self, own: Who, fence: Fence, time: Time) {
        let classes = classes(fence.semantics);
        if acquires(fence.semantics) {
            self.acquire_parked(own, fence, classes);
            self.make_visible(fence, classes);
        }
        if releases(fence.semantics) {
            self.make_available(own, fence, time, classes);
            let head = self.head(own, fence, classes, time);
            let armed = &mut self.rest().armed;
            armed.retain(|it| (it.level, it.classes) != (head.level, head.classes));
            armed.push(head);
        }
        if fence.half == Some(Half::Arrive) && self.rest.is_some() {
            let rest = self.rest();
            rest.arrived.clone_from(&rest.armed);
        }
    }

    /// The read of an atomic that finds what is published.
    pub(super) fn atomic_read(
        &mut self,
        own: Who,
        found: &Published,
        fence: Fence,
        class: Class,
        classes: Classes,
    ) {
        if let (Some((who, time)), true) = (found.relaxed, acquires(fence.semantics))
            && who != own
        {
            for class in Class::ALL {
                self.rest().miss((Missing::Release, who, time, class));
            }
        }
        // The last often knew of those before it.
        for head in found.heads.iter().rev() {
            self.acquire(own, head, fence, classes);
            let mut classes_of = Class::ALL.iter();
            let is_new = classes_of.any(|&class| !self.has(own, head, class));
            if is_new {
                self.park(head.clone(), class);
            }
        }
        if acquires(fence.semantics) {
            self.make_visible(fence, classes);
        }
    }

    /// Whether an atomic write publishes anything.
    pub(super) fn publishes(&self, fence: Fence) -> bool {
        let has_armed = |rest: &Rest| !rest.armed.is_empty();
        releases(fence.semantics)
            || !self.passed.is_empty()
            || self.rest.as_deref().is_some_and(has_armed)
    }

    /// The write of an atomic: what it publishes.
    pub(super) fn atomic_write(
        &mut self,
        own: Who,
        fence: Fence,
        class: Class,
        classes: Classes,
        time: Time,
    ) -> Vec<Head> {
        let mut heads = Vec::new();
        if releases(fence.semantics) {
            self.make_available(own, fence, time, classes);
            heads.push(self.head(own, fence, classes, time));
        }
        if let Some(rest) = &self.rest {
            let armed = rest
                .armed
                .iter()
                .filter(|head| head.classes & class.bit() != 0);
            heads.extend(armed.cloned());
        }
        let passed = self.passed.iter().map(|passed| Head {
            who: own,
            time: passed.time,
            level: passed.fence.level,
            classes: self::classes(passed.fence.semantics),
            is_joint: false,
            is_wide: false,
            views: passed.views.clone(),
        });
        heads.extend(passed.filter(|head| head.classes & class.bit() != 0));
        // Later ones take the place of earlier ones.
        heads.sort_by_key(|head| head.time);
        heads
    }
}

/// What is published at a location.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    heads: Vec<Head>,
    /// Who last wrote without publishing anything, and before when; for messages.
    relaxed: Option<(Who, Time)>,
}

impl Published {
    /// Whether an atomic read that acquires, or doesn't, finds anything here.
    pub(super) fn is_worth_reading(&self, fence: Fence) -> bool {
        !self.heads.is_empty() || (self.relaxed.is_some() && acquires(fence.semantics))
    }

    /// An atomic write that publishes nothing.
    pub(super) fn write_relaxed(&mut self, own: Who, time: Time) {
        self.relaxed = Some((own, time));
    }

    /// Adds what is published to what is there. What has the same effect for all that could
    /// acquire it becomes one.
    pub(super) fn add(&mut self, new: Vec<Head>) {
        let heads = &mut self.heads;
        for head in new {
            let same = heads.iter_mut().find(|it| {
                it.who == head.who && (it.level, it.classes) == (head.level, head.classes)
            });
            if let Some(same) = same {
                *same = head;
                continue;
            }
            add(heads, head);
        }
    }

    /// A plain store of an atomic ends what others have published; in the memory model of
    /// OpenCL, one's own stays.
    pub(super) fn replace(&mut self, own: Who, is_kernel: bool) {
        self.heads.retain(|head| is_kernel && head.who == own);
        self.relaxed = None;
    }
}

/// How many releases one location keeps apart.
const MAX_HEADS: usize = 64;

/// Up to how many all are kept, even if a later one includes them, because scopes may be such
/// that some see only the earlier ones.
const FEW_HEADS: usize = 8;

fn add(heads: &mut Vec<Head>, mut head: Head) {
    if heads.len() >= FEW_HEADS {
        let count = heads.len();
        heads.retain(|it| !head.includes(it));
        head.is_wide |= heads.len() < count;
    }
    // Where there is no room, one stands for several.
    if heads.len() >= MAX_HEADS {
        let is_same = |it: &Head| {
            it.who.shares(head.who, head.level)
                && (it.level, it.classes) == (head.level, head.classes)
        };
        let at = heads.iter().position(is_same).unwrap_or(0);
        let old = heads.remove(at);
        head.merge(&old);
    }
    heads.push(head);
}
