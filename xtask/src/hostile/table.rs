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

/// What the columns of rows are.
pub(super) const HEADING: &str =
    "shape\tcommand\tsize\tinput\tcode\tmemory\tseconds\toutput\tbreaches";

/// What a run took, with tabs between the columns.
pub(super) fn row(run: &Run) -> String {
    let cost = &run.cost;
    let code = cost
        .code
        .map_or_else(|| "-".to_owned(), |it| it.to_string());
    [
        run.shape.name.to_owned(),
        run.command.line.to_owned(),
        run.size.to_string(),
        cost.input.to_string(),
        code,
        cost.memory.to_string(),
        format!("{:.3}", cost.time.as_secs_f64()),
        cost.output.to_string(),
        run.breaches.join(", "),
    ]
    .join("\t")
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
