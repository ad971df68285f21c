//! `!` words in place of any token, and `OpUnknown`.

use crate::common::{body, errors, instruction, string};
use spirvkit_grammar::Op;

#[test]
fn the_sample_of_the_language_s_description() {
    let text = "!262187 %1 %2 \"abc\" !327739 %1 %3 6 %2";
    let abc = u32::from_le_bytes(*b"abc\0");
    assert_eq!(
        body(text),
        [0x0004_002b, 1, 2, abc, 0x0005_003b, 1, 3, 6, 2]
    );
}

#[test]
fn any_operand_may_be_a_word() {
    let cases: [(&str, Op, &[u32]); 11] = [
        ("OpCapability !0x0000FF00", Op::Capability, &[0xff00]),
        (
            "OpExecutionMode %2 !17 11 22 33",
            Op::ExecutionMode,
            &[2, 17, 11, 22, 33],
        ),
        (
            "OpExecutionMode %2 LocalSize !1 22 33",
            Op::ExecutionMode,
            &[2, 17, 1, 22, 33],
        ),
        ("OpExecutionMode !2 !17", Op::ExecutionMode, &[2, 17]),
        ("OpDecorate %1 BuiltIn !5", Op::Decorate, &[1, 11, 5]),
        ("OpStore %1 %2 !2 4", Op::Store, &[1, 2, 2, 4]),
        ("OpStore %1 %2 Aligned !4", Op::Store, &[1, 2, 2, 4]),
        ("OpName %1 !0x61", Op::Name, &[1, 0x61]),
        ("%1 = OpTypeStruct !7 %2", Op::TypeStruct, &[1, 7, 2]),
        ("%1 = OpPhi %2 %3 !4 %5", Op::Phi, &[2, 1, 3, 4, 5]),
        ("OpSwitch %1 %2 !3 %4", Op::Switch, &[1, 2, 3, 4]),
    ];
    for (text, op, operands) in cases {
        assert_eq!(body(text), instruction(op, operands), "{text}");
    }
}

#[test]
fn the_result_keeps_its_place_behind_a_raw_type() {
    let expected = [0x0004_002b, 1, 4, 123];
    assert_eq!(body("%4 = OpConstant !1 123"), expected);
    assert_eq!(body("%4 = OpTypeInt !32 0"), [0x0004_0015, 4, 32, 0]);
    assert_eq!(
        body("%4 = OpFunction !1 !0 %2"),
        instruction(Op::Function, &[1, 4, 0, 2])
    );
}

#[test]
fn after_a_word_operands_are_read_without_knowing_their_type() {
    let cases = [
        ("123", vec![123]),
        ("0xff", vec![0xff]),
        ("0xe1", vec![0xe1]),
        ("017", vec![15]),
        ("4294967295", vec![u32::MAX]),
        ("-1", vec![u32::MAX]),
        ("-2147483648", vec![0x8000_0000]),
        ("1.5", vec![0x3fc0_0000]),
        ("-1.5", vec![0xbfc0_0000]),
        ("1e3", vec![0x447a_0000]),
        ("0x1p+128", vec![0x7f80_0000]),
        ("\"\"", vec![0]),
        ("\"abcd\"", vec![u32::from_le_bytes(*b"abcd"), 0]),
        ("\"a\\\"\"", vec![u32::from_le_bytes(*b"a\"\0\0")]),
        ("%7", vec![7]),
        ("%7 %8", vec![7, 8]),
        ("!9 !0x10 !011", vec![9, 16, 9]),
        ("", vec![]),
    ];
    for (operands, words) in cases {
        let text = format!("OpNoLine OpCapability !1 {operands} OpNoLine");
        let expected = [
            instruction(Op::NoLine, &[]),
            instruction(Op::Capability, &[&[1], &words[..]].concat()),
            instruction(Op::NoLine, &[]),
        ];
        assert_eq!(body(&text), expected.concat(), "{text}");
        // The same where the opcode is a word, which then has to be right.
        let text = format!("!0x00010008 {operands} %50 = OpTypeVoid");
        let expected = [&[0x0001_0008], &words[..], &[0x0002_0013, 50]].concat();
        assert_eq!(body(&text), expected, "{text}");
    }
}

#[test]
fn after_a_word_some_operands_are_errors() {
    for operand in [
        "Shader",
        "DontInline|Pure",
        "4294967296",
        "5000000000",
        "-2147483649",
        "1e40",
        "1.0f",
        "(",
        "0x",
    ] {
        let text = format!("OpCapability !1 {operand}");
        assert_eq!(
            errors(&text),
            [("text.bad-raw-operand", operand)],
            "{operand}"
        );
        let text = format!("!131089 {operand}");
        assert_eq!(
            errors(&text),
            [("text.bad-raw-operand", operand)],
            "{operand}"
        );
    }
    assert_eq!(errors("!131089 = OpNop"), [("text.stray-equals", "=")]);
    assert_eq!(errors("OpCapability !1 = 5"), [("text.stray-equals", "=")]);
    assert_eq!(errors("!131089 \"x"), [("text.open-string", "\"")]);
}

#[test]
fn words_are_unsigned_integers_of_32_bits() {
    for (word, value) in [
        ("!0", 0),
        ("!4294967295", u32::MAX),
        ("!0xFFFFFFFF", u32::MAX),
        ("!0X1f", 31),
        ("!017", 15),
    ] {
        assert_eq!(body(word), [value], "{word}");
    }
    for word in [
        "!",
        "!x",
        "!-1",
        "!4294967296",
        "!5000000000",
        "!1.5",
        "!08",
        "!!1",
        "!%1",
    ] {
        assert_eq!(errors(word), [("text.bad-immediate", word)], "{word}");
        assert_eq!(
            errors(&format!("OpCapability {word}")),
            [("text.bad-immediate", word)],
            "{word}"
        );
    }
}

#[test]
fn the_result_and_its_opcode_can_be_no_word() {
    assert_eq!(
        errors("%4 = !262187 %1 123"),
        [("text.expected-opcode", "!262187")]
    );
    assert_eq!(
        errors("!4 = OpConstant %1 123")[0],
        ("text.stray-equals", "=")
    );
}

#[test]
fn later_literals_depend_on_the_words_that_were_written() {
    // A raw width, and a raw instruction, make a 64-bit type.
    for ty in [
        "%1 = OpTypeInt !64 0",
        "!0x00040015 %1 64 0",
        "!0x00040015 !1 !64 !0",
        "OpUnknown(21, 4) 1 64 0",
    ] {
        let text = format!("{ty} %2 = OpConstant %1 5");
        assert_eq!(
            body(&text),
            [0x0004_0015, 1, 64, 0, 0x0005_002b, 1, 2, 5, 0],
            "{ty}"
        );
    }
    // Two instructions in one run of words.
    let text =
        "!0x00030016 !1 !64 !0x00040015 !2 !16 !1 %3 = OpConstant %2 -1 %4 = OpConstant %1 1";
    assert_eq!(
        body(text)[7..],
        [
            0x0004_002b,
            2,
            3,
            u32::MAX,
            0x0005_002b,
            1,
            4,
            0,
            0x3ff0_0000
        ]
    );
}

#[test]
fn raw_words_that_are_no_instruction_do_no_harm() {
    assert_eq!(
        body("!0 !1 !0xffff0000 %1 = OpTypeVoid"),
        [0, 1, 0xffff_0000, 0x0002_0013, 1]
    );
}

#[test]
fn unknown_instructions_are_written_with_their_opcode_and_count() {
    let cases = [
        ("OpUnknown(65535, 1)", vec![0x0001_ffff]),
        ("OpUnknown(65535, 3) 1 %2", vec![0x0003_ffff, 1, 2]),
        ("OpUnknown ( 0xffff ,\n 02 ) !7", vec![0x0002_ffff, 7]),
        ("OpUnknown(0,2)-1", vec![0x0002_0000, u32::MAX]),
        (
            "OpUnknown(5, 3) 1 \"abc\"",
            vec![0x0003_0005, 1, u32::from_le_bytes(*b"abc\0")],
        ),
        (
            "OpUnknown(1, 2) 1.5 OpNop",
            vec![0x0002_0001, 0x3fc0_0000, 0x0001_0000],
        ),
    ];
    for (text, words) in cases {
        assert_eq!(body(text), words, "{text}");
    }
}

#[test]
fn what_follows_an_unknown_instruction_s_words_belongs_to_the_next() {
    assert_eq!(body("OpUnknown(65535, 2) 1 !7 8"), [0x0002_ffff, 1, 7, 8]);
    assert_eq!(
        errors("OpUnknown(65535, 2) 1 2"),
        [("text.surplus-operand", "2")]
    );
}

#[test]
fn an_unknown_instruction_of_full_length() {
    let text = format!("OpUnknown(65535, 65535) {}", "1 ".repeat(65_534));
    assert_eq!(body(&text).len(), 65_535);
    assert_eq!(string("x").len(), 1);
}
