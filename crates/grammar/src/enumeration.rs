//! What the generated enumerant newtypes have in common.

use crate::{EnumerantInfo, OperandKind};

/// An enumeration of SPIR-V: an open set of values, some of which have names.
///
/// [`Decoration`](crate::Decoration) and its like implement it. A *bit*
/// enumeration, such as [`MemoryAccess`](crate::MemoryAccess), holds a mask of
/// enumerants; [`info`](Self::info) then describes a single bit.
pub trait Enumeration: Copy + Eq {
    /// The operand kind whose values these are.
    const KIND: OperandKind;

    /// Wraps any value, assigned or not.
    fn from_value(value: u32) -> Self;

    /// The number that stands in a module.
    fn value(self) -> u32;

    /// What the grammar says about this value, if it is assigned.
    fn info(self) -> Option<&'static EnumerantInfo> {
        Self::KIND.enumerant(self.value())
    }

    /// The value's name, if it is assigned.
    fn name(self) -> Option<&'static str> {
        self.info().map(EnumerantInfo::name)
    }

    /// The value with this name or alias.
    fn from_name(name: &str) -> Option<Self> {
        let info = Self::KIND.enumerant_by_name(name)?;
        Some(Self::from_value(info.value()))
    }
}

/// Declares an enumeration's newtype; its constants are generated next to it.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $crate::Enumeration for $name {
            const KIND: $crate::OperandKind = $crate::OperandKind::$kind;

            fn from_value(value: u32) -> Self {
                Self(value)
            }

            fn value(self) -> u32 {
                self.0
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::enumeration::write_value(f, stringify!($name), *self)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::enumeration::write_value(f, stringify!($name), *self)
            }
        }
    };
}

/// Adds the set operations of a bit enumeration.
macro_rules! bit_enumeration {
    ($(#[$doc:meta])* $name:ident, $kind:ident) => {
        $crate::enumeration::enumeration!($(#[$doc])* $name, $kind);

        impl $name {
            /// Whether every bit of `other` is set.
            pub const fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }
        }

        impl Default for $name {
            /// No bit.
            fn default() -> Self {
                Self(0)
            }
        }

        impl core::ops::BitOr for $name {
            type Output = Self;

            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }
    };
}

pub(crate) use {bit_enumeration, enumeration};

/// Writes names joined with `|` for a mask, a name for a value, and the number
/// where there is no name.
pub(crate) fn write_value<E: Enumeration>(
    f: &mut core::fmt::Formatter<'_>,
    type_name: &str,
    value: E,
) -> core::fmt::Result {
    if let Some(name) = value.name() {
        return f.write_str(name);
    }
    let number = value.value();
    let bits = || {
        (0..32)
            .map(|bit| 1u32 << bit)
            .filter(move |bit| number & bit != 0)
    };
    let nameable = E::KIND.category() == crate::Category::BitEnum
        && number != 0
        && bits().all(|bit| E::KIND.enumerant(bit).is_some());
    if !nameable {
        return write!(f, "{type_name}({number})");
    }
    for (index, info) in bits().filter_map(|bit| E::KIND.enumerant(bit)).enumerate() {
        if index > 0 {
            f.write_str("|")?;
        }
        f.write_str(info.name())?;
    }
    Ok(())
}
