//! Floating-point numbers as integers times powers of two, exact until they are rounded,
//! once, to what a format has. No arithmetic of the machine's takes part, so the result
//! is the same everywhere, in every rounding mode.

use core::cmp::Ordering;

use spirvkit_binary::FloatFormat;

use crate::environment::Rounding;

/// A binary format: sign, exponent and fraction, from the top.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    exponent: u32,
    fraction: u32,
    specials: Specials,
}

/// What the numbers with the greatest exponent are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Specials {
    /// Infinities and NaNs.
    Ieee,
    /// Numbers, but for one NaN a sign, all of whose bits are set.
    OneNan,
    /// Numbers.
    None,
}

impl Layout {
    /// The layout of a format; `None` if it isn't one of sign, exponent and fraction.
    pub(crate) const fn of(format: FloatFormat) -> Option<Self> {
        let (exponent, fraction, specials) = match format {
            FloatFormat::Half => (5, 10, Specials::Ieee),
            FloatFormat::Single => (8, 23, Specials::Ieee),
            FloatFormat::Double => (11, 52, Specials::Ieee),
            FloatFormat::BFloat16 => (8, 7, Specials::Ieee),
            FloatFormat::E5M2 => (5, 2, Specials::Ieee),
            FloatFormat::E4M3 => (4, 3, Specials::OneNan),
            FloatFormat::E2M3 => (2, 3, Specials::None),
            FloatFormat::E3M2 => (3, 2, Specials::None),
            FloatFormat::E2M1 => (2, 1, Specials::None),
            _ => return None,
        };
        Some(Self {
            exponent,
            fraction,
            specials,
        })
    }

    /// The layout of floating-point numbers with an exponent as binary16 has, and a fraction of
    /// so many bits.
    pub(crate) const fn small(fraction: u32) -> Self {
        Self {
            exponent: 5,
            fraction,
            specials: Specials::Ieee,
        }
    }

    const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    const fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    /// The bits behind those of the greatest number: an infinity's, or the only NaN's.
    const fn limit(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.sign() - 1 - self.fraction_mask(),
            Specials::OneNan => self.sign() - 1,
            Specials::None => self.sign(),
        }
    }

    /// The NaN that operations make.
    const fn nan(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.limit() | 1 << (self.fraction - 1),
            _ => self.sign() - 1,
        }
    }

    /// The power of two that denormals count in.
    const fn unit(self) -> i32 {
        2 - (1 << (self.exponent - 1)) - self.fraction as i32
    }

    /// The power of two behind the greatest number.
    pub(crate) const fn greatest_power(self) -> i64 {
        1 << (self.exponent - 1)
    }

    /// Whether a number is neither zero nor normal.
    pub(crate) const fn is_denormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude <= self.fraction_mask()
    }

    /// Whether it is finite, and neither zero nor denormal.
    pub(crate) const fn is_normal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude > self.fraction_mask() && magnitude < self.limit()
    }

    /// Whether it is an infinity or a NaN.
    pub(crate) const fn is_special(self, bits: u64) -> bool {
        self.magnitude(bits) >= self.limit()
    }

    /// The bits but for the sign.
    pub(crate) const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    /// Zero, with the sign of these bits.
    pub(crate) const fn zero_of_sign(self, bits: u64) -> u64 {
        bits & self.sign()
    }

    /// The number with these bits.
    pub(crate) fn decode(self, bits: u64) -> Real {
        let negative = bits & self.sign() != 0;
        let magnitude = self.magnitude(bits);
        let fraction = magnitude & self.fraction_mask();
        let magnitude = match (magnitude >> self.fraction) as i32 {
            _ if magnitude > self.limit() => Magnitude::Nan,
            _ if magnitude == self.limit() => match self.specials {
                Specials::Ieee => Magnitude::Infinite,
                _ => Magnitude::Nan,
            },
            0 => Magnitude::Finite(fraction.into(), self.unit()),
            exponent => Magnitude::Finite(
                (fraction | 1 << self.fraction).into(),
                self.unit() + exponent - 1,
            ),
        };
        Real {
            negative,
            magnitude,
        }
    }

    /// The bits of a number, rounded; of any NaN, the one that operations make. What is
    /// beyond all numbers is, `saturated`, the greatest.
    pub(crate) fn encode(self, number: Real, rounding: Rounding, saturated: bool) -> u64 {
        let magnitude = match number.magnitude {
            Magnitude::Nan => return self.nan(),
            Magnitude::Infinite if saturated => self.limit() - 1,
            Magnitude::Infinite => self.limit(),
            Magnitude::Finite(0, _) => 0,
            Magnitude::Finite(significand, exponent) => {
                let upwards = rounding.of_magnitude(number.negative);
                let magnitude = self.round(significand, exponent, upwards);
                match saturated || upwards == Some(false) {
                    true => magnitude.min(self.limit() - 1),
                    false => magnitude.min(self.limit()),
                }
            }
        };
        let is_nan = magnitude == self.limit() && self.specials != Specials::Ieee;
        match number.negative && !is_nan {
            true => magnitude | self.sign(),
            false => magnitude,
        }
    }

    /// The bits of a magnitude; those of the limit or more, if it is too large. It is
    /// rounded away from zero, or towards it, or to nearest, if nothing is said.
    fn round(self, significand: u128, exponent: i32, upwards: Option<bool>) -> u64 {
        let length = 128 - significand.leading_zeros() as i32;
        let precision = self.fraction as i32 + 1;
        let power = (exponent + length - precision).max(self.unit());
        let significand = round_shift(significand, power - exponent, upwards);
        if significand == 0 {
            return 0;
        }
        // The exponent's field counts from 0 for denormals, whose top bit is not set;
        // where it is, it adds 1. What rounding carries goes there, too.
        let field = (power - self.unit()) as u64;
        match field >> self.exponent {
            0 => (field << self.fraction) + significand,
            _ => self.limit(),
        }
    }
}

/// A significand without its last bits, rounded; with zeros at the end, if there are less
/// than none of these, for which there must be room.
fn round_shift(significand: u128, bits: i32, upwards: Option<bool>) -> u64 {
    let (quotient, rest) = match bits {
        ..=0 => return (significand << -bits) as u64,
        1..=127 => ((significand >> bits) as u64, significand << (128 - bits)),
        128 => (0, significand),
        // Something that is less than half.
        _ => (0, u128::from(significand != 0)),
    };
    const HALF: u128 = 1 << 127;
    let goes_up = match upwards {
        Some(upwards) => upwards && rest != 0,
        None => rest > HALF || (rest == HALF && quotient & 1 == 1),
    };
    quotient + u64::from(goes_up)
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real {
    pub(crate) negative: bool,
    pub(crate) magnitude: Magnitude,
}

/// A number without its sign.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Magnitude {
    Nan,
    Infinite,
    /// An integer times a power of two. Where an operation has a result that takes more
    /// bits than there are, the lowest is set for all those that are missing; it has at
    /// least 16 bits more than any format then, so that it is rounded as the exact result
    /// would be.
    Finite(u128, i32),
}

use Magnitude::{Finite, Infinite, Nan};

impl Real {
    const NAN: Self = Self::new(false, Nan);

    const fn new(negative: bool, magnitude: Magnitude) -> Self {
        Self {
            negative,
            magnitude,
        }
    }

    pub(crate) const fn integer(value: i128) -> Self {
        Self::new(value < 0, Finite(value.unsigned_abs(), 0))
    }

    pub(crate) const fn zero(negative: bool) -> Self {
        Self::new(negative, Finite(0, 0))
    }

    pub(crate) fn from_f64(number: f64) -> Self {
        const DOUBLE: Layout = Layout {
            exponent: 11,
            fraction: 52,
            specials: Specials::Ieee,
        };
        DOUBLE.decode(number.to_bits())
    }

    pub(crate) const fn is_nan(self) -> bool {
        matches!(self.magnitude, Nan)
    }

    pub(crate) const fn is_zero(self) -> bool {
        matches!(self.magnitude, Finite(0, _))
    }

    pub(crate) const fn negated(self) -> Self {
        Self::new(!self.negative, self.magnitude)
    }

    /// The sum. Opposites make a zero, which is negative if that is where the result is
    /// rounded to.
    pub(crate) fn plus(self, other: Self, rounding: Rounding) -> Self {
        let (a, b) = match (self.magnitude, other.magnitude) {
            (Nan, _) | (_, Nan) => return Self::NAN,
            (Infinite, Infinite) if self.negative != other.negative => return Self::NAN,
            (Infinite, _) => return self,
            (_, Infinite) => return other,
            (Finite(0, _), Finite(0, _)) if self.negative == other.negative => return self,
            (Finite(0, _), Finite(0, _)) => {
                return Self::zero(rounding == Rounding::TowardNegative);
            }
            (Finite(0, _), _) => return other,
            (_, Finite(0, _)) => return self,
            (Finite(a, m), Finite(b, n)) => (normalized(a, m), normalized(b, n)),
        };
        let (large, small, negative) = match a.1 >= b.1 {
            true => (a, b, self.negative),
            false => (b, a, other.negative),
        };
        let addend = shift_sticky(small.0, (large.1 - small.1) as u32);
        if self.negative == other.negative {
            return Self::new(negative, Finite(large.0 + addend, large.1));
        }
        // Bits are missing only if the exponents differ by more than the significands
        // have zeros at their ends, 20 at least; the difference has few bits less then.
        match large.0.cmp(&addend) {
            Ordering::Equal => Self::zero(rounding == Rounding::TowardNegative),
            Ordering::Greater => Self::new(negative, Finite(large.0 - addend, large.1)),
            Ordering::Less => Self::new(!negative, Finite(addend - large.0, large.1)),
        }
    }

    /// The product, exactly, of numbers as formats have them.
    pub(crate) fn times(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        match (self.magnitude, other.magnitude) {
            (Nan, _) | (_, Nan) => Self::NAN,
            (Infinite, _) if other.is_zero() => Self::NAN,
            (_, Infinite) if self.is_zero() => Self::NAN,
            (Infinite, _) | (_, Infinite) => Self::new(negative, Infinite),
            (Finite(a, m), Finite(b, n)) => Self::new(negative, Finite(a * b, m + n)),
        }
    }

    /// The quotient of numbers as formats have them.
    pub(crate) fn over(self, other: Self) -> Self {
        let negative = self.negative != other.negative;
        match (self.magnitude, other.magnitude) {
            (Nan, _) | (_, Nan) | (Infinite, Infinite) => Self::NAN,
            (Infinite, _) => Self::new(negative, Infinite),
            (Finite(0, _), Finite(0, _)) => Self::NAN,
            (Finite(..), Finite(0, _)) => Self::new(negative, Infinite),
            (Finite(0, _), _) | (_, Infinite) => Self::zero(negative),
            (Finite(a, m), Finite(b, n)) => {
                let (a, m) = normalized(a, m);
                let sticky = u128::from(a % b != 0);
                Self::new(negative, Finite((a / b) | sticky, m - n))
            }
        }
    }

    /// The number times a power of two, as far as formats can tell powers apart.
    pub(crate) fn scaled(self, power: i64) -> Self {
        let power = power.clamp(-10_000, 10_000) as i32;
        match self.magnitude {
            Finite(significand, exponent) => {
                Self::new(self.negative, Finite(significand, exponent + power))
            }
            _ => self,
        }
    }

    /// The nearest integer in a rounding mode, as a number.
    pub(crate) fn rounded(self, rounding: Rounding) -> Self {
        match self.magnitude {
            Finite(significand, exponent @ ..0) => {
                let upwards = rounding.of_magnitude(self.negative);
                // As formats have them, significands have at most 53 bits.
                let whole = round_shift(significand, -exponent, upwards);
                Self::new(self.negative, Finite(whole.into(), 0))
            }
            _ => self,
        }
    }

    /// The number in binary64, which has all numbers of the narrower formats.
    pub(crate) fn to_f64(self) -> f64 {
        match self.magnitude {
            Nan => f64::NAN,
            Infinite if self.negative => f64::NEG_INFINITY,
            Infinite => f64::INFINITY,
            Finite(..) => {
                let layout = Layout::of(FloatFormat::Double);
                let bits = layout.map(|it| it.encode(self, Rounding::NearestEven, false));
                f64::from_bits(bits.unwrap_or(0))
            }
        }
    }

    /// The nearest integer, as far as `i128` has it, in a rounding mode; 0 for a NaN.
    pub(crate) fn to_integer(self, rounding: Rounding) -> i128 {
        let magnitude = match self.magnitude {
            Nan => 0,
            Infinite => i128::MAX,
            Finite(0, _) => 0,
            // No bit of the fraction is left of the point, or all of it is.
            Finite(significand, exponent @ 0..) => {
                match significand.leading_zeros() as i32 > exponent {
                    true => (significand << exponent) as i128,
                    false => i128::MAX,
                }
            }
            Finite(..) => match self.rounded(rounding).magnitude {
                Finite(whole, _) => whole as i128,
                _ => 0,
            },
        };
        match self.negative {
            true => -magnitude,
            false => magnitude,
        }
    }
}

/// A significand that isn't 0 with its highest bit at 126, where a sum has room for one
/// more.
fn normalized(significand: u128, exponent: i32) -> (u128, i32) {
    let zeros = significand.leading_zeros() as i32 - 1;
    match zeros {
        0.. => (significand << zeros, exponent - zeros),
        _ => (significand >> 1 | significand & 1, exponent + 1),
    }
}

/// Shifts down; of what falls out, the lowest bit tells.
fn shift_sticky(significand: u128, bits: u32) -> u128 {
    match bits {
        0 => significand,
        1..=127 => significand >> bits | u128::from(significand << (128 - bits) != 0),
        _ => u128::from(significand != 0),
    }
}
