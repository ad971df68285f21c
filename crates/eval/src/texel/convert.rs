//! Numbers from the bits of texels, and bits from numbers.

use spirvkit_binary::FloatFormat;

use super::format::{Channel, Component, Encoding, Format};
use crate::environment::Rounding;
use crate::real::{Layout, Real};
use crate::scalar::{Scalar, ScalarType, sign_extend};

/// The red, green, blue and alpha of a texel as shaders see it. A depth or stencil is red; what
/// the format doesn't have is 0, or 1 for alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Texel {
    /// Floating-point numbers.
    Float([f64; 4]),
    /// Signed integers.
    Signed([i64; 4]),
    /// Unsigned integers.
    Unsigned([u64; 4]),
}

impl Texel {
    /// One of the components as a scalar: numbers are rounded to nearest, and integers keep
    /// their low bits. `at` is 0 for red, to 3 for alpha; more is alpha, too.
    ///
    /// ```
    /// use spirvkit_eval::{Scalar, Texel};
    ///
    /// let texel = Texel::Float([0.5, 0.0, 0.0, 1.0]);
    /// assert_eq!(texel.scalar(0, Scalar::from(0.0f32).ty()), Scalar::from(0.5f32));
    /// ```
    pub fn scalar(&self, at: usize, ty: ScalarType) -> Scalar {
        let at = at.min(3);
        let bits = match (*self, ty) {
            (Self::Float(values), ScalarType::Float(format)) => float_bits(values[at], format),
            (Self::Float(values), _) => values[at] as i64 as u64,
            (Self::Signed(values), ScalarType::Float(format)) => {
                float_bits(values[at] as f64, format)
            }
            (Self::Unsigned(values), ScalarType::Float(format)) => {
                float_bits(values[at] as f64, format)
            }
            (Self::Signed(values), _) => values[at] as u64,
            (Self::Unsigned(values), _) => values[at],
        };
        Scalar::new(ty, bits)
    }

    /// Makes one of the components the number that a scalar is; integers are taken as signed,
    /// unless the texel's are not. `at` is 0 for red, to 3 for alpha; more is nothing.
    ///
    /// ```
    /// use spirvkit_eval::{Scalar, Texel};
    ///
    /// let mut texel = Texel::Signed([0; 4]);
    /// texel.set(1, Scalar::from(u32::MAX));
    /// assert_eq!(texel, Texel::Signed([0, -1, 0, 0]));
    /// ```
    pub fn set(&mut self, at: usize, scalar: Scalar) {
        let number = match scalar.ty() {
            ScalarType::Float(FloatFormat::Single) => widened(scalar.bits() as u32),
            ScalarType::Float(_) => scalar.to_f64().unwrap_or(f64::NAN),
            _ => scalar.sign_extended() as f64,
        };
        let is_float = matches!(scalar.ty(), ScalarType::Float(_));
        match self {
            Self::Float(values) => values.get_mut(at).map(|value| *value = number),
            Self::Signed(values) => values.get_mut(at).map(|value| {
                *value = if is_float {
                    number as i64
                } else {
                    scalar.sign_extended()
                };
            }),
            Self::Unsigned(values) => values.get_mut(at).map(|value| {
                *value = if is_float {
                    number as u64
                } else {
                    scalar.bits()
                };
            }),
        };
    }

    /// The components as numbers.
    fn numbers(&self) -> [f64; 4] {
        match *self {
            Self::Float(values) => values,
            Self::Signed(values) => values.map(|value| value as f64),
            Self::Unsigned(values) => values.map(|value| value as f64),
        }
    }

    /// A component as an integer of so many bits, the nearest that there is.
    fn integer(&self, at: usize, bits: u8, is_signed: bool) -> u64 {
        let value = match *self {
            Self::Float(values) => values[at] as i128,
            Self::Signed(values) => values[at].into(),
            Self::Unsigned(values) => values[at].into(),
        };
        let (least, most) = match is_signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        value.clamp(least, most) as u64
    }
}

impl Format {
    /// Reads a texel, which may lack bytes at its end: those are zero.
    ///
    /// ```
    /// use spirvkit_eval::{Format, Texel};
    ///
    /// let format = Format::named("R16G16_SINT").unwrap();
    /// assert_eq!(format.read(&[0xff, 0xff, 2, 0]), Texel::Signed([-1, 2, 0, 1]));
    /// ```
    pub fn read(&self, texel: &[u8]) -> Texel {
        let fields = self.fields(texel);
        let parts = || self.components().iter().zip(fields).enumerate();
        if !self.is_integer() {
            let mut values = [0.0, 0.0, 0.0, 1.0];
            let numbers = self.numbers(fields);
            for (at, (component, _)) in parts() {
                if let Some(to) = self.color(component.channel) {
                    values[to] = numbers[at];
                }
            }
            return Texel::Float(values);
        }
        let is_signed = self.components()[0].encoding == Encoding::Sint;
        let mut values = [0, 0, 0, 1];
        for (_, (component, bits)) in parts() {
            if let Some(to) = self.color(component.channel) {
                values[to] = match is_signed {
                    true => sign_extend(bits, component.bits.into()) as u64,
                    false => bits,
                };
            }
        }
        match is_signed {
            true => Texel::Signed(values.map(|value| value as i64)),
            false => Texel::Unsigned(values),
        }
    }

    /// Writes a texel. Numbers are rounded to the nearest that the format has, even ones if two
    /// are as near; normalized ones are clamped to their range, where NaN is 0; integers are the
    /// nearest that fit. `texel` should have [`texel_size`](Self::texel_size) bytes.
    ///
    /// ```
    /// use spirvkit_eval::{Format, Texel};
    ///
    /// let mut bytes = [0; 4];
    /// let format = Format::named("R8G8B8A8_UNORM").unwrap();
    /// format.write(&Texel::Float([1.5, 0.5, -1.0, 1.0]), &mut bytes);
    /// assert_eq!(bytes, [255, 128, 0, 255]);
    /// ```
    pub fn write(&self, texel: &Texel, bytes: &mut [u8]) {
        bytes.fill(0);
        if self.components()[0].channel == Channel::Exponent {
            let word = shared_exponent(texel.numbers());
            let word = word.to_le_bytes();
            bytes.iter_mut().zip(word).for_each(|(to, from)| *to = from);
            return;
        }
        for (at, component) in self.components().iter().enumerate() {
            if let Some(from) = self.color(component.channel) {
                self.set_field(bytes, at, bits(*component, texel, from));
            }
        }
    }

    /// Where a channel stands in a texel of shaders: a stencil does only where there is no
    /// depth.
    fn color(&self, channel: Channel) -> Option<usize> {
        match channel {
            Channel::Red | Channel::Depth => Some(0),
            Channel::Green => Some(1),
            Channel::Blue => Some(2),
            Channel::Alpha => Some(3),
            Channel::Stencil if self.is_integer() => Some(0),
            Channel::Stencil | Channel::Exponent | Channel::Unused => None,
        }
    }

    /// The numbers that the bits of components stand for.
    pub(super) fn numbers(&self, fields: [u64; 4]) -> [f64; 4] {
        let mut numbers = [0.0; 4];
        for ((number, component), bits) in numbers.iter_mut().zip(self.components()).zip(fields) {
            *number = self::number(*component, bits);
        }
        if self.components()[0].channel == Channel::Exponent {
            // Vulkan, "Formats": (-1)^0 × 2^(exponent - 15) × mantissa / 2^9.
            let scale = power_of_two(fields[0] as i32 - SHARED_BIAS - SHARED_BITS);
            numbers = fields.map(|bits| bits as f64 * scale);
            numbers[0] = fields[0] as f64;
        }
        numbers
    }
}

/// What the shared exponent counts from, and the bits of each colour.
const SHARED_BIAS: i32 = 15;
const SHARED_BITS: i32 = 9;

/// The bits of `E5B9G9R9`: the exponent is the greatest that a colour needs (Khronos Data Format
/// Specification, "Three unsigned shared exponent").
fn shared_exponent([red, green, blue, _]: [f64; 4]) -> u32 {
    const MOST: f64 = 511.0 * 128.0;
    // NaN is 0.
    let colors = [red, green, blue].map(|color| if color > 0.0 { color.min(MOST) } else { 0.0 });
    let greatest = colors.into_iter().fold(0.0, f64::max);
    let floor = (greatest.to_bits() >> 52) as i32 - 1023;
    let mut exponent = floor.max(-SHARED_BIAS - 1) + 1 + SHARED_BIAS;
    let scaled = |color: f64, exponent: i32| {
        let unit = power_of_two(exponent - SHARED_BIAS - SHARED_BITS);
        libm::floor(color / unit + 0.5) as u32
    };
    if scaled(greatest, exponent) == 1 << SHARED_BITS {
        exponent += 1;
    }
    let [red, green, blue] = colors.map(|color| scaled(color, exponent));
    (exponent as u32) << 27 | blue << 18 | green << 9 | red
}

/// Two to a power that binary64 has as a normal number.
fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// What the bits of a component, which are its width and no more, stand for.
pub(super) fn number(component: Component, bits: u64) -> f64 {
    let width = component.bits;
    match component.encoding {
        Encoding::Unorm => bits as f64 / largest(width),
        Encoding::Snorm => (sign_extend(bits, width.into()) as f64 / largest(width - 1)).max(-1.0),
        Encoding::Srgb => {
            let share = bits as f64 / largest(width);
            match component.channel {
                Channel::Alpha => share,
                _ => linear(share),
            }
        }
        Encoding::Uint | Encoding::Uscaled => bits as f64,
        Encoding::Sint | Encoding::Sscaled => sign_extend(bits, width.into()) as f64,
        Encoding::Ufloat => unsigned_layout(width).decode(bits).to_f64(),
        Encoding::Sfloat => match width {
            32 => widened(bits as u32),
            64 => f64::from_bits(bits),
            _ => Scalar::new(ScalarType::Float(FloatFormat::Half), bits)
                .to_f64()
                .unwrap_or(f64::NAN),
        },
    }
}

/// The bits of a component, some of which may be above its width.
fn bits(component: Component, texel: &Texel, from: usize) -> u64 {
    let width = component.bits;
    let value = texel.numbers()[from];
    let normalized = |value: f64, least: f64, scale: f64| {
        // NaN is no less than any number.
        let value = if value.is_nan() { 0.0 } else { value };
        libm::rint(value.clamp(least, 1.0) * scale) as i64 as u64
    };
    match component.encoding {
        Encoding::Unorm => normalized(value, 0.0, largest(width)),
        Encoding::Snorm => normalized(value, -1.0, largest(width - 1)),
        Encoding::Srgb => {
            let share = match component.channel {
                Channel::Alpha => value,
                _ => nonlinear(value),
            };
            normalized(share, 0.0, largest(width))
        }
        Encoding::Uint => texel.integer(from, width, false),
        Encoding::Sint => texel.integer(from, width, true),
        Encoding::Uscaled => Texel::Float([libm::rint(value); 4]).integer(0, width, false),
        Encoding::Sscaled => Texel::Float([libm::rint(value); 4]).integer(0, width, true),
        // Negative numbers, and the negative infinity, are zero.
        Encoding::Ufloat if value < 0.0 => 0,
        Encoding::Ufloat => {
            let number = Real::from_f64(value.abs());
            unsigned_layout(width).encode(number, Rounding::NearestEven, false)
        }
        Encoding::Sfloat => match width {
            16 => float_bits(value, FloatFormat::Half),
            32 => float_bits(value, FloatFormat::Single),
            _ => value.to_bits(),
        },
    }
}

/// The largest number of so many bits.
fn largest(width: u8) -> f64 {
    ((1u64 << width) - 1) as f64
}

/// A number without sign: as binary16, with fewer bits of its fraction.
fn unsigned_layout(width: u8) -> Layout {
    Layout::small(u32::from(width).saturating_sub(5))
}

/// The bits of a number in a format, rounded to nearest even. Those of a NaN of 32 bits are
/// kept.
fn float_bits(value: f64, format: FloatFormat) -> u64 {
    match format {
        FloatFormat::Double => value.to_bits(),
        FloatFormat::Single if value.is_nan() => {
            let bits = value.to_bits();
            let payload = bits >> 29 & 0x007f_ffff;
            // The payload may be in bits that are lost.
            let payload = if payload == 0 { 0x0040_0000 } else { payload };
            bits >> 63 << 31 | 0x7f80_0000 | payload
        }
        FloatFormat::Single => (value as f32).to_bits().into(),
        _ => match Layout::of(format) {
            Some(layout) => layout.encode(Real::from_f64(value), Rounding::NearestEven, false),
            None => 0,
        },
    }
}

/// A number of 32 bits in 64, with the bits of a NaN.
fn widened(bits: u32) -> f64 {
    let value = f32::from_bits(bits);
    match value.is_nan() {
        false => value.into(),
        true => {
            let (sign, payload) = (u64::from(bits >> 31), u64::from(bits & 0x007f_ffff));
            f64::from_bits(sign << 63 | 0x7ff << 52 | payload << 29)
        }
    }
}

/// The linear value of one in sRGB (Khronos Data Format Specification, "sRGB transfer
/// functions").
fn linear(value: f64) -> f64 {
    match value <= 0.04045 {
        true => value / 12.92,
        false => libm::pow((value + 0.055) / 1.055, 2.4),
    }
}

/// The value in sRGB of a linear one.
fn nonlinear(value: f64) -> f64 {
    match value <= 0.0031308 {
        true => value * 12.92,
        false => 1.055 * libm::pow(value, 1.0 / 2.4) - 0.055,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec;

    fn format(name: &str) -> Format {
        Format::named(name).unwrap()
    }

    fn written(name: &str, texel: [f64; 4]) -> vec::Vec<u8> {
        let format = format(name);
        let mut bytes = vec![0xaa; format.texel_size() as usize];
        format.write(&Texel::Float(texel), &mut bytes);
        bytes
    }

    fn floats(name: &str, texel: &[u8]) -> [f64; 4] {
        match format(name).read(texel) {
            Texel::Float(values) => values,
            other => panic!("{other:?}"),
        }
    }

    /// All bits of all formats of at most 32 bits in one component, or some of them.
    #[test]
    fn what_is_read_is_written_again() {
        for name in Format::names() {
            let format = format(name);
            let size = format.texel_size() as usize;
            for seed in 0..2000u64 {
                let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17);
                let mut texel = vec![0; size];
                for (at, byte) in texel.iter_mut().enumerate() {
                    *byte = (random.rotate_left(at as u32 * 13) >> 8) as u8;
                }
                let seen = format.read(&texel);
                let mut again = vec![0; size];
                format.write(&seen, &mut again);
                // Several bits may stand for the same, so that what they stand for is compared.
                let same = |a: &Texel, b: &Texel| match (a, b) {
                    (Texel::Float(a), Texel::Float(b)) => a
                        .iter()
                        .zip(b)
                        .all(|(a, b)| a == b || a.is_nan() && b.is_nan()),
                    _ => a == b,
                };
                assert!(
                    same(&format.read(&again), &seen),
                    "{name} {texel:?} {seen:?}"
                );
            }
        }
    }

    #[test]
    fn every_width_of_normalized_numbers() {
        for byte in 0..=255u8 {
            let share = f64::from(byte) / 255.0;
            assert_eq!(floats("R8_UNORM", &[byte]), [share, 0.0, 0.0, 1.0]);
            let signed = (f64::from(byte as i8) / 127.0).max(-1.0);
            assert_eq!(floats("R8_SNORM", &[byte])[0], signed);
            assert_eq!(written("R8_UNORM", [share, 0.0, 0.0, 0.0]), [byte]);
        }
        // Halves go to the even number: 0.5 of 255 is 127.5, and 1.5 of 3 is 1.5.
        assert_eq!(written("R8_UNORM", [0.5; 4]), [128]);
        assert_eq!(
            written("A2B10G10R10_UNORM_PACK32", [0.0, 0.0, 0.0, 0.5])[3],
            0x80
        );
        assert_eq!(written("R8_SNORM", [-0.5; 4]), [(-64i8) as u8]);
        assert_eq!(written("R8G8_SNORM", [-3.0, f64::NAN, 0.0, 0.0]), [0x81, 0]);
        assert_eq!(written("R16_UNORM", [f64::INFINITY; 4]), [0xff, 0xff]);
        assert_eq!(
            written("R5G6B5_UNORM_PACK16", [1.0, 0.0, 0.0, 0.0]),
            [0, 0xf8]
        );
        assert_eq!(
            written("B8G8R8A8_UNORM", [1.0, 0.2, 0.4, 0.0]),
            [102, 51, 255, 0]
        );
        assert_eq!(
            written("A4R4G4B4_UNORM_PACK16", [1.0, 0.0, 0.0, 0.2]),
            [0, 0x3f]
        );
        assert_eq!(written("A8_UNORM", [0.3, 0.3, 0.3, 1.0]), [255]);
        assert_eq!(floats("A8_UNORM", &[255]), [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn integers_are_extended_and_clamped() {
        assert_eq!(
            format("R8_SINT").read(&[0x80]),
            Texel::Signed([-128, 0, 0, 1])
        );
        assert_eq!(format("S8_UINT").read(&[7]), Texel::Unsigned([7, 0, 0, 1]));
        let read = format("R64_UINT").read(&[0xff; 8]);
        assert_eq!(read, Texel::Unsigned([u64::MAX, 0, 0, 1]));
        let mut bytes = [0; 2];
        format("R8G8_SINT").write(&Texel::Signed([-200, 200, 0, 0]), &mut bytes);
        assert_eq!(bytes, [0x80, 0x7f]);
        format("R8G8_UINT").write(&Texel::Unsigned([300, 5, 0, 0]), &mut bytes);
        assert_eq!(bytes, [255, 5]);
        let mut bytes = [0; 4];
        let texel = Texel::Unsigned([1, 2, 3, 9]);
        format("A2B10G10R10_UINT_PACK32").write(&texel, &mut bytes);
        assert_eq!(u32::from_le_bytes(bytes), 3 << 30 | 3 << 20 | 2 << 10 | 1);
    }

    #[test]
    fn floats_of_every_width() {
        assert_eq!(floats("R16_SFLOAT", &[0, 0x3e])[0], 1.5);
        assert_eq!(written("R16_SFLOAT", [65519.0; 4]), [0xff, 0x7b]);
        assert_eq!(written("R16_SFLOAT", [65520.0; 4]), [0x00, 0x7c]);
        assert_eq!(written("R16_SFLOAT", [-0.0; 4]), [0x00, 0x80]);
        // A NaN keeps its bits in 32 of them, a signaling one, too.
        let nan = 0xffa0_0001u32.to_le_bytes();
        let read = format("R32_SFLOAT").read(&nan);
        let mut bytes = [0; 4];
        format("R32_SFLOAT").write(&read, &mut bytes);
        assert_eq!(bytes, nan);
        // Exponents of 5 bits, and no sign.
        let word = |texel| {
            let bytes = written("B10G11R11_UFLOAT_PACK32", texel);
            u32::from_le_bytes(bytes.try_into().unwrap())
        };
        assert_eq!(
            word([1.0, 1.0, 1.0, 0.0]),
            0x1e0 << 22 | 0x3c0 << 11 | 0x3c0
        );
        assert_eq!(word([-1.0, f64::NEG_INFINITY, -0.0, 0.0]), 0);
        assert_eq!(word([f64::INFINITY, 0.0, 0.0, 0.0]), 0x7c0);
        assert_eq!(word([f64::NAN, 0.0, 0.0, 0.0]) & 0x7c0, 0x7c0);
        assert_ne!(word([f64::NAN, 0.0, 0.0, 0.0]) & 0x3f, 0);
        // 1 + 1/128 is halfway between two numbers of 11 bits, and 1 is the even one.
        assert_eq!(word([1.0078125, 0.0, 0.0, 0.0]), 0x3c0);
        assert_eq!(word([1.0234375, 0.0, 0.0, 0.0]), 0x3c2);
    }

    #[test]
    fn exponents_may_be_shared() {
        let word = |texel| {
            let bytes = written("E5B9G9R9_UFLOAT_PACK32", texel);
            u32::from_le_bytes(bytes.try_into().unwrap())
        };
        // 1 is 256 / 512 × 2, so that the exponent is 16.
        let one = word([1.0, 0.5, 0.0, 0.0]);
        assert_eq!(one, 16 << 27 | 128 << 9 | 256);
        assert_eq!(
            floats("E5B9G9R9_UFLOAT_PACK32", &one.to_le_bytes()),
            [1.0, 0.5, 0.0, 1.0]
        );
        assert_eq!(word([1e9, 0.0, 0.0, 0.0]), 31 << 27 | 511);
        assert_eq!(word([-1.0, f64::NAN, 0.0, 0.0]), 0);
        // 511.6 / 512 is rounded up to 512, which needs another exponent.
        assert_eq!(word([511.6 / 512.0, 0.0, 0.0, 0.0]), 16 << 27 | 256);
    }

    #[test]
    fn srgb_is_made_linear() {
        let [red, green, blue, alpha] = floats("R8G8B8A8_SRGB", &[0, 10, 255, 128]);
        assert_eq!((red, blue, alpha), (0.0, 1.0, 128.0 / 255.0));
        assert!((green - 10.0 / 255.0 / 12.92).abs() < 1e-12);
        for byte in 0..=255u8 {
            let texel = floats("R8_SRGB", &[byte]);
            assert_eq!(written("R8_SRGB", texel), [byte]);
        }
    }

    #[test]
    fn depths_are_red() {
        assert_eq!(floats("D16_UNORM", &[0xff, 0xff]), [1.0, 0.0, 0.0, 1.0]);
        let mut texel = 0.25f32.to_le_bytes().to_vec();
        texel.extend([3, 0, 0, 0]);
        assert_eq!(floats("D32_SFLOAT_S8_UINT", &texel)[0], 0.25);
        let word = 0x00ff_ffffu32 | 3 << 24;
        assert_eq!(floats("X8_D24_UNORM_PACK32", &word.to_le_bytes())[0], 1.0);
    }

    #[test]
    fn components_become_scalars() {
        let half = ScalarType::Float(FloatFormat::Half);
        assert_eq!(Texel::Float([1.5; 4]).scalar(2, half).bits(), 0x3e00);
        let byte = ScalarType::Integer { width: 8 };
        assert_eq!(Texel::Signed([-1; 4]).scalar(0, byte).bits(), 0xff);
        assert_eq!(Texel::Unsigned([7; 4]).scalar(9, byte).bits(), 7);
    }
}
