//! The graph itself.

use alloc::vec::Vec;

use crate::lists::Lists;

/// The number of a node: its place in the caller's list of blocks. The entry is
/// node 0.
pub type Node = u32;

/// A directed graph, kept as flat arrays: for each node its successors and its
/// predecessors.
///
/// Edges keep the order in which they were listed, which decides the order of
/// a traversal, and an edge listed twice is there twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    successors: Lists<Node>,
    predecessors: Lists<Node>,
}

impl Graph {
    /// A graph of `nodes` nodes, 0 and up, with these edges, each from its first
    /// to its second node.
    ///
    /// Edges from or to nodes that don't exist are left out. `u32::MAX` is not a
    /// possible number of nodes; it is taken for one less.
    pub fn new(nodes: u32, edges: &[(Node, Node)]) -> Graph {
        let nodes = nodes.min(Node::MAX - 1);
        let is_inside = |&(from, to): &(Node, Node)| from < nodes && to < nodes;
        if edges.iter().all(is_inside) {
            return Self::of_inside(nodes, edges);
        }
        let inside: Vec<_> = edges.iter().copied().filter(is_inside).collect();
        Self::of_inside(nodes, &inside)
    }

    /// The same with edges from and to nodes that exist.
    fn of_inside(nodes: u32, edges: &[(Node, Node)]) -> Graph {
        let turned = edges.iter().map(|&(from, to)| (to, from));
        Graph {
            successors: match edges.is_sorted_by_key(|edge| edge.0) {
                true => Lists::of_sorted(nodes, edges),
                false => Lists::new(nodes, edges.iter().copied()),
            },
            predecessors: Lists::new(nodes, turned),
        }
    }

    /// The same graph with further edges, each after the other edges of its node.
    pub fn with_edges(&self, further: &[(Node, Node)]) -> Graph {
        let mut edges = Vec::with_capacity(self.successors.item_count() + further.len());
        edges.extend(self.edges());
        edges.extend_from_slice(further);
        Graph::new(self.len(), &edges)
    }

    /// The same graph with every edge turned round.
    pub fn reversed(&self) -> Graph {
        Graph {
            successors: self.predecessors.clone(),
            predecessors: self.successors.clone(),
        }
    }

    /// How many nodes there are.
    #[inline]
    pub fn len(&self) -> u32 {
        self.successors.len()
    }

    /// Whether there is no node at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the edges of a node lead, in their order; nowhere, if there is no
    /// such node.
    #[inline]
    pub fn successors(&self, node: Node) -> &[Node] {
        self.successors.of(node)
    }

    /// Where the edges to a node come from; from nowhere, if there is no such
    /// node.
    #[inline]
    pub fn predecessors(&self, node: Node) -> &[Node] {
        self.predecessors.of(node)
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.successors.item_count()
    }

    /// All edges, by the node that they leave.
    pub fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        (0..self.len()).flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }
}

/// What traversals and dominance need of a graph.
pub(crate) trait Edges {
    fn len(&self) -> u32;
    fn successors(&self, node: Node) -> &[Node];
    fn predecessors(&self, node: Node) -> impl Iterator<Item = Node>;
}

impl Edges for Graph {
    fn len(&self) -> u32 {
        self.len()
    }

    fn successors(&self, node: Node) -> &[Node] {
        self.successors(node)
    }

    fn predecessors(&self, node: Node) -> impl Iterator<Item = Node> {
        self.predecessors(node).iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_keep_their_order_and_number() {
        let graph = Graph::new(3, &[(0, 2), (1, 2), (0, 1), (0, 2), (2, 2)]);
        assert_eq!(graph.successors(0), [2, 1, 2]);
        assert_eq!(graph.successors(1), [2]);
        assert_eq!(graph.successors(2), [2]);
        assert_eq!(graph.predecessors(2), [0, 1, 0, 2]);
        assert!(graph.predecessors(0).is_empty());
        assert_eq!(graph.edges().count(), 5);
    }

    #[test]
    fn what_does_not_exist_has_no_edges() {
        let graph = Graph::new(2, &[(0, 1), (0, 2), (2, 0), (Node::MAX, 1), (1, Node::MAX)]);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1)]);
        assert!(graph.successors(2).is_empty());
        assert!(graph.predecessors(Node::MAX).is_empty());

        let empty = Graph::new(0, &[(0, 0)]);
        assert!(empty.is_empty());
        assert!(empty.successors(0).is_empty());
    }

    #[test]
    fn edges_can_be_added_and_turned_round() {
        let graph = Graph::new(3, &[(0, 1)]).with_edges(&[(0, 2), (2, 1), (3, 0)]);
        assert_eq!(graph.successors(0), [1, 2]);
        assert_eq!(graph.predecessors(1), [0, 2]);
        let reversed = graph.reversed();
        assert_eq!(reversed.successors(1), [0, 2]);
        assert_eq!(reversed.predecessors(1), []);
        assert_eq!(reversed.reversed(), graph);
    }
}
