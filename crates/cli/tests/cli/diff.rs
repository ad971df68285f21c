//! `spv diff`, and the program under the name `spirv-diff`.

use crate::common::{Dir, run};

const A: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpName %1 \"a\"\n%1 = OpTypeInt 32 0\n%2 = OpConstant %1 7\n";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("a.spvasm", A);
    dir.write("same.spvasm", A.replace("%2", "%5").replace("%1", "%9"));
    dir.write("b.spvasm", A.replace(" 7", " 8"));
    dir.write("named.spvasm", A.replace("\"a\"", "\"b\""));
    dir.write("broken.spvasm", "OpNonsense\n");
    dir
}

#[test]
fn what_is_the_same_has_no_output() {
    let ran = dir().spv(&["diff", "--exit-code", "a.spvasm", "same.spvasm"]);
    assert_eq!((ran.code, ran.text(), &*ran.stderr), (0, "", ""));
}

#[test]
fn changes_are_shown_and_told_by_the_exit_code() {
    let dir = dir();
    let ran = dir.spv(&["diff", "a.spvasm", "b.spvasm"]);
    assert_eq!(ran.code, 0);
    assert!(ran.text().starts_with("--- a.spvasm\n+++ b.spvasm\n@@ "));
    assert!(ran.text().contains("\n-          %2 = OpConstant %1 7\n"));
    assert!(ran.text().contains("\n+          %3 = OpConstant %1 8\n"));
    let ran = dir.spv(&["diff", "--exit-code", "--quiet", "a.spvasm", "b.spvasm"]);
    assert_eq!(ran.code, 1);
    let ran = dir.spv(&[
        "diff", "-U", "0", "--color", "always", "a.spvasm", "b.spvasm",
    ]);
    assert!(ran.text().contains("\x1b[31m-"));
    assert!(ran.text().contains("\x1b[32m+"));
    assert!(!ran.text().contains("OpTypeInt"));
}

#[test]
fn one_input_may_be_standard_input() {
    let dir = dir();
    let ran = dir.spv_with_input(&["diff", "--exit-code", "-", "a.spvasm"], A.as_bytes());
    assert_eq!(ran.code, 0);
    assert_eq!(dir.spv(&["diff", "-", "-"]).code, 2);
}

#[test]
fn what_can_not_be_read_is_an_error() {
    let dir = dir();
    assert_eq!(dir.spv(&["diff", "a.spvasm", "broken.spvasm"]).code, 1);
    let ran = dir.spv(&["diff", "--exit-code", "a.spvasm", "missing.spv"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("missing.spv"));
}

#[test]
fn options_say_what_is_no_difference_and_what_is_shown() {
    let dir = dir();
    let code = |option: &str| {
        dir.spv(&["diff", "--exit-code", option, "a.spvasm", "named.spvasm"])
            .code
    };
    assert_eq!(code("--quiet"), 1);
    assert_eq!(code("--ignore-names"), 0);
    assert_eq!(code("--ignore-debug"), 0);
    let ran = dir.spv(&["diff", "--format", "json", "a.spvasm", "b.spvasm"]);
    let json: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!(json["a"], "a.spvasm");
    assert_eq!(json["removed"], 1);
    let ran = dir.spv(&["diff", "--with-id-map", "a.spvasm", "same.spvasm"]);
    assert!(ran.text().contains("; %1 = %9\n"));
    let ran = dir.spv(&["diff", "--full", "a.spvasm", "b.spvasm"]);
    assert!(ran.text().contains("OpCapability Shader"));
}

#[test]
fn the_classic_tool_takes_its_options() {
    let dir = dir();
    assert_eq!(dir.spv(&["drop-in", "bin"]).code, 0);
    let diff = |arguments: &[&str]| {
        let program = dir
            .path("bin")
            .join(format!("spirv-diff{}", std::env::consts::EXE_SUFFIX));
        run(dir.command(program).args(arguments), b"")
    };
    let ran = diff(&[
        "--no-color",
        "--no-header",
        "--no-indent",
        "a.spvasm",
        "b.spvasm",
    ]);
    assert_eq!(ran.code, 0);
    assert!(ran.text().starts_with(" OpCapability Shader\n"));
    assert!(ran.text().contains("\n-%2 = OpConstant %1 7\n"));
    diff(&["a.spvasm"]).fails(1, "compares two files");
    assert!(diff(&["--help"]).text().contains("--with-id-map"));
}
