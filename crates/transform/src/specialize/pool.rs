//! The constants that a module has, to be used again.

use std::collections::HashMap;

use spirvkit_binary::{Id, Instruction};
use spirvkit_eval::{Scalar, Value};
use spirvkit_grammar::Op;
use spirvkit_ir::{EditError, Inst, Module, Place};

use crate::fold::{Constants, NotWritable, Part, create};

/// Constants by type and value; what is made later can be used only behind.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// With their values, so that no other composite takes the place of one in memory.
    known: HashMap<Key, (Id, Value)>,
}

/// A type and a value of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Scalar(Id, Scalar),
    Null(Id),
    Undef(Id),
    /// A composite by identity, so that none is looked through to find it.
    Composite(Id, (usize, u32)),
}

impl Key {
    fn of(ty: Id, value: &Value) -> Self {
        match value {
            Value::Scalar(scalar) => Self::Scalar(ty, *scalar),
            _ if value.is_null() => Self::Null(ty),
            Value::Composite(composite) if !value.is_undef() => {
                Self::Composite(ty, composite.identity())
            }
            _ => Self::Undef(ty),
        }
    }
}

impl Pool {
    /// Takes note of a constant that is final.
    pub(super) fn note(&mut self, read: &Instruction<'_>, constants: &Constants) {
        let (Some(id), Some(ty)) = (read.result(), read.result_type()) else {
            return;
        };
        match read.op() {
            Op::ConstantNull => self.learn(Key::Null(ty), id, &Value::Null),
            Op::Constant
            | Op::ConstantTrue
            | Op::ConstantFalse
            | Op::ConstantComposite
            | Op::ConstantCompositeReplicateEXT => {
                if let Some(value) = constants.value(id) {
                    self.learn(Key::of(ty, value), id, value);
                }
            }
            _ => {}
        }
    }

    fn learn(&mut self, key: Key, id: Id, value: &Value) {
        self.known.entry(key).or_insert_with(|| (id, value.clone()));
    }

    /// The id of a constant that there is already.
    pub(super) fn find(&self, ty: Id, value: &Value) -> Option<Id> {
        let known = |key| self.known.get(&key).map(|&(id, _)| id);
        known(Key::of(ty, value)).or_else(|| known(Key::Null(ty)).filter(|_| value.is_null()))
    }

    /// Replaces an instruction by the one that makes a value, and puts those that make
    /// its parts before it, as far as they are not there. All of them have their values
    /// in `constants` then.
    pub(super) fn write(
        &mut self,
        m: &mut Module,
        at: Inst,
        constants: &mut Constants,
        ty: Id,
        id: Id,
        value: &Value,
    ) -> Result<Result<(), NotWritable>, EditError> {
        let mut made = Vec::new();
        let part = |ty, value: &Value| {
            if let Some(id) = self.find(ty, value) {
                return Part::Existing(id);
            }
            let (key, id) = (Key::of(ty, value), m.fresh_id());
            self.learn(key, id, value);
            made.push((key, id, ty, value.clone()));
            Part::New(id)
        };
        let (types, budget) = constants.types_and_budget();
        let words = match create(types, ty, id, value, budget, part) {
            Ok(words) => words,
            Err(error) => {
                for (key, ..) in made {
                    self.known.remove(&key);
                }
                return Ok(Err(error));
            }
        };
        self.learn(Key::of(ty, value), id, value);
        constants.set(id, ty, value.clone());
        for (_, id, ty, value) in made {
            constants.set(id, ty, value);
        }
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
        Ok(Ok(()))
    }
}
