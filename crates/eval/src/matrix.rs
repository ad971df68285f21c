//! What multiplies vectors and matrices, and adds what that gives: one rounding an
//! operation, component by component, in order (section 3.32.13).

use alloc::vec::Vec;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::evaluator::Evaluation;
use crate::outcome::NotComputable;
use crate::scalar::{Scalar, ScalarType};
use crate::value::{MAX_PARTS, Value};

/// The most columns and rows of a matrix. The specification has no more than 4
/// (section 2.16.1).
const MAX_DIMENSION: u32 = 16;

type Vector = Vec<Scalar>;

impl Evaluation<'_> {
    /// `OpDot`.
    pub(crate) fn dot(
        &self,
        result_type: Id,
        first: &Value,
        second: &Value,
    ) -> Result<Value, NotComputable> {
        let Some(ty @ ScalarType::Float(_)) = self.types.scalar(result_type) else {
            return Err(NotComputable::ResultType(result_type));
        };
        let count = match (first, second) {
            (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() => a.len(),
            (Value::Composite(_), _) => return Err(NotComputable::Operand { index: 1 }),
            _ => return Err(NotComputable::Operand { index: 0 }),
        };
        if count as usize > MAX_PARTS {
            return Err(NotComputable::TooLarge);
        }
        self.spend(count as usize)?;
        let (a, b) = (self.vector(ty, first, 0)?, self.vector(ty, second, 1)?);
        self.sum_of_products(ty, a.into_iter().zip(b))
            .map(Value::Scalar)
    }

    /// A product in which a matrix takes part.
    pub(crate) fn product(
        &self,
        op: Op,
        result_type: Id,
        first: &Value,
        second: &Value,
    ) -> Result<Value, NotComputable> {
        let wrong = NotComputable::ResultType(result_type);
        let part = self.types.part(result_type, 0).ok_or(wrong)?;
        let innermost = self.types.part(part, 0).unwrap_or(part);
        let Some(ty @ ScalarType::Float(_)) = self.types.scalar(innermost) else {
            return Err(wrong);
        };
        match op {
            Op::VectorTimesMatrix => {
                let row = self.vector(ty, first, 0)?;
                let columns = self.columns(ty, second, 1)?;
                let components = columns.into_iter().map(|column| {
                    if column.len() != row.len() {
                        return Err(NotComputable::Operand { index: 1 });
                    }
                    self.sum_of_products(ty, row.iter().copied().zip(column))
                });
                let components = components.collect::<Result<_, _>>()?;
                self.vector_value(result_type, components)
            }
            Op::MatrixTimesVector => {
                let matrix = self.columns(ty, first, 0)?;
                let vector = self.vector(ty, second, 1)?;
                let components = self.rows_times(ty, &matrix, &vector)?;
                self.vector_value(result_type, components)
            }
            Op::MatrixTimesMatrix => {
                let matrix = self.columns(ty, first, 0)?;
                let columns = self.columns(ty, second, 1)?;
                let columns = columns.iter().map(|it| self.rows_times(ty, &matrix, it));
                self.matrix_value(result_type, part, columns)
            }
            Op::MatrixTimesScalar => {
                let columns = self.columns(ty, first, 0)?;
                let factor = self.scalar(ty, second, 1)?;
                let columns = columns.iter().map(|it| self.times_scalar(ty, it, factor));
                self.matrix_value(result_type, part, columns)
            }
            _ => {
                let column = self.vector(ty, first, 0)?;
                let row = self.vector(ty, second, 1)?;
                let columns = row.into_iter().map(|it| self.times_scalar(ty, &column, it));
                self.matrix_value(result_type, part, columns)
            }
        }
    }

    /// The components of a vector.
    fn vector(
        &self,
        ty: ScalarType,
        vector: &Value,
        index: usize,
    ) -> Result<Vector, NotComputable> {
        let Value::Composite(vector) = vector else {
            return Err(NotComputable::Operand { index });
        };
        if vector.len() as usize > MAX_PARTS {
            return Err(NotComputable::TooLarge);
        }
        let components = vector.parts().map(|part| self.scalar(ty, part, index));
        components.collect()
    }

    /// The columns of a matrix.
    fn columns(
        &self,
        ty: ScalarType,
        matrix: &Value,
        index: usize,
    ) -> Result<Vec<Vector>, NotComputable> {
        let Value::Composite(matrix) = matrix else {
            return Err(NotComputable::Operand { index });
        };
        let is_small = |part: &Value| match part {
            Value::Composite(column) => column.len() <= MAX_DIMENSION,
            _ => true,
        };
        if matrix.len() > MAX_DIMENSION || !matrix.parts().all(is_small) {
            return Err(NotComputable::TooLarge);
        }
        let columns = matrix.parts().map(|part| self.vector(ty, part, index));
        columns.collect()
    }

    fn vector_value(&self, ty: Id, components: Vector) -> Result<Value, NotComputable> {
        if self.types.count(ty) != u32::try_from(components.len()).ok() {
            return Err(NotComputable::ResultType(ty));
        }
        self.made_of(components.into_iter().map(Value::Scalar).collect())
    }

    fn matrix_value(
        &self,
        ty: Id,
        column_type: Id,
        columns: impl Iterator<Item = Result<Vector, NotComputable>>,
    ) -> Result<Value, NotComputable> {
        let limit = self.types.count(ty).filter(|&it| it <= MAX_DIMENSION);
        let limit = limit.ok_or(NotComputable::TooLarge)? as usize;
        // One more than there should be would be seen.
        let columns = columns.take(limit + 1);
        let columns = columns.map(|column| self.vector_value(column_type, column?));
        let columns: Vec<Value> = columns.collect::<Result<_, _>>()?;
        if columns.len() != limit {
            return Err(NotComputable::ResultType(ty));
        }
        self.made_of(columns)
    }

    /// The products of a matrix' rows and a vector.
    fn rows_times(
        &self,
        ty: ScalarType,
        columns: &[Vector],
        vector: &[Scalar],
    ) -> Result<Vector, NotComputable> {
        let rows = columns.first().map_or(0, Vec::len);
        if columns.len() != vector.len() || columns.iter().any(|it| it.len() != rows) {
            return Err(NotComputable::Operand { index: 1 });
        }
        let components = (0..rows).map(|row| {
            let parts = columns.iter().filter_map(|column| column.get(row).copied());
            self.sum_of_products(ty, parts.zip(vector.iter().copied()))
        });
        components.collect()
    }

    fn times_scalar(
        &self,
        ty: ScalarType,
        vector: &[Scalar],
        factor: Scalar,
    ) -> Result<Vector, NotComputable> {
        let components = vector.iter();
        components
            .map(|&component| self.scalars(Op::FMul, ty, &[component, factor]))
            .collect()
    }

    fn sum_of_products(
        &self,
        ty: ScalarType,
        pairs: impl Iterator<Item = (Scalar, Scalar)>,
    ) -> Result<Scalar, NotComputable> {
        let mut sum = None;
        for (a, b) in pairs {
            let product = self.scalars(Op::FMul, ty, &[a, b])?;
            sum = Some(match sum {
                None => product,
                Some(sum) => self.scalars(Op::FAdd, ty, &[sum, product])?,
            });
        }
        Ok(sum.unwrap_or(Scalar::zero(ty)))
    }
}
