//! Writing debug information.
//!
//! A [`Draft`] says what an instruction is and what its fields hold, an [`Encoder`] writes
//! it as one of the sets wants it.

mod draft;
mod encode;
mod order;
mod target;

pub use draft::{Draft, Operand};
pub use encode::{EncodeError, Encoded, Encoder, LeftOut};
pub use target::Target;

/// A literal string in words (specification, section 2.2.1), up to a NUL.
fn literal(text: &str) -> Vec<u32> {
    let end = text.find('\0').unwrap_or(text.len());
    let (chunks, tail) = text.as_bytes()[..end].as_chunks::<4>();
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    let chunks = chunks.iter().chain([&last]);
    chunks.map(|chunk| u32::from_le_bytes(*chunk)).collect()
}
