//! Merge instructions by themselves.

use spirvkit_grammar::{LoopControl, Op};

use super::branches::check_label;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::flow::{Flow, Merge};
use crate::inst_ctx::InstCtx;
use crate::rules::generated::merge;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let own = all([check_place(at), check_label(at, at.id(0))]);
    match at.inst.op() {
        Op::LoopMerge => all([
            own,
            check_label(at, at.id(1)),
            check_labels(at),
            check_control(at),
        ]),
        _ => own,
    }
}

/// Checks that the instruction stands before the branch of its block.
pub(super) fn check_place(at: &InstCtx<'_, '_>) -> CheckResult {
    let next = at.inst.offset() + at.inst.words().len() as u32;
    let next = at.m.inst(next);
    let (fits, wanted) = match at.inst.op() {
        Op::LoopMerge | Op::LoopControlINTEL => (
            next.is_some_and(|next| matches!(next.op(), Op::Branch | Op::BranchConditional)),
            "OpBranch or OpBranchConditional",
        ),
        _ => (
            next.is_some_and(|next| matches!(next.op(), Op::BranchConditional | Op::Switch)),
            "OpBranchConditional or OpSwitch",
        ),
    };
    // A block without an end is reported as such.
    let is_open = next.is_some_and(|next| matches!(next.op(), Op::Label | Op::FunctionEnd));
    if fits || is_open {
        return Ok(());
    }
    let found = match next {
        Some(next) => format!("{} follows", next.op()),
        None => "nothing follows".to_owned(),
    };
    let message = format!(
        "{} must come directly before {wanted}, but {found}",
        at.inst.op()
    );
    Err(at.finding(&merge::PLACE, message))
}

fn check_labels(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let merge = at.id(0);
    if merge == at.id(1) {
        let message = format!(
            "{} can't be both the merge block and the continue target of a loop",
            m.name(merge)
        );
        return Err(at.finding(&merge::SAME_LABEL, message));
    }
    if at.block.is_some() && m.block_of(merge) == at.block {
        let message = format!(
            "{} declares a loop, so it can't also be the loop's merge block",
            m.name(merge)
        );
        return Err(at.finding(&merge::OWN_BLOCK, message));
    }
    Ok(())
}

fn check_control(at: &InstCtx<'_, '_>) -> CheckResult {
    let control = at.inst.arg(2);
    let has = |bit: LoopControl| control & bit.0 != 0;
    let against = [
        (LoopControl::Unroll, "Unroll"),
        (LoopControl::PeelCount, "PeelCount"),
        (LoopControl::PartialCount, "PartialCount"),
    ];
    let contradicts = |&(bit, _): &(LoopControl, &str)| has(LoopControl::DontUnroll) && has(bit);
    let against = all(against.into_iter().filter(contradicts).map(|(_, name)| {
        let message = format!("`{name}` and `DontUnroll` contradict each other");
        Err(at.finding(&merge::LOOP_CONTROL, message))
    }));
    if has(LoopControl::IterationMultiple) {
        // The parameters are in the order of the bits.
        let before = [
            LoopControl::DependencyLength,
            LoopControl::MinIterations,
            LoopControl::MaxIterations,
        ];
        let index = 3 + before.into_iter().filter(|&bit| has(bit)).count();
        if at.inst.optional(index) == Some(0) {
            let message = "`IterationMultiple` must be greater than 0";
            return all([
                against,
                Err(at.finding(&merge::ITERATION_MULTIPLE, message)),
            ]);
        }
    }
    against
}

/// Checks that no block is the merge block of two headers.
pub(super) fn check_unique(flow: &Flow<'_, '_>, reporter: &mut Reporter) {
    // For each block the merge instruction that declares it a merge block.
    let mut declared = Vec::new();
    for (node, Merge { offset, merge, .. }) in flow.merges() {
        declared.resize(flow.len() as usize, 0);
        let first = &mut declared[merge as usize];
        if *first == 0 {
            *first = offset;
            continue;
        }
        let message = format!(
            "{} declares the merge block {}, which another header already has",
            flow.name(node),
            flow.name(merge)
        );
        let finding = Finding::new(&merge::TWICE, offset, message);
        reporter.add(finding.at(*first, "the other header is here"));
    }
}
