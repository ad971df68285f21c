//! The interfaces of entry points: the variables that what they call uses.
//!
//! Up to version 1.3 these are the variables for input and output, from 1.4 on all at
//! module scope, each once (specification, description of `OpEntryPoint`).

use spirvkit_binary::{Definition, Id, IdMap, Import, Value};
use spirvkit_grammar::{Class, ExtInstSet, Op, StorageClass, Version};
use spirvkit_ir::{EditError, Inst, Module};

use super::program::{NONE, is_variable};

/// For so many entry points at once it is found out what they reach.
const BATCH: usize = u128::BITS as usize;

/// More words than this are not added to all interfaces together: in a short module
/// very many entry points may reach very many variables.
const MAX_ADDED_WORDS: usize = 1 << 27;

/// Adds to all interfaces what is missing there.
pub(super) fn complete(module: &mut Module) -> Result<(), EditError> {
    let entries: Vec<Inst> = (module.globals())
        .filter(|&inst| module.op(inst) == Op::EntryPoint)
        .collect();
    if entries.is_empty() {
        return Ok(());
    }
    let references = References::new(module);
    let mut reach = Reach {
        masks: vec![0; references.nodes.len()],
        touched: Vec::new(),
    };
    let mut added = 0;
    for batch in entries.chunks(BATCH) {
        let used = reach.variables(module, &references, batch);
        for (&entry, used) in batch.iter().zip(&used) {
            added += add(module, entry, used)?;
            if added > MAX_ADDED_WORDS {
                let words = added;
                return Err(spirvkit_binary::InstructionTooLong { words }.into());
            }
        }
    }
    Ok(())
}

/// Gives an entry point these variables, besides what it has; returns how many are new.
fn add(module: &mut Module, entry: Inst, used: &[Id]) -> Result<usize, EditError> {
    let read = module.get(entry);
    let mut operands = module.operands(entry).map_while(Result::ok);
    let name = operands.find(|operand| matches!(operand.value, Value::String(_)));
    let Some(name) = name else {
        return Ok(0);
    };
    let start = name.word + name.word_count();
    let words = read.words();
    let (head, interface) = words.split_at(start.min(words.len()));
    let mut known: Vec<u32> = interface.to_vec();
    known.sort_unstable();
    let missing: Vec<u32> = (used.iter().map(|id| id.0))
        .filter(|id| known.binary_search(id).is_err())
        .collect();
    let all_once = module.header().version >= Version::V1_4;
    let is_right = !all_once || known.windows(2).all(|pair| pair[0] != pair[1]);
    if missing.is_empty() && is_right {
        return Ok(0);
    }
    let count = missing.len();
    let mut list = [interface, &missing].concat();
    if all_once {
        let mut seen = std::collections::HashSet::new();
        list.retain(|&id| seen.insert(id));
    }
    let operands = [head.get(1..).unwrap_or_default(), &list].concat();
    module.replace(entry, Op::EntryPoint, &operands)?;
    Ok(count)
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
                let is_listed = is_variable(module.op(inst)) && is_listed(module, inst);
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
    is_variable(op)
        || op
            .info()
            .is_some_and(|info| info.class() == Class::ConstantCreation)
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
    if module.op(inst) != Op::ExtInst {
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

/// What is reached from a batch of entry points: a bit for each.
struct Reach {
    masks: Vec<u128>,
    touched: Vec<u32>,
}

impl Reach {
    /// The variables that each of these entry points uses, in the module's order.
    fn variables(
        &mut self,
        module: &Module,
        references: &References,
        entries: &[Inst],
    ) -> Vec<Vec<Id>> {
        let mut open = Vec::new();
        for (bit, &entry) in entries.iter().enumerate() {
            let function = module.get(entry).words().get(2);
            let node = function.map_or(NONE, |&id| references.numbers.get(Id(id)));
            self.mark(node, 1 << bit, &mut open);
        }
        while let Some(node) = open.pop() {
            let mask = self.masks[node as usize];
            for &to in references.of(node) {
                self.mark(to, mask, &mut open);
            }
        }
        let mut used = vec![Vec::new(); entries.len()];
        self.touched.sort_unstable();
        for node in self.touched.drain(..) {
            let mut mask = std::mem::take(&mut self.masks[node as usize]);
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

    fn mark(&mut self, node: u32, bits: u128, open: &mut Vec<u32>) {
        let Some(mask) = self.masks.get_mut(node as usize) else {
            return;
        };
        if *mask | bits == *mask {
            return;
        }
        if *mask == 0 {
            self.touched.push(node);
        }
        *mask |= bits;
        open.push(node);
    }
}
