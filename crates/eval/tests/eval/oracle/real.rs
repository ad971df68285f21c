//! Floating-point numbers as fractions, and their formats.

use std::cmp::Ordering;

use spirvkit_eval::Rounding;

use super::natural::Natural;

/// A number as IEEE 754 knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    Nan,
    /// With the sign.
    Infinite(bool),
    /// A fraction, with the sign: there are two zeros.
    Finite {
        negative: bool,
        top: Natural,
        bottom: Natural,
    },
}

use Number::{Finite, Infinite, Nan};

fn finite(negative: bool, top: Natural, bottom: Natural) -> Number {
    Finite {
        negative,
        top,
        bottom,
    }
}

impl Number {
    pub(crate) fn integer(value: i128) -> Self {
        finite(
            value < 0,
            Natural::new(value.unsigned_abs()),
            Natural::new(1),
        )
    }

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Finite { top, .. } if top.is_zero())
    }

    pub(crate) fn is_negative(&self) -> bool {
        match self {
            Nan => false,
            Infinite(negative) | Finite { negative, .. } => *negative,
        }
    }

    fn with_sign(&self, negative: bool) -> Self {
        match self {
            Nan => Nan,
            Infinite(_) => Infinite(negative),
            Finite { top, bottom, .. } => finite(negative, top.clone(), bottom.clone()),
        }
    }

    pub(crate) fn negated(&self) -> Self {
        self.with_sign(!self.is_negative())
    }

    pub(crate) fn absolute(&self) -> Self {
        self.with_sign(false)
    }

    pub(crate) fn zero_of_sign(&self) -> Self {
        finite(self.is_negative(), Natural::new(0), Natural::new(1))
    }

    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Nan, _) | (_, Nan) => return None,
            (Infinite(a), Infinite(b)) => b.cmp(a),
            (Infinite(true), _) | (_, Infinite(false)) => Ordering::Less,
            (Infinite(false), _) | (_, Infinite(true)) => Ordering::Greater,
            _ => {
                let difference = self.add(&other.negated());
                match (difference.is_zero(), difference.is_negative()) {
                    (true, _) => Ordering::Equal,
                    (_, true) => Ordering::Less,
                    _ => Ordering::Greater,
                }
            }
        })
    }

    /// The sum; opposites add up to a positive zero.
    pub(crate) fn add(&self, other: &Self) -> Self {
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(a), Infinite(b)) if a != b => Nan,
            (Infinite(sign), _) | (_, Infinite(sign)) => Infinite(*sign),
            (
                Finite {
                    negative: n,
                    top: a,
                    bottom: c,
                },
                Finite {
                    negative: m,
                    top: b,
                    bottom: d,
                },
            ) => {
                let (left, right) = (a.multiply(d), b.multiply(c));
                let bottom = c.multiply(d);
                match left.compare(&right) {
                    _ if n == m => finite(*n, left.add(&right), bottom),
                    // Opposites add up to a positive zero.
                    Ordering::Equal => finite(false, Natural::new(0), bottom),
                    Ordering::Greater => finite(*n, left.minus(&right), bottom),
                    Ordering::Less => finite(*m, right.minus(&left), bottom),
                }
            }
        }
    }

    pub(crate) fn multiply(&self, other: &Self) -> Self {
        let negative = self.is_negative() != other.is_negative();
        match (self, other) {
            (Nan, _) | (_, Nan) => Nan,
            (Infinite(_), x) | (x, Infinite(_)) if x.is_zero() => Nan,
            (Infinite(_), _) | (_, Infinite(_)) => Infinite(negative),
            (
                Finite {
                    top: a, bottom: c, ..
                },
                Finite {
                    top: b, bottom: d, ..
                },
            ) => finite(negative, a.multiply(b), c.multiply(d)),
        }
    }

    /// The quotient by a number that isn't zero.
    pub(crate) fn divide(&self, other: &Self) -> Self {
        let inverse = match other {
            Nan => Nan,
            Infinite(_) => other.zero_of_sign(),
            Finite {
                negative,
                top,
                bottom,
            } => finite(*negative, bottom.clone(), top.clone()),
        };
        match (self, other) {
            (Infinite(_), Infinite(_)) => Nan,
            _ => self.multiply(&inverse),
        }
    }

    /// What is left of the number after subtracting the other, which isn't zero, as
    /// often as goes; with the sign of the number.
    pub(crate) fn remainder(&self, other: &Self) -> Self {
        match (self, other) {
            (Nan | Infinite(_), _) | (_, Nan) => Nan,
            (_, Infinite(_)) => self.clone(),
            (
                Finite {
                    negative,
                    top: a,
                    bottom: c,
                },
                Finite {
                    top: b, bottom: d, ..
                },
            ) => {
                let (_, rest) = a.multiply(d).divide(&b.multiply(c));
                finite(*negative, rest, c.multiply(d))
            }
        }
    }

    /// The number without its fraction, if it is finite and not huge.
    pub(crate) fn truncated(&self) -> Option<i128> {
        let Finite {
            negative,
            top,
            bottom,
        } = self
        else {
            return None;
        };
        let whole = i128::try_from(top.divide(bottom).0.to_u128()?).ok()?;
        Some(if *negative { -whole } else { whole })
    }
}

/// A binary format of IEEE 754, by the bits of its exponent and its fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    pub(crate) const HALF: Self = Self {
        exponent: 5,
        fraction: 10,
    };
    pub(crate) const SINGLE: Self = Self {
        exponent: 8,
        fraction: 23,
    };
    pub(crate) const DOUBLE: Self = Self {
        exponent: 11,
        fraction: 52,
    };

    pub(crate) const BRAIN: Self = Self {
        exponent: 8,
        fraction: 7,
    };
    pub(crate) const E5M2: Self = Self {
        exponent: 5,
        fraction: 2,
    };

    pub(crate) fn width(self) -> u32 {
        1 + self.exponent + self.fraction
    }

    pub(crate) fn exponent_mask(self) -> u64 {
        (1 << self.exponent) - 1
    }

    pub(crate) fn exponent_field(self, bits: u64) -> u64 {
        bits >> self.fraction & self.exponent_mask()
    }

    /// The power of two that denormals count in.
    fn least(self) -> i64 {
        2 - (1 << (self.exponent - 1)) - i64::from(self.fraction)
    }

    pub(crate) fn decode(self, bits: u64) -> Number {
        let negative = bits >> (self.width() - 1) & 1 == 1;
        let fraction = bits & ((1 << self.fraction) - 1);
        let field = self.exponent_field(bits);
        if field == self.exponent_mask() {
            return match fraction {
                0 => Infinite(negative),
                _ => Nan,
            };
        }
        let (significand, power) = match field {
            0 => (fraction, self.least()),
            _ => (
                fraction | 1 << self.fraction,
                self.least() + field as i64 - 1,
            ),
        };
        let significand = Natural::new(significand.into());
        match power {
            0.. => finite(negative, significand.doubled(power), Natural::new(1)),
            _ => finite(negative, significand, Natural::new(1).doubled(-power)),
        }
    }

    /// The bits of a number, rounded; the quiet NaN without sign and payload.
    pub(crate) fn encode(self, number: &Number, rounding: Rounding) -> u64 {
        let infinity = self.exponent_mask() << self.fraction;
        let (negative, magnitude) = match number {
            Nan => return infinity | 1 << (self.fraction - 1),
            Infinite(negative) => (*negative, infinity),
            Finite { negative, top, .. } if top.is_zero() => (*negative, 0),
            Finite {
                negative,
                top,
                bottom,
            } => {
                let up = match rounding {
                    Rounding::NearestEven => None,
                    Rounding::TowardZero => Some(false),
                    Rounding::TowardPositive => Some(!negative),
                    Rounding::TowardNegative => Some(*negative),
                };
                // What is rounded towards zero never gets infinite.
                let most = infinity - u64::from(up == Some(false));
                (*negative, self.round(top, bottom, up).min(most))
            }
        };
        u64::from(negative) << (self.width() - 1) | magnitude
    }

    /// Bits of the magnitude, rounded up or down, or to the nearest number, the even one
    /// of two; infinity or more, if it is too large.
    fn round(self, top: &Natural, bottom: &Natural, up: Option<bool>) -> u64 {
        let precision = i64::from(self.fraction) + 1;
        let mut power = (top.bits() - bottom.bits() - precision).max(self.least());
        let (quotient, rest, unit) = loop {
            let (top, unit) = match power {
                0.. => (top.clone(), bottom.doubled(power)),
                _ => (top.doubled(-power), bottom.clone()),
            };
            let (quotient, rest) = top.divide(&unit);
            if quotient.bits() <= precision {
                break (quotient, rest, unit);
            }
            power += 1;
        };
        let mut significand = quotient.to_u128().unwrap() as u64;
        significand += match (up, rest.doubled(1).compare(&unit)) {
            (Some(up), _) => u64::from(up && !rest.is_zero()),
            (None, Ordering::Less) => 0,
            (None, Ordering::Equal) => significand & 1,
            (None, Ordering::Greater) => 1,
        };
        if significand == 0 {
            return 0;
        }
        // The exponent's field counts from 0 for denormals, of which the top bit is
        // not set; where it is, it adds 1.
        let field = (power - self.least()) as u64;
        (field << self.fraction) + significand
    }
}
