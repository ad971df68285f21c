//! What can be wrong with modules that are to be linked.

use std::fmt;

use spirvkit_diagnostics::Kind;

use super::kinds;

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
    /// The error's stable id, such as `link.unresolved-symbol`, and what it means.
    pub fn kind(self) -> &'static Kind {
        match self {
            Self::NoInput => &kinds::NO_INPUT,
            Self::Opaque => &kinds::OPAQUE,
            Self::Version => &kinds::VERSION,
            Self::Removed => &kinds::REMOVED,
            Self::AddressingModel => &kinds::ADDRESSING_MODEL,
            Self::MemoryModel => &kinds::MEMORY_MODEL,
            Self::EntryPoint => &kinds::ENTRY_POINT,
            Self::Unresolved => &kinds::UNRESOLVED,
            Self::Duplicate => &kinds::DUPLICATE,
            Self::Kind => &kinds::KIND,
            Self::Type => &kinds::TYPE,
            Self::StorageClass => &kinds::STORAGE_CLASS,
            Self::Decoration => &kinds::DECORATION,
            Self::ImportWithBody => &kinds::IMPORT_WITH_BODY,
            Self::ExportWithoutBody => &kinds::EXPORT_WITHOUT_BODY,
            Self::ImportWithInitializer => &kinds::IMPORT_WITH_INITIALIZER,
            Self::NotLinkable => &kinds::NOT_LINKABLE,
            Self::RepeatedLinkage => &kinds::REPEATED_LINKAGE,
            Self::UnknownLinkage => &kinds::UNKNOWN_LINKAGE,
            Self::Circle => &kinds::CIRCLE,
            Self::TooLong => &kinds::TOO_LONG,
            Self::WorkgroupSize => &kinds::WORKGROUP_SIZE,
        }
    }

    /// The error's stable id.
    pub fn rule(self) -> &'static str {
        self.kind().id
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
