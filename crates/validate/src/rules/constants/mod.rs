//! Constants (specification, section 3.32.7).

mod composites;
mod scalars;
mod spec_op;

use spirvkit_grammar::Op;

use super::Family;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::pattern::{NUMBER, Pattern};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ConstantTrue,
        Op::ConstantFalse,
        Op::SpecConstantTrue,
        Op::SpecConstantFalse,
        Op::Constant,
        Op::SpecConstant,
        Op::ConstantComposite,
        Op::SpecConstantComposite,
        Op::ConstantCompositeReplicateEXT,
        Op::SpecConstantCompositeReplicateEXT,
        Op::ConstantCompositeContinuedINTEL,
        Op::SpecConstantCompositeContinuedINTEL,
        Op::ConstantNull,
        Op::ConstantSampler,
        Op::ConstantSizeOfEXT,
        Op::ConstantDataKHR,
        Op::SpecConstantDataKHR,
        Op::ConstantStringAMDX,
        Op::SpecConstantStringAMDX,
        Op::SpecConstantOp,
        Op::SpecConstantTargetINTEL,
        Op::SpecConstantArchitectureINTEL,
        Op::SpecConstantCapabilitiesINTEL,
    ],
    check,
    check_module: None,
};

/// A number that one word holds.
const WORD: Pattern = NUMBER.widths(&[32]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let own = match at.inst.op() {
        Op::ConstantTrue
        | Op::ConstantFalse
        | Op::SpecConstantTrue
        | Op::SpecConstantFalse
        | Op::SpecConstantTargetINTEL
        | Op::SpecConstantArchitectureINTEL
        | Op::SpecConstantCapabilitiesINTEL => return scalars::boolean(at),
        // Most constants: what follows is of other widths.
        Op::Constant | Op::SpecConstant if WORD.matches(at.m, at.result_type()) => return Ok(()),
        Op::Constant | Op::SpecConstant => scalars::number(at),
        Op::ConstantComposite | Op::SpecConstantComposite => composites::composite(at),
        Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
            composites::replicate(at)
        }
        Op::ConstantNull => scalars::null(at),
        Op::ConstantSampler => return scalars::sampler(at),
        Op::ConstantSizeOfEXT => return scalars::size_of(at),
        Op::ConstantDataKHR | Op::SpecConstantDataKHR => scalars::data(at),
        Op::SpecConstantOp => spec_op::check(at),
        _ => return Ok(()),
    };
    all([own, scalars::small(at)])
}
