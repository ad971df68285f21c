//! Runs in several orders.

use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use spirvkit_diagnostics::{Diagnostic, Errors};

use super::{Outcome, Run};
use crate::kinds;

/// How many steps a run takes at least whose orders are run at the same time.
const MIN_STEPS: u64 = 1 << 14;

impl Run<'_> {
    /// How many orders to run in, from the one that [`Run::seed`] chooses on. All findings are
    /// in the outcome, which has the buffers of the first; a buffer that holds something else
    /// in another order is a finding, a warning. The default is one.
    pub fn schedules(mut self, count: u64) -> Self {
        self.schedules = count.max(1);
        self
    }

    /// How many threads there may be.
    pub(super) fn thread_count(&self) -> usize {
        match self.threads {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        }
    }

    /// Runs in the further orders, and adds what they show to the outcome of the first.
    pub(super) fn run_further(self, groups: [u32; 3], outcome: &mut Outcome) -> Result<(), Errors> {
        let mut differs = false;
        let threads = match outcome.steps > MIN_STEPS {
            true => self.thread_count() as u64,
            false => 1,
        };
        let mut further = 1;
        while further < self.schedules {
            let count = threads.min(self.schedules - further);
            let orders = further..further + count;
            for (order, other) in orders.clone().zip(self.in_orders(orders, groups)) {
                let other = other?;
                let order = self.seed.wrapping_add(order);
                if !differs && let Some(difference) = outcome.difference(&other, order) {
                    outcome.findings.push(difference);
                    differs = true;
                }
                outcome.steps += other.steps;
                for found in other.findings {
                    let is_same = |it: &Diagnostic| {
                        it.rule() == found.rule()
                            && (it.word_offset() == found.word_offset()
                                || it.rule() == kinds::RACE.id && are_mirrored(it, &found))
                    };
                    if !outcome.findings.iter().any(is_same) {
                        outcome.findings.push(found);
                    }
                }
            }
            further += count;
        }
        outcome.findings.sort_by_key(Diagnostic::word_offset);
        Ok(())
    }

    /// What comes of several orders, each on a thread of its own.
    fn in_orders(&self, orders: Range<u64>, groups: [u32; 3]) -> Vec<Ran> {
        let run = |order: u64| {
            let mut run = self.clone().threads(1);
            run.seed = self.seed.wrapping_add(order);
            run.run(groups, None)
        };
        let run = &run;
        let orders_end = orders.end;
        thread::scope(|scope| {
            let begun = orders.map(|order| {
                let builder = thread::Builder::new();
                // Where there are no more threads, it is run here.
                match order + 1 < orders_end {
                    true => builder
                        .spawn_scoped(scope, move || run(order))
                        .map_err(|_| order),
                    false => Err(order),
                }
            });
            let begun: Vec<_> = begun.collect();
            let ended = begun.into_iter().map(|begun| match begun {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(order) => run(order),
            });
            ended.collect()
        })
    }
}

/// Whether each of two findings is at the place that the other one also names: a race shows at the
/// access that comes second.
fn are_mirrored(a: &Diagnostic, b: &Diagnostic) -> bool {
    let names = |a: &Diagnostic, b: &Diagnostic| {
        let place = b.word_offset();
        a.labels().iter().any(|label| label.word_offset == place)
    };
    names(a, b) && names(b, a)
}

/// What comes of a run.
type Ran = Result<Outcome, Errors>;

impl Outcome {
    /// The first buffer that holds something else than in this outcome.
    fn difference(&self, other: &Self, order: u64) -> Option<Diagnostic> {
        let bound = self
            .buffers
            .iter()
            .map(|(&(set, binding, element), bytes)| {
                let name = match element {
                    0 => format!("the buffer at set {set}, binding {binding}"),
                    _ => {
                        format!("element {element} of the buffers at set {set}, binding {binding}")
                    }
                };
                (name, bytes, other.buffers.get(&(set, binding, element)))
            });
        let shared = self.shared.iter().zip(&other.shared).map(|(own, other)| {
            let (name, own) = own.named();
            (format!("`{name}`"), own, Some(other.named().1))
        });
        for (name, own, other) in bound.chain(shared) {
            let other = other.map_or(&[][..], |bytes| bytes);
            let differs = own.iter().zip(other).position(|(a, b)| a != b);
            if let Some(byte) = differs {
                let message =
                    format!("{name} holds something else in order {order}, first at byte {byte}");
                return Some(kinds::ORDER.warning(message).with_help(kinds::ORDER.advice));
            }
        }
        None
    }
}
