//! What each decoration may stand on (specification, section 3.20).

use spirvkit_diagnostics::ErrorClass::InvalidId;
use spirvkit_grammar::{Decoration, Op};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Inst};
use crate::rule::{Example, Frame, Rule};

pub(super) static MEMBERS_ONLY: Rule = Rule {
    id: "annotation.members-only",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "`RowMajor`, `ColMajor`, `MatrixStride` and `OffsetIdEXT` say how a member of a structure is laid out, so \
           they decorate nothing else.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %mat2 ColMajor",
        keeps: "OpMemberDecorate %struct 0 ColMajor\n%struct = OpTypeStruct %mat2",
    },
};

pub(super) static NO_MEMBERS: Rule = Rule {
    id: "annotation.no-members",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "Decorations of types, variables and instructions don't decorate members of structures.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpMemberDecorate %struct 0 Binding 0\n%struct = OpTypeStruct %mat2",
        keeps: "OpDecorate %private_u32 Binding 0",
    },
};

pub(super) static STRUCTURE: Rule = Rule {
    id: "annotation.structure",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "`Block`, `BufferBlock`, `GLSLShared`, `GLSLPacked` and `CPacked` decorate structures.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %mat2 Block",
        keeps: "OpDecorate %struct Block\n%struct = OpTypeStruct %mat2",
    },
};

pub(super) static ARRAY_OR_POINTER: Rule = Rule {
    id: "annotation.array-or-pointer",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "`ArrayStride` decorates arrays, and pointers that are treated as pointing into arrays.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %mat2 ArrayStride 8",
        keeps: "OpDecorate %array ArrayStride 8\n%array = OpTypeRuntimeArray %v2f32",
    },
};

pub(super) static SPEC_CONSTANT: Rule = Rule {
    id: "annotation.specialization-constant",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "`SpecId` decorates specialization constants that have a value of their own: scalars, data and queries of \
           the target's features. What is computed from other constants changes with them.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %u32_1 SpecId 1",
        keeps: "OpDecorate %spec SpecId 1\n%spec = OpSpecConstant %u32 1",
    },
};

pub(super) static MEMORY_OBJECT: Rule = Rule {
    id: "annotation.memory-object",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "Decorations that say how memory is accessed or interpolated are for declarations of memory objects: \
           variables, and function parameters that are pointers.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %f32_0 Aliased",
        keeps: "OpDecorate %private_f32 Aliased",
    },
};

pub(super) static VARIABLE: Rule = Rule {
    id: "annotation.variable",
    class: InvalidId,
    section: "3.20",
    vuids: &[],
    text: "Decorations that say where a variable is found are for variables.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %f32_0 Location 0",
        keeps: "OpDecorate %private_f32 Location 0",
    },
};

pub(super) static TRANSPOSE: Rule = Rule {
    id: "annotation.cooperative-matrix-transpose",
    class: InvalidId,
    section: "SPV_EXT_cooperative_matrix_maintenance1",
    vuids: &[],
    text: "`CooperativeMatrixTransposeEXT` decorates conversions of cooperative matrices.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsEXT
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
OpMemoryModel Logical Vulkan
OpDecorate %one CooperativeMatrixTransposeEXT
%f32 = OpTypeFloat 32
%one = OpConstant %f32 1",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsEXT
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_cooperative_matrix\"
OpExtension \"SPV_EXT_cooperative_matrix_maintenance1\"
OpMemoryModel Logical Vulkan
%f32 = OpTypeFloat 32
%one = OpConstant %f32 1",
    },
};

/// What decorations may stand on.
enum Target {
    Member,
    Structure,
    ArrayOrPointer,
    SpecConstant,
    MemoryObject,
    Variable,
    Conversion,
    Any,
}

fn target_of(decoration: Decoration) -> Target {
    match decoration {
        Decoration::RowMajor
        | Decoration::ColMajor
        | Decoration::MatrixStride
        | Decoration::OffsetIdEXT => Target::Member,
        Decoration::Block
        | Decoration::BufferBlock
        | Decoration::GLSLShared
        | Decoration::GLSLPacked
        | Decoration::CPacked => Target::Structure,
        Decoration::ArrayStride => Target::ArrayOrPointer,
        Decoration::SpecId => Target::SpecConstant,
        Decoration::NoPerspective
        | Decoration::Flat
        | Decoration::Patch
        | Decoration::Centroid
        | Decoration::Component
        | Decoration::Sample
        | Decoration::Restrict
        | Decoration::Aliased
        | Decoration::Volatile
        | Decoration::Coherent
        | Decoration::NonWritable
        | Decoration::NonReadable
        | Decoration::Stream
        | Decoration::XfbBuffer
        | Decoration::XfbStride
        | Decoration::PerPrimitiveEXT
        | Decoration::PerVertexKHR
        | Decoration::AliasedPointer
        | Decoration::RestrictPointer => Target::MemoryObject,
        Decoration::Invariant
        | Decoration::Constant
        | Decoration::Location
        | Decoration::Index
        | Decoration::Binding
        | Decoration::DescriptorSet
        | Decoration::InputAttachmentIndex => Target::Variable,
        Decoration::CooperativeMatrixTransposeEXT => Target::Conversion,
        _ => Target::Any,
    }
}

/// Whether a decoration is for anything but members.
fn is_not_for_members(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::SpecId
            | Decoration::Block
            | Decoration::BufferBlock
            | Decoration::ArrayStride
            | Decoration::ArrayStrideIdEXT
            | Decoration::GLSLShared
            | Decoration::GLSLPacked
            | Decoration::CPacked
            // Restrict is left out: front ends put it on members.
            | Decoration::Aliased
            | Decoration::Constant
            | Decoration::Uniform
            | Decoration::UniformId
            | Decoration::SaturatedConversion
            | Decoration::Index
            | Decoration::Binding
            | Decoration::DescriptorSet
            | Decoration::FuncParamAttr
            | Decoration::FPRoundingMode
            | Decoration::FPFastMathMode
            | Decoration::LinkageAttributes
            | Decoration::NoContraction
            | Decoration::InputAttachmentIndex
            | Decoration::Alignment
            | Decoration::MaxByteOffset
            | Decoration::AlignmentId
            | Decoration::MaxByteOffsetId
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap
            | Decoration::NonUniform
            | Decoration::RestrictPointer
            | Decoration::AliasedPointer
            | Decoration::CounterBuffer
    )
}

/// Checks that a decoration may stand on a member.
pub(super) fn check_member(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    if !is_not_for_members(decorated.decoration) {
        return Ok(());
    }
    let message = format!(
        "{} can't decorate a member of a structure",
        decorated.decoration
    );
    Err(at.finding(&NO_MEMBERS, message))
}

/// Whether the decoration's target matters through groups, too. Others reach
/// through groups what they say nothing of.
pub(super) fn is_bound_in_groups(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::Block
            | Decoration::BufferBlock
            | Decoration::NonWritable
            | Decoration::Component
            | Decoration::Location
    )
}

/// Checks that a decoration may stand on its target, which is no member.
pub(super) fn check(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Inst<'_>,
) -> CheckResult {
    let m = at.m;
    let op = target.op();
    let (rule, wanted) = match target_of(decorated.decoration) {
        Target::Any => return Ok(()),
        Target::Member => (&MEMBERS_ONLY, "a member of a structure"),
        Target::Structure if op == Op::TypeStruct => return Ok(()),
        Target::Structure => (&STRUCTURE, "a structure type"),
        Target::ArrayOrPointer
            if matches!(
                op,
                Op::TypeArray
                    | Op::TypeRuntimeArray
                    | Op::TypePointer
                    | Op::TypeUntypedPointerKHR
                    | Op::TypeNodePayloadArrayAMDX
            ) =>
        {
            return Ok(());
        }
        Target::ArrayOrPointer => (&ARRAY_OR_POINTER, "an array or pointer type"),
        Target::SpecConstant if has_own_value(op) => return Ok(()),
        Target::SpecConstant => (
            &SPEC_CONSTANT,
            "a specialization constant with a value of its own",
        ),
        Target::MemoryObject if is_memory_object(op) => {
            let ty = target.result_type();
            if ty.is_none_or(|ty| m.is_pointer(ty) || m.def_offset(ty) == 0) {
                return Ok(());
            }
            (&MEMORY_OBJECT, "a pointer")
        }
        Target::MemoryObject => (
            &MEMORY_OBJECT,
            "a variable, or a parameter that is a pointer",
        ),
        Target::Variable if is_variable(op) => return Ok(()),
        Target::Variable => (&VARIABLE, "a variable"),
        Target::Conversion => {
            let converts = matches!(
                op,
                Op::FConvert
                    | Op::SConvert
                    | Op::UConvert
                    | Op::ConvertFToS
                    | Op::ConvertFToU
                    | Op::ConvertSToF
                    | Op::ConvertUToF
                    | Op::CooperativeMatrixConvertUseEXT
                    | Op::Bitcast
            );
            let is_matrix = target
                .result_type()
                .is_some_and(|ty| m.is_cooperative_matrix(ty));
            if converts && is_matrix {
                return Ok(());
            }
            (&TRANSPOSE, "a conversion of a cooperative matrix")
        }
    };
    let id = target.result().unwrap_or_else(|| at.id(0));
    let message = format!(
        "{} must decorate {wanted}, but {} is an {op}",
        decorated.decoration,
        m.name(id)
    );
    Err(at
        .finding(rule, message)
        .about(m, id, "the target is defined here"))
}

/// Whether the opcode declares a variable.
pub(super) fn is_variable(op: Op) -> bool {
    matches!(op, Op::Variable | Op::UntypedVariableKHR)
}

/// Whether the opcode makes a specialization constant that is not made of others.
fn has_own_value(op: Op) -> bool {
    matches!(
        op,
        Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantDataKHR
            | Op::SpecConstantStringAMDX
            | Op::SpecConstantTargetINTEL
            | Op::SpecConstantArchitectureINTEL
            | Op::SpecConstantCapabilitiesINTEL
    )
}

/// Whether the opcode declares a memory object.
fn is_memory_object(op: Op) -> bool {
    is_variable(op)
        || matches!(
            op,
            Op::FunctionParameter | Op::RawAccessChainNV | Op::BufferPointerEXT
        )
}
