//! Compilers of GLSL, HLSL and OpenCL C, which are other programs.

use std::path::Path;

use spirvkit::amber::{CompileError, Compiler, Language, Source};

use super::cache::Cache;

/// The compilers, with what they made before.
#[derive(Debug)]
pub(super) struct Compilers {
    /// The program for shaders, or why there is none.
    shaders: Result<Compiler, String>,
    /// The program for kernels.
    kernels: Result<Compiler, String>,
    cache: Cache,
}

impl Compilers {
    /// The given programs, or those on the `PATH`.
    pub(super) fn new(glsl: Option<&Path>, opencl: Option<&Path>, cache: Cache) -> Self {
        Self {
            shaders: Compiler::find(glsl),
            kernels: Compiler::find_clang(opencl),
            cache,
        }
    }

    /// Compiles a shader or kernel, if that hasn't been done before.
    pub(super) fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let program = match source.language {
            Language::OpenClC => self.kernels.as_ref(),
            _ => self.shaders.as_ref(),
        };
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
