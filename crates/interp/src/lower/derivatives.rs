//! Derivatives (section 3.32.16): differences between the invocations of a quad. Lanes
//! 4k to 4k + 3 are one: top left, top right, bottom left, bottom right.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{ExecutionMode, GlslStd450 as Glsl, Op};

use super::{Lowering, Result};
use crate::program::{GeneralOp, GroupOp, NO_REG, Operand, Reg, pair};

/// The bit of a lane's number that tells the two sides apart.
const X: u32 = 1;
const Y: u32 = 2;

/// Whether an opcode is lowered here.
pub(super) fn is_derivative(op: Op) -> bool {
    directions(op).is_some()
}

/// The directions that an opcode takes, and whether both rows or columns of the quad have the
/// same derivative. Where the specification leaves that open they have their own.
fn directions(op: Op) -> Option<(&'static [u32], bool)> {
    Some(match op {
        Op::DPdx | Op::DPdxFine => (&[X], false),
        Op::DPdy | Op::DPdyFine => (&[Y], false),
        Op::Fwidth | Op::FwidthFine => (&[X, Y], false),
        Op::DPdxCoarse => (&[X], true),
        Op::DPdyCoarse => (&[Y], true),
        Op::FwidthCoarse => (&[X, Y], true),
        _ => return None,
    })
}

impl<'a> Lowering<'_, 'a> {
    /// What the execution modes of the entry point say of quads.
    pub(super) fn derivative_modes(&mut self, entry: Id) -> Result<()> {
        for mode in self.m.execution_modes(entry) {
            match ExecutionMode(mode.arg(1)) {
                ExecutionMode::DerivativeGroupLinearKHR => self.program.has_derivatives = true,
                ExecutionMode::DerivativeGroupQuadsKHR => {
                    let [x, y, _] = self.program.workgroup_size;
                    if x % 2 != 0 || y % 2 != 0 {
                        return Err(self.broken("a workgroup has no whole quads"));
                    }
                    self.program.has_derivatives = true;
                    self.program.has_square_quads = true;
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn derivative(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let op = inst.op();
        let Some((directions, is_coarse)) = directions(op) else {
            return Err(self.unsupported(op.to_string()));
        };
        if !self.program.has_derivatives {
            return Err(self.unsupported(format!("{op} without quads")));
        }
        let mut columns = Vec::new();
        for operand in self.components(inst.id(0))? {
            let mut sum: Option<Operand> = None;
            for &direction in directions {
                let mut part = self.difference(operand, direction, is_coarse)?;
                if directions.len() > 1 {
                    part = self.magnitude(part)?;
                }
                sum = Some(match sum {
                    None => part,
                    Some(sum) => self.float(Op::FAdd, sum, part)?,
                });
            }
            let size = operand.0.width().div_ceil(32) as usize;
            let sum = sum.map_or([NO_REG; 2], |sum| sum.1);
            columns.extend(&sum[..size]);
        }
        Ok(columns)
    }

    /// What the far side of a quad has more than the near one.
    fn difference(&mut self, value: Operand, direction: u32, is_coarse: bool) -> Result<Operand> {
        let kept = if is_coarse { 0 } else { 3 & !direction };
        let far = self.quad_lane(value, kept, direction)?;
        let near = self.quad_lane(value, kept, 0)?;
        self.float(Op::FSub, far, near)
    }

    /// What the lane of the quad has whose number keeps some bits of each lane's own.
    fn quad_lane(&mut self, (ty, value): Operand, keep: u32, set: u32) -> Result<Operand> {
        let size = ty.width().div_ceil(32) as usize;
        let to = self.columns(size)?;
        let op = GroupOp::QuadLane { keep, set };
        self.emit_group(op, to.clone(), value[..size].to_vec(), NO_REG, 0);
        Ok((ty, pair(&to)))
    }

    fn float(&mut self, op: Op, a: Operand, b: Operand) -> Result<Operand> {
        let columns = self.scalar_operation(op, a.0, &[a, b], self.environment)?;
        Ok((a.0, pair(&columns)))
    }

    fn magnitude(&mut self, (ty, columns): Operand) -> Result<Operand> {
        let op = GeneralOp::Glsl(Glsl::FAbs);
        if !matches!(ty, ScalarType::Float(_)) {
            return Err(self.broken("a derivative of what is no number"));
        }
        let columns = self.general(op, ty, vec![(ty, columns)], self.environment)?;
        Ok((ty, pair(&columns)))
    }
}
