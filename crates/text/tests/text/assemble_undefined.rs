//! Ids that nothing defines.

use spirvkit_diagnostics::{Diagnostic, Severity};
use spirvkit_text::{AssembleOptions, IdNumbering, assemble};

use crate::common::part;

/// What the assembler warns of: the part of the text, and the advice.
fn warnings_with(text: &str, options: &AssembleOptions) -> Vec<(String, Option<String>)> {
    let assembled = assemble(text, options).expect(text);
    let warning = |warning: &Diagnostic| {
        assert_eq!(warning.rule(), "text.undefined-id");
        assert_eq!(warning.severity(), Severity::Warning);
        let help = warning.help().map(str::to_owned);
        (part(text, warning).to_owned(), help)
    };
    assembled.warnings.iter().map(warning).collect()
}

fn warnings(text: &str) -> Vec<String> {
    let renumbering = AssembleOptions::default().numbering(IdNumbering::Renumber);
    let [preserved, renumbered] = [AssembleOptions::default(), renumbering].map(|options| {
        let warnings = warnings_with(text, &options).into_iter();
        warnings.map(|(id, _)| id).collect::<Vec<_>>()
    });
    assert_eq!(preserved, renumbered);
    preserved
}

#[test]
fn each_is_reported_once_in_the_order_of_the_text() {
    let text = "\
OpName %main \"main\"
OpName %9 \"nine\"
%2 = OpTypeVoid
%3 = OpTypeFunction %2 %int %9
%fn = OpFunction %2 None %3
%4 = OpLabel
OpStore %9 %int
OpReturn
OpFunctionEnd
";
    assert_eq!(warnings(text), ["%main", "%9", "%int"]);
}

#[test]
fn ids_may_be_used_before_they_are_defined() {
    for text in [
        "OpName %a \"a\"\n%a = OpTypeVoid",
        "OpName %7 \"a\"\n%7 = OpTypeVoid",
        "OpName %70000 \"a\"\n%70000 = OpTypeVoid",
        "OpName %4294967295 \"a\"\n%4294967295 = OpTypeVoid",
        "%1 = OpTypeFunction %2\n%2 = OpTypeVoid\n%3 = OpTypeBool",
        "",
    ] {
        assert_eq!(warnings(text), [""; 0], "{text}");
    }
    assert_eq!(warnings("OpName %4294967295 \"a\""), ["%4294967295"]);
}

#[test]
fn ids_in_strings_and_comments_are_none() {
    assert_eq!(warnings("%1 = OpString \"%2\" ; %3"), [""; 0]);
}

#[test]
fn similar_names_are_suggested() {
    let text =
        "%float = OpTypeFloat 32\n%v2float = OpTypeVector %flaot 2\n%3 = OpTypePointer Input %xyz";
    assert_eq!(
        warnings_with(text, &AssembleOptions::default()),
        [
            (
                "%flaot".to_owned(),
                Some("did you mean `%float`?".to_owned())
            ),
            ("%xyz".to_owned(), None)
        ]
    );
    // What isn't defined either is no suggestion, nor are numbers.
    let text = "OpName %aaa \"\"\nOpName %aab \"\"\nOpName %10 \"\"\n%11 = OpTypeVoid";
    let warnings = warnings_with(text, &AssembleOptions::default());
    assert!(
        warnings.iter().all(|(_, help)| help.is_none()),
        "{warnings:?}"
    );
}

#[test]
fn instructions_known_by_their_words_only_may_define_anything() {
    assert_eq!(warnings("OpName %1 \"x\"\nOpUnknown(65535, 2) %1"), [""; 0]);
    assert_eq!(warnings("OpName %1 \"x\"\n!131091 %1"), [""; 0]);
    // A `!` word in an operand's place leaves the result known.
    assert_eq!(warnings("OpName %1 \"x\"\n%2 = OpTypeInt !32 0"), ["%1"]);
}

#[test]
fn there_is_an_end_to_warnings() {
    let mut text = String::from("OpName %1 \"\"\n").repeat(3);
    for id in 2..50 {
        text += &format!("OpName %{id} \"\"\n");
    }
    let options = AssembleOptions::default();
    assert_eq!(warnings_with(&text, &options).len(), 49);
    assert_eq!(
        warnings_with(&text, &options.clone().max_errors(0)).len(),
        49
    );
    let some = warnings_with(&text, &options.clone().max_errors(10));
    assert_eq!((some.len(), &*some[10].0), (11, "%11"));
    assert_eq!(warnings_with(&text, &options.undefined_ids(false)), []);
}
