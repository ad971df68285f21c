//! Merge instructions by themselves.

use spirvkit_diagnostics::ErrorClass::{InvalidCfg, InvalidData, InvalidId};
use spirvkit_grammar::{LoopControl, Op};

use super::branches::check_label;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::flow::{Flow, Merge};
use crate::inst_ctx::InstCtx;
use crate::rule::{Example, Frame, Rule};

pub(super) static PLACE: Rule = Rule {
    id: "merge.place",
    class: InvalidData,
    section: "3.32.17",
    vuids: &[],
    text: "A merge instruction is the second-to-last instruction of its block: `OpSelectionMerge` before \
           `OpBranchConditional` or `OpSwitch`, `OpLoopMerge` before `OpBranch` or `OpBranchConditional`.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpSelectionMerge %merge None
OpBranch %merge
%merge = OpLabel
OpReturn",
        keeps: "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn",
    },
};

pub(super) static SAME_LABEL: Rule = Rule {
    id: "merge.same-label",
    class: InvalidId,
    section: "2.11",
    vuids: &[],
    text: "The merge block and the continue target of a loop are different blocks.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %next None
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop None
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
    },
};

pub(super) static OWN_BLOCK: Rule = Rule {
    id: "merge.own-block",
    class: InvalidId,
    section: "2.11",
    vuids: &[],
    text: "The block that declares a loop is not the loop's merge block.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %loop %next None
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop None
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
    },
};

pub(super) static LOOP_CONTROL: Rule = Rule {
    id: "merge.loop-control",
    class: InvalidData,
    section: "3.23",
    vuids: &[],
    text: "`DontUnroll` is not combined with `Unroll`, `PeelCount` or `PartialCount`, all of which ask for unrolling.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop Unroll|DontUnroll
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop DontUnroll
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
    },
};

pub(super) static ITERATION_MULTIPLE: Rule = Rule {
    id: "merge.iteration-multiple",
    class: InvalidData,
    section: "3.23",
    vuids: &[],
    text: "The operand of the loop control `IterationMultiple` is greater than 0.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop IterationMultiple 0
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
        keeps: "OpBranch %loop
%loop = OpLabel
OpLoopMerge %next %loop IterationMultiple 4
OpBranchConditional %true %next %loop
%next = OpLabel
OpReturn",
    },
};

pub(super) static TWICE: Rule = Rule {
    id: "merge.twice",
    class: InvalidCfg,
    section: "2.11",
    vuids: &[],
    text: "A block is the merge block of one header only. Where two constructs end together, an empty block between \
           their ends keeps them apart.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
OpSelectionMerge %merge None
OpBranchConditional %true %inner %merge
%inner = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn",
        keeps: "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %inner %end
%inner = OpLabel
OpBranch %end
%end = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn",
    },
};

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

fn check_place(at: &InstCtx<'_, '_>) -> CheckResult {
    let next = at.inst.offset() + at.inst.words().len() as u32;
    let next = at.m.inst(next);
    let (fits, wanted) = match at.inst.op() {
        Op::LoopMerge => (
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
    Err(at.finding(&PLACE, message))
}

fn check_labels(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let merge = at.id(0);
    if merge == at.id(1) {
        let message = format!(
            "{} can't be both the merge block and the continue target of a loop",
            m.name(merge)
        );
        return Err(at.finding(&SAME_LABEL, message));
    }
    if at.block.is_some() && m.block_of(merge) == at.block {
        let message = format!(
            "{} declares a loop, so it can't also be the loop's merge block",
            m.name(merge)
        );
        return Err(at.finding(&OWN_BLOCK, message));
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
        let message = format!("{name} and DontUnroll contradict each other");
        Err(at.finding(&LOOP_CONTROL, message))
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
            let message = "IterationMultiple must be greater than 0";
            return all([against, Err(at.finding(&ITERATION_MULTIPLE, message))]);
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
        let finding = Finding::new(&TWICE, offset, message);
        reporter.add(finding.at(*first, "the other header is here"));
    }
}
