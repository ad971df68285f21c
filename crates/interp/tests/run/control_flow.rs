//! Branches, loops, switches and calls.

use spirvkit_interp::Run;
use spirvkit_testing::ARRAYS;

use crate::shader::{SIZES, gives};

/// Collatz: how many steps a number takes to 1, in a loop that lanes leave one by one.
#[test]
fn lanes_leave_a_loop_one_by_one() {
    let body = "OpBranch %loop
%loop = OpLabel
%number = OpPhi %u32 %value %entry %next %continue
%count = OpPhi %u32 %u0 %entry %more %continue
%goes_on = OpUGreaterThan %bool %number %u1
OpLoopMerge %merge %continue None
OpBranchConditional %goes_on %body %merge
%body = OpLabel
%low = OpBitwiseAnd %u32 %number %u1
%is_odd = OpIEqual %bool %low %u1
OpSelectionMerge %joined None
OpBranchConditional %is_odd %odd %even
%odd = OpLabel
%tripled = OpIMul %u32 %number %u3
%raised = OpIAdd %u32 %tripled %u1
OpBranch %joined
%even = OpLabel
%halved = OpUDiv %u32 %number %u2
OpBranch %joined
%joined = OpLabel
%next = OpPhi %u32 %raised %odd %halved %even
OpBranch %continue
%continue = OpLabel
%more = OpIAdd %u32 %count %u1
OpBranch %loop
%merge = OpLabel
%result = OpCopyObject %u32 %count";
    let inputs: Vec<u32> = (1..65).collect();
    gives("", body, &inputs, |_, value| {
        let (mut number, mut count) = (value, 0);
        while number > 1 {
            number = if number % 2 == 1 {
                3 * number + 1
            } else {
                number / 2
            };
            count += 1;
        }
        count
    });
}

/// Phis that exchange their values on the way back.
#[test]
fn phis_are_written_at_once() {
    let body = "OpBranch %loop
%loop = OpLabel
%a = OpPhi %u32 %value %entry %b %continue
%b = OpPhi %u32 %index %entry %a %continue
%turn = OpPhi %u32 %u0 %entry %next %continue
%goes_on = OpULessThan %bool %turn %u3
OpLoopMerge %merge %continue None
OpBranchConditional %goes_on %continue %merge
%continue = OpLabel
%next = OpIAdd %u32 %turn %u1
OpBranch %loop
%merge = OpLabel
%scaled = OpIMul %u32 %a %u64
%result = OpIAdd %u32 %scaled %b";
    let inputs: Vec<u32> = (100..164).collect();
    gives("", body, &inputs, |index, value| index * 64 + value);
}

#[test]
fn switches_choose_fall_through_and_default() {
    let body = "%sum = OpVariable %ptr_local Function
OpStore %sum %u0
OpSelectionMerge %merge None
OpSwitch %value %default 0 %zero 1 %one 2 %two 7 %zero
%zero = OpLabel
OpStore %sum %u64
OpBranch %one
%one = OpLabel
%before = OpLoad %u32 %sum
%after = OpIAdd %u32 %before %u1
OpStore %sum %after
OpBranch %merge
%two = OpLabel
OpStore %sum %u2
OpBranch %merge
%default = OpLabel
OpStore %sum %u31
OpBranch %merge
%merge = OpLabel
%result = OpLoad %u32 %sum";
    // A variable stands in the first block.
    let body = body.replacen("%sum = OpVariable %ptr_local Function\n", "", 1);
    let globals = "%ptr_sum = OpTypePointer Private %u32\n%sum = OpVariable %ptr_sum Private";
    let inputs: Vec<u32> = (0..64).map(|index| index % 9).collect();
    gives(globals, &body, &inputs, |_, value| match value {
        0 | 7 => 65,
        1 => 1,
        2 => 2,
        _ => 31,
    });
}

#[test]
fn functions_return_early_to_where_they_were_called() {
    let text = format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %local %out
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
{ARRAYS}%ptr_input = OpTypePointer Input %u32
%ptr_local = OpTypePointer Function %u32
%of_number = OpTypeFunction %u32 %u32 %ptr_local
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u7 = OpConstant %u32 7
%local = OpVariable %ptr_input Input
%out = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%counter = OpVariable %ptr_local Function %u7
%index = OpLoad %u32 %local
%first = OpFunctionCall %u32 %step %index %counter
%second = OpFunctionCall %u32 %step %first %counter
%count = OpLoad %u32 %counter
%sum = OpIAdd %u32 %second %count
%at = OpAccessChain %ptr_element %out %u0 %index
OpStore %at %sum
OpReturn
OpFunctionEnd
%step = OpFunction %u32 None %of_number
%number = OpFunctionParameter %u32
%calls = OpFunctionParameter %ptr_local
%start = OpLabel
%low = OpBitwiseAnd %u32 %number %u1
%is_odd = OpIEqual %bool %low %u1
OpSelectionMerge %go_on None
OpBranchConditional %is_odd %early %go_on
%early = OpLabel
%raised = OpIAdd %u32 %number %u7
OpReturnValue %raised
%go_on = OpLabel
%known = OpLoad %u32 %calls
%more = OpIAdd %u32 %known %u1
OpStore %calls %more
%halved = OpUDiv %u32 %number %u2
OpReturnValue %halved
OpFunctionEnd
"
    );
    let words = spirvkit_testing::words(&text);
    let step = |number: u32, count: &mut u32| match number % 2 {
        1 => number + 7,
        _ => {
            *count += 1;
            number / 2
        }
    };
    let expected: Vec<u32> = (0..64)
        .map(|index| {
            let mut count = 7;
            let first = step(index, &mut count);
            step(first, &mut count) + count
        })
        .collect();
    for size in SIZES {
        let run = Run::new(&words).subgroup_size(size).zeroed(0, 0, 256);
        let out = run.dispatch([1, 1, 1]).unwrap();
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 0), expected);
    }
}

/// A lock that spins, taken by all invocations of all workgroups in turn.
#[test]
fn locks_are_passed_on() {
    let body = "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %try
%try = OpLabel
%lock_at = OpAccessChain %ptr_element %in %u0 %u0
%old = OpAtomicCompareExchange %u32 %lock_at %u1 %u264 %u264 %u1 %u0
%is_mine = OpIEqual %bool %old %u0
OpSelectionMerge %tried None
OpBranchConditional %is_mine %locked %tried
%locked = OpLabel
%count_at = OpAccessChain %ptr_element %in %u0 %u1
%count = OpLoad %u32 %count_at
%more = OpIAdd %u32 %count %u1
OpStore %count_at %more
OpAtomicStore %lock_at %u1 %u264 %u0
OpBranch %tried
%tried = OpLabel
OpBranchConditional %is_mine %merge %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
%result = OpCopyObject %u32 %u1";
    let words = crate::shader::shader("", body);
    for size in SIZES {
        let run = Run::new(&words)
            .subgroup_size(size)
            .storage(0, 0, &[0u32; 64]);
        let out = run.zeroed(0, 1, 256).dispatch([4, 1, 1]).unwrap();
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 0)[..2], [0, 256]);
    }
}

/// One subgroup polls in a structured loop until another has stored something.
#[test]
fn what_polls_lets_others_run() {
    let body = "%is_first = OpULessThan %bool %index %u4
OpSelectionMerge %done None
OpBranchConditional %is_first %poll %tell
%poll = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %look
%look = OpLabel
%flag = OpAtomicLoad %u32 %shared %u1 %u264
%is_set = OpINotEqual %bool %flag %u0
OpBranchConditional %is_set %merge %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpBranch %done
%tell = OpLabel
OpAtomicStore %shared %u1 %u264 %u1
OpBranch %done
%done = OpLabel
%result = OpAtomicLoad %u32 %shared %u1 %u264";
    let words = crate::shader::shader("", body);
    for size in [4, 8] {
        let run = Run::new(&words)
            .subgroup_size(size)
            .storage(0, 0, &[0u32; 64]);
        let out = run
            .zeroed(0, 1, 256)
            .max_steps(1 << 20)
            .dispatch([1, 1, 1])
            .unwrap();
        // In subgroups of eight, those that poll and those that store go on by turns.
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 1), [1; 64]);
    }
}

/// Without merge instructions, lanes come together where all ways meet again.
#[test]
fn unstructured_lanes_meet_again() {
    let body = "OpBranch %loop
%loop = OpLabel
%count = OpPhi %u32 %u0 %entry %more %even %more %odd
%more = OpIAdd %u32 %count %u1
%goes_on = OpULessThan %bool %count %value
OpBranchConditional %goes_on %part %after
%part = OpLabel
%low = OpBitwiseAnd %u32 %index %u1
%is_odd = OpIEqual %bool %low %u1
OpBranchConditional %is_odd %odd %even
%odd = OpLabel
OpBranch %loop
%even = OpLabel
OpBranch %loop
%after = OpLabel
%together = OpGroupNonUniformBallot %v4u32 %u3 %true
%here = OpCompositeExtract %u32 %together 0
%is_first = OpBitwiseAnd %u32 %here %u1
%scaled = OpIMul %u32 %is_first %u64
%result = OpIAdd %u32 %scaled %count";
    let inputs: Vec<u32> = (0..64).map(|index| index % 7).collect();
    gives("", body, &inputs, |_, value| 64 + value);
}
