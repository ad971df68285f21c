//! Post-dominance.

use alloc::vec;
use alloc::vec::Vec;

use crate::graph::Edges;
use crate::{DepthFirst, DominatorTree, Graph, Node};

/// Which nodes every path from a node to an exit goes through (specification,
/// section 2.2.5, "Post Dominate").
///
/// A node without successors is an exit. Where there is none ahead, control goes
/// round in a loop for ever; each innermost such part of the graph, from which no
/// edge leads on, gets one exit of its own: the node that a traversal from the
/// entry leaves first, which in a plain loop is the one that branches back. So a
/// loop's end post-dominates its body, whether or not the loop ever ends, and
/// every node has a place in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostDominatorTree {
    /// The tree of the reversed graph, whose root is a node behind all exits: the
    /// last.
    tree: DominatorTree,
    root: Node,
}

impl PostDominatorTree {
    /// The tree of a graph whose entry is node 0.
    pub fn new(graph: &Graph) -> PostDominatorTree {
        PostDominatorTree::from_depth_first(graph, &DepthFirst::new(graph))
    }

    /// The tree of a graph that has been traversed already. Where control never
    /// ends, its exit depends on the traversal.
    pub fn from_depth_first(graph: &Graph, order: &DepthFirst) -> PostDominatorTree {
        let root = graph.len();
        let backwards = Backwards::new(graph, exits(graph, order));
        PostDominatorTree {
            tree: DominatorTree::of(&backwards, root),
            root,
        }
    }

    /// The closest node that post-dominates this one and isn't it; none, if paths
    /// from here only meet behind the exits, and for a node that doesn't exist.
    pub fn immediate(&self, node: Node) -> Option<Node> {
        self.tree
            .immediate(node)
            .filter(|&below| below != self.root)
    }

    /// Whether every path from `above` to an exit goes through `below`. A node
    /// post-dominates itself.
    pub fn dominates(&self, below: Node, above: Node) -> bool {
        below < self.root && above < self.root && self.tree.dominates(below, above)
    }

    /// Whether `below` post-dominates `above` and is another node.
    pub fn strictly_dominates(&self, below: Node, above: Node) -> bool {
        below != above && self.dominates(below, above)
    }
}

/// A graph with every edge turned round, and one more node, from which edges lead
/// to the exits.
struct Backwards<'g> {
    graph: &'g Graph,
    exits: Vec<Node>,
    is_exit: Vec<bool>,
}

impl<'g> Backwards<'g> {
    fn new(graph: &'g Graph, exits: Vec<Node>) -> Self {
        let mut is_exit = vec![false; graph.len() as usize];
        for &exit in &exits {
            is_exit[exit as usize] = true;
        }
        Self {
            graph,
            exits,
            is_exit,
        }
    }

    fn root(&self) -> Node {
        self.graph.len()
    }
}

impl Edges for Backwards<'_> {
    fn len(&self) -> u32 {
        self.root().saturating_add(1)
    }

    fn successors(&self, node: Node) -> &[Node] {
        match node == self.root() {
            true => &self.exits,
            false => self.graph.predecessors(node),
        }
    }

    fn predecessors(&self, node: Node) -> impl Iterator<Item = Node> {
        let root = self.is_exit.get(node as usize) == Some(&true);
        let root = root.then_some(self.root());
        root.into_iter()
            .chain(self.graph.successors(node).iter().copied())
    }
}

/// The nodes that end the function, and one for each part in which control stays
/// for ever.
fn exits(graph: &Graph, order: &DepthFirst) -> Vec<Node> {
    let mut exits: Vec<Node> = (0..graph.len())
        .filter(|&node| graph.successors(node).is_empty())
        .collect();
    let mut ends = vec![false; graph.len() as usize];
    flood(graph, &mut ends, &exits);
    if ends.iter().all(|&ends| ends) {
        return exits;
    }
    // What is left is traversed backwards. The part that a traversal leaves last is
    // one that can't be reached from any other going backwards: forwards, nothing
    // leads out of it. All that leads there is done then, and so on.
    let reached = order
        .post_order()
        .iter()
        .copied()
        .filter(|&node| node < graph.len());
    let unreached = (0..graph.len()).filter(|&node| !order.is_reachable(node));
    let rest = reached
        .chain(unreached)
        .filter(|&node| !ends[node as usize]);
    let rest: Vec<Node> = rest.collect();
    let backwards = DepthFirst::traverse(&Backwards::new(graph, Vec::new()), rest);
    for &node in backwards.post_order().iter().rev() {
        if !ends[node as usize] {
            exits.push(node);
            flood(graph, &mut ends, &[node]);
        }
    }
    exits
}

/// Marks these nodes and all from which they can be reached.
fn flood(graph: &Graph, marks: &mut [bool], from: &[Node]) {
    let mut waiting = from.to_vec();
    for &node in from {
        marks[node as usize] = true;
    }
    while let Some(node) = waiting.pop() {
        for &predecessor in graph.predecessors(node) {
            if !core::mem::replace(&mut marks[predecessor as usize], true) {
                waiting.push(predecessor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_post_dominates_its_selection() {
        let graph = Graph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let tree = PostDominatorTree::new(&graph);
        assert_eq!(tree.immediate(0), Some(3));
        assert_eq!(tree.immediate(3), None);
        assert!(tree.dominates(3, 1));
        assert!(tree.dominates(3, 3));
        assert!(!tree.strictly_dominates(3, 3));
        assert!(!tree.dominates(1, 0));
    }

    #[test]
    fn two_exits_have_nothing_in_common() {
        let tree = PostDominatorTree::new(&Graph::new(3, &[(0, 1), (0, 2)]));
        assert_eq!(tree.immediate(0), None);
        assert!(!tree.dominates(1, 0));
    }

    #[test]
    fn the_end_of_an_endless_loop_post_dominates_it() {
        // 0 enters the loop of 1, 2 and 3; 2 may skip to 3, which branches back.
        let graph = Graph::new(4, &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 1)]);
        let tree = PostDominatorTree::new(&graph);
        assert_eq!(tree.immediate(1), Some(3));
        assert_eq!(tree.immediate(2), Some(3));
        assert_eq!(tree.immediate(0), Some(1));
        assert!(tree.dominates(3, 0));
    }

    #[test]
    fn a_loop_that_leads_into_an_endless_one_is_no_exit() {
        // 0 and 1 form a loop with a way out to 2, which goes round alone.
        let graph = Graph::new(3, &[(0, 1), (1, 0), (0, 2), (2, 2)]);
        let tree = PostDominatorTree::new(&graph);
        assert_eq!(tree.immediate(1), Some(0));
        assert_eq!(tree.immediate(0), Some(2));
    }

    #[test]
    fn an_exit_beside_an_endless_loop_is_not_the_only_end() {
        let graph = Graph::new(3, &[(0, 1), (0, 2), (2, 2)]);
        let tree = PostDominatorTree::new(&graph);
        assert_eq!(tree.immediate(0), None);
        assert!(!tree.dominates(1, 0));
    }

    #[test]
    fn what_does_not_exist_dominates_nothing() {
        let tree = PostDominatorTree::new(&Graph::new(1, &[]));
        assert!(!tree.dominates(1, 0));
        assert!(!tree.dominates(0, 1));
        assert!(!tree.dominates(1, 1));
        assert_eq!(tree.immediate(9), None);
        assert!(!PostDominatorTree::new(&Graph::new(0, &[])).dominates(0, 0));
    }
}
