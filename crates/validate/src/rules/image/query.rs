//! Queries.

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::Dim;

use super::shape::{self, is_float32, is_int32};
use super::{DIM, MULTISAMPLED, RESULT, vendor};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::Image;
use crate::rule::{Example, Frame, Rule};

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
    text: "The level whose size is queried is a 32-bit integer.",
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
    text: "`OpImageQuerySamples` is for multisampled images; `OpImageQuerySize` is for images that have only one \
           level: multisampled ones, and those that are used without a sampler.",
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
    text: "In Vulkan, levels are queried only of images whose type has `Sampled` 1.",
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

fn expect_int_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_int_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&RESULT, "an integer scalar")),
    }
}

fn expect_levels(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    if !shape::has_levels(image.dim) {
        let what = format!(
            "needs a 1D, 2D, 3D or Cube image, but its dimensionality is {}",
            image.dim
        );
        return Err(super::wrong_image(at, &DIM, at.id(0), &what));
    }
    Ok(())
}

fn expect_vulkan_sampled(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    match at.m.env.is_vulkan() && image.sampled != 1 {
        true => {
            let what = "needs an image whose type has `Sampled` 1";
            Err(super::wrong_image(at, &VULKAN_SAMPLED, at.id(0), what))
        }
        false => Ok(()),
    }
}

/// Checks that a size has as many components as it must.
fn check_size_result(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let plane = match image.dim {
        // A cube's faces are squares.
        Dim::Cube => 2,
        dim => shape::plane_size(dim),
    };
    let size = plane + u32::from(image.arrayed);
    let found = at.m.dimension(at.result_type());
    if found != size {
        let expected = format!("of {}", counted(size as usize, "component"));
        return Err(at.wrong_result(&SIZE_COMPONENTS, &expected));
    }
    Ok(())
}

fn expect_int_or_vector_result(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_int_scalar_or_vector(at.result_type()) {
        true => Ok(()),
        false => Err(at.wrong_result(&RESULT, "an integer scalar or vector")),
    }
}

/// Checks `OpImageQueryFormat` and `OpImageQueryOrder`.
pub(super) fn check_format(at: &InstCtx<'_, '_>) -> CheckResult {
    let image = image_operand(at, |image| {
        expect(image.dim != Dim::TileImageDataEXT, || {
            let what = "can't query an image of dimensionality TileImageDataEXT";
            super::wrong_image(at, &DIM, at.id(0), what)
        })
    });
    all([expect_int_result(at), image])
}

/// Checks the image that is asked.
fn image_operand(at: &InstCtx<'_, '_>, check: impl FnOnce(Image) -> CheckResult) -> CheckResult {
    let image = match super::image_operand(at, 0) {
        Ok(Some(image)) => check(image),
        other => other.map(drop),
    };
    all([vendor::check_plain_use(at, 0), image])
}

/// Checks `OpImageQuerySizeLod`.
pub(super) fn check_size_lod(at: &InstCtx<'_, '_>) -> CheckResult {
    let result = expect_int_or_vector_result(at);
    let has_size = result.is_ok();
    let image = image_operand(at, |image| {
        let levels = expect_levels(at, &image);
        let single = expect(!image.multisampled, || {
            let what = "queries the size of a level, but a multisampled image has no levels";
            super::wrong_image(at, &MULTISAMPLED, at.id(0), what)
        });
        let size = match has_size && levels.is_ok() {
            true => check_size_result(at, &image),
            false => Ok(()),
        };
        all([levels, single, expect_vulkan_sampled(at, &image), size])
    });
    let is_level = at.m.type_of(at.id(1)).is_none_or(|ty| is_int32(at.m, ty));
    let level = expect(is_level, || {
        at.wrong_operand(&LOD, at.id(1), "level", "a 32-bit integer")
    });
    all([result, image, level])
}

/// Checks `OpImageQuerySize`.
pub(super) fn check_size(at: &InstCtx<'_, '_>) -> CheckResult {
    let result = expect_int_or_vector_result(at);
    let has_size = result.is_ok();
    let image = image_operand(at, |image| {
        let has_levels = shape::has_levels(image.dim);
        if !has_levels && !matches!(image.dim, Dim::Rect | Dim::Buffer) {
            let what = format!(
                "needs a 1D, 2D, 3D, Cube, Rect or Buffer image, but its dimensionality is {}",
                image.dim
            );
            return Err(super::wrong_image(at, &DIM, at.id(0), &what));
        }
        let has_size_of_its_own = !has_levels || image.multisampled || image.sampled != 1;
        let kind = expect(has_size_of_its_own, || {
            let what = "needs an image that is multisampled or whose type has `Sampled` 0 or 2";
            super::wrong_image(at, &NOT_MULTISAMPLED, at.id(0), what)
        });
        match has_size {
            true => all([kind, check_size_result(at, &image)]),
            false => kind,
        }
    });
    all([result, image])
}

/// Checks `OpImageQueryLod`.
pub(super) fn check_lod(at: &InstCtx<'_, '_>) -> CheckResult {
    let result = at.result_type();
    let is_pair = at.m.is_float_vector(result) && at.m.dimension(result) == 2;
    let result = expect(is_pair, || {
        at.wrong_result(&RESULT, "a vector of two floats")
    });
    let image = match super::sampled_image_operand(at, 0) {
        Ok(Some(image)) => expect_levels(at, &image).and_then(|()| {
            let size = shape::plane_size(image.dim);
            all([
                expect_vulkan_sampled(at, &image),
                super::check_coordinate(at, 1, "of 32-bit floats", size, is_float32),
            ])
        }),
        other => other.map(drop),
    };
    all([
        result,
        vendor::check_plain_use(at, 0),
        image,
        super::check_implicit_lod(at),
    ])
}

/// Checks `OpImageQueryLevels`.
pub(super) fn check_levels(at: &InstCtx<'_, '_>) -> CheckResult {
    let image = image_operand(at, |image| {
        all([expect_levels(at, &image), expect_vulkan_sampled(at, &image)])
    });
    all([expect_int_result(at), image])
}

/// Checks `OpImageQuerySamples`.
pub(super) fn check_samples(at: &InstCtx<'_, '_>) -> CheckResult {
    let image = image_operand(at, |image| {
        let dim = expect(image.dim == Dim::Dim2D, || {
            let what = format!("needs a 2D image, but its dimensionality is {}", image.dim);
            super::wrong_image(at, &DIM, at.id(0), &what)
        });
        let samples = expect(image.multisampled, || {
            let what = "needs a multisampled image";
            super::wrong_image(at, &NOT_MULTISAMPLED, at.id(0), what)
        });
        all([dim, samples])
    });
    all([expect_int_result(at), image])
}
