//! Writing the one module that all become: section by section, and in each the modules
//! in their order.

use std::collections::{BTreeSet, HashSet};

use spirvkit_binary::{Header, Id, IdMap, Section};
use spirvkit_grammar::{Capability, Op};
use spirvkit_ir::{Function, Inst};

use super::Options;
use super::error::{ErrorLog, LinkError, LinkErrorKind, brief, list};
use super::graph::{has_target, is_global};
use super::program::{Part, Program};
use super::resolve::Resolution;
use super::symbols::Symbols;

/// How far a node has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// What it names is being written; at this place among all of which that holds.
    Begun(u32),
    Written,
}

/// A node that is being written.
struct Open {
    node: u32,
    /// What has to be written before it.
    needs: Vec<u32>,
    /// From where on all up to it are of its module.
    alone_from: usize,
}

pub(super) struct Writer<'w, 'a> {
    program: &'w Program<'a>,
    symbols: &'w Symbols,
    resolution: &'w Resolution,
    options: &'w Options,
    words: Vec<u32>,
    /// By node: its id in the result, 0 before it is mentioned.
    ids: Vec<u32>,
    /// By module: the same for ids that are no nodes.
    inner: Vec<IdMap<u32>>,
    bound: u32,
    states: Vec<State>,
    /// By node: whether an `OpTypeForwardPointer` of some module is for it, and whether
    /// it has been written.
    forward: Vec<(bool, bool)>,
    /// The operands of the `OpLine` in effect.
    line: Option<[u32; 3]>,
    /// Whether something of the result has linkage.
    has_linkage: bool,
}

impl<'w, 'a> Writer<'w, 'a> {
    pub(super) fn new(
        program: &'w Program<'a>,
        symbols: &'w Symbols,
        resolution: &'w Resolution,
        options: &'w Options,
    ) -> Self {
        let count = program.node_count();
        Self {
            program,
            symbols,
            resolution,
            options,
            words: Vec::new(),
            ids: vec![0; count],
            inner: (program.parts.iter())
                .map(|part| part.module.id_table(0))
                .collect(),
            bound: 1,
            states: vec![State::New; count],
            forward: vec![(false, false); count],
            line: None,
            has_linkage: false,
        }
    }

    /// Writes everything. The header's bound is worked out here.
    pub(super) fn run(mut self, header: Header, errors: &mut ErrorLog) -> Vec<u32> {
        self.words.extend(header.to_words());
        self.has_linkage = self.keeps_linkage();
        self.write_distinct(Section::Capabilities);
        self.write_distinct(Section::Extensions);
        self.write_nodes(Section::Imports);
        self.write_memory_model();
        self.write_distinct(Section::AddressingMode);
        for section in [Section::EntryPoints, Section::ExecutionModes] {
            self.each(section, |writer, module, inst| writer.copy(module, inst));
        }
        self.write_sources();
        self.write_names();
        self.write_distinct(Section::Processed);
        self.each(Section::Annotations, Self::write_annotation);
        self.write_globals(errors);
        self.write_functions();
        for (module, part) in self.program.parts.iter().enumerate() {
            for &inst in &part.behind {
                self.copy(module, inst);
            }
        }
        if let Some(slot) = self.words.get_mut(3) {
            *slot = self.bound;
        }
        self.words
    }

    fn part(&self, module: usize) -> Option<&'w Part<'a>> {
        self.program.parts.get(module)
    }

    /// Calls `write` with all instructions of a section, with the modules they are of.
    fn each(&mut self, section: Section, mut write: impl FnMut(&mut Self, usize, Inst)) {
        for (module, part) in self.program.parts.iter().enumerate() {
            for &inst in part.section(section) {
                write(self, module, inst);
            }
        }
    }

    /// The node that stands for another in the result.
    fn target(&self, node: u32) -> u32 {
        let targets = &self.resolution.targets;
        targets.get(node as usize).copied().unwrap_or(node)
    }

    fn is_target(&self, node: u32) -> bool {
        self.target(node) == node
    }

    /// The id in the result for an id of a module.
    fn new_id(&mut self, module: usize, id: Id) -> u32 {
        let node = self.part(module).and_then(|part| part.node(id));
        let slot = match node {
            Some(node) => {
                let target = self.target(node);
                self.ids.get_mut(target as usize)
            }
            None => self.inner.get_mut(module).map(|ids| ids.slot(id)),
        };
        let Some(slot) = slot.filter(|_| id.0 != 0) else {
            return id.0;
        };
        if *slot == 0 {
            *slot = self.bound;
            self.bound += 1;
        }
        *slot
    }

    /// An instruction's words with the ids of the result.
    fn translate(&mut self, module: usize, inst: Inst) -> Vec<u32> {
        let Some(part) = self.part(module) else {
            return Vec::new();
        };
        let read = part.module.get(inst);
        let mut words = read.words().to_vec();
        let mut ids: Vec<(usize, Id)> = Vec::new();
        if let Some(result) = read.result() {
            ids.push((1 + usize::from(read.result_type().is_some()), result));
        }
        part.module.each_use(inst, |word, id| ids.push((word, id)));
        ids.sort_unstable();
        for (word, id) in ids {
            words[word] = self.new_id(module, id);
        }
        words
    }

    fn copy(&mut self, module: usize, inst: Inst) {
        let words = self.translate(module, inst);
        self.words.extend(words);
    }

    /// Whether an id belongs to a function that isn't part of the result.
    fn is_lost(&self, module: usize, id: Id) -> bool {
        let Some(part) = self.part(module).filter(|part| part.node(id).is_none()) else {
            return false;
        };
        let function = part
            .module
            .definition(id)
            .and_then(|inst| part.module.function_of(inst));
        function.is_some_and(|function| self.is_replaced(part, function))
    }

    fn is_replaced(&self, part: &Part<'_>, function: Function) -> bool {
        let node = part
            .module
            .function_id(function)
            .and_then(|id| part.node(id));
        node.is_some_and(|node| self.resolution.is_replaced.get(node as usize) == Some(&true))
    }

    /// Writes each instruction of a section of which there is no equal one before.
    fn write_distinct(&mut self, section: Section) {
        let mut known = HashSet::new();
        let drops_linkage = !self.has_linkage;
        self.each(section, |writer, module, inst| {
            let words = writer.translate(module, inst);
            let is_linkage =
                words == [2 << 16 | u32::from(Op::Capability.0), Capability::Linkage.0];
            if !(is_linkage && drops_linkage) && known.insert(words.clone()) {
                writer.words.extend(words);
            }
        });
    }

    /// Whether the result has something to export or import. Without an entry point it
    /// is nothing without the capability either (specification, section 2.4).
    fn keeps_linkage(&self) -> bool {
        let parts = || self.program.parts.iter().enumerate();
        let remains = |(module, part): (usize, &Part<'_>)| {
            let insts = part.section(Section::Annotations).iter();
            insts.copied().any(|inst| {
                self.symbols.has_linkage(module, inst) && !self.is_resolved(module, inst)
            })
        };
        let has_entry = |part: &Part<'_>| !part.section(Section::EntryPoints).is_empty();
        parts().any(remains) || !self.program.parts.iter().any(has_entry)
    }

    fn is_resolved(&self, module: usize, inst: Inst) -> bool {
        let keep_exports = self.options.create_library;
        let keep_imports = keep_exports || self.options.allow_partial_linkage;
        self.symbols
            .is_resolved(module, inst, keep_exports, keep_imports)
    }

    /// Writes what stands for its class.
    fn write_nodes(&mut self, section: Section) {
        self.each(section, |writer, module, inst| {
            writer.write_node(module, inst);
        });
    }

    fn write_node(&mut self, module: usize, inst: Inst) {
        let node = self
            .part(module)
            .and_then(|part| part.node(part.module.result(inst)?));
        if node.is_none_or(|node| self.is_target(node)) {
            self.copy(module, inst);
        }
    }

    fn write_memory_model(&mut self) {
        let parts = self.program.parts.iter().enumerate();
        let first = |(module, part): (usize, &Part<'_>)| {
            Some((module, *part.section(Section::MemoryModel).first()?))
        };
        if let Some((module, inst)) = parts.into_iter().find_map(first) {
            self.copy(module, inst);
        }
    }

    /// Writes strings, and each source once, its continuation with it.
    fn write_sources(&mut self) {
        for (module, part) in self.program.parts.iter().enumerate() {
            for &inst in part.section(Section::Sources) {
                if part.module.op(inst) == Op::String {
                    self.write_node(module, inst);
                }
            }
        }
        let mut known = HashSet::new();
        for (module, part) in self.program.parts.iter().enumerate() {
            let insts: Vec<Inst> = (part.section(Section::Sources).iter().copied())
                .filter(|&inst| part.module.op(inst) != Op::String)
                .collect();
            let continues = |_: &Inst, next: &Inst| part.module.op(*next) == Op::SourceContinued;
            for source in insts.chunk_by(continues) {
                let words: Vec<u32> = (source.iter())
                    .flat_map(|&inst| self.translate(module, inst))
                    .collect();
                if known.insert(words.clone()) {
                    self.words.extend(words);
                }
            }
        }
    }

    /// Writes the names of what is in the result. What has none there gets those of
    /// the first that gave way to it.
    fn write_names(&mut self) {
        let mut givers = vec![u32::MAX; self.program.node_count()];
        let mut note = |writer: &Self, module: usize, inst: Inst, own: bool| {
            let named = writer
                .part(module)
                .and_then(|part| part.node(part.id(inst, 1)?));
            let Some(named) = named.filter(|&named| writer.is_target(named) == own) else {
                return;
            };
            let giver = &mut givers[writer.target(named) as usize];
            if *giver == u32::MAX {
                *giver = named;
            }
        };
        for own in [true, false] {
            self.each(Section::Names, |writer, module, inst| {
                note(writer, module, inst, own)
            });
        }
        self.each(Section::Names, |writer, module, inst| {
            let Some(id) = writer.part(module).and_then(|part| part.id(inst, 1)) else {
                return;
            };
            let node = writer.part(module).and_then(|part| part.node(id));
            let is_kept = match node {
                Some(node) => givers[writer.target(node) as usize] == node,
                None => !writer.is_lost(module, id),
            };
            if is_kept {
                writer.copy(module, inst);
            }
        });
    }

    fn write_annotation(&mut self, module: usize, inst: Inst) {
        let Some(part) = self.part(module) else {
            return;
        };
        if self.is_resolved(module, inst) {
            return;
        }
        match part.module.op(inst) {
            Op::GroupDecorate => self.write_group(module, inst, 1),
            Op::GroupMemberDecorate => self.write_group(module, inst, 2),
            op if has_target(op) => {
                let is_kept = part.id(inst, 1).is_some_and(|id| self.is_kept(module, id));
                if is_kept {
                    self.copy(module, inst);
                }
            }
            _ => self.write_node(module, inst),
        }
    }

    /// Whether decorations of an id belong to the result.
    fn is_kept(&self, module: usize, id: Id) -> bool {
        match self.part(module).and_then(|part| part.node(id)) {
            Some(node) => self.is_target(node),
            None => !self.is_lost(module, id),
        }
    }

    /// Writes an instruction that decorates with a group, with those of its targets, of
    /// so many words each, that belong to the result.
    fn write_group(&mut self, module: usize, inst: Inst, size: usize) {
        let old = self.part(module).map(|part| part.module.get(inst).words());
        let new = self.translate(module, inst);
        let (Some([_, _, old @ ..]), [first, group, targets @ ..]) = (old, &*new) else {
            return;
        };
        let kept: Vec<u32> = (old.chunks(size).zip(targets.chunks(size)))
            .filter(|(old, _)| self.is_kept(module, Id(old[0])))
            .flat_map(|(_, new)| new.iter().copied())
            .collect();
        if !kept.is_empty() {
            let count = kept.len() as u32 + 2;
            self.words.extend([count << 16 | first & 0xffff, *group]);
            self.words.extend(kept);
        }
    }

    /// Writes types, constants, variables and what else is among them, each after
    /// what it names: a definition of a later module may be named by an earlier one.
    fn write_globals(&mut self, errors: &mut ErrorLog) {
        let program = self.program;
        for part in &program.parts {
            for &inst in part.section(Section::Types) {
                if part.module.op(inst) == Op::TypeForwardPointer
                    && let Some(node) = part.id(inst, 1).and_then(|id| part.node(id))
                {
                    let target = self.target(node);
                    self.forward[target as usize].0 = true;
                }
            }
        }
        for (module, part) in program.parts.iter().enumerate() {
            for &inst in part.section(Section::Types) {
                let result = part.module.result(inst).and_then(|id| part.node(id));
                match result {
                    Some(node) if self.is_target(node) => self.write_global(node, errors),
                    Some(_) => {}
                    None if part.module.op(inst) == Op::TypeForwardPointer => {
                        if let Some(node) = part.id(inst, 1).and_then(|id| part.node(id)) {
                            self.write_forward(self.target(node));
                        }
                    }
                    None => {
                        self.write_line(module, inst);
                        self.copy(module, inst);
                    }
                }
            }
        }
    }

    /// Declares a pointer that is written later, once.
    fn write_forward(&mut self, pointer: u32) {
        let is_written = self.states[pointer as usize] == State::Written;
        if is_written || std::mem::replace(&mut self.forward[pointer as usize].1, true) {
            return;
        }
        let Some((part, inst)) = self.program.at(pointer) else {
            return;
        };
        if let Some(id) = part.module.result(inst) {
            let id = self.new_id(self.program.module_of(pointer), id);
            let class = self.program.word(pointer, 2);
            let first = 3 << 16 | u32::from(Op::TypeForwardPointer.0);
            self.words.extend([first, id, class]);
        }
    }

    /// Writes a node that stands for its class, after all that it names.
    fn write_global(&mut self, node: u32, errors: &mut ErrorLog) {
        let mut stack = vec![];
        self.begin(node, &mut stack);
        while let Some(Open { node, needs, .. }) = stack.last_mut() {
            let node = *node;
            let Some(needed) = needs.pop() else {
                stack.pop();
                self.states[node as usize] = State::Written;
                if let Some((_, inst)) = self.program.at(node) {
                    let module = self.program.module_of(node);
                    self.write_line(module, inst);
                    self.copy(module, inst);
                }
                continue;
            };
            match self.states[needed as usize] {
                State::Written => {}
                State::New => self.begin(needed, &mut stack),
                State::Begun(at) => self.check_cycle(&stack, at as usize, errors),
            }
        }
    }

    /// Notes what has to be written before a node.
    fn begin(&mut self, node: u32, stack: &mut Vec<Open>) {
        if self.states[node as usize] != State::New {
            return;
        }
        self.states[node as usize] = State::Begun(stack.len() as u32);
        let mut needs = Vec::new();
        let mut pointers = Vec::new();
        if let Some((part, inst)) = self.program.at(node) {
            let op = part.module.op(inst);
            part.module.each_use(inst, |_, id| {
                let Some(needed) = part.node(id).map(|needed| self.target(needed)) else {
                    return;
                };
                let needed_op = self.program.op(needed);
                // Debug information may name what comes after it.
                let is_free = op.is_ext_inst() && needed_op.is_ext_inst();
                if may_come_before(op) && self.forward[needed as usize].0 {
                    pointers.push(needed);
                } else if is_global(needed_op) && !is_free {
                    needs.push(needed);
                }
            });
        }
        for pointer in pointers {
            self.write_forward(pointer);
        }
        needs.reverse();
        let module_of = |node| self.program.module_of(node);
        let alone_from = match stack.last() {
            Some(last) if module_of(last.node) == module_of(node) => last.alone_from,
            _ => stack.len(),
        };
        stack.push(Open {
            node,
            needs,
            alone_from,
        });
    }

    /// Reports variables whose initializers depend on each other: what is being written from
    /// here on.
    fn check_cycle(&self, stack: &[Open], from: usize, errors: &mut ErrorLog) {
        // Within a module it was there before.
        if stack.last().is_none_or(|last| last.alone_from <= from) {
            return;
        }
        let cycle = stack.get(from..).unwrap_or_default();
        let steps = cycle.len() + self.symbols.names.len();
        errors.push_with(steps, || self.cycle_error(cycle));
    }

    fn cycle_error(&self, cycle: &[Open]) -> LinkError {
        let nodes: BTreeSet<u32> = cycle.iter().map(|open| open.node).collect();
        let modules: BTreeSet<usize> = (nodes.iter())
            .map(|&node| self.program.module_of(node))
            .collect();
        let modules: Vec<&str> = (modules.into_iter())
            .filter_map(|module| Some(self.part(module)?.name))
            .collect();
        let symbols = (self.symbols.names.iter()).filter(|name| nodes.contains(&name.chosen()));
        let symbols: Vec<_> = symbols.map(|name| &name.text).collect();
        let shown: Vec<_> = symbols.iter().map(|name| brief(name)).collect();
        let message = format!(
            "the initializers of {} in {} depend on each other",
            list(shown.iter().map(|name| &**name)),
            list(modules.iter().copied())
        );
        let error = LinkError::new(LinkErrorKind::Circle, message).in_modules(modules);
        match symbols.first() {
            Some(symbol) => error.about(symbol),
            None => error,
        }
    }

    /// Sees to it that the line of an instruction outside of blocks is in effect.
    fn write_line(&mut self, module: usize, inst: Inst) {
        let Some(part) = self.part(module) else {
            return;
        };
        let line = part.module.line(inst);
        let wanted = match line.map(|line| (line, part.module.op(line))) {
            Some((line, Op::Line)) => {
                let words = self.translate(module, line);
                words.get(1..).and_then(|words| words.try_into().ok())
            }
            _ => None,
        };
        if wanted == self.line {
            return;
        }
        self.line = wanted;
        match wanted {
            Some(operands) => {
                self.words.push(4 << 16 | u32::from(Op::Line.0));
                self.words.extend(operands);
            }
            None => self.words.push(1 << 16 | u32::from(Op::NoLine.0)),
        }
    }

    /// Writes the functions, those without bodies first (specification, section 2.4).
    fn write_functions(&mut self) {
        let program = self.program;
        for bodies in [false, true] {
            for (module, part) in program.parts.iter().enumerate() {
                for function in part.module.functions() {
                    let has_body = part.module.entry_block(function).is_some();
                    if has_body == bodies && !self.is_replaced(part, function) {
                        self.write_function(module, part, function);
                    }
                }
            }
        }
    }

    fn write_function(&mut self, module: usize, part: &Part<'_>, function: Function) {
        for (index, inst) in part.module.function_instructions(function).enumerate() {
            if index == 0 {
                self.write_line(module, inst);
            }
            let words = self.translate(module, inst);
            match part.module.op(inst) {
                Op::Line => self.line = words.get(1..).and_then(|it| it.try_into().ok()),
                Op::NoLine => self.line = None,
                op if op.is_terminator() => self.line = None,
                _ => {}
            }
            self.words.extend(words);
        }
    }
}

/// Whether a type may name a pointer that is only declared so far.
fn may_come_before(op: Op) -> bool {
    matches!(op, Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray)
}
