//! A pass that replaces every unsigned division by a power of two with a shift, and validates
//! the result: `cargo run -p spirvkit --example shift_division -- IN.spv OUT.spv`

use std::error::Error;

use spirvkit::binary::Id;
use spirvkit::grammar::Op;
use spirvkit::ir::builder::BuildError;
use spirvkit::ir::{Inst, Lookup, Module, Place};
use spirvkit::{Endianness, Errors, ValidateOptions};

/// Returns how many divisions there were.
pub fn shift_divisions(module: &mut Module) -> Result<usize, Errors<BuildError>> {
    // Nobody walks a module while it changes, so what is to change is found first.
    let found = |inst| Some((inst, division(module, inst)?));
    let divisions: Vec<_> = module.instructions().filter_map(found).collect();
    module.edit(|b| {
        for &(inst, (ty, dividend, power)) in &divisions {
            b.insert_at(Place::Before(inst));
            // The constant that the module has, or a new one.
            let amount = b.constant(ty, power.into());
            let shifted = b.shift_right_logical(ty, dividend, amount);
            b.replace_with(inst, shifted);
        }
        divisions.len()
    })
}

/// The type, the dividend and the power of a division of a scalar by a power of two.
fn division(module: &Module, inst: Inst) -> Option<(Id, Id, u32)> {
    if module.op(inst) != Op::UDiv {
        return None;
    }
    let divisor = module.constant_u64(module.operand_id(inst, 1)?)?;
    let power = divisor
        .is_power_of_two()
        .then(|| divisor.trailing_zeros())?;
    Some((
        module.result_type(inst)?,
        module.operand_id(inst, 0)?,
        power,
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, input, output] = arguments.as_slice() else {
        return Err("usage: shift_division IN.spv OUT.spv".into());
    };
    let mut module = Module::from_words(spirvkit::words(&std::fs::read(input)?)?)?;
    let count = shift_divisions(&mut module)?;
    println!("{count} divisions are shifts now");
    let words = module.store();
    let options = ValidateOptions::for_env("vulkan1.3".parse()?);
    spirvkit::validate(&words, &options).into_result()?;
    let file = spirvkit::bytes_from_words(&words, Endianness::Little);
    Ok(std::fs::write(output, file)?)
}
