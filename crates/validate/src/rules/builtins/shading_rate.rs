//! The values that shaders write to `PrimitiveShadingRateKHR`, as far as they are constants.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Op};

use super::Seed;
use crate::finding::{CheckResult, Finding, Reporter};
use crate::module::{Inst, Lookup, Module, Type};
use crate::rules::generated::builtin;

/// Bits of which a rate has at most one, and all that it may have.
const VERTICAL: u64 = 0b0011;
const HORIZONTAL: u64 = 0b1100;

pub(super) fn check(m: &Module<'_>, seeds: &[Seed], reporter: &mut Reporter) {
    let rates = seeds
        .iter()
        .filter(|seed| seed.built_in == BuiltIn::PrimitiveShadingRateKHR);
    let variables: HashSet<Id> = rates
        .filter(|seed| seed.member.is_none())
        .map(|seed| seed.target)
        .collect();
    for &variable in &variables {
        let stores = m.uses(variable).iter().filter_map(|&offset| m.inst(offset));
        let stores = stores.filter(|inst| inst.op() == Op::Store && inst.id(0) == variable);
        let mut wrong = stores.filter_map(|store| check_store(m, store).err());
        if let Some(finding) = wrong.next() {
            reporter.add(finding);
        }
    }
}

fn check_store(m: &Module<'_>, store: Inst<'_>) -> CheckResult {
    let value = store.id(1);
    let is_int = matches!(m.ty_of(value), Type::Int { .. });
    let Some(rate) = m.constant_u64(value).filter(|_| is_int) else {
        return Ok(());
    };
    let (which, what) = match rate {
        _ if rate & VERTICAL == VERTICAL => (0, "both `Vertical2Pixels` and `Vertical4Pixels`"),
        _ if rate & HORIZONTAL == HORIZONTAL => {
            (1, "both `Horizontal2Pixels` and `Horizontal4Pixels`")
        }
        _ if rate & !(VERTICAL | HORIZONTAL) != 0 => (2, "bits that stand for nothing"),
        _ => return Ok(()),
    };
    let rule = &builtin::SHADING_RATE;
    let message = format!("a shading rate can't have {what}, but this one is {rate}");
    let finding = Finding::new(rule, store.offset(), message).vuid(rule.vuids[which]);
    let finding = finding.operand(m, value).warning();
    Err(finding.about(m, value, "the rate is defined here"))
}
