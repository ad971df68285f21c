//! From the interpreter's images and samplers to Vulkan's.

use spirvkit::amber::DescriptorKind;
use spirvkit::eval::Format;
use spirvkit::interp;
use spirvkit_lavapipe::{Image, vk};

/// The number of a format, which both name alike.
pub(crate) fn format(format: Format) -> Option<vk::Format> {
    let name = format.name();
    let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
    (1..=184)
        .map(vk::Format::from_raw)
        .find(|it| format!("{it:?}") == name)
}

/// Why an image can't be compared, if it can't.
pub(crate) fn image(image: &interp::Image, bytes: Vec<u8>) -> Result<Image, String> {
    let known = format(image.format());
    let known = known.ok_or_else(|| format!("the driver has no {}", image.format().name()))?;
    if image.sample_count() > 1 {
        return Err("images with several samples can't be copied".to_owned());
    }
    let aspects = image.format().components().len();
    if image.format().is_depth_stencil() && aspects > 1 {
        return Err("images of depth and stencil can't be copied together".to_owned());
    }
    let layers = image.layer_count();
    let view = match image.dimension() {
        interp::Dimension::D1 if layers > 1 => vk::ImageViewType::TYPE_1D_ARRAY,
        interp::Dimension::D1 => vk::ImageViewType::TYPE_1D,
        interp::Dimension::D2 if layers > 1 => vk::ImageViewType::TYPE_2D_ARRAY,
        interp::Dimension::D2 => vk::ImageViewType::TYPE_2D,
        interp::Dimension::D3 => vk::ImageViewType::TYPE_3D,
        interp::Dimension::Cube if layers > 6 => vk::ImageViewType::CUBE_ARRAY,
        interp::Dimension::Cube => vk::ImageViewType::CUBE,
        _ => return Err("an image of a kind that is not known".to_owned()),
    };
    Ok(Image {
        view,
        format: known,
        texel_size: image.format().texel_size(),
        size: image.size(),
        layers,
        levels: image.level_count(),
        bytes,
    })
}

/// A sampler.
pub(crate) fn sampler(sampler: &interp::Sampler) -> vk::SamplerCreateInfo<'static> {
    let filter = |filter| match filter {
        interp::Filter::Linear => vk::Filter::LINEAR,
        _ => vk::Filter::NEAREST,
    };
    let [u, v, w] = sampler.address_modes.map(|mode| match mode {
        interp::AddressMode::MirroredRepeat => vk::SamplerAddressMode::MIRRORED_REPEAT,
        interp::AddressMode::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        interp::AddressMode::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
        interp::AddressMode::MirrorClampToEdge => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        _ => vk::SamplerAddressMode::REPEAT,
    });
    let compare = sampler.compare.map(|compare| match compare {
        interp::CompareOp::Never => vk::CompareOp::NEVER,
        interp::CompareOp::Less => vk::CompareOp::LESS,
        interp::CompareOp::Equal => vk::CompareOp::EQUAL,
        interp::CompareOp::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        interp::CompareOp::Greater => vk::CompareOp::GREATER,
        interp::CompareOp::NotEqual => vk::CompareOp::NOT_EQUAL,
        interp::CompareOp::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        _ => vk::CompareOp::ALWAYS,
    });
    let border = match sampler.border_color {
        interp::BorderColor::OpaqueBlack => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        interp::BorderColor::OpaqueWhite => vk::BorderColor::FLOAT_OPAQUE_WHITE,
        _ => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
    };
    vk::SamplerCreateInfo::default()
        .mag_filter(filter(sampler.mag_filter))
        .min_filter(filter(sampler.min_filter))
        .mipmap_mode(match sampler.mip_filter {
            interp::Filter::Linear => vk::SamplerMipmapMode::LINEAR,
            _ => vk::SamplerMipmapMode::NEAREST,
        })
        .address_mode_u(u)
        .address_mode_v(v)
        .address_mode_w(w)
        .mip_lod_bias(sampler.lod_bias)
        .min_lod(sampler.min_lod)
        .max_lod(sampler.max_lod)
        .compare_enable(compare.is_some())
        .compare_op(compare.unwrap_or_default())
        .border_color(border)
        .unnormalized_coordinates(sampler.unnormalized)
}

/// What a descriptor is. Offsets are in what is bound already.
pub(crate) fn kind(kind: Option<DescriptorKind>) -> Option<vk::DescriptorType> {
    let Some(kind) = kind else {
        return Some(vk::DescriptorType::SAMPLER);
    };
    Some(match kind {
        DescriptorKind::Uniform | DescriptorKind::UniformDynamic => {
            vk::DescriptorType::UNIFORM_BUFFER
        }
        DescriptorKind::Storage | DescriptorKind::StorageDynamic => {
            vk::DescriptorType::STORAGE_BUFFER
        }
        DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::CombinedImageSampler => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        _ => return None,
    })
}
