//! Debugging information of which a text alone says too little: the rest is in
//! `tests/cases/debug_info`.

use spirvkit_testing::rules;
use spirvkit_validate::{Options, validate};

use crate::cases::{framed, in_tests};
use crate::common;

const FIRST: &str = "debug-information first-set spv1.6";
const SHADER: &str = "debug-information shader-set spv1.6";

/// A module of a piece in frames, and what it is checked by.
fn module(how: &str, piece: String) -> (Vec<u32>, Options) {
    let (text, options) = framed(how, piece);
    (spirvkit_testing::words(&text), options)
}

/// The rules that a piece breaks, in order.
fn broken(how: &str, piece: String) -> Vec<&'static str> {
    let (text, options) = framed(how, piece);
    common::broken(&text, &options)
}

/// What is wrong with line 2 and columns 7 of a source with this text.
fn line_of(source: &str, sources: &str) -> Vec<&'static str> {
    let piece = format!(
        "%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
; ...
{sources}
; ...
%line = OpExtInst %void %set DebugLine %source %u2 %u2 %u7 %u7
"
    );
    let (text, options) = framed("debug-information spv1.6", piece);
    let text = text.replace("\"#line 100\"", &format!("\"{source}\""));
    common::broken(&text, &options)
}

#[test]
fn places_count_in_what_was_compiled() {
    let counted = "%source = OpExtInst %void %set DebugSource %name %counted";
    let of = |source: &str| line_of(source, counted);
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
    let none = "%source = OpExtInst %void %set DebugSource %name";
    assert_eq!(line_of("", none), [""; 0]);
    // Another source brings text in.
    let more = "%source = OpExtInst %void %set DebugSource %name %more";
    let two = format!(
        "{counted}\n{}",
        more.replace("%source =", "%other_source =")
    );
    assert_eq!(line_of("one", &two), wrong);
    let two = format!(
        "{more}\n{}",
        counted.replace("%source =", "%other_source =")
    );
    assert_eq!(line_of("#line 1", &two), [""; 0]);
}

#[test]
fn nothing_is_asked_of_what_was_taken_away() {
    let frame = std::fs::read_to_string(in_tests("frames/first-set.spvasm")).unwrap();
    let (_, lines) = frame.split_once("; ---\n").unwrap();
    let (lines, _) = lines.split_once("; ...\n").unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let (none, others) = lines.split_first().unwrap();
    assert!(none.starts_with("%none = ") && others.len() > 15);
    // Every id of a debugging instruction, one at a time.
    for line in others {
        let (id, _) = line.split_once(' ').unwrap();
        let left = lines.iter().filter(|other| *other != line).map(|other| {
            let words = other.split(' ');
            let words = words.map(|word| if word == id { "%none" } else { word });
            words.collect::<Vec<_>>().join(" ") + "\n"
        });
        let left: String = left.collect();
        let piece = format!("%set = OpExtInstImport \"DebugInfo\"\n; ...\n{left}");
        assert_eq!(broken("debug-information spv1.6", piece), [""; 0], "{id}");
    }
}

#[test]
fn long_chains_take_no_longer_than_short_ones() {
    const LENGTH: usize = 100_000;
    let debug = "OpExtInst %void %set Debug";
    let mut blocks = String::new();
    let mut calls = format!("%c0 = {debug}InlinedAt 1 %of_main\n");
    let mut types = format!("%t0 = {debug}TypePointer %float Function None\n");
    for at in 1..=LENGTH {
        let before = at - 1;
        let parent = match at {
            1 => "%of_main".to_owned(),
            _ => format!("%b{before}"),
        };
        blocks += &format!("%b{at} = {debug}LexicalBlock %text 1 1 {parent}\n");
        calls += &format!("%c{at} = {debug}InlinedAt 1 %of_other %c{before}\n");
        types += &format!("%t{at} = {debug}TypeQualifier %t{before} ConstType\n");
    }
    let scopes = format!("%s = {debug}Scope %b{LENGTH}\n%t = {debug}Scope %of_other %c{LENGTH}\n");
    let piece = format!("{blocks}{calls}{types}; ...\n{scopes}");
    assert_eq!(broken(FIRST, piece), [""; 0]);
}

#[test]
fn long_cycles_are_reported_once() {
    const LENGTH: usize = 50_000;
    let mut piece = format!(
        "%b0 = OpExtInstWithForwardRefsKHR %void %set DebugLexicalBlock %source %u1 %u1 %b{LENGTH}\n"
    );
    for at in 1..=LENGTH {
        let before = at - 1;
        piece += &format!(
            "%b{at} = OpExtInst %void %set DebugLexicalBlock %source %u1 %u1 %b{before}\n"
        );
    }
    let (words, options) = module(SHADER, piece);
    let report = validate(&words, &options);
    assert_eq!(rules(report.diagnostics()), ["debug-info.scope-circle"]);
    assert!(report.is_valid());
}

#[test]
fn broken_instructions_hide_no_undefined_ids() {
    // An instruction of 8 words of which 5 are left.
    let cut = |body: &str| {
        let piece =
            format!("%cut = OpExtInst %void %set DebugTypePointer %float %u7 %u0\n; ...\n{body}\n");
        let (mut words, options) = module(SHADER, piece);
        let is_cut = |each: &[u32]| each[0] == 0x0008_000C && each[4] == 3;
        let at = words.windows(5).position(is_cut).unwrap();
        words[at] = 0x0005_000C;
        words.drain(at + 5..at + 8);
        let report = validate(&words, &options);
        let found = report.diagnostics().iter().map(|each| each.rule());
        found.collect::<Vec<_>>()
    };
    assert_eq!(cut(""), ["binary.malformed"]);
    let store = "OpStore %variable %nowhere";
    assert_eq!(cut(store), ["binary.malformed", "id.undefined"]);
}

#[test]
fn as_many_errors_as_are_reported_are_those_of_the_program() {
    let wrong = |many: usize| -> String {
        let all = 0..many;
        all.map(|at| format!("%wrong{at} = OpExtInst %void %set DebugTypePointer %f1 %u7 %u0\n"))
            .collect()
    };
    let checked = |many: usize, most: usize, body: &str| {
        let (words, mut options) = module(SHADER, format!("{}; ...\n{body}\n", wrong(many)));
        options.max_errors = most;
        let report = validate(&words, &options);
        let found = report.diagnostics().iter();
        let proper = found.filter(|each| !each.rule().starts_with("debug-info"));
        (report.diagnostics().len(), proper.count(), report.is_cut())
    };
    let store = "OpStore %variable %u1\nOpStore %variable %u2";
    assert_eq!(checked(10, 5, store), (5, 2, true));
    assert_eq!(checked(10, 2, store), (2, 2, true));
    assert_eq!(checked(10, 1, store), (1, 1, true));
    assert_eq!(checked(10, 12, store), (12, 2, false));
    assert_eq!(checked(10, 0, store), (12, 2, false));
    assert_eq!(checked(10, 5, ""), (5, 0, true));
    assert_eq!(checked(0, 1, store), (1, 1, true));
}
