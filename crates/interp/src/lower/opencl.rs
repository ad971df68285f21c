//! `OpenCL.std`: what computes is `eval`'s, what loads and stores goes by scalars.

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::{FloatFormat, Id};
use spirvkit_eval::{
    Environment, NotComputable, Scalar, ScalarType, evaluate_opencl_pair, evaluate_opencl_scalar,
    evaluate_opencl_vector,
};
use spirvkit_grammar::{ExtInstSet, Op, OpenClStd as OpenCl};

use super::operations::rounding_mode;
use super::{Lowering, Result, arguments};
use crate::program::{
    Binary, Cell, GeneralOp, Inst, Leaf, MAX_OPERANDS, Operand, Reg, Vector, VectorOp, pair,
};

/// Numbers of 16 bits.
const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);

/// How an instruction of the set is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// One scalar operation for each component.
    Components,
    /// The same with a second result, which is stored.
    Pairs,
    /// On whole vectors.
    Vectors,
    Select,
    Load,
    Store,
    Shuffle,
    /// It has no effect of its own.
    Nothing,
    Print,
}

fn form(instruction: OpenCl) -> Option<Form> {
    let environment = Environment::default();
    let is_known = |why: &NotComputable| !matches!(why, NotComputable::OpenCl(_));
    Some(match instruction {
        OpenCl::vloadn | OpenCl::vload_half | OpenCl::vload_halfn | OpenCl::vloada_halfn => {
            Form::Load
        }
        OpenCl::vstoren
        | OpenCl::vstore_half
        | OpenCl::vstore_half_r
        | OpenCl::vstore_halfn
        | OpenCl::vstore_halfn_r
        | OpenCl::vstorea_halfn
        | OpenCl::vstorea_halfn_r => Form::Store,
        OpenCl::shuffle | OpenCl::shuffle2 => Form::Shuffle,
        OpenCl::prefetch => Form::Nothing,
        OpenCl::printf => Form::Print,
        OpenCl::select => Form::Select,
        _ => {
            let ty = ScalarType::Bool;
            let scalar = evaluate_opencl_scalar(instruction, ty, &[], &environment);
            let pair = evaluate_opencl_pair(instruction, &[], &environment);
            let vector = evaluate_opencl_vector(instruction, ty, &[], &environment, &mut []);
            if scalar.as_ref().map_or_else(is_known, |_| true) {
                Form::Components
            } else if pair.as_ref().map_or_else(is_known, |_| true) {
                Form::Pairs
            } else if vector.as_ref().map_or_else(is_known, |_| true) {
                Form::Vectors
            } else {
                return None;
            }
        }
    })
}

/// Whether an instruction of the set runs.
pub(super) fn runs(instruction: OpenCl) -> bool {
    form(instruction).is_some()
}

impl<'a> Lowering<'_, 'a> {
    pub(super) fn opencl(&mut self, inst: Instruction<'a>) -> Result<()> {
        let instruction = OpenCl(inst.arg(1));
        let Some(form) = form(instruction) else {
            return Err(self.unsupported(name(instruction)));
        };
        let columns = match form {
            Form::Components => self.by_opencl_component(inst, instruction)?,
            Form::Pairs => self.opencl_pairs(inst, instruction)?,
            Form::Vectors => self.opencl_vectors(inst, instruction)?,
            Form::Select => self.opencl_select(inst)?,
            Form::Load => self.load_vector(inst, instruction)?,
            Form::Shuffle => self.shuffled_by_mask(inst)?,
            Form::Print => self.print(inst, arguments(inst, 2))?,
            Form::Store => return self.store_vector(inst, instruction),
            Form::Nothing => return Ok(()),
        };
        self.check_columns(inst, columns.len())?;
        self.define(inst, columns);
        Ok(())
    }

    fn not_opencl(
        &self,
        instruction: OpenCl,
        why: NotComputable,
    ) -> Box<spirvkit_diagnostics::Diagnostic> {
        self.unsupported(format!("{}: {why}", name(instruction)))
    }

    /// The operands by their components, scalars as often as they are needed.
    fn opencl_operands(&mut self, ids: &[u32]) -> Result<Vec<Vec<Operand>>> {
        if ids.len() > MAX_OPERANDS {
            return Err(self.broken("an extended instruction has too many operands"));
        }
        ids.iter().map(|&id| self.components(Id(id))).collect()
    }

    fn opencl_scalar(
        &mut self,
        instruction: OpenCl,
        result: ScalarType,
        operands: Vec<Operand>,
    ) -> Result<Vec<Reg>> {
        let environment = self.environment;
        // Whether it can be computed at all shows with any operands.
        let zeros: Vec<Scalar> = operands.iter().map(|it| Scalar::zero(it.0)).collect();
        let _ = evaluate_opencl_scalar(instruction, result, &zeros, &environment)
            .map_err(|why| self.not_opencl(instruction, why))?;
        self.general(
            GeneralOp::OpenCl(instruction),
            result,
            operands,
            environment,
        )
    }

    fn by_opencl_component(
        &mut self,
        inst: Instruction<'a>,
        instruction: OpenCl,
    ) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let operands = self.opencl_operands(arguments(inst, 2))?;
        let mut columns = Vec::new();
        for index in 0..self.m.dimension(ty) as usize {
            let scalars = self.at(&operands, index)?;
            columns.extend(self.opencl_scalar(instruction, result, scalars)?);
        }
        Ok(columns)
    }

    /// The components of operands with this index.
    fn at(&self, operands: &[Vec<Operand>], index: usize) -> Result<Vec<Operand>> {
        let component = |operand: &Vec<Operand>| match operand[..] {
            [one] => Some(one),
            _ => operand.get(index).copied(),
        };
        let all: Option<Vec<Operand>> = operands.iter().map(component).collect();
        all.ok_or_else(|| self.broken("an operand has too few components"))
    }

    /// `fract`, `sincos` and their like: the second result goes where the last operand points.
    fn opencl_pairs(&mut self, inst: Instruction<'a>, instruction: OpenCl) -> Result<Vec<Reg>> {
        let environment = self.environment;
        let Some((&pointer, operands)) = arguments(inst, 2).split_last() else {
            return Err(self.broken("an extended instruction lacks operands"));
        };
        let operands = self.opencl_operands(operands)?;
        let count = self.m.dimension(inst.result_type().unwrap_or(Id(0))) as usize;
        let mut results = [Vec::new(), Vec::new()];
        for index in 0..count {
            let scalars = self.at(&operands, index)?;
            let zeros: Vec<Scalar> = scalars.iter().map(|it| Scalar::zero(it.0)).collect();
            let pair = evaluate_opencl_pair(instruction, &zeros, &environment);
            let pair = pair.map_err(|why| self.not_opencl(instruction, why))?;
            for (which, result) in results.iter_mut().enumerate() {
                let ty = pair.common()[which].ty();
                let op = GeneralOp::OpenClPair(instruction, which);
                result.extend(self.general(op, ty, scalars.clone(), environment)?);
            }
        }
        let [first, second] = results;
        self.store_result(Id(pointer), &second)?;
        Ok(first)
    }

    fn opencl_vectors(&mut self, inst: Instruction<'a>, instruction: OpenCl) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let operands = self.opencl_operands(arguments(inst, 2))?;
        let to = self.columns_of(ty)?;
        let environment = self.environment;
        let zeros: Vec<Vec<Scalar>> = operands
            .iter()
            .map(|operand| operand.iter().map(|it| Scalar::zero(it.0)).collect())
            .collect();
        let zeros: Vec<&[Scalar]> = zeros.iter().map(Vec::as_slice).collect();
        let mut results =
            vec![Scalar::zero(result); to.len() / result.width().div_ceil(32) as usize];
        let _ = evaluate_opencl_vector(instruction, result, &zeros, &environment, &mut results)
            .map_err(|why| self.not_opencl(instruction, why))?;
        self.program.vectors.push(Vector {
            op: VectorOp::OpenCl(instruction),
            to: to.clone(),
            result,
            operands,
            environment,
        });
        self.emit(Inst::Vector(self.program.vectors.len() as u32 - 1));
        Ok(to)
    }

    /// `select`: of scalars, by whether the last operand is 0; of vectors, by the highest bit of
    /// each component.
    fn opencl_select(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        if !self.m.is_vector(ty) {
            return self.by_opencl_component(inst, OpenCl::select);
        }
        let operands = self.opencl_operands(arguments(inst, 2))?;
        let mut columns = Vec::new();
        for index in 0..self.m.dimension(ty) as usize {
            let [a, b, choice] = self.at(&operands, index)?[..] else {
                return Err(self.broken("an extended instruction lacks operands"));
            };
            let zero = self.word(0);
            let compared = [choice, (choice.0, [zero; 2])];
            let environment = self.environment;
            let is_set =
                self.scalar_operation(Op::SLessThan, ScalarType::Bool, &compared, environment)?;
            let size = a.0.width().div_ceil(32) as usize;
            for (&a, &b) in a.1.iter().zip(&b.1).take(size) {
                columns.push(self.chosen(is_set[0], b, a)?);
            }
        }
        Ok(columns)
    }

    /// `shuffle` and `shuffle2`: components by the low bits of those of a mask.
    fn shuffled_by_mask(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let Some((&mask, vectors)) = arguments(inst, 2).split_last() else {
            return Err(self.broken("an extended instruction lacks operands"));
        };
        let mut parts = Vec::new();
        for &vector in vectors {
            let components = self.components(Id(vector))?;
            // Three components count as four, of which the last is undefined.
            let count = components.len().next_power_of_two();
            let last = components.last().copied();
            parts.extend(components);
            while parts.len() % count != 0 {
                parts.extend(last);
            }
        }
        let mut columns = Vec::new();
        for (_, [index, _]) in self.components(Id(mask))? {
            let low_bits = self.word(parts.len().saturating_sub(1) as u32);
            let index = self.binary(Binary::And, index, low_bits)?;
            let Some(&(ty, first)) = parts.first() else {
                return Err(self.broken("a vector without components"));
            };
            let size = ty.width().div_ceil(32) as usize;
            let mut chosen = first[..size].to_vec();
            for (number, (_, part)) in parts.iter().enumerate().skip(1) {
                let number = self.word(number as u32);
                let is_it = self.binary(Binary::IEqual, index, number)?;
                for (chosen, &column) in chosen.iter_mut().zip(part) {
                    *chosen = self.chosen(is_it, column, *chosen)?;
                }
            }
            columns.extend(chosen);
        }
        Ok(columns)
    }

    /// The cells of `count` scalars behind each other, as far from a pointer as an offset of
    /// such vectors says. Vectors that are aligned stand as far apart as in arrays.
    fn cells(
        &mut self,
        [offset, pointer]: [Id; 2],
        ty: ScalarType,
        count: u32,
        is_aligned: bool,
    ) -> Result<Vec<Cell>> {
        let leaf = Leaf::Scalar(ty);
        let size = leaf.bytes();
        let room = match is_aligned {
            true => count.next_power_of_two(),
            false => count,
        };
        let address = self.pointer(pointer)?.address;
        let address = self.advance(address, offset, room * size)?;
        let alignment = if is_aligned { room * size } else { size };
        self.emit_alignment(address, alignment);
        let cells = (0..count).map(|index| {
            let address = self.bytes_further(address, index * size)?;
            Ok(Cell { leaf, address })
        });
        cells.collect()
    }

    /// `vloadn` and its like.
    fn load_vector(&mut self, inst: Instruction<'a>, instruction: OpenCl) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let from = match instruction {
            OpenCl::vloadn => result,
            _ => HALF,
        };
        let is_aligned = instruction == OpenCl::vloada_halfn;
        let place = [inst.id(2), inst.id(3)];
        let cells = self.cells(place, from, self.m.dimension(ty), is_aligned)?;
        let mut columns = Vec::new();
        for cell in cells {
            let loaded = self.columns(cell.leaf.columns())?;
            let to = loaded[0];
            self.emit(Inst::Load { to, cell });
            columns.extend(match from == result {
                true => loaded,
                false => {
                    let operand = [(from, pair(&loaded))];
                    self.scalar_operation(Op::FConvert, result, &operand, self.environment)?
                }
            });
        }
        Ok(columns)
    }

    /// `vstoren` and its like.
    fn store_vector(&mut self, inst: Instruction<'a>, instruction: OpenCl) -> Result<()> {
        let components = self.components(inst.id(2))?;
        let from = self.component(inst.id(2))?;
        let to = match instruction {
            OpenCl::vstoren => from,
            _ => HALF,
        };
        let mut environment = self.environment;
        let mode = inst.optional(5).and_then(rounding_mode);
        environment.half.rounding = mode.unwrap_or(environment.half.rounding);
        let is_aligned = matches!(instruction, OpenCl::vstorea_halfn | OpenCl::vstorea_halfn_r);
        let place = [inst.id(3), inst.id(4)];
        let cells = self.cells(place, to, components.len() as u32, is_aligned)?;
        for (operand, cell) in components.into_iter().zip(cells) {
            let from = match from == to {
                true => operand.1,
                false => {
                    let operand = [operand];
                    pair(&self.scalar_operation(Op::FConvert, to, &operand, environment)?)
                }
            };
            self.emit(Inst::Store { from, cell });
        }
        Ok(())
    }
}

/// What an instruction of the set is called.
fn name(instruction: OpenCl) -> String {
    match ExtInstSet::OpenClStd.instruction(instruction.0) {
        Some(info) => info.name().to_owned(),
        None => format!("the instruction {} of OpenCL.std", instruction.0),
    }
}
