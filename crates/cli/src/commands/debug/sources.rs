//! `spv debug sources`: the source files that a module names, and their texts.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde_json::json;
use spirvkit::debuginfo::{DebugInfo, FileId};
use spirvkit::diagnostics::counted;

use super::location::no_file;
use super::look_help;
use super::reading::{Found, Reading};
use crate::exit::{Ending, UsageError};
use crate::ids::Trouble;
use crate::output::write_file;

/// List the source files that a module names, or extract their texts
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,

    /// Write the texts to files in this directory, which is made if need be. Paths
    /// stay, but never lead out of it.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,

    /// Write the text of this file to standard output: the path as the module has it,
    /// or the last parts of it
    #[arg(long, value_name = "FILE", conflicts_with = "extract")]
    print: Option<String>,
}

const AFTER_HELP: &str = look_help!(
    "  spv debug sources shader.spv
  spv debug sources --extract src/ shader.spv
  spv debug sources --print main.comp shader.spv"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    arguments.reading.show(false, |view| {
        let info = view.info;
        if let Some(name) = &arguments.print {
            return print(info, name);
        }
        let targets = match &arguments.extract {
            Some(directory) => extract(info, directory)?,
            None => Vec::new(),
        };
        Ok(list(info, &targets))
    })
}

fn list(info: &DebugInfo<'_>, targets: &[(FileId, PathBuf)]) -> Found {
    let mut text = String::new();
    let mut files = Vec::new();
    for (id, file) in info.files() {
        let source = info.text_of(id);
        let target = targets
            .iter()
            .find(|(of, _)| *of == id)
            .map(|(_, path)| path);
        let _ = write!(text, "{}", file.name());
        match &source {
            Some(source) => {
                let _ = write!(
                    text,
                    "  {}, {}",
                    counted(source.len(), "byte"),
                    counted(source.lines().count(), "line")
                );
            }
            None => text.push_str("  no text"),
        }
        let checksum = info.checksum_of(id);
        if let Some((kind, digits)) = &checksum {
            let _ = write!(text, "  {kind} {digits}");
        }
        if let Some(target) = target {
            let _ = write!(text, "  written to {}", target.display());
        }
        text.push('\n');
        files.push(json!({
            "name": file.name(),
            "id": file.id().0,
            "text": source,
            "checksum": checksum.map(|(kind, digits)| json!({"kind": kind, "digits": digits})),
            "written_to": target.map(|path| path.display().to_string()),
        }));
    }
    let is_empty = files.is_empty();
    let found = Found {
        text,
        json: json!({ "files": files }),
        ..Found::default()
    };
    found.or_nothing(is_empty, "the module names no source files")
}

fn print(info: &DebugInfo<'_>, name: &str) -> Result<Found, Trouble> {
    let mut called = info.files().filter(|(_, file)| file.is_called(name));
    let Some((id, file)) = called.next() else {
        return Err(no_file(info, name));
    };
    let Some(text) = info.text_of(id) else {
        let message = format!("the module does not have the text of `{}`", file.name());
        return Err(Trouble::not_found(message));
    };
    let json = json!({"name": file.name(), "text": text});
    Ok(Found {
        text,
        json,
        ..Found::default()
    })
}

/// Writes the texts; tells which went where.
fn extract(info: &DebugInfo<'_>, directory: &Path) -> Result<Vec<(FileId, PathBuf)>, Trouble> {
    let mut targets = Vec::new();
    let mut taken = HashSet::new();
    for (id, file) in info.files() {
        let Some(text) = info.text_of(id) else {
            continue;
        };
        let path = free_path(directory.join(tame(file.name())), &mut taken);
        let folder = path.parent().unwrap_or(directory);
        let written =
            std::fs::create_dir_all(folder).and_then(|()| write_file(&path, text.as_bytes()));
        written.map_err(|error| Trouble::unwritten(&path.display().to_string(), &error))?;
        targets.push((id, path));
    }
    match targets.is_empty() {
        true => Err(Trouble::not_found(
            "the module has no texts of source files",
        )),
        false => Ok(targets),
    }
}

/// A path without what would lead out of the directory: no root, no drive, no `..`.
fn tame(name: &str) -> PathBuf {
    let name = name.replace('\\', "/");
    let parts = Path::new(&name).components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy().replace([':', '\0'], "_")),
        _ => None,
    });
    let path: PathBuf = parts.collect();
    match path.as_os_str().is_empty() {
        true => PathBuf::from("unnamed"),
        false => path,
    }
}

/// The path, or one with a number behind it if another file has it.
fn free_path(path: PathBuf, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let mut candidate = path.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        let mut name = path.clone().into_os_string();
        name.push(format!(".{number}"));
        candidate = name.into();
        number += 1;
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        assert_eq!(tame("../../etc/passwd"), Path::new("etc/passwd"));
        assert_eq!(tame("/abs/a.comp"), Path::new("abs/a.comp"));
        assert_eq!(tame("C:\\x\\a.hlsl"), Path::new("C_/x/a.hlsl"));
        assert_eq!(tame(".."), Path::new("unnamed"));
    }

    #[test]
    fn names_are_given_once() {
        let mut taken = HashSet::new();
        assert_eq!(free_path("a".into(), &mut taken), Path::new("a"));
        assert_eq!(free_path("a".into(), &mut taken), Path::new("a.2"));
    }
}
