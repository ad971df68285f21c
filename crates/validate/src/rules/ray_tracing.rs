//! Ray tracing instructions (SPV_KHR_ray_tracing, SPV_NV_ray_tracing,
//! SPV_NV_ray_tracing_motion_blur, SPV_NV_displacement_micromap), and what the
//! operands of rays are in these, in ray queries and in hit objects.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Module, Type};
use crate::rules::generated::ray;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::TraceRayKHR,
        Op::TraceRayMotionNV,
        Op::TraceNV,
        Op::TraceMotionNV,
        Op::ExecuteCallableKHR,
        Op::ExecuteCallableNV,
        Op::ReportIntersectionKHR,
        Op::IgnoreIntersectionKHR,
        Op::IgnoreIntersectionNV,
        Op::TerminateRayKHR,
        Op::TerminateRayNV,
        Op::FetchMicroTriangleVertexPositionNV,
        Op::FetchMicroTriangleVertexBarycentricNV,
    ],
    check,
    check_module: Some(check_module),
};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An acceleration structure.
    Structure,
    I32,
    U32,
    /// Ray flags: a 32-bit integer.
    Flags,
    F32,
    F32Vec2,
    F32Vec3,
    Payload,
    CallableData,
}

/// What a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Made {
    Nothing,
    Bool,
    I32,
    /// An integer of any width.
    Int,
    I32Vec2,
    F32,
    F32Vec2,
    F32Vec3,
    /// Four columns of three components.
    F32Mat4x3,
    /// Arrays of this length.
    F32Array(u32),
    F32Vec3Array(u32),
}

impl Made {
    fn describe(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Bool => "a boolean",
            Self::I32 => "a 32-bit integer",
            Self::Int => "an integer",
            Self::I32Vec2 => "a 2-component vector of 32-bit integers",
            Self::F32 => "a 32-bit float",
            Self::F32Vec2 => "a 2-component vector of 32-bit floats",
            Self::F32Vec3 => "a 3-component vector of 32-bit floats",
            Self::F32Mat4x3 => "a 4-column matrix of 3-component vectors of 32-bit floats",
            Self::F32Array(_) => "an array of two 32-bit floats",
            Self::F32Vec3Array(2) => "an array of two 3-component vectors of 32-bit floats",
            Self::F32Vec3Array(_) => "an array of three 3-component vectors of 32-bit floats",
        }
    }

    fn fits(self, at: &InstCtx<'_, '_>, ty: Id) -> bool {
        let m = at.m;
        let is_vector = |ty: Id, size: u32| {
            matches!(m.ty(ty), Type::Vector { component, count }
                if count == size && m.is_float_scalar_of(component, 32))
        };
        let is_array = |ty: Id, length: u32, test: &dyn Fn(Id) -> bool| match m.ty(ty) {
            Type::Array { element, .. } => {
                test(element)
                    && m.array_length(ty)
                        .is_none_or(|found| found == u64::from(length))
            }
            _ => false,
        };
        match self {
            Self::Nothing => true,
            Self::Bool => m.is_bool_scalar(ty),
            Self::I32 => m.is_int_scalar_of(ty, 32),
            Self::Int => m.is_int_scalar(ty),
            Self::I32Vec2 => matches!(m.ty(ty), Type::Vector { component, count: 2 }
                if m.is_int_scalar_of(component, 32)),
            Self::F32 => m.is_float_scalar_of(ty, 32),
            Self::F32Vec2 => is_vector(ty, 2),
            Self::F32Vec3 => is_vector(ty, 3),
            Self::F32Mat4x3 => matches!(m.ty(ty), Type::Matrix { column, count: 4 }
                if is_vector(column, 3)),
            Self::F32Array(length) => {
                is_array(ty, length, &|element| m.is_float_scalar_of(element, 32))
            }
            Self::F32Vec3Array(length) => is_array(ty, length, &|element| is_vector(element, 3)),
        }
    }
}

/// Checks the type of the result.
pub(super) fn check_result(at: &InstCtx<'_, '_>, made: Made) -> CheckResult {
    if made.fits(at, at.result_type()) {
        return Ok(());
    }
    let message = format!(
        "the result type of {} must be {}, but is {}",
        at.inst.op(),
        made.describe(),
        at.m.show_type(at.result_type())
    );
    Err(at.finding(&ray::RESULT, message))
}

/// Checks the operands from one on.
pub(super) fn check_operands(at: &InstCtx<'_, '_>, first: usize, kinds: &[Kind]) -> CheckResult {
    all(kinds
        .iter()
        .enumerate()
        .map(|(index, &kind)| match at.inst.optional(first + index) {
            Some(_) => check_operand(at, first + index, kind),
            None => Ok(()),
        }))
}

fn check_operand(at: &InstCtx<'_, '_>, index: usize, kind: Kind) -> CheckResult {
    let m = at.m;
    let ty = at.type_of_arg(index);
    let is_vector = |size: u32| {
        matches!(m.ty(ty), Type::Vector { component, count }
            if count == size && m.is_float_scalar_of(component, 32))
    };
    let (fits, rule, wanted) = match kind {
        Kind::Flags => {
            check_flags(at, index)?;
            (
                m.is_int_scalar_of(ty, 32),
                &ray::OPERAND,
                "a 32-bit integer",
            )
        }
        Kind::I32 => (
            m.is_int_scalar_of(ty, 32),
            &ray::OPERAND,
            "a 32-bit integer",
        ),
        Kind::U32 => (
            m.is_int_scalar_of(ty, 32) && m.is_unsigned_scalar(ty),
            &ray::OPERAND,
            "an unsigned 32-bit integer",
        ),
        Kind::F32 => (
            m.is_float_scalar_of(ty, 32),
            &ray::OPERAND,
            "a 32-bit float",
        ),
        Kind::F32Vec2 => (
            is_vector(2),
            &ray::OPERAND,
            "a 2-component vector of 32-bit floats",
        ),
        Kind::F32Vec3 => (
            is_vector(3),
            &ray::OPERAND,
            "a 3-component vector of 32-bit floats",
        ),
        Kind::Structure => (
            m.ty(ty) == Type::Other(Op::TypeAccelerationStructureKHR),
            &ray::ACCELERATION_STRUCTURE,
            "an acceleration structure",
        ),
        Kind::Payload => (
            is_variable_in(
                at,
                index,
                &[
                    StorageClass::RayPayloadKHR,
                    StorageClass::IncomingRayPayloadKHR,
                ],
            ),
            &ray::PAYLOAD,
            "a variable in `RayPayloadKHR` or `IncomingRayPayloadKHR`",
        ),
        Kind::CallableData => (
            is_variable_in(
                at,
                index,
                &[
                    StorageClass::CallableDataKHR,
                    StorageClass::IncomingCallableDataKHR,
                ],
            ),
            &ray::CALLABLE_DATA,
            "a variable in `CallableDataKHR` or `IncomingCallableDataKHR`",
        ),
    };
    if fits {
        return Ok(());
    }
    let message = format!(
        "operand {} of {} must be {wanted}, but is {}",
        index + 1,
        at.inst.op(),
        m.show_value(at.id(index))
    );
    Err(at
        .finding(rule, message)
        .about(m, at.id(index), "the operand is defined here"))
}

/// Whether an operand is a variable in one of these storage classes.
pub(super) fn is_variable_in(at: &InstCtx<'_, '_>, index: usize, classes: &[StorageClass]) -> bool {
    at.m.def(at.id(index))
        .is_some_and(|def| def.op().is_variable() && classes.contains(&StorageClass(def.arg(0))))
}

/// The bit of `ForceOpacityMicromap2StateKHR` among ray flags.
const FORCE_OPACITY_MICROMAP_2_STATE: u64 = 0x400;

fn check_flags(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let flags = at.m.default_u64(at.id(index)).unwrap_or(0);
    if flags & FORCE_OPACITY_MICROMAP_2_STATE == 0
        || at.m.has(Capability::RayTracingOpacityMicromapKHR)
    {
        return Ok(());
    }
    let message = format!(
        "the flags of {} include `ForceOpacityMicromap2StateKHR`, which needs the capability \
         `RayTracingOpacityMicromapKHR`",
        at.inst.op()
    );
    Err(at.finding(&ray::OPACITY_MICROMAP_FLAG, message).about(
        at.m,
        at.id(index),
        "the flags are defined here",
    ))
}

/// Checks that the instruction is reached from these execution models only.
pub(super) fn check_models(at: &InstCtx<'_, '_>, allowed: Models) -> CheckResult {
    at.expect_models(&ray::EXECUTION_MODEL, allowed)
}

pub(super) const RAY_GENERATION: Models = Models::of(&[ExecutionModel::RayGenerationKHR]);
/// Stages that trace rays.
pub(super) const TRACING: Models = Models::of(&[
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
]);
const CALLING: Models = TRACING.or(Models::of(&[ExecutionModel::CallableKHR]));
const INTERSECTION: Models = Models::of(&[ExecutionModel::IntersectionKHR]);
const ANY_HIT: Models = Models::of(&[ExecutionModel::AnyHitKHR]);

/// From the acceleration structure to the farthest distance.
const TRACE: [Kind; 10] = [
    Kind::Structure,
    Kind::Flags,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::F32Vec3,
    Kind::F32,
    Kind::F32Vec3,
    Kind::F32,
];
const MICRO_TRIANGLE: [Kind; 5] = [
    Kind::Structure,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::F32Vec2,
];

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::TraceRayKHR => all([
            check_operands(at, 0, &TRACE),
            check_operand(at, 10, Kind::Payload),
            check_models(at, TRACING),
        ]),
        Op::TraceRayMotionNV => all([
            check_operands(at, 0, &TRACE),
            check_operand(at, 10, Kind::F32),
            check_operand(at, 11, Kind::Payload),
            check_models(at, TRACING),
        ]),
        Op::TraceNV => all([check_operands(at, 0, &TRACE), check_models(at, TRACING)]),
        Op::TraceMotionNV => all([
            check_operands(at, 0, &TRACE),
            check_operand(at, 10, Kind::F32),
            check_models(at, TRACING),
        ]),
        Op::ExecuteCallableKHR => all([
            check_operand(at, 0, Kind::U32),
            check_operand(at, 1, Kind::CallableData),
            check_models(at, CALLING),
        ]),
        Op::ExecuteCallableNV => all([check_operand(at, 0, Kind::I32), check_models(at, CALLING)]),
        Op::ReportIntersectionKHR => all([
            check_result(at, Made::Bool),
            check_operands(at, 0, &[Kind::F32, Kind::U32]),
            check_models(at, INTERSECTION),
        ]),
        Op::FetchMicroTriangleVertexPositionNV => all([
            check_result(at, Made::F32Vec3),
            check_operands(at, 0, &MICRO_TRIANGLE),
        ]),
        Op::FetchMicroTriangleVertexBarycentricNV => all([
            check_result(at, Made::F32Vec2),
            check_operands(at, 0, &MICRO_TRIANGLE),
        ]),
        // Leaving an any hit shader, by way of a terminator or not.
        _ => check_models(at, ANY_HIT),
    }
}

/// The storage classes of which an entry point has one variable.
const INCOMING: [(StorageClass, &str); 3] = [
    (
        StorageClass::IncomingRayPayloadKHR,
        "VUID-StandaloneSpirv-IncomingRayPayloadKHR-04700",
    ),
    (
        StorageClass::HitAttributeKHR,
        "VUID-StandaloneSpirv-HitAttributeKHR-04702",
    ),
    (
        StorageClass::IncomingCallableDataKHR,
        "VUID-StandaloneSpirv-IncomingCallableDataKHR-04706",
    ),
];

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.env.is_vulkan() || !m.has(Capability::RayTracingKHR) && !m.has(Capability::RayTracingNV) {
        return;
    }
    for entry in &m.entry_points {
        let mut first = [None; INCOMING.len()];
        for &variable in entry.interface {
            let Some(def) = m.def(Id(variable)).filter(|def| def.op() == Op::Variable) else {
                continue;
            };
            let class = StorageClass(def.arg(0));
            let kind = INCOMING.iter().zip(&mut first);
            let Some((&(_, vuid), first)) = kind.into_iter().find(|(kind, _)| kind.0 == class)
            else {
                continue;
            };
            match *first {
                Some(known) if known != variable => {
                    let message = format!(
                        "{} and {} are both in `{class}`, but an entry point can have only one such variable",
                        m.name(Id(known)),
                        m.name(Id(variable))
                    );
                    reporter.add(
                        Finding::new(&ray::ONE_INCOMING, entry.inst.offset(), message).vuid(vuid),
                    );
                    break;
                }
                _ => *first = Some(variable),
            }
        }
    }
}
