//! Functions that take a number apart, exactly.

/// The fraction and the whole number, both with the sign of their sum.
pub(crate) fn modf(x: f64) -> [f64; 2] {
    let whole = libm::trunc(x);
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    [fraction.copysign(x), whole]
}

/// The significand, from one half to one, and the exponent; 0 for what has none.
pub(crate) fn frexp(x: f64) -> (f64, i32) {
    match x.is_finite() && x != 0.0 {
        true => libm::frexp(x),
        false => (x, 0),
    }
}

/// The remainder of division by the nearest whole quotient, and the last seven bits of that,
/// with its sign.
pub(crate) fn remquo(x: f64, y: f64) -> (f64, i32) {
    let (remainder, quotient) = libm::remquo(x, y);
    match remainder.is_nan() {
        true => (remainder, 0),
        false => (remainder, quotient % 128),
    }
}
