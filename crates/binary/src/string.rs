//! Literal strings (specification, section 2.2.1 "Literal").

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::ErrorKind;

/// A literal string as it is in a module: UTF-8 packed four bytes a word,
/// the first in the lowest byte, with a terminating zero in its last word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiteralString<'a> {
    words: &'a [u32],
}

/// Whether one of the word's bytes is zero.
const fn has_zero_byte(word: u32) -> bool {
    word.wrapping_sub(0x0101_0101) & !word & 0x8080_8080 != 0
}

impl<'a> LiteralString<'a> {
    /// The string at the start of `words`, or `None` if nothing terminates it.
    pub fn at_start_of(words: &'a [u32]) -> Option<Self> {
        let last = words.iter().position(|&word| has_zero_byte(word))?;
        Some(Self {
            words: &words[..=last],
        })
    }

    /// The string's words, the terminating zero and the padding included.
    pub fn words(self) -> &'a [u32] {
        self.words
    }

    /// The bytes before the terminating zero, whatever they are.
    pub fn bytes(self) -> impl Iterator<Item = u8> + 'a {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .take_while(|&byte| byte != 0)
    }

    /// Appends the bytes before the terminating zero.
    #[inline]
    pub fn append_to(self, buffer: &mut Vec<u8>) {
        let Some((last, words)) = self.words.split_last() else {
            return;
        };
        for word in words {
            buffer.extend_from_slice(&word.to_le_bytes());
        }
        let tail = last.to_le_bytes();
        buffer.extend(tail.into_iter().take_while(|&byte| byte != 0));
    }

    /// The text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadUtf8`] if the bytes are not UTF-8.
    pub fn to_text(self) -> Result<String, ErrorKind> {
        let mut bytes = Vec::with_capacity(self.words.len() * 4);
        self.append_to(&mut bytes);
        String::from_utf8(bytes).map_err(|error| ErrorKind::BadUtf8 {
            valid_up_to: error.utf8_error().valid_up_to(),
        })
    }

    /// The text, with replacement characters where the bytes are not UTF-8.
    pub fn to_text_lossy(self) -> String {
        let mut bytes = Vec::with_capacity(self.words.len() * 4);
        self.append_to(&mut bytes);
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// Whether all bytes after the terminating zero are zero, as they must be.
    pub fn is_padded_with_zeros(self) -> bool {
        let Some(last) = self.words.last() else {
            return true;
        };
        let mut padding = last.to_le_bytes().into_iter().skip_while(|&byte| byte != 0);
        padding.all(|byte| byte == 0)
    }
}
