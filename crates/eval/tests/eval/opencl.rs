//! `OpenCL.std`, where its results are exact or said for special operands.

use proptest::prelude::*;
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Denormals, Environment, Evaluator, NotComputable, Outcome, Reason, Rounding, Scalar,
    ScalarType, Sequence, Specials, Type, Types, Value, evaluate_opencl_pair,
    evaluate_opencl_scalar, evaluate_opencl_vector,
};
use spirvkit_grammar::OpenClStd as OpenCl;

use crate::oracle::real::Format;

const BYTE: ScalarType = ScalarType::Integer { width: 8 };
const SHORT: ScalarType = ScalarType::Integer { width: 16 };
const INT: ScalarType = ScalarType::Integer { width: 32 };
const LONG: ScalarType = ScalarType::Integer { width: 64 };
const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);
const DOUBLE: ScalarType = ScalarType::Float(FloatFormat::Double);

fn run(instruction: OpenCl, operands: &[Scalar]) -> Outcome<Scalar> {
    let environment = Environment::default();
    evaluate_opencl_scalar(instruction, operands[0].ty(), operands, &environment).unwrap()
}

/// What functions of two integers give; those for signed integers get them as such.
fn binary(a: i128, b: i128, least: i128, most: i128, width: u32) -> Vec<(OpenCl, OpenCl, i128)> {
    let saturated = |it: i128| it.clamp(least, most);
    vec![
        (OpenCl::s_abs_diff, OpenCl::u_abs_diff, (a - b).abs()),
        (OpenCl::s_add_sat, OpenCl::u_add_sat, saturated(a + b)),
        (OpenCl::s_sub_sat, OpenCl::u_sub_sat, saturated(a - b)),
        (OpenCl::s_hadd, OpenCl::u_hadd, (a + b).div_euclid(2)),
        (OpenCl::s_rhadd, OpenCl::u_rhadd, (a + b + 1).div_euclid(2)),
        (OpenCl::s_max, OpenCl::u_max, a.max(b)),
        (OpenCl::s_min, OpenCl::u_min, a.min(b)),
        (
            OpenCl::s_mul_hi,
            OpenCl::u_mul_hi,
            match a.checked_mul(b) {
                Some(product) => product.div_euclid(1 << width),
                None => ((a as u128 * b as u128) >> width) as i128,
            },
        ),
    ]
}

#[test]
fn bytes() {
    let byte = |number: i128| Scalar::new(BYTE, number as u64);
    for a in 0..=255u8 {
        let (signed, unsigned) = (i128::from(a as i8), i128::from(a));
        for (instruction, expected) in [
            (OpenCl::s_abs, signed.abs()),
            (OpenCl::u_abs, unsigned),
            (OpenCl::clz, a.leading_zeros().into()),
            (OpenCl::ctz, a.trailing_zeros().into()),
            (OpenCl::popcount, a.count_ones().into()),
        ] {
            let found = run(instruction, &[byte(unsigned)]).defined();
            assert_eq!(found, Ok(byte(expected)), "{instruction:?} {a}");
        }
        for b in 0..=255u8 {
            let (other_signed, other) = (i128::from(b as i8), i128::from(b));
            let operands = [byte(unsigned), byte(other)];
            for (instruction, _, expected) in binary(signed, other_signed, -128, 127, 8) {
                let found = run(instruction, &operands).defined();
                assert_eq!(found, Ok(byte(expected)), "{instruction:?} {a} {b}");
            }
            for (_, instruction, expected) in binary(unsigned, other, 0, 255, 8) {
                let found = run(instruction, &operands).defined();
                assert_eq!(found, Ok(byte(expected)), "{instruction:?} {a} {b}");
            }
            let rotated = run(OpenCl::rotate, &operands).defined();
            assert_eq!(rotated, Ok(byte(a.rotate_left((b % 8).into()).into())));
            let upsampled = |instruction| {
                let environment = Environment::default();
                evaluate_opencl_scalar(instruction, SHORT, &operands, &environment)
            };
            let expected = Ok(Scalar::new(SHORT, u64::from(a) * 256 + u64::from(b)));
            assert_eq!(upsampled(OpenCl::u_upsample).unwrap().defined(), expected);
            assert_eq!(upsampled(OpenCl::s_upsample).unwrap().defined(), expected);
            for c in [0u8, 1, 100, 127, 128, 200, 255] {
                let third_signed = i128::from(c as i8);
                let operands = [byte(unsigned), byte(other), byte(c.into())];
                let c = i128::from(c);
                let high = (signed * other_signed).div_euclid(256);
                for (instruction, expected) in [
                    (OpenCl::s_mad_hi, high + third_signed),
                    (OpenCl::u_mad_hi, unsigned * other / 256 + c),
                    (
                        OpenCl::s_mad_sat,
                        (signed * other_signed + third_signed).clamp(-128, 127),
                    ),
                    (OpenCl::u_mad_sat, (unsigned * other + c).clamp(0, 255)),
                    (
                        OpenCl::bitselect,
                        (0..8)
                            .map(|bit| {
                                let chosen = if c >> bit & 1 == 1 { other } else { unsigned };
                                chosen & 1 << bit
                            })
                            .sum(),
                    ),
                    (OpenCl::select, if c == 0 { unsigned } else { other }),
                ] {
                    let found = run(instruction, &operands).defined();
                    assert_eq!(found, Ok(byte(expected)), "{instruction:?} {a} {b} {c}");
                }
                let clamped = run(OpenCl::u_clamp, &operands);
                let expected = byte(unsigned.max(other).min(c));
                let reason = (other > c).then_some(Reason::ClampBounds);
                assert_eq!(clamped, Outcome::new(expected, reason));
                let clamped = run(OpenCl::s_clamp, &operands);
                let expected = byte(signed.max(other_signed).min(third_signed));
                let reason = (other_signed > third_signed).then_some(Reason::ClampBounds);
                assert_eq!(clamped, Outcome::new(expected, reason));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// The widest integers, whose products are the widest.
    #[test]
    fn longs(a: u64, b: u64, c: u64, widths in (0..=63u32, 0..=63u32)) {
        let (a, b) = (a >> widths.0, b >> widths.1);
        let long = |bits: u64| Scalar::new(LONG, bits);
        let operands = [long(a), long(b)];
        let signed = |bits: u64| i128::from(bits as i64);
        let (least, most) = (i64::MIN.into(), i64::MAX.into());
        for (instruction, _, expected) in binary(signed(a), signed(b), least, most, 64) {
            prop_assert_eq!(run(instruction, &operands).defined(), Ok(long(expected as u64)));
        }
        for (_, instruction, expected) in binary(a.into(), b.into(), 0, u64::MAX.into(), 64) {
            prop_assert_eq!(run(instruction, &operands).defined(), Ok(long(expected as u64)));
        }
        let operands = [long(a), long(b), long(c)];
        let sum = signed(a) * signed(b) + signed(c);
        let saturated = long(sum.clamp(i64::MIN.into(), i64::MAX.into()) as u64);
        prop_assert_eq!(run(OpenCl::s_mad_sat, &operands).defined(), Ok(saturated));
        let sum = (u128::from(a) * u128::from(b)).checked_add(c.into());
        let saturated = sum.and_then(|it| u64::try_from(it).ok()).unwrap_or(u64::MAX);
        prop_assert_eq!(run(OpenCl::u_mad_sat, &operands).defined(), Ok(long(saturated)));
        prop_assert_eq!(run(OpenCl::rotate, &operands[..2]).defined(), Ok(long(a.rotate_left((b % 64) as u32))));
    }

    /// Only the low 24 bits of factors count, and there should be no others.
    #[test]
    fn products_of_24_bits(a: u32, b: u32, c: u32, widths in (0..=31u32, 0..=31u32)) {
        let (a, b) = ((a as i32) >> widths.0, (b as i32) >> widths.1);
        let operands = [a as u32, b as u32, c].map(Scalar::from);
        let low = |it: i32| it << 8 >> 8;
        let expected = low(a).wrapping_mul(low(b));
        let reason = (low(a) != a || low(b) != b).then_some(Reason::Domain);
        let found = run(OpenCl::s_mul24, &operands[..2]);
        prop_assert_eq!(found, Outcome::new((expected as u32).into(), reason));
        let found = run(OpenCl::s_mad24, &operands);
        prop_assert_eq!(found, Outcome::new((expected as u32).wrapping_add(c).into(), reason));
        let (a, b) = (a as u32, b as u32);
        let expected = (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff);
        let reason = (a.max(b) > 0xff_ffff).then_some(Reason::Domain);
        let found = run(OpenCl::u_mul24, &operands[..2]);
        prop_assert_eq!(found, Outcome::new(expected.into(), reason));
        let found = run(OpenCl::u_mad24, &operands);
        prop_assert_eq!(found, Outcome::new(expected.wrapping_add(c).into(), reason));
    }

    /// The machine's numbers of 32 bits.
    #[test]
    fn singles(x: f32, y: f32, z: f32) {
        let run = |instruction, operands: &[f32]| {
            let operands: Vec<Scalar> = operands.iter().map(|&it| it.into()).collect();
            run(instruction, &operands).common().to_f64().unwrap() as f32
        };
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        prop_assert!(same(run(OpenCl::fma, &[x, y, z]), x.mul_add(y, z)));
        prop_assert!(same(run(OpenCl::mad, &[x, y, z]), x.mul_add(y, z)));
        prop_assert!(same(run(OpenCl::fmod, &[x, y]), x % y));
        prop_assert!(same(run(OpenCl::half_divide, &[x, y]), x / y));
        prop_assert!(same(run(OpenCl::native_recip, &[x]), 1.0 / x));
        prop_assert!(same(run(OpenCl::sqrt, &[x]), x.sqrt()));
        prop_assert!(same(run(OpenCl::round, &[x]), x.round()));
        prop_assert!(same(run(OpenCl::rint, &[x]), x.round_ties_even()));
        prop_assert!(same(run(OpenCl::copysign, &[x, y]), x.copysign(y)));
        let difference = if x > y { x - y } else if x <= y { 0.0 } else { f32::NAN };
        prop_assert!(same(run(OpenCl::fdim, &[x, y]), difference));
        if x.is_finite() {
            prop_assert!(same(run(OpenCl::nextafter, &[x, f32::INFINITY]), x.next_up()));
            prop_assert!(same(run(OpenCl::nextafter, &[x, f32::NEG_INFINITY]), x.next_down()));
        }
    }
}

/// A number of 16 bits.
fn half(number: f64) -> Scalar {
    let exact = Format::DOUBLE.decode(number.to_bits());
    Scalar::new(HALF, Format::HALF.encode(&exact, Rounding::NearestEven))
}

/// Whether a number is this one, or both are none.
fn is_same(found: Scalar, expected: f64) -> bool {
    let found = found.to_f64().unwrap();
    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
}

/// All numbers of 16 bits.
#[test]
fn halves() {
    for bits in 0..=0xffffu64 {
        let operand = Scalar::new(HALF, bits);
        let x = operand.to_f64().unwrap();
        let sign = match x {
            _ if x.is_nan() => 0.0,
            _ if x == 0.0 => x,
            _ => x.signum(),
        };
        // Normal numbers of 64 bits say it in their bits.
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1_023;
        let logb = match x {
            _ if x == 0.0 => f64::NEG_INFINITY,
            _ if x.is_finite() => exponent.into(),
            _ => x * x,
        };
        for (instruction, expected) in [
            (OpenCl::ceil, x.ceil()),
            (OpenCl::floor, x.floor()),
            (OpenCl::trunc, x.trunc()),
            (OpenCl::rint, x.round_ties_even()),
            (OpenCl::round, x.round()),
            (OpenCl::sign, sign),
            (OpenCl::logb, logb),
        ] {
            let found = run(instruction, &[operand]).defined().unwrap();
            assert!(is_same(found, expected), "{instruction:?} {x}");
        }
        let fabs = run(OpenCl::fabs, &[operand]).common().bits();
        assert_eq!(fabs, bits & 0x7fff);

        let environment = Environment::default();
        let ilogb = evaluate_opencl_scalar(OpenCl::ilogb, INT, &[operand], &environment).unwrap();
        let expected = match x {
            _ if x == 0.0 => i32::MIN,
            _ if x.is_finite() => exponent,
            _ => i32::MAX,
        };
        assert_eq!(ilogb.defined(), Ok(Scalar::from(expected as u32)), "{x}");

        let pair = |instruction| {
            let pair = evaluate_opencl_pair(instruction, &[operand], &environment);
            pair.unwrap().defined().unwrap()
        };
        let [fraction, whole] = pair(OpenCl::modf);
        let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
        assert!(is_same(fraction, rest.copysign(x)), "{x}");
        assert!(is_same(whole, x.trunc()), "{x}");
        let [fraction, whole] = pair(OpenCl::fract);
        let below_1 = half(1.0 - f64::powi(2.0, -11)).to_f64().unwrap();
        let rest = match x {
            _ if x.is_infinite() => 0f64.copysign(x),
            _ if x == 0.0 => x,
            _ => half(x - x.floor()).to_f64().unwrap(),
        };
        let rest = if rest > below_1 { below_1 } else { rest };
        assert!(is_same(fraction, rest), "{x}");
        assert!(is_same(whole, x.floor()), "{x}");
        let [significand, exponent] = pair(OpenCl::frexp);
        let (m, e) = (significand.to_f64().unwrap(), exponent.sign_extended());
        if x == 0.0 || !x.is_finite() {
            assert!(is_same(significand, x) && e == 0, "{x}");
        } else {
            assert!((0.5..1.0).contains(&m.abs()), "{x}");
            assert_eq!(m * f64::powi(2.0, e as i32), x);
        }
        let [sine, cosine] = pair(OpenCl::sincos);
        assert_eq!(Ok(sine), run(OpenCl::sin, &[operand]).defined());
        assert_eq!(Ok(cosine), run(OpenCl::cos, &[operand]).defined());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    /// Pairs of numbers of 16 bits, as integers of the least of them.
    #[test]
    fn pairs_of_halves(a: u16, b: u16, k in -40i32..40) {
        let [first, second] = [a, b].map(|bits| Scalar::new(HALF, bits.into()));
        let (x, y) = (first.to_f64().unwrap(), second.to_f64().unwrap());
        let found = |instruction| run(instruction, &[first, second]).defined();
        let ldexp = run(OpenCl::ldexp, &[first, Scalar::from(k as u32)]).defined();
        prop_assert_eq!(ldexp, Ok(half(x * f64::powi(2.0, k))));
        let (greater, lesser) = match (x.is_nan(), y.is_nan()) {
            (true, false) => (second, second),
            (_, true) => (first, first),
            _ => (if x < y { second } else { first }, if y < x { second } else { first }),
        };
        prop_assert_eq!(found(OpenCl::fmax), Ok(greater));
        prop_assert_eq!(found(OpenCl::fmin), Ok(lesser));
        let (larger, smaller) = match x.abs().partial_cmp(&y.abs()) {
            Some(std::cmp::Ordering::Greater) => (first, second),
            Some(std::cmp::Ordering::Less) => (second, first),
            _ => (greater, lesser),
        };
        prop_assert_eq!(found(OpenCl::maxmag), Ok(larger));
        prop_assert_eq!(found(OpenCl::minmag), Ok(smaller));
        let common = run(OpenCl::fmax_common, &[first, second]);
        let reason = (!x.is_finite() || !y.is_finite()).then_some(Reason::InfinityOrNan);
        prop_assert_eq!(common, Outcome::new(greater, reason));
        let common = run(OpenCl::fmin_common, &[first, second]);
        prop_assert_eq!(common, Outcome::new(lesser, reason));

        if !x.is_finite() || y.is_nan() || y == 0.0 {
            prop_assert!(found(OpenCl::remainder).unwrap().to_f64().unwrap().is_nan());
            prop_assert!(found(OpenCl::fmod).unwrap().to_f64().unwrap().is_nan());
            return Ok(());
        }
        if y.is_infinite() {
            prop_assert_eq!(found(OpenCl::remainder), Ok(first));
            prop_assert_eq!(found(OpenCl::fmod), Ok(first));
            return Ok(());
        }
        let integer = |x: f64| (x * f64::powi(2.0, 24)) as i64;
        let number = |integer: i64| half((integer as f64 / f64::powi(2.0, 24)).copysign(if integer == 0 { x } else { integer as f64 }));
        let (i, j) = (integer(x), integer(y));
        prop_assert_eq!(found(OpenCl::fmod), Ok(number(i % j)));
        let quotient = i.abs() / j.abs();
        let twice = 2 * (i.abs() % j.abs());
        let is_up = twice > j.abs() || twice == j.abs() && quotient % 2 == 1;
        let quotient = (quotient + i64::from(is_up)) * i.signum() * j.signum();
        let remainder = number(i - quotient * j);
        prop_assert_eq!(found(OpenCl::remainder), Ok(remainder));
        let environment = Environment::default();
        let remquo = evaluate_opencl_pair(OpenCl::remquo, &[first, second], &environment).unwrap();
        let last = Scalar::from((quotient % 128) as i32 as u32);
        prop_assert_eq!(remquo.defined(), Ok([remainder, last]));
    }
}

/// "Additional Requirements Beyond ISO/IEC 9899:TC2" in the OpenCL environment, and section
/// F.9 of C, in both formats of the host.
#[test]
fn special_operands() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let check = |instruction, operands: &[Scalar], expected: f64| {
        let found = run(instruction, operands).defined().unwrap();
        assert!(
            is_same(found, expected),
            "{instruction:?} {operands:?}: {found:?}"
        );
    };
    for (instruction, operands, expected) in [
        (OpenCl::acos, &[1.0][..], 0.0),
        (OpenCl::acos, &[2.0], nan),
        (OpenCl::acospi, &[1.0], 0.0),
        (OpenCl::acospi, &[-1.0], 1.0),
        (OpenCl::acospi, &[1.5], nan),
        (OpenCl::acosh, &[1.0], 0.0),
        (OpenCl::acosh, &[0.5], nan),
        (OpenCl::asin, &[-0.0], -0.0),
        (OpenCl::asinpi, &[-0.0], -0.0),
        (OpenCl::asinpi, &[-2.0], nan),
        (OpenCl::atan2pi, &[0.0, -0.0], 1.0),
        (OpenCl::atan2pi, &[-0.0, -3.0], -1.0),
        (OpenCl::atan2pi, &[-2.0, 0.0], -0.5),
        (OpenCl::atan2pi, &[2.0, -inf], 1.0),
        (OpenCl::atan2pi, &[inf, -inf], 0.75),
        (OpenCl::atan2pi, &[-inf, inf], -0.25),
        (OpenCl::atanh, &[1.0], inf),
        (OpenCl::atanh, &[-1.0], -inf),
        (OpenCl::atanh, &[2.0], nan),
        (OpenCl::atanpi, &[-inf], -0.5),
        (OpenCl::cbrt, &[-27.0], -3.0),
        (OpenCl::ceil, &[-0.5], -0.0),
        (OpenCl::cospi, &[2.5], 0.0),
        (OpenCl::cospi, &[inf], nan),
        (OpenCl::cos, &[inf], nan),
        (OpenCl::exp, &[-inf], 0.0),
        (OpenCl::exp10, &[-0.0], 1.0),
        (OpenCl::exp10, &[-inf], 0.0),
        (OpenCl::exp10, &[3.0], 1_000.0),
        (OpenCl::exp2, &[-3.0], 0.125),
        (OpenCl::expm1, &[-0.0], -0.0),
        (OpenCl::expm1, &[-inf], -1.0),
        (OpenCl::fdim, &[nan, 1.0], nan),
        (OpenCl::fdim, &[1.0, nan], nan),
        (OpenCl::fmod, &[-0.0, nan], nan),
        (OpenCl::fmod, &[-0.0, 2.0], -0.0),
        (OpenCl::hypot, &[inf, nan], inf),
        (OpenCl::lgamma, &[-3.0], inf),
        (OpenCl::lgamma, &[1.0], 0.0),
        (OpenCl::log, &[-0.0], -inf),
        (OpenCl::log, &[-1.0], nan),
        (OpenCl::log10, &[1_000.0], 3.0),
        (OpenCl::log1p, &[-1.0], -inf),
        (OpenCl::log2, &[0.125], -3.0),
        (OpenCl::nextafter, &[1.0, nan], nan),
        (OpenCl::nextafter, &[0.0, -0.0], -0.0),
        (OpenCl::pow, &[0.0, -inf], inf),
        (OpenCl::pow, &[-0.0, -3.0], -inf),
        (OpenCl::pow, &[-1.0, inf], 1.0),
        (OpenCl::pow, &[1.0, nan], 1.0),
        (OpenCl::pow, &[nan, 0.0], 1.0),
        (OpenCl::pow, &[-8.0, 1.5], nan),
        (OpenCl::powr, &[2.0, -0.0], 1.0),
        (OpenCl::powr, &[-0.0, -2.5], inf),
        (OpenCl::powr, &[0.0, -inf], inf),
        (OpenCl::powr, &[-0.0, 3.0], 0.0),
        (OpenCl::powr, &[1.0, -7.0], 1.0),
        (OpenCl::powr, &[-1.0, 2.0], nan),
        (OpenCl::powr, &[-0.0, 0.0], nan),
        (OpenCl::powr, &[inf, -0.0], nan),
        (OpenCl::powr, &[1.0, inf], nan),
        (OpenCl::powr, &[1.0, nan], nan),
        (OpenCl::powr, &[nan, 0.0], nan),
        (OpenCl::remainder, &[-4.0, 2.0], -0.0),
        (OpenCl::remainder, &[inf, 2.0], nan),
        (OpenCl::rint, &[-0.5], -0.0),
        (OpenCl::round, &[-0.25], -0.0),
        (OpenCl::round, &[2.5], 3.0),
        (OpenCl::rsqrt, &[-0.0], -inf),
        (OpenCl::rsqrt, &[-1.0], nan),
        (OpenCl::rsqrt, &[0.25], 2.0),
        (OpenCl::sinpi, &[-7.0], -0.0),
        (OpenCl::sinpi, &[-inf], nan),
        (OpenCl::sqrt, &[-0.0], -0.0),
        (OpenCl::tanpi, &[1.5], -inf),
        (OpenCl::tanpi, &[-3.0], 0.0),
        (OpenCl::tanpi, &[3.0], -0.0),
        (OpenCl::tgamma, &[-0.0], -inf),
        (OpenCl::tgamma, &[-2.0], nan),
        (OpenCl::tgamma, &[5.0], 24.0),
        (OpenCl::erf, &[-inf], -1.0),
        (OpenCl::erfc, &[inf], 0.0),
        (OpenCl::degrees, &[0.0], 0.0),
        (OpenCl::step, &[1.0, 1.0], 1.0),
        (OpenCl::step, &[1.0, 0.5], 0.0),
        (OpenCl::mix, &[1.0, 5.0, 0.25], 2.0),
        (OpenCl::smoothstep, &[0.0, 2.0, 1.0], 0.5),
        (OpenCl::smoothstep, &[0.0, 2.0, inf], 1.0),
        (OpenCl::fclamp, &[5.0, 1.0, 3.0], 3.0),
        (OpenCl::native_divide, &[-1.0, 0.0], -inf),
        (OpenCl::half_powr, &[-2.0, 2.0], nan),
    ] {
        let double: Vec<Scalar> = operands.iter().map(|&it| it.into()).collect();
        let single: Vec<Scalar> = operands.iter().map(|&it| (it as f32).into()).collect();
        check(instruction, &double, expected);
        check(instruction, &single, expected);
    }
    for (instruction, x, n, expected) in [
        (OpenCl::pown, nan, 0, 1.0),
        (OpenCl::pown, -0.0, -3, -inf),
        (OpenCl::pown, -0.0, -2, inf),
        (OpenCl::pown, -0.0, 2, 0.0),
        (OpenCl::pown, -0.0, 5, -0.0),
        (OpenCl::pown, -2.0, 3, -8.0),
        (OpenCl::rootn, -0.0, -3, -inf),
        (OpenCl::rootn, -0.0, -2, inf),
        (OpenCl::rootn, -0.0, 2, 0.0),
        (OpenCl::rootn, -0.0, 3, -0.0),
        (OpenCl::rootn, -4.0, 2, nan),
        (OpenCl::rootn, 4.0, 0, nan),
        (OpenCl::rootn, -27.0, 3, -3.0),
        (OpenCl::rootn, inf, 7, inf),
        (OpenCl::rootn, inf, -7, 0.0),
        (OpenCl::rootn, nan, 3, nan),
        (OpenCl::rootn, 1e300, 1, 1e300),
        (
            OpenCl::rootn,
            3.0,
            i32::MAX,
            3f64.powf(1.0 / f64::from(i32::MAX)),
        ),
        (
            OpenCl::rootn,
            3.0,
            i32::MIN,
            3f64.powf(1.0 / f64::from(i32::MIN)),
        ),
        (OpenCl::ldexp, 1.5, i32::MAX, inf),
        (OpenCl::ldexp, -1.5, i32::MIN, -0.0),
    ] {
        check(instruction, &[x.into(), Scalar::from(n as u32)], expected);
    }
}

#[test]
fn undefined_operands() {
    let undefined = |instruction, operands: &[f32]| {
        let operands: Vec<Scalar> = operands.iter().map(|&it| it.into()).collect();
        run(instruction, &operands).undefined()
    };
    let nan = f32::NAN;
    for (instruction, operands, expected) in [
        (OpenCl::half_sin, &[65_536.0][..], None),
        (OpenCl::half_sin, &[-65_537.0], Some(Reason::Domain)),
        (OpenCl::native_sin, &[1e30], None),
        (OpenCl::mix, &[1.0, 2.0, 1.5], Some(Reason::Domain)),
        (OpenCl::mix, &[1.0, 2.0, 1.0], None),
        (OpenCl::smoothstep, &[1.0, 1.0, 0.0], Some(Reason::Domain)),
        (OpenCl::smoothstep, &[0.0, 1.0, nan], Some(Reason::Domain)),
        (OpenCl::fclamp, &[0.0, 2.0, 1.0], Some(Reason::ClampBounds)),
        (OpenCl::fclamp, &[nan, 1.0, 2.0], None),
        (OpenCl::log, &[-1.0], None),
    ] {
        assert_eq!(
            undefined(instruction, operands),
            expected,
            "{instruction:?} {operands:?}"
        );
    }
}

#[test]
fn gamma_signs() {
    for (x, sign) in [
        (2.5, 1),
        (-0.5, -1),
        (-1.5, 1),
        (-2.0, 0),
        (0.0, 0),
        (-0.0, 0),
        (f64::INFINITY, 1),
    ] {
        let pair = evaluate_opencl_pair(OpenCl::lgamma_r, &[x.into()], &Environment::default());
        let [gamma, found] = pair.unwrap().defined().unwrap();
        assert_eq!(found.sign_extended(), sign, "{x}");
        assert_eq!(Ok(gamma), run(OpenCl::lgamma, &[x.into()]).defined(), "{x}");
    }
}

#[test]
fn vectors() {
    let run = |instruction, operands: &[&[f64]], count: usize| -> Vec<f64> {
        let operands: Vec<Vec<Scalar>> = operands
            .iter()
            .map(|vector| vector.iter().map(|&it| it.into()).collect())
            .collect();
        let operands: Vec<&[Scalar]> = operands.iter().map(Vec::as_slice).collect();
        let mut results = vec![Scalar::zero(DOUBLE); count];
        let environment = Environment::default();
        let outcome =
            evaluate_opencl_vector(instruction, DOUBLE, &operands, &environment, &mut results);
        outcome.unwrap().defined().unwrap();
        results.iter().map(|it| it.to_f64().unwrap()).collect()
    };
    let inf = f64::INFINITY;
    assert_eq!(run(OpenCl::length, &[&[3e-320, -4e-320]], 1), [5e-320]);
    assert_eq!(run(OpenCl::length, &[&[6e307, 8e307, 0.0]], 1), [1e308]);
    assert_eq!(run(OpenCl::length, &[&[1.0, -inf]], 1), [inf]);
    assert_eq!(run(OpenCl::distance, &[&[4.0, 1.0], &[1.0, 5.0]], 1), [5.0]);
    let (x, y) = ([1.0, 2.0, 3.0, 9.0], [4.0, 5.0, 6.0, 9.0]);
    assert_eq!(run(OpenCl::cross, &[&x, &y], 4), [-3.0, 6.0, -3.0, 0.0]);
    assert_eq!(
        run(OpenCl::cross, &[&x[..3], &y[..3]], 3),
        [-3.0, 6.0, -3.0]
    );
    assert_eq!(
        run(OpenCl::normalize, &[&[0.0, -0.0]], 2).map_bits(),
        [0.0, -0.0].map_bits()
    );
    assert_eq!(run(OpenCl::normalize, &[&[inf, 5.0]], 2), [1.0, 0.0]);
    let found = run(OpenCl::normalize, &[&[-inf, 5.0, inf, 1.0]], 4);
    assert!((found[0] + f64::sqrt(0.5)).abs() < 2e-16 && found[2] == -found[0]);
    assert_eq!((found[1], found[3]), (0.0, 0.0));
    assert!(
        run(OpenCl::normalize, &[&[1.0, f64::NAN]], 2)
            .iter()
            .all(|it| it.is_nan())
    );

    let vector = [Scalar::from(1f64); 2];
    let environment = Environment::default();
    let evaluate = |instruction, operands: &[&[Scalar]], results| {
        let mut found = [Scalar::zero(DOUBLE); 4];
        evaluate_opencl_vector(
            instruction,
            DOUBLE,
            operands,
            &environment,
            &mut found[..results],
        )
    };
    let wrong_size = Err(NotComputable::ResultCount { found: 2 });
    assert_eq!(evaluate(OpenCl::length, &[&vector], 2), wrong_size);
    let wrong_operand = Err(NotComputable::Operand { index: 1 });
    assert_eq!(
        evaluate(OpenCl::distance, &[&vector, &vector[..1]], 1),
        wrong_operand
    );
    assert!(evaluate(OpenCl::cross, &[&vector, &vector], 2).is_err());
    assert!(evaluate(OpenCl::length, &[], 1).is_err());
    assert!(evaluate(OpenCl::length, &[&[]], 1).is_err());
    assert!(evaluate(OpenCl::printf, &[&vector], 1).is_err());
}

trait MapBits {
    fn map_bits(&self) -> Vec<u64>;
}

impl<T: AsRef<[f64]>> MapBits for T {
    fn map_bits(&self) -> Vec<u64> {
        self.as_ref().iter().map(|it| it.to_bits()).collect()
    }
}

/// Rounding is to nearest whatever the mode says; denormals and specials are the mode's.
#[test]
fn modes() {
    let mut environment = Environment::default();
    environment.single.rounding = Rounding::TowardPositive;
    environment.half.rounding = Rounding::TowardZero;
    let run = |instruction, operands: &[Scalar], environment: &Environment| {
        evaluate_opencl_scalar(instruction, operands[0].ty(), operands, environment).unwrap()
    };
    for x in [0.1f32, 1.0, 2.5, 7.0] {
        for instruction in [
            OpenCl::sqrt,
            OpenCl::exp,
            OpenCl::sin,
            OpenCl::rint,
            OpenCl::degrees,
        ] {
            let operands = [x.into()];
            let default = run(instruction, &operands, &Environment::default());
            assert_eq!(run(instruction, &operands, &environment), default);
        }
        let operands = [x.into(), 0.1f32.into(), 0.3f32.into()];
        let fma = run(OpenCl::fma, &operands, &environment).defined();
        assert_eq!(fma, Ok(x.mul_add(0.1, 0.3).into()));
    }

    let denormal = Scalar::from(f32::from_bits(5));
    environment.single.denormals = Denormals::Flush;
    assert_eq!(
        run(OpenCl::sin, &[denormal], &environment).defined(),
        Ok(0f32.into())
    );
    assert_eq!(
        run(OpenCl::sqrt, &[denormal], &environment).defined(),
        Ok(0f32.into())
    );
    let smallest = Scalar::from(f32::MIN_POSITIVE);
    let operands = [smallest, 0f32.into()];
    assert_eq!(
        run(OpenCl::nextafter, &operands, &environment).defined(),
        Ok(0f32.into())
    );
    environment.single.denormals = Denormals::Unspecified;
    assert_eq!(
        run(OpenCl::sin, &[denormal], &environment).defined(),
        Err(Reason::Denormal)
    );
    environment.single.specials = Specials::Unspecified;
    let infinite = [Scalar::from(f32::INFINITY)];
    assert_eq!(
        run(OpenCl::atan, &infinite, &environment).defined(),
        Err(Reason::InfinityOrNan)
    );
    let pair = evaluate_opencl_pair(OpenCl::modf, &infinite, &environment).unwrap();
    assert_eq!(pair.undefined(), Some(Reason::InfinityOrNan));
}

/// `select` of vectors asks for the highest bits; all else is done component by component.
#[test]
fn whole_values() {
    let mut types = Types::default();
    types.insert(
        Id(1),
        Type::Number(NumberType::Integer {
            width: 32,
            signed: false,
        }),
    );
    let (kind, part, count) = (Sequence::Vector, Id(1), Some(2));
    types.insert(Id(2), Type::Sequence { kind, part, count });
    let evaluator = Evaluator::new(&types);
    let vector = |x: u32, y: u32| Value::composite([x.into(), y.into()]).unwrap();
    let operands = [vector(1, 2), vector(3, 4), vector(1, 0x8000_0000)];
    let select = evaluator.evaluate_opencl(OpenCl::select, Id(2), &operands);
    assert_eq!(select.unwrap().defined(), Ok(vector(1, 4)));
    let scalars: [Value; 3] = [1.into(), 3.into(), 1.into()];
    let select = evaluator.evaluate_opencl(OpenCl::select, Id(1), &scalars);
    assert_eq!(select.unwrap().defined(), Ok(3.into()));
    let counts = evaluator.evaluate_opencl(OpenCl::popcount, Id(2), &[vector(7, 0)]);
    assert_eq!(counts.unwrap().defined(), Ok(vector(3, 0)));
    let shuffle = evaluator.evaluate_opencl(OpenCl::shuffle, Id(2), &operands);
    assert_eq!(shuffle.unwrap_err(), NotComputable::OpenCl(OpenCl::shuffle));
}

/// Whatever is asked, something is said.
#[test]
fn any_operands() {
    let environment = Environment::default();
    let types = [
        ScalarType::Bool,
        BYTE,
        SHORT,
        INT,
        LONG,
        HALF,
        SINGLE,
        DOUBLE,
        ScalarType::Float(FloatFormat::BFloat16),
        ScalarType::Integer { width: 1 },
        ScalarType::Integer { width: 13 },
    ];
    let patterns = [
        0,
        1,
        0x7c00,
        1 << 63,
        0x7f80_0001,
        0x8000_0000,
        0x7ff0_0000_0000_0000,
        0x8000,
        u64::MAX,
        0x3ff8_0000_0000_0000,
    ];
    for number in 0..220 {
        let instruction = OpenCl(number);
        for ty in types {
            for first in patterns {
                for second in patterns.into_iter().step_by(3) {
                    let operands = [first, second, !first].map(|bits| Scalar::new(ty, bits));
                    for count in 0..=3 {
                        let operands = &operands[..count];
                        let _ = evaluate_opencl_scalar(instruction, ty, operands, &environment);
                        let _ = evaluate_opencl_pair(instruction, operands, &environment);
                    }
                    let mut results = [Scalar::zero(ty); 3];
                    let _ = evaluate_opencl_vector(
                        instruction,
                        ty,
                        &[&operands],
                        &environment,
                        &mut results,
                    );
                    let _ = evaluate_opencl_vector(
                        instruction,
                        ty,
                        &[operands.as_slice(); 2],
                        &environment,
                        &mut results,
                    );
                    for integer in [INT, LONG] {
                        let operands = [operands[0], Scalar::new(integer, second)];
                        let _ = evaluate_opencl_scalar(instruction, ty, &operands, &environment);
                    }
                    let _ = evaluate_opencl_scalar(instruction, INT, &operands[..1], &environment);
                }
            }
        }
    }
}
