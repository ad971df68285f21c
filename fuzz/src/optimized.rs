//! What optimizing promises for any module, and for programs that run.

use spirvkit::interp::{Outcome, Run};
use spirvkit::ir::Module;
use spirvkit::transform::{Strip, compact_ids, strip};
use spirvkit::{TargetEnv, ValidateOptions, validate, words_from_bytes};
use spirvkit_opt::{Level, Options, optimize};

use crate::executed::{PROGRAM_GROUPS, STEPS, program_buffers, program_text};
use crate::{RECIPE, load_words, mutate, verify_diff};

/// What modules may be valid for.
pub(crate) const ENVIRONMENTS: [&str; 3] = ["vulkan1.3", "spv1.6", "opencl2.2"];

const LEVELS: [Level; 2] = [Level::Size, Level::Performance];

/// Checks the promises about optimizing with a module, which follows a recipe of [`RECIPE`] bytes
/// for changes to it.
pub fn optimized_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        optimize_words(&words);
        optimize_words(&mutate(&words, recipe));
    }
}

/// Optimizes a module: always to the same, what was valid stays so, and debug information makes no
/// difference.
pub fn optimize_words(words: &[u32]) {
    let environments = ENVIRONMENTS.map(|name| name.parse().expect("an environment"));
    let env = environments.into_iter().find(|&env| is_valid(words, env));
    for level in LEVELS {
        let options = Options::default().level(level);
        let Ok(done) = optimize(words, &options) else {
            assert_eq!(env, None, "a valid module is refused");
            return;
        };
        let again = optimize(words, &options);
        assert_eq!(Ok(&done), again.as_ref(), "{level:?}: another result");
        load_words(&done.words);
        if let Some(env) = env {
            let report = validate(&done.words, &ValidateOptions::for_env(env));
            let findings = report.diagnostics();
            assert!(report.is_valid(), "{level:?}, {env}: {findings:?}");
            assert_same_code(words, &done.words, &options);
        }
    }
}

/// Checks that what only describes the source makes no difference to the rest of a result.
fn assert_same_code(words: &[u32], done: &[u32], options: &Options) {
    let bare = stripped(words);
    // If ids are too far apart, they are renumbered first, and what may change places does so.
    if bare[3] as usize > bare.len() * 2 {
        return;
    }
    let other = optimize(&bare, options).expect("a valid module");
    let [with, without] = [done, &other.words].map(stripped).map(renumbered);
    let is_same = || verify_diff(&with, &without, &Default::default());
    assert!(
        with == without || is_same().is_some_and(|it| it.is_empty()),
        "{} words with debug information, {} without",
        with.len(),
        without.len()
    );
}

fn stripped(words: &[u32]) -> Vec<u32> {
    let mut module = Module::load(words).expect("a module");
    strip(&mut module, &Strip::DEBUG.unused(true));
    module.store()
}

fn renumbered(words: Vec<u32>) -> Vec<u32> {
    let mut module = Module::load(&words).expect("a module");
    match compact_ids(&mut module) {
        Ok(_) => module.store(),
        Err(_) => words,
    }
}

pub(crate) fn is_valid(words: &[u32], env: TargetEnv) -> bool {
    validate(words, &ValidateOptions::for_env(env)).is_valid()
}

/// Runs the program that these bytes are a recipe for, as it is and optimized: it gives the same,
/// whichever size subgroups have, and nothing is wrong with it.
pub fn optimized_program(bytes: &[u8]) {
    let text = program_text(bytes);
    let words = match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => module.words,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    for level in LEVELS {
        let done = optimize(&words, &Options::default().level(level));
        let done = done.unwrap_or_else(|error| panic!("{level:?}: {error}\n{text}"));
        gives_the_same(&words, &done.words, &format!("{level:?}"), &text);
    }
}

/// Runs a program and what was made of it, which is valid: both give the same, and nothing is found.
pub(crate) fn gives_the_same(words: &[u32], done: &[u32], how: &str, text: &str) {
    let env = "vulkan1.3".parse().expect("an environment");
    let report = validate(done, &ValidateOptions::for_env(env));
    let findings = report.diagnostics();
    assert!(report.is_valid(), "{how}: {findings:?}\n{text}");
    for size in [4, 32] {
        let [before, after] = [words, done].map(|it| outcome(it, size, text));
        let findings = [&before, &after].map(|it| &it.findings);
        assert!(
            findings.iter().all(|it| it.is_empty()),
            "{how}, subgroups of {size}: {findings:?}\n{text}"
        );
        for (binding, buffer) in (0..).zip(program_buffers()) {
            // What nothing uses any more stays as it was.
            let [a, b] = [&before, &after].map(|it| match it.element(0, binding, 0) {
                Some(_) => it.read::<u32>(0, binding),
                None => buffer.clone(),
            });
            assert_eq!(
                a, b,
                "{how}, subgroups of {size}, binding {binding}\n{text}"
            );
        }
    }
}

fn outcome(words: &[u32], size: u32, text: &str) -> Outcome {
    let run = Run::new(words).threads(1).max_steps(STEPS);
    let mut run = run.subgroup_size(size);
    for (binding, buffer) in (0..).zip(program_buffers()) {
        run = run.storage(0, binding, &buffer);
    }
    let outcome = run.dispatch([PROGRAM_GROUPS, 1, 1]);
    outcome.unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}
