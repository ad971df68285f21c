//! What can be wrong with modules that are to be linked.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use spirvkit_binary::Budget;
use spirvkit_diagnostics::{Diagnostic, Errors, Kind};

use super::kinds;

/// A class of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LinkErrorKind {
    /// There is nothing to link.
    NoInput,
    /// An instruction can't be decoded, so it is unknown which of its words are ids.
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
    /// No module exports what a module imports.
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
    /// Something other than a function or a variable of the module has linkage.
    NotLinkable,
    /// Something has linkage twice.
    RepeatedLinkage,
    /// The linkage type is not known.
    UnknownLinkage,
    /// The initializers of variables in several modules form a cycle.
    Circle,
    /// Together the modules would have an instruction that is too long.
    TooLong,
    /// A `WorkgroupSize` constant would apply to other modules' entry points.
    WorkgroupSize,
    /// The result would be out of proportion to the modules.
    TooLarge,
    /// There are more errors than the budget has room for.
    More,
}

impl LinkErrorKind {
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
            Self::TooLarge => &kinds::TOO_LARGE,
            Self::More => &kinds::MORE,
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
    kind: LinkErrorKind,
    symbol: Option<Arc<str>>,
    modules: Vec<String>,
    message: String,
    by_pointers: bool,
}

impl LinkError {
    pub(crate) fn new(kind: LinkErrorKind, message: String) -> Self {
        Self {
            kind,
            symbol: None,
            modules: Vec::new(),
            message,
            by_pointers: false,
        }
    }

    pub(super) fn about(mut self, symbol: &Arc<str>) -> Self {
        self.symbol = Some(Arc::clone(symbol));
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
    pub fn kind(&self) -> LinkErrorKind {
        self.kind
    }

    /// The name of the symbol or entry point at fault.
    pub fn symbol(&self) -> Option<&str> {
        self.symbol.as_deref()
    }

    /// The names of the modules involved, in the order of the inputs.
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

/// An error without a place: it is about modules, which its message names.
impl From<&LinkError> for Diagnostic {
    fn from(error: &LinkError) -> Self {
        error.kind.kind().error(&error.message)
    }
}

/// Names in a sentence, such as "`a.spv` and `b.spv`".
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}

/// How much of a name a message shows, in bytes. Many errors may be about one long name.
const MAX_NAME: usize = 1000;

/// A name as messages show it.
pub(super) fn brief(name: &str) -> Cow<'_, str> {
    if name.len() <= MAX_NAME {
        return name.into();
    }
    let end = (0..=MAX_NAME).rev().find(|&end| name.is_char_boundary(end));
    format!("{}…", &name[..end.unwrap_or(0)]).into()
}

/// The errors that there is room to report.
pub(super) struct ErrorLog {
    list: Vec<LinkError>,
    budget: Budget,
    /// How many errors there is no room for.
    more: usize,
}

impl ErrorLog {
    /// What a byte of a message costs: it is in the error and in its diagnostic, possibly
    /// as an escape.
    const BYTE_COST: usize = 8;

    pub(super) fn within(budget: Budget) -> Self {
        Self {
            list: Vec::new(),
            budget,
            more: 0,
        }
    }

    pub(super) fn push(&mut self, error: LinkError) {
        self.push_with(0, || error);
    }

    /// Adds an error, whose message takes so many steps to make if there is room for it.
    pub(super) fn push_with(&mut self, steps: usize, error: impl FnOnce() -> LinkError) {
        let has_room = |budget: &mut Budget, bytes: usize| {
            budget.take(Self::BYTE_COST.saturating_mul(bytes) as u64)
        };
        if self.list.is_empty() || has_room(&mut self.budget, steps) {
            let error = error();
            let names = error.modules.iter().map(String::len).sum::<usize>();
            if has_room(&mut self.budget, error.message.len() + names) || self.list.is_empty() {
                return self.list.push(error);
            }
        }
        self.more += 1;
    }

    /// All the errors, if there are any.
    pub(super) fn check(self) -> Result<Budget, Errors<LinkError>> {
        let mut list = self.list;
        if self.more > 0 {
            let message = format!("{} more errors are not shown", self.more);
            list.push(LinkError::new(LinkErrorKind::More, message));
        }
        match Errors::new(list) {
            Some(errors) => Err(errors),
            None => Ok(self.budget),
        }
    }
}

impl Extend<LinkError> for ErrorLog {
    fn extend<T: IntoIterator<Item = LinkError>>(&mut self, errors: T) {
        for error in errors {
            self.push(error);
        }
    }
}
