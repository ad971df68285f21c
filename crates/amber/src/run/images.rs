//! Images and samplers of scripts, as the interpreter takes them.

use spirvkit_eval::Format;
use spirvkit_interp as interp;

use crate::script::{Buffer, Sampler, Script, Size};
use crate::types::{ScalarKind, Shape};
use crate::words::{AddressMode, BorderColor, CompareOp, DescriptorKind, Dimension, Filter};

/// How a buffer is seen as an image, with all its levels of detail; why it can't be, if it
/// can't.
pub(super) fn image(
    script: &Script,
    buffer: &Buffer,
    framebuffer: [u32; 2],
    kind: DescriptorKind,
) -> Result<interp::Image, String> {
    let format = format(buffer.ty.shape).ok_or("a buffer without a format can't be an image")?;
    let is_texel_buffer = matches!(
        kind,
        DescriptorKind::UniformTexelBuffer | DescriptorKind::StorageTexelBuffer
    );
    if is_texel_buffer {
        if buffer.ty.stride(script, buffer.layout) != format.texel_size() {
            return Err("a texel buffer with gaps can't be bound yet".to_owned());
        }
        let count = buffer.element_count(framebuffer);
        let size = [u32::try_from(count).unwrap_or(u32::MAX), 1, 1];
        return Ok(interp::Image::new(interp::Dimension::Buffer, format, size));
    }
    let (dimension, size) = match buffer.size {
        Size::Image {
            dimension,
            width,
            height,
            depth,
        } => (dimension, [width, height, depth]),
        Size::Framebuffer => (Dimension::Two, [framebuffer[0], framebuffer[1], 1]),
        Size::Elements(count) => {
            let width = u32::try_from(count).unwrap_or(u32::MAX);
            (Dimension::One, [width, 1, 1])
        }
    };
    let dimension = match dimension {
        Dimension::One => interp::Dimension::D1,
        Dimension::Two => interp::Dimension::D2,
        Dimension::Three => interp::Dimension::D3,
    };
    let image = interp::Image::new(dimension, format, size);
    let image = image.levels(buffer.mip_levels).samples(buffer.samples);
    match image.byte_size() <= interp::MAX_IMAGE {
        true => Ok(image),
        false => Err("an image takes more than 2 GiB".to_owned()),
    }
}

/// The image from a level of detail on, and where its bytes start.
pub(super) fn from_level(image: interp::Image, level: u32) -> Option<(interp::Image, u64)> {
    if level == 0 {
        return Some((image, 0));
    }
    let levels = image
        .level_count()
        .checked_sub(level)
        .filter(|it| *it > 0)?;
    let size = image.size().map(|side| (side >> level).max(1));
    let rest = interp::Image::new(image.dimension(), image.format(), size);
    let rest = rest.levels(levels).samples(image.sample_count());
    let start = image.byte_size().checked_sub(rest.byte_size())?;
    Some((rest, start))
}

/// The format of a type's texels.
fn format(shape: Shape) -> Option<Format> {
    let (scalar, size) = match shape {
        Shape::Format(format) => return Some(format),
        Shape::Scalar(scalar) => (scalar, 1),
        Shape::Vector { scalar, size } => (scalar, size),
        Shape::Matrix { .. } | Shape::Struct(_) => return None,
    };
    let channels = ["R", "G", "B", "A"].iter().take(size.into());
    let channels: String = channels
        .map(|name| format!("{name}{}", scalar.bits))
        .collect();
    let encoding = match scalar.kind {
        ScalarKind::Signed => "SINT",
        ScalarKind::Unsigned => "UINT",
        ScalarKind::Float => "SFLOAT",
    };
    Format::named(&format!("{channels}_{encoding}"))
}

/// A sampler; between levels of detail it filters as for images that are reduced.
pub(super) fn sampler(sampler: &Sampler) -> interp::Sampler {
    let filter = |filter| match filter {
        Filter::Nearest => interp::Filter::Nearest,
        Filter::Linear => interp::Filter::Linear,
    };
    let address_mode = |mode| match mode {
        AddressMode::Repeat => interp::AddressMode::Repeat,
        AddressMode::MirroredRepeat => interp::AddressMode::MirroredRepeat,
        AddressMode::ClampToEdge => interp::AddressMode::ClampToEdge,
        AddressMode::ClampToBorder => interp::AddressMode::ClampToBorder,
        AddressMode::MirrorClampToEdge => interp::AddressMode::MirrorClampToEdge,
    };
    let border_color = match sampler.border_color {
        BorderColor::FloatTransparentBlack | BorderColor::IntTransparentBlack => {
            interp::BorderColor::TransparentBlack
        }
        BorderColor::FloatOpaqueBlack | BorderColor::IntOpaqueBlack => {
            interp::BorderColor::OpaqueBlack
        }
        BorderColor::FloatOpaqueWhite | BorderColor::IntOpaqueWhite => {
            interp::BorderColor::OpaqueWhite
        }
    };
    let compare = sampler.compare.map(|compare| match compare {
        CompareOp::Never => interp::CompareOp::Never,
        CompareOp::Less => interp::CompareOp::Less,
        CompareOp::Equal => interp::CompareOp::Equal,
        CompareOp::LessOrEqual => interp::CompareOp::LessOrEqual,
        CompareOp::Greater => interp::CompareOp::Greater,
        CompareOp::NotEqual => interp::CompareOp::NotEqual,
        CompareOp::GreaterOrEqual => interp::CompareOp::GreaterOrEqual,
        CompareOp::Always => interp::CompareOp::Always,
    });
    interp::Sampler::default()
        .mag_filter(filter(sampler.mag_filter))
        .min_filter(filter(sampler.min_filter))
        .mip_filter(filter(sampler.min_filter))
        .address_modes(sampler.address_modes.map(address_mode))
        .border_color(border_color)
        .min_lod(sampler.min_lod)
        .max_lod(sampler.max_lod)
        .compare(compare)
        .unnormalized(!sampler.is_normalized)
}
