//! A limit on what is listed again and again.

/// How much may be listed anew for what many share, such as the function of many entry
/// points, or a string that many instructions name. No module that anybody uses comes
/// near; without it, a hostile one could make the reflection grow with the square of
/// its own size.
#[derive(Debug)]
pub(crate) struct Budget {
    left: usize,
    spent: bool,
}

/// What any module may have.
const BASE: usize = 1 << 16;

/// What it may have for each of its words.
const PER_WORD: usize = 16;

impl Budget {
    pub(crate) fn new(words: usize) -> Self {
        Self {
            left: words.saturating_mul(PER_WORD).saturating_add(BASE),
            spent: false,
        }
    }

    /// Takes so much; whether there was as much left.
    pub(crate) fn spend(&mut self, much: usize) -> bool {
        match self.left.checked_sub(much) {
            Some(left) => self.left = left,
            None => self.spent = true,
        }
        !self.spent
    }

    /// Whether something has been refused.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent
    }
}
