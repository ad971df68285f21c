//! Functions on numbers: mathematical, integer, geometric, relational, and
//! those on vectors.

use spirvkit_binary::Id;

use super::memory::WRITABLE;
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Lookup, Module};
use crate::pattern::{FLOAT, INT, NUMBER, POINTER, Pattern};
use crate::rule::Rule;
use crate::rules::ext_inst::Call;
use crate::rules::generated::opencl_std;

const FLOATS: Pattern = FLOAT.scalar_or_vector();
const INTS: Pattern = INT.scalar_or_vector();
const INT32S: Pattern = INTS.widths(&[32]);
const NUMBERS: Pattern = NUMBER.scalar_or_vector();

fn float_result(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&opencl_std::FLOAT_RESULT, FLOATS)
}

/// Integers as wide and as many as the components of another type.
fn is_int_like(m: &Module<'_>, ty: Id, other: Id) -> bool {
    INTS.matches(m, ty) && m.bit_width(ty) == m.bit_width(other) && m.same_dimension(ty, other)
}

/// Operands that all have the type of the result, which is so.
fn alike(call: &Call<'_, '_, '_>, rule: &'static Rule, wanted: Pattern) -> CheckResult {
    call.expect_result(rule, wanted)?;
    call.expect_result_types(&opencl_std::SAME_TYPE, 0..call.count())
}

pub(super) fn float(call: &Call<'_, '_, '_>) -> CheckResult {
    alike(call, &opencl_std::FLOAT_RESULT, FLOATS)
}

pub(super) fn int(call: &Call<'_, '_, '_>) -> CheckResult {
    alike(call, &opencl_std::INT_RESULT, INTS)
}

pub(super) fn int32(call: &Call<'_, '_, '_>) -> CheckResult {
    alike(call, &opencl_std::INT32_RESULT, INT32S)
}

pub(super) fn bitselect(call: &Call<'_, '_, '_>) -> CheckResult {
    alike(call, &opencl_std::SELECT_RESULT, NUMBERS)
}

pub(super) fn ilogb(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    call.expect_result(&opencl_std::INT32_RESULT, INT32S)?;
    let ty = call.ty(0);
    let fits = FLOATS.matches(m, ty) && m.same_dimension(ty, call.result_type());
    let wanted = "a floating-point scalar or vector with as many components as the result";
    call.expect_operand_that(&opencl_std::ILOGB_OPERAND, 0, fits, wanted)
}

pub(super) fn exponent(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let base = call.expect_result_types(&opencl_std::SAME_TYPE, 0..1);
    let ty = call.ty(1);
    let fits = INT32S.matches(m, ty) && m.same_dimension(ty, call.result_type());
    let wanted = "a 32-bit integer scalar or vector with as many components as the result";
    let exponent = call.expect_operand_that(&opencl_std::EXPONENT, 1, fits, wanted);
    all([base, exponent])
}

const LIKE_RESULT: &str =
    "an integer scalar or vector, with components as wide and as many as those of the result";

pub(super) fn nan(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    let fits = is_int_like(call.m(), call.ty(0), call.result_type());
    call.expect_operand_that(&opencl_std::NAN_CODE, 0, fits, LIKE_RESULT)
}

/// The pointer through which a second result is returned; `None` for one that
/// doesn't know its type.
fn out_pointer(call: &Call<'_, '_, '_>, index: usize) -> Result<Option<Id>, Finding> {
    call.expect_operand(&opencl_std::OUT_POINTER, index, POINTER)?;
    call.expect_operand(&opencl_std::OUT_CLASS, index, WRITABLE)?;
    Ok(call.m().pointee(call.ty(index)))
}

pub(super) fn second_float(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    let value = call.expect_result_types(&opencl_std::SAME_TYPE, 0..1);
    let pointer = out_pointer(call, 1).and_then(|pointee| {
        let fits = pointee.is_none_or(|pointee| pointee == call.result_type());
        let wanted = "a pointer to the result type";
        call.expect_operand_that(&opencl_std::OUT_POINTEE, 1, fits, wanted)
    });
    all([value, pointer])
}

pub(super) fn second_int(call: &Call<'_, '_, '_>, count: usize) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let values = call.expect_result_types(&opencl_std::SAME_TYPE, 0..count);
    let is_right =
        |pointee: Id| INT32S.matches(m, pointee) && m.same_dimension(pointee, call.result_type());
    let pointer = out_pointer(call, count).and_then(|pointee| {
        let wanted = "a pointer to as many 32-bit integers as the result has components";
        let fits = pointee.is_none_or(is_right);
        call.expect_operand_that(&opencl_std::OUT_POINTEE, count, fits, wanted)
    });
    all([values, pointer])
}

pub(super) fn cross(call: &Call<'_, '_, '_>) -> CheckResult {
    alike(call, &opencl_std::GEOMETRY_RESULT, FLOAT.vector_of(&[3, 4]))
}

/// What geometric functions work on.
const POINT: Pattern = Pattern::either(&[FLOAT, FLOAT.vector_of(&[2, 3, 4])]);

pub(super) fn length(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    call.expect_result(&opencl_std::GEOMETRY_RESULT, FLOAT)?;
    let ty = call.ty(0);
    let fits = POINT.matches(m, ty) && m.component_type(ty) == call.result_type();
    let wanted = "of the result type or a vector of two, three or four components of it";
    call.expect_operand_that(&opencl_std::GEOMETRY_OPERAND, 0, fits, wanted)?;
    let fits = call.count() < 2 || call.ty(1) == ty;
    let wanted = "of the type of the first point";
    call.expect_operand_that(&opencl_std::GEOMETRY_OPERAND, 1, fits, wanted)
}

pub(super) fn normalize(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    call.expect_result(&opencl_std::GEOMETRY_RESULT, POINT)?;
    call.expect_result_types(&opencl_std::SAME_TYPE, 0..1)
}

pub(super) fn upsample(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    call.expect_result(&opencl_std::INT_RESULT, INTS)?;
    let high = call.ty(0);
    let fits = INTS.matches(m, high)
        && m.same_dimension(high, result)
        && u64::from(m.bit_width(high)) * 2 == u64::from(m.bit_width(result));
    let wanted =
        "an integer scalar or vector, with as many components as the result and half as wide";
    call.expect_operand_that(&opencl_std::UPSAMPLE, 0, fits, wanted)?;
    let fits = call.ty(1) == high;
    call.expect_operand_that(
        &opencl_std::UPSAMPLE,
        1,
        fits,
        "of the type of the other half",
    )
}

pub(super) fn select(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&opencl_std::SELECT_RESULT, NUMBERS)?;
    let fits = is_int_like(call.m(), call.ty(2), call.result_type());
    all([
        call.expect_result_types(&opencl_std::SAME_TYPE, 0..2),
        call.expect_operand_that(&opencl_std::SELECTOR, 2, fits, LIKE_RESULT),
    ])
}

pub(super) fn shuffle(call: &Call<'_, '_, '_>, vectors: usize) -> CheckResult {
    const SHUFFLED: Pattern = NUMBER.vector_of(&[2, 4, 8, 16]);
    let rule = &opencl_std::SHUFFLE_VECTOR;
    let m = call.m();
    let result = call.result_type();
    call.expect_result(rule, SHUFFLED)?;
    let first = call.ty(0);
    let vector = call.expect_operand(rule, 0, SHUFFLED).and_then(|()| {
        let fits = m.component_type(first) == m.component_type(result);
        let wanted = "a vector with the component type of the result";
        call.expect_operand_that(rule, 0, fits, wanted)
    });
    let others = all((1..vectors).map(|index| {
        let fits = call.ty(index) == first;
        call.expect_operand_that(rule, index, fits, "of the type of the first vector")
    }));
    let mask = call.ty(vectors);
    let fits = m.is_vector(mask) && is_int_like(m, mask, result);
    let wanted = "a vector of integers as wide and as many as the components of the result";
    let mask = call.expect_operand_that(&opencl_std::SHUFFLE_MASK, vectors, fits, wanted);
    // Which of two vectors is the odd one, nobody knows.
    let others = if vector.is_ok() { others } else { Ok(()) };
    all([vector, others, mask])
}
