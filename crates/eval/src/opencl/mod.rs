//! `OpenCL.std`, but for what loads, stores, prints or only moves components.
//!
//! All results are rounded to nearest, whatever the rounding mode, as section 6.15.2 of
//! the OpenCL C specification says of these functions. `half_` and `native_` functions are
//! as good as the others.

mod integer;
mod math;
mod pair;
mod vector;

pub use pair::evaluate_opencl_pair;
pub use vector::evaluate_opencl_vector;

use spirvkit_grammar::{Op, OpenClStd as OpenCl};

use crate::environment::{Environment, Rounding};
use crate::float::Arithmetic;
use crate::operation::evaluate_scalar;
use crate::outcome::{Evaluated, NotComputable, Outcome};
use crate::scalar::{Scalar, ScalarType, sign_extend};
use crate::signature::{
    BIT_SELECT, FLOAT_BINARY, FLOAT_FROM_INTEGER, FLOAT_TERNARY, FLOAT_UNARY, INTEGER_BINARY,
    INTEGER_FROM_FLOAT, INTEGER_SELECT, INTEGER_TERNARY, INTEGER_UNARY, LDEXP, Signature, UPSAMPLE,
    bits_of, defined,
};

/// The signature of an instruction that works on components.
pub(crate) fn signature(instruction: OpenCl) -> Option<&'static Signature> {
    Some(match instruction {
        OpenCl::atan2
        | OpenCl::atan2pi
        | OpenCl::copysign
        | OpenCl::fdim
        | OpenCl::fmax
        | OpenCl::fmin
        | OpenCl::fmod
        | OpenCl::hypot
        | OpenCl::maxmag
        | OpenCl::minmag
        | OpenCl::nextafter
        | OpenCl::pow
        | OpenCl::powr
        | OpenCl::remainder
        | OpenCl::half_divide
        | OpenCl::half_powr
        | OpenCl::native_divide
        | OpenCl::native_powr
        | OpenCl::fmax_common
        | OpenCl::fmin_common
        | OpenCl::step => &FLOAT_BINARY,
        OpenCl::fma | OpenCl::mad | OpenCl::fclamp | OpenCl::mix | OpenCl::smoothstep => {
            &FLOAT_TERNARY
        }
        OpenCl::ldexp | OpenCl::pown | OpenCl::rootn => &LDEXP,
        OpenCl::ilogb => &INTEGER_FROM_FLOAT,
        OpenCl::nan => &FLOAT_FROM_INTEGER,
        OpenCl::acos
        | OpenCl::acosh
        | OpenCl::acospi
        | OpenCl::asin
        | OpenCl::asinh
        | OpenCl::asinpi
        | OpenCl::atan
        | OpenCl::atanh
        | OpenCl::atanpi
        | OpenCl::cbrt
        | OpenCl::ceil
        | OpenCl::cos
        | OpenCl::cosh
        | OpenCl::cospi
        | OpenCl::erfc
        | OpenCl::erf
        | OpenCl::exp
        | OpenCl::exp2
        | OpenCl::exp10
        | OpenCl::expm1
        | OpenCl::fabs
        | OpenCl::floor
        | OpenCl::lgamma
        | OpenCl::log
        | OpenCl::log2
        | OpenCl::log10
        | OpenCl::log1p
        | OpenCl::logb
        | OpenCl::rint
        | OpenCl::round
        | OpenCl::rsqrt
        | OpenCl::sin
        | OpenCl::sinh
        | OpenCl::sinpi
        | OpenCl::sqrt
        | OpenCl::tan
        | OpenCl::tanh
        | OpenCl::tanpi
        | OpenCl::tgamma
        | OpenCl::trunc
        | OpenCl::half_cos
        | OpenCl::half_exp
        | OpenCl::half_exp2
        | OpenCl::half_exp10
        | OpenCl::half_log
        | OpenCl::half_log2
        | OpenCl::half_log10
        | OpenCl::half_recip
        | OpenCl::half_rsqrt
        | OpenCl::half_sin
        | OpenCl::half_sqrt
        | OpenCl::half_tan
        | OpenCl::native_cos
        | OpenCl::native_exp
        | OpenCl::native_exp2
        | OpenCl::native_exp10
        | OpenCl::native_log
        | OpenCl::native_log2
        | OpenCl::native_log10
        | OpenCl::native_recip
        | OpenCl::native_rsqrt
        | OpenCl::native_sin
        | OpenCl::native_sqrt
        | OpenCl::native_tan
        | OpenCl::degrees
        | OpenCl::radians
        | OpenCl::sign => &FLOAT_UNARY,
        OpenCl::s_abs | OpenCl::u_abs | OpenCl::clz | OpenCl::ctz | OpenCl::popcount => {
            &INTEGER_UNARY
        }
        OpenCl::s_abs_diff
        | OpenCl::u_abs_diff
        | OpenCl::s_add_sat
        | OpenCl::u_add_sat
        | OpenCl::s_hadd
        | OpenCl::u_hadd
        | OpenCl::s_rhadd
        | OpenCl::u_rhadd
        | OpenCl::s_max
        | OpenCl::u_max
        | OpenCl::s_min
        | OpenCl::u_min
        | OpenCl::s_mul_hi
        | OpenCl::u_mul_hi
        | OpenCl::s_mul24
        | OpenCl::u_mul24
        | OpenCl::s_sub_sat
        | OpenCl::u_sub_sat
        | OpenCl::rotate => &INTEGER_BINARY,
        OpenCl::s_clamp
        | OpenCl::u_clamp
        | OpenCl::s_mad_hi
        | OpenCl::u_mad_hi
        | OpenCl::s_mad_sat
        | OpenCl::u_mad_sat
        | OpenCl::s_mad24
        | OpenCl::u_mad24 => &INTEGER_TERNARY,
        OpenCl::s_upsample | OpenCl::u_upsample => &UPSAMPLE,
        OpenCl::bitselect => &BIT_SELECT,
        OpenCl::select => &INTEGER_SELECT,
        _ => return None,
    })
}

/// The result of an instruction of `OpenCL.std` that takes scalars and gives one: its
/// mathematical, common, integer and relational functions.
///
/// `mad` rounds once, as `fma` does. `ilogb` is the least integer for 0 and the greatest for
/// a NaN, and `nan` leaves its code out. `select` is that of scalars, which asks whether its
/// last operand is 0; of vectors, it asks for the highest bit of each component.
///
/// ```
/// use spirvkit_eval::{Environment, Scalar, evaluate_opencl_scalar};
/// use spirvkit_grammar::OpenClStd;
///
/// let x = Scalar::from(0.25f32);
/// let sine = evaluate_opencl_scalar(OpenClStd::sinpi, x.ty(), &[x], &Environment::default())?;
/// assert_eq!(sine.defined(), Ok(core::f32::consts::FRAC_1_SQRT_2.into()));
/// # Ok::<(), spirvkit_eval::NotComputable>(())
/// ```
///
/// # Errors
///
/// If the instruction or the types are not such that there is a result.
pub fn evaluate_opencl_scalar(
    instruction: OpenCl,
    result: ScalarType,
    operands: &[Scalar],
    environment: &Environment,
) -> Evaluated<Scalar> {
    let signature = signature(instruction).ok_or(NotComputable::OpenCl(instruction))?;
    signature.check(result, operands)?;
    let environment = &nearest(environment);
    let first = operands.first().map_or(result, |operand| operand.ty());
    let bits = bits_of(operands);
    let [a, b, c, _] = bits;
    let outcome = match (instruction, result) {
        (OpenCl::fma | OpenCl::mad, _) => {
            return evaluate_scalar(Op::FmaKHR, result, operands, environment);
        }
        (OpenCl::bitselect, _) => defined(a & !c | b & c),
        (OpenCl::select, _) => defined(if c == 0 { a } else { b }),
        (_, ScalarType::Float(format)) => {
            let arithmetic = Arithmetic::new(format, environment)?;
            let second = operands.get(1).map_or(0, |it| it.sign_extended());
            math::evaluate(instruction, arithmetic, bits, second)
        }
        (OpenCl::ilogb, _) => {
            let ScalarType::Float(format) = first else {
                return Err(NotComputable::Operand { index: 0 });
            };
            math::ilogb(Arithmetic::new(format, environment)?, a)
        }
        (OpenCl::s_upsample | OpenCl::u_upsample, _) => {
            let width = first.width();
            if result.width() != 2 * width {
                return Err(NotComputable::Operand { index: 0 });
            }
            defined(a << width | b)
        }
        _ => integer::evaluate(instruction, result.width(), bits),
    };
    Ok(outcome.map(|bits| Scalar::new(result, bits)))
}

/// `select` for a component of a vector.
pub(crate) fn select_component(result: ScalarType, operands: &[Scalar]) -> Evaluated<Scalar> {
    INTEGER_SELECT.check(result, operands)?;
    let &[a, b, c] = operands else {
        let found = operands.len();
        return Err(NotComputable::OperandCount { found });
    };
    let is_set = sign_extend(c.bits(), c.ty().width()) < 0;
    Ok(Outcome::new(if is_set { b } else { a }, None))
}

/// The environment, but all is rounded to nearest.
fn nearest(environment: &Environment) -> Environment {
    let mut environment = *environment;
    environment.half.rounding = Rounding::NearestEven;
    environment.single.rounding = Rounding::NearestEven;
    environment.double.rounding = Rounding::NearestEven;
    environment
}
