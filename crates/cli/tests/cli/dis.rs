//! `spv dis`.

use crate::common::{Dir, TEXT, long_text};

const SHADER: &str = "\
; SPIR-V
; Version: 1.5
; Generator: Khronos Glslang Reference Front End; 11
; Bound: 20
; Schema: 0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpName %main \"main\"
OpDecorate %value RelaxedPrecision
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 1
%true = OpConstantTrue %bool
%one = OpConstant %int 1
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%start = OpLabel
%value = OpIAdd %int %one %one
OpSelectionMerge %end None
OpBranchConditional %true %then %end
%end = OpLabel
OpReturn
%then = OpLabel
OpBranch %end
OpFunctionEnd
";

/// A header, and an instruction of the unknown opcode 0x4550.
fn unknown_opcode(dir: &Dir) -> Vec<u8> {
    let mut module = dir.module("unknown.spv", "%1 = OpTypeVoid\n");
    module.extend(0x0002_4550_u32.to_le_bytes());
    module.extend(7_u32.to_le_bytes());
    dir.write("unknown.spv", &module);
    module
}

#[test]
fn prints_the_text_with_header_and_names() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let expected = "\
; SPIR-V
; Version: 1.3
; Generator: Khronos Glslang Reference Front End; 11
; Bound: 40
; Schema: 0
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpName %nothing \"nothing\"
    %nothing = OpTypeVoid
";
    assert_eq!(dir.spv(&["dis", "a.spv"]).text(), expected);
    assert_eq!(dir.spv_with_input(&["dis"], &module).text(), expected);
    assert_eq!(dir.spv_with_input(&["dis", "-"], &module).text(), expected);
    assert_eq!(dir.spv(&["dis", "a.spv", "-o", "-"]).text(), expected);
    assert_eq!(dir.spv(&["dis", "a.spv", "-o", "a.txt"]).text(), "");
    assert_eq!(dir.read_text("a.txt"), expected);
}

#[test]
fn each_option_changes_the_text_as_documented() {
    let dir = Dir::new();
    dir.module("a.spv", SHADER);
    let dis = |option: &str| dir.spv(&["dis", option, "a.spv"]).text().to_owned();
    let plain = dir.spv(&["dis", "a.spv"]).text().to_owned();
    assert!(plain.contains("       %main = OpFunction"), "{plain}");

    assert!(
        dis("--raw-id").contains("%1 = OpFunction"),
        "{}",
        dis("--raw-id")
    );
    assert!(!dis("--no-header").contains("; SPIR-V"));
    assert!(dis("--no-indent").contains("\n%main = OpFunction"));
    assert!(
        dis("--offsets").contains("; 0x00000014"),
        "{}",
        dis("--offsets")
    );
    assert!(dis("--comment").contains("; Types, variables and constants"));
    let then = "%then = OpLabel";
    let place = |text: &str, name| {
        text.find(name)
            .unwrap_or_else(|| panic!("no {name}: {text}"))
    };
    let raw = |option: &str| {
        dir.spv(&["dis", "--raw-id", option, "a.spv"])
            .text()
            .to_owned()
    };
    assert!(!plain.contains(then), "ids without names lose them");
    let (plain, reordered) = (raw("--no-header"), raw("--reorder-blocks"));
    assert!(place(&plain, "OpReturn") < place(&plain, "OpBranch %"));
    assert!(place(&reordered, "OpBranch %") < place(&reordered, "OpReturn"));
    let nested = raw("--nested-indent");
    assert!(nested.contains("\n\n"), "blocks stand apart: {nested}");
}

#[test]
fn annotations_and_source_leave_the_module_as_it_is() {
    let dir = Dir::new();
    let module = dir.module("a.spv", SHADER);
    for option in ["--annotate", "--source"] {
        let text = dir.spv(&["dis", "--raw-id", option, "a.spv"]);
        assert_eq!(dir.module("b.spv", text.text()), module, "{option}");
    }
}

#[test]
fn the_later_color_option_counts() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    let colored = |options: &[&str]| {
        let arguments = [&["dis", "a.spv"], options].concat();
        dir.spv(&arguments).text().contains("\x1b[")
    };
    assert!(!colored(&[]));
    assert!(colored(&["--color"]));
    assert!(!colored(&["--no-color"]));
    assert!(colored(&["--no-color", "--color"]));
    assert!(!colored(&["--color", "--no-color"]));
    assert!(colored(&["--no-color", "--color", "--color"]));
    assert!(colored(&["--color=always"]));
    assert!(!colored(&["--color=never"]));
    assert!(!colored(&["--color", "--color=auto"]));
    assert!(colored(&["--color", "always"]));
    assert!(!colored(&["--color", "never"]));
    // Without a value, files may follow it.
    assert!(
        dir.spv(&["dis", "--color", "a.spv"])
            .text()
            .contains("\x1b[")
    );
}

#[test]
fn what_is_unknown_fails_with_a_hint_unless_handled() {
    let dir = Dir::new();
    let module = unknown_opcode(&dir);
    let ran = dir.spv(&["dis", "unknown.spv", "-o", "out.spvasm"]);
    ran.fails(1, "unknown.spv: byte 28 (word 7)");
    ran.fails(1, "--lenient");
    assert_eq!(ran.stderr.matches("--lenient").count(), 1);
    assert_eq!(dir.files(), ["unknown.spv"]);

    let handled = dir.spv(&["dis", "--handle-unknown-opcodes", "unknown.spv"]);
    assert!(
        handled.text().contains("OpUnknown(17744, 2)"),
        "{}",
        handled.text()
    );

    let lenient = dir.spv(&["dis", "--lenient", "--raw-id", "unknown.spv"]);
    assert_eq!(dir.module("again.spv", lenient.text()), module);
}

#[test]
fn max_errors_stops_after_as_many() {
    let dir = Dir::new();
    let mut module = unknown_opcode(&dir);
    let unknown = module[module.len() - 8..].to_vec();
    module.extend(unknown.repeat(1999));
    let count = |arguments: &[&str]| {
        let ran = dir.spv_with_input(arguments, &module);
        ran.fails(1, "--lenient");
        ran.stderr.matches("error[binary.unknown-opcode]").count()
    };
    assert_eq!(count(&["dis"]), 1000);
    assert_eq!(count(&["dis", "--max-errors", "3"]), 3);
    assert_eq!(count(&["dis", "--max-errors=0"]), 2000);
}

#[test]
fn options_may_be_repeated() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    let expected = dir.spv(&["dis", "--raw-id", "a.spv"]);
    let ran = dir.spv(&["dis", "--raw-id", "a.spv", "--raw-id", "-o", "x", "-o", "-"]);
    assert_eq!(ran.text(), expected.text());
}

#[test]
fn no_hint_where_lenience_does_not_help() {
    let dir = Dir::new();
    let ran = dir.spv_with_input(&["dis"], b"\0\x01\x02\x03\x04\x05\x06\x07");
    ran.fails(1, "<stdin>");
    assert!(!ran.stderr.contains("--lenient"));
    let header = "07230203 01010101 00000000 00000001 00000000";
    let ran = dir.spv_with_input(&["dis"], header.as_bytes());
    ran.fails(1, "<stdin>");
    assert!(!ran.stderr.contains("--lenient"), "{}", ran.stderr);
    let ran = dir.spv_with_input(&["dis"], TEXT.as_bytes());
    ran.fails(1, "`spv as`");
    let ran = dir.spv_with_input(&["dis"], b"");
    ran.fails(1, "<stdin>");
    assert!(!ran.stderr.contains("help"), "{}", ran.stderr);
}

#[test]
fn warnings_do_not_fail() {
    let dir = Dir::new();
    // The string of OpName ends in padding that is not zero.
    let mut module = dir.module("a.spv", "OpName %1 \"ab\"\n%1 = OpTypeVoid\n");
    assert_eq!(&module[28..32], b"ab\0\0");
    module[31] = 1;
    let ran = dir.spv_with_input(&["dis"], &module);
    assert!(ran.text().contains("OpName %ab \"ab\""), "{}", ran.text());
    assert!(ran.stderr.contains("warning["), "{}", ran.stderr);
    let ran = dir.spv_with_input(&["dis", "--format=json"], &module);
    let object: serde_json::Value = serde_json::from_str(ran.stderr.trim_end()).unwrap();
    assert_eq!((ran.code, &object["severity"]), (0, &"warning".into()));
}

#[test]
fn json_errors_have_the_word() {
    let dir = Dir::new();
    unknown_opcode(&dir);
    let ran = dir.spv(&["dis", "unknown.spv", "--format", "json"]);
    ran.fails(1, "");
    let object: serde_json::Value = serde_json::from_str(ran.stderr.trim_end()).unwrap();
    assert_eq!(
        (&object["word_offset"], &object["file"]),
        (&7.into(), &"unknown.spv".into())
    );
    assert!(object["help"].as_str().unwrap().contains("--lenient"));
}

#[test]
fn big_endian_modules_are_read() {
    let dir = Dir::new();
    let little = dir.module("a.spv", TEXT);
    let big: Vec<u8> = little
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    let expected = dir.spv_with_input(&["dis"], &little);
    assert_eq!(dir.spv_with_input(&["dis"], &big).text(), expected.text());
}

#[test]
fn several_inputs_are_printed_one_after_the_other() {
    let dir = Dir::new();
    let mut expected = String::new();
    let mut arguments = vec!["dis", "--no-header"];
    let names: Vec<String> = (0..30)
        .map(|number| format!("{}.spv", 99 - number))
        .collect();
    for (number, name) in names.iter().enumerate() {
        // The first take longest, so that the last are ready before them.
        dir.module(name, &long_text(600 - 20 * number));
        expected += &format!("; {name}\n");
        expected += dir.spv(&["dis", "--no-header", name]).text();
        arguments.push(name);
    }
    assert_eq!(dir.spv(&arguments).text(), expected);
    arguments.extend(["--jobs", "7", "-o", "-"]);
    assert_eq!(dir.spv(&arguments).text(), expected);
}
