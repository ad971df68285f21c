//! What single instructions need.

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Class, Op, Scope, StorageClass};

use super::{Need, Wanted, feature, features};

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    for inst in m.all_instructions() {
        if let Some((vuid, what, wanted)) = of(m, inst) {
            all.push(Need {
                offset: inst.offset(),
                vuid,
                what,
                wanted,
            });
        }
    }
}

type Found = (&'static str, String, Wanted);

fn of(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    match inst.op() {
        Op::ReadClockKHR => clock(m, inst),
        Op::ExtInstWithForwardRefsKHR => Some((
            "VUID-RuntimeSpirv-shaderRelaxedExtendedInstruction-10773",
            "`OpExtInstWithForwardRefsKHR`".into(),
            feature("shaderRelaxedExtendedInstruction"),
        )),
        Op::FmaKHR => fused(m, inst),
        Op::Variable if inst.arg(0) == StorageClass::Workgroup.0 && inst.args().len() > 1 => {
            Some((
                "VUID-RuntimeSpirv-shaderZeroInitializeWorkgroupMemory-06372",
                "an initializer in `Workgroup`".into(),
                feature("shaderZeroInitializeWorkgroupMemory"),
            ))
        }
        Op::GroupNonUniformRotateKHR if inst.args().len() > 3 => Some((
            "VUID-RuntimeSpirv-shaderSubgroupRotateClustered-09566",
            "a cluster size".into(),
            feature("shaderSubgroupRotateClustered"),
        )),
        Op::GroupNonUniformBroadcast => dynamic(
            m,
            inst,
            "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277",
        ),
        Op::GroupNonUniformQuadBroadcast => dynamic(
            m,
            inst,
            "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06276",
        ),
        op if op.is_atomic() => atomic(m, inst),
        _ if inst
            .info()
            .is_some_and(|it| it.class() == Class::NonUniform) =>
        {
            extended(m, inst)
        }
        _ => None,
    }
}

/// `SPV_KHR_shader_clock`.
fn clock(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let scope = Scope(u32::try_from(m.constant_u64(inst.id(0))?).ok()?);
    let (vuid, name) = match scope {
        Scope::Subgroup => (
            "VUID-RuntimeSpirv-shaderSubgroupClock-06267",
            "shaderSubgroupClock",
        ),
        Scope::Device => (
            "VUID-RuntimeSpirv-shaderDeviceClock-06268",
            "shaderDeviceClock",
        ),
        _ => return None,
    };
    Some((
        vuid,
        format!("a clock of the scope `{scope}`"),
        feature(name),
    ))
}

/// `SPV_KHR_fma`.
fn fused(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let width = m.bit_width(inst.result_type()?);
    let (vuid, name) = match width {
        16 => (
            "VUID-RuntimeSpirv-shaderFmaFloat16-10977",
            "shaderFmaFloat16",
        ),
        32 => (
            "VUID-RuntimeSpirv-shaderFmaFloat32-10978",
            "shaderFmaFloat32",
        ),
        64 => (
            "VUID-RuntimeSpirv-shaderFmaFloat64-10979",
            "shaderFmaFloat64",
        ),
        _ => return None,
    };
    Some((vuid, format!("`OpFmaKHR` on {width} bits"), feature(name)))
}

/// A broadcast whose index is no constant.
fn dynamic(m: &ModuleIndex<'_>, inst: Inst<'_>, vuid: &'static str) -> Option<Found> {
    match m.is_constant(inst.id(2)) {
        true => extended(m, inst),
        false => Some((
            vuid,
            "an index that is no constant".into(),
            feature("subgroupBroadcastDynamicId"),
        )),
    }
}

/// Group operations on other widths than 32 bits.
fn extended(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let ty = inst.result_type()?;
    let width = m.bit_width(ty);
    let is_extended = match m.ty(m.scalar_or_vector_component(ty)) {
        Type::Int { .. } => width != 32,
        Type::Float { .. } => width == 16,
        _ => false,
    };
    is_extended.then(|| {
        (
            "VUID-RuntimeSpirv-None-06275",
            format!("a group operation on {width} bits"),
            feature("shaderSubgroupExtendedTypes"),
        )
    })
}

/// Atomic operations on 64-bit integers and on floating-point numbers.
fn atomic(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let ty = value_type(m, inst)?;
    let class = m.pointer_class(m.type_of(inst.id(0))?)?;
    let width = m.bit_width(ty);
    let found = |vuid, kind: &str, wanted| {
        Some((
            vuid,
            format!("an atomic operation on a {width}-bit {kind} in `{class}`"),
            wanted,
        ))
    };
    match (m.ty(ty), class) {
        (Type::Int { width: 64, .. }, StorageClass::StorageBuffer | StorageClass::Uniform) => {
            found(
                "VUID-RuntimeSpirv-None-06278",
                "integer",
                feature("shaderBufferInt64Atomics"),
            )
        }
        (Type::Int { width: 64, .. }, StorageClass::Workgroup) => found(
            "VUID-RuntimeSpirv-None-06279",
            "integer",
            feature("shaderSharedInt64Atomics"),
        ),
        (Type::Int { width: 64, .. }, StorageClass::Image) => found(
            "VUID-RuntimeSpirv-None-06288",
            "integer",
            feature("shaderImageInt64Atomics"),
        ),
        (Type::Float { .. }, StorageClass::StorageBuffer) => found(
            "VUID-RuntimeSpirv-None-06284",
            "number",
            features(BUFFER_FLOATS),
        ),
        (Type::Float { .. }, StorageClass::Workgroup) => found(
            "VUID-RuntimeSpirv-None-06285",
            "number",
            features(SHARED_FLOATS),
        ),
        (Type::Float { width: 32, .. }, StorageClass::Image) => found(
            "VUID-RuntimeSpirv-None-06286",
            "number",
            features(IMAGE_FLOATS),
        ),
        _ => None,
    }
}

const BUFFER_FLOATS: &[&str] = &[
    "shaderBufferFloat32Atomics",
    "shaderBufferFloat32AtomicAdd",
    "shaderBufferFloat64Atomics",
    "shaderBufferFloat64AtomicAdd",
    "shaderBufferFloat16Atomics",
    "shaderBufferFloat16AtomicAdd",
    "shaderBufferFloat16AtomicMinMax",
    "shaderBufferFloat32AtomicMinMax",
    "shaderBufferFloat64AtomicMinMax",
    "shaderFloat16VectorAtomics",
];

const SHARED_FLOATS: &[&str] = &[
    "shaderSharedFloat32Atomics",
    "shaderSharedFloat32AtomicAdd",
    "shaderSharedFloat64Atomics",
    "shaderSharedFloat64AtomicAdd",
    "shaderSharedFloat16Atomics",
    "shaderSharedFloat16AtomicAdd",
    "shaderSharedFloat16AtomicMinMax",
    "shaderSharedFloat32AtomicMinMax",
    "shaderSharedFloat64AtomicMinMax",
    "shaderFloat16VectorAtomics",
];

const IMAGE_FLOATS: &[&str] = &[
    "shaderImageFloat32Atomics",
    "shaderImageFloat32AtomicAdd",
    "shaderImageFloat32AtomicMinMax",
];

/// The type of what an atomic operation is on.
fn value_type(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Id> {
    match inst.op() {
        Op::AtomicStore => m.type_of(inst.id(3)),
        Op::AtomicFlagTestAndSet | Op::AtomicFlagClear => None,
        _ => inst.result_type(),
    }
}
