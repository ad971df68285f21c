//! The tests of the crate, as one program, because each takes its time to link.

mod predicates;
mod rows;
mod tables;
mod words;
