//! Lenient text: whatever can't be decoded has a form that assembles to the same
//! words.

use crate::common::{binary, instruction, raw, string};
use spirvkit_grammar::Op;
use spirvkit_text::{DisassembleOptions, assemble, disassemble};

/// The lenient raw text of a module with header. Checks that it assembles to the
/// same words.
fn full(words: &[u32]) -> String {
    let options = DisassembleOptions::default()
        .friendly_names(false)
        .lenient(true);
    let found = disassemble(words, &options).expect("lenient text");
    assert!(
        found.warnings.is_empty(),
        "lenient text loses nothing: {:?}",
        found.warnings
    );
    match assemble(&found.text, &Default::default()) {
        Ok(module) => assert_eq!(module.words, words, "{}", found.text),
        Err(errors) => panic!("{errors:?} in\n{}", found.text),
    }
    found.text
}

/// The lenient lines of these instructions, without header and indentation.
fn lines(instructions: &[Vec<u32>]) -> Vec<String> {
    let words = binary(instructions);
    full(&words);
    let text = disassemble(&words, &raw().lenient(true)).unwrap().text;
    text.lines().map(str::to_owned).collect()
}

/// The last lenient line of these instructions.
fn last(instructions: &[Vec<u32>]) -> String {
    lines(instructions).pop().unwrap()
}

fn int() -> Vec<u32> {
    instruction(Op::TypeInt, &[1, 32, 0])
}

#[test]
fn what_can_be_decoded_is_written_as_ever() {
    assert_eq!(
        lines(&[instruction(Op::Capability, &[1]), int()]),
        ["OpCapability Shader", "%1 = OpTypeInt 32 0"]
    );
}

#[test]
fn unknown_opcodes() {
    assert_eq!(
        last(&[instruction(Op(60_000), &[1, u32::MAX])]),
        "OpUnknown(60000, 3) 1 4294967295"
    );
    assert_eq!(last(&[instruction(Op(60_000), &[])]), "OpUnknown(60000, 1)");
}

#[test]
fn unknown_enumerants_and_bits() {
    for (words, line) in [
        (
            instruction(Op::Capability, &[60_000]),
            "OpCapability !0x0000ea60",
        ),
        (
            instruction(Op::Decorate, &[1, 60_000, 7, 8]),
            "OpDecorate %1 !0x0000ea60 !0x00000007 !0x00000008",
        ),
        (
            instruction(Op::Variable, &[1, 2, 60_000]),
            "%2 = OpVariable %1 !0x0000ea60",
        ),
        (
            instruction(Op::Variable, &[1, 2, 60_000, 5]),
            "%2 = OpVariable %1 !0x0000ea60 !0x00000005",
        ),
        (
            instruction(Op::Store, &[1, 2, 0x4000_0001]),
            "OpStore %1 %2 !0x40000001",
        ),
        (
            instruction(Op::SpecConstantOp, &[1, 2, 60_000, 5]),
            "%2 = OpSpecConstantOp %1 !0x0000ea60 !0x00000005",
        ),
    ] {
        assert_eq!(last(&[words]), line);
    }
}

#[test]
fn unknown_extended_instructions() {
    let import = instruction(
        Op::ExtInstImport,
        &[&[1], &string("GLSL.std.450")[..]].concat(),
    );
    let line = last(&[import, instruction(Op::ExtInst, &[2, 3, 1, 9999, 5])]);
    assert_eq!(line, "%3 = OpExtInst %2 %1 !0x0000270f !0x00000005");
    let line = last(&[int(), instruction(Op::ExtInst, &[2, 3, 1, 31, 5])]);
    assert_eq!(line, "%3 = OpExtInst %2 %1 !0x0000001f !0x00000005");
}

#[test]
fn ids_that_are_zero() {
    for (words, line) in [
        (instruction(Op::Store, &[1, 0]), "OpStore %1 !0x00000000"),
        (
            instruction(Op::Store, &[0, 1]),
            "OpStore !0x00000000 !0x00000001",
        ),
        // A type of zero still has its result to the left.
        (instruction(Op::Undef, &[0, 5]), "%5 = OpUndef !0x00000000"),
        // A result of zero can't be written there.
        (instruction(Op::TypeVoid, &[0]), "OpUnknown(19, 2) 0"),
        (instruction(Op::Undef, &[1, 0]), "OpUnknown(1, 3) 1 0"),
    ] {
        assert_eq!(last(&[words]), line);
    }
}

#[test]
fn ids_that_are_defined_twice() {
    assert_eq!(
        last(&[int(), instruction(Op::TypeVoid, &[1])]),
        "OpUnknown(19, 2) 1"
    );
    assert_eq!(
        last(&[int(), instruction(Op::Undef, &[1, 1])]),
        "OpUnknown(1, 3) 1 1"
    );
    // The first definition counts for what follows.
    let lines = lines(&[
        int(),
        instruction(Op::TypeInt, &[1, 64, 0]),
        instruction(Op::Constant, &[1, 2, 5]),
    ]);
    assert_eq!(
        lines[1..],
        ["OpUnknown(21, 4) 1 64 0", "%2 = OpConstant %1 5"]
    );
}

#[test]
fn too_few_and_too_many_operands() {
    for (words, line) in [
        (instruction(Op::Capability, &[]), "OpUnknown(17, 1)"),
        (instruction(Op::MemoryModel, &[0]), "OpUnknown(14, 2) 0"),
        (instruction(Op::Undef, &[1]), "OpUnknown(1, 2) 1"),
        (instruction(Op::Nop, &[7]), "OpUnknown(0, 2) 7"),
        (instruction(Op::TypeVoid, &[1, 2]), "OpUnknown(19, 3) 1 2"),
    ] {
        assert_eq!(last(&[words]), line);
    }
}

#[test]
fn strings_that_text_cannot_show() {
    let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    for (words, line) in [
        (
            instruction(Op::Name, &[1, word(b"abcd")]),
            "OpName %1 !0x64636261",
        ),
        (
            instruction(Op::Name, &[1, word(b"a\xff\0\0")]),
            "OpName %1 !0x0000ff61",
        ),
        (
            instruction(Op::Name, &[1, word(b"a\0b\0")]),
            "OpName %1 !0x00620061",
        ),
        (
            instruction(Op::MemberName, &[1, 2, word(b"abcd"), word(b"\0\0\0x")]),
            "OpMemberName %1 2 !0x64636261 !0x78000000",
        ),
    ] {
        assert_eq!(last(&[words]), line);
    }
}

#[test]
fn numbers_with_bits_above_their_width() {
    let short = instruction(Op::TypeInt, &[1, 16, 1]);
    for (word, line) in [
        (0xffff_fffe, "%2 = OpConstant %1 -2"),
        (0x0000_fffe, "%2 = OpConstant %1 !0x0000fffe"),
        (0x0001_0000, "%2 = OpConstant %1 !0x00010000"),
    ] {
        assert_eq!(
            last(&[short.clone(), instruction(Op::Constant, &[1, 2, word])]),
            line
        );
    }
    let half = instruction(Op::TypeFloat, &[1, 16]);
    let line = last(&[half, instruction(Op::Constant, &[1, 2, 0x0001_3c00])]);
    assert_eq!(line, "%2 = OpConstant %1 !0x00013c00");
    let odd = instruction(Op::TypeInt, &[1, 40, 0]);
    let line = last(&[odd, instruction(Op::Constant, &[1, 2, 5, 0x100])]);
    assert_eq!(line, "%2 = OpConstant %1 !0x00000005 !0x00000100");
}

#[test]
fn literals_without_a_type() {
    assert_eq!(
        last(&[instruction(Op::Constant, &[1, 2, 5])]),
        "%2 = OpConstant %1 !0x00000005"
    );
    let void = instruction(Op::TypeVoid, &[1]);
    let line = last(&[void, instruction(Op::Constant, &[1, 2, 5, 6])]);
    assert_eq!(line, "%2 = OpConstant %1 !0x00000005 !0x00000006");
    let line = last(&[instruction(Op::Switch, &[1, 2, 5, 3])]);
    assert_eq!(line, "OpSwitch %1 %2 !0x00000005 !0x00000003");
}

#[test]
fn float_types_that_do_not_exist() {
    assert_eq!(
        last(&[instruction(Op::TypeFloat, &[1, 32, 0])]),
        "OpUnknown(22, 4) 1 32 0"
    );
    assert_eq!(
        last(&[instruction(Op::TypeFloat, &[1, 16, 60_000])]),
        "OpUnknown(22, 4) 1 16 60000"
    );
    assert_eq!(
        last(&[instruction(Op::TypeFloat, &[1, 128])]),
        "%1 = OpTypeFloat 128"
    );
}

#[test]
fn a_tail_that_is_no_instruction() {
    let nop = instruction(Op::Nop, &[]);
    for (instructions, line) in [
        (vec![nop.clone(), vec![0, 7]], "!0x00000000 !0x00000007"),
        (vec![nop, vec![0x0009_0011, 1]], "!0x00090011 !0x00000001"),
        (vec![vec![0]], "!0x00000000"),
    ] {
        assert_eq!(last(&instructions).trim_start(), line);
    }
    // Eight words a line.
    let long: Vec<u32> = (0..20).collect();
    assert_eq!(lines(&[long]).len(), 3);
}

#[test]
fn a_tail_after_an_instruction_that_takes_more_operands() {
    for before in [
        // Any number of operands, an optional one, and operands without a type.
        instruction(Op::TypeStruct, &[1, 2]),
        instruction(Op::EntryPoint, &[5, 1, 0x6d]),
        instruction(Op::Store, &[1, 2]),
        instruction(Op::Store, &[1, 2, 0x4000_0000]),
        instruction(Op::Capability, &[60_000]),
        instruction(Op::TypeFloat, &[1, 32]),
        instruction(Op::Source, &[0, 1]),
        instruction(Op(60_000), &[1]),
        instruction(Op::TypeVoid, &[1]),
    ] {
        full(&binary(&[before.clone(), vec![0, 7]]));
        full(&binary(&[before, vec![0x0009_0011, 1]]));
    }
}

#[test]
fn bounds_that_are_not_above_the_ids() {
    let bound_line = |bound: u32, id: u32| {
        let mut words = binary(&[instruction(Op::TypeVoid, &[id])]);
        words[3] = bound;
        let text = full(&words);
        text.lines()
            .find(|line| line.starts_with("; Bound"))
            .unwrap()
            .to_owned()
    };
    assert_eq!(bound_line(8, 7), "; Bound: 8");
    assert_eq!(bound_line(100, 7), "; Bound: 100");
    assert_eq!(bound_line(7, 7), "; Bound: !7");
    assert_eq!(bound_line(0, 7), "; Bound: !0");
    assert_eq!(bound_line(u32::MAX, u32::MAX), "; Bound: !4294967295");
    let empty = [0x0723_0203, 0x0001_0000, 0, 0, 0];
    assert!(full(&empty).contains("; Bound: "));
}

#[test]
fn headers_of_every_kind() {
    for header in [
        [0x0723_0203, 0x0000_0000, 0, 1, 0],
        [0x0723_0203, 0x00ff_ff00, u32::MAX, u32::MAX, u32::MAX],
        [0x0723_0203, 0x0001_0300, 0x0008_000b, 5, 7],
    ] {
        full(&header);
    }
}

#[test]
fn the_longest_instructions() {
    full(&binary(&[instruction(Op::TypeStruct, &vec![1; 65_534])]));
    full(&binary(&[instruction(Op(60_000), &vec![1; 65_534])]));
    full(&binary(&[instruction(Op::Nop, &vec![1; 65_534])]));
}

#[test]
fn a_type_within_a_function_that_comes_after_its_literal() {
    let words = binary(&[
        instruction(Op::Function, &[10, 11, 0, 12]),
        instruction(Op::Constant, &[1, 2, 5]),
        int(),
        instruction(Op::FunctionEnd, &[]),
    ]);
    let options = DisassembleOptions::default()
        .friendly_names(false)
        .lenient(true);
    for options in [options.clone(), options.nested_indentation(true)] {
        let found = disassemble(&words, &options).unwrap();
        let module = assemble(&found.text, &Default::default());
        assert_eq!(
            module.map(|module| module.words),
            Ok(words.clone()),
            "{}",
            found.text
        );
    }
}
