//! Tells whether two modules say the same, whatever their ids.
//!
//! ```text
//! cargo run -p spirvkit-diff --example changed -- A.spv B.spv
//! ```

use std::error::Error;

use spirvkit_binary::words_from_bytes;
use spirvkit_diff::{Options, TextOptions, diff};
use spirvkit_ir::Module;

fn load(path: Option<String>) -> Result<Module, Box<dyn Error>> {
    let path = path.ok_or("usage: changed A.spv B.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    Ok(Module::from_words(words)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (a, b) = (load(paths.next())?, load(paths.next())?);
    let changes = diff(&a, &b, &Options::default());
    match changes.is_empty() {
        true => println!("nothing changed"),
        false => print!("{}", changes.to_text(&TextOptions::default())),
    }
    Ok(())
}
