//! `spv debug dump`: everything, as a tree or as JSON.

use std::io::{self, Write};
use std::ops::Range;

use clap::Args;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::json;
use spirvkit::binary::{Id, WordOffset};
use spirvkit::debuginfo::{Entry, File, FileId, Function, Set};
use spirvkit::grammar::Quantifier;

use crate::arguments::{RawIds, Reading, help::look_help};
use crate::exit::{Ending, UsageError};
use crate::look::limit::List;
use crate::look::places::position_json;
use crate::look::view::{Found, View};
use crate::report::Format;

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
    arguments.reading.show(arguments.raw, |view, out| {
        let info = view.info;
        match view.format {
            Format::Human => text(view, out)?,
            Format::Json => view.write_json(out, json(view))?,
        }
        let is_empty = info.sets().next().is_none() && info.entries().next().is_none();
        let why = match info.files().next() {
            Some(_) => {
                "the module has no debug information except lines and files: `spv debug sources` and \
                 `spv debug scopes` show these"
            }
            None => "the module has no debug information",
        };
        Ok(Found::or_nothing(is_empty, why))
    })
}

fn text(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (id, set) in view.info.sets() {
        writeln!(out, "{} instruction set {set}", view.shown.show(id))?;
    }
    for branch in view.each(view.info.tree()) {
        let (entry, indent) = (branch.entry, branch.indent());
        let id = view.shown.show(entry.id());
        write!(out, "{:indent$}{id} {}", "", view.summary(entry))?;
        if let Some(place) = entry.place_text() {
            write!(out, "  {place}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn json<'v>(view: &'v View<'_>) -> impl Serialize + 'v {
    let info = view.info;
    let set = |(id, set): (Id, Set)| json!({"id": id.0, "name": set.import_name()});
    let file = |(id, file): (FileId, &File)| json!({"name": file.name(), "has_text": info.text_of(id).is_some()});
    let function = |function: &Function| {
        json!({
            "id": function.id.0,
            "start": function.words.start * 4,
            "end": function.words.end * 4,
            "described_by": info.description(function).map(|entry| entry.id().0),
        })
    };
    let line = |range: Range<usize>| {
        let offset = WordOffset(range.start);
        let scope = info.scope(offset);
        json!({
            "start": range.start * 4,
            "end": range.end * 4,
            "position": position_json(info, info.position(offset)),
            "scope": scope.map(|scope| scope.scope.id().0),
            "inlined_at": scope.and_then(|scope| scope.inlined_at).map(|at| at.id().0),
        })
    };
    Dump {
        sets: List(move || info.sets().map(set)),
        files: List(move || view.each(info.files()).map(file)),
        entries: List(move || view.each(info.entries()).map(|entry| Dumped(view, entry))),
        functions: List(move || view.each(info.functions().iter()).map(function)),
        lines: List(move || view.each(info.runs()).map(line)),
    }
}

#[derive(Serialize)]
struct Dump<S, F, E, N, L> {
    sets: S,
    files: F,
    entries: E,
    functions: N,
    lines: L,
}

/// An entry with all that it says.
struct Dumped<'v>(&'v View<'v>, Entry<'v>);

impl Serialize for Dumped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, entry) = self;
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("id", &entry.id().0)?;
        object.serialize_entry("kind", entry.kind().name())?;
        object.serialize_entry("offset", &entry.offset().bytes())?;
        object.serialize_entry("summary", &entry.summary())?;
        object.serialize_entry("fields", &Fields(view, *entry))?;
        object.end()
    }
}

/// The operands of an entry by their names.
struct Fields<'v>(&'v View<'v>, Entry<'v>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, entry) = self;
        let slots = entry.slots();
        let mut object = serializer.serialize_map(None)?;
        for (field, mut values) in entry.fields_text() {
            let slot = slots.iter().find(|slot| slot.field() == field);
            match slot.map(|slot| slot.quantifier()) {
                Some(Quantifier::Many) => {
                    let values = List(|| view.each(values.clone()));
                    object.serialize_entry(field.name(), &values)?;
                }
                _ => object.serialize_entry(field.name(), &values.next())?,
            }
        }
        object.end()
    }
}
