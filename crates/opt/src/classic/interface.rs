//! Entry points and what functions are declared with.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::{Components, DepthFirst, Graph};
use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::{ExecutionMode, FunctionControl, Op, StorageClass};
use spirvkit_ir::{EditError, Inst, Module};

use super::{Growth, built, of_op, remove_extension};
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

/// Which functions each function names, to call them or else.
pub(super) struct Calls {
    functions: Vec<Id>,
    numbers: HashMap<Id, u32>,
    graph: Graph,
}

impl Calls {
    pub(super) fn of(module: &Module) -> Self {
        let functions = module.functions();
        let functions: Vec<Id> = functions
            .filter_map(|function| module.function_id(function))
            .collect();
        let numbers: HashMap<Id, u32> = functions.iter().copied().zip(0..).collect();
        let mut edges = Vec::new();
        for (&id, from) in functions.iter().zip(0..) {
            let Some(function) = module.function_by_id(id) else {
                continue;
            };
            for inst in module.function_instructions(function) {
                module.each_use(inst, |_, id| {
                    edges.extend(numbers.get(&id).map(|&to| (from, to)));
                });
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Self {
            graph: Graph::new(functions.len() as u32, &edges),
            functions,
            numbers,
        }
    }

    /// The functions that these name, directly or not, and they themselves.
    pub(super) fn from(&self, roots: impl IntoIterator<Item = Id>) -> HashSet<Id> {
        let roots = roots.into_iter();
        let roots = roots.filter_map(|id| self.numbers.get(&id).copied());
        let order = DepthFirst::from_roots(&self.graph, roots);
        let reached = order.pre_order().iter();
        reached
            .map(|&number| self.functions[number as usize])
            .collect()
    }

    /// For each function, by its number, which of up to 64 roots name it, directly or not, or are it.
    fn masks(&self, components: &Components, roots: &[Id]) -> Vec<u64> {
        let mut masks = vec![0u64; components.len() as usize];
        for (root, bit) in roots.iter().zip(0..) {
            let number = self.numbers.get(root);
            if let Some(component) = number.and_then(|&number| components.of(number)) {
                masks[component as usize] |= 1 << bit;
            }
        }
        // Callers come behind what they call.
        for component in (0..components.len()).rev() {
            for &node in components.nodes(component) {
                for &to in self.graph.successors(node) {
                    if let Some(to) = components.of(to) {
                        masks[to as usize] |= masks[component as usize];
                    }
                }
            }
        }
        let of = |node| components.of(node).map_or(0, |it| masks[it as usize]);
        (0..self.graph.len()).map(of).collect()
    }

    /// Of up to 64 roots, those in which an id is used, directly or not, or all if it is used outside
    /// of functions.
    fn users(&self, module: &Module, masks: &[u64], id: Id) -> u64 {
        let mut users = 0;
        for found in module.uses(id) {
            if let Some(function) = module.function_of(found.inst) {
                let number = module.function_id(function);
                let number = number.and_then(|id| self.numbers.get(&id));
                users |= number.map_or(0, |&number| masks[number as usize]);
            } else if !module.is_about(found) && module.op(found.inst) != Op::EntryPoint {
                return u64::MAX;
            }
        }
        users
    }
}

/// Lets the interfaces of all entry points list others in the place of variables. These may have
/// others in their place, too.
pub(super) fn list_instead(
    module: &mut Module,
    instead: &HashMap<Id, Vec<Id>>,
    growth: &mut Growth,
) -> Result<(), PassError> {
    for entry in entry_points(module) {
        let words = module.get(entry.inst).operand_words();
        let (named, interface) = words.split_at(entry.named);
        let mut new = named.to_vec();
        let mut left: Vec<Id> = interface.iter().rev().map(|&id| Id(id)).collect();
        while let Some(id) = left.pop() {
            match instead.get(&id) {
                Some(others) => {
                    growth.add(others.len())?;
                    left.extend(others.iter().rev());
                }
                None => new.push(id.0),
            }
        }
        if new != words {
            module.replace(entry.inst, Op::EntryPoint, &new)?;
        }
    }
    Ok(())
}

/// Lets the interfaces of all entry points list an input or output.
pub(super) fn list_everywhere(module: &mut Module, variable: Id) -> Result<(), EditError> {
    for entry in entry_points(module) {
        let words = module.get(entry.inst).operand_words();
        if !words[entry.named..].contains(&variable.0) {
            let words = [words, &[variable.0]].concat();
            module.replace(entry.inst, Op::EntryPoint, &words)?;
        }
    }
    Ok(())
}

/// Whether a variable is an output that has a value without being written.
fn is_initial_output(module: &Module, id: Id) -> bool {
    let variable = module.definition(id);
    variable.is_some_and(|variable| {
        module.op(variable) == Op::Variable
            && module.operand_word(variable, 0) == Some(StorageClass::Output.0)
            && module.operand_id(variable, 1).is_some()
    })
}

pub(super) fn remove_unused(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut count = 0;
    if context.options().preserve_interface {
        return Ok(Changed::No);
    }
    let calls = Calls::of(module);
    let components = Components::new(&calls.graph);
    for entries in entry_points(module).chunks(64) {
        let roots: Vec<Id> = entries.iter().map(|entry| entry.function).collect();
        let masks = calls.masks(&components, &roots);
        let mut known: HashMap<Id, u64> = HashMap::new();
        for (entry, bit) in entries.iter().zip(0..) {
            let words = module.get(entry.inst).operand_words();
            let (named, interface) = words.split_at(entry.named);
            let mut is_used = |id: Id| {
                if is_initial_output(module, id) {
                    return true;
                }
                let users = known
                    .entry(id)
                    .or_insert_with(|| calls.users(module, &masks, id));
                *users >> bit & 1 != 0
            };
            let kept = interface.iter().filter(|&&id| is_used(Id(id)));
            let kept: Vec<u32> = named.iter().copied().chain(kept.copied()).collect();
            if kept.len() < words.len() {
                count += words.len() - kept.len();
                module.replace(entry.inst, Op::EntryPoint, &kept)?;
            }
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
        let control = module.operand_word(inst, 0).unwrap_or(0);
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
        let extensions = remove_extension(module, RECONVERGENCE)?;
        return Ok(Changed::if_any(declared.len() + extensions));
    }
    let mut seen: HashSet<u32> = declared
        .iter()
        .map(|&inst| module.get(inst).operand_words()[0])
        .collect();
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
