//! Extended instruction sets and the strings that import them.

use core::fmt;

use crate::ExtInstSet;
use crate::debug_info::Set;

/// The prefix of the import names of non-semantic sets
/// (`SPV_KHR_non_semantic_info`).
const NON_SEMANTIC: &str = "NonSemantic.";

impl ExtInstSet {
    /// The set that `OpExtInstImport` imports under this name, or `None` if the
    /// tables have no such set.
    ///
    /// Some sets carry a version at the end of their name; any version
    /// imports the newest instructions known.
    pub fn from_import_name(name: &str) -> Option<Self> {
        let exact = |set: &Self| !set.row().is_prefix && set.row().import_name == name;
        let versioned = |set: &Self| set.row().is_prefix && name.starts_with(set.row().import_name);
        Self::all()
            .find(exact)
            .or_else(|| Self::all().find(versioned))
    }

    /// The import name; for a set whose names carry a version, the part before
    /// the version.
    pub fn import_name(self) -> &'static str {
        self.row().import_name
    }

    /// Whether the import name carries a version after
    /// [`import_name`](Self::import_name).
    pub fn is_versioned(self) -> bool {
        self.row().is_prefix
    }

    /// Whether the set's instructions have no semantic effect, so that all
    /// their operands are ids and instructions may be added to the set or
    /// grow operands at any time.
    pub fn is_non_semantic(self) -> bool {
        Self::is_non_semantic_name(self.import_name())
    }

    /// Whether the set describes the source of functions: `DebugInfo` and its two
    /// successors.
    pub fn is_debug_info(self) -> bool {
        Set::of(self).is_some()
    }

    /// Whether an import name is that of a non-semantic set, known or not.
    pub fn is_non_semantic_name(name: &str) -> bool {
        name.starts_with(NON_SEMANTIC)
    }
}

impl fmt::Display for ExtInstSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.import_name())
    }
}
