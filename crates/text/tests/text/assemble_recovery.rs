//! All errors of a text are reported in its order, none because of another, and
//! with advice where there is some.

use crate::common;

use common::errors;
use spirvkit_text::{AssembleOptions, assemble};

fn help(text: &str) -> Option<String> {
    let errors = assemble(text, &AssembleOptions::default()).expect_err(text);
    errors[0].help().map(str::to_owned)
}

#[test]
fn all_errors_are_reported_in_order() {
    let text = "\
OpCapability Shadr
OpMemoryModel Logical
%void = OpTypeVoid 7
%x = OpFoo %void
OpReturnValue 3
OpName %void main
OpCapability !x
%void = OpTypeBool
OpNop
= 5
";
    assert_eq!(
        errors(text),
        [
            ("text.unknown-enumerant", "Shadr"),
            ("text.missing-operand", ""),
            ("text.surplus-operand", "7"),
            ("text.unknown-opcode", "OpFoo"),
            ("text.expected-id", "3"),
            ("text.expected-string", "main"),
            ("text.bad-immediate", "!x"),
            ("text.redefinition", "%void"),
            ("text.stray-equals", "="),
        ]
    );
}

#[test]
fn errors_are_in_the_order_of_their_places() {
    let text = "OpFoo\nOpBar\n%1 = OpTypeInt x y\nOpCapability 7\nOpBaz";
    let errors = assemble(text, &AssembleOptions::default()).unwrap_err();
    let places: Vec<usize> = errors
        .iter()
        .map(|error| common::part(text, error).as_ptr() as usize)
        .collect();
    assert_eq!(places.len(), 5);
    assert!(places.is_sorted());
}

#[test]
fn an_instruction_has_one_error() {
    for text in [
        "OpFoo 1 2 3",
        "%1 = OpTypeInt x y z",
        "OpStore 1 2 Foo|Bar",
        "OpCapability !x !y Shader",
        "7 8 9",
    ] {
        assert_eq!(errors(text).len(), 1, "{text}");
    }
}

#[test]
fn a_lost_type_s_literals_are_not_reported() {
    for literal in ["1", "-1", "0xffffffffffffffff"] {
        let text = format!("%int = OpTypeInt x 0 %c = OpConstant %int {literal} OpNop");
        assert_eq!(errors(&text), [("text.bad-number", "x")], "{literal}");
    }
}

#[test]
fn a_lost_type_s_literals_are_not_reported_whatever_they_are() {
    for literal in ["1.5", "-1e3", "0x1p+0", "18446744073709551615"] {
        let text = format!("%float = OpTypeFloat x %c = OpConstant %float {literal} OpNop");
        assert_eq!(errors(&text), [("text.bad-number", "x")], "{literal}");
    }
}

#[test]
fn a_lost_selector_s_literals_are_not_reported() {
    let text = "%int = OpTypeInt x 0 %s = OpUndef %int OpSwitch %s %d 1 %l -1 %m";
    assert_eq!(errors(text), [("text.bad-number", "x")]);
    let text = "%int = OpTypeInt 32 0 %s = OpUndef 7 OpSwitch %s %d 1 %l";
    assert_eq!(errors(text), [("text.expected-id", "7")]);
}

#[test]
fn a_lost_import_s_instructions_are_not_reported() {
    let text = "%ext = OpExtInstImport GLSL %x = OpExtInst %t %ext 31 %y";
    assert_eq!(errors(text), [("text.expected-string", "GLSL")]);
}

#[test]
fn a_lost_import_s_instructions_are_not_reported_by_name_either() {
    let text = "%ext = OpExtInstImport GLSL %x = OpExtInst %t %ext Sqrt %y";
    assert_eq!(errors(text), [("text.expected-string", "GLSL")]);
}

#[test]
fn a_result_may_be_defined_again_after_its_instruction_failed() {
    let text = "%1 = OpTypeInt x 0 %1 = OpTypeInt 32 0";
    assert_eq!(errors(text), [("text.bad-number", "x")]);
}

#[test]
fn an_error_does_not_disturb_the_next_instructions() {
    let text = "OpFoo %1 = OpTypeInt 32 0 %2 = OpConstant %1 -5 OpBar";
    assert_eq!(
        errors(text),
        [
            ("text.unknown-opcode", "OpFoo"),
            ("text.negative-number", "-5"),
            ("text.unknown-opcode", "OpBar")
        ]
    );
}

#[test]
fn the_number_of_errors_can_be_limited() {
    let text = "OpFoo\n".repeat(2000);
    let count = |options: &AssembleOptions| assemble(&text, options).unwrap_err().len();
    // One more says that the rest was not looked at.
    assert_eq!(count(&AssembleOptions::default()), 1001);
    assert_eq!(count(&AssembleOptions::default().max_errors(3)), 4);
    assert_eq!(count(&AssembleOptions::default().max_errors(2000)), 2000);
    assert_eq!(count(&AssembleOptions::default().max_errors(0)), 2000);
    let errors = assemble(&text, &AssembleOptions::default().max_errors(1)).unwrap_err();
    assert_eq!(errors[1].rule(), "text.too-many-errors");
}

#[test]
fn not_every_error_of_very_many_has_a_suggestion() {
    let text = "OpTypeviod\n".repeat(2000);
    let errors = assemble(&text, &AssembleOptions::default().max_errors(0)).unwrap_err();
    let has_help: Vec<bool> = errors.iter().map(|error| error.help().is_some()).collect();
    assert_eq!(has_help, [[true; 1000], [false; 1000]].concat());
}

#[test]
fn misspelt_names_have_suggestions() {
    for (text, name) in [
        ("OpCapability Shadr", "Shader"),
        ("OpCapability shader", "Shader"),
        ("OpCapabilty Shader", "OpCapability"),
        ("OpTypeviod", "OpTypeVoid"),
        ("%1 = OpTypeVoidd", "OpTypeVoid"),
        ("OpStore %1 %2 Volatil", "Volatile"),
        ("OpDecorate %1 Locaiton 3", "Location"),
        ("%1 = OpSpecConstantOp %2 IAdddd %3 %4", "IAdd"),
        (
            "%1 = OpExtInstImport \"GLSL.std.450\" %2 = OpExtInst %3 %1 Sqr %4",
            "Sqrt",
        ),
        (
            "%1 = OpExtInstImport \"OpenCL.std\" %2 = OpExtInst %3 %1 Sqrt %4",
            "sqrt",
        ),
    ] {
        assert_eq!(
            help(text),
            Some(format!("did you mean `{name}`?")),
            "{text}"
        );
    }
}

#[test]
fn names_of_another_enumeration_say_so() {
    let help = help("OpCapability GLSL450").unwrap();
    assert_eq!(help, "`GLSL450` is a memory model");
}

#[test]
fn names_like_no_other_have_no_suggestion() {
    for text in [
        "OpXyzzyxyzzy",
        "OpCapability 12345",
        "%1 = OpSpecConstantOp %2 Qqqqqqqq",
    ] {
        assert_eq!(help(text), None, "{text}");
    }
    // Nor have names too long to compare.
    assert_eq!(
        help(&format!("OpCapability {}", "Shader".repeat(1000))),
        None
    );
}

#[test]
fn a_missing_equals_sign_is_one_error() {
    assert_eq!(errors("%1 OpTypeVoid"), [("text.expected-equals", "%1")]);
}
