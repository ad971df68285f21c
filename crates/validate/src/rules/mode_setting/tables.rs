//! What the execution modes are for.

use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionMode, ExecutionModel, OperandKind};

use crate::module::{Models, Module};

const GEOMETRY: Models = Models::of(&[ExecutionModel::Geometry]);
const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);
const KERNEL: Models = Models::of(&[ExecutionModel::Kernel]);
const TESSELLATION: Models = Models::of(&[
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
]);
const GEOMETRY_OR_TESSELLATION: Models = Models::of(&[
    ExecutionModel::Geometry,
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
]);
const GEOMETRY_OR_MESH: Models = Models::of(&[
    ExecutionModel::Geometry,
    ExecutionModel::MeshNV,
    ExecutionModel::MeshEXT,
]);
const GEOMETRY_TESSELLATION_OR_MESH: Models = Models::of(&[
    ExecutionModel::Geometry,
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
    ExecutionModel::MeshNV,
    ExecutionModel::MeshEXT,
]);
const MESH: Models = Models::of(&[ExecutionModel::MeshNV, ExecutionModel::MeshEXT]);
const WORKGROUPS: Models = Models::of(&[
    ExecutionModel::Kernel,
    ExecutionModel::GLCompute,
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
]);
const FRAGMENT_OR_COMPUTE: Models =
    Models::of(&[ExecutionModel::Fragment, ExecutionModel::GLCompute]);

/// The execution models that a mode is for; `None` if it is for any.
pub(super) fn models_of(mode: ExecutionMode) -> Option<Models> {
    use ExecutionMode as Mode;
    Some(match mode {
        Mode::Invocations
        | Mode::InputPoints
        | Mode::InputLines
        | Mode::InputLinesAdjacency
        | Mode::InputTrianglesAdjacency
        | Mode::OutputLineStrip
        | Mode::OutputTriangleStrip => GEOMETRY,
        Mode::OutputPoints => GEOMETRY_OR_MESH,
        Mode::SpacingEqual
        | Mode::SpacingFractionalEven
        | Mode::SpacingFractionalOdd
        | Mode::VertexOrderCw
        | Mode::VertexOrderCcw
        | Mode::PointMode
        | Mode::Quads
        | Mode::Isolines => TESSELLATION,
        Mode::Triangles => GEOMETRY_OR_TESSELLATION,
        Mode::OutputVertices => GEOMETRY_TESSELLATION_OR_MESH,
        Mode::OutputLinesEXT | Mode::OutputTrianglesEXT | Mode::OutputPrimitivesEXT => MESH,
        Mode::QuadDerivativesKHR => FRAGMENT_OR_COMPUTE,
        Mode::PixelCenterInteger
        | Mode::OriginUpperLeft
        | Mode::OriginLowerLeft
        | Mode::EarlyFragmentTests
        | Mode::DepthReplacing
        | Mode::DepthGreater
        | Mode::DepthLess
        | Mode::DepthUnchanged
        | Mode::PostDepthCoverage
        | Mode::StencilRefReplacingEXT
        | Mode::EarlyAndLateFragmentTestsAMD
        | Mode::NonCoherentColorAttachmentReadEXT
        | Mode::NonCoherentDepthAttachmentReadEXT
        | Mode::NonCoherentStencilAttachmentReadEXT
        | Mode::PixelInterlockOrderedEXT
        | Mode::PixelInterlockUnorderedEXT
        | Mode::SampleInterlockOrderedEXT
        | Mode::SampleInterlockUnorderedEXT
        | Mode::ShadingRateInterlockOrderedEXT
        | Mode::ShadingRateInterlockUnorderedEXT
        | Mode::StencilRefUnchangedFrontAMD
        | Mode::StencilRefGreaterFrontAMD
        | Mode::StencilRefLessFrontAMD
        | Mode::StencilRefUnchangedBackAMD
        | Mode::StencilRefGreaterBackAMD
        | Mode::StencilRefLessBackAMD
        | Mode::RequireFullQuadsKHR => FRAGMENT,
        Mode::LocalSizeHint | Mode::VecTypeHint | Mode::ContractionOff | Mode::LocalSizeHintId => {
            KERNEL
        }
        Mode::LocalSize | Mode::LocalSizeId => WORKGROUPS,
        _ => return None,
    })
}

/// Whether a mode's operands are ids, so that it needs `OpExecutionModeId`.
pub(super) fn takes_ids(mode: ExecutionMode) -> bool {
    let info = OperandKind::ExecutionMode.enumerant(mode.0);
    let first = info.and_then(|info| info.parameters().first());
    first.is_some_and(|operand| operand.is_id())
}

/// Whether a mode may be repeated with another first operand, such as the width
/// of the floating-point type that it speaks of.
pub(super) fn is_per_operand(mode: ExecutionMode) -> bool {
    use ExecutionMode as Mode;
    matches!(
        mode,
        Mode::DenormPreserve
            | Mode::DenormFlushToZero
            | Mode::SignedZeroInfNanPreserve
            | Mode::RoundingModeRTE
            | Mode::RoundingModeRTZ
            | Mode::FPFastMathDefault
            | Mode::RoundingModeRTPINTEL
            | Mode::RoundingModeRTNINTEL
            | Mode::FloatingPointModeALTINTEL
            | Mode::FloatingPointModeIEEEINTEL
    )
}

/// The modes of all entry points, for asking which a function has.
pub(crate) struct Modes {
    /// Function, mode and offset, sorted.
    entries: Vec<(u32, u32, u32)>,
}

impl Modes {
    pub(crate) fn of(m: &Module<'_>) -> Self {
        let all = m.all_execution_modes();
        let mut entries: Vec<_> = all
            .map(|(function, inst)| (function.0, inst.arg(1), inst.offset()))
            .collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// The offset of the instruction that gives a function a mode.
    pub(crate) fn find(&self, function: Id, mode: ExecutionMode) -> Option<u32> {
        let key = (function.0, mode.0, 0);
        let start = self.entries.partition_point(|entry| *entry < key);
        let entry = self.entries.get(start)?;
        ((entry.0, entry.1) == (function.0, mode.0)).then_some(entry.2)
    }

    pub(crate) fn has(&self, function: Id, mode: ExecutionMode) -> bool {
        self.find(function, mode).is_some()
    }

    /// The modes of a group that a function has.
    pub(crate) fn of_group(&self, function: Id, group: &[ExecutionMode]) -> Vec<ExecutionMode> {
        let all = group.iter().copied();
        all.filter(|&mode| self.has(function, mode)).collect()
    }

    /// How many modes of a group a function has.
    pub(crate) fn count(&self, function: Id, group: &[ExecutionMode]) -> usize {
        let all = group.iter();
        all.filter(|&&mode| self.has(function, mode)).count()
    }

    /// Function, mode and offset of each, sorted.
    pub(crate) fn entries(&self) -> &[(u32, u32, u32)] {
        &self.entries
    }
}
