//! What the subpass in which a pipeline draws asks of its stages: its views, its input attachments, and
//! whether fragments may be shaded for each sample.

use spirvkit_grammar::{BuiltIn, Capability, Decoration, ExecutionModel as E, Op, StorageClass};
use spirvkit_vulkan::{DescriptorType as D, Device, Feature, Limit, Subpass};

use super::built_ins::{BuiltIns, written_built_in};
use super::part::Part;
use super::problems::Problems;
use super::resources::Uses;
use crate::finding::Finding;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::places::Budget;

/// Checks all stages.
pub(super) fn check(uses: &[Uses<'_, '_, '_>], subpass: &Subpass, problems: &mut Problems<'_>) {
    if let Some(mask) = subpass.view_mask.filter(|&mask| mask != 0) {
        check_stages(uses, mask, problems);
    }
    for uses in uses {
        if let Some(mask) = subpass.view_mask {
            check_views(uses.part, mask, problems);
        }
        if uses.part.model() == E::Fragment {
            check_attachments(uses, &subpass.input_attachment_aspects, problems);
            if subpass.is_fragment_region {
                check_sample_shading(uses.part, problems);
            }
        }
    }
}

/// Stages that draw to several views only with a feature, in the order of the rule's VUIDs. Of mesh
/// shaders, it is a feature of one of their extensions.
const WITH_FEATURE: [(&[E], &str); 3] = [
    (
        &[E::TessellationControl, E::TessellationEvaluation],
        "multiviewTessellationShader",
    ),
    (&[E::Geometry], "multiviewGeometryShader"),
    (&[E::MeshEXT], "multiviewMeshShader"),
];

/// Checks that the stages are some that draw to views.
fn check_stages(uses: &[Uses<'_, '_, '_>], mask: u32, problems: &mut Problems<'_>) {
    let rule = &pipeline::MULTIVIEW;
    let devices = &problems.options.devices;
    let part_of = |models: &[E]| {
        let mut parts = uses.iter().map(|it| it.part);
        parts.find(|it| models.contains(&it.model()))
    };
    let mut found = Vec::new();
    for (vuid, (models, name)) in WITH_FEATURE.into_iter().enumerate() {
        let lacks = |device: &&Device| Feature::named(name).is_some_and(|it| !device.has(it));
        if let (Some(part), Some(device)) = (part_of(models), devices.iter().find(lacks)) {
            let message = format!(
                "a {} that draws to views needs the feature `{name}`, which `{}` doesn't have",
                part.kind(),
                device.name()
            );
            found.push((part, vuid, message));
        }
    }
    const MOST: &str = "maxMeshMultiviewViewCount";
    let views = u32::BITS - mask.leading_zeros();
    for device in devices {
        let most = Limit::named(MOST).and_then(|limit| device.limit(limit)?.number(0));
        if let (Some(part), Some(most)) = (part_of(&[E::MeshEXT]), most)
            && f64::from(views) > most
        {
            let message = format!(
                "the subpass draws to view {}, but for a mesh shader, `{MOST}` of `{}` is {most}",
                views - 1,
                device.name()
            );
            found.push((part, 3, message));
            break;
        }
    }
    for (part, vuid, message) in found {
        let finding = Finding::new(rule, part.entry.inst.offset(), message);
        problems.add(part, finding.vuid(rule.vuids[vuid]), Vec::new());
    }
    for uses in uses {
        check_layer(uses.part, problems);
    }
}

/// Checks that a stage that draws to views, which are layers, has none of its own.
fn check_layer(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let m = part.m;
    for class in [StorageClass::Output, StorageClass::Input] {
        let built_ins = BuiltIns::of(part, class, &mut Budget::of(m));
        let Some((variable, _)) = built_ins.find(BuiltIn::Layer) else {
            continue;
        };
        let message = format!(
            "{} of the {} has the built-in `Layer`, but the subpass draws to views",
            m.name(variable),
            part.kind()
        );
        let rule = &pipeline::MULTIVIEW;
        let finding = Finding::new(rule, m.def_offset(variable), message);
        // Compilers declare whole blocks, whatever is used of them.
        let is_used = !built_ins.is_member(BuiltIn::Layer)
            || written_built_in(part, BuiltIn::Layer).1.is_some();
        let finding = match is_used {
            true => finding,
            false => finding.warning(),
        };
        problems.add(part, finding.vuid(rule.vuids[4]), Vec::new());
    }
}

/// Built-ins that have an element for each view, in the order of the rule's VUIDs.
const PER_VIEW: [BuiltIn; 2] = [BuiltIn::PositionPerViewNV, BuiltIn::ViewportMaskPerViewNV];

/// Checks that what has an element for each view has enough.
fn check_views(part: &Part<'_, '_>, mask: u32, problems: &mut Problems<'_>) {
    let m = part.m;
    let views = u64::from(u32::BITS - mask.leading_zeros());
    let rule = &pipeline::VIEWS;
    for class in [StorageClass::Output, StorageClass::Input] {
        let mut budget = Budget::of(m);
        let built_ins = BuiltIns::of(part, class, &mut budget);
        for (built_in, vuid) in PER_VIEW.into_iter().zip(rule.vuids) {
            let Some((variable, ty)) = built_ins.find(built_in) else {
                continue;
            };
            let Some(length) = part.length(ty).filter(|&length| length < views) else {
                continue;
            };
            let message = format!(
                "`{built_in}` in {} of the {} has {length} elements, but the subpass draws to view {}",
                m.name(variable),
                part.kind(),
                views - 1
            );
            let finding = Finding::new(rule, m.def_offset(variable), message).vuid(vuid);
            problems.add(part, finding, Vec::new());
        }
    }
}

/// Checks that no aspect of an input attachment has several variables.
fn check_attachments(
    uses: &Uses<'_, '_, '_>,
    aspects: &[Option<u32>],
    problems: &mut Problems<'_>,
) {
    let (part, m) = (uses.part, uses.part.m);
    let mut counts = vec![0; aspects.len()];
    for (_, resource) in &uses.resources {
        let variable = resource.variable;
        let index = m.decoration(variable, Decoration::InputAttachmentIndex);
        let Some(index) = index.filter(|_| resource.types.contains(D::INPUT_ATTACHMENT)) else {
            continue;
        };
        let first = index.param(0) as usize;
        let count = usize::try_from(resource.count).unwrap_or(usize::MAX);
        let covered = counts.iter_mut().zip(aspects).enumerate().skip(first);
        for (index, (used, aspects)) in covered.take(count) {
            *used += 1;
            let Some(aspects) = aspects.filter(|&aspects| *used > aspects) else {
                continue;
            };
            let message = format!(
                "{} is variable {used} of the {} for input attachment {index}, whose image has so many aspects: {aspects}",
                m.name(variable),
                part.kind()
            );
            let rule = &pipeline::INPUT_ATTACHMENTS;
            let finding = Finding::new(rule, m.def_offset(variable), message);
            problems.add(part, finding, Vec::new());
            break;
        }
    }
}

/// Checks that a fragment shader doesn't ask to be run for each sample.
fn check_sample_shading(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let m = part.m;
    let wanted = Capability::SampleRateShading;
    if !m.has(wanted) {
        return;
    }
    let mut all = m.all_instructions();
    let declared = all.find(|it| it.op() == Op::Capability && Capability(it.arg(0)) == wanted);
    let message = format!(
        "the module of the {} has the capability `SampleRateShading`, but in this subpass fragments are shaded once for a region",
        part.kind()
    );
    let offset = declared.map_or(0, |it| it.offset());
    let finding = Finding::new(&pipeline::SAMPLE_SHADING, offset, message);
    problems.add(part, finding, Vec::new());
}
