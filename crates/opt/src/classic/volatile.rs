//! Built-ins that change while an invocation runs.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Decoration, ExecutionModel, MemoryAccess, MemoryModel, Op, Version,
};
use spirvkit_ir::{Inst, Module};

use super::interface::{entry_points, used_from};
use super::{built, decorated, of_op};
use crate::pass::{Changed, Context, PassError};

/// What changes where invocations are scheduled anew.
const OF_SUBGROUPS: [BuiltIn; 9] = [
    BuiltIn::SMIDNV,
    BuiltIn::WarpIDNV,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Whether a built-in may change while a stage runs.
fn changes(built_in: u32, model: u32, version: Version) -> bool {
    match ExecutionModel(model) {
        ExecutionModel::RayGenerationKHR
        | ExecutionModel::ClosestHitKHR
        | ExecutionModel::MissKHR
        | ExecutionModel::IntersectionKHR
        | ExecutionModel::CallableKHR => OF_SUBGROUPS.iter().any(|it| it.0 == built_in),
        ExecutionModel::Fragment => {
            version >= Version::V1_6 && built_in == BuiltIn::HelperInvocation.0
        }
        _ => false,
    }
}

/// Makes such built-ins volatile: by a decoration, or with the Vulkan memory model at each load.
pub(super) fn spread(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let built_ins = decorated(module, Decoration::BuiltIn);
    if built_ins.is_empty() {
        return Ok(Changed::No);
    }
    let version = module.header().version;
    let has_model = of_op(module, Op::MemoryModel);
    let is_vulkan = has_model
        .iter()
        .any(|&inst| module.operand_word(inst, 1) == Some(MemoryModel::Vulkan.0));
    let already: HashSet<Id> = decorated(module, Decoration::Volatile)
        .into_iter()
        .map(|pair| pair.0)
        .collect();
    let mut wanted: HashSet<Id> = HashSet::new();
    let mut reached: HashSet<Id> = HashSet::new();
    for entry in entry_points(module) {
        let used = used_from(module, entry.function);
        let here: Vec<Id> = (built_ins.iter())
            .filter(|&&(id, built_in)| {
                used.contains(&id) && changes(built_in, entry.model, version)
            })
            .map(|pair| pair.0)
            .collect();
        if !here.is_empty() {
            wanted.extend(here);
            reached.extend(
                used.iter()
                    .filter(|&&id| module.function_by_id(id).is_some()),
            );
            reached.insert(entry.function);
        }
    }
    if !is_vulkan {
        let mut wanted: Vec<Id> = wanted
            .into_iter()
            .filter(|id| !already.contains(id))
            .collect();
        wanted.sort_unstable();
        built(module.edit(|b| {
            for &id in &wanted {
                b.decorate(id, Decoration::Volatile, &[]);
            }
        }))?;
        return Ok(Changed::if_any(wanted.len()));
    }
    let mut loads = Vec::new();
    let mut pointers: Vec<Id> = wanted.iter().copied().collect();
    while let Some(pointer) = pointers.pop() {
        for found in module.uses(pointer) {
            let op = module.op(found.inst);
            if op == Op::Load {
                loads.push(found.inst);
            } else if (op.is_access_chain() || op == Op::CopyObject) && found.word == 3 {
                pointers.extend(module.result(found.inst));
            }
        }
    }
    loads.sort_unstable();
    loads.dedup();
    let mut count = 0;
    for load in loads {
        let is_there = module
            .function_of(load)
            .and_then(|function| module.function_id(function))
            .is_some_and(|id| reached.contains(&id));
        count += usize::from(is_there && make_volatile(module, load)?);
    }
    Ok(Changed::if_any(count))
}

fn make_volatile(module: &mut Module, load: Inst) -> Result<bool, PassError> {
    let mut words = module.get(load).operand_words().to_vec();
    let mask = words.get(3).copied().unwrap_or(0);
    if MemoryAccess(mask).contains(MemoryAccess::Volatile) {
        return Ok(false);
    }
    words.truncate(words.len().max(3));
    match words.get_mut(3) {
        Some(mask) => *mask |= MemoryAccess::Volatile.0,
        None => words.push(MemoryAccess::Volatile.0),
    }
    module.replace(load, Op::Load, &words)?;
    Ok(true)
}
