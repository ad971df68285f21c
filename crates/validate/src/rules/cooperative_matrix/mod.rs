//! Cooperative matrices (`SPV_KHR_cooperative_matrix` and its extensions,
//! `SPV_NV_cooperative_matrix`).

mod access;
mod functions;
mod shapes;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Family;
use super::operation::{Operation, check_values};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{I32, Pattern, U32};
use crate::rules::generated::cooperative_matrix;

pub(super) use shapes::{Use, check_conversion, check_same_shape, check_use_conversion};

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::CooperativeMatrixLoadKHR,
        Op::CooperativeMatrixStoreKHR,
        Op::CooperativeMatrixMulAddKHR,
        Op::CooperativeMatrixLengthKHR,
        Op::CooperativeMatrixLoadNV,
        Op::CooperativeMatrixStoreNV,
        Op::CooperativeMatrixMulAddNV,
        Op::CooperativeMatrixLengthNV,
        Op::CooperativeMatrixGetCoordinateEXT,
        Op::CooperativeMatrixReduceEXT,
        Op::CooperativeMatrixPerElementOpEXT,
        Op::CooperativeMatrixLoadTensorNV,
        Op::CooperativeMatrixStoreTensorNV,
    ],
    check,
    check_module: None,
};

/// Of the later extension.
const KHR_MATRIX: Pattern = Pattern::declared_by(
    Op::TypeCooperativeMatrixKHR,
    "a cooperative matrix of SPV_KHR_cooperative_matrix",
);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV => {
            check_length(&Operation::of(at))
        }
        Op::CooperativeMatrixGetCoordinateEXT => check_values(at, check_coordinate),
        Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV => {
            check_mul_add(&Operation::of(at))
        }
        Op::CooperativeMatrixReduceEXT => functions::check_reduce(&Operation::of(at)),
        Op::CooperativeMatrixPerElementOpEXT => functions::check_per_element(&Operation::of(at)),
        Op::CooperativeMatrixLoadTensorNV | Op::CooperativeMatrixStoreTensorNV => {
            access::check_tensor(&Operation::of(at))
        }
        _ => access::check(&Operation::of(at)),
    }
}

fn check_length(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    o.expect_result(&cooperative_matrix::LENGTH_RESULT, U32)?;
    let ty = o.id(0);
    let is_fine = match m.ty(ty) {
        Type::CooperativeMatrix(_) => o.op == Op::CooperativeMatrixLengthKHR,
        Type::CooperativeMatrixNv(_) => o.op == Op::CooperativeMatrixLengthNV,
        _ => m.def_offset(ty) == 0,
    };
    if !is_fine {
        let message = format!(
            "{} needs a cooperative matrix type of its own extension, but has {}",
            o.op,
            m.show_type(ty)
        );
        let finding = o.finding(&cooperative_matrix::LENGTH_TYPE, message);
        return Err(finding.about(m, ty, "it is declared here"));
    }
    Ok(())
}

fn check_coordinate(o: &Operation<'_, '_, '_>) -> CheckResult {
    let integer = I32;
    o.expect_result(&cooperative_matrix::COORDINATE, integer.vector_of(&[2]))?;
    o.expect_operand(&cooperative_matrix::COORDINATE, 0, KHR_MATRIX)?;
    o.expect_operand(&cooperative_matrix::COORDINATE, 1, integer)
}

fn check_mul_add(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let is_khr = o.op == Op::CooperativeMatrixMulAddKHR;
    let matrix = |ty: Id, wanted: Use| match m.ty(ty) {
        Type::CooperativeMatrix(matrix) if is_khr => {
            let fits = Use::of(m, &matrix).is_none_or(|found| found == wanted);
            fits.then_some(matrix)
        }
        Type::CooperativeMatrixNv(matrix) if !is_khr => Some(matrix),
        _ => None,
    };
    let Some(result) = matrix(o.result, Use::Accumulator) else {
        return Err(o.result_finding(
            &cooperative_matrix::FACTOR,
            "a cooperative matrix with the use `MatrixAccumulator`",
        ));
    };
    let uses = [
        (Use::A, "a cooperative matrix with the use `MatrixA`"),
        (Use::B, "a cooperative matrix with the use `MatrixB`"),
        (
            Use::Accumulator,
            "a cooperative matrix with the use `MatrixAccumulator`",
        ),
    ];
    let mut factors = [result; 3];
    for (index, (wanted, text)) in uses.into_iter().enumerate() {
        match matrix(o.ty(index), wanted) {
            Some(found) => factors[index] = found,
            None if m.type_of(o.id(index)).is_none() => return Ok(()),
            None => return Err(o.operand_finding(&cooperative_matrix::FACTOR, index, text)),
        }
    }
    let [a, b, c] = factors;
    let pairs = [
        (a.scope, result.scope, "the scopes of A and the result"),
        (b.scope, result.scope, "the scopes of B and the result"),
        (c.scope, result.scope, "the scopes of C and the result"),
        (a.rows, result.rows, "the rows of A and of the result"),
        (
            b.columns,
            result.columns,
            "the columns of B and of the result",
        ),
        (a.columns, b.rows, "the columns of A and the rows of B"),
        (c.rows, result.rows, "the rows of C and of the result"),
        (
            c.columns,
            result.columns,
            "the columns of C and of the result",
        ),
    ];
    all(pairs.into_iter().map(|(first, second, what)| {
        if let Some((first, second)) = shapes::different(m, first, second) {
            let message = format!(
                "{what} must be the same in {}, but are {first} and {second}",
                o.op
            );
            return Err(o.finding(&cooperative_matrix::PRODUCT_SHAPE, message));
        }
        Ok(())
    }))
}
