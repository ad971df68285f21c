//! Cooperative matrices (`SPV_KHR_cooperative_matrix`): values that all invocations of a scope
//! hold together. Element `i`, counted row by row, is in slot `i / n` of invocation `i % n` of
//! the `n` there are, whatever the matrix is used for. So a matrix is to each invocation what a
//! vector of its slots would be, and only what mixes elements has to know more.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{CooperativeMatrixLayout, CooperativeMatrixOperands, Op, Scope};

use super::types::U32;
use super::{Lowering, Result};
use crate::program::{
    Address, Binary, BuiltInValue, Cell, Input, Inst, Leaf, Level, MatrixPlace, NO_REG, Place, Reg,
    pair,
};
use crate::special::{Collective, Matrix, Multiply, Special};

/// How many elements a matrix may have whose elements go to other places.
const MAX_GATHERED: u64 = 1 << 22;

/// How many invocations each scope has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spans {
    pub(super) subgroup: u32,
    pub(super) workgroup: u32,
}

impl Spans {
    /// For subgroups of so many lanes and a workgroup of this size.
    pub(super) fn new(lanes: u32, workgroup: [u64; 3]) -> Self {
        let workgroup = workgroup
            .iter()
            .fold(1u64, |all, &it| all.saturating_mul(it));
        let workgroup = u32::try_from(workgroup).unwrap_or(u32::MAX);
        let subgroup = lanes.clamp(1, workgroup.max(1));
        Self {
            subgroup,
            workgroup,
        }
    }
}

/// What a cooperative matrix is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The type of its elements.
    pub(super) component: Id,
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// How many invocations hold it.
    pub(super) lanes: u32,
    pub(super) of_workgroup: bool,
}

impl Form {
    /// The form of a type; `None` if it is no cooperative matrix of a known size and scope.
    pub(super) fn of(m: &ModuleIndex<'_>, spans: Spans, ty: Id) -> Option<Self> {
        let Type::CooperativeMatrix(matrix) = m.ty(ty) else {
            return None;
        };
        let number = |id| m.constant_u64(id).and_then(|it| u32::try_from(it).ok());
        let scope = Scope(number(matrix.scope)?);
        let (lanes, of_workgroup) = match scope {
            // All subgroups must be full.
            Scope::Subgroup if spans.workgroup.is_multiple_of(spans.subgroup) => {
                (spans.subgroup, false)
            }
            Scope::Workgroup => (spans.workgroup, true),
            _ => return None,
        };
        Some(Self {
            component: matrix.component,
            rows: number(matrix.rows)?,
            columns: number(matrix.columns)?,
            lanes,
            of_workgroup,
        })
    }

    fn count(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Whether all invocations have an element in a slot.
    pub(super) fn is_full(self, slot: u32) -> bool {
        (u64::from(slot) + 1) * u64::from(self.lanes) <= self.count()
    }

    /// How many elements each invocation holds.
    pub(super) fn slots(self) -> u64 {
        self.count().div_ceil(self.lanes.max(1).into())
    }
}

impl<'a> Lowering<'_, 'a> {
    pub(super) fn matrix_form(&self, ty: Id) -> Result<Form> {
        let form = self.types.form(ty);
        form.ok_or_else(|| self.unsupported(format!("a value of {}", self.m.op_of(ty))))
    }

    /// A matrix in columns.
    pub(super) fn matrix(&self, form: Form, slots: Vec<Reg>) -> Result<Matrix> {
        Ok(Matrix {
            ty: self.scalar_type(form.component)?,
            rows: form.rows,
            columns: form.columns,
            slots,
        })
    }

    fn matrix_operand(&mut self, id: Id) -> Result<Matrix> {
        let form = self.matrix_form(self.type_of(id)?)?;
        let slots = self.value(id)?;
        self.matrix(form, slots)
    }

    pub(super) fn special(&mut self, special: Special) {
        self.program.specials.push(special);
        let index = self.program.specials.len() as u32 - 1;
        self.emit(Inst::Special(index));
    }

    /// What all invocations of the workgroup do together.
    pub(super) fn collective_of_workgroup(&mut self, what: Collective) {
        let lanes = self.types.spans().workgroup;
        self.special(Special::Collective {
            of_workgroup: true,
            lanes,
            what,
        });
    }

    pub(super) fn collective(&mut self, form: Form, what: Collective) {
        self.special(Special::Collective {
            of_workgroup: form.of_workgroup,
            lanes: form.lanes,
            what,
        });
    }

    /// `OpCooperativeMatrixLengthKHR`: how many elements an invocation holds.
    pub(super) fn matrix_length(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let slots = self.matrix_form(inst.id(0))?.slots();
        Ok(vec![self.word(slots as u32)])
    }

    /// `OpCooperativeMatrixGetCoordinateEXT`: the row and column of an invocation's element.
    pub(super) fn matrix_coordinate(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let form = self.matrix_form(self.type_of(inst.id(0))?)?;
        let index = self.scalar(inst.id(1))?;
        let single = Form { columns: 1, ..form };
        let first = self.place_in_matrix(single, 0, true)?;
        let lanes = self.word(form.lanes);
        let further = self.binary(Binary::IMul, index, lanes)?;
        let element = self.binary(Binary::IAdd, first, further)?;
        let columns = self.word(form.columns.max(1));
        Ok(vec![
            self.binary(Binary::UDiv, element, columns)?,
            self.binary(Binary::UMod, element, columns)?,
        ])
    }

    /// The column of the row or column number that each invocation's slot has.
    pub(super) fn place_in_matrix(&mut self, form: Form, slot: u32, is_row: bool) -> Result<Reg> {
        let place = MatrixPlace {
            first: slot * form.lanes,
            columns: form.columns.max(1),
            of_workgroup: form.of_workgroup,
            is_row,
        };
        if let Some(&column) = self.matrix_places.get(&place) {
            return Ok(column);
        }
        let column = self.column()?;
        self.matrix_places.insert(place, column);
        self.program.inputs.push(Input {
            built_in: BuiltInValue::MatrixPlace(place),
            is_wide: false,
            to: Place::Columns(vec![column]),
        });
        Ok(column)
    }

    /// Where the slots of a matrix lie in memory.
    fn places_in_memory(
        &mut self,
        form: Form,
        pointer: Id,
        layout: Id,
        stride: Option<Id>,
    ) -> Result<Vec<Cell>> {
        let layout = self.m.constant_u64(layout);
        let is_row_major = match layout.map(|it| CooperativeMatrixLayout(it as u32)) {
            Some(CooperativeMatrixLayout::RowMajorKHR) => true,
            Some(CooperativeMatrixLayout::ColumnMajorKHR) => false,
            _ => return Err(self.unsupported("this layout of a cooperative matrix")),
        };
        let leaf = Leaf::Scalar(self.scalar_type(form.component)?);
        // The stride counts what the pointer points to.
        let pointer_type = self.type_of(pointer)?;
        let unit = match self.m.pointee(pointer_type) {
            Some(pointee) => self
                .types
                .stride(pointee)
                .map_err(|why| self.no_extent(why))?,
            None => leaf.bytes(),
        };
        let stride = match stride {
            Some(stride) => self.stride_column(stride)?,
            None => self.word(0),
        };
        let base = self.pointer(pointer)?.address;
        let start = self.offset(base)?;
        let mut cells = Vec::new();
        for slot in 0..form.slots() as u32 {
            let row = self.place_in_matrix(form, slot, true)?;
            let column = self.place_in_matrix(form, slot, false)?;
            let (major, minor) = if is_row_major {
                (row, column)
            } else {
                (column, row)
            };
            let further = self.binary(Binary::IMul, major, stride)?;
            let line = self.further(start, further, unit)?;
            let offset = self.further(line, minor, leaf.bytes())?;
            let address = Address {
                offset,
                constant: 0,
                ..base
            };
            cells.push(Cell { leaf, address });
        }
        Ok(cells)
    }

    fn further(&mut self, base: Reg, index: Reg, stride: u32) -> Result<Reg> {
        let to = self.column()?;
        let index = [index, NO_REG];
        self.emit(Inst::Offset {
            to,
            base,
            index,
            stride,
        });
        Ok(to)
    }

    /// A stride of any width as a word.
    fn stride_column(&mut self, stride: Id) -> Result<Reg> {
        let operand = (self.component(stride)?, pair(&self.value(stride)?));
        let columns = self.scalar_operation(Op::UConvert, U32, &[operand], self.environment)?;
        Ok(columns[0])
    }

    /// Emits the access of a slot, for those invocations for which it has an element.
    fn access_slot(&mut self, form: Form, slot: usize, inst: Inst) {
        let left = form.count() - slot as u64 * u64::from(form.lanes);
        match left < form.lanes.into() {
            true => self.special(Special::Part {
                inst,
                count: left as u32,
                of_workgroup: form.of_workgroup,
            }),
            false => self.emit(inst),
        }
    }

    /// Which invocation accesses an element is not said (Vulkan, "Cooperative Matrix Memory
    /// Access").
    fn share_with_scope(&mut self, form: Form) {
        let scope = match form.of_workgroup {
            true => Level::Workgroup,
            false => Level::Subgroup,
        };
        self.program.shared_by.insert(self.place(), scope);
    }

    pub(super) fn matrix_load(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let form = self.matrix_form(ty)?;
        let columns = self.columns_of(ty)?;
        let stride = inst.optional(2).map(Id);
        let cells = self.places_in_memory(form, inst.id(0), inst.id(1), stride)?;
        let start = self.program.code.len();
        for (slot, cell) in cells.into_iter().enumerate() {
            let to = columns[slot * cell.leaf.columns()];
            self.access_slot(form, slot, Inst::Load { to, cell });
        }
        self.share(start, inst, 3);
        self.share_with_scope(form);
        Ok(columns)
    }

    pub(super) fn matrix_store(&mut self, inst: Instruction<'a>) -> Result<()> {
        let form = self.matrix_form(self.type_of(inst.id(1))?)?;
        let columns = self.value(inst.id(1))?;
        let stride = inst.optional(3).map(Id);
        let cells = self.places_in_memory(form, inst.id(0), inst.id(2), stride)?;
        let start = self.program.code.len();
        for (slot, cell) in cells.into_iter().enumerate() {
            let size = cell.leaf.columns();
            let from = pair(self.slice(&columns, slot * size, size)?);
            self.access_slot(form, slot, Inst::Store { from, cell });
        }
        self.share(start, inst, 4);
        self.share_with_scope(form);
        Ok(())
    }

    pub(super) fn matrix_product(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let form = self.matrix_form(ty)?;
        let [a, b, c] = [0, 1, 2].map(|index| self.matrix_operand(inst.id(index)));
        let (a, b, c) = (a?, b?, c?);
        let to = self.columns_of(ty)?;
        let fits = a.rows == form.rows
            && b.columns == form.columns
            && a.columns == b.rows
            && [c.rows, c.columns] == [form.rows, form.columns];
        let lanes = [0, 1, 2].map(|index| {
            let ty = self.m.type_of(inst.id(index)).unwrap_or(Id(0));
            self.types.form(ty).map(|form| form.lanes)
        });
        if !fits || lanes != [Some(form.lanes); 3] {
            return Err(self.broken("matrices of sizes that can't be multiplied"));
        }
        let operands = CooperativeMatrixOperands(inst.optional(3).unwrap_or(0));
        let signed = [
            CooperativeMatrixOperands::MatrixASignedComponentsKHR,
            CooperativeMatrixOperands::MatrixBSignedComponentsKHR,
            CooperativeMatrixOperands::MatrixCSignedComponentsKHR,
            CooperativeMatrixOperands::MatrixResultSignedComponentsKHR,
        ];
        let saturates = CooperativeMatrixOperands::SaturatingAccumulationKHR;
        let multiply = Multiply {
            a,
            b,
            c,
            to: self.matrix(form, to.clone())?,
            signed: signed.map(|sign| operands.contains(sign)),
            saturates: operands.contains(saturates),
        };
        self.collective(form, Collective::Multiply(Box::new(multiply)));
        Ok(to)
    }

    /// For each element of a matrix, row by row, which of another matrix it is.
    pub(super) fn indexes(&self, form: Form, source: impl Fn(u32, u32) -> u32) -> Result<Vec<u32>> {
        let count = form.count();
        if count > MAX_GATHERED {
            return Err(self.unsupported("a matrix of more than 2²² elements"));
        }
        let columns = form.columns.max(1);
        let index = |at: u32| source(at / columns, at % columns);
        Ok((0..count as u32).map(index).collect())
    }

    /// Elements in other places: those with these indexes, row by row.
    pub(super) fn gathered(
        &mut self,
        from: Matrix,
        form: Form,
        indexes: Vec<u32>,
    ) -> Result<Vec<Reg>> {
        let count = self
            .types
            .scalar(form.component)
            .map_or(1, |ty| ty.width().div_ceil(32));
        let slots = self.columns(form.slots() as usize * count as usize)?;
        let to = self.matrix(form, slots.clone())?;
        self.collective(form, Collective::Gather { from, to, indexes });
        Ok(slots)
    }

    /// `OpCooperativeMatrixTransposeNV`.
    pub(super) fn matrix_transposed(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let form = self.matrix_form(inst.result_type().unwrap_or(Id(0)))?;
        let from = self.matrix_operand(inst.id(0))?;
        if [from.columns, from.rows] != [form.rows, form.columns] {
            return Err(self.broken("the transposed matrix has another size"));
        }
        let indexes = self.indexes(form, |row, column| column * form.rows + row)?;
        self.gathered(from, form, indexes)
    }

    /// `OpCooperativeMatrixConvertNV`, by whatever converts the elements: the use of a matrix
    /// says nothing of where its elements are.
    pub(super) fn matrix_converted(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let form = self.matrix_form(inst.result_type().unwrap_or(Id(0)))?;
        let from = self.matrix_form(self.type_of(inst.id(0))?)?;
        match from == form {
            true => self.value(inst.id(0)),
            false => Err(self.unsupported("a conversion to a matrix of another form")),
        }
    }
}
