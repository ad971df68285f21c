//! Draws the control flow of a module's functions for Graphviz.
//!
//! ```text
//! cargo run -p spirvkit-cfg --example to_dot -- MODULE.spv | dot -Tsvg -o flow.svg
//! ```

use std::error::Error;

use spirvkit_binary::words_from_bytes;
use spirvkit_cfg::{Program, dot};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: to_dot MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    print!("{}", dot(&Program::new(&words)?));
    Ok(())
}
