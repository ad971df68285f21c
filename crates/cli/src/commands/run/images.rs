//! What stands in images, and how they are sampled.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use spirvkit::binary::NumberType;
use spirvkit::eval::{Channel, Format, Texel};
use spirvkit::grammar::{Dim, Enumeration, ImageFormat};
use spirvkit::interp::{
    AddressMode, BorderColor, CompareOp, Compressed, Dimension, Filter, Image, MAX_IMAGE,
    Reduction, Sampler,
};
use spirvkit::reflect::{self, DescriptorKind, TypeKind};

use super::arguments::{Numbers, Type, numbers};
use super::json::MAX_VALUES;
use super::places::{Blocks, Home};
use super::png;

/// An image of a format and size, with zeros or what a file has.
#[derive(Clone, Debug)]
pub(super) struct Texels {
    format: Format,
    /// How a file's blocks are compressed, if they are.
    compressed: Option<Compressed>,
    /// One to four numbers: sides, and perhaps layers.
    size: Vec<u32>,
    levels: u32,
    samples: u32,
    bytes: Bytes,
}

/// What an image has in its texels.
#[derive(Clone, Debug)]
enum Bytes {
    Zeros,
    Numbers(Numbers),
    File(PathBuf),
}

/// How many descriptors there may be.
const MAX_DESCRIPTORS: usize = 1 << 16;

/// How many samples a texel may have.
const MAX_SAMPLES: u32 = 64;

/// `FORMAT:WIDTH[xHEIGHT[xDEPTH]][xLAYERS][,levels=N][,samples=N][:FILE|:TYPE:NUMBERS]`; nothing
/// if it doesn't begin with a format.
pub(super) fn texels(text: &str) -> Option<Result<Texels, String>> {
    let (name, rest) = text.split_once(':')?;
    if let Some(compressed) = Compressed::named(name) {
        let texels = texels_of_format(compressed.format(), rest);
        return Some(texels.and_then(|texels| texels.compressed(compressed)));
    }
    let format = format_named(name)?;
    Some(texels_of_format(format, rest))
}

impl Texels {
    /// The same of an image whose bytes are compressed.
    fn compressed(mut self, compressed: Compressed) -> Result<Self, String> {
        if self.samples > 1 {
            return Err("a compressed image has one sample for each texel".into());
        }
        self.compressed = Some(compressed);
        Ok(self)
    }
}

fn texels_of_format(format: Format, text: &str) -> Result<Texels, String> {
    let (shape, bytes) = match text.split_once(':') {
        Some((shape, bytes)) => (shape, Some(bytes)),
        None => (text, None),
    };
    let mut shape = shape.split(',');
    let sides = shape.next().unwrap_or_default();
    let size: Option<Vec<u32>> = sides.split('x').map(|side| side.parse().ok()).collect();
    let size = size.filter(|it| it.iter().all(|&side| side > 0));
    let size = size.ok_or_else(|| format!("`{sides}` is not a size, such as 64x32"))?;
    let (mut levels, mut samples) = (1, 1);
    for count in shape {
        let number = |text: &str| text.parse().ok().filter(|&it: &u32| it > 0);
        let known = match count.split_once('=') {
            Some(("levels", text)) => number(text).map(|it| levels = it),
            Some(("samples", text)) => {
                let is_count = |it: &u32| it.is_power_of_two() && *it <= MAX_SAMPLES;
                let number = number(text).filter(is_count);
                number.map(|it| samples = it)
            }
            _ => None,
        };
        known.ok_or_else(|| {
            format!(
                "`{count}` is neither levels=N nor samples=N, with 1, 2, 4, 8, 16, 32 or 64 samples"
            )
        })?;
    }
    if levels > 1 && samples > 1 {
        return Err("an image with several samples has one level".into());
    }
    let is_numbers = |text: &str| {
        let ty = text.split_once(':');
        ty.is_some_and(|(name, _)| Type::named(name).is_ok())
    };
    let bytes = match bytes {
        None => Bytes::Zeros,
        Some(text) if is_numbers(text) => Bytes::Numbers(numbers(text)?),
        Some(path) => Bytes::File(path.into()),
    };
    Ok(Texels {
        format,
        compressed: None,
        size,
        levels,
        samples,
        bytes,
    })
}

/// A format by its name in Vulkan, or in SPIR-V, there also with small letters.
fn format_named(name: &str) -> Option<Format> {
    let mut spirv = name.to_owned();
    if let Some(first) = spirv.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let of_spirv = || Format::of_image(ImageFormat::from_name(&spirv)?);
    Format::named(name).or_else(of_spirv)
}

/// What a word of a sampler sets.
type Setting = fn(Sampler) -> Sampler;

/// The words that say how a sampler samples.
const SETTINGS: [(&str, Setting); 24] = [
    ("nearest", |it| filters(it, Filter::Nearest)),
    ("linear", |it| filters(it, Filter::Linear)),
    ("mip-nearest", |it| it.mip_filter(Filter::Nearest)),
    ("mip-linear", |it| it.mip_filter(Filter::Linear)),
    ("min", |it| it.reduction(Reduction::Min)),
    ("max", |it| it.reduction(Reduction::Max)),
    ("repeat", |it| modes(it, AddressMode::Repeat)),
    ("mirror", |it| modes(it, AddressMode::MirroredRepeat)),
    ("clamp", |it| modes(it, AddressMode::ClampToEdge)),
    ("border", |it| modes(it, AddressMode::ClampToBorder)),
    ("mirror-clamp", |it| {
        modes(it, AddressMode::MirrorClampToEdge)
    }),
    ("transparent", |it| {
        it.border_color(BorderColor::TransparentBlack)
    }),
    ("black", |it| it.border_color(BorderColor::OpaqueBlack)),
    ("white", |it| it.border_color(BorderColor::OpaqueWhite)),
    ("texels", |it| it.unnormalized(true)),
    ("never", |it| it.compare(Some(CompareOp::Never))),
    ("less", |it| it.compare(Some(CompareOp::Less))),
    ("equal", |it| it.compare(Some(CompareOp::Equal))),
    ("less-equal", |it| it.compare(Some(CompareOp::LessOrEqual))),
    ("greater", |it| it.compare(Some(CompareOp::Greater))),
    ("not-equal", |it| it.compare(Some(CompareOp::NotEqual))),
    ("greater-equal", |it| {
        it.compare(Some(CompareOp::GreaterOrEqual))
    }),
    ("always", |it| it.compare(Some(CompareOp::Always))),
    ("", |it| it),
];

fn filters(sampler: Sampler, filter: Filter) -> Sampler {
    sampler
        .mag_filter(filter)
        .min_filter(filter)
        .mip_filter(filter)
}

fn modes(sampler: Sampler, mode: AddressMode) -> Sampler {
    sampler.address_modes([mode; 3])
}

/// `linear,clamp,less`: words, and numbers such as `bias=0.5`.
pub(super) fn sampler(text: &str) -> Result<Sampler, String> {
    text.split(',').try_fold(Sampler::default(), |sampler, word| {
        if let Some((_, set)) = SETTINGS.iter().find(|it| it.0 == word) {
            return Ok(set(sampler));
        }
        let wrong = || {
            let words = SETTINGS.iter().filter(|it| !it.0.is_empty());
            let words: Vec<&str> = words.map(|it| it.0).collect();
            let words = words.join(", ");
            format!(
                "`{word}` is not {words}, or a number for bias=, min-lod=, max-lod= or anisotropy="
            )
        };
        let (name, number) = word.split_once('=').ok_or_else(wrong)?;
        let number: f32 = number.parse().map_err(|_| wrong())?;
        Ok(match name {
            "bias" => sampler.lod_bias(number),
            "min-lod" => sampler.min_lod(number),
            "max-lod" => sampler.max_lod(number),
            "anisotropy" => sampler.max_anisotropy(number),
            _ => return Err(wrong()),
        })
    })
}

impl Blocks<'_> {
    /// The image that a module declares somewhere.
    fn image_at(&self, home: &Home) -> Option<&reflect::Image> {
        let image_of = |ty| match &self.reflection.ty(ty)?.kind {
            TypeKind::Image(image) => Some(image),
            TypeKind::SampledImage { image } => match &self.reflection.ty(*image)?.kind {
                TypeKind::Image(image) => Some(image),
                _ => None,
            },
            _ => None,
        };
        match home {
            Home::Buffer(set, binding, _) => {
                let mut descriptors = self.reflection.descriptors.iter();
                let place = (Some(*set), Some(*binding));
                let found = descriptors.find(|it| (it.set, it.binding) == place)?;
                found.image.as_ref()
            }
            Home::Argument(name) => {
                let mut arguments = self.reflection.kernels.iter().flat_map(|it| &it.arguments);
                let is_it = |it: &&reflect::KernelArgument| {
                    it.name.as_deref() == Some(name) || it.index.to_string() == *name
                };
                image_of(arguments.find(is_it)?.ty?)
            }
            Home::Memory(_) => None,
        }
    }

    /// The places that need a sampler, where these are images: all elements of arrays.
    pub(super) fn samplers<'h>(&self, images: impl Iterator<Item = &'h Home>) -> Vec<Home> {
        let images: Vec<&Home> = images.collect();
        let descriptors = self.reflection.descriptors.iter();
        let is_sampler = |kind| {
            matches!(
                kind,
                DescriptorKind::Sampler | DescriptorKind::CombinedImageSampler
            )
        };
        let samplers = descriptors.filter(|it| is_sampler(it.kind));
        let samplers = samplers.filter_map(|it| Some((it.set?, it.binding?, it.count)));
        let places = samplers.flat_map(|(set, binding, count)| {
            let bound = images.iter().filter_map(|home| match home {
                Home::Buffer(s, b, element) if (*s, *b) == (set, binding) => Some(element + 1),
                _ => None,
            });
            // An array without a length has as many as are bound.
            let count = count.known().and_then(|count| u32::try_from(count).ok());
            let count = count.unwrap_or_else(|| bound.max().unwrap_or(1));
            (0..count).map(move |it| Home::Buffer(set, binding, it))
        });
        // No run has more.
        places.take(MAX_DESCRIPTORS).collect()
    }

    /// The image of a PNG file: in the format that the module declares, else in one that has
    /// all of its bits.
    pub(super) fn picture(&self, home: &Home, file: &[u8]) -> Result<Image, String> {
        let picture = png::read(file)?;
        let declared = self.image_at(home);
        let numbers = declared.and_then(|image| self.number(image.sampled_type));
        let encoding = match numbers {
            Some((NumberType::Integer { signed: true, .. }, _)) => "SINT",
            Some((NumberType::Integer { .. }, _)) => "UINT",
            _ => "UNORM",
        };
        let bits = picture.bits();
        let name = format!("R{bits}G{bits}B{bits}A{bits}_{encoding}");
        let format = declared.and_then(|image| Format::of_image(image.format));
        let format = format.or_else(|| Format::named(&name));
        let format = format.ok_or("its format is not known")?;
        let dimension = match declared.map(|image| image.dim) {
            Some(Dim::Dim1D) => Dimension::D1,
            _ => Dimension::D2,
        };
        picture.into_image(dimension, format)
    }

    /// An image of a format and size.
    pub(super) fn image(&self, home: &Home, texels: &Texels) -> Result<Image, String> {
        let declared = self.image_at(home);
        let (dimension, sides) = match declared.map(|image| image.dim) {
            Some(Dim::Dim1D) => (Dimension::D1, 1),
            Some(Dim::Dim3D) => (Dimension::D3, 3),
            Some(Dim::Cube) => (Dimension::Cube, 2),
            Some(Dim::Buffer) => (Dimension::Buffer, 1),
            // What arguments of kernels are isn't known yet.
            None if texels.size.len() == 3 => (Dimension::D3, 3),
            _ => (Dimension::D2, 2),
        };
        let is_array = declared.is_some_and(|image| image.arrayed);
        let is_layered = is_array || dimension == Dimension::Cube;
        let given = texels.size.len();
        if given > sides + usize::from(is_layered) {
            let layers = if is_layered { ", and layers" } else { "" };
            return Err(format!(
                "{given} numbers are too many: the image has {sides} dimensions{layers}"
            ));
        }
        let side = |at: usize| texels.size.get(at).copied().filter(|_| at < sides);
        let size = [0, 1, 2].map(|at| side(at).unwrap_or(1));
        let layers = texels.size.get(sides).copied();
        if dimension == Dimension::Cube {
            if side(1).is_some_and(|height| height != size[0]) {
                return Err("the faces of a cube are squares".into());
            }
            if layers.is_some_and(|layers| !layers.is_multiple_of(6)) {
                return Err("each cube takes six layers".into());
            }
            if !is_array && layers.is_some_and(|layers| layers != 6) {
                return Err("it is one cube, which has six layers".into());
            }
        }
        let mut image = Image::new(dimension, texels.format, size)
            .levels(texels.levels)
            .samples(texels.samples);
        if let Some(layers) = layers {
            image = image.layers(layers);
        }
        let (levels, samples) = (image.level_count(), image.sample_count());
        if levels < texels.levels {
            return Err(format!("an image of this size has at most {levels} levels"));
        }
        if samples < texels.samples {
            return Err("only images of two dimensions have several samples".into());
        }
        let size = image.byte_size();
        if size > MAX_IMAGE {
            return Err(format!("an image of {size} bytes is too large"));
        }
        let (bytes, whence) = match &texels.bytes {
            Bytes::Zeros => return Ok(image),
            Bytes::Numbers(numbers) => (numbers.bytes.clone(), String::new()),
            Bytes::File(path) => (read(path)?, format!("{}: ", path.display())),
        };
        let size = match texels.compressed {
            Some(compressed) => compressed.byte_size(&image),
            None => size,
        };
        if bytes.len() as u64 != size {
            let found = bytes.len();
            return Err(format!(
                "{whence}the image takes {size} bytes, but here are {found}"
            ));
        }
        Ok(match texels.compressed {
            Some(compressed) => image.blocks(compressed, &bytes),
            None => image.bytes(bytes),
        })
    }

    /// A texel buffer of numbers, if one stands there and the module declares its format.
    pub(super) fn texel_buffer(&self, home: &Home, bytes: &[u8]) -> Option<Image> {
        let declared = self
            .image_at(home)
            .filter(|image| image.dim == Dim::Buffer)?;
        let format = Format::of_image(declared.format)?;
        Some(Image::texel_buffer(format, bytes.to_vec()))
    }

    /// Whether an image stands there.
    pub(super) fn is_image(&self, home: &Home) -> bool {
        self.image_at(home).is_some()
    }
}

/// The bytes of a PNG file in the format of an image, if it has the size of a part of that.
pub(super) fn texels_of(path: &Path, image: &Image, size: [u32; 3]) -> Result<Vec<u8>, String> {
    let picture = png::read(&read(path)?)?;
    let picture = picture.into_image(Dimension::D2, image.format())?;
    let given = picture.size();
    if given != size {
        let side = |[width, height, depth]: [u32; 3]| format!("{width} × {height} × {depth}");
        let (given, size) = (side(given), side(size));
        return Err(format!(
            "the picture has {given} texels, but here are {size}"
        ));
    }
    Ok(picture.contents().to_vec())
}

/// A whole file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(path);
    bytes.map_err(|error| {
        let message = crate::report::read_error(&error);
        format!("{}: {}", path.display(), message.message())
    })
}

/// The texels of the first level of an image, each as a list of the components that its format
/// has, or a number if there is only one.
pub(super) fn value(image: &Image, range: Option<(u64, u64)>) -> Result<Value, String> {
    let format = image.format();
    let has = |channel| format.components().iter().any(|it| it.channel == channel);
    let count = match (has(Channel::Green), has(Channel::Blue), has(Channel::Alpha)) {
        (_, _, true) => 4,
        (_, true, _) => 3,
        (true, ..) => 2,
        _ => 1,
    };
    let [width, height, depth] = image.size().map(u64::from);
    let all = [width, height, depth, image.layer_count().into()];
    let all = all.into_iter().fold(1, u64::saturating_mul);
    if all > MAX_VALUES {
        return Err(format!("there are more than {MAX_VALUES} texels"));
    }
    let single = Type::named("f32")?;
    let number = |texel: &Texel, at: usize| match texel {
        Texel::Float(values) => single.value(&(values[at] as f32).to_le_bytes()),
        Texel::Signed(values) => json!(values[at]),
        Texel::Unsigned(values) => json!(values[at]),
    };
    let (first, end) = range.unwrap_or((0, u64::MAX));
    let texels = (0u64..).zip(image.texels());
    let texels = texels.filter(|(index, _)| (first..end).contains(index));
    let texels = texels.map(|(_, texel)| match count {
        1 => number(&texel, 0),
        count => (0..count).map(|at| number(&texel, at)).collect(),
    });
    Ok(texels.collect())
}
