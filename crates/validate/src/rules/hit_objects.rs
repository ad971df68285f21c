//! Hit objects and the reordering of threads (SPV_NV_shader_invocation_reorder,
//! SPV_EXT_shader_invocation_reorder, SPV_NV_cluster_acceleration_structure,
//! SPV_NV_linear_swept_spheres).

use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use super::ray_query;
use super::ray_tracing::{
    Kind, RAY_GENERATION, TRACING, check_models, check_operands, check_result,
};
use super::ray_values;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::{BOOL, F32, F32_MAT4X3, F32_VEC3, I32, INT, Pattern};
use crate::rules::generated::hit_object;

pub(crate) const FAMILY: Family = Family {
    ops: &OPS,
    check,
    check_module: None,
};

/// Whose hit objects an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Those of the NV extension.
    Nv,
    /// Those of the EXT extension.
    Ext,
    /// Of either.
    Both,
    /// There is none.
    None,
}

/// An operand.
#[derive(Clone, Copy)]
enum Arg {
    Is(Kind),
    Attributes,
    RayQuery,
    /// An optional hint and its bits.
    Hint,
}

struct Row {
    op: Op,
    of: Of,
    made: Option<Pattern>,
    /// The operands after the hit object.
    args: &'static [Arg],
    models: Models,
}

const STRUCTURE: Arg = Arg::Is(Kind::Structure);
const FLAGS: Arg = Arg::Is(Kind::Flags);
const INT32: Arg = Arg::Is(Kind::I32);
const UINT32: Arg = Arg::Is(Kind::U32);
const FLOAT32: Arg = Arg::Is(Kind::F32);
const VEC3: Arg = Arg::Is(Kind::F32_VEC3);
const PAYLOAD: Arg = Arg::Is(Kind::Payload);

const NOTHING: &[Arg] = &[];
const TRACE: &[Arg] = &[
    STRUCTURE, FLAGS, INT32, INT32, INT32, INT32, VEC3, FLOAT32, VEC3, FLOAT32, PAYLOAD,
];
const TRACE_MOTION: &[Arg] = &[
    STRUCTURE, FLAGS, INT32, INT32, INT32, INT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32, PAYLOAD,
];
const TRACE_REORDER: &[Arg] = &[
    STRUCTURE,
    FLAGS,
    INT32,
    INT32,
    INT32,
    INT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    PAYLOAD,
    Arg::Hint,
];
const TRACE_MOTION_REORDER: &[Arg] = &[
    STRUCTURE,
    FLAGS,
    INT32,
    INT32,
    INT32,
    INT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    FLOAT32,
    PAYLOAD,
    Arg::Hint,
];
const HIT: &[Arg] = &[
    STRUCTURE,
    INT32,
    INT32,
    INT32,
    UINT32,
    INT32,
    INT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    Arg::Attributes,
];
const HIT_MOTION: &[Arg] = &[
    STRUCTURE,
    INT32,
    INT32,
    INT32,
    INT32,
    INT32,
    INT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    FLOAT32,
    Arg::Attributes,
];
const HIT_INDEX: &[Arg] = &[
    STRUCTURE,
    INT32,
    INT32,
    INT32,
    UINT32,
    UINT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    Arg::Attributes,
];
const HIT_INDEX_MOTION: &[Arg] = &[
    STRUCTURE,
    INT32,
    INT32,
    INT32,
    INT32,
    INT32,
    VEC3,
    FLOAT32,
    VEC3,
    FLOAT32,
    FLOAT32,
    Arg::Attributes,
];

macro_rules! rows {
    ($($name:ident: $of:ident, $made:expr, $args:expr, $models:expr;)*) => {
        &[$(Row {
            op: Op::$name,
            of: Of::$of,
            made: $made,
            args: $args,
            models: $models,
        }),*]
    };
}

/// The instructions.
const ROWS: &[Row] = rows! {
    HitObjectTraceRayNV: Nv, None, TRACE, TRACING;
    HitObjectTraceRayEXT: Ext, None, TRACE, TRACING;
    HitObjectTraceRayMotionNV: Nv, None, TRACE_MOTION, TRACING;
    HitObjectTraceRayMotionEXT: Ext, None, TRACE_MOTION, TRACING;
    HitObjectTraceReorderExecuteEXT: Ext, None, TRACE_REORDER, RAY_GENERATION;
    HitObjectTraceMotionReorderExecuteEXT: Ext, None, TRACE_MOTION_REORDER, RAY_GENERATION;
    HitObjectRecordHitNV: Nv, None, HIT, TRACING;
    HitObjectRecordHitMotionNV: Nv, None, HIT_MOTION, TRACING;
    HitObjectRecordHitWithIndexNV: Nv, None, HIT_INDEX, TRACING;
    HitObjectRecordHitWithIndexMotionNV: Nv, None, HIT_INDEX_MOTION, TRACING;
    HitObjectRecordMissNV: Nv, None, &[UINT32, VEC3, FLOAT32, VEC3, FLOAT32], TRACING;
    HitObjectRecordMissMotionNV: Nv, None, &[INT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32], TRACING;
    HitObjectRecordMissEXT: Ext, None, &[FLAGS, UINT32, VEC3, FLOAT32, VEC3, FLOAT32], TRACING;
    HitObjectRecordMissMotionEXT: Ext, None, &[FLAGS, UINT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32], TRACING;
    HitObjectRecordEmptyNV: Nv, None, NOTHING, TRACING;
    HitObjectRecordEmptyEXT: Ext, None, NOTHING, TRACING;
    HitObjectRecordFromQueryEXT: Ext, None, &[Arg::RayQuery, INT32, Arg::Attributes, UINT32], TRACING;
    HitObjectSetShaderBindingTableRecordIndexEXT: Ext, None, &[INT32], TRACING;
    HitObjectExecuteShaderNV: Nv, None, &[PAYLOAD], TRACING;
    HitObjectExecuteShaderEXT: Ext, None, &[PAYLOAD], TRACING;
    HitObjectReorderExecuteShaderEXT: Ext, None, &[PAYLOAD, Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHitObjectNV: Nv, None, &[Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHitObjectEXT: Ext, None, &[Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHintNV: None, None, &[INT32, INT32], RAY_GENERATION;
    ReorderThreadWithHintEXT: None, None, &[INT32, INT32], RAY_GENERATION;
    HitObjectGetAttributesNV: Nv, None, &[Arg::Attributes], TRACING;
    HitObjectGetAttributesEXT: Ext, None, &[Arg::Attributes], TRACING;
    HitObjectGetWorldToObjectNV: Nv, Some(F32_MAT4X3), NOTHING, TRACING;
    HitObjectGetWorldToObjectEXT: Ext, Some(F32_MAT4X3), NOTHING, TRACING;
    HitObjectGetObjectToWorldNV: Nv, Some(F32_MAT4X3), NOTHING, TRACING;
    HitObjectGetObjectToWorldEXT: Ext, Some(F32_MAT4X3), NOTHING, TRACING;
    HitObjectGetObjectRayDirectionNV: Nv, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayDirectionEXT: Ext, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayOriginNV: Nv, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayOriginEXT: Ext, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayDirectionNV: Nv, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayDirectionEXT: Ext, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayOriginNV: Nv, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayOriginEXT: Ext, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetShaderRecordBufferHandleNV: Nv, Some(I32.vector_of(&[2])), NOTHING, TRACING;
    HitObjectGetShaderRecordBufferHandleEXT: Ext, Some(I32.vector_of(&[2])), NOTHING, TRACING;
    HitObjectGetShaderBindingTableRecordIndexNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetShaderBindingTableRecordIndexEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetHitKindNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetHitKindEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetPrimitiveIndexNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetPrimitiveIndexEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetGeometryIndexNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetGeometryIndexEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetInstanceIdNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetInstanceIdEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetInstanceCustomIndexNV: Nv, Some(INT), NOTHING, TRACING;
    HitObjectGetInstanceCustomIndexEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetRayFlagsEXT: Ext, Some(I32), NOTHING, TRACING;
    HitObjectGetCurrentTimeNV: Nv, Some(F32), NOTHING, TRACING;
    HitObjectGetCurrentTimeEXT: Ext, Some(F32), NOTHING, TRACING;
    HitObjectGetRayTMaxNV: Nv, Some(F32), NOTHING, TRACING;
    HitObjectGetRayTMaxEXT: Ext, Some(F32), NOTHING, TRACING;
    HitObjectGetRayTMinNV: Nv, Some(F32), NOTHING, TRACING;
    HitObjectGetRayTMinEXT: Ext, Some(F32), NOTHING, TRACING;
    HitObjectGetIntersectionTriangleVertexPositionsEXT: Ext, Some(Pattern::array_of_length(3, &F32_VEC3)), NOTHING, TRACING;
    HitObjectIsEmptyNV: Nv, Some(BOOL), NOTHING, TRACING;
    HitObjectIsEmptyEXT: Ext, Some(BOOL), NOTHING, TRACING;
    HitObjectIsHitNV: Nv, Some(BOOL), NOTHING, TRACING;
    HitObjectIsHitEXT: Ext, Some(BOOL), NOTHING, TRACING;
    HitObjectIsMissNV: Nv, Some(BOOL), NOTHING, TRACING;
    HitObjectIsMissEXT: Ext, Some(BOOL), NOTHING, TRACING;
    HitObjectGetClusterIdNV: Both, Some(I32), NOTHING, TRACING;
    HitObjectGetSpherePositionNV: Both, Some(F32_VEC3), NOTHING, TRACING;
    HitObjectGetSphereRadiusNV: Both, Some(F32), NOTHING, TRACING;
    HitObjectGetLSSPositionsNV: Both, Some(Pattern::array_of_length(2, &F32_VEC3)), NOTHING, TRACING;
    HitObjectGetLSSRadiiNV: Both, Some(Pattern::array_of_length(2, &F32)), NOTHING, TRACING;
    HitObjectIsSphereHitNV: Both, Some(BOOL), NOTHING, TRACING;
    HitObjectIsLSSHitNV: Both, Some(BOOL), NOTHING, TRACING;
};

const OPS: [Op; ROWS.len()] = ops_of!(ROWS, op);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let Some(row) = ROWS.iter().find(|row| row.op == at.inst.op()) else {
        return Ok(());
    };
    let (object, first) = match row.of {
        Of::None => (Ok(()), 0),
        of => (check_object(at, of), 1),
    };
    let operands = row.args.iter().enumerate().map(|(index, arg)| match arg {
        Arg::Is(kind) => check_operands(at, first + index, &[*kind]),
        Arg::Attributes => check_attributes(at, first + index, row.of),
        Arg::RayQuery => ray_query::check_object(at, first + index),
        Arg::Hint => check_hint(at, first + index),
    });
    all([
        object,
        all(operands),
        check_result(at, row.made),
        ray_values::check(at),
        check_models(at, row.models),
    ])
}

fn check_object(at: &InstCtx<'_, '_>, of: Of) -> CheckResult {
    let types: &[Op] = match of {
        Of::Nv => &[Op::TypeHitObjectNV],
        Of::Ext => &[Op::TypeHitObjectEXT],
        Of::Both | Of::None => &[Op::TypeHitObjectNV, Op::TypeHitObjectEXT],
    };
    if ray_query::names_object(at, 0, types) {
        return Ok(());
    }
    Err(at.operand_finding(&hit_object::OBJECT, 0, "a pointer to a hit object"))
}

fn check_attributes(at: &InstCtx<'_, '_>, index: usize, of: Of) -> CheckResult {
    let class = match of {
        Of::Ext => StorageClass::HitObjectAttributeEXT,
        _ => StorageClass::HitObjectAttributeNV,
    };
    at.expect_variable_in(&hit_object::ATTRIBUTES, index, &[class])
}

fn check_hint(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let given = at.inst.args().len().saturating_sub(index);
    if given == 1 {
        let message = format!(
            "{} has a hint, but not the number of its bits",
            at.inst.op()
        );
        return Err(at.finding(&hit_object::HINT, message));
    }
    check_operands(at, index, &[Kind::I32, Kind::I32])
}
