//! Reading the one module that these commands look into, and showing what was found.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;
use spirvkit::debuginfo::DebugInfo;
use spirvkit::diagnostics::Source;

use crate::change::write;
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::kinds;
use crate::look::Single;
use crate::output::Destination;
use crate::report::{self, Reporter};

/// The version of the JSON that these commands write: see docs/debug-json.md.
const VERSION: u32 = 1;

/// What all commands that look into a module take.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    #[command(flatten)]
    single: Single,

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

/// What was found, in the form that is wanted, or in both.
pub(crate) struct Found {
    pub(crate) text: String,
    /// An object.
    pub(crate) json: Value,
}

impl Found {
    pub(crate) fn text(text: String) -> Self {
        let json = Value::Null;
        Self { text, json }
    }

    pub(crate) fn json(json: Value) -> Self {
        let text = String::new();
        Self { text, json }
    }
}

impl Reading {
    /// The form that is wanted.
    pub(crate) fn form(&self) -> Form {
        self.form.format
    }

    /// Reads the module, has it looked at, and shows what comes of it; an error in a
    /// sentence is told, and makes the command fail.
    pub(crate) fn show(
        &self,
        look: impl FnOnce(&DebugInfo<'_>) -> Result<Found, String>,
    ) -> Result<Ending, UsageError> {
        show(self.single.input.as_ref(), &self.form, look)
    }
}

/// The same, with the module's path given otherwise.
pub(crate) fn show(
    module: Option<&PathBuf>,
    form: &FormArguments,
    look: impl FnOnce(&DebugInfo<'_>) -> Result<Found, String>,
) -> Result<Ending, UsageError> {
    let reporter = Reporter {
        format: match form.format {
            Form::Text => report::Format::Human,
            Form::Json => report::Format::Json,
        },
        color: form.color.on_stderr(),
    };
    crate::look::look(module, reporter, |looked, messages| {
        match look(&DebugInfo::read(&looked.module)) {
            Ok(found) => {
                let text = match form.format {
                    Form::Text => found.text,
                    Form::Json => json_text(found.json),
                };
                write(&Destination::Stdout, text.as_bytes(), messages);
            }
            Err(error) => {
                let error = kinds::NOT_FOUND.error(error);
                messages.add(&error, &Source::new(looked.name, ""));
            }
        }
        Ok(())
    })
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
