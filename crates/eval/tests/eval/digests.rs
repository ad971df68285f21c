//! Results are the same on every platform: a digest of many results of each operation stands in
//! `digests.txt`, which was written on one platform and is compared with on all others.
//!
//! This says nothing of what is right, which is for other tests to say. `BLESS=1` writes the
//! file, for when an operation is meant to give something else.

use std::fmt::Write;

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Environment, Scalar, ScalarType, evaluate_glsl_pair, evaluate_glsl_scalar,
    evaluate_glsl_vector, evaluate_opencl_pair, evaluate_opencl_scalar, evaluate_opencl_vector,
    evaluate_scalar,
};
use spirvkit_grammar::{ExtInstSet, GlslStd450, Op, OpenClStd};

const EXPECTED: &str = include_str!("digests.txt");

const TYPES: [ScalarType; 8] = [
    ScalarType::Bool,
    ScalarType::Integer { width: 8 },
    ScalarType::Integer { width: 16 },
    I32,
    ScalarType::Integer { width: 64 },
    ScalarType::Float(FloatFormat::Half),
    ScalarType::Float(FloatFormat::Single),
    ScalarType::Float(FloatFormat::Double),
];

const I32: ScalarType = ScalarType::Integer { width: 32 };

/// How many operands of each combination of types.
const COUNT: usize = 256;

/// FNV-1a, over words.
struct Digest(u64);

impl Digest {
    fn add(&mut self, scalar: Scalar) {
        self.0 = (self.0 ^ scalar.bits()).wrapping_mul(0x0000_0100_0000_01b3);
    }
}

/// SplitMix64. No number of it depends on arithmetic that could differ.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Any bits, or those of a number whose exponent is near that of 1.
    fn scalar(&mut self, ty: ScalarType) -> Scalar {
        let (exponent, fraction, bias) = match ty {
            ScalarType::Float(FloatFormat::Half) => (5, 10, 15),
            ScalarType::Float(FloatFormat::Single) => (8, 23, 127),
            ScalarType::Float(FloatFormat::Double) => (11, 52, 1023),
            _ => {
                let shift = self.bits() % 64;
                return Scalar::new(ty, self.bits() >> shift);
            }
        };
        let bits = self.bits();
        if bits & 3 == 0 {
            return Scalar::new(ty, self.bits());
        }
        // From 2⁻⁴ to 2⁴, either sign.
        let power = bias - 4 + (bits >> 8 & 7);
        let sign = (bits >> 2 & 1) << (exponent + fraction);
        let rest = self.bits() & ((1 << fraction) - 1);
        Scalar::new(ty, sign | power << fraction | rest)
    }

    fn scalars(&mut self, types: &[ScalarType]) -> Vec<Scalar> {
        types.iter().map(|&ty| self.scalar(ty)).collect()
    }
}

/// The types of operands of which functions are tried: all alike, or all but the first, or but
/// the last, of some other type.
fn operand_types() -> Vec<Vec<ScalarType>> {
    let mut all = Vec::new();
    for first in TYPES {
        for count in 1..=4 {
            all.push(vec![first; count]);
        }
        for other in TYPES.into_iter().filter(|&it| it != first) {
            for count in 2..=4 {
                let mut types = vec![other; count];
                types[0] = first;
                all.push(types);
            }
            all.push(vec![first, first, other]);
            all.push(vec![first, first, I32, I32]);
        }
    }
    all.dedup();
    all
}

/// Adds what an operation on scalars gives of all operands that it can be computed with: how
/// many.
fn scalars(
    evaluate: impl Fn(ScalarType, &[Scalar]) -> Option<Vec<Scalar>>,
    digest: &mut Digest,
) -> usize {
    let mut count = 0;
    for types in operand_types() {
        for result in TYPES {
            let zeros: Vec<Scalar> = types.iter().map(|&ty| Scalar::zero(ty)).collect();
            if evaluate(result, &zeros).is_none() {
                continue;
            }
            let mut random = Random(7);
            for _ in 0..COUNT {
                let operands = random.scalars(&types);
                let results = evaluate(result, &operands).expect("it could be computed");
                results.into_iter().for_each(|it| digest.add(it));
                count += 1;
            }
        }
    }
    count
}

/// The same for one on vectors, which writes its results.
fn vectors(
    evaluate: impl Fn(ScalarType, &[&[Scalar]], &mut [Scalar]) -> bool,
    digest: &mut Digest,
) -> usize {
    let mut count = 0;
    for ty in TYPES {
        for result in TYPES {
            // Vectors, and matrices of two to four columns and rows.
            for (operands, size) in (1..=3).flat_map(|it| [(it, 1), (it, 2), (it, 3), (it, 4)]) {
                for last in [1, size] {
                    for results in [1, 2, 4, size, size * size] {
                        let size = if results > 4 { size * size } else { size };
                        let mut random = Random(8);
                        for index in 0..COUNT {
                            let mut sizes = vec![size; operands];
                            sizes[operands - 1] = if operands == 3 { last } else { size };
                            let all: Vec<Vec<Scalar>> = sizes
                                .iter()
                                .map(|&size| random.scalars(&vec![ty; size]))
                                .collect();
                            let all: Vec<&[Scalar]> = all.iter().map(Vec::as_slice).collect();
                            let mut found = vec![Scalar::zero(result); results];
                            if !evaluate(result, &all, &mut found) {
                                assert_eq!(index, 0, "it could be computed");
                                break;
                            }
                            found.into_iter().for_each(|it| digest.add(it));
                            count += 1;
                        }
                    }
                }
            }
        }
    }
    count
}

/// A line for each operation: its name, how many results there are, and their digest.
fn digests() -> String {
    let environment = &Environment::default();
    let mut text = String::new();
    let mut line = |name: &str, results: usize, digest: &Digest| {
        if results > 0 {
            writeln!(text, "{name} {results} {:016x}", digest.0).expect("a string");
        }
    };
    for info in Op::all() {
        let op = Op(info.number() as u16);
        let mut digest = Digest(0);
        let evaluate = |result: ScalarType, operands: &[Scalar]| {
            let outcome = evaluate_scalar(op, result, operands, environment).ok()?;
            Some(vec![outcome.common()])
        };
        let results = scalars(evaluate, &mut digest);
        line(info.name(), results, &digest);
    }
    for info in ExtInstSet::GlslStd450.instructions() {
        let instruction = GlslStd450(info.number());
        let mut digest = Digest(0);
        let of_scalars = |result: ScalarType, operands: &[Scalar]| {
            let outcome = evaluate_glsl_scalar(instruction, result, operands, environment).ok()?;
            Some(vec![outcome.common()])
        };
        let pair = |result: ScalarType, operands: &[Scalar]| {
            let outcome = evaluate_glsl_pair(instruction, operands, environment).ok()?;
            (result == operands[0].ty()).then(|| outcome.common().to_vec())
        };
        let vector = |result: ScalarType, operands: &[&[Scalar]], found: &mut [Scalar]| {
            evaluate_glsl_vector(instruction, result, operands, environment, found).is_ok()
        };
        let results = scalars(of_scalars, &mut digest)
            + scalars(pair, &mut digest)
            + vectors(vector, &mut digest);
        line(info.name(), results, &digest);
    }
    for info in ExtInstSet::OpenClStd.instructions() {
        let instruction = OpenClStd(info.number());
        let mut digest = Digest(0);
        let of_scalars = |result: ScalarType, operands: &[Scalar]| {
            let outcome = evaluate_opencl_scalar(instruction, result, operands, environment);
            Some(vec![outcome.ok()?.common()])
        };
        let pair = |result: ScalarType, operands: &[Scalar]| {
            let outcome = evaluate_opencl_pair(instruction, operands, environment).ok()?;
            (result == operands[0].ty()).then(|| outcome.common().to_vec())
        };
        let vector = |result: ScalarType, operands: &[&[Scalar]], found: &mut [Scalar]| {
            evaluate_opencl_vector(instruction, result, operands, environment, found).is_ok()
        };
        let results = scalars(of_scalars, &mut digest)
            + scalars(pair, &mut digest)
            + vectors(vector, &mut digest);
        line(info.name(), results, &digest);
    }
    text
}

#[test]
fn results_are_those_of_other_platforms() {
    let found = digests();
    if std::env::var_os("BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval/digests.txt");
        return std::fs::write(file, found).expect("the file can be written");
    }
    let (found, expected): (Vec<&str>, Vec<&str>) =
        (found.lines().collect(), EXPECTED.lines().collect());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "an operation gives something else here");
    }
    assert_eq!(found.len(), expected.len(), "operations");
}
