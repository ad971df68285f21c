//! What the assembler refuses although it could encode it, and what lenient
//! disassembly therefore writes in another way.

use spirvkit_binary::{Definitions, Id, Instruction};
use spirvkit_grammar::Op;

/// Whether an instruction is a floating-point type whose encoding is not known
/// or does not go with the width: its literals would have no form.
pub(crate) fn is_bad_float_type(instruction: &Instruction<'_>) -> bool {
    if instruction.op() != Op::TypeFloat || instruction.words().len() != 4 {
        return false;
    }
    let mut definitions = Definitions::default();
    definitions.define(instruction);
    definitions
        .number_type(instruction.result().unwrap_or(Id(0)))
        .is_none()
}
