//! Modules as digits: what hexadecimal dumps and arrays in source code hold.
//!
//! | form | example |
//! |---|---|
//! | numbers, all with the same prefix or without ([`digits`]) | `0x07230203, 0x00010000`, `03 02 23 07`, `119734787 65536` |
//! | runs of bytes, as by `xxd -p` ([`digits`]) | `0302230700000100` |
//! | lines with offsets, as by `xxd`, `hexdump` and `od` ([`dump`]) | `00000000: 0302 2307 0000 0100  ..#.....` |
//! | arrays of a programming language ([`mod@array`]) | `const uint32_t code[] = {0x07230203, …};` |
//!
//! What a number stands for, a byte or a word, in which order and base, follows from
//! the magic number at the start (`Reading`).

mod array;
mod digits;
mod dump;
mod reading;

use spirvkit::Diagnostic;
use spirvkit::binary::MAGIC;
use spirvkit::diagnostics::{Kind, Span};
use spirvkit::text::looks_like;

use crate::report::kinds;

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

/// Reads the bytes of a module from a text, if it is digits in any form. Errors are
/// located in the text.
pub(crate) fn read(text: &str) -> Option<Result<Vec<u8>, Diagnostic>> {
    let code = text.trim_start_matches('\u{feff}').trim_ascii_start();
    // Assembly is not looked at any further.
    if code.is_empty() || code.starts_with([';', '%', '!']) || code.starts_with("Op") {
        return None;
    }
    let start = text.len() - code.len();
    let decoded = dump::read(text, start)
        .or_else(|| digits::read(text, start))
        .or_else(|| array::read(text, start))?;
    Some(decoded.and_then(Decoded::check))
}

/// What the digits of a text stand for.
struct Decoded {
    bytes: Vec<u8>,
    /// The first and the last number.
    first: Span,
    last: Span,
}

impl Decoded {
    /// The bytes, if they may be a module.
    fn check(self) -> Result<Vec<u8>, Diagnostic> {
        if !is_binary_module(&self.bytes) {
            let diagnostic = error(
                &kinds::WRONG_HEX_MAGIC,
                "these digits do not start with the SPIR-V magic number 07230203".into(),
                self.first,
            );
            return Err(match looks_like(&self.bytes) {
                Some(found) => diagnostic.with_help(found.message()),
                None => diagnostic,
            });
        }
        if !self.bytes.len().is_multiple_of(4) {
            let message = format!(
                "the text ends within a word: it has {} bytes, but a module consists of words of four bytes",
                self.bytes.len()
            );
            return Err(error(&kinds::ODD_SIZE, message, self.last));
        }
        Ok(self.bytes)
    }
}

fn error(kind: &Kind, message: String, span: Span) -> Diagnostic {
    kind.error(message).at_span(span)
}

/// Says that a character is not what a number is made of.
fn bad_digit(character: char, at: usize, base: &str) -> Diagnostic {
    let span = Span {
        start: at,
        end: at + character.len_utf8(),
    };
    let character = character.escape_debug();
    let message = format!("`{character}` is not a {base} digit");
    error(&kinds::BAD_DIGIT, message, span)
}

#[cfg(test)]
mod tests;
