//! Values of one component, and their types.

use alloc::format;
use core::fmt;

use spirvkit_binary::{FloatFormat, NumberType, spelling};

use crate::real::Layout;

/// The type of a scalar, as far as its bits are concerned: whether an integer is
/// signed is up to each operation on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// A Boolean: one bit, 1 for true.
    Bool,
    /// An integer of 1 to 64 bits.
    Integer {
        /// The width in bits. Others are taken as the nearest there can be.
        width: u8,
    },
    /// A floating-point number.
    Float(FloatFormat),
}

impl ScalarType {
    /// The width in bits, from 1 to 64.
    #[inline]
    pub const fn width(self) -> u32 {
        match self {
            Self::Bool | Self::Integer { width: 0 } => 1,
            Self::Integer { width: 64.. } => 64,
            Self::Integer { width } => width as u32,
            Self::Float(format) => format.width() as u32,
        }
    }

    /// A word with all bits of the type set.
    #[inline]
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width())
    }
}

impl From<NumberType> for ScalarType {
    fn from(ty: NumberType) -> Self {
        match ty {
            NumberType::Integer { width, .. } => Self::Integer { width },
            NumberType::Float(format) => Self::Float(format),
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Integer { width } => f.write_str(&spelling::integer((*width).into(), true)),
            Self::Float(FloatFormat::Half | FloatFormat::Single | FloatFormat::Double) => {
                f.write_str(&spelling::float(self.width(), None))
            }
            Self::Float(format) => f.write_str(&format!("{format:?}").to_lowercase()),
        }
    }
}

/// The value of a scalar constant. Bits above the type's width are zero, for
/// negative integers, too, so equal scalars are equal in all bits; the other way
/// round, floating-point zeros of different signs are different scalars.
///
/// ```
/// use spirvkit_eval::{Scalar, ScalarType};
///
/// let scalar = Scalar::new(ScalarType::Integer { width: 16 }, -2i64 as u64);
/// assert_eq!(scalar.bits(), 0xfffe);
/// assert_eq!(scalar.sign_extended(), -2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    ty: ScalarType,
    bits: u64,
}

impl Scalar {
    /// A scalar of this type with the low bits of `bits`.
    #[inline]
    pub const fn new(ty: ScalarType, bits: u64) -> Self {
        Self {
            ty,
            bits: bits & ty.mask(),
        }
    }

    /// Zero of this type: what `OpConstantNull` makes.
    pub const fn zero(ty: ScalarType) -> Self {
        Self { ty, bits: 0 }
    }

    /// The type.
    #[inline]
    pub const fn ty(self) -> ScalarType {
        self.ty
    }

    /// The bits, zero above the type's width.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// The bits as a signed number, the highest of the type's being the sign.
    pub const fn sign_extended(self) -> i64 {
        sign_extend(self.bits, self.ty.width())
    }

    /// The number that a float is, exactly: binary64 has the numbers of all formats.
    /// `None` if it is no float.
    ///
    /// ```
    /// use spirvkit_binary::FloatFormat;
    /// use spirvkit_eval::{Scalar, ScalarType};
    ///
    /// let half = Scalar::new(ScalarType::Float(FloatFormat::Half), 0x3e00);
    /// assert_eq!(half.to_f64(), Some(1.5));
    /// ```
    pub fn to_f64(self) -> Option<f64> {
        let ScalarType::Float(format) = self.ty else {
            return None;
        };
        Some(match format {
            FloatFormat::Double => f64::from_bits(self.bits),
            FloatFormat::Single => f32::from_bits(self.bits as u32).into(),
            FloatFormat::BFloat16 => f32::from_bits((self.bits as u32) << 16).into(),
            FloatFormat::UnsignedE8M0 if self.bits == 0xff => f64::NAN,
            // The exponent of binary64 counts from 1023 less.
            FloatFormat::UnsignedE8M0 => f64::from_bits((self.bits + 1023 - 127) << 52),
            FloatFormat::MxInt8 => self.sign_extended() as f64 / 64.0,
            _ => Layout::of(format)?.decode(self.bits).to_f64(),
        })
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::new(ScalarType::Bool, value as u64)
    }
}

impl From<u32> for Scalar {
    fn from(value: u32) -> Self {
        Self::new(ScalarType::Integer { width: 32 }, value.into())
    }
}

impl From<f32> for Scalar {
    fn from(value: f32) -> Self {
        let ty = ScalarType::Float(FloatFormat::Single);
        Self::new(ty, value.to_bits().into())
    }
}

impl From<f64> for Scalar {
    fn from(value: f64) -> Self {
        Self::new(ScalarType::Float(FloatFormat::Double), value.to_bits())
    }
}

/// The low `width` bits, 1 to 64, as a signed number.
#[inline]
pub(crate) const fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((bits << unused) as i64) >> unused
}

/// Numbers of less than 32 bits, for which there are capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Small {
    /// Integers of 8 bits.
    pub int8: bool,
    /// Integers of 16 bits.
    pub int16: bool,
    /// Floating-point numbers of less than 32 bits.
    pub float: bool,
}

impl Small {
    pub(crate) fn of(ty: ScalarType) -> Self {
        let is_integer = |wanted| matches!(ty, ScalarType::Integer { width } if width == wanted);
        Self {
            int8: is_integer(8),
            int16: is_integer(16),
            float: matches!(ty, ScalarType::Float(format) if format.width() < 32),
        }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            int8: self.int8 | other.int8,
            int16: self.int16 | other.int16,
            float: self.float | other.float,
        }
    }
}
