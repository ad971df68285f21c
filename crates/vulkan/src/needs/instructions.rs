//! What single instructions need.

use std::collections::BTreeSet;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::{Id, Value as OperandValue};
use spirvkit_grammar::{Decoration, Op, Scope, StorageClass};

use super::modes::{PERMITTED, PRESERVED};
use super::sorted::Sorted;
use super::{
    Need, Wanted, feature, features, is_group_operation, matrices, offsets, operands, outputs,
    property, reach,
};
use crate::tables::{Enable, Feature};

/// Adds what each instruction needs by itself.
pub(super) fn add(m: &ModuleIndex<'_>, sorted: &Sorted<'_>, all: &mut Vec<Need>) {
    for &inst in &sorted.special {
        match inst.op() {
            Op::Decorate if inst.arg(1) == Decoration::FPFastMathMode.0 => fast_math(m, inst, all),
            Op::Decorate | Op::MemberDecorate | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                outputs::add(m, inst, all);
            }
            Op::EmitMeshTasksEXT => mesh_tasks(m, inst, all),
            op if op.is_atomic() => {
                let found = [atomic(m, inst), float_width(m, inst), scope(m, inst, 1)];
                add_found(inst, found, all);
            }
            Op::ControlBarrier => add_found(inst, [scope(m, inst, 1)], all),
            Op::MemoryBarrier => add_found(inst, [scope(m, inst, 0)], all),
            op if is_group_operation(op) => {
                add_found(inst, [extended(m, inst), index(m, inst)], all);
            }
            _ => {
                offsets::add(m, inst, all);
                operands::add(m, inst, all);
                add_found(inst, [of(m, inst)], all);
            }
        }
    }
}

fn add_found<const N: usize>(inst: Inst<'_>, found: [Option<Found>; N], all: &mut Vec<Need>) {
    let found = found.into_iter().flatten();
    all.extend(found.map(|(vuid, what, wanted)| Need {
        offset: inst.offset(),
        vuid,
        what,
        wanted,
    }));
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
        Op::TypeVectorIdEXT => {
            let count = m.constant_u64(inst.id(1))?;
            let what = format!("a vector of {count} components");
            // Cooperative vectors are the same instruction.
            let (name, vuid) = match matrices::is_cooperative(m) {
                true => (
                    "maxCooperativeVectorComponents",
                    "VUID-RuntimeSpirv-maxCooperativeVectorComponents-10094",
                ),
                false => ("maxVectorComponents", "VUID-RuntimeSpirv-longVector-12296"),
            };
            Some((vuid, what, reach(name, 0, count)?))
        }
        Op::Variable if inst.arg(0) == StorageClass::Uniform.0 => unsized_uniform(m, inst),
        _ => None,
    }
}

/// A memory scope that the Vulkan memory model restricts. Devices do so whatever the model of the
/// module.
fn scope(m: &ModuleIndex<'_>, inst: Inst<'_>, index: usize) -> Option<Found> {
    let scope = Scope(u32::try_from(m.constant_u64(inst.id(index))?).ok()?);
    let model = Feature::named("vulkanMemoryModel")?;
    let (vuid, wanted) = match scope {
        Scope::Device => {
            let wide = Feature::named("vulkanMemoryModelDeviceScope")?;
            let lacking = Enable::Lacking { feature: model.0 };
            (
                "VUID-RuntimeSpirv-vulkanMemoryModel-06265",
                Wanted::OneOf(vec![wide.into(), lacking]),
            )
        }
        Scope::QueueFamily => (
            "VUID-RuntimeSpirv-vulkanMemoryModel-06266",
            Wanted::OneOf(vec![model.into()]),
        ),
        _ => return None,
    };
    Some((vuid, format!("the memory scope `{scope}`"), wanted))
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

/// What group operations have beyond values: indexes that are no constants, and sizes of clusters.
fn index(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let vuid = match inst.op() {
        Op::GroupNonUniformRotateKHR if inst.args().len() > 3 => {
            return Some((
                "VUID-RuntimeSpirv-shaderSubgroupRotateClustered-09566",
                "a cluster size".into(),
                feature("shaderSubgroupRotateClustered"),
            ));
        }
        Op::GroupNonUniformBroadcast => "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277",
        Op::GroupNonUniformQuadBroadcast => "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06276",
        _ => return None,
    };
    let is_constant = m.is_constant(inst.id(2));
    (!is_constant).then(|| {
        (
            vuid,
            "an index that is no constant".into(),
            feature("subgroupBroadcastDynamicId"),
        )
    })
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

/// Floating-point atomic operations by their width.
fn float_width(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let ty = value_type(m, inst)?;
    let component = m.scalar_or_vector_component(ty);
    let Type::Float { width, .. } = m.ty(component) else {
        return None;
    };
    if component != ty {
        return Some((
            "VUID-RuntimeSpirv-shaderFloat16VectorAtomics-09581",
            "an atomic operation on a vector".into(),
            feature("shaderFloat16VectorAtomics"),
        ));
    }
    let (vuid, names) = match width {
        16 => ("VUID-RuntimeSpirv-None-06337", FLOATS_16),
        32 => ("VUID-RuntimeSpirv-None-06338", FLOATS_32),
        64 => ("VUID-RuntimeSpirv-None-06339", FLOATS_64),
        _ => return None,
    };
    // Each feature is of one storage, width and kind of operation.
    let own = own_feature(m, inst, width).and_then(|own| names.iter().find(|name| **name == own));
    Some((
        vuid,
        format!("`{}` on a {width}-bit number", inst.op()),
        own.map_or_else(|| features(names), |own| feature(own)),
    ))
}

/// The feature that an atomic operation on a number of so many bits has, if it is in memory that
/// features are about.
fn own_feature(m: &ModuleIndex<'_>, inst: Inst<'_>, width: u32) -> Option<String> {
    let storage = match m.pointer_class(m.type_of(inst.id(0))?)? {
        StorageClass::StorageBuffer => "Buffer",
        StorageClass::Workgroup => "Shared",
        StorageClass::Image => "Image",
        _ => return None,
    };
    let kind = match inst.op() {
        Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange => "s",
        Op::AtomicFAddEXT => "Add",
        Op::AtomicFMinEXT | Op::AtomicFMaxEXT => "MinMax",
        _ => return None,
    };
    Some(format!("shader{storage}Float{width}Atomic{kind}"))
}

const FLOATS_16: &[&str] = &[
    "shaderBufferFloat16Atomics",
    "shaderBufferFloat16AtomicAdd",
    "shaderBufferFloat16AtomicMinMax",
    "shaderSharedFloat16Atomics",
    "shaderSharedFloat16AtomicAdd",
    "shaderSharedFloat16AtomicMinMax",
];

const FLOATS_32: &[&str] = &[
    "shaderBufferFloat32Atomics",
    "shaderBufferFloat32AtomicAdd",
    "shaderSharedFloat32Atomics",
    "shaderSharedFloat32AtomicAdd",
    "shaderImageFloat32Atomics",
    "shaderImageFloat32AtomicAdd",
    "shaderBufferFloat32AtomicMinMax",
    "shaderSharedFloat32AtomicMinMax",
    "shaderImageFloat32AtomicMinMax",
];

const FLOATS_64: &[&str] = &[
    "shaderBufferFloat64Atomics",
    "shaderBufferFloat64AtomicAdd",
    "shaderSharedFloat64Atomics",
    "shaderSharedFloat64AtomicAdd",
    "shaderBufferFloat64AtomicMinMax",
    "shaderSharedFloat64AtomicMinMax",
];

/// A decoration by which an instruction preserves infinities, NaNs or signs of zeros, for each
/// width of its result and its operands.
fn fast_math(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    if u64::from(inst.arg(2)) & PERMITTED == PERMITTED {
        return;
    }
    let Some(target) = m.def(inst.id(0)).and_then(|target| target.decoded()) else {
        return;
    };
    let ids = target.operands(&m.definitions).map_while(Result::ok);
    let ids = ids.filter_map(|operand| match operand.value {
        OperandValue::Id(id) => Some(id),
        _ => None,
    });
    let widths: BTreeSet<u32> = ids
        .filter_map(|id| {
            // The type of the result is an operand, too.
            let ty = m.type_of(id).unwrap_or(id);
            match m.ty(m.scalar_or_vector_component(ty)) {
                Type::Float { width, .. } => Some(width),
                _ => None,
            }
        })
        .collect();
    for (width, name, [_, vuid]) in PRESERVED.iter().filter(|it| widths.contains(&it.0)) {
        all.push(Need {
            offset: inst.offset(),
            vuid,
            what: format!(
                "fast math on {width} bits that preserves infinities, NaNs or signs of zeros"
            ),
            wanted: property(name),
        });
    }
}

/// So many arrays are looked into: resources are in one.
const MAX_ARRAYS: usize = 4;

/// A block in `Uniform` whose last member has any length.
fn unsized_uniform(m: &ModuleIndex<'_>, inst: Inst<'_>) -> Option<Found> {
    let mut ty = m.pointee(inst.result_type()?)?;
    for _ in 0..MAX_ARRAYS {
        if let Type::Array { element, .. } | Type::RuntimeArray { element, .. } = m.ty(ty) {
            ty = element;
        }
    }
    let last = m.members(ty).last()?;
    let is_unsized = matches!(m.ty(Id(*last)), Type::RuntimeArray { .. });
    (is_unsized && m.is_decorated(ty, Decoration::Block)).then(|| {
        (
            "VUID-RuntimeSpirv-shaderUniformBufferUnsizedArray-11806",
            "a block in `Uniform` that ends with an array of any length".into(),
            feature("shaderUniformBufferUnsizedArray"),
        )
    })
}

/// How many mesh shaders a task shader starts, as far as these are constants.
fn mesh_tasks(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let counts = [0, 1, 2].map(|index| m.constant_u64(inst.id(index)));
    let rules = [
        "VUID-RuntimeSpirv-TaskEXT-07299",
        "VUID-RuntimeSpirv-TaskEXT-07300",
        "VUID-RuntimeSpirv-TaskEXT-07301",
    ];
    let mut add = |vuid, count: u64, wanted| {
        all.push(Need {
            offset: inst.offset(),
            vuid,
            what: format!("starting {count} workgroups"),
            wanted,
        });
    };
    for (dimension, (count, vuid)) in counts.into_iter().zip(rules).enumerate() {
        let Some(count) = count else { continue };
        if let Some(wanted) = reach("maxMeshWorkGroupCount", dimension, count) {
            add(vuid, count, wanted);
        }
    }
    if let [Some(x), Some(y), Some(z)] = counts {
        let total = x.saturating_mul(y).saturating_mul(z);
        if let Some(wanted) = reach("maxMeshWorkGroupTotalCount", 0, total) {
            add("VUID-RuntimeSpirv-TaskEXT-07302", total, wanted);
        }
    }
}
