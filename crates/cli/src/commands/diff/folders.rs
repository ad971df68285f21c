//! Comparing two folders: the modules with the same path below them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;
use spirvkit::diff::diff;

use super::{Arguments, CheckResult};
use crate::exit::{Ending, UsageError};
use crate::input::load::load_input;
use crate::input::{Input, Inputs};
use crate::report::{Format, Messages, deliver};
use crate::run::each;

/// What has one path below the folders.
type Pair = [Option<Input>; 2];

/// What came of a pair.
struct Outcome {
    text: String,
    messages: Messages,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Compared(CheckResult),
    /// Only this one of the folders has it.
    Only(usize),
}

/// How many there were of each.
#[derive(Default)]
struct Counts {
    compared: usize,
    differing: usize,
    only: [usize; 2],
    failed: usize,
}

pub(super) fn run(arguments: &Arguments, folders: &[PathBuf; 2]) -> Result<Ending, UsageError> {
    let (pairs, mut counts) = pairs(arguments, folders)?;
    let mut unwritten = 0;
    each(
        pairs.len(),
        arguments.jobs,
        16,
        |number| compare(arguments, folders, &pairs[number]),
        |outcome: Outcome| {
            counts.add(outcome.kind);
            deliver(outcome.text.as_bytes(), &outcome.messages, &mut unwritten)
        },
    );
    if !arguments.quiet {
        let mut messages = Messages::new(arguments.reporter());
        messages.add_note(&counts.summary(folders));
        messages.print();
    }
    Ok(arguments.ending(match counts.failed + unwritten {
        0 if counts.differing + counts.only[0] + counts.only[1] == 0 => CheckResult::Same,
        0 => CheckResult::Differs,
        _ => CheckResult::Failed,
    }))
}

/// What there is to compare, in the order of the paths; folders that can't be read are
/// reported. That one of them has no modules is nothing but a difference.
fn pairs(arguments: &Arguments, folders: &[PathBuf; 2]) -> Result<(Vec<Pair>, Counts), UsageError> {
    let mut by_path: BTreeMap<PathBuf, Pair> = BTreeMap::new();
    let mut barren: Vec<(Input, io::Error)> = Vec::new();
    for (side, folder) in folders.iter().enumerate() {
        let found = Inputs::modules(std::slice::from_ref(folder))?;
        for input in found.list {
            match input.is_barren().then(|| input.read()) {
                Some(Err(error)) => barren.push((input, error)),
                _ => {
                    let pair = by_path.entry(input.relative.clone()).or_default();
                    pair[side] = Some(input);
                }
            }
        }
    }
    if !by_path.is_empty() {
        barren.retain(|(_, error)| error.kind() != io::ErrorKind::NotFound);
    }
    let mut messages = Messages::new(arguments.reporter());
    for (input, error) in &barren {
        messages.add_read_error(&input.name, error);
    }
    messages.print();
    let counts = Counts {
        failed: barren.len(),
        ..Counts::default()
    };
    Ok((by_path.into_values().collect(), counts))
}

fn compare(arguments: &Arguments, folders: &[PathBuf; 2], pair: &Pair) -> Outcome {
    let mut messages = Messages::new(arguments.reporter());
    let [a, b] = match pair {
        [Some(a), Some(b)] => [a, b],
        [only, other] => {
            let side = usize::from(only.is_none());
            let input = only.as_ref().or(other.as_ref());
            return Outcome {
                text: input.map_or_else(String::new, |it| only_in(arguments, folders, side, it)),
                messages,
                kind: Kind::Only(side),
            };
        }
    };
    let loaded = [a, b].map(|input| load_input(input, &mut messages));
    let (text, verdict) = match &loaded {
        [Some(a), Some(b)] => {
            let found = diff(&a.module, &b.module, &arguments.options());
            let names = [a.name.clone(), b.name.clone()];
            (arguments.show(&found, names), CheckResult::of(&found))
        }
        _ => (String::new(), CheckResult::Failed),
    };
    Outcome {
        text,
        messages,
        kind: Kind::Compared(verdict),
    }
}

/// Tells of what only one of the folders has.
fn only_in(arguments: &Arguments, folders: &[PathBuf; 2], side: usize, input: &Input) -> String {
    let path = |path: &Path| path.display().to_string();
    match arguments.format {
        _ if arguments.quiet => String::new(),
        Format::Human => {
            let folder = path(&folders[side]);
            format!("only in {folder}: {}\n", path(&input.relative))
        }
        Format::Json => {
            let name = |of: usize| (of == side).then_some(&input.name);
            let found = json!({"version": 1, "a": name(0), "b": name(1), "equal": false});
            format!("{found}\n")
        }
    }
}

impl Counts {
    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Only(side) => self.only[side] += 1,
            Kind::Compared(CheckResult::Failed) => self.failed += 1,
            Kind::Compared(verdict) => {
                self.compared += 1;
                self.differing += usize::from(verdict == CheckResult::Differs);
            }
        }
    }

    /// All in a line.
    fn summary(&self, folders: &[PathBuf; 2]) -> String {
        let pairs = if self.compared == 1 { "pair" } else { "pairs" };
        let mut text = match self.differing {
            0 => format!("{} {pairs} of modules compared, none differ", self.compared),
            1 => format!("{} {pairs} of modules compared, 1 differs", self.compared),
            more => format!(
                "{} {pairs} of modules compared, {more} differ",
                self.compared
            ),
        };
        for (count, folder) in self.only.iter().zip(folders) {
            if *count > 0 {
                text += &format!("; {count} only in {}", folder.display());
            }
        }
        if self.failed > 0 {
            text += &format!("; {} could not be read", self.failed);
        }
        text
    }
}
