//! Writing debug information.
//!
//! | to | there is |
//! |---|---|
//! | make it together with a module | [`DebugBuilder`], whose example shows it all |
//! | write single instructions into a module | [`Encoder`], which writes a [`Draft`] as one of the sets wants it |

mod builder;
mod draft;
mod encode;
mod kinds;
mod order;
mod parts;
mod target;

pub use builder::{DebugBuilder, Note};
pub use draft::{Draft, Operand};
pub use encode::{EncodeError, Encoded, Encoder, LeftOut};
pub(crate) use kinds::{MAX_SOURCE_LENGTH, MAX_STRING_LENGTH, pieces};
pub use parts::{
    BasicType, CompilationUnit, CompositeType, CooperativeMatrixType, EntryPoint, EnumType,
    Function, GlobalVariable, ImportedEntity, Inheritance, LocalVariable, Member, Origin, Source,
    SourceModule, TemplateParameter, TemplateParameterPack, TemplateTemplateParameter, Typedef,
};
pub use target::Target;

/// A literal string in words (specification, section 2.2.1), up to a NUL.
pub(crate) fn literal(text: &str) -> Vec<u32> {
    let end = text.find('\0').unwrap_or(text.len());
    let (chunks, tail) = text.as_bytes()[..end].as_chunks::<4>();
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    let chunks = chunks.iter().chain([&last]);
    chunks.map(|chunk| u32::from_le_bytes(*chunk)).collect()
}
