//! What passes promise, in any order.

use spirvkit::{ValidateOptions, validate, words_from_bytes};
use spirvkit_opt::classic::{ROWS, Row, State};
use spirvkit_opt::{Options, Recipe, RunError};

use crate::executed::program_text;
use crate::optimized::{ENVIRONMENTS, gives_the_same, is_valid};
use crate::{RECIPE, load_words, mutate};

/// So many bytes choose passes.
const PASSES: usize = 8;

/// Passes that these bytes stand for; 0 is none.
fn recipe(bytes: &[u8], is_wanted: impl Fn(&Row) -> bool) -> (String, Recipe) {
    let rows: Vec<&Row> = ROWS
        .iter()
        .filter(|row| row.state() == State::Done && is_wanted(row))
        .collect();
    let flags: Vec<String> = bytes
        .iter()
        .filter(|&&byte| byte > 0)
        .map(|&byte| pass_flag(rows[usize::from(byte) % rows.len()]))
        .collect();
    let text = flags.join(" ");
    let recipe = Recipe::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    (text, recipe)
}

/// A pass as a flag, with an argument that suits any module.
pub fn pass_flag(row: &Row) -> String {
    match row.name {
        "set-spec-const-default-value" => format!("{}=0:1", row.name),
        "switch-descriptorset" => format!("{}=0:0", row.name),
        "convert-to-sampled-image" => format!("{}=0:0", row.name),
        "struct-packing" => format!("{}=nothing:scalar", row.name),
        "modify-maximal-reconvergence" => format!("{}=remove", row.name),
        name => name.to_owned(),
    }
}

/// Checks the promises about passes with a module, which follows a recipe of [`RECIPE`] bytes for
/// changes to it, of which the first choose passes, too.
pub fn passed_module(bytes: &[u8]) {
    let Some((changes, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let (names, recipe) = recipe(&changes[..PASSES], |_| true);
    if let Ok((words, _)) = words_from_bytes(module) {
        for words in [mutate(&words, changes), words] {
            pass(&words, &names, &recipe);
        }
    }
}

/// Lets a module go through passes: always to the same, and what was valid stays so.
fn pass(words: &[u32], names: &str, recipe: &Recipe) {
    let environments = ENVIRONMENTS.map(|name| name.parse().expect("an environment"));
    let env = environments.into_iter().find(|&env| is_valid(words, env));
    let options = Options::default();
    let done = match recipe.run(words, &options) {
        Ok(done) => done.words,
        // Some passes are for some modules only.
        Err(RunError::Pass { .. }) => return,
        Err(_) => {
            assert_eq!(env, None, "a valid module is refused");
            return;
        }
    };
    let again = recipe.run(words, &options).map(|done| done.words);
    assert_eq!(Ok(&done), again.as_ref(), "{names}: another result");
    load_words(&done);
    if let Some(env) = env {
        let report = validate(&done, &ValidateOptions::for_env(env));
        let findings = report.diagnostics();
        assert!(report.is_valid(), "{names}, {env}: {findings:?}");
    }
}

/// Runs the program that the bytes behind those for passes are a recipe for, as it is and as the
/// passes make it: it gives the same.
pub fn passed_program(bytes: &[u8]) {
    let Some((passes, program)) = bytes.split_at_checked(PASSES) else {
        return;
    };
    let (names, recipe) = recipe(passes, Row::keeps_results);
    let text = program_text(program);
    let words = match spirvkit::assemble(&text, &Default::default()) {
        Ok(module) => module.words,
        Err(errors) => panic!("{errors}\n{text}"),
    };
    match recipe.run(&words, &Options::default()) {
        Ok(done) => gives_the_same(&words, &done.words, &names, &text),
        Err(RunError::Pass { .. }) => {}
        Err(error) => panic!("{names}: {error}\n{text}"),
    }
}
