//! Cooperative matrices: what the lanes of a scope do together.

use spirvkit_eval::{Environment, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

use super::Shared;
use super::control::{Active, Gang};
use crate::kinds;
use crate::program::{Inst, Pc};
use crate::special::{Collective, Matrix, Multiply, Special};

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
                let below = count.saturating_sub(first).min(W as u32);
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
                perform(std::slice::from_mut(self), *lanes, what);
            }
        }
    }
}

/// Does what the lanes of these gangs do together.
pub(crate) fn perform<const W: usize>(gangs: &mut [Gang<W>], lanes: u32, what: &Collective) {
    match what {
        Collective::Multiply(multiply) => product(gangs, lanes, multiply),
        Collective::Gather { from, to, indexes } => {
            let elements = read(gangs, lanes, from);
            let chosen = indexes.iter().map(|&index| elements[index as usize]);
            write(gangs, lanes, to, chosen.collect());
        }
    }
}

/// All elements of a matrix, row by row.
fn read<const W: usize>(gangs: &[Gang<W>], lanes: u32, matrix: &Matrix) -> Vec<Scalar> {
    let size = matrix.ty.width().div_ceil(32) as usize;
    let count = matrix.rows as usize * matrix.columns as usize;
    let element = |index: usize| {
        let (slot, lane) = (index / lanes as usize, index % lanes as usize);
        let columns = crate::program::pair(&matrix.slots[slot * size..][..size]);
        gangs[lane / W].scalar(matrix.ty, columns, lane % W)
    };
    (0..count).map(element).collect()
}

fn write<const W: usize>(
    gangs: &mut [Gang<W>],
    lanes: u32,
    matrix: &Matrix,
    elements: Vec<Scalar>,
) {
    let size = matrix.ty.width().div_ceil(32) as usize;
    for (index, element) in elements.into_iter().enumerate() {
        let (slot, lane) = (index / lanes as usize, index % lanes as usize);
        gangs[lane / W].set_scalar(matrix.slots[slot * size], lane % W, element);
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
