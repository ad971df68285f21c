//! Counts the instructions of a module by opcode, the most frequent first:
//!
//! ```text
//! cargo run -p spirvkit-binary --example count_opcodes -- samples/saxpy.spv
//! ```

use std::collections::BTreeMap;
use std::error::Error;

use spirvkit_binary::{Module, words_from_bytes};
use spirvkit_grammar::Op;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: count_opcodes MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let module = Module::new(&words)?;

    let mut counts: BTreeMap<Op, usize> = BTreeMap::new();
    for instruction in module.instructions() {
        // A truncated module ends in an error that knows its place.
        *counts.entry(instruction?.op()).or_default() += 1;
    }

    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(op, count)| (std::cmp::Reverse(count), op));
    println!(
        "SPIR-V {}, written by {}",
        module.header().version,
        module.header().generator
    );
    for (op, count) in counts {
        println!("{count:6} {op}");
    }
    Ok(())
}
