//! Headers, merge blocks, loops, and the constructs that they delimit
//! (specification, section 2.11).
//!
//! The constructs are those of [`ConstructTree`]: subtrees of the tree of structural
//! dominance, without the subtrees that other constructs take, so that of two
//! constructs one lies within the other or they have nothing in common. Hence the
//! smallest construct around each block says all: to know whether an edge leaves or
//! enters constructs in a way that it may, it is enough to look at the smallest around
//! its ends. It is asked only where nothing is wrong with headers and loops; there, the
//! tree and the specification's definitions of constructs agree.

use std::cell::OnceCell;

use spirvkit_analysis::constructs::{Construct, ConstructIndex, ConstructKind, ConstructTree};
use spirvkit_analysis::control_flow::{Header, HeaderKind};
use spirvkit_analysis::{DepthFirst, DominatorTree, Graph, Node, PostDominatorTree};
use spirvkit_grammar::Op;

use crate::finding::{Finding, Reporter};
use crate::flow::{Flow, Merge};
use crate::rules::generated::structured;

/// The constructs of a function.
pub(super) struct Constructs<'f, 'm, 'a> {
    pub(super) flow: &'f Flow<'m, 'a>,
    pub(super) order: DepthFirst,
    pub(super) dominators: DominatorTree,
    /// A traversal that goes on to what can't be reached from the entry.
    whole_order: Option<DepthFirst>,
    /// The graph along the structure, if it had to be made again.
    structural: OnceCell<Graph>,
    /// Whether a block is a header whose merge block, and continue target, are in
    /// the right place.
    is_sound: Vec<bool>,
    /// Whether a header that isn't sound declares the block.
    pub(super) is_declared_wrongly: Vec<bool>,
    /// Whether a block branches back to one that isn't a loop header.
    pub(super) lacks_loop_header: bool,
    tree: OnceCell<ConstructTree>,
}

impl<'f, 'm, 'a> Constructs<'f, 'm, 'a> {
    pub(super) const NONE: u32 = u32::MAX;

    /// Finds the constructs of a function and reports what is wrong with their
    /// headers.
    pub(super) fn new(flow: &'f Flow<'m, 'a>, reporter: &mut Reporter) -> Self {
        let len = flow.len() as usize;
        let structural = structural_graph(flow);
        let mut order = DepthFirst::new(&structural);
        // These take much memory, and hardly ever anybody asks for them again.
        order.forget_parents();
        let dominators = DominatorTree::from_depth_first(&structural, &order);
        let whole_order = traverse_all(&structural, &order);
        drop(structural);
        let mut this = Self {
            flow,
            dominators,
            whole_order,
            structural: OnceCell::new(),
            order,
            is_sound: vec![false; len],
            is_declared_wrongly: vec![false; len],
            lacks_loop_header: false,
            tree: OnceCell::new(),
        };
        this.check_merge_blocks(reporter);
        this.check_loops(reporter);
        this.structural.take();
        this.check_depth(reporter);
        this
    }

    fn structural(&self) -> &Graph {
        self.structural.get_or_init(|| structural_graph(self.flow))
    }

    /// A block's merge instruction.
    pub(super) fn merge(&self, node: Node) -> Option<Merge> {
        self.flow.merge(node)
    }

    /// Whether an edge leads back, in a traversal along the structure.
    pub(super) fn is_back_edge(&self, from: Node, to: Node) -> bool {
        let order = self.whole_order.as_ref().unwrap_or(&self.order);
        order.is_back_edge(from, to)
    }

    pub(super) fn is_loop_header(&self, node: Node) -> bool {
        self.flow.is_loop_header(node)
    }

    /// The tree of the headers that are sound. Made only when those have been looked
    /// at, because it takes room, as what they are looked at with does.
    #[inline]
    fn tree(&self) -> &ConstructTree {
        self.tree.get_or_init(|| {
            ConstructTree::new(&self.flow.graph, &self.dominators, |node| {
                self.sound_header(node)
            })
        })
    }

    /// What a block declares as a header, if that is in the right place.
    fn sound_header(&self, node: Node) -> Option<Header> {
        let merge = match self.is_sound[node as usize] {
            true => self.merge(node)?,
            false => return None,
        };
        let is_switch = || {
            let terminator = self.flow.terminator(node);
            terminator.is_some_and(|terminator| terminator.op() == Op::Switch)
        };
        Some(Header {
            node,
            merge: merge.merge,
            kind: match merge.continue_target {
                Some(continue_target) => HeaderKind::Loop { continue_target },
                None if is_switch() => HeaderKind::Switch,
                None => HeaderKind::Selection,
            },
        })
    }

    /// All constructs, each after those around it.
    pub(super) fn all(&self) -> &[Construct] {
        self.tree().all()
    }

    /// Whether nothing begins or ends between two blocks: no construct ends, and the
    /// second begins none.
    #[inline]
    pub(super) fn is_plain_step(&self, from: Node, to: Node) -> bool {
        let innermost = self.tree().innermost(to);
        innermost == self.tree().innermost(from)
            && innermost
                .and_then(|it| self.get(it))
                .is_none_or(|construct| construct.header != to)
    }

    /// The construct with this number.
    #[inline]
    pub(super) fn get(&self, index: ConstructIndex) -> Option<&Construct> {
        self.tree().get(index)
    }

    /// The smallest construct that a block is in, cases left out; none stands for the
    /// function.
    pub(super) fn within(&self, node: Node) -> Option<ConstructIndex> {
        let innermost = self.tree().innermost(node)?;
        self.without_case(innermost)
    }

    /// The smallest construct that a block is in, other than as its header.
    pub(super) fn around(&self, node: Node) -> Option<ConstructIndex> {
        let innermost = self.tree().innermost(node)?;
        let construct = self.get(innermost)?;
        match construct.header == node {
            true => self.without_case(construct.parent()?),
            false => self.without_case(innermost),
        }
    }

    /// A construct, or the switch of which it is a case.
    fn without_case(&self, index: ConstructIndex) -> Option<ConstructIndex> {
        let construct = self.get(index)?;
        match construct.kind {
            ConstructKind::Case => construct.parent(),
            _ => Some(index),
        }
    }

    /// The label of the case that a block is in, if a case is the smallest construct
    /// around it.
    pub(super) fn case_of(&self, node: Node) -> Option<Node> {
        let construct = self.get(self.tree().innermost(node)?)?;
        (construct.kind == ConstructKind::Case).then_some(construct.entry)
    }

    /// Whether a block is in a construct. The block must be reachable.
    pub(super) fn contains(&self, construct: &Construct, node: Node) -> bool {
        let below = |above| self.dominators.dominates(above, node);
        let is_beside = match construct.kind {
            ConstructKind::Loop => construct.continue_target().is_some_and(below),
            _ => false,
        };
        below(construct.entry) && !below(construct.merge) && !is_beside
    }

    /// Whether an edge between reachable blocks enters a construct elsewhere than
    /// at its header. Returns the construct.
    pub(super) fn entered(&self, from: Node, to: Node) -> Option<&Construct> {
        let construct = self.get(self.around(to)?)?;
        let is_inside = if is_continue_target(construct, to) {
            // Whoever comes from the body enters this as it is meant to be.
            self.dominators.dominates(construct.header, from)
                && !self.dominators.dominates(construct.merge, from)
        } else {
            self.contains(construct, from)
        };
        (!is_inside).then_some(construct)
    }

    /// What declares a construct, for a message.
    pub(super) fn describe(&self, construct: &Construct) -> String {
        let what = match construct.kind {
            ConstructKind::Selection => "selection",
            ConstructKind::Switch => "switch",
            ConstructKind::Case => "case",
            ConstructKind::Loop => "loop",
            ConstructKind::Continue => "continue construct",
        };
        format!(
            "the {what} that begins at {}",
            self.flow.name(construct.entry)
        )
    }

    fn check_merge_blocks(&mut self, reporter: &mut Reporter) {
        let mut headers = vec![Self::NONE; self.flow.len() as usize];
        for (node, merge) in self.flow.merges() {
            let first = &mut headers[merge.merge as usize];
            let is_taken = *first != Self::NONE;
            if !is_taken {
                *first = node;
            }
            self.is_sound[node as usize] = !is_taken && self.check_header(node, merge, reporter);
            if !self.is_sound[node as usize] && self.dominators.is_reachable(node) {
                self.is_declared_wrongly[merge.merge as usize] = true;
                if let Some(target) = merge.continue_target {
                    self.is_declared_wrongly[target as usize] = true;
                }
            }
        }
    }

    /// Checks where the merge block and the continue target of a header are.
    fn check_header(&self, node: Node, merge: Merge, reporter: &mut Reporter) -> bool {
        let is_reachable = self.dominators.is_reachable(node);
        // What merges in its header, or where it continues, is reported as such.
        let is_odd = match merge.continue_target {
            Some(target) => merge.merge == node || merge.merge == target,
            None => false,
        };
        if is_odd {
            return false;
        }
        if is_reachable && !self.dominators.strictly_dominates(node, merge.merge) {
            let message = format!(
                "the header {} must dominate its merge block {}, but {}",
                self.flow.name(node),
                self.flow.name(merge.merge),
                self.way_around(node, merge.merge)
            );
            let finding = Finding::new(&structured::MERGE_BLOCK, merge.offset, message);
            reporter.add(finding.at(
                self.flow.block(merge.merge).start,
                "the merge block begins here",
            ));
            return false;
        }
        if let Some(target) = merge.continue_target
            && !self.dominators.dominates(node, target)
        {
            let message = format!(
                "the loop header {} must dominate its continue target {}, but {}",
                self.flow.name(node),
                self.flow.name(target),
                self.way_around(node, target)
            );
            let finding = Finding::new(&structured::CONTINUE_TARGET, merge.offset, message);
            reporter.add(finding.at(
                self.flow.block(target).start,
                "the continue target begins here",
            ));
            return false;
        }
        is_reachable
    }

    /// Tells how a block is come to without passing the header that should
    /// dominate it.
    fn way_around(&self, header: Node, block: Node) -> String {
        if header == block {
            return "they are the same block".to_owned();
        }
        // A long search would only serve the message.
        let mut predecessors = self.structural().predecessors(block).iter().take(100);
        let around = predecessors.find(|&&from| {
            self.dominators.is_reachable(from) && !self.dominators.dominates(header, from)
        });
        match around {
            Some(&from) if self.merge(from).is_none() => {
                format!(
                    "{} branches there without being dominated by the header",
                    self.flow.name(from)
                )
            }
            Some(&from) => {
                let from = self.flow.name(from);
                format!("the header {from} leads there without being dominated by the other one")
            }
            None => "it can be reached in another way".to_owned(),
        }
    }

    fn check_loops(&mut self, reporter: &mut Reporter) {
        let len = self.flow.len() as usize;
        // For each loop header how many blocks branch back, and the first that does.
        let mut counts = vec![0u32; len];
        let mut first = vec![Self::NONE; len];
        let mut last = vec![Self::NONE; len];
        for (from, to) in self.flow.graph.edges() {
            if last[to as usize] == from || !self.is_back_edge(from, to) {
                continue;
            }
            // An edge that is there twice is one.
            last[to as usize] = from;
            if self.is_loop_header(to) {
                counts[to as usize] += 1;
                if first[to as usize] == Self::NONE {
                    first[to as usize] = from;
                }
            } else if to != 0 {
                let message = format!(
                    "{} branches back to {}, which isn't a loop header",
                    self.flow.name(from),
                    self.flow.name(to)
                );
                self.lacks_loop_header = true;
                let finding =
                    Finding::new(&structured::BACK_EDGE_TARGET, self.flow.end(from), message);
                reporter.add(finding.at(self.flow.block(to).start, "the block begins here"));
            }
        }
        // What branches there may be missing elsewhere.
        if self.lacks_loop_header {
            return;
        }
        let mut post_dominators = None;
        for (node, merge) in self.flow.merges() {
            let Some(target) = merge.continue_target else {
                continue;
            };
            if !self.dominators.is_reachable(node) {
                continue;
            }
            let count = counts[node as usize];
            let back = first[node as usize];
            if count != 1 {
                let message = format!(
                    "exactly one block must branch back to the loop header {}, but {} do",
                    self.flow.name(node),
                    if count == 0 {
                        "none".to_owned()
                    } else {
                        count.to_string()
                    }
                );
                let mut finding = Finding::new(&structured::BACK_EDGE_COUNT, merge.offset, message);
                if count > 1 {
                    finding = finding.at(self.flow.end(back), "the first is here");
                    finding = finding.at(self.flow.end(last[node as usize]), "the last is here");
                }
                reporter.add(finding);
                continue;
            }
            if !self.is_sound[node as usize] {
                continue;
            }
            if !self.dominators.dominates(target, back) {
                let message = format!(
                    "{} branches back to the loop header {}, but can be reached without passing its continue \
                     target {}",
                    self.flow.name(back),
                    self.flow.name(node),
                    self.flow.name(target)
                );
                let finding =
                    Finding::new(&structured::BACK_EDGE_BLOCK, self.flow.end(back), message);
                reporter.add(finding.at(merge.offset, "the loop is declared here"));
                continue;
            }
            // Most often, the continue target itself branches back, and at most out.
            let mut ways = self.flow.graph.successors(back).iter();
            if back == target && ways.all(|&to| to == node || to == merge.merge) {
                continue;
            }
            let post_dominators = post_dominators.get_or_insert_with(|| {
                PostDominatorTree::from_depth_first(self.structural(), &self.order)
            });
            if !post_dominators.dominates(back, target) {
                let message = format!(
                    "every path from the continue target {} must go through {}, which branches back to the \
                     loop header {}",
                    self.flow.name(target),
                    self.flow.name(back),
                    self.flow.name(node)
                );
                let finding = Finding::new(
                    &structured::CONTINUE_END,
                    self.flow.block(target).start,
                    message,
                );
                reporter.add(
                    finding
                        .at(merge.offset, "the loop is declared here")
                        .at(self.flow.end(back), "this branches back"),
                );
                // What leaves the continue construct is not worth another word.
                self.is_declared_wrongly[merge.merge as usize] = true;
                continue;
            }
            // Behind the end of the continue construct there is only the way back and
            // the way out.
            let strays = |&&to: &&Node| {
                to != node
                    && to != merge.merge
                    && self.dominators.dominates(target, to)
                    && !post_dominators.dominates(back, to)
            };
            if let Some(&to) = self.flow.graph.successors(back).iter().find(strays) {
                let message = format!(
                    "{} ends the loop that begins at {}, but branches to {}, which is neither the loop header nor the \
                     loop's merge block {}",
                    self.flow.name(back),
                    self.flow.name(node),
                    self.flow.name(to),
                    self.flow.name(merge.merge)
                );
                let finding = Finding::new(&structured::EXIT, self.flow.end(back), message);
                reporter.add(finding.at(merge.offset, "the loop is declared here"));
            }
        }
    }

    fn check_depth(&self, reporter: &mut Reporter) {
        let limit = self.flow.m.options.limits.control_flow_nesting_depth;
        let constructs = self.all();
        // What is nested so deep has as many around it.
        if constructs.len() <= limit as usize {
            return;
        }
        // How many selections and loops each construct lies in, itself included.
        let mut depths: Vec<u32> = Vec::with_capacity(constructs.len());
        for construct in constructs {
            let parent = construct.parent().and_then(|it| depths.get(it as usize));
            let own = u32::from(construct.kind != ConstructKind::Case);
            depths.push(parent.copied().unwrap_or(0) + own);
        }
        let mut is_reported = vec![false; constructs.len()];
        for &node in self.dominators.pre_order() {
            let Some(around) = self.around(node) else {
                continue;
            };
            let depth = depths[around as usize];
            // Of what is too deep, the first block in each construct is enough.
            if depth != limit.saturating_add(1)
                || std::mem::replace(&mut is_reported[around as usize], true)
            {
                continue;
            }
            let message = format!(
                "the block {} is nested in {depth} constructs, but the limit is {limit}",
                self.flow.name(node),
            );
            reporter.add(Finding::new(
                &structured::NESTING_DEPTH,
                self.flow.block(node).start,
                message,
            ));
        }
    }
}

/// Whether a construct is a continue construct that begins at a block.
pub(super) fn is_continue_target(construct: &Construct, node: Node) -> bool {
    construct.kind == ConstructKind::Continue && construct.entry == node
}

/// The control-flow graph with edges from each header to what its merge instruction
/// declares, which come first.
fn structural_graph(flow: &Flow<'_, '_>) -> Graph {
    let mut edges = Vec::with_capacity(flow.graph.edge_count() + flow.len() as usize);
    let mut merges = flow.merges().peekable();
    for node in 0..flow.len() {
        if let Some((_, merge)) = merges.next_if(|&(header, _)| header == node) {
            edges.push((node, merge.merge));
            edges.extend(merge.continue_target.map(|target| (node, target)));
        }
        edges.extend(flow.graph.successors(node).iter().map(|&next| (node, next)));
    }
    Graph::new(flow.len(), &edges)
}

/// A traversal of everything, if not everything is reachable.
fn traverse_all(graph: &Graph, order: &DepthFirst) -> Option<DepthFirst> {
    if order.pre_order().len() == graph.len() as usize {
        return None;
    }
    let unreached = || (0..graph.len()).filter(|&node| !order.is_reachable(node));
    let sources = unreached().filter(|&node| graph.predecessors(node).is_empty());
    let roots = std::iter::once(0).chain(sources).chain(unreached());
    Some(DepthFirst::from_roots(graph, roots))
}
