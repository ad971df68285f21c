//! Dominance.

use alloc::vec;
use alloc::vec::Vec;

use crate::graph::Edges;
use crate::{DepthFirst, Graph, NONE, Node};

/// Which nodes every path from the root to a node goes through (specification,
/// section 2.2.5, "Dominate").
///
/// To a node that can't be reached there is no path, so by definition every node
/// dominates it; it stands outside the tree, though, and dominates nothing that
/// can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DominatorTree {
    immediate: Vec<Node>,
    /// A numbering in which the nodes of every subtree are consecutive.
    numbers: Vec<u32>,
    /// How many nodes each subtree has; 0 for a node that can't be reached.
    sizes: Vec<u32>,
    pre_order: Vec<Node>,
}

impl DominatorTree {
    /// The tree of a graph whose entry is node 0.
    pub fn new(graph: &Graph) -> DominatorTree {
        DominatorTree::from_depth_first(graph, &DepthFirst::new(graph))
    }

    /// The tree of a graph whose entry is `root`.
    pub fn from_root(graph: &Graph, root: Node) -> DominatorTree {
        DominatorTree::of(graph, root)
    }

    pub(crate) fn of(graph: &impl Edges, root: Node) -> DominatorTree {
        let mut order = DepthFirst::traverse(graph, core::iter::once(root));
        order.forget_post_order();
        DominatorTree::after(graph, &order)
    }

    /// The tree of a graph that has been traversed already.
    ///
    /// The traversal must be one of this graph and from one root; after any other,
    /// what comes back says nothing.
    pub fn from_depth_first(graph: &Graph, order: &DepthFirst) -> DominatorTree {
        let another;
        let order = if order.fits(graph) {
            order
        } else {
            another = DepthFirst::new(graph);
            &another
        };
        DominatorTree::after(graph, order)
    }

    /// The tree of a graph whose entry is node 0, by a traversal from there of a graph
    /// that has the same edges and further ones.
    ///
    /// This spares a traversal of its own if the further edges change little; after a
    /// traversal of a graph that lacks edges, what comes back says nothing.
    pub fn from_wider(graph: &Graph, order: &DepthFirst) -> DominatorTree {
        let is_rooted = order.post_order().last() == Some(&0);
        if order.fits(graph) && is_rooted {
            let nodes = order.post_order().iter().rev().copied();
            if let Some(tree) = DominatorTree::at_once(graph, order, nodes) {
                return tree;
            }
        }
        DominatorTree::new(graph)
    }

    fn after(graph: &impl Edges, order: &DepthFirst) -> DominatorTree {
        let nodes = order.pre_order().iter().copied();
        if let Some(tree) = DominatorTree::at_once(graph, order, nodes.clone()) {
            return tree;
        }
        if order.lacks_parents() {
            return DominatorTree::after(graph, &order.again(graph));
        }
        let mut tree = DominatorTree::with(immediate_dominators(graph, order), nodes);
        // After a traversal of another graph, some nodes may have no number of their own.
        tree.pre_order.retain(|&node| node != NONE);
        tree
    }

    /// The tree by one pass, if that finds it.
    fn at_once(
        graph: &impl Edges,
        order: &DepthFirst,
        nodes: impl DoubleEndedIterator<Item = Node> + Clone,
    ) -> Option<DominatorTree> {
        let (immediate, back_edges) = by_one_pass(graph, order)?;
        let tree = DominatorTree::with(immediate, nodes);
        // After a traversal of another graph, this may be no tree.
        let is_tree = !tree.pre_order.contains(&NONE);
        let mut back_edges = back_edges.iter();
        (is_tree && back_edges.all(|&(from, to)| tree.dominates(to, from))).then_some(tree)
    }

    /// The tree of these immediate dominators. Each node comes after its own among
    /// `nodes`, the root first.
    fn with(
        immediate: Vec<Node>,
        nodes: impl DoubleEndedIterator<Item = Node> + Clone,
    ) -> DominatorTree {
        let root = nodes.clone().next();
        let is_reached = |node: &Node| immediate[*node as usize] != NONE || Some(*node) == root;
        let nodes = nodes.filter(is_reached);
        let mut sizes = vec![0; immediate.len()];
        let mut total = 0;
        for node in nodes.clone().rev() {
            total += 1;
            sizes[node as usize] += 1;
            let size = sizes[node as usize];
            if let Some(size_above) = sizes.get_mut(immediate[node as usize] as usize) {
                *size_above += size;
            }
        }
        // For each node the first number that none of its subtrees has taken.
        let mut numbers = vec![0; immediate.len()];
        let mut by_number = vec![NONE; total];
        let mut first = 0;
        for node in nodes.clone() {
            let next = match numbers.get_mut(immediate[node as usize] as usize) {
                Some(next) => next,
                None => &mut first,
            };
            let number = *next;
            // After a traversal of another graph, all of this may be anything.
            *next = u32::wrapping_add(*next, sizes[node as usize]);
            numbers[node as usize] = number.wrapping_add(1);
            if let Some(slot) = by_number.get_mut(number as usize) {
                *slot = node;
            }
        }
        // Now that is the number behind all of them.
        for node in nodes {
            let number = &mut numbers[node as usize];
            *number = number.wrapping_sub(sizes[node as usize]);
        }
        DominatorTree {
            immediate,
            numbers,
            sizes,
            pre_order: by_number,
        }
    }

    /// Whether this can be the tree of a graph: of one with as many nodes.
    pub(crate) fn fits(&self, graph: &Graph) -> bool {
        self.immediate.len() == graph.len() as usize
    }

    /// The closest node that dominates this one and isn't it; none for the root
    /// and for what can't be reached.
    #[inline]
    pub fn immediate(&self, node: Node) -> Option<Node> {
        self.immediate
            .get(node as usize)
            .copied()
            .filter(|&above| above != NONE)
    }

    /// Whether every path from the root to `below` goes through `above`. A node
    /// dominates itself.
    #[inline]
    pub fn dominates(&self, above: Node, below: Node) -> bool {
        if !self.is_reachable(below) {
            return true;
        }
        let number = |node: Node| self.numbers.get(node as usize).copied().unwrap_or(0);
        let size = self.sizes.get(above as usize).copied().unwrap_or(0);
        number(below).wrapping_sub(number(above)) < size
    }

    /// Whether `above` dominates `below` and is another node.
    pub fn strictly_dominates(&self, above: Node, below: Node) -> bool {
        above != below && self.dominates(above, below)
    }

    /// Whether there is a path from the root to this node.
    #[inline]
    pub fn is_reachable(&self, node: Node) -> bool {
        self.sizes.get(node as usize).is_some_and(|&size| size != 0)
    }

    /// The nodes that can be reached, each after its immediate dominator and
    /// followed by all that it dominates.
    pub fn pre_order(&self) -> &[Node] {
        &self.pre_order
    }

    /// What a node dominates, itself first; nothing, if it can't be reached.
    pub fn subtree(&self, node: Node) -> &[Node] {
        let node = node as usize;
        match (self.numbers.get(node), self.sizes.get(node)) {
            (Some(&number), Some(&size)) => {
                let rest = self.pre_order.get(number as usize..);
                let subtree = rest.and_then(|rest| rest.get(..size as usize));
                subtree.unwrap_or_default()
            }
            _ => &[],
        }
    }
}

/// From a node to another.
type Edge = (Node, Node);

/// One pass over the nodes in reverse post-order, as of the algorithm of Cooper, Harvey
/// and Kennedy ("A Simple, Fast Dominance Algorithm", 2001), that leaves out edges that
/// lead back. These are given, too: if each leads to a dominator of where it comes from,
/// as in all structured control flow, they change nothing, and the result is right.
///
/// Gives nothing if the walks up the tree take more than a few steps an edge, or if the
/// traversal has no post-order.
fn by_one_pass(graph: &impl Edges, order: &DepthFirst) -> Option<(Vec<Node>, Vec<Edge>)> {
    const STEPS: usize = 16;
    let place = order.post_numbers();
    let mut immediate = vec![NONE; graph.len() as usize];
    let mut back_edges = Vec::with_capacity(16);
    let mut steps = 0;
    let (&root, rest) = order.post_order().split_last()?;
    for &node in rest.iter().rev() {
        let own = *place.get(node as usize)?;
        let mut dominator = NONE;
        for from in graph.predecessors(node) {
            let from_place = *place.get(from as usize)?;
            if from_place == NONE {
                continue;
            }
            if from_place <= own {
                back_edges.push((from, node));
                continue;
            }
            // Of a wider graph's nodes, some may not be reached.
            if immediate[from as usize] == NONE && from != root {
                continue;
            }
            steps += STEPS;
            if dominator == NONE {
                dominator = from;
                continue;
            }
            let (mut one, mut other) = (from, dominator);
            while one != other {
                steps = steps.checked_sub(1)?;
                let lower = match place[one as usize] < place[other as usize] {
                    true => &mut one,
                    false => &mut other,
                };
                *lower = immediate[*lower as usize];
                immediate.get(*lower as usize)?;
            }
            dominator = one;
        }
        immediate[node as usize] = dominator;
    }
    immediate[root as usize] = NONE;
    Some((immediate, back_edges))
}

/// The algorithm of Lengauer and Tarjan ("A Fast Algorithm for Finding Dominators
/// in a Flowgraph", 1979) in its simple form, whose path compression bounds it by
/// O(e log n).
///
/// Nodes are called by their places in the pre-order.
fn immediate_dominators(graph: &impl Edges, order: &DepthFirst) -> Vec<Node> {
    let reached = order.pre_order().len();
    let parent_of = |number: usize| {
        let parent = order.parent(order.pre_order()[number]);
        parent
            .and_then(|node| order.pre_number(node))
            .unwrap_or(NONE)
    };
    let mut forest = Forest {
        above: vec![NONE; reached],
        least: vec![NONE; reached],
        semi: (0..reached as u32).collect(),
        path: Vec::new(),
    };
    // Until its immediate dominator is known, a node is in the list of the nodes that
    // have the same semidominator, and this is the next one of that list. The first of
    // a list stands in `least`, which holds nothing else before a node is linked.
    let mut immediate = vec![NONE; reached];
    for node in (0..reached).rev() {
        let parent = parent_of(node);
        if parent == NONE {
            continue;
        }
        for predecessor in graph.predecessors(order.pre_order()[node]) {
            if let Some(predecessor) = order.pre_number(predecessor) {
                let least = forest.least_above(predecessor);
                let semi = forest.semi[least as usize];
                forest.semi[node] = forest.semi[node].min(semi);
            }
        }
        let semi = forest.semi[node] as usize;
        immediate[node] = core::mem::replace(&mut forest.least[semi], node as u32);
        forest.link(node as u32, parent);
        let mut waiting = core::mem::replace(&mut forest.least[parent as usize], NONE);
        while waiting != NONE {
            let least = forest.least_above(waiting);
            let is_less = forest.semi[least as usize] < forest.semi[waiting as usize];
            let dominator = if is_less { least } else { parent };
            waiting = core::mem::replace(&mut immediate[waiting as usize], dominator);
        }
    }
    let semi = forest.semi;
    drop((forest.above, forest.least, forest.path));
    let mut result = vec![NONE; graph.len() as usize];
    for node in 0..reached {
        if immediate[node] != NONE && immediate[node] != semi[node] {
            immediate[node] = immediate[immediate[node] as usize];
        }
        if let Some(&above) = order.pre_order().get(immediate[node] as usize) {
            result[order.pre_order()[node] as usize] = above;
        }
    }
    result
}

/// The part of the traversal's tree that has been linked so far.
struct Forest {
    /// For each node one further up in its tree: its parent, or what compression
    /// has put there.
    above: Vec<u32>,
    /// For each node that is linked, the node of the least semidominator between it and
    /// the one above it.
    least: Vec<u32>,
    semi: Vec<u32>,
    /// Scratch space of [`Forest::least_above`].
    path: Vec<u32>,
}

impl Forest {
    fn link(&mut self, node: u32, parent: u32) {
        self.above[node as usize] = parent;
        self.least[node as usize] = node;
    }

    /// Of the nodes from this one up to, and without, the root of its tree, that
    /// with the least semidominator; a root itself.
    fn least_above(&mut self, node: u32) -> u32 {
        if self.above[node as usize] == NONE {
            return node;
        }
        let mut at = node;
        loop {
            let above = self.above[at as usize];
            if self.above[above as usize] == NONE {
                break;
            }
            self.path.push(at);
            at = above;
        }
        while let Some(at) = self.path.pop() {
            let above = self.above[at as usize];
            let least = self.least[above as usize];
            if self.semi[least as usize] < self.semi[self.least[at as usize] as usize] {
                self.least[at as usize] = least;
            }
            self.above[at as usize] = self.above[above as usize];
        }
        self.least[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_of_a_selection_do_not_dominate_where_they_meet() {
        let graph = Graph::new(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let tree = DominatorTree::new(&graph);
        assert_eq!(tree.immediate(0), None);
        assert_eq!(tree.immediate(3), Some(0));
        assert!(tree.dominates(0, 3));
        assert!(!tree.dominates(1, 3));
        assert!(tree.dominates(1, 1));
        assert!(!tree.strictly_dominates(1, 1));
    }

    /// The example of the paper by Lengauer and Tarjan, figures 1 and 2, with R as
    /// 0 and A to L as 1 to 12.
    #[test]
    fn the_published_example_comes_out() {
        let graph = Graph::new(
            13,
            &[
                (0, 1),
                (0, 2),
                (0, 3),
                (1, 4),
                (2, 1),
                (2, 4),
                (2, 5),
                (3, 6),
                (3, 7),
                (4, 12),
                (5, 8),
                (6, 9),
                (7, 9),
                (7, 10),
                (8, 5),
                (8, 11),
                (9, 11),
                (10, 9),
                (11, 9),
                (11, 0),
                (12, 8),
            ],
        );
        let tree = DominatorTree::new(&graph);
        let immediate: Vec<_> = (1..13).map(|node| tree.immediate(node)).collect();
        let expected = [0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4];
        assert_eq!(immediate, expected.map(Some));
        let mut below = tree.subtree(3).to_vec();
        below.sort_unstable();
        assert_eq!(below, [3, 6, 7, 10]);
    }

    #[test]
    fn everything_dominates_what_is_unreachable() {
        let graph = Graph::new(3, &[(0, 1), (2, 1)]);
        let tree = DominatorTree::new(&graph);
        assert!(!tree.is_reachable(2));
        assert!(tree.dominates(1, 2));
        assert!(!tree.dominates(2, 1));
        assert_eq!(tree.immediate(1), Some(0));
        assert_eq!(tree.immediate(2), None);
        assert!(tree.subtree(2).is_empty());
        assert!(tree.subtree(7).is_empty());
        assert!(!tree.dominates(7, 1));
    }

    #[test]
    fn the_tree_can_be_rooted_anywhere() {
        let graph = Graph::new(3, &[(1, 2), (2, 0)]);
        let tree = DominatorTree::from_root(&graph, 1);
        assert_eq!(tree.pre_order(), [1, 2, 0]);
        assert_eq!(tree.immediate(0), Some(2));
        assert!(DominatorTree::from_root(&graph, 3).pre_order().is_empty());
    }

    #[test]
    fn a_traversal_of_a_wider_graph_gives_the_same_tree() {
        // A loop whose continue target, 3, and merge block, 4, its header leads to, too;
        // 6 is reached in the wider graph only.
        let edges = [(0, 1), (1, 2), (2, 3), (2, 4), (3, 1), (4, 5)];
        let graph = Graph::new(7, &edges);
        let wider = graph.with_edges(&[(1, 4), (1, 3), (4, 6)]);
        let tree = DominatorTree::from_wider(&graph, &DepthFirst::new(&wider));
        let expected = [None, Some(0), Some(1), Some(2), Some(2), Some(4), None];
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|node| tree.immediate(node)),
            expected
        );
        assert!(tree.dominates(2, 5) && !tree.dominates(3, 5));
        assert!(!tree.is_reachable(6));
        let mut below = tree.subtree(2).to_vec();
        below.sort_unstable();
        assert_eq!(below, [2, 3, 4, 5]);
    }

    /// Two ways into a loop, so that the edge that leads back belongs to a path that one pass
    /// doesn't see.
    #[test]
    fn a_loop_with_two_entries_has_no_header_that_dominates() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 1), (0, 3), (3, 4)];
        let tree = DominatorTree::new(&Graph::new(5, &edges));
        let immediate: Vec<_> = (1..5).map(|node| tree.immediate(node)).collect();
        assert_eq!(immediate, [Some(0), Some(1), Some(0), Some(3)]);

        let graph = Graph::new(5, &edges);
        let mut order = DepthFirst::new(&graph);
        order.forget_parents();
        assert_eq!(DominatorTree::from_depth_first(&graph, &order), tree);
    }

    /// A ladder that makes iterative data-flow, and unbounded walks up the tree,
    /// take quadratic time.
    #[test]
    fn a_ladder_of_crossing_edges_takes_no_quadratic_time() {
        let rungs = 1 << 17;
        let mut edges = Vec::new();
        for rung in 0..rungs {
            edges.push((rung, rung + 1));
            edges.push((rung + 1, rung));
        }
        edges.push((0, rungs));
        let tree = DominatorTree::new(&Graph::new(rungs + 1, &edges));
        assert!((1..=rungs).all(|node| tree.immediate(node) == Some(0)));
    }
}
