//! What tells image instructions and image types apart.

use spirvkit_grammar::{Capability, Dim, ImageFormat, Op};

use crate::module::{Image, Module};
use crate::pattern::{F32, FLOAT, NUMBER, Pattern};

/// How an instruction reaches texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lod {
    /// The hardware chooses the level of detail.
    Implicit,
    /// The instruction says it.
    Explicit,
    /// There is no filter.
    None,
}

/// What tells image instructions apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    pub(super) lod: Lod,
    /// Divides the coordinate by its last component.
    pub(super) projects: bool,
    /// Compares with a depth.
    pub(super) compares: bool,
    /// Gives residency, too.
    pub(super) is_sparse: bool,
    pub(super) gathers: bool,
}

/// The traits of a sampling or gathering instruction.
pub(super) fn traits(op: Op) -> Traits {
    use Op as O;
    let lod = match op {
        O::ImageSampleImplicitLod
        | O::ImageSampleDrefImplicitLod
        | O::ImageSampleProjImplicitLod
        | O::ImageSampleProjDrefImplicitLod
        | O::ImageSparseSampleImplicitLod
        | O::ImageSparseSampleDrefImplicitLod
        | O::ImageSparseSampleProjImplicitLod
        | O::ImageSparseSampleProjDrefImplicitLod => Lod::Implicit,
        O::ImageSampleExplicitLod
        | O::ImageSampleDrefExplicitLod
        | O::ImageSampleProjExplicitLod
        | O::ImageSampleProjDrefExplicitLod
        | O::ImageSparseSampleExplicitLod
        | O::ImageSparseSampleDrefExplicitLod
        | O::ImageSparseSampleProjExplicitLod
        | O::ImageSparseSampleProjDrefExplicitLod => Lod::Explicit,
        _ => Lod::None,
    };
    let projects = matches!(
        op,
        O::ImageSampleProjImplicitLod
            | O::ImageSampleProjExplicitLod
            | O::ImageSampleProjDrefImplicitLod
            | O::ImageSampleProjDrefExplicitLod
            | O::ImageSparseSampleProjImplicitLod
            | O::ImageSparseSampleProjExplicitLod
            | O::ImageSparseSampleProjDrefImplicitLod
            | O::ImageSparseSampleProjDrefExplicitLod
    );
    let gathers = matches!(
        op,
        O::ImageGather
            | O::ImageDrefGather
            | O::ImageSparseGather
            | O::ImageSparseDrefGather
            | O::ImageGatherQCOM
    );
    let compares = matches!(
        op,
        O::ImageSampleDrefImplicitLod
            | O::ImageSampleDrefExplicitLod
            | O::ImageSampleProjDrefImplicitLod
            | O::ImageSampleProjDrefExplicitLod
            | O::ImageSparseSampleDrefImplicitLod
            | O::ImageSparseSampleDrefExplicitLod
            | O::ImageSparseSampleProjDrefImplicitLod
            | O::ImageSparseSampleProjDrefExplicitLod
            | O::ImageDrefGather
            | O::ImageSparseDrefGather
    );
    let is_sparse = matches!(
        op,
        O::ImageSparseSampleImplicitLod
            | O::ImageSparseSampleExplicitLod
            | O::ImageSparseSampleDrefImplicitLod
            | O::ImageSparseSampleDrefExplicitLod
            | O::ImageSparseSampleProjImplicitLod
            | O::ImageSparseSampleProjExplicitLod
            | O::ImageSparseSampleProjDrefImplicitLod
            | O::ImageSparseSampleProjDrefExplicitLod
            | O::ImageSparseFetch
            | O::ImageSparseRead
            | O::ImageSparseGather
            | O::ImageSparseDrefGather
    );
    Traits {
        lod,
        projects,
        compares,
        is_sparse,
        gathers,
    }
}

/// The number of coordinates within one layer and face; 0 for an unknown
/// dimensionality.
pub(super) fn plane_size(dim: Dim) -> u32 {
    match dim {
        Dim::Dim1D | Dim::Buffer => 1,
        Dim::Dim2D | Dim::Rect | Dim::SubpassData | Dim::TileImageDataEXT => 2,
        Dim::Dim3D | Dim::Cube => 3,
        _ => 0,
    }
}

/// The fewest components of a coordinate.
pub(super) fn coordinate_size(op: Op, image: &Image) -> u32 {
    let is_access = matches!(op, Op::ImageRead | Op::ImageWrite | Op::ImageSparseRead);
    match image.dim {
        // The third is the face, or the face of the layer.
        Dim::Cube if is_access => 3,
        dim => plane_size(dim) + u32::from(image.arrayed) + u32::from(traits(op).projects),
    }
}

/// The dimensionalities that have levels of detail.
pub(super) fn has_levels(dim: Dim) -> bool {
    matches!(dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::Cube)
}

pub(super) const NUMBERS: Pattern = NUMBER.scalar_or_vector();

/// Floats by which sampling finds its place and level: of 32 bits, with
/// `SPV_AMD_gpu_shader_half_float_fetch` of 16 bits, too.
pub(super) fn place_float(m: &Module<'_>) -> Pattern {
    match m.has(Capability::Float16ImageAMD) {
        true => FLOAT.widths(&[16, 32]),
        false => F32,
    }
}

/// Whether the texels of a format are signed integers (`Some(true)`), unsigned
/// integers (`Some(false)`) or anything else.
pub(super) fn format_sign(format: ImageFormat) -> Option<bool> {
    use ImageFormat as F;
    match format {
        F::Rgba32i
        | F::Rgba16i
        | F::Rgba8i
        | F::R32i
        | F::Rg32i
        | F::Rg16i
        | F::Rg8i
        | F::R16i
        | F::R8i
        | F::R64i => Some(true),
        F::Rgba32ui
        | F::Rgba16ui
        | F::Rgba8ui
        | F::R32ui
        | F::Rgb10a2ui
        | F::Rg32ui
        | F::Rg16ui
        | F::Rg8ui
        | F::R16ui
        | F::R8ui
        | F::R64ui => Some(false),
        _ => None,
    }
}
