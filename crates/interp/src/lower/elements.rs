//! What functions of the module do with the elements of cooperative matrices: reductions, and
//! operations on each (`SPV_NV_cooperative_matrix2`).

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_grammar::CooperativeMatrixReduce;

use super::cooperative::Form;
use super::{Lowering, Result, arguments};
use crate::program::{Binary, Reg};

/// A matrix on its way through a reduction.
struct Reduced {
    form: Form,
    slots: Vec<Reg>,
}

impl Reduced {
    /// How many elements a row has, or a column if it goes down.
    fn length(&self, is_down: bool) -> u32 {
        match is_down {
            true => self.form.rows,
            false => self.form.columns,
        }
    }
}

impl<'a> Lowering<'_, 'a> {
    /// Does something for those invocations that have an element in a slot.
    fn for_elements(
        &mut self,
        form: Form,
        slot: u32,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        if form.is_full(slot) {
            return body(self);
        }
        let row = self.place_in_matrix(form, slot, true)?;
        let rows = self.word(form.rows);
        let has = self.binary(Binary::ULess, row, rows)?;
        self.when(has, body)
    }

    /// `OpCooperativeMatrixPerElementOpEXT`.
    pub(super) fn matrix_per_element(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let form = self.matrix_form(ty)?;
        let size = self.scalar_type(form.component)?.width().div_ceil(32) as usize;
        let function = inst.id(1);
        // The matrix, and what else is given: other matrices by element, all else as it is.
        let mut operands = vec![(self.value(inst.id(0))?, Some(size))];
        for &operand in arguments(inst, 2) {
            let operand = Id(operand);
            let part = match self.types.form(self.type_of(operand)?) {
                Some(other) if other.slots() == form.slots() && other.columns == form.columns => {
                    let width = self.scalar_type(other.component)?.width();
                    Some(width.div_ceil(32) as usize)
                }
                Some(_) => return Err(self.broken("matrices of different sizes")),
                None => None,
            };
            operands.push((self.value(operand)?, part));
        }
        let columns = self.columns_of(ty)?;
        for (slot, to) in columns.chunks(size).enumerate() {
            let row = self.place_in_matrix(form, slot as u32, true)?;
            let column = self.place_in_matrix(form, slot as u32, false)?;
            let mut given = vec![vec![row], vec![column]];
            for (value, part) in &operands {
                given.push(match part {
                    Some(size) => self.slice(value, slot * size, *size)?.to_vec(),
                    None => value.clone(),
                });
            }
            self.for_elements(form, slot as u32, |this| {
                let result = this.invoke(function, &given)?;
                this.copy(to, &result);
                Ok(())
            })?;
            self.check_size()?;
        }
        Ok(columns)
    }

    /// `OpCooperativeMatrixReduceEXT`: neighbours are combined until one is left.
    pub(super) fn matrix_reduced(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let form = self.matrix_form(ty)?;
        let mode = CooperativeMatrixReduce(inst.arg(1));
        let function = inst.id(2);
        let mut it = Reduced {
            form: self.matrix_form(self.type_of(inst.id(0))?)?,
            slots: self.value(inst.id(0))?,
        };
        let is_square = mode.contains(CooperativeMatrixReduce::CooperativeMatrixReduce2x2);
        for (axis, is_down) in [
            (CooperativeMatrixReduce::Row, false),
            (CooperativeMatrixReduce::Column, true),
        ] {
            if is_square {
                it = self.halved(it, is_down, function)?;
            }
            while mode.contains(axis) && it.length(is_down) > 1 {
                it = self.halved(it, is_down, function)?;
            }
        }
        let Reduced { form: from, slots } = it;
        let fits = |from: u32, to: u32| from == to || from == 1;
        if !fits(from.rows, form.rows) || !fits(from.columns, form.columns) {
            return Err(self.broken("the reduced matrix has another size"));
        }
        // A row or column that was reduced is the same everywhere.
        let indexes = self.indexes(form, |row, column| {
            row.min(from.rows - 1) * from.columns + column.min(from.columns - 1)
        })?;
        let matrix = self.matrix(from, slots)?;
        self.gathered(matrix, form, indexes)
    }

    /// The matrix with each two neighbours combined: of a row, or of a column if it goes down.
    fn halved(&mut self, it: Reduced, is_down: bool, function: Id) -> Result<Reduced> {
        let (from, length) = (it.form, it.length(is_down));
        let half = length.div_ceil(2);
        let form = match is_down {
            true => Form { rows: half, ..from },
            false => Form {
                columns: half,
                ..from
            },
        };
        let matrix = self.matrix(from, it.slots)?;
        let mut sides = [Vec::new(), Vec::new()];
        for (which, side) in sides.iter_mut().enumerate() {
            let along = |at: u32| (2 * at + which as u32).min(length - 1);
            let indexes = self.indexes(form, |row, column| match is_down {
                true => along(row) * from.columns + column,
                false => row * from.columns + along(column),
            })?;
            *side = self.gathered(matrix.clone(), form, indexes)?;
        }
        let [first, second] = sides;
        let size = self.scalar_type(form.component)?.width().div_ceil(32) as usize;
        for (slot, (to, other)) in first.chunks(size).zip(second.chunks(size)).enumerate() {
            let combine = |this: &mut Self| {
                let result = this.invoke(function, &[to.to_vec(), other.to_vec()])?;
                this.copy(to, &result);
                Ok(())
            };
            let slot = slot as u32;
            self.for_elements(form, slot, |this| match length % 2 {
                0 => combine(this),
                // The last of an odd number has no neighbour.
                _ => {
                    let place = this.place_in_matrix(form, slot, is_down)?;
                    let pairs = this.word(length / 2);
                    let has = this.binary(Binary::ULess, place, pairs)?;
                    this.when(has, combine)
                }
            })?;
        }
        self.check_size()?;
        Ok(Reduced { form, slots: first })
    }
}
