//! The modules to measure with.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// All modules of a folder, in memory.
pub struct Corpus {
    /// The folder's own name.
    pub name: String,
    /// The words of each.
    pub modules: Vec<Vec<u32>>,
    /// How many files are not modules.
    pub unreadable: usize,
}

impl Corpus {
    /// Reads all `.spv` files below a folder, in the order of their paths.
    ///
    /// # Errors
    ///
    /// If a file can't be read, or if there are no modules.
    pub fn load(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut files = Vec::new();
        collect(folder, &mut files).map_err(|error| format!("{}: {error}", folder.display()))?;
        files.sort();
        let mut modules = Vec::new();
        for file in &files {
            let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            if let Ok((words, _)) = spirvkit::words_from_bytes(&bytes) {
                modules.push(words);
            }
        }
        if modules.is_empty() {
            return Err(format!("there are no modules below {}", folder.display()).into());
        }
        let name = folder.canonicalize()?;
        let name = name.file_name().unwrap_or(folder.as_os_str());
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            unreadable: files.len() - modules.len(),
            modules,
        })
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "spv") {
            files.push(path);
        }
    }
    Ok(())
}

/// How many bytes the modules take.
pub fn bytes_of<'a>(modules: impl IntoIterator<Item = &'a Vec<u32>>) -> usize {
    modules.into_iter().map(|words| words.len() * 4).sum()
}
