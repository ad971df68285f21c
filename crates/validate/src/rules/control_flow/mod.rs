//! Control flow (specification, sections 2.11, 2.16.2 and 3.32.17).
//!
//! What an instruction shows by itself is checked where the other families are:
//! [`branches`], [`phi`], [`merges`], [`lifetime`], [`fragment`], [`abort`]. The rest needs
//! the function's graph, once: the blocks before a phi, [`structured`] control
//! flow with its [`switches`], and [`reconvergence`].

mod abort;
mod branches;
mod constructs;
mod fragment;
mod headers;
mod lifetime;
mod merges;
mod phi;
mod reconvergence;
mod structured;
mod switches;

use spirvkit_analysis::{DepthFirst, DominatorTree};
use spirvkit_grammar::{Capability, Op};

use super::Family;
use crate::finding::{CheckResult, Reporter};
use crate::flow::Flow;
use crate::inst_ctx::InstCtx;
use crate::module::Module;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Phi,
        Op::LoopMerge,
        Op::SelectionMerge,
        Op::Label,
        Op::Branch,
        Op::BranchConditional,
        Op::Switch,
        Op::Kill,
        Op::Return,
        Op::ReturnValue,
        Op::Unreachable,
        Op::LifetimeStart,
        Op::LifetimeStop,
        Op::TerminateInvocation,
        Op::DemoteToHelperInvocation,
        Op::IsHelperInvocationEXT,
        Op::AbortKHR,
        Op::LoopControlINTEL,
    ],
    check,
    // Whole functions are a phase of their own.
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::Phi => phi::check(at),
        Op::LoopMerge | Op::SelectionMerge => merges::check(at),
        Op::LoopControlINTEL => merges::check_place(at),
        Op::Branch | Op::BranchConditional | Op::Switch => branches::check(at),
        Op::Return | Op::ReturnValue => branches::check_return(at),
        Op::LifetimeStart | Op::LifetimeStop => lifetime::check(at),
        Op::AbortKHR => abort::check(at),
        Op::Kill
        | Op::TerminateInvocation
        | Op::DemoteToHelperInvocation
        | Op::IsHelperInvocationEXT => fragment::check(at),
        _ => Ok(()),
    }
}

/// Which of the module's functions, by index, must reconverge.
pub(crate) fn reconverging(m: &Module<'_>) -> Vec<bool> {
    reconvergence::functions(m)
}

/// The order and the dominance of a function's blocks along its structure: along its
/// branches, and from each header to what its merge instruction names.
pub(crate) struct Structure {
    pub(crate) order: DepthFirst,
    pub(crate) dominators: DominatorTree,
}

/// Checks a function. Gives whether its branches are as they should be, and its structure
/// if that was looked at.
pub(crate) fn check_function(
    flow: &Flow<'_, '_>,
    reconverges: bool,
    reporter: &mut Reporter,
) -> (bool, Option<Structure>) {
    let before = reporter.seen();
    branches::check_targets(flow, reporter);
    merges::check_unique(flow, reporter);
    phi::check_parents(flow, reporter);
    let structure = match flow.m.has(Capability::Shader) {
        true => structured::check(flow, reporter),
        false => None,
    };
    if reconverges {
        reconvergence::check(flow, reporter);
    }
    (reporter.seen() == before, structure)
}
