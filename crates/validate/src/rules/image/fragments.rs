//! The color fragments of multisampled images (`SPV_AMD_shader_fragment_mask`), and which texels a
//! sampling instruction would reach (`SPV_NV_shader_image_footprint`).

use spirvkit_binary::Id;
use spirvkit_grammar::{Dim, ImageOperands, Op};

use super::shape;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Module, Type};
use crate::pattern::{BOOL, FLOAT, INT, U32, UNSIGNED};
use crate::rules::generated::image;

/// Checks `OpFragmentMaskFetchAMD` and `OpFragmentFetchAMD`.
pub(super) fn check_fetch(at: &InstCtx<'_, '_>) -> CheckResult {
    let is_mask = at.inst.op() == Op::FragmentMaskFetchAMD;
    let result = match is_mask {
        true => at.expect_result(&image::FRAGMENTS, U32),
        false => super::check_texel_vector(at, at.result_type()),
    };
    let image = match super::image_operand(at, 0) {
        Ok(Some(image)) => image,
        other => return all([result, other.map(drop)]),
    };
    let texel = match result.is_ok() && !is_mask {
        true => super::check_texel_type(at, &image, at.m.component_type(at.result_type())),
        false => Ok(()),
    };
    let is_fine = image.multisampled && matches!(image.dim, Dim::Dim2D | Dim::SubpassData);
    let wanted = "a multisampled image with the dimensionality `2D` or `SubpassData`";
    let size = shape::coordinate_size(at.inst.op(), &image);
    all([
        result,
        texel,
        at.expect_operand_that(&image::FRAGMENTS, 0, is_fine, wanted),
        super::check_coordinate(at, 1, INT, size),
    ])
}

/// Checks `OpImageSampleFootprintNV`.
pub(super) fn check_footprint(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let size = m.dimension(at.type_of_arg(1));
    let is_made = is_footprint(m, at.result_type(), size);
    let wanted = "a structure of a boolean, two vectors of unsigned integers like the coordinate, one of two, and \
                  two unsigned integers";
    let coordinate = at.expect_operand(&image::FOOTPRINT, 1, FLOAT.vector());
    let result = match coordinate.is_ok() {
        true => at.expect_result_that(&image::FOOTPRINT, is_made, wanted),
        false => Ok(()),
    };
    let sampled = match super::sampled_image_operand(at, 0) {
        Ok(Some(image)) => check_sampled(at, &image).and_then(|()| check_operands(at, image.dim)),
        other => other.map(drop),
    };
    all([
        result,
        sampled,
        coordinate,
        at.expect_operand(&image::FOOTPRINT, 2, INT),
        at.expect_operand(&image::FOOTPRINT, 3, BOOL.constant()),
    ])
}

/// Whether a type is that of a footprint for coordinates of so many components.
fn is_footprint(m: &Module<'_>, ty: Id, size: u32) -> bool {
    let Type::Struct {
        members: &[single, anchor, offset, mask, level, granularity],
    } = m.ty(ty)
    else {
        return false;
    };
    let is_vector =
        |ty: u32, size: u32| UNSIGNED.vector().matches(m, Id(ty)) && m.dimension(Id(ty)) == size;
    BOOL.matches(m, Id(single))
        && [anchor, offset].into_iter().all(|ty| is_vector(ty, size))
        && is_vector(mask, 2)
        && [level, granularity]
            .into_iter()
            .all(|ty| UNSIGNED.matches(m, Id(ty)))
}

/// Checks that the image operands are a combination that there are footprints for.
fn check_operands(at: &InstCtx<'_, '_>, dim: Dim) -> CheckResult {
    use ImageOperands as I;
    let mask = I(at.inst.optional(4).unwrap_or(0));
    let clamped = I(mask.0 & !I::MinLod.0);
    let is_fine = match clamped {
        I::Grad => dim == Dim::Dim2D,
        I::Lod => mask == clamped,
        _ => matches!(clamped, I(0) | I::Bias),
    };
    expect(is_fine, || {
        let message = format!(
            "{} of a `{dim}` image can't have the image operands `{mask}`",
            at.inst.op()
        );
        at.finding(&image::FOOTPRINT_OPERANDS, message).arg(at, 4)
    })
}

fn check_sampled(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let is_plain = !image.arrayed && !image.multisampled;
    let is_fine = is_plain && matches!(image.dim, Dim::Dim2D | Dim::Dim3D);
    let wanted = "a `2D` or `3D` image that is neither arrayed nor multisampled";
    at.expect_operand_that(&image::FOOTPRINT, 0, is_fine, wanted)
}
