//! Single passes and random orders of them, on modules that are valid.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use spirvkit::{TargetEnv, ValidateOptions};
use spirvkit_fuzz::pass_flag;
use spirvkit_opt::classic::{ROWS, Row, State};
use spirvkit_opt::{Options, Recipe, RunError};

use super::super::corpus::load;
use super::bytes;
use super::reference::Reference;
use crate::Outcome;

/// Which passes are tried instead of the whole pipeline.
#[derive(clap::Args, Clone)]
pub(super) struct PassesArgument {
    /// Passes to try each by itself: names with commas between them, or `all`.
    #[arg(long)]
    passes: Option<String>,
    /// How many random orders of passes to try.
    #[arg(long, default_value_t = 0)]
    orders: u64,
    /// Where to begin with these, for others.
    #[arg(long, default_value_t = 0)]
    order_seed: u64,
}

/// The passes in a random order.
const ORDER: u64 = 8;

/// A list of passes, with its name.
pub(super) type Named = (String, Recipe);

impl PassesArgument {
    pub(super) fn is_given(&self) -> bool {
        self.passes.is_some() || self.orders > 0
    }

    /// All lists of passes that are to be tried. What needs an argument gets one.
    pub(super) fn recipes(&self, is_wanted: impl Fn(&Row) -> bool) -> Result<Vec<Named>, String> {
        let all: Vec<&Row> = ROWS
            .iter()
            .filter(|row| row.state() == State::Done && is_wanted(row))
            .collect();
        let names: Vec<String> = match self.passes.as_deref() {
            None => Vec::new(),
            Some("all") => all.iter().map(|row| pass_flag(row)).collect(),
            Some(list) => list.split(',').map(str::to_owned).collect(),
        };
        let mut recipes = Vec::new();
        for name in names {
            let recipe = Recipe::parse(&name).map_err(|error| error.to_string())?;
            recipes.push((name, recipe));
        }
        for seed in self.order_seed..self.order_seed + self.orders {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state
            };
            next();
            let count = 2 + next() % ORDER;
            let order: Vec<String> = (0..count)
                .map(|_| pass_flag(all[(next() % all.len() as u64) as usize]))
                .collect();
            let name = order.join(" ");
            let recipe = Recipe::parse(&name).map_err(|error| error.to_string())?;
            recipes.push((name, recipe));
        }
        Ok(recipes)
    }
}

/// Lets a module go through passes; a panic is an error, too. `None` if a pass refuses it.
pub(super) fn changed(words: &[u32], recipe: &Recipe) -> Result<Option<Vec<u32>>, String> {
    let run = || recipe.run(words, &Options::default());
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(done)) => Ok(Some(done.words)),
        Ok(Err(RunError::Pass { .. })) => Ok(None),
        Ok(Err(error)) => Err(format!("it is refused: {error}")),
        Err(_) => Err("a pass panics".to_owned()),
    }
}

/// Checks what comes of each module by each list of passes: it is valid, and the same each time.
pub(super) fn check_each(
    files: &[PathBuf],
    recipes: &[Named],
    environments: &[TargetEnv],
    reference: Option<&Reference>,
    show: usize,
) -> Outcome {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let of_file = |file: &PathBuf| check_file(file, recipes, environments, reference);
    let failures: Vec<Option<Vec<(String, String)>>> =
        pool.install(|| files.par_iter().map(of_file).collect());
    let mut by_pass: BTreeMap<&str, Vec<(&Path, &str)>> = BTreeMap::new();
    let mut failed = 0;
    let mut skipped = 0;
    for (file, failures) in files.iter().zip(&failures) {
        match failures {
            None => skipped += 1,
            Some(failures) => {
                failed += usize::from(!failures.is_empty());
                for (name, why) in failures {
                    by_pass.entry(name).or_default().push((file, why));
                }
            }
        }
    }
    for (name, failures) in &by_pass {
        println!("{} fail with {name}:", failures.len());
        for (file, why) in failures.iter().take(show) {
            println!("  {}: {why}", file.display());
        }
    }
    let passed = files.len() - failed - skipped;
    println!(
        "{passed} passed, {failed} failed, {skipped} skipped, {} lists of passes each",
        recipes.len()
    );
    match failed {
        0 if passed == 0 => Err("there are no modules".into()),
        0 => Ok(()),
        _ => Err(format!("{failed} modules fail").into()),
    }
}

/// What is wrong with which passes; `None` if the module isn't valid itself.
fn check_file(
    file: &Path,
    recipes: &[Named],
    environments: &[TargetEnv],
    reference: Option<&Reference>,
) -> Option<Vec<(String, String)>> {
    let words = spirvkit::words_from_bytes(&load(file).ok()?).ok()?.0;
    let is_valid = |env: &&TargetEnv| verdict(&words, **env).is_ok();
    let env = *environments.iter().find(is_valid)?;
    let mut failures = Vec::new();
    for (name, recipe) in recipes {
        let mut fail = |why: String| failures.push((name.clone(), why));
        let done = match changed(&words, recipe) {
            Ok(Some(done)) => done,
            Ok(None) => continue,
            Err(why) => {
                fail(why);
                continue;
            }
        };
        if let Err(why) = verdict(&done, env) {
            fail(format!("({env}) {why}"));
        } else if let Some(reference) = reference
            && let Err(why) = reference.complains(&bytes(&words), &bytes(&done), env)
        {
            fail(format!("there ({env}): {why}"));
        }
        if changed(&words, recipe).as_ref() != Ok(&Some(done)) {
            fail("another result each time".to_owned());
        }
    }
    Some(failures)
}

fn verdict(words: &[u32], env: TargetEnv) -> Result<(), String> {
    let report = spirvkit::validate(words, &ValidateOptions::for_env(env));
    let mut findings = report.diagnostics().iter();
    match findings.find(|_| !report.is_valid()) {
        Some(first) => Err(format!("[{}] {}", first.rule(), first.message())),
        None => Ok(()),
    }
}
