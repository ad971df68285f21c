//! Constants: columns with the same word in all lanes.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::{Lowering, Result, Value};
use crate::program::Reg;
use crate::undefined::UndefinedValue;

impl Lowering<'_, '_> {
    /// The columns of a constant or of an undefined value.
    pub(super) fn constant(&mut self, id: Id) -> Result<Vec<Reg>> {
        // What a constant is made of is declared before it, and taken first.
        let mut todo = vec![id];
        while let Some(&next) = todo.last() {
            let missing = self.missing_parts(next)?;
            if missing.is_empty() {
                let columns = self.constant_of_parts(next)?;
                self.listed += columns.len();
                self.check_size()?;
                self.values.insert(next.0, Value::Columns(columns));
                todo.pop();
            }
            todo.extend(missing);
        }
        self.value_of_constant(id)
    }

    fn missing_parts(&self, id: Id) -> Result<Vec<Id>> {
        let Some(inst) = self.m.def(id) else {
            return Err(self.broken("a constant is not defined"));
        };
        if !is_made_of_parts(inst.op()) {
            return Ok(Vec::new());
        }
        let mut missing = Vec::new();
        for &part in inst.args() {
            let is_known = self.values.contains_key(&part);
            if !is_known && self.m.def_offset(Id(part)) >= inst.offset() {
                return Err(self.broken("a constant uses one that comes after it"));
            }
            if !is_known {
                missing.push(Id(part));
            }
        }
        Ok(missing)
    }

    fn value_of_constant(&self, id: Id) -> Result<Vec<Reg>> {
        match self.values.get(&id.0) {
            Some(Value::Columns(columns)) => Ok(columns.clone()),
            _ => Err(self.broken("a constant is expected")),
        }
    }

    /// The column of an undefined value. Nothing is known of it, so zeros are as good as any.
    pub(super) fn undefined(&mut self, id: Id) -> Result<Reg> {
        let column = self.column()?;
        self.program.constants.push((column, 0));
        let place = match self.m.def(id) {
            Some(inst) if inst.offset() >= self.m.functions_start => {
                inst.offset().wrapping_add(self.surroundings.moved)
            }
            _ => self.m.def_offset(id),
        };
        let value = UndefinedValue {
            column,
            name: self.name(id),
            place,
        };
        self.program.undefined_values.push(value);
        Ok(column)
    }

    fn constant_of_parts(&mut self, id: Id) -> Result<Vec<Reg>> {
        let Some(inst) = self.m.def(id) else {
            return Err(self.broken("a constant is not defined"));
        };
        let ty = inst.result_type().unwrap_or(Id(0));
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))? as usize;
        match inst.op() {
            Op::ConstantTrue | Op::SpecConstantTrue => Ok(vec![self.word(1)]),
            Op::ConstantFalse | Op::SpecConstantFalse => Ok(vec![self.word(0)]),
            Op::ConstantSampler => self.constant_sampler(inst),
            Op::ConstantPipeStorage => self.pipe_storage(inst),
            Op::Constant | Op::SpecConstant => {
                let width = self.scalar_type(ty)?.width();
                let mask = if width < 32 {
                    (1 << width) - 1
                } else {
                    u32::MAX
                };
                let words = inst.args().iter().map(|word| word & mask);
                let words: Vec<u32> = words.collect();
                Ok(words.into_iter().map(|word| self.word(word)).collect())
            }
            Op::Undef | Op::PoisonKHR => {
                let column = self.undefined(id)?;
                Ok(vec![column; count])
            }
            Op::ConstantNull => {
                let zero = self.word(0);
                Ok(vec![zero; count])
            }
            op if is_made_of_parts(op) => {
                let mut columns = Vec::with_capacity(count);
                for &part in inst.args() {
                    columns.extend(self.value_of_constant(Id(part))?);
                    if columns.len() > count {
                        return Err(self.broken("a composite constant has too many parts"));
                    }
                }
                let is_replicated = matches!(
                    op,
                    Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT
                );
                match op {
                    _ if is_replicated || self.types.form(ty).is_some() => {
                        let part = columns.len().max(1);
                        Ok((0..count).map(|index| columns[index % part]).collect())
                    }
                    _ if columns.len() == count => Ok(columns),
                    _ => Err(self.broken("a composite constant lacks parts")),
                }
            }
            op => Err(self.unsupported(op.to_string())),
        }
    }
}

/// Whether an opcode makes a constant that has columns. Those that compute are replaced by
/// what they give before anything is lowered.
pub(super) fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantNull
            | Op::ConstantSampler
            | Op::ConstantPipeStorage
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantOp
    ) || is_made_of_parts(op)
}

fn is_made_of_parts(op: Op) -> bool {
    matches!(
        op,
        Op::ConstantComposite
            | Op::SpecConstantComposite
            | Op::ConstantCompositeReplicateEXT
            | Op::SpecConstantCompositeReplicateEXT
    )
}
