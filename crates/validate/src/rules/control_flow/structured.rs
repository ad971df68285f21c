//! How constructs are entered and left (specification, section 2.11).

use spirvkit_analysis::Node;
use spirvkit_grammar::Op;

use super::Structure;
use super::constructs::{ConstructId, Constructs, Kind};
use super::switches::Switches;
use crate::finding::{Finding, Reporter};
use crate::flow::{Flow, targets};
use crate::rules::generated::structured;

/// Checks the structure of a function. Where headers are missing, or declare what
/// isn't so, nothing can be said of the ways into constructs and out of them. Gives
/// the structure, unless the function has branches that lead nowhere, or so many blocks
/// that it is better not kept.
pub(super) fn check(flow: &Flow<'_, '_>, reporter: &mut Reporter) -> Option<Structure> {
    const MANY: u32 = 1 << 16;

    if !flow.is_whole {
        return None;
    }
    let before = reporter.seen();
    let constructs = Constructs::new(flow, reporter);
    if !constructs.lacks_loop_header {
        check_selections(&constructs, reporter);
        if reporter.seen() == before {
            check_edges(&constructs, reporter);
        }
    }
    (flow.len() < MANY).then_some(Structure {
        order: constructs.order,
        dominators: constructs.dominators,
    })
}

fn check_edges(constructs: &Constructs<'_, '_, '_>, reporter: &mut Reporter) {
    let mut switches = Switches::new(constructs, reporter);
    for &from in constructs.order.pre_order() {
        if reporter.is_full() {
            return;
        }
        let mut last = None;
        for &to in constructs.flow.graph.successors(from) {
            if last.replace(to) != Some(to) {
                check_edge(constructs, from, to, reporter);
                switches.follow(from, to, reporter);
            }
        }
    }
    switches.check_order(reporter);
}

/// Looks for choices that nothing declares.
///
/// Blocks come in an order in which each is met before those that it dominates,
/// merge blocks and continue targets last. A block that was named before, as a
/// merge block, as a continue target or by another choice, is no new way to go;
/// only a choice between two new ways is a selection.
fn check_selections(constructs: &Constructs<'_, '_, '_>, reporter: &mut Reporter) {
    let flow = constructs.flow;
    let mut is_known = vec![false; flow.len() as usize];
    for &node in constructs.order.post_order().iter().rev() {
        if let Some(merge) = constructs.merge(node) {
            is_known[merge.merge as usize] = true;
            if let Some(target) = merge.continue_target {
                is_known[target as usize] = true;
            }
        }
        let Some(terminator) = flow.terminator(node) else {
            continue;
        };
        let mut new = 0;
        for &next in flow.graph.successors(node) {
            new += usize::from(!std::mem::replace(&mut is_known[next as usize], true));
        }
        let is_declared = || {
            let declaration = flow.m.inst(flow.block(node).merge);
            declaration.is_some_and(|inst| inst.op() == Op::SelectionMerge)
        };
        match terminator.op() {
            Op::BranchConditional if new > 1 && !is_declared() => {
                let message = format!(
                    "{} branches two ways, but no OpSelectionMerge declares where they meet again",
                    flow.name(node)
                );
                reporter.add(Finding::new(
                    &structured::SELECTION,
                    terminator.offset(),
                    message,
                ));
            }
            // With an OpLoopMerge before it, it is in the wrong place already.
            Op::Switch if flow.block(node).merge == 0 => {
                let message = format!(
                    "{} ends with an OpSwitch, but no OpSelectionMerge declares where its cases meet again",
                    flow.name(node)
                );
                reporter.add(Finding::new(
                    &structured::SWITCH,
                    terminator.offset(),
                    message,
                ));
            }
            _ => {}
        }
    }
}

fn check_edge(constructs: &Constructs<'_, '_, '_>, from: Node, to: Node, reporter: &mut Reporter) {
    let flow = constructs.flow;
    // Most edges neither leave nor enter a construct.
    if constructs.within(from) == constructs.around(to) {
        return;
    }
    // Most others lead to where the innermost construct ends.
    let left = constructs.get(constructs.within(from));
    if to == left.merge {
        let (around, of_header) = (constructs.around(to), constructs.around(left.header));
        if around == of_header && constructs.get(around).continue_target != to {
            return;
        }
    }
    if constructs.is_back_edge(from, to) && !constructs.is_loop_header(to) {
        // Reported as such.
        return;
    }
    if constructs.is_declared_wrongly[to as usize] {
        return;
    }
    let within = constructs.within(from);
    if !constructs.contains(within, to) && !may_leave(constructs, within, to) {
        let message = format!(
            "{} branches to {}, out of {}, but {}",
            flow.name(from),
            flow.name(to),
            constructs.describe(within),
            ways_out(constructs, within)
        );
        let construct = constructs.get(within);
        let finding = Finding::new(&structured::EXIT, flow.end(from), message);
        reporter.add(finding.at(flow.end(construct.header), "the construct is declared here"));
    } else if let Some(entered) = constructs.entered(from, to) {
        let construct = constructs.get(entered);
        let is_target = construct.kind == Kind::Continue && construct.continue_target == to;
        let how = match is_target {
            true => "from its loop",
            false => "where it begins",
        };
        let message = format!(
            "{} branches to {} in {}, which can be entered only {how}",
            flow.name(from),
            flow.name(to),
            constructs.describe(entered)
        );
        let finding = Finding::new(&structured::ENTRY, flow.end(from), message);
        reporter.add(finding.at(flow.end(construct.header), "the construct is declared here"));
    }
}

/// Whether a branch out of a construct may go there. It is enough to ask this of
/// the innermost construct: what may be gone to from there may be gone to from
/// all that is left on the way.
pub(super) fn may_leave(
    constructs: &Constructs<'_, '_, '_>,
    construct: ConstructId,
    to: Node,
) -> bool {
    let construct = constructs.get(construct);
    let of = |id: ConstructId| (id != Constructs::NONE).then(|| constructs.get(id));
    match construct.kind {
        Kind::Function => true,
        Kind::Body => to == construct.merge || to == construct.continue_target,
        Kind::Continue => to == construct.merge || to == construct.header,
        Kind::Selection | Kind::Switch => {
            let is_loop_exit = of(construct.innermost_loop)
                .is_some_and(|outer| to == outer.merge || to == outer.continue_target);
            let is_break = of(construct.innermost_switch).is_some_and(|outer| to == outer.merge);
            to == construct.merge || is_loop_exit || is_break
        }
    }
}

/// Where one may go from a construct, in words.
fn ways_out(constructs: &Constructs<'_, '_, '_>, construct: ConstructId) -> String {
    let flow = constructs.flow;
    let construct = constructs.get(construct);
    let of = |id: ConstructId| (id != Constructs::NONE).then(|| constructs.get(id));
    let mut ways = vec![(construct.merge, "merge block")];
    match construct.kind {
        Kind::Function => {}
        Kind::Body => ways.push((construct.continue_target, "continue target")),
        Kind::Continue => ways.push((construct.header, "loop header")),
        Kind::Selection | Kind::Switch => {
            if let Some(outer) = of(construct.innermost_switch)
                && outer.merge != construct.merge
            {
                ways.push((outer.merge, "the switch's merge block"));
            }
            if let Some(outer) = of(construct.innermost_loop) {
                ways.push((outer.merge, "the loop's merge block"));
                ways.push((outer.continue_target, "the loop's continue target"));
            }
        }
    }
    let ways: Vec<String> = ways
        .into_iter()
        .map(|(node, what)| format!("{} ({what})", flow.name(node)))
        .collect();
    format!("only these exits are allowed: {}", ways.join(", "))
}

/// The labels of a switch as blocks, the default first.
pub(super) fn cases<'f>(
    flow: &'f Flow<'_, '_>,
    header: Node,
) -> impl Iterator<Item = Node> + use<'f> {
    let labels = flow
        .terminator(header)
        .map(|switch| targets(flow.m, switch));
    labels
        .into_iter()
        .flatten()
        .filter_map(|label| flow.node(label))
}
