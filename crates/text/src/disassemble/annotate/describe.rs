//! The comment for each instruction.

use std::fmt::Write as _;

use spirvkit_binary::{Id, Instruction, Value};
use spirvkit_grammar::{Class, Op, OperandKind};

use super::{Annotations, COMMENT, paths, push_id, values};
use crate::disassemble::names::Names;
use crate::disassemble::plain::{clip, separate};

impl Annotations<'_> {
    /// The comment for an instruction; empty if there is nothing to say.
    pub(in super::super) fn comment(&self, instruction: &Instruction<'_>, names: &Names) -> String {
        let mut out = String::new();
        self.describe(&mut out, instruction, names);
        clip(&mut out, 0, COMMENT);
        out
    }

    fn describe(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let Some(info) = instruction.info() else {
            return;
        };
        let (op, words) = (instruction.op(), instruction.words());
        match (info.class(), op) {
            (Class::Debug | Class::ModeSetting, _) => {}
            (Class::ControlFlow, op) if !matches!(op, Op::Phi | Op::ReturnValue) => {}
            (_, op) if op.is_member_decorate() => {
                if let [_, target, member, ..] = *words
                    && let Some(name) = self.name(Id(target))
                {
                    out.push_str(name);
                    self.push_member(out, Id(target), member);
                }
            }
            (_, Op::TypeForwardPointer) => {
                let id = words.get(1).copied().unwrap_or(0);
                out.push_str(self.type_name(Id(id)).unwrap_or_default());
            }
            (_, Op::Store) => self.store(out, words, names),
            (_, op) if op.is_type() => self.declared_type(out, instruction, names),
            _ => self.result(out, instruction, names),
        }
    }

    /// A store: the type and name of what is stored to, and the value.
    fn store(&self, out: &mut String, words: &[u32], names: &Names) {
        let [_, pointer, value, ..] = *words else {
            return;
        };
        if let Some(label) = self.shown_label(Id(pointer)) {
            let _ = write!(out, "{label}: ");
        }
        let ty = self.definitions.type_of(Id(value));
        if let Some(ty) = ty {
            self.mention(out, ty, names);
        }
        if let Some(label) = self.shown_label(Id(value)) {
            let _ = write!(out, " = {label}");
        }
    }

    /// Any other instruction: its result, its operands and its decorations.
    fn result(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let op = instruction.op();
        if let Some(id) = instruction.result() {
            self.head(out, id, instruction, names);
        }
        // The label of the result has the operands of these.
        if !(op == Op::Load || paths::takes_path(op) || op.is_composite_constant()) {
            self.operands(out, instruction, names);
        }
        if shows_decorations(op) {
            self.push_decorations(out, instruction);
        }
    }

    /// Writes the name and the type of a result.
    fn head(&self, out: &mut String, id: Id, instruction: &Instruction<'_>, names: &Names) {
        let op = instruction.op();
        let type_word = if op == Op::Function { 4 } else { 1 };
        let Some(ty) = instruction
            .result_type()
            .and(instruction.words().get(type_word))
        else {
            return;
        };
        let ty = self.type_name(Id(*ty));
        // A composite's value starts with its type; a load is called like what
        // it loads, which may be plain to see.
        let label = match (op, instruction.words()) {
            (Op::Load, [_, _, _, pointer, ..]) => self.shown_label(Id(*pointer)),
            _ if values::has_value(op) => None,
            _ => self.shown_label(id),
        };
        match (label, ty) {
            _ if op.is_composite_constant() => self.mention(out, id, names),
            (Some(label), Some(ty)) => {
                let _ = write!(out, "{label}: {ty}");
            }
            (None, Some("void")) => {}
            (label, ty) => out.push_str(ty.or(label).unwrap_or_default()),
        }
    }

    /// A label that says more than the id does.
    fn shown_label(&self, id: Id) -> Option<&str> {
        self.label(id).filter(|_| !self.labels.get(id).obvious)
    }

    /// Writes what operands are that don't say it themselves.
    fn operands(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let mut seen = Vec::new();
        for operand in instruction
            .operands(&self.definitions)
            .map_while(Result::ok)
        {
            if out.len() > COMMENT {
                return;
            }
            let Value::Id(id) = operand.value else {
                continue;
            };
            if matches!(
                operand.kind,
                OperandKind::IdResult | OperandKind::IdResultType
            ) || seen.contains(&id)
            {
                continue;
            }
            if let Some(name) = self.constant_name(operand.kind, id) {
                separate(out, 0);
                out.push_str(&name);
                continue;
            }
            let ty = self
                .type_name(id)
                .filter(|_| instruction.op() != Op::Function && !self.is_nameless(id));
            let Some(text) = self.shown_label(id).or(ty) else {
                continue;
            };
            separate(out, 0);
            push_id(out, id, names);
            let _ = write!(out, " = {text}");
            seen.push(id);
        }
    }

    /// Whether the text of a type says no more than its id does.
    fn is_nameless(&self, ty: Id) -> bool {
        let is_structure = || {
            self.declaration(ty)
                .is_some_and(|ty| ty.op() == Op::TypeStruct)
        };
        self.friendly || self.name(ty).is_none() && is_structure()
    }

    pub(super) fn push_decorations(&self, out: &mut String, instruction: &Instruction<'_>) {
        if self.omit_decorations {
            return;
        }
        let decorations = instruction
            .result()
            .and_then(|id| self.decorations.get(&id.0));
        if let Some(decorations) = decorations {
            separate(out, 0);
            out.push_str(decorations);
        }
    }
}

/// Whether results of these are things that decorations give a place: a
/// location, a binding. Those of others, such as `RelaxedPrecision`, would be
/// on every second line.
fn shows_decorations(op: Op) -> bool {
    matches!(
        op,
        Op::Variable
            | Op::UntypedVariableKHR
            | Op::Function
            | Op::FunctionParameter
            | Op::SpecConstant
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
    )
}
