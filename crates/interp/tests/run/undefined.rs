//! Undefined values are reported where they get to a branch, an address or an atomic, and
//! nowhere else.

use spirvkit_interp::{Outcome, Run};

use crate::shader::{SIZES, run, shader, with_functions};

const GLOBALS: &str = "%undef = OpUndef %u32
%undef_truth = OpUndef %bool
%array8 = OpTypeArray %u32 %u8
%array64 = OpTypeArray %u32 %u64
%ptr_array = OpTypePointer Function %array8
%ptr_shared_array = OpTypePointer Workgroup %array64
%ptr_vector = OpTypePointer Function %v4u32
%semantics = OpConstant %u32 264
%u16 = OpConstant %u32 16
%u256 = OpConstant %u32 256
%counter = OpVariable %ptr_shared Workgroup
%numbers = OpVariable %ptr_shared_array Workgroup";

/// Lets the result depend on a branch on whether `%x` is 3.
const BRANCH: &str = "%is = OpIEqual %bool %x %u3
OpSelectionMerge %merge None
OpBranchConditional %is %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %u1 %then %u2 %entry";

fn ran(body: &str, size: u32) -> Outcome {
    let inputs: Vec<u32> = (0..64).collect();
    run(&shader(GLOBALS, body), size, &inputs)
}

/// What is reported, with subgroups of any size.
#[track_caller]
fn reports(body: &str) -> Vec<String> {
    let all = SIZES.map(|size| {
        let out = ran(body, size);
        let found = out.findings.iter();
        let found = found.filter(|found| found.rule() == "run.uninitialized");
        found
            .map(|found| found.message().to_owned())
            .collect::<Vec<String>>()
    });
    for other in &all[1..] {
        assert_eq!(other.len(), all[0].len(), "{all:?}");
    }
    all[3].clone()
}

#[track_caller]
fn is_reported(body: &str, message: &str) {
    let found = reports(body);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(message), "{found:?}");
}

#[track_caller]
fn is_fine(body: &str) {
    let found = reports(body);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn branches_on_undefined_values() {
    let body = format!("%x = OpIAdd %u32 %undef %index\n{BRANCH}");
    is_reported(
        &body,
        "the condition of the branch is undefined: it comes from",
    );
}

#[test]
fn selectors_that_are_undefined() {
    let body = "OpSelectionMerge %merge None
OpSwitch %undef %merge 1 %one
%one = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %u1 %one %u2 %entry";
    is_reported(body, "the selector of the switch is undefined");
}

#[test]
fn stores_of_undefined_values_are_fine() {
    is_fine("%result = OpIAdd %u32 %undef %index");
    let words = shader(GLOBALS, "%result = OpIAdd %u32 %undef %index");
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .zeroed(0, 1, 256);
    let out = run.undefined_results(true).dispatch([1, 1, 1]).unwrap();
    let found = &out.findings[0];
    assert_eq!(found.rule(), "run.uninitialized");
    assert!(
        found
            .message()
            .contains("the value that is stored is undefined")
    );
    assert!(out.is_clean(), "only a warning");
}

#[test]
fn addresses_that_are_undefined() {
    let body = "%i = OpBitwiseAnd %u32 %undef %u31
%at = OpAccessChain %ptr_element %in %u0 %i
%result = OpLoad %u32 %at";
    is_reported(body, "the address is undefined");
    let body = "%i = OpBitwiseAnd %u32 %undef %u31
%at = OpAccessChain %ptr_element %out %u0 %i
OpStore %at %u1
%result = OpIAdd %u32 %value %u0";
    is_reported(body, "the address is undefined");
}

#[test]
fn atomics_with_undefined_operands() {
    let body = "OpStore %counter %u0
OpControlBarrier %u2 %u2 %semantics
%result = OpAtomicIAdd %u32 %counter %u1 %u0 %undef";
    is_reported(body, "an operand of the atomic is undefined");
    let body = "OpStore %counter %u0
OpControlBarrier %u2 %u2 %semantics
%result = OpAtomicCompareExchange %u32 %counter %u1 %u0 %u0 %u1 %undef";
    is_reported(body, "an operand of the atomic is undefined");
    let body = "OpStore %counter %u0
OpControlBarrier %u2 %u2 %semantics
%result = OpAtomicIAdd %u32 %counter %u1 %u0 %index";
    is_fine(body);
}

#[test]
fn atomics_on_what_was_never_written() {
    let body = "%result = OpAtomicIAdd %u32 %counter %u1 %u0 %u1";
    is_reported(body, "the atomic changes what is undefined");
    // What it gives is no finding by itself, and what replaces it is defined.
    let body = "%old = OpAtomicExchange %u32 %counter %u1 %u0 %u1
%x = OpAtomicIAdd %u32 %counter %u1 %u0 %u1
%result = OpIAdd %u32 %x %old";
    is_fine(body);
}

#[test]
fn variables_that_are_written_on_some_ways_only() {
    // Only invocations below 5 write.
    let body = |limit: &str| {
        format!(
            "%v = OpVariable %ptr_local Function
%below = OpULessThan %bool %index {limit}
OpSelectionMerge %after None
OpBranchConditional %below %write %after
%write = OpLabel
OpStore %v %u3
OpBranch %after
%after = OpLabel
%x = OpLoad %u32 %v
%is = OpIEqual %bool %x %u3
OpSelectionMerge %merge None
OpBranchConditional %is %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %u1 %then %u2 %after"
        )
    };
    let found = variables(&body("%u5"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("to which nothing was written"),
        "{found:?}"
    );
    assert!(
        found[0].contains("59 times, first by invocation (5, 0, 0)"),
        "{found:?}"
    );
    assert!(variables(&body("%u64")).is_empty());
}

/// What is reported where the body begins with variables.
#[track_caller]
fn variables(body: &str) -> Vec<String> {
    // Variables stand before anything else.
    let (variables, rest): (Vec<&str>, Vec<&str>) =
        body.lines().partition(|line| line.contains("OpVariable"));
    let all = SIZES.map(|size| {
        let words = with_variables(&variables.join("\n"), &rest.join("\n"));
        let out = run(&words, size, &(0..64).collect::<Vec<u32>>());
        let found = out.findings.iter().map(|found| found.to_string());
        found.collect::<Vec<String>>()
    });
    for other in &all[1..] {
        assert_eq!(other.len(), all[0].len(), "{all:?}");
    }
    all[3].clone()
}

/// A shader whose body begins with variables.
fn with_variables(variables: &str, body: &str) -> Vec<u32> {
    let functions = format!(
        "%work = OpFunction %u32 None %work_type
%index_in = OpFunctionParameter %u32
%begin = OpLabel
{variables}
{body}
OpReturnValue %result
OpFunctionEnd"
    );
    // The function has names of its own.
    let functions = functions
        .replace("%index ", "%index_in ")
        .replace("%index\n", "%index_in\n");
    let functions = functions
        .replace("%result", "%made")
        .replace("%entry", "%begin");
    let globals = format!("{}\n%work_type = OpTypeFunction %u32 %u32", GLOBALS);
    with_functions(
        &globals,
        "%result = OpFunctionCall %u32 %work %index",
        &functions,
    )
}

#[test]
fn variables_begin_anew_with_each_call() {
    let functions = "%work = OpFunction %u32 None %work_type
%is_first = OpFunctionParameter %bool
%begin = OpLabel
%v = OpVariable %ptr_local Function
OpSelectionMerge %after None
OpBranchConditional %is_first %write %after
%write = OpLabel
OpStore %v %u3
OpBranch %after
%after = OpLabel
%x = OpLoad %u32 %v
%is = OpIEqual %bool %x %u3
OpSelectionMerge %merge None
OpBranchConditional %is %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%made = OpPhi %u32 %u1 %then %u2 %after
OpReturnValue %made
OpFunctionEnd";
    let globals = format!("{}\n%work_type = OpTypeFunction %u32 %bool", GLOBALS);
    let both = "%first = OpFunctionCall %u32 %work %true
%second = OpFunctionCall %u32 %work %false
%result = OpIAdd %u32 %first %second";
    let out = run(&with_functions(&globals, both, functions), 32, &[0; 64]);
    assert_eq!(out.findings.len(), 1, "{:?}", out.findings);
    let both = both.replace("%false", "%true");
    let out = run(&with_functions(&globals, &both, functions), 32, &[0; 64]);
    assert!(out.findings.is_empty(), "{:?}", out.findings);
}

#[test]
fn arrays_that_are_filled_in_part() {
    let body = |count: &str, read: &str| {
        format!(
            "%v = OpVariable %ptr_array Function
OpBranch %header
%header = OpLabel
%i = OpPhi %u32 %u0 %begin %next %continue
OpLoopMerge %done %continue None
OpBranch %test
%test = OpLabel
%goes_on = OpULessThan %bool %i {count}
OpBranchConditional %goes_on %loop %done
%loop = OpLabel
%to = OpAccessChain %ptr_local %v %i
OpStore %to %i
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %i %u1
OpBranch %header
%done = OpLabel
%from = OpAccessChain %ptr_local %v {read}
%x = OpLoad %u32 %from
%is = OpIEqual %bool %x %u3
OpSelectionMerge %merge None
OpBranchConditional %is %then %merge
%then = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %u1 %then %u2 %done"
        )
    };
    assert!(variables(&body("%u8", "%u5")).is_empty());
    assert!(variables(&body("%u5", "%u4")).is_empty());
    let found = variables(&body("%u5", "%u5"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("byte 20 of"), "{found:?}");
}

#[test]
fn memory_of_workgroups() {
    let body = |write: &str, read: &str| {
        format!(
            "%to = OpAccessChain %ptr_shared %numbers {write}
OpStore %to %u3
OpControlBarrier %u2 %u2 %semantics
%from = OpAccessChain %ptr_shared %numbers {read}
%x = OpLoad %u32 %from
{BRANCH}"
        )
    };
    is_fine(&body("%index", "%value"));
    is_reported(&body("%u5", "%u8"), "byte 32 of");
    is_fine(&body("%u5", "%u5"));
}

#[test]
fn memory_of_workgroups_that_begins_with_zeros() {
    let globals = format!(
        "{}\n%null = OpConstantNull %array64\n%zeros = OpVariable %ptr_shared_array Workgroup %null",
        GLOBALS
    );
    let body = format!(
        "%from = OpAccessChain %ptr_shared %zeros %index\n%x = OpLoad %u32 %from\n{BRANCH}"
    );
    let out = run(&shader(&globals, &body), 32, &[0; 64]);
    assert!(out.findings.is_empty(), "{:?}", out.findings);
}

#[test]
fn undefined_values_go_through_memory() {
    // Eight bits of a word are undefined, and the others not.
    let body = |shift: &str| {
        format!(
            "%part = OpBitwiseAnd %u32 %undef %u255
%to = OpAccessChain %ptr_shared %numbers %index
OpStore %to %part
%loaded = OpLoad %u32 %to
%x = OpShiftRightLogical %u32 %loaded {shift}
{BRANCH}"
        )
        .replace("%u255", "%u31")
    };
    is_fine(&body("%u8"));
    is_reported(&body("%u2"), "it comes from");
}

#[test]
fn what_absorbs_is_defined() {
    is_fine(&format!("%x = OpBitwiseAnd %u32 %undef %u0\n{BRANCH}"));
    is_fine(&format!("%x = OpIMul %u32 %undef %u0\n{BRANCH}"));
    is_reported(&format!("%x = OpIMul %u32 %undef %u1\n{BRANCH}"), "branch");
    let insert = |count: &str| {
        format!("%x = OpBitFieldInsert %u32 %undef %value %u0 {count}\n{BRANCH}")
            .replace("%x = ", "%y = ")
            .replace(BRANCH, &format!("%x = OpBitwiseAnd %u32 %y %u31\n{BRANCH}"))
    };
    is_fine(&insert("%u5"));
    is_reported(&insert("%u4"), "branch");
}

#[test]
fn what_is_chosen_counts() {
    let body =
        |truth: &str, a: &str, b: &str| format!("%x = OpSelect %u32 {truth} {a} {b}\n{BRANCH}");
    is_fine(&body("%true", "%u1", "%undef"));
    is_reported(&body("%true", "%undef", "%u1"), "branch");
    is_reported(&body("%undef_truth", "%u1", "%u3"), "branch");
    is_fine(&body("%undef_truth", "%u3", "%u3"));
}

#[test]
fn components_are_apart() {
    let body = |index: &str| {
        format!(
            "%v = OpCompositeConstruct %v4u32 %u1 %undef %u3 %u4
%x = OpCompositeExtract %u32 %v {index}
{BRANCH}"
        )
    };
    is_fine(&body("0"));
    is_reported(&body("1"), "branch");
    let shuffled = |index: &str| {
        format!(
            "%v = OpCompositeConstruct %v4u32 %u1 %u2 %u3 %u4
%w = OpVectorShuffle %v2u32 %v %v 3 0xffffffff
%x = OpCompositeExtract %u32 %w {index}
{BRANCH}"
        )
    };
    is_fine(&shuffled("0"));
    is_reported(&shuffled("1"), "branch");
}

#[test]
fn phis_with_undefined_operands() {
    let body = |limit: &str| {
        format!(
            "%below = OpULessThan %bool %index {limit}
OpSelectionMerge %join None
OpBranchConditional %below %one %join
%one = OpLabel
OpBranch %join
%join = OpLabel
%x = OpPhi %u32 %u3 %one %undef %entry
{}",
            BRANCH.replace("%entry", "%join")
        )
    };
    is_fine(&body("%u64"));
    is_reported(&body("%u5"), "branch");
    let found = reports(&body("%u5"));
    assert!(found[0].contains("invocation (5, 0, 0)"), "{found:?}");
}

#[test]
fn group_operations_take_those_that_contribute() {
    // The first invocation's value is undefined.
    let value = "%is_first = OpIEqual %bool %lane_index %u0
%mine = OpSelect %u32 %is_first %undef %index";
    let sum = format!("{value}\n%x = OpGroupNonUniformIAdd %u32 %u3 Reduce %mine\n{BRANCH}");
    is_reported(&sum, "branch");
    let apart = format!(
        "{value}
OpSelectionMerge %join None
OpBranchConditional %is_first %join %others
%others = OpLabel
%sum = OpGroupNonUniformIAdd %u32 %u3 Reduce %mine
OpBranch %join
%join = OpLabel
%x = OpPhi %u32 %u3 %entry %sum %others
{}",
        BRANCH.replace("%entry", "%join")
    );
    is_fine(&apart);
    let ballot = format!(
        "%is_undefined = OpIEqual %bool %lane_index %u1
%truth = OpSelect %bool %is_undefined %undef_truth %true
%ballot = OpGroupNonUniformBallot %v4u32 %u3 %truth
%word = OpCompositeExtract %u32 %ballot 0
%x = OpBitwiseAnd %u32 %word %u1
{BRANCH}"
    );
    is_fine(&ballot);
    is_reported(&ballot.replace("%word %u1", "%word %u3"), "branch");
}

#[test]
fn shuffles_from_those_that_take_no_part() {
    let body = |from: &str| {
        format!(
            "%is_first = OpIEqual %bool %lane_index %u0
OpSelectionMerge %join None
OpBranchConditional %is_first %join %others
%others = OpLabel
%got = OpGroupNonUniformShuffle %u32 %u3 %index {from}
OpBranch %join
%join = OpLabel
%x = OpPhi %u32 %u3 %entry %got %others
{}",
            BRANCH.replace("%entry", "%join")
        )
    };
    is_fine(&body("%u1"));
    is_reported(&body("%u0"), "an invocation that takes no part");
}

#[test]
fn exploration_finds_them_too() {
    let body = |read: &str| {
        format!(
            "%to = OpAccessChain %ptr_shared %numbers %index
OpStore %to %value
%from = OpAccessChain %ptr_shared %{read} %index
%x = OpLoad %u32 %from
{BRANCH}"
        )
    };
    let globals = format!("{GLOBALS}\n%others = OpVariable %ptr_shared_array Workgroup");
    let explored = |body: &str| {
        let words = shader(&globals, body);
        let run = Run::new(&words).storage(0, 0, &[3u32; 64]);
        let explored = run.zeroed(0, 1, 256).explore().dispatch([1, 1, 1]);
        let explored = explored.unwrap();
        assert_eq!(explored.incomplete, None);
        let found = explored.findings.iter().map(ToString::to_string);
        found.collect::<Vec<String>>()
    };
    assert!(explored(&body("numbers")).is_empty());
    let found = explored(&body("others"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("byte 0 of"), "{found:?}");
    // What is stored keeps its undefined bits.
    let stored = body("numbers").replace("OpStore %to %value", "OpStore %to %undef");
    let found = explored(&stored);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn frozen_values_are_defined() {
    let words = shader(GLOBALS, &format!("%x = OpCopyObject %u32 %undef\n{BRANCH}"));
    let frozen = |op: u32| {
        let mut words = words.clone();
        // The only instruction of its kind becomes another with the same operands.
        let copy = words
            .iter()
            .position(|&word| word == (4 << 16 | 83))
            .unwrap();
        words[copy] = 4 << 16 | op;
        run(&words, 32, &[0; 64]).findings.len()
    };
    assert_eq!(frozen(83), 1);
    let freeze = u32::from(spirvkit_grammar::Op::FreezeKHR.0);
    assert_eq!(frozen(freeze), 0);
}

#[test]
fn blocks_of_workgroups_with_and_without_values() {
    let globals = |initial: &str| {
        format!(
            "{GLOBALS}
%shared_block = OpTypeStruct %u32
%ptr_shared_block = OpTypePointer Workgroup %shared_block
%null_block = OpConstantNull %shared_block
%one_block = OpVariable %ptr_shared_block Workgroup
%other_block = OpVariable %ptr_shared_block Workgroup {initial}"
        )
    };
    let body = |block: &str| {
        format!("%at = OpAccessChain %ptr_shared %{block} %u0\n%x = OpLoad %u32 %at\n{BRANCH}")
    };
    let count = |initial: &str, block: &str| {
        let words = shader(&globals(initial), &body(block));
        run(&words, 8, &[0; 64]).findings.len()
    };
    assert_eq!(count("%null_block", "one_block"), 1);
    assert_eq!(count("%null_block", "other_block"), 0);
    assert_eq!(count("", "other_block"), 1);
}
