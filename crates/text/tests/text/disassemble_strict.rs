//! What the disassembler refuses, and what it warns of.

use crate::common;

use common::{binary, error_places, instruction, places, raw, string, text};
use spirvkit_diagnostics::{ErrorClass, Severity};
use spirvkit_grammar::Op;
use spirvkit_text::{DisassembleOptions, disassemble, disassemble_bytes};

fn import(id: u32, name: &str) -> Vec<u32> {
    instruction(Op::ExtInstImport, &[&[id], &string(name)[..]].concat())
}

#[test]
fn modules_without_a_header_are_refused_whatever_the_options() {
    let lenient = raw().lenient(true).handle_unknown_opcodes(true);
    for options in [raw(), lenient] {
        for (bytes, rule, word) in [
            (&b""[..], "binary.truncated", 0),
            (b"\x03\x02\x23\x07", "binary.truncated", 0),
            (b"OpNop\n", "binary.wrong-magic", 0),
            (
                &[
                    3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9,
                ],
                "binary.truncated",
                5,
            ),
            (
                &[
                    3, 2, 0x23, 7, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                ],
                "binary.malformed-version",
                1,
            ),
        ] {
            let errors = disassemble_bytes(bytes, &options).unwrap_err();
            assert_eq!(places(&errors), [(rule, word)]);
        }
        assert_eq!(
            error_places(&[0x0302_2307, 0, 0, 0, 0], &options),
            [("binary.wrong-magic", 0)]
        );
        assert_eq!(
            error_places(&[0x0723_0203], &options),
            [("binary.truncated", 0)]
        );
    }
}

#[test]
fn instructions_that_cannot_be_decoded_are_refused() {
    let int = || instruction(Op::TypeInt, &[1, 32, 0]);
    let cases: Vec<(&str, usize, Vec<Vec<u32>>)> = vec![
        ("unknown-opcode", 5, vec![instruction(Op(60_000), &[1])]),
        (
            "unknown-enumerant",
            6,
            vec![instruction(Op::Capability, &[60_000])],
        ),
        (
            "unknown-enumerant",
            7,
            vec![instruction(Op::Decorate, &[1, 60_000, 5])],
        ),
        (
            "unknown-bit",
            8,
            vec![instruction(Op::Store, &[1, 2, 0x4000_0001])],
        ),
        (
            "unknown-ext-inst",
            15,
            vec![
                import(1, "GLSL.std.450"),
                instruction(Op::ExtInst, &[2, 3, 1, 9999]),
            ],
        ),
        (
            "not-an-import",
            9,
            vec![instruction(Op::ExtInst, &[2, 3, 1, 31, 4])],
        ),
        (
            "unknown-spec-constant-op",
            8,
            vec![instruction(Op::SpecConstantOp, &[1, 2, 60_000])],
        ),
        (
            "missing-operand",
            7,
            vec![instruction(Op::MemoryModel, &[0])],
        ),
        ("surplus-words", 6, vec![instruction(Op::Nop, &[0])]),
        ("zero-id", 6, vec![instruction(Op::TypeVoid, &[0])]),
        ("zero-id", 7, vec![instruction(Op::Store, &[1, 0])]),
        ("zero-id", 7, vec![instruction(Op::Undef, &[1, 0])]),
        (
            "redefined",
            10,
            vec![int(), instruction(Op::TypeVoid, &[1])],
        ),
        (
            "redefined",
            11,
            vec![int(), instruction(Op::Undef, &[1, 1])],
        ),
        (
            "undefined-type",
            8,
            vec![instruction(Op::Constant, &[1, 2, 5])],
        ),
        (
            "not-a-number-type",
            10,
            vec![
                instruction(Op::TypeVoid, &[1]),
                instruction(Op::Constant, &[1, 2, 5]),
            ],
        ),
        (
            "bad-selector",
            12,
            vec![int(), instruction(Op::Switch, &[1, 2, 5, 3])],
        ),
        (
            "unterminated-string",
            7,
            vec![instruction(Op::Name, &[1, 0x6161_6161])],
        ),
        (
            "bad-utf8",
            7,
            vec![instruction(Op::Name, &[1, 0x00ff_6161])],
        ),
        ("zero-word-count", 5, vec![vec![7]]),
        ("truncated", 5, vec![vec![0x0005_0000, 1]]),
    ];
    for (rule, word, instructions) in cases {
        let words = binary(&instructions);
        assert_eq!(
            error_places(&words, &raw()),
            [(&*format!("binary.{rule}"), word)]
        );
        let errors = disassemble(&words, &raw()).unwrap_err();
        let class = match rule {
            "zero-id" | "redefined" | "undefined-type" | "not-a-number-type" | "bad-selector"
            | "not-an-import" => ErrorClass::InvalidId,
            _ => ErrorClass::InvalidBinary,
        };
        assert_eq!(errors[0].class(), class, "{rule}");
        assert_eq!(errors[0].severity(), Severity::Error);
    }
}

#[test]
fn every_such_instruction_is_reported() {
    let words = binary(&[
        instruction(Op(60_000), &[1]),
        instruction(Op::Nop, &[]),
        instruction(Op::Capability, &[]),
        instruction(Op::Capability, &[1]),
        instruction(Op::TypeVoid, &[0]),
        vec![0],
    ]);
    assert_eq!(
        error_places(&words, &raw()),
        [
            ("binary.unknown-opcode", 5),
            ("binary.missing-operand", 9),
            ("binary.zero-id", 12),
            ("binary.zero-word-count", 13),
        ]
    );
}

#[test]
fn unknown_things_can_be_written_as_unknown_instructions() {
    let options = raw().handle_unknown_opcodes(true);
    let remark = "  ; note: ID bound may be incorrect after reassembly\n";
    for (instructions, line) in [
        (
            vec![instruction(Op(60_000), &[1, 2])],
            "OpUnknown(60000, 3) 1 2",
        ),
        (vec![instruction(Op(60_000), &[])], "OpUnknown(60000, 1)"),
        (
            vec![instruction(Op::Capability, &[60_000])],
            "OpUnknown(17, 2) 60000",
        ),
        (
            vec![instruction(Op::Store, &[1, 2, 0x4000_0001])],
            "OpUnknown(62, 4) 1 2 1073741825",
        ),
    ] {
        let words = binary(&instructions);
        let found = text(&words, &options);
        assert_eq!(found, format!("{line}{remark}"));
        assert_eq!(common::body(&found), words[5..]);
    }
    let words = binary(&[
        import(1, "GLSL.std.450"),
        instruction(Op::ExtInst, &[2, 3, 1, 9999, 4]),
    ]);
    let found = text(&words, &options);
    assert!(
        found.ends_with(&format!("OpUnknown(12, 6) 2 3 1 9999 4{remark}")),
        "{found}"
    );
}

#[test]
fn other_faults_are_refused_even_so() {
    let options = raw().handle_unknown_opcodes(true);
    for (rule, words) in [
        ("binary.missing-operand", instruction(Op::Capability, &[])),
        (
            "binary.missing-operand",
            instruction(Op::Phi, &[1, 2, 3, 4, 5]),
        ),
        ("binary.zero-id", instruction(Op::TypeVoid, &[0])),
        ("binary.surplus-words", instruction(Op::Nop, &[1])),
    ] {
        assert_eq!(error_places(&binary(&[words]), &options)[0].0, rule);
    }
}

#[test]
fn instructions_of_sets_that_may_grow_have_numbers() {
    for (name, number, shown) in [
        ("Who.knows", 7, "7 %5"),
        ("NonSemantic.Nobody", 7, "7 %5"),
        ("NonSemantic.ClspvReflection.5", 9999, "9999 %5"),
        ("NonSemantic.DebugPrintf", 1, "1 %5"),
        ("GLSL.std.450", 31, "Sqrt %5"),
    ] {
        let words = binary(&[
            import(1, name),
            instruction(Op::ExtInst, &[2, 3, 1, number, 5]),
        ]);
        let found = text(&words, &raw());
        assert_eq!(
            found.lines().last().unwrap(),
            format!("%3 = OpExtInst %2 %1 {shown}"),
            "{name}"
        );
        assert_eq!(common::body(&found), words[5..]);
    }
}

#[test]
fn padding_that_text_cannot_show_is_a_warning() {
    let words = binary(&[
        instruction(Op::Name, &[1, u32::from_le_bytes(*b"a\0xy")]),
        instruction(Op::TypeInt, &[1, 16, 1]),
        instruction(Op::TypeInt, &[2, 8, 0]),
        instruction(Op::Constant, &[1, 3, 0x0000_ffff]),
        instruction(Op::Constant, &[1, 4, 0xffff_fffe]),
        instruction(Op::Constant, &[2, 5, 0x107]),
    ]);
    let found = disassemble(&words, &raw()).unwrap();
    assert_eq!(
        places(&found.warnings),
        [
            ("binary.string-padding", 7),
            ("binary.number-padding", 19),
            ("binary.number-padding", 27)
        ]
    );
    assert!(
        found
            .warnings
            .iter()
            .all(|warning| warning.severity() == Severity::Warning)
    );
    let text = "OpName %1 \"a\"\n%1 = OpTypeInt 16 1\n%2 = OpTypeInt 8 0\n%3 = OpConstant %1 -1\n";
    assert!(found.text.starts_with(text), "{}", found.text);
}

#[test]
fn a_badly_padded_number_shows_the_value_of_its_type_s_bits() {
    let words = binary(&[
        instruction(Op::TypeInt, &[1, 16, 1]),
        instruction(Op::TypeInt, &[2, 8, 0]),
        instruction(Op::Constant, &[1, 3, 0x0001_fffe]),
        instruction(Op::Constant, &[2, 4, 0x107]),
    ]);
    let found = text(&words, &raw());
    let constants: Vec<&str> = found.lines().skip(2).collect();
    assert_eq!(constants, ["%3 = OpConstant %1 -2", "%4 = OpConstant %2 7"]);
    // So that the text assembles.
    assert_eq!(common::body(&found).len(), words.len() - 5);
}

#[test]
fn strings_are_escaped_where_they_must_be() {
    for (value, shown) in [
        ("", r#""""#),
        ("plain", r#""plain""#),
        ("a\"b", r#""a\"b""#),
        ("a\\b", r#""a\\b""#),
        ("\"\\\"", r#""\"\\\"""#),
        ("tab\tnewline\né", "\"tab\tnewline\né\""),
    ] {
        let words = binary(&[instruction(Op::SourceExtension, &string(value))]);
        let found = text(&words, &raw());
        assert_eq!(found, format!("OpSourceExtension {shown}\n"));
        assert_eq!(common::body(&found), words[5..]);
    }
}

#[test]
fn masks_and_specialization_operations_have_names() {
    for (words, line) in [
        (instruction(Op::Store, &[1, 2, 0]), "OpStore %1 %2 None"),
        (
            instruction(Op::Store, &[1, 2, 0xb, 16, 3]),
            "OpStore %1 %2 Volatile|Aligned|MakePointerAvailable 16 %3",
        ),
        (
            instruction(Op::Function, &[1, 2, 5, 3]),
            "%2 = OpFunction %1 Inline|Pure %3",
        ),
        (
            instruction(Op::SpecConstantOp, &[1, 2, 81, 3, 0, 7]),
            "%2 = OpSpecConstantOp %1 CompositeExtract %3 0 7",
        ),
        (
            instruction(Op::Decorate, &[1, 6170, 0x3fc0_0000]),
            "OpDecorate %1 FPMaxErrorDecorationINTEL 1.5",
        ),
    ] {
        assert_eq!(text(&binary(&[words]), &raw()), format!("{line}\n"));
    }
}

#[test]
fn a_failure_gives_no_text_and_a_success_no_warning() {
    let words = binary(&[instruction(Op::Capability, &[1])]);
    let found = disassemble(&words, &DisassembleOptions::default()).unwrap();
    assert!(found.warnings.is_empty());
    assert!(found.text.ends_with("OpCapability Shader\n"));
}
