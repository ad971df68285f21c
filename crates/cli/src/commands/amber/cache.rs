//! Modules that were compiled before.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use spirvkit::{Endianness, bytes_from_words, words_from_bytes};

use crate::output::write_file;

/// A directory of modules, each in a file that also holds all that it was made from, so that
/// no other is ever taken for it. Without it, everything is made anew.
#[derive(Debug)]
pub(super) struct Cache(Option<PathBuf>);

impl Cache {
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// The given directory, or one in the user's cache directory.
    pub(super) fn at(directory: Option<&Path>) -> Self {
        Self(directory.map(PathBuf::from).or_else(|| {
            let base = user_directory()?;
            Some(base.join("spv").join("shaders"))
        }))
    }

    /// What was made from this.
    pub(super) fn get(&self, from: &[u8]) -> Option<Vec<u32>> {
        let entry = fs::read(self.path(from)?).ok()?;
        let (length, rest) = entry.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (key, module) = rest.split_at_checked(length)?;
        let words = words_from_bytes(module).ok().filter(|_| key == from);
        words.map(|(words, _)| words)
    }

    /// Keeps what was made from this. A cache that can't be written is none.
    pub(super) fn put(&self, from: &[u8], words: &[u32]) {
        let Some(path) = self.path(from) else {
            return;
        };
        let mut entry = (from.len() as u64).to_le_bytes().to_vec();
        entry.extend(from);
        entry.extend(bytes_from_words(words, Endianness::Little));
        let _ = path.parent().map(fs::create_dir_all);
        let _ = write_file(&path, &entry);
    }

    fn path(&self, from: &[u8]) -> Option<PathBuf> {
        let directory = self.0.as_ref()?;
        let mut hasher = DefaultHasher::new();
        hasher.write(from);
        Some(directory.join(format!("{:016x}.module", hasher.finish())))
    }
}

/// The directory in which programs keep for the user what they can make again.
fn user_directory() -> Option<PathBuf> {
    let of = |name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if cfg!(windows) {
        return of("LOCALAPPDATA");
    }
    let home = of("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library").join("Caches"));
    }
    let is_absolute = |path: &PathBuf| path.is_absolute();
    of("XDG_CACHE_HOME")
        .filter(is_absolute)
        .or_else(|| home.map(|home| home.join(".cache")))
}
