//! Functions get pointers to variables of those that call them.

use crate::shader::{SIZES, run, with_functions};

/// `%twice` doubles what its parameter points to, `%both` does so by way of it and adds three,
/// and `%two` adds one to the first and then multiplies the second by three.
const FUNCTIONS: &str = "%twice = OpFunction %void None %by_pointer
%twice_at = OpFunctionParameter %ptr_local
%twice_begin = OpLabel
%twice_old = OpLoad %u32 %twice_at
%twice_new = OpIAdd %u32 %twice_old %twice_old
OpStore %twice_at %twice_new
OpReturn
OpFunctionEnd
%both = OpFunction %void None %by_pointer
%both_at = OpFunctionParameter %ptr_local
%both_begin = OpLabel
%both_call = OpFunctionCall %void %twice %both_at
%both_old = OpLoad %u32 %both_at
%both_new = OpIAdd %u32 %both_old %u3
OpStore %both_at %both_new
OpReturn
OpFunctionEnd
%two = OpFunction %void None %by_pointers
%two_a = OpFunctionParameter %ptr_local
%two_b = OpFunctionParameter %ptr_local
%two_begin = OpLabel
%two_old_a = OpLoad %u32 %two_a
%two_new_a = OpIAdd %u32 %two_old_a %u1
OpStore %two_a %two_new_a
%two_old_b = OpLoad %u32 %two_b
%two_new_b = OpIMul %u32 %two_old_b %u3
OpStore %two_b %two_new_b
OpReturn
OpFunctionEnd
%first = OpFunction %u32 None %of_pair
%first_at = OpFunctionParameter %ptr_pair
%first_begin = OpLabel
%first_member = OpAccessChain %ptr_local %first_at %u0
%first_value = OpLoad %u32 %first_member
%first_other = OpAccessChain %ptr_local %first_at %u1
OpStore %first_other %u31
OpReturnValue %first_value
OpFunctionEnd";

const TYPES: &str = "%by_pointer = OpTypeFunction %void %ptr_local
%by_pointers = OpTypeFunction %void %ptr_local %ptr_local
%pair = OpTypeStruct %u32 %u32
%ptr_pair = OpTypePointer Function %pair
%of_pair = OpTypeFunction %u32 %ptr_pair";

/// Runs a body with two variables `%a` and `%b`, of which the first has the invocation's value,
/// and the second 5; what is in them in the end is joined.
#[track_caller]
fn gives(body: &str, expected: impl Fn(u32, u32) -> [u32; 2]) {
    let body = format!(
        "%a = OpVariable %ptr_local Function
%b = OpVariable %ptr_local Function
OpStore %a %value
OpStore %b %u5
{body}
%last_a = OpLoad %u32 %a
%last_b = OpLoad %u32 %b
%scaled = OpIMul %u32 %last_b %u264
%result = OpIAdd %u32 %last_a %scaled"
    );
    let words = with_functions(TYPES, &body, FUNCTIONS);
    let inputs: Vec<u32> = (0..64).map(|index| index * 7).collect();
    for size in SIZES {
        let out = run(&words, size, &inputs);
        assert!(out.findings.is_empty(), "{:?}", out.findings);
        let expected: Vec<u32> = (0..64)
            .map(|index| {
                let [a, b] = expected(index, index * 7);
                a.wrapping_add(b.wrapping_mul(264))
            })
            .collect();
        assert_eq!(out.read::<u32>(0, 1), expected, "subgroups of {size}");
    }
}

#[test]
fn what_functions_write_comes_back() {
    gives(
        "%call = OpFunctionCall %void %twice %a
%call_2 = OpFunctionCall %void %twice %b
%call_3 = OpFunctionCall %void %twice %a",
        |_, value| [4 * value, 10],
    );
}

#[test]
fn pointers_are_passed_on() {
    gives(
        "%call = OpFunctionCall %void %both %a
%call_2 = OpFunctionCall %void %both %b
%call_3 = OpFunctionCall %void %twice %b",
        |_, value| [2 * value + 3, 26],
    );
    gives("%call = OpFunctionCall %void %both %a", |_, value| {
        [2 * value + 3, 5]
    });
}

#[test]
fn two_pointers_may_be_the_same() {
    gives("%call = OpFunctionCall %void %two %a %b", |_, value| {
        [value + 1, 15]
    });
    gives(
        "%call = OpFunctionCall %void %two %a %a
%call_2 = OpFunctionCall %void %two %b %a",
        |_, value| [9 * (value + 1), 6],
    );
}

#[test]
fn only_those_that_call_get_something_back() {
    gives(
        "%odd = OpBitwiseAnd %u32 %index %u1
%is_odd = OpIEqual %bool %odd %u1
OpSelectionMerge %merge None
OpBranchConditional %is_odd %then %merge
%then = OpLabel
%call = OpFunctionCall %void %both %a
%call_2 = OpFunctionCall %void %both %b
OpBranch %merge
%merge = OpLabel",
        |index, value| match index % 2 {
            0 => [value, 5],
            _ => [2 * value + 3, 13],
        },
    );
}

#[test]
fn members_of_what_is_passed() {
    gives(
        "%p = OpVariable %ptr_pair Function
%q = OpVariable %ptr_pair Function
%p_first = OpAccessChain %ptr_local %p %u0
%p_second = OpAccessChain %ptr_local %p %u1
%q_first = OpAccessChain %ptr_local %q %u0
OpStore %p_first %value
OpStore %p_second %u2
OpStore %q_first %u8
%of_p = OpFunctionCall %u32 %first %p
%of_q = OpFunctionCall %u32 %first %q
%second = OpLoad %u32 %p_second
%sum = OpIAdd %u32 %of_p %second
OpStore %a %sum
OpStore %b %of_q",
        |_, value| [value + 31, 8],
    );
}
