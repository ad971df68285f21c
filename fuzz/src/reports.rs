//! What is reported of a module: as text, and as a log for programs.

use spirvkit::binary::Module;
use spirvkit::diagnostics::{Source, render};
use spirvkit::text::{IdNames, excerpts, named_excerpts};
use spirvkit::{DisassembleOptions, ValidateOptions, disassemble, validate_text};

use crate::RECIPE;
use crate::recipe::Recipe;
use crate::shapes::{Side, changed};

/// How many instructions are shown.
const SHOWN: usize = 100;

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. Its instructions can be
/// shown one by one: each on one line, as in the text of the whole, with its operands marked.
pub fn shown_instructions(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let mut recipe = Recipe::new(recipe);
    let Some(words) = changed(&mut recipe, module, Side::First) else {
        return;
    };
    let Ok(module) = Module::new(&words) else {
        return;
    };
    let starts: Vec<usize> = module
        .instructions()
        .flatten()
        .map(|it| it.offset().0)
        .collect();
    let step = starts.len() / SHOWN + 1;
    let mut offsets: Vec<usize> = starts.into_iter().step_by(step).collect();
    // Where no instruction starts, nothing is shown.
    offsets.extend([0, words.len(), usize::MAX, recipe.below(words.len())]);
    let names = IdNames::new(&words);
    for shown in [
        excerpts(&words, &offsets),
        named_excerpts(&words, &offsets, &names),
    ] {
        assert_eq!(shown.len(), offsets.len());
        for excerpt in &shown {
            assert!(
                !excerpt.text.contains('\n') || excerpt.text.contains('"'),
                "{excerpt:?}"
            );
            for word in [0, 1, 2, recipe.below(256)] {
                let quote = excerpt.quote(word);
                let marked = quote.operand();
                assert!(marked.is_none_or(|it| it.start < it.end), "{quote:?}");
            }
        }
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it, and to its text. The
/// text can be checked; what is found stands in it, and a log of it is JSON and one line.
pub fn validated_text(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let mut recipe = Recipe::new(recipe);
    let Some(words) = changed(&mut recipe, module, Side::First) else {
        return;
    };
    let options = DisassembleOptions::default()
        .lenient(true)
        .friendly_names(recipe.once_in(2));
    let Ok(module) = disassemble(&words, &options) else {
        return;
    };
    let mut text = module.text;
    for _ in 0..recipe.below(4) {
        let lines: Vec<&str> = text.lines().collect();
        let (from, to) = (
            recipe.below(lines.len().max(1)),
            recipe.below(lines.len().max(1)),
        );
        let mut lines = lines;
        if !lines.is_empty() {
            lines.swap(from, to);
        }
        text = lines.join("\n");
    }
    let env = recipe
        .pick(&["spv1.6", "vulkan1.3", "opencl2.2"])
        .unwrap_or("spv1.0");
    let options = ValidateOptions::for_env(env.parse().expect("the environment is known"));
    let report = validate_text(&text, &options);
    let source = Source::new("a\u{1b}[2J.spvasm", &text);
    let log = render::sarif_start("spv", "1", &[])
        + &render::sarif_results(source.name(), report.diagnostics(), Some(&source))
        + render::sarif_end();
    assert!(
        !log.contains(spirvkit::diagnostics::is_disruptive),
        "{log:?}"
    );
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), report.diagnostics().len());
    for diagnostic in report.diagnostics() {
        let shown = render::terminal(diagnostic, Some(&source), false);
        let is_harmful = |c| c != '\n' && c != '\t' && spirvkit::diagnostics::is_disruptive(c);
        assert!(!shown.contains(is_harmful), "{shown:?}");
    }
}
