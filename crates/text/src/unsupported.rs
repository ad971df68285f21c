//! What the assembler refuses although it could encode it, and what lenient
//! disassembly therefore writes in another way.

use spirvkit_binary::{FloatFormat, Instruction};
use spirvkit_grammar::{FPEncoding, Op};

/// Whether an instruction is a floating-point type whose encoding is not known
/// or does not go with the width: its literals would have no form.
pub(crate) fn is_bad_float_type(instruction: &Instruction<'_>) -> bool {
    match (instruction.op(), instruction.words()) {
        (Op::TypeFloat, [_, _, width, encoding]) => {
            FloatFormat::new(*width, Some(FPEncoding(*encoding))).is_none()
        }
        _ => false,
    }
}
