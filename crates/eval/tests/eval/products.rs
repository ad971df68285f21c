//! Products of vectors and matrices.

use proptest::prelude::*;
use spirvkit_binary::{FloatFormat, Id, NumberType};
use spirvkit_eval::{
    Evaluator, NotComputable, Outcome, Reason, Scalar, ScalarType, Sequence, Type, Types, Value,
};
use spirvkit_grammar::Op;

const FLOAT: Id = Id(1);
const BYTE: Id = Id(2);
const SHORT: Id = Id(3);
const INT: Id = Id(4);

/// The id of a vector of this many floats.
fn vector(count: usize) -> Id {
    Id(10 + count as u32)
}

fn matrix(columns: usize, rows: usize) -> Id {
    Id(100 + 10 * columns as u32 + rows as u32)
}

fn types() -> Types {
    let integer = |width| NumberType::Integer {
        width,
        signed: true,
    };
    let mut types = Types::default();
    let float = NumberType::Float(FloatFormat::Single);
    for (id, number) in [
        (FLOAT, float),
        (BYTE, integer(8)),
        (SHORT, integer(16)),
        (INT, integer(32)),
    ] {
        types.insert(id, Type::Number(number));
    }
    let mut sequence = |id, kind, part, count: usize| {
        let count = Some(count as u32);
        types.insert(id, Type::Sequence { kind, part, count });
    };
    for rows in 2..5 {
        sequence(vector(rows), Sequence::Vector, FLOAT, rows);
        for columns in 2..5 {
            let column = vector(rows);
            sequence(matrix(columns, rows), Sequence::Matrix, column, columns);
        }
    }
    types
}

fn evaluate(op: Op, ty: Id, operands: &[Value]) -> Result<Value, NotComputable> {
    let outcome = Evaluator::new(&types()).evaluate(op, ty, operands, &[]);
    outcome.map(|outcome| outcome.defined().unwrap())
}

fn vector_of(numbers: &[f32]) -> Value {
    let parts: Vec<Value> = numbers.iter().copied().map(Value::from).collect();
    Value::composite(parts).unwrap()
}

fn matrix_of(columns: &[Vec<f32>]) -> Value {
    let columns: Vec<Value> = columns.iter().map(|it| vector_of(it)).collect();
    Value::composite(columns).unwrap()
}

fn sum(products: impl Iterator<Item = f32>) -> f32 {
    products.reduce(|sum, product| sum + product).unwrap()
}

proptest! {
    /// As loops on the machine's numbers give it.
    #[test]
    fn matrices(
        sizes in (2..5usize, 2..5usize, 2..5usize),
        numbers in proptest::collection::vec(-1e6f32..1e6, 32),
    ) {
        let (n, m, k) = sizes;
        let columns = |count: usize, rows: usize, from: usize| -> Vec<Vec<f32>> {
            (0..count).map(|column| numbers[from + column * rows..][..rows].to_vec()).collect()
        };
        // `a` has k columns of m rows, `b` n columns of k rows.
        let (a, b) = (columns(k, m, 0), columns(n, k, 16));
        let times = |vector: &[f32]| -> Vec<f32> {
            (0..m).map(|row| sum((0..k).map(|it| a[it][row] * vector[it]))).collect()
        };
        let run = |op, ty, operands: [Value; 2]| evaluate(op, ty, &operands).unwrap();
        let (left, right) = (matrix_of(&a), matrix_of(&b));
        let product: Vec<Vec<f32>> = b.iter().map(|it| times(it)).collect();
        prop_assert_eq!(run(Op::MatrixTimesMatrix, matrix(n, m), [left.clone(), right]), matrix_of(&product));
        prop_assert_eq!(run(Op::MatrixTimesVector, vector(m), [left.clone(), vector_of(&b[0])]), vector_of(&times(&b[0])));
        let row = &numbers[16..][..m];
        let products: Vec<f32> = a.iter().map(|it| sum((0..m).map(|n| row[n] * it[n]))).collect();
        prop_assert_eq!(run(Op::VectorTimesMatrix, vector(k), [vector_of(row), left.clone()]), vector_of(&products));
        let scaled: Vec<Vec<f32>> = a.iter().map(|it| it.iter().map(|it| it * 3.7).collect()).collect();
        prop_assert_eq!(run(Op::MatrixTimesScalar, matrix(k, m), [left, 3.7f32.into()]), matrix_of(&scaled));
        let outer: Vec<Vec<f32>> = b[0].iter().map(|it| row.iter().map(|row| row * it).collect()).collect();
        prop_assert_eq!(run(Op::OuterProduct, matrix(k, m), [vector_of(row), vector_of(&b[0])]), matrix_of(&outer));
    }

    #[test]
    fn integers(a in any::<[u8; 4]>(), b in any::<[u8; 4]>(), accumulator in any::<i16>()) {
        let byte = |bits: u8| Value::Scalar(Scalar::new(ScalarType::Integer { width: 8 }, bits.into()));
        let short = Value::Scalar(Scalar::new(ScalarType::Integer { width: 16 }, accumulator as u64));
        let vectors = [a, b].map(|it| Value::composite(it.map(byte)).unwrap());
        let packed = [a, b].map(|it| Value::from(u32::from_le_bytes(it)));
        let types = types();
        let run = |op, ty, operands: &[Value], literals: &[u32]| -> Outcome<u64> {
            let outcome = Evaluator::new(&types).evaluate(op, ty, operands, literals);
            outcome.unwrap().map(|value| value.scalar().unwrap().bits())
        };
        for (op, accumulating, a_signed, b_signed) in [
            (Op::SDot, Op::SDotAccSat, true, true),
            (Op::UDot, Op::UDotAccSat, false, false),
            (Op::SUDot, Op::SUDotAccSat, true, false),
        ] {
            let number = |bits: u8, signed| if signed { i64::from(bits as i8) } else { bits.into() };
            let products = [0, 1, 2, 3].map(|it| number(a[it], a_signed) * number(b[it], b_signed));
            let exact: i64 = products.iter().sum();
            for (ty, mask) in [(BYTE, 0xff), (SHORT, 0xffff), (INT, 0xffff_ffff)] {
                prop_assert_eq!(run(op, ty, &vectors, &[]).defined(), Ok(exact as u64 & mask));
                prop_assert_eq!(run(op, ty, &packed, &[0]).defined(), Ok(exact as u64 & mask));
            }
            let (least, most, start) = match a_signed {
                true => (i16::MIN.into(), i16::MAX.into(), i64::from(accumulator)),
                false => (0, u16::MAX.into(), i64::from(accumulator as u16)),
            };
            let mut sums = products.iter().scan(0, |sum, it| { *sum += it; Some(*sum) });
            let fits = sums.all(|sum: i64| (least..=most).contains(&sum));
            let operands = [packed[0].clone(), packed[1].clone(), short.clone()];
            let found = run(accumulating, SHORT, &operands, &[0]);
            prop_assert_eq!(found.undefined(), (!fits).then_some(Reason::DotOverflow));
            prop_assert_eq!(found.common(), (exact + start).clamp(least, most) as u64 & 0xffff);
        }
    }
}

#[test]
fn sizes_that_do_not_fit() {
    let pair = vector_of(&[1.0, 2.0]);
    let triple = vector_of(&[1.0, 2.0, 3.0]);
    let square = matrix_of(&[vec![1.0, 2.0], vec![3.0, 4.0]]);
    let wrong = |op, ty, operands: [&Value; 2]| {
        let operands = operands.map(Value::clone);
        assert!(evaluate(op, ty, &operands).is_err(), "{op} {operands:?}");
    };
    wrong(Op::MatrixTimesVector, vector(2), [&square, &triple]);
    wrong(Op::MatrixTimesVector, vector(3), [&square, &pair]);
    wrong(Op::VectorTimesMatrix, vector(2), [&triple, &square]);
    wrong(Op::MatrixTimesMatrix, matrix(2, 3), [&square, &square]);
    wrong(Op::MatrixTimesMatrix, matrix(3, 2), [&square, &square]);
    wrong(Op::MatrixTimesScalar, matrix(2, 2), [&square, &pair]);
    wrong(Op::OuterProduct, matrix(2, 2), [&triple, &pair]);
    wrong(Op::OuterProduct, vector(2), [&pair, &pair]);
}

/// A row of equal columns of any number takes no time.
#[test]
fn endless_matrices() {
    let endless = Value::replicate(vector_of(&[1.0, 2.0]), u32::MAX).unwrap();
    let pair = vector_of(&[1.0, 2.0]);
    for operands in [[endless.clone(), pair.clone()], [pair, endless]] {
        for op in [
            Op::MatrixTimesVector,
            Op::VectorTimesMatrix,
            Op::MatrixTimesMatrix,
        ] {
            assert!(evaluate(op, matrix(2, 2), &operands).is_err());
        }
    }
}
