//! What values are called, and what constants are.

use std::fmt::Write as _;

use spirvkit_binary::{FloatFormat, Id, Instruction, LiteralString, NumberType, Operand, Value};
use spirvkit_eval::Scalar;
use spirvkit_grammar::Op;

use super::{Annotations, COMMENT, NAME, Span, paths};
use crate::disassemble::names::Names;
use crate::disassemble::plain::{push_plain, separate};
use crate::number::write_number;

/// Whether the label of a result is its value.
pub(in super::super) fn has_value(op: Op) -> bool {
    op.is_scalar_constant()
        || op.is_composite_constant()
        || matches!(op, Op::ConstantNull | Op::SpecConstantOp)
}

impl<'a> Annotations<'a> {
    /// Works out what a result is to be called: after its value, its name, or
    /// where it comes from.
    pub(super) fn label_of(
        &mut self,
        id: Id,
        instruction: &Instruction<'a>,
        names: &Names,
    ) -> Span {
        let (op, words) = (instruction.op(), instruction.words());
        let name = self.names.get(id);
        let has_name = self.get(name).is_some();
        if has_value(op) {
            let span = self.keep(|notes, out| notes.value(out, instruction, names));
            // Without an `OpName`, a friendly name is the value.
            return Span {
                obvious: self.friendly && op.is_scalar_constant() && !has_name,
                ..span
            };
        }
        if has_name {
            // A compiler puts the types of the parameters behind the name.
            let text = self.get(name).unwrap_or_default();
            let length = text
                .find('(')
                .filter(|_| op == Op::Function)
                .unwrap_or(text.len());
            let length = u16::try_from(length).unwrap_or(name.length);
            return Span {
                length,
                obvious: self.friendly,
                ..name
            };
        }
        match (op, words) {
            (Op::String, [_, _, text @ ..]) => self.keep(|_, out| quote(out, text)),
            (Op::ExtInstImport, [_, _, text @ ..]) if self.is_unknown_set(id) => {
                self.keep(|_, out| super::push_string(out, text))
            }
            (Op::Load | Op::CopyObject, [_, _, _, source, ..]) => Span {
                obvious: false,
                ..self.labels.get(Id(*source))
            },
            // A block without a name of its own, whose members GLSL has in
            // scope.
            (Op::Variable, [_, ty, ..]) => self
                .pointee(Id(*ty))
                .filter(|ty| self.name(*ty).is_some())
                .map_or(Span::default(), |ty| self.types.get(ty)),
            _ if paths::takes_path(op) => {
                self.keep(|notes, out| notes.path(out, instruction, names))
            }
            _ => Span::default(),
        }
    }

    /// Writes the value of a constant.
    fn value(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let words = instruction.words();
        let ty = instruction.result_type().unwrap_or(Id(0));
        match instruction.op() {
            Op::ConstantTrue => out.push_str("true"),
            Op::ConstantFalse => out.push_str("false"),
            Op::ConstantNull => out.push_str("null"),
            Op::Constant => self.number(out, instruction),
            // Only the default is known.
            Op::SpecConstantTrue => out.push_str("spec true"),
            Op::SpecConstantFalse => out.push_str("spec false"),
            Op::SpecConstant => {
                out.push_str("spec ");
                self.number(out, instruction);
            }
            Op::SpecConstantOp => {
                out.push_str("spec(");
                let start = out.len();
                let operands = instruction.operands(&self.definitions).skip(2);
                for operand in operands.map_while(Result::ok) {
                    if out.len() > COMMENT {
                        break;
                    }
                    separate(out, start);
                    self.operand(out, &operand, names);
                }
                out.push(')');
            }
            _ => {
                self.mention(out, ty, names);
                let constituents = words.get(3..).unwrap_or_default();
                self.list(out, self.once(ty, constituents), names);
            }
        }
    }

    /// A vector of one value is written with that alone, as GLSL has it.
    fn once<'w>(&self, ty: Id, constituents: &'w [u32]) -> &'w [u32] {
        let is_vector = self
            .declaration(ty)
            .is_some_and(|ty| ty.op() == Op::TypeVector);
        match constituents {
            [first, rest @ ..] if is_vector && rest.iter().all(|id| id == first) => {
                &constituents[..1]
            }
            _ => constituents,
        }
    }

    fn number(&self, out: &mut String, instruction: &Instruction<'_>) {
        let literal = instruction.operands(&self.definitions).nth(2);
        if let Some(Ok(Operand {
            value: Value::Number { ty, bits },
            ..
        })) = literal
        {
            push_number(out, ty, bits);
        }
    }
}

/// Writes a number in decimal, as short as tells it from others of its type.
fn push_number(out: &mut String, ty: NumberType, bits: u64) {
    use FloatFormat::{BFloat16, Double, Half, Single};
    let number = Scalar::new(ty.into(), bits).to_f64();
    let _ = match (ty, number) {
        (NumberType::Float(Double), Some(number)) => write!(out, "{number:?}"),
        (NumberType::Float(Single | BFloat16 | Half), Some(number)) => {
            write!(out, "{:?}", number as f32)
        }
        _ => {
            write_number(out, ty, bits);
            if matches!(ty, NumberType::Integer { signed: false, .. }) {
                out.push('u');
            }
            return;
        }
    };
}

fn quote(out: &mut String, words: &[u32]) {
    if let Some(string) = LiteralString::at_start_of(words) {
        out.push('"');
        push_plain(out, &string.to_text_lossy(), NAME);
        out.push('"');
    }
}
