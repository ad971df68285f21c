//! Determinants and inverses.

use super::geometry::difference_of_products;

/// The most columns there may be.
pub(crate) const MAX_COLUMNS: usize = 4;

/// A square matrix of at most [`MAX_COLUMNS`], column by column.
#[derive(Clone, Copy)]
pub(crate) struct Square {
    parts: [f64; MAX_COLUMNS * MAX_COLUMNS],
    columns: usize,
}

impl Square {
    /// The matrix with these components, column by column; `None` if they make none.
    pub(crate) fn new(components: impl ExactSizeIterator<Item = f64>) -> Option<Self> {
        let columns = (1..=MAX_COLUMNS).find(|it| it * it == components.len())?;
        let mut parts = [0.0; MAX_COLUMNS * MAX_COLUMNS];
        for (part, component) in parts.iter_mut().zip(components) {
            *part = component;
        }
        Some(Self { parts, columns })
    }

    fn at(&self, column: usize, row: usize) -> f64 {
        self.parts[column * self.columns + row]
    }

    /// The matrix without a column and a row.
    fn without(&self, column: usize, row: usize) -> Self {
        let mut smaller = Self {
            parts: [0.0; MAX_COLUMNS * MAX_COLUMNS],
            columns: self.columns - 1,
        };
        let kept = |removed| (0..self.columns).filter(move |it| *it != removed);
        let components = kept(column).flat_map(|column| kept(row).map(move |row| (column, row)));
        for (part, (column, row)) in smaller.parts.iter_mut().zip(components) {
            *part = self.at(column, row);
        }
        smaller
    }

    /// The determinant, by the components of the first column.
    pub(crate) fn determinant(&self) -> f64 {
        match self.columns {
            0 => 1.0,
            1 => self.at(0, 0),
            2 => {
                let [main, other] = [[(0, 0), (1, 1)], [(1, 0), (0, 1)]]
                    .map(|places| places.map(|(column, row)| self.at(column, row)));
                difference_of_products(main, other)
            }
            // At most twice within itself.
            columns => (0..columns)
                .map(|row| self.at(0, row) * self.cofactor(0, row))
                .sum(),
        }
    }

    /// The determinant of what is left without a column and a row, with the sign of the place.
    fn cofactor(&self, column: usize, row: usize) -> f64 {
        let minor = self.without(column, row).determinant();
        match (column + row) % 2 {
            0 => minor,
            _ => -minor,
        }
    }

    /// The components of the inverse for this determinant, column by column.
    pub(crate) fn inverse(&self, determinant: f64) -> impl Iterator<Item = f64> + '_ {
        let places =
            (0..self.columns * self.columns).map(|it| (it / self.columns, it % self.columns));
        places.map(move |(column, row)| self.cofactor(row, column) / determinant)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::Square;

    #[test]
    fn inverses() {
        let matrices: [&[f64]; 4] = [
            &[-4.0],
            &[1.0, 2.0, 3.0, 4.0],
            &[2.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 3.0, 1.0],
            &[
                1.0, 2.0, 0.0, 1.0, 0.0, 1.0, 3.0, 0.0, 2.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 2.0,
            ],
        ];
        // By hand, and of the last by elimination.
        for (components, determinant) in matrices.into_iter().zip([-4.0, -2.0, 5.0, 16.0]) {
            let matrix = Square::new(components.iter().copied()).unwrap();
            assert_eq!(matrix.determinant(), determinant);
            let inverse: Vec<f64> = matrix.inverse(determinant).collect();
            let n = matrix.columns;
            for (column, row) in (0..n * n).map(|it| (it / n, it % n)) {
                let product: f64 = (0..n)
                    .map(|k| components[k * n + row] * inverse[column * n + k])
                    .sum();
                let expected = if column == row { 1.0 } else { 0.0 };
                assert!(
                    (product - expected).abs() < 1e-15,
                    "{components:?} {column} {row}: {product}"
                );
            }
        }
        assert!(Square::new([1.0; 5].into_iter()).is_none());
    }
}
