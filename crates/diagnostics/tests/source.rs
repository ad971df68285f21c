//! Positions in texts, and what a diagnostic holds.

use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location, Position, Severity, Source, Span};

#[test]
fn positions_count_lines_and_characters_from_one() {
    let source = Source::new("a", "ab\ncäd\n\ne");
    let cases = [
        (0, 1, 1),
        (1, 1, 2),
        // The line's end belongs to the line.
        (2, 1, 3),
        (3, 2, 1),
        (4, 2, 2),
        // The second byte of `ä` is part of the character.
        (5, 2, 2),
        (6, 2, 3),
        (7, 2, 4),
        (8, 3, 1),
        (9, 4, 1),
        (10, 4, 2),
        (11, 4, 2),
        (usize::MAX, 4, 2),
    ];
    for (byte, line, column) in cases {
        assert_eq!(
            source.position(byte),
            Position { line, column },
            "byte {byte}"
        );
    }
}

#[test]
fn the_end_after_a_newline_is_a_line_of_its_own() {
    let source = Source::new("a", "x\n");
    assert_eq!(source.position(2), Position { line: 2, column: 1 });
    assert_eq!(source.line(2), "");
    assert_eq!(
        Source::new("a", "").position(0),
        Position { line: 1, column: 1 }
    );
}

#[test]
fn lines_come_without_their_ends() {
    let source = Source::new("name", "one\r\ntwo\n\nfour");
    assert_eq!(source.name(), "name");
    let lines: Vec<&str> = (1..=4).map(|number| source.line(number)).collect();
    assert_eq!(lines, ["one", "two", "", "four"]);
}

#[test]
fn lines_that_do_not_exist_are_empty() {
    let source = Source::new("a", "one");
    for number in [0, 2, 3, usize::MAX] {
        assert_eq!(source.line(number), "", "{number}");
    }
}

#[test]
fn a_carriage_return_alone_ends_no_line() {
    let source = Source::new("a", "one\rtwo\nthree");
    assert_eq!(source.position(4), Position { line: 1, column: 5 });
    assert_eq!(source.line(1), "one\rtwo");
}

#[test]
fn a_diagnostic_holds_what_it_was_given() {
    let place = Span { start: 1, end: 2 };
    let diagnostic = Diagnostic::error("a.rule", ErrorClass::InvalidValue, "message")
        .at_span(place)
        .with_label(Location::None, "label")
        .with_help("help");
    assert_eq!(diagnostic.severity(), Severity::Error);
    assert_eq!(diagnostic.rule(), "a.rule");
    assert_eq!(diagnostic.class(), ErrorClass::InvalidValue);
    assert_eq!(diagnostic.message(), "message");
    assert_eq!(diagnostic.location(), Location::Span(place));
    assert_eq!(diagnostic.labels().len(), 1);
    assert_eq!(diagnostic.labels()[0].message, "label");
    assert_eq!(diagnostic.help(), Some("help"));
    assert_eq!(diagnostic.clone().at_word(4).location(), Location::Word(4));

    let bare = Diagnostic::warning("a.rule", ErrorClass::InvalidValue, "message");
    assert_eq!(bare.severity(), Severity::Warning);
    assert_eq!((bare.location(), bare.help()), (Location::None, None));
    assert!(bare.labels().is_empty());
}
