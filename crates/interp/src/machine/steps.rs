//! Operations that follow each other.

use super::alu::{float, without_payload};
use super::control::{Active, Gang};
use crate::program::{Step, StepOp};

#[inline(always)]
fn truth(condition: bool) -> u32 {
    u32::from(condition)
}

/// The columns that a step takes.
#[derive(Clone, Copy)]
struct Columns<'a, const W: usize>(&'a [[u32; W]], Step);

impl<'a, const W: usize> Columns<'a, W> {
    #[inline(always)]
    fn at(self, column: u16) -> &'a [u32; W] {
        &self.0[usize::from(column)]
    }

    #[inline(always)]
    fn one(self, apply: impl Fn(u32) -> u32) -> [u32; W] {
        let a = self.at(self.1.a);
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane]);
        }
        words
    }

    #[inline(always)]
    fn two(self, apply: impl Fn(u32, u32) -> u32) -> [u32; W] {
        let [a, b] = [self.1.a, self.1.b].map(|column| self.at(column));
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane], b[lane]);
        }
        words
    }

    #[inline(always)]
    fn three(self, apply: impl Fn(u32, u32, u32) -> u32) -> [u32; W] {
        let [a, b, c] = [self.1.a, self.1.b, self.1.c].map(|column| self.at(column));
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane], b[lane], c[lane]);
        }
        words
    }

    /// A shift by as many bits for all lanes.
    #[inline(always)]
    fn by(self, apply: impl Fn(u32, u32) -> u32) -> [u32; W] {
        let bits = u32::from(self.1.b) & 31;
        self.one(|a| apply(a, bits))
    }

    /// The same, and what is done with the result and `c`.
    #[inline(always)]
    fn by_two(self, apply: impl Fn(u32, u32, u32) -> u32) -> [u32; W] {
        let bits = u32::from(self.1.b) & 31;
        let [a, c] = [self.1.a, self.1.c].map(|column| self.at(column));
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane], bits, c[lane]);
        }
        words
    }

    /// An operation on floats. Every NaN that it makes is the same.
    #[inline(always)]
    fn numbers(self, [a, b, c]: [u16; 3], apply: impl Fn(f32, f32, f32) -> f32) -> [u32; W] {
        let [a, b, c] = [a, b, c].map(|column| self.at(column).as_chunks::<4>().0);
        let mut words = [0; W];
        // Four by four, which the compiler makes one instruction of.
        let mut nans = [0; 4];
        let fours = a.iter().zip(b).zip(c);
        for (to, ((a, b), c)) in words.as_chunks_mut::<4>().0.iter_mut().zip(fours) {
            for lane in 0..4 {
                let result = apply(float(a[lane]), float(b[lane]), float(c[lane]));
                to[lane] = result.to_bits();
                nans[lane] |= u32::from(result.is_nan()).wrapping_neg();
            }
        }
        if nans.iter().fold(0, |all, nan| all | nan) != 0 {
            words = words.map(without_payload);
        }
        words
    }

    #[inline(always)]
    fn number(self, apply: impl Fn(f32) -> f32) -> [u32; W] {
        let a = self.1.a;
        self.numbers([a, a, a], |a, _, _| apply(a))
    }

    #[inline(always)]
    fn two_numbers(self, apply: impl Fn(f32, f32) -> f32) -> [u32; W] {
        let [a, b] = [self.1.a, self.1.b];
        self.numbers([a, b, b], |a, b, _| apply(a, b))
    }

    /// Two operations. If the first makes a NaN, so does the second.
    #[inline(always)]
    fn three_numbers(self, apply: impl Fn(f32, f32, f32) -> f32) -> [u32; W] {
        self.numbers([self.1.a, self.1.b, self.1.c], apply)
    }

    #[inline(always)]
    fn compared(self, is: impl Fn(f32, f32) -> bool) -> [u32; W] {
        self.two(|a, b| truth(is(float(a), float(b))))
    }
}

/// Where the results of steps go.
struct Results<'a, const W: usize, const FULL: bool> {
    columns: &'a mut [[u32; W]],
    active: &'a Active<W>,
    /// How many columns may be written for all lanes.
    temporaries: u32,
}

impl<const W: usize, const FULL: bool> Results<'_, W, FULL> {
    #[inline(always)]
    fn write(&mut self, to: u16, words: [u32; W]) {
        let column = &mut self.columns[usize::from(to)];
        if FULL || u32::from(to) < self.temporaries {
            *column = words;
            return;
        }
        // A copy, so that words are in memory only here.
        blend(column, &{ words }, &self.active.words);
    }
}

/// Writes words where the mask is set.
// Not inlined, so that no registers are taken for the mask while others work.
#[inline(never)]
fn blend<const W: usize>(column: &mut [u32; W], words: &[u32; W], mask: &[u32; W]) {
    for lane in 0..W {
        column[lane] ^= (column[lane] ^ words[lane]) & mask[lane];
    }
}

impl<const W: usize> Gang<W> {
    /// Does some operations, one after the other.
    #[inline(always)]
    pub(super) fn steps(&mut self, active: &Active<W>, steps: &[Step]) {
        match active.is_full {
            true => self.steps_of::<true>(active, steps),
            false => self.steps_of::<false>(active, steps),
        }
    }

    // On its own, so that registers hold what each of them needs.
    #[inline(never)]
    fn steps_of<const FULL: bool>(&mut self, active: &Active<W>, steps: &[Step]) {
        let mut results: Results<'_, W, FULL> = Results {
            columns: &mut self.columns,
            active,
            temporaries: self.temporaries,
        };
        for &step in steps {
            perform(&mut results, step);
        }
    }
}

/// Does a step.
#[inline(always)]
fn perform<const W: usize, const FULL: bool>(results: &mut Results<'_, W, FULL>, step: Step) {
    // Each writes what it gives, which then stays in registers until it does.
    macro_rules! of {
        ($method:ident($($apply:tt)*)) => {{
            let words = Columns(results.columns, step).$method($($apply)*);
            results.write(step.to, words)
        }};
    }
    match step.op {
        StepOp::Copy => of!(one(|a| a)),
        StepOp::Select => of!(three(|condition, a, b| if condition & 1 != 0 {
            a
        } else {
            b
        })),
        StepOp::FNegate => of!(one(|a| a ^ 0x8000_0000)),
        StepOp::FAbs => of!(one(|a| a & 0x7fff_ffff)),
        StepOp::Not => of!(one(|a| !a)),
        StepOp::SNegate => of!(one(u32::wrapping_neg)),
        StepOp::LogicalNot => of!(one(|a| a ^ 1)),
        StepOp::ConvertSToF => of!(one(|a| (a as i32 as f32).to_bits())),
        StepOp::ConvertUToF => of!(one(|a| (a as f32).to_bits())),
        StepOp::Sqrt => of!(number(f32::sqrt)),
        StepOp::Floor => of!(number(f32::floor)),
        StepOp::IAdd => of!(two(u32::wrapping_add)),
        StepOp::ISub => of!(two(u32::wrapping_sub)),
        StepOp::IMul => of!(two(u32::wrapping_mul)),
        StepOp::And => of!(two(|a, b| a & b)),
        StepOp::Or => of!(two(|a, b| a | b)),
        StepOp::Xor => of!(two(|a, b| a ^ b)),
        StepOp::Left => of!(two(u32::wrapping_shl)),
        StepOp::Right => of!(two(u32::wrapping_shr)),
        StepOp::RightArithmetic => of!(two(|a, b| (a as i32).wrapping_shr(b) as u32)),
        StepOp::LeftBy => of!(by(|a, bits| a << bits)),
        StepOp::RightBy => of!(by(|a, bits| a >> bits)),
        StepOp::RightArithmeticBy => of!(by(|a, bits| (a as i32 >> bits) as u32)),
        StepOp::FAdd => of!(two_numbers(|a, b| a + b)),
        StepOp::FSub => of!(two_numbers(|a, b| a - b)),
        StepOp::FMul => of!(two_numbers(|a, b| a * b)),
        StepOp::FDiv => of!(two_numbers(|a, b| a / b)),
        StepOp::IEqual => of!(two(|a, b| truth(a == b))),
        StepOp::INotEqual => of!(two(|a, b| truth(a != b))),
        StepOp::ULess => of!(two(|a, b| truth(a < b))),
        StepOp::ULessEqual => of!(two(|a, b| truth(a <= b))),
        StepOp::SLess => of!(two(|a, b| truth((a as i32) < b as i32))),
        StepOp::SLessEqual => of!(two(|a, b| truth(a as i32 <= b as i32))),
        StepOp::FOrdEqual => of!(compared(|a, b| a == b)),
        StepOp::FOrdNotEqual => of!(compared(|a, b| (a < b) | (a > b))),
        StepOp::FOrdLess => of!(compared(|a, b| a < b)),
        StepOp::FOrdLessEqual => of!(compared(|a, b| a <= b)),
        StepOp::FUnordEqual => of!(compared(|a, b| a == b || a.is_nan() || b.is_nan())),
        StepOp::FUnordNotEqual => of!(compared(|a, b| a != b)),
        StepOp::FUnordLess => of!(compared(|a, b| a < b || a.is_nan() || b.is_nan())),
        StepOp::FUnordLessEqual => of!(compared(|a, b| a <= b || a.is_nan() || b.is_nan())),
        StepOp::IAddIAdd => of!(three(|a, b, c| a.wrapping_add(b).wrapping_add(c))),
        StepOp::IAddIMul => of!(three(|a, b, c| a.wrapping_add(b).wrapping_mul(c))),
        StepOp::IAddAnd => of!(three(|a, b, c| a.wrapping_add(b) & c)),
        StepOp::IAddXor => of!(three(|a, b, c| a.wrapping_add(b) ^ c)),
        StepOp::IMulIAdd => of!(three(|a, b, c| a.wrapping_mul(b).wrapping_add(c))),
        StepOp::IMulXor => of!(three(|a, b, c| a.wrapping_mul(b) ^ c)),
        StepOp::XorIAdd => of!(three(|a, b, c| (a ^ b).wrapping_add(c))),
        StepOp::XorIMul => of!(three(|a, b, c| (a ^ b).wrapping_mul(c))),
        StepOp::XorXor => of!(three(|a, b, c| a ^ b ^ c)),
        StepOp::AndIAdd => of!(three(|a, b, c| (a & b).wrapping_add(c))),
        StepOp::AndOr => of!(three(|a, b, c| a & b | c)),
        StepOp::AndXor => of!(three(|a, b, c| a & b ^ c)),
        StepOp::LeftXor => of!(three(|a, b, c| a.wrapping_shl(b) ^ c)),
        StepOp::RightAnd => of!(three(|a, b, c| a.wrapping_shr(b) & c)),
        StepOp::RightXor => of!(three(|a, b, c| a.wrapping_shr(b) ^ c)),
        StepOp::LeftByIAdd => of!(by_two(|a, bits, c| (a << bits).wrapping_add(c))),
        StepOp::LeftByOr => of!(by_two(|a, bits, c| a << bits | c)),
        StepOp::LeftByXor => of!(by_two(|a, bits, c| a << bits ^ c)),
        StepOp::RightByIAdd => of!(by_two(|a, bits, c| (a >> bits).wrapping_add(c))),
        StepOp::RightByAnd => of!(by_two(|a, bits, c| a >> bits & c)),
        StepOp::RightByOr => of!(by_two(|a, bits, c| a >> bits | c)),
        StepOp::RightByXor => of!(by_two(|a, bits, c| a >> bits ^ c)),
        StepOp::FMulFAdd => of!(three_numbers(|a, b, c| a * b + c)),
        StepOp::FMulFMul => of!(three_numbers(|a, b, c| a * b * c)),
        StepOp::FMulFSub => of!(three_numbers(|a, b, c| a * b - c)),
        StepOp::FSubFMul => of!(three_numbers(|a, b, c| c - a * b)),
        StepOp::FAddFAdd => of!(three_numbers(|a, b, c| a + b + c)),
        StepOp::FAddFMul => of!(three_numbers(|a, b, c| (a + b) * c)),
        StepOp::FSubFAdd => of!(three_numbers(|a, b, c| a - b + c)),
        StepOp::FSubThenFMul => of!(three_numbers(|a, b, c| (a - b) * c)),
    }
}
