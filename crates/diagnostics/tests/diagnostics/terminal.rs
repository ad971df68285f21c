//! What people see.

use spirvkit_diagnostics::{
    Diagnostic, ErrorClass, Location, Quote, ShaderLine, Source, Span, render,
};

fn error(message: &str) -> Diagnostic {
    Diagnostic::error("text.some-rule", ErrorClass::InvalidText, message)
}

fn span(start: usize, end: usize) -> Span {
    Span { start, end }
}

/// The rendering without colour of an error at a place in a text.
fn plain(text: &str, place: Span) -> String {
    render::terminal(
        &error("wrong").at_span(place),
        Some(&Source::new("a.spvasm", text)),
        false,
    )
}

/// The excerpt's line with the text, and the one with the carets, without the
/// margin.
fn excerpt(text: &str, place: Span) -> (String, String) {
    let shown = plain(text, place);
    let lines: Vec<&str> = shown.lines().skip(3).collect();
    assert_eq!(lines.len(), 2, "{shown}");
    let behind = |line: &str| {
        line.split_once("| ")
            .map_or("", |(_, rest)| rest)
            .to_owned()
    };
    (behind(lines[0]), behind(lines[1]))
}

#[test]
fn an_error_shows_its_line_and_place() {
    let text = "OpNop\nOpFoo %1\nOpNop\n";
    assert_eq!(
        plain(text, span(6, 11)),
        "error[text.some-rule]: wrong\n  --> a.spvasm:2:1\n   |\n 2 | OpFoo %1\n   | ^^^^^\n"
    );
}

#[test]
fn line_numbers_of_more_digits_widen_the_margin() {
    let text = "\n".repeat(99) + "OpFoo";
    assert_eq!(
        plain(&text, span(99, 104)),
        "error[text.some-rule]: wrong\n  --> a.spvasm:100:1\n     |\n 100 | OpFoo\n     | ^^^^^\n"
    );
}

#[test]
fn a_warning_says_so() {
    let warning =
        Diagnostic::warning("binary.string-padding", ErrorClass::InvalidBinary, "odd").at_word(7);
    assert_eq!(
        render::terminal(&warning, Some(&Source::new("a.spv", "")), false),
        "warning[binary.string-padding]: odd\n  --> a.spv: byte 28 (word 7)\n"
    );
}

#[test]
fn places_without_a_source_are_still_reported() {
    let cases = [
        (error("wrong"), ""),
        (
            error("wrong").at_word(5),
            "  --> <module>: byte 20 (word 5)\n",
        ),
        (
            error("wrong").at_span(span(3, 4)),
            "  --> <module>: byte 3\n",
        ),
    ];
    for (diagnostic, place) in cases {
        let expected = format!("error[text.some-rule]: wrong\n{place}");
        assert_eq!(render::terminal(&diagnostic, None, false), expected);
    }
}

#[test]
fn help_and_labels_follow_in_order() {
    let text = "%1 = OpTypeVoid\n%1 = OpTypeBool\n";
    let diagnostic = error("defined twice")
        .at_span(span(16, 18))
        .with_label(Location::Span(span(0, 2)), "first defined here")
        .with_help("give it another name");
    assert_eq!(
        render::terminal(&diagnostic, Some(&Source::new("a.spvasm", text)), false),
        "error[text.some-rule]: defined twice\n  --> a.spvasm:2:1\n   |\n 2 | %1 = OpTypeBool\n   | ^^\n   \
         = note: first defined here\n  --> a.spvasm:1:1\n   |\n 1 | %1 = OpTypeVoid\n   | ^^\n   \
         = help: give it another name\n"
    );
}

#[test]
fn colour_adds_escapes_and_nothing_else() {
    let source = Source::new("a.spvasm", "OpFoo %1\n");
    let diagnostic = error("wrong")
        .at_span(span(0, 5))
        .with_label(Location::Word(3), "see there")
        .with_help("don't");
    let plain = render::terminal(&diagnostic, Some(&source), false);
    let colored = render::terminal(&diagnostic, Some(&source), true);
    assert!(!plain.contains('\u{1b}'));
    assert!(colored.contains("\u{1b}[1m\u{1b}[31merror"), "{colored:?}");
    assert_eq!(without_escapes(&colored), plain);

    let warning = Diagnostic::warning("text.w", ErrorClass::InvalidText, "odd");
    let colored = render::terminal(&warning, Some(&source), true);
    assert!(
        colored.contains("\u{1b}[1m\u{1b}[33mwarning"),
        "{colored:?}"
    );
    assert_eq!(
        without_escapes(&colored),
        render::terminal(&warning, Some(&source), false)
    );
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').unwrap().1)
}

#[test]
fn carets_count_characters_not_bytes() {
    let text = "OpName %1 \"äöü€\" junk";
    let start = text.find("junk").unwrap();
    let (line, carets) = excerpt(text, span(start, start + 4));
    assert_eq!(line, text);
    assert_eq!(carets, " ".repeat(17) + "^^^^");
    assert!(plain(text, span(start, start + 4)).contains("a.spvasm:1:18"));
    let quote = text.find('"').unwrap();
    let (_, carets) = excerpt(text, span(quote, start - 1));
    assert_eq!(carets, " ".repeat(10) + "^^^^^^");
}

#[test]
fn tabs_and_control_characters_show_as_one_space() {
    let (line, carets) = excerpt("\tOp\u{1b}[31mFoo\u{7} x", span(13, 14));
    assert_eq!(line, " Op [31mFoo  x");
    assert_eq!(carets, " ".repeat(13) + "^");
}

#[test]
fn crlf_ends_a_line_without_being_part_of_it() {
    let text = "OpNop\r\nOpFoo\r\nOpNop\r\n";
    let (line, carets) = excerpt(text, span(7, 12));
    assert_eq!((line.as_str(), carets.as_str()), ("OpFoo", "^^^^^"));
    assert!(plain(text, span(7, 12)).contains("a.spvasm:2:1\n"));
}

#[test]
fn an_empty_place_has_one_caret() {
    let (line, carets) = excerpt("OpLoad", span(6, 6));
    assert_eq!((line.as_str(), carets.as_str()), ("OpLoad", "      ^"));
}

#[test]
fn the_end_of_the_text_is_a_place() {
    let shown = plain("OpNop\n", span(6, 6));
    assert!(shown.contains("a.spvasm:2:1\n"), "{shown}");
    assert!(shown.ends_with(" 2 | \n   | ^\n"), "{shown:?}");
    let empty = plain("", span(0, 0));
    assert!(empty.contains("a.spvasm:1:1\n"), "{empty}");
}

#[test]
fn a_place_past_the_end_is_the_end() {
    let shown = plain("OpNop", span(100, 200));
    assert!(shown.contains("a.spvasm:1:6\n"), "{shown}");
}

#[test]
fn a_place_over_several_lines_is_underlined_to_the_end_of_the_first() {
    let (line, carets) = excerpt("a \"b\nc\" d", span(2, 7));
    assert_eq!((line.as_str(), carets.as_str()), ("a \"b", "  ^^"));
}

#[test]
fn a_long_line_is_cut_to_a_window_around_the_place() {
    let text = format!("{}HERE{}", "a".repeat(1000), "b".repeat(1000));
    let (line, carets) = excerpt(&text, span(1000, 1004));
    assert!(line.chars().count() <= 160, "{}", line.len());
    let at = line.find("HERE").expect("the place is shown");
    assert_eq!(carets, " ".repeat(at) + "^^^^");
    assert!(plain(&text, span(1000, 1004)).contains("a.spvasm:1:1001\n"));
}

#[test]
fn the_start_of_a_long_line_is_shown_from_its_start() {
    let text = format!("HERE{}", "b".repeat(1000));
    let (line, carets) = excerpt(&text, span(0, 4));
    assert!(line.starts_with("HEREb"), "{line}");
    assert_eq!(carets, "^^^^");
}

#[test]
fn carets_do_not_outrun_a_long_line() {
    let text = "a".repeat(10_000);
    for place in [span(0, 10_000), span(5_000, 10_000), span(9_999, 10_000)] {
        let (line, carets) = excerpt(&text, place);
        assert!(line.len() <= 160, "{place:?}");
        assert!(
            carets.len() <= line.len(),
            "{place:?}: {} carets under {}",
            carets.len(),
            line.len()
        );
    }
}

#[test]
fn a_window_of_a_long_line_counts_characters() {
    let text = format!("{}HERE{}", "ä€𝄞".repeat(500), "𝄞€ä".repeat(500));
    let start = text.find("HERE").unwrap();
    let (line, carets) = excerpt(&text, span(start, start + 4));
    assert_eq!(line.chars().count(), 160);
    let before: String = line.chars().take_while(|c| *c != 'H').collect();
    assert_eq!(before.chars().count(), 80);
    assert!(text[..start].ends_with(&before), "{before}");
    assert_eq!(carets, " ".repeat(80) + "^^^^");
    assert!(plain(&text, span(start, start + 4)).contains("a.spvasm:1:1501\n"));
    // Within a character is at its start.
    assert_eq!(
        excerpt(&text, span(start - 2, start + 4)),
        excerpt(&text, span(start - 3, start + 4))
    );
}

#[test]
fn the_end_of_a_long_line_is_a_place() {
    for end in ["", "\n", "\r\n", "\r\nOpNop\n"] {
        let text = format!("{}HERE{end}", "é".repeat(1000));
        let (line, carets) = excerpt(&text, span(2004, 2004));
        assert_eq!(line, "é".repeat(76) + "HERE", "{end:?}");
        assert_eq!(carets, " ".repeat(80) + "^", "{end:?}");
    }
    // The newline of CRLF is one further.
    let text = format!("{}HERE\r\n", "é".repeat(1000));
    let (line, carets) = excerpt(&text, span(2005, 2006));
    assert_eq!(line, "é".repeat(75) + "HERE");
    assert_eq!(carets, " ".repeat(80) + "^");
    let (line, carets) = excerpt("HERE\r\n", span(5, 6));
    assert_eq!((line.as_str(), carets.as_str()), ("HERE", "     ^"));
}

#[test]
fn a_thousand_errors_in_one_long_line_are_each_shown_in_their_window() {
    // This took minutes when each error looked at the whole line.
    let word = "OpFoo €é ";
    let text = word.repeat(400_000);
    let source = Source::new("a.spvasm", &text);
    for number in (0..400_000).step_by(400) {
        let start = number * word.len();
        let diagnostic = error("wrong")
            .at_span(span(start, start + 5))
            .with_label(Location::Span(span(start + 6, start + 9)), "this too");
        let shown = render::terminal(&diagnostic, Some(&source), false);
        let column = number * 9 + 1;
        assert!(shown.contains(&format!("a.spvasm:1:{column}\n")), "{shown}");
        assert!(
            shown.contains(&format!("a.spvasm:1:{}\n", column + 6)),
            "{shown}"
        );
        let lines: Vec<&str> = shown.lines().collect();
        for (line, expected) in [(3, "OpFoo"), (8, "€")] {
            let at = lines[line + 1].find('^').expect("carets");
            let marked: String = lines[line].chars().skip(at).collect();
            assert!(marked.starts_with(expected), "{shown}");
            assert!(lines[line].chars().count() <= 165, "{shown}");
        }
        let json = render::json(&diagnostic, Some(&source));
        assert!(json.contains(&format!(r#""column":{column},"#)), "{json}");
    }
}

#[test]
fn what_is_known_of_the_instruction_and_the_rule_is_shown() {
    let diagnostic = Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong")
        .at_word(7)
        .with_instruction("%3 = OpUndef\u{1b} %2")
        .with_shader_line(ShaderLine::new("a.hlsl", 12))
        .with_section("2.16.1")
        .with_vuid("VUID-a-b-01234");
    let source = Source::new("a.spv", "");
    assert_eq!(
        render::terminal(&diagnostic, Some(&source), false),
        "error[a.b]: wrong
  --> a.spv: byte 28 (word 7)
   | %3 = OpUndef  %2
   = source: a.hlsl:12
   = rule: section 2.16.1, VUID-a-b-01234
"
    );
    let extension =
        Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong").with_section("SPV_KHR_x");
    let text = render::terminal(&extension, Some(&source), false);
    assert!(text.ends_with("= rule: SPV_KHR_x\n"), "{text}");
}

#[test]
fn an_instruction_is_not_shown_twice_where_its_text_is() {
    let source = Source::new("a.spvasm", "OpNop\n");
    let diagnostic = Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong")
        .at_word(5)
        .with_instruction("OpNop")
        .map_locations(|_| Location::Span(Span { start: 0, end: 5 }));
    assert_eq!(diagnostic.word_offset(), Some(5));
    let text = render::terminal(&diagnostic, Some(&source), false);
    assert_eq!(text.matches("OpNop").count(), 1, "{text}");
}

#[test]
fn the_operand_is_marked_in_the_instruction_and_the_column_in_the_shader() {
    let text = "%3 = OpTypeVector %2 9";
    let operand = |start, end| Quote::new(text, Some(Span { start, end }));
    let mut line = ShaderLine::new("a.hlsl", 12);
    line.column = Some(5);
    line.text = Some("\tvec9 x;".into());
    let diagnostic = Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong")
        .at_word(7)
        .at_operand(10)
        .with_instruction(operand(21, 22))
        .with_shader_line(line.clone())
        .with_label(Location::Word(5), "here")
        .with_label_operand(6)
        .map_labels(|label| label.instruction = Some(operand(0, 2)));
    let source = Source::new("a.spv", "");
    assert_eq!(
        render::terminal(&diagnostic, Some(&source), false),
        "error[a.b]: wrong
  --> a.spv: byte 28 (word 7)
   | %3 = OpTypeVector %2 9
   |                      ^
   = source: a.hlsl:12:5
    |
 12 |  vec9 x;
    |     ^
   = note: here
  --> a.spv: byte 20 (word 5)
   | %3 = OpTypeVector %2 9
   | ^^
"
    );
    // Without a column it is the line that is meant, and past the end there is the end.
    line.column = None;
    let shown = render::terminal(
        &diagnostic.clone().with_shader_line(line.clone()),
        Some(&source),
        false,
    );
    assert!(
        shown.contains(" 12 |  vec9 x;\n    |  ^^^^^^^\n"),
        "{shown}"
    );
    line.column = Some(4000);
    let shown = render::terminal(
        &diagnostic.clone().with_shader_line(line),
        Some(&source),
        false,
    );
    assert!(
        shown.contains(" 12 |  vec9 x;\n    |         ^\n"),
        "{shown}"
    );

    let json = render::report("a.spv", false, &[diagnostic], Some(&source));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let found = &json["diagnostics"][0];
    let operand = serde_json::json!({"word_offset": 10, "byte_start": 21, "byte_end": 22});
    assert_eq!(found["operand"], operand);
    assert_eq!(found["source"]["column"], 5);
    assert_eq!(found["source"]["text"], "\tvec9 x;");
    assert_eq!(found["related"][0]["operand"]["byte_end"], 2);
}

#[test]
fn no_escape_sequence_reaches_the_terminal() {
    let evil = "a\u{1b}[31m\u{9b}b";
    let diagnostic = Diagnostic::error("a.b", ErrorClass::InvalidData, evil)
        .at_word(7)
        .with_instruction(evil)
        .with_shader_line(ShaderLine::new(evil, 1))
        .with_label(Location::None, evil)
        .with_help(evil);
    let shown = render::terminal(&diagnostic, Some(&Source::new(evil, "")), false);
    assert!(
        !shown.contains(|c: char| c.is_control() && c != '\n'),
        "{shown:?}"
    );
}

#[test]
fn a_moved_diagnostic_points_at_the_operand_if_the_text_has_it() {
    let diagnostic = Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong")
        .at_word(7)
        .at_operand(9);
    let all = Location::Span(Span { start: 0, end: 9 });
    let part = Location::Span(Span { start: 4, end: 5 });
    let moved = diagnostic.clone().map_locations(|location| match location {
        Location::Word(9) => part,
        _ => all,
    });
    assert_eq!((moved.location(), moved.word_offset()), (part, Some(7)));
    let moved = diagnostic.map_locations(|location| match location {
        Location::Word(7) => all,
        other => other,
    });
    assert_eq!(moved.location(), all);
}

#[test]
fn a_log_points_at_the_shader_if_the_module_has_its_text() {
    let mut line = ShaderLine::new("src/a.hlsl", 12);
    line.column = Some(5);
    let found = Diagnostic::error("a.b", ErrorClass::InvalidData, "wrong")
        .at_word(7)
        .with_label(Location::Word(5), "here");
    let result = |line: ShaderLine| -> serde_json::Value {
        let text = render::sarif_results("a.spv", &[found.clone().with_shader_line(line)], None);
        serde_json::from_str(&text).unwrap()
    };
    let uri =
        |place: &serde_json::Value| place["physicalLocation"]["artifactLocation"]["uri"].clone();
    // Without its text, nobody knows whether the file is at hand.
    let only_named = result(line.clone());
    assert_eq!(uri(&only_named["locations"][0]), "a.spv");
    assert_eq!(uri(&only_named["relatedLocations"][0]), "src/a.hlsl");
    line.text = Some("    x;".into());
    let with_text = result(line);
    let place = &with_text["locations"][0];
    assert_eq!(uri(place), "src/a.hlsl");
    let region = &place["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"]),
        (&12.into(), &5.into())
    );
    assert_eq!(region["snippet"]["text"], "    x;");
    let module = &with_text["relatedLocations"][0];
    assert_eq!(uri(module), "a.spv");
    assert_eq!(module["physicalLocation"]["region"]["byteOffset"], 28);
    assert_eq!(with_text["relatedLocations"].as_array().unwrap().len(), 2);
}
