//! Computing on columns.

use spirvkit_eval::{
    Environment, Evaluated, NotComputable, Outcome, Reason, Scalar, ScalarType, evaluate_extended,
    evaluate_glsl_pair, evaluate_glsl_scalar, evaluate_glsl_vector, evaluate_opencl_pair,
    evaluate_opencl_scalar, evaluate_opencl_vector, evaluate_scalar,
};
use spirvkit_grammar::Op;

use super::control::{Active, Gang};
use super::{Shared, is_column};
use crate::program::{
    Binary, General, GeneralOp, MAX_OPERANDS, Pair, Pc, Reg, Unary, Vector, VectorOp, advanced,
};

/// The NaN that operations make, as `eval` makes it.
const NAN: u32 = 0x7fc0_0000;

/// A float's bits, where every NaN is the same.
#[inline(always)]
pub(super) fn without_payload(bits: u32) -> u32 {
    match f32::from_bits(bits).is_nan() {
        true => NAN,
        false => bits,
    }
}

#[inline(always)]
pub(super) fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

impl<const W: usize> Gang<W> {
    /// Writes a column for the active lanes.
    #[inline(always)]
    pub(crate) fn write(&mut self, active: &Active<W>, to: Reg, words: [u32; W]) {
        let column = &mut self.columns[to as usize];
        if active.is_full || to < self.temporaries {
            *column = words;
            return;
        }
        for lane in 0..W {
            let mask = active.words[lane];
            column[lane] = (column[lane] & !mask) | (words[lane] & mask);
        }
    }

    #[inline(always)]
    pub(crate) fn copy(&mut self, active: &Active<W>, to: Reg, from: Reg) {
        let words = self.columns[from as usize];
        self.write(active, to, words);
    }

    #[inline(always)]
    fn map(&mut self, active: &Active<W>, to: Reg, a: Reg, apply: impl Fn(u32) -> u32) {
        let a = &self.columns[a as usize];
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane]);
        }
        self.write(active, to, words);
    }

    #[inline(always)]
    fn zip(
        &mut self,
        active: &Active<W>,
        to: Reg,
        a: Reg,
        b: Reg,
        apply: impl Fn(u32, u32) -> u32,
    ) {
        let (a, b) = (&self.columns[a as usize], &self.columns[b as usize]);
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = apply(a[lane], b[lane]);
        }
        self.write(active, to, words);
    }

    /// An operation on floats. Every NaN that it makes is the same.
    #[inline(always)]
    fn map_float(&mut self, active: &Active<W>, to: Reg, a: Reg, apply: impl Fn(f32) -> f32) {
        self.zip_float(active, to, a, a, |a, _| apply(a));
    }

    /// An operation on two floats. Every NaN that it makes is the same.
    #[inline(always)]
    fn zip_float(
        &mut self,
        active: &Active<W>,
        to: Reg,
        a: Reg,
        b: Reg,
        apply: impl Fn(f32, f32) -> f32,
    ) {
        let (a, b) = (&self.columns[a as usize], &self.columns[b as usize]);
        let mut words = [0; W];
        // Four by four, which the compiler makes one instruction of.
        let mut nans = [0; 4];
        let fours = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
        for (to, (a, b)) in words.as_chunks_mut::<4>().0.iter_mut().zip(fours) {
            for lane in 0..4 {
                let result = apply(float(a[lane]), float(b[lane]));
                to[lane] = result.to_bits();
                nans[lane] |= u32::from(result.is_nan()).wrapping_neg();
            }
        }
        if nans.iter().fold(0, |all, nan| all | nan) != 0 {
            words = words.map(without_payload);
        }
        self.write(active, to, words);
    }

    /// The active lanes with operands for which the result is undefined, and why.
    #[inline(always)]
    fn undefined(
        &self,
        active: &Active<W>,
        reason: Reason,
        [a, b]: [Reg; 2],
        is: impl Fn(u32, u32) -> bool,
    ) -> Option<(Reason, u64)> {
        let (a, b) = (&self.columns[a as usize], &self.columns[b as usize]);
        let found = (0..W).map(|lane| active.words[lane] & u32::from(is(a[lane], b[lane])));
        if found.fold(0, |all, word| all | word) == 0 {
            return None;
        }
        let lanes = active.lanes().filter(|&lane| is(a[lane], b[lane]));
        Some((reason, lanes.fold(0, |all, lane| all | 1 << lane)))
    }

    #[inline(always)]
    pub(crate) fn unary(&mut self, active: &Active<W>, op: Unary, to: Reg, a: Reg) {
        match op {
            Unary::FNegate => self.map(active, to, a, |a| a ^ 0x8000_0000),
            Unary::FAbs => self.map(active, to, a, |a| a & 0x7fff_ffff),
            Unary::Not => self.map(active, to, a, |a| !a),
            Unary::SNegate => self.map(active, to, a, u32::wrapping_neg),
            Unary::LogicalNot => self.map(active, to, a, |a| a ^ 1),
            Unary::Freeze => self.copy(active, to, a),
            Unary::ConvertSToF => self.map(active, to, a, |a| (a as i32 as f32).to_bits()),
            Unary::ConvertUToF => self.map(active, to, a, |a| (a as f32).to_bits()),
            Unary::Sqrt => self.map_float(active, to, a, f32::sqrt),
            Unary::Floor => self.map_float(active, to, a, f32::floor),
        }
    }

    /// A shift by fewer than 32 bits, as many for all lanes.
    #[inline(always)]
    pub(crate) fn shift(&mut self, active: &Active<W>, op: Binary, to: Reg, a: Reg, bits: u32) {
        match op {
            Binary::ShiftLeft => self.map(active, to, a, |a| a.wrapping_shl(bits)),
            Binary::ShiftRight => self.map(active, to, a, |a| a.wrapping_shr(bits)),
            _ => self.map(active, to, a, |a| (a as i32).wrapping_shr(bits) as u32),
        }
    }

    /// An operation on two columns. Where its result is undefined for a lane, it is what
    /// `eval` commonly gives, and the reason is returned with the lanes.
    // Inlined, because what calls decides by the operation just before.
    #[inline(always)]
    pub(crate) fn binary(
        &mut self,
        active: &Active<W>,
        op: Binary,
        to: Reg,
        a: Reg,
        b: Reg,
    ) -> Option<(Reason, u64)> {
        let truth = |condition: bool| u32::from(condition);
        let mut undefined = None;
        match op {
            Binary::IAdd => self.zip(active, to, a, b, u32::wrapping_add),
            Binary::ISub => self.zip(active, to, a, b, u32::wrapping_sub),
            Binary::IMul => self.zip(active, to, a, b, u32::wrapping_mul),
            Binary::UDiv | Binary::UMod => {
                undefined = self.undefined(active, Reason::DivisionByZero, [a, b], |_, b| b == 0);
                match op {
                    Binary::UDiv => {
                        self.zip(active, to, a, b, |a, b| a.checked_div(b).unwrap_or(0))
                    }
                    _ => self.zip(active, to, a, b, |a, b| a.checked_rem(b).unwrap_or(0)),
                }
            }
            Binary::SDiv | Binary::SRem => {
                let by_zero = self.undefined(active, Reason::DivisionByZero, [a, b], |_, b| b == 0);
                undefined = by_zero.or_else(|| {
                    self.undefined(active, Reason::DivisionOverflow, [a, b], |a, b| {
                        a == 0x8000_0000 && b == u32::MAX
                    })
                });
                self.zip(active, to, a, b, |a, b| {
                    let (a, b) = (a as i32, b as i32);
                    let result = match (op, b) {
                        (_, 0) => 0,
                        (Binary::SDiv, _) => a.wrapping_div(b),
                        _ => a.wrapping_rem(b),
                    };
                    result as u32
                });
            }
            Binary::And => self.zip(active, to, a, b, |a, b| a & b),
            Binary::Or => self.zip(active, to, a, b, |a, b| a | b),
            Binary::Xor => self.zip(active, to, a, b, |a, b| a ^ b),
            Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightArithmetic => {
                undefined = self.undefined(active, Reason::ShiftOutOfRange, [a, b], |_, b| b >= 32);
                let is_in = |b: u32| u32::from(b < 32).wrapping_neg();
                match op {
                    Binary::ShiftLeft => {
                        self.zip(active, to, a, b, |a, b| a.wrapping_shl(b) & is_in(b));
                    }
                    Binary::ShiftRight => {
                        self.zip(active, to, a, b, |a, b| a.wrapping_shr(b) & is_in(b));
                    }
                    _ => self.zip(active, to, a, b, |a, b| {
                        (a as i32).wrapping_shr(b) as u32 & is_in(b)
                    }),
                }
            }
            Binary::FAdd => self.zip_float(active, to, a, b, |a, b| a + b),
            Binary::FSub => self.zip_float(active, to, a, b, |a, b| a - b),
            Binary::FMul => self.zip_float(active, to, a, b, |a, b| a * b),
            Binary::FDiv => self.zip_float(active, to, a, b, |a, b| a / b),
            Binary::IEqual => self.zip(active, to, a, b, |a, b| truth(a == b)),
            Binary::INotEqual => self.zip(active, to, a, b, |a, b| truth(a != b)),
            Binary::ULess => self.zip(active, to, a, b, |a, b| truth(a < b)),
            Binary::ULessEqual => self.zip(active, to, a, b, |a, b| truth(a <= b)),
            Binary::SLess => self.zip(active, to, a, b, |a, b| truth((a as i32) < b as i32)),
            Binary::SLessEqual => self.zip(active, to, a, b, |a, b| truth(a as i32 <= b as i32)),
            Binary::FOrdEqual => self.zip(active, to, a, b, |a, b| truth(float(a) == float(b))),
            Binary::FOrdNotEqual => self.zip(active, to, a, b, |a, b| {
                truth(float(a) < float(b) || float(a) > float(b))
            }),
            Binary::FOrdLess => self.zip(active, to, a, b, |a, b| truth(float(a) < float(b))),
            Binary::FOrdLessEqual => self.zip(active, to, a, b, |a, b| truth(float(a) <= float(b))),
            Binary::FUnordEqual => self.zip(active, to, a, b, |a, b| {
                let (a, b) = (float(a), float(b));
                truth(a == b || a.is_nan() || b.is_nan())
            }),
            Binary::FUnordNotEqual => {
                self.zip(active, to, a, b, |a, b| truth(float(a) != float(b)))
            }
            Binary::FUnordLess => self.zip(active, to, a, b, |a, b| {
                let (a, b) = (float(a), float(b));
                truth(a < b || a.is_nan() || b.is_nan())
            }),
            Binary::FUnordLessEqual => self.zip(active, to, a, b, |a, b| {
                let (a, b) = (float(a), float(b));
                truth(a <= b || a.is_nan() || b.is_nan())
            }),
        }
        undefined
    }

    #[inline(always)]
    pub(crate) fn select(&mut self, active: &Active<W>, to: Reg, condition: Reg, a: Reg, b: Reg) {
        let condition = &self.columns[condition as usize];
        let (a, b) = (&self.columns[a as usize], &self.columns[b as usize]);
        let mut words = [0; W];
        for lane in 0..W {
            words[lane] = if condition[lane] & 1 != 0 {
                a[lane]
            } else {
                b[lane]
            };
        }
        self.write(active, to, words);
    }

    pub(crate) fn advance(
        &mut self,
        active: &Active<W>,
        to: Reg,
        base: Reg,
        [low, high]: Pair,
        stride: u32,
    ) {
        if !is_column(high) && self.advance_little(active, to, base, low, stride) {
            return;
        }
        if !is_column(high) {
            self.zip(active, to, base, low, |base, index| {
                advanced(base, i64::from(index as i32), stride)
            });
            return;
        }
        let mut words = [0; W];
        for lane in active.lanes() {
            let index = u64::from(self.word(high, lane)) << 32 | u64::from(self.word(low, lane));
            words[lane] = advanced(self.word(base, lane), index as i64, stride);
        }
        self.write(active, to, words);
    }

    /// The same for indexes and offsets that are so small that nothing can overflow; false, with
    /// nothing done, if they aren't.
    fn advance_little(
        &mut self,
        active: &Active<W>,
        to: Reg,
        base: Reg,
        index: Reg,
        stride: u32,
    ) -> bool {
        const HALF: u32 = 1 << 30;
        let limit = HALF / stride.max(1);
        let (base, index) = (&self.columns[base as usize], &self.columns[index as usize]);
        let mut words = [0; W];
        let mut is_large = 0;
        for lane in 0..W {
            let large = u32::from(base[lane] >= HALF) | u32::from(index[lane] >= limit);
            is_large |= large & active.words[lane];
            words[lane] = base[lane].wrapping_add(index[lane].wrapping_mul(stride));
        }
        if is_large != 0 {
            return false;
        }
        self.write(active, to, words);
        true
    }

    /// The word that a lane has in a column; 0 if there is none.
    pub(crate) fn word(&self, column: Reg, lane: usize) -> u32 {
        match is_column(column) {
            true => self.columns[column as usize][lane],
            false => 0,
        }
    }

    /// What a lane has in one or two columns.
    pub(crate) fn scalar(&self, ty: ScalarType, [low, high]: Pair, lane: usize) -> Scalar {
        let high = match ty.width() {
            ..=32 => 0,
            _ => self.word(high, lane),
        };
        Scalar::new(ty, u64::from(high) << 32 | u64::from(self.word(low, lane)))
    }

    pub(crate) fn set_scalar(&mut self, column: Reg, lane: usize, scalar: Scalar) {
        if !is_column(column) {
            return;
        }
        let bits = scalar.bits();
        self.columns[column as usize][lane] = bits as u32;
        if scalar.ty().width() > 32 {
            self.columns[column as usize + 1][lane] = (bits >> 32) as u32;
        }
    }

    /// An operation that `eval` does for each lane.
    pub(crate) fn general(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        general: &General,
    ) {
        if let Some(fast) = general.fast
            && self.fast(active, general, fast)
        {
            return;
        }
        let mut operands = [Scalar::zero(ScalarType::Bool); MAX_OPERANDS];
        let count = general.operands.len().min(operands.len());
        for lane in active.lanes() {
            for (to, &(ty, columns)) in operands.iter_mut().zip(&general.operands) {
                *to = self.scalar(ty, columns, lane);
            }
            let result = evaluate(
                general.op,
                general.result,
                &operands[..count],
                &general.environment,
            );
            let Ok(outcome) = result else {
                continue;
            };
            if let Some(reason) = outcome.undefined() {
                let invocations = self.invocations(1 << lane);
                shared
                    .findings
                    .undefined(shared.program, pc, reason, invocations);
            }
            self.set_scalar(general.to, lane, outcome.common());
        }
    }
}

impl<const W: usize> Gang<W> {
    /// An instruction on whole vectors that `eval` does for each lane.
    pub(crate) fn vector(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        vector: &Vector,
    ) {
        if self.fast_vector(active, vector) {
            return;
        }
        let size = vector.result.width().div_ceil(32) as usize;
        let mut results = vec![Scalar::zero(vector.result); vector.to.len() / size];
        // All operands behind each other, for one lane after the other.
        let mut scalars: Vec<Scalar> = Vec::new();
        for lane in active.lanes() {
            scalars.clear();
            let all = vector.operands.iter().flatten();
            scalars.extend(all.map(|&(ty, columns)| self.scalar(ty, columns, lane)));
            let mut operands: [&[Scalar]; MAX_OPERANDS] = [&[]; MAX_OPERANDS];
            let mut rest = &scalars[..];
            for (operand, of) in operands.iter_mut().zip(&vector.operands) {
                (*operand, rest) = rest.split_at(of.len());
            }
            let (operands, environment) = (&operands[..vector.operands.len()], &vector.environment);
            let (result, results) = (vector.result, &mut results[..]);
            let outcome = match vector.op {
                VectorOp::Glsl(it) => {
                    evaluate_glsl_vector(it, result, operands, environment, results)
                }
                VectorOp::OpenCl(it) => {
                    evaluate_opencl_vector(it, result, operands, environment, results)
                }
            };
            let Ok(outcome) = outcome else {
                continue;
            };
            if let Some(reason) = outcome.undefined() {
                let invocations = self.invocations(1 << lane);
                shared
                    .findings
                    .undefined(shared.program, pc, reason, invocations);
            }
            for (to, &result) in vector.to.chunks(size).zip(&*results) {
                self.set_scalar(to[0], lane, result);
            }
        }
    }
}

/// The result of an operation on scalars.
pub(crate) fn evaluate(
    op: GeneralOp,
    result: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<Scalar> {
    match op {
        GeneralOp::Core(op) => evaluate_scalar(op, result, operands, environment),
        GeneralOp::Glsl(instruction) => {
            evaluate_glsl_scalar(instruction, result, operands, environment)
        }
        GeneralOp::GlslPair(instruction, index) => {
            let results = evaluate_glsl_pair(instruction, operands, environment)?;
            Ok(results.map(|results| results[index]))
        }
        GeneralOp::OpenCl(instruction) => {
            evaluate_opencl_scalar(instruction, result, operands, environment)
        }
        GeneralOp::OpenClPair(instruction, index) => {
            let results = evaluate_opencl_pair(instruction, operands, environment)?;
            Ok(results.map(|results| results[index]))
        }
        GeneralOp::Half(op, index) => part(op, operands, index),
    }
}

/// A member of the result of `OpIAddCarry` and its like.
fn part(op: Op, operands: &[Scalar], index: usize) -> Evaluated<Scalar> {
    let &[a, b] = operands else {
        return Err(NotComputable::OperandCount {
            found: operands.len(),
        });
    };
    let parts = evaluate_extended(op, a, b)?;
    Ok(Outcome::new(parts[index], None))
}
