//! Placing the outputs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use spirvkit::diagnostics::visible_lines;

use crate::exit::UsageError;
use crate::inputs::{Input, Inputs, has_extension};
use crate::interrupt::Hold;
use crate::naming::{check_directory, check_form, check_inputs, ends_in_separator};

/// How messages call standard output.
pub(crate) const STDOUT_NAME: &str = "<stdout>";

/// What a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Module,
    Text,
}

impl Content {
    /// The extension of the files that hold it.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Module => "spv",
            Self::Text => "spvasm",
        }
    }

    /// How messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Module => "a module",
            Self::Text => "assembly text",
        }
    }
}

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

/// Whether what goes to standard output has colours of our own.
static COLORED: AtomicBool = AtomicBool::new(false);

/// Makes known that what goes to standard output is coloured. Whoever colours a text sees
/// to it that nothing of a module in it can act on a terminal.
pub(crate) fn expect_color() {
    COLORED.store(true, Ordering::Relaxed);
}

/// The state in which the program starts.
pub(crate) fn expect_no_color() {
    COLORED.store(false, Ordering::Relaxed);
}

/// Writes to standard output. On a terminal, a text shows what could act on it as escapes.
pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() && !COLORED.load(Ordering::Relaxed) {
        write_visible(&mut stdout, bytes)?;
    } else {
        stdout.write_all(bytes)?;
    }
    stdout.flush()
}

/// Writes a text to standard output while it is made, so that it need not be in memory.
pub(crate) fn stream_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let stdout = io::stdout().lock();
    if stdout.is_terminal() {
        // Nobody reads more than is made of a large module, and it is looked at as a whole.
        let mut text = Vec::new();
        write(&mut text)?;
        drop(stdout);
        return write_stdout(&text);
    }
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    write(&mut out)?;
    out.flush()
}

/// Writes a text to a terminal.
fn write_visible(terminal: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(text);
    terminal.write_all(visible_lines(&text).as_bytes())
}

/// Writes a file such that at any time there is all of it or none.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let own = fs::symlink_metadata(path).ok();
    let is_link = own.as_ref().is_some_and(fs::Metadata::is_symlink);
    let existing = match is_link {
        true => fs::metadata(path).ok(),
        false => own,
    };
    let target = match &existing {
        // A device or a pipe must be written to, not replaced.
        Some(metadata) if !metadata.is_file() => return write_device(path, bytes),
        Some(metadata) if metadata.permissions().readonly() => {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        // What the link leads to is replaced.
        Some(_) if is_link => Cow::Owned(fs::canonicalize(path)?),
        _ => Cow::Borrowed(path),
    };
    let _hold = Hold::begin();
    let (temporary, mut file) = Temporary::beside(&target, existing.as_ref())?;
    file.write_all(bytes)?;
    drop(file);
    temporary.rename(&target)
}

/// Writes to what is there already, and is no file.
fn write_device(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut device = OpenOptions::new().write(true).open(path)?;
    match device.is_terminal() {
        true => write_visible(&mut device, bytes),
        false => device.write_all(bytes),
    }
}

/// A file that is removed again unless it gets its final name.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    renamed: bool,
}

impl Temporary {
    /// Makes a file in the same directory, so that renaming never copies. Who may do what
    /// with it is what holds for the file that it is to replace, from the first byte on.
    fn beside(target: &Path, existing: Option<&fs::Metadata>) -> io::Result<(Self, File)> {
        Self::make(target, |path| access::create(path, existing))
    }

    /// Makes something by `make` in the same directory, which must not replace anything.
    pub(crate) fn make<T>(
        target: &Path,
        make: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        /// How many there have been, so that those of this program differ.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        for _ in 0..1000 {
            // Without the target's name, which may be as long as a name can be.
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".spv.{}-{count}.tmp", std::process::id());
            let path = target.with_file_name(name);
            match make(&path) {
                Ok(made) => {
                    let renamed = false;
                    return Ok((Self { path, renamed }, made));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }

    /// The same for what must not be lost: it stays where it is if that fails.
    pub(crate) fn give_back(mut self, target: &Path) -> io::Result<()> {
        self.renamed = true;
        fs::rename(&self.path, target)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // There is an error under way already, and this one adds nothing.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Who may read and write a file that replaces another.
#[cfg(unix)]
mod access {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
    use std::path::Path;

    /// The bits for owner, group and others. Those that let a program run as the file's
    /// owner or group were given to another program.
    const ACCESS: u32 = 0o777;
    const GROUP: u32 = 0o070;

    /// Makes a file that nobody can open who could not open the other.
    pub(super) fn create(path: &Path, existing: Option<&Metadata>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let Some(existing) = existing else {
            return options.open(path);
        };
        let mode = existing.mode() & ACCESS;
        // To begin with, it may be of another group.
        let file = options.mode(mode & !GROUP).open(path)?;
        let is_group = file.metadata()?.gid() == existing.gid()
            || fchown(&file, None, Some(existing.gid())).is_ok();
        file.set_permissions(Permissions::from_mode(kept(mode, is_group)))?;
        Ok(file)
    }

    /// What is kept of a mode by a file that is of the same group or not.
    fn kept(mode: u32, is_group: bool) -> u32 {
        match is_group {
            true => mode,
            // A member of the group that it has now may be any of the others.
            false => mode & !GROUP | (mode & 0o007) << 3 & mode,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn another_group_may_do_what_both_it_and_others_could() {
            for (mode, is_group, expected) in [
                (0o600, true, 0o600),
                (0o600, false, 0o600),
                (0o660, true, 0o660),
                (0o660, false, 0o600),
                (0o664, false, 0o644),
                (0o604, false, 0o604),
                (0o646, false, 0o646),
                (0o777, false, 0o777),
            ] {
                assert_eq!(kept(mode, is_group), expected, "{mode:o}");
            }
        }
    }
}

#[cfg(not(unix))]
mod access {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;

    pub(super) fn create(path: &Path, _: Option<&Metadata>) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(path)
    }
}
