//! The memory model's axioms against litmus tests of its own kind: programs of a few
//! instructions with what there shall and shall not be among their executions.

mod predicate;
mod program;

use std::fs;
use std::path::{Path, PathBuf};

use spirvkit::interp::model::{Relation, Relations, Source, members, modification_orders};

use super::archive;
use crate::Outcome;
use program::{Question, Test};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A test, a folder of `.test` files, or a `.tar` or `.tar.zst` archive of them.
    tests: PathBuf,
    /// Show all questions, and not just those with another answer.
    #[arg(long)]
    all: bool,
}

/// How many executions a question may take.
const MAX_EXECUTIONS: usize = 1_000_000;

/// What became of a question.
enum Verdict {
    Passed,
    Failed,
    Skipped(String),
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let tests = files(&arguments.tests)?;
    if tests.is_empty() {
        return Err(format!("{}: there are no tests", arguments.tests.display()).into());
    }
    for (name, text) in tests {
        let test = match program::read(&text) {
            Ok(test) => test,
            Err(why) => {
                skipped += 1;
                println!("{name}: skipped: {why}");
                continue;
            }
        };
        for word in &test.unknown {
            println!("{name}: note: `{word}` means nothing");
        }
        for question in &test.questions {
            let asked = match question.is_satisfiable {
                true => "satisfiable",
                false => "no solution",
            };
            let line = format!("{name}:{}", question.line);
            match answer(&test, question) {
                Verdict::Passed => {
                    passed += 1;
                    if arguments.all {
                        println!("{line}: {asked}: passed");
                    }
                }
                Verdict::Failed => {
                    failed += 1;
                    println!("{line}: `{}` is not {asked}", question.property);
                }
                Verdict::Skipped(why) => {
                    skipped += 1;
                    println!("{line}: skipped: {why}");
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} questions have another answer").into()),
    }
}

/// The names and contents of all tests.
fn files(path: &Path) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let is_archive = [".tar", ".tar.zst"]
        .iter()
        .any(|end| path.to_string_lossy().ends_with(end));
    let mut tests = Vec::new();
    if is_archive {
        for (name, bytes) in archive::files(path)? {
            if name.ends_with(".test") {
                tests.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    } else {
        let mut todo = vec![path.to_owned()];
        while let Some(path) = todo.pop() {
            let shown = path.display().to_string();
            let in_path = |error: std::io::Error| format!("{shown}: {error}");
            if path.is_dir() {
                for entry in fs::read_dir(&path).map_err(in_path)? {
                    let entry = entry.map_err(in_path)?.path();
                    if entry.is_dir() || entry.extension().is_some_and(|it| it == "test") {
                        todo.push(entry);
                    }
                }
                continue;
            }
            let bytes = fs::read(&path).map_err(in_path)?;
            tests.push((shown, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    tests.sort();
    Ok(tests)
}

fn answer(test: &Test, question: &Question) -> Verdict {
    let mut tried = 0;
    match has_execution(test, question, &mut tried) {
        Ok(found) if found == question.is_satisfiable => Verdict::Passed,
        Ok(_) => Verdict::Failed,
        Err(why) => Verdict::Skipped(why),
    }
}

/// Whether there is an execution with the property.
fn has_execution(test: &Test, question: &Question, tried: &mut usize) -> Result<bool, String> {
    let mut execution = test.execution.clone();
    execution.has_chains = !question.has_no_chains;
    let relations = Relations::of(&execution);
    // What isn't understood is found in any case.
    predicate::holds(&question.property, &execution, &relations)?;
    if !test.is_possible {
        return Ok(false);
    }
    let choices = choices(test, &relations);
    if choices.iter().any(Vec::is_empty) {
        return Ok(false);
    }
    let atomic_writes = execution.set(|it| it.is_atomic && it.is_write);
    let pairs = relations
        .mutually_ordered
        .between(atomic_writes, atomic_writes);
    let mut orders: Vec<Relation> = Vec::new();
    modification_orders(&pairs, |order| {
        orders.push(order.clone());
        orders.len() < MAX_EXECUTIONS
    });
    // The sources of the reads, counted like digits.
    let mut chosen = vec![0; choices.len()];
    loop {
        for (read, (&index, choices)) in chosen.iter().zip(&choices).enumerate() {
            execution.sources[read] = choices[index];
        }
        for order in &orders {
            *tried += 1;
            if *tried > MAX_EXECUTIONS {
                return Err(format!("there are more than {MAX_EXECUTIONS} executions"));
            }
            execution.modification_order = order.clone();
            let relations = Relations::of(&execution);
            if predicate::holds(&question.property, &execution, &relations)? {
                return Ok(true);
            }
        }
        let Some(next) = (0..chosen.len()).find(|&read| chosen[read] + 1 < choices[read].len())
        else {
            return Ok(false);
        };
        chosen[next] += 1;
        chosen[..next].fill(0);
    }
}

/// For each event where it may read from. What reads nothing has one choice, which means
/// nothing.
fn choices(test: &Test, relations: &Relations) -> Vec<Vec<Source>> {
    let mut choices = Vec::new();
    for (read, event) in test.execution.events.iter().enumerate() {
        let others = relations.same_location.from(read) & relations.writes & !(1 << read);
        let is_other = |write: &usize| others >> write & 1 != 0;
        let possible = match (
            event.is_read,
            test.is_initial[read],
            &test.sources[read][..],
        ) {
            (false, ..) => vec![Source::Open],
            (_, true, []) => vec![Source::Initial],
            (_, false, [write]) if is_other(write) => vec![Source::Write(*write)],
            (_, false, []) => {
                let writes = members(others).map(Source::Write);
                std::iter::once(Source::Initial).chain(writes).collect()
            }
            // It must read from several, or from itself.
            _ => Vec::new(),
        };
        choices.push(possible);
    }
    choices
}
