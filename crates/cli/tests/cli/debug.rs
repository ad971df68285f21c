//! `spv debug`.

use serde_json::Value;

use crate::common::Dir;

/// A function of two lines, of which the second was inlined from another.
const SHADER: &str = "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString \"src/light.comp\"
%text = OpString \"float f() {
  return 1.0; }
void main() {
  float x = f();
}
\"
%s_main = OpString \"main\"
%s_f = OpString \"f\"
%s_x = OpString \"x\"
%s_float = OpString \"float\"
OpName %main \"main\"
OpName %sum \"sum\"
OpName %twice \"twice\"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u32 = OpConstant %uint 32
%one = OpConstant %float 1
%type = OpTypeFunction %void
%d_source = OpExtInst %void %debug DebugSource %file %text
%d_unit = OpExtInst %void %debug DebugCompilationUnit %u1 %u4 %d_source %u2
%d_float = OpExtInst %void %debug DebugTypeBasic %s_float %u32 %u3 %u0
%d_void = OpExtInst %void %debug DebugTypeFunction %u0 %void
%d_returns = OpExtInst %void %debug DebugTypeFunction %u0 %d_float
%d_main = OpExtInst %void %debug DebugFunction %s_main %d_void %d_source %u3 %u1 %d_unit %s_main %u0 %u3
%d_f = OpExtInst %void %debug DebugFunction %s_f %d_returns %d_source %u1 %u1 %d_unit %s_f %u0 %u1
%d_at = OpExtInst %void %debug DebugInlinedAt %u4 %d_main
%d_x = OpExtInst %void %debug DebugLocalVariable %s_x %d_float %d_source %u4 %u3 %d_main %u0
%d_as_is = OpExtInst %void %debug DebugExpression
%main = OpFunction %void None %type
%start = OpLabel
%is = OpExtInst %void %debug DebugFunctionDefinition %d_main %main
%in_f = OpExtInst %void %debug DebugScope %d_f %d_at
%line_2 = OpExtInst %void %debug DebugLine %d_source %u2 %u2 %u3 %u4
%sum = OpFAdd %float %one %one
%in_main = OpExtInst %void %debug DebugScope %d_main
%line_4 = OpExtInst %void %debug DebugLine %d_source %u4 %u4 %u3 %u4
%x = OpExtInst %void %debug DebugValue %d_x %sum %d_as_is
%twice = OpFMul %float %sum %sum
OpReturn
OpFunctionEnd
";

fn shader() -> Dir {
    let dir = Dir::new();
    dir.write("light.spvasm", SHADER);
    dir
}

/// What a command writes, which must succeed.
fn shown(dir: &Dir, arguments: &[&str]) -> String {
    let mut all = vec!["debug"];
    all.extend(arguments);
    let ran = dir.spv(&all);
    assert_eq!((ran.code, &*ran.stderr), (0, ""), "{arguments:?}");
    ran.text().to_owned()
}

fn json(dir: &Dir, arguments: &[&str]) -> Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let value: Value = serde_json::from_str(&shown(dir, &all)).unwrap();
    assert_eq!(value["version"], 1);
    value
}

/// What a command complains of, which must fail.
fn refused(dir: &Dir, arguments: &[&str]) -> String {
    let mut all = vec!["debug"];
    all.extend(arguments);
    let ran = dir.spv(&all);
    assert_eq!((ran.code, &*ran.stdout), (1, &b""[..]), "{arguments:?}");
    ran.stderr.clone()
}

#[test]
fn dump_shows_a_tree() {
    let dir = shader();
    let text = shown(&dir, &["dump", "light.spvasm"]);
    let line = |start: &str| {
        text.lines()
            .find(|line| line.contains(start))
            .unwrap_or_else(|| panic!("{text}"))
    };
    assert!(line("compilation unit").ends_with("compilation unit src/light.comp (GLSL), DWARF 4"));
    assert!(line("function main").starts_with("  %"), "inside the unit");
    assert!(line("function main").ends_with("src/light.comp:3:1"));
    assert!(line("variable").starts_with("    %"), "inside the function");
    assert!(line("variable").contains("variable float x"));
}

#[test]
fn dump_tells_programs_everything() {
    let dir = shader();
    let dump = json(&dir, &["dump", "light.spvasm"]);
    assert_eq!(dump["sets"][0]["name"], "NonSemantic.Shader.DebugInfo.100");
    assert_eq!(dump["files"][0]["name"], "src/light.comp");
    assert_eq!(dump["files"][0]["has_text"], true);
    let entries = dump["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 16);
    let main = entries
        .iter()
        .find(|entry| entry["fields"]["Name"] == "\"main\"")
        .unwrap();
    assert_eq!(main["kind"], "DebugFunction");
    assert_eq!(main["fields"]["Line"], "3");
    assert_eq!(dump["functions"][0]["described_by"], main["id"]);
    assert_eq!(dump["lines"].as_array().unwrap().len(), 4);
}

#[test]
fn sources_are_listed_printed_and_extracted() {
    let dir = shader();
    let listed = shown(&dir, &["sources", "light.spvasm"]);
    assert_eq!(listed, "src/light.comp  61 bytes, 5 lines\n");
    let printed = shown(&dir, &["sources", "--print", "light.comp", "light.spvasm"]);
    assert!(printed.starts_with("float f() {\n  return"));
    assert!(printed.ends_with("}\n"));
    shown(&dir, &["sources", "--extract", "out", "light.spvasm"]);
    assert_eq!(dir.read_text("out/src/light.comp"), printed);
    assert_eq!(
        json(&dir, &["sources", "light.spvasm"])["files"][0]["text"],
        printed
    );
    let error = refused(&dir, &["sources", "--print", "dark.comp", "light.spvasm"]);
    assert!(error.contains("`dark.comp`"), "{error}");
}

#[test]
fn lookup_goes_from_instructions_to_the_source() {
    let dir = shader();
    let text = shown(&dir, &["lookup", "light.spvasm", "%sum"]);
    assert!(text.contains("OpFAdd"), "{text}");
    assert!(
        text.contains("  at src/light.comp:2:3\n  |   return 1.0; }\n"),
        "{text}"
    );
    assert!(text.contains("  in function f: float ()\n"), "{text}");
    assert!(
        text.contains("  inlined into function main: void (), at src/light.comp:4\n"),
        "{text}"
    );
    let found = json(&dir, &["lookup", "light.spvasm", "%sum"]);
    let found = &found["found"][0];
    assert_eq!(found["position"]["line"], 2);
    assert_eq!(found["frames"][1]["function"]["name"], "main");
    let start = format!("{:#x}", found["start"].as_u64().unwrap());
    assert_eq!(shown(&dir, &["lookup", "light.spvasm", &start]), text);
}

#[test]
fn lookup_goes_from_lines_to_instructions() {
    let dir = shader();
    let text = shown(&dir, &["lookup", "light.spvasm", "light.comp:4"]);
    assert!(text.starts_with("in main:\n"), "{text}");
    assert!(
        text.contains("OpFMul") && !text.contains("OpFAdd"),
        "{text}"
    );
    assert!(!text.contains("DebugLine"), "{text}");
    let error = refused(&dir, &["lookup", "light.spvasm", "light.comp:0"]);
    assert!(
        error.contains("the next line that has some is 2"),
        "{error}"
    );
    let vars = dir.spv(&["debug", "vars", "light.spvasm", "light.comp:3"]);
    assert!(
        vars.stderr
            .contains("line 3 has no instructions; this is line 4"),
        "{vars:?}"
    );
    let error = refused(&dir, &["lookup", "light.spvasm", "light.comp:99"]);
    assert!(
        error.contains("neither line 99 nor any after it"),
        "{error}"
    );
    let error = refused(&dir, &["lookup", "light.spvasm", "other.comp:3"]);
    assert!(
        error.contains("`other.comp`, but src/light.comp"),
        "{error}"
    );
    let error = refused(&dir, &["lookup", "light.spvasm", "%nothing"]);
    assert!(error.contains("%nothing"), "{error}");
    let error = refused(&dir, &["lookup", "light.spvasm", "nowhere"]);
    assert!(error.contains("no id `nowhere`"), "{error}");
}

#[test]
fn scopes_are_shown_by_instruction() {
    let dir = shader();
    let text = shown(&dir, &["scopes", "light.spvasm"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "main:");
    assert!(lines.iter().any(|line| line.contains("light.comp:2:3")
        && line.ends_with("function f, inlined into main at src/light.comp:4")));
    assert!(
        lines
            .iter()
            .any(|line| line.contains("light.comp:4:3") && line.ends_with("function main"))
    );
}

#[test]
fn of_very_many_inlined_calls_the_innermost_are_shown() {
    let dir = Dir::new();
    let mut calls = String::new();
    for number in 0..100 {
        let outer = match number {
            0 => "%d_main".to_owned(),
            _ => format!("%d_f %at{}", number - 1),
        };
        calls += &format!("%at{number} = OpExtInst %void %debug DebugInlinedAt %u4 {outer}\n");
    }
    let deep = SHADER
        .replace("%d_x = ", &format!("{calls}%d_x = "))
        .replace("DebugScope %d_f %d_at", "DebugScope %d_f %at99");
    dir.write("deep.spvasm", deep);
    let text = shown(&dir, &["scopes", "deep.spvasm"]);
    let line = text
        .lines()
        .find(|line| line.ends_with(", …"))
        .expect(&text);
    assert_eq!(line.matches("inlined into f").count(), 31);
    let runs = json(&dir, &["scopes", "deep.spvasm"]);
    let frames = |at: usize| runs["stretches"][at]["frames"].as_array().unwrap().len();
    assert_eq!((0..4).map(frames).max(), Some(32));
}

#[test]
fn variables_are_shown_where_they_are_visible() {
    let dir = shader();
    let text = shown(&dir, &["vars", "light.spvasm"]);
    assert!(text.contains("variable float x of main"), "{text}");
    assert!(text.contains("on: the value %"), "{text}");
    let before = shown(&dir, &["vars", "light.spvasm", "%sum"]);
    assert!(before.contains("nowhere"), "{before}");
    let after = json(&dir, &["vars", "light.spvasm", "%twice"]);
    assert_eq!(after["variables"][0]["variable"]["name"], "x");
    assert_eq!(after["variables"][0]["location"]["kind"], "value");
}

#[test]
fn a_module_without_any_says_so() {
    let dir = Dir::new();
    dir.write(
        "bare.spvasm",
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\n",
    );
    for (command, why) in [
        ("dump", "no debug information"),
        ("vars", "no variables"),
        ("scopes", "no instruction"),
        ("sources", "no source files"),
    ] {
        let reported = refused(&dir, &[command, "bare.spvasm"]);
        assert!(
            reported.contains(why) && reported.contains("lookup.not-found"),
            "{reported}"
        );
        let ran = dir.spv(&["debug", command, "--format", "json", "bare.spvasm"]);
        assert_eq!(ran.code, 1);
        let reported: Value = serde_json::from_str(&ran.stderr).unwrap();
        assert_eq!(reported["rule"], "lookup.not-found");
        let shown: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert_eq!(shown["version"], 1);
    }
    dir.write("damaged.spv", "not a module");
    let error = refused(&dir, &["dump", "damaged.spv"]);
    assert!(error.starts_with("error["), "{error}");
}

#[test]
fn remove_takes_out_what_is_asked_for_and_what_depends_on_it() {
    let dir = shader();
    let dumped = |file: &str| shown(&dir, &["dump", file]);
    dir.spv(&["as", "light.spvasm", "-o", "light.spv"]);
    let id = |what: &str| {
        let text = dumped("light.spv");
        let line = text.lines().find(|line| line.contains(what));
        let line = line.unwrap_or_else(|| panic!("{what}\n{text}")).trim();
        line.split(' ').next().unwrap().to_owned()
    };
    let variable = id("variable float x");
    // The DebugValue is nothing without its variable.
    let listed = shown(&dir, &["remove", "--list", "light.spv", &variable]);
    let kinds = listed.lines().map(|line| line.split_once(' ').unwrap().1);
    assert_eq!(
        kinds.collect::<Vec<_>>(),
        ["DebugLocalVariable", "DebugValue"]
    );
    let for_programs = json(&dir, &["remove", "--list", "light.spv", &variable]);
    assert_eq!(for_programs["removed"][0]["kind"], "DebugLocalVariable");
    let wrote = shown(&dir, &["remove", "light.spv", &variable, "-o", "out.spv"]);
    assert_eq!(wrote, "");
    let left = dumped("out.spv");
    assert!(!left.contains("variable float x"), "{left}");
    assert!(left.contains("function main"), "{left}");
    assert_eq!(dir.spv(&["val", "out.spv"]).code, 0);
}

#[test]
fn only_debugging_instructions_are_removed() {
    let dir = shader();
    for wrong in ["%main", "%4711", "%nowhere"] {
        let reported = refused(&dir, &["remove", "light.spvasm", wrong, "-o", "out.spv"]);
        assert!(reported.contains("lookup.not-found"), "{reported}");
        assert!(!dir.path("out.spv").exists());
    }
}

#[test]
fn convert_tells_what_is_lost_and_writes_the_rest() {
    let dir = shader();
    let ran = dir.spv(&[
        "debug",
        "convert",
        "--to",
        "opencl",
        "light.spvasm",
        "-o",
        "light.spv",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("warning[debug.convert-loss]"));
    assert!(ran.stderr.contains("DebugLine: Column End is lost"));
    assert!(ran.stderr.contains("(2 times)"));
    let text = shown(&dir, &["dump", "light.spv"]);
    assert!(text.contains("variable float x"), "{text}");
    let ran = dir.spv(&["dis", "light.spv"]);
    assert!(ran.text().contains("\"OpenCL.DebugInfo.100\""));
    assert!(!ran.text().contains("SPV_KHR_non_semantic_info"));
    assert!(ran.text().contains("OpLine"));

    let all = [
        "--every-loss",
        "--to",
        "opencl",
        "light.spvasm",
        "-o",
        "a.spv",
    ];
    let mut arguments = vec!["debug", "convert"];
    arguments.extend(all);
    let ran = dir.spv(&arguments);
    assert_eq!(ran.stderr.matches("Column End is lost").count(), 2);
    assert!(!ran.stderr.contains("times"));
}

#[test]
fn convert_describes_what_has_no_debug_information() {
    let dir = Dir::new();
    let plain = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %mass
OpExecutionMode %main LocalSize 1 1 1
OpName %mass \"mass\"
%void = OpTypeVoid
%float = OpTypeFloat 32
%private = OpTypePointer Private %float
%type = OpTypeFunction %void
%mass = OpVariable %private Private
%main = OpFunction %void None %type
%start = OpLabel
OpReturn
OpFunctionEnd
";
    dir.write("plain.spvasm", plain);
    for set in ["debuginfo", "opencl", "shader"] {
        let ran = dir.spv(&[
            "debug",
            "convert",
            "--to",
            set,
            "plain.spvasm",
            "-o",
            "out.spv",
        ]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{set}");
        assert!(shown(&dir, &["dump", "out.spv"]).contains("float mass"));
    }
}

#[test]
fn dwarf_writes_an_object() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    for version in ["4", "5"] {
        let out = dir.spv(&[
            "debug", "dwarf", "a.spvasm", "-o", "a.o", "--dwarf", version,
        ]);
        assert_eq!(out.text(), "");
        let object = dir.read("a.o");
        assert_eq!(object.get(..4), Some(&b"\x7fELF"[..]));
        let holds = |text: &str| {
            let text = text.as_bytes();
            object.windows(text.len()).any(|window| window == text)
        };
        assert!(holds("light.comp"));
        // The module itself, whose texts only version 5 can have in its line table.
        assert!(holds("float x = f();"));
    }
    dir.spv(&["debug", "dwarf", "a.spvasm", "-o", "a.o", "--dwarf", "3"])
        .fails(2, "'3'");
    dir.spv(&["debug", "dwarf", "a.spvasm"])
        .fails(2, "--output");
    dir.spv(&["debug", "dwarf", "a.spvasm", "-o", "missing/a.o"])
        .fails(1, "missing/a.o");
}

#[test]
fn positions_are_taken_as_they_are_shown() {
    let dir = shader();
    let lookup = |place: &str| shown(&dir, &["lookup", "light.spvasm", place]);
    // As `dump`, `scopes` and `lookup` show them.
    assert_eq!(lookup("src/light.comp:2:3"), lookup("light.comp:2"));
    assert!(lookup("src/light.comp:3:1").starts_with("declared: %"));
    assert!(lookup("src/light.comp:3:1").contains("function main"));
    assert_eq!(lookup("2"), lookup("light.comp:2"));
    let scopes = shown(&dir, &["scopes", "light.spvasm"]);
    let run = scopes.lines().find(|line| line.contains(":2:3")).unwrap();
    let run = run.split_whitespace().next().unwrap();
    assert!(lookup(run).contains("OpFAdd"), "{run}");
    let start = run.split_once("..").unwrap().0;
    let byte = usize::from_str_radix(&start[2..], 16).unwrap();
    // As errors show them, and the JSON of `val`.
    assert_eq!(
        lookup(&format!("byte {byte} (word {})", byte / 4)),
        lookup(start)
    );
    assert_eq!(lookup(&format!("word {}", byte / 4)), lookup(start));
    let text = dir.spv(&["dis", "--offsets", "light.spvasm"]);
    assert_ne!(text.code, 0);
    dir.spv(&["as", "light.spvasm", "-o", "light.spv"]);
    let text = dir.spv(&["dis", "--offsets", "light.spv"]);
    let line = text
        .text()
        .lines()
        .find(|line| line.contains("OpFMul"))
        .unwrap();
    let offset = line.rsplit_once("; ").unwrap().1;
    assert!(lookup(offset).contains("OpFMul"), "{line}");
    // All of them say where variables are asked for, too.
    for place in ["light.comp:4:3", "4", offset, "word 999"] {
        let ran = dir.spv(&["debug", "vars", "light.spv", place]);
        assert_eq!(ran.code, i32::from(place == "word 999"), "{place}: {ran:?}");
    }
    // A line without instructions may be an id.
    let id = text
        .text()
        .lines()
        .find(|line| line.contains("OpTypeVoid"))
        .unwrap();
    assert!(id.contains("%void"));
    let ran = dir.spv(&["debug", "lookup", "light.spv", "9"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("neither line 9 nor any after it"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("this is `%9`"), "{ran:?}");
}

#[test]
fn a_line_of_several_files_needs_its_file() {
    let dir = Dir::new();
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
%a = OpString \"a.glsl\"
%b = OpString \"b.glsl\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%start = OpLabel
OpLine %a 7 0
%x = OpUndef %void
OpLine %b 7 0
%y = OpUndef %void
OpLine %b 8 0
%z = OpUndef %void
OpReturn
OpFunctionEnd
";
    dir.write("two.spvasm", text);
    assert!(shown(&dir, &["lookup", "two.spvasm", "8"]).contains("OpReturn"));
    let ran = dir.spv(&["debug", "lookup", "two.spvasm", "7"]);
    assert!(
        ran.stderr.contains("no file is given for line 7"),
        "{ran:?}"
    );
}

#[test]
fn an_object_can_go_to_standard_output() {
    let dir = shader();
    let ran = dir.spv(&["debug", "dwarf", "light.spvasm", "-o", "-"]);
    assert_eq!(ran.bytes().get(..4), Some(&b"\x7fELF"[..]));
    let json = [
        "debug",
        "dwarf",
        "--format",
        "json",
        "light.spvasm",
        "-o",
        "-",
    ];
    assert_eq!(dir.spv(&json).bytes(), ran.bytes());
    assert!(!dir.path("-").exists());
}
