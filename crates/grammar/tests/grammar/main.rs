//! The tests of the crate, as one program, because each takes its time to link.

mod debug_info;
mod predicates;
mod rows;
mod tables;
mod words;
