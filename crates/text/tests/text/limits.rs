//! Hostile modules and texts cost no more than in proportion to their size, and
//! what a limit cuts off is said.

use crate::common::text;
use spirvkit_testing::words;
use spirvkit_text::{AssembleOptions, DisassembleOptions, assemble, disassemble};

fn raw() -> DisassembleOptions {
    DisassembleOptions::default()
        .friendly_names(false)
        .header(false)
}

fn rules(errors: &[spirvkit_diagnostics::Diagnostic]) -> Vec<&str> {
    errors.iter().map(|error| error.rule()).collect()
}

#[test]
fn specialization_operations_do_not_nest() {
    let source = format!(
        "%2 = OpSpecConstantOp %1 {}IAdd %1 %1",
        "SpecConstantOp ".repeat(50_000)
    );
    let errors = assemble(&source, &AssembleOptions::default()).unwrap_err();
    assert_eq!(rules(&errors), ["text.nested-spec-constant-op"]);

    // The same in words: `!` words keep them.
    let words = words("%2 = OpSpecConstantOp %1 !52 !52 !128 !1 !1");
    let errors = disassemble(&words, &raw()).unwrap_err();
    assert_eq!(rules(&errors), ["binary.unknown-spec-constant-op"]);
    let lenient = text(&words, &DisassembleOptions::default().lenient(true));
    assert_eq!(
        assemble(&lenient, &AssembleOptions::default())
            .unwrap()
            .words,
        words
    );
}

#[test]
fn a_source_line_of_blanks_costs_no_more_than_any_other() {
    let blanks = " ".repeat(100_000);
    let mut source = format!(
        "%1 = OpString \"a\" OpSource GLSL 450 %1 \"x{blanks}\ny{blanks}\"
        %2 = OpTypeVoid %3 = OpTypeFunction %2 %4 = OpFunction %2 None %3 %5 = OpLabel "
    );
    for line in 0..20_000 {
        source += &format!("OpLine %1 {} 1\nOpNop\n", line % 2 + 1);
    }
    source += "OpReturn OpFunctionEnd";
    let shown = text(&words(&source), &raw().source(true));
    assert_eq!(shown.matches("; a:1: x\n").count(), 10_000);
}

#[test]
fn decorations_are_repeated_once_however_often_an_id_is_defined() {
    let mut source = "OpDecorate %1 DescriptorSet 7\n".repeat(2000);
    source += &"%1 = OpLabel\n".repeat(2000);
    let options = raw().comments(true).lenient(true);
    let shown = text(&words(&source), &options);
    assert_eq!(
        shown.matches("; DescriptorSet 7, DescriptorSet 7").count(),
        1
    );
    assert!(shown.len() < 10 * source.len());
}

#[test]
fn margins_have_a_limit() {
    let count = 3000;
    let mut source =
        "%t = OpTypeVoid %f = OpTypeFunction %t %m = OpFunction %t None %f %l0 = OpLabel "
            .to_owned();
    for block in 0..count {
        source += &format!(
            "OpSelectionMerge %m{block} None OpBranchConditional %c %l{next} %m{block} %l{next} = OpLabel ",
            next = block + 1
        );
    }
    source += "OpReturn ";
    for block in (0..count).rev() {
        source += &format!("%m{block} = OpLabel OpReturn ");
    }
    source += "OpFunctionEnd";
    let shown = text(&words(&source), &raw().nested_indentation(true));
    assert!(shown.lines().all(|line| line.len() < 300));
}

#[test]
fn the_errors_of_a_module_have_a_limit() {
    let words: Vec<u32> = [0x0723_0203, 0x0001_0000, 0, 1, 0]
        .into_iter()
        .chain([0x0001_fff0; 3000])
        .collect();
    let count = |options: DisassembleOptions| disassemble(&words, &options).unwrap_err().len();
    // One more says that the rest was not looked at.
    assert_eq!(count(raw()), 1001);
    assert_eq!(count(raw().max_errors(5)), 6);
    assert_eq!(count(raw().max_errors(3000)), 3000);
    assert_eq!(count(raw().max_errors(0)), 3000);

    // Within a function whose blocks are laid out, too.
    let words: Vec<u32> = [0x0723_0203, 0x0001_0000, 0, 9, 0, 0x0005_0036, 1, 2, 0, 3]
        .into_iter()
        .chain([0x0001_fff0; 3000])
        .collect();
    let options = raw().nested_indentation(true).max_errors(5);
    assert_eq!(disassemble(&words, &options).unwrap_err().len(), 5);
}

#[test]
fn a_bound_of_zero_is_reported() {
    let words = [0x0723_0203, 0x0001_0000, 0, 0, 0];
    let shown = disassemble(&words, &raw()).unwrap();
    assert_eq!(rules(&shown.warnings), ["binary.bad-bound"]);
}

#[test]
fn a_bound_that_is_too_low_is_reported() {
    let words = [0x0723_0203, 0x0001_0000, 0, 3, 0, 0x0002_0013, 7];
    let shown = disassemble(&words, &raw()).unwrap();
    assert_eq!(rules(&shown.warnings), ["binary.low-bound"]);
}

#[test]
fn a_version_of_another_language_is_refused() {
    let words = [0x0723_0203, 0x00ff_9900, 0, 1, 0];
    let errors = disassemble(&words, &raw()).unwrap_err();
    assert_eq!(rules(&errors), ["binary.unknown-version"]);
    let lenient = text(&words, &DisassembleOptions::default().lenient(true));
    assert_eq!(
        assemble(&lenient, &AssembleOptions::default())
            .unwrap()
            .words,
        words
    );
}

#[test]
fn header_comments_that_say_nothing_are_warned_about() {
    let source = "; Version: 1.x\n; Bound: abc\n; remark: fine\n%1 = OpTypeVoid ; Schema: later\n";
    let module = assemble(source, &AssembleOptions::default()).unwrap();
    assert_eq!(rules(&module.warnings), ["text.bad-header-comment"; 2]);
    assert_eq!(module.words[1], 0x0001_0600);
}

#[test]
fn a_parameter_that_is_an_enumerant_leaves_the_others_in_line() {
    let source = "OpDecorate %2 HostAccessINTEL ReadINTEL \"name\"\n";
    assert_eq!(text(&words(source), &raw()).trim_start(), source);
    // Without its last parameter, it lacks an operand.
    let words = words("OpDecorate %2 HostAccessINTEL !1");
    let errors = disassemble(&words, &raw()).unwrap_err();
    assert_eq!(rules(&errors), ["binary.missing-operand"]);
}

#[test]
fn names_do_not_stand_beside_ids_that_are_bare_words() {
    // The type can't be decoded, so the constant's id must stay what it is.
    let words = words("OpUnknown(52, 3) 5 9 %5 = OpTypeInt 32 0 %6 = OpConstant %5 1");
    let lenient = text(&words, &DisassembleOptions::default().lenient(true));
    assert!(lenient.contains("%6 = OpConstant %5 1\n"));
    assert_eq!(
        assemble(&lenient, &AssembleOptions::default())
            .unwrap()
            .words,
        words
    );
}
