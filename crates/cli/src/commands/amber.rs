//! `spv amber`: running scripts of shader tests.

mod cache;
mod compilers;
mod files;
mod results;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use spirvkit::amber::{RunOptions, Verdict, parse, run as run_script};
use spirvkit::diagnostics::Source;
use spirvkit::interp::{MAX_MEMORY, MAX_STEPS};

use crate::arguments::{ColorWhen, jobs, size};
use crate::exit::{Ending, UsageError};
use crate::input::{Input, Inputs};
use crate::report::{Format, Messages, Reporter, deliver, print_as, read_error};
use crate::run::{Progress, each};
use cache::Cache;
use compilers::Compilers;
use files::Files;
use results::{Outcome, Tally};

/// Run Amber's scripts of shader tests, AmberScript and VkScript, without a GPU
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    /// Scripts; directories, which are searched for scripts; or `-` for standard input
    /// [default: standard input]
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Run only scripts whose path contains this; several options select more
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// The number of invocations in a subgroup, where a script leaves it open
    #[arg(long, value_name = "N", default_value = "32", value_parser = ["4", "8", "16", "32", "64"])]
    subgroup_size: String,

    /// The program that compiles GLSL and HLSL: glslangValidator, glslang or glslc
    /// [default: the first of them on the PATH]
    #[arg(long, value_name = "PROGRAM")]
    glsl_compiler: Option<PathBuf>,

    /// The program that compiles OpenCL C: a clang with llvm-spirv beside it or on the PATH
    /// [default: the first on the PATH, with a version behind its name or none]
    #[arg(long, value_name = "PROGRAM")]
    opencl_compiler: Option<PathBuf>,

    /// Keep compiled shaders in this directory [default: spv/shaders in the user's
    /// cache directory]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,

    /// Compile all shaders anew, and keep none
    #[arg(long, conflicts_with = "cache")]
    no_cache: bool,

    /// End a run of a pipeline after this many instructions of subgroups; the script fails
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    max_steps: u64,

    /// Skip scripts whose buffers, or whose values and variables of a workgroup, take more
    /// memory than this (K, M or G after the number) [default: 1G]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,

    /// Test the expectations: change each by one step after it was met; the script fails
    /// if it still is
    #[arg(long)]
    negate: bool,

    /// Show what the interpreter reports besides, such as accesses out of bounds
    #[arg(long)]
    findings: bool,

    /// Write the results to this file as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Run this many scripts in parallel [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// The format of the results
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

const AFTER_HELP: &str = "\
Directories are searched for .amber and .vkscript files. Scripts are run as on a
device with robustBufferAccess2. A script fails if an expectation isn't met, if it
or a shader is wrong, or if a run takes too many steps; undefined behaviour is no
failure, and --findings shows it. A script that draws, or needs something else
that can't be run yet, is skipped with the reason.

--format json prints an object on a line for each script, in the order of inputs:
  {\"file\":…, \"result\":\"passed\"|\"failed\"|\"skipped\", \"reason\":…, \"seconds\":…}

Examples:
  spv amber tests/
  spv amber --subgroup-size 8 --junit results.xml tests/ more.amber

Exit codes:
  0  no script fails
  1  a script fails or could not be read
  2  the command line is wrong";

/// The extensions of scripts.
const EXTENSIONS: &[&str] = &["amber", "vkscript"];

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let mut inputs = Inputs::with_extensions(&arguments.inputs, EXTENSIONS)?;
    inputs.list.retain(|input| {
        let filters = &arguments.filter;
        filters.is_empty() || filters.iter().any(|it| input.name.contains(it.as_str()))
    });
    let options = RunOptions::default()
        // The parser takes only numbers.
        .subgroup_size(arguments.subgroup_size.parse().unwrap_or(32))
        .max_steps(arguments.max_steps)
        .max_memory(arguments.max_memory.unwrap_or(MAX_MEMORY))
        .negated(arguments.negate);
    let cache = match arguments.no_cache {
        true => Cache::none(),
        false => Cache::at(arguments.cache.as_deref()),
    };
    let compilers = Compilers::new(
        arguments.glsl_compiler.as_deref(),
        arguments.opencl_compiler.as_deref(),
        cache,
    );
    let suite = Suite {
        arguments,
        options,
        compilers,
        reporter: Reporter::new(Format::Human, arguments.color.on_stderr()),
    };
    Ok(suite.run(&inputs))
}

/// Scripts, and how to run them.
struct Suite<'a> {
    arguments: &'a Arguments,
    options: RunOptions,
    compilers: Compilers,
    reporter: Reporter,
}

impl Suite<'_> {
    fn run(&self, inputs: &Inputs) -> Ending {
        let list = &inputs.list;
        let is_human = self.arguments.format == Format::Human;
        let progress = Progress::new(list.len(), is_human);
        let work = |number: usize| {
            let outcome = self.run_one(&list[number]);
            progress.tick();
            outcome
        };
        let mut tally = Tally::new(self.arguments.junit.is_some());
        let mut failed = 0;
        each(
            list.len(),
            self.arguments.jobs,
            64,
            work,
            |(outcome, messages)| {
                let line = match is_human {
                    true => String::new(),
                    false => outcome.json() + "\n",
                };
                tally.add(outcome);
                progress.suspend(|| deliver(line.as_bytes(), &messages, &mut failed))
            },
        );
        progress.finish();
        let mut ending = Ending::unless(tally.has_failed() || failed > 0);
        if let Some(path) = &self.arguments.junit {
            let written = crate::output::write_file(path, tally.junit().as_bytes());
            if let Err(error) = written {
                let mut messages = Messages::new(self.reporter);
                messages.add_write_error(&path.display().to_string(), &error);
                messages.print();
                ending = Ending::Failure;
            }
        }
        match is_human {
            true => ending.worst(print_as(tally.summary().as_bytes(), self.reporter)),
            false => ending,
        }
    }

    /// Runs a script, and says what is to be said of it.
    fn run_one(&self, input: &Input) -> (Outcome, Messages) {
        let start = Instant::now();
        let mut messages = Messages::new(self.reporter);
        let outcome = |verdict, reason| Outcome {
            file: input.name.clone(),
            verdict,
            reason,
            seconds: start.elapsed().as_secs_f64(),
            findings: 0,
        };
        let bytes = match input.read() {
            Ok(bytes) => bytes,
            Err(error) => {
                let error = read_error(&error);
                let reason = error.message().to_owned();
                self.tell(&mut messages, &[error], &Source::new(&input.name, ""));
                return (outcome(Verdict::Failed, reason), messages);
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let source = Source::new(&input.name, &text);
        let script = match parse(&text) {
            Ok(script) => script,
            Err(errors) => {
                self.tell(&mut messages, &errors, &source);
                return (
                    outcome(Verdict::Failed, results::reason(&errors, &source)),
                    messages,
                );
            }
        };
        let files = Files::new(input.path(), &self.compilers);
        let report = run_script(&script, &self.options, &files);
        if self.arguments.findings {
            self.tell(&mut messages, &report.findings, &source);
        }
        let reason = match report.verdict {
            Verdict::Passed if report.expectations == 0 => results::NO_EXPECTATIONS.to_owned(),
            Verdict::Passed => String::new(),
            Verdict::Failed => {
                self.tell(&mut messages, &report.reasons, &source);
                results::reason(&report.reasons, &source)
            }
            Verdict::Skipped => report.reasons[0].message().to_owned(),
        };
        let outcome = Outcome {
            findings: report.findings.len(),
            ..outcome(report.verdict, reason)
        };
        (outcome, messages)
    }

    /// Adds what is for people; programs get the reason.
    fn tell(
        &self,
        messages: &mut Messages,
        diagnostics: &[spirvkit::Diagnostic],
        source: &Source<'_>,
    ) {
        if self.arguments.format == Format::Human {
            diagnostics.iter().for_each(|it| messages.add(it, source));
        }
    }
}
