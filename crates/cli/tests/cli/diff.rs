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
fn changes_are_shown_and_reported_by_the_exit_code() {
    let dir = dir();
    let ran = dir.spv(&["diff", "a.spvasm", "b.spvasm"]);
    assert_eq!(ran.code, 0);
    assert!(ran.text().starts_with("--- a.spvasm\n+++ b.spvasm\n@@ "));
    assert!(ran.text().contains("\n-        %a_7 = OpConstant %a 7\n"));
    assert!(ran.text().contains("\n+        %a_8 = OpConstant %a 8\n"));
    let ran = dir.spv(&["diff", "--raw-id", "a.spvasm", "b.spvasm"]);
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
    assert!(ran.text().contains("; %a = %a\n"));
    let options = ["diff", "--with-id-map", "--raw-id"];
    let ran = dir.spv(&[&options[..], &["a.spvasm", "same.spvasm"]].concat());
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
    diff(&["a.spvasm"]).fails(1, "two files must be given");
    assert!(diff(&["--help"]).text().contains("--with-id-map"));
}

#[test]
fn folders_are_compared_by_their_paths() {
    let dir = Dir::new();
    for (name, text) in [
        ("old/same.spvasm", A.to_owned()),
        ("new/same.spvasm", A.replace("%2", "%5")),
        ("old/deep/changed.spvasm", A.to_owned()),
        ("new/deep/changed.spvasm", A.replace(" 7", " 8")),
        ("old/gone.spvasm", A.to_owned()),
        ("new/fresh.spvasm", A.to_owned()),
    ] {
        dir.write(name, text);
    }
    let ran = dir.spv(&["diff", "old", "new/"]);
    let text = ran.text();
    assert!(
        text.starts_with("--- old/deep/changed.spvasm\n+++ new/deep/changed.spvasm\n"),
        "{text}"
    );
    assert!(
        text.contains("\nonly in new/: fresh.spvasm\nonly in old: gone.spvasm\n"),
        "{text}"
    );
    assert!(!text.contains("same"));
    assert_eq!(
        ran.stderr,
        "2 pairs of modules compared, 1 differs; 1 only in old; 1 only in new/\n"
    );
    for jobs in ["1", "3"] {
        let again = dir.spv(&["diff", "--jobs", jobs, "old", "new/"]);
        assert_eq!(again.text(), text);
    }
    let code = |arguments: &[&str]| {
        dir.spv(&[&["diff", "--exit-code"], arguments].concat())
            .code
    };
    assert_eq!(code(&["old", "new"]), 1);
    assert_eq!(code(&["old", "old"]), 0);
    let quiet = dir.spv(&["diff", "--quiet", "old", "new"]);
    assert_eq!((quiet.text(), &*quiet.stderr), ("", ""));

    let json = dir.spv(&["diff", "--format", "json", "old", "new"]);
    assert_eq!(json.stderr, "");
    let parse = |line| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let all: Vec<serde_json::Value> = json.text().lines().map(parse).collect();
    assert_eq!(all.len(), 4);
    assert_eq!(
        (&all[0]["a"], &all[0]["removed"]),
        (&"old/deep/changed.spvasm".into(), &1.into())
    );
    assert_eq!(
        (&all[1]["a"], &all[1]["b"]),
        (&serde_json::Value::Null, &"new/fresh.spvasm".into())
    );
    assert_eq!(all[2]["equal"], false);
    assert_eq!(all[3]["equal"], true);

    dir.write("new/gone.spvasm", "OpNonsense\n");
    let ran = dir.spv(&["diff", "old", "new"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("new/gone.spvasm"), "{}", ran.stderr);
    assert!(
        ran.stderr.ends_with("; 1 could not be read\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(code(&["old", "new"]), 2);
    dir.spv(&["diff", "old", "new/gone.spvasm"])
        .fails(2, "a directory can be compared only");
}
