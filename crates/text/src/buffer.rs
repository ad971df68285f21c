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

    /// Appends a number in decimal behind a prefix of up to two ASCII characters.
    #[inline]
    pub(crate) fn push_number(&mut self, prefix: &'static str, number: u32) {
        debug_assert!(prefix.len() <= 2 && prefix.is_ascii());
        if number >= 1_000_000 {
            self.push_str(prefix);
            self.bytes
                .extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            return;
        }
        let (digits, count) = if number < 1000 {
            leading(number)
        } else {
            let (first, count) = leading(number / 1000);
            let rest = u64::from(THREE_DIGITS[(number % 1000) as usize] & 0xff_ffff);
            (first | rest << (8 * count), count + 3)
        };
        let mut block = digits;
        for &character in prefix.as_bytes().iter().rev() {
            block = block << 8 | u64::from(character);
        }
        let end = self.bytes.len() + prefix.len() + count;
        self.bytes.extend_from_slice(&block.to_le_bytes());
        self.bytes.truncate(end);
    }
}

/// The digits of a number below 1000 without leading zeros, from the lowest byte
/// up, and how many they are.
#[inline]
fn leading(number: u32) -> (u64, usize) {
    let entry = THREE_DIGITS[number as usize];
    let zeros = (entry >> 24) as usize;
    (u64::from((entry & 0xff_ffff) >> (8 * zeros)), 3 - zeros)
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

    #[test]
    fn numbers_are_decimal_at_every_length() {
        for number in [
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
        ] {
            let mut buffer = TextBuffer::default();
            buffer.push_number(" %", number);
            assert_eq!(buffer.into_string(), format!(" %{number}"));
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
