//! Floating-point literals of the formats of 16 bits and fewer that extensions add.

use crate::common;

const OUT_OF_RANGE: Result<u32, &str> = Err("text.number-out-of-range");
const NEGATIVE: Result<u32, &str> = Err("text.negative-number");

fn check(ty: &str, cases: &[(&str, Result<u32, &'static str>)]) {
    for &(literal, expected) in cases {
        let text = format!("%1 = OpTypeFloat {ty} %2 = OpConstant %1 {literal}");
        let found = match spirvkit_text::assemble(&text, &Default::default()) {
            Ok(module) => Ok(module.words[module.words.len() - 1]),
            Err(errors) => {
                assert_eq!(common::part(&text, &errors[0]), literal);
                Err(errors[0].rule())
            }
        };
        assert_eq!(found, expected, "{literal} as {ty}");
    }
}

#[test]
fn bfloat16_is_the_upper_half_of_a_single() {
    check(
        "16 BFloat16KHR",
        &[
            ("0", Ok(0)),
            ("1", Ok(0x3f80)),
            ("-1", Ok(0xbf80)),
            // Cut off: the nearest would be 0x3dcd.
            ("0.1", Ok(0x3dcc)),
            ("3.4e38", Ok(0x7f7f)),
            ("1e39", OUT_OF_RANGE),
            ("0x1p+128", Ok(0x7f80)),
            ("-0x1p+128", Ok(0xff80)),
            ("0x1.8p+128", Ok(0x7fc0)),
            ("0x1.02p+128", Ok(0x7f81)),
            ("0x1p+129", Ok(0x7f80)),
            ("0x1p-126", Ok(0x0080)),
            ("0x1p-133", Ok(1)),
            ("0x1p-134", Ok(0)),
            ("-0x1p-134", Ok(0x8000)),
        ],
    );
}

#[test]
fn e4m3_has_no_infinities_and_one_nan() {
    check(
        "8 Float8E4M3EXT",
        &[
            ("1", Ok(0x38)),
            ("-1.5", Ok(0xbc)),
            ("448", Ok(0x7e)),
            ("-448", Ok(0xfe)),
            ("479", Ok(0x7e)),
            // The pattern of the NaN is no decimal number's.
            ("480", OUT_OF_RANGE),
            ("512", OUT_OF_RANGE),
            ("0x1.ep+8", Ok(0x7f)),
            ("-0x1.ep+8", Ok(0xff)),
            ("0x1p+9", OUT_OF_RANGE),
            ("0x1p-6", Ok(0x08)),
            ("0.001953125", Ok(1)),
            ("0x1p-9", Ok(1)),
            ("0x1p-10", Ok(0)),
            ("-0", Ok(0x80)),
        ],
    );
}

#[test]
fn e5m2_has_infinities_and_nans() {
    check(
        "8 Float8E5M2EXT",
        &[
            ("1", Ok(0x3c)),
            ("57344", Ok(0x7b)),
            ("-57344", Ok(0xfb)),
            ("65536", OUT_OF_RANGE),
            ("0x1p+16", Ok(0x7c)),
            ("-0x1p+16", Ok(0xfc)),
            ("0x1.4p+16", Ok(0x7d)),
            ("0x1.8p+16", Ok(0x7e)),
            ("0x1p+17", Ok(0x7c)),
            ("0x1p-14", Ok(0x04)),
            ("0x1p-16", Ok(1)),
            ("0x1p-17", Ok(0)),
        ],
    );
}

#[test]
fn e2m3_is_finite() {
    check(
        "6 Float6E2M3EXT",
        &[
            ("1", Ok(0x08)),
            ("7.5", Ok(0x1f)),
            ("-7.5", Ok(0x3f)),
            ("8", OUT_OF_RANGE),
            ("0x1p+3", OUT_OF_RANGE),
            ("0x1.ep+2", Ok(0x1f)),
            ("0.125", Ok(1)),
            ("0.0625", Ok(0)),
            ("-0.125", Ok(0x21)),
        ],
    );
}

#[test]
fn e3m2_is_finite() {
    check(
        "6 Float6E3M2EXT",
        &[
            ("1", Ok(0x0c)),
            ("28", Ok(0x1f)),
            ("-28", Ok(0x3f)),
            ("32", OUT_OF_RANGE),
            ("0x1p+5", OUT_OF_RANGE),
            ("0.0625", Ok(1)),
            ("-0.0625", Ok(0x21)),
            ("0.03125", Ok(0)),
        ],
    );
}

#[test]
fn e2m1_has_eight_magnitudes() {
    check(
        "4 Float4E2M1EXT",
        &[
            ("0", Ok(0)),
            ("0.5", Ok(1)),
            ("1", Ok(2)),
            ("1.5", Ok(3)),
            ("2", Ok(4)),
            ("3", Ok(5)),
            ("4", Ok(6)),
            ("5", Ok(6)),
            ("6", Ok(7)),
            ("-6", Ok(0xf)),
            ("-0", Ok(8)),
            ("8", OUT_OF_RANGE),
            ("0x1p+3", OUT_OF_RANGE),
            ("0.25", Ok(0)),
        ],
    );
}

#[test]
fn e8m0_is_a_power_of_two() {
    check(
        "8 Float8UnsignedE8M0EXT",
        &[
            ("1", Ok(0x7f)),
            ("2", Ok(0x80)),
            ("0.5", Ok(0x7e)),
            // Cut off to the power of two below.
            ("1.5", Ok(0x7f)),
            ("3.99", Ok(0x80)),
            ("0x1p-127", Ok(0)),
            ("0x1p+127", Ok(0xfe)),
            ("0x1p+128", Ok(0xff)),
            ("0x1p+129", OUT_OF_RANGE),
            ("0x1p-128", OUT_OF_RANGE),
            ("0", OUT_OF_RANGE),
            ("0x0p+0", OUT_OF_RANGE),
            ("-1", NEGATIVE),
            ("-0x1p+0", NEGATIVE),
        ],
    );
}

#[test]
fn mx_int8_counts_in_units_of_a_64th() {
    check(
        "8 MXInt8EXT",
        &[
            ("0", Ok(0)),
            ("1", Ok(0x40)),
            ("-1", Ok(0xc0)),
            ("1.984375", Ok(0x7f)),
            ("1.99", Ok(0x7f)),
            ("2", OUT_OF_RANGE),
            ("-2", Ok(0x80)),
            ("-2.1", OUT_OF_RANGE),
            ("0.015625", Ok(1)),
            ("-0.015625", Ok(0xff)),
            ("0.01", Ok(0)),
            ("0x1p-6", Ok(1)),
            ("0x1.fcp+0", Ok(0x7f)),
            ("0x1p+1", OUT_OF_RANGE),
            ("-0x1p+1", Ok(0x80)),
            ("0x1p+100", OUT_OF_RANGE),
            ("1e30", OUT_OF_RANGE),
        ],
    );
}

#[test]
fn a_type_and_its_encoding_must_go_together() {
    for (ty, rule) in [
        ("32 BFloat16KHR", "text.bad-float-type"),
        ("16 Float8E4M3EXT", "text.bad-float-type"),
        ("8 Float4E2M1EXT", "text.bad-float-type"),
        ("16 NoSuchEncoding", "text.unknown-enumerant"),
    ] {
        let text = format!("%1 = OpTypeFloat {ty}");
        assert_eq!(common::errors(&text)[0].0, rule, "{ty}");
    }
    // Without an encoding any width is a type; it only has no literals.
    assert_eq!(common::body("%1 = OpTypeFloat 128"), [0x0003_0016, 1, 128]);
    assert_eq!(
        common::errors("%1 = OpTypeFloat 128 %2 = OpConstant %1 1"),
        [("text.untyped-literal", "%1")]
    );
}
