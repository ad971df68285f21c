//! Kernels of ggml's Vulkan backend: run on inputs made here, and compared with what the
//! operation gives in plain arithmetic.

mod attention;
mod elementwise;
mod formats;
mod matrices;
mod random;
mod reductions;
mod rows;
mod shape;

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use spirvkit::analysis::ModuleIndex;
use spirvkit::grammar::Decoration;
use spirvkit::interp::{Outcome as Ran, Run};
use spirvkit::words_from_bytes;

use super::sample::Sample;
use crate::Outcome;
use formats::Format;
use shape::Shape;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of modules, searched recursively.
    folder: PathBuf,
    #[command(flatten)]
    sample: Sample,
    /// Only modules whose path has this in it.
    #[arg(long)]
    only: Option<String>,
    /// How many failures, and reasons for leaving out, to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
    /// Show every module.
    #[arg(long)]
    list: bool,
    /// Look for races, too, one module after the other, and show what that costs: the least
    /// times of so many rounds, with and without.
    #[arg(long, value_name = "ROUNDS")]
    races: Option<u32>,
}

/// A kernel with its inputs, and what must come of it.
#[derive(Debug, Default)]
struct Case {
    /// Values of specialization constants by their `SpecId`; those that the module lacks are
    /// left out.
    constants: Vec<(u32, u32)>,
    push: Vec<u32>,
    /// The buffers of set 0.
    buffers: BTreeMap<u32, Vec<u8>>,
    groups: [u32; 3],
    outputs: Vec<Output>,
    /// What must be found, and nothing else; each is verified by hand.
    finding: Option<&'static str>,
    /// What some versions of the kernel do besides; verified by hand, too.
    excused: Option<&'static str>,
}

/// What a buffer must hold.
#[derive(Debug)]
struct Output {
    binding: u32,
    format: Format,
    /// Each number with how far off it may be; `None` for what isn't written.
    numbers: Vec<Option<(f64, f64)>>,
}

/// An operation: how its kernels are recognized, and a run of one.
struct Operation {
    name: &'static str,
    case: fn(&Shape) -> Option<Case>,
}

/// What came of a module.
enum Verdict {
    Passed(&'static str),
    Failed(&'static str, String),
    Skipped(String),
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = arguments.sample.modules(&arguments.folder)?;
    if let Some(only) = &arguments.only {
        files.retain(|file| file.to_string_lossy().contains(only));
    }
    let verdicts: Vec<Verdict> = match arguments.races {
        None => files.par_iter().map(|file| check(file, None)).collect(),
        Some(rounds) => files.iter().map(|file| check(file, Some(rounds))).collect(),
    };
    let mut names: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut skips: BTreeMap<&str, usize> = BTreeMap::new();
    let mut shown = 0;
    for (file, verdict) in files.iter().zip(&verdicts) {
        let file = file.display();
        match verdict {
            Verdict::Passed(name) => {
                names.entry(name).or_default()[0] += 1;
                if arguments.list {
                    println!("passed {file}: {name}");
                }
            }
            Verdict::Failed(name, why) => {
                names.entry(name).or_default()[1] += 1;
                shown += 1;
                if shown <= arguments.show || arguments.list {
                    println!("FAILED {file}: {name}: {why}");
                }
            }
            Verdict::Skipped(why) => {
                *skips.entry(why).or_default() += 1;
                if arguments.list {
                    println!("skipped {file}: {why}");
                }
            }
        }
    }
    for (name, [passed, failed]) in &names {
        println!("{name}: {passed} passed, {failed} failed");
    }
    let mut skips: Vec<(&str, usize)> = skips.into_iter().collect();
    skips.sort_by_key(|skip| std::cmp::Reverse(skip.1));
    for (why, count) in skips.iter().take(arguments.show) {
        println!("{count} skipped: {why}");
    }
    let sum = |which: usize| names.values().map(|counts| counts[which]).sum::<usize>();
    let skipped: usize = skips.iter().map(|skip| skip.1).sum();
    let (passed, failed) = (sum(0), sum(1));
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} kernels give something else, or can't be run").into()),
    }
}

/// How much longer a run that looks for races may take.
const RACE_COST: f64 = 3.0;

/// Runs that are shorter mostly read the module.
const LEAST_TIME: Duration = Duration::from_millis(1);

/// A kernel that is known, with a run of it.
pub(super) struct Known {
    pub(super) words: Vec<u32>,
    name: &'static str,
    case: Case,
}

impl Known {
    /// The kernel in a file, if it is known.
    pub(super) fn of(file: &Path) -> Result<Option<Self>, String> {
        let bytes = fs::read(file).map_err(|error| error.to_string())?;
        let (words, _) = words_from_bytes(&bytes).map_err(|error| error.to_string())?;
        let m = ModuleIndex::new(&words).map_err(|error| error.to_string())?;
        let shape = Shape::of(&m, file);
        let operations = matrices::OPERATIONS
            .iter()
            .chain(rows::OPERATIONS)
            .chain(reductions::OPERATIONS)
            .chain(attention::OPERATIONS)
            .chain(elementwise::OPERATIONS);
        let mut found = operations.filter_map(|it| Some((it.name, (it.case)(&shape)?)));
        Ok(found.next().map(|(name, case)| Self { words, name, case }))
    }

    /// A run of these words, which are the kernel's or do the same, with its inputs.
    pub(super) fn run<'w>(&self, words: &'w [u32]) -> Run<'w> {
        let mut run = Run::new(words)
            .threads(1)
            .push(&self.case.push)
            .max_steps(1 << 26);
        let spec_ids: Vec<u32> = match ModuleIndex::new(words) {
            Ok(m) => m
                .all_decorated_with(Decoration::SpecId)
                .map(|(_, it)| it.param(0))
                .collect(),
            Err(_) => Vec::new(),
        };
        for &(id, value) in &self.case.constants {
            if spec_ids.contains(&id) {
                run = run.spec(id, value);
            }
        }
        for (binding, bytes) in self.buffers() {
            run = run.storage(0, binding, bytes);
        }
        run
    }

    /// The buffers of set 0, with what is in them before.
    pub(super) fn buffers(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let buffers = self.case.buffers.iter();
        buffers.map(|(&binding, bytes)| (binding, bytes.as_slice()))
    }

    pub(super) fn groups(&self) -> [u32; 3] {
        self.case.groups
    }
}

fn check(file: &Path, races: Option<u32>) -> Verdict {
    let known = match Known::of(file) {
        Ok(Some(known)) => known,
        Ok(None) => return Verdict::Skipped(String::from("no operation that is known here")),
        Err(error) => return Verdict::Failed("file", error),
    };
    let name = known.name;
    match catch_unwind(|| execute(&known, false)) {
        Ok(Ok(out)) => match wrong(&known.case, &out) {
            None => match races.map(|rounds| cost(file, rounds, &|on| execute(&known, on))) {
                None | Some(Ok(())) => Verdict::Passed(name),
                Some(Err(why)) => Verdict::Failed(name, why),
            },
            Some(why) => Verdict::Failed(name, why),
        },
        Ok(Err(why)) if why.contains("can't be run yet") => Verdict::Skipped(why),
        Ok(Err(why)) => Verdict::Failed(name, why),
        Err(_) => Verdict::Failed(name, String::from("the run panics")),
    }
}

/// Shows how much longer a kernel takes whose races are looked for; an error if that is too
/// long.
fn cost(
    file: &Path,
    rounds: u32,
    execute: &dyn Fn(bool) -> Result<Ran, String>,
) -> Result<(), String> {
    let mut times = [Duration::MAX; 2];
    for _ in 0..rounds.max(1) {
        for (is_on, least) in [false, true].into_iter().zip(&mut times) {
            *least = time(&|| execute(is_on).map(drop))?.min(*least);
        }
    }
    let has_races = !execute(true)?.findings.is_empty();
    let [without, with] = times.map(|time| time.as_secs_f64() * 1e3);
    let (cost, file) = (with / without, file.display());
    println!("{file}: {without:.2} ms, looking for races {with:.2} ms, {cost:.2} times as long");
    // Where races are found, that is what takes the time.
    match times[0] >= LEAST_TIME && cost > RACE_COST && !has_races {
        true => Err(format!("looking for races takes {cost:.2} times as long")),
        false => Ok(()),
    }
}

/// What a run is repeated for: the system counts in steps of some milliseconds.
const COUNTED_TIME: Duration = Duration::from_millis(60);

/// How long something takes this thread.
fn time(execute: &dyn Fn() -> Result<(), String>) -> Result<Duration, String> {
    let (start, before) = (Instant::now(), running());
    let mut turns = 0;
    loop {
        execute()?;
        turns += 1;
        let passed = match before.zip(running()) {
            Some((before, after)) => after.saturating_sub(before),
            None => start.elapsed(),
        };
        if passed >= COUNTED_TIME {
            return Ok(passed / turns);
        }
    }
}

/// How long this thread has been running, where the system tells it.
fn running() -> Option<Duration> {
    let about = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = about.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

fn execute(known: &Known, races: bool) -> Result<Ran, String> {
    let case = &known.case;
    let out = known.run(&known.words).race(races).dispatch(case.groups);
    let out = out.map_err(|errors| {
        let text = errors.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    })?;
    let mut found = out.findings.iter();
    // Some kernels have races, which are found only if they are looked for.
    let expected = [case.finding, case.excused, races.then_some("run.race")];
    if let Some(finding) = found.find(|it| !expected.contains(&Some(it.rule()))) {
        return Err(format!("{}: {finding}", finding.rule()));
    }
    match case.finding {
        Some(rule) if out.findings.is_empty() => Err(format!("{rule} is not found")),
        _ => Ok(out),
    }
}

/// What is wrong with the outputs, if anything is.
fn wrong(case: &Case, out: &Ran) -> Option<String> {
    for output in &case.outputs {
        let found = output.format.decode(out.bytes(0, output.binding));
        if found.len() < output.numbers.len() {
            return Some(format!("binding {} is too small", output.binding));
        }
        let mut off = 0;
        let mut first = None;
        for (index, (&found, expected)) in found.iter().zip(&output.numbers).enumerate() {
            let Some((expected, tolerance)) = *expected else {
                continue;
            };
            let is_same = found == expected || (found.is_nan() && expected.is_nan());
            if is_same || (found - expected).abs() <= tolerance {
                continue;
            }
            off += 1;
            first.get_or_insert((index, found, expected));
        }
        if let Some((index, found, expected)) = first {
            let all = output.numbers.len();
            return Some(format!(
                "{off} of {all} numbers at binding {} differ; number {index} is {found}, not {expected}",
                output.binding
            ));
        }
    }
    None
}

/// The bits of a float, for push constants.
fn bits(number: f32) -> u32 {
    number.to_bits()
}
