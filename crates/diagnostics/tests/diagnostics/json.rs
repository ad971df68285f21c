//! What programs read.

use serde_json::{Value, json};
use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location, Severity, Source, Span, render};

/// The object that a diagnostic is rendered as.
fn object(diagnostic: &Diagnostic, source: Option<&Source<'_>>) -> Value {
    serde_json::from_str(&render::json(diagnostic, source)).expect("JSON")
}

#[test]
fn it_is_one_line_with_its_keys_in_order() {
    let source = Source::new("a\n.spvasm", "one\ntwo\n");
    let diagnostic = Diagnostic::error("x", ErrorClass::InvalidText, "two\nlines\0 \u{e9} \"q\"")
        .at_span(Span { start: 5, end: 7 })
        .with_help("help")
        .with_label(Location::Span(Span { start: 0, end: 3 }), "here")
        .with_label(Location::Word(2), "and there");
    assert_eq!(
        render::json(&diagnostic, Some(&source)),
        concat!(
            r#"{"severity":"error","rule":"x","class":"invalid_text","#,
            r#""message":"two\nlines\u0000 é \"q\"","file":"a\n.spvasm","#,
            r#""line":2,"column":2,"byte_start":5,"byte_end":7,"help":"help","labels":["#,
            r#"{"message":"here","file":"a\n.spvasm","line":1,"column":1,"byte_start":0,"byte_end":3},"#,
            r#"{"message":"and there","file":"a\n.spvasm","word":2,"byte":8}]}"#,
        )
    );
}

#[test]
fn a_place_in_text_has_line_column_and_bytes() {
    let source = Source::new("a.spvasm", "OpNop\n\"é\" OpFoo\n");
    let diagnostic = Diagnostic::error(
        "text.unknown-opcode",
        ErrorClass::InvalidLookup,
        "no `OpFoo`",
    )
    .at_span(Span { start: 11, end: 16 })
    .with_help("did you mean `OpFmod`?");
    assert_eq!(
        object(&diagnostic, Some(&source)),
        json!({
            "severity": "error",
            "rule": "text.unknown-opcode",
            "class": "invalid_lookup",
            "message": "no `OpFoo`",
            "file": "a.spvasm",
            "line": 2,
            "column": 5,
            "byte_start": 11,
            "byte_end": 16,
            "help": "did you mean `OpFmod`?",
        })
    );
}

#[test]
fn a_place_in_a_module_has_word_and_byte() {
    let diagnostic =
        Diagnostic::warning("binary.number-padding", ErrorClass::InvalidBinary, "odd").at_word(9);
    assert_eq!(
        object(&diagnostic, Some(&Source::new("a.spv", ""))),
        json!({
            "severity": "warning",
            "rule": "binary.number-padding",
            "class": "invalid_binary",
            "message": "odd",
            "file": "a.spv",
            "word": 9,
            "byte": 36,
        })
    );
}

#[test]
fn what_is_not_there_is_left_out() {
    let diagnostic = Diagnostic::error("x", ErrorClass::InvalidId, "y");
    assert_eq!(
        object(&diagnostic, None),
        json!({ "severity": "error", "rule": "x", "class": "invalid_id", "message": "y" })
    );
    let placed = diagnostic.at_span(Span { start: 1, end: 2 });
    let object = object(&placed, None);
    assert_eq!(object["byte_start"], 1);
    assert_eq!(object["byte_end"], 2);
    assert!(
        object.get("line").is_none() && object.get("file").is_none(),
        "{object}"
    );
}

#[test]
fn labels_have_places_of_their_own() {
    let source = Source::new("a.spvasm", "one\ntwo\n");
    let diagnostic = Diagnostic::error("x", ErrorClass::WrongVersion, "y")
        .with_label(Location::Span(Span { start: 4, end: 7 }), "here")
        .with_label(Location::Word(2), "and there");
    let object = object(&diagnostic, Some(&source));
    assert_eq!(
        object["labels"],
        json!([
            { "message": "here", "file": "a.spvasm", "line": 2, "column": 1, "byte_start": 4, "byte_end": 7 },
            { "message": "and there", "file": "a.spvasm", "word": 2, "byte": 8 },
        ])
    );
    assert!(object.get("help").is_none());
}

#[test]
fn classes_and_severities_have_stable_names() {
    let classes = [
        (ErrorClass::InvalidText, "invalid_text"),
        (ErrorClass::InvalidBinary, "invalid_binary"),
        (ErrorClass::InvalidId, "invalid_id"),
        (ErrorClass::InvalidLookup, "invalid_lookup"),
        (ErrorClass::InvalidValue, "invalid_value"),
        (ErrorClass::WrongVersion, "wrong_version"),
    ];
    for (class, name) in classes {
        assert_eq!(class.name(), name);
        let object = object(&Diagnostic::error("x", class, "y"), None);
        assert_eq!(object["class"], name);
    }
    assert_eq!(Severity::Error.name(), "error");
    assert_eq!(Severity::Warning.name(), "warning");
    assert!(Severity::Warning < Severity::Error);
}
