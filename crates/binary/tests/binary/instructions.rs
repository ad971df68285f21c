//! Walking a module, its ids, and what they stand for.

use crate::common::{HEADER, definitions, instruction, module, string};
use spirvkit_binary::{
    Definition, Definitions, ErrorKind, FloatFormat, Id, IdMap, Import, Instruction, Module,
    NumberType, WordOffset,
};
use spirvkit_grammar::{ExtInstSet, Op};

#[test]
fn instructions_come_in_order_with_their_places() {
    let words = module(&[
        instruction(Op::Capability, &[1]),
        instruction(Op::TypeInt, &[1, 32, 0]),
        instruction(Op::Constant, &[1, 2, 7]),
        instruction(Op(60_000), &[1, 2]),
    ]);
    let module = Module::new(&words).unwrap();
    let found: Vec<_> = module
        .instructions()
        .map(|instruction| {
            let instruction = instruction.unwrap();
            let (ty, result) = (instruction.result_type(), instruction.result());
            (
                instruction.offset().bytes(),
                instruction.op(),
                ty,
                result,
                instruction.words().len(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (20, Op::Capability, None, None, 2),
            (28, Op::TypeInt, None, Some(Id(1)), 4),
            (44, Op::Constant, Some(Id(1)), Some(Id(2)), 4),
            (60, Op(60_000), None, None, 3),
        ]
    );
}

#[test]
fn operand_words_are_those_after_the_first() {
    let words = instruction(Op::Name, &[1, 0]);
    let name = Instruction::from_words(&words, WordOffset(9)).unwrap();
    assert_eq!(name.operand_words(), [1, 0]);
    assert_eq!(name.info().unwrap().name(), "OpName");
    assert_eq!(
        name.error(ErrorKind::UnterminatedString, 2).offset(),
        WordOffset(11)
    );
    assert!(Instruction::from_words(&[], WordOffset(0)).is_none());
}

#[test]
fn an_instruction_too_short_for_its_result_has_none() {
    let words = instruction(Op::Constant, &[1]);
    let constant = Instruction::from_words(&words, WordOffset(5)).unwrap();
    assert_eq!(constant.result_type(), Some(Id(1)));
    assert_eq!(constant.result(), None);
    let words = instruction(Op::Constant, &[]);
    let constant = Instruction::from_words(&words, WordOffset(5)).unwrap();
    assert_eq!((constant.result_type(), constant.result()), (None, None));
}

#[test]
fn a_word_count_of_zero_ends_the_walk() {
    let words = [&HEADER[..], &[0x0001_0000, 0x0000_0001, 0x0001_0000]].concat();
    let mut instructions = Module::new(&words).unwrap().instructions();
    assert!(instructions.next().unwrap().is_ok());
    let error = instructions.next().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ZeroWordCount);
    assert_eq!(error.offset().bytes(), 24);
    assert_eq!(error.op(), Some(Op::Undef));
    assert!(instructions.next().is_none());
    assert!(instructions.next().is_none());
    assert_eq!(instructions.offset(), WordOffset(6));
}

#[test]
fn an_instruction_past_the_end_ends_the_walk() {
    let words = [&HEADER[..], &[0x0001_0000, 0x0003_0011, 1]].concat();
    let mut instructions = Module::new(&words).unwrap().instructions();
    assert!(instructions.next().unwrap().is_ok());
    let error = instructions.next().unwrap().unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::PastEnd {
            count: 3,
            available: 2
        }
    );
    assert_eq!(error.offset().bytes(), 24);
    assert_eq!(error.op(), Some(Op::Capability));
    assert!(instructions.next().is_none());
}

#[test]
fn the_rest_is_what_has_not_been_walked() {
    let words = [&HEADER[..], &[0x0001_0000, 0x0002_0011, 1]].concat();
    let mut instructions = Module::new(&words).unwrap().instructions();
    assert_eq!(instructions.rest(), [0x0001_0000, 0x0002_0011, 1]);
    instructions.next();
    assert_eq!(instructions.rest(), [0x0002_0011, 1]);
    instructions.next();
    assert!(instructions.rest().is_empty());
}

#[test]
fn the_rest_after_an_error_is_the_tail_that_is_no_instruction() {
    let words = [&HEADER[..], &[0x0001_0000, 0x0009_0011, 1, 2]].concat();
    let mut instructions = Module::new(&words).unwrap().instructions();
    assert_eq!(instructions.by_ref().filter(Result::is_err).count(), 1);
    assert_eq!(instructions.rest(), [0x0009_0011, 1, 2]);
}

#[test]
fn the_longest_instruction_can_be_walked() {
    let words = module(&[instruction(Op::TypeStruct, &vec![1; 65_534])]);
    let walked: Vec<_> = Module::new(&words).unwrap().instructions().collect();
    assert_eq!(walked.len(), 1);
    assert_eq!(walked[0].unwrap().words().len(), 65_535);
}

#[test]
fn id_maps_hold_any_id() {
    let mut map = IdMap::new(0u8, 10);
    let ids = [0, 1, 9, 10, 11, 1000, 0x3f_ffff, u32::MAX - 1, u32::MAX];
    for (value, id) in (1..).zip(ids) {
        assert_eq!(map.get(Id(id)), 0, "{id}");
        assert_eq!(map.replace(Id(id), value), 0, "{id}");
    }
    for (value, id) in (1..).zip(ids) {
        assert_eq!(map.get(Id(id)), value, "{id}");
        *map.slot(Id(id)) += 100;
        assert_eq!(map.get(Id(id)), value + 100, "{id}");
    }
    assert_eq!(map.get(Id(5)), 0);
    assert_eq!(map.get(Id(12)), 0);
}

#[test]
fn id_maps_without_a_dense_part_work() {
    let mut map = IdMap::new(-1, 0);
    assert_eq!(map.replace(Id(0), 5), -1);
    assert_eq!(map.replace(Id(7), 6), -1);
    assert_eq!((map.get(Id(0)), map.get(Id(7)), map.get(Id(8))), (5, 6, -1));
}

/// A table of this element for every id up to the last would take 2^44 bytes, so
/// the test can't pass unless absurd ids cost as little as others.
#[test]
fn absurd_ids_do_not_allocate_a_table_up_to_them() {
    let mut map = IdMap::new([0u64; 512], 4);
    map.slot(Id(u32::MAX))[0] = 1;
    map.slot(Id(u32::MAX - 1))[0] = 2;
    assert_eq!(map.get(Id(u32::MAX))[0], 1);
    assert_eq!(map.get(Id(u32::MAX - 2))[0], 0);
}

#[test]
fn a_module_with_an_absurd_id_and_bound_can_be_read() {
    let mut words = module(&[
        instruction(Op::TypeInt, &[u32::MAX, 32, 0]),
        instruction(Op::Constant, &[u32::MAX, u32::MAX - 1, 5]),
    ]);
    words[3] = u32::MAX;
    let module = Module::new(&words).unwrap();
    let mut definitions = Definitions::for_module(&module);
    for instruction in module.instructions() {
        let instruction = instruction.unwrap();
        assert!(
            instruction
                .operands(&definitions)
                .all(|operand| operand.is_ok())
        );
        assert_eq!(definitions.define(&instruction), None);
    }
    assert_eq!(definitions.type_of(Id(u32::MAX - 1)), Some(Id(u32::MAX)));
}

#[test]
fn definitions_know_what_ids_stand_for() {
    let definitions = definitions(&[
        [instruction(
            Op::ExtInstImport,
            &[&[1][..], &string("GLSL.std.450")].concat(),
        )]
        .concat(),
        [instruction(
            Op::ExtInstImport,
            &[&[2][..], &string("Who.knows")].concat(),
        )]
        .concat(),
        instruction(Op::TypeInt, &[3, 16, 1]),
        instruction(Op::TypeFloat, &[4, 64]),
        instruction(Op::TypeVoid, &[5]),
        instruction(Op::TypeInt, &[6, 128, 0]),
        instruction(Op::TypeFloat, &[7, 16, 0]),
        instruction(Op::TypeFloat, &[8, 32, 0]),
        instruction(Op::Constant, &[3, 9, 1]),
        instruction(Op::Label, &[10]),
        instruction(Op::Constant, &[4, 11, 1, 0]),
    ]);
    let int = NumberType::Integer {
        width: 16,
        signed: true,
    };
    let expected = [
        (0, Definition::Undefined),
        (1, Definition::Import(Import::Known(ExtInstSet::GlslStd450))),
        (2, Definition::Import(Import::Unknown)),
        (3, Definition::Number(int)),
        (
            4,
            Definition::Number(NumberType::Float(FloatFormat::Double)),
        ),
        (5, Definition::Type),
        // Types whose literals can't be read.
        (6, Definition::Type),
        (
            7,
            Definition::Number(NumberType::Float(FloatFormat::BFloat16)),
        ),
        (8, Definition::Type),
        (9, Definition::Value(Id(3))),
        (10, Definition::Other),
        (99, Definition::Undefined),
    ];
    for (id, definition) in expected {
        assert_eq!(definitions.get(Id(id)), definition, "%{id}");
    }
    assert_eq!(definitions.number_type(Id(3)), Some(int));
    assert_eq!(definitions.number_type(Id(9)), None);
    assert_eq!(definitions.type_of(Id(9)), Some(Id(3)));
    assert_eq!(definitions.type_of(Id(3)), None);
    assert_eq!(definitions.selector_type(Id(9)), Some(int));
    // A float can't select.
    assert_eq!(definitions.selector_type(Id(11)), None);
    assert_eq!(definitions.selector_type(Id(10)), None);
}

#[test]
fn an_id_keeps_its_first_definition() {
    let mut definitions = definitions(&[instruction(Op::TypeInt, &[1, 32, 0])]);
    let words = instruction(Op::TypeFloat, &[1, 32]);
    let again = Instruction::from_words(&words, WordOffset(9)).unwrap();
    let redefinition = definitions.define(&again).unwrap();
    assert_eq!(redefinition.id, Id(1));
    assert_eq!(redefinition.earlier, Definition::Number(NumberType::U32));
    assert_eq!(definitions.get(Id(1)), Definition::Number(NumberType::U32));
}

#[test]
fn values_may_have_types_with_any_number() {
    for ty in [1, 1 << 10, u32::MAX - 1024, u32::MAX - 1023, u32::MAX] {
        let words = instruction(Op::Undef, &[ty, 2]);
        let mut definitions = definitions(std::slice::from_ref(&words));
        assert_eq!(definitions.get(Id(2)), Definition::Value(Id(ty)));
        let again = Instruction::from_words(&words, WordOffset(9)).unwrap();
        let redefinition = definitions.define(&again).unwrap();
        assert_eq!(redefinition.earlier, Definition::Value(Id(ty)));

        definitions.forget(Id(2));
        assert_eq!(definitions.get(Id(2)), Definition::Undefined);
        assert_eq!(definitions.define(&again), None);
        assert_eq!(definitions.get(Id(2)), Definition::Value(Id(ty)));

        definitions.define_value(Id(3), Id(ty));
        definitions.define_value(Id(3), Id(5));
        assert_eq!(definitions.get(Id(3)), Definition::Value(Id(ty)));
    }
}

#[test]
fn every_kind_of_number_is_distinct_from_the_others() {
    let mut kinds = Vec::new();
    for width in 1..=64 {
        for signed in 0..2 {
            kinds.push(instruction(
                Op::TypeInt,
                &[kinds.len() as u32 + 1, width, signed],
            ));
        }
    }
    let definitions = definitions(&kinds);
    for (id, words) in (1..).zip(&kinds) {
        let number = NumberType::integer(words[2], words[3]);
        assert_eq!(definitions.number_type(Id(id)), number);
    }
}

#[test]
fn ids_and_offsets_show_as_people_count_them() {
    assert_eq!(Id(7).to_string(), "%7");
    assert_eq!(Id(u32::MAX).to_string(), "%4294967295");
    assert_eq!(WordOffset(5).bytes(), 20);
}
