//! What a recipe is made of.

use std::fmt;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_ir::{EditError, Module};

use crate::remarks::{OldIds, settled};
use crate::{Options, Remark};

/// Whether a pass has changed a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is as it was.
    No,
    /// It may be another one.
    Yes,
}

impl Changed {
    /// Yes, if so many things were changed.
    #[must_use]
    pub fn if_any(count: usize) -> Self {
        match count {
            0 => Self::No,
            _ => Self::Yes,
        }
    }

    /// Yes, if either is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::No => other,
        }
    }
}

/// Why a pass can't do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassError {
    message: String,
}

impl PassError {
    /// An error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PassError {}

impl From<EditError> for PassError {
    fn from(error: EditError) -> Self {
        Self::new(error.to_string())
    }
}

/// What a pass may look at besides the module, and where it says what it did.
#[derive(Debug)]
pub struct Context<'o> {
    options: &'o Options,
    remarks: Vec<Remark>,
    /// The bound of the module as it was at first: what is new has no id that anybody knows.
    bound: u32,
    /// The ids that those of the module had at first, once they are other ones.
    first: Option<HashMap<Id, Id>>,
}

impl<'o> Context<'o> {
    pub(crate) fn new(options: &'o Options, module: &Module) -> Self {
        Self {
            options,
            remarks: Vec::new(),
            bound: module.header().bound,
            first: None,
        }
    }

    /// The remarks, each once.
    pub(crate) fn into_remarks(self) -> Vec<Remark> {
        settled(self.remarks)
    }

    /// Lets a change give ids other numbers: remarks have those that there were at first.
    pub(crate) fn renumbering<E>(
        &mut self,
        module: &mut Module,
        change: impl FnOnce(&mut Module) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.options.remarks {
            return change(module);
        }
        let old = OldIds::of(module);
        change(module)?;
        self.renumbered(old.by_new(module));
        Ok(())
    }

    /// Notes which ids those of the module were before.
    pub(crate) fn renumbered(&mut self, old: HashMap<Id, Id>) {
        let first = old.into_iter();
        let first = first.filter_map(|(new, old)| Some((new, self.known(old)?)));
        self.first = Some(first.collect());
    }

    /// What an id of the module as it is was at first.
    fn known(&self, id: Id) -> Option<Id> {
        match &self.first {
            Some(first) => first.get(&id).copied(),
            None => Some(id).filter(|id| id.0 < self.bound),
        }
    }

    /// What the caller wants.
    #[must_use]
    pub fn options(&self) -> &'o Options {
        self.options
    }

    /// Tells what was done, or wasn't, with ids of the module as it is. It is kept only if the options ask for remarks.
    pub fn remark(&mut self, remark: Remark) {
        if self.options.remarks {
            let remark = remark.with_ids(|id| self.known(id));
            self.remarks.push(remark);
        }
    }
}

/// A change to a module that leaves what it does as it is.
///
/// A pass works on the module as `spirvkit_ir` has it: whatever decodes. It must leave alone what it
/// doesn't understand, and give the same for the same module. `examples/own_pass.rs` has one.
pub trait Pass: Send + Sync {
    /// What it is called in reports and messages.
    fn name(&self) -> &str;

    /// Changes a module.
    ///
    /// # Errors
    ///
    /// If what the caller has asked for can't be done. The module may then be anything.
    fn run(&self, module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError>;
}
