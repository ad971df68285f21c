//! Which of the modules of a folder a check takes.

use std::io;
use std::path::{Path, PathBuf};

use super::corpus::{collect, collect_with};

/// Checks that take long may look at some of the modules only.
#[derive(clap::Args)]
pub(super) struct Sample {
    /// Take about one in so many modules, by their paths: always the same ones, and from
    /// all over the folder.
    #[arg(long = "sample", value_name = "N", default_value_t = 1)]
    one_in: u64,
}

impl Sample {
    /// The modules to take of those below a folder, in order.
    pub(super) fn modules(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        collect(folder, &mut files)?;
        Ok(self.of(files, folder))
    }

    /// The files to take of those with one of these extensions.
    pub(super) fn files(&self, folder: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        collect_with(folder, extensions, &mut files)?;
        Ok(self.of(files, folder))
    }

    fn of(&self, mut files: Vec<PathBuf>, folder: &Path) -> Vec<PathBuf> {
        files.retain(|file| self.takes(file.strip_prefix(folder).unwrap_or(file)));
        files.sort();
        files
    }

    /// Whether it takes the module with this path below its folder.
    fn takes(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_encoded_bytes();
        // FNV-1a.
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        (hash >> 32).is_multiple_of(self.one_in.max(1))
    }
}
