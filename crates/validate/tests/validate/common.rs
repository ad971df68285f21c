//! What the tests of the validator share.

use spirvkit_text::{AssembleOptions, Assembled};
use spirvkit_validate::{Example, Options, Report, validate};

/// The module that a text assembles to for an environment. A whole module may say its own
/// version in a header comment.
#[track_caller]
pub(crate) fn assembled(text: &str, options: &Options) -> Assembled {
    let assembling = AssembleOptions::default().origins(true);
    let assembling = match text.starts_with("; SPIR-V") {
        true => assembling,
        false => assembling.target(Some(options.env.version())),
    };
    spirvkit_testing::assembled(text, &assembling)
}

/// What is reported of a module.
#[track_caller]
pub(crate) fn report(text: &str, options: &Options) -> Report {
    validate(&assembled(text, options).words, options)
}

/// What is reported of a piece of a rule's example, as a whole module.
#[track_caller]
pub(crate) fn example_report(example: &Example, text: &str) -> Report {
    example.report(&assembled(text, &example.options()).words)
}

/// The rules that a module breaks, in order.
#[track_caller]
pub(crate) fn broken(text: &str, options: &Options) -> Vec<&'static str> {
    let report = report(text, options);
    report
        .diagnostics()
        .iter()
        .map(|each| each.rule())
        .collect()
}
