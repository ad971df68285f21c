//! The set for graphics, `GLSL.std.450`.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, GlslStd450, Op, StorageClass};

use super::Call;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::module::{Lookup, Models, Module};
use crate::pattern::{F32, FLOAT, I32, INT, POINTER, Pattern};
use crate::rule::Rule;
use crate::rules::arithmetic;
use crate::rules::generated::glsl;

/// Lets interpolation be of 16-bit floats.
const HALF_FLOATS: &str = "SPV_AMD_gpu_shader_half_float";
/// Lets exponents be of 16-bit integers.
const SHORT_INTS: &str = "SPV_AMD_gpu_shader_int16";

const FLOATS: Pattern = FLOAT.scalar_or_vector();
const INTS: Pattern = INT.scalar_or_vector();
const TWO_FLOATS: Pattern = F32.vector_of(&[2]);
const FOUR_FLOATS: Pattern = F32.vector_of(&[4]);
const TWO_INTS: Pattern = I32.vector_of(&[2]);
const DOUBLE: Pattern = FLOAT.widths(&[64]);

/// Whether the set has an instruction with this number.
#[inline]
pub(super) fn is_known(number: u32) -> bool {
    (GlslStd450::Round.0..=GlslStd450::NClamp.0).contains(&number)
}

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    use GlslStd450 as G;
    if arithmetic::encoding(call.m(), call.result_type()).is_some() {
        let finding = call
            .at
            .result_finding(&glsl::NUMBER_FORMAT, "of IEEE 754 numbers");
        return Err(finding);
    }
    match GlslStd450(call.number) {
        G::SAbs
        | G::SSign
        | G::UMin
        | G::SMin
        | G::UMax
        | G::SMax
        | G::UClamp
        | G::SClamp
        | G::FindILsb => int(call),
        G::FindSMsb | G::FindUMsb => {
            int(call)?;
            call.expect_result(&glsl::MSB_WIDTH, INTS.widths(&[32]))
        }
        G::Radians
        | G::Degrees
        | G::Sin
        | G::Cos
        | G::Tan
        | G::Asin
        | G::Acos
        | G::Atan
        | G::Sinh
        | G::Cosh
        | G::Tanh
        | G::Asinh
        | G::Acosh
        | G::Atanh
        | G::Atan2
        | G::Pow
        | G::Exp
        | G::Log
        | G::Exp2
        | G::Log2 => {
            call.expect_result(&glsl::NARROW_FLOAT_RESULT, FLOATS.widths(&[16, 32]))?;
            call.expect_result_types(&glsl::SAME_TYPE, 0..call.count())
        }
        G::Determinant => determinant(call),
        G::MatrixInverse => {
            call.expect_result(&glsl::SQUARE_MATRIX, FLOAT.square_matrix())?;
            call.expect_result_types(&glsl::INVERSE, 0..1)
        }
        G::Modf => modf(call),
        G::ModfStruct => modf_struct(call),
        G::Frexp => frexp(call),
        G::FrexpStruct => frexp_struct(call),
        G::Ldexp => ldexp(call),
        G::PackSnorm4x8 | G::PackUnorm4x8 => pack(call, FOUR_FLOATS, I32),
        G::PackSnorm2x16 | G::PackUnorm2x16 | G::PackHalf2x16 => pack(call, TWO_FLOATS, I32),
        G::PackDouble2x32 => pack(call, TWO_INTS, DOUBLE),
        G::UnpackSnorm4x8 | G::UnpackUnorm4x8 => unpack(call, I32, FOUR_FLOATS),
        G::UnpackSnorm2x16 | G::UnpackUnorm2x16 | G::UnpackHalf2x16 => {
            unpack(call, I32, TWO_FLOATS)
        }
        G::UnpackDouble2x32 => unpack(call, DOUBLE, TWO_INTS),
        G::Length | G::Distance => length(call),
        G::Cross => {
            call.expect_result(&glsl::CROSS_RESULT, FLOAT.vector_of(&[3]))?;
            call.expect_result_types(&glsl::SAME_TYPE, 0..2)
        }
        G::Refract => {
            float_result(call)?;
            all([
                call.expect_result_types(&glsl::SAME_TYPE, 0..2),
                call.expect_operand(&glsl::REFRACT_ETA, 2, FLOAT),
            ])
        }
        G::InterpolateAtCentroid => interpolate(call),
        G::InterpolateAtSample => all([
            interpolate(call),
            call.expect_operand(&glsl::INTERPOLATE_SAMPLE, 1, I32),
        ]),
        G::InterpolateAtOffset => {
            let offset = TWO_FLOATS.widths(interpolated_widths(call.m()));
            all([
                interpolate(call),
                call.expect_operand(&glsl::INTERPOLATE_OFFSET, 1, offset),
            ])
        }
        G::IMix => {
            let message = format!("{} is not supported by any consumer", call.name());
            Err(call.at.finding(&glsl::NOT_SUPPORTED, message))
        }
        // All others work on floating-point numbers of the result's type.
        _ => float(call),
    }
}

fn float_result(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&glsl::FLOAT_RESULT, FLOATS)
}

fn float(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    call.expect_result_types(&glsl::SAME_TYPE, 0..call.count())
}

fn determinant(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&glsl::DETERMINANT, FLOAT)?;
    call.expect_operand(&glsl::SQUARE_MATRIX, 0, FLOAT.square_matrix())?;
    let fits = call.m().component_type(call.ty(0)) == call.result_type();
    call.expect_operand_that(&glsl::DETERMINANT, 0, fits, "a matrix of the result type")
}

fn modf(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    let pointer = out_pointer(call).and_then(|pointee| {
        let fits = pointee.is_none_or(|pointee| pointee == call.result_type());
        call.expect_operand_that(&glsl::MODF_POINTEE, 1, fits, "a pointer to the result type")
    });
    all([call.expect_result_types(&glsl::SAME_TYPE, 0..1), pointer])
}

fn modf_struct(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let fits = match *m.members(call.result_type()) {
        [first, second] => first == second && FLOATS.matches(m, Id(first)),
        _ => false,
    };
    let wanted = "a structure of two floating-point scalars or vectors of the same type";
    call.expect_result_that(&glsl::MODF_STRUCT, fits, wanted)?;
    operand_of_first_member(call, &glsl::MODF_STRUCT)
}

fn frexp(call: &Call<'_, '_, '_>) -> CheckResult {
    let (m, result) = (call.m(), call.result_type());
    float_result(call)?;
    let pointer = out_pointer(call).and_then(|pointee| {
        let fits = pointee.is_none_or(|pointee| is_exponent(m, pointee, result));
        let wanted = "a pointer to as many 32-bit integers as the result has components";
        call.expect_operand_that(&glsl::FREXP_EXPONENT, 1, fits, wanted)
    });
    all([call.expect_result_types(&glsl::SAME_TYPE, 0..1), pointer])
}

fn frexp_struct(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let fits = match *m.members(call.result_type()) {
        [first, second] => FLOATS.matches(m, Id(first)) && is_exponent(m, Id(second), Id(first)),
        _ => false,
    };
    let wanted = "a structure of a floating-point scalar or vector and as many 32-bit integers";
    call.expect_result_that(&glsl::FREXP_STRUCT, fits, wanted)?;
    operand_of_first_member(call, &glsl::FREXP_STRUCT)
}

fn ldexp(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    float_result(call)?;
    let exponent = call.ty(1);
    let fits = INTS.matches(m, exponent) && m.same_dimension(exponent, call.result_type());
    let wanted = "an integer scalar or vector with as many components as the result";
    all([
        call.expect_result_types(&glsl::SAME_TYPE, 0..1),
        call.expect_operand_that(&glsl::LDEXP_EXPONENT, 1, fits, wanted),
    ])
}

fn pack(call: &Call<'_, '_, '_>, small: Pattern, large: Pattern) -> CheckResult {
    call.expect_result(&glsl::PACK_RESULT, large)?;
    call.expect_operand(&glsl::PACK_OPERAND, 0, small)
}

fn unpack(call: &Call<'_, '_, '_>, large: Pattern, small: Pattern) -> CheckResult {
    call.expect_result(&glsl::UNPACK_RESULT, small)?;
    call.expect_operand(&glsl::UNPACK_OPERAND, 0, large)
}

/// What the second operand, which must be a pointer, points to, if that is known.
fn out_pointer(call: &Call<'_, '_, '_>) -> Result<Option<Id>, Finding> {
    call.expect_operand(&glsl::OUT_POINTER, 1, POINTER)?;
    Ok(call.m().pointee(call.ty(1)))
}

fn int(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    call.expect_result(&glsl::INT_RESULT, INTS)?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = ty == result
            || INTS.matches(m, ty)
                && m.same_dimension(ty, result)
                && m.bit_width(ty) == m.bit_width(result);
        let wanted = "an integer scalar or vector with the same number of components as the \
                      result and the same width";
        call.expect_operand_that(&glsl::INT_OPERAND, index, fits, wanted)
    }))
}

fn length(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    call.expect_result(&glsl::LENGTH_RESULT, FLOAT)?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = FLOATS.matches(m, ty) && m.component_type(ty) == call.result_type();
        let wanted = "of the result type or a vector with components of it";
        call.expect_operand_that(&glsl::LENGTH_OPERAND, index, fits, wanted)
    }))?;
    let fits = call.count() < 2 || m.same_dimension(call.ty(0), call.ty(1));
    let wanted = "of the same number of components as the first point";
    call.expect_operand_that(&glsl::DISTANCE_SIZES, 1, fits, wanted)
}

/// The widths of floats that can be interpolated.
fn interpolated_widths(m: &Module<'_>) -> &'static [u32] {
    match m.has_extension(HALF_FLOATS) {
        true => &[16, 32],
        false => &[32],
    }
}

/// All interpolations begin alike.
fn interpolate(call: &Call<'_, '_, '_>) -> CheckResult {
    const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);
    let m = call.m();
    let result = call.result_type();
    let capability = expect(m.has(Capability::InterpolationFunction), || {
        let message = format!(
            "{} needs the capability `InterpolationFunction`, which the module doesn't declare",
            call.name()
        );
        call.at.finding(&glsl::INTERPOLATE_CAPABILITY, message)
    });
    // Front ends for HLSL load the input, and legalization takes the load away.
    let interpolant = m.def(call.id(0));
    let pointer = match interpolant {
        Some(load) if load.op() == Op::Load && m.options.before_hlsl_legalization => {
            m.type_of(load.id(0)).unwrap_or(Id(0))
        }
        _ => call.ty(0),
    };
    let types = call
        .expect_result(
            &glsl::INTERPOLATE_RESULT,
            FLOATS.widths(interpolated_widths(m)),
        )
        .and_then(|()| {
            let fits = m.pointer_class(pointer) == Some(StorageClass::Input)
                && m.pointee(pointer).is_none_or(|pointee| pointee == result);
            let wanted = "a pointer into the storage class `Input` to the result type";
            call.expect_operand_that(&glsl::INTERPOLANT, 0, fits, wanted)
        });
    let stages = match call.at.models_outside(FRAGMENT) {
        None => Ok(()),
        Some(models) => {
            let message = format!(
                "{} can be used only in `Fragment`, but is reached from {models}",
                call.name()
            );
            Err(call.at.finding(&glsl::INTERPOLATE_STAGE, message))
        }
    };
    all([capability, types, stages])
}

fn operand_of_first_member(call: &Call<'_, '_, '_>, rule: &'static Rule) -> CheckResult {
    let members = call.m().members(call.result_type());
    let fits = members.first() == Some(&call.ty(0).0);
    let wanted = "of the type of the result's first member";
    call.expect_operand_that(rule, 0, fits, wanted)
}

/// Whether a type is that of exponents for significands of another type.
fn is_exponent(m: &Module<'_>, ty: Id, significand: Id) -> bool {
    let widths: &[u32] = match m.has_extension(SHORT_INTS) {
        true => &[16, 32],
        false => &[32],
    };
    INTS.widths(widths).matches(m, ty) && m.same_dimension(ty, significand)
}
