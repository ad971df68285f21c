//! Operands on their way from a method's parameters to words.

use spirvkit_binary::Id;

/// One parameter of a generated method.
#[derive(Clone, Copy)]
pub(super) enum Arg<'a> {
    /// An optional operand that is left out.
    Nothing,
    Word(u32),
    Words(&'a [u32]),
    /// An enumerant or mask, and its parameters.
    WithParameters(u32, &'a [u32]),
    Ids(&'a [Id]),
    Pairs(&'a [(Id, Id)]),
    Members(&'a [(Id, u32)]),
    Text(&'a str),
}

impl<'a> Arg<'a> {
    pub(super) fn optional(word: Option<u32>) -> Self {
        word.map_or(Self::Nothing, Self::Word)
    }

    pub(super) fn id(id: Option<Id>) -> Self {
        Self::optional(id.map(|id| id.0))
    }

    pub(super) fn with_parameters(operand: Option<(u32, &'a [u32])>) -> Self {
        operand.map_or(Self::Nothing, |(value, parameters)| {
            Self::WithParameters(value, parameters)
        })
    }

    /// Appends the operand's words.
    pub(super) fn append_to(self, words: &mut Vec<u32>) {
        match self {
            Self::Nothing => {}
            Self::Word(word) => words.push(word),
            Self::Words(more) => words.extend_from_slice(more),
            Self::WithParameters(value, parameters) => {
                words.push(value);
                words.extend_from_slice(parameters);
            }
            Self::Ids(ids) => words.extend(ids.iter().map(|id| id.0)),
            Self::Pairs(pairs) => words.extend(pairs.iter().flat_map(|(a, b)| [a.0, b.0])),
            Self::Members(members) => words.extend(members.iter().flat_map(|(a, b)| [a.0, *b])),
            Self::Text(text) => append_text(text, words),
        }
    }

    /// Whether it is a string with a character that would end it early.
    pub(super) fn has_nul(&self) -> bool {
        matches!(self, Self::Text(text) if text.contains('\0'))
    }
}

/// Appends a literal string (specification, section 2.2.1).
fn append_text(text: &str, words: &mut Vec<u32>) {
    let (chunks, tail) = text.as_bytes().as_chunks::<4>();
    words.extend(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)));
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    words.push(u32::from_le_bytes(last));
}
