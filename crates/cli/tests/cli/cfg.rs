//! `spv cfg`.

use crate::common::Dir;

const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"start\"
OpName %main \"main\"
OpName %helper \"helper\"
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%x = OpLabel
OpReturn
OpFunctionEnd
%helper = OpFunction %void None %type
%y = OpLabel
OpKill
OpFunctionEnd
";

#[test]
fn the_form_is_what_the_option_says_or_the_name_of_the_output() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    let ran = dir.spv(&["cfg", "a.spvasm"]);
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert!(ran.text().starts_with("digraph \"%main\""));
    let json = dir.spv(&["cfg", "--format", "json", "a.spvasm"]);
    assert!(json.text().starts_with("{\"version\":1,"));
    dir.spv(&["cfg", "a.spvasm", "-o", "a.html"]);
    let page = dir.read_text("a.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("a.spvasm"));
    dir.spv(&["cfg", "a.spvasm", "-o", "a.json"]);
    assert_eq!(dir.read_text("a.json"), json.text());
}

#[test]
fn one_function_is_drawn_by_name_id_or_entry_point() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    for name in ["main", "%main", "start"] {
        let ran = dir.spv(&["cfg", "--function", name, "a.spvasm"]);
        assert!(ran.text().contains("OpReturn") && !ran.text().contains("OpKill"));
    }
    dir.spv(&["cfg", "--function", "mane", "a.spvasm"])
        .fails(1, "there are %main and %helper");
    dir.write("b.spvasm", SHADER);
    dir.spv(&["cfg", "."]).fails(2, "one input");
    dir.spv(&["cfg", "missing.spv"]).fails(1, "missing.spv");
}

#[test]
fn debugging_instructions_can_be_hidden() {
    let dir = Dir::new();
    let text = SHADER
        .replace(
            "%void = OpTypeVoid",
            "%file = OpString \"a.glsl\"\n%void = OpTypeVoid",
        )
        .replace("%x = OpLabel", "%x = OpLabel\nOpLine %file 7 0");
    dir.write("a.spvasm", text);
    for form in ["dot", "json"] {
        let shows = |option: &[&str]| {
            let all = [&["cfg", "--format", form, "a.spvasm"], option].concat();
            let ran = dir.spv(&all);
            assert!(ran.text().contains("OpReturn"));
            ran.text().contains("OpLine")
        };
        assert!(shows(&[]), "{form}");
        assert!(!shows(&["--hide-debug"]), "{form}");
    }
    // A page has a switch.
    let page = |option: &[&str]| {
        let all = [&["cfg", "--format", "html", "a.spvasm"], option].concat();
        dir.spv(&all).text().to_owned()
    };
    let (shown, hidden) = (page(&[]), page(&["--hide-debug"]));
    for page in [&shown, &hidden] {
        assert!(page.contains("<span class=\"line debug\"><i class=\"op\">OpLine</i>"));
        assert!(page.contains("<input id=\"debug\" type=\"checkbox\""));
        assert!(page.contains(".no-debug .debug { display: none; }"));
    }
    assert!(shown.contains("<body>") && hidden.contains("<body class=\"no-debug\">"));
}

/// A directory with nothing but a `dot` that shows what it gets, to be looked through for
/// programs.
#[cfg(unix)]
fn with_dot(dir: &Dir, script: &str) -> std::path::PathBuf {
    crate::common::write_program(&dir.path("bin/dot"), script.as_bytes());
    dir.path("bin")
}

#[cfg(unix)]
#[test]
fn images_are_drawn_by_graphviz_or_refused() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    let draw = |path: &std::path::Path, output: &str| {
        let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
        command.env("PATH", path);
        crate::common::run(command.args(["cfg", "a.spvasm", "-o", output]), b"")
    };
    let ran = draw(&dir.path("empty"), "a.svg");
    ran.fails(1, "error[cfg.no-image]");
    assert!(ran.stderr.contains("-o FILE.html"), "{}", ran.stderr);
    assert!(!dir.path("a.svg").exists());

    let path = with_dot(&dir, "#!/bin/sh\necho \"<svg>$1\"\nexec /bin/cat\n");
    for (output, option) in [("a.svg", "-Tsvg"), ("a.PNG", "-Tpng"), ("a.pdf", "-Tpdf")] {
        let ran = draw(&path, output);
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{output}");
        let drawn = dir.read_text(output);
        assert!(
            drawn.starts_with(&format!("<svg>{option}\ndigraph {{\n")),
            "{drawn}"
        );
        // All functions in one graph, with names of their own.
        assert_eq!(drawn.matches("digraph").count(), 1);
        assert!(drawn.contains("subgraph cluster_f1 {") && drawn.contains("f1b0 [label="));
    }
    let path = with_dot(&dir, "#!/bin/sh\necho 'no room' >&2\nexit 3\n");
    draw(&path, "b.svg").fails(1, "`dot` failed: no room");
    assert!(!dir.path("b.svg").exists());
}
