//! `spv val`: judging modules.

mod matrix;
mod pipeline;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use spirvkit::diagnostics::render::{self, SarifRule};
use spirvkit::diagnostics::{ErrorClass, Severity, Source, closest, counted};
use spirvkit::validate::{Level, Levels};
use spirvkit::vulkan::Device;
use spirvkit::{Report, TargetEnv, ValidateOptions};

use crate::arguments::devices::{self, DeviceArguments};
use crate::arguments::{ColorWhen, Settings, environments, jobs};
use crate::exit::{Ending, UsageError};
use crate::input::form::Form;
use crate::input::{Input, Inputs};
use crate::report::kinds::KINDS;
use crate::report::{self, Messages, Reporter, deliver, read_error, summary};
use crate::run::{Progress, each};

/// Check modules against the specification and an environment
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP.as_str(), args_override_self = true)]
pub(crate) struct Arguments {
    /// Modules: binary, hexadecimal text or assembly text; directories, which are
    /// searched for modules; or `-` for standard input [default: standard input]
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Check for this environment [default: spv1.6; with devices, their version of Vulkan]
    #[arg(long, value_name = "ENV", value_parser = environments::parser(), hide_possible_values = true)]
    target_env: Option<TargetEnv>,

    #[command(flatten)]
    devices: DeviceArguments,

    #[command(flatten)]
    pipeline: pipeline::PipelineArguments,

    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Fail if there are warnings
    #[arg(long)]
    deny_warnings: bool,

    #[command(flatten)]
    levels: LevelArguments,

    /// Report at most this many errors per input; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 50)]
    max_errors: usize,

    /// Show ids as numbers instead of the names that `spv dis` gives them
    #[arg(long)]
    raw_id: bool,

    /// Print nothing; the exit code says whether the inputs are valid
    #[arg(short, long, conflicts_with = "format")]
    quiet: bool,

    /// Process this many inputs in parallel [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    settings: Settings,
}

/// The levels of rules, in the order of the command line.
#[derive(Debug, Default)]
struct LevelArguments(Vec<(String, Level)>);

/// The options, what they do to a rule, and the level that they give it.
const LEVELS: &[(&str, &str, Level)] = &[
    ("allow", "Ignore violations of this rule", Level::Allow),
    (
        "warn",
        "Report violations of this rule as warnings",
        Level::Warn,
    ),
    (
        "deny",
        "Report violations of this rule as errors",
        Level::Deny,
    ),
];

impl Args for LevelArguments {
    fn augment_args(command: Command) -> Command {
        command.args(LEVELS.iter().map(|(name, help, _)| {
            let argument = Arg::new(name).long(name).help(help).help_heading("Rules");
            argument.value_name("RULE").action(ArgAction::Append)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LevelArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut levels = Self::default();
        levels.update_from_arg_matches(matches)?;
        Ok(levels)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let mut given = Vec::new();
        for (name, _, level) in LEVELS {
            let indices = matches.indices_of(name).into_iter().flatten();
            let rules = matches.get_many::<String>(name).into_iter().flatten();
            given.extend(
                indices
                    .zip(rules)
                    .map(|(index, rule)| (index, rule, *level)),
            );
        }
        given.sort_by_key(|(index, ..)| *index);
        let given = given
            .into_iter()
            .map(|(_, rule, level)| (rule.clone(), level));
        self.0.extend(given);
        Ok(())
    }
}

impl LevelArguments {
    fn levels(&self) -> Result<Levels, UsageError> {
        let mut levels = Levels::default();
        for (name, level) in &self.0 {
            if !rules().any(|id| Levels::is_called(name, id)) {
                return Err(UsageError(unknown_rule(name)));
            }
            levels.set(name, *level);
        }
        Ok(levels)
    }
}

/// The ids of all rules by which a module is checked.
fn rules() -> impl Iterator<Item = &'static str> {
    let rules = spirvkit::rules().iter().map(|rule| rule.id);
    rules.chain(["text.bad-header-comment"])
}

fn unknown_rule(name: &str) -> String {
    if spirvkit::find_rule(name).is_some_and(|rule| rule.id == name) {
        return format!("`{name}` is always an error: without it, nothing else can be checked");
    }
    let families = rules().map(|id| id.split('.').next().unwrap_or(id).to_owned() + ".*");
    let all: Vec<String> = rules().map(str::to_owned).chain(families).collect();
    let like = match spirvkit::find_rule(name) {
        Some(rule) => Some(rule.id),
        None => closest(name, all.iter().map(String::as_str)),
    };
    match like {
        Some(like) => format!("there is no rule or family `{name}`; did you mean `{like}`?"),
        None => format!("there is no rule or family `{name}`; `spv explain --list` shows all"),
    }
}

static AFTER_HELP: LazyLock<String> = LazyLock::new(|| environments::help(ABOUT));

const ABOUT: &str = "\
All errors of a module are reported, each with the id of its rule, which
`spv explain RULE` explains. Directories are searched for .spv and .spvasm files.

`--allow`, `--warn` and `--deny` say how violations of a rule are reported; they
can be given several times. RULE is a rule (layout.overlap), a family (layout.*),
or all (*). A rule's own name takes precedence over its family's, and a later
option over an earlier one. What is allowed, or only a warning, hides no errors of
other rules.

Examples:
  spv val shader.spv
  spv val --target-env vulkan1.3 --format json shaders/ > report.jsonl
  spv val --device VP_KHR_roadmap_2024 --device phone.json shader.spv
  spv val --allow 'debug-info.*' --deny extension.unknown shader.spvasm
  spv val --pipeline vert.spv frag.spv --layout layout.json
  spv val --pipeline all.spv:vs_main all.spv:fs_main --spec fragment:3=true

Exit codes:
  0  all inputs are valid
  1  an input is invalid, or could not be read
  2  the command line is wrong";

/// The form of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, with the place of each error
    #[default]
    #[value(alias = "text", alias = "table")]
    Human,
    /// For programs: one line with a JSON object for each input
    Json,
    /// A SARIF 2.1.0 log
    Sarif,
}

impl Arguments {
    fn options(&self) -> Result<ValidateOptions, UsageError> {
        let devices = self.devices.devices()?;
        let target_env = match self.pipeline.is_on() && devices.is_empty() {
            true => Some(pipeline::environment(self.target_env)?),
            false => self.target_env,
        };
        let mut options = ValidateOptions::for_env(devices::environment(target_env, &devices)?);
        options.devices = devices;
        options.max_errors = self.max_errors;
        options.raw_ids = self.raw_id;
        options.levels = self.levels.levels()?;
        self.settings.apply(&mut options)?;
        Ok(options)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    if arguments.pipeline.is_on() {
        return pipeline::run(arguments);
    }
    let inputs = Inputs::modules(&arguments.inputs)?;
    Ok(Check {
        inputs: &inputs,
        options: arguments.options()?,
        format: arguments.format,
        color: arguments.color.on_stderr(),
        deny_warnings: arguments.deny_warnings,
        quiet: arguments.quiet,
        jobs: arguments.jobs,
    }
    .run())
}

/// Validates inputs as the classic tool does.
pub(crate) fn run_classic(inputs: &Inputs, options: ValidateOptions) -> Ending {
    Check {
        inputs,
        options,
        format: Format::Human,
        color: ColorWhen::Auto.on_stderr(),
        deny_warnings: false,
        quiet: false,
        jobs: None,
    }
    .run()
}

/// Which inputs to check by what.
struct Check<'a> {
    inputs: &'a Inputs,
    options: ValidateOptions,
    format: Format,
    color: bool,
    deny_warnings: bool,
    quiet: bool,
    jobs: Option<NonZeroUsize>,
}

/// What came of an input.
struct Outcome {
    fails: bool,
    /// What is for standard output.
    output: String,
    /// What is for standard error.
    messages: Messages,
}

impl Check<'_> {
    fn run(&self) -> Ending {
        let list = &self.inputs.list;
        let progress = Progress::new(list.len(), self.format == Format::Human);
        let work = |number: usize| {
            let outcome = self.check(&list[number]);
            progress.tick();
            outcome
        };
        // What stands before the next output: a SARIF log is one document.
        let mut before = match self.format {
            Format::Sarif => sarif_start(&self.options.levels),
            Format::Human | Format::Json => String::new(),
        };
        let mut separator = "";
        let mut failed = 0;
        each(list.len(), self.jobs, 64, work, |outcome: Outcome| {
            failed += usize::from(outcome.fails);
            if !outcome.output.is_empty() {
                before += separator;
            }
            if self.format == Format::Sarif && !outcome.output.is_empty() {
                separator = ",";
            }
            let output = std::mem::take(&mut before) + &outcome.output;
            progress.suspend(|| deliver(output.as_bytes(), &outcome.messages, &mut failed))
        });
        progress.finish();
        match self.format {
            Format::Sarif => {
                let end = format!("{before}{}\n", render::sarif_end());
                let _ = deliver(end.as_bytes(), &self.messages(), &mut failed);
            }
            Format::Human if self.quiet => {}
            Format::Human if self.inputs.many && failed == 0 => {
                let mut messages = self.messages();
                messages.add_note(&match list.len() {
                    1 => "1 input is valid".to_owned(),
                    count => format!("all {count} inputs are valid"),
                });
                messages.print();
            }
            Format::Human => summary(self.reporter(), failed, list.len()),
            Format::Json => {}
        }
        Ending::unless(failed > 0)
    }

    fn reporter(&self) -> Reporter {
        Reporter::new(report::Format::Human, self.color)
    }

    fn messages(&self) -> Messages {
        Messages::new(self.reporter())
    }

    /// The devices that a report compares.
    fn compared(&self) -> &[Device] {
        match (self.format, self.quiet) {
            (Format::Human, false) | (Format::Json, _) => &self.options.devices,
            (Format::Human, true) | (Format::Sarif, _) => &[],
        }
    }

    fn check(&self, input: &Input) -> Outcome {
        let mut matrix = Vec::new();
        let checked = match input.read_words() {
            Ok(Some(words)) => {
                let report = spirvkit::validate(&words, &self.options);
                matrix = matrix::of(&words, self.compared());
                Ok((report, String::new()))
            }
            Ok(None) => input.read().map(|bytes| {
                let (report, text) = check(bytes, &self.options);
                matrix = matrix::of_text(&text, self.compared(), &self.options);
                (report, text)
            }),
            Err(error) => Err(error),
        };
        let (report, text) = match checked {
            Ok(checked) => checked,
            Err(error) => (Report::new(vec![read_error(&error)]), String::new()),
        };
        self.outcome(&input.name, &report, &text, &matrix)
    }

    /// What there is to tell of an input.
    fn outcome(&self, name: &str, report: &Report, text: &str, matrix: &[matrix::Row]) -> Outcome {
        let mut messages = self.messages();
        let diagnostics = report.diagnostics();
        let has_text = !diagnostics.is_empty() && !text.is_empty();
        let source = Source::new(name, if has_text { text } else { "" });
        let in_text = has_text.then_some(&source);
        let mut output = String::new();
        match self.format {
            // Only that nothing could be checked is reported.
            Format::Human if self.quiet => {
                for diagnostic in diagnostics
                    .iter()
                    .filter(|each| each.class() == ErrorClass::Io)
                {
                    messages.add(diagnostic, &source);
                }
            }
            Format::Human => {
                for diagnostic in diagnostics {
                    messages.add(diagnostic, &source);
                }
                output = matrix::table(name, matrix);
                if report.is_cut() && self.options.max_errors > 0 {
                    let errors = self.options.max_errors;
                    messages.add_note(&format!(
                        "{name}: there are more than {}; `--max-errors` shows more",
                        counted(errors, "error")
                    ));
                }
            }
            Format::Json => {
                output = render::report(name, report.is_valid(), diagnostics, in_text);
                if report.is_over_budget() {
                    output.truncate(output.len() - 1);
                    output.push_str(",\"cut\":true}");
                }
                if !matrix.is_empty() {
                    output.truncate(output.len() - 1);
                    output.push_str(&format!(",\"devices\":{}}}", matrix::json(matrix)));
                }
                output.push('\n');
            }
            Format::Sarif => output = render::sarif_results(name, diagnostics, in_text),
        }
        if report.is_over_budget() && self.format != Format::Json && !self.quiet {
            messages.add_note(&format!(
                "{name}: there are more errors than can be shown for a module of this size"
            ));
        }
        let warned = diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity() == Severity::Warning);
        Outcome {
            fails: !report.is_valid() || self.deny_warnings && warned,
            output,
            messages,
        }
    }
}

/// Validates what a file holds: a binary module, one in hexadecimal digits, or
/// assembly text, which is returned for messages to quote.
fn check(bytes: Vec<u8>, options: &ValidateOptions) -> (Report, String) {
    match Form::of(bytes) {
        Ok(Form::Binary(bytes)) => (spirvkit::validate_bytes(&bytes, options), String::new()),
        Ok(Form::Text(text)) => (spirvkit::validate_text(&text, options), text),
        Err((error, text)) => (Report::new(vec![error]), text),
    }
}

/// What a log says of all rules, and of what else may be wrong with an input.
fn sarif_start(levels: &Levels) -> String {
    let rules = spirvkit::rules().iter();
    let rules = rules.map(|rule| (rule.id, rule.text(), rule.severity()));
    let kinds = spirvkit::kinds().into_iter().chain(KINDS.iter().copied());
    let kinds = kinds.map(|kind| (kind.id, kind.text.to_owned(), Severity::Error));
    let mut listed: Vec<SarifRule<'_>> = rules
        .chain(kinds)
        .map(|(id, text, severity)| SarifRule {
            id,
            text,
            severity: match levels.of(id) {
                None => Some(severity),
                Some(Level::Allow) => None,
                Some(Level::Warn) => Some(Severity::Warning),
                Some(Level::Deny) => Some(Severity::Error),
            },
        })
        .collect();
    listed.sort_by_key(|rule| rule.id);
    // Of what a rule says, the rule says more.
    listed.dedup_by_key(|rule| rule.id);
    render::sarif_start("spv", env!("CARGO_PKG_VERSION"), &listed)
}
