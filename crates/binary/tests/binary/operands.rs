//! Decoding operands whose form depends on other operands or instructions.

use crate::common;

use common::{decode, instruction, string};
use spirvkit_binary::{Instruction, WordOffset};
use spirvkit_grammar::{ExtInstSet, Op, OperandKind};

fn import(id: u32, name: &str) -> Vec<u32> {
    instruction(Op::ExtInstImport, &[&[id][..], &string(name)].concat())
}

#[test]
fn constants_take_the_words_of_their_type() {
    let types = [
        instruction(Op::TypeInt, &[1, 8, 1]),
        instruction(Op::TypeInt, &[2, 16, 0]),
        instruction(Op::TypeInt, &[3, 32, 0]),
        instruction(Op::TypeInt, &[4, 64, 1]),
        instruction(Op::TypeInt, &[5, 33, 0]),
        instruction(Op::TypeFloat, &[6, 16]),
        instruction(Op::TypeFloat, &[7, 32]),
        instruction(Op::TypeFloat, &[8, 64]),
        instruction(Op::TypeFloat, &[9, 4, 6]),
    ];
    let cases: [(u32, &[u32], &str); 8] = [
        (1, &[0xffff_ff80], "8-bit 0xffffff80"),
        (2, &[0xffff], "16-bit 0xffff"),
        (3, &[0xffff_ffff], "32-bit 0xffffffff"),
        (4, &[0x89ab_cdef, 0x0123_4567], "64-bit 0x123456789abcdef"),
        (5, &[1, 1], "33-bit 0x100000001"),
        (6, &[0x3c00], "16-bit 0x3c00"),
        (7, &[0x3f80_0000], "32-bit 0x3f800000"),
        (8, &[0, 0x3ff0_0000], "64-bit 0x3ff0000000000000"),
    ];
    for (ty, literal, shown) in cases {
        for op in [Op::Constant, Op::SpecConstant] {
            let operands = [&[ty, 50], literal].concat();
            let expected = vec![format!("%{ty}"), "%50".to_owned(), shown.to_owned()];
            assert_eq!(decode(&types, op, &operands), Ok(expected), "{op} {shown}");
        }
    }
}

#[test]
fn switches_take_the_words_of_their_selector_type() {
    for (width, literals, shown) in [
        (
            16,
            vec![0xffff_ffff, 7],
            ["16-bit 0xffffffff", "16-bit 0x7"],
        ),
        (32, vec![5, 6], ["32-bit 0x5", "32-bit 0x6"]),
        (
            64,
            vec![1, 2, 3, 4],
            ["64-bit 0x200000001", "64-bit 0x400000003"],
        ),
    ] {
        let before = [
            instruction(Op::TypeInt, &[1, width, 1]),
            instruction(Op::Undef, &[1, 2]),
        ];
        let words = literals.len() / 2;
        let operands = [
            &[2, 10][..],
            &literals[..words],
            &[11],
            &literals[words..],
            &[12],
        ]
        .concat();
        let found = decode(&before, Op::Switch, &operands).unwrap();
        assert_eq!(found, ["%2", "%10", shown[0], "%11", shown[1], "%12"]);
    }
}

#[test]
fn a_switch_without_cases_needs_no_selector_type() {
    assert_eq!(decode(&[], Op::Switch, &[2, 10]).unwrap(), ["%2", "%10"]);
}

#[test]
fn operands_know_their_kind_and_place() {
    let before = [
        instruction(Op::TypeInt, &[1, 64, 0]),
        instruction(Op::Undef, &[1, 2]),
    ];
    let words = instruction(Op::Switch, &[2, 10, 1, 0, 11, 2, 0, 12]);
    let switch = Instruction::from_words(&words, WordOffset(5)).unwrap();
    let definitions = common::definitions(&before);
    let places: Vec<_> = switch
        .operands(&definitions)
        .map(Result::unwrap)
        .map(|operand| (operand.kind, operand.word, operand.word_count()))
        .collect();
    use OperandKind::{IdRef, LiteralInteger};
    assert_eq!(
        places,
        [
            (IdRef, 1, 1),
            (IdRef, 2, 1),
            (LiteralInteger, 3, 2),
            (IdRef, 5, 1),
            (LiteralInteger, 6, 2),
            (IdRef, 8, 1),
        ]
    );
}

#[test]
fn specialization_operations_take_the_operands_of_their_instruction() {
    let cases: [(Op, &[u32], &[&str]); 4] = [
        (Op::IAdd, &[3, 4], &["%3", "%4"]),
        (Op::CompositeExtract, &[3, 0, 7], &["%3", "0", "7"]),
        (Op::CompositeInsert, &[3, 4, 1], &["%3", "%4", "1"]),
        (
            Op::VectorShuffle,
            &[3, 4, 0, 0xffff_ffff],
            &["%3", "%4", "0", "4294967295"],
        ),
    ];
    for (op, operands, shown) in cases {
        let words = [&[1, 2, u32::from(op.0)], operands].concat();
        let found = decode(&[], Op::SpecConstantOp, &words).unwrap();
        assert_eq!(found[..3], ["%1", "%2", op.name().unwrap()]);
        assert_eq!(found[3..], *shown, "{op}");
    }
    let unknown = decode(&[], Op::SpecConstantOp, &[1, 2, 60_000, 5, 6]).unwrap();
    assert_eq!(unknown, ["%1", "%2", "Op(60000)", "opaque 5", "opaque 6"]);
    let no_opcode = decode(&[], Op::SpecConstantOp, &[1, 2, 0x1_0080, 5]).unwrap();
    assert_eq!(no_opcode, ["%1", "%2", "opaque 65664", "opaque 5"]);
}

#[test]
fn extended_instructions_take_the_operands_of_their_set() {
    let before = [
        import(1, "GLSL.std.450"),
        import(2, "DebugInfo"),
        import(3, "NonSemantic.Shader.DebugInfo.100"),
        import(4, "Unknown.Set"),
    ];
    let cases: [(&[u32], &[&str]); 6] = [
        (&[1, 31, 20], &["%1", "Sqrt", "%20"]),
        (&[1, 46, 20, 21, 22], &["%1", "FMix", "%20", "%21", "%22"]),
        // Literals among the ids: DebugTypeBasic has an encoding.
        (
            &[2, 2, 20, 21, 4],
            &["%2", "DebugTypeBasic", "%20", "%21", "Float"],
        ),
        // An unknown number, and an unknown set: ids.
        (&[1, 9999, 20, 21], &["%1", "ext inst 9999", "%20", "%21"]),
        (&[4, 7, 20, 21], &["%4", "ext inst 7", "%20", "%21"]),
        // A newer version of a non-semantic set may have more operands.
        (&[3, 0, 20, 21], &["%3", "DebugInfoNone", "%20", "%21"]),
    ];
    for (operands, shown) in cases {
        let words = [&[60, 61], operands].concat();
        let found = decode(&before, Op::ExtInst, &words).unwrap();
        assert_eq!(found[..2], ["%60", "%61"]);
        assert_eq!(found[2..], *shown);
    }
    assert_eq!(
        ExtInstSet::GlslStd450.instruction(31).unwrap().name(),
        "Sqrt"
    );
}

#[test]
fn mask_parameters_follow_from_the_lowest_bit_up() {
    let cases: [(Op, &[u32], &[&str]); 6] = [
        // DependencyLength 0x8, MinIterations 0x10, PartialCount 0x100; Unroll has none.
        (
            Op::LoopMerge,
            &[1, 2, 0x119, 30, 31, 32],
            &["%1", "%2", "mask 0x119", "30", "31", "32"],
        ),
        (Op::LoopMerge, &[1, 2, 0], &["%1", "%2", "mask 0x0"]),
        // Bias 0x1: one id; Grad 0x4: two; MakeTexelAvailable 0x100: a scope.
        (
            Op::ImageSampleImplicitLod,
            &[1, 2, 3, 4, 0x105, 40, 41, 42, 43],
            &[
                "%1",
                "%2",
                "%3",
                "%4",
                "mask 0x105",
                "%40",
                "%41",
                "%42",
                "%43",
            ],
        ),
        // Aligned 0x2: a literal; MakePointerAvailable 0x8: a scope.
        (
            Op::Store,
            &[1, 2, 0xb, 16, 40],
            &["%1", "%2", "mask 0xb", "16", "%40"],
        ),
        // Two masks, each followed by its own parameters.
        (
            Op::CopyMemory,
            &[1, 2, 0x2, 4, 0x2, 8],
            &["%1", "%2", "mask 0x2", "4", "mask 0x2", "8"],
        ),
        (Op::Function, &[1, 2, 0, 3], &["%1", "%2", "mask 0x0", "%3"]),
    ];
    for (op, operands, shown) in cases {
        assert_eq!(decode(&[], op, operands).unwrap(), shown, "{op}");
    }
}

#[test]
fn enumerants_are_followed_by_their_parameters() {
    let linkage = [&[1, 41][..], &string("f"), &[1]].concat();
    let cases: [(Op, &[u32], &[&str]); 5] = [
        (Op::Decorate, &[1, 30, 3], &["%1", "Location", "3"]),
        (Op::Decorate, &[1, 11, 0], &["%1", "BuiltIn", "Position"]),
        (
            Op::Decorate,
            &linkage,
            &["%1", "LinkageAttributes", "\"f\"", "Import"],
        ),
        (
            Op::ExecutionMode,
            &[1, 17, 8, 4, 1],
            &["%1", "LocalSize", "8", "4", "1"],
        ),
        (
            Op::MemberDecorate,
            &[1, 2, 35, 16],
            &["%1", "2", "Offset", "16"],
        ),
    ];
    for (op, operands, shown) in cases {
        assert_eq!(decode(&[], op, operands).unwrap(), shown, "{op}");
    }
}

#[test]
fn words_after_an_unknown_value_are_opaque() {
    let cases: [(Op, &[u32], &[&str]); 5] = [
        (
            Op::Decorate,
            &[1, 60_000, 3, 4],
            &["%1", "unknown 60000", "opaque 3", "opaque 4"],
        ),
        (Op::ExecutionMode, &[1, 60_000], &["%1", "unknown 60000"]),
        (
            Op::Variable,
            &[1, 2, 60_000, 9],
            &["%1", "%2", "unknown 60000", "opaque 9"],
        ),
        // The parameters of lower, known bits are still read.
        (
            Op::Store,
            &[1, 2, 0x4000_0002, 16, 7],
            &["%1", "%2", "mask 0x40000002", "16", "opaque 7"],
        ),
        (
            Op::TypeImage,
            &[1, 2, 99, 0, 0, 0, 1, 0],
            &[
                "%1",
                "%2",
                "unknown 99",
                "opaque 0",
                "opaque 0",
                "opaque 0",
                "opaque 1",
                "opaque 0",
            ],
        ),
    ];
    for (op, operands, shown) in cases {
        assert_eq!(decode(&[], op, operands).unwrap(), shown, "{op}");
    }
}

#[test]
fn optional_and_repeated_operands_may_be_absent() {
    let cases: [(Op, &[u32], &[&str]); 8] = [
        (Op::Source, &[2, 450], &["GLSL", "450"]),
        (Op::Source, &[2, 450, 9], &["GLSL", "450", "%9"]),
        (
            Op::Source,
            &[2, 450, 9, 0x61],
            &["GLSL", "450", "%9", "\"a\""],
        ),
        (Op::TypeStruct, &[1], &["%1"]),
        (Op::TypeStruct, &[1, 2, 3], &["%1", "%2", "%3"]),
        (
            Op::Phi,
            &[1, 2, 3, 4, 5, 6],
            &["%1", "%2", "%3", "%4", "%5", "%6"],
        ),
        (Op::Phi, &[1, 2], &["%1", "%2"]),
        (
            Op::GroupMemberDecorate,
            &[1, 2, 0, 3, 1],
            &["%1", "%2", "0", "%3", "1"],
        ),
    ];
    for (op, operands, shown) in cases {
        assert_eq!(decode(&[], op, operands).unwrap(), shown, "{op}");
    }
}

#[test]
fn a_float_literal_is_a_word_of_its_own_kind() {
    // FPMaxErrorDecorationINTEL has a LiteralFloat.
    let found = decode(&[], Op::Decorate, &[1, 6170, 0x3f80_0000]).unwrap();
    assert_eq!(
        found,
        ["%1", "FPMaxErrorDecorationINTEL", "float 0x3f800000"]
    );
}

#[test]
fn an_unknown_opcode_has_opaque_operands() {
    assert_eq!(
        decode(&[], Op(60_000), &[1, 2]).unwrap(),
        ["opaque 1", "opaque 2"]
    );
}
