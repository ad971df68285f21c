//! Versions of the language.

use core::fmt;

/// A version of SPIR-V, ordered from oldest to newest.
///
/// The fields hold any value, so that the version of a module from the future
/// can be represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the point.
    pub major: u8,
    /// The number after the point.
    pub minor: u8,
}

impl Version {
    /// SPIR-V 1.0, the first.
    pub const V1_0: Self = Self::new(1, 0);
    /// SPIR-V 1.1.
    pub const V1_1: Self = Self::new(1, 1);
    /// SPIR-V 1.2.
    pub const V1_2: Self = Self::new(1, 2);
    /// SPIR-V 1.3.
    pub const V1_3: Self = Self::new(1, 3);
    /// SPIR-V 1.4.
    pub const V1_4: Self = Self::new(1, 4);
    /// SPIR-V 1.5.
    pub const V1_5: Self = Self::new(1, 5);
    /// SPIR-V 1.6, the newest that the tables know.
    pub const V1_6: Self = Self::new(1, 6);

    /// The version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self { major, minor }
    }

    /// Reads the version word of a module header, `0x00MMmm00` (specification,
    /// section 2.3), or `None` if its outer bytes are not zero.
    pub const fn from_word(word: u32) -> Option<Self> {
        let [high, major, minor, low] = word.to_be_bytes();
        if high != 0 || low != 0 {
            return None;
        }
        Some(Self { major, minor })
    }

    /// The version word of a module header.
    pub const fn to_word(self) -> u32 {
        u32::from_be_bytes([0, self.major, self.minor, 0])
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}
