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
        .with_help("help");
    let line = render::json(&diagnostic, Some(&source));
    assert!(!line.contains('\n'));
    let Value::Object(object) = object(&diagnostic, Some(&source)) else {
        panic!("{line}");
    };
    let keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let first = ["file", "severity", "rule", "category"];
    assert_eq!(keys[..4], first);
    assert_eq!(object["file"], "a\n.spvasm");
    assert_eq!(object["message"], "two\nlines\0 \u{e9} \"q\"");
    assert_eq!(object["help"], "help");
}

#[test]
fn a_place_in_text_has_line_column_and_bytes() {
    let source = Source::new("a.spvasm", "OpNop\n\"é\" OpFoo\n");
    let diagnostic = Diagnostic::error("x", ErrorClass::InvalidLookup, "no `OpFoo`")
        .at_span(Span { start: 11, end: 16 });
    assert_eq!(
        object(&diagnostic, Some(&source))["location"],
        json!({"line": 2, "column": 5, "byte_start": 11, "byte_end": 16})
    );
    assert_eq!(
        object(&diagnostic, None)["location"],
        json!({"byte_start": 11, "byte_end": 16})
    );
}

#[test]
fn a_place_in_a_module_is_counted_in_words() {
    let diagnostic = Diagnostic::warning("x", ErrorClass::InvalidBinary, "odd").at_word(9);
    let object = object(&diagnostic, Some(&Source::new("a.spv", "")));
    assert_eq!(
        (&object["word_offset"], &object["location"]),
        (&json!(9), &Value::Null)
    );
}

#[test]
fn what_is_not_there_is_null() {
    let object = object(&Diagnostic::error("x", ErrorClass::InvalidId, "y"), None);
    for key in [
        "file",
        "word_offset",
        "instruction",
        "location",
        "source",
        "help",
    ] {
        assert_eq!(object.get(key), Some(&Value::Null), "{key}");
    }
    assert_eq!(object["related"], json!([]));
}

#[test]
fn other_places_have_messages_of_their_own() {
    let source = Source::new("a.spvasm", "one\ntwo\n");
    let diagnostic = Diagnostic::error("x", ErrorClass::WrongVersion, "y")
        .with_label(Location::Span(Span { start: 4, end: 7 }), "here")
        .with_label(Location::Word(2), "and there");
    let related = &object(&diagnostic, Some(&source))["related"];
    assert_eq!(related[0]["message"], "here");
    assert_eq!(related[0]["location"]["line"], 2);
    assert_eq!(
        (&related[1]["message"], &related[1]["word_offset"]),
        (&json!("and there"), &json!(2))
    );
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
        assert_eq!(object["category"], name);
    }
    assert_eq!(Severity::Error.name(), "error");
    assert_eq!(Severity::Warning.name(), "warning");
    assert!(Severity::Warning < Severity::Error);
}
