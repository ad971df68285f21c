//! The environments that modules are made for.

use core::fmt;
use core::str::FromStr;

use crate::Version;

/// A client API or a bare version of the language, as `--target-env` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetEnv(usize);

/// The place of the newest version of the language below.
const NEWEST: usize = 6;

/// The names of the environments and the newest version that each takes
/// (Vulkan: appendix "Vulkan Environment for SPIR-V"; OpenCL: the OpenCL SPIR-V
/// Environment Specification; OpenGL: `ARB_gl_spirv`).
static ENVIRONMENTS: &[(&str, Version)] = &[
    ("spv1.0", Version::V1_0),
    ("spv1.1", Version::V1_1),
    ("spv1.2", Version::V1_2),
    ("spv1.3", Version::V1_3),
    ("spv1.4", Version::V1_4),
    ("spv1.5", Version::V1_5),
    ("spv1.6", Version::V1_6),
    ("vulkan1.0", Version::V1_0),
    ("vulkan1.1", Version::V1_3),
    ("vulkan1.1spv1.4", Version::V1_4),
    ("vulkan1.2", Version::V1_5),
    ("vulkan1.3", Version::V1_6),
    ("vulkan1.4", Version::V1_6),
    ("opencl1.2", Version::V1_0),
    ("opencl1.2embedded", Version::V1_0),
    ("opencl2.0", Version::V1_0),
    ("opencl2.0embedded", Version::V1_0),
    ("opencl2.1", Version::V1_0),
    ("opencl2.1embedded", Version::V1_0),
    ("opencl2.2", Version::V1_2),
    ("opencl2.2embedded", Version::V1_2),
    ("opengl4.0", Version::V1_0),
    ("opengl4.1", Version::V1_0),
    ("opengl4.2", Version::V1_0),
    ("opengl4.3", Version::V1_0),
    ("opengl4.5", Version::V1_0),
];

impl TargetEnv {
    /// All environments.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ENVIRONMENTS.len()).map(Self)
    }

    /// The name, such as `vulkan1.2`.
    pub fn name(self) -> &'static str {
        ENVIRONMENTS[self.0].0
    }

    /// The newest version of the language that the environment takes.
    pub fn version(self) -> Version {
        ENVIRONMENTS[self.0].1
    }
}

impl Default for TargetEnv {
    /// The newest version of the language, for no client API in particular.
    fn default() -> Self {
        Self(NEWEST)
    }
}

impl fmt::Display for TargetEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TargetEnv {
    type Err = UnknownTargetEnv;

    fn from_str(name: &str) -> Result<Self, UnknownTargetEnv> {
        Self::all()
            .find(|env| env.name() == name)
            .ok_or(UnknownTargetEnv)
    }
}

/// A name is not that of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTargetEnv;

impl fmt::Display for UnknownTargetEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a known environment, such as spv1.6, vulkan1.3 or opencl2.2")
    }
}

impl core::error::Error for UnknownTargetEnv {}
