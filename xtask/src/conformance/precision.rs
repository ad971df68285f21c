//! How exact the functions of the extended sets are, on many inputs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;

const START: &str = "<!-- precision: start of the generated table -->";
const END: &str = "<!-- precision: end of the generated table -->";

/// The tests that compare, and in which packages: with more digits, and the engine with them.
const TESTS: [[&str; 5]; 2] = [
    ["-p", "spirvkit-eval", "--test", "precision", ""],
    ["-p", "spirvkit-interp", "--test", "run", "precision::"],
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many inputs each function gets in each format.
    #[arg(long, default_value_t = 1_000_000)]
    inputs: u64,
    /// Read what earlier runs wrote to standard output instead.
    #[arg(long)]
    read: Vec<PathBuf>,
    /// Writes the table of errors into this file.
    #[arg(long)]
    write: Option<PathBuf>,
}

/// Results compared, and the greatest error, in units of the last place.
type Row = (u64, f64);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut rows = BTreeMap::new();
    for path in &arguments.read {
        collect(&fs::read_to_string(path)?, &mut rows);
    }
    if arguments.read.is_empty() {
        for test in TESTS {
            collect(&output(test, arguments.inputs)?, &mut rows);
        }
    }
    let results: u64 = rows.values().map(|row: &Row| row.0).sum();
    let functions = rows.len();
    println!("{functions} functions and types, {results} results: all inside their bounds");
    match &arguments.write {
        Some(path) => write_table(path, &rows),
        None => Ok(()),
    }
}

/// What a test writes; an error if it fails.
fn output(test: [&str; 5], inputs: u64) -> Result<String, Box<dyn std::error::Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["test", "--release", "--locked"])
        .args(&test[..4]);
    command.args(["--", "--nocapture", test[4]]);
    let output = command.env("SAMPLES", inputs.to_string()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => {
            let shown = [output.stdout, output.stderr].concat();
            Err(String::from_utf8_lossy(&shown).into_owned().into())
        }
    }
}

/// Collects the lines `precision: SET NUMBER NAME TYPE RESULTS ERROR`.
fn collect(text: &str, rows: &mut BTreeMap<(String, u32, String, String), Row>) {
    for line in text.lines() {
        // The test's harness may write its own on the same line.
        let Some((_, line)) = line.split_once("precision: ") else {
            continue;
        };
        let words: Vec<&str> = line.split(' ').collect();
        let &[set, number, name, ty, count, error] = &words[..] else {
            continue;
        };
        let numbers = (number.parse(), count.parse::<u64>(), error.parse::<f64>());
        if let (Ok(number), Ok(count), Ok(error)) = numbers {
            let key = (set.to_owned(), number, name.to_owned(), ty.to_owned());
            let row = rows.entry(key).or_insert((0, 0.0));
            *row = (row.0 + count, row.1.max(error));
        }
    }
}

fn write_table(file: &Path, rows: &BTreeMap<(String, u32, String, String), Row>) -> Outcome {
    let text = fs::read_to_string(file)?;
    let parts = text
        .split_once(START)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or("the file has no place for the table")?;
    let mut functions: BTreeMap<(&str, u32, &str), BTreeMap<&str, Row>> = BTreeMap::new();
    for ((set, number, name, ty), row) in rows {
        let types = functions.entry((set, *number, name)).or_default();
        types.insert(ty, *row);
    }
    let mut table =
        String::from("\n| function | f16 | f32 | f64 | results |\n|---|---:|---:|---:|---:|\n");
    for ((set, _, name), types) in &functions {
        let cell = |ty: &str| {
            types
                .get(ty)
                .map_or(String::new(), |row| format!("{:.4}", row.1))
        };
        let results: u64 = types.values().map(|row| row.0).sum();
        let [half, single, double] = ["f16", "f32", "f64"].map(cell);
        let is_integer = types.keys().all(|ty| ty.starts_with('i'));
        let exact = if is_integer { "exact" } else { "" };
        let half = if is_integer { exact.to_owned() } else { half };
        let _ = writeln!(
            table,
            "| {set} `{name}` | {half} | {single} | {double} | {results} |"
        );
    }
    fs::write(file, format!("{before}{START}\n{table}\n{END}{after}"))?;
    Ok(())
}
