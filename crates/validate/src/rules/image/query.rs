//! Queries.

use spirvkit_diagnostics::counted;
use spirvkit_grammar::Dim;

use super::shape::{self};
use super::vendor;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup};
use crate::pattern::{F32, FLOAT, I32, INT};
use crate::rules::generated::image;

fn expect_int_result(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&image::RESULT, INT)
}

fn expect_levels(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    if !shape::has_levels(image.dim) {
        let what = format!(
            "needs a `1D`, `2D`, `3D` or `Cube` image, but its dimensionality is `{}`",
            image.dim
        );
        return Err(super::wrong_image(at, &image::DIM, at.id(0), &what));
    }
    Ok(())
}

fn expect_vulkan_sampled(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    match at.m.env.is_vulkan() && image.sampled != 1 {
        true => {
            let what = "needs an image whose type has `Sampled` 1";
            Err(super::wrong_image(
                at,
                &image::VULKAN_QUERY_SAMPLED,
                at.id(0),
                what,
            ))
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
        return Err(at.result_finding(&image::SIZE_COMPONENTS, &expected));
    }
    Ok(())
}

fn expect_int_or_vector_result(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&image::RESULT, INT.scalar_or_vector())
}

/// Checks `OpImageQueryFormat` and `OpImageQueryOrder`.
pub(super) fn check_format(at: &InstCtx<'_, '_>) -> CheckResult {
    let image = image_operand(at, |image| {
        expect(image.dim != Dim::TileImageDataEXT, || {
            let what = "can't query an image of dimensionality `TileImageDataEXT`";
            super::wrong_image(at, &image::DIM, at.id(0), what)
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
    all([
        vendor::check_plain_use(at, 0),
        vendor::check_tile_query(at),
        image,
    ])
}

/// Checks `OpImageQuerySizeLod`.
pub(super) fn check_size_lod(at: &InstCtx<'_, '_>) -> CheckResult {
    let result = expect_int_or_vector_result(at);
    let has_size = result.is_ok();
    let image = image_operand(at, |image| {
        let levels = expect_levels(at, &image);
        let single = expect(!image.multisampled, || {
            let what = "queries the size of a level, but a multisampled image has no levels";
            super::wrong_image(at, &image::MULTISAMPLED, at.id(0), what)
        });
        let size = match has_size && levels.is_ok() {
            true => check_size_result(at, &image),
            false => Ok(()),
        };
        all([levels, single, expect_vulkan_sampled(at, &image), size])
    });
    let level = at.expect_operand(&image::QUERY_LOD, 1, I32);
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
                "needs a `1D`, `2D`, `3D`, `Cube`, `Rect` or `Buffer` image, but its dimensionality is `{}`",
                image.dim
            );
            return Err(super::wrong_image(at, &image::DIM, at.id(0), &what));
        }
        let has_size_of_its_own = !has_levels || image.multisampled || image.sampled != 1;
        let kind = expect(has_size_of_its_own, || {
            let what = "needs an image that is multisampled or whose type has `Sampled` 0 or 2";
            super::wrong_image(at, &image::QUERY_MULTISAMPLED, at.id(0), what)
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
    let result = at.expect_result(&image::RESULT, FLOAT.vector_of(&[2]));
    let image = match super::sampled_image_operand(at, 0) {
        Ok(Some(image)) => expect_levels(at, &image).and_then(|()| {
            let size = shape::plane_size(image.dim);
            all([
                expect_vulkan_sampled(at, &image),
                super::check_coordinate(at, 1, F32, size),
            ])
        }),
        other => other.map(drop),
    };
    all([
        result,
        vendor::check_plain_use(at, 0),
        vendor::check_tile_query(at),
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
            let what = format!(
                "needs a `2D` image, but its dimensionality is `{}`",
                image.dim
            );
            super::wrong_image(at, &image::DIM, at.id(0), &what)
        });
        let samples = expect(image.multisampled, || {
            let what = "needs a multisampled image";
            super::wrong_image(at, &image::QUERY_MULTISAMPLED, at.id(0), what)
        });
        all([dim, samples])
    });
    all([expect_int_result(at), image])
}
