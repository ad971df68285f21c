//! Functions that are put where they are called.

use spirvkit_opt::{Level, Options};

use super::frame::{becomes_with, body, functions, module, optimized, optimized_by};

const UNARY: &str = "%unary = OpTypeFunction %float %float\n";

/// A function of a number, before `main`.
fn with(function: &str) -> String {
    format!(
        "{UNARY}%call = OpFunction %float None %unary\n%x = OpFunctionParameter %float\n%start = OpLabel\n{function}\nOpFunctionEnd\n"
    )
}

const CALL: &str = "%a1 = OpLoad %float %a
%y = OpFunctionCall %float %call %a1
OpStore %o %y
OpReturn";

#[test]
fn a_function_of_one_block_is_put_where_it_is_called() {
    becomes_with(
        "",
        &with("%sum = OpFAdd %float %x %f1\nOpReturnValue %sum"),
        CALL,
        "%1 = OpLoad %float %a
%2 = OpFAdd %float %1 %float_1
OpStore %o %2
OpReturn",
    );
}

#[test]
fn a_function_of_several_blocks_is_put_where_it_is_called() {
    becomes_with(
        "",
        &with(
            "%is = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpStore %k %2
OpBranch %join
%join = OpLabel
OpReturnValue %x",
        ),
        CALL,
        "%1 = OpLoad %float %a
%2 = OpFOrdLessThan %bool %1 %float_0
OpSelectionMerge %3 None
OpBranchConditional %2 %4 %3
%4 = OpLabel
OpStore %k %int_2
OpBranch %3
%3 = OpLabel
OpStore %o %1
OpReturn",
    );
}

#[test]
fn a_function_that_returns_early_is_wrapped() {
    becomes_with(
        "",
        &with(
            "%is = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpReturnValue %f1
%join = OpLabel
OpStore %k %2
%sum = OpFAdd %float %x %f1
OpReturnValue %sum",
        ),
        CALL,
        "OpSelectionMerge %1 None
OpSwitch %int_2 %2
%2 = OpLabel
%3 = OpLoad %float %a
%4 = OpFOrdLessThan %bool %3 %float_0
OpSelectionMerge %5 None
OpBranchConditional %4 %1 %5
%5 = OpLabel
OpStore %k %int_2
%6 = OpFAdd %float %3 %float_1
OpBranch %1
%1 = OpLabel
%7 = OpPhi %float %float_1 %2 %6 %5
OpStore %o %7
OpReturn",
    );
}

/// A loop that begins with a call of a function of several blocks, and goes on to that label.
fn begins_with_call(next: &str, more: &str) -> String {
    let function = with(
        "%is = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpStore %k %2
OpBranch %join
%join = OpLabel
%sum = OpFAdd %float %x %f1
OpReturnValue %sum",
    );
    let body = format!(
        "%b1 = OpLoad %float %b
OpBranch %head
%head = OpLabel
%at = OpPhi %float %b1 %entry %y %{next}
%y = OpFunctionCall %float %call %at
OpStore %o %y
%goes_on = OpFOrdLessThan %bool %y %f2
OpLoopMerge %end %{next} None
{more}
%end = OpLabel
OpReturn"
    );
    functions(&optimized(&module("", &function, &body)))
}

#[test]
fn a_function_is_put_where_a_loop_begins() {
    let test = "OpBranch %test
%test = OpLabel
OpBranchConditional %goes_on %next %end
%next = OpLabel
OpBranch %head";
    let found = begins_with_call("next", test);
    assert!(!found.contains("OpFunctionCall"), "{found}");
    // The loop begins before what was called, where it goes round.
    let (_, begins) = found.split_once("OpPhi").unwrap();
    let mut lines = begins.lines().skip(1);
    assert!(lines.next().unwrap().starts_with("OpLoopMerge"), "{found}");
    assert!(lines.next().unwrap().starts_with("OpBranch "), "{found}");
    assert_eq!(found.matches("OpSelectionMerge").count(), 1, "{found}");
    // One block can't be both where the loop begins and what it consists of.
    let found = begins_with_call("head", "OpBranchConditional %goes_on %head %end");
    assert!(found.contains("OpFunctionCall"), "{found}");
}

#[test]
fn a_function_that_returns_from_a_loop_or_is_not_to_be_inlined_stays() {
    let stays = |function: &str| {
        let text = functions(&optimized(&module("", function, CALL)));
        assert_eq!(text.matches("OpFunctionCall").count(), 1, "{text}");
    };
    let once = with("%sum = OpFAdd %float %x %f1\nOpReturnValue %sum");
    stays(&once.replace("%float None %unary", "%float DontInline %unary"));
    stays(&with(
        "OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %on None
OpBranchConditional %is %out %on
%out = OpLabel
OpReturnValue %x
%on = OpLabel
%j1 = OpLoad %int %j
%more = OpSLessThan %bool %j1 %1
OpStore %k %2
OpBranch %next
%next = OpLabel
OpBranchConditional %more %head %end
%end = OpLabel
OpReturnValue %f1",
    ));
}

#[test]
fn pointers_that_are_passed_become_values() {
    let function = "%on = OpTypeFunction %void %to_float
%call = OpFunction %void None %on
%x = OpFunctionParameter %to_float
%start = OpLabel
%x1 = OpLoad %float %x
%sum = OpFAdd %float %x1 %f2
OpStore %x %sum
OpReturn
OpFunctionEnd
";
    let text = body(&module(
        "",
        function,
        "%x_ = OpVariable %to_float Function
%a1 = OpLoad %float %a
OpStore %x_ %a1
%c = OpFunctionCall %void %call %x_
%d = OpFunctionCall %void %call %x_
%y = OpLoad %float %x_
OpStore %o %y
OpReturn",
    ));
    let expected = "%1 = OpLoad %float %a
%2 = OpFAdd %float %1 %float_2
%3 = OpFAdd %float %2 %float_2
OpStore %o %3
OpReturn
";
    assert_eq!(text, expected);
}

/// A loop with a call in its body, or where it continues.
fn continues_with_calls(function: &str, in_body: bool) -> String {
    let call = "%y = OpFunctionCall %float %call %a1\nOpStore %o %y\n";
    let (body, next) = if in_body { (call, "") } else { ("", call) };
    let text = format!(
        "%a1 = OpLoad %float %a
OpBranch %head
%head = OpLabel
%at = OpPhi %int %0 %entry %more %next
%i1 = OpLoad %int %i
%again = OpSLessThan %bool %at %i1
OpLoopMerge %end %next None
OpBranchConditional %again %step %end
%step = OpLabel
OpStore %k %at
{body}OpBranch %next
%next = OpLabel
%more = OpIAdd %int %at %2
{next}OpBranch %head
%end = OpLabel
OpReturn"
    );
    let options = Options::default().level(Level::Performance);
    functions(&optimized_by(&options, &module("", function, &text)))
}

/// Nothing reaches the merge block of a selection both ways of which return; where a loop continues it
/// goes on nevertheless, as all there must.
#[test]
fn merge_blocks_that_nothing_reaches_go_on_where_a_loop_continues() {
    let early = with(
        "%is = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %join None
OpBranchConditional %is %then %else
%then = OpLabel
OpStore %k %2
OpReturnValue %f0
%else = OpLabel
%less = OpFOrdLessThan %bool %x %f1
OpSelectionMerge %never None
OpBranchConditional %less %one %two
%one = OpLabel
OpStore %k %0
OpReturnValue %f1
%two = OpLabel
OpStore %k %1
OpReturnValue %x
%never = OpLabel
OpUnreachable
%join = OpLabel
OpUnreachable",
    );
    for in_body in [false, true] {
        let text = continues_with_calls(&early, in_body);
        assert!(!text.contains("OpFunctionCall"), "{text}");
        assert_eq!(text.contains("OpUnreachable"), in_body, "{text}");
    }
}

#[test]
fn what_ends_invocations_stays_where_a_loop_continues() {
    let ends = with(
        "%is = OpFOrdLessThan %bool %x %f0
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpKill
%join = OpLabel
OpReturnValue %x",
    );
    assert!(continues_with_calls(&ends, false).contains("OpFunctionCall"));
}
