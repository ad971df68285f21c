//! What can be reached, asked many times.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Graph, Node};

/// Finds what can be reached from nodes, or from what they can be reached, again and
/// again: each question takes time in proportion to the edges that are followed, not
/// to the graph.
///
/// ```
/// use spirvkit_analysis::{Graph, Walk};
///
/// let graph = Graph::new(4, &[(0, 2), (1, 2), (2, 3)]);
/// let mut walk = Walk::new(&graph);
/// assert_eq!(walk.forwards([1]), [1, 2, 3]);
/// assert_eq!(walk.backwards([2]), [2, 0, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Walk<'g> {
    graph: &'g Graph,
    /// For each node the last question in whose answer it was.
    seen: Vec<u32>,
    question: u32,
    found: Vec<Node>,
}

impl<'g> Walk<'g> {
    /// Gets ready to ask of a graph.
    pub fn new(graph: &'g Graph) -> Walk<'g> {
        Walk {
            graph,
            seen: vec![0; graph.len() as usize],
            question: 0,
            found: Vec::new(),
        }
    }

    /// These nodes and all that can be reached from them, the closest first.
    pub fn forwards(&mut self, from: impl IntoIterator<Item = Node>) -> &[Node] {
        self.ask(from, Graph::successors)
    }

    /// These nodes and all from which they can be reached, the closest first.
    pub fn backwards(&mut self, from: impl IntoIterator<Item = Node>) -> &[Node] {
        self.ask(from, Graph::predecessors)
    }

    fn ask(
        &mut self,
        from: impl IntoIterator<Item = Node>,
        next: fn(&'g Graph, Node) -> &'g [Node],
    ) -> &[Node] {
        self.question = match self.question.checked_add(1) {
            Some(question) => question,
            None => {
                self.seen.fill(0);
                1
            }
        };
        self.found.clear();
        from.into_iter().for_each(|node| self.find(node));
        let mut done = 0;
        while let Some(&node) = self.found.get(done) {
            done += 1;
            for &node in next(self.graph, node) {
                self.find(node);
            }
        }
        &self.found
    }

    fn find(&mut self, node: Node) {
        if let Some(seen) = self.seen.get_mut(node as usize)
            && core::mem::replace(seen, self.question) != self.question
        {
            self.found.push(node);
        }
    }
}
