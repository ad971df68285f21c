//! Lines that start with offsets, as `xxd`, `hexdump` and `od` write them.

use spirvkit::Diagnostic;
use spirvkit::diagnostics::Span;

use super::digits::Tokens;
use super::reading::Reading;
use super::{Decoded, bad_digit, error};
use crate::report::kinds;

/// How many bytes lines that a dump leaves out may have in all. Modules hardly repeat
/// themselves, and a short text should not become a long module.
const MAX_LEFT_OUT: usize = 1 << 20;

/// The bases in which offsets are written: by default in hexadecimal, by `od` in octal.
const BASES: [u32; 3] = [16, 8, 10];

/// A line: its offset and its numbers.
struct Line {
    offset: Span,
    numbers: Vec<Span>,
}

/// Reads a text that starts with the offset 0, at `start`.
pub(super) fn read(text: &str, start: usize) -> Option<Result<Decoded, Diagnostic>> {
    let first_line = text[start..].lines().next()?;
    let (offset, rest) = split_offset(first_line);
    let is_offset = offset.len() >= 4 && offset.bytes().all(|byte| byte == b'0');
    if !is_offset || rest.trim().is_empty() {
        return None;
    }
    Some(Dump::new(text).read(start))
}

/// The digits of an offset, and what follows them.
fn split_offset(line: &str) -> (&str, &str) {
    let end = line.find(|c: char| c == ':' || c.is_ascii_whitespace());
    line.split_at(end.unwrap_or(line.len()))
}

struct Dump<'a> {
    text: &'a str,
    bytes: Vec<u8>,
    reading: Option<Reading>,
    /// The base of the offsets, once one that is not zero has shown it.
    base: Option<u32>,
    /// How many bytes the line before stands for.
    last_line: usize,
    /// Whether lines like the last one are left out here.
    left_out: bool,
    /// How many bytes were filled in for such lines.
    filled: usize,
}

impl<'a> Dump<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: Vec::with_capacity(text.len() / 3),
            reading: None,
            base: None,
            last_line: 0,
            left_out: false,
            filled: 0,
        }
    }

    fn read(mut self, start: usize) -> Result<Decoded, Diagnostic> {
        let mut ends: Option<(Span, Span)> = None;
        let mut at = start;
        for whole in self.text[start..].split_inclusive('\n') {
            let begin = at + (whole.len() - whole.trim_start().len());
            at += whole.len();
            let line = whole.trim();
            if line.is_empty() {
                continue;
            }
            if line == "*" {
                self.left_out = true;
                continue;
            }
            let line = split_line(self.text, begin, line);
            self.check_offset(line.offset)?;
            let before = self.bytes.len();
            for &span in &line.numbers {
                let reading = self.reading(&line.numbers);
                reading.append(&self.text[span.start..span.end], span, &mut self.bytes)?;
                let (first, _) = ends.unwrap_or((span, span));
                ends = Some((first, span));
            }
            self.last_line = self.bytes.len() - before;
        }
        let (first, last) =
            ends.unwrap_or((Span { start, end: start }, Span { start, end: start }));
        Ok(Decoded {
            bytes: self.bytes,
            first,
            last,
        })
    }

    /// How to read numbers, which those of the first line decide.
    fn reading(&mut self, line: &[Span]) -> Reading {
        let text = self.text;
        *self.reading.get_or_insert_with(|| {
            let first = line.iter().take(4);
            let first: Vec<&str> = first.map(|span| &text[span.start..span.end]).collect();
            Reading::of_magic(&first, false).unwrap_or(Reading::Run)
        })
    }

    /// Sees to it that as many bytes precede a line as its offset says, and fills in
    /// those that are left out.
    fn check_offset(&mut self, span: Span) -> Result<(), Diagnostic> {
        let digits = &self.text[span.start..span.end];
        if let Some((at, character)) = digits.char_indices().find(|(_, c)| !c.is_ascii_hexdigit()) {
            return Err(bad_digit(character, span.start + at, "hexadecimal"));
        }
        let value = |base: u32| usize::from_str_radix(digits, base).ok();
        if digits.bytes().any(|byte| byte != b'0') && self.base.is_none() {
            let fits = |base: &u32| value(*base) == Some(self.bytes.len());
            self.base = BASES.into_iter().find(fits);
        }
        let offset = value(self.base.unwrap_or(16));
        if std::mem::take(&mut self.left_out) {
            let missing = offset.and_then(|offset| offset.checked_sub(self.bytes.len()));
            self.fill(missing, span)?;
        }
        if offset != Some(self.bytes.len()) {
            let message = format!(
                "this line's offset doesn't match the previous line, which ends at byte {}",
                self.bytes.len()
            );
            return Err(error(&kinds::WRONG_OFFSET, message, span));
        }
        Ok(())
    }

    /// Repeats the last line for so many bytes.
    fn fill(&mut self, missing: Option<usize>, span: Span) -> Result<(), Diagnostic> {
        let line = self.bytes.len() - self.last_line..self.bytes.len();
        match missing {
            Some(missing) if missing <= MAX_LEFT_OUT - self.filled && !line.is_empty() => {
                self.filled += missing;
                let line = self.bytes[line].to_vec();
                self.bytes.extend(line.iter().cycle().take(missing));
                Ok(())
            }
            _ => {
                let message = "`*` leaves out too many lines before this one".into();
                let diagnostic = error(&kinds::WRONG_OFFSET, message, span);
                Err(diagnostic.with_help("use `hexdump -v` or `od -v`, which leave nothing out"))
            }
        }
    }
}

/// Takes a line apart, which starts at `start`.
fn split_line(text: &str, start: usize, line: &str) -> Line {
    let (offset, rest) = split_offset(line);
    let numbers_start = start + offset.len() + usize::from(rest.starts_with(':'));
    let rest = &text[numbers_start..start + line.len()];
    // The characters that the bytes stand for follow, in `hexdump` between bars.
    let indent = rest.len() - rest.trim_start().len();
    let end = match text[..numbers_start].ends_with(':') {
        true => rest[indent..].find("  ").map(|end| indent + end),
        false => rest.find(['|', '>']),
    };
    let end = numbers_start + end.unwrap_or(rest.len());
    let numbers = Tokens {
        text: &text[..end],
        at: numbers_start,
    };
    Line {
        offset: Span {
            start,
            end: start + offset.len(),
        },
        numbers: numbers.collect(),
    }
}
