//! Device-side enqueue instructions (specification, section 3.32.22).

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::Op;

use super::Family;
use super::operation::Operation;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};

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
    rules: &[&RESULT, &OPERAND],
};

static RESULT: Rule = Rule {
    id: "device-enqueue.result",
    class: InvalidData,
    section: "3.32.22",
    vuids: &[],
    text: "The result of an instruction that enqueues or queries a size is a 32-bit integer; the results of the other \
           instructions are the queue, the event, the boolean or the structure that their names say.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability DeviceEnqueue
%queue_type = OpTypeQueue
%queue = OpGetDefaultQueue %u32",
        keeps: "OpCapability DeviceEnqueue
%queue_type = OpTypeQueue
%queue = OpGetDefaultQueue %queue_type",
    },
};

static OPERAND: Rule = Rule {
    id: "device-enqueue.operand",
    class: InvalidData,
    section: "3.32.22",
    vuids: &[],
    text: "Queues and events have the types of these names, and counts, flags, statuses and sizes of parameters are \
           32-bit integers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability DeviceEnqueue
OpRetainEvent %u32_1",
        keeps: "OpCapability DeviceEnqueue
%event_type = OpTypeDeviceEvent
%event = OpCreateUserEvent %event_type
OpRetainEvent %event",
    },
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
        return Err(o.result_finding(&RESULT, made.wanted()));
    }
    all(parts.iter().enumerate().map(|(index, part)| {
        // What is no value an earlier phase reports.
        let Some(ty) = m.type_of(o.id(index)) else {
            return Ok(());
        };
        if !part.accepts(m, ty) {
            return Err(o.operand_finding(&OPERAND, index, part.wanted()));
        }
        Ok(())
    }))
}
