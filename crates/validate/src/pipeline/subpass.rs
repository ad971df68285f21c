//! What the subpass in which a pipeline draws asks of its stages: its views, its input attachments, and
//! whether fragments may be shaded for each sample.

use spirvkit_grammar::{BuiltIn, Capability, Decoration, ExecutionModel as E, Op, StorageClass};
use spirvkit_vulkan::{DescriptorType as D, Subpass};

use super::built_ins::BuiltIns;
use super::part::Part;
use super::problems::Problems;
use super::resources::Uses;
use crate::finding::Finding;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::places::Budget;

/// Checks all stages.
pub(super) fn check(uses: &[Uses<'_, '_, '_>], subpass: &Subpass, problems: &mut Problems<'_>) {
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
