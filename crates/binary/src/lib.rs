//! The binary form of SPIR-V (specification, sections 2.2.1, 2.3 and 3.1).
//!
//! A module stays what it is in memory, one slice of words. [`Module`] reads
//! the header and walks the instructions; an [`Instruction`] borrows its words;
//! [`Operands`] decodes them with the grammar's help, including the operands
//! whose form depends on other instructions, for which [`Definitions`] keeps
//! what a reader must know of the ids defined so far. [`Encoder`] goes the
//! other way.
//!
//! Nothing here allocates per instruction, panics on any input, or trusts a
//! number in the file: an id bound of four billion costs nothing.
//!
//! ```
//! use spirvkit_binary::{Definitions, Endianness, Module, Value, words_from_bytes};
//!
//! # let bytes: Vec<u8> = [0x0723_0203u32, 0x0001_0000, 0, 2, 0, 0x0004_0015, 1, 32, 0]
//! #     .iter().flat_map(|word| word.to_le_bytes()).collect();
//! // A module whose one instruction is `%1 = OpTypeInt 32 0`.
//! let (words, endianness) = words_from_bytes(&bytes)?;
//! assert_eq!(endianness, Endianness::Little);
//! let module = Module::new(&words)?;
//! let mut definitions = Definitions::for_module(&module);
//! for instruction in module.instructions() {
//!     let instruction = instruction?;
//!     assert_eq!(instruction.op().to_string(), "OpTypeInt");
//!     for operand in instruction.operands(&definitions) {
//!         match operand?.value {
//!             Value::Id(id) => assert_eq!(id.0, 1),
//!             Value::Integer(value) => assert!(value == 32 || value == 0),
//!             other => unreachable!("{other:?}"),
//!         }
//!     }
//!     definitions.define(&instruction);
//! }
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![no_std]
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

extern crate alloc;

mod budget;
mod bytes;
mod definitions;
mod encode;
mod error;
mod header;
mod id;
mod instruction;
mod number;
mod operands;
mod options;
mod sections;
pub mod spelling;
mod string;

pub use budget::{Budget, OverBudget};
pub use bytes::{Endianness, bytes_from_words, words_from_bytes};
pub use definitions::{Definition, Definitions, Import, Redefinition};
pub use encode::{Encoder, InstructionTooLong};
pub use error::{Error, ErrorKind};
pub use header::{HEADER_WORDS, Header, MAGIC};
pub use id::{Id, IdMap, WordOffset};
pub use instruction::{Instruction, Instructions, Module};
pub use number::{FloatFormat, NumberType};
pub use operands::{Operand, Operands, Value};
pub use sections::Section;
pub use string::LiteralString;
