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
fn positions_are_right_everywhere_in_long_lines() {
    // Characters of 1 to 4 bytes, on and across all boundaries of an index.
    let line: String = "a€é𝄞bc€".chars().cycle().take(1_500).collect();
    for lead in 0..5 {
        let text = format!("{}\n{line}\r\n\n{line}", "x".repeat(lead));
        let source = Source::new("a", &text);
        let (mut line, mut column) = (1, 1);
        for (at, c) in text.char_indices() {
            for byte in at..at + c.len_utf8() {
                let position = source.position(byte);
                assert_eq!(position, Position { line, column }, "byte {byte}");
            }
            (line, column) = match c {
                '\n' => (line + 1, 1),
                _ => (line, column + 1),
            };
        }
        for byte in [text.len(), text.len() + 1, usize::MAX] {
            assert_eq!(source.position(byte), Position { line, column });
        }
        assert_eq!(source.line(2), source.line(4));
        assert_eq!(source.line(2).chars().count(), 1_500);
    }
}

#[test]
fn the_end_of_a_text_of_any_length_is_a_position() {
    for length in [0, 1, 255, 256, 257, 511, 512, 513, 1024] {
        let text = "x".repeat(length);
        let column = length + 1;
        let position = Source::new("a", &text).position(length);
        assert_eq!(position, Position { line: 1, column });
        let text = "\n".repeat(length);
        let line = length + 1;
        let position = Source::new("a", &text).position(length);
        assert_eq!(position, Position { line, column: 1 });
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
