//! What the invocations of a subgroup do together (section 3.32.24).

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{GlslStd450 as Glsl, GroupOperation, Op, Scope};

use super::{Lowering, Result};
use crate::program::{GeneralOp, Group, GroupOp, Inst, NO_REG, Reg, Scan};

/// Whether an opcode is lowered here.
pub(super) fn is_group(op: Op) -> bool {
    operation(op).is_some() || arithmetic(op).is_some() || op == Op::GroupNonUniformBallotBitCount
}

/// Those that need no look at types or at a group operation.
fn operation(op: Op) -> Option<GroupOp> {
    Some(match op {
        Op::GroupNonUniformElect => GroupOp::Elect,
        Op::GroupNonUniformAll => GroupOp::All,
        Op::GroupNonUniformAny => GroupOp::Any,
        Op::GroupNonUniformAllEqual => GroupOp::AllEqual(ScalarType::Bool),
        Op::GroupNonUniformBroadcast => GroupOp::Broadcast,
        Op::GroupNonUniformBroadcastFirst => GroupOp::BroadcastFirst,
        Op::GroupNonUniformBallot => GroupOp::Ballot,
        Op::GroupNonUniformInverseBallot => GroupOp::InverseBallot,
        Op::GroupNonUniformBallotBitExtract => GroupOp::BallotBitExtract,
        Op::GroupNonUniformBallotFindLSB => GroupOp::BallotFindLsb,
        Op::GroupNonUniformBallotFindMSB => GroupOp::BallotFindMsb,
        Op::GroupNonUniformShuffle => GroupOp::Shuffle,
        Op::GroupNonUniformShuffleXor => GroupOp::ShuffleXor,
        Op::GroupNonUniformShuffleUp => GroupOp::ShuffleUp,
        Op::GroupNonUniformShuffleDown => GroupOp::ShuffleDown,
        Op::GroupNonUniformRotateKHR => GroupOp::Rotate,
        Op::GroupNonUniformQuadSwap => GroupOp::QuadSwap,
        Op::GroupNonUniformQuadBroadcast => GroupOp::QuadBroadcast,
        _ => return None,
    })
}

/// What reductions and scans do with two scalars.
fn arithmetic(op: Op) -> Option<GeneralOp> {
    let core = |op| Some(GeneralOp::Core(op));
    let glsl = |instruction| Some(GeneralOp::Glsl(instruction));
    match op {
        Op::GroupNonUniformIAdd => core(Op::IAdd),
        Op::GroupNonUniformFAdd => core(Op::FAdd),
        Op::GroupNonUniformIMul => core(Op::IMul),
        Op::GroupNonUniformFMul => core(Op::FMul),
        Op::GroupNonUniformSMin => glsl(Glsl::SMin),
        Op::GroupNonUniformUMin => glsl(Glsl::UMin),
        Op::GroupNonUniformFMin => glsl(Glsl::NMin),
        Op::GroupNonUniformSMax => glsl(Glsl::SMax),
        Op::GroupNonUniformUMax => glsl(Glsl::UMax),
        Op::GroupNonUniformFMax => glsl(Glsl::NMax),
        Op::GroupNonUniformBitwiseAnd => core(Op::BitwiseAnd),
        Op::GroupNonUniformBitwiseOr => core(Op::BitwiseOr),
        Op::GroupNonUniformBitwiseXor => core(Op::BitwiseXor),
        Op::GroupNonUniformLogicalAnd => core(Op::LogicalAnd),
        Op::GroupNonUniformLogicalOr => core(Op::LogicalOr),
        Op::GroupNonUniformLogicalXor => core(Op::LogicalNotEqual),
        _ => None,
    }
}

/// What changes nothing when it is combined with a value.
fn identity(op: Op, ty: ScalarType) -> u64 {
    let mask = ty.mask();
    let sign = 1 << (ty.width() - 1);
    let float = |number: f64| match ty.width() {
        16 if number == 1.0 => 0x3c00,
        16 if number == 0.0 => 0x8000,
        16 if number < 0.0 => 0xfc00,
        16 => 0x7c00,
        32 => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    };
    match op {
        Op::GroupNonUniformIMul => 1,
        // The negative zero, which leaves either as it is.
        Op::GroupNonUniformFAdd => float(-0.0),
        Op::GroupNonUniformFMul => float(1.0),
        Op::GroupNonUniformFMin => float(f64::INFINITY),
        Op::GroupNonUniformFMax => float(f64::NEG_INFINITY),
        Op::GroupNonUniformUMin | Op::GroupNonUniformBitwiseAnd => mask,
        Op::GroupNonUniformSMin => mask ^ sign,
        Op::GroupNonUniformSMax => sign,
        Op::GroupNonUniformLogicalAnd => 1,
        _ => 0,
    }
}

impl<'a> Lowering<'_, 'a> {
    pub(super) fn group(&mut self, inst: Instruction<'a>) -> Result<()> {
        let scope = self
            .m
            .constant_u64(inst.id(0))
            .map(|scope| Scope(scope as u32));
        if scope != Some(Scope::Subgroup) {
            return Err(self.unsupported("a group operation of a scope other than the subgroup"));
        }
        let op = inst.op();
        let ty = inst.result_type().unwrap_or(Id(0));
        if let Some(operation) = operation(op) {
            return self.simple(inst, ty, operation);
        }
        let scan = match GroupOperation(inst.arg(1)) {
            GroupOperation::Reduce => (Scan::Reduce, false),
            GroupOperation::InclusiveScan => (Scan::Inclusive, false),
            GroupOperation::ExclusiveScan => (Scan::Exclusive, false),
            GroupOperation::ClusteredReduce => (Scan::Reduce, true),
            other => return Err(self.unsupported(format!("the group operation {other}"))),
        };
        let value = self.value(inst.id(2))?;
        let to = self.columns_of(ty)?;
        if op == Op::GroupNonUniformBallotBitCount {
            let group = GroupOp::BallotBitCount(scan.0);
            self.emit_group(group, to.clone(), value, NO_REG, 0);
            self.define(inst, to);
            return Ok(());
        }
        let Some(operation) = arithmetic(op) else {
            return Err(self.unsupported(op.to_string()));
        };
        let cluster = match inst.optional(3).filter(|_| scan.1) {
            Some(size) => self.m.constant_u64(Id(size)).unwrap_or(0) as u32,
            None => 0,
        };
        let scalar = self.scalar_type(self.m.component_type(ty))?;
        let size = scalar.width().div_ceil(32) as usize;
        for (to, value) in to.chunks(size).zip(value.chunks(size)) {
            let group = GroupOp::Arithmetic {
                op: operation,
                ty: scalar,
                identity: identity(op, scalar),
                scan: scan.0,
            };
            self.emit_group(group, to.to_vec(), value.to_vec(), NO_REG, cluster);
        }
        self.define(inst, to);
        Ok(())
    }

    fn simple(&mut self, inst: Instruction<'a>, ty: Id, operation: GroupOp) -> Result<()> {
        let to = self.columns_of(ty)?;
        let value = match inst.optional(1) {
            Some(value) => self.value(Id(value))?,
            None => Vec::new(),
        };
        let second = match inst.optional(2) {
            Some(second) => self.scalar(Id(second))?,
            None => NO_REG,
        };
        let cluster = match inst.optional(3) {
            Some(size) => self.m.constant_u64(Id(size)).unwrap_or(0) as u32,
            None => 0,
        };
        let operation = match operation {
            GroupOp::AllEqual(_) => GroupOp::AllEqual(self.component(inst.id(1))?),
            other => other,
        };
        self.emit_group(operation, to.clone(), value, second, cluster);
        self.define_as(inst, ty, to)?;
        Ok(())
    }

    pub(super) fn emit_group(
        &mut self,
        op: GroupOp,
        to: Vec<Reg>,
        value: Vec<Reg>,
        second: Reg,
        cluster: u32,
    ) {
        self.program.groups.push(Group {
            op,
            to,
            value,
            second,
            cluster,
            environment: self.environment,
        });
        self.emit(Inst::Group(self.program.groups.len() as u32 - 1));
    }
}
