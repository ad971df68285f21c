//! The debug information of a module.
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

#[rustfmt::skip]
mod generated;
mod schema;

pub use generated::{Field, Kind};
pub use schema::{Set, Slot};
