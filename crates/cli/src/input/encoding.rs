//! From bytes to text: UTF-8, UTF-16, and encodings of old, which do no harm in comments.

use spirvkit::Diagnostic;
use spirvkit::diagnostics::Span;

use crate::report::kinds;

/// The bytes as text; or what is wrong with them, and the text to show it in.
/// Bytes in comments that are no UTF-8 are replaced. A byte order mark before UTF-8 is
/// part of the text, so that places in it stay the file's.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, (Diagnostic, String)> {
    if let Some(order) = Utf16::of(&bytes) {
        return order.decode(&bytes);
    }
    let text = String::from_utf8(bytes).or_else(|error| {
        let mut bytes = error.into_bytes();
        fix_comments(&mut bytes);
        String::from_utf8(bytes)
    });
    text.map_err(|error| {
        if let Some(found) = spirvkit::text::looks_like(error.as_bytes()) {
            return (found, String::new());
        }
        let start = error.utf8_error().valid_up_to();
        let end = start + 1;
        let diagnostic = kinds::NOT_UTF8.error("this byte is not valid UTF-8");
        let diagnostic = diagnostic.at_span(Span { start, end });
        // The text is the same up to the place at fault.
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        (diagnostic, text)
    })
}

/// Whether bytes are text in UTF-16.
pub(crate) fn is_utf_16(bytes: &[u8]) -> bool {
    Utf16::of(bytes).is_some()
}

/// Text in UTF-16, as redirections in Windows PowerShell write it, by the order of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Utf16 {
    LittleEndian,
    BigEndian,
}

impl Utf16 {
    /// The order that a byte order mark tells, or several characters of ASCII.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => return Some(Self::LittleEndian),
            [0xfe, 0xff, ..] => return Some(Self::BigEndian),
            _ => {}
        }
        let start = bytes.first_chunk::<8>()?;
        let all = |order: Self| {
            let mut units = order.units(start);
            units.all(|unit| matches!(unit, 0x20..0x7f | 0x09 | 0x0a | 0x0d))
        };
        [Self::LittleEndian, Self::BigEndian]
            .into_iter()
            .find(|&order| all(order))
    }

    fn units(self, bytes: &[u8]) -> impl Iterator<Item = u16> {
        let (pairs, _) = bytes.as_chunks::<2>();
        pairs.iter().map(move |&pair| match self {
            Self::LittleEndian => u16::from_le_bytes(pair),
            Self::BigEndian => u16::from_be_bytes(pair),
        })
    }

    /// The text without its byte order mark.
    fn decode(self, bytes: &[u8]) -> Result<String, (Diagnostic, String)> {
        let mut text = String::with_capacity(bytes.len() / 2);
        for character in char::decode_utf16(self.units(bytes)) {
            match character {
                Ok('\u{feff}') if text.is_empty() => {}
                Ok(character) => text.push(character),
                Err(_) => {
                    let start = text.len();
                    text.push(char::REPLACEMENT_CHARACTER);
                    let end = text.len();
                    let message = "this UTF-16 text has only half of a surrogate pair here";
                    let error = kinds::NOT_UTF16.error(message);
                    return Err((error.at_span(Span { start, end }), text));
                }
            }
        }
        match text.starts_with(MAGIC_AS_TEXT) {
            true => Err((converted_module(), String::new())),
            false => Ok(text),
        }
    }
}

/// The bytes of the magic number, each taken for a character.
const MAGIC_AS_TEXT: &str = "\u{3}\u{2}#\u{7}";

fn converted_module() -> Diagnostic {
    let message = "this was a binary module before a conversion as if it were text";
    kinds::CONVERTED
        .error(message)
        .with_help("Windows PowerShell does that to what `>` writes to a file: use `-o` instead")
}

/// What stands for a byte of a comment that is no UTF-8.
const SUBSTITUTE: u8 = b'?';

/// Replaces bytes in comments of assembly text that are not UTF-8, one for one,
/// so that all places stay the same.
fn fix_comments(text: &mut [u8]) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b';' => {
                let end = end_of(text, at, |byte| byte == b'\n');
                fix(&mut text[at..end]);
                end
            }
            b'"' => end_of_string(text, at + 1),
            byte if separates(byte) => at + 1,
            // A quotation mark within a word starts no string.
            _ => end_of(text, at, |byte| byte == b';' || separates(byte)),
        };
    }
}

/// Whether a byte ends a word.
fn separates(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0b | b'(' | b')' | b',' | b'=')
}

/// The first place from `at` on where a byte ends something, or the text's end.
fn end_of(text: &[u8], at: usize, ends: impl Fn(u8) -> bool) -> usize {
    let length = text[at..].iter().position(|&byte| ends(byte));
    length.map_or(text.len(), |length| at + length)
}

/// The place behind the quotation mark that closes a string.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    text.len()
}

fn fix(comment: &mut [u8]) {
    let mut at = 0;
    while let Err(error) = str::from_utf8(&comment[at..]) {
        let start = at + error.valid_up_to();
        let rest = comment.len() - start;
        let length = error.error_len().unwrap_or(rest);
        comment[start..start + length].fill(SUBSTITUTE);
        at = start + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fixes(text: &[u8], expected: &[u8]) {
        let mut fixed = text.to_vec();
        fix_comments(&mut fixed);
        assert_eq!(
            fixed.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    #[test]
    fn bytes_in_comments_are_replaced_one_for_one() {
        fixes(b"; caf\xe9\nOpNop ;\xff\xfe", b"; caf?\nOpNop ;??");
        fixes(b";\xe2\x82\r\n;\xf0\x9f\x98", b";??\r\n;???");
        fixes(
            b"(;\xff\n=;\xff\n%1;\xff\n\"a\";\xff",
            b"(;?\n=;?\n%1;?\n\"a\";?",
        );
    }

    #[test]
    fn what_is_utf_8_stays() {
        let text = "; é € 😀\nOpName %1 \"é\"\n";
        fixes(text.as_bytes(), text.as_bytes());
        fixes("; é\u{20ac}".as_bytes(), "; é\u{20ac}".as_bytes());
        fixes(b"; \xc3\xa9 \xe9 \xc3\xa9", b"; \xc3\xa9 ? \xc3\xa9");
        fixes(b"", b"");
    }

    #[test]
    fn bytes_outside_of_comments_stay() {
        for text in [
            &b"Op\xffNop\n"[..],
            b"OpName %1 \"; \xe9\"",
            b"OpName %1 \"\\\"; \xe9\"",
            b"OpName %1 \"\n; \xe9\"",
            b"OpName %1 \"open ; \xe9",
            b"OpName %1 \"open \\",
        ] {
            fixes(text, text);
        }
    }

    #[test]
    fn strings_end_where_the_assembler_ends_them() {
        fixes(b"\"\\\\\";\xe9", b"\"\\\\\";?");
        // No string starts within a word.
        fixes(b"a\"b ;\xe9\n\"", b"a\"b ;?\n\"");
        fixes(b"; \"\n;\xe9", b"; \"\n;?");
        fixes(b"\"a\"\"b;\xe9", b"\"a\"\"b;\xe9");
    }
}
