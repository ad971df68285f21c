//! The C++ library's optimizer.

use spirv_tools::TargetEnv;
use spirv_tools::error::Message;
use spirv_tools::opt::Optimizer;
use spirv_tools::opt::compiled::CompiledOptimizer;

/// What the passes of `-Os` make of a module. Each of the library's passes runs but once, so that every module
/// takes an optimizer of its own, as in the program.
pub(crate) fn optimize_for_size(words: &[u32]) -> Option<Vec<u32>> {
    let mut optimizer = CompiledOptimizer::with_env(TargetEnv::Universal_1_6);
    optimizer.register_size_passes();
    let mut silent = |_: Message| {};
    let binary = optimizer.optimize(words, &mut silent, None).ok()?;
    Some(binary.as_words().to_vec())
}
