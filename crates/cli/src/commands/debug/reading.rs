//! Reading the one module that these commands look into, and showing what was found.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use spirvkit::binary::Budget;
use spirvkit::debuginfo::{DebugInfo, Entry};
use spirvkit::diagnostics::Source;
use spirvkit::text::IdNames;

use crate::change::{FromText, stream};
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::ids::Trouble;
use crate::limit::{Each, Limit};
use crate::look::Single;
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
    /// The format of the output and of errors
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
    /// How much is shown of all lists together.
    limit: Limit,
}

impl View<'_> {
    /// Those of a list that are to be shown: see [`Limit::each`].
    pub(crate) fn each<I: Iterator>(&self, rows: I) -> Each<'_, I> {
        self.limit.each(rows)
    }

    /// Shows an object, with the version in front, and what was left out behind it.
    pub(crate) fn write_json(&self, out: &mut dyn Write, found: impl Serialize) -> io::Result<()> {
        let left_out = &self.limit;
        write_document(out, found, left_out)
    }

    /// What an entry describes, in a line.
    pub(crate) fn summary(&self, entry: Entry<'_>) -> String {
        self.shown.show_in(&entry.summary()).into_owned()
    }
}

/// What there is to say of what was shown.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) warnings: Vec<Trouble>,
    /// Why nothing was found, if that is so: it is an error, whatever there is to show.
    pub(crate) nothing: Option<&'static str>,
}

impl Found {
    /// An error if there is nothing.
    pub(crate) fn or_nothing(is_empty: bool, why: &'static str) -> Self {
        Self {
            nothing: is_empty.then_some(why),
            ..Self::default()
        }
    }
}

/// Why nothing, or not all, was shown.
pub(crate) enum Failure {
    /// There is nothing to show.
    Trouble(Trouble),
    /// It can't be written.
    Write(io::Error),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Reading {
    /// The module's path, if it is not standard input.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.single.input.as_deref()
    }

    /// Reads the module, and has it looked at and shown; what is not found is told, and
    /// makes the command fail.
    /// Ids are shown by their numbers if `raw_ids` says so.
    pub(crate) fn show(
        &self,
        raw_ids: bool,
        look: impl FnOnce(&View<'_>, &mut dyn Write) -> Result<Found, Failure>,
    ) -> Result<Ending, UsageError> {
        show(self.single.input.as_ref(), &self.form, raw_ids, look)
    }
}

/// The same, with the module's path given otherwise.
pub(crate) fn show(
    module: Option<&PathBuf>,
    form: &FormArguments,
    raw_ids: bool,
    look: impl FnOnce(&View<'_>, &mut dyn Write) -> Result<Found, Failure>,
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
            limit: Limit::new(Budget::for_words(info.words().len())),
        };
        let mut found = Ok(Found::default());
        stream(messages, |out| {
            let mut out = view.limit.counting(out);
            match look(&view, &mut out) {
                Ok(all) => found = Ok(all),
                Err(Failure::Trouble(trouble)) => found = Err(trouble),
                Err(Failure::Write(error)) => return Err(error),
            }
            match form.format {
                Format::Human => view.limit.tell(&mut out),
                Format::Json => Ok(()),
            }
        });
        let source = Source::new(looked.name, "");
        match found {
            Ok(found) => {
                for warning in &found.warnings {
                    messages.add(&warning.diagnostic(), &source);
                }
                if let Some(why) = found.nothing {
                    messages.add(&Trouble::not_found(why).diagnostic(), &source);
                }
            }
            Err(trouble) => messages.add(&trouble.diagnostic(), &source),
        }
        Ok(())
    })
}

/// Writes an object, with the version in front.
pub(crate) fn write_document(
    out: &mut dyn Write,
    found: impl Serialize,
    left_out: &Limit,
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        version: u32,
        #[serde(flatten)]
        found: T,
        #[serde(skip_serializing_if = "Limit::is_whole")]
        left_out: &'a Limit,
    }
    let document = Document {
        version: VERSION,
        found,
        left_out,
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}
