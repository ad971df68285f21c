//! Functions applied to cooperative matrices: reductions and per-element
//! operations.

use spirvkit_binary::Id;
use spirvkit_grammar::{CooperativeMatrixReduce, Op};

use super::super::operation::Operation;
use super::shapes::{Use, different};
use crate::finding::{CheckResult, Finding, all, both, expect};
use crate::module::{CooperativeMatrix, Lookup, Type};
use crate::pattern::I32;
use crate::rules::generated::cooperative_matrix;

pub(super) fn check_reduce(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    if m.type_of(o.id(0)).is_none() {
        return Ok(());
    }
    let accumulator = |ty: Id| match m.ty(ty) {
        Type::CooperativeMatrix(matrix) => {
            let fits = Use::of(m, &matrix).is_none_or(|found| found == Use::Accumulator);
            fits.then_some(matrix)
        }
        _ => None,
    };
    let wanted = "a cooperative matrix with the use `MatrixAccumulator`";
    let to = accumulator(o.result)
        .ok_or_else(|| o.result_finding(&cooperative_matrix::REDUCE_MATRIX, wanted));
    let from = accumulator(o.ty(0))
        .ok_or_else(|| o.operand_finding(&cooperative_matrix::REDUCE_MATRIX, 0, wanted));
    let function = match &to {
        Ok(to) => check_combining(o, to.component),
        Err(_) => Ok(()),
    };
    let matrices = both(to, from).and_then(|(to, from)| {
        let is_like =
            from.component == to.component && different(m, from.scope, to.scope).is_none();
        let alike = expect(is_like, || {
            o.mismatch(
                &cooperative_matrix::REDUCE_MATRIX,
                0,
                "the scope and component type of the result",
            )
        });
        all([alike, check_reduced_shape(o, &from, &to)])
    });
    all([matrices, check_reduction(o), function])
}

/// Whether a reduction combines rows and columns.
const BOTH: CooperativeMatrixReduce =
    CooperativeMatrixReduce(CooperativeMatrixReduce::Row.0 | CooperativeMatrixReduce::Column.0);

/// Checks what a reduction combines.
fn check_reduction(o: &Operation<'_, '_, '_>) -> CheckResult {
    let mask = CooperativeMatrixReduce(o.arg(1));
    let is_known = matches!(
        mask,
        CooperativeMatrixReduce::Row
            | CooperativeMatrixReduce::Column
            | BOTH
            | CooperativeMatrixReduce::CooperativeMatrixReduce2x2
    );
    expect(is_known, || {
        let message = format!(
            "{} must combine `Row`, `Column`, both or `2x2`, but has `{mask}`",
            o.op
        );
        o.finding(&cooperative_matrix::REDUCE_MASK, message)
    })
}

/// Checks the rows and columns that a reduction leaves.
fn check_reduced_shape(
    o: &Operation<'_, '_, '_>,
    from: &CooperativeMatrix,
    to: &CooperativeMatrix,
) -> CheckResult {
    let m = o.m;
    let is_half = |old: Id, new: Id| match (m.constant_u64(old), m.constant_u64(new)) {
        (Some(old), Some(new)) => new.checked_mul(2) == Some(old),
        _ => true,
    };
    let (fits, wanted) = match CooperativeMatrixReduce(o.arg(1)) {
        CooperativeMatrixReduce::Row => (
            different(m, from.rows, to.rows).is_none(),
            "as many rows as the result",
        ),
        CooperativeMatrixReduce::Column => (
            different(m, from.columns, to.columns).is_none(),
            "as many columns as the result",
        ),
        CooperativeMatrixReduce::CooperativeMatrixReduce2x2 => (
            is_half(from.rows, to.rows) && is_half(from.columns, to.columns),
            "twice the rows and columns of the result",
        ),
        _ => return Ok(()),
    };
    expect(fits, || {
        o.mismatch(&cooperative_matrix::REDUCE_SHAPE, 0, wanted)
    })
}

/// Checks that a reduction has a function that makes one component of two.
fn check_combining(o: &Operation<'_, '_, '_>, component: Id) -> CheckResult {
    let m = o.m;
    let Some(def) = m.def(o.id(2)) else {
        return Ok(());
    };
    let is_fine = def.op() == Op::Function
        && match m.ty(def.id(1)) {
            Type::Function { result, parameters } => {
                result == component && parameters == [component.0; 2]
            }
            _ => false,
        };
    expect(is_fine, || {
        let message = format!(
            "the function of {} must combine two values of type {} into one, but {} does not",
            o.op,
            m.show_type(component),
            m.name(o.id(2))
        );
        let finding = o.finding(&cooperative_matrix::REDUCE_FUNCTION, message);
        finding.about(m, o.id(2), "it is defined here")
    })
}

pub(super) fn check_per_element(o: &Operation<'_, '_, '_>) -> CheckResult {
    let m = o.m;
    let further = o.args.get(2..).unwrap_or_default();
    if m.type_of(o.id(0)).is_none() || further.iter().any(|&id| m.type_of(Id(id)).is_none()) {
        return Ok(());
    }
    let Type::CooperativeMatrix(matrix) = m.ty(o.result) else {
        return Err(o.result_finding(&cooperative_matrix::ELEMENT_MATRIX, "a cooperative matrix"));
    };
    let operand = expect(o.ty(0) == o.result, || {
        o.mismatch(&cooperative_matrix::ELEMENT_MATRIX, 0, "the result type")
    });
    let components = (2..o.args.len()).map(|index| component_of(o, index, &matrix));
    let components: Vec<Result<Id, Finding>> = components.collect();
    let function = check_element_function(o, matrix.component, &components);
    let further = components.into_iter().map(|component| component.map(drop));
    all([operand, all(further), function])
}

/// What the function of a per-element operation is given of a further operand: of a
/// matrix the component.
fn component_of(
    o: &Operation<'_, '_, '_>,
    index: usize,
    matrix: &CooperativeMatrix,
) -> Result<Id, Finding> {
    let m = o.m;
    let ty = o.ty(index);
    let other = match m.ty(ty) {
        Type::CooperativeMatrix(other) => other,
        Type::CooperativeMatrixNv(_) => {
            let wanted = "the same kind of cooperative matrix type as the result";
            return Err(o.mismatch(&cooperative_matrix::ELEMENT_MATRIX, index, wanted));
        }
        _ => return Ok(ty),
    };
    let is_other = different(m, other.scope, matrix.scope).is_some()
        || different(m, other.rows, matrix.rows).is_some()
        || different(m, other.columns, matrix.columns).is_some()
        || different(m, other.matrix_use, matrix.matrix_use).is_some();
    match is_other {
        true => Err(o.mismatch(
            &cooperative_matrix::ELEMENT_MATRIX,
            index,
            "the scope, shape and use of the result",
        )),
        false => Ok(other.component),
    }
}

/// Checks the function of a per-element operation. `further` is what it is given besides
/// row, column and component.
fn check_element_function(
    o: &Operation<'_, '_, '_>,
    component: Id,
    further: &[Result<Id, Finding>],
) -> CheckResult {
    let m = o.m;
    let expect = |holds: bool, what: &str| {
        expect(holds, || {
            let message = format!("the function {} of {} {what}", m.name(o.id(1)), o.op);
            let finding = o.finding(&cooperative_matrix::ELEMENT_FUNCTION, message);
            finding.about(m, o.id(1), "it is defined here")
        })
    };
    let Some(def) = m.def(o.id(1)) else {
        return Ok(());
    };
    expect(def.op() == Op::Function, "must be an OpFunction")?;
    let Type::Function { result, parameters } = m.ty(def.id(1)) else {
        return Ok(());
    };
    let made = expect(
        result == component,
        "must return the component type of the matrix",
    );
    let count = expect(
        parameters.len() == further.len() + 3,
        "must have one parameter each for the row, the column, the component and every further operand",
    );
    // Otherwise it is unknown what each parameter is for.
    if count.is_err() {
        return all([made, count]);
    }
    let parameter = |index: usize| Id(parameters.get(index).copied().unwrap_or(0));
    let is_32_bit = |index| I32.matches(m, parameter(index));
    let place = expect(
        is_32_bit(0) && is_32_bit(1),
        "must have 32-bit integers as its first two parameters, the row and the column",
    );
    let element = expect(
        parameter(2) == component,
        "must have the component type as its third parameter",
    );
    let is_given = |(index, wanted): (usize, &Result<Id, Finding>)| match wanted {
        Ok(wanted) => parameter(index + 3) == *wanted,
        Err(_) => true,
    };
    let further = expect(
        further.iter().enumerate().all(is_given),
        "must have the types of the further operands for its further parameters",
    );
    all([made, place, element, further])
}
