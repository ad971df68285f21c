//! Differences: real modules don't differ from their rearranged selves, and what differs
//! between the modules of a pair is shown in few lines.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use spirvkit::diff::Options;
use spirvkit_fuzz::{rearranged, verify_diff};

use super::corpus::{collect, load};
use crate::Outcome;

const START: &str = "<!-- differences: start of the generated table -->";
const END: &str = "<!-- differences: end of the generated table -->";

/// In how many orders each module is compared with itself.
const SEEDS: u64 = 2;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively. Those whose names
    /// end in `_src.spvasm` and `_dst.spvasm` are pairs.
    folder: PathBuf,
    /// The folder with the reference tools, to compare the pairs with.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// Writes the table of pairs into this file.
    #[arg(long, requires = "reference")]
    write: Option<PathBuf>,
    /// How many failures to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// Compares every module with itself, and the pairs.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    collect(&arguments.folder, &mut files)?;
    files.sort();
    let results: Vec<Option<Result<(), String>>> =
        files.par_iter().map(|file| check(file)).collect();
    let failures: Vec<_> = files
        .iter()
        .zip(&results)
        .filter_map(|(file, result)| Some((file, result.as_ref()?.as_ref().err()?)))
        .collect();
    for (file, failure) in failures.iter().take(arguments.show) {
        println!("{}: {failure}", file.display());
    }
    let compared = results.iter().flatten().count();
    println!(
        "{compared} modules compared with themselves in {SEEDS} other orders, {} differ; \
         {} can't be put in another order",
        failures.len(),
        files.len() - compared
    );
    if compared == 0 {
        return Err("there are no modules to compare".into());
    }
    let pairs = pairs(&files, arguments.reference.as_deref())?;
    println!("{}", summary(&pairs));
    if let Some(file) = &arguments.write {
        write(file, &pairs)?;
    }
    let shorter = pairs.iter().filter(|pair| pair.is_no_longer()).count();
    if shorter * 10 < pairs.len() * 9 {
        return Err("the reference has fewer lines for more than a tenth of the pairs".into());
    }
    match failures.len() {
        0 => Ok(()),
        failed => Err(format!("{failed} modules differ from themselves").into()),
    }
}

/// `None` if the module can't be put in another order.
fn check(file: &Path) -> Option<Result<(), String>> {
    let words = words_of(file).ok()?;
    for seed in 0..SEEDS {
        let other = rearranged(&words, seed)?;
        // What is wrong with a diff is reported by a panic.
        let verified =
            std::panic::catch_unwind(|| verify_diff(&words, &other, &Options::default()));
        let found = match verified {
            Ok(found) => found?,
            Err(_) => return Some(Err("the diff is wrong".to_owned())),
        };
        if !found.is_empty() {
            let [removed, added] = found.counts();
            let text = found.to_text(&Default::default());
            let text: Vec<&str> = text.lines().take(12).collect();
            return Some(Err(format!(
                "{removed} removed, {added} added in order {seed}\n{}",
                text.join("\n")
            )));
        }
    }
    Some(Ok(()))
}

fn words_of(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = load(file)?;
    let words = spirvkit::words_from_bytes(&bytes).map_err(|error| error.to_string())?;
    Ok(words.0)
}

/// Two modules, one made of the other.
struct Pair {
    name: String,
    /// How many lines of our diff are changes.
    ours: usize,
    /// How many of the reference's.
    theirs: Option<usize>,
}

impl Pair {
    fn is_no_longer(&self) -> bool {
        self.theirs.is_none_or(|theirs| self.ours <= theirs)
    }
}

fn pairs(
    files: &[PathBuf],
    reference: Option<&Path>,
) -> Result<Vec<Pair>, Box<dyn std::error::Error>> {
    let mut pairs = Vec::new();
    for file in files {
        let Some(name) = file
            .to_str()
            .and_then(|path| path.strip_suffix("_src.spvasm"))
        else {
            continue;
        };
        let other = PathBuf::from(format!("{name}_dst.spvasm"));
        let (a, b) = (words_of(file)?, words_of(&other)?);
        let found = verify_diff(&a, &b, &Options::default()).ok_or("it is no module")?;
        verify_diff(&b, &a, &Options::default());
        let theirs = reference.map(|reference| reference_lines(reference, file, &other));
        pairs.push(Pair {
            name: name.rsplit('/').next().unwrap_or(name).to_owned(),
            ours: found.counts().into_iter().sum(),
            theirs: theirs.transpose()?,
        });
    }
    Ok(pairs)
}

/// The lines of the reference's diff that are changes, without the header.
fn reference_lines(reference: &Path, a: &Path, b: &Path) -> Result<usize, String> {
    let output = Command::new(reference.join("spirv-diff"))
        .args(["--no-color", "--no-header"])
        .args([a, b])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the reference does not run: {error}"))?;
    if !output.status.success() {
        return Err(format!("the reference refuses {}", a.display()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .lines()
        .filter(|line| line.starts_with(['-', '+']))
        .count())
}

fn summary(pairs: &[Pair]) -> String {
    let longer = pairs.iter().filter(|pair| !pair.is_no_longer());
    let longer: Vec<&str> = longer.map(|pair| pair.name.as_str()).collect();
    let ours: usize = pairs.iter().map(|pair| pair.ours).sum();
    let theirs: usize = pairs.iter().filter_map(|pair| pair.theirs).sum();
    format!(
        "{} pairs: {ours} lines, {theirs} of the reference's; longer: {}",
        pairs.len(),
        match longer.is_empty() {
            true => "none".to_owned(),
            false => longer.join(", "),
        }
    )
}

/// Writes the table of pairs between its marks.
fn write(file: &Path, pairs: &[Pair]) -> Outcome {
    let text = fs::read_to_string(file)?;
    let parts = text
        .split_once(START)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or("the file has no place for the table")?;
    let mut table =
        String::from("\n| pair | lines of the reference | lines of spirvkit |\n|---|---:|---:|\n");
    for pair in pairs {
        let theirs = pair.theirs.unwrap_or_default();
        let _ = writeln!(table, "| `{}` | {theirs} | {} |", pair.name, pair.ours);
    }
    let ours: usize = pairs.iter().map(|pair| pair.ours).sum();
    let theirs: usize = pairs.iter().filter_map(|pair| pair.theirs).sum();
    let _ = writeln!(table, "| all | {theirs} | {ours} |\n");
    fs::write(file, format!("{before}{START}\n{table}{END}{after}"))?;
    Ok(())
}
