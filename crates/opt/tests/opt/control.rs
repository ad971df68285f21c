//! Control flow.

use super::frame::{becomes, body, module};

#[test]
fn constant_conditions_cut_branches() {
    becomes(
        "OpSelectionMerge %join None
OpBranchConditional %true %then %else
%then = OpLabel
OpStore %o %f1
OpBranch %join
%else = OpLabel
OpStore %o %f2
OpBranch %join
%join = OpLabel
OpReturn",
        "OpStore %o %float_1
OpReturn",
    );
    becomes(
        "OpSelectionMerge %join None
OpSwitch %1 %else 0 %zero 1 %one
%zero = OpLabel
OpStore %o %f0
OpBranch %join
%one = OpLabel
OpStore %o %f1
OpBranch %join
%else = OpLabel
OpStore %o %f2
OpBranch %join
%join = OpLabel
OpReturn",
        "OpStore %o %float_1
OpReturn",
    );
}

#[test]
fn loops_and_selections_without_effect_go() {
    becomes(
        "%x = OpVariable %to_int Function
OpStore %x %0
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%x1 = OpLoad %int %x
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %x1 %i1
OpBranchConditional %is %next %end
%next = OpLabel
%x3 = OpIAdd %int %x1 %2
OpStore %x %x3
OpBranch %head
%end = OpLabel
OpStore %k %2
OpReturn",
        "OpStore %k %int_2
OpReturn",
    );
    becomes(
        "%x = OpVariable %to_float Function
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpStore %x %f1
OpBranch %join
%join = OpLabel
OpStore %k %2
OpReturn",
        "OpStore %k %int_2
OpReturn",
    );
}

#[test]
fn a_selection_of_a_value_is_a_choice() {
    becomes(
        "%i1 = OpLoad %int %i
%a1 = OpLoad %float %a
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %else
%then = OpLabel
%x = OpFAdd %float %a1 %f2
OpBranch %join
%else = OpLabel
OpBranch %join
%join = OpLabel
%y = OpPhi %float %x %then %f1 %else
OpStore %o %y
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpSLessThan %bool %1 %int_1
%3 = OpLoad %float %a
%4 = OpFAdd %float %3 %float_2
%5 = OpSelect %float %2 %4 %float_1
OpStore %o %5
OpReturn",
    );
}

#[test]
fn loops_that_do_not_go_round_are_dissolved() {
    becomes(
        "OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
OpStore %o %f1
OpBranch %end
%next = OpLabel
OpBranch %head
%end = OpLabel
OpStore %k %2
OpReturn",
        "OpStore %o %float_1
OpStore %k %int_2
OpReturn",
    );
}

#[test]
fn a_loop_with_an_effect_stays() {
    becomes(
        "OpBranch %head
%head = OpLabel
%x = OpPhi %int %0 %entry %y %next
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %x %i1
OpBranchConditional %is %next %end
%next = OpLabel
%place = OpAccessChain %in_data %data %0 %x
OpStore %place %f1
%y = OpIAdd %int %x %1
OpBranch %head
%end = OpLabel
OpReturn",
        "%1 = OpLoad %int %i
OpBranch %2
%2 = OpLabel
%3 = OpPhi %int %int_0 %4 %5 %6
%9 = OpSLessThan %bool %3 %1
OpLoopMerge %7 %6 None
OpBranchConditional %9 %6 %7
%6 = OpLabel
%10 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %3
OpStore %10 %float_1
%5 = OpIAdd %int %3 %int_1
OpBranch %2
%7 = OpLabel
OpReturn",
    );
}

/// A loop that stores, and continues in a block of its own.
const LOOP: &str = "OpBranch %head
%head = OpLabel
%x = OpPhi %int %0 %entry %more %next
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %x %i1
OpLoopMerge %end %next None
OpBranchConditional %is %step %end
%step = OpLabel
OpStore %k %x
OpBranch %next
%next = OpLabel
%more = OpIAdd %int %x %2
OpBranch %head
%end = OpLabel
OpReturn";

#[test]
fn what_is_all_of_a_loop_is_where_it_continues() {
    becomes(
        LOOP,
        "%1 = OpLoad %int %i
OpBranch %2
%2 = OpLabel
%3 = OpPhi %int %int_0 %4 %5 %6
%7 = OpSLessThan %bool %3 %1
OpLoopMerge %8 %6 None
OpBranchConditional %7 %6 %8
%6 = OpLabel
OpStore %k %3
%5 = OpIAdd %int %3 %int_2
OpBranch %2
%8 = OpLabel
OpReturn",
    );
    // But not what is behind a selection.
    let selected = LOOP.replace(
        "OpStore %k %x\n",
        "%is_first = OpSLessThan %bool %x %1
OpSelectionMerge %join None
OpBranchConditional %is_first %then %join
%then = OpLabel
OpStore %k %x
OpBranch %join
%join = OpLabel
",
    );
    let kept = body(&module("", "", &selected));
    let mut lines = kept.lines();
    let merge = lines.find(|line| line.starts_with("OpLoopMerge"));
    let next = merge.and_then(|line| line.split(' ').nth(2)).unwrap();
    assert!(lines.any(|line| line == format!("{next} = OpLabel")));
    assert!(lines.next().unwrap().contains("OpIAdd"), "{kept}");
}
