//! Numbers of bytes that may not be known.

use core::fmt;

/// A size, an offset or a stride, in bytes.
///
/// What is made of several numbers is only as well known as the least known of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bytes {
    /// This many.
    Fixed(u64),
    /// This many, as long as the specialization constants on which the number
    /// depends have their defaults.
    Default(u64),
    /// Decided at run time, by the length of a run-time array.
    Runtime,
    /// 2⁶⁴ or more.
    TooLarge,
}

impl Bytes {
    /// The number, if there is one before run time.
    pub fn known(self) -> Option<u64> {
        match self {
            Self::Fixed(bytes) | Self::Default(bytes) => Some(bytes),
            Self::Runtime | Self::TooLarge => None,
        }
    }

    /// Whether the number depends on specialization constants.
    pub fn is_specialized(self) -> bool {
        matches!(self, Self::Default(_))
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.with(other, u64::checked_add)
    }

    pub(super) fn times(self, other: Self) -> Self {
        self.with(other, u64::checked_mul)
    }

    pub(super) fn max(self, other: Self) -> Self {
        self.with(other, |one, other| Some(one.max(other)))
    }

    /// One less, but not below 0.
    pub(super) fn less_one(self) -> Self {
        self.with(Self::Fixed(1), |one, other| Some(one.saturating_sub(other)))
    }

    /// The next multiple of `alignment`, which is above 0.
    pub(super) fn round_up(self, alignment: u64) -> Self {
        self.with(Self::Fixed(alignment), u64::checked_next_multiple_of)
    }

    fn with(self, other: Self, combine: fn(u64, u64) -> Option<u64>) -> Self {
        use Bytes::{Default, Fixed, Runtime, TooLarge};
        let (one, two) = match (self, other) {
            (Runtime, _) | (_, Runtime) => return Runtime,
            (TooLarge, _) | (_, TooLarge) => return TooLarge,
            (Fixed(one) | Default(one), Fixed(two) | Default(two)) => (one, two),
        };
        match combine(one, two) {
            None => TooLarge,
            Some(bytes) if self.is_specialized() || other.is_specialized() => Default(bytes),
            Some(bytes) => Fixed(bytes),
        }
    }
}

impl fmt::Display for Bytes {
    /// Writes the number, with `*` behind it if it is only a default; or what is
    /// known instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => write!(f, "{bytes}"),
            Self::Default(bytes) => write!(f, "{bytes}*"),
            Self::Runtime => f.write_str("known at run time"),
            Self::TooLarge => f.write_str("too large"),
        }
    }
}
