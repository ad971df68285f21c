//! `spv debug vars`: variables, and where they are.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::{self, Entry, Field, Kind, Location};

use crate::arguments::{FormArguments, RawIds, help::place_help};
use crate::exit::{Ending, UsageError};
use crate::look::limit::List;
use crate::look::places::{Wanted, entry_json};
use crate::look::view::{Found, View, show};
use crate::report::Format;

/// Show the variables that are visible at an instruction or line, or all variables
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
    let (form, raw) = (&arguments.form, arguments.raw);
    show(arguments.module.as_ref(), form, raw, |view, out| {
        let Some(wanted) = &arguments.place else {
            return Ok(all(view, out)?);
        };
        let (first, warnings) = wanted.find_first(view)?;
        Ok(Found {
            warnings,
            ..visible(view, first, out)?
        })
    })
}

/// The variables that are visible at an instruction.
fn visible(view: &View<'_>, offset: WordOffset, out: &mut dyn Write) -> io::Result<Found> {
    let variables = view.info.variables(offset);
    match view.format {
        Format::Human => {
            for found in view.each(variables.clone()) {
                let location = location_text(view, &found.location);
                write_line(view, found.variable, &location, out)?;
            }
        }
        Format::Json => {
            let function = |frame: usize| variables.frames().get(frame)?.function();
            let visible = List(|| {
                view.each(variables.clone()).map(|found| Visible {
                    variable: variable_json(found.variable),
                    frame: found.frame,
                    function: entry_json(function(found.frame)),
                    location: Shown(view, found.location),
                })
            });
            let found = Variables {
                offset: Some(offset.bytes()),
                variables: visible,
            };
            view.write_json(out, found)?;
        }
    }
    let is_empty = variables.clone().next().is_none();
    Ok(Found::or_nothing(is_empty, "no variable is visible there"))
}

/// All variables, with all that is said of where they are.
fn all(view: &View<'_>, out: &mut dyn Write) -> io::Result<Found> {
    let is_variable =
        |entry: &Entry<'_>| matches!(entry.kind(), Kind::LocalVariable | Kind::GlobalVariable);
    let variables = || view.info.entries().filter(is_variable);
    match view.format {
        Format::Human => {
            for variable in view.each(variables()) {
                write_variable(view, variable, out)?;
            }
        }
        Format::Json => {
            let described = List(|| {
                view.each(variables()).map(|variable| Described {
                    variable: variable_json(variable),
                    function: entry_json(variable.function()),
                    locations: Locations(view, variable),
                })
            });
            let found = Variables {
                offset: None,
                variables: described,
            };
            view.write_json(out, found)?;
        }
    }
    let is_empty = variables().next().is_none();
    Ok(Found::or_nothing(
        is_empty,
        "the module describes no variables",
    ))
}

/// What is said of where a variable is: of a global one in general, of others from
/// offsets on.
fn locations<'v>(
    view: &'v View<'_>,
    variable: Entry<'v>,
) -> impl Iterator<Item = (Option<WordOffset>, Location<'v>)> {
    let is_global = variable.kind() == Kind::GlobalVariable;
    let global = is_global.then(|| (None, debuginfo::global_location(variable)));
    let bindings = (!is_global).then(|| view.info.bindings(variable));
    let bound = bindings.into_iter().flatten();
    let bound = bound.map(|binding| (Some(binding.offset()), debuginfo::bound_location(binding)));
    global.into_iter().chain(bound)
}

fn write_variable(view: &View<'_>, variable: Entry<'_>, out: &mut dyn Write) -> io::Result<()> {
    let function = variable.function();
    let of = function.and_then(|function| function.short_name());
    let of = of.map_or_else(String::new, |name| format!(" of {name}"));
    write_line(view, variable, &of, out)?;
    for (offset, location) in view.each(locations(view, variable)) {
        let from = offset.map_or_else(String::new, |at| format!("from {:#x} on: ", at.bytes()));
        let location = location_text(view, &location);
        writeln!(out, "    {from}{}", location.trim_start())?;
    }
    Ok(())
}

fn write_line(
    view: &View<'_>,
    variable: Entry<'_>,
    rest: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let id = view.shown.show(variable.id());
    write!(out, "{id} {}{rest}", view.summary(variable))?;
    if let Some(place) = variable.place_text() {
        write!(out, "  {place}")?;
    }
    writeln!(out)
}

/// The most operations, and the most indexes, that are listed of a place.
const MAX: usize = 100;

fn location_text(view: &View<'_>, location: &Location<'_>) -> String {
    let (what, value) = match location {
        Location::Memory(value) => ("in memory at", value),
        Location::Value(value) => ("the value", value),
        Location::Unknown => return "  nowhere: optimized away".to_owned(),
    };
    let mut out = format!("  {what} {}", view.shown.show(value.id));
    for index in value.indexes().take(MAX) {
        let _ = write!(out, "[{}]", view.shown.show(index));
    }
    if value.indexes().len() > MAX {
        out.push_str("[…]");
    }
    let operations = value.expression.into_iter();
    let operations = operations.flat_map(|expression| expression.entries(Field::Operations));
    let mut operations = operations.filter_map(|entry| entry.operation_text());
    for (number, operation) in operations.by_ref().take(MAX).enumerate() {
        let separator = if number == 0 { ":" } else { "," };
        let _ = write!(out, "{separator} {operation}");
    }
    if operations.next().is_some() {
        out.push_str(", …");
    }
    out
}

/// What is shown as JSON: with a place, or all.
#[derive(Serialize)]
struct Variables<V> {
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    variables: V,
}

/// A variable that is visible at a place.
#[derive(Serialize)]
struct Visible<'v> {
    variable: Value,
    frame: usize,
    function: Value,
    location: Shown<'v>,
}

/// A variable with all that is said of it.
#[derive(Serialize)]
struct Described<'v> {
    variable: Value,
    function: Value,
    locations: Locations<'v>,
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

/// See [`locations`].
struct Locations<'v>(&'v View<'v>, Entry<'v>);

impl Serialize for Locations<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct From<'v> {
            offset: Option<usize>,
            location: Shown<'v>,
        }
        let Self(view, variable) = self;
        let locations = view.each(locations(view, *variable));
        serializer.collect_seq(locations.map(|(offset, location)| From {
            offset: offset.map(WordOffset::bytes),
            location: Shown(view, location),
        }))
    }
}

/// A place as JSON.
struct Shown<'v>(&'v View<'v>, Location<'v>);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(view, location) = self;
        let mut object = serializer.serialize_map(None)?;
        let (kind, value) = match location {
            Location::Memory(value) => ("memory", value),
            Location::Value(value) => ("value", value),
            Location::Unknown => {
                object.serialize_entry("kind", "unknown")?;
                return object.end();
            }
        };
        object.serialize_entry("kind", kind)?;
        object.serialize_entry("id", &value.id.0)?;
        let indexes = List(|| view.each(value.indexes()).map(|id| id.0));
        object.serialize_entry("indexes", &indexes)?;
        let operations = || {
            value
                .expression
                .into_iter()
                .flat_map(|it| it.entries(Field::Operations))
        };
        let operations = List(|| view.each(operations()).filter_map(|it| operation(view, it)));
        object.serialize_entry("operations", &operations)?;
        object.end()
    }
}

fn operation<'v>(view: &'v View<'_>, entry: Entry<'v>) -> Option<impl Serialize + use<'v>> {
    #[derive(Serialize)]
    struct Shown<O> {
        operation: String,
        operands: O,
    }
    Some(Shown {
        operation: entry.operation_code()?.to_string(),
        operands: List(move || view.each(entry.operation_operands())),
    })
}
