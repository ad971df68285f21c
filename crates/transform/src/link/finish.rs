//! What is left to do in the linked module, where instructions see each other that did
//! not before.

use spirvkit_binary::{Budget, Id};
use spirvkit_grammar::Op;
use spirvkit_ir::{EditError, Inst, Module, Place};

use super::Options;
use super::error::{LinkError, LinkErrorKind};
use super::interfaces;

/// Does it.
pub(super) fn finish(
    mut module: Module,
    options: &Options,
    budget: &mut Budget,
) -> Result<Module, LinkError> {
    let finished = fix_conversions(&mut module).and_then(|()| {
        if options.allow_pointer_mismatch {
            cast_pointers(&mut module)?;
        }
        interfaces::complete(&mut module, budget)
    });
    match finished {
        Ok(Ok(())) => Ok(module),
        Ok(Err(error)) => {
            let message =
                format!("listing all variables of the entry points in their interfaces {error}");
            Err(LinkError::new(LinkErrorKind::TooLarge, message))
        }
        Err(error) => {
            let message = format!("the linked module can't be written: {error}");
            Err(LinkError::new(LinkErrorKind::TooLong, message))
        }
    }
}

/// `OpCopyLogical` and `OpBitcast` go from one type to another; where both have become
/// one, they are copies.
fn fix_conversions(module: &mut Module) -> Result<(), EditError> {
    let insts: Vec<Inst> = (module.instructions())
        .filter(|&inst| matches!(module.op(inst), Op::CopyLogical | Op::Bitcast))
        .collect();
    for inst in insts {
        let operands = module.get(inst).operand_words().to_vec();
        if let &[ty, _, operand] = &*operands
            && module.type_of(Id(operand)) == Some(Id(ty))
        {
            module.replace(inst, Op::CopyObject, &operands)?;
        }
    }
    Ok(())
}

/// Converts the pointers that calls hand over or get, where the function has others.
fn cast_pointers(module: &mut Module) -> Result<(), EditError> {
    let calls: Vec<Inst> = (module.instructions())
        .filter(|&inst| module.op(inst) == Op::FunctionCall)
        .collect();
    for call in calls {
        cast_arguments(module, call)?;
        cast_result(module, call)?;
    }
    Ok(())
}

fn cast_arguments(module: &mut Module, call: Inst) -> Result<(), EditError> {
    let words = module.get(call).words().to_vec();
    let [_, _, _, callee, arguments @ ..] = &*words else {
        return Ok(());
    };
    let Some(function) = module.function_by_id(Id(*callee)) else {
        return Ok(());
    };
    let parameters: Vec<Option<Id>> = (module.parameters(function))
        .map(|parameter| module.result_type(parameter))
        .collect();
    for (index, (&argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
        let found = module.type_of(Id(argument));
        let (Some(found), Some(wanted)) = (found, parameter) else {
            continue;
        };
        if found != wanted && is_pointer(module, found) && is_pointer(module, wanted) {
            let cast = module.fresh_id();
            let operands = [wanted.0, cast.0, argument];
            module.insert(Place::Before(call), Op::Bitcast, &operands)?;
            module.set_word(call, 4 + index, cast.0)?;
        }
    }
    Ok(())
}

fn cast_result(module: &mut Module, call: Inst) -> Result<(), EditError> {
    let words = module.get(call).words().to_vec();
    let &[_, ty, result, callee, ..] = &*words else {
        return Ok(());
    };
    let definition = module.definition(Id(callee));
    let Some(found) = definition.and_then(|inst| module.result_type(inst)) else {
        return Ok(());
    };
    if found == Id(ty) || !is_pointer(module, found) || !is_pointer(module, Id(ty)) {
        return Ok(());
    }
    let value = module.fresh_id();
    let mut operands = words[1..].to_vec();
    operands[0] = found.0;
    operands[1] = value.0;
    module.replace(call, Op::FunctionCall, &operands)?;
    module.insert(Place::After(call), Op::Bitcast, &[ty, result, value.0])?;
    Ok(())
}

fn is_pointer(module: &Module, ty: Id) -> bool {
    let definition = module.definition(ty);
    definition.is_some_and(|inst| module.op(inst) == Op::TypePointer)
}
