//! Choices read from bytes.

/// Bytes as a sequence of choices. When they run out, every choice is the first.
pub(crate) struct Recipe<'a> {
    bytes: &'a [u8],
}

impl<'a> Recipe<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.bytes.split_first() else {
            return 0;
        };
        self.bytes = rest;
        byte
    }

    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// Whether something that happens once in `times` times happens.
    pub(crate) fn once_in(&mut self, times: u8) -> bool {
        self.byte() % times == times - 1
    }

    /// A number below `count`, which is not 0. Few choices take one byte.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let number = match count {
            ..=256 => usize::from(self.byte()),
            _ => usize::from(u16::from_le_bytes([self.byte(), self.byte()])),
        };
        number % count
    }

    /// One of these, if there are any.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        match choices {
            [] => None,
            _ => Some(choices[self.below(choices.len())]),
        }
    }
}
