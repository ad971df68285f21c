//! Ray queries (SPV_KHR_ray_query, SPV_KHR_ray_tracing_position_fetch,
//! SPV_NV_cluster_acceleration_structure, SPV_NV_linear_swept_spheres).

use spirvkit_grammar::{Capability, ExecutionMode, Op};

use super::Family;
use super::ray_tracing::{Kind, check_operands, check_result};
use super::ray_values;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
use crate::pattern::{BOOL, F32, F32_MAT4X3, F32_VEC2, F32_VEC3, I32, Pattern};
use crate::rules::generated::ray_query;

pub(crate) const FAMILY: Family = Family {
    ops: &OPS,
    check,
    check_module: Some(check_module),
};

/// What follows the ray query.
#[derive(Clone, Copy)]
enum Rest {
    Operands(&'static [Kind]),
    /// Which intersection.
    Intersection,
}

const NOTHING: Rest = Rest::Operands(&[]);
const INITIALIZE: Rest = Rest::Operands(&[
    Kind::Structure,
    Kind::Flags,
    Kind::I32,
    Kind::F32_VEC3,
    Kind::F32,
    Kind::F32_VEC3,
    Kind::F32,
]);
const HIT: Rest = Rest::Operands(&[Kind::F32]);

/// The instructions: what they make of what.
const ROWS: &[(Op, Option<Pattern>, Rest)] = &[
    (Op::RayQueryInitializeKHR, None, INITIALIZE),
    (Op::RayQueryTerminateKHR, None, NOTHING),
    (Op::RayQueryGenerateIntersectionKHR, None, HIT),
    (Op::RayQueryConfirmIntersectionKHR, None, NOTHING),
    (Op::RayQueryProceedKHR, Some(BOOL), NOTHING),
    (
        Op::RayQueryGetIntersectionTypeKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (Op::RayQueryGetRayTMinKHR, Some(F32), NOTHING),
    (Op::RayQueryGetRayFlagsKHR, Some(I32), NOTHING),
    (
        Op::RayQueryGetIntersectionTKHR,
        Some(F32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceCustomIndexKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceIdKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionGeometryIndexKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionPrimitiveIndexKHR,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionBarycentricsKHR,
        Some(F32_VEC2),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionFrontFaceKHR,
        Some(BOOL),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR,
        Some(BOOL),
        NOTHING,
    ),
    (
        Op::RayQueryGetIntersectionObjectRayDirectionKHR,
        Some(F32_VEC3),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionObjectRayOriginKHR,
        Some(F32_VEC3),
        Rest::Intersection,
    ),
    (Op::RayQueryGetWorldRayDirectionKHR, Some(F32_VEC3), NOTHING),
    (Op::RayQueryGetWorldRayOriginKHR, Some(F32_VEC3), NOTHING),
    (
        Op::RayQueryGetIntersectionObjectToWorldKHR,
        Some(F32_MAT4X3),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionWorldToObjectKHR,
        Some(F32_MAT4X3),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionTriangleVertexPositionsKHR,
        Some(Pattern::array_of_length(3, &F32_VEC3)),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionClusterIdNV,
        Some(I32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionSpherePositionNV,
        Some(F32_VEC3),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionSphereRadiusNV,
        Some(F32),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSPositionsNV,
        Some(Pattern::array_of_length(2, &F32_VEC3)),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSRadiiNV,
        Some(Pattern::array_of_length(2, &F32)),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSHitValueNV,
        Some(F32),
        Rest::Intersection,
    ),
    (Op::RayQueryIsSphereHitNV, Some(BOOL), Rest::Intersection),
    (Op::RayQueryIsLSSHitNV, Some(BOOL), Rest::Intersection),
];

const OPS: [Op; ROWS.len()] = ops_of!(ROWS, 0);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(&(_, made, rest)) = ROWS.iter().find(|row| row.0 == at.inst.op()) else {
        return Ok(());
    };
    let operands = match rest {
        Rest::Operands(kinds) => check_operands(at, 1, kinds),
        Rest::Intersection => at.expect_operand(&ray_query::INTERSECTION, 1, I32.constant()),
    };
    all([
        check_object(at, 0),
        operands,
        check_result(at, made),
        ray_values::check(at),
    ])
}

/// Whether an operand names an object by a pointer to its type.
pub(super) fn names_object(at: &InstCtx<'_, '_>, index: usize, types: &[Op]) -> bool {
    let m = at.m;
    let is_declaration = matches!(
        m.op_of(at.id(index)),
        Op::Variable | Op::FunctionParameter | Op::AccessChain | Op::InBoundsAccessChain
    );
    let pointee = m.pointee(at.type_of_arg(index));
    is_declaration
        && pointee
            .is_some_and(|pointee| matches!(m.ty(pointee), Type::Other(op) if types.contains(&op)))
}

/// Checks the pointer to the ray query.
pub(super) fn check_object(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    if names_object(at, index, &[Op::TypeRayQueryKHR]) {
        return Ok(());
    }
    Err(at.operand_finding(&ray_query::OBJECT, index, "a pointer to a ray query"))
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.has(Capability::RayTracingOpacityMicromapExecutionModeKHR) {
        return;
    }
    for (function, mode) in m.all_execution_modes() {
        if ExecutionMode(mode.arg(1)) != ExecutionMode::OpacityMicromapIdKHR
            || m.entry_models(function).is_none()
        {
            continue;
        }
        let id = mode.id(2);
        if !BOOL.constant().matches_value(m, id) {
            let message = format!(
                "`OpacityMicromapIdKHR` needs a boolean constant, but {} is not",
                m.show_value(id)
            );
            let finding = Finding::new(&ray_query::OPACITY_MICROMAP_MODE, mode.offset(), message);
            reporter.add(finding.about(m, id, "the operand is defined here"));
        }
    }
}
