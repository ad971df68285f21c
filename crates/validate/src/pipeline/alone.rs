//! What each stage needs of devices by what it takes of its interfaces, whatever pipeline it is in.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use spirvkit_analysis::layout::Types;
use spirvkit_binary::Id;
use spirvkit_grammar::{
    BuiltIn, Capability, ExecutionMode as M, ExecutionModel as E, StorageClass as S,
};
use spirvkit_vulkan::{Limit, Need, Wanted};

use super::Stage;
use super::built_ins::BuiltIns;
use super::elements::{Side, Taken};
use super::part::{self, Part};
use crate::module::{EntryPoint, Module};
use crate::rules::generated::pipeline;
use crate::rules::interfaces::listed;
use crate::rules::interfaces::places::Budget;
use crate::rules::transform_feedback::captured;

/// What the entry points of a module need of a device by themselves: as many locations, distances,
/// vertices and the like as their interfaces and execution modes have.
pub(crate) fn needs(m: &Module<'_>) -> Vec<Need> {
    // Compute shaders have nothing of what these are about.
    let is_compute = |it: &EntryPoint<'_>| it.model == E::GLCompute;
    if m.entry_points.iter().all(is_compute) {
        return Vec::new();
    }
    let types = Types::of(m);
    let layouts = OnceCell::new();
    let all = Stage::new(m.words);
    // All entry points may list all of a module; beyond all sense, those that come are left out.
    let most = 64 + (4 << 20) / m.words.len().max(1);
    let parts = part::parts(0, &all, m, (&types, &layouts));
    parts.iter().take(most).flat_map(of_part).collect()
}

fn of_part(part: &Part<'_, '_>) -> impl Iterator<Item = Need> + use<> {
    let mut most = Most::default();
    for class in [S::Input, S::Output] {
        let built_ins = BuiltIns::of(part, class, &mut Budget::of(part.m));
        add_locations(part, class, &built_ins, &mut most);
        add_distances(part, &built_ins, &mut most);
        add_sample_mask(part, &built_ins, &mut most);
    }
    add_modes(part, &mut most);
    add_feedback(part, &mut most);
    most.0.into_values().map(|it| it.1)
}

/// By the name and the rule of a limit, the most that is needed of it.
#[derive(Default)]
struct Most(BTreeMap<(&'static str, &'static str), (u64, Need)>);

impl Most {
    /// Adds what takes so much of a limit at an instruction. `vuid` is a place in the list of the rule.
    fn add(
        &mut self,
        (name, value): (&'static str, u64),
        vuid: Option<usize>,
        offset: u32,
        what: impl FnOnce() -> String,
    ) {
        let vuid = vuid.map_or("", |vuid| pipeline::LIMIT.vuids[vuid]);
        let is_less = |known: &(u64, Need)| known.0 >= value;
        let Some(limit) = Limit::named(name) else {
            return;
        };
        if self.0.get(&(name, vuid)).is_some_and(is_less) {
            return;
        }
        let wanted = Wanted::Reach {
            limit,
            dimension: 0,
            value: value as f64,
        };
        let need = Need::new(offset, vuid, what(), wanted);
        self.0.insert((name, vuid), (value, need));
    }
}

/// The limit of the locations of a stage, and how much of it each is.
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

/// The last location of inputs or outputs, of those for each patch, too, and the built-ins beside it.
fn add_locations(part: &Part<'_, '_>, class: S, built_ins: &BuiltIns, most: &mut Most) {
    let side = Side::of(part, class, &mut Budget::of(part.m));
    let element = |taken: &Taken| &side.elements[taken.element as usize];
    for is_patch in [false, true] {
        let own = side.taken.iter();
        let own = own.filter(|it| element(it).place.is_patch == is_patch);
        let (Some(last), Some((name, each))) = (
            own.max_by_key(|it| it.location),
            location_limit(part.model(), class, is_patch),
        ) else {
            continue;
        };
        let noun = match class {
            S::Input => "input",
            _ => "output",
        };
        let taken = last.location.saturating_add(1).saturating_mul(each);
        most.add((name, taken), Some(0), element(last).offset(part), || {
            format!(
                "location {} of {}, an {noun} of the {},",
                last.location,
                element(last).name(part),
                part.kind()
            )
        });
    }
    add_components(part, class, &side, built_ins, most);
}

/// The built-ins of a stage beside its locations: both count against the limit. How those for each patch and
/// each primitive do isn't said, so tessellation and meshes are left out.
fn add_components(
    part: &Part<'_, '_>,
    class: S,
    side: &Side,
    built_ins: &BuiltIns,
    most: &mut Most,
) {
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
    let built_ins = built_ins.components(part, &mut Budget::of(part.m));
    if built_ins == 0 {
        return;
    }
    let element = &side.elements[last.element as usize];
    let taken = end(last).saturating_add(built_ins);
    most.add((name, taken), Some(0), element.offset(part), || {
        format!(
            "{} in the {}, with {built_ins} components of built-ins beside it,",
            element.name(part),
            part.kind()
        )
    });
}

/// The lengths of `ClipDistance` and `CullDistance`.
fn add_distances(part: &Part<'_, '_>, built_ins: &BuiltIns, most: &mut Most) {
    let mut total = 0u64;
    let mut last = None;
    for (built_in, name, vuid) in [
        (BuiltIn::ClipDistance, "maxClipDistances", 2),
        (BuiltIn::CullDistance, "maxCullDistances", 3),
    ] {
        let Some((variable, ty)) = built_ins.find(built_in) else {
            continue;
        };
        let length = part.length(ty).unwrap_or(0);
        total = total.saturating_add(length);
        let offset = part.m.def_offset(variable);
        last = Some(offset);
        most.add((name, length), Some(vuid), offset, || {
            format!("`{built_in}` of length {length} in the {}", part.kind())
        });
    }
    let Some(offset) = last else { return };
    let name = "maxCombinedClipAndCullDistances";
    most.add((name, total), Some(4), offset, || {
        let kind = part.kind();
        format!("a length of {total} of `ClipDistance` and `CullDistance` together in the {kind}")
    });
}

/// The length of `SampleMask`.
fn add_sample_mask(part: &Part<'_, '_>, built_ins: &BuiltIns, most: &mut Most) {
    let Some((variable, ty)) = built_ins.find(BuiltIn::SampleMask) else {
        return;
    };
    let length = part.length(ty).unwrap_or(0);
    let offset = part.m.def_offset(variable);
    most.add(("maxSampleMaskWords", length), Some(10), offset, || {
        format!("`SampleMask` of length {length} in the {}", part.kind())
    });
}

/// The numbers in execution modes.
fn add_modes(part: &Part<'_, '_>, most: &mut Most) {
    let limits: &[(M, &'static str, usize)] = match part.model() {
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
        let number = inst.arg(2);
        most.add((name, number.into()), Some(vuid), inst.offset(), || {
            format!("`{mode}` of {number} in the {}", part.kind())
        });
    }
}

/// The buffers of transform feedback: how many, how large, and how much of each stream.
fn add_feedback(part: &Part<'_, '_>, most: &mut Most) {
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
    let mut streams: BTreeMap<u32, (u64, Id)> = BTreeMap::new();
    for (&(stream, buffer), &(end, variable)) in &ends {
        let offset = m.def_offset(variable);
        let name = m.name(variable);
        let count = ("maxTransformFeedbackBuffers", u64::from(buffer) + 1);
        most.add(count, None, offset, || {
            format!("buffer {buffer} of transform feedback, for {name},")
        });
        let size = ("maxTransformFeedbackBufferDataSize", end);
        most.add(size, Some(8), offset, || {
            format!("buffer {buffer} of transform feedback, of {end} bytes with {name},")
        });
        let total = streams.entry(stream).or_insert((0, variable));
        *total = (total.0.saturating_add(end), variable);
    }
    for (stream, (total, variable)) in streams {
        let name = m.name(variable);
        let size = ("maxTransformFeedbackStreamDataSize", total);
        most.add(size, Some(9), m.def_offset(variable), || {
            format!("stream {stream} of transform feedback, of {total} bytes with {name},")
        });
    }
}
