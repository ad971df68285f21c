//! The resources of stages, against the limits of devices.

use hashbrown::HashMap;
use spirvkit_grammar::{ExecutionModel as E, StorageClass as S};
use spirvkit_vulkan::{Binding, DescriptorType as D, Device, Limit, PipelineLayout};

use super::elements::Side;
use super::part::Part;
use super::problems::Problems;
use super::resources::{Resource, Uses, vuid_of};
use crate::finding::Finding;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::places::Budget;

/// Checks all stages together with the layout, if there are devices. What each needs by itself is
/// known from its module.
pub(super) fn check(
    uses: &[Uses<'_, '_, '_>],
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    if problems.options.devices.is_empty() {
        return;
    }
    for uses in uses {
        check_resources(uses, layout, problems);
    }
}

/// Something of which a stage has so much.
struct Amount<'w> {
    /// What has it, such as "%a makes the number of sets".
    what: &'w str,
    /// The instruction that is at fault.
    offset: u32,
    value: u64,
    vuid: Option<&'static str>,
}

/// Reports what is more than devices take.
fn exceeds(
    part: &Part<'_, '_>,
    amount: &Amount<'_>,
    names: &[&str],
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
        (amount.value as f64 > most).then_some((device, most))
    });
    let Some((device, most)) = lacking.next() else {
        return false;
    };
    let more = match lacking.count() {
        0 => String::new(),
        count => format!(", and {count} more devices have less, too"),
    };
    let name = names.first().copied().unwrap_or_default();
    let message = format!(
        "{} {}, but `{name}` of `{}` is {most}{more}",
        amount.what,
        amount.value,
        device.name()
    );
    let finding = Finding::new(&pipeline::LIMIT, amount.offset, message);
    let finding = match amount.vuid {
        Some(vuid) => finding.vuid(vuid),
        None => finding.vuid_if(false),
    };
    problems.add(part, finding, Vec::new());
    true
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
        exceeds(part, &amount, &["maxBoundDescriptorSets"], problems);
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
        exceeds(part, &amount, names, problems);
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
        exceeds(part, &amount, &["maxPushConstantsSize"], problems);
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
