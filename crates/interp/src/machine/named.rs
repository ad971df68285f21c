//! Named barriers, at which only some subgroups of a workgroup wait for each other.

use std::collections::BTreeMap;

use super::control::{Gang, Path, lanes};
use super::{Shared, Workgroup};
use crate::kinds;
use crate::program::{Inst, Program};
use crate::special::Special;

/// A named barrier: the number of the instruction that has made it, with how often that was
/// executed, and how many subgroups it waits for.
type Named = (u32, u32);

impl<const W: usize> Gang<W> {
    /// The named barrier that a path waits at, and how it orders memory.
    fn named(&self, program: &Program, path: &Path) -> Option<(Named, u32)> {
        let Inst::Special(index) = program.code.get(path.pc as usize - 1)? else {
            return None;
        };
        let Special::NamedBarrier { barrier, fence } = program.specials[*index as usize] else {
            return None;
        };
        let lane = path.mask.trailing_zeros() as usize % W;
        let named = (
            self.word(barrier.maker, lane),
            self.word(barrier.count, lane),
        );
        Some((named, fence))
    }

    /// The lanes that wait at a named barrier.
    fn wait_at(&self, program: &Program, named: Named) -> u64 {
        let is_it = |path: &&Path| self.named(program, path).is_some_and(|it| it.0 == named);
        let paths = self.waiting.iter().filter(is_it);
        paths.fold(0, |all, path| all | path.mask)
    }
}

impl<const W: usize> Workgroup<W> {
    /// Lets what waits at named barriers go on, if as many subgroups have come as each waits for;
    /// if that is so of none and nobody else can go on, all of them with a finding. False if
    /// nothing waits at one.
    pub(super) fn pass_named(&mut self, shared: &mut Shared<'_>) -> bool {
        let program = shared.program;
        if program.named_barriers == 0 {
            return false;
        }
        let mut waiting: BTreeMap<Named, Vec<usize>> = BTreeMap::new();
        for (index, gang) in self.gangs.iter().enumerate() {
            for (named, _) in gang.waiting.iter().filter_map(|it| gang.named(program, it)) {
                let gangs = waiting.entry(named).or_default();
                if gangs.last() != Some(&index) {
                    gangs.push(index);
                }
            }
        }
        let is_complete = |named: &Named, gangs: &[usize]| gangs.len() >= named.1 as usize;
        let is_any = waiting.iter().any(|it| is_complete(it.0, it.1));
        for (&named, gangs) in &waiting {
            match is_complete(&named, gangs) {
                true => self.leave_named(shared, named, &gangs[..named.1.max(1) as usize]),
                false if !is_any => {
                    self.report_incomplete(shared, named, gangs);
                    self.leave_named(shared, named, gangs);
                }
                false => {}
            }
        }
        !waiting.is_empty()
    }

    /// Reports a barrier that some subgroups wait at in vain.
    fn report_incomplete(&self, shared: &mut Shared<'_>, (maker, count): Named, gangs: &[usize]) {
        let Some(gang) = gangs.first().map(|&index| &self.gangs[index]) else {
            return;
        };
        let program = shared.program;
        let mask = gang.wait_at(program, (maker, count));
        let paths = gang.waiting.iter();
        let Some(path) = paths.clone().find(|path| path.mask & mask != 0) else {
            return;
        };
        let message = || {
            format!(
                "{} of the {count} subgroups that the named barrier waits for come to it, and the workgroup has {}",
                gangs.len(),
                self.gangs.len()
            )
        };
        let who = gang.invocations(path.mask);
        let findings = &mut shared.findings;
        findings.add(program, &kinds::BARRIER, path.pc - 1, who, message);
    }

    /// Lets some subgroups go on that wait at a named barrier.
    fn leave_named(&mut self, shared: &mut Shared<'_>, named: Named, gangs: &[usize]) {
        let program = shared.program;
        let mut passing: Vec<u32> = Vec::new();
        let mut fence = None;
        for &index in gangs {
            let gang = &mut self.gangs[index];
            let mask = gang.wait_at(program, named);
            passing.extend(lanes(mask).map(|lane| gang.first + lane as u32));
            let paths = std::mem::take(&mut gang.waiting);
            let (go_on, stay): (Vec<Path>, Vec<Path>) = paths
                .into_iter()
                .partition(|path| path.mask & mask == path.mask);
            if mask != gang.all
                && let Some(path) = go_on.first()
            {
                let message = || {
                    format!(
                        "only {} of the {} invocations of the subgroup come to the named barrier",
                        mask.count_ones(),
                        gang.all.count_ones()
                    )
                };
                let who = gang.invocations(path.mask);
                let findings = &mut shared.findings;
                findings.add(program, &kinds::BARRIER, path.pc - 1, who, message);
            }
            let of_first = go_on.first().and_then(|path| gang.named(program, path));
            fence = fence.or(of_first.map(|it| it.1));
            gang.waiting = stay;
            gang.ready.extend(go_on);
        }
        if let (Some(races), Some(fence)) = (&mut shared.races, fence) {
            let id = self.gangs[0].id;
            races.control_barrier(id, &passing, program.fences[fence as usize]);
        }
    }
}
