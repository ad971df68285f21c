//! How far results are from the exact ones, against what the specifications allow.
//!
//! `cargo xtask conformance precision` takes more samples than usual, and collects the greatest
//! errors.

mod exact;
mod functions;
mod reference;
mod report;
mod vectors;
mod wholes;

use dashu_float::ops::Abs;
use functions::{FUNCTIONS, Function};
use reference::{Big, big};
use report::Report;
use spirvkit_binary::FloatFormat;
use spirvkit_eval::{Environment, Precision, Scalar, ScalarType, evaluate_scalar};
use spirvkit_grammar::Op;

/// How many bits numbers have beyond which nothing is asked of results.
pub(crate) fn precision(format: FloatFormat) -> (isize, isize) {
    match format {
        FloatFormat::Half => (11, -14),
        FloatFormat::Single => (24, -126),
        _ => (53, -1022),
    }
}

/// How many operands each function gets.
pub(crate) fn samples(usually: u64) -> u64 {
    match std::env::var("SAMPLES") {
        Ok(samples) => samples.parse().expect("a number"),
        Err(_) => usually,
    }
}

/// Numbers that look random, and are the same each time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next bits (SplitMix64).
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number of a format in a range, or any at all, one as often as the other.
    pub(crate) fn number(&mut self, format: FloatFormat, (low, high): (f64, f64)) -> Scalar {
        let ty = ScalarType::Float(format);
        let bits = self.bits();
        if bits & 1 == 0 {
            return Scalar::new(ty, self.bits());
        }
        let part = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        narrowed(low + (high - low) * part, format)
    }
}

/// The nearest number of a format.
pub(crate) fn narrowed(number: f64, format: FloatFormat) -> Scalar {
    let environment = Environment::default();
    let operand = [Scalar::from(number)];
    let ty = ScalarType::Float(format);
    let narrow = evaluate_scalar(Op::FConvert, ty, &operand, &environment);
    narrow.unwrap().common()
}

/// The exponent of the highest bit.
fn exponent(x: &Big) -> isize {
    let repr = x.repr();
    repr.exponent() + repr.digits() as isize - 1
}

/// How far a result is from the exact one, in units of the last place; 0 if it is an infinity
/// where it may be one.
pub(crate) fn error(found: f64, exact: &Big, format: FloatFormat) -> f64 {
    let (digits, least) = precision(format);
    if *exact == Big::ZERO {
        return if found == 0.0 { 0.0 } else { f64::INFINITY };
    }
    let top = exponent(exact);
    // Half a unit below what is beyond all numbers.
    let overflows = top > -least + 1 || {
        let unit = (Big::ONE << (-least + 2)) - (Big::ONE << (-least + 1 - digits));
        exact.clone().abs() >= unit.clone() - (unit >> (digits + 2))
    };
    if found.is_infinite() && overflows && (found < 0.0) == (*exact < Big::ZERO) {
        return 0.0;
    }
    if !found.is_finite() {
        return f64::INFINITY;
    }
    let unit = top.max(least) - (digits - 1);
    let difference = (big(found, 200) - exact).abs();
    (difference >> unit).to_f64().value()
}

/// Whether an error is what is allowed.
fn is_allowed(precision: Precision, error: f64, exact: &Big, format: FloatFormat) -> bool {
    let (digits, least) = self::precision(format);
    let unit = || {
        let unit = exponent(exact).max(least) - (digits - 1);
        f64::powi(2.0, unit as i32)
    };
    match precision {
        Precision::Correct => error <= 0.5 + 1e-4,
        Precision::Ulp(most) => error <= most,
        Precision::Absolute(most) => error * unit() <= most.max(unit()),
        _ => true,
    }
}

/// Compares a function in a format.
fn compare(function: &Function, format: FloatFormat, seed: u64, count: u64, report: &mut Report) {
    let mut random = Random::new(seed);
    let bits = if format == FloatFormat::Double {
        160
    } else {
        72
    };
    // There are no more numbers of 16 bits than these.
    let is_whole = format == FloatFormat::Half && function.ranges.len() == 1;
    let count = if is_whole { count.min(1 << 16) } else { count };
    for index in 0..count {
        let operands = match is_whole && count == 1 << 16 {
            true => vec![Scalar::new(ScalarType::Float(format), index)],
            false => function.operands(&mut random, format),
        };
        let numbers: Vec<f64> = operands
            .iter()
            .map(|it| it.to_f64().unwrap_or_else(|| it.sign_extended() as f64))
            .collect();
        if numbers.iter().any(|it| !it.is_finite()) || !(function.domain)(&numbers) {
            continue;
        }
        let exact: Vec<Big> = numbers.iter().map(|it| big(*it, bits)).collect();
        let exact = (function.exact)(&exact);
        for &instruction in function.instructions {
            if format == FloatFormat::Double && instruction.is_narrow() {
                continue;
            }
            let (found, precision) = instruction.run(format, &operands, &numbers);
            let error = error(found, &exact, format);
            let about = || {
                let exact = exact.to_f64().value();
                format!(
                    "{instruction:?} {format:?} {numbers:?}: {found:e}, {error} ULP from {exact:e}"
                )
            };
            assert!(is_allowed(precision, error, &exact, format), "{}", about());
            // What is rounded once more has next to no error of its own.
            let most = match format {
                FloatFormat::Double => function.most,
                _ => 0.5 + 1e-4,
            };
            assert!(error <= most, "{}", about());
            report.add(instruction, format, error);
        }
    }
}

fn check(format: FloatFormat, usually: u64) {
    let mut report = Report::new();
    for (index, function) in FUNCTIONS.iter().enumerate() {
        compare(
            function,
            format,
            index as u64,
            samples(usually),
            &mut report,
        );
    }
    report.print();
}

#[test]
fn halves() {
    check(FloatFormat::Half, 500);
}

#[test]
fn singles() {
    check(FloatFormat::Single, 1_000);
}

#[test]
fn doubles() {
    check(FloatFormat::Double, 1_000);
}
