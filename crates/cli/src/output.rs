//! Where outputs go: files, directories, standard output, and folders for what a module
//! names.

pub(crate) mod extract;
mod file;
pub(crate) mod graphviz;
pub(crate) mod interrupt;
pub(crate) mod naming;
#[cfg(test)]
pub(crate) mod scratch;
mod stdout;

use std::collections::HashMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use crate::exit::UsageError;
use crate::input::{Content, Input, Inputs, has_extension};
use naming::{check_directory, check_form, check_inputs, ends_in_separator};

pub(crate) use file::{Temporary, write_file};
pub(crate) use stdout::{STDOUT_NAME, expect_color, expect_no_color, stream_stdout, write_stdout};

/// Where outputs go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    File(PathBuf),
    /// Below a directory, in files with this extension.
    Directory(PathBuf, &'static str),
    /// Over each input.
    InPlace,
}

impl Destination {
    /// Decides where the outputs of these inputs go, given the values of the options
    /// `-o` and `--in-place`.
    ///
    /// # Errors
    ///
    /// If modules would go to a terminal or be joined to one file, two
    /// outputs would get the same name, or names say something else than what is written;
    /// or if an output would replace an input of another form, unless `in_place`.
    pub(crate) fn choose_for(
        output: Option<&Path>,
        in_place: bool,
        inputs: &Inputs,
        content: Content,
    ) -> Result<Self, UsageError> {
        if !in_place {
            let destination = Self::choose(output, inputs, content)?;
            check_inputs(&destination, inputs, content)?;
            return Ok(destination);
        }
        if output.is_some() {
            return Self::choose(output, inputs, content);
        }
        let is_missing = |input: &Input| input.path().is_none() && !input.is_barren();
        match inputs.list.iter().any(is_missing) {
            true => Err(UsageError(
                "standard input can't be overwritten: name a file, or leave out `--in-place`"
                    .into(),
            )),
            false => Ok(Self::InPlace),
        }
    }

    /// The same, but inputs may be replaced by whatever is written.
    pub(crate) fn choose(
        output: Option<&Path>,
        inputs: &Inputs,
        content: Content,
    ) -> Result<Self, UsageError> {
        let Some(path) = output.filter(|path| path.as_os_str() != "-") else {
            return Self::stdout(inputs, content);
        };
        if !inputs.many && !path.is_dir() && !ends_in_separator(path) {
            check_form(path, content.extension())?;
            return Ok(Self::File(path.into()));
        }
        if path.exists() && !path.is_dir() {
            let path = path.display();
            let message =
                format!("`-o {path}` must name a directory for several outputs, not a file");
            return Err(UsageError(message));
        }
        check_directory(path, inputs)?;
        let destination = Self::Directory(path.into(), content.extension());
        destination.check_collisions(inputs)?;
        Ok(destination)
    }

    fn stdout(inputs: &Inputs, content: Content) -> Result<Self, UsageError> {
        if content == Content::Module {
            if inputs.many {
                let message = "several modules can't be written to standard output: name a directory with `-o DIR`";
                return Err(UsageError(message.into()));
            }
            if io::stdout().is_terminal() {
                let message = "a binary module can't be written to a terminal: name a file with `-o FILE`, or \
                               redirect standard output";
                return Err(UsageError(message.into()));
            }
        }
        Ok(Self::Stdout)
    }

    fn check_collisions(&self, inputs: &Inputs) -> Result<(), UsageError> {
        let mut owners: HashMap<PathBuf, &Input> = HashMap::new();
        for input in inputs.list.iter().filter(|input| !input.is_barren()) {
            if let Some(target) = self.target(input)
                && let Some(other) = owners.insert(target.clone(), input)
            {
                return Err(UsageError(format!(
                    "`{}` and `{}` would both be written to `{}`",
                    other.name,
                    input.name,
                    target.display()
                )));
            }
        }
        Ok(())
    }

    /// The file for an input's output, if not standard output.
    pub(crate) fn target(&self, input: &Input) -> Option<PathBuf> {
        match self {
            Self::Stdout => None,
            Self::File(path) => Some(path.clone()),
            Self::InPlace => input.path().map(Path::to_path_buf),
            Self::Directory(directory, extension) => {
                let path = directory.join(&input.relative);
                // `a.vert` and `a.frag` need different names, so only the
                // format's own extensions are replaced.
                if has_extension(&path, "spv") || has_extension(&path, "spvasm") {
                    return Some(path.with_extension(extension));
                }
                let mut name = path.into_os_string();
                name.push(".");
                name.push(extension);
                Some(name.into())
            }
        }
    }

    /// Writes the output for an input to its file.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        match (self, write_file(path, bytes), path.parent()) {
            // Looking for the directory before each of its files would take long.
            (Self::Directory(..), Err(error), Some(parent))
                if error.kind() == io::ErrorKind::NotFound =>
            {
                fs::create_dir_all(parent)?;
                write_file(path, bytes)
            }
            (_, written, _) => written,
        }
    }
}
