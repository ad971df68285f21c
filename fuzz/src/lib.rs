//! Fuzz targets as plain functions.
//!
//! Each function takes any bytes and panics if the toolkit breaks a promise. The
//! targets in `fuzz_targets/` hand them what a fuzzer comes up with; the tests in
//! `tests/` hand them the repository's own samples and pseudo-random mutations
//! of those.
//!
//! [`decode`], [`assemble`], [`disassemble_then_assemble`] and
//! [`lenient_round_trip`] take their bytes as a file. Random bytes seldom get
//! past a module's header, so [`plausible_module`] and [`plausible_text`] take
//! them as a recipe for a module or a text that is nearly right, and check the
//! same promises with that.
#![deny(missing_docs)]

mod checks;
mod plausible;
mod recipe;

pub use checks::{
    assemble, assemble_text, decode, decode_words, disassemble_then_assemble,
    disassemble_words_then_assemble, lenient_round_trip, lenient_round_trip_words,
};
pub use plausible::{module_from, text_from};

/// Checks all promises about modules with the module that these bytes are a
/// recipe for.
pub fn plausible_module(bytes: &[u8]) {
    let words = module_from(bytes);
    decode_words(&words);
    disassemble_words_then_assemble(&words);
    lenient_round_trip_words(&words);
}

/// Checks all promises about texts with the text that these bytes are a recipe
/// for.
pub fn plausible_text(bytes: &[u8]) {
    assemble_text(&text_from(bytes));
}
