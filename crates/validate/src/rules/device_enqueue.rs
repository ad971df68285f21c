//! Device-side enqueue instructions (specification, section 3.32.22).

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Family;
use super::operation::Operation;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::rules::generated::device_enqueue;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::EnqueueMarker,
        Op::EnqueueKernel,
        Op::GetKernelNDrangeSubGroupCount,
        Op::GetKernelNDrangeMaxSubGroupSize,
        Op::GetKernelWorkGroupSize,
        Op::GetKernelPreferredWorkGroupSizeMultiple,
        Op::RetainEvent,
        Op::ReleaseEvent,
        Op::CreateUserEvent,
        Op::IsValidEvent,
        Op::SetUserEventStatus,
        Op::CaptureEventProfilingInfo,
        Op::GetDefaultQueue,
        Op::BuildNDRange,
        Op::GetKernelLocalSizeForSubgroupCount,
        Op::GetKernelMaxNumSubgroups,
    ],
    check,
    check_module: None,
};

/// What a result or an operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Of no concern here.
    Any,
    Integer,
    Boolean,
    Queue,
    Event,
    Structure,
}

impl Part {
    fn accepts(self, m: &Module<'_>, ty: Id) -> bool {
        match self {
            Self::Any => true,
            Self::Integer => m.is_int_scalar_of(ty, 32),
            Self::Boolean => m.is_bool_scalar(ty),
            Self::Queue => m.ty(ty) == Type::Other(Op::TypeQueue),
            Self::Event => m.ty(ty) == Type::Other(Op::TypeDeviceEvent),
            Self::Structure => m.is_struct(ty),
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Any => "a value",
            Self::Integer => "a 32-bit integer",
            Self::Boolean => "a boolean",
            Self::Queue => "a queue",
            Self::Event => "a device event",
            Self::Structure => "a structure",
        }
    }
}

/// What an instruction makes and takes.
fn signature(op: Op) -> (Part, &'static [Part]) {
    use Part::{Any, Boolean, Event, Integer, Queue, Structure};
    match op {
        Op::EnqueueMarker => (Integer, &[Queue, Integer]),
        // The invoked function is a function, the parameter a pointer.
        Op::EnqueueKernel => (
            Integer,
            &[
                Queue, Integer, Any, Integer, Any, Any, Any, Any, Integer, Integer,
            ],
        ),
        Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
            (Integer, &[Any, Any, Any, Integer, Integer])
        }
        Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelMaxNumSubgroups => (Integer, &[Any, Any, Integer, Integer]),
        Op::RetainEvent | Op::ReleaseEvent => (Any, &[Event]),
        Op::CreateUserEvent => (Event, &[]),
        Op::IsValidEvent => (Boolean, &[Event]),
        Op::SetUserEventStatus | Op::CaptureEventProfilingInfo => (Any, &[Event, Integer]),
        Op::GetDefaultQueue => (Queue, &[]),
        Op::BuildNDRange => (Structure, &[]),
        _ => (Any, &[]),
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let o = Operation::of(at);
    let m = at.m;
    let (made, parts) = signature(o.op);
    if !made.accepts(m, o.result) && m.ty(o.result) != Type::None {
        return Err(o.result_finding(&device_enqueue::RESULT, made.wanted()));
    }
    all(parts.iter().enumerate().map(|(index, part)| {
        // What is no value an earlier phase reports.
        let Some(ty) = m.type_of(o.id(index)) else {
            return Ok(());
        };
        if !part.accepts(m, ty) {
            return Err(o.operand_finding(&device_enqueue::OPERAND, index, part.wanted()));
        }
        Ok(())
    }))
}
