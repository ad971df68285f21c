//! Group and subgroup instructions (specification, section 3.32.21), and the
//! interlock of fragment shaders.

use spirvkit_grammar::{AddressingModel, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Type, is_cross_workgroup};
use crate::pattern::{BOOL, DATA, FLOAT, I32, INT, NUMBER, Pattern, UNTYPED_POINTER};
use crate::rule::Rule;
use crate::rules::generated::group;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::GroupAsyncCopy,
        Op::UntypedGroupAsyncCopyKHR,
        Op::GroupWaitEvents,
        Op::GroupAll,
        Op::GroupAny,
        Op::GroupBroadcast,
        Op::GroupIAdd,
        Op::GroupFAdd,
        Op::GroupFMin,
        Op::GroupUMin,
        Op::GroupSMin,
        Op::GroupFMax,
        Op::GroupUMax,
        Op::GroupSMax,
        Op::GroupIMulKHR,
        Op::GroupFMulKHR,
        Op::GroupBitwiseAndKHR,
        Op::GroupBitwiseOrKHR,
        Op::GroupBitwiseXorKHR,
        Op::GroupLogicalAndKHR,
        Op::GroupLogicalOrKHR,
        Op::GroupLogicalXorKHR,
        Op::BeginInvocationInterlockEXT,
        Op::EndInvocationInterlockEXT,
    ],
    check,
    check_module: None,
};

const EVENT_TYPE: Pattern = Pattern::declared_by(Op::TypeEvent, "an event");

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::GroupAll | Op::GroupAny => all([
            at.expect_result(&group::VOTE_RESULT, BOOL),
            at.expect_operand(&group::VOTE_PREDICATE, 1, BOOL),
        ]),
        Op::GroupBroadcast => check_operation(at, DATA, 1),
        Op::GroupAsyncCopy => check_copy(at),
        Op::UntypedGroupAsyncCopyKHR => check_untyped_copy(at),
        Op::GroupWaitEvents => check_wait(at),
        Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => check_interlock(at),
        op => check_operation(at, combined_by(op), 2),
    }
}

/// What an operation over a group works on: one of these, or a vector.
fn combined_by(op: Op) -> Pattern {
    match op {
        Op::GroupFAdd | Op::GroupFMin | Op::GroupFMax | Op::GroupFMulKHR => FLOAT,
        Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR => BOOL,
        _ => INT,
    }
}

fn check_operation(at: &InstCtx<'_, '_>, components: Pattern, value: usize) -> CheckResult {
    at.expect_result(&group::RESULT, components.scalar_or_vector())?;
    at.expect_result_type(&group::VALUE, value)
}

fn check_copy(at: &InstCtx<'_, '_>) -> CheckResult {
    let size = match at.m.addressing {
        AddressingModel::Physical32 => I32,
        AddressingModel::Physical64 => INT.widths(&[64]),
        _ => INT,
    };
    all([
        at.expect_result(&group::COPY_RESULT, EVENT_TYPE),
        check_copied(at),
        at.expect_operand(&group::COPY_COUNT, 3, size),
        at.expect_operand(&group::COPY_COUNT, 4, size),
        at.expect_operand(&group::EVENT, 5, EVENT_TYPE),
    ])
}

/// Checks from where to where is copied.
fn check_copied(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (destination, source) = (at.id(1), at.id(2));
    let (Some(destination_type), Some(source_type)) = (m.type_of(destination), m.type_of(source))
    else {
        return Ok(());
    };
    let is_number = |ty| NUMBER.scalar_or_vector().matches(m, ty);
    let pointee = match m.ty(destination_type) {
        Type::Pointer { class, pointee } if is_shared(class) && is_number(pointee) => pointee,
        _ => {
            let expected =
                "a pointer to scalars or vectors of numbers in `Workgroup` or `CrossWorkgroup`";
            return Err(at.operand_finding(&group::COPY_DESTINATION, 1, expected));
        }
    };
    let source_pointee = match m.ty(source_type) {
        Type::Pointer { pointee, .. } => pointee,
        _ => {
            return Err(at.operand_finding(&group::COPY_SOURCE, 2, "a typed pointer"));
        }
    };
    check_copied_classes(at)?;
    if source_pointee != pointee {
        let expected = format!("a pointer to {}", m.show_type(pointee));
        return Err(at.operand_finding(&group::COPY_SOURCE, 2, &expected));
    }
    Ok(())
}

/// Checks a copy that is said in bytes.
fn check_untyped_copy(at: &InstCtx<'_, '_>) -> CheckResult {
    const UNTYPED: &str = "an untyped pointer into `Workgroup` or `CrossWorkgroup`";
    // The document has integers as wide as a pointer. Compilers write the size of an element with 32
    // bits anyway.
    const SIZE: Pattern = INT.widths(&[32, 64]);
    let pointers = all([
        expect_shared(at, &group::COPY_DESTINATION, 1, UNTYPED),
        expect_shared(at, &group::COPY_SOURCE, 2, UNTYPED),
    ]);
    // What isn't associated with another copy has a null constant for an event.
    let event = match at.m.op_of(at.id(6)) {
        Op::ConstantNull => Ok(()),
        _ => at.expect_operand(&group::EVENT, 6, EVENT_TYPE),
    };
    all([
        at.expect_result(&group::COPY_RESULT, EVENT_TYPE),
        pointers.and_then(|()| check_copied_classes(at)),
        at.expect_operand(&group::COPY_COUNT, 3, SIZE),
        at.expect_operand(&group::COPY_COUNT, 4, SIZE),
        at.expect_operand(&group::COPY_COUNT, 5, SIZE),
        event,
    ])
}

/// Checks an untyped pointer to memory that is copied.
fn expect_shared(
    at: &InstCtx<'_, '_>,
    rule: &'static Rule,
    index: usize,
    wanted: &str,
) -> CheckResult {
    let ty = at.type_of_arg(index);
    let is_fine =
        UNTYPED_POINTER.matches(at.m, ty) && at.m.pointer_class(ty).is_some_and(is_shared);
    at.expect_operand_that(rule, index, is_fine, wanted)
}

/// Whether memory of the storage class is copied from and to.
fn is_shared(class: StorageClass) -> bool {
    class == StorageClass::Workgroup || is_cross_workgroup(class)
}

/// Checks that one of the pointers is into memory of the workgroup, and the other isn't.
fn check_copied_classes(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let classes = (
        m.pointer_class(at.type_of_arg(1)),
        m.pointer_class(at.type_of_arg(2)),
    );
    let (Some(class), Some(source_class)) = classes else {
        return Ok(());
    };
    let (other, is_other) = match class {
        StorageClass::Workgroup => (
            StorageClass::CrossWorkgroup,
            is_cross_workgroup(source_class),
        ),
        _ => (
            StorageClass::Workgroup,
            source_class == StorageClass::Workgroup,
        ),
    };
    if is_other {
        return Ok(());
    }
    let message = format!(
        "{} copies to `{class}`, so it must copy from `{other}`, but the source is in `{source_class}`",
        at.inst.op()
    );
    let finding = at.finding(&group::COPY_CLASSES, message);
    Err(finding.about(m, at.id(2), "the source is defined here"))
}

fn check_wait(at: &InstCtx<'_, '_>) -> CheckResult {
    all([
        at.expect_operand(&group::WAIT_COUNT, 1, I32),
        at.expect_operand(&group::WAIT_EVENTS, 2, Pattern::pointer_to(&EVENT_TYPE)),
    ])
}

const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);

const INTERLOCK_MODES: &[ExecutionMode] = &[
    ExecutionMode::PixelInterlockOrderedEXT,
    ExecutionMode::PixelInterlockUnorderedEXT,
    ExecutionMode::SampleInterlockOrderedEXT,
    ExecutionMode::SampleInterlockUnorderedEXT,
    ExecutionMode::ShadingRateInterlockOrderedEXT,
    ExecutionMode::ShadingRateInterlockUnorderedEXT,
];

fn check_interlock(at: &InstCtx<'_, '_>) -> CheckResult {
    if let Some(models) = at.models_outside(FRAGMENT) {
        let message = format!(
            "{} can be used only in `Fragment`, but is reached from {models}",
            at.inst.op()
        );
        return Err(at.finding(&group::INTERLOCK_STAGE, message));
    }
    at.expect_mode(
        &group::INTERLOCK_MODE,
        FRAGMENT,
        INTERLOCK_MODES,
        "no interlock execution mode",
    )
}
