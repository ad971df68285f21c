//! The set for graphics, `GLSL.std.450`.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, Op, StorageClass};

use super::Call;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::module::{Lookup, Models, Module, Type};
use crate::pattern::{FLOAT, INT, POINTER};
use crate::rules::generated::glsl;

/// What an instruction works on, and so what is checked.
#[derive(Clone, Copy)]
enum Shape {
    /// Nothing to check.
    Free,
    /// Floating-point numbers of the type of the result.
    Float,
    /// The same, of 16 or 32 bits.
    NarrowFloat,
    /// Integers of the size of the result.
    Int,
    /// The same, of 32 bits.
    Int32,
    Determinant,
    MatrixInverse,
    Modf,
    ModfStruct,
    Frexp,
    FrexpStruct,
    Ldexp,
    Pack(Packed),
    Unpack(Packed),
    Length,
    Cross,
    Refract,
    /// With a sample's index.
    InterpolateAtCentroid,
    InterpolateAtSample,
    InterpolateAtOffset,
    NotSupported,
}

/// The two sides of packing and unpacking.
#[derive(Clone, Copy)]
enum Packed {
    /// This many floats in a 32-bit integer.
    Floats(u32),
    /// Two integers in a 64-bit float.
    Double,
}

/// The instructions in the order of their numbers, from 0, which isn't one.
const SHAPES: [Shape; 82] = {
    use Packed::{Double, Floats};
    use Shape::*;
    [
        Free,        // no instruction
        Float,       // Round
        Float,       // RoundEven
        Float,       // Trunc
        Float,       // FAbs
        Int,         // SAbs
        Float,       // FSign
        Int,         // SSign
        Float,       // Floor
        Float,       // Ceil
        Float,       // Fract
        NarrowFloat, // Radians
        NarrowFloat, // Degrees
        NarrowFloat, // Sin
        NarrowFloat, // Cos
        NarrowFloat, // Tan
        NarrowFloat, // Asin
        NarrowFloat, // Acos
        NarrowFloat, // Atan
        NarrowFloat, // Sinh
        NarrowFloat, // Cosh
        NarrowFloat, // Tanh
        NarrowFloat, // Asinh
        NarrowFloat, // Acosh
        NarrowFloat, // Atanh
        NarrowFloat, // Atan2
        NarrowFloat, // Pow
        NarrowFloat, // Exp
        NarrowFloat, // Log
        NarrowFloat, // Exp2
        NarrowFloat, // Log2
        Float,       // Sqrt
        Float,       // InverseSqrt
        Determinant,
        MatrixInverse,
        Modf,
        ModfStruct,
        Float,        // FMin
        Int,          // UMin
        Int,          // SMin
        Float,        // FMax
        Int,          // UMax
        Int,          // SMax
        Float,        // FClamp
        Int,          // UClamp
        Int,          // SClamp
        Float,        // FMix
        NotSupported, // IMix
        Float,        // Step
        Float,        // SmoothStep
        Float,        // Fma
        Frexp,
        FrexpStruct,
        Ldexp,
        Pack(Floats(4)),   // PackSnorm4x8
        Pack(Floats(4)),   // PackUnorm4x8
        Pack(Floats(2)),   // PackSnorm2x16
        Pack(Floats(2)),   // PackUnorm2x16
        Pack(Floats(2)),   // PackHalf2x16
        Pack(Double),      // PackDouble2x32
        Unpack(Floats(2)), // UnpackSnorm2x16
        Unpack(Floats(2)), // UnpackUnorm2x16
        Unpack(Floats(2)), // UnpackHalf2x16
        Unpack(Floats(4)), // UnpackSnorm4x8
        Unpack(Floats(4)), // UnpackUnorm4x8
        Unpack(Double),    // UnpackDouble2x32
        Length,
        Length, // Distance
        Cross,
        Float, // Normalize
        Float, // FaceForward
        Float, // Reflect
        Refract,
        Int,   // FindILsb
        Int32, // FindSMsb
        Int32, // FindUMsb
        InterpolateAtCentroid,
        InterpolateAtSample,
        InterpolateAtOffset,
        Float, // NMin
        Float, // NMax
        Float, // NClamp
    ]
};

/// Lets interpolation be of 16-bit floats.
const HALF_FLOATS: &str = "SPV_AMD_gpu_shader_half_float";
/// Lets exponents be of 16-bit integers.
const SHORT_INTS: &str = "SPV_AMD_gpu_shader_int16";

/// Whether the set has an instruction with this number.
#[inline]
pub(super) fn is_known(number: u32) -> bool {
    number > 0 && (number as usize) < SHAPES.len()
}

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    if let Type::Float {
        encoding: Some(_), ..
    } = m.ty(m.component_type(result))
    {
        return Err(call.bad_result(&glsl::NUMBER_FORMAT, "of IEEE 754 numbers"));
    }
    let shape = SHAPES.get(call.number as usize).copied();
    match shape.unwrap_or(Shape::Free) {
        Shape::Free => Ok(()),
        Shape::Float => float(call),
        Shape::NarrowFloat => {
            let fits =
                m.is_float_scalar_or_vector(result) && matches!(m.bit_width(result), 16 | 32);
            call.result(
                &glsl::NARROW_FLOAT_RESULT,
                fits,
                "a scalar or vector of 16-bit or 32-bit floats",
            )?;
            call.operands_of_result_type(&glsl::SAME_TYPE, 0..call.count())
        }
        Shape::Int => int(call),
        Shape::Int32 => {
            int(call)?;
            call.result(
                &glsl::MSB_WIDTH,
                m.bit_width(result) == 32,
                "of 32-bit integers",
            )
        }
        Shape::Determinant => {
            call.result(
                &glsl::DETERMINANT,
                m.is_float_scalar(result),
                "a floating-point scalar",
            )?;
            let matrix = call.ty(0);
            call.operand(
                &glsl::SQUARE_MATRIX,
                0,
                is_square(m, matrix),
                "a square matrix",
            )?;
            let fits = m.component_type(matrix) == result;
            call.operand(&glsl::DETERMINANT, 0, fits, "a matrix of the result type")
        }
        Shape::MatrixInverse => {
            call.result(
                &glsl::SQUARE_MATRIX,
                is_square(m, result),
                "a square matrix",
            )?;
            call.operand(
                &glsl::INVERSE,
                0,
                call.ty(0) == result,
                "of the result type",
            )
        }
        Shape::Modf => {
            float_result(call)?;
            let pointer = out_pointer(call).and_then(|pointee| {
                let fits = pointee.is_none_or(|pointee| pointee == result);
                call.operand(&glsl::MODF_POINTEE, 1, fits, "a pointer to the result type")
            });
            all([
                call.operands_of_result_type(&glsl::SAME_TYPE, 0..1),
                pointer,
            ])
        }
        Shape::ModfStruct => {
            let fits = match *m.members(result) {
                [first, second] => first == second && m.is_float_scalar_or_vector(Id(first)),
                _ => false,
            };
            call.result(
                &glsl::MODF_STRUCT,
                fits,
                "a structure of two floating-point scalars or vectors of the same type",
            )?;
            operand_of_first_member(call, &glsl::MODF_STRUCT)
        }
        Shape::Frexp => {
            float_result(call)?;
            let pointer = out_pointer(call).and_then(|pointee| {
                let fits = pointee.is_none_or(|pointee| is_exponent(m, pointee, result));
                let wanted = "a pointer to as many 32-bit integers as the result has components";
                call.operand(&glsl::FREXP_EXPONENT, 1, fits, wanted)
            });
            all([
                call.operands_of_result_type(&glsl::SAME_TYPE, 0..1),
                pointer,
            ])
        }
        Shape::FrexpStruct => {
            let fits = match *m.members(result) {
                [first, second] => {
                    let first = Id(first);
                    m.is_float_scalar_or_vector(first) && is_exponent(m, Id(second), first)
                }
                _ => false,
            };
            call.result(
                &glsl::FREXP_STRUCT,
                fits,
                "a structure of a floating-point scalar or vector and as many 32-bit integers",
            )?;
            operand_of_first_member(call, &glsl::FREXP_STRUCT)
        }
        Shape::Ldexp => {
            float_result(call)?;
            let exponent = call.ty(1);
            let fits = m.is_int_scalar_or_vector(exponent) && same_size(m, exponent, result);
            let wanted = "an integer scalar or vector with as many components as the result";
            all([
                call.operands_of_result_type(&glsl::SAME_TYPE, 0..1),
                call.operand(&glsl::LDEXP_EXPONENT, 1, fits, wanted),
            ])
        }
        Shape::Pack(packed) => {
            let (small, large) = packed.sides();
            call.result(&glsl::PACK_RESULT, large.holds(m, result), large.name())?;
            call.operand(
                &glsl::PACK_OPERAND,
                0,
                small.holds(m, call.ty(0)),
                small.name(),
            )
        }
        Shape::Unpack(packed) => {
            let (small, large) = packed.sides();
            call.result(&glsl::UNPACK_RESULT, small.holds(m, result), small.name())?;
            call.operand(
                &glsl::UNPACK_OPERAND,
                0,
                large.holds(m, call.ty(0)),
                large.name(),
            )
        }
        Shape::Length => length(call),
        Shape::Cross => {
            let fits = m.is_float_vector(result) && m.dimension(result) == 3;
            call.result(&glsl::CROSS_RESULT, fits, "a vector of three floats")?;
            call.operands_of_result_type(&glsl::SAME_TYPE, 0..2)
        }
        Shape::Refract => {
            float_result(call)?;
            let fits = m.is_float_scalar(call.ty(2));
            all([
                call.operands_of_result_type(&glsl::SAME_TYPE, 0..2),
                call.operand(&glsl::REFRACT_ETA, 2, fits, "a floating-point scalar"),
            ])
        }
        Shape::InterpolateAtCentroid => interpolate(call),
        Shape::InterpolateAtSample => {
            let fits = m.is_int_scalar_of(call.ty(1), 32);
            let sample = call.operand(&glsl::INTERPOLATE_SAMPLE, 1, fits, "a 32-bit integer");
            all([interpolate(call), sample])
        }
        Shape::InterpolateAtOffset => {
            let offset = call.ty(1);
            let takes_half = m.has_extension(HALF_FLOATS)
                && m.is_float_vector(offset)
                && m.dimension(offset) == 2
                && m.bit_width(offset) == 16;
            let fits = Side::Floats(2).holds(m, offset) || takes_half;
            let wanted = "a vector of two 32-bit floats";
            let offset = call.operand(&glsl::INTERPOLATE_OFFSET, 1, fits, wanted);
            all([interpolate(call), offset])
        }
        Shape::NotSupported => {
            let message = format!("{} is not supported by any consumer", call.name());
            Err(call.at.finding(&glsl::NOT_SUPPORTED, message))
        }
    }
}

fn float(call: &Call<'_, '_, '_>) -> CheckResult {
    float_result(call)?;
    call.operands_of_result_type(&glsl::SAME_TYPE, 0..call.count())
}

fn float_result(call: &Call<'_, '_, '_>) -> CheckResult {
    call.expect_result(&glsl::FLOAT_RESULT, FLOAT.scalar_or_vector())
}

/// What the second operand, which must be a pointer, points to, if that is known.
fn out_pointer(call: &Call<'_, '_, '_>) -> Result<Option<Id>, Finding> {
    call.expect_operand(&glsl::OUT_POINTER, 1, POINTER)?;
    Ok(call.m().pointee(call.ty(1)))
}

fn int(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    call.expect_result(&glsl::INT_RESULT, INT.scalar_or_vector())?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = ty == result
            || m.is_int_scalar_or_vector(ty)
                && same_size(m, ty, result)
                && m.bit_width(ty) == m.bit_width(result);
        call.operand(
            &glsl::INT_OPERAND,
            index,
            fits,
            "an integer scalar or vector with the same number of components as the result and the same width",
        )?;
        Ok(())
    }))
}

fn length(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let result = call.result_type();
    let fits = m.is_float_scalar(result);
    call.result(&glsl::LENGTH_RESULT, fits, "a floating-point scalar")?;
    all((0..call.count()).map(|index| {
        let ty = call.ty(index);
        let fits = m.is_float_scalar_or_vector(ty) && m.component_type(ty) == result;
        call.operand(
            &glsl::LENGTH_OPERAND,
            index,
            fits,
            "of the result type or a vector with components of it",
        )?;
        Ok(())
    }))?;
    let fits = call.count() < 2 || same_size(m, call.ty(0), call.ty(1));
    call.operand(
        &glsl::DISTANCE_SIZES,
        1,
        fits,
        "of the same number of components as the first point",
    )
}

/// All interpolations begin alike.
fn interpolate(call: &Call<'_, '_, '_>) -> CheckResult {
    const FRAGMENT: Models = Models::of(&[ExecutionModel::Fragment]);
    let m = call.m();
    let result = call.result_type();
    let capability = expect(m.has(Capability::InterpolationFunction), || {
        let message = format!(
            "{} needs the capability InterpolationFunction, which the module doesn't declare",
            call.name()
        );
        call.at.finding(&glsl::INTERPOLATE_CAPABILITY, message)
    });
    let takes_half = m.bit_width(result) == 16 && m.has_extension(HALF_FLOATS);
    let fits = m.is_float_scalar_or_vector(result) && (m.bit_width(result) == 32 || takes_half);
    let wanted = "a scalar or vector of 32-bit floats";
    // Front ends for HLSL load the input, and legalization takes the load away.
    let interpolant = m.def(call.id(0));
    let pointer = match interpolant {
        Some(load) if load.op() == Op::Load && m.options.before_hlsl_legalization => {
            m.type_of(load.id(0)).unwrap_or(Id(0))
        }
        _ => call.ty(0),
    };
    let types = call
        .result(&glsl::INTERPOLATE_RESULT, fits, wanted)
        .and_then(|()| {
            let fits = m.pointer_class(pointer) == Some(StorageClass::Input)
                && m.pointee(pointer).is_none_or(|pointee| pointee == result);
            let wanted = "a pointer into the storage class `Input` to the result type";
            call.operand(&glsl::INTERPOLANT, 0, fits, wanted)
        });
    let stages = match call.at.models_outside(FRAGMENT) {
        None => Ok(()),
        Some(models) => {
            let message = format!(
                "{} can be used only in Fragment, but is reached from {models}",
                call.name()
            );
            Err(call.at.finding(&glsl::INTERPOLATE_STAGE, message))
        }
    };
    all([capability, types, stages])
}

fn operand_of_first_member(
    call: &Call<'_, '_, '_>,
    rule: &'static crate::rule::Rule,
) -> CheckResult {
    let members = call.m().members(call.result_type());
    let fits = members.first() == Some(&call.ty(0).0);
    call.operand(rule, 0, fits, "of the type of the result's first member")
}

fn is_square(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Matrix { column, count } => m.dimension(column) == count && m.is_float_matrix(ty),
        _ => false,
    }
}

/// Whether a type is that of exponents for significands of another type.
fn is_exponent(m: &Module<'_>, ty: Id, significand: Id) -> bool {
    let width_fits = match m.bit_width(ty) {
        32 => true,
        16 => m.has_extension(SHORT_INTS),
        _ => false,
    };
    m.is_int_scalar_or_vector(ty) && width_fits && same_size(m, ty, significand)
}

fn same_size(m: &Module<'_>, one: Id, other: Id) -> bool {
    m.dimension(one) == m.dimension(other)
}

/// What is on one side of a packing.
#[derive(Clone, Copy)]
enum Side {
    /// A vector of 32-bit floats.
    Floats(u32),
    /// A vector of two 32-bit integers.
    Ints,
    /// A 32-bit integer.
    Int,
    /// A 64-bit float.
    Double,
}

impl Packed {
    /// The components and what they are packed into.
    fn sides(self) -> (Side, Side) {
        match self {
            Self::Floats(count) => (Side::Floats(count), Side::Int),
            Self::Double => (Side::Ints, Side::Double),
        }
    }
}

impl Side {
    fn holds(self, m: &Module<'_>, ty: Id) -> bool {
        let is_vector_of = |size| m.dimension(ty) == size && m.bit_width(ty) == 32;
        match self {
            Self::Floats(count) => m.is_float_vector(ty) && is_vector_of(count),
            Self::Ints => m.is_int_vector(ty) && is_vector_of(2),
            Self::Int => m.is_int_scalar_of(ty, 32),
            Self::Double => m.is_float_scalar_of(ty, 64),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Floats(2) => "a vector of two 32-bit floats",
            Self::Floats(_) => "a vector of four 32-bit floats",
            Self::Ints => "a vector of two 32-bit integers",
            Self::Int => "a 32-bit integer",
            Self::Double => "a 64-bit float",
        }
    }
}
