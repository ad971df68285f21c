//! Sampling and gathering.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Dim, ImageOperands, Op};

use super::shape::{self, Lod, place_float, traits};
use super::{operands, vendor};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup};
use crate::pattern::{F32, FLOAT, I32, NUMBER, Pattern};
use crate::rules::generated::image;

/// Checks the instructions that sample.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    let traits = traits(op);
    let texel = super::texel_of(at)?;
    let result = match traits.compares {
        true => {
            let is_number = NUMBER.matches(m, texel);
            let wanted = "an integer or floating-point scalar";
            at.expect_result_that(&image::RESULT, is_number, wanted)
        }
        false => super::check_texel_vector(at, texel),
    };
    let image = match super::sampled_image_operand(at, 0) {
        Ok(Some(image)) => image,
        other => return all([result, other.map(drop)]),
    };
    let component = m.component_type(texel);
    let first = 2 + usize::from(traits.compares);
    let sampled = check_filtered(at, &image).and_then(|()| {
        let dref = match traits.compares {
            true => check_dref(at, &image),
            false => Ok(()),
        };
        all([
            check_coordinate(at, &image),
            dref,
            check_opencl_offset(at, first),
            operands::check(at, &image, first),
        ])
    });
    let texel = match result.is_ok() {
        true => check_texel_type(at, &image, component),
        false => Ok(()),
    };
    let lod = match traits.lod {
        Lod::Implicit => super::check_implicit_lod(at),
        _ => Ok(()),
    };
    all([result, texel, sampled, vendor::check_plain_use(at, 0), lod])
}

/// Checks that the image can be filtered, and projected if the instruction does
/// so.
fn check_filtered(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let op = at.inst.op();
    if image.multisampled {
        let what = "can't filter a multisampled image";
        return Err(super::wrong_image(at, &image::MULTISAMPLED, at.id(0), what));
    }
    if !traits(op).projects {
        return Ok(());
    }
    if image.arrayed || !matches!(image.dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::Rect) {
        let layers = if image.arrayed { "arrayed " } else { "" };
        let what = format!(
            "can project only onto `1D`, `2D`, `3D` or `Rect` images without layers, not {layers}`{}`",
            image.dim
        );
        return Err(super::wrong_image(at, &image::DIM, at.id(0), &what));
    }
    Ok(())
}

/// What is compared with a depth is not void.
fn check_texel_type(at: &InstCtx<'_, '_>, image: &Image, component: Id) -> CheckResult {
    match traits(at.inst.op()).compares {
        true => super::check_same_texel_type(at, image, component),
        false => super::check_texel_type(at, image, component),
    }
}

fn check_coordinate(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let op = at.inst.op();
    let size = shape::coordinate_size(op, image);
    let takes_ints = matches!(
        op,
        Op::ImageSampleExplicitLod | Op::ImageSparseSampleExplicitLod
    ) && at.m.has(Capability::Kernel);
    const INT_OR_HALF: Pattern = Pattern::either(&[I32, FLOAT.widths(&[16, 32])]);
    let place = match (takes_ints, at.m.has(Capability::Float16ImageAMD)) {
        (false, _) => place_float(at.m),
        (true, false) => NUMBER.widths(&[32]),
        (true, true) => INT_OR_HALF,
    };
    super::check_coordinate(at, 1, place, size)
}

fn check_dref(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let is_volume = at.m.env.is_vulkan() && image.dim == Dim::Dim3D;
    all([
        at.expect_operand(&image::DREF, 2, F32),
        expect(!is_volume, || {
            let what = "compares depths, which `3D` images don't have in Vulkan";
            super::wrong_image(at, &image::VULKAN_DREF_DIM, at.id(0), what)
        }),
    ])
}

/// Checks that there is no constant offset in OpenCL.
pub(super) fn check_opencl_offset(at: &InstCtx<'_, '_>, first: usize) -> CheckResult {
    let mask = ImageOperands(at.inst.optional(first).unwrap_or(0));
    match at.m.env.is_opencl() && mask.contains(ImageOperands::ConstOffset) {
        true => {
            let message = format!(
                "{} has a `ConstOffset`, which is not allowed in OpenCL",
                at.inst.op()
            );
            Err(at.finding(&image::OPENCL_CONST_OFFSET, message))
        }
        false => Ok(()),
    }
}

/// Checks the instructions that gather.
pub(super) fn check_gather(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    let traits = traits(op);
    let texel = super::texel_of(at)?;
    let result = super::check_texel_vector(at, texel);
    let image = match super::sampled_image_operand(at, 0) {
        Ok(Some(image)) => image,
        other => return all([result, other.map(drop)]),
    };
    let component = m.component_type(texel);
    let texel = match result.is_ok() {
        true => check_texel_type(at, &image, component),
        false => Ok(()),
    };
    let gathered = check_gathered(at, &image).and_then(|()| {
        let size = shape::coordinate_size(op, &image);
        let chosen = match traits.compares {
            true => check_dref(at, &image),
            false => check_component(at),
        };
        let first = 3 + usize::from(op == Op::ImageGatherQCOM);
        all([
            super::check_coordinate(at, 1, place_float(m), size),
            chosen,
            operands::check(at, &image, first),
        ])
    });
    all([result, texel, gathered, vendor::check_plain_use(at, 0)])
}

/// Checks that an image can be gathered from.
fn check_gathered(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    if image.multisampled {
        let what = "can't gather from a multisampled image";
        return Err(super::wrong_image(at, &image::MULTISAMPLED, at.id(0), what));
    }
    if matches!(image.dim, Dim::Dim2D | Dim::Cube | Dim::Rect) {
        return Ok(());
    }
    let what = format!(
        "can gather only from `2D`, `Cube` or `Rect` images, not `{}`",
        image.dim
    );
    let compares = traits(at.inst.op()).compares;
    let rule = match compares && image.dim == Dim::Dim3D && at.m.env.is_vulkan() {
        true => &image::VULKAN_DREF_DIM,
        false => &image::DIM,
    };
    Err(super::wrong_image(at, rule, at.id(0), &what))
}

fn check_component(at: &InstCtx<'_, '_>) -> CheckResult {
    let component = at.id(2);
    at.expect_operand(&image::COMPONENT, 2, I32)?;
    let is_fine = !at.m.env.is_vulkan() || at.m.is_constant(component);
    at.expect_operand_that(&image::COMPONENT_CONSTANT, 2, is_fine, "a constant")
}
