//! Real modules: what the reference validator accepts, ours accepts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use spirvkit::diagnostics::Severity;
use spirvkit::{TargetEnv, ValidateOptions};

use super::corpus::{collect, load};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively.
    folder: PathBuf,
    /// The folder with the reference tools.
    #[arg(long)]
    reference: PathBuf,
    /// The environments to validate for.
    #[arg(long = "env", default_values = ["spv1.6", "vulkan1.3", "opencl2.2"])]
    environments: Vec<String>,
    /// Ask the reference about what ours accepts, too.
    #[arg(long)]
    misses: bool,
    /// Rules that the reference's release doesn't know yet (several times), or
    /// families, such as `debug-info-000`: what only they reject is no alarm.
    #[arg(long)]
    except: Vec<String>,
    /// How many differences to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// How a verdict of ours and the reference's differ.
enum Difference {
    FalseAlarm(String),
    Missed,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    let environments: Vec<TargetEnv> = arguments
        .environments
        .iter()
        .map(|name| {
            name.parse()
                .map_err(|_| format!("environment {name} is not known"))
        })
        .collect::<Result<_, String>>()?;
    let found: Vec<(usize, Vec<(TargetEnv, Difference)>)> = files
        .par_iter()
        .enumerate()
        .filter_map(|(index, file)| {
            // What can't be assembled is for another run to tell.
            let module = load(file).ok()?;
            let check = |&env: &TargetEnv| Some((env, compare(&module, env, arguments)?));
            Some((index, environments.iter().filter_map(check).collect()))
        })
        .collect();
    let (mut alarms, mut missed, mut shown) = (0, 0, 0);
    for (index, differences) in &found {
        for (env, difference) in differences {
            let text = match difference {
                Difference::FalseAlarm(text) => {
                    alarms += 1;
                    text
                }
                Difference::Missed => {
                    missed += 1;
                    "the reference rejects it"
                }
            };
            shown += 1;
            if shown <= arguments.show {
                println!("{} ({env}): {text}", files[*index].display());
            }
        }
    }
    println!(
        "{} modules in {} environments: {alarms} false alarms{}",
        found.len(),
        environments.len(),
        match arguments.misses {
            true => format!(", {missed} missed"),
            false => String::new(),
        }
    );
    match alarms {
        0 => Ok(()),
        _ => Err(format!("{alarms} false alarms").into()),
    }
}

fn compare(module: &[u8], env: TargetEnv, arguments: &Arguments) -> Option<Difference> {
    let report = spirvkit::validate_bytes(module, &ValidateOptions::for_env(env));
    let first = report
        .diagnostics()
        .iter()
        .filter(|diagnostic| diagnostic.severity() == Severity::Error)
        .find(|diagnostic| {
            let rule = diagnostic.rule();
            let family = rule.split('.').next().unwrap_or(rule);
            !arguments
                .except
                .iter()
                .any(|except| except == rule || except == family)
        });
    match first {
        Some(first) => accepts(&arguments.reference, module, env)
            .then(|| Difference::FalseAlarm(format!("[{}] {}", first.rule(), first.message()))),
        None => {
            (arguments.misses && report.is_valid() && !accepts(&arguments.reference, module, env))
                .then_some(Difference::Missed)
        }
    }
}

/// Whether the reference validator accepts a module.
pub(super) fn accepts(folder: &Path, module: &[u8], env: TargetEnv) -> bool {
    let path = std::env::temp_dir().join(format!(
        "spirvkit-alarms-{}-{:?}.spv",
        std::process::id(),
        std::thread::current().id()
    ));
    let status = fs::write(&path, module).and_then(|()| {
        Command::new(folder.join("spirv-val"))
            .args(["--target-env", env.name()])
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    });
    let _ = fs::remove_file(&path);
    status.is_ok_and(|status| status.success())
}
