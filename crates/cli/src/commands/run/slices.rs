//! Parts of images: `x.level[1]`, `x.layer[2]`, `x.sample[3]`, and these together.

use spirvkit::interp::{Dimension, Image};

use super::places::Step;

/// One level and sample of an image, with one layer or all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slice {
    level: u32,
    layer: Option<u32>,
    sample: u32,
}

/// Where the texels of a slice lie among an image's bytes.
struct Range {
    size: [u32; 3],
    layers: u32,
    /// The first texel's first byte.
    start: u64,
    texels: u64,
    /// From one texel to the next, and of each.
    stride: u64,
    bytes: u64,
}

impl Slice {
    /// The slice that steps behind an image's name lead to.
    pub(super) fn of(steps: &[Step]) -> Result<Self, String> {
        let wrong = || "parts of an image are level[N], layer[N] and sample[N]".to_owned();
        let mut slice = Self::default();
        for pair in steps.chunks(2) {
            let [Step::Member(what), Step::Index(index)] = pair else {
                return Err(wrong());
            };
            let index = u32::try_from(*index).unwrap_or(u32::MAX);
            match what.as_str() {
                "level" => slice.level = index,
                "layer" => slice.layer = Some(index),
                "sample" => slice.sample = index,
                _ => return Err(wrong()),
            }
        }
        Ok(slice)
    }

    /// Levels follow one another; each has its layers, and in these texel by texel all samples.
    fn range(self, image: &Image) -> Result<Range, String> {
        let (levels, layers) = (image.level_count(), image.layer_count());
        let samples = image.sample_count();
        let inside = |what: &str, index: u32, count: u32| match index < count {
            true => Ok(()),
            false => Err(format!("there is no {what} {index}: the image has {count}")),
        };
        inside("level", self.level, levels)?;
        inside("layer", self.layer.unwrap_or(0), layers)?;
        inside("sample", self.sample, samples)?;
        // The same image without its texels.
        let empty = Image::new(image.dimension(), image.format(), image.size());
        let empty = empty.layers(layers).samples(samples);
        let up_to = |count: u32| match count {
            0 => 0,
            count => empty.clone().levels(count).byte_size(),
        };
        let start = up_to(self.level);
        let layer_size = (up_to(self.level + 1) - start) / u64::from(layers);
        let bytes = image.format().texel_size();
        let stride = bytes * u64::from(samples);
        let count = if self.layer.is_some() { 1 } else { layers };
        Ok(Range {
            size: image.size().map(|side| (side >> self.level).max(1)),
            layers: count,
            start: start
                + layer_size * u64::from(self.layer.unwrap_or(0))
                + bytes * u64::from(self.sample),
            texels: layer_size * u64::from(count) / stride.max(1),
            stride,
            bytes,
        })
    }

    /// An image of this alone.
    pub(super) fn taken(self, image: &Image) -> Result<Image, String> {
        let range = self.range(image)?;
        let mut taken = Vec::new();
        for start in range.starts() {
            let there = image.contents().get(start..).unwrap_or_default();
            let there = &there[..there.len().min(range.bytes as usize)];
            taken.extend(there);
            taken.resize(taken.len() + range.bytes as usize - there.len(), 0);
        }
        // A face of a cube is no cube.
        let dimension = match image.dimension() {
            Dimension::Cube => Dimension::D2,
            other => other,
        };
        let alone = Image::new(dimension, image.format(), range.size);
        Ok(alone.layers(range.layers).bytes(taken))
    }

    /// The size of each layer in texels.
    pub(super) fn size(self, image: &Image) -> Result<[u32; 3], String> {
        Ok(self.range(image)?.size)
    }

    /// The image with these bytes for this.
    pub(super) fn put(self, image: Image, bytes: &[u8]) -> Result<Image, String> {
        let range = self.range(&image)?;
        let expected = range.texels * range.bytes;
        if bytes.len() as u64 != expected {
            let given = bytes.len();
            return Err(format!(
                "{given} bytes are given, but the texels take {expected}"
            ));
        }
        let mut all = image.contents().to_vec();
        all.resize(image.byte_size() as usize, 0);
        for (start, texel) in range.starts().zip(bytes.chunks(range.bytes as usize)) {
            all[start..start + texel.len()].copy_from_slice(texel);
        }
        Ok(image.bytes(all))
    }
}

impl Range {
    fn starts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.texels).map(|index| (self.start + index * self.stride) as usize)
    }
}
