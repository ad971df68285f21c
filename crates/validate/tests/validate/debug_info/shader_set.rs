use super::*;

const SOURCE: &str = "%source = Debug(Source %name %text)";

fn rules(global: &str, body: &str) -> Vec<&'static str> {
    let text = module("NonSemantic.Shader.DebugInfo.100", global, body);
    broken_rules(&text, &options())
}

fn line(place: &str) -> Vec<&'static str> {
    rules(SOURCE, &format!("%line = Debug(Line %source {place})"))
}

#[test]
fn lines_are_within_the_source() {
    assert_eq!(line("%u1 %u1 %u1 %u4"), [""; 0]);
    assert_eq!(line("%u1 %u2 %u4 %u1"), [""; 0]);
    assert_eq!(line("%u2 %u2 %u6 %u6"), [""; 0]);
    assert_eq!(line("%u1 %u1 %u5 %u5"), ["debug-info.place"]);
    assert_eq!(line("%u2 %u2 %u1 %u7"), ["debug-info.place"]);
    assert_eq!(line("%u1 %u5 %u1 %u1"), ["debug-info.place"]);
    assert_eq!(line("%u0 %u0 %u0 %u0"), [""; 0]);
    assert_eq!(line("%u0 %u1 %u0 %u0"), ["debug-info.range"]);
    assert_eq!(line("%u2 %u1 %u1 %u1"), ["debug-info.range"]);
    assert_eq!(line("%u1 %u1 %u2 %u1"), ["debug-info.range"]);
    assert_eq!(line("%f1 %u1 %u1 %u1"), ["debug-info.uint"]);
}

#[test]
fn sources_continue() {
    let global = "%source = Debug(Source %name %text)
%continued = Debug(SourceContinued %more)";
    let at = |place: &str| rules(global, &format!("%line = Debug(Line %source {place})"));
    assert_eq!(at("%u3 %u4 %u4 %u5"), [""; 0]);
    assert_eq!(at("%u3 %u5 %u1 %u1"), ["debug-info.place"]);
}

/// What is wrong with line 2 of a source with this text, and columns 7.
fn line_of(source: &str, global: &str) -> Vec<&'static str> {
    let body = "%line = Debug(Line %source %u2 %u2 %u7 %u7)";
    let text = module("NonSemantic.Shader.DebugInfo.100", global, body);
    let text = text.replace("\"#line 100\"", &format!("\"{source}\""));
    broken_rules(&text, &options())
}

#[test]
fn places_count_in_what_was_compiled() {
    let global = "%source = Debug(Source %name %counted)";
    let of = |source: &str| line_of(source, global);
    let wrong = ["debug-info.place"];
    assert_eq!(of("one line"), wrong);
    assert_eq!(of("one\nand"), wrong);
    assert_eq!(of("one\r\nand"), wrong);
    assert_eq!(of("one\n123456"), [""; 0]);
    // A tab is as wide as an editor shows it.
    assert_eq!(of("one\n\t"), [""; 0]);
    // Lines are counted from elsewhere, or text comes from elsewhere.
    assert_eq!(of("#line 100"), [""; 0]);
    assert_eq!(of("  # include <a>"), [""; 0]);
    assert_eq!(of("#define a b\n\n"), [""; 0]);
    assert_eq!(of("// #define"), wrong);
    assert_eq!(of("#pragma once"), wrong);
    // This may be three lines.
    assert_eq!(of("one\rtwo\rthree"), [""; 0]);
    // There is no text.
    assert_eq!(of(""), [""; 0]);
    assert_eq!(line_of("", "%source = Debug(Source %name)"), [""; 0]);
    // Another source brings text in.
    let two = format!("{global}\n%other_source = Debug(Source %name %more)");
    assert_eq!(line_of("one", &two), wrong);
    let two = "%source = Debug(Source %name %more)\n%other_source = Debug(Source %name %counted)";
    assert_eq!(line_of("#line 1", two), [""; 0]);
}

#[test]
fn built_in_names_have_no_place() {
    let member = |name: &str| {
        let text = module(
            "NonSemantic.Shader.DebugInfo.100",
            &format!(
                "{SOURCE}
%float = Debug(TypeBasic %name %bits %u3 %u0)
%m = Debug(TypeMember %{name} %float %source %u1 %u7 %u0 %bits %u0)"
            ),
            "",
        );
        broken_rules(&text.replace("@image", "gl_Position"), &options())
    };
    assert_eq!(member("name"), ["debug-info.place"]);
    assert_eq!(member("at_sign"), [""; 0]);
}

#[test]
fn later_versions_may_have_more() {
    let text = module(
        "NonSemantic.Shader.DebugInfo.200",
        "%source = Debug(Source %name %text %u1)
%new = OpExtInst %void %set 1000 %name",
        "",
    );
    assert_eq!(broken_rules(&text, &options()), [""; 0]);
    // Other operands than those of the last known version, too.
    let other = |version: u32| {
        let text = module(
            &format!("NonSemantic.Shader.DebugInfo.{version}"),
            "%source = Debug(Source %name %u1 %text)
%types = Debug(TypeArray %source)",
            "%line = Debug(Line %name %u0 %u1 %u0 %u1)",
        );
        broken_rules(&text, &options()).is_empty()
    };
    assert!(!other(101));
    assert!(other(102));
    assert!(other(200));
}

#[test]
fn nothing_has_a_result() {
    let global = "%new = OpExtInst %u32 %set 1000 %name";
    assert_eq!(rules(global, ""), ["debug-info.void-result"]);
    let global = "%source = OpExtInst %u32 %set DebugSource %name";
    assert_eq!(rules(global, ""), ["debug-info.void-result"]);
}

#[test]
fn matrices_of_all_kinds() {
    let global = "%float = Debug(TypeBasic %name %bits %u3 %u0)
%vector = Debug(TypeVector %float %u4)
%matrix = Debug(TypeMatrix %vector %u4 %true)
%cooperative = OpExtInst %void %set 110 %float %u3 %u4 %u4 %u0";
    let new = module("NonSemantic.Shader.DebugInfo.101", global, "");
    assert_eq!(broken_rules(&new, &options()), [""; 0]);
    assert_eq!(rules(global, ""), ["debug-info.version"]);
    let scalar = new.replace("%set 110 %float", "%set 110 %vector");
    assert_eq!(broken_rules(&scalar, &options()), ["debug-info.kind"]);
}

#[test]
fn composites_refer_forward() {
    let global = "%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit %u1 %u4 %source %u5)
%float = Debug(TypeBasic %name %bits %u3 %u0)
%composite = OpExtInstWithForwardRefsKHR %void %set DebugTypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u3 %member
%member = Debug(TypeMember %name %float %source %u1 %u1 %u0 %bits %u3)";
    assert_eq!(rules(global, ""), [""; 0]);
    let global =
        global.replace("%u3 %member\n", "%u3 %member %later\n") + "\n%later = Debug(Expression)";
    assert_eq!(rules(&global, ""), ["debug-info.kind"]);
}

#[test]
fn other_sets_are_no_kin() {
    let global = "%source = Debug(Source %name %text)
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5";
    let text = module("NonSemantic.Shader.DebugInfo.100", global, "");
    let text = text.replace(
        "OpMemoryModel",
        "%foreign = OpExtInstImport \"NonSemantic.Other\"\nOpMemoryModel",
    );
    assert_eq!(broken_rules(&text, &options()), [""; 0]);
    let foreign = text.replace(
        "%source = OpExtInst %void %set DebugSource %name %text",
        "%source = OpExtInst %void %foreign 35 %name %text",
    );
    assert_ne!(foreign, text);
    assert_eq!(broken_rules(&foreign, &options()), ["debug-info.kind"]);
}
