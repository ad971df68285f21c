//! Device-side enqueue instructions (specification, section 3.32.22).

use spirvkit_grammar::Op;

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{ANY, BOOL, I32, Pattern, STRUCT};
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

const QUEUE: Pattern = Pattern::declared_by(Op::TypeQueue, "a queue");
const EVENT: Pattern = Pattern::declared_by(Op::TypeDeviceEvent, "a device event");

/// What an instruction makes and takes.
fn signature(op: Op) -> (Pattern, &'static [Pattern]) {
    match op {
        Op::EnqueueMarker => (I32, &[QUEUE, I32]),
        // The invoked function is a function, the parameter a pointer.
        Op::EnqueueKernel => (I32, &[QUEUE, I32, ANY, I32, ANY, ANY, ANY, ANY, I32, I32]),
        Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
            (I32, &[ANY, ANY, ANY, I32, I32])
        }
        Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelMaxNumSubgroups => (I32, &[ANY, ANY, I32, I32]),
        Op::RetainEvent | Op::ReleaseEvent => (ANY, &[EVENT]),
        Op::CreateUserEvent => (EVENT, &[]),
        Op::IsValidEvent => (BOOL, &[EVENT]),
        Op::SetUserEventStatus | Op::CaptureEventProfilingInfo => (ANY, &[EVENT, I32]),
        Op::GetDefaultQueue => (QUEUE, &[]),
        Op::BuildNDRange => (STRUCT, &[]),
        _ => (ANY, &[]),
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let (made, parts) = signature(at.inst.op());
    // What is no type, and what is no value, earlier phases report.
    if at.m.ty(at.result_type()) != Type::None {
        at.expect_result(&device_enqueue::RESULT, made)?;
    }
    let parts = parts.iter().enumerate();
    all(parts.map(|(index, &part)| at.expect_operand(&device_enqueue::OPERAND, index, part)))
}
