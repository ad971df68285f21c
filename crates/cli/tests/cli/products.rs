//! Small modules that name large things often: what is reported of them stays in proportion.

use std::fmt::Write as _;

use serde_json::Value;

use crate::common::{Dir, Ran};

/// What may be made of an input of so many bytes.
fn most(input: usize) -> usize {
    64 * input + (16 << 20)
}

/// How far the last of something may go over that: headings, and rows that are cut.
const SLACK: usize = 1 << 20;

const START: &str = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";

/// Structures each of which holds the one before twice.
fn nested(levels: usize) -> String {
    let mut decorations = String::new();
    let mut types = String::from("%f = OpTypeFloat 32\n%s0 = OpTypeStruct %f %f\n");
    for level in 1..=levels {
        let _ = writeln!(
            decorations,
            "OpMemberDecorate %s{level} 0 Offset 0\nOpDecorate %s{level} Block"
        );
        let inner = level - 1;
        let _ = writeln!(types, "%s{level} = OpTypeStruct %s{inner} %s{inner}");
    }
    format!("{START}OpName %s3 \"s3\"\n{decorations}{types}")
}

#[test]
fn layouts_of_nested_structures_end() {
    let dir = Dir::new();
    let module = dir.module("a.spv", &nested(60));
    let table = dir.spv(&["layout", "a.spv"]);
    assert!(table.stdout.len() < most(module.len()) + SLACK);
    let last = table.text().trim_end().lines().last().unwrap();
    assert!(
        last.starts_with("… ") && last.ends_with(" structures more"),
        "{last}"
    );
    let json = dir.spv(&["layout", "--format", "json", "a.spv"]);
    assert!(json.stdout.len() < most(module.len()) + SLACK);
    let json: Value = serde_json::from_slice(json.bytes()).unwrap();
    let shown = json["structures"].as_array().unwrap();
    assert_eq!(json["left_out"], 60 - shown.len());
    assert_eq!(shown[0]["complete"], true);
    assert_eq!(shown.last().unwrap()["complete"], false);
    // What fits is whole, and nothing is said to be left out.
    let one = dir.spv(&["layout", "--format", "json", "a.spv", "s3"]);
    let one: Value = serde_json::from_slice(one.bytes()).unwrap();
    assert_eq!(one.get("left_out"), None);
}

#[test]
fn one_long_name_does_not_widen_all_rows() {
    let dir = Dir::new();
    let mut text = String::from(START);
    let mut variables = String::new();
    let _ = writeln!(text, "OpName %v7 \"{}\"", "y".repeat(65_536));
    for number in 0..2000 {
        let _ = writeln!(text, "OpDecorate %v{number} Location {number}");
        let _ = writeln!(variables, "%v{number} = OpVariable %p Input");
    }
    text += "%f = OpTypeFloat 32\n%p = OpTypePointer Input %f\n";
    dir.write("a.spvasm", text + &variables);
    dir.write("b.spvasm", format!("{START}%i = OpTypeInt 32 0\n"));
    let ran = dir.spv(&["info", "."]);
    // A row has some hundred characters.
    assert!(ran.stdout.len() < 2000 * 300, "{}", ran.stdout.len());
    let rows = ran.text().lines();
    assert_eq!(rows.filter(|row| row.starts_with("  %v")).count(), 2000);
    assert!(ran.text().contains(&format!("{}…", "y".repeat(39))));
    assert!(ran.text().contains("b.spvasm"));
}

#[test]
fn a_wide_table_that_fits_is_whole() {
    let dir = Dir::new();
    let name = "z".repeat(3000);
    let text = format!(
        "{START}OpName %v \"{name}\"\nOpDecorate %v Location 0\nOpDecorate %w Location 1\n\
         %f = OpTypeFloat 32\n%p = OpTypePointer Input %f\n%v = OpVariable %p Input\n%w = OpVariable %p Input\n"
    );
    dir.write("a.spvasm", text);
    let ran = dir.spv(&["info", "a.spvasm"]);
    let rows: Vec<&str> = ran
        .text()
        .lines()
        .filter(|row| row.contains(" float "))
        .collect();
    // The types stand below each other.
    assert!(rows[0].contains(&name));
    assert_eq!(rows[0].find(" float "), rows[1].find(" float "));
}

#[test]
fn a_block_that_many_share_is_listed_as_often_as_there_is_room() {
    let dir = Dir::new();
    let (mut text, mut variables) = (String::from(START), String::new());
    for member in 0..400 {
        let _ = writeln!(text, "OpMemberDecorate %s {member} Offset {}", member * 4);
        let _ = writeln!(text, "OpMemberName %s {member} \"{}\"", "m".repeat(60));
    }
    for number in 0..1200 {
        let _ = writeln!(
            text,
            "OpDecorate %v{number} DescriptorSet 0\nOpDecorate %v{number} Binding {number}"
        );
        let _ = writeln!(variables, "%v{number} = OpVariable %p StorageBuffer");
    }
    let members = "%f ".repeat(400);
    let _ = write!(
        text,
        "OpDecorate %s Block\n%f = OpTypeFloat 32\n%s = OpTypeStruct {members}\n\
         %p = OpTypePointer StorageBuffer %s\n{variables}"
    );
    let module = dir.module("a.spv", &text);
    let ran = dir.spv(&["info", "a.spv"]);
    assert!(ran.stdout.len() < most(module.len()) + SLACK);
    assert!(ran.text().contains(" descriptors more\n"));
    assert!(ran.text().contains("\nstatistics\n"));
}

/// A constant with a name of 1000 characters that is used very often, and one that is
/// used once.
fn often(uses: usize) -> String {
    let (long, rare) = ("c".repeat(1000), "r".repeat(1000));
    let mut text = format!(
        "{START}OpName %c \"{long}\"\nOpName %r \"{rare}\"\n%i = OpTypeInt 32 0\n%v = OpTypeVoid\n\
         %s = OpTypeFunction %v\n%c = OpConstant %i 7\n%r = OpConstant %i 9\n\
         %f = OpFunction %v None %s\n%l = OpLabel\n%once = OpIAdd %i %r %c\n"
    );
    for number in 0..uses {
        let _ = writeln!(text, "%a{number} = OpIAdd %i %c %c");
    }
    text + "OpReturn\nOpFunctionEnd\n"
}

#[test]
fn names_that_would_make_the_text_too_long_give_way_to_numbers() {
    let dir = Dir::new();
    let module = dir.module("a.spv", &often(20_000));
    let ran = dir.spv(&["dis", "a.spv", "-o", "b.spvasm"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("warning[binary.long-names]").count(), 1);
    assert!(ran.stderr.contains("the names of 1 id "), "{}", ran.stderr);
    let text = dir.read_text("b.spvasm");
    assert!(text.len() < most(module.len()));
    // The name stands where it is given, and nowhere else.
    assert_eq!(text.matches(&"c".repeat(1000)).count(), 1);
    assert_eq!(text.matches(&format!("%{}", "r".repeat(1000))).count(), 3);
    dir.spv(&["as", "b.spvasm", "-o", "b.spv"]).text();
    let same = dir.spv(&["diff", "--exit-code", "a.spv", "b.spv"]);
    assert_eq!(same.text(), "");
    // Other commands call the ids the same.
    let drawn = dir.spv(&["cfg", "--format", "json", "a.spv"]);
    assert!(drawn.stdout.len() < most(module.len()));
    let used_seldom = dir.module("c.spv", &often(10));
    let ran = dir.spv(&["dis", "c.spv"]);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    assert!(used_seldom.len() < 3000 && ran.text().matches(&"c".repeat(1000)).count() > 20);
}

#[test]
fn names_of_one_module_do_not_multiply_in_a_diff() {
    let dir = Dir::new();
    dir.module("a.spv", &often(10));
    let module = dir.module("b.spv", &often(20_000));
    for form in ["human", "json"] {
        let ran = dir.spv(&["diff", "--format", form, "a.spv", "b.spv"]);
        assert_eq!(ran.code, 0);
        assert!(
            ran.stdout.len() < most(module.len()),
            "{}",
            ran.stdout.len()
        );
    }
}

/// Decorations that are wrong, one after the other, and one error of another kind.
fn wrong(decorations: usize) -> String {
    let mut text = format!("{START}OpName %i \"{}\"\n", "i".repeat(1000));
    for _ in 0..decorations {
        text += "OpDecorate %i NoPerspective\n";
    }
    text + "%i = OpTypeInt 32 0\n%t = OpTypeVector %i 9\n"
}

fn parsed(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn errors_without_number_are_reported_as_far_as_there_is_room() {
    let dir = Dir::new();
    let module = dir.module("a.spv", &wrong(20_000));
    let ran = dir.spv(&["val", "--max-errors", "0", "--format", "json", "a.spv"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.len() < most(module.len()),
        "{}",
        ran.stdout.len()
    );
    let report = parsed(&ran);
    assert_eq!(
        (&report["valid"], &report["cut"]),
        (&false.into(), &true.into())
    );
    let ran = dir.spv(&["val", "--max-errors", "0", "a.spv"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.len() < most(module.len()));
    assert!(
        ran.stderr
            .contains("more errors than can be shown for a module of this size")
    );
    // As a rule, there is room.
    let ran = dir.spv(&["val", "--format", "json", "a.spv"]);
    assert_eq!(parsed(&ran).get("cut"), None);
    assert_eq!(parsed(&ran)["diagnostics"].as_array().unwrap().len(), 50);
}

#[test]
fn no_number_of_warnings_hides_an_error() {
    let dir = Dir::new();
    dir.module("a.spv", &wrong(20_000));
    let rule = dir.spv(&["val", "--max-errors", "1", "--format", "json", "a.spv"]);
    let rule = parsed(&rule)["diagnostics"][0]["rule"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut arguments = vec!["val", "--max-errors", "0", "--warn", &rule, "a.spv"];
    let ran = dir.spv(&arguments);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error["), "only warnings");
    arguments.extend(["--format", "json"]);
    let report = parsed(&dir.spv(&arguments));
    let found = report["diagnostics"].as_array().unwrap();
    let errors: Vec<&Value> = found
        .iter()
        .filter(|it| it["severity"] == "error")
        .collect();
    assert_eq!(errors.len(), 1);
    assert_ne!(errors[0]["rule"], rule);
}

#[test]
fn a_long_line_of_source_is_not_kept_for_each_error() {
    let dir = Dir::new();
    let line = "a".repeat(100_000);
    let mut text = format!(
        "{START}%n = OpString \"a.hlsl\"\nOpSource HLSL 600 %n \"{line}\"\n%i = OpTypeInt 32 0\n\
         %f = OpTypeFloat 32\n%v = OpTypeVoid\n%s = OpTypeFunction %v\n%c = OpConstant %i 7\n\
         %m = OpFunction %v None %s\n%l = OpLabel\nOpLine %n 1 1\n"
    );
    for number in 0..2000 {
        let _ = writeln!(text, "%a{number} = OpIAdd %f %c %c");
    }
    let module = dir.module("a.spv", &(text + "OpReturn\nOpFunctionEnd\n"));
    let ran = dir.spv(&["val", "--max-errors", "0", "--format", "json", "a.spv"]);
    assert!(ran.stdout.len() < most(module.len()));
    let report = parsed(&ran);
    assert_eq!(report["cut"], true);
    assert_eq!(report["diagnostics"][0]["source"]["text"], line);
}

#[test]
fn inputs_may_be_as_large_as_is_said() {
    let dir = Dir::new();
    let module = dir.module("a.spv", START);
    let size = module.len().to_string();
    let less = (module.len() - 1).to_string();
    let commands: [&[&str]; 8] = [
        &["dis"],
        &["val"],
        &["info"],
        &["layout"],
        &["cfg"],
        &["strip", "--dry-run"],
        &["debug", "dump"],
        &["split", "--list"],
    ];
    for command in commands {
        let with = |most: &str| {
            let given = [command, &["--max-input", most, "a.spv"]].concat();
            dir.spv(&given)
        };
        for most in [&*size, "0", "1K", "18446744073709551615G"] {
            let ran = with(most);
            assert!(
                !ran.stderr.contains("--max-input"),
                "{command:?} {most}: {ran:?}"
            );
        }
        let refused = with(&less);
        assert_eq!(refused.code, 1, "{command:?}");
        assert!(
            refused.stderr.contains("`--max-input`"),
            "{}",
            refused.stderr
        );
        let bytes = format!("larger than {less} bytes");
        assert!(refused.stderr.contains(&bytes), "{}", refused.stderr);
    }
    let other = ["diff", "a.spv", "a.spv", "--max-input", &less];
    dir.spv(&other).fails(1, "--max-input");
    let piped = |most: &str| dir.spv_with_input(&["dis", "--max-input", most], &module);
    assert_eq!(piped(&size).code, 0);
    piped(&less).fails(1, "--max-input");
    for wrong in ["", "K", "-1", "1T", "1.5M", "18446744073709551616"] {
        let argument = format!("--max-input={wrong}");
        dir.spv(&["dis", &argument, "a.spv"])
            .fails(2, "--max-input");
    }
}

#[cfg(unix)]
#[test]
fn an_endless_input_is_refused() {
    let dir = Dir::new();
    let arguments = ["--max-input", "1M", "/dev/zero"];
    for command in ["val", "dis", "info", "cfg"] {
        let ran = dir.spv(&[&[command], &arguments[..]].concat());
        assert_eq!(ran.code, 1);
        assert!(
            ran.stderr.contains("larger than 1048576 bytes"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn numbers_may_be_as_large_as_can_be() {
    const MAX: &str = "18446744073709551615";
    let dir = Dir::new();
    let text = format!("{START}%i = OpTypeInt 32 0\n%c = OpConstant %i 7\n");
    dir.module("a.spv", &text);
    dir.module("b.spv", &text.replace('7', "8"));
    dir.write("a.spvasm", &text);
    let changes = dir.spv(&["diff", "-U", MAX, "a.spv", "b.spv"]);
    let changes = changes.text();
    assert_eq!(
        changes,
        dir.spv(&["diff", "--full", "a.spv", "b.spv"]).text()
    );
    assert!(
        changes.contains("-  ") && changes.contains("+  "),
        "{changes}"
    );
    let most: [&[&str]; 6] = [
        &["diff", "-j", MAX, "a.spv", "b.spv"],
        &["val", "--max-errors", MAX, "-j", MAX, "a.spv"],
        &["dis", "--max-errors", MAX, "-j", MAX, "a.spv"],
        &[
            "as",
            "--max-errors",
            MAX,
            "-j",
            MAX,
            "a.spvasm",
            "-o",
            "c.spv",
        ],
        &["info", "-j", MAX, "a.spv"],
        &["strip", "--dry-run", "-j", MAX, "a.spv"],
    ];
    for arguments in most {
        let ran = dir.spv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    }
    let broken = text + "%d = OpTypeArray %x %y\n%e = OpTypeVector %z 2\n";
    dir.module("c.spv", &broken);
    let all = dir.spv(&["val", "--max-errors", MAX, "c.spv"]);
    assert_eq!(
        all.stderr,
        dir.spv(&["val", "--max-errors", "0", "c.spv"]).stderr
    );
    for place in [
        "byte 18446744073709551615",
        "word 18446744073709551615",
        "word 4611686018427387905",
    ] {
        assert_eq!(
            dir.spv(&["debug", "lookup", "a.spv", place]).code,
            1,
            "{place}"
        );
    }
}

#[test]
fn execution_modes_that_entry_points_share_are_cut() {
    let dir = Dir::new();
    let mut text = String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n");
    for number in 0..400 {
        let _ = writeln!(text, "OpEntryPoint GLCompute %main \"e{number}\"");
    }
    text += &"OpExecutionMode %main LocalSizeHint 1 2 3\n".repeat(400);
    text += "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%main = OpFunction %void None %f\n\
             %entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let module = dir.module("a.spv", &text);
    let table = dir.spv(&["info", "a.spv"]);
    assert!(table.stdout.len() < most(module.len()) + SLACK);
    let table = table.text();
    assert!(
        table.contains("LocalSizeHint 1 2 3 … "),
        "the one that is cut"
    );
    assert!(table.contains(" … 400 more\n"), "and those behind it");
    let last = table.trim_end().lines().last().unwrap();
    assert!(last.starts_with("… and more"), "{last}");
    for format in ["json", "yaml"] {
        let ran = dir.spv(&["info", "--format", format, "a.spv"]);
        assert!(ran.stdout.len() < most(module.len()) + SLACK);
        assert!(ran.text().contains("execution_modes_left_out"), "{format}");
    }
}
