//! Writing modules, and the forms of numbers and strings in them.

use crate::common;

use spirvkit_binary::{
    Encoder, FloatFormat, Header, InstructionTooLong, LiteralString, NumberType,
};
use spirvkit_grammar::{FPEncoding, Generator, Op, Version};

const HEADER: Header = Header {
    version: Version::V1_3,
    generator: Generator(0x0007_0002),
    bound: 9,
    schema: 0,
};

fn integer(width: u8, signed: bool) -> NumberType {
    NumberType::Integer { width, signed }
}

#[test]
fn modules_are_written_word_by_word() {
    let mut encoder = Encoder::new();
    let start = encoder.begin(Op::Capability);
    assert_eq!(start, 5);
    encoder.word(1);
    encoder.end(start).unwrap();
    let start = encoder.begin(Op::Constant);
    encoder.raw(&[1, 2]);
    encoder.number(integer(64, false), 0x0123_4567_89ab_cdef);
    encoder.end(start).unwrap();
    assert_eq!(encoder.words()[..5], [0; 5]);
    let words = encoder.finish(&HEADER);
    assert_eq!(
        words,
        [
            0x0723_0203,
            0x0001_0300,
            0x0007_0002,
            9,
            0, // header
            0x0002_0011,
            1, // OpCapability
            0x0005_002b,
            1,
            2,
            0x89ab_cdef,
            0x0123_4567, // OpConstant
        ]
    );
    assert_eq!(common::first_error(&words[..7]), None);
}

#[test]
fn a_module_without_instructions_is_a_header() {
    assert_eq!(Encoder::default().finish(&HEADER), HEADER.to_words());
    assert_eq!(
        Encoder::with_capacity(1000).finish(&HEADER),
        HEADER.to_words()
    );
}

#[test]
fn the_longest_instruction_has_65535_words() {
    let mut encoder = Encoder::new();
    let start = encoder.begin(Op::TypeStruct);
    encoder.raw(&[1; 65_534]);
    assert_eq!(encoder.end(start), Ok(()));
    assert_eq!(encoder.words()[start], 0xffff_001e);
}

#[test]
fn a_too_long_instruction_is_taken_back() {
    let mut encoder = Encoder::new();
    let start = encoder.begin(Op::Nop);
    encoder.end(start).unwrap();
    let before = encoder.words().to_vec();
    let start = encoder.begin(Op::TypeStruct);
    encoder.raw(&[1; 65_535]);
    let error = encoder.end(start).unwrap_err();
    assert_eq!(error, InstructionTooLong { words: 65_536 });
    assert!(error.to_string().contains("65536"), "{error}");
    assert_eq!(encoder.words(), before);
}

#[test]
fn truncating_never_takes_the_header() {
    let mut encoder = Encoder::new();
    encoder.word(7);
    encoder.word(8);
    encoder.truncate(6);
    assert_eq!(encoder.words(), [0, 0, 0, 0, 0, 7]);
    encoder.truncate(0);
    assert_eq!(encoder.words(), [0; 5]);
    assert_eq!(encoder.finish(&HEADER), HEADER.to_words());
}

#[test]
fn strings_end_in_a_zero_and_are_padded_with_zeros() {
    let cases: [(&str, &[[u8; 4]]); 9] = [
        ("", &[[0; 4]]),
        ("a", &[*b"a\0\0\0"]),
        ("ab", &[*b"ab\0\0"]),
        ("abc", &[*b"abc\0"]),
        ("abcd", &[*b"abcd", [0; 4]]),
        ("abcde", &[*b"abcd", *b"e\0\0\0"]),
        ("abcdefg", &[*b"abcd", *b"efg\0"]),
        ("abcdefgh", &[*b"abcd", *b"efgh", [0; 4]]),
        ("é€", &[[0xc3, 0xa9, 0xe2, 0x82], [0xac, 0, 0, 0]]),
    ];
    for (text, bytes) in cases {
        let mut encoder = Encoder::new();
        encoder.string(text);
        let words = &encoder.words()[5..];
        let expected: Vec<u32> = bytes.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words, expected, "{text:?}");

        let string = LiteralString::at_start_of(words).unwrap();
        assert_eq!(string.words(), words);
        assert_eq!(string.to_text().as_deref(), Ok(text));
        assert_eq!(string.to_text_lossy(), text);
        assert!(string.bytes().eq(text.bytes()));
        assert!(string.is_padded_with_zeros());
        let mut buffer = b"before ".to_vec();
        string.append_to(&mut buffer);
        assert_eq!(buffer, format!("before {text}").as_bytes());
    }
}

#[test]
fn a_string_takes_no_more_words_than_it_has() {
    let words = [
        u32::from_le_bytes(*b"abcd"),
        u32::from_le_bytes(*b"e\0\0\0"),
        0x6161_6161,
    ];
    let string = LiteralString::at_start_of(&words).unwrap();
    assert_eq!(string.words().len(), 2);
    assert!(LiteralString::at_start_of(&words[..1]).is_none());
    assert!(LiteralString::at_start_of(&[]).is_none());
}

#[test]
fn every_byte_of_a_word_can_end_a_string() {
    for (bytes, text) in [
        (*b"\0bcd", ""),
        (*b"a\0cd", "a"),
        (*b"ab\0d", "ab"),
        (*b"abc\0", "abc"),
    ] {
        let words = [u32::from_le_bytes(bytes)];
        let string = LiteralString::at_start_of(&words).unwrap();
        assert_eq!(string.to_text().as_deref(), Ok(text));
        assert_eq!(string.is_padded_with_zeros(), text == "abc", "{text:?}");
    }
    // High bytes next to a one must not look like a zero.
    for word in [
        0x8080_8080,
        0x0101_0101,
        0x8101_8101,
        0x0180_0180,
        0xffff_ffff,
    ] {
        assert!(LiteralString::at_start_of(&[word]).is_none(), "{word:#x}");
    }
}

#[test]
fn narrow_numbers_are_extended_to_their_words() {
    let cases = [
        (integer(8, true), 0x80, 0xffff_ff80),
        (integer(8, true), 0x7f, 0x7f),
        (integer(8, false), 0x80, 0x80),
        (integer(8, false), 0x1ff, 0xff),
        (integer(16, true), 0xffff, 0xffff_ffff),
        (integer(16, false), 0xffff_ffff, 0xffff),
        (integer(1, true), 1, 0xffff_ffff),
        (integer(1, false), 3, 1),
        (integer(32, true), 0xffff_ffff_8000_0000, 0x8000_0000),
        (integer(32, false), u64::MAX, 0xffff_ffff),
        (integer(33, true), 1 << 32, 0xffff_ffff_0000_0000),
        (integer(33, false), u64::MAX, 0x1_ffff_ffff),
        (integer(64, true), u64::MAX, u64::MAX),
        (integer(64, false), 1 << 63, 1 << 63),
        (NumberType::Float(FloatFormat::Half), 0xffff_8000, 0x8000),
        (NumberType::Float(FloatFormat::E2M1), 0xff, 0xf),
        (NumberType::Float(FloatFormat::Double), u64::MAX, u64::MAX),
    ];
    for (ty, bits, extended) in cases {
        assert_eq!(ty.extend(bits), extended, "{ty:?} {bits:#x}");
        let mut encoder = Encoder::new();
        encoder.number(ty, bits);
        let words = &encoder.words()[5..];
        assert_eq!(words.len(), ty.words(), "{ty:?}");
        assert_eq!(words[0], extended as u32, "{ty:?}");
        assert!(
            words.len() == 1 || words[1] == (extended >> 32) as u32,
            "{ty:?}"
        );
    }
}

#[test]
fn sign_extension_looks_at_the_width_alone() {
    for (width, bits, value) in [
        (8, 0x80, -128),
        (8, 0x7f, 127),
        (8, 0xffff_ff80, -128),
        (16, 0xffff, -1),
        (1, 1, -1),
        (32, 0x8000_0000, i64::from(i32::MIN)),
        (64, 1 << 63, i64::MIN),
    ] {
        assert_eq!(
            integer(width, true).sign_extend(bits),
            value,
            "{width} {bits:#x}"
        );
    }
}

#[test]
fn integers_have_from_1_to_64_bits() {
    for width in 1..=64 {
        let ty = NumberType::integer(width, 1).unwrap();
        assert_eq!(u32::from(ty.width()), width);
        assert_eq!(ty.words(), if width > 32 { 2 } else { 1 }, "{width}");
    }
    for width in [0, 65, 128, 256, 256 + 32, u32::MAX] {
        assert_eq!(NumberType::integer(width, 0), None, "{width}");
    }
    // Anything but 0 is signed.
    assert_eq!(NumberType::integer(32, 7), Some(integer(32, true)));
    assert_eq!(NumberType::integer(32, 0), Some(NumberType::U32));
}

#[test]
fn float_formats_go_with_their_widths() {
    let cases = [
        (16, None, FloatFormat::Half),
        (32, None, FloatFormat::Single),
        (64, None, FloatFormat::Double),
        (16, Some(FPEncoding::BFloat16KHR), FloatFormat::BFloat16),
        (8, Some(FPEncoding::Float8E4M3EXT), FloatFormat::E4M3),
        (8, Some(FPEncoding::Float8E5M2EXT), FloatFormat::E5M2),
        (6, Some(FPEncoding::Float6E2M3EXT), FloatFormat::E2M3),
        (6, Some(FPEncoding::Float6E3M2EXT), FloatFormat::E3M2),
        (4, Some(FPEncoding::Float4E2M1EXT), FloatFormat::E2M1),
        (
            8,
            Some(FPEncoding::Float8UnsignedE8M0EXT),
            FloatFormat::UnsignedE8M0,
        ),
        (8, Some(FPEncoding::MXInt8EXT), FloatFormat::MxInt8),
    ];
    for (width, encoding, format) in cases {
        assert_eq!(FloatFormat::new(width, encoding), Some(format));
        assert_eq!(u32::from(format.width()), width, "{format:?}");
        assert_eq!(FloatFormat::new(width + 256, encoding), None, "{format:?}");
        if encoding.is_some() {
            assert_eq!(FloatFormat::new(32, encoding), None, "{format:?}");
        }
    }
    for width in [0, 4, 6, 8, 80, 128] {
        assert_eq!(FloatFormat::new(width, None), None, "{width}");
    }
    assert_eq!(FloatFormat::new(16, Some(FPEncoding(60_000))), None);
}
