//! Tokens, lines, comments and strings.

use crate::common::{body, errors, instruction, string};
use spirvkit_grammar::Op;
use spirvkit_testing::words;

#[test]
fn an_empty_text_is_an_empty_module() {
    for text in ["", "\n", "   \t\r\n", "; a comment", "; one\n; two\n"] {
        assert!(body(text).is_empty(), "{text:?}");
    }
}

#[test]
fn lines_and_blanks_do_not_matter() {
    let expected = [
        instruction(Op::TypeVoid, &[1]),
        instruction(Op::TypeInt, &[2, 32, 0]),
        instruction(Op::TypeFunction, &[3, 1, 2]),
    ]
    .concat();
    for text in [
        "%1 = OpTypeVoid\n%2 = OpTypeInt 32 0\n%3 = OpTypeFunction %1 %2\n",
        "%1 = OpTypeVoid %2 = OpTypeInt 32 0 %3 = OpTypeFunction %1 %2",
        "%1=OpTypeVoid %2=OpTypeInt 32 0 %3=OpTypeFunction %1 %2",
        "%1\n=\nOpTypeVoid\n%2\n=\nOpTypeInt\n32\n0\n%3\n=\nOpTypeFunction\n%1\n%2",
        "\t%1\t= OpTypeVoid\r\n%2 =OpTypeInt\r\n\t32 0\r\n%3= OpTypeFunction %1 %2\r\n",
        "%1 = OpTypeVoid;x\n%2;x\n=;x\nOpTypeInt;x\n32 ; 64\n0;\n%3 = OpTypeFunction %1 %2;",
        "%1 ; = OpTypeBool\n= OpTypeVoid ; \"\n%2 = OpTypeInt 32 0 %3 = OpTypeFunction %1 %2 ; %9",
        "\u{b}%1\u{c}= OpTypeVoid %2 = OpTypeInt 32 0 %3 = OpTypeFunction %1 %2",
    ] {
        assert_eq!(body(text), expected, "{text:?}");
    }
}

#[test]
fn a_semicolon_in_a_string_starts_no_comment() {
    assert_eq!(
        body("OpName %1 \"a;b\" ; \"c\"\nOpNop"),
        [
            instruction(Op::Name, &[&[1], &string("a;b")[..]].concat()),
            instruction(Op::Nop, &[])
        ]
        .concat()
    );
}

#[test]
fn strings_take_escapes_newlines_and_unicode() {
    let cases = [
        (r#""""#, ""),
        (r#""abc""#, "abc"),
        (r#""abcd""#, "abcd"),
        (r#""a \"b\" c""#, "a \"b\" c"),
        (r#""a\\""#, "a\\"),
        (r#""\\\"""#, "\\\""),
        // Before any other character the backslash is dropped.
        (r#""\n\t\x41\é""#, "ntx41é"),
        ("\"line\nnext\r\n\tlast\"", "line\nnext\r\n\tlast"),
        ("\"a\\\nb\"", "a\nb"),
        ("\"ÄÖÜ ☃ 😀\"", "ÄÖÜ ☃ 😀"),
        ("\"%1 = OpNop ; x\"", "%1 = OpNop ; x"),
    ];
    for (literal, value) in cases {
        let expected = instruction(Op::SourceExtension, &string(value));
        assert_eq!(
            body(&format!("OpSourceExtension {literal}")),
            expected,
            "{literal}"
        );
    }
}

#[test]
fn strings_that_do_not_end_are_reported_where_they_start() {
    for text in [
        "OpName %1 \"abc\nOpNop\n",
        "OpName %1 \"abc\\\"",
        "OpName %1 \"",
        "OpName %1 \"\\",
    ] {
        assert_eq!(errors(text), [("text.open-string", "\"")], "{text:?}");
    }
}

#[test]
fn strings_hold_no_nul() {
    assert_eq!(
        errors("OpName %1 \"a\0b\""),
        [("text.nul-in-string", "\"a\0b\"")]
    );
    assert_eq!(
        errors("OpName %1 \"\\\0\""),
        [("text.nul-in-string", "\"\\\0\"")]
    );
}

#[test]
fn a_quote_within_a_word_starts_no_string() {
    assert_eq!(
        errors("OpSource Unknown 1 %5\"x\""),
        [("text.bad-id", "%5\"x\"")]
    );
}

#[test]
fn ids_are_letters_digits_and_underscores() {
    for name in ["a", "_", "A_1", "1a", "0", "01", "_0", "OpNop"] {
        assert_eq!(
            body(&format!("%{name} = OpTypeVoid")),
            [0x0002_0013, 1],
            "{name}"
        );
    }
    for id in ["%", "%-1", "%a.b", "%a-b", "%é", "%a%b", "%$", "%!1"] {
        let text = format!("OpReturnValue {id}");
        assert_eq!(errors(&text), [("text.bad-id", id)], "{id}");
        let text = format!("{id} = OpTypeVoid");
        assert_eq!(errors(&text)[0], ("text.bad-id", id), "{id}");
    }
}

#[test]
fn numbers_that_are_no_id_numbers_are_names() {
    // 0 and numbers beyond 32 bits can't be ids, so they are names like any other.
    let text = "%0 = OpTypeVoid %4294967296 = OpTypeBool %007 = OpTypeEvent";
    assert_eq!(body(text), [0x0002_0013, 1, 0x0002_0014, 2, 0x0002_0022, 3]);
}

#[test]
fn a_byte_order_mark_counts_for_nothing_at_the_start_only() {
    assert_eq!(body("\u{feff}OpNop"), [0x0001_0000]);
    assert_eq!(words("\u{feff}; Version: 1.2\nOpNop")[1], 0x0001_0200);
    assert_eq!(words("\u{feff}%a = OpTypeVoid\n%1 = OpTypeBool")[6], 2);
    let found = errors("OpNop\n\u{feff}OpNop");
    assert_eq!(found, [("text.surplus-operand", "\u{feff}OpNop")]);
    let found = errors("\u{feff}OpFoo");
    assert_eq!(found, [("text.unknown-opcode", "OpFoo")]);
}

#[test]
fn opcode_names_and_aliases_mean_the_same() {
    assert_eq!(
        body("OpDecorateStringGOOGLE %1 UserSemantic \"x\""),
        body("OpDecorateString %1 UserSemantic \"x\"")
    );
}

#[test]
fn a_word_that_looks_like_an_opcode_ends_the_instruction() {
    // `Op` and a capital is an opcode, even an unknown one; `Opaque` is not.
    assert_eq!(
        errors("%1 = OpTypeStruct OpXyzzy"),
        [("text.unknown-opcode", "OpXyzzy")]
    );
    assert_eq!(errors("OpName OpNop"), [("text.missing-operand", "")]);
    assert_eq!(
        errors("OpCapability Opaque"),
        [("text.unknown-enumerant", "Opaque")]
    );
}

#[test]
fn bytes_of_any_kind_do_no_harm() {
    for text in [
        "=",
        "= =",
        "(",
        "OpNop )",
        ",",
        "!",
        "%",
        "\"",
        "\\",
        "\u{0}",
        "\u{1}OpNop",
        "€ = OpNop",
    ] {
        assert!(!errors(text).is_empty(), "{text:?}");
    }
}
