//! Every operation on components, at every width, against an evaluator that
//! shares no code with the folder.

use crate::oracle::real::Format;
use crate::oracle::{Ty, answer};
use proptest::prelude::*;
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Environment, Evaluator, Outcome, Rounding, Scalar, ScalarType, Sequence, Type, Types, Value,
    evaluate_scalar,
};
use spirvkit_grammar::Op;

const WIDTHS: [u32; 9] = [8, 16, 32, 64, 1, 2, 7, 33, 63];
const FLOATS: [Format; 3] = [Format::HALF, Format::SINGLE, Format::DOUBLE];

pub(crate) fn scalar_type(ty: Ty) -> ScalarType {
    match ty {
        Ty::Bool => ScalarType::Bool,
        Ty::Int(width) => ScalarType::Integer { width: width as u8 },
        Ty::Float(Format::HALF) => ScalarType::Float(FloatFormat::Half),
        Ty::Float(Format::BRAIN) => ScalarType::Float(FloatFormat::BFloat16),
        Ty::Float(Format::E5M2) => ScalarType::Float(FloatFormat::E5M2),
        Ty::Float(Format::SINGLE) => ScalarType::Float(FloatFormat::Single),
        Ty::Float(_) => ScalarType::Float(FloatFormat::Double),
    }
}

fn width(ty: Ty) -> u32 {
    scalar_type(ty).width()
}

/// An operation with the types of its result and operands.
pub(crate) type Case = (Op, Ty, Vec<Ty>);

/// All operations with all types they can have.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in &[
        Op::LogicalOr,
        Op::LogicalAnd,
        Op::LogicalEqual,
        Op::LogicalNotEqual,
    ] {
        cases.push((op, Ty::Bool, vec![Ty::Bool; 2]));
    }
    cases.push((Op::LogicalNot, Ty::Bool, vec![Ty::Bool]));
    cases.push((Op::Select, Ty::Bool, vec![Ty::Bool; 3]));
    for (place, &width) in WIDTHS.iter().enumerate() {
        let ty = Ty::Int(width);
        let other = Ty::Int(WIDTHS[(place + 1) % WIDTHS.len()]);
        for &op in &[
            Op::SNegate,
            Op::Not,
            Op::BitReverse,
            Op::UCountLeadingZerosINTEL,
            Op::UCountTrailingZerosINTEL,
        ] {
            cases.push((op, ty, vec![ty]));
        }
        for &op in &[
            Op::IAdd,
            Op::ISub,
            Op::IMul,
            Op::UDiv,
            Op::SDiv,
            Op::UMod,
            Op::SRem,
            Op::SMod,
            Op::BitwiseOr,
            Op::BitwiseXor,
            Op::BitwiseAnd,
            Op::AbsISubINTEL,
            Op::AbsUSubINTEL,
            Op::IAddSatINTEL,
            Op::UAddSatINTEL,
            Op::IAverageINTEL,
            Op::UAverageINTEL,
            Op::IAverageRoundedINTEL,
            Op::UAverageRoundedINTEL,
            Op::ISubSatINTEL,
            Op::USubSatINTEL,
        ] {
            cases.push((op, ty, vec![ty; 2]));
        }
        for &op in &[
            Op::ShiftRightLogical,
            Op::ShiftRightArithmetic,
            Op::ShiftLeftLogical,
        ] {
            cases.push((op, ty, vec![ty; 2]));
            cases.push((op, ty, vec![ty, other]));
        }
        for &op in &[
            Op::IEqual,
            Op::INotEqual,
            Op::UGreaterThan,
            Op::SGreaterThan,
            Op::UGreaterThanEqual,
            Op::SGreaterThanEqual,
            Op::ULessThan,
            Op::SLessThan,
            Op::ULessThanEqual,
            Op::SLessThanEqual,
        ] {
            cases.push((op, Ty::Bool, vec![ty; 2]));
        }
        for &from in &WIDTHS {
            for &op in &[
                Op::UConvert,
                Op::SConvert,
                Op::SatConvertSToU,
                Op::SatConvertUToS,
                Op::BitCount,
            ] {
                cases.push((op, ty, vec![Ty::Int(from)]));
            }
        }
        cases.push((Op::BitFieldInsert, ty, vec![ty, ty, Ty::Int(8), other]));
        cases.push((Op::BitFieldSExtract, ty, vec![ty, Ty::Int(8), other]));
        cases.push((Op::BitFieldUExtract, ty, vec![ty, Ty::Int(8), other]));
        let table = Ty::Int(8);
        cases.push((Op::BitwiseFunctionINTEL, ty, vec![ty, ty, ty, table]));
        cases.push((Op::Select, ty, vec![Ty::Bool, ty, ty]));
    }
    for op in [Op::IMul32x16INTEL, Op::UMul32x16INTEL] {
        cases.push((op, Ty::Int(32), vec![Ty::Int(32); 2]));
    }
    for format in FLOATS {
        let ty = Ty::Float(format);
        for width in WIDTHS {
            for op in [Op::ConvertFToS, Op::ConvertFToU] {
                cases.push((op, Ty::Int(width), vec![ty]));
            }
            for op in [Op::ConvertSToF, Op::ConvertUToF] {
                cases.push((op, ty, vec![Ty::Int(width)]));
            }
        }
        for from in FLOATS {
            cases.push((Op::FConvert, ty, vec![Ty::Float(from)]));
        }
        for other in [Format::BRAIN, Format::E5M2].map(Ty::Float) {
            cases.push((Op::FConvert, ty, vec![other]));
            cases.push((Op::FConvert, other, vec![ty]));
            cases.push((Op::ConvertSToF, other, vec![Ty::Int(16)]));
            cases.push((Op::ConvertFToS, Ty::Int(16), vec![other]));
        }
        cases.push((Op::FmaKHR, ty, vec![ty; 3]));
        cases.push((Op::FNegate, ty, vec![ty]));
        for &op in &[Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FMod] {
            cases.push((op, ty, vec![ty; 2]));
        }
        for &op in &[
            Op::IsNan,
            Op::IsInf,
            Op::IsFinite,
            Op::IsNormal,
            Op::SignBitSet,
        ] {
            cases.push((op, Ty::Bool, vec![ty]));
        }
        for &op in &[
            Op::LessOrGreater,
            Op::Ordered,
            Op::Unordered,
            Op::FOrdEqual,
            Op::FUnordEqual,
            Op::FOrdNotEqual,
            Op::FUnordNotEqual,
            Op::FOrdLessThan,
            Op::FUnordLessThan,
            Op::FOrdGreaterThan,
            Op::FUnordGreaterThan,
            Op::FOrdLessThanEqual,
            Op::FUnordLessThanEqual,
            Op::FOrdGreaterThanEqual,
            Op::FUnordGreaterThanEqual,
        ] {
            cases.push((op, Ty::Bool, vec![ty; 2]));
        }
        cases.push((Op::Select, ty, vec![Ty::Bool, ty, ty]));
    }
    let single = Ty::Float(Format::SINGLE);
    cases.push((Op::QuantizeToF16, single, vec![single]));
    cases
}

/// Bits of a type, with a liking for what is on an edge.
pub(crate) fn bits(ty: Ty, random: u64, choice: u8) -> u64 {
    let width = width(ty);
    let mask = u64::MAX >> (64 - width);
    let edge = 1u64 << (random % u64::from(width));
    let near = match choice % 4 {
        0 => edge,
        1 => edge.wrapping_sub(1),
        2 => edge.wrapping_neg(),
        _ => !edge.wrapping_neg() ^ edge >> 1,
    };
    let bits = match (ty, choice) {
        (_, 128..) => random,
        (Ty::Float(_), 0..16) => near,
        (Ty::Float(format), 16..96) => {
            // Numbers of like exponents meet; the fraction has few bits or many.
            let fraction = width - 1 - format.exponent_mask().count_ones();
            let middle = format.exponent_mask() / 2;
            let exponent = match choice % 8 {
                0 => 0,
                1 => format.exponent_mask(),
                2 => random % (format.exponent_mask() + 1),
                3 => 1 + random % 3,
                _ => middle + random % 64 % (middle / 2) - middle / 4,
            };
            let low = match choice % 5 {
                0 => 0,
                1 => u64::MAX,
                2 => 1 << ((random >> 32) % u64::from(fraction)),
                _ => random >> 8,
            } & ((1 << fraction) - 1);
            random & 1 << (width - 1) | exponent << fraction | low
        }
        (_, 64..) => random % 70,
        _ => near,
    };
    bits & mask
}

fn agree((op, result, types): &Case, operands: &[u64]) {
    let expected = answer(*op, *result, types[0], operands);
    let scalars: Vec<Scalar> = types
        .iter()
        .zip(operands)
        .map(|(&ty, &bits)| Scalar::new(scalar_type(ty), bits))
        .collect();
    let ty = scalar_type(*result);
    let found = evaluate_scalar(*op, ty, &scalars, &Environment::default());
    let found = found.map(Outcome::defined);
    let show = || format!("{op} {result:?} of {types:?} {operands:#x?}");
    match expected {
        Some(bits) => assert_eq!(found, Ok(Ok(Scalar::new(ty, bits))), "{}", show()),
        None => assert!(matches!(found, Ok(Err(_))), "{} gave {found:?}", show()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Every operation with every type, each on operands of its own.
    #[test]
    fn as_the_second_evaluator(seeds in any::<[(u64, u8); 4]>(), step in any::<u64>()) {
        let step = step | 1;
        for (index, case) in cases().iter().enumerate() {
            let operands: Vec<u64> = case.2.iter().zip(seeds).map(|(&ty, (random, choice))| {
                let random = random.wrapping_add(step.wrapping_mul(index as u64));
                bits(ty, random.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ random >> 29, choice.wrapping_add(index as u8))
            }).collect();
            agree(case, &operands);
        }
    }

    /// What a vector gives is what its components give, every operation with every type.
    #[test]
    fn vectors_by_component(seeds in proptest::collection::vec(any::<[(u64, u8); 4]>(), 2..5)) {
        for case in cases() {
            by_component(&case, &seeds);
        }
    }
}

fn by_component((op, result, types): &Case, seeds: &[[(u64, u8); 4]]) {
    // From here on, operands are one scalar for all components.
    let scalar_from = match *op {
        Op::BitFieldSExtract | Op::BitFieldUExtract => 1,
        Op::BitFieldInsert => 2,
        Op::BitwiseFunctionINTEL => 3,
        _ => types.len(),
    };
    let lane = |seed: &[(u64, u8); 4]| -> Vec<Scalar> {
        let seeds = seed[..scalar_from].iter().chain(&seeds[0][scalar_from..]);
        let typed = types.iter().zip(seeds);
        typed
            .map(|(&ty, &(random, choice))| Scalar::new(scalar_type(ty), bits(ty, random, choice)))
            .collect()
    };
    let lanes: Vec<Vec<Scalar>> = seeds.iter().map(lane).collect();
    let operands: Vec<Value> = (0..types.len())
        .map(|index| {
            if index >= scalar_from {
                return Value::Scalar(lanes[0][index]);
            }
            let parts = lanes.iter().map(|lane| Value::Scalar(lane[index]));
            Value::composite(parts.collect::<Vec<_>>()).unwrap()
        })
        .collect();
    let types = table(*result, lanes.len() as u32);
    let found = Evaluator::new(&types)
        .evaluate(*op, VECTOR, &operands, &[])
        .unwrap_or_else(|why| panic!("{op}: {why:?}"));
    let scalar = |lane: &Vec<Scalar>| {
        evaluate_scalar(*op, scalar_type(*result), lane, &Environment::default())
    };
    let outcomes: Vec<Outcome<Scalar>> = lanes.iter().map(|lane| scalar(lane).unwrap()).collect();
    let undefined = outcomes.iter().find_map(Outcome::undefined);
    assert_eq!(found.undefined(), undefined, "{op} {operands:?}");
    let parts = outcomes.into_iter().map(|it| Value::Scalar(it.common()));
    let parts = Value::composite(parts.collect::<Vec<_>>()).unwrap();
    assert_eq!(found.common(), parts, "{op} {operands:?}");
}

const SCALAR: Id = Id(1);
const VECTOR: Id = Id(2);

/// A scalar type and a vector type of it.
fn table(ty: Ty, count: u32) -> Types {
    let mut types = Types::default();
    types.insert(
        SCALAR,
        match scalar_type(ty) {
            ScalarType::Bool => Type::Bool,
            ScalarType::Integer { width } => Type::Number(NumberType::Integer {
                width,
                signed: false,
            }),
            ScalarType::Float(format) => Type::Number(NumberType::Float(format)),
        },
    );
    let vector = Type::Sequence {
        kind: Sequence::Vector,
        part: SCALAR,
        count: Some(count),
    };
    types.insert(VECTOR, vector);
    types
}

/// Numbers of 16 bits from all over the range, all denormals among them, and what
/// is about the middles between them.
#[test]
fn about_halves() {
    let (half, single, double) = (
        Ty::Float(Format::HALF),
        Ty::Float(Format::SINGLE),
        Ty::Float(Format::DOUBLE),
    );
    let denormal = |bits: &u64| bits & 0x7c00 == 0;
    for bits in (0..=0xffffu64).filter(|bits| bits % 11 == 0 || denormal(bits)) {
        for result in [half, single, double] {
            agree(&(Op::FConvert, result, vec![half]), &[bits]);
        }
        agree(&(Op::IsNormal, Ty::Bool, vec![half]), &[bits]);
        agree(&(Op::ConvertFToS, Ty::Int(16), vec![half]), &[bits]);
        let wide = Format::SINGLE.encode(&Format::HALF.decode(bits), Rounding::NearestEven);
        for near in [wide.wrapping_sub(1), wide, wide + 1] {
            agree(
                &(Op::QuantizeToF16, single, vec![single]),
                &[near & 0xffff_ffff],
            );
        }
        // The middle up to the next number, in 32 bits, where it is exact.
        let middle = wide.wrapping_add(1 << 12) & 0xffff_ffff;
        for near in [middle.wrapping_sub(1), middle, middle.wrapping_add(1)] {
            agree(&(Op::FConvert, half, vec![single]), &[near & 0xffff_ffff]);
            agree(
                &(Op::QuantizeToF16, single, vec![single]),
                &[near & 0xffff_ffff],
            );
        }
        // The same, a little more than 32 bits can tell.
        let exact = Format::DOUBLE.encode(&Format::SINGLE.decode(middle), Rounding::NearestEven);
        for near in [exact.wrapping_sub(1), exact, exact.wrapping_add(1)] {
            agree(&(Op::FConvert, half, vec![double]), &[near]);
        }
    }
}

/// Integers that have the middle between two numbers where 64 bits can't tell it:
/// to round them to 64 bits first would lose what decides.
#[test]
fn long_integers() {
    let single = Ty::Float(Format::SINGLE);
    for middle in [
        0x8000_0080_0000_0000u64,
        0x8000_0180_0000_0000,
        0x4000_0040_0000_0000,
    ] {
        for near in [middle - 1, middle, middle + 1] {
            for op in [Op::ConvertUToF, Op::ConvertSToF] {
                for bits in [near, near.wrapping_neg()] {
                    agree(&(op, single, vec![Ty::Int(64)]), &[bits]);
                }
            }
        }
    }
}

/// Every pair of 8-bit integers.
#[test]
fn every_pair_of_bytes() {
    let ops = cases()
        .into_iter()
        .filter(|(_, _, types)| types[..] == [Ty::Int(8), Ty::Int(8)]);
    for case in ops {
        for pair in 0..=0xffffu64 {
            agree(&case, &[pair & 0xff, pair >> 8]);
        }
    }
}

/// Halves meet where their results are hard to round: sums, products and quotients
/// of numbers from all over the range.
#[test]
fn halves_meet() {
    let half = Ty::Float(Format::HALF);
    let some = [
        0x0000, 0x8000, 0x0001, 0x8003, 0x03ff, 0x0400, 0x0401, 0x3555, 0x3c00, 0x3c01, 0xbbff,
        0x4248, 0x5bff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
    ];
    for op in [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRem, Op::FMod] {
        let case = (op, half, vec![half; 2]);
        for a in some {
            for b in (0..0x10000).step_by(331) {
                agree(&case, &[a, b]);
                agree(&case, &[b, a]);
            }
        }
    }
}
