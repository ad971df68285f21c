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
    assert_eq!(line("%u0 %u1 %u1 %u1"), ["debug-info.range"]);
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

#[test]
fn sources_may_count_their_own_lines() {
    let global = "%source = Debug(Source %name %counted)";
    let body = "%line = Debug(Line %source %bits %bits %u1 %u1)";
    assert_eq!(rules(global, body), [""; 0]);
    assert_eq!(rules("%source = Debug(Source %name)", body), [""; 0]);
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
