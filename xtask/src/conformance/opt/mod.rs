//! The optimizer on real modules: what comes of them is valid, promises the same to others, and is
//! small; and what that takes.

mod check;
mod count;
mod growth;
mod interface;
mod lines;
mod passes;
mod reference;
mod report;
mod run;
mod scripts;
mod shapes;
mod subject;
mod translate;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use rayon::prelude::*;
use spirvkit_opt::{Float, Level, Options, optimize};

use super::sample::Sample;
use crate::Outcome;
use check::{Checker, Verdict};
use reference::Reference;
use report::Report;

pub(super) use growth::{Arguments as GrowthArguments, run as growth};
pub(super) use run::{Arguments as RunArguments, run as execution};
pub(super) use translate::{Arguments as TranslateArguments, run as translate};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Folders of `.spv` and `.spvasm` files, searched recursively.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    level: LevelArgument,
    #[command(flatten)]
    passes: passes::PassesArgument,
    #[command(flatten)]
    sample: Sample,
    /// The folder with the reference tools, to compare with; what they give is kept in `target`.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// How many seconds the reference's optimizer may take for a module.
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// The environments to validate for: the first of them in which a module is valid.
    #[arg(long = "env", default_values = ["vulkan1.4", "spv1.6", "opencl2.2"])]
    environments: Vec<String>,
    /// Rules (several times) that results may break, because the reference accepts it.
    #[arg(long)]
    except: Vec<String>,
    /// How many failures of each kind to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// How much is optimized.
#[derive(clap::Args, Clone, Copy)]
struct LevelArgument {
    /// What to aim at.
    #[arg(long, value_enum, default_value = "size")]
    level: LevelName,
    /// Results of floating-point operations may be whatever the API permits, so that they are not
    /// the same as before.
    #[arg(long)]
    float_api: bool,
}

#[derive(clap::ValueEnum, Clone, Copy)]
enum LevelName {
    Size,
    Performance,
}

impl LevelArgument {
    fn options(self) -> Options {
        let level = match self.level {
            LevelName::Size => Level::Size,
            LevelName::Performance => Level::Performance,
        };
        let float = match self.float_api {
            true => Float::Api,
            false => Float::Exact,
        };
        Options::default().level(level).float(float)
    }

    /// The reference's option that aims at the same.
    fn flag(self) -> &'static str {
        match self.level {
            LevelName::Size => "-Os",
            LevelName::Performance => "-O",
        }
    }
}

/// Optimizes words; a panic is an error, too.
fn optimized(words: &[u32], options: &Options) -> Result<Vec<u32>, String> {
    match catch_unwind(AssertUnwindSafe(|| optimize(words, options))) {
        Ok(Ok(done)) => Ok(done.words),
        Ok(Err(error)) => Err(format!("the optimizer refuses it: {error}")),
        Err(_) => Err("the optimizer panics".to_owned()),
    }
}

/// The processor time of this thread: waiting for the processor doesn't count.
fn thread_time() -> Duration {
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    }
    #[cfg(not(unix))]
    {
        use std::sync::LazyLock;
        use std::time::Instant;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// Does something, and says how many bytes it had allocated at once beyond those before. That is
/// only known with the feature `memory`, and if nothing else runs.
fn with_memory<T>(work: impl FnOnce() -> T) -> (T, Option<usize>) {
    #[cfg(feature = "memory")]
    {
        let before = crate::MEMORY.current_usage();
        crate::MEMORY.reset_peak_usage();
        let done = work();
        let peak = crate::MEMORY.peak_usage();
        (done, Some(peak.saturating_sub(before)))
    }
    #[cfg(not(feature = "memory"))]
    (work(), None)
}

/// A folder in that of what Cargo builds, for what is kept between runs or left for people.
fn target_folder(name: &str) -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let target = program.parent().and_then(|profile| profile.parent());
    let folder = target.unwrap_or(&program).join(name);
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A digest by which contents are found again (FNV-1a).
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Words to pass to other programs.
fn bytes(words: &[u32]) -> Vec<u8> {
    spirvkit::bytes_from_words(words, Default::default())
}

/// Optimizes every valid module of the folders.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    for folder in &arguments.folders {
        files.extend(arguments.sample.modules(folder)?);
    }
    let environments = arguments.environments.iter().map(|name| {
        name.parse()
            .map_err(|_| format!("environment {name} is not known"))
    });
    let environments = environments.collect::<Result<Vec<_>, String>>()?;
    let checker = Checker {
        options: arguments.level.options(),
        environments,
        reference: match &arguments.reference {
            None => None,
            Some(folder) => Some(Reference::new(
                folder,
                arguments.level.flag(),
                Duration::from_secs(arguments.timeout),
                &target_folder("opt-reference")?,
            )?),
        },
        except: arguments.except.clone(),
    };
    if arguments.passes.is_given() {
        let recipes = arguments.passes.recipes(|_| true)?;
        let reference = checker.reference.as_ref();
        let environments = &checker.environments;
        return passes::check_each(&files, &recipes, environments, reference, arguments.show);
    }
    // Memory is the process's, so it is told apart only if one module is optimized at a time.
    let threads = if cfg!(feature = "memory") { 1 } else { 2 };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let verdicts: Vec<Verdict> =
        pool.install(|| files.par_iter().map(|file| checker.check(file)).collect());
    let report = Report::new(&files, &verdicts);
    report.print(arguments.show, arguments.level.flag());
    match report.failed() {
        0 if report.passed() == 0 => Err("there are no modules to optimize".into()),
        0 => Ok(()),
        failed => Err(format!("{failed} modules fail").into()),
    }
}
