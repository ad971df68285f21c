//! SARIF 2.1.0, as code hosts read it.
//!
//! A log is written in three parts, so that it can be put out while it is made:
//! [`sarif_start`], the [`sarif_results`] of each input with commas between
//! those that are not empty, [`sarif_end`].

use serde_json::{Map, Value, json};

use crate::{Diagnostic, Elsewhere, Location, Severity, ShaderLine, Source, visible_lines};

/// What a log says about a rule.
#[derive(Clone, Debug)]
pub struct SarifRule<'a> {
    /// The stable id.
    pub id: &'a str,
    /// What the rule says.
    pub text: String,
    /// How bad it is to break it; `None` if that is not given.
    pub severity: Option<Severity>,
}

/// The part of a log before the results. `tool` and `version` name the program.
///
/// ```
/// use spirvkit_diagnostics::{Diagnostic, ErrorClass, Severity, render};
///
/// let rule = render::SarifRule {
///     id: "id.undefined",
///     text: "Every id is defined.".to_owned(),
///     severity: Some(Severity::Error),
/// };
/// let found = Diagnostic::error("id.undefined", ErrorClass::InvalidId, "nothing defines %9").at_word(12);
/// let log = render::sarif_start("spv", "1.0", &[rule])
///     + &render::sarif_results("a.spv", &[found], None)
///     + render::sarif_end();
/// let log: serde_json::Value = serde_json::from_str(&log).unwrap();
/// assert_eq!(log["runs"][0]["results"][0]["ruleId"], "id.undefined");
/// ```
pub fn sarif_start(tool: &str, version: &str, rules: &[SarifRule<'_>]) -> String {
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.text },
                "defaultConfiguration": match rule.severity {
                    Some(severity) => json!({ "level": severity.name() }),
                    None => json!({ "enabled": false }),
                },
                "help": { "text": format!("`spv explain {}` shows examples.", rule.id) },
            })
        })
        .collect();
    let driver = json!({ "name": tool, "semanticVersion": version, "rules": rules });
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\
         \"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"columnKind\":\"unicodeCodePoints\",\"results\":["
    )
}

/// The results of one input, with commas between them.
pub fn sarif_results(
    file: &str,
    diagnostics: &[Diagnostic],
    source: Option<&Source<'_>>,
) -> String {
    let mut results = String::new();
    for diagnostic in diagnostics {
        if !results.is_empty() {
            results.push(',');
        }
        results.push_str(&visible_lines(
            &result(file, diagnostic, source).to_string(),
        ));
    }
    results
}

/// The part of a log behind the results.
pub fn sarif_end() -> &'static str {
    "]}]}"
}

fn result(file: &str, diagnostic: &Diagnostic, source: Option<&Source<'_>>) -> Value {
    let mut text = diagnostic.message().to_owned();
    if let Some(instruction) = diagnostic.instruction() {
        text = format!("{text}\nin: {instruction}");
    }
    let mut main = place(
        file,
        diagnostic.location(),
        diagnostic.word_offset(),
        source,
    );
    let mut related = Vec::new();
    if let Some(line) = diagnostic.shader_line() {
        let mut other = shader_place(line);
        let mut about = "the shader's source";
        // Whoever wrote the shader can fix it there, if it is at hand at all: then
        // the module has its text.
        if line.text.is_some() {
            std::mem::swap(&mut main, &mut other);
            about = "the instruction in the module";
        }
        related.push(json!({ "message": { "text": about }, "physicalLocation": other }));
    }
    let labels = diagnostic.labels().iter().map(|label| {
        let place = match &label.elsewhere {
            None => place(file, label.location, label.word_offset, source),
            Some(elsewhere) => other_place(elsewhere, label.word_offset),
        };
        json!({
            "message": { "text": label.message },
            "physicalLocation": place,
        })
    });
    related.extend(labels);
    let mut properties = Map::new();
    properties.insert("category".into(), json!(diagnostic.class().name()));
    for (key, value) in [("spec", diagnostic.section()), ("vuid", diagnostic.vuid())] {
        if let Some(value) = value {
            properties.insert(key.into(), json!(value));
        }
    }
    if let Some(word) = diagnostic.word_offset() {
        properties.insert("wordOffset".into(), json!(word));
    }
    if let Some(line) = diagnostic.shader_line() {
        properties.insert("shaderLine".into(), json!(line.to_string()));
    }
    json!({
        "ruleId": diagnostic.rule(),
        "level": diagnostic.severity().name(),
        "message": { "text": text },
        "locations": [{ "physicalLocation": main }],
        "relatedLocations": related,
        "properties": properties,
    })
}

/// A place. Code hosts want a line of everything, so a binary file is one line.
fn place(
    file: &str,
    location: Location,
    word: Option<usize>,
    source: Option<&Source<'_>>,
) -> Value {
    let mut region = Map::new();
    match (location, source) {
        (Location::Span(span), Some(source)) => {
            let (start, end) = (source.position(span.start), source.position(span.end));
            region.insert("startLine".into(), json!(start.line));
            region.insert("startColumn".into(), json!(start.column));
            region.insert("endLine".into(), json!(end.line));
            region.insert("endColumn".into(), json!(end.column));
        }
        _ => {
            region.insert("startLine".into(), json!(1));
            if let Some(word) = word {
                region.insert("byteOffset".into(), json!(word * 4));
            }
        }
    }
    json!({
        "artifactLocation": { "uri": uri(file) },
        "region": region,
    })
}

/// A place in another file.
fn other_place(elsewhere: &Elsewhere, word: Option<usize>) -> Value {
    let mut other = place(&elsewhere.file, Location::None, word, None);
    if let Some((_, position)) = elsewhere.place {
        other["region"] = json!({ "startLine": position.line, "startColumn": position.column });
    }
    other
}

/// A place in the text that the module was compiled from.
fn shader_place(line: &ShaderLine) -> Value {
    let mut region = Map::new();
    region.insert("startLine".into(), json!(line.line.max(1)));
    if let Some(column) = line.column {
        region.insert("startColumn".into(), json!(column));
    }
    if let Some(text) = &line.text {
        region.insert("snippet".into(), json!({ "text": **text }));
    }
    json!({
        "artifactLocation": { "uri": uri(&line.file) },
        "region": region,
    })
}

/// A file's name as a relative reference of a URI.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        match byte {
            b'\\' => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}
