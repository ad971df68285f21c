//! Optimizes a module.
//!
//! ```text
//! cargo run -p spirvkit-opt --example optimize -- IN.spv OUT.spv
//! ```

use std::error::Error;

use spirvkit_binary::{bytes_from_words, words_from_bytes};
use spirvkit_opt::{Options, optimize};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: optimize IN.spv OUT.spv".into());
    };
    let (words, endianness) = words_from_bytes(&std::fs::read(input)?)?;
    let optimized = optimize(&words, &Options::default())?.words;
    println!("{} words became {}", words.len(), optimized.len());
    std::fs::write(output, bytes_from_words(&optimized, endianness))?;
    Ok(())
}
