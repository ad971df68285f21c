//! `spv specialize`.

use crate::common::Dir;

const TEXT: &str = "OpCapability Shader
OpCapability Linkage
OpCapability Int8
OpMemoryModel Logical GLSL450
OpName %fog \"use_fog\"
OpDecorate %fog SpecId 0
OpDecorate %size SpecId 10
OpDecorate %scale SpecId 11
%bool = OpTypeBool
%i8 = OpTypeInt 8 1
%f32 = OpTypeFloat 32
%fog = OpSpecConstantFalse %bool
%size = OpSpecConstant %i8 64
%scale = OpSpecConstant %f32 1
%next = OpSpecConstantOp %i8 IAdd %size %size
%plain = OpSpecConstant %i8 1
";

fn specialize(arguments: &[&str]) -> Vec<String> {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    let mut all = vec!["specialize", "a.spv", "-o", "b.spv"];
    all.extend(arguments);
    let ran = dir.spv(&all);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let ran = dir.spv(&["dis", "--raw-id", "--no-header", "--no-indent", "b.spv"]);
    let lines = ran.text().lines();
    lines
        .filter(|line| line.contains("Constant"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn constants_are_named_by_number_name_or_id() {
    let lines = specialize(&["--set", "10=0x7", "--set", "use_fog=true", "--set=%3=-0.5"]);
    let expected = [
        "%1 = OpConstantTrue %4",
        "%2 = OpConstant %5 7",
        "%3 = OpConstant %6 -0.5",
        "%7 = OpConstant %5 14",
        "%8 = OpSpecConstant %5 1",
    ];
    assert_eq!(lines, expected);
    let lines = specialize(&["--freeze", "10", "--set", "0=3"]);
    assert_eq!(lines.iter().filter(|line| line.contains("Spec")).count(), 2);
    let lines = specialize(&["--all-defaults"]);
    assert!(lines.iter().all(|line| !line.contains("Spec")));
}

#[test]
fn what_nothing_uses_is_removed_on_request() {
    assert!(specialize(&["--all-defaults"]).len() == 5);
    assert_eq!(specialize(&["--all-defaults", "--prune"]).len(), 0);
}

#[test]
fn the_list_tells_what_there_is() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let ran = dir.spv(&["specialize", "--list", "a.spvasm"]);
    let columns: Vec<Vec<&str>> = ran
        .text()
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(columns.len(), 4);
    assert_eq!(
        (columns[0][0], columns[0][3], columns[0][4]),
        ("0", "false", "use_fog")
    );
    assert_eq!(
        (columns[1][0], columns[1][3], columns[1].len()),
        ("10", "64", 4)
    );
    assert_eq!((columns[2][0], columns[2][3]), ("11", "1"));
    assert_eq!((columns[3][0], columns[3][3]), ("-", "1"));
}

#[test]
fn wrong_wishes_are_reported_and_nothing_is_written() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    let tries = [
        (
            &["--set", "12=1"][..],
            1,
            "no specialization constant `12`; it has 0 (use_fog), 10, 11",
        ),
        (
            &["--set", "10=200"],
            1,
            "`200` can't be its value: the type can't hold it",
        ),
        (
            &["--set", "0=maybe"],
            1,
            "`maybe` is not true, false or a number",
        ),
        (&["--set", "10"], 2, "it must have the form CONSTANT=VALUE"),
        (
            &["--set", "10=1", "--set", "10=2"],
            1,
            "two values are given",
        ),
        (
            &["--freeze", "nothing"],
            1,
            "no specialization constant `nothing`",
        ),
        (&["--list", "--all-defaults"], 2, "--list"),
    ];
    for (arguments, code, message) in tries {
        let mut all = vec!["specialize", "a.spv"];
        all.extend(arguments);
        if !arguments.contains(&"--list") {
            all.extend(["-o", "b.spv"]);
        }
        dir.spv(&all).fails(code, message);
        assert!(!dir.path("b.spv").exists(), "{arguments:?}");
    }
}

#[test]
fn what_can_not_be_known_is_a_warning() {
    let dir = Dir::new();
    let text = format!("{TEXT}%quotient = OpSpecConstantOp %i8 SDiv %size %plain\n");
    dir.module("a.spv", &text);
    let ran = dir.spv(&[
        "specialize",
        "--set",
        "%8=0",
        "--freeze",
        "10",
        "a.spv",
        "-o",
        "b.spv",
    ]);
    let message = "the result of %9 is undefined, because the divisor is zero";
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    assert!(dir.path("b.spv").exists());
}

#[test]
fn something_must_be_asked() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.spv(&["specialize", "a.spv", "-o", "b.spv"])
        .fails(2, "nothing to do");
    assert_eq!(dir.files(), ["a.spv"]);
    for option in ["--all-defaults", "--fold", "--prune"] {
        assert_eq!(
            dir.spv(&["specialize", option, "a.spv", "-o", "b.spv"])
                .code,
            0
        );
    }
}

#[test]
fn of_several_modules_not_all_need_have_a_constant() {
    let dir = Dir::new();
    let module = {
        dir.write("in/x", "");
        dir.module("in/a.spv", TEXT)
    };
    dir.write(
        "in/b.spvasm",
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n",
    );
    let set = |name: &str| format!("{name}=true");
    let ran = dir.spv(&["specialize", "--set", &set("use_fog"), "in", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr, "1 of 2 modules have a constant `use_fog`\n");
    assert!(dir.path("out/b.spv").exists());
    assert_ne!(dir.read("out/a.spv"), module);
    let ran = dir.spv(&["specialize", "--freeze", "no_fog", "in", "-o", "out"]);
    ran.fails(1, "error[transform.no-such-constant]: no module has");
    // Of a single one, it's an error at once.
    let ran = dir.spv(&[
        "specialize",
        "--freeze",
        "no_fog",
        "in/a.spv",
        "-o",
        "c.spv",
    ]);
    ran.fails(1, "error[transform.no-such-constant]");
    assert!(!dir.path("c.spv").exists());
}
