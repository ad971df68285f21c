//! Instructions whose operands can't be decoded: what is wrong, and where.

use crate::common;

use common::{HEADER, first_error, instruction, module, string};
use spirvkit_binary::{Error, ErrorKind, Id, LiteralString};
use spirvkit_grammar::{Op, OperandKind};

/// The error in a module of these instructions, the first at byte 20.
fn error(instructions: &[Vec<u32>]) -> Error {
    first_error(&module(instructions)).expect("an error")
}

#[test]
fn missing_operands_are_placed_where_they_should_be() {
    use OperandKind as K;
    let cases: [(Op, &[u32], K, usize); 9] = [
        (Op::Capability, &[], K::Capability, 24),
        (Op::MemoryModel, &[0], K::MemoryModel, 28),
        (Op::TypeInt, &[1, 32], K::LiteralInteger, 32),
        (Op::Load, &[1, 2], K::IdRef, 32),
        (Op::Load, &[], K::IdResultType, 24),
        (Op::Name, &[1], K::LiteralString, 28),
        // A parameter of an enumerant, one of a mask's bits, half of a pair.
        (Op::ExecutionMode, &[1, 17, 8], K::LiteralInteger, 36),
        (Op::Store, &[1, 2, 2], K::LiteralInteger, 36),
        (Op::Phi, &[1, 2, 3], K::IdRef, 36),
    ];
    for (op, operands, kind, offset) in cases {
        let error = error(&[instruction(op, operands)]);
        assert_eq!(error.kind(), ErrorKind::MissingOperand { kind }, "{op}");
        assert_eq!(error.offset().bytes(), offset, "{op}");
        assert_eq!(error.op(), Some(op));
    }
}

#[test]
fn a_wide_literal_cut_short_is_missing() {
    let error = error(&[
        instruction(Op::TypeInt, &[1, 64, 0]),
        instruction(Op::Constant, &[1, 2, 5]),
    ]);
    let kind = OperandKind::LiteralContextDependentNumber;
    assert_eq!(error.kind(), ErrorKind::MissingOperand { kind });
    assert_eq!(error.offset().bytes(), 36 + 12);
}

#[test]
fn surplus_words_are_counted_from_the_first() {
    let cases: [(Op, &[u32], usize, usize); 5] = [
        (Op::Nop, &[7], 1, 24),
        (Op::TypeVoid, &[1, 0, 0], 2, 28),
        (Op::Return, &[1, 2, 3], 3, 24),
        (Op::Store, &[1, 2, 1, 5], 1, 36),
        (Op::Decorate, &[1, 30, 3, 4], 1, 36),
    ];
    for (op, operands, count, offset) in cases {
        let error = error(&[instruction(op, operands)]);
        assert_eq!(error.kind(), ErrorKind::SurplusWords { count }, "{op}");
        assert_eq!(error.offset().bytes(), offset, "{op}");
    }
}

#[test]
fn extended_instructions_of_closed_sets_have_no_surplus_words() {
    let import = instruction(
        Op::ExtInstImport,
        &[&[1][..], &string("GLSL.std.450")].concat(),
    );
    let at = 20 + import.len() * 4;
    let error = error(&[import, instruction(Op::ExtInst, &[60, 61, 1, 31, 20, 21])]);
    assert_eq!(error.kind(), ErrorKind::SurplusWords { count: 1 });
    assert_eq!(error.offset().bytes(), at + 24);
}

#[test]
fn a_specialization_operation_has_its_instruction_s_operands_only() {
    let iadd = u32::from(Op::IAdd.0);
    let surplus = error(&[instruction(Op::SpecConstantOp, &[1, 2, iadd, 3, 4, 5])]);
    assert_eq!(surplus.kind(), ErrorKind::SurplusWords { count: 1 });
    assert_eq!(surplus.offset().bytes(), 44);
    let missing = error(&[instruction(Op::SpecConstantOp, &[1, 2, iadd, 3])]);
    assert_eq!(
        missing.kind(),
        ErrorKind::MissingOperand {
            kind: OperandKind::IdRef
        }
    );
    assert_eq!(missing.offset().bytes(), 40);
}

#[test]
fn strings_must_end() {
    let unterminated = error(&[instruction(Op::Name, &[1, 0x6161_6161, 0x6161_6161])]);
    assert_eq!(unterminated.kind(), ErrorKind::UnterminatedString);
    assert_eq!(unterminated.offset().bytes(), 28);
    assert_eq!(unterminated.op(), Some(Op::Name));
}

#[test]
fn strings_end_within_their_instruction() {
    // The zero is in the next instruction.
    let words = module(&[
        instruction(Op::Name, &[1, 0x6161_6161]),
        instruction(Op::Nop, &[]),
    ]);
    let error = first_error(&words).unwrap();
    assert_eq!(error.kind(), ErrorKind::UnterminatedString);
}

#[test]
fn strings_that_are_not_utf8_say_how_far_they_are() {
    let words = [u32::from_le_bytes(*b"ab\xff\x00")];
    let string = LiteralString::at_start_of(&words).unwrap();
    assert_eq!(string.to_text(), Err(ErrorKind::BadUtf8 { valid_up_to: 2 }));
    assert_eq!(string.to_text_lossy(), "ab\u{fffd}");
}

#[test]
fn literals_need_a_number_type_defined_before() {
    let undefined = error(&[instruction(Op::Constant, &[9, 2, 5])]);
    assert_eq!(undefined.kind(), ErrorKind::UndefinedType { id: Id(9) });
    assert_eq!(undefined.offset().bytes(), 32);
    for (ty, name) in [
        (instruction(Op::TypeVoid, &[1]), "void"),
        (instruction(Op::TypeBool, &[1]), "bool"),
        (instruction(Op::TypeInt, &[1, 65, 0]), "too wide an integer"),
        (instruction(Op::TypeInt, &[1, 0, 0]), "no width"),
        (instruction(Op::TypeFloat, &[1, 80]), "an unknown width"),
        (
            instruction(Op::TypeFloat, &[1, 16, 60_000]),
            "an unknown encoding",
        ),
        (
            instruction(Op::TypeFloat, &[1, 32, 0]),
            "a wrong width for the encoding",
        ),
        (instruction(Op::Label, &[1]), "no type"),
    ] {
        let at = 20 + ty.len() * 4;
        let error = error(&[ty, instruction(Op::SpecConstant, &[1, 2, 5])]);
        assert_eq!(
            error.kind(),
            ErrorKind::NotANumberType { id: Id(1) },
            "{name}"
        );
        assert_eq!(error.offset().bytes(), at + 12, "{name}");
    }
}

#[test]
fn switches_need_an_integer_selector_defined_before() {
    let int = instruction(Op::TypeInt, &[1, 32, 0]);
    let float = instruction(Op::TypeFloat, &[2, 32]);
    let value = instruction(Op::Undef, &[2, 3]);
    for selector in [9, 1, 3] {
        let switch = instruction(Op::Switch, &[selector, 10, 5, 11]);
        let error = error(&[int.clone(), float.clone(), value.clone(), switch]);
        assert_eq!(error.kind(), ErrorKind::BadSelector { id: Id(selector) });
        assert_eq!(error.offset().bytes(), 20 + 16 + 12 + 12 + 12);
        assert_eq!(error.op(), Some(Op::Switch));
    }
}

#[test]
fn extended_instructions_need_an_import_defined_before() {
    let error = error(&[
        instruction(Op::TypeVoid, &[1]),
        instruction(Op::ExtInst, &[1, 2, 1, 31, 5]),
    ]);
    assert_eq!(error.kind(), ErrorKind::NotAnImport { id: Id(1) });
    // The instruction number, whose meaning is not known.
    assert_eq!(error.offset().bytes(), 28 + 16);
}

#[test]
fn decoding_ends_at_the_first_error() {
    let words = instruction(Op::TypeInt, &[1, 32, 0, 7, 8]);
    let int =
        spirvkit_binary::Instruction::from_words(&words, spirvkit_binary::WordOffset(5)).unwrap();
    let definitions = common::definitions(&[]);
    let operands: Vec<_> = int.operands(&definitions).collect();
    assert_eq!(operands.len(), 4);
    assert!(operands[..3].iter().all(Result::is_ok));
    assert!(operands[3].is_err());
}

#[test]
fn messages_name_the_instruction_and_the_byte() {
    let error = error(&[instruction(Op::Nop, &[7])]);
    assert_eq!(
        error.to_string(),
        "OpNop: there is a word after the instruction's last operand (at byte 24)"
    );
    let past_end = first_error(&[&HEADER[..], &[0x0009_003d, 1]].concat()).unwrap();
    assert_eq!(
        past_end.to_string(),
        "OpLoad: the file ends within an instruction of 9 words, of which only 2 are present (at byte 20)"
    );
}

#[test]
fn an_error_is_small_enough_to_return() {
    assert!(size_of::<Error>() <= 64);
}
