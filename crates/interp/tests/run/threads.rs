//! What comes of a run is the same on any number of threads.

use std::sync::atomic::{AtomicU32, Ordering};

use spirvkit_interp::{Outcome, Run};
use spirvkit_testing::{ARRAYS, words};

const GROUPS: u32 = 128;

/// A shader of workgroups of 64 with a buffer `%in`, in which each invocation goes round a loop
/// so often, then does what a text says with its index `%index` in its workgroup and its index
/// `%global` in all. `%sum` is how often it went round.
fn looping(turns: &str, then: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %local %wid
OpExecutionMode %main LocalSize 64 1 1
OpName %in \"in\"
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %wid BuiltIn WorkgroupId
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
{ARRAYS}%ptr_input = OpTypePointer Input %u32
%ptr_v3u32 = OpTypePointer Input %v3u32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u5 = OpConstant %u32 5
%u64 = OpConstant %u32 64
%u200 = OpConstant %u32 200
%u8191 = OpConstant %u32 8191
%u20000 = OpConstant %u32 20000
%local = OpVariable %ptr_input Input
%wid = OpVariable %ptr_v3u32 Input
%in = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%index = OpLoad %u32 %local
%three = OpLoad %v3u32 %wid
%group = OpCompositeExtract %u32 %three 0
%first = OpIMul %u32 %group %u64
%global = OpIAdd %u32 %first %index
%is_first = OpIEqual %bool %group %u0
%turns = OpSelect %u32 %is_first %u20000 %u5
OpBranch %loop
%loop = OpLabel
%sum = OpPhi %u32 %u0 %entry %next %continue
%more = OpULessThan %bool %sum {turns}
OpLoopMerge %done %continue None
OpBranchConditional %more %continue %done
%continue = OpLabel
%next = OpIAdd %u32 %sum %u1
OpBranch %loop
%done = OpLabel
{then}
OpReturn
OpFunctionEnd
"
    );
    words(&text)
}

/// Runs it on a buffer of so many numbers, each of which is its index.
fn run(
    words: &[u32],
    threads: usize,
    numbers: u32,
    adjust: impl Fn(Run<'_>) -> Run<'_>,
) -> Outcome {
    let numbers: Vec<u32> = (0..numbers).collect();
    let run = Run::new(words).threads(threads).storage(0, 0, &numbers);
    adjust(run).dispatch([GROUPS, 1, 1]).unwrap()
}

/// The numbers in the end, which are the same on any number of threads, as are findings and
/// steps.
fn same(words: &[u32], numbers: u32, adjust: impl Fn(Run<'_>) -> Run<'_>) -> (Vec<u32>, Outcome) {
    let one = run(words, 1, numbers, &adjust);
    for threads in [2, 3, 8] {
        let other = run(words, threads, numbers, &adjust);
        assert_eq!(other.bytes(0, 0), one.bytes(0, 0), "{threads} threads");
        assert_eq!(other.steps, one.steps);
        let messages = |out: &Outcome| format!("{:?}", out.findings);
        assert_eq!(messages(&other), messages(&one));
    }
    (one.read(0, 0), one)
}

const ALL: u32 = GROUPS * 64;

#[test]
fn each_workgroup_has_its_own_part() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %sum";
    let (found, out) = same(&looping("%u200", then), ALL, |run| run);
    assert_eq!(found, [200; ALL as usize]);
    out.assert_clean();
    let then = "%at = OpAccessChain %ptr_element %in %u0 %global
%old = OpLoad %u32 %at
%new = OpIAdd %u32 %old %sum
OpStore %at %new";
    let (found, _) = same(&looping("%u200", then), ALL, |run| run);
    assert_eq!(found, (200..200 + ALL).collect::<Vec<u32>>());
}

/// Nothing is thrown away and run again.
#[test]
fn each_workgroup_runs_once() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %sum";
    let words = looping("%u200", then);
    let ended = AtomicU32::new(0);
    let tick = || _ = ended.fetch_add(1, Ordering::Relaxed);
    let numbers = [0u32; ALL as usize];
    let run = Run::new(&words).threads(4).on_progress(&tick);
    let out = run.storage(0, 0, &numbers).dispatch([GROUPS, 1, 1]);
    assert_eq!(out.unwrap().read::<u32>(0, 0), [200; ALL as usize]);
    assert_eq!(ended.into_inner(), GROUPS);
}

#[test]
fn the_last_write_stays() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %index
OpStore %at %global";
    let (found, _) = same(&looping("%u200", then), 64, |run| run);
    assert_eq!(found, (ALL - 64..ALL).collect::<Vec<u32>>());
}

#[test]
fn counters_show_the_order() {
    let then = "%counter = OpAccessChain %ptr_element %in %u0 %u0
%is_one = OpIEqual %bool %index %u1
OpSelectionMerge %counted None
OpBranchConditional %is_one %count %counted
%count = OpLabel
%number = OpAtomicIAdd %u32 %counter %u1 %u0 %u1
%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %number
OpBranch %counted
%counted = OpLabel";
    let (found, _) = same(&looping("%u200", then), ALL, |run| run);
    assert_eq!(found[0], GROUPS);
    let numbers: Vec<u32> = found[1..].iter().step_by(64).copied().collect();
    assert_eq!(numbers, (0..GROUPS).collect::<Vec<u32>>());
}

#[test]
fn what_earlier_workgroups_wrote_is_read() {
    // Each adds 1 to what the workgroup before it has, the first to the last's.
    let then = "%back = OpISub %u32 %global %u64
%before = OpBitwiseAnd %u32 %back %u8191
%from = OpAccessChain %ptr_element %in %u0 %before
%old = OpLoad %u32 %from
%new = OpIAdd %u32 %old %u1
%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %new";
    let (found, _) = same(&looping("%u200", then), ALL, |run| run);
    let expected = |at: u32| ALL - 64 + at % 64 + at / 64 + 1;
    assert_eq!(found, (0..ALL).map(expected).collect::<Vec<u32>>());
}

#[test]
fn findings_are_counted_and_name_the_first() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %sum";
    let (found, out) = same(&looping("%u200", then), ALL - 640, |run| run);
    assert_eq!(found, vec![200; ALL as usize - 640]);
    let message = out.findings[0].message();
    let expected = "executed 640 times, first by invocation (0, 0, 0) of workgroup (118, 0, 0)";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn steps_are_limited_in_order() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %global
OpStore %at %sum";
    let words = looping("%u200", then);
    let steps = run(&words, 1, ALL, |run| run).steps;
    for limit in [steps, steps - 1, steps / 2] {
        let (_, out) = same(&words, ALL, |run| run.max_steps(limit));
        assert_eq!(out.is_clean(), limit == steps);
    }
}

/// What can't wait for others goes on, however long it takes.
#[test]
fn long_loops_keep_their_turn() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %index
OpStore %at %global";
    // Only those of the first workgroup are long.
    let (found, _) = same(&looping("%turns", then), 64, |run| run);
    assert_eq!(found, (ALL - 64..ALL).collect::<Vec<u32>>());
}

#[test]
fn orders_are_run_at_the_same_time() {
    let then = "%at = OpAccessChain %ptr_element %in %u0 %index
OpStore %at %global";
    let words = looping("%u200", then);
    let (_, out) = same(&words, 64, |run| run.schedules(3));
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.order"]);
}
