//! The subcommands.

pub(crate) mod as_;
pub(crate) mod completions;
pub(crate) mod dis;
pub(crate) mod drop_in;
pub(crate) mod man;
