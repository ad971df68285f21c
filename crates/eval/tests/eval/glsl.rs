//! `GLSL.std.450`, where its results are exact.

use proptest::prelude::*;
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Environment, Evaluator, Outcome, Reason, Rounding, Scalar, ScalarType, Sequence, Type, Types,
    Value, evaluate_glsl_scalar,
};
use spirvkit_grammar::GlslStd450 as Glsl;

use crate::oracle::real::Format;

const BYTE: ScalarType = ScalarType::Integer { width: 8 };
const HALF: ScalarType = ScalarType::Float(FloatFormat::Half);
const SINGLE: ScalarType = ScalarType::Float(FloatFormat::Single);

fn run(instruction: Glsl, operands: &[Scalar]) -> Outcome<Scalar> {
    let environment = Environment::default();
    evaluate_glsl_scalar(instruction, operands[0].ty(), operands, &environment).unwrap()
}

#[test]
fn bytes() {
    let byte = |bits: u8| Scalar::new(BYTE, bits.into());
    for a in 0..=255u8 {
        let signed = a as i8;
        let set = |from: u8| (0..8).rev().find(|bit| from >> bit & 1 == 1).unwrap_or(-1);
        let lowest = (0..8).find(|bit| a >> bit & 1 == 1).unwrap_or(-1);
        for (instruction, expected) in [
            (
                Glsl::SAbs,
                if signed < 0 {
                    -i32::from(signed)
                } else {
                    signed.into()
                },
            ),
            (Glsl::SSign, i32::from(signed > 0) - i32::from(signed < 0)),
            (Glsl::FindILsb, lowest),
            (Glsl::FindUMsb, set(a)),
            (Glsl::FindSMsb, set(if signed < 0 { !a } else { a })),
        ] {
            let found = run(instruction, &[byte(a)]).defined();
            assert_eq!(found, Ok(byte(expected as u8)), "{instruction:?} {a}");
        }
        for b in 0..=255u8 {
            let (s, t) = (signed, b as i8);
            for (instruction, expected) in [
                (Glsl::UMin, if a < b { a } else { b }),
                (Glsl::UMax, if a < b { b } else { a }),
                (Glsl::SMin, if s < t { a } else { b }),
                (Glsl::SMax, if s < t { b } else { a }),
            ] {
                let found = run(instruction, &[byte(a), byte(b)]).defined();
                assert_eq!(found, Ok(byte(expected)), "{instruction:?} {a} {b}");
            }
            for c in [0u8, 1, 100, 127, 128, 200, 255] {
                let found = run(Glsl::UClamp, &[byte(a), byte(b), byte(c)]);
                let expected = a.max(b).min(c);
                assert_eq!(
                    found,
                    Outcome::new(byte(expected), (b > c).then_some(Reason::ClampBounds))
                );
                let found = run(Glsl::SClamp, &[byte(a), byte(b), byte(c)]);
                let expected = s.max(t).min(c as i8) as u8;
                assert_eq!(
                    found,
                    Outcome::new(byte(expected), (t > c as i8).then_some(Reason::ClampBounds))
                );
            }
        }
    }
}

/// All numbers of 16 bits, computed with in 64.
#[test]
fn halves() {
    let rounded = |number: f64| {
        let exact = Format::DOUBLE.decode(number.to_bits());
        Format::HALF.encode(&exact, Rounding::NearestEven)
    };
    for bits in 0..=0xffffu64 {
        let half = Scalar::new(HALF, bits);
        let x = half.to_f64().unwrap();
        for (instruction, expected) in [
            (Glsl::RoundEven, x.round_ties_even()),
            (Glsl::Trunc, x.trunc()),
            (Glsl::Floor, x.floor()),
            (Glsl::Ceil, x.ceil()),
            (Glsl::Fract, x - x.floor()),
        ] {
            let found = run(instruction, &[half]).defined();
            assert_eq!(
                found,
                Ok(Scalar::new(HALF, rounded(expected))),
                "{instruction:?} {x}"
            );
        }
        let is_tie = (x - x.trunc()).abs() == 0.5;
        let round = run(Glsl::Round, &[half]);
        assert_eq!(round.undefined(), is_tie.then_some(Reason::Tie), "{x}");
        assert_eq!(round.common().bits(), rounded(x.round_ties_even()), "{x}");
        assert_eq!(
            run(Glsl::FAbs, &[half]).defined().unwrap().bits(),
            bits & 0x7fff
        );
        let sign = run(Glsl::FSign, &[half]);
        if x.is_nan() {
            assert_eq!(sign.undefined(), Some(Reason::Unordered));
        } else {
            let expected = if x > 0.0 {
                0x3c00
            } else if x < 0.0 {
                0xbc00
            } else {
                0
            };
            assert_eq!(sign.defined().unwrap().bits(), expected, "{x}");
        }
        for exponent in [-40, -25, -11, -1, 0, 1, 9, 31, 1 << 30] {
            let operands = [half, Scalar::from(exponent as u32)];
            let found = run(Glsl::Ldexp, &operands);
            let expected = rounded(x * 2f64.powi(exponent.min(1000)));
            assert_eq!(found.common().bits(), expected, "{x} {exponent}");
            // The set wants no greater powers, whatever they multiply.
            let overflows = x.is_finite() && expected & 0x7fff == 0x7c00 || exponent > 16;
            assert_eq!(
                found.undefined(),
                overflows.then_some(Reason::Overflow),
                "{x} {exponent}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// The machine's numbers of 32 bits.
    #[test]
    fn singles(x in -1e3f32..1e3, y in -1e3f32..1e3, a in -2f32..2.0) {
        let run = |instruction, operands: &[f32]| {
            let operands: Vec<Scalar> = operands.iter().map(|&it| it.into()).collect();
            run(instruction, &operands).defined()
        };
        prop_assert_eq!(run(Glsl::FMix, &[x, y, a]), Ok((x * (1.0 - a) + y * a).into()));
        prop_assert_eq!(run(Glsl::Fma, &[x, y, a]), Ok(x.mul_add(y, a).into()));
        prop_assert_eq!(run(Glsl::Step, &[x, y]), Ok((if y < x { 0f32 } else { 1.0 }).into()));
        for (least, most) in [(Glsl::FMin, Glsl::FMax), (Glsl::NMin, Glsl::NMax)] {
            prop_assert_eq!(run(least, &[x, y]), Ok((if y < x { y } else { x }).into()));
            prop_assert_eq!(run(most, &[x, y]), Ok((if x < y { y } else { x }).into()));
        }
        let (low, high) = (a.min(y), a.max(y));
        for clamp in [Glsl::FClamp, Glsl::NClamp] {
            prop_assert_eq!(run(clamp, &[x, low, high]), Ok(x.max(low).min(high).into()));
        }
    }
}

#[test]
fn nans_and_zeros() {
    let (nan, one, zero, minus): (Scalar, Scalar, Scalar, Scalar) =
        (f32::NAN.into(), 1f32.into(), 0f32.into(), (-0f32).into());
    for operands in [[nan, one], [one, nan]] {
        assert_eq!(run(Glsl::NMin, &operands).defined(), Ok(one));
        assert_eq!(run(Glsl::NMax, &operands).defined(), Ok(one));
        assert_eq!(
            run(Glsl::FMin, &operands).undefined(),
            Some(Reason::Unordered)
        );
        assert_eq!(
            run(Glsl::FMax, &operands).undefined(),
            Some(Reason::Unordered)
        );
        assert_eq!(run(Glsl::Step, &operands).defined(), Ok(one));
    }
    assert!(
        run(Glsl::NMin, &[nan, nan])
            .common()
            .to_f64()
            .unwrap()
            .is_nan()
    );
    for instruction in [Glsl::FMin, Glsl::FMax, Glsl::NMin, Glsl::NMax] {
        assert_eq!(
            run(instruction, &[zero, minus]).undefined(),
            Some(Reason::SignOfZero)
        );
        assert_eq!(run(instruction, &[minus, minus]).defined(), Ok(minus));
    }
    assert_eq!(run(Glsl::NClamp, &[nan, zero, one]).defined(), Ok(zero));
    let clamp = run(Glsl::FClamp, &[one, one, zero]);
    assert_eq!(clamp, Outcome::new(zero, Some(Reason::ClampBounds)));
}

/// Vectors by component; what is not evaluated is said not to be.
#[test]
fn whole_values() {
    let mut types = Types::default();
    types.insert(Id(1), Type::Number(NumberType::Float(FloatFormat::Single)));
    let (kind, part, count) = (Sequence::Vector, Id(1), Some(2));
    types.insert(Id(2), Type::Sequence { kind, part, count });
    let evaluator = Evaluator::new(&types);
    let vector = |x: f32, y: f32| Value::composite([x.into(), y.into()]).unwrap();
    let floor = evaluator.evaluate_glsl(Glsl::Floor, Id(2), &[vector(1.5, -1.5)]);
    assert_eq!(floor.unwrap().defined(), Ok(vector(1.0, -2.0)));
    let round = evaluator
        .evaluate_glsl(Glsl::Round, Id(2), &[vector(1.2, 2.5)])
        .unwrap();
    assert_eq!(round.undefined(), Some(Reason::Tie));
    assert_eq!(round.common(), vector(1.0, 2.0));
    assert!(
        evaluator
            .evaluate_glsl(Glsl::Length, Id(2), &[vector(1.0, 2.0)])
            .is_err()
    );
    let sine = evaluator.evaluate_glsl(Glsl::Sin, Id(2), &[vector(0.0, -0.0)]);
    assert_eq!(sine.unwrap().defined(), Ok(vector(0.0, -0.0)));
    assert!(evaluator.evaluate_glsl(Glsl::Floor, Id(2), &[]).is_err());
    let environment = Environment::default();
    for number in 0..100 {
        let _ = evaluate_glsl_scalar(Glsl(number), SINGLE, &[1f32.into(); 3], &environment);
        let _ = evaluate_glsl_scalar(Glsl(number), BYTE, &[], &environment);
    }
}
