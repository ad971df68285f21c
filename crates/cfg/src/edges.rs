//! What the edges of a function mean.

use spirvkit_analysis::constructs::{ConstructIndex, ConstructKind, Constructs};
use spirvkit_analysis::control_flow::{Branch, branches};
use spirvkit_analysis::{ControlFlow, Node};
use spirvkit_binary::{Definitions, Id, Instruction, NumberType};
use spirvkit_grammar::Op;
use spirvkit_text::write_number;

use crate::model::{Edge, EdgeKind};

/// Tells what edges mean.
pub(crate) struct Meanings<'f> {
    flow: &'f ControlFlow,
    constructs: &'f Constructs,
    /// For each block the selection, switch or loop whose merge block it is. The
    /// header immediately dominates it, so there is one at most.
    merges: Vec<Option<ConstructIndex>>,
    /// For each block the loop whose continue target it is.
    continues: Vec<Option<ConstructIndex>>,
    /// Whether each block is the entry of a case.
    is_case: Vec<bool>,
}

impl<'f> Meanings<'f> {
    pub(crate) fn of(flow: &'f ControlFlow, constructs: &'f Constructs) -> Self {
        let nodes = flow.graph().len() as usize;
        let mut meanings = Self {
            flow,
            constructs,
            merges: vec![None; nodes],
            continues: vec![None; nodes],
            is_case: vec![false; nodes],
        };
        for (index, construct) in (0..).zip(constructs.all()) {
            match construct.kind {
                ConstructKind::Case => meanings.is_case[construct.entry as usize] = true,
                ConstructKind::Continue => {}
                _ => meanings.merges[construct.merge as usize] = Some(index),
            }
            if let (ConstructKind::Loop, Some(target)) =
                (construct.kind, construct.continue_target())
            {
                meanings.continues[target as usize] = Some(index);
            }
        }
        meanings
    }

    fn kind(&self, from: Node, to: Node) -> EdgeKind {
        let constructs = self.constructs;
        let leads_back = constructs.dominators().is_reachable(from)
            && constructs.dominators().dominates(to, from);
        if leads_back || self.flow.order().is_back_edge(from, to) {
            return EdgeKind::Back;
        }
        let ends = self.merges[to as usize].and_then(|index| {
            let construct = constructs.get(index)?;
            let is_loop = construct.kind == ConstructKind::Loop;
            // A loop's continue construct comes right behind it.
            let leaves =
                constructs.contains(index, from) || is_loop && constructs.contains(index + 1, from);
            leaves.then_some(match is_loop {
                true => EdgeKind::Break,
                false => EdgeKind::Merge,
            })
        });
        if let Some(kind) = ends {
            return kind;
        }
        if self.continues[to as usize].is_some_and(|index| constructs.contains(index, from)) {
            return EdgeKind::Continue;
        }
        let is_header = constructs.dominators().immediate(to) == Some(from);
        match self.is_case[to as usize] && !is_header {
            true => EdgeKind::FallThrough,
            false => EdgeKind::Forward,
        }
    }

    /// The edges that leave a block with this last instruction.
    pub(crate) fn edges(
        &self,
        from: Node,
        terminator: &Instruction<'_>,
        definitions: &Definitions,
        edges: &mut Vec<Edge>,
    ) {
        let successors = self.flow.graph().successors(from);
        let first = edges.len();
        edges.extend(successors.iter().map(|&to| Edge {
            from,
            to,
            conditions: Vec::new(),
            kind: self.kind(from, to),
        }));
        let own = &mut edges[first..];
        if terminator.op() == Op::Branch {
            return;
        }
        // By target, to find what a condition belongs to.
        let mut places: Vec<(Node, usize)> = successors.iter().copied().zip(0..).collect();
        places.sort_unstable();
        for (label, condition) in conditions(terminator, definitions) {
            let node = self.flow.node(label);
            let place = node.and_then(|node| {
                let place = places.binary_search_by_key(&node, |&(to, _)| to).ok()?;
                own.get_mut(places[place].1)
            });
            if let Some(edge) = place {
                edge.conditions.push(condition);
            }
        }
    }
}

/// The labels to which a terminator may branch, each with when it does.
fn conditions(terminator: &Instruction<'_>, definitions: &Definitions) -> Vec<(Id, String)> {
    let words = terminator.words();
    let selector = words.get(1).map(|&selector| Id(selector));
    let ty = selector.and_then(|selector| definitions.selector_type(selector));
    let literal_words = ty.map(|ty| usize::from(ty.width().div_ceil(32)));
    let condition = |(place, branch): (usize, Branch<'_>)| {
        let mut condition = String::new();
        match (terminator.op(), ty) {
            (Op::Switch, Some(ty)) if !branch.literal.is_empty() => {
                write_number(&mut condition, ty, NumberType::join(branch.literal));
            }
            (Op::Switch, _) => condition.push_str("default"),
            _ => condition.push_str(if place == 0 { "true" } else { "false" }),
        }
        (branch.label, condition)
    };
    let branches = branches(words, literal_words).enumerate();
    branches.map(condition).collect()
}
