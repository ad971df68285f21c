//! What only some stages can do.

use spirvkit_grammar::{Capability, Class, ExecutionModel, Op, Version};
use spirvkit_ir::{Inst, Module};

use super::interface::entry_points;
use super::{built, in_functions, of_op};
use crate::pass::{Changed, Context, PassError};
use crate::{Remark, Subject};

/// Whether an instruction needs derivatives, which a stage may not have.
fn needs_derivatives(op: Op) -> bool {
    let is_derivative = op.info().map(|info| info.class()) == Some(Class::Derivative);
    is_derivative
        || op == Op::ImageQueryLod
        || op
            .name()
            .is_some_and(|name| name.contains("Sample") && name.ends_with("ImplicitLod"))
}

/// Whether a stage has barriers before version 1.3.
fn has_barriers(model: ExecutionModel) -> bool {
    model == ExecutionModel::TessellationControl || model.has_workgroups()
}

/// Replaces what the one stage of a module can't do by zeros.
pub(super) fn replace_invalid(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let entries = entry_points(module);
    let Some(model) = entries.first().map(|entry| ExecutionModel(entry.model)) else {
        return Ok(Changed::No);
    };
    if entries.iter().any(|entry| entry.model != model.0) {
        return Ok(Changed::No);
    }
    let has_derivatives = model == ExecutionModel::Fragment
        || of_op(module, Op::Capability).into_iter().any(|inst| {
            matches!(
                module.operand_word(inst, 0).map(Capability),
                Some(
                    Capability::ComputeDerivativeGroupQuadsKHR
                        | Capability::ComputeDerivativeGroupLinearKHR
                )
            )
        });
    let has_barriers = module.header().version >= Version::V1_3 || has_barriers(model);
    let found: Vec<Inst> = in_functions(module, |inst| match module.op(inst) {
        Op::ControlBarrier => !has_barriers,
        op => !has_derivatives && needs_derivatives(op),
    });
    for &inst in &found {
        let mut remark = Remark::new(
            Subject::Other,
            true,
            format!(
                "{} can't be done in this stage, and was replaced",
                module.op(inst)
            ),
        );
        remark.id = module.result(inst);
        context.remark(remark);
    }
    built(module.edit(|b| {
        for &inst in &found {
            match b.module().result_type(inst) {
                Some(ty) => {
                    let zero = b.constant_null(ty);
                    b.replace_with(inst, zero);
                }
                None => b.erase(inst),
            }
        }
    }))?;
    Ok(Changed::if_any(found.len()))
}
