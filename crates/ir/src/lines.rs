//! Lines and scopes of source: which are in effect where, and how they stay with
//! the instructions when those are moved.
//!
//! `OpLine` holds for what follows it, up to the next `OpLine` or `OpNoLine` or the
//! end of the block (specification, section 3.32.3); `DebugLine` and `DebugScope` of
//! the instruction sets for debug information do the same. Here each instruction
//! remembers which of these holds for it. They stay in the list where they are, and
//! when a module is stored, whatever stands under another line than its own gets its
//! own written before it.

use spirvkit_binary::{Definition, Definitions, Id, Import, Instruction};
use spirvkit_grammar::{ExtInstSet, Op};

use crate::edit::{EditError, check_length};
use crate::handles::{Inst, NONE};
use crate::module::{Module, parent};

/// What an instruction does to the place in the source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Line,
    NoLine,
    Scope,
    NoScope,
}

/// The place that is in effect at some point of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) line: u32,
    pub(crate) scope: u32,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            line: NONE,
            scope: NONE,
        }
    }
}

impl Places {
    /// Takes note of an instruction; tells whether it is one about places.
    #[inline]
    pub(crate) fn read(
        &mut self,
        definitions: &Definitions,
        inst: &Instruction<'_>,
        handle: Inst,
    ) -> bool {
        match effect(definitions, inst) {
            None => return false,
            Some(Effect::Line) => self.line = handle.0,
            Some(Effect::NoLine) => self.line = NONE,
            Some(Effect::Scope) => self.scope = handle.0,
            Some(Effect::NoScope) => self.scope = NONE,
        }
        true
    }

    pub(crate) fn end_block(&mut self) {
        *self = Self::default();
    }
}

#[inline]
fn effect(definitions: &Definitions, inst: &Instruction<'_>) -> Option<Effect> {
    match inst.op() {
        Op::Line => Some(Effect::Line),
        Op::NoLine => Some(Effect::NoLine),
        Op::ExtInst => extended_effect(definitions, inst),
        _ => None,
    }
}

fn extended_effect(definitions: &Definitions, inst: &Instruction<'_>) -> Option<Effect> {
    let &[_, _, _, set, number, ..] = inst.words() else {
        return None;
    };
    let set = debug_info_set(definitions, Id(set))?;
    match set.instruction(number)?.name() {
        "DebugLine" => Some(Effect::Line),
        "DebugNoLine" => Some(Effect::NoLine),
        "DebugScope" => Some(Effect::Scope),
        "DebugNoScope" => Some(Effect::NoScope),
        _ => None,
    }
}

fn debug_info_set(definitions: &Definitions, set: Id) -> Option<ExtInstSet> {
    let Definition::Import(Import::Known(set)) = definitions.get(set) else {
        return None;
    };
    set.is_debug_info().then_some(set)
}

/// Whether an extended instruction of debug information may be before an
/// instruction with this opcode.
fn takes_extended_before(op: Op) -> bool {
    !matches!(
        op,
        Op::Function
            | Op::FunctionParameter
            | Op::Label
            | Op::Phi
            | Op::Variable
            | Op::UntypedVariableKHR
            | Op::FunctionEnd
    )
}

impl Module {
    /// The instruction that says from which line of source an instruction comes: an
    /// `OpLine` or `DebugLine`.
    pub fn line(&self, inst: Inst) -> Option<Inst> {
        Inst::some(self.places(inst).line)
    }

    /// The `DebugScope` to which an instruction belongs.
    pub fn scope(&self, inst: Inst) -> Option<Inst> {
        Inst::some(self.places(inst).scope)
    }

    /// Gives an instruction another line: an `OpLine` or `DebugLine` that the module
    /// has or had, or none.
    pub fn set_line(&mut self, inst: Inst, line: Option<Inst>) {
        if let Some(node) = self.nodes.get_mut(inst.index()) {
            node.line = line.map_or(NONE, |line| line.0);
        }
    }

    /// Gives an instruction another scope: a `DebugScope` that the module has or had,
    /// or none.
    pub fn set_scope(&mut self, inst: Inst, scope: Option<Inst>) {
        if let Some(node) = self.nodes.get_mut(inst.index()) {
            node.scope = scope.map_or(NONE, |scope| scope.0);
        }
    }

    /// Gives an instruction the line and the scope of another.
    pub fn copy_place(&mut self, from: Inst, to: Inst) {
        let places = self.places(from);
        if let Some(node) = self.nodes.get_mut(to.index()) {
            (node.line, node.scope) = (places.line, places.scope);
        }
    }

    /// Makes an `OpLine` that is nowhere, for [`set_line`](Self::set_line): what
    /// has it gets it before it when the module is stored. `file` is an `OpString`;
    /// lines and columns count from 1, and 0 says that they aren't known.
    pub fn new_line(&mut self, file: Id, line: u32, column: u32) -> Inst {
        let start = self.push_words(Op::Line, &[file.0, line, column]);
        self.push_node(start, parent::DETACHED)
    }

    /// Makes an instruction that is nowhere, a `DebugLine` or `DebugScope`, for
    /// [`set_line`](Self::set_line) and [`set_scope`](Self::set_scope): what has it gets
    /// it before it, with a result of its own, when the module is stored. The operands
    /// are words, the result type and a result among them, which may be 0.
    ///
    /// # Errors
    ///
    /// If the instruction is too long.
    pub fn new_place(&mut self, op: Op, operands: &[u32]) -> Result<Inst, EditError> {
        check_length(operands)?;
        let start = self.push_words(op, operands);
        Ok(self.push_node(start, parent::DETACHED))
    }

    /// Finds the places of all instructions, once all sets are known.
    pub(crate) fn find_places(&mut self) {
        let mut current = Places::default();
        for index in 0..self.nodes.len() as u32 {
            let inst = Inst(index);
            let op = self.op(inst);
            current.read(&self.definitions, &self.get(inst), inst);
            let Some(node) = self.nodes.get_mut(index as usize) else {
                return;
            };
            (node.line, node.scope) = (current.line, current.scope);
            if node.parent < parent::FUNCTION && op.is_terminator() {
                current.end_block();
            }
        }
    }

    /// Whether an instruction says which line or scope holds for those after it.
    pub fn is_place(&self, inst: Inst) -> bool {
        effect(&self.definitions, &self.get(inst)).is_some()
    }

    /// The place of an instruction, as far as it hasn't been removed.
    pub(crate) fn places(&self, inst: Inst) -> Places {
        let Some(node) = self.nodes.get(inst.index()) else {
            return Places::default();
        };
        let kept = |index: u32| match self.nodes.get(index as usize) {
            Some(node) if node.parent != parent::REMOVED => index,
            _ => NONE,
        };
        Places {
            line: kept(node.line),
            scope: kept(node.scope),
        }
    }

    /// Appends the words of all instructions, and returns the bound of the ids in
    /// them.
    pub(crate) fn write(&self, out: &mut Vec<u32>) -> u32 {
        let mut writer = Writer {
            m: self,
            bound: self.header.bound,
            current: Places::default(),
            run: 0..0,
        };
        let mut next = self.first;
        let mut after_merge = false;
        while let Some(node) = self.nodes.get(next as usize) {
            let inst = Inst(next);
            let op = self.op(inst);
            let places = Places {
                line: node.line,
                scope: node.scope,
            };
            let is_place = matches!(op, Op::Line | Op::NoLine | Op::ExtInst) && {
                writer
                    .current
                    .read(&self.definitions, &self.get(inst), inst)
            };
            // A merge and the branch behind it stay together.
            if !is_place && !after_merge && places != writer.current {
                writer.go_to(self.places(inst), op, out);
            }
            writer.copy(inst, out);
            if node.parent < parent::FUNCTION && op.is_terminator() {
                writer.current.end_block();
            }
            after_merge = op.is_merge();
            next = node.next;
        }
        writer.flush(out);
        writer.bound
    }
}

struct Writer<'m> {
    m: &'m Module,
    bound: u32,
    current: Places,
    /// Words of the module that are still to be copied.
    run: std::ops::Range<usize>,
}

impl Writer<'_> {
    /// Copies an instruction, together with those around it that are side by side.
    #[inline]
    fn copy(&mut self, inst: Inst, out: &mut Vec<u32>) {
        let words = self.m.get(inst);
        let start = words.offset().0;
        if self.run.end != start {
            self.flush(out);
            self.run = start..start;
        }
        self.run.end = start + words.words().len();
    }

    fn flush(&mut self, out: &mut Vec<u32>) {
        let run = std::mem::take(&mut self.run);
        out.extend_from_slice(self.m.words.get(run).unwrap_or_default());
    }

    /// Writes what brings these places into effect before an instruction with this
    /// opcode, if it can be there.
    #[cold]
    fn go_to(&mut self, places: Places, op: Op, out: &mut Vec<u32>) {
        self.flush(out);
        if places.line != self.current.line {
            let (from, to) = (self.current.line, places.line);
            if self.step(from, to, "DebugNoLine", op, out) {
                self.current.line = to;
            }
        }
        if places.scope != self.current.scope {
            let (from, to) = (self.current.scope, places.scope);
            if self.step(from, to, "DebugNoScope", op, out) {
                self.current.scope = to;
            }
        }
    }

    /// Writes the instruction `to`, or one that ends what `from` began.
    fn step(&mut self, from: u32, to: u32, end: &str, op: Op, out: &mut Vec<u32>) -> bool {
        let of = Inst(if to == NONE { from } else { to });
        let model = self.m.get(of);
        if model.op() != Op::ExtInst {
            match to {
                NONE => out.push(1 << 16 | u32::from(Op::NoLine.0)),
                _ => out.extend_from_slice(model.words()),
            }
            return true;
        }
        if !takes_extended_before(op) || self.bound == u32::MAX {
            return false;
        }
        let &[first, ty, _, set, number, ref operands @ ..] = model.words() else {
            return false;
        };
        let result = self.bound;
        if to != NONE {
            self.bound += 1;
            out.extend_from_slice(&[first, ty, result, set, number]);
            out.extend_from_slice(operands);
            return true;
        }
        let ending = debug_info_set(&self.m.definitions, Id(set))
            .and_then(|set| set.instruction_by_name(end));
        let Some(ending) = ending else {
            return false;
        };
        self.bound += 1;
        let first = 5 << 16 | u32::from(Op::ExtInst.0);
        out.extend_from_slice(&[first, ty, result, set, ending.number()]);
        true
    }
}
