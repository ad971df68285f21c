//! Mathematical and common functions (OpenCL C, sections 6.15.2 and 6.15.4).

use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::environment::Rounding;
use crate::float::{Arithmetic, least};
use crate::glsl;
use crate::math::{self, Function};
use crate::outcome::{Outcome, Reason};
use crate::real::{Layout, Real};
use crate::signature::{Bits, MAX_OPERANDS, defined, undefined};

/// What an instruction computes, if it is not exact.
fn function(instruction: OpenCl) -> Option<Function> {
    use Function::{Integer, One, Three, Two};
    Some(match instruction {
        OpenCl::acos => One(libm::acos),
        OpenCl::acosh => One(libm::acosh),
        OpenCl::acospi => One(math::acospi),
        OpenCl::asin => One(libm::asin),
        OpenCl::asinh => One(libm::asinh),
        OpenCl::asinpi => One(math::asinpi),
        OpenCl::atan => One(libm::atan),
        OpenCl::atan2 => Two(libm::atan2),
        OpenCl::atanh => One(libm::atanh),
        OpenCl::atanpi => One(math::atanpi),
        OpenCl::atan2pi => Two(math::atan2pi),
        OpenCl::cbrt => One(libm::cbrt),
        OpenCl::cos | OpenCl::half_cos | OpenCl::native_cos => One(libm::cos),
        OpenCl::cosh => One(libm::cosh),
        OpenCl::cospi => One(math::cospi),
        OpenCl::erfc => One(libm::erfc),
        OpenCl::erf => One(libm::erf),
        OpenCl::exp | OpenCl::half_exp | OpenCl::native_exp => One(libm::exp),
        OpenCl::exp2 | OpenCl::half_exp2 | OpenCl::native_exp2 => One(libm::exp2),
        OpenCl::exp10 | OpenCl::half_exp10 | OpenCl::native_exp10 => One(math::exp10),
        OpenCl::expm1 => One(libm::expm1),
        // Exact.
        OpenCl::fmod => Two(libm::fmod),
        OpenCl::hypot => Two(libm::hypot),
        OpenCl::lgamma => One(libm::lgamma),
        OpenCl::log | OpenCl::half_log | OpenCl::native_log => One(libm::log),
        OpenCl::log2 | OpenCl::half_log2 | OpenCl::native_log2 => One(libm::log2),
        OpenCl::log10 | OpenCl::half_log10 | OpenCl::native_log10 => One(libm::log10),
        OpenCl::log1p => One(libm::log1p),
        OpenCl::logb => One(math::logb),
        OpenCl::pow => Two(libm::pow),
        OpenCl::pown => Integer(|x, n| libm::pow(x, n as f64)),
        OpenCl::powr | OpenCl::half_powr | OpenCl::native_powr => Two(math::powr),
        // Exact.
        OpenCl::remainder => Two(libm::remainder),
        OpenCl::rootn => Integer(math::rootn),
        OpenCl::round => One(libm::round),
        OpenCl::rsqrt | OpenCl::half_rsqrt | OpenCl::native_rsqrt => One(math::rsqrt),
        // Exact but for one rounding: twice 24 bits are less than 53.
        OpenCl::half_divide | OpenCl::native_divide => Two(|x, y| x / y),
        OpenCl::half_recip | OpenCl::native_recip => One(|x| 1.0 / x),
        OpenCl::sin | OpenCl::half_sin | OpenCl::native_sin => One(libm::sin),
        OpenCl::sinh => One(libm::sinh),
        OpenCl::sinpi => One(math::sinpi),
        OpenCl::sqrt | OpenCl::half_sqrt | OpenCl::native_sqrt => One(libm::sqrt),
        OpenCl::tan | OpenCl::half_tan | OpenCl::native_tan => One(libm::tan),
        OpenCl::tanh => One(libm::tanh),
        OpenCl::tanpi => One(math::tanpi),
        OpenCl::tgamma => One(libm::tgamma),
        OpenCl::degrees => One(math::degrees),
        OpenCl::radians => One(math::radians),
        OpenCl::mix => Three(|x, y, a| x + (y - x) * a),
        OpenCl::smoothstep => Three(math::smooth_step),
        _ => return None,
    })
}

/// The instruction of the other set that does the same.
fn twin(instruction: OpenCl) -> Option<Glsl> {
    Some(match instruction {
        OpenCl::ceil => Glsl::Ceil,
        OpenCl::fabs => Glsl::FAbs,
        OpenCl::floor => Glsl::Floor,
        OpenCl::rint => Glsl::RoundEven,
        OpenCl::step => Glsl::Step,
        OpenCl::trunc => Glsl::Trunc,
        _ => return None,
    })
}

/// Whether the result for these operands is undefined.
fn is_undefined(instruction: OpenCl, [x, y, z]: [f64; 3]) -> bool {
    /// What may be asked of the half-precise circular functions.
    const MOST: f64 = 65_536.0;
    match instruction {
        OpenCl::half_cos | OpenCl::half_sin | OpenCl::half_tan => x.abs() > MOST,
        OpenCl::mix => !(0.0..=1.0).contains(&z),
        // What isn't ordered isn't in order.
        OpenCl::smoothstep => x >= y || x.is_nan() || y.is_nan() || z.is_nan(),
        _ => false,
    }
}

/// A function with a floating-point result; `integer` is the second operand, if it is one.
pub(super) fn evaluate(
    instruction: OpenCl,
    arithmetic: Arithmetic,
    bits: [u64; MAX_OPERANDS],
    integer: i64,
) -> Bits {
    let floats = match instruction {
        OpenCl::nan => 0,
        OpenCl::ldexp | OpenCl::pown | OpenCl::rootn => 1,
        _ => 3,
    };
    let outcome = match (function(instruction), twin(instruction)) {
        (Some(function), _) => {
            let numbers = [bits[0], bits[1], bits[2]].map(|bits| arithmetic.number(bits));
            let is_undefined = is_undefined(instruction, numbers);
            let bits = function.call(arithmetic, numbers, integer);
            Outcome::new(bits, is_undefined.then_some(Reason::Domain))
        }
        (None, Some(twin)) => glsl::floats(twin, arithmetic, bits, integer),
        (None, None) => exact(instruction, arithmetic, bits, integer),
    };
    arithmetic.in_mode(&bits[..floats], outcome)
}

/// Functions whose results are exact, but for one rounding.
fn exact(
    instruction: OpenCl,
    arithmetic: Arithmetic,
    bits: [u64; MAX_OPERANDS],
    integer: i64,
) -> Bits {
    let layout = arithmetic.layout;
    let [a, b, c] = [bits[0], bits[1], bits[2]].map(|bits| arithmetic.operand(bits));
    let [x, y, z] = [a, b, c].map(|bits| layout.decode(bits).to_f64());
    defined(match instruction {
        OpenCl::copysign => layout.magnitude(a) | layout.zero_of_sign(b),
        OpenCl::fdim if x <= y => 0,
        OpenCl::fdim => {
            let difference = layout
                .decode(a)
                .plus(layout.decode(b).negated(), Rounding::NearestEven);
            arithmetic.rounded(difference)
        }
        OpenCl::fmax => greatest(layout, a, b),
        OpenCl::fmin => smallest(layout, a, b),
        OpenCl::fmax_common | OpenCl::fmin_common => {
            let is_max = instruction == OpenCl::fmax_common;
            let common = if is_max {
                greatest(layout, a, b)
            } else {
                smallest(layout, a, b)
            };
            match x.is_finite() && y.is_finite() {
                true => common,
                false => return undefined(Reason::InfinityOrNan, common),
            }
        }
        OpenCl::fclamp => {
            let common = smallest(layout, greatest(layout, a, b), c);
            match y > z {
                true => return undefined(Reason::ClampBounds, common),
                false => common,
            }
        }
        OpenCl::maxmag if x.abs() > y.abs() => a,
        OpenCl::maxmag if y.abs() > x.abs() => b,
        OpenCl::maxmag => greatest(layout, a, b),
        OpenCl::minmag if x.abs() < y.abs() => a,
        OpenCl::minmag if y.abs() < x.abs() => b,
        OpenCl::minmag => smallest(layout, a, b),
        OpenCl::ldexp => arithmetic.rounded(layout.decode(a).scaled(integer)),
        OpenCl::nan => arithmetic.nearest(f64::NAN),
        OpenCl::nextafter if x.is_nan() || y.is_nan() => arithmetic.nearest(f64::NAN),
        OpenCl::nextafter => next_after(layout, a, b, x, y),
        // The sign, 0 for a NaN.
        _ if x.is_nan() => 0,
        _ if x == 0.0 => a,
        _ => arithmetic.rounded(Real::integer(if x > 0.0 { 1 } else { -1 })),
    })
}

/// Of zeros, the first is meant.
fn smallest(layout: Layout, a: u64, b: u64) -> u64 {
    least(layout, a, b, true, false).common()
}

fn greatest(layout: Layout, a: u64, b: u64) -> u64 {
    least(layout, a, b, true, true).common()
}

/// The next number after `x` towards `y`; `a` and `b` are their bits.
fn next_after(layout: Layout, a: u64, b: u64, x: f64, y: f64) -> u64 {
    if x == y {
        return b;
    }
    if x == 0.0 {
        return layout.zero_of_sign(b) | 1;
    }
    // Magnitudes are in the order of their bits.
    match (x < y) == (x > 0.0) {
        true => a + 1,
        false => a - 1,
    }
}

/// The exponent as an integer.
pub(super) fn ilogb(arithmetic: Arithmetic, bits: u64) -> Bits {
    let x = arithmetic.number(bits);
    // These are what `libm` has for C, and OpenCL takes.
    let exponent = match (x.is_nan(), x == 0.0) {
        (true, _) => i32::MAX,
        (_, true) => i32::MIN,
        _ => libm::ilogb(x),
    };
    Outcome::new(exponent as u64, arithmetic.undefined(bits))
}
