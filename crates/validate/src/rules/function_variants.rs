//! Variants of functions for single targets, and what only some variants need
//! (SPV_INTEL_function_variants). Copies of what variants return stand with the composites.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};

use super::Family;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Lookup};
use crate::pattern::BOOL;
use crate::rules::generated::function_variant;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ConditionalCapabilityINTEL,
        Op::ConditionalEntryPointINTEL,
        Op::ConditionalExtensionINTEL,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::ConditionalEntryPointINTEL => all([check_condition(at), check_entry_point(at)]),
        _ => check_condition(at),
    }
}

/// Checks that the condition is a boolean that specialization decides.
fn check_condition(at: &InstCtx<'_, '_>) -> CheckResult {
    check_operand(at, 0)
}

/// Checks a decoration that says on what condition something is part of the module.
pub(super) fn check_decoration(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>) -> CheckResult {
    match decorated.decoration {
        Decoration::ConditionalINTEL => check_operand(at, 2),
        _ => Ok(()),
    }
}

fn check_operand(at: &InstCtx<'_, '_>, index: usize) -> CheckResult {
    let m = at.m;
    let found = m.op_of(at.id(index));
    // That nothing defines it is reported elsewhere.
    let is_fine =
        found == Op::Nop || found.is_spec_constant() && BOOL.matches(m, at.type_of_arg(index));
    expect(is_fine, || {
        let wanted = "a boolean specialization constant";
        at.operand_finding(&function_variant::CONDITION, index, wanted)
    })
}

fn check_entry_point(at: &InstCtx<'_, '_>) -> CheckResult {
    let found = at.m.op_of(Id(at.inst.arg(2)));
    expect(matches!(found, Op::Function | Op::Nop), || {
        at.operand_finding(&function_variant::ENTRY_POINT, 2, "a function")
    })
}
