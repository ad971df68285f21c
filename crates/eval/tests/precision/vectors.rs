//! The same for vectors.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Precision, Scalar, ScalarType, evaluate_glsl_vector, evaluate_opencl_vector,
    opencl_precision,
};
use spirvkit_grammar::{GlslStd450 as Glsl, OpenClStd as OpenCl};

use crate::functions::Instruction;
use crate::reference::{Big, abs, big};
use crate::report::Report;
use crate::{Random, error, samples};

/// Digits in which nothing is lost.
const BITS: usize = 400;

struct Sample {
    format: FloatFormat,
    vectors: Vec<Vec<Scalar>>,
}

impl Sample {
    fn new(random: &mut Random, format: FloatFormat, size: usize) -> Self {
        let mut vector = || -> Vec<Scalar> {
            let mut number = || random.number(format, (-2.0, 2.0));
            std::iter::repeat_with(&mut number)
                .filter(|it| it.to_f64().unwrap().is_finite())
                .take(size)
                .collect()
        };
        let vectors = vec![vector(), vector()];
        Self { format, vectors }
    }

    fn numbers(&self, vector: usize) -> Vec<Big> {
        let numbers = self.vectors[vector].iter();
        numbers.map(|it| big(it.to_f64().unwrap(), BITS)).collect()
    }

    /// Runs an instruction of either set.
    fn run(
        &self,
        glsl: Option<Glsl>,
        opencl: Option<OpenCl>,
        count: usize,
        results: usize,
    ) -> Vec<f64> {
        let ty = ScalarType::Float(self.format);
        let operands: Vec<&[Scalar]> = self.vectors[..count].iter().map(Vec::as_slice).collect();
        let environment = Environment::default();
        let mut found = vec![Scalar::zero(ty); results];
        let outcome = match (glsl, opencl) {
            (Some(it), _) => evaluate_glsl_vector(it, ty, &operands, &environment, &mut found),
            (_, Some(it)) => evaluate_opencl_vector(it, ty, &operands, &environment, &mut found),
            _ => unreachable!(),
        };
        let _ = outcome.unwrap();
        found.iter().map(|it| it.to_f64().unwrap()).collect()
    }
}

fn dot(x: &[Big], y: &[Big]) -> Big {
    x.iter().zip(y).map(|(x, y)| x.clone() * y).sum()
}

fn length(x: &[Big]) -> Big {
    dot(x, x).sqrt()
}

/// `most` for what is rounded twice, in units of the last place; else what is rounded once.
fn check(format: FloatFormat, found: f64, exact: &Big, precision: Precision, most: f64) -> f64 {
    let error = error(found, exact, format);
    let about = || {
        format!(
            "{format:?}: {found:e}, {error} ULP from {:e}",
            exact.to_f64().value()
        )
    };
    if let Precision::Ulp(allowed) = precision {
        assert!(error <= allowed, "{}", about());
    }
    let most = if format == FloatFormat::Double {
        most
    } else {
        0.5 + 1e-4
    };
    assert!(error <= most, "{}", about());
    error
}

/// Notes an error of an instruction of either set, or both.
fn note(
    report: &mut Report,
    glsl: Option<Glsl>,
    opencl: Option<OpenCl>,
    format: FloatFormat,
    error: f64,
) {
    let both = [glsl.map(Instruction::Glsl), opencl.map(Instruction::OpenCl)];
    for instruction in both.into_iter().flatten() {
        report.add(instruction, format, error);
    }
}

/// Vectors of any exponents, at any size.
#[test]
fn lengths_and_directions() {
    let mut random = Random::new(1);
    let mut report = Report::new();
    for format in [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double] {
        for size in 1..=4 {
            for _ in 0..samples(1_200) / 4 {
                let sample = Sample::new(&mut random, format, size);
                let (x, y) = (sample.numbers(0), sample.numbers(1));
                let of = |it| opencl_precision(it, format, size);
                for (glsl, opencl) in [
                    (Some(Glsl::Length), OpenCl::length),
                    (None, OpenCl::fast_length),
                    (None, OpenCl::length),
                ] {
                    let found = sample.run(glsl, Some(opencl), 1, 1)[0];
                    let error = check(format, found, &length(&x), of(opencl), 0.76);
                    note(&mut report, glsl, Some(opencl), format, error);
                }
                let differences: Vec<Big> = x.iter().zip(&y).map(|(x, y)| x.clone() - y).collect();
                for (glsl, opencl) in [
                    (Some(Glsl::Distance), OpenCl::distance),
                    (None, OpenCl::fast_distance),
                    (None, OpenCl::distance),
                ] {
                    let found = sample.run(glsl, Some(opencl), 2, 1)[0];
                    let error = check(format, found, &length(&differences), of(opencl), 1.8);
                    note(&mut report, glsl, Some(opencl), format, error);
                }
                if x.iter().all(|x| *x == Big::ZERO) {
                    continue;
                }
                for (glsl, opencl) in [
                    (Some(Glsl::Normalize), OpenCl::normalize),
                    (None, OpenCl::fast_normalize),
                    (None, OpenCl::normalize),
                ] {
                    let found = sample.run(glsl, Some(opencl), 1, size);
                    for (found, component) in found.into_iter().zip(&x) {
                        let error = check(
                            format,
                            found,
                            &(component.clone() / length(&x)),
                            of(opencl),
                            1.5,
                        );
                        note(&mut report, glsl, Some(opencl), format, error);
                    }
                }
            }
        }
    }
    report.print();
}

/// What cancels is measured against what it is made of.
#[test]
fn products() {
    let mut random = Random::new(2);
    let mut report = Report::new();
    for (format, epsilon) in [
        (FloatFormat::Half, f64::powi(2.0, -10)),
        (FloatFormat::Single, f64::powi(2.0, -23)),
        (FloatFormat::Double, f64::EPSILON),
    ] {
        for _ in 0..samples(1_000) {
            let sample = Sample::new(&mut random, format, 3);
            let (x, y) = (sample.numbers(0), sample.numbers(1));
            let greatest = |x: &[Big]| {
                x.iter()
                    .map(|it| abs(it).to_f64().value())
                    .fold(0.0, f64::max)
            };
            let (of_x, of_y) = (greatest(&x), greatest(&y));
            // Neither overflow nor what is beneath all numbers.
            if !(1e-2..30.0).contains(&of_x) || !(1e-2..30.0).contains(&of_y) {
                continue;
            }
            let near = |found: f64, exact: Big, most: f64| {
                let difference = abs(&(big(found, BITS) - exact)).to_f64().value();
                assert!(difference <= most, "{format:?} {x:?} {y:?}: {difference}");
            };
            let cross = |i: usize| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                x[j].clone() * &y[k] - x[k].clone() * &y[j]
            };
            let of_square = match opencl_precision(OpenCl::cross, format, 3) {
                Precision::OfSquare(times) => times * epsilon * of_x.max(of_y).powi(2),
                other => panic!("{other:?}"),
            };
            for (glsl, opencl) in [(Some(Glsl::Cross), None), (None, Some(OpenCl::cross))] {
                let found = sample.run(glsl, opencl, 2, 3);
                for (i, found) in found.into_iter().enumerate() {
                    near(found, cross(i), of_square);
                    // Nothing is lost but to the last rounding.
                    let most = if format == FloatFormat::Double {
                        2.0
                    } else {
                        0.5 + 1e-4
                    };
                    let error = error(found, &cross(i), format);
                    assert!(error <= most, "{format:?} {x:?} {y:?}: {found:e} {error}");
                    note(&mut report, glsl, opencl, format, error);
                }
            }
            let twice = dot(&y, &x) * Big::from(2);
            let found = sample.run(Some(Glsl::Reflect), None, 2, 3);
            for (i, found) in found.into_iter().enumerate() {
                let exact = x[i].clone() - twice.clone() * &y[i];
                near(found, exact, 8.0 * epsilon * (of_x + of_x * of_y * of_y));
            }
        }
    }
    report.print();
}
