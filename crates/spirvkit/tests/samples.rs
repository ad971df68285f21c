//! The sample modules: each text assembles to its binary, and the binary's raw
//! text back to it.

use std::path::{Path, PathBuf};

use spirvkit::{AssembleOptions, DisassembleOptions, Endianness, assemble, disassemble_bytes};

/// The sample texts.
fn texts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the samples' folder")
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "spvasm")
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are no samples");
    paths
}

fn bytes(text: &str) -> Vec<u8> {
    let module = assemble(text, &AssembleOptions::default());
    module
        .expect("a text without errors")
        .to_bytes(Endianness::Little)
}

#[test]
fn texts_assemble_to_the_modules_beside_them() {
    for path in texts() {
        let text = std::fs::read_to_string(&path).unwrap();
        let module = std::fs::read(path.with_extension("spv")).unwrap();
        assert!(bytes(&text) == module, "{}", path.display());
    }
}

#[test]
fn raw_texts_of_the_modules_assemble_to_them() {
    let plain = DisassembleOptions::default().friendly_names(false);
    for path in texts() {
        let module = std::fs::read(path.with_extension("spv")).unwrap();
        for options in [
            plain.clone(),
            plain.clone().lenient(true),
            plain
                .clone()
                .comments(true)
                .offsets(true)
                .nested_indentation(true),
            plain.clone().annotate(true).source(true),
        ] {
            let text = disassemble_bytes(&module, &options).unwrap();
            assert!(text.warnings.is_empty(), "{}", path.display());
            assert!(
                bytes(&text.text) == module,
                "{} with {options:?}",
                path.display()
            );
        }
    }
}

#[test]
fn friendly_texts_of_the_modules_assemble_to_modules_of_the_same_text() {
    let options = DisassembleOptions::default();
    for path in texts() {
        let module = std::fs::read(path.with_extension("spv")).unwrap();
        let first = disassemble_bytes(&module, &options).unwrap().text;
        let again = bytes(&first);
        assert_eq!(again.len(), module.len(), "{}", path.display());
        let second = disassemble_bytes(&again, &options).unwrap().text;
        // The numbers of ids may differ, and with them the names made of numbers.
        assert_eq!(
            second.lines().count(),
            first.lines().count(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn every_module_has_a_text() {
    let texts = texts();
    let folder = texts[0].parent().unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "spv") {
            assert!(
                texts.contains(&path.with_extension("spvasm")),
                "{}",
                path.display()
            );
        }
    }
}
