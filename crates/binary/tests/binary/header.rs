//! Bytes, words and the header.

use crate::common::HEADER;
use spirvkit_binary::{
    Endianness, ErrorKind, HEADER_WORDS, Header, MAGIC, Module, bytes_from_words, words_from_bytes,
};
use spirvkit_grammar::{Generator, Version};

#[test]
fn words_are_read_in_either_byte_order() {
    let words = [MAGIC, 0x0001_0300, 0x0008_000b, 7, 0, 0x0001_0000];
    let little = bytes_from_words(&words, Endianness::Little);
    let big = bytes_from_words(&words, Endianness::Big);
    assert_eq!(
        little[..8],
        [0x03, 0x02, 0x23, 0x07, 0x00, 0x03, 0x01, 0x00]
    );
    assert_eq!(big[..8], [0x07, 0x23, 0x02, 0x03, 0x00, 0x01, 0x03, 0x00]);
    assert_eq!(
        words_from_bytes(&little),
        Ok((words.to_vec(), Endianness::Little))
    );
    assert_eq!(
        words_from_bytes(&big),
        Ok((words.to_vec(), Endianness::Big))
    );
}

#[test]
fn files_that_are_no_words_are_refused() {
    let good = bytes_from_words(&HEADER, Endianness::Little);
    let mut odd = good.clone();
    odd.extend([0, 0]);
    let mut odd_after_a_word = good.clone();
    odd_after_a_word.extend([0; 7]);
    let cases: [(&[u8], ErrorKind, usize); 9] = [
        (&[], ErrorKind::TooShort { bytes: 0 }, 0),
        (&[3, 2, 0x23], ErrorKind::TooShort { bytes: 3 }, 0),
        (&good[..4], ErrorKind::TooShort { bytes: 4 }, 0),
        (&good[..19], ErrorKind::TooShort { bytes: 19 }, 0),
        (&odd, ErrorKind::OddSize { bytes: 22 }, 20),
        (&odd_after_a_word, ErrorKind::OddSize { bytes: 27 }, 24),
        (
            b"OpCapability Shader\n",
            ErrorKind::WrongMagic {
                found: u32::from_le_bytes(*b"OpCa"),
            },
            0,
        ),
        (
            &[3, 2, 7, 0x23],
            ErrorKind::WrongMagic { found: 0x2307_0203 },
            0,
        ),
        (&[0; 20], ErrorKind::WrongMagic { found: 0 }, 0),
    ];
    for (bytes, kind, offset) in cases {
        let error = words_from_bytes(bytes).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.offset().bytes(), offset, "{kind:?}");
        assert_eq!(error.op(), None);
        assert!(
            error.to_string().ends_with(&format!(" (at byte {offset})")),
            "{error}"
        );
    }
}

#[test]
fn headers_that_cannot_be_read_are_refused() {
    let cases: [(&[u32], ErrorKind, usize); 5] = [
        (&[], ErrorKind::TooShort { bytes: 0 }, 0),
        (&HEADER[..4], ErrorKind::TooShort { bytes: 16 }, 0),
        (
            &[0x0302_2307, 0x0001_0000, 0, 1, 0],
            ErrorKind::WrongMagic { found: 0x0302_2307 },
            0,
        ),
        (
            &[MAGIC, 0x0101_0000, 0, 1, 0],
            ErrorKind::MalformedVersion { found: 0x0101_0000 },
            4,
        ),
        (
            &[MAGIC, 0x0001_0007, 0, 1, 0],
            ErrorKind::MalformedVersion { found: 0x0001_0007 },
            4,
        ),
    ];
    for (words, kind, offset) in cases {
        let error = Module::new(words).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.offset().bytes(), offset, "{kind:?}");
        assert_eq!(Header::from_words(words), Err(error));
    }
}

#[test]
fn a_header_holds_its_five_words() {
    let words = [MAGIC, 0x0001_0400, 0x0007_0001, 0xffff_ffff, 9];
    let header = Header::from_words(&words).unwrap();
    assert_eq!(header.version, Version::V1_4);
    assert_eq!(header.generator, Generator::new(7, 1));
    assert_eq!(header.bound, u32::MAX);
    assert_eq!(header.schema, 9);
    assert_eq!(header.to_words(), words);
    assert_eq!(words.len(), HEADER_WORDS);
}

#[test]
fn a_version_from_the_future_is_read() {
    let words = [MAGIC, 0x0002_0900, 0, 1, 0];
    assert_eq!(
        Header::from_words(&words).unwrap().version,
        Version::new(2, 9)
    );
}

#[test]
fn the_bound_is_checked_on_request_only() {
    let with_bound = |bound| {
        let words = [MAGIC, 0x0001_0000, 0, bound, 0];
        *Module::new(&words).unwrap().header()
    };
    assert_eq!(with_bound(1).check_bound(1), Ok(()));
    assert_eq!(with_bound(100).check_bound(100), Ok(()));
    for (bound, limit) in [(0, 100), (101, 100), (u32::MAX, 0x3f_ffff)] {
        let error = with_bound(bound).check_bound(limit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadBound { bound, limit });
        assert_eq!(error.offset().bytes(), 12);
    }
}

#[test]
fn a_module_may_have_no_instruction() {
    let module = Module::new(&HEADER).unwrap();
    assert_eq!(module.words(), HEADER);
    assert_eq!(module.instructions().count(), 0);
}

#[test]
fn no_bytes_become_no_words() {
    assert!(bytes_from_words(&[], Endianness::Big).is_empty());
}
