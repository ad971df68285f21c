//! The way back from words to text.

use std::collections::BTreeMap;

use spirvkit_binary::Id;
use spirvkit_diagnostics::{Location, Span};

/// What of the text each instruction of an assembled module came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// The offset of each instruction in words from the module's start, and its
    /// place in the text, sorted.
    instructions: Vec<(usize, Span)>,
    names: BTreeMap<u32, String>,
}

impl Origins {
    pub(super) fn add(&mut self, offset: usize, span: Span) {
        self.instructions.push((offset, span));
    }

    pub(super) fn name<'a>(&mut self, names: impl Iterator<Item = (u32, &'a str)>) {
        self.names = names.map(|(id, name)| (id, name.to_owned())).collect();
    }

    /// The place in the text of the instruction that a word belongs to. `offset`
    /// counts words from the module's start. `None` within the header.
    pub fn span(&self, offset: usize) -> Option<Span> {
        let next = self.instructions.partition_point(|entry| entry.0 <= offset);
        let (_, span) = self.instructions.get(next.checked_sub(1)?)?;
        Some(*span)
    }

    /// The same as a location: words in, spans out, anything else as it is.
    pub fn locate(&self, location: Location) -> Location {
        match location {
            Location::Word(word) => self.span(word).map_or(location, Location::Span),
            other => other,
        }
    }

    /// The ids that have names rather than numbers in the text, with those names
    /// (without the `%`).
    pub fn names(&self) -> impl Iterator<Item = (Id, &str)> {
        self.names.iter().map(|(&id, name)| (Id(id), name.as_str()))
    }
}
