//! Stages in which group operations are available.

use spirvkit_analysis::ModuleIndex;
use spirvkit_grammar::{Class, ExecutionModel as Model, Op};

use super::{CallTrees, Need, property, property_of};

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

/// The first group operation, and the first on quads, of each function.
type First = (Option<u32>, Option<u32>);

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    let operations: Vec<First> = m
        .functions
        .iter()
        .map(|it| first(m, it.range.clone()))
        .collect();
    if operations.iter().all(|it| it.0.is_none()) {
        return;
    }
    let mut trees = CallTrees::new(m);
    for entry in &m.entry_points {
        let Some(reached) = trees.of(entry.function) else {
            return;
        };
        let find = |pick: fn(&First) -> Option<u32>| {
            let mut found = reached
                .iter()
                .filter_map(|&function| pick(&operations[function as usize]));
            found.next()
        };
        let stage = STAGES.iter().find(|it| it.0 == entry.model);
        if let (Some(offset), Some((model, names))) = (find(|it| it.0), stage) {
            all.push(Need {
                offset,
                vuid: "VUID-RuntimeSpirv-None-06343",
                what: format!("a group operation in the stage `{model}`"),
                wanted: property_of("subgroupSupportedStages", names),
            });
        }
        let is_exempt = matches!(entry.model, Model::Fragment | Model::GLCompute);
        if let (Some(offset), false) = (find(|it| it.1), is_exempt) {
            all.push(Need {
                offset,
                vuid: "VUID-RuntimeSpirv-None-06342",
                what: format!("a quad operation in the stage `{}`", entry.model),
                wanted: property("subgroupQuadOperationsInAllStages"),
            });
        }
    }
}

fn first(m: &ModuleIndex<'_>, range: std::ops::Range<u32>) -> First {
    let mut found = (None, None);
    for inst in m.instructions(range) {
        if inst.info().is_none_or(|it| it.class() != Class::NonUniform) {
            continue;
        }
        found.0.get_or_insert(inst.offset());
        let is_quad = matches!(
            inst.op(),
            Op::GroupNonUniformQuadBroadcast
                | Op::GroupNonUniformQuadSwap
                | Op::GroupNonUniformQuadAllKHR
                | Op::GroupNonUniformQuadAnyKHR
        );
        if is_quad {
            found.1.get_or_insert(inst.offset());
        }
    }
    found
}
