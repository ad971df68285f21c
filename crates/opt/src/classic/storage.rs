//! Storage classes of pointers.

use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{EditError, Inst, Lookup, Module};

use super::{Order, built};
use crate::pass::{Changed, Context, PassError};

/// Gives what leads on from variables pointers into the storage class that the variable is in.
pub(super) fn fix(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let variables: Vec<Inst> = module
        .instructions()
        .filter(|&inst| module.op(inst) == Op::Variable)
        .collect();
    let order = Order::of(module);
    let changed = built(module.edit(|b| fix_from(b, variables, &order)))??;
    Ok(Changed::if_any(changed))
}

fn fix_from(b: &mut Builder, variables: Vec<Inst>, order: &Order) -> Result<usize, EditError> {
    let mut count = 0;
    let mut work = Vec::new();
    for variable in variables {
        let module = b.module();
        if let (Some(class), Some(id)) = (module.operand_word(variable, 0), module.result(variable))
        {
            work.push((id, StorageClass(class)));
            count += usize::from(retype(b, variable, StorageClass(class), order)?);
        }
    }
    // What several pointers lead to is as the first of them says; in a valid module all are of one
    // class.
    let mut seen = b.module().id_table(false);
    while let Some((pointer, class)) = work.pop() {
        let module = b.module();
        let leads_on: Vec<Inst> = (module.uses(pointer))
            .filter(|found| leads(module.op(found.inst), found.word))
            .map(|found| found.inst)
            .collect();
        for inst in leads_on {
            let Some(id) = b.module().result(inst) else {
                continue;
            };
            if !std::mem::replace(seen.slot(id), true) {
                count += usize::from(retype(b, inst, class, order)?);
                work.push((id, class));
            }
        }
    }
    Ok(count)
}

/// Whether a use of a pointer gives another into the same memory.
fn leads(op: Op, word: usize) -> bool {
    match op {
        Op::CopyObject => word == 3,
        Op::Phi | Op::Select => true,
        op => op.is_access_chain() && word == 3,
    }
}

fn retype(
    b: &mut Builder,
    inst: Inst,
    class: StorageClass,
    order: &Order,
) -> Result<bool, EditError> {
    let module = b.module();
    let Some(ty) = module.result_type(inst) else {
        return Ok(false);
    };
    let Type::Pointer {
        class: own,
        pointee,
    } = module.ty(ty)
    else {
        return Ok(false);
    };
    if own == class {
        return Ok(false);
    }
    let made: Id = b.type_pointer(class, pointee);
    let module = b.module_mut();
    module.set_word(inst, 1, made.0)?;
    if module.function_of(inst).is_none() {
        order.put_behind(module, inst, made)?;
    }
    Ok(true)
}
