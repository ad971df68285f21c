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
