//! Functions on numbers: mathematical, integer, geometric, relational, and
//! those on vectors.

use spirvkit_binary::Id;

use super::memory::is_writable;
use crate::finding::{CheckResult, all};
use crate::module::{Lookup, Module};
use crate::rules::ext_inst::Call;
use crate::rules::generated::opencl_std;

const FLOAT: &str = "a floating-point scalar or vector";

fn float_result(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = call.m().is_float_scalar_or_vector(call.result_type());
    call.result(&opencl_std::FLOAT_RESULT, fits, FLOAT)
}

fn same_size(m: &Module<'_>, one: Id, other: Id) -> bool {
    m.dimension(one) == m.dimension(other)
}

fn is_int32(m: &Module<'_>, ty: Id) -> bool {
    m.is_int_scalar_or_vector(ty) && m.bit_width(ty) == 32
}

/// Integers as wide and as many as the components of another type.
fn is_int_like(m: &Module<'_>, ty: Id, other: Id) -> bool {
    m.is_int_scalar_or_vector(ty)
        && m.bit_width(ty) == m.bit_width(other)
        && same_size(m, ty, other)
}

fn is_number(m: &Module<'_>, ty: Id) -> bool {
    m.is_int_scalar_or_vector(ty) || m.is_float_scalar_or_vector(ty)
}

pub(super) fn float(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..call.count())
}

pub(super) fn int(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = call.m().is_int_scalar_or_vector(call.result_type());
    call.result(&opencl_std::INT_RESULT, fits, "an integer scalar or vector")?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..call.count())
}

fn int32_result(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = is_int32(call.m(), call.result_type());
    call.result(
        &opencl_std::INT32_RESULT,
        fits,
        "a scalar or vector of 32-bit integers",
    )
}

pub(super) fn int32(call: &Call<'_, '_, '_>) -> CheckResult {
    int32_result(call)?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..call.count())
}

pub(super) fn ilogb(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    int32_result(call)?;
    let ty = call.ty(0);
    let fits = m.is_float_scalar_or_vector(ty) && same_size(m, ty, call.result_type());
    call.operand(
        &opencl_std::ILOGB_OPERAND,
        0,
        fits,
        "a floating-point scalar or vector with as many components as the result",
    )
}

pub(super) fn exponent(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let base = call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..1);
    let ty = call.ty(1);
    let fits = is_int32(m, ty) && same_size(m, ty, call.result_type());
    let wanted = "a scalar or vector of 32-bit integers, with as many components as the result";
    all([base, call.operand(&opencl_std::EXPONENT, 1, fits, wanted)])
}

pub(super) fn nan(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    let fits = is_int_like(call.m(), call.ty(0), call.result_type());
    call.operand(
        &opencl_std::NAN_CODE,
        0,
        fits,
        "an integer scalar or vector, with components as wide and as many as those of the result",
    )
}

/// The pointer through which a second result is returned; `None` for one that
/// doesn't know its type.
fn out_pointer(
    call: &Call<'_, '_, '_>,
    index: usize,
) -> Result<Option<Id>, crate::finding::Finding> {
    let m = call.m();
    let class = m.pointer_class(call.ty(index));
    call.operand(
        &opencl_std::OUT_POINTER,
        index,
        class.is_some(),
        "a pointer",
    )?;
    let fits = class.is_none() || is_writable(class);
    call.operand(
        &opencl_std::OUT_CLASS,
        index,
        fits,
        "a pointer into `Generic`, `CrossWorkgroup`, `Workgroup` or `Function` memory",
    )?;
    Ok(m.pointee(call.ty(index)))
}

pub(super) fn second_float(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    let value = call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..1);
    let pointer = out_pointer(call, 1).and_then(|pointee| {
        let fits = pointee.is_none_or(|pointee| pointee == call.result_type());
        call.operand(
            &opencl_std::OUT_POINTEE,
            1,
            fits,
            "a pointer to the result type",
        )
    });
    all([value, pointer])
}

pub(super) fn second_int(call: &Call<'_, '_, '_>, count: usize) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let values = call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..count);
    let is_right = |pointee: Id| is_int32(m, pointee) && same_size(m, pointee, call.result_type());
    let pointer = out_pointer(call, count).and_then(|pointee| {
        let wanted = "a pointer to as many 32-bit integers as the result has components";
        call.operand(
            &opencl_std::OUT_POINTEE,
            count,
            pointee.is_none_or(is_right),
            wanted,
        )
    });
    all([values, pointer])
}

pub(super) fn cross(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let fits = m.is_float_vector(result) && matches!(m.dimension(result), 3 | 4);
    call.result(
        &opencl_std::GEOMETRY_RESULT,
        fits,
        "a vector of 3 or 4 floats",
    )?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..2)
}

pub(super) fn length(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let fits = m.is_float_scalar(result);
    call.result(
        &opencl_std::GEOMETRY_RESULT,
        fits,
        "a floating-point scalar",
    )?;
    let ty = call.ty(0);
    let fits =
        m.is_float_scalar_or_vector(ty) && m.component_type(ty) == result && m.dimension(ty) <= 4;
    let wanted = "of the result type or a vector of at most 4 components of it";
    call.operand(&opencl_std::GEOMETRY_OPERAND, 0, fits, wanted)?;
    let fits = call.count() < 2 || call.ty(1) == ty;
    call.operand(
        &opencl_std::GEOMETRY_OPERAND,
        1,
        fits,
        "of the type of the first point",
    )
}

pub(super) fn normalize(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let fits = m.dimension(call.result_type()) <= 4;
    call.result(
        &opencl_std::GEOMETRY_RESULT,
        fits,
        "of at most 4 components",
    )?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..1)
}

pub(super) fn upsample(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let fits = m.is_int_scalar_or_vector(result);
    call.result(&opencl_std::INT_RESULT, fits, "an integer scalar or vector")?;
    let high = call.ty(0);
    let fits = m.is_int_scalar_or_vector(high)
        && same_size(m, high, result)
        && u64::from(m.bit_width(high)) * 2 == u64::from(m.bit_width(result));
    call.operand(
        &opencl_std::UPSAMPLE,
        0,
        fits,
        "an integer scalar or vector, with as many components as the result and half as wide",
    )?;
    call.operand(
        &opencl_std::UPSAMPLE,
        1,
        call.ty(1) == high,
        "of the type of the other half",
    )
}

pub(super) fn bitselect(call: &Call<'_, '_, '_>) -> CheckResult {
    let fits = is_number(call.m(), call.result_type());
    call.result(
        &opencl_std::SELECT_RESULT,
        fits,
        "a scalar or vector of integers or floats",
    )?;
    call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..call.count())
}

pub(super) fn select(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let fits = is_number(m, result);
    call.result(
        &opencl_std::SELECT_RESULT,
        fits,
        "a scalar or vector of integers or floats",
    )?;
    let values = call.operands_of_result_type(&opencl_std::SAME_TYPE, 0..2);
    let fits = is_int_like(m, call.ty(2), result);
    let wanted =
        "an integer scalar or vector, with components as wide and as many as those of the result";
    all([values, call.operand(&opencl_std::SELECTOR, 2, fits, wanted)])
}

pub(super) fn shuffle(call: &Call<'_, '_, '_>, vectors: usize) -> CheckResult {
    const VECTOR: &str = "a vector of 2, 4, 8 or 16 integers or floats";
    let m = call.m();
    let result = call.result_type();
    let is_vector =
        |ty: Id| m.is_vector(ty) && is_number(m, ty) && matches!(m.dimension(ty), 2 | 4 | 8 | 16);
    call.result(&opencl_std::SHUFFLE_VECTOR, is_vector(result), VECTOR)?;
    let first = call.ty(0);
    let vector = call.operand(&opencl_std::SHUFFLE_VECTOR, 0, is_vector(first), VECTOR);
    let vector = vector.and_then(|()| {
        let fits = m.component_type(first) == m.component_type(result);
        let wanted = "a vector with the component type of the result";
        call.operand(&opencl_std::SHUFFLE_VECTOR, 0, fits, wanted)
    });
    let others = all((1..vectors).map(|index| {
        let fits = call.ty(index) == first;
        call.operand(
            &opencl_std::SHUFFLE_VECTOR,
            index,
            fits,
            "of the type of the first vector",
        )
    }));
    let mask = call.ty(vectors);
    let fits = m.is_int_vector(mask) && is_int_like(m, mask, result);
    let wanted = "a vector of integers as wide and as many as the components of the result";
    let mask = call.operand(&opencl_std::SHUFFLE_MASK, vectors, fits, wanted);
    // Which of two vectors is the odd one, nobody knows.
    let others = if vector.is_ok() { others } else { Ok(()) };
    all([vector, others, mask])
}
