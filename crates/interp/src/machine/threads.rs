//! Workgroups on several threads, where nothing can be observed by it.
//!
//! Each thread runs some of the workgroups, in ascending order, on the memory that there was
//! before, and notes which bytes it reads and writes. If none has written what another one has
//! read or written, each has read what it would have read had all run one after the other, and
//! what they have written is put together. Otherwise it is thrown away, and they run one after
//! the other. So what comes of a run never depends on the number of threads.
//!
//! A few run this way first, so that little is lost where they have to do with each other.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use hashbrown::HashMap;

use super::tracks::{Tracks, Traffic};
use super::{Buffer, Findings, Groups, Pipes, Queue, Shared, Stop, Tick, Workgroup};
use crate::image::Images;
use crate::program::{Inst, Program};
use crate::special::Special;

/// How many instructions are executed before it is clear how many there will be.
pub(super) const ALONE: u64 = 1 << 14;

/// How many there have to be for more threads than one.
const MIN_STEPS: u64 = 1 << 17;

/// The part of the workgroups that runs first.
const FIRST: u64 = 16;

/// How many portions each thread takes, so that all end at about the same time.
const PORTIONS: u64 = 16;

/// How many bytes of buffers threads may have copies of, all together.
const MAX_COPIED: u64 = 1 << 31;

/// Whether several threads are worth a thought.
pub(super) fn are_possible(shared: &Shared<'_>) -> bool {
    let program = shared.program;
    // What these give depends on what all others have done before.
    let is_ordered = |inst: &Inst| match inst {
        Inst::Print(_) => true,
        Inst::Special(index) => {
            let special = &program.specials[*index as usize];
            matches!(
                special,
                Special::Clock { .. } | Special::Pipe(_) | Special::Enqueue(_)
            )
        }
        _ => false,
    };
    shared.threads > 1
        && shared.races.is_none()
        && shared.observer.is_none()
        && !program.code.iter().any(is_ordered)
}

/// Runs as many of the workgroups as can run at the same time. They are no longer among those
/// that are to be run.
pub(super) fn dispatch<const W: usize>(
    shared: &mut Shared<'_>,
    groups: &mut Groups,
    traffic: &Traffic,
) {
    let (done, rest) = (groups.taken().max(1), groups.left());
    let threads = shared.threads as u64;
    let steps = (u128::from(shared.steps) / u128::from(done)) * u128::from(rest);
    let copied = traffic
        .written_bytes(&shared.buffers)
        .saturating_mul(threads);
    if steps < MIN_STEPS.into() || rest < 2 * threads || copied > MAX_COPIED {
        return;
    }
    let first = (rest / FIRST).max(threads);
    for count in [first, rest - first] {
        if !run_together::<W>(shared, groups, count, traffic) {
            return;
        }
        groups.skip(count);
    }
}

/// What a thread has done.
struct Done {
    buffers: Vec<Buffer>,
    tracks: Box<Tracks>,
    findings: Findings,
    steps: u64,
}

/// What threads share.
struct Work<'w> {
    groups: &'w Groups,
    count: u64,
    /// How many workgroups a thread takes at once, and which are the next.
    portion: u64,
    next: AtomicU64,
    /// Whether one has to be run in order.
    has_failed: AtomicBool,
}

/// Runs the next workgroups, so many, at the same time; false, with nothing done, if they have
/// to be run one after the other.
fn run_together<const W: usize>(
    shared: &mut Shared<'_>,
    groups: &Groups,
    count: u64,
    traffic: &Traffic,
) -> bool {
    let threads = shared.threads;
    let work = Work {
        groups,
        count,
        portion: (count / (threads as u64 * PORTIONS)).max(1),
        next: AtomicU64::new(0),
        has_failed: AtomicBool::new(false),
    };
    let mut lent: Vec<Vec<Buffer>> = (0..threads)
        .map(|_| shared.buffers.iter_mut().map(Buffer::lend).collect())
        .collect();
    let own = lent.pop().unwrap_or_default();
    let (program, homes, images) = (shared.program, &shared.homes, &shared.images);
    let limits = Limits::of(shared);
    let run = |buffers: Vec<Buffer>| {
        let tracks = Box::new(Tracks::new(traffic, &buffers));
        let mut shared = Shared {
            program,
            buffers,
            homes: homes.clone(),
            images: Images::clone(images),
            tracks: Some(tracks),
            ..limits.shared(program)
        };
        work.run::<W>(&mut shared);
        Done {
            buffers: shared.buffers,
            tracks: shared.tracks.unwrap_or_default(),
            findings: shared.findings,
            steps: shared.steps,
        }
    };
    let all: Vec<Done> = thread::scope(|scope| {
        // Where there are no more threads, the others do it all.
        let spawned: Vec<_> = lent
            .into_iter()
            .map_while(|buffers| {
                let builder = thread::Builder::new();
                builder.spawn_scoped(scope, || run(buffers)).ok()
            })
            .collect();
        let own = run(own);
        let others = spawned.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        std::iter::once(own).chain(others).collect()
    });
    if work.has_failed.into_inner() {
        return false;
    }
    let steps = all
        .iter()
        .fold(shared.steps, |sum, done| sum.saturating_add(done.steps));
    let mut findings = shared.findings.clone();
    all.iter().for_each(|done| findings.absorb(&done.findings));
    if steps > shared.max_steps || findings.are_full() || is_conflict(&all) {
        return false;
    }
    shared.steps = steps;
    shared.findings = findings;
    for done in &all {
        done.tracks.keep(&mut shared.buffers, &done.buffers);
    }
    true
}

/// Whether one has written what another one has read or written.
fn is_conflict(all: &[Done]) -> bool {
    all.iter().enumerate().any(|(index, done)| {
        let others = &all[index + 1..];
        others
            .iter()
            .any(|other| done.tracks.conflict(&other.tracks))
    })
}

impl Work<'_> {
    /// Runs portions until there are no more.
    fn run<const W: usize>(&self, shared: &mut Shared<'_>) {
        let mut spare = None;
        loop {
            let start = self.next.fetch_add(self.portion, Ordering::Relaxed);
            let end = start.saturating_add(self.portion).min(self.count);
            if start >= end {
                return;
            }
            for index in start..end {
                if self.has_failed.load(Ordering::Relaxed) {
                    return;
                }
                let id = self.groups.further(index);
                let mut group = Workgroup::<W>::begin(shared, id, spare.take());
                if group.run_on(shared) != Stop::Rest {
                    self.has_failed.store(true, Ordering::Relaxed);
                    return;
                }
                spare = Some(group.end(shared));
            }
        }
    }
}

/// What is the same for all threads.
#[derive(Clone, Copy)]
struct Limits<'t> {
    groups: [u32; 3],
    offset: [u32; 3],
    max_steps: u64,
    subgroup_size: u32,
    is_robust: bool,
    keeps_turns: bool,
    are_lanes_together: bool,
    tick: Option<Tick<'t>>,
}

impl<'t> Limits<'t> {
    fn of(shared: &Shared<'t>) -> Self {
        Self {
            groups: shared.groups,
            offset: shared.offset,
            max_steps: shared.max_steps.saturating_sub(shared.steps),
            subgroup_size: shared.subgroup_size,
            is_robust: shared.is_robust,
            keeps_turns: shared.keeps_turns,
            are_lanes_together: shared.are_lanes_together,
            tick: shared.tick,
        }
    }

    /// A run without memory of its own.
    fn shared<'p>(&self, program: &'p Program) -> Shared<'p>
    where
        't: 'p,
    {
        Shared {
            program,
            buffers: Vec::new(),
            homes: Vec::new(),
            images: Images::default(),
            pipes: Pipes::default(),
            queue: Queue::default(),
            findings: Findings::default(),
            steps: 0,
            max_steps: self.max_steps,
            groups: self.groups,
            offset: self.offset,
            observer: None,
            printed: String::new(),
            max_printed: 0,
            changes: 0,
            races: None,
            schedule: None,
            subgroup_size: self.subgroup_size,
            is_robust: self.is_robust,
            keeps_turns: self.keeps_turns,
            are_lanes_together: self.are_lanes_together,
            threads: 1,
            tick: self.tick,
            stored: HashMap::new(),
            tracks: None,
        }
    }
}
