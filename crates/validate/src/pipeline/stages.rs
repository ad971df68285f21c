//! Which stages a pipeline has.

use spirvkit_grammar::ExecutionModel as E;

use super::part::Part;
use super::problems::{Problems, note_entry};
use crate::finding::Finding;
use crate::rules::generated::pipeline;

/// What to do if a module has more entry points than the pipeline stages.
const NAME_IT: &str = "name the entry point that is meant, as `FILE:ENTRY`";

/// What kinds of pipelines run a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bind {
    Graphics,
    Compute,
    RayTracing,
    None,
}

impl Bind {
    pub(super) fn of(model: E) -> Self {
        match model {
            E::Vertex
            | E::TessellationControl
            | E::TessellationEvaluation
            | E::Geometry
            | E::Fragment
            | E::TaskNV
            | E::TaskEXT
            | E::MeshNV
            | E::MeshEXT => Self::Graphics,
            E::GLCompute => Self::Compute,
            E::RayGenerationKHR
            | E::IntersectionKHR
            | E::AnyHitKHR
            | E::ClosestHitKHR
            | E::MissKHR
            | E::CallableKHR => Self::RayTracing,
            _ => Self::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Graphics => "a graphics pipeline",
            Self::Compute => "a compute pipeline",
            Self::RayTracing => "a ray tracing pipeline",
            Self::None => "no pipeline of Vulkan",
        }
    }
}

pub(super) fn is_mesh(model: E) -> bool {
    matches!(model, E::MeshNV | E::MeshEXT)
}

fn is_task(model: E) -> bool {
    matches!(model, E::TaskNV | E::TaskEXT)
}

/// Whether a model is of the stages that make primitives of vertices.
pub(super) fn is_primitive(model: E) -> bool {
    matches!(
        model,
        E::Vertex | E::TessellationControl | E::TessellationEvaluation | E::Geometry
    )
}

/// Checks which stages there are. Returns whether it is clear what stands next to what.
pub(super) fn check(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) -> bool {
    let Some(first) = parts.first() else {
        return false;
    };
    let bind = Bind::of(first.model());
    if let Some(other) = parts.iter().find(|it| Bind::of(it.model()) != bind) {
        let message = format!(
            "a {} is part of {}, but the {} is part of {}",
            other.kind(),
            Bind::of(other.model()).name(),
            first.kind(),
            bind.name()
        );
        let rule = &pipeline::MIXED;
        let finding = Finding::new(rule, other.entry.inst.offset(), message).vuid_if(false);
        // All entry points of a module count, unless one is named.
        let finding = match other.stage == first.stage {
            true => finding.help(NAME_IT),
            false => finding,
        };
        problems.add(other, finding, vec![note_entry(first)]);
        return false;
    }
    if bind == Bind::None {
        let message = format!("a `{}` is part of {}", first.model(), bind.name());
        let rule = &pipeline::MIXED;
        let finding = Finding::new(rule, first.entry.inst.offset(), message).vuid_if(false);
        problems.add(first, finding, Vec::new());
        return false;
    }
    let mut is_clear = true;
    if bind != Bind::RayTracing {
        for pair in parts.windows(2).filter(|it| it[0].order() == it[1].order()) {
            let [one, other] = pair else { continue };
            let message = format!(
                "a pipeline has one {}, but there are \"{}\" and \"{}\"",
                other.kind(),
                one.name(),
                other.name()
            );
            let rule = &pipeline::STAGE_TWICE;
            let finding = Finding::new(rule, other.entry.inst.offset(), message);
            let finding = finding.help(NAME_IT);
            problems.add(other, finding, vec![note_entry(one)]);
            is_clear = false;
        }
    }
    if bind == Bind::Graphics {
        check_graphics(parts, problems);
        is_clear &= check_mesh(parts, problems);
    }
    is_clear
}

/// Checks which stages come together.
fn check_graphics(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) {
    let find = |model: E| parts.iter().find(|it| it.model() == model);
    let rule = &pipeline::STAGE_MISSING;
    let (control, evaluation) = (
        find(E::TessellationControl),
        find(E::TessellationEvaluation),
    );
    let mut missing = |part: &Part<'_, '_>, what: &str, vuid| {
        let message = format!("the pipeline has a {}, but no {what}", part.kind());
        let finding = Finding::new(rule, part.entry.inst.offset(), message).vuid(vuid);
        problems.add(part, finding, Vec::new());
    };
    match (control, evaluation) {
        (Some(part), None) => missing(part, "tessellation evaluation shader", rule.vuids[0]),
        (None, Some(part)) => missing(part, "tessellation control shader", rule.vuids[1]),
        _ => {}
    }
    // A fragment shader alone may be a part of a pipeline that is linked later.
    let needs_vertex = parts.iter().find(|it| is_primitive(it.model()));
    let has_mesh = parts.iter().any(|it| is_mesh(it.model()));
    match needs_vertex {
        Some(part) if find(E::Vertex).is_none() && !has_mesh => {
            missing(part, "vertex shader", rule.vuids[2]);
        }
        _ => {}
    }
    match parts.iter().find(|it| is_task(it.model())) {
        Some(task) if !has_mesh && needs_vertex.is_none() => {
            missing(task, "mesh shader", rule.vuids[2]);
        }
        _ => {}
    }
}

/// Checks that stages for meshes and those for primitives don't mix.
fn check_mesh(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) -> bool {
    let for_meshes = |it: &&Part<'_, '_>| is_mesh(it.model()) || is_task(it.model());
    let Some(mesh) = parts.iter().find(for_meshes) else {
        return true;
    };
    if let Some(part) = parts.iter().find(|it| is_primitive(it.model())) {
        let rule = &pipeline::MESH_STAGES;
        let message = format!(
            "the pipeline has a {} and a {}; it takes either vertices or meshes",
            part.kind(),
            mesh.kind()
        );
        let finding = Finding::new(rule, mesh.entry.inst.offset(), message).vuid(rule.vuids[0]);
        problems.add(mesh, finding, vec![note_entry(part)]);
        return false;
    }
    let is_old = |model| matches!(model, E::MeshNV | E::TaskNV);
    let all = parts.iter().filter(for_meshes);
    let mut others = all.filter(|it| is_old(it.model()) != is_old(mesh.model()));
    let other = others.next();
    match other {
        None => true,
        Some(other) => {
            let message = format!(
                "the {} is of the model `{}`, and the {} of `{}`: they are of different extensions",
                mesh.kind(),
                mesh.model(),
                other.kind(),
                other.model()
            );
            let rule = &pipeline::MESH_STAGES;
            let finding = Finding::new(rule, other.entry.inst.offset(), message);
            let finding = finding.vuid(rule.vuids[1]);
            problems.add(other, finding, vec![note_entry(mesh)]);
            false
        }
    }
}

/// Stages of a graphics pipeline that pass inputs and outputs: the one that writes, the one that
/// reads.
pub(super) fn neighbours<'p, 'm, 'a>(
    parts: &'p [Part<'m, 'a>],
) -> impl Iterator<Item = (&'p Part<'m, 'a>, &'p Part<'m, 'a>)> {
    let pairs = parts.windows(2).filter_map(|pair| match pair {
        [one, other] => Some((one, other)),
        _ => None,
    });
    let is_passed = |(one, other): &(&Part<'_, '_>, &Part<'_, '_>)| {
        let graphics = [one, other].map(|it| Bind::of(it.model()) == Bind::Graphics);
        // Task shaders pass payloads.
        graphics == [true, true] && !is_task(one.model())
    };
    pairs.filter(is_passed)
}
