//! Ray tracing instructions (SPV_KHR_ray_tracing, SPV_NV_ray_tracing,
//! SPV_NV_ray_tracing_motion_blur, SPV_NV_displacement_micromap), and what the
//! operands of rays are in these, in ray queries and in hit objects.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, Op, StorageClass};

use super::Family;
use super::ray_values;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Module};
use crate::pattern::{
    ACCELERATION_STRUCTURE, BOOL, F32, F32_VEC2, F32_VEC3, I32, INT_VEC2, Pattern, U32,
};
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
    /// A value that is so.
    Is(Pattern),
    /// An acceleration structure.
    Structure,
    /// Ray flags: a 32-bit integer.
    Flags,
    Payload,
    CallableData,
}

impl Kind {
    pub(super) const I32: Self = Self::Is(I32);
    pub(super) const U32: Self = Self::Is(U32);
    pub(super) const F32: Self = Self::Is(F32);
    pub(super) const INT_VEC2: Self = Self::Is(INT_VEC2);
    pub(super) const F32_VEC3: Self = Self::Is(F32_VEC3);
}

/// Checks the type of the result, if there is one.
pub(super) fn check_result(at: &InstCtx<'_, '_>, made: Option<Pattern>) -> CheckResult {
    match made {
        Some(wanted) => at.expect_result(&ray::RESULT, wanted),
        None => Ok(()),
    }
}

/// Checks the operands from one on.
pub(super) fn check_operands(at: &InstCtx<'_, '_>, first: usize, kinds: &[Kind]) -> CheckResult {
    let given = at.inst.args().len().saturating_sub(first);
    let kinds = kinds.iter().take(given).enumerate();
    all(kinds.map(|(index, &kind)| check_operand(at, first + index, kind)))
}

fn check_operand(at: &InstCtx<'_, '_>, index: usize, kind: Kind) -> CheckResult {
    match kind {
        Kind::Is(pattern) => at.expect_operand(&ray::OPERAND, index, pattern),
        Kind::Structure => {
            at.expect_operand(&ray::ACCELERATION_STRUCTURE, index, ACCELERATION_STRUCTURE)
        }
        Kind::Flags => {
            check_flags(at, index)?;
            at.expect_operand(&ray::OPERAND, index, I32)
        }
        Kind::Payload => {
            let classes = &[
                StorageClass::RayPayloadKHR,
                StorageClass::IncomingRayPayloadKHR,
            ];
            at.expect_variable_in(&ray::PAYLOAD, index, classes)
        }
        Kind::CallableData => {
            let classes = &[
                StorageClass::CallableDataKHR,
                StorageClass::IncomingCallableDataKHR,
            ];
            at.expect_variable_in(&ray::CALLABLE_DATA, index, classes)
        }
    }
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
/// Stages that fetch vertices of microtriangles. The document names the first kind of mesh shaders
/// only, but says that it goes with the second, too.
const FETCHING: Models = Models::of(&[
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::MeshNV,
    ExecutionModel::MeshEXT,
    ExecutionModel::GLCompute,
]);

/// From the acceleration structure to the farthest distance.
const TRACE: [Kind; 10] = [
    Kind::Structure,
    Kind::Flags,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::F32_VEC3,
    Kind::F32,
    Kind::F32_VEC3,
    Kind::F32,
];
const MICRO_TRIANGLE: [Kind; 5] = [
    Kind::Structure,
    Kind::I32,
    Kind::I32,
    Kind::I32,
    Kind::INT_VEC2,
];

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::TraceRayKHR => all([
            check_operands(at, 0, &TRACE),
            check_operand(at, 10, Kind::Payload),
            check_models(at, TRACING),
            ray_values::check(at),
        ]),
        Op::TraceRayMotionNV => all([
            check_operands(at, 0, &TRACE),
            check_operand(at, 10, Kind::F32),
            check_operand(at, 11, Kind::Payload),
            check_models(at, TRACING),
            ray_values::check(at),
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
            check_result(at, Some(BOOL)),
            check_operands(at, 0, &[Kind::F32, Kind::U32]),
            check_models(at, INTERSECTION),
            ray_values::check_hit_kind(at),
        ]),
        Op::FetchMicroTriangleVertexPositionNV => all([
            check_result(at, Some(F32_VEC3)),
            check_operands(at, 0, &MICRO_TRIANGLE),
            check_models(at, FETCHING),
        ]),
        Op::FetchMicroTriangleVertexBarycentricNV => all([
            check_result(at, Some(F32_VEC2)),
            check_operands(at, 0, &MICRO_TRIANGLE),
            check_models(at, FETCHING),
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
