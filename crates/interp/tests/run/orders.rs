//! Other orders of execution, and runs that never end.

use spirvkit_interp::{Outcome, Run};

use crate::shader::{SIZES, shader};

/// Constants, and two places behind the inputs.
const GLOBALS: &str = "%u65 = OpConstant %u32 65
%u40 = OpConstant %u32 40";

fn rules(out: &Outcome) -> Vec<&str> {
    out.findings.iter().map(|found| found.rule()).collect()
}

fn run_of(words: &[u32]) -> Run<'_> {
    let run = Run::new(words).storage(0, 0, &[0u32; 66]);
    run.zeroed(0, 1, 64 * 4)
}

/// All invocations count under one lock, which whoever has it gives back behind the loop.
const LOCK: &str = "%payload = OpAccessChain %ptr_element %in %u0 %u64
%held = OpAccessChain %ptr_element %in %u0 %u65
OpBranch %loop
%loop = OpLabel
OpLoopMerge %taken %continue None
OpBranch %check
%check = OpLabel
%old = OpAtomicCompareExchange %u32 %held %u1 %u0 %u0 %u1 %u0
%is_free = OpIEqual %bool %old %u0
OpBranchConditional %is_free %taken %continue
%continue = OpLabel
OpBranch %loop
%taken = OpLabel
%count = OpLoad %u32 %payload
%more = OpIAdd %u32 %count %u1
OpStore %payload %more
OpAtomicStore %held %u1 %u0 %u0
%result = OpCopyObject %u32 %value";

/// The lanes come together behind the loop, so who has the lock waits for all others.
#[test]
fn locks_within_a_subgroup_wait_forever() {
    let words = shader(GLOBALS, LOCK);
    for size in SIZES {
        let out = run_of(&words)
            .subgroup_size(size)
            .dispatch([1, 1, 1])
            .unwrap();
        assert_eq!(rules(&out), ["run.livelock"]);
        assert!(out.findings[0].word_offset().is_some());
    }
}

/// Nothing promises that they do: where they do nothing else together, each goes on alone.
#[test]
fn locks_within_a_subgroup_end_in_some_orders() {
    let words = shader(GLOBALS, LOCK);
    for size in SIZES {
        let ends = |seed: &u64| {
            let run = run_of(&words).subgroup_size(size).max_steps(1 << 18);
            let out = run.seed(*seed).dispatch([1, 1, 1]).unwrap();
            out.findings.is_empty() && out.read::<u32>(0, 0)[64] == 64
        };
        assert!((1..9).any(|seed| ends(&seed)), "subgroups of {size}");
    }
}

#[test]
fn locks_between_subgroups_are_passed_on() {
    let body = format!(
        "%first = OpIEqual %bool %lane_index %u0
OpSelectionMerge %merge None
OpBranchConditional %first %start %merge
%start = OpLabel
{}
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value",
        LOCK.rsplit_once('\n').unwrap().0
    );
    let words = shader(GLOBALS, &body);
    for size in SIZES {
        for seed in 0..6 {
            let run = run_of(&words).subgroup_size(size).seed(seed);
            let out = run.dispatch([1, 1, 1]).unwrap();
            assert_eq!(rules(&out), [""; 0]);
            assert_eq!(out.read::<u32>(0, 0)[64], 64 / size);
        }
    }
}

/// What a computation changes only in its variables is no waiting.
#[test]
fn long_loops_are_no_livelock() {
    let body = "OpBranch %loop
%loop = OpLabel
%i = OpPhi %u32 %u0 %entry %next %continue
OpLoopMerge %merge %continue None
%goes_on = OpULessThan %bool %i %many
OpBranchConditional %goes_on %continue %merge
%continue = OpLabel
%next = OpIAdd %u32 %i %u1
OpBranch %loop
%merge = OpLabel
%result = OpCopyObject %u32 %i";
    let words = shader("%many = OpConstant %u32 100000", body);
    let out = run_of(&words).dispatch([1, 1, 1]).unwrap();
    assert!(out.findings.is_empty(), "{:?}", out.findings);
    assert_eq!(out.read::<u32>(0, 1), [100_000; 64]);
}

#[test]
fn results_that_depend_on_the_order() {
    let body = "%place = OpAccessChain %ptr_element %in %u0 %u64
OpStore %place %index
%result = OpCopyObject %u32 %value";
    let words = shader(GLOBALS, body);
    let out = run_of(&words).schedules(20).dispatch([1, 1, 1]).unwrap();
    assert_eq!(rules(&out), ["run.order"]);
    let message = out.findings[0].message();
    assert!(
        message.contains("set 0, binding 0 holds something else"),
        "{message}"
    );
    assert!(message.contains("first at byte 256"), "{message}");
    assert!(out.is_clean());
    // What they all agree on is no finding.
    let words = shader(GLOBALS, &body.replace("%place %index", "%place %u5"));
    let out = run_of(&words).schedules(20).dispatch([1, 1, 1]).unwrap();
    assert!(out.findings.is_empty());
}

/// The reader looks once only; in the usual order it comes too early to read the payload.
#[test]
fn races_that_only_some_orders_show() {
    let body = "%payload = OpAccessChain %ptr_element %in %u0 %u64
%flag = OpAccessChain %ptr_element %in %u0 %u65
%reads = OpIEqual %bool %index %u0
OpSelectionMerge %merge None
OpBranchConditional %reads %reader %maybe
%reader = OpLabel
%seen = OpAtomicLoad %u32 %flag %u1 %u0
%is_set = OpIEqual %bool %seen %u1
OpSelectionMerge %read None
OpBranchConditional %is_set %look %read
%look = OpLabel
%got = OpLoad %u32 %payload
OpBranch %read
%read = OpLabel
OpBranch %merge
%maybe = OpLabel
%writes = OpIEqual %bool %index %u40
OpSelectionMerge %written None
OpBranchConditional %writes %writer %written
%writer = OpLabel
OpStore %payload %u5
OpAtomicStore %flag %u1 %u0 %u1
OpBranch %written
%written = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value";
    let words = shader(GLOBALS, body);
    for size in SIZES {
        let run = run_of(&words).subgroup_size(size).race(true);
        let out = run.clone().dispatch([1, 1, 1]).unwrap();
        assert_eq!(rules(&out), [""; 0]);
        let out = run.schedules(50).dispatch([1, 1, 1]).unwrap();
        let races = out
            .findings
            .iter()
            .filter(|found| found.rule() == "run.race");
        let messages: Vec<&str> = races.map(|found| found.message()).collect();
        assert!(!messages.is_empty());
        assert!(
            messages.iter().all(|it| it.contains(", in order ")),
            "{messages:?}"
        );
    }
}

#[test]
fn an_order_can_be_had_again() {
    let body = "%place = OpAccessChain %ptr_element %in %u0 %u64
%result = OpAtomicIAdd %u32 %place %u1 %u0 %u1";
    let words = shader(GLOBALS, body);
    let result = |seed: u64| {
        let out = run_of(&words).seed(seed).dispatch([1, 1, 1]).unwrap();
        out.read::<u32>(0, 1)
    };
    assert_eq!(result(7), result(7));
    assert!((1..9).any(|seed| result(seed) != result(0)));
    for seed in 0..9 {
        let mut all = result(seed);
        all.sort_unstable();
        assert_eq!(all, (0..64).collect::<Vec<u32>>());
    }
}

#[test]
fn subgroups_of_few() {
    let body = "%result = OpGroupNonUniformIAdd %u32 %u3 Reduce %value";
    let words = shader("", body);
    let inputs: Vec<u32> = (0..64).collect();
    for size in [1, 2] {
        let run = run_of(&words).storage(0, 0, &inputs).subgroup_size(size);
        let out = run.dispatch([1, 1, 1]).unwrap();
        let expected = (0..64).map(|index| {
            let first = index / size * size;
            (first..first + size).sum::<u32>()
        });
        assert_eq!(
            out.read::<u32>(0, 1),
            expected.collect::<Vec<u32>>(),
            "subgroups of {size}"
        );
    }
}
