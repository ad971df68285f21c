//! Hit objects and the reordering of threads (SPV_NV_shader_invocation_reorder,
//! SPV_EXT_shader_invocation_reorder, SPV_NV_cluster_acceleration_structure,
//! SPV_NV_linear_swept_spheres).

use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use super::ray_query;
use super::ray_tracing::{
    F32, F32_VEC3, I32, Kind, Made, RAY_GENERATION, TRACING, check_models, check_operands,
    check_result, expect_variable_in,
};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::{BOOL, INT};
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
    made: Made,
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
    STRUCTURE, FLAGS, UINT32, UINT32, UINT32, UINT32, VEC3, FLOAT32, VEC3, FLOAT32, PAYLOAD,
];
const TRACE_MOTION: &[Arg] = &[
    STRUCTURE, FLAGS, UINT32, UINT32, UINT32, UINT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32,
    PAYLOAD,
];
const TRACE_REORDER: &[Arg] = &[
    STRUCTURE,
    FLAGS,
    UINT32,
    UINT32,
    UINT32,
    UINT32,
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
    UINT32,
    UINT32,
    UINT32,
    UINT32,
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
    UINT32,
    UINT32,
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
    HitObjectTraceRayNV: Nv, Made::Nothing, TRACE, TRACING;
    HitObjectTraceRayEXT: Ext, Made::Nothing, TRACE, TRACING;
    HitObjectTraceRayMotionNV: Nv, Made::Nothing, TRACE_MOTION, TRACING;
    HitObjectTraceRayMotionEXT: Ext, Made::Nothing, TRACE_MOTION, TRACING;
    HitObjectTraceReorderExecuteEXT: Ext, Made::Nothing, TRACE_REORDER, RAY_GENERATION;
    HitObjectTraceMotionReorderExecuteEXT: Ext, Made::Nothing, TRACE_MOTION_REORDER, RAY_GENERATION;
    HitObjectRecordHitNV: Nv, Made::Nothing, HIT, TRACING;
    HitObjectRecordHitMotionNV: Nv, Made::Nothing, HIT_MOTION, TRACING;
    HitObjectRecordHitWithIndexNV: Nv, Made::Nothing, HIT_INDEX, TRACING;
    HitObjectRecordHitWithIndexMotionNV: Nv, Made::Nothing, HIT_INDEX_MOTION, TRACING;
    HitObjectRecordMissNV: Nv, Made::Nothing, &[UINT32, VEC3, FLOAT32, VEC3, FLOAT32], TRACING;
    HitObjectRecordMissMotionNV: Nv, Made::Nothing, &[INT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32], TRACING;
    HitObjectRecordMissEXT: Ext, Made::Nothing, &[FLAGS, UINT32, VEC3, FLOAT32, VEC3, FLOAT32], TRACING;
    HitObjectRecordMissMotionEXT: Ext, Made::Nothing, &[FLAGS, UINT32, VEC3, FLOAT32, VEC3, FLOAT32, FLOAT32], TRACING;
    HitObjectRecordEmptyNV: Nv, Made::Nothing, NOTHING, TRACING;
    HitObjectRecordEmptyEXT: Ext, Made::Nothing, NOTHING, TRACING;
    HitObjectRecordFromQueryEXT: Ext, Made::Nothing, &[Arg::RayQuery, INT32, Arg::Attributes, UINT32], TRACING;
    HitObjectSetShaderBindingTableRecordIndexEXT: Ext, Made::Nothing, &[INT32], TRACING;
    HitObjectExecuteShaderNV: Nv, Made::Nothing, &[PAYLOAD], TRACING;
    HitObjectExecuteShaderEXT: Ext, Made::Nothing, &[PAYLOAD], TRACING;
    HitObjectReorderExecuteShaderEXT: Ext, Made::Nothing, &[PAYLOAD, Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHitObjectNV: Nv, Made::Nothing, &[Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHitObjectEXT: Ext, Made::Nothing, &[Arg::Hint], RAY_GENERATION;
    ReorderThreadWithHintNV: None, Made::Nothing, &[INT32, INT32], RAY_GENERATION;
    ReorderThreadWithHintEXT: None, Made::Nothing, &[INT32, INT32], RAY_GENERATION;
    HitObjectGetAttributesNV: Nv, Made::Nothing, &[Arg::Attributes], TRACING;
    HitObjectGetAttributesEXT: Ext, Made::Nothing, &[Arg::Attributes], TRACING;
    HitObjectGetWorldToObjectNV: Nv, Made::F32Mat4x3, NOTHING, TRACING;
    HitObjectGetWorldToObjectEXT: Ext, Made::F32Mat4x3, NOTHING, TRACING;
    HitObjectGetObjectToWorldNV: Nv, Made::F32Mat4x3, NOTHING, TRACING;
    HitObjectGetObjectToWorldEXT: Ext, Made::F32Mat4x3, NOTHING, TRACING;
    HitObjectGetObjectRayDirectionNV: Nv, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayDirectionEXT: Ext, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayOriginNV: Nv, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetObjectRayOriginEXT: Ext, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayDirectionNV: Nv, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayDirectionEXT: Ext, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayOriginNV: Nv, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetWorldRayOriginEXT: Ext, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetShaderRecordBufferHandleNV: Nv, Made::Is(I32.vector_of(&[2])), NOTHING, TRACING;
    HitObjectGetShaderRecordBufferHandleEXT: Ext, Made::Is(I32.vector_of(&[2])), NOTHING, TRACING;
    HitObjectGetShaderBindingTableRecordIndexNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetShaderBindingTableRecordIndexEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetHitKindNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetHitKindEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetPrimitiveIndexNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetPrimitiveIndexEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetGeometryIndexNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetGeometryIndexEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetInstanceIdNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetInstanceIdEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetInstanceCustomIndexNV: Nv, Made::Is(INT), NOTHING, TRACING;
    HitObjectGetInstanceCustomIndexEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetRayFlagsEXT: Ext, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetCurrentTimeNV: Nv, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetCurrentTimeEXT: Ext, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetRayTMaxNV: Nv, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetRayTMaxEXT: Ext, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetRayTMinNV: Nv, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetRayTMinEXT: Ext, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetIntersectionTriangleVertexPositionsEXT: Ext, Made::Array(3, F32_VEC3), NOTHING, TRACING;
    HitObjectIsEmptyNV: Nv, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsEmptyEXT: Ext, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsHitNV: Nv, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsHitEXT: Ext, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsMissNV: Nv, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsMissEXT: Ext, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectGetClusterIdNV: Both, Made::Is(I32), NOTHING, TRACING;
    HitObjectGetSpherePositionNV: Both, Made::Is(F32_VEC3), NOTHING, TRACING;
    HitObjectGetSphereRadiusNV: Both, Made::Is(F32), NOTHING, TRACING;
    HitObjectGetLSSPositionsNV: Both, Made::Array(2, F32_VEC3), NOTHING, TRACING;
    HitObjectGetLSSRadiiNV: Both, Made::Array(2, F32), NOTHING, TRACING;
    HitObjectIsSphereHitNV: Both, Made::Is(BOOL), NOTHING, TRACING;
    HitObjectIsLSSHitNV: Both, Made::Is(BOOL), NOTHING, TRACING;
};

const OPS: [Op; ROWS.len()] = {
    let mut ops = [Op::Nop; ROWS.len()];
    let mut index = 0;
    while index < ROWS.len() {
        ops[index] = ROWS[index].op;
        index += 1;
    }
    ops
};

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
    expect_variable_in(at, &hit_object::ATTRIBUTES, index, &[class])
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
