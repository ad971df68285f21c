//! Each thing that can be wrong with a text: the rule it breaks, and exactly
//! where. `«` and `»` mark the place.

use crate::common;

use spirvkit_diagnostics::{ErrorClass, Location, Span};
use spirvkit_text::{AssembleOptions, assemble};

/// Takes the marks out of a text.
fn unmark(marked: &str) -> (String, Span) {
    let start = marked.find('«').expect("a mark");
    let text = marked.replacen('«', "", 1);
    let end = text.find('»').expect("a second mark");
    (text.replacen('»', "", 1), Span { start, end })
}

/// Checks that a text has one error, by this rule, at the mark.
fn check(rule: &str, class: ErrorClass, marked: &str) {
    let (text, span) = unmark(marked);
    let errors = assemble(&text, &AssembleOptions::default()).expect_err(marked);
    let found: Vec<_> = errors
        .iter()
        .map(|error| (error.rule(), error.location()))
        .collect();
    assert_eq!(found, [(rule, Location::Span(span))], "{marked}");
    assert_eq!(errors[0].class(), class, "{marked}");
    assert!(!errors[0].message().is_empty(), "{marked}");
}

#[test]
fn faults_of_syntax() {
    for (rule, marked) in [
        ("expected-instruction", "«Foo» %1"),
        ("expected-instruction", "«7»"),
        ("expected-instruction", "«\"a b\"» 7"),
        ("expected-instruction", "«(»"),
        ("surplus-operand", "OpNop «%1»"),
        ("surplus-operand", "%1 = OpTypeVoid\n  «7» 8 9\nOpNop"),
        ("surplus-operand", "OpStore %1 %2 Aligned 4 «5»"),
        // A mask is one token.
        ("surplus-operand", "OpStore %1 %2 Volatile «|» Aligned 4"),
        ("expected-opcode", "%1 = «foo»"),
        ("expected-opcode", "%1 = «%2»"),
        ("expected-opcode", "%1 = «»"),
        ("expected-opcode", "%1 = «!5» 7"),
        ("expected-opcode", "%1 = «%2» = OpTypeVoid"),
        ("expected-equals", "«%1» OpNop"),
        ("expected-equals", "«%1»"),
        ("stray-equals", "«=» 5"),
        ("stray-equals", "OpNop «=»"),
        ("missing-result", "«OpTypeVoid»"),
        ("missing-result", "OpNop «OpTypeInt» 32 0"),
        ("unwanted-result", "«%1» = OpNop"),
        ("unwanted-result", "«%1» = OpName %2 \"x\""),
        ("unwanted-result", "«%1» = OpUnknown(1, 1)"),
        ("bad-id", "OpReturnValue «%a.b»"),
        ("bad-id", "OpNop «%»"),
        ("missing-operand", "OpCapability«»"),
        ("missing-operand", "OpCapability«»  \n\n  OpNop"),
        ("missing-operand", "OpMemoryModel Logical«»\nOpNop"),
        ("missing-operand", "%1 = OpTypeInt 32«»"),
        ("missing-operand", "OpExecutionMode %1 LocalSize 8 4«»"),
        ("missing-operand", "OpStore %1 %2 Aligned«»"),
        ("expected-id", "OpReturnValue «7»"),
        ("expected-id", "%1 = OpTypeVector «float» 4"),
        ("expected-id", "OpReturnValue «\"x\"»"),
        ("open-string", "OpName %1 «\"»abc\nOpNop"),
        ("nul-in-string", "OpName %1 «\"a\0\"»"),
        ("expected-string", "OpName %1 «main»"),
        ("expected-string", "OpName %1 «%2»"),
    ] {
        check(&format!("text.{rule}"), ErrorClass::InvalidText, marked);
    }
}

#[test]
fn faults_of_numbers() {
    for (rule, marked) in [
        ("negative-number", "%1 = OpTypeInt «-32» 0"),
        (
            "number-out-of-range",
            "%1 = OpTypeInt 16 1 %2 = OpConstant %1 «40000»",
        ),
    ] {
        check(&format!("text.{rule}"), ErrorClass::InvalidValue, marked);
    }
    for (rule, marked) in [
        ("bad-number", "%1 = OpTypeInt «x» 0"),
        ("bad-number", "%1 = OpTypeFloat 32 %2 = OpConstant %1 «nan»"),
        ("untyped-literal", "%1 = OpTypeVoid %2 = OpConstant «%1» 5"),
        ("untyped-literal", "%2 = OpConstant «%9» 5"),
        (
            "untyped-literal",
            "%1 = OpTypeInt 128 0 %2 = OpSpecConstant «%1» 5",
        ),
        ("bad-selector", "OpSwitch «%1» %2 5 %3"),
        ("bad-selector", "%1 = OpTypeInt 32 0 OpSwitch «%1» %2 5 %3"),
        (
            "bad-selector",
            "%1 = OpTypeFloat 32 %2 = OpUndef %1 OpSwitch «%2» %3 5 %4",
        ),
        ("bad-float-type", "%1 = «OpTypeFloat» 32 BFloat16KHR"),
        ("bad-float-type", "%1 = «OpTypeFloat» 16 !60000"),
    ] {
        check(&format!("text.{rule}"), ErrorClass::InvalidText, marked);
    }
}

#[test]
fn faults_of_names() {
    let import = "%1 = OpExtInstImport \"GLSL.std.450\" %2 = OpExtInst %3 %1";
    for (rule, marked) in [
        ("unknown-opcode", "«OpFoo» %1".to_owned()),
        ("unknown-opcode", "%1 = «OpFoo»".to_owned()),
        ("unknown-enumerant", "OpCapability «Foo»".to_owned()),
        ("unknown-enumerant", "OpCapability «1»".to_owned()),
        (
            "unknown-enumerant",
            "OpCapability «Shader|Matrix»".to_owned(),
        ),
        (
            "unknown-enumerant",
            "OpDecorate %1 BuiltIn «Foo»".to_owned(),
        ),
        (
            "unknown-enumerant",
            "OpStore %1 %2 Volatile|«Foo»|Aligned 4".to_owned(),
        ),
        ("unknown-enumerant", "OpStore %1 %2 Volatile|«»".to_owned()),
        ("unknown-enumerant", "OpStore %1 %2 «»|Volatile".to_owned()),
        ("unknown-enumerant", "OpStore %1 %2 «3» 4".to_owned()),
        ("unknown-ext-inst", format!("{import} «Nope» %4")),
        (
            "unknown-spec-constant-op",
            "%1 = OpSpecConstantOp %2 «Nope» %3".to_owned(),
        ),
    ] {
        check(&format!("text.{rule}"), ErrorClass::InvalidLookup, &marked);
    }
}

#[test]
fn faults_of_ids() {
    let check_id = |marked: &str| check("text.redefinition", ErrorClass::InvalidId, marked);
    check_id("%1 = OpTypeVoid «%1» = OpTypeBool");
    check_id("%a = OpExtInstImport \"x\" «%a» = OpExtInstImport \"x\"");
    check_id("%t = OpTypeInt 32 0 %a = OpUndef %t «%a» = OpConstant %t 5");
    check(
        "text.not-an-import",
        ErrorClass::InvalidText,
        "%1 = OpTypeVoid %2 = OpExtInst %1 «%1» Sqrt %3",
    );
    check(
        "text.not-an-import",
        ErrorClass::InvalidText,
        "%2 = OpExtInst %1 «%9» 5 %3",
    );
}

#[test]
fn faults_of_words() {
    for (rule, marked) in [
        ("bad-immediate", "OpCapability «!x»"),
        ("bad-immediate", "«!-1» 5"),
        ("bad-raw-operand", "OpCapability !1 «Shader»"),
        ("bad-raw-operand", "!5 «(»"),
        ("stray-equals", "!5 «=» 7"),
        ("bad-unknown-opcode", "OpUnknown«»"),
        ("bad-unknown-opcode", "OpUnknown «5»"),
        ("bad-unknown-opcode", "OpUnknown(«65536», 1)"),
        ("bad-unknown-opcode", "OpUnknown(«x», 1)"),
        ("bad-unknown-opcode", "OpUnknown(1«)»"),
        ("bad-unknown-opcode", "OpUnknown(1, «x»)"),
        ("bad-unknown-opcode", "OpUnknown(1, «65536»)"),
        ("bad-unknown-opcode", "OpUnknown(1, 2 «7»"),
        ("bad-unknown-opcode", "«OpUnknown»(1, 3) 5"),
        ("bad-unknown-opcode", "«OpUnknown»(1, 2) \"abcd\""),
    ] {
        check(&format!("text.{rule}"), ErrorClass::InvalidText, marked);
    }
}

#[test]
fn a_missing_operand_is_placed_before_a_comment() {
    let marked = "OpCapability«» ; a comment\n\nOpNop";
    check("text.missing-operand", ErrorClass::InvalidText, marked);
}

#[test]
fn a_word_count_of_zero_is_reported_where_it_stands() {
    check(
        "text.bad-unknown-opcode",
        ErrorClass::InvalidText,
        "OpUnknown(1, «0»)",
    );
}

#[test]
fn instructions_have_a_length_limit() {
    let ids = |count| " %1".repeat(count);
    let longest = format!("%2 = OpTypeStruct{}", ids(65_533));
    assert_eq!(common::body(&longest).len(), 65_535);
    let marked = format!("OpNop %2 = «OpTypeStruct»{} OpNop", ids(65_534));
    check(
        "text.instruction-too-long",
        ErrorClass::InvalidText,
        &marked,
    );
    let marked = format!("«OpSourceExtension» \"{}\"", "x".repeat(4 * 65_534));
    check(
        "text.instruction-too-long",
        ErrorClass::InvalidText,
        &marked,
    );
    let fits = format!("OpSourceExtension \"{}\"", "x".repeat(4 * 65_534 - 1));
    assert_eq!(common::body(&fits).len(), 65_535);
}

#[test]
fn a_version_that_lacks_an_instruction_is_its_own_class() {
    let options = AssembleOptions::default().target(Some(spirvkit_grammar::Version::V1_0));
    let errors = assemble("%1 = OpCopyLogical %2 %3", &options).unwrap_err();
    assert_eq!(
        (errors[0].rule(), errors[0].class()),
        ("text.wrong-version", ErrorClass::WrongVersion)
    );
}

#[test]
fn a_redefinition_points_at_the_definition() {
    let text = "%a = OpTypeVoid %b = OpTypeBool\n%a = OpTypeInt 32 0";
    let errors = spirvkit_text::assemble(text, &Default::default()).unwrap_err();
    assert_eq!(errors[0].rule(), "text.redefinition");
    let place =
        spirvkit_diagnostics::Location::Span(spirvkit_diagnostics::Span { start: 0, end: 2 });
    assert_eq!(errors[0].labels()[0].location, place);
}
