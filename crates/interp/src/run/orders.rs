//! Runs in several orders.

use spirvkit_diagnostics::Diagnostic;

use super::{Outcome, Run};
use crate::kinds;

impl Run<'_> {
    /// How many orders to run in, from the one that [`Run::seed`] chooses on. All findings are
    /// in the outcome, which has the buffers of the first; a buffer that holds something else
    /// in another order is a finding, a warning. The default is one.
    pub fn schedules(mut self, count: u64) -> Self {
        self.schedules = count.max(1);
        self
    }

    /// Runs in the further orders, and adds what they show to the outcome of the first.
    pub(super) fn run_further(
        self,
        groups: [u32; 3],
        outcome: &mut Outcome,
    ) -> Result<(), Box<Diagnostic>> {
        let mut differs = false;
        for further in 1..self.schedules {
            let mut run = self.clone();
            run.seed = self.seed.wrapping_add(further);
            let order = run.seed;
            let other = run.run(groups, None)?;
            if !differs && let Some(difference) = outcome.difference(&other, order) {
                outcome.findings.push(difference);
                differs = true;
            }
            outcome.steps += other.steps;
            for found in other.findings {
                let is_same = |it: &Diagnostic| {
                    (it.rule(), it.word_offset()) == (found.rule(), found.word_offset())
                };
                if !outcome.findings.iter().any(is_same) {
                    outcome.findings.push(found);
                }
            }
        }
        outcome.findings.sort_by_key(Diagnostic::word_offset);
        Ok(())
    }
}

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
