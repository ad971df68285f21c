//! Checks a module for Vulkan 1.3, and tells all that is wrong with it.
//!
//! ```text
//! cargo run -p spirvkit-validate --example check -- MODULE.spv
//! ```

use std::error::Error;
use std::process::ExitCode;

use spirvkit_binary::words_from_bytes;
use spirvkit_validate::{Options, validate};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: check MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let report = validate(&words, &Options::for_env("vulkan1.3".parse()?));
    for diagnostic in report.diagnostics() {
        let word = diagnostic.word_offset().unwrap_or_default();
        println!(
            "word {word}: {} ({})",
            diagnostic.message(),
            diagnostic.rule()
        );
    }
    Ok(match report.is_valid() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
