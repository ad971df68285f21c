//! DWARF: what `spirvkit` writes must pass the verifier of LLVM, and debuggers must tell
//! what the source says. Of the modules of a folder with files of expectations, scripted
//! sessions of `gdb` ask for all that is expected.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rayon::prelude::*;
use serde::Deserialize;
use spirvkit::binary::WordOffset;
use spirvkit::debuginfo::DebugInfo;
use spirvkit::debuginfo::dwarf::{self, Options, Version};

mod expected;
mod sessions;
mod spelling;

use expected::Expectations;

use super::corpus;
use super::records::{open, words};
use super::sample::Sample;
use crate::Outcome;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of `.spv` and `.spvasm` files, searched recursively, and recorded
    /// cases, as `.jsonl` or `.jsonl.zst`.
    #[arg(required = true)]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    sample: Sample,
    /// Check only modules that use an instruction set for debug information.
    #[arg(long)]
    sets_only: bool,
}

/// A recorded case: the words of a module, and what the reference validator says of it.
#[derive(Deserialize)]
struct Case {
    words: String,
    #[serde(default)]
    result: String,
}

/// An object to ask about.
struct Object {
    name: String,
    path: PathBuf,
    words: Vec<u32>,
}

const VERSIONS: [(Version, &str); 2] = [(Version::V4, "4"), (Version::V5, "5")];
/// Commands of ours for the debugger.
const HELPER: &str = include_str!("types.py");
/// How many addresses of an object `addr2line` is asked about.
const ADDRESSES: usize = 200;
/// How many objects the verifier is given at a time.
const BATCH: usize = 100;
/// How many failures are shown.
const SHOWN: usize = 20;

/// Writes the debug information of every module as DWARF and has it checked.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let folder = std::env::temp_dir().join(format!("spirvkit-dwarf-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let outcome = check_all(arguments, &folder);
    fs::remove_dir_all(&folder)?;
    outcome
}

fn check_all(arguments: &Arguments, folder: &Path) -> Outcome {
    let mut failures = Vec::new();
    let helper = folder.join("types.py");
    fs::write(&helper, HELPER)?;
    for source in &arguments.sources {
        let expected = match source.is_dir() {
            true => expected::read(source)?,
            false => Vec::new(),
        };
        let modules = modules(source, &arguments.sample)?;
        let with_info = |(_, words): &(String, Vec<u32>)| has_info(words, arguments.sets_only);
        let modules: Vec<_> = modules.into_par_iter().filter(with_info).collect();
        if modules.is_empty() {
            return Err(format!("no module of {} has debug information", source.display()).into());
        }
        let mut objects = 0;
        for (version, number) in VERSIONS {
            let results: Vec<_> = modules
                .par_iter()
                .enumerate()
                .map(|(index, (name, words))| {
                    let path = folder.join(format!("{index}.o"));
                    write(name, words, version, &path)
                })
                .collect();
            let mut written = Vec::new();
            for result in results {
                match result {
                    Ok(object) => written.push(object),
                    Err(failure) => failures.push(failure),
                }
            }
            objects += written.len();
            let batches = written.par_chunks(BATCH).flat_map(verify_all);
            let mut found: Vec<String> = batches.collect();
            found.par_extend(written.par_iter().flat_map(ask));
            let session = |object: &Object| session(object, &helper, &expected);
            found.par_extend(written.par_iter().flat_map(session));
            failures.extend(
                found
                    .into_iter()
                    .map(|failure| format!("DWARF {number}: {failure}")),
            );
        }
        println!(
            "{}: {} modules, {objects} objects checked",
            source.display(),
            modules.len()
        );
    }
    for failure in failures.iter().take(SHOWN) {
        println!("{failure}");
    }
    match failures.len() {
        0 => Ok(()),
        failed => Err(format!("{failed} checks of DWARF failed").into()),
    }
}

type Modules = Vec<(String, Vec<u32>)>;

fn modules(source: &Path, sample: &Sample) -> Result<Modules, Box<dyn std::error::Error>> {
    if source.is_dir() {
        let files = sample.modules(source)?;
        let load = |file: &PathBuf| {
            let bytes = corpus::load(file).ok()?;
            let (words, _) = spirvkit::words_from_bytes(&bytes).ok()?;
            Some((file.display().to_string(), words))
        };
        return Ok(files.par_iter().filter_map(load).collect());
    }
    use std::io::BufRead;
    let lines: Vec<String> = open(source)?.lines().collect::<Result<_, _>>()?;
    let read = |(index, line): (usize, &String)| {
        let case: Case = serde_json::from_str(line).ok()?;
        let words = words(&case.words).ok()?;
        let is_valid = matches!(case.result.as_str(), "" | "success");
        is_valid.then(|| (format!("line {}", index + 1), words))
    };
    Ok(lines.par_iter().enumerate().filter_map(read).collect())
}

/// Whether a module tells of its source.
fn has_info(words: &[u32], sets_only: bool) -> bool {
    let Ok(info) = DebugInfo::read(words) else {
        return false;
    };
    info.sets().next().is_some() || !sets_only && !info.functions().is_empty()
}

fn write(name: &str, words: &[u32], version: Version, path: &Path) -> Result<Object, String> {
    let info = DebugInfo::read(words).map_err(|error| format!("{name}: {error}"))?;
    let options = Options::default().version(version);
    let object = dwarf::object(&info, &options).map_err(|error| format!("{name}: {error}"))?;
    fs::write(path, object).map_err(|error| format!("{name}: {error}"))?;
    Ok(Object {
        name: name.to_owned(),
        path: path.to_owned(),
        words: words.to_vec(),
    })
}

/// Asks about an object, if it tells of its source.
fn ask(object: &Object) -> Vec<String> {
    let Ok(info) = DebugInfo::read(&object.words) else {
        return Vec::new();
    };
    if info.runs().next().is_none() && info.sets().next().is_none() {
        return Vec::new();
    }
    [addresses(object, &info), debugger(object, &info)]
        .into_iter()
        .filter_map(|result| result.err())
        .map(|what| format!("{}: {what}", object.name))
        .collect()
}

/// Asks about what is expected of a module of a name, if something is.
fn session(object: &Object, helper: &Path, expected: &[Expectations]) -> Vec<String> {
    let name = object.name.rsplit('/').next().unwrap_or_default();
    let asked = expected
        .iter()
        .flat_map(|expected| sessions::ask(&object.path, helper, name, expected));
    asked
        .map(|what| format!("{}: {what}", object.name))
        .collect()
}

fn output(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .output()
        .map_err(|error| format!("can't run {program}: {error}"))
}

/// The verifier finds nothing in some objects; if it does, they are verified one by one.
fn verify_all(objects: &[Object]) -> Vec<String> {
    if verify(objects).is_ok() {
        return Vec::new();
    }
    let failures = objects.iter().filter_map(|object| {
        let what = verify(std::slice::from_ref(object)).err()?;
        Some(format!("{}: {what}", object.name))
    });
    failures.collect()
}

fn verify(objects: &[Object]) -> Result<(), String> {
    let paths = objects.iter().map(|object| &object.path);
    let output = output(Command::new("llvm-dwarfdump").arg("--verify").args(paths))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let warnings = String::from_utf8_lossy(&output.stderr);
    let is_bad = |line: &&str| line.contains("error:") || line.contains("warning:");
    match text.lines().chain(warnings.lines()).find(is_bad) {
        Some(line) => Err(format!("llvm-dwarfdump: {line}")),
        None if !output.status.success() => Err("llvm-dwarfdump fails".to_owned()),
        None => Ok(()),
    }
}

/// `addr2line` tells the line that the module tells.
fn addresses(object: &Object, info: &DebugInfo<'_>) -> Result<(), String> {
    let in_function = |start: &usize| info.function_at(WordOffset(*start)).is_some();
    let starts: Vec<usize> = info
        .runs()
        .map(|words| words.start)
        .filter(in_function)
        .filter(|&start| {
            info.position(WordOffset(start))
                .is_some_and(|at| at.line > 0)
        })
        .collect();
    let step = starts.len().div_ceil(ADDRESSES).max(1);
    let starts: Vec<usize> = starts.into_iter().step_by(step).collect();
    if starts.is_empty() {
        return Ok(());
    }
    let addresses = starts.iter().map(|start| format!("{:#x}", start * 4));
    let output = output(
        Command::new("addr2line")
            .arg("-e")
            .arg(&object.path)
            .args(addresses),
    )?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    for (index, &start) in starts.iter().enumerate() {
        let Some(position) = info.position(WordOffset(start)) else {
            continue;
        };
        let found = lines.get(index).copied().unwrap_or_default();
        // A discriminator stands behind the line.
        let found = found.split(" (").next().unwrap_or_default();
        let line = found
            .rsplit(':')
            .next()
            .and_then(|line| line.parse::<u32>().ok());
        let name = info.file(position.file).map_or("", |file| file.name());
        let short = name.rsplit('/').next().unwrap_or_default();
        if line != Some(position.line) || !short.is_empty() && !found.contains(short) {
            let wanted = info.position_text(position);
            return Err(format!(
                "addr2line: {:#x} is of `{found}`, not of {wanted}",
                start * 4
            ));
        }
    }
    Ok(())
}

/// The debugger reads everything without complaint, and breaks on every line that code
/// comes of.
fn debugger(object: &Object, info: &DebugInfo<'_>) -> Result<(), String> {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-q"]);
    for command in [
        "set complaints 100",
        "set width 0",
        "set pagination off",
        "set breakpoint pending off",
    ] {
        gdb.args(["-iex", command]);
    }
    let mut wanted = BTreeSet::new();
    for (file, name) in info.files().map(|(id, file)| (id, file.name())) {
        // How the debugger writes other names is its own affair.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
        if name.is_empty() || !name.chars().all(is_plain) {
            continue;
        }
        let lines = info.lines_of(file).filter(|&line| line > 0);
        let with_code = lines.filter(|&line| {
            let mut ranges = info.instructions_of(file, line);
            ranges.any(|words| info.function_at(WordOffset(words.start)).is_some())
        });
        wanted.extend(
            with_code
                .take(ADDRESSES)
                .map(|line| format!("{name}:{line}")),
        );
    }
    for place in &wanted {
        gdb.arg("-ex").arg(format!("info line {place}"));
    }
    gdb.args([
        "-ex",
        "info types",
        "-ex",
        "info functions -n",
        "-ex",
        "info variables -n",
    ]);
    let output = output(gdb.arg(&object.path))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let starts = text
        .lines()
        .filter(|line| line.contains("starts at address"));
    let found = starts.count();
    if let Some(complaint) = errors.lines().find(|line| is_complaint(line)) {
        return Err(format!("gdb: {complaint}"));
    }
    match found {
        found if found < wanted.len() => Err(format!(
            "gdb: finds code of {found} lines, not of {}",
            wanted.len()
        )),
        _ => Ok(()),
    }
}

fn is_complaint(line: &str) -> bool {
    let is_usual = USUAL
        .iter()
        .any(|parts| parts.iter().all(|part| line.contains(part)));
    let is_complaint = ["During symbol reading", "internal-error", "DWARF Error"];
    !is_usual && is_complaint.iter().any(|part| line.contains(part))
}

/// What the debugger has to say of correct DWARF by other compilers, too.
const USUAL: [&[&str]; 4] = [
    // It looks through locations for addresses, and says this of all others.
    &["unsupported stack op"],
    // Of every function that was inlined into one that was inlined.
    &["abstract origin", "have different parents"],
    // Of parameter packs, and of templates as parameters.
    &["unsupported tag", "DW_TAG_GNU_template_"],
    // That pointers of x86-64 are larger.
    &["invalid pointer size 4"],
];
