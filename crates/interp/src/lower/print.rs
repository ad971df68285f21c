//! `printf`: that of `OpenCL.std`, and of `NonSemantic.DebugPrintf`.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::Op;

use super::{Lowering, Result};
use crate::printing::{Piece, parse};
use crate::program::{Inst, Print, Printed, Reg, pair};

/// How many casts and access chains lead to a string at most.
const MAX_CHAIN: usize = 16;

impl<'a> Lowering<'_, 'a> {
    /// Prints a format with values, and gives 0.
    pub(super) fn print(&mut self, inst: Instruction<'a>, operands: &[u32]) -> Result<Vec<Reg>> {
        let Some((&format, values)) = operands.split_first() else {
            return Err(self.broken("printf has no format"));
        };
        let Some(format) = self.text_of(Id(format)) else {
            return Err(
                self.unsupported(format!("{} with a format that is no constant", inst.op()))
            );
        };
        let mut values = values.iter();
        let mut parts = Vec::new();
        for piece in parse(&format) {
            let spec = match piece {
                Piece::Text(text) => {
                    parts.push(Printed::Text(text));
                    continue;
                }
                Piece::Value(spec) => spec,
            };
            let Some(&value) = values.next() else {
                continue;
            };
            if spec.conversion == 's' {
                let Some(text) = self.text_of(Id(value)) else {
                    return Err(self.unsupported("a printed string that is no constant"));
                };
                let mut written = String::new();
                spec.write_text(&mut written, &text);
                parts.push(Printed::Text(written));
                continue;
            }
            let ty = self.type_of(Id(value))?;
            let components = match self.m.is_pointer(ty) {
                true => {
                    let pointer = self.value(Id(value))?;
                    vec![(ScalarType::Integer { width: 64 }, pair(&pointer))]
                }
                false => self.components(Id(value))?,
            };
            parts.push(Printed::Value(spec, components));
        }
        self.program.prints.push(Print { parts });
        self.emit(Inst::Print(self.program.prints.len() as u32 - 1));
        Ok(vec![self.word(0)])
    }

    /// The text that an id is, or points to.
    fn text_of(&self, id: Id) -> Option<String> {
        let mut id = id;
        for _ in 0..MAX_CHAIN {
            let inst = self.m.def(id)?;
            match inst.op() {
                Op::String => return Some(inst.string(0)?.to_text_lossy()),
                Op::Bitcast
                | Op::CopyObject
                | Op::PtrCastToGeneric
                | Op::AccessChain
                | Op::InBoundsAccessChain
                | Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain => {
                    let is_first = |&index: &u32| self.m.constant_u64(Id(index)) == Some(0);
                    if !inst.args().iter().skip(1).all(is_first) {
                        return None;
                    }
                    id = inst.id(0);
                }
                Op::Variable => return self.characters(Id(inst.optional(1)?)),
                _ => return None,
            }
        }
        None
    }

    /// The text of an array of bytes, up to the first zero.
    fn characters(&self, constant: Id) -> Option<String> {
        let inst = self.m.def(constant)?;
        if inst.op() == Op::ConstantNull {
            return Some(String::new());
        }
        let is_bytes = match self.m.ty(inst.result_type()?) {
            Type::Array { element, .. } => self.m.bit_width(element) == 8,
            _ => false,
        };
        if inst.op() != Op::ConstantComposite || !is_bytes {
            return None;
        }
        let bytes = inst
            .args()
            .iter()
            .map(|&part| self.m.constant_u64(Id(part)));
        let bytes: Option<Vec<u8>> = bytes.map(|byte| byte.map(|byte| byte as u8)).collect();
        let bytes = bytes?;
        let text = bytes.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}
