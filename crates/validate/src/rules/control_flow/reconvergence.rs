//! `SPV_KHR_maximal_reconvergence`.

use spirvkit_grammar::{ExecutionMode, Op};

use crate::finding::{Finding, Reporter};
use crate::flow::{Flow, targets};
use crate::module::Module;
use crate::rules::generated::reconvergence;

/// For each function whether the rules are for it; nothing, if they are for none.
pub(super) fn functions(m: &Module<'_>) -> Vec<bool> {
    let mut reached = Vec::new();
    let mut waiting = Vec::new();
    for entry in &m.entry_points {
        if m.has_execution_mode(entry.function, ExecutionMode::MaximallyReconvergesKHR) {
            waiting.extend(m.function_index(entry.function));
        }
    }
    while let Some(function) = waiting.pop() {
        reached.resize(m.functions.len(), false);
        if !std::mem::replace(&mut reached[function as usize], true) {
            waiting.extend(m.called_functions(function));
        }
    }
    reached
}

/// Looks for instructions after which no invocations could reconverge.
fn check_repacking(flow: &Flow<'_, '_>, reporter: &mut Reporter) {
    let m = flow.m;
    let mut all = m.instructions(flow.function.range.clone());
    if let Some(inst) = all.find(|inst| inst.op().is_invocation_repack()) {
        let message = format!(
            "{} may move invocations to other subgroups, so in Vulkan an entry point that reaches it can't have the \
             execution mode `MaximallyReconvergesKHR`",
            inst.op()
        );
        reporter.add(Finding::new(
            &reconvergence::REPACKING,
            inst.offset(),
            message,
        ));
    }
}

/// Checks a function that is reached from an entry point with the mode.
pub(super) fn check(flow: &Flow<'_, '_>, reporter: &mut Reporter) {
    let m = flow.m;
    if m.env.is_vulkan() {
        check_repacking(flow, reporter);
    }
    let mut may_meet = vec![false; flow.len() as usize];
    for node in 0..flow.len() {
        if let Some(merge) = flow.merge(node) {
            may_meet[merge.merge as usize] = true;
            if let Some(continue_target) = merge.continue_target {
                may_meet[node as usize] = true;
                may_meet[continue_target as usize] = true;
            }
        }
        let Some(terminator) = flow.terminator(node) else {
            continue;
        };
        match terminator.op() {
            Op::Switch => {
                for target in targets(m, terminator).filter_map(|label| flow.node(label)) {
                    may_meet[target as usize] = true;
                }
            }
            Op::BranchConditional if terminator.id(1) == terminator.id(2) => {
                let message = format!(
                    "both labels of OpBranchConditional are {}, but with maximal reconvergence they must differ",
                    m.name(terminator.id(1))
                );
                let finding =
                    Finding::new(&reconvergence::SAME_TARGETS, terminator.offset(), message);
                reporter.add(finding.help("use OpBranch"));
            }
            _ => {}
        }
    }
    for node in 0..flow.len() {
        let predecessors = flow.graph.predecessors(node);
        let Some(&first) = predecessors.first() else {
            continue;
        };
        let other = predecessors.iter().find(|&&other| other != first);
        let Some(&other) = other.filter(|_| !may_meet[node as usize]) else {
            continue;
        };
        let message = format!(
            "more than one block branches to {}, which is not a loop header, a merge block, a continue target or a \
             label of a switch; with maximal reconvergence, only these may have several predecessors",
            flow.name(node)
        );
        let finding = Finding::new(
            &reconvergence::PREDECESSORS,
            flow.block(node).start,
            message,
        );
        reporter.add(
            finding
                .at(flow.end(first), "this branches to the block")
                .at(flow.end(other), "and this one"),
        );
    }
}
