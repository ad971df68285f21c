//! Arithmetic instructions (specification, section 3.52.13).

use spirvkit_diagnostics::ErrorClass::InvalidData;
use spirvkit_grammar::Op;

use super::Family;
use crate::fault::Verdict;
use crate::rule::{Example, Frame, Rule};
use crate::site::Site;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::FAdd,
        Op::FSub,
        Op::FMul,
        Op::FDiv,
        Op::FRem,
        Op::FMod,
        Op::FNegate,
    ],
    check,
    check_module: None,
    rules: &[&FLOAT_RESULT, &FLOAT_OPERAND],
};

static FLOAT_RESULT: Rule = Rule {
    id: "arithmetic.float-result",
    class: InvalidData,
    section: "3.52.13",
    vuids: &[],
    text: "The result of a floating-point operation is a floating-point scalar, vector or cooperative matrix.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpFAdd %u32 %u32_0 %u32_1",
        keeps: "%sum = OpFAdd %f32 %f32_0 %f32_1",
    },
};

static FLOAT_OPERAND: Rule = Rule {
    id: "arithmetic.float-operand",
    class: InvalidData,
    section: "3.52.13",
    vuids: &[],
    text: "The operands of a floating-point operation have the type of its result.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sum = OpFAdd %f32 %f32_0 %v2f32_0",
        keeps: "%sum = OpFAdd %f32 %f32_0 %f32_1",
    },
};

fn check(at: &Site<'_, '_>) -> Verdict {
    let m = at.m;
    let result = at.result_type();
    if !m.is_float_scalar_or_vector(result) && !m.is_float_cooperative_matrix(result) {
        let message = format!(
            "{} makes a floating-point scalar or vector, but its result type is {}",
            at.inst.op(),
            m.show_type(result)
        );
        return Err(at.fault(&FLOAT_RESULT, message).about(
            m,
            result,
            "the result type is declared here",
        ));
    }
    for index in 0..at.inst.args().len() {
        if at.type_of_arg(index) != result {
            let message = format!(
                "operand {} of {} must have the result type, {}, but is {}",
                index + 1,
                at.inst.op(),
                m.show_type(result),
                m.show_value(at.id(index))
            );
            return Err(at.fault(&FLOAT_OPERAND, message).about(
                m,
                at.id(index),
                "the operand is defined here",
            ));
        }
    }
    Ok(())
}
