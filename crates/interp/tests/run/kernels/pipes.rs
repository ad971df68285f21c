//! Pipes: packets that kernels read and write in their order.

use spirvkit_interp::{Outcome, Pipe, Run};

use super::kernel;
use crate::shader::SIZES;

const TYPES: &str = "%in = OpTypePipe ReadOnly
%to = OpTypePipe WriteOnly
%reserve_id = OpTypeReserveId
%no_id = OpConstantNull %reserve_id
%u12 = OpConstant %u32 12
%u7 = OpConstant %u32 7";

/// What `kernel` makes of a body, with a pipe `p` of a type and a buffer `data`.
fn module(pipe: &str, globals: &str, body: &str) -> Vec<u32> {
    let globals = format!("{TYPES}\n{globals}");
    kernel(64, &globals, &[("p", pipe), ("data", "%global")], body)
}

/// Two workgroups of eight invocations, in subgroups of four.
fn run(words: &[u32], pipe: Pipe, adjust: impl Fn(Run<'_>) -> Run<'_>) -> Outcome {
    let run = Run::new(words).subgroup_size(4).local_size([8, 1, 1]);
    let data: Vec<u32> = (100..164).collect();
    let run = run
        .pipe_argument("p", pipe)
        .argument("data", &data)
        .argument("out", &[0u32; 16]);
    adjust(run.race(true)).dispatch([2, 1, 1]).unwrap()
}

fn messages(out: &Outcome) -> Vec<String> {
    let all = out.findings.iter();
    all.map(|it| format!("{}: {}", it.rule(), it.message()))
        .collect()
}

/// That there is one finding, with this rule and this in its message.
#[track_caller]
fn finds(out: &Outcome, rule: &str, message: &str) {
    let found = messages(out);
    assert!(found.len() == 1, "{found:#?}");
    assert!(
        found[0].starts_with(&format!("{rule}: ")) && found[0].contains(message),
        "{found:#?}"
    );
}

const NONE: u32 = u32::MAX;

const READ: &str = "%at = OpInBoundsPtrAccessChain %global %data %index
%any = OpPtrCastToGeneric %generic %at
%result = OpReadPipe %u32 %p %any %u4 %u4";

#[test]
fn packets_are_read_in_their_order_until_there_are_none() {
    let words = module("%in", "", READ);
    for size in SIZES {
        for optimized in [true, false] {
            let pipe = Pipe::new(4, 20).packets(&(0..10).collect::<Vec<u32>>());
            let out = run(&words, pipe, |run| {
                run.subgroup_size(size).optimized(optimized)
            });
            assert_eq!(messages(&out), [""; 0]);
            let codes: Vec<u32> = (0..16).map(|it| if it < 10 { 0 } else { NONE }).collect();
            assert_eq!(out.argument::<u32>("out"), codes);
            let data: Vec<u32> = (0..10).chain(110..164).collect();
            assert_eq!(out.argument::<u32>("data"), data);
            assert_eq!(out.argument::<u32>("p"), [0; 0]);
        }
    }
}

#[test]
fn other_orders_hand_out_each_packet_once() {
    let words = module("%in", "", READ);
    for seed in 1..20 {
        let pipe = Pipe::new(4, 16).packets(&(0..16).collect::<Vec<u32>>());
        let out = run(&words, pipe, |run| run.seed(seed));
        let mut data = out.argument::<u32>("data");
        data.truncate(16);
        data.sort_unstable();
        assert_eq!(data, (0..16).collect::<Vec<u32>>(), "order {seed}");
        assert_eq!(messages(&out), [""; 0]);
    }
}

const WRITE: &str = "%at = OpInBoundsPtrAccessChain %global %data %index
%any = OpPtrCastToGeneric %generic %at
%result = OpWritePipe %u32 %p %any %u4 %u4";

#[test]
fn packets_are_written_until_the_pipe_is_full() {
    let words = module("%to", "", WRITE);
    let pipe = Pipe::new(4, 12).packets(&[7u32]);
    let out = run(&words, pipe, |run| run.threads(2));
    assert_eq!(messages(&out), [""; 0]);
    let codes: Vec<u32> = (0..16).map(|it| if it < 11 { 0 } else { NONE }).collect();
    assert_eq!(out.argument::<u32>("out"), codes);
    let left: Vec<u32> = [7].into_iter().chain(100..111).collect();
    assert_eq!(out.argument::<u32>("p"), left);
}

#[test]
fn packets_have_any_size() {
    // Three numbers of the buffer are a packet, or only a byte is.
    let body = "%three = OpIMul %u32 %index %u3
%at = OpInBoundsPtrAccessChain %global %data %three
%any = OpPtrCastToGeneric %generic %at
%result = OpWritePipe %u32 %p %any %u12 %u4";
    let out = run(&module("%to", "", body), Pipe::new(12, 16), |run| run);
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(out.argument::<u32>("p"), (100..148).collect::<Vec<u32>>());
    let words = module("%to", "", &WRITE.replace("%u4 %u4", "%u1 %u1"));
    let out = run(&words, Pipe::new(1, 16), |run| run);
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(out.argument::<u8>("p"), (100..116).collect::<Vec<u8>>());
}

/// Each invocation reserves two packets and writes the second first.
const RESERVED_WRITE: &str = "%id_ = OpReserveWritePipePackets %reserve_id %p %u2 %u4 %u4
%is_valid = OpIsValidReserveId %bool %id_
%twice = OpIMul %u32 %index %u2
%at = OpInBoundsPtrAccessChain %global %data %twice
%next = OpInBoundsPtrAccessChain %global %at %u1
OpSelectionMerge %merge None
OpBranchConditional %is_valid %valid %invalid
%valid = OpLabel
%b = OpReservedWritePipe %u32 %p %id_ %u1 %next %u4 %u4
%a = OpReservedWritePipe %u32 %p %id_ %u0 %at %u4 %u4
%sum = OpIAdd %u32 %a %b
OpCommitWritePipe %p %id_ %u4 %u4
OpBranch %merge
%invalid = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 %sum %valid %u5 %invalid";

#[test]
fn reservations_are_filled_in_any_order() {
    let words = module("%to", "", RESERVED_WRITE);
    let out = run(&words, Pipe::new(4, 21), |run| run);
    assert_eq!(messages(&out), [""; 0]);
    let codes: Vec<u32> = (0..16).map(|it| if it < 10 { 0 } else { 5 }).collect();
    assert_eq!(out.argument::<u32>("out"), codes);
    assert_eq!(out.argument::<u32>("p"), (100..120).collect::<Vec<u32>>());
}

#[test]
fn reservations_are_read_in_any_order() {
    let body = RESERVED_WRITE.replace("Write", "Read");
    let pipe = Pipe::new(4, 30).packets(&(0..21).collect::<Vec<u32>>());
    let out = run(&module("%in", "", &body), pipe, |run| run);
    assert_eq!(messages(&out), [""; 0]);
    let data: Vec<u32> = (0..20).chain(120..164).collect();
    assert_eq!(out.argument::<u32>("data"), data);
    assert_eq!(out.argument::<u32>("p"), [20]);
}

/// A whole scope reserves packets, of which each invocation writes its own; the id is handed on
/// through memory.
fn together(scope: &str, count: &str, lane: &str) -> String {
    format!(
        "%id_ = OpGroupReserveWritePipePackets %reserve_id {scope} %p {count} %u4 %u4
%lane = OpBitwiseAnd %u32 %index {lane}
%at = OpInBoundsPtrAccessChain %global %data %index
OpStore %kept %id_
%again = OpLoad %reserve_id %kept
%result = OpReservedWritePipe %u32 %p %again %lane %at %u4 %u4
OpGroupCommitWritePipe {scope} %p %again %u4 %u4"
    )
}

#[test]
fn workgroups_and_subgroups_reserve_together() {
    let globals = "%own_id = OpTypePointer Private %reserve_id
%kept = OpVariable %own_id Private";
    for (scope, count, lane) in [("%u2", "%eight", "%u7"), ("%u3", "%u4", "%u3")] {
        let words = module("%to", globals, &together(scope, count, lane));
        for seed in 0..6 {
            let out = run(&words, Pipe::new(4, 16), |run| run.seed(seed));
            assert_eq!(messages(&out), [""; 0], "{scope}, order {seed}");
            assert_eq!(out.argument::<u32>("out"), [0; 16]);
            // In portions, each of which is in order.
            let left = out.argument::<u32>("p");
            let size = if scope == "%u2" { 8 } else { 4 };
            let mut portions: Vec<&[u32]> = left.chunks(size).collect();
            portions.sort_unstable();
            assert_eq!(portions.concat(), (100..116).collect::<Vec<u32>>());
            assert!(seed != 0 || left.is_sorted());
        }
    }
}

#[test]
fn workgroups_read_together() {
    let body = "%id_ = OpGroupReserveReadPipePackets %reserve_id %u2 %p %eight %u4 %u4
%lane = OpBitwiseAnd %u32 %index %u7
%at = OpInBoundsPtrAccessChain %global %data %index
%result = OpReservedReadPipe %u32 %p %id_ %lane %at %u4 %u4
OpGroupCommitReadPipe %u2 %p %id_ %u4 %u4";
    let pipe = Pipe::new(4, 16).packets(&(0..16).collect::<Vec<u32>>());
    let out = run(&module("%in", "", body), pipe, |run| run);
    assert_eq!(messages(&out), [""; 0]);
    let data: Vec<u32> = (0..16).chain(116..164).collect();
    assert_eq!(out.argument::<u32>("data"), data);
}

#[test]
fn pipes_tell_how_many_packets_they_have() {
    let body = "%count = OpGetNumPipePackets %u32 %p %u4 %u4
%max = OpGetMaxPipePackets %u32 %p %u4 %u4
%much = OpIMul %u32 %max %u16b
%result = OpIAdd %u32 %much %count";
    let pipe = Pipe::new(4, 10).packets(&[1u32, 2, 3]);
    let out = run(&module("%in", "", body), pipe, |run| run);
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(out.argument::<u32>("out"), [163; 16]);
}

/// As compilers write it that optimize nothing: each in a variable of its own, and the last
/// instructions in a function.
const UNOPTIMIZED: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Pipes
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %p \"p\"
OpName %out \"out\"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u4 = OpConstant %u32 4
%u1 = OpConstant %u32 1
%u0 = OpConstant %u32 0
%in = OpTypePipe ReadOnly
%reserve_id = OpTypeReserveId
%global = OpTypePointer CrossWorkgroup %u32
%own_in = OpTypePointer Function %in
%own_id = OpTypePointer Function %reserve_id
%pair = OpTypeStruct %u32 %reserve_id
%own_pair = OpTypePointer Function %pair
%fn = OpTypeFunction %void %in %global
%take_type = OpTypeFunction %u32 %in %reserve_id %global
%main = OpFunction %void None %fn
%p = OpFunctionParameter %in
%out = OpFunctionParameter %global
%entry = OpLabel
%kept = OpVariable %own_in Function
%kept_pair = OpVariable %own_pair Function
OpStore %kept %p
%same = OpLoad %in %kept
%id = OpReserveReadPipePackets %reserve_id %same %u1 %u4 %u4
%kept_id = OpInBoundsPtrAccessChain %own_id %kept_pair %u0 %u1
OpStore %kept_id %id
%again = OpLoad %in %kept
%loaded = OpLoad %reserve_id %kept_id
%code = OpFunctionCall %u32 %take %again %loaded %out
%next = OpInBoundsPtrAccessChain %global %out %u1
OpStore %next %code Aligned 4
OpReturn
OpFunctionEnd
%take = OpFunction %u32 None %take_type
%from = OpFunctionParameter %in
%which = OpFunctionParameter %reserve_id
%where = OpFunctionParameter %global
%begin = OpLabel
%result = OpReservedReadPipe %u32 %from %which %u0 %where %u4 %u4
OpCommitReadPipe %from %which %u4 %u4
OpReturnValue %result
OpFunctionEnd";

#[test]
fn variables_and_functions_have_pipes_and_reservations() {
    let words = spirvkit_text::assemble(UNOPTIMIZED, &Default::default())
        .unwrap()
        .words;
    let run = Run::new(&words).pipe_argument(0, Pipe::new(4, 2).packets(&[41u32, 42]));
    let out = run.argument("out", &[7u32, 7]).dispatch([2, 1, 1]).unwrap();
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(out.argument::<u32>("out"), [42, 0]);
    assert_eq!(out.argument::<u32>(0), [0; 0]);
}

#[test]
fn storage_of_the_module_is_a_pipe() {
    let globals = "OpName %storage \"storage\"
%storage_type = OpTypePipeStorage
%storage = OpConstantPipeStorage %storage_type 4 4 20
%holder = OpTypePointer CrossWorkgroup %storage_type
%held = OpVariable %holder CrossWorkgroup %storage";
    let body = WRITE.replace("%p %any", "%made %any");
    let body = format!(
        "%loaded = OpLoad %storage_type %held
%made = OpCreatePipeFromPipeStorage %to %loaded
{body}"
    );
    let out = run(&module("%to", globals, &body), Pipe::new(4, 1), |run| run);
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(
        out.argument::<u32>("storage"),
        (100..116).collect::<Vec<u32>>()
    );
    assert!(out.has_argument("storage"));
    let large = globals.replace("4 4 20", "4 4 2000000");
    let words = module("%to", &large, &body);
    let errors = Run::new(&words).max_memory(1 << 20).dispatch([1, 1, 1]);
    let errors = errors.unwrap_err().to_string();
    assert!(errors.contains("8000000 bytes of memory"), "{errors}");
}

#[test]
fn a_kernel_that_reads_and_writes_is_reported() {
    let globals = "OpName %storage \"storage\"
%storage_type = OpTypePipeStorage
%storage = OpConstantPipeStorage %storage_type 4 4 20";
    let body = format!(
        "%one = OpCreatePipeFromPipeStorage %to %storage
%other = OpCreatePipeFromPipeStorage %in %storage
{}
%code = OpReadPipe %u32 %other %any %u4 %u4",
        WRITE.replace("%p %any", "%one %any")
    );
    let out = run(&module("%to", globals, &body), Pipe::new(4, 1), |run| run);
    finds(&out, "run.pipe", "both reads from `storage`");
    assert_eq!(out.argument::<u32>("out"), [0; 16]);
}

/// What comes of a body with a pipe that has packets and room for 64.
fn outcome(pipe: &str, body: &str) -> Outcome {
    let packets: Vec<u32> = (0..32).collect();
    let words = module(pipe, "", body);
    run(&words, Pipe::new(4, 64).packets(&packets), |run| run)
}

#[test]
fn packets_of_another_size_are_reported() {
    let out = outcome("%in", &READ.replace("%u4 %u4", "%eight %u4"));
    finds(&out, "run.pipe", "has 4 bytes, but 8 are named");
    assert_eq!(out.argument::<u32>("out"), [NONE; 16]);
    assert_eq!(out.argument::<u32>("p").len(), 32);
}

#[test]
fn pointers_of_another_alignment_are_reported() {
    let out = outcome("%in", &READ.replace("%u4 %u4", "%u4 %eight"));
    finds(&out, "run.alignment", "");
}

#[test]
fn the_wrong_direction_is_reported() {
    finds(
        &outcome("%to", READ),
        "run.write-only",
        "reads from `p`, whose type",
    );
    finds(
        &outcome("%in", WRITE),
        "run.read-only",
        "writes to `p`, whose type",
    );
}

/// A reservation of two packets, and something done with it.
fn reserved(way: &str, body: &str) -> String {
    format!(
        "%at = OpInBoundsPtrAccessChain %global %data %index
%id_ = OpReserve{way}PipePackets %reserve_id %p %u2 %u4 %u4
{body}
%result = OpCopyObject %u32 %index"
    )
}

#[test]
fn misuse_of_reservations_is_reported() {
    let commit = "OpCommitReadPipe %p %id_ %u4 %u4";
    let read = "%x = OpReservedReadPipe %u32 %p %id_ %u1 %at %u4 %u4";
    for (body, message) in [
        (
            format!("{}\n{commit}", read.replace("%u1", "%u2")),
            "the index is 2, but 2 packets are reserved",
        ),
        (
            format!("{}\n{commit}", read.replace("%id_", "%no_id")),
            "the reservation id 0 is not valid",
        ),
        (format!("{commit}\n{read}"), "is already committed"),
        (format!("{commit}\n{commit}"), "is already committed"),
        (
            String::from(read),
            "without committing the 2 packets reserved of `p`",
        ),
    ] {
        let out = outcome("%in", &reserved("Read", &body));
        finds(&out, "run.pipe", message);
    }
    // What was reserved and not committed is still there.
    let out = outcome("%in", &reserved("Read", read));
    assert_eq!(out.argument::<u32>("p"), (0..32).collect::<Vec<u32>>());
}

#[test]
fn packets_that_are_not_written_are_reported() {
    let body = "%x = OpReservedWritePipe %u32 %p %id_ %u1 %at %u4 %u4
OpCommitWritePipe %p %id_ %u4 %u4";
    let out = outcome("%to", &reserved("Write", body));
    finds(&out, "run.pipe", "1 of the 2 packets are not written");
    assert!(out.is_clean());
    assert_eq!(out.argument::<u32>("p").len(), 64);
}

#[test]
fn reservations_belong_to_a_pipe_and_a_direction() {
    let globals = "%storage_type = OpTypePipeStorage
%storage = OpConstantPipeStorage %storage_type 4 4 64";
    let body = "%other = OpCreatePipeFromPipeStorage %to %storage
OpCommitWritePipe %other %id_ %u4 %u4
OpCommitWritePipe %p %id_ %u4 %u4";
    let body = reserved("Write", body).replace("%p %u2 %u4", "%p %u1 %u4");
    let out = run(&module("%to", globals, &body), Pipe::new(4, 64), |run| run);
    let found = messages(&out);
    assert!(
        found.iter().any(|it| it.contains("one of `p`, and not of")),
        "{found:#?}"
    );
    let body = "OpCommitWritePipe %p %id_ %u4 %u4\nOpCommitReadPipe %p %id_ %u4 %u4";
    let found = messages(&outcome("%in", &reserved("Read", body)));
    assert!(
        found[0].contains("the reservation is for reading"),
        "{found:#?}"
    );
}

#[test]
fn scopes_do_it_together_with_the_same_operands() {
    // Of a subgroup only a part.
    let part = |scope: &str| {
        format!(
            "%is_part = OpULessThan %bool %index %u3
OpSelectionMerge %behind None
OpBranchConditional %is_part %does %behind
%does = OpLabel
%id_ = OpGroupReserveReadPipePackets %reserve_id {scope} %p %u1 %u4 %u4
OpCommitReadPipe %p %id_ %u4 %u4
OpBranch %behind
%behind = OpLabel
%result = OpCopyObject %u32 %index"
        )
    };
    let found = messages(&outcome("%in", &part("%u3")));
    assert!(
        found[0].starts_with("run.pipe: only 3 of the 4"),
        "{found:#?}"
    );
    let found = messages(&outcome("%in", &part("%u2")));
    assert!(found[0].starts_with("run.barrier: "), "{found:#?}");
    for scope in ["%u2", "%u3"] {
        let body = format!(
            "%count = OpBitwiseAnd %u32 %index %u1
%more = OpIAdd %u32 %count %u1
%id_ = OpGroupReserveReadPipePackets %reserve_id {scope} %p %more %u4 %u4
OpGroupCommitReadPipe {scope} %p %id_ %u4 %u4
%result = OpCopyObject %u32 %index"
        );
        finds(&outcome("%in", &body), "run.pipe", "name different pipes");
    }
}

#[test]
fn where_packets_go_is_an_access_like_others() {
    // All read into the same number, or beyond the buffer.
    let body = READ.replace("%data %index", "%data %u0");
    finds(&outcome("%in", &body), "run.race", "of `data`");
    let body = READ.replace("%data %index", "%data %far");
    let body = format!("%far = OpIAdd %u32 %index %u272\n{body}");
    finds(&outcome("%in", &body), "run.bounds", "of `data`");
    // A pipe orders nothing else.
    let body =
        format!("{WRITE}\n%first = OpLoad %u32 %data Aligned 4\nOpStore %data %first Aligned 4");
    let found = messages(&outcome("%to", &body));
    assert!(
        found.iter().all(|it| it.starts_with("run.race")) && !found.is_empty(),
        "{found:#?}"
    );
}

#[test]
fn undefined_reservations_are_reported() {
    let body = "%at = OpInBoundsPtrAccessChain %global %data %index
%nothing = OpUndef %reserve_id
%result = OpReservedReadPipe %u32 %p %nothing %u0 %at %u4 %u4";
    let found = messages(&outcome("%in", body));
    assert!(
        found
            .iter()
            .any(|it| it.starts_with("run.uninitialized: an operand of the instruction on a pipe")),
        "{found:#?}"
    );
}

#[test]
fn what_a_packet_is_read_into_is_defined() {
    let globals = "%own = OpTypePointer Private %u32
%kept = OpVariable %own Private";
    let body = "%code = OpReadPipe %u32 %p %kept %u4 %u4
%read = OpLoad %u32 %kept
%is_less = OpULessThan %bool %read %u4
OpSelectionMerge %behind None
OpBranchConditional %is_less %less %behind
%less = OpLabel
OpBranch %behind
%behind = OpLabel
%result = OpCopyObject %u32 %read";
    let words = module("%in", globals, body);
    let packets: Vec<u32> = (0..16).collect();
    let out = run(&words, Pipe::new(4, 16).packets(&packets), |run| run);
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(out.argument::<u32>("out"), packets);
    // Where none is read, nothing is.
    let out = run(&words, Pipe::new(4, 16), |run| run);
    finds(&out, "run.uninitialized", "the condition of the branch");
}

#[test]
fn waiting_for_a_packet_that_never_comes_ends() {
    let body = "OpBranch %loop
%loop = OpLabel
%at = OpInBoundsPtrAccessChain %global %data %index
%code = OpReadPipe %u32 %p %at %u4 %u4
%is_read = OpIEqual %bool %code %u0
OpBranch %next
%next = OpLabel
OpLoopMerge %behind %turn None
OpBranchConditional %is_read %behind %turn
%turn = OpLabel
OpBranch %loop
%behind = OpLabel
%result = OpCopyObject %u32 %code";
    let body = body.replace("OpBranch %next\n%next = OpLabel\n", "");
    let out = run(&module("%in", "", &body), Pipe::new(4, 4), |run| {
        run.race(false)
    });
    finds(&out, "run.livelock", "");
}

#[test]
fn what_is_given_for_a_pipe_is_checked() {
    let words = module("%in", "", READ);
    let run = |pipe: Pipe| {
        let run = Run::new(&words).pipe_argument("p", pipe);
        let run = run.argument("data", &[0u32]).argument("out", &[0u32]);
        run.dispatch([1, 1, 1]).unwrap_err().to_string()
    };
    for (pipe, message) in [
        (Pipe::new(0, 4), "a pipe for 4 packets of 0 bytes"),
        (Pipe::new(4, 0), "a pipe for 0 packets of 4 bytes"),
        (Pipe::new(1 << 20, 1 << 20), "a pipe of 1099511627776 bytes"),
        (
            Pipe::new(4, 4).packets(&[1u8, 2]),
            "2 bytes are no whole packets of 4",
        ),
        (
            Pipe::new(4, 1).packets(&[1u32, 2]),
            "2 packets are given, but there is room for 1",
        ),
    ] {
        let errors = run(pipe);
        assert!(errors.contains(message), "{errors}");
    }
    let missing = Run::new(&words)
        .argument("p", &[1u32])
        .argument("data", &[0u32])
        .argument("out", &[0u32]);
    let errors = missing.dispatch([1, 1, 1]).unwrap_err().to_string();
    assert!(
        errors.contains("`p`, is a pipe, which needs one"),
        "{errors}"
    );
}

#[test]
fn pipes_are_not_explored() {
    let words = module("%in", "", READ);
    let run = Run::new(&words).pipe_argument("p", Pipe::new(4, 4));
    let run = run.argument("data", &[0u32]).argument("out", &[0u32]);
    let errors = run.explore().dispatch([1, 1, 1]).unwrap_err().to_string();
    assert!(errors.contains("can't be explored yet"), "{errors}");
}

#[test]
fn orders_that_leave_other_packets_are_reported() {
    let words = module("%to", "", WRITE);
    let out = run(&words, Pipe::new(4, 16), |run| run.schedules(8));
    finds(&out, "run.order", "`p` holds something else");
    assert!(out.is_clean());
}
