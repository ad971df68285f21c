//! Numbers that a module may leave open.

use std::fmt;

use serde::{Serialize, Serializer, ser::SerializeMap};
use spirvkit_analysis::layout::{Bytes, NoLayout};

/// A length, or a number of bytes.
///
/// Serialized as the number; as `{"default": number}` if specialization may change
/// it; or as one of the words `"runtime"`, `"too_large"` and `"unknown"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Amount {
    /// This much.
    Fixed(u64),
    /// This much, as long as the specialization constants on which it depends have
    /// their defaults.
    Default(u64),
    /// Decided at run time: the length of a run-time array, and what contains one.
    Runtime,
    /// 2⁶⁴ or more.
    TooLarge,
    /// The module gives it by an id that has no value, or in terms of a type that
    /// isn't declared.
    Unknown,
}

impl Amount {
    /// The number, if there is one before run time.
    pub fn known(self) -> Option<u64> {
        match self {
            Self::Fixed(number) | Self::Default(number) => Some(number),
            Self::Runtime | Self::TooLarge | Self::Unknown => None,
        }
    }

    /// A number of bytes that a layout says; `None` if it isn't decorated, or is of
    /// something that has no form in memory.
    pub(crate) fn of_layout(bytes: Result<Bytes, NoLayout>) -> Option<Self> {
        match bytes {
            Ok(bytes) => Some(bytes.into()),
            Err(NoLayout::Opaque | NoLayout::Undecorated(_)) => None,
            Err(_) => Some(Self::Unknown),
        }
    }

    /// The product; only as well known as the less known of the two.
    pub(crate) fn times(self, other: Self) -> Self {
        self.with(other, u64::checked_mul)
    }

    /// The sum; only as well known as the less known of the two.
    pub(crate) fn plus(self, other: Self) -> Self {
        self.with(other, u64::checked_add)
    }

    /// The larger of the two; only as well known as the less known.
    pub(crate) fn max(self, other: Self) -> Self {
        self.with(other, |one, other| Some(one.max(other)))
    }

    /// The next multiple of `alignment`, which is above 0.
    pub(crate) fn round_up(self, alignment: u64) -> Self {
        self.with(Self::Fixed(alignment), u64::checked_next_multiple_of)
    }

    /// What is left above another amount, if anything is.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.with(other, |one, other| Some(one.saturating_sub(other)))
    }

    fn with(self, other: Self, combine: fn(u64, u64) -> Option<u64>) -> Self {
        use Amount::{Default, Fixed, Runtime, TooLarge, Unknown};
        let (one, two) = match (self, other) {
            (Unknown, _) | (_, Unknown) => return Unknown,
            (Runtime, _) | (_, Runtime) => return Runtime,
            (TooLarge, _) | (_, TooLarge) => return TooLarge,
            (Fixed(one) | Default(one), Fixed(two) | Default(two)) => (one, two),
        };
        match (combine(one, two), self, other) {
            (None, ..) => TooLarge,
            (Some(number), Fixed(_), Fixed(_)) => Fixed(number),
            (Some(number), ..) => Default(number),
        }
    }
}

impl From<Bytes> for Amount {
    fn from(bytes: Bytes) -> Self {
        match bytes {
            Bytes::Fixed(bytes) => Self::Fixed(bytes),
            Bytes::Default(bytes) => Self::Default(bytes),
            Bytes::Runtime => Self::Runtime,
            Bytes::TooLarge => Self::TooLarge,
        }
    }
}

impl fmt::Display for Amount {
    /// Writes the number, with `*` behind it if it is only a default; or what is
    /// known instead.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(number) => write!(f, "{number}"),
            Self::Default(number) => write!(f, "{number}*"),
            Self::Runtime => f.write_str("runtime"),
            Self::TooLarge => f.write_str("too large"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(number) => serializer.serialize_u64(*number),
            Self::Default(number) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("default", number)?;
                map.end()
            }
            Self::Runtime => serializer.serialize_str("runtime"),
            Self::TooLarge => serializer.serialize_str("too_large"),
            Self::Unknown => serializer.serialize_str("unknown"),
        }
    }
}
