//! What happens on the ways through functions.

use crate::common;

use common::Program;
use spirvkit_analysis::ways::{States, Step, states_at_end, writes_of};
use spirvkit_grammar::{BuiltIn, Op};

/// A vertex was emitted; a primitive ended behind one.
const EMIT: Step = [1, 1, 1, 1];
const END: Step = [3, 2, 2, 3];

/// The states in which the first function ends.
fn ends(functions: &str) -> Option<Vec<u8>> {
    let program = Program::with_functions(functions);
    let index = program.index();
    let main = index.functions[0].id;
    let ends = states_at_end(&index, main, |inst| match inst.op() {
        Op::EmitVertex => Some(EMIT),
        Op::EndPrimitive => Some(END),
        _ => None,
    });
    ends.map(|ends: States| (0..4).filter(|&state| ends.contains(state)).collect())
}

fn body(text: &str) -> String {
    format!("%main = OpFunction %void None %function\n{text}\nOpFunctionEnd\n")
}

#[test]
fn branches_join_and_loops_go_round() {
    let both = "%entry = OpLabel
        OpSelectionMerge %merge None
        OpBranchConditional %true %then %else
        %then = OpLabel
        OpEmitVertex
        OpBranch %merge
        %else = OpLabel
        OpBranch %merge
        %merge = OpLabel
        OpReturn";
    assert_eq!(ends(&body(both)), Some(vec![0, 1]));
    let after = both.replace("OpReturn", "OpEndPrimitive\nOpReturn");
    assert_eq!(ends(&body(&after)), Some(vec![2, 3]));
    // What doesn't return, doesn't count.
    let killed = both.replace(
        "%else = OpLabel\n        OpBranch %merge",
        "%else = OpLabel\nOpKill",
    );
    assert_eq!(ends(&body(&killed)), Some(vec![1]));
    let looped = "%entry = OpLabel
        OpBranch %header
        %header = OpLabel
        OpLoopMerge %merge %continue None
        OpBranchConditional %true %continue %merge
        %continue = OpLabel
        OpEndPrimitive
        OpEmitVertex
        OpBranch %header
        %merge = OpLabel
        OpReturn";
    assert_eq!(ends(&body(looped)), Some(vec![0, 1]));
}

#[test]
fn calls_do_what_functions_do() {
    let call = |body_of_callee: &str| {
        format!(
            "{}%callee = OpFunction %void None %function
            %start = OpLabel
            {body_of_callee}
            OpFunctionEnd",
            body("%entry = OpLabel\nOpEmitVertex\n%call = OpFunctionCall %void %callee\nOpReturn")
        )
    };
    assert_eq!(ends(&call("OpReturn")), Some(vec![1]));
    assert_eq!(ends(&call("OpEndPrimitive\nOpReturn")), Some(vec![2]));
    let either = "OpSelectionMerge %done None
        OpBranchConditional %true %ends %done
        %ends = OpLabel
        OpEndPrimitive
        OpReturn
        %done = OpLabel
        OpReturn";
    assert_eq!(ends(&call(either)), Some(vec![1, 2]));
    assert_eq!(ends(&call("OpKill")), Some(vec![]));
    let recursive = "%again = OpFunctionCall %void %main\nOpReturn";
    assert_eq!(ends(&call(recursive)), None);
}

/// Which of the stores in a function write the size, by their number.
fn sizes(declared: &str, used: &str) -> Option<Vec<usize>> {
    let program = Program::new(
        &format!(
            "OpEntryPoint Vertex %main \"main\" %out
        OpDecorate %block Block
        OpMemberDecorate %block 0 BuiltIn Position
        OpMemberDecorate %block 1 BuiltIn PointSize
        {declared}
        {}
        %f32 = OpTypeFloat 32
        %vec4 = OpTypeVector %f32 4
        %one = OpConstant %f32 1
        %u1 = OpConstant %uint 1
        %block = OpTypeStruct %vec4 %f32
        %null = OpConstantNull %block
        %to_block = OpTypePointer Output %block
        %to_f32 = OpTypePointer Output %f32
        %takes = OpTypeFunction %void %to_f32
        %out = OpVariable {}
        %main = OpFunction %void None %function
        %entry = OpLabel
        {used}
        OpReturn
        OpFunctionEnd",
            common::TYPES,
            match declared {
                "" => "%to_block Output",
                "initial" => "%to_block Output %null",
                _ => "%to_f32 Output",
            }
        )
        .replace("initial\n", "\n"),
    );
    let index = program.index();
    let variable = index.entry_points[0].interface[0];
    let variable = spirvkit_binary::Id(variable);
    let found = writes_of(&index, variable, BuiltIn::PointSize)?;
    let all = index.all_instructions();
    let stores = all.filter(|inst| inst.op() == Op::Store).enumerate();
    let own = stores.filter(|(_, inst)| found.contains(&inst.offset()));
    Some(own.map(|(number, _)| number).collect())
}

#[test]
fn writes_are_to_the_member_or_to_all_of_the_block() {
    let members = "%position = OpAccessChain %to_f32 %out %u0 %u0
        OpStore %position %one
        %size = OpAccessChain %to_f32 %out %u1
        OpStore %size %one
        %copy = OpCopyObject %to_f32 %size
        OpStore %copy %one
        OpStore %out %null
        %read = OpLoad %f32 %size";
    assert_eq!(sizes("", members), Some(vec![1, 2, 3]));
    let decorated = "OpDecorate %out BuiltIn PointSize";
    assert_eq!(sizes(decorated, "OpStore %out %one"), Some(vec![0]));
    assert_eq!(sizes("initial", "OpStore %out %null"), None);
    let elsewhere = "%size = OpAccessChain %to_f32 %out %u1
        %call = OpFunctionCall %void %main %size";
    assert_eq!(sizes("", elsewhere), None);
}
