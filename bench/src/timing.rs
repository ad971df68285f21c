//! Taking times.

use std::time::{Duration, Instant};

/// The fewest rounds that say something, and the most that are worth the wait.
const ROUNDS: (u32, u32) = (3, 25);

/// Something to measure.
pub(crate) struct Candidate<'a> {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut() + 'a>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(name: &'static str, run: impl FnMut() + 'a) -> Self {
        Self {
            name,
            run: Box::new(run),
        }
    }
}

/// The times of a candidate.
pub(crate) struct Times {
    pub(crate) name: &'static str,
    pub(crate) best: Duration,
    pub(crate) median: Duration,
}

pub(crate) fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Runs all candidates in turn, for as many rounds as the budget allows. Turns
/// make sure that what disturbs the machine for a while disturbs all of them.
pub(crate) fn compare(candidates: &mut [Candidate<'_>], budget: Duration) -> Vec<Times> {
    let mut times = vec![Vec::new(); candidates.len()];
    let mut rounds = ROUNDS.0;
    let mut round = 0;
    while round < rounds {
        for (candidate, times) in candidates.iter_mut().zip(&mut times) {
            times.push(time(&mut candidate.run));
        }
        if round == 0 {
            let all: Duration = times.iter().flatten().sum();
            let affordable = budget.as_secs_f64() / all.as_secs_f64();
            rounds = (affordable as u32).clamp(ROUNDS.0, ROUNDS.1);
        }
        round += 1;
    }
    let summary = |(candidate, times): (&Candidate<'_>, &mut Vec<Duration>)| {
        times.sort();
        Times {
            name: candidate.name,
            best: times[0],
            median: times[times.len() / 2],
        }
    };
    candidates.iter().zip(&mut times).map(summary).collect()
}

/// The most that the slowest candidate of a comparison may take for one round.
pub(crate) fn round_limit(budget: Duration) -> Duration {
    budget / ROUNDS.0
}
