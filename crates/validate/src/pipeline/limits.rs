//! What stages use, against the limits of devices.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Capability, ExecutionMode as M, ExecutionModel as E, StorageClass as S,
};
use spirvkit_vulkan::{Binding, DescriptorType as D, Device, Limit, PipelineLayout};

use super::built_ins::BuiltIns;
use super::elements::{Side, Taken};
use super::part::Part;
use super::problems::Problems;
use super::resources::{Resource, Uses, vuid_of};
use crate::finding::Finding;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::listed;
use crate::rules::interfaces::places::Budget;
use crate::rules::transform_feedback::captured;

/// Checks all stages, if there are devices.
pub(super) fn check(
    parts: &[Part<'_, '_>],
    uses: &[Uses<'_, '_, '_>],
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    if problems.options.devices.is_empty() {
        return;
    }
    for part in parts {
        check_alone(part, problems);
    }
    for uses in uses {
        check_resources(uses, layout, problems);
    }
}

/// Checks what depends on nothing but a stage and the devices.
pub(super) fn check_alone(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    check_locations(part, problems);
    check_distances(part, problems);
    check_sample_masks(part, problems);
    check_modes(part, problems);
    check_feedback(part, problems);
}

/// Something of which a stage has so much.
struct Amount<'w> {
    /// What has it, such as "%a takes the locations up to".
    what: &'w str,
    /// The instruction that is at fault.
    offset: u32,
    value: u64,
    vuid: Option<&'static str>,
}

/// Reports what is more than devices take: the number in their limit, divided by this. Returns whether it
/// is.
fn exceeds(
    part: &Part<'_, '_>,
    amount: &Amount<'_>,
    names: &[&str],
    divisor: u64,
    problems: &mut Problems<'_>,
) -> bool {
    let of = |device: &Device| {
        let limits = names.iter().filter_map(|name| Limit::named(name));
        let known = limits.filter_map(|limit| device.limit(limit)?.number(0));
        // Of several limits, one or the other applies.
        known.reduce(f64::max)
    };
    let devices = problems.options.devices.iter();
    let mut lacking = devices.filter_map(|device| {
        let most = of(device)?;
        (amount.value as f64 > (most / divisor as f64).floor()).then_some((device, most))
    });
    let Some((device, most)) = lacking.next() else {
        return false;
    };
    let more = match lacking.count() {
        0 => String::new(),
        count => format!(", and {count} more devices have less, too"),
    };
    let name = names.first().copied().unwrap_or_default();
    let divided = match divisor {
        1 => String::new(),
        _ => format!(" / {divisor}"),
    };
    let message = format!(
        "{} {}, but `{name}`{divided} of `{}` is {}{more}",
        amount.what,
        amount.value,
        device.name(),
        (most / divisor as f64).floor()
    );
    let finding = Finding::new(&pipeline::LIMIT, amount.offset, message);
    let finding = match amount.vuid {
        Some(vuid) => finding.vuid(vuid),
        None => finding.vuid_if(false),
    };
    problems.add(part, finding, Vec::new());
    true
}

/// The limit of the locations of a stage, and by what it is divided.
fn location_limit(model: E, class: S, is_patch: bool) -> Option<(&'static str, u64)> {
    let components = |name| Some((name, 4));
    match (model, class) {
        (E::TessellationControl, S::Output) if is_patch => {
            components("maxTessellationControlPerPatchOutputComponents")
        }
        (E::TessellationEvaluation, S::Input) if is_patch => {
            components("maxTessellationControlPerPatchOutputComponents")
        }
        (E::Vertex, S::Input) => Some(("maxVertexInputAttributes", 1)),
        (E::Vertex, S::Output) => components("maxVertexOutputComponents"),
        (E::TessellationControl, S::Input) => {
            components("maxTessellationControlPerVertexInputComponents")
        }
        (E::TessellationControl, S::Output) => {
            components("maxTessellationControlPerVertexOutputComponents")
        }
        (E::TessellationEvaluation, S::Input) => {
            components("maxTessellationEvaluationInputComponents")
        }
        (E::TessellationEvaluation, S::Output) => {
            components("maxTessellationEvaluationOutputComponents")
        }
        (E::Geometry, S::Input) => components("maxGeometryInputComponents"),
        (E::Geometry, S::Output) => components("maxGeometryOutputComponents"),
        (E::Fragment, S::Input) => components("maxFragmentInputComponents"),
        (E::Fragment, S::Output) => Some(("maxFragmentOutputAttachments", 1)),
        (E::MeshEXT, S::Output) => components("maxMeshOutputComponents"),
        _ => None,
    }
}

/// Checks the last location of each input and output.
fn check_locations(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    for class in [S::Input, S::Output] {
        let mut budget = Budget::of(part.m);
        let side = Side::of(part, class, &mut budget);
        let mut is_over = false;
        for group in side.taken.chunk_by(|a, b| a.element == b.element) {
            let Some(last) = group.last() else { continue };
            let element = &side.elements[last.element as usize];
            let limit = location_limit(part.model(), class, element.place.is_patch);
            let Some((name, divisor)) = limit else {
                continue;
            };
            let noun = match class {
                S::Input => "input",
                _ => "output",
            };
            let what = format!(
                "{}, an {noun} of the {}, makes the number of locations",
                element.name(part),
                part.kind()
            );
            let amount = Amount {
                what: &what,
                offset: element.offset(part),
                value: last.location.saturating_add(1),
                vuid: Some(pipeline::LIMIT.vuids[0]),
            };
            is_over |= exceeds(part, &amount, &[name], divisor, problems);
        }
        if !is_over {
            check_components(part, class, &side, problems);
        }
    }
}

/// Checks that the built-ins of a stage fit beside its locations: both count against the limit. How those
/// for each patch and each primitive do isn't said, so tessellation and meshes are left out.
fn check_components(part: &Part<'_, '_>, class: S, side: &Side, problems: &mut Problems<'_>) {
    let is_counted = matches!(part.model(), E::Vertex | E::Geometry | E::Fragment);
    let limit = location_limit(part.model(), class, false);
    let Some((name, 4)) = limit.filter(|_| is_counted) else {
        return;
    };
    let end = |taken: &Taken| {
        let components = u64::from(taken.component) + u64::from(taken.piece.components);
        taken.location.saturating_mul(4).saturating_add(components)
    };
    let Some(last) = side.taken.iter().max_by_key(|it| end(it)) else {
        return;
    };
    let mut budget = Budget::of(part.m);
    let built_ins = BuiltIns::of(part, class, &mut budget).components(part, &mut budget);
    if built_ins == 0 {
        return;
    }
    let element = &side.elements[last.element as usize];
    let what = format!(
        "{}, and built-ins with {built_ins} components, make the number of components of the {}",
        element.name(part),
        part.kind()
    );
    let amount = Amount {
        what: &what,
        offset: element.offset(part),
        value: end(last).saturating_add(built_ins),
        vuid: Some(pipeline::LIMIT.vuids[0]),
    };
    exceeds(part, &amount, &[name], 1, problems);
}

/// Checks the lengths of `ClipDistance` and `CullDistance`.
fn check_distances(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    for class in [S::Input, S::Output] {
        let mut budget = Budget::of(part.m);
        let built_ins = BuiltIns::of(part, class, &mut budget);
        let mut total = 0;
        let mut last = None;
        for (built_in, name, vuid) in [
            (BuiltIn::ClipDistance, "maxClipDistances", 2),
            (BuiltIn::CullDistance, "maxCullDistances", 3),
        ] {
            let Some((variable, ty)) = built_ins.find(built_in) else {
                continue;
            };
            let length = part.length(ty).unwrap_or(0);
            total += length;
            last = Some(variable);
            let what = format!("the length of `{built_in}` in the {} is", part.kind());
            let amount = Amount {
                what: &what,
                offset: part.m.def_offset(variable),
                value: length,
                vuid: Some(pipeline::LIMIT.vuids[vuid]),
            };
            exceeds(part, &amount, &[name], 1, problems);
        }
        if let Some(variable) = last {
            let what = format!(
                "`ClipDistance` and `CullDistance` in the {} have the length",
                part.kind()
            );
            let amount = Amount {
                what: &what,
                offset: part.m.def_offset(variable),
                value: total,
                vuid: Some(pipeline::LIMIT.vuids[4]),
            };
            exceeds(
                part,
                &amount,
                &["maxCombinedClipAndCullDistances"],
                1,
                problems,
            );
        }
    }
}

/// Checks the lengths of `SampleMask`.
fn check_sample_masks(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    for class in [S::Input, S::Output] {
        let mut budget = Budget::of(part.m);
        let built_ins = BuiltIns::of(part, class, &mut budget);
        let Some((variable, ty)) = built_ins.find(BuiltIn::SampleMask) else {
            continue;
        };
        let what = format!("the length of `SampleMask` in the {} is", part.kind());
        let amount = Amount {
            what: &what,
            offset: part.m.def_offset(variable),
            value: part.length(ty).unwrap_or(0),
            vuid: Some(pipeline::LIMIT.vuids[10]),
        };
        exceeds(part, &amount, &["maxSampleMaskWords"], 1, problems);
    }
}

/// Checks the numbers in execution modes.
fn check_modes(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let limits: &[(M, &str, usize)] = match part.model() {
        E::TessellationControl | E::TessellationEvaluation => {
            &[(M::OutputVertices, "maxTessellationPatchSize", 5)]
        }
        E::Geometry => &[
            (M::OutputVertices, "maxGeometryOutputVertices", 6),
            (M::Invocations, "maxGeometryShaderInvocations", 7),
        ],
        _ => &[],
    };
    for &(mode, name, vuid) in limits {
        let Some(inst) = part.mode(mode) else {
            continue;
        };
        let what = format!("`{mode}` of the {} is", part.kind());
        let amount = Amount {
            what: &what,
            offset: inst.offset(),
            value: inst.arg(2).into(),
            vuid: Some(pipeline::LIMIT.vuids[vuid]),
        };
        exceeds(part, &amount, &[name], 1, problems);
    }
}

/// Checks the buffers of transform feedback: how many, how large, and how much of each stream.
fn check_feedback(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let m = part.m;
    if !m.has(Capability::TransformFeedback) {
        return;
    }
    let outputs = listed::variables(m, &part.entry).filter(|it| it.class == S::Output);
    let captured = captured(m, outputs.map(|it| it.id));
    // The last byte of each buffer, and what captures it, by stream.
    let mut ends: BTreeMap<(u32, u32), (u64, Id)> = BTreeMap::new();
    for it in &captured {
        let end = ends
            .entry((it.stream, it.buffer))
            .or_insert((0, it.variable));
        *end = (*end).max((it.end, it.variable));
    }
    let mut at = |what: String, variable: Id, value, name, vuid: Option<usize>| {
        let amount = Amount {
            what: &what,
            offset: m.def_offset(variable),
            value,
            vuid: vuid.map(|vuid| pipeline::LIMIT.vuids[vuid]),
        };
        exceeds(part, &amount, &[name], 1, problems);
    };
    let mut streams: BTreeMap<u32, (u64, Id)> = BTreeMap::new();
    for (&(stream, buffer), &(end, variable)) in &ends {
        let name = m.name(variable);
        let what = format!("{name} makes the number of buffers of transform feedback");
        let limit = "maxTransformFeedbackBuffers";
        at(what, variable, u64::from(buffer) + 1, limit, None);
        let what = format!("{name} makes the size of buffer {buffer} of transform feedback");
        let limit = "maxTransformFeedbackBufferDataSize";
        at(what, variable, end, limit, Some(8));
        let total = streams.entry(stream).or_insert((0, variable));
        *total = (total.0.saturating_add(end), variable);
    }
    for (stream, (total, variable)) in streams {
        let name = m.name(variable);
        let what = format!("with {name}, the bytes of stream {stream} of transform feedback are");
        let limit = "maxTransformFeedbackStreamDataSize";
        at(what, variable, total, limit, Some(9));
    }
}

/// Checks the number of descriptors of each sort, the numbers of sets, and push constants.
fn check_resources(
    uses: &Uses<'_, '_, '_>,
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    let part = uses.part;
    let mut counts: HashMap<&'static [&'static str], u64> = HashMap::new();
    let mut order: Vec<&'static [&'static str]> = Vec::new();
    let (mut total, mut written, mut outputs) = (0u64, 0u64, 0u64);
    for ((set, _), resource) in &uses.resources {
        let count = match resource.is_runtime {
            true => 1,
            false => resource.count,
        };
        total = total.saturating_add(count);
        if is_storage(resource) {
            written = written.saturating_add(count);
        }
        for &limits in limits_of(resource) {
            let sum = counts.entry(limits).or_insert_with(|| {
                order.push(limits);
                0
            });
            *sum = sum.saturating_add(count);
        }
        let what = format!(
            "{}, which the {} uses, makes the number of sets",
            part.m.name(resource.variable),
            part.kind()
        );
        let amount = Amount {
            what: &what,
            offset: part.m.def_offset(resource.variable),
            value: u64::from(*set) + 1,
            vuid: None,
        };
        exceeds(part, &amount, &["maxBoundDescriptorSets"], 1, problems);
    }
    let offset = part.entry.inst.offset();
    let mut at_entry = |what: &str, value, names: &[&str], vuid| {
        let what = format!("the {} uses {what}, and their number is", part.kind());
        let amount = Amount {
            what: &what,
            offset,
            value,
            vuid,
        };
        exceeds(part, &amount, names, 1, problems);
    };
    for limits in order {
        let count = counts.get(limits).copied().unwrap_or(0);
        at_entry("descriptors of one sort", count, limits, None);
    }
    if part.model() == E::Fragment {
        let mut budget = Budget::of(part.m);
        outputs = Side::of(part, S::Output, &mut budget).taken.len() as u64;
        written = written.saturating_add(outputs);
        let vuid = Some(pipeline::LIMIT.vuids[1]);
        let names = &["maxFragmentCombinedOutputResources"];
        at_entry("outputs, storage buffers and images", written, names, vuid);
    }
    let names = &[
        "maxPerStageResources",
        "maxPerStageUpdateAfterBindResources",
    ];
    match layout {
        // What it may use counts, not what it uses.
        Some(layout) => {
            let vuid = pipeline::LIMIT.vuids[11 + vuid_of(part)];
            let total = resources_for(part, layout).saturating_add(outputs);
            at_entry("a layout with resources for it", total, names, Some(vuid));
        }
        None => at_entry("resources", total.saturating_add(outputs), names, None),
    }
    for &(variable, (_, end)) in &uses.push_constants {
        let what = format!(
            "{}, the push constants that the {} uses, end behind byte",
            part.m.name(variable),
            part.kind()
        );
        let amount = Amount {
            what: &what,
            offset: part.m.def_offset(variable),
            value: end,
            vuid: None,
        };
        exceeds(part, &amount, &["maxPushConstantsSize"], 1, problems);
    }
}

/// How many resources a layout has for a stage.
fn resources_for(part: &Part<'_, '_>, layout: &PipelineLayout) -> u64 {
    let all = layout.sets.iter().flat_map(|set| &set.bindings);
    let own = all.filter(|it| it.stages.contains(part.model()) && it.mapping.is_none());
    let count = |binding: &Binding| match binding.ty {
        // Its count is in bytes.
        D::INLINE_UNIFORM_BLOCK => 1,
        _ => u64::from(binding.count),
    };
    own.map(count).fold(0, u64::saturating_add)
}

/// Whether a stage may write to it.
fn is_storage(resource: &Resource<'_, '_, '_>) -> bool {
    let types = resource.types;
    types.contains(D::STORAGE_BUFFER) || types.contains(D::STORAGE_IMAGE)
}

/// The limits of each stage that a resource counts for. Of each, one or the other applies.
fn limits_of(resource: &Resource<'_, '_, '_>) -> &'static [&'static [&'static str]] {
    const SAMPLERS: &[&str] = &[
        "maxPerStageDescriptorSamplers",
        "maxPerStageDescriptorUpdateAfterBindSamplers",
    ];
    const SAMPLED: &[&str] = &[
        "maxPerStageDescriptorSampledImages",
        "maxPerStageDescriptorUpdateAfterBindSampledImages",
    ];
    const STORAGE_IMAGES: &[&str] = &[
        "maxPerStageDescriptorStorageImages",
        "maxPerStageDescriptorUpdateAfterBindStorageImages",
    ];
    const UNIFORM: &[&str] = &[
        "maxPerStageDescriptorUniformBuffers",
        "maxPerStageDescriptorUpdateAfterBindUniformBuffers",
    ];
    const STORAGE: &[&str] = &[
        "maxPerStageDescriptorStorageBuffers",
        "maxPerStageDescriptorUpdateAfterBindStorageBuffers",
    ];
    const ATTACHMENTS: &[&str] = &[
        "maxPerStageDescriptorInputAttachments",
        "maxPerStageDescriptorUpdateAfterBindInputAttachments",
    ];
    const STRUCTURES: &[&str] = &[
        "maxPerStageDescriptorAccelerationStructures",
        "maxPerStageDescriptorUpdateAfterBindAccelerationStructures",
    ];
    let types = resource.types;
    match () {
        () if types.contains(D::SAMPLER) => &[SAMPLERS],
        () if types.contains(D::SAMPLED_IMAGE) => &[SAMPLED],
        () if types.contains(D::COMBINED_IMAGE_SAMPLER) => &[SAMPLERS, SAMPLED],
        () if types.contains(D::UNIFORM_TEXEL_BUFFER) => &[SAMPLED],
        () if types.contains(D::STORAGE_IMAGE) => &[STORAGE_IMAGES],
        () if types.contains(D::STORAGE_TEXEL_BUFFER) => &[STORAGE_IMAGES],
        () if types.contains(D::UNIFORM_BUFFER) => &[UNIFORM],
        () if types.contains(D::STORAGE_BUFFER) => &[STORAGE],
        () if types.contains(D::INPUT_ATTACHMENT) => &[ATTACHMENTS],
        () if types.contains(D::ACCELERATION_STRUCTURE) => &[STRUCTURES],
        () => &[],
    }
}
