//! Modules as hexadecimal text.
//!
//! Either 32-bit words (`0x07230203, 0x00010000`) or bytes (`03 02 23 07`),
//! which the first number decides: one of more than two digits is a word.
//! White space and commas separate. Either all numbers have the same prefix,
//! `0x` or `x`, or none has one.

use std::borrow::Cow;

use spirvkit::Diagnostic;
use spirvkit::binary::MAGIC;
use spirvkit::diagnostics::{Kind, Span};

use crate::kinds;

/// Binary files are told from text by this many bytes.
const SAMPLE: usize = 256;

/// Whether the bytes are a module in binary form, to go by the first word.
pub(crate) fn is_binary_module(bytes: &[u8]) -> bool {
    bytes
        .first_chunk()
        .is_some_and(|&word| is_magic(u32::from_le_bytes(word)))
}

/// Whether a word is the magic number in either byte order.
fn is_magic(word: u32) -> bool {
    word == MAGIC || word == MAGIC.swap_bytes()
}

/// The text, if the bytes look like hexadecimal text: it's ASCII, and a
/// hexadecimal number comes first.
pub(crate) fn detect(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    if !sample.iter().all(is_text) {
        return None;
    }
    // Whatever is no text further on becomes a character that is no digit.
    let text = String::from_utf8_lossy(bytes);
    let first = Tokens { text: &text, at: 0 }.next()?;
    let (_, digits) = Prefix::split(&text[first.start..first.end]);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then_some(text)
}

/// Reads the bytes of a module. Errors are located in the text.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut style = None;
    for span in (Tokens { text, at: 0 }) {
        let (prefix, digits) = Prefix::split(&text[span.start..span.end]);
        let unit = if digits.len() > 2 {
            Unit::Word
        } else {
            Unit::Byte
        };
        let &mut (prefix_of_all, unit) = style.get_or_insert((prefix, unit));
        let value = number(digits, unit, span)?;
        if prefix != prefix_of_all {
            return Err(mixed_prefixes(prefix_of_all, span));
        }
        match unit {
            Unit::Word => bytes.extend(value.to_le_bytes()),
            Unit::Byte => bytes.push(value as u8),
        }
    }
    if !is_binary_module(&bytes) {
        let message = "the hexadecimal text does not start with the magic number 07230203";
        let start = Tokens { text, at: 0 }
            .next()
            .unwrap_or(Span { start: 0, end: 0 });
        return Err(error(&kinds::WRONG_HEX_MAGIC, message.into(), start));
    }
    Ok(bytes)
}

/// What each number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Word,
    Byte,
}

/// What stands before the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    None,
    X,
    ZeroX,
}

impl Prefix {
    fn split(token: &str) -> (Self, &str) {
        if let Some(digits) = token
            .strip_prefix("0x")
            .or_else(|| token.strip_prefix("0X"))
        {
            (Self::ZeroX, digits)
        } else if let Some(digits) = token.strip_prefix(['x', 'X']) {
            (Self::X, digits)
        } else {
            (Self::None, token)
        }
    }
}

/// The places of the numbers.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let bytes = self.text.as_bytes();
        let separates = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',' || *byte == b'\x0b';
        let start = self.at + bytes[self.at..].iter().position(|byte| !separates(byte))?;
        let length = bytes[start..].iter().position(separates);
        let end = length.map_or(bytes.len(), |length| start + length);
        self.at = end;
        Some(Span { start, end })
    }
}

fn number(digits: &str, unit: Unit, span: Span) -> Result<u32, Diagnostic> {
    if digits.is_empty() {
        return Err(error(
            &kinds::BAD_DIGIT,
            "there are no digits after the prefix".into(),
            span,
        ));
    }
    if let Some((at, digit)) = digits
        .char_indices()
        .find(|(_, digit)| !digit.is_ascii_hexdigit())
    {
        let start = span.end - digits.len() + at;
        let span = Span {
            start,
            end: start + digit.len_utf8(),
        };
        let digit = digit.escape_debug();
        return Err(error(
            &kinds::BAD_DIGIT,
            format!("`{digit}` is not a hexadecimal digit"),
            span,
        ));
    }
    let (name, most) = match unit {
        Unit::Word => ("word", 8),
        Unit::Byte => ("byte", 2),
    };
    match u32::from_str_radix(digits, 16) {
        Ok(value) if digits.len() <= most => Ok(value),
        _ => {
            let message = format!(
                "a {name} has at most {most} hexadecimal digits, not {}",
                digits.len()
            );
            Err(error(&kinds::TOO_LONG, message, span))
        }
    }
}

fn mixed_prefixes(expected: Prefix, span: Span) -> Diagnostic {
    let message = match expected {
        Prefix::None => "this number has a prefix, but those before it have none",
        Prefix::X => "the prefix `x` is missing here, but the numbers before have it",
        Prefix::ZeroX => "the prefix `0x` is missing here, but the numbers before have it",
    };
    error(&kinds::MIXED_PREFIXES, message.into(), span)
}

fn error(kind: &Kind, message: String, span: Span) -> Diagnostic {
    kind.error(message).at_span(span)
}

#[cfg(test)]
mod tests {
    use spirvkit::diagnostics::Location;

    use super::*;

    /// The five words of a header, lowest byte first.
    const HEADER: [u8; 20] = [
        3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    ];

    #[track_caller]
    fn refuses(text: &str, rule: &str, start: usize, end: usize) {
        let error = decode(text).expect_err("the text is wrong");
        assert_eq!(error.rule(), rule, "{error:?}");
        assert_eq!(
            error.location(),
            Location::Span(Span { start, end }),
            "{error:?}"
        );
    }

    #[test]
    fn words_with_and_without_prefixes() {
        for text in [
            "0x07230203, 0x00010000, 0x00000000, 0x00000001, 0x00000000",
            "0x7230203 0x10000 0x0 0x1 0x0",
            "x07230203\tx00010000,x0,x1\r\nx0\n",
            "07230203 00010000 00000000 00000001 00000000",
            "0X07230203,0x00010000,,0X0 , 0x1\n\n0x0,",
        ] {
            assert_eq!(decode(text).as_deref(), Ok(&HEADER[..]), "{text}");
        }
    }

    #[test]
    fn bytes_in_both_orders() {
        let little = "03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00 00 00 00 00";
        assert_eq!(decode(little).as_deref(), Ok(&HEADER[..]));
        let prefixed = "0x3,0x2,0x23,0x7,0x0,0x0,0x1,0x0,0,".replace(",0,", "");
        assert_eq!(decode(&prefixed).as_deref(), Ok(&HEADER[..8]));
        assert_eq!(
            decode("07 23 02 03 00").as_deref(),
            Ok(&[7, 0x23, 2, 3, 0][..])
        );
    }

    #[test]
    fn words_in_the_other_order() {
        assert_eq!(
            decode("0x03022307 0x00000100").as_deref(),
            Ok(&[7, 0x23, 2, 3, 0, 1, 0, 0][..])
        );
    }

    #[test]
    fn faults_are_located() {
        refuses("0x07230203 0x0001000g", "hex.bad-digit", 20, 21);
        refuses("0x07230203 0x", "hex.bad-digit", 11, 13);
        refuses("0x07230203 00010000", "hex.mixed-prefixes", 11, 19);
        refuses("0x07230203 x00010000", "hex.mixed-prefixes", 11, 20);
        refuses("07230203 0x00010000", "hex.mixed-prefixes", 9, 19);
        refuses("07230203 000010000", "hex.too-long", 9, 18);
        refuses("03 02 23 07 000", "hex.too-long", 12, 15);
        refuses("  0x12345678", "hex.wrong-magic", 2, 12);
        refuses("03 02", "hex.wrong-magic", 0, 2);
        refuses("0x07230203 0xé", "hex.bad-digit", 13, 15);
    }

    #[test]
    fn only_hexadecimal_text_is_detected() {
        assert!(detect(b"0x07230203 0x00010000").is_some());
        assert!(detect(b"\n03 02 23 07").is_some());
        assert!(detect(b"x07230203").is_some());
        assert!(detect(b"12345678 and more").is_some());
        assert!(detect(b"; SPIR-V\nOpCapability Shader\n").is_none());
        assert!(detect(b"").is_none());
        assert!(detect(b" \n").is_none());
        assert!(detect(b"x").is_none());
        assert!(detect(b"ab \x00\x01").is_none());
    }

    #[test]
    fn bytes_that_are_no_text_are_a_fault_where_they_are() {
        let bytes = [b"0x07230203 ".repeat(30), vec![0xff]].concat();
        let text = detect(&bytes).expect("it starts like text");
        refuses(&text, "hex.bad-digit", 330, 333);
    }

    #[test]
    fn modules_are_told_by_the_magic_number_in_either_order() {
        assert!(is_binary_module(&HEADER));
        assert!(is_binary_module(&[7, 0x23, 2, 3]));
        assert!(!is_binary_module(&[3, 2, 0x23]));
        assert!(!is_binary_module(b"0x07"));
    }
}
