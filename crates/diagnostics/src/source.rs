//! Source texts and positions in them.

use std::ops::Range;

/// How many bytes of the text stand between two counts of its characters.
const STRIDE: usize = 256;

/// A text with its name and an index of its lines.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
    line_starts: Vec<usize>,
    /// How many characters start before each [`STRIDE`] bytes, so that a
    /// position in a long line costs no more than one in a short line.
    characters: Vec<usize>,
}

/// A position as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl<'a> Source<'a> {
    /// Indexes a text; `name` is how messages call it.
    pub fn new(name: &'a str, text: &'a str) -> Self {
        // Editors don't show a byte order mark, so it has no column.
        let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        let mut line_starts = vec![start];
        let mut characters = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut count = 0;
        for (number, stride) in text.as_bytes().chunks(STRIDE).enumerate() {
            characters.push(count);
            count += character_starts(stride);
            let newlines = stride
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == b'\n');
            line_starts.extend(newlines.map(|(at, _)| number * STRIDE + at + 1));
        }
        Self {
            name,
            text,
            line_starts,
            characters,
        }
    }

    /// The name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The line and column of a byte; past the end, of the end.
    pub fn position(&self, byte: usize) -> Position {
        let byte = self.boundary(byte).max(self.line_starts[0]);
        let line = self.line_starts.partition_point(|&start| start <= byte);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        Position {
            line,
            column: self.count(start..byte) + 1,
        }
    }

    /// A line by its number from 1, without its end.
    pub fn line(&self, number: usize) -> &'a str {
        &self.text[self.line_range(number)]
    }

    /// The bytes of a line, without its end.
    pub(crate) fn line_range(&self, number: usize) -> Range<usize> {
        let Some(&start) = self.line_starts.get(number.wrapping_sub(1)) else {
            return 0..0;
        };
        let end = match self.line_starts.get(number) {
            Some(next) => next - 1,
            None => self.text.len(),
        };
        let line = &self.text[start..end];
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The start of the character that a byte is part of; past the end, the
    /// end.
    pub(crate) fn boundary(&self, byte: usize) -> usize {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    }

    /// The number of characters that start in a range of the text.
    pub(crate) fn count(&self, range: Range<usize>) -> usize {
        self.before(range.end) - self.before(range.start)
    }

    /// The number of characters that start before a byte of the text.
    fn before(&self, byte: usize) -> usize {
        // The end of a text of whole strides is in none of them.
        let number = (byte / STRIDE).min(self.characters.len().saturating_sub(1));
        let counted = self.characters.get(number).copied().unwrap_or(0);
        counted + character_starts(&self.text.as_bytes()[number * STRIDE..byte])
    }
}

/// The number of bytes that start a character of UTF-8.
fn character_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}
