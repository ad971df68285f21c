//! Many inputs, in processes of their own.

use std::error::Error;
use std::io;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::compare::Compared;
use crate::{Arguments, known, random, table};

/// What came of an input.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Compared(Compared),
    /// The process died, and how.
    Crashed(String),
}

/// How many programs made at random run in one process.
const RANDOM_AT_ONCE: usize = 64;

/// Compares all, and tells what came of them. An error if something differs without a known
/// reason.
pub(crate) fn run(arguments: &Arguments, names: Vec<String>) -> Result<(), Box<dyn Error>> {
    let known = known::read(arguments.known.as_deref())?;
    let mut groups: Vec<Vec<String>> = Vec::new();
    for name in names {
        let is_random = |name: &String| name.starts_with(random::PREFIX);
        match groups.last_mut() {
            Some(last)
                if is_random(&name)
                    && last.iter().all(is_random)
                    && last.len() < RANDOM_AT_ONCE =>
            {
                last.push(name);
            }
            _ => groups.push(vec![name]),
        }
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.clamp(1, 64) {
            scope.spawn(|| {
                while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let all = match all_of(arguments, group) {
                        Ok(all) => all,
                        Err(error) => {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                            return;
                        }
                    };
                    for (name, outcome) in all {
                        table::print(&known, &name, &outcome, arguments.verbose);
                        if let Ok(mut done) = done.lock() {
                            done.push((name, outcome));
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_default() {
        return Err(error.into());
    }
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by(|a, b| a.0.cmp(&b.0));
    let figures = table::Figures::of(&known, &done);
    if let Some(file) = &arguments.write {
        table::write(file, &known, &done)?;
    }
    println!("{figures}");
    match figures.differ {
        0 => Ok(()),
        _ => Err("not all is the same".into()),
    }
}

/// What comes of a few inputs. Where a process dies, the next goes on behind.
fn all_of(arguments: &Arguments, group: &[String]) -> io::Result<Vec<(String, Outcome)>> {
    let mut all = Vec::new();
    while let Some(rest) = group.get(all.len()..).filter(|it| !it.is_empty()) {
        let output = start(arguments, rest)?;
        let text = String::from_utf8_lossy(&output.stdout);
        // Layers write to the standard output, too.
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Compared>(line).ok());
        let before = all.len();
        all.extend(rest.iter().cloned().zip(lines.map(Outcome::Compared)));
        let has_given_up = all[before..].last().is_some_and(
            |(_, it)| matches!(it, Outcome::Compared(compared) if compared.has_given_up),
        );
        let count = all.len() - before;
        if count < rest.len() && !has_given_up {
            all.push((rest[count].clone(), Outcome::Crashed(death(&output))));
        }
    }
    Ok(all)
}

fn start(arguments: &Arguments, names: &[String]) -> io::Result<Output> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("--here");
    command.args(["--timeout", &arguments.timeout.to_string()]);
    if arguments.anyway {
        command.arg("--anyway");
    }
    command.arg("--").args(names);
    command.stdin(Stdio::null()).output()
}

/// How a process died.
fn death(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    match last {
        Some(line) => format!("{}: {line}", output.status),
        None => output.status.to_string(),
    }
}
