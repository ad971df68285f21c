//! Modules and their instructions, borrowed from a slice of words.

use spirvkit_grammar::{InstructionInfo, Op};

use crate::definitions::Definitions;
use crate::error::{Error, ErrorKind};
use crate::header::{HEADER_WORDS, Header};
use crate::id::{Id, WordOffset};
use crate::operands::{Operands, Value};

/// A module: a header and the words of its instructions.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    words: &'a [u32],
    header: Header,
}

impl<'a> Module<'a> {
    /// Takes a module's words, in host order (see
    /// [`words_from_bytes`](crate::words_from_bytes)).
    ///
    /// # Errors
    ///
    /// If the header can't be read (see [`Header::from_words`]). Instructions
    /// are checked as they are walked.
    pub fn new(words: &'a [u32]) -> Result<Self, Error> {
        Ok(Self {
            words,
            header: Header::from_words(words)?,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// All words, the header's included.
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// The instructions in order.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions {
            words: self.words,
            next: HEADER_WORDS,
            ended: false,
        }
    }
}

/// The instructions of a module. An instruction whose word count is zero or
/// goes past the end is an error, and the last item.
#[derive(Clone, Debug)]
pub struct Instructions<'a> {
    words: &'a [u32],
    next: usize,
    /// Whether the words from `next` on are no instruction.
    ended: bool,
}

impl<'a> Instructions<'a> {
    /// The position of the next instruction.
    pub fn offset(&self) -> WordOffset {
        WordOffset(self.next)
    }

    /// The words from the next instruction on; after an error, those of the
    /// tail that is not an instruction.
    pub fn rest(&self) -> &'a [u32] {
        self.words.get(self.next..).unwrap_or_default()
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Result<Instruction<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let rest = self.words.get(self.next..)?;
        let first = *rest.first()?;
        let count = first >> 16;
        let offset = WordOffset(self.next);
        match rest.get(..count as usize) {
            Some(words) if count > 0 => {
                self.next += words.len();
                Some(Ok(Instruction {
                    words,
                    offset,
                    info: Op(first as u16).info(),
                }))
            }
            _ => {
                let kind = match count {
                    0 => ErrorKind::ZeroWordCount,
                    _ => ErrorKind::PastEnd {
                        count: count as u16,
                        available: rest.len(),
                    },
                };
                self.ended = true;
                Some(Err(Error::in_instruction(kind, offset, Op(first as u16))))
            }
        }
    }
}

/// An instruction, borrowed from its module.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    words: &'a [u32],
    offset: WordOffset,
    info: Option<&'static InstructionInfo>,
}

impl<'a> Instruction<'a> {
    /// Takes the words of one whole instruction that is at `offset`; `None`
    /// if there are none.
    pub fn from_words(words: &'a [u32], offset: WordOffset) -> Option<Self> {
        let first = *words.first()?;
        Some(Self {
            words,
            offset,
            info: Op(first as u16).info(),
        })
    }

    /// The opcode.
    #[inline]
    pub fn op(&self) -> Op {
        Op(self.words.first().map_or(0, |&word| word as u16))
    }

    /// What the grammar says about the opcode, if it is assigned.
    #[inline]
    pub fn info(&self) -> Option<&'static InstructionInfo> {
        self.info
    }

    /// All words, the first with count and opcode included.
    #[inline]
    pub fn words(&self) -> &'a [u32] {
        self.words
    }

    /// The words after the first.
    #[inline]
    pub fn operand_words(&self) -> &'a [u32] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Where the instruction is in the module.
    #[inline]
    pub fn offset(&self) -> WordOffset {
        self.offset
    }

    /// The result type, if the opcode has one and the instruction is long
    /// enough to have it.
    #[inline]
    pub fn result_type(&self) -> Option<Id> {
        let info = self.info?;
        if !info.has_result_type() {
            return None;
        }
        self.words.get(1).map(|&id| Id(id))
    }

    /// The result id, if the opcode has one and the instruction is long enough
    /// to have it.
    #[inline]
    pub fn result(&self) -> Option<Id> {
        let info = self.info?;
        if !info.has_result() {
            return None;
        }
        self.words
            .get(1 + usize::from(info.has_result_type()))
            .map(|&id| Id(id))
    }

    /// The ids at the start of the operands, the result type and the result among
    /// them: for a caller to whom all ids are alike and which wants to be quick,
    /// as most instructions have nothing but ids.
    /// [`Operands::skip_leading_ids`] goes on behind them.
    #[inline]
    pub fn leading_ids(&self) -> &'a [u32] {
        let words = self.operand_words();
        match self.info {
            Some(info) if info.only_ids_follow() => words,
            Some(info) => &words[..info.leading_ids().min(words.len())],
            None => &[],
        }
    }

    /// Decodes the operands, the result type and the result among them.
    /// `definitions` must know the instructions before this one.
    #[inline]
    pub fn operands<'d>(&self, definitions: &'d Definitions) -> Operands<'a, 'd> {
        Operands::new(*self, definitions)
    }

    /// Calls `each` with every operand that is an id, but not with the result, and with
    /// the index of its word, from 1 up. Stops where the operands can't be decoded.
    #[inline]
    pub fn each_use(&self, definitions: &Definitions, mut each: impl FnMut(usize, Id)) {
        let result = match self.info {
            Some(info) if info.has_result() => 1 + usize::from(info.has_result_type()),
            // The word of the opcode is no operand.
            _ => 0,
        };
        let ids = self.leading_ids();
        for (word, &id) in (1..).zip(ids) {
            if word != result {
                each(word, Id(id));
            }
        }
        if ids.len() == self.operand_words().len() {
            return;
        }
        let mut operands = self.operands(definitions);
        operands.skip_leading_ids();
        for operand in operands.map_while(Result::ok) {
            if let Value::Id(id) = operand.value
                && operand.word != result
            {
                each(operand.word, id);
            }
        }
    }

    /// An error at the word with this index.
    pub fn error(&self, kind: ErrorKind, word: usize) -> Error {
        Error::in_instruction(kind, WordOffset(self.offset.0 + word), self.op())
    }
}
