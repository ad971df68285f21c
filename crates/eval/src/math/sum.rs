//! Sums of products without the loss of digits that cancel.

/// A sum, and what was lost to rounding on the way.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// The sum of the products of pairs.
    pub(super) fn of_products(pairs: impl Iterator<Item = (f64, f64)>) -> Self {
        pairs.fold(Self::default(), |sum, (x, y)| sum.plus_product(x, y))
    }

    fn plus_product(self, x: f64, y: f64) -> Self {
        let product = x * y;
        let sum = self.sum + product;
        // What the additions of Knuth and a fused multiplication tell of their rounding.
        let rounded = sum - self.sum;
        let of_sum = (self.sum - (sum - rounded)) + (product - rounded);
        let of_product = libm::fma(x, y, -product);
        Self {
            sum,
            lost: self.lost + (of_sum + of_product),
        }
    }

    pub(super) fn value(self) -> f64 {
        // Nothing is lost of an infinity or a NaN.
        match self.sum.is_finite() {
            true => self.sum + self.lost,
            false => self.sum,
        }
    }

    /// The square root of a sum that is finite and isn't zero.
    pub(super) fn root(self) -> f64 {
        let root = libm::sqrt(self.sum);
        let rest = -libm::fma(root, root, -self.sum) + self.lost;
        root + rest / (2.0 * root)
    }
}
