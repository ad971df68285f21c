//! Numbers of the assembly language, in both directions.

mod float;
mod integer;

pub(crate) use float::{parse_float, write_float};
pub(crate) use integer::{parse_integer, parse_u32, write_integer};

use std::fmt::{self, Write};

use spirvkit_binary::NumberType;

/// Why a text is not the number that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// It is not a number at all, or not of this kind.
    Malformed,
    /// It is negative, but the type is unsigned.
    Negative,
    /// The type can't hold it.
    OutOfRange,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "it is not a number of this kind",
            Self::Negative => "it is negative, but the type is unsigned",
            Self::OutOfRange => "the type can't hold it",
        })
    }
}

impl std::error::Error for NumberError {}

/// Reads a literal of the given type, as it is in assembly text, into its bits,
/// which a negative integer extends to 64.
///
/// ```
/// use spirvkit_binary::{FloatFormat, NumberType};
/// use spirvkit_text::parse_number;
///
/// let byte = NumberType::Integer { width: 8, signed: true };
/// assert_eq!(parse_number("-0x10", byte), Ok(-16_i64 as u64));
/// assert!(parse_number("200", byte).is_err());
/// let half = NumberType::Float(FloatFormat::Half);
/// assert_eq!(parse_number("1.5", half), Ok(0x3e00));
/// ```
///
/// # Errors
///
/// If the text is not such a number, or not one that the type can hold.
pub fn parse_number(text: &str, ty: NumberType) -> Result<u64, NumberError> {
    match ty {
        NumberType::Integer { width, signed } => parse_integer(text, width, signed),
        NumberType::Float(format) => parse_float(text, format),
    }
}

/// Writes a literal of the given type as it is in assembly text; bits above its
/// width are not shown.
pub fn write_number<W: Write>(out: &mut W, ty: NumberType, bits: u64) {
    match ty {
        NumberType::Integer { signed, .. } => {
            let value = if signed {
                ty.sign_extend(bits)
            } else {
                ty.extend(bits) as i64
            };
            write_integer(out, value, signed);
        }
        NumberType::Float(format) => write_float(out, format, bits),
    }
}
