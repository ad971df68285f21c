//! `spv debug vars`: variables, and where they are.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::{self, Entry, Kind, Location};

use super::location::{Wanted, entry_json};
use super::place_help;
use super::reading::{FormArguments, Found, View, show};
use crate::cli::RawIds;
use crate::exit::{Ending, UsageError};

/// Show the variables that are visible at an instruction or line, or all of them
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The module's file, or `-` for standard input
    #[arg(value_name = "MODULE")]
    module: Option<PathBuf>,

    /// An offset in bytes (0x1a4), an id (%12, %main, main), or a line of the source
    /// (shader.comp:12, or 12)
    #[arg(value_name = "WHERE")]
    place: Option<Wanted>,

    #[command(flatten)]
    form: FormArguments,

    #[command(flatten)]
    raw: RawIds,
}

const AFTER_HELP: &str = place_help!(
    "  spv debug vars shader.spv
  spv debug vars shader.spv shader.comp:12
  spv debug vars shader.spv %57"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let (form, raw_ids) = (&arguments.form, arguments.raw.raw_id);
    show(arguments.module.as_ref(), form, raw_ids, |view| {
        let Some(wanted) = &arguments.place else {
            return Ok(all(view));
        };
        let (first, warnings) = wanted.find_first(view)?;
        Ok(Found {
            warnings,
            ..visible(view, first)
        })
    })
}

/// The variables that are visible at an instruction.
fn visible(view: &View<'_>, offset: WordOffset) -> Found {
    let info = view.info;
    let frames: Vec<_> = info.frames(offset).collect();
    let mut text = String::new();
    let mut values = Vec::new();
    for found in info.variables(offset) {
        let frame = frames.get(found.frame);
        let function = frame.and_then(|frame| frame.function());
        let location = location_text(view, &found.location);
        line(view, found.variable, &location, &mut text);
        values.push(json!({
            "variable": variable_json(found.variable),
            "frame": found.frame,
            "function": entry_json(function),
            "location": location_json(&found.location),
        }));
    }
    let is_empty = values.is_empty();
    let found = Found {
        text,
        json: json!({ "offset": offset.bytes(), "variables": values }),
        ..Found::default()
    };
    found.or_nothing(is_empty, "no variable is visible there")
}

/// All variables, with all that is said of where they are.
fn all(view: &View<'_>) -> Found {
    let info = view.info;
    let mut text = String::new();
    let mut values = Vec::new();
    let variables = info
        .entries()
        .filter(|entry| matches!(entry.kind(), Kind::LocalVariable | Kind::GlobalVariable));
    for variable in variables {
        let locations = match variable.kind() {
            Kind::GlobalVariable => vec![(None, debuginfo::global_location(variable))],
            _ => info
                .bindings(variable)
                .map(|binding| (Some(binding.offset()), debuginfo::bound_location(binding)))
                .collect(),
        };
        let function = variable.function();
        let of = function.and_then(|function| function.name());
        let of = of.map_or_else(String::new, |name| format!(" of {name}"));
        line(view, variable, &of, &mut text);
        for (offset, location) in &locations {
            let from = offset.map_or_else(String::new, |at| format!("from {:#x} on: ", at.bytes()));
            let _ = writeln!(
                text,
                "    {from}{}",
                location_text(view, location).trim_start()
            );
        }
        let locations = locations.iter().map(|(offset, location)| {
            json!({
                "offset": offset.map(WordOffset::bytes),
                "location": location_json(location),
            })
        });
        values.push(json!({
            "variable": variable_json(variable),
            "function": entry_json(function),
            "locations": locations.collect::<Vec<_>>(),
        }));
    }
    let is_empty = values.is_empty();
    let found = Found {
        text,
        json: json!({ "variables": values }),
        ..Found::default()
    };
    found.or_nothing(is_empty, "the module describes no variables")
}

fn line(view: &View<'_>, variable: Entry<'_>, rest: &str, out: &mut String) {
    let id = view.shown.show(variable.id());
    let _ = write!(out, "{id} {}{rest}", view.summary(variable));
    if let Some(place) = variable.place_text() {
        let _ = write!(out, "  {place}");
    }
    out.push('\n');
}

fn location_text(view: &View<'_>, location: &Location) -> String {
    let (what, value) = match location {
        Location::Memory(value) => ("in memory at", value),
        Location::Value(value) => ("the value", value),
        Location::Unknown => return "  nowhere: optimized away".to_owned(),
    };
    let mut out = format!("  {what} {}", view.shown.show(value.id));
    for &index in &value.indexes {
        let _ = write!(out, "[{}]", view.shown.show(index));
    }
    for (number, operation) in value.operations.iter().enumerate() {
        let separator = if number == 0 { ":" } else { "," };
        let _ = write!(out, "{separator} {}", operation.code);
        for operand in &operation.operands {
            let _ = write!(out, " {operand}");
        }
    }
    out
}

fn variable_json(variable: Entry<'_>) -> Value {
    json!({
        "id": variable.id().0,
        "kind": variable.kind().name(),
        "name": variable.name(),
        "type": variable.type_().map(|ty| ty.type_text()),
        "declared_at": variable.place_text(),
    })
}

fn location_json(location: &Location) -> Value {
    let (kind, value) = match location {
        Location::Memory(value) => ("memory", value),
        Location::Value(value) => ("value", value),
        Location::Unknown => return json!({"kind": "unknown"}),
    };
    let operations = value.operations.iter().map(|operation| {
        json!({"operation": operation.code.to_string(), "operands": operation.operands})
    });
    json!({
        "kind": kind,
        "id": value.id.0,
        "indexes": value.indexes.iter().map(|id| id.0).collect::<Vec<_>>(),
        "operations": operations.collect::<Vec<_>>(),
    })
}
