//! What can be wrong with modules that are to be linked.

use std::fmt;

/// A class of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// There is nothing to link.
    NoInput,
    /// An instruction can't be decoded, so nobody can tell which of its words are ids.
    Opaque,
    /// Modules are of different versions.
    Version,
    /// A module uses what the highest version among them no longer has.
    Removed,
    /// Modules have different addressing models.
    AddressingModel,
    /// Modules have different memory models.
    MemoryModel,
    /// Two entry points of one execution model have the same name.
    EntryPoint,
    /// What is imported is exported by no module.
    Unresolved,
    /// A symbol is defined more than once.
    Duplicate,
    /// A function is linked with a variable.
    Kind,
    /// The types of two sides differ.
    Type,
    /// Variables are in different storage classes.
    StorageClass,
    /// The two sides' decorations contradict each other.
    Decoration,
    /// An imported function has a body.
    ImportWithBody,
    /// An exported function has no body.
    ExportWithoutBody,
    /// An imported variable has an initializer.
    ImportWithInitializer,
    /// The linkage is of something that is neither a function nor a variable of the
    /// module.
    NotLinkable,
    /// Something has linkage twice.
    RepeatedLinkage,
    /// The linkage type is not known.
    UnknownLinkage,
    /// Variables of several modules are initialized with each other.
    Circle,
    /// Together the modules would have an instruction that is too long.
    TooLong,
    /// A `WorkgroupSize` constant would hold for other modules' entry points.
    WorkgroupSize,
}

impl Fault {
    /// The error's stable id, such as `link.unresolved-symbol`.
    pub fn rule(self) -> &'static str {
        match self {
            Self::NoInput => "link.no-input",
            Self::Opaque => "link.opaque-instruction",
            Self::Version => "link.version-mismatch",
            Self::Removed => "link.removed-in-version",
            Self::AddressingModel => "link.addressing-model-mismatch",
            Self::MemoryModel => "link.memory-model-mismatch",
            Self::EntryPoint => "link.duplicate-entry-point",
            Self::Unresolved => "link.unresolved-symbol",
            Self::Duplicate => "link.duplicate-symbol",
            Self::Kind => "link.kind-mismatch",
            Self::Type => "link.type-mismatch",
            Self::StorageClass => "link.storage-class-mismatch",
            Self::Decoration => "link.decoration-mismatch",
            Self::ImportWithBody => "link.import-with-body",
            Self::ExportWithoutBody => "link.export-without-body",
            Self::ImportWithInitializer => "link.import-with-initializer",
            Self::NotLinkable => "link.not-linkable",
            Self::RepeatedLinkage => "link.repeated-linkage",
            Self::UnknownLinkage => "link.unknown-linkage",
            Self::Circle => "link.circular-initializers",
            Self::TooLong => "link.instruction-too-long",
            Self::WorkgroupSize => "link.work-group-size-mismatch",
        }
    }
}

/// Why modules can't be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError {
    fault: Fault,
    symbol: Option<String>,
    modules: Vec<String>,
    message: String,
    by_pointers: bool,
}

impl LinkError {
    pub(crate) fn new(fault: Fault, message: String) -> Self {
        Self {
            fault,
            symbol: None,
            modules: Vec::new(),
            message,
            by_pointers: false,
        }
    }

    pub(super) fn about(mut self, symbol: &str) -> Self {
        self.symbol = Some(symbol.to_owned());
        self
    }

    pub(crate) fn in_modules<'a>(mut self, modules: impl IntoIterator<Item = &'a str>) -> Self {
        self.modules = modules.into_iter().map(str::to_owned).collect();
        self
    }

    pub(super) fn by_pointers(mut self, by_pointers: bool) -> Self {
        self.by_pointers = by_pointers;
        self
    }

    /// The class of the error.
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// The name of the symbol at fault, or of the entry point.
    pub fn symbol(&self) -> Option<&str> {
        self.symbol.as_deref()
    }

    /// The names of the modules that have to do with it, in the order of the inputs.
    pub fn modules(&self) -> &[String] {
        &self.modules
    }

    /// Whether it is a mismatch of types that
    /// [`allow_pointer_mismatch`](super::Options::allow_pointer_mismatch) would allow.
    pub fn differs_by_pointers(&self) -> bool {
        self.by_pointers
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LinkError {}

/// Names in a sentence, such as "`a.spv` and `b.spv`".
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
