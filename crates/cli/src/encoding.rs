//! Text in encodings of old: bytes that are no UTF-8 do no harm in comments.

/// What stands for a byte of a comment that is no UTF-8.
const SUBSTITUTE: u8 = b'?';

/// Replaces bytes in comments of assembly text that are not UTF-8, one for one,
/// so that all places stay the same.
pub(crate) fn mend_comments(text: &mut [u8]) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at = match byte {
            b';' => {
                let end = end_of(text, at, |byte| byte == b'\n');
                mend(&mut text[at..end]);
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

fn mend(comment: &mut [u8]) {
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
    fn mends(text: &[u8], expected: &[u8]) {
        let mut mended = text.to_vec();
        mend_comments(&mut mended);
        assert_eq!(
            mended.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    #[test]
    fn bytes_in_comments_are_replaced_one_for_one() {
        mends(b"; caf\xe9\nOpNop ;\xff\xfe", b"; caf?\nOpNop ;??");
        mends(b";\xe2\x82\r\n;\xf0\x9f\x98", b";??\r\n;???");
        mends(
            b"(;\xff\n=;\xff\n%1;\xff\n\"a\";\xff",
            b"(;?\n=;?\n%1;?\n\"a\";?",
        );
    }

    #[test]
    fn what_is_utf_8_stays() {
        let text = "; é € 😀\nOpName %1 \"é\"\n";
        mends(text.as_bytes(), text.as_bytes());
        mends("; é\u{20ac}".as_bytes(), "; é\u{20ac}".as_bytes());
        mends(b"; \xc3\xa9 \xe9 \xc3\xa9", b"; \xc3\xa9 ? \xc3\xa9");
        mends(b"", b"");
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
            mends(text, text);
        }
    }

    #[test]
    fn strings_end_where_the_assembler_ends_them() {
        mends(b"\"\\\\\";\xe9", b"\"\\\\\";?");
        // No string starts within a word.
        mends(b"a\"b ;\xe9\n\"", b"a\"b ;?\n\"");
        mends(b"; \"\n;\xe9", b"; \"\n;?");
        mends(b"\"a\"\"b;\xe9", b"\"a\"\"b;\xe9");
    }
}
