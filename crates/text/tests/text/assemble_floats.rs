//! Floating-point literals of the IEEE formats.

use crate::common;

use proptest::prelude::*;

/// The bits of the literal of a constant of an `OpTypeFloat` with these operands.
fn constant(ty: &str, literal: &str) -> Result<u64, &'static str> {
    let text = format!("%1 = OpTypeFloat {ty} %2 = OpConstant %1 {literal}");
    match spirvkit_text::assemble(&text, &Default::default()) {
        Ok(module) => {
            let literal = &module.words[5 + 3 + 3..];
            assert_eq!(literal.len(), if ty == "64" { 2 } else { 1 });
            Ok(u64::from(literal[0]) | literal.get(1).map_or(0, |&high| u64::from(high) << 32))
        }
        Err(errors) => {
            assert_eq!(errors.len(), 1, "{text}");
            assert_eq!(common::part(&text, &errors[0]), literal);
            Err(errors[0].rule())
        }
    }
}

const OUT_OF_RANGE: Result<u64, &str> = Err("text.number-out-of-range");

#[test]
fn single_precision() {
    let cases = [
        ("0", Ok(0)),
        ("-0", Ok(0x8000_0000)),
        ("-0.0", Ok(0x8000_0000)),
        ("1", Ok(0x3f80_0000)),
        ("1.", Ok(0x3f80_0000)),
        ("+1.5", Ok(0x3fc0_0000)),
        (".5", Ok(0x3f00_0000)),
        ("-.5", Ok(0xbf00_0000)),
        ("0.1", Ok(0x3dcc_cccd)),
        ("1e5", Ok(0x47c3_5000)),
        ("1E+5", Ok(0x47c3_5000)),
        ("1e-5", Ok(0x3727_c5ac)),
        ("007", Ok(0x40e0_0000)),
        // The largest, the smallest, and beyond.
        ("3.4028235e38", Ok(0x7f7f_ffff)),
        ("3.5e38", OUT_OF_RANGE),
        ("-1e39", OUT_OF_RANGE),
        ("1e400", OUT_OF_RANGE),
        ("1e-45", Ok(1)),
        ("1e-46", Ok(0)),
        ("-1e-400", Ok(0x8000_0000)),
        // To nearest, ties to even: 2^24 + 1.
        ("16777217", Ok(0x4b80_0000)),
        ("16777219", Ok(0x4b80_0002)),
    ];
    for (literal, bits) in cases {
        assert_eq!(constant("32", literal), bits, "{literal}");
    }
}

#[test]
fn single_precision_in_hexadecimal() {
    let cases = [
        ("0x0p+0", 0),
        ("-0x0p+0", 0x8000_0000),
        ("0x1", 0x3f80_0000),
        ("0x10", 0x4180_0000),
        ("0x1p0", 0x3f80_0000),
        ("0X1P+1", 0x4000_0000),
        ("0x.8", 0x3f00_0000),
        ("0x8.p-4", 0x3f00_0000),
        ("0x0.0001p16", 0x3f80_0000),
        ("-0x1.8p-1", 0xbf40_0000),
        ("0xAbCp0", 0x452b_c000),
        // Infinities and NaNs, with all their bits.
        ("0x1p+128", 0x7f80_0000),
        ("-0x1p+128", 0xff80_0000),
        ("0x1.8p+128", 0x7fc0_0000),
        ("-0x1.0002p+128", 0xff80_0100),
        ("0x1.000002p+128", 0x7f80_0001),
        ("0x1.fffffep+128", 0x7fff_ffff),
        // Too large a number is an infinity.
        ("0x1p+129", 0x7f80_0000),
        ("-0x1.8p+200", 0xff80_0000),
        ("0x1p+99999999999999999999", 0x7f80_0000),
        // Subnormal numbers, and too small ones.
        ("0x1p-126", 0x0080_0000),
        ("0x1p-127", 0x0040_0000),
        ("0x1.fffffcp-127", 0x007f_ffff),
        ("0x1p-149", 1),
        ("0x1.8p-149", 1),
        ("0x1p-150", 0),
        ("-0x1p-150", 0x8000_0000),
        ("0x1p-99999999999999999999", 0),
        // Digits beyond the format are cut off, not rounded.
        ("0x1.ffffffp+0", 0x3fff_ffff),
        ("0x1.fffffffffffffffffffffffffp+0", 0x3fff_ffff),
        ("0x100000000000000000000p-80", 0x3f80_0000),
        ("0x0000000000000000000000000001p0", 0x3f80_0000),
        ("0x0.0000000000000000000000001p100", 0x3f80_0000),
    ];
    for (literal, bits) in cases {
        assert_eq!(constant("32", literal), Ok(bits), "{literal}");
    }
}

#[test]
fn double_precision() {
    let cases = [
        ("1", Ok(0x3ff0_0000_0000_0000)),
        ("-0", Ok(1 << 63)),
        ("0.1", Ok(0x3fb9_9999_9999_999a)),
        ("1.7976931348623157e308", Ok(0x7fef_ffff_ffff_ffff)),
        ("1.8e308", OUT_OF_RANGE),
        ("5e-324", Ok(1)),
        ("1e-400", Ok(0)),
        ("0x1p+0", Ok(0x3ff0_0000_0000_0000)),
        ("0x1p+1024", Ok(0x7ff0_0000_0000_0000)),
        ("-0x1.8p+1024", Ok(0xfff8_0000_0000_0000)),
        ("0x1.0000000000001p+1024", Ok(0x7ff0_0000_0000_0001)),
        ("0x1p+1025", Ok(0x7ff0_0000_0000_0000)),
        ("0x1p-1022", Ok(0x0010_0000_0000_0000)),
        ("0x1p-1074", Ok(1)),
        ("0x1p-1075", Ok(0)),
        ("0x1.fffffffffffff8p+0", Ok(0x3fff_ffff_ffff_ffff)),
    ];
    for (literal, bits) in cases {
        assert_eq!(constant("64", literal), bits, "{literal}");
    }
}

#[test]
fn half_precision() {
    let cases = [
        ("1", Ok(0x3c00)),
        ("-2", Ok(0xc000)),
        ("0.5", Ok(0x3800)),
        ("-0", Ok(0x8000)),
        // Cut off: the nearest would be 0x34cd.
        ("0.3", Ok(0x34cc)),
        ("65504", Ok(0x7bff)),
        ("65535", Ok(0x7bff)),
        ("65536", OUT_OF_RANGE),
        ("-1e30", OUT_OF_RANGE),
        ("1e40", OUT_OF_RANGE),
        ("6.103515625e-5", Ok(0x0400)),
        ("5.9604645e-8", Ok(1)),
        ("1e-8", Ok(0)),
        ("-1e-8", Ok(0x8000)),
        ("0x1p+16", Ok(0x7c00)),
        ("-0x1p+16", Ok(0xfc00)),
        ("0x1.8p+16", Ok(0x7e00)),
        ("0x1.004p+16", Ok(0x7c01)),
        ("0x1p+17", Ok(0x7c00)),
        ("0x1.ffcp+15", Ok(0x7bff)),
        ("0x1.ffep+0", Ok(0x3fff)),
        ("0x1p-24", Ok(1)),
        ("0x1p-25", Ok(0)),
        ("-0x1p-25", Ok(0x8000)),
    ];
    for (literal, bits) in cases {
        assert_eq!(constant("16", literal), bits, "{literal}");
    }
}

#[test]
fn what_is_no_number_is_refused_by_every_format() {
    let types = [
        "16",
        "32",
        "64",
        "16 BFloat16KHR",
        "8 Float8E4M3EXT",
        "8 Float8E5M2EXT",
        "6 Float6E2M3EXT",
        "6 Float6E3M2EXT",
        "4 Float4E2M1EXT",
        "8 Float8UnsignedE8M0EXT",
        "8 MXInt8EXT",
    ];
    let literals = [
        "abc", "--1", "+-1", "-+1", "++1", "inf", "-inf", "infinity", "nan", "NaN", "-nan", "1.0f",
        "1.0F", "1l", "0x", "-0x", "0x.", "0xp1", "0x.p1", "1e", "1e+", "1e-", "e5", ".", "-", "+",
        "-.", ".e1", "1.2.3", "0x1.2.3", "0x1p", "0x1p+", "0x1p1.5", "0x1p--1", "0x1pa", "0x1g",
        "+0x1", "1_000", "0b1", "1e1e1", "1p3", "\"1\"", "%3", "Shader", "1é",
    ];
    for ty in types {
        for literal in literals {
            let text = format!("%1 = OpTypeFloat {ty} %2 = OpConstant %1 {literal}");
            assert_eq!(
                common::errors(&text),
                [("text.bad-number", literal)],
                "{ty}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn decimals_are_rounded_as_the_standard_library_rounds(whole: u32, fraction: u64, exponent in -40..36i32) {
        let literal = format!("{whole}.{fraction}e{exponent}");
        let single: f32 = literal.parse().unwrap();
        let expected = if single.is_finite() { Ok(u64::from(single.to_bits())) } else { OUT_OF_RANGE };
        prop_assert_eq!(constant("32", &literal), expected);
        let double: f64 = literal.parse().unwrap();
        prop_assert_eq!(constant("64", &literal), Ok(double.to_bits()));
    }

    /// A whole hexadecimal number below 2^53 has an exact double, of which each
    /// narrower format keeps the upper bits.
    #[test]
    fn hexadecimals_are_exact_and_then_cut_off(significand in 1u64..1 << 53, exponent in -60..60i32) {
        let value = significand as f64 * 2f64.powi(exponent);
        let literal = format!("0x{significand:x}p{exponent:+}");
        prop_assert_eq!(constant("64", &literal), Ok(value.to_bits()));
        // Towards zero, the single-precision number is the double's upper bits.
        let fraction = value.to_bits() >> 29 & 0x7f_ffff;
        let field = (value.to_bits() >> 52) as i64 - 1023 + 127;
        prop_assert_eq!(constant("32", &literal), Ok((field as u64) << 23 | fraction));
    }
}
