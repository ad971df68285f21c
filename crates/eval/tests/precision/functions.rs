//! The functions, what they should give, and of what.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Precision, Scalar, ScalarType, evaluate_glsl_scalar, evaluate_opencl_scalar,
    glsl_precision, opencl_precision,
};
use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::Random;
use crate::reference::{Big, erf, erfc, gamma, lgamma, pi, pow, root};

/// An instruction of either set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    Glsl(Glsl),
    OpenCl(OpenCl),
}

use Instruction::{Glsl as G, OpenCl as C};

impl Instruction {
    /// The result, and how exact it must be.
    pub(crate) fn run(
        self,
        format: FloatFormat,
        operands: &[Scalar],
        numbers: &[f64],
    ) -> (f64, Precision) {
        let ty = ScalarType::Float(format);
        let environment = Environment::default();
        let (outcome, precision) = match self {
            G(it) => (
                evaluate_glsl_scalar(it, ty, operands, &environment),
                glsl_precision(it, format, numbers),
            ),
            C(it) => (
                evaluate_opencl_scalar(it, ty, operands, &environment),
                opencl_precision(it, format, 1),
            ),
        };
        (outcome.unwrap().common().to_f64().unwrap(), precision)
    }

    /// Whether it takes no numbers of 64 bits.
    pub(crate) fn is_narrow(self) -> bool {
        matches!(self, G(instruction) if !matches!(instruction, Glsl::Sqrt | Glsl::InverseSqrt))
    }
}

/// A function.
pub(crate) struct Function {
    /// Whose function it is.
    pub(crate) instructions: &'static [Instruction],
    /// What it should give.
    pub(crate) exact: fn(&[Big]) -> Big,
    /// The operands of most interest.
    pub(crate) ranges: &'static [(f64, f64)],
    /// Whether the last operand is an integer.
    pub(crate) takes_integer: bool,
    /// Whether there is a result that can be computed exactly.
    pub(crate) domain: fn(&[f64]) -> bool,
    /// The greatest error for numbers of 64 bits, in units of the last place.
    pub(crate) most: f64,
}

impl Function {
    /// Operands, of which some are anywhere and some where the function is of interest.
    pub(crate) fn operands(&self, random: &mut Random, format: FloatFormat) -> Vec<Scalar> {
        let numbers = self
            .ranges
            .iter()
            .map(|range| random.number(format, *range));
        let mut operands: Vec<Scalar> = numbers.collect();
        if let (true, Some(last)) = (self.takes_integer, operands.last_mut()) {
            let number = last.to_f64().unwrap();
            *last = Scalar::from(number.clamp(-2e9, 2e9) as i32 as u32);
        }
        operands
    }
}

const fn function(
    instructions: &'static [Instruction],
    most: f64,
    ranges: &'static [(f64, f64)],
    domain: fn(&[f64]) -> bool,
    exact: fn(&[Big]) -> Big,
) -> Function {
    Function {
        instructions,
        exact,
        ranges,
        takes_integer: false,
        domain,
        most,
    }
}

fn everywhere(_: &[f64]) -> bool {
    true
}

fn in_unit(x: &[f64]) -> bool {
    x[0].abs() <= 1.0
}

fn positive(x: &[f64]) -> bool {
    x[0] > 0.0
}

/// What doesn't make numbers whose exponents nobody has.
fn small(x: &[f64]) -> bool {
    x[0].abs() < 2_000.0
}

const AROUND: &[(f64, f64)] = &[(-7.0, 7.0)];
const UNIT: &[(f64, f64)] = &[(-1.0, 1.0)];
const RIGHT: &[(f64, f64)] = &[(0.0, 4.0)];
const BOTH: &[(f64, f64)] = &[(-3.0, 3.0), (-3.0, 3.0)];

pub(crate) static FUNCTIONS: &[Function] = &[
    function(
        &[G(Glsl::Radians), C(OpenCl::radians)],
        1.5,
        AROUND,
        everywhere,
        |x| &x[0] * pi(&x[0]) / Big::from(180),
    ),
    function(
        &[G(Glsl::Degrees), C(OpenCl::degrees)],
        1.5,
        AROUND,
        everywhere,
        |x| &x[0] * Big::from(180) / pi(&x[0]),
    ),
    function(
        &[
            G(Glsl::Sin),
            C(OpenCl::sin),
            C(OpenCl::half_sin),
            C(OpenCl::native_sin),
        ],
        1.0,
        AROUND,
        everywhere,
        |x| x[0].sin(),
    ),
    function(
        &[
            G(Glsl::Cos),
            C(OpenCl::cos),
            C(OpenCl::half_cos),
            C(OpenCl::native_cos),
        ],
        1.0,
        AROUND,
        everywhere,
        |x| x[0].cos(),
    ),
    function(
        &[
            G(Glsl::Tan),
            C(OpenCl::tan),
            C(OpenCl::half_tan),
            C(OpenCl::native_tan),
        ],
        1.0,
        AROUND,
        everywhere,
        |x| x[0].tan(),
    ),
    function(&[G(Glsl::Asin), C(OpenCl::asin)], 1.0, UNIT, in_unit, |x| {
        x[0].asin()
    }),
    function(&[G(Glsl::Acos), C(OpenCl::acos)], 1.0, UNIT, in_unit, |x| {
        x[0].acos()
    }),
    function(
        &[G(Glsl::Atan), C(OpenCl::atan)],
        1.0,
        AROUND,
        everywhere,
        |x| x[0].atan(),
    ),
    function(
        &[G(Glsl::Atan2), C(OpenCl::atan2)],
        1.5,
        BOTH,
        |x| x[0] != 0.0 && x[1] != 0.0,
        |x| x[0].atan2(&x[1]),
    ),
    function(&[G(Glsl::Sinh), C(OpenCl::sinh)], 2.0, AROUND, small, |x| {
        x[0].sinh()
    }),
    function(&[G(Glsl::Cosh), C(OpenCl::cosh)], 2.0, AROUND, small, |x| {
        x[0].cosh()
    }),
    function(&[G(Glsl::Tanh), C(OpenCl::tanh)], 2.5, AROUND, small, |x| {
        x[0].tanh()
    }),
    function(
        &[G(Glsl::Asinh), C(OpenCl::asinh)],
        2.0,
        AROUND,
        everywhere,
        |x| x[0].asinh(),
    ),
    function(
        &[G(Glsl::Acosh), C(OpenCl::acosh)],
        2.5,
        RIGHT,
        |x| x[0] >= 1.0,
        |x| x[0].acosh(),
    ),
    function(
        &[G(Glsl::Atanh), C(OpenCl::atanh)],
        2.0,
        UNIT,
        |x| x[0].abs() < 1.0,
        |x| x[0].atanh(),
    ),
    function(
        &[
            G(Glsl::Exp),
            C(OpenCl::exp),
            C(OpenCl::half_exp),
            C(OpenCl::native_exp),
        ],
        1.0,
        AROUND,
        small,
        |x| x[0].exp(),
    ),
    function(
        &[
            G(Glsl::Exp2),
            C(OpenCl::exp2),
            C(OpenCl::half_exp2),
            C(OpenCl::native_exp2),
        ],
        1.0,
        AROUND,
        small,
        |x| pow(&two(x), &x[0]),
    ),
    function(
        &[
            C(OpenCl::exp10),
            C(OpenCl::half_exp10),
            C(OpenCl::native_exp10),
        ],
        1.0,
        AROUND,
        small,
        |x| pow(&(two(x) * Big::from(5)), &x[0]),
    ),
    function(&[C(OpenCl::expm1)], 1.0, AROUND, small, |x| x[0].exp_m1()),
    function(
        &[
            G(Glsl::Log),
            C(OpenCl::log),
            C(OpenCl::half_log),
            C(OpenCl::native_log),
        ],
        1.0,
        RIGHT,
        positive,
        |x| x[0].ln(),
    ),
    function(
        &[
            G(Glsl::Log2),
            C(OpenCl::log2),
            C(OpenCl::half_log2),
            C(OpenCl::native_log2),
        ],
        1.0,
        RIGHT,
        positive,
        |x| x[0].log2(),
    ),
    function(
        &[
            C(OpenCl::log10),
            C(OpenCl::half_log10),
            C(OpenCl::native_log10),
        ],
        2.0,
        RIGHT,
        positive,
        |x| x[0].log10(),
    ),
    function(
        &[C(OpenCl::log1p)],
        1.0,
        RIGHT,
        |x| x[0] > -1.0,
        |x| x[0].ln_1p(),
    ),
    function(
        &[
            G(Glsl::Pow),
            C(OpenCl::powr),
            C(OpenCl::half_powr),
            C(OpenCl::native_powr),
        ],
        1.0,
        &[(0.0, 4.0), (-9.0, 9.0)],
        |x| x[0] > 0.0 && is_moderate(x[0], x[1]),
        |x| pow(&x[0], &x[1]),
    ),
    function(
        &[C(OpenCl::pow)],
        1.0,
        &[(-4.0, 4.0), (-9.0, 9.0)],
        |x| (x[0] > 0.0 || x[0] < 0.0 && x[1] == x[1].trunc()) && is_moderate(x[0], x[1]),
        |x| pow(&x[0], &x[1]),
    ),
    Function {
        takes_integer: true,
        ..function(
            &[C(OpenCl::pown)],
            1.0,
            &[(-4.0, 4.0), (-60.0, 60.0)],
            |x| x[0] != 0.0 && is_moderate(x[0], x[1]),
            |x| pow(&x[0], &x[1]),
        )
    },
    Function {
        takes_integer: true,
        ..function(
            &[C(OpenCl::rootn)],
            2.0,
            &[(-9.0, 9.0), (-40.0, 40.0)],
            |x| x[1] != 0.0 && (x[0] > 0.0 || x[0] < 0.0 && x[1] % 2.0 != 0.0),
            |x| root(&x[0], &x[1]),
        )
    },
    function(
        &[
            G(Glsl::Sqrt),
            C(OpenCl::sqrt),
            C(OpenCl::half_sqrt),
            C(OpenCl::native_sqrt),
        ],
        0.5,
        RIGHT,
        positive,
        |x| x[0].sqrt(),
    ),
    function(
        &[
            G(Glsl::InverseSqrt),
            C(OpenCl::rsqrt),
            C(OpenCl::half_rsqrt),
            C(OpenCl::native_rsqrt),
        ],
        2.0,
        RIGHT,
        positive,
        |x| Big::ONE / x[0].sqrt(),
    ),
    function(
        &[C(OpenCl::half_recip), C(OpenCl::native_recip)],
        0.5,
        AROUND,
        |x| x[0] != 0.0,
        |x| Big::ONE / &x[0],
    ),
    function(
        &[C(OpenCl::half_divide), C(OpenCl::native_divide)],
        0.5,
        BOTH,
        |x| x[1] != 0.0,
        |x| &x[0] / &x[1],
    ),
    function(
        &[C(OpenCl::cbrt)],
        1.0,
        AROUND,
        |x| x[0] != 0.0,
        |x| root(&x[0], &Big::from(3)),
    ),
    function(
        &[C(OpenCl::hypot)],
        1.5,
        BOTH,
        |x| x[0] != 0.0 || x[1] != 0.0,
        |x| (&x[0] * &x[0] + &x[1] * &x[1]).sqrt(),
    ),
    function(&[C(OpenCl::sinpi)], 1.5, AROUND, everywhere, |x| {
        x[0].sin_pi()
    }),
    function(&[C(OpenCl::cospi)], 1.5, AROUND, everywhere, |x| {
        x[0].cos_pi()
    }),
    function(
        &[C(OpenCl::tanpi)],
        2.5,
        AROUND,
        |x| x[0] * 2.0 != (x[0] * 2.0).trunc(),
        |x| x[0].tan_pi(),
    ),
    function(&[C(OpenCl::asinpi)], 2.0, UNIT, in_unit, |x| {
        x[0].asin() / pi(&x[0])
    }),
    function(&[C(OpenCl::acospi)], 2.0, UNIT, in_unit, |x| {
        x[0].acos() / pi(&x[0])
    }),
    function(&[C(OpenCl::atanpi)], 2.0, AROUND, everywhere, |x| {
        x[0].atan() / pi(&x[0])
    }),
    function(
        &[C(OpenCl::atan2pi)],
        2.5,
        BOTH,
        |x| x[0] != 0.0 && x[1] != 0.0,
        |x| x[0].atan2(&x[1]) / pi(&x[0]),
    ),
    function(
        &[C(OpenCl::erf)],
        1.0,
        AROUND,
        |x| x[0].abs() < 6.0,
        |x| erf(&x[0]),
    ),
    function(
        &[C(OpenCl::erfc)],
        3.0,
        AROUND,
        |x| (-6.0..28.0).contains(&x[0]),
        |x| erfc(&x[0]),
    ),
    function(
        &[C(OpenCl::tgamma)],
        10.0,
        AROUND,
        |x| has_gamma(x) && (-200.0..200.0).contains(&x[0]),
        |x| gamma(&x[0]),
    ),
    function(
        &[C(OpenCl::lgamma)],
        f64::MAX,
        &[(0.0, 40.0)],
        |x| has_gamma(x) && (0.0..300.0).contains(&x[0]),
        |x| lgamma(&x[0]),
    ),
    function(
        &[G(Glsl::SmoothStep), C(OpenCl::smoothstep)],
        f64::MAX,
        &[(-2.0, 0.0), (0.0, 2.0), (-2.0, 2.0)],
        |x| x[0] < x[1] && is_small(x),
        smooth_step,
    ),
    function(
        &[C(OpenCl::mix)],
        f64::MAX,
        &[(-2.0, 2.0), (-2.0, 2.0), (0.0, 1.0)],
        |x| (0.0..=1.0).contains(&x[2]) && is_small(x),
        |x| &x[0] + (&x[1] - &x[0]) * &x[2],
    ),
];

/// The number 2, with as many digits.
fn two(x: &[Big]) -> Big {
    Big::from(2).with_precision(x[0].precision()).value()
}

/// Whether a power is of numbers with exponents that somebody has.
fn is_moderate(x: f64, y: f64) -> bool {
    (x.abs().ln() * y).abs() < 2_000.0
}

fn is_small(x: &[f64]) -> bool {
    x.iter()
        .all(|it| it.abs() < 1e6 && (*it == 0.0 || it.abs() > 1e-6))
}

/// Whether the gamma function has no pole there, and 1 is not its value.
fn has_gamma(x: &[f64]) -> bool {
    x[0] > 0.0 || x[0] != x[0].trunc()
}

fn smooth_step(x: &[Big]) -> Big {
    let t = (&x[2] - &x[0]) / (&x[1] - &x[0]);
    let t = if t < Big::ZERO {
        Big::ZERO
    } else if t > Big::ONE {
        Big::ONE
    } else {
        t
    };
    t.clone() * &t * (Big::from(3) - Big::from(2) * t)
}
