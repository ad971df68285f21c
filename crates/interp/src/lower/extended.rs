//! Extended instructions: `GLSL.std.450`, and what has no effect.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_eval::{
    NotComputable, Scalar, ScalarType, evaluate_glsl_pair, evaluate_glsl_scalar,
    evaluate_glsl_vector,
};
use spirvkit_grammar::{ExtInstSet, GlslStd450 as Glsl};

use super::types::F32;
use super::{Lowering, Result, arguments};
use crate::program::{GeneralOp, Inst, MAX_OPERANDS, Operand, Reg, Unary, Vector, VectorOp, pair};

impl<'a> Lowering<'_, 'a> {
    pub(super) fn extended(&mut self, inst: Instruction<'a>) -> Result<()> {
        let set = self.m.definitions.get(inst.id(0));
        if set == Definition::Import(Import::Known(ExtInstSet::DebugPrintf)) {
            self.print(inst, arguments(inst, 2))?;
            return Ok(());
        }
        if self.m.is_remark(inst) {
            return Ok(());
        }
        if set == Definition::Import(Import::Known(ExtInstSet::OpenClStd)) {
            return self.opencl(inst);
        }
        if let Definition::Import(Import::Known(set)) = set
            && super::vendors::runs(set, inst.arg(1))
        {
            return self.of_amd(inst, set);
        }
        if set != Definition::Import(Import::Known(ExtInstSet::GlslStd450)) {
            return Err(self.unsupported("an extended instruction of this set"));
        }
        let instruction = Glsl(inst.arg(1));
        if inst.args().len() > 2 + MAX_OPERANDS {
            return Err(self.unsupported(name(instruction)));
        }
        let columns = match instruction {
            Glsl::ModfStruct | Glsl::FrexpStruct => self.two_results(inst, instruction)?,
            Glsl::Modf | Glsl::Frexp => {
                let mut results = self.two_results(inst, instruction)?;
                // An exponent has 32 bits, whatever the number has.
                let ty = inst.result_type().unwrap_or(Id(0));
                let size = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
                let second = results.split_off(results.len().min(size as usize));
                self.store_result(inst.id(3), &second)?;
                results
            }
            Glsl::Length
            | Glsl::Distance
            | Glsl::Normalize
            | Glsl::Cross
            | Glsl::Reflect
            | Glsl::Refract
            | Glsl::FaceForward
            | Glsl::Determinant
            | Glsl::MatrixInverse
            | Glsl::PackSnorm4x8
            | Glsl::PackUnorm4x8
            | Glsl::PackSnorm2x16
            | Glsl::PackUnorm2x16
            | Glsl::PackHalf2x16
            | Glsl::PackDouble2x32
            | Glsl::UnpackSnorm4x8
            | Glsl::UnpackUnorm4x8
            | Glsl::UnpackSnorm2x16
            | Glsl::UnpackUnorm2x16
            | Glsl::UnpackHalf2x16
            | Glsl::UnpackDouble2x32 => self.whole(inst, instruction)?,
            _ => self.by_glsl_component(inst, instruction)?,
        };
        self.check_columns(inst, columns.len())?;
        self.define(inst, columns);
        Ok(())
    }

    /// The components of an operand, by their columns.
    pub(super) fn components(&mut self, id: Id) -> Result<Vec<Operand>> {
        let ty = self.component(id)?;
        let columns = self.value(id)?;
        let size = ty.width().div_ceil(32) as usize;
        Ok(columns
            .chunks(size)
            .map(|component| (ty, pair(component)))
            .collect())
    }

    /// Instructions on whole vectors and matrices.
    fn whole(&mut self, inst: Instruction<'a>, instruction: Glsl) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(self.m.component_type(ty))?;
        let mut operands = Vec::new();
        for &operand in arguments(inst, 2) {
            operands.push(self.components(Id(operand))?);
        }
        let to = self.columns_of(ty)?;
        let zeros = operands.iter().map(|operand| {
            let zeros = operand.iter().map(|component| Scalar::zero(component.0));
            zeros.collect::<Vec<Scalar>>()
        });
        let zeros: Vec<Vec<Scalar>> = zeros.collect();
        let zeros: Vec<&[Scalar]> = zeros.iter().map(Vec::as_slice).collect();
        let mut results =
            vec![Scalar::zero(result); to.len() / result.width().div_ceil(32) as usize];
        let environment = self.environment;
        if let Err(why) =
            evaluate_glsl_vector(instruction, result, &zeros, &environment, &mut results)
        {
            return Err(self.not_computable(instruction, why));
        }
        self.program.vectors.push(Vector {
            op: VectorOp::Glsl(instruction),
            to: to.clone(),
            result,
            operands,
            environment,
        });
        self.emit(Inst::Vector(self.program.vectors.len() as u32 - 1));
        Ok(to)
    }

    /// The results of `Modf`, `Frexp` and their forms with structures: all of the first, then
    /// all of the second.
    fn two_results(&mut self, inst: Instruction<'a>, instruction: Glsl) -> Result<Vec<Reg>> {
        let environment = self.environment;
        let operands = self.components(inst.id(2))?;
        let mut columns = Vec::new();
        for index in 0..2 {
            for &operand in &operands {
                let zero = [Scalar::zero(operand.0)];
                let results = evaluate_glsl_pair(instruction, &zero, &environment)
                    .map_err(|why| self.not_computable(instruction, why))?;
                let ty = results.common()[index].ty();
                let op = GeneralOp::GlslPair(instruction, index);
                columns.extend(self.general(op, ty, vec![operand], environment)?);
            }
        }
        Ok(columns)
    }

    /// Instructions of the set that work on components.
    fn by_glsl_component(&mut self, inst: Instruction<'a>, instruction: Glsl) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        if let Type::Struct { .. } = self.m.ty(ty) {
            return Err(self.unsupported(name(instruction)));
        }
        let result = self.scalar_type(self.m.component_type(ty))?;
        let mut operands = Vec::new();
        for &operand in arguments(inst, 2) {
            operands.push(self.components(Id(operand))?);
        }
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))? as usize
            / result.width().div_ceil(32) as usize;
        let mut columns = Vec::new();
        for index in 0..count {
            let mut scalars = Vec::new();
            for operand in &operands {
                let Some(&component) = operand.get(index) else {
                    return Err(self.broken("an operand has too few components"));
                };
                scalars.push(component);
            }
            columns.extend(self.glsl_scalar(instruction, result, &scalars)?);
        }
        Ok(columns)
    }

    pub(super) fn glsl_scalar(
        &mut self,
        instruction: Glsl,
        result: ScalarType,
        operands: &[Operand],
    ) -> Result<Vec<Reg>> {
        let environment = self.environment;
        if environment == spirvkit_eval::Environment::default()
            && let &[(F32, [a, _])] = operands
        {
            let fast = match instruction {
                Glsl::FAbs => Some(Unary::FAbs),
                Glsl::Sqrt => Some(Unary::Sqrt),
                Glsl::Floor => Some(Unary::Floor),
                _ => None,
            };
            if let Some(op) = fast {
                return Ok(vec![self.unary(op, a)?]);
            }
        }
        // Whether it can be computed at all shows with any operands.
        let zeros = operands.iter().map(|operand| Scalar::zero(operand.0));
        let zeros: Vec<Scalar> = zeros.collect();
        if let Err(why) = evaluate_glsl_scalar(instruction, result, &zeros, &environment) {
            return Err(self.not_computable(instruction, why));
        }
        let op = GeneralOp::Glsl(instruction);
        self.general(op, result, operands.to_vec(), environment)
    }

    fn not_computable(
        &self,
        instruction: Glsl,
        why: NotComputable,
    ) -> Box<spirvkit_diagnostics::Diagnostic> {
        match why {
            NotComputable::Glsl(_) => self.unsupported(name(instruction)),
            _ => self.unsupported(format!("{}: {why}", name(instruction))),
        }
    }
}

/// What an instruction of the set is called.
fn name(instruction: Glsl) -> String {
    match ExtInstSet::GlslStd450.instruction(instruction.0) {
        Some(info) => info.name().to_owned(),
        None => format!("the instruction {} of GLSL.std.450", instruction.0),
    }
}
