//! What scripts need that isn't in them: files beside them, and compilers.

use std::path::{Path, PathBuf};

use spirvkit::amber::{CompileError, FileFormat, Host, Source};

use super::compilers::Compilers;
use crate::input::Input;

/// Where a script is, and what compiles its shaders.
pub(super) struct Files<'a> {
    folder: PathBuf,
    compilers: &'a Compilers,
}

impl<'a> Files<'a> {
    pub(super) fn new(script: Option<&Path>, compilers: &'a Compilers) -> Self {
        let folder = script.and_then(Path::parent).unwrap_or(Path::new(""));
        Self {
            folder: folder.to_path_buf(),
            compilers,
        }
    }
}

impl Host for Files<'_> {
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match format {
            FileFormat::Png => Err("pictures can't be read yet".to_owned()),
            FileFormat::Binary | FileFormat::Text => {
                let input = Input::file(&self.folder.join(path));
                input.read().map_err(|error| error.to_string())
            }
        }
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        self.compilers.compile(source)
    }
}
