//! Integer literals: decimal, `0x` hexadecimal, and octal after a leading zero.

use std::fmt::Write;

use super::NumberError;

/// Splits off the sign; `true` for a minus.
pub(super) fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Splits off the `0x` or `0X` of a hexadecimal number.
pub(super) fn strip_hex_prefix(text: &str) -> Option<&str> {
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
}

/// The magnitude, and whether it was written in hexadecimal.
fn magnitude(text: &str) -> Result<(u64, bool), NumberError> {
    let (digits, radix) = match strip_hex_prefix(text) {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    // The standard parser takes a second sign; a literal has only one.
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(NumberError::Malformed);
    }
    let value = u64::from_str_radix(digits, radix).map_err(|error| match error.kind() {
        std::num::IntErrorKind::PosOverflow => NumberError::OutOfRange,
        _ => NumberError::Malformed,
    })?;
    Ok((value, radix == 16))
}

/// Reads an integer of `width` bits, 1 to 64, and returns its bits, sign
/// extended if it is signed. A hexadecimal number of a signed type stands for
/// its bit pattern: `0xffff` is -1 in 16 bits.
pub(crate) fn parse_integer(text: &str, width: u8, signed: bool) -> Result<u64, NumberError> {
    let (negative, digits) = split_sign(text);
    let (magnitude, is_hex) = magnitude(digits)?;
    let unused = 64 - u32::from(width);
    let widest = u64::MAX >> unused;
    let sign_bit = 1u64 << (width - 1);
    if negative {
        if !signed {
            return Err(NumberError::Negative);
        }
        return match magnitude <= sign_bit {
            true => Ok(magnitude.wrapping_neg()),
            false => Err(NumberError::OutOfRange),
        };
    }
    let largest = if signed && !is_hex {
        widest >> 1
    } else {
        widest
    };
    if magnitude > largest {
        return Err(NumberError::OutOfRange);
    }
    match signed {
        true => Ok(((magnitude << unused) as i64 >> unused) as u64),
        false => Ok(magnitude),
    }
}

/// Reads an unsigned 32-bit integer, as most literal operands are.
#[inline]
pub(crate) fn parse_u32(text: &str) -> Result<u32, NumberError> {
    let bytes = text.as_bytes();
    // The common case: a few decimal digits without a leading zero.
    if bytes.len() <= 9 && (bytes.len() == 1 || bytes.first() != Some(&b'0')) && !bytes.is_empty() {
        let mut value = 0;
        for &byte in bytes {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return parse_integer(text, 32, false).map(|value| value as u32);
            }
            value = value * 10 + u32::from(digit);
        }
        return Ok(value);
    }
    parse_integer(text, 32, false).map(|value| value as u32)
}

/// Writes an integer in decimal; `value` holds the bits of an unsigned one.
pub(crate) fn write_integer<W: Write>(out: &mut W, value: i64, signed: bool) {
    let mut buffer = itoa::Buffer::new();
    let _ = out.write_str(match signed {
        true => buffer.format(value),
        false => buffer.format(value as u64),
    });
}
