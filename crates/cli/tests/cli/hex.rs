//! Modules as hexadecimal text.

use std::fmt::Write as _;

use crate::common::{Dir, TEXT};

fn hex(module: &[u8], write: impl Fn(&mut String, &[u8])) -> String {
    let mut text = String::new();
    for word in module.chunks(4) {
        write(&mut text, word);
    }
    text
}

#[test]
fn words_and_bytes_are_read() {
    let dir = Dir::new();
    let module = dir.module("a.spv", TEXT);
    let value = |word: &[u8]| u32::from_le_bytes(word.try_into().unwrap());
    let texts = [
        hex(&module, |text, word| {
            write!(text, "0x{:08x}, ", value(word)).unwrap()
        }),
        hex(&module, |text, word| {
            writeln!(text, "x{:x}", value(word)).unwrap()
        }),
        hex(&module, |text, word| {
            write!(text, "{:08X},", value(word)).unwrap()
        }),
        hex(&module, |text, word| {
            word.iter()
                .for_each(|byte| write!(text, "{byte:02x} ").unwrap());
        }),
        hex(&module, |text, word| {
            word.iter()
                .rev()
                .for_each(|byte| write!(text, "0X{byte:02x},\t").unwrap());
        }),
    ];
    let expected = dir.spv_with_input(&["dis"], &module);
    for text in texts {
        assert_eq!(
            dir.spv_with_input(&["dis"], text.as_bytes()).text(),
            expected.text(),
            "{text}"
        );
        dir.write("a.hex", &text);
        assert_eq!(dir.spv(&["dis", "a.hex"]).text(), expected.text());
    }
}

#[test]
fn faults_are_shown_in_the_text() {
    let dir = Dir::new();
    dir.write(
        "a.hex",
        "0x07230203, 0x00010000,\n0x00000000, 0x0000000Z, 0x00000000\n",
    );
    let ran = dir.spv(&["dis", "a.hex"]);
    ran.fails(1, "error[hex.bad-digit]");
    ran.fails(1, "a.hex:2:22\n");
    dir.write("b.hex", "0x07230203, 00010000");
    dir.spv(&["dis", "b.hex"]).fails(1, "b.hex:1:13\n");
    dir.write("c.hex", "0x01020304 0x0");
    dir.spv(&["dis", "c.hex"])
        .fails(1, "error[hex.wrong-magic]");
    // A part of a word is the module's fault, not the text's.
    dir.write("d.hex", "03 02 23 07 00");
    dir.spv(&["dis", "d.hex"]).fails(1, "d.hex");
}
