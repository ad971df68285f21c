//! Text from outside, made fit for a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character acts upon what shows it instead of being shown: control
/// characters, separators of lines, and what overrides the direction of text.
///
/// ```
/// use spirvkit_diagnostics::is_disruptive;
///
/// assert!(is_disruptive('\u{1b}') && is_disruptive('\n') && is_disruptive('\u{202e}'));
/// assert!(!is_disruptive('é') && !is_disruptive(' '));
/// ```
pub fn is_disruptive(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text on one line, with what is [disruptive](is_disruptive) as escapes.
///
/// ```
/// use spirvkit_diagnostics::visible;
///
/// assert_eq!(visible("a\u{1b}[2J\n"), r"a\u001b[2J\u000a");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_disruptive)
}

/// The same, but line feeds and tabs stay. (A return before a line feed does not: whoever
/// copies what is shown would lose it.) Within JSON, the text means the same as before:
/// these characters occur in strings only, and the escapes are those of JSON.
///
/// ```
/// use spirvkit_diagnostics::visible_lines;
///
/// assert_eq!(visible_lines("\ta\u{9b}\n\rb\r\n"), "\ta\\u009b\n\\u000db\\u000d\n");
/// ```
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_disruptive(c) && !matches!(c, '\n' | '\t'))
}

/// The [disruptive](is_disruptive) character that an escape stands for, given the text
/// behind its backslash, and how many bytes of this text belong to it: the reverse of
/// [`visible`]. No other character is written so.
///
/// ```
/// use spirvkit_diagnostics::escaped;
///
/// assert_eq!(escaped("u001b[2J"), Some(('\u{1b}', 5)));
/// assert_eq!(escaped("u0041"), None, "an ordinary letter");
/// ```
pub fn escaped(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix('u')?.get(..4)?;
    let is_written = |c: char| c.is_ascii_digit() || matches!(c, 'a'..='f');
    if !digits.chars().all(is_written) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    is_disruptive(character).then_some((character, 5))
}

fn escape(text: &str, escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match escaped(character) {
            true => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every control character, all that overrides or isolates the direction of text, and
    /// the separators of lines and paragraphs.
    fn disruptive() -> impl Iterator<Item = char> {
        [
            '\0'..='\u{1f}',
            '\u{7f}'..='\u{9f}',
            '\u{2028}'..='\u{202e}',
            '\u{2066}'..='\u{2069}',
        ]
        .into_iter()
        .flatten()
    }

    #[test]
    fn all_that_acts_on_a_terminal_is_escaped() {
        for character in disruptive() {
            assert!(is_disruptive(character), "{character:?}");
            let shown = visible(&format!("a{character}b")).into_owned();
            assert!(shown.starts_with("a\\u") && shown.ends_with('b'), "{shown}");
            assert!(!shown.contains(is_disruptive), "{shown}");
            let lines = visible_lines(&format!("a{character}b")).into_owned();
            match character {
                '\n' | '\t' => assert_eq!(lines, format!("a{character}b")),
                _ => assert_eq!(lines, shown),
            }
            let behind = shown.strip_prefix("a\\").unwrap();
            assert_eq!(escaped(behind), Some((character, 5)), "{shown}");
        }
        // Bytes that are no UTF-8 have become replacement characters before.
        let text = String::from_utf8_lossy(b"a\x9b\xff\x1b").into_owned();
        assert_eq!(visible(&text), "a\u{fffd}\u{fffd}\\u001b");
    }

    #[test]
    fn nothing_else_is_an_escape() {
        for text in [
            "u0041", "u001", "u001B", "u+01b", "U001b", "u00é", "ud800", "", "n",
        ] {
            assert_eq!(escaped(text), None, "{text}");
        }
    }
}
