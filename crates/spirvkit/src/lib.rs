//! A SPIR-V toolkit in pure Rust.
//!
//! This crate is the front door: the functions most users want, and the
//! libraries behind them as modules.
//!
//! | module | holds |
//! |---|---|
//! | [`grammar`] | the language's instructions and enumerants as tables |
//! | [`binary`] | reading and writing modules word by word |
//! | [`eval`] | what operations give: values, arithmetic, undefined cases |
//! | [`text`] | the assembly language |
//! | [`mod@validate`] | the rules of the language |
//! | [`analysis`] | what programs ask of a module: control flow, dominance, uses, layouts |
//! | [`ir`] | modules to hold, change and build |
//! | [`cfg`](mod@cfg) | control flow as drawings |
//! | [`reflect`](mod@reflect) | what a module asks of an API: entry points, descriptors, layouts |
//! | [`transform`] | specialization, linking, stripping, splitting |
//! | [`debuginfo`] | what the source of a module was: files, lines, types, scopes, variables |
//! | [`diff`] | what changed between two modules |
//! | [`diagnostics`] | how errors and warnings are told |
//!
//! Each of them is a feature, too, all on by default, but for those that the others need:
//! `binary`, `diagnostics` and `grammar`. `validate` takes `text` along, which its messages
//! quote. `dwarf` writes DWARF; `serde` makes reflections serializable, and renders
//! diagnostics, differences and drawings as JSON.
//!
//! # Inputs
//!
//! A module is its words, `&[u32]` in host order, wherever it is only read: [`disassemble`],
//! [`validate`](fn@validate), [`reflect`](fn@reflect), [`debuginfo::DebugInfo::read`],
//! [`cfg::Program::new`](mod@cfg), [`analysis::ModuleIndex::new`]. [`words`] makes them of the
//! bytes of a file, whatever their order. Who has several questions asks one
//! [`analysis::ModuleIndex`]. What changes or compares modules takes an [`ir::Module`], which is
//! loaded from words and stored as words.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use spirvkit::ir::Module;
//! use spirvkit::transform::{Strip, strip};
//!
//! # let text = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\nOpName %v \"v\"\n%v = OpTypeVoid\n";
//! # let file = spirvkit::assemble(text, &Default::default())?.to_bytes(spirvkit::Endianness::Big);
//! let words = spirvkit::words(&file)?;
//! let reflection = spirvkit::reflect(&words)?;
//! assert!(reflection.entry_points.is_empty());
//!
//! let mut module = Module::from_words(words)?;
//! strip(&mut module, &Strip::default().names(true).lines(true));
//! spirvkit::validate(&module.store(), &Default::default()).into_result()?;
//! # Ok(())
//! # }
//! ```
//!
//! Options are made in one way: from a default, by a setter for each field. Fields can be read
//! and assigned, too.
//!
//! # Text
//!
//! Text to a module and back:
//!
//! ```
//! use spirvkit::{AssembleOptions, DisassembleOptions, Endianness};
//!
//! let text = "\
//!                OpCapability Shader
//!                OpMemoryModel Logical GLSL450
//!       %float = OpTypeFloat 32
//!     %float_1 = OpConstant %float 1
//! ";
//! let module = spirvkit::assemble(text, &AssembleOptions::default())?;
//! let file = module.to_bytes(Endianness::Little);
//!
//! let options = DisassembleOptions::default().header(false);
//! let back = spirvkit::disassemble_bytes(&file, &options)?;
//! assert!(back.text.contains("%float_1 = OpConstant %float 1\n"));
//! # Ok::<(), spirvkit::Errors>(())
//! ```
//!
//! # Errors
//!
//! Errors come all at once, as [`Diagnostic`]s that know their place, in [`Errors`] that `?`
//! passes on and [`render`](Errors::render) shows:
//!
//! ```
//! use spirvkit::diagnostics::Source;
//!
//! let text = "OpCapability Shadr\nOpMemoryModel Logical\n";
//! let errors = spirvkit::assemble(text, &Default::default()).unwrap_err();
//! assert_eq!(errors.len(), 2);
//! let source = Source::new("shader.spvasm", text);
//! let message = errors.render(&source);
//! assert!(message.contains("shader.spvasm:1:14"));
//! assert!(message.contains("did you mean `Shader`?"));
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

#[cfg(feature = "analysis")]
pub use spirvkit_analysis as analysis;
pub use spirvkit_binary as binary;
#[cfg(feature = "cfg")]
pub use spirvkit_cfg as cfg;
#[cfg(feature = "debuginfo")]
pub use spirvkit_debuginfo as debuginfo;
pub use spirvkit_diagnostics as diagnostics;
#[cfg(feature = "diff")]
pub use spirvkit_diff as diff;
#[cfg(feature = "eval")]
pub use spirvkit_eval as eval;
pub use spirvkit_grammar as grammar;
#[cfg(feature = "interp")]
pub use spirvkit_interp as interp;
#[cfg(feature = "ir")]
pub use spirvkit_ir as ir;
#[cfg(feature = "reflect")]
pub use spirvkit_reflect as reflect;
#[cfg(feature = "text")]
pub use spirvkit_text as text;
#[cfg(feature = "transform")]
pub use spirvkit_transform as transform;
#[cfg(feature = "validate")]
pub use spirvkit_validate as validate;

mod kinds;
#[cfg(feature = "validate")]
mod validation;

pub use kinds::kinds;
pub use spirvkit_binary::{Endianness, bytes_from_words, words_from_bytes};
pub use spirvkit_diagnostics::{Diagnostic, Errors};
pub use spirvkit_grammar::{TargetEnv, Version};
#[cfg(feature = "reflect")]
pub use spirvkit_reflect::{Reflection, reflect};
#[cfg(feature = "text")]
pub use spirvkit_text::{
    AssembleOptions, Assembled, DisassembleOptions, Disassembled, IdNumbering, Indentation,
    assemble, disassemble, disassemble_bytes,
};
#[cfg(feature = "validate")]
pub use spirvkit_validate::{Options as ValidateOptions, Report, Rule, find_rule, rules};
#[cfg(feature = "validate")]
pub use validation::{located, quoted, validate, validate_bytes, validate_text};

/// The words of a module in host order, from the bytes of a file of either byte order.
///
/// # Errors
///
/// If the bytes are not a whole number of words that starts with the magic number.
///
/// ```
/// let errors = spirvkit::words(b"not a module").unwrap_err();
/// assert_eq!(errors[0].rule(), "binary.wrong-magic");
/// ```
#[cfg(feature = "text")]
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, Errors> {
    match words_from_bytes(bytes) {
        Ok((words, _)) => Ok(words),
        Err(error) => Err(text::binary_error(&error).into()),
    }
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
