//! Non-uniform instructions (specification, section 3.32.24), and their
//! forerunners in `SPV_KHR_shader_ballot` and `SPV_KHR_subgroup_vote`.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{Capability, GroupOperation, Op, Scope, Version};

use super::groups::{Kind, expect, expect_result_type};
use super::{Family, arithmetic, scopes};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &SCOPE,
        &ROTATE_SCOPE,
        &VULKAN_SCOPE,
        &VOTE_RESULT,
        &PREDICATE,
        &RESULT,
        &VALUE,
        &ENCODING,
        &BALLOT_RESULT,
        &BALLOT_VALUE,
        &INDEX,
        &INDEX_CONSTANT,
        &BIT_COUNT_OPERATION,
        &CLUSTER_MISSING,
        &CLUSTER_SIZE,
        &CLUSTER_CONSTANT,
        &CLUSTER_POWER,
        &PARTITION,
    ],
};

static SCOPE: Rule = Rule {
    id: "non-uniform.scope",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The scope of non-uniform group instructions is `Subgroup`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %bool %u32_2",
        keeps: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %bool %u32_3",
    },
};

static ROTATE_SCOPE: Rule = Rule {
    id: "non-uniform.rotate-scope",
    class: InvalidData,
    section: "SPV_KHR_subgroup_rotate",
    vuids: &[],
    text: "The scope of a rotation is `Subgroup` or `Workgroup`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformRotateKHR
OpExtension \"SPV_KHR_subgroup_rotate\"
%other = OpGroupNonUniformRotateKHR %u32 %u32_1 %u32_0 %u32_1",
        keeps: "OpCapability GroupNonUniformRotateKHR
OpExtension \"SPV_KHR_subgroup_rotate\"
%other = OpGroupNonUniformRotateKHR %u32 %u32_3 %u32_0 %u32_1",
    },
};

static VULKAN_SCOPE: Rule = Rule {
    id: "non-uniform.vulkan-scope",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-None-04642"],
    text: "In Vulkan, the scope of all group instructions is `Subgroup`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %bool %u32_2",
        keeps: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %bool %u32_3",
    },
};

static VOTE_RESULT: Rule = Rule {
    id: "non-uniform.vote-result",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The result of an election, a vote or a test of one bit of a ballot is a boolean scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %u32 %u32_3",
        keeps: "OpCapability GroupNonUniform
%first = OpGroupNonUniformElect %bool %u32_3",
    },
};

static PREDICATE: Rule = Rule {
    id: "non-uniform.predicate",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The predicate of a vote is a boolean scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformVote
%all = OpGroupNonUniformAll %bool %u32_3 %u32_1",
        keeps: "OpCapability GroupNonUniformVote
%all = OpGroupNonUniformAll %bool %u32_3 %true",
    },
};

static RESULT: Rule = Rule {
    id: "non-uniform.result",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The result of an operation over a group is a scalar or vector of the kind of number that the instruction's \
           name says; if it only moves values, any scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformArithmetic
%sum = OpGroupNonUniformIAdd %f32 %u32_3 Reduce %f32_1",
        keeps: "OpCapability GroupNonUniformArithmetic
%sum = OpGroupNonUniformFAdd %f32 %u32_3 Reduce %f32_1",
    },
};

static VALUE: Rule = Rule {
    id: "non-uniform.value",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The value that a group instruction combines or moves has the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformArithmetic
%sum = OpGroupNonUniformIAdd %i32 %u32_3 Reduce %u32_1",
        keeps: "OpCapability GroupNonUniformArithmetic
%sum = OpGroupNonUniformIAdd %u32 %u32_3 Reduce %u32_1",
    },
};

static ENCODING: Rule = Rule {
    id: "non-uniform.encoding",
    class: InvalidData,
    section: "SPV_KHR_bfloat16, SPV_EXT_float8",
    vuids: &[],
    text: "Non-uniform group instructions don't work on floats of encodings other than IEEE 754.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformShuffle
OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%value = OpConstantNull %bf16
%other = OpGroupNonUniformShuffle %bf16 %u32_3 %value %u32_0",
        keeps: "OpCapability GroupNonUniformShuffle
%other = OpGroupNonUniformShuffle %f16 %u32_3 %f16_0 %u32_0",
    },
};

static BALLOT_RESULT: Rule = Rule {
    id: "non-uniform.ballot-result",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The result of a ballot or a partition is a vector of four unsigned integers; what is counted or found in a \
           ballot is an unsigned integer scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformBallot
%ballot = OpGroupNonUniformBallot %v4i32 %u32_3 %true",
        keeps: "OpCapability GroupNonUniformBallot
%ballot = OpGroupNonUniformBallot %v4u32 %u32_3 %true",
    },
};

static BALLOT_VALUE: Rule = Rule {
    id: "non-uniform.ballot-value",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The ballot that an instruction takes is a vector of four unsigned integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformBallot
%lowest = OpGroupNonUniformBallotFindLSB %u32 %u32_3 %v3u32_0",
        keeps: "OpCapability GroupNonUniformBallot
%lowest = OpGroupNonUniformBallotFindLSB %u32 %u32_3 %v4u32_0",
    },
};

static INDEX: Rule = Rule {
    id: "non-uniform.index",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The operand that selects the invocation whose value is taken (an id, an index, a mask, a delta, a \
           direction) is an unsigned integer scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformShuffle
%other = OpGroupNonUniformShuffle %u32 %u32_3 %u32_0 %i32_1",
        keeps: "OpCapability GroupNonUniformShuffle
%other = OpGroupNonUniformShuffle %u32 %u32_3 %u32_0 %u32_1",
    },
};

static INDEX_CONSTANT: Rule = Rule {
    id: "non-uniform.index-constant",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "Before SPIR-V 1.5, the id of a broadcast and the index of a quad broadcast are constants.",
    example: Example {
        frame: Frame::ShaderFor("spv1.4"),
        breaks: "OpCapability GroupNonUniformBallot
%own = OpVariable %ptr_Function_u32 Function
%id = OpLoad %u32 %own
%other = OpGroupNonUniformBroadcast %u32 %u32_3 %u32_0 %id",
        keeps: "OpCapability GroupNonUniformBallot
%other = OpGroupNonUniformBroadcast %u32 %u32_3 %u32_0 %u32_1",
    },
};

static BIT_COUNT_OPERATION: Rule = Rule {
    id: "non-uniform.bit-count-operation",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685"],
    text: "In Vulkan, the bits of a ballot are counted with `Reduce`, `InclusiveScan` or `ExclusiveScan`.",
    example: Example {
        frame: Frame::ShaderFor("vulkan1.3"),
        breaks: "OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformClustered
%bits = OpGroupNonUniformBallotBitCount %u32 %u32_3 ClusteredReduce %v4u32_0",
        keeps: "OpCapability GroupNonUniformBallot
%bits = OpGroupNonUniformBallotBitCount %u32 %u32_3 Reduce %v4u32_0",
    },
};

static CLUSTER_MISSING: Rule = Rule {
    id: "non-uniform.cluster-missing",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "`ClusteredReduce` needs the size of the clusters, and the partitioned operations need the ballot that \
           defines the partition.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformClustered
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1",
        keeps: "OpCapability GroupNonUniformClustered
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %u32_4",
    },
};

static CLUSTER_SIZE: Rule = Rule {
    id: "non-uniform.cluster-size",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The size of a cluster is an unsigned integer scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformClustered
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %i32_2",
        keeps: "OpCapability GroupNonUniformClustered
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %u32_4",
    },
};

static CLUSTER_CONSTANT: Rule = Rule {
    id: "non-uniform.cluster-constant",
    class: InvalidData,
    section: "3.32.24",
    vuids: &[],
    text: "The size of a cluster is a constant.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformClustered
%own = OpVariable %ptr_Function_u32 Function
%size = OpLoad %u32 %own
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %size",
        keeps: "OpCapability GroupNonUniformClustered
%sum = OpGroupNonUniformIAdd %u32 %u32_3 ClusteredReduce %u32_1 %u32_4",
    },
};

static CLUSTER_POWER: Rule = Rule {
    id: "non-uniform.cluster-power",
    class: InvalidData,
    section: "SPV_KHR_subgroup_rotate",
    vuids: &[],
    text: "The size of a cluster within which values rotate is a power of two; otherwise, the behavior is undefined. \
           This is a warning.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformRotateKHR
OpExtension \"SPV_KHR_subgroup_rotate\"
%other = OpGroupNonUniformRotateKHR %u32 %u32_3 %u32_0 %u32_1 %u32_3",
        keeps: "OpCapability GroupNonUniformRotateKHR
OpExtension \"SPV_KHR_subgroup_rotate\"
%other = OpGroupNonUniformRotateKHR %u32 %u32_3 %u32_0 %u32_1 %u32_4",
    },
};

static PARTITION: Rule = Rule {
    id: "non-uniform.partition",
    class: InvalidData,
    section: "SPV_NV_shader_subgroup_partitioned",
    vuids: &[],
    text: "The ballot of a partitioned operation is a vector of four integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability GroupNonUniformPartitionedNV
OpExtension \"SPV_NV_shader_subgroup_partitioned\"
%sum = OpGroupNonUniformIAdd %u32 %u32_3 PartitionedReduceNV %u32_1 %v3u32_0",
        keeps: "OpCapability GroupNonUniformPartitionedNV
OpExtension \"SPV_NV_shader_subgroup_partitioned\"
%sum = OpGroupNonUniformIAdd %u32 %u32_3 PartitionedReduceNV %u32_1 %v4u32_0",
    },
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
                expect(at, &VALUE, 1, "value", Kind::Any.name(), is_value),
                check_encoding(at, 1),
            ])
        }
        O::GroupNonUniformBroadcastFirst => check_moved(at, 1),
        O::SubgroupFirstInvocationKHR | O::SubgroupReadInvocationKHR => check_moved(at, 0),
        O::GroupNonUniformBroadcast
        | O::GroupNonUniformQuadBroadcast
        | O::GroupNonUniformQuadSwap => {
            let index = expect(at, &INDEX, 2, "index", UNSIGNED, is_unsigned);
            let may_vary = at.m.version >= Version::new(1, 5)
                || at.m.type_of(at.id(2)).is_none()
                || at.m.is_constant(at.id(2));
            let constant = match may_vary {
                true => Ok(()),
                false => {
                    let expected = "a constant before SPIR-V 1.5";
                    Err(at.wrong_operand(&INDEX_CONSTANT, at.id(2), "index", expected))
                }
            };
            all([check_moved(at, 1), index, constant])
        }
        O::GroupNonUniformShuffle
        | O::GroupNonUniformShuffleXor
        | O::GroupNonUniformShuffleUp
        | O::GroupNonUniformShuffleDown => all([
            check_moved(at, 1),
            expect(at, &INDEX, 2, "index", UNSIGNED, is_unsigned),
        ]),
        O::GroupNonUniformRotateKHR => check_rotate(at),
        O::GroupNonUniformBallot => all([expect_ballot_result(at), expect_predicate(at, 1)]),
        O::SubgroupBallotKHR => all([expect_ballot_result(at), expect_predicate(at, 0)]),
        O::GroupNonUniformPartitionEXT => expect_ballot_result(at),
        O::GroupNonUniformInverseBallot => all([
            expect_bool_result(at),
            expect(at, &BALLOT_VALUE, 1, "ballot", BALLOT, is_ballot),
        ]),
        O::GroupNonUniformBallotBitExtract => all([
            expect_bool_result(at),
            expect(at, &BALLOT_VALUE, 1, "ballot", BALLOT, is_ballot),
            expect(at, &INDEX, 2, "index", UNSIGNED, is_unsigned),
        ]),
        O::GroupNonUniformBallotFindLSB | O::GroupNonUniformBallotFindMSB => all([
            expect_unsigned_result(at),
            expect(at, &BALLOT_VALUE, 1, "ballot", BALLOT, is_ballot),
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
        () if at.m.env.is_vulkan_since(1) => (&VULKAN_SCOPE, "`Subgroup`"),
        () if rotates && value == Scope::Workgroup => return Ok(()),
        () if rotates => (&ROTATE_SCOPE, "`Subgroup` or `Workgroup`"),
        () => (&SCOPE, "`Subgroup`"),
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
        false => Err(at.wrong_result(&VOTE_RESULT, BOOL)),
    }
}

fn expect_unsigned_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_unsigned_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&BALLOT_RESULT, UNSIGNED)),
    }
}

fn expect_ballot_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match is_ballot(at.m, at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&BALLOT_RESULT, BALLOT)),
    }
}

fn expect_predicate(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let is_bool = |m: &Module<'_>, ty| m.is_bool_scalar(ty);
    expect(at, &PREDICATE, index, "predicate", BOOL, is_bool)
}

/// A value that only moves between invocations.
fn check_moved(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    if !Kind::Any.is_scalar_or_vector(at.m, at.result_type()) {
        return Err(at.wrong_result(&RESULT, Kind::Any.name()));
    }
    all([
        check_encoding(at, value),
        expect_result_type(at, &VALUE, value, "value"),
    ])
}

/// Checks that a value is no float of an encoding other than IEEE 754.
fn check_encoding(at: &InstCtx<'_, '_>, value: usize) -> CheckResult {
    let expected = "of IEEE 754 numbers";
    expect(at, &ENCODING, value, "value", expected, |m, ty| {
        arithmetic::encoding(m, ty).is_none()
    })
}

fn check_rotate(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        check_moved(at, 1),
        expect(at, &INDEX, 2, "delta", UNSIGNED, is_unsigned),
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
            let finding = at.finding(&CLUSTER_POWER, message).warning();
            Err(finding.about(at.m, size, "the size is defined here"))
        }
        _ => Ok(()),
    }
}

fn check_cluster_size(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let name = "cluster size";
    let unsigned = expect(at, &CLUSTER_SIZE, index, name, UNSIGNED, is_unsigned);
    let size = at.id(index);
    let constant = match at.m.type_of(size).is_some() && !at.m.is_constant(size) {
        true => Err(at.wrong_operand(&CLUSTER_CONSTANT, size, name, "a constant")),
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
            Err(at.finding(&BIT_COUNT_OPERATION, message))
        }
        false => Ok(()),
    };
    let expected = "a vector of four integers";
    all([
        expect_unsigned_result(at),
        expect(at, &BALLOT_VALUE, 2, "ballot", expected, is_int_ballot),
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
            expect_result_type(at, &VALUE, 2, "value"),
        ]),
        false => Err(at.wrong_result(&RESULT, kind.name())),
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
            Err(at.finding(&CLUSTER_MISSING, message))
        }
        None => Ok(()),
        Some(_) if is_partitioned && at.m.has(Capability::GroupNonUniformPartitionedEXT) => {
            let expected = "a vector of four integers";
            expect(at, &PARTITION, 3, "ballot", expected, is_int_ballot)
        }
        Some(_) => check_cluster_size(at, 3),
    }
}
