//! Functions, calls and entry points of modules, right ones and broken ones.

use crate::common;

use common::Program;
use spirvkit_analysis::CallGraph;
use spirvkit_binary::Id;
use spirvkit_grammar::{ExecutionModel, Op};

/// A module in which each function calls others, by their numbers, and some are entry
/// points.
fn module(calls: &[&[usize]], entries: &[(&str, &str, usize)]) -> Program {
    let mut text = String::new();
    for (model, name, function) in entries {
        text += &format!("OpEntryPoint {model} %f{function} \"{name}\"\n");
    }
    text += common::TYPES;
    for (function, callees) in calls.iter().enumerate() {
        text +=
            &format!("%f{function} = OpFunction %void None %function\n%l{function} = OpLabel\n");
        for (index, callee) in callees.iter().enumerate() {
            text += &format!("%c{function}_{index} = OpFunctionCall %void %f{callee}\n");
        }
        text += "OpReturn\nOpFunctionEnd\n";
    }
    Program::new(&text)
}

#[test]
fn calls_keep_their_order_and_edges_are_there_once() {
    let program = module(&[&[2, 1, 2], &[], &[1]], &[]);
    let index = program.index();
    let calls = CallGraph::new(&index);
    let ids: Vec<Id> = index.functions.iter().map(|function| function.id).collect();
    let of_first: Vec<Id> = index.callees(0).collect();
    assert_eq!(of_first, [ids[2], ids[1], ids[2]]);
    assert!(index.called_functions(0).eq([2, 1, 2]));
    assert_eq!(calls.graph().successors(0), [2, 1]);
    assert_eq!(calls.graph().predecessors(1), [0, 2]);
    assert_eq!(calls.callees_first(), [1, 2, 0]);
    assert!((0..3).all(|function| !calls.is_reached(function) && !calls.is_recursive(function)));
}

#[test]
fn entry_points_reach_what_they_call() {
    let program = module(
        &[&[1], &[2], &[], &[2], &[4, 0]],
        &[
            ("Vertex", "a", 3),
            ("Fragment", "b", 0),
            ("GLCompute", "c", 3),
        ],
    );
    let index = program.index();
    let calls = CallGraph::new(&index);
    let entries = calls.entry_points();
    let names: Vec<_> = entries.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let models = [
        ExecutionModel::Vertex,
        ExecutionModel::Fragment,
        ExecutionModel::GLCompute,
    ];
    assert!(entries.iter().map(|entry| entry.model).eq(models));
    assert_eq!(
        entries[2].inst.offset(),
        index.entry_points[2].inst.offset()
    );
    assert_eq!(calls.entry_points_of(3), [0, 2]);
    let mut walk = calls.walk();
    assert_eq!(calls.reached_from(&mut walk, 0), [3, 2]);
    assert_eq!(calls.reached_from(&mut walk, 1), [0, 1, 2]);
    assert!(calls.reached_from(&mut walk, 9).is_empty());
    assert_eq!(calls.entry_points_reaching(&mut walk, 2), [0, 1, 2]);
    assert_eq!(calls.entry_points_reaching(&mut walk, 1), [1]);
    assert!(calls.entry_points_reaching(&mut walk, 4).is_empty());
    let first: Vec<_> = (0..6)
        .map(|function| calls.first_entry_point(function))
        .collect();
    assert_eq!(first, [Some(1), Some(1), Some(0), Some(0), None, None]);
}

#[test]
fn recursion_is_found_however_long_the_way() {
    let program = module(&[&[1], &[2], &[3, 4], &[1], &[], &[5]], &[]);
    let index = program.index();
    let calls = CallGraph::new(&index);
    let recursive: Vec<_> = (0..6)
        .filter(|&function| calls.is_recursive(function))
        .collect();
    assert_eq!(recursive, [1, 2, 3, 5]);
    let component = calls.components().of(2).unwrap();
    assert_eq!(calls.components().nodes(component), [1, 2, 3]);
    let place = |function| calls.callees_first().iter().position(|&at| at == function);
    assert!(place(4) < place(2) && place(2) < place(0));
}

#[test]
fn conditional_entry_points_count() {
    let program = Program::new(
        "OpConditionalEntryPointINTEL %true Kernel %main \"main\"
         %void = OpTypeVoid
         %function = OpTypeFunction %void
         %bool = OpTypeBool
         %true = OpSpecConstantTrue %bool
         %main = OpFunction %void None %function
         OpFunctionEnd",
    );
    let index = program.index();
    let calls = CallGraph::new(&index);
    assert_eq!(calls.entry_points()[0].model, ExecutionModel::Kernel);
    assert_eq!(calls.entry_points()[0].name(), "main");
    assert!(calls.is_reached(0) && index.functions[0].blocks.is_empty());
}

#[test]
fn what_is_broken_is_left_out() {
    const FUNCTION: u32 = Op::Function.0 as u32;
    const CALL: u32 = Op::FunctionCall.0 as u32;
    const ENTRY_POINT: u32 = Op::EntryPoint.0 as u32;
    let program = Program::of_words(&[
        &[ENTRY_POINT],
        &[ENTRY_POINT, 0, 7],
        &[ENTRY_POINT, 99, u32::MAX, 0],
        &[CALL, 1, 20, u32::MAX],
        &[FUNCTION, 1, u32::MAX, 0, 2],
        &[CALL, 1, 21, 99],
        &[CALL, 1, 22],
        &[CALL, 1, 23, u32::MAX],
        &[FUNCTION, 1, u32::MAX, 0, 2],
        &[FUNCTION],
    ]);
    let index = program.index();
    let calls = CallGraph::new(&index);
    assert_eq!(index.functions.len(), 3);
    assert_eq!(index.functions[0].range, 17..33);
    assert_eq!(index.function_index(Id(u32::MAX)), Some(0));
    assert_eq!(index.function_index(Id(5)), None);
    assert_eq!(calls.graph().edges().collect::<Vec<_>>(), [(0, 0)]);
    assert_eq!(calls.entry_points().len(), 1);
    assert_eq!(calls.entry_points()[0].model, ExecutionModel(99));
    assert!(calls.is_reached(0) && !calls.is_reached(1));
    assert!(calls.is_recursive(0) && !calls.is_recursive(9));
    let nothing = Program::of_words(&[]);
    assert!(CallGraph::new(&nothing.index()).callees_first().is_empty());
}

#[test]
fn a_long_chain_does_not_exhaust_the_stack() {
    const FUNCTION: u32 = Op::Function.0 as u32;
    const CALL: u32 = Op::FunctionCall.0 as u32;
    let count = 1 << 16;
    let instructions: Vec<[u32; 5]> = (0..count)
        .flat_map(|id| [[FUNCTION, 1, id, 0, 2], [CALL, 1, count + id, id + 1, 0]])
        .collect();
    let instructions: Vec<&[u32]> = instructions.iter().map(|words| &words[..]).collect();
    let program = Program::of_words(&instructions);
    let index = program.index();
    let calls = CallGraph::new(&index);
    assert_eq!(calls.callees_first().first(), Some(&(count - 1)));
    assert_eq!(calls.walk().forwards([1]).len(), count as usize - 1);
}
