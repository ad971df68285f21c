//! A folder whose content is reached through the folder alone: never through links.

use std::io;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

pub(super) use system::Folder;

/// What is there under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum There {
    Nothing,
    Folder,
    /// A file, a link, or whatever else.
    Something,
}

impl There {
    fn of(is_folder: io::Result<bool>) -> io::Result<Self> {
        match is_folder {
            Ok(true) => Ok(Self::Folder),
            Ok(false) => Ok(Self::Something),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nothing),
            Err(error) => Err(error),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{
        AtFlags, CWD, FileType, Mode, OFlags, mkdirat, openat, renameat, statat, unlinkat,
    };

    use super::There;

    /// An open folder: whatever becomes of its path meanwhile, it stays the same.
    #[derive(Debug)]
    pub(in super::super) struct Folder(OwnedFd);

    const FOLDER: OFlags = OFlags::DIRECTORY
        .union(OFlags::RDONLY)
        .union(OFlags::CLOEXEC);

    impl Folder {
        /// The folder at a path, which may lead through links.
        pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(openat(CWD, path, FOLDER, Mode::empty())?))
        }

        pub(in super::super) fn inner(&self, name: &str) -> io::Result<Self> {
            let flags = FOLDER.union(OFlags::NOFOLLOW);
            Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
        }

        pub(in super::super) fn make_inner(&self, name: &str) -> io::Result<()> {
            Ok(mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
        }

        pub(in super::super) fn look(&self, name: &str) -> io::Result<There> {
            let found = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW);
            let is_folder = |mode| FileType::from_raw_mode(mode) == FileType::Directory;
            let found = found.map(|found| is_folder(found.st_mode));
            There::of(found.map_err(io::Error::from))
        }

        /// Makes a file where nothing is.
        pub(in super::super) fn create(&self, name: &str) -> io::Result<File> {
            let flags = OFlags::CREATE
                .union(OFlags::EXCL)
                .union(OFlags::WRONLY)
                .union(OFlags::NOFOLLOW)
                .union(OFlags::CLOEXEC);
            let file = openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?;
            Ok(File::from(file))
        }

        /// Lets a file take the place of what is there.
        pub(in super::super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(renameat(&self.0, from, &self.0, to)?)
        }

        pub(in super::super) fn remove(&self, name: &str) -> io::Result<()> {
            Ok(unlinkat(&self.0, name, AtFlags::empty())?)
        }

        pub(in super::super) fn remove_inner(&self, name: &str) -> io::Result<()> {
            Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
        }
    }
}

/// By paths: a link that comes there at the wrong moment is followed.
#[cfg(not(unix))]
mod portable {
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::{Path, PathBuf};

    use super::There;

    #[derive(Debug)]
    pub(in super::super) struct Folder(PathBuf);

    impl Folder {
        pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
            fs::canonicalize(path).map(Self)
        }

        pub(in super::super) fn inner(&self, name: &str) -> io::Result<Self> {
            match self.look(name)? {
                There::Folder => Ok(Self(self.0.join(name))),
                There::Something => Err(io::ErrorKind::NotADirectory.into()),
                There::Nothing => Err(io::ErrorKind::NotFound.into()),
            }
        }

        pub(in super::super) fn make_inner(&self, name: &str) -> io::Result<()> {
            fs::create_dir(self.0.join(name))
        }

        pub(in super::super) fn look(&self, name: &str) -> io::Result<There> {
            let found = fs::symlink_metadata(self.0.join(name));
            There::of(found.map(|found| found.is_dir()))
        }

        pub(in super::super) fn create(&self, name: &str) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).open(self.0.join(name))
        }

        pub(in super::super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(in super::super) fn remove(&self, name: &str) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(in super::super) fn remove_inner(&self, name: &str) -> io::Result<()> {
            fs::remove_dir(self.0.join(name))
        }
    }
}
