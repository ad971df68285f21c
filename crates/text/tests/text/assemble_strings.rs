//! Strings without an end: each is one error, and hides no other.

use spirvkit_diagnostics::Location;
use spirvkit_text::{AssembleOptions, assemble};

use crate::common::{body, errors, part};

/// The errors of a text: each as its rule, and its place as line and column.
fn places(text: &str) -> Vec<(&'static str, usize, usize)> {
    let errors = assemble(text, &AssembleOptions::default()).expect_err(text);
    let place = |error: &spirvkit_diagnostics::Diagnostic| {
        let Location::Span(span) = error.location() else {
            panic!("{error:?}");
        };
        let before = &text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        (error.rule(), line, column)
    };
    errors.iter().map(place).collect()
}

#[test]
fn a_string_that_swallows_the_next_is_reported_where_it_starts() {
    let text = "\
OpName %1 \"one\"
OpName %2 \"two
OpName %3 \"three\"
OpName %4 \"four\"
OpFoo
%5 = OpTypeVoid
";
    let expected = [("text.open-string", 2, 11), ("text.unknown-opcode", 5, 1)];
    assert_eq!(places(text), expected);
    assert_eq!(places(&text.replace('\n', "\r\n")), expected);
    // An odd number of quotation marks, and an even one.
    assert_eq!(places(&text.replace("\"four\"", "\"\"")), expected);
    assert_eq!(places(&text.replace("\"four\"", "\"f o u r\"")), expected);
    assert_eq!(places(&text.replace("four\"\n", "four\" ; \"\n")), expected);
}

#[test]
fn each_of_them_is_reported() {
    let text = "\
%1 = OpExtInstImport \"GLSL.std.450
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %4 \"main %5 %6
OpName %5 \"five
%2 = OpTypeFloat 32
%3 = OpString \"\"
%7 = OpExtInst %2 %1 Sqrt %8
OpName %6 \"six
";
    let expected = [
        ("text.open-string", 1, 22),
        ("text.open-string", 3, 24),
        ("text.open-string", 4, 11),
        ("text.open-string", 8, 11),
    ];
    assert_eq!(places(text), expected);
}

#[test]
fn whatever_else_it_should_be_a_string_without_end_is_just_that() {
    for text in [
        "OpCapability «\"»Shader\n",
        "OpReturnValue «\"»x\n",
        "%1 = OpTypeInt «\"»32 0",
        "%1 = «\"»OpTypeVoid",
        "OpNop\n«\"»\n",
        "«\"»",
        "!65536 «\"»x",
        "OpExecutionMode %1 LocalSize 8 «\"»8 8\nOpNop",
        "OpSource GLSL 450 %1 «\"»#version 450\nvoid main() {}\n",
    ] {
        let start = text.find('«').unwrap();
        let text = text.replace(['«', '»'], "");
        let errors = assemble(&text, &AssembleOptions::default()).expect_err(&text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert_eq!(errors[0].rule(), "text.open-string", "{text}");
        assert_eq!(part(&text, &errors[0]), "\"");
        let span = spirvkit_diagnostics::Span {
            start,
            end: start + 1,
        };
        assert_eq!(errors[0].location(), Location::Span(span), "{text}");
    }
}

#[test]
fn strings_of_several_lines_are_none_of_them() {
    let text = "OpSource GLSL 450 %1 \"#version 450\nvoid main() {}\n// OpNop\n\" OpNop";
    assert_eq!(body(text).len(), 15);
    // An error elsewhere doesn't change that.
    let text = format!("{text}\nOpFoo\n");
    assert_eq!(places(&text), [("text.unknown-opcode", 5, 1)]);
    // Even if a line looks like an instruction: the last one doesn't.
    let text = text.replace("// OpNop", "OpNop");
    assert_eq!(places(&text), [("text.unknown-opcode", 5, 1)]);
}

#[test]
fn a_source_without_end_ends_before_the_instruction_that_follows() {
    let text = "\
%1 = OpString \"a.frag\"
OpSource GLSL 450 %1 \"#version 450
void main() {}

OpName %2 \"main\"
OpFoo
";
    assert_eq!(
        places(text),
        [("text.open-string", 2, 22), ("text.unknown-opcode", 6, 1)]
    );
}

#[test]
fn no_more_errors_are_reported_than_asked_for() {
    let text = "OpName %1 \"one\nOpName %2 \"two\"\nOpFoo\nOpBar\nOpName %3 \"three\nOpBaz\n";
    let rules = |most| {
        let options = AssembleOptions::default().max_errors(most);
        let errors = assemble(text, &options).unwrap_err();
        let rules = errors
            .iter()
            .map(|error| error.rule().trim_start_matches("text."));
        rules.collect::<Vec<_>>().join(" ")
    };
    let all = "open-string unknown-opcode unknown-opcode open-string unknown-opcode";
    assert_eq!(rules(0), all);
    assert_eq!(rules(5), all);
    assert_eq!(
        rules(3),
        "open-string unknown-opcode unknown-opcode too-many-errors"
    );
    assert_eq!(rules(1), "open-string too-many-errors");
}

#[test]
fn no_quotation_mark_is_made_up_behind_a_backslash() {
    let errors = errors("OpName %1 \"one\\\nOpName %2 \"two\"\nOpName %3 \"x\"\n");
    assert_eq!(errors[0].0, "text.surplus-operand");
}
