//! Runs in which everybody waits for what never comes.
//!
//! A workgroup that goes round loops without writing anything, and is in a state that it was
//! in before, will do so forever, unless somebody else writes. If this is so of all that are
//! under way, nobody will.

use std::hash::Hasher;

use super::control::Gang;
use super::{Shared, Workgroup};

/// How many turns without a change are looked at. States that come again after more than half
/// of them are left to the limit of steps.
const MAX_TURNS: u32 = 64;

/// What a workgroup was like after some turns.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    /// How often memory had changed then.
    changes: u64,
    turns: u32,
    /// A state to compare with.
    state: u64,
    is_stuck: bool,
}

impl<const W: usize> Workgroup<W> {
    /// Notes that a turn has ended.
    pub(super) fn note_turn(&mut self, changes: u64) {
        if self.waiting.changes != changes || self.waiting.turns == 0 {
            self.waiting = Waiting {
                changes,
                ..Waiting::default()
            };
        }
        self.waiting.turns += 1;
        if self.waiting.is_stuck || self.waiting.turns > MAX_TURNS {
            return;
        }
        let state = self.state();
        let waiting = &mut self.waiting;
        waiting.is_stuck = waiting.turns > 1 && state == waiting.state;
        // The state to compare with moves on, so that each period is met (Brent).
        if waiting.turns.is_power_of_two() {
            waiting.state = state;
        }
    }

    /// Whether it does the same again and again, unless somebody else writes.
    pub(super) fn is_stuck(&self, changes: u64) -> bool {
        self.waiting.is_stuck && self.waiting.changes == changes
    }

    fn state(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.gangs
            .iter()
            .for_each(|gang| gang.hash_state(&mut hasher));
        hasher.finish()
    }

    /// Reports that it waits forever.
    pub(super) fn report_livelock(&self, shared: &mut Shared<'_>) {
        let paths = self
            .gangs
            .iter()
            .flat_map(|gang| gang.ready.iter().map(move |path| (gang, path)));
        if let Some((gang, path)) = paths.clone().next() {
            let who = gang.invocations(path.mask);
            shared.findings.livelock(shared.program, path.pc, who);
        }
    }
}

impl<const W: usize> Gang<W> {
    fn hash_state(&self, hasher: &mut impl Hasher) {
        for column in &self.columns {
            column.iter().for_each(|&word| hasher.write_u32(word));
        }
        hasher.write(&self.memory);
        for path in self.ready.iter().chain(&self.waiting) {
            hasher.write_u32(path.pc);
            hasher.write_u64(path.mask);
            hasher.write_u32(path.frame);
        }
        self.hash_frames(hasher);
    }
}
