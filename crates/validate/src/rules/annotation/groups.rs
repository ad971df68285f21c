//! Decoration groups.

use std::collections::BTreeSet;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::check_member;
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::Lookup;
use crate::rules::generated::annotation;

/// Checks what uses an `OpDecorationGroup`.
pub(super) fn check_uses(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(group) = at.inst.result() else {
        return Ok(());
    };
    let is_fine = |op: Op| {
        matches!(
            op,
            Op::Name
                | Op::Decorate
                | Op::DecorateId
                | Op::DecorateString
                | Op::GroupDecorate
                | Op::GroupMemberDecorate
                | Op::ExtInst
        )
    };
    let mut users = m.uses(group).iter().filter_map(|&offset| m.inst(offset));
    if let Some(user) = users.find(|user| !is_fine(user.op())) {
        let message = format!("{} uses a decoration group", user.op());
        return Err(at
            .finding(&annotation::GROUP_USE, message)
            .at(user.offset(), "it is used here"));
    }
    Ok(())
}

/// Checks that the first operand is a group.
fn check_group(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let group = at.id(0);
    if matches!(m.op_of(group), Op::DecorationGroup | Op::Nop) {
        return Ok(());
    }
    let message = format!("{} is not a decoration group", m.name(group));
    Err(at
        .finding(&annotation::GROUP, message)
        .about(m, group, "it is defined here"))
}

/// Checks an `OpGroupDecorate`.
pub(super) fn check_targets(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let group = check_group(at);
    let targets = at.inst.args().get(1..).unwrap_or_default();
    let groups = targets.iter().map(|&id| Id(id));
    let groups = groups.filter(|&id| m.op_of(id) == Op::DecorationGroup);
    let groups = all(groups.map(|target| {
        let message = format!("the target {} is itself a decoration group", m.name(target));
        let finding = at.finding(&annotation::GROUP_TARGET, message);
        Err(finding.about(m, target, "the group is declared here"))
    }));
    let mut sorted = targets.to_vec();
    sorted.sort_unstable();
    let same = sorted.chunk_by(|a, b| a == b);
    let repeated = all(same.filter(|same| same.len() > 1).map(|same| {
        let message = format!("the target {} is named twice", m.name(Id(same[0])));
        Err(at.finding(&annotation::GROUP_REPEATED, message))
    }));
    let fit = match group.is_ok() {
        true => check_fit(at, targets),
        false => Ok(()),
    };
    all([group, groups, repeated, fit])
}

/// Checks that the group's decorations may stand on the targets. Of several
/// decorations of a kind one is looked at, because the kind is what matters.
fn check_fit(at: &InstCtx<'_, '_>, targets: &[u32]) -> CheckResult {
    let m = at.m;
    let mut kinds = BTreeSet::new();
    all(m.own_decorations(at.id(0)).map(|decorated| {
        let kind = decorated.decoration;
        if !super::targets::is_bound_in_groups(kind) || !kinds.insert(kind.0) {
            return Ok(());
        }
        let targets = targets.iter().filter_map(|&target| m.def(Id(target)));
        all(targets.map(|target| super::targets::check(at, &decorated, target)))
    }))
}

/// Checks an `OpGroupMemberDecorate`.
pub(super) fn check_members(at: &InstCtx<'_, '_>) -> CheckResult {
    let pairs = at.inst.args().get(1..).unwrap_or_default();
    let pairs = pairs.chunks_exact(2);
    let members = all(pairs.map(|pair| check_member(at, Id(pair[0]), pair[1])));
    all([check_group(at), members])
}
