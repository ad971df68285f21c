//! Built-ins that change while an invocation runs.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Decoration, ExecutionModel, MemoryAccess, MemoryModel, Op, Version,
};
use spirvkit_ir::{Inst, Module};

use super::interface::{Calls, entry_points};
use super::memory_model::first_mask;
use super::{built, decorated, of_op};
use crate::pass::{Changed, Context, PassError};

/// Whether a built-in may change while a stage runs.
fn changes(built_in: u32, model: ExecutionModel, version: Version) -> bool {
    let built_in = BuiltIn(built_in);
    // The specification, version 1.6, says so of this one.
    let is_helper = model == ExecutionModel::Fragment && built_in == BuiltIn::HelperInvocation;
    built_in.changing_models().contains(&model) || is_helper && version >= Version::V1_6
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
    let mut models: BTreeMap<u32, Vec<Id>> = BTreeMap::new();
    for entry in entry_points(module) {
        models.entry(entry.model).or_default().push(entry.function);
    }
    let calls = Calls::of(module);
    let mut wanted: HashSet<Id> = HashSet::new();
    let mut reached: HashSet<Id> = HashSet::new();
    for (model, roots) in models {
        let model = ExecutionModel(model);
        let changing = |(_, built_in): &(&Id, &u32)| changes(**built_in, model, version);
        let mut changing = built_ins.iter().filter(changing).peekable();
        if changing.peek().is_none() {
            continue;
        }
        let here = calls.from(roots);
        let is_used = |(id, _): &(&Id, &u32)| {
            module.uses(**id).any(|found| {
                let function = module.function_of(found.inst);
                let function = function.and_then(|function| module.function_id(function));
                function.is_some_and(|function| here.contains(&function))
            })
        };
        wanted.extend(changing.filter(is_used).map(|(id, _)| *id));
        reached.extend(here);
    }
    let mut wanted: Vec<Id> = wanted.into_iter().collect();
    wanted.sort_unstable();
    if !is_vulkan {
        let already = decorated(module, Decoration::Volatile);
        wanted.retain(|id| !already.contains_key(id));
        built(module.edit(|b| {
            for &id in &wanted {
                b.decorate(id, Decoration::Volatile, &[]);
            }
        }))?;
        return Ok(Changed::if_any(wanted.len()));
    }
    let mut loads = Vec::new();
    let mut seen: HashSet<Id> = wanted.iter().copied().collect();
    let mut pointers = wanted;
    while let Some(pointer) = pointers.pop() {
        for found in module.uses(pointer) {
            let same = match module.op(found.inst) {
                Op::Load => {
                    loads.push(found.inst);
                    None
                }
                Op::CopyMemory if found.word == 2 => {
                    loads.push(found.inst);
                    None
                }
                Op::CopyObject if found.word == 3 => module.result(found.inst),
                Op::FunctionCall => parameter(module, found.inst, found.word),
                op if op.is_access_chain() && found.word == 3 => module.result(found.inst),
                _ => None,
            };
            pointers.extend(same.filter(|&id| seen.insert(id)));
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

/// The parameter that gets the argument at a word of a call.
fn parameter(module: &Module, call: Inst, word: usize) -> Option<Id> {
    let function = module.function_by_id(module.operand_id(call, 0)?)?;
    let parameter = module.parameters(function).nth(word.checked_sub(4)?)?;
    module.result(parameter)
}

/// Says of a load, or of what a copy reads, that it is volatile.
fn make_volatile(module: &mut Module, load: Inst) -> Result<bool, PassError> {
    let op = module.op(load);
    let words = module.get(load).operand_words();
    let place = if op == Op::Load { 3 } else { 2 };
    let (operands, masks) = words.split_at(place.min(words.len()));
    // From version 1.4 on, a copy has a mask for each side.
    let has_two = op == Op::CopyMemory && module.header().version >= Version::V1_4;
    let (first, own) = match has_two {
        true => masks.split_at(first_mask(masks)),
        false => (&[][..], masks),
    };
    let mut own = match (own, first) {
        ([], []) => vec![0],
        ([], both) => both.to_vec(),
        (own, _) => own.to_vec(),
    };
    if MemoryAccess(own[0]).contains(MemoryAccess::Volatile) {
        return Ok(false);
    }
    own[0] |= MemoryAccess::Volatile.0;
    let first = if has_two && first.is_empty() {
        &[0][..]
    } else {
        first
    };
    let words = [operands, first, &own].concat();
    module.replace(load, op, &words)?;
    Ok(true)
}
