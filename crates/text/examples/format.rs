//! Formats assembly text: one instruction a line, in one column, with names for
//! ids. Reads a file and writes to standard output:
//!
//! ```text
//! cargo run -p spirvkit-text --example format -- samples/tinted.spvasm
//! ```
//!
//! Comments other than the header are lost, because the text goes through a
//! module and back.

use std::error::Error;

use spirvkit_diagnostics::Source;
use spirvkit_text::{AssembleOptions, DisassembleOptions, assemble, disassemble};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: format TEXT.spvasm")?;
    let text = std::fs::read_to_string(&path)?;

    let module = match assemble(&text, &AssembleOptions::default()) {
        Ok(module) => module,
        Err(errors) => {
            // All of them at once, each with its line.
            eprint!("{}", errors.render(&Source::new(&path, &text)));
            std::process::exit(1);
        }
    };

    // Lenient, so that text that assembles can always be formatted.
    let options = DisassembleOptions::default().lenient(true);
    print!("{}", disassemble(&module.words, &options)?.text);
    Ok(())
}
