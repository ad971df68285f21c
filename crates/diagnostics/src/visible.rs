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

/// The same, but line ends and tabs stay. Within JSON, the text means the same as before:
/// these characters occur in strings only, and the escapes are those of JSON.
///
/// ```
/// use spirvkit_diagnostics::visible_lines;
///
/// assert_eq!(visible_lines("\ta\u{9b}\r\n\rb\n"), "\ta\\u009b\r\n\\u000db\n");
/// ```
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return escape(text, |c| is_disruptive(c) && !matches!(c, '\n' | '\t'));
    }
    // A carriage return before a line feed is an end of line like any other.
    let lines = text.split_inclusive('\n').map(|line| {
        let content = line
            .strip_suffix("\r\n")
            .or_else(|| line.strip_suffix('\n'))
            .unwrap_or(line);
        let end = &line[content.len()..];
        escape(content, |c| is_disruptive(c) && c != '\t') + end
    });
    Cow::Owned(lines.collect())
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
