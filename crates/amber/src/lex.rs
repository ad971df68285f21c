//! Words of both languages, line by line.

use std::borrow::Cow;

use spirvkit_diagnostics::Span;

/// A word, or what is between words and means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: TokenKind<'t>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    /// What is between blanks, or a bracket or comma alone.
    Word(&'t str),
    /// What stood in quotation marks, without them.
    String(Cow<'t, str>),
    /// The end of a line that isn't continued.
    EndOfLine,
    /// The end of the script.
    EndOfText,
}

/// Reads a text token by token. Comments from `#` to the end of the line are no
/// tokens, and neither is an end of line behind a backslash.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// The same text from another byte on.
    pub(crate) fn at(&self, at: usize) -> Self {
        Self { at, ..*self }
    }

    /// The byte that is read next.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Leaves the rest of the text out.
    pub(crate) fn skip_all(&mut self) {
        self.at = self.text.len();
    }

    pub(crate) fn next(&mut self) -> Token<'t> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let (kind, length) = match rest.as_bytes().first() {
            None => (TokenKind::EndOfText, 0),
            Some(b'\n') => (TokenKind::EndOfLine, 1),
            Some(b'"') => string(rest),
            Some(b'(' | b')' | b',') => (TokenKind::Word(&rest[..1]), 1),
            Some(_) => {
                let length = rest.find(ends_word).unwrap_or(rest.len()).max(1);
                (TokenKind::Word(&rest[..length]), length)
            }
        };
        self.at += length;
        Token {
            kind,
            span: Span {
                start,
                end: self.at,
            },
        }
    }

    /// The text up to the end of the line, which is skipped.
    pub(crate) fn rest_of_line(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.text.len());
        &rest[..length]
    }

    /// The text up to the first occurrence of a word, even within another one. What is
    /// read next is the word itself; if there is none, the end of the text.
    pub(crate) fn text_until(&mut self, word: &str) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let length = rest.find(word);
        self.at += length.unwrap_or(rest.len());
        Some(&rest[..length?])
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = &rest[blanks..];
            self.at += blanks;
            if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(length) = continuation(rest) {
                self.at += length;
            } else {
                return;
            }
        }
    }
}

/// What separates words within a line. A byte order mark may start the text.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{feff}')
}

fn ends_word(c: char) -> bool {
    is_blank(c) || matches!(c, '\n' | '#' | '(' | ')' | ',' | '"')
}

/// The length of a backslash with the end of its line.
fn continuation(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('\\')?.trim_start_matches(is_blank);
    let next = behind.strip_prefix('\n')?;
    Some(text.len() - next.len())
}

/// A string, which ends with its line if nothing else ends it, and its length with the
/// quotation marks. A backslash in it stands for the character that follows.
fn string(text: &str) -> (TokenKind<'_>, usize) {
    let mut is_escaped = false;
    let mut has_escapes = false;
    let inner = &text[1..];
    let end = inner.find(|c| {
        let ends = c == '\n' || c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        has_escapes |= is_escaped && !ends;
        ends
    });
    let raw = &inner[..end.unwrap_or(inner.len())];
    let is_closed = inner[raw.len()..].starts_with('"');
    let value = match has_escapes {
        true => Cow::Owned(unescaped(raw)),
        false => Cow::Borrowed(raw),
    };
    let length = 1 + raw.len() + usize::from(is_closed);
    (TokenKind::String(value), length)
}

fn unescaped(text: &str) -> String {
    let mut characters = text.chars();
    let mut out = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        out.extend(if c == '\\' {
            characters.next()
        } else {
            Some(c)
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind<'_>> {
        let mut lexer = Lexer::new(text, 0);
        let mut found = Vec::new();
        loop {
            match lexer.next().kind {
                TokenKind::EndOfText => return found,
                kind => found.push(kind),
            }
        }
    }

    #[test]
    fn words_end_at_blanks_comments_and_brackets() {
        use TokenKind::{EndOfLine, Word};
        assert_eq!(
            kinds("\u{feff}a b#c\n(1,-2.5e3)\r\n"),
            [
                Word("a"),
                Word("b"),
                EndOfLine,
                Word("("),
                Word("1"),
                Word(","),
                Word("-2.5e3"),
                Word(")"),
                EndOfLine,
            ]
        );
    }

    #[test]
    fn a_backslash_continues_a_line() {
        use TokenKind::Word;
        assert_eq!(kinds("a \\ \r\n b"), [Word("a"), Word("b")]);
        assert_eq!(kinds("a \\b"), [Word("a"), Word("\\b")]);
        assert_eq!(kinds("\\"), [Word("\\")]);
    }

    #[test]
    fn strings_end_with_their_line() {
        use TokenKind::{EndOfLine, String};
        assert_eq!(kinds(r#""a b""#), [String("a b".into())]);
        assert_eq!(kinds(r#""a\"\\""#), [String(r#"a"\"#.into())]);
        assert_eq!(kinds("\"a\n"), [String("a".into()), EndOfLine]);
        assert_eq!(kinds("\"a\\"), [String("a".into())]);
    }
}
