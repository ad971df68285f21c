//! The comment for each instruction.

use std::fmt::Write as _;

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::spelling::{Speller, has_value};
use spirvkit_binary::{Id, Instruction, Value};
use spirvkit_grammar::{Class, Op, OperandKind};

use super::{Annotations, COMMENT, own_name, paths, push_id};
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
                if let [_, target, member, ..] = *words {
                    let name = own_name(&self.index, Id(target));
                    if !name.is_empty() {
                        out.push_str(&name);
                        self.push_member(out, Id(target), member);
                    }
                }
            }
            (_, Op::TypeForwardPointer) => {
                let id = words.get(1).copied().unwrap_or(0);
                out.push_str(self.label(Id(id)).unwrap_or_default());
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
        let ty = self.index.type_of(Id(value));
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
            self.push_decorations(out, instruction, names);
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
        let ty = self.label(Id(*ty));
        // A composite's value starts with its type; a load is called like what
        // it loads, which may be plain to see.
        let label = match (op, instruction.words()) {
            (Op::Load, [_, _, _, pointer, ..]) => self.shown_label(Id(*pointer)),
            _ if has_value(op) => None,
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
        let called = self.called(names);
        let speller = Speller::new(&self.index, &called);
        let mut seen = Vec::new();
        for operand in instruction
            .operands(&self.index.definitions)
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
            if let Some(name) = speller.named_constant(operand.kind, id) {
                separate(out, 0);
                out.push_str(&name);
                continue;
            }
            let is_shown = match self.is_type(id) {
                true => instruction.op() != Op::Function && !self.is_nameless(id),
                false => true,
            };
            let Some(text) = self.shown_label(id).filter(|_| is_shown) else {
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
        self.friendly || self.index.is_struct(ty) && own_name(&self.index, ty).is_empty()
    }

    /// The id that an instruction defines, unless another one did before.
    fn defined(&self, instruction: &Instruction<'_>) -> Option<Id> {
        let offset = instruction.offset().0 as u32;
        let result = instruction.result();
        result.filter(|&id| self.index.def_offset(id) == offset)
    }

    /// The comment for the declaration of a type.
    fn declared_type(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let Some(id) = self.defined(instruction) else {
            return;
        };
        out.push_str(self.label(id).unwrap_or_default());
        if let (Op::TypeStruct, [_, _, members @ ..]) = (instruction.op(), instruction.words()) {
            self.members(out, id, members, names);
        }
        self.push_decorations(out, instruction, names);
    }

    fn push_decorations(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        if self.omit_decorations {
            return;
        }
        let decorations = self
            .defined(instruction)
            .map(|id| self.index.own_decorations(id));
        for decorated in decorations.into_iter().flatten() {
            self.decoration(out, &decorated, names);
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
