//! What changes SPIR-V modules, and what such changes stand on.
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

mod compact;

pub use compact::{OpaqueInstruction, compact_ids};
