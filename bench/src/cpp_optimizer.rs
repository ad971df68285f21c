//! The C++ library's optimizer.

use spirv_tools::TargetEnv;
use spirv_tools::error::Message;
use spirv_tools::opt::Optimizer;
use spirv_tools::opt::compiled::CompiledOptimizer;

/// An optimizer with the passes of `-Os`, which all calls share.
pub(crate) struct CppOptimizer {
    optimizer: CompiledOptimizer,
}

impl CppOptimizer {
    pub(crate) fn for_size() -> Self {
        let mut optimizer = CompiledOptimizer::with_env(TargetEnv::Universal_1_6);
        optimizer.register_size_passes();
        Self { optimizer }
    }

    /// What it makes of the module.
    pub(crate) fn optimize(&self, words: &[u32]) -> Option<Vec<u32>> {
        let mut silent = |_: Message| {};
        let binary = self.optimizer.optimize(words, &mut silent, None).ok()?;
        Some(binary.as_words().to_vec())
    }
}
