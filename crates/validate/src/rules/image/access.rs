//! Fetching, reading and writing, without filters.

use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_eval::Format;
use spirvkit_grammar::{Capability, Dim, ExecutionModel, ImageFormat, ImageOperands, Op};

use super::shape::{self, NUMBERS};
use super::{operands, sample, vendor};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Models};
use crate::pattern::{BOOL, F32, I32, INT, NUMBER};
use crate::rules::generated::image;

const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);

/// Checks `OpImageFetch` and its sparse form.
pub(super) fn check_fetch(at: &InstCtx<'_, '_>) -> CheckResult {
    let texel = super::texel_of(at)?;
    let result = super::check_texel_vector(at, texel);
    let image = match super::image_operand(at, 0) {
        Ok(Some(image)) => image,
        other => return all([result, other.map(drop)]),
    };
    let texel = match result.is_ok() {
        true => super::check_texel_type(at, &image, at.m.component_type(texel)),
        false => Ok(()),
    };
    let fetched = check_fetched(at, &image).and_then(|()| {
        let size = shape::coordinate_size(at.inst.op(), &image);
        all([
            super::check_coordinate(at, 1, I32, size),
            operands::check(at, &image, 2),
        ])
    });
    all([result, texel, fetched, vendor::check_plain_use(at, 0)])
}

/// Checks that an image can be fetched from.
fn check_fetched(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    if image.dim == Dim::Cube {
        let what = "can't fetch from an image of dimensionality `Cube`";
        return Err(super::wrong_image(at, &image::DIM, at.id(0), what));
    }
    expect(image.sampled == 1, || {
        let what = "needs an image whose type has `Sampled` 1";
        super::wrong_image(at, &image::SAMPLED, at.id(0), what)
    })
}

/// Checks `OpImageRead` and its sparse form.
pub(super) fn check_read(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    let texel = super::texel_of(at)?;
    let image = super::image_operand(at, 0);
    let result = check_read_result(at, texel, image.as_ref().ok().copied().flatten());
    let image = match image {
        Ok(Some(image)) => image,
        other => return all([result, other.map(drop)]),
    };
    let is_subpass = image.dim == Dim::SubpassData;
    if is_subpass && op == Op::ImageSparseRead || image.dim == Dim::TileImageDataEXT {
        let what = format!("can't read an image of dimensionality `{}`", image.dim);
        let finding = super::wrong_image(at, &image::DIM, at.id(0), &what);
        return all([result, Err(finding)]);
    }
    let texel = match result.is_ok() {
        true => super::check_texel_type(at, &image, m.component_type(texel)),
        false => Ok(()),
    };
    let kind = match is_subpass {
        true => check_subpass_coordinate(at),
        false => check_format(at, &image, Capability::StorageImageReadWithoutFormat),
    };
    let stage = match at.models_outside(FRAGMENT) {
        Some(models) if is_subpass => {
            let message = format!(
                "{op} of `SubpassData` can be used only in `Fragment`, but is reached from {models}"
            );
            Err(at.finding(&image::SUBPASS_STAGE, message))
        }
        _ => Ok(()),
    };
    all([
        result,
        texel,
        check_storage(at, &image),
        check_place(at, &image),
        kind,
        vendor::check_plain_use(at, 0),
        sample::check_opencl_offset(at, 2),
        operands::check(at, &image, 2),
        stage,
    ])
}

/// Checks the texel that is read.
fn check_read_result(at: &InstCtx<'_, '_>, texel: Id, image: Option<Image>) -> CheckResult {
    let m = at.m;
    let is_number = NUMBERS.matches(m, texel);
    at.expect_result_that(&image::RESULT, is_number, "a scalar or a vector of numbers")?;
    let components = m.dimension(texel);
    if m.env.is_vulkan() && components != 4 {
        let expected = "a vector of four components";
        return Err(at.result_finding(&image::VULKAN_COMPONENTS, expected));
    }
    let (wanted, expected) = match image {
        Some(image) if m.env.is_opencl() && image.depth == 1 => {
            (1, "a scalar because the image has depth")
        }
        Some(_) if m.env.is_opencl() => (4, "a vector of four components"),
        _ => return Ok(()),
    };
    expect(components == wanted, || {
        at.result_finding(&image::COMPONENTS, expected)
    })
}

/// Checks `OpImageWrite`.
pub(super) fn check_write(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(image) = super::image_operand(at, 0)? else {
        return Ok(());
    };
    if matches!(image.dim, Dim::SubpassData | Dim::TileImageDataEXT) {
        let what = format!("can't write to an image of dimensionality `{}`", image.dim);
        return Err(super::wrong_image(at, &image::DIM, at.id(0), &what));
    }
    // cl_khr_mipmap_image_writes.
    let levels = match m.has(Capability::ImageMipmap) {
        true => ImageOperands::Lod.0,
        false => 0,
    };
    let operands = at.inst.optional(3).unwrap_or(0) & !levels;
    let opencl = expect(!m.env.is_opencl() || operands == 0, || {
        let message = format!("{} can't have these image operands in OpenCL", at.inst.op());
        at.finding(&image::OPENCL_WRITE_OPERANDS, message)
            .arg(at, 3)
    });
    let operands = opencl.and_then(|()| operands::check(at, &image, 3));
    all([
        check_storage(at, &image),
        check_place(at, &image),
        check_written(at, &image),
        check_format(at, &image, Capability::StorageImageWriteWithoutFormat),
        vendor::check_plain_use(at, 0),
        operands,
    ])
}

/// Checks the texel that is written.
fn check_written(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let Some(ty) = at.m.type_of(at.id(2)) else {
        return Ok(());
    };
    at.expect_operand(&image::TEXEL, 2, NUMBERS)?;
    super::check_texel_type(at, image, at.m.scalar_or_vector_component(ty))?;
    let given = at.m.dimension(ty);
    if given >= 4 || !at.m.env.is_vulkan() {
        return Ok(());
    }
    let format = Format::of_image(image.format);
    let needed = format.map_or(0, |format| format.components().len());
    expect(given as usize >= needed, || {
        let wanted = format!(
            "of at least {} for the format `{}` in Vulkan",
            counted(needed, "component"),
            image.format
        );
        at.operand_finding(&image::VULKAN_WRITE_COMPONENTS, 2, &wanted)
    })
}

/// Checks that an image can be read and written.
fn check_storage(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let needed = match (image.sampled, image.dim) {
        (0, _) => return Ok(()),
        (2, Dim::Dim1D) => Some(Capability::Image1D),
        (2, Dim::Rect) => Some(Capability::ImageRect),
        (2, Dim::Buffer) => Some(Capability::ImageBuffer),
        (2, Dim::Cube) if image.arrayed => Some(Capability::ImageCubeArray),
        (2, _) if image.multisampled && image.arrayed => Some(Capability::ImageMSArray),
        (2, _) => None,
        _ => {
            let what = "needs an image whose type has `Sampled` 0 or 2";
            return Err(super::wrong_image(at, &image::SAMPLED, at.id(0), what));
        }
    };
    match needed {
        Some(needed) if !at.m.has(needed) => {
            let what = format!("needs the capability `{needed}` for its image");
            Err(super::wrong_image(
                at,
                &image::STORAGE_CAPABILITY,
                at.id(0),
                &what,
            ))
        }
        _ => Ok(()),
    }
}

/// Checks a coordinate of reading and writing.
fn check_place(at: &InstCtx<'_, '_>, image: &Image) -> CheckResult {
    let size = shape::coordinate_size(at.inst.op(), image);
    super::check_coordinate(at, 1, NUMBER.widths(&[32]), size)
}

fn check_format(at: &InstCtx<'_, '_>, image: &Image, capability: Capability) -> CheckResult {
    let is_unknown = image.format == ImageFormat::Unknown;
    match is_unknown && at.m.env.is_vulkan() && !at.m.has(capability) {
        true => {
            let what = format!("needs the capability `{capability}` for the format `Unknown`");
            Err(super::wrong_image(
                at,
                &image::WITHOUT_FORMAT,
                at.id(0),
                &what,
            ))
        }
        false => Ok(()),
    }
}

fn check_subpass_coordinate(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let place = at.id(1);
    let Some(def) = m.def(place).filter(|_| m.env.is_vulkan()) else {
        return Ok(());
    };
    let is_origin = match def.op() {
        Op::ConstantNull => true,
        Op::ConstantComposite => def
            .args()
            .iter()
            .all(|&part| m.constant_u64(Id(part)) == Some(0)),
        _ => false,
    };
    match is_origin {
        true => Ok(()),
        false => {
            let expected = "the constant (0, 0)";
            Err(at.operand_finding(&image::SUBPASS_COORDINATE, 1, expected))
        }
    }
}

/// Checks `OpImageSparseTexelsResident`.
pub(super) fn check_resident(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_result(&image::RESULT, BOOL)?;
    at.expect_operand(&image::RESIDENT_CODE, 0, INT)
}

/// Checks the instructions that read attachments at the fragment's place.
pub(super) fn check_attachment(at: &InstCtx<'_, '_>) -> CheckResult {
    let (what, sample) = match at.inst.op() {
        Op::ColorAttachmentReadEXT => (check_color(at, at.result_type()), 1),
        Op::DepthAttachmentReadEXT => (at.expect_result(&image::RESULT, F32), 0),
        _ => (at.expect_result(&image::RESULT, I32), 0),
    };
    let sample = match at.inst.optional(sample) {
        Some(_) => at.expect_operand(&image::ATTACHMENT_SAMPLE, sample, I32),
        None => Ok(()),
    };
    all([
        what,
        sample,
        at.expect_models(&image::ATTACHMENT_STAGE, FRAGMENT),
    ])
}

/// Checks the image and the result of a read of colours.
fn check_color(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let numbers = at.expect_result(&image::RESULT, NUMBERS);
    let image = match super::image_operand(at, 0) {
        Ok(Some(image)) if image.dim != Dim::TileImageDataEXT => {
            let what = format!(
                "needs an image of dimensionality `TileImageDataEXT`, but has `{}`",
                image.dim
            );
            Err(super::wrong_image(at, &image::DIM, at.id(0), &what))
        }
        Ok(Some(image)) if numbers.is_ok() => {
            super::check_texel_type(at, &image, at.m.component_type(result))
        }
        other => other.map(drop),
    };
    all([numbers, image])
}
