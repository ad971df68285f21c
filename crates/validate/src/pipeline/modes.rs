//! Execution modes of stages that work together.

use spirvkit_grammar::{ExecutionMode as M, ExecutionModel as E};

use super::part::Part;
use super::problems::{Problems, note, note_entry};
use super::stages;
use crate::finding::Finding;
use crate::module::Inst;
use crate::rules::generated::pipeline;

/// Modes of which the tessellation stages have one together.
struct Choice {
    what: &'static str,
    modes: &'static [M],
}

const SUBDIVISION: Choice = Choice {
    what: "the type of subdivision",
    modes: &[M::Triangles, M::Quads, M::Isolines],
};

/// What needn't be said, but not differently.
const OTHERS: &[Choice] = &[
    Choice {
        what: "the spacing",
        modes: &[
            M::SpacingEqual,
            M::SpacingFractionalEven,
            M::SpacingFractionalOdd,
        ],
    },
    Choice {
        what: "the order of vertices",
        modes: &[M::VertexOrderCw, M::VertexOrderCcw],
    },
];

impl Choice {
    fn of<'p>(&self, part: &'p Part<'_, '_>) -> Option<Inst<'p>> {
        self.modes.iter().find_map(|&mode| part.mode(mode))
    }
}

/// Checks the modes of all stages.
pub(super) fn check(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) {
    let find = |model: E| parts.iter().find(|it| it.model() == model);
    if let (Some(control), Some(evaluation)) = (
        find(E::TessellationControl),
        find(E::TessellationEvaluation),
    ) {
        check_tessellation(control, evaluation, problems);
        if let Some(geometry) = find(E::Geometry) {
            check_primitive(control, evaluation, geometry, problems);
        }
    }
    check_capture(parts, problems);
    for part in parts {
        check_counts(part, problems);
    }
}

/// Checks that what is counted is there at all.
fn check_counts(part: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let rule = &pipeline::ZERO_COUNT;
    let counts: &[(M, usize)] = match part.model() {
        E::TessellationControl | E::TessellationEvaluation => &[(M::OutputVertices, 0)],
        E::Geometry => &[(M::OutputVertices, 1), (M::Invocations, 2)],
        _ => &[],
    };
    for &(mode, vuid) in counts {
        let Some(inst) = part.mode(mode).filter(|inst| inst.arg(2) == 0) else {
            continue;
        };
        let message = format!("`{mode}` of the {} must be greater than 0", part.kind());
        let finding = Finding::new(rule, inst.offset(), message).vuid(rule.vuids[vuid]);
        problems.add(part, finding, Vec::new());
    }
}

/// Checks that at most the last stage before the rasterizer captures what it writes.
fn check_capture(parts: &[Part<'_, '_>], problems: &mut Problems<'_>) {
    let rule = &pipeline::CAPTURE;
    let is_mesh = |part: &Part<'_, '_>| stages::is_mesh(part.model());
    let mut before = parts.iter().rev();
    let Some(last) = before.find(|it| stages::is_primitive(it.model()) || is_mesh(it)) else {
        return;
    };
    let captures = |part| Some((part, Part::mode(part, M::Xfb)?));
    let all: Vec<_> = parts.iter().filter_map(captures).collect();
    for &(part, mode) in &all {
        let (but, vuid) = match (part.model() == last.model(), all.len()) {
            _ if is_mesh(last) => ("of meshes nothing is captured", rule.vuids[2]),
            (true, _) => continue,
            (false, 1) => (
                "it is not the last stage that makes primitives",
                rule.vuids[1],
            ),
            (false, _) => ("another stage has it, too", rule.vuids[0]),
        };
        let message = format!("the {} has the mode `{}`, but {but}", part.kind(), M::Xfb);
        let finding = Finding::new(rule, mode.offset(), message).vuid(vuid);
        problems.add(part, finding, vec![note_entry(last)]);
    }
}

fn check_tessellation(
    control: &Part<'_, '_>,
    evaluation: &Part<'_, '_>,
    problems: &mut Problems<'_>,
) {
    let missing = &pipeline::TESSELLATION_MISSING;
    let different = &pipeline::TESSELLATION_MODES;
    let pairs = |choice: &Choice| (choice.of(control), choice.of(evaluation));
    let differ = |what: &str, one: Inst<'_>, other: Inst<'_>| {
        let shown = |inst: Inst<'_>| match M(inst.arg(1)) {
            M::OutputVertices => inst.arg(2).to_string(),
            mode => format!("`{mode}`"),
        };
        let message = format!(
            "{what} is {} in the {}, but {} in the {}",
            shown(other),
            evaluation.kind(),
            shown(one),
            control.kind()
        );
        let note = note(control, one.offset(), "it is said here");
        (Finding::new(different, other.offset(), message), note)
    };
    match pairs(&SUBDIVISION) {
        (None, None) => {
            let message = format!(
                "neither the {} nor the {} says {}: `Triangles`, `Quads` or `Isolines`",
                control.kind(),
                evaluation.kind(),
                SUBDIVISION.what
            );
            let finding = Finding::new(missing, evaluation.entry.inst.offset(), message);
            problems.add(evaluation, finding.vuid(missing.vuids[0]), Vec::new());
        }
        (Some(one), Some(other)) if one.arg(1) != other.arg(1) => {
            let (finding, note) = differ(SUBDIVISION.what, one, other);
            problems.add(evaluation, finding.vuid(different.vuids[0]), vec![note]);
        }
        _ => {}
    }
    let size = |part| Part::mode(part, M::OutputVertices);
    match (size(control), size(evaluation)) {
        (None, None) => {
            let message = format!(
                "neither the {} nor the {} says how many vertices a patch has (`OutputVertices`)",
                control.kind(),
                evaluation.kind(),
            );
            let finding = Finding::new(missing, control.entry.inst.offset(), message);
            problems.add(control, finding.vuid(missing.vuids[1]), Vec::new());
        }
        (Some(one), Some(other)) if one.arg(2) != other.arg(2) => {
            let (finding, note) = differ("the size of patches", one, other);
            problems.add(evaluation, finding.vuid(different.vuids[1]), vec![note]);
        }
        _ => {}
    }
    for choice in OTHERS {
        if let (Some(one), Some(other)) = pairs(choice)
            && one.arg(1) != other.arg(1)
        {
            let (finding, note) = differ(choice.what, one, other);
            problems.add(evaluation, finding.vuid_if(false), vec![note]);
        }
    }
}

/// Checks that a geometry shader takes the primitives that tessellation makes.
fn check_primitive(
    control: &Part<'_, '_>,
    evaluation: &Part<'_, '_>,
    geometry: &Part<'_, '_>,
    problems: &mut Problems<'_>,
) {
    let has = |mode| evaluation.mode(mode).or_else(|| control.mode(mode));
    let is_isolines = has(M::Isolines).is_some();
    let (made, wanted) = match (has(M::PointMode), is_isolines) {
        (Some(_), _) => ("points", M::InputPoints),
        (None, true) => ("lines", M::InputLines),
        (None, false) if has(M::Triangles).or(has(M::Quads)).is_some() => {
            ("triangles", M::Triangles)
        }
        _ => return,
    };
    let taken = [
        M::InputPoints,
        M::InputLines,
        M::InputLinesAdjacency,
        M::Triangles,
        M::InputTrianglesAdjacency,
    ];
    let Some(taken) = taken.iter().find_map(|&mode| geometry.mode(mode)) else {
        return;
    };
    let mode = M(taken.arg(1));
    if mode != wanted {
        let message = format!(
            "the {} takes `{mode}`, but the tessellation shaders make {made}",
            geometry.kind()
        );
        let finding = Finding::new(&pipeline::PRIMITIVE, taken.offset(), message);
        let said = [M::PointMode, M::Isolines, M::Triangles, M::Quads];
        let said = said.iter().find_map(|&mode| evaluation.mode(mode));
        let notes = said.map(|inst| note(evaluation, inst.offset(), "that is said here"));
        problems.add(geometry, finding, notes.into_iter().collect());
    }
}
