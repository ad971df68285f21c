//! Pointers to texels, for atomic instructions.

use spirvkit_grammar::{Capability, Dim, ImageFormat, Op, StorageClass};

use super::shape::{self};
use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Type};
use crate::pattern::{I32, INT, NUMBER, UNTYPED_POINTER};
use crate::rules::atomics;
use crate::rules::generated::image;

/// Checks `OpImageTexelPointer`.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    let expected = "a pointer to a numeric scalar or void in the storage class `Image`";
    let pointee = match m.ty(result) {
        Type::Pointer {
            class: StorageClass::Image,
            pointee,
        } => Some(pointee),
        Type::UntypedPointer {
            class: StorageClass::Image,
        } => None,
        _ => return Err(at.result_finding(&image::TEXEL_POINTER_RESULT, expected)),
    };
    let is_vector = |pointee| {
        m.has(Capability::AtomicFloat16VectorNV) && atomics::FLOAT16_VECTOR.matches(m, pointee)
    };
    if let Some(pointee) = pointee
        && !m.is_void(pointee)
        && !NUMBER.matches(m, pointee)
        && !is_vector(pointee)
    {
        return Err(at.result_finding(&image::TEXEL_POINTER_RESULT, expected));
    }
    let Some(ty) = m.type_of(at.id(0)) else {
        return Ok(());
    };
    let image = match m.pointee(ty).map(|image| m.ty(image)) {
        Some(Type::Image(image)) => image,
        _ => {
            let expected = "a pointer to an image";
            return Err(at.operand_finding(&image::TEXEL_POINTER_IMAGE, 0, expected));
        }
    };
    let texel = match pointee.filter(|&pointee| !is_vector(pointee)) {
        Some(pointee) => super::check_same_texel_type(at, &image, pointee),
        None => Ok(()),
    };
    all([texel, check_place(at, &image, 1)])
}

/// Checks `OpUntypedImageTexelPointerEXT`.
pub(super) fn check_untyped(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let is_image_pointer = matches!(
        m.ty(at.result_type()),
        Type::UntypedPointer {
            class: StorageClass::Image
        }
    );
    let result = expect(is_image_pointer, || {
        let expected = "an untyped pointer in the storage class `Image`";
        at.result_finding(&image::TEXEL_POINTER_RESULT, expected)
    });
    let pointer = at.expect_operand(&image::TEXEL_POINTER_IMAGE, 1, UNTYPED_POINTER);
    let place = match m.ty(at.id(0)) {
        Type::Image(image) => check_place(at, &image, 2),
        _ => Err(at.operand_finding(&image::TEXEL_POINTER_IMAGE, 0, "an image type")),
    };
    all([result, pointer, place])
}

/// Checks coordinate and sample, and that the image has such texels.
fn check_place(at: &InstCtx<'_, '_>, image: &Image, coordinate: usize) -> CheckResult {
    let m = at.m;
    let size = match (image.arrayed, image.dim) {
        (_, Dim::SubpassData | Dim::TileImageDataEXT) => Err(wrong_dim(at, image)),
        (false, dim) => Ok(shape::plane_size(dim)),
        (true, Dim::Dim1D) => Ok(2),
        // The third is the layer, or the face of the layer.
        (true, Dim::Dim2D | Dim::Cube) => Ok(3),
        _ => Err(wrong_dim(at, image)),
    };
    let place = at
        .expect_operand(&image::COORDINATE, coordinate, I32.scalar_or_vector())
        .and_then(|()| match (m.type_of(at.id(coordinate)), &size) {
            (Some(ty), &Ok(size)) if m.dimension(ty) != size => {
                let wanted = format!("of {size} components");
                Err(at.operand_finding(&image::COORDINATE_SIZE, coordinate, &wanted))
            }
            _ => Ok(()),
        });
    all([
        size.map(drop),
        place,
        check_sample(at, image, coordinate + 1),
        check_format(at, image),
    ])
}

#[cold]
fn wrong_dim(at: &InstCtx<'_, '_>, image: &Image) -> Finding {
    let layers = if image.arrayed { "arrayed " } else { "" };
    let message = format!(
        "{} can't point into {layers}`{}` images",
        at.inst.op(),
        image.dim
    );
    at.finding(&image::DIM, message)
}

fn check_sample(at: &InstCtx<'_, '_>, image: &Image, sample: usize) -> CheckResult {
    let rule = &image::TEXEL_POINTER_SAMPLE;
    at.expect_operand(rule, sample, INT)?;
    let is_fine = image.multisampled || at.m.constant_u64(at.id(sample)) == Some(0);
    let wanted = "the constant 0 for an image that is not multisampled";
    at.expect_operand_that(rule, sample, is_fine, wanted)
}

fn check_format(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    use ImageFormat as F;
    let is_right = match image.format {
        F::R64i | F::R64ui | F::R32f | F::R32i | F::R32ui => true,
        F::Rg16f | F::Rgba16f => at.m.has(Capability::AtomicFloat16VectorNV),
        _ => false,
    };
    if is_right || !at.m.env.is_vulkan() {
        return Ok(());
    }
    let op = at.inst.op();
    let message = format!(
        "{op} points into an image of the format {}, but in Vulkan no atomic instruction works on that format",
        image.format
    );
    Err(at
        .finding(&image::TEXEL_POINTER_FORMAT, message)
        .arg(at, 0)
        .vuid(match op {
            Op::ImageTexelPointer => "VUID-StandaloneSpirv-OpImageTexelPointer-04658",
            _ => "VUID-StandaloneSpirv-OpUntypedImageTexelPointerEXT-11416",
        }))
}
