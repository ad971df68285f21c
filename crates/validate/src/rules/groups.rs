//! Group and subgroup instructions (specification, section 3.32.21), and the
//! interlock of fragment shaders.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{AddressingModel, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Models, Module, Type, is_cross_workgroup};
use crate::rule::{Example, Frame, Rule};

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
    rules: &[
        &VOTE_RESULT,
        &VOTE_PREDICATE,
        &RESULT,
        &VALUE,
        &COPY_RESULT,
        &COPY_DESTINATION,
        &COPY_CLASSES,
        &COPY_SOURCE,
        &COPY_COUNT,
        &EVENT,
        &WAIT_COUNT,
        &WAIT_EVENTS,
        &INTERLOCK_STAGE,
        &INTERLOCK_MODE,
    ],
};

static VOTE_RESULT: Rule = Rule {
    id: "group.vote-result",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The result of `OpGroupAll` and `OpGroupAny` is a boolean scalar.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability Groups
%all = OpGroupAll %u32 %u32_2 %true",
        keeps: "OpCapability Groups
%all = OpGroupAll %bool %u32_2 %true",
    },
};

static VOTE_PREDICATE: Rule = Rule {
    id: "group.vote-predicate",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The predicate of `OpGroupAll` and `OpGroupAny` is a boolean scalar.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability Groups
%all = OpGroupAll %bool %u32_2 %u32_1",
        keeps: "OpCapability Groups
%all = OpGroupAll %bool %u32_2 %true",
    },
};

static RESULT: Rule = Rule {
    id: "group.result",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The result of a group operation is a scalar or vector of the kind of number that the instruction's name \
           says; that of a broadcast is any scalar or vector.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability Groups
%sum = OpGroupIAdd %f32 %u32_2 Reduce %f32_1",
        keeps: "OpCapability Groups
%sum = OpGroupFAdd %f32 %u32_2 Reduce %f32_1",
    },
};

static VALUE: Rule = Rule {
    id: "group.value",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The value of a group operation has the result type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability Groups
%sum = OpGroupIAdd %u64 %u32_2 Reduce %u32_1",
        keeps: "OpCapability Groups
%sum = OpGroupIAdd %u32 %u32_2 Reduce %u32_1",
    },
};

/// A piece of an example: lines with an event and a variable to copy from or to.
macro_rules! copy {
    ($lines:literal) => {
        concat!(
            "%event = OpTypeEvent
%no_event = OpConstantNull %event
%global = OpVariable %ptr_CrossWorkgroup_u32 CrossWorkgroup
",
            $lines
        )
    };
}

static COPY_RESULT: Rule = Rule {
    id: "group.copy-result",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The result of `OpGroupAsyncCopy` is an event.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%copied = OpGroupAsyncCopy %u32 %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %no_event"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %no_event"
        ),
    },
};

static COPY_DESTINATION: Rule = Rule {
    id: "group.copy-destination",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The destination of a group copy is a pointer to scalars or vectors of numbers in `Workgroup` or \
           `CrossWorkgroup`.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%own = OpVariable %ptr_Function_u32 Function
%copied = OpGroupAsyncCopy %event %u32_2 %own %workgroup_u32 %u64_1 %u64_1 %no_event"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %global %workgroup_u32 %u64_1 %u64_1 %no_event"
        ),
    },
};

static COPY_CLASSES: Rule = Rule {
    id: "group.copy-classes",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "A group copy goes from `Workgroup` to `CrossWorkgroup` or the other way round.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %workgroup_u32 %u64_1 %u64_1 %no_event"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %global %workgroup_u32 %u64_1 %u64_1 %no_event"
        ),
    },
};

static COPY_SOURCE: Rule = Rule {
    id: "group.copy-source",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The source of a group copy points to the same type as its destination.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%floats = OpVariable %ptr_CrossWorkgroup_f32 CrossWorkgroup
%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %floats %u64_1 %u64_1 %no_event"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %no_event"
        ),
    },
};

static COPY_COUNT: Rule = Rule {
    id: "group.copy-count",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The number of elements and the stride of a group copy are integers as wide as a pointer.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u32_1 %u64_1 %no_event"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %no_event"
        ),
    },
};

static EVENT: Rule = Rule {
    id: "group.event",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The event operand of `OpGroupAsyncCopy` is an event.",
    example: Example {
        frame: Frame::Kernel,
        breaks: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %u32_0"
        ),
        keeps: copy!(
            "%copied = OpGroupAsyncCopy %event %u32_2 %workgroup_u32 %global %u64_1 %u64_1 %no_event"
        ),
    },
};

static WAIT_COUNT: Rule = Rule {
    id: "group.wait-count",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The number of events to wait for is a 32-bit integer scalar.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%event = OpTypeEvent
%ptr_event = OpTypePointer Function %event
%events = OpVariable %ptr_event Function
OpGroupWaitEvents %u32_2 %u64_1 %events",
        keeps: "%event = OpTypeEvent
%ptr_event = OpTypePointer Function %event
%events = OpVariable %ptr_event Function
OpGroupWaitEvents %u32_2 %u32_1 %events",
    },
};

static WAIT_EVENTS: Rule = Rule {
    id: "group.wait-events",
    class: InvalidData,
    section: "3.32.21",
    vuids: &[],
    text: "The events to wait for are given by a pointer to `OpTypeEvent`.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpGroupWaitEvents %u32_2 %u32_1 %workgroup_u32",
        keeps: "%event = OpTypeEvent
%ptr_event = OpTypePointer Function %event
%events = OpVariable %ptr_event Function
OpGroupWaitEvents %u32_2 %u32_1 %events",
    },
};

static INTERLOCK_STAGE: Rule = Rule {
    id: "group.interlock-stage",
    class: InvalidId,
    section: "SPV_EXT_fragment_shader_interlock",
    vuids: &[],
    text: "Only fragment shaders use interlocks.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability FragmentShaderPixelInterlockEXT
OpExtension \"SPV_EXT_fragment_shader_interlock\"
OpBeginInvocationInterlockEXT
OpEndInvocationInterlockEXT",
        keeps: "OpCapability FragmentShaderPixelInterlockEXT
OpExtension \"SPV_EXT_fragment_shader_interlock\"",
    },
};

static INTERLOCK_MODE: Rule = Rule {
    id: "group.interlock-mode",
    class: InvalidId,
    section: "SPV_EXT_fragment_shader_interlock",
    vuids: &[],
    text: "An entry point that uses an interlock declares an interlock execution mode.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpCapability FragmentShaderPixelInterlockEXT
OpExtension \"SPV_EXT_fragment_shader_interlock\"
OpBeginInvocationInterlockEXT
OpEndInvocationInterlockEXT",
        keeps: "OpCapability FragmentShaderPixelInterlockEXT
OpExtension \"SPV_EXT_fragment_shader_interlock\"
OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main PixelInterlockOrderedEXT
OpBeginInvocationInterlockEXT
OpEndInvocationInterlockEXT",
    },
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
                false => Err(at.wrong_result(&VOTE_RESULT, "a boolean scalar")),
            };
            let expected = "a boolean scalar";
            let predicate = expect(at, &VOTE_PREDICATE, 1, "predicate", expected, is_bool);
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
        return Err(at.wrong_result(&RESULT, kind.name()));
    }
    expect_result_type(at, &VALUE, value, "value")
}

fn check_copy(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_event = |m: &Module<'_>, ty| m.ty(ty) == Type::Other(Op::TypeEvent);
    let result = match is_event(m, at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&COPY_RESULT, "an event")),
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
        expect(at, &COPY_COUNT, 3, "number of elements", expected, is_size),
        expect(at, &COPY_COUNT, 4, "stride", expected, is_size),
        expect(at, &EVENT, 5, "event", "an event", is_event),
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
            return Err(at.wrong_operand(&COPY_DESTINATION, destination, "destination", expected));
        }
    };
    let (source_class, source_pointee) = match m.ty(source_type) {
        Type::Pointer { class, pointee } => (class, pointee),
        _ => {
            let expected = "a pointer";
            return Err(at.wrong_operand(&COPY_SOURCE, source, "source", expected));
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
        let finding = at.finding(&COPY_CLASSES, message);
        return Err(finding.about(m, source, "the source is defined here"));
    }
    if source_pointee != pointee {
        let expected = format!("a pointer to {}", m.show_type(pointee));
        return Err(at.wrong_operand(&COPY_SOURCE, source, "source", &expected));
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
        expect(at, &WAIT_COUNT, 1, count, "a 32-bit integer", is_count),
        expect(at, &WAIT_EVENTS, 2, list, "a pointer to events", is_list),
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
        return Err(at.finding(&INTERLOCK_STAGE, message));
    }
    at.expect_mode(
        &INTERLOCK_MODE,
        FRAGMENT,
        INTERLOCK_MODES,
        "no interlock execution mode",
    )
}
