//! The tests of the crate, as one program, because each takes its time to link.

mod common;
mod encoder;
mod errors;
mod header;
mod instructions;
mod operands;
