//! Queries.

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::Dim;

use super::shape::{self, is_float32, is_int32};
use super::{DIM, MULTISAMPLED, RESULT, vendor};
use crate::fault::Verdict;
use crate::module::Image;
use crate::rule::{Example, Frame, Rule};
use crate::site::Site;

pub(super) static SIZE_COMPONENTS: Rule = Rule {
    id: "image.size-components",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "A size has a component for each dimension (two for a cube), and one more for the layers of an arrayed \
           image.",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%size = OpImageQuerySizeLod %v3u32 %value %u32_0"
        ),
        keeps: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%size = OpImageQuerySizeLod %v2u32 %value %u32_0"
        ),
    },
};

pub(super) static LOD: Rule = Rule {
    id: "image.query-lod",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "The level whose size is asked for is given by a 32-bit integer.",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%size = OpImageQuerySizeLod %v2u32 %value %f32_0"
        ),
        keeps: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%size = OpImageQuerySizeLod %v2u32 %value %u32_0"
        ),
    },
};

pub(super) static NOT_MULTISAMPLED: Rule = Rule {
    id: "image.query-multisampled",
    class: InvalidData,
    section: "3.32.10",
    vuids: &[],
    text: "`OpImageQuerySamples` asks multisampled images; `OpImageQuerySize` asks images that have one level only: \
           multisampled ones, and those that are used without a sampler.",
    example: Example {
        frame: Frame::Fragment,
        breaks: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 0 1 Unknown",
            "%samples = OpImageQuerySamples %u32 %value"
        ),
        keeps: image!(
            "OpCapability ImageQuery",
            "%f32 2D 0 0 1 1 Unknown",
            "%samples = OpImageQuerySamples %u32 %value"
        ),
    },
};

pub(super) static VULKAN_SAMPLED: Rule = Rule {
    id: "image.vulkan-query-sampled",
    class: InvalidData,
    section: "Vulkan, Standalone SPIR-V Validation",
    vuids: &["VUID-StandaloneSpirv-OpImageQuerySizeLod-04659"],
    text: "In Vulkan, only images whose type has `Sampled` 1 are asked about their levels.",
    example: Example {
        frame: Frame::FragmentFor("vulkan1.3"),
        breaks: image!(
            "OpCapability ImageQuery
OpDecorate %var DescriptorSet 0
OpDecorate %var Binding 0",
            "%f32 2D 0 0 0 2 Rgba32f",
            "%levels = OpImageQueryLevels %u32 %value"
        ),
        keeps: image!(
            "OpCapability ImageQuery
OpDecorate %var DescriptorSet 0
OpDecorate %var Binding 0",
            "%f32 2D 0 0 0 1 Unknown",
            "%levels = OpImageQueryLevels %u32 %value"
        ),
    },
};

fn expect_int_result(at: &Site<'_, '_>) -> Verdict {
    match at.m.is_int_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&RESULT, "an integer scalar")),
    }
}

fn expect_levels(at: &Site<'_, '_>, image: &Image) -> Verdict {
    if !shape::has_levels(image.dim) {
        let what = format!("asks 1D, 2D, 3D or Cube images, not {}", image.dim);
        return Err(super::wrong_image(at, &DIM, at.id(0), &what));
    }
    Ok(())
}

fn expect_vulkan_sampled(at: &Site<'_, '_>, image: &Image) -> Verdict {
    match at.m.env.is_vulkan() && image.sampled != 1 {
        true => {
            let what = "asks images whose type has `Sampled` 1";
            Err(super::wrong_image(at, &VULKAN_SAMPLED, at.id(0), what))
        }
        false => Ok(()),
    }
}

/// Checks that a size has as many components as it must.
fn check_size_result(at: &Site<'_, '_>, image: &Image) -> Verdict {
    let plane = match image.dim {
        // A cube's faces are squares.
        Dim::Cube => 2,
        dim => shape::plane_size(dim),
    };
    let size = plane + u32::from(image.arrayed);
    let found = at.m.dimension(at.result_type());
    if found != size {
        let expected = format!("a size of {size} components");
        return Err(at.wrong_result(&SIZE_COMPONENTS, &expected));
    }
    Ok(())
}

fn expect_int_or_vector_result(at: &Site<'_, '_>) -> Verdict {
    match at.m.is_int_scalar_or_vector(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&RESULT, "an integer scalar or vector")),
    }
}

/// Checks `OpImageQueryFormat` and `OpImageQueryOrder`.
pub(super) fn check_format(at: &Site<'_, '_>) -> Verdict {
    expect_int_result(at)?;
    vendor::check_plain_use(at, 0)?;
    match super::image_operand(at, 0)? {
        Some(image) if image.dim == Dim::TileImageDataEXT => {
            let what = "can't ask an image of dimensionality TileImageDataEXT";
            Err(super::wrong_image(at, &DIM, at.id(0), what))
        }
        _ => Ok(()),
    }
}

/// Checks `OpImageQuerySizeLod`.
pub(super) fn check_size_lod(at: &Site<'_, '_>) -> Verdict {
    expect_int_or_vector_result(at)?;
    vendor::check_plain_use(at, 0)?;
    let Some(image) = super::image_operand(at, 0)? else {
        return Ok(());
    };
    expect_levels(at, &image)?;
    if image.multisampled {
        let what = "asks for the size of a level, which a multisampled image has not";
        return Err(super::wrong_image(at, &MULTISAMPLED, at.id(0), what));
    }
    expect_vulkan_sampled(at, &image)?;
    check_size_result(at, &image)?;
    match at.m.type_of(at.id(1)) {
        Some(ty) if !is_int32(at.m, ty) => {
            let expected = "a 32-bit integer";
            Err(at.wrong_operand(&LOD, at.id(1), "level", expected))
        }
        _ => Ok(()),
    }
}

/// Checks `OpImageQuerySize`.
pub(super) fn check_size(at: &Site<'_, '_>) -> Verdict {
    expect_int_or_vector_result(at)?;
    vendor::check_plain_use(at, 0)?;
    let Some(image) = super::image_operand(at, 0)? else {
        return Ok(());
    };
    let is_known = shape::has_levels(image.dim) || matches!(image.dim, Dim::Rect | Dim::Buffer);
    if !is_known {
        let what = format!(
            "asks 1D, 2D, 3D, Cube, Rect or Buffer images, not {}",
            image.dim
        );
        return Err(super::wrong_image(at, &DIM, at.id(0), &what));
    }
    if shape::has_levels(image.dim) && !image.multisampled && image.sampled == 1 {
        let what = "asks multisampled images, and those whose type has `Sampled` 0 or 2";
        return Err(super::wrong_image(at, &NOT_MULTISAMPLED, at.id(0), what));
    }
    check_size_result(at, &image)
}

/// Checks `OpImageQueryLod`.
pub(super) fn check_lod(at: &Site<'_, '_>) -> Verdict {
    let result = at.result_type();
    if !at.m.is_float_vector(result) || at.m.dimension(result) != 2 {
        let expected = "a vector of two floats";
        return Err(at.wrong_result(&RESULT, expected));
    }
    vendor::check_plain_use(at, 0)?;
    let Some(image) = super::sampled_image_operand(at, 0)? else {
        return Ok(());
    };
    expect_levels(at, &image)?;
    expect_vulkan_sampled(at, &image)?;
    let size = shape::plane_size(image.dim);
    super::check_coordinate(at, 1, "of 32-bit floats", size, is_float32)?;
    super::check_implicit_lod(at)
}

/// Checks `OpImageQueryLevels`.
pub(super) fn check_levels(at: &Site<'_, '_>) -> Verdict {
    expect_int_result(at)?;
    vendor::check_plain_use(at, 0)?;
    let Some(image) = super::image_operand(at, 0)? else {
        return Ok(());
    };
    expect_levels(at, &image)?;
    expect_vulkan_sampled(at, &image)
}

/// Checks `OpImageQuerySamples`.
pub(super) fn check_samples(at: &Site<'_, '_>) -> Verdict {
    expect_int_result(at)?;
    vendor::check_plain_use(at, 0)?;
    let Some(image) = super::image_operand(at, 0)? else {
        return Ok(());
    };
    if image.dim != Dim::Dim2D {
        let what = format!("asks 2D images, not {}", image.dim);
        return Err(super::wrong_image(at, &DIM, at.id(0), &what));
    }
    match image.multisampled {
        true => Ok(()),
        false => {
            let what = "asks multisampled images";
            Err(super::wrong_image(at, &NOT_MULTISAMPLED, at.id(0), what))
        }
    }
}
