//! Words to text and back, for any words.

use crate::common;

use common::{binary, body, instruction, raw, text};
use proptest::prelude::*;
use spirvkit_binary::{Instruction, LiteralString, WordOffset};
use spirvkit_grammar::Op;
use spirvkit_text::{DisassembleOptions, Indentation, assemble, disassemble};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// Number types: the operands of the type instruction after its result, and the
/// width.
const TYPES: [(Op, &[u32], u32); 19] = [
    (Op::TypeInt, &[1, 0], 1),
    (Op::TypeInt, &[8, 0], 8),
    (Op::TypeInt, &[8, 1], 8),
    (Op::TypeInt, &[16, 1], 16),
    (Op::TypeInt, &[32, 0], 32),
    (Op::TypeInt, &[32, 1], 32),
    (Op::TypeInt, &[64, 0], 64),
    (Op::TypeInt, &[64, 1], 64),
    (Op::TypeFloat, &[16], 16),
    (Op::TypeFloat, &[32], 32),
    (Op::TypeFloat, &[64], 64),
    (Op::TypeFloat, &[16, 0], 16),
    (Op::TypeFloat, &[8, 4214], 8),
    (Op::TypeFloat, &[8, 4215], 8),
    // The microscaling formats, under the numbers of their extension.
    (Op::TypeFloat, &[6, MICRO[0]], 6),
    (Op::TypeFloat, &[6, MICRO[1]], 6),
    (Op::TypeFloat, &[4, MICRO[2]], 4),
    (Op::TypeFloat, &[8, MICRO[3]], 8),
    (Op::TypeFloat, &[8, MICRO[4]], 8),
];

const MICRO: [u32; 5] = {
    use spirvkit_grammar::FPEncoding as E;
    [
        E::Float6E2M3EXT.0,
        E::Float6E3M2EXT.0,
        E::Float4E2M1EXT.0,
        E::Float8UnsignedE8M0EXT.0,
        E::MXInt8EXT.0,
    ]
};

/// A module of a type and constants of these bits, padded as they must be.
fn constants(op: Op, ty: &[u32], width: u32, values: impl Iterator<Item = u64>) -> Vec<u32> {
    let signed = op == Op::TypeInt && ty[1] == 1;
    let mut instructions = vec![instruction(op, &[&[1], ty].concat())];
    for (id, bits) in (2..).zip(values) {
        let unused = 64 - width;
        let bits = match signed {
            true => ((bits << unused) as i64 >> unused) as u64,
            false => bits << unused >> unused,
        };
        let mut operands = vec![1, id, bits as u32];
        operands.extend((width > 32).then_some((bits >> 32) as u32));
        instructions.push(instruction(Op::Constant, &operands));
    }
    binary(&instructions)
}

#[test]
fn every_number_of_a_narrow_type_is_read_back() {
    for (op, ty, width) in TYPES.into_iter().filter(|(_, _, width)| *width <= 16) {
        let words = constants(op, ty, width, 0..1 << width);
        let shown = text(&words, &raw());
        assert_eq!(body(&shown), words[5..], "{op} {ty:?}");
    }
}

#[test]
fn awkward_wide_numbers_are_read_back() {
    let awkward = |width: u32| {
        let ones = u64::MAX >> (64 - width);
        let bits = (0..width).map(|bit| 1u64 << bit);
        let runs = (0..width).map(move |bit| ones >> bit);
        bits.clone()
            .chain(runs.clone())
            .chain(bits.map(move |bit| ones & !bit))
            .chain([0])
    };
    for (op, ty, width) in TYPES.into_iter().filter(|(_, _, width)| *width > 16) {
        let words = constants(op, ty, width, awkward(width));
        assert_eq!(body(&text(&words, &raw())), words[5..], "{op} {ty:?}");
    }
}

/// An opcode that the grammar has, from a random number.
fn some_opcode(number: u32) -> u32 {
    let all = Op::all();
    all[number as usize % all.len()].number()
}

/// Words that look like instructions: first words with true counts, and operands
/// that are often small.
fn plausible_instruction() -> impl Strategy<Value = Vec<u32>> {
    let operand = prop_oneof![
        6 => 0..20u32,
        1 => 0..7000u32,
        1 => any::<u32>(),
        1 => Just(u32::from_le_bytes(*b"ab\0\0")),
        1 => Just(u32::from_le_bytes(*b"GLSL")),
    ];
    let opcode = prop_oneof![
        // The ones that others depend on.
        4 => prop::sample::select(vec![
            Op::TypeInt, Op::TypeFloat, Op::Constant, Op::SpecConstantOp, Op::Switch, Op::Undef,
            Op::ExtInst, Op::ExtInstImport, Op::Decorate, Op::Store, Op::Name, Op::TypeStruct, Op::Label, Op::Function, Op::FunctionEnd, Op::Branch, Op::BranchConditional, Op::SelectionMerge, Op::LoopMerge, Op::TypeVoid]).prop_map(|op| u32::from(op.0)),
        4 => any::<u32>().prop_map(some_opcode),
        1 => 0..0x1_0000u32,
    ];
    (opcode, prop::collection::vec(operand, 0..8)).prop_map(|(opcode, operands)| {
        let first = (operands.len() as u32 + 1) << 16 | opcode;
        [&[first][..], &operands].concat()
    })
}

fn lenient_text_is_exact(words: &[u32]) -> Result<(), TestCaseError> {
    let options = DisassembleOptions::default()
        .friendly_names(false)
        .lenient(true);
    exact_with(words, &options)
}

fn exact_with(words: &[u32], options: &DisassembleOptions) -> Result<(), TestCaseError> {
    let found = disassemble(words, options);
    let text = found
        .map_err(|errors| TestCaseError::fail(format!("{errors:?}")))?
        .text;
    match assemble(&text, &Default::default()) {
        Ok(module) => prop_assert_eq!(&module.words[..], words, "{}", text),
        Err(errors) => return Err(TestCaseError::fail(format!("{errors:?} in\n{text}"))),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn lenient_text_of_plausible_words_assembles_to_them(
        version in 0..0x1_0000u32,
        header: [u32; 3],
        instructions in prop::collection::vec(plausible_instruction(), 0..12),
    ) {
        let [generator, bound, schema] = header;
        let mut words = vec![0x0723_0203, version << 8, generator, bound >> (bound % 32), schema];
        words.extend(instructions.concat());
        lenient_text_is_exact(&words)?;
    }

    #[test]
    fn lenient_text_with_comments_and_nesting_assembles_to_its_words(
        instructions in prop::collection::vec(plausible_instruction(), 0..12),
        flags: [bool; 4],
    ) {
        let words = binary(&instructions);
        let options = DisassembleOptions::default()
            .friendly_names(false)
            .lenient(true)
            .nested_indentation(flags[0])
            .offsets(flags[1])
            .comments(flags[2])
            .indentation(if flags[3] { Indentation::None } else { Indentation::Column });
        exact_with(&words, &options)?;
    }

    #[test]
    fn lenient_text_of_a_tail_assembles_to_it(
        instructions in prop::collection::vec(plausible_instruction(), 0..3),
        tail in prop::collection::vec(any::<u32>(), 1..3),
    ) {
        lenient_text_is_exact(&binary(&[instructions.concat(), tail]))?;
    }

    #[test]
    fn lenient_text_of_any_words_assembles_to_them(rest in prop::collection::vec(any::<u32>(), 0..40)) {
        let words = [&[0x0723_0203, 0x0001_0600, 0, 10, 0], &rest[..]].concat();
        lenient_text_is_exact(&words)?;
    }

    #[test]
    fn every_option_takes_any_words(
        instructions in prop::collection::vec(plausible_instruction(), 0..12),
        flags: [bool; 9],
    ) {
        let words = binary(&instructions);
        let options = DisassembleOptions::default()
            .header(flags[0])
            .friendly_names(flags[1])
            .nested_indentation(flags[2])
            .reorder_blocks(flags[3])
            .offsets(flags[4])
            .comments(flags[5])
            .handle_unknown_opcodes(flags[6])
            .lenient(flags[7])
            .color(flags[8]);
        match disassemble(&words, &options) {
            Ok(_) => {}
            Err(errors) => prop_assert!(!flags[7] && !errors.is_empty(), "{:?}", errors),
        }
    }

    #[test]
    fn strict_text_without_warnings_assembles_to_its_words(
        instructions in prop::collection::vec(plausible_instruction(), 0..4),
    ) {
        let words = binary(&instructions);
        let Ok(found) = disassemble(&words, &raw()) else { return Ok(()) };
        prop_assume!(found.warnings.is_empty());
        match assemble(&found.text, &Default::default()) {
            Ok(module) => prop_assert_eq!(&module.words[5..], &words[5..], "{}", found.text),
            // Such a type can be shown, but the assembler wants it to make sense.
            Err(errors) => {
                let all = errors.iter().all(|error| error.rule() == "text.bad-float-type");
                prop_assert!(all, "{:?} in\n{}", errors, found.text);
            }
        }
    }

    #[test]
    fn wide_numbers_are_read_back(values in prop::collection::vec(any::<u64>(), 20), shift in 0..64u32) {
        for (op, ty, width) in TYPES.into_iter().filter(|(_, _, width)| *width > 16) {
            let words = constants(op, ty, width, values.iter().map(|value| value >> shift));
            prop_assert_eq!(body(&text(&words, &raw())), &words[5..]);
        }
    }

    #[test]
    fn strings_are_read_back(value in "[^\0]{0,40}") {
        let words = binary(&[instruction(Op::SourceExtension, &common::string(&value))]);
        let shown = text(&words, &raw());
        let back = body(&shown);
        prop_assert_eq!(&back, &words[5..]);
        let instruction = Instruction::from_words(&back, WordOffset(5)).unwrap();
        let string = LiteralString::at_start_of(instruction.operand_words()).unwrap();
        prop_assert_eq!(string.to_text().unwrap(), value);
    }

    #[test]
    fn any_text_is_assembled_or_refused(text in "(Op[A-Z][a-z]{0,4}|%[a-z0-9]{0,2}|=|!?[0-9]{0,3}|\"|[ \n;|(),]|\\PC){0,40}") {
        match assemble(&text, &Default::default()) {
            Ok(module) => prop_assert!(module.words.len() >= 5),
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in &errors {
                    // The place is one: `part` cuts it out.
                    let part = common::part(&text, error);
                    prop_assert!(part.len() <= text.len());
                }
            }
        }
    }
}
