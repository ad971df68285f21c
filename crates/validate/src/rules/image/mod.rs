//! Image instructions (specification, section 3.32.10), and those that
//! extensions add.

/// A piece of an example: lines after the load of an image with its sampler, as
/// `%value`. The image's type may be given before the lines, and before that what
/// comes first.
macro_rules! sampled {
    ($lines:literal) => {
        sampled!("%f32 2D 0 0 0 1 Unknown", $lines)
    };
    ($type:literal, $lines:literal) => {
        sampled!("", $type, $lines)
    };
    ($before:literal, $type:literal, $lines:literal) => {
        concat!(
            $before,
            "\n%image = OpTypeImage ",
            $type,
            "
%sampled = OpTypeSampledImage %image
%ptr_sampled = OpTypePointer UniformConstant %sampled
%var = OpVariable %ptr_sampled UniformConstant
%value = OpLoad %sampled %var
",
            $lines
        )
    };
}

/// The same with an image that has no sampler.
macro_rules! image {
    ($lines:literal) => {
        image!("%f32 2D 0 0 0 2 R32f", $lines)
    };
    ($type:literal, $lines:literal) => {
        image!("", $type, $lines)
    };
    ($before:literal, $type:literal, $lines:literal) => {
        concat!(
            $before,
            "\n%image = OpTypeImage ",
            $type,
            "
%ptr_image = OpTypePointer UniformConstant %image
%var = OpVariable %ptr_image UniformConstant
%value = OpLoad %image %var
",
            $lines
        )
    };
}

mod access;
mod operands;
mod query;
mod sample;
mod sampled_image;
mod shape;
mod texel_pointer;
mod vendor;

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidBinary, InvalidData, InvalidId};
use spirvkit_grammar::Op;

use super::{Family, derivatives};
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Module, Type};
use crate::rule::{Example, Frame, Rule};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::SampledImage,
        Op::Image,
        Op::ImageTexelPointer,
        Op::UntypedImageTexelPointerEXT,
        Op::ImageSampleImplicitLod,
        Op::ImageSampleExplicitLod,
        Op::ImageSampleDrefImplicitLod,
        Op::ImageSampleDrefExplicitLod,
        Op::ImageSampleProjImplicitLod,
        Op::ImageSampleProjExplicitLod,
        Op::ImageSampleProjDrefImplicitLod,
        Op::ImageSampleProjDrefExplicitLod,
        Op::ImageSparseSampleImplicitLod,
        Op::ImageSparseSampleExplicitLod,
        Op::ImageSparseSampleDrefImplicitLod,
        Op::ImageSparseSampleDrefExplicitLod,
        Op::ImageSparseSampleProjImplicitLod,
        Op::ImageSparseSampleProjExplicitLod,
        Op::ImageSparseSampleProjDrefImplicitLod,
        Op::ImageSparseSampleProjDrefExplicitLod,
        Op::ImageFetch,
        Op::ImageSparseFetch,
        Op::ImageGather,
        Op::ImageDrefGather,
        Op::ImageSparseGather,
        Op::ImageSparseDrefGather,
        Op::ImageRead,
        Op::ImageSparseRead,
        Op::ImageWrite,
        Op::ImageSparseTexelsResident,
        Op::ImageQueryFormat,
        Op::ImageQueryOrder,
        Op::ImageQuerySizeLod,
        Op::ImageQuerySize,
        Op::ImageQueryLod,
        Op::ImageQueryLevels,
        Op::ImageQuerySamples,
        Op::ColorAttachmentReadEXT,
        Op::DepthAttachmentReadEXT,
        Op::StencilAttachmentReadEXT,
        Op::ImageSampleWeightedQCOM,
        Op::ImageBoxFilterQCOM,
        Op::ImageBlockMatchSSDQCOM,
        Op::ImageBlockMatchSADQCOM,
        Op::ImageBlockMatchWindowSSDQCOM,
        Op::ImageBlockMatchWindowSADQCOM,
        Op::ImageBlockMatchGatherSSDQCOM,
        Op::ImageBlockMatchGatherSADQCOM,
        Op::ImageGatherQCOM,
        Op::SamplerImageAddressingModeNV,
    ],
    check,
    check_module: Some(sampled_image::check_uses),
    rules: &[
        &RESERVED,
        &IMAGE_OPERAND,
        &SAMPLED_IMAGE_OPERAND,
        &SPARSE_RESULT,
        &IMPLICIT_LOD_STAGE,
        &IMPLICIT_LOD_MODE,
        &TEXEL_TYPE,
        &RESULT,
        &COMPONENTS,
        &COORDINATE,
        &COORDINATE_SIZE,
        &DIM,
        &MULTISAMPLED,
        &SAMPLED,
        &FORMAT_SIGN,
        &sampled_image::RESULT,
        &sampled_image::SAMPLER,
        &sampled_image::SAME_IMAGE,
        &sampled_image::VULKAN_SAMPLED,
        &sampled_image::BLOCK,
        &sampled_image::CONSUMER,
        &sampled_image::IMAGE_RESULT,
        &sample::DREF,
        &sample::VULKAN_DREF_DIM,
        &sample::COMPONENT,
        &sample::COMPONENT_CONSTANT,
        &sample::OPENCL_CONST_OFFSET,
        &access::STORAGE_CAPABILITY,
        &access::WITHOUT_FORMAT,
        &access::VULKAN_COMPONENTS,
        &access::SUBPASS_STAGE,
        &access::SUBPASS_COORDINATE,
        &access::TEXEL,
        &access::OPENCL_WRITE_OPERANDS,
        &access::RESIDENT_CODE,
        &access::ATTACHMENT_STAGE,
        &access::ATTACHMENT_SAMPLE,
        &query::SIZE_COMPONENTS,
        &query::LOD,
        &query::NOT_MULTISAMPLED,
        &query::VULKAN_SAMPLED,
        &texel_pointer::RESULT,
        &texel_pointer::IMAGE,
        &texel_pointer::SAMPLE,
        &texel_pointer::FORMAT,
        &operands::OPCODE,
        &operands::EXCLUSIVE,
        &operands::TYPE,
        &operands::SIZE,
        &operands::CONSTANT,
        &operands::IMAGE,
        &operands::VULKAN_OFFSET,
        &operands::NON_PRIVATE,
        &operands::ZERO_EXTEND,
        &vendor::PROCESSING_DECORATION,
        &vendor::PROCESSING_USE,
        &vendor::GATHER_MODE,
        &vendor::GATHER_MODE_CAPABILITY,
        &vendor::ADDRESSING_MODE,
    ],
};

static RESERVED: Rule = Rule {
    id: "image.reserved",
    class: InvalidBinary,
    section: "3.32.10",
    vuids: &[],
    text: "The sparse instructions with projection are reserved: no version of SPIR-V gives them a meaning.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!(
            "OpCapability SparseResidency",
            "%f32 2D 0 0 0 1 Unknown",
            "%pair = OpTypeStruct %u32 %v4f32
%texel = OpImageSparseSampleProjImplicitLod %pair %value %v3f32_0"
        ),
        keeps: sampled!(
            "OpCapability SparseResidency",
            "%f32 2D 0 0 0 1 Unknown",
            "%pair = OpTypeStruct %u32 %v4f32
%texel = OpImageSparseSampleImplicitLod %pair %value %v2f32_0"
        ),
    },
};

static IMAGE_OPERAND: Rule = Rule {
    id: "image.image-operand",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The image of an instruction that doesn't sample is of type `OpTypeImage`.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpCapability ImageQuery
%levels = OpImageQueryLevels %u32 %u32_0",
        keeps: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%levels = OpImageQueryLevels %u32 %value"
        ),
    },
};

static SAMPLED_IMAGE_OPERAND: Rule = Rule {
    id: "image.sampled-image-operand",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The image of an instruction that samples comes with its sampler, as an `OpTypeSampledImage`.",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static SPARSE_RESULT: Rule = Rule {
    id: "image.sparse-result",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The result of a sparse instruction is a structure of two members: an integer scalar for residency, and the \
           texel.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!(
            "OpCapability SparseResidency",
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageSparseSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
        keeps: sampled!(
            "OpCapability SparseResidency",
            "%f32 2D 0 0 0 1 Unknown",
            "%pair = OpTypeStruct %u32 %v4f32
%texel = OpImageSparseSampleImplicitLod %pair %value %v2f32_0"
        ),
    },
};

static IMPLICIT_LOD_STAGE: Rule = Rule {
    id: "image.implicit-lod-stage",
    class: InvalidId,
    section: "3.32.10",
    vuids: &[],
    text: "An implicit level of detail comes from derivatives, which only fragment shaders and, with derivative \
           groups, compute, mesh and task shaders have.",
    example: Example {
        frame: Frame::ShaderFor("spv1.0"),
        breaks: sampled!(
            "OpCapability TransformFeedback
OpEntryPoint Vertex %main \"main\"
OpExecutionMode %main Xfb",
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
        keeps: sampled!(
            "OpCapability TransformFeedback
OpEntryPoint Vertex %main \"main\"
OpExecutionMode %main Xfb",
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageSampleExplicitLod %v4f32 %value %v2f32_0 Lod %f32_0"
        ),
    },
};

static IMPLICIT_LOD_MODE: Rule = Rule {
    id: "image.implicit-lod-mode",
    class: InvalidId,
    section: "SPV_KHR_compute_shader_derivatives",
    vuids: &[],
    text: "A compute, mesh or task shader has derivatives, and with them implicit levels of detail, only with the \
           execution mode `DerivativeGroupQuadsKHR` or `DerivativeGroupLinearKHR`.",
    example: Example {
        frame: Frame::Shader,
        breaks: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
        keeps: sampled!(
            "OpCapability ComputeDerivativeGroupLinearKHR
OpExtension \"SPV_KHR_compute_shader_derivatives\"
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %main DerivativeGroupLinearKHR",
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
    },
};

static TEXEL_TYPE: Rule = Rule {
    id: "image.texel-type",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The components of a texel have the image's sampled type, unless that is void.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!("%texel = OpImageSampleImplicitLod %v4u32 %value %v2f32_0"),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static RESULT: Rule = Rule {
    id: "image.result",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The result of an image instruction has the type that suits it: texels are vectors of numbers, comparisons \
           are scalars, and queries are integers (or floats for `OpImageQueryLod`).",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!("%texel = OpImageSampleImplicitLod %f32 %value %v2f32_0"),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static COMPONENTS: Rule = Rule {
    id: "image.components",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "A texel that is sampled, fetched or gathered has four components, and so has one that OpenCL reads from \
           an image without depth.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!("%texel = OpImageSampleImplicitLod %v3f32 %value %v2f32_0"),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static COORDINATE: Rule = Rule {
    id: "image.coordinate",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "A coordinate is a scalar or a vector of 32-bit numbers: floats for sampling, integers for fetching, either \
           for reading, writing and sampling in kernels. With `Float16ImageAMD`, 16-bit floats are also allowed for \
           sampling.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2u32_0"),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static COORDINATE_SIZE: Rule = Rule {
    id: "image.coordinate-size",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "A coordinate has a component for each dimension, one more for the layer of an arrayed image, and one more \
           as the divisor of a projection.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!(
            "%f32 2D 0 1 0 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
        keeps: sampled!(
            "%f32 2D 0 1 0 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v3f32_0"
        ),
    },
};

static DIM: Rule = Rule {
    id: "image.dim",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "Each image instruction works only on some dimensionalities: cubes can't be fetched from, buffers have no \
           levels, projection needs a plane or a volume.",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "%f32 Cube 0 0 0 1 Unknown",
            "%texel = OpImageFetch %v4f32 %value %v3u32_0"
        ),
        keeps: image!(
            "%f32 3D 0 0 0 1 Unknown",
            "%texel = OpImageFetch %v4f32 %value %v3u32_0"
        ),
    },
};

static MULTISAMPLED: Rule = Rule {
    id: "image.multisampled",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "A multisampled image can't be filtered: it is fetched from, read or written one sample at a time.",
    example: Example {
        frame: Frame::Fragment,
        breaks: sampled!(
            "%f32 2D 0 0 1 1 Unknown",
            "%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"
        ),
        keeps: sampled!("%texel = OpImageSampleImplicitLod %v4f32 %value %v2f32_0"),
    },
};

static SAMPLED: Rule = Rule {
    id: "image.sampled",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "Texels are fetched from images that may have a sampler (`Sampled` 1), and read and written in images that \
           have none (`Sampled` 0 or 2).",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "%f32 2D 0 0 0 2 Rgba32f",
            "%texel = OpImageFetch %v4f32 %value %v2u32_0"
        ),
        keeps: image!(
            "%f32 2D 0 0 0 1 Unknown",
            "%texel = OpImageFetch %v4f32 %value %v2u32_0"
        ),
    },
};

static FORMAT_SIGN: Rule = Rule {
    id: "image.format-sign",
    class: InvalidData,
    section: "Vulkan, Image Format and Type Matching",
    vuids: &["VUID-StandaloneSpirv-Image-04965"],
    text: "In Vulkan, an access to integers has the signedness of the image's format. `SignExtend` and `ZeroExtend` \
           give the signedness of the access; without them, it is that of the sampled type.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: image!(
            "OpDecorate %var DescriptorSet 0
OpDecorate %var Binding 0",
            "%u32 2D 0 0 0 2 R32i",
            "%texel = OpImageRead %v4u32 %value %v2u32_0"
        ),
        keeps: image!(
            "OpDecorate %var DescriptorSet 0
OpDecorate %var Binding 0",
            "%u32 2D 0 0 0 2 R32ui",
            "%texel = OpImageRead %v4u32 %value %v2u32_0"
        ),
    },
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::SampledImage => sampled_image::check(at),
        Op::Image => sampled_image::check_image(at),
        Op::ImageTexelPointer => texel_pointer::check(at),
        Op::UntypedImageTexelPointerEXT => texel_pointer::check_untyped(at),
        Op::ImageFetch | Op::ImageSparseFetch => access::check_fetch(at),
        Op::ImageRead | Op::ImageSparseRead => access::check_read(at),
        Op::ImageWrite => access::check_write(at),
        Op::ImageSparseTexelsResident => access::check_resident(at),
        Op::ColorAttachmentReadEXT | Op::DepthAttachmentReadEXT | Op::StencilAttachmentReadEXT => {
            access::check_attachment(at)
        }
        Op::ImageGather
        | Op::ImageDrefGather
        | Op::ImageSparseGather
        | Op::ImageSparseDrefGather => sample::check_gather(at),
        Op::ImageGatherQCOM => all([sample::check_gather(at), vendor::check_gather_mode(at)]),
        Op::ImageQueryFormat | Op::ImageQueryOrder => query::check_format(at),
        Op::ImageQuerySizeLod => query::check_size_lod(at),
        Op::ImageQuerySize => query::check_size(at),
        Op::ImageQueryLod => query::check_lod(at),
        Op::ImageQueryLevels => query::check_levels(at),
        Op::ImageQuerySamples => query::check_samples(at),
        Op::ImageSampleWeightedQCOM
        | Op::ImageBoxFilterQCOM
        | Op::ImageBlockMatchSSDQCOM
        | Op::ImageBlockMatchSADQCOM
        | Op::ImageBlockMatchWindowSSDQCOM
        | Op::ImageBlockMatchWindowSADQCOM
        | Op::ImageBlockMatchGatherSSDQCOM
        | Op::ImageBlockMatchGatherSADQCOM => vendor::check_processing(at),
        Op::SamplerImageAddressingModeNV => vendor::check_addressing_mode(at),
        op @ (Op::ImageSparseSampleProjImplicitLod
        | Op::ImageSparseSampleProjExplicitLod
        | Op::ImageSparseSampleProjDrefImplicitLod
        | Op::ImageSparseSampleProjDrefExplicitLod) => {
            Err(at.finding(&RESERVED, format!("{op} is reserved for future use")))
        }
        _ => sample::check(at),
    }
}

/// A finding about the image's type.
#[cold]
fn wrong_image(at: &InstCtx<'_, '_>, rule: &'static Rule, image: Id, what: &str) -> Finding {
    let message = format!("{} {what}", at.inst.op());
    let ty = at.m.type_of(image).unwrap_or(image);
    let finding = at.finding(rule, message);
    finding.about(at.m, ty, "the image's type is declared here")
}

/// The operand as an image of type `OpTypeImage`. `None` where there is nothing
/// to say, because it is reported elsewhere.
fn image_operand(at: &InstCtx<'_, '_>, index: usize) -> Result<Option<Image>, Finding> {
    let id = at.id(index);
    let Some(ty) = at.m.type_of(id) else {
        return Ok(None);
    };
    match at.m.ty(ty) {
        Type::Image(image) => Ok(Some(image)),
        // The use of a sampled image is a matter of its own.
        _ if at.m.op_of(id) == Op::SampledImage => Ok(None),
        _ => Err(at.wrong_operand(&IMAGE_OPERAND, id, "image", "of the type `OpTypeImage`")),
    }
}

/// The operand as an image with its sampler.
fn sampled_image_operand(at: &InstCtx<'_, '_>, index: usize) -> Result<Option<Image>, Finding> {
    let id = at.id(index);
    let Some(ty) = at.m.type_of(id) else {
        return Ok(None);
    };
    match at.m.ty(ty) {
        Type::SampledImage { image } => match at.m.ty(image) {
            Type::Image(image) => Ok(Some(image)),
            _ => Ok(None),
        },
        _ => Err(at.wrong_operand(
            &SAMPLED_IMAGE_OPERAND,
            id,
            "sampled image",
            "of the type `OpTypeSampledImage`",
        )),
    }
}

/// The type of the texel that the instruction gives: the result type, or the
/// second member of a sparse instruction's.
fn texel_of(at: &InstCtx<'_, '_>) -> Result<Id, Finding> {
    let result = at.result_type();
    if !shape::traits(at.inst.op()).is_sparse {
        return Ok(result);
    }
    match at.m.ty(result) {
        Type::Struct {
            members: &[residency, texel],
        } if at.m.is_int_scalar(Id(residency)) => Ok(Id(texel)),
        _ => {
            let expected = "a structure of an integer scalar and a texel";
            Err(at.wrong_result(&SPARSE_RESULT, expected))
        }
    }
}

/// Checks that a texel is a vector of four numbers.
fn check_texel_vector(at: &InstCtx<'_, '_>, texel: Id) -> CheckResult {
    let m = at.m;
    if !m.is_vector(texel) || !shape::is_number(m, m.component_type(texel)) {
        let expected = "a vector of integers or floats";
        return Err(at.wrong_result(&RESULT, expected));
    }
    match m.dimension(texel) {
        4 => Ok(()),
        _ => Err(at.wrong_result(&COMPONENTS, "a vector of four components")),
    }
}

/// Checks that a texel's components are of the image's sampled type, which may be
/// void.
fn check_texel_type(at: &InstCtx<'_, '_>, image: &Image, component: Id) -> CheckResult {
    match at.m.is_void(image.sampled_type) {
        true => Ok(()),
        false => check_same_texel_type(at, image, component),
    }
}

/// The same where the sampled type can't be void.
fn check_same_texel_type(at: &InstCtx<'_, '_>, image: &Image, component: Id) -> CheckResult {
    let m = at.m;
    if component == image.sampled_type {
        return Ok(());
    }
    let message = format!(
        "the texels of {} are {}, but those of the image are {}",
        at.inst.op(),
        m.show_type(component),
        m.show_type(image.sampled_type)
    );
    let finding = at.finding(&TEXEL_TYPE, message);
    Err(finding.about(
        m,
        image.sampled_type,
        "the image's sampled type is declared here",
    ))
}

/// Checks a coordinate: its components by the test, and how many there are.
fn check_coordinate(
    at: &InstCtx<'_, '_>,
    index: usize,
    expected: &str,
    size: u32,
    test: impl Fn(&Module<'_>, Id) -> bool,
) -> CheckResult {
    let id = at.id(index);
    let Some(ty) = at.m.type_of(id) else {
        return Ok(());
    };
    if !shape::is_scalar_or_vector(at.m, ty, test) {
        return Err(at.wrong_operand(&COORDINATE, id, "coordinate", expected));
    }
    if at.m.dimension(ty) < size {
        let expected = format!("of at least {size} components");
        return Err(at.wrong_operand(&COORDINATE_SIZE, id, "coordinate", &expected));
    }
    Ok(())
}

/// Checks that there is an implicit level of detail.
fn check_implicit_lod(at: &InstCtx<'_, '_>) -> CheckResult {
    if let Some(models) = at.models_outside(derivatives::ALLOWED) {
        let message = format!(
            "{} is reached from {models}, where there is no implicit level of detail",
            at.inst.op()
        );
        return Err(at.finding(&IMPLICIT_LOD_STAGE, message));
    }
    at.expect_mode(
        &IMPLICIT_LOD_MODE,
        derivatives::GROUPED,
        derivatives::GROUPING,
        "no execution mode for derivative groups",
    )
}
