//! Stages in which operations are available.

use std::ops::Range;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_grammar::{Capability, ExecutionMode as Mode, ExecutionModel as Model, Op};

use super::sorted::{Sorted, within};
use super::{CallTrees, Need, Wanted, is_group_operation, limit, property, property_of, reach};

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

/// The names of Vulkan's masks of stages that this one is in, but `VK_SHADER_STAGE_ALL`.
pub fn stage_names(model: Model) -> &'static [&'static str] {
    let found = STAGES.iter().find(|it| it.0 == model);
    found.map_or(&[], |it| it.1)
}

/// Operations that devices have in some stages only.
struct Kind {
    has: fn(Op) -> bool,
    what: &'static str,
    property: &'static str,
    /// Whether all devices must tell something.
    is_told: bool,
    vuid: &'static str,
}

const KINDS: [Kind; 5] = [
    Kind {
        has: is_group_operation,
        what: "a group operation",
        property: "subgroupSupportedStages",
        is_told: true,
        vuid: "VUID-RuntimeSpirv-None-06343",
    },
    Kind {
        has: is_on_matrices,
        what: "an operation on cooperative matrices",
        property: "cooperativeMatrixSupportedStages",
        is_told: false,
        vuid: "VUID-RuntimeSpirv-cooperativeMatrixSupportedStages-08985",
    },
    Kind {
        has: is_on_nv_matrices,
        what: "an operation on cooperative matrices",
        property: "VkPhysicalDeviceCooperativeMatrixPropertiesNV::cooperativeMatrixSupportedStages",
        is_told: false,
        vuid: "VUID-RuntimeSpirv-OpTypeCooperativeMatrixNV-06322",
    },
    Kind {
        has: is_on_vectors,
        what: "an operation on cooperative vectors",
        property: "cooperativeVectorSupportedStages",
        is_told: false,
        vuid: "VUID-RuntimeSpirv-cooperativeVectorSupportedStages-10091",
    },
    Kind {
        has: is_on_tensors,
        what: "an operation on tensors",
        property: "shaderTensorSupportedStages",
        is_told: false,
        vuid: "VUID-RuntimeSpirv-shaderTensorSupportedStages-09901",
    },
];

/// The kind of operations on tensors, which are used where they are loaded, too.
const TENSORS: usize = 4;

/// The first instructions of a function that matter here.
#[derive(Clone, Copy, Default)]
struct First {
    /// One of each of [`KINDS`].
    kinds: [Option<u32>; KINDS.len()],
    quad: Option<u32>,
    /// One that may repack invocations.
    repacks: Option<u32>,
    /// One that allocates payloads, and how many do.
    allocates: Option<u32>,
    allocations: u64,
    /// The first stream that vertices go to, where, and where they go to another.
    stream: Option<u64>,
    streams_at: Option<u32>,
    other_stream: Option<u32>,
}

pub(super) fn add(
    m: &ModuleIndex<'_>,
    sorted: &Sorted<'_>,
    trees: &mut CallTrees<'_>,
    all: &mut Vec<Need>,
) {
    let functions = m.functions.iter();
    let within = functions.map(|it| within(&sorted.special, &it.range));
    let mut firsts: Vec<First> = within.map(|special| first(m, special)).collect();
    if m.declared_capabilities.contains(&Capability::TensorsARM) {
        for (function, first) in m.functions.iter().zip(&mut firsts) {
            let loaded = first_tensor(m, function.range.clone());
            let found = first.kinds[TENSORS].into_iter().chain(loaded);
            first.kinds[TENSORS] = found.min();
        }
    }
    let matters = |it: &First| {
        it.kinds.iter().any(Option::is_some) || it.allocates.is_some() || it.stream.is_some()
    };
    let has_some = firsts.iter().any(matters);
    let is_uniform = Mode::SubgroupUniformControlFlowKHR;
    for entry in &m.entry_points {
        let is_uniform = m.has_execution_mode(entry.function, is_uniform);
        if !has_some && !is_uniform {
            continue;
        }
        let Some(reached) = trees.of(entry.function) else {
            continue;
        };
        let each = || reached.iter().map(|&index| &firsts[index as usize]);
        let mut add = |offset, vuid, what, wanted| {
            all.push(Need {
                offset,
                vuid,
                what,
                wanted,
            });
        };
        let stage = Some(stage_names(entry.model)).filter(|names| !names.is_empty());
        let supported = |property| stage.map(|names| property_of(property, names));
        for (index, kind) in KINDS.iter().enumerate() {
            let offset = each().find_map(|it| it.kinds[index]);
            let wanted = match kind.is_told {
                true => supported(kind.property),
                false => stage
                    .zip(limit(kind.property))
                    .map(|(values, property)| Wanted::Told { property, values }),
            };
            if let Some((offset, wanted)) = offset.zip(wanted) {
                let what = format!("{} in the stage `{}`", kind.what, entry.model);
                add(offset, kind.vuid, what, wanted);
            }
        }
        let allocations = each().map(|it| it.allocations).fold(0, u64::saturating_add);
        if let Some(offset) = each().find_map(|it| it.allocates) {
            let vuid = "VUID-RuntimeSpirv-maxExecutionGraphShaderOutputNodes-09197";
            let what = format!("allocating payloads in {allocations} places");
            if let Some(wanted) = reach("maxExecutionGraphShaderOutputNodes", 0, allocations) {
                add(offset, vuid, what, wanted);
            }
        }
        let has_points = || m.has_execution_mode(entry.function, Mode::OutputPoints);
        if entry.model == Model::Geometry && !has_points() {
            let vuid = "VUID-RuntimeSpirv-transformFeedbackStreamsLinesTriangles-06311";
            if let Some(offset) = other_stream(each()) {
                let what = "several streams of lines or triangles".into();
                let wanted = property("transformFeedbackStreamsLinesTriangles");
                add(offset, vuid, what, wanted);
            }
        }
        let is_exempt = matches!(entry.model, Model::Fragment | Model::GLCompute);
        if let (Some(offset), false) = (each().find_map(|it| it.quad), is_exempt) {
            let what = format!("a quad operation in the stage `{}`", entry.model);
            let wanted = property("subgroupQuadOperationsInAllStages");
            add(offset, "VUID-RuntimeSpirv-None-06342", what, wanted);
        }
        if !is_uniform {
            continue;
        }
        let vuid = "VUID-RuntimeSpirv-SubgroupUniformControlFlowKHR-06379";
        if let Some(wanted) = supported("subgroupSupportedStages") {
            let what = format!(
                "uniform control flow in subgroups of the stage `{}`",
                entry.model
            );
            add(entry.inst.offset(), vuid, what, wanted);
        }
        if let Some(offset) = each().find_map(|it| it.repacks) {
            let what = "repacking invocations where control flow is uniform in subgroups".into();
            add(offset, vuid, what, Wanted::OneOf(Vec::new()));
        }
    }
}

/// The first load of a tensor in a function.
fn first_tensor(m: &ModuleIndex<'_>, function: Range<u32>) -> Option<u32> {
    let mut loads = m.instructions(function).filter(|it| it.op() == Op::Load);
    let first = loads.find(|it| {
        let ty = it.result_type().and_then(|ty| m.def(ty));
        ty.is_some_and(|ty| ty.op() == Op::TypeTensorARM)
    });
    first.map(|it| it.offset())
}

/// What sends vertices to another stream than something before it.
fn other_stream<'f>(firsts: impl Iterator<Item = &'f First>) -> Option<u32> {
    let mut stream = None;
    for first in firsts {
        let Some(own) = first.stream else { continue };
        if first.other_stream.is_some() {
            return first.other_stream;
        }
        if *stream.get_or_insert(own) != own {
            return first.streams_at;
        }
    }
    None
}

fn first(m: &ModuleIndex<'_>, special: &[Inst<'_>]) -> First {
    let mut found = First::default();
    for inst in special {
        let (op, offset) = (inst.op(), inst.offset());
        for (kind, first) in KINDS.iter().zip(&mut found.kinds) {
            if first.is_none() && (kind.has)(op) {
                *first = Some(offset);
            }
        }
        match op {
            op if is_quad(op) => {
                found.quad.get_or_insert(offset);
            }
            op if op.is_invocation_repack() => {
                found.repacks.get_or_insert(offset);
            }
            Op::AllocateNodePayloadsAMDX => {
                found.allocates.get_or_insert(offset);
                found.allocations += 1;
            }
            Op::EmitStreamVertex => {
                let Some(stream) = m.constant_u64(inst.id(0)) else {
                    continue;
                };
                found.streams_at.get_or_insert(offset);
                if *found.stream.get_or_insert(stream) != stream {
                    found.other_stream.get_or_insert(offset);
                }
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

fn is_on_matrices(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::CooperativeMatrixLoadKHR
            | O::CooperativeMatrixStoreKHR
            | O::CooperativeMatrixMulAddKHR
            | O::CooperativeMatrixLengthKHR
            | O::CooperativeMatrixConvertUseEXT
            | O::CooperativeMatrixGetCoordinateEXT
            | O::CooperativeMatrixReduceEXT
            | O::CooperativeMatrixPerElementOpEXT
            | O::CooperativeMatrixLoadTensorNV
            | O::CooperativeMatrixStoreTensorNV
            | O::CooperativeMatrixTransposeNV
    )
}

fn is_on_nv_matrices(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::CooperativeMatrixLoadNV
            | O::CooperativeMatrixStoreNV
            | O::CooperativeMatrixMulAddNV
            | O::CooperativeMatrixLengthNV
    )
}

fn is_on_vectors(op: Op) -> bool {
    use Op as O;
    matches!(
        op,
        O::CooperativeVectorMatrixMulNV
            | O::CooperativeVectorMatrixMulAddNV
            | O::CooperativeVectorLoadNV
            | O::CooperativeVectorStoreNV
            | O::CooperativeVectorOuterProductAccumulateNV
            | O::CooperativeVectorReduceSumAccumulateNV
    )
}

fn is_on_tensors(op: Op) -> bool {
    matches!(
        op,
        Op::TensorReadARM | Op::TensorWriteARM | Op::TensorQuerySizeARM
    )
}
