//! A SPIR-V toolkit in pure Rust.
//!
//! This crate has the functions that most users want, and the libraries behind them as
//! modules.
//!
//! | module | holds |
//! |---|---|
//! | [`grammar`] | the language's instructions and enumerants as tables |
//! | [`binary`] | reading and writing modules word by word |
//! | [`eval`] | the results of operations: values, arithmetic, undefined cases |
//! | [`text`] | the assembly language |
//! | [`mod@validate`] | the rules of the language |
//! | [`analysis`] | what programs ask of a module: control flow, dominance, uses, layouts |
//! | [`ir`] | modules to load, change and build |
//! | [`cfg`](mod@cfg) | control flow as drawings |
//! | [`reflect`](mod@reflect) | a module's interface to the API: entry points, descriptors, layouts |
//! | [`transform`] | specialization, linking, stripping, splitting |
//! | [`opt`] | an optimizer: the same in fewer words |
//! | [`debuginfo`] | debug information: files, lines, types, scopes, variables |
//! | [`diff`] | the differences between two modules |
//! | [`interp`] | running compute shaders |
//! | [`amber`] | Amber's scripts of shader tests |
//! | [`diagnostics`] | errors and warnings, and their renderers |
//!
//! Each of them except `binary`, `diagnostics` and `grammar`, which the others need, is a
//! feature, and all are on by default. `validate` turns on `text`, because its messages quote
//! instructions; `interp` turns on `validate`, and `amber` `interp`. `dwarf` writes DWARF;
//! `serde` makes reflections serializable, and renders diagnostics, differences and drawings
//! as JSON.
//!
//! # Inputs
//!
//! Functions that only read a module take its words, `&[u32]` in host order: [`disassemble`],
//! [`validate`](fn@validate), [`reflect`](fn@reflect), [`debuginfo::DebugInfo::read`],
//! [`cfg::Program::new`](mod@cfg), [`analysis::ModuleIndex::new`]. [`words`] gets them from
//! the bytes of a file, in either byte order. For several questions about one module, make
//! one [`analysis::ModuleIndex`]. Functions that change or compare modules take an
//! [`ir::Module`], which is loaded from words and stored as words.
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
//! All options work the same way: they start from a default and have a setter for each field.
//! Fields can be read and assigned, too.
//!
//! # Text
//!
//! From text to a module and back:
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
//! All errors are returned at once, as [`Diagnostic`]s with their places, in [`Errors`],
//! which works with `?` and which [`render`](Errors::render) turns into text:
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

#[cfg(feature = "amber")]
pub use spirvkit_amber as amber;
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
#[cfg(feature = "opt")]
pub use spirvkit_opt as opt;
#[cfg(feature = "reflect")]
pub use spirvkit_reflect as reflect;
#[cfg(feature = "text")]
pub use spirvkit_text as text;
#[cfg(feature = "transform")]
pub use spirvkit_transform as transform;
#[cfg(feature = "validate")]
pub use spirvkit_validate as validate;
#[cfg(feature = "vulkan")]
pub use spirvkit_vulkan as vulkan;

mod kinds;
#[cfg(all(feature = "validate", feature = "vulkan"))]
mod pipeline;
#[cfg(all(
    feature = "analysis",
    feature = "ir",
    feature = "transform",
    feature = "validate",
    feature = "vulkan"
))]
mod specialized;
#[cfg(feature = "validate")]
mod validation;

pub use kinds::kinds;
#[cfg(all(feature = "validate", feature = "vulkan"))]
pub use pipeline::{PipelineStage, validate_pipeline};
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
