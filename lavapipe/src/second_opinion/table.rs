//! Telling what came of a comparison.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Display, Formatter, Write};
use std::fs;
use std::path::Path;

use crate::compare::Compared;
use crate::known::{Known, reasons};
use crate::suite::Outcome;

const START: &str = "<!-- second opinion: start of the generated table -->";
const END: &str = "<!-- second opinion: end of the generated table -->";

/// How many inputs came out how.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) agree: usize,
    pub(crate) explained: usize,
    pub(crate) differ: usize,
    pub(crate) skipped: usize,
    pub(crate) crashed: usize,
}

impl Figures {
    pub(crate) fn of(known: &[Known], done: &[(String, Outcome)]) -> Self {
        let mut figures = Self::default();
        for (name, outcome) in done {
            *match outcome {
                Outcome::Crashed(_) => &mut figures.crashed,
                Outcome::Compared(it) if it.runs == 0 => &mut figures.skipped,
                Outcome::Compared(it) if it.differences.is_empty() => &mut figures.agree,
                Outcome::Compared(it) => match reasons(known, name, it) {
                    Some(_) => &mut figures.explained,
                    None => &mut figures.differ,
                },
            } += 1;
        }
        figures
    }
}

impl Display for Figures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            agree,
            explained,
            differ,
            skipped,
            crashed,
        } = self;
        write!(
            f,
            "{agree} agree, {explained} explained, {differ} differ, {skipped} skipped, {crashed} crashed"
        )
    }
}

/// Prints what came of an input, unless all is as expected.
pub(crate) fn print(known: &[Known], name: &str, outcome: &Outcome, is_verbose: bool) {
    let compared = match outcome {
        Outcome::Crashed(how) => return println!("{name}: the driver crashed: {how}"),
        Outcome::Compared(compared) => compared,
    };
    if is_verbose
        || compared
            .skipped
            .iter()
            .any(|it| it.starts_with("the driver:"))
    {
        for why in &compared.skipped {
            println!("{name}: not compared: {why}");
        }
    }
    if !is_verbose && reasons(known, name, compared).is_some() {
        return;
    }
    for it in &compared.differences {
        let apart = |index: usize| match it.ulps[index] {
            Some(ulps) => ulps.to_string(),
            None => "∞".to_owned(),
        };
        let [half, single, double] = [0, 1, 2].map(apart);
        let [a, b, c] = it.absolute;
        println!(
            "{name}: {}: {} words differ, by {half}, {single}, {double} ULP or {a:e}, {b:e}, {c:e}",
            it.place, it.words
        );
        for (at, ours, theirs) in &it.first {
            println!("    offset {at}: {ours:#010x} here, {theirs:#010x} there");
        }
    }
    if !compared.findings.is_empty() && !compared.differences.is_empty() {
        println!("    findings: {}", compared.findings.join(" "));
    }
}

/// Writes the figures and all differences into a file.
pub(crate) fn write(
    file: &Path,
    known: &[Known],
    done: &[(String, Outcome)],
) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let (before, rest) = text
        .split_once(START)
        .ok_or_else(|| format!("{}: there is no `{START}`", file.display()))?;
    let (_, after) = rest
        .split_once(END)
        .ok_or_else(|| format!("{}: there is no `{END}`", file.display()))?;
    let table = table(known, done)?;
    fs::write(file, format!("{before}{START}\n\n{table}\n{END}{after}"))?;
    Ok(())
}

fn table(known: &[Known], done: &[(String, Outcome)]) -> Result<String, fmt::Error> {
    let all = done.iter().filter_map(|(name, outcome)| match outcome {
        Outcome::Compared(compared) => Some((name, compared)),
        Outcome::Crashed(_) => None,
    });
    let device = all
        .clone()
        .map(|(_, it)| &*it.device)
        .find(|it| !it.is_empty());
    let runs: u64 = all.clone().map(|(_, it)| it.runs).sum();
    let bytes: u64 = all.clone().map(|(_, it)| it.bytes).sum();
    let mut text = String::new();
    writeln!(
        text,
        "{}; {runs} runs with {bytes} bytes:",
        device.unwrap_or("no device")
    )?;
    writeln!(text, "{}.\n", Figures::of(known, done))?;
    writeln!(text, "| scripts | kind | what differs | why |")?;
    writeln!(text, "|---:|---|---|---|")?;
    let mut unknown: Vec<&str> = Vec::new();
    let mut counts = vec![0; known.len()];
    for (name, outcome) in done {
        let found = match outcome {
            Outcome::Crashed(_) => {
                let reason = known.iter().position(|it| it.explains_crash(name));
                reason.map(|it| vec![it])
            }
            Outcome::Compared(compared) => reasons(known, name, compared),
        };
        match found {
            Some(found) => found.into_iter().for_each(|it| counts[it] += 1),
            None => unknown.push(name),
        }
    }
    for (it, count) in known.iter().zip(counts).filter(|it| it.1 > 0) {
        writeln!(
            text,
            "| {count} | {} | {} | {} |",
            it.kind.name(),
            it.what,
            it.why
        )?;
    }
    for name in unknown {
        let name = name.rsplit('/').next().unwrap_or(name);
        writeln!(text, "| 1 | not explained | `{name}` | |")?;
    }
    let mut skipped: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, Compared { skipped: why, .. }) in all.filter(|(_, it)| it.runs == 0) {
        if let Some(why) = why.first() {
            *skipped.entry(why).or_default() += 1;
        }
    }
    writeln!(text, "\n| skipped | why |\n|---:|---|")?;
    for (why, count) in skipped {
        let why = why.lines().next().unwrap_or_default().replace('|', "\\|");
        writeln!(text, "| {count} | {why} |")?;
    }
    Ok(text)
}
