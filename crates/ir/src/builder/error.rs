//! What can be wrong with what was built.

use std::collections::BTreeMap;
use std::fmt;

use spirvkit_binary::{ErrorKind, Id};
use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{Capability, Op, Version};

use crate::edit::EditError;

/// Something wrong with a module that was built.
///
/// Its text names the instruction, the function, and the ids with their debug names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildError {
    /// The instruction that is wrong, or that should have been made.
    pub op: Op,
    /// The function that it is in, or should be in.
    pub function: Option<Id>,
    /// What is wrong.
    pub kind: BuildErrorKind,
    /// The debug names of the ids above.
    names: BTreeMap<u32, String>,
}

/// What is wrong with a module that was built.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// Nothing defines an id that is used.
    Undefined(Id),
    /// [`Builder::define`](super::Builder::define) named an id that has a definition.
    DefinedTwice(Id),
    /// [`Builder::define`](super::Builder::define) was called, and nothing with a
    /// result was made after it.
    NeverGiven(Id),
    /// A result type is not a type.
    NotAType(Id),
    /// What should be a block of the same function isn't.
    NotABlock(Id),
    /// The type of a constant, or of a switch's selector, has no literals.
    NotANumber(Id),
    /// No block is open where the instruction should go.
    NoBlock,
    /// No function is open.
    NoFunction,
    /// Another function is open.
    FunctionOpen(Id),
    /// A function isn't ended.
    NotEnded(Id),
    /// A function has no blocks.
    NoBlocks(Id),
    /// A parameter comes after the function's first block.
    LateParameter,
    /// A block has no terminator.
    Unterminated(Id),
    /// The instruction ends a block or belongs to its end, but the place chosen is
    /// within a block that has one.
    MidBlock,
    /// No branch follows a merge instruction.
    MergeWithoutBranch,
    /// A loop is left or continued from within another loop in it, or from outside.
    NotInnermostLoop(Id),
    /// Two cases of a switch have the same literal.
    SecondCase(u64),
    /// A switch has two default cases.
    SecondDefault,
    /// The place to insert at doesn't exist.
    NoSuchPlace,
    /// An existing instruction can't be changed.
    Edit(EditError),
    /// The operands are not those that the grammar requires.
    Operands(ErrorKind),
    /// The instruction would have more words than a word count can express.
    TooLong {
        /// How many it would have.
        words: usize,
    },
    /// A string contains a NUL, which would terminate it early.
    Nul,
    /// An extended instruction set has no such instruction.
    NoSuchInstruction {
        /// The set's import name.
        set: String,
        /// The requested instruction.
        instruction: String,
    },
    /// There is no `OpMemoryModel`.
    NoMemoryModel,
    /// One of these capabilities is needed, and none of them declared or allowed.
    Capability {
        /// What needs it.
        what: String,
        /// The alternatives.
        any_of: Vec<Capability>,
    },
    /// One of these extensions is needed, and none of them declared or allowed.
    Extension {
        /// What needs it.
        what: String,
        /// The alternatives.
        any_of: Vec<String>,
    },
    /// The module's version has no such thing.
    Version {
        /// What it lacks.
        what: String,
        /// The first version that has it, if there is one.
        since: Option<Version>,
        /// The last version that has it, if it was removed.
        until: Option<Version>,
    },
}

impl BuildErrorKind {
    fn id(&self) -> Option<Id> {
        match *self {
            Self::Undefined(id)
            | Self::DefinedTwice(id)
            | Self::NeverGiven(id)
            | Self::NotAType(id)
            | Self::NotABlock(id)
            | Self::NotANumber(id)
            | Self::FunctionOpen(id)
            | Self::NotEnded(id)
            | Self::NoBlocks(id)
            | Self::Unterminated(id)
            | Self::NotInnermostLoop(id) => Some(id),
            _ => None,
        }
    }
}

impl BuildError {
    pub(super) fn new(op: Op, function: Option<Id>, kind: BuildErrorKind) -> Self {
        Self {
            op,
            function,
            kind,
            names: BTreeMap::new(),
        }
    }

    /// Takes the names of the ids that it is about from all names.
    pub(super) fn take_names(&mut self, all: &BTreeMap<u32, String>) {
        for id in [self.function, self.kind.id()].into_iter().flatten() {
            if let Some(name) = all.get(&id.0) {
                self.names.insert(id.0, name.clone());
            }
        }
    }

    /// An id as `%7`, and its debug name, if it has one.
    fn show(&self, id: Id) -> String {
        match self.names.get(&id.0) {
            Some(name) => format!("%{} (`{name}`)", id.0),
            None => format!("%{}", id.0),
        }
    }

    fn write_kind(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use BuildErrorKind as K;
        let id = self.kind.id().map(|id| self.show(id)).unwrap_or_default();
        match &self.kind {
            K::Undefined(_) => write!(f, "it uses {id}, which is not defined"),
            K::DefinedTwice(_) => write!(f, "its result {id} is already defined"),
            K::NeverGiven(_) => write!(f, "no instruction with the result {id} followed"),
            K::NotAType(_) => write!(f, "its result type {id} is not a type"),
            K::NotABlock(_) => write!(f, "{id} is not a block of the same function"),
            K::NotANumber(_) => write!(
                f,
                "{id} is neither a numeric type of a supported width nor a value of one"
            ),
            K::NoBlock => write!(f, "it must be in a block, but no block is open"),
            K::NoFunction => write!(f, "it must be in a function, but no function is open"),
            K::FunctionOpen(_) => write!(f, "the function {id} must be ended first"),
            K::NotEnded(_) => write!(f, "the function {id} has not been ended"),
            K::NoBlocks(_) => write!(
                f,
                "the function {id} has no blocks; declare it if it is imported"
            ),
            K::LateParameter => write!(f, "parameters must come before the first block"),
            K::Unterminated(_) => write!(f, "the block {id} has no terminator"),
            K::MidBlock => write!(
                f,
                "it must come at the end of a block, but is inserted into one that already has a terminator"
            ),
            K::MergeWithoutBranch => write!(f, "no branch follows it"),
            K::NotInnermostLoop(_) => write!(
                f,
                "the loop with the merge block {id} is not the innermost one here"
            ),
            K::SecondCase(literal) => write!(f, "there is already a case for {literal}"),
            K::SecondDefault => write!(f, "there is already a default case"),
            K::Edit(error) => write!(f, "{error}"),
            K::NoSuchPlace => write!(f, "there is no such place in the module"),
            K::Operands(error) => write!(f, "{error}"),
            K::TooLong { words } => {
                write!(f, "it would have {words} words, but the limit is 65535")
            }
            K::Nul => write!(
                f,
                "its string contains a NUL, which would terminate it early"
            ),
            K::NoSuchInstruction { set, instruction } => {
                write!(f, "`{set}` has no instruction {instruction}")
            }
            K::NoMemoryModel => write!(f, "the module has none"),
            K::Capability { what, any_of } => {
                let names = any_of.iter().map(|each| each.to_string());
                write!(f, "{what} needs {}", one_of("capability", names))
            }
            K::Extension { what, any_of } => {
                let names = any_of.iter().cloned();
                write!(f, "{what} needs {}", one_of("extension", names))
            }
            K::Version { what, since, until } => match (since, until) {
                (_, Some(until)) => write!(f, "SPIR-V {until} was the last version with {what}"),
                (Some(since), None) => write!(f, "{what} needs SPIR-V {since}"),
                (None, None) => write!(f, "no version of SPIR-V has {what} yet"),
            },
        }
    }
}

fn one_of(what: &str, names: impl Iterator<Item = String>) -> String {
    let names = names.map(|name| format!("`{name}`"));
    format!("the {what} {}", alternatives(names))
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.op)?;
        if let Some(function) = self.function {
            write!(f, " in the function {}", self.show(function))?;
        }
        write!(f, ": ")?;
        self.write_kind(f)
    }
}

impl std::error::Error for BuildError {}
