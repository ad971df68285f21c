//! Images as PNG files.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Encoder, Limits, Transformations};
use spirvkit::eval::{Channel, Component, Encoding, Format, Texel};
use spirvkit::interp::{Dimension, Image};

/// How many bytes the samples of a file may take. A file may say that it has any number of them.
const MAX_SAMPLES: usize = 1 << 28;

/// What a picture has in each texel.
pub(super) struct Picture {
    width: u32,
    height: u32,
    /// 8 or 16.
    bits: u8,
    /// Red, green, blue and alpha.
    texels: Vec<[u16; 4]>,
}

/// Reads a file with 1 to 16 bits for each sample, with or without colours, alpha and a palette.
pub(super) fn read(file: &[u8]) -> Result<Picture, String> {
    let wrong = |error: png::DecodingError| format!("this can't be read as PNG: {error}");
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: MAX_SAMPLES });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let info = reader.info();
    let (width, height) = (info.width, info.height);
    let size = reader.output_buffer_size().filter(|&it| it <= MAX_SAMPLES);
    let size = size.ok_or_else(|| {
        format!(
            "it has {width} × {height} texels, whose samples take more than {MAX_SAMPLES} bytes"
        )
    })?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(wrong)?;
    samples.truncate(frame.buffer_size());
    let samples: Vec<u16> = match frame.bit_depth {
        BitDepth::Sixteen => {
            let pairs = samples.as_chunks().0.iter();
            pairs.map(|&pair| u16::from_be_bytes(pair)).collect()
        }
        _ => samples.into_iter().map(u16::from).collect(),
    };
    let bits = match frame.bit_depth {
        BitDepth::Sixteen => 16,
        _ => 8,
    };
    let opaque = u16::MAX >> (16 - bits);
    let texels = samples.chunks_exact(frame.color_type.samples());
    let texels = texels.map(|texel| match *texel {
        [grey] => [grey, grey, grey, opaque],
        [grey, alpha] => [grey, grey, grey, alpha],
        [red, green, blue] => [red, green, blue, opaque],
        [red, green, blue, alpha] => [red, green, blue, alpha],
        _ => [0; 4],
    });
    Ok(Picture {
        width,
        height,
        bits,
        texels: texels.collect(),
    })
}

impl Picture {
    /// How many bits its samples have: 8 or 16.
    pub(super) fn bits(&self) -> u8 {
        self.bits
    }

    /// An image with its texels: samples are integers in a format of integers, else shares of the
    /// largest; in an sRGB format they are taken to be sRGB as well.
    pub(super) fn into_image(self, dimension: Dimension, format: Format) -> Result<Image, String> {
        if format.is_depth_stencil() {
            return Err(format!("a picture can't have the format {format}"));
        }
        let most = f64::from(u16::MAX >> (16 - self.bits));
        let is_signed = format
            .components()
            .iter()
            .any(|it| it.encoding == Encoding::Sint);
        let srgb = is_srgb(&format)
            .then(|| Format::named("R8G8B8A8_SRGB"))
            .flatten();
        let size = format.texel_size() as usize;
        let bytes = self.texels.len().saturating_mul(size);
        if bytes > MAX_SAMPLES {
            return Err(format!("in the format {format} it takes {bytes} bytes"));
        }
        let mut bytes = vec![0; bytes];
        for (texel, room) in self.texels.iter().zip(bytes.chunks_exact_mut(size)) {
            let shares = texel.map(|sample| f64::from(sample) / most);
            let texel = match (format.is_integer(), srgb) {
                (true, _) if is_signed => Texel::Signed(texel.map(i64::from)),
                (true, _) => Texel::Unsigned(texel.map(u64::from)),
                (false, Some(srgb)) => {
                    srgb.read(&shares.map(|share| (share * 255.0).round_ties_even() as u8))
                }
                (false, None) => Texel::Float(shares),
            };
            format.write(&texel, room);
        }
        Ok(Image::new(dimension, format, [self.width, self.height, 1]).bytes(bytes))
    }
}

fn is_srgb(format: &Format) -> bool {
    let mut components = format.components().iter();
    components.any(|it| it.encoding == Encoding::Srgb)
}

/// The file of the first level and layer of an image.
pub(super) fn write(image: &Image) -> Result<Vec<u8>, String> {
    let format = image.format();
    let [width, height, depth] = image.size();
    if depth > 1 || image.dimension() == Dimension::Buffer {
        return Err("only images of one or two dimensions can be written as PNG".into());
    }
    if format.is_depth_stencil() {
        return Err(format!(
            "an image of the format {format} can't be written as PNG"
        ));
    }
    let is_there = |it: &&Component| it.channel != Channel::Unused;
    let bits = format.components().iter().filter(is_there);
    let is_wide = bits.map(|it| it.bits).max().unwrap_or(0) > 8;
    let has = |channel| format.components().iter().any(|it| it.channel == channel);
    // What PNG has no colour type for gets the next that has it all.
    let (color, channels) = match (has(Channel::Green), has(Channel::Alpha)) {
        (false, false) => (ColorType::Grayscale, &[0][..]),
        (true, false) => (ColorType::Rgb, &[0, 1, 2][..]),
        (_, true) => (ColorType::Rgba, &[0, 1, 2, 3][..]),
    };
    let srgb = is_srgb(&format)
        .then(|| Format::named("R8G8B8A8_SRGB"))
        .flatten();
    let mut samples = Vec::new();
    let all = image.texels().take(width as usize * height as usize);
    for (index, texel) in (0u32..).zip(all) {
        let sampled = match srgb {
            Some(srgb) => {
                let mut bytes = [0; 4];
                srgb.write(&texel, &mut bytes);
                Texel::Unsigned(bytes.map(u64::from))
            }
            None => texel,
        };
        for &channel in channels {
            let sample = sample(&sampled, channel, is_wide).map_err(|value| {
                let (x, y) = (index % width, index / width);
                format!("the texel at ({x}, {y}) is {value}, which a PNG can't hold")
            })?;
            match is_wide {
                true => samples.extend(sample.to_be_bytes()),
                false => samples.push(sample as u8),
            }
        }
    }
    let wrong = |error: png::EncodingError| format!("it can't be written as PNG: {error}");
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(match is_wide {
        true => BitDepth::Sixteen,
        false => BitDepth::Eight,
    });
    let mut writer = encoder.write_header().map_err(wrong)?;
    writer.write_image_data(&samples).map_err(wrong)?;
    writer.finish().map_err(wrong)?;
    Ok(file)
}

/// A component as a sample of 8 or 16 bits, if it fits; else what it is.
fn sample(texel: &Texel, channel: usize, is_wide: bool) -> Result<u16, String> {
    let most = if is_wide {
        u16::MAX
    } else {
        u16::from(u8::MAX)
    };
    let integer = |number: Option<u16>, value: String| match number {
        Some(number) if number <= most => Ok(number),
        _ => Err(value),
    };
    match texel {
        Texel::Float(values) => match values[channel] {
            value if (0.0..=1.0).contains(&value) => {
                Ok((value * f64::from(most)).round_ties_even() as u16)
            }
            value => Err(format!("{value}")),
        },
        Texel::Signed(values) => {
            let value = values[channel];
            integer(u16::try_from(value).ok(), value.to_string())
        }
        Texel::Unsigned(values) => {
            let value = values[channel];
            integer(u16::try_from(value).ok(), value.to_string())
        }
    }
}
