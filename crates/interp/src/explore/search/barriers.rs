//! Control barriers: who passes them together, and who never comes.

use std::rc::Rc;

use super::events::fence_event;
use super::{Search, Settled};
use crate::explore::state::{Done, Pending, State};
use crate::model::{Event, Source};
use crate::program::Pc;

impl Search<'_, '_> {
    /// Lets those go on that wait at a barrier together; false if there are none.
    pub(super) fn pass_barriers(&mut self, state: &mut State) -> bool {
        let mut has_passed = false;
        for first in 0..state.invocations.len() {
            let Pending::Barrier { pc, workgroup, .. } = state.invocations[first].pending else {
                continue;
            };
            let group = |thread: usize| match workgroup {
                true => self.threads[thread].workgroup,
                false => self.threads[thread].subgroup,
            };
            let members: Vec<usize> = (0..self.threads.len())
                .filter(|&thread| group(thread) == group(first))
                .collect();
            let waits = |&thread: &usize| match state.invocations[thread].pending {
                Pending::Barrier { workgroup: of, .. } => of == workgroup,
                _ => false,
            };
            let has_ended = |thread: &usize| state.invocations[*thread].pending == Pending::Ended;
            if !members.iter().all(|it| waits(it) || has_ended(it)) {
                continue;
            }
            has_passed = true;
            let waiting: Vec<usize> = members.iter().copied().filter(waits).collect();
            self.report_barrier(state, &members, &waiting, pc);
            let mut instance = Vec::new();
            for thread in waiting {
                let invocation = Rc::make_mut(&mut state.invocations[thread]);
                let Pending::Barrier { pc, fence, .. } = invocation.pending else {
                    continue;
                };
                invocation.pending = Pending::Nothing;
                invocation.standings.clear();
                invocation.alone.go_on();
                let event = Event {
                    is_control_barrier: true,
                    ..fence_event(thread, self.program.fences[fence as usize])
                };
                let (settled, index) = self.add(state, event, Source::Open, Done::of(pc, None));
                if let Settled::Dead = settled {
                    return false;
                }
                instance.push(index);
            }
            state.barriers.push(instance);
        }
        has_passed
    }

    /// Reports a barrier that only a part of a group has reached.
    fn report_barrier(&self, state: &mut State, members: &[usize], waiting: &[usize], pc: Pc) {
        let (id, local) = self.who(waiting[0]);
        let who = crate::machine::Invocations {
            workgroup: id,
            first: local,
            count: 1,
        };
        let at = |thread: &usize| match state.invocations[*thread].pending {
            Pending::Barrier { pc, .. } => pc,
            _ => pc,
        };
        let other = waiting.iter().map(at).find(|&other| other != pc);
        let findings = &mut state.findings;
        match other {
            Some(other) => findings.divergent_barrier(self.program, pc + 1, other + 1, who),
            None if waiting.len() < members.len() => {
                findings.ended_before_barrier(self.program, pc + 1, who);
            }
            None => {}
        }
    }
}
