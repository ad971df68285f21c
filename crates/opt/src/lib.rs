//! An optimizer of SPIR-V modules.
//!
//! [`optimize`] takes the words of a module and gives those of one that does the same, and is
//! smaller. Entry points, what they write and what is exported stay; unused inputs, bindings and
//! specialization constants do so if the [`Options`] say so.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod abilities;
mod bisect;
mod body;
pub mod classic;
mod effects;
mod options;
mod pass;
mod passes;
mod pipeline;
mod recipe;
mod remarks;
pub mod rules;
mod unit;

pub use abilities::Abilities;
pub use bisect::{Bisection, Culprit, bisect};
pub use options::{Float, Level, Options};
pub use pass::{Changed, Context, Pass, PassError};
pub use recipe::{Recipe, RecipeError, RunError, Watch, flags};
pub use remarks::{Remark, SourceLine, Subject};
pub use spirvkit_binary::Error;

/// What [`optimize`] has made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Optimized {
    /// The words of the module, in host order, including the header.
    pub words: Vec<u32>,
    /// What was done and what was not, if the options ask for it.
    pub remarks: Vec<Remark>,
}

/// Optimizes a module, given as words in host order. [`Recipe`] does other things to it, too.
///
/// # Errors
///
/// If the header can't be read, or an instruction's word count is zero or goes past the end.
pub fn optimize(words: &[u32], options: &Options) -> Result<Optimized, Error> {
    let (optimized, _) = pipeline::run(words, options, pipeline::Wanted::Smallest)?;
    Ok(optimized)
}
