//! `spv debug dump`: everything, as a tree or as JSON.

use clap::Args;
use serde_json::{Map, Value, json};
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::{DebugInfo, Entry};
use spirvkit::grammar::Quantifier;

use super::location::position_json;
use super::look_help;
use super::reading::{Found, Reading, View};
use crate::cli::RawIds;
use crate::exit::{Ending, UsageError};

/// Show all debug information: a tree for people, or JSON
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    raw: RawIds,
}

const AFTER_HELP: &str = look_help!(
    "  spv debug dump shader.spv
  spv debug dump --format json shader.spv | jq '.entries[] | select(.kind == \"DebugFunction\")'"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.reading.show(arguments.raw.raw_id, |view| {
        let info = view.info;
        let is_empty = info.sets().next().is_none() && info.entries().next().is_none();
        let why = match info.files().next() {
            Some(_) => {
                "the module has no debug information but lines and files: see `spv debug \
                 sources` and `spv debug scopes`"
            }
            None => "the module has no debug information",
        };
        let json = |view: &View<'_>| json(view.info);
        Ok(Found::in_form(view, text, json).or_nothing(is_empty, why))
    })
}

fn text(view: &View<'_>) -> String {
    let mut out = String::new();
    for (id, set) in view.info.sets() {
        out.push_str(&format!("{} instruction set {set}\n", view.shown.show(id)));
    }
    let entry = |entry: Entry<'_>| {
        let id = view.shown.show(entry.id());
        format!("{id} {}", view.summary(entry))
    };
    out.push_str(&view.info.tree_of(entry));
    out
}

fn json(info: &DebugInfo<'_>) -> Value {
    let sets = info
        .sets()
        .map(|(id, set)| json!({"id": id.0, "name": set.import_name()}));
    let files = info
        .files()
        .map(|(id, file)| json!({"name": file.name(), "has_text": info.text_of(id).is_some()}));
    let functions = info.functions().iter().map(|function| {
        json!({
            "id": function.id.0,
            "start": function.words.start * 4,
            "end": function.words.end * 4,
            "described_by": info.description(function).map(|entry| entry.id().0),
        })
    });
    let lines = info.stretches().map(|range| {
        let offset = WordOffset(range.start);
        let scope = info.scope(offset);
        json!({
            "start": range.start * 4,
            "end": range.end * 4,
            "position": position_json(info, info.position(offset)),
            "scope": scope.map(|scope| scope.scope.id().0),
            "inlined_at": scope.and_then(|scope| scope.inlined_at).map(|at| at.id().0),
        })
    });
    json!({
        "sets": sets.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "entries": info.entries().map(entry_json).collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
        "lines": lines.collect::<Vec<_>>(),
    })
}

fn entry_json(entry: Entry<'_>) -> Value {
    let mut fields = Map::new();
    let slots = entry.slots();
    for (field, values) in entry.fields_text() {
        let many = slots.iter().find(|slot| slot.field() == field);
        let value = match many.map(|slot| slot.quantifier()) {
            Some(Quantifier::Many) => Value::from(values),
            _ => values.into_iter().next().into(),
        };
        fields.insert(field.name().to_owned(), value);
    }
    json!({
        "id": entry.id().0,
        "kind": entry.kind().name(),
        "offset": entry.offset().bytes(),
        "summary": entry.summary(),
        "fields": fields,
    })
}
