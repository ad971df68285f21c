//! The sizes of subgroups and what flags say of them, and those of workgroups, which they divide
//! (`VK_EXT_subgroup_size_control`).

use spirvkit_grammar::{Capability, ExecutionModel as E, Op, Scope, Version};
use spirvkit_vulkan::{
    Device, Feature, Limit, PipelineFlags as F, PipelineLayout, stage_names, workgroup_size,
};

use super::part::Part;
use super::problems::Problems;
use crate::finding::Finding;
use crate::rules::generated::pipeline;

/// The rules' VUIDs, in the order of the list.
const MOST: usize = 0;
const REQUIRED: usize = 1;
const VARYING: usize = 2;
const FULL: usize = 3;
const OF_SUBGROUPS: usize = 4;
const OF_WORKGROUPS: usize = 5;

/// Checks all stages that have workgroups, as far as flags and the required size are known.
pub(super) fn check(
    parts: &[Part<'_, '_>],
    layout: Option<&PipelineLayout>,
    problems: &mut Problems<'_>,
) {
    if let Some(layout) = layout {
        check_sizes(parts, layout, problems);
    }
    for part in parts.iter().filter(|it| has_workgroups(it.model())) {
        let number = |id| part.number(id);
        if let Some(size) = workgroup_size(part.m, part.entry.function, &number) {
            Stage {
                part,
                size,
                flags: layout.and_then(|it| it.flags),
                required: layout.and_then(|it| it.required_subgroup_size),
            }
            .check(problems);
        }
    }
}

fn has_workgroups(model: E) -> bool {
    matches!(model, E::GLCompute | E::MeshEXT | E::TaskEXT)
}

/// Checks what is said of subgroups, of whichever stage that may be.
fn check_sizes(parts: &[Part<'_, '_>], layout: &PipelineLayout, problems: &mut Problems<'_>) {
    let Some(first) = parts.first() else { return };
    let is = |flag| layout.flags.is_some_and(|flags| flags.contains(flag));
    let (varies, is_full) = (
        is(F::ALLOW_VARYING_SUBGROUP_SIZE),
        is(F::REQUIRE_FULL_SUBGROUPS),
    );
    let required = layout.required_subgroup_size.unwrap_or(0);
    let mut found: Vec<(usize, String)> = Vec::new();
    if varies && required > 0 {
        let message = format!(
            "a size of subgroups, {required}, is required, but the flag `{}` lets it vary",
            F::ALLOW_VARYING_SUBGROUP_SIZE
        );
        found.push((0, message));
    }
    if is_full && !parts.iter().any(|it| has_workgroups(it.model())) {
        let message = format!(
            "the flag `{}` is for stages with workgroups, of which there is none",
            F::REQUIRE_FULL_SUBGROUPS
        );
        found.push((2, message));
    }
    if required > 0 && !required.is_power_of_two() {
        let message = format!("the required size of subgroups, {required}, is no power of two");
        found.push((5, message));
    }
    for device in &problems.options.devices {
        let lacks = |name| Feature::named(name).is_some_and(|it| !device.has(it));
        let needs = [
            (
                varies,
                "letting the size of subgroups vary",
                "subgroupSizeControl",
                3,
            ),
            (
                is_full,
                "requiring full subgroups",
                "computeFullSubgroups",
                4,
            ),
            (
                required > 0,
                "requiring a size of subgroups",
                "subgroupSizeControl",
                1,
            ),
        ];
        for (is_asked, what, feature, vuid) in needs {
            if is_asked && lacks(feature) {
                let name = device.name();
                let message =
                    format!("{what} needs the feature `{feature}`, which `{name}` doesn't have");
                found.push((vuid, message));
            }
        }
        if required > 0 {
            found.extend(wrong_size(parts, required.into(), device));
        }
    }
    let rule = &pipeline::SUBGROUP_SIZE;
    for (vuid, message) in found {
        let finding = Finding::new(rule, first.entry.inst.offset(), message);
        problems.add(first, finding.vuid(rule.vuids[vuid]), Vec::new());
    }
}

/// What is wrong with a required size of subgroups on a device.
fn wrong_size(
    parts: &[Part<'_, '_>],
    required: u64,
    device: &Device,
) -> impl Iterator<Item = (usize, String)> {
    let name = device.name();
    let bound = |limit_name: &str, vuid: usize, is_wrong: fn(u64, u64) -> bool| {
        let bound = limit(device, limit_name).filter(|&bound| is_wrong(required, bound))?;
        let message = format!(
            "the required size of subgroups is {required}, but `{limit_name}` of `{name}` is {bound}"
        );
        Some((vuid, message))
    };
    let limit_name = "requiredSubgroupSizeStages";
    let stages = Limit::named(limit_name).and_then(|it| device.limit(it));
    let takes = |part: &Part<'_, '_>| {
        let names = stage_names(part.model());
        let mut names = names.iter().chain(&["VK_SHADER_STAGE_ALL"]);
        let stages = stages.as_ref();
        stages.is_none_or(|stages| names.any(|name| stages.contains(name)))
    };
    let other = (!parts.iter().any(takes)).then(|| {
        let message = format!(
            "a size of subgroups is required, but `{limit_name}` of `{name}` has none of the stages"
        );
        (1, message)
    });
    let least = bound("minSubgroupSize", 6, |required, least| required < least);
    let most = bound("maxSubgroupSize", 7, |required, most| required > most);
    [other, least, most].into_iter().flatten()
}

/// A stage with workgroups, and how it is created.
struct Stage<'p, 'm, 'a> {
    part: &'p Part<'m, 'a>,
    size: [u64; 3],
    flags: Option<F>,
    /// The size of its subgroups; 0 if none is required.
    required: Option<u32>,
}

/// A limit of a device, if it is above 0.
fn limit(device: &Device, name: &str) -> Option<u64> {
    let number = device.limit(Limit::named(name)?)?.number(0)? as u64;
    Some(number).filter(|&number| number > 0)
}

impl Stage<'_, '_, '_> {
    fn check(&self, problems: &mut Problems<'_>) {
        let devices = &problems.options.devices;
        if let Some(required @ 1..) = self.required {
            let required = u64::from(required);
            if self.is(F::REQUIRE_FULL_SUBGROUPS) == Some(true) {
                self.multiple(
                    required,
                    "the required size of subgroups",
                    REQUIRED,
                    problems,
                );
            }
            for device in devices {
                self.fits(required, device, problems);
            }
        }
        for device in devices {
            if let Some((name, vuid)) = self.full_size()
                && let Some(size) = limit(device, name)
            {
                let what = format!("`{name}` of `{}`", device.name());
                self.multiple(size, &what, vuid, problems);
            }
            self.matrices(device, problems);
        }
    }

    fn is(&self, flag: F) -> Option<bool> {
        Some(self.flags?.contains(flag))
    }

    /// Where subgroups are full without a size of their own, the limit that they divide workgroups by.
    fn full_size(&self) -> Option<(&'static str, usize)> {
        match (self.is(F::REQUIRE_FULL_SUBGROUPS)?, self.required?) {
            (true, 0) => Some(match self.is(F::ALLOW_VARYING_SUBGROUP_SIZE)? {
                true => ("maxSubgroupSize", VARYING),
                false => ("subgroupSize", FULL),
            }),
            _ => None,
        }
    }

    /// Checks that a size of subgroups divides the first dimension.
    fn multiple(&self, divisor: u64, what: &str, vuid: usize, problems: &mut Problems<'_>) {
        let [x, ..] = self.size;
        if x % divisor != 0 {
            let message = format!(
                "the workgroups of the {} have {x} invocations in x, which must be a multiple of {what}, {divisor}",
                self.part.kind()
            );
            self.add(message, vuid, problems);
        }
    }

    /// Checks that a workgroup has no more subgroups of the required size than a device takes.
    fn fits(&self, required: u64, device: &Device, problems: &mut Problems<'_>) {
        let Some(most) = limit(device, "maxComputeWorkgroupSubgroups") else {
            return;
        };
        let invocations = self.invocations();
        if invocations > required.saturating_mul(most) {
            let message = format!(
                "the workgroups of the {} have {invocations} invocations, but `{}` has {most} subgroups \
                 in each at most (`maxComputeWorkgroupSubgroups`), and their required size is {required}",
                self.part.kind(),
                device.name()
            );
            self.add(message, MOST, problems);
        }
    }

    fn invocations(&self) -> u64 {
        self.size.into_iter().fold(1, u64::saturating_mul)
    }

    /// Checks what cooperative matrices ask of workgroups.
    fn matrices(&self, device: &Device, problems: &mut Problems<'_>) {
        let m = self.part.m;
        if !m.has(Capability::CooperativeMatrixKHR) {
            return;
        }
        let scopes = |wanted: Scope| {
            let mut declared = m.declared.iter().filter_map(|&at| m.inst(at));
            declared.any(|it| {
                let is_matrix = it.op() == Op::TypeCooperativeMatrixKHR;
                is_matrix && self.part.number(it.id(1)) == Some(wanted.0.into())
            })
        };
        for (scope, vuid) in [
            (Scope::Subgroup, OF_SUBGROUPS),
            (Scope::Workgroup, OF_WORKGROUPS),
        ] {
            if !scopes(scope) {
                continue;
            }
            if let Some((size, what)) = self.effective_size(device) {
                let what = format!("{what}, because it has cooperative matrices");
                self.multiple(size, &what, vuid, problems);
            }
            let name = "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize";
            if scope == Scope::Workgroup
                && let Some(most) = limit(device, name)
                && self.invocations() > most
            {
                let message = format!(
                    "the workgroups of the {} have {} invocations and cooperative matrices, but `{name}` \
                     of `{}` is {most}",
                    self.part.kind(),
                    self.invocations(),
                    device.name()
                );
                self.add(message, vuid, problems);
            }
        }
    }

    /// What the size of subgroups is a multiple of, and what that is. Sizes that vary are powers of two
    /// and no less than the least one.
    fn effective_size(&self, device: &Device) -> Option<(u64, String)> {
        if let Some(required @ 1..) = self.required {
            return Some((required.into(), "the required size of subgroups".to_owned()));
        }
        let is_fixed = self.part.m.version < Version::V1_6
            && self.required == Some(0)
            && self.is(F::ALLOW_VARYING_SUBGROUP_SIZE) == Some(false);
        let name = match is_fixed {
            true => "subgroupSize",
            false => "minSubgroupSize",
        };
        Some((
            limit(device, name)?,
            format!("`{name}` of `{}`", device.name()),
        ))
    }

    fn add(&self, message: String, vuid: usize, problems: &mut Problems<'_>) {
        let rule = &pipeline::SUBGROUP_MULTIPLE;
        let finding = Finding::new(rule, self.part.entry.inst.offset(), message);
        problems.add(self.part, finding.vuid(rule.vuids[vuid]), Vec::new());
    }
}
