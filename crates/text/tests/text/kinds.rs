//! What explains the diagnostics.

use std::collections::BTreeSet;

use spirvkit_text::{AssembleOptions, KINDS, assemble};

#[test]
fn examples_show_what_they_are_to_show_and_nothing_else() {
    let examples = KINDS.iter().filter(|kind| !kind.example.is_empty());
    let wrong = examples.filter_map(|kind| {
        let found = match assemble(kind.example, &AssembleOptions::default()) {
            Ok(assembled) => assembled.warnings,
            Err(errors) => errors.into_vec(),
        };
        let rules: Vec<&str> = found.iter().map(|it| it.rule()).collect();
        (rules != [kind.id]).then_some((kind.id, rules))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn ids_are_families_and_names_and_stand_once() {
    let mut ids = BTreeSet::new();
    for kind in KINDS {
        let (family, name) = kind.id.split_once('.').unwrap();
        assert!(["text", "binary"].contains(&family), "{}", kind.id);
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(is_plain), "{}", kind.id);
        assert!(ids.insert(kind.id), "{} stands twice", kind.id);
        for sentence in [kind.text, kind.advice] {
            assert!(sentence.ends_with(['.', ')']), "{sentence}");
        }
    }
}
