//! The SPIR-V assembly language: [`assemble`] and [`disassemble`].
//!
//! The assembler accepts the whole language and reports all errors in a text at once. The
//! disassembler writes the same text as the established tools, byte for byte, with all their
//! options; on request it continues where a module can't be decoded.
//!
//! ```
//! use spirvkit_text::{AssembleOptions, DisassembleOptions, assemble, disassemble};
//!
//! let text = "OpCapability Linkage\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n";
//! let module = assemble(text, &AssembleOptions::default()).unwrap();
//! let options = DisassembleOptions::default().header(false);
//! let back = disassemble(&module.words, &options).unwrap();
//! assert!(back.text.ends_with("%void = OpTypeVoid\n"));
//! ```
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
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

mod assemble;
mod buffer;
mod disassemble;
mod foreign;
mod kinds;
mod lexer;
mod number;
mod unsupported;

pub use assemble::{AssembleOptions, Assembled, IdNumbering, Origins, assemble};
pub use disassemble::{
    DisassembleOptions, Disassembled, Excerpt, IdNames, Indentation, ListedLine, Meant,
    binary_error, descriptions, disassemble, disassemble_bytes, excerpts, listing, named_excerpts,
    named_listing, read_excerpts,
};
pub use foreign::looks_like;
pub use kinds::KINDS;
pub use number::{NumberError, parse_number, write_number};
