//! Verdicts on changed modules, side by side with the C++ library's.

mod cpp_validator;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use spirvkit::diagnostics::Severity;
use spirvkit::{Endianness, TargetEnv, ValidateOptions, bytes_from_words};

use cpp_validator::CppValidator;
use spirvkit_bench::corpus::Corpus;

/// Changes the modules of a folder at random and compares verdicts.
#[derive(Parser)]
struct Arguments {
    /// The folder, searched recursively.
    folder: PathBuf,
    /// How long to go on.
    #[arg(long, default_value_t = 20.0)]
    minutes: f64,
    /// Leave out modules of more words than this.
    #[arg(long, default_value_t = 20_000)]
    largest: usize,
    /// The number that all chance depends on.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Judge for this environment.
    #[arg(long, default_value = "vulkan1.3")]
    env: String,
    /// Write a module of each kind of disagreement to this folder.
    #[arg(long)]
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
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut corpus = Corpus::load(&arguments.folder)?;
    corpus
        .modules
        .retain(|words| words.len() <= arguments.largest);
    if corpus.modules.is_empty() {
        return Err("there are no modules of that size".into());
    }
    let env: TargetEnv = arguments
        .env
        .parse()
        .map_err(|_| format!("environment {} is not known", arguments.env))?;
    let cpp = CppValidator::for_env(env).ok_or("the C++ library has no such environment")?;
    let options = ValidateOptions::for_env(env);
    let end = Instant::now() + Duration::from_secs_f64(arguments.minutes * 60.0);
    let mut random = Random(arguments.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let (mut compared, mut invalid, mut disagreements) = (0u64, 0u64, 0u64);
    while Instant::now() < end {
        let words = &corpus.modules[(random.next() % corpus.modules.len() as u64) as usize];
        let length = 8 + (random.next() % 12) as usize;
        let recipe: Vec<u8> = (0..length).map(|_| (random.next() >> 24) as u8).collect();
        let changed = spirvkit_fuzz::mutate(words, &recipe);
        let report = spirvkit::validate_words(&changed, &options);
        let theirs = cpp.judge(&changed);
        compared += 1;
        invalid += u64::from(theirs.is_err());
        if report.is_valid() == theirs.is_ok() {
            continue;
        }
        disagreements += 1;
        let (kind, text) = match &theirs {
            Ok(()) => {
                let mut all = report.diagnostics().iter();
                let Some(first) = all.find(|told| told.severity() == Severity::Error) else {
                    continue;
                };
                let kind = format!("alarm-{}", first.rule());
                (
                    kind,
                    format!("{}\n{:?}", first.message(), first.instruction()),
                )
            }
            Err(message) => (format!("missed-{}", gist(message)), message.clone()),
        };
        let seen = kinds.entry(kind.clone()).or_default();
        *seen += 1;
        if *seen > 1 {
            continue;
        }
        println!("{kind}: {}", text.replace('\n', " "));
        if let Some(folder) = &arguments.write {
            fs::create_dir_all(folder)?;
            let bytes = bytes_from_words(&changed, Endianness::Little);
            fs::write(folder.join(format!("{kind}.spv")), bytes)?;
            fs::write(folder.join(format!("{kind}.txt")), text)?;
        }
    }
    println!(
        "{compared} modules compared, {invalid} of them invalid to the C++ library, \
         {disagreements} disagreements of {} kinds",
        kinds.len()
    );
    for (kind, count) in &kinds {
        println!("{count:8} {kind}");
    }
    Ok(())
}

/// A message without what differs from module to module.
fn gist(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut gist = String::new();
    for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '%' && c != '[') {
        let is_specific = word.contains(['%', '[']) || word.contains(|c: char| c.is_ascii_digit());
        if !word.is_empty() && !is_specific && gist.len() < 80 {
            gist += word;
            gist.push('-');
        }
    }
    gist.trim_end_matches('-').to_owned()
}
