//! Operations for all lanes at once that `eval` would do one by one, bit for bit the same.
//!
//! What is undefined for some lane is left to `eval`, if that is reported.

use spirvkit_eval::Environment;
use spirvkit_grammar::{GlslStd450 as Glsl, Op};

use super::alu::{float, without_payload};
use super::control::{Active, Gang};
use super::half::{half_of, single_of};
use crate::fast::{Fast, Kind};
use crate::program::{General, Reg, Vector, VectorOp};

#[inline(always)]
fn truth(condition: bool) -> u32 {
    u32::from(condition)
}

/// The bits above the width cut off.
#[inline(always)]
fn cut(width: u32, word: u32) -> u32 {
    word & (u32::MAX >> (32 - width))
}

#[inline(always)]
fn signed(width: u32, word: u32) -> i32 {
    ((word << (32 - width)) as i32) >> (32 - width)
}

/// The product and sum, rounded once.
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    // The product is exact.
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    // What the sum lacks, exactly (Knuth's two-sum).
    let part = sum - product;
    let rest = (product - (sum - part)) + (c - part);
    let bits = sum.to_bits();
    if rest == 0.0 || bits & 1 == 1 || !sum.is_finite() || rest.is_nan() {
        return sum as f32;
    }
    // Rounded to odd, so that rounding it again is as rounding once.
    let is_away = (rest > 0.0) == (sum > 0.0);
    f64::from_bits(if is_away { bits + 1 } else { bits - 1 }) as f32
}

/// Whether rounding this once more may differ from rounding once: it is half-way between two
/// numbers of 32 bits, or about as small as the smallest of them.
#[inline(always)]
fn is_near_tie(sum: f64) -> bool {
    let (low, high) = (
        sum.to_bits() as u32,
        (sum.to_bits() >> 32) as u32 & 0x7fff_ffff,
    );
    (low & 0x1fff_ffff == 0x1000_0000) | (high.wrapping_sub(1) < 0x3820_0000)
}

impl<const W: usize> Gang<W> {
    /// The operands' columns; the first in the place of those that there are not.
    #[inline(always)]
    fn three(&self, general: &General) -> [&[u32; W]; 3] {
        let first = general.operands[0].1[0];
        [0, 1, 2].map(|index| {
            let operand = general.operands.get(index);
            &self.columns[operand.map_or(first, |operand| operand.1[0]) as usize]
        })
    }

    /// Does an operation for all lanes; false, with nothing done, if a lane is better left to
    /// `eval`.
    pub(super) fn fast(&mut self, active: &Active<W>, general: &General, fast: Fast) -> bool {
        let to = general.to;
        match fast {
            Fast::Integers(op, from, width) => self.integers(active, general, op, from, width),
            Fast::GlslIntegers(instruction, width) => {
                self.glsl_integers(active, general, instruction, width)
            }
            Fast::Floats(op, kind) => self.floats(active, general, op, kind),
            Fast::GlslFloats(instruction, kind) => {
                self.glsl_floats(active, general, instruction, kind)
            }
            Fast::One(function) => {
                let a = *self.three(general)[0];
                let one = |a: u32| function(f64::from(float(a))) as f32;
                self.each(
                    active,
                    to,
                    |lane| without_payload(one(a[lane]).to_bits()),
                    &[&a],
                )
            }
            Fast::Two(function) => {
                let [&a, &b, _] = self.three(general);
                let two = |a: u32, b: u32| function(float(a).into(), float(b).into()) as f32;
                let word = |lane: usize| without_payload(two(a[lane], b[lane]).to_bits());
                self.each(active, to, word, &[&a, &b])
            }
            Fast::Widen => {
                let [a, ..] = self.three(general);
                self.write(active, to, a.map(single_of));
                true
            }
            Fast::Narrow => {
                let [a, ..] = self.three(general);
                self.write(active, to, a.map(half_of));
                true
            }
            Fast::FromInteger(kind, width, is_signed) => {
                let [a, ..] = self.three(general);
                let words = match is_signed {
                    true => a.map(|a| (signed(width, a) as f32).to_bits()),
                    false => a.map(|a| (a as f32).to_bits()),
                };
                self.write_floats(active, to, kind, words);
                true
            }
            Fast::ToInteger(kind, width, is_signed) => {
                let [a, ..] = self.three(general);
                let a = match kind {
                    Kind::Half => a.map(single_of),
                    Kind::Single => *a,
                };
                let above = match is_signed {
                    true => (1u64 << (width - 1)) as f32,
                    false => (1u64 << width) as f32,
                };
                // For numbers of at most 24 bits; wider ones have no fraction there.
                let is_in = |number: f32| match is_signed {
                    true => number >= -above && number < above,
                    false => number > -1.0 && number < above,
                };
                let outside = (0..W).fold(0, |all, lane| {
                    all | (active.words[lane] & !mask(is_in(float(a[lane]))))
                });
                if outside != 0 {
                    return false;
                }
                let words = match is_signed {
                    true => a.map(|a| cut(width, float(a) as i32 as u32)),
                    false => a.map(|a| float(a) as u32),
                };
                self.write(active, to, words);
                true
            }
        }
    }

    /// Computes one lane after the other, or one for all if all have the same operands.
    fn each(
        &mut self,
        active: &Active<W>,
        to: Reg,
        word: impl Fn(usize) -> u32,
        operands: &[&[u32; W]],
    ) -> bool {
        let mut words = [0; W];
        match operands.iter().all(|column| active.are_same(column)) {
            true => words = [word(active.bits.trailing_zeros() as usize % W); W],
            false => active.lanes().for_each(|lane| words[lane] = word(lane)),
        }
        self.write(active, to, words);
        true
    }

    /// Writes numbers of 32 bits as those of a kind.
    #[inline(always)]
    fn write_floats(&mut self, active: &Active<W>, to: Reg, kind: Kind, words: [u32; W]) {
        match kind {
            Kind::Half => self.write(active, to, words.map(half_of)),
            Kind::Single => self.write(active, to, words),
        }
    }

    fn integers(
        &mut self,
        active: &Active<W>,
        general: &General,
        op: Op,
        from: u32,
        width: u32,
    ) -> bool {
        let to = general.to;
        let [a, b, c] = self.three(general);
        macro_rules! write {
            ($word:expr) => {{
                let word = $word;
                let mut words = [0; W];
                for lane in 0..W {
                    words[lane] = word(a[lane], b[lane]);
                }
                self.write(active, to, words);
                true
            }};
        }
        let any = |is: &dyn Fn(usize) -> bool| active.lanes().any(is);
        match op {
            Op::UConvert => write!(|a, _| cut(width, a)),
            Op::SConvert => write!(|a, _| cut(width, signed(from, a) as u32)),
            Op::IAdd => write!(|a: u32, b| cut(width, a.wrapping_add(b))),
            Op::ISub => write!(|a: u32, b| cut(width, a.wrapping_sub(b))),
            Op::IMul => write!(|a: u32, b| cut(width, a.wrapping_mul(b))),
            Op::SNegate => write!(|a: u32, _| cut(width, a.wrapping_neg())),
            Op::Not => write!(|a: u32, _| cut(width, !a)),
            Op::BitwiseAnd => write!(|a: u32, b: u32| a & b),
            Op::BitwiseOr => write!(|a: u32, b: u32| a | b),
            Op::BitwiseXor => write!(|a: u32, b: u32| a ^ b),
            Op::UDiv | Op::UMod if any(&|lane| b[lane] == 0) => false,
            Op::UDiv => write!(|a: u32, b: u32| a.checked_div(b).unwrap_or(0)),
            Op::UMod => write!(|a: u32, b: u32| a.checked_rem(b).unwrap_or(0)),
            Op::IEqual => write!(|a, b| truth(a == b)),
            Op::INotEqual => write!(|a, b| truth(a != b)),
            Op::ULessThan => write!(|a, b| truth(a < b)),
            Op::ULessThanEqual => write!(|a, b| truth(a <= b)),
            Op::UGreaterThan => write!(|a, b| truth(a > b)),
            Op::UGreaterThanEqual => write!(|a, b| truth(a >= b)),
            Op::SLessThan => write!(|a, b| truth(signed(width, a) < signed(width, b))),
            Op::SLessThanEqual => write!(|a, b| truth(signed(width, a) <= signed(width, b))),
            Op::SGreaterThan => write!(|a, b| truth(signed(width, a) > signed(width, b))),
            Op::SGreaterThanEqual => write!(|a, b| truth(signed(width, a) >= signed(width, b))),
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
                if any(&|lane| b[lane] >= width) =>
            {
                false
            }
            Op::ShiftLeftLogical => write!(|a: u32, b| cut(width, a.wrapping_shl(b))),
            Op::ShiftRightLogical => write!(|a: u32, b| a.wrapping_shr(b)),
            Op::ShiftRightArithmetic => {
                write!(|a, b| cut(width, signed(width, a).wrapping_shr(b) as u32))
            }
            Op::BitCount => write!(|a: u32, _| a.count_ones()),
            Op::BitFieldUExtract | Op::BitFieldSExtract => {
                let is_in = |lane: usize| b[lane] <= 32 && c[lane] <= 32 - b[lane];
                if any(&|lane| !is_in(lane)) {
                    return false;
                }
                let mut words = [0; W];
                for lane in active.lanes().filter(|&lane| c[lane] != 0) {
                    let up = a[lane] << (32 - b[lane] - c[lane]);
                    words[lane] = match op {
                        Op::BitFieldUExtract => up >> (32 - c[lane]),
                        _ => (up as i32 >> (32 - c[lane])) as u32,
                    };
                }
                self.write(active, to, words);
                true
            }
            _ => false,
        }
    }

    fn glsl_integers(
        &mut self,
        active: &Active<W>,
        general: &General,
        instruction: Glsl,
        width: u32,
    ) -> bool {
        let [a, b, c] = self.three(general);
        let mut words = [0; W];
        macro_rules! words {
            ($word:expr) => {{
                let word = $word;
                for lane in 0..W {
                    words[lane] = word(a[lane], b[lane], c[lane]);
                }
            }};
        }
        let s = |word| signed(width, word);
        match instruction {
            Glsl::UMin => words!(|a: u32, b, _| a.min(b)),
            Glsl::UMax => words!(|a: u32, b, _| a.max(b)),
            Glsl::SMin => words!(|a, b, _| if s(b) < s(a) { b } else { a }),
            Glsl::SMax => words!(|a, b, _| if s(b) > s(a) { b } else { a }),
            Glsl::UClamp if active.lanes().any(|lane| b[lane] > c[lane]) => return false,
            Glsl::UClamp => words!(|a: u32, b, c| a.max(b).min(c)),
            Glsl::SClamp if active.lanes().any(|lane| s(b[lane]) > s(c[lane])) => return false,
            Glsl::SClamp => words!(|a, b, c| cut(width, s(a).max(s(b)).min(s(c)) as u32)),
            Glsl::SAbs => words!(|a, _, _| cut(width, s(a).wrapping_abs() as u32)),
            Glsl::SSign => words!(|a, _, _| cut(width, s(a).signum() as u32)),
            Glsl::FindILsb => words!(|a: u32, _, _| match a {
                0 => cut(width, u32::MAX),
                _ => a.trailing_zeros(),
            }),
            _ => words!(|a: u32, _, _| match a {
                0 => cut(width, u32::MAX),
                _ => 31 - a.leading_zeros(),
            }),
        }
        self.write(active, general.to, words);
        true
    }

    // Neither less nor greater is not the same as equal: there are NaNs.
    #[allow(clippy::double_comparisons, clippy::neg_cmp_op_on_partial_ord)]
    fn floats(&mut self, active: &Active<W>, general: &General, op: Op, kind: Kind) -> bool {
        let to = general.to;
        let [a, b, _] = self.three(general);
        if op == Op::FNegate {
            let sign = if kind == Kind::Half {
                0x8000
            } else {
                0x8000_0000
            };
            self.write(active, to, a.map(|a| a ^ sign));
            return true;
        }
        let widened;
        let [a, b] = match kind {
            Kind::Half => {
                widened = [a, b].map(|column| column.map(single_of));
                [&widened[0], &widened[1]]
            }
            Kind::Single => [a, b],
        };
        macro_rules! numbers {
            ($number:expr) => {{
                let number = $number;
                let mut words = [0; W];
                for lane in 0..W {
                    let result: f32 = number(float(a[lane]), float(b[lane]));
                    words[lane] = without_payload(result.to_bits());
                }
                // Sums and products of 11 bits are rounded twice as if once.
                self.write_floats(active, to, kind, words);
                true
            }};
        }
        macro_rules! truths {
            ($truth:expr) => {{
                let is = $truth;
                let mut words = [0; W];
                for lane in 0..W {
                    words[lane] = truth(is(float(a[lane]), float(b[lane])));
                }
                self.write(active, to, words);
                true
            }};
        }
        match op {
            Op::FAdd => numbers!(|a, b| a + b),
            Op::FSub => numbers!(|a, b| a - b),
            Op::FMul => numbers!(|a, b| a * b),
            Op::FDiv => numbers!(|a, b| a / b),
            Op::FOrdEqual => truths!(|a, b| a == b),
            Op::FUnordEqual => truths!(|a: f32, b: f32| !(a < b || a > b)),
            Op::FOrdNotEqual => truths!(|a, b| a < b || a > b),
            Op::FUnordNotEqual => truths!(|a, b| a != b),
            Op::FOrdLessThan => truths!(|a, b| a < b),
            Op::FUnordLessThan => truths!(|a: f32, b: f32| !(a >= b)),
            Op::FOrdLessThanEqual => truths!(|a, b| a <= b),
            Op::FUnordLessThanEqual => truths!(|a: f32, b: f32| !(a > b)),
            Op::FOrdGreaterThan => truths!(|a, b| a > b),
            Op::FUnordGreaterThan => truths!(|a: f32, b: f32| !(a <= b)),
            Op::FOrdGreaterThanEqual => truths!(|a, b| a >= b),
            Op::FUnordGreaterThanEqual => truths!(|a: f32, b: f32| !(a < b)),
            Op::IsNan => truths!(|a: f32, _| a.is_nan()),
            Op::IsInf => truths!(|a: f32, _| a.is_infinite()),
            _ => false,
        }
    }

    fn glsl_floats(
        &mut self,
        active: &Active<W>,
        general: &General,
        instruction: Glsl,
        kind: Kind,
    ) -> bool {
        let to = general.to;
        let [a, b, c] = self.three(general);
        // What chooses among its operands, and leaves their bits as they are.
        let value = |word: u32| match kind {
            Kind::Half => float(single_of(word)),
            Kind::Single => float(word),
        };
        let least = |a, b| if value(b) < value(a) { b } else { a };
        let greatest = |a, b| if value(a) < value(b) { b } else { a };
        // Of NaNs, the other.
        let or = |a, b, chosen| match (value(a).is_nan(), value(b).is_nan()) {
            (false, false) => chosen,
            (true, false) => b,
            _ => a,
        };
        let nleast = |a, b| or(a, b, least(a, b));
        let ngreatest = |a, b| or(a, b, greatest(a, b));
        let mut words = [0; W];
        macro_rules! words {
            ($word:expr) => {{
                let word = $word;
                for lane in 0..W {
                    words[lane] = word(a[lane], b[lane], c[lane]);
                }
            }};
        }
        macro_rules! numbers {
            ($number:expr) => {{
                let number = $number;
                let mut nans = 0;
                for lane in 0..W {
                    let result: f32 = number(float(a[lane]), float(b[lane]), float(c[lane]));
                    words[lane] = result.to_bits();
                    nans |= u32::from(result.is_nan());
                }
                if nans != 0 {
                    words = words.map(without_payload);
                }
            }};
        }
        match instruction {
            Glsl::FAbs => words!(|a, _, _| a & if kind == Kind::Half {
                0x7fff
            } else {
                0x7fff_ffff
            }),
            Glsl::FMin => words!(|a, b, _| least(a, b)),
            Glsl::FMax => words!(|a, b, _| greatest(a, b)),
            Glsl::NMin => words!(|a, b, _| nleast(a, b)),
            Glsl::NMax => words!(|a, b, _| ngreatest(a, b)),
            Glsl::FClamp | Glsl::NClamp
                if active.lanes().any(|lane| value(b[lane]) > value(c[lane])) =>
            {
                return false;
            }
            Glsl::FClamp => words!(|a, b, c| least(greatest(a, b), c)),
            Glsl::NClamp => words!(|a, b, c| nleast(ngreatest(a, b), c)),
            Glsl::Fma => {
                let mut near = 0;
                for lane in 0..W {
                    let product = f64::from(float(a[lane])) * f64::from(float(b[lane]));
                    let sum = product + f64::from(float(c[lane]));
                    near |= truth(is_near_tie(sum));
                    words[lane] = (sum as f32).to_bits();
                }
                if near != 0 {
                    words!(|a, b, c| fused(float(a), float(b), float(c)).to_bits());
                }
                words = words.map(without_payload);
            }
            Glsl::FMix => numbers!(|x: f32, y: f32, a: f32| x * (1.0 - a) + y * a),
            Glsl::Fract => numbers!(|x: f32, _, _| x - x.floor()),
            Glsl::Floor => numbers!(|x: f32, _, _| x.floor()),
            Glsl::Ceil => numbers!(|x: f32, _, _| x.ceil()),
            Glsl::Trunc => numbers!(|x: f32, _, _| x.trunc()),
            Glsl::RoundEven | Glsl::Round => numbers!(|x: f32, _, _| x.round_ties_even()),
            Glsl::Step => numbers!(|edge: f32, x: f32, _| if x < edge { 0.0 } else { 1.0 }),
            _ => return false,
        }
        self.write(active, to, words);
        true
    }

    /// Packs and unpacks numbers of 16 bits for all lanes; false, with nothing done, for other
    /// instructions.
    pub(super) fn fast_vector(&mut self, active: &Active<W>, vector: &Vector) -> bool {
        if vector.environment != Environment::default() {
            return false;
        }
        let VectorOp::Glsl(instruction) = vector.op else {
            return false;
        };
        match (instruction, &vector.to[..], &vector.operands[..]) {
            (Glsl::UnpackHalf2x16, &[low, high], [operand]) if operand.len() == 1 => {
                let words = self.columns[operand[0].1[0] as usize];
                self.write(active, low, words.map(|word| single_of(word & 0xffff)));
                self.write(active, high, words.map(|word| single_of(word >> 16)));
                true
            }
            (Glsl::PackHalf2x16, &[to], [operand]) if operand.len() == 2 => {
                let low = self.columns[operand[0].1[0] as usize];
                let high = self.columns[operand[1].1[0] as usize];
                let mut words = [0; W];
                for lane in 0..W {
                    words[lane] = half_of(low[lane]) | half_of(high[lane]) << 16;
                }
                self.write(active, to, words);
                true
            }
            _ => false,
        }
    }
}

#[inline(always)]
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use spirvkit_binary::FloatFormat;
    use spirvkit_eval::{Environment, Scalar, ScalarType};
    use spirvkit_grammar::{GlslStd450 as Glsl, Op};

    use super::super::alu::evaluate;
    use super::super::control::{Active, Gang};
    use crate::fast::fast;
    use crate::program::{General, GeneralOp, NO_REG, Program};

    const BOOL: ScalarType = ScalarType::Bool;
    const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
    const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);

    fn integer(width: u8) -> ScalarType {
        ScalarType::Integer { width }
    }

    /// Words that show most mistakes, then any.
    fn words(ty: ScalarType, state: &mut u32) -> [u32; 32] {
        let edges: &[u32] = match ty {
            HALF => &[
                0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3e00, 0x7bff, 0x7c00, 0xfc00,
                0x7c01, 0xfe00,
            ],
            SINGLE => &[
                0,
                0x8000_0000,
                1,
                0x007f_ffff,
                0x0080_0000,
                0x3f80_0000,
                0xbf80_0000,
                0x3f00_0000,
                0x3fc0_0000,
                0x4b00_0001,
                0x4f00_0000,
                0xcf00_0000,
                0x4f80_0000,
                0x7f7f_ffff,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0xff80_0001,
                0x3f80_0001,
                0x3380_0000,
                0x3400_0000,
                0xbf7f_ffff,
            ],
            _ => &[
                0,
                1,
                2,
                7,
                8,
                15,
                16,
                31,
                32,
                33,
                0x7f,
                0x80,
                0xff,
                0x7fff,
                0x8000,
                0xffff,
                0x7fff_ffff,
                0x8000_0000,
                u32::MAX,
            ],
        };
        std::array::from_fn(|_| {
            *state ^= *state << 13;
            *state ^= *state >> 17;
            *state ^= *state << 5;
            let word = match *state >> 8 & 3 {
                0 => *state,
                // Numbers about as large as others.
                1 => *state & 0x807f_ffff | 0x3f80_0000 | *state >> 3 & 0x0380_0000,
                _ => edges[*state as usize % edges.len()],
            };
            let width = if ty == BOOL { 1 } else { ty.width() };
            word & (u32::MAX >> (32 - width))
        })
    }

    /// Compares the fast form of an operation, which there must be, with what `eval` gives.
    #[track_caller]
    fn agrees(op: GeneralOp, result: ScalarType, types: &[ScalarType]) {
        let operand = |(index, &ty): (usize, &ScalarType)| (ty, [index as u32, NO_REG]);
        let mut general = General {
            op,
            to: 3,
            result,
            operands: types.iter().enumerate().map(operand).collect(),
            environment: Environment::default(),
            fast: None,
        };
        general.fast = fast(&general);
        let fast = general
            .fast
            .unwrap_or_else(|| panic!("{op:?} of {types:?} has no fast form"));
        let program = Program {
            columns: 4,
            ..Program::default()
        };
        let mut gang = Gang::<32>::new(&program);
        let (mut state, mut done) = (0x9e37_79b9, 0);
        for round in 0..2000 {
            let mut columns = [[0; 32]; 3];
            for (index, (column, &ty)) in columns.iter_mut().zip(types).enumerate() {
                *column = words(ty, &mut state);
                let is_field = matches!(
                    op,
                    GeneralOp::Core(Op::BitFieldUExtract | Op::BitFieldSExtract)
                );
                // Fields inside of a word, and some that are not.
                if is_field && index > 0 && round % 8 != 0 {
                    *column = column.map(|word| word % 17);
                }
                if round % 16 == 15 {
                    *column = [column[5]; 32];
                }
            }
            gang.columns[..3].copy_from_slice(&columns);
            gang.columns[3] = [0xdead; 32];
            // With few lanes, fewer results are undefined.
            let bits = match round % 3 {
                0 => u64::from(u32::MAX),
                1 => u64::from(state),
                _ => 1 << (state % 32),
            };
            let active = Active::new(bits);
            if bits == 0 || !gang.fast(&active, &general, fast) {
                continue;
            }
            done += 1;
            for lane in 0..32 {
                if bits >> lane & 1 == 0 {
                    assert_eq!(
                        gang.columns[3][lane], 0xdead,
                        "{op:?} wrote to another lane"
                    );
                    continue;
                }
                let scalar =
                    |(column, &ty): (&[u32; 32], &ScalarType)| Scalar::new(ty, column[lane].into());
                let operands: Vec<Scalar> = columns.iter().zip(types).map(scalar).collect();
                let expected = evaluate(op, result, &operands, &Environment::default()).unwrap();
                let found = u64::from(gang.columns[3][lane]);
                assert_eq!(found, expected.common().bits(), "{op:?} of {operands:x?}");
            }
        }
        assert!(
            done > 100,
            "{op:?} of {types:?} was left to `eval` nearly always"
        );
    }

    #[test]
    fn conversions() {
        let core = GeneralOp::Core;
        agrees(core(Op::FConvert), SINGLE, &[HALF]);
        agrees(core(Op::FConvert), HALF, &[SINGLE]);
        for width in [8, 16, 32] {
            for to in [8, 16, 32] {
                agrees(core(Op::UConvert), integer(to), &[integer(width)]);
                agrees(core(Op::SConvert), integer(to), &[integer(width)]);
            }
            for op in [Op::ConvertUToF, Op::ConvertSToF] {
                agrees(core(op), SINGLE, &[integer(width)]);
                if width < 32 {
                    agrees(core(op), HALF, &[integer(width)]);
                }
            }
            for op in [Op::ConvertFToU, Op::ConvertFToS] {
                agrees(core(op), integer(width), &[SINGLE]);
                agrees(core(op), integer(width), &[HALF]);
            }
        }
    }

    #[test]
    fn arithmetic_on_floats() {
        for ty in [HALF, SINGLE] {
            for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv] {
                agrees(GeneralOp::Core(op), ty, &[ty, ty]);
            }
            agrees(GeneralOp::Core(Op::FNegate), ty, &[ty]);
            for op in [
                Op::FOrdEqual,
                Op::FUnordEqual,
                Op::FOrdNotEqual,
                Op::FUnordNotEqual,
                Op::FOrdLessThan,
                Op::FUnordLessThan,
                Op::FOrdLessThanEqual,
                Op::FUnordLessThanEqual,
                Op::FOrdGreaterThan,
                Op::FUnordGreaterThan,
                Op::FOrdGreaterThanEqual,
                Op::FUnordGreaterThanEqual,
            ] {
                agrees(GeneralOp::Core(op), BOOL, &[ty, ty]);
            }
            agrees(GeneralOp::Core(Op::IsNan), BOOL, &[ty]);
            agrees(GeneralOp::Core(Op::IsInf), BOOL, &[ty]);
            for op in [Glsl::FMin, Glsl::FMax, Glsl::NMin, Glsl::NMax] {
                agrees(GeneralOp::Glsl(op), ty, &[ty, ty]);
            }
            agrees(GeneralOp::Glsl(Glsl::FClamp), ty, &[ty, ty, ty]);
            agrees(GeneralOp::Glsl(Glsl::NClamp), ty, &[ty, ty, ty]);
            agrees(GeneralOp::Glsl(Glsl::FAbs), ty, &[ty]);
        }
    }

    #[test]
    fn functions() {
        for op in [
            Glsl::Fract,
            Glsl::Floor,
            Glsl::Ceil,
            Glsl::Trunc,
            Glsl::RoundEven,
            Glsl::Round,
            Glsl::Exp,
            Glsl::Exp2,
            Glsl::Log,
            Glsl::Log2,
            Glsl::Sin,
            Glsl::Cos,
            Glsl::Tanh,
            Glsl::Sqrt,
            Glsl::InverseSqrt,
        ] {
            agrees(GeneralOp::Glsl(op), SINGLE, &[SINGLE]);
        }
        for op in [Glsl::Pow, Glsl::Atan2, Glsl::Step] {
            agrees(GeneralOp::Glsl(op), SINGLE, &[SINGLE, SINGLE]);
        }
        for op in [Glsl::Fma, Glsl::FMix] {
            agrees(GeneralOp::Glsl(op), SINGLE, &[SINGLE, SINGLE, SINGLE]);
        }
    }

    #[test]
    fn arithmetic_on_integers() {
        for width in [8, 16, 32] {
            let ty = integer(width);
            for op in [
                Op::IAdd,
                Op::ISub,
                Op::IMul,
                Op::BitwiseAnd,
                Op::BitwiseOr,
                Op::BitwiseXor,
                Op::UDiv,
                Op::UMod,
                Op::ShiftLeftLogical,
                Op::ShiftRightLogical,
                Op::ShiftRightArithmetic,
            ] {
                agrees(GeneralOp::Core(op), ty, &[ty, ty]);
            }
            agrees(GeneralOp::Core(Op::SNegate), ty, &[ty]);
            agrees(GeneralOp::Core(Op::Not), ty, &[ty]);
            for op in [
                Op::IEqual,
                Op::INotEqual,
                Op::ULessThan,
                Op::ULessThanEqual,
                Op::UGreaterThan,
                Op::UGreaterThanEqual,
                Op::SLessThan,
                Op::SLessThanEqual,
                Op::SGreaterThan,
                Op::SGreaterThanEqual,
            ] {
                agrees(GeneralOp::Core(op), BOOL, &[ty, ty]);
            }
            for op in [Glsl::UMin, Glsl::UMax, Glsl::SMin, Glsl::SMax] {
                agrees(GeneralOp::Glsl(op), ty, &[ty, ty]);
            }
            for op in [Glsl::UClamp, Glsl::SClamp] {
                agrees(GeneralOp::Glsl(op), ty, &[ty, ty, ty]);
            }
            for op in [Glsl::SAbs, Glsl::SSign, Glsl::FindILsb, Glsl::FindUMsb] {
                agrees(GeneralOp::Glsl(op), ty, &[ty]);
            }
        }
        let word = integer(32);
        agrees(GeneralOp::Core(Op::BitCount), word, &[word]);
        agrees(
            GeneralOp::Core(Op::BitFieldUExtract),
            word,
            &[word, word, word],
        );
        agrees(
            GeneralOp::Core(Op::BitFieldSExtract),
            word,
            &[word, word, word],
        );
    }
}
