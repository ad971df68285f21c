//! Transformations of SPIR-V modules, and what they are built on.
//!
//! [`specialize()`] makes specialization constants final.
//!
//! [`fold`] reads the constants of a module as values, with [`spirvkit_eval`] for the
//! operations on them, and writes values as instructions.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![forbid(unsafe_code)]
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

/// The memory, in bytes, that each word added to a module takes: in the module itself, which
/// grows by doubling and tracks uses, in the stored form, and in the file.
pub const WORD_COST: u64 = 32;

mod compact;
pub mod fold;
pub mod link;
mod merge;
mod prune;
mod remarks;
mod specialize;
mod split;
mod strip;
mod trim;

pub use compact::{OpaqueInstruction, compact_ids};
pub use merge::merge;
pub use prune::{Prune, prune};
pub use specialize::{
    SpecConstant, Specialization, SpecializeError, Specialized, Warning, spec_constants, specialize,
};
pub use split::{
    EntryPoint, SplitError, entry_points, find_entry_point, keep_entry_point, split_all,
};
pub use strip::{Strip, strip};
pub use trim::{Trim, trim_capabilities};
