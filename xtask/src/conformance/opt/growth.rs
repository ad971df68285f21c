//! The optimizer's time for modules of one kind of thing: twice as many take twice as long.

use std::time::Duration;

use spirvkit::ValidateOptions;
use spirvkit_fuzz::shapes::{Shape as Hostile, Side};
use spirvkit_opt::Options;

use super::shapes::{SHAPES, Shape, words};
use super::{LevelArgument, optimized, thread_time, with_memory};
use crate::Outcome;

#[derive(clap::Args)]
pub(in super::super) struct Arguments {
    #[command(flatten)]
    level: LevelArgument,
    /// Only shapes whose names have this in them.
    #[arg(long)]
    only: Option<String>,
    /// How many times as many things the shapes have.
    #[arg(long, default_value_t = 1.0)]
    times: f64,
    /// Also the shapes of `xtask hostile`, of up to a megabyte.
    #[arg(long)]
    hostile: bool,
}

/// How many times as long four times as much may take.
const GROWTH: f64 = 8.0;

/// What a shape may take at most.
const MOST: Duration = Duration::from_millis(500);

/// What takes less says nothing about growth.
const NOISE: Duration = Duration::from_millis(20);

/// Each time is the shortest of so many.
const RUNS: usize = 3;

/// The largest of the shapes of `xtask hostile`, in bytes.
const HOSTILE: usize = 1 << 20;

/// What was measured of a shape, at a quarter, at a half and whole.
struct Measured {
    times: [Duration; 3],
    /// Bytes of the whole module, before and after.
    sizes: [usize; 2],
    memory: Option<usize>,
}

pub(in super::super) fn run(arguments: &Arguments) -> Outcome {
    let options = arguments.level.options();
    let is_wanted = |name: &str| arguments.only.as_deref().is_none_or(|it| name.contains(it));
    let (mut passed, mut failed) = (0, 0);
    let mut tell = |name: &str, measured: Result<Measured, String>| {
        let breaches = match measured {
            Ok(measured) => {
                println!("{}", measured.line(name));
                measured.breaches()
            }
            Err(why) => vec![why],
        };
        match breaches.is_empty() {
            true => passed += 1,
            false => failed += 1,
        }
        for breach in breaches {
            println!("FAILED {name}: {breach}");
        }
    };
    for shape in SHAPES.iter().filter(|it| is_wanted(it.name)) {
        let most = (shape.most as f64 * arguments.times) as usize;
        tell(shape.name, of_shape(shape, most, &options));
    }
    if arguments.hostile {
        for shape in Hostile::all().filter(|it| is_wanted(it.name)) {
            let words = |parts| Ok(shape.words(HOSTILE * parts / 4, Side::First));
            tell(shape.name, measure(words, &options));
        }
    }
    println!("{passed} passed, {failed} failed, 0 skipped");
    match failed {
        0 if passed == 0 => Err("there is no such shape".into()),
        0 => Ok(()),
        _ => Err(format!("{failed} shapes take too long").into()),
    }
}

/// Measures a shape, which is valid before and after.
fn of_shape(shape: &Shape, most: usize, options: &Options) -> Result<Measured, String> {
    let small = words(shape, (most / 16).max(500))?;
    validate(&small).map_err(|why| format!("not valid before: {why}"))?;
    let done = optimized(&small, options)?;
    validate(&done).map_err(|why| format!("not valid any more: {why}"))?;
    // What takes too long already would take far longer than anybody waits.
    let small = words(shape, most / 16)?;
    let start = thread_time();
    optimized(&small, options)?;
    let time = thread_time().saturating_sub(start);
    if time > MOST {
        let seconds = time.as_secs_f64();
        return Err(format!("{seconds:.2} s for a sixteenth of it"));
    }
    measure(|parts| words(shape, most * parts / 4), options)
}

fn validate(words: &[u32]) -> Result<(), String> {
    let env = "vulkan1.1".parse().map_err(|_| "no such environment")?;
    let options = ValidateOptions::for_env(env);
    let report = spirvkit::validate(words, &options);
    // How many there may be of something is for drivers to say.
    let limits = |rule: &str| rule.starts_with("limit");
    let mut findings = report.diagnostics().iter();
    match findings.find(|it| !report.is_valid() && !limits(it.rule())) {
        Some(first) => Err(format!("[{}] {}", first.rule(), first.message())),
        None => Ok(()),
    }
}

/// Measures modules of one, two and four quarters.
fn measure(
    words: impl Fn(usize) -> Result<Vec<u32>, String>,
    options: &Options,
) -> Result<Measured, String> {
    let mut measured = Measured {
        times: [Duration::MAX; 3],
        sizes: [0; 2],
        memory: None,
    };
    for (parts, shortest) in [1, 2, 4].into_iter().zip(&mut measured.times) {
        let words = words(parts)?;
        for _ in 0..RUNS {
            let start = thread_time();
            let (done, memory) = with_memory(|| optimized(&words, options));
            *shortest = thread_time().saturating_sub(start).min(*shortest);
            measured.sizes = [words.len() * 4, done?.len() * 4];
            measured.memory = memory;
            // Another time wouldn't tell more.
            if *shortest > MOST * 4 {
                break;
            }
        }
        if *shortest > MOST * 20 {
            return Err(format!(
                "{:.1} s for {} bytes",
                shortest.as_secs_f64(),
                words.len() * 4
            ));
        }
    }
    Ok(measured)
}

impl Measured {
    fn growth(&self) -> f64 {
        let [quarter, _, whole] = self.times;
        whole.as_secs_f64() / quarter.as_secs_f64().max(1e-9)
    }

    fn line(&self, name: &str) -> String {
        let [quarter, half, whole] = self.times.map(|it| it.as_secs_f64());
        let [before, after] = self.sizes;
        let memory = match self.memory {
            Some(memory) => format!(", {:.1} × in memory", memory as f64 / before as f64),
            None => String::new(),
        };
        format!(
            "{name}: {quarter:.4} s, {half:.4} s, {whole:.4} s, × {:.1}; {before} bytes, \
             {after} left, {:.1} MB/s{memory}",
            self.growth(),
            before as f64 / 1e6 / whole.max(1e-9),
        )
    }

    fn breaches(&self) -> Vec<String> {
        let mut breaches = Vec::new();
        let whole = self.times[2];
        if whole > MOST {
            breaches.push(format!("{:.2} s", whole.as_secs_f64()));
        }
        if whole > NOISE && self.growth() > GROWTH {
            breaches.push(format!(
                "four times as many take {:.1} times as long",
                self.growth()
            ));
        }
        breaches
    }
}
