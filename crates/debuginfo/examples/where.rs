//! Tells where a module's instructions come from: each line of source that has
//! instructions, with how many bytes of them and in which functions.
//!
//! ```text
//! cargo run -p spirvkit-debuginfo --example where -- MODULE.spv
//! ```

use std::error::Error;

use spirvkit_binary::{WordOffset, words_from_bytes};
use spirvkit_debuginfo::DebugInfo;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: where MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let info = DebugInfo::read(&words)?;
    for (id, file) in info.files() {
        let text = info.text_of(id).unwrap_or_default();
        for line in info.lines_of(id).filter(|&line| line > 0) {
            let ranges: Vec<_> = info.instructions_of(id, line).collect();
            let bytes: usize = ranges.iter().map(|range| range.len() * 4).sum();
            let first = ranges.first().map_or(0, |range| range.start);
            let scope = info.scope(WordOffset(first));
            let function = scope.and_then(|scope| scope.scope.function()?.name());
            let source = text.lines().nth(line as usize - 1).unwrap_or_default();
            let (name, function) = (file.name(), function.unwrap_or_default());
            println!(
                "{name}:{line}: {bytes} bytes in {function}: {}",
                source.trim()
            );
        }
    }
    Ok(())
}
