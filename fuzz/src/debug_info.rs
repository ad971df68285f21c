//! Debug information, whatever it says.

use spirvkit::binary::{Module, WordOffset};
use spirvkit::debuginfo::DebugInfo;
use spirvkit::words_from_bytes;

use crate::{RECIPE, mutate};

/// How many instructions are asked about: each may be in as many scopes as there are.
const ASKED: usize = 64;

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. Whatever its debug
/// information says, it can be read, asked and shown, and what comes of a line says so.
pub fn debug_information(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        debug_information_of_words(&mutate(&words, recipe));
    }
}

/// The same with the words of a module.
pub fn debug_information_of_words(words: &[u32]) {
    let Ok(module) = Module::new(words) else {
        return;
    };
    let info = DebugInfo::read(&module);
    for entry in info.entries() {
        let found = info.entry_starting_at(entry.offset());
        assert_eq!(found, Some(entry));
        let shown = [entry.summary(), entry.type_text(), entry.declaration_text()];
        assert!(
            shown
                .iter()
                .all(|text| text.len() < words.len() * 8 + 100_000)
        );
        entry.fields_text();
        entry.place_text();
        entry.function();
    }
    let tree = info.tree();
    let shown = info
        .entries()
        .filter(|entry| !entry.kind().is_in_body())
        .count();
    assert!(tree.lines().count() >= shown);
    for (file, _) in info.files() {
        let text = info.text_of(file).unwrap_or_default();
        assert!(text.len() <= words.len() * 12);
        for line in info.lines_of(file).take(ASKED) {
            for range in info.instructions_of(file, line) {
                let position = info.position(WordOffset(range.start));
                assert_eq!(position.map(|at| (at.file, at.line)), Some((file, line)));
            }
        }
    }
    let instructions = info.instructions();
    for instruction in instructions.step_by(words.len() / ASKED + 1) {
        let at = instruction.offset();
        let frames = info.frames(at);
        for found in info.variables(at) {
            assert!(found.frame < frames.len());
        }
    }
}
