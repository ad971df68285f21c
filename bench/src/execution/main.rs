//! How fast shaders run: beside plain Rust, and beside a driver that compiles them.

mod alu;
mod kernels;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use spirvkit_interp::{Outcome, Run};

use kernels::{Kernel, Loaded};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments
        .next()
        .map(PathBuf::from)
        .ok_or("usage: execution FOLDER [ROUNDS [NAME]]")?;
    let rounds = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let only = arguments.next().unwrap_or_default();
    if "alu".contains(&only) {
        alu(rounds);
    }
    for kernel in kernels::all() {
        if !kernel.name.contains(&only) {
            continue;
        }
        let loaded = kernel.load(&folder)?;
        let mut outcome = None;
        let time = best(rounds, || outcome = Some(interpreted(&kernel, &loaded)));
        let Some(outcome) = outcome else { continue };
        outcome.assert_clean();
        println!(
            "{:<20} {:>9.2} ms {:>10} steps",
            kernel.name,
            time.as_secs_f64() * 1e3,
            outcome.steps
        );
    }
    Ok(())
}

fn alu(rounds: u32) {
    let words = alu::module();
    let mut results = [Vec::new(), Vec::new()];
    let ours = best(rounds, || results[0] = alu::interpreted(&words));
    let native = best(rounds, || results[1] = alu::native());
    assert_eq!(results[0], results[1]);
    let turns: u64 = results[1].iter().map(|&turns| u64::from(turns)).sum();
    let per = |time: Duration| time.as_secs_f64() * 1e9 / (turns * alu::PER_TURN) as f64;
    println!(
        "alu                  {:>9.2} ms {:>8.3} ns each; native {:.2} ms, {:.3} ns; {:.2}x",
        ours.as_secs_f64() * 1e3,
        per(ours),
        native.as_secs_f64() * 1e3,
        per(native),
        ours.as_secs_f64() / native.as_secs_f64()
    );
}

fn interpreted(kernel: &Kernel, loaded: &Loaded) -> Outcome {
    let mut run = Run::new(&loaded.words).push(&kernel.push);
    for &(id, value) in kernel.constants {
        run = run.spec(id, value);
    }
    for (binding, bytes) in &loaded.buffers {
        run = run.storage(0, *binding, bytes);
    }
    match run.dispatch(kernel.groups) {
        Ok(outcome) => outcome,
        Err(errors) => panic!("{}: {errors}", kernel.name),
    }
}

/// The shortest time of some rounds that the thread was running, where the system tells it, so
/// that other processes disturb less.
fn best(rounds: u32, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds.max(1)).map(|_| {
        let (start, before) = (Instant::now(), running());
        work();
        match before.zip(running()) {
            Some((before, after)) => after.saturating_sub(before),
            None => start.elapsed(),
        }
    });
    times.min().unwrap_or_default()
}

/// How long this thread has been running.
fn running() -> Option<Duration> {
    let about = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = about.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
