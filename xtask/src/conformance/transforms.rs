//! Transformations of real modules: what was valid must stay valid.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use spirvkit::ir::Module;
use spirvkit::transform::link::{Input, Options, link};
use spirvkit::transform::{
    Prune, Specialization, Strip, Trim, compact_ids, entry_points, keep_entry_point, prune,
    specialize, strip, trim_capabilities,
};
use spirvkit::{TargetEnv, ValidateOptions};

use super::alarms::accepts;
use super::corpus::load;
use super::sample::Sample;
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively.
    folder: PathBuf,
    #[command(flatten)]
    sample: Sample,
    /// The folder with the reference tools; without it, only our validator is used.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// The environments to validate for: the first of them in which a module is valid.
    #[arg(long = "env", default_values = ["vulkan1.4", "spv1.6", "opencl2.2"])]
    environments: Vec<String>,
    /// Rules that specialization may break (several times): the default values of a
    /// module may be such that it needs others.
    #[arg(long)]
    except: Vec<String>,
    /// Files (several times) whose results the reference checks by another grammar
    /// than ours: only our validator checks them.
    #[arg(long)]
    older_grammar: Vec<String>,
    /// How many failures to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// A transformation: its name, and what it makes of a module; `None` if it doesn't
/// apply.
type Transform = (&'static str, fn(&mut Module) -> Option<()>);

const TRANSFORMS: &[Transform] = &[
    ("specialize", |module| {
        let mut wanted = Specialization::default();
        wanted.all_defaults = true;
        let done = specialize(module, &wanted).ok()?;
        (done.finished > 0).then_some(())
    }),
    ("specialize and fold", |module| {
        let wanted = Specialization::default().all_defaults(true).fold(true);
        let done = specialize(module, &wanted).ok()?;
        prune(module, &Prune::default());
        (done.finished + done.folded > 0).then_some(())
    }),
    ("strip", |module| {
        strip(module, &Strip::DEBUG);
        Some(())
    }),
    ("prune", |module| {
        prune(module, &Prune::default());
        Some(())
    }),
    ("compact-ids", |module| compact_ids(module).ok().map(drop)),
    ("trim-capabilities", |module| {
        trim_capabilities(module, &Trim::default());
        Some(())
    }),
    ("trim-capabilities --all", |module| {
        trim_capabilities(module, &Trim::default().base(true));
        Some(())
    }),
    ("split, the first entry point", |module| {
        let first = entry_points(module).into_iter().next()?;
        keep_entry_point(module, &first);
        Some(())
    }),
    ("link, one module as a library", |module| {
        let options = Options::default()
            .create_library(true)
            .allow_partial_linkage(true);
        let inputs = [Input {
            name: "module",
            module,
        }];
        *module = link(&inputs, &options).ok()?;
        Some(())
    }),
];

/// Applies every transformation to every module that is valid.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let files = arguments.sample.modules(&arguments.folder)?;
    let environments: Vec<TargetEnv> = arguments
        .environments
        .iter()
        .map(|name| name.parse().map_err(|_| format!("no environment {name}")))
        .collect::<Result<_, String>>()?;
    let results: Vec<Vec<Option<Result<(), String>>>> = files
        .par_iter()
        .map(|file| check(file, &environments, arguments))
        .collect();
    let mut failed = 0;
    for (index, (name, _)) in TRANSFORMS.iter().enumerate() {
        let of_it = |results: &Vec<Option<_>>| results.get(index).cloned().flatten();
        let outcomes: Vec<Option<Result<(), String>>> = results.iter().map(of_it).collect();
        let failures: Vec<_> = files
            .iter()
            .zip(&outcomes)
            .filter_map(|(file, outcome)| Some((file, outcome.as_ref()?.as_ref().err()?)))
            .collect();
        let applied = outcomes.iter().flatten().count();
        println!(
            "{name}: {applied} modules, {} not valid any more",
            failures.len()
        );
        for (file, failure) in failures.iter().take(arguments.show) {
            println!("  {}: {failure}", file.display());
        }
        if applied == 0 {
            return Err(format!("{name} applied to no module").into());
        }
        failed += failures.len();
    }
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} results are not valid").into()),
    }
}

fn check(
    file: &Path,
    environments: &[TargetEnv],
    arguments: &Arguments,
) -> Vec<Option<Result<(), String>>> {
    let mut older = arguments.older_grammar.iter();
    let is_older = older.any(|name| file.ends_with(name));
    let reference = arguments.reference.as_deref().filter(|_| !is_older);
    let words = load(file).and_then(|bytes| {
        let words = spirvkit::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
        Ok(words.0)
    });
    let Ok(words) = words else {
        return Vec::new();
    };
    let valid = |env: &&TargetEnv| verdict(&words, **env, reference).is_ok();
    let Some(&env) = environments.iter().find(valid) else {
        return Vec::new();
    };
    let apply = |(_, transform): &Transform| {
        let mut module = Module::load(&words).ok()?;
        transform(&mut module)?;
        if let Err(error) = module.verify() {
            return Some(Err(error.to_string()));
        }
        let checked = verdict(&module.store(), env, reference);
        let excepted = |error: &String| {
            let mut rules = arguments.except.iter();
            rules.any(|rule| error.starts_with(&format!("[{rule}]")))
        };
        match checked {
            Err(error) if excepted(&error) => None,
            checked => Some(checked.map_err(|error| format!("({env}) {error}"))),
        }
    };
    TRANSFORMS.iter().map(apply).collect()
}

/// Whether both validators accept a module.
fn verdict(words: &[u32], env: TargetEnv, reference: Option<&Path>) -> Result<(), String> {
    let report = spirvkit::validate(words, &ValidateOptions::for_env(env));
    if let Some(first) = report.diagnostics().first().filter(|_| !report.is_valid()) {
        return Err(format!("[{}] {}", first.rule(), first.message()));
    }
    let bytes = spirvkit::bytes_from_words(words, Default::default());
    match reference.is_none_or(|reference| accepts(reference, &bytes, env)) {
        true => Ok(()),
        false => Err("the reference rejects it".to_owned()),
    }
}
