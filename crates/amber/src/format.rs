//! Formats of texels, by Vulkan's names.

use std::fmt;

use crate::number::Number;
use crate::types::{Scalar, ScalarKind};

/// The names of all formats that scripts may name.
const NAMES: &str = "\
    A1R5G5B5_UNORM_PACK16 A2B10G10R10_SINT_PACK32 A2B10G10R10_SNORM_PACK32 \
    A2B10G10R10_SSCALED_PACK32 A2B10G10R10_UINT_PACK32 A2B10G10R10_UNORM_PACK32 \
    A2B10G10R10_USCALED_PACK32 A2R10G10B10_SINT_PACK32 A2R10G10B10_SNORM_PACK32 \
    A2R10G10B10_SSCALED_PACK32 A2R10G10B10_UINT_PACK32 A2R10G10B10_UNORM_PACK32 \
    A2R10G10B10_USCALED_PACK32 A8B8G8R8_SINT_PACK32 A8B8G8R8_SNORM_PACK32 A8B8G8R8_SRGB_PACK32 \
    A8B8G8R8_SSCALED_PACK32 A8B8G8R8_UINT_PACK32 A8B8G8R8_UNORM_PACK32 A8B8G8R8_USCALED_PACK32 \
    B10G11R11_UFLOAT_PACK32 B4G4R4A4_UNORM_PACK16 B5G5R5A1_UNORM_PACK16 B5G6R5_UNORM_PACK16 \
    B8G8R8A8_SINT B8G8R8A8_SNORM B8G8R8A8_SRGB B8G8R8A8_SSCALED B8G8R8A8_UINT B8G8R8A8_UNORM \
    B8G8R8A8_USCALED B8G8R8_SINT B8G8R8_SNORM B8G8R8_SRGB B8G8R8_SSCALED B8G8R8_UINT \
    B8G8R8_UNORM B8G8R8_USCALED D16_UNORM D16_UNORM_S8_UINT D24_UNORM_S8_UINT D32_SFLOAT \
    D32_SFLOAT_S8_UINT R16G16B16A16_SFLOAT R16G16B16A16_SINT R16G16B16A16_SNORM \
    R16G16B16A16_SSCALED R16G16B16A16_UINT R16G16B16A16_UNORM R16G16B16A16_USCALED \
    R16G16B16_SFLOAT R16G16B16_SINT R16G16B16_SNORM R16G16B16_SSCALED R16G16B16_UINT \
    R16G16B16_UNORM R16G16B16_USCALED R16G16_SFLOAT R16G16_SINT R16G16_SNORM R16G16_SSCALED \
    R16G16_UINT R16G16_UNORM R16G16_USCALED R16_SFLOAT R16_SINT R16_SNORM R16_SSCALED R16_UINT \
    R16_UNORM R16_USCALED R32G32B32A32_SFLOAT R32G32B32A32_SINT R32G32B32A32_UINT \
    R32G32B32_SFLOAT R32G32B32_SINT R32G32B32_UINT R32G32_SFLOAT R32G32_SINT R32G32_UINT \
    R32_SFLOAT R32_SINT R32_UINT R4G4B4A4_UNORM_PACK16 R4G4_UNORM_PACK8 R5G5B5A1_UNORM_PACK16 \
    R5G6B5_UNORM_PACK16 R64G64B64A64_SFLOAT R64G64B64A64_SINT R64G64B64A64_UINT \
    R64G64B64_SFLOAT R64G64B64_SINT R64G64B64_UINT R64G64_SFLOAT R64G64_SINT R64G64_UINT \
    R64_SFLOAT R64_SINT R64_UINT R8G8B8A8_SINT R8G8B8A8_SNORM R8G8B8A8_SRGB R8G8B8A8_SSCALED \
    R8G8B8A8_UINT R8G8B8A8_UNORM R8G8B8A8_USCALED R8G8B8_SINT R8G8B8_SNORM R8G8B8_SRGB \
    R8G8B8_SSCALED R8G8B8_UINT R8G8B8_UNORM R8G8B8_USCALED R8G8_SINT R8G8_SNORM R8G8_SRGB \
    R8G8_SSCALED R8G8_UINT R8G8_UNORM R8G8_USCALED R8_SINT R8_SNORM R8_SRGB R8_SSCALED R8_UINT \
    R8_UNORM R8_USCALED S8_UINT X8_D24_UNORM_PACK32";

/// What a component of a texel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The first colour.
    Red,
    /// The second colour.
    Green,
    /// The third colour.
    Blue,
    /// How opaque the texel is.
    Alpha,
    /// How far away it is.
    Depth,
    /// What stencil tests count with.
    Stencil,
    /// Bits without a meaning.
    Unused,
}

/// How the bits of a component stand for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A share of the largest number, from 0 to 1.
    Unorm,
    /// The same from −1 to 1.
    Snorm,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// An unsigned integer that is read as floating point.
    Uscaled,
    /// A signed integer that is read as floating point.
    Sscaled,
    /// Floating point without a sign.
    Ufloat,
    /// Floating point.
    Sfloat,
    /// As `Unorm`, but red, green and blue are not linear.
    Srgb,
}

/// A component of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// What it is.
    pub channel: Channel,
    /// How it is written.
    pub encoding: Encoding,
    /// How many bits it has.
    pub bits: u8,
}

/// A format of texels.
///
/// ```
/// use spirvkit_amber::{Channel, Format};
///
/// let format = Format::named("B8G8R8A8_UNORM").unwrap();
/// assert_eq!(format.texel_size(), 4);
/// assert_eq!(format.components()[0].channel, Channel::Blue);
/// assert_eq!(Format::named("R3G3B2_UNORM"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    name: &'static str,
    components: [Component; 4],
    count: u8,
    /// The bits of the integer that all components are part of, or 0.
    packed: u8,
}

impl Format {
    /// The format of this name, with or without `VK_FORMAT_`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let is_word = |(at, found): &(usize, &str)| {
            let (before, behind) = (&NAMES[..*at], &NAMES[at + found.len()..]);
            (before.is_empty() || before.ends_with(' '))
                && (behind.is_empty() || behind.starts_with(' '))
        };
        if name.is_empty() || name.contains(' ') {
            return None;
        }
        let (_, name) = NAMES.match_indices(name).find(is_word)?;
        Some(Self::of(name))
    }

    /// The names of all formats.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.split_whitespace()
    }

    /// Takes a name apart: letters with their bits, then what they are, of which only depth
    /// and stencil have their own.
    fn of(name: &'static str) -> Self {
        const NONE: Component = Component {
            channel: Channel::Unused,
            encoding: Encoding::Unorm,
            bits: 0,
        };
        let mut format = Self {
            name,
            components: [NONE; 4],
            count: 0,
            packed: 0,
        };
        let mut without_encoding = 0;
        for part in name.split('_') {
            if let Some(bits) = part.strip_prefix("PACK") {
                format.packed = bits.parse().unwrap_or(0);
            } else if let Some(encoding) = encoding(part) {
                let count = usize::from(format.count);
                for component in &mut format.components[without_encoding..count] {
                    component.encoding = encoding;
                }
                without_encoding = count;
            } else {
                format.add_components(part);
            }
        }
        // A depth of 24 bits is in one word with what is beside it.
        if name == "D24_UNORM_S8_UINT" {
            format.packed = 32;
        }
        format
    }

    /// Adds what a part such as `R5G6B5` names.
    fn add_components(&mut self, part: &str) {
        for piece in part.split_inclusive(|c: char| c.is_ascii_alphabetic()) {
            // Digits belong to the letter before them, which ended the piece before.
            let digits = piece.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            if let (Ok(bits), Some(last)) = (digits.parse(), self.count.checked_sub(1)) {
                self.components[usize::from(last)].bits = bits;
            }
            let Some(channel) = piece.chars().last().and_then(channel) else {
                continue;
            };
            if let Some(next) = self.components.get_mut(usize::from(self.count)) {
                next.channel = channel;
                self.count += 1;
            }
        }
    }

    /// Its name, such as `R8G8B8A8_UNORM`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The components in the order of the name. In a packed format the first has the
    /// highest bits.
    pub fn components(&self) -> &[Component] {
        &self.components[..usize::from(self.count)]
    }

    /// Whether it has depth or stencil.
    pub fn is_depth_stencil(&self) -> bool {
        let mut channels = self.components().iter().map(|it| it.channel);
        channels.any(|it| matches!(it, Channel::Depth | Channel::Stencil))
    }

    /// Whether shaders read its texels as integers.
    pub fn is_integer(&self) -> bool {
        let mut encodings = self.components().iter().map(|it| it.encoding);
        encodings.all(|it| matches!(it, Encoding::Uint | Encoding::Sint))
    }

    /// The size of a texel in bytes.
    pub fn texel_size(&self) -> u64 {
        if self.packed > 0 {
            return u64::from(self.packed) / 8;
        }
        let bits: u64 = self.components().iter().map(|it| u64::from(it.bits)).sum();
        match self.is_depth_stencil() {
            // Depth and stencil beside each other are padded to whole words.
            true => (bits / 8).next_power_of_two(),
            false => bits / 8,
        }
    }

    /// What a script gives for a texel: one number of all bits if the format is packed,
    /// else one for each component.
    pub(crate) fn scalars(self) -> impl Iterator<Item = Scalar> {
        let packed = (self.packed > 0).then_some(Scalar {
            kind: ScalarKind::Unsigned,
            bits: self.packed,
        });
        let count = match self.packed {
            0 => usize::from(self.count),
            _ => 0,
        };
        let components = self.components.into_iter().take(count);
        packed.into_iter().chain(components.map(Component::scalar))
    }

    /// The number that each component of a texel stands for, as a shader reads it.
    pub(crate) fn decode(&self, texel: &[u8]) -> [(Channel, f64); 4] {
        let mut word = [0; 32];
        for (to, from) in word.iter_mut().zip(texel) {
            *to = *from;
        }
        let mut values = [(Channel::Unused, 0.0); 4];
        let mut bit = u32::from(self.packed);
        let mut byte = 0;
        for (value, component) in values.iter_mut().zip(self.components()) {
            let width = u32::from(component.bits);
            let start = match self.packed {
                0 => byte,
                _ => 0,
            };
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&word[start..start + 8]);
            bit = bit.saturating_sub(width);
            let bits = u64::from_le_bytes(bytes) >> if self.packed > 0 { bit } else { 0 };
            byte += usize::from(component.bits / 8);
            *value = (
                component.channel,
                component.decode(bits & u64::MAX >> (64 - width)),
            );
        }
        values
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Component {
    fn scalar(self) -> Scalar {
        let kind = match self.encoding {
            Encoding::Snorm | Encoding::Sint | Encoding::Sscaled => ScalarKind::Signed,
            Encoding::Sfloat | Encoding::Ufloat => ScalarKind::Float,
            _ => ScalarKind::Unsigned,
        };
        Scalar {
            kind,
            bits: self.bits,
        }
    }

    /// What its bits, which are its width and no more, stand for.
    fn decode(self, bits: u64) -> f64 {
        let largest = |width: u8| ((1_u64 << width) - 1) as f64;
        let number = || Number::from_bits(bits, self.scalar()).to_f64();
        match self.encoding {
            Encoding::Unorm => bits as f64 / largest(self.bits),
            Encoding::Snorm => (number() / largest(self.bits - 1)).max(-1.0),
            Encoding::Srgb => {
                let share = bits as f64 / largest(self.bits);
                match self.channel {
                    Channel::Alpha => share,
                    _ => linear(share),
                }
            }
            // As binary16 without its sign and some of the last bits.
            Encoding::Ufloat => {
                let half = Scalar {
                    kind: ScalarKind::Float,
                    bits: 16,
                };
                Number::from_bits(bits << (15 - self.bits), half).to_f64()
            }
            _ => number(),
        }
    }
}

/// The linear value of one in sRGB (Khronos Data Format Specification, "sRGB transfer
/// functions").
fn linear(value: f64) -> f64 {
    match value <= 0.04045 {
        true => value / 12.92,
        false => ((value + 0.055) / 1.055).powf(2.4),
    }
}

fn channel(letter: char) -> Option<Channel> {
    Some(match letter {
        'R' => Channel::Red,
        'G' => Channel::Green,
        'B' => Channel::Blue,
        'A' => Channel::Alpha,
        'D' => Channel::Depth,
        'S' => Channel::Stencil,
        'X' => Channel::Unused,
        _ => return None,
    })
}

fn encoding(word: &str) -> Option<Encoding> {
    Some(match word {
        "UNORM" => Encoding::Unorm,
        "SNORM" => Encoding::Snorm,
        "UINT" => Encoding::Uint,
        "SINT" => Encoding::Sint,
        "USCALED" => Encoding::Uscaled,
        "SSCALED" => Encoding::Sscaled,
        "UFLOAT" => Encoding::Ufloat,
        "SFLOAT" => Encoding::Sfloat,
        "SRGB" => Encoding::Srgb,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(name: &str) -> Format {
        Format::named(name).unwrap()
    }

    fn values(name: &str, texel: &[u8]) -> Vec<f64> {
        let format = format(name);
        let decoded = format.decode(texel);
        let values = decoded.iter().map(|(_, value)| *value);
        values.take(format.components().len()).collect()
    }

    /// The bits of all components of a packed format are those of the name.
    #[test]
    fn every_name_says_what_it_holds() {
        for name in Format::names() {
            let format = format(name);
            assert_eq!(format.name(), name);
            let bits: u64 = format
                .components()
                .iter()
                .map(|it| u64::from(it.bits))
                .sum();
            assert!(format.components().iter().all(|it| it.bits > 0), "{name}");
            if let Some((_, pack)) = name.split_once("_PACK") {
                assert_eq!(bits, pack.parse::<u64>().unwrap(), "{name}");
                assert_eq!(format.texel_size() * 8, bits, "{name}");
            }
            assert!(format.texel_size() * 8 >= bits, "{name}");
        }
        for name in ["", " ", "R8", "8_UNORM", "R8_UNORM R8_USCALED"] {
            assert_eq!(Format::named(name), None, "{name}");
        }
        assert_eq!(format("R5G6B5_UNORM_PACK16").components()[1].bits, 6);
        assert_eq!(
            format("X8_D24_UNORM_PACK32").components()[1].channel,
            Channel::Depth
        );
        assert_eq!(
            format("D32_SFLOAT_S8_UINT").components()[1].encoding,
            Encoding::Uint
        );
        assert_eq!(format("R8G8B8_UNORM").texel_size(), 3);
        assert_eq!(format("D24_UNORM_S8_UINT").texel_size(), 4);
        assert_eq!(format("D32_SFLOAT_S8_UINT").texel_size(), 8);
    }

    #[test]
    fn texels_are_decoded_as_shaders_read_them() {
        assert_eq!(values("R8G8_UNORM", &[255, 51]), [1.0, 0.2]);
        assert_eq!(values("R8G8_SNORM", &[0x80, 127]), [-1.0, 1.0]);
        assert_eq!(values("R16G16_SINT", &[0xff, 0xff, 1, 0]), [-1.0, 1.0]);
        assert_eq!(values("R16_SFLOAT", &[0, 0x3e]), [1.5]);
        assert_eq!(values("R32_SFLOAT", &0.25_f32.to_le_bytes()), [0.25]);
        assert_eq!(values("R64G64B64A64_SFLOAT", &[0; 32]), [0.0; 4]);
        // The first component of the name has the highest bits.
        let word = 0xc00f_fc00_u32.to_le_bytes();
        assert_eq!(
            values("A2B10G10R10_UNORM_PACK32", &word),
            [1.0, 0.0, 1.0, 0.0]
        );
        let word = (0x1e0_u32 << 22 | 0x380 << 11 | 0x3c0).to_le_bytes();
        let [blue, green, red] = values("B10G11R11_UFLOAT_PACK32", &word)[..] else {
            panic!("three components");
        };
        assert_eq!((blue, green, red), (1.0, 0.5, 1.0));
        let srgb = values("R8G8B8A8_SRGB", &[0, 10, 255, 128]);
        assert_eq!((srgb[0], srgb[2], srgb[3]), (0.0, 1.0, 128.0 / 255.0));
        assert!((srgb[1] - 10.0 / 255.0 / 12.92).abs() < 1e-12);
    }
}
