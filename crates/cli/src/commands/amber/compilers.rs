//! Compilers of GLSL and HLSL, which are other programs.

use std::path::Path;

use spirvkit::amber::{CompileError, Compiler, Source};

use super::cache::Cache;

/// A compiler, with what it made before.
#[derive(Debug)]
pub(super) struct Compilers {
    /// The program, or why there is none.
    program: Result<Compiler, String>,
    cache: Cache,
}

impl Compilers {
    /// The given program, or one on the `PATH`.
    pub(super) fn new(given: Option<&Path>, cache: Cache) -> Self {
        Self {
            program: Compiler::find(given),
            cache,
        }
    }

    /// Compiles a shader, if that hasn't been done before.
    pub(super) fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let program = self.program.as_ref();
        let program = program.map_err(|why| CompileError::NoCompiler(why.clone()))?;
        let key = program.key(source);
        if let Some(words) = self.cache.get(&key) {
            return Ok(words);
        }
        let words = program.compile(source)?;
        self.cache.put(&key, &words);
        Ok(words)
    }
}
