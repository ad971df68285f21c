//! What functions and function types are used for.

use spirvkit_binary::{Instruction, Value, WordOffset};
use spirvkit_grammar::{Capability, Op};

use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::module::{Inst, Lookup, Module};
use crate::rules::generated::function;

fn takes_functions(op: Op) -> bool {
    matches!(
        op,
        Op::FunctionCall
            | Op::EntryPoint
            | Op::ConditionalEntryPointINTEL
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::Name
            | Op::Decorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::GroupDecorate
            | Op::EnqueueKernel
            | Op::GetKernelNDrangeSubGroupCount
            | Op::GetKernelNDrangeMaxSubGroupSize
            | Op::GetKernelWorkGroupSize
            | Op::GetKernelPreferredWorkGroupSizeMultiple
            | Op::GetKernelLocalSizeForSubgroupCount
            | Op::GetKernelMaxNumSubgroups
            | Op::CooperativeMatrixPerElementOpEXT
            | Op::CooperativeMatrixReduceEXT
            | Op::CooperativeMatrixLoadTensorNV
            | Op::ConstantFunctionPointerINTEL
            | Op::TaskSequenceCreateALTERA
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
    )
}

fn takes_function_types(op: Op) -> bool {
    matches!(
        op,
        Op::Function
            | Op::Name
            | Op::Decorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::GroupDecorate
            | Op::AsmINTEL
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
    )
}

/// Looks at the instructions that use functions and function types.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    let users = m.interesting.functions.iter();
    for inst in users.filter_map(|&offset| m.inst(offset)) {
        reporter.note(check_operands(m, inst));
        if reporter.is_full() {
            return;
        }
    }
}

fn check_operands(m: &Module<'_>, inst: Inst<'_>) -> CheckResult {
    let op = inst.op();
    if op == Op::TypePointer && m.has(Capability::FunctionPointersINTEL) {
        return Ok(());
    }
    let offset = WordOffset(inst.offset() as usize);
    let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
        return Ok(());
    };
    let operands = instruction.operands(&m.definitions).map_while(Result::ok);
    all(operands.map(|operand| {
        let Value::Id(id) = operand.value else {
            return Ok(());
        };
        let (rule, what) = match m.op_of(id) {
            _ if Some(id) == inst.result() => return Ok(()),
            Op::Function if !takes_functions(op) => (&function::USE, "the function"),
            Op::TypeFunction if !takes_function_types(op) => {
                (&function::TYPE_USE, "the function type")
            }
            _ => return Ok(()),
        };
        let message = format!("{op} can't use {what} {}", m.name(id));
        Err(Finding::new(rule, inst.offset(), message).about(m, id, "it is defined here"))
    }))
}
