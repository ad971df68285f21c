//! Pipe instructions (specification, section 3.32.23; SPV_ALTERA_blocking_pipes).

use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{AccessQualifier, Op, StorageClass};

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::pattern::{ANY, BOOL, I32, Pattern};
use crate::rule::Rule;
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
        Op::ReadPipeBlockingALTERA,
        Op::WritePipeBlockingALTERA,
    ],
    check,
    check_module: None,
};

/// What an operand or a result must be, by which rule.
type Part = (&'static Rule, Pattern);

const RESERVE_ID: Pattern = Pattern::declared_by(Op::TypeReserveId, "a reservation");
const PIPE_STORAGE: Pattern = Pattern::declared_by(Op::TypePipeStorage, "a pipe storage");
const PIPE_TYPE: Pattern = Pattern::declared_by(Op::TypePipe, "a pipe");

/// Of no concern here.
const SCOPE: Part = (&pipe::INTEGER, ANY);
const INTEGER: Part = (&pipe::INTEGER, I32);
const POINTER: Part = (
    &pipe::POINTER,
    Pattern::pointer_into(&[StorageClass::Generic]),
);
const RESERVATION: Part = (&pipe::RESERVATION, RESERVE_ID);
const PIPE: Part = (&pipe::PIPE, PIPE_TYPE);

/// What an instruction makes and takes.
fn signature(op: Op) -> (Part, &'static [Part]) {
    const NOTHING: Part = (&pipe::RESULT, ANY);
    const COUNT: Part = (&pipe::RESULT, I32);
    const RESERVED: Part = (&pipe::RESULT, RESERVE_ID);
    const STORAGE: Part = (&pipe::STORAGE, PIPE_STORAGE);
    match op {
        Op::ReadPipe | Op::WritePipe => (COUNT, &[PIPE, POINTER, INTEGER, INTEGER]),
        Op::ReadPipeBlockingALTERA | Op::WritePipeBlockingALTERA => {
            (NOTHING, &[PIPE, POINTER, INTEGER, INTEGER])
        }
        Op::ReservedReadPipe | Op::ReservedWritePipe => (
            COUNT,
            &[PIPE, RESERVATION, INTEGER, POINTER, INTEGER, INTEGER],
        ),
        Op::ReserveReadPipePackets | Op::ReserveWritePipePackets => {
            (RESERVED, &[PIPE, INTEGER, INTEGER, INTEGER])
        }
        Op::GroupReserveReadPipePackets | Op::GroupReserveWritePipePackets => {
            (RESERVED, &[SCOPE, PIPE, INTEGER, INTEGER, INTEGER])
        }
        Op::CommitReadPipe | Op::CommitWritePipe => {
            (NOTHING, &[PIPE, RESERVATION, INTEGER, INTEGER])
        }
        Op::GroupCommitReadPipe | Op::GroupCommitWritePipe => {
            (NOTHING, &[SCOPE, PIPE, RESERVATION, INTEGER, INTEGER])
        }
        Op::IsValidReserveId => ((&pipe::RESULT, BOOL), &[RESERVATION]),
        Op::GetNumPipePackets | Op::GetMaxPipePackets => (COUNT, &[PIPE, INTEGER, INTEGER]),
        Op::ConstantPipeStorage => (STORAGE, &[]),
        Op::CreatePipeFromPipeStorage => ((&pipe::STORAGE, PIPE_TYPE), &[STORAGE]),
        _ => (NOTHING, &[]),
    }
}

/// The accesses that an instruction may need.
fn accesses(op: Op) -> &'static [AccessQualifier] {
    match op {
        Op::ReadPipe
        | Op::ReservedReadPipe
        | Op::ReserveReadPipePackets
        | Op::CommitReadPipe
        | Op::ReadPipeBlockingALTERA
        | Op::GroupReserveReadPipePackets
        | Op::GroupCommitReadPipe => &[AccessQualifier::ReadOnly],
        Op::GetNumPipePackets | Op::GetMaxPipePackets => {
            &[AccessQualifier::ReadOnly, AccessQualifier::WriteOnly]
        }
        _ => &[AccessQualifier::WriteOnly],
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    check_values(at, check_operation)
}

fn check_operation(o: &Operation<'_, '_, '_>) -> CheckResult {
    let ((rule, made), parts) = signature(o.op);
    o.expect_result(rule, made)?;
    all(parts.iter().enumerate().map(|(index, &(rule, wanted))| {
        o.expect_operand(rule, index, wanted)?;
        match wanted == PIPE_TYPE {
            true => check_access(o, index),
            false => Ok(()),
        }
    }))?;
    check_alignment(o)
}

/// Checks the size and the alignment of packets that are read or written until that is done.
fn check_alignment(o: &Operation<'_, '_, '_>) -> CheckResult {
    if !matches!(
        o.op,
        Op::ReadPipeBlockingALTERA | Op::WritePipeBlockingALTERA
    ) {
        return Ok(());
    }
    let (Some(size), Some(alignment)) = (o.m.constant_u64(o.id(2)), o.m.constant_u64(o.id(3)))
    else {
        return Ok(());
    };
    expect(
        alignment > 0 && alignment <= size && size.is_multiple_of(alignment),
        || {
            let message = format!(
                "the alignment of the packets of {} must divide their size, {size}, but is {alignment}",
                o.op
            );
            o.finding(&pipe::ALIGNMENT, message).arg(o.at, 3)
        },
    )
}

fn check_access(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    let found = AccessQualifier(o.m.def(o.ty(index)).map_or(0, |def| def.arg(0)));
    let wanted = accesses(o.op);
    expect(wanted.contains(&found), || {
        let wanted = alternatives(wanted.iter().map(|access| format!("`{access}`")));
        let wanted = format!("a pipe that is {wanted}");
        o.operand_finding(&pipe::PIPE, index, &wanted)
    })
}
