//! Constructs against the definitions of the specification's section 2.11.

use crate::common::structured;

use crate::common::Program;
use proptest::prelude::*;
use spirvkit_analysis::constructs::{Construct, ConstructKind, Constructs};
use spirvkit_analysis::control_flow::{Header, HeaderKind};
use spirvkit_analysis::{ControlFlow, Graph, Node};

/// The structural graph and what can be asked of it by looking along all paths.
struct Naive {
    successors: Vec<Vec<Node>>,
}

impl Naive {
    fn new(graph: &Graph, headers: &[Header]) -> Naive {
        let mut successors: Vec<Vec<Node>> = (0..graph.len())
            .map(|node| graph.successors(node).to_vec())
            .collect();
        for header in headers {
            successors[header.node as usize].push(header.merge);
            successors[header.node as usize].extend(header.continue_target());
        }
        Naive { successors }
    }

    fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        0..self.successors.len() as Node
    }

    /// What can be reached from a node without passing another.
    fn reached(&self, from: Node, without: Option<Node>) -> Vec<bool> {
        let mut seen = vec![false; self.successors.len()];
        let mut waiting = vec![from];
        while let Some(node) = waiting.pop() {
            if Some(node) != without && !seen[node as usize] {
                seen[node as usize] = true;
                waiting.extend(&self.successors[node as usize]);
            }
        }
        seen
    }

    fn is_reachable(&self, node: Node) -> bool {
        self.reached(0, None)[node as usize]
    }

    fn dominates(&self, above: Node, below: Node) -> bool {
        !self.reached(0, Some(above))[below as usize]
    }

    fn post_dominates(&self, below: Node, above: Node) -> bool {
        let reached = self.reached(above, Some(below));
        let is_end = |&node: &Node| self.successors[node as usize].is_empty();
        !self.nodes().filter(is_end).any(|end| reached[end as usize])
    }

    /// Whether every node can come to an end: otherwise post-dominance is a matter of
    /// taste.
    fn always_ends(&self) -> bool {
        let is_end = |&node: &Node| self.successors[node as usize].is_empty();
        self.nodes().all(|node| {
            let reached = self.reached(node, None);
            self.nodes().filter(is_end).any(|end| reached[end as usize])
        })
    }

    /// The block that branches back to a loop header.
    fn back_edge_block(&self, graph: &Graph, header: Node) -> Option<Node> {
        let leads_back = |&from: &Node| {
            self.is_reachable(from)
                && graph.successors(from).contains(&header)
                && self.dominates(header, from)
        };
        let back: Vec<Node> = self.nodes().filter(leads_back).collect();
        match back[..] {
            [block] => Some(block),
            _ => None,
        }
    }

    /// All constructs, as defined.
    fn constructs(&self, graph: &Graph, headers: &[Header]) -> Vec<Defined> {
        let mut all = Vec::new();
        for &Header { node, merge, kind } in headers {
            let blocks = |is_in: &dyn Fn(Node) -> bool| -> Vec<Node> {
                let reachable = self.nodes().filter(|&node| self.is_reachable(node));
                reachable.filter(|&node| is_in(node)).collect()
            };
            let strictly = |below: Node| below != node && self.dominates(node, below);
            if !self.is_reachable(node) || !strictly(merge) {
                continue;
            }
            let below = |above: Node| {
                move |node: Node| self.dominates(above, node) && !self.dominates(merge, node)
            };
            let mut add = |kind, entry, blocks| {
                all.push(Defined {
                    kind,
                    header: node,
                    entry,
                    blocks,
                });
            };
            match kind {
                HeaderKind::Selection => {
                    add(ConstructKind::Selection, node, blocks(&below(node)));
                }
                HeaderKind::Switch => {
                    add(ConstructKind::Switch, node, blocks(&below(node)));
                    let mut done = vec![merge];
                    for &target in graph.successors(node) {
                        if !done.contains(&target) && strictly(target) {
                            done.push(target);
                            add(ConstructKind::Case, target, blocks(&below(target)));
                        }
                    }
                }
                HeaderKind::Loop { continue_target } => {
                    if !self.dominates(node, continue_target) || merge == continue_target {
                        continue;
                    }
                    let continues: Vec<Node> = match self.back_edge_block(graph, node) {
                        Some(back) => blocks(&|node| {
                            self.dominates(continue_target, node) && self.post_dominates(back, node)
                        }),
                        None => blocks(&below(continue_target)),
                    };
                    let body = blocks(&|at| below(node)(at) && !continues.contains(&at));
                    add(ConstructKind::Loop, node, body);
                    add(ConstructKind::Continue, continue_target, continues);
                }
            }
        }
        all
    }
}

/// A construct as a set of blocks.
#[derive(Debug)]
struct Defined {
    kind: ConstructKind,
    header: Node,
    entry: Node,
    blocks: Vec<Node>,
}

impl Defined {
    fn is(&self, found: &Construct) -> bool {
        (self.kind, self.header, self.entry) == (found.kind, found.header, found.entry)
    }

    fn lies_in(&self, other: &Defined) -> bool {
        self.blocks.len() < other.blocks.len()
            && self.blocks.iter().all(|node| other.blocks.contains(node))
    }
}

/// Checks that what is found is what is defined, block by block.
fn check_contents(
    graph: &Graph,
    headers: &[Header],
    found: &Constructs,
) -> Result<Vec<Defined>, TestCaseError> {
    let defined = Naive::new(graph, headers).constructs(graph, headers);
    prop_assert_eq!(found.all().len(), defined.len());
    for (index, construct) in found.all().iter().enumerate() {
        let same = defined.iter().find(|defined| defined.is(construct));
        let Some(same) = same else {
            return Err(TestCaseError::fail(format!("{construct:?} is not defined")));
        };
        for node in 0..graph.len() {
            let is_in = same.blocks.contains(&node);
            prop_assert_eq!(
                found.contains(index as u32, node),
                is_in,
                "{} in {:?}",
                node,
                same
            );
        }
    }
    Ok(defined)
}

/// Checks parents, depths and the innermost construct of each block.
fn check_nest(graph: &Graph, found: &Constructs, defined: &[Defined]) -> Result<(), TestCaseError> {
    let name = |construct: &Construct| (construct.kind, construct.entry, construct.header);
    for construct in found.all() {
        let own = defined
            .iter()
            .find(|defined| defined.is(construct))
            .expect("it was found");
        // Nothing is in the loop construct of a loop of one block; its continue
        // construct lies beside it.
        let own = match own.blocks[..] {
            [] => defined
                .iter()
                .find(|other| other.kind == ConstructKind::Continue && other.header == own.header),
            _ => Some(own),
        };
        let own = own.expect("a loop has a continue construct");
        let around = defined.iter().filter(|other| own.lies_in(other));
        prop_assert_eq!(construct.depth as usize, around.clone().count() + 1);
        let parent = around.min_by_key(|other| other.blocks.len());
        prop_assert_eq!(
            construct
                .parent()
                .map(|parent| name(&found.all()[parent as usize])),
            parent.map(|other| (other.kind, other.entry, other.header))
        );
        let innermost_loop = construct
            .innermost_loop()
            .map(|index| found.all()[index as usize]);
        let is_of_loop = |kind| matches!(kind, ConstructKind::Loop | ConstructKind::Continue);
        let loops = defined.iter().filter(|other| {
            is_of_loop(other.kind) && (own.lies_in(other) || std::ptr::eq(*other, own))
        });
        let expected = loops
            .min_by_key(|other| other.blocks.len())
            .map(|other| other.header);
        prop_assert_eq!(innermost_loop.map(|found| found.header), expected);
        prop_assert!(innermost_loop.is_none_or(|found| found.kind == ConstructKind::Loop));
        // The innermost of these that isn't a selection or a case decides.
        let ways = defined.iter().filter(|other| {
            (is_of_loop(other.kind) || other.kind == ConstructKind::Switch)
                && (own.lies_in(other) || std::ptr::eq(*other, own))
        });
        let way = ways.min_by_key(|other| other.blocks.len());
        let expected = way.filter(|way| way.kind == ConstructKind::Switch);
        let innermost_switch = construct
            .innermost_switch()
            .map(|index| found.all()[index as usize]);
        prop_assert_eq!(
            innermost_switch.map(|found| found.header),
            expected.map(|other| other.header)
        );
        prop_assert!(innermost_switch.is_none_or(|found| found.kind == ConstructKind::Switch));
    }
    for node in 0..graph.len() {
        let around = defined.iter().filter(|other| other.blocks.contains(&node));
        let count = around.clone().count();
        let smallest = around.min_by_key(|other| other.blocks.len());
        let innermost = found
            .innermost(node)
            .map(|index| name(&found.all()[index as usize]));
        prop_assert_eq!(
            innermost,
            smallest.map(|other| (other.kind, other.entry, other.header))
        );
        prop_assert_eq!(found.around(node).count(), count);
    }
    Ok(())
}

/// Checks that the structural order is one in which blocks can be written: dominators
/// first, and each construct in one piece, with its continue construct and its merge
/// block behind.
fn check_order(flow: &ControlFlow, found: &Constructs) -> Result<(), TestCaseError> {
    let order: Vec<Node> = found.order().post_order().iter().rev().copied().collect();
    let place = |node: Node| order.iter().position(|&at| at == node);
    for node in 0..flow.graph().len() {
        let above = found.dominators().immediate(node);
        prop_assert!(above.is_none_or(|above| place(above) < place(node)));
    }
    for (index, construct) in found.all().iter().enumerate() {
        let is_in = |&node: &Node| found.contains(index as u32, node);
        let places = order.iter().enumerate().filter(|(_, node)| is_in(node));
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        prop_assert!(
            places.windows(2).all(|pair| pair[1] == pair[0] + 1),
            "{:?}",
            construct
        );
        prop_assert!(places.last().copied() < place(construct.merge));
    }
    Ok(())
}

fn flow_of(body: &str) -> ControlFlow {
    Program::with_body(body).first_function()
}

prop_compose! {
    fn graphs_with_headers()(nodes in 1u32..10)(
        edges in prop::collection::vec((0..nodes, 0..nodes), 0..(2 * nodes as usize)),
        headers in prop::collection::vec((0..nodes, 0..nodes, 0..nodes, 0..4u8), 0..5),
        nodes in Just(nodes),
    ) -> (Graph, Vec<Header>) {
        let mut headers: Vec<Header> = headers
            .into_iter()
            .map(|(node, merge, continue_target, kind)| {
                let kind = match kind {
                    0 => HeaderKind::Selection,
                    1 => HeaderKind::Switch,
                    _ => HeaderKind::Loop { continue_target },
                };
                Header { node, merge, kind }
            })
            .collect();
        headers.sort_by_key(|header| header.node);
        headers.dedup_by_key(|header| header.node);
        (Graph::new(nodes, &edges), headers)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn in_structured_programs_all_is_as_defined(statements in structured::bodies()) {
        let flow = flow_of(&structured::body(&statements));
        let headers: Vec<Header> = flow.headers().collect();
        let found = Constructs::of(&flow);
        prop_assert!(found.misplaced().is_empty());
        prop_assert!(Naive::new(flow.graph(), &headers).always_ends());
        let defined = check_contents(flow.graph(), &headers, &found)?;
        check_nest(flow.graph(), &found, &defined)?;
        check_order(&flow, &found)?;
    }

    #[test]
    fn in_any_graph_constructs_hold_what_they_are_defined_to_hold(
        (graph, headers) in graphs_with_headers()
    ) {
        let found = Constructs::new(&graph, &headers);
        if Naive::new(&graph, &headers).always_ends() {
            check_contents(&graph, &headers, &found)?;
        }
        for (index, construct) in found.all().iter().enumerate() {
            prop_assert!(construct.parent().is_none_or(|parent| (parent as usize) < index));
        }
    }

    #[test]
    fn headers_may_be_anything(
        nodes in 0u32..6,
        edges in prop::collection::vec((0..6u32, 0..6u32), 0..12),
        headers in prop::collection::vec((0..8u32, 0..8u32, 0..8u32, 0..3u8), 0..12),
    ) {
        let headers: Vec<Header> = headers
            .into_iter()
            .map(|(node, merge, continue_target, kind)| {
                let kind = match kind {
                    0 => HeaderKind::Selection,
                    1 => HeaderKind::Switch,
                    _ => HeaderKind::Loop { continue_target },
                };
                Header { node, merge, kind }
            })
            .collect();
        let found = Constructs::new(&Graph::new(nodes, &edges), &headers);
        for node in 0..8 {
            let _ = found.around(node).count();
            for index in 0..=found.all().len() as u32 {
                let _ = found.contains(index, node);
            }
        }
    }
}

#[test]
fn a_case_goes_on_to_the_next() {
    let flow = flow_of(
        "%entry = OpLabel
         OpSelectionMerge %merge None
         OpSwitch %u0 %default 0 %a 1 %b
         %a = OpLabel
         OpBranch %b
         %b = OpLabel
         OpBranch %b_end
         %b_end = OpLabel
         OpBranch %merge
         %default = OpLabel
         OpReturn
         %merge = OpLabel
         OpReturn",
    );
    let found = Constructs::of(&flow);
    let entries: Vec<_> = found
        .all()
        .iter()
        .map(|construct| (construct.kind, construct.entry))
        .collect();
    let [switch, case] = [ConstructKind::Switch, ConstructKind::Case];
    assert_eq!(entries, [(switch, 0), (case, 4), (case, 1), (case, 2)]);
    let innermost: Vec<_> = (0..6).map(|node| found.innermost(node)).collect();
    assert_eq!(
        innermost,
        [Some(0), Some(2), Some(3), Some(3), Some(1), None]
    );
    assert!(
        found.all()[1..]
            .iter()
            .all(|case| case.parent() == Some(0) && case.depth == 2)
    );
}

#[test]
fn a_header_that_does_not_dominate_its_merge_block_has_no_construct() {
    let flow = flow_of(
        "%entry = OpLabel
         OpSelectionMerge %merge None
         OpBranchConditional %true %then %merge
         %then = OpLabel
         OpSelectionMerge %late None
         OpBranchConditional %true %inner %merge
         %inner = OpLabel
         OpBranch %merge
         %merge = OpLabel
         OpBranch %late
         %late = OpLabel
         OpReturn",
    );
    let found = Constructs::of(&flow);
    assert_eq!(found.all().len(), 1);
    let misplaced: Vec<Node> = found.misplaced().iter().map(|header| header.node).collect();
    assert_eq!(misplaced, [1]);
    assert_eq!(found.innermost(2), Some(0));
}

#[test]
fn a_merge_block_is_behind_its_construct_even_if_nothing_branches_there() {
    let flow = flow_of(
        "%entry = OpLabel
         OpSelectionMerge %merge None
         OpBranchConditional %true %then %else
         %then = OpLabel
         OpReturn
         %else = OpLabel
         OpReturn
         %merge = OpLabel
         OpUnreachable",
    );
    let found = Constructs::of(&flow);
    assert!(!flow.order().is_reachable(3));
    assert!(found.dominators().strictly_dominates(0, 3));
    assert_eq!(found.innermost(3), None);
    assert!(found.contains(0, 2) && !found.contains(0, 3));
    assert!(!found.contains(1, 0) && !found.contains(0, 9));
}

#[test]
fn what_the_continue_target_dominates_behind_the_back_edge_is_not_in_its_construct() {
    // 3 branches back, and on to 4, which is neither header nor merge block.
    let graph = Graph::new(6, &[(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5)]);
    let kind = HeaderKind::Loop { continue_target: 2 };
    let headers = [Header {
        node: 1,
        merge: 5,
        kind,
    }];
    let found = Constructs::new(&graph, &headers);
    assert_eq!(found.all()[1].back_edge_block(), Some(3));
    let blocks = |index| {
        (0..6)
            .filter(|&node| found.contains(index, node))
            .collect::<Vec<_>>()
    };
    assert_eq!(blocks(0), [1, 4]);
    assert_eq!(blocks(1), [2, 3]);
}

#[test]
fn what_comes_back_to_the_continue_target_is_in_its_construct() {
    // 2 branches back, and goes round with 3.
    let graph = Graph::new(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 2)]);
    let kind = HeaderKind::Loop { continue_target: 2 };
    let headers = [Header {
        node: 1,
        merge: 4,
        kind,
    }];
    let found = Constructs::new(&graph, &headers);
    assert!(found.contains(1, 3) && !found.contains(0, 3));
}

#[test]
fn a_block_that_must_come_back_to_the_header_is_in_its_continue_construct() {
    // 1 declares that it merges in 0, the header of a loop of one block.
    let graph = Graph::new(3, &[(0, 1), (0, 0), (0, 2)]);
    let kind = HeaderKind::Loop { continue_target: 0 };
    let headers = [
        Header {
            node: 0,
            merge: 1,
            kind,
        },
        Header {
            node: 1,
            merge: 0,
            kind: HeaderKind::Selection,
        },
    ];
    let found = Constructs::new(&graph, &headers);
    let blocks = |index| {
        (0..3)
            .filter(|&node| found.contains(index, node))
            .collect::<Vec<_>>()
    };
    assert_eq!(blocks(0), [2]);
    assert_eq!(blocks(1), [0, 1]);
}
