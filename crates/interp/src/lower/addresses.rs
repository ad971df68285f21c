//! Pointers as numbers: what converts, casts and subtracts them (sections 3.32.8 and 3.32.11).
//!
//! A pointer is the number `object << 32 | offset`, in columns as in memory. So each object has
//! a window of 4 GiB, in which offsets just below it stand at the end. Object 0 is no object,
//! so a null pointer is 0. Where addresses have 32 bits, the window is as small as it has to be
//! for all objects to have one.

use spirvkit_analysis::Lookup;
use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{AddressingModel, MemorySemantics, Op, StorageClass};

use super::types::U32;
use super::{Lowering, Pointer, Result, Value};
use crate::program::{BEYOND, Binary, Inst, Reg, pair};

/// The type of 64-bit integers.
const U64: ScalarType = ScalarType::Integer { width: 64 };

impl<'a> Lowering<'_, 'a> {
    /// Whether pointers take four bytes in memory.
    pub(super) fn has_narrow_addresses(&self) -> bool {
        self.m.addressing == AddressingModel::Physical32
    }

    pub(super) fn pointer_operation(&mut self, inst: Instruction<'a>) -> Result<()> {
        match inst.op() {
            Op::ConvertPtrToU => self.convert_from_pointer(inst),
            Op::ConvertUToPtr => self.convert_to_pointer(inst),
            Op::PtrCastToGeneric | Op::GenericCastToPtr => self.cast_pointer(inst),
            Op::GenericCastToPtrExplicit => self.checked_cast(inst),
            Op::GenericPtrMemSemantics => self.semantics_of_pointer(inst),
            Op::SizeOf => self.size_of(inst),
            _ => self.pointer_difference(inst),
        }
    }

    /// `OpConvertPtrToU`.
    fn convert_from_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let result = self.scalar_type(ty)?;
        let pointer = self.value(inst.id(0))?;
        let columns = match self.has_narrow_addresses() {
            true => {
                let address = self.narrowed(&pointer)?;
                self.converted(U32, &[address], result)?
            }
            false => {
                let address = self.address(&pointer)?;
                self.converted(U64, &address, result)?
            }
        };
        self.check_columns(inst, columns.len())?;
        self.define(inst, columns);
        Ok(())
    }

    /// `OpConvertUToPtr`.
    fn convert_to_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        let from = self.component(inst.id(0))?;
        let number = self.value(inst.id(0))?;
        let columns = match self.has_narrow_addresses() {
            true => {
                let address = self.converted(from, &number, U32)?;
                self.widened(address[0])?
            }
            false => {
                let address = self.converted(from, &number, U64)?;
                self.pointer_to(&address)?
            }
        };
        self.define_as(inst, inst.result_type().unwrap_or(Id(0)), columns)
    }

    /// An integer of another width, with zeros above.
    fn converted(&mut self, from: ScalarType, columns: &[Reg], to: ScalarType) -> Result<Vec<Reg>> {
        match from == to {
            true => Ok(columns.to_vec()),
            false => {
                let operand = [(from, pair(columns))];
                self.scalar_operation(Op::UConvert, to, &operand, self.environment)
            }
        }
    }

    /// How many bits of a narrow address tell the offset.
    fn offset_bits(&self) -> u32 {
        32 - usize::BITS.saturating_sub(self.program.objects.len().leading_zeros())
    }

    /// The address of 32 bits that a pointer is, which is known.
    pub(super) fn narrowed_word(&self, pointer: u64) -> u64 {
        let window = (pointer >> 32) << self.offset_bits();
        u64::from((window as u32).wrapping_add(pointer as u32))
    }

    /// The address of 32 bits that a pointer is.
    pub(super) fn narrowed(&mut self, pointer: &[Reg]) -> Result<Reg> {
        let &[offset, object] = pointer else {
            return Err(self.broken("a pointer is expected"));
        };
        let bits = self.word(self.offset_bits());
        let window = self.binary(Binary::ShiftLeft, object, bits)?;
        self.binary(Binary::IAdd, window, offset)
    }

    /// The pointer that an address of 32 bits is. The last quarter of each window belongs to
    /// what is below the next object.
    pub(super) fn widened(&mut self, address: Reg) -> Result<Vec<Reg>> {
        let bits = self.offset_bits();
        let (bits, quarter) = (self.word(bits), self.word(1 << (bits - 2)));
        let nearest = self.binary(Binary::IAdd, address, quarter)?;
        let object = self.binary(Binary::ShiftRight, nearest, bits)?;
        let window = self.binary(Binary::ShiftLeft, object, bits)?;
        let offset = self.binary(Binary::ISub, address, window)?;
        Ok(vec![offset, object])
    }

    /// `OpBitcast` from or to a pointer: the bits of its address.
    pub(super) fn bitcast_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        let ty = inst.result_type().unwrap_or(Id(0));
        let from = self.type_of(inst.id(0))?;
        let columns = match (self.m.is_pointer(from), self.m.is_pointer(ty)) {
            (true, true) => return self.cast_pointer(inst),
            (true, false) if self.has_narrow_addresses() => {
                let pointer = self.value(inst.id(0))?;
                vec![self.narrowed(&pointer)?]
            }
            (false, true) if self.has_narrow_addresses() => {
                let address = self.scalar(inst.id(0))?;
                self.widened(address)?
            }
            (is_pointer, _) => {
                let columns = self.value(inst.id(0))?;
                match is_pointer {
                    true => self.address(&columns)?,
                    false => self.pointer_to(&columns)?,
                }
            }
        };
        self.check_columns(inst, columns.len())?;
        self.define_as(inst, ty, columns)
    }

    /// The address of 64 bits that a pointer is. What is below an object is at the end of the
    /// window before.
    fn address(&mut self, pointer: &[Reg]) -> Result<Vec<Reg>> {
        self.carried(pointer, Binary::ISub)
    }

    /// The pointer that an address of 64 bits is.
    fn pointer_to(&mut self, address: &[Reg]) -> Result<Vec<Reg>> {
        self.carried(address, Binary::IAdd)
    }

    fn carried(&mut self, columns: &[Reg], op: Binary) -> Result<Vec<Reg>> {
        let &[low, high] = columns else {
            return Err(self.broken("a pointer or a number of 64 bits is expected"));
        };
        let beyond = self.word(BEYOND);
        let carry = self.binary(Binary::ULess, beyond, low)?;
        Ok(vec![low, self.binary(op, high, carry)?])
    }

    /// What makes a pointer of another type of a pointer.
    fn cast_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        match self.any_value(inst.id(0))? {
            Value::Pointer(Pointer { address, .. }) => {
                self.define_pointer(inst, Pointer::plain(address));
                Ok(())
            }
            Value::Columns(columns) => {
                self.check_columns(inst, columns.len())?;
                self.define_as(inst, inst.result_type().unwrap_or(Id(0)), columns)
            }
            // It only tells for how long the variable is used.
            register => {
                let result = inst.result().map_or(0, |id| id.0);
                self.values.insert(result, register);
                Ok(())
            }
        }
    }

    /// `OpPtrDiff`: how many elements lie between two pointers.
    fn pointer_difference(&mut self, inst: Instruction<'a>) -> Result<()> {
        let result = self.scalar_type(inst.result_type().unwrap_or(Id(0)))?;
        let pointee = self.pointee(inst.id(0))?;
        let stride = self.element_stride(inst.id(0), pointee)?;
        let (a, b) = (self.value(inst.id(0))?, self.value(inst.id(1))?);
        let (a, b) = (self.address(&a)?, self.address(&b)?);
        let environment = self.environment;
        let operands = [(U64, pair(&a)), (U64, pair(&b))];
        let bytes = self.scalar_operation(Op::ISub, U64, &operands, environment)?;
        let stride = [self.word(stride.max(1)), self.word(0)];
        let operands = [(U64, pair(&bytes)), (U64, stride)];
        let elements = self.scalar_operation(Op::SDiv, U64, &operands, environment)?;
        let columns = match result == U64 {
            true => elements,
            false => {
                let operand = [(U64, pair(&elements))];
                self.scalar_operation(Op::UConvert, result, &operand, environment)?
            }
        };
        self.check_columns(inst, columns.len())?;
        self.define(inst, columns);
        Ok(())
    }

    /// The storage class that a pointer points to, as a number.
    fn class_of(&mut self, pointer: &[Reg]) -> Result<Reg> {
        let &[_, object] = pointer else {
            return Err(self.broken("a pointer is expected"));
        };
        let to = self.column()?;
        self.emit(Inst::ClassOf { to, object });
        Ok(to)
    }

    /// `OpGenericCastToPtrExplicit`: a null pointer, unless it points to this storage class.
    fn checked_cast(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointer = self.value(inst.id(0))?;
        let class = self.class_of(&pointer)?;
        let wanted = self.word(inst.arg(1));
        let is_it = self.binary(Binary::IEqual, class, wanted)?;
        let zero = self.word(0);
        let mut columns = Vec::with_capacity(pointer.len());
        for column in pointer {
            columns.push(self.chosen(is_it, column, zero)?);
        }
        self.define_as(inst, inst.result_type().unwrap_or(Id(0)), columns)
    }

    /// `OpGenericPtrMemSemantics`: which memory the storage class belongs to.
    fn semantics_of_pointer(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointer = self.value(inst.id(0))?;
        let class = self.class_of(&pointer)?;
        let mut result = self.word(0);
        for (of, semantics) in [
            (StorageClass::Workgroup, MemorySemantics::WorkgroupMemory),
            (
                StorageClass::CrossWorkgroup,
                MemorySemantics::CrossWorkgroupMemory,
            ),
        ] {
            let (of, semantics) = (self.word(of.0), self.word(semantics.0));
            let is_it = self.binary(Binary::IEqual, class, of)?;
            result = self.chosen(is_it, semantics, result)?;
        }
        self.check_columns(inst, 1)?;
        self.define(inst, vec![result]);
        Ok(())
    }

    /// `OpSizeOf`: how far apart values lie of the type that a pointer points to.
    fn size_of(&mut self, inst: Instruction<'a>) -> Result<()> {
        let pointee = self.pointee(inst.id(0))?;
        let stride = self.types.stride(pointee);
        let stride = stride.map_err(|why| self.no_extent(why))?;
        let column = self.word(stride);
        self.check_columns(inst, 1)?;
        self.define(inst, vec![column]);
        Ok(())
    }
}
