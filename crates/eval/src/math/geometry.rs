//! Vectors of any length, component by component, without room for intermediate ones.

use super::sum::Sum;

/// The dot product of two vectors, given as pairs of components.
pub(crate) fn dot(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    Sum::of_products(pairs).value()
}

/// `ab - cd`, a component of a cross product.
pub(crate) fn difference_of_products([a, b]: [f64; 2], [c, d]: [f64; 2]) -> f64 {
    dot([(a, b), (-c, d)].into_iter())
}

/// The length of a vector, as a number that neither overflows nor underflows and a power of
/// two.
#[derive(Clone, Copy)]
pub(crate) struct Norm {
    root: f64,
    exponent: i32,
}

impl Norm {
    pub(crate) fn of(vector: impl Iterator<Item = f64> + Clone) -> Self {
        let greatest = vector.clone().fold(0.0, greater);
        if greatest == 0.0 || !greatest.is_finite() {
            return Self {
                root: greatest,
                exponent: 0,
            };
        }
        let exponent = libm::ilogb(greatest);
        let squares = vector.map(|x| libm::scalbn(x, -exponent)).map(|x| (x, x));
        Self {
            root: Sum::of_products(squares).root(),
            exponent,
        }
    }

    pub(crate) fn length(self) -> f64 {
        libm::scalbn(self.root, self.exponent)
    }

    /// A component of the vector of the same direction whose length is 1.
    pub(crate) fn unit(self, component: f64) -> f64 {
        libm::scalbn(component, -self.exponent) / self.root
    }
}

/// The greater magnitude; NaN if one is.
fn greater(most: f64, x: f64) -> f64 {
    match most.is_nan() || x.abs() <= most {
        true => most,
        false => x.abs(),
    }
}

/// By how much of the normal a refracted vector differs from the incident one times
/// `ratio`, for the dot product of both; `None` if all is reflected.
pub(crate) fn refraction(dot: f64, ratio: f64) -> Option<f64> {
    let k = 1.0 - ratio * ratio * (1.0 - dot * dot);
    match k < 0.0 {
        true => None,
        false => Some(ratio * dot + libm::sqrt(k)),
    }
}
