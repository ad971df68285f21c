//! Reading the one module that these commands look into, and showing what was found.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use spirvkit::debuginfo::{DebugInfo, Entry};
use spirvkit::diagnostics::Source;
use spirvkit::text::IdNames;

use crate::change::{FromText, write};
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::ids::Trouble;
use crate::look::Single;
use crate::output::Destination;
use crate::report::{Format, Reporter};

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
    /// The form of what is shown, and of errors
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

/// What is looked into.
pub(crate) struct View<'a> {
    pub(crate) info: &'a DebugInfo<'a>,
    /// What ids are called where they are shown to people.
    pub(crate) shown: &'a IdNames<'a>,
    /// The names by which users may mean ids.
    pub(crate) ids: &'a IdNames<'a>,
    /// How messages call the module's file.
    pub(crate) name: &'a str,
    /// The assembly text that the module was given as, if it was.
    pub(crate) text: Option<&'a FromText>,
    pub(crate) format: Format,
}

impl View<'_> {
    /// What an entry describes, in a line.
    pub(crate) fn summary(&self, entry: Entry<'_>) -> String {
        self.shown.show_in(&entry.summary()).into_owned()
    }
}

/// What was found, in the form that is wanted, or in both.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) text: String,
    /// An object.
    pub(crate) json: Value,
    pub(crate) warnings: Vec<Trouble>,
    /// Why nothing was found, if that is so: it is an error, whatever there is to show.
    pub(crate) nothing: Option<&'static str>,
}

impl Found {
    /// What is found in the form that is wanted.
    pub(crate) fn in_form(
        view: &View<'_>,
        text: impl FnOnce(&View<'_>) -> String,
        json: impl FnOnce(&View<'_>) -> Value,
    ) -> Self {
        match view.format {
            Format::Human => Self {
                text: text(view),
                ..Self::default()
            },
            Format::Json => Self {
                json: json(view),
                ..Self::default()
            },
        }
    }

    /// The same, or an error if there is nothing.
    pub(crate) fn or_nothing(self, is_empty: bool, why: &'static str) -> Self {
        let nothing = is_empty.then_some(why);
        Self { nothing, ..self }
    }
}

impl Reading {
    /// The module's path, if it is not standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.single.input.as_deref()
    }

    /// Reads the module, has it looked at, and shows what comes of it; what is not found
    /// is told, and makes the command fail.
    /// Ids are shown by their numbers if `raw_ids` says so.
    pub(crate) fn show(
        &self,
        raw_ids: bool,
        look: impl FnOnce(&View<'_>) -> Result<Found, Trouble>,
    ) -> Result<Ending, UsageError> {
        show(self.single.input.as_ref(), &self.form, raw_ids, look)
    }
}

/// The same, with the module's path given otherwise.
pub(crate) fn show(
    module: Option<&PathBuf>,
    form: &FormArguments,
    raw_ids: bool,
    look: impl FnOnce(&View<'_>) -> Result<Found, Trouble>,
) -> Result<Ending, UsageError> {
    let reporter = Reporter {
        format: form.format,
        color: form.color.on_stderr(),
    };
    crate::look::look(module, reporter, |looked, messages| {
        let info = DebugInfo::read(&looked.module);
        let numbers = IdNames::numbers(info.words());
        let view = View {
            info: &info,
            shown: if raw_ids { &numbers } else { &looked.ids },
            ids: &looked.ids,
            name: looked.name,
            text: looked.text,
            format: form.format,
        };
        let source = Source::new(looked.name, "");
        let found = match look(&view) {
            Ok(found) => found,
            Err(trouble) => {
                messages.add(&trouble.diagnostic(), &source);
                return Ok(());
            }
        };
        for warning in &found.warnings {
            messages.add(&warning.diagnostic(), &source);
        }
        let text = match form.format {
            Format::Human => found.text,
            Format::Json if found.json.is_null() => String::new(),
            Format::Json => json_text(found.json),
        };
        write(&Destination::Stdout, text.as_bytes(), messages);
        if let Some(why) = found.nothing {
            messages.add(&Trouble::not_found(why).diagnostic(), &source);
        }
        Ok(())
    })
}

/// The document, with the version in front.
pub(crate) fn json_text(found: Value) -> String {
    let mut document = serde_json::Map::new();
    document.insert("version".into(), VERSION.into());
    if let Value::Object(members) = found {
        document.extend(members);
    }
    let mut text = Value::Object(document).to_string();
    text.push('\n');
    text
}
