//! Where instructions name columns.
//!
//! Everything is taken apart by name here, so that whatever is new has to be thought of.

use crate::image::{Access, Coordinates, ImageOp, LodOperand};
use crate::program::{
    Address, Atomic, Cell, Edge, General, Group, Input, Inst, NO_REG, Object, Operand, Pair, Place,
    Print, Printed, Program, Reg, Switch, Vector,
};
use crate::special::Special;
use crate::undefined::Home;

/// What an instruction does with a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads it, for active lanes only.
    Read,
    /// Writes it, for active lanes at least.
    Write,
    /// Anything else: the column has to be what it is, where it is.
    Pin,
}

/// Calls a function with the columns that have to be what they are before the first
/// instruction.
pub(super) fn in_program(program: &mut Program, see: &mut impl FnMut(&mut Reg)) {
    program.constants.iter_mut().for_each(|it| see(&mut it.0));
    program.zeroed.iter_mut().for_each(&mut *see);
    for value in &mut program.undefined_values {
        see(&mut value.column);
    }
    for variable in &mut program.variables {
        if let Home::Columns(columns) = &mut variable.home {
            columns.iter_mut().for_each(&mut *see);
        }
    }
    for Input {
        built_in: _,
        is_wide: _,
        to,
    } in &mut program.inputs
    {
        if let Place::Columns(columns) = to {
            columns.iter_mut().for_each(&mut *see);
        }
    }
}

/// Calls a function with all columns of an instruction, what it reads first.
pub(super) fn in_inst(inst: &mut Inst, program: &mut Program, see: &mut dyn FnMut(&mut Reg, Role)) {
    use Role::{Pin, Read, Write};
    let mut see = |column: &mut Reg, role: Role| {
        if *column != NO_REG {
            see(column, role);
        }
    };
    match inst {
        Inst::Copy { to, from } => {
            see(from, Read);
            see(to, Write);
        }
        Inst::Shift {
            op: _,
            to,
            a,
            by,
            bits: _,
        } => {
            see(a, Read);
            see(by, Read);
            see(to, Write);
        }
        Inst::Unary { op: _, to, a } => {
            see(a, Read);
            see(to, Write);
        }
        Inst::Binary { op: _, to, a, b } => {
            see(a, Read);
            see(b, Read);
            see(to, Write);
        }
        Inst::Select {
            to,
            condition,
            a,
            b,
        } => {
            see(condition, Read);
            see(a, Read);
            see(b, Read);
            see(to, Write);
        }
        Inst::Offset {
            to,
            base,
            index,
            stride: _,
        } => {
            see(base, Read);
            in_pair(index, &mut see);
            see(to, Write);
        }
        Inst::CheckIndex {
            index,
            high,
            limit: _,
        } => {
            see(index, Read);
            see(high, Read);
        }
        Inst::Load {
            to,
            cell: Cell { leaf, address },
        } => {
            in_address(address, &mut see);
            write(to, leaf.columns(), &mut see);
        }
        Inst::Store {
            from,
            cell: Cell { leaf: _, address },
        } => {
            in_address(address, &mut see);
            in_pair(from, &mut see);
        }
        Inst::CheckAlignment {
            address,
            alignment: _,
        } => in_address(address, &mut see),
        Inst::ClassOf { to, object } => {
            see(object, Read);
            see(to, Write);
        }
        Inst::ArrayLength {
            to,
            address,
            stride: _,
        } => {
            in_address(address, &mut see);
            see(to, Write);
        }
        Inst::General(index) => {
            let General {
                op: _,
                to,
                result,
                operands,
                environment: _,
                fast: _,
            } = &mut program.general[*index as usize];
            for (_, columns) in operands {
                in_pair(columns, &mut see);
            }
            write(to, result.width().div_ceil(32) as usize, &mut see);
        }
        Inst::Vector(index) => {
            let Vector {
                op: _,
                to,
                result: _,
                operands,
                environment: _,
            } = &mut program.vectors[*index as usize];
            for (_, columns) in operands.iter_mut().flatten() {
                in_pair(columns, &mut see);
            }
            to.iter_mut().for_each(|to| see(to, Pin));
        }
        Inst::Atomic(index) => {
            let Atomic {
                op: _,
                to,
                ty,
                address,
                value,
                comparator,
                fence: _,
                unequal: _,
                environment: _,
            } = &mut program.atomics[*index as usize];
            in_address(address, &mut see);
            in_pair(value, &mut see);
            in_pair(comparator, &mut see);
            write(to, ty.width().div_ceil(32) as usize, &mut see);
        }
        Inst::Group(index) => {
            let Group {
                op: _,
                to,
                value,
                second,
                cluster: _,
                partition,
                environment: _,
            } = &mut program.groups[*index as usize];
            // Lanes may read what those have that are not active.
            value.iter_mut().for_each(|value| see(value, Pin));
            see(second, Pin);
            partition.iter_mut().for_each(|it| see(it, Pin));
            to.iter_mut().for_each(|to| see(to, Pin));
        }
        Inst::Print(index) => {
            let Print { parts } = &mut program.prints[*index as usize];
            for part in parts {
                if let Printed::Value(_, components) = part {
                    for (_, columns) in components {
                        in_pair(columns, &mut see);
                    }
                }
            }
        }
        Inst::Image(index) => in_access(&mut program.accesses[*index as usize], &mut see),
        Inst::Branch {
            condition,
            then,
            otherwise,
        } => {
            see(condition, Read);
            in_edge(then, program, &mut see);
            in_edge(otherwise, program, &mut see);
        }
        Inst::Jump(edge) => in_edge(edge, program, &mut see),
        Inst::Switch(index) => {
            let Switch {
                low,
                high,
                cases,
                default,
            } = &mut program.switches[*index as usize];
            see(low, Read);
            see(high, Read);
            let edges = cases.iter().map(|case| case.1).chain([*default]);
            let edges: Vec<Edge> = edges.collect();
            for edge in edges {
                in_edge(&edge, program, &mut see);
            }
        }
        Inst::Special(index) => in_special(*index as usize, program, &mut see),
        Inst::Barrier { .. }
        | Inst::Fence(_)
        | Inst::Call { .. }
        | Inst::Return
        | Inst::Terminate
        | Inst::Unreachable
        | Inst::Watch(_)
        | Inst::Undefined { .. }
        // Made when nobody asks any more.
        | Inst::Steps { .. }
        | Inst::Enter { .. } => {}
    }
}

/// What lanes do together, or some of them do.
fn in_special(index: usize, program: &mut Program, see: &mut impl FnMut(&mut Reg, Role)) {
    let mut pin = |column: &mut Reg| see(column, Role::Pin);
    let special = &mut program.specials[index];
    special.columns_mut().into_iter().for_each(&mut pin);
    let Special::Part { inst, .. } = special else {
        return;
    };
    let mut changed = *inst;
    in_inst(&mut changed, program, &mut |column, _| pin(column));
    if let Special::Part { inst, .. } = &mut program.specials[index] {
        *inst = changed;
    }
}

/// A scalar that is written: one column, or two, of which the second is the one behind the
/// first.
fn write(to: &mut Reg, columns: usize, see: &mut impl FnMut(&mut Reg, Role)) {
    if columns == 1 {
        return see(to, Role::Write);
    }
    let mut high = to.wrapping_add(1);
    if *to != NO_REG {
        see(&mut high, Role::Pin);
    }
    see(to, Role::Pin);
}

fn in_pair(pair: &mut Pair, see: &mut impl FnMut(&mut Reg, Role)) {
    pair.iter_mut().for_each(|column| see(column, Role::Read));
}

fn in_address(address: &mut Address, see: &mut impl FnMut(&mut Reg, Role)) {
    let Address {
        object,
        offset,
        constant: _,
    } = address;
    if let Object::Column(column) = object {
        see(column, Role::Read);
    }
    see(offset, Role::Read);
}

/// An instruction on an image. Lanes may look at what the others of their quad have.
fn in_access(access: &mut Access, see: &mut impl FnMut(&mut Reg, Role)) {
    let Access {
        op,
        image,
        sampler,
        to,
        result: _,
        residency,
        at: Coordinates {
            axes,
            layer,
            divisor,
        },
        reference,
        texel,
        lod,
        bias,
        min_lod,
        offsets,
        sample,
        is_kernel: _,
        is_signed: _,
    } = access;
    let mut pin = |column: &mut Reg| see(column, Role::Pin);
    [image, sampler, residency].into_iter().for_each(&mut pin);
    to.iter_mut().for_each(&mut pin);
    if let ImageOp::Gather(Some((_, component))) = op {
        component.iter_mut().for_each(&mut pin);
    }
    let (first, second): (&mut [Operand], &mut [Operand]) = match lod {
        LodOperand::None | LodOperand::Implicit => (&mut [], &mut []),
        LodOperand::Explicit(lod) => (std::slice::from_mut(lod), &mut []),
        LodOperand::Gradients([x, y]) => (x, y),
    };
    let lists = [axes, texel, offsets];
    let optional = [layer, divisor, reference, bias, min_lod, sample];
    let operands = lists
        .into_iter()
        .flatten()
        .chain(optional.into_iter().flatten());
    for (_, columns) in operands.chain(first).chain(second) {
        columns.iter_mut().for_each(&mut pin);
    }
}

/// What phis get. Several edges may share the moves, so they are not to be changed here.
fn in_edge(edge: &Edge, program: &Program, see: &mut impl FnMut(&mut Reg, Role)) {
    for &(mut to, mut from) in &program.moves[edge.moves.0 as usize..edge.moves.1 as usize] {
        see(&mut from, Role::Pin);
        see(&mut to, Role::Pin);
    }
}
