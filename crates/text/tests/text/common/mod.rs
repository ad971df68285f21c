//! What the tests of the language share.

use spirvkit_diagnostics::{Diagnostic, Location};
use spirvkit_grammar::Op;
use spirvkit_text::{AssembleOptions, DisassembleOptions, assemble, disassemble};

/// The words after the header.
pub(crate) fn body(text: &str) -> Vec<u32> {
    spirvkit_testing::words(text).split_off(5)
}

/// The errors of a text, each as its rule and the part of the text that it is
/// about.
pub(crate) fn errors(text: &str) -> Vec<(&'static str, &str)> {
    let errors = assemble(text, &AssembleOptions::default()).expect_err(text);
    errors
        .iter()
        .map(|error| (error.rule(), part(text, error)))
        .collect()
}

/// The part of a text that an error is about.
pub(crate) fn part<'t>(text: &'t str, error: &Diagnostic) -> &'t str {
    match error.location() {
        Location::Span(span) => &text[span.start..span.end],
        other => panic!("{} is at {other:?}", error.rule()),
    }
}

/// An instruction's words: its first one and these operands.
pub(crate) fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = (operands.len() as u32 + 1) << 16 | u32::from(op.0);
    [&[first], operands].concat()
}

/// The words of a string literal.
pub(crate) fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// A module of version 1.0 with a bound of 100 and these instructions.
pub(crate) fn binary(instructions: &[Vec<u32>]) -> Vec<u32> {
    [
        vec![0x0723_0203, 0x0001_0000, 0, 100, 0],
        instructions.concat(),
    ]
    .concat()
}

/// The options for the plainest text: no header, no indentation, raw ids.
pub(crate) fn raw() -> DisassembleOptions {
    DisassembleOptions::default()
        .header(false)
        .friendly_names(false)
        .indentation(spirvkit_text::Indentation::None)
}

/// The options for plain text with friendly names.
pub(crate) fn friendly() -> DisassembleOptions {
    raw().friendly_names(true)
}

/// The text of a module.
pub(crate) fn text(words: &[u32], options: &DisassembleOptions) -> String {
    disassemble(words, options)
        .expect("a module that can be read")
        .text
}

/// The errors of a module, each as its rule and word.
pub(crate) fn error_places(
    words: &[u32],
    options: &DisassembleOptions,
) -> Vec<(&'static str, usize)> {
    places(&disassemble(words, options).expect_err("a module that can't be read"))
}

/// Each diagnostic's rule and word.
pub(crate) fn places(diagnostics: &[Diagnostic]) -> Vec<(&'static str, usize)> {
    let place = |diagnostic: &Diagnostic| match diagnostic.location() {
        Location::Word(word) => (diagnostic.rule(), word),
        other => panic!("{} is at {other:?}", diagnostic.rule()),
    };
    diagnostics.iter().map(place).collect()
}
