//! Makes a module as small as it can be without changing what it does.
//!
//! ```text
//! cargo run -p spirvkit-transform --example shrink -- IN.spv OUT.spv
//! ```

use std::error::Error;

use spirvkit_binary::{bytes_from_words, words_from_bytes};
use spirvkit_ir::Module;
use spirvkit_transform::{Prune, Strip, Trim, compact_ids, prune, strip, trim_capabilities};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: shrink IN.spv OUT.spv".into());
    };
    let (words, endianness) = words_from_bytes(&std::fs::read(input)?)?;
    let mut module = Module::from_words(words)?;
    strip(&mut module, &Strip::DEBUG);
    prune(&mut module, &Prune::default());
    trim_capabilities(&mut module, &Trim::default().base(true));
    compact_ids(&mut module)?;
    let small = module.store();
    std::fs::write(output, bytes_from_words(&small, endianness))?;
    Ok(())
}
