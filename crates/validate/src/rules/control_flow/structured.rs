//! How constructs are entered and left (specification, section 2.11).

use spirvkit_analysis::Node;
use spirvkit_analysis::constructs::{Construct, ConstructIndex, ConstructKind};
use spirvkit_grammar::Op;

use super::Structure;
use super::constructs::{Constructs, is_continue_target};
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
    if constructs.is_plain_step(from, to) {
        return;
    }
    let within = constructs.within(from);
    if within == constructs.around(to) {
        return;
    }
    let left = within.and_then(|within| constructs.get(within));
    // Most others lead to where the innermost construct ends.
    if let Some(left) = left.filter(|left| left.merge == to) {
        let around = constructs.around(to);
        let outer = around.and_then(|around| constructs.get(around));
        let is_target = outer.is_some_and(|outer| outer.continue_target() == Some(to));
        if around == constructs.around(left.header) && !is_target {
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
    if let Some(left) = left
        && !constructs.contains(left, to)
        && !may_leave(constructs, left, to)
    {
        let message = format!(
            "{} branches to {}, out of {}, but {}",
            flow.name(from),
            flow.name(to),
            constructs.describe(left),
            ways_out(constructs, left)
        );
        let finding = Finding::new(&structured::EXIT, flow.end(from), message);
        reporter.add(finding.at(flow.end(left.header), "the construct is declared here"));
    } else if let Some(entered) = constructs.entered(from, to) {
        let how = match is_continue_target(entered, to) {
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
        reporter.add(finding.at(flow.end(entered.header), "the construct is declared here"));
    }
}

/// Whether a branch out of a construct may go there. It is enough to ask this of
/// the innermost construct: what may be gone to from there may be gone to from
/// all that is left on the way.
fn may_leave(constructs: &Constructs<'_, '_, '_>, construct: &Construct, to: Node) -> bool {
    let of = |index: Option<ConstructIndex>| constructs.get(index?);
    to == construct.merge
        || match construct.kind {
            ConstructKind::Loop => construct.continue_target() == Some(to),
            ConstructKind::Continue => to == construct.header,
            ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Case => {
                let is_loop_exit = of(construct.innermost_loop())
                    .is_some_and(|outer| to == outer.merge || outer.continue_target() == Some(to));
                let is_break =
                    of(construct.innermost_switch()).is_some_and(|outer| to == outer.merge);
                is_loop_exit || is_break
            }
        }
}

/// Where one may go from a construct, in words.
fn ways_out(constructs: &Constructs<'_, '_, '_>, construct: &Construct) -> String {
    let flow = constructs.flow;
    let of = |index: Option<ConstructIndex>| constructs.get(index?);
    let mut ways = vec![(Some(construct.merge), "merge block")];
    match construct.kind {
        ConstructKind::Loop => ways.push((construct.continue_target(), "continue target")),
        ConstructKind::Continue => ways.push((Some(construct.header), "loop header")),
        ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Case => {
            if let Some(outer) = of(construct.innermost_switch())
                && outer.merge != construct.merge
            {
                ways.push((Some(outer.merge), "the switch's merge block"));
            }
            if let Some(outer) = of(construct.innermost_loop()) {
                ways.push((Some(outer.merge), "the loop's merge block"));
                ways.push((outer.continue_target(), "the loop's continue target"));
            }
        }
    }
    let ways: Vec<String> = ways
        .into_iter()
        .filter_map(|(node, what)| Some(format!("{} ({what})", flow.name(node?))))
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
