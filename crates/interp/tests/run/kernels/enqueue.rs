//! Kernels that enqueue others, queues and events.

use spirvkit_interp::{Observer, Outcome, Run};
use spirvkit_text::assemble;

/// A kernel with a body, which may enqueue `%child`, whose body knows its parameters: `%index`,
/// the global index, `%to`, the pointer that is the first of them, and `%n`, the number behind it.
/// `%local` is memory of its workgroup. The kernel has `%out` and `%data`, two buffers, and a
/// queue.
fn module(bits: u32, globals: &str, body: &str, child: &str) -> Vec<u32> {
    let (wide, convert) = match bits {
        64 => ("%u64", "OpUConvert"),
        _ => ("%u32", "OpCopyObject"),
    };
    let (before, globals): (Vec<&str>, Vec<&str>) = globals
        .lines()
        .partition(|line| line.starts_with("OpName") || line.starts_with("OpExec"));
    let (before, globals) = (before.join("\n"), globals.join("\n"));
    let text = format!(
        "OpCapability Kernel
OpCapability Addresses
OpCapability DeviceEnqueue
OpCapability SubgroupDispatch
OpCapability Pipes
OpCapability Int64
OpCapability Int8
OpMemoryModel Physical{bits} OpenCL
OpEntryPoint Kernel %main \"main\" %ids
{before}
OpName %out \"out\"
OpName %data \"data\"
OpName %queue \"queue\"
OpName %child \"child\"
OpDecorate %ids BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3size = OpTypeVector {wide} 3
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%u7 = OpConstant %u32 7
%eight = OpConstant %u32 8
%u12 = OpConstant %u32 12
%u16 = OpConstant %u32 16
%u100 = OpConstant %u32 100
%minus5 = OpConstant %u32 4294967291
%s0 = OpConstant {wide} 0
%s1 = OpConstant {wide} 1
%s2 = OpConstant {wide} 2
%s3 = OpConstant {wide} 3
%s4 = OpConstant {wide} 4
%s6 = OpConstant {wide} 6
%s16 = OpConstant {wide} 16
%three = OpConstant %u32 3
%sizes3 = OpTypeArray {wide} %three
%two_ = OpConstant %u32 2
%sizes2 = OpTypeArray {wide} %two_
%range_type = OpTypeStruct %u32 %sizes3 %sizes3 %sizes3
%queue_type = OpTypeQueue
%event_type = OpTypeDeviceEvent
%events_type = OpTypeArray %event_type %two_
%global = OpTypePointer CrossWorkgroup %u32
%global8 = OpTypePointer CrossWorkgroup %u64
%local_type = OpTypePointer Workgroup %u32
%bytes = OpTypePointer Generic %u8
%params = OpTypeStruct %global %u32
%own_params = OpTypePointer Function %params
%generic_params = OpTypePointer Generic %params
%generic_global = OpTypePointer Generic %global
%generic_u32 = OpTypePointer Generic %u32
%own_global = OpTypePointer Function %global
%own_u32 = OpTypePointer Function %u32
%own_event = OpTypePointer Function %event_type
%own_events = OpTypePointer Function %events_type
%generic_event = OpTypePointer Generic %event_type
%no_events = OpConstantNull %generic_event
%no_queue = OpConstantNull %queue_type
%no_event = OpConstantNull %event_type
%ids_type = OpTypePointer Input %v3size
%ids = OpVariable %ids_type Input
{globals}
%fn = OpTypeFunction %void %global %global %queue_type
%child_type = OpTypeFunction %void %bytes %local_type
%main = OpFunction %void None %fn
%out = OpFunctionParameter %global
%data = OpFunctionParameter %global
%queue = OpFunctionParameter %queue_type
%entry = OpLabel
%kept = OpVariable %own_params Function
%events = OpVariable %own_events Function
%event0 = OpInBoundsPtrAccessChain %own_event %events %u0 %u0
%event1 = OpInBoundsPtrAccessChain %own_event %events %u0 %u1
%any0 = OpPtrCastToGeneric %generic_event %event0
%any1 = OpPtrCastToGeneric %generic_event %event1
%at0 = OpInBoundsPtrAccessChain %own_global %kept %u0 %u0
%at1 = OpInBoundsPtrAccessChain %own_u32 %kept %u0 %u1
OpStore %at0 %out
OpStore %at1 %u100
%kept_any = OpPtrCastToGeneric %generic_params %kept
%param = OpBitcast %bytes %kept_any
%range = OpBuildNDRange %range_type %s6 %s2 %s0
{body}
OpReturn
OpFunctionEnd
%child = OpFunction %void None %child_type
%block = OpFunctionParameter %bytes
%local = OpFunctionParameter %local_type
%begin = OpLabel
%given = OpBitcast %generic_params %block
%given0 = OpInBoundsPtrAccessChain %generic_global %given %u0 %u0
%given1 = OpInBoundsPtrAccessChain %generic_u32 %given %u0 %u1
%to = OpLoad %global %given0
%n = OpLoad %u32 %given1
%all_ids = OpLoad %v3size %ids
%index_wide = OpCompositeExtract {wide} %all_ids 0
%index = {convert} %u32 %index_wide
{child}
OpReturn
OpFunctionEnd"
    );
    // A pointer and a number.
    let text = text.replace("%psize", if bits == 64 { "%u12" } else { "%eight" });
    let assembled = assemble(&text, &Default::default());
    assembled
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

fn run(words: &[u32], adjust: impl Fn(Run<'_>) -> Run<'_>) -> Outcome {
    let run = Run::new(words).subgroup_size(4).race(true);
    let run = run.argument("out", &[0u32; 16]);
    adjust(run.argument("data", &[0u32; 16]))
        .dispatch([1, 1, 1])
        .unwrap()
}

/// What comes of a body and one of the child.
fn outcome(body: &str, child: &str) -> Outcome {
    run(&module(64, "", body, child), |run| run)
}

fn messages(out: &Outcome) -> Vec<String> {
    let all = out.findings.iter();
    all.map(|it| format!("{}: {}", it.rule(), it.message()))
        .collect()
}

#[track_caller]
fn is_clean(out: &Outcome) {
    assert_eq!(messages(out), [""; 0]);
}

/// That there is one finding, of this rule and with this message.
#[track_caller]
fn finds(out: &Outcome, rule: &str, message: &str) {
    let found = messages(out);
    assert!(
        found.len() == 1
            && found[0].starts_with(&format!("{rule}: "))
            && found[0].contains(message),
        "{found:#?}"
    );
}

/// Enqueues the child, which waits for nothing.
const ENQUEUE: &str = "%code = OpEnqueueKernel %u32 %queue %u1 %range %u0 %no_events %no_events %child %param %psize %u4 %s16";

/// Each invocation writes its index and the number that it is given.
const WRITE: &str = "%sum = OpIAdd %u32 %index %n
%at = OpInBoundsPtrAccessChain %global %to %index
OpStore %at %sum Aligned 4";

/// Stores a number that the kernel has for the host.
fn shown(body: &str, value: &str) -> String {
    format!("{body}\nOpStore %data {value} Aligned 4")
}

#[test]
fn what_is_enqueued_runs_with_its_parameters() {
    for bits in [32, 64] {
        for size in [1, 4, 16, 64] {
            // Parameters are what they were when it was enqueued.
            let body = format!("{ENQUEUE}\nOpStore %at1 %u7");
            let words = module(bits, "", &shown(&body, "%code"), WRITE);
            for optimized in [true, false] {
                let out = run(&words, |run| run.subgroup_size(size).optimized(optimized));
                is_clean(&out);
                let expected: Vec<u32> = (0..6).map(|it| it + 100).chain([0; 10]).collect();
                assert_eq!(out.argument::<u32>("out"), expected);
                assert_eq!(out.argument::<u32>("data")[0], 0);
            }
        }
    }
}

#[test]
fn ranges_have_offsets_and_up_to_three_dimensions() {
    // A row for each y, from 1 on; the last workgroups are smaller.
    let body = ENQUEUE.replace("%range ", "%flat ");
    let globals = "%global_ = OpConstantComposite %sizes2 %s3 %s2
%local_ = OpConstantComposite %sizes2 %s2 %s1
%offset_ = OpConstantComposite %sizes2 %s0 %s1
%none = OpConstantNull %sizes2";
    let body = format!("%flat = OpBuildNDRange %range_type %global_ %local_ %offset_\n{body}");
    let child = "%y_wide = OpCompositeExtract %u64 %all_ids 1
%y = OpUConvert %u32 %y_wide
%row = OpIMul %u32 %y %u4
%place = OpIAdd %u32 %row %index
%at = OpInBoundsPtrAccessChain %global %to %place
OpStore %at %place Aligned 4";
    let words = module(64, globals, &body, child);
    let out = run(&words, |run| run);
    is_clean(&out);
    let expected = [0, 0, 0, 0, 4, 5, 6, 0, 8, 9, 10, 0, 0, 0, 0, 0];
    assert_eq!(out.argument::<u32>("out"), expected);
    // Without a local size, the run chooses one.
    let body = body.replace("%local_ %offset_", "%none %none");
    let out = run(&module(64, globals, &body, child), |run| run);
    is_clean(&out);
    let expected = [0, 1, 2, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(out.argument::<u32>("out"), expected);
}

#[test]
fn local_memory_has_the_size_that_is_asked_for() {
    // Both of a workgroup exchange their numbers.
    let child = "%lane = OpBitwiseAnd %u32 %index %u1
%own = OpInBoundsPtrAccessChain %local_type %local %lane
OpStore %own %index Aligned 4
OpControlBarrier %u2 %u2 %u272
%other = OpBitwiseXor %u32 %lane %u1
%from = OpInBoundsPtrAccessChain %local_type %local %other
%loaded = OpLoad %u32 %from Aligned 4
%at = OpInBoundsPtrAccessChain %global %to %index
OpStore %at %loaded Aligned 4";
    let globals = "%u272 = OpConstant %u32 272";
    let out = run(&module(64, globals, ENQUEUE, child), |run| run);
    is_clean(&out);
    assert_eq!(out.argument::<u32>("out")[..6], [1, 0, 3, 2, 5, 4]);
    // Four bytes are too few, and a workgroup's memory is not that of another kernel.
    let short = ENQUEUE.replace("%s16", "%s4");
    let found = messages(&run(&module(64, globals, &short, child), |run| run));
    assert!(
        found[0].starts_with("run.bounds: ") && found[0].ends_with("of `child`"),
        "{found:#?}"
    );
}

/// Adds one to a number, and notes the number before.
const COUNT: &str = "%old = OpLoad %u32 %to Aligned 4
%new = OpIAdd %u32 %old %u1
OpStore %to %new Aligned 4
%next = OpIAdd %u32 %old %u1
%at = OpInBoundsPtrAccessChain %global %to %next
OpStore %at %n Aligned 4";

/// Enqueues three kernels with the numbers 1 to 3, of which the first waits for the second.
fn chain(first: &str, second: &str, third: &str) -> String {
    let enqueue = |name: &str, number: &str, rest: &str| {
        format!(
            "OpStore %at1 {number}
{name} = OpEnqueueKernel %u32 %queue %u0 %one {rest} %child %param %psize %u4 %s16\n"
        )
    };
    format!(
        "%one = OpBuildNDRange %range_type %s1 %s1 %s0
{}{}{}",
        enqueue("%a", "%u1", first),
        enqueue("%b", "%u2", second),
        enqueue("%c", "%u3", third)
    )
}

#[test]
fn kernels_run_in_the_order_that_events_and_seeds_say() {
    let free = chain(
        "%u0 %no_events %no_events",
        "%u0 %no_events %no_events",
        "%u0 %no_events %no_events",
    );
    let words = module(64, "", &free, COUNT);
    let out = run(&words, |run| run);
    is_clean(&out);
    assert_eq!(out.argument::<u32>("out")[..4], [3, 1, 2, 3]);
    let orders: std::collections::BTreeSet<Vec<u32>> = (1..30)
        .map(|seed| {
            let out = run(&words, |run| run.seed(seed));
            is_clean(&out);
            out.argument::<u32>("out")[1..4].to_vec()
        })
        .collect();
    assert_eq!(orders.len(), 6);
    // The second waits for the first, and the third for both.
    let waits = chain(
        "%u0 %no_events %any0",
        "%u1 %any0 %any1",
        "%u2 %any0 %no_events",
    );
    let words = module(64, "", &waits, COUNT);
    for seed in 0..20 {
        let out = run(&words, |run| run.seed(seed));
        is_clean(&out);
        assert_eq!(
            out.argument::<u32>("out")[..4],
            [3, 1, 2, 3],
            "order {seed}"
        );
    }
}

#[test]
fn what_waits_for_a_kernel_waits_for_all_that_it_enqueues() {
    // The first child enqueues another one, with the number 8.
    let child = format!(
        "{COUNT}
%is_first = OpIEqual %bool %n %u1
OpSelectionMerge %behind None
OpBranchConditional %is_first %first %behind
%first = OpLabel
OpStore %given1 %u7
%single = OpBuildNDRange %range_type %s1 %s1 %s0
%default = OpGetDefaultQueue %queue_type
%code = OpEnqueueKernel %u32 %default %u0 %single %u0 %no_events %no_events %child %block %psize %u4 %s16
OpBranch %behind
%behind = OpLabel"
    );
    let body = chain(
        "%u0 %no_events %any0",
        "%u1 %any0 %any1",
        "%u0 %no_events %no_events",
    );
    let out = outcome(&body, &child);
    is_clean(&out);
    assert_eq!(out.argument::<u32>("out")[..5], [4, 1, 3, 7, 2]);
}

#[test]
fn markers_complete_with_what_they_wait_for() {
    let body = "%one = OpBuildNDRange %range_type %s1 %s1 %s0
OpStore %at1 %u1
%user = OpCreateUserEvent %event_type
OpStore %event0 %user
%marked = OpEnqueueMarker %u32 %queue %u1 %any0 %any1
%a = OpEnqueueKernel %u32 %queue %u0 %one %u1 %any1 %no_events %child %param %psize %u4 %s16
OpStore %at1 %u2
%b = OpEnqueueKernel %u32 %queue %u0 %one %u0 %no_events %no_events %child %param %psize %u4 %s16
%marker = OpLoad %event_type %event1
OpReleaseEvent %marker
OpSetUserEventStatus %user %u0";
    for seed in 0..5 {
        let out = run(&module(64, "", body, COUNT), |run| run.seed(seed));
        is_clean(&out);
        let mut order = out.argument::<u32>("out")[..3].to_vec();
        order[1..].sort_unstable();
        assert_eq!(order, [2, 1, 2]);
    }
    // It is never set, or to an error.
    let never = body.replace("OpSetUserEventStatus %user %u0", "");
    let out = outcome(&never, COUNT);
    let found = messages(&out);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].contains("waits for an event that never completes"));
    assert_eq!(out.argument::<u32>("out")[..3], [1, 2, 0]);
    let failed = body.replace("%user %u0", "%user %minus5");
    let out = outcome(&failed, COUNT);
    is_clean(&out);
    assert_eq!(out.argument::<u32>("out")[..3], [1, 2, 0]);
    // Without an event to wait for, or to give.
    for (marker, code) in [
        ("%u0 %no_events %any1", 0xffff_ff9b),
        ("%u1 %no_events %any1", 0xffff_ff9b),
        ("%u1 %any0 %no_events", 0),
    ] {
        let body = format!(
            "%user = OpCreateUserEvent %event_type
OpStore %event0 %user
%code = OpEnqueueMarker %u32 %queue {marker}"
        );
        let out = outcome(&shown(&format!("{ENQUEUE2}\n{body}"), "%code"), COUNT);
        assert_eq!(out.argument::<u32>("data")[0], code, "{marker}");
    }
}

/// The same as [`ENQUEUE`] with another name of its result.
const ENQUEUE2: &str = "%code2 = OpEnqueueKernel %u32 %queue %u1 %range %u0 %no_events %no_events %child %param %psize %u4 %s16";

#[test]
fn what_cannot_be_enqueued_gives_an_error() {
    let huge = "%huge = OpBuildNDRange %range_type %wide %wide %s0";
    let globals = "%wide = OpConstant %u64 2000";
    for (name, from, to) in [
        ("no queue", "%queue ", "%no_queue "),
        ("flags", "%queue %u1", "%queue %u3"),
        ("no global size", "%range ", "%empty "),
        ("workgroup", "%range ", "%huge "),
        ("no list", "%u0 %no_events", "%u1 %no_events"),
        ("no count", "%u0 %no_events", "%u0 %any0"),
        ("no event", "%u0 %no_events", "%u1 %any0"),
        ("no local memory", "%s16", "%s0"),
    ] {
        let body = format!(
            "OpStore %event0 %no_event
{huge}
%empty = OpBuildNDRange %range_type %s0 %s2 %s0
{}",
            ENQUEUE.replacen(from, to, 1)
        );
        let out = run(&module(64, globals, &shown(&body, "%code"), WRITE), |run| {
            run
        });
        is_clean(&out);
        assert_eq!(out.argument::<u32>("data")[0] as i32, -101, "{name}");
        assert_eq!(out.argument::<u32>("out"), [0; 16], "{name}");
    }
}

#[test]
fn runs_have_limits() {
    // The child enqueues itself again and again.
    let child = format!(
        "{COUNT2}\n%code = OpEnqueueKernel %u32 %default %u1 %single %u0 %no_events %no_events %child %block %psize %u4 %s16"
    );
    let words = module(64, "", ENQUEUE1, &child);
    let out = run(&words, |run| run.max_enqueued(10));
    finds(&out, "run.enqueue", "the limit of the run is reached");
    assert!(out.is_clean());
    assert_eq!(out.argument::<u32>("out")[0], 10);
    let out = run(&words, |run| run.max_steps(1000));
    finds(&out, "run.steps", "");
    // Parameters and local memory take memory, too.
    let large = ENQUEUE.replace("%s16", "%large");
    let globals = "%large = OpConstant %u64 10000000";
    let words = module(64, globals, &shown(&large, "%code"), WRITE);
    let out = run(&words, |run| run.max_memory(1 << 20));
    assert_eq!(out.argument::<u32>("data")[0] as i32, -101);
    let out = run(&words, |run| run);
    assert_eq!(out.argument::<u32>("data")[0], 0);
}

const ENQUEUE1: &str = "%single_ = OpBuildNDRange %range_type %s1 %s1 %s0
%code_ = OpEnqueueKernel %u32 %queue %u1 %single_ %u0 %no_events %no_events %child %param %psize %u4 %s16";

const COUNT2: &str = "%old = OpLoad %u32 %to Aligned 4
%new = OpIAdd %u32 %old %u1
OpStore %to %new Aligned 4
%single = OpBuildNDRange %range_type %s1 %s1 %s0
%default = OpGetDefaultQueue %queue_type";

#[test]
fn kernels_can_be_asked_about() {
    // A workgroup of the range has six invocations, and subgroups have four.
    for (question, expected) in [
        (
            "OpGetKernelNDrangeSubGroupCount %u32 %wider %child %param %psize %u4",
            2,
        ),
        (
            "OpGetKernelNDrangeMaxSubGroupSize %u32 %range %child %param %psize %u4",
            4,
        ),
        (
            "OpGetKernelWorkGroupSize %u32 %child %param %psize %u4",
            1024,
        ),
        (
            "OpGetKernelPreferredWorkGroupSizeMultiple %u32 %child %param %psize %u4",
            4,
        ),
        (
            "OpGetKernelLocalSizeForSubgroupCount %u32 %u3 %child %param %psize %u4",
            12,
        ),
        (
            "OpGetKernelLocalSizeForSubgroupCount %u32 %minus5 %child %param %psize %u4",
            0,
        ),
        (
            "OpGetKernelMaxNumSubgroups %u32 %child %param %psize %u4",
            256,
        ),
    ] {
        let body = format!("%wider = OpBuildNDRange %range_type %s16 %s6 %s0\n%code = {question}");
        let out = outcome(&shown(&body, "%code"), WRITE);
        is_clean(&out);
        assert_eq!(out.argument::<u32>("data")[0], expected, "{question}");
    }
}

#[test]
fn events_are_valid_until_they_are_released() {
    let body = "%user = OpCreateUserEvent %event_type
OpRetainEvent %user
OpReleaseEvent %user
%is_valid = OpIsValidEvent %bool %user
OpReleaseEvent %user
%is_still = OpIsValidEvent %bool %user
%is_null = OpIsValidEvent %bool %no_event
%a = OpSelect %u32 %is_valid %u1 %u0
%b = OpSelect %u32 %is_still %u2 %u0
%c = OpSelect %u32 %is_null %u4 %u0
%ab = OpIAdd %u32 %a %b
%abc = OpIAdd %u32 %ab %c";
    let out = outcome(&shown(body, "%abc"), WRITE);
    is_clean(&out);
    assert_eq!(out.argument::<u32>("data")[0], 1);
}

#[test]
fn misuse_of_events_is_reported() {
    let user = "%user = OpCreateUserEvent %event_type";
    let kernel = ENQUEUE.replace("%no_events %no_events", "%no_events %any0")
        + "\n%made = OpLoad %event_type %event0";
    let capture = "%wide_data = OpBitcast %global8 %data
OpCaptureEventProfilingInfo %user %u1 %wide_data";
    for (body, message) in [
        (
            String::from("OpReleaseEvent %no_event"),
            "there is no event with the number 0",
        ),
        (
            format!("{user}\nOpReleaseEvent %user\nOpRetainEvent %user"),
            "there is no event with the number 1",
        ),
        (
            format!("{user}\nOpSetUserEventStatus %user %u5"),
            "the status is 5",
        ),
        (
            format!("{user}\nOpSetUserEventStatus %user %u0\nOpSetUserEventStatus %user %u0"),
            "is set already",
        ),
        (
            format!("{kernel}\nOpSetUserEventStatus %made %u0"),
            "is no user event",
        ),
        (format!("{user}\n{capture}"), "not one of a kernel"),
        (
            format!(
                "{kernel}\n{}\nOpCaptureEventProfilingInfo %made %u1 %wide_data",
                capture.replace("%user", "%made")
            ),
            "captured already",
        ),
    ] {
        finds(&outcome(&body, WRITE), "run.enqueue", message);
    }
}

#[test]
fn how_long_a_kernel_takes_is_captured() {
    let body = ENQUEUE.replace("%no_events %no_events", "%no_events %any0")
        + "\n%made = OpLoad %event_type %event0
%wide_data = OpBitcast %global8 %data
OpCaptureEventProfilingInfo %made %u1 %wide_data";
    let out = outcome(&body, WRITE);
    is_clean(&out);
    let times = out.argument::<u64>("data");
    assert!(times[0] > 0 && times[0] <= times[1], "{times:?}");
    assert!(times[1] < out.steps);
    // It has to go somewhere.
    let body = body.replace(
        "%wide_data = OpBitcast %global8 %data",
        "%end = OpInBoundsPtrAccessChain %global %data %u16\n%wide_data = OpBitcast %global8 %end",
    );
    finds(&outcome(&body, WRITE), "run.bounds", "writes 16 bytes");
}

#[test]
fn what_goes_wrong_in_a_kernel_names_it() {
    let child = WRITE.replace("%to %index", "%to %sum");
    finds(
        &outcome(ENQUEUE, &child),
        "run.bounds",
        "first by invocation (0, 0, 0) of workgroup (0, 0, 0) of `child`",
    );
    // Two invocations of it race, but none with those of another kernel.
    let child = WRITE.replace("%to %index", "%to %u0");
    let out = outcome(
        &format!("{ENQUEUE}\n{ENQUEUE2}\nOpStore %out %u1 Aligned 4"),
        &child,
    );
    finds(&out, "run.race", "of `child`");
}

#[test]
fn undefined_operands_are_reported() {
    let body = ENQUEUE.replace("%queue %u1", "%queue %undef");
    let body = format!("%undef = OpUndef %u32\n{body}");
    finds(
        &outcome(&body, WRITE),
        "run.uninitialized",
        "an operand of the instruction on a queue or an event",
    );
}

#[test]
fn ranges_and_sizes_may_be_given_by_their_addresses() {
    // So does llvm-spirv.
    let globals = "%own_range = OpTypePointer Function %range_type
%own_size = OpTypePointer Function %u64";
    let body = format!(
        "%range_at = OpVariable %own_range Function
%size_at = OpVariable %own_size Function
OpStore %range_at %range
OpStore %size_at %s16
{}",
        ENQUEUE
            .replace("%range ", "%range_at ")
            .replace("%s16", "%size_at")
    );
    let out = run(&module(64, globals, &body, WRITE), |run| run);
    is_clean(&out);
    assert_eq!(
        out.argument::<u32>("out")[..6],
        [100, 101, 102, 103, 104, 105]
    );
}

#[test]
fn variables_begin_anew_in_each_kernel() {
    let globals = "%own_type = OpTypePointer Private %u32
%own = OpVariable %own_type Private
%set = OpVariable %own_type Private %u7";
    // The kernel has written to its own.
    let body = format!("OpStore %own %u1\nOpStore %set %u1\n{ENQUEUE1}");
    let child = "%first = OpLoad %u32 %set
OpStore %to %first Aligned 4
%second = OpLoad %u32 %own
%is_one = OpIEqual %bool %second %u1
OpSelectionMerge %behind None
OpBranchConditional %is_one %one %behind
%one = OpLabel
OpBranch %behind
%behind = OpLabel";
    let out = run(&module(64, globals, &body, child), |run| run);
    finds(&out, "run.uninitialized", "the condition of the branch");
    assert_eq!(out.argument::<u32>("out")[0], 7);
}

#[test]
fn observers_see_what_is_enqueued() {
    #[derive(Default)]
    struct Groups(Vec<[u32; 3]>);
    impl Observer for Groups {
        fn workgroup_begins(&mut self, id: [u32; 3]) {
            self.0.push(id);
        }
    }
    let words = module(64, "", ENQUEUE, WRITE);
    let mut groups = Groups::default();
    let run = Run::new(&words).argument("out", &[0u32; 16]);
    let run = run.argument("data", &[0u32; 16]);
    let out = run.observe([1, 1, 1], &mut groups).unwrap();
    is_clean(&out);
    assert_eq!(groups.0, [[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]]);
    assert_eq!(out.argument::<u32>("out")[5], 105);
}

#[test]
fn reservations_are_not_handed_to_other_kernels() {
    let globals = "OpName %storage \"storage\"
%pipe_type = OpTypePipe WriteOnly
%storage_type = OpTypePipeStorage
%storage = OpConstantPipeStorage %storage_type 4 4 4
%reserve_id = OpTypeReserveId
%kept_type = OpTypePointer CrossWorkgroup %reserve_id
%nothing = OpConstantNull %reserve_id
%reserved = OpVariable %kept_type CrossWorkgroup %nothing";
    let body = format!(
        "%pipe = OpCreatePipeFromPipeStorage %pipe_type %storage
%made = OpReserveWritePipePackets %reserve_id %pipe %u1 %u4 %u4
OpStore %reserved %made
{ENQUEUE1}"
    );
    let child = "%pipe2 = OpCreatePipeFromPipeStorage %pipe_type %storage
%loaded = OpLoad %reserve_id %reserved
OpCommitWritePipe %pipe2 %loaded %u4 %u4";
    let found = messages(&run(&module(64, globals, &body, child), |run| run));
    assert!(
        found
            .iter()
            .any(|it| it.contains("ends without committing"))
            && found.iter().any(|it| it.contains("is already committed")),
        "{found:#?}"
    );
}

#[test]
fn kernels_that_enqueue_are_not_explored() {
    let words = module(64, "", ENQUEUE, WRITE);
    let run = Run::new(&words).argument("out", &[0u32; 16]);
    let run = run.argument("data", &[0u32; 16]);
    let errors = run.explore().dispatch([1, 1, 1]).unwrap_err().to_string();
    assert!(errors.contains("can't be explored yet"), "{errors}");
}

#[test]
fn an_entry_point_that_enqueues_itself_is_refused() {
    let body = ENQUEUE.replace("%child %param", "%main %param");
    let words = module(64, "", &body, WRITE);
    let errors = Run::new(&words)
        .dispatch([1, 1, 1])
        .unwrap_err()
        .to_string();
    assert!(
        errors.contains("an entry point that enqueues itself"),
        "{errors}"
    );
}
