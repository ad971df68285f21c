//! Device-side enqueue instructions (specification, section 3.32.22).

use spirvkit_grammar::Op;

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{ANY, BOOL, INT, Pattern, STRUCT};
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

const INTEGER: Pattern = INT.widths(&[32]);
const QUEUE: Pattern = Pattern::declared_by(Op::TypeQueue, "a queue");
const EVENT: Pattern = Pattern::declared_by(Op::TypeDeviceEvent, "a device event");

/// What an instruction makes and takes.
fn signature(op: Op) -> (Pattern, &'static [Pattern]) {
    match op {
        Op::EnqueueMarker => (INTEGER, &[QUEUE, INTEGER]),
        // The invoked function is a function, the parameter a pointer.
        Op::EnqueueKernel => (
            INTEGER,
            &[
                QUEUE, INTEGER, ANY, INTEGER, ANY, ANY, ANY, ANY, INTEGER, INTEGER,
            ],
        ),
        Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
            (INTEGER, &[ANY, ANY, ANY, INTEGER, INTEGER])
        }
        Op::GetKernelWorkGroupSize
        | Op::GetKernelPreferredWorkGroupSizeMultiple
        | Op::GetKernelMaxNumSubgroups => (INTEGER, &[ANY, ANY, INTEGER, INTEGER]),
        Op::RetainEvent | Op::ReleaseEvent => (ANY, &[EVENT]),
        Op::CreateUserEvent => (EVENT, &[]),
        Op::IsValidEvent => (BOOL, &[EVENT]),
        Op::SetUserEventStatus | Op::CaptureEventProfilingInfo => (ANY, &[EVENT, INTEGER]),
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
