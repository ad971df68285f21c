//! Lists the entry points of a module, with the variables of their interfaces and the types of
//! these. The module may be binary or text:
//!
//! ```text
//! cargo run -p spirvkit --example entry_points -- samples/tinted.spvasm
//! ```

use std::error::Error;

use spirvkit::analysis::index::spelling::Speller;
use spirvkit::analysis::{Lookup, ModuleIndex};
use spirvkit::binary::Id;
use spirvkit::diagnostics::Source;
use spirvkit::text::IdNames;

/// One line for each entry point and each variable.
pub fn interfaces(words: &[u32]) -> Result<String, spirvkit::binary::Error> {
    let index = ModuleIndex::new(words)?;
    let names = IdNames::new(words);
    let name = |id: &Id| names.show(*id);
    let speller = Speller::new(&index, &name);
    let mut lines = String::new();
    for entry in &index.entry_points {
        lines += &format!("{} {:?}\n", entry.model, entry.name());
        for variable in entry.interface.iter().map(|&id| Id(id)) {
            let pointee = index.type_of(variable).and_then(|ty| index.pointee(ty));
            let ty = pointee.map(|ty| speller.spell(ty)).unwrap_or_default();
            lines += &format!("  {}: {ty}\n", names.show(variable));
        }
    }
    Ok(lines)
}

/// The words of a file, which is assembled if it is text.
fn read(path: &str) -> Result<Vec<u32>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    if let Ok(words) = spirvkit::words(&bytes) {
        return Ok(words);
    }
    let text = String::from_utf8(bytes).map_err(|_| "neither a module nor text")?;
    let module = spirvkit::assemble(&text, &Default::default())
        .map_err(|errors| errors.render(&Source::new(path, &text)))?;
    Ok(module.words)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.ok_or("usage: entry_points MODULE")?;
    print!("{}", interfaces(&read(&path)?)?);
    Ok(())
}
