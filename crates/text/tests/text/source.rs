//! The shader's source lines between the instructions.

use std::fmt::Write as _;

use spirvkit_testing::numbered_words;
use spirvkit_text::{DisassembleOptions, Indentation, disassemble};

fn flush() -> DisassembleOptions {
    DisassembleOptions::default()
        .friendly_names(false)
        .indentation(Indentation::None)
        .source(true)
}

fn text(words: &[u32], options: &DisassembleOptions) -> String {
    disassemble(words, options).unwrap().text
}

/// The text of a module from `start` on; it must assemble to the same words.
#[track_caller]
fn shown(module: &str, start: &str) -> String {
    let module = numbered_words(module);
    let shown = text(&module, &flush());
    assert!(numbered_words(&shown) == module, "{shown}");
    let at = shown
        .find(start)
        .unwrap_or_else(|| panic!("no {start} in\n{shown}"));
    shown[at..].to_owned()
}

/// The source lines that a module's text shows.
#[track_caller]
fn lines(module: &str) -> Vec<String> {
    let body = shown(module, "; Schema");
    let comments = body
        .lines()
        .skip(1)
        .map(str::trim_start)
        .filter(|line| line.starts_with(';'));
    comments.map(str::to_owned).collect()
}

const SHADER: &str = r##"%1 = OpString "path/to/shader.comp"
OpSource GLSL 450 %1 "#version 450
void main() {
    if (c)
	color = vec4(1);
}
"
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpConstantTrue %4
OpLine %1 2 0
%6 = OpFunction %2 None %3
%7 = OpLabel
OpLine %1 3 4
OpSelectionMerge %9 None
OpBranchConditional %5 %8 %9
%8 = OpLabel
OpLine %1 4 0
OpNop
OpLine %1 4 8
OpNop
OpNoLine
OpNop
OpLine %1 3 0
OpBranch %9
%9 = OpLabel
OpReturn
OpFunctionEnd
"##;

#[test]
fn lines_stand_before_what_came_of_them() {
    let expected = "; shader.comp:2: void main() {
OpLine %1 2 0
%6 = OpFunction %2 None %3
%7 = OpLabel
; shader.comp:3:     if (c)
OpLine %1 3 4
OpSelectionMerge %9 None
OpBranchConditional %5 %8 %9
%8 = OpLabel
; shader.comp:4:     color = vec4(1);
OpLine %1 4 0
OpNop
OpLine %1 4 8
OpNop
OpNoLine
OpNop
; shader.comp:3:     if (c)
OpLine %1 3 0
OpBranch %9
%9 = OpLabel
OpReturn
OpFunctionEnd
";
    assert_eq!(shown(SHADER, "; shader.comp:2"), expected);
}

#[test]
fn lines_are_indented_like_instructions() {
    let module = numbered_words(SHADER);
    let columns = text(&module, &flush().indentation(Indentation::Column));
    assert!(
        columns.contains("\n               ; shader.comp:3:     if (c)\n               OpLine")
    );
    let nested = text(&module, &flush().nested_indentation(true));
    assert!(
        nested.contains("\n  ; shader.comp:3:     if (c)\n  OpLine"),
        "{nested}"
    );
    assert!(
        nested.contains("\n      ; shader.comp:4:     color = vec4(1);\n"),
        "{nested}"
    );
    assert!(numbered_words(&nested) == module);
    let colored = text(&module, &flush().color(true));
    assert!(
        colored.contains("\n\x1b[90m; shader.comp:3:     if (c)\x1b[0m\n"),
        "{colored}"
    );
}

#[test]
fn lines_go_with_annotations_and_friendly_names() {
    let options = flush().friendly_names(true).annotate(true).lenient(true);
    let both = text(&numbered_words(SHADER), &options);
    assert!(
        both.contains("\n; shader.comp:3:     if (c)\nOpLine"),
        "{both}"
    );
    assert!(both.contains("; void()\n"), "{both}");
}

#[test]
fn reordered_blocks_keep_their_lines() {
    // The merge block stands before the block that the condition selects.
    let module = r#"%1 = OpString "a"
OpSource GLSL 450 %1 "one
two
three"
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpConstantTrue %4
%6 = OpFunction %2 None %3
%7 = OpLabel
OpLine %1 1 0
OpSelectionMerge %9 None
OpBranchConditional %5 %8 %9
%9 = OpLabel
OpLine %1 3 0
OpReturn
OpLine %1 2 0
%8 = OpLabel
OpBranch %9
OpFunctionEnd
"#;
    let reordered = text(&numbered_words(module), &flush().reorder_blocks(true));
    let start = reordered.find("%7 = OpLabel").unwrap();
    let expected = "%7 = OpLabel
; a:1: one
OpLine %1 1 0
OpSelectionMerge %9 None
OpBranchConditional %5 %8 %9
; a:2: two
%8 = OpLabel
OpBranch %9
%9 = OpLabel
; a:3: three
OpLine %1 3 0
OpReturn
; a:2: two
OpLine %1 2 0
OpFunctionEnd
";
    assert_eq!(&reordered[start..], expected);
}

#[test]
fn each_function_starts_anew() {
    let function = |id: u32| {
        let label = id + 1;
        format!(
            "%{id} = OpFunction %2 None %3\n%{label} = OpLabel\nOpLine %1 1 0\nOpReturn\nOpFunctionEnd\n"
        )
    };
    let module = format!(
        "%1 = OpString \"a\"\nOpSource GLSL 450 %1 \"one\"\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n{}{}",
        function(10),
        function(20)
    );
    assert_eq!(lines(&module), ["; a:1: one", "; a:1: one"]);
}

#[test]
fn continued_text_is_joined_and_lines_end_in_any_way() {
    let module = "%1 = OpString \"a\"
%2 = OpString \"b\"
OpSource GLSL 450 %1 \"one\r\ntwo\rthr\"
OpSourceContinued \"ee\n\"
OpSourceContinued \"\nfive\"
OpSource GLSL 450 %2 \"first\"
OpLine %1 1 0
%3 = OpTypeVoid
OpLine %1 2 0
%4 = OpTypeBool
OpLine %1 3 0
%5 = OpTypeSampler
OpLine %1 4 0
%6 = OpTypeEvent
OpLine %1 5 0
%7 = OpTypeQueue
OpLine %2 1 0
%8 = OpTypeDeviceEvent
";
    let expected = [
        "; a:1: one",
        "; a:2: two",
        "; a:3: three",
        "; a:4",
        "; a:5: five",
        "; b:1: first",
    ];
    assert_eq!(lines(module), expected);
}

#[test]
fn pieces_may_split_a_character() {
    // `é` has two bytes, of which each piece has one: words that no text has.
    let mut module = numbered_words(
        "%1 = OpString \"a\"\nOpSource GLSL 450 %1 \"caf_\"\nOpSourceContinued \"_!\"\n%2 = OpTypeVoid\nOpLine %1 1 0\n%3 = OpTypeBool\n",
    );
    for word in &mut module {
        if *word == u32::from_le_bytes(*b"caf_") {
            *word = u32::from_le_bytes([b'c', b'a', b'f', 0xc3]);
        } else if *word == u32::from_le_bytes(*b"_!\0\0") {
            *word = u32::from_le_bytes([0xa9, b'!', 0, 0]);
        }
    }
    let lenient = text(&module, &flush().lenient(true));
    assert!(lenient.contains("\n; a:1: café!\n"), "{lenient}");
    assert!(numbered_words(&lenient) == module);
}

/// A module with debug information of the shader sets.
fn debug_module(set: &str) -> String {
    format!(
        r#"OpExtension "SPV_KHR_non_semantic_info"
%1 = OpExtInstImport "{set}"
%2 = OpString "dir\\shader.hlsl"
%3 = OpString "one
tw"
%4 = OpString "o
three"
%5 = OpTypeVoid
%6 = OpTypeFunction %5
%7 = OpTypeInt 32 0
%8 = OpConstant %7 1
%9 = OpConstant %7 2
%10 = OpConstant %7 3
%11 = OpExtInst %5 %1 DebugSource %2 %3
%12 = OpExtInst %5 %1 DebugSourceContinued %4
%20 = OpFunction %5 None %6
%21 = OpLabel
%22 = OpExtInst %5 %1 DebugLine %11 %9 %9 %8 %8
OpNop
%23 = OpExtInst %5 %1 DebugLine %11 %10 %10 %8 %8
OpNop
%24 = OpExtInst %5 %1 DebugNoLine
OpNop
%25 = OpExtInst %5 %1 DebugLine %11 %99 %10 %8 %8
OpNop
%26 = OpExtInst %5 %1 DebugLine %98 %8 %10 %8 %8
OpReturn
OpFunctionEnd
"#
    )
}

#[test]
fn debug_lines_show_their_source() {
    for set in [
        "NonSemantic.Shader.DebugInfo.100",
        "NonSemantic.Shader.DebugInfo.101",
    ] {
        let expected = "; shader.hlsl:2: two
%22 = OpExtInst %5 %1 DebugLine %11 %9 %9 %8 %8
OpNop
; shader.hlsl:3: three
%23 = OpExtInst %5 %1 DebugLine %11 %10 %10 %8 %8
OpNop
%24 = OpExtInst %5 %1 DebugNoLine
OpNop
%25 = OpExtInst %5 %1 DebugLine %11 %99 %10 %8 %8
OpNop
; %98:1
%26 = OpExtInst %5 %1 DebugLine %98 %8 %10 %8 %8
OpReturn
OpFunctionEnd
";
        assert_eq!(shown(&debug_module(set), "; shader.hlsl:2"), expected);
    }
}

#[test]
fn opencl_debug_sources_give_lines_their_text() {
    let module = r#"%1 = OpExtInstImport "OpenCL.DebugInfo.100"
%2 = OpString "kernel.cl"
%3 = OpString "kernel void f()"
%4 = OpTypeVoid
%5 = OpExtInst %4 %1 DebugSource %2 %3
OpLine %2 1 0
%6 = OpTypeBool
"#;
    assert_eq!(lines(module), ["; kernel.cl:1: kernel void f()"]);
}

/// A module whose source starts with what compilers put there.
const DIRECTIVES: &str = r##"%1 = OpString "main.frag"
%2 = OpString "include.h"
OpSource GLSL 450 %1 "// OpModuleProcessed client vulkan100
#line 1
#version 450
 # line 1 \"include.h\"
included
#line 7 \"unknown\"
lost
#line 3 \"main.frag\"
third
"
%3 = OpTypeVoid
OpLine %1 1 0
%4 = OpTypeBool
OpLine %2 1 0
%5 = OpTypeSampler
OpLine %1 3 0
%6 = OpTypeEvent
OpLine %1 7 0
%7 = OpTypeQueue
"##;

#[test]
fn directives_number_the_lines() {
    let expected = [
        "; main.frag:1: #version 450",
        "; include.h:1: included",
        "; main.frag:3: third",
        "; main.frag:7",
    ];
    assert_eq!(lines(DIRECTIVES), expected);
}

#[test]
fn a_compiler_that_counts_all_lines_is_known() {
    let mut module = numbered_words(DIRECTIVES);
    module[2] = 14 << 16;
    let shown = text(&module, &flush());
    assert!(shown.contains("\n; main.frag:3: #version 450\n"), "{shown}");
    assert!(shown.contains("\n; include.h:1\n"), "{shown}");
}

#[test]
fn lines_without_text_show_where_they_are() {
    let module = format!(
        "%1 = OpString \"a.frag\"
%2 = OpString \"\"
OpSource GLSL 450 %1
OpSource GLSL 450
OpSource GLSL 450 %2 \"x\"
%3 = OpTypeVoid
OpLine %1 5 0
%4 = OpTypeBool
OpLine %2 0 0
%5 = OpTypeSampler
OpLine %2 {max} 0
%6 = OpTypeEvent
OpLine %99 3 0
%7 = OpTypeQueue
OpLine %3 4 0
%8 = OpTypeDeviceEvent
",
        max = u32::MAX
    );
    let expected = [
        "; a.frag:5",
        "; %2:0",
        "; %2:4294967295",
        "; %99:3",
        "; %3:4",
    ];
    assert_eq!(lines(&module), expected);
}

#[test]
fn text_stays_on_its_line_and_is_cut() {
    let long = "x".repeat(100_000);
    let module = format!(
        "%1 = OpString \"a\nOpNop\"
OpSource GLSL 450 %1 \"\u{b}\u{1b}[2J\u{85}\u{2028}OpNop\n{long}   \nlast  \t\n\"
%2 = OpTypeVoid
OpLine %1 1 0
%3 = OpTypeBool
OpLine %1 2 0
%4 = OpTypeSampler
OpLine %1 3 0
%5 = OpTypeEvent
"
    );
    let mark = char::REPLACEMENT_CHARACTER;
    let name = format!("; a{mark}OpNop");
    let expected = [
        format!("{name}:1: {mark}{mark}[2J{mark}{mark}OpNop"),
        format!("{name}:2: {}…", "x".repeat(160)),
        format!("{name}:3: last"),
    ];
    assert_eq!(lines(&module), expected);
}

#[test]
fn a_line_is_never_read_as_a_part_of_the_header() {
    let module = numbered_words("OpLine %1 9 0\n%1 = OpString \"Bound\"\n");
    let shown = text(&module, &flush().lenient(true));
    assert!(numbered_words(&shown) == module, "{shown}");
}

#[test]
fn one_text_is_not_taken_for_any_number_of_files() {
    // Thousands of files that share one long text.
    let mut module = "%1 = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n".to_owned();
    let long = "line\n".repeat(40_000);
    let _ = writeln!(module, "%2 = OpString \"{long}\"\n%3 = OpTypeVoid");
    for id in (10..60_000).step_by(2) {
        let source = id + 1;
        let _ = writeln!(
            module,
            "%{id} = OpString \"{id}\"\n%{source} = OpExtInst %3 %1 DebugSource %{id} %2"
        );
    }
    module.push_str("OpLine %10 3 0\n%4 = OpTypeBool\nOpLine %50000 3 0\n%5 = OpTypeSampler\n");
    assert_eq!(lines(&module), ["; 10:3: line", "; 50000:3"]);
}

#[test]
fn many_positions_are_found_at_once() {
    let mut module = "%1 = OpString \"a\"\nOpSource GLSL 450 %1 \"".to_owned();
    module.push_str(&"x\n".repeat(50_000));
    module.push_str("\"\n%2 = OpTypeVoid\n");
    for line in 0..50_000 {
        let _ = writeln!(module, "OpLine %1 {} 0\nOpNop", line + 1);
    }
    assert_eq!(lines(&module).len(), 50_000);
}

#[test]
fn without_the_option_nothing_is_said() {
    let plain = text(
        &numbered_words(SHADER),
        &flush().source(false).header(false),
    );
    assert!(!plain.lines().any(|line| line.starts_with(';')), "{plain}");
}
