//! Tells which of the built-in profiles take a module, and what the others lack:
//! `cargo run -p spirvkit-vulkan --example profiles -- shader.spv`

use std::error::Error;

use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::words_from_bytes;
use spirvkit_vulkan::{Device, needs};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("give a module")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let module = ModuleIndex::new(&words)?;
    let needs = needs(&module);
    for (name, label) in Device::profiles() {
        let device = Device::profile(name).ok_or("there is no such profile")?;
        let lacks: Vec<_> = needs.iter().filter(|it| !it.is_met_by(&device)).collect();
        match lacks.is_empty() {
            true => println!("{label}: yes"),
            false => println!("{label}: no"),
        }
        for need in lacks {
            println!("    {} needs {}", need.what, need.wanted);
        }
    }
    Ok(())
}
