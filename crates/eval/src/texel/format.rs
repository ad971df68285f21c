//! Formats of texels, by Vulkan's names.

use core::fmt;

use spirvkit_grammar::ImageFormat;

/// The names of all formats.
const NAMES: &str = "\
    A1B5G5R5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16 A2B10G10R10_SINT_PACK32 A2B10G10R10_SNORM_PACK32 \
    A2B10G10R10_SSCALED_PACK32 A2B10G10R10_UINT_PACK32 A2B10G10R10_UNORM_PACK32 \
    A2B10G10R10_USCALED_PACK32 A2R10G10B10_SINT_PACK32 A2R10G10B10_SNORM_PACK32 \
    A2R10G10B10_SSCALED_PACK32 A2R10G10B10_UINT_PACK32 A2R10G10B10_UNORM_PACK32 \
    A2R10G10B10_USCALED_PACK32 A4B4G4R4_UNORM_PACK16 A4R4G4B4_UNORM_PACK16 \
    A8B8G8R8_SINT_PACK32 A8B8G8R8_SNORM_PACK32 A8B8G8R8_SRGB_PACK32 \
    A8B8G8R8_SSCALED_PACK32 A8B8G8R8_UINT_PACK32 A8B8G8R8_UNORM_PACK32 A8B8G8R8_USCALED_PACK32 \
    A8_UNORM     B10G11R11_UFLOAT_PACK32 B4G4R4A4_UNORM_PACK16 B5G5R5A1_UNORM_PACK16 B5G6R5_UNORM_PACK16 \
    B8G8R8A8_SINT B8G8R8A8_SNORM B8G8R8A8_SRGB B8G8R8A8_SSCALED B8G8R8A8_UINT B8G8R8A8_UNORM \
    B8G8R8A8_USCALED B8G8R8_SINT B8G8R8_SNORM B8G8R8_SRGB B8G8R8_SSCALED B8G8R8_UINT \
    B8G8R8_UNORM B8G8R8_USCALED D16_UNORM D16_UNORM_S8_UINT D24_UNORM_S8_UINT D32_SFLOAT \
    D32_SFLOAT_S8_UINT E5B9G9R9_UFLOAT_PACK32 R16G16B16A16_SFLOAT R16G16B16A16_SINT R16G16B16A16_SNORM \
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

/// The formats of images in SPIR-V, and what Vulkan calls them.
const IMAGE_FORMATS: [(ImageFormat, &str); 41] = [
    (ImageFormat::Rgba32f, "R32G32B32A32_SFLOAT"),
    (ImageFormat::Rgba16f, "R16G16B16A16_SFLOAT"),
    (ImageFormat::R32f, "R32_SFLOAT"),
    (ImageFormat::Rgba8, "R8G8B8A8_UNORM"),
    (ImageFormat::Rgba8Snorm, "R8G8B8A8_SNORM"),
    (ImageFormat::Rg32f, "R32G32_SFLOAT"),
    (ImageFormat::Rg16f, "R16G16_SFLOAT"),
    (ImageFormat::R11fG11fB10f, "B10G11R11_UFLOAT_PACK32"),
    (ImageFormat::R16f, "R16_SFLOAT"),
    (ImageFormat::Rgba16, "R16G16B16A16_UNORM"),
    (ImageFormat::Rgb10A2, "A2B10G10R10_UNORM_PACK32"),
    (ImageFormat::Rg16, "R16G16_UNORM"),
    (ImageFormat::Rg8, "R8G8_UNORM"),
    (ImageFormat::R16, "R16_UNORM"),
    (ImageFormat::R8, "R8_UNORM"),
    (ImageFormat::Rgba16Snorm, "R16G16B16A16_SNORM"),
    (ImageFormat::Rg16Snorm, "R16G16_SNORM"),
    (ImageFormat::Rg8Snorm, "R8G8_SNORM"),
    (ImageFormat::R16Snorm, "R16_SNORM"),
    (ImageFormat::R8Snorm, "R8_SNORM"),
    (ImageFormat::Rgba32i, "R32G32B32A32_SINT"),
    (ImageFormat::Rgba16i, "R16G16B16A16_SINT"),
    (ImageFormat::Rgba8i, "R8G8B8A8_SINT"),
    (ImageFormat::R32i, "R32_SINT"),
    (ImageFormat::Rg32i, "R32G32_SINT"),
    (ImageFormat::Rg16i, "R16G16_SINT"),
    (ImageFormat::Rg8i, "R8G8_SINT"),
    (ImageFormat::R16i, "R16_SINT"),
    (ImageFormat::R8i, "R8_SINT"),
    (ImageFormat::Rgba32ui, "R32G32B32A32_UINT"),
    (ImageFormat::Rgba16ui, "R16G16B16A16_UINT"),
    (ImageFormat::Rgba8ui, "R8G8B8A8_UINT"),
    (ImageFormat::R32ui, "R32_UINT"),
    (ImageFormat::Rgb10a2ui, "A2B10G10R10_UINT_PACK32"),
    (ImageFormat::Rg32ui, "R32G32_UINT"),
    (ImageFormat::Rg16ui, "R16G16_UINT"),
    (ImageFormat::Rg8ui, "R8G8_UINT"),
    (ImageFormat::R16ui, "R16_UINT"),
    (ImageFormat::R8ui, "R8_UINT"),
    (ImageFormat::R64ui, "R64_UINT"),
    (ImageFormat::R64i, "R64_SINT"),
];

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
    /// The power of two that all colours are multiplied by.
    Exponent,
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
/// use spirvkit_eval::{Channel, Format};
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

    /// The format that an image of SPIR-V has (Vulkan, "Compatibility Between SPIR-V Image Formats
    /// and Vulkan Formats"); `None` if it is unknown.
    ///
    /// ```
    /// use spirvkit_eval::Format;
    /// use spirvkit_grammar::ImageFormat;
    ///
    /// let format = Format::of_image(ImageFormat::Rg16Snorm).unwrap();
    /// assert_eq!(format.name(), "R16G16_SNORM");
    /// ```
    pub fn of_image(format: ImageFormat) -> Option<Self> {
        let mut formats = IMAGE_FORMATS.iter();
        let (_, name) = formats.find(|(known, _)| *known == format)?;
        Self::named(name)
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

    /// The bits of the integer that all components are part of, or 0 if each stands for itself.
    pub fn packed_bits(&self) -> u8 {
        self.packed
    }

    /// The bits of each component of a texel, which may lack bytes at its end: those are zero.
    pub(super) fn fields(&self, texel: &[u8]) -> [u64; 4] {
        let mut bytes = [0; 32 + 8];
        bytes
            .iter_mut()
            .zip(texel)
            .for_each(|(to, from)| *to = *from);
        let mut fields = [0; 4];
        for (at, field) in fields.iter_mut().enumerate().take(self.count.into()) {
            let (byte, bit) = self.place(at);
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[byte..byte + 8]);
            *field = (u64::from_le_bytes(word) >> bit) & self.mask(at);
        }
        fields
    }

    /// Writes a component into a texel that has room for it.
    pub(super) fn set_field(&self, texel: &mut [u8], at: usize, bits: u64) {
        let (byte, bit) = self.place(at);
        let bytes = (u32::from(self.components[at].bits) + bit).div_ceil(8) as usize;
        let Some(room) = texel.get_mut(byte..byte + bytes) else {
            return;
        };
        let mut word = [0; 8];
        word[..bytes].copy_from_slice(room);
        let others = u64::from_le_bytes(word) & !(self.mask(at) << bit);
        let word = (others | (bits & self.mask(at)) << bit).to_le_bytes();
        room.copy_from_slice(&word[..bytes]);
    }

    /// The byte and the bit where a component begins.
    fn place(&self, at: usize) -> (usize, u32) {
        let bits = |range: &[Component]| range.iter().map(|it| u32::from(it.bits)).sum::<u32>();
        match self.packed {
            0 => ((bits(&self.components[..at]) / 8) as usize, 0),
            _ => (0, bits(&self.components[at + 1..])),
        }
    }

    fn mask(&self, at: usize) -> u64 {
        u64::MAX >> (64 - u32::from(self.components[at].bits))
    }

    /// The number that each component of a texel stands for, in the order of
    /// [`components`](Self::components).
    ///
    /// ```
    /// use spirvkit_eval::{Channel, Format};
    ///
    /// let format = Format::named("R8G8_UNORM").unwrap();
    /// let [(channel, green)] = format.decode(&[255, 51])[1..2] else { panic!() };
    /// assert_eq!((channel, green), (Channel::Green, 0.2));
    /// ```
    pub fn decode(&self, texel: &[u8]) -> [(Channel, f64); 4] {
        let numbers = self.numbers(self.fields(texel));
        let mut values = [(Channel::Unused, 0.0); 4];
        for ((value, component), number) in values.iter_mut().zip(self.components()).zip(numbers) {
            *value = (component.channel, number);
        }
        values
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
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
        'E' => Channel::Exponent,
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

    extern crate std;
    use std::vec::Vec;

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
