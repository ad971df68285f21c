//! Strongly connected components.

use alloc::vec;
use alloc::vec::Vec;

use crate::lists::Lists;
use crate::{DepthFirst, Graph, Node};

/// The strongly connected components of a graph: nodes are in the same one if each
/// can be reached from the other. They are found by the algorithm of Kosaraju and
/// Sharir, in linear time, whether or not they can be reached from node 0.
///
/// ```
/// use spirvkit_analysis::{Components, Graph};
///
/// let components = Components::new(&Graph::new(4, &[(0, 1), (1, 2), (2, 1), (2, 3)]));
/// assert_eq!(components.len(), 3);
/// assert_eq!(components.of(1), components.of(2));
/// assert_eq!(components.nodes(1), [1, 2]);
/// assert!(components.is_cyclic(1) && !components.is_cyclic(0));
/// assert_eq!(components.in_order(), [3, 1, 2, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// For each node its component.
    numbers: Vec<u32>,
    nodes: Lists<Node>,
    is_cyclic: Vec<bool>,
}

impl Components {
    /// Finds the components of a graph.
    pub fn new(graph: &Graph) -> Components {
        let order = DepthFirst::from_roots(graph, 0..graph.len());
        let last_first = order.post_order().iter().rev().copied();
        let backwards = DepthFirst::from_roots(&graph.reversed(), last_first);
        // Each tree of this traversal is a component, found before those that it
        // leads to.
        let is_root = |&&node: &&Node| backwards.parent(node).is_none();
        let count = backwards.pre_order().iter().filter(is_root).count() as u32;
        let mut numbers = vec![0; graph.len() as usize];
        let mut left = count;
        for &node in backwards.pre_order() {
            left -= u32::from(backwards.parent(node).is_none());
            numbers[node as usize] = left;
        }
        let of_nodes = (0..graph.len()).map(|node| (numbers[node as usize], node));
        let nodes = Lists::new(count, of_nodes);
        let has_own_edge = |node: Node| graph.successors(node).contains(&node);
        let is_cyclic = (0..count).map(|component| match *nodes.of(component) {
            [node] => has_own_edge(node),
            _ => true,
        });
        Components {
            is_cyclic: is_cyclic.collect(),
            numbers,
            nodes,
        }
    }

    /// How many components there are.
    pub fn len(&self) -> u32 {
        self.nodes.len()
    }

    /// Whether there is none, because there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The component of a node. Each comes after those that it leads to.
    pub fn of(&self, node: Node) -> Option<u32> {
        self.numbers.get(node as usize).copied()
    }

    /// The nodes of a component, in the order of their numbers; none, if there is no
    /// such component.
    pub fn nodes(&self, component: u32) -> &[Node] {
        self.nodes.of(component)
    }

    /// All nodes, by component: each after those that it leads to, unless they lead
    /// back to it.
    pub fn in_order(&self) -> &[Node] {
        self.nodes.all()
    }

    /// Whether edges lead from a node of the component back to it: whether it has more
    /// than one, or one with an edge to itself.
    pub fn is_cyclic(&self, component: u32) -> bool {
        self.is_cyclic.get(component as usize) == Some(&true)
    }
}
