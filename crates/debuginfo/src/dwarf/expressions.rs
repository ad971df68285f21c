//! Location descriptions: what DWARF computes to find a variable.
//!
//! A `DebugDeclare` describes a pointer: what its expression makes of it is where the
//! variable is. A `DebugValue` describes a value: without an expression it is the
//! variable's, with one that ends in `StackValue` the result is, and with any other the
//! result is where the variable is; `Deref` at the end is done by whoever looks there.

use gimli::Register;
use gimli::constants::*;
use gimli::write::{Address as CodeAddress, Expression};

use super::locations::Held;
use super::types::{Constant, ConstantKind};
use super::units::Writer;
use super::{Address, Place};
use crate::{Operation, OperationCode};

impl Writer<'_> {
    /// Writes where something is that is held somewhere, or, with `in_memory`, that the
    /// held pointer points to. Without a result it can't be described.
    pub(super) fn write_location(
        &self,
        out: &mut Expression,
        held: Held,
        operations: &[Operation],
        in_memory: bool,
        size: Option<u64>,
    ) -> Option<()> {
        if let Held::Place(id, Place::Noted) = held {
            out.op_constu(id.0.into());
            out.op(DW_OP_drop);
            let bytes = size.map_or(self.pointer_bytes(), |size| size.div_ceil(8));
            out.op_piece(bytes);
            return Some(());
        }
        if operations.is_empty() && !in_memory {
            return self.write_held(out, held);
        }
        self.push(out, held)?;
        match operations {
            [before @ .., last] if last.code == OperationCode::Deref && !in_memory => {
                self.write_operations(out, before)
            }
            operations => self.write_operations(out, operations),
        }
    }

    /// What is held is the variable.
    fn write_held(&self, out: &mut Expression, held: Held) -> Option<()> {
        match held {
            Held::Constant(constant) => self.write_constant(out, constant),
            Held::Place(_, Place::Register(register)) => out.op_reg(Register(register)),
            Held::Place(_, Place::Memory(address)) => push_address(out, address),
            Held::Place(..) => {
                self.push(out, held)?;
                out.op(DW_OP_stack_value);
            }
        }
        Some(())
    }

    fn write_constant(&self, out: &mut Expression, constant: Constant) {
        // What is computed is an integer of the size of an address.
        let address_bits = u32::from(self.options.address_size.bytes()) * 8;
        let is_integer = constant.kind != ConstantKind::Float;
        match is_integer && constant.width <= address_bits {
            true => {
                push_constant(out, constant);
                out.op(DW_OP_stack_value);
            }
            false => out.op_implicit_value(constant.bytes().into()),
        }
    }

    /// Pushes what is held.
    fn push(&self, out: &mut Expression, held: Held) -> Option<()> {
        match held {
            Held::Constant(constant) => push_constant(out, constant),
            Held::Place(_, Place::Constant(value)) => out.op_constu(value),
            Held::Place(_, Place::Register(register)) => out.op_breg(Register(register), 0),
            Held::Place(_, Place::Pointer(address)) => push_address(out, address),
            Held::Place(_, Place::Memory(address)) => {
                push_address(out, address);
                out.op_deref();
            }
            Held::Place(_, Place::Noted) => return None,
        }
        Some(())
    }

    /// Writes operations one for one; none, if one isn't known.
    pub(super) fn write_operations(
        &self,
        out: &mut Expression,
        operations: &[Operation],
    ) -> Option<()> {
        for operation in operations {
            match (operation.code, operation.operands.as_slice()) {
                (OperationCode::Deref, _) => out.op_deref(),
                (OperationCode::Plus, _) => out.op(DW_OP_plus),
                (OperationCode::Minus, _) => out.op(DW_OP_minus),
                (OperationCode::PlusUconst, &[value, ..]) => out.op_plus_uconst(value),
                (OperationCode::BitPiece, &[size, offset, ..]) => out.op_bit_piece(size, offset),
                (OperationCode::Swap, _) => out.op(DW_OP_swap),
                (OperationCode::Xderef, _) => out.op_xderef(),
                (OperationCode::StackValue, _) => out.op(DW_OP_stack_value),
                (OperationCode::Constu, &[value, ..]) => out.op_constu(value),
                _ => return None,
            }
        }
        Some(())
    }
}

fn push_constant(out: &mut Expression, constant: Constant) {
    match constant.kind {
        ConstantKind::Integer { is_signed: true } if constant.signed() < 0 => {
            out.op_consts(constant.signed());
        }
        _ => out.op_constu(constant.bits),
    }
}

fn push_address(out: &mut Expression, address: Address) {
    match address {
        Address::Fixed(address) => out.op_addr(CodeAddress::Constant(address)),
        Address::Frame(offset) => out.op_fbreg(offset),
        Address::Register(register, offset) => out.op_breg(Register(register), offset),
    }
}
