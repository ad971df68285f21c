//! Images and samplers (Vulkan, "Image Operations"): what a run is given, and what its
//! instructions find in them. Nothing here knows of programs and gangs: sampling takes
//! coordinates and derivatives, and gives a texel.

mod address;
mod bind;
mod compressed;
mod cube;
mod describe;
mod filter;
mod instruction;
mod level;
mod sampler;
mod view;

pub(crate) use bind::{
    ARGUMENTS, Bound, Declared, DeclaredImage, Given, Images, Place, Resources, Results,
};
pub use compressed::Compressed;
pub(crate) use describe::{data_type, order};
pub(crate) use filter::{Request, detail, gather, sample};
pub(crate) use instruction::{Access, Coordinates, ImageOp, LodOperand};
pub(crate) use level::{Gradients, Lod, level};
pub use sampler::{AddressMode, BorderColor, CompareOp, Filter, Reduction, Sampler};
pub(crate) use view::{Layout, View};

use spirvkit_eval::{Format, Texel};

use crate::run::{Element, bytes_of};

/// How many bytes an image may have.
pub const MAX_IMAGE: u64 = 1 << 31;

/// How many dimensions an image has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dimension {
    /// A line of texels, or an array of lines.
    D1,
    /// A rectangle, or an array of rectangles.
    D2,
    /// A box.
    D3,
    /// Six squares that are the faces of a cube, or an array of cubes: each face is a layer.
    Cube,
    /// A texel buffer.
    Buffer,
}

/// Where a component of what shaders read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Swizzle {
    /// Always 0.
    Zero,
    /// Always 1.
    One,
    /// The red component.
    Red,
    /// The green component.
    Green,
    /// The blue component.
    Blue,
    /// The alpha component.
    Alpha,
}

/// An image, or a texel buffer, with its texels.
///
/// ```
/// use spirvkit_eval::{Format, Texel};
/// use spirvkit_interp::{Dimension, Image};
///
/// let format = Format::named("R8G8B8A8_UNORM").unwrap();
/// let image = Image::new(Dimension::D2, format, [2, 1, 1]).bytes(vec![255, 0, 0, 255, 0, 51, 0, 255]);
/// assert_eq!(image.texel([1, 0, 0], 0, 0, 0), Some(Texel::Float([0.0, 0.2, 0.0, 1.0])));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Image {
    pub(crate) shape: Shape,
    pub(crate) bytes: Vec<u8>,
}

/// All of an image but its texels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) dimension: Dimension,
    pub(crate) format: Format,
    pub(crate) size: [u32; 3],
    pub(crate) layers: u32,
    pub(crate) levels: u32,
    pub(crate) samples: u32,
    pub(crate) swizzle: [Swizzle; 4],
}

impl Shape {
    /// How many texels there are, for messages.
    pub(crate) fn extent(&self) -> String {
        let [width, height, depth] = self.size;
        match self.dimension {
            Dimension::Buffer => format!("{width} texels"),
            _ => format!(
                "{width} × {height} × {depth} texels, {} layers, {} levels and {} samples",
                self.layers, self.levels, self.samples
            ),
        }
    }
}

impl Image {
    /// An image of zeros. Its size is in texels; what a dimension doesn't have is taken as 1.
    /// A cube has one size, and six layers unless [`layers`](Self::layers) says more.
    pub fn new(dimension: Dimension, format: Format, size: [u32; 3]) -> Self {
        let [width, height, depth] = size.map(|side| side.max(1));
        let size = match dimension {
            Dimension::D1 => [width, 1, 1],
            Dimension::D2 => [width, height, 1],
            Dimension::D3 => [width, height, depth],
            Dimension::Cube => [width, width, 1],
            // A texel buffer may be empty.
            Dimension::Buffer => [size[0], 1, 1],
        };
        Self {
            shape: Shape {
                dimension,
                format,
                size,
                layers: if dimension == Dimension::Cube { 6 } else { 1 },
                levels: 1,
                samples: 1,
                swizzle: [Swizzle::Red, Swizzle::Green, Swizzle::Blue, Swizzle::Alpha],
            },
            bytes: Vec::new(),
        }
    }

    /// A texel buffer of all whole texels in these bytes.
    pub fn texel_buffer(format: Format, bytes: Vec<u8>) -> Self {
        let texels = bytes.len() as u64 / format.texel_size().max(1);
        let size = [u32::try_from(texels).unwrap_or(u32::MAX), 1, 1];
        Self::new(Dimension::Buffer, format, size).bytes(bytes)
    }

    /// The number of layers, of cubes six for each. Three-dimensional images and texel buffers
    /// have one.
    pub fn layers(mut self, layers: u32) -> Self {
        self.shape.layers = match self.shape.dimension {
            Dimension::D3 | Dimension::Buffer => 1,
            Dimension::Cube => layers.max(1).next_multiple_of(6),
            Dimension::D1 | Dimension::D2 => layers.max(1),
        };
        self
    }

    /// The number of mip levels, of which each has half the sides of the one before: at most as
    /// many as there are up to a single texel.
    pub fn levels(mut self, levels: u32) -> Self {
        let longest = self.shape.size.into_iter().max().unwrap_or(1).max(1);
        self.shape.levels = match self.shape.dimension {
            Dimension::Buffer => 1,
            _ => levels.clamp(1, longest.ilog2() + 1),
        };
        self
    }

    /// The number of samples of each texel, from 1 to 64.
    pub fn samples(mut self, samples: u32) -> Self {
        self.shape.samples = match self.shape.dimension {
            Dimension::D2 => samples.clamp(1, 64),
            _ => 1,
        };
        self
    }

    /// Where the red, green, blue and alpha that shaders read come from. What they write is not
    /// affected.
    pub fn swizzle(mut self, swizzle: [Swizzle; 4]) -> Self {
        self.shape.swizzle = swizzle;
        self
    }

    /// The bytes of all texels, without gaps: one level after the other, in each its layers, in
    /// these slices, rows, texels and samples. Missing ones are zero.
    pub fn bytes(mut self, bytes: Vec<u8>) -> Self {
        self.bytes = bytes;
        self
    }

    /// The same as numbers.
    pub fn numbers<T: Element>(self, numbers: &[T]) -> Self {
        self.bytes(bytes_of(numbers))
    }

    /// How many dimensions it has.
    pub fn dimension(&self) -> Dimension {
        self.shape.dimension
    }

    /// The format of its texels.
    pub fn format(&self) -> Format {
        self.shape.format
    }

    /// The size of the first level in texels.
    pub fn size(&self) -> [u32; 3] {
        self.shape.size
    }

    /// The number of layers.
    pub fn layer_count(&self) -> u32 {
        self.shape.layers
    }

    /// The number of mip levels.
    pub fn level_count(&self) -> u32 {
        self.shape.levels
    }

    /// The number of samples of each texel.
    pub fn sample_count(&self) -> u32 {
        self.shape.samples
    }

    /// The number of bytes that all texels take together.
    pub fn byte_size(&self) -> u64 {
        Layout::new(&self.shape).size
    }

    /// The bytes of all texels, as in [`bytes`](Self::bytes); missing ones at the end are zero.
    pub fn contents(&self) -> &[u8] {
        &self.bytes
    }

    /// The texel at a place, before the swizzle; `None` if there is no such place.
    pub fn texel(&self, at: [u32; 3], layer: u32, level: u32, sample: u32) -> Option<Texel> {
        let layout = Layout::new(&self.shape);
        let at = at.map(i64::from);
        let place = layout.place(at, layer.into(), level.into(), sample.into())?;
        let start = usize::try_from(place).ok()?;
        let size = self.shape.format.texel_size() as usize;
        let end = start.saturating_add(size).min(self.bytes.len());
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        Some(self.shape.format.read(bytes))
    }

    /// The texels of its first level and sample, layer by layer and row by row.
    pub fn texels(&self) -> impl Iterator<Item = Texel> + '_ {
        let [width, height, depth] = self.shape.size;
        let layers = (0..self.shape.layers).flat_map(move |layer| {
            (0..depth).flat_map(move |z| {
                (0..height).flat_map(move |y| (0..width).map(move |x| ([x, y, z], layer)))
            })
        });
        layers.filter_map(|(at, layer)| self.texel(at, layer, 0, 0))
    }
}
