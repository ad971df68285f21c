//! What instructions do besides giving a result, and so where they may be.

use spirvkit_grammar::{Class, ExtInstSet, GlslStd450, Op, OpenClStd};

use crate::unit::{Unit, Value};

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing, whatever its operands are: it may be anywhere.
    Total,
    /// Nothing, but it depends on where it is: on who executes it with it, or on a condition
    /// under which it is defined. One that another dominates gives the same.
    Partial,
    /// The same, and each gives something of its own.
    Single,
    /// It joins an image and a sampler, in the block that uses both.
    SampledImage,
    /// It reads memory.
    Load,
    /// It writes memory.
    Store,
    /// It copies memory.
    Copy,
    /// It reads and writes memory that other invocations see, or waits for others.
    Synchronize,
    /// It may do anything.
    Anything,
    /// It says something about the program, and does nothing.
    Remark,
    /// It is about a variable, and does nothing if that is none.
    Lifetime,
}

/// What an instruction in a block does, terminators, merges, labels, phis and variables excepted.
pub(crate) fn effect(unit: &Unit, value: Value) -> Effect {
    let op = unit.op(value);
    match by_opcode(op) {
        Some(Effect::Partial) if is_division(op) && has_safe_divisor(unit, value) => Effect::Total,
        Some(Effect::Total) if is_matrix_of_group(unit, value) => Effect::Partial,
        Some(effect) => effect,
        None if op.is_ext_inst() => extended(unit, value),
        None => Effect::Anything,
    }
}

fn by_opcode(op: Op) -> Option<Effect> {
    let effect = match op {
        Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod => Effect::Partial,
        Op::VectorExtractDynamic | Op::VectorInsertDynamic => Effect::Partial,
        Op::CooperativeMatrixMulAddKHR
        | Op::CooperativeMatrixConvertUseEXT
        | Op::CooperativeMatrixTransposeNV
        | Op::BitCastArrayQCOM
        | Op::CompositeConstructCoopMatQCOM
        | Op::CompositeExtractCoopMatQCOM
        | Op::ExtractSubArrayQCOM
        | Op::ConditionalCopyObjectINTEL
        | Op::GenericCastToPtrExplicit => Effect::Single,
        Op::Undef
        | Op::SizeOf
        | Op::PoisonKHR
        | Op::FreezeKHR
        | Op::ExpectKHR
        | Op::ArithmeticFenceEXT
        | Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR
        | Op::ArrayLength
        | Op::UntypedArrayLengthKHR
        | Op::PtrEqual
        | Op::PtrNotEqual
        | Op::PtrDiff
        | Op::Image => Effect::Total,
        Op::SampledImage => Effect::SampledImage,
        Op::Load => Effect::Load,
        Op::Store => Effect::Store,
        Op::CopyMemory | Op::CopyMemorySized => Effect::Copy,
        Op::LifetimeStart | Op::LifetimeStop => Effect::Lifetime,
        Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageFetch
        | Op::ImageGather
        | Op::ImageDrefGather
        | Op::ImageQueryFormat
        | Op::ImageQueryOrder
        | Op::ImageQuerySizeLod
        | Op::ImageQuerySize
        | Op::ImageQueryLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples
        | Op::ImageSparseSampleImplicitLod
        | Op::ImageSparseSampleExplicitLod
        | Op::ImageSparseSampleDrefImplicitLod
        | Op::ImageSparseSampleDrefExplicitLod
        | Op::ImageSparseFetch
        | Op::ImageSparseGather
        | Op::ImageSparseDrefGather
        | Op::ImageSparseTexelsResident => Effect::Partial,
        Op::ImageRead | Op::ImageSparseRead | Op::GenericPtrMemSemantics => Effect::Single,
        Op::ImageTexelPointer => Effect::Partial,
        Op::CooperativeMatrixLengthKHR => Effect::Total,
        Op::Nop => Effect::Remark,
        _ => {
            let class = op.info()?.class();
            match class {
                Class::Conversion
                | Class::Composite
                | Class::Arithmetic
                | Class::Bit
                | Class::RelationalAndLogical => Effect::Total,
                Class::Derivative => Effect::Partial,
                Class::Atomic | Class::Barrier => Effect::Synchronize,
                _ => return None,
            }
        }
    };
    Some(effect)
}

/// Whether an operation divides integers, which is undefined for some, and looks at nothing else.
pub(crate) fn is_division(op: Op) -> bool {
    matches!(op, Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod)
}

/// Whether a division divides by a constant for which it is defined, whatever is divided.
fn has_safe_divisor(unit: &Unit, value: Value) -> bool {
    let divisor = unit.find(unit.operand(value, 1));
    let Some((scalar, _)) = unit.shape(unit.node(value).ty) else {
        return false;
    };
    // The smallest number can't be divided by the greatest one.
    unit.bits(divisor)
        .is_some_and(|bits| bits != 0 && bits & scalar.mask() != scalar.mask())
}

/// Whether a result is a matrix that a group of invocations holds together.
fn is_matrix_of_group(unit: &Unit, value: Value) -> bool {
    let is_shared = |ty: u32| {
        matches!(
            unit.op(ty),
            Op::TypeCooperativeMatrixKHR
                | Op::TypeCooperativeMatrixNV
                | Op::TypeCooperativeVectorNV
        )
    };
    let node = unit.node(value);
    is_shared(node.ty) || unit.ids(value).any(|(_, id)| is_shared(unit.node(id).ty))
}

fn extended(unit: &Unit, value: Value) -> Effect {
    let import = unit.operand(value, 0);
    let number = unit.operand(value, 1);
    let Some(set) = unit.instruction_set(import) else {
        return Effect::Anything;
    };
    if unit.is_debug(value) {
        return Effect::Remark;
    }
    match set {
        ExtInstSet::GlslStd450 => match GlslStd450(number) {
            GlslStd450::Modf | GlslStd450::Frexp => Effect::Anything,
            GlslStd450::InterpolateAtCentroid
            | GlslStd450::InterpolateAtSample
            | GlslStd450::InterpolateAtOffset => Effect::Partial,
            _ => Effect::Total,
        },
        ExtInstSet::OpenClStd => match OpenClStd(number) {
            OpenClStd::fract
            | OpenClStd::frexp
            | OpenClStd::lgamma_r
            | OpenClStd::modf
            | OpenClStd::remquo
            | OpenClStd::sincos
            | OpenClStd::printf
            | OpenClStd::prefetch => Effect::Anything,
            function => {
                let name = set.instruction(function.0).map_or("", |info| info.name());
                match name.starts_with("vload") || name.starts_with("vstore") {
                    true => Effect::Anything,
                    false => Effect::Total,
                }
            }
        },
        _ => Effect::Anything,
    }
}
