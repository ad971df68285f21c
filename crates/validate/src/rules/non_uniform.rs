//! Non-uniform instructions (specification, section 3.32.24), and their
//! forerunners in `SPV_KHR_shader_ballot` and `SPV_KHR_subgroup_vote`.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, GroupOperation, Op, Scope, Version};

use super::groups::{Kind, expect, expect_result_type};
use super::{Family, arithmetic, scopes};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
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

const BOOL: &str = "a boolean scalar";
const UNSIGNED: &str = "an unsigned integer scalar";
const BALLOT: &str = "a vector of four unsigned integers";

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
        O::GroupNonUniformElect => expect_bool_result(at),
        O::GroupNonUniformAll | O::GroupNonUniformAny => {
            all([expect_bool_result(at), expect_predicate(at, 1)])
        }
        O::GroupNonUniformQuadAllKHR
        | O::GroupNonUniformQuadAnyKHR
        | O::SubgroupAllKHR
        | O::SubgroupAnyKHR
        | O::SubgroupAllEqualKHR => all([expect_bool_result(at), expect_predicate(at, 0)]),
        O::GroupNonUniformAllEqual => {
            let is_value = |m: &Module<'_>, ty| Kind::Any.is_scalar_or_vector(m, ty);
            all([
                expect_bool_result(at),
                expect(
                    at,
                    &non_uniform::VALUE,
                    1,
                    "value",
                    Kind::Any.name(),
                    is_value,
                ),
                check_encoding(at, 1),
            ])
        }
        O::GroupNonUniformBroadcastFirst => check_moved(at, 1),
        O::SubgroupFirstInvocationKHR | O::SubgroupReadInvocationKHR => check_moved(at, 0),
        O::GroupNonUniformBroadcast
        | O::GroupNonUniformQuadBroadcast
        | O::GroupNonUniformQuadSwap => {
            let index = expect(at, &non_uniform::INDEX, 2, "index", UNSIGNED, is_unsigned);
            let may_vary = at.m.version >= Version::new(1, 5)
                || at.m.type_of(at.id(2)).is_none()
                || at.m.is_constant(at.id(2));
            let constant = match may_vary {
                true => Ok(()),
                false => {
                    let expected = "a constant before SPIR-V 1.5";
                    Err(at.wrong_operand(&non_uniform::INDEX_CONSTANT, at.id(2), "index", expected))
                }
            };
            all([check_moved(at, 1), index, constant])
        }
        O::GroupNonUniformShuffle
        | O::GroupNonUniformShuffleXor
        | O::GroupNonUniformShuffleUp
        | O::GroupNonUniformShuffleDown => all([
            check_moved(at, 1),
            expect(at, &non_uniform::INDEX, 2, "index", UNSIGNED, is_unsigned),
        ]),
        O::GroupNonUniformRotateKHR => check_rotate(at),
        O::GroupNonUniformBallot => all([expect_ballot_result(at), expect_predicate(at, 1)]),
        O::SubgroupBallotKHR => all([expect_ballot_result(at), expect_predicate(at, 0)]),
        O::GroupNonUniformPartitionEXT => expect_ballot_result(at),
        O::GroupNonUniformInverseBallot => all([
            expect_bool_result(at),
            expect(
                at,
                &non_uniform::BALLOT_VALUE,
                1,
                "ballot",
                BALLOT,
                is_ballot,
            ),
        ]),
        O::GroupNonUniformBallotBitExtract => all([
            expect_bool_result(at),
            expect(
                at,
                &non_uniform::BALLOT_VALUE,
                1,
                "ballot",
                BALLOT,
                is_ballot,
            ),
            expect(at, &non_uniform::INDEX, 2, "index", UNSIGNED, is_unsigned),
        ]),
        O::GroupNonUniformBallotFindLSB | O::GroupNonUniformBallotFindMSB => all([
            expect_unsigned_result(at),
            expect(
                at,
                &non_uniform::BALLOT_VALUE,
                1,
                "ballot",
                BALLOT,
                is_ballot,
            ),
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

fn is_unsigned(m: &Module<'_>, ty: Id) -> bool {
    m.is_unsigned_scalar(ty)
}

fn is_ballot(m: &Module<'_>, ty: Id) -> bool {
    matches!(m.ty(ty), Type::Vector { component, count: 4 } if m.is_unsigned_scalar(component))
}

fn is_int_ballot(m: &Module<'_>, ty: Id) -> bool {
    matches!(m.ty(ty), Type::Vector { component, count: 4 } if m.is_int_scalar(component))
}

fn expect_bool_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_bool_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&non_uniform::VOTE_RESULT, BOOL)),
    }
}

fn expect_unsigned_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_unsigned_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&non_uniform::BALLOT_RESULT, UNSIGNED)),
    }
}

fn expect_ballot_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match is_ballot(at.m, at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&non_uniform::BALLOT_RESULT, BALLOT)),
    }
}

fn expect_predicate(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let is_bool = |m: &Module<'_>, ty| m.is_bool_scalar(ty);
    expect(
        at,
        &non_uniform::PREDICATE,
        index,
        "predicate",
        BOOL,
        is_bool,
    )
}

/// A value that only moves between invocations.
fn check_moved(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    if !Kind::Any.is_scalar_or_vector(at.m, at.result_type()) {
        return Err(at.wrong_result(&non_uniform::RESULT, Kind::Any.name()));
    }
    all([
        check_encoding(at, value),
        expect_result_type(at, &non_uniform::VALUE, value, "value"),
    ])
}

/// Checks that a value is no float of an encoding other than IEEE 754.
fn check_encoding(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    let expected = "of IEEE 754 numbers";
    expect(
        at,
        &non_uniform::ENCODING,
        value,
        "value",
        expected,
        |m, ty| arithmetic::encoding(m, ty).is_none(),
    )
}

fn check_rotate(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        check_moved(at, 1),
        expect(at, &non_uniform::INDEX, 2, "delta", UNSIGNED, is_unsigned),
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
    let name = "cluster size";
    let unsigned = expect(
        at,
        &non_uniform::CLUSTER_SIZE,
        index,
        name,
        UNSIGNED,
        is_unsigned,
    );
    let size = at.id(index);
    let constant = match at.m.type_of(size).is_some() && !at.m.is_constant(size) {
        true => Err(at.wrong_operand(&non_uniform::CLUSTER_CONSTANT, size, name, "a constant")),
        false => Ok(()),
    };
    all([unsigned, constant])
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
    let expected = "a vector of four integers";
    all([
        expect_unsigned_result(at),
        expect(
            at,
            &non_uniform::BALLOT_VALUE,
            2,
            "ballot",
            expected,
            is_int_ballot,
        ),
        operation,
    ])
}

/// What an operation combines.
fn kind_of(op: Op) -> Kind {
    match op {
        Op::GroupNonUniformFAdd
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformFMax => Kind::Float,
        Op::GroupNonUniformUMin | Op::GroupNonUniformUMax => Kind::Unsigned,
        Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor => Kind::Bool,
        _ => Kind::Int,
    }
}

fn check_operation(at: &InstCtx<'_, '_>, op: Op) -> CheckResult {
    let kind = kind_of(op);
    let value = match kind.is_scalar_or_vector(at.m, at.result_type()) {
        true => all([
            check_encoding(at, 2),
            expect_result_type(at, &non_uniform::VALUE, 2, "value"),
        ]),
        false => Err(at.wrong_result(&non_uniform::RESULT, kind.name())),
    };
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
            let expected = "a vector of four integers";
            expect(
                at,
                &non_uniform::PARTITION,
                3,
                "ballot",
                expected,
                is_int_ballot,
            )
        }
        Some(_) => check_cluster_size(at, 3),
    }
}
