//! Telling what was measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Run;
use super::measure::megabytes;

/// A line for each thing that is wrong with a run.
pub(super) fn breaches(run: &Run) -> impl Iterator<Item = String> {
    let at = format!(
        "{}: {} ({} bytes)",
        run.shape.name, run.command.line, run.cost.input
    );
    run.breaches
        .iter()
        .map(move |breach| format!("{at}: {breach}"))
}

/// All runs, with tabs between the columns.
pub(super) fn all(runs: &[Run]) -> String {
    let mut out =
        "shape\tcommand\tsize\tinput\tcode\tmemory\tseconds\toutput\tbreaches\n".to_owned();
    for run in runs {
        let cost = &run.cost;
        let _ = writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{:.3}\t{}\t{}",
            run.shape.name,
            run.command.line,
            run.size,
            cost.input,
            cost.code
                .map_or_else(|| "-".to_owned(), |code| code.to_string()),
            cost.memory,
            cost.time.as_secs_f64(),
            cost.output,
            run.breaches.join(", ")
        );
    }
    out
}

/// What is at most taken for each shape and size, and by which command.
pub(super) fn worst(runs: &[Run]) -> String {
    let mut out = String::from(
        "| shape | product | size | memory | of | time | of | output | of |\n\
         |---|---|--:|--:|---|--:|---|--:|---|\n",
    );
    let mut groups: BTreeMap<(usize, u64), Vec<&Run>> = BTreeMap::new();
    let mut names: Vec<&str> = Vec::new();
    for run in runs {
        if names.last() != Some(&run.shape.name) {
            names.push(run.shape.name);
        }
        groups.entry((names.len(), run.size)).or_default().push(run);
    }
    for ((_, size), runs) in groups {
        let by = |of: &dyn Fn(&Run) -> u64| runs.iter().copied().max_by_key(|run| of(run));
        let (Some(memory), Some(time), Some(output)) = (
            by(&|run| run.cost.memory),
            by(&|run| run.cost.time.as_micros() as u64),
            by(&|run| run.cost.output),
        ) else {
            continue;
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} KB | {} | `{}` | {:.2} s | `{}` | {} | `{}` |",
            memory.shape.name,
            memory.shape.about,
            size >> 10,
            megabytes(memory.cost.memory),
            memory.command.line,
            time.cost.time.as_secs_f64(),
            time.command.line,
            megabytes(output.cost.output),
            output.command.line,
        );
    }
    out
}
