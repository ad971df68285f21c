//! What stages need of the features of devices beyond what their modules need.

use spirvkit_grammar::{BuiltIn, ExecutionMode as M, ExecutionModel as E};
use spirvkit_vulkan::{Device, Feature, Limit};

use super::built_ins::{Written, written_built_in};
use super::part::Part;
use super::problems::Problems;
use crate::finding::Finding;
use crate::rules::generated::pipeline;

/// Checks all stages, if there are devices.
pub(super) fn check(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) {
    if problems.options.devices.is_empty() {
        return;
    }
    for part in parts {
        check_stage(part, problems);
        check_shading_rate(part, problems);
    }
    let find = |model: E| parts.iter().find(|it| it.model() == model);
    // The last stage that makes points says how large they are.
    let last = find(E::Geometry).or_else(|| find(E::TessellationEvaluation));
    if let Some(last) = last {
        check_point_size(last, problems);
    }
}

/// The name of a device that lacks a feature.
fn lacking<'d>(devices: &'d [Device], feature: &str) -> Option<&'d str> {
    let feature = Feature::named(feature)?;
    let found = devices.iter().find(|device| !device.has(feature))?;
    Some(found.name())
}

/// Checks that devices have a stage, which for these no capability says. Both extensions for mesh
/// shaders have a feature of this name, and the specification doesn't say which.
fn check_stage(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let rule = &pipeline::STAGE_FEATURE;
    let (feature, vuid) = match part.model() {
        E::MeshEXT | E::MeshNV => ("meshShader", rule.vuids[0]),
        E::TaskEXT | E::TaskNV => ("taskShader", rule.vuids[1]),
        _ => return,
    };
    let other = format!("VkPhysicalDeviceMeshShaderFeaturesNV::{feature}");
    let either = [feature, &other].map(Feature::named);
    let lacks = |device: &&Device| !either.into_iter().flatten().any(|it| device.has(it));
    if let Some(device) = problems.options.devices.iter().find(lacks) {
        let message = format!(
            "a {} needs the feature `{feature}`, which `{}` doesn't have",
            part.kind(),
            device.name()
        );
        let finding = Finding::new(rule, part.entry.inst.offset(), message).vuid(vuid);
        problems.add(part, finding, Vec::new());
    }
}

/// Checks that what a stage draws has no shading rate of its own if it also goes to viewports of its own,
/// unless the device has both at once.
fn check_shading_rate(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    const PROPERTY: &str = "primitiveFragmentShadingRateWithMultipleViewports";
    let lacks = |device: &&Device| {
        let value = Limit::named(PROPERTY).and_then(|limit| device.limit(limit));
        value.is_some_and(|value| !value.contains("VK_TRUE"))
    };
    let Some(device) = problems.options.devices.iter().find(lacks) else {
        return;
    };
    let first_write = |built_in| written_built_in(part, built_in).1;
    let Some(rate) = first_write(BuiltIn::PrimitiveShadingRateKHR) else {
        return;
    };
    let rule = &pipeline::SHADING_RATE;
    let others = [BuiltIn::ViewportIndex, BuiltIn::ViewportMaskNV].into_iter();
    for (other, vuid) in others.zip(rule.vuids) {
        if first_write(other).is_none() {
            continue;
        }
        let message = format!(
            "the {} writes `PrimitiveShadingRateKHR` and `{other}`, for which it needs the property `{PROPERTY}`, \
             which `{}` doesn't have",
            part.kind(),
            device.name()
        );
        let finding = Finding::new(rule, rate, message).vuid(vuid);
        problems.add(part, finding, Vec::new());
    }
}

/// Checks that a stage that makes points writes their size where it may, and nowhere else.
fn check_point_size(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    const FEATURE: &str = "shaderTessellationAndGeometryPointSize";
    let rule = &pipeline::POINT_SIZE;
    let (mode, [missing, extra]) = match part.model() {
        E::Geometry => (M::OutputPoints, [rule.vuids[0], rule.vuids[1]]),
        _ => (M::PointMode, [rule.vuids[2], rule.vuids[3]]),
    };
    let Some(says) = part.mode(mode) else {
        return;
    };
    let devices = &problems.options.devices;
    let (written, first) = written_built_in(part, BuiltIn::PointSize);
    if let (Some(first), Some(device)) = (first, lacking(devices, FEATURE)) {
        let message = format!(
            "the {}, which has `{mode}`, writes `PointSize`, for which it needs the feature `{FEATURE}`, \
             which `{device}` doesn't have",
            part.kind()
        );
        let finding = Finding::new(rule, first, message).vuid(extra);
        problems.add(part, finding, Vec::new());
    }
    let has = |device: &Device, name| Feature::named(name).is_some_and(|it| device.has(it));
    let mut strict = devices
        .iter()
        .filter(|it| has(it, FEATURE) && !has(it, "maintenance5"));
    let doesnt = match written {
        Written::Always => return,
        Written::Sometimes => "emits vertices without having written",
        Written::Never => "doesn't write",
    };
    if let Some(device) = strict.next() {
        let message = format!(
            "the {} has `{mode}`, but {doesnt} `PointSize`, as it must with the feature `{FEATURE}` of `{}`, \
             which doesn't have `maintenance5`",
            part.kind(),
            device.name()
        );
        let finding = Finding::new(rule, says.offset(), message).vuid(missing);
        problems.add(part, finding, Vec::new());
    }
}
