//! What was done to a module, and what was not, and why.

use std::fmt;

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_ir::{Inst, Module};

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Subject {
    /// A call, and whether the function is there now.
    Call,
    /// A variable, and whether it is values now.
    Variable,
    /// A selection that is gone.
    Selection,
    /// A loop that is gone, or that stays although it was to go.
    Loop,
    /// Anything else that a pass has something to say of.
    Other,
}

impl Subject {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Variable => "variable",
            Self::Selection => "selection",
            Self::Loop => "loop",
            Self::Other => "other",
        }
    }
}

/// A line of the shader's source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceLine {
    /// The file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The column, from 1, or 0 if it isn't known.
    pub column: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            0 => write!(f, "{}:{}", self.file, self.line),
            column => write!(f, "{}:{}:{column}", self.file, self.line),
        }
    }
}

/// Something that was done, or was not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Remark {
    /// What it is about.
    pub subject: Subject,
    /// Whether it was done.
    pub done: bool,
    /// What was done, or why it was not, as the end of a sentence.
    pub what: String,
    /// The ids of the module that was optimized: what it is about.
    pub id: Option<Id>,
    /// The function that it is in.
    pub function: Option<Id>,
    /// Where it comes from.
    pub line: Option<SourceLine>,
}

impl Remark {
    /// A remark about something.
    pub fn new(subject: Subject, done: bool, what: impl Into<String>) -> Self {
        Self {
            subject,
            done,
            what: what.into(),
            id: None,
            function: None,
            line: None,
        }
    }

    /// The same with other ids; without those that stand for none.
    pub(crate) fn with_ids(mut self, other: impl Fn(Id) -> Option<Id>) -> Self {
        self.id = self.id.and_then(&other);
        self.function = self.function.and_then(&other);
        self
    }

    /// The same with the id that it is about.
    #[must_use]
    pub fn about(mut self, id: Id) -> Self {
        self.id = Some(id);
        self
    }
}

/// The ids of a module that gets other ones.
pub(crate) struct OldIds(Vec<(Inst, Id)>);

impl OldIds {
    /// Of a module as it is before.
    pub(crate) fn of(module: &Module) -> Self {
        let all = module.instructions();
        Self(
            all.filter_map(|inst| Some((inst, module.result(inst)?)))
                .collect(),
        )
    }

    /// What the ids were, by what they are afterwards.
    pub(crate) fn by_new(&self, module: &Module) -> HashMap<Id, Id> {
        let pairs = self.0.iter();
        pairs
            .filter_map(|&(inst, old)| Some((module.result(inst)?, old)))
            .collect()
    }
}

/// Remarks in the order of the places that they are about, each once: what was done in the end counts.
pub(crate) fn settled(mut remarks: Vec<Remark>) -> Vec<Remark> {
    // Of what is about the same, that which was done comes first, then that which was said last.
    remarks.reverse();
    remarks.sort_by(|a, b| key(a).cmp(&key(b)).then(b.done.cmp(&a.done)));
    remarks.dedup_by(|a, b| {
        key(a) == key(b) && (a == b || a.subject.is_said_once() && a.id.is_some())
    });
    remarks
}

type Key<'r> = (Option<Id>, &'r Option<SourceLine>, Subject, Option<Id>);

fn key(remark: &Remark) -> Key<'_> {
    (remark.function, &remark.line, remark.subject, remark.id)
}

impl Subject {
    /// Whether only one thing is true of it in the end.
    fn is_said_once(self) -> bool {
        matches!(self, Self::Call | Self::Variable)
    }
}
