//! What is huge ends soon and takes little memory, and what leaves an object doesn't come back
//! into it.

use spirvkit_interp::{Outcome, Run};

use crate::kernels::kernel;
use crate::shader::{SIZES, shader};

#[track_caller]
fn assert_found(out: &Outcome, rule: &str) {
    let found: Vec<&str> = out.findings.iter().map(|it| it.rule()).collect();
    assert!(found.contains(&rule), "{found:?}");
}

#[test]
fn no_workgroups_take_no_time() {
    let words = shader("", "%result = OpCopyObject %u32 %value");
    for seed in [0, 1] {
        for groups in [[0, u32::MAX, u32::MAX], [u32::MAX, u32::MAX, 0], [0; 3]] {
            let run = Run::new(&words).storage(0, 0, &[0u32]).zeroed(0, 1, 4);
            let out = run.seed(seed).dispatch(groups).unwrap();
            assert_eq!(out.steps, 0);
            assert!(out.findings.is_empty());
        }
    }
}

/// 2³³ workgroups, 2⁶⁴ and as many as there can be, in the usual order and in another.
#[test]
fn any_number_of_workgroups_ends_with_the_steps() {
    let words = shader("", "%result = OpCopyObject %u32 %value");
    for groups in [
        [1 << 11, 1 << 11, 1 << 11],
        [1 << 31, 1 << 31, 4],
        [u32::MAX; 3],
    ] {
        for seed in [0, 1] {
            let run = Run::new(&words).storage(0, 0, &[7u32; 64]);
            let run = run.zeroed(0, 1, 256).seed(seed).max_steps(1000);
            assert_found(&run.dispatch(groups).unwrap(), "run.steps");
        }
    }
}

/// A member 256 MiB behind the beginning of an element, whose index leads beyond all: the sum
/// must not come back to the beginning.
#[test]
fn members_far_behind_a_place_out_of_bounds_are_out_of_bounds() {
    let words = shader(
        "OpDecorate %far DescriptorSet 0
OpDecorate %far Binding 2
OpDecorate %far_block Block
OpDecorate %far_array ArrayStride 268435472
OpMemberDecorate %far_block 0 Offset 0
OpMemberDecorate %element 0 Offset 0
OpMemberDecorate %element 1 Offset 268435456
%element = OpTypeStruct %u32 %u32
%far_array = OpTypeRuntimeArray %element
%far_block = OpTypeStruct %far_array
%ptr_far = OpTypePointer StorageBuffer %far_block
%far = OpVariable %ptr_far StorageBuffer",
        "%at = OpAccessChain %ptr_element %far %u0 %value %u1
OpStore %at %u5
%result = OpLoad %u32 %at",
    );
    for size in SIZES {
        // Elements that begin 4 GiB and more behind the beginning, and 256 MiB before it.
        for index in [16, 1 << 20, i32::MAX as u32] {
            let run = Run::new(&words).subgroup_size(size);
            let run = run.storage(0, 0, &[index; 64]).zeroed(0, 1, 256);
            let out = run.storage(0, 2, &[9u32; 64]).dispatch([1, 1, 1]).unwrap();
            assert_found(&out, "run.bounds");
            assert_eq!(out.read::<u32>(0, 2), [9; 64], "{index}");
            assert_eq!(out.read::<u32>(0, 1), [0; 64], "{index}");
        }
    }
}

/// The same where a whole element is loaded and stored.
#[test]
fn parts_far_behind_a_place_out_of_bounds_are_out_of_bounds() {
    let words = shader(
        "OpDecorate %far DescriptorSet 0
OpDecorate %far Binding 2
OpDecorate %far_block Block
OpDecorate %far_array ArrayStride 268435472
OpMemberDecorate %far_block 0 Offset 0
OpMemberDecorate %element 0 Offset 0
OpMemberDecorate %element 1 Offset 268435456
%element = OpTypeStruct %u32 %u32
%far_array = OpTypeRuntimeArray %element
%far_block = OpTypeStruct %far_array
%ptr_far = OpTypePointer StorageBuffer %far_block
%ptr_one = OpTypePointer StorageBuffer %element
%far = OpVariable %ptr_far StorageBuffer",
        "%at = OpAccessChain %ptr_one %far %u0 %value
%new = OpCompositeConstruct %element %u5 %u5
OpStore %at %new
%old = OpLoad %element %at
%result = OpCompositeExtract %u32 %old 1",
    );
    let run = Run::new(&words).storage(0, 0, &[16u32; 64]);
    let run = run.zeroed(0, 1, 256).storage(0, 2, &[9u32; 64]);
    let out = run.dispatch([1, 1, 1]).unwrap();
    assert_found(&out, "run.bounds");
    assert_eq!(out.read::<u32>(0, 2), [9; 64]);
    assert_eq!(out.read::<u32>(0, 1), [0; 64]);
}

/// Sixteen variables of almost 4 GiB, with and without an initializer.
#[test]
fn variables_that_all_share_are_limited() {
    for initializer in ["", "%u5"] {
        let variables: String = (0..16)
            .map(|it| format!("%v{it} = OpVariable %ptr_huge CrossWorkgroup {initializer}\n"))
            .collect();
        let words = kernel(
            64,
            &format!(
                "%many = OpConstant %u32 1073741823
%huge = OpTypeArray %u32 %many
%ptr_huge = OpTypePointer CrossWorkgroup %huge
{variables}"
            ),
            &[],
            "%pointer = OpCopyObject %ptr_huge %v7
%result = OpCopyObject %u32 %index",
        );
        let run = Run::new(&words).argument(0, &[0u32; 4]);
        let errors = run.dispatch([1, 1, 1]).unwrap_err().to_string();
        assert!(errors.contains("more than allowed"), "{errors}");
    }
}

#[test]
fn variables_that_all_share_count_as_memory() {
    let words = kernel(
        64,
        "%some = OpConstant %u32 1024
%array = OpTypeArray %u32 %some
%ptr_array = OpTypePointer CrossWorkgroup %array
%variable = OpVariable %ptr_array CrossWorkgroup",
        &[],
        "%pointer = OpCopyObject %ptr_array %variable
%result = OpCopyObject %u32 %index",
    );
    let with = |bytes| {
        let run = Run::new(&words).max_memory(bytes);
        run.argument(0, &[0u32; 4]).dispatch([1, 1, 1])
    };
    assert!(with(4095).is_err());
    with(1 << 16).unwrap().assert_clean();
}

/// Products of 512 × 512 matrices, without end.
#[test]
fn products_of_large_matrices_count_as_many_steps() {
    let words = shader(
        "%side = OpConstant %u32 512
%a_type = OpTypeCooperativeMatrixKHR %f32 %u3 %side %side %u0
%b_type = OpTypeCooperativeMatrixKHR %f32 %u3 %side %side %u1
%c_type = OpTypeCooperativeMatrixKHR %f32 %u3 %side %side %u2
%a = OpConstantComposite %a_type %f1
%b = OpConstantComposite %b_type %f1
%c = OpConstantComposite %c_type %f1",
        "OpBranch %header
%header = OpLabel
OpLoopMerge %merge %again None
OpBranch %again
%again = OpLabel
%product = OpCooperativeMatrixMulAddKHR %c_type %a %b %c
OpBranch %header
%merge = OpLabel
%result = OpCopyObject %u32 %value",
    );
    let run = Run::new(&words).storage(0, 0, &[0u32; 64]);
    // One is 512³ / 32 steps.
    let out = run.zeroed(0, 1, 256).max_steps(1 << 22);
    let out = out.dispatch([1, 1, 1]).unwrap();
    assert_found(&out, "run.steps");
    assert!(out.steps < 3 << 22, "{}", out.steps);
}

#[test]
fn copies_of_nothing_take_no_time() {
    let words = kernel(
        64,
        "%event = OpTypeEvent
%no_event = OpConstantNull %event
%nothing = OpTypeStruct
%local_nothing = OpTypePointer Workgroup %nothing
%global_nothing = OpTypePointer CrossWorkgroup %nothing
%endless = OpConstant %u64 0xffffffffffffffff",
        &[("in", "%global_nothing"), ("l", "%local_nothing")],
        "%begun = OpGroupAsyncCopy %event %u2 %l %in %endless %size2 %no_event
%result = OpCopyObject %u32 %index",
    );
    let run = Run::new(&words).argument(0, &[0u8]).local_argument(1, 1);
    let out = run.argument(2, &[0u32; 4]).dispatch([1, 1, 1]).unwrap();
    assert!(out.steps < 1000);
}

/// A name as long as the module, of a parameter that stands there thousands of times.
#[test]
fn what_is_said_of_arguments_is_in_proportion() {
    let name = "n".repeat(30_000);
    let text = format!(
        "OpCapability Kernel
         OpCapability Addresses
         OpMemoryModel Physical64 OpenCL
         OpEntryPoint Kernel %main \"main\"
         OpName %value \"{name}\"
         %void = OpTypeVoid
         %u32 = OpTypeInt 32 0
         %signature = OpTypeFunction %void %u32
         %main = OpFunction %void None %signature
         %value = OpFunctionParameter %u32
         %entry = OpLabel
         OpReturn
         OpFunctionEnd"
    );
    let module = spirvkit_text::assemble(&text, &spirvkit_text::AssembleOptions::default());
    let mut words = module.unwrap().words;
    let is_parameter = |words: &[u32]| words[0] == 3 << 16 | 55;
    let place = words.windows(3).position(is_parameter).unwrap();
    let parameter = words[place..place + 3].to_vec();
    let many = parameter.repeat(2_700);
    words.splice(place..place, many);
    let errors = Run::new(&words).dispatch([1, 1, 1]).unwrap_err();
    let said: usize = errors.iter().map(|error| error.message().len()).sum();
    assert!(said > 0 && said < 8 << 20, "{said}");
}
