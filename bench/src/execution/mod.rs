//! How fast shaders run: beside plain Rust, and beside a driver that compiles them.

mod alu;
mod explore;
mod kernels;
mod race;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use spirvkit_interp::{Outcome, Run};

use alu::Alu;
use kernels::{Kernel, Loaded};

/// The goals: so many times what plain Rust takes, what the driver takes, and so many
/// milliseconds for a small run.
const NATIVE: f64 = 2.0;
#[cfg(feature = "lavapipe")]
const DRIVER: f64 = 15.0;
const START: f64 = 3.0;

/// Measures, and gives a section of the report. Only what has `only` in its name is run; `alu`
/// stands for all that only compute.
pub(crate) fn section(folder: &Path, rounds: u32, only: &str) -> Result<String, Box<dyn Error>> {
    let mut text = String::from(
        "
## Running shaders

One thread, and the time that it was running, with reading the module and all checks but that
for races. The first only compute, and are compared with the same arithmetic in plain Rust:
`mandelbrot` in a loop that invocations leave one by one, `hash` on integers, `matrix` on
vectors, `fma` with numbers that are multiplied and added with one rounding, `walk` in a
function whose loop each invocation goes round another number of times. The others are kernels
of ggml, with what they are given made up, compared with Mesa's lavapipe, which compiles them,
in one thread (`LP_NUM_THREADS=0`); the time to compile is beside it.

| | ms | compared with, ms | to compile, ms | as long as | goal |
|---|---:|---:|---:|---:|---:|
",
    );
    for kernel in alu::ALL {
        if only == "alu" || kernel.name.contains(only) {
            alu(kernel, rounds, &mut text);
        }
    }
    #[cfg(feature = "lavapipe")]
    let driver = spirvkit_lavapipe::Driver::open()?;
    for kernel in kernels::all() {
        if !kernel.name.contains(only) {
            continue;
        }
        let loaded = kernel.load(folder)?;
        let mut outcome = None;
        let time = best(rounds, || outcome = Some(interpreted(&kernel, &loaded)));
        if let Some(outcome) = &outcome {
            outcome.assert_clean();
        }
        let _ = write!(text, "| {} | {:.2} |", kernel.name, milliseconds(time));
        #[cfg(feature = "lavapipe")]
        if let Some(outcome) = &outcome {
            let mut job = job(&kernel, &loaded);
            let results = driver.run(&job)?;
            for ((binding, _), bytes) in loaded.buffers.iter().zip(&results.memories) {
                check(kernel.name, *binding, outcome.bytes(0, *binding), bytes)?;
            }
            // Each job compiles once, however often it runs.
            let turns = (0.1 / results.running.as_secs_f64()).clamp(1.0, 100.0) as u32;
            let mut run = |rounds| {
                job.rounds = rounds;
                let before = running();
                let result = driver.run(&job);
                let after = running();
                result.map(|_| after.zip(before).map_or(Duration::MAX, |(a, b)| a - b))
            };
            // The least of each, since a difference would be least where the first is most.
            let (mut once, mut often) = (Duration::MAX, Duration::MAX);
            for _ in 0..rounds.max(1) {
                once = once.min(run(1)?);
                often = often.min(run(1 + turns)?);
            }
            let running = often.saturating_sub(once) / turns;
            let _ = write!(
                text,
                " {:.2} | {:.0} | {:.1}× | {DRIVER}× |",
                milliseconds(running),
                milliseconds(results.compiling),
                time.as_secs_f64() / running.as_secs_f64(),
            );
        }
        text.push('\n');
    }
    if "start".contains(only) {
        start(rounds, &mut text);
    }
    if "race".contains(only) {
        race::table(folder, rounds, &mut text)?;
    }
    if "explore".contains(only) {
        explore::table(rounds, &mut text)?;
    }
    if "growth".contains(only) {
        growth(rounds, &mut text);
    }
    if "length".contains(only) {
        length(rounds, &mut text);
    }
    Ok(text)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn alu(alu: &Alu, rounds: u32, text: &mut String) {
    let words = alu.module();
    let mut results = [Vec::new(), Vec::new()];
    let ours = best(rounds, || results[0] = alu.interpreted(&words, 1));
    let native = best(rounds, || results[1] = alu.native());
    assert_eq!(results[0], results[1], "{}", alu.name);
    let each = ours.as_secs_f64() * 1e9 / alu.instructions(&results[1]) as f64;
    let _ = writeln!(
        text,
        "| {} ({each:.2} ns an instruction and invocation) | {:.2} | {:.2} | | {:.2}× | {NATIVE}× |",
        alu.name,
        milliseconds(ours),
        milliseconds(native),
        ours.as_secs_f64() / native.as_secs_f64()
    );
}

/// A run of one workgroup, from the words of its module to its results.
fn start(rounds: u32, text: &mut String) {
    let words = alu::ALL[0].module();
    let run = || {
        let run = Run::new(&words).threads(1).zeroed(0, 0, 256);
        let outcome = run.dispatch([1, 1, 1]);
        assert!(outcome.is_ok_and(|outcome| outcome.is_clean()));
    };
    let time = best(rounds, run);
    let _ = writeln!(
        text,
        "\nA run of one workgroup of 64 takes {:.3} ms, reading the module included; the goal is {START} ms.",
        milliseconds(time)
    );
}

/// Twice as many invocations, three times.
fn growth(rounds: u32, text: &mut String) {
    let alu = &alu::ALL[0];
    let words = alu.module();
    let times = [1, 2, 4, 8].map(|times| {
        let time = best(rounds, || drop(alu.interpreted(&words, times)));
        format!("{:.1}", milliseconds(time))
    });
    let _ = writeln!(
        text,
        "\n`{}` with 1, 2, 4 and 8 times as many invocations takes {} ms.",
        alu.name,
        times.join(", ")
    );
}

/// Twice as many instructions, three times.
fn length(rounds: u32, text: &mut String) {
    let times = [1, 2, 4, 8].map(|times| {
        let words = alu::long(1000 * times);
        let run = |groups| {
            let run = Run::new(&words).threads(1).zeroed(0, 0, 4 * 64 * 1024);
            let outcome = run.dispatch([groups, 1, 1]);
            assert!(outcome.is_ok_and(|outcome| outcome.is_clean()));
        };
        let [once, often] = [1, 1024].map(|groups| milliseconds(best(rounds, || run(groups))));
        format!("{once:.2} and {often:.1}")
    });
    let _ = writeln!(
        text,
        "\nOne workgroup of a program of 4,000 instructions and 1,024 of them, and of twice, four \
         and eight times as many instructions, take {} ms.",
        times.join(", ")
    );
}

/// A run of a kernel.
fn prepared<'a>(kernel: &Kernel, loaded: &'a Loaded) -> Run<'a> {
    let mut run = Run::new(&loaded.words).threads(1).push(&kernel.push);
    for &(id, value) in kernel.constants {
        run = run.spec(id, value);
    }
    for (binding, bytes) in &loaded.buffers {
        run = run.storage(0, *binding, bytes);
    }
    run
}

fn interpreted(kernel: &Kernel, loaded: &Loaded) -> Outcome {
    match prepared(kernel, loaded).dispatch(kernel.groups) {
        Ok(outcome) => outcome,
        Err(errors) => panic!("{}: {errors}", kernel.name),
    }
}

/// The shortest time of some rounds, each of as many turns as take a while, that the threads of
/// this process were running, where the system tells it: so other processes disturb less.
fn best(rounds: u32, mut work: impl FnMut()) -> Duration {
    let start = Instant::now();
    work();
    // The system counts in steps of some milliseconds.
    let turns = (0.1 / start.elapsed().as_secs_f64()).clamp(1.0, 1000.0) as u32;
    let times = (0..rounds.max(1)).map(|_| {
        let (start, before) = (Instant::now(), running());
        (0..turns).for_each(|_| work());
        let passed = start.elapsed();
        let time = match before.zip(running()) {
            Some((before, after)) => after.saturating_sub(before).min(passed),
            None => passed,
        };
        time / turns
    });
    times.min().unwrap_or_default()
}

/// How long the threads of this process have been running.
fn running() -> Option<Duration> {
    let mut all = Duration::ZERO;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let about = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        let nanoseconds = about.split(' ').next()?.parse().ok()?;
        all += Duration::from_nanos(nanoseconds);
    }
    Some(all)
}

/// A kernel for a driver.
#[cfg(feature = "lavapipe")]
fn job<'a>(kernel: &Kernel, loaded: &'a Loaded) -> spirvkit_lavapipe::Job<'a> {
    let push = kernel.push.iter().flat_map(|word| word.to_le_bytes());
    let job = spirvkit_lavapipe::Job {
        words: &loaded.words,
        entry: "main",
        constants: kernel.constants.to_vec(),
        push: push.collect(),
        groups: kernel.groups,
        rounds: 1,
        ..Default::default()
    };
    let buffers = loaded.buffers.iter();
    buffers.fold(job, |job, (binding, bytes)| {
        job.storage(0, *binding, bytes.clone())
    })
}

/// Compares two results, which are the same but for roundings.
#[cfg(feature = "lavapipe")]
fn check(name: &str, binding: u32, ours: &[u8], theirs: &[u8]) -> Result<(), Box<dyn Error>> {
    if ours == theirs {
        return Ok(());
    }
    let float = |bytes: &[u8]| {
        bytes
            .first_chunk()
            .map_or(0.0, |it| f32::from_le_bytes(*it))
    };
    for (index, (a, b)) in ours.chunks(4).zip(theirs.chunks(4)).enumerate() {
        let (a, b) = (float(a), float(b));
        // Sums of thousands of products in another order.
        if (a - b).abs() > 1e-3 + 1e-3 * a.abs() {
            return Err(format!("{name}: binding {binding}, [{index}]: {a} but {b}").into());
        }
    }
    Ok(())
}
