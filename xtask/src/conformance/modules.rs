//! Owned modules: whatever is loaded must be stored as it was, with tables that
//! agree with it.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use spirvkit::ir::Module;

use super::corpus;
use super::records::{open, words};
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of `.spv` and `.spvasm` files, searched recursively, and recorded
    /// cases, as `.jsonl` or `.jsonl.zst`.
    #[arg(required = true)]
    sources: Vec<PathBuf>,
}

/// A recorded case: the words of a module, whatever else it is about.
#[derive(Deserialize)]
struct Case {
    words: String,
}

#[derive(Default)]
struct Tally {
    same: usize,
    unreadable: usize,
    failures: Vec<String>,
}

/// Loads and stores every module of folders and records.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut failed = 0;
    for source in &arguments.sources {
        let tally = match source.is_dir() {
            true => folder(source)?,
            false => records(source)?,
        };
        for failure in tally.failures.iter().take(20) {
            println!("{failure}");
        }
        println!(
            "{}: {} modules stored as they were loaded, {} failures; {} are no modules",
            source.display(),
            tally.same,
            tally.failures.len(),
            tally.unreadable
        );
        if tally.same == 0 {
            return Err(format!("there are no modules in {}", source.display()).into());
        }
        failed += tally.failures.len();
    }
    match failed {
        0 => Ok(()),
        failed => Err(format!("{failed} modules are not stored as they were").into()),
    }
}

fn folder(folder: &Path) -> Result<Tally, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    corpus::collect(folder, &mut files)?;
    files.sort();
    let name_and_words = |file: &PathBuf| {
        let bytes = corpus::load(file).ok()?;
        let (words, _) = spirvkit::words_from_bytes(&bytes).ok()?;
        Some((file.display().to_string(), words))
    };
    let modules = files.par_iter().map(name_and_words).collect();
    Ok(check_all(modules))
}

fn records(file: &Path) -> Result<Tally, Box<dyn std::error::Error>> {
    let lines: Vec<String> = open(file)?.lines().collect::<Result<_, _>>()?;
    let name_and_words = |(index, line): (usize, &String)| {
        let case: Case = serde_json::from_str(line).ok()?;
        Some((format!("line {}", index + 1), words(&case.words).ok()?))
    };
    let modules = lines.par_iter().enumerate().map(name_and_words).collect();
    Ok(check_all(modules))
}

fn check_all(modules: Vec<Option<(String, Vec<u32>)>>) -> Tally {
    let results: Vec<_> = modules
        .par_iter()
        .map(|module| {
            let (name, words) = module.as_ref()?;
            let checked = check(words)?;
            Some(checked.map_err(|what| format!("{name}: {what}")))
        })
        .collect();
    let mut tally = Tally::default();
    for result in results {
        match result {
            None => tally.unreadable += 1,
            Some(Ok(())) => tally.same += 1,
            Some(Err(failure)) => tally.failures.push(failure),
        }
    }
    tally
}

/// `None` if the words are no module: the walk over its instructions says so, too.
fn check(words: &[u32]) -> Option<Result<(), String>> {
    let instructions = spirvkit::binary::Module::new(words).map(|module| module.instructions());
    let is_module = instructions.is_ok_and(|mut all| all.all(|inst| inst.is_ok()));
    let module = match (Module::load(words), is_module) {
        (Ok(module), true) => module,
        (Err(_), false) => return None,
        (Ok(_), false) => return Some(Err("loaded, but no module".to_owned())),
        (Err(error), true) => return Some(Err(error.to_string())),
    };
    if module.store() != words {
        return Some(Err("stored otherwise than it was loaded".to_owned()));
    }
    let id = spirvkit::binary::Id(0);
    let _ = module.is_used(id);
    Some(module.verify().map_err(|error| error.to_string()))
}
