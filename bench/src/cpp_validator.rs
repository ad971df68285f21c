//! The C++ library's validator.

use spirv_tools::TargetEnv;
use spirv_tools::val::Validator;
use spirv_tools::val::compiled::CompiledValidator;

/// A context that all calls share.
pub(crate) struct CppValidator {
    validator: CompiledValidator,
}

impl CppValidator {
    /// For an environment, if the library has it.
    pub(crate) fn for_env(env: spirvkit::TargetEnv) -> Option<Self> {
        let env = match env.name() {
            "spv1.0" => TargetEnv::Universal_1_0,
            "spv1.3" => TargetEnv::Universal_1_3,
            "spv1.6" => TargetEnv::Universal_1_6,
            "vulkan1.0" => TargetEnv::Vulkan_1_0,
            "vulkan1.1" => TargetEnv::Vulkan_1_1,
            "vulkan1.2" => TargetEnv::Vulkan_1_2,
            "vulkan1.3" => TargetEnv::Vulkan_1_3,
            "vulkan1.4" => TargetEnv::Vulkan_1_4,
            "opencl2.2" => TargetEnv::OpenCL_2_2,
            _ => return None,
        };
        Some(Self {
            validator: CompiledValidator::with_env(env),
        })
    }

    /// What it says against the module, if anything.
    pub(crate) fn check(&self, words: &[u32]) -> Result<(), String> {
        self.validator
            .validate(words, None)
            .map_err(|error| error.to_string())
    }
}
