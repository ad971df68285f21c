//! Amber's scripts: they pass at all sizes of subgroups, and each expectation fails when it is
//! changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of scripts, searched recursively. Scripts with `.expect_fail.` in their names
    /// must fail.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Scripts that are wrong themselves, by the ends of their paths; they must fail, too.
    #[arg(long, value_name = "PATH")]
    except: Vec<String>,
    /// The program [default: `spv` beside this one].
    #[arg(long)]
    program: Option<PathBuf>,
}

/// How scripts are run.
const RUNS: &[&[&str]] = &[
    &["--subgroup-size", "4"],
    &["--subgroup-size", "8"],
    &["--subgroup-size", "16"],
    &["--subgroup-size", "32"],
    &["--subgroup-size", "64"],
    &["--negate"],
];

/// What came of a script in one run.
#[derive(serde::Deserialize)]
struct Line {
    file: String,
    result: String,
    reason: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => std::env::current_exe()?.with_file_name("spv"),
    };
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut skipped: BTreeMap<String, String> = BTreeMap::new();
    let mut passed: BTreeMap<String, usize> = BTreeMap::new();
    for options in RUNS {
        for line in lines(&program, options, &arguments.folders)? {
            let how = options.join(" ");
            let reason = line.reason.unwrap_or_default();
            let must_fail = line.file.contains(".expect_fail.")
                || arguments.except.iter().any(|it| line.file.ends_with(it));
            let mut fail = |why: String| failures.entry(line.file.clone()).or_default().push(why);
            match (&*line.result, must_fail) {
                ("skipped", _) => drop(skipped.insert(line.file, reason)),
                ("failed", true) | ("passed", false) => {
                    *passed.entry(line.file).or_default() += 1;
                }
                ("passed", true) => fail(format!("{how}: it passes")),
                _ => fail(format!("{how}: {reason}")),
            }
        }
    }
    for (file, reasons) in &failures {
        println!("{file}");
        reasons.iter().for_each(|reason| println!("  {reason}"));
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    skipped
        .values()
        .for_each(|reason| *reasons.entry(reason).or_default() += 1);
    for (reason, count) in reasons {
        println!("skipped {count}: {reason}");
    }
    // What passes in one run and not in another doesn't pass.
    passed.retain(|file, _| !failures.contains_key(file) && !skipped.contains_key(file));
    skipped.retain(|file, _| !failures.contains_key(file));
    println!(
        "{} passed, {} failed, {} skipped",
        passed.len(),
        failures.len(),
        skipped.len()
    );
    match failures.is_empty() && !passed.is_empty() {
        true => Ok(()),
        false => Err("not all scripts pass".into()),
    }
}

/// Runs the program once on all scripts.
fn lines(
    program: &Path,
    options: &[&str],
    folders: &[PathBuf],
) -> Result<Vec<Line>, Box<dyn std::error::Error>> {
    let mut command = Command::new(program);
    command.args(["amber", "--format", "json"]);
    let output = command.args(options).args(folders).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    // 1 means that a script fails.
    if !matches!(output.status.code(), Some(0 | 1)) {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {said}", program.display()).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let lines = text.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}
