//! Vectors that an instruction takes as a whole.

use crate::environment::Environment;
use crate::float::Arithmetic;
use crate::math::{Norm, difference_of_products};
use crate::outcome::{NotComputable, Reason};
use crate::scalar::{Scalar, ScalarType};
use crate::signature::defined;

/// Vectors of numbers of one format.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<'v> {
    operands: &'v [&'v [Scalar]],
    ty: ScalarType,
    arithmetic: Arithmetic,
}

impl<'v> Vectors<'v> {
    /// So many vectors of numbers of this type, all with as many components.
    pub(crate) fn new(
        operands: &'v [&'v [Scalar]],
        count: usize,
        ty: ScalarType,
        environment: &Environment,
    ) -> Result<Self, NotComputable> {
        let ScalarType::Float(format) = ty else {
            return Err(NotComputable::ResultScalar(ty));
        };
        let found = operands.len();
        let size = operands.first().map_or(0, |first| first.len());
        if found != count || size == 0 {
            return Err(NotComputable::OperandCount { found });
        }
        let fits = |vector: &&[Scalar]| {
            vector.len() == size && vector.iter().all(|component| component.ty() == ty)
        };
        match operands.iter().position(|vector| !fits(vector)) {
            Some(index) => Err(NotComputable::Operand { index }),
            None => Ok(Self {
                operands,
                ty,
                arithmetic: Arithmetic::new(format, environment)?,
            }),
        }
    }

    /// The number of components of each.
    pub(crate) fn size(&self) -> usize {
        self.operands.first().map_or(0, |first| first.len())
    }

    /// A component of a vector.
    pub(crate) fn number(&self, operand: usize, component: usize) -> f64 {
        let scalar = self.operands.get(operand).and_then(|it| it.get(component));
        scalar.map_or(0.0, |scalar| self.arithmetic.number(scalar.bits()))
    }

    /// The components of a vector.
    pub(crate) fn numbers(self, operand: usize) -> impl ExactSizeIterator<Item = f64> + Clone {
        (0..self.size()).map(move |component| self.number(operand, component))
    }

    /// The components of two vectors.
    pub(crate) fn pairs(
        self,
        first: usize,
        second: usize,
    ) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.numbers(first).zip(self.numbers(second))
    }

    /// Rounds the components of the result, so many, to nearest. Returns why it is
    /// undefined, if it is.
    pub(crate) fn store(
        &self,
        results: &mut [Scalar],
        count: usize,
        components: impl Iterator<Item = f64>,
    ) -> Result<Option<Reason>, NotComputable> {
        expect_results(results, count)?;
        let scalars = self.operands.iter().copied().flatten();
        let mut reason = scalars
            .map(|it| it.bits())
            .find_map(|bits| self.arithmetic.undefined(bits));
        for (result, component) in results.iter_mut().zip(components) {
            let bits = defined(self.arithmetic.nearest(component));
            let outcome = self.arithmetic.in_mode(&[], bits);
            reason = reason.or(outcome.undefined());
            *result = Scalar::new(self.ty, outcome.common());
        }
        Ok(reason)
    }

    /// Stores the length of the only vector, or the distance between two.
    pub(crate) fn store_length(
        &self,
        results: &mut [Scalar],
    ) -> Result<Option<Reason>, NotComputable> {
        let norm = match self.operands.len() {
            1 => Norm::of(self.numbers(0)),
            _ => Norm::of(self.pairs(0, 1).map(|(x, y)| x - y)),
        };
        self.store(results, 1, [norm.length()].into_iter())
    }

    /// The components of the cross product of vectors whose first three components count.
    pub(crate) fn cross(self) -> impl Iterator<Item = f64> {
        (0..3).map(move |index| {
            let (next, last) = ((index + 1) % 3, (index + 2) % 3);
            let product = |x, y| [self.number(0, x), self.number(1, y)];
            difference_of_products(product(next, last), product(last, next))
        })
    }
}

/// Checks that there is room for so many components.
pub(crate) fn expect_results(results: &[Scalar], count: usize) -> Result<(), NotComputable> {
    let found = results.len();
    match found == count {
        true => Ok(()),
        false => Err(NotComputable::ResultCount { found }),
    }
}
