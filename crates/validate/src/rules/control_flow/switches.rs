//! The cases of a switch (specification, section 2.11).

use std::collections::HashMap;

use spirvkit_analysis::Node;
use spirvkit_analysis::constructs::{Construct, ConstructKind};

use super::constructs::Constructs;
use super::structured::cases;
use crate::finding::{Finding, Reporter};
use crate::rules::generated::switch;

const NONE: Node = Node::MAX;

/// The switch that is the smallest construct around a block.
fn switch_around<'c>(constructs: &'c Constructs<'_, '_, '_>, node: Node) -> Option<&'c Construct> {
    let construct = constructs.get(constructs.within(node)?)?;
    (construct.kind == ConstructKind::Switch).then_some(construct)
}

/// What is known of the switches of a function.
pub(super) struct Switches<'c, 'f, 'm, 'a> {
    constructs: &'c Constructs<'f, 'm, 'a>,
    headers: Vec<Node>,
    /// For each block the closest one above it, or itself, to which no branches lead
    /// from its immediate dominator. What only the structure reaches doesn't fall
    /// through.
    cut_off: Vec<Node>,
    /// For each block the switch of which it is a case.
    switch_of: Vec<Node>,
    /// For each case the one to which it falls through.
    falls_to: Vec<Node>,
    /// For each case the one that falls through to it.
    fallen_from: Vec<Node>,
}

impl<'c, 'f, 'm, 'a> Switches<'c, 'f, 'm, 'a> {
    /// Finds the cases and checks where they are.
    pub(super) fn new(constructs: &'c Constructs<'f, 'm, 'a>, reporter: &mut Reporter) -> Self {
        let len = constructs.flow.len() as usize;
        let mut this = Self {
            constructs,
            headers: Vec::new(),
            cut_off: Vec::new(),
            switch_of: Vec::new(),
            falls_to: Vec::new(),
            fallen_from: Vec::new(),
        };
        // For blocks that are no cases the last switch of which that was said.
        let mut reported = HashMap::new();
        let switches = constructs.all().iter();
        for construct in switches.filter(|it| it.kind == ConstructKind::Switch) {
            let header = construct.header;
            if this.headers.is_empty() {
                // Most functions have no switch.
                this.switch_of = vec![NONE; len];
                this.falls_to = vec![NONE; len];
                this.fallen_from = vec![NONE; len];
            }
            this.headers.push(header);
            for case in cases(constructs.flow, header) {
                if case == construct.merge || case == header {
                    continue;
                }
                if constructs.dominators.dominates(header, case) {
                    this.switch_of[case as usize] = header;
                } else if reported.insert(case, header) != Some(header) {
                    reporter.add(this.case_is_elsewhere(header, case));
                }
            }
        }
        if !this.headers.is_empty() {
            this.find_cut_off();
        }
        this
    }

    /// Whether branches lead from a block to one that it dominates.
    fn is_reached(&self, above: Node, below: Node) -> bool {
        let cut_off = self.cut_off[below as usize];
        cut_off == NONE || self.constructs.dominators.dominates(cut_off, above)
    }

    /// Finds the blocks that branches from their immediate dominators don't reach.
    /// Each comes after what branches there, except from behind it, which is of no
    /// account.
    fn find_cut_off(&mut self) {
        let Constructs {
            flow,
            order,
            dominators,
            ..
        } = self.constructs;
        self.cut_off = vec![NONE; self.switch_of.len()];
        for &node in order.post_order().iter().rev() {
            let Some(above) = dominators.immediate(node) else {
                continue;
            };
            let mut predecessors = flow.graph.predecessors(node).iter();
            let is_reached = predecessors.any(|&from| {
                from == above
                    || (order.is_reachable(from)
                        && !dominators.dominates(node, from)
                        && self.is_reached(above, from))
            });
            self.cut_off[node as usize] = match is_reached {
                true => self.cut_off[above as usize],
                false => node,
            };
        }
    }

    fn case_is_elsewhere(&self, header: Node, case: Node) -> Finding {
        let flow = self.constructs.flow;
        let message = format!(
            "the switch {} must dominate its case {}, but this can be reached without going through the switch",
            flow.name(header),
            flow.name(case)
        );
        let finding = Finding::new(&switch::CASE_DOMINANCE, flow.end(header), message);
        finding.at(flow.block(case).start, "the case begins here")
    }

    /// Looks where an edge leads within a switch.
    pub(super) fn follow(&mut self, from: Node, to: Node, reporter: &mut Reporter) {
        let constructs = self.constructs;
        let Some(case) = constructs.case_of(from) else {
            return;
        };
        let Some(construct) = switch_around(constructs, from) else {
            return;
        };
        let header = construct.header;
        if !constructs.contains(construct, to)
            || constructs.is_back_edge(from, to)
            || self.switch_of[case as usize] != header
            || constructs.dominators.dominates(case, to)
            || !self.is_reached(case, from)
        {
            return;
        }
        let flow = constructs.flow;
        let finding = |rule, message| {
            let finding = Finding::new(rule, flow.end(from), message);
            finding.at(flow.end(header), "the switch is here")
        };
        if self.switch_of[to as usize] != header {
            let message = format!(
                "{} in the case {} branches to {}, which is in the switch, but not in one of its cases alone",
                flow.name(from),
                flow.name(case),
                flow.name(to)
            );
            reporter.add(finding(&switch::CASE_EXIT, message));
            return;
        }
        let before = self.falls_to[case as usize];
        if before != NONE && before != to {
            let message = format!(
                "the case {} falls through to both {} and {}",
                flow.name(case),
                flow.name(before),
                flow.name(to)
            );
            reporter.add(finding(&switch::FALL_THROUGH, message));
            return;
        }
        self.falls_to[case as usize] = to;
        let other = self.fallen_from[to as usize];
        if other != NONE && other != case {
            let message = format!(
                "the cases {} and {} both fall through to {}",
                flow.name(other),
                flow.name(case),
                flow.name(to)
            );
            reporter.add(finding(&switch::FALLEN_INTO, message));
            return;
        }
        self.fallen_from[to as usize] = case;
    }

    /// Checks the order of the cases that fall through.
    pub(super) fn check_order(&self, reporter: &mut Reporter) {
        let mut labels = Vec::new();
        for &header in &self.headers {
            if reporter.is_full() {
                return;
            }
            labels.clear();
            labels.extend(cases(self.constructs.flow, header));
            if let [default, targets @ ..] = labels.as_slice() {
                self.check_targets(header, *default, targets, reporter);
            }
        }
    }

    fn check_targets(
        &self,
        header: Node,
        default: Node,
        targets: &[Node],
        reporter: &mut Reporter,
    ) {
        let flow = self.constructs.flow;
        let merge = switch_around(self.constructs, header).map(|switch| switch.merge);
        // A default that is a target as well is nothing special.
        let is_target = targets.contains(&default);
        let falls_to = |case: Node| match self.switch_of[case as usize] == header {
            true => self.falls_to[case as usize],
            false => NONE,
        };
        let mut last_finding = NONE;
        let mut next = NONE;
        // From the last target to the first, so that the next other one is known.
        for (index, &case) in targets.iter().enumerate().rev() {
            if let Some(&after) = targets.get(index + 1)
                && after != case
            {
                next = after;
            }
            if Some(case) == merge {
                continue;
            }
            let mut to = falls_to(case);
            if to == default && !is_target {
                to = falls_to(default);
            }
            if to == NONE || to == next || last_finding == case {
                continue;
            }
            last_finding = case;
            let message = format!(
                "the case {} falls through to {}, so it must come immediately before it among the operands",
                flow.name(case),
                flow.name(to)
            );
            let finding = Finding::new(&switch::ORDER, flow.end(header), message);
            reporter.add(finding.at(flow.block(case).start, "the case begins here"));
        }
    }
}
