//! Programs that are made to be run: valid, with results that the specification determines,
//! whichever size subgroups have.

mod explored;
mod program;
mod raced;

use spirvkit::interp::{Outcome, Run};
use spirvkit::{ValidateOptions, validate};

pub use explored::explored_program;
pub use program::program_text;
pub use raced::raced_program;

/// Invocations of a workgroup.
const SIZE: u32 = 32;

/// How many workgroups a program of [`program_text`] is made for.
pub const PROGRAM_GROUPS: u32 = 2;

/// Instructions that a program may take. Loops are short, so none comes near it.
pub(crate) const STEPS: u64 = 1 << 24;

/// Runs the program that these bytes are a recipe for with subgroups of several sizes, optimized
/// and not: nothing is wrong with it, and it gives the same with all of them.
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
    let first = outcome(&words, 32, true);
    assert!(first.findings.is_empty(), "{:?}\n{text}", first.findings);
    for (size, is_optimized) in [(4, true), (8, true), (4, false), (8, false), (32, false)] {
        let other = outcome(&words, size, is_optimized);
        let how = format!("subgroups of {size}, optimized: {is_optimized}");
        let findings = &other.findings;
        assert!(findings.is_empty(), "{how}: {findings:?}\n{text}");
        for binding in 0..3 {
            let [a, b] = [&first, &other].map(|it| it.read::<u32>(0, binding));
            assert_eq!(a, b, "binding {binding}, {how}\n{text}");
        }
    }
}

/// The storage buffers of a program of [`program_text`], by their bindings in set 0.
pub fn program_buffers() -> [Vec<u32>; 3] {
    let count = SIZE * PROGRAM_GROUPS;
    let inputs = (0..count).map(|index| index.wrapping_mul(0x9e37_79b9) >> (index % 29));
    [inputs.collect(), vec![0; count as usize], vec![0; 16]]
}

fn outcome(words: &[u32], size: u32, is_optimized: bool) -> Outcome {
    let run = Run::new(words).threads(1).optimized(is_optimized);
    let mut run = run.subgroup_size(size).max_steps(STEPS);
    for (binding, buffer) in (0..).zip(program_buffers()) {
        run = run.storage(0, binding, &buffer);
    }
    match run.dispatch([PROGRAM_GROUPS, 1, 1]) {
        Ok(outcome) => outcome,
        Err(errors) => panic!("{errors}"),
    }
}
