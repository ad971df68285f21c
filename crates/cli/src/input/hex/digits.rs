//! Lists of numbers, separated by white space and commas.

use spirvkit::Diagnostic;
use spirvkit::diagnostics::Span;

use super::reading::Reading;
use super::{Decoded, error};
use crate::report::kinds;

/// Reads a text whose first word, at `start`, is a number.
pub(super) fn read(text: &str, start: usize) -> Option<Result<Decoded, Diagnostic>> {
    let tokens = || Tokens { text, at: start };
    let numbers = || tokens().map(|span| (span, Prefix::split(&text[span.start..span.end])));
    let (first, (prefix, _)) = numbers().next()?;
    let start: Vec<&str> = numbers().take(4).map(|(_, (_, digits))| digits).collect();
    // Letters that happen to be digits may start any text.
    let found = Reading::of_magic(&start, prefix != Prefix::None);
    if found.is_none() && !start.iter().all(|digits| is_number(digits)) {
        return None;
    }
    let reading = found.unwrap_or_else(|| Reading::of_size(start[0].len()));
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut last = first;
    for (span, (found, digits)) in numbers() {
        if let Err(error) = reading.append(digits, span, &mut bytes) {
            return Some(Err(error));
        }
        if found != prefix {
            return Some(Err(mixed_prefixes(prefix, span)));
        }
        last = span;
    }
    Some(Ok(Decoded { bytes, first, last }))
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What stands before the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    None,
    X,
    ZeroX,
}

impl Prefix {
    pub(super) fn split(token: &str) -> (Self, &str) {
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
pub(super) struct Tokens<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let bytes = self.text.as_bytes();
        let separates = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'\x0b');
        let start = self.at + bytes[self.at..].iter().position(|byte| !separates(byte))?;
        let length = bytes[start..].iter().position(separates);
        let end = length.map_or(bytes.len(), |length| start + length);
        self.at = end;
        Some(Span { start, end })
    }
}

fn mixed_prefixes(expected: Prefix, span: Span) -> Diagnostic {
    let message = match expected {
        Prefix::None => "this number has a prefix, but the previous ones have none",
        Prefix::X => "the prefix `x` is missing here, but the previous numbers have it",
        Prefix::ZeroX => "the prefix `0x` is missing here, but the previous numbers have it",
    };
    error(&kinds::MIXED_PREFIXES, message.into(), span)
}
