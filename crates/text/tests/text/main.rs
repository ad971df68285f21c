//! The tests of the crate, as one program, because each takes its time to link.

mod annotate;
mod assemble_errors;
mod assemble_floats;
mod assemble_header;
mod assemble_ids;
mod assemble_integers;
mod assemble_narrow_floats;
mod assemble_operands;
mod assemble_raw;
mod assemble_recovery;
mod assemble_strings;
mod assemble_syntax;
mod assemble_undefined;
mod common;
mod disassemble_lenient;
mod disassemble_names;
mod disassemble_options;
mod disassemble_strict;
mod foreign;
mod kinds;
mod limits;
mod origins;
mod round_trip;
mod source;
