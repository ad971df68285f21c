//! Storage classes of pointers.

use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::{Inst, Module};

use super::{built, shown};
use crate::pass::{Changed, Context, PassError};

/// Gives what leads on from variables pointers into the storage class that the variable is in.
pub(super) fn fix(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let variables: Vec<Inst> = module
        .instructions()
        .filter(|&inst| module.op(inst) == Op::Variable)
        .collect();
    let mut count = 0;
    let mut work = Vec::new();
    for variable in variables {
        if let (Some(class), Some(id)) = (module.operand_word(variable, 0), module.result(variable))
        {
            work.push((id, StorageClass(class)));
            count += usize::from(retype(module, variable, StorageClass(class))?);
        }
    }
    while let Some((pointer, class)) = work.pop() {
        let leads_on: Vec<Inst> = (module.uses(pointer))
            .filter(|found| leads(module.op(found.inst), found.word))
            .map(|found| found.inst)
            .collect();
        for inst in leads_on {
            let is_new = retype(module, inst, class)?;
            count += usize::from(is_new);
            // What already is so is followed, too, once: chains have one base.
            let follows = is_new || module.op(inst).is_access_chain();
            if let Some(id) = module.result(inst).filter(|_| follows) {
                work.push((id, class));
            }
        }
    }
    Ok(Changed::if_any(count))
}

/// Whether a use of a pointer gives another into the same memory.
fn leads(op: Op, word: usize) -> bool {
    match op {
        Op::CopyObject => word == 3,
        Op::Phi | Op::Select => true,
        op => op.is_access_chain() && word == 3,
    }
}

fn retype(module: &mut Module, inst: Inst, class: StorageClass) -> Result<bool, PassError> {
    let Some(ty) = module.result_type(inst) else {
        return Ok(false);
    };
    let Type::Pointer {
        class: own,
        pointee,
    } = shown(module, ty)
    else {
        return Ok(false);
    };
    if own == class {
        return Ok(false);
    }
    let count = module.inst_count();
    let made: Id = built(module.edit(|b| b.type_pointer(class, pointee)))?;
    module.set_word(inst, 1, made.0)?;
    // A type that was made comes last, behind what needs it.
    if let Some(made) = module.definition(made)
        && made.index() >= count
        && module.function_of(inst).is_none()
    {
        module.move_to(inst, spirvkit_ir::Place::After(made))?;
    }
    Ok(true)
}
