//! Programs of few invocations: exploration and runs agree.

use std::collections::BTreeSet;
use std::fmt::Write;

use spirvkit::interp::{Explored, Outcome, Run};
use spirvkit_testing::ARRAYS;

use crate::recipe::Recipe;

/// What stands before the types of buffers.
const HEAD: &str = "OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability VulkanMemoryModelDeviceScope
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main \"main\" %global %memory %results
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %global BuiltIn GlobalInvocationId
OpDecorate %memory DescriptorSet 0
OpDecorate %memory Binding 0
OpDecorate %results DescriptorSet 0
OpDecorate %results Binding 1
";

/// Further declarations, and the beginning of the function.
const BEGIN: &str = "%ptr_input = OpTypePointer Input %v3u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%c6 = OpConstant %u32 6
%c7 = OpConstant %u32 7
%c8 = OpConstant %u32 8
%c9 = OpConstant %u32 9
%c10 = OpConstant %u32 10
%c11 = OpConstant %u32 11
%acquire = OpConstant %u32 0x42
%release = OpConstant %u32 0x44
%both = OpConstant %u32 0x48
%global = OpVariable %ptr_input Input
%memory = OpVariable %ptr_block StorageBuffer
%results = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%ids = OpLoad %v3u32 %global
%id = OpCompositeExtract %u32 %ids 0
OpSelectionMerge %done None
";

/// How many executions are looked at.
const LOOKS: u64 = 1 << 14;

/// How many accesses an invocation has at most.
const ACCESSES: usize = 3;

/// Explores and runs the program that these bytes are a recipe for. What a run gives is one of
/// the outcomes of exploration, which has all races that runs have.
pub fn explored_program(bytes: &[u8]) {
    let mut recipe = Recipe::new(bytes);
    let invocations = 2 + recipe.below(2);
    let text = text(&mut recipe, invocations);
    let words = match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => module.words,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let groups = [invocations as u32, 1, 1];
    let run = || {
        let run = Run::new(&words).storage(0, 0, &[0u32; 2]);
        run.storage(0, 1, &[9u32; 12])
    };
    let explored = run().explore().max_looks(LOOKS).dispatch(groups);
    let explored = explored.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let outcomes: BTreeSet<Vec<u32>> = explored
        .outcomes()
        .map(|it| [it.read::<u32>(0, 0), it.read(0, 1)].concat())
        .collect();
    for seed in 0..8 {
        let out = run().seed(seed).race(true).dispatch(groups);
        let out = out.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        check(&explored, &outcomes, &out, &text);
    }
}

fn check(explored: &Explored, outcomes: &BTreeSet<Vec<u32>>, out: &Outcome, text: &str) {
    let found = [out.read::<u32>(0, 0), out.read(0, 1)].concat();
    // Where there are races, anything may come of it.
    let is_known = explored.has_race() == Some(false);
    assert!(
        !is_known || outcomes.contains(&found),
        "{found:?} is none of {outcomes:?}\n{text}"
    );
    let races = out.findings.iter().any(|it| it.rule() == "run.race");
    assert!(
        !races || explored.has_race() != Some(false),
        "only a run shows the race: {:?}\n{text}",
        out.findings
    );
}

/// The text of a program. Each invocation writes what it has read to places of its own.
fn text(recipe: &mut Recipe<'_>, invocations: usize) -> String {
    let mut text = [HEAD, ARRAYS, BEGIN].concat();
    let cases: Vec<String> = (0..invocations)
        .map(|index| format!("{index} %begin{index}"))
        .collect();
    let _ = writeln!(text, "OpSwitch %id %done {}", cases.join(" "));
    for invocation in 0..invocations {
        let _ = writeln!(text, "%begin{invocation} = OpLabel");
        for access in 0..1 + recipe.below(ACCESSES) {
            text += &step(recipe, invocation, access);
        }
        text += "OpBranch %done\n";
    }
    text + "%done = OpLabel\nOpReturn\nOpFunctionEnd\n"
}

fn step(recipe: &mut Recipe<'_>, invocation: usize, access: usize) -> String {
    let id = format!("{invocation}_{access}");
    let place = recipe.below(2);
    let value = 1 + recipe.below(3);
    let scope = recipe.pick(&["%c1", "%c1", "%c1", "%c2"]).unwrap_or("%c1");
    let reads = recipe.pick(&["%c0", "%acquire"]).unwrap_or("%c0");
    let writes = recipe.pick(&["%c0", "%release"]).unwrap_or("%c0");
    let updates = recipe
        .pick(&["%c0", "%acquire", "%release", "%both"])
        .unwrap_or("%c0");
    let at = format!("%at{id} = OpAccessChain %ptr_element %memory %c0 %c{place}\n");
    let slot = invocation * ACCESSES + access;
    let result = format!(
        "%to{id} = OpAccessChain %ptr_element %results %c0 %c{slot}\nOpStore %to{id} %got{id}\n"
    );
    match recipe.below(8) {
        0 | 1 => format!("{at}OpAtomicStore %at{id} {scope} {writes} %c{value}\n"),
        2 | 3 => format!("{at}%got{id} = OpAtomicLoad %u32 %at{id} {scope} {reads}\n{result}"),
        4 => format!("{at}%got{id} = OpAtomicIAdd %u32 %at{id} {scope} {updates} %c1\n{result}"),
        5 => format!("{at}OpStore %at{id} %c{value} NonPrivatePointer|MakePointerAvailable %c1\n"),
        6 => format!(
            "{at}%got{id} = OpLoad %u32 %at{id} NonPrivatePointer|MakePointerVisible %c1\n{result}"
        ),
        _ => {
            let semantics = recipe.pick(&["%acquire", "%release", "%both"]);
            format!("OpMemoryBarrier {scope} {}\n", semantics.unwrap_or("%both"))
        }
    }
}
