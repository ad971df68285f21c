//! What running promises for any module.

use spirvkit::interp::{Outcome, Run};
use spirvkit::words_from_bytes;

use crate::{RECIPE, mutate};

/// How many instructions a run may take.
const STEPS: u64 = 2_000;

/// How many bytes a workgroup may take.
const MEMORY: u64 = 1 << 22;

/// The buffers that there are, in each of two sets.
const BINDINGS: u32 = 4;

/// Checks the promises about running with a module, which follows a recipe of [`RECIPE`]
/// bytes for changes to it.
pub fn executed_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        execute_words(&words);
        execute_words(&mutate(&words, recipe));
    }
}

/// Runs a module, if it can be run: every time the same.
pub fn execute_words(words: &[u32]) {
    let Some(first) = outcome(words, 4) else {
        return;
    };
    let again = outcome(words, 4);
    let again = again.expect("what was run can be run again");
    assert_eq!(contents(&first), contents(&again), "other contents");
    assert_eq!(first.findings, again.findings, "other findings");
    assert_eq!(first.steps, again.steps, "other steps");
    outcome(words, 32);
}

fn outcome(words: &[u32], subgroup_size: u32) -> Option<Outcome> {
    let mut run = Run::new(words).subgroup_size(subgroup_size);
    for set in 0..2 {
        for binding in 0..BINDINGS {
            run = run.zeroed(set, binding, 256);
        }
    }
    let run = run.push(&[1u32; 32]).max_steps(STEPS).max_memory(MEMORY);
    run.dispatch([2, 1, 1]).ok()
}

fn contents(outcome: &Outcome) -> Vec<&[u8]> {
    let sets = 0..2;
    let all = sets.flat_map(|set| (0..BINDINGS).map(move |binding| (set, binding)));
    all.map(|(set, binding)| outcome.bytes(set, binding))
        .collect()
}
