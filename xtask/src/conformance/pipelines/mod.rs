//! Stages of pipelines: those of Amber's scripts and of pairs of modules fit together, and no longer
//! once their interfaces are changed.

mod mutations;
mod scripts;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use spirvkit::diagnostics::Severity;
use spirvkit::vulkan::PipelineLayout;
use spirvkit::{PipelineStage, ValidateOptions, validate_pipeline, words_from_bytes};

use super::corpus::{collect_with, load};
use crate::Outcome;
use mutations::{Mutant, mutants};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of scripts (`.amber`, `.vkscript`) and modules (`NAME.vert.spv`, `NAME.frag.spv`),
    /// searched recursively.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Pipelines that don't fit together, by the ends of their names; they must be refused.
    #[arg(long, value_name = "NAME")]
    except: Vec<String>,
    /// The environment.
    #[arg(long, default_value = "vulkan1.4")]
    target_env: spirvkit::TargetEnv,
    /// How many failures of a sort to show.
    #[arg(long, default_value_t = 10)]
    show: usize,
}

/// Stages that are to fit together.
pub(super) struct Case {
    pub(super) name: String,
    /// Whether its vertex shader has no user-defined outputs, whatever the fragment shader reads.
    pub(super) passes_nothing: bool,
    pub(super) stages: Vec<PipelineStage>,
    pub(super) layout: Option<PipelineLayout>,
}

/// What came of a case.
#[derive(Default)]
struct Results {
    fitting: usize,
    /// Reasons for which a case says nothing.
    skipped: BTreeMap<String, usize>,
    refused: Vec<String>,
    /// Warnings by rule.
    warnings: BTreeMap<&'static str, Vec<String>>,
    /// By sort: how many were judged rightly, and which were not.
    mutants: BTreeMap<&'static str, (usize, Vec<String>)>,
}

impl Results {
    fn skip(why: impl Into<String>) -> Self {
        let mut results = Self::default();
        results.skipped.insert(why.into(), 1);
        results
    }

    fn add(mut self, other: Self) -> Self {
        self.fitting += other.fitting;
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
        self.refused.extend(other.refused);
        for (rule, names) in other.warnings {
            self.warnings.entry(rule).or_default().extend(names);
        }
        for (sort, (right, wrong)) in other.mutants {
            let all = self.mutants.entry(sort).or_default();
            all.0 += right;
            all.1.extend(wrong);
        }
        self
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let options = ValidateOptions::for_env(arguments.target_env);
    let (mut scripts, mut modules) = (Vec::new(), Vec::new());
    for folder in &arguments.folders {
        collect_with(folder, &["amber", "vkscript"], &mut scripts)?;
        collect_with(folder, &["spv"], &mut modules)?;
    }
    scripts.sort();
    let of_scripts = scripts.par_iter().map(|file| {
        let cases = scripts::cases(file);
        let each = cases.into_iter().map(|case| match case {
            Ok(case) => check(&case, &options, &arguments.except),
            Err(why) => Results::skip(why),
        });
        each.fold(Results::default(), Results::add)
    });
    let of_modules = pairs(&modules).into_par_iter().map(|case| match case {
        Ok(case) => check(&case, &options, &arguments.except),
        Err(why) => Results::skip(why),
    });
    let results = of_scripts
        .chain(of_modules)
        .reduce(Results::default, Results::add);
    report(&results, arguments.show)
}

fn report(results: &Results, show: usize) -> Outcome {
    for refused in results.refused.iter().take(show) {
        println!("refused: {refused}");
    }
    for (why, count) in &results.skipped {
        println!("skipped {count}: {why}");
    }
    for (rule, names) in &results.warnings {
        println!("{rule} warns of {} pipelines", names.len());
        names
            .iter()
            .take(show)
            .for_each(|name| println!("  {name}"));
    }
    let mut wrong = results.refused.len();
    for (sort, (right, not)) in &results.mutants {
        println!("{sort}: {right} of {} as expected", right + not.len());
        not.iter().take(show).for_each(|name| println!("  {name}"));
        wrong += not.len();
    }
    println!(
        "{} pipelines fit together, {} are refused",
        results.fitting,
        results.refused.len()
    );
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} pipelines are judged wrongly").into()),
    }
}

/// Checks a case, and what is made of it.
fn check(case: &Case, options: &ValidateOptions, except: &[String]) -> Results {
    for stage in &case.stages {
        let report = spirvkit::validate(stage.words(), options);
        let errors = report.diagnostics().iter();
        let mut errors = errors.filter(|it| it.severity() == Severity::Error);
        if let Some(error) = errors.next() {
            return Results::skip(format!("a module breaks {}", error.rule()));
        }
    }
    let mut results = Results::default();
    let judge = |stages: &[PipelineStage]| {
        let report = validate_pipeline(stages, case.layout.as_ref(), options);
        let all = report.into_diagnostics().into_iter();
        all.map(|it| it.diagnostic).collect::<Vec<_>>()
    };
    let found = judge(&case.stages);
    let errors = found.iter().filter(|it| it.severity() == Severity::Error);
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    let all_are = |rule: &str| {
        let mut all = found.iter();
        !errors.is_empty() && all.all(|it| it.rule() == rule)
    };
    if found.iter().any(|it| it.rule() == "pipeline.stage-missing") {
        return Results::skip("not all stages of a pipeline are there");
    }
    if case.passes_nothing && all_are("pipeline.no-output") {
        return Results::skip("a fragment shader reads what a passthrough shader doesn't write");
    }
    let is_wrong = except.iter().any(|it| case.name.ends_with(it.as_str()));
    if is_wrong && errors.is_empty() {
        let name = &case.name;
        results
            .refused
            .push(format!("{name}: it is accepted, but wrong"));
        return results;
    }
    if is_wrong {
        return Results::skip("it is wrong, and refused");
    }
    if !errors.is_empty() {
        results
            .refused
            .push(format!("{}: {}", case.name, errors.join("; ")));
        return results;
    }
    results.fitting = 1;
    for warning in &found {
        let names = results.warnings.entry(warning.rule()).or_default();
        names.push(format!("{}: {}", case.name, warning.message()));
    }
    for Mutant {
        sort,
        stages,
        expected,
    } in mutants(case)
    {
        let found = judge(&stages);
        let rules: Vec<&str> = found.iter().map(|it| it.rule()).collect();
        let is_right = match expected {
            None => found.iter().all(|it| it.severity() != Severity::Error),
            Some(rule) => !rules.is_empty() && rules.contains(&rule),
        };
        let all = results.mutants.entry(sort).or_default();
        match is_right {
            true => all.0 += 1,
            false => all.1.push(format!("{}: {rules:?}", case.name)),
        }
    }
    results
}

/// Stages by the extensions of their files.
const STAGES: &[&str] = &["vert", "tesc", "tese", "geom", "task", "mesh", "frag"];

/// The modules that are called alike but for their stages.
fn pairs(files: &[PathBuf]) -> Vec<Result<Case, String>> {
    let mut groups: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for file in files {
        let name = file.to_string_lossy();
        let Some(stem) = name.strip_suffix(".spv") else {
            continue;
        };
        let stage = STAGES.iter().find(|it| stem.ends_with(&format!(".{it}")));
        if let Some(stage) = stage {
            let stem = stem.strip_suffix(&format!(".{stage}")).unwrap_or(stem);
            // Some are in folders by stage, which are part of the name.
            let stem = stem.replace(&format!("__{stage}__"), "__");
            groups.entry(stem).or_default().push(file);
        }
    }
    let groups = groups.into_iter().filter(|(_, files)| files.len() > 1);
    groups
        .map(|(name, files)| {
            let stages = files.iter().map(|file| {
                let bytes = load(file)?;
                let (words, _) = words_from_bytes(&bytes).map_err(|error| error.to_string())?;
                Ok(PipelineStage::new(file.to_string_lossy(), words))
            });
            Ok(Case {
                name,
                passes_nothing: false,
                stages: stages.collect::<Result<_, String>>()?,
                layout: None,
            })
        })
        .collect()
}

/// The text of a file.
pub(super) fn text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("a script can't be read: {error}"))
}
