//! Bytes to words and back.

use alloc::vec::Vec;

use crate::error::{Error, ErrorKind};
use crate::header::{HEADER_WORDS, MAGIC};
use crate::id::WordOffset;

/// The order of the bytes within each word of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Endianness {
    /// The lowest byte first, as nearly every module is stored.
    #[default]
    Little,
    /// The highest byte first.
    Big,
}

/// Reads the words of a module, in whichever byte order its magic number is
/// written (specification, section 3.1).
///
/// # Errors
///
/// If the file is too short for a header, is not a whole number of words, or
/// does not start with the magic number.
pub fn words_from_bytes(bytes: &[u8]) -> Result<(Vec<u32>, Endianness), Error> {
    let Some(magic) = bytes.first_chunk::<4>() else {
        return Err(Error::new(
            ErrorKind::TooShort { bytes: bytes.len() },
            WordOffset(0),
        ));
    };
    let endianness = if u32::from_le_bytes(*magic) == MAGIC {
        Endianness::Little
    } else if u32::from_be_bytes(*magic) == MAGIC {
        Endianness::Big
    } else {
        let found = u32::from_le_bytes(*magic);
        return Err(Error::new(ErrorKind::WrongMagic { found }, WordOffset(0)));
    };
    if bytes.len() < HEADER_WORDS * 4 {
        return Err(Error::new(
            ErrorKind::TooShort { bytes: bytes.len() },
            WordOffset(0),
        ));
    }
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let kind = ErrorKind::OddSize { bytes: bytes.len() };
        return Err(Error::new(kind, WordOffset(words.len())));
    }
    let words = match endianness {
        Endianness::Little => words.iter().map(|word| u32::from_le_bytes(*word)).collect(),
        Endianness::Big => words.iter().map(|word| u32::from_be_bytes(*word)).collect(),
    };
    Ok((words, endianness))
}

/// Writes words in the given byte order.
pub fn bytes_from_words(words: &[u32], endianness: Endianness) -> Vec<u8> {
    let mut bytes = alloc::vec![0; words.len() * 4];
    for (chunk, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *chunk = match endianness {
            Endianness::Little => word.to_le_bytes(),
            Endianness::Big => word.to_be_bytes(),
        };
    }
    bytes
}
