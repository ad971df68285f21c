//! Blocks, branches and merge instructions of functions, right ones and broken ones.

use crate::common::Program;
use spirvkit_analysis::control_flow::{Header, HeaderKind, Merge};
use spirvkit_analysis::{ControlFlow, Node};
use spirvkit_binary::{Definitions, Id};
use spirvkit_grammar::{LoopControl, Op, SelectionControl};

#[test]
fn a_loop_has_its_parts() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpBranch %header
         %header = OpLabel
         %copy = OpCopyObject %uint %u0
         OpLoopMerge %merge %continue Unroll
         OpBranchConditional %true %body %merge
         %body = OpLabel
         OpBranch %continue
         %continue = OpLabel
         OpBranch %header
         %merge = OpLabel
         OpReturn",
    );
    let flow = program.first_function();
    // Eight declarations, then OpFunction.
    assert_eq!(flow.instructions(), 8..22);
    let ranges: Vec<_> = flow
        .blocks()
        .iter()
        .map(|block| block.instructions.clone())
        .collect();
    assert_eq!(ranges, [9..11, 11..15, 15..17, 17..19, 19..21]);
    let terminators: Vec<_> = flow.blocks().iter().map(|block| block.terminator).collect();
    assert_eq!(
        terminators.into_iter().flatten().collect::<Vec<_>>(),
        [
            Op::Branch,
            Op::BranchConditional,
            Op::Branch,
            Op::Branch,
            Op::Return
        ]
    );
    let Some(Merge::Loop { control, .. }) = flow.blocks()[1].merge else {
        panic!("the second block is a loop header");
    };
    assert_eq!(control, LoopControl::Unroll);
    let kind = HeaderKind::Loop { continue_target: 3 };
    let header = Header {
        node: 1,
        merge: 4,
        kind,
    };
    assert_eq!(flow.headers().collect::<Vec<_>>(), [header]);
    assert_eq!(flow.graph().successors(1), [2, 4]);
    assert_eq!(flow.structural_graph().successors(1), [4, 3, 2, 4]);
    assert_eq!(flow.node_at(8), None);
    assert_eq!(flow.node_at(12), Some(1));
    assert_eq!(flow.node_at(20), Some(4));
    assert_eq!(flow.node_at(21), None);
}

#[test]
fn a_structural_order_is_that_of_the_text() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpBranch %header
         %header = OpLabel
         OpLoopMerge %merge %continue None
         OpBranchConditional %true %body %merge
         %body = OpLabel
         OpSelectionMerge %inner None
         OpBranchConditional %true %then %inner
         %then = OpLabel
         OpBranch %inner
         %inner = OpLabel
         OpBranch %continue
         %continue = OpLabel
         OpBranch %header
         %merge = OpLabel
         OpReturn",
    );
    let graph = program.first_function().structural_graph();
    let order = spirvkit_analysis::DepthFirst::new(&graph);
    let backwards: Vec<Node> = order.post_order().iter().rev().copied().collect();
    assert_eq!(backwards, [0, 1, 2, 3, 4, 5, 6]);
}

fn switch(selector: &str) -> ControlFlow {
    Program::with_body(&format!(
        "%entry = OpLabel
         OpSelectionMerge %merge DontFlatten
         OpSwitch {selector} %merge 0 %a 1 %b 2 %a 3 %merge
         %a = OpLabel
         OpBranch %merge
         %b = OpLabel
         OpBranch %merge
         %merge = OpLabel
         OpReturn"
    ))
    .first_function()
}

#[test]
fn a_switch_lists_every_target_and_has_every_edge_once() {
    for selector in ["%u0", "%ul0"] {
        let flow = switch(selector);
        assert_eq!(flow.targets(0), [3, 1, 2, 1, 3]);
        assert_eq!(flow.graph().successors(0), [3, 1, 2]);
        assert_eq!(flow.graph().predecessors(3), [0, 1, 2]);
        let header = flow.header(0).unwrap();
        assert_eq!(header.kind, HeaderKind::Switch);
        assert_eq!(header.merge, 3);
        let Some(Merge::Selection { control, .. }) = flow.block(0).unwrap().merge else {
            panic!("the first block is a selection header");
        };
        assert_eq!(control, SelectionControl::DontFlatten);
    }
}

#[test]
fn a_switch_on_an_unknown_selector_keeps_its_default() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpSwitch %u0 %b 0 %a
         %a = OpLabel
         OpReturn
         %b = OpLabel
         OpReturn",
    );
    let flow =
        spirvkit_analysis::control_flow::functions(program.instructions(), &Definitions::default())
            .next()
            .unwrap();
    assert_eq!(flow.targets(0), [2]);
}

#[test]
fn weights_are_not_labels() {
    let program = Program::with_body(
        "%entry = OpLabel
         OpBranchConditional %true %a %b 1 2
         %a = OpLabel
         OpReturn
         %b = OpLabel
         OpReturn",
    );
    assert_eq!(program.first_function().targets(0), [1, 2]);
}

#[test]
fn functions_come_one_by_one() {
    let program = Program::with_functions(
        "%declared = OpFunction %void None %function
         OpFunctionEnd
         %a = OpFunction %void None %function
         %a_entry = OpLabel
         OpReturn
         OpFunctionEnd
         %b = OpFunction %void None %function
         %b_entry = OpLabel
         OpBranch %b_end
         %b_end = OpLabel
         OpReturn
         OpFunctionEnd",
    );
    let functions = program.functions();
    let lengths: Vec<_> = functions.iter().map(|flow| flow.blocks().len()).collect();
    assert_eq!(lengths, [0, 1, 2]);
    let places: Vec<_> = functions.iter().map(ControlFlow::instructions).collect();
    assert_eq!(places, [8..10, 10..14, 14..20]);
    assert!(functions[0].graph().is_empty());
    let [a, b] = [&functions[1], &functions[2]];
    assert_ne!(a.function(), b.function());
    // What begins a block there is no block here.
    assert_eq!(a.node(b.block(0).unwrap().label), None);
    assert_eq!(b.node(a.block(0).unwrap().label), None);
    assert_eq!(b.node(b.block(1).unwrap().label), Some(1));
}

#[test]
fn one_function_counts_from_its_start() {
    let program = Program::with_body("%entry = OpLabel\nOpReturn");
    let instructions = program.instructions().skip(8);
    let flow = ControlFlow::new(instructions, &Definitions::default());
    assert_eq!(flow.instructions(), 0..4);
    assert_eq!(flow.block(0).unwrap().instructions, 1..3);
    let body = program.instructions().skip(9);
    let flow = ControlFlow::new(body, &Definitions::default());
    assert_eq!(flow.function(), None);
    assert_eq!(flow.block(0).unwrap().instructions, 0..2);
}

const FUNCTION: u32 = Op::Function.0 as u32;
const LABEL: u32 = Op::Label.0 as u32;
const BRANCH: u32 = Op::Branch.0 as u32;
const LOOP_MERGE: u32 = Op::LoopMerge.0 as u32;
const RETURN: u32 = Op::Return.0 as u32;
const CONDITIONAL: u32 = Op::BranchConditional.0 as u32;

fn broken(instructions: &[&[u32]]) -> Vec<ControlFlow> {
    Program::of_words(instructions).functions()
}

#[test]
fn labels_that_do_not_exist_lead_nowhere() {
    let functions = broken(&[
        &[FUNCTION, 1, 2, 0, 3],
        &[LABEL, 10],
        &[LOOP_MERGE, 11, 99, 0],
        &[CONDITIONAL, 5, 99, 11],
        &[LABEL, 11],
        &[BRANCH, u32::MAX],
    ]);
    let flow = &functions[0];
    assert_eq!(flow.targets(0), [1]);
    assert!(flow.targets(1).is_empty());
    assert!(flow.block(0).unwrap().merge.is_some());
    assert_eq!(flow.header(0), None);
    assert_eq!(flow.node(Id(u32::MAX)), None);
    assert_eq!(flow.node(Id(0)), None);
    assert_eq!(flow.block(2), None);
    assert!(flow.targets(2).is_empty());
}

#[test]
fn blocks_need_no_end_and_functions_neither() {
    let functions = broken(&[
        &[RETURN],
        &[FUNCTION, 1, 2, 0, 3],
        &[LABEL, 10],
        &[LABEL, 11],
        &[RETURN],
        &[BRANCH, 10],
        &[FUNCTION, 1, 4, 0, 3],
        &[LABEL, 12],
    ]);
    assert_eq!(functions.len(), 2);
    let [a, b] = [&functions[0], &functions[1]];
    assert_eq!(a.instructions(), 1..6);
    assert_eq!(a.block(0).unwrap().terminator, None);
    assert_eq!(a.block(0).unwrap().instructions, 2..3);
    // What comes after a terminator is in no block.
    assert_eq!(a.block(1).unwrap().instructions, 3..5);
    assert!(a.targets(1).is_empty());
    assert_eq!(a.node_at(5), None);
    assert_eq!(b.instructions(), 6..8);
    assert_eq!(b.block(0).unwrap().instructions, 7..8);
}

#[test]
fn a_label_stands_for_its_first_block() {
    let functions = broken(&[
        &[FUNCTION, 1, 2, 0, 3],
        &[LABEL, 10],
        &[BRANCH, 11],
        &[LABEL, 11],
        &[RETURN],
        &[LABEL, 11],
        &[BRANCH, 11],
    ]);
    assert_eq!(functions[0].targets(0), [1]);
    assert_eq!(functions[0].targets(2), [1]);
}

#[test]
fn too_short_instructions_have_no_operands() {
    let functions = broken(&[
        &[FUNCTION],
        &[LABEL],
        &[LOOP_MERGE, 1],
        &[CONDITIONAL, 0],
        &[LABEL],
        &[BRANCH],
        &[LABEL, 3],
        &[Op::Switch.0 as u32],
    ]);
    assert_eq!(functions[0].function(), None);
    assert_eq!(functions[0].blocks().len(), 3);
    assert_eq!(functions[0].graph().edge_count(), 0);
    assert_eq!(functions[0].block(0).unwrap().merge, None);
}

#[test]
fn huge_ids_cost_nothing() {
    let functions = broken(&[
        &[FUNCTION, 1, 2, 0, 3],
        &[LABEL, 7],
        &[BRANCH, u32::MAX],
        &[LABEL, u32::MAX],
        &[BRANCH, 0x8000_0000],
        &[LABEL, 0x8000_0000],
        &[BRANCH, 7],
    ]);
    let edges: Vec<_> = functions[0].graph().edges().collect();
    assert_eq!(edges, [(0, 1), (1, 2), (2, 0)]);
}

#[test]
fn branches_come_with_their_literals() {
    use spirvkit_analysis::control_flow::branches;

    let found = |words: &[u32], literal_words| -> Vec<(u32, Vec<u32>)> {
        let found = branches(words, literal_words);
        found
            .map(|branch| (branch.label.0, branch.literal.to_vec()))
            .collect()
    };
    let op = |op: Op, count: u32| count << 16 | u32::from(op.0);
    assert_eq!(found(&[op(Op::Branch, 2), 7], None), [(7, vec![])]);
    let weighted = [op(Op::BranchConditional, 6), 1, 7, 8, 3, 4];
    assert_eq!(found(&weighted, None), [(7, vec![]), (8, vec![])]);
    // The last case lacks its label.
    let switch = [op(Op::Switch, 9), 1, 7, 10, 0, 8, 11, 0];
    assert_eq!(found(&switch, Some(2)), [(7, vec![]), (8, vec![10, 0])]);
    assert_eq!(found(&switch, None), [(7, vec![])]);
    assert_eq!(found(&[op(Op::Return, 1)], None), []);
    assert_eq!(found(&[], Some(1)), []);
}
