//! The machine-readable grammar of SPIR-V, as static tables.
//!
//! Everything the registry states about the language is here, and nothing
//! else: each core instruction with its class, operands and quantifiers; each
//! operand kind with its enumerants, their aliases and parameters; each
//! extended instruction set; and for every one of them the capabilities,
//! extensions and versions that make it available. The tables are generated
//! from the registry's JSON files by `cargo xtask codegen`; this crate adds the
//! look-ups.
//!
//! Opcodes and enumerants are *open* newtypes: [`Op`], [`Decoration`] and the
//! like can hold any value, known or not, so that a module which uses a newer
//! extension still decodes, prints and encodes.
//!
//! The crate is `no_std` and does not allocate. Looking up an instruction or an
//! enumerant, by number or by name, takes constant time.
//!
//! ```
//! use spirvkit_grammar::{Decoration, Op, OperandKind, Quantifier};
//!
//! let store = Op::from_name("OpStore").unwrap();
//! assert_eq!(store, Op::Store);
//! let info = store.info().unwrap();
//! assert!(!info.has_result());
//! let operands = info.operands();
//! assert_eq!(operands[0].kind(), OperandKind::IdRef);
//! assert_eq!(operands[2].quantifier(), Quantifier::Optional);
//!
//! let decoration = OperandKind::Decoration.enumerant_by_name("Location").unwrap();
//! assert_eq!(decoration.value(), Decoration::Location.0);
//! assert_eq!(decoration.parameters()[0].kind(), OperandKind::LiteralInteger);
//!
//! // A number that is not assigned is still an opcode.
//! assert!(Op(65_000).info().is_none());
//! assert_eq!(Op(65_000).to_string(), "Op(65000)");
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

pub mod debug_info;
mod enumeration;
mod environment;
#[rustfmt::skip]
mod generated;
mod generator;
mod hash;
mod info;
mod lookup;
mod predicates;
mod set;
mod version;

pub use enumeration::Enumeration;
pub use environment::{TargetEnv, UnknownTargetEnv};
pub use generated::enumerants::*;
pub use generated::instructions::*;
pub use generated::kinds::{Class, ExtInstSet, OperandKind};
pub use generated::{GRAMMAR_FINGERPRINT, GRAMMAR_REVISION};
pub use generator::{Generator, ParseGeneratorError};
pub use info::{
    Availability, Category, EnumerantInfo, Extensions, InstructionInfo, Names, OperandInfo,
    Quantifier,
};
pub use version::Version;
