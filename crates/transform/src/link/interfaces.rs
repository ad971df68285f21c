//! The interfaces of entry points: the variables that what they call uses.
//!
//! Up to version 1.3 these are the variables for input and output, from 1.4 on all at
//! module scope, each once (specification, description of `OpEntryPoint`).

use spirvkit_analysis::{Components, Graph};
use spirvkit_binary::{Budget, Definition, Id, IdMap, Import, OverBudget, Value};
use spirvkit_grammar::{ExtInstSet, Op, StorageClass, Version};
use spirvkit_ir::{EditError, Inst, Module};

use super::program::NONE;
use crate::WORD_COST;

/// For so many entry points at once it is found out what they reach.
const BATCH: usize = u128::BITS as usize;

/// Adds to all interfaces what is missing there, if there is room for it: in a short
/// module very many entry points may reach very many variables.
pub(super) fn complete(
    module: &mut Module,
    budget: &mut Budget,
) -> Result<Result<(), OverBudget>, EditError> {
    let entries: Vec<Inst> = (module.globals())
        .filter(|&inst| module.op(inst) == Op::EntryPoint)
        .collect();
    if entries.is_empty() {
        return Ok(Ok(()));
    }
    let references = References::new(module);
    let mut reach = Reach::new(&references);
    for batch in entries.chunks(BATCH) {
        let used = reach.variables(module, &references, batch);
        for (&entry, used) in batch.iter().zip(&used) {
            let Some(operands) = completed(module, entry, used) else {
                continue;
            };
            if let Err(error) = budget.spend(WORD_COST * operands.len() as u64) {
                return Ok(Err(error));
            }
            module.replace(entry, Op::EntryPoint, &operands)?;
        }
    }
    Ok(Ok(()))
}

/// The operands of an entry point with these variables, besides what it has; `None` if
/// it has them already.
fn completed(module: &Module, entry: Inst, used: &[Id]) -> Option<Vec<u32>> {
    let mut operands = module.operands(entry).map_while(Result::ok);
    let name = operands.find(|operand| matches!(operand.value, Value::String(_)))?;
    let start = name.word + name.word_count();
    let words = module.get(entry).words();
    let (head, interface) = words.split_at(start.min(words.len()));
    let mut known: Vec<u32> = interface.to_vec();
    known.sort_unstable();
    let missing: Vec<u32> = (used.iter().map(|id| id.0))
        .filter(|id| known.binary_search(id).is_err())
        .collect();
    let all_once = module.header().version >= Version::V1_4;
    let is_right = !all_once || known.windows(2).all(|pair| pair[0] != pair[1]);
    if missing.is_empty() && is_right {
        return None;
    }
    let mut list = [interface, &missing].concat();
    if all_once {
        let mut seen = std::collections::HashSet::new();
        list.retain(|&id| seen.insert(id));
    }
    Some([head.get(1..).unwrap_or_default(), &list].concat())
}

/// Which functions, variables and constants name which.
struct References {
    /// The node of an id.
    numbers: IdMap<u32>,
    /// By node: the id, if an interface has to list it.
    nodes: Vec<Option<Id>>,
    /// By node: where its references begin; one more for the end.
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl References {
    fn new(module: &Module) -> Self {
        let mut references = Self {
            numbers: module.id_table(NONE),
            nodes: Vec::new(),
            starts: Vec::new(),
            to: Vec::new(),
        };
        let globals: Vec<Inst> = (module.globals())
            .filter(|&inst| is_value(module, inst))
            .collect();
        let functions = module
            .functions()
            .filter_map(|it| module.function_definition(it));
        for inst in globals.iter().copied().chain(functions) {
            if let Some(id) = module.result(inst) {
                *references.numbers.slot(id) = references.nodes.len() as u32;
                let is_listed = module.op(inst).is_variable() && is_listed(module, inst);
                references.nodes.push(is_listed.then_some(id));
            }
        }
        for &inst in &globals {
            references.begin();
            references.add(module, inst);
        }
        for function in module.functions() {
            references.begin();
            for inst in module.function_instructions(function) {
                if !is_debug(module, inst) {
                    references.add(module, inst);
                }
            }
        }
        references.begin();
        references
    }

    fn begin(&mut self) {
        self.starts.push(self.to.len() as u32);
    }

    fn add(&mut self, module: &Module, inst: Inst) {
        module.each_use(inst, |_, id| {
            let number = self.numbers.get(id);
            if number != NONE {
                self.to.push(number);
            }
        });
    }

    fn of(&self, node: u32) -> &[u32] {
        let at = |index: usize| self.starts.get(index).map_or(0, |&at| at as usize);
        let range = at(node as usize)..at(node as usize + 1);
        self.to.get(range).unwrap_or_default()
    }
}

/// Whether an instruction at module scope is a constant or a variable.
fn is_value(module: &Module, inst: Inst) -> bool {
    let op = module.op(inst);
    op.is_variable() || op.is_constant()
}

/// Whether interfaces have to list a variable.
fn is_listed(module: &Module, variable: Inst) -> bool {
    let class = module.get(variable).words().get(3);
    let class = class.map(|&class| StorageClass(class));
    module.header().version >= Version::V1_4
        || matches!(class, Some(StorageClass::Input | StorageClass::Output))
}

/// Whether an instruction only tells about the source.
fn is_debug(module: &Module, inst: Inst) -> bool {
    if !module.op(inst).is_ext_inst() {
        return false;
    }
    let set = module.get(inst).words().get(3);
    match set.map(|&set| module.definitions().get(Id(set))) {
        Some(Definition::Import(Import::Known(set))) => {
            set.is_non_semantic()
                || matches!(set, ExtInstSet::DebugInfo | ExtInstSet::OpenClDebugInfo100)
        }
        _ => false,
    }
}

/// What is reached from a batch of entry points: a bit for each. What leads to each
/// other is reached from the same ones.
struct Reach {
    components: Components,
    /// By component.
    masks: Vec<u128>,
}

impl Reach {
    fn new(references: &References) -> Self {
        let count = references.nodes.len() as u32;
        let all = (0..count).flat_map(|node| references.of(node).iter().map(move |&to| (node, to)));
        let edges: Vec<(u32, u32)> = all.collect();
        let components = Components::new(&Graph::new(count, &edges));
        Self {
            masks: vec![0; components.len() as usize],
            components,
        }
    }

    /// The variables that each of these entry points uses, in the module's order.
    fn variables(
        &mut self,
        module: &Module,
        references: &References,
        entries: &[Inst],
    ) -> Vec<Vec<Id>> {
        self.masks.fill(0);
        for (bit, &entry) in entries.iter().enumerate() {
            let function = module.get(entry).words().get(2);
            let node = function.map_or(NONE, |&id| references.numbers.get(Id(id)));
            if let Some(component) = self.components.of(node) {
                self.masks[component as usize] |= 1 << bit;
            }
        }
        let mut found: Vec<(u32, u128)> = Vec::new();
        // Whatever leads to a component comes before it.
        for component in (0..self.components.len()).rev() {
            let mask = self.masks[component as usize];
            if mask == 0 {
                continue;
            }
            for &node in self.components.nodes(component) {
                if references.nodes[node as usize].is_some() {
                    found.push((node, mask));
                }
                for &to in references.of(node) {
                    if let Some(component) = self.components.of(to) {
                        self.masks[component as usize] |= mask;
                    }
                }
            }
        }
        found.sort_unstable();
        let mut used = vec![Vec::new(); entries.len()];
        for (node, mut mask) in found {
            let Some(id) = references.nodes[node as usize] else {
                continue;
            };
            while mask != 0 {
                used[mask.trailing_zeros() as usize].push(id);
                mask &= mask - 1;
            }
        }
        used
    }
}
