//! Numbers as scripts write them, and the bits that they become.

use std::fmt;

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Environment, Scalar as Bits, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

use crate::types::{Scalar, ScalarKind};

/// A number as it is in a script; its type follows from where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number, decimal or hexadecimal.
    Integer {
        /// Whether a minus stands before it, even before zero.
        is_negative: bool,
        /// The number without its sign.
        magnitude: u64,
    },
    /// Any other, such as `1.5`, `1e9`, `nan` and `-inf`, and whole numbers that have
    /// more than 64 bits.
    Float(f64),
}

/// How a number goes into a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Exact,
    /// It isn't whole, and the type is one of integers.
    NotWhole,
    /// It has more bits than the type.
    TooLarge,
}

impl Number {
    /// Reads a number; `None` if the word isn't one.
    ///
    /// ```
    /// use spirvkit_amber::Number;
    ///
    /// assert_eq!(Number::parse("-0x10").unwrap().to_f64(), -16.0);
    /// assert_eq!(Number::parse(".5").unwrap().to_f64(), 0.5);
    /// assert!(Number::parse("nan").unwrap().to_f64().is_nan());
    /// assert_eq!(Number::parse("five"), None);
    /// ```
    pub fn parse(word: &str) -> Option<Self> {
        let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
        let is_negative = word.starts_with('-');
        let hexadecimal = unsigned.strip_prefix("0x");
        if let Some(digits) = hexadecimal.or_else(|| unsigned.strip_prefix("0X")) {
            let is_plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let magnitude = u64::from_str_radix(digits, 16).ok();
            return magnitude
                .filter(|_| is_plain)
                .map(|magnitude| Self::Integer {
                    is_negative,
                    magnitude,
                });
        }
        let is_plain = |c: u8| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E' | b'+' | b'-');
        let is_special = |name| unsigned.eq_ignore_ascii_case(name);
        if is_special("nan") || is_special("inf") || is_special("infinity") {
            return word.parse().ok().map(Self::Float);
        }
        // The standard parser takes other words, too.
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            || !unsigned.bytes().all(is_plain)
        {
            return None;
        }
        if let Ok(magnitude) = unsigned.parse() {
            return Some(Self::Integer {
                is_negative,
                magnitude,
            });
        }
        word.parse().ok().map(Self::Float)
    }

    /// The number as floating point, rounded to the nearest there is.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Integer {
                is_negative: true,
                magnitude,
            } => -(magnitude as f64),
            Self::Integer { magnitude, .. } => magnitude as f64,
            Self::Float(value) => value,
        }
    }

    /// The number if it is whole.
    pub fn to_integer(self) -> Option<i128> {
        match self {
            Self::Integer {
                is_negative: true,
                magnitude,
            } => Some(-i128::from(magnitude)),
            Self::Integer { magnitude, .. } => Some(magnitude.into()),
            Self::Float(_) => None,
        }
    }

    /// Its bits in a type, in the lowest bits, and whether it is the same there. An integer
    /// may be given as a number or by its bits, so a signed byte takes −128 to 255; of one
    /// that has more bits, the lowest remain.
    pub(crate) fn to_bits(self, ty: Scalar) -> (u64, Fit) {
        if ty.kind == ScalarKind::Float {
            return (float_bits(self.to_f64(), ty.bits), Fit::Exact);
        }
        let value = match self {
            Self::Float(value) => value as i128,
            Self::Integer { .. } => self.to_integer().unwrap_or(0),
        };
        let smallest = -(1_i128 << (ty.bits - 1));
        let largest = (1_i128 << ty.bits) - 1;
        let fit = match self {
            Self::Float(float) if float.fract() != 0.0 => Fit::NotWhole,
            _ if (smallest..=largest).contains(&value) => Fit::Exact,
            _ => Fit::TooLarge,
        };
        (value as u64 & (u64::MAX >> (64 - ty.bits)), fit)
    }

    /// What bits of a type stand for.
    pub(crate) fn from_bits(bits: u64, ty: Scalar) -> Self {
        let unused = 64 - u32::from(ty.bits);
        match ty.kind {
            ScalarKind::Float => Self::Float(float_value(bits, ty.bits)),
            ScalarKind::Unsigned => Self::from(i128::from(bits << unused >> unused)),
            ScalarKind::Signed => Self::from(i128::from((bits << unused) as i64 >> unused)),
        }
    }
}

impl From<i128> for Number {
    fn from(value: i128) -> Self {
        Self::Integer {
            is_negative: value < 0,
            magnitude: value.unsigned_abs() as u64,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { .. } => write!(f, "{}", self.to_integer().unwrap_or(0)),
            // With a point, so that 1.0 is none.
            Self::Float(value) => write!(f, "{value:?}"),
        }
    }
}

/// The bits of a number in 16, 32 or 64 of them, rounded to nearest even.
fn float_bits(value: f64, width: u8) -> u64 {
    match width {
        // Conversions may keep as much of its bits as they like, so none are kept.
        16 if value.is_nan() => 0x7e00,
        32 if value.is_nan() => f32::NAN.to_bits().into(),
        16 => {
            let operand = [Bits::from(value)];
            let rounded = evaluate_scalar(Op::FConvert, HALF, &operand, &Environment::default());
            rounded.map_or(0, |half| half.common().bits())
        }
        32 => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);

fn float_value(bits: u64, width: u8) -> f64 {
    match width {
        16 => Bits::new(HALF, bits).to_f64().unwrap_or(f64::NAN),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(word: &str, kind: ScalarKind, bits: u8) -> (u64, Fit) {
        let number = Number::parse(word).unwrap();
        number.to_bits(Scalar { kind, bits })
    }

    #[test]
    fn integers_are_numbers_or_bits() {
        use Fit::{Exact, NotWhole, TooLarge};
        use ScalarKind::{Signed, Unsigned};
        assert_eq!(bits("-128", Signed, 8), (0x80, Exact));
        assert_eq!(bits("0x81", Signed, 8), (0x81, Exact));
        assert_eq!(bits("257", Unsigned, 8), (1, TooLarge));
        assert_eq!(bits("-129", Signed, 8), (0x7f, TooLarge));
        assert_eq!(bits("2.0", Signed, 32), (2, Exact));
        assert_eq!(bits("1.5", Signed, 32), (1, NotWhole));
        assert_eq!(bits("nan", Signed, 32), (0, NotWhole));
        assert_eq!(bits("inf", Signed, 32).1, NotWhole);
        assert_eq!(bits("-9223372036854775808", Signed, 64), (1 << 63, Exact));
        assert_eq!(
            bits("18446744073709551615", Unsigned, 64),
            (u64::MAX, Exact)
        );
        assert_eq!(bits("18446744073709551616", Unsigned, 64), (0, TooLarge));
    }

    #[test]
    fn floats_are_rounded_once_to_every_width() {
        use ScalarKind::Float;
        assert_eq!(bits("1.5", Float, 16).0, 0x3e00);
        assert_eq!(bits("65520", Float, 16).0, 0x7c00, "an infinity");
        assert_eq!(bits("1.00048828125", Float, 16).0, 0x3c00, "to even");
        assert_eq!(bits("-0", Float, 32).0, 0x8000_0000);
        assert_eq!(bits("0.1", Float, 32).0, 0x3dcc_cccd);
        assert_eq!(bits("0.1", Float, 64).0, 0.1_f64.to_bits());
        assert_eq!(bits("-inf", Float, 16).0, 0xfc00);
        assert_eq!(bits("nan", Float, 16).0, 0x7e00);
        // Below the smallest normal number of binary16, and exact in it.
        assert_eq!(bits("5.9604644775390625e-8", Float, 16).0, 1);
    }

    #[test]
    fn words_that_are_no_numbers() {
        for word in [
            "", "-", "0x", "0x+1", "1.0f", "e5", "--1", "1_000", "infinite", "0xg",
        ] {
            assert_eq!(Number::parse(word), None, "{word}");
        }
    }
}
