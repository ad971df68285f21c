//! Pipe instructions (specification, section 3.32.23).

use spirvkit_binary::Id;
use spirvkit_grammar::{AccessQualifier, Op, StorageClass};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::pipe;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ReadPipe,
        Op::WritePipe,
        Op::ReservedReadPipe,
        Op::ReservedWritePipe,
        Op::ReserveReadPipePackets,
        Op::ReserveWritePipePackets,
        Op::CommitReadPipe,
        Op::CommitWritePipe,
        Op::IsValidReserveId,
        Op::GetNumPipePackets,
        Op::GetMaxPipePackets,
        Op::GroupReserveReadPipePackets,
        Op::GroupReserveWritePipePackets,
        Op::GroupCommitReadPipe,
        Op::GroupCommitWritePipe,
        Op::ConstantPipeStorage,
        Op::CreatePipeFromPipeStorage,
    ],
    check,
    check_module: None,
};

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Of no concern here.
    Scope,
    Pipe,
    Reservation,
    Pointer,
    Integer,
    Storage,
}

/// What the result is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Nothing,
    Integer,
    Reservation,
    Boolean,
    Storage,
    Pipe,
}

/// What an instruction makes and takes.
fn signature(op: Op) -> (Made, &'static [Part]) {
    use Part::{Integer, Pipe, Pointer, Reservation, Scope, Storage};
    match op {
        Op::ReadPipe | Op::WritePipe => (Made::Integer, &[Pipe, Pointer, Integer, Integer]),
        Op::ReservedReadPipe | Op::ReservedWritePipe => (
            Made::Integer,
            &[Pipe, Reservation, Integer, Pointer, Integer, Integer],
        ),
        Op::ReserveReadPipePackets | Op::ReserveWritePipePackets => {
            (Made::Reservation, &[Pipe, Integer, Integer, Integer])
        }
        Op::GroupReserveReadPipePackets | Op::GroupReserveWritePipePackets => {
            (Made::Reservation, &[Scope, Pipe, Integer, Integer, Integer])
        }
        Op::CommitReadPipe | Op::CommitWritePipe => {
            (Made::Nothing, &[Pipe, Reservation, Integer, Integer])
        }
        Op::GroupCommitReadPipe | Op::GroupCommitWritePipe => {
            (Made::Nothing, &[Scope, Pipe, Reservation, Integer, Integer])
        }
        Op::IsValidReserveId => (Made::Boolean, &[Reservation]),
        Op::GetNumPipePackets | Op::GetMaxPipePackets => (Made::Integer, &[Pipe, Integer, Integer]),
        Op::ConstantPipeStorage => (Made::Storage, &[]),
        Op::CreatePipeFromPipeStorage => (Made::Pipe, &[Storage]),
        _ => (Made::Nothing, &[]),
    }
}

/// The access that an instruction needs; `None` for either.
fn access(op: Op) -> Option<AccessQualifier> {
    match op {
        Op::ReadPipe
        | Op::ReservedReadPipe
        | Op::ReserveReadPipePackets
        | Op::CommitReadPipe
        | Op::GroupReserveReadPipePackets
        | Op::GroupCommitReadPipe => Some(AccessQualifier::ReadOnly),
        Op::GetNumPipePackets | Op::GetMaxPipePackets => None,
        _ => Some(AccessQualifier::WriteOnly),
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_values(at, check_operation)
}

fn is(m: &Module<'_>, ty: Id, op: Op) -> bool {
    m.ty(ty) == Type::Other(op)
}

fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let (made, parts) = signature(o.op);
    match made {
        Made::Integer if !m.is_int_scalar_of(o.result, 32) => {
            return Err(o.result_finding(&pipe::RESULT, "a 32-bit integer"));
        }
        Made::Reservation if !is(m, o.result, Op::TypeReserveId) => {
            return Err(o.result_finding(&pipe::RESULT, "an OpTypeReserveId"));
        }
        Made::Boolean if !m.is_bool_scalar(o.result) => {
            return Err(o.result_finding(&pipe::RESULT, "a boolean"));
        }
        Made::Storage if !is(m, o.result, Op::TypePipeStorage) => {
            return Err(o.result_finding(&pipe::STORAGE, "an OpTypePipeStorage"));
        }
        Made::Pipe if !is(m, o.result, Op::TypePipe) => {
            return Err(o.result_finding(&pipe::STORAGE, "an OpTypePipe"));
        }
        _ => {}
    }
    all(parts.iter().enumerate().map(|(index, part)| {
        let ty = o.ty(index);
        match part {
            Part::Pipe => check_pipe(o, index)?,
            Part::Reservation if !is(m, ty, Op::TypeReserveId) => {
                return Err(o.operand_finding(&pipe::RESERVATION, index, "a reservation"));
            }
            Part::Pointer if m.pointer_class(ty) != Some(StorageClass::Generic) => {
                return Err(o.operand_finding(&pipe::POINTER, index, "a Generic pointer"));
            }
            Part::Integer if !m.is_int_scalar_of(ty, 32) => {
                return Err(o.operand_finding(&pipe::INTEGER, index, "a 32-bit integer"));
            }
            Part::Storage if !is(m, ty, Op::TypePipeStorage) => {
                return Err(o.operand_finding(&pipe::STORAGE, index, "a pipe storage"));
            }
            _ => {}
        }
        Ok(())
    }))
}

fn check_pipe(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let ty = o.ty(index);
    if !is(o.m, ty, Op::TypePipe) {
        return Err(o.operand_finding(&pipe::PIPE, index, "a pipe"));
    }
    let found = AccessQualifier(o.m.def(ty).map_or(0, |def| def.arg(0)));
    match access(o.op) {
        Some(wanted) if found != wanted => {
            let wanted = format!("a pipe that is {wanted}");
            Err(o.operand_finding(&pipe::PIPE, index, &wanted))
        }
        None if found != AccessQualifier::ReadOnly && found != AccessQualifier::WriteOnly => {
            Err(o.operand_finding(&pipe::PIPE, index, "a pipe that is ReadOnly or WriteOnly"))
        }
        _ => Ok(()),
    }
}
