//! Layouts and views of tensors (`SPV_NV_tensor_addressing`), and cooperative matrices that are
//! loaded and stored by them (`SPV_NV_cooperative_matrix2`).
//!
//! A layout is a value of five lists of numbers, one for each dimension, and the constant of
//! what is outside; a view has two lists, and what is clipped.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, ModuleIndex, TensorOperands};
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, TensorClampMode};

use super::cooperative::Form;
use super::{Lowering, Result, arguments};
use crate::program::{Address, Binary, Cell, Inst, Leaf, NO_REG, Reg, pair};
use crate::special::{Special, TensorFound, TensorPlace};
use crate::tensor::{MAX_DIMENSIONS, Permuted, Tiled};

/// The lists of a layout, in the order of their columns.
const BLOCK_SIZE: usize = 0;
const DIMENSION: usize = 1;
const STRIDE: usize = 2;
const OFFSET: usize = 3;
const SPAN: usize = 4;
/// How many they are.
const LISTS: usize = 5;

/// How many dimensions a type of layouts or views has.
fn dimensions(m: &ModuleIndex<'_>, ty: Id) -> Option<usize> {
    let inst = m.def(ty)?;
    let is_type = matches!(inst.op(), Op::TypeTensorLayoutNV | Op::TypeTensorViewNV);
    let count = m.constant_u64(inst.id(0)).filter(|_| is_type)?;
    let count = usize::try_from(count).ok()?;
    (1..=MAX_DIMENSIONS).contains(&count).then_some(count)
}

/// How many columns a value takes of a type of layouts or views.
pub(super) fn columns(m: &ModuleIndex<'_>, ty: Id) -> Option<u64> {
    let count = dimensions(m, ty)?;
    let columns = match m.op_of(ty) {
        Op::TypeTensorLayoutNV => LISTS * count + 1,
        _ => 2 * count + 4,
    };
    Some(columns as u64)
}

/// What is loaded or stored.
struct Tensor {
    form: Form,
    place: TensorPlace,
    /// The columns of the constant outside.
    constant: Reg,
}

impl<'a> Lowering<'_, 'a> {
    fn dimensions(&self, ty: Id) -> Result<usize> {
        let known = dimensions(self.m, ty);
        known.ok_or_else(|| self.unsupported(format!("a value of {}", self.m.op_of(ty))))
    }

    /// Instructions that make layouts and views.
    pub(super) fn tensor(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let count = self.dimensions(inst.result_type().unwrap_or(Id(0)))?;
        let (zero, one) = (self.word(0), self.word(1));
        match inst.op() {
            Op::CreateTensorLayoutNV => {
                let mut layout = vec![zero; LISTS * count + 1];
                layout[..count].fill(one);
                return Ok(layout);
            }
            Op::CreateTensorViewNV => {
                let (nothing, all) = (zero, self.word(u32::MAX));
                let mut view = vec![zero; 2 * count];
                view.extend([nothing, all, nothing, all]);
                return Ok(view);
            }
            _ => {}
        }
        let mut it = self.value(inst.id(0))?;
        let mut given = Vec::new();
        for &operand in arguments(inst, 1) {
            given.push(self.scalar(Id(operand))?);
        }
        let expected = match inst.op() {
            Op::TensorLayoutSliceNV => 2 * count,
            Op::TensorLayoutSetClampValueNV => 1,
            Op::TensorViewSetClipNV => 4,
            _ => count,
        };
        self.check_columns(inst, it.len())?;
        if given.len() != expected {
            return Err(self.broken("a tensor has another number of dimensions"));
        }
        let list = |which: usize| which * count..(which + 1) * count;
        match inst.op() {
            Op::TensorLayoutSetBlockSizeNV => it[list(BLOCK_SIZE)].copy_from_slice(&given),
            Op::TensorLayoutSetDimensionNV => {
                let blocks = it[list(BLOCK_SIZE)].to_vec();
                let strides = self.packed_strides(&given, &blocks)?;
                it[list(DIMENSION)].copy_from_slice(&given);
                it[list(SPAN)].copy_from_slice(&given);
                it[list(OFFSET)].fill(zero);
                it[list(STRIDE)].copy_from_slice(&strides);
            }
            Op::TensorLayoutSetStrideNV => it[list(STRIDE)].copy_from_slice(&given),
            Op::TensorLayoutSliceNV => {
                for (dimension, pair) in given.chunks_exact(2).enumerate() {
                    let offset = it[list(OFFSET)][dimension];
                    it[list(OFFSET)][dimension] = self.binary(Binary::IAdd, offset, pair[0])?;
                    it[list(SPAN)][dimension] = pair[1];
                }
            }
            Op::TensorLayoutSetClampValueNV => it[LISTS * count] = given[0],
            Op::TensorViewSetDimensionNV => {
                let strides = self.packed_strides(&given, &vec![one; count])?;
                it[..count].copy_from_slice(&given);
                it[count..2 * count].copy_from_slice(&strides);
            }
            Op::TensorViewSetStrideNV => it[count..2 * count].copy_from_slice(&given),
            _ => it[2 * count..].copy_from_slice(&given),
        }
        Ok(it)
    }

    /// How far apart the elements of each dimension lie if there is nothing between them: the
    /// last side by side.
    fn packed_strides(&mut self, dimensions: &[Reg], blocks: &[Reg]) -> Result<Vec<Reg>> {
        let one = self.word(1);
        let mut strides = vec![one; dimensions.len()];
        for index in (1..dimensions.len()).rev() {
            let count = match blocks[index] == one {
                true => dimensions[index],
                false => {
                    // One block more where a rest is left.
                    let whole = self.binary(Binary::UDiv, dimensions[index], blocks[index])?;
                    let rest = self.binary(Binary::UMod, dimensions[index], blocks[index])?;
                    let zero = self.word(0);
                    let further = self.binary(Binary::INotEqual, rest, zero)?;
                    self.binary(Binary::IAdd, whole, further)?
                }
            };
            strides[index - 1] = self.binary(Binary::IMul, strides[index], count)?;
        }
        Ok(strides)
    }

    /// What an instruction with these operands accesses.
    fn tensor_access(
        &mut self,
        form: Form,
        layout: Id,
        view: Option<Id>,
        is_store: bool,
    ) -> Result<Tensor> {
        let ty = self.type_of(layout)?;
        let count = self.dimensions(ty)?;
        let clamp = self.m.def(ty).and_then(|it| self.m.constant_u64(it.id(1)));
        let clamp = TensorClampMode(clamp.map_or(0, |it| it as u32));
        // What is stored outside is dropped, whatever would be loaded there.
        let clamp = match is_store && clamp != TensorClampMode::Undefined {
            true => TensorClampMode::Constant,
            false => clamp,
        };
        let layout = self.value(layout)?;
        if layout.len() != LISTS * count + 1 {
            return Err(self.broken("a tensor layout is expected"));
        }
        let view = match view {
            Some(view) => Some(self.tensor_view(view)?),
            None => None,
        };
        // The columns are written again for each element of an invocation.
        let mut scratch = self.columns(3 + 2 * count)?.into_iter();
        let mut next = || scratch.next().unwrap_or(NO_REG);
        let to = TensorFound {
            is_kept: next(),
            is_there: next(),
            index: next(),
            block: (0..count).map(|_| next()).collect(),
            within: (0..count).map(|_| next()).collect(),
        };
        Ok(Tensor {
            form,
            constant: layout[LISTS * count],
            place: TensorPlace {
                matrix: Tiled {
                    rows: form.rows,
                    columns: form.columns,
                },
                clamp,
                is_store,
                layout,
                view,
                row: NO_REG,
                column: NO_REG,
                to,
            },
        })
    }

    fn tensor_view(&mut self, view: Id) -> Result<(Vec<Reg>, Permuted)> {
        let ty = self.type_of(view)?;
        let count = self.dimensions(ty)?;
        let columns = self.value(view)?;
        let inst = self.m.def(ty);
        let args = inst.map_or(&[][..], |inst| inst.args());
        let mut permutation = [0; MAX_DIMENSIONS];
        for (index, to) in permutation[..count].iter_mut().enumerate() {
            let given = args
                .get(2 + index)
                .and_then(|&id| self.m.constant_u64(Id(id)));
            let dimension = given.and_then(|it| usize::try_from(it).ok());
            match dimension.filter(|&it| it < count) {
                Some(dimension) => *to = dimension,
                None => return Err(self.broken("a dimension that the tensor view doesn't have")),
            }
        }
        if self.m.op_of(ty) != Op::TypeTensorViewNV || columns.len() != 2 * count + 4 {
            return Err(self.broken("a tensor view is expected"));
        }
        let has_dimensions = args.get(1).is_some_and(|&id| {
            let op = self.m.op_of(Id(id));
            matches!(op, Op::ConstantTrue | Op::SpecConstantTrue)
        });
        let ty = Permuted {
            count,
            permutation,
            has_dimensions,
        };
        Ok((columns, ty))
    }

    /// Finds the element that a slot of each invocation has.
    fn find_element(&mut self, tensor: &Tensor, slot: u32) -> Result<()> {
        let mut place = tensor.place.clone();
        place.row = self.place_in_matrix(tensor.form, slot, true)?;
        place.column = self.place_in_matrix(tensor.form, slot, false)?;
        self.special(Special::Place(Box::new(place)));
        Ok(())
    }

    /// The address of what was found, of which each takes so many bytes.
    fn found_at(
        &mut self,
        tensor: &Tensor,
        base: Address,
        start: Reg,
        bytes: u32,
    ) -> Result<Address> {
        let offset = self.column()?;
        self.emit(Inst::Offset {
            to: offset,
            base: start,
            index: [tensor.place.to.index, NO_REG],
            stride: bytes,
        });
        Ok(Address {
            offset,
            constant: 0,
            ..base
        })
    }

    /// `OpCooperativeMatrixLoadTensorNV`.
    pub(super) fn tensor_load(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let form = self.matrix_form(ty)?;
        let operands = TensorOperands::new(inst.args(), 3);
        let view = operands.view.map(|index| inst.id(index));
        let tensor = self.tensor_access(form, inst.id(2), view, false)?;
        let leaf = Leaf::Scalar(self.scalar_type(form.component)?);
        let size = leaf.columns();
        let kept = self.value(inst.id(1))?;
        self.check_columns(inst, kept.len())?;
        let columns = self.columns_of(ty)?;
        let constant = self.constant_outside(tensor.constant, leaf)?;
        let first = self.program.code.len();
        let base = self.pointer(inst.id(0))?.address;
        let start = self.offset(base)?;
        for (slot, to) in columns.chunks(size).enumerate() {
            self.find_element(&tensor, slot as u32)?;
            let kept = self.slice(&kept, slot * size, size)?.to_vec();
            for ((&to, &kept), &constant) in to.iter().zip(&kept).zip(&constant) {
                self.emit(Inst::Select {
                    to,
                    condition: tensor.place.to.is_kept,
                    a: kept,
                    b: constant,
                });
            }
            self.when(tensor.place.to.is_there, |this| match operands.decode {
                Some(decode) => this.decode(&tensor, inst.id(decode), base, start, to),
                None => {
                    let address = this.found_at(&tensor, base, start, leaf.bytes())?;
                    let cell = Cell { leaf, address };
                    this.emit(Inst::Load { to: to[0], cell });
                    Ok(())
                }
            })?;
            self.check_size()?;
        }
        self.share(first, inst, 3);
        Ok(columns)
    }

    /// Lets a function make an element of what was found.
    fn decode(
        &mut self,
        tensor: &Tensor,
        function: Id,
        base: Address,
        start: Reg,
        to: &[Reg],
    ) -> Result<()> {
        let parameter = self.m.def(function).and_then(|inst| {
            let ty = self.m.def(inst.id(1))?;
            Some(ty.id(1))
        });
        let pointee = parameter.and_then(|it| self.m.pointee(it));
        let Some(pointee) = pointee else {
            return Err(self.broken("a function that decodes elements takes a pointer"));
        };
        let bytes = self.types.stride(pointee);
        let bytes = bytes.map_err(|why| self.no_extent(why))?;
        let address = self.found_at(tensor, base, start, bytes)?;
        let pointer = self.materialize(address)?;
        let TensorFound { block, within, .. } = &tensor.place.to;
        let result = self.invoke(function, &[pointer, block.clone(), within.clone()])?;
        self.copy(to, &result);
        Ok(())
    }

    /// The constant that stands for what is outside: the bits of an element, the low ones if
    /// there are fewer.
    fn constant_outside(&mut self, constant: Reg, leaf: Leaf) -> Result<Vec<Reg>> {
        let bits = leaf.bytes() * 8;
        let low = match bits {
            ..32 => {
                let mask = self.word((1 << bits) - 1);
                self.binary(Binary::And, constant, mask)?
            }
            _ => constant,
        };
        let mut columns = vec![low];
        columns.resize(leaf.columns(), self.word(0));
        Ok(columns)
    }

    /// `OpCooperativeMatrixStoreTensorNV`.
    pub(super) fn tensor_store(&mut self, inst: Instruction<'a>) -> Result<()> {
        let form = self.matrix_form(self.type_of(inst.id(1))?)?;
        let operands = TensorOperands::new(inst.args(), 3);
        let view = operands.view.map(|index| inst.id(index));
        if operands.decode.is_some() {
            return Err(self.broken("a function decodes what is stored"));
        }
        let tensor = self.tensor_access(form, inst.id(2), view, true)?;
        let leaf = Leaf::Scalar(self.scalar_type(form.component)?);
        let columns = self.value(inst.id(1))?;
        let first = self.program.code.len();
        let base = self.pointer(inst.id(0))?.address;
        let start = self.offset(base)?;
        for (slot, from) in columns.chunks(leaf.columns()).enumerate() {
            self.find_element(&tensor, slot as u32)?;
            self.when(tensor.place.to.is_there, |this| {
                let address = this.found_at(&tensor, base, start, leaf.bytes())?;
                let cell = Cell { leaf, address };
                let from = pair(from);
                this.emit(Inst::Store { from, cell });
                Ok(())
            })?;
            self.check_size()?;
        }
        self.share(first, inst, 3);
        Ok(())
    }
}
