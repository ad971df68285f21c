//! Modes that entry points must have, or of which they may have but one.

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::{ExecutionMode as Mode, ExecutionModel};

use crate::finding::{CheckResult, Finding, all};
use crate::module::EntryPoint;
use crate::rule::{Example, Frame, Rule};
use crate::rules::mode_setting::Modes;

pub(super) static GEOMETRY: Rule = Rule {
    id: "entry-point.geometry-modes",
    class: InvalidData,
    section: "2.16.2",
    vuids: &[],
    text: "A geometry shader declares which primitives it receives and which it emits: exactly one kind of each.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\"
OpExecutionMode %main Triangles
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\"
OpExecutionMode %main Triangles
OpExecutionMode %main OutputPoints
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static FRAGMENT_ORIGIN: Rule = Rule {
    id: "entry-point.fragment-origin",
    class: InvalidData,
    section: "2.16.2",
    vuids: &[],
    text: "A fragment shader declares where its origin is: upper left or lower left, not both.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpExecutionMode %main EarlyFragmentTests",
        keeps: "OpExecutionMode %main OriginUpperLeft",
    },
};

pub(super) static FRAGMENT_MODES: Rule = Rule {
    id: "entry-point.fragment-modes",
    class: InvalidData,
    section: "3.6",
    vuids: &[],
    text: "A fragment shader has at most one execution mode for how it changes the depth, one for the stencil \
           reference of each side, and one interlock mode.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main DepthReplacing
OpExecutionMode %main DepthGreater
OpExecutionMode %main DepthLess",
        keeps: "OpExecutionMode %main OriginUpperLeft
OpExecutionMode %main DepthReplacing
OpExecutionMode %main DepthGreater",
    },
};

pub(super) static TESSELLATION: Rule = Rule {
    id: "entry-point.tessellation-modes",
    class: InvalidData,
    section: "3.6",
    vuids: &[],
    text: "A tessellation shader has at most one spacing, one kind of primitive and one vertex order.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main \"main\"
OpExecutionMode %main Quads
OpExecutionMode %main VertexOrderCw
OpExecutionMode %main VertexOrderCcw
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main \"main\"
OpExecutionMode %main Quads
OpExecutionMode %main VertexOrderCw
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

pub(super) static MESH: Rule = Rule {
    id: "entry-point.mesh-modes",
    class: InvalidData,
    section: "SPV_EXT_mesh_shader",
    vuids: &[],
    text: "A mesh shader declares exactly one kind of primitive that it emits, and the maximum numbers of vertices \
           and primitives.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main OutputPrimitivesEXT 1
OpExecutionMode %main OutputPoints
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
        keeps: "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpMemoryModel Logical GLSL450
OpEntryPoint MeshEXT %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main OutputVertices 1
OpExecutionMode %main OutputPrimitivesEXT 1
OpExecutionMode %main OutputPoints
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd",
    },
};

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
        rule: &FRAGMENT_ORIGIN,
        needs: Needs::ExactlyOne,
        modes: &[Mode::OriginUpperLeft, Mode::OriginLowerLeft],
    },
    Group {
        rule: &FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged],
    },
    Group {
        rule: &FRAGMENT_MODES,
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
        rule: &FRAGMENT_MODES,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::StencilRefUnchangedFrontAMD,
            Mode::StencilRefLessFrontAMD,
            Mode::StencilRefGreaterFrontAMD,
        ],
    },
    Group {
        rule: &FRAGMENT_MODES,
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
        rule: &TESSELLATION,
        needs: Needs::AtMostOne,
        modes: &[
            Mode::SpacingEqual,
            Mode::SpacingFractionalEven,
            Mode::SpacingFractionalOdd,
        ],
    },
    Group {
        rule: &TESSELLATION,
        needs: Needs::AtMostOne,
        modes: &[Mode::Triangles, Mode::Quads, Mode::Isolines],
    },
    Group {
        rule: &TESSELLATION,
        needs: Needs::AtMostOne,
        modes: &[Mode::VertexOrderCw, Mode::VertexOrderCcw],
    },
];

static GEOMETRY_GROUPS: &[Group] = &[
    Group {
        rule: &GEOMETRY,
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
        rule: &GEOMETRY,
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
        rule: &MESH,
        needs: Needs::ExactlyOne,
        modes: &[
            Mode::OutputPoints,
            Mode::OutputLinesEXT,
            Mode::OutputTrianglesEXT,
        ],
    },
    Group {
        rule: &MESH,
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
        let names: Vec<String> = modes.iter().map(Mode::to_string).collect();
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
        "entry point \"{}\" for {} must have {needs} of the modes {}, but has {found}",
        entry.name(),
        entry.model,
        list(group.modes)
    );
    Finding::new(group.rule, entry.inst.offset(), message)
}
