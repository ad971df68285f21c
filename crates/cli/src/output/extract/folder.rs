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

/// By paths: a link that comes there at the wrong moment is followed. Other systems are
/// tested by the tests of this one.
#[cfg(any(not(unix), test))]
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{ErrorKind, Write};

    use super::There;
    use crate::output::scratch::Scratch;

    /// What each kind of folder promises.
    macro_rules! promises {
        ($test:ident, $system:ident) => {
            #[test]
            fn $test() {
                let scratch = Scratch::new();
                let base = super::$system::Folder::open(scratch.path()).unwrap();
                let kind = |error: std::io::Error| error.kind();
                assert_eq!(base.look("a").unwrap(), There::Nothing);
                assert_eq!(
                    base.inner("a").map_err(kind).unwrap_err(),
                    ErrorKind::NotFound
                );
                base.make_inner("a").unwrap();
                assert_eq!(base.look("a").unwrap(), There::Folder);
                assert!(base.make_inner("a").is_err());

                let inner = base.inner("a").unwrap();
                inner.create("new").unwrap().write_all(b"new").unwrap();
                assert_eq!(inner.look("new").unwrap(), There::Something);
                assert_eq!(
                    inner.create("new").map_err(kind).unwrap_err(),
                    ErrorKind::AlreadyExists
                );
                assert_eq!(
                    inner.inner("new").map_err(kind).unwrap_err(),
                    ErrorKind::NotADirectory
                );
                inner.create("old").unwrap().write_all(b"old").unwrap();
                inner.rename("new", "old").unwrap();
                assert_eq!(fs::read(scratch.path().join("a/old")).unwrap(), b"new");
                assert_eq!(inner.look("new").unwrap(), There::Nothing);

                assert!(base.remove_inner("a").is_err(), "it isn't empty");
                inner.remove("old").unwrap();
                base.remove_inner("a").unwrap();
                assert_eq!(base.look("a").unwrap(), There::Nothing);
            }
        };
    }

    promises!(a_folder_by_paths, portable);
    #[cfg(unix)]
    promises!(a_folder_by_handles, unix);

    /// What leads elsewhere is no folder, and nothing is made where it leads.
    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        let scratch = Scratch::new();
        fs::create_dir(scratch.path().join("outside")).unwrap();
        for (link, to) in [("folder", "outside"), ("file", "outside/new")] {
            std::os::unix::fs::symlink(to, scratch.path().join(link)).unwrap();
        }
        let by_handles = super::unix::Folder::open(scratch.path()).unwrap();
        let by_paths = super::portable::Folder::open(scratch.path()).unwrap();
        for name in ["folder", "file"] {
            assert_eq!(by_handles.look(name).unwrap(), There::Something);
            assert_eq!(by_paths.look(name).unwrap(), There::Something);
            assert!(by_handles.inner(name).is_err() && by_paths.inner(name).is_err());
            assert!(by_handles.create(name).is_err() && by_paths.create(name).is_err());
        }
        assert_eq!(
            fs::read_dir(scratch.path().join("outside"))
                .unwrap()
                .count(),
            0
        );
    }
}
