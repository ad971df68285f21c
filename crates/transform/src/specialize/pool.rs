//! The constants that a module has, to be used again.

use std::collections::HashMap;

use spirvkit_binary::{Id, Instruction};
use spirvkit_grammar::Op;
use spirvkit_ir::{EditError, Inst, Module, Place};

use crate::fold::constants::{Constants, Part, create};
use crate::fold::{Scalar, Value};

/// Scalar constants by type and bits; what is made later can be used only behind.
#[derive(Debug, Default)]
pub(super) struct Pool {
    scalars: HashMap<(Id, Scalar), Id>,
    nulls: HashMap<Id, Id>,
}

impl Pool {
    /// Takes note of a constant that is final.
    pub(super) fn note(&mut self, read: &Instruction<'_>, constants: &Constants) {
        let (Some(id), Some(ty)) = (read.result(), read.result_type()) else {
            return;
        };
        match read.op() {
            Op::Constant | Op::ConstantTrue | Op::ConstantFalse => {
                let scalar = constants.value(id).and_then(Value::scalar);
                if let Some(scalar) = scalar {
                    self.scalars.entry((ty, scalar)).or_insert(id);
                }
            }
            Op::ConstantNull => drop(self.nulls.entry(ty).or_insert(id)),
            _ => {}
        }
    }

    /// The id of a constant that there is already.
    pub(super) fn find(&self, ty: Id, value: &Value) -> Option<Id> {
        if let Value::Scalar(scalar) = value
            && let Some(&id) = self.scalars.get(&(ty, *scalar))
        {
            return Some(id);
        }
        match value.is_null() {
            true => self.nulls.get(&ty).copied(),
            false => None,
        }
    }

    /// Replaces an instruction by the one that makes a value, and puts those that make
    /// its parts before it. `false` if the value can't be written.
    pub(super) fn write(
        &mut self,
        m: &mut Module,
        at: Inst,
        constants: &Constants,
        ty: Id,
        id: Id,
        value: &Value,
    ) -> Result<bool, EditError> {
        let part = |ty, value: &Value| match self.find(ty, value) {
            Some(id) => Part::Existing(id),
            None => Part::New(m.fresh_id()),
        };
        let Ok(words) = create(constants.types(), ty, id, value, part) else {
            return Ok(false);
        };
        let mut rest = words.as_slice();
        while let Some(&first) = rest.first() {
            let (inst, behind) = rest.split_at((first >> 16).max(1) as usize);
            rest = behind;
            let (op, operands) = (Op(first as u16), &inst[1..]);
            match rest.is_empty() {
                true => m.replace(at, op, operands)?,
                false => drop(m.insert(Place::Before(at), op, operands)?),
            }
        }
        Ok(true)
    }
}
