//! Named barriers, at which some subgroups of a workgroup wait.

use spirvkit_interp::{Outcome, Run};

use super::kernel;

/// Runs one workgroup of 16 invocations, in subgroups of four, which have local memory `l`.
fn run(body: &str, adjust: impl Fn(Run<'_>) -> Run<'_>) -> Outcome {
    let globals = "%named = OpTypeNamedBarrier";
    let words = kernel(64, globals, &[("l", "%local")], body);
    let run = Run::new(&words).subgroup_size(4).local_size([16, 1, 1]);
    let run = run
        .local_argument("l", 64)
        .argument("out", &[7u32; 16])
        .race(true);
    adjust(run).dispatch([1, 1, 1]).unwrap()
}

/// The rules of what is found, and the first message.
fn found(out: &Outcome) -> (Vec<String>, String) {
    let rules = out.findings.iter().map(|it| it.rule().to_owned()).collect();
    let first = out.findings.first();
    (rules, first.map_or(String::new(), |it| it.message().into()))
}

/// The halves of a workgroup exchange numbers, each by a barrier of its own.
fn exchange(semantics: &str) -> String {
    format!(
        "%a = OpNamedBarrierInitialize %named %u2
%b = OpNamedBarrierInitialize %named %u2
%own = OpInBoundsPtrAccessChain %local %l %index
OpStore %own %index Aligned 4
%half = OpBitwiseAnd %u32 %index %eight
%is_first = OpIEqual %bool %half %u0
OpSelectionMerge %chosen None
OpBranchConditional %is_first %first %second
%first = OpLabel
OpBranch %chosen
%second = OpLabel
OpMemoryNamedBarrier %b %u2 %{semantics}
OpBranch %chosen
%chosen = OpLabel
%barrier = OpPhi %named %a %first %b %second
OpMemoryNamedBarrier %barrier %u2 %{semantics}
%other = OpBitwiseXor %u32 %index %u4
%from = OpInBoundsPtrAccessChain %local %l %other
%result = OpLoad %u32 %from Aligned 4"
    )
}

#[test]
fn halves_of_a_workgroup_wait_by_themselves() {
    for seed in 0..20 {
        let out = run(&exchange("u272"), |run| run.seed(seed));
        assert_eq!(found(&out), (vec![], String::new()), "order {seed}");
        let expected: Vec<u32> = (0..16).map(|index| index ^ 4).collect();
        assert_eq!(out.argument::<u32>("out"), expected, "order {seed}");
    }
}

#[test]
fn without_semantics_nothing_is_ordered() {
    let (rules, message) = found(&run(&exchange("u0"), |run| run));
    assert_eq!(rules[0], "run.race", "{message}");
}

#[test]
fn as_many_go_on_as_the_barrier_waits_for() {
    // All four come to it: two pairs, one after the other.
    let body = "%a = OpNamedBarrierInitialize %named %u2
OpMemoryNamedBarrier %a %u2 %u272
%result = OpCopyObject %u32 %index";
    let out = run(body, |run| run);
    assert_eq!(found(&out), (vec![], String::new()));
    // With three, one is left over.
    let out = run(&body.replace("%named %u2", "%named %u3"), |run| run);
    let (rules, message) = found(&out);
    assert_eq!(rules, ["run.barrier"]);
    assert!(
        message.starts_with("1 of the 3 subgroups that"),
        "{message}"
    );
    assert_eq!(out.argument::<u32>("out"), (0..16).collect::<Vec<u32>>());
}

#[test]
fn a_barrier_for_more_than_there_are_is_reported() {
    let body = "%a = OpNamedBarrierInitialize %named %u5
OpMemoryNamedBarrier %a %u2 %u272
OpControlBarrier %u2 %u2 %u272
%result = OpCopyObject %u32 %index";
    let (rules, message) = found(&run(body, |run| run));
    assert_eq!(rules, ["run.barrier"]);
    assert!(message.contains("and the workgroup has 4"), "{message}");
}

#[test]
fn a_part_of_a_subgroup_is_reported() {
    let body = "%a = OpNamedBarrierInitialize %named %u1
%is_part = OpULessThan %bool %index %u3
OpSelectionMerge %behind None
OpBranchConditional %is_part %waits %behind
%waits = OpLabel
OpMemoryNamedBarrier %a %u2 %u272
OpBranch %behind
%behind = OpLabel
%result = OpCopyObject %u32 %index";
    let (rules, message) = found(&run(body, |run| run));
    assert_eq!(rules, ["run.barrier"]);
    assert!(
        message.starts_with("only 3 of the 4 invocations"),
        "{message}"
    );
}

#[test]
fn an_undefined_barrier_is_reported() {
    for barrier in [
        "%count = OpUndef %u32
%a = OpNamedBarrierInitialize %named %count",
        "%a = OpUndef %named",
    ] {
        let body = format!(
            "{barrier}
OpMemoryNamedBarrier %a %u2 %u272
%result = OpCopyObject %u32 %index"
        );
        let (rules, message) = found(&run(&body, |run| run));
        assert_eq!(rules, ["run.uninitialized"], "{message}");
    }
}

/// A barrier that a loop makes anew is another one each time: one half of the workgroup waits at
/// the first, the other at the second, and two of them never meet.
#[test]
fn each_time_makes_a_new_barrier() {
    let body = "%half = OpBitwiseAnd %u32 %index %eight
%is_first = OpIEqual %bool %half %u0
%wanted = OpSelect %u32 %is_first %u0 %u1
OpBranch %head
%head = OpLabel
%round = OpPhi %u32 %u0 %entry %next %tail
%a = OpNamedBarrierInitialize %named COUNT
%is_mine = OpIEqual %bool %round %wanted
OpLoopMerge %behind %tail None
OpBranchConditional %is_mine %wait %tail
%wait = OpLabel
OpMemoryNamedBarrier %a %u2 %u272
OpBranch %tail
%tail = OpLabel
%next = OpIAdd %u32 %round %u1
%again = OpULessThan %bool %next %u2
OpBranchConditional %again %head %behind
%behind = OpLabel
%result = OpCopyObject %u32 %index";
    let out = run(&body.replace("COUNT", "%u2"), |run| run);
    assert_eq!(found(&out), (vec![], String::new()));
    // All four don't come to either.
    let out = run(&body.replace("COUNT", "%u4"), |run| run);
    let (rules, message) = found(&out);
    assert_eq!(rules, ["run.barrier"]);
    assert!(
        message.starts_with("2 of the 4 subgroups that"),
        "{message}"
    );
    assert_eq!(out.argument::<u32>("out"), (0..16).collect::<Vec<u32>>());
}
