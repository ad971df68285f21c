//! Pointers and what is accessed through them (sections 3.32.8 and 3.32.18).

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, MemoryAccess, Op, OperandKind};

use super::types::{Placed, U32};
use super::{Lowering, Pointer, Result, Value, arguments};
use crate::program::{
    Address, Atomic, BEYOND, Binary, Cell, Inst, Leaf, NO_REG, Object, Pair, Reg, advanced, pair,
};

impl<'a> Lowering<'_, 'a> {
    /// A pointer operand into memory.
    pub(super) fn pointer(&mut self, id: Id) -> Result<Pointer> {
        if let Value::Pointer(pointer) = self.any_value(id)? {
            return Ok(pointer);
        }
        let [offset, object] = self.value(id)?[..] else {
            return Err(self.broken("a pointer is expected"));
        };
        Ok(Pointer::plain(Address {
            object: Object::Column(object),
            offset,
            constant: 0,
        }))
    }

    /// What a typed pointer points to.
    pub(super) fn pointee(&self, pointer: Id) -> Result<Id> {
        let ty = self.type_of(pointer)?;
        let pointee = self.m.pointee(ty);
        pointee.ok_or_else(|| self.unsupported("an untyped pointer"))
    }

    pub(super) fn load(&mut self, inst: Instruction<'a>) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        self.check_alignment(inst.id(0), arguments(inst, 1))?;
        let start = self.program.code.len();
        let columns = self.load_from(inst.id(0), ty)?;
        self.share(start, inst, 1);
        self.define_as(inst, ty, columns)?;
        Ok(())
    }

    fn load_from(&mut self, pointer: Id, ty: Id) -> Result<Vec<Reg>> {
        // Kernels keep images and samplers in variables, too.
        if let Value::Register(from) = self.any_value(pointer)? {
            let columns = self.columns_of(ty)?;
            self.copy(&columns, &from);
            return Ok(columns);
        }
        if self.is_resource(ty) {
            return self.load_resource(pointer, ty);
        }
        let pointer = self.pointer(pointer)?;
        self.load_at(pointer, ty)
    }

    pub(super) fn load_at(&mut self, pointer: Pointer, ty: Id) -> Result<Vec<Reg>> {
        let columns = self.columns_of(ty)?;
        let placed = Placed {
            ty,
            arrangement: pointer.arrangement,
        };
        let leaves = self
            .types
            .leaves(placed)
            .map_err(|why| self.no_extent(why))?;
        let mut next = 0;
        for (leaf, offset) in leaves {
            let to = columns[next];
            next += leaf.columns();
            let address = self.bytes_further(pointer.address, offset)?;
            if leaf == Leaf::Pointer && self.has_narrow_addresses() {
                let pointer = self.load_narrow(address)?;
                self.copy(&columns[next - 2..next], &pointer);
                continue;
            }
            let cell = Cell { leaf, address };
            self.emit(Inst::Load { to, cell });
        }
        Ok(columns)
    }

    /// Loads a pointer of four bytes.
    fn load_narrow(&mut self, address: Address) -> Result<Vec<Reg>> {
        let to = self.column()?;
        let leaf = Leaf::Scalar(U32);
        let cell = Cell { leaf, address };
        self.emit(Inst::Load { to, cell });
        self.widened(to)
    }

    pub(super) fn store(&mut self, inst: Instruction<'a>) -> Result<()> {
        let value = self.value(inst.id(1))?;
        let ty = self.type_of(inst.id(1))?;
        self.check_alignment(inst.id(0), arguments(inst, 2))?;
        let start = self.program.code.len();
        self.store_to(inst.id(0), ty, &value)?;
        self.share(start, inst, 2);
        Ok(())
    }

    /// `OpPredicatedLoadINTEL` and `OpPredicatedStoreINTEL` (`SPV_INTEL_predicated_io`).
    pub(super) fn predicated(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointer = inst.id(0);
        let accesses = |this: &mut Self, to: Option<&[Reg]>| {
            this.check_alignment(pointer, arguments(inst, 3))?;
            let start = this.program.code.len();
            match to {
                Some(to) => {
                    let ty = inst.result_type().unwrap_or(Id(0));
                    let loaded = this.load_from(pointer, ty)?;
                    this.copy(to, &loaded);
                }
                None => {
                    let value = this.value(inst.id(1))?;
                    let ty = this.type_of(inst.id(1))?;
                    this.store_to(pointer, ty, &value)?;
                }
            }
            this.share(start, inst, 3);
            Ok(())
        };
        if inst.op() == Op::PredicatedStoreINTEL {
            let predicate = self.scalar(inst.id(2))?;
            return self.when(predicate, |this| accesses(this, None));
        }
        let predicate = self.scalar(inst.id(1))?;
        self.computed(inst, |this, inst| {
            let columns = this.columns_of(inst.result_type().unwrap_or(Id(0)))?;
            let default = this.value(inst.id(2))?;
            if default.len() != columns.len() {
                return Err(this.broken("the default value is of another type than the result"));
            }
            this.copy(&columns, &default);
            this.when(predicate, |this| accesses(this, Some(&columns)))?;
            Ok(columns)
        })
    }

    /// Reports an access through a pointer that is not aligned as these memory operands say.
    pub(super) fn check_alignment(&mut self, pointer: Id, operands: &[u32]) -> Result<()> {
        let &[mask, alignment, ..] = operands else {
            return Ok(());
        };
        let is_aligned = mask & MemoryAccess::Aligned.0 != 0;
        if !is_aligned || !alignment.is_power_of_two() {
            return Ok(());
        }
        // What is kept in columns lies nowhere.
        if let Value::Register(_) = self.any_value(pointer)? {
            return Ok(());
        }
        let address = self.pointer(pointer)?.address;
        self.emit_alignment(address, alignment);
        Ok(())
    }

    /// The same for a copy, whose memory operands begin at one of its operands. Of two lists the
    /// first is the target's, the second the source's; one is for both.
    pub(super) fn check_alignments(&mut self, inst: Instruction<'a>, first: usize) -> Result<()> {
        let operands = arguments(inst, first);
        let mask = operands.first().copied().unwrap_or(0);
        let second = operands.get(words_of_memory_operands(mask)..);
        let of_source = second.filter(|list| !list.is_empty()).unwrap_or(operands);
        self.check_alignment(inst.id(0), operands)?;
        self.check_alignment(inst.id(1), of_source)
    }

    /// Reports an address that is not aligned to a power of two, unless that can be seen.
    pub(super) fn emit_alignment(&mut self, address: Address, alignment: u32) {
        let is_known = address.offset == NO_REG && address.constant & (alignment - 1) == 0;
        if !is_known && alignment > 1 {
            self.emit(Inst::CheckAlignment { address, alignment });
        }
    }

    /// Stores what an instruction gives besides its result.
    pub(super) fn store_result(&mut self, pointer: Id, value: &[Reg]) -> Result<()> {
        let ty = self.pointee(pointer)?;
        self.store_to(pointer, ty, value)
    }

    fn store_to(&mut self, pointer: Id, ty: Id, value: &[Reg]) -> Result<()> {
        if let Value::Register(to) = self.any_value(pointer)? {
            self.copy(&to, value);
            return Ok(());
        }
        let pointer = self.pointer(pointer)?;
        self.store_at(pointer, ty, value)
    }

    pub(super) fn store_at(&mut self, pointer: Pointer, ty: Id, value: &[Reg]) -> Result<()> {
        let placed = Placed {
            ty,
            arrangement: pointer.arrangement,
        };
        let leaves = self
            .types
            .leaves(placed)
            .map_err(|why| self.no_extent(why))?;
        let mut next = 0;
        for (leaf, offset) in leaves {
            let Some(from) = value.get(next..next + leaf.columns()).map(pair) else {
                return Err(self.broken("a value is smaller than its type"));
            };
            next += leaf.columns();
            let address = self.bytes_further(pointer.address, offset)?;
            let (leaf, from) = match leaf == Leaf::Pointer && self.has_narrow_addresses() {
                true => (Leaf::Scalar(U32), [self.narrowed(&from)?, NO_REG]),
                false => (leaf, from),
            };
            let cell = Cell { leaf, address };
            self.emit(Inst::Store { from, cell });
        }
        Ok(())
    }

    pub(super) fn copy_memory(&mut self, inst: Instruction<'a>) -> Result<()> {
        // One of both may be untyped.
        let (to, from) = (self.pointee(inst.id(0)), self.pointee(inst.id(1)));
        let (to, from) = match (to, from) {
            (Ok(to), Ok(from)) => (to, from),
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => (one, one),
            (Err(error), Err(_)) => return Err(error),
        };
        self.check_alignments(inst, 2)?;
        let start = self.program.code.len();
        let value = self.load_from(inst.id(1), from)?;
        self.store_to(inst.id(0), to, &value)?;
        self.share(start, inst, 2);
        Ok(())
    }

    /// `OpAccessChain` and its like.
    pub(super) fn access_chain(&mut self, inst: Instruction<'a>) -> Result<()> {
        let is_element = matches!(
            inst.op(),
            Op::PtrAccessChain
                | Op::InBoundsPtrAccessChain
                | Op::UntypedPtrAccessChainKHR
                | Op::UntypedInBoundsPtrAccessChainKHR
        );
        // What an untyped pointer points to, the instruction says.
        let is_untyped = matches!(
            self.m.ty(inst.result_type().unwrap_or(Id(0))),
            Type::UntypedPointer { .. }
        );
        let (base, pointee, indexes) = match is_untyped {
            true => (inst.id(1), inst.id(0), arguments(inst, 2)),
            false => (inst.id(0), self.pointee(inst.id(0))?, arguments(inst, 1)),
        };
        if let Value::Register(columns) = self.any_value(base)? {
            if is_element {
                return Err(self.unsupported("pointer arithmetic on a variable without an address"));
            }
            let part = self.part_of_columns(&columns, pointee, indexes)?;
            self.listed += part.len();
            if let Some(result) = inst.result() {
                self.values.insert(result.0, Value::Register(part));
            }
            return Ok(());
        }
        let pointer = self.pointer(base)?;
        let mut address = pointer.address;
        let mut placed = Placed {
            ty: pointee,
            arrangement: pointer.arrangement,
        };
        let class = self.m.pointer_class(self.type_of(base)?);
        let is_descriptors = |this: &Self, ty| class.is_some_and(|it| this.is_descriptors(it, ty));
        let mut indexes = indexes;
        if let Some((&element, rest)) = indexes.split_first().filter(|_| is_element) {
            if is_descriptors(self, pointee) {
                return Err(self.unsupported("pointer arithmetic over arrays of descriptors"));
            }
            let stride = self.element_stride(base, pointee)?;
            address = self.advance(address, Id(element), stride)?;
            indexes = rest;
        }
        let mut descriptors = pointer.descriptors;
        while is_descriptors(self, placed.ty)
            && let Some((&index, rest)) = indexes.split_first()
        {
            // Descriptors lie in nothing: each is an object.
            (address, placed.ty) =
                self.descriptor(address, placed.ty, descriptors.take(), Id(index))?;
            indexes = rest;
        }
        for &index in indexes {
            (address, placed) = self.step(address, placed, Id(index))?;
        }
        let pointer = Pointer {
            address,
            arrangement: placed.arrangement,
            descriptors,
        };
        self.define_pointer(inst, pointer);
        Ok(())
    }

    /// How far apart elements of a type lie that a pointer goes over.
    pub(super) fn element_stride(&mut self, pointer: Id, pointee: Id) -> Result<u32> {
        let ty = self.type_of(pointer)?;
        if let Some(stride) = self.m.decoration(ty, Decoration::ArrayStride) {
            return Ok(stride.param(0));
        }
        self.types
            .stride(pointee)
            .map_err(|why| self.no_extent(why))
    }

    /// The columns of a part that constants lead to.
    fn part_of_columns(&mut self, columns: &[Reg], ty: Id, indexes: &[u32]) -> Result<Vec<Reg>> {
        let mut ty = ty;
        let mut start = 0;
        for &index in indexes {
            let Some(index) = self.m.constant_u64(Id(index)) else {
                return Err(self.broken("an index is not a constant"));
            };
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let part = self.types.column_of(ty, index);
            let (offset, part) = part.map_err(|why| self.no_extent(why))?;
            start += offset as usize;
            ty = part;
        }
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))? as usize;
        let part = columns.get(start..start + count);
        part.map(<[Reg]>::to_vec)
            .ok_or_else(|| self.broken("an index is out of bounds"))
    }

    /// One index further into a type.
    fn step(&mut self, from: Address, whole: Placed, index: Id) -> Result<(Address, Placed)> {
        if let Type::Struct { .. } = self.m.ty(whole.ty) {
            let Some(member) = self.m.constant_u64(index) else {
                return Err(self.broken("the index of a member is not a constant"));
            };
            let member = u32::try_from(member).unwrap_or(u32::MAX);
            let part = self.types.part(whole, member);
            let (part, offset) = part.map_err(|why| self.no_extent(why))?;
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            return Ok((self.bytes_further(from, offset)?, part));
        }
        let part = self
            .types
            .part(whole, 0)
            .map_err(|why| self.no_extent(why))?;
        let (part, stride) = part;
        let count = self
            .types
            .count(whole.ty)
            .map_err(|why| self.no_extent(why))?;
        let constant = self.m.constant_u64(index);
        if let Some(count) = count.filter(|&count| constant.is_none_or(|index| index >= count)) {
            self.check_index(index, count)?;
        }
        let stride = u32::try_from(stride).unwrap_or(u32::MAX);
        Ok((self.advance(from, index, stride)?, part))
    }

    /// Reports an index that is not below a limit.
    pub(super) fn check_index(&mut self, index: Id, count: u64) -> Result<()> {
        let columns = self.value(index)?;
        let width = self.component(index)?.width();
        let &[low, ref rest @ ..] = &columns[..] else {
            return Err(self.broken("an index is expected"));
        };
        // A negative index is a large one; narrow ones have to be made so.
        let [low, high] = match width {
            32 | 64 => [low, rest.first().copied().unwrap_or(NO_REG)],
            _ => self.sign_extended(index)?,
        };
        self.emit(Inst::CheckIndex {
            index: low,
            high,
            limit: u32::try_from(count).unwrap_or(u32::MAX),
        });
        Ok(())
    }

    /// The columns of an index of any width, which is taken as signed (section 3.32.8).
    pub(super) fn sign_extended(&mut self, index: Id) -> Result<Pair> {
        let ty = self.component(index)?;
        let columns = pair(&self.value(index)?);
        let unused = 32u32.saturating_sub(ty.width());
        if unused == 0 {
            return Ok(columns);
        }
        let amount = self.word(unused);
        let up = self.binary(Binary::ShiftLeft, columns[0], amount)?;
        let down = self.binary(Binary::ShiftRightArithmetic, up, amount)?;
        Ok([down, NO_REG])
    }

    /// An address so many strides further.
    pub(super) fn advance(&mut self, from: Address, index: Id, stride: u32) -> Result<Address> {
        if let Some(index) = self.m.constant_i64(index) {
            let further = index.checked_mul(stride.into());
            let constant = further.and_then(|it| it.checked_add(from.constant.into()));
            let small = constant.filter(|it| (0..i64::from(MAX_CONSTANT)).contains(it));
            if let Some(constant) = small {
                let constant = constant as u32;
                return Ok(Address { constant, ..from });
            }
            if from.offset == NO_REG {
                let constant = advanced(from.constant, index, stride);
                return Ok(Address { constant, ..from });
            }
        }
        let index = self.sign_extended(index)?;
        // An index may be negative, so it is added to all that is known.
        let base = self.offset(from)?;
        let to = self.column()?;
        self.emit(Inst::Offset {
            to,
            base,
            index,
            stride,
        });
        Ok(Address {
            offset: to,
            constant: 0,
            ..from
        })
    }

    /// An address so many bytes further.
    pub(super) fn bytes_further(&mut self, from: Address, bytes: u32) -> Result<Address> {
        let constant = advanced(from.constant, bytes.into(), 1);
        if from.offset == NO_REG || constant < MAX_CONSTANT {
            return Ok(Address { constant, ..from });
        }
        let base = self.offset(from)?;
        let index = [self.word(bytes), self.word(0)];
        let to = self.column()?;
        self.emit(Inst::Offset {
            to,
            base,
            index,
            stride: 1,
        });
        Ok(Address {
            offset: to,
            constant: 0,
            ..from
        })
    }

    pub(super) fn array_length(&mut self, inst: Instruction<'a>) -> Result<()> {
        let (structure, pointer, member) = match inst.op() {
            Op::UntypedArrayLengthKHR => (inst.id(0), inst.id(1), inst.arg(2)),
            _ => (self.pointee(inst.id(0))?, inst.id(0), inst.arg(1)),
        };
        let pointer = self.pointer(pointer)?;
        let placed = Placed::plain(structure);
        let array = self.types.part(placed, member);
        let (array, offset) = array.map_err(|why| self.no_extent(why))?;
        let element = self.types.part(array, 0);
        let (_, stride) = element.map_err(|why| self.no_extent(why))?;
        let to = self.column()?;
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let address = self.bytes_further(pointer.address, offset)?;
        self.emit(Inst::ArrayLength {
            to,
            address,
            stride: u32::try_from(stride).unwrap_or(u32::MAX).max(1),
        });
        self.define(inst, vec![to]);
        Ok(())
    }

    /// A flag is a word that is 1 when it is set.
    pub(super) fn atomic_flag(&mut self, inst: Instruction<'a>) -> Result<()> {
        let sets = inst.op() == Op::AtomicFlagTestAndSet;
        let address = self.pointer(inst.id(0))?.address;
        let (old, value) = (self.column()?, self.word(sets.into()));
        self.program.atomics.push(Atomic {
            op: if sets {
                Op::AtomicExchange
            } else {
                Op::AtomicStore
            },
            to: if sets { old } else { NO_REG },
            ty: U32,
            address,
            value: [value, NO_REG],
            comparator: [NO_REG; 2],
            fence: self.ordering(inst.id(1), inst.id(2)),
            unequal: self.semantics(inst.id(2)),
            environment: self.environment,
        });
        self.emit(Inst::Atomic(self.program.atomics.len() as u32 - 1));
        let zero = self.word(0);
        let was_set = self.binary(Binary::INotEqual, old, zero)?;
        self.define(inst, vec![was_set]);
        Ok(())
    }

    /// Section 3.32.18.
    pub(super) fn atomic(&mut self, inst: Instruction<'a>) -> Result<()> {
        let op = inst.op();
        let pointer_operand = inst.id(0);
        if let Value::Register(_) = self.any_value(pointer_operand)? {
            return Err(self.unsupported("an atomic on a variable without an address"));
        }
        let pointer = self.pointer(pointer_operand)?;
        let operand = |index: usize| Id(inst.arg(index));
        let (value, comparator) = match op {
            Op::AtomicLoad | Op::AtomicIIncrement | Op::AtomicIDecrement => (None, None),
            Op::AtomicStore => (Some(operand(3)), None),
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                (Some(operand(4)), Some(operand(5)))
            }
            _ => (Some(operand(3)), None),
        };
        let of = match (value, inst.result_type()) {
            (Some(value), _) => self.type_of(value)?,
            (None, Some(result)) => result,
            (None, None) => return Err(self.broken("an atomic without a type")),
        };
        if inst.result_type().is_some_and(|result| result != of) {
            return Err(self.broken("the value of an atomic has another type than its result"));
        }
        if self.types.scalar(of).is_none() && !self.m.is_vector(of) {
            return Err(self.unsupported(format!("an atomic on {}", self.m.op_of(of))));
        }
        // Each component of a vector is accessed by itself (`SPV_NV_shader_atomic_fp16_vector`).
        let placed = Placed {
            ty: of,
            arrangement: pointer.arrangement,
        };
        let leaves = self.types.leaves(placed);
        let leaves = leaves.map_err(|why| self.no_extent(why))?;
        let columns = |this: &mut Self, id: Option<Id>| match id {
            Some(id) => this.value(id),
            None => Ok(Vec::new()),
        };
        let (value, comparator) = (columns(self, value)?, columns(self, comparator)?);
        let result = match inst.result_type() {
            Some(ty) => self.columns_of(ty)?,
            None => Vec::new(),
        };
        let mut next = 0;
        for (leaf, offset) in leaves {
            let Leaf::Scalar(ty) = leaf else {
                return Err(self.unsupported("an atomic on a pointer"));
            };
            let address = self.bytes_further(pointer.address, offset)?;
            let part = |columns: &[Reg]| pair(columns.get(next..).unwrap_or_default());
            let part = |columns: &[Reg]| match leaf.columns() {
                1 => [part(columns)[0], NO_REG],
                _ => part(columns),
            };
            self.program.atomics.push(Atomic {
                op,
                to: part(&result)[0],
                ty,
                address,
                value: part(&value),
                comparator: part(&comparator),
                fence: self.ordering(inst.id(1), inst.id(2)),
                unequal: self.semantics(match op {
                    Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => inst.id(3),
                    _ => inst.id(2),
                }),
                environment: self.environment,
            });
            self.emit(Inst::Atomic(self.program.atomics.len() as u32 - 1));
            next += leaf.columns();
        }
        self.define(inst, result);
        Ok(())
    }

    /// `OpPtrEqual` and `OpPtrNotEqual`.
    pub(super) fn pointers_equal(&mut self, inst: Instruction<'a>) -> Result<()> {
        let (a, b) = (self.value(inst.id(0))?, self.value(inst.id(1))?);
        let mut equal = Vec::new();
        for (&a, &b) in a.iter().zip(&b) {
            let to = self.column()?;
            self.emit(Inst::Binary {
                op: Binary::IEqual,
                to,
                a,
                b,
            });
            equal.push(to);
        }
        let [a, b] = equal[..] else {
            return Err(self.broken("pointers are expected"));
        };
        let to = self.column()?;
        self.emit(Inst::Binary {
            op: Binary::And,
            to,
            a,
            b,
        });
        let result = match inst.op() {
            Op::PtrEqual => to,
            _ => self.unary(crate::program::Unary::LogicalNot, to)?,
        };
        self.define(inst, vec![result]);
        Ok(())
    }
}

/// What is added to an offset that is not known is less, so that it leads from no place beyond
/// an object into it.
const MAX_CONSTANT: u32 = u32::MAX - BEYOND;

/// How many words memory operands take, with the mask that they begin with.
fn words_of_memory_operands(mask: u32) -> usize {
    let bits = (0..u32::BITS).map(|bit| mask & 1 << bit);
    let infos = bits.filter_map(|bit| OperandKind::MemoryAccess.enumerant(bit));
    1 + infos.map(|info| info.parameters().len()).sum::<usize>()
}
