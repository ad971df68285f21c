//! Products of vectors and matrices.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, FPEncoding, Op};

use super::super::operation::Operation;
use super::{check_encoding, encoding};
use crate::finding::{CheckResult, Finding, all, both, expect};
use crate::module::{Lookup, Module, Type};
use crate::pattern::{COOPERATIVE_MATRIX, FLOAT, Pattern};
use crate::rules::generated::arithmetic;

pub(super) fn check_dot(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&arithmetic::DOT_RESULT, FLOAT)?;
    let encoding = match encoding(m, o.result) {
        None => Ok(()),
        Some(FPEncoding::BFloat16KHR) if m.has(Capability::BFloat16DotProductKHR) => Ok(()),
        Some(FPEncoding::BFloat16KHR) => {
            let message = "OpDot of bfloat16 values needs the capability `BFloat16DotProductKHR`";
            Err(o.finding(&arithmetic::BFLOAT_DOT, message))
        }
        Some(_) => check_encoding(o, o.result),
    };
    let vectors = all((0..2).map(|index| {
        o.expect_operand(&arithmetic::DOT_OPERAND, index, FLOAT.vector())?;
        if m.component_type(o.ty(index)) != o.result {
            let wanted = "components of the result type";
            return Err(o.mismatch(&arithmetic::DOT_OPERAND, index, wanted));
        }
        Ok(())
    }));
    all([encoding, vectors])?;
    if !m.same_dimension(o.ty(0), o.ty(1)) {
        return Err(o.pair_finding(&arithmetic::DOT_OPERAND, "two vectors of the same size"));
    }
    Ok(())
}

/// `OpVectorTimesScalar` and `OpMatrixTimesScalar`.
pub(super) fn check_scaled(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let wanted = match o.op {
        Op::VectorTimesScalar => FLOAT.vector(),
        _ => SCALED_MATRIX,
    };
    o.expect_result(&arithmetic::PRODUCT_RESULT, wanted)?;
    all([
        check_encoding(o, o.result),
        o.expect_result_type(&arithmetic::SCALED, 0),
        expect(o.ty(1) == m.component_type(o.result), || {
            let wanted = "the type of the other operand's components";
            o.mismatch(&arithmetic::SCALE, 1, wanted)
        }),
    ])
}

const SCALED_MATRIX: Pattern = Pattern::either(&[FLOAT.matrix(), COOPERATIVE_MATRIX]);

/// A matrix's shape.
#[derive(Clone, Copy)]
struct Shape {
    column: Id,
    rows: u32,
    columns: u32,
}

fn shape(m: &Module<'_>, ty: Id) -> Shape {
    match m.ty(ty) {
        Type::Matrix { column, count } => Shape {
            column,
            rows: m.dimension(column),
            columns: count,
        },
        _ => Shape {
            column: ty,
            rows: 0,
            columns: 0,
        },
    }
}

/// The shape of the result, which is to be a matrix.
fn result_shape(o: &Operation<'_, '_, '_>) -> Result<Shape, Finding> {
    o.expect_result(&arithmetic::PRODUCT_RESULT, FLOAT.matrix())?;
    Ok(shape(o.m, o.result))
}

fn matrix_operand(o: &Operation<'_, '_, '_>, index: usize) -> Result<Shape, Finding> {
    o.expect_operand(&arithmetic::MATRIX_OPERAND, index, FLOAT.matrix())?;
    Ok(shape(o.m, o.ty(index)))
}

fn check_result_vector(o: &Operation<'_, '_, '_>) -> CheckResult {
    o.expect_result(&arithmetic::PRODUCT_RESULT, FLOAT.vector())?;
    check_encoding(o, o.result)
}

fn check_components_of_vector(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    o.expect_operand(&arithmetic::VECTOR_OPERAND, index, FLOAT.vector())?;
    check_components(o, index)
}

fn check_components(o: &Operation<'_, '_, '_>, index: usize) -> CheckResult {
    if o.m.component_type(o.ty(index)) != o.m.component_type(o.result) {
        return Err(o.mismatch(
            &arithmetic::PRODUCT_COMPONENTS,
            index,
            "components of the same type",
        ));
    }
    Ok(())
}

pub(super) fn check_vector_times_matrix(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result_vector(o)?;
    let vector = check_components_of_vector(o, 0);
    let matrix = matrix_operand(o, 1);
    let ((), matrix) = both(vector, matrix)?;
    let columns = check_components(o, 1).and_then(|()| {
        expect(matrix.columns == o.m.dimension(o.result), || {
            o.mismatch(
                &arithmetic::PRODUCT_SHAPE,
                1,
                "as many columns as the result has components",
            )
        })
    });
    let rows = expect(matrix.rows == o.m.dimension(o.ty(0)), || {
        o.mismatch(
            &arithmetic::PRODUCT_SHAPE,
            0,
            "as many components as the matrix has rows",
        )
    });
    all([columns, rows])
}

pub(super) fn check_matrix_times_vector(o: &Operation<'_, '_, '_>) -> CheckResult {
    check_result_vector(o)?;
    let matrix = matrix_operand(o, 0).and_then(|matrix| match matrix.column == o.result {
        true => Ok(matrix),
        false => Err(o.mismatch(&arithmetic::PRODUCT_SHAPE, 0, "columns of the result type")),
    });
    let (matrix, ()) = both(matrix, check_components_of_vector(o, 1))?;
    if matrix.columns != o.m.dimension(o.ty(1)) {
        return Err(o.mismatch(
            &arithmetic::PRODUCT_SHAPE,
            1,
            "as many components as the matrix has columns",
        ));
    }
    Ok(())
}

pub(super) fn check_matrix_times_matrix(o: &Operation<'_, '_, '_>) -> CheckResult {
    let result = result_shape(o)?;
    let operands = both(matrix_operand(o, 0), matrix_operand(o, 1));
    let ((), (left, right)) = both(check_encoding(o, o.result), operands)?;
    let columns = expect(left.column == result.column, || {
        o.mismatch(
            &arithmetic::PRODUCT_SHAPE,
            0,
            "the column type of the result",
        )
    });
    let rows = check_components(o, 1).and_then(|()| {
        expect(right.columns == result.columns, || {
            o.mismatch(
                &arithmetic::PRODUCT_SHAPE,
                1,
                "as many columns as the result",
            )
        })
    });
    all([columns, rows])?;
    if left.columns != right.rows {
        return Err(o.mismatch(
            &arithmetic::PRODUCT_SHAPE,
            1,
            "as many rows as the left operand has columns",
        ));
    }
    Ok(())
}

pub(super) fn check_outer_product(o: &Operation<'_, '_, '_>) -> CheckResult {
    let result = result_shape(o)?;
    let column = expect(o.ty(0) == result.column, || {
        let rule = match FLOAT.vector().matches(o.m, o.ty(0)) {
            true => &arithmetic::PRODUCT_SHAPE,
            false => &arithmetic::VECTOR_OPERAND,
        };
        o.mismatch(rule, 0, "the column type of the result")
    });
    let row = check_components_of_vector(o, 1).and_then(|()| {
        expect(o.m.dimension(o.ty(1)) == result.columns, || {
            o.mismatch(
                &arithmetic::PRODUCT_SHAPE,
                1,
                "as many components as the result has columns",
            )
        })
    });
    all([check_encoding(o, o.result), column, row])
}
