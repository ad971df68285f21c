//! Structured control-flow constructs (specification, section 2.11).
//!
//! Everything rests on the tree of structural dominance: dominance on the graph
//! that has an edge, too, from each header to its merge block and, for a loop, to
//! its continue target. Where a header dominates these, as it must, they are its
//! children in the tree, and so are the targets of a switch. Hence each construct
//! is a subtree without the subtrees of some children of its root, and one walk
//! down the tree tells which construct each block is in. Whether a construct
//! [contains](Constructs::contains) a block is a matter of comparing numbers.
//!
//! On any input whatsoever, [`Constructs::contains`] is what the specification's
//! definitions say. Where its rules are broken, sets that are so defined need not
//! lie within each other; [`Constructs::innermost`], parents and depths are then
//! those of the places in the tree, where a continue construct is all that its
//! continue target dominates. [`ConstructTree`] has these alone, for those who know
//! dominance already.
//!
//! Left out are the constructs of headers that don't strictly dominate their merge
//! block, or don't dominate their continue target ([`Constructs::misplaced`] lists
//! them), of headers that can't be reached even along the structure, and of targets
//! that their switch doesn't dominate. What can't be reached is in no construct.
//!
//! ```
//! use spirvkit_analysis::control_flow::{Header, HeaderKind};
//! use spirvkit_analysis::constructs::{ConstructKind, Constructs};
//! use spirvkit_analysis::Graph;
//!
//! // A loop, with a selection in its body: 1 is the header, 5 the continue target, 6
//! // the merge block; 2 selects 3, which returns, or goes to its merge block 4.
//! let graph = Graph::new(7, &[(0, 1), (1, 2), (1, 6), (2, 3), (2, 4), (4, 5), (5, 1)]);
//! let kind = HeaderKind::Loop { continue_target: 5 };
//! let headers = [
//!     Header { node: 1, merge: 6, kind },
//!     Header { node: 2, merge: 4, kind: HeaderKind::Selection },
//! ];
//! let constructs = Constructs::new(&graph, &headers);
//! let kinds: Vec<_> = constructs.all().iter().map(|construct| construct.kind).collect();
//! assert_eq!(kinds, [ConstructKind::Loop, ConstructKind::Continue, ConstructKind::Selection]);
//! assert_eq!(constructs.innermost(3), Some(2));
//! assert_eq!(constructs.all()[2].parent(), Some(0));
//! assert_eq!(constructs.innermost(4), Some(0));
//! assert_eq!(constructs.innermost(5), Some(1));
//! assert_eq!(constructs.innermost(6), None);
//! assert!(constructs.contains(0, 3) && !constructs.contains(0, 5));
//! ```

use alloc::vec;
use alloc::vec::Vec;

use crate::control_flow::{Header, HeaderKind};
use crate::{ControlFlow, DepthFirst, DominatorTree, Graph, NONE, Node, PostDominatorTree};

/// The number of a construct: its place in [`Constructs::all`].
pub type ConstructIndex = u32;

/// What a construct is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstructKind {
    /// A selection construct of a header that doesn't end with `OpSwitch`: what the
    /// header dominates and its merge block doesn't.
    Selection,
    /// A selection construct of a header that ends with `OpSwitch`, which holds its
    /// case constructs.
    Switch,
    /// A case construct: what a target of the switch, or its default, dominates and
    /// the switch's merge block doesn't.
    Case,
    /// A loop construct: what the header dominates and its merge block doesn't,
    /// without the continue construct. Where the rules are kept, nothing is in it if the
    /// header is its own continue target.
    Loop,
    /// A continue construct: what the continue target dominates and the block that
    /// branches back post-dominates. If not exactly one block branches back, it is
    /// what the continue target dominates and the merge block doesn't.
    Continue,
}

/// A structured control-flow construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Construct {
    /// What it is.
    pub kind: ConstructKind,
    /// The block that holds the merge instruction.
    pub header: Node,
    /// The block by which it is entered: the header, or the target of a case, or the
    /// continue target.
    pub entry: Node,
    /// The merge block of the header.
    pub merge: Node,
    /// How many constructs are around it and itself: 1 without a parent.
    pub depth: u32,
    // There may be as many constructs as blocks, so these are `NONE` where there is
    // nothing.
    continue_target: Node,
    back_edge_block: Node,
    parent: ConstructIndex,
    innermost_loop: ConstructIndex,
    innermost_switch: ConstructIndex,
}

impl Construct {
    /// Of a loop and of its continue construct: the continue target.
    #[inline]
    pub fn continue_target(&self) -> Option<Node> {
        some(self.continue_target)
    }

    /// Of a loop and of its continue construct: the block that branches back to the
    /// header, if that is exactly one.
    pub fn back_edge_block(&self) -> Option<Node> {
        some(self.back_edge_block)
    }

    /// The innermost construct around it. A continue construct is not within its
    /// loop's construct but beside it.
    #[inline]
    pub fn parent(&self) -> Option<ConstructIndex> {
        some(self.parent)
    }

    /// The loop construct of the innermost loop that this is in or a part of.
    pub fn innermost_loop(&self) -> Option<ConstructIndex> {
        some(self.innermost_loop)
    }

    /// The innermost switch that this is, or is in, within that loop: what a branch to
    /// a merge block may leave besides the loop.
    pub fn innermost_switch(&self) -> Option<ConstructIndex> {
        some(self.innermost_switch)
    }
}

fn some(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

/// The constructs of a function by their places in the tree of structural dominance.
#[derive(Clone, Debug)]
pub struct ConstructTree {
    all: Vec<Construct>,
    /// For each block the innermost construct, or [`NONE`].
    innermost: Vec<ConstructIndex>,
}

impl ConstructTree {
    /// The constructs of a graph with these headers: for each block in the order of
    /// `dominators`, which are structural, `header_of` says whether it is one.
    ///
    /// A header must strictly dominate its merge block, and dominate its continue
    /// target, which is another block than the merge block.
    pub fn new(
        graph: &Graph,
        dominators: &DominatorTree,
        mut header_of: impl FnMut(Node) -> Option<Header>,
    ) -> ConstructTree {
        let mut finder = Finder {
            graph,
            dominators,
            all: Vec::new(),
            around: vec![UNPLACED; graph.len() as usize],
            ordinary: vec![NONE; graph.len() as usize],
            innermost: vec![NONE; graph.len() as usize],
        };
        for &node in dominators.pre_order() {
            finder.place(node, header_of(node));
        }
        let (all, innermost) = (finder.all, finder.innermost);
        ConstructTree { all, innermost }
    }

    /// The constructs, each after those around it. The cases of a switch follow it in
    /// the order of its operands, the default first; a continue construct follows its
    /// loop.
    pub fn all(&self) -> &[Construct] {
        &self.all
    }

    /// The construct with this number.
    #[inline]
    pub fn get(&self, index: ConstructIndex) -> Option<&Construct> {
        self.all.get(index as usize)
    }

    /// The innermost construct that a block is in.
    #[inline]
    pub fn innermost(&self, node: Node) -> Option<ConstructIndex> {
        let index = self.innermost.get(node as usize).copied();
        index.filter(|&index| index != NONE)
    }
}

/// The constructs of a function.
#[derive(Clone, Debug)]
pub struct Constructs {
    tree: ConstructTree,
    misplaced: Vec<Header>,
    /// Structural.
    order: DepthFirst,
    /// Structural.
    dominators: DominatorTree,
    /// Structural; only if it takes more than a look to tell what the continue
    /// constructs are.
    post_dominators: Option<PostDominatorTree>,
}

impl Constructs {
    /// The constructs of a graph, whose entry is node 0, with these headers.
    ///
    /// If several are of one node, the first that can be right is taken.
    pub fn new(graph: &Graph, headers: &[Header]) -> Constructs {
        let structural = Header::structural_graph(graph, headers);
        let order = DepthFirst::new(&structural);
        let dominators = DominatorTree::from_depth_first(&structural, &order);
        // For each block the place of its header, or [`NONE`].
        let mut declared = vec![NONE; graph.len() as usize];
        let mut misplaced = Vec::new();
        for (place, &header) in headers.iter().enumerate() {
            if !dominators.is_reachable(header.node) {
                continue;
            }
            let slot = declared.get_mut(header.node as usize);
            match slot.filter(|slot| **slot == NONE && is_well_placed(header, &dominators)) {
                Some(slot) => *slot = place as u32,
                None => misplaced.push(header),
            }
        }
        let tree = ConstructTree::new(graph, &dominators, |node| {
            headers.get(declared[node as usize] as usize).copied()
        });
        let is_plain = |construct: &Construct| has_plain_continue(construct, &dominators);
        let post_dominators = (!tree.all.iter().all(is_plain))
            .then(|| PostDominatorTree::from_depth_first(&structural, &order));
        Constructs {
            tree,
            misplaced,
            order,
            dominators,
            post_dominators,
        }
    }

    /// The constructs of a function.
    pub fn of(flow: &ControlFlow) -> Constructs {
        Constructs::new(flow.graph(), &flow.headers().collect::<Vec<_>>())
    }

    /// Their places in the tree.
    pub fn tree(&self) -> &ConstructTree {
        &self.tree
    }

    /// See [`ConstructTree::all`].
    pub fn all(&self) -> &[Construct] {
        self.tree.all()
    }

    /// See [`ConstructTree::get`].
    pub fn get(&self, index: ConstructIndex) -> Option<&Construct> {
        self.tree.get(index)
    }

    /// See [`ConstructTree::innermost`].
    pub fn innermost(&self, node: Node) -> Option<ConstructIndex> {
        self.tree.innermost(node)
    }

    /// The constructs that a block is in, from the innermost outwards.
    pub fn around(&self, node: Node) -> impl Iterator<Item = &Construct> + '_ {
        let parent = |construct: &&Construct| self.get(construct.parent()?);
        core::iter::successors(
            self.innermost(node).and_then(|index| self.get(index)),
            parent,
        )
    }

    /// Whether a block is in a construct, or in one within it, in constant time.
    pub fn contains(&self, index: ConstructIndex, node: Node) -> bool {
        let Some(construct) = self.get(index) else {
            return false;
        };
        if !self.dominators.is_reachable(node) {
            return false;
        }
        let dominates = |above: Node| self.dominators.dominates(above, node);
        match construct.kind {
            ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Case => {
                dominates(construct.entry) && !dominates(construct.merge)
            }
            ConstructKind::Loop => {
                dominates(construct.header)
                    && !dominates(construct.merge)
                    && !self.continues(construct, node)
            }
            ConstructKind::Continue => self.continues(construct, node),
        }
    }

    /// Whether a block is in the continue construct of a loop. The block must be
    /// reachable.
    fn continues(&self, construct: &Construct, node: Node) -> bool {
        let dominates = |above: Node| self.dominators.dominates(above, node);
        let Some(target) = construct.continue_target() else {
            return false;
        };
        match (construct.back_edge_block(), &self.post_dominators) {
            (None, _) => dominates(target) && !dominates(construct.merge),
            (Some(_), None) => node == target,
            (Some(back), Some(post)) => dominates(target) && post.dominates(back, node),
        }
    }

    /// The headers that can be reached but don't dominate what they declare, in the
    /// order in which they were listed.
    pub fn misplaced(&self) -> &[Header] {
        &self.misplaced
    }

    /// A traversal of the structural graph. Backwards its order of leaving is one in
    /// which blocks can be written (see [`Header::structural_graph`]).
    pub fn order(&self) -> &DepthFirst {
        &self.order
    }

    /// Structural dominance.
    pub fn dominators(&self) -> &DominatorTree {
        &self.dominators
    }
}

/// Whether a header, which can be reached, dominates what it declares. There is an
/// edge from it, so no other block can come between.
fn is_well_placed(header: Header, dominators: &DominatorTree) -> bool {
    let is_child = |node| dominators.immediate(node) == Some(header.node);
    let is_continue_target =
        |target| target == header.node || target != header.merge && is_child(target);
    is_child(header.merge) && header.continue_target().is_none_or(is_continue_target)
}

/// Whether a construct has no continue construct, or one that is its continue target
/// alone: which branches back, and dominates nothing else. Post-dominance would add
/// nothing.
fn has_plain_continue(construct: &Construct, dominators: &DominatorTree) -> bool {
    let (Some(target), Some(back)) = (construct.continue_target(), construct.back_edge_block())
    else {
        return true;
    };
    back == target && dominators.subtree(target).len() == 1
}

/// Stands for a block of which nothing is known yet.
const UNPLACED: ConstructIndex = NONE - 1;

/// Walks down the tree of dominators.
struct Finder<'g> {
    graph: &'g Graph,
    dominators: &'g DominatorTree,
    all: Vec<Construct>,
    /// For each block the innermost construct, those that it is the header of left
    /// out; [`NONE`], or for now [`UNPLACED`].
    around: Vec<ConstructIndex>,
    /// For each block the construct that its children in the tree are in, but for
    /// those to which a header gives a place of their own.
    ordinary: Vec<ConstructIndex>,
    innermost: Vec<ConstructIndex>,
}

impl Finder<'_> {
    /// Gives a block its construct. Its immediate dominator has got one before.
    fn place(&mut self, node: Node, header: Option<Header>) {
        if self.around[node as usize] == UNPLACED {
            let above = self.dominators.immediate(node);
            self.around[node as usize] = above.map_or(NONE, |above| self.ordinary[above as usize]);
        }
        let around = self.around[node as usize];
        self.ordinary[node as usize] = around;
        self.innermost[node as usize] = around;
        if let Some(header) = header {
            self.open(header, around);
        }
    }

    /// Makes the constructs of a header, and places those of its children that have
    /// a place of their own.
    fn open(&mut self, header: Header, around: ConstructIndex) {
        let Header { node, merge, kind } = header;
        self.around[merge as usize] = around;
        let index = self.all.len() as ConstructIndex;
        let outer = self.all.get(around as usize);
        let construct = Construct {
            kind: ConstructKind::Selection,
            header: node,
            entry: node,
            merge,
            continue_target: NONE,
            back_edge_block: NONE,
            parent: around,
            depth: outer.map_or(0, |outer| outer.depth) + 1,
            innermost_loop: outer.map_or(NONE, |outer| outer.innermost_loop),
            innermost_switch: outer.map_or(NONE, |outer| outer.innermost_switch),
        };
        self.ordinary[node as usize] = index;
        self.innermost[node as usize] = index;
        match kind {
            HeaderKind::Selection => self.all.push(construct),
            HeaderKind::Switch => {
                let switch = Construct {
                    kind: ConstructKind::Switch,
                    innermost_switch: index,
                    ..construct
                };
                self.all.push(switch);
                self.open_cases(Construct {
                    kind: ConstructKind::Case,
                    parent: index,
                    depth: switch.depth + 1,
                    ..switch
                });
            }
            HeaderKind::Loop { continue_target } => {
                let body = Construct {
                    kind: ConstructKind::Loop,
                    continue_target,
                    back_edge_block: self.back_edge_block(node).unwrap_or(NONE),
                    innermost_loop: index,
                    innermost_switch: NONE,
                    ..construct
                };
                self.all.push(body);
                self.all.push(Construct {
                    kind: ConstructKind::Continue,
                    entry: continue_target,
                    ..body
                });
                let continues = index + 1;
                match continue_target == node {
                    true => self.innermost[node as usize] = continues,
                    false => self.around[continue_target as usize] = continues,
                }
            }
        }
    }

    /// Makes the case constructs of a switch, of which one is like this.
    fn open_cases(&mut self, case: Construct) {
        for &target in self.graph.successors(case.header) {
            let is_child = self.dominators.immediate(target) == Some(case.header);
            if is_child && self.around[target as usize] == UNPLACED {
                self.around[target as usize] = self.all.len() as ConstructIndex;
                let entry = target;
                self.all.push(Construct { entry, ..case });
            }
        }
    }

    /// The one block that branches back to a loop header.
    fn back_edge_block(&self, header: Node) -> Option<Node> {
        let leads_back = |&from: &Node| {
            self.dominators.is_reachable(from) && self.dominators.dominates(header, from)
        };
        let before = self.graph.predecessors(header).iter().copied();
        let mut back = before.filter(leads_back);
        let first = back.next()?;
        back.all(|other| other == first).then_some(first)
    }
}
