//! Loops that are unrolled.

use spirvkit_opt::{Level, Options};

use super::copies::{count, optimized};
use super::frame::module;

/// A loop of so many rounds with this in each.
fn rounds(rounds: u32, round: &str) -> String {
    format!(
        "%x = OpVariable %to_int Function
%sum = OpVariable %to_float Function
OpStore %x %0
OpStore %sum %f0
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%x1 = OpLoad %int %x
%is = OpSLessThan %bool %x1 %rounds{rounds}
OpBranchConditional %is %do %end
%do = OpLabel
{round}
OpBranch %next
%next = OpLabel
%x2 = OpLoad %int %x
%x3 = OpIAdd %int %x2 %1
OpStore %x %x3
OpBranch %head
%end = OpLabel
%sum2 = OpLoad %float %sum
OpStore %o %sum2
OpReturn"
    )
}

const ADD: &str = "%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
OpStore %sum %s2";

fn with_rounds(count: u32, round: &str) -> String {
    let constant = format!("%rounds{count} = OpConstant %int {count}\n");
    module("", &constant, &rounds(count, round))
}

#[test]
fn loops_of_a_few_rounds_are_unrolled_where_that_is_faster() {
    let fast = Options::default().level(Level::Performance);
    let text = optimized(&with_rounds(5, ADD), &fast);
    assert_eq!(count(&text, "OpFAdd"), 5, "{text}");
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    // With an odd step, and a test at the end.
    let text = optimized(&with_rounds(0, ADD), &fast);
    assert_eq!(count(&text, "OpFAdd"), 0, "{text}");
    let many = optimized(&with_rounds(100_000, ADD), &fast);
    assert_eq!(count(&many, "OpLoopMerge"), 1, "{many}");
}

#[test]
fn loops_that_test_at_the_end_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let body = "OpBranch %head
%head = OpLabel
%i1 = OpPhi %int %0 %entry %i2 %next
%s = OpPhi %float %f0 %entry %t %next
OpLoopMerge %end %next None
OpBranch %do
%do = OpLabel
%a1 = OpLoad %float %a
%t = OpFAdd %float %s %a1
OpBranch %next
%next = OpLabel
%i2 = OpIAdd %int %i1 %2
%is = OpSLessThan %bool %i2 %seven
OpBranchConditional %is %head %end
%end = OpLabel
OpStore %o %t
OpStore %k %i1
OpReturn";
    let text = optimized(&module("", "%seven = OpConstant %int 7\n", body), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 4, "{text}");
    assert_eq!(count(&text, "%int_6"), 2, "{text}");
}

/// The first round of what is unrolled is where the loop before ends now.
#[test]
fn loops_that_begin_where_others_end_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let body = "%many = OpLoad %int %j
OpBranch %first
%first = OpLabel
%j1 = OpPhi %int %0 %entry %j2 %first
%j2 = OpIAdd %int %j1 %1
%goes = OpSLessThan %bool %j2 %many
OpLoopMerge %head %first None
OpBranchConditional %goes %first %head
%head = OpLabel
%i1 = OpPhi %int %0 %first %i2 %head
%s = OpPhi %float %f0 %first %t %head
%a1 = OpLoad %float %a
%t = OpFAdd %float %s %a1
%to = OpAccessChain %in_data %data %0 %i1
OpStore %to %t
%i2 = OpIAdd %int %i1 %1
%is = OpSLessThan %bool %i2 %five
OpLoopMerge %end %head None
OpBranchConditional %is %head %end
%end = OpLabel
OpStore %o %t
OpStore %k %j2
OpReturn";
    let text = optimized(&module("", "%five = OpConstant %int 5\n", body), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 1, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 5, "{text}");
}

#[test]
fn loops_that_are_left_elsewhere_or_are_not_to_be_unrolled_stay() {
    let fast = Options::default().level(Level::Performance);
    let leaves = format!(
        "{ADD}
%big = OpFOrdGreaterThan %bool %s2 %f2
OpSelectionMerge %on None
OpBranchConditional %big %off %on
%off = OpLabel
OpBranch %end
%on = OpLabel"
    );
    let text = optimized(&with_rounds(5, &leaves), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 1, "{text}");
    let kept = with_rounds(5, ADD).replace("%end %next None", "%end %next DontUnroll");
    assert_eq!(count(&optimized(&kept, &fast), "OpLoopMerge"), 1);
}

/// Both ways of a selection lead out of a construct around it, so that nothing reaches its own end,
/// which each copy of it needs nonetheless.
#[test]
fn constructs_whose_ends_nothing_reaches_are_unrolled_with_these() {
    let fast = Options::default().level(Level::Performance);
    let leaves = "%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
%place = OpAccessChain %in_data %data %0 %x1
OpStore %place %s2 Volatile
%big = OpFOrdGreaterThan %bool %s2 %f2
OpSelectionMerge %out None
OpSwitch %0 %within
%within = OpLabel
OpStore %sum %s2
OpSelectionMerge %never None
OpBranchConditional %big %out %more
%more = OpLabel
OpStore %place %f2 Volatile
OpBranch %out
%never = OpLabel
OpUnreachable
%out = OpLabel";
    let text = optimized(&with_rounds(3, leaves), &fast);
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
    assert_eq!(count(&text, "OpFAdd"), 3, "{text}");
}

#[test]
fn loops_are_unrolled_for_size_only_if_that_makes_less() {
    let smaller = optimized(&with_rounds(15, ADD), &Options::default());
    assert_eq!(count(&smaller, "OpLoopMerge"), 1, "{smaller}");
    let once = optimized(&with_rounds(1, ADD), &Options::default());
    assert_eq!(count(&once, "OpLoopMerge"), 0, "{once}");
}

#[test]
fn loops_of_large_functions_are_not_unrolled_for_size() {
    let with = |stores: u32| {
        let mut declarations = String::from("%rounds1 = OpConstant %int 1\n");
        let mut body = String::new();
        for index in 3..stores {
            declarations += &format!("%i{index}x = OpConstant %int {index}\n");
            body += &format!("%at{index} = OpAccessChain %in_data %data %0 %i{index}x\n");
            body += &format!("OpStore %at{index} %f1\n");
        }
        let body = rounds(1, ADD).replace("OpReturn", &(body + "OpReturn"));
        let text = module("", &declarations, &body);
        count(&optimized(&text, &Options::default()), "OpLoopMerge")
    };
    // Each takes nine words.
    assert_eq!([with(100), with(8_000)], [0, 1]);
}

#[test]
fn loops_in_loops_are_unrolled() {
    let fast = Options::default().level(Level::Performance);
    let inner = "OpStore %y %0
OpBranch %head2
%head2 = OpLabel
OpLoopMerge %end2 %next2 None
OpBranch %test2
%test2 = OpLabel
%y1 = OpLoad %int %y
%is2 = OpSLessThan %bool %y1 %2
OpBranchConditional %is2 %do2 %end2
%do2 = OpLabel
%a1 = OpLoad %float %a
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %a1
OpStore %sum %s2
OpBranch %next2
%next2 = OpLabel
%y2 = OpLoad %int %y
%y3 = OpIAdd %int %y2 %1
OpStore %y %y3
OpBranch %head2
%end2 = OpLabel";
    let body = rounds(3, inner).replacen("OpStore", "OpStore %x %0\nOpStore", 1);
    let body = format!("%y = OpVariable %to_int Function\n{body}");
    let module = module("", "%rounds3 = OpConstant %int 3\n", &body);
    let text = optimized(&module, &fast);
    assert_eq!(count(&text, "OpFAdd"), 6, "{text}");
    assert_eq!(count(&text, "OpLoopMerge"), 0, "{text}");
}

#[test]
fn functions_are_copied_to_the_rounds_of_loops_if_their_arguments_are_known_there() {
    // As a whole it is too large for several rounds, but for small numbers it does little.
    let mut large = String::from("%y0 = OpLoad %int %j\n");
    for index in 0..80 {
        let next = index + 1;
        large += &format!("%t{index} = OpIMul %int %y{index} %n\n");
        large += &format!("%y{next} = OpBitwiseXor %int %t{index} %y0\n");
    }
    let calls = rounds(
        4,
        "%called = OpFunctionCall %int %callee %x1
%called_float = OpConvertSToF %float %called
%s = OpLoad %float %sum
%s2 = OpFAdd %float %s %called_float
OpStore %sum %s2",
    );
    let body = format!(
        "{calls}
OpFunctionEnd
%callee = OpFunction %int None %unary
%n = OpFunctionParameter %int
%e = OpLabel
%small = OpSLessThan %bool %n %rounds9
OpSelectionMerge %m None
OpBranchConditional %small %m %large
%large = OpLabel
{large}OpBranch %m
%m = OpLabel
%result = OpPhi %int %n %e %y80 %large
OpReturnValue %result"
    )
    .replace(
        "OpStore %o %sum2",
        "%last = OpFunctionCall %int %callee %rounds4\nOpStore %k %last\nOpStore %o %sum2",
    );
    let declarations = "%unary = OpTypeFunction %int %int
%rounds4 = OpConstant %int 4
%rounds9 = OpConstant %int 9\n";
    let text = optimized(&module("", declarations, &body), &Options::default());
    let counts = ["OpFunctionCall", "OpLoopMerge", "OpIMul"].map(|it| count(&text, it));
    assert_eq!(counts, [0, 0, 0], "{text}");
}
