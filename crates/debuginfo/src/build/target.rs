//! Where instructions are written to.

use spirvkit_binary::{Id, Section};
use spirvkit_grammar::Op;
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{EditError, Module, Place};

/// What an [`Encoder`](crate::build::Encoder) writes into: a module, or the builder of
/// one.
pub trait Target {
    /// The module as it is so far.
    fn module(&self) -> &Module;

    /// An id for something new.
    fn fresh_id(&mut self) -> Id;

    /// Makes an instruction with a result at the end of its section before the functions,
    /// and returns the result: `id`, or without one a new id, or that of its like if the
    /// target knows one. The operands are words, those behind the result.
    ///
    /// # Errors
    ///
    /// If the instruction is too long.
    fn declare(
        &mut self,
        id: Option<Id>,
        op: Op,
        result_type: Option<Id>,
        operands: &[u32],
    ) -> Result<Id, EditError>;

    /// Sees to it that the module declares an extension, as far as that isn't done
    /// otherwise.
    ///
    /// # Errors
    ///
    /// If that is not possible.
    fn extension(&mut self, name: &str) -> Result<(), EditError>;
}

impl Target for Module {
    fn module(&self) -> &Module {
        self
    }

    fn fresh_id(&mut self) -> Id {
        Self::fresh_id(self)
    }

    fn declare(
        &mut self,
        id: Option<Id>,
        op: Op,
        result_type: Option<Id>,
        operands: &[u32],
    ) -> Result<Id, EditError> {
        let section = op.info().and_then(|info| Section::of(op, info));
        let place = Place::Section(section.unwrap_or(Section::Types));
        let id = id.unwrap_or_else(|| Self::fresh_id(self));
        let ids = result_type.into_iter().chain([id]).map(|id| id.0);
        let words: Vec<u32> = ids.chain(operands.iter().copied()).collect();
        self.insert(place, op, &words).map(|_| id)
    }

    fn extension(&mut self, name: &str) -> Result<(), EditError> {
        let words = super::literal(name);
        let is_it = |inst| {
            let read = self.get(inst);
            read.op() == Op::Extension && read.operand_words() == words
        };
        let is_declared = self
            .globals()
            .take_while(|&inst| matches!(self.op(inst), Op::Capability | Op::Extension))
            .any(is_it);
        match is_declared {
            true => Ok(()),
            false => {
                let place = Place::Section(Section::Extensions);
                self.insert(place, Op::Extension, &words).map(drop)
            }
        }
    }
}

impl Target for Builder {
    fn module(&self) -> &Module {
        Self::module(self)
    }

    fn fresh_id(&mut self) -> Id {
        self.forward()
    }

    /// What is wrong, the builder itself notes, and tells in the end.
    fn declare(
        &mut self,
        id: Option<Id>,
        op: Op,
        result_type: Option<Id>,
        operands: &[u32],
    ) -> Result<Id, EditError> {
        if let Some(id) = id {
            self.define(id);
        }
        Ok(Self::declare(self, op, result_type, operands))
    }

    /// The builder declares extensions by itself.
    fn extension(&mut self, _: &str) -> Result<(), EditError> {
        Ok(())
    }
}
