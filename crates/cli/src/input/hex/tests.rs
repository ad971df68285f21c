use spirvkit::diagnostics::Location;

use super::*;

/// The five words of a header, lowest byte first.
const HEADER: [u8; 20] = [
    3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
];

#[track_caller]
fn decode(text: &str) -> Result<Vec<u8>, Diagnostic> {
    read(text).expect("these are digits")
}

#[track_caller]
fn refuses(text: &str, rule: &str, start: usize, end: usize) {
    let error = decode(text).expect_err("the text is wrong");
    assert_eq!(error.rule(), rule, "{error:?}");
    assert_eq!(
        error.location(),
        Location::Span(Span { start, end }),
        "{error:?}"
    );
}

#[test]
fn words_with_and_without_prefixes() {
    for text in [
        "0x07230203, 0x00010000, 0x00000000, 0x00000001, 0x00000000",
        "0x7230203 0x10000 0x0 0x1 0x0",
        "x07230203\tx00010000,x0,x1\r\nx0\n",
        "07230203 00010000 00000000 00000001 00000000",
        "0X07230203,0x00010000,,0X0 , 0x1\n\n0x0,",
    ] {
        assert_eq!(decode(text).as_deref(), Ok(&HEADER[..]), "{text}");
    }
}

#[test]
fn bytes_in_both_orders() {
    let little = "03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00 00 00 00 00";
    assert_eq!(decode(little).as_deref(), Ok(&HEADER[..]));
    let prefixed = "0x3,0x2,0x23,0x7,0x0,0x0,0x1,0x0,0,".replace(",0,", "");
    assert_eq!(decode(&prefixed).as_deref(), Ok(&HEADER[..8]));
    assert_eq!(
        decode("07 23 02 03 00 1 0 0").as_deref(),
        Ok(&[7, 0x23, 2, 3, 0, 1, 0, 0][..])
    );
}

#[test]
fn words_in_the_other_order() {
    assert_eq!(
        decode("0x03022307 0x00000100").as_deref(),
        Ok(&[7, 0x23, 2, 3, 0, 1, 0, 0][..])
    );
}

#[test]
fn faults_are_located() {
    refuses("0x07230203 0x0001000g", "hex.bad-digit", 20, 21);
    refuses("0x07230203 0x", "hex.bad-digit", 11, 13);
    refuses("0x07230203 00010000", "hex.mixed-prefixes", 11, 19);
    refuses("0x07230203 x00010000", "hex.mixed-prefixes", 11, 20);
    refuses("07230203 0x00010000", "hex.mixed-prefixes", 9, 19);
    refuses("07230203 000010000", "hex.too-long", 9, 18);
    refuses("03 02 23 07 000", "hex.too-long", 12, 15);
    refuses("03 02 23 07 00", "hex.odd-size", 12, 14);
    refuses("  0x12345678", "hex.wrong-magic", 2, 12);
    refuses("03 02", "hex.wrong-magic", 0, 2);
    refuses("0x07230203 0xé", "hex.bad-digit", 13, 15);
}

#[test]
fn other_units_are_recognized_by_the_magic_number() {
    for text in [
        // `xxd -p`, in one line and in several.
        "0302230700000100000000000100000000000000",
        "030223070000010000000000\n0100000000000000\n",
        "0302 2307 0000 0100 0000 0000 0100 0000 0000 0000",
        "0302230700000100 0000000001000000 00000000",
        // `od -An -t x2` and `-t x8`, but for the last word.
        "0203 0723 0000 0001 0000 0000 0001 0000 0000 0000",
        "0x0203, 0x723, 0x0, 0x1, 0x0, 0x0, 0x1, 0x0, 0x0, 0x0",
        "119734787 65536 0 1 0",
        "119734787, 65536, 0, 1, 0,",
        "3, 2, 35, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0",
    ] {
        assert_eq!(decode(text).as_deref(), Ok(&HEADER[..]), "{text}");
    }
    let eight = "0001000007230203 0000000100000000";
    assert_eq!(decode(eight).as_deref(), Ok(&HEADER[..16]));
    let big = [7, 0x23, 2, 3, 0, 1, 0, 0];
    for text in [
        "0723020300010000",
        "0723 0203 0001 0000",
        "2307 0302 0100 0000",
        "50471687 256",
    ] {
        assert_eq!(decode(text).as_deref(), Ok(&big[..]), "{text}");
    }
}

#[test]
fn faults_of_other_units_are_located() {
    refuses(
        "03022307000001000000000001000000\n000",
        "hex.odd-digits",
        33,
        36,
    );
    refuses(
        "0302230700000100000000000100000g00",
        "hex.bad-digit",
        31,
        32,
    );
    refuses("0302240700000100000000000100", "hex.wrong-magic", 0, 28);
    refuses("119734787 6553a", "hex.bad-digit", 14, 15);
    refuses("119734787 4294967296", "hex.too-long", 10, 20);
    refuses("3 2 35 7 256", "hex.too-long", 9, 12);
    refuses("0203 0723 00001", "hex.too-long", 10, 15);
}

#[test]
fn dumps_with_offsets() {
    for text in [
        // xxd, `xxd -g1`, `xxd -g4`, `xxd -e`.
        "00000000: 0302 2307 0000 0100 0000 0000 0100 0000  ..#.............\n\
         00000010: 0000 0000                                ....\n",
        "00000000: 03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00  ..#.............\r\n\
         00000010: 00 00 00 00                                      ....\r\n",
        "00000000: 03022307 00000100 00000000 01000000  ..# 07230203....\n00000010: 00000000  ....\n",
        "00000000: 07230203 00010000 00000000 00000001  ..#.............\n00000010: 00000000  ....\n",
        // `od`, `hexdump -C`, hexdump, `od -t x1`, `od -t x4`, `od -A d -t x1z`.
        "0000000 001003 003443 000000 000001 000000 000000 000001 000000\n0000020 000000 000000\n0000024\n",
        "00000000  03 02 23 07 00 00 01 00  00 00 00 00 01 00 00 00  |..#.............|\n\
         00000010  00 00 00 00                                       |....|\n\
         00000014\n",
        "0000000 0203 0723 0000 0001 0000 0000 0001 0000\n0000010 0000 0000\n0000014\n",
        "0000000 03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00\n0000020 00 00 00 00\n0000024\n",
        "\n0000000 07230203 00010000 00000000 00000001\n0000020 00000000\n0000024\n",
        "0000000 03 02 23 07 00 00 01 00 00 00 00 00 01 00 00 00  >..#.............<\n\
         0000016 00 00 00 00                                      >....<\n0000020\n",
    ] {
        assert_eq!(decode(text).as_deref(), Ok(&HEADER[..]), "{text}");
    }
}

#[test]
fn lines_that_a_dump_leaves_out_are_filled_in() {
    let start = "00000000  03 02 23 07 00 00 01 00  00 00 00 00 01 00 00 00  |..#.............|\n";
    let zeros = "00000010  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n";
    let text = format!("{start}{zeros}*\n00000050  01 00 00 00  |....|\n00000054\n");
    let expected = [&HEADER[..16], &[0; 64], &[1, 0, 0, 0]].concat();
    assert_eq!(decode(&text), Ok(expected));
    let text = format!("{start}{zeros}*\nffffffff  01 00 00 00\n");
    refuses(
        &text,
        "hex.wrong-offset",
        start.len() + zeros.len() + 2,
        text.len() - 14,
    );
    // There is a limit to all of them together.
    let most = |offset| format!("{start}{zeros}*\n{offset:08x}  00 00 00 00\n");
    assert_eq!(
        decode(&most((1 << 20) + 32)).map(|it| it.len()),
        Ok((1 << 20) + 36)
    );
    assert!(decode(&most((1 << 20) + 48)).is_err());
    let half = most((1 << 19) + 32);
    let twice = format!("{half}*\n{:08x}\n", (1 << 20) + 40);
    assert!(decode(&twice).is_err() && decode(&half).is_ok());
    let text = format!("{start}{zeros}*\n00000008\n");
    refuses(
        &text,
        "hex.wrong-offset",
        start.len() + zeros.len() + 2,
        text.len() - 1,
    );
}

#[test]
fn faults_of_dumps_are_located() {
    refuses(
        "00000000: 0302 2307 0000 0100 0000 00  ......\n00000010: 0000\n",
        "hex.wrong-offset",
        46,
        54,
    );
    refuses(
        "00000000: 0302 23g7 0000  ......\n",
        "hex.bad-digit",
        17,
        18,
    );
    refuses(
        "00000000: 0302 2307\n0000000x: 0000 0100\n",
        "hex.bad-digit",
        27,
        28,
    );
    refuses("00000000: 0302 2307 000\n", "hex.odd-digits", 20, 23);
    refuses("00000000: 0302 2307 00\n", "hex.odd-size", 20, 22);
    refuses("00000000: 4458 4243 0000 0100\n", "hex.wrong-magic", 10, 14);
}

#[test]
fn arrays_of_source_code() {
    for text in [
        // `glslangValidator --vn`.
        "\t// 11:14.0.0\n\t #pragma once\nconst uint32_t shader_frag[] = {\n\t0x07230203,0x00010000,\
         0x00000000,0x00000001,\n\t0x00000000\n};\n",
        // `xxd -i`.
        "unsigned char a_spv[] = {\n  0x03, 0x02, 0x23, 0x07, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,\n  \
         0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00\n};\nunsigned int a_spv_len = 20;\n",
        // `glslc -mfmt=c`.
        "{0x07230203,0x00010000,0,1,0}",
        "#include <array>\nstatic constexpr std::array<std::uint32_t, 5> code = {{ /* five */ 0x07230203u,\n\
         0x0001'0000U, // {1, 2}\n0u, 1UL, 0 }};",
        "pub const CODE: [u32; 5] = [0x0723_0203u32, 0x0001_0000, 0, 1_u32, 0];",
        "let code = vec![119734787, 65536, 0, 1, 0];",
        "static CODE: &[u8] = &[3, 2, 35, 7, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];",
        "const code = new Uint32Array([ 119734787, 65536, 0, 1, 0 ]); // \"{1}\"",
        "{ \"name\": \"[1\", \"size\": [5], \"code\": [119734787, 65536, 0, 1, 0] }",
        "uint16_t halves[] = { 0x0203, 0x0723, 0, 1, 0, 0, 1, 0, 0, 0 };",
    ] {
        assert_eq!(decode(text).as_deref(), Ok(&HEADER[..]), "{text}");
    }
    let wide = "float x = f(1.5, 2); uint64_t c[2] = { 0x0001000007230203ull, 0x100000000 };";
    assert_eq!(decode(wide).as_deref(), Ok(&HEADER[..16]));
    let signed = "byte[] code = {3, 2, 35, 7, -1, -128, 127, 0};";
    assert_eq!(decode(signed), Ok(vec![3, 2, 35, 7, 255, 128, 127, 0]));
    let big = "uint32_t c[] = { 0x03022307, 0x00000100 };";
    assert_eq!(decode(big), Ok(vec![7, 0x23, 2, 3, 0, 1, 0, 0]));
}

#[test]
fn faults_of_arrays_are_located() {
    refuses("int c[] = {0x07230203, 0x000g};", "hex.bad-digit", 28, 29);
    refuses("int c[] = {0x07230203, WORD};", "hex.bad-digit", 23, 24);
    refuses("int c[] = {0x07230203, 1.5};", "hex.bad-digit", 24, 25);
    refuses("int c[] = {0x07230203, 0x};", "hex.bad-digit", 23, 25);
    refuses(
        "int c[] = {0x07230203, 0x123456789};",
        "hex.too-long",
        23,
        34,
    );
    refuses("char c[] = {3, 2, 35, 7, 256};", "hex.too-long", 25, 28);
    refuses("char c[] = {3, 2, 35, 7, 0};", "hex.odd-size", 25, 26);
    refuses("int c[] = {0x07230203, 1", "hex.open-array", 24, 24);
    refuses(
        "a = {0x07230203, 0}; b = {0x07230203, 0};",
        "hex.several-modules",
        26,
        36,
    );
    refuses(
        "x = {0x44, 0x58, 0x42, 0x43, 0, 0, 0, 0, 0, 0};",
        "hex.wrong-magic",
        5,
        9,
    );
}

#[test]
fn digits_of_other_files_are_recognized_by_their_name() {
    for text in [
        "44 58 42 43 00 00",
        "00000000: 4458 4243 0000 ",
        "char c[] = {0x44,0x58,0x42,0x43,0};",
    ] {
        let help = decode(text).unwrap_err();
        let help = help.help().unwrap_or_default();
        assert!(help.contains("DXIL"), "{text}: {help}");
    }
}

#[test]
fn only_digits_are_taken_for_digits() {
    for text in [
        "0x07230203 0x00010000",
        "\n03 02 23 07",
        "x07230203",
        "12345678",
        "\u{feff}07230203",
    ] {
        assert!(read(text).is_some(), "{text}");
    }
    for text in [
        "; SPIR-V\nOpCapability Shader\n",
        "; {0x07230203, 0}",
        "OpName %a \"{0x07230203, 0}\"",
        "%1 = OpConstant %2 119734787",
        "!119734787",
        "",
        " \n",
        "x",
        "a module",
        "12345678 and more",
        "Add 1 to it",
        "000 of them",
        "vec4 f(vec2 a) { return vec4(1, 2, 3, 4, 5, 6); }",
        "#version 450\nconst int a[] = {0, 1, 2, 3, 4, 5, 6, 7};\nvoid main() { gl_Position = vec4(a[0]); }",
        "{ \"asset\": { \"version\": [2, 0, 0, 0, 0] } }",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn modules_are_recognized_by_the_magic_number_in_either_order() {
    assert!(is_binary_module(&HEADER));
    assert!(is_binary_module(&[7, 0x23, 2, 3]));
    assert!(!is_binary_module(&[3, 2, 0x23]));
    assert!(!is_binary_module(b"0x07"));
}
