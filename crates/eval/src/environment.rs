//! What may differ from one operation to the next.

use spirvkit_binary::FloatFormat;

use crate::outcome::Reason;
use crate::real::Layout;

spirvkit_binary::options! {
    /// What execution modes, decorations and the API say of an operation. By default they
    /// say nothing that changes a result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Environment {
        /// Arithmetic on floating-point numbers of 16 bits.
        pub half: FloatMode = FloatMode::default(),
        /// Arithmetic on floating-point numbers of 32 bits.
        pub single: FloatMode = FloatMode::default(),
        /// Arithmetic on floating-point numbers of 64 bits.
        pub double: FloatMode = FloatMode::default(),
        /// Whether the operation is decorated with `NoSignedWrap`: a signed result that
        /// doesn't fit is undefined.
        pub no_signed_wrap: bool = false,
        /// Whether it is decorated with `NoUnsignedWrap`.
        pub no_unsigned_wrap: bool = false,
        /// Whether it is decorated with `SaturatedConversion`, or with
        /// `SaturatedToLargestFloat8NormalConversionEXT`: conversions give the nearest that
        /// there is of what is out of range.
        pub saturated: bool = false,
        /// The `FPRoundingMode` that a conversion is decorated with. It holds for results of
        /// every format, and for integers, which are rounded towards zero without one.
        pub conversion: Option<Rounding> = None,
    }
}

impl Environment {
    /// The mode of arithmetic on numbers of a format. Other encodings than IEEE 754's have
    /// none.
    pub fn float(&self, format: FloatFormat) -> FloatMode {
        match format {
            FloatFormat::Half => self.half,
            FloatFormat::Single => self.single,
            FloatFormat::Double => self.double,
            _ => FloatMode::default(),
        }
    }
}

spirvkit_binary::options! {
    /// How to compute with floating-point numbers of one width (`SPV_KHR_float_controls`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FloatMode {
        /// How results are rounded.
        pub rounding: Rounding = Rounding::NearestEven,
        /// What becomes of denormal numbers.
        pub denormals: Denormals = Denormals::Preserve,
        /// Whether infinities and NaNs are kept.
        pub specials: Specials = Specials::Preserve,
    }
}

impl FloatMode {
    /// An operand or result as an operation sees it: what is denormal may be zero.
    pub(crate) fn flush(self, layout: Layout, bits: u64) -> u64 {
        match self.denormals == Denormals::Flush && layout.is_denormal(bits) {
            true => layout.zero_of_sign(bits),
            false => bits,
        }
    }

    /// Why an operation with this operand or result is undefined, if it is.
    pub(crate) fn undefined(self, layout: Layout, bits: u64) -> Option<Reason> {
        if self.denormals == Denormals::Unspecified && layout.is_denormal(bits) {
            return Some(Reason::Denormal);
        }
        let is_unspecified = self.specials == Specials::Unspecified && layout.is_special(bits);
        is_unspecified.then_some(Reason::InfinityOrNan)
    }
}

/// A rounding mode (specification, section 3.16, "FP Rounding Mode").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, of two the even one (`RTE`).
    #[default]
    NearestEven,
    /// Towards zero (`RTZ`).
    TowardZero,
    /// Towards positive infinity (`RTP`).
    TowardPositive,
    /// Towards negative infinity (`RTN`).
    TowardNegative,
}

impl Rounding {
    /// Whether a magnitude is rounded away from zero, or towards it; `None` for to
    /// nearest.
    pub(crate) const fn of_magnitude(self, negative: bool) -> Option<bool> {
        match self {
            Self::NearestEven => None,
            Self::TowardZero => Some(false),
            Self::TowardPositive => Some(!negative),
            Self::TowardNegative => Some(negative),
        }
    }
}

/// What becomes of denormal operands and results of arithmetic, conversions among
/// floating-point types and comparisons. What loads, copies, chooses or takes bits apart
/// leaves them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Denormals {
    /// They are kept (`DenormPreserve`).
    #[default]
    Preserve,
    /// They are zeros of the same sign (`DenormFlushToZero`). Whether a number is
    /// denormal is seen after rounding.
    Flush,
    /// Either may be: what has a denormal operand or result is undefined.
    Unspecified,
}

/// What becomes of infinities and NaNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Specials {
    /// They are kept (`SignedZeroInfNanPreserve`).
    #[default]
    Preserve,
    /// Implementations may assume that there are none: an operation with one as operand
    /// or result is undefined. The sign of a zero is IEEE 754's, which is one of those
    /// that there may be.
    Unspecified,
}
