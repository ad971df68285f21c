//! `spv debug sources`: the source files that a module names, and their texts.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::json;
use spirvkit::debuginfo::{DebugInfo, File, FileId};
use spirvkit::diagnostics::counted;

use crate::arguments::{RawIds, Reading, help::look_help};
use crate::exit::{Ending, UsageError};
use crate::look::ids::Trouble;
use crate::look::limit::List;
use crate::look::places::no_file;
use crate::look::view::{Failure, Found, View};
use crate::output::extract::extract;
use crate::report::Format;

/// List the source files that a module names, or extract their texts
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,

    /// Write the texts to files in this directory, which is created if needed. Paths are
    /// kept, but never lead out of it, not even through links. If anything is in the way
    /// of any file, nothing is written
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,

    /// Replace existing files
    #[arg(long, requires = "extract")]
    force: bool,

    /// Write the text of this file to standard output: its path as in the module, or the
    /// last parts of the path
    #[arg(long, value_name = "FILE", conflicts_with = "extract")]
    print: Option<String>,
}

const AFTER_HELP: &str = look_help!(
    "  spv debug sources shader.spv
  spv debug sources --extract src/ shader.spv
  spv debug sources --print main.comp shader.spv"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.reading.show(RawIds::default(), |view, out| {
        if let Some(name) = &arguments.print {
            return print(view, name, out);
        }
        let paths = match &arguments.extract {
            Some(directory) => write_texts(view.info, directory, arguments.force)?,
            None => HashMap::new(),
        };
        match view.format {
            Format::Human => list(view, &paths, out)?,
            Format::Json => {
                let files = List(|| {
                    let files = view.each(view.info.files());
                    files.map(|(id, file)| Source::of(view.info, id, file, &paths))
                });
                view.write_json(out, BTreeMap::from([("files", files)]))?;
            }
        }
        let is_empty = view.info.files().next().is_none();
        Ok(Found::or_nothing(
            is_empty,
            "the module names no source files",
        ))
    })
}

/// Where the texts of files were written.
type Paths = HashMap<FileId, PathBuf>;

fn list(view: &View<'_>, paths: &Paths, out: &mut dyn Write) -> io::Result<()> {
    let info = view.info;
    for (id, file) in view.each(info.files()) {
        write!(out, "{}", file.name())?;
        match info.text_of(id) {
            Some(source) => {
                let bytes = counted(source.len(), "byte");
                let lines = counted(source.lines().count(), "line");
                write!(out, "  {bytes}, {lines}")?;
            }
            None => write!(out, "  no text")?,
        }
        if let Some((kind, digits)) = info.checksum_of(id) {
            write!(out, "  {kind} {digits}")?;
        }
        if let Some(path) = paths.get(&id) {
            write!(out, "  written to {}", path.display())?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A file as JSON.
#[derive(Serialize)]
struct Source<'v> {
    name: &'v str,
    id: u32,
    text: Option<String>,
    checksum: Option<Checksum>,
    written_to: Option<String>,
}

#[derive(Serialize)]
struct Checksum {
    kind: String,
    digits: String,
}

impl<'v> Source<'v> {
    fn of(info: &DebugInfo<'_>, id: FileId, file: &'v File, paths: &Paths) -> Self {
        let checksum = info.checksum_of(id);
        Self {
            name: file.name(),
            id: file.id().0,
            text: info.text_of(id),
            checksum: checksum.map(|(kind, digits)| Checksum { kind, digits }),
            written_to: paths.get(&id).map(|path| path.display().to_string()),
        }
    }
}

fn print(view: &View<'_>, name: &str, out: &mut dyn Write) -> Result<Found, Failure> {
    let info = view.info;
    let mut called = info.files().filter(|(_, file)| file.is_called(name));
    let Some((id, file)) = called.next() else {
        return Err(no_file(info, name).into());
    };
    let Some(text) = info.text_of(id) else {
        let message = format!("the module does not contain the text of `{}`", file.name());
        return Err(Trouble::not_found(message).into());
    };
    match view.format {
        // A terminal has line ends of its own, and would show the others as escapes.
        Format::Human if io::stdout().is_terminal() => {
            out.write_all(text.replace("\r\n", "\n").as_bytes())?;
        }
        Format::Human => out.write_all(text.as_bytes())?,
        Format::Json => view.write_json(out, json!({"name": file.name(), "text": text}))?,
    }
    Ok(Found::default())
}

/// Writes the texts; tells which went where.
fn write_texts(info: &DebugInfo<'_>, directory: &Path, force: bool) -> Result<Paths, Trouble> {
    let with_text = info.files().filter(|(id, _)| info.text_of(*id).is_some());
    let files: Vec<(FileId, &File)> = with_text.collect();
    if files.is_empty() {
        return Err(Trouble::not_found(
            "the module contains no texts of source files",
        ));
    }
    let names = files.iter().map(|(_, file)| file.name());
    let text = |number: usize| info.text_of(files[number].0).unwrap_or_default();
    let paths = extract(directory, names, force, text)?.into_iter();
    let ids = files.iter().map(|(id, _)| *id);
    Ok(ids.zip(paths.map(|path| directory.join(path))).collect())
}
