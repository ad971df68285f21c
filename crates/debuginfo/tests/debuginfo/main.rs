//! The tests of the crate, as one program, because each takes its time to link.

mod build;
mod build_encode;
mod common;
mod conversions;
mod convert;
mod coverage;
mod dwarf;
mod fixtures;
mod model;
mod remove;
