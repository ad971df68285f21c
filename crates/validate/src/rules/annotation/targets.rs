//! What each decoration may stand on (specification, section 3.20).

use spirvkit_binary::Id;
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{Decoration, Op, StorageClass};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Inst, Lookup};
use crate::pattern::{INT, Pattern};
use crate::rules::generated::annotation;

/// What decorations may stand on.
enum Target {
    Member,
    Structure,
    ArrayOrPointer,
    SpecConstant,
    MemoryObject,
    Variable,
    Conversion,
    /// A value that is a pointer into one of these storage classes.
    PointerInto(&'static [StorageClass]),
    /// An array of bytes.
    Characters,
    Any,
}

/// Memory whose stores may be cached in one way or another.
const STORE_CACHED: &[StorageClass] = &[
    StorageClass::Function,
    StorageClass::CrossWorkgroup,
    StorageClass::Generic,
];
/// The same for loads.
const LOAD_CACHED: &[StorageClass] = &[
    StorageClass::Function,
    StorageClass::UniformConstant,
    StorageClass::CrossWorkgroup,
    StorageClass::Generic,
];

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
        | Decoration::InputAttachmentIndex
        | Decoration::HitObjectShaderRecordBufferEXT => Target::Variable,
        Decoration::CooperativeMatrixTransposeEXT => Target::Conversion,
        Decoration::CacheControlLoadINTEL => Target::PointerInto(LOAD_CACHED),
        Decoration::CacheControlStoreINTEL => Target::PointerInto(STORE_CACHED),
        Decoration::UTFEncodedKHR => Target::Characters,
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
        "`{}` can't decorate a member of a structure",
        decorated.decoration
    );
    Err(at.finding(&annotation::NO_MEMBERS, message))
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
        Target::Member => (&annotation::MEMBERS_ONLY, "a member of a structure"),
        Target::Structure if op == Op::TypeStruct => return Ok(()),
        Target::Structure => (&annotation::STRUCTURE, "a structure type"),
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
        Target::ArrayOrPointer => (&annotation::ARRAY_OR_POINTER, "an array or pointer type"),
        Target::SpecConstant if has_own_value(op) => return Ok(()),
        Target::SpecConstant => (
            &annotation::SPECIALIZATION_CONSTANT,
            "a specialization constant with a value of its own",
        ),
        Target::MemoryObject if is_memory_object(op) => {
            let ty = target.result_type();
            if ty.is_none_or(|ty| m.is_pointer(ty) || m.def_offset(ty) == 0) {
                return Ok(());
            }
            (&annotation::MEMORY_OBJECT, "a pointer")
        }
        Target::MemoryObject => (
            &annotation::MEMORY_OBJECT,
            "a variable, or a parameter that is a pointer",
        ),
        Target::Variable if op.is_variable() => return Ok(()),
        Target::Variable => (&annotation::VARIABLE, "a variable"),
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
            (
                &annotation::COOPERATIVE_MATRIX_TRANSPOSE,
                "a conversion of a cooperative matrix",
            )
        }
        Target::PointerInto(classes) => {
            return check_pointer_into(at, decorated, target, classes);
        }
        Target::Characters if is_array_of_bytes(at, target) => return Ok(()),
        Target::Characters => (
            &annotation::UTF_ENCODED,
            "a type of arrays of 8-bit integers",
        ),
    };
    let id = target.result().unwrap_or_else(|| at.id(0));
    let message = format!(
        "`{}` must decorate {wanted}, but {} is an {op}",
        decorated.decoration,
        m.name(id)
    );
    Err(at
        .finding(rule, message)
        .about(m, id, "the target is defined here"))
}

/// Checks a decoration of pointers into some storage classes.
fn check_pointer_into(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: Inst<'_>,
    classes: &'static [StorageClass],
) -> CheckResult {
    let m = at.m;
    let ty = target.result_type().unwrap_or(Id(0));
    if Pattern::pointer_into(classes).matches(m, ty) {
        return Ok(());
    }
    let id = target.result().unwrap_or_else(|| at.id(0));
    let classes = alternatives(classes.iter().map(|class| format!("`{class}`")));
    let message = format!(
        "`{}` must decorate a pointer into {classes}, but {} is {}",
        decorated.decoration,
        m.name(id),
        m.show_operand(id)
    );
    let finding = at.finding(&annotation::CACHE_CONTROL, message);
    Err(finding.about(m, id, "the target is defined here"))
}

/// Whether a definition is the type of arrays of integers of 8 bits.
fn is_array_of_bytes(at: &InstCtx<'_, '_>, target: Inst<'_>) -> bool {
    target.op().is_array_type() && INT.widths(&[8]).matches(at.m, target.id(0))
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
    op.is_variable()
        || matches!(
            op,
            Op::FunctionParameter | Op::RawAccessChainNV | Op::BufferPointerEXT
        )
}
