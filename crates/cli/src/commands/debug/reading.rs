//! Reading the one module that these commands look into, and showing what was found.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;
use spirvkit::Diagnostic;
use spirvkit::binary::Module;
use spirvkit::debuginfo::DebugInfo;
use spirvkit::diagnostics::{ErrorClass, Source};

use crate::change::{add_error, load_words, write};
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::inputs::Inputs;
use crate::output::Destination;
use crate::report::{self, Messages, Reporter};

/// The version of the JSON that these commands write: see docs/debug-json.md.
const VERSION: u32 = 1;

/// What all commands that look into a module take.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The module's file, or `-` for standard input [default: standard input]
    #[arg(value_name = "MODULE")]
    module: Option<PathBuf>,

    #[command(flatten)]
    form: FormArguments,
}

/// How to show what was found.
#[derive(Debug, Args)]
pub(crate) struct FormArguments {
    /// How to write what was found, and errors: for people, or as JSON
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Form,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

/// A form to show things in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For people
    Text,
    /// One JSON document
    Json,
}

/// What was found.
pub(crate) struct Found {
    pub(crate) text: String,
    /// An object.
    pub(crate) json: Value,
}

impl Reading {
    /// Reads the module, has it looked at, and shows what comes of it; an error in a
    /// sentence is told, and makes the command fail.
    pub(crate) fn show(
        &self,
        look: impl FnOnce(&DebugInfo<'_>) -> Result<Found, String>,
    ) -> Result<Ending, UsageError> {
        show(self.module.as_ref(), &self.form, look)
    }
}

/// The same, with the module's path given otherwise.
pub(crate) fn show(
    module: Option<&PathBuf>,
    form: &FormArguments,
    look: impl FnOnce(&DebugInfo<'_>) -> Result<Found, String>,
) -> Result<Ending, UsageError> {
    let paths: Vec<PathBuf> = module.into_iter().cloned().collect();
    let inputs = Inputs::find(&paths, &["spv", "spvasm"])?;
    let input = match inputs.list.as_slice() {
        [input] if !inputs.many => input,
        _ => return Err(UsageError("this takes one module, not a directory".into())),
    };
    let mut messages = Messages::new(Reporter {
        format: match form.format {
            Form::Text => report::Format::Human,
            Form::Json => report::Format::Json,
        },
        color: form.color.on_stderr(),
    });
    let words = match input.read() {
        Ok(bytes) => load_words(&input.name, bytes, &mut messages),
        Err(error) => {
            messages.add_read_error(&input.name, &error);
            None
        }
    };
    let words = words.map(|(words, _)| words).unwrap_or_default();
    let module = match messages.failed() {
        true => None,
        false => Module::new(&words)
            .map_err(|error| add_error(&input.name, &error, &mut messages))
            .ok(),
    };
    if let Some(module) = module {
        match look(&DebugInfo::read(&module)) {
            Ok(found) => {
                let text = match form.format {
                    Form::Text => found.text,
                    Form::Json => json_text(found.json),
                };
                write(&Destination::Stdout, text.as_bytes(), &mut messages);
            }
            Err(error) => {
                let error = Diagnostic::error("debug.not-found", ErrorClass::InvalidLookup, error);
                messages.add(&error, &Source::new(&input.name, ""));
            }
        }
    }
    messages.print();
    Ok(Ending::unless(messages.failed()))
}

/// The document, with the version in front.
fn json_text(found: Value) -> String {
    let mut document = serde_json::Map::new();
    document.insert("version".into(), VERSION.into());
    if let Value::Object(members) = found {
        document.extend(members);
    }
    let mut text = Value::Object(document).to_string();
    text.push('\n');
    text
}
