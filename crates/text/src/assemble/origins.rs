//! The way back from words to text.

use std::collections::BTreeMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::{Location, Span};

use super::operand_spans::operand_span;

/// Where in the text each instruction of an assembled module comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// The offset of each instruction in words from the module's start, and its
    /// place in the text, sorted.
    instructions: Vec<(usize, Span)>,
    /// The number of words of the module.
    end: usize,
    names: BTreeMap<u32, String>,
}

impl Origins {
    pub(super) fn add(&mut self, offset: usize, span: Span) {
        self.instructions.push((offset, span));
    }

    pub(super) fn end(&mut self, words: usize) {
        self.end = words;
    }

    pub(super) fn name<'a>(&mut self, names: impl Iterator<Item = (u32, &'a str)>) {
        self.names = names.map(|(id, name)| (id, name.to_owned())).collect();
    }

    /// The place in the text of the instruction that a word belongs to. `offset`
    /// counts words from the module's start. `None` within the header.
    pub fn span(&self, offset: usize) -> Option<Span> {
        let index = self.index(offset)?;
        Some(self.instructions.get(index)?.1)
    }

    /// The place in `text`, the text that was assembled, of the operand that a word belongs
    /// to. `None` for the first word of an instruction.
    pub fn operand(&self, text: &str, offset: usize) -> Option<Span> {
        let index = self.index(offset)?;
        let &(start, span) = self.instructions.get(index)?;
        let end = self.instructions.get(index + 1);
        let end = end.map_or(self.end, |next| next.0);
        let instruction = text.get(span.start..span.end)?;
        let found = operand_span(instruction, end.checked_sub(start)?, offset - start)?;
        Some(Span {
            start: span.start + found.start,
            end: span.start + found.end,
        })
    }

    fn index(&self, offset: usize) -> Option<usize> {
        let next = self.instructions.partition_point(|entry| entry.0 <= offset);
        next.checked_sub(1)
    }

    /// The same for a location: words become spans of `text`, anything else stays as it is.
    /// The first word of an instruction stands for the whole instruction, others for the
    /// operands that they belong to.
    pub fn locate(&self, text: &str, location: Location) -> Location {
        let Location::Word(word) = location else {
            return location;
        };
        let span = self.operand(text, word).or_else(|| self.span(word));
        span.map_or(location, Location::Span)
    }

    /// The name of an id in the text, without the `%`; `None` if the name is its number.
    pub fn name_of(&self, id: Id) -> Option<&str> {
        self.names.get(&id.0).map(String::as_str)
    }

    /// The ids that have names rather than numbers in the text, with those names
    /// (without the `%`).
    pub fn names(&self) -> impl Iterator<Item = (Id, &str)> {
        self.names.iter().map(|(&id, name)| (Id(id), name.as_str()))
    }
}
