//! Operations that move the parts of composites, and what has no value.

use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Environment, Evaluator, MAX_DEPTH, NotComputable, Reason, Scalar, ScalarType, Sequence, Type,
    Types, Value, evaluate_scalar,
};
use spirvkit_grammar::Op;

const BOOL: Id = Id(1);
const UINT: Id = Id(2);
const FLOAT: Id = Id(3);
const ULONG: Id = Id(4);
const UVEC2: Id = Id(5);
const UVEC4: Id = Id(6);
const BVEC2: Id = Id(7);
const VEC2: Id = Id(8);
const VEC3: Id = Id(9);
const MAT3X2: Id = Id(10);
const MAT2X3: Id = Id(11);
const ARRAY: Id = Id(12);
const STRUCT: Id = Id(13);
const HUGE: Id = Id(14);
const POINTER: Id = Id(15);
const BFLOAT: Id = Id(16);
const USHORT: Id = Id(17);
const PAIR: Id = Id(18);
const VECTOR_PAIR: Id = Id(19);
const HUGE_VECTOR: Id = Id(20);
const ULVEC2: Id = Id(21);
const TILE: Id = Id(22);

fn types() -> Types {
    let integer = |width| {
        Type::Number(NumberType::Integer {
            width,
            signed: false,
        })
    };
    let sequence = |kind, part, count| Type::Sequence {
        kind,
        part,
        count: Some(count),
    };
    let vector = |part, count| sequence(Sequence::Vector, part, count);
    let mut types = Types::default();
    for (id, ty) in [
        (BOOL, Type::Bool),
        (UINT, integer(32)),
        (FLOAT, Type::Number(NumberType::Float(FloatFormat::Single))),
        (ULONG, integer(64)),
        (UVEC2, vector(UINT, 2)),
        (UVEC4, vector(UINT, 4)),
        (BVEC2, vector(BOOL, 2)),
        (VEC2, vector(FLOAT, 2)),
        (VEC3, vector(FLOAT, 3)),
        (MAT3X2, sequence(Sequence::Matrix, VEC2, 3)),
        (MAT2X3, sequence(Sequence::Matrix, VEC3, 2)),
        (ARRAY, sequence(Sequence::Array, UVEC2, 3)),
        (STRUCT, Type::Struct(&[FLOAT, ARRAY])),
        (HUGE, sequence(Sequence::Array, UINT, u32::MAX)),
        (POINTER, Type::Pointer),
        (
            BFLOAT,
            Type::Number(NumberType::Float(FloatFormat::BFloat16)),
        ),
        (USHORT, integer(16)),
        (PAIR, Type::Struct(&[UINT, UINT])),
        (VECTOR_PAIR, Type::Struct(&[UVEC2, UVEC2])),
        (HUGE_VECTOR, vector(UINT, u32::MAX)),
        (ULVEC2, vector(ULONG, 2)),
        (TILE, sequence(Sequence::CooperativeMatrix, FLOAT, 1)),
    ] {
        types.insert(id, ty);
    }
    types
}

fn uvec<const N: usize>(parts: [u32; N]) -> Value {
    Value::composite(parts.map(Value::from)).unwrap()
}

fn vec<const N: usize>(parts: [f32; N]) -> Value {
    Value::composite(parts.map(Value::from)).unwrap()
}

fn composite<const N: usize>(parts: [Value; N]) -> Value {
    Value::composite(parts).unwrap()
}

/// Why there is no value.
#[derive(Debug, PartialEq)]
enum Failure {
    Undefined(Reason),
    NotComputable(NotComputable),
}

fn evaluate(op: Op, ty: Id, operands: &[Value], literals: &[u32]) -> Result<Value, Failure> {
    evaluate_with(&types(), op, ty, operands, literals)
}

fn evaluate_with(
    types: &Types,
    op: Op,
    ty: Id,
    operands: &[Value],
    literals: &[u32],
) -> Result<Value, Failure> {
    let outcome = Evaluator::new(types).evaluate(op, ty, operands, literals);
    let outcome = outcome.map_err(Failure::NotComputable)?;
    outcome.defined().map_err(Failure::Undefined)
}

/// What implementations commonly give.
fn commonly(op: Op, ty: Id, operands: &[Value], literals: &[u32]) -> Result<Value, NotComputable> {
    let outcome = Evaluator::new(&types()).evaluate(op, ty, operands, literals);
    outcome.map(|outcome| outcome.common())
}

/// `{ 0.5, { {1,2}, {3,4}, {5,6} } }`
fn structure() -> Value {
    composite([
        0.5f32.into(),
        composite([uvec([1, 2]), uvec([3, 4]), uvec([5, 6])]),
    ])
}

#[test]
fn extract() {
    let at = |ty, indexes: &[u32]| evaluate(Op::CompositeExtract, ty, &[structure()], indexes);
    assert_eq!(at(FLOAT, &[0]), Ok(0.5f32.into()));
    assert_eq!(at(UINT, &[1, 2, 0]), Ok(5.into()));
    assert_eq!(at(UVEC2, &[1, 1]), Ok(uvec([3, 4])));
    assert_eq!(at(STRUCT, &[]), Ok(structure()));
    assert_eq!(
        at(UINT, &[1, 3, 0]),
        Err(Failure::NotComputable(NotComputable::Operand { index: 2 }))
    );
    assert_eq!(
        at(UINT, &[0, 0]),
        Err(Failure::NotComputable(NotComputable::Operand { index: 2 }))
    );
}

#[test]
fn extract_from_what_is_null_or_undefined() {
    let types = types();
    let null = types.null(STRUCT).unwrap();
    let found = evaluate(Op::CompositeExtract, UINT, &[null], &[1, 2, 1]);
    assert_eq!(found, Ok(0.into()));
    let undef = types.undef(STRUCT).unwrap();
    let found = evaluate(Op::CompositeExtract, UVEC2, &[undef], &[1, 2]);
    assert_eq!(found, Ok(types.undef(UVEC2).unwrap()));
    let huge = types.null(HUGE).unwrap();
    let found = evaluate(Op::CompositeExtract, UINT, &[huge], &[4_000_000_000]);
    assert_eq!(found, Ok(0.into()));
}

#[test]
fn insert() {
    let at = |object, composite, indexes: &[u32]| {
        evaluate(Op::CompositeInsert, STRUCT, &[object, composite], indexes)
    };
    let expected = composite([
        0.5f32.into(),
        composite([uvec([1, 2]), uvec([3, 9]), uvec([5, 6])]),
    ]);
    assert_eq!(at(9.into(), structure(), &[1, 1, 1]), Ok(expected));
    let from_null = composite([
        0f32.into(),
        composite([uvec([0, 0]), uvec([0, 0]), uvec([7, 8])]),
    ]);
    let null = types().null(STRUCT).unwrap();
    assert_eq!(at(uvec([7, 8]), null, &[1, 2]), Ok(from_null.clone()));
    assert_eq!(at(uvec([7, 8]), Value::Null, &[1, 2]), Ok(from_null));
    assert_eq!(at(structure(), Value::Undef, &[]), Ok(structure()));
    let outside = at(9.into(), structure(), &[1, 1, 2]);
    assert_eq!(
        outside,
        Err(Failure::NotComputable(NotComputable::Operand { index: 4 }))
    );
    let huge = types().null(HUGE).unwrap();
    let found = evaluate(Op::CompositeInsert, HUGE, &[1.into(), huge], &[5]);
    assert_eq!(found, Err(Failure::NotComputable(NotComputable::TooLarge)));
}

#[test]
fn construct() {
    let make = |ty, operands: &[Value]| evaluate(Op::CompositeConstruct, ty, operands, &[]);
    let pieces = [1.into(), uvec([2, 3]), 4.into()];
    assert_eq!(make(UVEC4, &pieces), Ok(uvec([1, 2, 3, 4])));
    let zeros = [types().null(UVEC2).unwrap(), uvec([3, 4])];
    assert_eq!(make(UVEC4, &zeros), Ok(uvec([0, 0, 3, 4])));
    let [Value::Composite(parts), ..] = [structure()] else {
        panic!()
    };
    let parts: Vec<Value> = parts.parts().cloned().collect();
    assert_eq!(make(STRUCT, &parts), Ok(structure()));
    let wrong = Err(Failure::NotComputable(NotComputable::OperandCount {
        found: 2,
    }));
    assert_eq!(make(UVEC4, &[1.into(), uvec([2, 3])]), wrong);
    assert_eq!(make(UVEC2, &[1.into(), uvec([2, 3])]), wrong);
    let same = evaluate(Op::CompositeConstructReplicateEXT, UVEC4, &[7.into()], &[]);
    assert_eq!(same, Ok(uvec([7, 7, 7, 7])));
}

#[test]
fn shuffle() {
    let shuffle = |ty, operands: &[Value], components: &[u32]| {
        evaluate(Op::VectorShuffle, ty, operands, components)
    };
    let operands = [uvec([10, 11]), uvec([20, 21, 22, 23])];
    let found = shuffle(UVEC4, &operands, &[5, 0, 2, 1]);
    assert_eq!(found, Ok(uvec([23, 10, 20, 11])));
    let found = shuffle(UVEC2, &operands, &[u32::MAX, 0]);
    assert_eq!(found, Ok(composite([Value::Undef, 10.into()])));
    let found = shuffle(UVEC2, &operands, &[0, 6]);
    assert_eq!(
        found,
        Err(Failure::NotComputable(NotComputable::Operand { index: 3 }))
    );
    assert!(shuffle(UVEC4, &operands, &[0, 1]).is_err());
    let zeros = [types().null(UVEC4).unwrap(), uvec([1, 2])];
    assert_eq!(shuffle(UVEC2, &zeros, &[5, 3]), Ok(uvec([2, 0])));
    let swizzle = [uvec([1, 2]), Value::Undef];
    assert_eq!(shuffle(UVEC2, &swizzle, &[1, 0]), Ok(uvec([2, 1])));
}

#[test]
fn dynamic_indexes() {
    let vector = uvec([5, 6]);
    let extract = [vector.clone(), 1.into()];
    assert_eq!(
        evaluate(Op::VectorExtractDynamic, UINT, &extract, &[]),
        Ok(6.into())
    );
    let outside = [vector.clone(), 2.into()];
    let refused = Err(Failure::Undefined(Reason::IndexOutOfBounds));
    assert_eq!(
        evaluate(Op::VectorExtractDynamic, UINT, &outside, &[]),
        refused
    );
    assert_eq!(
        commonly(Op::VectorExtractDynamic, UINT, &outside, &[]),
        Ok(0.into())
    );
    let insert = [vector.clone(), 9.into(), 0.into()];
    assert_eq!(
        evaluate(Op::VectorInsertDynamic, UVEC2, &insert, &[]),
        Ok(uvec([9, 6]))
    );
    let outside = [vector.clone(), 9.into(), u32::MAX.into()];
    assert_eq!(
        evaluate(Op::VectorInsertDynamic, UVEC2, &outside, &[]),
        refused
    );
    assert_eq!(
        commonly(Op::VectorInsertDynamic, UVEC2, &outside, &[]),
        Ok(vector)
    );
}

#[test]
fn bit_casts() {
    let cast = |ty, value: Value| evaluate(Op::Bitcast, ty, &[value], &[]);
    let long = |bits| Value::Scalar(Scalar::new(ScalarType::Integer { width: 64 }, bits));
    assert_eq!(cast(UINT, 1f32.into()), Ok(0x3f80_0000.into()));
    assert_eq!(
        cast(FLOAT, 0x7f80_0001.into()),
        Ok(f32::from_bits(0x7f80_0001).into())
    );
    assert_eq!(cast(ULONG, uvec([1, 2])), Ok(long(0x2_0000_0001)));
    assert_eq!(cast(UVEC2, long(0x2_0000_0001)), Ok(uvec([1, 2])));
    let longs = composite([long(0x2_0000_0001), long(0x4_0000_0003)]);
    assert_eq!(cast(UVEC4, longs.clone()), Ok(uvec([1, 2, 3, 4])));
    assert_eq!(cast(ULVEC2, uvec([1, 2, 3, 4])), Ok(longs));
    assert_eq!(
        cast(ULVEC2, uvec([1, 1, 1, 1])),
        cast(
            ULVEC2,
            composite([long(0x1_0000_0001), long(0x1_0000_0001)])
        )
    );
    assert_eq!(cast(VEC2, uvec([0x3f80_0000, 0])), Ok(vec([1.0, 0.0])));
    // Other encodings are bits like any.
    let brain = Scalar::new(ScalarType::Float(FloatFormat::BFloat16), 0x3f80);
    let short = Scalar::new(ScalarType::Integer { width: 16 }, 0x3f80);
    assert_eq!(cast(BFLOAT, Value::Scalar(short)), Ok(Value::Scalar(brain)));
    assert_eq!(cast(USHORT, Value::Scalar(brain)), Ok(Value::Scalar(short)));
    assert_eq!(
        cast(UVEC4, uvec([1, 2])),
        Err(Failure::NotComputable(NotComputable::Operand { index: 0 }))
    );
    assert_eq!(
        cast(POINTER, long(8)),
        Err(Failure::NotComputable(NotComputable::Pointer(Op::Bitcast)))
    );
    assert!(cast(UINT, true.into()).is_err());
    // 96 bits are 96 bits, but 2 components can't be dealt out to 3.
    let mut odd = types();
    odd.insert(
        Id(50),
        Type::Number(NumberType::Integer {
            width: 48,
            signed: false,
        }),
    );
    odd.insert(
        Id(51),
        Type::Sequence {
            kind: Sequence::Vector,
            part: Id(50),
            count: Some(2),
        },
    );
    let found = evaluate_with(&odd, Op::Bitcast, Id(51), &[uvec([1, 2, 3])], &[]);
    assert_eq!(
        found,
        Err(Failure::NotComputable(NotComputable::Operand { index: 0 }))
    );
    let all_alike = Value::replicate(7.into(), u32::MAX).unwrap();
    assert_eq!(cast(HUGE_VECTOR, all_alike.clone()), Ok(all_alike));
}

#[test]
fn several_components_to_one() {
    let bools = |a: bool, b: bool| composite([a.into(), b.into()]);
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        let of = |op| evaluate(op, BOOL, &[bools(a, b)], &[]);
        assert_eq!(of(Op::Any), Ok((a || b).into()));
        assert_eq!(of(Op::All), Ok((a && b).into()));
    }
    let dot = |a, b| evaluate(Op::Dot, FLOAT, &[a, b], &[]);
    assert_eq!(
        dot(vec([1.5, 2.0, -4.0]), vec([2.0, 3.0, 0.5])),
        Ok(7f32.into())
    );
    // Each product and each sum is rounded: 2^24 + 1 is 2^24 in 32 bits.
    let big = 16_777_216f32;
    assert_eq!(dot(vec([big, 1.0, 1.0]), vec([1.0; 3])), Ok(big.into()));
    assert_eq!(
        dot(vec([1.0, 1.0, big]), vec([1.0; 3])),
        Ok((big + 2.0).into())
    );
    assert!(dot(vec([1.0, 2.0]), vec([1.0, 2.0, 3.0])).is_err());
}

#[test]
fn halves_of_sums_and_products() {
    let wide = |op, a: u32, b: u32| evaluate(op, PAIR, &[a.into(), b.into()], &[]);
    let max = u32::MAX;
    assert_eq!(wide(Op::IAddCarry, max, 2), Ok(uvec([1, 1])));
    assert_eq!(wide(Op::IAddCarry, 1, 2), Ok(uvec([3, 0])));
    assert_eq!(wide(Op::ISubBorrow, 1, 2), Ok(uvec([max, 1])));
    assert_eq!(wide(Op::ISubBorrow, 2, 2), Ok(uvec([0, 0])));
    assert_eq!(wide(Op::UMulExtended, max, max), Ok(uvec([1, max - 1])));
    assert_eq!(wide(Op::SMulExtended, max, max), Ok(uvec([1, 0])));
    assert_eq!(wide(Op::SMulExtended, max, 2), Ok(uvec([max - 1, max])));
    let vectors = [uvec([max, 1]), uvec([1, 1])];
    let found = evaluate(Op::IAddCarry, VECTOR_PAIR, &vectors, &[]);
    assert_eq!(found, Ok(composite([uvec([0, 2]), uvec([1, 0])])));
}

#[test]
fn halves_at_every_width() {
    for width in [1u8, 7, 8, 16, 33, 64] {
        let ty = ScalarType::Integer { width };
        let number = NumberType::Integer {
            width,
            signed: false,
        };
        let mut types = Types::default();
        types.insert(Id(1), Type::Number(number));
        types.insert(Id(2), Type::Struct(&[Id(1), Id(1)]));
        let modulus = 1i128 << width;
        let signed = |bits: u64| match i128::from(bits) {
            bits if bits >= modulus / 2 => bits - modulus,
            bits => bits,
        };
        let some = [
            0,
            1,
            2,
            3,
            0x55,
            0x80,
            0xff,
            0x7fff,
            u64::MAX / 3,
            u64::MAX - 1,
            u64::MAX,
        ];
        let some = some.map(|bits| Scalar::new(ty, bits));
        for a in some {
            for b in some {
                let (x, y) = (i128::from(a.bits()), i128::from(b.bits()));
                // The low half, and what has no room in it.
                let split = |whole: i128| (whole.rem_euclid(modulus), whole.div_euclid(modulus));
                // Two unsigned numbers of 64 bits have a product that `i128` lacks.
                let product = a.bits() as u128 * b.bits() as u128;
                let product = (
                    (product % modulus as u128) as i128,
                    (product >> width) as i128,
                );
                let (low, borrow) = split(x - y);
                for (op, (low, high)) in [
                    (Op::IAddCarry, split(x + y)),
                    (Op::ISubBorrow, (low, -borrow)),
                    (Op::UMulExtended, product),
                    (Op::SMulExtended, split(signed(a.bits()) * signed(b.bits()))),
                ] {
                    let operands = [Value::Scalar(a), Value::Scalar(b)];
                    let expected =
                        [low, high].map(|half| Value::Scalar(Scalar::new(ty, half as u64)));
                    let found = evaluate_with(&types, op, Id(2), &operands, &[]);
                    assert_eq!(found, Ok(composite(expected)), "{op} {width} {x} {y}");
                }
            }
        }
    }
}

#[test]
fn matrices() {
    let matrix = composite([vec([1.0, 2.0]), vec([3.0, 4.0]), vec([5.0, 6.0])]);
    let transposed = composite([vec([1.0, 3.0, 5.0]), vec([2.0, 4.0, 6.0])]);
    let found = evaluate(Op::Transpose, MAT2X3, std::slice::from_ref(&matrix), &[]);
    assert_eq!(found, Ok(transposed.clone()));
    assert_eq!(
        evaluate(Op::Transpose, MAT3X2, &[transposed], &[]),
        Ok(matrix)
    );
}

#[test]
fn select() {
    let select = |ty, operands: [Value; 3]| evaluate(Op::Select, ty, &operands, &[]);
    let mixed = composite([true.into(), false.into()]);
    let (a, b) = (uvec([1, 2]), uvec([3, 4]));
    assert_eq!(
        select(UVEC2, [mixed, a.clone(), b.clone()]),
        Ok(uvec([1, 4]))
    );
    assert_eq!(
        select(UVEC2, [false.into(), a.clone(), b.clone()]),
        Ok(b.clone())
    );
    // What is not chosen may be undefined, and what is chosen, too.
    assert_eq!(
        select(UINT, [true.into(), 1.into(), Value::Undef]),
        Ok(1.into())
    );
    assert_eq!(
        select(UINT, [false.into(), 1.into(), Value::Undef]),
        Ok(Value::Undef)
    );
    let refused = Err(Failure::Undefined(Reason::Operand));
    assert_eq!(select(UINT, [Value::Undef, 1.into(), 2.into()]), refused);
    assert_eq!(
        select(STRUCT, [true.into(), structure(), Value::Undef]),
        Ok(structure())
    );
    assert!(select(UINT, [true.into(), 1f32.into(), 2.into()]).is_err());
}

#[test]
fn undefined_results() {
    use Reason::*;
    let least = 0x8000_0000u32;
    let minus_one = u32::MAX;
    for (op, a, b, reason, common) in [
        (Op::UDiv, 5, 0, DivisionByZero, 0),
        (Op::SDiv, 5, 0, DivisionByZero, 0),
        (Op::UMod, 5, 0, DivisionByZero, 0),
        (Op::SRem, 5, 0, DivisionByZero, 0),
        (Op::SMod, 5, 0, DivisionByZero, 0),
        (Op::SDiv, least, minus_one, DivisionOverflow, least),
        (Op::SRem, least, minus_one, DivisionOverflow, 0),
        (Op::SMod, least, minus_one, DivisionOverflow, 0),
        (Op::ShiftLeftLogical, 5, 32, ShiftOutOfRange, 0),
        (Op::ShiftRightLogical, 5, 40, ShiftOutOfRange, 0),
        (
            Op::ShiftRightArithmetic,
            least,
            minus_one,
            ShiftOutOfRange,
            0,
        ),
    ] {
        let operands = [a.into(), b.into()];
        let refused = Err(Failure::Undefined(reason));
        assert_eq!(evaluate(op, UINT, &operands, &[]), refused, "{op}");
        assert_eq!(
            commonly(op, UINT, &operands, &[]),
            Ok(common.into()),
            "{op}"
        );
    }
    for (op, from, common) in [
        (Op::ConvertFToU, -1f32, 0),
        (Op::ConvertFToU, 1e20, u32::MAX),
        (Op::ConvertFToS, 3e9, i32::MAX as u32),
        (Op::ConvertFToS, f32::NEG_INFINITY, least),
        (Op::ConvertFToS, f32::NAN, 0),
    ] {
        let refused = Err(Failure::Undefined(ConversionOutOfRange));
        assert_eq!(evaluate(op, UINT, &[from.into()], &[]), refused);
        assert_eq!(commonly(op, UINT, &[from.into()], &[]), Ok(common.into()));
    }
    let divide = [1f32.into(), (-0f32).into()];
    assert_eq!(
        evaluate(Op::FDiv, FLOAT, &divide, &[]),
        Err(Failure::Undefined(DivisionByZero))
    );
    assert_eq!(
        commonly(Op::FDiv, FLOAT, &divide, &[]),
        Ok(f32::NEG_INFINITY.into())
    );
    let field = [1.into(), 30.into(), 3.into()];
    assert_eq!(
        evaluate(Op::BitFieldUExtract, UINT, &field, &[]),
        Err(Failure::Undefined(BitFieldOutOfRange))
    );
    // One component is enough.
    let vectors = [uvec([1, 2]), uvec([1, 0])];
    assert_eq!(
        evaluate(Op::UDiv, UVEC2, &vectors, &[]),
        Err(Failure::Undefined(DivisionByZero))
    );
    assert_eq!(commonly(Op::UDiv, UVEC2, &vectors, &[]), Ok(uvec([1, 0])));
}

#[test]
fn undefined_operands() {
    let undef = types().undef(UVEC2).unwrap();
    let half = composite([Value::Undef, 4.into()]);
    for operand in [Value::Undef, undef, half.clone()] {
        let found = evaluate(Op::IAdd, UVEC2, &[uvec([1, 2]), operand], &[]);
        assert_eq!(found, Err(Failure::Undefined(Reason::Operand)));
    }
    assert_eq!(
        commonly(Op::IAdd, UVEC2, &[uvec([1, 2]), half.clone()], &[]),
        Ok(uvec([1, 6]))
    );
    // What is moved may be undefined.
    assert_eq!(
        evaluate(
            Op::CompositeExtract,
            UINT,
            std::slice::from_ref(&half),
            &[1]
        ),
        Ok(4.into())
    );
    assert_eq!(
        evaluate(
            Op::CompositeExtract,
            UINT,
            std::slice::from_ref(&half),
            &[0]
        ),
        Ok(Value::Undef)
    );
    assert_eq!(
        evaluate(Op::CopyObject, UVEC2, std::slice::from_ref(&half), &[]),
        Ok(half)
    );
}

#[test]
fn what_cannot_be_folded() {
    for op in [
        Op::AccessChain,
        Op::InBoundsAccessChain,
        Op::PtrAccessChain,
        Op::InBoundsPtrAccessChain,
        Op::ConvertPtrToU,
        Op::ConvertUToPtr,
        Op::GenericCastToPtr,
        Op::PtrCastToGeneric,
    ] {
        assert_eq!(
            evaluate(op, POINTER, &[Value::Null], &[]),
            Err(Failure::NotComputable(NotComputable::Pointer(op)))
        );
    }
    for op in [Op::Load, Op::FunctionCall, Op(65_000)] {
        assert_eq!(
            evaluate(op, UINT, &[1.into()], &[]),
            Err(Failure::NotComputable(NotComputable::Opcode(op)))
        );
    }
    let brain = Value::Scalar(Scalar::new(
        ScalarType::Float(FloatFormat::BFloat16),
        0x3f80,
    ));
    assert_eq!(
        evaluate(Op::FAdd, BFLOAT, &[brain.clone(), brain], &[]),
        Err(Failure::NotComputable(NotComputable::Encoding(
            FloatFormat::BFloat16
        )))
    );
    let wrong = |index| Err(Failure::NotComputable(NotComputable::Operand { index }));
    assert_eq!(
        evaluate(Op::IAdd, UINT, &[1.into(), 1f32.into()], &[]),
        wrong(1)
    );
    assert_eq!(
        evaluate(Op::IAdd, UVEC2, &[uvec([1, 2]), 1.into()], &[]),
        wrong(1)
    );
    assert_eq!(
        evaluate(Op::IAdd, UVEC2, &[uvec([1, 2, 3]), uvec([1, 2])], &[]),
        wrong(0)
    );
    assert_eq!(
        evaluate(Op::IAdd, UINT, &[uvec([1, 2]), 1.into()], &[]),
        wrong(0)
    );
    assert_eq!(
        evaluate(Op::IEqual, BOOL, &[1.into(), true.into()], &[]),
        wrong(1)
    );
    assert_eq!(
        evaluate(Op::IAdd, UINT, &[1.into()], &[]),
        Err(Failure::NotComputable(NotComputable::OperandCount {
            found: 1
        }))
    );
    assert_eq!(
        evaluate(Op::IAdd, Id(999), &[1.into(), 1.into()], &[]),
        Err(Failure::NotComputable(NotComputable::ResultType(Id(999))))
    );
    let float = ScalarType::Float(FloatFormat::Single);
    assert_eq!(
        evaluate_scalar(
            Op::IAdd,
            float,
            &[1f32.into(), 1f32.into()],
            &Environment::default()
        ),
        Err(NotComputable::ResultScalar(float))
    );
}

/// No opcode panics on whatever operands.
#[test]
fn any_opcode_on_any_operands() {
    let types = types();
    let values = [
        Value::Null,
        Value::Undef,
        true.into(),
        0.into(),
        u32::MAX.into(),
        1f32.into(),
        uvec([1, 2]),
        vec([1.0, 2.0, 3.0]),
        structure(),
        types.null(HUGE).unwrap(),
        Value::replicate(1.into(), u32::MAX).unwrap(),
        composite([composite([Value::Null]), Value::Undef, 1.into()]),
        Value::Scalar(Scalar::new(ScalarType::Integer { width: 0 }, 1)),
        Value::Scalar(Scalar::new(ScalarType::Integer { width: 255 }, u64::MAX)),
    ];
    let evaluator = Evaluator::new(&types);
    for info in Op::all() {
        let op = Op(info.number() as u16);
        for ty in 0..=22 {
            for literals in [&[][..], &[0], &[1, u32::MAX]] {
                let _ = evaluator.evaluate(op, Id(ty), &[], literals);
                for a in &values {
                    let _ = evaluator.evaluate(op, Id(ty), std::slice::from_ref(a), literals);
                }
            }
            for a in &values {
                for b in &values {
                    let _ = evaluator.evaluate(op, Id(ty), &[a.clone(), b.clone()], &[1]);
                    let three = [a.clone(), b.clone(), a.clone()];
                    let _ = evaluator.evaluate(op, Id(ty), &three, &[]);
                }
            }
        }
    }
}

#[test]
fn composites_are_limited() {
    let mut value = Value::from(1);
    for _ in 0..MAX_DEPTH {
        value = composite([value, 2.into()]);
    }
    assert_eq!(Value::composite([value.clone()]), None);
    assert_eq!(Value::replicate(value, 3), None);
    // Twice as many in each line.
    let mut value = uvec([1, 2]);
    let doubled =
        (0..40).all(
            |index| match Value::composite([value.clone(), value.clone(), index.into()]) {
                Some(next) => {
                    value = next;
                    true
                }
                None => false,
            },
        );
    assert!(!doubled);
    assert_eq!(Value::composite(Vec::new()), None);
    assert_eq!(Value::replicate(1.into(), 0), None);
}

#[test]
fn equal_however_it_was_made() {
    let types = types();
    assert_eq!(types.null(UVEC2).unwrap(), uvec([0, 0]));
    assert!(uvec([0, 0]).is_null());
    assert!(!vec([0.0, -0.0]).is_null());
    assert_ne!(Value::from(0f32), Value::from(-0f32));
    assert_eq!(uvec([3, 3]), Value::replicate(3.into(), 2).unwrap());
    assert_ne!(uvec([3, 3]), Value::replicate(3.into(), 3).unwrap());
    let rows = [uvec([1, 2]), uvec([1, 2])];
    assert_eq!(Value::replicate(uvec([1, 2]), 2).unwrap(), composite(rows));
}

#[test]
fn cooperative_matrices_are_computed_by_component() {
    let tile = |value: f32| composite([Value::from(value)]);
    let product = evaluate(Op::FMul, TILE, &[tile(8.0), tile(0.5)], &[]);
    assert_eq!(product, Ok(tile(4.0)));
    let zero = evaluate(Op::FMul, TILE, &[Value::Null, tile(8.0)], &[]);
    assert!(zero.is_ok_and(|zero| zero.is_null()));
    let negative = evaluate(Op::FNegate, TILE, &[tile(3.0)], &[]);
    assert_eq!(negative, Ok(tile(-3.0)));
    // Nothing says what such a matrix is made of but one value.
    let other = vec([1.0, 2.0]);
    let failure = Failure::NotComputable(NotComputable::Operand { index: 1 });
    assert_eq!(
        evaluate(Op::FAdd, TILE, &[tile(1.0), other], &[]),
        Err(failure)
    );
}
