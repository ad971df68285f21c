//! Constants of modules as values, and values as instructions.

use spirvkit_binary::{Budget, Id, Instruction, Module};
use spirvkit_eval::{Reason, Scalar, ScalarType, Value};
use spirvkit_grammar::Op;
use spirvkit_transform::fold::{self, Constants, NotFoldable, NotWritable, Part};

fn read(text: &str) -> Constants {
    Constants::read(&spirvkit_testing::words(text)).unwrap()
}

fn define_all(constants: &mut Constants, words: &[u32]) -> Vec<(Id, NotFoldable)> {
    let instructions = Module::new(words).unwrap().instructions();
    instructions
        .map(Result::unwrap)
        .filter_map(|instruction| {
            let error = constants.define(&instruction).err()?;
            Some((instruction.result().unwrap(), error))
        })
        .collect()
}

const TYPES: &str = "
%1 = OpTypeBool
%2 = OpTypeInt 32 0
%3 = OpTypeInt 16 1
%4 = OpTypeInt 64 1
%5 = OpTypeFloat 32
%6 = OpTypeFloat 16
%7 = OpTypeFloat 64
%8 = OpTypeVector %2 3
%9 = OpConstant %2 4
%10 = OpTypeArray %8 %9
%11 = OpTypeStruct %5 %10 %1
%12 = OpTypePointer Uniform %5
%13 = OpTypeEvent
%14 = OpTypeVector %2 2
";

fn integer(width: u8, value: i64) -> Value {
    Value::Scalar(Scalar::new(ScalarType::Integer { width }, value as u64))
}

#[test]
fn all_forms() {
    let constants = read(&format!(
        "{TYPES}
%20 = OpConstantTrue %1
%21 = OpSpecConstantFalse %1
%22 = OpConstant %3 -5
%23 = OpConstant %4 -5
%24 = OpSpecConstant %7 0.25
%25 = OpConstant %6 1.5
%26 = OpConstantNull %8
%27 = OpUndef %14
%28 = OpConstantComposite %8 %9 %29 %9
%29 = OpConstant %2 7
%30 = OpConstantComposite %8 %9 %29 %9
%31 = OpConstantComposite %10 %30 %26 %30 %26
%32 = OpConstantCompositeReplicateEXT %10 %30
%33 = OpConstantNull %11
%34 = OpSpecConstantOp %8 VectorShuffle %30 %26 5 1 0
%35 = OpSpecConstantOp %2 CompositeExtract %31 2 1
%36 = OpSpecConstantOp %10 CompositeInsert %26 %31 0
%37 = OpSpecConstantOp %2 IMul %35 %9
%38 = OpConstantNull %12
%39 = OpConstantNull %13
%40 = OpSpecConstantOp %2 Select %20 %9 %29
"
    ));
    let value = |id| constants.value(Id(id)).cloned();
    let vector = Value::composite([4, 7, 4].map(Value::from)).unwrap();
    let zeros = Value::composite([0, 0, 0].map(Value::from)).unwrap();
    let array = |parts: [&Value; 4]| Value::composite(parts.map(Value::clone));
    assert_eq!(value(20), Some(true.into()));
    assert_eq!(value(21), Some(false.into()));
    assert_eq!(value(22), Some(integer(16, -5)));
    assert_eq!(value(23), Some(integer(64, -5)));
    assert_eq!(value(24), Some(0.25f64.into()));
    assert_eq!(value(25).unwrap().scalar().unwrap().bits(), 0x3e00);
    assert_eq!(value(26), Some(zeros.clone()));
    assert_eq!(value(27), Value::replicate(Value::Undef, 2));
    // A constituent that comes later is none.
    assert_eq!(value(28), None);
    assert_eq!(value(30), Some(vector.clone()));
    assert_eq!(value(31), array([&vector, &zeros, &vector, &zeros]));
    assert_eq!(value(32), array([&vector; 4]));
    assert!(value(33).unwrap().is_null());
    assert_eq!(value(33).unwrap().part(1).unwrap().part(3), Some(&zeros));
    assert_eq!(value(34), Value::composite([0, 7, 4].map(Value::from)));
    assert_eq!(value(35), Some(7.into()));
    assert_eq!(value(36), array([&zeros, &zeros, &vector, &zeros]));
    assert_eq!(value(37), Some(28.into()));
    assert_eq!(value(38), Some(Value::Null));
    assert_eq!(value(39), Some(Value::Null));
    assert_eq!(value(40), Some(4.into()));
    assert_eq!(constants.typed_value(Id(37)).unwrap().0, Id(2));
    assert_eq!(value(2), None);
    assert_eq!(value(u32::MAX), None);
}

#[test]
fn specialized_lengths() {
    let words = spirvkit_testing::words(
        "
%1 = OpTypeInt 32 0
%2 = OpSpecConstant %1 2
%3 = OpTypeArray %1 %2
%4 = OpConstantNull %3
",
    );
    let mut constants = Constants::default();
    constants.set(Id(2), Id(1), 5.into());
    assert_eq!(define_all(&mut constants, &words), []);
    assert_eq!(constants.types().count(Id(3)), Some(5));
    assert_eq!(
        constants.value(Id(4)),
        Value::replicate(0.into(), 5).as_ref()
    );
}

#[test]
fn reasons() {
    let words = spirvkit_testing::words(
        "
%1 = OpTypeInt 32 0
%2 = OpConstant %1 0
%3 = OpSpecConstantOp %1 UDiv %2 %2
%4 = OpSpecConstantOp %1 IAdd %3 %2
%5 = OpTypeSampler
%6 = OpConstantSampler %5 None 0 Nearest
%7 = OpTypeStruct %5
%8 = OpSpecConstantComposite %7 %6
",
    );
    let mut constants = Constants::default();
    let found = define_all(&mut constants, &words);
    let expected = [
        (Id(3), NotFoldable::Undefined(Reason::DivisionByZero)),
        (Id(4), NotFoldable::UnknownConstant(Id(3))),
        (Id(8), NotFoldable::UnknownConstant(Id(6))),
    ];
    assert_eq!(found, expected);
}

/// Writes every constant of a module anew, reads that, and finds the same.
#[test]
fn there_and_back() {
    let text = format!(
        "{TYPES}
%20 = OpConstantTrue %1
%21 = OpConstantFalse %1
%22 = OpConstant %3 -5
%23 = OpConstant %4 -5
%24 = OpConstant %7 0.25
%25 = OpConstant %6 1.5
%26 = OpConstantNull %8
%27 = OpUndef %14
%28 = OpUndef %5
%30 = OpConstant %2 7
%31 = OpConstantComposite %8 %9 %30 %9
%32 = OpConstantComposite %10 %31 %26 %31 %26
%33 = OpConstantNull %11
%34 = OpConstantComposite %11 %28 %32 %20
%35 = OpConstantComposite %10 %31 %31 %31 %31
%38 = OpConstantNull %12
"
    );
    let old = read(&text);
    let mut next = 100;
    let mut words = spirvkit_testing::words(TYPES);
    for id in 20..40 {
        let Some((ty, value)) = old.typed_value(Id(id)) else {
            continue;
        };
        let made = fold::create(
            old.types(),
            ty,
            Id(id),
            value,
            &mut Budget::unlimited(),
            |_, _| {
                next += 1;
                Part::New(Id(next))
            },
        );
        words.extend(made.unwrap());
    }
    let new = Constants::read(&words).unwrap();
    for id in 20..next + 1 {
        let (old, new) = (old.typed_value(Id(id)), new.typed_value(Id(id)));
        assert!(id > 40 || old == new, "%{id}: {old:?}, {new:?}");
        assert!(id <= 100 || new.is_some(), "%{id}");
    }
}

#[test]
fn instructions() {
    let constants = read(TYPES);
    let types = constants.types();
    let write = |ty, value: &Value, parts: &[Id]| {
        let mut words = Vec::new();
        fold::write(&mut words, types, Id(ty), Id(50), value, parts)?;
        Ok(words)
    };
    let words = |op: Op, operands: &[u32]| {
        let mut words = vec![(operands.len() as u32 + 1) << 16 | u32::from(op.0)];
        words.extend(operands);
        Ok(words)
    };
    // A narrow literal is extended as its type is signed (section 2.2.1).
    assert_eq!(
        write(3, &integer(16, -5), &[]),
        words(Op::Constant, &[3, 50, -5i32 as u32])
    );
    assert_eq!(
        write(4, &integer(64, -5), &[]),
        words(Op::Constant, &[4, 50, -5i32 as u32, u32::MAX])
    );
    let half = constants.types().scalar(Id(6)).unwrap();
    let negative = Value::Scalar(Scalar::new(half, 0xbc00));
    assert_eq!(
        write(6, &negative, &[]),
        words(Op::Constant, &[6, 50, 0xbc00])
    );
    let alike = Value::replicate(3.into(), 3).unwrap();
    assert_eq!(
        write(8, &alike, &[Id(7)]),
        words(Op::ConstantComposite, &[8, 50, 7, 7, 7])
    );
    assert_eq!(write(8, &alike, &[]), Err(NotWritable::Type(Id(8))));
    assert_eq!(write(14, &alike, &[Id(7)]), Err(NotWritable::Type(Id(14))));
    assert_eq!(write(3, &5.into(), &[]), Err(NotWritable::Type(Id(3))));
    assert_eq!(write(1, &5.into(), &[]), Err(NotWritable::Type(Id(1))));
    assert_eq!(write(99, &Value::Null, &[]), Err(NotWritable::Type(Id(99))));
    assert_eq!(
        write(12, &Value::Null, &[]),
        words(Op::ConstantNull, &[12, 50])
    );
}

/// A constant cooperative matrix has one constituent, for all its components.
#[test]
fn cooperative_matrices() {
    let constants = read(
        "
%1 = OpTypeInt 32 0
%2 = OpConstant %1 3
%3 = OpConstant %1 16
%4 = OpTypeFloat 32
%5 = OpTypeCooperativeMatrixKHR %4 %2 %3 %3 %2
%6 = OpConstant %4 1.5
%7 = OpConstantComposite %5 %6
%8 = OpConstantNull %5
",
    );
    assert!(constants.value(Id(8)).unwrap().is_null());
    let (ty, value) = constants.typed_value(Id(7)).unwrap();
    let made = fold::create(
        constants.types(),
        ty,
        Id(7),
        value,
        &mut Budget::unlimited(),
        |ty, part| {
            assert_eq!((ty, part), (Id(4), &1.5f32.into()));
            Part::Existing(Id(6))
        },
    );
    let first = 4 << 16 | u32::from(Op::ConstantComposite.0);
    assert_eq!(made, Ok(vec![first, 5, 7, 6]));
}

/// Parts that are known to be alike are asked for once.
#[test]
fn parts_asked_for() {
    let constants = read(TYPES);
    let vector = Value::replicate(3.into(), 3).unwrap();
    let array = Value::replicate(vector, 4).unwrap();
    let mut asked = Vec::new();
    let words = fold::create(
        constants.types(),
        Id(10),
        Id(50),
        &array,
        &mut Budget::unlimited(),
        |ty, _| {
            asked.push(ty);
            Part::New(Id(50 + asked.len() as u32))
        },
    );
    assert_eq!(asked, [Id(8), Id(2)]);
    let words = words.unwrap();
    let made = Instruction::from_words(&words[..4], spirvkit_binary::WordOffset(0)).unwrap();
    assert_eq!(
        (made.op(), made.words()[1..].to_vec()),
        (Op::Constant, vec![2, 52, 3])
    );
    assert_eq!(words.len(), 4 + 6 + 7);
}

/// Modules that double a constant or a type line by line, or nest it for ever, cost
/// no more than they are long.
#[test]
fn hostile_modules() {
    let mut text = String::from("%1 = OpTypeInt 32 0\n%2 = OpConstant %1 1\n");
    for line in 0..2000 {
        let (ty, value) = (3 + 2 * line, 4 + 2 * line);
        let (part, old) = if line == 0 {
            (1, 2)
        } else {
            (ty - 2, value - 2)
        };
        text += &format!("%{ty} = OpTypeStruct %{part} %{part} %1\n");
        text += &format!("%{value} = OpConstantComposite %{ty} %{old} %{old} %2\n");
    }
    text += "%9000 = OpConstantNull %4000\n%9001 = OpConstantNull %4001\n";
    let constants = read(&text);
    assert!(constants.value(Id(10)).is_some());
    assert!(constants.value(Id(4002)).is_none());
    assert!(constants.value(Id(9001)).is_none());
}
