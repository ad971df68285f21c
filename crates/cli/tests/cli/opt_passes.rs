//! `spv opt` with passes of one's choice, and what it tells of them.

use crate::common::{Dir, Ran};

/// A shader with a function that is called, one that isn't, a line of source, a loop whose first
/// block could be joined with the one before its branch, and a sum that only an API may change.
const SHADER: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %input %output
OpExecutionMode %main OriginUpperLeft
%file = OpString \"shader.frag\"
OpName %main \"main\"
OpName %helper \"helper\"
OpName %unused \"unused\"
OpName %input \"input\"
OpName %variable \"variable\"
OpDecorate %input Location 0
OpDecorate %output Location 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%helps = OpTypeFunction %float %float
%to_input = OpTypePointer Input %float
%to_output = OpTypePointer Output %float
%to_local = OpTypePointer Function %float
%zero = OpConstant %float 0
%two = OpConstant %float 2
%input = OpVariable %to_input Input
%output = OpVariable %to_output Output
%main = OpFunction %void None %type
%entry = OpLabel
%variable = OpVariable %to_local Function
%x = OpLoad %float %input
OpLine %file 7 3
%helped = OpFunctionCall %float %helper %x
OpNoLine
OpStore %variable %helped
OpBranch %header
%header = OpLabel
%current = OpLoad %float %variable
OpLoopMerge %behind %continue None
OpBranch %test
%test = OpLabel
%goes_on = OpFOrdLessThan %bool %current %two
OpBranchConditional %goes_on %body %behind
%body = OpLabel
%next = OpFAdd %float %current %two
OpStore %variable %next
OpBranch %continue
%continue = OpLabel
OpBranch %header
%behind = OpLabel
%last = OpLoad %float %variable
%sum = OpFAdd %float %last %zero
OpStore %output %sum
OpReturn
OpFunctionEnd
%helper = OpFunction %float None %helps
%parameter = OpFunctionParameter %float
%helper_entry = OpLabel
%doubled = OpFAdd %float %parameter %parameter
OpReturnValue %doubled
OpFunctionEnd
%unused = OpFunction %float None %helps
%unused_parameter = OpFunctionParameter %float
%unused_entry = OpLabel
OpReturnValue %unused_parameter
OpFunctionEnd
";

fn with_shader() -> Dir {
    let dir = Dir::new();
    dir.write("in.spvasm", SHADER);
    dir.module("in.spv", SHADER);
    dir
}

#[track_caller]
fn opt(dir: &Dir, options: &[&str]) -> Ran {
    dir.spv(&[&["opt", "in.spvasm", "-o", "out.spv"], options].concat())
}

/// The text of what options make of the shader.
#[track_caller]
fn text(dir: &Dir, options: &[&str]) -> String {
    let ran = opt(dir, options);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{options:?}");
    dir.spv(&["val", "-q", "out.spv"]).text();
    dir.spv(&["dis", "out.spv"]).text().to_owned()
}

#[test]
fn only_the_passes_that_are_named_are_done() {
    let dir = with_shader();
    opt(&dir, &["-O0"]);
    assert_eq!(dir.read("out.spv"), dir.read("in.spv"), "nothing is named");
    let functions = |text: &str| text.matches("= OpFunction ").count();
    for options in [
        &["--eliminate-dead-functions"][..],
        &["-O0", "--eliminate-dead-functions"],
        &["--passes", "eliminate-dead-functions"],
        &["--passes=merge-blocks,eliminate-dead-functions"],
    ] {
        let text = text(&dir, options);
        assert_eq!(functions(&text), 2, "{options:?}\n{text}");
        assert!(text.contains("OpFunctionCall"), "{options:?}\n{text}");
    }
    dir.write(
        "list",
        "# what to do\n--eliminate-dead-functions # and\n  inline-entry-points-exhaustive\n",
    );
    for options in [&["-Oconfig=list"][..], &["--passes", "@list"]] {
        assert!(
            !text(&dir, options).contains("OpFunctionCall"),
            "{options:?}"
        );
    }
    dir.write("empty", "# nothing\n");
    assert_eq!(text(&dir, &["-Oconfig=empty"]), text(&dir, &["-O0"]));
    assert!(!text(&dir, &["--passes", "-O"]).contains("OpFunctionCall"));
    // In order: names come first, or are gone.
    let named = text(&dir, &["-O", "--strip-debug"]);
    assert!(!named.contains("OpName"), "{named}");
    assert!(!named.contains("OpFunctionCall"), "{named}");
    let set = text(&dir, &["--switch-descriptorset", "0:1", "-Os"]);
    assert!(!set.contains("OpFunctionCall"), "{set}");
}

#[test]
fn unknown_passes_and_wrong_values_are_errors() {
    let dir = with_shader();
    for (options, mention) in [
        (&["--no-such-pass"][..], "--no-such-pass"),
        (
            &["--passes", "no-such-pass"],
            "there is no pass `no-such-pass`",
        ),
        (&["--switch-descriptorset=x"], "not of the form FROM:TO"),
        (&["-Oconfig=nowhere"], "can't read `nowhere`"),
        (&["--float", "fast"], "fast"),
        (&["--max-id-bound", "x"], "--max-id-bound"),
        (&["--passes", "loop-fission=x"], "no whole number"),
    ] {
        opt(&dir, options).fails(2, mention);
    }
    let ran = opt(&dir, &["--max-id-bound", "10"]);
    ran.fails(1, "error[opt.pass]");
    assert!(ran.stderr.contains("more than 10"), "{}", ran.stderr);
    assert!(!dir.files().contains(&"out.spv".to_owned()));
    assert_eq!(opt(&dir, &["--max-id-bound", "0xffff"]).code, 0);
    let ran = opt(&dir, &["--loop-fusion", "4", "--loop-fusion=2", "-O0"]);
    assert_eq!(ran.stderr, "note: `--loop-fusion` changes nothing here\n");
    let list = dir.spv(&["opt", "--list-passes"]);
    assert!(list.text().contains("upgrade-memory-model"));
}

#[test]
fn passes_are_watched() {
    let dir = with_shader();
    let options = ["--merge-blocks", "--compact-ids"];
    let ran = opt(&dir, &[&options[..], &["--print-all"]].concat());
    let heads: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|it| it.starts_with("; in.spvasm"))
        .collect();
    let expected = [
        "; in.spvasm, before merge-blocks",
        "; in.spvasm, before compact-ids",
        "; in.spvasm, after the last pass",
    ];
    assert_eq!(heads, expected);
    let ran = opt(&dir, &[&options[..], &["--time-report"]].concat());
    let rows: Vec<&str> = ran
        .stderr
        .lines()
        .map(|it| it.rsplit(' ').next().unwrap())
        .collect();
    assert_eq!(rows, ["pass", "merge-blocks", "compact-ids", "all"]);
    let ran = opt(&dir, &[&options[..], &["--validate-after-all"]].concat());
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}

#[test]
fn remarks_name_the_line_and_the_reason() {
    let dir = with_shader();
    let ran = opt(&dir, &["--remarks"]);
    for expected in [
        "shader.frag:7:3: call %helper: inlined (in %main)\n",
        "in.spvasm: variable %variable: made values (in %main)\n",
    ] {
        assert!(ran.stderr.contains(expected), "{expected}{}", ran.stderr);
    }
    let ran = opt(&dir, &["--remarks", "--format", "json"]);
    let call = ran
        .stderr
        .lines()
        .find(|it| it.contains("\"call\""))
        .unwrap();
    let call: serde_json::Value = serde_json::from_str(call).unwrap();
    assert_eq!(call["done"], true);
    assert_eq!(call["name"], "%helper");
    assert_eq!(call["source"]["line"], 7);
}

#[test]
fn floats_loops_and_debug_information_are_for_the_user_to_choose() {
    let dir = with_shader();
    assert_eq!(text(&dir, &[]).matches("OpFAdd").count(), 3);
    assert_eq!(
        text(&dir, &["--float", "exact"]).matches("OpFAdd").count(),
        3
    );
    assert_eq!(text(&dir, &["--float=api"]).matches("OpFAdd").count(), 2);
    assert_eq!(text(&dir, &[]).matches("OpLabel").count(), 4);
    assert_eq!(
        text(&dir, &["--keep-loop-shape"])
            .matches("OpLabel")
            .count(),
        6
    );
    assert!(text(&dir, &["--debug-info", "keep"]).contains("OpName"));
    let dropped = text(&dir, &["--debug-info", "drop"]);
    assert!(
        !dropped.contains("OpString") && !dropped.contains("OpName"),
        "{dropped}"
    );
}

#[cfg(unix)]
#[test]
fn the_first_pass_that_breaks_something_is_found() {
    let dir = with_shader();
    let script = "#!/bin/sh\n\"$1\" dis \"$2\" | grep -q OpFunctionCall\n";
    crate::common::write_program(&dir.path("check.sh"), script.as_bytes());
    let command = format!("./check.sh {}", env!("CARGO_BIN_EXE_spv"));
    let options = [
        "--merge-blocks",
        "--compact-ids",
        "--inline-entry-points-exhaustive",
        "-Os",
    ];
    let ran = opt(&dir, &[&options[..], &["--bisect", &command]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let expected =
        "in.spvasm: the command first fails after `inline-entry-points-exhaustive`, pass 3 of 4\n";
    assert_eq!(ran.stderr, expected);
    assert!(
        !dir.spv(&["dis", "out.spv"])
            .text()
            .contains("OpFunctionCall")
    );
    let ran = opt(&dir, &["--merge-blocks", "--bisect", &command]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("succeeds after all passes"),
        "{}",
        ran.stderr
    );
    // The input is what the passes get, too: without names, if they are to go.
    let script = "#!/bin/sh\n\"$1\" dis \"$2\" | grep -q OpName\n";
    crate::common::write_program(&dir.path("named,.sh"), script.as_bytes());
    let command = format!("'./named,.sh' \"{}\"", env!("CARGO_BIN_EXE_spv"));
    let ran = opt(&dir, &["-Os", "--bisect", &command]);
    assert!(
        ran.stderr.contains("succeeds after all passes"),
        "{}",
        ran.stderr
    );
    let dropping = ["-Os", "--debug-info=drop", "--bisect", &command];
    opt(&dir, &dropping).fails(1, "fails for the input already");
    opt(&dir, &["--bisect", "a 'b"]).fails(2, "no second '");
    opt(&dir, &["--bisect", "false"]).fails(1, "fails for the input already");
    opt(&dir, &["--bisect", "./nowhere"]).fails(1, "error[opt.bisect]");
}
