//! Compressed formats: blocks of texels, which are decoded when they are bound.
//!
//! Shaders only read such images, so it makes no difference when that happens.

mod etc;

use spirvkit_eval::{Encoding, Format};

use super::{Image, Layout, MAX_IMAGE};

/// A compressed format of Vulkan.
///
/// ```
/// use spirvkit_interp::{Compressed, Dimension, Image};
///
/// let format = Compressed::named("BC1_RGB_UNORM_BLOCK").unwrap();
/// let red = [0x00, 0xf8, 0x00, 0xf8, 0, 0, 0, 0];
/// let image = Image::new(Dimension::D2, format.format(), [4, 4, 1]).blocks(format, &red);
/// assert_eq!(image.contents()[..4], [255, 0, 0, 255]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressed {
    kind: Kind,
    /// The width and height of blocks in texels.
    block: [u32; 2],
    /// How their texels are, decoded.
    format: Format,
}

/// How blocks are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// With or without an alpha of one bit.
    Bc1(bool),
    Bc2,
    Bc3,
    /// With signs or without, as the following.
    Bc4(bool),
    Bc5(bool),
    Bc6h(bool),
    Bc7,
    Etc2(etc::Alpha),
    /// One or two components.
    Eac(usize, bool),
    Astc,
}

/// Names, without their beginnings for ASTC, and how blocks of 4 × 4 texels are encoded and decoded.
const KINDS: &[(&str, Kind, &str)] = &[
    ("BC1_RGB_UNORM", Kind::Bc1(false), RGBA8),
    ("BC1_RGB_SRGB", Kind::Bc1(false), SRGB8),
    ("BC1_RGBA_UNORM", Kind::Bc1(true), RGBA8),
    ("BC1_RGBA_SRGB", Kind::Bc1(true), SRGB8),
    ("BC2_UNORM", Kind::Bc2, RGBA8),
    ("BC2_SRGB", Kind::Bc2, SRGB8),
    ("BC3_UNORM", Kind::Bc3, RGBA8),
    ("BC3_SRGB", Kind::Bc3, SRGB8),
    ("BC4_UNORM", Kind::Bc4(false), R32),
    ("BC4_SNORM", Kind::Bc4(true), R32),
    ("BC5_UNORM", Kind::Bc5(false), RG32),
    ("BC5_SNORM", Kind::Bc5(true), RG32),
    ("BC6H_UFLOAT", Kind::Bc6h(false), RGBA32),
    ("BC6H_SFLOAT", Kind::Bc6h(true), RGBA32),
    ("BC7_UNORM", Kind::Bc7, RGBA8),
    ("BC7_SRGB", Kind::Bc7, SRGB8),
    ("ETC2_R8G8B8_UNORM", Kind::Etc2(etc::Alpha::None), RGBA8),
    ("ETC2_R8G8B8_SRGB", Kind::Etc2(etc::Alpha::None), SRGB8),
    ("ETC2_R8G8B8A1_UNORM", Kind::Etc2(etc::Alpha::Bit), RGBA8),
    ("ETC2_R8G8B8A1_SRGB", Kind::Etc2(etc::Alpha::Bit), SRGB8),
    ("ETC2_R8G8B8A8_UNORM", Kind::Etc2(etc::Alpha::Byte), RGBA8),
    ("ETC2_R8G8B8A8_SRGB", Kind::Etc2(etc::Alpha::Byte), SRGB8),
    ("EAC_R11_UNORM", Kind::Eac(1, false), R32),
    ("EAC_R11_SNORM", Kind::Eac(1, true), R32),
    ("EAC_R11G11_UNORM", Kind::Eac(2, false), RG32),
    ("EAC_R11G11_SNORM", Kind::Eac(2, true), RG32),
];

const RGBA8: &str = "R8G8B8A8_UNORM";
const SRGB8: &str = "R8G8B8A8_SRGB";
const R32: &str = "R32_SFLOAT";
const RG32: &str = "R32G32_SFLOAT";
const RGBA32: &str = "R32G32B32A32_SFLOAT";

/// The blocks of ASTC.
const FOOTPRINTS: [[u32; 2]; 14] = [
    [4, 4],
    [5, 4],
    [5, 5],
    [6, 5],
    [6, 6],
    [8, 5],
    [8, 6],
    [8, 8],
    [10, 5],
    [10, 6],
    [10, 8],
    [10, 10],
    [12, 10],
    [12, 12],
];

/// More texels than a block has, with four bytes or numbers for each.
const MAX_BLOCK: usize = 12 * 12 * 4;

impl Compressed {
    /// The format of this name in Vulkan, with or without `VK_FORMAT_`: `BC7_UNORM_BLOCK`,
    /// `ETC2_R8G8B8A8_SRGB_BLOCK`, `ASTC_8x6_UNORM_BLOCK`. ASTC is of low dynamic range.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("VK_FORMAT_").unwrap_or(name);
        let name = name.strip_suffix("_BLOCK")?;
        if let Some(rest) = name.strip_prefix("ASTC_") {
            let (size, encoding) = rest.split_once('_')?;
            let (width, height) = size.split_once('x')?;
            let block = [width.parse().ok()?, height.parse().ok()?];
            let format = match encoding {
                "UNORM" => RGBA8,
                "SRGB" => SRGB8,
                _ => return None,
            };
            return match FOOTPRINTS.contains(&block) {
                true => Self::new(Kind::Astc, block, format),
                false => None,
            };
        }
        let (_, kind, format) = KINDS.iter().find(|it| it.0 == name)?;
        Self::new(*kind, [4, 4], format)
    }

    fn new(kind: Kind, block: [u32; 2], format: &str) -> Option<Self> {
        let format = Format::named(format)?;
        Some(Self {
            kind,
            block,
            format,
        })
    }

    /// The format that its texels have when they are decoded: one with at least its precision.
    pub fn format(self) -> Format {
        self.format
    }

    /// The width and height of a block in texels.
    pub fn block(self) -> [u32; 2] {
        self.block
    }

    /// The number of bytes that a block takes.
    pub fn block_bytes(self) -> usize {
        match self.kind {
            Kind::Bc1(_) | Kind::Bc4(_) | Kind::Eac(1, _) => 8,
            Kind::Etc2(etc::Alpha::None | etc::Alpha::Bit) => 8,
            _ => 16,
        }
    }

    /// The number of bytes that all blocks of an image take.
    pub fn byte_size(self, image: &Image) -> u64 {
        let levels = (0..image.shape.levels).map(|level| {
            let [width, height, depth] = image.shape.size.map(|side| (side >> level).max(1));
            let columns = u64::from(width.div_ceil(self.block[0]));
            let rows = u64::from(height.div_ceil(self.block[1]));
            columns.saturating_mul(rows).saturating_mul(depth.into())
        });
        let blocks = levels.fold(0, u64::saturating_add);
        let layers = u64::from(image.shape.layers);
        blocks
            .saturating_mul(layers)
            .saturating_mul(self.block_bytes() as u64)
    }

    /// The bytes of the texels of a block, row by row.
    fn decode(self, block: &[u8]) -> Vec<u8> {
        let mut bytes = [0u8; MAX_BLOCK];
        let mut numbers = [0f32; 16 * 3];
        match self.kind {
            Kind::Bc1(has_alpha) => {
                bcdec_rs::bc1(block, &mut bytes, 16);
                if !has_alpha {
                    bytes.iter_mut().skip(3).step_by(4).for_each(|it| *it = 255);
                }
            }
            Kind::Bc2 => bcdec_rs::bc2(block, &mut bytes, 16),
            Kind::Bc3 => bcdec_rs::bc3(block, &mut bytes, 16),
            Kind::Bc7 => bcdec_rs::bc7(block, &mut bytes, 16),
            Kind::Bc4(signed) => bcdec_rs::bc4_float(block, &mut numbers, 4, signed),
            Kind::Bc5(signed) => bcdec_rs::bc5_float(block, &mut numbers, 8, signed),
            Kind::Bc6h(signed) => bcdec_rs::bc6h_float(block, &mut numbers, 12, signed),
            Kind::Etc2(alpha) => etc::decode(block, alpha, &mut bytes),
            Kind::Eac(count, signed) => etc::decode_numbers(block, count, signed, &mut numbers),
            Kind::Astc => {
                let [width, height] = self.block;
                if let Ok(block) = block.try_into() {
                    let footprint = astc_decode::Footprint::new(width, height);
                    astc_decode::astc_decode_block(block, footprint, |x, y, texel| {
                        let at = (y * width + x) as usize * 4;
                        if let Some(to) = bytes.get_mut(at..at + 4) {
                            to.copy_from_slice(&texel);
                        }
                    });
                }
            }
        }
        let texels = (self.block[0] * self.block[1]) as usize;
        let components = self.format.components();
        match components
            .first()
            .is_some_and(|it| it.encoding == Encoding::Sfloat)
        {
            false => bytes[..texels * 4].to_vec(),
            true if matches!(self.kind, Kind::Bc6h(_)) => {
                let texels = numbers.as_chunks::<3>().0.iter();
                texels
                    .flat_map(|&[r, g, b]| [r, g, b, 1.0])
                    .flat_map(f32::to_le_bytes)
                    .collect()
            }
            true => {
                let count = texels * components.len();
                numbers[..count]
                    .iter()
                    .flat_map(|it| it.to_le_bytes())
                    .collect()
            }
        }
    }
}

impl Image {
    /// The texels of compressed blocks, one level after the other, in each its layers, in these
    /// slices and rows of blocks. Missing blocks are zeros. The image has the
    /// [format](Compressed::format) of the decoded texels, and one sample for each. One that is
    /// larger than [`MAX_IMAGE`] can't be bound, and stays empty.
    pub fn blocks(mut self, compressed: Compressed, bytes: &[u8]) -> Self {
        self.shape.format = compressed.format;
        self.shape.samples = 1;
        let layout = Layout::new(&self.shape);
        if layout.size > MAX_IMAGE {
            return self.bytes(Vec::new());
        }
        let texel = compressed.format.texel_size() as usize;
        let mut texels = vec![0; layout.size as usize];
        let [width, height] = compressed.block;
        let mut blocks = bytes.chunks_exact(compressed.block_bytes());
        for level in 0..self.shape.levels {
            let [w, h, d] = self.shape.size.map(|side| (side >> level).max(1));
            let slices = (0..self.shape.layers).flat_map(|layer| (0..d).map(move |z| (layer, z)));
            for (layer, z) in slices {
                let rows = (0..h).step_by(height as usize);
                for (y, x) in rows.flat_map(|y| (0..w).step_by(width as usize).map(move |x| (y, x)))
                {
                    let Some(block) = blocks.next() else {
                        return self.bytes(texels);
                    };
                    let decoded = compressed.decode(block);
                    for row in 0..height.min(h - y) {
                        let at = [x, y + row, z].map(i64::from);
                        let Some(start) = layout.place(at, layer.into(), level.into(), 0) else {
                            continue;
                        };
                        let from = (row * width) as usize * texel;
                        let count = width.min(w - x) as usize * texel;
                        let to = start as usize..start as usize + count;
                        if let (Some(to), Some(from)) =
                            (texels.get_mut(to), decoded.get(from..from + count))
                        {
                            to.copy_from_slice(from);
                        }
                    }
                }
            }
        }
        self.bytes(texels)
    }
}
