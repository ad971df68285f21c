//! How exact the results of extended instructions must be.

use spirvkit_binary::FloatFormat;
use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

/// How far from the exact result an implementation's may be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Precision {
    /// Not at all, but for one rounding, or none if it says so itself.
    Correct,
    /// So many units in the last place.
    Ulp(f64),
    /// So much.
    Absolute(f64),
    /// So many times the square of the greatest operand and the difference between 1 and the
    /// next number.
    OfSquare(f64),
    /// As far as what the formula gives with operations that are as exact as they must be.
    Inherited,
    /// As far as the implementation likes.
    Unspecified,
}

use Precision::{Absolute, Correct, Inherited, OfSquare, Ulp, Unspecified};

/// What Vulkan asks of an instruction of `GLSL.std.450` with these numbers as operands
/// ("Precision of GLSL.std.450 Instructions" in the appendix "Vulkan Environment for
/// SPIR-V"). Numbers of 64 bits need not be more exact than those of 32.
///
/// ```
/// use spirvkit_binary::FloatFormat;
/// use spirvkit_eval::{Precision, glsl_precision};
/// use spirvkit_grammar::GlslStd450;
///
/// let precision = glsl_precision(GlslStd450::Exp, FloatFormat::Single, &[-2.0]);
/// assert_eq!(precision, Precision::Ulp(7.0));
/// ```
pub fn glsl_precision(instruction: Glsl, format: FloatFormat, operands: &[f64]) -> Precision {
    use core::f64::consts::PI;
    let x = operands.first().copied().unwrap_or(f64::NAN);
    let is_half = format == FloatFormat::Half;
    let by_format = |half, other| if is_half { half } else { other };
    match instruction {
        Glsl::Exp | Glsl::Exp2 => Ulp(by_format(1.0, 3.0) + 2.0 * x.abs()),
        Glsl::Log | Glsl::Log2 if (0.5..=2.0).contains(&x) => {
            Absolute(by_format(1.0 / 128.0, 1.0 / 2_097_152.0))
        }
        Glsl::Log | Glsl::Log2 => Ulp(3.0),
        Glsl::InverseSqrt => Ulp(2.0),
        Glsl::Sin | Glsl::Cos if x.abs() <= PI => Absolute(by_format(1.0 / 128.0, 1.0 / 2_048.0)),
        Glsl::Sin | Glsl::Cos => Unspecified,
        Glsl::Atan | Glsl::Atan2 => Ulp(by_format(5.0, 4_096.0)),
        Glsl::Pow
        | Glsl::Sqrt
        | Glsl::Tan
        | Glsl::Asin
        | Glsl::Acos
        | Glsl::Sinh
        | Glsl::Cosh
        | Glsl::Tanh
        | Glsl::Asinh
        | Glsl::Acosh
        | Glsl::Atanh
        | Glsl::Radians
        | Glsl::Degrees
        | Glsl::FMix
        | Glsl::SmoothStep
        | Glsl::Fma
        | Glsl::Length
        | Glsl::Distance
        | Glsl::Cross
        | Glsl::Normalize
        | Glsl::FaceForward
        | Glsl::Reflect
        | Glsl::Refract => Inherited,
        Glsl::Determinant
        | Glsl::MatrixInverse
        | Glsl::PackSnorm4x8
        | Glsl::PackUnorm4x8
        | Glsl::PackSnorm2x16
        | Glsl::PackUnorm2x16
        | Glsl::UnpackSnorm4x8
        | Glsl::UnpackUnorm4x8
        | Glsl::UnpackSnorm2x16
        | Glsl::UnpackUnorm2x16 => Unspecified,
        _ => Correct,
    }
}

/// What OpenCL asks of an instruction of `OpenCL.std` on numbers, in the full profile,
/// without relaxed mathematics (section 8.4, "ULP Values for Math Instructions", of the
/// OpenCL SPIR-V Environment). A geometric function's operands are vectors of `size`
/// components.
pub fn opencl_precision(instruction: OpenCl, format: FloatFormat, size: usize) -> Precision {
    let by_format = |double, single, half| match format {
        FloatFormat::Double => double,
        FloatFormat::Half => half,
        _ => single,
    };
    let ulp = |double, single, half| by_format(Ulp(double), Ulp(single), Ulp(half));
    let fast = |single| by_format(Unspecified, Ulp(single), Unspecified);
    let n = size as f64;
    let (of_length, of_distance) = ((2.0 * n - 1.0) / 4.0, (4.0 * n - 1.0) / 4.0);
    match instruction {
        OpenCl::acos
        | OpenCl::acosh
        | OpenCl::asin
        | OpenCl::asinh
        | OpenCl::cos
        | OpenCl::cosh
        | OpenCl::cospi
        | OpenCl::hypot
        | OpenCl::sin
        | OpenCl::sincos
        | OpenCl::sinh
        | OpenCl::sinpi => ulp(4.0, 4.0, 2.0),
        OpenCl::acospi
        | OpenCl::asinpi
        | OpenCl::atan
        | OpenCl::atanh
        | OpenCl::atanpi
        | OpenCl::tan
        | OpenCl::tanh => ulp(5.0, 5.0, 2.0),
        OpenCl::atan2 | OpenCl::atan2pi | OpenCl::tanpi => ulp(6.0, 6.0, 2.0),
        OpenCl::exp
        | OpenCl::exp2
        | OpenCl::exp10
        | OpenCl::expm1
        | OpenCl::log
        | OpenCl::log2
        | OpenCl::log10 => ulp(3.0, 3.0, 2.0),
        OpenCl::cbrt | OpenCl::degrees | OpenCl::log1p | OpenCl::radians => ulp(2.0, 2.0, 2.0),
        OpenCl::erf
        | OpenCl::erfc
        | OpenCl::pow
        | OpenCl::pown
        | OpenCl::powr
        | OpenCl::rootn
        | OpenCl::tgamma => ulp(16.0, 16.0, 4.0),
        OpenCl::rsqrt => ulp(2.0, 2.0, 1.0),
        OpenCl::sqrt => by_format(Correct, Ulp(3.0), Correct),
        OpenCl::length => ulp(0.5 + of_length, 3.0 + of_length, 6.0 + 2.0 * of_length),
        OpenCl::distance => {
            let more = 2.0 * of_distance;
            ulp(0.5 + more, 3.0 + more, 6.0 + more)
        }
        OpenCl::normalize => {
            let more = 2.0 * of_length;
            ulp(1.5 + more, 2.5 + more, 5.0 + more)
        }
        OpenCl::fast_length => fast(8_192.0 + 2.0 * of_length),
        OpenCl::fast_distance => fast(8_192.0 + 2.0 * of_distance),
        OpenCl::fast_normalize => fast(8_192.5 + 2.0 * of_length),
        OpenCl::cross => OfSquare(3.0),
        OpenCl::mix => by_format(Unspecified, Absolute(1e-3), Unspecified),
        OpenCl::smoothstep => by_format(Unspecified, Absolute(1e-5), Unspecified),
        OpenCl::half_cos
        | OpenCl::half_divide
        | OpenCl::half_exp
        | OpenCl::half_exp2
        | OpenCl::half_exp10
        | OpenCl::half_log
        | OpenCl::half_log2
        | OpenCl::half_log10
        | OpenCl::half_powr
        | OpenCl::half_recip
        | OpenCl::half_rsqrt
        | OpenCl::half_sin
        | OpenCl::half_sqrt
        | OpenCl::half_tan => fast(8_192.0),
        OpenCl::lgamma
        | OpenCl::lgamma_r
        | OpenCl::native_cos
        | OpenCl::native_divide
        | OpenCl::native_exp
        | OpenCl::native_exp2
        | OpenCl::native_exp10
        | OpenCl::native_log
        | OpenCl::native_log2
        | OpenCl::native_log10
        | OpenCl::native_powr
        | OpenCl::native_recip
        | OpenCl::native_rsqrt
        | OpenCl::native_sin
        | OpenCl::native_sqrt
        | OpenCl::native_tan => Unspecified,
        _ => Correct,
    }
}
