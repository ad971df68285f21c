//! Depth-first traversal.

use alloc::vec;
use alloc::vec::Vec;

use crate::graph::Edges;
use crate::{Graph, NONE, Node};

/// What a depth-first traversal from the entry finds: the orders in which nodes
/// are entered and left, the tree along which it went, and which edges lead back.
///
/// The successors of a node are visited in the order of its edges, so the result
/// is determined by the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthFirst {
    pre_order: Vec<Node>,
    post_order: Vec<Node>,
    /// For each node its place in `pre_order`, or [`NONE`].
    entered: Vec<u32>,
    /// For each node its place in `post_order`, or [`NONE`].
    left: Vec<u32>,
    parents: Vec<Node>,
}

impl DepthFirst {
    /// Traverses what is reachable from node 0.
    pub fn new(graph: &Graph) -> DepthFirst {
        DepthFirst::from_root(graph, 0)
    }

    /// Traverses what is reachable from `root`.
    pub fn from_root(graph: &Graph, root: Node) -> DepthFirst {
        DepthFirst::from_roots(graph, core::iter::once(root))
    }

    /// Traverses what is reachable from each root that isn't reachable from those
    /// before it.
    pub fn from_roots(graph: &Graph, roots: impl IntoIterator<Item = Node>) -> DepthFirst {
        DepthFirst::traverse(graph, roots)
    }

    pub(crate) fn traverse(
        graph: &impl Edges,
        roots: impl IntoIterator<Item = Node>,
    ) -> DepthFirst {
        let nodes = graph.len() as usize;
        let mut result = DepthFirst {
            pre_order: Vec::with_capacity(nodes),
            post_order: Vec::with_capacity(nodes),
            entered: vec![NONE; nodes],
            left: vec![NONE; nodes],
            parents: vec![NONE; nodes],
        };
        // The nodes that have been entered and not left, each with the number of
        // its edges that have been followed.
        let mut open: Vec<(Node, u32)> = Vec::with_capacity(nodes.min(64));
        for root in roots {
            if root < graph.len() && !result.is_reachable(root) {
                result.enter(root);
                open.push((root, 0));
            }
            while let Some((node, followed)) = open.last_mut() {
                let node = *node;
                let Some(&next) = graph.successors(node).get(*followed as usize) else {
                    result.left[node as usize] = result.post_order.len() as u32;
                    result.post_order.push(node);
                    open.pop();
                    continue;
                };
                *followed += 1;
                if !result.is_reachable(next) {
                    result.parents[next as usize] = node;
                    result.enter(next);
                    open.push((next, 0));
                }
            }
        }
        result
    }

    /// Whether this can be a traversal of a graph: one of as many nodes.
    pub(crate) fn fits(&self, graph: &impl Edges) -> bool {
        self.entered.len() == graph.len() as usize
    }

    /// Forgets the order of leaving, which the tree of dominators does without.
    pub(crate) fn forget_post_order(&mut self) {
        self.post_order = Vec::new();
        self.left = Vec::new();
    }

    /// Forgets the tree along which the traversal went, for those who need the memory:
    /// no node has a [`parent`](Self::parent) any more.
    pub fn forget_parents(&mut self) {
        self.parents = Vec::new();
    }

    pub(crate) fn lacks_parents(&self) -> bool {
        self.parents.len() < self.entered.len()
    }

    /// The same traversal with everything that was forgotten.
    pub(crate) fn again(&self, graph: &impl Edges) -> DepthFirst {
        DepthFirst::traverse(graph, self.pre_order.first().copied())
    }

    fn enter(&mut self, node: Node) {
        self.entered[node as usize] = self.pre_order.len() as u32;
        self.pre_order.push(node);
    }

    /// The nodes that were reached, in the order of entering them.
    pub fn pre_order(&self) -> &[Node] {
        &self.pre_order
    }

    /// The nodes that were reached, in the order of leaving them: each after all
    /// that was first reached through it. Backwards this is the order in which
    /// data flows.
    pub fn post_order(&self) -> &[Node] {
        &self.post_order
    }

    /// For each node its place in [`DepthFirst::post_order`], or [`NONE`].
    pub(crate) fn post_numbers(&self) -> &[u32] {
        &self.left
    }

    /// A node's place in [`DepthFirst::pre_order`]; none, if it was not reached.
    #[inline]
    pub fn pre_number(&self, node: Node) -> Option<u32> {
        place(&self.entered, node)
    }

    /// A node's place in [`DepthFirst::post_order`]; none, if it was not reached.
    #[inline]
    pub fn post_number(&self, node: Node) -> Option<u32> {
        place(&self.left, node)
    }

    /// Whether the traversal came to this node.
    #[inline]
    pub fn is_reachable(&self, node: Node) -> bool {
        self.pre_number(node).is_some()
    }

    /// The node from which this one was reached first; none for a root and for
    /// what was not reached.
    #[inline]
    pub fn parent(&self, node: Node) -> Option<Node> {
        place(&self.parents, node)
    }

    /// Whether `above` is `below` or one of the nodes through which `below` was
    /// reached first, in constant time.
    #[inline]
    pub fn is_ancestor(&self, above: Node, below: Node) -> bool {
        let at = |table: &[u32], node: Node| table.get(node as usize).copied().unwrap_or(NONE);
        let below_in = at(&self.entered, below);
        // What was not reached is above everything in both orders, and the other isn't.
        below_in != NONE
            && at(&self.entered, above) <= below_in
            && at(&self.left, below) <= at(&self.left, above)
    }

    /// Whether an edge between these nodes leads back: to a node that has been
    /// entered and not left when the edge is followed.
    #[inline]
    pub fn is_back_edge(&self, from: Node, to: Node) -> bool {
        self.is_ancestor(to, from)
    }

    /// The back edges of the graph that was traversed, in the pre-order of the
    /// nodes they leave; an edge that is there twice is listed twice.
    pub fn back_edges<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (Node, Node)> + 'a {
        self.pre_order.iter().flat_map(move |&from| {
            let targets = graph.successors(from).iter();
            targets.filter_map(move |&to| self.is_back_edge(from, to).then_some((from, to)))
        })
    }
}

#[inline]
fn place(table: &[u32], node: Node) -> Option<u32> {
    table
        .get(node as usize)
        .copied()
        .filter(|&place| place != NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_are_visited_in_their_order() {
        let graph = Graph::new(5, &[(0, 2), (0, 1), (1, 3), (2, 3), (3, 0)]);
        let order = DepthFirst::new(&graph);
        assert_eq!(order.pre_order(), [0, 2, 3, 1]);
        assert_eq!(order.post_order(), [3, 2, 1, 0]);
        assert_eq!(order.parent(3), Some(2));
        assert_eq!(order.parent(0), None);
        assert!(!order.is_reachable(4));
        assert!(!order.is_reachable(5));
        assert_eq!(order.pre_number(1), Some(3));
        assert_eq!(order.post_number(1), Some(2));
        assert_eq!(order.post_number(4), None);
        assert_eq!(order.back_edges(&graph).collect::<Vec<_>>(), [(3, 0)]);
    }

    #[test]
    fn cross_edges_and_forward_edges_lead_on() {
        let graph = Graph::new(4, &[(0, 1), (1, 2), (0, 2), (0, 3), (3, 2), (2, 2)]);
        let order = DepthFirst::new(&graph);
        assert!(!order.is_back_edge(0, 2));
        assert!(!order.is_back_edge(3, 2));
        assert!(order.is_back_edge(2, 2));
        assert_eq!(order.back_edges(&graph).collect::<Vec<_>>(), [(2, 2)]);
    }

    #[test]
    fn further_roots_reach_the_rest() {
        let graph = Graph::new(4, &[(0, 1), (2, 1), (2, 3)]);
        let order = DepthFirst::from_roots(&graph, [0, 2, 3, 9]);
        assert_eq!(order.pre_order(), [0, 1, 2, 3]);
        assert_eq!(order.parent(2), None);
        assert!(!order.is_ancestor(0, 2));
    }

    #[test]
    fn an_empty_graph_has_an_empty_order() {
        let order = DepthFirst::new(&Graph::new(0, &[]));
        assert!(order.pre_order().is_empty());
        assert!(!order.is_reachable(0));
        assert!(!order.is_ancestor(0, 0));
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let nodes = 1 << 18;
        let edges: Vec<_> = (1..nodes).map(|node| (node - 1, node)).collect();
        let order = DepthFirst::new(&Graph::new(nodes, &edges));
        assert_eq!(order.post_order().first(), Some(&(nodes - 1)));
        assert!(order.is_ancestor(0, nodes - 1));
    }
}
