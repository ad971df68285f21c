//! A pass that instruments a shader: before each store, a counter in a storage buffer goes up
//! by one, so that a program can read how many stores there were.
//!
//! ```text
//! cargo run -p spirvkit --example count_stores -- IN.spv OUT.spv
//! ```

use std::error::Error;

use spirvkit::binary::Id;
use spirvkit::grammar::{Decoration, MemorySemantics, Op, Scope, StorageClass};
use spirvkit::ir::builder::{BuildError, Builder};
use spirvkit::ir::{Inst, Module, Place};
use spirvkit::{Endianness, Errors, ValidateOptions};

/// Where the counter is bound.
const SET: u32 = 7;
const BINDING: u32 = 0;

/// Counts all stores of a module; returns at how many places.
pub fn count_stores(module: &mut Module) -> Result<usize, Errors<BuildError>> {
    let is_store = |inst: &Inst| module.op(*inst) == Op::Store;
    let stores: Vec<Inst> = module.instructions().filter(is_store).collect();
    if stores.is_empty() {
        return Ok(0);
    }
    module.edit(|b| {
        let uint = b.type_int(32, 0);
        let counter = counter(b, uint);
        let pointer = b.type_pointer(StorageClass::StorageBuffer, uint);
        let (zero, one) = (b.constant_u32(0), b.constant_u32(1));
        let device = b.constant_u32(Scope::Device.0);
        let relaxed = b.constant_u32(MemorySemantics::Relaxed.0);
        for &store in &stores {
            b.insert_at(Place::Before(store));
            let count = b.access_chain(pointer, counter, &[zero]);
            b.atomic_i_add(uint, count, device, relaxed, one);
        }
        stores.len()
    })
}

/// A new buffer `{ uint count; }`, which every entry point may use.
fn counter(b: &mut Builder, uint: Id) -> Id {
    let block = b.type_struct(&[uint]);
    b.decorate(block, Decoration::Block, &[]);
    b.member_decorate(block, 0, Decoration::Offset, &[0]);
    let counter = b.global(StorageClass::StorageBuffer, block);
    b.decorate(counter, Decoration::DescriptorSet, &[SET]);
    b.decorate(counter, Decoration::Binding, &[BINDING]);
    b.name(counter, "store_counter");
    // From version 1.4 on, interfaces list buffers, too.
    b.add_to_interfaces(counter);
    counter
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, input, output] = arguments.as_slice() else {
        return Err("usage: count_stores IN.spv OUT.spv".into());
    };
    let mut module = Module::from_words(spirvkit::words(&std::fs::read(input)?)?)?;
    let count = count_stores(&mut module)?;
    println!("{count} stores are counted");
    let words = module.store();
    let options = ValidateOptions::for_env("vulkan1.3".parse()?);
    spirvkit::validate(&words, &options).into_result()?;
    let file = spirvkit::bytes_from_words(&words, Endianness::Little);
    Ok(std::fs::write(output, file)?)
}
