//! Control flow and dominance: which instruction is at fault, that every error is
//! told, that nothing is told twice, and that shape and size do no harm.
//!
//! A line of a piece that ends with `; error[RULE]` must have just that error, and
//! the others none.

use spirvkit_diagnostics::Location;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Options, Report, validate};

const SHADER: &str = "OpCapability Shader
OpCapability Linkage
OpCapability Int64
OpMemoryModel Logical GLSL450
";

const KERNEL: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
";

const GLOBALS: &str = "%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%true = OpConstantTrue %bool
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%fn = OpTypeFunction %void
";

/// A module of functions, for version 1.5.
fn module(preamble: &str, functions: &str) -> String {
    format!("{preamble}{GLOBALS}{functions}")
}

/// A module of one function whose blocks follow `%entry`.
fn function(preamble: &str, blocks: &str) -> String {
    let body = format!("%f = OpFunction %void None %fn\n%entry = OpLabel\n{blocks}OpFunctionEnd\n");
    module(preamble, &body)
}

fn report_of(text: &str) -> (Report, Vec<(usize, String)>) {
    let env: spirvkit_grammar::TargetEnv = "spv1.5".parse().unwrap();
    let options = AssembleOptions::default()
        .target(env.version())
        .origins(true);
    let assembled = assemble(text, &options).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let mut options = Options::for_env(env);
    options.max_errors = 0;
    let report = validate(&assembled.words, &options);
    let line = |location| match assembled.origins.locate(text, location) {
        Location::Span(span) => {
            text[..span.start].lines().count() + usize::from(text[..span.start].ends_with('\n'))
        }
        _ => 0,
    };
    let found = report
        .diagnostics()
        .iter()
        .map(|d| (line(d.location()), d.rule().to_owned()))
        .collect();
    (report, found)
}

/// Compares the errors with those that the text's comments call for.
#[track_caller]
fn check(text: &str) {
    let expected: Vec<(usize, String)> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let rule = line
                .split_once("; error[")?
                .1
                .trim_end()
                .strip_suffix(']')?;
            Some((index + 1, rule.to_owned()))
        })
        .collect();
    let (report, mut found) = report_of(text);
    found.sort();
    let messages: String = report
        .diagnostics()
        .iter()
        .map(|d| format!("{}: {}\n", d.rule(), d.message()))
        .collect();
    assert_eq!(found, expected, "\n{messages}");
}

#[test]
fn every_bad_exit_is_told() {
    check(&function(
        SHADER,
        "OpSelectionMerge %outer None
OpBranchConditional %true %a %outer
%a = OpLabel
OpSelectionMerge %inner None
OpSwitch %zero %b 1 %c 2 %d
%b = OpLabel
OpBranch %outer ; error[structured.exit]
%c = OpLabel
OpBranch %outer ; error[structured.exit]
%d = OpLabel
OpBranch %inner
%inner = OpLabel
OpBranch %outer
%outer = OpLabel
OpReturn
",
    ));
}

#[test]
fn loops_and_switches_are_left_from_within_selections() {
    check(&function(
        SHADER,
        "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
OpSelectionMerge %switch_end None
OpSwitch %zero %switch_end 1 %a 2 %b
%a = OpLabel
OpSelectionMerge %if_end None
OpBranchConditional %true %c %d
%c = OpLabel
OpBranch %switch_end
%d = OpLabel
OpBranchConditional %true %merge %e
%e = OpLabel
OpBranch %continue
%if_end = OpLabel
OpUnreachable
%b = OpLabel
OpBranch %continue
%switch_end = OpLabel
OpBranch %continue
%continue = OpLabel
OpBranchConditional %true %loop %merge
%merge = OpLabel
OpReturn
",
    ));
}

#[test]
fn an_outer_switch_or_loop_is_not_left_from_an_inner_one() {
    check(&function(
        SHADER,
        "OpSelectionMerge %outer_end None
OpSwitch %zero %outer_end 1 %a
%a = OpLabel
OpSelectionMerge %inner_end None
OpSwitch %zero %inner_end 1 %b
%b = OpLabel
OpBranch %outer_end ; error[structured.exit]
%inner_end = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %body
%body = OpLabel
OpSelectionMerge %if_end None
OpBranchConditional %true %c %if_end
%c = OpLabel
OpBranch %outer_end ; error[structured.exit]
%if_end = OpLabel
OpBranch %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpBranch %outer_end
%outer_end = OpLabel
OpReturn
",
    ));
}

#[test]
fn functions_are_judged_one_by_one() {
    let body = |label: &str, error: &str| {
        format!(
            "%f{label} = OpFunction %void None %fn\n%e{label} = OpLabel\nOpBranch %l{label}\n%l{label} = OpLabel\n\
             OpBranch %l{label}{error}\nOpFunctionEnd\n"
        )
    };
    let error = " ; error[structured.back-edge-target]";
    check(&module(SHADER, &(body("a", error) + &body("b", error))));
    check(&module(KERNEL, &(body("a", "") + &body("b", ""))));
}

#[test]
fn kernels_need_no_structure() {
    check(&function(
        KERNEL,
        "OpBranchConditional %true %a %b
%a = OpLabel
OpSwitch %zero %b 1 %c 2 %d
%b = OpLabel
OpBranchConditional %true %a %d
%c = OpLabel
OpBranch %b
%d = OpLabel
OpReturn
",
    ));
}

#[test]
fn a_wrong_merge_block_is_told_once() {
    // What branches to it is no error of its own.
    check(&function(
        SHADER,
        "OpSelectionMerge %first_end None
OpBranchConditional %true %a %first_end
%a = OpLabel
OpSelectionMerge %late None ; error[structured.merge-block]
OpBranchConditional %true %b %first_end
%b = OpLabel
OpBranch %late
%first_end = OpLabel
OpBranch %late
%late = OpLabel
OpReturn
",
    ));
}

#[test]
fn merge_blocks_belong_to_one_header_everywhere() {
    let blocks = "OpSelectionMerge %end None
OpBranchConditional %true %a %end
%a = OpLabel
OpSelectionMerge %end None ; error[merge.twice]
OpBranchConditional %true %b %end
%b = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
";
    check(&function(SHADER, blocks));
    check(&function(KERNEL, blocks));
}

#[test]
fn loop_headers_have_one_back_edge() {
    check(&function(
        SHADER,
        "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None ; error[structured.back-edge-count]
OpBranchConditional %true %a %merge
%a = OpLabel
OpBranchConditional %true %loop %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpReturn
",
    ));
    // A switch may name the header more than once.
    check(&function(
        SHADER,
        "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranchConditional %true %loop %loop
%merge = OpLabel
OpReturn
",
    ));
}

#[test]
fn the_end_of_a_single_block_loop_goes_back_or_out() {
    check(&function(
        SHADER,
        "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %loop None
OpBranchConditional %true %loop %a ; error[structured.exit]
%a = OpLabel
OpUnreachable
%merge = OpLabel
OpReturn
",
    ));
}

#[test]
fn what_cannot_be_reached_needs_little_structure() {
    check(&function(
        SHADER,
        "OpReturn
%a = OpLabel
OpBranchConditional %true %b %c
%b = OpLabel
OpReturn
%c = OpLabel
OpBranch %b
",
    ));
    // But back edges lead to loop headers even there.
    check(&function(
        SHADER,
        "OpReturn
%a = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %a ; error[structured.back-edge-target]
",
    ));
}

#[test]
fn an_endless_loop_may_have_an_unreachable_merge_block() {
    check(&function(
        SHADER,
        "OpBranch %loop
%loop = OpLabel
OpLoopMerge %merge %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %loop
%merge = OpLabel
OpUnreachable
",
    ));
}

#[test]
fn selections_without_a_merge_choose_a_way_that_is_known() {
    check(&function(
        SHADER,
        "OpSelectionMerge %end None
OpBranchConditional %true %a %b
%a = OpLabel
OpBranchConditional %true %c %end
%c = OpLabel
OpBranchConditional %true %d %e ; error[structured.selection]
%d = OpLabel
OpBranch %end
%e = OpLabel
OpBranch %end
%b = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
",
    ));
}

#[test]
fn switches_fall_through_in_order() {
    // By way of the default, and with one block for two literals.
    check(&function(
        SHADER,
        "OpSelectionMerge %end None
OpSwitch %zero %default 1 %a 2 %b 3 %c 4 %c 5 %d
%a = OpLabel
OpBranch %default
%default = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %end
%c = OpLabel
OpBranch %d
%d = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
",
    ));
    check(&function(
        SHADER,
        "OpSelectionMerge %end None
OpSwitch %zero %default 1 %a 2 %c 3 %b ; error[switch.order]
%a = OpLabel
OpBranch %default
%default = OpLabel
OpBranch %b
%b = OpLabel
OpBranch %end
%c = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
",
    ));
}

#[test]
fn only_branches_fall_through() {
    // %m can't be reached, so that it names the other case means nothing.
    check(&function(
        SHADER,
        "OpSelectionMerge %end None
OpSwitch %zero %end 1 %b 2 %a
%b = OpLabel
OpBranch %end
%a = OpLabel
OpBranch %loop
%loop = OpLabel
OpLoopMerge %m %continue None
OpBranch %continue
%continue = OpLabel
OpBranch %loop
%m = OpLabel
OpBranch %b
%end = OpLabel
OpReturn
",
    ));
}

#[test]
fn literals_of_switches_are_compared_by_their_type() {
    let switch = |ty: &str, cases: &str| {
        let text = format!(
            "%wide = OpTypeInt {ty}
%selector = OpConstant %wide 0
%f = OpFunction %void None %fn
%entry = OpLabel
OpSelectionMerge %end None
OpSwitch %selector %end {cases}
%end = OpLabel
OpReturn
OpFunctionEnd
"
        );
        check(&module(SHADER, &text));
    };
    switch("64 0", "4294967296 %end 0 %end 1 %end");
    switch("64 1", "-1 %end -2 %end 7 %end");
    switch(
        "64 1",
        "-1 %end 7 %end -1 %end ; error[switch.same-literals]",
    );
}

#[test]
fn branches_stay_in_their_function() {
    check(&module(
        KERNEL,
        "%f = OpFunction %void None %fn
%f_entry = OpLabel
OpBranchConditional %true %g_next %f_next ; error[branch.foreign-target]
%f_next = OpLabel
OpReturn
OpFunctionEnd
%g = OpFunction %void None %fn
%g_entry = OpLabel
OpBranch %g_next
%g_next = OpLabel
OpBranchConditional %true %g_entry %g_next ; error[branch.entry-target]
OpFunctionEnd
"
        .replace(
            "%g_next %f_entry",
            "%g_next %f_next\n%f_next = OpLabel\nOpReturn",
        )
        .replace("OpReturn ; error[branch.foreign-target]", "OpReturn")
        .replace(
            "%g_next %f_next\n",
            "%g_next %f_next ; error[branch.foreign-target]\n",
        )
        .as_str(),
    ));
}

#[test]
fn phis_have_each_predecessor_once() {
    check(&function(
        KERNEL,
        "OpSwitch %zero %end 1 %end 2 %a
%a = OpLabel
OpBranch %end
%end = OpLabel
%good = OpPhi %uint %zero %entry %one %a
%less = OpPhi %uint %zero %entry ; error[phi.parents]
%none = OpPhi %uint ; error[phi.parents]
%more = OpPhi %uint %zero %entry %one %a %zero %end ; error[phi.parent]
%twice = OpPhi %uint %zero %entry %zero %entry ; error[phi.parent]
%value = OpPhi %uint %zero %entry %zero %one ; error[phi.parent]
%type = OpPhi %uint %true %entry %one %a ; error[phi.value]
OpReturn
",
    ));
}

#[test]
fn phis_take_what_reaches_the_end_of_the_parent() {
    check(&function(
        KERNEL,
        "OpBranch %loop
%loop = OpLabel
%i = OpPhi %uint %zero %entry %next %continue
%self = OpPhi %uint %zero %entry %self %continue
%early = OpPhi %uint %next %entry %next %continue ; error[dominance.phi]
OpBranchConditional %true %continue %end
%continue = OpLabel
%next = OpIAdd %uint %i %one
OpBranch %loop
%end = OpLabel
OpReturn
",
    ));
}

#[test]
fn uses_come_after_definitions() {
    check(&function(
        KERNEL,
        "%own = OpIAdd %uint %own %one ; error[id.forward-reference]
%late_use = OpIAdd %uint %late %one ; error[id.forward-reference]
%late = OpIAdd %uint %one %one
OpBranchConditional %true %a %b
%a = OpLabel
%x = OpIAdd %uint %late %one
OpBranch %end
%b = OpLabel
%y = OpIAdd %uint %x %one ; error[dominance.use]
OpBranch %end
%end = OpLabel
%z = OpIAdd %uint %x %one ; error[dominance.use]
OpReturn
%lost = OpLabel
%free = OpIAdd %uint %x %y
OpReturn
",
    ));
}

#[test]
fn parameters_belong_to_their_function() {
    check(&module(
        KERNEL,
        "%fn_uint = OpTypeFunction %void %uint
%f = OpFunction %void None %fn_uint
%parameter = OpFunctionParameter %uint
%f_entry = OpLabel
%x = OpIAdd %uint %parameter %one
OpReturn
OpFunctionEnd
%g = OpFunction %void None %fn
%g_entry = OpLabel
%y = OpIAdd %uint %parameter %one ; error[dominance.other-function]
%z = OpIAdd %uint %x %one ; error[dominance.other-function]
OpReturn
OpFunctionEnd
",
    ));
}

#[test]
fn reconvergence_is_asked_of_what_the_entry_points_call() {
    let text = |mode: &str, same: &str, meets: &str| {
        format!(
            "OpCapability Shader
OpExtension \"SPV_KHR_maximal_reconvergence\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
{mode}{GLOBALS}%main = OpFunction %void None %fn
%entry = OpLabel
%call = OpFunctionCall %void %callee
OpReturn
OpFunctionEnd
%callee = OpFunction %void None %fn
%callee_entry = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %a %b
%a = OpLabel
OpBranch %both
%b = OpLabel
OpBranch %both
%both = OpLabel{meets}
OpBranchConditional %true %end %end{same}
%end = OpLabel
OpReturn
OpFunctionEnd
"
        )
    };
    check(&text("", "", ""));
    check(&text(
        "OpExecutionMode %main MaximallyReconvergesKHR\n",
        " ; error[reconvergence.same-targets]",
        " ; error[reconvergence.predecessors]",
    ));
}

/// `count` selections, each within the one before, or loops.
fn nest(count: usize, is_loop: bool) -> String {
    let mut text = String::new();
    for i in 0..count {
        text += &match is_loop {
            true => format!(
                "OpBranch %h{i}\n%h{i} = OpLabel\nOpLoopMerge %m{i} %c{i} None\n\
                 OpBranchConditional %true %b{i} %m{i}\n%b{i} = OpLabel\n"
            ),
            false => format!(
                "OpSelectionMerge %m{i} None\nOpBranchConditional %true %b{i} %m{i}\n%b{i} = OpLabel\n"
            ),
        };
    }
    let end = |i: usize| match (i.checked_sub(1), is_loop) {
        (None, _) => "OpReturn\n".to_owned(),
        (Some(i), true) => format!("OpBranch %c{i}\n"),
        (Some(i), false) => format!("OpBranch %m{i}\n"),
    };
    text += &end(count);
    for i in (0..count).rev() {
        if is_loop {
            text += &format!("%c{i} = OpLabel\nOpBranch %h{i}\n");
        }
        text += &format!("%m{i} = OpLabel\n{}", end(i));
    }
    text
}

#[test]
fn nesting_has_a_limit_but_no_other_end() {
    for is_loop in [false, true] {
        check(&function(SHADER, &nest(1023, is_loop)));
        let (report, found) = report_of(&function(SHADER, &nest(20_000, is_loop)));
        assert!(!report.is_valid());
        // The first block that is too deep, and for a loop its continue target.
        assert_eq!(found.len(), if is_loop { 2 } else { 1 });
        assert!(
            found
                .iter()
                .all(|(_, rule)| rule == "structured.nesting-depth")
        );
    }
}

#[test]
fn loop_controls_are_read_behind_those_before_them() {
    let text = |control: &str, error: &str| {
        let blocks = format!(
            "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %merge %loop {control}{error}\n\
             OpBranchConditional %true %loop %merge\n%merge = OpLabel\nOpReturn\n"
        );
        check(&function(SHADER, &blocks));
    };
    text("MinIterations|IterationMultiple 0 4", "");
    text(
        "MinIterations|IterationMultiple 4 0",
        " ; error[merge.iteration-multiple]",
    );
    text("PartialCount 2", "");
    text("DontUnroll|PartialCount 2", " ; error[merge.loop-control]");
}
