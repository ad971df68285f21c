//! Ray queries (SPV_KHR_ray_query, SPV_KHR_ray_tracing_position_fetch,
//! SPV_NV_cluster_acceleration_structure, SPV_NV_linear_swept_spheres).

use spirvkit_grammar::{Capability, ExecutionMode, Op};

use super::Family;
use super::ray_tracing::{Kind, Made, check_operands, check_result};
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module, Type};
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
    Kind::F32Vec3,
    Kind::F32,
    Kind::F32Vec3,
    Kind::F32,
]);
const HIT: Rest = Rest::Operands(&[Kind::F32]);

/// The instructions: what they make of what.
const ROWS: &[(Op, Made, Rest)] = &[
    (Op::RayQueryInitializeKHR, Made::Nothing, INITIALIZE),
    (Op::RayQueryTerminateKHR, Made::Nothing, NOTHING),
    (Op::RayQueryGenerateIntersectionKHR, Made::Nothing, HIT),
    (Op::RayQueryConfirmIntersectionKHR, Made::Nothing, NOTHING),
    (Op::RayQueryProceedKHR, Made::Bool, NOTHING),
    (
        Op::RayQueryGetIntersectionTypeKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (Op::RayQueryGetRayTMinKHR, Made::F32, NOTHING),
    (Op::RayQueryGetRayFlagsKHR, Made::I32, NOTHING),
    (
        Op::RayQueryGetIntersectionTKHR,
        Made::F32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceCustomIndexKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceIdKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionGeometryIndexKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionPrimitiveIndexKHR,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionBarycentricsKHR,
        Made::F32Vec2,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionFrontFaceKHR,
        Made::Bool,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR,
        Made::Bool,
        NOTHING,
    ),
    (
        Op::RayQueryGetIntersectionObjectRayDirectionKHR,
        Made::F32Vec3,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionObjectRayOriginKHR,
        Made::F32Vec3,
        Rest::Intersection,
    ),
    (Op::RayQueryGetWorldRayDirectionKHR, Made::F32Vec3, NOTHING),
    (Op::RayQueryGetWorldRayOriginKHR, Made::F32Vec3, NOTHING),
    (
        Op::RayQueryGetIntersectionObjectToWorldKHR,
        Made::F32Mat4x3,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionWorldToObjectKHR,
        Made::F32Mat4x3,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionTriangleVertexPositionsKHR,
        Made::F32Vec3Array(3),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionClusterIdNV,
        Made::I32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionSpherePositionNV,
        Made::F32Vec3,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionSphereRadiusNV,
        Made::F32,
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSPositionsNV,
        Made::F32Vec3Array(2),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSRadiiNV,
        Made::F32Array(2),
        Rest::Intersection,
    ),
    (
        Op::RayQueryGetIntersectionLSSHitValueNV,
        Made::F32,
        Rest::Intersection,
    ),
    (Op::RayQueryIsSphereHitNV, Made::Bool, Rest::Intersection),
    (Op::RayQueryIsLSSHitNV, Made::Bool, Rest::Intersection),
];

const OPS: [Op; ROWS.len()] = {
    let mut ops = [Op::Nop; ROWS.len()];
    let mut index = 0;
    while index < ROWS.len() {
        ops[index] = ROWS[index].0;
        index += 1;
    }
    ops
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(&(_, made, rest)) = ROWS.iter().find(|row| row.0 == at.inst.op()) else {
        return Ok(());
    };
    let operands = match rest {
        Rest::Operands(kinds) => check_operands(at, 1, kinds),
        Rest::Intersection => check_intersection(at),
    };
    all([check_object(at, 0), operands, check_result(at, made)])
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
    let message = format!(
        "operand {} of {} must be a pointer to a ray query, but is {}",
        index + 1,
        at.inst.op(),
        at.m.show_value(at.id(index))
    );
    Err(at.finding(&ray_query::OBJECT, message).about(
        at.m,
        at.id(index),
        "the operand is defined here",
    ))
}

fn check_intersection(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if m.is_int_scalar_of(at.type_of_arg(1), 32) && m.is_constant(at.id(1)) {
        return Ok(());
    }
    let message = format!(
        "the intersection of {} must be a 32-bit integer constant, but {} is not",
        at.inst.op(),
        m.show_value(at.id(1))
    );
    Err(at.finding(&ray_query::INTERSECTION, message).about(
        m,
        at.id(1),
        "the operand is defined here",
    ))
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
        let is_bool = m.type_of(id).is_some_and(|ty| m.is_bool_scalar(ty));
        if !is_bool || !m.is_constant(id) {
            let message = format!(
                "`OpacityMicromapIdKHR` needs a boolean constant, but {} is not",
                m.show_value(id)
            );
            let finding = Finding::new(&ray_query::OPACITY_MICROMAP_MODE, mode.offset(), message);
            reporter.add(finding.about(m, id, "the operand is defined here"));
        }
    }
}
