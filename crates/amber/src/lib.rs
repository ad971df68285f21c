//! Amber's shader test scripts: their declarations, commands and expectations.
//!
//! [`parse`] reads both languages, AmberScript and VkScript, into a [`Script`], and reports
//! all errors in a text at once. [`contents`] computes the initial contents of a buffer, and
//! [`compare`] compares its final contents with what the script expects. [`run`] runs a script by
//! the interpreter, and asks a [`Host`] for files and compiled shaders; [`Compiler`] starts the
//! programs that compile them. Nothing else here leaves the process.
//!
//! ```
//! use spirvkit_amber::{Action, Expect, compare, contents, parse};
//!
//! let script = parse("\
//! ##!amber
//! SHADER compute double SPIRV-ASM TARGET_ENV spv1.3
//! ; …
//! END
//! BUFFER numbers DATA_TYPE vec2<float> DATA 1 2 3 4.5 END
//! PIPELINE compute pipeline
//!   ATTACH double
//!   BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 0
//! END
//! RUN pipeline 2 1 1
//! EXPECT numbers IDX 0 EQ 2 4 6 9
//! ")?;
//! let no_files = |_, _: &str| Err("there are none".to_owned());
//! let bytes = contents(&script, &script.buffers[0], [0, 0], no_files)?;
//! assert_eq!(bytes[12..], 4.5_f32.to_le_bytes());
//!
//! let Action::Expect(Expect::Values { values, comparator, tolerances }) = &script.commands[1].action else {
//!     panic!("the second command is `EXPECT`");
//! };
//! let wrong = compare::values(&script, &bytes, values, *comparator, tolerances).unwrap_err();
//! assert_eq!(wrong.to_string(), "at byte 0: expected 2.0, found 1.0; 4 of 4 values differ");
//! # Ok::<(), spirvkit_diagnostics::Errors>(())
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

mod amber_script;
mod command;
pub mod compare;
mod compiler;
mod contents;
mod kinds;
mod lex;
mod number;
mod pipeline;
mod reader;
mod run;
mod script;
mod types;
mod vk_script;
mod words;

use spirvkit_diagnostics::{Errors, Span};

pub use amber_script::MAX_REPEAT_DEPTH;
pub use command::{
    Action, Area, Command, DebugStep, Expect, Frame, Invocation, Likeness, Run, Thread, Tolerance,
    Unit, Values, Work,
};

pub use compiler::Compiler;
pub use contents::{MAX_BYTES, contents, write};
pub use kinds::KINDS;
pub use number::Number;
pub use pipeline::{
    Argument, ArgumentKey, ArgumentValue, Attachment, Binding, BindingTable, Blend, BoundBuffer,
    ColorAttachment, Depth, DepthBias, GraphicsState, Pipeline, RayTracing, Resource, ShaderGroup,
    Specialization, Stencil, Subgroup, SubgroupSize, VertexData, Viewport,
};
pub use reader::{MAX_DERIVED, MAX_ERRORS};
pub use run::{
    CompileError, Dispatched, DispatchedDescriptor, DispatchedMemory, Host, Report, RunOptions,
    Source, Verdict, run, shader_words,
};
pub use script::{
    BottomLevel, Buffer, Contents, FileFormat, Geometry, GeometryKind, Handle, Instance,
    Requirements, Sampler, Script, Shader, ShaderSource, Size, TopLevel, VirtualFile,
};
pub use types::{
    DataType, ElementLayout, Layout, MAX_PARTS, Member, Scalar, ScalarKind, Shape, Slot, Struct,
};
pub use words::{
    AddressMode, BlendFactor, BlendOp, BorderColor, Comparator, CompareOp, CullMode,
    DescriptorKind, Dimension, Face, Filter, FrontFace, GeometryFlag, InstanceFlag, Language,
    LogicOp, PipelineKind, PolygonMode, Rate, Stage, StencilOp, Topology,
};

pub use spirvkit_eval::{Channel, Component, Encoding, Format};

use reader::Reader;
use vk_script::VkReader;

/// What the first line of an AmberScript file starts with.
const AMBER: &str = "#!amber";

/// Reads a script. It is AmberScript if it starts with `#!amber`, else VkScript.
///
/// This takes time in proportion to the text.
///
/// # Errors
///
/// All errors in the script, up to [`MAX_ERRORS`], each with its place in the text and one of
/// the [`KINDS`].
pub fn parse(text: &str) -> Result<Script, Errors> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    if text[start..].starts_with(AMBER) {
        // The first line is a comment.
        let mut reader = Reader::new(text, start);
        reader.amber_script();
        return reader.finish();
    }
    if vk_script::has_section(text) {
        let mut reader = VkReader::new(text);
        reader.script();
        return reader.finish().finish();
    }
    let line = text.find('\n').unwrap_or(text.len());
    let error = kinds::NOT_A_SCRIPT.error(format!(
        "the text is not a script: it starts neither with `{AMBER}` nor with a section such as `[test]`"
    ));
    Err(error
        .at_span(Span {
            start: 0,
            end: line,
        })
        .into())
}
