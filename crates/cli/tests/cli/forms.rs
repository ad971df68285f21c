//! Modules in every form, and files that are none.

use std::fmt::Write as _;

use crate::common::{Dir, TEXT};

/// The commands that read one module, with what they need besides.
const COMMANDS: [&[&str]; 16] = [
    &["dis"],
    &["val"],
    &["info"],
    &["layout"],
    &["cfg"],
    &["specialize", "--list"],
    &["opt"],
    &["strip", "--names"],
    &["trim-capabilities"],
    &["compact-ids"],
    &["split", "--list"],
    &["link", "--create-library"],
    &["merge"],
    &["debug", "dump"],
    &["debug", "sources"],
    &["debug", "scopes"],
];

fn numbers<const SIZE: usize>(module: &[u8], write: impl Fn(u64) -> String) -> String {
    let value = |unit: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..SIZE].copy_from_slice(unit);
        u64::from_le_bytes(bytes)
    };
    module.chunks(SIZE).map(|unit| write(value(unit))).collect()
}

/// What `xxd` shows.
fn xxd(module: &[u8]) -> String {
    let mut text = String::new();
    for (number, line) in module.chunks(16).enumerate() {
        write!(text, "{:08x}: ", number * 16).unwrap();
        let pairs: Vec<String> = line
            .chunks(2)
            .map(|pair| format!("{:02x}{:02x}", pair[0], pair[1]))
            .collect();
        let shown: String = line
            .iter()
            .map(|&byte| {
                if byte.is_ascii_graphic() {
                    char::from(byte)
                } else {
                    '.'
                }
            })
            .collect();
        writeln!(text, "{:39}  {shown}", pairs.join(" ")).unwrap();
    }
    text
}

/// What `hexdump -C` shows.
fn hexdump(module: &[u8]) -> String {
    let mut text = String::new();
    for (number, line) in module.chunks(16).enumerate() {
        write!(text, "{:08x} ", number * 16).unwrap();
        for half in line.chunks(8) {
            text += " ";
            for byte in half {
                write!(text, "{byte:02x} ").unwrap();
            }
        }
        text += " || 0723|\n";
    }
    writeln!(text, "{:08x}", module.len()).unwrap();
    text
}

/// A module as digits in all the forms that people have.
fn as_digits(module: &[u8]) -> Vec<(&'static str, String)> {
    let bytes = |write: fn(u64) -> String| numbers::<1>(module, write);
    let words = |write: fn(u64) -> String| numbers::<4>(module, write);
    let run = bytes(|byte| format!("{byte:02x}"));
    let lines: Vec<&str> = (0..run.len())
        .step_by(60)
        .map(|at| &run[at..run.len().min(at + 60)])
        .collect();
    let other_order = |word: u64| format!("0x{:08x} ", (word as u32).swap_bytes());
    vec![
        ("words", words(|word| format!("0x{word:08x}, "))),
        (
            "words without prefix",
            words(|word| format!("{word:08X}\n")),
        ),
        ("words in the other order", words(other_order)),
        ("decimal words", words(|word| format!("{word} "))),
        ("bytes", bytes(|byte| format!("{byte:02x} "))),
        ("decimal bytes", bytes(|byte| format!("{byte}, "))),
        ("xxd -p", lines.join("\n") + "\n"),
        ("one run", run.clone()),
        ("xxd", xxd(module)),
        ("hexdump -C", hexdump(module)),
        (
            "xxd -i",
            format!(
                "unsigned char a_spv[] = {{\n  {}\n}};\nunsigned int a_spv_len = {};\n",
                bytes(|byte| format!("0x{byte:02x}, ")),
                module.len()
            ),
        ),
        (
            "glslangValidator --vn",
            format!(
                "\t// 11:14.0.0\n\t#pragma once\nconst uint32_t name[] = {{\n\t{}\n}};\n",
                words(|word| format!("0x{word:08x},"))
            ),
        ),
        (
            "glslc -mfmt=c",
            format!("{{{}}}", words(|word| format!("0x{word:08x},"))),
        ),
        (
            "Rust",
            format!(
                "pub const CODE: [u32; {}] = [{}];\n",
                module.len() / 4,
                words(|word| format!("0x{:04x}_{:04x}u32, ", word >> 16, word & 0xffff))
            ),
        ),
        (
            "JSON",
            format!("{{\"code\": [{}0]}}", words(|word| format!("{word}, "))).replace(", 0]", "]"),
        ),
    ]
}

#[test]
fn digits_of_every_form_are_read() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let expected = dir.spv_with_input(&["dis"], &module);
    for (form, text) in as_digits(&module) {
        let mut texts = vec![
            text.clone(),
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
        ];
        let units = text.encode_utf16();
        texts.push(format!("\n{text}"));
        for text in texts {
            let ran = dir.spv_with_input(&["dis"], text.as_bytes());
            assert_eq!(ran.text(), expected.text(), "{form}: {text}");
        }
        let utf_16: Vec<u8> = [0xfeff]
            .into_iter()
            .chain(units)
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(
            dir.spv_with_input(&["dis"], &utf_16).text(),
            expected.text(),
            "{form}"
        );
    }
}

#[test]
fn every_command_reads_every_form() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let digits = as_digits(&module);
    for command in COMMANDS {
        let expected = dir.spv_with_input(command, &module);
        for (form, text) in &digits {
            let ran = dir.spv_with_input(command, text.as_bytes());
            let shown = |ran: &crate::common::Ran| {
                (ran.code, String::from_utf8_lossy(&ran.stdout).into_owned())
            };
            // A big-endian module stays one where the output is a module.
            if form.contains("other order") && expected.stdout.starts_with(&module[..4]) {
                assert_eq!(ran.bytes()[..4], [7, 0x23, 2, 3]);
                continue;
            }
            assert_eq!(shown(&ran), shown(&expected), "{command:?} {form}");
        }
    }
    for (form, text) in &digits {
        dir.write("a.hex", text);
        let ran = dir.spv(&["diff", "a.hex", "a.spv"]);
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{form}");
    }
}

#[test]
fn faults_in_digits_are_shown_where_they_are() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let second_line = |text: &str| text.replace("\n0", "\n0 z");
    dir.write("a.hex", second_line(&xxd(&module)));
    for command in COMMANDS {
        let ran = dir.spv(&[command, &["a.hex"]].concat());
        assert_eq!(ran.code, 1, "{command:?} {ran:?}");
        assert!(ran.stderr.contains("error[hex."), "{command:?} {ran:?}");
        assert!(ran.stderr.contains("a.hex:2:"), "{command:?} {ran:?}");
    }
    dir.write("b.hex", "030223070000010000000000\n010000000\n");
    let ran = dir.spv(&["dis", "b.hex"]);
    ran.fails(1, "error[hex.odd-digits]");
    ran.fails(1, "b.hex:2:1\n");
    dir.write(
        "c.h",
        "int c[] = {\n  0x07230203, 0x00010000,\n  0x000g\n};\n",
    );
    let ran = dir.spv(&["val", "c.h"]);
    ran.fails(1, "error[hex.bad-digit]");
    ran.fails(1, "c.h:3:8\n");
}

#[test]
fn a_module_as_digits_is_no_assembly() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    for (form, text) in as_digits(&module) {
        let ran = dir.spv_with_input(&["as"], text.as_bytes());
        ran.fails(1, "error[text.binary-module]");
        assert!(ran.stderr.contains("`spv dis`"), "{form}");
    }
}

/// Text in UTF-16, with a byte order mark or without.
fn utf_16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(bytes)
        .collect()
}

#[test]
fn text_in_other_encodings_is_read() {
    let dir = Dir::new();
    let text = format!("{TEXT}; Ünïcödé 😀\r\nOpFoo\r\n");
    let expected = dir.module("a.spv", TEXT);
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        for mark in [true, false] {
            let ran = dir.spv_with_input(&["as"], &utf_16(TEXT, mark, bytes));
            assert_eq!(ran.bytes(), expected);
            dir.write("a.spvasm", utf_16(&text, mark, bytes));
            for command in COMMANDS.iter().filter(|command| command[0] != "dis") {
                let ran = dir.spv(&[command, &["a.spvasm"][..]].concat());
                assert_eq!(ran.code, 1, "{command:?} {ran:?}");
                assert!(
                    ran.stderr.contains("a.spvasm:11:1\n"),
                    "{command:?} {ran:?}"
                );
            }
        }
    }
    dir.spv_with_input(
        &["as"],
        &utf_16("OpNop\u{fffd}", true, |unit| match unit {
            0xfffd => [0x00, 0xd8],
            unit => unit.to_le_bytes(),
        }),
    )
    .fails(1, "error[text.not-utf16]");
}

#[test]
fn a_byte_order_mark_has_no_column() {
    let dir = Dir::new();
    let marked = format!("\u{feff}{TEXT}");
    assert_eq!(
        dir.spv_with_input(&["as"], marked.as_bytes()).bytes(),
        dir.module("a.spv", TEXT)
    );
    let ran = dir.spv_with_input(&["as"], "\u{feff}OpCapability Shadr\n".as_bytes());
    ran.fails(1, "<stdin>:1:14\n");
    ran.fails(1, "| OpCapability Shadr\n   |              ^^^^^\n");
    let ran = dir.spv_with_input(
        &["as", "--format=json"],
        "\u{feff}OpCapability Shadr\n".as_bytes(),
    );
    ran.fails(1, r#""column":14,"byte_start":16"#);
}

#[test]
fn a_module_that_a_redirection_spoilt_is_reported_as_that() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let spoilt = [0xff, 0xfe]
        .into_iter()
        .chain(module.iter().flat_map(|&byte| [byte, 0]));
    dir.write("b.spv", spoilt.collect::<Vec<u8>>());
    for command in COMMANDS {
        let ran = dir.spv(&[command, &["b.spv"]].concat());
        assert_eq!(ran.code, 1, "{command:?} {ran:?}");
        let errors = format!("{}{}", ran.stderr, String::from_utf8_lossy(&ran.stdout));
        assert!(
            errors.contains("binary.converted") && errors.contains("`-o`"),
            "{command:?} {ran:?}"
        );
    }
}

#[test]
fn other_languages_and_formats_have_one_error() {
    let dir = Dir::new();
    let body = "int twice(int a) { return a * 2; }\n".repeat(300);
    dir.write("a.frag", format!("#version 450\n{body}void main() {{}}\n"));
    dir.write(
        "b.hlsl",
        format!("cbuffer B : register(b0) {{ float4x4 m; }};\n{body}"),
    );
    dir.write("c.wgsl", "@compute @workgroup_size(1)\nfn main() {}\n");
    dir.write("d.json", "{\n  \"a\": [1, 2]\n}\n");
    dir.write("e.dxil", b"DXBC\0\0\0\0\0\0\0\0");
    dir.write("f.gz", b"\x1f\x8b\x08\x00\x00\x00");
    dir.write("g.spv", b"\x7fELF\x02\x01\x01\x80\xff");
    let cases = [
        (
            "a.frag",
            "text.other-language",
            "GLSL",
            "glslangValidator -V",
        ),
        ("b.hlsl", "text.other-language", "HLSL", "dxc -spirv"),
        ("c.wgsl", "text.other-language", "WGSL", "naga"),
        ("d.json", "text.other-language", "JSON", ""),
        ("e.dxil", "binary.other-format", "DXIL", "dxc -spirv"),
        ("f.gz", "binary.other-format", "gzip", "unpack"),
        ("g.spv", "binary.other-format", "ELF", ""),
    ];
    for (file, rule, name, advice) in cases {
        for command in COMMANDS.iter().chain([&&["as"][..]]) {
            let ran = dir.spv(&[command, &[file][..]].concat());
            assert_eq!(ran.code, 1, "{command:?} {file} {ran:?}");
            assert_eq!(
                ran.stderr.matches("error[").count(),
                1,
                "{command:?} {file} {ran:?}"
            );
            for part in [rule, name, advice, file] {
                assert!(
                    ran.stderr.contains(part),
                    "{command:?} {file} {part}: {ran:?}"
                );
            }
        }
    }
    dir.spv(&["as", "a.frag"]).fails(1, "a.frag:1:1\n");
}

#[test]
fn ids_that_nothing_defines_are_warnings_of_the_assembler() {
    let dir = Dir::new();
    let text = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n\
                %float = OpTypeFloat 32\n%vector = OpTypeVector %flaot 2\n%matrix = OpTypeMatrix %flaot 2\n";
    dir.write("a.spvasm", text);
    let ran = dir.spv(&["as", "a.spvasm", "-o", "a.spv"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        ran.stderr.matches("warning[text.undefined-id]").count(),
        1,
        "{ran:?}"
    );
    for part in ["a.spvasm:5:24\n", "`%flaot`", "did you mean `%float`?"] {
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
    assert!(dir.path("a.spv").exists());
    let ran = dir.spv(&["as", "--format=json", "a.spvasm", "-o", "a.spv"]);
    assert!(
        ran.stderr
            .contains(r#""severity":"warning","rule":"text.undefined-id""#),
        "{ran:?}"
    );

    let ran = dir.spv(&["as", "--deny-warnings", "a.spvasm", "-o", "denied.spv"]);
    ran.fails(1, "warning[text.undefined-id]");
    assert!(!dir.path("denied.spv").exists());
    let defined = text.replace("flaot", "float");
    let ran = dir.spv_with_input(
        &["as", "--deny-warnings", "-o", "b.spv"],
        defined.as_bytes(),
    );
    assert_eq!((ran.code, &*ran.stderr), (0, ""));

    // The validator says it once, as an error of its own.
    let ran = dir.spv(&["val", "a.spvasm"]);
    ran.fails(1, "error[");
    assert!(!ran.stderr.contains("text.undefined-id"), "{ran:?}");
    assert!(ran.stderr.contains("`%flaot`"), "{ran:?}");
}

#[test]
fn a_string_without_an_end_is_one_error() {
    let dir = Dir::new();
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpName %1 \"one\nOpName %2 \"two\"\n\
                %1 = OpTypeVoid\n%2 = OpTypeBool\n";
    dir.write("a.spvasm", text);
    for command in [&["as"][..], &["val"], &["strip", "--names"]] {
        let ran = dir.spv(&[command, &["a.spvasm"]].concat());
        ran.fails(1, "error[text.open-string]");
        ran.fails(1, "a.spvasm:3:11\n");
        assert_eq!(ran.stderr.matches("error[").count(), 1, "{ran:?}");
    }
}
