//! What kernels are told of formats (sections 3.12 and 3.13).

use spirvkit_eval::{Channel, Encoding, Format};
use spirvkit_grammar::{ImageChannelDataType as DataType, ImageChannelOrder as Order};

/// The type of the components; `None` if kernels have no name for it.
pub(crate) fn data_type(format: Format) -> Option<DataType> {
    let component = format.components().first()?;
    Some(
        match (component.encoding, component.bits, format.packed_bits()) {
            (Encoding::Unorm, _, 16) if format.components().len() == 3 => DataType::UnormShort565,
            (Encoding::Unorm, 5 | 1, 16) => DataType::UnormShort555,
            (Encoding::Unorm, _, 32) if format.components().len() == 4 => {
                DataType::UnormInt101010_2
            }
            (Encoding::Unorm | Encoding::Srgb, 8, _) => DataType::UnormInt8,
            (Encoding::Unorm, 16, _) => DataType::UnormInt16,
            (Encoding::Unorm, 24, _) => DataType::UnormInt24,
            (Encoding::Snorm, 8, _) => DataType::SnormInt8,
            (Encoding::Snorm, 16, _) => DataType::SnormInt16,
            (Encoding::Sint, 8, _) => DataType::SignedInt8,
            (Encoding::Sint, 16, _) => DataType::SignedInt16,
            (Encoding::Sint, 32, _) => DataType::SignedInt32,
            (Encoding::Uint, 8, _) => DataType::UnsignedInt8,
            (Encoding::Uint, 16, _) => DataType::UnsignedInt16,
            (Encoding::Uint, 32, _) => DataType::UnsignedInt32,
            (Encoding::Sfloat, 16, _) => DataType::HalfFloat,
            (Encoding::Sfloat, 32, _) => DataType::Float,
            _ => return None,
        },
    )
}

/// The order of the components; `None` if kernels have no name for it.
pub(crate) fn order(format: Format) -> Option<Order> {
    use Channel::{Alpha, Blue, Depth, Green, Red, Stencil, Unused};
    let mut channels = [Unused; 4];
    let components = format.components();
    for (to, from) in channels.iter_mut().zip(components) {
        *to = from.channel;
    }
    // Those of packed formats are named from the highest bits on.
    if format.packed_bits() > 0 {
        channels[..components.len()].reverse();
    }
    let is_srgb = components.iter().any(|it| it.encoding == Encoding::Srgb);
    Some(match (&channels[..components.len()], is_srgb) {
        ([Red], _) => Order::R,
        ([Alpha], _) => Order::A,
        ([Red, Green], _) => Order::RG,
        ([Red, Green, Blue], true) => Order::sRGB,
        ([Red, Green, Blue], false) => Order::RGB,
        ([Red, Green, Blue, Alpha], true) => Order::sRGBA,
        ([Red, Green, Blue, Alpha], false) => Order::RGBA,
        ([Blue, Green, Red, Alpha], true) => Order::sBGRA,
        ([Blue, Green, Red, Alpha], false) => Order::BGRA,
        ([Alpha, Red, Green, Blue], _) => Order::ARGB,
        ([Alpha, Blue, Green, Red], _) => Order::ABGR,
        ([Depth] | [Depth, Unused], _) => Order::Depth,
        ([Depth, Stencil] | [Stencil, Depth], _) => Order::DepthStencil,
        _ => return None,
    })
}
