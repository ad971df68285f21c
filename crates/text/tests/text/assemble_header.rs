//! The header: comments that say what it should be, and options.

use crate::common::part;
use spirvkit_grammar::{Generator, Version};
use spirvkit_testing::{assembled, words};
use spirvkit_text::{AssembleOptions, assemble};

const HEADER: &str = "\
; SPIR-V
; Version: 1.3
; Generator: Khronos Glslang Reference Front End; 11
; Bound: 40
; Schema: 7
";

fn header(text: &str) -> [u32; 5] {
    words(text)[..5].try_into().unwrap()
}

#[test]
fn without_comments_the_version_is_1_6_and_the_rest_is_zero() {
    assert_eq!(header("OpNop"), [0x0723_0203, 0x0001_0600, 0, 1, 0]);
}

#[test]
fn the_comments_at_the_top_are_honoured() {
    assert_eq!(
        header(HEADER),
        [0x0723_0203, 0x0001_0300, 0x0008_000b, 40, 7]
    );
    let indented = HEADER.replace("; ", "   ;  ").replace('\n', "\r\n\n");
    assert_eq!(header(&indented), header(HEADER));
}

#[test]
fn they_are_ignored_on_request() {
    let options = AssembleOptions::default().header_comments(false);
    assert_eq!(
        assembled(HEADER, &options).words,
        [0x0723_0203, 0x0001_0600, 0, 1, 0]
    );
}

#[test]
fn options_go_before_them() {
    let options = AssembleOptions::default()
        .target(Some(Version::V1_1))
        .generator(Some(Generator(9)));
    assert_eq!(
        assembled(HEADER, &options).words,
        [0x0723_0203, 0x0001_0100, 9, 40, 7]
    );
}

#[test]
fn they_end_at_the_first_instruction() {
    assert_eq!(header("OpNop\n; Version: 1.1\n")[1], 0x0001_0600);
    assert_eq!(header("OpNop ; Version: 1.1\n; Bound: 70\n")[3], 1);
}

#[test]
fn the_bound_is_raised_where_ids_need_more() {
    assert_eq!(header("; Bound: 40\n%39 = OpTypeVoid")[3], 40);
    assert_eq!(header("; Bound: 40\n%40 = OpTypeVoid")[3], 41);
    assert_eq!(header("; Bound: 4294967295")[3], u32::MAX);
}

#[test]
fn a_bound_with_an_exclamation_mark_is_written_as_it_is() {
    assert_eq!(header("; Bound: !5\n%39 = OpTypeVoid")[3], 5);
    assert_eq!(header("; Bound: !0")[3], 0);
}

#[test]
fn comments_that_say_nothing_of_use_are_passed_over() {
    for line in [
        "; Version: one",
        "; Version: 1",
        "; Version: 1.256",
        "; Version 1.3",
        "; version: 1.3",
        "; Generator: Nobody; x",
        "; Bound: many",
        "; Bound: 4294967296",
        "; Schema: -1",
        "; Colour: blue",
        ";",
    ] {
        assert_eq!(header(line), [0x0723_0203, 0x0001_0600, 0, 1, 0], "{line}");
    }
}

#[test]
fn unregistered_generators_have_a_number() {
    assert_eq!(header("; Generator: Unknown(65535); 3")[2], 0xffff_0003);
}

#[test]
fn a_target_version_refuses_what_it_does_not_have() {
    let text = "%1 = OpCopyLogical %2 %3";
    assert!(
        assemble(
            text,
            &AssembleOptions::default().target(Some(Version::V1_4))
        )
        .is_ok()
    );
    let errors = assemble(
        text,
        &AssembleOptions::default().target(Some(Version::V1_3)),
    )
    .unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].rule(), "text.wrong-version");
    assert_eq!(part(text, &errors[0]), "OpCopyLogical");
    assert!(
        errors[0].message().contains("1.4"),
        "{}",
        errors[0].message()
    );
}

#[test]
fn only_a_target_version_refuses_anything() {
    assert!(
        assemble(
            "; Version: 1.0\n%1 = OpCopyLogical %2 %3",
            &AssembleOptions::default()
        )
        .is_ok()
    );
}

#[test]
fn what_an_extension_or_capability_enables_is_in_every_version() {
    let options = AssembleOptions::default().target(Some(Version::V1_0));
    for text in [
        "%1 = OpSubgroupBallotKHR %2 %3",
        "%1 = OpAtomicCompareExchangeWeak %2 %3 %4 %5 %6 %7 %8",
        "OpTerminateInvocation",
    ] {
        assert!(assemble(text, &options).is_ok(), "{text}");
    }
}
