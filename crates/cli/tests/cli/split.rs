//! `spv split` and `spv trim-capabilities`.

use crate::common::{Dir, TEXT};

const LIBRARY: &str = "OpCapability Shader
OpCapability Float64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %a \"main\"
OpEntryPoint Vertex %b \"main\"
OpEntryPoint Vertex %b \"../odd name\"
OpEntryPoint Vertex %b \".._odd_name\"
OpExecutionMode %a LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%a = OpFunction %void None %type
%x = OpLabel
OpReturn
OpFunctionEnd
%b = OpFunction %void None %type
%y = OpLabel
OpReturn
OpFunctionEnd
";

#[test]
fn entry_points_are_listed() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    let expected = "GLCompute\tmain\nVertex\tmain\nVertex\t../odd name\nVertex\t.._odd_name\n";
    assert_eq!(dir.spv(&["split", "--list", "a.spvasm"]).text(), expected);
    assert_eq!(
        dir.spv_with_input(&["split", "--list"], LIBRARY.as_bytes())
            .text(),
        expected
    );
}

#[test]
fn one_is_taken_out_by_its_name_and_model() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    let take = [
        "split",
        "a.spvasm",
        "-o",
        "out.spv",
        "--entry-point",
        "main",
    ];
    dir.spv(&take).fails(1, "split.ambiguous-name");
    for (model, other) in [("GLCompute", "Vertex"), ("Vertex", "GLCompute")] {
        let ran = dir.spv(&[&take[..], &["--model", model]].concat());
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        let text = dir.spv(&["dis", "out.spv"]).text().to_owned();
        assert!(text.contains(model) && !text.contains(other), "{text}");
        assert!(!text.contains("Float64"), "{text}");
    }
    dir.spv(&[&take[..], &["--model", "Fragment"]].concat())
        .fails(1, "GLCompute \"main\"");
    dir.spv(&[&take[..], &["--model", "Pixel"]].concat())
        .fails(2, "Fragment");
    dir.spv(&["split", "--entry-point", "other", "a.spvasm"])
        .fails(1, "a.spvasm");
}

#[test]
fn all_go_into_files_of_their_own() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    let ran = dir.spv(&["split", "--all", "out", "a.spvasm"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let files = dir.files();
    let expected = [
        "a.spvasm",
        "out/___odd_name.Vertex.2.spv",
        "out/___odd_name.Vertex.spv",
        "out/main.GLCompute.spv",
        "out/main.Vertex.spv",
    ];
    assert_eq!(files, expected);
    for file in &files[1..] {
        let ran = dir.spv(&["val", file]);
        assert_eq!(ran.code, 0, "{file}: {}", ran.stderr);
        assert_eq!(
            dir.spv(&["split", "--list", file]).text().lines().count(),
            1
        );
    }
    dir.write("none.spvasm", TEXT);
    dir.spv(&["split", "--all", "out", "none.spvasm"])
        .fails(1, "no entry points");
}

#[test]
fn what_to_do_must_be_said_and_once() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    dir.spv(&["split", "a.spvasm"]).fails(2, "--entry-point");
    dir.spv(&["split", "--list", "--all", "out", "a.spvasm"])
        .fails(2, "cannot be used with");
    dir.spv(&["split", "--list", "a.spvasm", "a.spvasm"])
        .fails(2, "one input");
    dir.spv(&["split", "--list", "--model", "Vertex", "a.spvasm"])
        .fails(2, "cannot be used with");
}

#[test]
fn capabilities_are_trimmed() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    let ran = dir.spv(&["trim-capabilities", "a.spvasm", "-o", "out.spv"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    let text = dir.spv(&["dis", "out.spv"]).text().to_owned();
    assert!(text.contains("OpCapability Shader"), "{text}");
    assert!(!text.contains("Float64"), "{text}");
}

#[test]
fn what_is_left_out_is_reported_on_request() {
    let dir = Dir::new();
    dir.write("a.spvasm", LIBRARY);
    let entry = [
        "split",
        "a.spvasm",
        "--entry-point",
        "main",
        "--model",
        "Vertex",
    ];
    let dry = dir.spv(&[&entry[..], &["--dry-run"]].concat());
    assert_eq!((dry.code, &*dry.stdout), (0, &b""[..]));
    for gone in [
        "OpCapability Float64",
        "OpEntryPoint GLCompute",
        "OpFunction ",
    ] {
        assert!(dry.stderr.contains(gone), "{}", dry.stderr);
    }
    let all = dir.spv(&["split", "a.spvasm", "--all", "out", "--dry-run"]);
    assert_eq!(all.code, 0);
    assert!(
        all.stderr.contains("main.GLCompute.spv: "),
        "{}",
        all.stderr
    );
    assert_eq!(dir.files(), ["a.spvasm"]);
    let verbose = dir.spv(&["split", "a.spvasm", "--all", "out", "-v"]);
    assert_eq!(verbose.stderr, all.stderr);
    assert_eq!(dir.files().len(), 5);
}
