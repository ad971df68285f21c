//! All modules side by side: their sections, and a number for each thing at module
//! scope.

use spirvkit_binary::{Id, IdMap, Section};
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::{Function, Inst, Module};

use super::Input;
use super::error::{ErrorLog, LinkError, LinkErrorKind, list};

/// "Nothing" where a node could be.
pub(super) const NONE: u32 = u32::MAX;

/// The modules to link. What has an id at module scope, and each function, is a
/// *node*; nodes are numbered in the order of the modules and their instructions.
pub(super) struct Program<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// By node: the module and the instruction that it is.
    nodes: Vec<(u32, Inst)>,
}

/// One of the modules.
pub(super) struct Part<'a> {
    pub(super) name: &'a str,
    pub(super) module: &'a Module,
    /// The instructions before the functions, without lines.
    sections: Vec<Vec<Inst>>,
    /// What is behind the functions.
    pub(super) behind: Vec<Inst>,
    /// The node of an id.
    nodes: IdMap<u32>,
}

impl<'a> Part<'a> {
    fn new(input: &Input<'a>) -> Self {
        let module = input.module;
        let mut sections = vec![Vec::new(); Section::ALL.len()];
        for inst in module.globals() {
            let op = module.op(inst);
            if op.is_line() {
                continue;
            }
            let section = op.info().and_then(|info| Section::of(op, info));
            let section = section.unwrap_or(Section::Types);
            sections[section as usize].push(inst);
        }
        Self {
            name: input.name,
            module,
            sections,
            behind: behind_functions(module),
            nodes: module.id_table(NONE),
        }
    }

    /// The instructions of a section before the functions.
    pub(super) fn section(&self, section: Section) -> &[Inst] {
        self.sections
            .get(section as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// The node that an id stands for.
    pub(super) fn node(&self, id: Id) -> Option<u32> {
        Some(self.nodes.get(id)).filter(|&node| node != NONE)
    }

    /// The id at a word of an instruction.
    pub(super) fn id(&self, inst: Inst, word: usize) -> Option<Id> {
        self.module.get(inst).words().get(word).map(|&id| Id(id))
    }
}

/// The instructions at module scope that are behind a function.
fn behind_functions(module: &Module) -> Vec<Inst> {
    let last = module.functions().last();
    let end = last.and_then(|function| module.function_instructions(function).last());
    let first = end.and_then(|end| module.next(end));
    std::iter::successors(first, |&inst| module.next(inst)).collect()
}

impl<'a> Program<'a> {
    pub(super) fn new(inputs: &[Input<'a>]) -> Self {
        let mut program = Self {
            parts: Vec::with_capacity(inputs.len()),
            nodes: Vec::new(),
        };
        for (index, input) in inputs.iter().enumerate() {
            let mut part = Part::new(input);
            let functions = part.module.functions();
            let definitions: Vec<Inst> = (part.sections.iter().flatten().copied())
                .chain(functions.filter_map(|it| part.module.function_definition(it)))
                .collect();
            for inst in definitions {
                if let Some(id) = part.module.result(inst)
                    && part.module.definition(id) == Some(inst)
                {
                    *part.nodes.slot(id) = program.nodes.len() as u32;
                    program.nodes.push((index as u32, inst));
                }
            }
            program.parts.push(part);
        }
        program
    }

    pub(super) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The number of the module that a node is of.
    pub(super) fn module_of(&self, node: u32) -> usize {
        self.nodes
            .get(node as usize)
            .map_or(0, |&(module, _)| module as usize)
    }

    /// The module that a node is of, and its instruction.
    pub(super) fn at(&self, node: u32) -> Option<(&Part<'a>, Inst)> {
        let &(module, inst) = self.nodes.get(node as usize)?;
        Some((self.parts.get(module as usize)?, inst))
    }

    pub(super) fn op(&self, node: u32) -> Op {
        self.at(node)
            .map_or(Op::Nop, |(part, inst)| part.module.op(inst))
    }

    /// A word of a node's instruction; 0 if it has none there.
    pub(super) fn word(&self, node: u32, word: usize) -> u32 {
        let found = self.at(node);
        let found = found.and_then(|(part, inst)| part.id(inst, word));
        found.map_or(0, |word| word.0)
    }

    /// The node that a word of a node's instruction names.
    pub(super) fn operand(&self, node: u32, word: usize) -> Option<u32> {
        let (part, inst) = self.at(node)?;
        part.node(part.id(inst, word)?)
    }

    /// The name of the module that a node is of.
    pub(super) fn name_of(&self, node: u32) -> &'a str {
        let part = self.parts.get(self.module_of(node));
        part.map_or("", |part| part.name)
    }

    /// The function that a node is.
    pub(super) fn function(&self, node: u32) -> Option<(&Part<'a>, Function)> {
        let (part, inst) = self.at(node)?;
        match part.module.op(inst) {
            Op::Function => Some((part, part.module.function_of(inst)?)),
            _ => None,
        }
    }

    /// Finds instructions whose ids can't be distinguished from other words, one in each module.
    pub(super) fn check_decodable(&self, errors: &mut ErrorLog) {
        for part in &self.parts {
            let module = part.module;
            if let Some(inst) = module.instructions().find(|&it| module.is_opaque(it)) {
                let op = module.op(inst);
                let module = list([part.name]);
                let message = format!(
                    "the operands of {op} in {module} can't be decoded, so its ids can't be renumbered"
                );
                errors.push(LinkError::new(LinkErrorKind::Opaque, message).in_modules([part.name]));
            }
        }
    }
}

/// The storage class of a variable.
pub(super) fn storage_class(program: &Program<'_>, node: u32) -> StorageClass {
    StorageClass(program.word(node, 3))
}
