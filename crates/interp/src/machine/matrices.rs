//! Cooperative matrices: what the lanes of a scope do together.

use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_dot, evaluate_scalar};
use spirvkit_grammar::Op;

use super::Shared;
use super::alu::evaluate;
use super::control::{Active, Gang};
use super::undefined::follow_collective;
use crate::kinds;
use crate::program::{Inst, Pc, Reg, Scan};
use crate::special::{Collective, Dot, Matrix, Multiply, Special};

impl<const W: usize> Gang<W> {
    pub(crate) fn special(
        &mut self,
        shared: &mut Shared<'_>,
        memory: &mut [u8],
        active: &Active<W>,
        pc: Pc,
        special: &Special,
    ) {
        match special {
            &Special::Part {
                inst,
                count,
                of_workgroup,
            } => {
                let first = if of_workgroup { self.first } else { 0 };
                let below = count.saturating_sub(first).min(64);
                let mask = match below {
                    0 => 0,
                    below => u64::MAX >> (64 - below),
                };
                let active = Active::new(active.bits & mask);
                match inst {
                    Inst::Load { to, cell } => self.load(shared, memory, &active, pc, to, cell),
                    Inst::Store { from, cell } => {
                        self.store(shared, memory, &active, pc, from, cell);
                    }
                    _ => {}
                }
            }
            Special::Copies(copies) => self.copies(shared, memory, active, pc, copies),
            Special::Enqueue(using) => self.enqueue(shared, memory, active, pc, using),
            Special::Pipe(using) => self.pipe(shared, active, pc, using),
            Special::Collective { lanes, what, .. } => {
                if active.bits != self.all {
                    let invocations = self.invocations(active.bits);
                    let program = shared.program;
                    let message = || {
                        format!(
                            "only {} of the {} invocations of the subgroup work on the matrix",
                            active.bits.count_ones(),
                            self.all.count_ones()
                        )
                    };
                    shared
                        .findings
                        .add(program, &kinds::MATRIX, pc, invocations, message);
                }
                perform(shared, std::slice::from_mut(self), *lanes, what);
            }
            Special::Dot(dot) => self.dot(shared, active, pc, dot),
            Special::Place(place) => self.find_elements(shared, active, pc, place),
            Special::Clock { to } => {
                let steps = shared.steps;
                self.write(active, to[0], [steps as u32; W]);
                if to[1] != crate::program::NO_REG {
                    self.write(active, to[1], [(steps >> 32) as u32; W]);
                }
            }
            Special::Assume { condition } => {
                let wrong = active.bits & !self.truths(*condition);
                if wrong != 0 {
                    let message = || String::from("what the shader assumes to be true is false");
                    let invocations = self.invocations(wrong);
                    let program = shared.program;
                    shared
                        .findings
                        .add(program, &kinds::ASSUME, pc, invocations, message);
                }
            }
            // Whoever comes there waits.
            Special::NamedBarrier { .. } => {}
            Special::Abort => {
                let message = || String::from("`OpAbortKHR` is reached");
                let invocations = self.invocations(active.bits);
                let program = shared.program;
                shared
                    .findings
                    .add(program, &kinds::ABORT, pc, invocations, message);
            }
        }
    }
}

impl<const W: usize> Gang<W> {
    fn dot(&mut self, shared: &mut Shared<'_>, active: &Active<W>, pc: Pc, dot: &Dot) {
        for lane in active.lanes() {
            let scalar = |&(ty, columns)| self.scalar(ty, columns, lane);
            let first: Vec<Scalar> = dot.first.iter().map(scalar).collect();
            let second: Vec<Scalar> = dot.second.iter().map(scalar).collect();
            let accumulator = dot.accumulator.as_ref().map(scalar);
            let result = evaluate_dot(dot.op, dot.result, &first, &second, accumulator);
            let Ok(outcome) = result else {
                continue;
            };
            if let Some(reason) = outcome.undefined() {
                let invocations = self.invocations(1 << lane);
                let program = shared.program;
                shared.findings.undefined(program, pc, reason, invocations);
            }
            self.set_scalar(dot.to, lane, outcome.common());
        }
    }
}

/// Does what the lanes of these gangs do together.
pub(crate) fn perform<const W: usize>(
    shared: &Shared<'_>,
    gangs: &mut [Gang<W>],
    lanes: u32,
    what: &Collective,
) {
    // The last workgroups may have fewer.
    let there: u32 = gangs.iter().map(|gang| gang.all.count_ones()).sum();
    let lanes = lanes.min(there);
    if let Some(undefined) = &shared.program.undefined {
        follow_collective(undefined, gangs, lanes, what);
    }
    let lanes_of_group = lanes as usize;
    // How many each has.
    let size = subgroup(gangs);
    match what {
        Collective::Scan {
            op,
            ty,
            identity,
            scan,
            to,
            value,
            environment,
        } => {
            let mut total = Scalar::new(*ty, *identity);
            for lane in 0..lanes_of_group {
                let gang = &mut gangs[lane / size];
                let own = gang.scalar(*ty, *value, lane % size);
                // The first one's is taken as it is, so that nothing is done to it.
                let sum = match lane {
                    0 => own,
                    _ => {
                        let result = evaluate(*op, *ty, &[total, own], environment);
                        result.map_or(total, |outcome| outcome.common())
                    }
                };
                match scan {
                    Scan::Inclusive => gang.set_scalar(to[0], lane % size, sum),
                    Scan::Exclusive => gang.set_scalar(to[0], lane % size, total),
                    Scan::Reduce => {}
                }
                total = sum;
            }
            if *scan == Scan::Reduce {
                for lane in 0..lanes_of_group {
                    gangs[lane / size].set_scalar(to[0], lane % size, total);
                }
            }
        }
        Collective::Vote { all, to, value } => {
            let is_true = |gang: &Gang<W>| match all {
                true => gang.truths(*value) & gang.all == gang.all,
                false => gang.truths(*value) & gang.all != 0,
            };
            let truth = match all {
                true => gangs.iter().all(is_true),
                false => gangs.iter().any(is_true),
            };
            for gang in gangs {
                gang.columns[*to as usize] = [u32::from(truth); W];
            }
        }
        Collective::Broadcast {
            to,
            value,
            position,
        } => broadcast(shared, gangs, to, value, position),
        Collective::Multiply(multiply) => product(gangs, lanes, multiply),
        Collective::Gather { from, to, indexes } => {
            let elements = read(gangs, lanes, from);
            let chosen = indexes.iter().map(|&index| elements[index as usize]);
            write(gangs, lanes, to, chosen.collect());
        }
    }
}

/// How many lanes each subgroup has.
fn subgroup<const W: usize>(gangs: &[Gang<W>]) -> usize {
    gangs.first().map_or(W, |gang| gang.size.max(1) as usize)
}

/// Gives all invocations of a workgroup what one has. The position is the same for all.
fn broadcast<const W: usize>(
    shared: &Shared<'_>,
    gangs: &mut [Gang<W>],
    to: &[Reg],
    value: &[Reg],
    position: &[Reg],
) {
    let size = shared.program.size_of(gangs[0].id);
    let mut index = 0u32;
    for (axis, &column) in position.iter().enumerate().rev() {
        let place = gangs[0].word(column, 0);
        let width = size.get(axis).copied().unwrap_or(1);
        index = index.wrapping_mul(width).wrapping_add(place);
    }
    let (gang, lane) = (
        index as usize / subgroup(gangs),
        index as usize % subgroup(gangs),
    );
    for (&to, &value) in to.iter().zip(value) {
        let word = gangs.get(gang).map_or(0, |gang| gang.word(value, lane));
        for gang in gangs.iter_mut() {
            gang.columns[to as usize] = [word; W];
        }
    }
}

/// All elements of a matrix, row by row.
fn read<const W: usize>(gangs: &[Gang<W>], lanes: u32, matrix: &Matrix) -> Vec<Scalar> {
    let words = matrix.ty.width().div_ceil(32) as usize;
    let size = subgroup(gangs);
    let count = matrix.rows as usize * matrix.columns as usize;
    let element = |index: usize| {
        let (slot, lane) = (index / lanes as usize, index % lanes as usize);
        let columns = crate::program::pair(&matrix.slots[slot * words..][..words]);
        gangs[lane / size].scalar(matrix.ty, columns, lane % size)
    };
    (0..count).map(element).collect()
}

fn write<const W: usize>(
    gangs: &mut [Gang<W>],
    lanes: u32,
    matrix: &Matrix,
    elements: Vec<Scalar>,
) {
    let words = matrix.ty.width().div_ceil(32) as usize;
    let size = subgroup(gangs);
    for (index, element) in elements.into_iter().enumerate() {
        let (slot, lane) = (index / lanes as usize, index % lanes as usize);
        gangs[lane / size].set_scalar(matrix.slots[slot * words], lane % size, element);
    }
}

fn product<const W: usize>(gangs: &mut [Gang<W>], lanes: u32, multiply: &Multiply) {
    let [a, b, c] = [&multiply.a, &multiply.b, &multiply.c].map(|it| read(gangs, lanes, it));
    let elements = match multiply.to.ty {
        ScalarType::Float(_) => floats(multiply, &a, &b, &c),
        _ => integers(multiply, &a, &b, &c),
    };
    write(gangs, lanes, &multiply.to, elements);
}

/// Products and sums in binary64, in the order of columns, rounded to the result's type once.
fn floats(multiply: &Multiply, a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
    let numbers = |scalars: &[Scalar]| -> Vec<f64> {
        let numbers = scalars.iter().map(|it| it.to_f64().unwrap_or(0.0));
        numbers.collect()
    };
    let (a, b, c) = (numbers(a), numbers(b), numbers(c));
    let environment = Environment::default();
    let ty = multiply.to.ty;
    let sums = sums(multiply, &a, &b, &c, |sum, a, b| sum + a * b);
    let rounded = sums.into_iter().map(|sum| {
        let result = evaluate_scalar(Op::FConvert, ty, &[sum.into()], &environment);
        result.map_or(Scalar::zero(ty), |outcome| outcome.common())
    });
    rounded.collect()
}

/// Exact sums, of which the low bits are taken, or the nearest number there is.
fn integers(multiply: &Multiply, a: &[Scalar], b: &[Scalar], c: &[Scalar]) -> Vec<Scalar> {
    let numbers = |scalars: &[Scalar], is_signed: bool| -> Vec<i128> {
        let number = |it: &Scalar| match is_signed {
            true => it.sign_extended().into(),
            false => it.bits().into(),
        };
        scalars.iter().map(number).collect()
    };
    let [a_signed, b_signed, c_signed, is_signed] = multiply.signed;
    let (a, b) = (numbers(a, a_signed), numbers(b, b_signed));
    let c = numbers(c, c_signed);
    let ty = multiply.to.ty;
    let width = ty.width();
    let (least, most) = match is_signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let sums = sums(multiply, &a, &b, &c, |sum: i128, a, b| {
        sum.wrapping_add(a.wrapping_mul(b))
    });
    let fitting = sums.into_iter().map(|sum| match multiply.saturates {
        true => sum.clamp(least, most),
        false => sum,
    });
    fitting.map(|sum| Scalar::new(ty, sum as u64)).collect()
}

fn sums<T: Copy>(
    multiply: &Multiply,
    a: &[T],
    b: &[T],
    c: &[T],
    add: impl Fn(T, T, T) -> T,
) -> Vec<T> {
    let inner = multiply.a.columns as usize;
    let columns = multiply.b.columns as usize;
    let sum = |(index, &c): (usize, &T)| {
        let (row, column) = (index / columns, index % columns);
        let pairs = (0..inner).map(|k| (a[row * inner + k], b[k * columns + column]));
        pairs.fold(c, |sum, (a, b)| add(sum, a, b))
    };
    c.iter().enumerate().map(sum).collect()
}
