//! Small modules to read.

use spirvkit_binary::{Definitions, Error, Instruction, Module, Operand, Value, WordOffset};
use spirvkit_grammar::Op;

/// A header of version 1.6 with a bound of 100.
pub(crate) const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0600, 0, 100, 0];

/// An instruction's words: its first one and these operands.
pub(crate) fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let first = (operands.len() as u32 + 1) << 16 | u32::from(op.0);
    [&[first], operands].concat()
}

/// The header and the instructions.
pub(crate) fn module(instructions: &[Vec<u32>]) -> Vec<u32> {
    [HEADER.to_vec(), instructions.concat()].concat()
}

/// The words of a string literal.
pub(crate) fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
        .chunks(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

/// What the instructions define.
pub(crate) fn definitions(instructions: &[Vec<u32>]) -> Definitions {
    let mut definitions = Definitions::default();
    for words in instructions {
        definitions.define(&Instruction::from_words(words, WordOffset(5)).unwrap());
    }
    definitions
}

/// The operands of an instruction that follows others, as text: see [`show`].
pub(crate) fn decode(before: &[Vec<u32>], op: Op, operands: &[u32]) -> Result<Vec<String>, Error> {
    let words = instruction(op, operands);
    let instruction = Instruction::from_words(&words, WordOffset(5)).unwrap();
    let definitions = definitions(before);
    instruction
        .operands(&definitions)
        .map(|operand| Ok(show(&operand?)))
        .collect()
}

/// An operand's value in a form that is easy to compare.
pub(crate) fn show(operand: &Operand<'_>) -> String {
    match operand.value {
        Value::Id(id) => id.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(bits) => format!("float {bits:#x}"),
        Value::Number { ty, bits } => format!("{}-bit {bits:#x}", ty.width()),
        Value::String(string) => format!("{:?}", string.to_text_lossy()),
        Value::Enumerant { value, info } => match info {
            Some(info) => info.name().to_owned(),
            None => format!("unknown {value}"),
        },
        Value::Mask(bits) => format!("mask {bits:#x}"),
        Value::ExtInst { number, info, .. } => match info {
            Some(info) => info.name().to_owned(),
            None => format!("ext inst {number}"),
        },
        Value::SpecConstantOp(op) => op.to_string(),
        Value::Opaque(word) => format!("opaque {word}"),
        other => format!("{other:?}"),
    }
}

/// The first error in a module's instructions or their operands.
pub(crate) fn first_error(words: &[u32]) -> Option<Error> {
    let module = match Module::new(words) {
        Ok(module) => module,
        Err(error) => return Some(error),
    };
    let mut definitions = Definitions::for_module(&module);
    for instruction in module.instructions() {
        let instruction = match instruction {
            Ok(instruction) => instruction,
            Err(error) => return Some(error),
        };
        if let Some(error) = instruction.operands(&definitions).find_map(Result::err) {
            return Some(error);
        }
        definitions.define(&instruction);
    }
    None
}
