//! Functions, blocks, and how control flows between them.

use hashbrown::HashMap;

use spirvkit_analysis::control_flow::branches;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Components, ControlFlow, Graph, Lookup, Node, PostDominatorTree, Type};
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{AddressingModel, Capability, Decoration, Op};

use super::types::Arrangement;
use super::{Lowering, Pointer, Result, Signature, Value, arguments};
use crate::observe::Watch;
use crate::program::{Address, Edge, FrameKind, Inst, Object, Pc, Reg, Switch, pair};
use crate::special::Special;

/// The blocks of the function that is being lowered.
struct Blocks {
    flow: ControlFlow,
    /// Where lanes may have to wait for others: merge blocks, continue targets, headers of
    /// loops.
    joins: Vec<bool>,
    /// What is opened in each.
    frames: Vec<Option<FrameKind>>,
    /// Where the code of each begins.
    starts: Vec<Pc>,
}

/// The number of the first part of a block, until each has its place: no function has as many
/// blocks.
const FIRST_PART: Pc = 1 << 31;

impl<'a> Lowering<'_, 'a> {
    /// Lowers the entry point and all that it calls.
    pub(super) fn entry_point(&mut self, entry: Id) -> Result<()> {
        let Some(index) = self.m.function_index(entry) else {
            return Err(self.broken("the entry point's function is not defined"));
        };
        if !matches!(
            self.m.addressing,
            AddressingModel::Logical
                | AddressingModel::PhysicalStorageBuffer64
                | AddressingModel::Physical32
                | AddressingModel::Physical64
        ) {
            return Err(self.unsupported(format!("the addressing model {}", self.m.addressing)));
        }
        let (called, enqueued) = self.reached(entry)?;
        self.refuse_recursion(&called)?;
        self.note_workgroup_size(entry)?;
        self.derivative_modes(entry)?;
        self.float_modes(entry)?;
        self.find_passed(&called);
        self.variables(&called)?;
        self.arguments(index)?;
        self.enqueued_objects(&enqueued)?;
        self.initial_contents()?;
        for &function in &called {
            self.declare(function)?;
        }
        for &function in &called {
            self.function(function)?;
        }
        self.begin_enqueued(&enqueued)?;
        let id = self.m.functions[index as usize].id;
        self.program.entry = self.signatures.get(&id.0).map_or(0, |known| known.index);
        Ok(())
    }

    /// Each function has its columns once, so none may be entered from within itself.
    fn refuse_recursion(&self, called: &[u32]) -> Result<()> {
        let number = |function: u32| called.binary_search(&function).ok().map(|it| it as Node);
        let mut edges = Vec::new();
        for (caller, &function) in called.iter().enumerate() {
            let callees = self.m.called_functions(function).filter_map(number);
            edges.extend(callees.map(|callee| (caller as Node, callee)));
        }
        let components = Components::new(&Graph::new(called.len() as u32, &edges));
        match (0..components.len()).any(|component| components.is_cyclic(component)) {
            true => Err(self.broken("a function calls itself")),
            false => Ok(()),
        }
    }

    /// Gives a function columns for its parameters, its result, and its phis.
    fn declare(&mut self, function: u32) -> Result<()> {
        let function = self.m.functions[function as usize].clone();
        let mut parameters = Vec::new();
        let mut come_back = Vec::new();
        let mut result = Vec::new();
        for inst in self.m.instructions(function.range.clone()) {
            self.here = inst.offset();
            match inst.op() {
                Op::Function => {
                    let ty = inst.result_type().unwrap_or(Id(0));
                    if !self.m.is_void(ty) {
                        result = self.columns_of(ty)?;
                    }
                }
                // Those of the entry point are objects.
                Op::FunctionParameter if function.id == self.entry => {}
                Op::FunctionParameter | Op::Phi => {
                    let ty = inst.result_type().unwrap_or(Id(0));
                    let id = inst.result().unwrap_or(Id(0));
                    if let Some(columns) = self.passed_columns(id)? {
                        parameters.push(columns.clone());
                        come_back.push(self.passed.is_written(id));
                        self.values.insert(id.0, Value::Register(columns));
                        continue;
                    }
                    let columns = self.columns_of(ty)?;
                    if inst.op() == Op::FunctionParameter {
                        parameters.push(columns.clone());
                        come_back.push(false);
                    }
                    self.define_as(inst, ty, columns)?;
                    if inst.op() == Op::Phi {
                        let result = inst.result().map_or(0, |id| id.0);
                        let pairs = inst.args().chunks_exact(2);
                        let pairs = pairs.map(|pair| ((result, pair[1]), pair[0]));
                        self.incoming.extend(pairs);
                    }
                }
                _ => {}
            }
        }
        let index = self.signatures.len() as u32;
        let signature = Signature {
            index,
            parameters,
            come_back,
            result,
        };
        self.signatures.insert(function.id.0, signature);
        self.program.functions.push(0);
        Ok(())
    }

    /// Gives a result columns; what is a pointer is one into memory.
    pub(super) fn define_as(
        &mut self,
        inst: Instruction<'a>,
        ty: Id,
        columns: Vec<Reg>,
    ) -> Result<()> {
        if self.m.is_pointer(ty)
            && let [offset, object] = columns[..]
        {
            let is_arranged = match self.m.ty(ty) {
                Type::Pointer { pointee, .. } => self.is_arranged(pointee),
                _ => false,
            };
            let arrangement = match inst.result() {
                Some(result) if is_arranged => self.arrangement_of(result)?,
                _ => Arrangement::Plain,
            };
            let address = Address {
                object: Object::Column(object),
                offset,
                constant: 0,
            };
            let pointer = Pointer {
                arrangement,
                ..Pointer::plain(address)
            };
            self.define_pointer(inst, pointer);
            return Ok(());
        }
        self.define(inst, columns);
        Ok(())
    }

    pub(super) fn define_pointer(&mut self, inst: Instruction<'a>, pointer: Pointer) {
        if let Some(result) = inst.result() {
            self.values.insert(result.0, Value::Pointer(pointer));
        }
    }

    /// Refuses a function that another module defines, by the name it has there.
    fn declared_only(&self, function: Id) -> Box<spirvkit_diagnostics::Diagnostic> {
        let decoration = self.m.decoration(function, Decoration::LinkageAttributes);
        let name = decoration.and_then(|it| it.inst.string(2));
        let name = match name {
            Some(name) => name.to_text_lossy().into(),
            None => self.name(function),
        };
        self.unsupported(format!("the function `{name}`, which is only declared"))
    }

    fn function(&mut self, index: u32) -> Result<()> {
        let function = self.m.functions[index as usize].clone();
        self.function = function.id;
        self.here = function.range.start;
        if function.blocks.is_empty() {
            return Err(self.declared_only(function.id));
        }
        let mut blocks = self.blocks(index)?;
        let Some(signature) = self.signatures.get(&function.id.0) else {
            return Ok(());
        };
        let start = self.program.code.len() as Pc;
        self.program.functions[signature.index as usize] = start;
        if function.id == self.entry {
            self.load_arguments()?;
        }
        self.initialize_locals(&function, index)?;
        let first_switch = self.program.switches.len();
        self.parts.clear();
        for (number, block) in function.blocks.clone().enumerate() {
            let block = self.m.blocks[block as usize];
            blocks.starts[number] = self.program.code.len() as Pc;
            if let Some(frame) = blocks.frames[number] {
                self.here = block.start;
                self.emit(Inst::Enter { frame });
            }
            let end = self
                .m
                .inst(block.terminator)
                .map(|inst| inst.words().len() as u32);
            let Some(end) = end.filter(|_| block.terminator != 0) else {
                return Err(self.broken("a block has no terminator"));
            };
            for inst in self.m.instructions(block.start..block.terminator) {
                self.here = inst.offset();
                let is_watched = self.is_watched(inst);
                if is_watched {
                    self.watch(Watch::Before);
                }
                let start = self.program.code.len();
                self.instruction(inst)?;
                self.note_own_writes(start, inst);
                if is_watched {
                    self.watch(Watch::After);
                }
                self.check_size()?;
            }
            for inst in self
                .m
                .instructions(block.terminator..block.terminator + end)
            {
                self.here = inst.offset();
                self.watch(Watch::Before);
                self.terminator(inst, &blocks, number as u32)?;
            }
        }
        self.resolve(start, first_switch, &blocks);
        Ok(())
    }

    /// The blocks of a function and the constructs that they open. Where control flow need not be
    /// structured (section 2.11), merge instructions are hints: lanes come together where all ways
    /// out of a block meet again.
    fn blocks(&self, function: u32) -> Result<Blocks> {
        let count = self.m.functions[function as usize].blocks.len();
        let flow = self.m.control_flow(function);
        let Some(flow) = flow.filter(|flow| flow.blocks().len() == count) else {
            return Err(self.broken("an instruction of the function can't be decoded"));
        };
        let mut frames = vec![None; count];
        let is_structured = self.m.has(Capability::Shader);
        for header in flow.headers().filter(|_| is_structured) {
            let merge = header.merge;
            frames[header.node as usize] = Some(match header.continue_target() {
                Some(continue_target) => FrameKind::Loop {
                    header: header.node,
                    merge,
                    continue_target,
                },
                None => FrameKind::Selection { merge },
            });
        }
        // Elsewhere, and in a function that declares nothing, it has to be found.
        if frames.iter().all(Option::is_none) {
            let graph = flow.graph();
            let tree = PostDominatorTree::from_depth_first(graph, flow.order());
            let parting = (0..graph.len()).filter(|&node| graph.successors(node).len() > 1);
            for node in parting {
                let merge = tree.immediate(node);
                frames[node as usize] = merge.map(|merge| FrameKind::Selection { merge });
            }
        }
        let mut joins = vec![false; count];
        for frame in frames.iter().flatten() {
            match *frame {
                FrameKind::Selection { merge } => joins[merge as usize] = true,
                FrameKind::Loop {
                    header,
                    merge,
                    continue_target,
                } => {
                    joins[header as usize] = true;
                    joins[merge as usize] = true;
                    joins[continue_target as usize] = true;
                }
                FrameKind::Call { .. } => {}
            }
        }
        Ok(Blocks {
            flow,
            joins,
            frames,
            starts: vec![0; count],
        })
    }

    /// The literals and labels of a switch, without its default.
    fn cases(&self, inst: Instruction<'a>) -> impl Iterator<Item = (u64, u32)> + use<'a> {
        let width = self
            .m
            .type_of(inst.id(0))
            .map_or(32, |ty| self.m.bit_width(ty));
        let literal = if width > 32 { 2 } else { 1 };
        let mask = if width >= 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        let ways = branches(inst.words(), Some(literal)).skip(1);
        ways.map(move |way| {
            let words = way.literal.iter().rev();
            let bits = words.fold(0, |high, &word| high << 32 | u64::from(word));
            (bits & mask, way.label.0)
        })
    }

    fn terminator(&mut self, inst: Instruction<'a>, blocks: &Blocks, from: u32) -> Result<()> {
        let target = |label: u32| blocks.flow.node(Id(label));
        let to = |this: &Self, label: u32| {
            target(label).ok_or_else(|| this.broken("a branch leads to no block"))
        };
        match inst.op() {
            Op::Branch => {
                let edge = self.edge(from, to(self, inst.arg(0))?, blocks)?;
                self.emit(Inst::Jump(edge));
            }
            Op::BranchConditional if inst.arg(1) == inst.arg(2) => {
                let edge = self.edge(from, to(self, inst.arg(1))?, blocks)?;
                self.emit(Inst::Jump(edge));
            }
            Op::BranchConditional => {
                let condition = self.scalar(inst.id(0))?;
                let then = self.edge(from, to(self, inst.arg(1))?, blocks)?;
                let otherwise = self.edge(from, to(self, inst.arg(2))?, blocks)?;
                self.emit(Inst::Branch {
                    condition,
                    then,
                    otherwise,
                });
            }
            Op::Switch => {
                let selector = pair(&self.value(inst.id(0))?);
                if !matches!(self.component(inst.id(0))?, ScalarType::Integer { .. }) {
                    return Err(self.broken("a switch chooses by what is no integer"));
                }
                // What phis get is the same for all cases that lead to a block.
                let mut edges: HashMap<u32, Edge> = HashMap::new();
                let default = self.edge(from, to(self, inst.arg(1))?, blocks)?;
                edges.insert(inst.arg(1), default);
                let mut cases = Vec::new();
                for (literal, label) in self.cases(inst) {
                    let edge = match edges.get(&label) {
                        Some(&edge) => edge,
                        None => self.edge(from, to(self, label)?, blocks)?,
                    };
                    edges.insert(label, edge);
                    cases.push((literal, edge));
                }
                cases.sort_unstable_by_key(|case| case.0);
                let switch = Switch {
                    low: selector[0],
                    high: selector[1],
                    cases,
                    default,
                };
                self.program.switches.push(switch);
                self.emit(Inst::Switch(self.program.switches.len() as u32 - 1));
            }
            Op::Return => self.emit(Inst::Return),
            Op::ReturnValue => {
                let value = self.value(inst.id(0))?;
                let result = self.signatures.get(&self.function.0);
                let result = result.map_or_else(Vec::new, |known| known.result.clone());
                self.copy(&result, &value);
                self.emit(Inst::Return);
            }
            Op::Kill | Op::TerminateInvocation => self.emit(Inst::Terminate),
            Op::Unreachable => self.emit(Inst::Unreachable),
            Op::AbortKHR => {
                self.special(Special::Abort);
                self.emit(Inst::Terminate);
            }
            op => return Err(self.unsupported(op.to_string())),
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, to: &[Reg], from: &[Reg]) {
        for (&to, &from) in to.iter().zip(from) {
            if to != from {
                self.emit(Inst::Copy { to, from });
            }
        }
    }

    /// The way from one block to another, with what phis get on it.
    fn edge(&mut self, from: u32, to: u32, blocks: &Blocks) -> Result<Edge> {
        let Some(function) = self.m.function_index(self.function) else {
            return Err(self.broken("a block is in no function"));
        };
        let first = self.m.functions[function as usize].blocks.start;
        let label = self.m.blocks[(first + from) as usize].id;
        let block = self.m.blocks[(first + to) as usize];
        let mut pairs = Vec::new();
        for inst in self.m.instructions(block.start..block.terminator) {
            match inst.op() {
                Op::Phi => {}
                Op::Label | Op::Line | Op::NoLine => continue,
                Op::ExtInst if self.m.is_remark(inst) => continue,
                _ => break,
            }
            let result = inst.result().unwrap_or(Id(0));
            let Some(&source) = self.incoming.get(&(result.0, label.0)) else {
                continue;
            };
            let to = self.value(result)?;
            let from = self.value(Id(source))?;
            pairs.extend(to.into_iter().zip(from).filter(|(to, from)| to != from));
        }
        let start = self.program.moves.len() as u32;
        let moves = self.in_order(pairs)?;
        self.program.moves.extend(moves);
        self.check_size()?;
        Ok(Edge {
            target: to,
            moves: (start, self.program.moves.len() as u32),
            joins: blocks.joins[to as usize],
        })
    }

    /// Moves that are to happen at once, so that they can be done one after the other: what is
    /// overwritten before it is read is saved first.
    fn in_order(&mut self, pairs: Vec<(Reg, Reg)>) -> Result<Vec<(Reg, Reg)>> {
        let mut written = hashbrown::HashSet::new();
        let mut saved: HashMap<Reg, Reg> = HashMap::new();
        let mut moves = Vec::with_capacity(pairs.len());
        for &(to, from) in &pairs {
            if written.contains(&from) && !saved.contains_key(&from) {
                saved.insert(from, self.column()?);
            }
            written.insert(to);
        }
        let mut saves: Vec<(Reg, Reg)> = saved.iter().map(|(&from, &to)| (to, from)).collect();
        saves.sort_unstable();
        moves.extend(saves);
        let mut written = hashbrown::HashSet::new();
        for (to, from) in pairs {
            let is_lost = written.contains(&from);
            let from = saved
                .get(&from)
                .filter(|_| is_lost)
                .copied()
                .unwrap_or(from);
            moves.push((to, from));
            written.insert(to);
        }
        Ok(moves)
    }

    /// Puts instructions in the place of blocks, now that all have one.
    fn resolve(&mut self, start: Pc, first_switch: usize, blocks: &Blocks) {
        let parts = &self.parts;
        let place = |block: Pc| match block.checked_sub(FIRST_PART) {
            Some(part) => parts[part as usize],
            None => blocks.starts[block as usize],
        };
        let at = |edge: &mut Edge| edge.target = place(edge.target);
        for inst in &mut self.program.code[start as usize..] {
            match inst {
                Inst::Jump(edge) => at(edge),
                Inst::Branch {
                    then, otherwise, ..
                } => {
                    at(then);
                    at(otherwise);
                }
                Inst::Enter { frame } => match frame {
                    FrameKind::Selection { merge } => *merge = place(*merge),
                    FrameKind::Loop {
                        header,
                        merge,
                        continue_target,
                    } => {
                        for block in [header, merge, continue_target] {
                            *block = place(*block);
                        }
                    }
                    FrameKind::Call { .. } => {}
                },
                _ => {}
            }
        }
        for switch in &mut self.program.switches[first_switch..] {
            switch.cases.iter_mut().for_each(|case| at(&mut case.1));
            at(&mut switch.default);
        }
    }

    pub(super) fn call(&mut self, inst: Instruction<'a>) -> Result<()> {
        let Some(signature) = self.signatures.get(&inst.arg(0)).cloned() else {
            return Err(self.broken("a function is called that is not defined"));
        };
        let parameters = signature.parameters.iter().zip(&signature.come_back);
        let mut given = Vec::new();
        // The columns of variables, and those of the parameters that they are passed for.
        let mut changed = Vec::new();
        for ((parameter, &comes_back), &argument) in parameters.zip(arguments(inst, 1)) {
            given.push(match self.any_value(Id(argument))? {
                Value::Register(columns) => {
                    if comes_back {
                        changed.push((columns.clone(), parameter));
                    }
                    columns
                }
                _ => self.value(Id(argument))?,
            });
        }
        let result = self.invoke(inst.id(0), &given)?;
        for (variable, parameter) in changed {
            self.copy(&variable, parameter);
        }
        let ty = inst.result_type().unwrap_or(Id(0));
        if result.is_empty() {
            self.define(inst, Vec::new());
            return Ok(());
        }
        // Another call may come before the result is used.
        let columns = self.columns(result.len())?;
        self.copy(&columns, &result);
        self.define_as(inst, ty, columns)?;
        Ok(())
    }

    /// Calls a function with arguments in columns, and gives the columns of its result, which
    /// the next call writes again.
    pub(super) fn invoke(&mut self, function: Id, given: &[Vec<Reg>]) -> Result<Vec<Reg>> {
        let Some(signature) = self.signatures.get(&function.0).cloned() else {
            return Err(self.broken("a function is called that is not defined"));
        };
        for (parameter, value) in signature.parameters.iter().zip(given) {
            self.copy(parameter, value);
        }
        self.emit(Inst::Call {
            function: signature.index,
        });
        Ok(signature.result)
    }

    /// Lets only those lanes do something for which a Boolean is true.
    pub(super) fn when(
        &mut self,
        condition: Reg,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let part = self.parts.len() as u32;
        let [inside, merge] = [FIRST_PART + part, FIRST_PART + part + 1];
        self.parts.extend([0, 0]);
        let edge = |target, joins| Edge {
            target,
            moves: (0, 0),
            joins,
        };
        self.emit(Inst::Enter {
            frame: FrameKind::Selection { merge },
        });
        self.emit(Inst::Branch {
            condition,
            then: edge(inside, false),
            otherwise: edge(merge, true),
        });
        self.parts[part as usize] = self.program.code.len() as Pc;
        body(self)?;
        self.emit(Inst::Jump(edge(merge, true)));
        self.parts[part as usize + 1] = self.program.code.len() as Pc;
        Ok(())
    }

    /// Whether a decoration of `RelaxedPrecision`'s kind could matter is left to others: all
    /// arithmetic is done in full.
    pub(super) fn is_decorated(&self, id: Option<Id>, decoration: Decoration) -> bool {
        id.is_some_and(|id| self.m.is_decorated(id, decoration))
    }

    pub(super) fn is_array(&self, ty: Id) -> bool {
        matches!(
            self.m.ty(ty),
            Type::Array { .. } | Type::RuntimeArray { .. }
        )
    }
}
