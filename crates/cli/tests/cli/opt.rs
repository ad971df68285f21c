//! `spv opt`.

use crate::common::{Dir, FAULTY};

/// A shader with a value that nothing needs, a variable with a binding, one of the interface,
/// and a specialization constant, none of which is used.
const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %input
OpExecutionMode %main OriginUpperLeft
OpName %main \"main\"
OpName %twice \"twice\"
OpDecorate %input Location 0
OpDecorate %bound DescriptorSet 0
OpDecorate %bound Binding 3
OpDecorate %special SpecId 7
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%float = OpTypeFloat 32
%block = OpTypeStruct %float
%to_input = OpTypePointer Input %float
%to_block = OpTypePointer Uniform %block
%one = OpConstant %float 1
%special = OpSpecConstant %float 2
%input = OpVariable %to_input Input
%bound = OpVariable %to_block Uniform
%main = OpFunction %void None %type
%entry = OpLabel
%twice = OpFAdd %float %one %one
OpReturn
OpFunctionEnd
";

fn optimized(dir: &Dir, options: &[&str]) -> String {
    let mut arguments = vec!["opt", "shader.spvasm", "-o", "out.spv"];
    arguments.extend(options);
    let ran = dir.spv(&arguments);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{options:?}");
    dir.spv(&["dis", "out.spv"]).text().to_owned()
}

#[test]
fn what_nothing_needs_goes_and_what_is_to_stay_stays() {
    let dir = Dir::new();
    dir.write("shader.spvasm", SHADER);
    let pieces = ["OpFAdd", "%twice", "Binding 3", "Location 0", "SpecId 7"];
    let cases: [(&[&str], &[&str]); 9] = [
        (&[], &[]),
        (&["-O"], &[]),
        (&["-s"], &[]),
        (&["-Os"], &[]),
        (&["-O", "-Os", "--validate"], &[]),
        (&["--preserve-bindings"], &["Binding 3"]),
        (&["--preserve-interface"], &["Location 0"]),
        (&["--preserve-spec-constants"], &["SpecId 7"]),
        (
            &[
                "--preserve-bindings",
                "--preserve-interface",
                "--preserve-spec-constants",
            ],
            &["Binding 3", "Location 0", "SpecId 7"],
        ),
    ];
    for (options, expected) in cases {
        let text = optimized(&dir, options);
        let left = pieces.iter().filter(|&&piece| text.contains(piece));
        let left: Vec<&str> = left.copied().collect();
        assert_eq!(left, expected, "{options:?}\n{text}");
        assert!(text.contains("%main = OpFunction"), "{options:?}\n{text}");
    }
    dir.spv(&["opt", "-O2", "shader.spvasm"]).fails(2, "-2");
}

#[test]
fn files_and_folders_become_a_folder() {
    let dir = Dir::new();
    let module = dir.module("a.spv", SHADER);
    dir.write("in/a.spv", &module);
    dir.write("in/sub/b.spvasm", SHADER);
    let ran = dir.spv(&["opt", "in", "-o", "out", "--jobs", "2"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let one = dir.read("out/a.spv");
    assert!(one.len() < module.len());
    assert_eq!(dir.read("out/sub/b.spv"), one);
    let piped = dir.spv_with_input(&["opt", "-"], SHADER.as_bytes());
    assert_eq!(piped.bytes(), one);
    let again = dir.spv(&["opt", "out/a.spv"]);
    assert_eq!(again.bytes(), one);
    // In the byte order that was there.
    dir.spv(&["as", "--big-endian", "in/sub/b.spvasm", "-o", "big.spv"]);
    let big = dir.spv(&["opt", "big.spv"]);
    assert_eq!(big.bytes()[..4], [0x07, 0x23, 0x02, 0x03]);
    assert_eq!(big.bytes().len(), one.len());
}

#[test]
fn nothing_is_written_of_a_faulty_input() {
    let dir = Dir::new();
    dir.write("in/faulty.spvasm", FAULTY);
    let mut module = dir.module("good.spv", SHADER);
    dir.write("in/good.spv", &module);
    // Within the last addition.
    module.truncate(module.len() - 12);
    dir.write("in/cut.spv", &module);
    let ran = dir.spv(&["opt", "in", "-o", "out", "--report"]);
    ran.fails(1, "2 of 3 inputs failed");
    for error in ["error[text.unknown-enumerant]", "error[binary.truncated]"] {
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
    }
    let out = dir.files().into_iter().filter(|it| it.starts_with("out"));
    assert_eq!(out.collect::<Vec<_>>(), ["out/good.spv"]);
}

#[test]
fn sizes_are_reported_of_each_part() {
    let dir = Dir::new();
    let module = dir.module("a.spv", SHADER);
    let dry = dir.spv(&["opt", "--dry-run", "a.spv"]);
    assert_eq!((dry.code, dry.stdout.len()), (0, 0));
    assert_eq!(dir.files(), ["a.spv"]);
    let report = dir.spv(&["opt", "--report", "a.spv", "-o", "b.spv"]);
    assert_eq!(report.code, 0);
    assert_eq!(report.stderr, dry.stderr);
    let (before, after) = (module.len(), dir.read("b.spv").len());
    let mut lines = report.stderr.lines();
    let percent = format!(
        "{}.{:02}",
        after * 100 / before,
        after * 10_000 / before % 100
    );
    let first = format!("a.spv: {before} → {after} bytes, {percent} %");
    assert_eq!(lines.next(), Some(&*first));
    let parts: Vec<&str> = lines.map(|line| line.split(" →").next().unwrap()).collect();
    let expected = [
        "  modes and entry points: 56",
        "  names and sources: 32",
        "  decorations: 96",
        "  types, constants, variables: 140",
        "  functions: 56",
    ];
    assert_eq!(parts, expected);

    let both = dir.spv(&["opt", "--dry-run", "a.spv", "a.spv"]);
    let all = format!("\nall: {} → {} bytes, ", 2 * before, 2 * after);
    assert!(both.stderr.contains(&all), "{}", both.stderr);

    let json = dir.spv(&["opt", "--dry-run", "--format", "json", "a.spv"]);
    let object: serde_json::Value = serde_json::from_str(json.stderr.trim()).unwrap();
    assert_eq!(object["file"], "a.spv");
    let sizes = serde_json::json!({"before": before, "after": after});
    assert_eq!(object["bytes"], sizes);
    assert_eq!(object["parts"]["annotations"]["before"], 96);
    assert_eq!(object["parts"]["annotations"]["after"], 0);
    let percent: f64 = percent.parse().unwrap();
    assert!((object["percent"].as_f64().unwrap() - percent).abs() < 1e-9);
    dir.spv(&["opt", "--dry-run", "a.spv", "-o", "c.spv"])
        .fails(2, "cannot be used");
}

#[test]
fn an_invalid_module_may_be_optimized_even_if_results_are_validated() {
    let dir = Dir::new();
    let text = SHADER.replace("OpFAdd", "OpIAdd");
    dir.write(
        "a.spvasm",
        text.replace("%twice = OpIAdd", "%kept = OpIAdd"),
    );
    let ran = dir.spv(&["opt", "--validate", "a.spvasm", "-o", "b.spv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
