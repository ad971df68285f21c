//! Functions of random instructions: nothing panics, and the answers agree.

use crate::common::Program;
use proptest::prelude::*;
use spirvkit_analysis::{CallGraph, Constructs, LoopNest};
use spirvkit_grammar::Op;

/// What control flow and calls are made of.
const OPS: [Op; 13] = [
    Op::Function,
    Op::FunctionEnd,
    Op::Label,
    Op::Branch,
    Op::BranchConditional,
    Op::SelectionMerge,
    Op::LoopMerge,
    Op::Switch,
    Op::Return,
    Op::FunctionCall,
    Op::TypeInt,
    Op::Constant,
    Op::EntryPoint,
];

prop_compose! {
    /// A module with few ids, so that some of them fit.
    fn programs()(
        instructions in prop::collection::vec(
            (
                prop::sample::select(OPS.as_slice()),
                prop::collection::vec(prop_oneof![8 => 0..6u32, 1 => any::<u32>()], 0..5),
            ),
            0..40,
        ),
    ) -> Program {
        let instructions: Vec<Vec<u32>> = instructions
            .into_iter()
            .map(|(op, words)| std::iter::once(u32::from(op.0)).chain(words).collect())
            .collect();
        let instructions: Vec<&[u32]> = instructions.iter().map(|words| &words[..]).collect();
        Program::of_words(&instructions)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn functions_have_a_control_flow(program in programs()) {
        for flow in program.functions() {
            for (node, block) in (0..).zip(flow.blocks()) {
                prop_assert!(flow.node(block.label).is_some_and(|first| first <= node));
                for place in block.instructions.clone() {
                    prop_assert_eq!(flow.node_at(place), Some(node));
                }
                let mut edges: Vec<u32> = Vec::new();
                for &target in flow.targets(node) {
                    if !edges.contains(&target) {
                        edges.push(target);
                    }
                }
                prop_assert_eq!(flow.graph().successors(node), edges);
            }
            let constructs = Constructs::of(&flow);
            let nest = LoopNest::of(&flow);
            for node in 0..flow.graph().len() {
                let is_reachable = flow.order().is_reachable(node);
                prop_assert!(is_reachable || nest.innermost(node).is_none());
                let _ = constructs.around(node).count();
            }
        }
    }

    #[test]
    fn who_reaches_and_who_is_reached_agree(program in programs()) {
        let calls = CallGraph::new(&program.index());
        let mut walk = calls.walk();
        for function in 0..calls.graph().len() {
            let reaching = calls.entry_points_reaching(&mut walk, function);
            prop_assert_eq!(calls.first_entry_point(function), reaching.first().copied());
            for entry in 0..calls.entry_points().len() as u32 {
                let is_reached = calls.reached_from(&mut walk, entry).contains(&function);
                prop_assert_eq!(is_reached, reaching.contains(&entry));
            }
        }
    }
}
