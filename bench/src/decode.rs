//! Decoding a module to its last operand.

use spirvkit::binary::{Definitions, Error, Module, Value};

/// Decodes every operand of a module and adds up what they hold, so that none of
/// the work can be left out.
///
/// # Errors
///
/// If the module can't be decoded.
pub fn sum_of_operands(words: &[u32]) -> Result<u64, Error> {
    let module = Module::new(words)?;
    let mut definitions = Definitions::for_module(&module);
    let mut sum = 0u64;
    for instruction in module.instructions() {
        let instruction = instruction?;
        for operand in instruction.operands(&definitions) {
            sum = sum.wrapping_add(number_of(operand?.value));
        }
        definitions.define(&instruction);
    }
    Ok(sum)
}

fn number_of(value: Value<'_>) -> u64 {
    match value {
        Value::Id(id) => id.0.into(),
        Value::Integer(number) | Value::Float(number) | Value::Opaque(number) => number.into(),
        Value::Number { bits, .. } => bits,
        Value::String(string) => string.words().len() as u64,
        Value::Enumerant { value, .. } => value.into(),
        Value::Mask(bits) => bits.into(),
        Value::ExtInst { number, .. } => number.into(),
        Value::SpecConstantOp(op) => op.0.into(),
        _ => 0,
    }
}
