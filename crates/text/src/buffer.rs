//! The buffer that text is written to.

use std::fmt;

/// The numbers below 1000, each as its three digits from the lowest byte up, and
/// in the highest byte how many of them are leading zeros.
static THREE_DIGITS: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        let digits = [
            b'0' + (number / 100) as u8,
            b'0' + (number / 10 % 10) as u8,
            b'0' + (number % 10) as u8,
        ];
        let zeros = match number {
            0..=9 => 2,
            10..=99 => 1,
            _ => 0,
        };
        table[number] = u32::from_le_bytes([digits[0], digits[1], digits[2], zeros]);
        number += 1;
    }
    table
};

/// Text under construction.
///
/// Most of a disassembly is short runs: an id, a few spaces. They are written
/// as blocks of a fixed size, of which the surplus is cut off again, because
/// that takes a fraction of the time that copying a few bytes does.
#[derive(Default)]
pub(crate) struct TextBuffer {
    /// Always UTF-8: only whole strings and ASCII are added.
    bytes: Vec<u8>,
}

impl TextBuffer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    pub(crate) fn into_string(self) -> String {
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Takes back everything from a position on, which must be one that
    /// [`len`](Self::len) has told.
    #[inline]
    pub(crate) fn truncate(&mut self, position: usize) {
        self.bytes.truncate(position);
    }

    /// Takes out everything from a position on, as [`truncate`](Self::truncate)
    /// does.
    pub(crate) fn split_off(&mut self, position: usize) -> String {
        Self {
            bytes: self.bytes.split_off(position),
        }
        .into_string()
    }

    /// Inserts an ASCII character before a position.
    pub(crate) fn insert(&mut self, position: usize, character: char) {
        debug_assert!(character.is_ascii());
        self.bytes.insert(position, character as u8);
    }

    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Appends a text of a few words: as two blocks that may overlap.
    #[inline]
    pub(crate) fn push_name(&mut self, text: &str) {
        let text = text.as_bytes();
        let start = self.bytes.len();
        match (text.first_chunk::<16>(), text.last_chunk::<16>()) {
            (Some(first), Some(last)) if text.len() <= 32 => {
                self.bytes.extend_from_slice(first);
                self.bytes.truncate(start + text.len() - 16);
                self.bytes.extend_from_slice(last);
            }
            _ => self.bytes.extend_from_slice(text),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, character: char) {
        match character.is_ascii() {
            true => self.bytes.push(character as u8),
            false => self.push_str(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// Appends spaces.
    #[inline]
    pub(crate) fn push_spaces(&mut self, count: usize) {
        const BLOCK: [u8; 16] = [b' '; 16];
        let end = self.bytes.len() + count;
        while self.bytes.len() + BLOCK.len() < end {
            self.bytes.extend_from_slice(&BLOCK);
        }
        self.bytes.extend_from_slice(&BLOCK);
        self.bytes.truncate(end);
    }

    /// Appends a number in decimal.
    #[inline]
    pub(crate) fn push_number(&mut self, number: u32) {
        match digits(number) {
            Some((digits, count)) => self.push_block(digits, count),
            None => self.push_str(itoa::Buffer::new().format(number)),
        }
    }

    /// Appends an id that is written as a number, behind a blank.
    #[inline(always)]
    pub(crate) fn push_id(&mut self, id: u32) {
        const PREFIX: u64 = u16::from_le_bytes(*b" %") as u64;
        match digits(id) {
            Some((digits, count)) => self.push_block(digits << 16 | PREFIX, count + 2),
            None => {
                self.push_str(" %");
                self.push_str(itoa::Buffer::new().format(id));
            }
        }
    }

    /// Appends a result id that is written as a number, right-aligned before a
    /// ` = ` that ends in column 15; `false` if it has more than four digits.
    #[inline]
    pub(crate) fn push_result(&mut self, id: u32) -> bool {
        const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
        const EQUALS: u64 = u64::from_le_bytes(*b" = \0\0\0\0\0");
        if id >= 10_000 {
            return false;
        }
        let Some((digits, count)) = digits(id) else {
            return false;
        };
        // Seven blanks, then five characters for the `%` and the digits.
        let margin = 8 * (4 - count);
        let number = (digits << 8 | u64::from(b'%')) << margin | BLANKS & ((1 << margin) - 1);
        let text = u128::from(number | EQUALS << 40) << 56 | u128::from(BLANKS >> 8);
        let end = self.bytes.len() + 15;
        self.bytes.extend_from_slice(&text.to_le_bytes());
        self.bytes.truncate(end);
        true
    }

    /// Appends the lowest bytes of a block, which are ASCII.
    #[inline(always)]
    fn push_block(&mut self, block: u64, count: usize) {
        let end = self.bytes.len() + count;
        self.bytes.extend_from_slice(&block.to_le_bytes());
        self.bytes.truncate(end);
    }
}

/// The decimal digits of a number below a million, the first in the lowest byte,
/// and how many they are.
///
/// There is no branch on the number of digits, because no processor could
/// predict it.
#[inline(always)]
fn digits(number: u32) -> Option<(u64, usize)> {
    let (thousands, rest) = (THREE_DIGITS.get((number / 1000) as usize)?, number % 1000);
    let rest = THREE_DIGITS.get(rest as usize)?;
    let six = u64::from(thousands & 0xff_ffff) | u64::from(rest & 0xff_ffff) << 24;
    let zeros = match number < 1000 {
        true => 3 + (rest >> 24),
        false => thousands >> 24,
    };
    Some((six >> (8 * zeros), 6 - zeros as usize))
}

impl fmt::Write for TextBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::TextBuffer;

    const NUMBERS: [u32; 15] = [
        0,
        1,
        9,
        10,
        99,
        100,
        999,
        1000,
        1001,
        10_010,
        99_999,
        100_000,
        999_999,
        1_000_000,
        u32::MAX,
    ];

    fn written(write: impl FnOnce(&mut TextBuffer)) -> String {
        let mut buffer = TextBuffer::default();
        write(&mut buffer);
        buffer.into_string()
    }

    #[test]
    fn numbers_are_decimal_at_every_length() {
        for number in NUMBERS {
            assert_eq!(
                written(|buffer| buffer.push_number(number)),
                format!("{number}")
            );
            assert_eq!(
                written(|buffer| buffer.push_id(number)),
                format!(" %{number}")
            );
        }
    }

    #[test]
    fn results_are_aligned() {
        for number in NUMBERS {
            let mut fits = false;
            let text = written(|buffer| fits = buffer.push_result(number));
            assert_eq!(fits, number < 10_000);
            if fits {
                assert_eq!(text, format!("{:>12} = ", format!("%{number}")));
            }
        }
    }

    #[test]
    fn names_of_every_length_are_whole() {
        let name = "OpSubgroupAvcImeRefineINTEL_and_more_than_32";
        for length in 0..name.len() {
            let text = written(|buffer| buffer.push_name(&name[..length]));
            assert_eq!(text, name[..length]);
        }
    }

    #[test]
    fn spaces_are_as_many_as_asked_for() {
        for count in [0, 1, 15, 16, 17, 32, 33, 100] {
            let mut buffer = TextBuffer::default();
            buffer.push_str("x");
            buffer.push_spaces(count);
            assert_eq!(buffer.into_string().len(), 1 + count);
        }
    }
}
