//! The registry of tools that write modules.

use core::fmt;

use crate::generated::tables::GENERATORS;

/// The generator word of a module header: the tool that wrote the module and a
/// number of the tool's own choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Generator(pub u32);

impl Generator {
    /// A tool's registered number together with a version of its own.
    pub const fn new(tool: u16, version: u16) -> Self {
        Self((tool as u32) << 16 | version as u32)
    }

    /// The tool's number in the registry.
    pub const fn tool(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// The low half of the word, which the tool may use as it likes.
    pub const fn version(self) -> u16 {
        self.0 as u16
    }

    /// The registered vendor and tool name, if the number is registered.
    pub fn name(self) -> Option<&'static str> {
        let row = GENERATORS
            .binary_search_by_key(&self.tool(), |row| row.tool)
            .ok()?;
        Some(GENERATORS[row].name)
    }

    /// The first registered tool number with this name.
    pub fn tool_by_name(name: &str) -> Option<u16> {
        GENERATORS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.tool)
    }
}

impl fmt::Display for Generator {
    /// Writes `Name; version`, with `Unknown(number)` for an unregistered tool.
    /// Where two tools are registered under one name, the later one is
    /// distinguished as `Name(number)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            None => write!(f, "Unknown({})", self.tool())?,
            Some(name) if Self::tool_by_name(name) == Some(self.tool()) => f.write_str(name)?,
            Some(name) => write!(f, "{name}({})", self.tool())?,
        }
        write!(f, "; {}", self.version())
    }
}

impl core::str::FromStr for Generator {
    type Err = ParseGeneratorError;

    /// Reads what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, ParseGeneratorError> {
        let parse = || {
            let (name, version) = text.rsplit_once(';')?;
            let (name, version) = (name.trim(), version.trim().parse().ok()?);
            let numbered = || {
                let (_, number) = name.strip_suffix(')')?.rsplit_once('(')?;
                number.parse().ok()
            };
            let tool = Self::tool_by_name(name).or_else(numbered)?;
            Some(Self::new(tool, version))
        };
        parse().ok_or(ParseGeneratorError)
    }
}

/// A text is not a generator's name and version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseGeneratorError;

impl fmt::Display for ParseGeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a registered generator's name, `;` and a version")
    }
}

impl core::error::Error for ParseGeneratorError {}
