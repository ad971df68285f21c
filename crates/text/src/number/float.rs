//! Floating-point literals.
//!
//! Decimal literals are read as C reads them. Hexadecimal ones keep every bit:
//! the largest exponent of a format stands for its infinities and NaNs, so that
//! `0x1.8p+128` is the 32-bit NaN `0x7fc00000` (assembly syntax, "Floating
//! point literals").

use std::fmt::Write;

use spirvkit_binary::FloatFormat;

use super::NumberError;
use super::integer::{split_sign, strip_hex_prefix};

/// The layout of a binary floating-point format.
#[derive(Clone, Copy)]
struct Layout {
    exponent_bits: u32,
    fraction_bits: u32,
    has_sign: bool,
    /// Whether an exponent field of zero means zero and subnormal numbers.
    has_subnormals: bool,
    /// Whether too large a number becomes an infinity.
    has_infinities: bool,
}

impl Layout {
    /// The layout of a format; `None` for the one that is no floating-point
    /// format at all.
    fn of(format: FloatFormat) -> Option<Self> {
        let ieee = |exponent_bits, fraction_bits| Self {
            exponent_bits,
            fraction_bits,
            has_sign: true,
            has_subnormals: true,
            has_infinities: true,
        };
        Some(match format {
            FloatFormat::Half => ieee(5, 10),
            FloatFormat::Single => ieee(8, 23),
            FloatFormat::Double => ieee(11, 52),
            FloatFormat::BFloat16 => ieee(8, 7),
            FloatFormat::E5M2 => ieee(5, 2),
            FloatFormat::E4M3 => Self {
                has_infinities: false,
                ..ieee(4, 3)
            },
            FloatFormat::E2M3 => Self {
                has_infinities: false,
                ..ieee(2, 3)
            },
            FloatFormat::E3M2 => Self {
                has_infinities: false,
                ..ieee(3, 2)
            },
            FloatFormat::E2M1 => Self {
                has_infinities: false,
                ..ieee(2, 1)
            },
            FloatFormat::UnsignedE8M0 => Self {
                has_sign: false,
                has_subnormals: false,
                has_infinities: false,
                ..ieee(8, 0)
            },
            _ => return None,
        })
    }

    const fn bias(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    const fn largest_field(self) -> i64 {
        (1 << self.exponent_bits) - 1
    }
}

/// A number as `significand * 2^exponent`, the significand's highest bit at bit
/// 63 unless the number is zero.
#[derive(Clone, Copy)]
struct Binary {
    negative: bool,
    significand: u64,
    exponent: i64,
}

impl Binary {
    fn new(negative: bool, significand: u64, exponent: i64) -> Self {
        let shift = significand.leading_zeros();
        if significand == 0 {
            return Self {
                negative,
                significand,
                exponent: 0,
            };
        }
        Self {
            negative,
            significand: significand << shift,
            exponent: exponent.saturating_sub(i64::from(shift)),
        }
    }

    fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let (field, fraction) = ((bits >> 23 & 0xff) as i64, u64::from(bits & 0x7f_ffff));
        match field {
            0 => Self::new(value.is_sign_negative(), fraction, -149),
            _ => Self::new(value.is_sign_negative(), fraction | 1 << 23, field - 150),
        }
    }

    /// The number in a format, excess bits cut off. Too small a number becomes
    /// zero, too large a one an infinity where the format has one.
    fn encode(self, layout: Layout) -> Result<u64, NumberError> {
        if self.negative && !layout.has_sign {
            return Err(NumberError::Negative);
        }
        let sign = u64::from(self.negative) << (layout.exponent_bits + layout.fraction_bits);
        if self.significand == 0 {
            return if layout.has_subnormals {
                Ok(sign)
            } else {
                Err(NumberError::OutOfRange)
            };
        }
        let fraction_bits = layout.fraction_bits;
        let field = self.exponent.saturating_add(63 + layout.bias());
        if field > layout.largest_field() {
            let infinity = (layout.largest_field() as u64) << fraction_bits;
            return if layout.has_infinities {
                Ok(sign | infinity)
            } else {
                Err(NumberError::OutOfRange)
            };
        }
        if !layout.has_subnormals {
            return if field < 0 {
                Err(NumberError::OutOfRange)
            } else {
                Ok(sign | field as u64)
            };
        }
        // Without the leading one, which a normal number implies.
        let fraction = self.significand << 1;
        let bits = match field {
            1.. => {
                (field as u64) << fraction_bits
                    | fraction.checked_shr(64 - fraction_bits).unwrap_or(0)
            }
            _ => {
                let shift = (64 - i64::from(fraction_bits)).saturating_sub(field);
                u32::try_from(shift)
                    .ok()
                    .and_then(|shift| self.significand.checked_shr(shift))
                    .unwrap_or(0)
            }
        };
        Ok(sign | bits)
    }

    /// The number that a bit pattern stands for. Infinities and NaNs come out
    /// as the numbers that their exponent field would mean.
    fn decode(bits: u64, layout: Layout) -> Self {
        let fraction_bits = layout.fraction_bits;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let field = (bits >> fraction_bits) as i64 & layout.largest_field();
        let negative = layout.has_sign && bits >> (layout.exponent_bits + fraction_bits) & 1 == 1;
        let scale = -i64::from(fraction_bits) - layout.bias();
        match field {
            0 if layout.has_subnormals => Self::new(negative, fraction, 1 + scale),
            _ => Self::new(negative, fraction | 1 << fraction_bits, field + scale),
        }
    }

    /// The number in 8 bits of two's complement, in units of 1/64.
    fn encode_mx_int8(self) -> Result<u64, NumberError> {
        // The significand is below 2^64, so the number is below 2^(64 + exponent).
        let shift = self.exponent.saturating_add(6).saturating_neg();
        let units = match u32::try_from(shift) {
            Ok(shift) => self.significand.checked_shr(shift).unwrap_or(0),
            Err(_) if self.significand == 0 => 0,
            Err(_) => u64::MAX,
        };
        let largest = if self.negative { 128 } else { 127 };
        if units > largest {
            return Err(NumberError::OutOfRange);
        }
        let value = if self.negative {
            units.wrapping_neg()
        } else {
            units
        };
        Ok(value & 0xff)
    }
}

/// Reads a floating-point literal into the bits of the given format.
///
/// A decimal number is rounded to the nearest; one in a format narrower than 32
/// bits is rounded to 32 bits first and then cut off. A decimal number that is
/// too large is an error. In a hexadecimal number excess digits are cut off, and
/// too large a one is an infinity where the format has any.
pub(crate) fn parse_float(text: &str, format: FloatFormat) -> Result<u64, NumberError> {
    let (negative, magnitude) = split_sign(text);
    if let Some(digits) = strip_hex_prefix(magnitude) {
        if text.starts_with('+') {
            return Err(NumberError::Malformed);
        }
        let number = parse_hex(negative, digits)?;
        return match Layout::of(format) {
            Some(layout) => number.encode(layout),
            None => number.encode_mx_int8(),
        };
    }
    let is_decimal =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    // The standard parser takes a second sign, and words such as `inf`.
    let starts_well = magnitude.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !starts_well || !magnitude.bytes().all(is_decimal) {
        return Err(NumberError::Malformed);
    }
    if format == FloatFormat::Double {
        let value: f64 = text.parse().map_err(|_| NumberError::Malformed)?;
        return if value.is_finite() {
            Ok(value.to_bits())
        } else {
            Err(NumberError::OutOfRange)
        };
    }
    let value: f32 = text.parse().map_err(|_| NumberError::Malformed)?;
    if !value.is_finite() {
        return Err(NumberError::OutOfRange);
    }
    if format == FloatFormat::Single {
        return Ok(u64::from(value.to_bits()));
    }
    let number = Binary::from_f32(value);
    let Some(layout) = Layout::of(format) else {
        return number.encode_mx_int8();
    };
    let bits = number.encode(layout)?;
    // The bits of an infinity or a NaN are no decimal number's.
    let infinity = (layout.largest_field() as u64) << layout.fraction_bits;
    let is_special = match format {
        FloatFormat::E4M3 => bits & 0x7f == 0x7f,
        _ => layout.has_infinities && bits & infinity == infinity,
    };
    if is_special {
        Err(NumberError::OutOfRange)
    } else {
        Ok(bits)
    }
}

/// Reads what follows `0x`: digits with at most one point, then perhaps `p` and
/// a decimal exponent.
fn parse_hex(negative: bool, text: &str) -> Result<Binary, NumberError> {
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return Err(NumberError::Malformed);
    }
    let mut significand = 0u64;
    let mut scale = 0i64;
    let places = whole
        .bytes()
        .map(|digit| (digit, 0))
        .chain(fraction.bytes().map(|digit| (digit, -4)));
    for (digit, place) in places {
        let digit = char::from(digit)
            .to_digit(16)
            .ok_or(NumberError::Malformed)?;
        if significand >> 60 == 0 {
            significand = significand << 4 | u64::from(digit);
            scale += place;
        } else {
            // No room: the digit is cut off, but still counts as a place.
            scale += place + 4;
        }
    }
    let exponent = match exponent {
        Some(exponent) => parse_exponent(exponent)?,
        None => 0,
    };
    Ok(Binary::new(
        negative,
        significand,
        scale.saturating_add(exponent),
    ))
}

/// Reads a decimal exponent; one beyond all formats is as good as any other.
fn parse_exponent(text: &str) -> Result<i64, NumberError> {
    const BEYOND: i64 = 1 << 40;
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(NumberError::Malformed);
    }
    let magnitude = digits.parse::<i64>().unwrap_or(BEYOND).min(BEYOND);
    Ok(if negative { -magnitude } else { magnitude })
}

/// Writes a number so that reading it gives the same bits: zero and normal
/// numbers of 32 and 64 bits in decimal with as many digits as that takes, all
/// others in hexadecimal.
pub(crate) fn write_float<W: Write>(out: &mut W, format: FloatFormat, bits: u64) {
    match format {
        FloatFormat::Single => {
            let value = f32::from_bits(bits as u32);
            if value.is_normal() || value == 0.0 {
                // 8 digits after the first: `max_digits10` is 9.
                return write_decimal(out, format_args!("{value:.8e}"));
            }
        }
        FloatFormat::Double => {
            let value = f64::from_bits(bits);
            if value.is_normal() || value == 0.0 {
                return write_decimal(out, format_args!("{value:.16e}"));
            }
        }
        _ => {}
    }
    let number = match Layout::of(format) {
        Some(layout) => Binary::decode(bits, layout),
        None => {
            let units = i64::from(bits as u8 as i8);
            Binary::new(units < 0, units.unsigned_abs(), -6)
        }
    };
    write_hex(out, number);
}

fn write_hex<W: Write>(out: &mut W, number: Binary) {
    if number.negative {
        let _ = out.write_char('-');
    }
    if number.significand == 0 {
        let _ = out.write_str("0x0p+0");
        return;
    }
    let _ = out.write_str("0x1");
    let mut fraction = number.significand << 1;
    if fraction != 0 {
        let _ = out.write_char('.');
    }
    while fraction != 0 {
        let _ = out.write_char(char::from_digit((fraction >> 60) as u32, 16).unwrap_or('0'));
        fraction <<= 4;
    }
    let _ = write!(out, "p{:+}", number.exponent + 63);
}

/// Rewrites `d.ddde±x` the way C's `%g` does: without an exponent where it is
/// from -5 up to the number of digits, with one of at least two digits
/// elsewhere, and without trailing zeros.
fn write_decimal<W: Write>(out: &mut W, scientific: std::fmt::Arguments<'_>) {
    let mut buffer = Digits::default();
    let _ = buffer.write_fmt(scientific);
    let text = buffer.as_str();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let precision = 1 + rest.len() as i32;
    let rest = rest.trim_end_matches('0');
    let _ = out.write_str(sign);
    if exponent < -4 || exponent >= precision {
        let _ = out.write_str(first);
        if !rest.is_empty() {
            let _ = out.write_char('.');
            let _ = out.write_str(rest);
        }
        let mark = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{mark}{:02}", exponent.unsigned_abs());
    } else if exponent < 0 {
        let _ = out.write_str("0.");
        write_zeros(out, (-exponent - 1) as usize);
        let _ = out.write_str(first);
        let _ = out.write_str(rest);
    } else {
        let whole = exponent as usize;
        let _ = out.write_str(first);
        if rest.len() <= whole {
            let _ = out.write_str(rest);
            write_zeros(out, whole - rest.len());
        } else {
            let _ = out.write_str(&rest[..whole]);
            let _ = out.write_char('.');
            let _ = out.write_str(&rest[whole..]);
        }
    }
}

fn write_zeros<W: Write>(out: &mut W, count: usize) {
    for _ in 0..count {
        let _ = out.write_char('0');
    }
}

/// Room on the stack for the longest number in scientific notation.
#[derive(Default)]
struct Digits {
    bytes: [u8; 32],
    length: usize,
}

impl Digits {
    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl std::fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let room = self
            .bytes
            .get_mut(self.length..end)
            .ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
