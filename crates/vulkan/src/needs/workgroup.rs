//! What workgroups need: invocations, and memory that they share.

use std::collections::{BTreeSet, HashMap};

use spirvkit_analysis::index::EntryPoint;
use spirvkit_analysis::layout::{Rules, Types};
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::{Id, Value as OperandValue};
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

pub(super) fn add(m: &ModuleIndex<'_>, trees: &mut CallTrees<'_>, all: &mut Vec<Need>) {
    let has_workgroups = |entry: &&EntryPoint<'_>| LIMITS.iter().any(|it| it.model == entry.model);
    if !m.entry_points.iter().any(|entry| has_workgroups(&entry)) {
        return;
    }
    let types = Types::of(m);
    let built_in = built_in_size(m, &types);
    let shared = shared(m, &types);
    let used = used(m, &shared);
    // By function: very many entry points may be of one.
    let mut sizes = HashMap::new();
    let mut totals = HashMap::new();
    for entry in &m.entry_points {
        let Some(limits) = LIMITS.iter().find(|it| it.model == entry.model) else {
            continue;
        };
        let function = entry.function;
        let size = built_in.or_else(|| {
            let size = sizes.entry(function);
            *size.or_insert_with(|| local_size(m, &types, function))
        });
        if let Some((offset, size)) = size {
            add_size(limits, offset, size, all);
        }
        let total = totals.entry(function);
        let total = total.or_insert_with(|| total_of(trees, function, &shared, &used));
        if let Some(total) = total.filter(|&total| total > 0) {
            all.extend(reach(limits.memory, 0, total).map(|wanted| Need {
                offset: entry.inst.offset(),
                vuid: limits.memory_vuid,
                what: format!("an entry point that uses {total} bytes of memory of the workgroup"),
                wanted,
            }));
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
fn shared(m: &ModuleIndex<'_>, types: &Types<'_>) -> Vec<Shared> {
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

/// For each function, which of these its instructions use, each once.
fn used(m: &ModuleIndex<'_>, shared: &[Shared]) -> Vec<Vec<u32>> {
    let mut used = vec![Vec::new(); m.functions.len()];
    let indexes: HashMap<u32, u32> = shared.iter().map(|it| it.id.0).zip(0..).collect();
    let (Some(&least), Some(&most)) = (indexes.keys().min(), indexes.keys().max()) else {
        return used;
    };
    // The function that was the last to use each.
    let mut last = vec![usize::MAX; shared.len()];
    for (index, function) in m.functions.iter().enumerate() {
        for inst in m.instructions(function.range.clone()) {
            let is_likely =
                |word: &u32| (least..=most).contains(word) && indexes.contains_key(word);
            if !inst.words().iter().skip(1).any(is_likely) {
                continue;
            }
            let Some(decoded) = inst.decoded() else {
                continue;
            };
            for operand in decoded.operands(&m.definitions).map_while(Result::ok) {
                if let OperandValue::Id(id) = operand.value
                    && let Some(&variable) = indexes.get(&id.0)
                    && std::mem::replace(&mut last[variable as usize], index) != index
                {
                    used[index].push(variable);
                }
            }
        }
    }
    used
}

/// The sum of what the functions use that one reaches: one behind the other, but blocks in the
/// same place. `None` if finding out takes too long.
fn total_of(
    trees: &mut CallTrees<'_>,
    function: Id,
    shared: &[Shared],
    used: &[Vec<u32>],
) -> Option<u64> {
    if shared.is_empty() {
        return Some(0);
    }
    let reached = trees.of(function)?;
    let lists = || reached.iter().map(|&index| &used[index as usize]);
    if !trees.take(lists().map(Vec::len).sum()) {
        return None;
    }
    let variables: BTreeSet<u32> = lists().flatten().copied().collect();
    let (mut end, mut block) = (0u64, 0u64);
    for variable in variables.iter().map(|&it| &shared[it as usize]) {
        if variable.is_block {
            block = block.max(variable.size);
            continue;
        }
        let start = end.checked_next_multiple_of(variable.alignment);
        end = start.unwrap_or(u64::MAX).saturating_add(variable.size);
    }
    Some(end.saturating_add(block))
}
