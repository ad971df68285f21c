//! How ids get their numbers, and what the header's bound becomes.

use crate::common::{body, instruction};
use spirvkit_grammar::Op;
use spirvkit_testing::{assembled, words};
use spirvkit_text::{AssembleOptions, IdNumbering};

fn renumbered(text: &str) -> Vec<u32> {
    let options = AssembleOptions::default().numbering(IdNumbering::Renumber);
    assembled(text, &options).words.split_off(5)
}

#[test]
fn numbers_are_kept_and_names_fill_the_gaps_in_order() {
    let text =
        "%2 = OpTypeVoid %a = OpTypeBool %4 = OpTypeEvent %b = OpTypeQueue %c = OpTypeDeviceEvent";
    let expected = [
        instruction(Op::TypeVoid, &[2]),
        instruction(Op::TypeBool, &[1]),
        instruction(Op::TypeEvent, &[4]),
        instruction(Op::TypeQueue, &[3]),
        instruction(Op::TypeDeviceEvent, &[5]),
    ];
    assert_eq!(body(text), expected.concat());
    assert_eq!(words(text)[3], 6);
}

#[test]
fn numbers_that_only_come_later_are_taken_too() {
    // Also where nothing but a forward reference, or the last line, has them.
    let text = "OpName %main \"m\" %a = OpTypeStruct %1 %3";
    let expected = [
        instruction(Op::Name, &[2, u32::from(b'm')]),
        instruction(Op::TypeStruct, &[4, 1, 3]),
    ];
    assert_eq!(body(text), expected.concat());
}

#[test]
fn a_number_in_a_comment_or_string_is_not_taken() {
    assert_eq!(body("; %1\nOpName %a \"%1\" ; %1")[1], 1);
}

#[test]
fn huge_numbers_are_kept() {
    let text = "%4294967294 = OpTypeVoid %x = OpTypeBool";
    assert_eq!(
        words(text)[3..],
        [u32::MAX, 0, 0x0002_0013, 4_294_967_294, 0x0002_0014, 1]
    );
    // No bound is above the last id.
    assert_eq!(words("%4294967295 = OpTypeVoid")[3], u32::MAX);
}

#[test]
fn gaps_beyond_the_text_s_length_are_found() {
    let text = "%1 = OpTypeVoid %70000 = OpTypeEvent %a = OpTypeBool %b = OpTypeQueue";
    assert_eq!(body(text)[5], 2);
    assert_eq!(body(text)[7], 3);
}

#[test]
fn renumbering_counts_in_the_order_of_the_words() {
    // The result type comes before the result.
    let text = "%7 = OpConstantNull %int %9 = OpUndef %7";
    let expected = [
        instruction(Op::ConstantNull, &[1, 2]),
        instruction(Op::Undef, &[2, 3]),
    ];
    assert_eq!(renumbered(text), expected.concat());

    let text = "OpEntryPoint GLCompute %main \"m\" %5 %x OpName %5 \"n\" %x = OpTypeVoid";
    let m = u32::from(b'm');
    let n = u32::from(b'n');
    let expected = [
        instruction(Op::EntryPoint, &[5, 1, m, 2, 3]),
        instruction(Op::Name, &[2, n]),
        instruction(Op::TypeVoid, &[3]),
    ];
    assert_eq!(renumbered(text), expected.concat());
}

#[test]
fn preserving_numbers_names_in_the_order_of_the_words_too() {
    let text = "%value = OpConstantNull %type";
    assert_eq!(body(text), instruction(Op::ConstantNull, &[1, 2]));
}

#[test]
fn renumbering_tells_numbers_and_names_apart() {
    // `%01` is a name, not the number 1.
    let text = "%1 = OpTypeVoid %01 = OpTypeBool %4294967295 = OpTypeEvent %1x = OpTypeQueue";
    let found = renumbered(text);
    assert_eq!([found[1], found[3], found[5], found[7]], [1, 2, 3, 4]);
}

#[test]
fn the_bound_is_above_the_highest_id() {
    for (text, bound) in [
        ("", 1),
        ("OpNop", 1),
        ("%1 = OpTypeVoid", 2),
        ("%9 = OpTypeVoid %2 = OpTypeBool", 10),
        ("OpName %30 \"x\"", 31),
        ("%a = OpTypeVoid %b = OpTypeBool", 3),
        ("!131091 %12", 13),
    ] {
        assert_eq!(words(text)[3], bound, "{text}");
    }
}

#[test]
fn a_name_is_the_same_id_everywhere() {
    let words = body("OpName %f \"f\" OpDecorate %f RelaxedPrecision %f = OpTypeVoid");
    assert_eq!([words[1], words[4], words[7]], [1, 1, 1]);
}
