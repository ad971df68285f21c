//! What workgroups need: invocations, and memory that they share.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use spirvkit_analysis::index::EntryPoint;
use spirvkit_analysis::layout::Types;
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, Scope, StorageClass,
};

use super::laid::Laid;
use super::mesh::Outputs;
use super::used::used;
use super::{CallTrees, Need, Sorted, Term, Wanted, declarations, limit, reach};

/// The limits of a model's workgroups, with their rules.
struct Limits {
    model: ExecutionModel,
    size: &'static str,
    size_vuids: [&'static str; 3],
    invocations: &'static str,
    invocations_vuid: &'static str,
    memory: &'static [Memory],
}

/// A limit of memory: what counts together, and the rule.
struct Memory {
    classes: &'static [StorageClass],
    limit: &'static str,
    vuid: &'static str,
}

const SHARED: &[StorageClass] = &[StorageClass::Workgroup];
const PAYLOAD: &[StorageClass] = &[StorageClass::TaskPayloadWorkgroupEXT];
const PAYLOAD_AND_SHARED: &[StorageClass] = &[
    StorageClass::TaskPayloadWorkgroupEXT,
    StorageClass::Workgroup,
];
/// What mesh shaders write is counted otherwise.
const OUTPUT: &[StorageClass] = &[StorageClass::Output];
const PAYLOAD_AND_OUTPUT: &[StorageClass] =
    &[StorageClass::TaskPayloadWorkgroupEXT, StorageClass::Output];

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
        memory: &[Memory {
            classes: SHARED,
            limit: COMPUTE_MEMORY,
            vuid: "VUID-RuntimeSpirv-Workgroup-06530",
        }],
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
        memory: &[
            Memory {
                classes: SHARED,
                limit: "maxMeshSharedMemorySize",
                vuid: "VUID-RuntimeSpirv-maxMeshSharedMemorySize-08754",
            },
            Memory {
                classes: PAYLOAD_AND_SHARED,
                limit: "maxMeshPayloadAndSharedMemorySize",
                vuid: "VUID-RuntimeSpirv-maxMeshPayloadAndSharedMemorySize-08755",
            },
            Memory {
                classes: OUTPUT,
                limit: "maxMeshOutputMemorySize",
                vuid: "VUID-RuntimeSpirv-maxMeshOutputMemorySize-08756",
            },
            Memory {
                classes: PAYLOAD_AND_OUTPUT,
                limit: "maxMeshPayloadAndOutputMemorySize",
                vuid: "VUID-RuntimeSpirv-maxMeshPayloadAndOutputMemorySize-08757",
            },
        ],
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
        memory: &[
            Memory {
                classes: SHARED,
                limit: "maxTaskSharedMemorySize",
                vuid: "VUID-RuntimeSpirv-maxTaskSharedMemorySize-08759",
            },
            Memory {
                classes: PAYLOAD,
                limit: "maxTaskPayloadSize",
                vuid: "VUID-RuntimeSpirv-maxTaskPayloadSize-08758",
            },
            Memory {
                classes: PAYLOAD_AND_SHARED,
                limit: "maxTaskPayloadAndSharedMemorySize",
                vuid: "VUID-RuntimeSpirv-maxTaskPayloadAndSharedMemorySize-08760",
            },
        ],
    },
];

const COMPUTE_MEMORY: &str = "maxComputeSharedMemorySize";

pub(super) fn add(
    m: &ModuleIndex<'_>,
    types: &Types<'_>,
    sorted: &Sorted<'_>,
    trees: &mut CallTrees<'_>,
    all: &mut Vec<Need>,
) {
    let has_workgroups = |entry: &&EntryPoint<'_>| LIMITS.iter().any(|it| it.model == entry.model);
    if !m.entry_points.iter().any(|entry| has_workgroups(&entry)) {
        return;
    }
    let number = |id| types.constant(id)?.known();
    let built_in = built_in_size(m, &number);
    let shared = shared(m, types);
    let ids: Vec<Id> = shared.iter().map(|it| it.id).collect();
    let used = used(m, sorted, &ids);
    let idle = idle(&shared, &used);
    let reserved = reserved(m);
    let is_mesh = |entry: &EntryPoint<'_>| entry.model == ExecutionModel::MeshEXT;
    let mut outputs = m.entry_points.iter().any(is_mesh).then(|| Outputs::new(m));
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
            *size.or_insert_with(|| local_size(m, function, &number))
        });
        if let Some((offset, size)) = size {
            add_size(limits, offset, size, all);
        }
        for memory in limits.memory {
            let mut terms = Vec::new();
            for &class in memory.classes {
                if class == StorageClass::Output {
                    terms.extend(
                        outputs
                            .as_mut()
                            .map(|it| it.terms(trees, entry))
                            .unwrap_or_default(),
                    );
                    continue;
                }
                let total = totals.entry((function, class));
                let total = *total
                    .or_insert_with(|| total_of(trees, function, class, &shared, &used, &idle));
                terms.extend(total.filter(|&total| total > 0).map(Term::Bytes));
            }
            add_memory(memory, entry, &terms, &reserved, all);
        }
    }
}

/// What devices keep for themselves of the memory of compute shaders, and by which rule.
type Reserved = (&'static str, &'static str);

/// What devices keep of the memory for what the module uses.
fn reserved(m: &ModuleIndex<'_>) -> Vec<Reserved> {
    let is_split = |op: Op| matches!(op, Op::ControlBarrierArriveEXT | Op::ControlBarrierWaitEXT);
    let uses_split_barriers =
        m.has(Capability::SplitBarrierEXT) && m.all_instructions().any(|inst| is_split(inst.op()));
    let has_shared_matrices = m.has(Capability::CooperativeMatrixKHR)
        && declarations(m).any(|inst| {
            let scope = || m.constant_u64(inst.id(1));
            inst.op() == Op::TypeCooperativeMatrixKHR && scope() == Some(Scope::Workgroup.0.into())
        });
    let all = [
        (
            uses_split_barriers,
            (
                "splitBarrierReservedSharedMemory",
                "VUID-RuntimeSpirv-OpControlBarrierArriveEXT-13562",
            ),
        ),
        (
            has_shared_matrices,
            (
                "cooperativeMatrixWorkgroupScopeReservedSharedMemory",
                "VUID-RuntimeSpirv-maxComputeSharedMemorySize-10168",
            ),
        ),
    ];
    let used = all.into_iter().filter(|it| it.0);
    used.map(|it| it.1).collect()
}

fn add_memory(
    memory: &Memory,
    entry: &EntryPoint<'_>,
    terms: &[Term],
    reserved: &[Reserved],
    all: &mut Vec<Need>,
) {
    let mut add = |vuid, what: String, wanted: Option<Wanted>| {
        all.extend(wanted.map(|wanted| Need {
            offset: entry.inst.offset(),
            vuid,
            what,
            wanted,
        }));
    };
    let outputs = memory.classes.contains(&StorageClass::Output);
    let bytes = match terms {
        [] => 0,
        [Term::Bytes(bytes)] => *bytes,
        [Term::Bytes(one), Term::Bytes(other)] => one.saturating_add(*other),
        _ => {
            let what = match memory.classes.len() {
                1 => "an entry point with outputs",
                _ => "an entry point with a payload and outputs",
            };
            let total = limit(memory.limit).map(|limit| Wanted::Total {
                limit,
                terms: terms.to_vec(),
            });
            add(memory.vuid, what.to_owned(), total);
            return;
        }
    };
    let what = match memory.classes {
        SHARED => format!("an entry point that uses {bytes} bytes of memory of the workgroup"),
        PAYLOAD => format!("an entry point with a payload of {bytes} bytes"),
        _ => format!("an entry point that uses {bytes} bytes for its payload and the workgroup"),
    };
    // Where nothing is written, the payload alone fits, or else breaks a rule of its own.
    if bytes == 0 || outputs {
        return;
    }
    add(memory.vuid, what.clone(), reach(memory.limit, 0, bytes));
    if memory.limit != COMPUTE_MEMORY {
        return;
    }
    for &(name, vuid) in reserved {
        let total = limit(name).zip(limit(memory.limit));
        let total = total.map(|(kept, limit)| Wanted::Total {
            limit,
            terms: vec![Term::Bytes(bytes), Term::Reserved(kept)],
        });
        add(vuid, what.clone(), total);
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

/// What a constant is, if that is known.
type Number<'n> = &'n dyn Fn(Id) -> Option<u64>;

/// The size of the workgroups that an entry point's function runs in. `number` says what constants
/// are, such as with other values than their own.
pub fn workgroup_size(m: &ModuleIndex<'_>, function: Id, number: Number<'_>) -> Option<[u64; 3]> {
    let size = built_in_size(m, number).or_else(|| local_size(m, function, number));
    size.map(|(_, size)| size)
}

/// The size of workgroups that a constant decorated as `WorkgroupSize` says, and where.
fn built_in_size(m: &ModuleIndex<'_>, number: Number<'_>) -> Option<(u32, [u64; 3])> {
    let mut built_ins = m.all_decorated_with(Decoration::BuiltIn);
    let is_size = |param: u32| param == BuiltIn::WorkgroupSize.0;
    let (id, _) = built_ins.find(|(_, decorated)| is_size(decorated.param(0)))?;
    let constant = m.def(id)?;
    let &[x, y, z] = constant.args() else {
        return None;
    };
    Some((constant.offset(), numbers(number, [x, y, z])?))
}

/// How many invocations workgroups have, if all of the module's entry points say the same.
pub(super) fn invocations(m: &ModuleIndex<'_>, types: &Types<'_>) -> Option<u64> {
    let number = |id| types.constant(id)?.known();
    let product = |(_, size): (u32, [u64; 3])| size.into_iter().fold(1, u64::saturating_mul);
    if let Some(size) = built_in_size(m, &number) {
        return Some(product(size));
    }
    let entries = m.entry_points.iter();
    let mut functions: Vec<Id> = entries.map(|entry| entry.function).collect();
    functions.sort_unstable();
    functions.dedup();
    let all = functions.into_iter();
    let mut sizes = all.filter_map(|function| local_size(m, function, &number).map(product));
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// The size of workgroups that a function's execution modes say, and where.
fn local_size(m: &ModuleIndex<'_>, function: Id, number: Number<'_>) -> Option<(u32, [u64; 3])> {
    m.execution_modes(function).rev().find_map(|inst| {
        let &[_, mode, x, y, z] = inst.args() else {
            return None;
        };
        let size = match ExecutionMode(mode) {
            ExecutionMode::LocalSize => [x, y, z].map(u64::from),
            ExecutionMode::LocalSizeId => numbers(number, [x, y, z])?,
            _ => return None,
        };
        Some((inst.offset(), size))
    })
}

/// The values of constants, all of which must be known.
fn numbers(number: Number<'_>, ids: [u32; 3]) -> Option<[u64; 3]> {
    let [x, y, z] = ids.map(|id| number(Id(id)));
    Some([x?, y?, z?])
}

/// A variable that a workgroup shares, or that is passed on to one.
struct Shared {
    id: Id,
    class: StorageClass,
    size: u64,
    alignment: u64,
    /// Whether it may share its memory with others, as blocks do.
    is_block: bool,
}

/// The variables that workgroups share, as far as their sizes are known.
fn shared(m: &ModuleIndex<'_>, types: &Types<'_>) -> Vec<Shared> {
    let shared: Vec<(Id, StorageClass, Id)> = m
        .globals
        .iter()
        .filter_map(|&offset| m.inst(offset)?.result())
        .filter_map(|id| {
            let ty = m.type_of(id)?;
            let class = m.pointer_class(ty)?;
            let is_shared = PAYLOAD_AND_SHARED.contains(&class);
            is_shared.then(|| Some((id, class, m.pointee(ty)?)))?
        })
        .collect();
    if shared.is_empty() {
        return Vec::new();
    }
    let layouts = Laid::of(m, types, shared.iter().map(|it| it.2));
    let found = shared.into_iter().filter_map(|(id, class, pointee)| {
        let is_block = m.is_block(pointee);
        let layout = layouts.get(m, pointee)?;
        Some(Shared {
            id,
            class,
            size: layout.size.known()?,
            alignment: layout.alignment.max(1),
            is_block,
        })
    });
    found.collect()
}

/// The variables that no function uses. They are there all the same.
fn idle(shared: &[Shared], used: &[Vec<u32>]) -> Vec<u32> {
    let mut is_idle = vec![true; shared.len()];
    for &variable in used.iter().flatten() {
        is_idle[variable as usize] = false;
    }
    let all = (0..).zip(is_idle);
    all.filter_map(|(index, is_idle)| is_idle.then_some(index))
        .collect()
}

/// The sum of what the functions use that one reaches, and of what none uses: one behind the other,
/// but blocks in the same place. `None` if finding out takes too long.
fn total_of(
    trees: &mut CallTrees<'_>,
    function: Id,
    class: StorageClass,
    shared: &[Shared],
    used: &[Vec<u32>],
    idle: &[u32],
) -> Option<u64> {
    if !shared.iter().any(|it| it.class == class) {
        return Some(0);
    }
    let reached = trees.of(function)?;
    let lists = || reached.iter().map(|&index| &used[index as usize]);
    if !trees.take(lists().map(Vec::len).sum::<usize>() + idle.len()) {
        return None;
    }
    let variables: BTreeSet<u32> = lists().flatten().chain(idle).copied().collect();
    let (mut end, mut block) = (0u64, 0u64);
    let variables = variables.iter().map(|&it| &shared[it as usize]);
    for variable in variables.filter(|it| it.class == class) {
        if variable.is_block {
            block = block.max(variable.size);
            continue;
        }
        let start = end.checked_next_multiple_of(variable.alignment);
        end = start.unwrap_or(u64::MAX).saturating_add(variable.size);
    }
    Some(end.saturating_add(block))
}
