//! Which nodes of a graph are alike: the coarsest partition in which nodes of one
//! class have the same label, and at each position an edge to the same class.
//!
//! That is the minimization of a deterministic automaton, with nodes for states and
//! positions for input symbols, here in the form of Antti Valmari ("Fast brief practical
//! DFA minimization", 2012): time `m log m` for `m` edges, and cycles, as of types of
//! linked lists, are nothing special.

/// The edges of a graph, grouped by the node they start from.
#[derive(Debug, Default)]
pub(super) struct Edges {
    /// For each node, where its edges begin; one more, for where the last one's end.
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    /// Adds the edges of the next node, in the order of their positions.
    pub(super) fn push(&mut self, edges: impl IntoIterator<Item = u32>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.to.extend(edges);
        self.starts.push(self.to.len() as u32);
    }

    /// The nodes that a node's edges lead to.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let at = |index: usize| self.starts.get(index).map_or(0, |&at| at as usize);
        let (start, end) = (at(node as usize), at(node as usize + 1));
        self.to.get(start..end).unwrap_or_default()
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.to.len()
    }

    fn node_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// The class of each node, given the labels of all.
pub(super) fn classes(labels: &[u32], edges: &Edges) -> Vec<u32> {
    let mut tails = Vec::with_capacity(edges.to.len());
    let mut positions = Vec::with_capacity(edges.to.len());
    for node in 0..edges.node_count() as u32 {
        for position in 0..edges.of(node).len() as u32 {
            tails.push(node);
            positions.push(position);
        }
    }
    let incoming = Groups::by(&edges.to, labels.len());
    let mut blocks = Partition::by(labels);
    let mut cords = Partition::by(&positions);
    let (mut next_block, mut next_cord) = (1, 0);
    while next_cord < cords.count() {
        for at in cords.range(next_cord) {
            let edge = cords.elements[at];
            blocks.mark(tails[edge as usize]);
        }
        blocks.split();
        next_cord += 1;
        while next_block < blocks.count() {
            for at in blocks.range(next_block) {
                for &edge in incoming.of(blocks.elements[at]) {
                    cords.mark(edge);
                }
            }
            cords.split();
            next_block += 1;
        }
    }
    blocks.set_of
}

/// Indices by the number that each has.
struct Groups {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Groups {
    /// Sorts the indices of a list by the numbers in it, which are below `bound`.
    fn by(numbers: &[u32], bound: usize) -> Self {
        let mut starts = vec![0; bound + 1];
        for &number in numbers {
            starts[number as usize + 1] += 1;
        }
        for index in 0..bound {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut members = vec![0; numbers.len()];
        for (index, &number) in numbers.iter().enumerate() {
            let slot = &mut next[number as usize];
            members[*slot as usize] = index as u32;
            *slot += 1;
        }
        Self { starts, members }
    }

    fn of(&self, number: u32) -> &[u32] {
        let (start, end) = (
            self.starts[number as usize],
            self.starts[number as usize + 1],
        );
        &self.members[start as usize..end as usize]
    }
}

/// A partition of the numbers from 0 up into sets that can be split.
struct Partition {
    /// All elements, those of one set side by side.
    elements: Vec<u32>,
    /// Where each element stands.
    location: Vec<u32>,
    set_of: Vec<u32>,
    sets: Vec<Set>,
    /// The sets with marked elements.
    touched: Vec<u32>,
}

/// A run of elements, the marked ones first.
#[derive(Clone, Copy)]
struct Set {
    first: u32,
    end: u32,
    marked: u32,
}

impl Partition {
    /// Puts those with the same label into one set.
    fn by(labels: &[u32]) -> Self {
        let bound = labels.iter().max().map_or(0, |&label| label as usize + 1);
        let groups = Groups::by(labels, bound);
        let mut location = vec![0; labels.len()];
        for (at, &element) in groups.members.iter().enumerate() {
            location[element as usize] = at as u32;
        }
        let mut set_of = vec![0; labels.len()];
        let mut sets = Vec::new();
        for label in 0..bound as u32 {
            let (first, end) = (
                groups.starts[label as usize],
                groups.starts[label as usize + 1],
            );
            if first == end {
                continue;
            }
            for &element in groups.of(label) {
                set_of[element as usize] = sets.len() as u32;
            }
            sets.push(Set {
                first,
                end,
                marked: 0,
            });
        }
        Self {
            elements: groups.members,
            location,
            set_of,
            sets,
            touched: Vec::new(),
        }
    }

    fn count(&self) -> usize {
        self.sets.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        let set = self.sets[set];
        set.first as usize..set.end as usize
    }

    fn mark(&mut self, element: u32) {
        let number = self.set_of[element as usize];
        let set = &mut self.sets[number as usize];
        let (at, border) = (self.location[element as usize], set.first + set.marked);
        if at < border {
            return;
        }
        if set.marked == 0 {
            self.touched.push(number);
        }
        set.marked += 1;
        self.elements.swap(at as usize, border as usize);
        self.location[self.elements[at as usize] as usize] = at;
        self.location[element as usize] = border;
    }

    /// Parts the marked from the others; the smaller part becomes a new set.
    fn split(&mut self) {
        while let Some(number) = self.touched.pop() {
            let set = &mut self.sets[number as usize];
            let border = set.first + std::mem::take(&mut set.marked);
            if border == set.end {
                continue;
            }
            let mut new = *set;
            if border - set.first <= set.end - border {
                new.end = border;
                set.first = border;
            } else {
                new.first = border;
                set.end = border;
            }
            let index = self.sets.len() as u32;
            for &element in &self.elements[new.first as usize..new.end as usize] {
                self.set_of[element as usize] = index;
            }
            self.sets.push(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same by definition: classes are split by what edges lead to until nothing
    /// changes.
    fn naive(labels: &[u32], edges: &[Vec<u32>]) -> Vec<u32> {
        let mut classes = labels.to_vec();
        loop {
            let mut seen = Vec::new();
            let next: Vec<u32> = (0..labels.len())
                .map(|node| {
                    let to: Vec<u32> = edges[node].iter().map(|&to| classes[to as usize]).collect();
                    let key = (classes[node], to);
                    let known = seen.iter().position(|other| *other == key);
                    known.unwrap_or_else(|| {
                        seen.push(key);
                        seen.len() - 1
                    }) as u32
                })
                .collect();
            let count = |classes: &[u32]| {
                let set: std::collections::BTreeSet<_> = classes.iter().collect();
                set.len()
            };
            if count(&next) == count(&classes) {
                return next;
            }
            classes = next;
        }
    }

    fn graph() -> impl Strategy<Value = (Vec<u32>, Vec<Vec<u32>>)> {
        (1..24usize).prop_flat_map(|nodes| {
            let labels = prop::collection::vec(0..4u32, nodes);
            let edges = prop::collection::vec(prop::collection::vec(0..nodes as u32, 3), nodes);
            (labels, edges).prop_map(|(labels, mut edges)| {
                // As with operands, the label says how many there are.
                for (label, edges) in labels.iter().zip(&mut edges) {
                    edges.truncate(*label as usize);
                }
                (labels, edges)
            })
        })
    }

    proptest! {
        #[test]
        fn classes_are_those_of_the_definition((labels, lists) in graph()) {
            let mut edges = Edges::default();
            for list in &lists {
                edges.push(list.iter().copied());
            }
            let (fast, slow) = (classes(&labels, &edges), naive(&labels, &lists));
            for a in 0..labels.len() {
                for b in 0..a {
                    prop_assert_eq!(fast[a] == fast[b], slow[a] == slow[b], "{} and {}", a, b);
                }
            }
        }
    }

    #[test]
    fn very_long_chains_take_no_time() {
        // Two chains of the same length, the second of which ends otherwise.
        let length = 200_000;
        let mut labels = vec![0; 2 * length];
        labels[length - 1] = 1;
        labels[2 * length - 1] = 2;
        let mut edges = Edges::default();
        for node in 0..2 * length as u32 {
            let ends = labels[node as usize] != 0;
            edges.push((!ends).then_some(node + 1));
        }
        let classes = classes(&labels, &edges);
        let different: std::collections::BTreeSet<_> = classes.iter().collect();
        assert_eq!(different.len(), 2 * length);
    }
}
