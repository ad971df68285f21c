//! Headers, merge blocks, loops, and the constructs that they delimit
//! (specification, section 2.11).
//!
//! Everything rests on the tree of structural dominance. A header has an edge to
//! its merge block and, if it is a loop's, to its continue target; so where the
//! header dominates them, as it must, they are its children in the tree. A
//! construct is the header's subtree without the subtrees of these children, and
//! of two constructs one lies within the other or they have nothing in common.
//! Hence the smallest construct around each block says all: to know whether an
//! edge leaves or enters constructs in a way that it may, it is enough to look at
//! the smallest around its ends.

use std::cell::OnceCell;

use crate::finding::{Finding, Reporter};
use crate::flow::{Flow, Merge};
use crate::rules::generated::structured;
use spirvkit_analysis::{DepthFirst, DominatorTree, Graph, Node, PostDominatorTree};
use spirvkit_grammar::Op;

/// The number of a construct; [`Constructs::NONE`] stands for none.
pub(super) type ConstructId = u32;

/// A set of blocks that is entered and left in structured ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Construct {
    pub(super) kind: Kind,
    pub(super) header: Node,
    /// The merge block of the selection or of the loop.
    pub(super) merge: Node,
    /// Of a loop.
    pub(super) continue_target: Node,
    /// The innermost loop around this, or of which this is a part: its body.
    pub(super) innermost_loop: ConstructId,
    /// The innermost switch, this included, that lies within that loop.
    pub(super) innermost_switch: ConstructId,
    /// How many selections and loops this lies in, itself included.
    pub(super) depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The whole function, from which nothing leads out.
    Function,
    Selection,
    /// A selection by `OpSwitch`.
    Switch,
    /// A loop without its continue construct; nothing is in it if the header is
    /// its own continue target.
    Body,
    /// A continue construct.
    Continue,
}

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
    constructs: Vec<Construct>,
    /// The construct that each block is in, other than as a loop's or a
    /// selection's header.
    around: Vec<ConstructId>,
    /// The construct that each block is in.
    within: Vec<ConstructId>,
    /// The highest block, up the tree, that is in the same construct and isn't its
    /// header: in a switch, the label of the case.
    tops: Vec<Node>,
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
            constructs: Vec::new(),
            around: Vec::new(),
            within: Vec::new(),
            tops: Vec::new(),
        };
        this.check_merge_blocks(reporter);
        this.check_loops(reporter);
        this.structural.take();
        this.find();
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

    /// The smallest construct that a block is in.
    pub(super) fn within(&self, node: Node) -> ConstructId {
        self.within[node as usize]
    }

    /// The smallest construct that a block is in, other than as a header.
    pub(super) fn around(&self, node: Node) -> ConstructId {
        self.around[node as usize]
    }

    pub(super) fn get(&self, construct: ConstructId) -> &Construct {
        &self.constructs[construct as usize]
    }

    /// A block's branch of the construct that it is in: in a switch, the label of
    /// its case. None for a header.
    pub(super) fn top(&self, node: Node) -> Option<Node> {
        Some(self.tops[node as usize]).filter(|&top| top != Self::NONE)
    }

    /// Whether a block is in a construct. The block must be reachable.
    pub(super) fn contains(&self, construct: ConstructId, node: Node) -> bool {
        let construct = self.get(construct);
        let below = |above| above != Self::NONE && self.dominators.dominates(above, node);
        match construct.kind {
            Kind::Function => true,
            Kind::Selection | Kind::Switch => below(construct.header) && !below(construct.merge),
            Kind::Body => {
                below(construct.header)
                    && !below(construct.merge)
                    && !below(construct.continue_target)
            }
            Kind::Continue => below(construct.continue_target) && !below(construct.merge),
        }
    }

    /// Whether an edge between reachable blocks enters a construct elsewhere than
    /// at its header. Returns the construct.
    pub(super) fn entered(&self, from: Node, to: Node) -> Option<ConstructId> {
        let around = self.around[to as usize];
        let construct = self.get(around);
        let is_continue_target =
            construct.kind == Kind::Continue && construct.continue_target == to;
        let is_inside = if is_continue_target {
            // Whoever comes from the body enters this as it is meant to be.
            self.dominators.dominates(construct.header, from)
                && !self.dominators.dominates(construct.merge, from)
        } else {
            self.contains(around, from)
        };
        (!is_inside).then_some(around)
    }

    /// What declares a construct, for a message.
    pub(super) fn describe(&self, construct: ConstructId) -> String {
        let construct = self.get(construct);
        let (what, node) = match construct.kind {
            Kind::Function => return "the function".to_owned(),
            Kind::Selection => ("selection", construct.header),
            Kind::Switch => ("switch", construct.header),
            Kind::Body => ("loop", construct.header),
            Kind::Continue => ("continue construct", construct.continue_target),
        };
        format!("the {what} that begins at {}", self.flow.name(node))
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
                    finding = finding.at(self.flow.end(back), "this is the first");
                    finding = finding.at(self.flow.end(last[node as usize]), "this is the last");
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

    /// Goes down the tree and gives each block its construct.
    fn find(&mut self) {
        // Only now, because what was looked at before takes room, too.
        let len = self.flow.len() as usize;
        self.around = vec![0; len];
        self.within = vec![0; len];
        self.tops = vec![Self::NONE; len];
        self.constructs
            .reserve_exact(1 + self.flow.declared_constructs());
        self.constructs.push(Construct {
            kind: Kind::Function,
            header: Self::NONE,
            merge: Self::NONE,
            continue_target: Self::NONE,
            innermost_loop: Self::NONE,
            innermost_switch: Self::NONE,
            depth: 0,
        });
        for index in 0..self.dominators.pre_order().len() {
            let node = self.dominators.pre_order()[index];
            let around = match self.dominators.immediate(node) {
                Some(above) => self.place(node, above),
                None => 0,
            };
            self.around[node as usize] = around;
            let own = match self.is_sound[node as usize] {
                true => self.merge(node),
                false => None,
            };
            self.within[node as usize] = match own {
                Some(merge) => self.open(node, merge, around),
                None => around,
            };
        }
    }

    /// The construct that a block is in whose immediate dominator has its place.
    fn place(&mut self, node: Node, above: Node) -> ConstructId {
        let within = self.within[above as usize];
        let around = self.around[above as usize];
        if !self.is_sound[above as usize] {
            self.tops[node as usize] = self.tops[above as usize];
            return around;
        }
        let opened = self.get(within);
        if node == opened.merge {
            self.tops[node as usize] = self.tops[above as usize];
            return around;
        }
        let continue_target = opened.continue_target;
        self.tops[node as usize] = node;
        if node == continue_target {
            // The construct stands behind that of the body.
            return within + 1;
        }
        within
    }

    /// Opens the constructs of a header: one for a selection, and for a loop the
    /// body and, behind it, the continue construct. Returns the one that the
    /// header is in.
    fn open(&mut self, node: Node, merge: Merge, around: ConstructId) -> ConstructId {
        let next = self.constructs.len() as ConstructId;
        let outer = *self.get(around);
        let is_switch = self
            .flow
            .terminator(node)
            .is_some_and(|terminator| terminator.op() == Op::Switch);
        let construct = Construct {
            kind: if is_switch {
                Kind::Switch
            } else {
                Kind::Selection
            },
            header: node,
            merge: merge.merge,
            continue_target: Self::NONE,
            innermost_loop: outer.innermost_loop,
            innermost_switch: if is_switch {
                next
            } else {
                outer.innermost_switch
            },
            depth: outer.depth + 1,
        };
        let Some(target) = merge.continue_target else {
            self.constructs.push(construct);
            return next;
        };
        let construct = Construct {
            continue_target: target,
            innermost_loop: next,
            innermost_switch: Self::NONE,
            ..construct
        };
        for kind in [Kind::Body, Kind::Continue] {
            self.constructs.push(Construct { kind, ..construct });
        }
        next + ConstructId::from(target == node)
    }

    fn check_depth(&self, reporter: &mut Reporter) {
        let limit = self.flow.m.options.limits.control_flow_nesting_depth;
        if self.constructs.iter().all(|each| each.depth <= limit) {
            return;
        }
        let mut is_reported = vec![false; self.constructs.len()];
        for &node in self.dominators.pre_order() {
            let around = self.around[node as usize];
            let construct = self.get(around);
            // Of what is too deep, the first block in each construct is enough.
            if construct.depth != limit.saturating_add(1)
                || std::mem::replace(&mut is_reported[around as usize], true)
            {
                continue;
            }
            let message = format!(
                "the block {} is nested in {} constructs, but the limit is {limit}",
                self.flow.name(node),
                construct.depth
            );
            reporter.add(Finding::new(
                &structured::NESTING_DEPTH,
                self.flow.block(node).start,
                message,
            ));
        }
    }
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
