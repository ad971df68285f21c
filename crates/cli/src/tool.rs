//! The established tools by whose names the program may be called.

use std::ffi::OsStr;
use std::path::Path;

/// An established tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    As,
    Diff,
    Dis,
    Link,
    Opt,
    Val,
}

impl Tool {
    pub(crate) const ALL: [Self; 6] = [
        Self::As,
        Self::Diff,
        Self::Dis,
        Self::Link,
        Self::Opt,
        Self::Val,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::As => "spirv-as",
            Self::Diff => "spirv-diff",
            Self::Dis => "spirv-dis",
            Self::Link => "spirv-link",
            Self::Opt => "spirv-opt",
            Self::Val => "spirv-val",
        }
    }

    /// The tool as which the program was started, given its name on the command
    /// line.
    pub(crate) fn from_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_recognized_by_the_name_of_the_program() {
        let tool = |name: &str| Tool::from_program(OsStr::new(name));
        assert_eq!(tool("spirv-as"), Some(Tool::As));
        assert_eq!(tool("/usr/bin/spirv-dis"), Some(Tool::Dis));
        assert_eq!(tool("tools/spirv-as.exe"), Some(Tool::As));
        assert_eq!(tool("spv"), None);
        assert_eq!(tool("spirv-asm"), None);
    }
}
