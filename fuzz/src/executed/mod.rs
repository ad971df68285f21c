//! Programs that are made to be run: valid, with results that the specification determines,
//! whichever size subgroups have.

mod program;

use spirvkit::interp::{Outcome, Run};
use spirvkit::{ValidateOptions, validate};

pub use program::program_text;

/// Invocations of a workgroup, and workgroups.
const SIZE: u32 = 32;
const GROUPS: u32 = 2;

/// Instructions that a program may take. Loops are short, so none comes near it.
const STEPS: u64 = 1 << 24;

/// Runs the program that these bytes are a recipe for with subgroups of several sizes: nothing
/// is wrong with it, and it gives the same with all of them.
pub fn executed_program(bytes: &[u8]) {
    let text = program_text(bytes);
    let words = match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => module.words,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let options = ValidateOptions::for_env("vulkan1.3".parse().expect("an environment"));
    let report = validate(&words, &options);
    let errors: Vec<String> = report
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{}\n{text}", errors.join("\n"));
    let first = outcome(&words, 32);
    assert!(first.findings.is_empty(), "{:?}\n{text}", first.findings);
    for size in [4, 8] {
        let other = outcome(&words, size);
        assert!(
            other.findings.is_empty(),
            "{size}: {:?}\n{text}",
            other.findings
        );
        for binding in 0..3 {
            let [a, b] = [&first, &other].map(|it| it.read::<u32>(0, binding));
            assert_eq!(a, b, "binding {binding}, subgroups of {size}\n{text}");
        }
    }
}

fn outcome(words: &[u32], size: u32) -> Outcome {
    let count = SIZE * GROUPS;
    let inputs: Vec<u32> = (0..count)
        .map(|index| index.wrapping_mul(0x9e37_79b9) >> (index % 29))
        .collect();
    let run = Run::new(words).subgroup_size(size).max_steps(STEPS);
    let run = run.storage(0, 0, &inputs).zeroed(0, 1, 4 * count as usize);
    let run = run.zeroed(0, 2, 4 * 16);
    match run.dispatch([GROUPS, 1, 1]) {
        Ok(outcome) => outcome,
        Err(errors) => panic!("{errors}"),
    }
}
