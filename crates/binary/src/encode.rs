//! Writing modules.

use alloc::vec::Vec;
use core::fmt;

use spirvkit_grammar::Op;

use crate::header::Header;
use crate::number::NumberType;

/// The most words an instruction can have: its count is a 16-bit number.
const MAX_WORDS: usize = 65_535;

/// Writes a module word by word: the header, then each instruction between
/// [`begin`](Self::begin) and [`end`](Self::end), which fills in the word count.
///
/// ```
/// use spirvkit_binary::{Encoder, Header};
/// use spirvkit_grammar::{Generator, Op, Version};
///
/// let mut encoder = Encoder::new();
/// let start = encoder.begin(Op::Name);
/// encoder.word(1);
/// encoder.string("main");
/// encoder.end(start)?;
/// let header = Header { version: Version::V1_0, generator: Generator(0), bound: 2, schema: 0 };
/// let words = encoder.finish(&header);
/// assert_eq!(words[5..], [0x0004_0005, 1, u32::from_le_bytes(*b"main"), 0]);
/// # Ok::<(), spirvkit_binary::InstructionTooLong>(())
/// ```
#[derive(Clone, Debug)]
pub struct Encoder {
    words: Vec<u32>,
}

/// An instruction would have more than 65,535 words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionTooLong {
    /// How many words it would have.
    pub words: usize,
}

impl fmt::Display for InstructionTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the instruction has {} words, but the limit is {MAX_WORDS}",
            self.words
        )
    }
}

impl core::error::Error for InstructionTooLong {}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encoder {
    /// An encoder with room for the header and no instruction.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An encoder with memory for this many words.
    pub fn with_capacity(words: usize) -> Self {
        let header = [0; crate::header::HEADER_WORDS];
        let mut buffer = Vec::with_capacity(words.max(header.len()));
        buffer.extend_from_slice(&header);
        Self { words: buffer }
    }

    /// All words so far, with zeros in place of the header.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Starts an instruction and returns its position in words, which
    /// [`end`](Self::end) wants.
    #[inline]
    pub fn begin(&mut self, op: Op) -> usize {
        let start = self.words.len();
        self.words.push(u32::from(op.0));
        start
    }

    /// Ends the instruction that [`begin`](Self::begin) started at `start`. With
    /// any other position it does nothing of use, but no harm either.
    ///
    /// # Errors
    ///
    /// If the instruction has more words than its count can say; it is then
    /// taken back.
    #[inline]
    pub fn end(&mut self, start: usize) -> Result<(), InstructionTooLong> {
        let words = self.words.len().saturating_sub(start);
        if words > MAX_WORDS {
            self.truncate(start);
            return Err(InstructionTooLong { words });
        }
        if let Some(first) = self.words.get_mut(start) {
            *first |= (words as u32) << 16;
        }
        Ok(())
    }

    /// Takes back everything from `start` on.
    pub fn truncate(&mut self, start: usize) {
        self.words.truncate(start.max(crate::header::HEADER_WORDS));
    }

    /// Appends a word: an id, an enumerant, or anything else of one word.
    #[inline]
    pub fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// Appends words as they are.
    pub fn raw(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    /// Appends a literal string (specification, section 2.2.1). Characters
    /// after a NUL would be lost to a reader, so the caller must not pass any.
    pub fn string(&mut self, text: &str) {
        let (chunks, tail) = text.as_bytes().as_chunks::<4>();
        self.words
            .extend(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)));
        let mut last = [0; 4];
        last[..tail.len()].copy_from_slice(tail);
        self.words.push(u32::from_le_bytes(last));
    }

    /// Appends a numeric literal: the low `ty.width()` bits of `bits`, extended
    /// as the specification wants it (section 2.2.1), the low word first.
    #[inline]
    pub fn number(&mut self, ty: NumberType, bits: u64) {
        let bits = ty.extend(bits);
        self.words.push(bits as u32);
        if ty.words() == 2 {
            self.words.push((bits >> 32) as u32);
        }
    }

    /// The module's words with this header.
    pub fn finish(mut self, header: &Header) -> Vec<u32> {
        self.words[..crate::header::HEADER_WORDS].copy_from_slice(&header.to_words());
        self.words
    }
}
