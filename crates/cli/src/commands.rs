//! The subcommands, each in a file: its arguments, its help, and what it does with what
//! they share. None of them knows another.

pub(crate) mod amber;
pub(crate) mod as_;
pub(crate) mod cfg;
pub(crate) mod compact_ids;
pub(crate) mod completions;
pub(crate) mod debug;
pub(crate) mod diff;
pub(crate) mod dis;
pub(crate) mod drop_in;
pub(crate) mod explain;
pub(crate) mod info;
pub(crate) mod layout;
pub(crate) mod link;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod opt;
pub(crate) mod run;
pub(crate) mod specialize;
pub(crate) mod split;
pub(crate) mod strip;
pub(crate) mod trim_capabilities;
pub(crate) mod val;
