//! What workgroups need: invocations, and memory that they share.

use spirvkit_analysis::index::EntryPoint;
use spirvkit_analysis::layout::{Rules, Types};
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, StorageClass};

use super::{CallTrees, Need, reach};

/// The limits of a model's workgroups, with their rules.
struct Limits {
    model: ExecutionModel,
    size: &'static str,
    size_vuids: [&'static str; 3],
    invocations: &'static str,
    invocations_vuid: &'static str,
    memory: &'static str,
    memory_vuid: &'static str,
}

const LIMITS: &[Limits] = &[
    Limits {
        model: ExecutionModel::GLCompute,
        size: "maxComputeWorkGroupSize",
        size_vuids: [
            "VUID-RuntimeSpirv-x-06429",
            "VUID-RuntimeSpirv-y-06430",
            "VUID-RuntimeSpirv-z-06431",
        ],
        invocations: "maxComputeWorkGroupInvocations",
        invocations_vuid: "VUID-RuntimeSpirv-x-06432",
        memory: "maxComputeSharedMemorySize",
        memory_vuid: "VUID-RuntimeSpirv-Workgroup-06530",
    },
    Limits {
        model: ExecutionModel::MeshEXT,
        size: "maxMeshWorkGroupSize",
        size_vuids: [
            "VUID-RuntimeSpirv-MeshEXT-07295",
            "VUID-RuntimeSpirv-MeshEXT-07296",
            "VUID-RuntimeSpirv-MeshEXT-07297",
        ],
        invocations: "maxMeshWorkGroupInvocations",
        invocations_vuid: "VUID-RuntimeSpirv-MeshEXT-07298",
        memory: "maxMeshSharedMemorySize",
        memory_vuid: "VUID-RuntimeSpirv-maxMeshSharedMemorySize-08754",
    },
    Limits {
        model: ExecutionModel::TaskEXT,
        size: "maxTaskWorkGroupSize",
        size_vuids: [
            "VUID-RuntimeSpirv-TaskEXT-07291",
            "VUID-RuntimeSpirv-TaskEXT-07292",
            "VUID-RuntimeSpirv-TaskEXT-07293",
        ],
        invocations: "maxTaskWorkGroupInvocations",
        invocations_vuid: "VUID-RuntimeSpirv-TaskEXT-07294",
        memory: "maxTaskSharedMemorySize",
        memory_vuid: "VUID-RuntimeSpirv-maxTaskSharedMemorySize-08759",
    },
];

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    let has_workgroups = |entry: &&EntryPoint<'_>| LIMITS.iter().any(|it| it.model == entry.model);
    if !m.entry_points.iter().any(|entry| has_workgroups(&entry)) {
        return;
    }
    let types = Types::of(m);
    let built_in = built_in_size(m, &types);
    let sizes = sizes(m, &types);
    let mut trees = CallTrees::new(m);
    for entry in &m.entry_points {
        let Some(limits) = LIMITS.iter().find(|it| it.model == entry.model) else {
            continue;
        };
        if let Some((offset, size)) = built_in.or_else(|| local_size(m, &types, entry.function)) {
            add_size(limits, offset, size, all);
        }
        if !sizes.is_empty()
            && let Some(reached) = trees.of(entry.function)
        {
            add_memory(m, limits, entry, &reached, &sizes, all);
        }
    }
}

fn add_size(limits: &Limits, offset: u32, size: [u64; 3], all: &mut Vec<Need>) {
    for (dimension, (value, vuid)) in size.into_iter().zip(limits.size_vuids).enumerate() {
        let axis = ["x", "y", "z"][dimension];
        all.extend(reach(limits.size, dimension, value).map(|wanted| Need {
            offset,
            vuid,
            what: format!("a workgroup with {value} invocations in {axis}"),
            wanted,
        }));
    }
    let product = size.into_iter().fold(1, u64::saturating_mul);
    all.extend(reach(limits.invocations, 0, product).map(|wanted| Need {
        offset,
        vuid: limits.invocations_vuid,
        what: format!("a workgroup of {product} invocations"),
        wanted,
    }));
}

/// The size of workgroups that a constant decorated as `WorkgroupSize` says, and where.
fn built_in_size(m: &ModuleIndex<'_>, types: &Types<'_>) -> Option<(u32, [u64; 3])> {
    let mut built_ins = m.all_decorated_with(Decoration::BuiltIn);
    let is_size = |param: u32| param == BuiltIn::WorkgroupSize.0;
    let (id, _) = built_ins.find(|(_, decorated)| is_size(decorated.param(0)))?;
    let constant = m.def(id)?;
    let &[x, y, z] = constant.args() else {
        return None;
    };
    Some((constant.offset(), numbers(types, [x, y, z])?))
}

/// The size of workgroups that a function's execution modes say, and where.
fn local_size(m: &ModuleIndex<'_>, types: &Types<'_>, function: Id) -> Option<(u32, [u64; 3])> {
    m.execution_modes(function).rev().find_map(|inst| {
        let &[_, mode, x, y, z] = inst.args() else {
            return None;
        };
        let size = match ExecutionMode(mode) {
            ExecutionMode::LocalSize => [x, y, z].map(u64::from),
            ExecutionMode::LocalSizeId => numbers(types, [x, y, z])?,
            _ => return None,
        };
        Some((inst.offset(), size))
    })
}

/// The values of constants, all of which must be known.
fn numbers(types: &Types<'_>, ids: [u32; 3]) -> Option<[u64; 3]> {
    let [x, y, z] = ids.map(|id| types.constant(Id(id))?.known());
    Some([x?, y?, z?])
}

/// A variable that a workgroup shares.
struct Shared {
    id: Id,
    size: u64,
    alignment: u64,
    /// Whether it may share its memory with others, as blocks do.
    is_block: bool,
}

/// The variables that workgroups share, as far as their sizes are known.
fn sizes(m: &ModuleIndex<'_>, types: &Types<'_>) -> Vec<Shared> {
    let shared: Vec<Id> = m
        .globals
        .iter()
        .filter_map(|&offset| m.inst(offset)?.result())
        .filter(|&id| {
            let class = m.type_of(id).and_then(|ty| m.pointer_class(ty));
            class == Some(StorageClass::Workgroup)
        })
        .collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let [natural, explicit] = [Rules::Std430, Rules::Explicit].map(|rules| types.lay_out(rules));
    let found = shared.into_iter().filter_map(|id| {
        let pointee = m.pointee(m.type_of(id)?)?;
        let is_block = m.is_block(pointee);
        let layouts = match is_block {
            true => &explicit,
            false => &natural,
        };
        let layout = layouts.get(pointee).ok()?;
        Some(Shared {
            id,
            size: layout.size.known()?,
            alignment: layout.alignment.max(1),
            is_block,
        })
    });
    found.collect()
}

/// The sum of what an entry point's functions use: one behind the other, but blocks in the same
/// place.
fn add_memory(
    m: &ModuleIndex<'_>,
    limits: &Limits,
    entry: &EntryPoint<'_>,
    functions: &[u32],
    shared: &[Shared],
    all: &mut Vec<Need>,
) {
    let mut reached = vec![false; m.functions.len()];
    for &function in functions {
        reached[function as usize] = true;
    }
    let is_used = |id: Id| {
        let mut uses = m.uses(id).iter();
        uses.any(|&offset| {
            let function = m.function_at(offset);
            function.is_some_and(|function| reached[function as usize])
        })
    };
    let (mut end, mut block) = (0u64, 0u64);
    for variable in shared.iter().filter(|it| is_used(it.id)) {
        if variable.is_block {
            block = block.max(variable.size);
            continue;
        }
        let start = end.checked_next_multiple_of(variable.alignment);
        end = start.unwrap_or(u64::MAX).saturating_add(variable.size);
    }
    let total = end.saturating_add(block);
    if total == 0 {
        return;
    }
    all.extend(reach(limits.memory, 0, total).map(|wanted| Need {
        offset: entry.inst.offset(),
        vuid: limits.memory_vuid,
        what: format!("an entry point that uses {total} bytes of memory of the workgroup"),
        wanted,
    }));
}
