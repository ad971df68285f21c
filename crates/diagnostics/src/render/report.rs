//! What was found in an input as one JSON object.

use serde_json::{Map, Value, json};

use crate::{Diagnostic, Location, Quote, Source, Span, visible_lines};

/// Renders all that was found in an input as one JSON object on one line,
/// without a newline behind it:
///
/// | key | value |
/// |-----|-------|
/// | `file` | the input's name |
/// | `valid` | whether it is accepted |
/// | `diagnostics` | an array of objects |
///
/// An object of `diagnostics` has these keys, all of them always:
///
/// | key | value |
/// |-----|-------|
/// | `severity` | `"error"` or `"warning"` |
/// | `rule` | the rule's stable id |
/// | `category` | the error's class: [`ErrorClass::name`](crate::ErrorClass::name) |
/// | `spec` | the section of the specification, or the extension or document; or null |
/// | `vuid` | the identifier of the client API's rule, or null |
/// | `word_offset` | the place in the binary module, in words from its start, or null |
/// | `instruction` | the instruction's text, or null |
/// | `operand` | the operand at fault: `word_offset`, and where it is in `instruction`: `byte_start`, `byte_end`, or nulls; null if it is not one operand that is at fault |
/// | `message` | what is wrong |
/// | `location` | the place in assembly text, of the operand if there is one: `line`, `column`, `byte_start`, `byte_end`; or null |
/// | `source` | the place in the shader's own text: `file`, `line`, `column` or null, and `text`, the line itself, or null; or null |
/// | `related` | an array of other places: `message`, `word_offset`, `instruction`, `operand`, `location`; and `file` if the place is in another file |
/// | `help` | advice, or null |
///
/// ```
/// use spirvkit_diagnostics::{Diagnostic, ErrorClass, render};
///
/// let diagnostic = Diagnostic::error("id.undefined", ErrorClass::InvalidId, "nothing defines %9").at_word(12);
/// let line = render::report("a.spv", false, &[diagnostic], None);
/// assert!(line.starts_with(r#"{"file":"a.spv","valid":false,"diagnostics":[{"severity":"error","rule":"id.undefined""#));
/// assert!(line.contains(r#""word_offset":12"#));
/// ```
pub fn report(
    file: &str,
    valid: bool,
    diagnostics: &[Diagnostic],
    source: Option<&Source<'_>>,
) -> String {
    let mut report = format!(
        "{{\"file\":{},\"valid\":{valid},\"diagnostics\":[",
        visible_lines(&json!(file).to_string())
    );
    let mut comma = "";
    for diagnostic in diagnostics {
        report.push_str(comma);
        report.push_str(&visible_lines(&object(diagnostic, source).to_string()));
        comma = ",";
    }
    report.push_str("]}");
    report
}

/// Renders a diagnostic as one JSON object on one line, without a newline behind it:
/// an object of the `diagnostics` of a [`report`] with the source's name in front, as
/// `file`, which is null if there is no source.
///
/// ```
/// use spirvkit_diagnostics::{Diagnostic, ErrorClass, Source, render};
///
/// let source = Source::new("a.spvasm", "OpFoo");
/// let diagnostic = Diagnostic::error("text.unknown-opcode", ErrorClass::InvalidLookup, "no `OpFoo`");
/// let line = render::json(&diagnostic, Some(&source));
/// assert!(line.starts_with(r#"{"file":"a.spvasm","severity":"error","rule":"text.unknown-opcode""#));
/// ```
pub fn json(diagnostic: &Diagnostic, source: Option<&Source<'_>>) -> String {
    let mut all = Map::new();
    all.insert("file".into(), json!(source.map(Source::name)));
    if let Value::Object(members) = object(diagnostic, source) {
        all.extend(members);
    }
    visible_lines(&Value::Object(all).to_string()).into_owned()
}

fn object(diagnostic: &Diagnostic, source: Option<&Source<'_>>) -> Value {
    let shader = diagnostic.shader_line().map(|line| {
        json!({
            "file": line.file,
            "line": line.line,
            "column": line.column,
            "text": line.text.as_deref(),
        })
    });
    let related: Vec<Value> = diagnostic
        .labels()
        .iter()
        .map(|label| {
            let mut related = json!({
                "message": label.message,
                "word_offset": label.word_offset.or(word(label.location)),
                "instruction": label.instruction.as_ref().map(Quote::text),
                "operand": operand(label.operand, label.instruction.as_ref()),
                "location": location(label.location, source),
            });
            if let Some(elsewhere) = &label.elsewhere {
                related["file"] = json!(elsewhere.file);
                related["location"] = json!(elsewhere.place.map(|(span, position)| {
                    json!({
                        "line": position.line,
                        "column": position.column,
                        "byte_start": span.start,
                        "byte_end": span.end,
                    })
                }));
            }
            related
        })
        .collect();
    json!({
        "severity": diagnostic.severity().name(),
        "rule": diagnostic.rule(),
        "category": diagnostic.class().name(),
        "spec": diagnostic.section(),
        "vuid": diagnostic.vuid(),
        "word_offset": diagnostic.word_offset().or(word(diagnostic.location())),
        "instruction": diagnostic.instruction(),
        "operand": operand(diagnostic.operand(), diagnostic.quote()),
        "message": diagnostic.message(),
        "location": location(diagnostic.location(), source),
        "source": shader,
        "related": related,
        "help": diagnostic.help(),
    })
}

fn operand(word: Option<usize>, quote: Option<&Quote>) -> Option<Value> {
    let span = quote.and_then(Quote::operand);
    Some(json!({
        "word_offset": word?,
        "byte_start": span.map(|span| span.start),
        "byte_end": span.map(|span| span.end),
    }))
}

fn word(location: Location) -> Option<usize> {
    match location {
        Location::Word(word) => Some(word),
        _ => None,
    }
}

fn location(location: Location, source: Option<&Source<'_>>) -> Option<Value> {
    let Location::Span(Span { start, end }) = location else {
        return None;
    };
    let mut object = Map::new();
    if let Some(source) = source {
        let position = source.position(start);
        object.insert("line".into(), json!(position.line));
        object.insert("column".into(), json!(position.column));
    }
    object.insert("byte_start".into(), json!(start));
    object.insert("byte_end".into(), json!(end));
    Some(Value::Object(object))
}
