//! Programs that have no data race, with races looked for and in other orders.

use spirvkit::interp::{Outcome, Run};

use super::{PROGRAM_GROUPS, STEPS, program_buffers, program_text};

/// Runs the program that these bytes are a recipe for in several orders, and looks for data
/// races: there are none, and all orders give the same.
pub fn raced_program(bytes: &[u8]) {
    let text = program_text(bytes);
    let words = match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => module.words,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    for size in [4, 32] {
        let first = outcome(&words, size, 0, &text);
        for seed in 1..4 {
            let other = outcome(&words, size, seed, &text);
            for binding in 0..3 {
                let [a, b] = [&first, &other].map(|it| it.read::<u32>(0, binding));
                assert_eq!(a, b, "binding {binding}, order {seed}, {size}\n{text}");
            }
        }
    }
}

fn outcome(words: &[u32], size: u32, seed: u64, text: &str) -> Outcome {
    let mut run = Run::new(words).subgroup_size(size).max_steps(STEPS);
    for (binding, buffer) in (0..).zip(program_buffers()) {
        run = run.storage(0, binding, &buffer);
    }
    let run = run.seed(seed).race(true);
    let outcome = run
        .dispatch([PROGRAM_GROUPS, 1, 1])
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let findings = &outcome.findings;
    assert!(findings.is_empty(), "{size}, {seed}: {findings:?}\n{text}");
    outcome
}
