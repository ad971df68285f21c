//! The tests of the crate, as one program, because each takes its time to link.

mod advice;
mod compiled;
mod control_flow;
mod debug_info;
mod every_error;
mod every_operand;
mod extensions;
mod front;
mod hostile;
mod operands;
mod options;
mod rules;
mod siblings;
