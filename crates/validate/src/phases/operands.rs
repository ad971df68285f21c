//! Every instruction against the grammar.

use spirvkit_binary::{Id, Instruction, Value, WordOffset};
use spirvkit_diagnostics::ErrorClass;

use crate::fault::{Fault, Faults};
use crate::module::{Inst, Module};
use crate::rule::{Example, Frame, Rule};

pub(super) static RULES: &[&Rule] = &[&UNDEFINED];

static UNDEFINED: Rule = Rule {
    id: "id.undefined",
    class: ErrorClass::InvalidId,
    section: "2.16.1",
    vuids: &[],
    text: "Every id that is used is the result of some instruction.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpFAdd %f32 %f32_0 %nowhere",
        keeps: "%sum = OpFAdd %f32 %f32_0 %f32_1",
    },
};

/// Decodes all instructions.
pub(super) fn check(m: &Module<'_>, faults: &mut Faults) {
    for inst in m.all_instructions() {
        check_instruction(m, inst, faults);
        if faults.is_full() {
            return;
        }
    }
}

fn check_instruction(m: &Module<'_>, inst: Inst<'_>, faults: &mut Faults) {
    let offset = WordOffset(inst.offset() as usize);
    let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
        return;
    };
    for operand in instruction.operands(&m.definitions) {
        let operand = match operand {
            Ok(operand) => operand,
            Err(error) => {
                faults.add(super::binary_fault(&error));
                return;
            }
        };
        if let Value::Id(id) = operand.value {
            check_id(m, inst, id, faults);
        }
    }
}

fn check_id(m: &Module<'_>, inst: Inst<'_>, id: Id, faults: &mut Faults) {
    if m.def_offset(id) == 0 {
        let message = format!("{} uses {id}, which nothing defines", inst.op());
        faults.add(Fault::new(&UNDEFINED, inst.offset(), message));
    }
}
