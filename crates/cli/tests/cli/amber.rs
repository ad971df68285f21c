//! `spv amber`.

use serde_json::{Value, json};

#[cfg(unix)]
use crate::common::write_program;
use crate::common::{Dir, Ran};

/// A script whose shader writes the size of subgroups, followed by what it expects.
fn script(expected: &str) -> String {
    format!("{}EXPECT size IDX 0 EQ {expected}\n", script_without())
}

fn script_without() -> String {
    "#!amber
SHADER compute shader SPIRV-ASM
OpCapability Shader
OpCapability GroupNonUniform
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %lanes
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %lanes BuiltIn SubgroupSize
OpDecorate %size DescriptorSet 0
OpDecorate %size Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%block = OpTypeStruct %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_u32 = OpTypePointer StorageBuffer %u32
%ptr_input = OpTypePointer Input %u32
%zero = OpConstant %u32 0
%lanes = OpVariable %ptr_input Input
%size = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%value = OpLoad %u32 %lanes
%at = OpAccessChain %ptr_u32 %size %zero
OpStore %at %value
OpReturn
OpFunctionEnd
END
BUFFER size DATA_TYPE uint32 DATA 0 END
PIPELINE compute pipeline
  ATTACH shader
  BIND BUFFER size AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN pipeline 1 1 1
"
    .to_owned()
}

const DRAWING: &str = "[vertex shader passthrough]\n[test]\ndraw rect -1 -1 2 2\n";

/// Scripts of all kinds, in folders.
fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("in/a.amber", script("32"));
    dir.write("in/b/wrong.AMBER", script("33"));
    dir.write("in/b/draws.vkscript", DRAWING);
    dir.write("in/c.amber", script_without());
    dir.write("in/broken.amber", "#!amber\nRUN p 1 1 1\n");
    dir.write("in/none.txt", "");
    dir
}

/// Standard output.
fn shown(ran: &Ran) -> &str {
    std::str::from_utf8(&ran.stdout).unwrap()
}

/// What is printed for programs, by file.
fn results(ran: &Ran) -> Vec<Value> {
    let lines = shown(ran).lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn last_line(ran: &Ran) -> &str {
    shown(ran).lines().last().unwrap_or_default()
}

/// That a run fails, and why.
#[track_caller]
fn fails(ran: &Ran, mention: &str) {
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr.contains(mention),
        "no `{mention}` in: {}",
        ran.stderr
    );
}

#[test]
fn folders_are_searched_and_results_summed_up() {
    let ran = dir().spv(&["amber", "in"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        shown(&ran),
        "skipped 1: graphics pipelines can't be run yet\n\
         passed 1 without an expectation: they only came to their end\n\
         2 passed, 2 failed, 1 skipped\n"
    );
    let message =
        "`size` is not as expected: at byte 0: expected 33, found 32; 1 of 1 values differ";
    assert!(
        ran.stderr
            .contains(&format!("error[amber.expectation]: {message}"))
    );
    assert!(ran.stderr.contains("wrong.AMBER:37:1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("broken.amber:2:5"), "{}", ran.stderr);
    let ran = dir().spv(&["amber", "in/a.amber", "in/b/draws.vkscript"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "1 passed, 0 failed, 1 skipped")
    );
}

#[test]
fn programs_get_a_line_for_each_script_in_order() {
    let ran = dir().spv(&["amber", "--format", "json", "-j", "2", "in"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stderr, "");
    let expected = [
        ("in/a.amber", "passed", Value::Null),
        (
            "in/b/draws.vkscript",
            "skipped",
            json!("graphics pipelines can't be run yet"),
        ),
        (
            "in/b/wrong.AMBER",
            "failed",
            json!(
                "37:1: `size` is not as expected: at byte 0: expected 33, found 32; 1 of 1 values differ"
            ),
        ),
        (
            "in/broken.amber",
            "failed",
            json!("2:5: there is no pipeline `p` here"),
        ),
        ("in/c.amber", "passed", json!("it has no expectations")),
    ];
    let results = results(&ran);
    assert_eq!(results.len(), expected.len());
    for (result, (file, verdict, reason)) in results.iter().zip(expected) {
        let found = result["file"].as_str().unwrap().replace('\\', "/");
        assert_eq!(found, file);
        assert_eq!(result["result"], verdict, "{file}");
        assert_eq!(result["reason"], reason, "{file}");
        assert!(result["seconds"].as_f64().unwrap() > 0.0, "{file}");
        assert_eq!(result.as_object().unwrap().len(), 4, "{file}");
    }
}

#[test]
fn subgroups_and_filters_are_chosen() {
    let dir = dir();
    dir.write("in/eight.amber", script("8"));
    let ran = dir.spv(&["amber", "--subgroup-size", "8", "--filter", "eight", "in"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "1 passed, 0 failed, 0 skipped")
    );
    let ran = dir.spv(&["amber", "--filter", "eight", "--filter", "a.am", "in"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (1, "1 passed, 1 failed, 0 skipped")
    );
    dir.spv(&["amber", "--subgroup-size", "7", "in"])
        .fails(2, "7");
}

#[test]
fn limits_end_runs() {
    let dir = dir();
    let ran = dir.spv(&["amber", "--max-steps", "2", "in/a.amber"]);
    fails(&ran, "error[amber.limit]");
    let ran = dir.spv(&["amber", "--max-memory", "3", "in/a.amber"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "0 passed, 0 failed, 1 skipped")
    );
}

#[test]
fn expectations_are_negated() {
    let dir = dir();
    let ran = dir.spv(&["amber", "--negate", "in/a.amber"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "1 passed, 0 failed, 0 skipped")
    );
    dir.write(
        "always.amber",
        script("32").replace("EQ 32", "TOLERANCE 100% EQ 32"),
    );
    let ran = dir.spv(&["amber", "--negate", "always.amber"]);
    fails(&ran, "error[amber.negated]");
}

#[test]
fn findings_are_shown_on_demand() {
    let dir = dir();
    let empty = script_without().replace("DATA 0 END", "SIZE 0");
    dir.write("empty.amber", empty);
    let ran = dir.spv(&["amber", "--findings", "empty.amber"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("warning[run.bounds]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("empty.amber:27:1"), "{}", ran.stderr);
    let ran = dir.spv(&["amber", "empty.amber"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let count = "1 finding in 1 script: `--findings` shows what\n";
    assert!(shown(&ran).contains(count), "{ran:?}");
}

#[test]
fn build_servers_get_xml() {
    let dir = dir();
    let ran = dir.spv(&["amber", "--junit", "out.xml", "in"]);
    assert_eq!(ran.code, 1);
    let xml = dir.read_text("out.xml");
    assert!(
        xml.contains("tests=\"5\" failures=\"2\" skipped=\"1\""),
        "{xml}"
    );
    assert!(
        xml.contains("<failure message=\"37:1: `size` is not as expected"),
        "{xml}"
    );
    fails(
        &dir.spv(&["amber", "--junit", "no/folder.xml", "in/a.amber"]),
        "io.write",
    );
}

#[test]
fn a_missing_script_is_a_failure() {
    let dir = dir();
    let ran = dir.spv(&["amber", "missing.amber"]);
    fails(&ran, "error[io.read]");
    assert_eq!(last_line(&ran), "0 passed, 1 failed, 0 skipped");
    dir.write("empty/none.txt", "");
    fails(&dir.spv(&["amber", "empty"]), ".amber or .vkscript");
    let ran = dir.spv_with_input(&["amber", "-"], script("32").as_bytes());
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "1 passed, 0 failed, 0 skipped")
    );
}

#[test]
fn without_a_compiler_scripts_are_skipped() {
    let dir = dir();
    write_script(&dir, "glsl.amber", "GLSL", "void main() {}");
    let ran = dir.spv(&["amber", "--glsl-compiler", "no/such", "glsl.amber"]);
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "0 passed, 0 failed, 1 skipped")
    );
    assert!(
        shown(&ran).contains("there is no program `no/such`"),
        "{ran:?}"
    );
}

/// Writes a script with a shader in another language, and the module that its compiler should
/// make of it, `module.spv`.
fn write_script(dir: &Dir, name: &str, language: &str, shader: &str) {
    let start = script("32");
    let (before, rest) = start.split_once("SPIRV-ASM\n").unwrap();
    let (module, after) = rest.split_once("END\n").unwrap();
    dir.module("module.spv", module);
    dir.write(name, format!("{before}{language}\n{shader}\nEND\n{after}"));
}

/// Writes a program that acts as a compiler: a shell script that finds its input in `$last` and
/// its output in `$out`.
#[cfg(unix)]
fn write_compiler(dir: &Dir, name: &str, does: &str) {
    let program = format!(
        "#!/bin/sh\n\
         for last; do if [ \"$out\" = next ]; then out=$last; fi\n\
         if [ \"$last\" = -o ]; then out=next; fi; done\n\
         {does}\n"
    );
    write_program(&dir.path(name), program.as_bytes());
}

#[cfg(unix)]
#[test]
fn compilers_are_started_once_for_each_shader() {
    let dir = dir();
    write_script(&dir, "glsl.amber", "GLSL", "void main() {}");
    write_script(&dir, "bad.amber", "GLSL", "bad");
    let does = "echo \"$@\" >> started\n\
        if grep -q bad \"$last\"; then echo 'ERROR: 1:1: bad'; exit 1; fi\n\
        cp module.spv \"$out\"";
    write_compiler(&dir, "compiler", does);
    let run = |more: &[&str], script: &str| {
        let options = ["amber", "--glsl-compiler", "./compiler"];
        dir.spv(&[&options, more, &[script]].concat())
    };
    let started = || dir.read_text("started").lines().count();
    for _ in 0..2 {
        let ran = run(&["--cache", "kept"], "glsl.amber");
        assert_eq!(
            (ran.code, last_line(&ran)),
            (0, "1 passed, 0 failed, 0 skipped"),
            "{ran:?}"
        );
        assert_eq!(started(), 1);
    }
    let ran = run(&["--no-cache"], "glsl.amber");
    assert_eq!((ran.code, started()), (0, 2));
    assert!(
        dir.read_text("started")
            .contains("--target-env vulkan1.0 -S comp -V")
    );
    // A damaged entry is made anew.
    let kept = dir
        .files()
        .into_iter()
        .find(|file| file.starts_with("kept/"))
        .unwrap();
    dir.write(&kept, "damaged");
    assert_eq!(run(&["--cache", "kept"], "glsl.amber").code, 0);
    assert_eq!(started(), 3);
    // What the first target's error is, is told.
    let ran = run(&["--no-cache"], "bad.amber");
    fails(&ran, "is refused by its compiler: ERROR: 1:1: bad");
    assert_eq!(started(), 7);
    assert!(
        dir.read_text("started")
            .lines()
            .last()
            .unwrap()
            .contains("vulkan1.3")
    );
}

/// Programs that act as Clang and the translator behind it: the one keeps the text, the other
/// writes a module.
#[cfg(unix)]
#[test]
fn kernels_take_two_programs() {
    let dir = dir();
    write_script(&dir, "kernel.amber", "OPENCL-C", "kernel void main() {}");
    let run = || {
        dir.spv(&[
            "amber",
            "--no-cache",
            "--opencl-compiler",
            "./clang-99",
            "kernel.amber",
        ])
    };
    let ran = run();
    assert_eq!(last_line(&ran), "0 passed, 0 failed, 1 skipped");
    assert!(
        shown(&ran).contains("there is no program `./clang-99`"),
        "{ran:?}"
    );
    let keeps = "cp \"$last\" \"$out\"\necho \"$@\" >> started";
    write_compiler(&dir, "clang-99", keeps);
    let translates = "grep -q 'kernel void main' \"$last\" && cp module.spv \"$out\"";
    write_compiler(&dir, "llvm-spirv-99", translates);
    let ran = run();
    assert_eq!(
        (ran.code, last_line(&ran)),
        (0, "1 passed, 0 failed, 0 skipped"),
        "{ran:?}"
    );
    let started = dir.read_text("started");
    assert!(started.contains("--target=spirv64"), "{started}");
    assert!(started.contains("-fno-discard-value-names"), "{started}");
}
