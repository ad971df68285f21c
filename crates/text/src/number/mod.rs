//! Numbers of the assembly language, in both directions.

mod float;
mod integer;

pub(crate) use float::{parse_float, write_float};
pub(crate) use integer::{parse_integer, parse_u32, write_integer};

use std::fmt::Write;

use spirvkit_binary::NumberType;

/// Why a text is not the number that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// It is not a number at all, or not of this kind.
    Malformed,
    /// It is negative, but the type is unsigned.
    Negative,
    /// The type can't hold it.
    OutOfRange,
}

/// Reads a literal of the given type into its bits.
pub(crate) fn parse_number(text: &str, ty: NumberType) -> Result<u64, NumberError> {
    match ty {
        NumberType::Integer { width, signed } => parse_integer(text, width, signed),
        NumberType::Float(format) => parse_float(text, format),
    }
}

/// Writes a literal of the given type; bits above its width are not shown.
pub(crate) fn write_number<W: Write>(out: &mut W, ty: NumberType, bits: u64) {
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
