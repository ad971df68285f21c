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

mod body;
mod effects;
mod options;
mod passes;
mod pipeline;
pub mod rules;
mod unit;

pub use options::{Level, Options};
pub use spirvkit_binary::Error;

/// What [`optimize`] has made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Optimized {
    /// The words of the module, in host order, including the header.
    pub words: Vec<u32>,
}

/// Optimizes a module, given as words in host order.
///
/// # Errors
///
/// If the header can't be read, or an instruction's word count is zero or goes past the end.
pub fn optimize(words: &[u32], options: &Options) -> Result<Optimized, Error> {
    let words = pipeline::run(words, options)?;
    Ok(Optimized { words })
}
