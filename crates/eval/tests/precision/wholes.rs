//! Instructions on whole vectors and matrices, those that pack numbers, and those with two
//! results. Where a sum may cancel, an error is measured against the greatest term.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Scalar, ScalarType, evaluate_glsl_scalar, evaluate_glsl_vector,
    evaluate_opencl_pair, evaluate_opencl_scalar,
};
use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::functions::Instruction::{Glsl as G, OpenCl as C};
use crate::reference::{Big, abs, big, is_negative, lgamma};
use crate::report::Report;
use crate::{Random, error, narrowed, samples};

/// Digits in which nothing is lost.
const BITS: usize = 400;

const FORMATS: [FloatFormat; 3] = [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double];

fn exact(x: f64) -> Big {
    big(x, BITS)
}

fn number(scalar: &Scalar) -> f64 {
    scalar.to_f64().unwrap()
}

/// The difference between 1 and the next number.
fn epsilon(format: FloatFormat) -> f64 {
    f64::powi(2.0, 1 - crate::precision(format).0 as i32)
}

/// A number between -2 and 2.
fn moderate(random: &mut Random, format: FloatFormat) -> Scalar {
    let part = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    narrowed(part * 4.0 - 2.0, format)
}

fn vector(random: &mut Random, format: FloatFormat, size: usize) -> Vec<Scalar> {
    (0..size).map(|_| moderate(random, format)).collect()
}

fn run(instruction: Glsl, result: ScalarType, operands: &[&[Scalar]], count: usize) -> Vec<Scalar> {
    let mut found = vec![Scalar::zero(result); count];
    let environment = Environment::default();
    let outcome = evaluate_glsl_vector(instruction, result, operands, &environment, &mut found);
    let _ = outcome.unwrap();
    found
}

/// How far a number is from the exact one, in units of the last place of the greatest term.
fn share(found: f64, sum: Big, greatest: f64, format: FloatFormat) -> f64 {
    let difference = abs(&(exact(found) - sum)).to_f64().value();
    match difference {
        0.0 => 0.0,
        _ => difference / (greatest * epsilon(format)),
    }
}

fn dot(x: &[Scalar], y: &[Scalar]) -> Big {
    let products = x.iter().zip(y);
    products
        .map(|(x, y)| exact(number(x)) * exact(number(y)))
        .fold(Big::ZERO, |sum, it| sum + it)
}

#[test]
fn directions() {
    let mut report = Report::new();
    for format in FORMATS {
        let mut random = Random::new(11);
        let ty = ScalarType::Float(format);
        for _ in 0..samples(500) {
            let size = 2 + (random.bits() % 3) as usize;
            let [n, i, r] = [0; 3].map(|_| vector(&mut random, format, size));
            let found = run(Glsl::FaceForward, ty, &[&n, &i, &r], size);
            for (found, n) in found.iter().zip(&n) {
                let forward = is_negative(&dot(&r, &i));
                let expected = if forward { number(n) } else { -number(n) };
                assert_eq!(number(found), expected, "FaceForward {format:?} {n:?}");
                report.add(G(Glsl::FaceForward), format, 0.0);
            }
            let found = run(Glsl::Reflect, ty, &[&i, &n], size);
            let twice = dot(&n, &i) * Big::from(2);
            for (index, found) in found.iter().enumerate() {
                let (of_i, of_n) = (number(&i[index]), number(&n[index]));
                let sum = exact(of_i) - twice.clone() * exact(of_n);
                // Terms of the product have up to the square of 2, and there are up to 4.
                let greatest = of_i.abs() + 32.0 * of_n.abs();
                let error = share(number(found), sum, greatest, format);
                assert!(error <= 1.0, "Reflect {format:?} {i:?} {n:?}: {error}");
                report.add(G(Glsl::Reflect), format, error);
            }
            let eta = moderate(&mut random, format);
            let found = run(Glsl::Refract, ty, &[&i, &n, &[eta]], size);
            let cosine = dot(&n, &i);
            let of_eta = exact(number(&eta));
            let square = of_eta.clone() * &of_eta;
            let k = exact(1.0) - square * (exact(1.0) - cosine.clone() * &cosine);
            // Near total reflection, all depends on the last digits of the root's operand.
            if abs(&k) < exact(1e-2) {
                continue;
            }
            for (index, found) in found.iter().enumerate() {
                let (of_i, of_n) = (number(&i[index]), number(&n[index]));
                let expected = match is_negative(&k) {
                    true => Big::ZERO.with_precision(BITS).value(),
                    false => {
                        let bend = of_eta.clone() * &cosine + k.sqrt();
                        of_eta.clone() * exact(of_i) - bend * exact(of_n)
                    }
                };
                let greatest = 2.0 * of_i.abs() + 64.0 * of_n.abs();
                let error = share(number(found), expected, greatest, format);
                assert!(
                    error <= 4.0,
                    "Refract {format:?} {i:?} {n:?} {eta:?}: {error}"
                );
                report.add(G(Glsl::Refract), format, error);
            }
            let a = narrowed((random.bits() >> 11) as f64 / (1u64 << 53) as f64, format);
            let operands = [n[0], i[0], a];
            let [x, y, part] = operands.map(|it| number(&it));
            let found = evaluate_glsl_scalar(Glsl::FMix, ty, &operands, &Environment::default());
            let found = number(&found.unwrap().common());
            let sum = exact(x) * (exact(1.0) - exact(part)) + exact(y) * exact(part);
            let error = share(found, sum, x.abs() + y.abs(), format);
            assert!(error <= 2.0, "FMix {format:?} {x} {y} {part}: {error}");
            report.add(G(Glsl::FMix), format, error);
        }
    }
    report.print();
}

/// The determinant of a matrix by its first column, without some rows and columns.
fn determinant(matrix: &[Vec<Big>]) -> Big {
    if let [only] = matrix {
        return only[0].clone();
    }
    let mut sum = Big::ZERO.with_precision(BITS).value();
    for row in 0..matrix.len() {
        let product = matrix[0][row].clone() * determinant(&without(matrix, 0, row));
        sum = match row % 2 {
            0 => sum + product,
            _ => sum - product,
        };
    }
    sum
}

fn without(matrix: &[Vec<Big>], column: usize, row: usize) -> Vec<Vec<Big>> {
    let columns = matrix.iter().enumerate().filter(|it| it.0 != column);
    let rest = |it: &Vec<Big>| {
        let rows = it.iter().enumerate().filter(|it| it.0 != row);
        rows.map(|it| it.1.clone()).collect()
    };
    columns.map(|it| rest(it.1)).collect()
}

#[test]
fn matrices() {
    let mut report = Report::new();
    for format in FORMATS {
        let mut random = Random::new(12);
        let ty = ScalarType::Float(format);
        for _ in 0..samples(200) {
            let size = 2 + (random.bits() % 3) as usize;
            let components = vector(&mut random, format, size * size);
            let numbers: Vec<Big> = components.iter().map(|it| exact(number(it))).collect();
            let matrix: Vec<Vec<Big>> = numbers.chunks(size).map(<[Big]>::to_vec).collect();
            let whole = determinant(&matrix);
            let found = run(Glsl::Determinant, ty, &[&components], 1)[0];
            // Up to 24 products of up to 4 numbers below 2.
            let greatest = [4.0, 8.0, 16.0][size - 2];
            let error = share(number(&found), whole.clone(), greatest, format);
            assert!(
                error <= 24.0,
                "Determinant {format:?} {components:?}: {error}"
            );
            report.add(G(Glsl::Determinant), format, error);
            if abs(&whole) < exact(0.25) {
                continue;
            }
            let found = run(Glsl::MatrixInverse, ty, &[&components], size * size);
            for (index, found) in found.iter().enumerate() {
                let (column, row) = (index / size, index % size);
                let minor = match determinant(&without(&matrix, row, column)) {
                    minor if (row + column) % 2 == 1 => -minor,
                    minor => minor,
                };
                let expected = minor / &whole;
                let greatest = greatest / abs(&whole).to_f64().value();
                let greatest = greatest * greatest.max(1.0);
                let error = share(number(found), expected, greatest, format);
                assert!(
                    error <= 24.0,
                    "MatrixInverse {format:?} {components:?}: {error}"
                );
                report.add(G(Glsl::MatrixInverse), format, error);
            }
        }
    }
    report.print();
}

/// `Pack…` of numbers between -2 and 2 and back; integers are off by less than one.
#[test]
fn packing() {
    let mut report = Report::new();
    let single = FloatFormat::Single;
    let float = ScalarType::Float(single);
    let word = Scalar::from(0u32).ty();
    let mut random = Random::new(13);
    for _ in 0..samples(1_000) {
        for (pack, unpack, count, most) in [
            (Glsl::PackSnorm4x8, Glsl::UnpackSnorm4x8, 4, 127.0),
            (Glsl::PackUnorm4x8, Glsl::UnpackUnorm4x8, 4, 255.0),
            (Glsl::PackSnorm2x16, Glsl::UnpackSnorm2x16, 2, 32767.0),
            (Glsl::PackUnorm2x16, Glsl::UnpackUnorm2x16, 2, 65535.0),
        ] {
            let (least, width) = match most {
                127.0 | 32767.0 => (-1.0, 32 / count as u32),
                _ => (0.0, 32 / count as u32),
            };
            let components = vector(&mut random, single, count);
            let packed = run(pack, word, &[&components], 1)[0].bits() as u32;
            for (index, component) in components.iter().enumerate() {
                let bits = packed >> (width * index as u32) << (32 - width);
                let found = match least {
                    0.0 => f64::from(bits >> (32 - width)),
                    _ => f64::from(bits as i32 >> (32 - width)),
                };
                let exact = number(component).clamp(least, 1.0) * most;
                assert!(
                    (found - exact).abs() <= 0.5 + 1e-9,
                    "{pack:?} {component:?}"
                );
                report.add(G(pack), single, (found - exact).abs());
            }
            let bits = random.bits() as u32;
            let found = run(unpack, float, &[&[Scalar::from(bits)]], count);
            for (index, found) in found.iter().enumerate() {
                let bits = bits >> (width * index as u32) << (32 - width);
                let integer = match least {
                    0.0 => f64::from(bits >> (32 - width)),
                    _ => f64::from(bits as i32 >> (32 - width)),
                };
                let exact = (exact(integer) / exact(most)).max(exact(least));
                let error = error(number(found), &exact, single);
                assert!(error <= 0.5 + 1e-4, "{unpack:?} {integer}: {error}");
                report.add(G(unpack), single, error);
            }
        }
        let components = vector(&mut random, single, 2);
        let packed = run(Glsl::PackHalf2x16, word, &[&components], 1)[0].bits();
        let halves = [packed & 0xffff, packed >> 16];
        let half = ScalarType::Float(FloatFormat::Half);
        for (bits, component) in halves.into_iter().zip(&components) {
            let found = number(&Scalar::new(half, bits));
            let error = error(found, &exact(number(component)), FloatFormat::Half);
            assert!(error <= 0.5, "PackHalf2x16 {component:?}: {error}");
            report.add(G(Glsl::PackHalf2x16), single, error);
        }
        let unpacked = run(
            Glsl::UnpackHalf2x16,
            float,
            &[&[Scalar::from(packed as u32)]],
            2,
        );
        for (bits, found) in halves.into_iter().zip(unpacked) {
            assert_eq!(number(&found), number(&Scalar::new(half, bits)));
            report.add(G(Glsl::UnpackHalf2x16), single, 0.0);
        }
        let bits = random.bits();
        let words = [Scalar::from(bits as u32), Scalar::from((bits >> 32) as u32)];
        let double = ScalarType::Float(FloatFormat::Double);
        assert_eq!(
            run(Glsl::PackDouble2x32, double, &[&words], 1)[0].bits(),
            bits
        );
        report.add(G(Glsl::PackDouble2x32), FloatFormat::Double, 0.0);
        let packed = [Scalar::new(double, bits)];
        assert_eq!(run(Glsl::UnpackDouble2x32, word, &[&packed], 2), words);
        report.add(G(Glsl::UnpackDouble2x32), FloatFormat::Double, 0.0);
    }
    report.print();
}

#[test]
fn two_results() {
    let mut report = Report::new();
    let environment = Environment::default();
    for format in FORMATS {
        let mut random = Random::new(14);
        let ty = ScalarType::Float(format);
        let allowed = if format == FloatFormat::Double {
            1.0
        } else {
            0.5 + 1e-4
        };
        for _ in 0..samples(500) {
            let operand = random.number(format, (-20.0, 20.0));
            let x = number(&operand);
            let code = Scalar::new(
                ScalarType::Integer {
                    width: ty.width() as u8,
                },
                random.bits(),
            );
            let nan = evaluate_opencl_scalar(OpenCl::nan, ty, &[code], &environment);
            assert!(number(&nan.unwrap().common()).is_nan());
            report.add(C(OpenCl::nan), format, 0.0);
            if !x.is_finite() || x.abs() > 1e30 || (x != 0.0 && x.abs() < 1e-30) {
                continue;
            }
            let pair = |instruction| {
                let outcome = evaluate_opencl_pair(instruction, &[operand], &environment);
                outcome.unwrap().common()
            };
            let precise = big(x, 200);
            let [sine, cosine] = pair(OpenCl::sincos).map(|it| number(&it));
            for (found, exact) in [(sine, precise.sin()), (cosine, precise.cos())] {
                let error = error(found, &exact, format);
                assert!(error <= allowed, "sincos {format:?} {x}: {found} {error}");
                report.add(C(OpenCl::sincos), format, error);
            }
            let [fraction, whole] = pair(OpenCl::fract).map(|it| number(&it));
            assert_eq!(whole, x.floor(), "fract {format:?} {x}");
            // Below 1, even where that is nearer.
            let below_one = 1.0 - epsilon(format) / 2.0;
            let difference = exact(x) - exact(x.floor());
            let error_of_fraction = match difference > exact(below_one) {
                true => (fraction - below_one).abs(),
                false => error(fraction, &difference, format),
            };
            assert!(error_of_fraction <= 0.5, "fract {format:?} {x}: {fraction}");
            report.add(C(OpenCl::fract), format, error_of_fraction);
            if x > 0.1 && x < 20.0 {
                let [log, sign] = pair(OpenCl::lgamma_r);
                assert_eq!(sign.bits(), 1, "lgamma_r {x}");
                let exact = lgamma(&big(x, 160));
                // It is 0 at 1 and 2.
                let error = share(number(&log), exact, 1.0, format);
                assert!(error <= 64.0, "lgamma_r {format:?} {x}: {log:?} {error}");
                report.add(C(OpenCl::lgamma_r), format, error);
            }
        }
    }
    report.print();
}
