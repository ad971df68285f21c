//! What reflection promises for any module.

use std::collections::BTreeSet;

use spirvkit::binary::Id;
use spirvkit::reflect::{Reflection, TypeKind};
use spirvkit::{reflect, words_from_bytes};

use crate::{RECIPE, mutate};

/// Checks the promises about reflection with a module, which follows a recipe of
/// [`RECIPE`] bytes for changes to it.
pub fn reflected_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        reflect_any(&words);
        reflect_any(&mutate(&words, recipe));
    }
}

/// Reflects a module, if it can be read. It comes out the same again; its words are
/// all counted; what it refers to is there; and it isn't far larger than the module.
pub fn reflect_any(words: &[u32]) {
    let Ok(reflection) = reflect(words) else {
        return;
    };
    let again = reflect(words).map(|again| format!("{again:?}"));
    assert_eq!(again, Ok(format!("{reflection:?}")), "not the same again");
    let statistics = &reflection.statistics;
    assert_eq!(statistics.words, words.len() as u64, "words are missing");
    let counted: u64 = statistics.opcodes.iter().map(|found| found.count).sum();
    assert_eq!(counted, statistics.instructions, "opcodes are missing");
    check_types(&reflection);
    check_uses(&reflection, words.len());
}

fn check_types(reflection: &Reflection) {
    let mut last = None;
    for ty in &reflection.types {
        assert!(last < Some(ty.id), "types out of order");
        last = Some(ty.id);
        assert_eq!(reflection.ty(ty.id).map(|found| found.id), Some(ty.id));
        assert!(ty.spelling.chars().count() <= 121, "a long spelling");
        if let TypeKind::Struct { members, .. } = &ty.kind {
            for member in members {
                let (size, padded) = (member.size, member.padded_size);
                let known = size.and_then(|size| Some((size.known()?, padded?.known()?)));
                assert!(
                    known.is_none_or(|(size, padded)| size <= padded),
                    "{member:?}"
                );
            }
        }
    }
}

fn check_uses(reflection: &Reflection, words: usize) {
    let mut ids: BTreeSet<Id> = reflection
        .descriptors
        .iter()
        .map(|found| found.id)
        .collect();
    ids.extend(reflection.push_constants.iter().map(|found| found.id));
    ids.extend(reflection.inputs.iter().map(|found| found.id));
    ids.extend(reflection.outputs.iter().map(|found| found.id));
    ids.extend(reflection.variables.iter().map(|found| found.id));
    let mut listed = 0;
    for uses in reflection.entry_points.iter().flat_map(|entry| &entry.uses) {
        let lists = [
            &uses.descriptors,
            &uses.push_constants,
            &uses.inputs,
            &uses.outputs,
            &uses.variables,
        ];
        for list in lists {
            listed += list.len();
            assert!(list.iter().all(|id| ids.contains(id)), "not a variable");
        }
    }
    assert!(listed <= (1 << 16) + 16 * words, "too much is listed");
}
