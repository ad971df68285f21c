//! Natural loops, and how they lie within each other.
//!
//! An edge to a node that dominates the one it leaves closes a loop: that node is
//! the loop's header, the other a latch, and the loop's body is the header with all
//! from which a latch can be reached without passing the header. Edges to the same
//! header close the same loop. Of two loops, one lies within the other or they have
//! nothing in common.
//!
//! Loops are found in the graph alone; what `OpLoopMerge` declares is asked of
//! [constructs](crate::constructs). What can't be reached from the entry is in no
//! loop.
//!
//! ```
//! use spirvkit_analysis::Graph;
//! use spirvkit_analysis::loops::LoopNest;
//!
//! // 1 is the header of a loop that holds another, of 2 alone; 4 comes behind.
//! let graph = Graph::new(5, &[(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (1, 4)]);
//! let nest = LoopNest::new(&graph);
//! assert_eq!(nest.loops().len(), 2);
//! let (outer, inner) = (0, 1);
//! assert_eq!(nest.loops()[outer].header, 1);
//! assert_eq!(nest.body(outer as u32), [1, 2, 3]);
//! assert_eq!(nest.latches(outer as u32), [3]);
//! assert_eq!(nest.loops()[inner].parent, Some(0));
//! assert_eq!(nest.innermost(2), Some(1));
//! assert_eq!(nest.depth(4), 0);
//! assert!(nest.irreducible_edges().is_empty());
//! ```

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::lists::Lists;
use crate::{ControlFlow, DepthFirst, DominatorTree, Graph, NONE, Node};

/// The number of a loop: its place in [`LoopNest::loops`].
pub type LoopIndex = u32;

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The node through which the loop is entered. It dominates the body.
    pub header: Node,
    /// The innermost loop around this one.
    pub parent: Option<LoopIndex>,
    /// How many loops the header is in: 1, if this one has no parent.
    pub depth: u32,
    /// Where the body is in [`LoopNest::nodes`].
    body: Range<u32>,
}

/// The natural loops of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopNest {
    loops: Vec<Loop>,
    latches: Lists<Node>,
    /// For each node the innermost loop, or [`NONE`].
    innermost: Vec<LoopIndex>,
    /// The nodes that can be reached, in an order in which every body is in one
    /// piece.
    nodes: Vec<Node>,
    /// For each node its place there, or [`NONE`].
    places: Vec<u32>,
    irreducible: Vec<(Node, Node)>,
}

impl LoopNest {
    /// The loops of a graph whose entry is node 0.
    pub fn new(graph: &Graph) -> LoopNest {
        let order = DepthFirst::new(graph);
        let dominators = DominatorTree::from_depth_first(graph, &order);
        LoopNest::from_trees(graph, &order, &dominators)
    }

    /// The loops of a function.
    pub fn of(flow: &ControlFlow) -> LoopNest {
        let dominators = DominatorTree::from_depth_first(flow.graph(), flow.order());
        LoopNest::from_trees(flow.graph(), flow.order(), &dominators)
    }

    /// The loops of a graph of which order and dominators are known already.
    ///
    /// They must be those of this graph and from one root; after any others, what
    /// comes back says nothing.
    pub fn from_trees(graph: &Graph, order: &DepthFirst, dominators: &DominatorTree) -> LoopNest {
        if !order.fits(graph) || !dominators.fits(graph) {
            return LoopNest::new(graph);
        }
        let mut headers = Vec::new();
        let mut latches = Vec::new();
        for &header in dominators.pre_order() {
            let index = headers.len() as LoopIndex;
            let closes = |&&from: &&Node| {
                dominators.is_reachable(from) && dominators.dominates(header, from)
            };
            let before = latches.len();
            let from = graph.predecessors(header).iter().filter(closes);
            latches.extend(from.map(|&from| (index, from)));
            if latches.len() > before {
                headers.push(header);
            }
        }
        // An edge that is there twice closes a loop once.
        latches.sort_unstable();
        latches.dedup();
        let latches = Lists::new(headers.len() as u32, latches.iter().copied());
        let (innermost, parents) = Members::find(graph, dominators, &headers, &latches);
        let irreducible = order
            .back_edges(graph)
            .filter(|&(from, to)| !dominators.dominates(to, from));
        let mut nest = LoopNest {
            loops: Vec::with_capacity(headers.len()),
            latches,
            innermost,
            nodes: vec![NONE; dominators.pre_order().len()],
            places: vec![NONE; graph.len() as usize],
            irreducible: irreducible.collect(),
        };
        for (&header, parent) in headers.iter().zip(parents) {
            let parent = (parent != NONE).then_some(parent);
            let outer = parent.and_then(|parent| nest.loops.get(parent as usize));
            nest.loops.push(Loop {
                header,
                parent,
                depth: outer.map_or(0, |outer| outer.depth) + 1,
                body: 0..0,
            });
        }
        nest.lay_out(dominators);
        nest
    }

    /// Gives every body its piece of the nodes. A header comes before its body and
    /// before the headers of the loops within in the pre-order of dominators.
    fn lay_out(&mut self, dominators: &DominatorTree) {
        let mut sizes = vec![0u32; self.loops.len()];
        for &node in dominators.pre_order() {
            if let Some(size) = sizes.get_mut(self.innermost[node as usize] as usize) {
                *size += 1;
            }
        }
        for index in (0..self.loops.len()).rev() {
            let size = sizes[index];
            let parent = self.loops[index].parent.unwrap_or(NONE);
            if let Some(outer) = sizes.get_mut(parent as usize) {
                *outer = outer.saturating_add(size);
            }
        }
        // For each loop the first place that nothing has taken, and for what is in
        // no loop.
        let mut free = vec![0u32; self.loops.len()];
        let mut outside = 0u32;
        let mut take = |free: &mut Vec<u32>, index: LoopIndex, count: u32| {
            let next = free.get_mut(index as usize).unwrap_or(&mut outside);
            core::mem::replace(next, next.saturating_add(count))
        };
        for &node in dominators.pre_order() {
            let index = self.innermost[node as usize];
            if let Some(own) = self.loops.get_mut(index as usize)
                && own.header == node
            {
                let size = sizes[index as usize];
                let start = take(&mut free, own.parent.unwrap_or(NONE), size);
                own.body = start..start.saturating_add(size);
                free[index as usize] = start;
            }
            let place = take(&mut free, index, 1);
            self.places[node as usize] = place;
            if let Some(slot) = self.nodes.get_mut(place as usize) {
                *slot = node;
            }
        }
    }

    /// The loops, each after those around it.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The nodes of a loop and of all loops within it, its header first; none, if
    /// there is no such loop.
    pub fn body(&self, index: LoopIndex) -> &[Node] {
        let body = self.loops.get(index as usize).map(|found| &found.body);
        body.and_then(|body| self.nodes.get(body.start as usize..body.end as usize))
            .unwrap_or_default()
    }

    /// The nodes from which edges lead back to a loop's header, in the order of
    /// their numbers.
    pub fn latches(&self, index: LoopIndex) -> &[Node] {
        self.latches.of(index)
    }

    /// Whether a node is in a loop, or in one within it, in constant time.
    pub fn contains(&self, index: LoopIndex, node: Node) -> bool {
        let place = self.places.get(node as usize).copied().unwrap_or(NONE);
        let found = self.loops.get(index as usize);
        found.is_some_and(|found| found.body.contains(&place))
    }

    /// The innermost loop that a node is in.
    pub fn innermost(&self, node: Node) -> Option<LoopIndex> {
        let index = self.innermost.get(node as usize).copied();
        index.filter(|&index| index != NONE)
    }

    /// How many loops a node is in.
    pub fn depth(&self, node: Node) -> u32 {
        let innermost = self.innermost(node);
        let found = innermost.and_then(|index| self.loops.get(index as usize));
        found.map_or(0, |found| found.depth)
    }

    /// The edges that lead back, in a depth-first traversal, to a node that doesn't
    /// dominate the one they leave: what goes round there can be entered in several
    /// places, and is no loop here. There is such an edge just if the graph is
    /// irreducible; which ones they are depends on the traversal.
    pub fn irreducible_edges(&self) -> &[(Node, Node)] {
        &self.irreducible
    }
}

/// Who is in which loop, while that is found out.
struct Members {
    innermost: Vec<LoopIndex>,
    parents: Vec<LoopIndex>,
    /// For each loop one around it that has been found, or [`NONE`]: a forest whose
    /// roots are the outermost loops so far, and whose paths are shortened when they
    /// are gone.
    around: Vec<LoopIndex>,
}

impl Members {
    /// Finds the innermost loop of each node, and the parent of each loop, or
    /// [`NONE`].
    ///
    /// Inner loops come first. Each is walked backwards from its latches; at a loop
    /// within, the walk goes on before that loop's header. So every edge is followed
    /// at most twice.
    fn find(
        graph: &Graph,
        dominators: &DominatorTree,
        headers: &[Node],
        latches: &Lists<Node>,
    ) -> (Vec<LoopIndex>, Vec<LoopIndex>) {
        let mut members = Members {
            innermost: vec![NONE; graph.len() as usize],
            parents: vec![NONE; headers.len()],
            around: vec![NONE; headers.len()],
        };
        let mut waiting = Vec::new();
        for (index, &header) in headers.iter().enumerate().rev() {
            let index = index as LoopIndex;
            members.innermost[header as usize] = index;
            waiting.extend_from_slice(latches.of(index));
            while let Some(node) = waiting.pop() {
                let entry = match members.innermost[node as usize] {
                    NONE => {
                        members.innermost[node as usize] = index;
                        node
                    }
                    within => {
                        let outermost = members.outermost(within);
                        if outermost == index {
                            continue;
                        }
                        members.parents[outermost as usize] = index;
                        members.around[outermost as usize] = index;
                        headers[outermost as usize]
                    }
                };
                let before = graph.predecessors(entry).iter();
                waiting.extend(before.filter(|&&node| dominators.is_reachable(node)));
            }
        }
        (members.innermost, members.parents)
    }

    /// The outermost loop around this one of those found so far.
    fn outermost(&mut self, index: LoopIndex) -> LoopIndex {
        let mut root = index;
        while self.around[root as usize] != NONE {
            root = self.around[root as usize];
        }
        let mut index = index;
        while index != root {
            index = core::mem::replace(&mut self.around[index as usize], root);
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_to_one_header_close_one_loop() {
        let graph = Graph::new(4, &[(0, 1), (1, 2), (1, 3), (3, 1), (2, 1), (2, 1)]);
        let nest = LoopNest::new(&graph);
        assert_eq!(nest.loops().len(), 1);
        assert_eq!(nest.latches(0), [2, 3]);
        assert_eq!(nest.body(0).len(), 3);
        assert!(nest.contains(0, 3));
        assert!(!nest.contains(0, 0));
    }

    #[test]
    fn what_can_be_entered_twice_is_no_loop() {
        let graph = Graph::new(3, &[(0, 1), (0, 2), (1, 2), (2, 1)]);
        let nest = LoopNest::new(&graph);
        assert!(nest.loops().is_empty());
        assert_eq!(nest.irreducible_edges(), [(2, 1)]);
    }

    #[test]
    fn an_irreducible_part_can_lie_in_a_loop() {
        // 2 and 3 go round, entered at both; 4 leads back to 1.
        let edges = [(0, 1), (1, 2), (1, 3), (2, 3), (3, 2), (3, 4), (4, 1)];
        let nest = LoopNest::new(&Graph::new(5, &edges));
        assert_eq!(nest.loops().len(), 1);
        assert_eq!(nest.body(0), [1, 2, 3, 4]);
        assert_eq!(nest.irreducible_edges(), [(3, 2)]);
    }

    #[test]
    fn the_entry_can_be_a_header() {
        let nest = LoopNest::new(&Graph::new(2, &[(0, 1), (1, 0)]));
        assert_eq!(nest.body(0), [0, 1]);
        assert_eq!(nest.depth(1), 1);
    }

    #[test]
    fn what_cannot_be_reached_is_in_no_loop() {
        let nest = LoopNest::new(&Graph::new(4, &[(0, 1), (2, 3), (3, 2), (3, 1), (1, 1)]));
        assert_eq!(nest.loops().len(), 1);
        assert_eq!(nest.latches(0), [1]);
        assert_eq!(nest.innermost(2), None);
        assert!(!nest.contains(0, 2));
    }

    #[test]
    fn what_does_not_exist_is_nowhere() {
        let nest = LoopNest::new(&Graph::new(1, &[(0, 0)]));
        assert_eq!(nest.body(1), []);
        assert_eq!(nest.latches(1), []);
        assert_eq!(nest.innermost(1), None);
        assert!(!nest.contains(0, 1) && !nest.contains(1, 0) && !nest.contains(0, NONE));
        assert!(LoopNest::new(&Graph::new(0, &[])).loops().is_empty());
    }

    #[test]
    fn many_loops_within_each_other_take_no_quadratic_time() {
        let depth = 1 << 17;
        let mut edges = Vec::new();
        for node in 1..depth {
            edges.push((node - 1, node));
        }
        for node in 0..depth {
            edges.push((depth + node, depth + node + 1));
            edges.push((depth + node, depth - 1 - node));
        }
        edges.push((depth - 1, depth));
        let nest = LoopNest::new(&Graph::new(2 * depth + 1, &edges));
        assert_eq!(nest.loops().len(), depth as usize);
        assert_eq!(nest.depth(depth), depth);
        assert_eq!(nest.body(0).len(), 2 * depth as usize);
        assert_eq!(nest.body(depth - 1), [depth - 1, depth]);
    }
}
