//! What can be wrong with a binary module.

use core::fmt;

use spirvkit_grammar::{Op, OperandKind, Version};

use crate::id::{Id, WordOffset};

/// Why a module can't be decoded, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    offset: WordOffset,
    op: Option<Op>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: WordOffset) -> Self {
        Self {
            kind,
            offset,
            op: None,
        }
    }

    /// An error outside any instruction, for readers that check more than decoding
    /// does.
    pub fn at(kind: ErrorKind, offset: WordOffset) -> Self {
        Self::new(kind, offset)
    }

    pub(crate) fn in_instruction(kind: ErrorKind, offset: WordOffset, op: Op) -> Self {
        Self {
            kind,
            offset,
            op: Some(op),
        }
    }

    /// What is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The word at fault, counted from the start of the file.
    pub fn offset(&self) -> WordOffset {
        self.offset
    }

    /// The opcode of the instruction at fault, unless the error is outside any
    /// instruction.
    pub fn op(&self) -> Option<Op> {
        self.op
    }
}

impl fmt::Display for Error {
    /// Writes the message with the byte offset of the word at fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(op) = self.op {
            write!(f, "{op}: ")?;
        }
        write!(f, "{} (at byte {})", self.kind, self.offset.bytes())
    }
}

impl core::error::Error for Error {}

/// The ways in which a module can fail to decode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file ends within the header (section 2.3).
    TooShort {
        /// The file's size in bytes.
        bytes: usize,
    },
    /// The file's size is not a multiple of four bytes (section 2.2.1).
    OddSize {
        /// The file's size in bytes.
        bytes: usize,
    },
    /// The file doesn't start with the magic number (section 3.1).
    WrongMagic {
        /// The first word, read lowest byte first.
        found: u32,
    },
    /// The version word's outer bytes are not zero (section 2.3).
    MalformedVersion {
        /// The version word.
        found: u32,
    },
    /// The id bound is 0, or above the limit the caller set.
    BadBound {
        /// The bound.
        bound: u32,
        /// The caller's limit.
        limit: u32,
    },
    /// The id bound is not above all ids (section 2.3).
    LowBound {
        /// The bound.
        bound: u32,
        /// The highest id.
        highest: Id,
    },
    /// The version's major number is not 1, so the meaning of the words is unknown.
    UnknownVersion {
        /// The version.
        version: Version,
    },
    /// An instruction's word count is zero (section 2.2.1).
    ZeroWordCount,
    /// An instruction extends past the end of the file.
    PastEnd {
        /// The instruction's word count.
        count: u16,
        /// How many words the file has from the instruction's first word on.
        available: usize,
    },
    /// The opcode is not assigned.
    UnknownOpcode {
        /// The opcode.
        opcode: u16,
    },
    /// The instruction ends where an operand is required.
    MissingOperand {
        /// The kind of the operand.
        kind: OperandKind,
    },
    /// Words are left after the last operand.
    SurplusWords {
        /// How many.
        count: usize,
    },
    /// An id is zero (section 2.3: every id is above zero).
    ZeroId {
        /// The operand's kind.
        kind: OperandKind,
    },
    /// An id is the result of two instructions.
    Redefined {
        /// The id.
        id: Id,
    },
    /// A value is not in its enumeration.
    UnknownEnumerant {
        /// The enumeration.
        kind: OperandKind,
        /// The value.
        value: u32,
    },
    /// A mask has a bit that is not in its enumeration.
    UnknownBit {
        /// The enumeration.
        kind: OperandKind,
        /// The bit, or the bits if there are several.
        bit: u32,
    },
    /// An extended instruction's number is not in its set.
    UnknownExtInst {
        /// The import name of the set.
        set: &'static str,
        /// The number.
        number: u32,
    },
    /// The set operand of an extended instruction is not an import.
    NotAnImport {
        /// The operand.
        id: Id,
    },
    /// An opcode inside `OpSpecConstantOp` is not assigned.
    UnknownSpecConstantOp {
        /// The opcode.
        opcode: u32,
    },
    /// The type of a literal is not defined before the literal.
    UndefinedType {
        /// The operand that should be a type.
        id: Id,
    },
    /// The type of a literal is not a number type of at most 64 bits.
    NotANumberType {
        /// The type.
        id: Id,
    },
    /// The selector of a switch is not an integer defined before the switch.
    BadSelector {
        /// The selector.
        id: Id,
    },
    /// A string has no terminating zero before the end of the instruction.
    UnterminatedString,
    /// A string is not UTF-8.
    BadUtf8 {
        /// How many bytes of the string, from its start, are valid.
        valid_up_to: usize,
    },
    /// The bytes after a string's terminating zero are not zero.
    StringPadding,
    /// The unused high bits of a narrow number are neither zero nor, for a
    /// signed number, copies of the sign.
    NumberPadding,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooShort { bytes: 0 } => f.write_str("the file is empty"),
            Self::TooShort { bytes: 1 } => {
                f.write_str("the file ends after 1 byte, but a module's header has 20")
            }
            Self::TooShort { bytes } => {
                write!(
                    f,
                    "the file ends after {bytes} bytes, but a module's header has 20"
                )
            }
            Self::OddSize { bytes } => {
                write!(
                    f,
                    "the file ends within a word: its size, {bytes} bytes, is not a multiple of 4"
                )
            }
            Self::WrongMagic { found } => write!(
                f,
                "this is not a SPIR-V module: it starts with 0x{found:08x}, not with the magic number 0x07230203"
            ),
            Self::MalformedVersion { found } => {
                write!(
                    f,
                    "the version word 0x{found:08x} is not of the form 0x00MMmm00"
                )
            }
            Self::BadBound { bound: 0, .. } => f.write_str("the id bound is 0"),
            Self::BadBound { bound, limit } => {
                write!(f, "the id bound is {bound}, but the limit is {limit}")
            }
            Self::LowBound { bound, highest } => {
                write!(
                    f,
                    "the id bound {bound} is not greater than all ids: the highest is {highest}"
                )
            }
            Self::UnknownVersion { version } => {
                write!(f, "SPIR-V version {version} is not known")
            }
            Self::ZeroWordCount => f.write_str("the instruction's word count is 0"),
            Self::PastEnd { count, available } => write!(
                f,
                "the file ends within an instruction of {count} words, of which only {available} are present"
            ),
            Self::UnknownOpcode { opcode } => write!(f, "opcode {opcode} is not known"),
            Self::MissingOperand { kind } => {
                write!(
                    f,
                    "the instruction ends where its {} is expected",
                    kind.description()
                )
            }
            Self::SurplusWords { count: 1 } => {
                f.write_str("there is a word after the instruction's last operand")
            }
            Self::SurplusWords { count } => {
                write!(
                    f,
                    "there are {count} words after the instruction's last operand"
                )
            }
            Self::ZeroId { kind } => {
                write!(f, "the {} is 0, but ids start at 1", kind.description())
            }
            Self::Redefined { id } => {
                write!(f, "{id} is already the result of an earlier instruction")
            }
            Self::UnknownEnumerant { kind, value } => {
                write!(f, "{value} is not a known {}", kind.description())
            }
            Self::UnknownBit { kind, bit } => {
                let kind = kind.description();
                match bit.count_ones() {
                    1 => write!(f, "bit 0x{bit:x} is not a known {kind}"),
                    _ => write!(f, "none of the bits 0x{bit:x} is a known {kind}"),
                }
            }
            Self::UnknownExtInst { set, number } => {
                write!(f, "the instruction set {set} has no instruction {number}")
            }
            Self::NotAnImport { id } => {
                write!(f, "{id} is not the result of an earlier OpExtInstImport")
            }
            Self::UnknownSpecConstantOp { opcode } => {
                write!(
                    f,
                    "opcode {opcode}, the operation of OpSpecConstantOp, is not known"
                )
            }
            Self::UndefinedType { id } => {
                write!(f, "the literal's type {id} is not defined before it")
            }
            Self::NotANumberType { id } => write!(
                f,
                "the literal's type {id} is not an integer or float of a supported width"
            ),
            Self::BadSelector { id } => write!(
                f,
                "the selector {id} is not a scalar integer that is defined before the switch"
            ),
            Self::UnterminatedString => {
                f.write_str("a string is not terminated within the instruction")
            }
            Self::BadUtf8 { valid_up_to } => {
                write!(
                    f,
                    "a string is not valid UTF-8 after its first {valid_up_to} bytes"
                )
            }
            Self::StringPadding => {
                f.write_str("the bytes after a string's terminating zero are not all zero")
            }
            Self::NumberPadding => f.write_str(
                "the unused high bits of a narrow number are neither zero nor copies of its sign",
            ),
        }
    }
}
