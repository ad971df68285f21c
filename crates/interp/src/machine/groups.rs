//! What the lanes of a tangle do together (section 3.32.24).

use spirvkit_eval::{Scalar, ScalarType};
use spirvkit_grammar::Op;

use super::alu::evaluate;
use super::control::{Active, Gang, lanes};
use crate::program::{GeneralOp, Group, GroupOp, Scan, pair};

impl<const W: usize> Gang<W> {
    pub(crate) fn group(&mut self, active: &Active<W>, group: &Group) {
        let bits = active.bits;
        let first = bits.trailing_zeros() as usize;
        let value = group.value.first().copied().unwrap_or(0);
        match group.op {
            GroupOp::Elect => self.set_truths(active, group, 1 << first),
            GroupOp::All => {
                let all = self.truths(value) & bits == bits;
                self.set_truths(active, group, if all { bits } else { 0 });
            }
            GroupOp::Any => {
                let any = self.truths(value) & bits != 0;
                self.set_truths(active, group, if any { bits } else { 0 });
            }
            GroupOp::AllEqual(ty) => {
                let size = ty.width().div_ceil(32) as usize;
                let equal = group.value.chunks(size).all(|component| {
                    let scalar = |lane| self.scalar(ty, pair(component), lane);
                    let first = scalar(first);
                    lanes(bits).all(|lane| are_equal(first, scalar(lane), group))
                });
                self.set_truths(active, group, if equal { bits } else { 0 });
            }
            GroupOp::Ballot => {
                let ballot = self.truths(value) & bits;
                let words = [ballot as u32, (ballot >> 32) as u32, 0, 0];
                for (&to, word) in group.to.iter().zip(words) {
                    self.write(active, to, [word; W]);
                }
            }
            GroupOp::InverseBallot => self.for_each(active, group, |this, lane| {
                u32::from(this.ballot(group, lane) >> lane & 1 != 0)
            }),
            GroupOp::BallotBitExtract => self.for_each(active, group, |this, lane| {
                let index = this.columns[group.second as usize][lane];
                u32::from(this.ballot(group, lane).checked_shr(index).unwrap_or(0) & 1 != 0)
            }),
            GroupOp::BallotBitCount(scan) => self.for_each(active, group, |this, lane| {
                let before = (1u64 << lane) - 1;
                let counted = match scan {
                    Scan::Reduce => u64::MAX,
                    Scan::Inclusive => before | 1 << lane,
                    Scan::Exclusive => before,
                };
                (this.ballot(group, lane) & counted).count_ones()
            }),
            GroupOp::BallotFindLsb => self.for_each(active, group, |this, lane| {
                this.ballot(group, lane).trailing_zeros()
            }),
            GroupOp::BallotFindMsb => self.for_each(active, group, |this, lane| {
                63u32.wrapping_sub(this.ballot(group, lane).leading_zeros())
            }),
            GroupOp::BroadcastFirst
            | GroupOp::Broadcast
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::QuadBroadcast
            | GroupOp::QuadLane { .. }
            | GroupOp::QuadSwap => self.fetch(active, group),
            GroupOp::Window { up } => self.window(active, group, up),
            GroupOp::Partition(ty) => {
                let size = ty.width().div_ceil(32) as usize;
                let mut words = [[0; W]; 2];
                for lane in active.lanes() {
                    let scalar = |component, lane| self.scalar(ty, pair(component), lane);
                    let is_equal = |&other: &usize| {
                        let mut components = group.value.chunks(size);
                        other == lane
                            || components.all(|component| {
                                are_equal(scalar(component, lane), scalar(component, other), group)
                            })
                    };
                    let equal = lanes(bits).filter(is_equal);
                    let ballot = equal.fold(0u64, |all, lane| all | 1 << lane);
                    words[0][lane] = ballot as u32;
                    words[1][lane] = (ballot >> 32) as u32;
                }
                for (index, &to) in group.to.iter().enumerate() {
                    self.write(active, to, words.get(index).copied().unwrap_or([0; W]));
                }
            }
            GroupOp::QuadAll | GroupOp::QuadAny => {
                let truths = self.truths(value) & bits;
                let is_true = |lane: &usize| {
                    let quad = 0xf << (lane & !3);
                    match group.op {
                        GroupOp::QuadAll => truths & quad == bits & quad,
                        _ => truths & quad != 0,
                    }
                };
                let all = lanes(bits).filter(is_true);
                self.set_truths(active, group, all.fold(0, |all, lane| all | 1 << lane));
            }
            GroupOp::Arithmetic {
                op,
                ty,
                identity,
                scan,
            } => self.scan(active, group, op, ty, identity, scan),
        }
    }

    /// Writes a Boolean for each lane.
    fn set_truths(&mut self, active: &Active<W>, group: &Group, truths: u64) {
        let mut words = [0; W];
        for (lane, word) in words.iter_mut().enumerate() {
            *word = (truths >> lane & 1) as u32;
        }
        if let Some(&to) = group.to.first() {
            self.write(active, to, words);
        }
    }

    fn for_each(
        &mut self,
        active: &Active<W>,
        group: &Group,
        result: impl Fn(&Self, usize) -> u32,
    ) {
        let mut words = [0; W];
        for lane in active.lanes() {
            words[lane] = result(self, lane);
        }
        if let Some(&to) = group.to.first() {
            self.write(active, to, words);
        }
    }

    /// The ballot that a lane has, of lanes that there can be.
    fn ballot(&self, group: &Group, lane: usize) -> u64 {
        let word = |index: usize| {
            let column = group.value.get(index);
            column.map_or(0, |&column| u64::from(self.columns[column as usize][lane]))
        };
        (word(1) << 32 | word(0)) & (u64::MAX >> (64 - self.size.clamp(1, 64)))
    }

    /// Gives each lane what another has. What a lane has that takes no part is undefined: it
    /// is left as it is there.
    fn fetch(&mut self, active: &Active<W>, group: &Group) {
        let mut sources = [0; W];
        for lane in active.lanes() {
            sources[lane] = self.source(active, group, lane);
        }
        for (&to, &value) in group.to.iter().zip(&group.value) {
            let words = self.columns[value as usize];
            let fetched = sources.map(|lane| words.get(lane).copied().unwrap_or(0));
            self.write(active, to, fetched);
        }
    }

    /// The lane whose value a lane gets, which need not be there.
    pub(super) fn source(&self, active: &Active<W>, group: &Group, lane: usize) -> usize {
        let second = match group.second {
            crate::program::NO_REG => 0,
            column => self.columns[column as usize][lane] as usize,
        };
        match group.op {
            GroupOp::BroadcastFirst => active.bits.trailing_zeros() as usize,
            GroupOp::ShuffleXor => lane ^ second,
            GroupOp::ShuffleUp => lane.wrapping_sub(second),
            GroupOp::ShuffleDown => lane.wrapping_add(second),
            GroupOp::Rotate => {
                let size = cluster_size(group, self.size);
                lane / size * size + (lane % size + second % size) % size
            }
            GroupOp::QuadBroadcast => (lane & !3) | (second & 3),
            GroupOp::QuadLane { keep, set } => lane & (keep as usize | !3) | set as usize,
            // 0 is horizontal, 1 vertical, 2 diagonal.
            GroupOp::QuadSwap => lane ^ (second + 1),
            _ => second,
        }
    }

    /// The lane whose value a lane gets, counted through two values.
    pub(super) fn source_in_window(&self, group: &Group, up: bool, lane: usize) -> Option<usize> {
        let size = self.size.max(1) as usize;
        let delta = self.columns[group.second as usize][lane] as usize;
        match up {
            true => (lane + size).checked_sub(delta),
            false => Some(lane.saturating_add(delta)),
        }
    }

    /// What lanes have that are so far behind in two values, one after the other; or before, and
    /// the first value comes before the second.
    fn window(&mut self, active: &Active<W>, group: &Group, up: bool) {
        let size = self.size.max(1) as usize;
        let (first, second) = group.value.split_at(group.to.len().min(group.value.len()));
        for ((&to, &first), &second) in group.to.iter().zip(first).zip(second) {
            let both = [self.columns[first as usize], self.columns[second as usize]];
            let mut words = [0; W];
            for lane in active.lanes() {
                let source = self.source_in_window(group, up, lane);
                let word = |source: usize| both.get(source / size)?.get(source % size).copied();
                words[lane] = source.and_then(word).unwrap_or(0);
            }
            self.write(active, to, words);
        }
    }

    /// The active lanes that belong together.
    pub(super) fn clusters(&self, active: &Active<W>, group: &Group) -> Vec<u64> {
        if group.partition.is_empty() {
            let size = cluster_size(group, self.size);
            let starts = (0..W).step_by(size);
            let clusters = starts.map(|start| (u64::MAX >> (64 - size)) << start & active.bits);
            return clusters.collect();
        }
        let word = |index: usize, lane| {
            let column = group.partition.get(index);
            column.map_or(0, |&column| u64::from(self.word(column, lane)))
        };
        let mut clusters = Vec::new();
        let mut left = active.bits;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            // Each lane is in its own part, whatever its ballot says.
            let ballot = word(1, lane) << 32 | word(0, lane);
            let cluster = (ballot | 1 << lane) & left;
            clusters.push(cluster);
            left &= !cluster;
        }
        clusters
    }

    /// Reductions and scans, from the first lane of each cluster on.
    fn scan(
        &mut self,
        active: &Active<W>,
        group: &Group,
        op: GeneralOp,
        ty: ScalarType,
        identity: u64,
        scan: Scan,
    ) {
        let (Some(&to), value) = (group.to.first(), pair(&group.value)) else {
            return;
        };
        for cluster in self.clusters(active, group) {
            let mut total = Scalar::new(ty, identity);
            let mut is_first = true;
            for lane in lanes(cluster) {
                let own = self.scalar(ty, value, lane);
                // The first lane's is taken as it is, so that nothing is done to it.
                let sum = match is_first {
                    true => own,
                    false => combine(op, total, own, group),
                };
                match scan {
                    Scan::Inclusive => self.set_scalar(to, lane, sum),
                    Scan::Exclusive => self.set_scalar(to, lane, total),
                    Scan::Reduce => {}
                }
                total = sum;
                is_first = false;
            }
            if scan == Scan::Reduce {
                for lane in lanes(cluster) {
                    self.set_scalar(to, lane, total);
                }
            }
        }
    }
}

/// How many lanes a cluster has.
fn cluster_size(group: &Group, subgroup: u32) -> usize {
    match group.cluster {
        0 => subgroup as usize,
        size => size.min(subgroup) as usize,
    }
}

fn combine(op: GeneralOp, a: Scalar, b: Scalar, group: &Group) -> Scalar {
    let result = evaluate(op, a.ty(), &[a, b], &group.environment);
    result.map_or(a, |outcome| outcome.common())
}

/// Whether two scalars are equal, as numbers are compared.
fn are_equal(a: Scalar, b: Scalar, group: &Group) -> bool {
    if !matches!(a.ty(), ScalarType::Float(_)) {
        return a == b;
    }
    let op = GeneralOp::Core(Op::FOrdEqual);
    let result = evaluate(op, ScalarType::Bool, &[a, b], &group.environment);
    result.is_ok_and(|outcome| outcome.common().bits() != 0)
}
