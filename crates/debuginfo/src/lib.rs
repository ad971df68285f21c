//! The debug information of SPIR-V modules: one model of the three instruction sets
//! that carry it.
//!
//! | to | there is |
//! |---|---|
//! | read it from any module | [`DebugInfo::read`] |
//! | look at types, functions, variables, scopes | [`Entry`], [`DebugInfo::entries`], [`DebugInfo::children`] |
//! | ask where an instruction comes from | [`DebugInfo::position`], [`DebugInfo::scope`], [`DebugInfo::frames`] |
//! | ask which instructions come of a line | [`DebugInfo::instructions_of`] |
//! | ask which variables are visible, and where they are | [`DebugInfo::variables`] |
//! | read source files | [`DebugInfo::files`], [`DebugInfo::text_of`] |
//! | write DWARF of it | [`dwarf`] |
//! | ask what an instruction looks like in a set | [`Set::fields`] |
//! | write it | [`build`] |
//! | convert it to another set, or make it of lines and names | [`convert::convert`], [`convert::describe`] |
//! | remove single instructions | [`remove`], [`remove_each`] |
//!
//! The sets are `DebugInfo`, which is the first and oldest, `OpenCL.DebugInfo.100`, and
//! `NonSemantic.Shader.DebugInfo.100` with its later versions. They share most
//! instructions, with other orders of operands and other ways to write numbers; here
//! they look the same.
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

pub mod build;
pub mod convert;
mod describe;
#[cfg(feature = "dwarf")]
pub mod dwarf;
mod entry;
mod files;
mod model;
mod places;
mod remove;
mod type_text;
mod variables;

pub use describe::Branch;
pub use entry::{Encoding, Entry, Flags, ImportedTag, Operation, OperationCode, Qualifier, Tag};
pub use files::{File, FileId};
pub use model::{DebugInfo, Function};
pub use places::{Frame, Position, Scope};
pub use remove::{RemoveError, Removed, remove, remove_each};
pub use spirvkit_grammar::debug_info::{Field, Kind, Set, Slot};
pub use variables::{Location, Value, Variable, Variables, bound_location, global_location};
