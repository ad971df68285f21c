//! Files that are there as a whole or not at all.

use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::interrupt::Hold;
use super::stdout::write_visible;

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
