//! The texts of sources, as far as places in them can be wrong: how many lines they have,
//! and how wide each is.
//!
//! A text is put together from strings, each of which can be in any number of texts, any
//! number of times. So what there is to know of a string is worked out once, and a text is
//! a list of strings.

use std::collections::BTreeMap;

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Field;

use super::index::Index;
use super::number::{SOURCE, SOURCE_CONTINUED};

/// The texts of sources.
#[derive(Default)]
pub(super) struct Texts<'m> {
    pieces: Vec<Piece<'m>>,
    texts: BTreeMap<u32, Text>,
}

/// A string as the widths of its lines: bytes, and tabs at their widest.
struct Piece<'m> {
    string: LiteralString<'m>,
    /// How wide all is before each end of a line, and all together.
    ends: Vec<u32>,
    width: u32,
}

/// A text as pieces.
#[derive(Default)]
struct Text {
    parts: Vec<Part>,
    /// What comes behind the parts, as it were.
    end: Part,
    state: State,
}

/// A piece within a text.
#[derive(Clone, Copy, Default)]
struct Part {
    piece: usize,
    /// How many lines end before it, and how wide they all are.
    lines: u64,
    width: u64,
}

/// The most columns that a tab may count as.
const TAB: u32 = 8;

impl<'m> Texts<'m> {
    /// The sources whose text the module holds; none if any isn't what was compiled,
    /// because the others may be mixed with it.
    pub(super) fn read(index: &Index<'_, 'm>) -> Self {
        let mut reader = Reader::default();
        let mut source = None;
        let entries = index.entries.iter();
        for entry in entries.filter(|entry| entry.set.is_non_semantic()) {
            match entry.number {
                SOURCE => source = entry.inst.result(),
                SOURCE_CONTINUED => {}
                _ => continue,
            }
            let literal = |id: Id| {
                let def = index.m.def(id).filter(|def| def.op() == Op::String)?;
                def.string(0)
            };
            if let (Some(source), Some(string)) = (source, index.id(entry, Field::Text)) {
                reader.add(source, string, || literal(string));
            }
        }
        reader.finish()
    }

    /// The text of a source.
    pub(super) fn get(&self, source: Id) -> Option<Lines<'_>> {
        let text = self.texts.get(&source.0)?;
        let pieces = &self.pieces;
        Some(Lines { text, pieces })
    }
}

/// The lines of a text.
pub(super) struct Lines<'t> {
    text: &'t Text,
    pieces: &'t [Piece<'t>],
}

impl Lines<'_> {
    /// How many there are; behind the last end of a line there is one more.
    pub(super) fn count(&self) -> u64 {
        self.text.end.lines + 1
    }

    /// How wide a line is, counted from 1.
    pub(super) fn width(&self, line: u64) -> Option<u64> {
        let before = match line.checked_sub(1)? {
            0 => 0,
            last => self.width_up_to(last)?,
        };
        Some(self.width_up_to(line)? - before)
    }

    /// How wide so many lines are.
    fn width_up_to(&self, lines: u64) -> Option<u64> {
        let Text { parts, end, .. } = self.text;
        if lines == self.count() {
            return Some(end.width);
        }
        let last = lines.checked_sub(1)?;
        let number = parts.partition_point(|part| part.lines <= last);
        let part = parts.get(number.checked_sub(1)?)?;
        let piece = self.pieces.get(part.piece)?;
        let end = piece.ends.get((last - part.lines) as usize)?;
        Some(part.width + u64::from(*end))
    }
}

#[derive(Default)]
struct Reader<'m> {
    texts: Texts<'m>,
    /// The pieces of strings; none of what is no string.
    numbers: BTreeMap<u32, Option<usize>>,
    /// What state each piece leads to from those in which it was met.
    ways: BTreeMap<(usize, State), State>,
}

impl<'m> Reader<'m> {
    /// Adds a string to the text of a source.
    fn add(&mut self, source: Id, string: Id, literal: impl FnOnce() -> Option<LiteralString<'m>>) {
        let pieces = &mut self.texts.pieces;
        let number = self.numbers.entry(string.0).or_insert_with(|| {
            pieces.push(Piece::new(literal()?));
            Some(pieces.len() - 1)
        });
        let Some(number) = *number else {
            return;
        };
        let piece = &pieces[number];
        let text = self.texts.texts.entry(source.0).or_default();
        text.parts.push(Part {
            piece: number,
            ..text.end
        });
        text.end.lines += piece.ends.len() as u64;
        text.end.width += u64::from(piece.width);
        let way = self.ways.entry((number, text.state));
        text.state = *way.or_insert_with(|| piece.string.bytes().fold(text.state, State::next));
    }

    fn finish(self) -> Texts<'m> {
        let mut texts = self.texts;
        if texts.texts.values().any(|text| text.state == State::Moved) {
            return Texts::default();
        }
        // Nothing is written in an empty one.
        texts.texts.retain(|_, text| text.end.width > 0);
        texts
    }
}

impl<'m> Piece<'m> {
    fn new(string: LiteralString<'m>) -> Self {
        let mut ends = Vec::new();
        let mut width = 0;
        for byte in string.bytes() {
            match byte {
                b'\n' => ends.push(width),
                b'\t' => width += TAB,
                _ => width += 1,
            }
        }
        Self {
            string,
            ends,
            width,
        }
    }
}

/// What is known of a text so far: whether a compiler counts lines and columns in this
/// very text. That ends with a directive that makes text stand elsewhere than it is
/// written, and where lines end otherwise than in every language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// There were only blanks in this line.
    #[default]
    Start,
    /// There was a `#`, and blanks.
    Hash,
    /// After that, there was so much of the name of a directive.
    Name(&'static [u8], usize),
    /// The line is no such directive.
    Other,
    /// There was a carriage return.
    Return,
    /// It is not what was compiled.
    Moved,
}

/// Directives that make text stand elsewhere, or bring in other text. Each has a letter of
/// its own at the start.
const DIRECTIVES: [&[u8]; 3] = [b"line", b"include", b"define"];

impl State {
    /// What is known after one more byte.
    fn next(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Moved, _) => Self::Moved,
            (_, b'\n') => Self::Start,
            (Self::Return, _) => Self::Moved,
            (_, b'\r') => Self::Return,
            (Self::Start | Self::Hash, _) if byte.is_ascii_whitespace() => self,
            (Self::Start, b'#') => Self::Hash,
            (Self::Hash, _) => {
                let mut names = DIRECTIVES.into_iter();
                let name = names.find(|name| name.first() == Some(&byte));
                name.map_or(Self::Other, |name| Self::Name(name, 1))
            }
            (Self::Name(name, known), _) if name.get(known) == Some(&byte) => match known + 1 {
                all if all == name.len() => Self::Moved,
                known => Self::Name(name, known),
            },
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A string as words.
    fn words(text: &str) -> Vec<u32> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(text.len() / 4 * 4 + 4, 0);
        let words = bytes.chunks_exact(4);
        let word = |word: &[u8]| u32::from_le_bytes(word.try_into().expect("four bytes"));
        words.map(word).collect()
    }

    /// Reads a source that is put together from strings.
    fn with_texts<T>(strings: &[&str], work: impl FnOnce(Option<Lines<'_>>) -> T) -> T {
        let words: Vec<Vec<u32>> = strings.iter().map(|text| words(text)).collect();
        let mut reader = Reader::default();
        for (number, words) in words.iter().enumerate() {
            let literal = LiteralString::at_start_of(words).expect("a string");
            // Equal strings are one.
            let same = strings.iter().position(|other| *other == strings[number]);
            let id = same.map_or(0, |same| same as u32 + 1);
            reader.add(Id(1), Id(id), || Some(literal));
        }
        work(reader.finish().get(Id(1)))
    }

    fn widths(strings: &[&str]) -> Vec<u64> {
        with_texts(strings, |lines| {
            let lines = lines.expect("a text");
            let widths = (1..=lines.count()).map(|line| lines.width(line).expect("a line"));
            let widths = widths.collect();
            assert_eq!(lines.width(0), None);
            assert_eq!(lines.width(lines.count() + 1), None);
            widths
        })
    }

    #[test]
    fn lines_go_from_piece_to_piece() {
        for (strings, expected) in [
            (&["ab\ncde\n"][..], &[2, 3, 0][..]),
            (&["a", "b", "c"], &[3]),
            (&["a\n", "", "b"], &[1, 1]),
            (&["\ta", "b\nc", "d\n\n", "e"], &[10, 2, 0, 1]),
            (&["x\ny", "x\ny", "x\ny"], &[1, 2, 2, 1]),
        ] {
            assert_eq!(widths(strings), expected, "{strings:?}");
        }
    }

    #[test]
    fn a_string_is_looked_at_once() {
        let words = words("  x\n#if\n");
        let literal = LiteralString::at_start_of(&words).expect("a string");
        let mut reader = Reader::default();
        for number in 0..1000 {
            reader.add(Id(number % 10), Id(100), || Some(literal));
        }
        assert_eq!(reader.texts.pieces.len(), 1);
        // Where nothing came before, and behind itself: both times at the start of a line.
        assert_eq!(reader.ways.len(), 1);
        let texts = reader.finish();
        let lines = texts.get(Id(3)).expect("a text");
        assert_eq!(
            (lines.count(), lines.width(199), lines.width(200)),
            (201, Some(3), Some(3))
        );
    }

    #[test]
    fn directives_are_found_across_pieces() {
        let is_read = |strings: &[&str]| with_texts(strings, |lines| lines.is_some());
        for moved in [
            &["a\n # line 3"][..],
            &["#", " ", "def", "ine x"],
            &["a\n", "\t#inclu", "de"],
            &["a\rb"],
            &["a\r", "b"],
            &["x", "#line", "#line"],
        ] {
            let is_one_line = moved == ["x", "#line", "#line"];
            assert_eq!(is_read(moved), is_one_line, "{moved:?}");
        }
        for plain in [
            &["#if line\n# pragma\n"][..],
            &["a # line 3"],
            &["#lin", "k"],
            &["##line"],
            &["a\r", "\nb\r"],
        ] {
            assert!(is_read(plain), "{plain:?}");
        }
        assert!(!is_read(&["\n", "\n"]), "nothing is written");
    }
}
