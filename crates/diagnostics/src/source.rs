//! Source texts and positions in them.

/// A text with its name and an index of its lines.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    name: &'a str,
    text: &'a str,
    line_starts: Vec<usize>,
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
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| at + 1))
            .collect();
        Self {
            name,
            text,
            line_starts,
        }
    }

    /// The name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The line and column of a byte; past the end, of the end.
    pub fn position(&self, byte: usize) -> Position {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start <= byte);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        Position {
            line,
            column: self.text[start..byte].chars().count() + 1,
        }
    }

    /// A line by its number from 1, without its end.
    pub fn line(&self, number: usize) -> &'a str {
        let start = self.line_starts.get(number.wrapping_sub(1)).copied();
        let Some(start) = start else { return "" };
        let rest = &self.text[start..];
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        line.strip_suffix('\r').unwrap_or(line)
    }
}
