//! Instructions of vendors' extensions, put together from what others do:
//! `SPV_AMD_shader_trinary_minmax`, `SPV_AMD_shader_ballot`, `SPV_AMD_gcn_shader` and
//! `SPV_VALVE_mixed_float_dot_product`, and Intel's conversions of numbers that have no type.

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{Environment, ScalarType};
use spirvkit_grammar::{
    AmdGcnShader as Gcn, AmdShaderBallot as Ballot, ExtInstSet, GlslStd450 as Glsl, Op,
};

use super::types::{F32, U32};
use super::{Lowering, Result};
use crate::program::{
    Binary, BuiltInValue, GroupOp, Input, NO_REG, Operand, Place, Reg, Unary, pair,
};
use crate::special::Special;

/// Whether an instruction of an extended set is lowered here, by its number.
pub(super) fn runs(set: ExtInstSet, number: u32) -> bool {
    let is_here = matches!(
        set,
        ExtInstSet::AmdShaderTrinaryMinMax | ExtInstSet::AmdShaderBallot | ExtInstSet::AmdGcnShader
    );
    is_here && set.instruction(number).is_some()
}

/// The bits of a binary32 number that TF32 has, too.
const TF32: u32 = 0xffff_e000;

impl<'a> Lowering<'_, 'a> {
    /// `SPV_INTEL_bfloat16_conversion`, where integers stand for the numbers, and
    /// `SPV_INTEL_tensor_float32_conversion`, where wider numbers do.
    pub(super) fn of_stand_ins(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let width = if inst.op() == Op::ConvertBF16ToFINTEL {
            16
        } else {
            32
        };
        if self.component(inst.id(0))?.width() != width {
            let what = format!("{} expects components of {width} bits", inst.op());
            return Err(self.broken(what));
        }
        let mut columns = Vec::new();
        for column in self.value(inst.id(0))? {
            columns.push(match inst.op() {
                Op::ConvertFToBF16INTEL => {
                    let operand = [(F32, [column, NO_REG])];
                    let to = ScalarType::Float(FloatFormat::BFloat16);
                    let environment = self.environment_of(inst);
                    self.scalar_operation(Op::FConvert, to, &operand, environment)?[0]
                }
                Op::ConvertBF16ToFINTEL => {
                    let half = self.word(16);
                    self.binary(Binary::ShiftLeft, column, half)?
                }
                _ => self.rounded_to_tf32(column)?,
            });
        }
        Ok(columns)
    }

    /// The nearest number of 10 bits behind the point, of two the even one. What is too large
    /// becomes infinite, and a NaN stays one.
    fn rounded_to_tf32(&mut self, number: Reg) -> Result<Reg> {
        let [one, dropped, half, kept] = [1, 13, 0xfff, TF32].map(|word| self.word(word));
        let last = self.binary(Binary::ShiftRight, number, dropped)?;
        let is_odd = self.binary(Binary::And, last, one)?;
        let up = self.binary(Binary::IAdd, half, is_odd)?;
        let sum = self.binary(Binary::IAdd, number, up)?;
        let rounded = self.binary(Binary::And, sum, kept)?;
        let quiet = self.word(0x0040_0000);
        let quieted = self.binary(Binary::Or, number, quiet)?;
        let nan = self.binary(Binary::And, quieted, kept)?;
        let is_nan = self.binary(Binary::FUnordNotEqual, number, number)?;
        self.chosen(is_nan, nan, rounded)
    }

    /// An instruction of one of the sets of AMD.
    pub(super) fn of_amd(&mut self, inst: Instruction<'a>, set: ExtInstSet) -> Result<()> {
        let number = inst.arg(1);
        let columns = match (set, Ballot(number), Gcn(number)) {
            (ExtInstSet::AmdShaderTrinaryMinMax, ..) => self.of_three(inst, number)?,
            (ExtInstSet::AmdShaderBallot, Ballot::SwizzleInvocationsAMD, _) => {
                let source = self.source_in_quad(inst.id(3))?;
                self.swizzled(inst, source)?
            }
            (ExtInstSet::AmdShaderBallot, Ballot::SwizzleInvocationsMaskedAMD, _) => {
                let source = self.source_by_mask(inst.id(3))?;
                self.swizzled(inst, source)?
            }
            (ExtInstSet::AmdShaderBallot, Ballot::WriteInvocationAMD, _) => self.written(inst)?,
            (ExtInstSet::AmdShaderBallot, ..) => self.count_below(inst)?,
            (_, _, Gcn::TimeAMD) => {
                let to = self.columns_of(inst.result_type().unwrap_or(Id(0)))?;
                self.special(Special::Clock { to: pair(&to) });
                to
            }
            (.., gcn) => {
                let (face, place) = self.face_of_cube(inst.id(2))?;
                match gcn {
                    Gcn::CubeFaceIndexAMD => vec![face],
                    _ => place.to_vec(),
                }
            }
        };
        self.check_columns(inst, columns.len())?;
        self.define(inst, columns);
        Ok(())
    }

    /// The least, the greatest or the middle of three numbers, by component.
    fn of_three(&mut self, inst: Instruction<'a>, number: u32) -> Result<Vec<Reg>> {
        // The numbers of each come in threes: for floating-point numbers, without and with signs.
        let [least, greatest] = match number % 3 {
            1 => [Glsl::FMin, Glsl::FMax],
            2 => [Glsl::UMin, Glsl::UMax],
            _ => [Glsl::SMin, Glsl::SMax],
        };
        let x = self.components(inst.id(2))?;
        let y = self.components(inst.id(3))?;
        let z = self.components(inst.id(4))?;
        if x.len() != y.len() || y.len() != z.len() {
            return Err(self.broken("the operands have different numbers of components"));
        }
        let mut columns = Vec::new();
        for ((x, y), z) in x.into_iter().zip(y).zip(z) {
            let result = match number {
                1..=3 => {
                    let low = self.of_two(least, x, y)?;
                    self.of_two(least, low, z)?
                }
                4..=6 => {
                    let high = self.of_two(greatest, x, y)?;
                    self.of_two(greatest, high, z)?
                }
                _ => {
                    let low = self.of_two(least, x, y)?;
                    let high = self.of_two(greatest, x, y)?;
                    let below = self.of_two(least, high, z)?;
                    self.of_two(greatest, low, below)?
                }
            };
            columns.extend(result.1.into_iter().filter(|&column| column != NO_REG));
        }
        Ok(columns)
    }

    fn of_two(&mut self, instruction: Glsl, a: Operand, b: Operand) -> Result<Operand> {
        let columns = self.glsl_scalar(instruction, a.0, &[a, b])?;
        Ok((a.0, pair(&columns)))
    }

    /// The column of a built-in value of the subgroup, and further ones if it has more words.
    fn of_subgroup(&mut self, built_in: BuiltInValue, count: usize) -> Result<Vec<Reg>> {
        let columns = self.columns(count)?;
        self.program.inputs.push(Input {
            built_in,
            is_wide: false,
            to: Place::Columns(columns.clone()),
        });
        Ok(columns)
    }

    /// The position of each lane in its subgroup.
    fn lane(&mut self) -> Result<Reg> {
        Ok(self.of_subgroup(BuiltInValue::SubgroupLocalInvocationId, 1)?[0])
    }

    /// The lane whose position in its four a vector says for each of the four.
    fn source_in_quad(&mut self, offsets: Id) -> Result<Reg> {
        let offsets: Vec<Operand> = self.components(offsets)?;
        let &[(U32, first), (U32, second), (U32, third), (U32, fourth)] = &offsets[..] else {
            return Err(self.broken("the offsets of a swizzle are four"));
        };
        let lane = self.lane()?;
        let (low, high) = (self.word(3), self.word(!3));
        let (own, quad) = (
            self.binary(Binary::And, lane, low)?,
            self.binary(Binary::And, lane, high)?,
        );
        let mut offset = fourth[0];
        for (position, [other, _]) in [(2, third), (1, second), (0, first)] {
            let position = self.word(position);
            let is_it = self.binary(Binary::IEqual, own, position)?;
            offset = self.chosen(is_it, other, offset)?;
        }
        self.binary(Binary::Or, quad, offset)
    }

    /// The lane among 32 that three masks lead to.
    fn source_by_mask(&mut self, masks: Id) -> Result<Reg> {
        let masks = self.components(masks)?;
        let &[(U32, [and, _]), (U32, [or, _]), (U32, [xor, _])] = &masks[..] else {
            return Err(self.broken("the masks of a swizzle are three"));
        };
        let lane = self.lane()?;
        let (low, high) = (self.word(0x1f), self.word(0x20));
        let group = self.binary(Binary::And, lane, high)?;
        let mut source = self.binary(Binary::And, lane, low)?;
        for (op, mask) in [(Binary::And, and), (Binary::Or, or), (Binary::Xor, xor)] {
            source = self.binary(op, source, mask)?;
        }
        self.binary(Binary::Or, source, group)
    }

    /// What another lane has, which is zero if that is not active.
    fn swizzled(&mut self, inst: Instruction<'a>, source: Reg) -> Result<Vec<Reg>> {
        let value = self.value(inst.id(2))?;
        let fetched = self.columns(value.len())?;
        self.emit_group(GroupOp::Shuffle, fetched.clone(), value, source, 0);
        let (active, yes) = (self.columns(4)?, self.word(1));
        self.emit_group(GroupOp::Ballot, active.clone(), vec![yes], NO_REG, 0);
        let is_active = self.column()?;
        let extract = GroupOp::BallotBitExtract;
        self.emit_group(extract, vec![is_active], active, source, 0);
        let zero = self.word(0);
        let all = fetched.into_iter();
        all.map(|column| self.chosen(is_active, column, zero))
            .collect()
    }

    /// One value, but for one lane another.
    fn written(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let (value, other) = (self.value(inst.id(2))?, self.value(inst.id(3))?);
        let (lane, index) = (self.lane()?, self.scalar(inst.id(4))?);
        let is_it = self.binary(Binary::IEqual, lane, index)?;
        let mut columns = Vec::with_capacity(value.len());
        for (value, other) in value.into_iter().zip(other) {
            columns.push(self.chosen(is_it, other, value)?);
        }
        Ok(columns)
    }

    /// How many lanes before each have their bit in a mask of 64.
    fn count_below(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let mask = self.value(inst.id(2))?;
        let below = self.of_subgroup(BuiltInValue::SubgroupLtMask, 4)?;
        let mut count = self.word(0);
        for (mask, below) in mask.into_iter().zip(below).take(2) {
            let bits = self.binary(Binary::And, mask, below)?;
            let operand = [(U32, [bits, NO_REG])];
            let half = self.scalar_operation(Op::BitCount, U32, &operand, self.environment)?;
            count = self.binary(Binary::IAdd, count, half[0])?;
        }
        let width = self.columns_of(inst.result_type().unwrap_or(Id(0)))?.len();
        let columns = [count, self.word(0)];
        Ok(columns.into_iter().take(width).collect())
    }

    /// The number of the face of a cube, as a number of 32 bits, and the place on it, that a
    /// direction leads to (Vulkan, "Cube Map Face Selection").
    fn face_of_cube(&mut self, direction: Id) -> Result<(Reg, [Reg; 2])> {
        let components = match self.m.is_pointer(self.type_of(direction)?) {
            true => return Err(self.unsupported("a pointer to coordinates on a cube")),
            false => self.components(direction)?,
        };
        let &[(F32, [x, _]), (F32, [y, _]), (F32, [z, _])] = &components[..] else {
            return Err(self.broken("coordinates on a cube are three numbers of 32 bits"));
        };
        let (ax, ay, az) = (
            self.unary(Unary::FAbs, x)?,
            self.unary(Unary::FAbs, y)?,
            self.unary(Unary::FAbs, z)?,
        );
        // Where several are the greatest, z goes before y, and y before x.
        let beyond_x = self.binary(Binary::FOrdLessEqual, ax, az)?;
        let beyond_y = self.binary(Binary::FOrdLessEqual, ay, az)?;
        let is_z = self.binary(Binary::And, beyond_x, beyond_y)?;
        let is_y = self.binary(Binary::FOrdLessEqual, ax, ay)?;
        let by_axis = |this: &mut Self, [x, y, z]: [Reg; 3]| {
            let other = this.chosen(is_y, y, x)?;
            this.chosen(is_z, z, other)
        };
        let along = by_axis(self, [x, y, z])?;
        let zero = self.word(0);
        let is_negative = self.binary(Binary::FOrdLess, along, zero)?;
        let mut faces = [zero; 2];
        for (sign, face) in faces.iter_mut().enumerate() {
            let numbers = [0.0, 2.0, 4.0].map(|first: f32| (first + sign as f32).to_bits());
            let words = numbers.map(|word| self.word(word));
            *face = by_axis(self, words)?;
        }
        let face = self.chosen(is_negative, faces[1], faces[0])?;
        let [minus_x, minus_y, minus_z] = [
            self.unary(Unary::FNegate, x)?,
            self.unary(Unary::FNegate, y)?,
            self.unary(Unary::FNegate, z)?,
        ];
        let s = [
            self.chosen(is_negative, z, minus_z)?,
            x,
            self.chosen(is_negative, minus_x, x)?,
        ];
        let t = [minus_y, self.chosen(is_negative, minus_z, z)?, minus_y];
        let (size, half) = (self.unary(Unary::FAbs, along)?, self.word(0.5f32.to_bits()));
        let mut place = [zero; 2];
        for (to, axes) in place.iter_mut().zip([s, t]) {
            let coordinate = by_axis(self, axes)?;
            let part = self.binary(Binary::FDiv, coordinate, size)?;
            let scaled = self.binary(Binary::FMul, part, half)?;
            *to = self.binary(Binary::FAdd, scaled, half)?;
        }
        Ok((face, place))
    }

    /// `OpFDot2MixAcc32VALVE` and its like: converted to 32 bits, multiplied and added in the
    /// order of components, then to the accumulator, and rounded to the result's type.
    pub(super) fn mixed_dot(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let result = self.scalar_type(inst.result_type().unwrap_or(Id(0)))?;
        let environment = self.environment_of(inst);
        let mut all = Vec::new();
        for index in 0..3 {
            let mut columns = Vec::new();
            for component in self.components(inst.id(index))? {
                columns.extend(self.single(component, environment)?);
            }
            all.push(columns);
        }
        let sum = self.dot(F32, &all[0], &all[1], environment)?;
        let operands = [(F32, pair(&sum)), (F32, pair(&all[2]))];
        let total = self.scalar_operation(Op::FAdd, F32, &operands, environment)?;
        match result == F32 {
            true => Ok(total),
            false => {
                let operand = [(F32, pair(&total))];
                self.scalar_operation(Op::FConvert, result, &operand, environment)
            }
        }
    }

    /// A number as one of 32 bits.
    fn single(&mut self, number: Operand, environment: Environment) -> Result<Vec<Reg>> {
        match number.0 == F32 {
            true => Ok(vec![number.1[0]]),
            false => self.scalar_operation(Op::FConvert, F32, &[number], environment),
        }
    }
}
