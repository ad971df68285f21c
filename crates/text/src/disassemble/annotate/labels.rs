//! What ids are called.

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst;
use spirvkit_analysis::index::spelling::Speller;
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::Op;

use super::{Annotations, Span, own_name, paths, push_string};
use crate::disassemble::names::Names;

impl<'a> Annotations<'a> {
    /// Works out what a result is to be called: after its type or value, its name, or
    /// where it comes from.
    pub(super) fn label_of(&mut self, id: Id, inst: Inst<'a>, names: &Names) -> Span {
        let op = inst.op();
        let name = own_name(&self.index, id);
        if Speller::new(&self.index, &self.called(names)).spells(id) {
            let span = self.keep(|notes, out| notes.spell(out, id, names));
            // Without an `OpName`, a friendly name is the value.
            return Span {
                obvious: self.friendly && op.is_scalar_constant() && name.is_empty(),
                ..span
            };
        }
        if !name.is_empty() {
            // A compiler puts the types of the parameters behind the name.
            let end = name.find('(').filter(|_| op == Op::Function);
            let span = self.keep(|_, out| out.push_str(&name[..end.unwrap_or(name.len())]));
            return Span {
                obvious: self.friendly,
                ..span
            };
        }
        match op {
            Op::String if inst.string(0).is_some() => self.keep(|_, out| {
                out.push('"');
                push_string(out, inst.args());
                out.push('"');
            }),
            Op::ExtInstImport if self.is_unknown_set(id) => {
                self.keep(|_, out| push_string(out, inst.args()))
            }
            Op::Load | Op::CopyObject => Span {
                obvious: false,
                ..self.labels.get(inst.id(0))
            },
            // A block without a name of its own, whose members GLSL has in
            // scope.
            Op::Variable => {
                let pointee = self.index.pointee(Id(inst.word(1)));
                let named = pointee.filter(|&ty| !own_name(&self.index, ty).is_empty());
                named.map_or(Span::default(), |ty| self.labels.get(ty))
            }
            _ if paths::takes_path(op) => self.keep(|notes, out| notes.path(out, inst, names)),
            _ => Span::default(),
        }
    }

    /// Whether an id is a set whose instructions the text has by number only.
    fn is_unknown_set(&self, id: Id) -> bool {
        let definition = self.index.definitions.get(id);
        matches!(definition, Definition::Import(Import::Unknown))
    }
}
