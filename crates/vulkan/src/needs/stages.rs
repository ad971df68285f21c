//! Stages in which group operations are available.

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::{ExecutionMode as Mode, ExecutionModel as Model, Op};

use super::{CallTrees, Need, Wanted, property, property_of};

/// Models with graphics or without, and what masks of stages call them.
const STAGES: &[(Model, &[&str])] = &[
    (Model::Vertex, &["VK_SHADER_STAGE_VERTEX_BIT", GRAPHICS]),
    (
        Model::TessellationControl,
        &["VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT", GRAPHICS],
    ),
    (
        Model::TessellationEvaluation,
        &["VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT", GRAPHICS],
    ),
    (Model::Geometry, &["VK_SHADER_STAGE_GEOMETRY_BIT", GRAPHICS]),
    (Model::Fragment, &["VK_SHADER_STAGE_FRAGMENT_BIT", GRAPHICS]),
    (Model::GLCompute, &["VK_SHADER_STAGE_COMPUTE_BIT"]),
    (
        Model::RayGenerationKHR,
        &[
            "VK_SHADER_STAGE_RAYGEN_BIT_KHR",
            "VK_SHADER_STAGE_RAYGEN_BIT_NV",
        ],
    ),
    (
        Model::AnyHitKHR,
        &[
            "VK_SHADER_STAGE_ANY_HIT_BIT_KHR",
            "VK_SHADER_STAGE_ANY_HIT_BIT_NV",
        ],
    ),
    (
        Model::ClosestHitKHR,
        &[
            "VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR",
            "VK_SHADER_STAGE_CLOSEST_HIT_BIT_NV",
        ],
    ),
    (
        Model::MissKHR,
        &[
            "VK_SHADER_STAGE_MISS_BIT_KHR",
            "VK_SHADER_STAGE_MISS_BIT_NV",
        ],
    ),
    (
        Model::IntersectionKHR,
        &[
            "VK_SHADER_STAGE_INTERSECTION_BIT_KHR",
            "VK_SHADER_STAGE_INTERSECTION_BIT_NV",
        ],
    ),
    (
        Model::CallableKHR,
        &[
            "VK_SHADER_STAGE_CALLABLE_BIT_KHR",
            "VK_SHADER_STAGE_CALLABLE_BIT_NV",
        ],
    ),
    (
        Model::TaskEXT,
        &[
            "VK_SHADER_STAGE_TASK_BIT_EXT",
            "VK_SHADER_STAGE_TASK_BIT_NV",
        ],
    ),
    (
        Model::MeshEXT,
        &[
            "VK_SHADER_STAGE_MESH_BIT_EXT",
            "VK_SHADER_STAGE_MESH_BIT_NV",
        ],
    ),
];

const GRAPHICS: &str = "VK_SHADER_STAGE_ALL_GRAPHICS";

/// The first instructions of a function that matter here.
#[derive(Clone, Copy, Default)]
struct First {
    group: Option<u32>,
    quad: Option<u32>,
    /// One that may repack invocations.
    repacks: Option<u32>,
}

pub(super) fn add(m: &ModuleIndex<'_>, trees: &mut CallTrees<'_>, all: &mut Vec<Need>) {
    let ranges = m.functions.iter().map(|it| it.range.clone());
    let firsts: Vec<First> = ranges.map(|range| first(m, range)).collect();
    let has_groups = firsts.iter().any(|it| it.group.is_some());
    let is_uniform = Mode::SubgroupUniformControlFlowKHR;
    for entry in &m.entry_points {
        let is_uniform = m.has_execution_mode(entry.function, is_uniform);
        if !has_groups && !is_uniform {
            continue;
        }
        let Some(reached) = trees.of(entry.function) else {
            continue;
        };
        let find = |pick: fn(&First) -> Option<u32>| {
            let mut found = reached.iter().map(|&index| &firsts[index as usize]);
            found.find_map(pick)
        };
        let mut add = |offset, vuid, what, wanted| {
            all.push(Need {
                offset,
                vuid,
                what,
                wanted,
            });
        };
        let stage = STAGES.iter().find(|it| it.0 == entry.model);
        let supported = stage.map(|(_, names)| property_of("subgroupSupportedStages", names));
        if let (Some(offset), Some(wanted)) = (find(|it| it.group), supported.clone()) {
            let what = format!("a group operation in the stage `{}`", entry.model);
            add(offset, "VUID-RuntimeSpirv-None-06343", what, wanted);
        }
        let is_exempt = matches!(entry.model, Model::Fragment | Model::GLCompute);
        if let (Some(offset), false) = (find(|it| it.quad), is_exempt) {
            let what = format!("a quad operation in the stage `{}`", entry.model);
            let wanted = property("subgroupQuadOperationsInAllStages");
            add(offset, "VUID-RuntimeSpirv-None-06342", what, wanted);
        }
        if !is_uniform {
            continue;
        }
        let vuid = "VUID-RuntimeSpirv-SubgroupUniformControlFlowKHR-06379";
        if let Some(wanted) = supported {
            let what = format!(
                "uniform control flow in subgroups of the stage `{}`",
                entry.model
            );
            add(entry.inst.offset(), vuid, what, wanted);
        }
        if let Some(offset) = find(|it| it.repacks) {
            let what = "repacking invocations where control flow is uniform in subgroups".into();
            add(offset, vuid, what, Wanted::OneOf(Vec::new()));
        }
    }
}

fn first(m: &ModuleIndex<'_>, range: std::ops::Range<u32>) -> First {
    let mut found = First::default();
    for inst in m.instructions(range) {
        let offset = inst.offset();
        match inst.op() {
            op if op.is_non_uniform() => {
                found.group.get_or_insert(offset);
                if is_quad(op) {
                    found.quad.get_or_insert(offset);
                }
            }
            op if op.is_invocation_repack() => {
                found.repacks.get_or_insert(offset);
            }
            _ => {}
        }
    }
    found
}

fn is_quad(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::GroupNonUniformQuadBroadcast
            | O::GroupNonUniformQuadSwap
            | O::GroupNonUniformQuadAllKHR
            | O::GroupNonUniformQuadAnyKHR
    )
}
