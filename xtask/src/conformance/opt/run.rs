//! Proof by execution: what is optimized gives the same, bit by bit, and nothing new is found.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use spirvkit::interp::Run;
use spirvkit_fuzz::{PROGRAM_GROUPS, program_buffers, program_text};
use spirvkit_opt::classic::Row;

use super::super::kernels::Known;
use super::super::sample::Sample;
use super::count::{Counted, Ways};
use super::passes::{Named, PassesArgument, changed};
use super::reference::Reference;
use super::scripts::{Compilers, ScriptFile};
use super::subject::{Care, Compared, Left, Transform, before_and_after};
use super::{LevelArgument, bytes, optimized, target_folder};
use crate::Outcome;

#[derive(clap::Args)]
pub(in super::super) struct Arguments {
    /// Folders of Amber's scripts, and of kernels of ggml as `.spv`; searched recursively.
    folders: Vec<PathBuf>,
    #[command(flatten)]
    level: LevelArgument,
    #[command(flatten)]
    passes: PassesArgument,
    #[command(flatten)]
    sample: Sample,
    /// How many programs to make and run besides.
    #[arg(long, default_value_t = 500)]
    programs: u64,
    /// Where to begin with these, for others.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only files whose path has this in it.
    #[arg(long)]
    only: Option<String>,
    /// Counts the instructions that kernels and programs execute instead: as they are, optimized,
    /// and with `--reference` optimized by that.
    #[arg(long)]
    count: bool,
    /// The folder with the reference tools, to count with.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// How many failures of each kind, and reasons for leaving out, to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// What is run.
enum Subject {
    Script(PathBuf),
    Kernel(PathBuf),
    Program(u64),
}

/// The sizes of subgroups with which scripts and programs are run.
const SIZES: [u32; 2] = [4, 32];

/// Instructions that a program may take; none comes near it.
const STEPS: u64 = 1 << 24;

impl Subject {
    fn kind(&self) -> &'static str {
        match self {
            Self::Script(_) => "scripts",
            Self::Kernel(_) => "kernels",
            Self::Program(_) => "programs",
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Script(file) | Self::Kernel(file) => file.display().to_string(),
            Self::Program(seed) => format!("program {seed}"),
        }
    }

    fn compare(&self, compilers: &Compilers, optimize: Transform<'_>) -> Compared {
        match self {
            Self::Script(file) => {
                let script = match ScriptFile::read(file) {
                    Ok(script) => script,
                    Err(why) => return Compared::NotRun(why),
                };
                at_all_sizes(
                    &|size, transform, care| script.run(compilers, size, transform, care),
                    optimize,
                )
            }
            Self::Kernel(file) => match Known::of(file) {
                Ok(Some(known)) => {
                    before_and_after(|transform, care| kernel(&known, transform, care), optimize)
                }
                Ok(None) => Compared::NotRun("no operation that is known here".to_owned()),
                Err(why) => Compared::NotRun(why),
            },
            Self::Program(seed) => {
                let text = program_text(&recipe(*seed));
                let words = match spirvkit::assemble(&text, &Default::default()) {
                    Ok(module) => module.words,
                    Err(errors) => return Compared::NotRun(errors.to_string()),
                };
                at_all_sizes(
                    &|size, transform, care| program(&transform(&words)?, size, care),
                    optimize,
                )
            }
        }
    }
}

/// Compares with each list of passes, up to the first that doesn't give the same.
fn with_each(subject: &Subject, compilers: &Compilers, recipes: &[Named]) -> Compared {
    let mut last = Compared::NotRun("there are no passes".to_owned());
    for (name, recipe) in recipes {
        let change = |words: &[u32]| match changed(words, recipe) {
            Ok(done) => Ok(done.unwrap_or_else(|| words.to_vec())),
            Err(why) => Err(why),
        };
        last = subject.compare(compilers, &change);
        match &mut last {
            Compared::Different { why, .. } => {
                *why = format!("{name}: {why}");
                break;
            }
            Compared::NotRun(_) => break,
            _ => {}
        }
    }
    last
}

impl Subject {
    fn count(&self, ways: &Ways<'_>) -> Result<Counted, String> {
        match self {
            Self::Script(_) => Err("scripts are not counted".to_owned()),
            Self::Kernel(file) => {
                let known = Known::of(file)?;
                let known = known.ok_or_else(|| "no operation that is known here".to_owned())?;
                ways.count(&known.words, |words| {
                    super::count::executed(words, known.run(words), known.groups())
                })
            }
            Self::Program(seed) => {
                let text = program_text(&recipe(*seed));
                let module = spirvkit::assemble(&text, &Default::default());
                let words = module.map_err(|errors| errors.to_string())?.words;
                ways.count(&words, |words| {
                    let run = Run::new(words).subgroup_size(SIZES[1]).max_steps(STEPS);
                    let buffers = program_buffers();
                    let buffers = (0..).zip(&buffers);
                    let run = buffers.fold(run, |run, (at, buffer)| run.storage(0, at, buffer));
                    super::count::executed(words, run, [PROGRAM_GROUPS, 1, 1])
                })
            }
        }
    }
}

/// Compares at all sizes of subgroups, up to the first that is not the same.
fn at_all_sizes(
    run: &dyn Fn(u32, Transform<'_>, Care) -> Result<Left, String>,
    transform: Transform<'_>,
) -> Compared {
    let mut last = Compared::Same;
    for size in SIZES {
        last = before_and_after(|transform, care| run(size, transform, care), transform);
        if let Compared::Different { why, .. } = &mut last {
            *why = format!("subgroups of {size}: {why}");
            break;
        }
    }
    last
}

/// Runs a kernel of ggml with its inputs.
fn kernel(known: &Known, transform: Transform<'_>, care: Care) -> Result<Left, String> {
    let words = transform(&known.words)?;
    let run = known.run(&words);
    let buffers = known
        .buffers()
        .map(|(binding, before)| (0, binding, before.to_vec()));
    left(run, care, known.groups(), buffers.collect())
}

/// Runs a program that is made here.
fn program(words: &[u32], size: u32, care: Care) -> Result<Left, String> {
    let run = Run::new(words)
        .threads(1)
        .subgroup_size(size)
        .max_steps(STEPS);
    let mut run = run;
    let mut buffers = Vec::new();
    for (binding, buffer) in (0..).zip(program_buffers()) {
        run = run.storage(0, binding, &buffer);
        let bytes = buffer.iter().flat_map(|word| word.to_le_bytes());
        buffers.push((0, binding, bytes.collect()));
    }
    left(run, care, [PROGRAM_GROUPS, 1, 1], buffers)
}

/// What a run leaves of these buffers, each with its set, its binding and what is in it before.
fn left(
    run: Run<'_>,
    care: Care,
    groups: [u32; 3],
    buffers: Vec<(u32, u32, Vec<u8>)>,
) -> Result<Left, String> {
    let is_thorough = care == Care::Thorough;
    let run = run.race(is_thorough).undefined_results(is_thorough);
    let out = run.dispatch(groups).map_err(|errors| {
        let text = errors.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    })?;
    let of_buffer = |(set, binding, before): (u32, u32, Vec<u8>)| {
        // What nothing uses any more stays as it was.
        let after = out.element(set, binding, 0);
        let after = after.map_or(before, <[u8]>::to_vec);
        (format!("the buffer {set}:{binding}"), after)
    };
    let mut results: Vec<_> = buffers.into_iter().map(of_buffer).collect();
    results.push((
        "#what is printed".to_owned(),
        out.printed().as_bytes().to_vec(),
    ));
    Ok(Left {
        results,
        findings: out.findings.iter().map(|it| it.rule().to_owned()).collect(),
    })
}

/// A recipe for a program (SplitMix64).
fn recipe(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let length = 20 + next() % 900;
    (0..length).map(|_| next() as u8).collect()
}

/// Runs everything before and after.
pub(in super::super) fn run(arguments: &Arguments) -> Outcome {
    let subjects = subjects(arguments)?;
    if arguments.count {
        return count(arguments, &subjects);
    }
    let recipes = match arguments.passes.is_given() {
        true => arguments.passes.recipes(Row::keeps_results)?,
        false => Vec::new(),
    };
    let compilers = Compilers::new(target_folder("opt-shaders")?);
    let options = arguments.level.options();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let compared: Vec<Compared> = pool.install(|| {
        let compare = |subject: &Subject| match recipes.is_empty() {
            true => subject.compare(&compilers, &|words| optimized(words, &options)),
            false => with_each(subject, &compilers, &recipes),
        };
        subjects.par_iter().map(compare).collect()
    });
    let failures = target_folder("opt-failures")?;
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failed = 0;
    for (subject, compared) in subjects.iter().zip(&compared) {
        let counts = counts.entry(subject.kind()).or_default();
        match compared {
            Compared::Same => counts[0] += 1,
            Compared::Excused(why) => {
                counts[2] += 1;
                if counts[2] <= arguments.show {
                    println!("excused {}: {why}", subject.name());
                }
            }
            Compared::NotRun(why) => {
                counts[3] += 1;
                *reasons.entry(why).or_default() += 1;
            }
            Compared::Different { why, modules } => {
                counts[1] += 1;
                failed += 1;
                if counts[1] <= arguments.show {
                    let files = keep(&failures, &subject.name(), modules)?;
                    println!("FAILED {}: {why}\n  {files}", subject.name());
                }
            }
        }
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.1));
    for (why, count) in reasons.iter().take(arguments.show) {
        println!("{count} skipped: {why}");
    }
    for (kind, [same, different, excused, not_run]) in &counts {
        println!("{kind}: {same} the same, {different} not, {excused} excused, {not_run} not run");
    }
    let sum = |which: usize| counts.values().map(|it| it[which]).sum::<usize>();
    let (passed, skipped) = (sum(0) + sum(2), sum(3));
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    match failed {
        0 if passed == 0 => Err("nothing was run".into()),
        0 => Ok(()),
        _ => Err(format!("{failed} give something else when they are optimized").into()),
    }
}

/// Counts what everything executes.
fn count(arguments: &Arguments, subjects: &[Subject]) -> Outcome {
    let reference = arguments.reference.as_ref().map(|folder| {
        let kept = target_folder("opt-reference")?;
        let timeout = Duration::from_secs(60);
        Reference::new(folder, arguments.level.flag(), timeout, &kept)
    });
    let reference = reference.transpose()?;
    let options = arguments.level.options();
    let ways: Ways<'_> = Ways {
        ours: &|words| optimized(words, &options),
        theirs: reference.as_ref(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let counted: Vec<Result<Counted, String>> = pool.install(|| {
        let subjects = subjects.par_iter();
        subjects.map(|subject| subject.count(&ways)).collect()
    });
    let names: Vec<String> = subjects.iter().map(Subject::name).collect();
    let folder = target_folder("opt-slower")?;
    super::count::report(&names, &counted, arguments.show, &folder)
}

fn subjects(arguments: &Arguments) -> io::Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for folder in &arguments.folders {
        let of_file = |file: PathBuf| match file.extension()?.to_str()? {
            "spv" => Some(Subject::Kernel(file)),
            "amber" | "vkscript" => Some(Subject::Script(file)),
            _ => None,
        };
        let files = arguments
            .sample
            .files(folder, &["spv", "amber", "vkscript"])?;
        subjects.extend(files.into_iter().filter_map(of_file));
    }
    if let Some(only) = &arguments.only {
        subjects.retain(|subject| subject.name().contains(only));
    }
    subjects.extend((arguments.seed..arguments.seed + arguments.programs).map(Subject::Program));
    Ok(subjects)
}

/// Keeps modules, and says where.
pub(super) fn keep(folder: &Path, name: &str, modules: &[[Vec<u32>; 2]]) -> io::Result<String> {
    let name = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '.', "_");
    let start = name.len().saturating_sub(100);
    let mut files = Vec::new();
    for (index, both) in modules.iter().enumerate() {
        for (words, which) in both.iter().zip(["in", "out"]) {
            let file = folder.join(format!("{}-{index}-{which}.spv", &name[start..]));
            fs::write(&file, bytes(words))?;
            files.push(file.display().to_string());
        }
    }
    Ok(files.join("\n  "))
}
