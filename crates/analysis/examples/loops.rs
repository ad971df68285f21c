//! Counts the blocks and loops of each function of a module.
//!
//! ```text
//! cargo run -p spirvkit-analysis --example loops -- MODULE.spv
//! ```

use std::error::Error;

use spirvkit_analysis::{LoopNest, control_flow};
use spirvkit_binary::{Definitions, Module, words_from_bytes};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: loops MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let module = Module::new(&words)?;
    let instructions = module.instructions().collect::<Result<Vec<_>, _>>()?;
    let mut definitions = Definitions::for_module(&module);
    for instruction in &instructions {
        definitions.define(instruction);
    }
    for flow in control_flow::functions(instructions.into_iter(), &definitions) {
        let nest = LoopNest::of(&flow);
        let id = flow
            .function()
            .map_or_else(String::new, |id| id.to_string());
        println!(
            "{id}: {} blocks, {} loops",
            flow.blocks().len(),
            nest.loops().len()
        );
    }
    Ok(())
}
