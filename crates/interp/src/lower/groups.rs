//! What the invocations of a subgroup do together (section 3.32.24).

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{GlslStd450 as Glsl, GroupOperation, Op, OperandKind, Scope};

use super::{Lowering, Result};
use crate::program::{GeneralOp, Group, GroupOp, Inst, NO_REG, Reg, Scan, pair};
use crate::special::Collective;

/// Whether an opcode is lowered here.
pub(super) fn is_group(op: Op) -> bool {
    let op = non_uniform(op);
    operation(op).is_some() || arithmetic(op).is_some() || op == Op::GroupNonUniformBallotBitCount
}

/// The opcode that does the same for the lanes of a tangle, for one that all invocations of
/// the scope must execute, or that an extension had before.
fn non_uniform(op: Op) -> Op {
    match op {
        Op::GroupAll | Op::SubgroupAllKHR => Op::GroupNonUniformAll,
        Op::GroupAny | Op::SubgroupAnyKHR => Op::GroupNonUniformAny,
        Op::SubgroupAllEqualKHR => Op::GroupNonUniformAllEqual,
        Op::SubgroupBallotKHR => Op::GroupNonUniformBallot,
        Op::SubgroupFirstInvocationKHR => Op::GroupNonUniformBroadcastFirst,
        Op::GroupBroadcast | Op::SubgroupReadInvocationKHR => Op::GroupNonUniformBroadcast,
        Op::SubgroupShuffleINTEL => Op::GroupNonUniformShuffle,
        Op::SubgroupShuffleXorINTEL => Op::GroupNonUniformShuffleXor,
        _ => op.non_uniform_arithmetic().unwrap_or(op),
    }
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
        Op::SubgroupShuffleUpINTEL => GroupOp::Window { up: true },
        Op::SubgroupShuffleDownINTEL => GroupOp::Window { up: false },
        Op::GroupNonUniformPartitionEXT => GroupOp::Partition(ScalarType::Bool),
        Op::GroupNonUniformQuadAllKHR => GroupOp::QuadAll,
        Op::GroupNonUniformQuadAnyKHR => GroupOp::QuadAny,
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
        let op = non_uniform(inst.op());
        let ty = inst.result_type().unwrap_or(Id(0));
        // Those without a scope are about subgroups.
        let operands = inst.info().map_or(&[][..], |info| info.operands());
        let has_scope = operands.iter().any(|it| it.kind() == OperandKind::IdScope);
        let scope = match has_scope {
            true => self.m.constant_u64(inst.id(0)).map(|it| Scope(it as u32)),
            false => Some(Scope::Subgroup),
        };
        match scope {
            Some(Scope::Subgroup) => {}
            Some(Scope::Workgroup) => return self.group_of_workgroup(inst, op, ty),
            _ => return Err(self.unsupported("a group operation of this scope")),
        }
        if let Some(operation) = operation(op) {
            return self.simple(inst, ty, operation, usize::from(has_scope));
        }
        let scan = match GroupOperation(inst.arg(1)) {
            GroupOperation::Reduce => (Scan::Reduce, false),
            GroupOperation::InclusiveScan => (Scan::Inclusive, false),
            GroupOperation::ExclusiveScan => (Scan::Exclusive, false),
            GroupOperation::ClusteredReduce => (Scan::Reduce, true),
            GroupOperation::PartitionedReduceEXT => (Scan::Reduce, false),
            GroupOperation::PartitionedInclusiveScanEXT => (Scan::Inclusive, false),
            GroupOperation::PartitionedExclusiveScanEXT => (Scan::Exclusive, false),
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
        let partition = match inst.optional(3).filter(|_| !scan.1) {
            Some(ballot) => self.value(Id(ballot))?,
            None => Vec::new(),
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
            if let Some(group) = self.program.groups.last_mut() {
                group.partition.clone_from(&partition);
            }
        }
        self.define(inst, to);
        Ok(())
    }

    /// What all invocations of the workgroup do together: each waits for the others.
    fn group_of_workgroup(&mut self, inst: Instruction<'a>, op: Op, ty: Id) -> Result<()> {
        let to = self.columns_of(ty)?;
        let environment = self.environment;
        let mut all = Vec::new();
        match operation(op) {
            Some(GroupOp::All | GroupOp::Any) => all.push(Collective::Vote {
                all: op == Op::GroupNonUniformAll,
                to: to[0],
                value: self.scalar(inst.id(1))?,
            }),
            Some(GroupOp::Broadcast) if inst.op() == Op::GroupBroadcast => {
                let size = self.component(inst.id(2))?.width().div_ceil(32) as usize;
                let position = self.value(inst.id(2))?;
                let value = self.value(inst.id(1))?;
                all.push(Collective::Broadcast {
                    to: to.clone(),
                    value,
                    position: position.into_iter().step_by(size).collect(),
                });
            }
            _ => {
                let scan = match GroupOperation(inst.arg(1)) {
                    GroupOperation::Reduce => Scan::Reduce,
                    GroupOperation::InclusiveScan => Scan::Inclusive,
                    GroupOperation::ExclusiveScan => Scan::Exclusive,
                    other => return Err(self.unsupported(format!("the group operation {other}"))),
                };
                let Some(operation) = arithmetic(op) else {
                    let what = format!("{} of the workgroup", inst.op());
                    return Err(self.unsupported(what));
                };
                let ty = self.scalar_type(self.m.component_type(ty))?;
                let size = ty.width().div_ceil(32) as usize;
                let value = self.value(inst.id(2))?;
                let parts = to.chunks(size).zip(value.chunks(size));
                all.extend(parts.map(|(to, value)| Collective::Scan {
                    op: operation,
                    ty,
                    identity: identity(op, ty),
                    scan,
                    to: pair(to),
                    value: pair(value),
                    environment,
                }));
            }
        }
        for what in all {
            self.collective_of_workgroup(what);
        }
        self.define(inst, to);
        Ok(())
    }

    /// `from` is where the operands behind a scope begin.
    fn simple(
        &mut self,
        inst: Instruction<'a>,
        ty: Id,
        operation: GroupOp,
        from: usize,
    ) -> Result<()> {
        let to = self.columns_of(ty)?;
        let mut value = match inst.optional(from) {
            Some(value) => self.value(Id(value))?,
            None => Vec::new(),
        };
        let mut from = from;
        if let GroupOp::Window { .. } = operation {
            from += 1;
            value.extend(self.value(inst.id(from))?);
        }
        let second = match inst.optional(from + 1) {
            Some(second) => self.scalar(Id(second))?,
            None => NO_REG,
        };
        let cluster = match inst.optional(from + 2) {
            Some(size) => self.m.constant_u64(Id(size)).unwrap_or(0) as u32,
            None => 0,
        };
        let operation = match operation {
            GroupOp::AllEqual(_) => GroupOp::AllEqual(self.component(inst.id(from))?),
            GroupOp::Partition(_) => GroupOp::Partition(self.component(inst.id(from))?),
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
            partition: Vec::new(),
            environment: self.environment,
        });
        self.emit(Inst::Group(self.program.groups.len() as u32 - 1));
    }
}
