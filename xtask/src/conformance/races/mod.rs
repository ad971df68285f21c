//! The race detector and the orders of execution against programs with verdicts of another
//! checker: JSON lines, one program a line, compressed with zstd or not.

mod condition;
mod explored;
mod headers;
mod program;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Deserialize;
use spirvkit::analysis::ModuleIndex;
use spirvkit::interp::Run;

use self::headers::Quantifier;
use self::program::{Place, Program};
use super::records::open;
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The programs, as `.jsonl` or `.jsonl.zst`, or folders of these.
    #[arg(required = true)]
    programs: Vec<PathBuf>,
    /// Shows programs whose name contains this with all that was found.
    #[arg(long)]
    only: Option<String>,
    /// How many orders of execution to try.
    #[arg(long, default_value_t = 24)]
    schedules: u64,
    /// How many programs may be answered in another way.
    #[arg(long, default_value_t = 0)]
    failures: usize,
    /// How many programs may be skipped.
    #[arg(long)]
    skips: Option<usize>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    property: String,
    verdict: String,
    #[serde(default = "yes")]
    enabled: bool,
    text: String,
}

fn yes() -> bool {
    true
}

/// What comes of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed(String),
    Skipped(String),
}

/// How many bytes arguments have that are memory of the workgroup.
const LOCAL_BYTES: u32 = 1024;

/// How many bytes are added to buffers of any length whose given contents a program leaves.
const ROOM: usize = 256;

/// Why a program can't be judged that accesses memory out of bounds.
const BEYOND: &str = "it does what is undefined: run.bounds";

/// How many steps a program may take.
const MAX_STEPS: u64 = 1 << 14;

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut rows: Vec<Row> = Vec::new();
    for file in files(&arguments.programs)? {
        for line in open(&file)?.lines() {
            let line = line?;
            if !line.trim().is_empty() {
                rows.push(serde_json::from_str(&line)?);
            }
        }
    }
    if let Some(only) = &arguments.only {
        rows.retain(|row| row.name.contains(only.as_str()));
    }
    let verdicts = rows.par_iter().map(|row| judge(row, arguments));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let mut counts: BTreeMap<(&str, &str), [usize; 3]> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, verdict) in rows.iter().zip(&verdicts) {
        let index = match verdict {
            Verdict::Passed => 0,
            Verdict::Failed(why) => {
                println!("{} ({}, {}): {why}", row.name, row.property, row.verdict);
                1
            }
            Verdict::Skipped(why) => {
                *reasons.entry(why).or_default() += 1;
                if arguments.only.is_some() {
                    println!(
                        "{} ({}, {}): skipped: {why}",
                        row.name, row.property, row.verdict
                    );
                }
                2
            }
        };
        counts.entry((&row.property, &row.verdict)).or_default()[index] += 1;
    }
    for (reason, count) in reasons {
        println!("skipped {count}: {reason}");
    }
    for ((property, verdict), [passed, failed, skipped]) in &counts {
        println!("{property} {verdict}: {passed} passed, {failed} failed, {skipped} skipped");
    }
    let sum = |index: usize| counts.values().map(|counts| counts[index]).sum::<usize>();
    println!("{} passed, {} failed, {} skipped", sum(0), sum(1), sum(2));
    match (
        sum(1) > arguments.failures,
        arguments.skips.is_some_and(|most| sum(2) > most),
    ) {
        (true, _) => Err(format!("{} programs were answered in another way", sum(1)).into()),
        (_, true) => Err(format!("{} programs were skipped", sum(2)).into()),
        _ => Ok(()),
    }
}

/// The files that are given, and those in folders.
fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let in_path = |error: std::io::Error| format!("{}: {error}", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(in_path)? {
            let file = entry.map_err(in_path)?.path();
            let name = file.to_string_lossy();
            if name.ends_with(".jsonl") || name.ends_with(".jsonl.zst") {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(format!("{}: there are no programs", path.display()).into());
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn judge(row: &Row, arguments: &Arguments) -> Verdict {
    let skipped = |why: &str| Verdict::Skipped(why.to_owned());
    if !row.enabled {
        return skipped("its authors' checker does not decide it");
    }
    let expected = match row.verdict.as_str() {
        "pass" => true,
        "fail" => false,
        _ => return skipped("the verdict is unknown"),
    };
    let mut program = match Program::new(&row.text) {
        Ok(program) => program,
        Err(why) => return Verdict::Skipped(why),
    };
    let mut ours = answer(&program, row, arguments);
    if matches!(&ours, Err(why) if why == BEYOND) {
        program.room = ROOM;
        ours = answer(&program, row, arguments);
    }
    match ours {
        Err(why) => Verdict::Skipped(why),
        Ok(None) => skipped("orders of execution don't decide it"),
        Ok(Some(ours)) if ours == expected => Verdict::Passed,
        Ok(Some(true)) => Verdict::Failed("we say that it holds".to_owned()),
        Ok(Some(false)) => Verdict::Failed("we say that it doesn't hold".to_owned()),
    }
}

/// Whether a program has the property that is asked for, if that can be told.
fn answer(program: &Program, row: &Row, arguments: &Arguments) -> Result<Option<bool>, String> {
    let show = arguments.only.is_some();
    match row.property.as_str() {
        "race-free" => race_free(program, arguments.schedules, show),
        "assertion" => match decided(program) {
            Some(answer) => answer.map(Some),
            None => assertion(program, arguments.schedules, show),
        },
        "terminates" => terminates(program, arguments.schedules),
        other => Err(format!("the property {other} is not known")),
    }
}

/// What exploration says of the conditions, if it decides them.
fn decided(program: &Program) -> Option<Result<bool, String>> {
    let explored = explored::explored(program)?;
    explored::assertion(program, &explored).transpose()
}

/// What a run of a program gives.
struct Ran {
    races: Vec<String>,
    /// Whether it came to its end.
    ended: bool,
    /// Whether an undefined value decides anything, or is a result.
    is_undefined: bool,
    /// By buffer.
    contents: Vec<Vec<u8>>,
}

fn ran(program: &Program, seed: u64, detects: bool) -> Result<Ran, String> {
    let [lanes, subgroups, groups] = program.headers.config;
    let mut run = Run::new(&program.words)
        .threads(1)
        .subgroup_size(program.headers.subgroup_size())
        .local_size([lanes * subgroups, 1, 1])
        .max_steps(MAX_STEPS)
        .push(&program.push(seed))
        .race(detects)
        .strict(true)
        .undefined_results(true)
        .seed(seed);
    for buffer in &program.buffers {
        let contents = program.contents(buffer, seed);
        run = match buffer.place {
            Place::Binding(set, binding) => run.storage(set, binding, &contents),
            Place::Argument(index) => run.argument(index, &contents),
        };
    }
    for &index in &program.locals {
        run = run.local_argument(index, LOCAL_BYTES);
    }
    let out = run.dispatch([groups, 1, 1]).map_err(|errors| {
        let first = errors.iter().next().map(|error| error.message().to_owned());
        first.unwrap_or_default()
    })?;
    let mut ran = Ran {
        races: Vec::new(),
        ended: true,
        is_undefined: false,
        contents: Vec::new(),
    };
    for found in &out.findings {
        match found.rule() {
            "run.race" => ran.races.push(found.message().to_owned()),
            "run.steps" | "run.livelock" => ran.ended = false,
            "run.uninitialized" => ran.is_undefined = true,
            "run.bounds" => return Err(BEYOND.to_owned()),
            "run.null" | "run.read-only" => {
                return Err(format!("it does what is undefined: {}", found.rule()));
            }
            _ => {}
        }
    }
    for buffer in &program.buffers {
        let contents = match buffer.place {
            Place::Binding(set, binding) => out.bytes(set, binding),
            Place::Argument(index) => out.argument_bytes(index),
        };
        // What nothing uses is not part of the run.
        let contents = match contents {
            [] => program.contents(buffer, seed),
            contents => contents.to_vec(),
        };
        ran.contents.push(contents);
    }
    Ok(ran)
}

/// Whether no order shows a race.
fn race_free(program: &Program, schedules: u64, show: bool) -> Result<Option<bool>, String> {
    for seed in 0..schedules {
        let ran = ran(program, seed, true)?;
        if show {
            ran.races
                .iter()
                .for_each(|race| println!("order {seed}: {race}"));
        }
        if !ran.races.is_empty() {
            return Ok(Some(false));
        }
    }
    let explored = explored::explored(program);
    let has_race = explored.and_then(|explored| explored.has_race());
    Ok(Some(has_race != Some(true)))
}

/// Whether all conditions hold in all orders, or some, as each says; `None` if more orders, or
/// such as no order of execution shows, could tell otherwise.
fn assertion(program: &Program, schedules: u64, show: bool) -> Result<Option<bool>, String> {
    let m = ModuleIndex::new(&program.words).map_err(|error| error.to_string())?;
    let conditions = &program.headers.outputs;
    if conditions.is_empty() {
        return Err("there is no condition".to_owned());
    }
    let all = conditions.iter().map(|(_, condition)| condition);
    let mut named = Vec::new();
    all.chain(&program.headers.filters)
        .for_each(|condition| condition.add_elements(&mut named));
    let threads: u32 = program.headers.config.iter().product();
    let is_alone = threads == 1;
    let mut held = vec![(false, false); conditions.len()];
    let mut is_determined = true;
    let mut is_racy = false;
    let mut first = None;
    let orders = if is_alone { 1 } else { schedules };
    for seed in (0..orders).chain(program.fillings()) {
        let ran = match ran(program, seed, !is_alone) {
            Ok(ran) => ran,
            Err(why) if seed < orders => return Err(why),
            // What is undefined with such an input may not be meant.
            Err(_) => {
                is_determined = false;
                continue;
            }
        };
        let value =
            |name: &str, indexes: &[usize]| program.element(&m, &ran.contents, name, indexes);
        let mut counts = ran.ended;
        for filter in &program.headers.filters {
            counts &= filter.holds(&value)?;
        }
        is_racy |= !ran.races.is_empty();
        is_determined &= ran.races.is_empty() && ran.ended && !ran.is_undefined;
        let found: Vec<_> = named.iter().map(|it| value(it.0, it.1)).collect();
        is_determined &= *first.get_or_insert_with(|| found.clone()) == found;
        if show {
            println!("order {seed}: {:?} {:?}", ran.contents, ran.races);
        }
        if !counts {
            continue;
        }
        for ((_, condition), (yes, no)) in conditions.iter().zip(&mut held) {
            match condition.holds(&value)? {
                true => *yes = true,
                false => *no = true,
            }
        }
    }
    // What is atomic may turn out in ways that no order shows.
    is_determined &= is_alone || !program.text.contains("OpAtomic");
    let mut answer = Some(true);
    for ((quantifier, _), (yes, no)) in conditions.iter().zip(held) {
        let holds = match quantifier {
            // After a data race, anything may be.
            Quantifier::Always if no || is_racy => Some(false),
            Quantifier::Never if yes || is_racy => Some(false),
            Quantifier::Sometimes if yes => Some(true),
            Quantifier::Always | Quantifier::Never => is_determined.then_some(true),
            Quantifier::Sometimes => is_determined.then_some(false),
        };
        answer = match (answer, holds) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), it) => it,
            (None, _) => None,
        };
    }
    Ok(answer)
}

/// Whether it comes to an end in all orders.
fn terminates(program: &Program, schedules: u64) -> Result<Option<bool>, String> {
    for seed in 0..schedules {
        if !ran(program, seed, false)?.ended {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}
