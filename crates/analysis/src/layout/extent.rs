//! Numbers that a module may leave open.

use core::fmt;

/// A size, an offset or a stride in bytes, or a number of elements.
///
/// What is made of several is only as well known as the least known of them.
///
/// With the feature `serde` it is serialized as the number; as `{"default": number}` if
/// specialization may change it; or as one of the words `"runtime"`, `"too_large"` and
/// `"unknown"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extent {
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
    /// isn't declared. Layouts say [why](super::NoLayout) instead.
    Unknown,
}

impl Extent {
    /// The number, if there is one before run time.
    pub fn known(self) -> Option<u64> {
        match self {
            Self::Fixed(number) | Self::Default(number) => Some(number),
            Self::Runtime | Self::TooLarge | Self::Unknown => None,
        }
    }

    /// Whether the number depends on specialization constants.
    pub fn is_specialized(self) -> bool {
        matches!(self, Self::Default(_))
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        self.with(other, u64::checked_add)
    }

    /// What is left above another, if anything is.
    pub fn minus(self, other: Self) -> Self {
        self.with(other, |one, other| Some(one.saturating_sub(other)))
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        self.with(other, u64::checked_mul)
    }

    /// The larger of the two.
    pub fn max(self, other: Self) -> Self {
        self.with(other, |one, other| Some(one.max(other)))
    }

    /// The next multiple of an alignment, which is above 0.
    pub fn round_up(self, alignment: u64) -> Self {
        self.with(Self::Fixed(alignment), u64::checked_next_multiple_of)
    }

    fn with(self, other: Self, combine: fn(u64, u64) -> Option<u64>) -> Self {
        use Extent::{Default, Fixed, Runtime, TooLarge, Unknown};
        let (one, two) = match (self, other) {
            (Unknown, _) | (_, Unknown) => return Unknown,
            (Runtime, _) | (_, Runtime) => return Runtime,
            (TooLarge, _) | (_, TooLarge) => return TooLarge,
            (Fixed(one) | Default(one), Fixed(two) | Default(two)) => (one, two),
        };
        match combine(one, two) {
            None => TooLarge,
            Some(number) if self.is_specialized() || other.is_specialized() => Default(number),
            Some(number) => Fixed(number),
        }
    }
}

impl fmt::Display for Extent {
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

#[cfg(feature = "serde")]
impl serde::Serialize for Extent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
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
