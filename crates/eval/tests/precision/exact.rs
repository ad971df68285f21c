//! Instructions whose results are exact, or rounded once, against the same in more digits.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Scalar, ScalarType, evaluate_glsl_pair, evaluate_glsl_scalar,
    evaluate_opencl_pair, evaluate_opencl_scalar,
};
use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::functions::Instruction::{self, Glsl as G, OpenCl as C};
use crate::reference::{Big, big};
use crate::report::Report;
use crate::{Random, error, samples};

/// What an instruction should give.
enum Expected {
    /// This number, up to the sign of a zero.
    Number(f64),
    /// What this is rounded to.
    Rounded(Big),
}

use Expected::{Number, Rounded};

type Row = (&'static [Instruction], Expected);

/// Digits in which no sum or product of two numbers of moderate exponents loses any.
const BITS: usize = 1_200;

fn exact(x: f64) -> Big {
    big(x, BITS)
}

fn of_one(x: f64) -> Vec<Row> {
    let sign = match x {
        _ if x > 0.0 => 1.0,
        _ if x < 0.0 => -1.0,
        _ => 0.0,
    };
    vec![
        (
            &[G(Glsl::Round), G(Glsl::RoundEven), C(OpenCl::rint)],
            Number(x.round_ties_even()),
        ),
        (&[C(OpenCl::round)], Number(x.round())),
        (&[G(Glsl::Trunc), C(OpenCl::trunc)], Number(x.trunc())),
        (&[G(Glsl::Floor), C(OpenCl::floor)], Number(x.floor())),
        (&[G(Glsl::Ceil), C(OpenCl::ceil)], Number(x.ceil())),
        (&[G(Glsl::FAbs), C(OpenCl::fabs)], Number(x.abs())),
        (&[G(Glsl::FSign), C(OpenCl::sign)], Number(sign)),
        (&[G(Glsl::Fract)], Rounded(exact(x) - exact(x.floor()))),
    ]
}

fn of_two(x: f64, y: f64) -> Vec<Row> {
    let (low, high) = if x < y { (x, y) } else { (y, x) };
    let (small, large) = if x.abs() < y.abs() { (x, y) } else { (y, x) };
    let is_tie = x.abs() == y.abs();
    let mut rows: Vec<Row> = vec![
        (
            &[
                G(Glsl::FMin),
                G(Glsl::NMin),
                C(OpenCl::fmin),
                C(OpenCl::fmin_common),
            ],
            Number(low),
        ),
        (
            &[
                G(Glsl::FMax),
                G(Glsl::NMax),
                C(OpenCl::fmax),
                C(OpenCl::fmax_common),
            ],
            Number(high),
        ),
        (
            &[C(OpenCl::minmag)],
            Number(if is_tie { low } else { small }),
        ),
        (
            &[C(OpenCl::maxmag)],
            Number(if is_tie { high } else { large }),
        ),
        (
            &[G(Glsl::Step), C(OpenCl::step)],
            Number(f64::from(u8::from(y >= x))),
        ),
        (&[C(OpenCl::copysign)], Number(x.copysign(y))),
        (
            &[C(OpenCl::fdim)],
            match x > y {
                true => Rounded(exact(x) - exact(y)),
                false => Number(0.0),
            },
        ),
    ];
    if y != 0.0 {
        rows.push((&[C(OpenCl::fmod)], Number(x % y)));
        rows.push((&[C(OpenCl::remainder)], Number(remainder(x, y).0)));
    }
    rows
}

/// What is left of a division that is rounded to nearest, and the quotient's last bits. The
/// remainder of the truncated division is exact; the other is that, or a divisor further.
fn remainder(x: f64, y: f64) -> (f64, bool) {
    let rest = x % y;
    let twice = x % (2.0 * y);
    let is_odd = match (2.0 * y).is_finite() {
        true => twice != rest,
        false => false,
    };
    let (double, whole) = (exact(rest).clone() + exact(rest), exact(y));
    let is_more = crate::reference::abs(&double) > crate::reference::abs(&whole);
    let is_half = crate::reference::abs(&double) == crate::reference::abs(&whole);
    match is_more || is_half && is_odd {
        true => (rest - y.abs().copysign(rest), !is_odd),
        false => (rest, is_odd),
    }
}

fn of_three(x: f64, y: f64, z: f64) -> Vec<Row> {
    let mut rows: Vec<Row> = vec![(
        &[G(Glsl::Fma), C(OpenCl::fma), C(OpenCl::mad)],
        Rounded(exact(x) * exact(y) + exact(z)),
    )];
    if y <= z {
        rows.push((
            &[G(Glsl::FClamp), G(Glsl::NClamp), C(OpenCl::fclamp)],
            Number(if x < y { y } else { x.min(z) }),
        ));
    }
    rows
}

/// Runs an instruction with a result of a type.
fn run(instruction: Instruction, ty: ScalarType, operands: &[Scalar]) -> Scalar {
    let environment = Environment::default();
    let outcome = match instruction {
        G(it) => evaluate_glsl_scalar(it, ty, operands, &environment),
        C(it) => evaluate_opencl_scalar(it, ty, operands, &environment),
    };
    outcome.unwrap().common()
}

/// Whether the sum or product of these numbers has no more digits than are computed with.
fn is_moderate(numbers: &[f64]) -> bool {
    let is = |x: f64| x == 0.0 || (1e-120..1e120).contains(&x.abs());
    numbers.iter().all(|&x| x.is_finite() && is(x))
}

#[test]
fn numbers() {
    let mut report = Report::new();
    for format in [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double] {
        let mut random = Random::new(7);
        let ty = ScalarType::Float(format);
        for _ in 0..samples(1_000) {
            let operands: Vec<Scalar> =
                (0..3).map(|_| random.number(format, (-3.0, 3.0))).collect();
            let numbers: Vec<f64> = operands.iter().map(|it| it.to_f64().unwrap()).collect();
            let &[x, y, z] = &numbers[..] else {
                unreachable!()
            };
            for (count, rows) in [
                (1, is_moderate(&[x]).then(|| of_one(x))),
                (2, is_moderate(&[x, y]).then(|| of_two(x, y))),
                (3, is_moderate(&numbers).then(|| of_three(x, y, z))),
            ] {
                for (instructions, expected) in rows.into_iter().flatten() {
                    for &instruction in instructions {
                        let found = run(instruction, ty, &operands[..count]).to_f64().unwrap();
                        let about = || format!("{instruction:?} {format:?} {numbers:?}: {found:e}");
                        let error = match &expected {
                            Number(number) => {
                                assert_eq!(found, *number, "{}", about());
                                0.0
                            }
                            Rounded(exact) => error(found, exact, format),
                        };
                        assert!(error <= 0.5, "{}: {error}", about());
                        report.add(instruction, format, error);
                    }
                }
            }
        }
    }
    report.print();
}

/// Those with two results, or with an integer.
#[test]
fn parts() {
    let mut report = Report::new();
    let environment = Environment::default();
    for format in [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double] {
        let mut random = Random::new(8);
        let ty = ScalarType::Float(format);
        for _ in 0..samples(1_000) {
            let [a, b] = [0, 1].map(|_| random.number(format, (-9.0, 9.0)));
            let [x, y] = [a, b].map(|it| it.to_f64().unwrap());
            let power = (random.bits() % 64) as i32 - 32;
            if !is_moderate(&[x]) {
                continue;
            }
            for instruction in [G(Glsl::Ldexp), C(OpenCl::ldexp)] {
                let found = run(instruction, ty, &[a, Scalar::from(power as u32)]);
                let found = found.to_f64().unwrap();
                let error = error(found, &(exact(x) << power as isize), format);
                // Vulkan leaves open what is beyond the greatest power of the format.
                let is_open =
                    matches!(instruction, G(_)) && format == FloatFormat::Half && power > 16;
                assert!(
                    is_open || error <= 0.5,
                    "{instruction:?} {x} {power}: {found}"
                );
                report.add(instruction, format, if is_open { 0.0 } else { error });
            }
            let pair = |instruction: Instruction, operands: &[Scalar]| {
                let outcome = match instruction {
                    G(it) => evaluate_glsl_pair(it, operands, &environment),
                    C(it) => evaluate_opencl_pair(it, operands, &environment),
                };
                outcome.unwrap().common()
            };
            for instruction in [G(Glsl::Modf), G(Glsl::ModfStruct), C(OpenCl::modf)] {
                let parts = pair(instruction, &[a]).map(|it| it.to_f64().unwrap());
                assert_eq!(parts, [x - x.trunc(), x.trunc()], "{instruction:?} {x}");
                report.add(instruction, format, 0.0);
            }
            for instruction in [G(Glsl::Frexp), G(Glsl::FrexpStruct), C(OpenCl::frexp)] {
                let [significand, exponent] = pair(instruction, &[a]);
                let significand = significand.to_f64().unwrap();
                let power = exponent.sign_extended() as i32;
                assert!(x == 0.0 || (0.5..1.0).contains(&significand.abs()));
                assert_eq!(
                    exact(significand) << power as isize,
                    exact(x),
                    "{instruction:?} {x}"
                );
                report.add(instruction, format, 0.0);
            }
            if x != 0.0 {
                let log = (0..).find(|log| x.abs() >= 2f64.powi(400 - log)).unwrap();
                let log = 400 - log;
                let found = run(C(OpenCl::logb), ty, &[a]).to_f64().unwrap();
                assert_eq!(found, f64::from(log), "logb {x}");
                report.add(C(OpenCl::logb), format, 0.0);
                let word = Scalar::from(0u32).ty();
                let found = run(C(OpenCl::ilogb), word, &[a]).sign_extended();
                assert_eq!(found, i64::from(log), "ilogb {x}");
                report.add(C(OpenCl::ilogb), format, 0.0);
            }
            if y != 0.0 && is_moderate(&[y]) {
                let (rest, is_odd) = remainder(x, y);
                let [found, quotient] = pair(C(OpenCl::remquo), &[a, b]);
                assert_eq!(found.to_f64(), Some(rest), "remquo {x} {y}");
                assert_eq!(quotient.bits() & 1 != 0, is_odd, "remquo {x} {y}");
                report.add(C(OpenCl::remquo), format, 0.0);
            }
            let next = run(C(OpenCl::nextafter), ty, &[a, b]);
            if y.is_finite() && x != 0.0 {
                let step = match (x == y, (y > x) == (x > 0.0)) {
                    (true, _) => 0,
                    (_, true) => 1,
                    (_, false) => u64::MAX,
                };
                assert_eq!(
                    next.bits(),
                    a.bits().wrapping_add(step),
                    "nextafter {x} {y}"
                );
                report.add(C(OpenCl::nextafter), format, 0.0);
            }
        }
    }
    report.print();
}

/// How many operands there are, `OpenCL.std`'s instructions for signed and unsigned ones, that of
/// `GLSL.std.450`, and the result.
type IntegerRow = (usize, [Option<OpenCl>; 2], Option<Glsl>, i128);

/// Integers of a width, by those of 128 bits.
fn of_integers([a, b, c]: [i128; 3], width: u32, is_signed: bool) -> Vec<IntegerRow> {
    let (least, most) = match is_signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let saturated = |it: i128| it.clamp(least, most);
    // The product of two unsigned numbers of 64 bits fits only without a sign.
    let high = match is_signed {
        true => (a * b) >> width,
        false => ((a as u128 * b as u128) >> width) as i128,
    };
    let sum = match is_signed {
        true => saturated(a * b + c),
        false => {
            let sum = (a as u128 * b as u128).saturating_add(c as u128);
            sum.min(most as u128) as i128
        }
    };
    let both = |s, u| [Some(s), Some(u)];
    use OpenCl as O;
    let glsl = |signed, unsigned| Some(if is_signed { signed } else { unsigned });
    let mut rows = vec![
        (
            1,
            both(O::s_abs, O::u_abs),
            is_signed.then_some(Glsl::SAbs),
            a.abs(),
        ),
        (2, both(O::s_abs_diff, O::u_abs_diff), None, (a - b).abs()),
        (2, both(O::s_add_sat, O::u_add_sat), None, saturated(a + b)),
        (2, both(O::s_sub_sat, O::u_sub_sat), None, saturated(a - b)),
        (2, both(O::s_hadd, O::u_hadd), None, (a + b) >> 1),
        (2, both(O::s_rhadd, O::u_rhadd), None, (a + b + 1) >> 1),
        (
            2,
            both(O::s_max, O::u_max),
            glsl(Glsl::SMax, Glsl::UMax),
            a.max(b),
        ),
        (
            2,
            both(O::s_min, O::u_min),
            glsl(Glsl::SMin, Glsl::UMin),
            a.min(b),
        ),
        (2, both(O::s_mul_hi, O::u_mul_hi), None, high),
        (3, both(O::s_mad_hi, O::u_mad_hi), None, high + c),
        (3, both(O::s_mad_sat, O::u_mad_sat), None, sum),
    ];
    if b <= c {
        let clamped = a.clamp(b, c);
        rows.push((
            3,
            both(O::s_clamp, O::u_clamp),
            glsl(Glsl::SClamp, Glsl::UClamp),
            clamped,
        ));
    }
    if is_signed {
        rows.push((1, [None, None], Some(Glsl::SSign), a.signum()));
    }
    rows
}

#[test]
fn integers() {
    let mut report = Report::new();
    let word = Scalar::from(0u32).ty();
    for width in [8u32, 16, 32, 64] {
        let mut random = Random::new(width.into());
        let ty = ScalarType::Integer { width: width as u8 };
        for _ in 0..samples(1_000) {
            let operands = [0; 3].map(|_| {
                // Short ones as often as long ones.
                let bits = random.bits() >> (random.bits() % 64);
                Scalar::new(ty, if random.bits() & 1 == 0 { bits } else { !bits })
            });
            for is_signed in [true, false] {
                let numbers = operands.map(|it| match is_signed {
                    true => it.sign_extended().into(),
                    false => it.bits().into(),
                });
                for (count, opencl, glsl, expected) in of_integers(numbers, width, is_signed) {
                    let opencl = opencl[usize::from(!is_signed)].map(C);
                    for instruction in opencl.into_iter().chain(glsl.map(G)) {
                        let found = run(instruction, ty, &operands[..count]);
                        let expected = Scalar::new(ty, expected as u64);
                        assert_eq!(found, expected, "{instruction:?} {width} {numbers:?}");
                        report.add_integer(instruction, width);
                    }
                }
            }
            let [a, b, c] = operands.map(Scalar::bits);
            let bit = |index: u32| a >> index & 1;
            let lowest = (0..width).find(|&index| bit(index) == 1);
            let highest = |sought: u64| (0..width).rev().find(|&index| bit(index) == sought);
            let or_none = |index: Option<u32>| index.map_or(-1, i64::from) as u64;
            let ones: u64 = (0..width).map(bit).sum();
            let rotation = (b % u64::from(width)) as u32;
            let rotated = (0..width)
                .map(|index| bit(index) << ((index + rotation) % width))
                .fold(0, |all, it| all | it);
            let chosen = (a & !c) | (b & c);
            for (count, instruction, expected) in [
                (1, C(OpenCl::popcount), ones),
                (1, C(OpenCl::ctz), lowest.unwrap_or(width).into()),
                (
                    1,
                    C(OpenCl::clz),
                    highest(1).map_or(width, |it| width - 1 - it).into(),
                ),
                (2, C(OpenCl::rotate), rotated),
                (3, C(OpenCl::bitselect), chosen),
                (3, C(OpenCl::select), if c == 0 { a } else { b }),
                (1, G(Glsl::FindILsb), or_none(lowest)),
                (1, G(Glsl::FindUMsb), or_none(highest(1))),
                (1, G(Glsl::FindSMsb), or_none(highest(1 - bit(width - 1)))),
            ] {
                let found = run(instruction, ty, &operands[..count]);
                assert_eq!(
                    found,
                    Scalar::new(ty, expected),
                    "{instruction:?} {width} {a:#x} {b:#x}"
                );
                report.add_integer(instruction, width);
            }
            if width < 64 {
                let wide = ScalarType::Integer {
                    width: 2 * width as u8,
                };
                for instruction in [C(OpenCl::u_upsample), C(OpenCl::s_upsample)] {
                    let found = run(instruction, wide, &operands[..2]);
                    assert_eq!(found.bits(), a << width | b, "{instruction:?} {width}");
                    report.add_integer(instruction, width);
                }
            }
            if width == 32 {
                let low = |it: u64| (it as i32) << 8 >> 8;
                let signed = low(a).wrapping_mul(low(b)) as u32;
                let unsigned = (a as u32 & 0xff_ffff).wrapping_mul(b as u32 & 0xff_ffff);
                for (count, instruction, expected) in [
                    (2, C(OpenCl::s_mul24), signed),
                    (2, C(OpenCl::u_mul24), unsigned),
                    (3, C(OpenCl::s_mad24), signed.wrapping_add(c as u32)),
                    (3, C(OpenCl::u_mad24), unsigned.wrapping_add(c as u32)),
                ] {
                    let found = run(instruction, word, &operands[..count]);
                    assert_eq!(
                        found,
                        Scalar::from(expected),
                        "{instruction:?} {a:#x} {b:#x}"
                    );
                    report.add_integer(instruction, width);
                }
            }
        }
    }
    report.print();
}
