//! Running scripts.

mod arguments;
mod dispatch;
mod dispatched;
mod expectations;
mod images;
mod memory;
mod negated;
mod shaders;
mod support;

use spirvkit_diagnostics::{Diagnostic, Errors, Span};
use spirvkit_interp::{MAX_MEMORY, MAX_STEPS};

pub use dispatched::{Dispatched, DispatchedDescriptor, DispatchedMemory};

use crate::command::{Action, Command, Work};
use crate::kinds;
use crate::script::{FileFormat, Script, VirtualFile};
use crate::words::{Language, Stage};
use memory::Memory;
use shaders::Shaders;
pub use shaders::shader_words;

/// How many expectations that aren't met, and how many findings, a report has at most.
const MAX_REPORTED: usize = 100;

spirvkit_binary::options! {
    /// How to run scripts.
    #[derive(Clone, Debug)]
    pub struct RunOptions {
        /// The number of invocations in a subgroup, unless the script says so: 4, 8, 16, 32
        /// or 64.
        pub subgroup_size: u32 = 32,
        /// The fewest and the most invocations in a subgroup that a script can ask for.
        pub subgroup_sizes: [u32; 2] = [4, 64],
        /// Whether data races are looked for, as findings; see
        /// [`Run::race`](spirvkit_interp::Run::race).
        pub race: bool = false,
        /// Whether undefined values that are stored to buffers and images are findings; see
        /// [`Run::undefined_results`](spirvkit_interp::Run::undefined_results).
        pub undefined_results: bool = false,
        /// How many instructions the runs of a script may take together; see
        /// [`Run::max_steps`](spirvkit_interp::Run::max_steps). Commands count, too: for what
        /// they look at, one for 64 bytes, and 16 for each word of a module that is run.
        pub max_steps: u64 = MAX_STEPS,
        /// How many bytes the script's buffers may have together, and a workgroup's values
        /// and variables; see [`Run::max_memory`](spirvkit_interp::Run::max_memory).
        pub max_memory: u64 = MAX_MEMORY,
        /// Whether each expectation is changed by one step after it was met, and the script
        /// fails if it still is: a test of expectations.
        pub negated: bool = false,
    }
}

/// What a script needs that isn't in it.
pub trait Host {
    /// What is in a file, as [`contents`](crate::contents) takes it. The path is from the
    /// script's folder.
    ///
    /// # Errors
    ///
    /// Why it can't be had.
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String>;

    /// Compiles a shader in a language other than SPIR-V's own.
    ///
    /// # Errors
    ///
    /// Why there is no module.
    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError>;

    /// What runs instead of a module that a script has, such as one that must do the same;
    /// `None`, the default, for the module itself. What is said of another has no place in the
    /// script's text.
    fn replacement(&self, _: &[u32]) -> Option<Vec<u32>> {
        None
    }

    /// Whether [`Host::dispatched`] is called; not by default.
    fn compares(&self) -> bool {
        false
    }

    /// Looks at a run of a compute shader, for a second opinion; or why there is no telling
    /// what it was given.
    fn dispatched(&self, _: Result<&Dispatched<'_>, &str>) {}
}

/// A shader to compile.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source<'s> {
    /// What it is written in.
    pub language: Language,
    /// The stage it is for.
    pub stage: Stage,
    /// The text.
    pub text: &'s str,
    /// The entry point.
    pub entry_point: &'s str,
    /// What to compile it for, such as `spv1.3` or `vulkan1.1`, if the script says so.
    pub target_env: Option<&'s str>,
    /// The files that it may include.
    pub virtual_files: &'s [VirtualFile],
}

/// Why a shader isn't compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// There is no compiler for it: the script is skipped.
    NoCompiler(String),
    /// The compiler refuses it: the script fails.
    Refused(String),
}

/// How running a script went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All expectations are met.
    Passed,
    /// An expectation isn't met, or the script or a shader is wrong.
    Failed,
    /// The script wasn't run to its end, because something isn't supported.
    Skipped,
}

impl Verdict {
    /// As a word: `passed`, `failed` or `skipped`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What came of running a script.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// How it went.
    pub verdict: Verdict,
    /// Why it failed, with places in the script; or, alone, why it was skipped.
    pub reasons: Vec<Diagnostic>,
    /// What the runs reported besides, as warnings: undefined behaviour doesn't make a script
    /// fail.
    pub findings: Vec<Diagnostic>,
    /// How many expectations were checked.
    pub expectations: u64,
}

/// Why a script isn't run further.
#[derive(Debug)]
enum Stop {
    Skip(Box<Diagnostic>),
    Fail(Vec<Diagnostic>),
}

impl Stop {
    fn skip(span: Option<Span>, message: impl Into<String>) -> Self {
        let reason = kinds::SKIPPED.warning(message);
        Self::Skip(Box::new(match span {
            Some(span) => reason.at_span(span),
            None => reason,
        }))
    }

    fn fail(reason: Diagnostic) -> Self {
        Self::Fail(vec![reason])
    }
}

impl From<Errors> for Stop {
    fn from(errors: Errors) -> Self {
        Self::Fail(errors.into_vec())
    }
}

/// Runs a script: its compute shaders by the interpreter, with the values of
/// `robustBufferAccess2` for accesses out of bounds.
///
/// A script that draws or traces rays is skipped, as is one whose shaders use what can't be
/// run yet. Findings of the runs don't make a script fail, except that the limit of steps
/// was reached.
///
/// ```
/// use spirvkit_amber::{CompileError, FileFormat, Host, RunOptions, Source, Verdict, parse, run};
///
/// struct Nothing;
///
/// impl Host for Nothing {
///     fn read_file(&self, _: FileFormat, _: &str) -> Result<Vec<u8>, String> {
///         Err("there are no files".to_owned())
///     }
///
///     fn compile(&self, _: &Source<'_>) -> Result<Vec<u32>, CompileError> {
///         Err(CompileError::NoCompiler("there is no compiler".to_owned()))
///     }
/// }
///
/// let script = parse("\
/// ##!amber
/// SHADER compute nothing GLSL
/// void main() {}
/// END
/// PIPELINE compute pipeline
///   ATTACH nothing
/// END
/// RUN pipeline 1 1 1
/// ")?;
/// let report = run(&script, &RunOptions::default(), &Nothing);
/// assert_eq!(report.verdict, Verdict::Skipped);
/// assert_eq!(report.reasons[0].message(), "the shader `nothing` can't be compiled: there is no compiler");
/// # Ok::<(), spirvkit_diagnostics::Errors>(())
/// ```
pub fn run(script: &Script, options: &RunOptions, host: &dyn Host) -> Report {
    let mut runner = Runner {
        script,
        options,
        host,
        memory: Memory::new(script, options, host),
        shaders: Shaders::default(),
        failures: Vec::new(),
        findings: Vec::new(),
        expectations: 0,
        steps: options.max_steps,
    };
    let stopped = support::check(script).and_then(|()| runner.commands());
    let (verdict, reasons) = match stopped {
        Ok(()) if runner.failures.is_empty() => (Verdict::Passed, Vec::new()),
        Ok(()) => (Verdict::Failed, runner.failures),
        Err(Stop::Skip(reason)) if runner.failures.is_empty() => (Verdict::Skipped, vec![*reason]),
        // What was found wrong before stays wrong.
        Err(Stop::Skip(_)) => (Verdict::Failed, runner.failures),
        Err(Stop::Fail(reasons)) => {
            runner.failures.extend(reasons);
            (Verdict::Failed, runner.failures)
        }
    };
    Report {
        verdict,
        reasons,
        findings: runner.findings,
        expectations: runner.expectations,
    }
}

/// A script that is being run.
struct Runner<'s> {
    script: &'s Script,
    options: &'s RunOptions,
    host: &'s dyn Host,
    memory: Memory<'s>,
    shaders: Shaders,
    failures: Vec<Diagnostic>,
    findings: Vec<Diagnostic>,
    expectations: u64,
    /// How many steps may still be taken.
    steps: u64,
}

impl<'s> Runner<'s> {
    /// Runs all commands. Repetitions are kept in a list, as they may be in each other.
    fn commands(&mut self) -> Result<(), Stop> {
        let mut open: Vec<(&'s [Command], usize, u32)> = vec![(&self.script.commands, 0, 1)];
        while let Some((commands, next, times)) = open.last_mut() {
            let Some(command) = commands.get(*next) else {
                *next = 0;
                *times = times.saturating_sub(1);
                if *times == 0 {
                    open.pop();
                }
                continue;
            };
            *next += 1;
            match &command.action {
                Action::Repeat { count, commands } if *count > 0 && !commands.is_empty() => {
                    open.push((commands, 0, *count));
                }
                Action::Repeat { .. } => {}
                action => self.command(action, command.span)?,
            }
        }
        Ok(())
    }

    fn command(&mut self, action: &'s Action, span: Span) -> Result<(), Stop> {
        match action {
            Action::Run(run) => match run.work {
                Work::Compute(groups) => self.dispatch(run.pipeline, groups, span),
                _ => Err(support::no_graphics(span)),
            },
            Action::Copy { from, to } => {
                let size = self.memory.bytes(*from)?.len();
                self.take_steps(size, span)?;
                self.memory.copy(*from, *to, span)
            }
            Action::Write(values) => {
                self.take_steps(values.numbers.len(), span)?;
                self.memory.write(values, span)
            }
            Action::Expect(expect) => self.expect(expect, span),
            _ => Err(support::no_graphics(span)),
        }
    }

    /// Counts the steps of a command that looks at so many bytes.
    fn take_steps(&mut self, bytes: usize, span: Span) -> Result<(), Stop> {
        let Some(left) = self.steps.checked_sub(1 + bytes as u64 / 64) else {
            let message = "the script takes more steps than allowed";
            return Err(Stop::fail(kinds::LIMIT.error(message).at_span(span)));
        };
        self.steps = left;
        Ok(())
    }

    /// Notes that an expectation isn't met.
    fn fail(&mut self, failure: Diagnostic) {
        if self.failures.len() < MAX_REPORTED {
            self.failures.push(failure);
        }
    }

    /// Notes what a run found.
    fn find(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        let room = MAX_REPORTED.saturating_sub(self.findings.len());
        self.findings.extend(findings.into_iter().take(room));
    }
}
