//! `spv val`, and the program under the name `spirv-val`.

mod devices;
mod levels;
mod limits;
mod pipelines;

use serde_json::Value;

use crate::common::{Dir, Ran, run};

const VALID: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
";

/// Three errors, one on line 4 and two on line 5.
const INVALID: &str = "\
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%vector = OpTypeVector %nothing 2
%other = OpTypeArray %nowhere %neither
";

/// A structure of three members.
const MEMBERS: &str = "\
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%float = OpTypeFloat 32
%three = OpTypeStruct %float %float %float
";

/// One error, with the lines of the shader it came of.
const WITH_LINES: &str = "\
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%file = OpString \"src/shader.hlsl\"
OpLine %file 12 3
%vector = OpTypeVector %nothing 2
";

/// What went to standard output, whatever the exit code.
fn output(ran: &Ran) -> &str {
    std::str::from_utf8(&ran.stdout).unwrap()
}

fn objects(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_valid_module_is_passed_in_silence() {
    let dir = Dir::new();
    dir.module("a.spv", VALID);
    dir.write("b.spvasm", VALID);
    for arguments in [&["val", "a.spv"][..], &["val", "b.spvasm"]] {
        let ran = dir.spv(arguments);
        assert_eq!((ran.code, ran.text(), &*ran.stderr), (0, "", ""));
    }
    let ran = dir.spv_with_input(&["val"], VALID.as_bytes());
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let module = dir.read("a.spv");
    let ran = dir.spv_with_input(&["val", "-"], &module);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
}

#[test]
fn errors_in_text_are_shown_in_the_text() {
    let dir = Dir::new();
    dir.write("a.spvasm", INVALID);
    let ran = dir.spv(&["val", "a.spvasm"]);
    assert_eq!((ran.code, output(&ran)), (1, ""));
    assert!(ran.stderr.contains("error[id.undefined]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--> a.spvasm:4:24\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--> a.spvasm:5:22\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`%nothing`"), "{}", ran.stderr);
}

/// A uniform block whose members lie upon each other, and one that needs other
/// rules.
const LAID_OUT: &str = "\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %four Block
OpMemberDecorate %four 0 Offset 0
OpMemberDecorate %four 1 Offset 4
OpMemberDecorate %four 2 Offset 8
OpMemberDecorate %four 3 Offset 12
OpDecorate %pair Block
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 12
OpDecorate %first DescriptorSet 0
OpDecorate %first Binding 0
OpDecorate %second DescriptorSet 0
OpDecorate %second Binding 1
%void = OpTypeVoid
%signature = OpTypeFunction %void
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%four = OpTypeStruct %vec4 %float %float %float
%pair = OpTypeStruct %float %vec3
%to_four = OpTypePointer Uniform %four
%to_pair = OpTypePointer Uniform %pair
%first = OpVariable %to_four Uniform
%second = OpVariable %to_pair Uniform
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd
";

#[test]
fn all_errors_of_a_structure_are_reported_with_advice_that_is_true() {
    let dir = Dir::new();
    dir.write("a.spvasm", LAID_OUT);
    let reported = |more: &[&str]| {
        let arguments = [
            "val",
            "--target-env",
            "vulkan1.1",
            "--format",
            "json",
            "a.spvasm",
        ];
        let ran = dir.spv(&[&arguments[..], more].concat());
        let report = objects(output(&ran)).remove(0);
        let all = report["diagnostics"].as_array().unwrap().iter();
        let rule_and_help = all.map(|each| {
            let text = |key: &str| each[key].as_str().unwrap_or_default().to_owned();
            (text("rule"), text("help"))
        });
        rule_and_help.collect::<Vec<_>>()
    };
    let overlap = ("layout.overlap".to_owned(), String::new());
    let before = reported(&[]);
    // The members of one lie upon each other by all rules.
    assert_eq!(
        before[..3],
        [overlap.clone(), overlap.clone(), overlap.clone()]
    );
    let [(rule, help)] = &before[3..] else {
        panic!("{before:?}")
    };
    assert_eq!(rule, "layout.straddle");
    assert!(
        help.contains("(`--scalar-block-layout`) permits it"),
        "{help}"
    );
    let after = reported(&["--scalar-block-layout"]);
    assert_eq!(after, [overlap.clone(), overlap.clone(), overlap]);
}

#[test]
fn errors_in_modules_quote_the_instruction_and_the_shader() {
    let dir = Dir::new();
    dir.module("a.spv", WITH_LINES);
    let ran = dir.spv(&["val", "a.spv"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("= OpTypeVector %"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("source: src/shader.hlsl:12:3\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn json_has_an_object_for_each_input_in_order() {
    let dir = Dir::new();
    dir.module("a.spv", VALID);
    dir.write("b.spvasm", INVALID);
    dir.module("c.spv", WITH_LINES);
    let ran = dir.spv(&["val", "--format=json", "b.spvasm", "a.spv", "c.spv", "none"]);
    assert_eq!((ran.code, &*ran.stderr), (1, ""));
    let objects = objects(output(&ran));
    let files: Vec<&str> = objects
        .iter()
        .map(|o| o["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["b.spvasm", "a.spv", "c.spv", "none"]);
    let valid: Vec<bool> = objects
        .iter()
        .map(|o| o["valid"].as_bool().unwrap())
        .collect();
    assert_eq!(valid, [false, true, false, false]);
    let first = &objects[0]["diagnostics"][0];
    assert_eq!(first["severity"], "error");
    assert_eq!(first["rule"], "id.undefined");
    assert_eq!(first["category"], "invalid_id");
    assert_eq!(first["vuid"], Value::Null);
    assert_eq!(first["word_offset"], 12);
    assert_eq!(first["instruction"], "%vector = OpTypeVector %nothing 2");
    assert_eq!(first["location"]["line"], 4);
    assert_eq!(first["location"]["column"], 24);
    assert_eq!(first["operand"]["word_offset"], 14);
    assert_eq!(first["operand"]["byte_start"], 23);
    assert_eq!(first["operand"]["byte_end"], 31);
    assert_eq!(first["source"], Value::Null);
    assert!(first["spec"].is_string() && first["message"].is_string());
    assert!(first["related"].is_array());
    let in_module = &objects[2]["diagnostics"][0];
    assert_eq!(in_module["location"], Value::Null);
    assert_eq!(in_module["source"]["file"], "src/shader.hlsl");
    assert_eq!(in_module["source"]["line"], 12);
    assert_eq!(in_module["source"]["column"], 3);
    assert_eq!(in_module["source"]["text"], Value::Null);
    assert_eq!(objects[3]["diagnostics"][0]["rule"], "io.read");
}

#[test]
fn sarif_is_one_log_for_all_inputs() {
    let dir = Dir::new();
    dir.write("in/a.spvasm", INVALID);
    dir.module("in/b.spv", VALID);
    dir.module("in/c d.spv", WITH_LINES);
    let ran = dir.spv(&["val", "--format", "sarif", "in"]);
    assert_eq!((ran.code, &*ran.stderr), (1, ""));
    let log: Value = serde_json::from_str(output(&ran)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == "id.undefined"));
    let results = run["results"].as_array().unwrap();
    let place = |index: usize| &results[index]["locations"][0]["physicalLocation"];
    assert_eq!(place(0)["region"]["startLine"], 4);
    let last = results.len() - 1;
    assert_eq!(place(last)["artifactLocation"]["uri"], "in/c%20d.spv");
    assert_eq!(results[last]["level"], "error");
    assert_eq!(results[last]["ruleId"], "id.undefined");
}

#[test]
fn text_that_does_not_assemble_is_reported_like_any_error() {
    let dir = Dir::new();
    let ran = dir.spv_with_input(&["val", "--format=json"], b"OpCapability Shadr\n");
    assert_eq!(ran.code, 1);
    let objects = objects(output(&ran));
    let first = &objects[0]["diagnostics"][0];
    assert_eq!(first["rule"], "text.unknown-enumerant");
    assert_eq!(first["location"]["column"], 14);
}

#[test]
fn environments_decide() {
    let dir = Dir::new();
    dir.write("a.spvasm", format!("; SPIR-V\n; Version: 1.4\n{VALID}"));
    assert_eq!(
        dir.spv(&["val", "--target-env", "vulkan1.2", "a.spvasm"])
            .code,
        0
    );
    let ran = dir.spv(&["val", "--target-env=vulkan1.1", "a.spvasm"]);
    assert_eq!(ran.code, 1);
    dir.spv(&["val", "--target-env=vulkan9.9", "a.spvasm"])
        .fails(2, "vulkan9.9");
}

#[test]
fn what_compilers_write_raises_no_alarm() {
    let dir = Dir::new();
    let compiled = concat!(env!("CARGO_MANIFEST_DIR"), "/../validate/tests/compiled");
    for name in [
        "blocks.vert.glslang12.spv",
        "plain.frag.glslang12.spv",
        "macros.frag.glslang12.spv",
        "shade.frag.hlsl.dxc-vulkan-od.spv",
    ] {
        let module = format!("{compiled}/{name}");
        let ran = dir.spv(&["val", "--target-env=vulkan1.2", "--deny-warnings", &module]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.is_empty(), "{ran:?}");
    }
}

#[test]
fn debugging_information_hides_no_error_of_the_program() {
    let dir = Dir::new();
    let set = "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel";
    let wrong: String = (0..60)
        .map(|at| format!("%w{at} = OpExtInst %void %set DebugTypePointer %void %void %void\n"))
        .collect();
    let text = VALID
        .replace("OpMemoryModel", set)
        .replace("%main = ", &format!("{wrong}%main = "))
        .replace("OpReturn\n", "OpStore %nowhere %void\nOpReturn\n");
    dir.write("a.spvasm", text);
    let rules = |most: &str| -> Vec<String> {
        let ran = dir.spv(&["val", "--format=json", "--max-errors", most, "a.spvasm"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let report = &objects(output(&ran))[0];
        let found = report["diagnostics"].as_array().unwrap().iter();
        found
            .map(|each| each["rule"].as_str().unwrap().to_owned())
            .collect()
    };
    let most = rules("50");
    assert_eq!(most.len(), 50, "{most:?}");
    assert_eq!(most[48..], ["id.undefined", "id.type-as-value"]);
    assert_eq!(rules("2"), ["id.undefined", "id.type-as-value"]);
    // Each of the others has three wrong operands.
    assert_eq!(rules("0").len(), 2 + 3 * 60);
}

#[test]
fn many_inputs_end_in_a_summary() {
    let dir = Dir::new();
    dir.write("in/.keep", "");
    dir.module("in/a.spv", VALID);
    dir.module("in/b.spv", VALID);
    let ran = dir.spv(&["val", "in"]);
    assert_eq!((ran.code, &*ran.stderr), (0, "all 2 inputs are valid\n"));
    dir.write("in/c/d.spvasm", INVALID);
    let ran = dir.spv(&["val", "in", "--jobs", "2"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.ends_with("1 of 3 inputs failed\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_classic_validator_takes_its_options() {
    let dir = Dir::new();
    assert_eq!(dir.spv(&["drop-in", "bin"]).code, 0);
    let program = dir.path(&format!("bin/spirv-val{}", std::env::consts::EXE_SUFFIX));
    let val = |arguments: &[&str], input: &[u8]| run(dir.command(&program).args(arguments), input);
    let valid = dir.module("a.spv", VALID);
    let invalid = dir.module("b.spv", INVALID);
    assert_eq!(val(&["a.spv"], b"").code, 0);
    assert_eq!(val(&["--target-env", "vulkan1.3", "-"], &valid).code, 0);
    let ran = val(&["--target-env=vulkan1.3"], &invalid);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("error[id.undefined]"), "{}", ran.stderr);
    let struct_ = dir.module("c.spv", MEMBERS);
    assert_eq!(val(&["--max-struct-members", "2"], &struct_).code, 1);
    assert_eq!(val(&["--max-struct-members=3"], &struct_).code, 0);
    assert_eq!(
        val(
            &[
                "--sampler-descriptor-layout=8:8",
                "--scalar-block-layout",
                "a.spv"
            ],
            b""
        )
        .code,
        0
    );
    assert_eq!(val(&["--max-struct-members", "x", "a.spv"], b"").code, 1);
    assert_eq!(val(&["--no-such-flag", "a.spv"], b"").code, 1);
    let help = val(&["--help"], b"");
    assert!(help.text().contains("--before-hlsl-legalization"));
    assert!(val(&["--version"], b"").text().contains("spirvkit"));
}

/// A module with the text of its shader and an error on line 2 of it.
const WITH_SOURCE: &str = "\
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%file = OpString \"src/a.comp\"
OpSource GLSL 450 %file \"void main() {
    int x = 1 + 2.0;
}\"
%void = OpTypeVoid
%signature = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%main = OpFunction %void None %signature
%entry = OpLabel
OpLine %file 2 13
%sum = OpFAdd %uint %one %one
OpReturn
OpFunctionEnd
";

#[test]
fn errors_show_the_line_of_the_shader() {
    let dir = Dir::new();
    dir.module("a.spv", WITH_SOURCE);
    let shown = "   = source: src/a.comp:2:13
   |
 2 |     int x = 1 + 2.0;
   |             ^
";
    let ran = dir.spv(&["val", "a.spv"]);
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    // As text, the module has the same line.
    let ran = dir.spv_with_input(&["val"], WITH_SOURCE.as_bytes());
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    let ran = dir.spv(&["val", "a.spv", "--format=json"]);
    let source = &objects(output(&ran))[0]["diagnostics"][0]["source"];
    assert_eq!(source["text"], "    int x = 1 + 2.0;");
    assert_eq!(
        (&source["line"], &source["column"]),
        (&2.into(), &13.into())
    );
    let ran = dir.spv(&["val", "a.spv", "--format=sarif"]);
    let log: Value = serde_json::from_str(output(&ran)).unwrap();
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/a.comp");
    assert_eq!(place["region"]["startLine"], 2);
    assert_eq!(place["region"]["startColumn"], 13);
    let related = &result["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "a.spv");
}

#[test]
fn a_missing_memory_model_and_misspelt_ids_are_reported_as_that() {
    let dir = Dir::new();
    let text = "\
OpCapability Shader
OpCapability Linkage
OpName %float \"float\"
OpName %flaot \"flaot\"
%float = OpTypeFloat 32
%vector = OpTypeVector %flaot 2
";
    dir.write("a.spvasm", text);
    dir.module("a.spv", text);
    for name in ["a.spvasm", "a.spv"] {
        let ran = dir.spv(&["val", name]);
        let missing = "error[layout.memory-model]: the module has no OpMemoryModel";
        assert!(ran.stderr.contains(missing), "{}", ran.stderr);
        assert!(
            ran.stderr
                .contains("help: add `OpMemoryModel Logical GLSL450`"),
            "{}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("help: did you mean `%float`?"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn quietly_only_the_exit_code_tells() {
    let dir = Dir::new();
    dir.write("in/a.spvasm", INVALID);
    dir.write("in/b.spvasm", VALID);
    for quiet in ["-q", "--quiet"] {
        let ran = dir.spv(&["val", quiet, "in"]);
        assert_eq!((ran.code, output(&ran), &*ran.stderr), (1, "", ""));
        let ran = dir.spv(&["val", quiet, "in/b.spvasm"]);
        assert_eq!((ran.code, output(&ran), &*ran.stderr), (0, "", ""));
    }
    dir.spv(&["val", "-q", "none"]).fails(1, "io.read");
}

#[test]
fn the_operand_at_fault_is_underlined_in_text_and_in_modules() {
    let dir = Dir::new();
    let text = INVALID.replace(
        "OpTypeVector %nothing 2",
        "OpTypeFloat 32 ; here\n%wide =   OpTypeVector %vector 9",
    );
    dir.write("a.spvasm", &text);
    dir.module("a.spv", &text);
    let ran = dir.spv(&["val", "a.spvasm"]);
    let shown = "\
  --> a.spvasm:5:32
   |
 5 | %wide =   OpTypeVector %vector 9
   |                                ^
";
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    let ran = dir.spv(&["val", "a.spv"]);
    let shown = "\
   | %v9float = OpTypeVector %float 9
   |                                ^
";
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
}

#[test]
fn messages_use_the_names_of_the_disassembler() {
    let dir = Dir::new();
    let text = "\
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpName %main \"ma in(\"
%float = OpTypeFloat 32
%one = OpConstant %float 1
%void = OpTypeVoid
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
%sum = OpFAdd %float %one %main
OpReturn
OpFunctionEnd
";
    dir.module("a.spv", text);
    let ran = dir.spv(&["val", "a.spv"]);
    assert_eq!(ran.code, 1);
    let shown = "= OpFAdd %float %float_1 %ma_in_\n";
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    assert!(ran.stderr.contains("`%ma_in_`"), "{}", ran.stderr);
    let ran = dir.spv(&["val", "a.spv", "--raw-id"]);
    let shown = "= OpFAdd %2 %3 %1\n";
    assert!(ran.stderr.contains(shown), "{}", ran.stderr);
    assert!(ran.stderr.contains("`%1` (\"ma in(\")"), "{}", ran.stderr);
    let ran = dir.spv(&["val", "a.spv", "--format=json"]);
    let object = &objects(output(&ran))[0]["diagnostics"][0];
    let instruction = object["instruction"].as_str().unwrap();
    let operand = &object["operand"];
    let byte = |key: &str| operand[key].as_u64().unwrap() as usize;
    assert_eq!(
        &instruction[byte("byte_start")..byte("byte_end")],
        "%ma_in_"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_can_not_be_written_is_an_error() {
    let dir = Dir::new();
    dir.write("a.spvasm", VALID);
    for format in ["json", "sarif"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let ran = dir
            .command(env!("CARGO_BIN_EXE_spv"))
            .args(["val", "a.spvasm", "--format", format])
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1));
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert!(stderr.contains("error[io.write]"), "{stderr}");
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let dir = Dir::new();
    let module = dir.module("a.spv", VALID);
    for (name, input, code) in [
        ("binary", &module[..], 0),
        ("text", VALID.as_bytes(), 0),
        ("cut", &module[..module.len() - 4], 1),
    ] {
        let pipe = dir.path(name);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let ran = std::thread::scope(|scope| {
            // Whoever opens it a second time waits for another writer.
            scope.spawn(|| std::fs::write(&pipe, input).unwrap());
            dir.spv(&["val", name])
        });
        assert_eq!(ran.code, code, "{name}: {}", ran.stderr);
    }
}
