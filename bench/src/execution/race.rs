//! What looking for races costs: runs with and without, in turns.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use spirvkit_interp::{Outcome, Run};

use super::kernels::{self, Kernel, Loaded};
use super::{best, milliseconds, prepared};

/// The goal: so many times as long.
const RACE: f64 = 3.0;

/// The kernels of ggml that are measured: one with a tile in memory of the workgroup, and one
/// that reduces rows there.
const KERNELS: [&str; 3] = ["mul_mat, f32", "soft_max, f32", "mul_mat_vec, f16"];

/// Streams: a load of each of two buffers and a store to one of them, and little else.
const SAXPY: &str = include_str!("../../../samples/saxpy.spvasm");

/// How many invocations stream.
const STREAMED: u32 = 1 << 18;

/// Adds a table with the kernels in a folder.
pub(super) fn table(folder: &Path, rounds: u32, text: &mut String) -> Result<(), Box<dyn Error>> {
    text.push_str(
        "
### Looking for races

| | ms | with races, ms | as long as | goal |
|---|---:|---:|---:|---:|
",
    );
    let measured = kernels::all().into_iter();
    for kernel in measured.filter(|kernel| KERNELS.contains(&kernel.name)) {
        let loaded = kernel.load(folder)?;
        let run = |is_on| of_kernel(&kernel, &loaded, is_on);
        row(kernel.name, rounds, run, text);
    }
    let words = spirvkit::assemble(SAXPY, &Default::default());
    let words = words.map_err(|errors| errors.to_string())?.words;
    let numbers = vec![1.0f32; STREAMED as usize];
    let run = |is_on| {
        let run = Run::new(&words).threads(1).storage(0, 0, &numbers);
        let run = run
            .storage(0, 1, &numbers)
            .push(&[2.0f32.to_bits(), STREAMED]);
        finished(run.race(is_on), [STREAMED / 64, 1, 1])
    };
    row("saxpy", rounds, run, text);
    Ok(())
}

fn of_kernel(kernel: &Kernel, loaded: &Loaded, is_on: bool) -> Outcome {
    finished(prepared(kernel, loaded).race(is_on), kernel.groups)
}

fn finished(run: Run<'_>, groups: [u32; 3]) -> Outcome {
    match run.dispatch(groups) {
        Ok(outcome) => outcome,
        Err(errors) => panic!("{errors}"),
    }
}

fn row(name: &str, rounds: u32, run: impl Fn(bool) -> Outcome, text: &mut String) {
    run(true).assert_clean();
    let [without, with] = [false, true].map(|is_on| best(rounds, || drop(run(is_on))));
    let _ = writeln!(
        text,
        "| {name} | {:.2} | {:.2} | {:.2}× | {RACE}× |",
        milliseconds(without),
        milliseconds(with),
        with.as_secs_f64() / without.as_secs_f64(),
    );
}
