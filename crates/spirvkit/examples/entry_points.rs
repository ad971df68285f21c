//! Lists the entry points of a module, with the variables of their interfaces. The
//! module may be binary or text:
//!
//! ```text
//! cargo run -p spirvkit --example entry_points -- samples/tinted.spvasm
//! ```

use std::error::Error;

use spirvkit::binary::{Definitions, Module, Value};
use spirvkit::diagnostics::Source;
use spirvkit::grammar::Op;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: entry_points MODULE")?;
    let words = read(&path)?;
    let module = Module::new(&words)?;

    // OpEntryPoint's operands depend on no other instruction, so there is nothing
    // to define.
    let definitions = Definitions::default();
    for instruction in module.instructions() {
        let instruction = instruction?;
        if instruction.op() != Op::EntryPoint {
            continue;
        }
        for operand in instruction.operands(&definitions) {
            match operand?.value {
                Value::Enumerant {
                    info: Some(model), ..
                } => print!("{}", model.name()),
                Value::String(name) => print!(" {:?}", name.to_text_lossy()),
                Value::Id(id) => print!(" {id}"),
                other => print!(" {other:?}"),
            }
        }
        println!();
    }
    Ok(())
}

/// The words of a file, which is assembled if it is text.
fn read(path: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    if let Ok((words, _)) = spirvkit::words_from_bytes(&bytes) {
        return Ok(words);
    }
    let text = String::from_utf8(bytes).map_err(|_| "neither a module nor text")?;
    let module = spirvkit::assemble(&text, &Default::default())
        .map_err(|errors| errors.render(&Source::new(path, &text)))?;
    Ok(module.words)
}
