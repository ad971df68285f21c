//! Non-uniform instructions (specification, section 3.32.24), and their
//! forerunners in `SPV_KHR_shader_ballot` and `SPV_KHR_subgroup_vote`.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, GroupOperation, Op, Scope, Version};

use super::{Family, arithmetic, scopes};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{BOOL, DATA, FLOAT, INT, Pattern, UNSIGNED};
use crate::rules::generated::non_uniform;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::GroupNonUniformElect,
        Op::GroupNonUniformAll,
        Op::GroupNonUniformAny,
        Op::GroupNonUniformAllEqual,
        Op::GroupNonUniformBroadcast,
        Op::GroupNonUniformBroadcastFirst,
        Op::GroupNonUniformBallot,
        Op::GroupNonUniformInverseBallot,
        Op::GroupNonUniformBallotBitExtract,
        Op::GroupNonUniformBallotBitCount,
        Op::GroupNonUniformBallotFindLSB,
        Op::GroupNonUniformBallotFindMSB,
        Op::GroupNonUniformShuffle,
        Op::GroupNonUniformShuffleXor,
        Op::GroupNonUniformShuffleUp,
        Op::GroupNonUniformShuffleDown,
        Op::GroupNonUniformIAdd,
        Op::GroupNonUniformFAdd,
        Op::GroupNonUniformIMul,
        Op::GroupNonUniformFMul,
        Op::GroupNonUniformSMin,
        Op::GroupNonUniformUMin,
        Op::GroupNonUniformFMin,
        Op::GroupNonUniformSMax,
        Op::GroupNonUniformUMax,
        Op::GroupNonUniformFMax,
        Op::GroupNonUniformBitwiseAnd,
        Op::GroupNonUniformBitwiseOr,
        Op::GroupNonUniformBitwiseXor,
        Op::GroupNonUniformLogicalAnd,
        Op::GroupNonUniformLogicalOr,
        Op::GroupNonUniformLogicalXor,
        Op::GroupNonUniformQuadBroadcast,
        Op::GroupNonUniformQuadSwap,
        Op::GroupNonUniformQuadAllKHR,
        Op::GroupNonUniformQuadAnyKHR,
        Op::GroupNonUniformPartitionEXT,
        Op::GroupNonUniformRotateKHR,
        Op::SubgroupBallotKHR,
        Op::SubgroupFirstInvocationKHR,
        Op::SubgroupAllKHR,
        Op::SubgroupAnyKHR,
        Op::SubgroupAllEqualKHR,
        Op::SubgroupReadInvocationKHR,
    ],
    check,
    check_module: None,
};

const BALLOT: Pattern = UNSIGNED.vector_of(&[4]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    use Op as O;
    let op = at.inst.op();
    let has_scope = !matches!(
        op,
        O::GroupNonUniformQuadAllKHR
            | O::GroupNonUniformQuadAnyKHR
            | O::GroupNonUniformPartitionEXT
            | O::SubgroupBallotKHR
            | O::SubgroupFirstInvocationKHR
            | O::SubgroupAllKHR
            | O::SubgroupAnyKHR
            | O::SubgroupAllEqualKHR
            | O::SubgroupReadInvocationKHR
    );
    let scope = match has_scope {
        true => check_scope(at, at.id(0)),
        false => Ok(()),
    };
    all([scope, check_operands(at, op)])
}

fn check_operands(at: &InstCtx<'_, '_>, op: Op) -> CheckResult {
    use Op as O;
    match op {
        O::GroupNonUniformElect => at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
        O::GroupNonUniformAll | O::GroupNonUniformAny => all([
            at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
            at.expect_operand(&non_uniform::PREDICATE, 1, BOOL),
        ]),
        O::GroupNonUniformQuadAllKHR
        | O::GroupNonUniformQuadAnyKHR
        | O::SubgroupAllKHR
        | O::SubgroupAnyKHR
        | O::SubgroupAllEqualKHR => all([
            at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
            at.expect_operand(&non_uniform::PREDICATE, 0, BOOL),
        ]),
        O::GroupNonUniformAllEqual => all([
            at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
            at.expect_operand(&non_uniform::VALUE, 1, DATA.scalar_or_vector()),
            check_encoding(at, 1),
        ]),
        O::GroupNonUniformBroadcastFirst => check_moved(at, 1),
        O::SubgroupFirstInvocationKHR | O::SubgroupReadInvocationKHR => check_moved(at, 0),
        O::GroupNonUniformBroadcast
        | O::GroupNonUniformQuadBroadcast
        | O::GroupNonUniformQuadSwap => {
            let index = at.expect_operand(&non_uniform::INDEX, 2, UNSIGNED);
            let may_vary = at.m.version >= Version::new(1, 5)
                || at.m.type_of(at.id(2)).is_none()
                || at.m.is_constant(at.id(2));
            let constant = match may_vary {
                true => Ok(()),
                false => {
                    let wanted = "a constant before SPIR-V 1.5";
                    let rule = &non_uniform::INDEX_CONSTANT;
                    let is_quad = at.inst.op() == O::GroupNonUniformQuadBroadcast;
                    let vuid = rule.vuids[usize::from(!is_quad)];
                    Err(at.operand_finding(rule, 2, wanted).vuid(vuid))
                }
            };
            all([check_moved(at, 1), index, constant])
        }
        O::GroupNonUniformShuffle
        | O::GroupNonUniformShuffleXor
        | O::GroupNonUniformShuffleUp
        | O::GroupNonUniformShuffleDown => all([
            check_moved(at, 1),
            at.expect_operand(&non_uniform::INDEX, 2, UNSIGNED),
        ]),
        O::GroupNonUniformRotateKHR => check_rotate(at),
        O::GroupNonUniformBallot => all([
            at.expect_result(&non_uniform::BALLOT_RESULT, BALLOT),
            at.expect_operand(&non_uniform::PREDICATE, 1, BOOL),
        ]),
        O::SubgroupBallotKHR => all([
            at.expect_result(&non_uniform::BALLOT_RESULT, BALLOT),
            at.expect_operand(&non_uniform::PREDICATE, 0, BOOL),
        ]),
        O::GroupNonUniformPartitionEXT => at.expect_result(&non_uniform::BALLOT_RESULT, BALLOT),
        O::GroupNonUniformInverseBallot => all([
            at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
            at.expect_operand(&non_uniform::BALLOT_VALUE, 1, BALLOT),
        ]),
        O::GroupNonUniformBallotBitExtract => all([
            at.expect_result(&non_uniform::VOTE_RESULT, BOOL),
            at.expect_operand(&non_uniform::BALLOT_VALUE, 1, BALLOT),
            at.expect_operand(&non_uniform::INDEX, 2, UNSIGNED),
        ]),
        O::GroupNonUniformBallotFindLSB | O::GroupNonUniformBallotFindMSB => all([
            at.expect_result(&non_uniform::BALLOT_RESULT, UNSIGNED),
            at.expect_operand(&non_uniform::BALLOT_VALUE, 1, BALLOT),
        ]),
        O::GroupNonUniformBallotBitCount => check_bit_count(at),
        _ => check_operation(at, op),
    }
}

fn check_scope(at: &InstCtx<'_, '_>, scope: Id) -> CheckResult {
    let Some(value) = scopes::check(at, scope)? else {
        return Ok(());
    };
    let rotates = at.inst.op() == Op::GroupNonUniformRotateKHR;
    let (rule, allowed) = match () {
        () if value == Scope::Subgroup => return Ok(()),
        () if at.m.env.is_vulkan_since(1) => (&non_uniform::VULKAN_SCOPE, "`Subgroup`"),
        () if rotates && value == Scope::Workgroup => return Ok(()),
        () if rotates => (&non_uniform::ROTATE_SCOPE, "`Subgroup` or `Workgroup`"),
        () => (&non_uniform::SCOPE, "`Subgroup`"),
    };
    let message = format!(
        "the scope of {} must be {allowed}, but is `{value}`",
        at.inst.op()
    );
    let finding = at.finding(rule, message);
    Err(finding.about(at.m, scope, "the scope is defined here"))
}

/// A value that only moves between invocations.
fn check_moved(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    at.expect_result(&non_uniform::RESULT, DATA.scalar_or_vector())?;
    all([
        check_encoding(at, value),
        at.expect_result_type(&non_uniform::VALUE, value),
    ])
}

/// Checks that a value is no float of an encoding other than IEEE 754.
fn check_encoding(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    let ty = at.type_of_arg(value);
    expect(arithmetic::encoding(at.m, ty).is_none(), || {
        at.operand_finding(&non_uniform::ENCODING, value, "of IEEE 754 numbers")
    })
}

fn check_rotate(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        check_moved(at, 1),
        at.expect_operand(&non_uniform::INDEX, 2, UNSIGNED),
        check_clusters(at),
    ])
}

/// Checks the size of the clusters of a rotation.
fn check_clusters(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(size) = at.inst.optional(3).map(Id) else {
        return Ok(());
    };
    check_cluster_size(at, 3)?;
    match at.m.constant_u64(size) {
        Some(value) if !value.is_power_of_two() => {
            let message = format!(
                "the size of the clusters of {} must be a power of two, but is {value}",
                at.inst.op()
            );
            let finding = at.finding(&non_uniform::CLUSTER_POWER, message).warning();
            Err(finding.about(at.m, size, "the size is defined here"))
        }
        _ => Ok(()),
    }
}

fn check_cluster_size(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let size = at.id(index);
    let may_vary = at.m.type_of(size).is_some() && !at.m.is_constant(size);
    all([
        at.expect_operand(&non_uniform::CLUSTER_SIZE, index, UNSIGNED),
        expect(!may_vary, || {
            at.operand_finding(&non_uniform::CLUSTER_CONSTANT, index, "a constant")
        }),
    ])
}

fn check_bit_count(at: &InstCtx<'_, '_>) -> CheckResult {
    let operation = GroupOperation(at.inst.arg(1));
    let is_plain = matches!(
        operation,
        GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan
    );
    let operation = match at.m.env.is_vulkan() && !is_plain {
        true => {
            let message = format!("{} can't count with `{operation}` in Vulkan", at.inst.op());
            Err(at.finding(&non_uniform::BIT_COUNT_OPERATION, message))
        }
        false => Ok(()),
    };
    all([
        at.expect_result(&non_uniform::BALLOT_RESULT, UNSIGNED),
        at.expect_operand(&non_uniform::BALLOT_VALUE, 2, INT.vector_of(&[4])),
        operation,
    ])
}

/// What an operation combines: these, or vectors of them.
fn combined_by(op: Op) -> Pattern {
    match op {
        Op::GroupNonUniformFAdd
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformFMax => FLOAT,
        Op::GroupNonUniformUMin | Op::GroupNonUniformUMax => UNSIGNED,
        Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor => BOOL,
        _ => INT,
    }
}

fn check_operation(at: &InstCtx<'_, '_>, op: Op) -> CheckResult {
    let result = at.expect_result(&non_uniform::RESULT, combined_by(op).scalar_or_vector());
    let value = result.and_then(|()| {
        all([
            check_encoding(at, 2),
            at.expect_result_type(&non_uniform::VALUE, 2),
        ])
    });
    all([value, check_groups(at, op)])
}

/// Checks the groups that an operation works on.
fn check_groups(at: &InstCtx<'_, '_>, op: Op) -> CheckResult {
    let operation = GroupOperation(at.inst.arg(1));
    let is_partitioned = matches!(
        operation,
        GroupOperation::PartitionedReduceEXT
            | GroupOperation::PartitionedInclusiveScanEXT
            | GroupOperation::PartitionedExclusiveScanEXT
    );
    let is_clustered = operation == GroupOperation::ClusteredReduce;
    match at.inst.optional(3) {
        None if is_clustered || is_partitioned => {
            let missing = match is_clustered {
                true => "the size of the clusters",
                false => "the ballot that defines the partition",
            };
            let message = format!("{op} with `{operation}` needs {missing}");
            Err(at.finding(&non_uniform::CLUSTER_MISSING, message))
        }
        None => Ok(()),
        Some(_) if is_partitioned && at.m.has(Capability::GroupNonUniformPartitionedEXT) => {
            at.expect_operand(&non_uniform::PARTITION, 3, INT.vector_of(&[4]))
        }
        Some(_) => check_cluster_size(at, 3),
    }
}
