//! Copies of bytes, of many elements, and by workgroups.

use spirvkit_interp::Run;

use super::{gives, kernel};

#[test]
fn bytes_are_copied() {
    // Eleven bytes, and as many as the index says.
    gives(
        "%eleven = OpConstant %u32 11",
        &[
            ("in", "%global8"),
            ("sized", "%global8"),
            ("counted", "%global8"),
        ],
        "%sixteen = OpIMul %u32 %index %u16b
%from = OpInBoundsPtrAccessChain %global8 %in %sixteen
%to = OpInBoundsPtrAccessChain %global8 %sized %sixteen
%to_counted = OpInBoundsPtrAccessChain %global8 %counted %sixteen
OpCopyMemorySized %to %from %eleven Aligned 1
OpCopyMemorySized %to_counted %from %index_long
%last = OpInBoundsPtrAccessChain %global8 %to %u10
%behind = OpInBoundsPtrAccessChain %global8 %to %eleven
%at = OpInBoundsPtrAccessChain %global8 %to_counted %u5
%a = OpLoad %u8 %last
%b = OpLoad %u8 %behind
%c = OpLoad %u8 %at
%x = OpUConvert %u32 %a
%y = OpUConvert %u32 %b
%z = OpUConvert %u32 %c
%xs = OpIMul %u32 %x %u272
%ys = OpIMul %u32 %y %u10
%xy = OpIAdd %u32 %xs %ys
%result = OpIAdd %u32 %xy %z",
        |run| {
            let bytes: Vec<u8> = (0..=255).collect();
            let run = run.argument(0, &bytes).argument(1, &[0u8; 256]);
            run.argument(2, &[0u8; 256])
        },
        |index| {
            let counted = if index > 5 { 16 * index + 5 } else { 0 };
            (16 * index + 10) * 272 + counted
        },
    );
}

#[test]
fn workgroups_copy_together() {
    // Every second element into local memory, turned around there, and back.
    gives(
        "%event = OpTypeEvent
%no_event = OpConstantNull %event
%private_event = OpTypePointer Function %event",
        &[("in", "%global"), ("l", "%local"), ("back", "%global")],
        "%events = OpVariable %private_event Function
%sixteen = OpBitwiseAnd %u32 %index %eight
%from = OpInBoundsPtrAccessChain %global %in %sixteen
%count = OpCopyObject %size %size8
%begun = OpGroupAsyncCopy %event %u2 %l %from %count %size2 %no_event
OpStore %events %begun
OpGroupWaitEvents %u2 %u1 %events
%seven = OpISub %u32 %u10 %u3
%own = OpBitwiseAnd %u32 %index %seven
%other = OpBitwiseXor %u32 %own %seven
%at = OpInBoundsPtrAccessChain %local %l %other
%result = OpLoad %u32 %at Aligned 4",
        |run| {
            let numbers: Vec<u32> = (100..132).collect();
            let run = run.argument(0, &numbers).local_argument("l", 32);
            run.argument(2, &[0u32; 16])
        },
        |index| 100 + (index & 8) + 2 * (7 - index % 8),
    );
}

#[test]
fn elements_without_contents_are_copied_at_once() {
    let words = kernel(
        64,
        "%event = OpTypeEvent
%no_event = OpConstantNull %event
%private_event = OpTypePointer Function %event
%nothing = OpTypeStruct
%local_nothing = OpTypePointer Workgroup %nothing
%global_nothing = OpTypePointer CrossWorkgroup %nothing
%most = OpConstant %u64 0xffffffffffffffff
%one = OpConstant %u64 1",
        &[("in", "%global"), ("l", "%local")],
        "%events = OpVariable %private_event Function
%to = OpBitcast %local_nothing %l
%from = OpBitcast %global_nothing %in
%begun = OpGroupAsyncCopy %event %u2 %to %from %most %one %no_event
OpStore %events %begun
OpGroupWaitEvents %u2 %u1 %events
%result = OpCopyObject %u32 %u5",
    );
    let run = Run::new(&words)
        .argument("in", &[0u32])
        .argument("out", &[0u32]);
    let out = run.local_argument("l", 4).dispatch([1, 1, 1]).unwrap();
    out.assert_clean();
    assert_eq!(out.argument::<u32>("out"), [5]);
}

#[test]
fn copies_count_as_steps() {
    let words = kernel(
        64,
        "",
        &[("in", "%global8"), ("copy", "%global8"), ("n", "%u64")],
        "OpCopyMemorySized %copy %in %n
%result = OpCopyObject %u32 %u5",
    );
    let run = |steps: u64| {
        let run = Run::new(&words).max_steps(steps).local_size([64, 1, 1]);
        let run = run.argument(0, &[1u8; 1000]).argument(1, &[0u8; 1000]);
        let run = run.argument("n", &[1000u64]).argument("out", &[0u32; 64]);
        run.dispatch([1, 1, 1]).unwrap()
    };
    let out = run(1 << 20);
    out.assert_clean();
    // Two subgroups have 64 invocations together.
    assert!(out.steps >= 64_000, "{}", out.steps);
    let out = run(100);
    let rules: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
    assert_eq!(rules, ["run.steps"]);
    assert!(out.steps < 110, "{}", out.steps);
    let copied = out.argument::<u8>("copy");
    assert!(copied[101..].iter().all(|&byte| byte == 0));
}
