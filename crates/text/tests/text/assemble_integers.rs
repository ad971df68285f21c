//! Integer literals of every width and form.

use crate::common;

use common::{body, errors};
use proptest::prelude::*;

/// The words of the literal of a constant.
fn constant(width: u8, signed: bool, literal: &str) -> Result<Vec<u32>, &'static str> {
    let text = declaration(width, signed, literal);
    match spirvkit_text::assemble(&text, &Default::default()) {
        Ok(module) => Ok(module.words[5 + 4 + 3..].to_vec()),
        Err(errors) => {
            assert_eq!(errors.len(), 1, "{text}");
            assert_eq!(common::part(&text, &errors[0]), literal);
            Err(errors[0].rule())
        }
    }
}

fn declaration(width: u8, signed: bool, literal: &str) -> String {
    format!(
        "%1 = OpTypeInt {width} {} %2 = OpConstant %1 {literal}",
        u8::from(signed)
    )
}

/// The words of an integer as the specification wants them: sign-extended if the
/// type is signed, the low word first.
fn words(width: u8, value: i128) -> Vec<u32> {
    let (low, high) = (value as u32, (value >> 32) as u32);
    if width > 32 {
        vec![low, high]
    } else {
        vec![low]
    }
}

/// What a literal of this sign and magnitude should give.
fn expected(
    width: u8,
    signed: bool,
    negative: bool,
    magnitude: u64,
    hex: bool,
) -> Result<Vec<u32>, &'static str> {
    let magnitude = i128::from(magnitude);
    let full = 1i128 << width;
    let half = full / 2;
    if negative && !signed {
        return Err("text.negative-number");
    }
    let value = if negative { -magnitude } else { magnitude };
    let fits = match (signed, hex && !negative) {
        (true, false) => (-half..half).contains(&value),
        // A hexadecimal number is a pattern of bits.
        _ => (0..full).contains(&value),
    };
    if !fits {
        return Err("text.number-out-of-range");
    }
    let value = if signed && value >= half {
        value - full
    } else {
        value
    };
    Ok(words(width, value))
}

fn forms(negative: bool, magnitude: u64) -> [(String, bool); 5] {
    let sign = if negative { "-" } else { "" };
    [
        (format!("{sign}{magnitude}"), false),
        (format!("{sign}0{magnitude:o}"), false),
        (format!("{sign}0x{magnitude:x}"), true),
        (format!("{sign}0X{magnitude:X}"), true),
        (format!("{sign}0x000{magnitude:x}"), true),
    ]
}

#[test]
fn every_width_takes_just_the_numbers_that_fit() {
    for width in 1..=64u8 {
        for signed in [false, true] {
            let half = 1u64 << (width - 1);
            let edges = [
                0,
                1,
                half - 1,
                half,
                half.saturating_add(1),
                half.wrapping_mul(2).wrapping_sub(1),
            ];
            for magnitude in edges.into_iter().chain((width < 64).then(|| half * 2)) {
                for negative in [false, true] {
                    for (literal, hex) in forms(negative, magnitude) {
                        assert_eq!(
                            constant(width, signed, &literal),
                            expected(width, signed, negative, magnitude, hex),
                            "{literal} as {width} bits, signed: {signed}"
                        );
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_number_is_taken_if_it_fits(
        width in 1..=64u8,
        signed: bool,
        negative: bool,
        magnitude: u64,
        shift in 0..64u32,
    ) {
        let magnitude = magnitude >> shift;
        for (literal, hex) in forms(negative, magnitude) {
            prop_assert_eq!(
                constant(width, signed, &literal),
                expected(width, signed, negative, magnitude, hex),
                "{}", literal
            );
        }
    }
}

#[test]
fn hexadecimal_numbers_of_signed_types_are_sign_extended() {
    for (width, literal, words) in [
        (16, "0xffff", vec![0xffff_ffff]),
        (16, "0x7fff", vec![0x7fff]),
        (16, "0x8000", vec![0xffff_8000]),
        (8, "0xff", vec![0xffff_ffff]),
        (32, "0x80000000", vec![0x8000_0000]),
        (64, "0xffffffffffffffff", vec![u32::MAX, u32::MAX]),
        (64, "0x80000000", vec![0x8000_0000, 0]),
    ] {
        assert_eq!(constant(width, true, literal), Ok(words), "{literal}");
    }
    assert_eq!(constant(16, false, "0xffff"), Ok(vec![0xffff]));
}

#[test]
fn numbers_beyond_64_bits_fit_nowhere() {
    for literal in [
        "18446744073709551616",
        "0x10000000000000000",
        "02000000000000000000000",
        "99999999999999999999999999",
    ] {
        for width in [8, 32, 64] {
            assert_eq!(
                constant(width, false, literal),
                Err("text.number-out-of-range"),
                "{literal}"
            );
        }
    }
}

#[test]
fn what_is_no_integer_is_refused_by_every_type() {
    for literal in [
        "abc", "-", "+", "--1", "-+1", "+-1", "++1", "1.0", "1e3", "0x", "-0x", "0x-1", "0x+1",
        "0xg", "08", "019", "1_000", "1u", "0b1", "%3", "\"1\"", "0x1p3", "٣", "1-", "inf",
    ] {
        for (width, signed) in [(8, true), (32, false), (32, true), (64, true)] {
            assert_eq!(
                constant(width, signed, literal),
                Err("text.bad-number"),
                "{literal}"
            );
        }
    }
}

#[test]
fn a_plus_sign_is_allowed() {
    assert_eq!(constant(32, true, "+5"), Ok(vec![5]));
    assert_eq!(constant(16, false, "+0x10"), Ok(vec![16]));
}

#[test]
fn literal_operands_are_unsigned_integers_of_32_bits() {
    for (literal, value) in [
        ("0", 0),
        ("7", 7),
        ("123456789", 123_456_789),
        ("4294967295", u32::MAX),
        ("0xffffffff", u32::MAX),
        ("0XaB", 0xab),
        ("017", 15),
        ("00", 0),
        ("+3", 3),
        ("000000000017", 15),
    ] {
        assert_eq!(
            body(&format!("OpDecorate %1 Location {literal}")),
            [0x0004_0047, 1, 30, value],
            "{literal}"
        );
    }
    for (literal, rule) in [
        ("4294967296", "text.number-out-of-range"),
        ("0x100000000", "text.number-out-of-range"),
        ("-1", "text.negative-number"),
        ("1.0", "text.bad-number"),
        ("Shader", "text.bad-number"),
        ("%2", "text.bad-number"),
        ("\"3\"", "text.bad-number"),
        ("08", "text.bad-number"),
    ] {
        assert_eq!(
            errors(&format!("OpDecorate %1 Location {literal}")),
            [(rule, literal)]
        );
    }
}

#[test]
fn switch_literals_take_the_selector_s_type() {
    for (width, literals, words) in [
        (16, "-1 %11 7 %12", vec![u32::MAX, 11, 7, 12]),
        (
            32,
            "-1 %11 0x7fffffff %12",
            vec![u32::MAX, 11, 0x7fff_ffff, 12],
        ),
        (
            64,
            "-1 %11 4294967296 %12",
            vec![u32::MAX, u32::MAX, 11, 0, 1, 12],
        ),
    ] {
        let text = format!("%1 = OpTypeInt {width} 1 %2 = OpUndef %1 OpSwitch %2 %10 {literals}");
        assert_eq!(body(&text)[4 + 3 + 3..], words, "{width}");
    }
    let text = "%1 = OpTypeInt 16 0 %2 = OpUndef %1 OpSwitch %2 %10 65536 %11";
    assert_eq!(errors(text), [("text.number-out-of-range", "65536")]);
}
