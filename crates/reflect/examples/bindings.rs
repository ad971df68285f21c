//! Lists what a shader wants bound, and which entry points use it.
//!
//! ```text
//! cargo run -p spirvkit-reflect --example bindings -- MODULE.spv
//! ```

use std::error::Error;

use spirvkit_binary::words_from_bytes;
use spirvkit_reflect::reflect;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: bindings MODULE.spv")?;
    let (words, _) = words_from_bytes(&std::fs::read(path)?)?;
    let reflection = reflect(&words)?;
    for descriptor in &reflection.descriptors {
        let users = reflection.entry_points.iter().filter(|entry| {
            let uses = entry.uses.as_ref();
            uses.is_some_and(|uses| uses.descriptors.contains(&descriptor.id))
        });
        let users: Vec<String> = users.map(|entry| entry.name.to_string()).collect();
        println!(
            "set {:?}, binding {:?}: {:?}, used by {}",
            descriptor.set,
            descriptor.binding,
            descriptor.kind,
            users.join(", ")
        );
    }
    Ok(())
}
