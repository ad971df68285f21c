//! Images and sampled images.

use spirvkit_grammar::{Capability, Dim, ImageFormat, Version};

use crate::finding::{CheckResult, Finding, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Image, Lookup, Module, Type};
use crate::pattern::{ANY, F32, FLOAT, I32, IMAGE, INT, Pattern, VOID};
use crate::rule::Rule;
use crate::rules::generated::type_;

pub(super) fn image(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(result) = at.inst.result() else {
        return Ok(());
    };
    let Type::Image(image) = m.ty(result) else {
        return Ok(());
    };
    // The numbers themselves: `Image` holds some of them as booleans.
    let names = ["Depth", "Arrayed", "MS", "Sampled"];
    let flags = names.into_iter().zip([2, 1, 1, 2]).enumerate();
    let flags = all(flags.map(|(index, (name, most))| {
        let value = at.inst.arg(DEPTH + index);
        expect(value <= most, || {
            let message = format!("`{name}` of OpTypeImage must be at most {most}, but is {value}");
            at.finding(&type_::IMAGE_FLAGS, message)
                .arg(at, DEPTH + index)
        })
    }));
    let sampled = sampled_type(at);
    // What the flags are must be known for the rest.
    let rest = match flags.is_ok() {
        true => all([kind(at, image), environment(at, image, sampled.is_ok())]),
        false => Ok(()),
    };
    all([sampled, flags, rest])
}

/// Checks what images of a dimensionality must be.
fn kind(at: &InstCtx<'_, '_>, image: Image) -> CheckResult {
    let m = at.m;
    let rule = |is_fine, operand, message| {
        expect(is_fine, || {
            wrong(at, &type_::IMAGE_SUBPASS, operand, message)
        })
    };
    match image.dim {
        Dim::SubpassData => all([
            rule(
                image.sampled == 2,
                SAMPLED,
                "an image of the dimensionality `SubpassData` must have `Sampled` 2",
            ),
            rule(
                image.format == ImageFormat::Unknown,
                FORMAT,
                "an image of the dimensionality `SubpassData` must have the format `Unknown`",
            ),
            rule(
                !image.arrayed || !m.env.is_vulkan(),
                ARRAYED,
                "in Vulkan, an image of the dimensionality `SubpassData` can't be arrayed",
            ),
        ]),
        Dim::TileImageDataEXT => tile(at, image),
        _ => {
            let is_stored = image.multisampled && image.sampled == 2;
            let is_fine = !is_stored || m.has(Capability::StorageImageMultisample);
            expect(is_fine, || {
                let needs =
                    "a multisampled storage image needs the capability `StorageImageMultisample`";
                wrong(at, &type_::IMAGE_MULTISAMPLED_STORAGE, MULTISAMPLED, needs)
            })
        }
    }
}

/// Checks what the environment asks. `is_typed` says whether the sampled type is
/// right.
fn environment(at: &InstCtx<'_, '_>, image: Image, is_typed: bool) -> CheckResult {
    let m = at.m;
    if m.env.is_opencl() {
        return opencl(at, image);
    }
    match m.env.is_vulkan() {
        true => vulkan(at, image, is_typed),
        false => Ok(()),
    }
}

/// The operands of `OpTypeImage`.
const SAMPLED_TYPE: usize = 0;
const DEPTH: usize = 2;
const ARRAYED: usize = 3;
const MULTISAMPLED: usize = 4;
const SAMPLED: usize = 5;
const FORMAT: usize = 6;

#[cold]
fn wrong(at: &InstCtx<'_, '_>, rule: &'static Rule, operand: usize, message: &str) -> Finding {
    at.finding(rule, message).arg(at, operand)
}

/// What Vulkan's texels are read as.
const VULKAN_TEXELS: Pattern = Pattern::either(&[F32, INT.widths(&[32, 64])]);
const VULKAN_TEXELS_WITH_HALVES: Pattern =
    Pattern::either(&[FLOAT.widths(&[16, 32]), INT.widths(&[32, 64])]);

fn sampled_type(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let wanted = match m.env.is_opencl() {
        true => VOID,
        false => Pattern::either(&[VOID, INT, FLOAT]),
    };
    at.expect_type(&type_::IMAGE_SAMPLED_TYPE, SAMPLED_TYPE, wanted)?;
    let wanted = match m.has(Capability::Float16ImageAMD) {
        true => VULKAN_TEXELS_WITH_HALVES,
        false => VULKAN_TEXELS,
    };
    match m.env.is_vulkan() {
        true => at.expect_type(&type_::IMAGE_SAMPLED_TYPE_VULKAN, SAMPLED_TYPE, wanted),
        false => Ok(()),
    }
}

fn tile(at: &InstCtx<'_, '_>, image: Image) -> CheckResult {
    let rule = |is_fine, operand, message| {
        expect(is_fine, || wrong(at, &type_::IMAGE_TILE, operand, message))
    };
    all([
        rule(
            !at.m.is_void(image.sampled_type),
            SAMPLED_TYPE,
            "a tile image must have a sampled type other than void",
        ),
        rule(
            image.sampled == 2,
            SAMPLED,
            "a tile image must have `Sampled` 2",
        ),
        rule(
            image.format == ImageFormat::Unknown,
            FORMAT,
            "a tile image must have the format `Unknown`",
        ),
        rule(image.depth == 0, DEPTH, "a tile image must have `Depth` 0"),
        rule(
            !image.arrayed,
            ARRAYED,
            "a tile image must have `Arrayed` 0",
        ),
    ])
}

fn opencl(at: &InstCtx<'_, '_>, image: Image) -> CheckResult {
    let rule = |is_fine, operand, message| {
        expect(is_fine, || {
            wrong(at, &type_::IMAGE_OPENCL, operand, message)
        })
    };
    all([
        rule(
            !image.arrayed || matches!(image.dim, Dim::Dim1D | Dim::Dim2D),
            ARRAYED,
            "in OpenCL, only 1D and 2D images can be arrayed",
        ),
        rule(
            !image.multisampled,
            MULTISAMPLED,
            "in OpenCL, images must have `MS` 0",
        ),
        rule(
            image.sampled == 0,
            SAMPLED,
            "in OpenCL, images must have `Sampled` 0",
        ),
        rule(
            image.format == ImageFormat::Unknown,
            FORMAT,
            "in OpenCL, images must have the format `Unknown`",
        ),
        // There is nothing to point at: it comes after the format.
        rule(
            image.access.is_some(),
            FORMAT,
            "in OpenCL, an image type must have an access qualifier",
        ),
    ])
}

fn vulkan(at: &InstCtx<'_, '_>, image: Image, is_typed: bool) -> CheckResult {
    let m = at.m;
    let sampled = expect(image.sampled != 0, || {
        let message = "in Vulkan, `Sampled` of an image type must be 1 or 2, but is 0";
        wrong(at, &type_::IMAGE_SAMPLED_VULKAN, SAMPLED, message)
    });
    let texels = texels_of(m, image.format);
    let fits = !is_typed || texels.matches(m, image.sampled_type);
    let format = expect(fits, || {
        let message = format!(
            "for the format `{}` the sampled type must be {texels}, but is {}",
            image.format,
            m.show_type(image.sampled_type)
        );
        let finding = at.finding(&type_::IMAGE_FORMAT_VULKAN, message);
        finding.about(m, image.sampled_type, "the sampled type is declared here")
    });
    all([sampled, format])
}

/// What the texels of a format are read as in Vulkan.
fn texels_of(m: &Module<'_>, format: ImageFormat) -> Pattern {
    const FIRST_INTEGER: u32 = ImageFormat::Rgba32i.0;
    const LAST_INTEGER: u32 = ImageFormat::R8ui.0;
    match format {
        ImageFormat::Unknown => ANY,
        ImageFormat::R64ui | ImageFormat::R64i => INT.widths(&[64]),
        ImageFormat(FIRST_INTEGER..=LAST_INTEGER) => I32,
        ImageFormat(..FIRST_INTEGER) if m.has(Capability::Float16ImageAMD) => {
            FLOAT.widths(&[16, 32])
        }
        ImageFormat(..FIRST_INTEGER) => F32,
        _ => ANY,
    }
}

pub(super) fn sampled_image(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let ty = at.id(0);
    at.expect_type(&type_::SAMPLED_IMAGE_TYPE, 0, IMAGE)?;
    let Type::Image(image) = m.ty(ty) else {
        return Ok(());
    };
    let is_sampled = expect(image.sampled <= 1, || {
        let message = format!(
            "the image of a sampled image type must have `Sampled` 0 or 1, but has {}",
            image.sampled
        );
        let finding = at.finding(&type_::SAMPLED_IMAGE_USE, message);
        finding.about(m, ty, "the image type is declared here")
    });
    let is_buffer = m.version >= Version::new(1, 6) && image.dim == Dim::Buffer;
    let is_filtered = expect(!is_buffer, || {
        let message = "since SPIR-V 1.6, the image of a sampled image type can't have the dimensionality `Buffer`";
        let finding = at.finding(&type_::SAMPLED_IMAGE_TYPE, message);
        finding.about(m, ty, "the image type is declared here")
    });
    all([is_sampled, is_filtered])
}
