//! Every answer about a graph against a search through the graph.

use proptest::prelude::*;
use spirvkit_analysis::{
    Components, DepthFirst, DominatorTree, Graph, LoopNest, Node, PostDominatorTree, Walk,
};

/// What can be reached from a node without entering `without`.
fn reachable(graph: &Graph, from: Node, without: Option<Node>) -> Vec<bool> {
    let mut seen = vec![false; graph.len() as usize];
    let mut waiting = vec![from];
    while let Some(node) = waiting.pop() {
        if Some(node) == without || node >= graph.len() || seen[node as usize] {
            continue;
        }
        seen[node as usize] = true;
        waiting.extend(graph.successors(node));
    }
    seen
}

/// A depth-first traversal as one would explain it.
fn traverse(graph: &Graph, node: Node, path: &mut Vec<Node>, seen: &mut Naive) {
    seen.pre.push(node);
    path.push(node);
    for &next in graph.successors(node) {
        if path.contains(&next) {
            seen.back.push((node, next));
        } else if !seen.pre.contains(&next) {
            traverse(graph, next, path, seen);
        }
    }
    path.pop();
    seen.post.push(node);
}

#[derive(Default)]
struct Naive {
    pre: Vec<Node>,
    post: Vec<Node>,
    back: Vec<(Node, Node)>,
}

prop_compose! {
    fn graphs()(nodes in 0u32..14)(
        nodes in Just(nodes),
        edges in prop::collection::vec((0..nodes + 1, 0..nodes + 1), 0..(2 * nodes as usize + 2)),
    ) -> Graph {
        Graph::new(nodes, &edges)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn orders_are_those_of_a_recursive_traversal(graph in graphs()) {
        let mut naive = Naive::default();
        if !graph.is_empty() {
            traverse(&graph, 0, &mut Vec::new(), &mut naive);
        }
        let order = DepthFirst::new(&graph);
        prop_assert_eq!(order.pre_order(), naive.pre);
        prop_assert_eq!(order.post_order(), naive.post);
        let mut back: Vec<_> = order.back_edges(&graph).collect();
        back.sort_unstable();
        naive.back.sort_unstable();
        prop_assert_eq!(back, naive.back);
        let seen = reachable(&graph, 0, None);
        for node in 0..graph.len() {
            prop_assert_eq!(order.is_reachable(node), seen[node as usize]);
        }
    }

    #[test]
    fn a_dominator_cuts_the_node_off(graph in graphs()) {
        let tree = DominatorTree::new(&graph);
        for above in 0..graph.len() {
            let rest = reachable(&graph, 0, Some(above));
            let mut below: Vec<Node> = Vec::new();
            for node in 0..graph.len() {
                let dominates = node == above || !rest[node as usize];
                prop_assert_eq!(tree.dominates(above, node), dominates);
                let strictly = tree.strictly_dominates(above, node);
                prop_assert_eq!(strictly, dominates && node != above);
                if dominates && tree.is_reachable(node) && tree.is_reachable(above) {
                    below.push(node);
                }
            }
            let mut subtree = tree.subtree(above).to_vec();
            subtree.sort_unstable();
            prop_assert_eq!(subtree, below);
        }
    }

    #[test]
    fn the_immediate_dominator_is_the_closest(graph in graphs()) {
        let tree = DominatorTree::new(&graph);
        for node in 0..graph.len() {
            let strict: Vec<Node> = (0..graph.len())
                .filter(|&above| tree.is_reachable(node) && tree.strictly_dominates(above, node))
                .collect();
            match tree.immediate(node) {
                None => prop_assert!(strict.is_empty()),
                Some(immediate) => {
                    prop_assert!(strict.contains(&immediate));
                    prop_assert!(strict.iter().all(|&above| tree.dominates(above, immediate)));
                }
            }
        }
    }

    #[test]
    fn a_post_dominator_cuts_off_the_exits(graph in graphs()) {
        let tree = PostDominatorTree::new(&graph);
        for above in 0..graph.len() {
            // Only where control can't go round for ever is the answer plain.
            let ahead = reachable(&graph, above, None);
            let ends = |node: Node| {
                let ahead = reachable(&graph, node, None);
                (0..graph.len()).any(|at| ahead[at as usize] && graph.successors(at).is_empty())
            };
            if !(0..graph.len()).filter(|&at| ahead[at as usize]).all(ends) {
                continue;
            }
            for below in 0..graph.len() {
                let rest = reachable(&graph, above, Some(below));
                let escapes = (0..graph.len())
                    .any(|at| rest[at as usize] && graph.successors(at).is_empty());
                prop_assert_eq!(tree.dominates(below, above), !escapes, "{} {}", below, above);
            }
        }
    }

    #[test]
    fn without_an_exit_each_innermost_part_has_one(graph in graphs()) {
        let tree = PostDominatorTree::new(&graph);
        // Nodes that reach each other, and from which nothing else can be reached.
        for node in 0..graph.len() {
            let ahead = reachable(&graph, node, None);
            let part: Vec<Node> = (0..graph.len()).filter(|&at| ahead[at as usize]).collect();
            if part.iter().all(|&at| reachable(&graph, at, None)[node as usize]) {
                let common = part
                    .iter()
                    .filter(|&&below| part.iter().all(|&above| tree.dominates(below, above)));
                prop_assert_eq!(common.filter(|&&at| tree.immediate(at).is_none()).count(), 1);
            }
        }
    }

    #[test]
    fn a_traversal_of_another_graph_does_no_harm(
        graph in graphs(),
        other in graphs(),
        roots in prop::collection::vec(0u32..14, 0..4),
    ) {
        let other = if other.len() % 2 == 0 {
            other
        } else {
            Graph::new(graph.len(), &other.edges().collect::<Vec<_>>())
        };
        let order = DepthFirst::from_roots(&other, roots);
        let _ = DominatorTree::from_depth_first(&graph, &order);
        let _ = PostDominatorTree::from_depth_first(&graph, &order);
        let tree = DominatorTree::from_depth_first(&other, &order);
        let nest = LoopNest::from_trees(&graph, &order, &tree);
        for index in 0..nest.loops().len() as u32 {
            let _ = (nest.body(index), nest.contains(index, 0));
        }
    }

    #[test]
    fn added_edges_are_as_good_as_listed_ones(
        graph in graphs(),
        further in prop::collection::vec((0u32..14, 0u32..14), 0..6),
    ) {
        let mut edges: Vec<_> = graph.edges().collect();
        edges.extend_from_slice(&further);
        prop_assert_eq!(graph.with_edges(&further), Graph::new(graph.len(), &edges));
    }

    #[test]
    fn loops_are_what_their_definition_says(graph in graphs()) {
        let dominators = DominatorTree::new(&graph);
        let is_reachable = |node: Node| dominators.is_reachable(node);
        // For each header its latches and its body.
        let mut naive: Vec<(Node, Vec<Node>, Vec<Node>)> = Vec::new();
        let backwards = graph.reversed();
        for header in (0..graph.len()).filter(|&node| is_reachable(node)) {
            let closes = |&from: &Node| {
                graph.successors(from).contains(&header) && dominators.dominates(header, from)
            };
            let nodes = || (0..graph.len()).filter(|&node| is_reachable(node));
            let latches: Vec<Node> = nodes().filter(closes).collect();
            if latches.is_empty() {
                continue;
            }
            let reaches = |node: Node| {
                let seen = latches.iter().map(|&latch| reachable(&backwards, latch, Some(header)));
                node == header || seen.into_iter().any(|seen| seen[node as usize])
            };
            let body = nodes().filter(|&node| reaches(node)).collect();
            naive.push((header, latches, body));
        }
        let nest = LoopNest::new(&graph);
        prop_assert_eq!(nest.loops().len(), naive.len());
        for (index, found) in nest.loops().iter().enumerate() {
            let of_header = naive.iter().find(|(header, ..)| *header == found.header);
            let (_, latches, body) = of_header.expect("it is the header of a loop");
            prop_assert_eq!(nest.latches(index as u32), latches);
            let mut nodes = nest.body(index as u32).to_vec();
            prop_assert_eq!(nodes.first(), Some(&found.header));
            nodes.sort_unstable();
            prop_assert_eq!(&nodes, body);
            for node in 0..graph.len() {
                prop_assert_eq!(nest.contains(index as u32, node), body.contains(&node));
            }
            let around = naive.iter().filter(|(header, _, outer)| {
                *header != found.header && outer.contains(&found.header)
            });
            let parent = around.clone().min_by_key(|(_, _, outer)| outer.len());
            prop_assert_eq!(found.depth as usize, around.count() + 1);
            prop_assert_eq!(
                found.parent.map(|parent| nest.loops()[parent as usize].header),
                parent.map(|(header, ..)| *header)
            );
        }
        for node in 0..graph.len() {
            let around = naive.iter().filter(|(_, _, body)| body.contains(&node));
            prop_assert_eq!(nest.depth(node) as usize, around.clone().count());
            let innermost = nest.innermost(node).map(|index| nest.loops()[index as usize].header);
            let smallest = around.min_by_key(|(_, _, body)| body.len());
            prop_assert_eq!(innermost, smallest.map(|(header, ..)| *header));
        }
    }

    #[test]
    fn without_the_edges_of_loops_only_irreducible_ones_lead_back(graph in graphs()) {
        let dominators = DominatorTree::new(&graph);
        let forward = |&(from, to): &(Node, Node)| {
            dominators.is_reachable(from) && !dominators.dominates(to, from)
        };
        let edges: Vec<_> = graph.edges().filter(forward).collect();
        let rest = Graph::new(graph.len(), &edges);
        let goes_round = DepthFirst::new(&rest).back_edges(&rest).next().is_some();
        prop_assert_eq!(goes_round, !LoopNest::new(&graph).irreducible_edges().is_empty());
    }

    #[test]
    fn components_are_of_nodes_that_reach_each_other(graph in graphs()) {
        let components = Components::new(&graph);
        let reached: Vec<_> = (0..graph.len()).map(|node| reachable(&graph, node, None)).collect();
        let reaches = |from: Node, to: Node| reached[from as usize][to as usize];
        for from in 0..graph.len() {
            let own = components.of(from).expect("every node has one");
            prop_assert!(components.nodes(own).contains(&from));
            let goes_round = graph.successors(from).iter().any(|&next| reaches(next, from));
            prop_assert_eq!(components.is_cyclic(own), goes_round);
            for to in 0..graph.len() {
                let together = components.of(to) == Some(own);
                prop_assert_eq!(together, reaches(from, to) && reaches(to, from));
                if reaches(from, to) {
                    prop_assert!(components.of(to) <= Some(own));
                }
            }
        }
        let all: Vec<Node> = (0..components.len())
            .flat_map(|component| components.nodes(component).to_vec())
            .collect();
        prop_assert_eq!(components.in_order(), all);
        prop_assert_eq!(components.in_order().len(), graph.len() as usize);
    }

    #[test]
    fn walks_find_what_is_reached(
        graph in graphs(),
        questions in prop::collection::vec((any::<bool>(), prop::collection::vec(0u32..14, 0..3)), 0..5),
    ) {
        let mut walk = Walk::new(&graph);
        for (is_forwards, from) in questions {
            let found = match is_forwards {
                true => walk.forwards(from.iter().copied()),
                false => walk.backwards(from.iter().copied()),
            };
            let mut found = found.to_vec();
            found.sort_unstable();
            let way = if is_forwards { graph.clone() } else { graph.reversed() };
            let reached: Vec<_> = from.iter().map(|&from| reachable(&way, from, None)).collect();
            let expected: Vec<Node> = (0..graph.len())
                .filter(|&node| reached.iter().any(|reached| reached[node as usize]))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}

#[test]
fn a_traversal_that_meets_blocks_before_their_dominators_does_no_harm() {
    let graph = Graph::new(12, &[(0, 9), (0, 1), (10, 0), (10, 4)]);
    let edges = [
        (0, 7),
        (0, 4),
        (1, 5),
        (1, 0),
        (2, 1),
        (3, 10),
        (3, 9),
        (6, 5),
        (9, 1),
    ];
    let order = DepthFirst::from_roots(&Graph::new(12, &edges), [3]);
    let tree = DominatorTree::from_depth_first(&graph, &order);
    for node in 0..12 {
        assert!(tree.subtree(node).len() <= 12);
    }
}
