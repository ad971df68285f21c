//! Verdicts on changed modules, side by side with the C++ library's, or a program's.

#[path = "../cpp_validator.rs"]
mod cpp_validator;
mod findings;
mod reduce;
mod reference;
mod verdicts;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use spirvkit::TargetEnv;

use findings::Findings;
use spirvkit_bench::corpus::Corpus;
use verdicts::{Both, Validators};

/// Changes the modules of a folder at random and compares verdicts.
///
/// The modules are compared as they are first; those that one of the two refuses
/// are left out then, for what is wrong with them would hide what the changes do.
#[derive(Parser)]
struct Arguments {
    /// The folder, searched recursively.
    folder: PathBuf,
    /// How long to go on.
    #[arg(long, default_value_t = 20.0)]
    minutes: f64,
    /// Leave out modules of more words than this.
    #[arg(long, default_value_t = 20_000, value_name = "WORDS")]
    largest: usize,
    /// The number that all chance depends on.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Judge for this environment.
    #[arg(long, default_value = "vulkan1.3")]
    env: String,
    /// Ask this program, a `spirv-val`, instead of the library.
    #[arg(long, value_name = "PROGRAM")]
    reference: Option<PathBuf>,
    /// Leave out kinds of disagreement with this in their names; can be given
    /// more than once.
    #[arg(long, value_name = "WORD")]
    except: Vec<String>,
    /// Write a module of each kind of disagreement, as small as it gets, and what
    /// either of the two says to this folder.
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A recipe for one to three changes.
    fn recipe(&mut self) -> Vec<u8> {
        let length = 8 + self.next() % 12;
        (0..length).map(|_| (self.next() >> 24) as u8).collect()
    }
}

fn main() -> ExitCode {
    let outcome = match reference::to_serve() {
        Some((env, program)) => reference::serve(&env, program),
        None => run(&Arguments::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut modules = Corpus::load(&arguments.folder)?.modules;
    modules.retain(|words| words.len() <= arguments.largest);
    if modules.is_empty() {
        return Err("there are no modules of that size".into());
    }
    let env: TargetEnv = arguments
        .env
        .parse()
        .map_err(|_| format!("environment {} is not known", arguments.env))?;
    let mut checks = Validators::new(env, arguments.reference.as_deref())?;
    let mut findings = Findings::default();
    let mut compared = 0u64;
    let mut note = |both: &Both, words: &[u32]| {
        let kind = both.disagreement()?;
        let excepted = arguments.except.iter().any(|word| kind.contains(word));
        (!excepted).then(|| findings.note(kind, words))
    };

    let mut valid = Vec::new();
    for words in &modules {
        let both = checks.check(words)?;
        compared += 1;
        note(&both, words);
        if both.is_valid() {
            valid.push(words);
        }
    }
    println!("{} of {} modules are valid", valid.len(), modules.len());
    if valid.is_empty() {
        return Err("there is nothing to change".into());
    }

    let mut random = Random(arguments.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let end = Instant::now() + Duration::from_secs_f64(arguments.minutes * 60.0);
    let mut still_valid = 0u64;
    while Instant::now() < end {
        let words = valid[(random.next() % valid.len() as u64) as usize];
        let changed = spirvkit_fuzz::mutate(words, &random.recipe());
        let both = checks.check(&changed)?;
        compared += 1;
        still_valid += u64::from(both.is_valid());
        note(&both, &changed);
    }
    println!(
        "{compared} modules compared, {still_valid} of them valid after changes; \
         the longest of our verdicts took {:.1} ms",
        checks.slowest.as_secs_f64() * 1e3,
    );
    findings.report(&mut checks, arguments.write.as_deref())
}
