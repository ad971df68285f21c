//! What `spv run` tells of all that the memory model allows, of races, and of what it accepts.

use serde_json::{Value, json};

use crate::common::Dir;

/// Two workgroups: each sets its flag, and writes what it then sees of the other's.
const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 1 1 1
OpName %flags \"flags\"
OpName %seen \"seen\"
OpDecorate %id BuiltIn WorkgroupId
OpDecorate %flags DescriptorSet 0
OpDecorate %flags Binding 0
OpDecorate %seen DescriptorSet 0
OpDecorate %seen Binding 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3u32 = OpTypeVector %u32 3
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
%ptr_id = OpTypePointer Input %v3u32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%id = OpVariable %ptr_id Input
%flags = OpVariable %ptr_block StorageBuffer
%seen = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %v3u32 %id
%own = OpCompositeExtract %u32 %three 0
%other = OpISub %u32 %u1 %own
%own_at = OpAccessChain %ptr_element %flags %u0 %own
%other_at = OpAccessChain %ptr_element %flags %u0 %other
%seen_at = OpAccessChain %ptr_element %seen %u0 %own
OpAtomicStore %own_at %u1 %u0 %u1
%other_seen = OpAtomicLoad %u32 %other_at %u1 %u0
OpStore %seen_at %other_seen
OpReturn
OpFunctionEnd
";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    let racy = SHADER
        .replace("OpAtomicStore %own_at %u1 %u0 %u1", "OpStore %own_at %u1")
        .replace(
            "OpAtomicLoad %u32 %other_at %u1 %u0",
            "OpLoad %u32 %other_at",
        );
    dir.write("racy.spvasm", racy);
    dir
}

/// The arguments of a run of a file.
fn with<'a>(file: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let bound = [
        "run",
        file,
        "--bind",
        "0:0=u32:0,0",
        "--bind",
        "0:1=u32:7,7",
    ];
    [&bound[..], &["--dispatch", "2"], rest].concat()
}

#[test]
fn all_outcomes_are_shown() {
    let dir = dir();
    let ran = dir.spv(&with("a.spvasm", &["--explore", "--print", "seen[..]"]));
    let (first, rest) = ran.text().split_once('\n').unwrap();
    assert!(first.starts_with("4 outcomes of "), "{first}");
    let expected = "outcome 1\n  seen: 0 0\noutcome 2\n  seen: 0 1\n\
                    outcome 3\n  seen: 1 0\noutcome 4\n  seen: 1 1\n";
    assert_eq!(rest, expected);
    // Everything that is bound, unless something else is asked for.
    let ran = dir.spv(&with("a.spvasm", &["--explore", "--format", "json"]));
    let document: Value = serde_json::from_str(ran.text()).unwrap();
    let outcome = json!([{"name": "0:0", "value": [1, 1]}, {"name": "0:1", "value": [0, 0]}]);
    assert_eq!(document["outcomes"][0], outcome);
    assert_eq!(document["outcomes"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&document["explored"], &document["findings"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(document["incomplete"], Value::Null);
}

#[test]
fn conditions_are_reachable_or_not() {
    let dir = dir();
    let (both, never) = ("0:1[0] == 0 && 0:1[1] == 0", "0:1[0] > 1");
    let asked = [
        "--reachable",
        both,
        "--reachable",
        never,
        "--print",
        "seen[..]",
    ];
    let ran = dir.spv(&with("a.spvasm", &asked));
    let expected = format!("reachable: {both}\n  seen: 0 0\nnot reachable: {never}\n");
    assert_eq!(ran.text(), expected);
    let ran = dir.spv(&with(
        "a.spvasm",
        &[&asked[..], &["--format", "json"]].concat(),
    ));
    let document: Value = serde_json::from_str(ran.text()).unwrap();
    let witness = json!([{"name": "seen", "value": [0, 0]}]);
    let expected = json!([
        {"condition": both, "reachable": true, "witness": witness},
        {"condition": never, "reachable": false, "witness": null},
    ]);
    assert_eq!(document["conditions"], expected);
}

#[test]
fn what_is_too_large_or_unclear_is_refused() {
    let dir = dir();
    let fails = |rest: &[&str], code, message: &str| {
        dir.spv(&with("a.spvasm", rest)).fails(code, message);
    };
    let large = ["--explore", "--dispatch", "5,13"];
    fails(
        &large,
        1,
        "exploring 65 invocations, where 64 can be explored",
    );
    let ran = dir.spv(&with("a.spvasm", &["--explore", "--max-looks", "1"]));
    assert!(
        ran.code == 1 && ran.stderr.contains("run.incomplete"),
        "{}",
        ran.stderr
    );
    fails(&["--explore", "--race"], 2, "cannot be used with");
    fails(&["--max-looks", "1"], 2, "required");
    // Before anything is explored.
    let shown = |what| {
        let ran = dir.spv(&with("a.spvasm", &["--explore", "--print", what]));
        assert!(ran.stdout.is_empty(), "{ran:?}");
        ran.fails(1, what);
    };
    for what in ["nothing", "0:2", "seen.x"] {
        shown(what);
    }
    fails(
        &["--reachable", "0:0[0] = 1"],
        2,
        "a comparison is expected at `= 1`",
    );
    // What was found holds, however little was seen.
    let found = ["--reachable", "0:1[0] <= 1", "--max-looks", "200"];
    assert!(
        dir.spv(&with("a.spvasm", &found))
            .text()
            .starts_with("reachable")
    );
}

#[test]
fn races_are_accepted_at_a_line_or_an_instruction() {
    let dir = dir();
    let line = |text: &str| {
        let at = SHADER.lines().position(|line| line.starts_with(text));
        format!("racy.spvasm:{}", at.unwrap() + 1)
    };
    let store = line("OpAtomicStore");
    let (load, other) = (line("%other_seen"), line("OpStore"));
    let racy = |rest: &[&str]| {
        let ran = dir.spv(&with("racy.spvasm", rest));
        (ran.code, ran.stderr.contains("run.race"))
    };
    for mode in ["--race", "--explore"] {
        assert_eq!(racy(&[mode]), (1, true));
        assert_eq!(racy(&[mode, "--accept-race", &store]), (0, false));
        assert_eq!(racy(&[mode, "--accept-race", &load]), (0, false));
        assert_eq!(racy(&[mode, "--accept-race", "%other_seen"]), (0, false));
        assert_eq!(racy(&[mode, "--accept-race", &other]), (1, true));
    }
    let missing = ["--race", "--accept-race", "shader.comp:3"];
    dir.spv(&with("racy.spvasm", &missing))
        .fails(1, "no source file");
    let unknown = ["--race", "--accept-race", "%nothing"];
    dir.spv(&with("racy.spvasm", &unknown)).fails(1, "nothing");
    // Without a look for races there are none to accept.
    let alone = with("racy.spvasm", &["--accept-race", &store]);
    dir.spv(&alone).fails(2, "required");
}

#[test]
fn lines_of_the_source_are_meant_where_there_are_some() {
    let dir = dir();
    let source = SHADER
        .replace(
            "OpName %flags",
            "%file = OpString \"lock.comp\"\nOpName %flags",
        )
        .replace(
            "OpAtomicStore %own_at %u1 %u0 %u1",
            "OpLine %file 12 1\nOpStore %own_at %u1\nOpLine %file 13 1",
        )
        .replace(
            "OpAtomicLoad %u32 %other_at %u1 %u0",
            "OpLoad %u32 %other_at",
        );
    dir.write("lines.spvasm", source);
    let racy = |place: &str| {
        let ran = dir.spv(&with("lines.spvasm", &["--race", "--accept-race", place]));
        (ran.code, ran.stderr.contains("run.race"))
    };
    assert_eq!(racy("lock.comp:12"), (0, false));
    assert_eq!(racy("lock.comp:13"), (0, false));
    dir.spv(&with(
        "lines.spvasm",
        &["--race", "--accept-race", "lock.comp:11"],
    ))
    .fails(1, "line 11 has no instructions");
}

#[test]
fn accesses_out_of_bounds_may_be_allowed() {
    let dir = dir();
    let beyond = ["--dispatch", "3", "--print", "seen[..]"];
    let ran = dir.spv(&with("a.spvasm", &beyond));
    assert!(
        ran.code == 1 && ran.stderr.contains("run.bounds"),
        "{}",
        ran.stderr
    );
    let ran = dir.spv(&with("a.spvasm", &[&beyond[..], &["--robust"]].concat()));
    assert_eq!(ran.text(), "seen: 0 1\n");
}

/// A type without a layout can't be shown, which is said before anything is explored.
#[test]
fn what_has_no_layout_is_refused_before_the_run() {
    let dir = Dir::new();
    dir.write(
        "a.spvasm",
        SHADER.replace("OpDecorate %array ArrayStride 4\n", ""),
    );
    for mode in [&["--explore"][..], &["--max-steps", "1"], &[]] {
        let ran = dir.spv(&with("a.spvasm", &[mode, &["--print", "seen"]].concat()));
        ran.fails(1, "is not laid out as numbers");
        // Nor has anything run.
        assert!(!ran.stderr.contains("run.steps"), "{}", ran.stderr);
    }
}
