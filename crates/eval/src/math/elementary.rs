//! Functions of one to three numbers that are not `libm`'s.

use core::f64::consts::PI;

/// The reciprocal of the square root.
pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / libm::sqrt(x)
}

/// A power of 10; `libm`'s own is up to three units off.
pub(crate) fn exp10(x: f64) -> f64 {
    libm::pow(10.0, x)
}

/// Degrees as radians.
pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

/// Radians as degrees.
pub(crate) fn degrees(radians: f64) -> f64 {
    radians * (180.0 / PI)
}

/// A part of a half turn as quarter turns from the nearest multiple of a quarter, and that
/// multiple, from 0 to 3. Both are exact.
fn quarters(half_turns: f64) -> (f64, u8) {
    let turn = libm::fmod(half_turns.abs(), 2.0);
    let nearest = libm::rint(turn * 2.0);
    // Four quarters are none.
    (turn - nearest / 2.0, nearest as u8 & 3)
}

/// A part of a half turn in radians, and what is missing of it.
fn in_radians(part: f64) -> (f64, f64) {
    /// What π has beyond its 53 bits.
    const REST: f64 = 1.224_646_799_147_353_2e-16;
    let angle = part * PI;
    (angle, libm::fma(part, PI, -angle) + part * REST)
}

/// The sine and cosine of at most a quarter of a half turn.
fn of_half_turns(part: f64) -> (f64, f64) {
    let (angle, rest) = in_radians(part);
    let (sine, cosine) = libm::sincos(angle);
    (sine + cosine * rest, cosine - sine * rest)
}

/// `sin(πx)`.
pub(crate) fn sinpi(x: f64) -> f64 {
    let (part, quarter) = quarters(x);
    let (sine, cosine) = of_half_turns(part);
    let sine = match quarter {
        0 => sine,
        1 => cosine,
        2 => -sine,
        _ => -cosine,
    };
    // Of an integer, zero has the integer's sign.
    let sine = if sine == 0.0 { 0.0 } else { sine };
    if x.is_sign_negative() { -sine } else { sine }
}

/// `cos(πx)`.
pub(crate) fn cospi(x: f64) -> f64 {
    let (part, quarter) = quarters(x);
    let (sine, cosine) = of_half_turns(part);
    let cosine = match quarter {
        0 => cosine,
        1 => -sine,
        2 => -cosine,
        _ => sine,
    };
    // A zero is positive.
    cosine + 0.0
}

/// `tan(πx)`.
pub(crate) fn tanpi(x: f64) -> f64 {
    let (part, quarter) = quarters(x);
    let (angle, rest) = in_radians(part);
    let tangent = libm::tan(angle);
    let tangent = tangent + rest * (1.0 + tangent * tangent);
    let tangent = match (quarter, part == 0.0) {
        (0, true) => 0.0,
        (1, true) => f64::INFINITY,
        (2, true) => -0.0,
        (3, true) => f64::NEG_INFINITY,
        (0 | 2, false) => tangent,
        _ => -1.0 / tangent,
    };
    if x.is_sign_negative() {
        -tangent
    } else {
        tangent
    }
}

/// The arc sine as part of a half turn.
pub(crate) fn asinpi(x: f64) -> f64 {
    libm::asin(x) / PI
}

/// The arc cosine as part of a half turn.
pub(crate) fn acospi(x: f64) -> f64 {
    libm::acos(x) / PI
}

/// The arc tangent as part of a half turn.
pub(crate) fn atanpi(x: f64) -> f64 {
    libm::atan(x) / PI
}

/// The angle of a vector as part of a half turn.
pub(crate) fn atan2pi(y: f64, x: f64) -> f64 {
    libm::atan2(y, x) / PI
}

/// A power of a number that isn't negative.
pub(crate) fn powr(x: f64, y: f64) -> f64 {
    let is_undefined = match (x == 0.0 || x == f64::INFINITY, y == 0.0) {
        (true, true) => true,
        _ => x < 0.0 || x == 1.0 && y.is_infinite() || x.is_nan() || y.is_nan(),
    };
    match is_undefined {
        true => f64::NAN,
        false => libm::pow(x.abs(), y),
    }
}

/// The `n`th root.
pub(crate) fn rootn(x: f64, n: i64) -> f64 {
    let is_odd = n & 1 == 1;
    if n == 0 || x < 0.0 && !is_odd {
        return f64::NAN;
    }
    let root = positive_root(x.abs(), n.unsigned_abs());
    let root = if n < 0 { 1.0 / root } else { root };
    match is_odd {
        true => root.copysign(x),
        false => root,
    }
}

/// The `n`th root of a positive number.
fn positive_root(x: f64, n: u64) -> f64 {
    /// From here on, the error of a power by the rounded reciprocal is below one unit.
    const LARGE: u64 = 512;
    if n >= LARGE || x == 0.0 || !x.is_finite() {
        return libm::pow(x, 1.0 / n as f64);
    }
    // Without the powers of two of which the root is one itself, all is far from the
    // greatest number.
    let (fraction, exponent) = libm::frexp(x);
    let (power, rest) = (exponent.div_euclid(n as i32), exponent.rem_euclid(n as i32));
    let x = libm::scalbn(fraction, rest);
    let n = n as f64;
    let root = libm::pow(x, 1.0 / n);
    // One of Newton's steps.
    let root = root - root * ((libm::pow(root, n) / x - 1.0) / n);
    libm::scalbn(root, power)
}

/// The exponent, as a number.
pub(crate) fn logb(x: f64) -> f64 {
    match x == 0.0 || !x.is_finite() {
        true if x == 0.0 => f64::NEG_INFINITY,
        true => x.abs(),
        false => libm::ilogb(x).into(),
    }
}

/// The sign of the gamma function; 0 at its poles.
pub(crate) fn lgamma_sign(x: f64) -> i32 {
    match x.is_finite() && x <= 0.0 && x == libm::floor(x) {
        true => 0,
        false => libm::lgamma_r(x).1,
    }
}

/// From 0 at the first edge to 1 at the second, smoothly.
pub(crate) fn smooth_step(edge0: f64, edge1: f64, x: f64) -> f64 {
    let t = (x - edge0) / (edge1 - edge0);
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the OpenCL environment says of special operands (section 8.5.1, "Additional
    /// Requirements Beyond ISO/IEC 9899:TC2").
    #[test]
    fn parts_of_half_turns() {
        let bits = f64::to_bits;
        for (function, cases) in [
            (
                sinpi as fn(f64) -> f64,
                [
                    (0.0, 0.0),
                    (-0.0, -0.0),
                    (3.0, 0.0),
                    (-4.0, -0.0),
                    (0.5, 1.0),
                    (1.5, -1.0),
                ],
            ),
            (
                cospi,
                [
                    (0.0, 1.0),
                    (-0.0, 1.0),
                    (0.5, 0.0),
                    (-1.5, 0.0),
                    (1.0, -1.0),
                    (-2.0, 1.0),
                ],
            ),
            (
                tanpi,
                [
                    (2.0, 0.0),
                    (-2.0, -0.0),
                    (1.0, -0.0),
                    (-1.0, 0.0),
                    (0.5, f64::INFINITY),
                    (-0.5, f64::NEG_INFINITY),
                ],
            ),
            (
                tanpi,
                [
                    (1.5, f64::NEG_INFINITY),
                    (-1.5, f64::INFINITY),
                    (0.0, 0.0),
                    (-0.0, -0.0),
                    (4.0, 0.0),
                    (-3.0, 0.0),
                ],
            ),
            (
                atanpi,
                [
                    (0.0, 0.0),
                    (-0.0, -0.0),
                    (f64::INFINITY, 0.5),
                    (f64::NEG_INFINITY, -0.5),
                    (1.0, 0.25),
                    (-1.0, -0.25),
                ],
            ),
        ] {
            for (x, expected) in cases {
                assert_eq!(bits(function(x)), bits(expected), "{x}");
            }
        }
        let (zero, most) = (0.0f64, f64::INFINITY);
        for (y, x, expected) in [
            (zero, -zero, 1.0),
            (zero, zero, 0.0),
            (zero, -1.0, 1.0),
            (-1.0, zero, -0.5),
            (1.0, -most, 1.0),
            (1.0, most, 0.0),
            (most, 1.0, 0.5),
            (most, -most, 0.75),
            (most, most, 0.25),
        ] {
            assert_eq!(bits(atan2pi(y, x)), bits(expected), "{y} {x}");
            assert_eq!(bits(atan2pi(-y, x)), bits(-expected), "{y} {x}");
        }
        assert!(sinpi(most).is_nan() && cospi(most).is_nan() && tanpi(most).is_nan());
        assert_eq!((acospi(1.0), acospi(-1.0), asinpi(1.0)), (0.0, 1.0, 0.5));
    }
}
