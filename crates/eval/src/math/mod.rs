//! Functions of numbers that both instruction sets have, computed in binary64.
//!
//! The results of binary16 and binary32 are rounded once more, so that their error is half
//! a unit in the last place and next to nothing else. All are inside what
//! [`Precision`](crate::Precision) allows. Nothing here asks the machine for more than IEEE
//! 754's own operations, so results are the same everywhere.

mod elementary;
mod geometry;
mod matrix;
mod split;
mod sum;

pub(crate) use elementary::{
    acospi, asinpi, atan2pi, atanpi, cospi, degrees, exp10, lgamma_sign, logb, powr, radians,
    rootn, rsqrt, sinpi, smooth_step, tanpi,
};
pub(crate) use geometry::{Norm, difference_of_products, dot, refraction};
pub(crate) use matrix::Square;
pub(crate) use split::{frexp, modf, remquo};

use crate::float::Arithmetic;

/// A function in binary64, by the number of its operands.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Function {
    /// Of one number.
    One(fn(f64) -> f64),
    /// Of two.
    Two(fn(f64, f64) -> f64),
    /// Of three.
    Three(fn(f64, f64, f64) -> f64),
    /// Of a number and an integer.
    Integer(fn(f64, i64) -> f64),
}

impl Function {
    /// The result, rounded to the nearest number of a format. `integer` is the second operand
    /// as a signed number.
    pub(crate) fn call(self, arithmetic: Arithmetic, [x, y, z]: [f64; 3], integer: i64) -> u64 {
        arithmetic.nearest(match self {
            Self::One(function) => function(x),
            Self::Two(function) => function(x, y),
            Self::Three(function) => function(x, y, z),
            Self::Integer(function) => function(x, integer),
        })
    }
}
