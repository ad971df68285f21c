//! Entry points and what functions are declared with.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{ExecutionMode, FunctionControl, Op};
use spirvkit_ir::{Inst, Module};

use super::{built, of_op};
use crate::pass::{Changed, Context, PassError};

/// An entry point.
pub(super) struct EntryPoint {
    pub(super) inst: Inst,
    pub(super) model: u32,
    pub(super) function: Id,
    /// Where its interface begins, among its operand words.
    pub(super) named: usize,
}

/// The entry points of a module.
pub(super) fn entry_points(module: &Module) -> Vec<EntryPoint> {
    let all = of_op(module, Op::EntryPoint).into_iter();
    all.filter_map(|inst| {
        let words = module.get(inst).operand_words();
        let [model, function, name @ ..] = words else {
            return None;
        };
        Some(EntryPoint {
            inst,
            model: *model,
            function: Id(*function),
            named: 2 + LiteralString::at_start_of(name)?.words().len(),
        })
    })
    .collect()
}

/// All ids that a function and those that it calls name.
pub(super) fn used_from(module: &Module, function: Id) -> HashSet<Id> {
    let mut used = HashSet::new();
    let mut work = vec![function];
    let mut seen: HashSet<Id> = HashSet::from_iter([function]);
    while let Some(id) = work.pop() {
        let Some(function) = module.function_by_id(id) else {
            continue;
        };
        for inst in module.function_instructions(function) {
            module.each_use(inst, |_, id| {
                used.insert(id);
                if module.function_by_id(id).is_some() && seen.insert(id) {
                    work.push(id);
                }
            });
        }
    }
    used
}

/// Takes a variable out of the interfaces of all entry points.
pub(super) fn leave_out(module: &mut Module, variable: Id) -> Result<(), PassError> {
    for entry in entry_points(module) {
        let words = module.get(entry.inst).operand_words();
        let (named, interface) = words.split_at(entry.named);
        let kept = interface.iter().filter(|&&id| Id(id) != variable);
        let kept: Vec<u32> = named.iter().chain(kept).copied().collect();
        if kept.len() < words.len() {
            module.replace(entry.inst, Op::EntryPoint, &kept)?;
        }
    }
    Ok(())
}

pub(super) fn remove_unused(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut count = 0;
    if context.options().preserve_interface {
        return Ok(Changed::No);
    }
    let mut known: HashMap<Id, HashSet<Id>> = HashMap::new();
    for entry in entry_points(module) {
        let used = known
            .entry(entry.function)
            .or_insert_with(|| used_from(module, entry.function));
        let words = module.get(entry.inst).operand_words();
        let (named, interface) = words.split_at(entry.named);
        let kept = interface.iter().filter(|&&id| used.contains(&Id(id)));
        let kept: Vec<u32> = named.iter().chain(kept).copied().collect();
        if kept.len() < words.len() {
            count += words.len() - kept.len();
            module.replace(entry.inst, Op::EntryPoint, &kept)?;
        }
    }
    Ok(Changed::if_any(count))
}

pub(super) fn remove_dont_inline(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let functions = module.functions();
    let definitions: Vec<Inst> = functions
        .filter_map(|function| module.function_definition(function))
        .collect();
    let mut count = 0;
    for inst in definitions {
        let control = module.operand_word(inst, 0).map_or(0, |control| control);
        if control & FunctionControl::DontInline.0 != 0 {
            module.set_word(inst, 3, control & !FunctionControl::DontInline.0)?;
            count += 1;
        }
    }
    Ok(Changed::if_any(count))
}

const RECONVERGENCE: &str = "SPV_KHR_maximal_reconvergence";

pub(super) fn check_reconvergence(argument: &str) -> Result<(), String> {
    match argument {
        "add" | "remove" => Ok(()),
        other => Err(format!("`{other}` is neither `add` nor `remove`")),
    }
}

pub(super) fn reconvergence(
    module: &mut Module,
    argument: &str,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mode = ExecutionMode::MaximallyReconvergesKHR;
    let all = of_op(module, Op::ExecutionMode);
    let declared: Vec<Inst> = all
        .into_iter()
        .filter(|&inst| module.get(inst).operand_words().get(1) == Some(&mode.0))
        .collect();
    if argument == "remove" {
        for &inst in &declared {
            module.remove(inst)?;
        }
        super::remove_extension(module, RECONVERGENCE)?;
        return Ok(Changed::if_any(declared.len()));
    }
    let has_it: HashSet<u32> = declared
        .iter()
        .map(|&inst| module.get(inst).operand_words()[0])
        .collect();
    let mut seen = has_it;
    let missing: Vec<Id> = entry_points(module)
        .into_iter()
        .map(|entry| entry.function)
        .filter(|function| seen.insert(function.0))
        .collect();
    if missing.is_empty() {
        return Ok(Changed::No);
    }
    built(module.edit(|b| {
        b.extension(RECONVERGENCE);
        for &function in &missing {
            b.execution_mode(function, mode, &[]);
        }
    }))?;
    Ok(Changed::Yes)
}
