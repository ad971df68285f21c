//! Removing names, lines, sources and debug information.

use crate::common::{SHADER, check, load, show};
use spirvkit_transform::{Strip, strip};

/// A module with one of everything that can be stripped.
const ALL: &str = r#"OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
OpExtension "SPV_GOOGLE_user_type"
%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
%own = OpExtInstImport "NonSemantic.Own.Set"
%std = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "a.comp"
%format = OpString "here"
%stray = OpString "stray"
OpSource GLSL 450 %file "void main() {"
OpSourceContinued "}"
OpSourceExtension "GL_EXT_debug_printf"
OpName %main "main"
OpName %source "the source"
OpMemberName %block 0 "first"
OpModuleProcessed "made by hand"
OpDecorateString %variable UserTypeGOOGLE "type"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%hundred = OpConstant %u32 100
OpLine %file 1 1
%block = OpTypeStruct %u32
%pointer = OpTypePointer PushConstant %block
%variable = OpVariable %pointer PushConstant
OpNoLine
%source = OpExtInst %void %debug DebugSource %file
%unit = OpExtInst %void %debug DebugCompilationUnit %hundred %one %source %one
%type = OpExtInst %void %debug DebugTypeFunction %zero %void
%scope = OpExtInst %void %debug DebugFunction %file %type %source %one %one %unit %file %zero %one
%remark = OpExtInst %void %own 1 %scope
%main = OpFunction %void None %fn
%entry = OpLabel
%definition = OpExtInst %void %debug DebugFunctionDefinition %scope %main
%in = OpExtInst %void %debug DebugScope %scope
%line = OpExtInst %void %debug DebugLine %source %one %one %one %one
%hello = OpExtInst %void %printf DebugPrintf %format
OpLine %file 2 1
%none = OpExtInst %void %debug DebugNoLine
%out = OpExtInst %void %debug DebugNoScope
OpReturn
OpFunctionEnd
"#;

fn stripped(options: &Strip) -> String {
    let mut module = load(ALL);
    check(&module, "vulkan1.3");
    strip(&mut module, options);
    check(&module, "vulkan1.3");
    let again = strip(&mut module, options);
    assert_eq!(again, 0, "{options:?}");
    show(&module)
}

/// Checks which of the module's lines, by something in them, each option takes out.
fn takes_out(options: &Strip, gone: &[&str]) {
    let all = [
        "OpName ",
        "OpMemberName",
        "OpLine",
        "OpNoLine",
        "DebugLine",
        "DebugNoLine",
        "DebugScope",
        "DebugNoScope",
        "OpSource GLSL",
        "OpSourceContinued",
        "OpSourceExtension",
        "OpModuleProcessed",
        "\"stray\"",
        "\"a.comp\"",
        "\"here\"",
        "DebugFunctionDefinition",
        "DebugCompilationUnit",
        "NonSemantic.Shader.DebugInfo.100",
        "NonSemantic.Own.Set",
        "OpExtInst %void %3 1",
        "OpExtInst %void %2 1",
        "\"NonSemantic.DebugPrintf\"",
        "SPV_KHR_non_semantic_info",
        "UserTypeGOOGLE",
        "GLSL.std.450",
        "OpConstant %uint 100",
    ];
    let text = stripped(options);
    for piece in all {
        let is_gone = gone.contains(&piece);
        assert_eq!(
            !text.contains(piece),
            is_gone,
            "{piece}: {options:?}\n{text}"
        );
    }
    for piece in gone {
        assert!(all.contains(piece), "{piece}");
    }
}

#[test]
fn each_option_takes_out_what_it_says() {
    let none = Strip::default();
    takes_out(&none, &[]);
    let names = none.names(true);
    // Friendly names of the ids are gone, too.
    assert!(!stripped(&names).contains("OpName") && !stripped(&names).contains("OpMemberName"));
    let lines = none.lines(true);
    let all_lines = [
        "OpLine",
        "OpNoLine",
        "DebugLine",
        "DebugNoLine",
        "DebugScope",
        "DebugNoScope",
    ];
    takes_out(&lines, &all_lines);
    let sources = none.sources(true);
    takes_out(
        &sources,
        &[
            "OpSource GLSL",
            "OpSourceContinued",
            "OpSourceExtension",
            "OpModuleProcessed",
            "\"stray\"",
        ],
    );
    let debug_info = none.debug_info(true);
    takes_out(
        &debug_info,
        &[
            "DebugLine",
            "DebugNoLine",
            "DebugScope",
            "DebugNoScope",
            "DebugFunctionDefinition",
            "DebugCompilationUnit",
            "NonSemantic.Shader.DebugInfo.100",
            // It uses debug information.
            "OpExtInst %void %3 1",
        ],
    );
    let non_semantic = none.non_semantic(true);
    takes_out(
        &non_semantic,
        &["NonSemantic.Own.Set", "OpExtInst %void %3 1"],
    );
    let output = none.output(true);
    takes_out(
        &output,
        &["OpExtInst %void %2 1", "\"NonSemantic.DebugPrintf\""],
    );
    takes_out(&none.reflection(true), &["UserTypeGOOGLE"]);
    takes_out(&none.unused(true), &["\"stray\"", "GLSL.std.450"]);
}

#[test]
fn all_takes_everything_out_but_what_shows_output() {
    let text = stripped(&Strip::DEBUG);
    for gone in [
        "Name",
        "Line",
        "OpSource",
        "DebugInfo",
        "Own.Set",
        "stray",
        "a.comp",
        "Processed",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
    for kept in [
        "DebugPrintf",
        "\"here\"",
        "SPV_KHR_non_semantic_info",
        "UserTypeGOOGLE",
        "GLSL.std",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    let everything = Strip::DEBUG.output(true).reflection(true).unused(true);
    let text = stripped(&everything);
    for gone in [
        "OpString",
        "OpExtInst",
        "NonSemantic",
        "non_semantic",
        "UserType",
        "100",
    ] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}

#[test]
fn what_semantic_instructions_use_is_not_taken_from_them() {
    // A broken module: debug information has no value.
    let text = "OpCapability Shader
%set = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%none = OpExtInst %void %set DebugInfoNone
%copy = OpUndef %none
%other = OpExtInst %void %set DebugInfoNone
";
    let mut module = load(text);
    assert_eq!(strip(&mut module, &Strip::DEBUG), 1);
    module.verify().unwrap();
    assert!(show(&module).contains("OpUndef"));
}

#[test]
fn the_set_of_opencl_is_debug_information() {
    let text = "OpCapability Shader
%set = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Logical GLSL450
%void = OpTypeVoid
%none = OpExtInst %void %set DebugInfoNone
";
    let mut module = load(text);
    assert_eq!(strip(&mut module, &Strip::default().non_semantic(true)), 0);
    assert_eq!(strip(&mut module, &Strip::default().debug_info(true)), 2);
}

#[test]
fn a_hundred_thousand_of_anything_take_no_time() {
    use std::fmt::Write as _;
    let mut text = String::from(
        "OpCapability Shader
%set = OpExtInstImport \"NonSemantic.Own\"
OpMemoryModel Logical GLSL450
%s = OpString \"s\"
",
    );
    for index in 0..100_000 {
        writeln!(text, "OpName %r{index} \"x\"").unwrap();
    }
    text += "%void = OpTypeVoid\n%r0 = OpExtInst %void %set 1\n";
    for index in 1..100_000 {
        let before = index - 1;
        writeln!(
            text,
            "OpLine %s 1 1\n%r{index} = OpExtInst %void %set 1 %r{before} %r0"
        )
        .unwrap();
    }
    let mut module = load(&text);
    let start = std::time::Instant::now();
    strip(&mut module, &Strip::DEBUG);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    assert_eq!(show(&module), format!("{SHADER}%void = OpTypeVoid\n"));
}

#[test]
fn any_options_keep_a_valid_module_valid() {
    for bits in 0_u32..256 {
        let has = |bit: u32| bits & (1 << bit) != 0;
        stripped(
            &Strip::default()
                .names(has(0))
                .lines(has(1))
                .sources(has(2))
                .debug_info(has(3))
                .non_semantic(has(4))
                .output(has(5))
                .reflection(has(6))
                .unused(has(7)),
        );
    }
}
