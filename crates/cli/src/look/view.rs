//! Looking into the debug information of one module, and showing what was found.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use spirvkit::binary::Budget;
use spirvkit::debuginfo::{DebugInfo, Entry};
use spirvkit::text::IdNames;

use super::Looked;
use super::ids::Trouble;
use super::limit::{Each, Limit};
use crate::arguments::{FormArguments, RawIds, Reading};
use crate::exit::{Ending, UsageError};
use crate::input::load::FromText;
use crate::report::{Format, Reporter, stream};

/// The version of the JSON that these commands write: see docs/debug-json.md.
const VERSION: u32 = 1;

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

impl<'a> View<'a> {
    /// A view of a module that was read.
    pub(crate) fn new(
        looked: &'a Looked<'_>,
        info: &'a DebugInfo<'a>,
        raw: RawIds,
        format: Format,
    ) -> Self {
        Self {
            info,
            shown: looked.shown(raw),
            ids: &looked.ids,
            name: looked.name,
            text: looked.text,
            format,
            limit: Limit::new(Budget::for_words(info.words().len())),
        }
    }

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

    /// Reads the module, and has it looked at and shown; what is not found is reported, and
    /// makes the command fail.
    pub(crate) fn show(
        &self,
        raw: RawIds,
        look: impl FnOnce(&View<'_>, &mut dyn Write) -> Result<Found, Failure>,
    ) -> Result<Ending, UsageError> {
        show(self.single.input.as_ref(), &self.form, raw, look)
    }
}

/// The same, with the module's path given otherwise.
pub(crate) fn show(
    module: Option<&PathBuf>,
    form: &FormArguments,
    raw: RawIds,
    look: impl FnOnce(&View<'_>, &mut dyn Write) -> Result<Found, Failure>,
) -> Result<Ending, UsageError> {
    let reporter = Reporter::new(form.format, form.color.on_stderr());
    super::look(module, reporter, |looked, messages| {
        // It has a header.
        let Ok(info) = DebugInfo::read(looked.module.words()) else {
            return Ok(());
        };
        let view = View::new(looked, &info, raw, form.format);
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
        match found {
            Ok(found) => {
                for warning in &found.warnings {
                    messages.add_of(looked.name, &warning.diagnostic());
                }
                if let Some(why) = found.nothing {
                    messages.add_of(looked.name, &Trouble::not_found(why).diagnostic());
                }
            }
            Err(trouble) => messages.add_of(looked.name, &trouble.diagnostic()),
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
