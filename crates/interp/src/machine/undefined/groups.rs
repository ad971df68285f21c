//! Undefined values in what lanes do together.

use super::super::control::{Active, Gang, lanes};
use crate::program::{Group, GroupOp, Reg, Scan};
use crate::special::{Collective, Matrix};
use crate::undefined::{Origin, Source, Undefined};

/// All bits of a word where a lane is among these.
fn spread<const W: usize>(lanes: u64) -> [u32; W] {
    std::array::from_fn(|lane| ((lanes >> lane & 1) as u32).wrapping_neg())
}

impl<const W: usize> Gang<W> {
    pub(super) fn follow_group(
        &mut self,
        active: &Active<W>,
        undefined: &Undefined,
        group: &Group,
        place: u32,
    ) {
        let bits = active.bits;
        let columns = |columns: &[Reg]| {
            let columns = columns.iter().map(|&column| undefined.slot(column));
            columns.flatten().map(|slot| (0, slot)).collect::<Vec<_>>()
        };
        let value = columns(&group.value);
        let rest = [columns(&[group.second]), columns(&group.partition)].concat();
        let of_value = self.any_of(active, &value);
        let of_rest = self.any_of(active, &rest);
        let origin = of_value.and_then(|it| it.1).or(of_rest.and_then(|it| it.1));
        let lanes_of = |words: Option<([u32; W], Option<Origin>)>| match words {
            Some((words, _)) => lanes(bits)
                .filter(|&lane| words[lane] != 0)
                .fold(0, |all, lane| all | 1u64 << lane),
            None => 0,
        };
        // The lanes whose operands are undefined.
        let (wrong, wrong_rest) = (lanes_of(of_value), lanes_of(of_rest));
        let all_if = |is: bool| if is { bits } else { 0 };
        let truths = group.value.first().map_or(0, |&value| self.truths(value));
        let found = match group.op {
            GroupOp::Elect => 0,
            // One that is known may decide it.
            GroupOp::All => all_if(wrong != 0 && !truths & bits & !wrong == 0),
            GroupOp::Any => all_if(wrong != 0 && truths & bits & !wrong == 0),
            GroupOp::AllEqual(_) | GroupOp::Partition(_) => all_if(wrong != 0),
            GroupOp::Ballot => {
                let halves = [wrong as u32, (wrong >> 32) as u32, 0, 0];
                for (&to, half) in group.to.iter().zip(halves) {
                    if let Some(slot) = undefined.slot(to) {
                        self.set_shadow(active, slot, [half; W], origin);
                    }
                }
                return;
            }
            GroupOp::InverseBallot => {
                let of_lane = |&lane: &usize| {
                    let column = group
                        .value
                        .get(lane / 32)
                        .and_then(|&it| undefined.slot(it));
                    let word = column.map_or(0, |slot| self.shadow(slot)[lane]);
                    word >> (lane % 32) & 1 != 0
                };
                let found = lanes(bits).filter(of_lane);
                found.fold(0, |all, lane| all | 1u64 << lane)
            }
            GroupOp::BallotBitExtract
            | GroupOp::BallotBitCount(_)
            | GroupOp::BallotFindLsb
            | GroupOp::BallotFindMsb => wrong | wrong_rest,
            GroupOp::QuadAll | GroupOp::QuadAny => {
                let of_quad = |&lane: &usize| wrong & 0xf << (lane & !3) != 0;
                let found = lanes(bits).filter(of_quad);
                found.fold(0, |all, lane| all | 1u64 << lane)
            }
            GroupOp::Arithmetic { scan, .. } => {
                let mut found = all_if(wrong_rest != 0);
                for cluster in self.clusters(active, group) {
                    let mut is_wrong = scan == Scan::Reduce && wrong & cluster != 0;
                    for lane in lanes(cluster) {
                        let own = wrong >> lane & 1 != 0;
                        let is_found = match scan {
                            Scan::Inclusive => is_wrong || own,
                            Scan::Exclusive | Scan::Reduce => is_wrong,
                        };
                        found |= u64::from(is_found) << lane;
                        is_wrong |= own;
                    }
                }
                found
            }
            GroupOp::BroadcastFirst
            | GroupOp::Broadcast
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::Window { .. }
            | GroupOp::QuadBroadcast
            | GroupOp::QuadLane { .. }
            | GroupOp::QuadSwap => {
                let inactive = Origin {
                    source: Source::Inactive,
                    place: Some(place),
                };
                return self.follow_fetch(active, undefined, group, (wrong_rest, origin, inactive));
            }
        };
        for &to in &group.to {
            if let Some(slot) = undefined.slot(to) {
                self.set_shadow(active, slot, spread(found), origin);
            }
        }
    }

    /// What lanes get from others.
    fn follow_fetch(
        &mut self,
        active: &Active<W>,
        undefined: &Undefined,
        group: &Group,
        (wrong, origin, inactive): (u64, Option<Origin>, Origin),
    ) {
        let size = self.size.max(1) as usize;
        let count = group.to.len();
        // The half of the value, and the lane; nothing if it takes no part.
        let sources: [Option<(usize, usize)>; W] = std::array::from_fn(|lane| {
            if active.bits >> lane & 1 == 0 {
                return Some((0, lane));
            }
            let (half, from) = match group.op {
                GroupOp::Window { up } => {
                    let source = self.source_in_window(group, up, lane)?;
                    (source / size, source % size)
                }
                _ => (0, self.source(active, group, lane)),
            };
            (half < 2 && from < W && active.bits >> from & 1 != 0).then_some((half, from))
        });
        let is_any_inactive = sources.iter().any(Option::is_none);
        for (index, &to) in group.to.iter().enumerate() {
            let Some(slot) = undefined.slot(to) else {
                continue;
            };
            let halves = [0, 1].map(|half| {
                let column = group.value.get(half * count + index);
                let slot = column.and_then(|&column| undefined.slot(column));
                slot.map_or([0; W], |slot| self.shadow(slot))
            });
            let words = std::array::from_fn(|lane| match sources[lane] {
                _ if wrong >> lane & 1 != 0 => u32::MAX,
                Some((half, from)) => halves[half][from],
                None => u32::MAX,
            });
            let origin = match is_any_inactive {
                true => Some(inactive),
                false => origin,
            };
            self.set_shadow(active, slot, words, origin);
        }
    }
}

/// Lets what lanes of these gangs do together take undefined values along.
pub(crate) fn follow_collective<const W: usize>(
    undefined: &Undefined,
    gangs: &mut [Gang<W>],
    lanes: u32,
    what: &Collective,
) {
    if gangs.iter().all(Gang::is_untainted) {
        return;
    }
    let mut all = All {
        undefined,
        gangs,
        lanes: lanes as usize,
    };
    match what {
        Collective::Multiply(it) => {
            let [a, b, mut c] = [&it.a, &it.b, &it.c].map(|matrix| all.elements(matrix));
            let (rows, columns) = (it.to.rows as usize, it.to.columns as usize);
            let inner = it.a.columns as usize;
            // Of each row of the first, and each column of the second.
            let row = |row: usize| (0..inner).find_map(|at| *a.get(row * inner + at)?);
            let column = |column: usize| (0..inner).find_map(|at| *b.get(at * columns + column)?);
            let of_rows: Vec<Option<Origin>> = (0..rows).map(row).collect();
            let of_columns: Vec<Option<Origin>> = (0..columns).map(column).collect();
            for (index, element) in c.iter_mut().enumerate() {
                let of_row = of_rows.get(index / columns.max(1)).copied().flatten();
                let of_column = of_columns.get(index % columns.max(1)).copied().flatten();
                *element = element.or(of_row).or(of_column);
            }
            all.set_elements(&it.to, &c);
        }
        Collective::Gather { from, to, indexes } => {
            let elements = all.elements(from);
            let chosen = indexes.iter();
            let chosen: Vec<Option<Origin>> = chosen
                .map(|&index| elements.get(index as usize).copied().flatten())
                .collect();
            all.set_elements(to, &chosen);
        }
        Collective::Scan { to, value, .. } => all.mix(value, to),
        Collective::Vote { to, value, .. } => all.mix(&[*value], &[*to]),
        Collective::Broadcast {
            to,
            value,
            position,
        } => {
            for (&to, &value) in to.iter().zip(value) {
                all.mix(&[&[value], &position[..]].concat(), &[to]);
            }
        }
    }
}

/// The lanes of some gangs.
struct All<'g, const W: usize> {
    undefined: &'g Undefined,
    gangs: &'g mut [Gang<W>],
    lanes: usize,
}

impl<const W: usize> All<'_, W> {
    fn size(&self) -> usize {
        self.gangs
            .first()
            .map_or(W, |gang| gang.size.max(1) as usize)
    }

    /// Whether each element of a matrix is undefined, and why.
    fn elements(&self, matrix: &Matrix) -> Vec<Option<Origin>> {
        let words = matrix.ty.width().div_ceil(32) as usize;
        let count = matrix.rows as usize * matrix.columns as usize;
        let element = |index: usize| {
            let (slot, lane) = (index / self.lanes, index % self.lanes);
            let gang = self.gangs.get(lane / self.size())?;
            let columns = matrix.slots.get(slot * words..(slot + 1) * words)?;
            columns.iter().find_map(|&column| {
                let slot = self.undefined.slot(column)?;
                let is_set = gang.shadow(slot)[lane % self.size()] != 0;
                gang.origin(slot).filter(|_| is_set)
            })
        };
        (0..count).map(element).collect()
    }

    fn set_elements(&mut self, matrix: &Matrix, elements: &[Option<Origin>]) {
        let words = matrix.ty.width().div_ceil(32) as usize;
        let size = self.size();
        for (index, element) in elements.iter().enumerate() {
            let (slot, lane) = (index / self.lanes, index % self.lanes);
            let columns = matrix.slots.get(slot * words..(slot + 1) * words);
            for &column in columns.unwrap_or_default() {
                self.set(column, lane / size, 1 << (lane % size), *element);
            }
        }
    }

    fn set(&mut self, column: Reg, gang: usize, lanes: u64, origin: Option<Origin>) {
        let (Some(slot), Some(gang)) = (self.undefined.slot(column), self.gangs.get_mut(gang))
        else {
            return;
        };
        let word = u32::from(origin.is_some()).wrapping_neg();
        gang.set_shadow(&Active::new(lanes), slot, [word; W], origin);
    }

    /// Makes all undefined if anything is.
    fn mix(&mut self, from: &[Reg], to: &[Reg]) {
        let undefined = self.undefined;
        let of_gang = |gang: &Gang<W>| {
            let slots = from.iter().filter_map(|&column| undefined.slot(column));
            let reads: Vec<(Reg, u32)> = slots.map(|slot| (0, slot)).collect();
            gang.any_of(&Active::new(gang.all), &reads)
                .and_then(|it| it.1)
        };
        let origin = self.gangs.iter().find_map(of_gang);
        for gang in 0..self.gangs.len() {
            let all = self.gangs[gang].all;
            for &column in to {
                self.set(column, gang, all, origin);
            }
        }
    }
}
