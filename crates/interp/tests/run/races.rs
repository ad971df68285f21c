//! Data races are found, and what is ordered is not reported.

use spirvkit_grammar::Op;
use spirvkit_interp::{Outcome, Run};

use crate::shader::{SIZES, shader};

/// Constants for scopes and semantics.
const GLOBALS: &str = "%u0x48 = OpConstant %u32 0x48
%u0x42 = OpConstant %u32 0x42
%u0x44 = OpConstant %u32 0x44
%u0x108 = OpConstant %u32 0x108
%u0x148 = OpConstant %u32 0x148
%u0x208 = OpConstant %u32 0x208
%u258 = OpConstant %u32 258
%u260 = OpConstant %u32 260
%u65 = OpConstant %u32 65
%u40 = OpConstant %u32 40
%u63 = OpConstant %u32 63
%v64 = OpTypeArray %u32 %u64
%ptr_v64 = OpTypePointer Workgroup %v64
%tile = OpVariable %ptr_v64 Workgroup";

/// Runs workgroups with a race detector.
fn detect(body: &str, size: u32, groups: u32, adjust: impl Fn(Run<'_>) -> Run<'_>) -> Outcome {
    let words = shader(GLOBALS, body);
    let run = Run::new(&words).subgroup_size(size).race(true);
    let run = run.storage(0, 0, &[0u32; 66]).zeroed(0, 1, 64 * 4);
    adjust(run).dispatch([groups, 1, 1]).unwrap()
}

/// The messages of races.
fn races(out: &Outcome) -> Vec<String> {
    for found in &out.findings {
        assert_eq!(found.rule(), "run.race", "{found}");
    }
    let messages = out.findings.iter().map(|found| found.message().to_owned());
    messages.collect()
}

#[track_caller]
fn clean(body: &str) {
    for size in SIZES {
        let found = races(&detect(body, size, 1, |run| run));
        assert!(found.is_empty(), "subgroups of {size}: {found:?}");
    }
}

/// Expects races with this in all their messages.
#[track_caller]
fn racy(body: &str, message: &str) {
    for size in SIZES {
        let found = races(&detect(body, size, 1, |run| run));
        assert!(!found.is_empty(), "subgroups of {size}");
        for found in found {
            assert!(found.contains(message), "subgroups of {size}: {found}");
        }
    }
}

/// Writes to an element of the workgroup's memory, then reads a neighbour's.
fn neighbour(between: &str) -> String {
    format!(
        "%own = OpAccessChain %ptr_shared %tile %index
OpStore %own %index
{between}
%next = OpIAdd %u32 %index %u1
%next_index = OpBitwiseAnd %u32 %next %u63
%their = OpAccessChain %ptr_shared %tile %next_index
%result = OpLoad %u32 %their"
    )
}

/// The same in a buffer.
fn neighbour_in_buffer(between: &str) -> String {
    neighbour(between).replace(
        "OpAccessChain %ptr_shared %tile",
        "OpAccessChain %ptr_element %in %u0",
    )
}

/// Invocation 0 writes a payload and sets a flag; another waits for the flag and reads the
/// payload.
fn message_passing(reader: &str, publish: &str, read: &str, then: &str) -> String {
    format!(
        "%payload = OpAccessChain %ptr_element %in %u0 %u64
%flag = OpAccessChain %ptr_element %in %u0 %u65
%writes = OpIEqual %bool %index %u0
OpSelectionMerge %merge None
OpBranchConditional %writes %writer %maybe
%writer = OpLabel
OpStore %payload %u5
{publish}
OpBranch %merge
%maybe = OpLabel
%reads = OpIEqual %bool %index {reader}
OpSelectionMerge %done None
OpBranchConditional %reads %loop %done
%loop = OpLabel
OpLoopMerge %after %continue None
OpBranch %check
%check = OpLabel
%seen = OpAtomicLoad %u32 %flag {read}
%is_set = OpIEqual %bool %seen %u1
OpBranchConditional %is_set %after %continue
%continue = OpLabel
OpBranch %loop
%after = OpLabel
{then}
%got = OpLoad %u32 %payload
OpBranch %done
%done = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value"
    )
}

#[test]
fn barriers_order_a_workgroup() {
    clean(&neighbour("OpControlBarrier %u2 %u2 %u264"));
    clean(&neighbour_in_buffer("OpControlBarrier %u2 %u2 %u0x48"));
    clean(&neighbour_in_buffer("OpControlBarrier %u2 %u1 %u0x148"));
}

#[test]
fn without_a_barrier_neighbours_race() {
    racy(&neighbour(""), "no barrier is between them");
    racy(&neighbour_in_buffer(""), "no barrier is between them");
}

#[test]
fn shaders_have_no_memory_across_workgroups() {
    let barrier = "OpControlBarrier %u2 %u2 %u0x208";
    racy(&neighbour_in_buffer(barrier), "lack `UniformMemory`");
}

#[test]
fn barriers_without_semantics_order_nothing() {
    let message = "the barrier between them orders no memory";
    racy(&neighbour("OpControlBarrier %u2 %u2 %u0"), message);
}

#[test]
fn fences_around_a_barrier_without_semantics() {
    let barrier =
        "OpMemoryBarrier %u2 %u264\nOpControlBarrier %u2 %u2 %u0\nOpMemoryBarrier %u2 %u264";
    clean(&neighbour(barrier));
    let before = "OpMemoryBarrier %u2 %u264\nOpControlBarrier %u2 %u2 %u0";
    racy(&neighbour(before), "races with");
}

/// GLSL's `barrier()` has the semantics of workgroup memory only.
#[test]
fn barriers_order_only_the_memory_they_name() {
    let message = "its semantics lack `UniformMemory`";
    racy(
        &neighbour_in_buffer("OpControlBarrier %u2 %u2 %u264"),
        message,
    );
    let message = "its semantics lack `WorkgroupMemory`";
    racy(&neighbour("OpControlBarrier %u2 %u2 %u0x48"), message);
}

#[test]
fn barriers_with_a_narrow_memory_scope() {
    let out = detect(&neighbour("OpControlBarrier %u2 %u3 %u264"), 32, 1, |run| {
        run
    });
    let found = races(&out);
    assert!(
        found[0].contains("memory scope of the barrier between them is too narrow"),
        "{found:?}"
    );
}

#[test]
fn the_second_place_is_named() {
    let body = neighbour("");
    let out = detect(&body, 64, 1, |run| run);
    let words = shader(GLOBALS, &body);
    let index = spirvkit_analysis::ModuleIndex::new(&words).unwrap();
    let found = &out.findings[0];
    let at = found.word_offset().unwrap() as u32;
    assert_eq!(index.inst(at).unwrap().op(), Op::Load);
    let label = &found.labels()[0];
    assert!(
        label.message.starts_with("a write by invocation ("),
        "{}",
        label.message
    );
}

/// The store of one subgroup races with the load of another and the other way round.
#[test]
fn a_race_that_shows_at_either_access_is_told_of_once() {
    for (size, schedules) in [(4, 1), (4, 8), (64, 8)] {
        let out = detect(&neighbour(""), size, 1, |run| run.schedules(schedules));
        let races = out.findings.iter().filter(|it| it.rule() == "run.race");
        assert_eq!(races.count(), 1, "{:?}", out.findings);
    }
}

#[test]
fn races_are_accepted_by_either_of_their_instructions() {
    let body = neighbour("");
    let words = shader(GLOBALS, &body);
    let module = spirvkit_binary::Module::new(&words).unwrap();
    let instructions = module.instructions().map_while(Result::ok);
    let at = |op| instructions.clone().filter(move |it| it.op() == op);
    let accepting = |op, which: usize| {
        let offset = at(op).nth(which).unwrap().offset().0;
        detect(&body, 32, 1, |run| run.accept_races([offset]))
    };
    // What the body stores, and what it loads from its neighbour.
    let last = at(Op::Load).count() - 1;
    assert!(races(&accepting(Op::Store, 0)).is_empty());
    assert!(races(&accepting(Op::Load, last)).is_empty());
    assert!(!races(&accepting(Op::IAdd, 0)).is_empty());
}

#[test]
fn messages_are_passed_by_release_and_acquire() {
    for (reader, scope) in [("%u1", "%u2"), ("%u40", "%u2"), ("%u40", "%u1")] {
        let publish = format!("OpAtomicStore %flag {scope} %u0x44 %u1");
        clean(&message_passing(
            reader,
            &publish,
            &format!("{scope} %u0x42"),
            "",
        ));
    }
}

#[test]
fn messages_are_passed_by_fences() {
    let publish = "OpMemoryBarrier %u1 %u0x48\nOpAtomicStore %flag %u1 %u0 %u1";
    let fence = "OpMemoryBarrier %u1 %u0x48";
    clean(&message_passing("%u40", publish, "%u1 %u0", fence));
    racy(
        &message_passing("%u40", publish, "%u1 %u0", ""),
        "no acquire semantics",
    );
    let other = "OpMemoryBarrier %u1 %u264\nOpAtomicStore %flag %u1 %u0 %u1";
    racy(
        &message_passing("%u40", other, "%u1 %u0", fence),
        "races with",
    );
}

#[test]
fn messages_are_not_passed_by_relaxed_atomics() {
    let release = "OpAtomicStore %flag %u1 %u0x44 %u1";
    let relaxed = "OpAtomicStore %flag %u1 %u0 %u1";
    racy(
        &message_passing("%u40", release, "%u1 %u0", ""),
        "no acquire semantics",
    );
    racy(
        &message_passing("%u40", relaxed, "%u1 %u0x42", ""),
        "no release semantics",
    );
}

/// The flag is a buffer's, but the semantics are about the workgroup's memory.
#[test]
fn messages_are_not_passed_by_semantics_of_other_memory() {
    let globals_release = "OpAtomicStore %flag %u1 %u0x108 %u1";
    let body = message_passing("%u40", globals_release, "%u1 %u0x42", "");
    racy(&body, "don't both have `UniformMemory`");
}

/// Each workgroup counts under a lock in the last element of a buffer.
fn lock(scope: &str, acquire: &str, release: &str) -> String {
    format!(
        "%payload = OpAccessChain %ptr_element %in %u0 %u64
%held = OpAccessChain %ptr_element %in %u0 %u65
%first = OpIEqual %bool %index %u0
OpSelectionMerge %merge None
OpBranchConditional %first %loop %merge
%loop = OpLabel
OpLoopMerge %taken %continue None
OpBranch %check
%check = OpLabel
%old = OpAtomicCompareExchange %u32 %held {scope} {acquire} %u0 %u1 %u0
%is_free = OpIEqual %bool %old %u0
OpBranchConditional %is_free %taken %continue
%continue = OpLabel
OpBranch %loop
%taken = OpLabel
%count = OpLoad %u32 %payload
%more = OpIAdd %u32 %count %u1
OpStore %payload %more
OpAtomicStore %held {scope} {release} %u0
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value"
    )
}

/// All workgroups write their results to the same place, which is another race.
fn in_groups(body: &str) -> Vec<String> {
    let found = races(&detect(body, 32, 3, |run| run));
    let about = found.into_iter().filter(|found| found.contains("`in`"));
    about.collect()
}

#[test]
fn locks_order_workgroups_if_their_scope_is_wide_enough() {
    assert_eq!(in_groups(&lock("%u1", "%u0x42", "%u0x44")), [""; 0]);
    assert!(!in_groups(&lock("%u1", "%u0", "%u0x44")).is_empty());
    assert!(!in_groups(&lock("%u1", "%u0x42", "%u0")).is_empty());
    assert!(!in_groups(&lock("%u2", "%u0x42", "%u0x44")).is_empty());
}

#[test]
fn equal_values_race_unless_that_is_accepted() {
    let body = "%at = OpAccessChain %ptr_element %out %u0 %u0
%result = OpCopyObject %u32 %value
OpStore %shared %u5";
    racy(body, "this write at byte 0 of `%");
    let out = detect(body, 32, 1, |run| run.same_value(true));
    assert_eq!(races(&out), [""; 0]);
    let other = body.replace("OpStore %shared %u5", "OpStore %shared %index");
    let out = detect(&other, 32, 1, |run| run.same_value(true));
    assert!(!races(&out).is_empty());
}

#[test]
fn atomics_do_not_race_with_each_other() {
    let body = "%sum = OpAtomicIAdd %u32 %shared %u2 %u0 %u1
%result = OpCopyObject %u32 %value";
    clean(body);
    let body = "%sum = OpAtomicIAdd %u32 %shared %u2 %u0 %u1
%result = OpLoad %u32 %shared";
    racy(body, "one of them is not atomic");
    let body = "%sum = OpAtomicIAdd %u32 %shared %u2 %u0 %u1
OpControlBarrier %u2 %u2 %u264
%result = OpLoad %u32 %shared";
    clean(body);
    let body = "%sum = OpAtomicIAdd %u32 %shared %u4 %u0 %u1
%result = OpCopyObject %u32 %value";
    racy(body, "the scope of one atomic doesn't include the other");
}

/// Bytes side by side are no race, the same byte is.
#[test]
fn parts_of_words() {
    let globals = format!(
        "{GLOBALS}
%u8_t = OpTypeInt 8 0
%bytes = OpTypeArray %u8_t %u64
%ptr_bytes = OpTypePointer Workgroup %bytes
%ptr_byte = OpTypePointer Workgroup %u8_t
%text = OpVariable %ptr_bytes Workgroup"
    );
    for (index, is_racy) in [("%index", false), ("%pair", true)] {
        let body = format!(
            "%pair = OpShiftRightLogical %u32 %index %u1
%byte = OpUConvert %u8_t %index
%at = OpAccessChain %ptr_byte %text {index}
OpStore %at %byte
%result = OpCopyObject %u32 %value"
        );
        let words = shader(&globals, &body);
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size).race(true);
            let run = run.storage(0, 0, &[0u32; 66]).zeroed(0, 1, 64 * 4);
            let found = races(&run.dispatch([1, 1, 1]).unwrap());
            assert_eq!(!found.is_empty(), is_racy, "{found:?}");
        }
    }
}

/// In the memory model `Vulkan`, what is not said to be shared is private.
#[test]
fn private_accesses_race_in_the_strict_mode() {
    let barrier = "OpControlBarrier %u2 %u2 %u264";
    let private = neighbour(barrier);
    let shared = private
        .replace(
            "OpStore %own %index",
            "OpStore %own %index MakePointerAvailable|NonPrivatePointer %u2",
        )
        .replace(
            "OpLoad %u32 %their",
            "OpLoad %u32 %their MakePointerVisible|NonPrivatePointer %u2",
        );
    let unseen = private
        .replace(
            "OpStore %own %index",
            "OpStore %own %index MakePointerAvailable|NonPrivatePointer %u2",
        )
        .replace("OpLoad %u32 %their", "OpLoad %u32 %their NonPrivatePointer");
    let not_available = private
        .replace(
            "OpStore %own %index",
            "OpStore %own %index NonPrivatePointer",
        )
        .replace(
            "OpLoad %u32 %their",
            "OpLoad %u32 %their MakePointerVisible|NonPrivatePointer %u2",
        );
    let by_barrier = private
        .replace(
            "OpStore %own %index",
            "OpStore %own %index NonPrivatePointer",
        )
        .replace("OpLoad %u32 %their", "OpLoad %u32 %their NonPrivatePointer")
        .replace("%u2 %u264", "%u2 %all");
    let cases = [
        (private, Some("private")),
        (shared, None),
        (unseen, Some("MakeVisible")),
        (not_available, Some("MakeAvailable")),
        (by_barrier, None),
    ];
    let globals = format!("{GLOBALS}\n%all = OpConstant %u32 0x6108");
    for (body, expected) in cases {
        let words = shader(&globals, &body);
        let text = spirvkit_text::disassemble(&words, &Default::default())
            .unwrap()
            .text;
        let text = text
            .replace(
                "OpMemoryModel Logical GLSL450",
                "OpMemoryModel Logical Vulkan",
            )
            .replace(
                "OpCapability Int64\n",
                "OpCapability Int64\nOpCapability VulkanMemoryModel\n",
            );
        let words = spirvkit_text::assemble(&text, &Default::default())
            .unwrap()
            .words;
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size).race(true);
            let run = run.storage(0, 0, &[0u32; 66]).zeroed(0, 1, 64 * 4);
            assert_eq!(races(&run.clone().dispatch([1, 1, 1]).unwrap()), [""; 0]);
            let found = races(&run.strict(true).dispatch([1, 1, 1]).unwrap());
            match expected {
                None => assert!(found.is_empty(), "{found:?}\n{body}"),
                Some(message) => assert!(found[0].contains(message), "{found:?}"),
            }
        }
    }
}

/// An atomic of eight bytes and one on a half of them are not on the same location.
#[test]
fn atomics_of_several_sizes() {
    let globals = format!(
        "{GLOBALS}
%long = OpTypeInt 64 0
%l1 = OpConstant %long 1
OpCapability Int64Atomics
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"
OpDecorate %longs Block
OpMemberDecorate %longs 0 Offset 0
OpDecorate %words Block
OpMemberDecorate %words 0 Offset 4
OpDecorate %one Aliased
OpDecorate %two Aliased
%longs = OpTypeStruct %long
%words = OpTypeStruct %u32
%ptr_longs = OpTypePointer Workgroup %longs
%ptr_words = OpTypePointer Workgroup %words
%ptr_long = OpTypePointer Workgroup %long
%one = OpVariable %ptr_longs Workgroup
%two = OpVariable %ptr_words Workgroup"
    );
    let (annotations, types): (Vec<&str>, Vec<&str>) =
        globals.lines().partition(|line| line.starts_with("Op"));
    let globals = [types, annotations].concat().join("\n");
    let body = "%wide = OpAccessChain %ptr_long %one %u0
%half = OpAccessChain %ptr_shared %two %u0
%a = OpAtomicIAdd %long %wide %u2 %u0 %l1
BETWEEN
%b = OpAtomicIAdd %u32 %half %u2 %u0 %u1
%result = OpCopyObject %u32 %value";
    let fence = "OpControlBarrier %u2 %u2 %u264";
    for (between, is_racy) in [("", true), (fence, false)] {
        let words = shader(&globals, &body.replace("BETWEEN", between));
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size).race(true);
            let run = run.storage(0, 0, &[0u32; 66]).zeroed(0, 1, 64 * 4);
            let out = run.dispatch([1, 1, 1]).unwrap();
            // That nothing was written there before is found as well.
            let is_found = out.findings.iter().any(|it| it.rule() == "run.race");
            assert_eq!(is_found, is_racy, "{:?}", out.findings);
        }
    }
}

/// Each workgroup leaves something, counts itself behind a barrier, and the last reads what all left
/// behind another: control barriers are fences, too, as far as their scopes and semantics reach.
#[test]
fn control_barriers_are_fences_for_other_workgroups() {
    let body = "%group = OpLoad %v3u32 %group_id
%number = OpCompositeExtract %u32 %group 0
%is_first = OpIEqual %bool %index %u0
OpSelectionMerge %left None
OpBranchConditional %is_first %leave %left
%leave = OpLabel
%place = OpIAdd %u32 %number %u65
%own = OpAccessChain %ptr_element %in %u0 %place
OpStore %own %u5
OpBranch %left
%left = OpLabel
RELEASES
%shared_flag = OpAccessChain %ptr_shared %tile %u0
OpSelectionMerge %counted None
OpBranchConditional %is_first %count %counted
%count = OpLabel
%counter = OpAccessChain %ptr_element %in %u0 %u64
%old = OpAtomicIAdd %u32 %counter %u1 %u0 %u1
OpStore %shared_flag %old
OpBranch %counted
%counted = OpLabel
ACQUIRES
%count_before = OpLoad %u32 %shared_flag
%is_last = OpIEqual %bool %count_before %u3
OpSelectionMerge %merge None
OpBranchConditional %is_last %sum %merge
%sum = OpLabel
%their = OpAccessChain %ptr_element %in %u0 %u65
%there = OpLoad %u32 %their
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value";
    let globals = format!(
        "{GLOBALS}
%ptr_input_v3u32 = OpTypePointer Input %v3u32
%group_id = OpVariable %ptr_input_v3u32 Input
OpDecorate %group_id BuiltIn WorkgroupId"
    );
    let wide = "OpControlBarrier %u2 %u1 %u0x148";
    let narrow = "OpControlBarrier %u2 %u2 %u0x148";
    let shared = "OpControlBarrier %u2 %u1 %u0x108";
    // Another barrier behind the first doesn't take its place.
    let then = format!("{wide}\n{narrow}\n{shared}");
    for (releases, acquires, is_racy) in [
        (wide, wide, false),
        (&then, wide, false),
        (narrow, wide, true),
        (wide, narrow, true),
        (shared, wide, true),
        (wide, shared, true),
    ] {
        let body = body.replace("RELEASES", releases);
        let words = shader(&globals, &body.replace("ACQUIRES", acquires));
        for size in SIZES {
            let run = Run::new(&words).subgroup_size(size).race(true);
            let run = run.storage(0, 0, &[0u32; 70]).zeroed(0, 1, 64 * 4);
            let found = races(&run.dispatch([4, 1, 1]).unwrap());
            // All write their results to one place, which is another race.
            let is_found = found.iter().any(|it| it.contains("`in`"));
            assert_eq!(is_found, is_racy, "{releases}, {acquires}: {found:?}");
        }
    }
}

/// Arrives at a barrier, does something, and waits for the others.
fn split(releases: &str, between: &str, acquires: &str) -> String {
    format!(
        "OpControlBarrierArriveEXT %u2 %u2 {releases}
{between}
OpControlBarrierWaitEXT %u2 %u2 {acquires}"
    )
}

#[test]
fn split_barriers_order_what_is_before_with_what_is_behind() {
    clean(&neighbour(&split("%u260", "", "%u258")));
    clean(&neighbour_in_buffer(&split("%u0x44", "", "%u0x42")));
    // Without semantics, with fences around.
    let fenced = format!(
        "OpMemoryBarrier %u2 %u264\n{}\nOpMemoryBarrier %u2 %u264",
        split("%u0", "", "%u0")
    );
    clean(&neighbour(&fenced));
    // Each reads its own element between the halves, which nobody writes behind them.
    let own = "%again = OpLoad %u32 %own";
    clean(&neighbour(&split("%u260", own, "%u258")));
    // One after the other, and a whole one.
    let two = [split("%u260", "", "%u258"), split("%u260", "", "%u258")].join("\n");
    clean(&neighbour(&two));
    let whole = "OpControlBarrier %u2 %u2 %u264";
    let behind = format!("{}\n{whole}", split("%u0", "", "%u0"));
    clean(&neighbour(&behind));
}

#[test]
fn split_barriers_order_nothing_that_is_between_their_halves() {
    let message = "the split barrier between them orders only what is before its first half";
    // What is written between, others read behind.
    let write = "OpStore %own %u5";
    racy(&neighbour(&split("%u260", write, "%u258")), message);
    // A fence between doesn't help.
    let fenced = "OpStore %own %u5\nOpMemoryBarrier %u2 %u264";
    racy(&neighbour(&split("%u260", fenced, "%u258")), message);
    // What others wrote before may be read only behind.
    let early = "%near = OpIAdd %u32 %index %u1
%near_index = OpBitwiseAnd %u32 %near %u63
%near_there = OpAccessChain %ptr_shared %tile %near_index
%early = OpLoad %u32 %near_there";
    racy(
        &neighbour(&split("%u260", early, "%u258")),
        "no barrier is between them",
    );
    // Neither half may lack its semantics.
    racy(&neighbour(&split("%u0", "", "%u258")), message);
    racy(&neighbour(&split("%u260", "", "%u0")), message);
    racy(&neighbour(&split("%u0x44", "", "%u0x42")), message);
}

/// All workgroups leave something, count themselves, and the last reads what all left: however
/// many there are, it knows of each.
#[test]
fn the_last_workgroup_reads_all() {
    for (before, semantics, behind) in [
        (
            "OpMemoryBarrier %u1 %u0x48",
            "%u0",
            "OpMemoryBarrier %u1 %u0x48",
        ),
        ("", "%u0x44", "OpMemoryBarrier %u1 %u0x48"),
        ("OpMemoryBarrier %u1 %u0x48", "%u0x42", ""),
        ("", "%u0x48", ""),
    ] {
        let body = format!(
            "%is_first = OpIEqual %bool %index %u0
OpSelectionMerge %merge None
OpBranchConditional %is_first %leave %merge
%leave = OpLabel
%group = OpLoad %v3u32 %group_id
%number = OpCompositeExtract %u32 %group 0
%place = OpIAdd %u32 %number %u65
%own = OpAccessChain %ptr_element %in %u0 %place
OpStore %own %u5
{before}
%counter = OpAccessChain %ptr_element %in %u0 %u64
%old = OpAtomicIAdd %u32 %counter %u1 {semantics} %u1
%is_last = OpIEqual %bool %old %last
OpSelectionMerge %summed None
OpBranchConditional %is_last %sum %summed
%sum = OpLabel
{behind}
OpBranch %loop
%loop = OpLabel
%at = OpPhi %u32 %u65 %sum %further %continue
OpLoopMerge %merge_loop %continue None
OpBranch %read
%read = OpLabel
%their = OpAccessChain %ptr_element %in %u0 %at
%left = OpLoad %u32 %their
OpBranch %continue
%continue = OpLabel
%further = OpIAdd %u32 %at %u1
%goes_on = OpULessThan %bool %further %end
OpBranchConditional %goes_on %loop %merge_loop
%merge_loop = OpLabel
OpBranch %summed
%summed = OpLabel
OpBranch %merge
%merge = OpLabel
%result = OpCopyObject %u32 %value"
        );
        for groups in [20, 100] {
            let globals = format!(
                "{GLOBALS}
%ptr_input_v3u32 = OpTypePointer Input %v3u32
%group_id = OpVariable %ptr_input_v3u32 Input
%last = OpConstant %u32 {}
%end = OpConstant %u32 {}
OpDecorate %group_id BuiltIn WorkgroupId",
                groups - 1,
                groups + 65
            );
            let words = shader(&globals, &body);
            let run = Run::new(&words).subgroup_size(32).race(true);
            let run = run.storage(0, 0, &[0u32; 256]).zeroed(0, 1, 64 * 4);
            let found = races(&run.dispatch([groups, 1, 1]).unwrap());
            // All write their results to one place, which is another race.
            let mut about = found.iter().filter(|it| it.contains("`in`"));
            assert_eq!(about.next(), None, "{groups} workgroups, {semantics}");
        }
    }
}
