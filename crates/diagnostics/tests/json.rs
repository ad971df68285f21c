//! What programs read.

use serde_json::json;
use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location, Severity, Source, Span, render};

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
        render::json(&diagnostic, Some(&source)),
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
        render::json(&diagnostic, Some(&Source::new("a.spv", ""))),
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
        render::json(&diagnostic, None),
        json!({ "severity": "error", "rule": "x", "class": "invalid_id", "message": "y" })
    );
    let placed = diagnostic.at_span(Span { start: 1, end: 2 });
    let object = render::json(&placed, None);
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
    let object = render::json(&diagnostic, Some(&source));
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
        let object = render::json(&Diagnostic::error("x", class, "y"), None);
        assert_eq!(object["class"], name);
    }
    assert_eq!(Severity::Error.name(), "error");
    assert_eq!(Severity::Warning.name(), "warning");
    assert!(Severity::Warning < Severity::Error);
}
