//! What Vulkan asks of the values of a ray's operands, as far as they are constants.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module};
use crate::rules::generated::ray;

/// Where the operands of a ray are, and Vulkan's rules about them.
struct Ray {
    ops: &'static [Op],
    /// The operand with the flags; the origin, the minimum, the direction and the maximum follow
    /// at these distances behind it.
    flags: usize,
    behind: usize,
    /// The operand with the time.
    time: Option<usize>,
    /// Of flags: what is skipped, faces, opacity.
    flag_vuids: Option<[&'static str; 3]>,
    /// Of numbers: not negative, in order, time, finite, not NaN.
    number_vuids: [&'static str; 5],
}

static RAYS: &[Ray] = &[
    Ray {
        ops: &[Op::RayQueryInitializeKHR],
        flags: 2,
        behind: 2,
        time: None,
        flag_vuids: Some([
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06889",
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06890",
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06891",
        ]),
        number_vuids: [
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06349",
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06350",
            "",
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06348",
            "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06351",
        ],
    },
    Ray {
        ops: &[Op::TraceRayKHR],
        flags: 1,
        behind: 5,
        time: None,
        flag_vuids: Some([
            "VUID-RuntimeSpirv-OpTraceRayKHR-06552",
            "VUID-RuntimeSpirv-OpTraceRayKHR-06892",
            "VUID-RuntimeSpirv-OpTraceRayKHR-06893",
        ]),
        number_vuids: [
            "VUID-RuntimeSpirv-OpTraceRayKHR-06356",
            "VUID-RuntimeSpirv-OpTraceRayKHR-06357",
            "",
            "VUID-RuntimeSpirv-OpTraceRayKHR-06355",
            "VUID-RuntimeSpirv-OpTraceRayKHR-06358",
        ],
    },
    Ray {
        ops: &[Op::TraceRayMotionNV],
        flags: 1,
        behind: 5,
        time: Some(10),
        flag_vuids: None,
        number_vuids: [
            "VUID-RuntimeSpirv-OpTraceRayMotionNV-06362",
            "VUID-RuntimeSpirv-OpTraceRayMotionNV-06363",
            "VUID-RuntimeSpirv-OpTraceRayMotionNV-06366",
            "VUID-RuntimeSpirv-OpTraceRayMotionNV-06361",
            "VUID-RuntimeSpirv-OpTraceRayMotionNV-06364",
        ],
    },
    Ray {
        ops: &[Op::HitObjectTraceRayNV, Op::HitObjectTraceRayMotionNV],
        flags: 2,
        behind: 5,
        time: Some(11),
        flag_vuids: Some([
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07712",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07713",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07714",
        ]),
        number_vuids: [
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07706",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07707",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07710",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07705",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07708",
        ],
    },
    Ray {
        ops: &[
            Op::HitObjectTraceRayEXT,
            Op::HitObjectTraceRayMotionEXT,
            Op::HitObjectTraceReorderExecuteEXT,
            Op::HitObjectTraceMotionReorderExecuteEXT,
        ],
        flags: 2,
        behind: 5,
        time: Some(11),
        flag_vuids: Some([
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11883",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11884",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11885",
        ]),
        number_vuids: [
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11879",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11880",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11882",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11878",
            "VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11881",
        ],
    },
];

/// Flags of which a ray has at most one, in the order of the VUIDs.
const EXCLUSIVE: [&[(u64, &str)]; 3] = [
    &[(0x100, "SkipTrianglesKHR"), (0x200, "SkipAABBsKHR")],
    &[
        (0x100, "SkipTrianglesKHR"),
        (0x10, "CullBackFacingTrianglesKHR"),
        (0x20, "CullFrontFacingTrianglesKHR"),
    ],
    &[
        (0x1, "OpaqueKHR"),
        (0x2, "NoOpaqueKHR"),
        (0x40, "CullOpaqueKHR"),
        (0x80, "CullNoOpaqueKHR"),
    ],
];

/// Checks the operands of an instruction that traces a ray or begins to.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let ray = RAYS.iter().find(|ray| ray.ops.contains(&at.inst.op()));
    match ray.filter(|_| at.m.env.is_vulkan()) {
        Some(ray) => all([check_flags(at, ray), check_numbers(at, ray)]),
        None => Ok(()),
    }
}

fn check_flags(at: &InstCtx<'_, '_>, ray: &Ray) -> CheckResult {
    let (Some(flags), Some(vuids)) = (at.m.constant_u64(at.id(ray.flags)), ray.flag_vuids) else {
        return Ok(());
    };
    all(EXCLUSIVE.iter().zip(vuids).map(|(group, vuid)| {
        let mut set = group.iter().filter(|(bit, _)| flags & bit != 0);
        let (Some((_, one)), Some((_, other))) = (set.next(), set.next()) else {
            return Ok(());
        };
        let message = format!(
            "a ray of {} can't have both the flags `{one}` and `{other}`",
            at.inst.op()
        );
        let finding = at
            .finding(&ray::FLAGS, message)
            .arg(at, ray.flags)
            .vuid(vuid)
            .warning();
        Err(finding.about(at.m, at.id(ray.flags), "the flags are defined here"))
    }))
}

/// The value of a constant that is a 32-bit float.
fn float(m: &Module<'_>, id: Id) -> Option<f32> {
    let is_float = m
        .type_of(id)
        .is_some_and(|ty| m.op_of(ty) == Op::TypeFloat && m.bit_width(ty) == 32);
    match m.op_of(id) {
        Op::Constant if is_float => Some(f32::from_bits(m.def(id)?.arg(0))),
        Op::ConstantNull if is_float => Some(0.0),
        _ => None,
    }
}

fn check_numbers(at: &InstCtx<'_, '_>, ray: &Ray) -> CheckResult {
    let m = at.m;
    let [origin, min, direction, max] = [0, 1, 2, 3].map(|step| ray.flags + ray.behind + step);
    let [positive, ordered, timely, finite, numbers] = ray.number_vuids;
    let [least, most] = [min, max].map(|index| float(m, at.id(index)));
    let range = [(min, least), (max, most)]
        .into_iter()
        .map(|(index, value)| match value {
            Some(value) if value.is_nan() => wrong(at, index, "a number, but is NaN", numbers),
            Some(value) if value < 0.0 => {
                wrong(at, index, &format!("at least 0, but is {value}"), positive)
            }
            _ => Ok(()),
        });
    let order = match (least, most) {
        (Some(least), Some(most)) if least > most => {
            let wanted = format!("at most the maximum, {most}, but is {least}");
            wrong(at, min, &wanted, ordered)
        }
        _ => Ok(()),
    };
    let vectors = [origin, direction].into_iter().map(|index| {
        let parts = match m.def(at.id(index)) {
            Some(def) if def.op() == Op::ConstantComposite => def.args(),
            _ => &[],
        };
        let values = parts.iter().filter_map(|&id| float(m, Id(id)));
        match values.into_iter().find(|value| !value.is_finite()) {
            Some(value) if value.is_nan() => wrong(at, index, "numbers, but holds NaN", numbers),
            Some(_) => wrong(at, index, "finite, but holds an infinity", finite),
            None => Ok(()),
        }
    });
    let time = ray.time.filter(|_| has_time(at.inst.op()));
    let time = time.and_then(|index| Some((index, float(m, at.id(index))?)));
    let time = match time {
        Some((index, value)) if !(0.0..=1.0).contains(&value) => {
            wrong(at, index, &format!("from 0 to 1, but is {value}"), timely)
        }
        _ => Ok(()),
    };
    all([all(range), order, all(vectors), time])
}

/// Whether the instruction traces rays at a time.
fn has_time(op: Op) -> bool {
    matches!(
        op,
        Op::TraceRayMotionNV
            | Op::HitObjectTraceRayMotionNV
            | Op::HitObjectTraceRayMotionEXT
            | Op::HitObjectTraceMotionReorderExecuteEXT
    )
}

fn wrong(at: &InstCtx<'_, '_>, index: usize, wanted: &str, vuid: &'static str) -> CheckResult {
    let message = format!(
        "{} of {} must be {wanted}",
        at.m.operand_name(&at.inst, index),
        at.inst.op()
    );
    let finding: Finding = at
        .finding(&ray::RANGE, message)
        .arg(at, index)
        .vuid(vuid)
        .warning();
    Err(finding.about(at.m, at.id(index), "it is defined here"))
}

/// Checks the kind of a hit that an intersection shader reports.
pub(super) fn check_hit_kind(at: &InstCtx<'_, '_>) -> CheckResult {
    let kind = at.m.constant_u64(at.id(1)).filter(|_| at.m.env.is_vulkan());
    expect(kind.is_none_or(|kind| kind <= 127), || {
        let message = format!(
            "the kind of a hit must be from 0 to 127, but is {}",
            kind.unwrap_or(0)
        );
        let finding = at.finding(&ray::HIT_KIND, message).arg(at, 1).warning();
        finding.about(at.m, at.id(1), "the kind is defined here")
    })
}
