//! Cooperative matrices that devices list for some sizes of subgroups and workgroups, which the
//! pipeline decides (`VK_EXT_cooperative_matrix_maintenance1`, `VK_NV_cooperative_matrix2`).

use hashbrown::HashSet;
use spirvkit_grammar::{Capability, Version};
use spirvkit_vulkan::{
    Device, Limit, MatrixShader, Need, PipelineFlags as F, PipelineLayout, matrix_needs,
    workgroup_size,
};

use super::part::Part;
use super::problems::Problems;
use crate::finding::Finding;
use crate::rules::device;
use crate::rules::generated::pipeline;

/// Checks the matrices of a stage against each device. What the device lacks for the module alone is
/// reported with the module.
pub(super) fn check(part: &Part<'_, '_>, layout: &PipelineLayout, problems: &mut Problems<'_>) {
    let m = part.m;
    if !m.has(Capability::CooperativeMatrixKHR) {
        return;
    }
    let rule = &pipeline::MATRIX_SIZES;
    let alone = matrix_needs(m, MatrixShader::default());
    let number = |id| part.number(id);
    let size = workgroup_size(m, part.entry.function, &number);
    let invocations = size.map(|size| size.into_iter().fold(1, u64::saturating_mul));
    for device in &problems.options.devices {
        let shader = MatrixShader {
            subgroup_size: subgroup_size(part, layout, device),
            invocations,
        };
        let is_unmet = |need: &&Need| !need.is_met_by(device);
        let known: HashSet<_> = (alone.iter().filter(is_unmet))
            .map(|need| (need.offset, need.vuid))
            .collect();
        let needs = matrix_needs(m, shader);
        for need in needs.iter().filter(is_unmet) {
            let is_known = known.contains(&(need.offset, need.vuid));
            if rule.vuids.contains(&need.vuid) && !is_known {
                let message = device::message(need, &[device]);
                let finding = Finding::new(rule, need.offset, message).vuid(need.vuid);
                problems.add(part, finding, Vec::new());
            }
        }
    }
}

/// The size of subgroups for which a device lists matrices; 0 if it may vary.
fn subgroup_size(part: &Part<'_, '_>, layout: &PipelineLayout, device: &Device) -> Option<u64> {
    let required = layout.required_subgroup_size?;
    let varies = || Some(layout.flags?.contains(F::ALLOW_VARYING_SUBGROUP_SIZE));
    if required > 0 {
        return Some(required.into());
    }
    if part.m.version >= Version::V1_6 || varies()? {
        return Some(0);
    }
    let own = device.limit(Limit::named("subgroupSize")?)?;
    Some(own.number(0)? as u64)
}
