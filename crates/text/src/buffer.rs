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

/// The longest line that is written in place, and by how much its last block may
/// exceed it.
pub(crate) const MAX_LINE_LENGTH: usize = 1024;
const MAX_BLOCK_LENGTH: usize = 64;

/// Text under construction.
///
/// Most of a disassembly is short runs: an id, a few spaces. They are written
/// as blocks of a fixed size, of which the next run overwrites the surplus, because
/// that takes a fraction of the time that copying a few bytes does.
#[derive(Default)]
pub(crate) struct TextBuffer {
    /// The text, always UTF-8 as only whole strings and ASCII are added, and behind
    /// it room for more.
    bytes: Vec<u8>,
    /// Where the text ends.
    end: usize,
}

impl TextBuffer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: vec![0; bytes],
            end: 0,
        }
    }

    pub(crate) fn into_string(mut self) -> String {
        self.bytes.truncate(self.end);
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.end
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    /// Takes back everything from a position on, which must be one that
    /// [`len`](Self::len) has reported.
    #[inline]
    pub(crate) fn truncate(&mut self, position: usize) {
        self.end = self.end.min(position);
    }

    /// Takes out everything from a position on, as [`truncate`](Self::truncate)
    /// does.
    pub(crate) fn split_off(&mut self, position: usize) -> String {
        let text = self.bytes.get(position..self.end).unwrap_or_default();
        let text = String::from_utf8_lossy(text).into_owned();
        self.truncate(position);
        text
    }

    /// Inserts an ASCII character before a position.
    pub(crate) fn insert(&mut self, position: usize, character: char) {
        debug_assert!(character.is_ascii());
        self.bytes.insert(position, character as u8);
        self.end += 1;
    }

    /// The next bytes, to be written to.
    #[inline(always)]
    fn room(&mut self, length: usize) -> &mut [u8] {
        if self.bytes.len() - self.end < length {
            self.grow(length);
        }
        &mut self.bytes[self.end..]
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        let needed = self.end + length;
        self.bytes.resize(needed + needed / 2 + 64, 0);
    }

    /// Appends the first bytes of a block.
    #[inline(always)]
    pub(crate) fn push_first<const N: usize>(&mut self, block: [u8; N], length: usize) {
        self.room(N)[..N].copy_from_slice(&block);
        self.end += length;
    }

    /// A line that is written in place, and is part of the text once it is
    /// [finished](Line::finish).
    #[inline(always)]
    pub(crate) fn line(&mut self) -> Option<Line<'_>> {
        const ROOM: usize = MAX_LINE_LENGTH + MAX_BLOCK_LENGTH;
        if self.bytes.len() - self.end < ROOM {
            self.grow(ROOM);
        }
        let bytes = self.bytes.get_mut(self.end..)?.first_chunk_mut()?;
        Some(Line {
            bytes,
            end: 0,
            text: &mut self.end,
        })
    }

    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    /// Appends a text, which must be UTF-8.
    #[inline]
    pub(crate) fn push_bytes(&mut self, text: &[u8]) {
        self.room(text.len())[..text.len()].copy_from_slice(text);
        self.end += text.len();
    }

    /// Appends a text of a few words: as two blocks that may overlap.
    #[inline]
    pub(crate) fn push_name(&mut self, text: &str) {
        let bytes = text.as_bytes();
        match (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
            (Some(first), Some(last)) if bytes.len() <= 32 => {
                self.push_first(*first, bytes.len() - 16);
                self.push_first(*last, 16);
            }
            _ => self.push_str(text),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, character: char) {
        match character.is_ascii() {
            true => self.push_first([character as u8], 1),
            false => self.push_str(character.encode_utf8(&mut [0; 4])),
        }
    }

    /// Appends spaces.
    #[inline]
    pub(crate) fn push_spaces(&mut self, count: usize) {
        let mut rest = count;
        while rest > 16 {
            self.push_first([b' '; 16], 16);
            rest -= 16;
        }
        self.push_first([b' '; 16], rest);
    }

    /// Appends a number in decimal.
    #[inline]
    pub(crate) fn push_number(&mut self, number: u32) {
        match digits(number) {
            Some((digits, count)) => self.push_first(digits.to_le_bytes(), count),
            None => self.push_str(itoa::Buffer::new().format(number)),
        }
    }
}

/// A line of at most [`MAX_LINE_LENGTH`] bytes under construction. What would make it
/// longer gives `None`.
pub(crate) struct Line<'b> {
    bytes: &'b mut [u8; MAX_LINE_LENGTH + MAX_BLOCK_LENGTH],
    end: usize,
    /// Where the text ends.
    text: &'b mut usize,
}

impl Line<'_> {
    /// Makes the line part of the text.
    #[inline(always)]
    pub(crate) fn finish(self) {
        *self.text += self.end;
    }

    /// Appends the first bytes of a block, of at most [`MAX_BLOCK_LENGTH`].
    #[inline(always)]
    pub(crate) fn push_first<const N: usize>(
        &mut self,
        block: &[u8; N],
        length: usize,
    ) -> Option<()> {
        // The one check of bounds, as the compiler knows how many bytes follow.
        if self.end > MAX_LINE_LENGTH {
            return None;
        }
        self.bytes[self.end..self.end + N].copy_from_slice(block);
        self.end += length;
        Some(())
    }

    /// Appends a text of at most [`MAX_BLOCK_LENGTH`] bytes, which must be UTF-8.
    #[inline(always)]
    pub(crate) fn push_bytes(&mut self, text: &[u8]) -> Option<()> {
        if self.end > MAX_LINE_LENGTH || text.len() > MAX_BLOCK_LENGTH {
            return None;
        }
        let room = &mut self.bytes[self.end..self.end + MAX_BLOCK_LENGTH];
        match (text.first_chunk::<16>(), text.last_chunk::<16>()) {
            // Two blocks that may overlap.
            (Some(first), Some(last)) if text.len() <= 32 => {
                room[..16].copy_from_slice(first);
                room[text.len() - 16..text.len()].copy_from_slice(last);
            }
            _ => room[..text.len()].copy_from_slice(text),
        }
        self.end += text.len();
        Some(())
    }

    /// Appends a number in decimal.
    #[inline(always)]
    pub(crate) fn push_number(&mut self, number: u32) -> Option<()> {
        const MILLION: u32 = 1_000_000;
        if number >= MILLION {
            let (millions, count) = digits(number / MILLION)?;
            self.push_first(&millions.to_le_bytes(), count)?;
            let (six, _) = six_digits(number % MILLION)?;
            return self.push_first(&six.to_le_bytes(), 6);
        }
        let (digits, count) = digits(number)?;
        self.push_first(&digits.to_le_bytes(), count)
    }
}

/// What is before the number of an id.
const PREFIX: u64 = u16::from_le_bytes(*b" %") as u64;
const PREFIX_LENGTH: usize = 2;

/// The text of an id that is written as a number, behind a blank, and its length;
/// `None` if it is longer than a block.
#[inline(always)]
pub(crate) fn numbered_id(id: u32) -> Option<(u64, usize)> {
    let (digits, count) = digits(id)?;
    let text = digits << (8 * PREFIX_LENGTH) | PREFIX;
    Some((text, PREFIX_LENGTH + count))
}

/// The texts and lengths of a thousand ids, from a multiple of 1000 on, as
/// [`numbered_id`] gives them but in larger blocks; `None` if these are too small, too.
pub(crate) fn thousand_ids(thousands: u32) -> Option<impl Iterator<Item = (u128, usize)>> {
    let (start, length) = match thousands {
        0 => (PREFIX, PREFIX_LENGTH),
        _ => numbered_id(thousands)?,
    };
    Some(THREE_DIGITS.iter().map(move |&three| {
        // There are no zeros in front.
        let zeros = if thousands == 0 { three >> 24 } else { 0 };
        let digits = u128::from((three & 0xff_ffff) >> (8 * zeros));
        let text = u128::from(start) | digits << (8 * length);
        (text, length + 3 - zeros as usize)
    }))
}

/// The decimal digits of a number below a million, the first in the lowest byte,
/// and how many they are.
///
/// There is no branch on the number of digits, because no processor could
/// predict it.
#[inline(always)]
fn digits(number: u32) -> Option<(u64, usize)> {
    let (six, zeros) = six_digits(number)?;
    Some((six >> (8 * zeros), 6 - zeros as usize))
}

/// The same with leading zeros up to six digits, and how many of them there are.
#[inline(always)]
fn six_digits(number: u32) -> Option<(u64, u32)> {
    let (thousands, rest) = (THREE_DIGITS.get((number / 1000) as usize)?, number % 1000);
    let rest = THREE_DIGITS.get(rest as usize)?;
    let six = u64::from(thousands & 0xff_ffff) | u64::from(rest & 0xff_ffff) << 24;
    let zeros = match number < 1000 {
        true => 3 + (rest >> 24),
        false => thousands >> 24,
    };
    Some((six, zeros))
}

impl fmt::Write for TextBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, TextBuffer, numbered_id, thousand_ids};

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

    /// Whether there is a line, which is then written.
    fn line(buffer: &mut TextBuffer, write: impl FnOnce(&mut Line<'_>) -> Option<()>) -> bool {
        let mut line = buffer.line().unwrap();
        let is_line = write(&mut line).is_some();
        if is_line {
            line.finish();
        }
        is_line
    }

    #[test]
    fn numbers_are_decimal_at_every_length() {
        for number in NUMBERS {
            assert_eq!(
                written(|buffer| buffer.push_number(number)),
                format!("{number}")
            );
            assert_eq!(
                written(|buffer| assert!(line(buffer, |line| line.push_number(number)))),
                format!("{number}")
            );
        }
    }

    #[test]
    fn ids_come_by_the_thousand() {
        for thousands in [0, 1, 9, 10, 999] {
            let ids: Vec<_> = thousand_ids(thousands).unwrap().collect();
            let wanted = (0..1000).map(|rest| numbered_id(thousands * 1000 + rest).unwrap());
            let wanted: Vec<_> = wanted.map(|(text, length)| (text.into(), length)).collect();
            assert_eq!(ids, wanted);
        }
        let (text, length) = thousand_ids(999_999).unwrap().last().unwrap();
        assert_eq!(&text.to_le_bytes()[..length], b" %999999999");
        assert!(thousand_ids(1_000_000).is_none());
    }

    #[test]
    fn a_line_that_is_too_long_leaves_nothing() {
        let text = written(|buffer| {
            assert!(line(buffer, |line| {
                (0..10).try_for_each(|_| line.push_bytes(b"0123456789"))
            }));
            assert!(!line(buffer, |line| loop {
                line.push_first(b"0123456789abcdef", 9)?;
            }));
            assert!(!line(buffer, |line| line.push_bytes(&[b'-'; 65])));
            for (length, fits) in [
                (0, true),
                (15, true),
                (16, true),
                (31, true),
                (32, true),
                (33, true),
                (64, true),
                (65, false),
            ] {
                let start = buffer.len();
                let name = &b"abcdefghijklmnopqrstuvwxyz012345".repeat(3)[..length];
                assert_eq!(line(buffer, |line| line.push_bytes(name)), fits);
                assert_eq!(
                    buffer.split_off(start).as_bytes(),
                    if fits { name } else { b"" }
                );
            }
        });
        assert_eq!(text, "0123456789".repeat(10));
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
