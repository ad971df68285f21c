//! Conversions between arrays and cooperative matrices
//! (`SPV_QCOM_cooperative_matrix_conversion`).

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::super::cooperative_matrix::Use;
use super::super::operation::Operation;
use crate::finding::{CheckResult, Finding, all, both, expect};
use crate::module::{CooperativeMatrix, Lookup, Type};
use crate::pattern::{FLOAT, I32, INT, Pattern, U32};
use crate::rules::generated::composite;

/// What arrays, and matrices that accumulate, are made of.
const ELEMENT: Pattern = Pattern::either(&[I32, FLOAT.widths(&[16, 32])]);
/// What other matrices are made of.
const FACTOR: Pattern = Pattern::either(&[INT.widths(&[8]), FLOAT.widths(&[16, 32])]);

pub(super) fn check(o: &Operation<'_, '_, '_>) -> CheckResult {
    match o.op {
        Op::CompositeConstructCoopMatQCOM => {
            let Type::CooperativeMatrix(matrix) = o.m.ty(o.result) else {
                return Err(o.result_finding(
                    &composite::QCOM_MATRIX,
                    "a cooperative matrix of SPV_KHR_cooperative_matrix",
                ));
            };
            let Type::Array { element, .. } = o.m.ty(o.ty(0)) else {
                return Err(o.operand_finding(&composite::QCOM_MATRIX, 0, "an array"));
            };
            check_row(o, &matrix, o.result, element, o.ty(0))
        }
        Op::CompositeExtractCoopMatQCOM => {
            let Type::Array { element, .. } = o.m.ty(o.result) else {
                return Err(o.result_finding(&composite::QCOM_MATRIX, "an array"));
            };
            let Type::CooperativeMatrix(matrix) = o.m.ty(o.ty(0)) else {
                let wanted = "a cooperative matrix of SPV_KHR_cooperative_matrix";
                return Err(o.operand_finding(&composite::QCOM_MATRIX, 0, wanted));
            };
            check_row(o, &matrix, o.ty(0), element, o.result)
        }
        Op::ExtractSubArrayQCOM => {
            let index = o.expect_operand(&composite::QCOM_ARRAY, 1, I32);
            let ((element, other), ()) = both(arrays(o), index)?;
            let same = expect(element == other, || {
                o.mismatch(&composite::QCOM_ARRAY, 0, "elements of the same type")
            });
            let (new, old) = (o.m.array_length(o.result), o.m.array_length(o.ty(0)));
            let is_longer = new.zip(old).is_some_and(|(new, old)| new > old);
            let length = expect(!is_longer, || {
                o.mismatch(
                    &composite::QCOM_ARRAY,
                    0,
                    "at least as many elements as the result",
                )
            });
            let start = match o.m.env.is_vulkan() {
                true => check_start(o, new),
                false => Ok(()),
            };
            all([same, check_element(o, element), length, start])
        }
        _ => {
            let (element, other) = arrays(o)?;
            all([check_element(o, element), check_element(o, other)])?;
            let bits = |array: Id, element: Id| {
                let length = o.m.array_length(array)?;
                length.checked_mul(u64::from(o.m.bit_width(element)))
            };
            if let (Some(new), Some(old)) = (bits(o.result, element), bits(o.ty(0), other))
                && new != old
            {
                return Err(o.mismatch(&composite::QCOM_ARRAY, 0, "as many bits as the result"));
            }
            Ok(())
        }
    }
}

/// Checks that a constant start of a part is a multiple of the part's length.
fn check_start(o: &Operation<'_, '_, '_>, length: Option<u64>) -> CheckResult {
    let start = o.m.constant_u64(o.id(1));
    let (Some(start), Some(length)) = (start, length.filter(|&length| length > 0)) else {
        return Ok(());
    };
    expect(start % length == 0, || {
        let message = format!(
            "the start of a part of {length} elements must be a multiple of that, but is {start}"
        );
        let finding = o.finding(&composite::QCOM_START, message).warning();
        finding.about(o.m, o.id(1), "the start is defined here")
    })
}

/// The elements of the result and of the operand, both of which are to be
/// arrays.
fn arrays(o: &Operation<'_, '_, '_>) -> Result<(Id, Id), Finding> {
    let Type::Array { element, .. } = o.m.ty(o.result) else {
        return Err(o.result_finding(&composite::QCOM_ARRAY, "an array"));
    };
    let Type::Array { element: other, .. } = o.m.ty(o.ty(0)) else {
        return Err(o.operand_finding(&composite::QCOM_ARRAY, 0, "an array"));
    };
    Ok((element, other))
}

fn check_element(o: &Operation<'_, '_, '_>, element: Id) -> CheckResult {
    if ELEMENT.matches(o.m, element) {
        return Ok(());
    }
    let message = format!(
        "{} needs arrays of 32-bit integers, 32-bit floats or 16-bit floats, but the element type is {}",
        o.op,
        o.m.show_type(element)
    );
    Err(o.finding(&composite::QCOM_COMPONENT, message))
}

/// A matrix and an array that is one of its rows or columns.
fn check_row(
    o: &Operation<'_, '_, '_>,
    matrix: &CooperativeMatrix,
    matrix_type: Id,
    element: Id,
    array: Id,
) -> CheckResult {
    let m = o.m;
    let Some(matrix_use) = Use::of(m, matrix) else {
        return Ok(());
    };
    let component = match matrix_use {
        Use::Accumulator => ELEMENT,
        _ => FACTOR,
    };
    if !component.matches(m, matrix.component) {
        let message = format!(
            "{} needs a matrix with components that are {component} for this use, but has {}",
            o.op,
            m.show_type(matrix_type)
        );
        return Err(o.finding(&composite::QCOM_COMPONENT, message));
    }
    let width = u64::from(m.bit_width(matrix.component));
    let count = match matrix_use {
        Use::B => m.constant_u64(matrix.rows),
        _ => m.constant_u64(matrix.columns),
    };
    let Some(count) = count else {
        return Ok(());
    };
    let bits = count.saturating_mul(width);
    if matrix_use != Use::Accumulator && bits != 256 {
        let message = format!(
            "{} needs a matrix with 256 bits in each {}, but this one has {bits}",
            o.op,
            if matrix_use == Use::B {
                "column"
            } else {
                "row"
            }
        );
        let finding = o.finding(&composite::QCOM_ROW, message);
        return Err(finding.about(m, matrix_type, "the matrix is declared here"));
    }
    let is_packed = U32.matches(m, element);
    let length = m.array_length(array);
    let fits = |wanted: u64| length.is_none_or(|length| length == wanted);
    let is_fine = element == matrix.component && fits(count) || is_packed && fits(bits / 32);
    if is_fine {
        return Ok(());
    }
    let message = format!(
        "{} needs an array of {count} of the matrix's components or of {} 32-bit unsigned integers, but has {}",
        o.op,
        bits / 32,
        m.show_type(array)
    );
    let finding = o.finding(&composite::QCOM_ARRAY, message);
    Err(finding.about(m, array, "the array is declared here"))
}
