//! Group and subgroup instructions (specification, section 3.32.21), and the
//! interlock of fragment shaders.

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Module, Type, is_cross_workgroup};
use crate::rule::Rule;
use crate::rules::generated::group;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::GroupAsyncCopy,
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

/// What the components of a value are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Unsigned,
    Float,
    /// Any of them.
    Any,
}

impl Kind {
    /// Whether the type is a scalar or a vector of the kind.
    pub(super) fn is_scalar_or_vector(self, m: &Module<'_>, ty: Id) -> bool {
        let component = m.scalar_or_vector_component(ty);
        match self {
            Self::Bool => m.is_bool_scalar(component),
            Self::Int => m.is_int_scalar(component),
            Self::Unsigned => m.is_unsigned_scalar(component),
            Self::Float => m.is_float_scalar(component),
            Self::Any => m.is_scalar(component),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "a boolean scalar or vector",
            Self::Int => "an integer scalar or vector",
            Self::Unsigned => "an unsigned integer scalar or vector",
            Self::Float => "a floating-point scalar or vector",
            Self::Any => "a scalar or vector",
        }
    }
}

/// Checks an operand's type; ids that are no values are passed over.
pub(super) fn expect(
    at: &InstCtx<'_, '_>,
    rule: &'static Rule,
    index: usize,
    name: &str,
    expected: &str,
    test: impl Fn(&Module<'_>, Id) -> bool,
) -> CheckResult {
    match at.m.type_of(at.id(index)) {
        Some(ty) if !test(at.m, ty) => Err(at.wrong_operand(rule, at.id(index), name, expected)),
        _ => Ok(()),
    }
}

/// Checks that an operand has the type of the result.
pub(super) fn expect_result_type(
    at: &InstCtx<'_, '_>,
    rule: &'static Rule,
    index: usize,
    name: &str,
) -> CheckResult {
    let result = at.result_type();
    match at.m.type_of(at.id(index)) {
        Some(ty) if ty != result => {
            let expected = format!("of the result type, {}", at.m.show_type(result));
            Err(at.wrong_operand(rule, at.id(index), name, &expected))
        }
        _ => Ok(()),
    }
}

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::GroupAll | Op::GroupAny => {
            let is_bool = |m: &Module<'_>, ty| m.is_bool_scalar(ty);
            let result = match is_bool(at.m, at.result_type()) {
                true => Ok(()),
                false => Err(at.wrong_result(&group::VOTE_RESULT, "a boolean scalar")),
            };
            let expected = "a boolean scalar";
            let predicate = expect(
                at,
                &group::VOTE_PREDICATE,
                1,
                "predicate",
                expected,
                is_bool,
            );
            all([result, predicate])
        }
        Op::GroupBroadcast => check_operation(at, Kind::Any, 1),
        Op::GroupAsyncCopy => check_copy(at),
        Op::GroupWaitEvents => check_wait(at),
        Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => check_interlock(at),
        op => check_operation(at, kind_of(op), 2),
    }
}

/// What an operation over a group works on.
fn kind_of(op: Op) -> Kind {
    match op {
        Op::GroupFAdd | Op::GroupFMin | Op::GroupFMax | Op::GroupFMulKHR => Kind::Float,
        Op::GroupLogicalAndKHR | Op::GroupLogicalOrKHR | Op::GroupLogicalXorKHR => Kind::Bool,
        _ => Kind::Int,
    }
}

fn check_operation(at: &InstCtx<'_, '_>, kind: Kind, value: usize) -> CheckResult {
    if !kind.is_scalar_or_vector(at.m, at.result_type()) {
        return Err(at.wrong_result(&group::RESULT, kind.name()));
    }
    expect_result_type(at, &group::VALUE, value, "value")
}

fn check_copy(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_event = |m: &Module<'_>, ty| m.ty(ty) == Type::Other(Op::TypeEvent);
    let result = match is_event(m, at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&group::COPY_RESULT, "an event")),
    };
    let (bits, expected) = match m.addressing {
        AddressingModel::Physical32 => (32, "a 32-bit integer"),
        AddressingModel::Physical64 => (64, "a 64-bit integer"),
        _ => (0, "an integer"),
    };
    let is_size = |m: &Module<'_>, ty| match bits {
        0 => m.is_int_scalar(ty),
        _ => m.is_int_scalar_of(ty, bits),
    };
    all([
        result,
        check_copied(at),
        expect(
            at,
            &group::COPY_COUNT,
            3,
            "number of elements",
            expected,
            is_size,
        ),
        expect(at, &group::COPY_COUNT, 4, "stride", expected, is_size),
        expect(at, &group::EVENT, 5, "event", "an event", is_event),
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
    let is_shared = |class| class == StorageClass::Workgroup || is_cross_workgroup(class);
    let is_number = |ty| {
        let component = m.scalar_or_vector_component(ty);
        m.is_int_scalar(component) || m.is_float_scalar(component)
    };
    let (class, pointee) = match m.ty(destination_type) {
        Type::Pointer { class, pointee } if is_shared(class) && is_number(pointee) => {
            (class, pointee)
        }
        _ => {
            let expected =
                "a pointer to scalars or vectors of numbers in `Workgroup` or `CrossWorkgroup`";
            return Err(at.wrong_operand(
                &group::COPY_DESTINATION,
                destination,
                "destination",
                expected,
            ));
        }
    };
    let (source_class, source_pointee) = match m.ty(source_type) {
        Type::Pointer { class, pointee } => (class, pointee),
        _ => {
            let expected = "a pointer";
            return Err(at.wrong_operand(&group::COPY_SOURCE, source, "source", expected));
        }
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
    if !is_other {
        let message = format!(
            "{} copies to `{class}`, so it must copy from `{other}`, but the source is in `{source_class}`",
            at.inst.op()
        );
        let finding = at.finding(&group::COPY_CLASSES, message);
        return Err(finding.about(m, source, "the source is defined here"));
    }
    if source_pointee != pointee {
        let expected = format!("a pointer to {}", m.show_type(pointee));
        return Err(at.wrong_operand(&group::COPY_SOURCE, source, "source", &expected));
    }
    Ok(())
}

fn check_wait(at: &InstCtx<'_, '_>) -> CheckResult {
    let is_count = |m: &Module<'_>, ty| m.is_int_scalar_of(ty, 32);
    let is_list = |m: &Module<'_>, ty| {
        let pointee = m.pointee(ty);
        pointee.is_some_and(|pointee| m.ty(pointee) == Type::Other(Op::TypeEvent))
    };
    let (count, list) = ("number of events", "list of events");
    all([
        expect(
            at,
            &group::WAIT_COUNT,
            1,
            count,
            "a 32-bit integer",
            is_count,
        ),
        expect(
            at,
            &group::WAIT_EVENTS,
            2,
            list,
            "a pointer to events",
            is_list,
        ),
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
            "{} can be used only in Fragment, but is reached from {models}",
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
