//! Modes that entry points must have, or of which they may have but one.

use spirvkit_grammar::{ExecutionMode as Mode, ExecutionModel};

use crate::finding::{CheckResult, Finding, all};
use crate::module::EntryPoint;
use crate::rule::Rule;
use crate::rules::generated::entry_point;
use crate::rules::mode_setting::Modes;

/// How many of a group an entry point has.
#[derive(Clone, Copy, PartialEq)]
enum Needs {
    AtMostOne,
    ExactlyOne,
    All,
}

/// A group of modes, of which entry points of a model have so many.
struct Group {
    rule: &'static Rule,
    needs: Needs,
    modes: &'static [Mode],
}

static FRAGMENT_GROUPS: &[Group] = &[
    Group {
        rule: &entry_point::FRAGMENT_ORIGIN,
        needs: Needs::ExactlyOne,
        modes: &[Mode::OriginUpperLeft, Mode::OriginLowerLeft],
    },
    Group {
        rule: &entry_point::FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged],
    },
    Group {
        rule: &entry_point::FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::PixelInterlockOrderedEXT,
            Mode::PixelInterlockUnorderedEXT,
            Mode::SampleInterlockOrderedEXT,
            Mode::SampleInterlockUnorderedEXT,
            Mode::ShadingRateInterlockOrderedEXT,
            Mode::ShadingRateInterlockUnorderedEXT,
        ],
    },
    Group {
        rule: &entry_point::FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::StencilRefUnchangedFrontAMD,
            Mode::StencilRefLessFrontAMD,
            Mode::StencilRefGreaterFrontAMD,
        ],
    },
    Group {
        rule: &entry_point::FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::StencilRefUnchangedBackAMD,
            Mode::StencilRefLessBackAMD,
            Mode::StencilRefGreaterBackAMD,
        ],
    },
];

static TESSELLATION_GROUPS: &[Group] = &[
    Group {
        rule: &entry_point::TESSELLATION_MODES,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::SpacingEqual,
            Mode::SpacingFractionalEven,
            Mode::SpacingFractionalOdd,
        ],
    },
    Group {
        rule: &entry_point::TESSELLATION_MODES,
        needs: Needs::AtMostOne,
        modes: &[Mode::Triangles, Mode::Quads, Mode::Isolines],
    },
    Group {
        rule: &entry_point::TESSELLATION_MODES,
        needs: Needs::AtMostOne,
        modes: &[Mode::VertexOrderCw, Mode::VertexOrderCcw],
    },
];

static GEOMETRY_GROUPS: &[Group] = &[
    Group {
        rule: &entry_point::GEOMETRY_MODES,
        needs: Needs::ExactlyOne,
        modes: &[
            Mode::InputPoints,
            Mode::InputLines,
            Mode::InputLinesAdjacency,
            Mode::Triangles,
            Mode::InputTrianglesAdjacency,
        ],
    },
    Group {
        rule: &entry_point::GEOMETRY_MODES,
        needs: Needs::ExactlyOne,
        modes: &[
            Mode::OutputPoints,
            Mode::OutputLineStrip,
            Mode::OutputTriangleStrip,
        ],
    },
];

static MESH_GROUPS: &[Group] = &[
    Group {
        rule: &entry_point::MESH_MODES,
        needs: Needs::ExactlyOne,
        modes: &[
            Mode::OutputPoints,
            Mode::OutputLinesEXT,
            Mode::OutputTrianglesEXT,
        ],
    },
    Group {
        rule: &entry_point::MESH_MODES,
        needs: Needs::All,
        modes: &[Mode::OutputPrimitivesEXT, Mode::OutputVertices],
    },
];

/// Checks that an entry point has the modes that its model needs.
pub(super) fn check(modes: &Modes, entry: &EntryPoint<'_>) -> CheckResult {
    let groups = match entry.model {
        ExecutionModel::Fragment => FRAGMENT_GROUPS,
        ExecutionModel::TessellationControl | ExecutionModel::TessellationEvaluation => {
            TESSELLATION_GROUPS
        }
        ExecutionModel::Geometry => GEOMETRY_GROUPS,
        ExecutionModel::MeshEXT => MESH_GROUPS,
        _ => return Ok(()),
    };
    all(groups.iter().map(|group| {
        let count = modes.count(entry.function, group.modes);
        let fits = match group.needs {
            Needs::AtMostOne => count <= 1,
            Needs::ExactlyOne => count == 1,
            Needs::All => count == group.modes.len(),
        };
        if !fits {
            return Err(finding(modes, entry, group));
        }
        Ok(())
    }))
}

#[cold]
fn finding(modes: &Modes, entry: &EntryPoint<'_>, group: &Group) -> Finding {
    let list = |modes: &[Mode]| {
        let names: Vec<String> = modes.iter().map(|mode| format!("`{mode}`")).collect();
        names.join(", ")
    };
    let needs = match group.needs {
        Needs::AtMostOne => "at most one",
        Needs::ExactlyOne => "exactly one",
        Needs::All => "all",
    };
    let found = modes.of_group(entry.function, group.modes);
    let found = match found.is_empty() {
        true => "none".to_owned(),
        false => list(&found),
    };
    let message = format!(
        "entry point \"{}\" for `{}` must have {needs} of the modes {}, but has {found}",
        entry.name(),
        entry.model,
        list(group.modes)
    );
    Finding::new(group.rule, entry.inst.offset(), message)
}
