//! Image instructions (specification, section 3.32.10), and those that
//! extensions add.

mod access;
mod fragments;
mod operands;
mod query;
mod sample;
mod sampled_image;
mod shape;
mod texel_pointer;
mod vendor;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::{Family, derivatives};
use crate::finding::{CheckResult, Finding, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Type};
use crate::pattern::{NUMBER, Pattern};
use crate::rule::Rule;
use crate::rules::generated::image;

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
        Op::FragmentMaskFetchAMD,
        Op::FragmentFetchAMD,
        Op::ImageSampleFootprintNV,
    ],
    check,
    check_module: Some(sampled_image::check_uses),
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
        Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD => fragments::check_fetch(at),
        Op::ImageSampleFootprintNV => fragments::check_footprint(at),
        Op::SamplerImageAddressingModeNV => vendor::check_addressing_mode(at),
        op @ (Op::ImageSparseSampleProjImplicitLod
        | Op::ImageSparseSampleProjExplicitLod
        | Op::ImageSparseSampleProjDrefImplicitLod
        | Op::ImageSparseSampleProjDrefExplicitLod) => {
            Err(at.finding(&image::RESERVED, format!("{op} is reserved for future use")))
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
        _ => Err(at.operand_finding(&image::IMAGE_OPERAND, index, "an image")),
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
        _ => Err(at.operand_finding(&image::SAMPLED_IMAGE_OPERAND, index, "a sampled image")),
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
            Err(at.result_finding(&image::SPARSE_RESULT, expected))
        }
    }
}

/// Checks that a texel is a vector of four numbers.
fn check_texel_vector(at: &InstCtx<'_, '_>, texel: Id) -> CheckResult {
    let m = at.m;
    let is_vector = NUMBER.vector().matches(m, texel);
    at.expect_result_that(&image::RESULT, is_vector, "a vector of integers or floats")?;
    let has_four = m.dimension(texel) == 4;
    at.expect_result_that(&image::COMPONENTS, has_four, "a vector of four components")
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
    let finding = at.finding(&image::TEXEL_TYPE, message);
    Err(finding.about(
        m,
        image.sampled_type,
        "the image's sampled type is declared here",
    ))
}

/// Checks a coordinate: its components, and how many there are.
fn check_coordinate(at: &InstCtx<'_, '_>, index: usize, wanted: Pattern, size: u32) -> CheckResult {
    at.expect_operand(&image::COORDINATE, index, wanted.scalar_or_vector())?;
    let fits = at.m.dimension(at.type_of_arg(index)) >= size;
    match fits || at.m.type_of(at.id(index)).is_none() {
        true => Ok(()),
        false => {
            let wanted = format!("of at least {size} components");
            Err(at.operand_finding(&image::COORDINATE_SIZE, index, &wanted))
        }
    }
}

/// Checks that there is an implicit level of detail.
fn check_implicit_lod(at: &InstCtx<'_, '_>) -> CheckResult {
    if let Some(models) = at.models_outside(derivatives::ALLOWED) {
        let message = format!(
            "{} is reached from {models}, where there is no implicit level of detail",
            at.inst.op()
        );
        return Err(at.finding(&image::IMPLICIT_LOD_STAGE, message));
    }
    at.expect_mode(
        &image::IMPLICIT_LOD_MODE,
        derivatives::GROUPED,
        derivatives::GROUPING,
        "no execution mode for derivative groups",
    )
}
