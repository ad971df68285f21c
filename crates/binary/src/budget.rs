//! How large what is made of an input may become.

use core::fmt;

/// What may be made of an input, in bytes: a total in proportion to it.
///
/// Where a small module can name a large thing often, what is written of it, or kept
/// for it, is the product of both. Whoever makes such a product takes its size from a
/// budget first, and where nothing is left, says what is left out, or fails.
///
/// ```
/// use spirvkit_binary::Budget;
///
/// let rows = ["one", "two", "three"];
/// let mut budget = Budget::of(8);
/// let shown: Vec<&str> = rows.into_iter().take_while(|row| budget.take(row.len() as u64)).collect();
/// assert_eq!(shown, ["one", "two"]);
/// assert!(budget.is_spent());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    limit: u64,
    left: u64,
    is_spent: bool,
}

impl Budget {
    /// How many bytes may be made of one.
    pub const FACTOR: u64 = 64;
    /// How many bytes may be made of any input, however small.
    pub const BASE: u64 = 16 << 20;

    /// What may be made of an input of so many bytes: [`FACTOR`](Self::FACTOR) times as
    /// much and [`BASE`](Self::BASE).
    pub const fn for_input(bytes: u64) -> Self {
        Self::of(
            bytes
                .saturating_mul(Self::FACTOR)
                .saturating_add(Self::BASE),
        )
    }

    /// The same for a module of so many words.
    pub const fn for_words(words: usize) -> Self {
        Self::for_input((words as u64).saturating_mul(4))
    }

    /// A budget of its own that has one of so many parts of what this one had at first:
    /// for what is made in several steps.
    pub const fn part(&self, parts: u64) -> Self {
        Self::of(self.limit / if parts == 0 { 1 } else { parts })
    }

    /// So many bytes.
    pub const fn of(bytes: u64) -> Self {
        Self {
            limit: bytes,
            left: bytes,
            is_spent: false,
        }
    }

    /// As many as there may be: for a caller who trusts the input.
    pub const fn unlimited() -> Self {
        Self::of(u64::MAX)
    }

    /// Takes so many bytes, if they are left. From the first time that they are not,
    /// nothing is given any more, so that what is made has one end.
    #[inline]
    #[must_use]
    pub fn take(&mut self, bytes: u64) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) if !self.is_spent => {
                self.left = left;
                true
            }
            _ => {
                self.is_spent = true;
                false
            }
        }
    }

    /// The same for what is useless in part.
    ///
    /// # Errors
    /// [`OverBudget`] if they are not left.
    #[inline]
    pub fn spend(&mut self, bytes: u64) -> Result<(), OverBudget> {
        match self.take(bytes) {
            true => Ok(()),
            false => Err(OverBudget { limit: self.limit }),
        }
    }

    /// How many bytes are left.
    pub const fn left(&self) -> u64 {
        match self.is_spent {
            true => 0,
            false => self.left,
        }
    }

    /// Whether something was refused.
    pub const fn is_spent(&self) -> bool {
        self.is_spent
    }
}

/// More was to be made of an input than its [`Budget`] allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverBudget {
    limit: u64,
}

impl OverBudget {
    /// How many bytes were allowed.
    pub const fn limit(&self) -> u64 {
        self.limit
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "would take more than the {} bytes allowed for an input of this size",
            self.limit
        )
    }
}

impl core::error::Error for OverBudget {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_once_stays_refused() {
        let mut budget = Budget::of(10);
        assert!(budget.take(4));
        assert_eq!(budget.left(), 6);
        assert!(!budget.take(7));
        assert!(!budget.take(1), "the rest would have a hole");
        assert_eq!(budget.left(), 0);
        assert_eq!(budget.spend(0), Err(OverBudget { limit: 10 }));
    }

    #[test]
    fn all_of_it_can_be_taken() {
        let mut budget = Budget::of(10);
        assert_eq!(budget.spend(10), Ok(()));
        assert!(!budget.is_spent());
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn parts_are_of_the_whole() {
        let mut budget = Budget::for_words(1 << 18);
        assert!(budget.take(1 << 20));
        assert_eq!(budget.part(4), Budget::of(20 << 20));
        assert_eq!(budget.part(0), Budget::of(80 << 20));
    }

    #[test]
    fn large_inputs_do_not_overflow() {
        assert_eq!(Budget::for_input(u64::MAX), Budget::unlimited());
        assert_eq!(Budget::for_input(1 << 20).left(), 80 << 20);
    }
}
