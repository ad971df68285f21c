//! An instruction by its words.

use spirvkit_binary::{Id, Instruction, LiteralString, WordOffset};
use spirvkit_grammar::{InstructionInfo, Op};

/// An instruction, borrowed from its module. Reading past its end gives zeros,
/// so that no rule can panic on a malformed one.
#[derive(Clone, Copy, Debug)]
pub struct Inst<'a> {
    words: &'a [u32],
    offset: u32,
}

impl<'a> Inst<'a> {
    /// The instruction that starts at this word of a module.
    #[inline]
    pub fn at(module: &'a [u32], offset: u32) -> Option<Self> {
        let rest = module.get(offset as usize..)?;
        let first = *rest.first()?;
        let words = rest.get(..(first >> 16) as usize)?;
        if words.is_empty() {
            return None;
        }
        Some(Self { words, offset })
    }

    /// The opcode.
    #[inline]
    pub fn op(&self) -> Op {
        Op(self.word(0) as u16)
    }

    /// The same as an instruction whose operands can be decoded.
    #[inline]
    pub fn decoded(&self) -> Option<Instruction<'a>> {
        Instruction::from_words(self.words, WordOffset(self.offset as usize))
    }

    /// What the grammar says about it.
    #[inline]
    pub fn info(&self) -> Option<&'static InstructionInfo> {
        self.op().info()
    }

    /// The number of words before it in the module.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// All its words.
    #[inline]
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// A word by its index, counted from the one that holds the opcode.
    #[inline]
    pub fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    /// The index of the first word after result type and result.
    #[inline]
    pub fn first_argument(&self) -> usize {
        self.op().first_argument()
    }

    /// The index of the result, if the opcode has one.
    #[inline]
    pub fn result_word(&self) -> Option<usize> {
        let first = self.first_argument();
        (first > 1).then(|| first - 1)
    }

    /// The words after result type and result.
    #[inline]
    pub fn args(&self) -> &'a [u32] {
        self.words.get(self.first_argument()..).unwrap_or_default()
    }

    /// A word after result type and result, counted from 0.
    #[inline]
    pub fn arg(&self, index: usize) -> u32 {
        self.word(self.first_argument() + index)
    }

    /// The same as an id.
    #[inline]
    pub fn id(&self, index: usize) -> Id {
        Id(self.arg(index))
    }

    /// The same if the instruction is long enough to have it: for optional
    /// operands.
    #[inline]
    pub fn optional(&self, index: usize) -> Option<u32> {
        self.args().get(index).copied()
    }

    /// The literal string that starts at this word after result type and
    /// result, if it ends.
    pub fn string(&self, index: usize) -> Option<LiteralString<'a>> {
        LiteralString::at_start_of(self.args().get(index..)?)
    }

    /// The result type, if the opcode has one.
    #[inline]
    pub fn result_type(&self) -> Option<Id> {
        (self.first_argument() > 2).then(|| Id(self.word(1)))
    }

    /// The result, if the opcode has one.
    #[inline]
    pub fn result(&self) -> Option<Id> {
        let first = self.first_argument();
        (first > 1).then(|| Id(self.word(first - 1)))
    }

    /// An instruction that isn't part of the module but stands for something
    /// that is, at this word: the operation of an `OpSpecConstantOp`.
    pub fn standing_at(words: &'a [u32], offset: u32) -> Option<Self> {
        words.first()?;
        Some(Self { words, offset })
    }
}
