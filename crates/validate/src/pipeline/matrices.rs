//! Cooperative matrices that devices list for some sizes of subgroups and workgroups, which the
//! pipeline decides (`VK_EXT_cooperative_matrix_maintenance1`, `VK_NV_cooperative_matrix2`).

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Capability, Decoration, ExecutionMode, Version};
use spirvkit_vulkan::{
    Device, Limit, MatrixShader, Need, PipelineFlags as F, PipelineLayout, matrix_needs,
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
    for device in &problems.options.devices {
        let shader = MatrixShader {
            subgroup_size: subgroup_size(part, layout, device),
            invocations: invocations(part),
        };
        let alone = unmet(part, MatrixShader::default(), device);
        for need in unmet(part, shader, device) {
            let is_same = |other: &Need| (other.offset, other.vuid) == (need.offset, need.vuid);
            if rule.vuids.contains(&need.vuid) && !alone.iter().any(is_same) {
                let message = device::message(&need, &[device]);
                let finding = Finding::new(rule, need.offset, message).vuid(need.vuid);
                problems.add(part, finding, Vec::new());
            }
        }
    }
}

fn unmet(part: &Part<'_, '_>, shader: MatrixShader, device: &Device) -> Vec<Need> {
    let needs = matrix_needs(part.m, shader).into_iter();
    needs.filter(|need| !need.is_met_by(device)).collect()
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

/// How many invocations the workgroups of a stage have.
fn invocations(part: &Part<'_, '_>) -> Option<u64> {
    let m = part.m;
    let mut built_ins = m.all_decorated_with(Decoration::BuiltIn);
    let size = built_ins.find(|(_, it)| it.param(0) == BuiltIn::WorkgroupSize.0);
    let size = match size {
        Some((constant, _)) => numbers(part, m.def(constant)?.args()),
        None => {
            let ids = part.mode(ExecutionMode::LocalSizeId);
            let ids = ids.and_then(|mode| numbers(part, mode.args().get(2..)?));
            ids.or_else(|| {
                let literals = part.mode(ExecutionMode::LocalSize)?;
                let literals = literals.args().get(2..)?.iter();
                Some(literals.map(|&it| u64::from(it)).collect())
            })
        }
    };
    Some(size?.into_iter().fold(1, u64::saturating_mul))
}

fn numbers(part: &Part<'_, '_>, ids: &[u32]) -> Option<Vec<u64>> {
    ids.iter().map(|&id| part.number(Id(id))).collect()
}
