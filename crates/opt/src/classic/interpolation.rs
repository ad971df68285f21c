//! What interpolates inputs.

use spirvkit_grammar::{GlslStd450, Op};
use spirvkit_ir::Module;

use super::{glsl, in_functions};
use crate::pass::{Changed, Context, PassError};

/// Lets interpolation name the input itself instead of what was loaded from it.
pub(super) fn fix(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let found = in_functions(module, |inst| {
        matches!(
            glsl(module, inst),
            Some(
                GlslStd450::InterpolateAtCentroid
                    | GlslStd450::InterpolateAtSample
                    | GlslStd450::InterpolateAtOffset
            )
        )
    });
    let mut count = 0;
    for inst in found {
        let value = module.operand_id(inst, 2);
        let load = value.and_then(|id| module.definition(id));
        let pointer = load
            .filter(|&load| module.op(load) == Op::Load)
            .and_then(|load| module.operand_id(load, 0));
        if let Some(pointer) = pointer {
            module.set_word(inst, 5, pointer.0)?;
            count += 1;
        }
    }
    Ok(Changed::if_any(count))
}
