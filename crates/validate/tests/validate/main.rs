//! The tests of the crate, as one program, because each takes its time to link.

mod advice;
mod cases;
mod compiled;
mod debug_info;
mod extensions;
mod front;
mod hostile;
mod nesting;
mod operands;
mod options;
mod rules;
