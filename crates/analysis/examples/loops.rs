//! Counts the blocks and loops of each function of a module.
//!
//! ```text
//! cargo run -p spirvkit-analysis --example loops -- MODULE.spv
//! ```

use std::error::Error;

use spirvkit_analysis::{LoopNest, ModuleIndex};
use spirvkit_binary::words_from_bytes;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: loops MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let index = ModuleIndex::new(&words)?;
    for (function, number) in index.functions.iter().zip(0..) {
        let Some(flow) = index.control_flow(number) else {
            continue;
        };
        let (blocks, loops) = (flow.blocks().len(), LoopNest::of(&flow).loops().len());
        println!("{}: {blocks} blocks, {loops} loops", function.id);
    }
    Ok(())
}
