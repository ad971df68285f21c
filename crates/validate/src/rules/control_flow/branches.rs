//! Instructions that end blocks.

use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Capability, Op, Version};

use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::flow::{Flow, literal_words, targets};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Type};
use crate::pattern::{BOOL, INT};
use crate::rules::generated::{branch, return_, switch};

/// Checks a branch by itself.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if at.inst.op() == Op::Branch {
        return check_label(at, Id(at.inst.word(1)));
    }
    let labels = all(targets(m, at.inst).map(|label| check_label(at, label)));
    let rest = match at.inst.op() {
        Op::BranchConditional => check_conditional(at),
        Op::Switch => check_switch(at),
        _ => Ok(()),
    };
    all([labels, rest])
}

/// Checks that an operand is a label.
pub(super) fn check_label(at: &InstCtx<'_, '_>, label: Id) -> CheckResult {
    let m = at.m;
    match m.op_of(label) {
        // What nothing defines is reported elsewhere.
        Op::Label => Ok(()),
        _ if m.def(label).is_none() => Ok(()),
        _ => {
            let message = format!(
                "{} names {} as a block, but that is not an OpLabel",
                at.inst.op(),
                m.show_value(label)
            );
            let finding = at.finding(&branch::TARGET, message);
            Err(finding.about(m, label, "it is defined here"))
        }
    }
}

fn check_conditional(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let condition = at.expect_operand(&branch::CONDITION, 0, BOOL);
    let is_same = m.version >= Version::V1_6 && at.id(1) == at.id(2);
    let labels = expect(!is_same, || {
        let message = format!(
            "both labels of OpBranchConditional are {}; from version 1.6 on, they must differ",
            m.name(at.id(1))
        );
        at.finding(&branch::SAME_TARGETS, message)
            .help("use OpBranch")
    });
    all([condition, check_weights(at), labels])
}

fn check_weights(at: &InstCtx<'_, '_>) -> CheckResult {
    match *at.inst.args().get(3..).unwrap_or_default() {
        [] => Ok(()),
        [first, second] => {
            if first.checked_add(second).is_some_and(|sum| sum > 0) {
                return Ok(());
            }
            let message = format!(
                "the weights of OpBranchConditional are {first} and {second}, but their sum must not be 0 and must \
                 fit in 32 bits"
            );
            Err(at.finding(&branch::WEIGHT_SUM, message).arg(at, 3))
        }
        ref weights => {
            let message = format!(
                "OpBranchConditional must have no weight or two, but has {}",
                weights.len()
            );
            Err(at.finding(&branch::WEIGHTS, message).arg(at, 3))
        }
    }
}

fn check_switch(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_operand(&switch::SELECTOR, 0, INT)?;
    all(repeated_literals(at).into_iter().map(|literal| {
        let message = format!("OpSwitch has more than one label for {literal}");
        Err(at.finding(&switch::SAME_LITERALS, message).warning())
    }))
}

/// The literals that a switch has more than once.
fn repeated_literals(at: &InstCtx<'_, '_>) -> Vec<i128> {
    let words = literal_words(at.m, at.inst);
    let is_signed = matches!(at.m.ty(at.type_of_arg(0)), Type::Int { signed: true, .. });
    let cases = at.inst.args().get(2..).unwrap_or_default();
    let values = cases.chunks_exact(words + 1).map(|case| {
        let (low, high) = (case[0], if words > 1 { case[1] } else { 0 });
        let bits = u64::from(high) << 32 | u64::from(low);
        match (is_signed, words) {
            (false, _) => i128::from(bits),
            (true, 1) => i128::from(low as i32),
            (true, _) => i128::from(bits as i64),
        }
    });
    // Most switches are written in order.
    if values.clone().is_sorted_by(|a, b| a < b) {
        return Vec::new();
    }
    let mut sorted: Vec<i128> = values.collect();
    sorted.sort_unstable();
    let groups = sorted.chunk_by(|a, b| a == b);
    groups
        .filter(|group| group.len() > 1)
        .map(|group| group[0])
        .collect()
}

/// Checks `OpReturn` and `OpReturnValue`.
pub(super) fn check_return(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(function) = at.function().and_then(|function| m.def(function.id)) else {
        return Ok(());
    };
    let Some(expected) = function.result_type() else {
        return Ok(());
    };
    if at.inst.op() == Op::Return {
        if m.is_void(expected) || m.ty(expected) == Type::None {
            return Ok(());
        }
        let message = format!(
            "OpReturn returns no value, but the function {} must return {}",
            m.name(function.result().unwrap_or(Id(0))),
            m.show_type(expected)
        );
        let finding = at.finding(&return_::WITHOUT_VALUE, message);
        return Err(finding.at(function.offset(), "the function begins here"));
    }
    check_returned(at, function, expected)
}

fn check_returned(at: &InstCtx<'_, '_>, function: Inst<'_>, expected: Id) -> CheckResult {
    let m = at.m;
    let value = at.id(0);
    if m.def(value).is_none() {
        return Ok(());
    }
    let ty = m.type_of(value);
    let is_value = ty.is_some_and(|ty| !m.is_void(ty));
    let may_return_pointers =
        m.has(Capability::VariablePointersStorageBuffer) || m.options.relax_logical_pointer;
    if let Some(ty) = ty
        && m.addressing == AddressingModel::Logical
        && m.is_pointer(ty)
        && !may_return_pointers
    {
        let message = format!(
            "OpReturnValue returns {}, but under logical addressing, only variable pointers can be returned",
            m.show_value(value)
        );
        let finding = at.finding(&return_::POINTER, message);
        return Err(finding.about(m, value, "the pointer is made here"));
    }
    if !is_value || ty != Some(expected) {
        let message = format!(
            "OpReturnValue must return {}, as its function does, but returns {}",
            m.show_type(expected),
            m.show_value(value)
        );
        let finding = at.finding(&return_::VALUE, message);
        return Err(finding
            .at(function.offset(), "the function begins here")
            .about(m, value, "the value is defined here"));
    }
    Ok(())
}

/// Checks where the branches of a function lead.
pub(super) fn check_targets(flow: &Flow<'_, '_>, reporter: &mut Reporter) {
    for node in flow.graph.predecessors(0) {
        let message = format!(
            "{} branches to the first block of the function",
            flow.name(*node)
        );
        let finding = Finding::new(&branch::ENTRY_TARGET, flow.end(*node), message);
        reporter.add(finding.at(
            flow.block(0).start,
            "the function's first block begins here",
        ));
    }
    if flow.is_whole && flow.merges_are_whole {
        return;
    }
    for node in 0..flow.len() {
        if !flow.is_whole
            && let Some(terminator) = flow.terminator(node)
        {
            for label in targets(flow.m, terminator) {
                check_own(flow, terminator, label, reporter);
            }
        }
        if flow.block(node).merge != 0
            && flow.merge(node).is_none()
            && let Some(merge) = flow.m.inst(flow.block(node).merge)
        {
            let labels = if merge.op() == Op::LoopMerge { 2 } else { 1 };
            for index in 0..labels {
                check_own(flow, merge, merge.id(index), reporter);
            }
        }
    }
}

/// Checks that a label is one of the function's.
fn check_own(flow: &Flow<'_, '_>, inst: Inst<'_>, label: Id, reporter: &mut Reporter) {
    let m = flow.m;
    if m.op_of(label) != Op::Label || flow.node(label).is_some() {
        return;
    }
    let message = format!(
        "{} names the block {}, which is not in the function {}",
        inst.op(),
        m.name(label),
        m.name(flow.function.id)
    );
    let finding = Finding::new(&branch::FOREIGN_TARGET, inst.offset(), message);
    reporter.add(finding.about(m, label, "the block begins here"));
}
