//! All outcomes that the memory model allows are found, and no others.

use std::collections::BTreeSet;
use std::fmt::Write;

use spirvkit_interp::{Explored, Run};
use spirvkit_testing::{ARRAYS, words};

/// A program of a few invocations, each of which does what a text says, step by step, in
/// memory `x`, `y` and `z` of a buffer: `w x 1` writes to an atomic, `r x 0` reads one and puts what
/// it has read into result 0, `add x 0` adds 1 to one, `spin x` reads one until it is 1; `W x 1`
/// and `R x 0` are stores and loads that are made available and visible, `P x 1` and `Q x 0`
/// private ones; `fence`, `bar`, `arrive` and `wait` are barriers. Atomics and barriers have semantics
/// and a narrower scope behind a point: `w.rel`, `r.acq.wg`, `fence.rel`.
struct Program {
    /// How many invocations a workgroup has.
    size: u32,
    invocations: Vec<String>,
}

fn program(size: u32, invocations: &[&str]) -> Program {
    let invocations = invocations.iter().map(|&it| it.to_owned()).collect();
    Program { size, invocations }
}

impl Program {
    fn words(&self) -> Vec<u32> {
        let mut text = String::from(HEAD);
        writeln!(text, "OpExecutionMode %main LocalSize {} 1 1", self.size).unwrap();
        text += NAMES;
        text += ARRAYS;
        text += INPUT;
        for number in 0..80 {
            writeln!(text, "%c{number} = OpConstant %u32 {number}").unwrap();
        }
        let mut numbers = BTreeSet::new();
        for order in [2, 4, 8] {
            for class in [0, 0x40, 0x100] {
                for more in [0, 0x2000, 0x4000, 0x6000] {
                    numbers.insert(order | class | more);
                }
            }
        }
        for number in numbers.into_iter().filter(|&number| number >= 80) {
            writeln!(text, "%c{number} = OpConstant %u32 {number}").unwrap();
        }
        text += BEGIN;
        let targets: Vec<String> = (0..self.invocations.len())
            .map(|index| format!("{index} %begin{index}"))
            .collect();
        writeln!(text, "OpSwitch %id %done {}", targets.join(" ")).unwrap();
        for (index, body) in self.invocations.iter().enumerate() {
            writeln!(text, "%begin{index} = OpLabel").unwrap();
            for (step, line) in body.split(';').enumerate() {
                text += &instructions(line.trim(), &format!("{index}_{step}"));
            }
            writeln!(text, "OpBranch %done").unwrap();
        }
        text += "%done = OpLabel\nOpReturn\nOpFunctionEnd\n";
        words(&text)
    }

    fn explore(&self) -> Explored {
        let words = self.words();
        let groups = (self.invocations.len() as u32).div_ceil(self.size);
        let run = Run::new(&words)
            .storage(0, 0, &[0u32; 3])
            .storage(0, 1, &[9u32; 4]);
        run.explore().dispatch([groups, 1, 1]).unwrap()
    }

    /// The results that there can be, of which there are so many.
    fn results(&self, count: usize) -> BTreeSet<Vec<u32>> {
        let explored = self.explore();
        assert_eq!(explored.incomplete, None);
        let results = explored
            .outcomes()
            .map(|it| it.read(0, 1)[..count].to_vec());
        results.collect()
    }

    #[track_caller]
    fn gives(&self, expected: &[&[u32]]) {
        let results = self.results(expected[0].len());
        let expected: BTreeSet<Vec<u32>> = expected.iter().map(|it| it.to_vec()).collect();
        assert_eq!(results, expected);
    }

    fn races(&self) -> bool {
        let explored = self.explore();
        assert_eq!(explored.incomplete, None);
        explored.has_race().unwrap()
    }
}

/// The instructions for a step.
fn instructions(line: &str, id: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (what, modifiers) = words[0].split_once('.').unwrap_or((words[0], ""));
    let has = |modifier: &str| modifiers.split('.').any(|it| it == modifier);
    let scope = match (has("wg"), has("inv")) {
        (true, _) => "%c2",
        (_, true) => "%c4",
        _ => "%c1",
    };
    // With the class of the buffer unless it says otherwise.
    let class = match (has("none"), has("shared")) {
        (true, _) => 0,
        (_, true) => 0x100,
        _ => 0x40,
    };
    let semantics = match (has("rel"), has("acq")) {
        (true, true) => 8 | class,
        (true, _) => 4 | class,
        (_, true) => 2 | class,
        _ => 0,
    };
    let semantics =
        semantics | if has("av") { 0x2000 } else { 0 } | if has("vis") { 0x4000 } else { 0 };
    let place_of = |word: Option<&&str>| match word {
        Some(&"x") => 0,
        Some(&"y") => 1,
        _ => 2,
    };
    let place = place_of(words.get(1));
    let number = words.get(2).copied().unwrap_or("0");
    let at = format!("%at{id} = OpAccessChain %ptr_element %memory %c0 %c{place}\n");
    let result = format!(
        "%to{id} = OpAccessChain %ptr_element %results %c0 %c{number}\nOpStore %to{id} %got{id}\n"
    );
    match what {
        "w" => format!("{at}OpAtomicStore %at{id} {scope} %c{semantics} %c{number}\n"),
        "r" => format!("{at}%got{id} = OpAtomicLoad %u32 %at{id} {scope} %c{semantics}\n{result}"),
        "add" => {
            format!("{at}%got{id} = OpAtomicIAdd %u32 %at{id} {scope} %c{semantics} %c1\n{result}")
        }
        "W" => format!(
            "{at}OpStore %at{id} %c{number} NonPrivatePointer|MakePointerAvailable {scope}\n"
        ),
        "R" => format!(
            "{at}%got{id} = OpLoad %u32 %at{id} NonPrivatePointer|MakePointerVisible {scope}\n{result}"
        ),
        "N" => format!("{at}OpStore %at{id} %c{number} NonPrivatePointer\n"),
        "M" => format!("{at}%got{id} = OpLoad %u32 %at{id} NonPrivatePointer\n{result}"),
        "P" => format!("{at}OpStore %at{id} %c{number}\n"),
        "Q" => format!("{at}%got{id} = OpLoad %u32 %at{id}\n{result}"),
        "fence" => format!("OpMemoryBarrier {scope} %c{semantics}\n"),
        "bar" => format!("OpControlBarrier %c2 {scope} %c{semantics}\n"),
        "arrive" => format!("OpControlBarrierArriveEXT %c2 {scope} %c{semantics}\n"),
        "wait" => format!("OpControlBarrierWaitEXT %c2 {scope} %c{semantics}\n"),
        "spin" => format!(
            "{at}OpBranch %loop{id}
%loop{id} = OpLabel
%seen{id} = OpAtomicLoad %u32 %at{id} {scope} %c{semantics}
%ready{id} = OpIEqual %bool %seen{id} %c1
OpLoopMerge %after{id} %loop{id} None
OpBranchConditional %ready{id} %after{id} %loop{id}
%after{id} = OpLabel
"
        ),
        "copy" => format!(
            "{at}%got{id} = OpAtomicLoad %u32 %at{id} {scope} %c0
%to{id} = OpAccessChain %ptr_element %memory %c0 %c{}
OpAtomicStore %to{id} {scope} %c0 %got{id}
",
            place_of(words.get(2))
        ),
        other => panic!("{other}"),
    }
}

const HEAD: &str = "OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability VulkanMemoryModelDeviceScope
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main \"main\" %global %memory %results
";

const NAMES: &str = "OpName %memory \"memory\"
OpDecorate %global BuiltIn GlobalInvocationId
OpDecorate %memory DescriptorSet 0
OpDecorate %memory Binding 0
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 1
";

const INPUT: &str = "%ptr_input = OpTypePointer Input %v3u32
";

const BEGIN: &str = "%global = OpVariable %ptr_input Input
%memory = OpVariable %ptr_block StorageBuffer
%results = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %v3u32 %global
%id = OpCompositeExtract %u32 %ids 0
OpSelectionMerge %done None
";

#[test]
fn message_passing() {
    let all: [&[u32]; 4] = [&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    program(1, &["w x 1; w y 1", "r y 0; r x 1"]).gives(&all);
    program(1, &["w x 1; w.rel y 1", "r y 0; r x 1"]).gives(&all);
    let ordered: [&[u32]; 3] = [&[0, 0], &[0, 1], &[1, 1]];
    program(1, &["w x 1; w.rel y 1", "r.acq y 0; r x 1"]).gives(&ordered);
    program(1, &["w x 1; fence.rel; w y 1", "r y 0; fence.acq; r x 1"]).gives(&ordered);
    // Semantics of another class order nothing, nor does a scope that is too narrow.
    program(1, &["w x 1; w.rel.shared y 1", "r.acq y 0; r x 1"]).gives(&all);
    program(
        1,
        &["w x 1; fence.rel.wg; w y 1", "r y 0; fence.acq.wg; r x 1"],
    )
    .gives(&all);
    program(
        2,
        &["w x 1; fence.rel.wg; w y 1", "r y 0; fence.acq.wg; r x 1"],
    )
    .gives(&ordered);
}

#[test]
fn store_buffering() {
    let all: [&[u32]; 4] = [&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    program(1, &["w x 1; r y 0", "w y 1; r x 1"]).gives(&all);
    program(1, &["w.rel x 1; r.acq y 0", "w.rel y 1; r.acq x 1"]).gives(&all);
}

#[test]
fn load_buffering() {
    let all: [&[u32]; 4] = [&[0, 0], &[0, 1], &[1, 0], &[1, 1]];
    program(1, &["r x 0; w y 1", "r y 1; w x 1"]).gives(&all);
    let ordered: [&[u32]; 3] = [&[0, 0], &[0, 1], &[1, 0]];
    program(1, &["r.acq x 0; w.rel y 1", "r.acq y 1; w.rel x 1"]).gives(&ordered);
    // One side is enough: no read is before what it depends on.
    program(1, &["r.acq x 0; w y 1", "r y 1; w.rel x 1"]).gives(&ordered);
    // Values don't come out of thin air.
    program(1, &["r x 0; copy x y", "r y 1; copy y x"]).gives(&[&[0, 0]]);
}

#[test]
fn independent_reads_of_independent_writes() {
    let relaxed = program(1, &["w x 1", "w y 1", "r x 0; r y 1", "r y 2; r x 3"]);
    assert_eq!(relaxed.results(4).len(), 16);
    let acquired = program(
        1,
        &["w x 1", "w y 1", "r.acq x 0; r y 1", "r.acq y 2; r x 3"],
    );
    assert!(acquired.results(4).contains(&vec![1, 0, 1, 0]));
}

#[test]
fn coherence() {
    let reads = program(1, &["w x 1; w x 2", "r x 0; r x 1"]);
    reads.gives(&[&[0, 0], &[0, 1], &[0, 2], &[1, 1], &[1, 2], &[2, 2]]);
    program(1, &["w x 1; r x 0", "w x 2"]).gives(&[&[1], &[2]]);
    program(1, &["r x 0; w x 1", "w x 2"]).gives(&[&[0], &[2]]);
    let last = program(1, &["w x 1; w x 2"]).explore();
    assert!(last.outcomes().all(|it| it.read::<u32>(0, 0)[0] == 2));
}

#[test]
fn writes_in_opposite_orders() {
    let explored = program(1, &["w x 1; w y 2", "w y 1; w x 2"]).explore();
    assert_eq!(explored.incomplete, None);
    let last: BTreeSet<Vec<u32>> = explored.outcomes().map(|it| it.read(0, 0)).collect();
    let all = [[1, 1, 0], [1, 2, 0], [2, 1, 0], [2, 2, 0]].map(|it| it.to_vec());
    assert_eq!(last, BTreeSet::from(all));
}

#[test]
fn updates_are_one_step() {
    program(1, &["add x 0", "add x 1"]).gives(&[&[0, 1], &[1, 0]]);
    let three = program(1, &["add x 0", "add x 1", "add x 2"]);
    assert_eq!(three.results(3).len(), 6);
    let explored = three.explore();
    assert!(explored.outcomes().all(|it| it.read::<u32>(0, 0)[0] == 3));
}

#[test]
fn release_sequences() {
    let reader = "r.acq y 1; r x 2";
    let sequence = program(1, &["w x 1; w.rel y 1", "add y 0", reader]).results(3);
    // 2 was read only if both have written, and the first before the second.
    assert!(!sequence.contains(&vec![1, 2, 0]));
    assert!(sequence.contains(&vec![1, 2, 1]));
    let broken = program(
        1,
        &["w x 1; w.rel y 1; w y 3", reader.replace('2', "0").as_str()],
    );
    assert!(broken.results(2).contains(&vec![0, 3]));
}

#[test]
fn plain_accesses_race_or_do_not() {
    let flagged = |write: &str, read: &str| {
        let writer = format!("{write}; w.rel y 1");
        let reader = format!("spin.acq y; {read}");
        program(1, &[&writer, &reader])
    };
    let good = flagged("W x 7", "R x 0");
    assert!(!good.races());
    good.gives(&[&[7]]);
    // Not made available, not made visible, and private.
    assert!(flagged("N x 7", "R x 0").races());
    assert!(flagged("W x 7", "M x 0").races());
    assert!(flagged("P x 7", "Q x 0").races());
    let by_flag = program(1, &["N x 7; w.rel.av y 1", "spin.acq.vis y; M x 0"]);
    assert!(!by_flag.races());
    by_flag.gives(&[&[7]]);
    assert!(program(1, &["W x 7; w y 1", "spin y; R x 0"]).races());
    // Atomics don't race, unless others are out of their scope.
    assert!(!program(1, &["w x 1", "r x 0"]).races());
    assert!(program(1, &["w.wg x 1", "r.wg x 0"]).races());
    assert!(!program(2, &["w.wg x 1", "r.wg x 0"]).races());
    assert!(program(1, &["w x 1", "R x 0"]).races());
}

#[test]
fn barriers() {
    let of = |barrier: &str| {
        let writer = format!("W x 7; {barrier}");
        let reader = format!("{barrier}; R x 0");
        program(2, &[&writer, &reader])
    };
    let ordered = of("bar.acq.rel");
    assert!(!ordered.races());
    ordered.gives(&[&[7]]);
    assert!(!of("bar.acq.rel.wg").races());
    assert!(of("bar").races());
    assert!(of("bar.acq.rel.shared").races());
    // They are fences, too.
    let released = |barrier: &str| format!("W x 7; {barrier}; w y 1");
    let acquired = |barrier: &str| format!("spin y; {barrier}; R x 0");
    let through = |first: &str, second: &str| {
        let (writer, reader) = (released(first), acquired(second));
        program(1, &[&writer, &reader]).races()
    };
    assert!(!through("bar.acq.rel", "bar.acq.rel"));
    assert!(through("bar.acq.rel.wg", "bar.acq.rel"));
    assert!(through("bar.acq.rel", "bar"));
    let findings = program(2, &["bar.acq.rel", "w x 1"]).explore().findings;
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].rule(), "run.barrier");
}

#[test]
fn split_barriers() {
    let of = |write: &str, read: &str| program(2, &[write, read]);
    let ordered = of("W x 7; arrive.rel; wait.acq", "arrive.rel; wait.acq; R x 0");
    assert!(!ordered.races());
    ordered.gives(&[&[7]]);
    // What is between the halves is not ordered, whatever the second half says.
    assert!(
        of(
            "arrive.rel; W x 7; wait.acq.rel",
            "arrive.rel; wait.acq.rel; R x 0"
        )
        .races()
    );
    assert!(of("W x 7; arrive.rel; wait.acq", "arrive.rel; R x 0; wait.acq").races());
    assert!(of("W x 7; arrive; wait.acq", "arrive; wait.acq; R x 0").races());
    assert!(of("W x 7; arrive.rel; wait", "arrive.rel; wait; R x 0").races());
    let words = of("arrive.rel; fence.rel; wait.acq", "arrive.rel; wait.acq").words();
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 3])
        .storage(0, 1, &[9u32; 4]);
    let errors = run.explore().dispatch([1, 1, 1]).unwrap_err();
    assert!(errors.to_string().contains("split"), "{errors}");
}

#[test]
fn races_name_both_accesses() {
    let explored = program(1, &["W x 7", "R x 0"]).explore();
    assert_eq!(explored.has_race(), Some(true));
    assert!(!explored.is_clean());
    assert_eq!(explored.findings.len(), 1);
    let message = explored.findings[0].message();
    assert!(message.contains("byte 0 of `memory`"), "{message}");
    assert_eq!(explored.findings[0].labels().len(), 1);
}

#[test]
fn limits_leave_the_answer_open() {
    let words = program(1, &["w x 1; r y 0", "w y 1; r x 1"]).words();
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 3])
        .storage(0, 1, &[9u32; 4]);
    let explored = run.explore().max_looks(3).dispatch([2, 1, 1]).unwrap();
    assert!(explored.incomplete.is_some());
    assert_eq!(explored.has_race(), None);
    assert_eq!(
        explored.is_reachable(|it| it.read::<u32>(0, 1)[0] == 5),
        None
    );
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let words = program(1, &["w x 1"]).words();
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 3])
        .storage(0, 1, &[9u32; 4]);
    let errors = run.explore().dispatch([65, 1, 1]).unwrap_err();
    assert!(errors.to_string().contains("65 invocations"), "{errors}");

    let kernel = spirvkit_text::assemble(
        "OpCapability Kernel
OpCapability Addresses
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
",
        &Default::default(),
    );
    let words = kernel.unwrap().words;
    let errors = Run::new(&words).explore().dispatch([1, 1, 1]).unwrap_err();
    assert!(errors.to_string().contains("`OpenCL`"), "{errors}");
}

/// Writes that are made available, and visible, by one of three: the strict mode finds the races
/// that exploration finds.
#[test]
fn strict_races_are_those_of_exploration() {
    let chains: &[(u32, &[&str])] = &[
        // Available at once, visible at last.
        (
            1,
            &[
                "N x 7; w.rel.av y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        // The one in the middle makes it available.
        (
            1,
            &[
                "N x 7; w.rel y 1",
                "spin.acq y; w.rel.av z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            1,
            &[
                "W.wg x 7; w.rel y 1",
                "spin.acq y; w.rel.av z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            1,
            &[
                "N x 7; w.rel.av y 1",
                "spin.acq.vis y; w.rel z 1",
                "spin.acq z; M x 0",
            ],
        ),
        (
            1,
            &[
                "N x 7; w.rel.av y 1",
                "spin.acq.vis y; w.rel.av z 1",
                "spin.acq z; R x 0",
            ],
        ),
        (
            1,
            &[
                "W x 7; w.rel y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq z; R x 0",
            ],
        ),
        (
            1,
            &[
                "W x 7; w.rel y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq z; M x 0",
            ],
        ),
        (
            1,
            &[
                "P x 7; w.rel.av y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        // Two in one workgroup, one in another.
        (
            2,
            &[
                "W.wg x 7; w.rel.wg y 1",
                "spin.acq.wg y; w.rel z 1",
                "spin.acq z; R x 0",
            ],
        ),
        (
            2,
            &[
                "N x 7; w.rel.av.wg y 1",
                "spin.acq.wg y; w.rel.av z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            2,
            &[
                "N x 7; w.rel.av.wg y 1",
                "spin.acq.vis.wg y; w.rel.av z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            2,
            &[
                "N x 7; w.rel.av y 1",
                "spin.acq.wg y; w.rel z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            2,
            &[
                "N x 7; w.rel.wg y 1",
                "spin.acq.wg y; w.rel.av z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            2,
            &[
                "N x 7; w.rel.av.wg y 1",
                "spin.acq.wg y; w.rel z 1",
                "spin.acq.vis z; M x 0",
            ],
        ),
        (
            2,
            &[
                "spin.acq z; w.rel y 1; w x 2",
                "spin.acq.wg y; M x 0",
                "N x 7; w.rel.av z 1",
            ],
        ),
        (
            2,
            &[
                "spin.acq.vis z; w.rel.wg y 1",
                "spin.acq.wg y; M x 0",
                "N x 7; w.rel.av z 1",
            ],
        ),
        (
            2,
            &[
                "spin.acq z; w.rel.wg y 1",
                "spin.acq.wg y; R.wg x 0",
                "N x 7; w.rel.av z 1",
            ],
        ),
        (
            2,
            &[
                "spin.acq z; w.rel.wg y 1",
                "spin.acq.wg y; R x 0",
                "N x 7; w.rel.av z 1",
            ],
        ),
        // Writes behind writes, and behind reads.
        (
            1,
            &[
                "W x 7; w.rel y 1",
                "spin.acq y; W x 8; w.rel z 1",
                "spin.acq z; R x 0",
            ],
        ),
        (
            1,
            &[
                "N x 7; w.rel y 1",
                "spin.acq y; W x 8; w.rel z 1",
                "spin.acq z; R x 0",
            ],
        ),
        (
            1,
            &[
                "R x 0; w.rel y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq z; N x 7",
            ],
        ),
        (
            1,
            &[
                "Q x 0; w.rel y 1",
                "spin.acq y; w.rel z 1",
                "spin.acq z; N x 7",
            ],
        ),
        // Fences in the middle.
        (
            1,
            &[
                "N x 7; fence.rel.av; w y 1",
                "spin y; fence.acq.rel; w z 1",
                "spin z; fence.acq.vis; M x 0",
            ],
        ),
        (
            1,
            &[
                "N x 7; fence.rel; w y 1",
                "spin y; fence.acq.rel.av.vis; w z 1",
                "spin z; fence.acq.vis; M x 0",
            ],
        ),
    ];
    for (size, invocations) in chains {
        let program = program(*size, invocations);
        let words = program.words();
        let groups = (invocations.len() as u32).div_ceil(*size);
        let found = (0..6).any(|seed| {
            let run = Run::new(&words)
                .storage(0, 0, &[0u32; 3])
                .storage(0, 1, &[9u32; 4]);
            let run = run.race(true).strict(true).seed(seed).max_steps(1 << 16);
            let out = run.dispatch([groups, 1, 1]).unwrap();
            out.findings.iter().any(|it| it.rule() == "run.race")
        });
        assert_eq!(found, program.races(), "{invocations:?}");
    }
}
