//! Debug information, whatever it says.

use spirvkit::binary::{Id, WordOffset};
use spirvkit::debuginfo::convert::{Options, convert};
use spirvkit::debuginfo::dwarf::{self, Version};
use spirvkit::debuginfo::{DebugInfo, Kind, Set, remove_each};
use spirvkit::{ir, words_from_bytes};

use crate::recipe::Recipe;
use crate::shapes::{Side, changed};
use crate::{RECIPE, load_words, mutate};

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
    let Ok(info) = DebugInfo::read(words) else {
        return;
    };
    for entry in info.entries() {
        let found = info.entry_starting_at(entry.offset());
        assert_eq!(found, Some(entry));
        let shown = [entry.summary(), entry.type_text(), entry.declaration_text()];
        assert!(
            shown
                .iter()
                .all(|text| text.len() < words.len() * 8 + 100_000)
        );
        for (_, values) in entry.fields_text() {
            values.for_each(drop);
        }
        entry.place_text();
        entry.function();
    }
    let branches = info.tree().inspect(|branch| drop(branch.to_string()));
    let branches = branches.count();
    let shown = info
        .entries()
        .filter(|entry| !entry.kind().is_in_body())
        .count();
    assert!(branches >= shown);
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
        let frames = info.frames(at).count();
        let variables = info.variables(at);
        let count = variables.clone().count();
        let found = variables.inspect(|found| assert!(found.frame < frames));
        assert_eq!(found.fold(0, |count, _| count + 1), count);
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. Its debug information
/// can be converted to each set, and instructions of it removed: what comes of that can be
/// stored and loaded, and what was removed is gone.
pub fn converted_debug_information(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        convert_debug_information(&words, recipe);
    }
}

/// The same with words and a recipe of any length.
pub fn convert_debug_information(words: &[u32], recipe: &[u8]) {
    let (changes, choices) = recipe.split_at(recipe.len() / 2);
    let words = mutate(words, changes);
    let mut recipe = Recipe::new(choices);
    let Ok(mut module) = ir::Module::load(&words) else {
        return;
    };
    let to = Set::ALL[recipe.below(Set::ALL.len())];
    let options = Options::default().forward_references(recipe.once_in(2));
    if convert(&mut module, to, &options).is_err() {
        // What can't be converted stays as it was.
        assert_eq!(module.store(), words);
    }
    check_stored(&module);
    let stored = module.store();
    let info = DebugInfo::read(&stored).expect("what was stored can be read");
    let ids: Vec<Id> = info.entries().map(|entry| entry.id()).collect();
    let chosen: Vec<Id> = (0..4).filter_map(|_| recipe.pick(&ids)).collect();
    if remove_each(&mut module, &chosen).is_ok() {
        check_stored(&module);
    }
}

fn check_stored(module: &ir::Module) {
    if let Err(error) = module.verify() {
        panic!("{error}");
    }
    load_words(&module.store());
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. Whatever its debug
/// information says, DWARF can be written of it, or there is an error that says why not.
pub fn dwarf_of_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        dwarf_of_words(&mutate(&words, recipe));
    }
}

/// The same with the words of a module.
pub fn dwarf_of_words(words: &[u32]) {
    let Ok(info) = DebugInfo::read(words) else {
        return;
    };
    for version in [Version::V4, Version::V5] {
        let options = dwarf::Options::default()
            .version(version)
            .embed_sources(version == Version::V5);
        match dwarf::object(&info, &options) {
            Ok(object) => {
                assert_eq!(object.get(..4), Some(&b"\x7fELF"[..]));
                assert!(
                    object.len() <= words.len() * 400 + 100_000,
                    "{}",
                    object.len()
                );
                assert_eq!(dwarf::object(&info, &options).as_ref(), Ok(&object));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. What holds at one
/// instruction is what holds in all of its run, the position and the frames agree, and
/// what variables are bound to is given for frames that are there.
pub fn positions_and_bindings(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let Some(words) = changed(&mut Recipe::new(recipe), module, Side::First) else {
        return;
    };
    let Ok(info) = DebugInfo::read(&words) else {
        return;
    };
    let runs: Vec<_> = info.runs().collect();
    assert!(runs.iter().all(|it| !it.is_empty()));
    assert!(runs.is_sorted_by(|a, b| a.end <= b.start));
    for run in runs.iter().step_by(runs.len() / ASKED + 1) {
        let [first, last] = [run.start, run.end - 1].map(WordOffset);
        assert_eq!(info.position(first), info.position(last));
        let frames: Vec<_> = info.frames(first).take(ASKED).collect();
        if let Some(innermost) = frames.first() {
            assert_eq!(innermost.position, info.position(first));
            let scope = info.scope(first).map(|it| it.scope);
            assert_eq!(scope, Some(innermost.scope));
        }
        let count = info.frames(first).count();
        for found in info.variables(first) {
            assert!(found.frame < count);
        }
    }
    let variables = info.of_kind(Kind::LocalVariable);
    for variable in variables.take(ASKED) {
        for binding in info.bindings(variable).take(ASKED) {
            assert!(info.entry_starting_at(binding.offset()) == Some(binding));
        }
    }
}
