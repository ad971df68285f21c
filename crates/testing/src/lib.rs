//! What the tests of several crates share: modules from text and back, and the files below a
//! folder. What is wrong with a test's own input is a panic.
#![deny(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use spirvkit_diagnostics::{Diagnostic, Source};
use spirvkit_text::{
    AssembleOptions, Assembled, DisassembleOptions, IdNumbering, Indentation, assemble, disassemble,
};

/// The module that a text assembles to.
#[track_caller]
pub fn assembled(text: &str, options: &AssembleOptions) -> Assembled {
    match assemble(text, options) {
        Ok(module) => module,
        Err(errors) => panic!("{}\n{text}", errors.render(&Source::new("test", text))),
    }
}

/// The words of the module that a text assembles to by default.
#[track_caller]
pub fn words(text: &str) -> Vec<u32> {
    assembled(text, &AssembleOptions::default()).words
}

/// The words of a module whose ids keep the numbers that they have in the text.
#[track_caller]
pub fn numbered_words(text: &str) -> Vec<u32> {
    let options = AssembleOptions::default().numbering(IdNumbering::Preserve);
    assembled(text, &options).words
}

/// A module as text with its names, an instruction a line, without the header.
#[track_caller]
pub fn text(words: &[u32]) -> String {
    let options = DisassembleOptions::default().header(false);
    let options = options.indentation(Indentation::None);
    disassemble(words, &options).unwrap().text
}

/// The same with numbers for ids.
#[track_caller]
pub fn numbered_text(words: &[u32]) -> String {
    let options = DisassembleOptions::default().header(false);
    let options = options.indentation(Indentation::None).friendly_names(false);
    disassemble(words, &options).unwrap().text
}

/// The rules that are broken, in their order.
pub fn rules(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(Diagnostic::rule).collect()
}

/// Decorations and types of a shader whose buffers are arrays of `u32`: `%block` is what is in
/// one, `%ptr_block` points to it, and `%ptr_element` to an element.
pub const ARRAYS: &str = "OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%v3u32 = OpTypeVector %u32 3
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
";

/// The files below a folder whose names end like this, sorted.
#[track_caller]
pub fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
