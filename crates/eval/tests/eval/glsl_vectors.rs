//! `GLSL.std.450` on vectors and matrices, and with two results.

use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Denormals, Environment, NotComputable, Outcome, Reason, Scalar, ScalarType, Specials,
    evaluate_glsl_pair, evaluate_glsl_scalar, evaluate_glsl_vector,
};
use spirvkit_grammar::GlslStd450 as Glsl;

const INT: ScalarType = ScalarType::Integer { width: 32 };
const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);
const DOUBLE: ScalarType = ScalarType::Float(FloatFormat::Double);

fn scalars(numbers: &[f32]) -> Vec<Scalar> {
    numbers.iter().map(|&it| it.into()).collect()
}

/// The result and its components.
fn run(
    instruction: Glsl,
    result: ScalarType,
    operands: &[&[Scalar]],
    count: usize,
) -> (Option<Reason>, Vec<Scalar>) {
    let mut results = vec![Scalar::zero(result); count];
    let environment = Environment::default();
    let outcome = evaluate_glsl_vector(instruction, result, operands, &environment, &mut results);
    (outcome.unwrap().undefined(), results)
}

fn numbers(instruction: Glsl, operands: &[&[f32]], count: usize) -> (Option<Reason>, Vec<f64>) {
    let operands: Vec<Vec<Scalar>> = operands.iter().map(|it| scalars(it)).collect();
    let operands: Vec<&[Scalar]> = operands.iter().map(Vec::as_slice).collect();
    let (reason, found) = run(instruction, SINGLE, &operands, count);
    (
        reason,
        found.iter().map(|it| it.to_f64().unwrap()).collect(),
    )
}

fn defined(instruction: Glsl, operands: &[&[f32]], count: usize) -> Vec<f64> {
    let (reason, found) = numbers(instruction, operands, count);
    assert_eq!(reason, None, "{instruction:?} {operands:?}");
    found
}

#[test]
fn geometry() {
    assert_eq!(defined(Glsl::Length, &[&[-7.0]], 1), [7.0]);
    assert_eq!(
        defined(Glsl::Length, &[&[3e30, 4e30]], 1),
        [f64::from(5e30f32)]
    );
    assert_eq!(
        defined(Glsl::Distance, &[&[1.0, 2.0, 2.0], &[0.0; 3]], 1),
        [3.0]
    );
    assert_eq!(
        defined(Glsl::Cross, &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], 3),
        [0.0, 0.0, 1.0]
    );
    assert_eq!(defined(Glsl::Normalize, &[&[0.0, -2.0]], 2), [0.0, -1.0]);
    let (reason, zero) = numbers(Glsl::Normalize, &[&[0.0, 0.0]], 2);
    assert_eq!(reason, Some(Reason::Domain));
    assert!(zero[0].is_nan());
    let (n, i) = ([1.0, 2.0], [3.0, -1.0]);
    assert_eq!(
        defined(Glsl::FaceForward, &[&n, &i, &[-1.0, 0.0]], 2),
        [1.0, 2.0]
    );
    assert_eq!(
        defined(Glsl::FaceForward, &[&n, &i, &[1.0, 0.0]], 2),
        [-1.0, -2.0]
    );
    assert_eq!(
        defined(Glsl::FaceForward, &[&n, &i, &[0.0, 0.0]], 2),
        [-1.0, -2.0]
    );
    assert_eq!(
        defined(Glsl::Reflect, &[&[1.0, -1.0], &[0.0, 1.0]], 2),
        [1.0, 1.0]
    );
    // Straight through, and beyond the critical angle.
    assert_eq!(
        defined(Glsl::Refract, &[&[0.0, -1.0], &[0.0, 1.0], &[0.5]], 2),
        [0.0, -1.0]
    );
    assert_eq!(
        defined(Glsl::Refract, &[&[0.8, -0.6], &[0.0, 1.0], &[2.0]], 2),
        [0.0, 0.0]
    );
    let [x, y] =
        [0, 1].map(|at| defined(Glsl::Refract, &[&[0.6, -0.8], &[0.0, 1.0], &[0.5]], 2)[at]);
    // The law of refraction: the sine is halved.
    assert!(
        (x - 0.3).abs() < 1e-7 && (y + f64::sqrt(1.0 - 0.09)).abs() < 1e-7,
        "{x} {y}"
    );
}

#[test]
fn matrices() {
    let matrix = [2.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 3.0, 1.0];
    assert_eq!(defined(Glsl::Determinant, &[&matrix], 1), [5.0]);
    assert_eq!(
        defined(Glsl::MatrixInverse, &[&[2.0, 0.0, 0.0, -4.0]], 4),
        [0.5, 0.0, 0.0, -0.25]
    );
    let (reason, _) = numbers(Glsl::MatrixInverse, &[&[1.0, 2.0, 2.0, 4.0]], 4);
    assert_eq!(reason, Some(Reason::Domain));
    let inverse = defined(Glsl::MatrixInverse, &[&matrix], 9);
    for (column, row) in (0..9).map(|it| (it / 3, it % 3)) {
        let product: f64 = (0..3)
            .map(|k| f64::from(matrix[k * 3 + row]) * inverse[column * 3 + k])
            .sum();
        assert!((product - f64::from(column == row)).abs() < 1e-6);
    }
}

/// All integers that there are in 8 bits, and what is between.
#[test]
fn normalized() {
    for (pack, unpack, signed, bits) in [
        (Glsl::PackSnorm4x8, Glsl::UnpackSnorm4x8, true, 8),
        (Glsl::PackUnorm4x8, Glsl::UnpackUnorm4x8, false, 8),
        (Glsl::PackSnorm2x16, Glsl::UnpackSnorm2x16, true, 16),
        (Glsl::PackUnorm2x16, Glsl::UnpackUnorm2x16, false, 16),
    ] {
        let count = 32 / bits;
        let most = (1i64 << (bits - i64::from(signed) as usize)) - 1;
        let least = if signed { -most } else { 0 };
        for integer in least..=most {
            let place = integer.rem_euclid(count as i64) as usize;
            let packed = ((integer & ((1 << bits) - 1)) as u32) << (place * bits);
            let (_, found) = run(unpack, SINGLE, &[&[packed.into()]], count);
            let exact = integer as f64 / most as f64;
            assert_eq!(found[place], (exact as f32).into(), "{unpack:?} {integer}");
            let (reason, found) = run(pack, INT, &[&found], 1);
            assert_eq!(
                (reason, found[0]),
                (None, packed.into()),
                "{pack:?} {integer}"
            );
        }
        let wide = (0.5 + 3.0) / most as f32;
        let mut vector = vec![0f32; count];
        (vector[0], vector[1]) = (9.0, wide);
        let (_, found) = run(pack, INT, &[&scalars(&vector)], 1);
        let second = found[0].bits() >> bits & ((1 << bits) - 1);
        assert_eq!(found[0].bits() & ((1 << bits) - 1), most as u64);
        assert!(second == 3 || second == 4);
        vector[0] = f32::NAN;
        vector[1] = 0.0;
        let (reason, found) = run(pack, INT, &[&scalars(&vector)], 1);
        assert_eq!((reason, found[0]), (Some(Reason::Unordered), 0.into()));
    }
    // The least integer is as good as the next.
    let (_, found) = run(Glsl::UnpackSnorm4x8, SINGLE, &[&[0x80u32.into()]], 4);
    assert_eq!(found[0], (-1f32).into());
    // One half of one part.
    let (reason, found) = run(
        Glsl::PackUnorm4x8,
        INT,
        &[&scalars(&[0.5, 0.0, 0.0, 0.0])],
        1,
    );
    assert_eq!((reason, found[0]), (Some(Reason::Tie), 128.into()));
}

#[test]
fn halves_and_doubles() {
    let (reason, found) = run(Glsl::PackHalf2x16, INT, &[&scalars(&[1.5, -65_520.0])], 1);
    assert_eq!((reason, found[0]), (None, 0xfc00_3e00u32.into()));
    let (_, found) = run(Glsl::UnpackHalf2x16, SINGLE, &[&[0x0001_3e00u32.into()]], 2);
    assert_eq!(found, scalars(&[1.5, f32::powi(2.0, -24)]));
    let bits = 1.25f64.to_bits();
    let halves = [Scalar::from(bits as u32), Scalar::from((bits >> 32) as u32)];
    assert_eq!(
        run(Glsl::PackDouble2x32, DOUBLE, &[&halves], 1),
        (None, vec![1.25.into()])
    );
    assert_eq!(
        run(Glsl::UnpackDouble2x32, INT, &[&[1.25.into()]], 2),
        (None, halves.to_vec())
    );
    let nan = [Scalar::from(0), Scalar::from(0x7ff8_0000)];
    assert_eq!(
        run(Glsl::PackDouble2x32, DOUBLE, &[&nan], 1).0,
        Some(Reason::InfinityOrNan)
    );
}

#[test]
fn two_results() {
    let environment = Environment::default();
    let pair =
        |instruction, x: f32| evaluate_glsl_pair(instruction, &[x.into()], &environment).unwrap();
    for (x, fraction, whole) in [
        (2.75f32, 0.75f32, 2f32),
        (-2.75, -0.75, -2.0),
        (-0.0, -0.0, -0.0),
        (f32::NEG_INFINITY, -0.0, f32::NEG_INFINITY),
    ] {
        let expected = Ok([fraction.into(), whole.into()]);
        assert_eq!(pair(Glsl::Modf, x).defined(), expected);
        assert_eq!(pair(Glsl::ModfStruct, x).defined(), expected);
    }
    for (x, significand, exponent) in [
        (12f32, 0.75f32, 4),
        (-0.375, -0.75, -1),
        (-0.0, -0.0, 0),
        (f32::from_bits(1), 0.5, -148),
    ] {
        let expected = Ok([significand.into(), Scalar::from(exponent as u32)]);
        assert_eq!(pair(Glsl::Frexp, x).defined(), expected);
        assert_eq!(pair(Glsl::FrexpStruct, x).defined(), expected);
    }
    assert_eq!(
        pair(Glsl::Frexp, f32::NAN).undefined(),
        Some(Reason::Domain)
    );
    assert!(evaluate_glsl_pair(Glsl::Sin, &[1f32.into()], &environment).is_err());
    assert!(evaluate_glsl_pair(Glsl::Modf, &[1.into()], &environment).is_err());
    assert!(evaluate_glsl_pair(Glsl::Modf, &[], &environment).is_err());
}

/// Where functions have no result, and what they commonly give.
#[test]
fn undefined_functions() {
    let evaluate = |instruction, operands: &[f32]| {
        let environment = Environment::default();
        evaluate_glsl_scalar(instruction, SINGLE, &scalars(operands), &environment).unwrap()
    };
    for (instruction, operands) in [
        (Glsl::Asin, &[1.5][..]),
        (Glsl::Acos, &[-1.5]),
        (Glsl::Acosh, &[0.5]),
        (Glsl::Atanh, &[1.0]),
        (Glsl::Atan2, &[0.0, -0.0]),
        (Glsl::Pow, &[-2.0, 2.0]),
        (Glsl::Pow, &[0.0, 0.0]),
        (Glsl::Log, &[-1.0]),
        (Glsl::Log2, &[-1.0]),
        (Glsl::Sqrt, &[-1.0]),
        (Glsl::InverseSqrt, &[-1.0]),
        (Glsl::SmoothStep, &[1.0, 1.0, 3.0]),
    ] {
        assert_eq!(
            evaluate(instruction, operands).undefined(),
            Some(Reason::Domain),
            "{instruction:?}"
        );
    }
    let infinity = f32::INFINITY;
    for (instruction, operands, expected) in [
        (Glsl::Asin, &[1.0][..], std::f32::consts::FRAC_PI_2),
        (Glsl::Acosh, &[1.0], 0.0),
        (Glsl::Atan2, &[0.0, -1.0], std::f32::consts::PI),
        (Glsl::Pow, &[0.0, 2.0], 0.0),
        (Glsl::Log, &[0.0], -infinity),
        (Glsl::Exp, &[-infinity], 0.0),
        (Glsl::Exp2, &[10.0], 1_024.0),
        (Glsl::Sqrt, &[-0.0], -0.0),
        (Glsl::InverseSqrt, &[-0.0], -infinity),
        (Glsl::InverseSqrt, &[16.0], 0.25),
        (Glsl::Tanh, &[-infinity], -1.0),
        (Glsl::SmoothStep, &[0.0, 1.0, 0.5], 0.5),
        (Glsl::Radians, &[180.0], std::f32::consts::PI),
    ] {
        assert_eq!(
            evaluate(instruction, operands),
            Outcome::new(expected.into(), None),
            "{instruction:?}"
        );
    }
    assert!(
        evaluate(Glsl::Sin, &[infinity])
            .common()
            .to_f64()
            .unwrap()
            .is_nan()
    );
    // The set has trigonometry for narrow numbers only.
    let environment = Environment::default();
    let double = evaluate_glsl_scalar(Glsl::Sin, DOUBLE, &[1.0.into()], &environment);
    assert_eq!(double.unwrap_err(), NotComputable::ResultScalar(DOUBLE));
    let root = evaluate_glsl_scalar(Glsl::Sqrt, DOUBLE, &[2.0.into()], &environment);
    assert_eq!(root.unwrap().defined(), Ok(std::f64::consts::SQRT_2.into()));
}

#[test]
fn modes() {
    let mut environment = Environment::default();
    environment.single.denormals = Denormals::Flush;
    let denormal = Scalar::from(f32::from_bits(9));
    let sine = evaluate_glsl_scalar(Glsl::Sin, SINGLE, &[denormal], &environment).unwrap();
    assert_eq!(sine.defined(), Ok(0f32.into()));
    let mut length = [denormal];
    let outcome = evaluate_glsl_vector(
        Glsl::Length,
        SINGLE,
        &[&[denormal]],
        &environment,
        &mut length,
    );
    assert_eq!(
        (outcome.unwrap().undefined(), length),
        (None, [0f32.into()])
    );
    environment.single.denormals = Denormals::Unspecified;
    environment.single.specials = Specials::Unspecified;
    let mut length = [denormal];
    let outcome = evaluate_glsl_vector(
        Glsl::Length,
        SINGLE,
        &[&[denormal]],
        &environment,
        &mut length,
    );
    assert_eq!(outcome.unwrap().undefined(), Some(Reason::Denormal));
    let infinite = Scalar::from(f32::INFINITY);
    let outcome = evaluate_glsl_vector(
        Glsl::Length,
        SINGLE,
        &[&[infinite]],
        &environment,
        &mut length,
    );
    assert_eq!(outcome.unwrap().undefined(), Some(Reason::InfinityOrNan));
}

/// Whatever is asked, something is said.
#[test]
fn any_operands() {
    let environment = Environment::default();
    let types = [
        ScalarType::Bool,
        INT,
        HALF,
        SINGLE,
        DOUBLE,
        ScalarType::Float(FloatFormat::E4M3),
    ];
    for instruction in (0..90).map(Glsl) {
        for (ty, result) in types
            .into_iter()
            .flat_map(|ty| types.map(|result| (ty, result)))
        {
            for bits in [
                0,
                1,
                0x7c00,
                0xffff,
                0x7f80_0000,
                0x8000_0000,
                0x7ff0_0000_0000_0000,
                u64::MAX,
            ] {
                for size in 0..=9 {
                    let vector = vec![Scalar::new(ty, bits); size];
                    let mut results = vec![Scalar::zero(result); size];
                    for count in 0..=3 {
                        let operands = vec![vector.as_slice(); count];
                        let _ = evaluate_glsl_vector(
                            instruction,
                            result,
                            &operands,
                            &environment,
                            &mut results,
                        );
                        let _ = evaluate_glsl_vector(
                            instruction,
                            result,
                            &operands,
                            &environment,
                            &mut results[..size.min(1)],
                        );
                    }
                    let _ = evaluate_glsl_pair(instruction, &vector, &environment);
                    let _ = evaluate_glsl_scalar(instruction, result, &vector, &environment);
                }
            }
        }
    }
}
