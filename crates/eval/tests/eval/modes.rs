//! What an environment changes.

use proptest::prelude::*;
use spirvkit_binary::FloatFormat;
use spirvkit_eval::{
    Denormals, Environment, FloatMode, Reason, Rounding, Scalar, ScalarType, Specials,
    evaluate_scalar,
};
use spirvkit_grammar::Op;

use crate::oracle::real::Format;
use crate::oracle::{Ty, rounded};
use crate::scalars::{Case, bits, cases, scalar_type};

/// One mode for all widths.
fn all(change: impl Fn(&mut FloatMode)) -> Environment {
    let mut environment = Environment::default();
    change(&mut environment.half);
    change(&mut environment.single);
    change(&mut environment.double);
    environment
}

fn run(
    (op, result, types): &Case,
    operands: &[u64],
    environment: &Environment,
) -> Result<u64, Reason> {
    let scalars = types.iter().zip(operands);
    let scalars: Vec<Scalar> = scalars
        .map(|(&ty, &bits)| Scalar::new(scalar_type(ty), bits))
        .collect();
    let outcome = evaluate_scalar(*op, scalar_type(*result), &scalars, environment);
    outcome.unwrap().defined().map(Scalar::bits)
}

fn float_cases() -> Vec<Case> {
    let is_float = |ty: &Ty| {
        matches!(
            ty,
            Ty::Float(Format::HALF | Format::SINGLE | Format::DOUBLE)
        )
    };
    let mut cases = cases();
    cases.retain(|(op, result, types)| {
        is_float(result)
            && *op != Op::Select
            && types
                .iter()
                .all(|ty| is_float(ty) || matches!(ty, Ty::Int(_)))
    });
    cases
}

fn is_denormal(format: Format, bits: u64) -> bool {
    format.exponent_field(bits) == 0 && bits << (65 - format.width()) != 0
}

fn flushed(ty: Ty, bits: u64) -> u64 {
    match ty {
        Ty::Float(format) if is_denormal(format, bits) => bits & 1 << (format.width() - 1),
        _ => bits,
    }
}

fn operands(types: &[Ty], seeds: [(u64, u8); 4]) -> Vec<u64> {
    let seeds = types.iter().zip(seeds);
    seeds
        .map(|(&ty, (random, choice))| bits(ty, random, choice))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_rounding_mode(case in proptest::sample::select(float_cases()), seeds in any::<[(u64, u8); 4]>()) {
        let operands = operands(&case.2, seeds);
        for rounding in [Rounding::NearestEven, Rounding::TowardZero, Rounding::TowardPositive, Rounding::TowardNegative] {
            let expected = rounded(case.0, case.1, case.2[0], &operands, rounding);
            let found = run(&case, &operands, &all(|mode| mode.rounding = rounding));
            prop_assert_eq!(found.ok(), expected, "{:?} {:x?} {:?}", case, operands, rounding);
        }
    }

    #[test]
    fn denormals(case in proptest::sample::select(float_cases()), seeds in any::<[(u64, u8); 4]>()) {
        let (op, result, types) = &case;
        let operands = operands(types, seeds);
        let plain: Vec<u64> = types.iter().zip(&operands).map(|(&ty, &bits)| flushed(ty, bits)).collect();
        let expected = rounded(*op, *result, types[0], &plain, Rounding::NearestEven);
        let found = run(&case, &operands, &all(|mode| mode.denormals = Denormals::Flush));
        prop_assert_eq!(found.ok(), expected.map(|bits| flushed(*result, bits)), "{:?} {:x?}", case, operands);
        // Where either may be, it makes a difference.
        let kept = rounded(*op, *result, types[0], &operands, Rounding::NearestEven);
        let is_clear = plain == operands && kept.is_none_or(|bits| flushed(*result, bits) == bits);
        let found = run(&case, &operands, &all(|mode| mode.denormals = Denormals::Unspecified));
        prop_assert_eq!(found.ok(), kept.filter(|_| is_clear), "{:?} {:x?}", case, operands);
    }

    #[test]
    fn infinities_and_nans(case in proptest::sample::select(float_cases()), seeds in any::<[(u64, u8); 4]>()) {
        let (op, result, types) = &case;
        let operands = operands(types, seeds);
        let is_special = |ty: Ty, bits| match ty {
            Ty::Float(format) => format.exponent_field(bits) == format.exponent_mask(),
            _ => false,
        };
        let kept = rounded(*op, *result, types[0], &operands, Rounding::NearestEven);
        let is_clear = !types.iter().zip(&operands).any(|(&ty, &bits)| is_special(ty, bits));
        let found = run(&case, &operands, &all(|mode| mode.specials = Specials::Unspecified));
        prop_assert_eq!(found.ok(), kept.filter(|&bits| is_clear && !is_special(*result, bits)));
    }

    /// The machine has these, too.
    #[test]
    fn as_the_machine_does(a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
        let single = |bits: u64| f32::from_bits(bits as u32);
        let double = f64::from_bits;
        let (x, y, z) = (single(a), single(b), single(c));
        let (u, v, w) = (double(a), double(b), double(c));
        for (op, narrow, wide) in [
            (Op::FAdd, x + y, u + v),
            (Op::FSub, x - y, u - v),
            (Op::FMul, x * y, u * v),
            (Op::FDiv, x / y, u / v),
            (Op::FRem, x % y, u % v),
            (Op::FmaKHR, x.mul_add(y, z), u.mul_add(v, w)),
        ] {
            let count = if op == Op::FmaKHR { 3 } else { 2 };
            let evaluate = |operands: [Scalar; 3]| {
                let ty = operands[0].ty();
                let outcome = evaluate_scalar(op, ty, &operands[..count], &Environment::default());
                outcome.unwrap().common().to_f64().unwrap()
            };
            let found = evaluate([x.into(), y.into(), z.into()]);
            prop_assert!(found.is_nan() && narrow.is_nan() || found.to_bits() == f64::from(narrow).to_bits());
            let found = evaluate([u.into(), v.into(), w.into()]);
            prop_assert!(found.is_nan() && wide.is_nan() || found.to_bits() == wide.to_bits());
        }
    }
}

/// What is said not to wrap, for all bytes.
#[test]
fn wrapping() {
    let byte = ScalarType::Integer { width: 8 };
    let signed = Environment::default().no_signed_wrap(true);
    let unsigned = Environment::default().no_unsigned_wrap(true);
    type Exact = fn(i32, i32) -> i32;
    let cases: [(Op, usize, Exact); 5] = [
        (Op::IAdd, 2, |a, b| a + b),
        (Op::ISub, 2, |a, b| a - b),
        (Op::IMul, 2, |a, b| a * b),
        (Op::ShiftLeftLogical, 2, |a, b| a << b),
        (Op::SNegate, 1, |a, _| -a),
    ];
    for (op, count, exact) in cases {
        for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).map(move |b| (a, b))) {
            let is_shift = op == Op::ShiftLeftLogical;
            if is_shift && b > 7 {
                continue;
            }
            let operands = [a, b].map(|bits| Scalar::new(byte, bits.into()));
            let run =
                |environment| evaluate_scalar(op, byte, &operands[..count], environment).unwrap();
            let second = if is_shift {
                i32::from(b)
            } else {
                i32::from(b as i8)
            };
            let result = exact(i32::from(a as i8), second);
            let expected = i8::try_from(result).map_err(|_| Reason::SignedWrap);
            assert_eq!(
                run(&signed).defined().map(|it| it.bits() as i8),
                expected,
                "{op} {a} {b}"
            );
            let result = exact(a.into(), b.into());
            let expected = u8::try_from(result).map_err(|_| Reason::UnsignedWrap);
            assert_eq!(
                run(&unsigned).defined().map(|it| it.bits() as u8),
                expected,
                "{op} {a} {b}"
            );
            assert_eq!(
                run(&signed).common().bits(),
                u64::from(result as u8),
                "{op} {a} {b}"
            );
        }
    }
}

#[test]
fn saturation() {
    let saturated = Environment::default().saturated(true);
    let byte = ScalarType::Integer { width: 8 };
    let run = |op, ty, operand: Scalar| {
        let outcome = evaluate_scalar(op, ty, &[operand], &saturated);
        outcome.unwrap().defined().unwrap().bits()
    };
    for (number, signed, unsigned) in [
        (1e9f32, 127, 255),
        (-1e9, 0x80, 0),
        (f32::NAN, 0, 0),
        (f32::INFINITY, 127, 255),
        (-1.5, 0xff, 0),
    ] {
        assert_eq!(run(Op::ConvertFToS, byte, number.into()), signed);
        assert_eq!(run(Op::ConvertFToU, byte, number.into()), unsigned);
    }
    assert_eq!(run(Op::UConvert, byte, 300.into()), 255);
    assert_eq!(run(Op::SConvert, byte, (-300i32 as u32).into()), 0x80);
    let e4m3 = ScalarType::Float(FloatFormat::E4M3);
    assert_eq!(run(Op::FConvert, e4m3, 1e9f32.into()), 0x7e);
    assert_eq!(run(Op::FConvert, e4m3, f32::NEG_INFINITY.into()), 0xfe);
    assert_eq!(run(Op::FConvert, e4m3, f32::NAN.into()), 0x7f);
}

/// All numbers of the format without infinities, and what lies between them.
#[test]
fn numbers_of_e4m3() {
    let e4m3 = ScalarType::Float(FloatFormat::E4M3);
    let number = |bits: u64| {
        let (exponent, fraction) = (bits >> 3 & 15, (bits & 7) as f32);
        match exponent {
            0 => fraction / 512.0,
            _ => (8.0 + fraction) / 8.0 * 2f32.powi(exponent as i32 - 7),
        }
    };
    let convert = |number: f32| {
        let outcome = evaluate_scalar(
            Op::FConvert,
            e4m3,
            &[number.into()],
            &Environment::default(),
        );
        outcome.unwrap().defined().unwrap().bits()
    };
    assert_eq!(number(0x7e), 448.0);
    for bits in 0..0x7e {
        let (this, next) = (number(bits), number(bits + 1));
        assert_eq!(Scalar::new(e4m3, bits).to_f64(), Some(this.into()));
        assert_eq!(convert(this), bits);
        assert_eq!(convert(-this), bits | 0x80);
        let middle = (this + next) / 2.0;
        assert_eq!(convert(middle), bits + bits % 2);
        assert_eq!(convert(middle.next_down()), bits);
        assert_eq!(convert(middle.next_up()), bits + 1);
    }
    // 464 is the middle to the number that there would be.
    assert_eq!(convert(464.0), 0x7e);
    for beyond in [464f32.next_up(), -1e9, f32::INFINITY, f32::NAN] {
        assert_eq!(convert(beyond), 0x7f);
    }
    assert!(Scalar::new(e4m3, 0xff).to_f64().unwrap().is_nan());
}
