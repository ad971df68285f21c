//! Other orders of execution: which workgroup, subgroup and path goes on, and for how long.
//!
//! The numbers are drawn from a generator with a seed, so that each order can be had again.
//! All that can go on is chosen from with equal chances, so everybody gets on at some time.

use super::control::{Gang, Path, lanes};
use super::{Groups, Shared, Stop, Workgroup, most_under_way};
use crate::program::{Inst, Program};

/// How many steps are taken in an order drawn by lot, with interruptions; afterwards, nobody
/// is interrupted.
const MAX_DRAWN: u64 = 1 << 22;

/// How many workgroups are put in another order.
const MAX_SHUFFLED: u64 = 1 << 16;

/// An order of execution.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    state: u64,
    /// How often in 64 an access to memory is followed by others.
    interrupts: u64,
    /// Whether lanes go on each by itself. Nothing promises that they come together again
    /// where they do nothing together.
    is_apart: bool,
}

impl Schedule {
    /// The order with a number.
    pub(crate) fn new(seed: u64, program: &Program) -> Self {
        let mut schedule = Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            interrupts: [32, 4, 0, 60][(seed % 4) as usize],
            is_apart: false,
        };
        schedule.is_apart = can_split(program) && !schedule.chance(16);
        schedule
    }

    /// The next number (SplitMix64).
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.state;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.draw() % count.max(1) as u64) as usize
    }

    fn chance(&mut self, of_64: u64) -> bool {
        self.draw() % 64 < of_64
    }
}

/// Whether lanes do nothing together, so that those of a path may go on one by one.
fn can_split(program: &Program) -> bool {
    program.code.iter().all(Inst::is_of_each_lane)
}

impl Shared<'_> {
    /// Whether somebody else goes on after an instruction.
    pub(super) fn interrupts(&mut self, inst: &Inst, steps: u64) -> bool {
        let is_access = matches!(
            inst,
            Inst::Load { .. } | Inst::Store { .. } | Inst::Atomic(_) | Inst::Fence(_)
        );
        match &mut self.schedule {
            Some(schedule) if is_access && steps < MAX_DRAWN => {
                schedule.chance(schedule.interrupts)
            }
            _ => false,
        }
    }

    pub(super) fn draw_below(&mut self, count: usize) -> usize {
        self.schedule
            .as_mut()
            .map_or(0, |schedule| schedule.below(count))
    }
}

/// Runs all workgroups in the order of the schedule. False if it ends because no more may be
/// run.
pub(super) fn dispatch<const W: usize>(shared: &mut Shared<'_>) -> bool {
    let mut shuffled: Vec<[u32; 3]> = Vec::new();
    let mut rest = Groups::new(shared.groups);
    if rest.left() <= MAX_SHUFFLED {
        shuffled.extend(rest.by_ref());
        for index in (1..shuffled.len()).rev() {
            let other = shared.draw_below(index + 1);
            shuffled.swap(index, other);
        }
    }
    let mut waiting = shuffled.into_iter().chain(rest);
    let most = most_under_way(shared.program, W);
    let mut under_way: Vec<Workgroup<W>> = Vec::new();
    let mut spare: Vec<Workgroup<W>> = Vec::new();
    loop {
        let is_time = under_way.is_empty() || shared.draw_below(4) == 0;
        if is_time
            && under_way.len() < most
            && let Some(id) = waiting.next()
        {
            under_way.push(Workgroup::begin(shared, id, spare.pop()));
            continue;
        }
        if under_way.is_empty() {
            return true;
        }
        let index = shared.draw_below(under_way.len());
        match under_way[index].step(shared) {
            Stop::Turn => {}
            Stop::Rest => spare.push(under_way.swap_remove(index).end(shared)),
            Stop::Steps => return false,
        }
    }
}

impl<const W: usize> Workgroup<W> {
    /// Lets one of the gangs go on.
    fn step(&mut self, shared: &mut Shared<'_>) -> Stop {
        let can = |gang: &Gang<W>| !gang.ready.is_empty();
        let count = self.gangs.iter().filter(|gang| can(gang)).count();
        if count == 0 {
            return match self.pass(shared) {
                true => Stop::Turn,
                false => Stop::Rest,
            };
        }
        let which = shared.draw_below(count);
        let gang = self.gangs.iter_mut().filter(|gang| can(gang)).nth(which);
        match gang.map(|gang| gang.step(shared, &mut self.memory)) {
            Some(Stop::Steps) => Stop::Steps,
            _ => Stop::Turn,
        }
    }
}

impl<const W: usize> Gang<W> {
    /// Lets one of the paths go on, or some of its lanes.
    fn step(&mut self, shared: &mut Shared<'_>, memory: &mut [u8]) -> Stop {
        let which = shared.draw_below(self.ready.len());
        let Some(path) = self.ready.swap_remove_back(which) else {
            return Stop::Rest;
        };
        let mut turn = super::TURN;
        self.follow(shared, memory, path, &mut turn)
    }

    /// Lets each lane go on by itself, if the schedule is such.
    pub(super) fn part_all(&mut self, schedule: Option<&Schedule>) {
        if schedule.is_none_or(|schedule| !schedule.is_apart) {
            return;
        }
        for path in std::mem::take(&mut self.ready) {
            for (index, lane) in lanes(path.mask).enumerate() {
                let mask = 1 << lane;
                match index {
                    0 => self.ready.push_back(Path { mask, ..path }),
                    _ => self.stay(Path { mask, ..path }),
                }
            }
        }
    }
}
