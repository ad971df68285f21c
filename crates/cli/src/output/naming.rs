//! Names of outputs that say something else than what would be written, and outputs that
//! would destroy an input: both are refused before anything is done.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::exit::UsageError;
use crate::input::hex::is_binary_module;
use crate::input::{Inputs, has_extension};
use crate::output::{Content, Destination};

/// What an extension says that a file holds.
struct Form {
    extensions: &'static [&'static str],
    name: &'static str,
}

/// The forms that users know by their extensions. Files with any other may hold anything.
const FORMS: &[Form] = &[
    Form {
        extensions: &["spv"],
        name: "a binary module",
    },
    Form {
        extensions: &["spvasm"],
        name: "assembly text",
    },
    Form {
        extensions: &["json", "jsonl", "sarif"],
        name: "JSON",
    },
    Form {
        extensions: &["yaml", "yml"],
        name: "YAML",
    },
    Form {
        extensions: &["html", "htm"],
        name: "an HTML page",
    },
    Form {
        extensions: &["dot", "gv"],
        name: "Graphviz text",
    },
    Form {
        extensions: &["svg"],
        name: "an SVG image",
    },
    Form {
        extensions: &["png"],
        name: "a PNG image",
    },
    Form {
        extensions: &["pdf"],
        name: "a PDF document",
    },
    Form {
        extensions: &["jpg", "jpeg", "gif", "webp"],
        name: "an image",
    },
    Form {
        extensions: &["o", "elf"],
        name: "an object file",
    },
];

fn form_of(path: &Path) -> Option<&'static Form> {
    FORMS.iter().find(|form| {
        let mut extensions = form.extensions.iter();
        extensions.any(|extension| has_extension(path, extension))
    })
}

/// Refuses a file whose extension says that it holds something else than what is written
/// to it: what files with this extension hold.
pub(crate) fn check_form(path: &Path, extension: &str) -> Result<(), UsageError> {
    let written = FORMS
        .iter()
        .find(|form| form.extensions.contains(&extension));
    match (form_of(path), written) {
        (Some(said), Some(written)) if said.name != written.name => Err(UsageError(format!(
            "`-o {}` is the name of {}, but the output is {}",
            path.display(),
            said.name,
            written.name
        ))),
        _ => Ok(()),
    }
}

/// Refuses a directory for several outputs that is called like a file. One that is
/// there, or whose name ends in a slash, is meant.
pub(crate) fn check_directory(path: &Path, inputs: &Inputs) -> Result<(), UsageError> {
    check_called_directory(
        "-o",
        path,
        &match inputs.list.len() {
            0 | 1 => "there may be several outputs, because the input is a directory".to_owned(),
            count => format!("there are {count} outputs"),
        },
    )
}

/// Whether a path can only be meant to be a directory's.
pub(crate) fn ends_in_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|&byte| std::path::is_separator(byte.into()))
}

/// Refuses the value of an option that is a directory but is called like a file; `why`
/// says why it must be one.
pub(crate) fn check_called_directory(
    option: &str,
    path: &Path,
    why: &str,
) -> Result<(), UsageError> {
    let is_meant = path.is_dir() || ends_in_separator(path);
    let Some(form) = form_of(path).filter(|_| !is_meant) else {
        return Ok(());
    };
    let path = path.display();
    Err(UsageError(format!(
        "`{option} {path}` is the name of {}, but {why}: name a directory, such as `{path}.d/`",
        form.name
    )))
}

/// Refuses outputs that would replace an input by something of another form. A module
/// may replace a module.
pub(crate) fn check_inputs(
    destination: &Destination,
    inputs: &Inputs,
    content: Content,
) -> Result<(), UsageError> {
    let mut directories = Directories::default();
    for input in &inputs.list {
        let (Some(path), Some(target)) = (input.path(), destination.target(input)) else {
            continue;
        };
        let is_same = match destination {
            Destination::Directory(..) => directories.are_same(path, &target),
            _ => is_same_file(path, &target),
        };
        if is_same && !(content == Content::Module && holds_module(path)) {
            return Err(would_replace(path, content.name()));
        }
    }
    Ok(())
}

/// Refuses the one output of a command that looks into a module: if its name says
/// another form than that of files with this extension, or if it is the input.
pub(crate) fn check_output(
    output: &Path,
    extension: &str,
    input: Option<&Path>,
) -> Result<(), UsageError> {
    check_form(output, extension)?;
    match input.filter(|input| is_same_file(output, input)) {
        Some(input) => Err(UsageError(format!(
            "`{}` is an input, so the output would overwrite it: choose another name",
            input.display()
        ))),
        None => Ok(()),
    }
}

fn would_replace(input: &Path, written: &str) -> UsageError {
    let input = input.display();
    UsageError(format!(
        "`{input}` is an input, so {written} would overwrite it: choose another name for the output, or use \
         `--in-place` if the command has it"
    ))
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Where directories really are. There may be very many files in few of them.
#[derive(Default)]
struct Directories(HashMap<PathBuf, Option<PathBuf>>);

impl Directories {
    /// Whether two paths are those of one file.
    fn are_same(&mut self, a: &Path, b: &Path) -> bool {
        a.file_name() == b.file_name() && {
            let (a, b) = (self.of(a), self.of(b));
            a.is_some() && a == b
        }
    }

    fn of(&mut self, file: &Path) -> Option<PathBuf> {
        let directory = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if let Some(known) = self.0.get(directory) {
            return known.clone();
        }
        let found = fs::canonicalize(directory).ok();
        self.0.insert(directory.into(), found.clone());
        found
    }
}

/// Whether a file starts as a binary module does.
fn holds_module(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && is_binary_module(&start)
}
