//! The functions and types that the crate offers under its own name.

use spirvkit::diagnostics::{Location, Source, render};
use spirvkit::{
    AssembleOptions, DisassembleOptions, Endianness, IdNumbering, Indentation, TargetEnv, Version,
};

const TEXT: &str = "OpCapability Linkage\nOpMemoryModel Logical GLSL450\n%1 = OpTypeVoid\n";

fn plain() -> DisassembleOptions {
    DisassembleOptions::default()
        .header(false)
        .friendly_names(false)
        .indentation(Indentation::None)
}

#[test]
fn text_becomes_bytes_and_text_again_in_either_byte_order() {
    let module = spirvkit::assemble(TEXT, &AssembleOptions::default()).unwrap();
    for endianness in [Endianness::Little, Endianness::Big] {
        let bytes = module.to_bytes(endianness);
        assert_eq!(bytes, spirvkit::bytes_from_words(&module.words, endianness));
        assert_eq!(
            spirvkit::words_from_bytes(&bytes),
            Ok((module.words.clone(), endianness))
        );
        assert_eq!(
            spirvkit::disassemble_bytes(&bytes, &plain()).unwrap().text,
            TEXT
        );
    }
    assert_eq!(
        spirvkit::disassemble(&module.words, &plain()).unwrap().text,
        TEXT
    );
}

#[test]
fn an_environment_s_version_is_a_target() {
    let environment: TargetEnv = "vulkan1.1".parse().unwrap();
    let options = AssembleOptions::default()
        .target(Some(environment.version()))
        .numbering(IdNumbering::Renumber);
    let module = spirvkit::assemble("%9 = OpTypeVoid", &options).unwrap();
    assert_eq!(module.words[1], Version::V1_3.to_word());
    assert_eq!(module.words[6], 1);
}

#[test]
fn errors_of_text_and_of_modules_render_alike() {
    let text = "OpCapability Linkage\nOpMemoryModel Logical GLSL45\n";
    let errors = spirvkit::assemble(text, &AssembleOptions::default()).unwrap_err();
    let source = Source::new("a.spvasm", text);
    assert_eq!(
        render::terminal(&errors[0], Some(&source), false),
        "error[text.unknown-enumerant]: `GLSL45` is not a memory model\n  --> a.spvasm:2:23\n   |\n \
         2 | OpMemoryModel Logical GLSL45\n   |                       ^^^^^^\n   \
         = help: did you mean `GLSL450`?\n"
    );

    let words = [0x0723_0203, 0x0001_0000, 0, 1, 0, 0x0002_0000, 7];
    let errors = spirvkit::disassemble(&words, &plain()).unwrap_err();
    assert_eq!(errors[0].location(), Location::Word(6));
    let shown = render::terminal(&errors[0], Some(&Source::new("a.spv", "")), false);
    assert!(shown.contains("--> a.spv: byte 24 (word 6)"), "{shown}");
}

#[test]
fn the_libraries_are_modules() {
    assert_eq!(spirvkit::grammar::Op::Load.name(), Some("OpLoad"));
    assert_eq!(spirvkit::binary::MAGIC, 0x0723_0203);
    assert!(spirvkit::text::assemble(TEXT, &Default::default()).is_ok());
    assert_eq!(spirvkit::diagnostics::Severity::Error.name(), "error");
}
